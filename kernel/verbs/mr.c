// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: pinned pages of a process, found by key.
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "core/ask.h"
#include "core/wire.h"
#include "net/rxbuf.h"
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/ucontext.h"

/* Low bits of a key; they change from one use of an index to the next. */
#define MRC_KEY_TAG_BITS 8

#define MRC_MR_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
		       IB_ACCESS_OPTIONAL)

static struct mrc_mr *mrc_mr_from_ib(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct mrc_mr, ib);
}

static int mrc_mr_fill_pages(struct mrc_mr *mr)
{
	size_t n = ib_umem_num_pages(mr->umem);
	struct sg_page_iter it;
	size_t i = 0;

	mr->pages = kvmalloc_array(n, sizeof(*mr->pages), GFP_KERNEL_ACCOUNT);
	if (!mr->pages)
		return -ENOMEM;

	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &it, 0) {
		if (i == n)
			break;
		mr->pages[i++] = sg_page_iter_page(&it);
	}
	if (i == n)
		return 0;
	kvfree(mr->pages);
	return -EIO;
}

/* Makes @mr visible to lookups. */
static int mrc_mr_publish(struct mrc_device *dev, struct mrc_mr *mr)
{
	u32 index;
	int err;

	err = xa_alloc_cyclic(&dev->mrs, &index, NULL,
			      XA_LIMIT(1, MRC_MAX_MR), &dev->mr_next,
			      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;

	mr->key = index << MRC_KEY_TAG_BITS |
		  (get_random_u32() & (BIT(MRC_KEY_TAG_BITS) - 1));
	mr->ib.lkey = mr->key;
	mr->ib.rkey = mr->key;
	xa_store(&dev->mrs, index, mr, GFP_KERNEL);
	return 0;
}

/**
 * mrc_mr_reg_user() - register memory of a process
 * @pd: protection domain
 * @start: user address
 * @length: bytes
 * @iova: address by which work requests and peers name the first byte
 * @access: enum ib_access_flags
 * @udata: empty
 *
 * Return: the region, or an ERR_PTR.
 */
struct ib_mr *mrc_mr_reg_user(struct ib_pd *pd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(pd->device);
	struct mrc_mr *mr;
	int err;

	err = mrc_udata_check(udata, 0);
	if (err)
		return ERR_PTR(err);
	if (access & ~MRC_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length > MRC_MAX_MR_SIZE || iova + length < iova)
		return ERR_PTR(-EINVAL);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->pd = pd;
	mr->access = access;
	mr->iova = iova;
	mr->length = length;
	mr->offset = offset_in_page(start);

	mr->umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		goto err_free;
	}
	err = mrc_mr_fill_pages(mr);
	if (err)
		goto err_umem;
	err = mrc_mr_publish(dev, mr);
	if (err)
		goto err_pages;
	return &mr->ib;

err_pages:
	kvfree(mr->pages);
err_umem:
	ib_umem_release(mr->umem);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * mrc_mr_dereg() - end a memory region
 * @ibmr: the region
 * @udata: empty
 *
 * When this returns nothing reads or writes the memory any more, except that
 * packets on their way out may still carry references to its pages.
 *
 * Return: 0.
 */
int mrc_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(ibmr->device);
	struct mrc_mr *mr = mrc_mr_from_ib(ibmr);

	xa_erase(&dev->mrs, mr->key >> MRC_KEY_TAG_BITS);
	/*
	 * Readers hold RCU for no longer than one packet; a process with
	 * thousands of regions should not wait a full grace period for each.
	 */
	synchronize_rcu_expedited();
	ib_umem_release(mr->umem);
	kvfree(mr->pages);
	kfree(mr);
	return 0;
}

static bool mrc_mr_grants(const struct mrc_mr *mr, u32 key,
			  const struct ib_pd *pd, int access, u64 addr,
			  u64 len)
{
	return mr->key == key && mr->pd == pd &&
	       (mr->access & access) == access &&
	       addr >= mr->iova && addr - mr->iova <= mr->length &&
	       len <= mr->length - (addr - mr->iova);
}

