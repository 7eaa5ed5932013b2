/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The RDMA device: an ib_device on top of a NIC, its QPs and memory regions, and its
 * lookup by netlink.
 */
#ifndef MRC_VERBS_DEVICE_H
#define MRC_VERBS_DEVICE_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "core/rd_atomic.h"
#include "net/nic.h"
#include "verbs/region.h"

struct mrc_qp;
struct netlink_ext_ack;

/* Limits of one device. */
enum mrc_device_limits {
	MRC_MAX_QP = 1 << 16,
	MRC_MAX_QP_WR = 1 << 15,
	MRC_MAX_SRQ = 1 << 16,
	MRC_MAX_SRQ_WR = 1 << 15,
	MRC_MAX_SGE = 16,
	MRC_MAX_INLINE = 256,
	/* Address handles of processes, and more that only the kernel gets. */
	MRC_MAX_AH = 1 << 16,
	MRC_KERNEL_AH = 1 << 12,
	MRC_MAX_CQ = 1 << 16,
	MRC_MAX_CQE = 1 << 20,
	MRC_MAX_MR = 1 << 20,
	/* Pages of a region that a work request registers: 4 MiB of 4 KiB */
	MRC_MAX_FAST_REG_PAGES = 1 << 10,
	MRC_MAX_MW = 1 << 20,
	MRC_MAX_PD = 1 << 16,
	MRC_GID_TBL_LEN = 256,
	/* A software device has no OUI: the same value as rdma_rxe. */
	MRC_VENDOR_ID = 0xffffff,
	MRC_PKEY_TBL_LEN = 1,
};

/* Bounded by the page array, one pointer per page, in one allocation. */
#define MRC_MAX_MR_SIZE BIT_ULL(39)

/**
 * struct mrc_device - one RDMA device
 * @ib: device of the RDMA core
 * @nic: ports, counters and destinations
 * @node: in the list of all devices, under its mutex
 * @qps_lock: protects @qps and @n_qps; held while a QP of @qps is used, so that
 *	the QP is not destroyed meanwhile
 * @qps: QPs by number
 * @n_qps: entries of @qps
 * @n_srqs: shared receive queues
 * @n_cqs: completion queues of processes
 * @n_pds: protection domains of processes
 * @regions: regions by key >> 8; readers use RCU, writers the lock of the xarray
 * @memory: region of all memory, for ib_device.local_dma_lkey
 * @ahs: address handles by number; readers use RCU, writers the lock of the xarray
 *	with interrupts off
 * @n_user_ahs: those of processes, under the lock of @ahs
 * @ah_next: number at which the search for a free one begins
 * @mr_next: index at which the search for a free one begins, for memory regions
 * @mw_next: likewise, for memory windows
 */
struct mrc_device {
	struct ib_device ib;
	struct mrc_nic *nic;
	struct list_head node;
	struct mutex qps_lock; /* qps, n_qps */
	struct xarray qps;
	u32 n_qps;
	atomic_t n_srqs;
	atomic_t n_cqs;
	atomic_t n_pds;
	struct xarray regions;
	struct mrc_region memory;
	struct xarray ahs;
	u32 n_user_ahs;
	u32 ah_next;
	u32 mr_next;
	u32 mw_next;
};

static inline struct mrc_device *mrc_device_from_ib(struct ib_device *ib)
{
	return container_of(ib, struct mrc_device, ib);
}

/**
 * mrc_device_name() - name of a device
 * @dev: registered device
 *
 * Not dev_name(), whose memory is freed when the device gets another name.  A reader
 * may see parts of both names.
 *
 * Return: the name.
 */
static inline const char *mrc_device_name(const struct mrc_device *dev)
{
	return dev->ib.name;
}

int mrc_device_create(const char *name, struct net_device **devs, u8 n,
		      struct netlink_ext_ack *extack);
int mrc_device_delete(struct mrc_device *dev);
struct mrc_device *mrc_device_get(struct net *net, const char *name);
void mrc_device_put(struct mrc_device *dev);

int mrc_device_for_each(struct net *net,
			int (*fn)(struct mrc_device *dev, void *arg),
			void *arg);
int mrc_device_for_each_qp(struct mrc_device *dev, u32 start,
			   int (*fn)(struct mrc_qp *qp, void *arg), void *arg);

void mrc_device_exit(void);

#endif /* MRC_VERBS_DEVICE_H */
