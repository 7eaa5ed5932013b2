// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: pinned pages of a process, or memory of the kernel.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/ucontext.h"

#define MRC_MR_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
		       IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

static struct mrc_mr *mrc_mr_from_ib(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct mrc_mr, ib);
}

static int mrc_mr_fill_pages(struct mrc_mr *mr)
{
	size_t n = ib_umem_num_pages(mr->umem);
	struct sg_page_iter it;
	struct page **pages;
	size_t i = 0;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;

	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &it, 0) {
		if (i == n)
			break;
		pages[i++] = sg_page_iter_page(&it);
	}
	if (i == n) {
		mr->region.pages = pages;
		return 0;
	}
	kvfree(pages);
	return -EIO;
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
	mr->region.pd = pd;
	mr->region.access = access;
	mr->region.iova = iova;
	mr->region.length = length;
	mr->region.offset = offset_in_page(start);
	mr->region.valid = true;

	mr->umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		goto err_free;
	}
	err = mrc_mr_fill_pages(mr);
	if (err)
		goto err_umem;
	err = mrc_region_publish(dev, &mr->region);
	if (err)
		goto err_pages;
	mr->ib.lkey = mr->region.key;
	mr->ib.rkey = mr->region.key;
	return &mr->ib;

err_pages:
	kvfree(mr->region.pages);
err_umem:
	ib_umem_release(mr->umem);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

/* No window is bound to it, and none will be. */
static bool mrc_mr_close(struct mrc_mr *mr)
{
	return !atomic_cmpxchg(&mr->region.windows, 0, -1);
}

/**
 * mrc_mr_get_dma() - all memory of the kernel, for users in the kernel
 * @pd: protection domain, which is none of a process
 * @access: enum ib_access_flags; nothing for peers
 *
 * The RDMA core maps memory of such users to its address ("virtual DMA").
 *
 * Return: the region, or an ERR_PTR.
 */
struct ib_mr *mrc_mr_get_dma(struct ib_pd *pd, int access)
{
	struct mrc_mr *mr;
	int err;

	/* Peers could name addresses where there is no memory. */
	if (access & ~IB_ACCESS_LOCAL_WRITE)
		return ERR_PTR(-EOPNOTSUPP);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->region.pd = pd;
	mr->region.access = access;
	mr->region.length = U64_MAX;
	mr->region.all = true;
	mr->region.valid = true;
	err = mrc_region_publish(mrc_device_from_ib(pd->device), &mr->region);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->ib.lkey = mr->region.key;
	mr->ib.rkey = mr->region.key;
	return &mr->ib;
}

/**
 * mrc_mr_dereg() - end a memory region
 * @ibmr: the region
 * @udata: empty
 *
 * When this returns nothing reads or writes the memory any more, except that
 * packets on their way out may still carry references to its pages.
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
	ib_umem_release(mr->umem);
	kvfree(mr->region.pages);
	kfree(mr);
	return 0;
}
