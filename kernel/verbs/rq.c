// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive queue: places the payload of request packets and completes the messages
 * that consume a receive work request.
 *
 * Every packet of such a message carries the number of the message (rqmsn), counted
 * from 0 since the QP entered RTR.  The number selects the work request, so that
 * packets may arrive in any order.  A work request is copied once, before its first
 * use.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "net/alloc.h"
#include "net/rxbuf.h"
#include "verbs/ah.h"
#include "verbs/cq.h"
#include "verbs/device.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/rq.h"
#include "verbs/rwqe.h"
#include "verbs/sge.h"
#include "verbs/srq.h"

static struct mrc_rwqe *mrc_rq_wqe(const struct mrc_rq *rq, u32 index)
{
	return rq->wqes + (size_t)(index & (rq->entries - 1)) * rq->wqe_size;
}

static int mrc_rq_alloc(struct mrc_rq *rq, u32 entries, u32 max_sge)
{
	rq->entries = entries;
	rq->max_sge = max_sge;
	rq->wqe_size = sizeof(struct mrc_rwqe) +
		       max_sge * sizeof(struct mrc_sge);
	rq->wqes = kvcalloc(entries, rq->wqe_size, MRC_GFP_USER);
	return rq->wqes ? 0 : -ENOMEM;
}

/**
 * mrc_rq_create_shared() - create a receive queue that uses an SRQ
 * @rq: receive queue, zeroed
 * @srq: source of the work requests
 *
 * It holds one work request for each message in flight: the WIMM limit.
 *
 * Return: 0 or a negative errno.
 */
int mrc_rq_create_shared(struct mrc_rq *rq, struct mrc_srq *srq)
{
	rq->srq = srq;
	return mrc_rq_alloc(rq, MRC_MAX_WIMM, srq->max_sge);
}

/**
 * mrc_rq_create() - create a receive queue
 * @rq: receive queue, zeroed
 * @uctx: context of the process; NULL for users in the kernel
 * @cap: wanted limits, already checked; set to what is granted
 * @info: how the process maps the ring
 *
 * Return: 0 or a negative errno.
 */
int mrc_rq_create(struct mrc_rq *rq, struct ib_ucontext *uctx,
		  struct ib_qp_cap *cap, struct mrc_ring_info *info)
{
	u32 entries, sges;
	int err;

	if (!cap->max_recv_wr)
		return 0;
	entries = roundup_pow_of_two(cap->max_recv_wr);
	sges = cap->max_recv_sge * sizeof(struct mrc_sge);
	err = mrc_rq_alloc(rq, entries, cap->max_recv_sge);
	if (err)
		return err;

	rq->ring = mrc_ring_create(uctx, entries, sizeof(struct mrc_rqe) + sges,
				   info);
	if (IS_ERR(rq->ring)) {
		err = PTR_ERR(rq->ring);
		rq->ring = NULL;
		mrc_rq_destroy(rq);
		return err;
	}
	cap->max_recv_wr = entries;
	return 0;
}

/**
 * mrc_rq_destroy() - free an unused receive queue
 * @rq: receive queue
 */
void mrc_rq_destroy(struct mrc_rq *rq)
{
	mrc_ring_destroy(rq->ring);
	kvfree(rq->wqes);
}

static void mrc_rq_load(struct mrc_rq *rq)
{
	mrc_rwqe_load(mrc_rq_wqe(rq, rq->fetch), rq->ring, rq->fetch,
		      rq->max_sge);
	rq->fetch++;
}

/* Is there a posted work request that has not been copied yet? */
static bool mrc_rq_pending(struct mrc_rq *rq)
{
	if (rq->fetch != rq->prod)
		return true;
	rq->prod = mrc_ring_prod(rq->ring);
	if (rq->prod - rq->head > rq->ring->entries) {
		rq->bad = true;
		rq->prod = rq->fetch;
	}
	return rq->fetch != rq->prod;
}

/* Copies the next work request; false if there is none. */
static bool mrc_rq_fetch(struct mrc_rq *rq)
{
	if (!rq->srq) {
		if (!mrc_rq_pending(rq))
			return false;
		mrc_rq_load(rq);
		return true;
	}
	if (!mrc_srq_fetch(rq->srq, mrc_rq_wqe(rq, rq->fetch))) {
		rq->bad = READ_ONCE(rq->srq->bad);
		return false;
	}
	rq->fetch++;
	return true;
}

