// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: pinned pages of a process.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "net/alloc.h"
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/ucontext.h"

#define MRC_MR_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
		       IB_ACCESS_MW_BIND | IB_ZERO_BASED | \
		       IB_ACCESS_OPTIONAL)

/**
 * struct mrc_mr_pin - pinned memory of a process
 * @umem: keeps the pages pinned
 * @pages: all of them
 */
struct mrc_mr_pin {
	struct ib_umem *umem;
	struct page **pages;
};

static int mrc_mr_fill_pages(struct mrc_mr_pin *pin)
{
	size_t n = ib_umem_num_pages(pin->umem);
	struct sg_page_iter it;
	size_t i = 0;

	pin->pages = kvmalloc_array(n, sizeof(*pin->pages), MRC_GFP_USER);
	if (!pin->pages)
		return -ENOMEM;

	for_each_sgtable_page(&pin->umem->sgt_append.sgt, &it, 0) {
		if (i == n)
			break;
		pin->pages[i++] = sg_page_iter_page(&it);
	}
	if (i == n)
		return 0;
	kvfree(pin->pages);
	return -EIO;
}

static int mrc_mr_pin(struct ib_device *ib, u64 start, u64 length, int access,
		      struct mrc_mr_pin *pin)
{
	int err;

	if (!length || length > MRC_MAX_MR_SIZE)
		return -EINVAL;
	pin->umem = ib_umem_get(ib, start, length, access);
	if (IS_ERR(pin->umem))
		return PTR_ERR(pin->umem);
	err = mrc_mr_fill_pages(pin);
	if (err)
		ib_umem_release(pin->umem);
	return err;
}

static void mrc_mr_unpin(struct mrc_mr *mr)
{
	ib_umem_release(mr->umem);
	kvfree(mr->region.pages);
}

/* The region must be unused. */
static void mrc_mr_use_pin(struct mrc_mr *mr, const struct mrc_mr_pin *pin)
{
	mr->umem = pin->umem;
	mr->region.pages = pin->pages;
	mr->region.offset = offset_in_page(pin->umem->address);
	mr->region.length = pin->umem->length;
}

/* IBTA 10.6.7.2: with IB_ZERO_BASED the address of the first byte is 0. */
static u64 mrc_mr_iova(u64 iova, int access)
{
	return access & IB_ZERO_BASED ? 0 : iova;
}

/**
 * mrc_mr_publish() - allocate the keys of a memory region and make it visible
 * @mr: region, complete except for its keys
 * @pd: its protection domain
 *
 * Return: 0 or a negative errno.
 */
int mrc_mr_publish(struct mrc_mr *mr, const struct ib_pd *pd)
{
	int err;

	err = mrc_region_publish(mrc_device_from_ib(pd->device), &mr->region);
	mr->ib.lkey = mr->region.key;
	mr->ib.rkey = mr->region.key;
	return err;
}

/**
 * mrc_mr_reg_user() - register memory of a process
 * @pd: protection domain
 * @start: user address
 * @length: bytes
 * @iova: address of the first byte in work requests and packets, unless @access has
 *	IB_ZERO_BASED
 * @access: enum ib_access_flags
 * @udata: empty
 *
 * Return: the region, or an ERR_PTR.
 */
struct ib_mr *mrc_mr_reg_user(struct ib_pd *pd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct mrc_mr_pin pin;
	struct mrc_mr *mr;
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return ERR_PTR(err);
	if (access & ~MRC_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (iova + length < iova)
		return ERR_PTR(-EINVAL);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = mrc_mr_pin(pd->device, start, length, access, &pin);
	if (err)
		goto err_free;
	mr->region.pd = pd;
	mr->region.access = access;
	mr->region.iova = mrc_mr_iova(iova, access);
	mr->region.valid = true;
	mrc_mr_use_pin(mr, &pin);

	err = mrc_mr_publish(mr, pd);
	if (err)
		goto err_unpin;
	return &mr->ib;

err_unpin:
	mrc_mr_unpin(mr);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

/* Blocks new bindings of windows; false if a window is bound already. */
static bool mrc_mr_close(struct mrc_mr *mr)
{
	return !atomic_cmpxchg(&mr->region.windows, 0, -1);
}

static void mrc_mr_open(struct mrc_mr *mr)
{
	/* Pairs with atomic_inc_unless_negative() of a window that is bound. */
	atomic_set_release(&mr->region.windows, 0);
}

/* Pages pinned for reading have to be pinned again if the new access can write. */
static bool mrc_mr_needs_pin(const struct mrc_mr *mr, int flags, int access)
{
	return flags & IB_MR_REREG_TRANS ||
	       (ib_access_writable(access) && !mr->umem->writable);
}

/**
 * mrc_mr_rereg_user() - change a memory region
 * @ibmr: region
 * @flags: enum ib_mr_rereg_flags, the attributes that change
 * @start: user address
 * @length: bytes
 * @iova: address of the first byte in work requests and packets
 * @access: enum ib_access_flags
 * @pd: protection domain
 * @udata: empty
 *
 * The keys stay the same.  Accesses to the region during the change fail (IBTA
 * 11.2.8.10).  After an error the region is unchanged.
 *
 * Return: NULL, or an ERR_PTR; -EBUSY if windows are bound to it.
 */
struct ib_mr *mrc_mr_rereg_user(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *pd, struct ib_udata *udata)
{
	struct mrc_mr *mr = mrc_mr_from_ib(ibmr);
	struct mrc_region *region = &mr->region;
	struct mrc_mr_pin pin = {};
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return ERR_PTR(err);
	if (mr->dmabuf)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = region->access;
	if (flags & ~IB_MR_REREG_SUPPORTED || access & ~MRC_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = mr->umem->address;
		length = mr->umem->length;
		iova = region->iova;
	}
	if (iova + length < iova)
		return ERR_PTR(-EINVAL);
	if (mrc_mr_needs_pin(mr, flags, access)) {
		err = mrc_mr_pin(ibmr->device, start, length, access, &pin);
		if (err)
			return ERR_PTR(err);
	}
	if (!mrc_mr_close(mr)) {
		ib_umem_release(pin.umem);
		kvfree(pin.pages);
		return ERR_PTR(-EBUSY);
	}

	mrc_region_suspend(region);
	if (pin.umem) {
		mrc_mr_unpin(mr);
		mrc_mr_use_pin(mr, &pin);
	}
	region->iova = mrc_mr_iova(iova, access);
	region->access = access;
	if (flags & IB_MR_REREG_PD)
		region->pd = pd;
	mrc_region_resume(region);
	mrc_mr_open(mr);
	return NULL;
}

/**
 * mrc_mr_dereg() - deregister a memory region
 * @ibmr: the region
 * @udata: empty
 *
 * On return the memory is not accessed through the region any more, except that
 * packets in transmit queues may still hold references to its pages.
 *
 * Return: 0, or -EBUSY if windows are bound to it (IBTA 10.6.7.2.5).
 */
int mrc_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(ibmr->device);
	struct mrc_mr *mr = mrc_mr_from_ib(ibmr);

	if (!mrc_mr_close(mr))
		return -EBUSY;
	mrc_region_withdraw(dev, &mr->region);
	mrc_mr_unpin(mr);
	mrc_mr_put_dmabuf(mr);
	kfree(mr);
	return 0;
}
