/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester and a responder that talk over a model of a network: paths with
 * delay, jitter, loss, duplication, trims, marks and outages.  Everything
 * follows from a seed.  Packets travel encoded; of payload only the place is
 * checked: every byte of every message exactly once.
 */
#ifndef MRC_SIM_H
#define MRC_SIM_H

#include <kunit/test.h>
#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/lb.h"
#include "core/psn.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rnd.h"

#define SIM_US		1000ULL
#define SIM_MS		1000000ULL
#define SIM_PATHS	16
#define SIM_MSGS	256
#define SIM_MSG_PKTS	64
#define SIM_EVENTS	4096
#define SIM_PMTU	1024
#define SIM_MBPS	8000	/* ns_byte = 1 */
#define SIM_QPN		0x123
#define SIM_NEVER	(~0ULL)

/**
 * struct sim_path - one path, both directions alike
 * @delay: ns
 * @jitter: ns; up to so much more, differently for every burst
 * @fifo: jitter does not reorder
 * @loss: of data packets; this and the following: probability / 65536
 * @burst_loss: of whole bursts
 * @ctl_loss: of answers
 * @dup: of data packets arriving twice
 * @ce: of data packets being marked
 * @trim: of data packets being trimmed
 * @dead_from: ns when it begins to swallow everything
 * @dead_to: ns when it no longer does
 */
struct sim_path {
	u64 delay;
	u64 jitter;
	bool fifo;
	u32 loss;
	u32 burst_loss;
	u32 ctl_loss;
	u32 dup;
	u32 ce;
	u32 trim;
	u64 dead_from;
	u64 dead_to;
};

/**
 * struct sim_event - something on its way
 * @at: ns of its arrival
 * @seq: order of equal times
 * @to_peer: data for the responder, otherwise an answer
 * @last: the burst ends here
 * @ce: marked
 * @trimmed: payload cut off
 * @ev: entropy value
 * @pkt_len: bytes of the packet with its payload (data)
 * @seg: bytes of every packet but the last (answer)
 * @len: bytes in @buf
 * @buf: headers (data), packets (answer)
 */
struct sim_event {
	u64 at;
	u32 seq;
	bool to_peer;
	bool last;
	bool ce;
	bool trimmed;
	u32 ev;
	u16 pkt_len;
	u16 seg;
	u16 len;
	u8 buf[MRC_ANSWER_MAX];
};

/**
 * struct sim_msg - what became of a message
 * @length: bytes
 * @flags: enum mrc_msg_flags
 * @got: bit per packet that was placed
 * @delivered: it consumed a receive WQE
 * @done: it completed
 */
struct sim_msg {
	u32 length;
	u8 flags;
	u64 got;
	bool delivered;
	bool done;
};

/**
 * struct sim - the whole
 * @test: for expectations
 * @now: ns
 * @rnd: generator
 * @ns_byte: ns that a byte takes on the sender's wire
 * @wire_free: ns when that wire is free
 * @path: the paths, index as in the EV sets
 * @fifo_at: latest arrival on FIFO paths by direction
 * @cpu_period: ns; so often one CPU, which carries every other path ..
 * @cpu_stall: .. forwards nothing for so long
 * @vm_period: ns; so often both hosts ..
 * @vm_stall: .. do nothing for so long
 * @n_paths: their number
 * @used: bit per path that carried data
 * @evs: paths of the requester
 * @peer_evs: paths of the responder, for answers
 * @cursor: of its choice
 * @req: requester
 * @rsp: responder
 * @msg: messages
 * @n_msgs: their number
 * @posted: messages posted
 * @n_done: messages completed
 * @done_status: of the first one that failed
 * @failed_msg: that message
 * @refuse_msg: message that the responder refuses, or SIM_MSGS
 * @n_rq: messages posted that consume a receive WQE
 * @rq_msg: which these are
 * @rq_room: receive WQEs posted so far
 * @rq_gap: ns between two of them
 * @rq_at: ns of the next one
 * @whole: messages before this one have arrived
 * @mpr_change: probability / 65536 that the responder changes its PSN window
 *	when it answers
 * @told_mpr: window that the requester was told last ..
 * @told_rcvd: .. in a SACK that counted so much
 * @probes: sent
 * @end: ns of the last completion
 * @idle: go on when everything has completed
 * @n_events: size of @heap
 * @seq: of the next event
 * @heap: events, a binary heap
 */