/*
 * The work request of message @rqmsn, or NULL if it is not posted yet.  Those of all
 * earlier messages are copied first: an SRQ must supply them in message order.
 */
static struct mrc_rwqe *mrc_rq_find(struct mrc_rq *rq, u16 rqmsn)
{
	u32 ahead = (u16)(rqmsn - rq->msn);

	if (rq->bad || rq->closed || ahead >= rq->entries)
		return NULL;
	while (ahead >= rq->fetch - rq->head)
		if (!mrc_rq_fetch(rq))
			return NULL;
	return mrc_rq_wqe(rq, rq->head + ahead);
}

static enum mrc_place mrc_rq_place_write(struct mrc_qp *qp,
					 const struct mrc_pkt *pkt,
					 struct mrc_rxbuf *rb, u32 offset)
{
	const struct mrc_region *region;
	int err;

	/* IBTA 9.4.3: the R_Key of a WRITE of length 0 is not checked. */
	if (!pkt->payload_len)
		return MRC_PLACE_OK;
	if (!(READ_ONCE(qp->access) & IB_ACCESS_REMOTE_WRITE))
		return MRC_PLACE_ACCESS;

	region = mrc_region_get(qp, pkt->rkey, IB_ACCESS_REMOTE_WRITE, pkt->va,
				pkt->payload_len, &rb->hint);
	if (!region)
		return MRC_PLACE_ACCESS;
	err = mrc_region_write(region, pkt->va, rb, offset, pkt->payload_len);
	mrc_region_put(region);
	if (err)
		return MRC_PLACE_INVALID;
	mrc_count_add(qp->conn.nic, RDMA_WRITE_RECV_BYTES, pkt->payload_len);
	return MRC_PLACE_OK;
}

static const struct mrc_region *mrc_rq_rd_region(struct mrc_qp *qp, u8 opcode,
						 u32 rkey, u64 va, u32 length,
						 const void **hint)
{
	int access = opcode == MRC_OP_READ_REQUEST ? IB_ACCESS_REMOTE_READ :
						     IB_ACCESS_REMOTE_ATOMIC;

	if (!(READ_ONCE(qp->access) & access))
		return NULL;
	return mrc_region_get(qp, rkey, access, va, length, hint);
}

/* A READ or ATOMIC request has no payload to place: only check permissions. */
static enum mrc_place mrc_rq_check_rd_atomic(struct mrc_qp *qp,
					     const struct mrc_pkt *pkt,
					     const void **hint)
{
	const struct mrc_region *region;

	/* IBTA 9.4.4: the R_Key of a READ of length 0 is not checked. */
	if (!pkt->dmalen)
		return MRC_PLACE_OK;
	region = mrc_rq_rd_region(qp, pkt->op->code, pkt->rkey, pkt->va,
				  pkt->dmalen, hint);
	if (!region)
		return MRC_PLACE_ACCESS;
	mrc_region_put(region);
	return MRC_PLACE_OK;
}

/**
 * mrc_rq_execute() - execute a READ or ATOMIC request; &struct
 *	mrc_conn_ops.rx_rd_atomic
 * @conn: connection of the QP
 * @req: the next request in order
 * @orig: ATOMIC: set to the value before the operation
 *
 * The permission is checked again: it may have been revoked since the packet
 * arrived.  The data of a READ is read when the response is sent.
 *
 * Context: rsp_lock held.
 *
 * Return: MRC_PLACE_OK, MRC_PLACE_ACCESS, or MRC_PLACE_OP for an ATOMIC on
 * memory that is not aligned although its address is.
 */
