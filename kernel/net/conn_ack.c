// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control packets of a connection, and the acknowledgments of its responder.
 *
 * The receiving side calls this at the end of each buffer.  The sending side uses
 * it for probes, and for the one NAK that it causes: that of a READ whose memory
 * has been invalidated since the request was accepted.
 */
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/dst.h>
#include "core/ack_path.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/trace.h"

/* Buffers of acknowledgments per received buffer; the rest waits for the next one. */
#define MRC_CONN_ACKS 4

/**
 * struct mrc_conn_acks - acknowledgments to be sent when the lock is released
 * @n: buffers
 * @wake: data arrives, and probes of ACK paths have to start
 * @skb: the buffers
 * @dst: their routes
 */
struct mrc_conn_acks {
	u32 n;
	bool wake;
	struct sk_buff *skb[MRC_CONN_ACKS];
	struct dst_entry *dst[MRC_CONN_ACKS];
};

/**
 * mrc_conn_control() - build a buffer of control packets
 * @conn: open connection
 * @c: the packets
 * @dst: set to the route
 *
 * Context: BH off, RCU read side.
 * Return: the buffer for mrc_encap_xmit(), or NULL.
 */
struct sk_buff *mrc_conn_control(struct mrc_conn *conn,
				 const struct mrc_control *c,
				 struct dst_entry **dst)
{
	struct mrc_route *route;
	struct mrc_flow flow;
	struct sk_buff *skb;

	mrc_conn_flow(conn, c->path, c->tos, &flow, &route);
	*dst = mrc_route_get(conn->nic, route, &flow);
	if (!*dst)
		return NULL;
	skb = alloc_skb(MRC_ENCAP_HEADROOM + c->len + c->pad, GFP_ATOMIC);
	if (!skb)
		return NULL;

	skb_reserve(skb, MRC_ENCAP_HEADROOM);
	skb_put_data(skb, c->data, c->len);
	skb_put_zero(skb, c->pad);
	if (c->len > c->seg) {
		skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
		skb_shinfo(skb)->gso_size = c->seg;
		skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(c->len, c->seg);
	}
	mrc_encap_push(skb, &flow);
	mrc_encap_icrc(skb, &flow);
	return skb;
}

/* Trace the SACKs of a batch as the peer will decode them. */
static void mrc_conn_trace_acks(const struct mrc_conn *conn,
				const struct mrc_ack_batch *batch)
{
	struct mrc_pkt pkt;
	u32 at, len;

	for (at = 0; at < batch->len; at += len) {
		len = min_t(u32, batch->seg, batch->len - at);
		if (!mrc_pkt_decode_hdr(batch->buf + at, len, len, &pkt) &&
		    pkt.op->code == MRC_OP_SACK)
			trace_mrc_sack_tx(conn, &pkt.sack);
	}
}

/*
 * Acknowledgments take the plane on which the data arrived: both of its host
 * links have just carried a packet.  The core chooses the path.
 */
static bool mrc_conn_put_acks(struct mrc_conn *conn, u8 plane,
			      struct mrc_conn_acks *out,
			      struct mrc_ack_batch *batch)
{
	u32 *cursor = &conn->ctl_cursor[plane <= MRC_PLANE_MAX ? plane : 0];
	int path = mrc_ack_path_pick(conn->evs, plane, batch->health, cursor);
	struct mrc_control control = {
		.data = batch->buf,
		.len = batch->len,
		.seg = batch->seg,
		.path = path,
		.tos = MRC_DSCP_CONTROL << 2,
	};
	struct sk_buff *skb;

	if (path < 0) {
		mrc_count(conn->nic, NO_PATH);
		return false;
	}
	skb = mrc_conn_control(conn, &control, &out->dst[out->n]);
	if (!skb)
		return false;
	out->skb[out->n++] = skb;
	return true;
}

/* Returns true if a batch could not be sent. */
static bool mrc_conn_build_acks(struct mrc_conn *conn, u8 plane,
				struct mrc_conn_acks *out)
{
	struct mrc_ack_batch batch;
	bool stuck = false;
	u8 i;

	while (out->n < MRC_CONN_ACKS &&
	       mrc_rsp_build_acks(&conn->rsp, &batch)) {
		if (batch.data)
			out->wake = mrc_ack_path_used(conn->evs);
		if (trace_mrc_sack_tx_enabled())
			mrc_conn_trace_acks(conn, &batch);
		stuck |= !mrc_conn_put_acks(conn, plane, out, &batch);
		for (i = 1; i < batch.copies && out->n < MRC_CONN_ACKS; i++)
			mrc_conn_put_acks(conn, plane, out, &batch);
	}
	return stuck;
}

