// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receiving side of a connection.
 *
 * The packets of a buffer nearly always belong to one connection and to one
 * side of it, so a lock is taken with the first packet and kept to the end of
 * the buffer; what the buffer has caused (answers, completions, new packets) is
 * done once, at its end.
 */
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/dst.h>
#include <net/ipv6.h>
#include "core/reverse.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/peer.h"
#include "net/receive.h"
#include "net/trace.h"

/* Answers that one buffer can cause are few; more are left to later ones. */
#define MRC_RX_ANSWERS 4

/* ns that a timer runs at least. */
#define MRC_TIMER_MIN (20 * NSEC_PER_USEC)

/* Take what the requester counted over into the NIC's counters. */
static void mrc_conn_count_req(struct mrc_conn *conn)
{
	const struct mrc_req_stats *s = &conn->req.stats;
	struct mrc_req_stats *seen = &conn->seen;
	struct mrc_nic *nic = conn->nic;

	if (s->loss_path != seen->loss_path)
		mrc_count_add(nic, LOSS_PATH, s->loss_path - seen->loss_path);
	if (s->loss_time != seen->loss_time)
		mrc_count_add(nic, LOSS_TIME, s->loss_time - seen->loss_time);
	if (s->timeouts != seen->timeouts)
		mrc_count_add(nic, RETRANS_TIMEOUTS,
			      s->timeouts - seen->timeouts);
	seen->loss_path = s->loss_path;
	seen->loss_time = s->loss_time;
	seen->timeouts = s->timeouts;
}

/**
 * mrc_conn_arm - have the timer run when there is something to do
 * @conn: connection that sends or receives
 *
 * A timer that fires early costs less than moving it with every SACK.  One that
 * is due already waits a little, lest a deadline that cannot be met for want of
 * a path keeps a CPU busy.
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_arm(struct mrc_conn *conn)
{
	u64 at;

	if (test_bit(MRC_CONN_TX, &conn->flags))
		at = min_not_zero(mrc_req_deadline(&conn->req), conn->ports_at);
	else
		at = conn->evs->reverse.next;
	if (!at || (conn->armed && conn->armed <= at))
		return;
	at = max(at, ktime_get_ns() + MRC_TIMER_MIN);
	conn->armed = at;
	hrtimer_start(&conn->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/**
 * mrc_conn_settle - do what a change of the requester has caused
 * @conn: connection that sends
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_settle(struct mrc_conn *conn)
{
	struct mrc_done done;

	lockdep_assert_held(&conn->req_lock);
	mrc_conn_count_req(conn);
	if (unlikely(conn->req.status != MRC_OK))
		mrc_conn_close_results(conn);
	while (mrc_req_pop(&conn->req, &done))
		conn->ops->tx_done(conn, &done);

	if (unlikely(conn->req.status != MRC_OK)) {
		if (conn->failed)
			return;
		conn->failed = true;
		if (conn->req.status == MRC_ERR_RETRY_EXC)
			mrc_count(conn->nic, UNRESPONSIVE_REMOTE);
		conn->ops->tx_failed(conn, conn->req.status);
		return;
	}
	mrc_conn_arm(conn);
}

/**
 * struct mrc_rx_answers - answers to be sent when the lock is released
 * @n: buffers
 * @wake: nobody looks for paths that answers survive
 * @skb: the buffers
 * @dst: their routes
 */
struct mrc_rx_answers {
	u32 n;
	bool wake;
	struct sk_buff *skb[MRC_RX_ANSWERS];
	struct dst_entry *dst[MRC_RX_ANSWERS];
};

/* For who watches: the SACKs of an answer, as the peer will read them. */
static void mrc_rx_trace_answer(const struct mrc_conn *conn,
				const struct mrc_answer *answer)
{
	struct mrc_pkt pkt;
	u32 at, len;

	for (at = 0; at < answer->len; at += len) {
		len = min_t(u32, answer->seg, answer->len - at);
		if (!mrc_pkt_decode_hdr(answer->buf + at, len, len, &pkt) &&
		    pkt.op->code == MRC_OP_SACK)
			trace_mrc_sack_tx(conn, &pkt.sack);
	}
}

/*
 * Answers go back over the plane the data came in on: both of its host links
 * have just been seen to work.  Which of its paths is up to the core.
 */
static bool mrc_rx_put(struct mrc_rx *rx, struct mrc_rx_answers *out,
		       struct mrc_answer *answer)
{
	struct mrc_conn *conn = rx->conn;
	struct sk_buff *skb;
	int path = mrc_reverse_pick(conn->evs, rx->plane, answer->doubt,
				    &conn->ctl_cursor);

