// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: a ring that the kernel fills.  A process reads it directly,
 * users in the kernel call mrc_cq_poll().
 */
#include <linux/log2.h>
#include <linux/ktime.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include "compat/hrtimer.h"
#include "verbs/cq.h"
#include "verbs/device.h"
#include "verbs/qp.h"
#include "verbs/ring.h"
#include "verbs/ucontext.h"

/* Disarms the CQ; true if it was armed, so that the caller must raise the event. */
static bool mrc_cq_disarm(struct mrc_cq *cq)
{
	bool armed = cq->armed != MRC_CQ_IDLE;

	lockdep_assert_held(&cq->lock);
	cq->armed = MRC_CQ_IDLE;
	cq->deferred = 0;
	return armed;
}

static void mrc_cq_notify(struct mrc_cq *cq)
{
	if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

/*
 * Does this completion raise the event?  Not if the CQ is not armed for it, and not
 * yet if moderation defers the event.
 */
static bool mrc_cq_due(struct mrc_cq *cq, bool solicited)
{
	lockdep_assert_held(&cq->lock);

	if (cq->armed == MRC_CQ_IDLE ||
	    (cq->armed == MRC_CQ_ARMED_SOLICITED && !solicited))
		return false;
	if (likely(!cq->period) || ++cq->deferred >= cq->count)
		return true;
	if (cq->deferred == 1)
		hrtimer_start(&cq->timer, ns_to_ktime(cq->period * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return false;
}

/* The moderation period is over: raise the deferred event. */
static enum hrtimer_restart mrc_cq_timer(struct hrtimer *timer)
{
	struct mrc_cq *cq = container_of(timer, struct mrc_cq, timer);
	bool notify;

	spin_lock_bh(&cq->lock);
	notify = cq->deferred && mrc_cq_disarm(cq);
	spin_unlock_bh(&cq->lock);
	if (notify)
		mrc_cq_notify(cq);
	return HRTIMER_NORESTART;
}

static int mrc_cq_check(const struct ib_device *ib,
			const struct ib_cq_init_attr *attr,
			struct ib_udata *udata)
{
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > MRC_MAX_CQE ||
	    attr->comp_vector >= ib->num_comp_vectors)
		return -EINVAL;
	return mrc_udata_check(udata);
}

/**
 * mrc_cq_create_udata() - create a completion queue
 * @ibcq: completion queue
 * @attr: what is wanted; entries are rounded up to a power of two
 * @udata: response: struct mrc_create_cq_resp; NULL for users in the kernel
 *
 * Return: 0 or a negative errno.
 */
int mrc_cq_create_udata(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct ib_udata *udata)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	struct mrc_device *dev = mrc_device_from_ib(ibcq->device);
	struct mrc_create_cq_resp resp = {};
	int err;

	BUILD_BUG_ON(sizeof(struct mrc_cqe) != 64);

	err = mrc_cq_check(ibcq->device, attr, udata);
	if (err)
		return err;

	/* The limit applies to CQs of processes only. */
	if (udata && !atomic_add_unless(&dev->n_cqs, 1, MRC_MAX_CQ))
		return -ENOMEM;
	cq->vector = attr->comp_vector;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_mutex);
	hrtimer_setup(&cq->timer, mrc_cq_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	cq->ring = mrc_ring_create(mrc_udata_context(udata),
				   roundup_pow_of_two(attr->cqe),
				   sizeof(struct mrc_cqe), &resp.cq);
	if (IS_ERR(cq->ring)) {
		err = PTR_ERR(cq->ring);
		goto err_count;
	}
	err = mrc_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;
	ibcq->cqe = cq->ring->entries;
	return 0;

err_ring:
	mrc_ring_destroy(cq->ring);
err_count:
	if (udata)
		atomic_dec(&dev->n_cqs);
	return err;
}

/**
 * mrc_cq_create_attrs() - create a completion queue
 * @ibcq: completion queue
 * @attr: what is wanted; entries are rounded up to a power of two
 * @attrs: of the request; NULL for users in the kernel
 *
 * Return: 0 or a negative errno.
 */
int mrc_cq_create_attrs(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct uverbs_attr_bundle *attrs)
{
	return mrc_cq_create_udata(ibcq, attr,
				   attrs ? &attrs->driver_udata : NULL);
}

/**
 * mrc_cq_destroy() - destroy a completion queue that no QP uses
 * @ibcq: completion queue
 * @udata: empty
 *
 * Return: 0.
 */
int mrc_cq_destroy(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	struct mrc_ring *ring = cq->ring;

	hrtimer_cancel(&cq->timer);
	/* The RDMA core still shows the CQ: mrc_cq_fill_res(). */
	spin_lock_bh(&cq->lock);
	cq->ring = NULL;
	spin_unlock_bh(&cq->lock);
	mrc_ring_destroy(ring);
	if (ibcq->uobject)
		atomic_dec(&mrc_device_from_ib(ibcq->device)->n_cqs);
	mutex_destroy(&cq->resize_mutex);
	return 0;
}

/*
 * There may be many entries, so most of them are moved without the lock: the process
 * does not poll during a resize, so they do not change.  Entries that are added
 * meanwhile are moved with the lock held.
 */
static int mrc_cq_swap(struct mrc_cq *cq, struct mrc_ring **ring)
{
	u32 cons = mrc_ring_cons(cq->ring), prod;
	int err = 0;

	lockdep_assert_held(&cq->resize_mutex);

	spin_lock_bh(&cq->lock);
	prod = cq->prod;
	spin_unlock_bh(&cq->lock);
	if (prod - cons > min(cq->ring->entries, (*ring)->entries))
		return -EINVAL;
	mrc_ring_move(*ring, cq->ring, cons, prod);

	spin_lock_bh(&cq->lock);
	if (cq->dead || cq->prod - cons > (*ring)->entries) {
		err = -EINVAL;
	} else {
		mrc_ring_move(*ring, cq->ring, prod, cq->prod);
		mrc_ring_set_cons(*ring, cons);
		swap(cq->ring, *ring);
	}
	spin_unlock_bh(&cq->lock);
	return err;
}

/**
 * mrc_cq_resize() - change the number of entries
 * @ibcq: completion queue
 * @cqe: entries wanted, rounded up to a power of two
 * @udata: response: struct mrc_resize_cq_resp
 *
 * Return: 0; -EINVAL if the queue holds more completions than the new size, or has
 * overrun; another negative errno.
 */
int mrc_cq_resize(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	struct mrc_resize_cq_resp resp = {};
	struct mrc_ring *ring;
	int err;

	/* Users in the kernel may poll the old ring at any time. */
	if (!udata)
		return -EOPNOTSUPP;
	if (cqe < 1 || cqe > MRC_MAX_CQE)
		return -EINVAL;
	err = mrc_udata_check(udata);
	if (err)
		return err;
	ring = mrc_ring_create(mrc_udata_context(udata),
			       roundup_pow_of_two(cqe),
			       sizeof(struct mrc_cqe), &resp.cq);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	mutex_lock(&cq->resize_mutex);
	err = mrc_udata_respond(udata, &resp, sizeof(resp));
	if (!err)
		err = mrc_cq_swap(cq, &ring);
	if (!err)
		ibcq->cqe = cq->ring->entries;
	mutex_unlock(&cq->resize_mutex);
	/* @ring is the new one after a failure, else the old one. */
	mrc_ring_destroy(ring);
	return err;
}

/**
 * mrc_cq_req_notify() - arm the CQ: the next completion raises an event
 * @ibcq: completion queue
 * @flags: any completion or solicited ones only; if already armed, any completion
 *	takes precedence
 *
 * Context: any.
 * Return: 0; 1 if @flags has IB_CQ_REPORT_MISSED_EVENTS and the CQ is not empty.
 */
int mrc_cq_req_notify(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	u8 armed = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
			   MRC_CQ_ARMED_SOLICITED : MRC_CQ_ARMED_ANY;
	unsigned long irq;
	bool missed;

	spin_lock_irqsave(&cq->lock, irq);
	cq->armed = max(cq->armed, armed);
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS &&
		 cq->prod != mrc_ring_cons(cq->ring);
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/**
 * mrc_cq_modify() - set event moderation
 * @ibcq: completion queue
 * @count: completions that raise one event together
 * @period: us after the first of them, when the event is raised at the latest; 0 for
 *	@count or @period turns moderation off
 *
 * Return: 0.
 */
int mrc_cq_modify(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	bool notify;

	spin_lock_bh(&cq->lock);
	cq->count = count;
	cq->period = count ? period : 0;
	/* The new values do not apply to an event that is deferred already. */
	notify = cq->deferred && mrc_cq_disarm(cq);
	spin_unlock_bh(&cq->lock);
	if (notify)
		mrc_cq_notify(cq);
	return 0;
}

/* IBTA 11.6.3.3: a CQ error event; QPs with completions for it go to error. */
static void mrc_cq_overrun(struct mrc_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = &cq->ib,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

static bool mrc_cq_full(const struct mrc_cq *cq)
{
	const struct mrc_ring *ring = cq->ring;

	/* An invalid consumer index of the process counts as full as well. */
	return cq->prod - mrc_ring_cons(ring) >= ring->entries;
}

static void mrc_cq_put(struct mrc_cq *cq, const struct mrc_cqe *cqe)
{
	struct mrc_cqe *slot = mrc_ring_slot(cq->ring, cq->prod);

	lockdep_assert_held(&cq->lock);
	*slot = *cqe;
	slot->timestamp = ktime_get_ns();
	cq->prod++;
	/* The entry is visible before its index. */
	smp_store_release(&cq->ring->hdr->prod, cq->prod);
}

/**
 * mrc_cq_push() - add a completion
 * @cq: completion queue
 * @cqe: the completion; its time stamp is added here
 * @solicited: also raises the event if the CQ is armed for solicited completions
 *	only
 *
 * Context: BH off or process; takes the CQ's lock.
 * Return: false if the CQ has overrun and the completion is lost.
 */
bool mrc_cq_push(struct mrc_cq *cq, const struct mrc_cqe *cqe, bool solicited)
{
	bool ok, overrun, notify = false;

	spin_lock_bh(&cq->lock);
	overrun = !cq->dead && mrc_cq_full(cq);
	if (unlikely(overrun)) {
		cq->dead = true;
		WRITE_ONCE(cq->ring->hdr->flags, MRC_RING_OVERRUN);
	}
	ok = !cq->dead;
	if (ok)
		mrc_cq_put(cq, cqe);
	if (unlikely(overrun) || (ok && mrc_cq_due(cq, solicited)))
		notify = mrc_cq_disarm(cq);
	spin_unlock_bh(&cq->lock);

	/* Without the lock: a handler in the kernel may poll the CQ. */
	if (unlikely(overrun))
		mrc_cq_overrun(cq);
	if (notify)
		mrc_cq_notify(cq);
	return ok;
}

static void mrc_cq_to_wc(const struct mrc_cqe *cqe, struct ib_qp *qp,
			 struct ib_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = qp;
	wc->src_qp = cqe->src_qpn;
	wc->port_num = mrc_qp_from_ib(qp)->attr.port_num;
	wc->wc_flags = cqe->wc_flags & ~MRC_CQE_WITH_INV;
	if (cqe->wc_flags & MRC_CQE_WITH_GRH) {
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->network_hdr;
	}
	if (cqe->wc_flags & MRC_CQE_WITH_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->imm;
	} else {
		wc->ex.imm_data = (__force __be32)cqe->imm;
	}
}

/**
 * mrc_cq_poll() - poll completions; for users in the kernel
 * @ibcq: completion queue
 * @n: entries of @wc
 * @wc: filled in
 *
 * Context: any.
 * Return: number of completions.
 */
int mrc_cq_poll(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct mrc_device *dev = mrc_device_from_ib(ibcq->device);
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	const struct mrc_cqe *cqe;
	struct mrc_qp *qp;
	unsigned long irq;
	u32 cons;
	int i = 0;

	spin_lock_irqsave(&cq->lock, irq);
	for (cons = mrc_ring_cons(cq->ring); i < n && cons != cq->prod;
	     cons++) {
		cqe = mrc_ring_slot(cq->ring, cons);
		/* Skip completions of a QP that is being destroyed. */
		qp = xa_load(&dev->qps, cqe->qpn);
		if (qp)
			mrc_cq_to_wc(cqe, &qp->ib, &wc[i++]);
	}
	mrc_ring_set_cons(cq->ring, cons);
	spin_unlock_irqrestore(&cq->lock, irq);
	return i;
}

/**
 * mrc_cq_purge() - discard the completions of a QP; for users in the kernel
 * @ibcq: completion queue or NULL
 * @qpn: QP that writes no completions any more
 *
 * No effect on the CQ of a process: the provider purges the shared ring.
 *
 * Context: process.
 */
void mrc_cq_purge(struct ib_cq *ibcq, u32 qpn)
{
	struct mrc_cq *cq = ibcq ? mrc_cq_from_ib(ibcq) : NULL;
	const struct mrc_cqe *cqe;
	u32 from, to;

	if (!cq || !mrc_ring_in_kernel(cq->ring))
		return;
	spin_lock_irq(&cq->lock);
	to = cq->prod;
	for (from = cq->prod; from != mrc_ring_cons(cq->ring);) {
		cqe = mrc_ring_slot(cq->ring, --from);
		if (cqe->qpn != qpn)
			memcpy(mrc_ring_slot(cq->ring, --to), cqe,
			       sizeof(*cqe));
	}
	mrc_ring_set_cons(cq->ring, to);
	spin_unlock_irq(&cq->lock);
}
