// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows.
 */
#include <linux/slab.h>
#include <rdma/mrc-abi.h>
#include "verbs/device.h"
#include "verbs/mw.h"
#include "verbs/qp.h"
#include "verbs/ucontext.h"

/*
 * A window gives access to peers only.  Applications also set local write, which a
 * memory region needs for remote writes.  On a window the flag is accepted and has
 * no effect: the key of a window is not valid in a local work request.
 */
#define MRC_MW_ACCESS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
		       IB_ACCESS_REMOTE_ATOMIC | IB_ZERO_BASED | \
		       IB_ACCESS_LOCAL_WRITE)

static struct mrc_mw *mrc_mw_from_ib(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct mrc_mw, ib);
}

/**
 * mrc_mw_alloc() - allocate a memory window
 * @ibmw: window; type and protection domain are set
 * @udata: empty
 *
 * Return: 0 or a negative errno.
 */
int mrc_mw_alloc(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct mrc_region *region;
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return err;
	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return -EINVAL;
	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		return -ENOMEM;
	region->window = true;
	region->revocable = true;
	region->by_key = ibmw->type == IB_MW_TYPE_2;
	region->pd = ibmw->pd;
	err = mrc_region_publish(mrc_device_from_ib(ibmw->device), region);
	if (err) {
		kfree(region);
		return err;
	}
	mrc_mw_from_ib(ibmw)->region = region;
	ibmw->rkey = region->key;
	return 0;
}

/**
 * mrc_mw_dealloc() - deallocate a memory window, bound or not
 * @ibmw: window
 *
 * The memory is unused through the window on return.  The lock of the region ensures
 * this without a grace period, because applications use thousands of windows.
 *
 * Return: 0.
 */
int mrc_mw_dealloc(struct ib_mw *ibmw)
{
	struct mrc_region *region = mrc_mw_from_ib(ibmw)->region;

	mrc_region_erase(mrc_device_from_ib(ibmw->device), region);
	spin_lock_bh(&region->lock);
	mrc_region_revoke(region);
	/* A concurrent bind may have found it before: make that fail. */
	region->pd = NULL;
	spin_unlock_bh(&region->lock);
	kfree_rcu(region, rcu);
	return 0;
}

/*
 * IBTA 10.6.7.2.1: may a window be bound to this part of a memory region?  A window
 * refers to pages, which a dma-buf region does not have.  The RDMA core refuses to
 * register a dma-buf for windows; the data path checks it nevertheless.
 */
static bool mrc_mw_fits(const struct mrc_region *mr, const struct mrc_qp *qp,
			const struct mrc_sqe *sqe)
{
	const int writes = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC;
	u64 len = sqe->compare_add;
	u64 at = sqe->remote_addr;

	return mr->key == sqe->mr_key && !mr->revocable && !mr->base &&
	       mr->pd == qp->ib.pd && mr->access & IB_ACCESS_MW_BIND &&
	       (!(sqe->access & writes) ||
		mr->access & IB_ACCESS_LOCAL_WRITE) &&
	       at >= mr->iova && at - mr->iova <= mr->length &&
	       len <= mr->length - (at - mr->iova);
}

static void mrc_mw_open(struct mrc_region *mw, struct mrc_region *mr,
			const struct mrc_qp *qp, const struct mrc_sqe *sqe)
{
	u64 pos = sqe->remote_addr - mr->iova + mr->offset;

	mw->below = mr;
	mw->pages = mr->pages + (pos >> PAGE_SHIFT);
	mw->offset = offset_in_page(pos);
	mw->iova = sqe->access & IB_ZERO_BASED ? 0 : sqe->remote_addr;
	mw->length = sqe->compare_add;
	mw->access = sqe->access;
	/* A window of type 2B belongs to the QP that has bound it. */
	mw->qpn = mw->by_key ? qp->ib.qp_num : 0;
	mw->valid = true;
}

/*
 * Count a window of the memory region, which cannot be changed then.  What was
 * checked before may have been true of the memory that it had before a change,
 * so it is checked again.  The first check keeps keys that were guessed from
 * delaying changes of other protection domains' regions.
 */
static bool mrc_mw_count(struct mrc_region *mr, const struct mrc_qp *qp,
			 const struct mrc_sqe *sqe)
{
	if (!mrc_mw_fits(mr, qp, sqe) ||
	    !atomic_inc_unless_negative(&mr->windows))
		return false;
	if (mrc_mw_fits(mr, qp, sqe))
		return true;
	atomic_dec(&mr->windows);
	return false;
}

/*
 * A bound window of type 1 may be bound again or, with length 0, unbound; a bound
 * window of type 2 can only be invalidated.
 */
static bool mrc_mw_rebind(struct mrc_region *mw, const struct mrc_qp *qp,
			  const struct mrc_sqe *sqe)
{
	struct mrc_region *mr;

	if (mw->pd != qp->ib.pd || sqe->access & ~MRC_MW_ACCESS ||
	    (sqe->access & IB_ZERO_BASED && !mw->by_key) ||
	    (mw->by_key && (mw->valid || !sqe->compare_add)))
		return false;
	if (!sqe->compare_add) {
		mrc_region_revoke(mw);
		return true;
	}
	mr = mrc_region_find(mrc_qp_device(qp), sqe->mr_key);
	if (!mr || !mrc_mw_count(mr, qp, sqe))
		return false;
	mrc_region_revoke(mw);
	mrc_mw_open(mw, mr, qp, sqe);
	return true;
}

/**
 * mrc_mw_bind() - execute a work request that binds a window
 * @qp: queue pair to which it was posted
 * @sqe: private copy of the work request
 *
 * IBTA 10.6.7.2.  The application chooses the low byte of the new key; the index
 * stays the same.
 *
 * Context: RCU read side, BH off.  On return the memory of the previous binding is
 * unused through the window.
 * Return: false if the request is not permitted; the window is unchanged then.
 */
bool mrc_mw_bind(const struct mrc_qp *qp, const struct mrc_sqe *sqe)
{
	struct mrc_region *mw = mrc_region_find(mrc_qp_device(qp), sqe->imm);
	bool ok;

	if (!mw || !mw->window || !mrc_region_same_index(sqe->imm, sqe->rkey))
		return false;
	spin_lock(&mw->lock);
	ok = mrc_mw_rebind(mw, qp, sqe);
	if (ok)
		WRITE_ONCE(mw->key, sqe->rkey);
	spin_unlock(&mw->lock);
	return ok;
}