	if (path < 0) {
		mrc_count(conn->nic, NO_PATH);
		return false;
	}
	skb = mrc_conn_control(conn, answer->buf, answer->len, answer->seg,
			       path, MRC_DSCP_CONTROL << 2, &out->dst[out->n]);
	if (!skb)
		return false;
	out->skb[out->n++] = skb;
	return true;
}

/* Returns true if an answer could not be sent. */
static bool mrc_rx_collect(struct mrc_rx *rx, struct mrc_rx_answers *out)
{
	struct mrc_conn *conn = rx->conn;
	struct mrc_answer answer;
	bool stuck = false;
	u8 i;

	while (out->n < MRC_RX_ANSWERS && mrc_rsp_answer(&conn->rsp, &answer)) {
		if (answer.data)
			out->wake = mrc_reverse_used(conn->evs);
		if (trace_mrc_sack_tx_enabled())
			mrc_rx_trace_answer(conn, &answer);
		stuck |= !mrc_rx_put(rx, out, &answer);
		for (i = 1; i < answer.copies && out->n < MRC_RX_ANSWERS; i++)
			mrc_rx_put(rx, out, &answer);
	}
	return stuck;
}

/* A responder that never sends requests has nobody else to look at ports. */
static void mrc_rx_look_for_paths(struct mrc_conn *conn)
{
	spin_lock(&conn->req_lock);
	conn->epoch--;
	mrc_conn_take_ports(conn, ktime_get_ns());
	spin_unlock(&conn->req_lock);
}

/* Data is being answered: the core wants to know which paths answers survive. */
static void mrc_rx_wake_reverse(struct mrc_conn *conn)
{
	spin_lock(&conn->req_lock);
	if (test_bit(MRC_CONN_RX, &conn->flags)) {
		mrc_reverse_wake(conn->evs, ktime_get_ns());
		mrc_conn_arm(conn);
	}
	spin_unlock(&conn->req_lock);
}

static void mrc_rx_count_rsp(struct mrc_nic *nic, const struct mrc_rsp_stats *s,
			     const struct mrc_rsp_stats *was)
{
	if (s->sacks != was->sacks)
		mrc_count_add(nic, SACK_TX, s->sacks - was->sacks);
	if (s->acks != was->acks)
		mrc_count_add(nic, ACK_TX, s->acks - was->acks);
	if (s->nacks != was->nacks)
		mrc_count_add(nic, NACK_TX, s->nacks - was->nacks);
	if (s->rnr_naks != was->rnr_naks)
		mrc_count_add(nic, RNR_TX, s->rnr_naks - was->rnr_naks);
}

static void mrc_rx_end_rsp(struct mrc_rx *rx)
{
	struct mrc_conn *conn = rx->conn;
	struct mrc_rsp *rsp = &conn->rsp;
	struct mrc_rx_answers answers = {};
	struct mrc_rsp_stats was;
	bool stuck, owed, results = rx->results;
	struct mrc_delivery d;
	u32 i;

	lockdep_assert_held(&conn->rsp_lock);
	__acquire(&conn->rsp_lock);
	while (mrc_rsp_pop(rsp, &d))
		if (conn->ops->rx_deliver(conn, &d) != MRC_PLACE_OK)
			mrc_rsp_refuse(rsp, d.last_psn, MRC_SYN_NAK_INV_REQ);
	owed = mrc_conn_carry_out(conn);

	was.sacks = rsp->stats.sacks;
	was.acks = rsp->stats.acks;
	was.nacks = rsp->stats.nacks;
	was.rnr_naks = rsp->stats.rnr_naks;
	stuck = mrc_rx_collect(rx, &answers);
	mrc_rx_count_rsp(conn->nic, &rsp->stats, &was);

	if (unlikely(mrc_rsp_dead(rsp)) && !conn->rsp_failed) {
		conn->rsp_failed = true;
		conn->ops->rx_failed(conn, rsp->fail_syndrome);
	}
	spin_unlock(&conn->rsp_lock);
	rx->rsp = false;
	rx->results = false;
	if (unlikely(stuck))
		mrc_rx_look_for_paths(conn);
	if (unlikely(answers.wake))
		mrc_rx_wake_reverse(conn);

	for (i = 0; i < answers.n; i++)
		mrc_encap_xmit(answers.skb[i], answers.dst[i], conn->v4);
	if (results)
		mrc_conn_take_results(conn, ktime_get_ns());
	if (owed)
		tasklet_schedule(&conn->task);
}

