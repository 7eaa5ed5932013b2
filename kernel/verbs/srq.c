// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: work requests that several QPs fetch as messages arrive.
 *
 * When the first packet of a message arrives, the QP fetches work requests for that
 * message and for all earlier ones that have none yet.  So the messages of a QP use
 * work requests in the order in which they were sent, although packets arrive in any
 * order, and a later message cannot leave an earlier one without a work request.  A
 * fetched work request is copied to the QP; its entry in the ring is then free.
 */
#include <linux/log2.h>
#include <rdma/mrc-abi.h>
#include "verbs/device.h"
#include "verbs/ring.h"
#include "verbs/rwqe.h"
#include "verbs/srq.h"
#include "verbs/ucontext.h"

static u32 mrc_srq_stride(u32 max_sge)
{
	return sizeof(struct mrc_rqe) + max_sge * sizeof(struct mrc_sge);
}

static void mrc_srq_event(struct mrc_srq *srq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = srq->ib.device,
		.event = type,
		.element.srq = &srq->ib,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static int mrc_srq_check(const struct ib_srq_init_attr *init,
			 struct ib_udata *udata)
{
	const struct ib_srq_attr *attr = &init->attr;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!attr->max_wr || attr->max_wr > MRC_MAX_SRQ_WR ||
	    attr->max_sge > MRC_MAX_SGE || attr->srq_limit > attr->max_wr)
		return -EINVAL;
	return mrc_udata_check(udata);
}

/**
 * mrc_srq_create() - create a shared receive queue
 * @ibsrq: queue
 * @init: what is wanted; limits are set to what is granted
 * @udata: response: struct mrc_create_srq_resp; NULL for users in the kernel
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP for other types than the basic one.
 */
int mrc_srq_create(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(ibsrq->device);
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);
	struct mrc_create_srq_resp resp = {};
	int err;

	err = mrc_srq_check(init, udata);
	if (err)
		return err;
	if (!atomic_add_unless(&dev->n_srqs, 1, MRC_MAX_SRQ))
		return -ENOMEM;

	spin_lock_init(&srq->lock);
	srq->max_sge = init->attr.max_sge;
	srq->limit = init->attr.srq_limit;
	srq->ring = mrc_ring_create(mrc_udata_context(udata),
				    roundup_pow_of_two(init->attr.max_wr),
				    mrc_srq_stride(srq->max_sge), &resp.rq);
	if (IS_ERR(srq->ring)) {
		err = PTR_ERR(srq->ring);
		goto err_count;
	}
	err = mrc_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;
	init->attr.max_wr = srq->ring->entries;
	return 0;

err_ring:
	mrc_ring_destroy(srq->ring);
err_count:
	atomic_dec(&dev->n_srqs);
	return err;
}

/**
 * mrc_srq_destroy() - destroy a shared receive queue that no QP uses
 * @ibsrq: queue
 * @udata: empty
 *
 * Return: 0.
 */
int mrc_srq_destroy(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);
	struct mrc_ring *ring = srq->ring;

	/* The RDMA core still shows the SRQ: mrc_srq_fill_res(). */
	spin_lock_bh(&srq->lock);
	srq->ring = NULL;
	spin_unlock_bh(&srq->lock);
	mrc_ring_destroy(ring);
	atomic_dec(&mrc_device_from_ib(ibsrq->device)->n_srqs);
	return 0;
}

/**
 * mrc_srq_query() - query attributes
 * @ibsrq: queue
 * @attr: filled in
 *
 * Return: 0.
 */
int mrc_srq_query(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);

	spin_lock_bh(&srq->lock);
	attr->max_wr = srq->ring->entries;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_bh(&srq->lock);
	return 0;
}

/* Work requests that are left; 0 if the producer index of the process is invalid. */
static u32 mrc_srq_left(struct mrc_srq *srq)
{
	u32 left = mrc_ring_prod(srq->ring) - srq->head;

	lockdep_assert_held(&srq->lock);
	if (left > srq->ring->entries)
		srq->bad = true;
	return srq->bad ? 0 : left;
}

/* IBTA 10.2.9.2: one event when fewer work requests than the limit are left. */
static bool mrc_srq_low(struct mrc_srq *srq, u32 left)
{
	lockdep_assert_held(&srq->lock);
	if (left >= srq->limit)
		return false;
	srq->limit = 0;
	return true;
}

