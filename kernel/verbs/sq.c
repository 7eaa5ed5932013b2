// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: fetches work requests from the ring.
 *
 * A work request is copied once, when it is fetched; only the copy is checked and
 * used.  The copy remains until the work request completes.
 *
 * A local work request (bind, local invalidation, registration) causes no packet.
 * It is executed when it is fetched, and completes in the order of the queue.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/timekeeping.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "net/alloc.h"
#include "verbs/mr.h"
#include "verbs/mw.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/sq.h"
#include "verbs/swqe.h"

/*
 * Local work requests executed under one hold of req_lock; the connection is then
 * scheduled again for the rest.
 */
#define MRC_SQ_LOCALS 64

/*
 * Watching an empty ring.
 *
 * A program that posts one work request after the other and polls seldom would make
 * a system call for each.  If it wants so (MRC_RING_WANT_WATCH), the kernel looks at
 * the ring again after this time.  Until then the process need not ring the doorbell
 * for each work request: it does so for several of them, or when it polls.
 *
 * A host on which timers cost more, as in an emulated guest, takes longer to post, too:
 * there a ring is watched until a timer may expire.
 */
#define MRC_SQ_WATCH_NS (MRC_RING_WATCH_US * NSEC_PER_USEC)

/*
 * A program that neither posts more nor polls is delayed until the watch ends.  It is
 * not watched for this time after that, so such delays take at most 0.5 % of its time, or
 * a tenth where timers are that expensive.
 */
#define MRC_SQ_UNWATCHED_NS (200 * MRC_SQ_WATCH_NS)

/**
 * mrc_sq_entries() - depth of a send queue
 * @sq: send queue
 *
 * Return: entries, a power of two; 0 if there is no queue.
 */
u32 mrc_sq_entries(const struct mrc_sq *sq)
{
	return sq->ring ? sq->ring->entries : 0;
}

/**
 * mrc_sq_create() - create a send queue
 * @sq: send queue, zeroed
 * @uctx: context of the process; NULL for users in the kernel
 * @cap: wanted limits, already checked; set to what is granted
 * @info: how the process maps the ring
 *
 * Return: 0 or a negative errno.
 */
int mrc_sq_create(struct mrc_sq *sq, struct ib_ucontext *uctx,
		  struct ib_qp_cap *cap, struct mrc_ring_info *info)
{
	u32 entries, tail, stride;

	BUILD_BUG_ON(sizeof(struct mrc_sqe) != 64);
	BUILD_BUG_ON(sizeof(struct mrc_sge) != 16);

	if (!cap->max_send_wr)
		return 0;
	entries = roundup_pow_of_two(cap->max_send_wr);
	tail = max_t(u32, cap->max_send_sge * sizeof(struct mrc_sge),
		     cap->max_inline_data);
	stride = ALIGN(sizeof(struct mrc_sqe) + tail, SMP_CACHE_BYTES);
	tail = stride - sizeof(struct mrc_sqe);

	sq->max_sge = cap->max_send_sge;
	sq->max_inline = min_t(u32, tail, MRC_MAX_INLINE);
	sq->wqe_size = ALIGN(sizeof(struct mrc_swqe) + tail, sizeof(u64));
	sq->wqes = kvcalloc(entries, sq->wqe_size, MRC_GFP_USER);
	if (!sq->wqes)
		return -ENOMEM;

	sq->ring = mrc_ring_create(uctx, entries, stride, info);
	if (IS_ERR(sq->ring)) {
		int err = PTR_ERR(sq->ring);

		sq->ring = NULL;
		mrc_sq_destroy(sq);
		return err;
	}
	/* The first post must ring the doorbell. */
	mrc_ring_arm(sq->ring);

	cap->max_send_wr = entries;
	cap->max_inline_data = sq->max_inline;
	return 0;
}

/**
 * mrc_sq_destroy() - free an unused send queue
 * @sq: send queue
 */
void mrc_sq_destroy(struct mrc_sq *sq)
{
	mrc_ring_destroy(sq->ring);
	kvfree(sq->wqes);
}

