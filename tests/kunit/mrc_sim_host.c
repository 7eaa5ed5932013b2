// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulation: two hosts.  One posts and sends messages, the other places,
 * delivers and acknowledges them.
 */
#include <kunit/test.h>
#include <asm/byteorder.h>
#include <linux/minmax.h>

#include "core/psn.h"
#include "core/ack_path.h"
#include "mrc_ack_sample.h"
#include "mrc_sim.h"

/* Responder's host. */

/**
 * sim_all_pkts() - &struct sim_msg.got of a complete message
 * @sim: simulation
 * @m: message
 *
 * Return: bit per packet.
 */
u64 sim_all_pkts(const struct sim *sim, const struct sim_msg *m)
{
	u32 n = max(1U, DIV_ROUND_UP(m->length, sim->req.cfg.pmtu));

	return n < 64 ? (1ULL << n) - 1 : ~0ULL;
}

/* Message and offset that the headers of a packet name. */
static struct sim_msg *find_place(struct sim *sim, const struct mrc_pkt *pkt,
				  u32 *offset)
{
	u32 cookie = pkt->va >> 32;

	*offset = lower_32_bits(pkt->va);
	if (pkt->op->flags & MRC_OPF_SEND) {
		KUNIT_ASSERT_LT(sim->test, pkt->rqmsn, sim->n_rq);
		cookie = sim->rq_msg[pkt->rqmsn];
	} else {
		KUNIT_EXPECT_EQ(sim->test, pkt->rkey, cookie ^ 0x5a5a);
	}
	KUNIT_ASSERT_LT(sim->test, cookie, sim->posted);
	KUNIT_EXPECT_EQ(sim->test, pkt->msn, cookie);
	return &sim->msg[cookie];
}

static void place(struct sim *sim, const struct mrc_pkt *pkt)
{
	u32 offset, at, pmtu = sim->req.cfg.pmtu;
	struct sim_msg *m = find_place(sim, pkt, &offset);

	at = offset / pmtu;
	KUNIT_EXPECT_EQ(sim->test, offset % pmtu, 0);
	KUNIT_EXPECT_EQ(sim->test, pkt->dmalen, m->length);
	KUNIT_EXPECT_EQ(sim->test, pkt->payload_len,
			min_t(u32, m->length - offset, pmtu));
	KUNIT_EXPECT_FALSE_MSG(sim->test, m->got >> at & 1,
			       "offset %u of message %u placed twice", offset,
			       pkt->msn);
	m->got |= 1ULL << at;
}

static void deliver(struct sim *sim, const struct mrc_delivery *d)
{
	while (sim->n_complete < sim->posted &&
	       sim->msg[sim->n_complete].got ==
	       sim_all_pkts(sim, &sim->msg[sim->n_complete]))
		sim->n_complete++;
	sim_check_delivery(sim, d);
	sim->msg[sim->rq_msg[d->rqmsn]].delivered = true;
}

static void accept(struct sim *sim, const struct sim_event *e,
		   const struct mrc_pkt *pkt)
{
	if (mrc_rsp_accept(&sim->rsp, pkt, e->ev, e->ce) != MRC_RSP_NEW)
		return;
	if (pkt->msn == sim->refuse_msg) {
		mrc_rsp_fail_pkt(&sim->rsp, pkt->psn, MRC_SYN_NAK_REM_ACCESS);
	} else if (pkt->op->flags & MRC_OPF_RQ &&
		   pkt->rqmsn >= sim->rq_posted) {
		mrc_rsp_not_ready(&sim->rsp, pkt, 1);
	} else {
		place(sim, pkt);
		mrc_rsp_placed(&sim->rsp, pkt, e->ev, e->ce);
	}
}

/* Acknowledgments take the plane on which the data has arrived. */
static void send_acks(struct sim *sim, u8 plane)
{
	u32 mpr = 2 * sim->rsp.cfg.mpr;
	struct mrc_ack_batch a;
	int path;
	u8 i;

	if (sim_chance(sim, sim->mpr_change))
		mrc_rsp_set_mpr(&sim->rsp, mrc_rnd_below(&sim->rnd, mpr));
	while (mrc_rsp_build_acks(&sim->rsp, &a)) {
		KUNIT_EXPECT_LE(sim->test, a.len, MRC_ACK_BATCH_MAX);
		KUNIT_EXPECT_EQ(sim->test, (a.len + a.seg - 1) / a.seg, a.n);
		if (a.data && mrc_ack_path_used(sim->peer_evs))
			mrc_ack_path_wake(sim->peer_evs, sim->now);
		for (i = 0; i < a.copies; i++) {
			path = mrc_ack_path_pick(sim->peer_evs, plane, a.health,
						 &sim->cursor[plane]);
			if (path < 0)
				continue;
			sim_check_path(sim, sim->peer_evs, path);
			sim_send_acks(sim, &a, path);
		}
	}
}

