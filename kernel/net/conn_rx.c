// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receiving side of a connection.
 *
 * The packets of a buffer nearly always belong to one connection and to one
 * side of it.  So a lock is taken with the first packet and kept to the end of
 * the buffer; acknowledgments, completions and new packets follow once, at its
 * end.
 */
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/dst.h>
#include <net/ipv6.h>
#include "core/ack_path.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/peer.h"
#include "net/receive.h"
#include "net/trace.h"

static void mrc_rx_end_rsp(struct mrc_rx *rx)
{
	mrc_conn_check_home(rx->conn);
	mrc_conn_end_rsp(rx->conn, rx->plane, rx->responses);
	rx->rsp = false;
	rx->responses = false;
}

static void mrc_rx_end_req(struct mrc_rx *rx)
{
	struct mrc_conn *conn = rx->conn;
	bool idle;

	__acquire(&conn->req_lock);
	mrc_conn_end_req(conn);
	mrc_conn_follow_poster(conn);
	idle = mrc_conn_is_idle(conn);
	spin_unlock(&conn->req_lock);
	rx->req = false;
	if (!idle)
		mrc_bh_work_queue(&conn->tx_work);
}

static void mrc_rx_count(struct mrc_rx *rx)
{
	struct mrc_nic *nic = rx->conn->nic;

	if (!rx->pkts)
		return;
	mrc_count(nic, RX_BURSTS);
	mrc_count_add(nic, RX_PKTS, rx->pkts);
	mrc_count_add(nic, RX_BYTES, rx->bytes);
	if (rx->skipped)
		mrc_count_add(nic, ICRC_SKIPPED_RX, rx->skipped);
	rx->pkts = 0;
	rx->bytes = 0;
	rx->skipped = 0;
}

/**
 * mrc_conn_rx_end() - the buffer has no more packets for its connection
 * @rx: buffer
 *
 * Context: softirq, RCU read side.
 */
void mrc_conn_rx_end(struct mrc_rx *rx)
{
	bool data = rx->rsp;

	if (!rx->conn)
		return;
	mrc_rx_count(rx);
	if (rx->rsp)
		mrc_rx_end_rsp(rx);
	if (rx->req)
		mrc_rx_end_req(rx);
	if (rx->since)
		rx->since = mrc_conn_worked(rx->conn, rx->since, data);
	rx->conn = NULL;
}

static void mrc_rx_drop(struct mrc_rx *rx, enum mrc_drop reason)
{
	mrc_count_drop(rx->conn->nic, rx->plane, reason);
}

/*
 * Lock the responder; false if it does not receive.  The lock then belongs to @rx.
 * sparse cannot follow that, so for sparse the lock is released.
 */
static bool mrc_rx_begin_rsp(struct mrc_rx *rx)
{
	if (rx->rsp)
		return true;
	if (rx->req)
		mrc_rx_end_req(rx);
	spin_lock(&rx->conn->rsp_lock);
	if (test_bit(MRC_CONN_RX, &rx->conn->flags)) {
		rx->rsp = true;
		__release(&rx->conn->rsp_lock);
		return true;
	}
	spin_unlock(&rx->conn->rsp_lock);
	mrc_rx_drop(rx, MRC_DROP_QP_STATE);
	return false;
}

/* Lock the requester, likewise; false if it does not send. */
static bool mrc_rx_begin_req(struct mrc_rx *rx)
{
	if (rx->req)
		return true;
	if (rx->rsp)
		mrc_rx_end_rsp(rx);
	spin_lock(&rx->conn->req_lock);
	if (test_bit(MRC_CONN_TX, &rx->conn->flags)) {
		rx->req = true;
		__release(&rx->conn->req_lock);
		return true;
	}
	spin_unlock(&rx->conn->req_lock);
	mrc_rx_drop(rx, MRC_DROP_QP_STATE);
	return false;
}

static void mrc_rx_place(struct mrc_rx *rx, const struct mrc_pkt *pkt,
			 u32 offset)
{
	struct mrc_conn *conn = rx->conn;

	switch (conn->ops->rx_place(conn, pkt, &rx->buf,
				    offset + pkt->payload_off)) {
	case MRC_PLACE_OK:
		mrc_rsp_placed(&conn->rsp, pkt, rx->ev, rx->ce);
		rx->responses |= !!(pkt->op->flags & MRC_OPF_RSP);
		rx->pkts++;
		rx->bytes += pkt->payload_len;
		rx->skipped += !!(pkt->flags & MRC_PF_NOICRC);
		break;
	case MRC_PLACE_NOT_READY:
		mrc_rsp_not_ready(&conn->rsp, pkt, conn->rnr_timer);
		break;
	case MRC_PLACE_ACCESS:
		mrc_rsp_fail_pkt(&conn->rsp, pkt->psn, MRC_SYN_NAK_REM_ACCESS);
		break;
	case MRC_PLACE_INVALID:
		mrc_rsp_fail_pkt(&conn->rsp, pkt->psn, MRC_SYN_NAK_INV_REQ);
		break;
	case MRC_PLACE_OP:
		mrc_rsp_fail_pkt(&conn->rsp, pkt->psn, MRC_SYN_NAK_REM_OP);
		break;
	case MRC_PLACE_STALE:
		mrc_rx_drop(rx, MRC_DROP_QP_STATE);
		break;
	}
}