enum mrc_place mrc_rq_execute(struct mrc_conn *conn,
			      const struct mrc_rd_atomic *req, u64 *orig)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	const struct mrc_region *region;
	const void *hint = NULL;
	int err = 0;

	lockdep_assert_held(&conn->rsp_lock);
	if (!req->length)
		return MRC_PLACE_OK;
	region = mrc_rq_rd_region(qp, req->opcode, req->rkey, req->va,
				  req->length, &hint);
	if (!region)
		return MRC_PLACE_ACCESS;
	if (req->opcode != MRC_OP_READ_REQUEST) {
		err = mrc_region_atomic(region, req, orig);
		if (!err)
			mrc_count(conn->nic, ATOMIC_RECV);
	}
	mrc_region_put(region);
	return err ? MRC_PLACE_OP : MRC_PLACE_OK;
}

static enum mrc_place mrc_rq_place_send(struct mrc_qp *qp,
					struct mrc_rwqe *wqe,
					const struct mrc_pkt *pkt,
					struct mrc_rxbuf *rb, u32 offset)
{
	enum mrc_place place;

	/* IBTA 9.7.5.2.4: the message is longer than the receive work request. */
	if (pkt->dmalen > wqe->length) {
		wqe->status = IB_WC_LOC_LEN_ERR;
		return MRC_PLACE_INVALID;
	}
	if (pkt->va > pkt->dmalen || pkt->payload_len > pkt->dmalen - pkt->va)
		return MRC_PLACE_INVALID;
	place = mrc_sge_scatter(qp, wqe->sge, pkt->va, rb, offset,
				pkt->payload_len);
	if (place == MRC_PLACE_OP)
		wqe->status = IB_WC_LOC_PROT_ERR;
	return place;
}

static enum mrc_place mrc_rq_no_wqe(struct mrc_qp *qp)
{
	if (!qp->rq.bad)
		return MRC_PLACE_NOT_READY;
	mrc_qp_fatal(qp);
	return MRC_PLACE_OP;
}

/**
 * mrc_rq_place() - place the payload of a packet; &struct mrc_conn_ops.rx_place
 * @conn: connection of the QP
 * @pkt: packet that has not been placed before
 * @rb: buffer that holds its payload
 * @offset: first byte within @rb
 *
 * Context: rsp_lock held.
 * Return: enum mrc_place.
 */
enum mrc_place mrc_rq_place(struct mrc_conn *conn, const struct mrc_pkt *pkt,
			    struct mrc_rxbuf *rb, u32 offset)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_rwqe *wqe = NULL;

	lockdep_assert_held(&conn->rsp_lock);

	mrc_qp_established(qp);
	if (pkt->op->flags & MRC_OPF_RQ) {
		wqe = mrc_rq_find(&qp->rq, pkt->rqmsn);
		if (!wqe)
			return mrc_rq_no_wqe(qp);
		if (wqe->status)
			return wqe->status == IB_WC_LOC_LEN_ERR ?
				       MRC_PLACE_INVALID : MRC_PLACE_OP;
	}
	if (pkt->op->flags & MRC_OPF_SEND)
		return wqe ? mrc_rq_place_send(qp, wqe, pkt, rb, offset) :
			     MRC_PLACE_INVALID;
	if (likely(!(pkt->op->flags & (MRC_OPF_RD_ATOMIC | MRC_OPF_RSP))))
		return mrc_rq_place_write(qp, pkt, rb, offset);
	if (pkt->op->flags & MRC_OPF_RSP)
		return mrc_sq_place(conn, pkt, rb, offset);
	return mrc_rq_check_rd_atomic(qp, pkt, &rb->hint);
}

static void mrc_rq_push(struct mrc_qp *qp, const struct mrc_cqe *cqe,
			bool solicited)
{
	struct mrc_rq *rq = &qp->rq;

	if (rq->quiet)
		return;
	/*
	 * Publish the free entry before the completion: an application may post
	 * as soon as it has polled the completion.
	 */
	if (rq->ring)
		mrc_ring_set_cons(rq->ring, rq->head);
	if (!mrc_cq_push(mrc_cq_from_ib(qp->ib.recv_cq), cqe, solicited))
		mrc_qp_fatal(qp);
}

/**
 * mrc_rq_deliver() - complete a message; &struct mrc_conn_ops.rx_deliver
 * @conn: connection of the QP
 * @d: message, in the order of rqmsn
 *
 * Context: rsp_lock held.
 * Return: MRC_PLACE_OK, or MRC_PLACE_INVALID if a SEND with Invalidate may not
 * invalidate its key; the work request then completes with that error.
 */
