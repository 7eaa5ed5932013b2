// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: a ring that the kernel fills and the process empties.
 */
#include <linux/log2.h>
#include <linux/ktime.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include "verbs/cq.h"
#include "verbs/device.h"
#include "verbs/ring.h"
#include "verbs/ucontext.h"

static int mrc_cq_check(const struct ib_cq_init_attr *attr,
			struct ib_udata *udata)
{
	/* The rings of a CQ belong to a process. */
	if (!udata)
		return -EOPNOTSUPP;
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > MRC_MAX_CQE)
		return -EINVAL;
	return mrc_udata_check(udata, sizeof(struct mrc_create_cq_resp));
}

/**
 * mrc_cq_create_udata() - make a completion queue
 * @ibcq: completion queue
 * @attr: what is wanted; entries are rounded up to a power of two
 * @udata: response: struct mrc_create_cq_resp
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP for users in the kernel.
 */
int mrc_cq_create_udata(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct ib_udata *udata)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	struct mrc_create_cq_resp resp = {};
	int err;

	BUILD_BUG_ON(sizeof(struct mrc_cqe) != 64);

	err = mrc_cq_check(attr, udata);
	if (err)
		return err;

	spin_lock_init(&cq->lock);
	cq->ring = mrc_ring_create(mrc_udata_context(udata),
				   roundup_pow_of_two(attr->cqe),
				   sizeof(struct mrc_cqe), &resp.cq);
	if (IS_ERR(cq->ring))
		return PTR_ERR(cq->ring);

	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;
	ibcq->cqe = cq->ring->entries;
	return 0;

err_ring:
	mrc_ring_destroy(cq->ring);
	return err;
}

/**
 * mrc_cq_create_attrs() - make a completion queue
 * @ibcq: completion queue
 * @attr: what is wanted; entries are rounded up to a power of two
 * @attrs: of the request; NULL for users in the kernel
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP for users in the kernel.
 */
int mrc_cq_create_attrs(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct uverbs_attr_bundle *attrs)
{
	return mrc_cq_create_udata(ibcq, attr,
				   attrs ? &attrs->driver_udata : NULL);
}

/**
 * mrc_cq_destroy() - end a completion queue that no QP uses
 * @ibcq: completion queue
 * @udata: empty
 *
 * Return: 0.
 */
int mrc_cq_destroy(struct ib_cq *ibcq, struct ib_udata *udata)
{
	mrc_ring_destroy(mrc_cq_from_ib(ibcq)->ring);
	return 0;
}

/**
 * mrc_cq_req_notify() - ask for an event with the next completion
 * @ibcq: completion queue
 * @flags: which completion; the wider of two requests wins
 *
 * Return: 0.
 */
int mrc_cq_req_notify(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	u8 armed = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
			   MRC_CQ_ARMED_SOLICITED : MRC_CQ_ARMED_ANY;

	spin_lock_bh(&cq->lock);
	cq->armed = max(cq->armed, armed);
	spin_unlock_bh(&cq->lock);
	return 0;
}

static void mrc_cq_notify(struct mrc_cq *cq, bool solicited)
{
	lockdep_assert_held(&cq->lock);

	if (cq->armed == MRC_CQ_IDLE ||
	    (cq->armed == MRC_CQ_ARMED_SOLICITED && !solicited))
		return;
	cq->armed = MRC_CQ_IDLE;
	if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

/* IBTA 11.6.3.3: a CQ error event; QPs that need the CQ cannot go on. */
static void mrc_cq_overrun(struct mrc_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = &cq->ib,
	};

	lockdep_assert_held(&cq->lock);

	cq->dead = true;
	WRITE_ONCE(cq->ring->hdr->flags, MRC_RING_OVERRUN);
	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
	mrc_cq_notify(cq, true);
}

static bool mrc_cq_full(const struct mrc_cq *cq)
{
	const struct mrc_ring *ring = cq->ring;

	/* A cons that makes no sense leaves no room either. */
	return cq->prod - mrc_ring_cons(ring) >= ring->entries;
}

/**
 * mrc_cq_push() - add a completion
 * @cq: completion queue
 * @cqe: the completion; its time is filled in here
 * @solicited: wake also who waits for solicited completions only
 *
 * Context: BH off or process; takes the CQ's lock.
 * Return: false if the CQ has overrun and the completion is lost.
 */
bool mrc_cq_push(struct mrc_cq *cq, const struct mrc_cqe *cqe, bool solicited)
{
	struct mrc_cqe *slot;
	bool ok;

	spin_lock_bh(&cq->lock);
	if (!cq->dead && mrc_cq_full(cq))
		mrc_cq_overrun(cq);
	ok = !cq->dead;
	if (ok) {
		slot = mrc_ring_slot(cq->ring, cq->prod);
		*slot = *cqe;
		slot->timestamp = ktime_get_ns();
		cq->prod++;
		/* The entry before its index. */
		smp_store_release(&cq->ring->hdr->prod, cq->prod);
		mrc_cq_notify(cq, solicited);
	}
	spin_unlock_bh(&cq->lock);
	return ok;
}
