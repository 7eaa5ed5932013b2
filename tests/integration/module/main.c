// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user of verbs in the kernel, for tests.  Results go to the kernel log as TAP when
 * the module is loaded:
 *
 *	insmod mrc_user.ko device=mrc0 gid_index=1
 */
#include <linux/module.h>
#include <rdma/mrc-abi.h>
#include "user.h"

static char *device = "mrc0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the device");

static int gid_index;
module_param(gid_index, int, 0444);
MODULE_PARM_DESC(gid_index, "index of the address of port 1 that is used");

static int __init mrc_user_init(void)
{
	struct ib_device *dev;
	int err;

	dev = ib_device_get_by_name(device, RDMA_DRIVER_MRC);
	if (!dev)
		return -ENODEV;
	err = user_run(dev, gid_index);
	ib_device_put(dev);
	return err;
}
module_init(mrc_user_init);

static void __exit mrc_user_exit(void)
{
}
module_exit(mrc_user_exit);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Test of verbs in the kernel");
