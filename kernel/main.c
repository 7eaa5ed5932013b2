// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Initialisation and exit of the module.
 */
#include <linux/module.h>
#include "control/genl.h"
#include "net/nic.h"
#include "verbs/counters.h"
#include "verbs/device.h"
#include "verbs/link.h"
#include "verbs/qp.h"

static int __init mrc_init(void)
{
	int err;

	err = mrc_nic_init();
	if (err)
		return err;
	mrc_counters_init();
	err = mrc_qp_init();
	if (err)
		goto err_nic;
	err = mrc_genl_init();
	if (err)
		goto err_qp;
	mrc_link_init();
	return 0;

err_qp:
	mrc_qp_exit();
err_nic:
	mrc_nic_exit();
	return err;
}

static void __exit mrc_exit(void)
{
	mrc_link_exit();
	mrc_genl_exit();
	mrc_device_exit();
	mrc_qp_exit();
	mrc_nic_exit();
}

module_init(mrc_init);
module_exit(mrc_exit);

MODULE_DESCRIPTION("Multipath Reliable Connection over Ethernet ports");
MODULE_LICENSE("Dual BSD/GPL");