/**
 * mrc_srq_fetch() - fetch the oldest work request
 * @srq: queue
 * @wqe: filled in, with space for as many elements as @srq allows
 *
 * Context: BH off; rsp_lock of the QP that fetches it is held.
 * Return: false if there is none; permanently, if @srq->bad is set.
 */
bool mrc_srq_fetch(struct mrc_srq *srq, struct mrc_rwqe *wqe)
{
	bool failed, low = false;
	u32 left;

	spin_lock(&srq->lock);
	failed = !srq->bad;
	left = mrc_srq_left(srq);
	failed = failed && srq->bad;
	if (left) {
		mrc_rwqe_load(wqe, srq->ring, srq->head++, srq->max_sge);
		mrc_ring_set_cons(srq->ring, srq->head);
		low = mrc_srq_low(srq, left - 1);
	}
	spin_unlock(&srq->lock);

	if (unlikely(low))
		mrc_srq_event(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	if (unlikely(failed))
		mrc_srq_event(srq, IB_EVENT_SRQ_ERR);
	return left;
}

static int mrc_srq_set_limit(struct mrc_srq *srq, u32 limit)
{
	bool low = false;
	int err = 0;

	spin_lock_bh(&srq->lock);
	if (limit > srq->ring->entries) {
		err = -EINVAL;
	} else {
		srq->limit = limit;
		low = mrc_srq_low(srq, mrc_srq_left(srq));
	}
	spin_unlock_bh(&srq->lock);

	if (low)
		mrc_srq_event(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	return err;
}

/* The process does not post during a resize; messages may arrive. */
static int mrc_srq_swap(struct mrc_srq *srq, struct mrc_ring **ring)
{
	u32 left;
	int err;

	spin_lock_bh(&srq->lock);
	left = mrc_srq_left(srq);
	err = srq->bad || left > (*ring)->entries ||
	      srq->limit > (*ring)->entries ? -EINVAL : 0;
	if (!err) {
		mrc_ring_move(*ring, srq->ring, srq->head, srq->head + left);
		swap(srq->ring, *ring);
	}
	spin_unlock_bh(&srq->lock);
	return err;
}

static int mrc_srq_resize(struct mrc_srq *srq, u32 max_wr,
			  struct ib_udata *udata)
{
	struct mrc_ring_info info = {};
	struct mrc_modify_srq_req req;
	struct mrc_ring *ring;
	int err;

	/* Users in the kernel may post to the old ring at any time. */
	if (!udata)
		return -EOPNOTSUPP;
	if (!max_wr || max_wr > MRC_MAX_SRQ_WR)
		return -EINVAL;
	err = mrc_udata_request(udata, &req, sizeof(req));
	if (err)
		return err;
	if (req.comp_mask || req.reserved)
		return -EOPNOTSUPP;
	if (!req.info)
		return -EINVAL;
	ring = mrc_ring_create(mrc_udata_context(udata),
			       roundup_pow_of_two(max_wr),
			       mrc_srq_stride(srq->max_sge), &info);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	/* The command has no response: the request holds the address for it. */
	if (copy_to_user(u64_to_user_ptr(req.info), &info, sizeof(info)))
		err = -EFAULT;
	else
		err = mrc_srq_swap(srq, &ring);
	/* @ring is the new one after a failure, else the old one. */
	mrc_ring_destroy(ring);
	return err;
}

/**
 * mrc_srq_modify() - change the size or the limit
 * @ibsrq: queue
 * @attr: new values
 * @mask: enum ib_srq_attr_mask of the values that are set
 * @udata: request: struct mrc_modify_srq_req, if the size changes
 *
 * Return: 0 or a negative errno; -EINVAL if more work requests are posted than the new
 * size; -EOPNOTSUPP if @udata has unknown fields.
 */
int mrc_srq_modify(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_MAX_WR)
		err = mrc_srq_resize(srq, attr->max_wr, udata);
	else
		err = mrc_udata_check(udata);
	if (!err && mask & IB_SRQ_LIMIT)
		err = mrc_srq_set_limit(srq, attr->srq_limit);
	return err;
}
