// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: acknowledgments and loss recovery.  Reordering windows are tested
 * in mrc_loss, and in mrc_sim that nothing is retransmitted without loss.
 */
#include "core/rnd.h"
#include "mrc_req_sample.h"

/* A requester that has sent @n packets of one WRITE, one per burst. */
static struct rig *in_flight(struct kunit *test, u32 n)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.burst = 1;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, n * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), n);
	return r;
}

static u32 ev_value(const struct rig *r, u32 i)
{
	return r->evs->ev[r->sent[i].path].value;
}

/* SACK. */

static void mrc_repair_gap_alone_is_no_loss(struct kunit *test)
{
	struct rig *r = in_flight(test, 32);

	r->now += 10000;
	sack_for(r, &r->sent[31], 0, 0x7ffffffe & ~0xf0);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, r->req.inflight / r->req.pkts[1].nominal, 5);
}

/* SACKs overtake each other: an old one does not undo a newer one. */
static void mrc_repair_old_sack_undoes_nothing(struct kunit *test)
{
	struct rig *r = in_flight(test, 16);
	u32 inflight;

	sack_for(r, &r->sent[8], 5, 0x7);
	inflight = r->req.inflight;
	KUNIT_EXPECT_EQ(test, r->req.una, 6);
	sack_for(r, &r->sent[2], 2, 0);
	sack_for(r, &r->sent[8], 5, 0x7);
	KUNIT_EXPECT_EQ(test, r->req.una, 6);
	KUNIT_EXPECT_EQ(test, r->req.inflight, inflight);
	/* Packets that only the old one reports are delivered. */
	sack_for(r, &r->sent[4], 1, 0x1 << 10);
	KUNIT_EXPECT_LT(test, r->req.inflight, inflight);
	rx_ack(r, 15, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	expect_done(r, 0, MRC_OK);
}

/* An acknowledgment of PSNs that were never sent is forged or stale. */
static void mrc_repair_forged_acks_ignored(struct kunit *test)
{
	struct rig *r = in_flight(test, 16);
	struct mrc_pkt_sack s = { .cack_psn = 16 };
	u32 inflight = r->req.inflight;

	rx_sack(r, &s);
	s = (struct mrc_pkt_sack){
		.cack_psn = 3, .sack_offset = 1, .bitmap = BIT(12),
	};
	rx_sack(r, &s);
	s = (struct mrc_pkt_sack){ .cack_psn = 0x800000 };
	rx_sack(r, &s);
	s = (struct mrc_pkt_sack){
		.cack_psn = mrc_psn_add(0, -300), .sack_offset = 301,
		.bitmap = 0xff,
	};
	rx_sack(r, &s);
	rx_ack(r, 16, MRC_SYN_ACK);
	rx_ack(r, 16, MRC_SYN_NAK_REM_ACCESS);
	rx_ack(r, 0xfffff0, MRC_SYN_NAK_REM_ACCESS);
	rx_nack(r, 16, ev_value(r, 0), MRC_NACK_TRIMMED);
	rx_nack(r, 0xffffff, ev_value(r, 0), MRC_NACK_UNEXP_EVENT);
	rx_nack(r, 300, ev_value(r, 0), MRC_NACK_UNEXP_EVENT);
	KUNIT_EXPECT_EQ(test, r->req.inflight, inflight);
	KUNIT_EXPECT_EQ(test, r->req.una, 0);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	expect_none_done(r);
}

static void expect_no_feedback(const struct rig *r)
{
	u16 i;

	for (i = 0; i < r->evs->n; i++) {
		KUNIT_EXPECT_EQ_MSG(r->test, r->evs->ev[i].state, MRC_EV_GOOD,
				    "path %u", i);
		KUNIT_EXPECT_EQ(r->test, r->evs->ev[i].stats.ecn, 0);
		KUNIT_EXPECT_EQ(r->test, r->evs->ev[i].stats.trims, 0);
	}
}

/*
 * Whoever does not know a PSN and its path has no influence on paths, window or
 * loss detection: not even by PSNs that are in the window, or not yet forgotten.
 */
static void mrc_repair_forged_feedback_ignored(struct kunit *test)
{
	static const s32 cacks[] = { -258, -1000, -0x7fff00, -40, -1, 3 };
	struct rig *r = in_flight(test, 100);
	struct mrc_pkt_sack s = {
		.rcvd_bytes = 0x7fffff, .ooo_count = 1000, .cwnd_pen = 100,
		.mark = MRC_MARK_ALWAYS_SKIP, .entropy = ev_value(r, 4),
	};
	u32 i;

	KUNIT_ASSERT_NE(test, ev_value(r, 4), ev_value(r, 3));
	r->now += SECOND;
	for (i = 0; i < ARRAY_SIZE(cacks); i++) {
		s.cack_psn = mrc_psn_add(0, cacks[i]);
		s.mark = MRC_MARK_ALWAYS_SKIP;
		rx_sack(r, &s);
		s.mark = MRC_MARK_SKIP_ONCE;
		rx_sack(r, &s);
	}
	KUNIT_EXPECT_EQ(test, r->req.stats.old, 6);
	rx_nack(r, 3, ev_value(r, 4), MRC_NACK_TRIMMED);
	rx_nack(r, mrc_psn_add(0, -3), ev_value(r, 4), MRC_NACK_TRIMMED);
	rx_nack(r, mrc_psn_add(0, -257), ev_value(r, 4), MRC_NACK_TRIMMED);
	rx_nack(r, 5, ev_value(r, 4), MRC_NACK_UNEXP_EVENT);
	expect_no_feedback(r);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, mrc_req_inflight(&r->req),
			96 * r->req.pkts[4].nominal);
	KUNIT_EXPECT_EQ(test, r->req.rtt.min, 0);
}

