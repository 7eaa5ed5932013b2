// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: completion of work requests, in the order in which they were fetched.
 */
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "net/counters.h"
#include "verbs/cq.h"
#include "verbs/qp.h"
#include "verbs/ring.h"
#include "verbs/sq.h"
#include "verbs/swqe.h"

static u8 mrc_sq_wc_status(u8 status)
{
	switch (status) {
	case MRC_OK:
		return IB_WC_SUCCESS;
	case MRC_ERR_LOC_LEN:
		return IB_WC_LOC_LEN_ERR;
	case MRC_ERR_LOC_PROT:
		return IB_WC_LOC_PROT_ERR;
	case MRC_ERR_LOC_QP_OP:
		return IB_WC_LOC_QP_OP_ERR;
	case MRC_ERR_LOC_BIND:
		return IB_WC_MW_BIND_ERR;
	case MRC_ERR_RETRY_EXC:
		return IB_WC_RETRY_EXC_ERR;
	case MRC_ERR_RNR_RETRY_EXC:
		return IB_WC_RNR_RETRY_EXC_ERR;
	case MRC_ERR_REM_INV_REQ:
		return IB_WC_REM_INV_REQ_ERR;
	case MRC_ERR_REM_ACCESS:
		return IB_WC_REM_ACCESS_ERR;
	case MRC_ERR_REM_OP:
		return IB_WC_REM_OP_ERR;
	case MRC_ERR_FLUSH:
		return IB_WC_WR_FLUSH_ERR;
	default:
		return IB_WC_GENERAL_ERR;
	}
}

static u8 mrc_sq_wc_opcode(u8 opcode)
{
	switch (opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return IB_WC_SEND;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	case IB_WR_BIND_MW:
		return IB_WC_BIND_MW;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	default:
		return IB_WC_RDMA_WRITE;
	}
}

static void mrc_sq_complete(struct mrc_qp *qp, const struct mrc_swqe *wqe,
			    u8 status)
{
	const struct mrc_cqe cqe = {
		.wr_id = wqe->sqe.wr_id,
		.qpn = qp->conn.qpn,
		.src_qpn = qp->conn.req.cfg.dest_qpn,
		.byte_len = wqe->length,
		.vendor_err = status,
		.status = mrc_sq_wc_status(status),
		.opcode = mrc_sq_wc_opcode(wqe->sqe.opcode),
		.sq = 1,
	};

	if (!mrc_cq_push(mrc_cq_from_ib(qp->ib.send_cq), &cqe, status))
		mrc_qp_fatal(qp);
}

static void mrc_sq_account_rd_atomic(struct mrc_nic *nic,
				     const struct mrc_swqe *wqe, u8 status)
{
	bool atomic = mrc_sqe_is_atomic(&wqe->sqe);

	if (status == MRC_ERR_FLUSH)
		return;
	if (status && atomic) {
		mrc_count(nic, ATOMIC_WR_ERR);
	} else if (status) {
		mrc_count(nic, RDMA_READ_WR_ERR);
	} else if (atomic) {
		mrc_count(nic, ATOMIC_WRS);
	} else {
		mrc_count(nic, RDMA_READ_WRS);
		mrc_count_add(nic, RDMA_READ_BYTES, wqe->length);
	}
}

static void mrc_sq_account(struct mrc_nic *nic, const struct mrc_swqe *wqe,
			   u8 status)
{
	bool send = mrc_sqe_is_send(&wqe->sqe);

	if (mrc_sqe_is_local(&wqe->sqe))
		return;
	if (mrc_sqe_is_rd_atomic(&wqe->sqe)) {
		mrc_sq_account_rd_atomic(nic, wqe, status);
	} else if (status) {
		if (!send && status != MRC_ERR_FLUSH)
			mrc_count(nic, RDMA_WRITE_WR_ERR);
	} else if (send) {
		mrc_count(nic, SEND_WRS);
		mrc_count_add(nic, SEND_BYTES, wqe->length);
	} else {
		mrc_count(nic, RDMA_WRITE_WRS);
		mrc_count_add(nic, RDMA_WRITE_BYTES, wqe->length);
	}
}

