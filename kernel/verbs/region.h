/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Regions: what keys name.  Memory regions and memory windows are regions, and
 * the data path knows nothing else of them.
 *
 * The data path finds a region by RCU and takes no reference; so it is released a
 * grace period after its key has been erased.  What a work request can withdraw at
 * any time, a window or a region of a user in the kernel, cannot wait for that: it
 * has a lock, which is held while it is used.
 */
#ifndef MRC_VERBS_REGION_H
#define MRC_VERBS_REGION_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct mrc_ask;
struct mrc_device;
struct mrc_qp;
struct mrc_rxbuf;
struct page;

/* Low bits of a key; they change from one use of an index to the next. */
#define MRC_KEY_TAG_BITS 8

/* What peers may do; a key that grants none of it is no rkey. */
#define MRC_ACCESS_REMOTE (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			   IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct mrc_region - memory that a key names
 * @key: lkey and rkey: index in &struct mrc_device.regions << 8, then a byte that
 *	is random, or that the owner chooses
 * @window: a memory window: the key is an rkey only
 * @revocable: can be withdrawn by a work request; @lock protects what follows
 * @by_key: .. by one that names its key: not a window of type 1
 * @valid: may be used
 * @all: all memory of the kernel, by its address; there are no @pages.  It is of
 *	all protection domains, but for queue pairs of users in the kernel only
 * @lock: BH-safe; nothing is taken inside; unused unless @revocable
 * @pd: protection domain; NULL if it is @all
 * @qpn: the only QP that may use it; 0: all QPs of the domain
 * @access: enum ib_access_flags
 * @iova: address of the first byte in work requests and packets
 * @length: bytes
 * @offset: of the first byte within the first page
 * @pages: all pages, for lookup in constant time
 * @base: of memory that is not ours but mapped for us: its first byte; it has no
 *	@pages then
 * @below: of a window that is bound: the memory region; counts in its @windows
 * @windows: windows that are bound to it; negative: it is about to go
 * @rcu: of a window that has gone
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

/* Do two keys name the same region, now or at another time? */
static inline bool mrc_region_same_index(u32 a, u32 b)
{
	return !((a ^ b) >> MRC_KEY_TAG_BITS);
}

int mrc_region_publish(struct mrc_device *dev, struct mrc_region *region);
void mrc_region_erase(struct mrc_device *dev, const struct mrc_region *region);
void mrc_region_withdraw(struct mrc_device *dev, struct mrc_region *region);
void mrc_region_suspend(struct mrc_region *region);
void mrc_region_resume(struct mrc_region *region);
struct mrc_region *mrc_region_find(struct mrc_device *dev, u32 key);

const struct mrc_region *mrc_region_get(const struct mrc_qp *qp, u32 key,
					int access, u64 addr, u64 len,
					const void **hint);
void mrc_region_put(const struct mrc_region *region);
bool mrc_region_grants(const struct mrc_qp *qp, u32 key, int access, u64 addr,
		       u64 len, const void **hint);

bool mrc_region_invalidate(const struct mrc_qp *qp, u32 key, int access);
void mrc_region_revoke(struct mrc_region *region);

/* Where the CPU finds a byte of a region that has been mapped for us. */
static inline void *mrc_region_mapped(const struct mrc_region *region, u64 addr)
{
	return region->base + (addr - region->iova);
}

u32 mrc_region_run(const struct mrc_region *region, u64 addr, u32 len,
		   struct page **page, u32 *offset);
int mrc_region_atomic(const struct mrc_region *region,
		      const struct mrc_ask *ask, u64 *orig);
int mrc_region_write(const struct mrc_region *region, u64 addr,
		     struct mrc_rxbuf *rb, u32 offset, u32 len);

#endif /* MRC_VERBS_REGION_H */
