// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loss detection: when a packet is deemed lost, when it is not, and how the
 * reordering window adapts to spurious losses.
 */
#include "core/responder.h"
#include "mrc_req_loss_sample.h"

/* No host delay, no jitter, and all round trips are known. */
#define QUIET_RTT	80000
#define QUIET_WINDOW	(QUIET_RTT / 8)

static struct rig *quiet_paths(struct kunit *test)
{
	struct rig *r = two_paths_with(test, 0, 0);

	r->req.rtt.min = QUIET_RTT;
	r->req.rtt.srtt = QUIET_RTT;
	r->evs->ev[A].srtt = QUIET_RTT;
	r->evs->ev[B].srtt = QUIET_RTT;
	return r;
}

static void mrc_loss_path_rule_beyond_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_PATH;
	send_on(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_RTX);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_ACKREQ);
	KUNIT_EXPECT_EQ(test, r->sent[0].path, B);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_any, 0);
	KUNIT_EXPECT_EQ(test, r->evs->ev[A].stats.losses, 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[B].stats.losses, 0);
}

/* The latest loss that was reported, and how many there were. */
static struct {
	u32 n;
	u32 psn;
	u16 path;
	enum mrc_loss why;
	u64 age;
	u64 window;
} reported;

static void report_loss(struct mrc_req *req, u32 psn,
			const struct mrc_tx_pkt *rec, enum mrc_loss why,
			u64 now)
{
	reported.n++;
	reported.psn = psn;
	reported.path = rec->path;
	reported.why = why;
	reported.age = now - rec->sent;
	reported.window = mrc_req_loss_delay(req, rec, why);
}

/* Each loss is reported once, with its reason, age and reordering window. */
static void mrc_loss_reported_once_with_reason(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	memset(&reported, 0, sizeof(reported));
	r->req.on_loss = report_loss;
	r->now += REO_PATH;
	send_on(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, reported.n, 1);
	KUNIT_EXPECT_EQ(test, reported.psn, gap);
	KUNIT_EXPECT_EQ(test, reported.path, A);
	KUNIT_EXPECT_EQ(test, reported.why, MRC_LOSS_RACK_PATH);
	KUNIT_EXPECT_EQ(test, reported.age, REO_PATH);
	KUNIT_EXPECT_EQ(test, reported.window, REO_PATH);

	r->now += MS;
	rx_nack(r, gap, r->evs->ev[B].value, MRC_NACK_NO_RESOURCE);
	KUNIT_EXPECT_EQ(test, reported.n, 2);
	KUNIT_EXPECT_EQ(test, reported.psn, gap);
	KUNIT_EXPECT_EQ(test, reported.path, B);
	KUNIT_EXPECT_EQ(test, reported.why, MRC_LOSS_NACK);
	KUNIT_EXPECT_EQ(test, reported.window, 0);

	r->now = r->req.backoff.until;
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	while (reported.n < 3 && tick(r))
		continue;
	KUNIT_EXPECT_EQ(test, reported.n, 3);
	KUNIT_EXPECT_EQ(test, reported.why, MRC_LOSS_RTO);
	KUNIT_EXPECT_EQ(test, reported.window, 10 * SECOND);
	KUNIT_EXPECT_GE(test, reported.age, reported.window);
}

static void mrc_loss_path_rule_within_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_PATH - 1;
	send_on(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* Other paths may be faster by less than the reordering window. */
static void mrc_loss_any_path_rule_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);
	u64 start = r->now;

	mrc_ev_deny(r->evs, A);
	r->now = start + REO_ANY - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	r->now = start + REO_ANY;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_any, 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 0);
}

/* Only sending times count: a late SACK proves no loss. */
static void mrc_loss_late_sack_is_no_evidence(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	send_on(r, A);
	r->now += SECOND;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
}

