// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Pacing of the requester on long round trips. */
#include <kunit/test.h>
#include <linux/math64.h>

#include "mrc_req_sample.h"

#define CWND		(10 << 20)
#define LONG_RTT	(25 * MS)

/* A requester whose window and round trip are measured, with nothing to send. */
static struct rig *idle(struct kunit *test, u32 rtt)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.mpr = 1024;
	r = rig_of(test, &cfg, 64 << 20);
	r->req.cc.ops = &mrc_cc_nscc;
	r->req.cc.cfg.nscc.measured = true;
	r->req.cc.cwnd = CWND;
	r->req.cc.nscc.wnd = (u64)CWND << MRC_NSCC_SHIFT;
	r->req.cc.nscc.max_wnd = CWND;
	r->req.rtt.srtt = rtt;
	r->req.rtt.min = rtt;
	return r;
}

/* The same, with 400 packets to send. */
static struct rig *paced(struct kunit *test, u32 rtt)
{
	struct rig *r = idle(test, rtt);

	post(r, 0, 0, 400 * PMTU);
	return r;
}

/* All that leaves if timers are late by so many ns; ns that it took. */
static u64 run_late(struct kunit *test, struct rig *r, u32 late, u32 *pkts)
{
	u64 start = r->now;
	u32 n;

	*pkts = 0;
	while ((n = send_all(r))) {
		*pkts += n;
		if (!mrc_req_backlog(&r->req))
			break;
		KUNIT_ASSERT_GT(test, r->req.pace.until, r->now);
		KUNIT_ASSERT_LE(test, mrc_req_deadline(&r->req),
				r->req.pace.until);
		r->now = r->req.pace.until + late;
		mrc_req_on_timer(&r->req, r->now);
	}
	return r->now - start;
}

/* All that leaves while time passes as the requester demands; ns that it took. */
static u64 run(struct kunit *test, struct rig *r, u32 *pkts)
{
	return run_late(test, r, 0, pkts);
}

/* A window takes a round trip, or somewhat less so that it can grow. */
static void mrc_pace_window_per_round_trip(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	u64 ns, due;
	u32 pkts;

	ns = run(test, r, &pkts);
	KUNIT_EXPECT_EQ(test, pkts, 400);
	due = div_u64((u64)400 * PMTU * LONG_RTT, CWND);
	KUNIT_EXPECT_GE(test, ns, due * 9 / 10);
	KUNIT_EXPECT_LE(test, ns, due * 12 / 10);
}

/* Timers that are late delay packets, but do not lower their rate. */
static void mrc_pace_with_late_timers(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	u32 late = MS / 2, pkts;
	u64 ns, due;

	ns = run_late(test, r, late, &pkts);
	KUNIT_EXPECT_EQ(test, pkts, 400);
	due = div_u64((u64)400 * PMTU * LONG_RTT, CWND);
	KUNIT_EXPECT_GE(test, ns, due * 9 / 10);
	KUNIT_EXPECT_LE(test, ns, due * 12 / 10 + late);
}

/* A timer that is later than half a round trip lets half of a window go. */
static void mrc_pace_with_a_very_late_timer(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	u32 window = CWND / 16, half = window / 2 / PMTU, pkts;

	r->req.cc.cwnd = window;
	send_all(r);
	r->now = r->req.pace.until + LONG_RTT;
	mrc_req_on_timer(&r->req, r->now);
	pkts = send_all(r);
	KUNIT_EXPECT_GE(test, pkts, half * 9 / 10);
	KUNIT_EXPECT_LE(test, pkts, half * 12 / 10);
}

/* What nobody had posted when it could have left does not leave at once later. */
static void mrc_pace_after_idleness(struct kunit *test)
{
	u32 first = send_all(paced(test, LONG_RTT));
	struct rig *r = idle(test, LONG_RTT);

	post(r, 0, 0, first * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), first);
	/* The post comes before a timer that is late. */
	KUNIT_ASSERT_GT(test, r->req.pace.until, r->now);
	r->now = r->req.pace.until + LONG_RTT / 2;
	post(r, 0, 0, 400 * PMTU);
	KUNIT_EXPECT_LE(test, send_all(r), first);
}

/* Nor what the window did not admit, or the responder: both ended the pause. */
static void mrc_pace_after_other_waits(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	u32 first = send_all(r);

	r->req.backoff.until = r->req.pace.until + MS;
	r->now = r->req.pace.until;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_EQ(test, send_all(r), 0);
	r->now += LONG_RTT / 4;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_EXPECT_LE(test, send_all(r), first);

	r->now = r->req.pace.until;
	r->req.cc.cwnd = mrc_req_inflight(&r->req);
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_EQ(test, send_all(r), 0);
	r->now += LONG_RTT / 4;
	r->req.cc.cwnd = CWND;
	KUNIT_EXPECT_LE(test, send_all(r), first);
}

/* Nor what had to wait for a retransmission. */
static void mrc_pace_after_a_retransmission(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	u32 first = send_all(r);

	r->now = r->req.pace.until + LONG_RTT / 4;
	mrc_req_on_timer(&r->req, r->now);
	rx_nack(r, 3, r->evs->ev[r->sent[3].path].value, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_LE(test, send_all(r), first + 1);
}

/* Nothing waits in a data centre, however busy its hosts, or with a configured window. */
static void mrc_pace_only_when_long_and_measured(struct kunit *test)
{
	struct rig *r = paced(test, 400000);

	KUNIT_EXPECT_EQ(test, send_all(r), 400);
	r = paced(test, LONG_RTT);
	r->req.rtt.min = 400000;
	KUNIT_EXPECT_EQ(test, send_all(r), 400);
	r = paced(test, LONG_RTT);
	r->req.cc.cfg.nscc.measured = false;
	KUNIT_EXPECT_EQ(test, send_all(r), 400);
}

/* Retransmissions are not delayed. */
static void mrc_pace_not_of_retransmissions(struct kunit *test)
{
	struct rig *r = paced(test, LONG_RTT);
	struct mrc_burst b;

	KUNIT_ASSERT_LT(test, send_all(r), 400);
	KUNIT_ASSERT_GT(test, r->req.pace.until, r->now);
	rx_nack(r, 3, r->evs->ev[r->sent[3].path].value, MRC_NACK_TRIMMED);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_burst(&r->req, r->now, &b));
	KUNIT_EXPECT_TRUE(test, b.rtx);
	KUNIT_EXPECT_EQ(test, b.psn, 3);
}

static struct kunit_case mrc_pace_cases[] = {
	KUNIT_CASE(mrc_pace_window_per_round_trip),
	KUNIT_CASE(mrc_pace_with_late_timers),
	KUNIT_CASE(mrc_pace_with_a_very_late_timer),
	KUNIT_CASE(mrc_pace_after_idleness),
	KUNIT_CASE(mrc_pace_after_other_waits),
	KUNIT_CASE(mrc_pace_after_a_retransmission),
	KUNIT_CASE(mrc_pace_only_when_long_and_measured),
	KUNIT_CASE(mrc_pace_not_of_retransmissions),
	{}
};

static struct kunit_suite mrc_pace_suite = {
	.name = "mrc_pace",
	.test_cases = mrc_pace_cases,
};

kunit_test_suite(mrc_pace_suite);

MODULE_DESCRIPTION("KUnit tests of pacing");
MODULE_LICENSE("Dual BSD/GPL");