enum mrc_place mrc_rq_deliver(struct mrc_conn *conn,
			      const struct mrc_delivery *d)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_rq *rq = &qp->rq;
	struct mrc_cqe cqe = {
		.qpn = qp->conn.qpn,
		.src_qpn = conn->rsp.cfg.peer_qpn,
		.byte_len = d->length,
		.opcode = d->is_send ? IB_WC_RECV : IB_WC_RECV_RDMA_WITH_IMM,
	};
	struct mrc_rwqe *wqe;

	lockdep_assert_held(&conn->rsp_lock);

	/* Already flushed; a failed responder still accepts packets. */
	if (rq->closed)
		return MRC_PLACE_OK;
	/* The payload could not have been placed without the work request. */
	if (WARN_ON_ONCE(rq->head == rq->fetch || d->rqmsn != rq->msn))
		return MRC_PLACE_OK;

	wqe = mrc_rq_wqe(rq, rq->head);
	cqe.wr_id = wqe->wr_id;
	if (d->has_imm) {
		cqe.imm = (__force u32)d->imm;
		cqe.wc_flags = MRC_CQE_WITH_IMM;
	} else if (d->has_inv) {
		cqe.imm = be32_to_cpu(d->imm);
		cqe.wc_flags = MRC_CQE_WITH_INV;
		if (!mrc_region_invalidate(qp, cqe.imm, MRC_ACCESS_REMOTE)) {
			wqe->status = IB_WC_REM_INV_REQ_ERR;
			return MRC_PLACE_INVALID;
		}
	}
	rq->head++;
	rq->msn++;
	mrc_count(conn->nic, RECV_WRS);
	if (d->is_send)
		mrc_count_add(conn->nic, RECV_BYTES, d->length);
	mrc_rq_push(qp, &cqe, d->solicited);
	return MRC_PLACE_OK;
}

/* IBTA 9.8.3: the header precedes the payload in the receive buffer. */
static void mrc_rq_place_datagram(struct mrc_qp *qp, struct mrc_rwqe *wqe,
				  const u8 *grh, struct mrc_rxbuf *rb,
				  u32 offset, u32 len)
{
	struct mrc_rxbuf head;

	mrc_rxbuf_value(&head, grh, MRC_GRH_LEN);
	if (mrc_sge_scatter(qp, wqe->sge, 0, &head, 0, MRC_GRH_LEN) ||
	    mrc_sge_scatter(qp, wqe->sge, MRC_GRH_LEN, rb, offset, len))
		wqe->status = IB_WC_LOC_PROT_ERR;
}

/**
 * mrc_rq_receive_datagram() - place and complete a datagram
 * @conn: connection of the QP
 * @grh: MRC_GRH_LEN bytes to place before the payload
 * @rb: buffer that holds the payload
 * @offset: first byte within @rb
 * @len: bytes
 * @cqe: completion without the fields that depend on the work request
 * @solicited: a solicited event was requested by the sender
 *
 * A datagram that is longer than the receive buffer is dropped: a remote sender must
 * not be able to stop the QP.  A work request with an invalid L_Key is an error of
 * the application, and moves the QP to the error state.
 *
 * Context: rsp_lock held.
 * Return: MRC_DROP_NONE, or the reason for dropping it.
 */
enum mrc_drop mrc_rq_receive_datagram(struct mrc_conn *conn, const u8 *grh,
				      struct mrc_rxbuf *rb, u32 offset, u32 len,
				      struct mrc_cqe *cqe, bool solicited)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_rq *rq = &qp->rq;
	struct mrc_rwqe *wqe;

	lockdep_assert_held(&conn->rsp_lock);

	if (rq->closed || rq->quiet)
		return MRC_DROP_QP_STATE;
	wqe = mrc_rq_find(rq, rq->msn);
	if (!wqe) {
		mrc_rq_no_wqe(qp);
		return MRC_DROP_NO_RECV;
	}
	if (!wqe->status && MRC_GRH_LEN + len > wqe->length)
		return MRC_DROP_NO_RECV;
	if (!wqe->status)
		mrc_rq_place_datagram(qp, wqe, grh, rb, offset, len);
	cqe->wr_id = wqe->wr_id;
	cqe->status = wqe->status;
	rq->head++;
	rq->msn++;
	mrc_rq_push(qp, cqe, solicited || cqe->status);
	if (cqe->status)
		mrc_qp_fail(qp);
	return MRC_DROP_NONE;
}