/* A SACK describes its bitmap, or all packets if ooo_count matches. */
static void mrc_loss_bitmap_limits_evidence(struct kunit *test)
{
	struct rig *r = two_paths(test);
	struct mrc_pkt_sack s = { };
	u32 i;

	for (i = 0; i < 200; i++)
		send_one(r);
	r->now += REO_ANY;
	send_one(r);
	s.entropy = r->evs->ev[r->sent[0].path].value;
	s.cack_psn = 9;
	s.ack_psn_offset = 200 - 9;
	/* 10 is the gap; of 100..163 the odd ones are delivered. */
	s.sack_offset = 100 - 9;
	s.bitmap = 0xaaaaaaaaaaaaaaaaULL;
	s.ooo_count = 120;
	rx_sack(r, &s);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->n, 1 + 32);
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 10));
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 100));
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 162));
	KUNIT_EXPECT_NULL(test, find_sent(r, 101));
	KUNIT_EXPECT_NULL(test, find_sent(r, 11));
	/* 33 are held, including the trigger: as many as are known. */
	s.ooo_count = 33;
	rx_sack(r, &s);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->n, 200 - 10 - 1 - 64);
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 11));
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 99));
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, 199));
}

/* Without knowing which copy of its trigger arrived a SACK proves no loss. */
static void mrc_loss_unknown_copy_is_no_evidence(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A), again;
	struct mrc_pkt_sack s;
	u16 path;

	again = send_on(r, A);
	r->now += REO_ANY;
	rx_nack(r, again, r->evs->ev[A].value, MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	path = r->sent[0].path;
	s = (struct mrc_pkt_sack){
		.cack_psn = gap - 1,
		.ack_psn_offset = again - gap + 1,
		.entropy = r->evs->ev[path].value,
	};
	/* It may be the SACK of the first copy. */
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	s.rtx = true;
	rx_sack(r, &s);
	KUNIT_EXPECT_GE(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
}

/* The SACK of the first copy is no sample of the path of the second. */
static void mrc_loss_first_copy_no_sample_of_second(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 psn = send_on(r, A);

	r->now += MS;
	rx_nack(r, psn, r->evs->ev[A].value, MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_ASSERT_EQ(test, r->sent[0].path, B);
	r->now += MS;
	sack_first_copy(r, psn, A);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	/* Not later than the packets sent on B before. */
	KUNIT_EXPECT_LE(test, r->evs->ev[B].acked_sent, T0);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, 0);
}

/* The reordering window of a retransmission starts when it is sent. */
static void mrc_loss_of_rtx_waits_again(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_ANY;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	r->now += REO_PATH - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	r->now += REO_ANY;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 2);
}

/* Losses are decided after all received acknowledgments. */
static void mrc_loss_candidate_cleared_by_ack(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_ANY;
	send_one(r);
	sack_all_but(r, gap);
	rx_ack(r, gap, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 0);
	KUNIT_EXPECT_EQ(test, r->evs->ev[A].stats.losses, 0);
}

/* A spurious loss doubles the reordering window and restores the path. */
static void mrc_loss_spurious_doubles_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_ANY;
	send_on(r, A);
	sack_all_but(r, gap);
	mrc_ev_feedback(r->evs, A, MRC_EV_SIGNAL_RTO, r->now);
	KUNIT_ASSERT_GE(test, send_all(r), 1);
	KUNIT_ASSERT_EQ(test, r->evs->ev[A].state, MRC_EV_ASSUMED_BAD);
	r->now += 1000;
	sack_first_copy(r, gap, A);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[A].state, MRC_EV_GOOD);
	/* A loss counts as spurious once. */
	sack_first_copy(r, gap, A);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);

	gap = send_on(r, A);
	mrc_ev_deny(r->evs, A);
	r->now += 2 * REO_ANY - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	r->now += 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* Delivered before the congestion window admits the retransmission. */
static void mrc_loss_spurious_before_rtx(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);
	u32 cwnd = r->req.cc.cwnd;

	r->now += REO_ANY;
	send_one(r);
	send_one(r);
	r->req.cc.cwnd = 1;
	sack_all_but(r, gap);
	post(r, 0, 0, 1);
	r->req.inflight += 1;
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 1);
	r->req.inflight -= 1;
	rx_ack(r, gap, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	r->req.cc.cwnd = cwnd;
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 0);
}

