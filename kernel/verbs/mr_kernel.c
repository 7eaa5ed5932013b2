// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of users in the kernel: all memory, for local use, and regions that
 * work requests register and invalidate ("fast registration", IBTA 10.6).
 *
 * For these users the RDMA core passes virtual addresses as DMA addresses ("virtual
 * DMA").
 *
 * A fast registration region is free or valid.  While it is free, its owner maps
 * memory to it.  The work request holds key, access and address; it makes the region
 * valid when it is executed, in the order of the send queue.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/mrc-abi.h>
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/qp.h"

#define MRC_REG_ACCESS (IB_ACCESS_LOCAL_WRITE | MRC_ACCESS_REMOTE | \
			IB_ACCESS_OPTIONAL)

/**
 * mrc_mr_reserve() - create the region of all memory, for users in the kernel
 * @dev: device that is not registered yet
 *
 * The reserved L_Key of IBTA 10.6.
 *
 * Return: 0 or a negative errno.
 */
int mrc_mr_reserve(struct mrc_device *dev)
{
	struct mrc_region *region = &dev->memory;
	int err;

	region->access = IB_ACCESS_LOCAL_WRITE;
	region->length = U64_MAX;
	region->all = true;
	region->valid = true;
	err = mrc_region_publish(dev, region);
	if (!err)
		dev->ib.local_dma_lkey = region->key;
	return err;
}

/**
 * mrc_mr_unreserve() - undo mrc_mr_reserve(), also after it has failed
 * @dev: unused device
 */
void mrc_mr_unreserve(struct mrc_device *dev)
{
	if (dev->memory.key)
		mrc_region_withdraw(dev, &dev->memory);
}

/**
 * mrc_mr_get_dma() - refuse a region of all memory with remote access
 * @pd: protection domain
 * @access: enum ib_access_flags
 *
 * For local use there is ib_device.local_dma_lkey.
 *
 * Return: -EOPNOTSUPP: peers could access addresses without memory.
 */
struct ib_mr *mrc_mr_get_dma(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/**
 * mrc_mr_alloc() - allocate a region for fast registration
 * @pd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_pages: most pages that can be mapped to it
 *
 * Return: the region, free, or an ERR_PTR.
 */
struct ib_mr *mrc_mr_alloc(struct ib_pd *pd, enum ib_mr_type type,
			   u32 max_pages)
{
	struct mrc_region *region;
	struct mrc_mr *mr;
	int err = -ENOMEM;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_pages || max_pages > MRC_MAX_FAST_REG_PAGES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	region = &mr->region;
	region->pages = kvcalloc(max_pages, sizeof(*region->pages),
				 GFP_KERNEL_ACCOUNT);
	if (!region->pages)
		goto err_free;
	region->pd = pd;
	region->revocable = true;
	region->by_key = true;
	mr->max_pages = max_pages;
	err = mrc_mr_publish(mr, pd);
	if (err)
		goto err_pages;
	return &mr->ib;

err_pages:
	kvfree(region->pages);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

static int mrc_mr_add_page(struct ib_mr *ibmr, u64 addr)
{
	struct mrc_mr *mr = mrc_mr_from_ib(ibmr);

	if (mr->n_pages == mr->max_pages)
		return -ENOMEM;
	mr->region.pages[mr->n_pages++] = virt_to_page((void *)(uintptr_t)addr);
	return 0;
}

/**
 * mrc_mr_map_sg() - map memory to a region that is free
 * @ibmr: region
 * @sg: memory, mapped for DMA
 * @n: elements of @sg
 * @offset: offset within the first element; may be NULL
 *
 * Context: any.
 * Return: number of elements mapped; -EINVAL if the page size of the region is not
 * PAGE_SIZE; -EBUSY if the region is valid: peers may be using the mapped memory.
 */
int mrc_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n,
		  unsigned int *offset)
{
	struct mrc_mr *mr = mrc_mr_from_ib(ibmr);

	if (ibmr->page_size != PAGE_SIZE)
		return -EINVAL;
	if (READ_ONCE(mr->region.valid))
		return -EBUSY;
	mr->n_pages = 0;
	n = ib_sg_to_pages(ibmr, sg, n, offset, mrc_mr_add_page);
	mr->region.offset = offset_in_page(ibmr->iova);
	return n;
}

/*
 * IBTA 10.6: the region must be free and belong to the protection domain of the QP, the
 * range must be within the mapped memory, and remote writes require local write.
 */
static bool mrc_mr_may_reg(const struct mrc_mr *mr, const struct mrc_qp *qp,
			   const struct mrc_sqe *sqe)
{
	const int writes = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC;
	const struct mrc_region *region = &mr->region;
	u64 room = ((u64)mr->n_pages << PAGE_SHIFT) - region->offset;

	return !region->valid && region->pd == qp->ib.pd &&
	       !(sqe->access & ~MRC_REG_ACCESS) &&
	       (!(sqe->access & writes) ||
		sqe->access & IB_ACCESS_LOCAL_WRITE) &&
	       sqe->compare_add && mr->n_pages && sqe->compare_add <= room &&
	       sqe->remote_addr + sqe->compare_add >= sqe->remote_addr;
}

/**
 * mrc_mr_fast_reg() - execute a work request that registers a region
 * @qp: queue pair to which it was posted
 * @sqe: private copy of the work request
 *
 * The owner chooses the low byte of the key; the index stays the same.
 *
 * Context: RCU read side, BH off.
 * Return: false if the request is not permitted; the region is unchanged then.
 */
bool mrc_mr_fast_reg(const struct mrc_qp *qp, const struct mrc_sqe *sqe)
{
	struct mrc_region *region = mrc_region_find(mrc_qp_device(qp), sqe->rkey);
	bool ok;

	if (!region || !region->revocable || region->window)
		return false;
	spin_lock(&region->lock);
	ok = mrc_mr_may_reg(container_of(region, struct mrc_mr, region), qp,
			    sqe);
	if (ok) {
		region->iova = sqe->remote_addr;
		region->length = sqe->compare_add;
		region->access = sqe->access;
		WRITE_ONCE(region->key, sqe->rkey);
		region->valid = true;
	}
	spin_unlock(&region->lock);
	return ok;
}