/**
 * mrc_sq_check_drained() - have all work requests fetched before SQD completed?
 * @qp: queue pair
 *
 * Raises IB_EVENT_SQ_DRAINED in that case (IBTA 10.3.1.5).
 *
 * Context: req_lock held.
 */
void mrc_sq_check_drained(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (!sq->drain || sq->done != sq->fetch)
		return;
	sq->drain = false;
	mrc_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/**
 * mrc_sq_retire() - complete the oldest work request: @sq->done
 * @qp: queue pair
 * @status: enum mrc_status
 *
 * Context: req_lock held.
 */
void mrc_sq_retire(struct mrc_qp *qp, u8 status)
{
	struct mrc_sq *sq = &qp->sq;
	const struct mrc_swqe *wqe = mrc_sq_wqe(sq, sq->done++);

	mrc_sq_account(qp->conn.nic, wqe, status);
	if (sq->quiet ||
	    !(status || qp->sig_all || wqe->sqe.flags & MRC_SQE_SIGNALED))
		return;
	/*
	 * Publish the free entry before the completion: an application may post
	 * as soon as it has polled the completion.  Without a completion it may
	 * not assume that the entry is free.
	 */
	mrc_ring_set_cons(sq->ring, sq->done);
	mrc_sq_complete(qp, wqe, status);
}

/**
 * mrc_sq_retire_ended() - complete executed local work requests at the queue's head
 * @qp: queue pair
 *
 * A local work request behind a failed one completes as flushed, although it has
 * been executed.
 *
 * Context: req_lock held.
 */
void mrc_sq_retire_ended(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	while (sq->done != sq->fetch && mrc_sq_wqe(sq, sq->done)->ended)
		mrc_sq_retire(qp, sq->failed ? MRC_ERR_FLUSH : MRC_OK);
}

/**
 * mrc_sq_finish() - complete the oldest work request and local ones behind it
 * @conn: connection of the QP
 * @status: enum mrc_status
 *
 * Context: req_lock held.
 */
void mrc_sq_finish(struct mrc_conn *conn, u8 status)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);

	lockdep_assert_held(&conn->req_lock);
	qp->sq.failed |= status != MRC_OK;
	mrc_sq_retire(qp, status);
	mrc_sq_retire_ended(qp);
	mrc_sq_check_drained(qp);
}

/*
 * IBTA 11.6.2: a READ or ATOMIC whose response could not be written to local memory
 * completes with a protection error, although the connection flushes it with the
 * others.
 */
static u8 mrc_sq_status(const struct mrc_swqe *wqe, u8 status)
{
	return status == MRC_ERR_FLUSH && READ_ONCE(wqe->unplaced) ?
		       MRC_ERR_LOC_PROT : status;
}

/**
 * mrc_sq_done() - complete a message; &struct mrc_conn_ops.tx_done
 * @conn: connection of the QP
 * @done: message and status; messages end in the order in which they were fetched
 *
 * Context: req_lock held.
 */
void mrc_sq_done(struct mrc_conn *conn, const struct mrc_done *done)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;

	lockdep_assert_held(&conn->req_lock);

	if (mrc_conn_is_response(done->cookie)) {
		/* A response has no work request that could report the error. */
		if (done->status != MRC_OK && done->status != MRC_ERR_FLUSH)
			mrc_qp_fatal(qp);
		return;
	}
	if (WARN_ON_ONCE(sq->done == sq->fetch))
		return;
	WARN_ON_ONCE((sq->done & (sq->ring->entries - 1)) != done->cookie);
	mrc_sq_finish(conn, mrc_sq_status(mrc_sq_wqe(sq, sq->done),
					  done->status));
}
