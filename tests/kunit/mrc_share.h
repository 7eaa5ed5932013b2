/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Simulation of requesters that share a link.  Each sends to its own responder,
 * over its own wire of limited rate and its own paths, and through the link.
 * The queue at the link determines losses, marks and trims; rates and delays
 * determine the time.  For tests of throughput, fairness and recovery time;
 * mrc_sim tests delivery.
 */
#ifndef MRC_SHARE_H
#define MRC_SHARE_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/psn.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rnd.h"
#include "mrc_ack_sample.h"

#define SHARE_FLOWS	16
#define SHARE_PATHS	128
#define SHARE_EVENTS	4096
#define SHARE_PMTU	4096
#define SHARE_MTU	(SHARE_PMTU + MRC_REQ_HDR_MAX + MRC_ICRC_LEN + \
			 MRC_CC_NOMINAL_OVERHEAD)
#define SHARE_MSG	(16 * SHARE_PMTU)
#define SHARE_SACK	16384	/* ACK_Gen_Trigger of UEC */
#define SHARE_NEVER	U64_MAX
#define SHARE_NO_PSN	U32_MAX

/**
 * struct share_cfg - parameters of a simulation
 * @n_flows: requesters
 * @n_paths: paths of each
 * @mbps: rate of each requester's wire
 * @link_mbps: rate of the shared link; 0: there is none
 * @rtt: ns; round trip of an empty network on the shortest path
 * @cc: congestion control
 * @cwnd: bytes; maximum of the congestion window
 * @burst: packets
 * @mark_from: bytes in the queue beyond which some packets are marked
 * @mark_to: bytes in the queue from which on all are marked; 0: none are
 * @jitter: ns; upper bound of the random extra delay of a path, per direction
 * @trim_at: bytes in the queue beyond which packets are trimmed; 0: never
 * @drop_at: capacity of the queue in bytes
 * @full_start: the first flight is a whole window, as in UEC
 * @seed: of the random numbers
 */
struct share_cfg {
	u32 n_flows;
	u16 n_paths;
	u32 mbps;
	u32 link_mbps;
	u32 rtt;
	const struct mrc_cc_ops *cc;
	u32 cwnd;
	u32 burst;
	u32 mark_from;
	u32 mark_to;
	u32 jitter;
	u32 trim_at;
	u32 drop_at;
	bool full_start;
	u64 seed;
};

/**
 * struct share_flow - a requester, its responder, and the paths between them
 * @req: requester
 * @rsp: responder
 * @evs: paths
 * @to: delay of each path to the shared link, ns
 * @back: delay of each path back to the requester, ns
 * @wire_free: ns when the requester's wire is free
 * @start: ns from which on it posts messages
 * @stop: ns from which on it posts none
 * @left: number of messages that it may still post
 * @posted: messages posted
 * @lose_psn: PSN of a packet that is dropped
 * @lose_n: number of times that it is still dropped
 * @first_sent: ns when it was sent first
 * @last_sent: ns when it was sent last
 * @rx_base: bytes placed before the measurement
 */
struct share_flow {
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct mrc_ev_set *evs;
	u32 to[SHARE_PATHS];
	u32 back[SHARE_PATHS];
	u64 wire_free;
	u64 start;
	u64 stop;
	u32 left;
	u32 posted;
	u32 lose_psn;
	u32 lose_n;
	u64 first_sent;
	u64 last_sent;
	u64 rx_base;
};

enum share_kind {
	SHARE_WAKE,	/* the requester's wire is free */
	SHARE_LINK,	/* a packet arrives at the shared link */
	SHARE_DATA,	/* a packet arrives at the responder */
	SHARE_ACKS,	/* acknowledgments arrive at the requester */
};

