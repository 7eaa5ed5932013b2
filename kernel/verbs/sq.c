// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: takes work requests from the ring.
 *
 * A work request is copied once, when it is taken, and checked and used only as
 * a copy; it lives until it completes.
 *
 * One that is local, of which the peer hears nothing, is carried out when it is
 * taken, and completes in its turn.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "verbs/mr.h"
#include "verbs/mw.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/sq.h"
#include "verbs/swqe.h"

/* Local work requests carried out at a time, as long as others wait. */
#define MRC_SQ_LOCALS 64

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
 * mrc_sq_create() - make a send queue
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
	sq->wqes = kvcalloc(entries, sq->wqe_size, GFP_KERNEL_ACCOUNT);
	if (!sq->wqes)
		return -ENOMEM;

	sq->ring = mrc_ring_create(uctx, entries, stride, info);
	if (IS_ERR(sq->ring)) {
		int err = PTR_ERR(sq->ring);

		sq->ring = NULL;
		mrc_sq_destroy(sq);
		return err;
	}
	/* The first post finds the kernel asleep. */
	mrc_ring_arm(sq->ring);

	cap->max_send_wr = entries;
	cap->max_inline_data = sq->max_inline;
	return 0;
}

/**
 * mrc_sq_destroy() - release a send queue that nobody uses any more
 * @sq: send queue
 */
void mrc_sq_destroy(struct mrc_sq *sq)
{
	mrc_ring_destroy(sq->ring);
	kvfree(sq->wqes);
}

/*
 * Is there something to take?  The process's index is read when the known part
 * is used up; the doorbell is asked for only when there is nothing.
 */
static bool mrc_sq_pending(struct mrc_sq *sq)
{
	if (sq->fetch != sq->prod)
		return true;

	sq->prod = mrc_ring_prod(sq->ring);
	if (sq->fetch == sq->prod)
		sq->prod = mrc_ring_arm(sq->ring);
	if (sq->fetch == sq->prod)
		return false;
	if (READ_ONCE(sq->ring->hdr->flags))
		mrc_ring_disarm(sq->ring);
	return true;
}

/* An index out of range says nothing about any work request: end the QP. */
static bool mrc_sq_distrust(struct mrc_qp *qp)
{
	qp->sq.hold = true;
	mrc_qp_fatal(qp);
	return false;
}

/* Is there a work request that may be taken? */
static bool mrc_sq_may_take(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (!sq->ring || sq->hold || sq->failed || !mrc_sq_pending(sq))
		return false;
	if (unlikely(sq->prod - sq->done > sq->ring->entries))
		return mrc_sq_distrust(qp);
	return true;
}

/*
 * IBTA 10.6.5.1: what is invalidated may be in use by what was posted before, of
 * which all has to complete.  IBTA 10.8.3.3: a fence waits for results.
 */
static bool mrc_sq_local_turn(const struct mrc_qp *qp,
			      const struct mrc_sqe *sqe)
{
	if (sqe->opcode == IB_WR_LOCAL_INV)
		return qp->sq.done == qp->sq.fetch;
	return !(sqe->flags & MRC_SQE_FENCE) ||
	       !mrc_req_owed(&qp->conn.req);
}