/* Acknowledgments of probes of the responder's host. */
static void rx_own_acks(struct sim *sim, const struct sim_event *e)
{
	struct mrc_pkt pkt;
	u16 off = 0;

	while (acks_next(sim->test, e->buf, e->len, e->seg, &off, &pkt))
		acks_deliver(&sim->peer_req, &pkt, sim->now);
}

/**
 * sim_run_peer() - run the timer of the requester of the responder's host
 * @sim: simulation
 */
void sim_run_peer(struct sim *sim)
{
	u64 deadline = mrc_req_deadline(&sim->peer_req);
	struct mrc_probe probe;

	if (!deadline || deadline > sim->now)
		return;
	mrc_req_on_timer(&sim->peer_req, sim->now);
	while (mrc_req_next_probe(&sim->peer_req, sim->now, &probe)) {
		sim_trace(sim, "tx back: probe %04x path %u", probe.probe_id,
			  probe.path);
		sim_check_path(sim, sim->peer_evs, probe.path);
		sim_send_peer_probe(sim, &probe);
	}
}

/**
 * sim_rx_data() - a packet arrives at the responder's host
 * @sim: simulation
 * @e: the packet, or acknowledgments for this host
 */
void sim_rx_data(struct sim *sim, const struct sim_event *e)
{
	struct mrc_delivery d;
	struct mrc_pkt pkt;

	if (e->seg) {
		rx_own_acks(sim, e);
		return;
	}
	mrc_rsp_clock(&sim->rsp, sim->now);
	if (e->len) {
		KUNIT_ASSERT_EQ(sim->test, 0,
				mrc_pkt_decode_hdr(e->buf, e->len, e->pkt_len,
						   &pkt));
		KUNIT_EXPECT_EQ(sim->test, pkt.dest_qpn, SIM_QPN);
		sim_trace(sim, "    rx %s psn %06x%s%s", pkt.op->name, pkt.psn,
			  e->ce ? " marked" : "", e->trim ? " trimmed" : "");
		if (pkt.op->code == MRC_OP_PROBE)
			mrc_rsp_on_probe(&sim->rsp, &pkt, e->ev, e->ce);
		else if (e->trim)
			mrc_rsp_nack(&sim->rsp, &pkt, e->ev, e->trim);
		else
			accept(sim, e, &pkt);
	}
	if (!e->last)
		return;
	while (mrc_rsp_pop(&sim->rsp, &d))
		deliver(sim, &d);
	send_acks(sim, e->plane);
}

/* Requester's host. */

static void make_msg(struct sim *sim, struct sim_msg *m)
{
	static const u16 kinds[] = {
		0, 0, MRC_MSG_IMM, MRC_MSG_SEND, MRC_MSG_SEND | MRC_MSG_IMM,
		MRC_MSG_SEND | MRC_MSG_INV,
	};
	u32 pmtu = sim->req.cfg.pmtu;

	m->flags = kinds[mrc_rnd_below(&sim->rnd, ARRAY_SIZE(kinds))];
	if (sim->long_msgs) {
		m->length = pmtu * SIM_MSG_PKTS;
		return;
	}
	switch (mrc_rnd_below(&sim->rnd, 4)) {
	case 0:
		m->length = mrc_rnd_below(&sim->rnd, 9);
		break;
	case 1:
		m->length = pmtu * mrc_rnd_below(&sim->rnd, 20);
		break;
	default:
		m->length = mrc_rnd_below(&sim->rnd, pmtu * SIM_MSG_PKTS);
		break;
	}
}

static void post_all(struct sim *sim)
{
	while (sim->posted < sim->n_msgs && mrc_req_free_slots(&sim->req)) {
		u32 cookie = sim->posted++;
		struct sim_msg *m = &sim->msg[cookie];
		struct mrc_msg_desc d = {
			.raddr = (u64)cookie << 32,
			.rkey = cookie ^ 0x5a5a,
			.imm = cpu_to_be32(cookie),
			.cookie = cookie,
		};

		make_msg(sim, m);
		d.length = m->length;
		d.flags = m->flags;
		if (m->flags)
			sim->rq_msg[sim->n_rq++] = cookie;
		mrc_req_post(&sim->req, &d);
	}
}

static void note_done(struct sim *sim, const struct mrc_done *done)
{
	sim_trace(sim, "done: message %u, status %u", done->cookie,
		  done->status);
	sim_check_done(sim, done);
	sim->msg[done->cookie].done = true;
	sim->n_done++;
	sim->end = sim->now;
	if (done->status && !sim->done_status) {
		sim->done_status = done->status;
		sim->failed_msg = done->cookie;
	}
}

static bool pop_all(struct sim *sim)
{
	struct mrc_done d;
	bool any = false;

	while (mrc_req_pop(&sim->req, &d)) {
		note_done(sim, &d);
		any = true;
	}
	return any;
}

