// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keeps the softirqs of a processor from running, so that what waits for them piles up.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* Less than what the kernel's watchdogs complain about. */
#define MS_MAX	5000U

/* The processor is that on which the thread that sets the parameter is bound. */
static int bh_off(const char *value, const struct kernel_param *param)
{
	unsigned int ms;
	int err;

	err = kstrtouint(value, 0, &ms);
	if (err)
		return err;
	local_bh_disable();
	for (ms = min(ms, MS_MAX); ms; ms--)
		mdelay(1);
	local_bh_enable();
	return 0;
}

static const struct kernel_param_ops bh_off_ops = { .set = bh_off };

module_param_cb(ms, &bh_off_ops, NULL, 0200);
MODULE_PARM_DESC(ms, "set: no softirqs here for that time");

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Keeps softirqs from running");