/**
 * mrc_rq_has_failed_wqe() - will a completion report why the responder failed?
 * @rq: receive queue
 *
 * Context: rsp_lock held.
 * Return: true if a work request will complete with an error other than a flush
 * error.
 */
bool mrc_rq_has_failed_wqe(const struct mrc_rq *rq)
{
	u32 i;

	for (i = rq->head; i != rq->fetch; i++)
		if (mrc_rq_wqe(rq, i)->status)
			return true;
	return false;
}

/**
 * mrc_rq_stop_completions() - write no completions until mrc_rq_reset()
 * @conn: connection of the QP
 */
void mrc_rq_stop_completions(struct mrc_conn *conn)
{
	struct mrc_rq *rq = &mrc_qp_from_conn(conn)->rq;

	spin_lock_bh(&conn->rsp_lock);
	rq->quiet = true;
	spin_unlock_bh(&conn->rsp_lock);
}

/* Completes the oldest work request of a QP in error. */
static void mrc_rq_flush_one(struct mrc_qp *qp)
{
	struct mrc_rq *rq = &qp->rq;
	const struct mrc_rwqe *wqe = mrc_rq_wqe(rq, rq->head++);
	const struct mrc_cqe cqe = {
		.wr_id = wqe->wr_id,
		.qpn = qp->conn.qpn,
		.src_qpn = qp->conn.rsp.cfg.peer_qpn,
		.status = wqe->status ?: IB_WC_WR_FLUSH_ERR,
		.vendor_err = MRC_ERR_FLUSH,
		.opcode = IB_WC_RECV,
	};

	mrc_rq_push(qp, &cqe, true);
}

/*
 * Index behind the last work request to flush.  With an SRQ that is the last one
 * copied to the QP: those in the SRQ remain for other QPs.
 */
static u32 mrc_rq_flush_end(struct mrc_rq *rq)
{
	if (!rq->ring)
		return rq->fetch;
	rq->prod = mrc_ring_arm(rq->ring);
	if (rq->prod - rq->head > rq->entries)
		rq->prod = rq->fetch;
	return rq->prod;
}

/**
 * mrc_rq_flush() - flush the receive queue of a QP in error
 * @conn: connection of the QP; stopped
 *
 * Later posts ring the doorbell, which flushes them as well.
 */
void mrc_rq_flush(struct mrc_conn *conn)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_rq *rq = &qp->rq;
	u32 end;

	spin_lock_bh(&conn->rsp_lock);
	/* Another thread may have moved the QP to RESET and further states. */
	if (READ_ONCE(qp->state) != IB_QPS_ERR)
		goto out;
	rq->closed = true;
	end = mrc_rq_flush_end(rq);
	while (rq->head != end) {
		if (rq->head == rq->fetch)
			mrc_rq_load(rq);
		mrc_rq_flush_one(qp);
	}
	if (rq->ring)
		mrc_ring_set_cons(rq->ring, rq->head);
out:
	spin_unlock_bh(&conn->rsp_lock);
}

/**
 * mrc_rq_reset() - discard all posted work requests (RESET)
 * @conn: connection of the QP; stopped
 */
void mrc_rq_reset(struct mrc_conn *conn)
{
	struct mrc_rq *rq = &mrc_qp_from_conn(conn)->rq;

	spin_lock_bh(&conn->rsp_lock);
	if (rq->ring) {
		mrc_ring_disarm(rq->ring);
		rq->prod = mrc_ring_prod(rq->ring);
	}
	rq->fetch = rq->prod;
	/* Work requests copied from an SRQ are discarded as well. */
	rq->head = rq->prod;
	rq->msn = 0;
	rq->bad = false;
	rq->closed = false;
	rq->quiet = false;
	if (rq->ring)
		mrc_ring_set_cons(rq->ring, rq->head);
	spin_unlock_bh(&conn->rsp_lock);
}
