// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sending side of a connection: from work requests to buffers on a plane.
 */
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include "core/psn.h"
#include "core/ack_path.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/home.h"
#include "net/peer.h"
#include "net/trace.h"
#include "net/txbuf.h"

/* Bursts built under the lock before they are sent. */
#define MRC_CONN_BATCH 8

/*
 * Batches that a doorbell sends before it leaves the rest to the BH work: up to
 * 128 MiB in full bursts, or 4,096 datagrams.
 */
#define MRC_CONN_ROUNDS 256

/**
 * struct mrc_tx_item - a buffer and its route
 * @skb: buffer
 * @dst: route, valid on the RCU read side
 */
struct mrc_tx_item {
	struct sk_buff *skb;
	struct dst_entry *dst;
};

/**
 * struct mrc_tx_batch - buffers to be sent when the lock is released
 * @conn: connection
 * @now: ns
 * @refused: the memory of a READ response is not accessible any more
 * @refused_psn: PSN of its request, valid with @refused
 * @n: buffers
 * @item: the buffers; a burst can take more than one
 */
struct mrc_tx_batch {
	struct mrc_conn *conn;
	u64 now;
	bool refused;
	u32 refused_psn;
	u32 n;
	struct mrc_tx_item item[MRC_CONN_BATCH + MRC_BURST_MAX];
};

/*
 * Data packets are ECN-capable if congestion control reacts to marks.  A DSCP that
 * means "trimmed" is replaced: only a switch may set it.
 */
static u8 mrc_conn_data_tos(const struct mrc_conn *conn)
{
	u8 dscp = conn->attr.tclass >> 2;

	if (mrc_dscp_trim(dscp))
		dscp = MRC_DSCP_NO_TRIM;
	return dscp << 2 | (mrc_cc_reacts(&conn->req.cc) ? INET_ECN_ECT_0 :
							   INET_ECN_NOT_ECT);
}

/* The next message.  Responses go first, since the peer is waiting for them. */
static bool mrc_conn_fetch_one(struct mrc_conn *conn, struct mrc_msg_desc *d)
{
	return mrc_conn_next_response(conn, d) ||
	       (!conn->response_only && conn->ops->tx_fetch(conn, d));
}

/*
 * Take messages until more than two bursts are unsent: then the first of them has
 * full length and requests no acknowledgment for want of more data.
 */
static void mrc_conn_fetch(struct mrc_conn *conn)
{
	struct mrc_req *req = &conn->req;
	struct mrc_msg_desc d;

	while (mrc_req_unsent(req) <= 2 * req->cfg.burst &&
	       mrc_req_free_slots(req)) {
		if (!mrc_conn_fetch_one(conn, &d))
			return;
		mrc_req_post(req, &d);
	}
}

/**
 * mrc_conn_is_idle() - is there nothing to send before a doorbell rings or a timer expires?
 * @conn: connection with a requester
 *
 * Then nobody need look for what an acknowledgment has permitted.  While it is done, the
 * thread that has sent a lone message and waits for the next one is held up.
 *
 * Context: req_lock held.
 * Return: true if so.
 */
bool mrc_conn_is_idle(struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	/* Whoever queues a response after this has it sent. */
	return mrc_req_is_idle(&conn->req) &&
	       READ_ONCE(conn->resp_head) == conn->resp_tail &&
	       (conn->response_only || conn->ops->tx_idle(conn));
}

static enum mrc_status mrc_conn_payload(struct mrc_conn *conn,
					const struct mrc_burst_pkt *bp,
					struct mrc_txbuf *tb)
{
	if (unlikely(bp->msg->flags & MRC_MSG_RESPONSE))
		return conn->ops->tx_response(conn, bp->msg, bp->offset,
					    bp->hdr.payload_len, tb);
	return conn->ops->tx_payload(conn, bp->cookie, bp->offset,
				     bp->hdr.payload_len, tb);
}

static void mrc_conn_no_payload(struct mrc_tx_batch *batch,
				const struct mrc_burst_pkt *bp,
				enum mrc_status status)
{
	if (!(bp->msg->flags & MRC_MSG_RESPONSE)) {
		mrc_req_abort(&batch->conn->req, bp->cookie, status);
		return;
	}
	batch->refused = true;
	batch->refused_psn = bp->msg->psn;
}