/**
 * mrc_mr_find() - look up a key and check what it is wanted for
 * @dev: device
 * @key: lkey or rkey
 * @pd: protection domain of the QP
 * @access: enum ib_access_flags that must all be granted
 * @addr: first byte
 * @len: bytes
 * @hint: region that was found last in this RCU read side, or NULL; updated.
 *	The packets of a burst nearly always name the same one
 *
 * Context: RCU read lock held for as long as the result is used.
 * Return: the region, or NULL if there is none that grants all of it.
 */
const struct mrc_mr *mrc_mr_find(struct mrc_device *dev, u32 key,
				 const struct ib_pd *pd, int access, u64 addr,
				 u64 len, const void **hint)
{
	const struct mrc_mr *mr = *hint;

	/* A region of another device with that key has another @pd. */
	if (!mr || mr->key != key) {
		mr = xa_load(&dev->mrs, key >> MRC_KEY_TAG_BITS);
		*hint = mr;
	}
	return mr && mrc_mr_grants(mr, key, pd, access, addr, len) ? mr : NULL;
}

/**
 * mrc_mr_run() - the longest piece that is contiguous in physical memory
 * @mr: region
 * @addr: first byte, within @mr
 * @len: bytes wanted, at least 1, within @mr
 * @page: page that holds the first byte
 * @offset: of it within @page
 *
 * A piece never leaves its compound page, so that one reference on @page keeps
 * all of it, and not even @page where pages need mapping.
 *
 * Return: bytes, 1..@len.
 */
u32 mrc_mr_run(const struct mrc_mr *mr, u64 addr, u32 len, struct page **page,
	       u32 *offset)
{
	u64 pos = addr - mr->iova + mr->offset;
	struct page *const *p = &mr->pages[pos >> PAGE_SHIFT];
	u32 run = PAGE_SIZE - offset_in_page(pos);
	struct page *head;

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

/**
 * mrc_mr_atomic() - carry out an ATOMIC
 * @mr: region
 * @ask: request; its 8 bytes are within @mr
 * @orig: set to the value before
 *
 * With the CPU's own instruction: on 64-bit machines it is atomic to everything
 * that uses the same memory, the application's threads included.
 *
 * Context: RCU read lock held; atomic.
 * Return: 0, or -EINVAL if the bytes are not aligned in memory.
 */
int mrc_mr_atomic(const struct mrc_mr *mr, const struct mrc_ask *ask, u64 *orig)
{
	struct page *page;
	atomic64_t *at;
	void *base;
	u32 offset;

	mrc_mr_run(mr, ask->va, sizeof(*at), &page, &offset);
	if (!IS_ALIGNED(offset, sizeof(*at)))
		return -EINVAL;
	base = kmap_local_page(page);
	at = base + offset;
	if (ask->opcode == MRC_OP_FETCH_ADD)
		*orig = atomic64_fetch_add(ask->swap, at);
	else
		*orig = atomic64_cmpxchg(at, ask->compare, ask->swap);
	kunmap_local(base);
	return 0;
}

/**
 * mrc_mr_write() - copy bytes of a packet into a region
 * @mr: region
 * @addr: where to, within @mr
 * @rb: buffer that holds the packet
 * @offset: first byte within @rb
 * @len: bytes, within @mr
 *
 * Context: RCU read lock held; atomic.
 * Return: 0, or -EFAULT if @rb is too short.
 */
int mrc_mr_write(const struct mrc_mr *mr, u64 addr, struct mrc_rxbuf *rb,
		 u32 offset, u32 len)
{
	struct page *page;
	u32 at, run;
	void *to;
	int err;

	while (len) {
		run = mrc_mr_run(mr, addr, len, &page, &at);
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
