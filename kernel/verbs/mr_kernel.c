// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of users in the kernel: all memory, for local use, and regions that
 * work requests register and withdraw ("fast registration", IBTA 10.6).
 *
 * The RDMA core maps memory of such users to its own address ("virtual DMA").
 *
 * A region of the second kind is free or valid.  While it is free, its owner maps
 * memory to it; the work request takes key, access and address along, and makes it
 * valid in its turn.
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
 * mrc_mr_reserve() - open all memory to local use by users in the kernel
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
 * mrc_mr_unreserve() - end of mrc_mr_reserve(), or of its attempt
 * @dev: device that nobody uses any more
 */
void mrc_mr_unreserve(struct mrc_device *dev)
{
	if (dev->memory.key)
		mrc_region_withdraw(dev, &dev->memory);
}

/**
 * mrc_mr_get_dma() - all memory, for peers as well
 * @pd: protection domain
 * @access: enum ib_access_flags
 *
 * What is for local use has ib_device.local_dma_lkey.
 *
 * Return: -EOPNOTSUPP: peers could name addresses where there is no memory.
 */
struct ib_mr *mrc_mr_get_dma(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/**
 * mrc_mr_alloc() - make a region that work requests register
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
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	region = &mr->region;
	region->pages = kvcalloc(max_pages, sizeof(*region->pages), GFP_KERNEL);
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
 * @offset: where in the first element to begin; may be NULL
 *
 * Context: any.
 * Return: elements that fit; -EINVAL for pages that are none of the machine's;
 * -EBUSY if the region is valid, so that peers may be using what is mapped.
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
 * IBTA 10.6: the region is free, of the domain of the queue pair, and
 * all that is named has been mapped; a peer that may write needs local writes.
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
 * mrc_mr_fast_reg() - carry out a work request that registers a region
 * @qp: queue pair that it was posted to
 * @sqe: private copy of it
 *
 * The owner chooses the key, but for the part of it by which the region is found.
 *
 * Context: RCU read side, BH off.
 * Return: false if that may not be; nothing has changed then.
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