/**
 * struct share_event - a future event
 * @at: ns
 * @seq: order of events at the same time
 * @kind: enum share_kind
 * @flow: index of its flow
 * @ce: marked
 * @trimmed: its payload was cut off
 * @ev: entropy value
 * @pkt_len: bytes of the packet with its payload
 * @seg: bytes of every packet but the last (acknowledgments)
 * @len: bytes in @buf
 * @buf: headers, or acknowledgments
 */
struct share_event {
	u64 at;
	u32 seq;
	u8 kind;
	u8 flow;
	bool ce;
	bool trimmed;
	u32 ev;
	u16 pkt_len;
	u16 seg;
	u16 len;
	u8 buf[MRC_ACK_BATCH_MAX];
};

/**
 * struct share - a simulation
 * @test: for assertions
 * @cfg: parameters
 * @now: ns
 * @rnd: state of the random numbers
 * @link_free: ns when the queue of the shared link will be empty
 * @max_queue: longest queue during the measurement, bytes
 * @queued: sum of the queue lengths at arrivals during the measurement, bytes
 * @arrived: packets that arrived at the link during the measurement
 * @marked: of these, marked
 * @trimmed: of these, trimmed
 * @dropped: of these, dropped
 * @flow: the flows
 * @n_events: size of @heap
 * @seq: of the next event
 * @heap: events, a binary heap
 */
struct share {
	struct kunit *test;
	struct share_cfg cfg;
	u64 now;
	u64 rnd;
	u64 link_free;
	u64 max_queue;
	u64 queued;
	u32 arrived;
	u32 marked;
	u32 trimmed;
	u32 dropped;
	struct share_flow flow[SHARE_FLOWS];
	u32 n_events;
	u32 seq;
	struct share_event heap[SHARE_EVENTS];
};

static inline u64 share_wire_ns(u32 bytes, u32 mbps)
{
	return div_u64(8000ULL * bytes, mbps);
}

/* Events. */

static inline bool share_before(const struct share_event *a,
				const struct share_event *b)
{
	return a->at != b->at ? a->at < b->at : (s32)(a->seq - b->seq) < 0;
}