static void mrc_repair_mark_reported_to_path(struct kunit *test)
{
	struct rig *r = in_flight(test, 4);
	struct mrc_pkt_sack s = {
		.cack_psn = 0,
		.ack_psn_offset = 2,
		.entropy = ev_value(r, 2),
		.mark = MRC_MARK_SKIP_ONCE,
	};

	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[2].path].state, MRC_EV_SKIP);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[2].path].stats.ecn, 1);
	s.mark = MRC_MARK_ALWAYS_SKIP;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[2].path].state,
			MRC_EV_ASSUMED_BAD);
}

/* The trigger is delivered even if it is outside of the bitmap. */
static void mrc_repair_trigger_is_delivered(struct kunit *test)
{
	struct rig *r = in_flight(test, 100);
	u32 one = r->req.pkts[1].nominal;
	u32 before = r->req.inflight;

	sack_for(r, &r->sent[90], 0, 0);
	KUNIT_EXPECT_EQ(test, before - r->req.inflight, 2 * one);
}

static void mrc_repair_sack_samples_round_trip(struct kunit *test)
{
	struct rig *r = in_flight(test, 2);

	r->now += 123456;
	sack_for(r, &r->sent[0], 0, 0);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, 123456);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[0].path].srtt, 123456);
}

/* NACK (MRC 1.0 table 7-3). */

static const struct nack_case {
	const char *name;
	u8 reason;
	u8 state;
	bool at_once;
} nack_cases[] = {
	{ "TRIMMED", MRC_NACK_TRIMMED, MRC_EV_SKIP, true },
	{ "TRIMMED_LASTHOP", MRC_NACK_TRIMMED_LASTHOP, MRC_EV_GOOD, true },
	{ "NO_BITMAP", MRC_NACK_NO_BITMAP, MRC_EV_GOOD, false },
	{ "NO_PKT_BUFFER", MRC_NACK_NO_PKT_BUFFER, MRC_EV_GOOD, false },
	{ "NO_RESOURCE", MRC_NACK_NO_RESOURCE, MRC_EV_GOOD, false },
	{ "PSN_OOR_WINDOW", MRC_NACK_PSN_OOR_WINDOW, MRC_EV_GOOD, false },
};

