// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: takes work requests from the ring, supplies the payload of their
 * packets and reports their completion.
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
#include "core/wire.h"
#include "net/rxbuf.h"
#include "net/txbuf.h"
#include "verbs/cq.h"
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/mw.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/sge.h"
#include "verbs/sq.h"

/* Local work requests carried out at a time, as long as others wait. */
#define MRC_SQ_LOCALS 64

/**
 * struct mrc_swqe - private copy of a send work request
 * @length: bytes of the message
 * @ended: it was local, and has been carried out
 * @unplaced: memory for its result has gone; written by the receiving side
 * @sqe: as posted
 * @sge: as posted, without MRC_SQE_INLINE
 * @data: inline data, with MRC_SQE_INLINE
 */
struct mrc_swqe {
	u32 length;
	bool ended;
	bool unplaced;
	struct mrc_sqe sqe;
	union {
		DECLARE_FLEX_ARRAY(struct mrc_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

static struct mrc_swqe *mrc_sq_wqe(const struct mrc_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->ring->entries - 1)) *
			  sq->wqe_size;
}

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

static bool mrc_sqe_is_atomic(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       sqe->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

static bool mrc_sqe_is_local(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_BIND_MW ||
	       sqe->opcode == IB_WR_LOCAL_INV || sqe->opcode == IB_WR_REG_MR;
}

/* Does the peer's memory come back? */
static bool mrc_sqe_asks(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_RDMA_READ || mrc_sqe_is_atomic(sqe);
}

static enum mrc_status mrc_swqe_load_inline(struct mrc_sq *sq,
					    struct mrc_swqe *wqe,
					    const struct mrc_sqe *slot)
{
	if (mrc_sqe_asks(&wqe->sqe))
		return MRC_ERR_LOC_QP_OP;
	if (wqe->sqe.num_sge || wqe->sqe.inline_len > sq->max_inline)
		return MRC_ERR_LOC_QP_OP;
	mrc_ring_copy(wqe->data, slot + 1, wqe->sqe.inline_len);
	wqe->length = wqe->sqe.inline_len;
	return MRC_OK;
}

static enum mrc_status mrc_swqe_load_sges(struct mrc_qp *qp,
					  struct mrc_swqe *wqe,
					  const struct mrc_sqe *slot)
{
	enum mrc_status status = MRC_OK;
	const struct mrc_sge *sge;
	const void *hint = NULL;
	int access = mrc_sqe_asks(&wqe->sqe) ? IB_ACCESS_LOCAL_WRITE : 0;
	u64 length = 0;
	u32 i;

	if (wqe->sqe.inline_len || wqe->sqe.num_sge > qp->sq.max_sge)
		return MRC_ERR_LOC_QP_OP;
	mrc_ring_copy(wqe->sge, slot + 1, wqe->sqe.num_sge * sizeof(*sge));

	for (i = 0; i < wqe->sqe.num_sge; i++) {
		sge = &wqe->sge[i];
		length += sge->length;
		if (sge->length &&
		    !mrc_region_grants(qp, sge->lkey, access, sge->addr,
				       sge->length, &hint))
			status = MRC_ERR_LOC_PROT;
	}

	if (length > MRC_MSG_MAX)
		return MRC_ERR_LOC_LEN;
	wqe->length = length;
	return status;
}

static bool mrc_sqe_is_send(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_SEND ||
	       sqe->opcode == IB_WR_SEND_WITH_IMM ||
	       sqe->opcode == IB_WR_SEND_WITH_INV;
}

static bool mrc_swqe_opcode_ok(const struct mrc_qp *qp, u8 opcode)
{
	if (mrc_qp_is_ud(qp))
		return opcode == IB_WR_SEND || opcode == IB_WR_SEND_WITH_IMM;
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
	case IB_WR_BIND_MW:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return true;
	case IB_WR_REG_MR:
		/* A process has no pages that it could name. */
		return !qp->ib.uobject;
	default:
		return false;
	}
}

/*
 * Bytes beyond the end of the address space are in no region of the peer, and a
 * packet that names them would be malformed: answer for the peer.
 */
static enum mrc_status mrc_swqe_check_remote(const struct mrc_swqe *wqe)
{
	if (mrc_sqe_is_send(&wqe->sqe) || !wqe->length)
		return MRC_OK;
	return wqe->sqe.remote_addr > U64_MAX - (wqe->length - 1) ?
		       MRC_ERR_REM_ACCESS : MRC_OK;
}

/* IBTA 10.7.2.2: an ATOMIC fetches 8 bytes; 0 outstanding means none at all. */
static enum mrc_status mrc_swqe_check_ask(const struct mrc_qp *qp,
					  const struct mrc_swqe *wqe)
{
	if (!mrc_sqe_asks(&wqe->sqe))
		return MRC_OK;
	if (!qp->conn.req.cfg.max_asks)
		return MRC_ERR_LOC_QP_OP;
	if (mrc_sqe_is_atomic(&wqe->sqe) && wqe->length != sizeof(u64))
		return MRC_ERR_LOC_LEN;
	return MRC_OK;
}

static void mrc_swqe_copy(struct mrc_swqe *wqe, const struct mrc_sqe *slot)
{
	wqe->length = 0;
	wqe->ended = false;
	wqe->unplaced = false;
	mrc_ring_copy(&wqe->sqe, slot, sizeof(wqe->sqe));
}

/* Copies the work request at @sq->fetch and checks the copy. */
static enum mrc_status mrc_swqe_load(struct mrc_qp *qp, struct mrc_swqe *wqe)
{
	const struct mrc_sqe *slot = mrc_ring_slot(qp->sq.ring, qp->sq.fetch);
	enum mrc_status status;

