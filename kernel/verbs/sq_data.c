// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: the payload of its packets, and the places of the results that it
 * asked for.
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