/* One packet into the buffer; false if it did not fit or has no memory. */
static bool mrc_conn_put(struct mrc_tx_batch *batch, struct mrc_txbuf *tb,
			 const struct mrc_burst_pkt *bp)
{
	struct mrc_conn *conn = batch->conn;
	const struct mrc_pkt_data *d = &bp->hdr;
	u32 trailer = mrc_pkt_trailer_len(d->payload_len);
	enum mrc_status status = MRC_OK;
	u8 *p;

	p = mrc_txbuf_put(tb, mrc_pkt_hdr_len(d->opcode, d->flags));
	if (!p)
		return false;
	mrc_pkt_put_data(p, d);
	if (mrc_opcode_get(d->opcode)->flags & MRC_OPF_RD_ATOMIC)
		mrc_conn_rd_atomic_sent(conn, bp);
	if (d->payload_len)
		status = mrc_conn_payload(conn, bp, tb);
	if (tb->overflow)
		return false;
	if (status != MRC_OK) {
		mrc_conn_no_payload(batch, bp, status);
		return false;
	}
	p = mrc_txbuf_put(tb, trailer);
	if (!p)
		return false;
	memset(p, 0, trailer);
	return true;
}

/**
 * struct mrc_tx_build - a burst being turned into buffers
 * @batch: where they go
 * @b: burst
 * @flow: its path
 * @dst: its route
 * @next: first packet that is in no buffer yet
 * @noicrc: its packets have no ICRC
 */
struct mrc_tx_build {
	struct mrc_tx_batch *batch;
	const struct mrc_burst *b;
	struct mrc_flow flow;
	struct dst_entry *dst;
	u8 next;
	bool noicrc;
};

static void mrc_conn_first(const struct mrc_tx_build *build,
			   struct mrc_burst_pkt *bp)
{
	mrc_req_burst_pkt(&build->batch->conn->req, build->b, build->next,
			  build->batch->now, bp);
	if (build->noicrc)
		bp->hdr.flags |= MRC_PF_NOICRC;
}

/* @bp: packet @i - 1 of the burst, becomes packet @i. */
static void mrc_conn_next(const struct mrc_tx_build *build, u8 i,
			  struct mrc_burst_pkt *bp)
{
	mrc_req_burst_next(&build->batch->conn->req, build->b, i,
			   build->batch->now, bp);
	if (build->noicrc)
		bp->hdr.flags |= MRC_PF_NOICRC;
}

/* As many packets as fit; returns their number. */
static u8 mrc_conn_fill(struct mrc_tx_build *build, struct mrc_txbuf *tb,
			struct mrc_burst_pkt *bp, u8 max)
{
	struct mrc_txbuf_save save;
	u8 n = 0;

	do {
		mrc_txbuf_save(tb, &save);
		if (!mrc_conn_put(build->batch, tb, bp))
			break;
		if (++n == max)
			return n;
		mrc_conn_next(build, build->next + n, bp);
	} while (true);

	if (n)
		mrc_txbuf_restore(tb, &save);
	return n;
}

/*
 * The next buffer of a burst.  Normally it takes the whole burst.  Payload that
 * is scattered too much for one buffer is spread over several, and copied if
 * not even one packet fits.  An ICRC is computed over a private copy only: the
 * application may write to its memory meanwhile.
 */
static bool mrc_conn_build(struct mrc_tx_build *build, bool copy)
{
	struct mrc_tx_batch *batch = build->batch;
	struct mrc_txbuf tb = {
		.copy = copy || !build->noicrc,
		.chained = build->dst->dev->features & NETIF_F_FRAGLIST,
	};
	struct mrc_burst_pkt bp;
	u32 hdr_len, seg;
	u8 max, n;

	max = tb.copy ? 1 : build->b->n - build->next;
	mrc_conn_first(build, &bp);
	hdr_len = mrc_pkt_hdr_len(bp.hdr.opcode, bp.hdr.flags);
	seg = hdr_len + bp.hdr.payload_len +
	      mrc_pkt_trailer_len(bp.hdr.payload_len);

	if (mrc_txbuf_init(&tb, max, hdr_len, bp.hdr.payload_len)) {
		mrc_count(batch->conn->nic, TX_NOMEM);
		return false;
	}
	n = mrc_conn_fill(build, &tb, &bp, max);
	if (!n) {
		mrc_txbuf_free(&tb);
		return tb.overflow && !tb.copy && mrc_conn_build(build, true);
	}

	build->next += n;
	batch->item[batch->n].skb = mrc_txbuf_finish(&tb, seg, n);
	batch->item[batch->n].dst = build->dst;
	mrc_encap_push(batch->item[batch->n].skb, &build->flow);
	if (!build->noicrc)
		mrc_encap_icrc(batch->item[batch->n].skb, &build->flow);
	batch->n++;
	return true;
}

static void mrc_conn_count_burst(struct mrc_nic *nic, const struct mrc_burst *b,
				 u64 bytes, bool noicrc)
{
	mrc_count(nic, TX_BURSTS);
	mrc_count_add(nic, TX_PKTS, b->n);
	mrc_count_add(nic, TX_BYTES, bytes);
	if (noicrc)
		mrc_count_add(nic, ICRC_SKIPPED_TX, b->n);
	if (!b->rtx)
		return;
	mrc_count_add(nic, RETRANS_PKTS, b->n);
	mrc_count_add(nic, RETRANS_BYTES, bytes);
}