/**
 * mrc_conn_refuse - turn down a request for a result after all
 * @conn: connection
 * @psn: of the packet that asked
 *
 * The memory that a READ asked for has gone since its turn came.  The peer is
 * told at once; it asks again if that gets lost.
 *
 * Context: softirq or BH off, RCU read side; no lock held.
 */
void mrc_conn_refuse(struct mrc_conn *conn, u32 psn)
{
	struct mrc_rx rx = { .conn = conn };

	spin_lock(&conn->rsp_lock);
	if (!test_bit(MRC_CONN_RX, &conn->flags)) {
		spin_unlock(&conn->rsp_lock);
		return;
	}
	mrc_rsp_refuse(&conn->rsp, psn, MRC_SYN_NAK_REM_ACCESS);
	__release(&conn->rsp_lock);
	mrc_rx_end_rsp(&rx);
}

static void mrc_rx_end_req(struct mrc_rx *rx)
{
	struct mrc_conn *conn = rx->conn;

	__acquire(&conn->req_lock);
	mrc_conn_settle(conn);
	spin_unlock(&conn->req_lock);
	rx->req = false;
	tasklet_schedule(&conn->task);
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
 * mrc_conn_rx_end - no more packets of this buffer for its connection
 * @rx: buffer
 *
 * Context: softirq, RCU read side.
 */
void mrc_conn_rx_end(struct mrc_rx *rx)
{
	if (!rx->conn)
		return;
	mrc_rx_count(rx);
	if (rx->rsp)
		mrc_rx_end_rsp(rx);
	if (rx->req)
		mrc_rx_end_req(rx);
	rx->conn = NULL;
}

static void mrc_rx_drop(struct mrc_rx *rx, enum mrc_drop reason)
{
	this_cpu_inc(rx->conn->nic->stats->c[mrc_counter_of_drop(reason)]);
	mrc_count(rx->conn->nic, RX_DROPS);
}

/*
 * Lock the responder's side; false if it does not receive.  The lock belongs to
 * @rx then; sparse, which cannot follow that, is told that it is not held.
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

/* Lock the requester's side, likewise; false if it does not send. */
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
		rx->results |= !!(pkt->op->flags & MRC_OPF_RSP);
		rx->pkts++;
		rx->bytes += pkt->payload_len;
		rx->skipped += !!(pkt->flags & MRC_PF_NOICRC);
		break;
	case MRC_PLACE_NOT_READY:
		mrc_rsp_not_ready(&conn->rsp, pkt, conn->rnr_timer);
		break;
	case MRC_PLACE_ACCESS:
		mrc_rsp_fail(&conn->rsp, pkt->psn, MRC_SYN_NAK_REM_ACCESS);
		break;
	case MRC_PLACE_INVALID:
		mrc_rsp_fail(&conn->rsp, pkt->psn, MRC_SYN_NAK_INV_REQ);
		break;
	case MRC_PLACE_OP:
		mrc_rsp_fail(&conn->rsp, pkt->psn, MRC_SYN_NAK_REM_OP);
		break;
	case MRC_PLACE_LATE:
		mrc_rx_drop(rx, MRC_DROP_QP_STATE);
		break;
	}
}

/*
 * Is the payload of a packet what was sent, as far as that can be seen?  Where it
 * is agreed on to leave out the ICRC, packets tell; where it is not, what says to
 * have none was sent before its sender was told, or is damaged.
 */
static bool mrc_rx_is_whole(const struct mrc_rx *rx, const struct mrc_pkt *pkt,
			    u32 offset)
{
	return !(pkt->flags & MRC_PF_NOICRC) ||
	       likely(READ_ONCE(rx->conn->peer->noicrc)) ||
	       mrc_receive_left_out(rx, pkt, offset);
}

static void mrc_rx_data(struct mrc_rx *rx, const struct mrc_pkt *pkt,
			u32 offset)
{
	struct mrc_nic *nic = rx->conn->nic;
	u64 ooo = rx->conn->rsp.stats.ooo;
	enum mrc_rsp_verdict verdict;

	if (!mrc_rx_begin_rsp(rx))
		return;
	if (pkt->payload_len > rx->conn->pmtu) {
		mrc_rx_drop(rx, MRC_DROP_MTU);
		return;
	}
	if (!mrc_rx_is_whole(rx, pkt, offset)) {
		mrc_rx_drop(rx, MRC_DROP_ICRC);
		return;
	}
	if (rx->ce)
		mrc_count(nic, ECN_RX);

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
		break;
	case MRC_RSP_NACK:
		mrc_count(nic, OUT_OF_WINDOW);
		break;
	case MRC_RSP_DROP:
		mrc_rx_drop(rx, MRC_DROP_WINDOW);
		break;
	}
}