KUNIT_ARRAY_PARAM_DESC(nack_case, nack_cases, name);

static void mrc_repair_nack_retransmits(struct kunit *test)
{
	const struct nack_case *f = test->param_value;
	struct rig *r = in_flight(test, 8);
	u16 path = r->sent[3].path;

	rx_nack(r, 3, ev_value(r, 3), f->reason);
	KUNIT_EXPECT_EQ(test, r->evs->ev[path].state, f->state);
	if (!f->at_once) {
		/* The responder lacks resources: backoff. */
		KUNIT_EXPECT_EQ(test, send_all(r), 0);
		tick(r);
	}
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 3);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.flags,
			MRC_PF_RTX | MRC_PF_ACKREQ | MRC_PF_TS);
	KUNIT_EXPECT_EQ(test, r->evs->ev[path].stats.losses, 0);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
}

/* A retransmission equals the first transmission. */
static void mrc_repair_copy_equals_packet(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	struct sent first = r->sent[7];

	rx_nack(r, 7, ev_value(r, 7), MRC_NACK_TRIMMED);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.op->code, first.pkt.op->code);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.va, first.pkt.va);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.msn, first.pkt.msn);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.dmalen, first.pkt.dmalen);
	KUNIT_EXPECT_EQ(test, r->sent[0].offset, first.offset);
	KUNIT_EXPECT_EQ(test, r->sent[0].cookie, first.cookie);
}

/* Not on the path that the NACK names, even if there are only two. */
static void mrc_repair_takes_another_path(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	u16 path;
	u32 i;

	for (i = 2; i < PATHS; i++)
		mrc_ev_deny(r->evs, i);
	post(r, 0, 0, PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	for (i = 0; i < 50; i++) {
		path = r->sent[0].path;
		rx_nack(r, 0, ev_value(r, 0), MRC_NACK_TRIMMED_LASTHOP);
		KUNIT_ASSERT_EQ(test, send_all(r), 1);
		KUNIT_EXPECT_NE(test, r->sent[0].path, path);
	}
	/* A single path is used again. */
	path = r->sent[0].path;
	mrc_ev_deny(r->evs, 1 - path);
	rx_nack(r, 0, ev_value(r, 0), MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].path, path);
}

