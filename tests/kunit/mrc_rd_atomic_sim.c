// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulation of READs and ATOMICs between two QPs: hosts and network.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/stddef.h>

#include "core/psn.h"
#include "mrc_ack_sample.h"
#include "mrc_rd_atomic_sim.h"

#define PATHS		16
#define DELAY		(10 * RDA_US)
#define QPN		0x100
/* Cookie of a response; the number of its request is added. */
#define RESPONSE	BIT(31)

static bool chance(struct rda_sim *sim, u32 p)
{
	return p && mrc_rnd_below(&sim->rnd, 65536) < p;
}

/* Setting up. */

/**
 * rda_sim_alloc() - allocate a simulation
 * @test: test that needs them
 *
 * Return: simulation for rda_sim_init().
 */
struct rda_sim *rda_sim_alloc(struct kunit *test)
{
	struct rda_sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	sim->test = test;
	return sim;
}

static void *alloc(struct rda_sim *sim, size_t size)
{
	void *mem = kunit_kzalloc(sim->test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(sim->test, mem);
	return mem;
}

static struct mrc_ev_set *make_paths(struct rda_sim *sim, u64 seed)
{
	struct mrc_ev_set *set = alloc(sim, mrc_ev_set_size(PATHS));
	struct mrc_ev_entry e[PATHS];
	const struct mrc_ev_cfg cfg = { .seed = seed };

	mrc_ev_auto(e, PATHS, 0xf, seed);
	KUNIT_ASSERT_EQ(sim->test, 0, mrc_ev_set_init(set, e, PATHS, &cfg));
	return set;
}

static void init_side(struct rda_sim *sim, u8 i, u64 seed)
{
	struct rda_side *s = &sim->side[i];
	const struct mrc_req_cfg req = {
		.dest_qpn = QPN + !i,
		.sq_psn = (seed + i) * 0x10001 & MRC_PSN_MASK,
		.rq_psn = (seed + !i) * 0x10001 & MRC_PSN_MASK,
		.pmtu = RDA_PMTU,
		.mpr = 128,
		.max_msgs = 2 * MRC_RD_ATOMIC_MAX,
		.max_wimm = 16,
		.max_rd_atomic = sim->cfg.max_rd_atomic,
		.max_responses = sim->cfg.max_dest_rd_atomic ?: sim->cfg.max_rd_atomic,
		.burst = 4,
		.timeout_ns = 67 * RDA_MS,
		.linear_cnt = 3,
		.exp_cnt = 4,
		.rnr_retry = 7,
		.reo_wnd_path = MRC_REO_WND_PATH_HOST,
		.reo_wnd_any = MRC_REO_WND_ANY_HOST,
		.ts = seed & 1,
	};
	const struct mrc_rsp_cfg rsp = {
		.peer_qpn = QPN + !i,
		.rq_psn = (seed + !i) * 0x10001 & MRC_PSN_MASK,
		.mpr = 128,
		.max_wimm = 16,
		.max_dest_rd_atomic = sim->cfg.max_dest_rd_atomic ?: sim->cfg.max_rd_atomic,
		.sack_threshold = 4096,
	};
	const struct mrc_cc_cfg cc = {
		.mtu = RDA_PMTU + 176,
		.max_cwnd = 64 * 1024,
		.ack_trigger = 4096,
	};

	s->evs = make_paths(sim, seed + i);
	mrc_req_init(&s->req, &req, s->evs, &mrc_cc_fixed, &cc,
		     alloc(sim, mrc_req_mem_size(&req)));
	mrc_rsp_init(&s->rsp, &rsp, alloc(sim, mrc_rsp_mem_size(&rsp)));
	mrc_rd_pending_init(&s->rd_pending);
	s->req.rda.posted = sim->cfg.first;
	s->req.rda.next = sim->cfg.first;
	s->req.rda.una = sim->cfg.first;
	s->rsp.next_rd_atomic = sim->cfg.first;
	for (i = 0; i < MRC_RD_ATOMIC_MAX; i++)
		s->rd_pending.slot[i].sn += sim->cfg.first & ~(MRC_RD_ATOMIC_MAX - 1);
}

/**
 * rda_sim_init() - set up a run
 * @sim: from rda_sim_alloc(), new or after rda_sim_free()
 * @cfg: parameters
 * @seed: not 0
 */
void rda_sim_init(struct rda_sim *sim, const struct rda_cfg *cfg, u64 seed)
{
	struct kunit *test = sim->test;
	u32 at;
	u8 i;

	memset(sim, 0, sizeof(*sim));
	sim->test = test;
	sim->cfg = *cfg;
	sim->cfg.max_rd_atomic = cfg->max_rd_atomic ?: MRC_RD_ATOMIC_MAX;
	sim->rnd = seed;
	sim->now = 1000 * RDA_MS;
	for (i = 0; i < 2; i++) {
		init_side(sim, i, seed);
		for (at = 0; at < RDA_CONST; at++)
			sim->side[i].constant[at] = rda_octet(i, at);
	}
}

/**
 * rda_sim_free() - free the allocations of rda_sim_init()
 * @sim: simulation
 */
void rda_sim_free(struct rda_sim *sim)
{
	u8 i;

	for (i = 0; i < 2; i++) {
		kunit_kfree(sim->test, sim->side[i].req.pkts);
		kunit_kfree(sim->test, sim->side[i].rsp.received);
		kunit_kfree(sim->test, sim->side[i].evs);
	}
}

/**
 * rda_sim_op() - add a work request
 * @sim: simulation
 * @side: side that posts it
 * @flags: enum mrc_msg_flags
 * @raddr: offset in the memory of the peer
 * @length: bytes
 *
 * Return: the work request, for members that are not arguments.
 */
struct rda_op *rda_sim_op(struct rda_sim *sim, u8 side, u16 flags, u32 raddr,
			  u32 length)
{
	struct rda_side *s = &sim->side[side];
	struct rda_op *op = &s->op[s->n_ops++];

	KUNIT_ASSERT_LE(sim->test, s->n_ops, RDA_OPS);
	KUNIT_ASSERT_LE(sim->test, length, RDA_LEN_MAX);
	op->flags = flags;
	op->raddr = raddr;
	op->length = length;
	return op;
}

/* Network. */

static struct rda_event *new_event(struct rda_sim *sim, u8 to, u32 ev)
{
	struct rda_event *e;
	u32 i;

	for (i = 0; i < RDA_EVENTS && sim->event[i].at; i++)
		continue;
	KUNIT_ASSERT_LT(sim->test, i, RDA_EVENTS);
	e = &sim->event[i];
	memset(e, 0, offsetof(struct rda_event, buf));
	e->at = sim->now + DELAY +
		(sim->cfg.jitter ?
		 mrc_rnd_below(&sim->rnd, sim->cfg.jitter) : 0);
	e->to = to;
	e->ev = ev;
	return e;
}

static struct rda_event *next_event(struct rda_sim *sim)
{
	struct rda_event *next = NULL;
	u32 i;

	for (i = 0; i < RDA_EVENTS; i++)
		if (sim->event[i].at &&
		    (!next || sim->event[i].at < next->at))
			next = &sim->event[i];
	return next;
}

static void duplicate(struct rda_sim *sim, const struct rda_event *e)
{
	struct rda_event *copy = new_event(sim, e->to, e->ev);
	u64 at = copy->at;

	*copy = *e;
	copy->at = at;
}

/* Sending. */

static const u8 *memory(struct rda_sim *sim, struct rda_side *s, u64 at,
			u32 len)
{
	KUNIT_ASSERT_LE(sim->test, offsetof(struct rda_side, constant) + at +
			len, sizeof(*s));
	return s->constant + at;
}

static void put_payload(struct rda_sim *sim, struct rda_side *s,
			const struct mrc_burst_pkt *bp, u8 *to)
{
	u32 len = bp->hdr.payload_len;

	if (bp->msg->flags & MRC_MSG_RESPONSE)
		memcpy(to, memory(sim, s, bp->msg->raddr + bp->offset, len),
		       len);
	else
		memcpy(to, s->op[bp->cookie].buf + bp->offset, len);
}

static void add_pending(struct rda_side *s, const struct mrc_burst_pkt *bp)
{
	u32 i, pending = 0;

	mrc_rd_pending_add(&s->rd_pending, bp);
	for (i = 0; i < MRC_RD_ATOMIC_MAX; i++)
		pending += s->rd_pending.slot[i].open;
	s->max_pending = max(s->max_pending, pending);
}

static void send_pkt(struct rda_sim *sim, u8 from,
		     const struct mrc_burst_pkt *bp, u32 ev)
{
	struct rda_side *s = &sim->side[from];
	struct rda_event *e;

	if (mrc_opcode_get(bp->hdr.opcode)->flags & MRC_OPF_RD_ATOMIC)
		add_pending(s, bp);
	if (chance(sim, sim->cfg.loss))
		return;
	e = new_event(sim, !from, ev);
	e->hdr_len = mrc_pkt_put_data(e->buf, &bp->hdr);
	e->len = e->hdr_len + bp->hdr.payload_len;
	e->pkt_len = e->len + mrc_pkt_trailer_len(bp->hdr.payload_len);
	if (bp->hdr.payload_len)
		put_payload(sim, s, bp, e->buf + e->hdr_len);
	e->trim = chance(sim, sim->cfg.trim);
	if (chance(sim, sim->cfg.dup))
		duplicate(sim, e);
}

static void send_burst(struct rda_sim *sim, u8 from, const struct mrc_burst *b)
{
	struct mrc_burst_pkt bp;
	u8 i;

	for (i = 0; i < b->n; i++) {
		mrc_req_burst_pkt(&sim->side[from].req, b, i, sim->now, &bp);
		send_pkt(sim, from, &bp, b->ev);
	}
}

static void send_probe(struct rda_sim *sim, u8 from,
		       const struct mrc_probe *probe)
{
	const struct mrc_pkt_probe pkt = {
		.probe_id = probe->probe_id,
		.tx_ts = probe->tx_ts,
	};
	struct rda_event *e;

	if (chance(sim, sim->cfg.loss))
		return;
	e = new_event(sim, !from, probe->ev);
	e->len = mrc_pkt_put_probe(e->buf, probe->dest_qpn, &pkt);
	e->hdr_len = e->len;
	e->pkt_len = e->len;
}

static void send_acks(struct rda_sim *sim, u8 from)
{
	struct rda_side *s = &sim->side[from];
	struct rda_event *e;
	struct mrc_ack_batch a;
	int path;

	while (mrc_rsp_build_acks(&s->rsp, &a)) {
		path = mrc_ev_pick(s->evs, 1, &s->cursor);
		if (path < 0 || chance(sim, sim->cfg.ctl_loss))
			continue;
		e = new_event(sim, !from, s->evs->ev[path].value);
		e->seg = a.seg;
		e->len = a.len;
		memcpy(e->buf, a.buf, a.len);
	}
}

static void pop_done(struct rda_sim *sim, struct rda_side *s)
{
	struct mrc_done d;

	while (mrc_req_pop(&s->req, &d)) {
		if (d.cookie & RESPONSE)
			continue;
		KUNIT_EXPECT_EQ(sim->test, d.cookie, s->n_done);
		s->op[d.cookie].done = true;
		s->op[d.cookie].status = d.status;
		s->n_done++;
	}
}

static void post_ops(struct rda_side *s)
{
	struct mrc_msg_desc d = {};

	while (s->posted < s->n_ops) {
		const struct rda_op *op = &s->op[s->posted];

		d.cookie = s->posted;
		d.flags = op->flags;
		d.length = op->length;
		d.raddr = op->raddr;
		d.swap = op->swap;
		d.compare = op->compare;
		if (!mrc_req_can_post(&s->req, &d))
			break;
		s->posted++;
		mrc_req_post(&s->req, &d);
	}
}

static void run_side(struct rda_sim *sim, u8 i)
{
	struct rda_side *s = &sim->side[i];
	u64 deadline = mrc_req_deadline(&s->req);
	struct mrc_probe probe;
	struct mrc_burst b;

	if (deadline && deadline <= sim->now)
		mrc_req_on_timer(&s->req, sim->now);
	post_ops(s);
	while (mrc_req_next_burst(&s->req, sim->now, &b)) {
		send_burst(sim, i, &b);
		post_ops(s);
	}
	while (mrc_req_next_probe(&s->req, sim->now, &probe))
		send_probe(sim, i, &probe);
	pop_done(sim, s);
}

/* Receiving. */

static bool place_response(struct rda_sim *sim, struct rda_side *s,
			   const struct mrc_pkt *pkt, const u8 *payload)
{
	const struct mrc_rd_pending_entry *res = mrc_rd_pending_find(&s->rd_pending, pkt);
	struct rda_op *op;

	if (!res)
		return false;
	op = &s->op[res->cookie];
	if (pkt->op->flags & MRC_OPF_ATOMIC)
		op->orig = pkt->orig;
	else
		memcpy(op->buf + pkt->va, payload, pkt->payload_len);
	mrc_rd_pending_placed(&s->rd_pending, pkt);
	return true;
}

static void accept(struct rda_sim *sim, struct rda_side *s,
		   const struct mrc_pkt *pkt, const struct rda_event *e)
{
	const u8 *payload = e->buf + e->hdr_len;

	if (mrc_rsp_accept(&s->rsp, pkt, e->ev, false) != MRC_RSP_NEW)
		return;
	if (pkt->op->flags & MRC_OPF_RSP &&
	    !place_response(sim, s, pkt, payload)) {
		mrc_rsp_fail_pkt(&s->rsp, pkt->psn, MRC_SYN_NAK_INV_REQ);
		return;
	}
	if (pkt->op->flags & MRC_OPF_WRITE)
		memcpy((u8 *)memory(sim, s, pkt->va, pkt->payload_len),
		       payload, pkt->payload_len);
	mrc_rsp_placed(&s->rsp, pkt, e->ev, false);
}

static u64 execute_atomic(struct rda_sim *sim, struct rda_side *s,
			  const struct mrc_rd_atomic *rda)
{
	u64 *at = (u64 *)memory(sim, s, rda->va, sizeof(*at));
	u64 orig = *at;

	s->executed++;
	if (rda->opcode == MRC_OP_FETCH_ADD)
		*at += rda->swap;
	else if (orig == rda->compare)
		*at = rda->swap;
	return orig;
}

static void execute_requests(struct rda_sim *sim, struct rda_side *s)
{
	struct mrc_msg_desc d;
	struct mrc_rd_atomic rda;
	u64 orig = 0;

	while (!s->idle && mrc_req_free_slots(&s->req) &&
	       mrc_rsp_pop_rd_atomic(&s->rsp, &rda)) {
		KUNIT_EXPECT_EQ(sim->test, rda.rpsn, s->req.cfg.sq_psn);
		if (s->nak) {
			mrc_rsp_fail_msg(&s->rsp, rda.psn, s->nak);
			return;
		}
		if (rda.opcode != MRC_OP_READ_REQUEST)
			orig = execute_atomic(sim, s, &rda);
		mrc_rd_atomic_response(&rda, orig, &d);
		d.cookie = RESPONSE | rda.sn;
		mrc_req_post(&s->req, &d);
	}
}

static void rx_data(struct rda_sim *sim, const struct rda_event *e)
{
	struct rda_side *s = &sim->side[e->to];
	struct mrc_delivery d;
	struct mrc_pkt pkt;

	KUNIT_ASSERT_EQ(sim->test, 0, mrc_pkt_decode_hdr(e->buf, e->len,
							 e->pkt_len, &pkt));
	KUNIT_EXPECT_EQ(sim->test, pkt.dest_qpn, QPN + e->to);
	if (pkt.op->code == MRC_OP_PROBE)
		mrc_rsp_on_probe(&s->rsp, &pkt, e->ev, false);
	else if (e->trim)
		mrc_rsp_nack(&s->rsp, &pkt, e->ev, MRC_NACK_TRIMMED);
	else
		accept(sim, s, &pkt, e);
	while (mrc_rsp_pop(&s->rsp, &d))
		continue;
	execute_requests(sim, s);
	send_acks(sim, e->to);
}

static void rx_acks(struct rda_sim *sim, const struct rda_event *e)
{
	struct mrc_pkt pkt;
	u16 off = 0;

	while (acks_next(sim->test, e->buf, e->len, e->seg, &off, &pkt))
		acks_deliver(&sim->side[e->to].req, &pkt, sim->now);
}

static void arrive(struct rda_sim *sim, struct rda_event *e)
{
	struct rda_side *s = &sim->side[e->to];
	u16 n;

	if (s->dead)
		goto out;
	if (e->seg)
		rx_acks(sim, e);
	else
		rx_data(sim, e);
	while (mrc_rd_pending_pop(&s->rd_pending, &n))
		mrc_req_on_response(&s->req, n, sim->now);
out:
	e->at = 0;
}

/**
 * rda_sim_over() - have all work requests completed?
 * @sim: simulation
 *
 * Return: true if so.
 */
bool rda_sim_over(const struct rda_sim *sim)
{
	return sim->side[0].n_done == sim->side[0].n_ops &&
	       sim->side[1].n_done == sim->side[1].n_ops;
}

/**
 * rda_sim_run() - continue a run
 * @sim: simulation
 * @until: ns from now; ends earlier when all work requests have completed
 */
void rda_sim_run(struct rda_sim *sim, u64 until)
{
	struct rda_event *e;
	u64 at;
	u8 i;

	until += sim->now;
	for (;;) {
		for (i = 0; i < 2; i++) {
			execute_requests(sim, &sim->side[i]);
			run_side(sim, i);
		}
		e = next_event(sim);
		at = e ? e->at : ~0ULL;
		for (i = 0; i < 2; i++)
			at = min(at, mrc_req_deadline(&sim->side[i].req) ?:
				 ~0ULL);
		if (at > until || rda_sim_over(sim))
			return;
		sim->now = max(at, sim->now);
		if (e && e->at <= sim->now)
			arrive(sim, e);
	}
}
