// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * "rdma link add NAME type mrc netdev DEV": creates a device with one port.
 */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>
#include "verbs/device.h"
#include "verbs/link.h"

static int mrc_link_new(const char *name, struct net_device *ndev)
{
	return mrc_device_create(name, &ndev, 1, NULL);
}

static struct rdma_link_ops mrc_link_ops = {
	.type = "mrc",
	.newlink = mrc_link_new,
};

/**
 * mrc_link_init() - register the link type
 */
void mrc_link_init(void)
{
	rdma_link_register(&mrc_link_ops);
}

/**
 * mrc_link_exit() - unregister the link type
 *
 * Waits for a request that is being executed.
 */
void mrc_link_exit(void)
{
	rdma_link_unregister(&mrc_link_ops);
}

MODULE_ALIAS_RDMA_LINK("mrc");
