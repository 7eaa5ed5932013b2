// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions: lookup of keys, and access to the memory that a key selects.
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include "core/rd_atomic.h"
#include "core/wire.h"
#include "net/grace.h"
#include "net/rxbuf.h"
#include "verbs/device.h"
#include "verbs/qp.h"
#include "verbs/region.h"

/*
 * Indices of keys.  Memory regions and windows have separate ranges, so that one kind
 * cannot exhaust the indices of the other.  The range of memory regions has one index
 * more than MRC_MAX_MR: the reserved key does not reduce what applications can
 * register.
 */
enum {
	MRC_MR_FIRST = 1,
	MRC_MR_LAST = MRC_MAX_MR + 1,
	MRC_MW_FIRST,
	MRC_MW_LAST = MRC_MR_LAST + MRC_MAX_MW,
};

/**
 * mrc_region_init_keys() - choose the first indices of keys
 * @dev: new device
 *
 * They are random: with the same ones in each new device, an old packet would name a
 * key of this one.
 */
void mrc_region_init_keys(struct mrc_device *dev)
{
	dev->mr_next = get_random_u32_inclusive(MRC_MR_FIRST, MRC_MR_LAST);
	dev->mw_next = get_random_u32_inclusive(MRC_MW_FIRST, MRC_MW_LAST);
}

/**
 * mrc_region_publish() - allocate a key for a region and make it visible to lookups
 * @dev: device
 * @region: complete except for its key
 *
 * Context: process.
 * Return: 0, or -ENOMEM if all indices are in use.
 */