/* The window is twice the observed reordering, which decays. */
static void mrc_loss_observed_reordering_decays(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	mrc_ev_deny(r->evs, A);
	r->now += 12 * MS;
	send_one(r);
	sack_all_but(r, gap);
	rx_ack(r, mrc_psn_add(r->req.nxt, -1), MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, 12 * MS);

	gap = r->req.nxt;
	send_one(r);
	r->now += 24 * MS - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	/* Half of it remains after a half-life of 250 ms. */
	rx_ack(r, mrc_psn_add(r->req.nxt, -1), MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, 24 * MS - 1);
	r->now += SECOND / 4 + 1;
	send_one(r);
	rx_ack(r, mrc_psn_add(r->req.nxt, -1), MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, (24 * MS - 1) / 2);
}

static void mrc_loss_slow_path_widens_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap;

	r->req.rtt.srtt = 1 * MS;
	r->evs->ev[A].srtt = 31 * MS;
	gap = send_on(r, A);
	mrc_ev_deny(r->evs, A);
	r->now += REO_ANY + 30 * MS - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* A network with long round trips and a standing queue, software hosts. */
static struct rig *queued_paths(struct kunit *test)
{
	struct rig *r = two_paths(test);

	r->req.rtt.min = 16 * MS;
	r->req.rtt.srtt = 40 * MS;
	r->req.rtt.rttvar = 3 * MS;
	r->evs->ev[A].srtt = 40 * MS;
	r->evs->ev[B].srtt = 40 * MS;
	return r;
}

/* The path rule adds neither round trip nor queue: a path is a queue. */
static void mrc_loss_path_rule_ignores_queue(struct kunit *test)
{
	struct rig *r = queued_paths(test);
	u32 gap = send_on(r, A);

	r->now += REO_PATH;
	send_on(r, A);
	r->now += 40 * MS;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
}

/*
 * Is a packet of path A deemed lost by one sent on path B @later ns?  The
 * any-path rule adds the queue, srtt - min_rtt.
 */
static bool lost_after_queue(struct kunit *test, u32 later)
{
	struct rig *r = queued_paths(test);
	u32 gap = send_on(r, A);

	mrc_ev_deny(r->evs, A);
	r->now += later;
	send_one(r);
	r->now += 40 * MS;
	sack_all_but(r, gap);
	send_all(r);
	return r->req.stats.rack_loss_any;
}

static void mrc_loss_any_path_rule_adds_queue(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, lost_after_queue(test, REO_ANY + 24 * MS - 1));
	KUNIT_EXPECT_TRUE(test, lost_after_queue(test, REO_ANY + 24 * MS));
}

/* A full PSN window with a gap sends nothing: the gap is probed. */
static void mrc_loss_gap_is_probed_once(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);
	u64 start = r->now;
	struct mrc_probe p;

	r->now += 5 * MS;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&r->req), start + REO_ANY);
	r->now = start + REO_ANY;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	/* One probe per gap. */
	KUNIT_EXPECT_FALSE(test, mrc_req_next_probe(&r->req, r->now, &p));
	KUNIT_EXPECT_GT(test, mrc_req_deadline(&r->req), r->now);
}

/* The SACK of a probe proves losses as that of a packet sent at its time. */
static void mrc_loss_of_tail_shown_by_probe(struct kunit *test)
{
	struct rig *r = two_paths(test);
	struct mrc_pkt_sack s = { .probe = true, .sack_offset = 1 };
	struct mrc_probe p;
	u32 i;

	for (i = 0; i < 100; i++) {
		post(r, 0, 0, 1);
		if (i % 50 == 49)
			send_all(r);
		if (i == 49)
			rx_ack(r, 49, MRC_SYN_ACK);
	}
	r->now = mrc_req_deadline(&r->req);
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	s.probe_id = p.probe_id;
	s.cack_psn = 49;
	s.entropy = p.ev;
	r->now += MS;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, send_all(r), 50);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 50);
	KUNIT_EXPECT_EQ(test, r->req.stats.timeouts, 0);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, MS);
}