/*
 * Answers to the probes of a QP that receives and is not ready to send; false if
 * it cannot have sent any.
 */
static bool mrc_rx_reverse(struct mrc_rx *rx, const struct mrc_pkt *pkt)
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
		  conn->evs->reverse.next;
	if (probing && pkt->op->code == MRC_OP_SACK) {
		mrc_reverse_on_sack(conn->evs, &pkt->sack, ktime_get_ns());
		mrc_count(conn->nic, SACK_RX);
	} else if (probing) {
		mrc_count(conn->nic, ACK_RX);
	}
	spin_unlock(&conn->req_lock);
	return probing;
}

static void mrc_rx_answer(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	struct mrc_nic *nic = rx->conn->nic;
	struct mrc_req *req = &rx->conn->req;
	u64 now, stale;

	if (unlikely(!test_bit(MRC_CONN_TX, &rx->conn->flags)) &&
	    mrc_rx_reverse(rx, pkt))
		return;
	if (!mrc_rx_begin_req(rx))
		return;
	now = ktime_get_ns();
	stale = req->stats.stale;
	switch (pkt->op->code) {
	case MRC_OP_SACK:
		mrc_req_on_sack(req, pkt, now);
		mrc_count(nic, SACK_RX);
		trace_mrc_sack_rx(rx->conn, &pkt->sack);
		if (req->told.now == now)
			trace_mrc_cc(rx->conn);
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
	if (unlikely(req->stats.stale != stale))
		mrc_rx_drop(rx, MRC_DROP_STALE);
}

/* Answers are for those who ask under the right address only. */
static bool mrc_rx_select(struct mrc_rx *rx, u32 qpn, enum mrc_drop *why)
{
	struct mrc_conn *conn;

	if (rx->conn && rx->conn->qpn == qpn)
		return true;
	mrc_conn_rx_end(rx);

	*why = MRC_DROP_NO_QP;
	conn = mrc_conn_find(qpn);
	if (!conn)
		return false;
	*why = MRC_DROP_QP_STATE;
	if (!test_bit(MRC_CONN_RX, &conn->flags) &&
	    !test_bit(MRC_CONN_TX, &conn->flags))
		return false;
	smp_rmb(); /* pairs with mrc_conn_open() */
	*why = MRC_DROP_PEER;
	if (!ipv6_addr_equal(&conn->attr.sgid, &rx->daddr) ||
	    !ipv6_addr_equal(&conn->attr.dgid, &rx->saddr))
		return false;
	rx->conn = conn;
	return true;
}

/**
 * mrc_conn_rx - a packet for a QP
 * @rx: buffer it came in
 * @pkt: decoded and, where it has one, with a correct ICRC
 * @offset: of the packet in the buffer
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last
 * packet of the buffer.
 * Return: MRC_DROP_NONE, or why the packet is for no connection.
 */
enum mrc_drop mrc_conn_rx(struct mrc_rx *rx, const struct mrc_pkt *pkt,
			  u32 offset)
{
	enum mrc_drop why;

	if (!mrc_rx_select(rx, pkt->dest_qpn, &why))
		return why;

	if (pkt->op->code == MRC_OP_PROBE) {
		mrc_count(rx->conn->nic, PROBE_RX);
		if (mrc_rx_begin_rsp(rx))
			mrc_rsp_on_probe(&rx->conn->rsp, pkt, rx->ev, rx->ce);
	} else if (pkt->op->flags & MRC_OPF_DATA) {
		mrc_rx_data(rx, pkt, offset);
	} else {
		mrc_rx_answer(rx, pkt);
	}
	return MRC_DROP_NONE;
}

/**
 * mrc_conn_rx_trimmed - what is left of a packet for a QP
 * @rx: buffer it came in
 * @pkt: decoded; neither its payload nor its ICRC is there
 *
 * Nobody vouches for what it says, so all it can cause is a NACK (MRC 1.0 7.5.3).
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last
 * packet of the buffer.
 * Return: MRC_DROP_NONE, or why the packet is for no connection.
 */
enum mrc_drop mrc_conn_rx_trimmed(struct mrc_rx *rx, const struct mrc_pkt *pkt)
{
	enum mrc_drop why;

	if (!mrc_rx_select(rx, pkt->dest_qpn, &why))
		return why;
	mrc_count(rx->conn->nic, TRIMMED_RX);
	if (!mrc_rx_begin_rsp(rx))
		return MRC_DROP_NONE;
	trace_mrc_rx_data(rx, pkt, MRC_RSP_NACK);
	mrc_rsp_nack(&rx->conn->rsp, pkt, rx->ev, rx->trim);
	return MRC_DROP_NONE;
}