struct sim {
	struct kunit *test;
	u64 now;
	u64 rnd;
	u32 ns_byte;
	u64 wire_free;
	struct sim_path path[SIM_PATHS];
	u64 fifo_at[2][SIM_PATHS];
	u64 cpu_period;
	u64 cpu_stall;
	u64 vm_period;
	u64 vm_stall;
	u16 n_paths;
	u32 used;
	struct mrc_ev_set *evs;
	struct mrc_ev_set *peer_evs;
	u16 cursor;
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct sim_msg msg[SIM_MSGS];
	u32 n_msgs;
	u32 posted;
	u32 n_done;
	u8 done_status;
	u32 failed_msg;
	u32 refuse_msg;
	u32 n_rq;
	u16 rq_msg[SIM_MSGS];
	u32 rq_room;
	u64 rq_gap;
	u64 rq_at;
	u32 whole;
	u32 mpr_change;
	u32 told_mpr;
	u32 told_rcvd;
	u32 probes;
	u64 end;
	bool idle;
	u32 n_events;
	u32 seq;
	struct sim_event heap[SIM_EVENTS];
};

static bool sim_chance(struct sim *sim, u32 p)
{
	return p && mrc_rnd_below(&sim->rnd, 65536) < p;
}

/* Event queue. */

static bool sim_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at != b->at ? a->at < b->at : (s32)(a->seq - b->seq) < 0;
}