/* The probe takes a path that is not ASSUMED_BAD, if there is one. */
static void mrc_loss_tail_probe_avoids_bad_path(struct kunit *test)
{
	struct rig *r = two_paths(test);
	struct mrc_probe p;
	u32 i;

	r->evs->min_active = 2;
	send_on(r, A);
	mrc_ev_feedback(r->evs, A, MRC_EV_SIGNAL_RTO, r->now);
	for (i = 0; i < 6; i++) {
		r->now = mrc_req_deadline(&r->req);
		mrc_req_on_timer(&r->req, r->now);
		KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now,
							   &p));
		KUNIT_EXPECT_EQ(test, p.path, B);
	}
}

/* Run the timer at the next deadline; number of probes that are sent. */
static u32 all_probes(struct rig *r)
{
	struct mrc_probe p;
	u32 n = 0;

	r->now = mrc_req_deadline(&r->req);
	mrc_req_on_timer(&r->req, r->now);
	while (mrc_req_next_probe(&r->req, r->now, &p))
		n++;
	return n;
}

/*
 * Without acknowledgments rounds of two probes follow: four rounds at intervals
 * of a round trip and its slack, then at intervals that double.
 */
static void mrc_loss_tail_probe_rounds_back_off(struct kunit *test)
{
	struct rig *r = quiet_paths(test);
	u64 was = 0, gap = 0, next;
	u32 i;

	send_on(r, A);
	KUNIT_EXPECT_EQ(test, all_probes(r), 1);
	for (i = 0; i < 6; i++) {
		was = r->now;
		KUNIT_EXPECT_EQ(test, all_probes(r), 2);
		next = r->now - was;
		if (i < 4)
			KUNIT_EXPECT_EQ(test, next, QUIET_RTT + QUIET_RTT / 4);
		else
			KUNIT_EXPECT_EQ(test, next, 2 * gap);
		gap = next;
	}
}

/* A clock of long steps measures round trips of no time: probes keep a distance. */
static void mrc_loss_tail_probes_with_coarse_clock(struct kunit *test)
{
	struct rig *r = quiet_paths(test);
	u64 was;
	u32 i;

	r->req.rtt.srtt = 1;
	r->req.rtt.rttvar = 0;
	was = r->now;
	send_on(r, A);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_LE(test, all_probes(r), 2);
		KUNIT_EXPECT_GE(test, r->now - was, 1000);
		was = r->now;
	}
}

/* Without a round trip sample single probes, at intervals that double. */
static void mrc_loss_tail_probes_without_round_trip(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u64 was, gap = 0;
	u32 i;

	send_on(r, A);
	KUNIT_EXPECT_EQ(test, all_probes(r), 1);
	for (i = 0; i < 5; i++) {
		was = r->now;
		KUNIT_EXPECT_EQ(test, all_probes(r), 1);
		KUNIT_EXPECT_GE(test, r->now - was, 2 * gap);
		gap = r->now - was;
	}
}

/* Several SACKs of one probe are one round trip sample. */
static void mrc_loss_probe_sacks_are_one_sample(struct kunit *test)
{
	struct rig *r = two_paths(test);
	struct mrc_pkt_sack s = { .probe = true, .sack_offset = 1 };
	struct mrc_probe p;

	send_one(r);
	r->now = mrc_req_deadline(&r->req);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	s.cack_psn = MRC_PSN_MASK;
	s.probe_id = p.probe_id;
	r->now += MS;
	rx_sack(r, &s);
	r->now += MS;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, MS);
}

/* An RTO that expired while the host was stalled is postponed by a probe. */
static void mrc_loss_host_stall_postpones_rto(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct mrc_probe p;
	struct rig *r;
	u32 i;

	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 1);
	send_all(r);
	/* All timers are long overdue. */
	r->now += SECOND;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_EXPECT_EQ(test, r->req.stats.timeouts, 0);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	/* A host that is always late postpones it a limited number of times. */
	for (i = 0; i < 5; i++) {
		r->now += SECOND;
		mrc_req_on_timer(&r->req, r->now);
		while (mrc_req_next_probe(&r->req, r->now, &p))
			continue;
	}
	KUNIT_EXPECT_GT(test, r->req.stats.timeouts, 0);
}

