// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loses memory when it is loaded, for the test that lost memory is found.
 */
#include <linux/module.h>
#include <linux/slab.h>

static int __init mrc_leak_init(void)
{
	int i;

	/* A copy of a pointer may remain on the stack or in a register. */
	for (i = 0; i < 8; i++)
		if (!kmalloc(700, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}
module_init(mrc_leak_init);

static void __exit mrc_leak_exit(void)
{
}
module_exit(mrc_leak_exit);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Loses memory");