/* Packets that cannot be built or routed are lost, and recovered as such. */
static void mrc_conn_add_burst(struct mrc_tx_batch *batch,
			       const struct mrc_burst *b, u64 bytes)
{
	struct mrc_conn *conn = batch->conn;
	struct mrc_tx_build build = {
		.batch = batch,
		.b = b,
		.noicrc = READ_ONCE(conn->peer->noicrc),
	};
	struct mrc_route *route;

	mrc_conn_flow(conn, b->path, mrc_conn_data_tos(conn), &build.flow,
		      &route);
	build.dst = mrc_route_get(conn->nic, route, &build.flow);
	if (!build.dst) {
		mrc_count(conn->nic, NO_PATH);
		conn->epoch--;
		return;
	}
	while (build.next < b->n && mrc_conn_build(&build, false))
		;
	mrc_conn_count_burst(conn->nic, b, bytes, build.noicrc);
}

static bool mrc_conn_next_probe(struct mrc_conn *conn, u64 now,
				struct mrc_probe *probe)
{
	if (test_bit(MRC_CONN_TX, &conn->flags))
		return mrc_req_next_probe(&conn->req, now, probe);
	return mrc_ack_path_next_probe(conn->evs, conn->rsp.cfg.peer_qpn, now,
				      probe);
}

/* Probes use the traffic class of data, to meet the same queues (MRC 7.5.3). */
static void mrc_conn_add_probe(struct mrc_tx_batch *batch,
			       const struct mrc_probe *probe)
{
	struct mrc_conn *conn = batch->conn;
	struct mrc_tx_item *item = &batch->item[batch->n];
	const struct mrc_pkt_probe pkt = {
		.probe_id = probe->probe_id,
		.tx_ts = probe->tx_ts,
	};
	u8 buf[MRC_PROBE_LEN];
	const struct mrc_control control = {
		.data = buf,
		.len = sizeof(buf),
		.seg = sizeof(buf),
		.pad = probe->padded ?
		       MRC_PADDED_PROBE_LEN(conn->pmtu) - MRC_PROBE_LEN : 0,
		.path = probe->path,
		.tos = mrc_conn_data_tos(conn),
	};

	mrc_pkt_put_probe(buf, probe->dest_qpn, &pkt);
	item->skb = mrc_conn_control(conn, &control, &item->dst);
	if (item->skb)
		batch->n++;
	mrc_count(conn->nic, PROBE_TX);
}

static void mrc_conn_add_probes(struct mrc_tx_batch *batch)
{
	struct mrc_conn *conn = batch->conn;
	struct mrc_probe probe;

	conn->evs->pad_probes = READ_ONCE(conn->peer->caps) &
				MRC_CAP_PADDED_PROBE;
	while (batch->n < MRC_CONN_BATCH &&
	       mrc_conn_next_probe(conn, batch->now, &probe))
		mrc_conn_add_probe(batch, &probe);
}

/* Build under the lock; true if the batch is full and more may follow. */
static bool mrc_conn_gather(struct mrc_tx_batch *batch)
{
	struct mrc_conn *conn = batch->conn;
	struct mrc_req *req = &conn->req;
	struct mrc_burst b;
	u64 bytes;

	lockdep_assert_held(&conn->req_lock);
	mrc_conn_refresh_ports(conn, batch->now);
	mrc_conn_add_probes(batch);
	while (batch->n < MRC_CONN_BATCH && !batch->refused) {
		bytes = req->stats.tx_bytes;
		mrc_conn_fetch(conn);
		if (!mrc_req_next_burst(req, batch->now, &b))
			return false;
		bytes = req->stats.tx_bytes - bytes;
		trace_mrc_tx_burst(conn, &b, bytes);
		mrc_conn_add_burst(batch, &b, bytes);
	}
	return !batch->refused;
}

static void mrc_conn_send(struct mrc_tx_batch *batch)
{
	struct mrc_conn *conn = batch->conn;
	u32 i;

	for (i = 0; i < batch->n; i++)
		mrc_encap_xmit(conn->nic, batch->item[i].skb,
			       batch->item[i].dst, conn->v4);
}