/* Also without reordering window and without round trip samples. */
static void mrc_loss_probe_precedes_rto(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.reo_wnd_path = 0;
	cfg.reo_wnd_any = 0;
	cfg.timeout_ns = MS / 2;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 1);
	send_all(r);
	KUNIT_ASSERT_TRUE(test, tick(r));
	KUNIT_EXPECT_EQ(test, r->now, T0 + MS / 2);
	KUNIT_EXPECT_EQ(test, r->req.stats.probes, 1);
	KUNIT_EXPECT_GE(test, mrc_req_deadline(&r->req), r->now + MS);
	KUNIT_EXPECT_EQ(test, r->req.stats.timeouts, 0);
}

/* A host whose timers are late delays packets, too. */
static void mrc_loss_timer_delay_widens_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap;

	mrc_req_timer_late(&r->req, 20 * MS, r->now);
	/* A delay that is shorter, or too short to count, is ignored. */
	mrc_req_timer_late(&r->req, 19 * MS, r->now);
	mrc_req_timer_late(&r->req, 1000, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, 20 * MS);
	gap = send_on(r, A);
	r->now += 40 * MS - 1;
	send_one(r);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	/* The observed delay is limited. */
	mrc_req_timer_late(&r->req, 10 * SECOND, r->now);
	KUNIT_EXPECT_LT(test, r->req.rack.reo_observed, SECOND);
}

/* Host delay does not widen the window of packets whose port is down. */
static void mrc_loss_port_down_ignores_host_delay(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u16 other = r->evs->n - 1;
	u32 gap, port;

	mrc_req_timer_late(&r->req, 20 * MS, r->now);
	r->evs->ev[A].srtt = 2000;
	r->req.rtt.min = 2000;
	port = BIT(r->evs->ev[A].plane - 1);
	mrc_ev_allow(r->evs, other);
	KUNIT_ASSERT_NE(test, port, BIT(r->evs->ev[other].plane - 1));
	gap = send_on(r, A);
	r->now += REO_ANY - 1;
	send_on(r, other);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	mrc_ev_set_ports(r->evs, U32_MAX ^ port, U32_MAX);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	r->now += MS;
	send_on(r, other);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_any, 1);
}

/* Without host delay the reordering window is part of a round trip. */

static void mrc_loss_path_rule_without_host_delay(struct kunit *test)
{
	struct rig *r = quiet_paths(test);
	u32 gap = send_on(r, A);

	/* The window of the path rule does not depend on srtt. */
	r->evs->ev[A].srtt = SECOND;
	r->now += QUIET_WINDOW - 1;
	send_on(r, A);
	r->now += QUIET_RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);

	r = quiet_paths(test);
	gap = send_on(r, A);
	r->evs->ev[A].srtt = SECOND;
	r->now += QUIET_WINDOW;
	send_on(r, A);
	r->now += QUIET_RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
}

/* Is a packet of path A deemed lost by one sent on path B @later ns? */
static bool lost_after(struct kunit *test, u32 srtt, u32 later)
{
	struct rig *r = quiet_paths(test);
	u32 gap = send_on(r, A);

	r->evs->ev[A].srtt = srtt;
	mrc_ev_deny(r->evs, A);
	r->now += later;
	send_one(r);
	r->now += QUIET_RTT;
	sack_all_but(r, gap);
	send_all(r);
	return r->req.stats.rack_loss_any;
}

static void mrc_loss_any_path_rule_without_host_delay(struct kunit *test)
{
	const u32 slow = 3 * QUIET_RTT;

	KUNIT_EXPECT_FALSE(test, lost_after(test, QUIET_RTT, QUIET_WINDOW - 1));
	KUNIT_EXPECT_TRUE(test, lost_after(test, QUIET_RTT, QUIET_WINDOW));
	/* A path gets its excess over the shortest round trip. */
	KUNIT_EXPECT_FALSE(test, lost_after(test, slow, 2 * QUIET_RTT));
	KUNIT_EXPECT_TRUE(test, lost_after(test, slow,
					   2 * QUIET_RTT + QUIET_WINDOW));
	/* A path without sample gets four round trips. */
	KUNIT_EXPECT_FALSE(test, lost_after(test, 0, 4 * QUIET_RTT - 1));
	KUNIT_EXPECT_TRUE(test, lost_after(test, 0, 4 * QUIET_RTT));
}