static void mrc_repair_stale_nack_ignored(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u32 old_ev = ev_value(r, 5);

	sack_for(r, &r->sent[3], 3, 0);
	rx_nack(r, 2, ev_value(r, 2), MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	/* A duplicate of a NACK causes no second retransmission. */
	rx_nack(r, 5, old_ev, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_nack(r, 5, old_ev, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/*
 * With a single path the EV does not identify the copy.  If each NACK of a
 * duplicated packet caused a retransmission, their number would grow for ever.
 */
static void mrc_repair_nack_of_older_copy_ignored(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u32 i, ev = ev_value(r, 5);

	r->now += MS;
	sack_for(r, &r->sent[3], 3, 0);
	for (i = 0; i < PATHS; i++)
		if (r->evs->ev[i].value != ev)
			mrc_ev_deny(r->evs, i);
	for (i = 0; i < 4; i++) {
		r->now += MS / 2;
		rx_nack(r, 5, ev, MRC_NACK_TRIMMED_LASTHOP);
		KUNIT_EXPECT_EQ(test, send_all(r), !(i & 1));
	}
}

/* Oldest gap first, and before new packets. */
static void mrc_repair_oldest_first(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);

	post(r, 1, 0, PMTU);
	rx_nack(r, 6, ev_value(r, 6), MRC_NACK_TRIMMED_LASTHOP);
	rx_nack(r, 1, ev_value(r, 1), MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_ASSERT_EQ(test, send_all(r), 3);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 1);
	KUNIT_EXPECT_EQ(test, r->sent[1].pkt.psn, 6);
	KUNIT_EXPECT_EQ(test, r->sent[2].pkt.psn, 8);
	KUNIT_EXPECT_FALSE(test, r->sent[2].pkt.flags & MRC_PF_RTX);
}

/* The congestion window limits retransmissions, too. */
static void mrc_repair_obeys_cwnd(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u32 i;

	for (i = 0; i < 4; i++)
		rx_nack(r, i, ev_value(r, i), MRC_NACK_TRIMMED_LASTHOP);
	r->req.cc.cwnd = r->req.inflight + 2 * r->req.pkts[0].nominal;
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
}

/* Time (MRC 1.0 7.4.1). */

/* Run at most @most timers until something is retransmitted or none is left. */
static void until_rtx(struct rig *r, u32 most)
{
	r->n = 0;
	while (most-- && !r->n && tick(r))
		send_all(r);
}

static void mrc_repair_rto_retransmits(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u16 path = r->sent[0].path;
	u32 i;

	until_rtx(r, 1000);
	KUNIT_ASSERT_EQ(test, r->n, 8);
	KUNIT_EXPECT_GE(test, r->now - T0, 50 * MS);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.psn, i);
		KUNIT_EXPECT_TRUE(test, r->sent[i].pkt.flags & MRC_PF_RTX);
	}
	KUNIT_EXPECT_EQ(test, r->evs->ev[path].stats.timeouts, 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[path].state, MRC_EV_ASSUMED_BAD);
	rx_ack(r, 7, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
}

static void mrc_repair_retries_exceeded(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u32 rounds = 0;

	post(r, 1, 0, 1);
	send_all(r);
	while (!r->req.status && rounds < 10) {
		until_rtx(r, 10000);
		rounds++;
	}
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_ERR_RETRY_EXC);
	/* The first RTO and three retries. */
	KUNIT_EXPECT_EQ(test, rounds, 3 + 1);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
	expect_done(r, 1, MRC_ERR_FLUSH);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&r->req), 0);
}

/* The retries are counted since the cumulative PSN last advanced. */
static void mrc_repair_progress_resets_retries(struct kunit *test)
{
	struct rig *r = in_flight(test, 20);
	u32 i;

	for (i = 0; i < 20; i++) {
		until_rtx(r, 10000);
		KUNIT_ASSERT_EQ(test, r->req.status, MRC_OK);
		KUNIT_ASSERT_NOT_NULL(test, find_sent(r, i));
		rx_ack(r, i, MRC_SYN_ACK);
	}
	expect_done(r, 0, MRC_OK);
	KUNIT_EXPECT_GE(test, r->req.stats.timeouts, 20);
}