static bool mrc_conn_batch(struct mrc_conn *conn)
{
	struct mrc_conn_fence *fence = NULL;
	struct mrc_tx_batch batch;
	bool more = false;

	if (conn->ops->tx_datagrams)
		return conn->ops->tx_datagrams(conn);
	batch.conn = conn;
	batch.n = 0;
	batch.refused = false;
	spin_lock(&conn->req_lock);
	if (unlikely(!test_bit(MRC_CONN_TX, &conn->flags)))
		mrc_conn_start_responses(conn);
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		batch.now = ktime_get_ns();
		more = mrc_conn_gather(&batch);
		if (batch.n)
			fence = mrc_conn_post_fence(conn, batch.now);
		mrc_conn_end_req(conn);
	} else if (test_bit(MRC_CONN_RX, &conn->flags)) {
		batch.now = ktime_get_ns();
		mrc_conn_refresh_ports(conn, batch.now);
		mrc_conn_add_probes(&batch);
		mrc_conn_arm(conn);
	}
	spin_unlock(&conn->req_lock);
	if (fence)
		mrc_conn_queue_fence(fence);
	mrc_conn_send(&batch);
	if (batch.n)
		mrc_conn_worked(conn, batch.now, false);
	if (unlikely(batch.refused))
		mrc_conn_refuse(conn, batch.refused_psn);
	return more;
}

/*
 * Send one batch.  If another CPU is sending, MRC_CONN_TX_AGAIN makes it run
 * another round.  Returns true if the caller should let other softirqs run and
 * then call again.
 */
static bool mrc_conn_run(struct mrc_conn *conn)
{
	bool more;

	set_bit(MRC_CONN_TX_AGAIN, &conn->flags);
	if (test_and_set_bit_lock(MRC_CONN_TX_BUSY, &conn->flags))
		return false;
	clear_bit(MRC_CONN_TX_AGAIN, &conn->flags);
	/* TX_AGAIN set after this is seen below or by the next run. */
	smp_mb__after_atomic();
	more = mrc_conn_batch(conn);
	clear_bit_unlock(MRC_CONN_TX_BUSY, &conn->flags);
	/* Either this CPU sees TX_AGAIN or its writer sees TX_BUSY clear. */
	smp_mb__after_atomic();
	return more || test_bit(MRC_CONN_TX_AGAIN, &conn->flags);
}

/**
 * mrc_conn_tx_work - the BH work of a connection: send what acknowledgments permit
 * @work: member of the connection
 *
 * One round of NAPI processes a dozen acknowledgments, and this sends for all of
 * them together.  Between batches the CPU serves its other softirqs; if it hands
 * received packets to other CPUs (RPS), it notifies them only then.
 *
 * Context: softirq.
 */
void mrc_conn_tx_work(struct mrc_bh_work *work)
{
	struct mrc_conn *conn = container_of(work, struct mrc_conn, tx_work);

	rcu_read_lock();
	if (mrc_conn_run(conn))
		mrc_bh_work_yield(work);
	rcu_read_unlock();
}

/**
 * mrc_conn_respond() - send responses to READ and ATOMIC requests
 * @conn: connection
 * @pkts: packets of those that have just been queued
 *
 * A lone packet leaves at once, and with it what else the connection may send now: the
 * peer waits for nothing else.  Where more is in flight, or buffers wait, the BH work sends
 * for all requests that have come.
 *
 * Context: softirq or BH off, RCU read side; no lock held.
 */
void mrc_conn_respond(struct mrc_conn *conn, u32 pkts)
{
	/* A hint: what is in flight may change at any time. */
	bool lone = pkts == 1 && !READ_ONCE(conn->req.inflight) && !mrc_home_is_running();

	if (!lone || mrc_conn_run(conn))
		mrc_bh_work_queue(&conn->tx_work);
}

/**
 * mrc_conn_kick - queue the BH work that sends what has been posted
 * @conn: connection
 *
 * For callers that hold locks or must not spend time on sending.
 *
 * Context: any.
 */
void mrc_conn_kick(struct mrc_conn *conn)
{
	mrc_count(conn->nic, DOORBELLS);
	rcu_read_lock();
	if (test_bit(MRC_CONN_TX, &conn->flags) ||
	    test_bit(MRC_CONN_DATAGRAM, &conn->flags))
		mrc_bh_work_queue(&conn->tx_work);
	rcu_read_unlock();
}

/**
 * mrc_conn_doorbell - send after work requests have been posted
 * @conn: connection
 *
 * Softirqs run between batches, so that acknowledgments are processed while a
 * long queue is being sent.  After MRC_CONN_ROUNDS batches, or if the process is
 * being killed, the rest is left to the BH work: other threads can refill the
 * queue for as long as they like.
 *
 * Context: process.
 */
void mrc_conn_doorbell(struct mrc_conn *conn)
{
	u32 rounds = 0;
	bool more;

	mrc_count(conn->nic, DOORBELLS);
	do {
		local_bh_disable();
		rcu_read_lock();
		more = mrc_conn_run(conn);
		if (more && (++rounds == MRC_CONN_ROUNDS ||
			     fatal_signal_pending(current))) {
			mrc_bh_work_queue(&conn->tx_work);
			more = false;
		}
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	} while (more);
}