static void sim_push(struct sim *sim, struct sim_event *e)
{
	u32 i = sim->n_events;

	KUNIT_ASSERT_LT(sim->test, i, SIM_EVENTS);
	e->seq = sim->seq++;
	sim->n_events++;
	while (i && sim_before(e, &sim->heap[(i - 1) / 2])) {
		sim->heap[i] = sim->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->heap[i] = *e;
}

static void sim_take(struct sim *sim, struct sim_event *e)
{
	const struct sim_event *last = &sim->heap[--sim->n_events];
	u32 i = 0, child;

	*e = sim->heap[0];
	while ((child = 2 * i + 1) < sim->n_events) {
		if (child + 1 < sim->n_events &&
		    sim_before(&sim->heap[child + 1], &sim->heap[child]))
			child++;
		if (!sim_before(&sim->heap[child], last))
			break;
		sim->heap[i] = sim->heap[child];
		i = child;
	}
	sim->heap[i] = *last;
}

/* Network. */

static bool sim_dead(const struct sim *sim, u16 path)
{
	const struct sim_path *p = &sim->path[path];

	return sim->now >= p->dead_from && sim->now < p->dead_to;
}

/* The end of the stall that @at falls into, or @at. */
static u64 sim_after_stall(u64 at, u64 period, u64 stall)
{
	u64 phase;

	if (!period)
		return at;
	div64_u64_rem(at, period, &phase);
	return phase < stall ? at - phase + stall : at;
}

static u64 sim_arrival(struct sim *sim, u16 path, u64 leave, bool to_peer)
{
	struct sim_path *p = &sim->path[path];
	u64 at = leave + p->delay;

	if (p->jitter)
		at += mrc_rnd_below(&sim->rnd, p->jitter);
	if (p->fifo) {
		at = max(at, sim->fifo_at[to_peer][path] + 1);
		sim->fifo_at[to_peer][path] = at;
	}
	return path & 1 ? sim_after_stall(at, sim->cpu_period, sim->cpu_stall) :
			  at;
}

static void sim_burst(struct sim *sim, const struct mrc_burst *b)
{
	struct sim_path *p = &sim->path[b->path];
	bool gone = sim_dead(sim, b->path) || sim_chance(sim, p->burst_loss);
	struct kunit *test = sim->test;
	struct mrc_burst_pkt pkt;
	u16 first_len = 0, last_len = 0;
	struct sim_event e = { .to_peer = true, .ev = b->ev };
	struct sim_event held;
	bool have = false;
	u8 i;

	KUNIT_EXPECT_GE(test, b->n, 1);
	KUNIT_EXPECT_LE(test, b->n, sim->req.cfg.burst);
	sim->used |= BIT(b->path);
	for (i = 0; i < b->n; i++) {
		mrc_req_burst_pkt(&sim->req, b, i, sim->now, &pkt);
		/* Nothing beyond the window, by the responder's own edge. */
		KUNIT_EXPECT_LT(test, mrc_psn_diff(pkt.hdr.psn, sim->rsp.cack),
				(s32)sim->req.cfg.mpr);
		KUNIT_EXPECT_LT(test, mrc_psn_diff(pkt.hdr.psn, sim->req.una),
				(s32)sim->told_mpr);
		e.len = mrc_pkt_put_data(e.buf, &pkt.hdr);
		e.pkt_len = e.len + pkt.hdr.payload_len +
			    mrc_pkt_trailer_len(pkt.hdr.payload_len);
		if (!i)
			first_len = e.pkt_len;
		else
			KUNIT_EXPECT_EQ(test, last_len, first_len);
		KUNIT_EXPECT_LE(test, e.pkt_len, first_len);
		last_len = e.pkt_len;
		sim->wire_free = max(sim->wire_free, sim->now) +
				 (u64)e.pkt_len * sim->ns_byte;
		if (gone || sim_chance(sim, p->loss))
			continue;
		e.ce = sim_chance(sim, p->ce);
		e.trimmed = sim_chance(sim, p->trim);
		if (have)
			sim_push(sim, &held);
		e.at = have ? held.at :
			      sim_arrival(sim, b->path, sim->wire_free, true);
		held = e;
		have = true;
		if (sim_chance(sim, p->dup)) {
			struct sim_event twin = e;

			twin.at = sim_arrival(sim, b->path, e.at, true);
			twin.last = true;
			sim_push(sim, &twin);
		}
	}
	if (have) {
		held.last = true;
		sim_push(sim, &held);
	}
}

static void sim_probe(struct sim *sim, const struct mrc_probe *probe)
{
	struct mrc_pkt_probe pp = {
		.probe_id = probe->probe_id, .tx_ts = probe->tx_ts,
	};
	struct sim_event e = { .to_peer = true, .last = true, .ev = probe->ev };

	sim->probes++;
	if (sim_dead(sim, probe->path) ||
	    sim_chance(sim, sim->path[probe->path].loss))
		return;
	e.len = mrc_pkt_put_probe(e.buf, probe->dest_qpn, &pp);
	e.pkt_len = MRC_PROBE_LEN;
	e.at = sim_arrival(sim, probe->path, sim->now, true);
	sim_push(sim, &e);
}

static void sim_answers(struct sim *sim)
{
	u32 mpr = 2 * sim->rsp.cfg.mpr;
	struct sim_event e = { };
	struct mrc_answer a;
	int path;

	if (sim_chance(sim, sim->mpr_change))
		mrc_rsp_set_mpr(&sim->rsp, mrc_rnd_below(&sim->rnd, mpr));
	while (mrc_rsp_answer(&sim->rsp, &a)) {
		KUNIT_EXPECT_LE(sim->test, a.len, MRC_ANSWER_MAX);
		KUNIT_EXPECT_EQ(sim->test, (a.len + a.seg - 1) / a.seg, a.n);
		path = mrc_ev_pick(sim->peer_evs, 0, &sim->cursor);
		KUNIT_ASSERT_GE(sim->test, path, 0);
		if (sim_dead(sim, path) ||
		    sim_chance(sim, sim->path[path].ctl_loss))
			continue;
		e.ev = sim->peer_evs->ev[path].value;
		e.seg = a.seg;
		e.len = a.len;
		memcpy(e.buf, a.buf, a.len);
		e.at = sim_arrival(sim, path, sim->now, false);
		sim_push(sim, &e);
	}
}

/* Responder's host. */

static void sim_place(struct sim *sim, const struct mrc_pkt *pkt)
{
	u32 cookie, offset, at;
	struct sim_msg *m;

	if (pkt->op->flags & MRC_OPF_SEND) {
		KUNIT_ASSERT_LT(sim->test, pkt->rqmsn, sim->n_rq);
		cookie = sim->rq_msg[pkt->rqmsn];
		offset = pkt->va;
	} else {
		cookie = pkt->va >> 32;
		offset = lower_32_bits(pkt->va);
		KUNIT_EXPECT_EQ(sim->test, pkt->rkey, cookie ^ 0x5a5a);
	}
	KUNIT_ASSERT_LT(sim->test, cookie, sim->posted);
	m = &sim->msg[cookie];
	at = offset / SIM_PMTU;
	KUNIT_EXPECT_EQ(sim->test, offset % SIM_PMTU, 0);
	KUNIT_EXPECT_EQ(sim->test, pkt->dmalen, m->length);
	KUNIT_EXPECT_EQ(sim->test, pkt->msn, cookie);
	KUNIT_EXPECT_EQ(sim->test, pkt->payload_len,
			min_t(u32, m->length - offset, SIM_PMTU));
	KUNIT_EXPECT_FALSE_MSG(sim->test, m->got >> at & 1,
			       "message %u offset %u came twice", cookie,
			       offset);
	m->got |= 1ULL << at;
}

static u64 sim_all_pkts(const struct sim_msg *m)
{
	u32 n = max(1U, DIV_ROUND_UP(m->length, SIM_PMTU));

	return n < 64 ? (1ULL << n) - 1 : ~0ULL;
}

static void sim_deliver(struct sim *sim, const struct mrc_delivery *d)
{
	u32 cookie = sim->rq_msg[d->rqmsn];
	struct sim_msg *m = &sim->msg[cookie];

	while (sim->whole < sim->posted && sim->msg[sim->whole].got ==
	       sim_all_pkts(&sim->msg[sim->whole]))
		sim->whole++;
	KUNIT_EXPECT_LT(sim->test, cookie, sim->whole);
	KUNIT_EXPECT_FALSE(sim->test, m->delivered);
	if (d->rqmsn)
		KUNIT_EXPECT_TRUE(sim->test,
				  sim->msg[sim->rq_msg[d->rqmsn - 1]].delivered);
	KUNIT_EXPECT_EQ(sim->test, d->length, m->length);
	KUNIT_EXPECT_EQ(sim->test, d->is_send, !!(m->flags & MRC_MSG_SEND));
	KUNIT_EXPECT_EQ(sim->test, d->has_imm, !!(m->flags & MRC_MSG_IMM));
	if (d->has_imm)
		KUNIT_EXPECT_EQ(sim->test, be32_to_cpu(d->imm), cookie);
	m->delivered = true;
}

static void sim_rx_data(struct sim *sim, const struct sim_event *e)
{
	struct mrc_delivery d;
	struct mrc_pkt pkt;
	int err;

	err = mrc_pkt_decode_hdr(e->buf, e->len, e->pkt_len, &pkt);
	KUNIT_ASSERT_EQ(sim->test, err, 0);
	KUNIT_EXPECT_EQ(sim->test, pkt.dest_qpn, SIM_QPN);
	if (pkt.op->code == MRC_OP_PROBE) {
		mrc_rsp_on_probe(&sim->rsp, &pkt, e->ev, e->ce);
	} else if (e->trimmed) {
		mrc_rsp_nack(&sim->rsp, &pkt, e->ev, MRC_NACK_TRIMMED);
	} else if (mrc_rsp_accept(&sim->rsp, &pkt, e->ev, e->ce) ==
		   MRC_RSP_NEW) {
		if (pkt.msn == sim->refuse_msg) {
			mrc_rsp_fail(&sim->rsp, pkt.psn,
				     MRC_SYN_NAK_REM_ACCESS);
		} else if (pkt.op->flags & MRC_OPF_RQ &&
			   pkt.rqmsn >= sim->rq_room) {
			mrc_rsp_not_ready(&sim->rsp, &pkt, 1);
		} else {
			sim_place(sim, &pkt);
			mrc_rsp_placed(&sim->rsp, &pkt, e->ev, e->ce);
		}
	}
	if (!e->last)
		return;
	while (mrc_rsp_pop(&sim->rsp, &d))
		sim_deliver(sim, &d);
	sim_answers(sim);
}

/* Requester's host. */

static void sim_make_msg(struct sim *sim, struct sim_msg *m)
{
	static const u8 kinds[] = {
		0, 0, MRC_MSG_IMM, MRC_MSG_SEND, MRC_MSG_SEND | MRC_MSG_IMM,
	};

	m->flags = kinds[mrc_rnd_below(&sim->rnd, ARRAY_SIZE(kinds))];
	switch (mrc_rnd_below(&sim->rnd, 4)) {
	case 0:
		m->length = mrc_rnd_below(&sim->rnd, 9);
		break;
	case 1:
		m->length = SIM_PMTU * mrc_rnd_below(&sim->rnd, 20);
		break;
	default:
		m->length = mrc_rnd_below(&sim->rnd, SIM_PMTU * SIM_MSG_PKTS);
		break;
	}
}

static void sim_post(struct sim *sim)
{
	while (sim->posted < sim->n_msgs && mrc_req_room(&sim->req)) {
		u32 cookie = sim->posted++;
		struct sim_msg *m = &sim->msg[cookie];
		struct mrc_msg_desc d = {
			.raddr = (u64)cookie << 32,
			.rkey = cookie ^ 0x5a5a,
			.imm = cpu_to_be32(cookie),
			.cookie = cookie,
		};

		sim_make_msg(sim, m);
		d.length = m->length;
		d.flags = m->flags;
		if (m->flags)
			sim->rq_msg[sim->n_rq++] = cookie;
		mrc_req_post(&sim->req, &d);
	}
}

static void sim_done(struct sim *sim, const struct mrc_done *done)
{
	struct sim_msg *m = &sim->msg[done->cookie];

	KUNIT_EXPECT_EQ(sim->test, done->cookie, sim->n_done);
	sim->n_done++;
	sim->end = sim->now;
	m->done = true;
	if (done->status) {
		/* One message has failed, those behind it are flushed. */
		if (!sim->done_status) {
			sim->done_status = done->status;
			sim->failed_msg = done->cookie;
		} else {
			KUNIT_EXPECT_EQ(sim->test, done->status, MRC_ERR_FLUSH);
		}
		return;
	}
	KUNIT_EXPECT_EQ(sim->test, sim->done_status, MRC_OK);
	KUNIT_EXPECT_EQ_MSG(sim->test, m->got, sim_all_pkts(m),
			    "message %u completed too early", done->cookie);
	if (m->flags)
		KUNIT_EXPECT_TRUE(sim->test, m->delivered);
}

static void sim_check_path(struct sim *sim, u16 path)
{
	const struct mrc_ev *ev = &sim->evs->ev[path];

	KUNIT_EXPECT_LT(sim->test, path, sim->n_paths);
	KUNIT_EXPECT_NE(sim->test, ev->state, MRC_EV_DENIED);
	KUNIT_EXPECT_TRUE(sim->test,
			  mrc_ev_ports(sim->evs) >> (ev->plane - 1) & 1);
}

static void sim_run_req(struct sim *sim)
{
	u64 deadline = mrc_req_deadline(&sim->req);
	struct mrc_probe probe;
	struct mrc_burst b;
	struct mrc_done d;

	if (deadline && deadline <= sim->now)
		mrc_req_on_timer(&sim->req, sim->now);
	do {
		while (mrc_req_pop(&sim->req, &d))
			sim_done(sim, &d);
		sim_post(sim);
		while (mrc_req_next_burst(&sim->req, sim->now, &b)) {
			sim_check_path(sim, b.path);
			sim_burst(sim, &b);
		}
		while (mrc_req_next_probe(&sim->req, sim->now, &probe)) {
			sim_check_path(sim, probe.path);
			sim_probe(sim, &probe);
		}
	} while (mrc_req_pop(&sim->req, &d) && (sim_done(sim, &d), true));
}

/* A SACK that counts less than another came before it. */
static void sim_rx_mpr(struct sim *sim, const struct mrc_pkt_sack *s)
{
	if (!s->mpr || mrc_psn_diff(s->rcvd_bytes, sim->told_rcvd) < 0)
		return;
	sim->told_mpr = s->mpr * MRC_MPR_UNIT;
	sim->told_rcvd = s->rcvd_bytes;
}

static void sim_rx_answer(struct sim *sim, const struct sim_event *e)
{
	struct mrc_pkt pkt;
	u16 off, len;

	for (off = 0; off < e->len; off += len) {
		len = min_t(u16, e->seg, e->len - off);
		KUNIT_ASSERT_EQ(sim->test, 0,
				mrc_pkt_decode_hdr(e->buf + off, len, len,
						   &pkt));
		switch (pkt.op->code) {
		case MRC_OP_SACK:
			mrc_req_on_sack(&sim->req, &pkt, sim->now);
			sim_rx_mpr(sim, &pkt.sack);
			break;
		case MRC_OP_NACK:
			mrc_req_on_nack(&sim->req, &pkt, sim->now);
			break;
		case MRC_OP_ACK:
			mrc_req_on_ack(&sim->req, &pkt, sim->now);
			break;
		}
	}
}

/**
 * struct sim_setup - what differs between simulations
 * @mpr: PSN window
 * @mpr_change: as in struct sim
 * @burst: packets
 * @cc: congestion control; NULL: a constant window ..
 * @cwnd: .. of so many bytes
 * @n_msgs: messages
 * @timeout: ns
 * @retry_cnt: retransmission timeouts
 * @planes: planes over which the paths are spread
 * @n_paths: paths
 * @cpu_period: as in struct sim
 * @cpu_stall: likewise
 * @vm_period: likewise
 * @vm_stall: likewise
 * @path: all paths are like that
 */
struct sim_setup {
	u32 mpr;
	u32 mpr_change;
	u32 burst;
	const struct mrc_cc_ops *cc;
	u32 cwnd;
	u32 n_msgs;
	u64 timeout;
	u8 retry_cnt;
	u8 planes;
	u16 n_paths;
	u64 cpu_period;
	u64 cpu_stall;
	u64 vm_period;
	u64 vm_stall;
	struct sim_path path;
};

/* Every other pair of seeds has the other strategy. */
static struct mrc_ev_set *sim_paths(struct sim *sim, u8 planes)
{
	const struct mrc_ev_cfg cfg = {
		.lb = sim->rnd & 2 ? &mrc_lb_reps : &mrc_lb_rotation,
		.seed = sim->rnd,
	};
	struct mrc_ev_entry e[SIM_PATHS];
	struct mrc_ev_set *set;

	set = kunit_kzalloc(sim->test, mrc_ev_set_size(sim->n_paths),
			    GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(sim->test, set);
	mrc_ev_auto(e, sim->n_paths, (1U << planes) - 1, sim->rnd);
	KUNIT_ASSERT_EQ(sim->test, 0,
			mrc_ev_set_init(set, e, sim->n_paths, &cfg));
	return set;
}

static void sim_init(struct kunit *test, struct sim *sim,
		     const struct sim_setup *setup, u64 seed)
{
	struct mrc_req_cfg req_cfg = {
		.dest_qpn = SIM_QPN,
		.sq_psn = seed * 0x10001 & MRC_PSN_MASK,
		.pmtu = SIM_PMTU,
		.mpr = setup->mpr ?: 256,
		.max_msgs = 64,
		.max_wimm = 32,
		.burst = setup->burst ?: 4,
		.timeout_ns = setup->timeout ?: 67 * SIM_MS,
		.retry_cnt = setup->retry_cnt ?: 7,
		.linear_cnt = 3,
		.rnr_retry = 7,
		.dynamic_mpr = setup->mpr_change,
		.ts = seed & 1,
	};
	struct mrc_rsp_cfg rsp_cfg = {
		.peer_qpn = 0x321,
		.local_qpn = SIM_QPN,
		.rq_psn = req_cfg.sq_psn,
		.mpr = req_cfg.mpr,
		.max_wimm = req_cfg.max_wimm,
		.sack_threshold = MRC_SACK_THRESHOLD,
		.dynamic_mpr = setup->mpr_change,
	};
	struct mrc_cc_cfg cc_cfg = {
		.mtu = 1200,
		.max_cwnd = setup->cwnd ?: 1 << 20,
	};
	void *req_mem, *rsp_mem;
	u16 i;

	mrc_nscc_defaults(&cc_cfg.nscc, SIM_MBPS, 2 * setup->path.delay,
			  cc_cfg.mtu, setup->path.trim);
	memset(sim, 0, sizeof(*sim));
	sim->test = test;
	sim->now = SIM_MS * (1 + seed % 1000);
	sim->rnd = seed;
	sim->ns_byte = 1;
	sim->n_msgs = setup->n_msgs ?: 100;
	sim->n_paths = setup->n_paths ?: SIM_PATHS;
	sim->mpr_change = setup->mpr_change;
	sim->told_mpr = req_cfg.mpr;
	sim->rq_room = SIM_MSGS;
	sim->refuse_msg = SIM_MSGS;
	sim->cpu_period = setup->cpu_period;
	sim->cpu_stall = setup->cpu_stall;
	sim->vm_period = setup->vm_period;
	sim->vm_stall = setup->vm_stall;
	for (i = 0; i < sim->n_paths; i++)
		sim->path[i] = setup->path;
	sim->evs = sim_paths(sim, setup->planes ?: 4);
	sim->peer_evs = sim_paths(sim, setup->planes ?: 4);
	req_mem = kunit_kzalloc(test, mrc_req_mem_size(&req_cfg), GFP_KERNEL);
	rsp_mem = kunit_kzalloc(test, mrc_rsp_mem_size(&rsp_cfg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, req_mem);
	KUNIT_ASSERT_NOT_NULL(test, rsp_mem);
	mrc_req_init(&sim->req, &req_cfg, sim->evs, setup->cc ?: &mrc_cc_fixed,
		     &cc_cfg, req_mem);
	mrc_rsp_init(&sim->rsp, &rsp_cfg, rsp_mem);
}

static void sim_free(struct sim *sim)
{
	kunit_kfree(sim->test, sim->req.pkts);
	kunit_kfree(sim->test, sim->rsp.received);
	kunit_kfree(sim->test, sim->evs);
	kunit_kfree(sim->test, sim->peer_evs);
}

/* Go on until @until or until everything has completed and is quiet. */
static void sim_run_until(struct sim *sim, u64 until)
{
	struct sim_event e;
	u64 next;

	sim_run_req(sim);
	for (;;) {
		next = mrc_req_deadline(&sim->req) ?: SIM_NEVER;
		if (sim->n_events && sim->heap[0].at < next)
			next = sim->heap[0].at;
		if (sim->rq_gap)
			next = min(next, sim->rq_at);
		if (next > until || (!sim->idle && sim->n_done == sim->n_msgs))
			break;
		next = max(sim->now, next);
		sim->now = sim_after_stall(next, sim->vm_period, sim->vm_stall);
		/* At worst timers run before what has been received is read. */
		if (sim->now != next)
			sim_run_req(sim);
		if (sim->rq_gap && sim->rq_at <= sim->now) {
			sim->rq_room++;
			sim->rq_at = sim->now + sim->rq_gap;
		}
		while (sim->n_events && sim->heap[0].at <= sim->now) {
			sim_take(sim, &e);
			if (e.to_peer)
				sim_rx_data(sim, &e);
			else
				sim_rx_answer(sim, &e);
		}
		sim_run_req(sim);
	}
}

/* What is true after every simulation in which nothing failed for good. */
static void sim_check_end(struct sim *sim)
{
	struct kunit *test = sim->test;

	KUNIT_EXPECT_EQ(test, sim->n_done, sim->n_msgs);
	KUNIT_EXPECT_EQ(test, sim->done_status, MRC_OK);
	KUNIT_EXPECT_EQ(test, sim->req.inflight, 0);
	KUNIT_EXPECT_EQ(test, sim->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, sim->req.wimm, 0);
	KUNIT_EXPECT_EQ(test, sim->req.una, sim->req.nxt);
	KUNIT_EXPECT_EQ(test, sim->req.ack_psn, sim->req.nxt);
	KUNIT_EXPECT_EQ(test, sim->req.stats.stale, 0);
	KUNIT_EXPECT_EQ(test, sim->rsp.ooo, 0);
	KUNIT_EXPECT_EQ(test, sim->rsp.msn, sim->n_msgs);
	KUNIT_EXPECT_TRUE(test, mrc_req_idle(&sim->req));
}

#endif /* MRC_SIM_H */