/*
 * Whether the payload is intact as far as can be checked.  A packet without ICRC
 * is accepted if both sides have agreed to omit it.  Otherwise the peer sent it
 * before it received the change, or it is damaged.
 */
static enum mrc_drop mrc_rx_check(const struct mrc_rx *rx,
				  const struct mrc_pkt *pkt, u32 offset)
{
	struct mrc_peer *peer = rx->conn->peer;
	bool agreed;

	if (!(pkt->flags & MRC_PF_NOICRC))
		return MRC_DROP_NONE;
	agreed = READ_ONCE(peer->noicrc);
	if (likely(agreed && rx->checksummed))
		return MRC_DROP_NONE;
	return mrc_rx_check_noicrc(rx, pkt, offset,
				   agreed || mrc_peer_may_omit_icrc(peer));
}

/*
 * The responder needs the time where it limits its acknowledgments, and where it
 * reports its service time.
 */
static void mrc_rx_clock(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	struct mrc_rsp *rsp = &rx->conn->rsp;

	if (unlikely(rsp->cfg.svc_time || mrc_rsp_is_old(rsp, pkt->psn)))
		mrc_rsp_clock(rsp, ktime_get_ns());
}

static void mrc_rx_data(struct mrc_rx *rx, const struct mrc_pkt *pkt,
			u32 offset)
{
	struct mrc_nic *nic = rx->conn->nic;
	u64 ooo = rx->conn->rsp.stats.ooo;
	enum mrc_rsp_verdict verdict;
	enum mrc_drop why;
	u64 limited;

	if (!mrc_rx_begin_rsp(rx))
		return;
	if (pkt->payload_len > rx->conn->pmtu) {
		mrc_rx_drop(rx, MRC_DROP_MTU);
		return;
	}
	why = mrc_rx_check(rx, pkt, offset);
	if (unlikely(why != MRC_DROP_NONE)) {
		mrc_rx_drop(rx, why);
		return;
	}
	if (rx->ce)
		mrc_count(nic, ECN_RX);
	mrc_rx_clock(rx, pkt);
	limited = rx->conn->rsp.stats.old_limited;

	verdict = mrc_rsp_accept(&rx->conn->rsp, pkt, rx->ev, rx->ce);
	trace_mrc_rx_data(rx, pkt, verdict);
	switch (verdict) {
	case MRC_RSP_NEW:
		mrc_rx_place(rx, pkt, offset);
		if (rx->conn->rsp.stats.ooo != ooo)
			mrc_count(nic, OUT_OF_ORDER);
		break;
	case MRC_RSP_DUP:
		mrc_count(nic, DUPLICATES);
		if (unlikely(rx->conn->rsp.stats.old_limited != limited))
			mrc_count(nic, DUP_LIMITED);
		break;
	case MRC_RSP_NACK:
		mrc_count(nic, OUT_OF_WINDOW);
		break;
	case MRC_RSP_DROP:
		mrc_rx_drop(rx, MRC_DROP_WINDOW);
		break;
	}
}

static void mrc_rx_probe(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	struct mrc_rsp *rsp = &rx->conn->rsp;
	u64 limited;

	mrc_count(rx->conn->nic, PROBE_RX);
	if (!mrc_rx_begin_rsp(rx))
		return;
	limited = rsp->stats.probes_limited;
	mrc_rsp_clock(rsp, ktime_get_ns());
	mrc_rsp_on_probe(rsp, pkt, rx->ev, rx->ce);
	if (unlikely(rsp->stats.probes_limited != limited))
		mrc_count(rx->conn->nic, PROBE_LIMITED);
}

/*
 * Acknowledgments of probes that a QP in RTR has sent; false if it has no probe
 * outstanding.
 */
static bool mrc_rx_ack_path(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	struct mrc_conn *conn = rx->conn;
	bool probing;

	if (pkt->op->code != MRC_OP_SACK && pkt->op->code != MRC_OP_ACK)
		return false;
	if (rx->rsp)
		mrc_rx_end_rsp(rx);
	spin_lock(&conn->req_lock);
	probing = test_bit(MRC_CONN_RX, &conn->flags) &&
		  !test_bit(MRC_CONN_TX, &conn->flags) &&
		  conn->evs->ack_paths.next;
	if (probing && pkt->op->code == MRC_OP_SACK) {
		mrc_ack_path_on_sack(conn->evs, &pkt->sack, ktime_get_ns());
		mrc_count(conn->nic, SACK_RX);
	} else if (probing) {
		mrc_count(conn->nic, ACK_RX);
	}
	spin_unlock(&conn->req_lock);
	return probing;
}