static void mrc_loss_none_without_round_trip(struct kunit *test)
{
	struct rig *r = two_paths_with(test, 0, 0);
	u32 gap = send_on(r, A);
	struct mrc_pkt_sack s = { .cack_psn = mrc_psn_add(gap, -1) };

	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&r->req), r->now + MS);
	r->now += SECOND;
	send_one(r);
	/* An unknown EV: delivered, but no sample. */
	s.ack_psn_offset = mrc_psn_diff(r->sent[0].pkt.psn, s.cack_psn);
	s.entropy = 0x12345678;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, 0);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/*
 * Retransmissions after a SACK with @rcvd_bytes.  A SACK that is older than one
 * received before does not trigger the path rule: packets that the newer one
 * reports may have arrived after the older one was built.
 */
static u32 rtx_after(struct kunit *test, u32 rcvd_bytes)
{
	struct rig *r = quiet_paths(test);
	u32 gap = send_on(r, A), next;
	struct mrc_pkt_sack s = {
		.cack_psn = mrc_psn_add(gap, -1),
		.sack_offset = 1,
		.ooo_count = 9,
		.rcvd_bytes = rcvd_bytes,
	};

	r->now += QUIET_WINDOW;
	next = send_on(r, A);
	send_on(r, B);
	r->now += QUIET_RTT;
	/* An earlier SACK has reported the next packet of the path, but not gap. */
	r->evs->ev[A].srtt = SECOND;
	r->evs->ev[A].acked_sent = r->req.pkts[next & 255].sent;
	r->req.rcvd = 200;

	s.ack_psn_offset = mrc_psn_diff(r->sent[0].pkt.psn, s.cack_psn);
	s.entropy = r->evs->ev[B].value;
	rx_sack(r, &s);
	return send_all(r);
}

static void mrc_loss_older_sack_no_path_rule(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rtx_after(test, 199), 0);
	KUNIT_EXPECT_EQ(test, rtx_after(test, 200), 1);
}

/*
 * An older SACK whose ooo_count matches may count other packets: it describes
 * only its bitmap.
 */
static void mrc_loss_older_sack_limited_to_bitmap(struct kunit *test)
{
	struct rig *r = two_paths(test);
	struct mrc_pkt_sack s = { .sack_offset = 100 };
	u32 gap, there;

	send_one(r);
	gap = r->sent[0].pkt.psn;
	send_one(r);
	there = r->sent[0].pkt.psn;
	r->now += REO_ANY;
	send_one(r);
	send_one(r);
	s.cack_psn = mrc_psn_add(gap, -1);
	/* Three packets are held, this SACK names the last one .. */
	s.ack_psn_offset = 4;
	s.entropy = r->evs->ev[r->req.pkts[(gap + 3) & 255].path].value;
	s.ooo_count = 3;
	s.rcvd_bytes = 2;
	rx_sack(r, &s);
	/* .. and this one, built before that arrived, the second. */
	s.ack_psn_offset = 3;
	s.entropy = r->evs->ev[r->req.pkts[(gap + 2) & 255].path].value;
	s.ooo_count = 2;
	s.rcvd_bytes = 1;
	rx_sack(r, &s);
	send_all(r);
	KUNIT_EXPECT_NOT_NULL(test, find_sent(r, gap));
	KUNIT_EXPECT_NULL(test, find_sent(r, there));
}

/* Timer delays below MRC_TIMER_LATE_MIN are ignored. */
static void mrc_loss_small_timer_delay_ignored(struct kunit *test)
{
	struct rig *r = quiet_paths(test);

	mrc_req_timer_late(&r->req, MS, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, 0);
	mrc_req_timer_late(&r->req, 5 * MS, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, 5 * MS);
}

/*
 * Memory of a connection: 128 paths and 64 backups, a window of 1024, 256
 * messages.
 */