int mrc_region_publish(struct mrc_device *dev, struct mrc_region *region)
{
	const struct xa_limit mrs = XA_LIMIT(MRC_MR_FIRST, MRC_MR_LAST);
	const struct xa_limit mws = XA_LIMIT(MRC_MW_FIRST, MRC_MW_LAST);
	u32 index;
	int err;

	spin_lock_init(&region->lock);
	err = xa_alloc_cyclic(&dev->regions, &index, NULL,
			      region->window ? mws : mrs,
			      region->window ? &dev->mw_next : &dev->mr_next,
			      GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;

	region->key = index << MRC_KEY_TAG_BITS |
		      (get_random_u32() & (BIT(MRC_KEY_TAG_BITS) - 1));
	xa_store(&dev->regions, index, region, GFP_KERNEL_ACCOUNT);
	return 0;
}

/**
 * mrc_region_erase() - remove a region from the lookup table
 * @dev: device
 * @region: region; a concurrent reader that has found it before may use it until
 *	its RCU read side ends or the region is revoked under its lock
 *
 * Context: any.
 */
void mrc_region_erase(struct mrc_device *dev, const struct mrc_region *region)
{
	xa_erase(&dev->regions, region->key >> MRC_KEY_TAG_BITS);
}

/**
 * mrc_region_withdraw() - remove a region and wait for its readers
 * @dev: device
 * @region: region
 *
 * Context: process; sleeps for a grace period.  The region is unused on return.
 */
void mrc_region_withdraw(struct mrc_device *dev, struct mrc_region *region)
{
	mrc_region_erase(dev, region);
	mrc_grace_wait();
}

/**
 * mrc_region_suspend() - make a region invalid while it is changed
 * @region: region that is not revocable
 *
 * Context: process; sleeps for a grace period.  The region is unused on return and
 * can be changed until mrc_region_resume().
 */
void mrc_region_suspend(struct mrc_region *region)
{
	WRITE_ONCE(region->valid, false);
	mrc_grace_wait();
}

/**
 * mrc_region_resume() - end of mrc_region_suspend()
 * @region: region
 */
void mrc_region_resume(struct mrc_region *region)
{
	/* Publishes the changes; pairs with mrc_region_allows(). */
	smp_store_release(&region->valid, true);
}

/**
 * mrc_region_find() - look up the region of a key
 * @dev: device
 * @key: lkey or rkey; only its index is compared
 *
 * Context: RCU read side for as long as the result is used.
 * Return: the region, or NULL.
 */
struct mrc_region *mrc_region_find(struct mrc_device *dev, u32 key)
{
	return xa_load(&dev->regions, key >> MRC_KEY_TAG_BITS);
}

/* A process must not reach kernel memory, even if it guesses the reserved key. */
static bool mrc_region_is_for(const struct mrc_region *region,
			      const struct mrc_qp *qp)
{
	return region->all ? !qp->ib.uobject : region->pd == qp->ib.pd;
}

static bool mrc_region_allows(const struct mrc_region *region,
			      const struct mrc_qp *qp, u32 key, int access,
			      u64 addr, u64 len)
{
	/* Read before the other fields; pairs with mrc_region_resume(). */
	return smp_load_acquire(&region->valid) && region->key == key &&
	       mrc_region_is_for(region, qp) &&
	       (!region->qpn || region->qpn == qp->ib.qp_num) &&
	       (!region->window || access & MRC_ACCESS_REMOTE) &&
	       (region->access & access) == access &&
	       addr >= region->iova && addr - region->iova <= region->length &&
	       len <= region->length - (addr - region->iova);
}

/**
 * mrc_region_get() - look up a key, check the permissions, and begin to use the region
 * @qp: queue pair that accesses the memory
 * @key: lkey or rkey
 * @access: enum ib_access_flags that must all be granted; with flags of remote
 *	access @key is an rkey
 * @addr: first byte
 * @len: bytes
 * @hint: region found last within the same RCU read side, or NULL; updated.
 *	The packets of a burst nearly always use the same region
 *
 * Context: RCU read side, BH off, both until mrc_region_put().  The caller must not
 * use another region at the same time: a revocable one is locked.
 * Return: the region, or NULL if no region of @key grants the access.
 */
const struct mrc_region *mrc_region_get(const struct mrc_qp *qp, u32 key,
					int access, u64 addr, u64 len,
					const void **hint)
{
	struct mrc_region *region = (void *)*hint;

	/*
	 * A hint from another device can have the same key; the check of the
	 * protection domain rejects it.
	 */
	if (!region || READ_ONCE(region->key) != key) {
		region = mrc_region_find(mrc_qp_device(qp), key);
		*hint = region;
	}
	if (!region)
		return NULL;
	if (region->revocable) {
		spin_lock(&region->lock);
		/* For sparse: the lock is held on return only if it is revocable. */
		__release(&region->lock);
	}
	if (mrc_region_allows(region, qp, key, access, addr, len))
		return region;
	mrc_region_put(region);
	return NULL;
}

/**
 * mrc_region_grants() - is access to memory permitted at this moment?
 * @qp: queue pair that accesses the memory
 * @key: lkey or rkey
 * @access: enum ib_access_flags, as for mrc_region_get()
 * @addr: first byte
 * @len: bytes
 * @hint: as for mrc_region_get(); updated
 *
 * The permission can be revoked as soon as the function returns.
 *
 * Context: RCU read side, BH off.
 * Return: true if all of @access is granted for the range.
 */
bool mrc_region_grants(const struct mrc_qp *qp, u32 key, int access, u64 addr,
		       u64 len, const void **hint)
{
	const struct mrc_region *region;

	region = mrc_region_get(qp, key, access, addr, len, hint);
	if (!region)
		return false;
	mrc_region_put(region);
	return true;
}

/**
 * mrc_region_revoke() - make a region invalid
 * @region: region with its lock held
 *
 * A window is unbound from its memory region.
 *
 * Context: BH off.
 */
void mrc_region_revoke(struct mrc_region *region)
{
	lockdep_assert_held(&region->lock);
	region->valid = false;
	if (!region->below)
		return;
	atomic_dec(&region->below->windows);
	region->below = NULL;
}

/*
 * IBTA 10.6.7.2.4: a window must be bound to this QP.  A region may be invalid
 * already: both its owner and the peer may invalidate it.
 */
static bool mrc_region_can_invalidate(const struct mrc_region *region,
				      const struct mrc_qp *qp, u32 key,
				      int access)
{
	return region->by_key && region->key == key &&
	       region->pd == qp->ib.pd &&
	       (region->window ?
		region->valid && region->qpn == qp->ib.qp_num :
		(region->access & access) || !access);
}

/**
 * mrc_region_invalidate() - execute local invalidation or SEND with Invalidate
 * @qp: queue pair to which the work request was posted, or that received the SEND
 * @key: key of a window of type 2, or of a region of a user in the kernel
 * @access: enum ib_access_flags, of which a region must grant at least one.
 *	MRC_ACCESS_REMOTE for a peer: a key without remote access is not an rkey.
 *	0: no condition
 *
 * Context: RCU read side, BH off.  The region is unused on return.
 * Return: false if @key does not belong to a region that may be invalidated.
 */
bool mrc_region_invalidate(const struct mrc_qp *qp, u32 key, int access)
{
	struct mrc_region *region = mrc_region_find(mrc_qp_device(qp), key);
	bool ok;

	if (!region || !region->revocable)
		return false;
	spin_lock(&region->lock);
	ok = mrc_region_can_invalidate(region, qp, key, access);
	if (ok)
		mrc_region_revoke(region);
	spin_unlock(&region->lock);
	return ok;
}

/* mrc_region_run() for the region of all memory, whose addresses are direct-mapped. */
static u32 mrc_region_run_all(u64 addr, u32 len, struct page **page,
			      u32 *offset)
{
	struct page *head;
	u64 before;

	*page = virt_to_page((void *)(uintptr_t)addr);
	*offset = offset_in_page(addr);
	head = compound_head(*page);
	before = page_to_phys(*page) - page_to_phys(head) + *offset;
	return min_t(u64, len, page_size(head) - before);
}

/**
 * mrc_region_run() - the longest run that is contiguous in physical memory
 * @region: region without &struct mrc_region.base
 * @addr: first byte, within @region
 * @len: bytes wanted, at least 1, within @region
 * @page: set to the page that holds the first byte
 * @offset: set to the offset of the first byte within @page
 *
 * A run stays within one compound page, so that one reference on @page covers all
 * of it.  It stays within @page itself if the page is in high memory.
 *
 * Return: bytes, 1..@len.
 */
u32 mrc_region_run(const struct mrc_region *region, u64 addr, u32 len,
		   struct page **page, u32 *offset)
{
	u64 pos = addr - region->iova + region->offset;
	u32 run = PAGE_SIZE - offset_in_page(pos);
	struct page *const *p;
	struct page *head;

	if (unlikely(region->all))
		return mrc_region_run_all(addr, len, page, offset);
	p = &region->pages[pos >> PAGE_SHIFT];
	*page = *p;
	*offset = offset_in_page(pos);
	if (len <= run)
		return len;
	head = compound_head(*p);
	if (PageHighMem(head))
		return run;

	while (run < len && p[1] == p[0] + 1 && compound_head(p[1]) == head) {
		run += PAGE_SIZE;
		p++;
	}
	return min(run, len);
}

static int mrc_region_atomic_at(void *addr, const struct mrc_rd_atomic *req,
				u64 *orig)
{
	atomic64_t *at = addr;

	if (!IS_ALIGNED((uintptr_t)addr, sizeof(*at)))
		return -EINVAL;
	if (req->opcode == MRC_OP_FETCH_ADD)
		*orig = atomic64_fetch_add(req->swap, at);
	else
		*orig = atomic64_cmpxchg(at, req->compare, req->swap);
	return 0;
}

/**
 * mrc_region_atomic() - execute an ATOMIC
 * @region: region
 * @req: request; its 8 bytes are within @region
 * @orig: set to the value before the operation
 *
 * The CPU's atomic instruction is used: on 64-bit machines the operation is atomic
 * with respect to all users of the memory, including threads of the application.
 *
 * Context: between mrc_region_get() and mrc_region_put().
 * Return: 0, or -EINVAL if the bytes are not aligned in memory.
 */
int mrc_region_atomic(const struct mrc_region *region,
		      const struct mrc_rd_atomic *req, u64 *orig)
{
	struct page *page;
	void *base;
	u32 offset;
	int err;

	if (region->base)
		return mrc_region_atomic_at(mrc_region_mapped(region, req->va),
					    req, orig);
	mrc_region_run(region, req->va, sizeof(*orig), &page, &offset);
	base = kmap_local_page(page);
	err = mrc_region_atomic_at(base + offset, req, orig);
	kunmap_local(base);
	return err;
}

/**
 * mrc_region_write() - copy bytes of a packet into a region
 * @region: region
 * @addr: first byte to write, within @region
 * @rb: buffer that holds the packet
 * @offset: first byte within @rb
 * @len: bytes, within @region
 *
 * Context: between mrc_region_get() and mrc_region_put().
 * Return: 0, or -EFAULT if @rb is too short.
 */
int mrc_region_write(const struct mrc_region *region, u64 addr,
		     struct mrc_rxbuf *rb, u32 offset, u32 len)
{
	struct page *page;
	u32 at, run;
	void *to;
	int err;

	if (region->base)
		return mrc_rxbuf_read(rb, offset,
				      mrc_region_mapped(region, addr), len);
	while (len) {
		run = mrc_region_run(region, addr, len, &page, &at);
		to = kmap_local_page(page);
		err = mrc_rxbuf_read(rb, offset, to + at, run);
		kunmap_local(to);
		if (err)
			return err;
		addr += run;
		offset += run;
		len -= run;
	}
	return 0;
}