/* Request a doorbell; the connection need not look at the ring before. */
static u32 mrc_sq_arm(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->conn.req_lock);
	qp->sq.watched = false;
	qp->conn.look_at = 0;
	return mrc_ring_arm(qp->sq.ring);
}

/*
 * Nothing of the ring is unfetched: watch it, or request a doorbell.  Returns the
 * producer index, read after that.  Without a running requester there is no timer.
 */
static u32 mrc_sq_watch_or_arm(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;
	u64 now;

	if (sq->watched)
		return qp->conn.look_at ? sq->prod : mrc_sq_arm(qp);
	if (!mrc_ring_wants_watch(sq->ring) ||
	    !test_bit(MRC_CONN_TX, &qp->conn.flags))
		return mrc_sq_arm(qp);
	now = ktime_get_ns();
	if (now < sq->unwatched_until)
		return mrc_sq_arm(qp);
	sq->watched = true;
	qp->conn.look_at = now + max_t(u64, MRC_SQ_WATCH_NS,
				       mrc_conn_exact_min(&qp->conn));
	return mrc_ring_watch(sq->ring);
}

/* Work requests have been found in the ring: no doorbell is needed before it is empty. */
static void mrc_sq_busy(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (READ_ONCE(sq->ring->hdr->flags))
		mrc_ring_disarm(sq->ring);
	if (!sq->watched)
		return;
	if (!qp->conn.look_at)
		sq->unwatched_until = ktime_get_ns() + MRC_SQ_UNWATCHED_NS;
	sq->watched = false;
	qp->conn.look_at = 0;
}

/*
 * Is there a posted work request that has not been fetched?  The producer index of
 * the process is read again only when all known entries have been fetched; the
 * doorbell is armed only when the ring is empty.
 */
static bool mrc_sq_pending(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (sq->fetch != sq->prod)
		return true;

	sq->prod = mrc_ring_prod(sq->ring);
	if (sq->fetch == sq->prod)
		sq->prod = mrc_sq_watch_or_arm(qp);
	sq->idle = sq->fetch == sq->prod;
	if (sq->idle)
		return false;
	mrc_sq_busy(qp);
	return true;
}

/*
 * With a producer index out of range no work request is identifiable, so none can
 * complete with an error: move the QP to the error state.
 */
static bool mrc_sq_bad_index(struct mrc_qp *qp)
{
	qp->sq.suspended = true;
	mrc_qp_fatal(qp);
	return false;
}

/* Is there a work request, and does the state of the queue permit to fetch it? */
static bool mrc_sq_can_fetch(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (!sq->ring || sq->suspended || sq->failed || !mrc_sq_pending(qp))
		return false;
	if (unlikely(sq->prod - sq->done > sq->ring->entries))
		return mrc_sq_bad_index(qp);
	return true;
}

/*
 * May a local work request be executed now?  IBTA 10.6.5.1: earlier work requests
 * may use the memory that a local invalidation revokes, so all of them must have
 * completed.  IBTA 10.8.3.3: a fence waits for outstanding READs and ATOMICs.
 */
static bool mrc_sq_local_ready(const struct mrc_qp *qp,
			       const struct mrc_sqe *sqe)
{
	if (sqe->opcode == IB_WR_LOCAL_INV)
		return qp->sq.done == qp->sq.fetch;
	return !(sqe->flags & MRC_SQE_FENCE) ||
	       !mrc_req_rd_atomic_open(&qp->conn.req);
}

static enum mrc_status mrc_sq_execute_local(struct mrc_qp *qp,
					    struct mrc_swqe *wqe)
{
	switch (wqe->sqe.opcode) {
	case IB_WR_LOCAL_INV:
		wqe->ended = mrc_region_invalidate(qp, wqe->sqe.imm, 0);
		break;
	case IB_WR_REG_MR:
		wqe->ended = mrc_mr_fast_reg(qp, &wqe->sqe);
		break;
	default:
		wqe->ended = mrc_mw_bind(qp, &wqe->sqe);
	}
	return wqe->ended ? MRC_OK : MRC_ERR_LOC_BIND;
}