static void mrc_loss_memory(struct kunit *test)
{
	struct mrc_req_cfg req = rig_cfg();
	struct mrc_rsp_cfg rsp = {
		.mpr = MRC_MPR_DEFAULT, .max_wimm = MRC_MAX_WIMM,
	};
	size_t evs = mrc_ev_set_size(MRC_EV_AUTO + 64);
	size_t all;

	req.mpr = MRC_MPR_DEFAULT;
	req.max_msgs = 256;
	all = sizeof(struct mrc_req) + mrc_req_mem_size(&req) +
	      sizeof(struct mrc_rsp) + mrc_rsp_mem_size(&rsp) + evs;
	kunit_info(test, "%zu bytes: requester %zu, responder %zu, paths %zu\n",
		   all, sizeof(struct mrc_req) + mrc_req_mem_size(&req),
		   sizeof(struct mrc_rsp) + mrc_rsp_mem_size(&rsp), evs);
	KUNIT_EXPECT_LE(test, all, 65 * 1024);
}

static struct kunit_case mrc_loss_cases[] = {
	KUNIT_CASE(mrc_loss_path_rule_beyond_window),
	KUNIT_CASE(mrc_loss_reported_once_with_reason),
	KUNIT_CASE(mrc_loss_path_rule_within_window),
	KUNIT_CASE(mrc_loss_any_path_rule_window),
	KUNIT_CASE(mrc_loss_late_sack_is_no_evidence),
	KUNIT_CASE(mrc_loss_bitmap_limits_evidence),
	KUNIT_CASE(mrc_loss_unknown_copy_is_no_evidence),
	KUNIT_CASE(mrc_loss_first_copy_no_sample_of_second),
	KUNIT_CASE(mrc_loss_of_rtx_waits_again),
	KUNIT_CASE(mrc_loss_candidate_cleared_by_ack),
	KUNIT_CASE(mrc_loss_spurious_doubles_window),
	KUNIT_CASE(mrc_loss_spurious_before_rtx),
	KUNIT_CASE(mrc_loss_observed_reordering_decays),
	KUNIT_CASE(mrc_loss_slow_path_widens_window),
	KUNIT_CASE(mrc_loss_path_rule_ignores_queue),
	KUNIT_CASE(mrc_loss_any_path_rule_adds_queue),
	KUNIT_CASE(mrc_loss_gap_is_probed_once),
	KUNIT_CASE(mrc_loss_of_tail_shown_by_probe),
	KUNIT_CASE(mrc_loss_tail_probe_avoids_bad_path),
	KUNIT_CASE(mrc_loss_tail_probe_rounds_back_off),
	KUNIT_CASE(mrc_loss_tail_probes_with_coarse_clock),
	KUNIT_CASE(mrc_loss_tail_probes_without_round_trip),
	KUNIT_CASE(mrc_loss_probe_sacks_are_one_sample),
	KUNIT_CASE(mrc_loss_host_stall_postpones_rto),
	KUNIT_CASE(mrc_loss_probe_precedes_rto),
	KUNIT_CASE(mrc_loss_timer_delay_widens_window),
	KUNIT_CASE(mrc_loss_port_down_ignores_host_delay),
	KUNIT_CASE(mrc_loss_path_rule_without_host_delay),
	KUNIT_CASE(mrc_loss_any_path_rule_without_host_delay),
	KUNIT_CASE(mrc_loss_none_without_round_trip),
	KUNIT_CASE(mrc_loss_older_sack_no_path_rule),
	KUNIT_CASE(mrc_loss_older_sack_limited_to_bitmap),
	KUNIT_CASE(mrc_loss_small_timer_delay_ignored),
	KUNIT_CASE(mrc_loss_memory),
	{}
};

static struct kunit_suite mrc_loss_suite = {
	.name = "mrc_loss",
	.test_cases = mrc_loss_cases,
};

kunit_test_suite(mrc_loss_suite);

MODULE_DESCRIPTION("KUnit tests of MRC loss detection");
MODULE_LICENSE("Dual BSD/GPL");