static enum mrc_status mrc_sq_carry_out(struct mrc_qp *qp,
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
 * The next work request that becomes a message, for the peer or to end with an
 * error; local ones in front of it are carried out.
 */
static struct mrc_swqe *mrc_sq_next(struct mrc_qp *qp, enum mrc_status *status)
{
	struct mrc_sq *sq = &qp->sq;
	struct mrc_swqe *wqe;
	u32 n;

	for (n = 0; n < MRC_SQ_LOCALS; n++) {
		if (!mrc_sq_may_take(qp))
			return NULL;
		wqe = mrc_sq_wqe(sq, sq->fetch);
		*status = mrc_swqe_load(qp, wqe);
		if (*status != MRC_OK || !mrc_sqe_is_local(&wqe->sqe))
			return wqe;
		if (!mrc_sq_local_turn(qp, &wqe->sqe))
			return NULL;
		*status = mrc_sq_carry_out(qp, wqe);
		if (*status != MRC_OK)
			return wqe;
		sq->fetch++;
		mrc_sq_retire_ended(qp);
	}
	mrc_conn_wake(&qp->conn);
	return NULL;
}

/**
 * mrc_sq_take() - take the next work request of a QP for datagrams
 * @conn: connection of the QP
 * @work: filled in
 *
 * mrc_sq_finish() must follow before the next one is taken.
 *
 * Return: false if there is none, or if the latest has failed.
 */
bool mrc_sq_take(struct mrc_conn *conn, struct mrc_sq_work *work)
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
 * mrc_sq_fetch() - take the next work request; &struct mrc_conn_ops.tx_fetch
 * @conn: connection of the QP
 * @d: message made from it; a request that cannot be carried out becomes a
 *	message with an error
 *
 * Return: false if there is none, or if it has to wait for the peer.
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
	d->ask = 0;
	d->swap = d->flags & MRC_MSG_CMP_SWAP ? wqe->sqe.swap :
						wqe->sqe.compare_add;
	d->compare = wqe->sqe.compare_add;
	if (!mrc_req_takes(&conn->req, d))
		return false;
	sq->failed = status != MRC_OK;
	sq->fetch++;
	return true;
}

/**
 * mrc_sq_hold() - stop taking work requests (SQD)
 * @conn: connection of the QP
 * @notify: raise IB_EVENT_SQ_DRAINED when those taken have ended
 */
void mrc_sq_hold(struct mrc_conn *conn, bool notify)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);

	spin_lock_bh(&conn->req_lock);
	qp->sq.hold = true;
	qp->sq.drain = notify;
	mrc_sq_check_drained(qp);
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_sq_resume() - take work requests again
 * @conn: connection of the QP
 */
void mrc_sq_resume(struct mrc_conn *conn)
{
	struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	spin_lock_bh(&conn->req_lock);
	sq->hold = false;
	sq->drain = false;
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_sq_restart() - take work requests again after a failure (SQE)
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
 * mrc_sq_silence() - write no completions from now on
 * @conn: connection of the QP
 */
void mrc_sq_silence(struct mrc_conn *conn)
{
	struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	spin_lock_bh(&conn->req_lock);
	sq->quiet = true;
	spin_unlock_bh(&conn->req_lock);
}

/* As much of a work request as its completion needs. */
static void mrc_sq_load_flushed(struct mrc_sq *sq)
{
	mrc_swqe_copy(mrc_sq_wqe(sq, sq->fetch),
		      mrc_ring_slot(sq->ring, sq->fetch));
	sq->fetch++;
}

/**
 * mrc_sq_flush() - end what is posted on a QP in error, or in SQE
 * @conn: connection of the QP; stopped, so that nothing is in flight
 *
 * Later posts need a doorbell, which flushes them too.
 */
void mrc_sq_flush(struct mrc_conn *conn)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;
	enum ib_qp_state state;

	if (!sq->ring)
		return;
	spin_lock_bh(&conn->req_lock);
	/* Another thread may have taken the QP to RESET and on. */
	state = READ_ONCE(qp->state);
	if (state != IB_QPS_ERR && state != IB_QPS_SQE)
		goto out;
	sq->prod = mrc_ring_arm(sq->ring);
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
 * mrc_sq_reset() - drop what is posted (RESET)
 * @conn: connection of the QP; stopped
 */
void mrc_sq_reset(struct mrc_conn *conn)
{
	struct mrc_sq *sq = &mrc_qp_from_conn(conn)->sq;

	if (!sq->ring)
		return;
	spin_lock_bh(&conn->req_lock);
	sq->prod = mrc_ring_arm(sq->ring);
	sq->fetch = sq->prod;
	sq->done = sq->prod;
	sq->hold = false;
	sq->failed = false;
	sq->quiet = false;
	sq->drain = false;
	sq->unplaced = false;
	mrc_ring_set_cons(sq->ring, sq->done);
	spin_unlock_bh(&conn->req_lock);
}