static void mrc_repair_no_path_retries_exceeded(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	mrc_ev_set_ports(r->evs, 0, 0);
	post(r, 0, 0, PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_GT(test, r->req.stats.stalls_path, 0);
	for (i = 0; i < 10000 && !r->req.status; i++)
		tick(r);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

static void mrc_repair_port_up_resumes(struct kunit *test)
{
	struct rig *r = rig(test);

	mrc_ev_set_ports(r->evs, 0, 0);
	post(r, 0, 0, PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	mrc_ev_set_ports(r->evs, 2, U32_MAX);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[0].path].plane, 2);
}

/* A probe is sent before the RTO expires. */
static void mrc_repair_tail_is_probed(struct kunit *test)
{
	struct rig *r = in_flight(test, 1);
	struct mrc_probe p = {};
	u64 at;

	r->now += 100000;
	post(r, 1, 0, 1);
	send_all(r);
	sack_for(r, &r->sent[0], 0, 1);
	at = mrc_req_deadline(&r->req);
	KUNIT_ASSERT_GT(test, at, r->now);
	KUNIT_EXPECT_LT(test, at, r->now + 50 * MS);
	KUNIT_EXPECT_FALSE(test, mrc_req_next_probe(&r->req, r->now, &p));
	r->now = at;
	mrc_req_on_timer(&r->req, at);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	KUNIT_EXPECT_EQ(test, p.dest_qpn, QPN);
	KUNIT_EXPECT_EQ(test, p.ev, r->evs->ev[p.path].value);
	KUNIT_EXPECT_EQ(test, p.plane, r->evs->ev[p.path].plane);
	KUNIT_EXPECT_EQ(test, p.tx_ts, mrc_ts_from_ns(at));
	KUNIT_EXPECT_EQ(test, r->req.stats.probes, 1);
}

/* All packets are SACKed, but the ACK is lost: AckReq is sent again. */
static void mrc_repair_lost_ack_requested_again(struct kunit *test)
{
	struct rig *r = in_flight(test, 4);

	sack_for(r, &r->sent[3], 3, 0);
	expect_none_done(r);
	KUNIT_EXPECT_NE(test, mrc_req_deadline(&r->req), 0);
	until_rtx(r, 1000);
	KUNIT_ASSERT_EQ(test, r->n, 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 3);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_ACKREQ);
	rx_ack(r, 3, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
}

/* RNR NAK, an extension. */

static void mrc_repair_rnr_backs_off(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	u64 from;

	post(r, 0, MRC_MSG_SEND, PMTU);
	post(r, 1, MRC_MSG_SEND, PMTU);
	send_all(r);
	r->now += MS;
	from = r->now;
	/* Code 12: 0.64 ms. It acknowledges nothing. */
	rx_ack(r, 1, MRC_SYN_TYPE_RNR | 12);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	until_rtx(r, 1000);
	KUNIT_EXPECT_GE(test, r->now - from, 640000);
	KUNIT_EXPECT_LT(test, r->now - from, 20 * MS);
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 1));
	KUNIT_EXPECT_EQ(test, r->evs->n_bad, 0);
	rx_ack(r, 1, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
	expect_done(r, 1, MRC_OK);
}

/* RNR NAKs of one flight are one backoff, also without a round trip sample. */
static void mrc_repair_rnr_of_flight_is_one_backoff(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	u32 i;

	for (i = 0; i < 8; i++)
		post(r, i, MRC_MSG_SEND, PMTU);
	send_all(r);
	r->now += 30 * MS;
	for (i = 0; i < 8; i++) {
		rx_ack(r, i, MRC_SYN_TYPE_RNR | 1);
		r->now += 5 * MS;
		mrc_req_on_timer(&r->req, r->now);
		KUNIT_EXPECT_EQ(test, send_all(r), 0);
	}
	until_rtx(r, 1000);
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 8);
}

/* RNR NAKs that no responder sends: of packets that need or await nothing. */
static void mrc_repair_rnr_needs_outstanding_receive(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);

	post(r, 0, 0, PMTU);
	post(r, 1, MRC_MSG_SEND, PMTU);
	post(r, 2, MRC_MSG_SEND, PMTU);
	send_all(r);
	r->now += MS;
	/* Of a WRITE, and of a SEND that has been delivered. */
	rx_ack(r, 0, MRC_SYN_TYPE_RNR | 12);
	sack_for(r, find_sent(r, 2), -1, BIT_ULL(2));
	rx_ack(r, 2, MRC_SYN_TYPE_RNR | 12);
	KUNIT_EXPECT_EQ(test, r->req.stats.rnr_naks, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.old, 2);
	KUNIT_EXPECT_EQ(test, r->req.backoff.until, 0);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	rx_ack(r, 1, MRC_SYN_TYPE_RNR | 12);
	KUNIT_EXPECT_EQ(test, r->req.stats.rnr_naks, 1);
	KUNIT_EXPECT_NE(test, r->req.backoff.until, 0);
}

static u32 rnr_rounds(struct rig *r, u32 most)
{
	u32 i;

	post(r, 0, MRC_MSG_SEND, PMTU);
	send_all(r);
	for (i = 0; i < most && !r->req.status; i++) {
		r->now += MS;
		rx_ack(r, 0, MRC_SYN_TYPE_RNR | 1);
		until_rtx(r, 1000);
	}
	return i;
}