	mrc_swqe_copy(wqe, slot);
	if (wqe->sqe.flags & ~MRC_SQE_FLAGS_ALL ||
	    !mrc_swqe_opcode_ok(qp, wqe->sqe.opcode))
		return MRC_ERR_LOC_QP_OP;
	if (mrc_sqe_is_local(&wqe->sqe))
		return wqe->sqe.num_sge || wqe->sqe.inline_len ?
			       MRC_ERR_LOC_QP_OP : MRC_OK;
	if (wqe->sqe.flags & MRC_SQE_INLINE)
		status = mrc_swqe_load_inline(&qp->sq, wqe, slot);
	else
		status = mrc_swqe_load_sges(qp, wqe, slot);
	return status ?: mrc_swqe_check_ask(qp, wqe) ?:
			 mrc_swqe_check_remote(wqe);
}

static u16 mrc_sqe_msg_flags(const struct mrc_sqe *sqe)
{
	u16 flags = 0;

	if (mrc_sqe_is_send(sqe))
		flags |= MRC_MSG_SEND;
	if (sqe->opcode == IB_WR_SEND_WITH_IMM ||
	    sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		flags |= MRC_MSG_IMM;
	if (sqe->opcode == IB_WR_SEND_WITH_INV)
		flags |= MRC_MSG_INV;
	if (sqe->opcode == IB_WR_RDMA_READ)
		flags |= MRC_MSG_READ;
	if (mrc_sqe_is_atomic(sqe))
		flags |= MRC_MSG_ATOMIC;
	if (sqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP)
		flags |= MRC_MSG_CMP_SWAP;
	if (sqe->flags & MRC_SQE_SOLICITED)
		flags |= MRC_MSG_SOLICITED;
	if (sqe->flags & MRC_SQE_FENCE)
		flags |= MRC_MSG_FENCE;
	return flags;
}

/**
 * mrc_sq_payload() - supply payload; &struct mrc_conn_ops.tx_payload
 * @conn: connection of the QP
 * @cookie: from the descriptor of the message
 * @offset: first byte within the message
 * @len: bytes
 * @tb: buffer being built
 *
 * Return: MRC_OK or the status with which the message must end; a region may
 * have gone since the work request was taken.
 */
enum mrc_status mrc_sq_payload(struct mrc_conn *conn, u32 cookie, u32 offset,
			       u32 len, struct mrc_txbuf *tb)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	const struct mrc_swqe *wqe = mrc_sq_wqe(&qp->sq, cookie);

	lockdep_assert_held(&conn->req_lock);

	if (!len)
		return MRC_OK;
	if (WARN_ON_ONCE(offset > wqe->length || len > wqe->length - offset))
		return MRC_ERR_LOC_LEN;
	if (!(wqe->sqe.flags & MRC_SQE_INLINE))
		return mrc_sge_gather(qp, wqe->sge, offset, len, tb);
	mrc_txbuf_copy(tb, wqe->data + offset, len);
	return MRC_OK;
}

/**
 * mrc_sq_result() - supply payload of a READ's result; &struct
 *	mrc_conn_ops.tx_result
 * @conn: connection of the QP
 * @msg: the message
 * @offset: first byte within it
 * @len: bytes
 * @tb: buffer being built
 *
 * Return: MRC_OK, or anything else if the region or the permission of the QP has
 * gone since the request was accepted.
 */
enum mrc_status mrc_sq_result(struct mrc_conn *conn,
			      const struct mrc_msg_desc *msg, u32 offset,
			      u32 len, struct mrc_txbuf *tb)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	enum mrc_status status;

	lockdep_assert_held(&conn->req_lock);
	if (!(READ_ONCE(qp->access) & IB_ACCESS_REMOTE_READ))
		return MRC_ERR_LOC_PROT;
	status = mrc_sge_gather_key(qp, msg->rkey, IB_ACCESS_REMOTE_READ,
				    msg->raddr + offset, len, tb);
	if (status == MRC_OK)
		mrc_count_add(conn->nic, RDMA_READ_RESP_BYTES, len);
	return status;
}

