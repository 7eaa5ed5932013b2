// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: the payload of its packets, and the placement of READ and ATOMIC
 * responses.
 */
#include <rdma/ib_verbs.h>
#include "net/rxbuf.h"
#include "net/txbuf.h"
#include "verbs/qp.h"
#include "verbs/sge.h"
#include "verbs/sq.h"
#include "verbs/swqe.h"

/**
 * mrc_sq_payload() - supply payload; &struct mrc_conn_ops.tx_payload
 * @conn: connection of the QP
 * @cookie: from the descriptor of the message
 * @offset: first byte within the message
 * @len: bytes
 * @tb: buffer being built
 *
 * Context: req_lock held, RCU read side, BH off.
 * Return: MRC_OK or the status with which the message must end: a region may have
 * been deregistered since the work request was fetched.
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
 * mrc_sq_response() - supply payload of a READ response; &struct
 *	mrc_conn_ops.tx_response
 * @conn: connection of the QP
 * @msg: the response message
 * @offset: first byte within it
 * @len: bytes
 * @tb: buffer being built
 *
 * Context: req_lock held, RCU read side, BH off.
 * Return: MRC_OK, or another status if the region or the access flags of the QP no
 * longer permit the READ, which they did when the request was accepted.
 */
enum mrc_status mrc_sq_response(struct mrc_conn *conn,
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

/* Not inlined: kernels that zero the stack would zero @value for each packet of a READ. */
static noinline enum mrc_place mrc_sq_place_atomic(struct mrc_qp *qp,
						   const struct mrc_sge *sge, u64 orig)
{
	struct mrc_rxbuf value;

	mrc_rxbuf_value(&value, &orig, sizeof(orig));
	return mrc_sge_scatter(qp, sge, 0, &value, 0, sizeof(orig));
}

static enum mrc_place mrc_sq_place_locked(struct mrc_qp *qp,
					  const struct mrc_pkt *pkt,
					  struct mrc_rxbuf *rb, u32 offset)
{
	struct mrc_rd_pending *pending = &qp->conn.rd_pending;
	const struct mrc_rd_pending_entry *entry =
		mrc_rd_pending_find(pending, pkt);
	enum mrc_place place;
	struct mrc_swqe *wqe;

	if (pending->closed)
		return MRC_PLACE_STALE;
	if (!entry)
		return MRC_PLACE_INVALID;
	wqe = mrc_sq_wqe(&qp->sq, entry->cookie);
	if (entry->atomic)
		place = mrc_sq_place_atomic(qp, wqe->sge, pkt->orig);
	else
		place = mrc_sge_scatter(qp, wqe->sge, pkt->va, rb, offset,
					pkt->payload_len);
	if (place == MRC_PLACE_OK) {
		mrc_rd_pending_placed(pending, pkt);
	} else if (place == MRC_PLACE_OP) {
		WRITE_ONCE(wqe->unplaced, true);
		WRITE_ONCE(qp->sq.unplaced, true);
	}
	return place;
}

/**
 * mrc_sq_place() - place a packet of a READ or ATOMIC response
 * @conn: connection of the QP
 * @pkt: packet with MRC_OPF_RSP that has not been placed before
 * @rb: buffer that holds its payload
 * @offset: first byte within @rb
 *
 * Context: rsp_lock held.  rda_lock, which protects the pending requests, keeps the
 * work request from completing meanwhile.
 * Return: enum mrc_place; MRC_PLACE_STALE if the pending requests have been flushed.
 */
enum mrc_place mrc_sq_place(struct mrc_conn *conn, const struct mrc_pkt *pkt,
			    struct mrc_rxbuf *rb, u32 offset)
{
	enum mrc_place place;

	lockdep_assert_held(&conn->rsp_lock);
	spin_lock(&conn->rda_lock);
	place = mrc_sq_place_locked(mrc_qp_from_conn(conn), pkt, rb, offset);
	spin_unlock(&conn->rda_lock);
	return place;
}