static void mrc_repair_rnr_retries_are_limited(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);

	KUNIT_EXPECT_EQ(test, rnr_rounds(r, 100), cfg.rnr_retry + 1);
	expect_done(r, 0, MRC_ERR_RNR_RETRY_EXC);

	cfg.rnr_retry = 7;
	r = rig_of(test, &cfg, 1 << 20);
	KUNIT_EXPECT_EQ(test, rnr_rounds(r, 100), 100);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
}

/* Retries until the queue pair fails, with RNR NAKs after @first and then @later ns. */
static u32 rnr_naks_after(struct kunit *test, u64 first, u64 later)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	u32 i;

	post(r, 0, MRC_MSG_SEND, PMTU);
	send_all(r);
	r->now += first;
	for (i = 0; i < 100 && !r->req.status; i++) {
		rx_ack(r, 0, MRC_SYN_TYPE_RNR | 1);
		until_rtx(r, 1000);
		r->now += later;
	}
	return i;
}

/* A round trip that was measured too long hides one RNR NAK, not all that follow. */
static void mrc_repair_rnr_faster_than_round_trip(struct kunit *test)
{
	u32 limit = rig_cfg().rnr_retry + 1;

	KUNIT_EXPECT_EQ(test, rnr_naks_after(test, MS, MS / 10), limit + 1);
	/* A clock of long steps shows no time at all. */
	KUNIT_EXPECT_EQ(test, rnr_naks_after(test, 0, 0), limit);
}

static void mrc_repair_sequence_nak_retransmits(struct kunit *test)
{
	struct rig *r = in_flight(test, 8);
	u32 i;

	rx_ack(r, 5, MRC_SYN_NAK_PSN_SEQ);
	KUNIT_ASSERT_EQ(test, send_all(r), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.psn, 5 + i);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
}

/* Random acknowledgments: the sums of the requester stay consistent. */

static void random_ack(struct rig *r, u32 a, u32 b)
{
	u32 psn = mrc_psn_add(r->req.una, (s32)(a >> 8 & 511) - 128);
	struct mrc_pkt_sack s = {
		.cack_psn = psn,
		.sack_offset = (s16)(b & 255) - 64,
		.bitmap = ((u64)a << 32 | b) & ((u64)b << 32 | a),
		.ack_psn_offset = (s16)(b >> 8 & 255) - 64,
		.entropy = r->evs->ev[a % PATHS].value,
		.mark = b >> 30,
		.ooo_count = b >> 20,
		.rtx = b >> 16 & 1,
		.probe = b >> 17 & 1,
		.probe_id = b >> 4,
	};

	switch (a & 7) {
	case 0:
		rx_ack(r, psn, MRC_SYN_ACK);
		break;
	case 1:
		rx_ack(r, psn, MRC_SYN_TYPE_RNR | (b & 3));
		break;
	case 2:
		rx_ack(r, psn, MRC_SYN_NAK_PSN_SEQ);
		break;
	case 3:
		rx_nack(r, psn, s.entropy, b & 1 ? MRC_NACK_TRIMMED :
						   MRC_NACK_NO_RESOURCE);
		break;
	case 4:
		tick(r);
		break;
	default:
		rx_sack(r, &s);
	}
}

static void expect_consistent(struct rig *r)
{
	const struct mrc_req *req = &r->req;
	u32 mask = req->cfg.mpr - 1;
	u32 psn, lost = 0, inflight = 0;

	KUNIT_ASSERT_LE(r->test, mrc_psn_diff(req->nxt, req->una),
			req->cfg.mpr);
	KUNIT_ASSERT_GE(r->test, mrc_psn_diff(req->nxt, req->una), 0);
	for (psn = req->una; psn != req->nxt; psn = mrc_psn_add(psn, 1)) {
		u32 bit = psn & mask;
		bool is_lost = req->lost[bit / 64] >> (bit % 64) & 1;
		bool is_acked = req->acked[bit / 64] >> (bit % 64) & 1;

		KUNIT_ASSERT_FALSE(r->test, is_lost && is_acked);
		lost += is_lost;
		if (!is_lost && !is_acked)
			inflight += req->pkts[bit].nominal;
	}
	KUNIT_ASSERT_EQ(r->test, req->n_lost, lost);
	KUNIT_ASSERT_EQ(r->test, req->inflight, inflight);
}