/* What a SACK has told congestion control, if it was processed at @now. */
static void mrc_rx_cc(const struct mrc_rx *rx, u64 now)
{
	const struct mrc_cc_ack *ack = &rx->conn->req.cc_ack;

	if (ack->now != now)
		return;
	if (ack->rtt)
		mrc_count_rtt(rx->conn->nic, ack->plane + 1, ack->rtt);
	trace_mrc_cc(rx->conn);
}

static void mrc_rx_ack(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	struct mrc_nic *nic = rx->conn->nic;
	struct mrc_req *req = &rx->conn->req;
	u64 now, stale;

	if (unlikely(!test_bit(MRC_CONN_TX, &rx->conn->flags)) &&
	    mrc_rx_ack_path(rx, pkt))
		return;
	if (!mrc_rx_begin_req(rx))
		return;
	now = ktime_get_ns();
	stale = req->stats.stale + req->stats.old;
	switch (pkt->op->code) {
	case MRC_OP_SACK:
		mrc_req_on_sack(req, pkt, now);
		mrc_count(nic, SACK_RX);
		trace_mrc_sack_rx(rx->conn, &pkt->sack);
		mrc_rx_cc(rx, now);
		break;
	case MRC_OP_ACK:
		if ((pkt->ack.syndrome & MRC_SYN_TYPE_MASK) == MRC_SYN_TYPE_RNR)
			mrc_count(nic, RNR_RX);
		mrc_req_on_ack(req, pkt, now);
		mrc_count(nic, ACK_RX);
		break;
	case MRC_OP_NACK:
		mrc_req_on_nack(req, pkt, now);
		mrc_count(nic, NACK_RX);
		break;
	default:
		mrc_rx_drop(rx, MRC_DROP_OPCODE);
		break;
	}
	if (unlikely(req->stats.stale + req->stats.old != stale))
		mrc_rx_drop(rx, MRC_DROP_STALE);
}

/**
 * mrc_conn_rx_select() - find the connection that a packet is for
 * @rx: received buffer; @conn is set
 * @qpn: destination of the packet
 *
 * Only packets between the addresses of a connection reach it.  No reference is
 * taken: the connection is valid as long as the RCU read side.
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last
 * packet of the buffer.
 * Return: MRC_DROP_NONE, or why the packet is for no connection.
 */
enum mrc_drop mrc_conn_rx_select(struct mrc_rx *rx, u32 qpn)
{
	struct mrc_conn *conn;

	if (rx->conn && rx->conn->qpn == qpn)
		return MRC_DROP_NONE;
	mrc_conn_rx_end(rx);

	conn = mrc_conn_find(dev_net(rx->skb->dev), qpn);
	if (!conn)
		return MRC_DROP_NO_QP;
	if (!test_bit(MRC_CONN_RX, &conn->flags) &&
	    !test_bit(MRC_CONN_TX, &conn->flags))
		return MRC_DROP_QP_STATE;
	smp_rmb(); /* pairs with mrc_conn_open() */
	if (!mrc_conn_is_between(conn, &rx->daddr, &rx->saddr))
		return MRC_DROP_PEER;
	if (unlikely(!READ_ONCE(conn->heard)))
		WRITE_ONCE(conn->heard, true);
	rx->conn = conn;
	return MRC_DROP_NONE;
}

/**
 * mrc_conn_rx() - process a packet for a QP
 * @rx: received buffer; its connection is that of the packet
 * @pkt: decoded and, where it has one, with a correct ICRC
 * @offset: of the packet in the buffer
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last
 * packet of the buffer.
 */
void mrc_conn_rx(struct mrc_rx *rx, const struct mrc_pkt *pkt, u32 offset)
{
	if (pkt->op->code == MRC_OP_PROBE)
		mrc_rx_probe(rx, pkt);
	else if (pkt->op->flags & MRC_OPF_DATA)
		mrc_rx_data(rx, pkt, offset);
	else
		mrc_rx_ack(rx, pkt);
}

/**
 * mrc_conn_rx_trimmed() - process a trimmed packet for a QP
 * @rx: received buffer
 * @pkt: decoded; it has neither payload nor ICRC
 *
 * Its headers cannot be verified, so it causes nothing but a NACK (MRC 1.0 7.5.3).
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last
 * packet of the buffer.
 * Return: MRC_DROP_NONE, or why the packet is for no connection.
 */
enum mrc_drop mrc_conn_rx_trimmed(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	enum mrc_drop why = mrc_conn_rx_select(rx, pkt->dest_qpn);

	if (why)
		return why;
	mrc_count(rx->conn->nic, TRIMMED_RX);
	if (!mrc_rx_begin_rsp(rx))
		return MRC_DROP_NONE;
	trace_mrc_rx_data(rx, pkt, MRC_RSP_NACK);
	mrc_rx_clock(rx, pkt);
	mrc_rsp_nack(&rx->conn->rsp, pkt, rx->ev, rx->trim);
	return MRC_DROP_NONE;
}