/*
 * The next work request that becomes a message: one for the peer, or one that must
 * complete with an error.  Local work requests before it are executed.
 */
static struct mrc_swqe *mrc_sq_next(struct mrc_qp *qp, enum mrc_status *status)
{
	struct mrc_sq *sq = &qp->sq;
	struct mrc_swqe *wqe;
	u32 n;

	for (n = 0; n < MRC_SQ_LOCALS; n++) {
		if (!mrc_sq_can_fetch(qp))
			return NULL;
		wqe = mrc_sq_wqe(sq, sq->fetch);
		*status = mrc_swqe_load(qp, wqe);
		if (*status != MRC_OK || !mrc_sqe_is_local(&wqe->sqe))
			return wqe;
		if (!mrc_sq_local_ready(qp, &wqe->sqe))
			return NULL;
		*status = mrc_sq_execute_local(qp, wqe);
		if (*status != MRC_OK)
			return wqe;
		sq->fetch++;
		mrc_sq_retire_ended(qp);
	}
	mrc_conn_wake(&qp->conn);
	return NULL;
}

/**
 * mrc_sq_fetch_ud() - fetch the next work request of a QP for datagrams
 * @conn: connection of the QP
 * @work: filled in
 *
 * The caller must call mrc_sq_finish() before it fetches the next one.
 *
 * Context: req_lock held, RCU read side, BH off.
 * Return: false if there is none, or if an earlier one has failed.
 */
bool mrc_sq_fetch_ud(struct mrc_conn *conn, struct mrc_sq_work *work)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_swqe *wqe;

	lockdep_assert_held(&conn->req_lock);

	wqe = mrc_sq_next(qp, &work->status);
	if (!wqe)
		return false;
	work->sqe = &wqe->sqe;
	work->length = wqe->length;
	work->cookie = qp->sq.fetch & (qp->sq.ring->entries - 1);
	qp->sq.fetch++;
	return true;
}

/**
 * mrc_sq_fetch() - fetch the next work request; &struct mrc_conn_ops.tx_fetch
 * @conn: connection of the QP
 * @d: message made from it; an invalid work request becomes a message with an
 *	error status
 *
 * Context: req_lock held, RCU read side, BH off.
 * Return: false if there is none, or if the requester is stalled or has no space for
 * another message; the work request is then fetched again later.
 */
bool mrc_sq_fetch(struct mrc_conn *conn, struct mrc_msg_desc *d)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;
	enum mrc_status status;
	struct mrc_swqe *wqe;

	lockdep_assert_held(&conn->req_lock);

	wqe = mrc_sq_next(qp, &status);
	if (!wqe)
		return false;
	d->status = status;
	d->cookie = sq->fetch & (sq->ring->entries - 1);
	d->length = d->status ? 0 : wqe->length;
	d->flags = mrc_sqe_msg_flags(&wqe->sqe);
	d->raddr = wqe->sqe.remote_addr;
	d->rkey = wqe->sqe.rkey;
	d->imm = d->flags & MRC_MSG_INV ? cpu_to_be32(wqe->sqe.imm) :
					  (__force __be32)wqe->sqe.imm;
	d->rda_sn = 0;
	d->swap = d->flags & MRC_MSG_CMP_SWAP ? wqe->sqe.swap :
						wqe->sqe.compare_add;
	d->compare = wqe->sqe.compare_add;
	if (!mrc_req_can_post(&conn->req, d))
		return false;
	sq->failed = status != MRC_OK;
	sq->fetch++;
	return true;
}

/**
 * mrc_sq_is_idle() - is the ring still as empty as when it was last looked at?
 * @conn: connection of the QP
 *
 * &struct mrc_conn_ops.tx_idle.  The index of the process is read again, as no doorbell
 * rings for what is posted to a ring that is watched.  Where the watch is over, mrc_sq_fetch()
 * has yet to arm the doorbell.
 *
 * Context: req_lock held.
 * Return: true if so, or if there is no ring.
 */