static enum mrc_place mrc_sq_place_locked(struct mrc_qp *qp,
					  const struct mrc_pkt *pkt,
					  struct mrc_rxbuf *rb, u32 offset)
{
	struct mrc_results *results = &qp->conn.results;
	const struct mrc_result *res = mrc_results_find(results, pkt);
	struct mrc_rxbuf value;
	enum mrc_place place;
	struct mrc_swqe *wqe;
	u64 orig = pkt->orig;

	if (results->closed)
		return MRC_PLACE_LATE;
	if (!res)
		return MRC_PLACE_INVALID;
	wqe = mrc_sq_wqe(&qp->sq, res->cookie);
	if (res->atomic) {
		mrc_rxbuf_value(&value, &orig, sizeof(orig));
		place = mrc_sge_scatter(qp, wqe->sge, 0, &value, 0,
					sizeof(orig));
	} else {
		place = mrc_sge_scatter(qp, wqe->sge, pkt->va, rb,
					offset, pkt->payload_len);
	}
	if (place == MRC_PLACE_OK) {
		mrc_results_placed(results, pkt);
	} else if (place == MRC_PLACE_OP) {
		WRITE_ONCE(wqe->unplaced, true);
		WRITE_ONCE(qp->sq.unplaced, true);
	}
	return place;
}

/**
 * mrc_sq_place() - place a packet of a result that was asked for
 * @conn: connection of the QP
 * @pkt: new packet with MRC_OPF_RSP
 * @rb: where its payload is
 * @offset: first byte within @rb
 *
 * Context: rsp_lock held.  The work request cannot end meanwhile, for that takes
 * the lock of the results.
 * Return: what became of it.
 */
enum mrc_place mrc_sq_place(struct mrc_conn *conn, const struct mrc_pkt *pkt,
			    struct mrc_rxbuf *rb, u32 offset)
{
	enum mrc_place place;

	lockdep_assert_held(&conn->rsp_lock);
	spin_lock(&conn->ask_lock);
	place = mrc_sq_place_locked(mrc_qp_from_conn(conn), pkt, rb, offset);
	spin_unlock(&conn->ask_lock);
	return place;
}

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

static void mrc_sq_account_ask(struct mrc_nic *nic,
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
	if (mrc_sqe_asks(&wqe->sqe)) {
		mrc_sq_account_ask(nic, wqe, status);
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

/* IBTA 10.3.1.5: all work that had begun before SQD has completed. */
static void mrc_sq_check_drained(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	if (!sq->drain || sq->done != sq->fetch)
		return;
	sq->drain = false;
	mrc_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/* Ends the oldest work request: @sq->done. */
static void mrc_sq_retire(struct mrc_qp *qp, u8 status)
{
	struct mrc_sq *sq = &qp->sq;
	const struct mrc_swqe *wqe = mrc_sq_wqe(sq, sq->done++);

	mrc_sq_account(qp->conn.nic, wqe, status);
	if (sq->quiet ||
	    !(status || qp->sig_all || wqe->sqe.flags & MRC_SQE_SIGNALED))
		return;
	/*
	 * Room in the ring shows before the completion: who polls it may post
	 * at once.  Without a completion nobody may count on the room.
	 */
	mrc_ring_set_cons(sq->ring, sq->done);
	mrc_sq_complete(qp, wqe, status);
}

/*
 * Local work requests at the head of the queue tell what became of them.  One
 * behind an error counts as never begun.
 */
static void mrc_sq_retire_ended(struct mrc_qp *qp)
{
	struct mrc_sq *sq = &qp->sq;

	while (sq->done != sq->fetch && mrc_sq_wqe(sq, sq->done)->ended)
		mrc_sq_retire(qp, sq->failed ? MRC_ERR_FLUSH : MRC_OK);
}

/**
 * mrc_sq_finish() - the oldest work request has ended
 * @conn: connection of the QP
 * @status: enum mrc_status
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
 * IBTA 11.6.2: a work request whose result has nowhere to go ends with an
 * error of its own, although it is flushed like all others then.
 */
static u8 mrc_sq_status(const struct mrc_swqe *wqe, u8 status)
{
	return status == MRC_ERR_FLUSH && READ_ONCE(wqe->unplaced) ?
		       MRC_ERR_LOC_PROT : status;
}

/**
 * mrc_sq_done() - a message has ended; &struct mrc_conn_ops.tx_done
 * @conn: connection of the QP
 * @done: which message, and how; in the order in which they were taken
 */
void mrc_sq_done(struct mrc_conn *conn, const struct mrc_done *done)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_sq *sq = &qp->sq;

	lockdep_assert_held(&conn->req_lock);

	if (mrc_conn_is_result(done->cookie)) {
		/* No work request tells of it. */
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
