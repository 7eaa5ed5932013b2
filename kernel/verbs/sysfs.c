// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of the device in sysfs.
 */
#include <linux/device.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/sysfs.h>
#include "verbs/device.h"
#include "verbs/sysfs.h"

/*
 * As with other software devices, "parent" is the name of one net device.  With
 * several ports it is that of the lowest port that has a net device; the RDMA core
 * shows the net devices of all ports in ports/N/gid_attrs/ndevs.
 */
static ssize_t mrc_sysfs_parent(struct device *device,
				struct device_attribute *attr, char *buf)
{
	const struct mrc_device *dev =
		rdma_device_to_drv_device(device, struct mrc_device, ib);
	const struct mrc_nic *nic = dev->nic;
	const struct net_device *ndev = NULL;
	ssize_t len;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !ndev; i++)
		ndev = rcu_dereference(nic->port[i].dev);
	len = sysfs_emit(buf, "%s\n", ndev ? ndev->name : "");
	rcu_read_unlock();
	return len;
}

/*
 * There is no board, but programs that read all devices (node exporter 1.5) fail for all
 * of them if one lacks the name of its board.
 */
static ssize_t mrc_sysfs_board(struct device *device,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "mrc\n");
}

static struct device_attribute mrc_sysfs_attr_board =
	__ATTR(board_id, 0444, mrc_sysfs_board, NULL);

static struct device_attribute mrc_sysfs_attr_hca =
	__ATTR(hca_type, 0444, mrc_sysfs_board, NULL);

static struct device_attribute mrc_sysfs_attr_parent =
	__ATTR(parent, 0444, mrc_sysfs_parent, NULL);

static struct attribute *mrc_sysfs_attrs[] = {
	&mrc_sysfs_attr_board.attr,
	&mrc_sysfs_attr_hca.attr,
	&mrc_sysfs_attr_parent.attr,
	NULL
};

/* For &struct ib_device_ops.device_group. */
const struct attribute_group mrc_sysfs_group = {
	.attrs = mrc_sysfs_attrs,
};