static void mrc_repair_random_acks_keep_sums(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	u32 a, b, i, cookie = 0;
	u64 seed = 12345;
	struct mrc_done d;
	struct rig *r;

	cfg.rnr_retry = 7;
	cfg.exp_cnt = 5;
	cfg.sq_psn = 0xffff00;
	r = rig_of(test, &cfg, 100 * PMTU);
	for (i = 0; i < 20000; i++) {
		a = mrc_rnd_next(&seed);
		b = mrc_rnd_next(&seed);
		if (mrc_req_free_slots(&r->req))
			post(r, cookie++, b >> 13 & 3, b >> 16);
		random_ack(r, a, b);
		r->now += a & 0xfffff;
		send_all(r);
		expect_consistent(r);
		while (mrc_req_pop(&r->req, &d))
			continue;
		if (!r->req.status)
			continue;
		r = rig_of(test, &cfg, 100 * PMTU);
		cookie = 0;
	}
}

static struct kunit_case mrc_repair_cases[] = {
	KUNIT_CASE(mrc_repair_gap_alone_is_no_loss),
	KUNIT_CASE(mrc_repair_old_sack_undoes_nothing),
	KUNIT_CASE(mrc_repair_forged_acks_ignored),
	KUNIT_CASE(mrc_repair_forged_feedback_ignored),
	KUNIT_CASE(mrc_repair_mark_reported_to_path),
	KUNIT_CASE(mrc_repair_trigger_is_delivered),
	KUNIT_CASE(mrc_repair_sack_samples_round_trip),
	KUNIT_CASE_PARAM(mrc_repair_nack_retransmits, nack_case_gen_params),
	KUNIT_CASE(mrc_repair_copy_equals_packet),
	KUNIT_CASE(mrc_repair_takes_another_path),
	KUNIT_CASE(mrc_repair_stale_nack_ignored),
	KUNIT_CASE(mrc_repair_nack_of_older_copy_ignored),
	KUNIT_CASE(mrc_repair_oldest_first),
	KUNIT_CASE(mrc_repair_obeys_cwnd),
	KUNIT_CASE(mrc_repair_rto_retransmits),
	KUNIT_CASE(mrc_repair_retries_exceeded),
	KUNIT_CASE(mrc_repair_progress_resets_retries),
	KUNIT_CASE(mrc_repair_no_path_retries_exceeded),
	KUNIT_CASE(mrc_repair_port_up_resumes),
	KUNIT_CASE(mrc_repair_tail_is_probed),
	KUNIT_CASE(mrc_repair_lost_ack_requested_again),
	KUNIT_CASE(mrc_repair_rnr_backs_off),
	KUNIT_CASE(mrc_repair_rnr_of_flight_is_one_backoff),
	KUNIT_CASE(mrc_repair_rnr_needs_outstanding_receive),
	KUNIT_CASE(mrc_repair_rnr_retries_are_limited),
	KUNIT_CASE(mrc_repair_rnr_faster_than_round_trip),
	KUNIT_CASE(mrc_repair_sequence_nak_retransmits),
	KUNIT_CASE(mrc_repair_random_acks_keep_sums),
	{}
};

static struct kunit_suite mrc_repair_suite = {
	.name = "mrc_repair",
	.test_cases = mrc_repair_cases,
};

kunit_test_suite(mrc_repair_suite);

MODULE_DESCRIPTION("KUnit tests of loss recovery");
MODULE_LICENSE("Dual BSD/GPL");
