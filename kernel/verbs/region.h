/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Regions: the memory that a key selects.  Memory regions and memory windows each
 * contain a region; the data path uses regions only.
 *
 * The data path looks up regions under RCU and takes no reference; a region is
 * released a grace period after its key has been erased.  A region that a work
 * request can invalidate at any time (a window, or a region of a user in the kernel)
 * cannot wait for a grace period: the data path holds its lock while it uses it.
 */
#ifndef MRC_VERBS_REGION_H
#define MRC_VERBS_REGION_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct mrc_rd_atomic;
struct mrc_device;
struct mrc_qp;
struct mrc_rxbuf;
struct page;

/* Low bits of a key; they differ between successive uses of an index. */
#define MRC_KEY_TAG_BITS 8

/* Access of peers; a key that grants none of these is not an rkey. */
#define MRC_ACCESS_REMOTE (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			   IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct mrc_region - memory that a key selects
 * @key: lkey and rkey: index in &struct mrc_device.regions << 8, and a low byte that
 *	is random or chosen by the owner
 * @window: a memory window: the key is an rkey only
 * @revocable: a work request can revoke it; @lock then protects the fields that
 *	follow
 * @by_key: a work request can invalidate it by its key: false for windows of type 1
 * @valid: may be used
 * @all: all memory of the kernel, by virtual address; has no @pages.  Belongs to all
 *	protection domains, but only queue pairs of users in the kernel may use it
 * @lock: BH-safe, a leaf; unused unless @revocable
 * @pd: protection domain; NULL if it is @all
 * @qpn: the only QP that may use it; 0: all QPs of the domain
 * @access: enum ib_access_flags
 * @iova: address of the first byte in work requests and packets
 * @length: bytes
 * @offset: of the first byte within the first page
 * @pages: all pages, for lookup in constant time
 * @base: kernel mapping of the first byte, if an exporter owns the memory (dma-buf);
 *	there are no @pages then
 * @below: memory region that a window is bound to, counted in its @windows
 * @windows: number of windows bound to it; -1: it is being changed or deregistered
 * @rcu: frees a deallocated window
 */
struct mrc_region {
	u32 key;
	bool window;
	bool revocable;
	bool by_key;
	bool valid;
	bool all;
	spinlock_t lock; /* see @revocable */
	struct ib_pd *pd;
	u32 qpn;
	int access;
	u64 iova;
	u64 length;
	u32 offset;
	struct page **pages;
	void *base;
	struct mrc_region *below;
	atomic_t windows;
	struct rcu_head rcu;
};

/* Do two keys have the same index, whatever their low bytes? */
static inline bool mrc_region_same_index(u32 a, u32 b)
{
	return !((a ^ b) >> MRC_KEY_TAG_BITS);
}

void mrc_region_init_keys(struct mrc_device *dev);
int mrc_region_publish(struct mrc_device *dev, struct mrc_region *region);
void mrc_region_erase(struct mrc_device *dev, const struct mrc_region *region);
void mrc_region_withdraw(struct mrc_device *dev, struct mrc_region *region);
void mrc_region_suspend(struct mrc_region *region);
void mrc_region_resume(struct mrc_region *region);
struct mrc_region *mrc_region_find(struct mrc_device *dev, u32 key);

const struct mrc_region *mrc_region_get(const struct mrc_qp *qp, u32 key,
					int access, u64 addr, u64 len,
					const void **hint);
bool mrc_region_grants(const struct mrc_qp *qp, u32 key, int access, u64 addr,
		       u64 len, const void **hint);

bool mrc_region_invalidate(const struct mrc_qp *qp, u32 key, int access);
void mrc_region_revoke(struct mrc_region *region);

/**
 * mrc_region_put() - end the use of a region
 * @region: from mrc_region_get()
 *
 * Context: as for mrc_region_get().
 */
static inline void mrc_region_put(const struct mrc_region *region)
{
	if (region->revocable) {
		__acquire(&region->lock);
		spin_unlock((spinlock_t *)&region->lock);
	}
}

/* Kernel address of a byte of a region with &struct mrc_region.base. */
static inline void *mrc_region_mapped(const struct mrc_region *region, u64 addr)
{
	return region->base + (addr - region->iova);
}

u32 mrc_region_run(const struct mrc_region *region, u64 addr, u32 len,
		   struct page **page, u32 *offset);
int mrc_region_atomic(const struct mrc_region *region,
		      const struct mrc_rd_atomic *req, u64 *orig);
int mrc_region_write(const struct mrc_region *region, u64 addr,
		     struct mrc_rxbuf *rb, u32 offset, u32 len);

#endif /* MRC_VERBS_REGION_H */