bool mrc_sq_is_idle(struct mrc_conn *conn)
{
	const struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	lockdep_assert_held(&conn->req_lock);
	if (!sq->ring)
		return true;
	if (!sq->idle || (sq->watched && !conn->look_at))
		return false;
	return mrc_ring_prod(sq->ring) == sq->fetch;
}

/**
 * mrc_sq_suspend() - stop fetching work requests (SQD)
 * @conn: connection of the QP
 * @notify: raise IB_EVENT_SQ_DRAINED when all fetched work requests have completed
 */
void mrc_sq_suspend(struct mrc_conn *conn, bool notify)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);

	spin_lock_bh(&conn->req_lock);
	qp->sq.suspended = true;
	qp->sq.drain = notify;
	mrc_sq_check_drained(qp);
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_sq_resume() - continue to fetch work requests
 * @conn: connection of the QP
 */
void mrc_sq_resume(struct mrc_conn *conn)
{
	struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	spin_lock_bh(&conn->req_lock);
	sq->suspended = false;
	sq->drain = false;
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_sq_restart() - continue to fetch work requests after a failure (SQE)
 * @conn: connection of a QP for datagrams
 */
void mrc_sq_restart(struct mrc_conn *conn)
{
	spin_lock_bh(&conn->req_lock);
	mrc_qp_from_conn(conn)->sq.failed = false;
	spin_unlock_bh(&conn->req_lock);
	mrc_sq_resume(conn);
}

/**
 * mrc_sq_stop_completions() - write no completions until mrc_sq_reset()
 * @conn: connection of the QP
 */
void mrc_sq_stop_completions(struct mrc_conn *conn)
{
	struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	spin_lock_bh(&conn->req_lock);
	sq->quiet = true;
	spin_unlock_bh(&conn->req_lock);
}

/* Copies the part of a work request that its completion needs. */
static void mrc_sq_load_flushed(struct mrc_sq *sq)
{
	mrc_swqe_copy(mrc_sq_wqe(sq, sq->fetch),
		      mrc_ring_slot(sq->ring, sq->fetch));
	sq->fetch++;
}

/**
 * mrc_sq_flush() - flush the send queue of a QP in error, or in SQE
 * @conn: connection of the QP; stopped, so that no packet is in flight
 *
 * Later posts ring the doorbell, which flushes them as well.
 */
void mrc_sq_flush(struct mrc_conn *conn)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;
	enum ib_qp_state state;

	if (!sq->ring)
		return;
	spin_lock_bh(&conn->req_lock);
	/* Another thread may have moved the QP to RESET and further states. */
	state = READ_ONCE(qp->state);
	if (state != IB_QPS_ERR && state != IB_QPS_SQE)
		goto out;
	sq->prod = mrc_sq_arm(qp);
	if (sq->prod - sq->done > sq->ring->entries)
		sq->prod = sq->fetch;
	while (sq->fetch != sq->prod) {
		mrc_sq_load_flushed(sq);
		mrc_sq_retire(qp, MRC_ERR_FLUSH);
	}
	mrc_ring_set_cons(sq->ring, sq->done);
out:
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_sq_reset() - discard all posted work requests (RESET)
 * @conn: connection of the QP; stopped
 */
void mrc_sq_reset(struct mrc_conn *conn)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;

	if (!sq->ring)
		return;
	spin_lock_bh(&conn->req_lock);
	sq->prod = mrc_sq_arm(qp);
	sq->unwatched_until = 0;
	sq->fetch = sq->prod;
	sq->done = sq->prod;
	sq->suspended = false;
	sq->failed = false;
	sq->quiet = false;
	sq->drain = false;
	sq->unplaced = false;
	mrc_ring_set_cons(sq->ring, sq->done);
	spin_unlock_bh(&conn->req_lock);
}