static inline void share_push(struct share *s, struct share_event *e)
{
	u32 i = s->n_events;

	KUNIT_ASSERT_LT(s->test, i, SHARE_EVENTS);
	e->seq = s->seq++;
	s->n_events++;
	while (i && share_before(e, &s->heap[(i - 1) / 2])) {
		s->heap[i] = s->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap[i] = *e;
}

static inline void share_take(struct share *s, struct share_event *e)
{
	const struct share_event *last = &s->heap[--s->n_events];
	u32 i = 0, child;

	*e = s->heap[0];
	while ((child = 2 * i + 1) < s->n_events) {
		if (child + 1 < s->n_events &&
		    share_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!share_before(&s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = *last;
}

/* Requesters. */

static inline void share_post(struct share *s, struct share_flow *f)
{
	struct mrc_msg_desc d = { .length = SHARE_MSG };
	struct mrc_done done;

	while (mrc_req_pop(&f->req, &done))
		KUNIT_EXPECT_EQ(s->test, done.status, MRC_OK);
	while (s->now >= f->start && s->now < f->stop && f->left &&
	       mrc_req_free_slots(&f->req)) {
		f->left--;
		d.cookie = f->posted++;
		mrc_req_post(&f->req, &d);
	}
}

static inline bool share_lost(struct share *s, struct share_flow *f, u32 psn)
{
	if (psn != f->lose_psn)
		return false;
	if (!f->first_sent)
		f->first_sent = s->now;
	f->last_sent = s->now;
	return f->lose_n && f->lose_n--;
}

static inline void share_send_burst(struct share *s, u8 flow,
				    const struct mrc_burst *b)
{
	struct share_flow *f = &s->flow[flow];
	struct share_event e = {
		.kind = SHARE_LINK, .flow = flow, .ev = b->ev,
	};
	struct mrc_burst_pkt pkt;
	u8 i;

	for (i = 0; i < b->n; i++) {
		mrc_req_burst_pkt(&f->req, b, i, s->now, &pkt);
		e.len = mrc_pkt_put_data(e.buf, &pkt.hdr);
		e.pkt_len = e.len + pkt.hdr.payload_len +
			    mrc_pkt_trailer_len(pkt.hdr.payload_len);
		f->wire_free = max(f->wire_free, s->now) +
			       share_wire_ns(e.pkt_len, s->cfg.mbps);
		e.at = f->wire_free + f->to[b->path];
		if (!share_lost(s, f, pkt.hdr.psn))
			share_push(s, &e);
	}
}

static inline void share_probe(struct share *s, u8 flow,
			       const struct mrc_probe *probe)
{
	struct mrc_pkt_probe pp = {
		.probe_id = probe->probe_id, .tx_ts = probe->tx_ts,
	};
	struct share_event e = {
		.kind = SHARE_LINK, .flow = flow, .ev = probe->ev,
		.pkt_len = MRC_PROBE_LEN,
		.at = s->now + s->flow[flow].to[probe->path],
	};

	e.len = mrc_pkt_put_probe(e.buf, probe->dest_qpn, &pp);
	share_push(s, &e);
}

/* Send a burst if the wire is free. */
static inline void share_send(struct share *s, u8 flow)
{
	struct share_event wake = { .kind = SHARE_WAKE, .flow = flow };
	struct share_flow *f = &s->flow[flow];
	struct mrc_probe probe;
	struct mrc_burst b;

	share_post(s, f);
	while (mrc_req_next_probe(&f->req, s->now, &probe))
		share_probe(s, flow, &probe);
	if (f->wire_free > s->now ||
	    !mrc_req_next_burst(&f->req, s->now, &b))
		return;
	share_send_burst(s, flow, &b);
	wake.at = f->wire_free;
	share_push(s, &wake);
}

static inline void share_rx_acks(struct share *s, const struct share_event *e)
{
	struct share_flow *f = &s->flow[e->flow];
	struct mrc_pkt pkt;
	u16 off = 0;

	while (acks_next(s->test, e->buf, e->len, e->seg, &off, &pkt))
		acks_deliver(&f->req, &pkt, s->now);
	share_send(s, e->flow);
}

/* The share of marked packets grows with the queue. */
static inline bool share_marked(struct share *s, u64 queue)
{
	u32 from = s->cfg.mark_from, to = s->cfg.mark_to;

	if (!to || queue <= from)
		return false;
	return queue >= to || mrc_rnd_below(&s->rnd, to - from) < queue - from;
}

/* The shared link: a FIFO queue; trimmed packets do not wait in it. */
static inline void share_link(struct share *s, struct share_event *e)
{
	const struct share_cfg *c = &s->cfg;
	u64 queue;

	e->kind = SHARE_DATA;
	if (c->link_mbps) {
		s->link_free = max(s->link_free, s->now);
		queue = div_u64((s->link_free - s->now) * c->link_mbps, 8000);
		s->max_queue = max(s->max_queue, queue);
		s->queued += queue;
		s->arrived++;
		e->trimmed = c->trim_at && queue > c->trim_at;
		e->ce = share_marked(s, queue);
		s->trimmed += e->trimmed;
		s->marked += e->ce && !e->trimmed;
		if (!e->trimmed && queue + e->pkt_len > c->drop_at) {
			s->dropped++;
			return;
		}
		if (!e->trimmed)
			s->link_free += share_wire_ns(e->pkt_len, c->link_mbps);
		e->at = e->trimmed ? s->now : s->link_free;
	}
	share_push(s, e);
}

/* Responders. */

static inline void share_send_acks(struct share *s, u8 flow)
{
	struct share_event e = { .kind = SHARE_ACKS, .flow = flow };
	struct share_flow *f = &s->flow[flow];
	struct mrc_ack_batch a;

	while (mrc_rsp_build_acks(&f->rsp, &a)) {
		e.seg = a.seg;
		e.len = a.len;
		memcpy(e.buf, a.buf, a.len);
		e.at = s->now + f->back[mrc_rnd_below(&s->rnd, s->cfg.n_paths)];
		share_push(s, &e);
	}
}

static inline void share_rx_data(struct share *s, const struct share_event *e)
{
	struct share_flow *f = &s->flow[e->flow];
	struct mrc_pkt pkt;

	KUNIT_ASSERT_EQ(s->test, 0, mrc_pkt_decode_hdr(e->buf, e->len,
						       e->pkt_len, &pkt));
	if (pkt.op->code == MRC_OP_PROBE)
		mrc_rsp_on_probe(&f->rsp, &pkt, e->ev, e->ce);
	else if (e->trimmed)
		mrc_rsp_nack(&f->rsp, &pkt, e->ev, MRC_NACK_TRIMMED_LASTHOP);
	else if (mrc_rsp_accept(&f->rsp, &pkt, e->ev, e->ce) == MRC_RSP_NEW)
		mrc_rsp_placed(&f->rsp, &pkt, e->ev, e->ce);
	share_send_acks(s, e->flow);
}

/* Time. */

static inline void share_event(struct share *s, struct share_event *e)
{
	switch (e->kind) {
	case SHARE_WAKE:
		share_send(s, e->flow);
		break;
	case SHARE_LINK:
		share_link(s, e);
		break;
	case SHARE_DATA:
		share_rx_data(s, e);
		break;
	case SHARE_ACKS:
		share_rx_acks(s, e);
		break;
	}
}

/* Time of the next timer or start of flow @i. */
static inline u64 share_deadline(const struct share *s, u8 i)
{
	const struct share_flow *f = &s->flow[i];
	u64 at = mrc_req_deadline(&f->req) ?: SHARE_NEVER;

	return f->start > s->now ? min(at, f->start) : at;
}

static inline u64 share_next(const struct share *s)
{
	u64 next = s->n_events ? s->heap[0].at : SHARE_NEVER;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++)
		next = min(next, share_deadline(s, i));
	return next;
}

static inline void share_run(struct share *s, u64 until)
{
	u64 next = share_next(s);
	struct share_event e;
	u8 i;

	for (; next <= until; next = share_next(s)) {
		s->now = max(s->now, next);
		while (s->n_events && s->heap[0].at <= s->now) {
			share_take(s, &e);
			share_event(s, &e);
		}
		for (i = 0; i < s->cfg.n_flows; i++) {
			struct share_flow *f = &s->flow[i];
			u64 due = mrc_req_deadline(&f->req);

			if (f->start != s->now && (!due || due > s->now))
				continue;
			if (due && due <= s->now)
				mrc_req_on_timer(&f->req, s->now);
			share_send(s, i);
		}
	}
	s->now = max(s->now, until);
}

/* Begin a measurement. */
static inline void share_measure(struct share *s)
{
	u8 i;

	s->max_queue = 0;
	s->queued = 0;
	s->arrived = 0;
	s->marked = 0;
	s->trimmed = 0;
	s->dropped = 0;
	for (i = 0; i < s->cfg.n_flows; i++)
		s->flow[i].rx_base = s->flow[i].rsp.stats.rx_bytes;
}

/* Payload of a flow during the measurement. */
static inline u64 share_rx_bytes(const struct share *s, u8 i)
{
	return s->flow[i].rsp.stats.rx_bytes - s->flow[i].rx_base;
}

/* Payload of all flows during the measurement. */
static inline u64 share_rx_total(const struct share *s)
{
	u64 sum = 0;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++)
		sum += share_rx_bytes(s, i);
	return sum;
}

/* Average queueing delay during the measurement, ns. */
static inline u64 share_delay(const struct share *s)
{
	return share_wire_ns(div_u64(s->queued, max(1U, s->arrived)),
			     s->cfg.link_mbps);
}

/* Set-up. */

static inline void share_flow_init(struct share *s, u8 i)
{
	const struct share_cfg *c = &s->cfg;
	struct mrc_req_cfg req = {
		.dest_qpn = 0x100 + i,
		.sq_psn = (c->seed * 0x10001 + i * 0x1000) & MRC_PSN_MASK,
		.pmtu = SHARE_PMTU,
		.mpr = MRC_MPR_DEFAULT,
		.max_msgs = 64,
		.max_wimm = MRC_MAX_WIMM,
		.burst = c->burst,
		.timeout_ns = MRC_TIMEOUT_NS(10),
		.linear_cnt = 3,
		.exp_cnt = 5,
		.ts = true,
	};
	struct mrc_rsp_cfg rsp = {
		.peer_qpn = 0x200 + i,
		.rq_psn = req.sq_psn,
		.mpr = req.mpr,
		.max_wimm = MRC_MAX_WIMM,
		.sack_threshold = SHARE_SACK,
	};
	struct mrc_cc_cfg cc = {
		.mtu = SHARE_MTU,
		.max_cwnd = c->cwnd,
		.ack_trigger = SHARE_SACK,
	};
	const struct mrc_ev_cfg ev_cfg = { .seed = c->seed * 31 + i };
	struct share_flow *f = &s->flow[i];
	struct mrc_ev_entry e[SHARE_PATHS];
	void *req_mem, *rsp_mem;
	struct mrc_refusal why;
	u16 j;

	mrc_nscc_defaults(&cc.nscc, c->mbps, c->rtt, cc.mtu, c->trim_at);
	if (c->full_start)
		cc.nscc.init_cwnd = 0;
	KUNIT_ASSERT_EQ(s->test, mrc_req_check(&req, &why), 0);
	f->evs = kunit_kzalloc(s->test, mrc_ev_set_size(c->n_paths),
			       GFP_KERNEL);
	req_mem = kunit_kzalloc(s->test, mrc_req_mem_size(&req), GFP_KERNEL);
	rsp_mem = kunit_kzalloc(s->test, mrc_rsp_mem_size(&rsp), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(s->test, f->evs && req_mem && rsp_mem);
	mrc_ev_auto(e, c->n_paths, 0xf, ev_cfg.seed);
	KUNIT_ASSERT_EQ(s->test, 0,
			mrc_ev_set_init(f->evs, e, c->n_paths, &ev_cfg));
	mrc_req_init(&f->req, &req, f->evs, c->cc, &cc, req_mem);
	mrc_rsp_init(&f->rsp, &rsp, rsp_mem);
	for (j = 0; j < c->n_paths; j++) {
		f->to[j] = c->rtt / 2 +
			   (c->jitter ? mrc_rnd_below(&s->rnd, c->jitter) : 0);
		f->back[j] = c->rtt / 2 +
			     (c->jitter ? mrc_rnd_below(&s->rnd, c->jitter) : 0);
	}
	f->start = s->now + 1;
	f->stop = SHARE_NEVER;
	f->left = U32_MAX;
	f->lose_psn = SHARE_NO_PSN;
}

static inline struct share *share_new(struct kunit *test,
				      const struct share_cfg *cfg)
{
	struct share *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u8 i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	s->cfg = *cfg;
	s->rnd = cfg->seed;
	s->now = 1000000000ULL + cfg->seed;
	for (i = 0; i < cfg->n_flows; i++)
		share_flow_init(s, i);
	return s;
}

static inline void share_free(struct share *s)
{
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++) {
		kunit_kfree(s->test, s->flow[i].req.pkts);
		kunit_kfree(s->test, s->flow[i].rsp.received);
		kunit_kfree(s->test, s->flow[i].evs);
	}
	kunit_kfree(s->test, s);
}

#endif /* MRC_SHARE_H */
