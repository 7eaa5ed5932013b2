// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions: lookup of keys, and access to the memory that they name.
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include "core/ask.h"
#include "core/wire.h"
#include "net/rxbuf.h"
#include "verbs/device.h"
#include "verbs/qp.h"
#include "verbs/region.h"

/**
 * mrc_region_publish() - give a region a key by which it is found
 * @dev: device
 * @region: complete but for its key
 *
 * Windows have indices of their own, so that neither kind takes those of the other.
 * The first index goes to the reserved key, of which no program is to have one less.
 *
 * Context: process.
 * Return: 0, or -ENOMEM if there are too many.
 */
int mrc_region_publish(struct mrc_device *dev, struct mrc_region *region)
{
	const struct xa_limit mrs = XA_LIMIT(1, MRC_MAX_MR + 1);
	const struct xa_limit mws = XA_LIMIT(MRC_MAX_MR + 2,
					     MRC_MAX_MR + 1 + MRC_MAX_MW);
	u32 index;
	int err;

	spin_lock_init(&region->lock);
	err = xa_alloc_cyclic(&dev->regions, &index, NULL,
			      region->window ? mws : mrs,
			      region->window ? &dev->mw_next : &dev->mr_next,
			      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;

	region->key = index << MRC_KEY_TAG_BITS |
		      (get_random_u32() & (BIT(MRC_KEY_TAG_BITS) - 1));
	xa_store(&dev->regions, index, region, GFP_KERNEL);
	return 0;
}

/**
 * mrc_region_erase() - have a region not found from now on
 * @dev: device
 * @region: region, which those who have just found it may use for as long as RCU
 *	and its lock allow
 *
 * Context: any.
 */
void mrc_region_erase(struct mrc_device *dev, const struct mrc_region *region)
{
	xa_erase(&dev->regions, region->key >> MRC_KEY_TAG_BITS);
}

/**
 * mrc_region_withdraw() - have a region not found any more
 * @dev: device
 * @region: region
 *
 * Readers hold RCU for no longer than one packet; a process with thousands of
 * regions should not wait a full grace period for each.
 *
 * Context: process.  Nobody uses the region any more when it returns.
 */
void mrc_region_withdraw(struct mrc_device *dev, struct mrc_region *region)
{
	mrc_region_erase(dev, region);
	synchronize_rcu_expedited();
}

/**
 * mrc_region_suspend() - have a region not used for a while
 * @region: region that is not revocable
 *
 * Context: process.  Nobody uses the region when it returns, so that it can be
 * changed.
 */
void mrc_region_suspend(struct mrc_region *region)
{
	WRITE_ONCE(region->valid, false);
	synchronize_rcu_expedited();
}

/**
 * mrc_region_resume() - end of mrc_region_suspend()
 * @region: region
 */
void mrc_region_resume(struct mrc_region *region)
{
	/* What has changed before it; pairs with mrc_region_allows(). */
	smp_store_release(&region->valid, true);
}

/**
 * mrc_region_find() - the region behind a key
 * @dev: device
 * @key: lkey or rkey, of which only the index counts
 *
 * Context: RCU read side for as long as the result is used.
 * Return: the region, or NULL.
 */
struct mrc_region *mrc_region_find(struct mrc_device *dev, u32 key)
{
	return xa_load(&dev->regions, key >> MRC_KEY_TAG_BITS);
}

/* A process must not reach memory of the kernel, whatever key it guesses. */
static bool mrc_region_is_for(const struct mrc_region *region,
			      const struct mrc_qp *qp)
{
	return region->all ? !qp->ib.uobject : region->pd == qp->ib.pd;
}

static bool mrc_region_allows(const struct mrc_region *region,
			      const struct mrc_qp *qp, u32 key, int access,
			      u64 addr, u64 len)
{
	/* Before what it stands for; pairs with mrc_region_resume(). */
	return smp_load_acquire(&region->valid) && region->key == key &&
	       mrc_region_is_for(region, qp) &&
	       (!region->qpn || region->qpn == qp->ib.qp_num) &&
	       (!region->window || access & MRC_ACCESS_REMOTE) &&
	       (region->access & access) == access &&
	       addr >= region->iova && addr - region->iova <= region->length &&
	       len <= region->length - (addr - region->iova);
}

/**
 * mrc_region_get() - look up a key, check what it is wanted for, and use it
 * @qp: queue pair in whose name
 * @key: lkey or rkey
 * @access: enum ib_access_flags that must all be granted; those of remote access
 *	say that @key is an rkey
 * @addr: first byte
 * @len: bytes
 * @hint: region that was found last in this RCU read side, or NULL; updated.
 *	The packets of a burst nearly always name the same one
 *
 * Context: RCU read side, BH off, both until mrc_region_put(); no other region is
 * in use.
 * Return: the region, or NULL if there is none that grants all of it.
 */
const struct mrc_region *mrc_region_get(const struct mrc_qp *qp, u32 key,
					int access, u64 addr, u64 len,
					const void **hint)
{
	struct mrc_region *region = (void *)*hint;

	/* A region of another device with that key has another domain. */
	if (!region || READ_ONCE(region->key) != key) {
		region = mrc_region_find(mrc_qp_device(qp), key);
		*hint = region;
	}
	if (!region)
		return NULL;
	if (region->revocable) {
		spin_lock(&region->lock);
		/* Sparse cannot follow who has it: nobody, for all it knows. */
		__release(&region->lock);
	}
	if (mrc_region_allows(region, qp, key, access, addr, len))
		return region;
	mrc_region_put(region);
	return NULL;
}

/**
 * mrc_region_put() - end the use of a region
 * @region: from mrc_region_get()
 *
 * Context: as for mrc_region_get().
 */
void mrc_region_put(const struct mrc_region *region)
{
	if (region->revocable) {
		__acquire(&region->lock);
		spin_unlock((spinlock_t *)&region->lock);
	}
}

/**
 * mrc_region_grants() - may memory be used (as of now)?
 * @qp: as for mrc_region_get(), and so on
 * @key: key
 * @access: access
 * @addr: first byte
 * @len: bytes
 * @hint: updated
 *
 * Context: RCU read side, BH off.
 * Return: true if so.
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
 * mrc_region_revoke() - nobody may use a region any more
 * @region: region with its lock held
 *
 * A window lets go of its memory.
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
 * IBTA 10.6.7.2.4: a window has to be bound, and to this QP.  A region may be
 * invalid already: two may withdraw it, its owner and the peer.
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
 * mrc_region_invalidate() - carry out a work request that withdraws a region
 * @qp: queue pair that has posted it, or received it (SEND with Invalidate)
 * @key: key of a window of type 2, or of a region of a user in the kernel
 * @access: enum ib_access_flags, of which a region must grant one: MRC_ACCESS_REMOTE
 *	for a peer, to whom it is no rkey otherwise; 0: none
 *
 * Context: RCU read side, BH off.  Nobody uses the region when it returns.
 * Return: false if @key names nothing that may be invalidated.
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

/* The same of all memory, which is mapped as it is. */
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
 * mrc_region_run() - the longest piece that is contiguous in physical memory
 * @region: region without &struct mrc_region.base
 * @addr: first byte, within @region
 * @len: bytes wanted, at least 1, within @region
 * @page: page that holds the first byte
 * @offset: of it within @page
 *
 * A piece never leaves its compound page, so that one reference on @page keeps
 * all of it, and not even @page where pages need mapping.
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

static int mrc_region_atomic_at(void *addr, const struct mrc_ask *ask,
				u64 *orig)
{
	atomic64_t *at = addr;

	if (!IS_ALIGNED((uintptr_t)addr, sizeof(*at)))
		return -EINVAL;
	if (ask->opcode == MRC_OP_FETCH_ADD)
		*orig = atomic64_fetch_add(ask->swap, at);
	else
		*orig = atomic64_cmpxchg(at, ask->compare, ask->swap);
	return 0;
}

/**
 * mrc_region_atomic() - carry out an ATOMIC
 * @region: region
 * @ask: request; its 8 bytes are within @region
 * @orig: set to the value before
 *
 * With the CPU's own instruction: on 64-bit machines it is atomic to everything
 * that uses the same memory, the application's threads included.
 *
 * Context: between mrc_region_get() and mrc_region_put().
 * Return: 0, or -EINVAL if the bytes are not aligned in memory.
 */
int mrc_region_atomic(const struct mrc_region *region,
		      const struct mrc_ask *ask, u64 *orig)
{
	struct page *page;
	void *base;
	u32 offset;
	int err;

	if (region->base)
		return mrc_region_atomic_at(mrc_region_mapped(region, ask->va),
					    ask, orig);
	mrc_region_run(region, ask->va, sizeof(*orig), &page, &offset);
	base = kmap_local_page(page);
	err = mrc_region_atomic_at(base + offset, ask, orig);
	kunmap_local(base);
	return err;
}

/**
 * mrc_region_write() - copy bytes of a packet into a region
 * @region: region
 * @addr: where to, within @region
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