/* The queue of the sender's own port is full. */
static bool wire_is_full(struct sim *sim)
{
	sim->wire_at = sim->wire_free > sim->now + SIM_WIRE_MAX ?
		       sim->wire_free - SIM_WIRE_MAX : 0;
	return sim->wire_at;
}

static void send_all(struct sim *sim)
{
	struct mrc_probe probe;
	struct mrc_burst b;
	bool idle;

	while (!wire_is_full(sim)) {
		sim_check_planes(sim);
		idle = mrc_req_is_idle(&sim->req);
		if (!mrc_req_next_burst(&sim->req, sim->now, &b))
			break;
		KUNIT_EXPECT_FALSE(sim->test, idle);
		sim_trace(sim, "tx psn %06x n %u path %u%s%s", b.psn, b.n,
			  b.path, b.rtx ? " again" : "",
			  b.ackreq ? " ackreq" : "");
		sim_check_burst(sim, &b);
		sim->used |= BIT_ULL(b.path);
		sim_send_burst(sim, &b);
	}
	while (mrc_req_next_probe(&sim->req, sim->now, &probe)) {
		sim_trace(sim, "tx probe %04x path %u", probe.probe_id,
			  probe.path);
		sim_check_path(sim, sim->evs, probe.path);
		sim_send_probe(sim, &probe);
	}
}

/**
 * sim_run_req() - run the requester's host: timer, posts, packets, completions
 * @sim: simulation
 */
void sim_run_req(struct sim *sim)
{
	u64 deadline = mrc_req_deadline(&sim->req);

	if (deadline && deadline <= sim->now)
		mrc_req_on_timer(&sim->req, sim->now);
	do {
		pop_all(sim);
		post_all(sim);
		send_all(sim);
	} while (pop_all(sim));
}

/* Acknowledge probes of the responder's host. */
static void send_own_acks(struct sim *sim, u8 plane)
{
	struct mrc_ack_batch a;
	int path;

	while (mrc_rsp_build_acks(&sim->own_rsp, &a)) {
		KUNIT_EXPECT_FALSE(sim->test, a.data);
		KUNIT_EXPECT_EQ(sim->test, a.copies, 1);
		path = mrc_ack_path_pick(sim->evs, plane, a.health,
					 &sim->own_cursor[plane]);
		if (path < 0)
			continue;
		sim_check_path(sim, sim->evs, path);
		sim_send_own_acks(sim, &a, path);
	}
}

static u32 later(u32 a, u32 b)
{
	return mrc_psn_diff(a, b) > 0 ? a : b;
}

/* Cumulative PSN and PSN window that the requester has received. */
static void note_sack(struct sim *sim, const struct mrc_pkt_sack *s)
{
	sim->known_cack = later(sim->known_cack, s->cack_psn);
	/* rcvd_bytes is a serial number of 24 bits, like a PSN. */
	if (s->mpr && mrc_psn_diff(s->rcvd_bytes, sim->known_rcvd) >= 0) {
		sim->known_rcvd = s->rcvd_bytes;
		sim->known_mpr = s->mpr * MRC_MPR_UNIT;
	}

	sim_trace(sim, "    rx sack %06x+%d %016llx trigger %+d ooo %u%s%s",
		  s->cack_psn, s->sack_offset, s->bitmap, s->ack_psn_offset,
		  s->ooo_count, s->mark ? " marked" : "",
		  s->probe ? " probe" : "");
}

static void note_ack(struct sim *sim, const struct mrc_pkt *pkt)
{
	switch (pkt->op->code) {
	case MRC_OP_SACK:
		note_sack(sim, &pkt->sack);
		break;
	case MRC_OP_PROBE:
		sim_trace(sim, "    rx probe %04x", pkt->probe.probe_id);
		break;
	case MRC_OP_NACK:
		sim_trace(sim, "    rx nack %06x reason %02x", pkt->nack.psn,
			  pkt->nack.reason);
		break;
	case MRC_OP_ACK:
		sim_trace(sim, "    rx ack %06x syndrome %02x", pkt->ack.psn,
			  pkt->ack.syndrome);
		if (pkt->ack.syndrome == MRC_SYN_ACK)
			sim->known_cack = later(sim->known_cack, pkt->ack.psn);
		break;
	}
}

/**
 * sim_rx_acks() - acknowledgments arrive at the requester
 * @sim: simulation
 * @e: a GSO buffer of acknowledgments
 */
void sim_rx_acks(struct sim *sim, const struct sim_event *e)
{
	struct mrc_pkt pkt;
	u16 off = 0;

	mrc_rsp_clock(&sim->own_rsp, sim->now);
	while (acks_next(sim->test, e->buf, e->len, e->seg, &off, &pkt)) {
		note_ack(sim, &pkt);
		if (pkt.op->code == MRC_OP_PROBE)
			mrc_rsp_on_probe(&sim->own_rsp, &pkt, e->ev, e->ce);
		else
			acks_deliver(&sim->req, &pkt, sim->now);
	}
	send_own_acks(sim, e->plane);
}