/* A connection that never sends reads the state of ports here. */
static void mrc_conn_force_refresh(struct mrc_conn *conn)
{
	spin_lock(&conn->req_lock);
	conn->epoch--;
	mrc_conn_refresh_ports(conn, ktime_get_ns());
	spin_unlock(&conn->req_lock);
}

/* Data arrives: start the probes that test which paths carry acknowledgments. */
static void mrc_conn_wake_ack_paths(struct mrc_conn *conn)
{
	spin_lock(&conn->req_lock);
	if (test_bit(MRC_CONN_RX, &conn->flags)) {
		mrc_ack_path_wake(conn->evs, ktime_get_ns());
		mrc_conn_arm(conn);
	}
	spin_unlock(&conn->req_lock);
}

static void mrc_conn_count_acks(struct mrc_nic *nic,
				const struct mrc_rsp_stats *s,
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

/**
 * mrc_conn_end_rsp() - finish what received packets have caused at the responder
 * @conn: connection
 * @plane: 1-based port that received the packets; 0: none of the NIC's
 * @responses: READ or ATOMIC responses are among them
 *
 * Delivers messages, executes READ and ATOMIC requests, and sends
 * acknowledgments and a lone response.
 *
 * Context: softirq or BH off, RCU read side; rsp_lock held, is released.
 */
void mrc_conn_end_rsp(struct mrc_conn *conn, u8 plane, bool responses)
{
	struct mrc_rsp *rsp = &conn->rsp;
	struct mrc_conn_acks acks = {};
	struct mrc_rsp_stats was;
	struct mrc_delivery d;
	u32 i, response_pkts;
	bool stuck;

	lockdep_assert_held(&conn->rsp_lock);
	__acquire(&conn->rsp_lock);
	while (mrc_rsp_pop(rsp, &d))
		if (conn->ops->rx_deliver(conn, &d) != MRC_PLACE_OK)
			mrc_rsp_fail_msg(rsp, d.last_psn, MRC_SYN_NAK_INV_REQ);
	response_pkts = mrc_conn_execute(conn);

	was.sacks = rsp->stats.sacks;
	was.acks = rsp->stats.acks;
	was.nacks = rsp->stats.nacks;
	was.rnr_naks = rsp->stats.rnr_naks;
	if (rsp->cfg.svc_time)
		mrc_rsp_clock(rsp, ktime_get_ns());
	stuck = mrc_conn_build_acks(conn, plane, &acks);
	mrc_conn_count_acks(conn->nic, &rsp->stats, &was);

	if (unlikely(mrc_rsp_failed(rsp)) && !conn->rsp_failed) {
		conn->rsp_failed = true;
		conn->ops->rx_failed(conn, rsp->fail_syndrome);
	}
	spin_unlock(&conn->rsp_lock);
	if (unlikely(stuck))
		mrc_conn_force_refresh(conn);
	if (unlikely(acks.wake))
		mrc_conn_wake_ack_paths(conn);

	for (i = 0; i < acks.n; i++)
		mrc_encap_xmit(conn->nic, acks.skb[i], acks.dst[i], conn->v4);
	if (responses)
		mrc_conn_complete_rd_atomic(conn, ktime_get_ns());
	if (response_pkts)
		mrc_conn_respond(conn, response_pkts);
}

/**
 * mrc_conn_refuse() - refuse a READ request that has been accepted
 * @conn: connection
 * @psn: PSN of the request
 *
 * Its memory was invalidated after the request was accepted.  The NAK leaves at
 * once; a probe of the peer repeats it if it is lost.
 *
 * Context: softirq or BH off, RCU read side; no lock held.
 */
void mrc_conn_refuse(struct mrc_conn *conn, u32 psn)
{
	spin_lock(&conn->rsp_lock);
	if (!test_bit(MRC_CONN_RX, &conn->flags)) {
		spin_unlock(&conn->rsp_lock);
		return;
	}
	mrc_rsp_fail_msg(&conn->rsp, psn, MRC_SYN_NAK_REM_ACCESS);
	__release(&conn->rsp_lock);
	mrc_conn_end_rsp(conn, 0, false);
}
