// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control of several requesters that share one link: shares, load,
 * queueing delay, and an incast, when all start at once.  A constant window and
 * no window at all in the same network serve for comparison with NSCC.
 */
#include "mrc_share.h"

#define US	1000U
#define MS	1000000ULL
#define RTT	(12 * US)
#define MBPS	100000U
#define BDP	(MBPS / 8000 * RTT)

/* Thresholds that UEC recommends for switches; all packets beyond are marked. */
#define MARK_AT	(BDP / 2)
#define TRIM_AT	(BDP * 3 / 2)
#define DROP_AT	(4 * BDP)

/* Time until the windows are stable, and time of the measurement. */
#define SETTLE	(10 * MS)
#define WATCH	(4 * MS)

static struct share_cfg shared(u32 n_flows, const struct mrc_cc_ops *cc)
{
	return (struct share_cfg){
		.n_flows = n_flows,
		.n_paths = 16,
		.mbps = MBPS,
		.link_mbps = MBPS,
		.rtt = RTT,
		.cc = cc,
		.cwnd = BDP * 3 / 2,
		.burst = 1,
		.mark_from = MARK_AT,
		.mark_to = MARK_AT + 1,
		.drop_at = DROP_AT,
		.seed = n_flows,
	};
}

/* Jain's fairness index of the flows, in thousandths: 1000 is equal shares. */
static u32 fairness(const struct share *s)
{
	u64 sum = 0, squares = 0, x;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++) {
		x = share_rx_bytes(s, i) >> 10;
		sum += x;
		squares += x * x;
	}
	return div64_u64(1000 * sum * sum,
			 max_t(u64, 1, s->cfg.n_flows * squares));
}

/* Thousandths of the time in which the link carried payload. */
static u32 busy(const struct share *s, u64 ns)
{
	u64 capacity = div_u64(ns * s->cfg.link_mbps, 8000);

	return div64_u64(1000 * share_rx_total(s), capacity);
}

/* Goodput of flow @i, in thousandths of an equal share. */
static u32 share_of(const struct share *s, u8 i)
{
	return div64_u64(1000 * share_rx_bytes(s, i) * s->cfg.n_flows,
			 max_t(u64, 1, share_rx_total(s)));
}

static u32 least(const struct share *s)
{
	u32 min = U32_MAX;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++)
		min = min(min, share_of(s, i));
	return min;
}

static void measure(struct share *s, u64 ns)
{
	share_measure(s);
	share_run(s, s->now + ns);
	kunit_info(s->test,
		   "%s, %u flows: load %u, fairness %u, least share %u of 1000; queue %llu ns; marked %u, trimmed %u, dropped %u of %u\n",
		   s->cfg.cc->name, s->cfg.n_flows, busy(s, ns), fairness(s),
		   least(s), share_delay(s), s->marked, s->trimmed,
		   s->dropped, s->arrived);
}

static void expect_no_timeouts(struct share *s)
{
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++)
		KUNIT_EXPECT_EQ(s->test, s->flow[i].req.stats.timeouts, 0);
}

/* Shares. */

static const struct fair_case {
	const char *name;
	u32 n_flows;
	u32 burst;
	bool trims;
	u32 mbps;
	u32 rtt;
	u32 jitter;
	u32 swing;
} fair_cases[] = {
	{ "2 flows", 2, 1, false, MBPS, RTT, 0 },
	{ "2 flows, trims", 2, 1, true, MBPS, RTT, 0 },
	{ "4 flows", 4, 1, false, MBPS, RTT, 0 },
	{ "4 flows, trims", 4, 1, true, MBPS, RTT, 0 },
	{ "8 flows", 8, 1, false, MBPS, RTT, 0 },
	{ "8 flows, trims", 8, 1, true, MBPS, RTT, 0 },
	{ "16 flows", 16, 1, false, MBPS, RTT, 0 },
	{ "16 flows, trims", 16, 1, true, MBPS, RTT, 0 },
	{ "8 flows, bursts", 8, 8, false, MBPS, RTT, 0 },
	{ "8 flows, bursts, trims", 8, 8, true, MBPS, RTT, 0 },
	{ "8 flows, trims, uneven paths", 8, 1, true, MBPS, RTT, 3 * US },
	{ "8 flows, 25 Gb/s, 50 us", 8, 1, false, 25000, 50 * US, 0 },
	{ "4 flows, 2.5 Gb/s, 1 ms", 4, 1, false, 2500, MS, 0 },
	/* With most seeds windows oscillate: all shrink at once, twice for one queue. */
	{ "4 flows, 1 Gb/s, 10 ms", 4, 1, false, 1000, 10 * MS, 0, 3 * MS },
};

KUNIT_ARRAY_PARAM_DESC(fair, fair_cases, name);

static struct share *share_case(struct kunit *test, const struct fair_case *f)
{
	struct share_cfg cfg = shared(f->n_flows, &mrc_cc_nscc);
	u32 bdp = div_u64((u64)f->mbps * f->rtt, 8000);

	cfg.burst = f->burst;
	cfg.mbps = f->mbps;
	cfg.link_mbps = f->mbps;
	cfg.rtt = f->rtt;
	cfg.jitter = f->jitter;
	cfg.mark_from = bdp / 2;
	cfg.mark_to = bdp / 2 + 1;
	cfg.trim_at = f->trims ? bdp * 3 / 2 : 0;
	cfg.drop_at = 4 * bdp;
	return share_new(test, &cfg);
}

/*
 * Shares are equal, the link is never idle, and its queueing delay is the target
 * of NSCC: a round trip, three quarters of one if switches trim.
 */
static void mrc_fair_equal_shares(struct kunit *test)
{
	const struct fair_case *f = test->param_value;
	struct share *s = share_case(test, f);
	u32 target = f->trims ? f->rtt * 3 / 4 : f->rtt;
	u64 period = WATCH * (f->rtt / RTT);

	share_run(s, s->now + SETTLE * (f->rtt / RTT));
	measure(s, period);
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	KUNIT_EXPECT_GE(test, least(s), 600);
	KUNIT_EXPECT_GE(test, busy(s, period), 980);
	/* Jitter of paths counts as queueing delay: the queue is shorter by it. */
	KUNIT_EXPECT_GE(test, share_delay(s) + f->jitter, target * 4 / 5);
	KUNIT_EXPECT_LE(test, share_delay(s), target * 21 / 20 + f->swing);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_EQ(test, s->trimmed, 0);
	share_free(s);
}

/*
 * Eight flows start at once, each at the rate of the link.  Within a millisecond
 * the queue has its target length, and lost packets have been retransmitted.
 */
static void mrc_fair_incast_with_trims(struct kunit *test)
{
	struct share_cfg cfg = shared(8, &mrc_cc_nscc);
	struct share *s;
	u32 i;

	cfg.trim_at = TRIM_AT;
	cfg.full_start = true;
	s = share_new(test, &cfg);
	measure(s, MS);
	KUNIT_EXPECT_GT(test, s->trimmed, 0);
	KUNIT_EXPECT_LT(test, s->trimmed, s->arrived / 5);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 980);
	for (i = 0; i < 4; i++) {
		measure(s, MS);
		KUNIT_EXPECT_LT(test, share_delay(s), RTT);
		KUNIT_EXPECT_EQ(test, s->trimmed, 0);
		KUNIT_EXPECT_GE(test, least(s), 600);
	}
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	expect_no_timeouts(s);
	share_free(s);
}

/* Likewise without trimming: many losses at once, no flow stalls. */
static void mrc_fair_incast_with_losses(struct kunit *test)
{
	struct share_cfg cfg = shared(8, &mrc_cc_nscc);
	struct share *s;

	cfg.full_start = true;
	s = share_new(test, &cfg);
	measure(s, MS);
	KUNIT_EXPECT_GT(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 950);
	measure(s, MS);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, least(s), 50);
	share_run(s, s->now + SETTLE);
	measure(s, WATCH);
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	expect_no_timeouts(s);
	share_free(s);
}

/* With slow start nothing is lost when as many flows as there may be start. */
static void mrc_fair_incast_from_slow_start(struct kunit *test)
{
	struct share_cfg cfg = shared(SHARE_FLOWS, &mrc_cc_nscc);
	struct share *s = share_new(test, &cfg);
	u32 i;

	for (i = 0; i < 4; i++) {
		measure(s, MS);
		KUNIT_EXPECT_EQ(test, s->dropped, 0);
		KUNIT_EXPECT_GE(test, busy(s, MS), 980);
		KUNIT_EXPECT_GE(test, least(s), 500);
	}
	expect_no_timeouts(s);
	share_free(s);
}

/* A new flow gets its share; the link stays busy when a flow ends. */
static void mrc_fair_flow_starts_and_ends(struct kunit *test)
{
	struct share_cfg cfg = shared(2, &mrc_cc_nscc);
	struct share *s;

	cfg.trim_at = TRIM_AT;
	s = share_new(test, &cfg);
	s->flow[1].start = s->now + MS;
	measure(s, MS);
	KUNIT_EXPECT_EQ(test, share_rx_bytes(s, 1), 0);
	/* Slow start takes four round trips. */
	KUNIT_EXPECT_GE(test, busy(s, MS), 940);
	share_run(s, s->now + SETTLE);
	measure(s, MS);
	KUNIT_EXPECT_GE(test, fairness(s), 980);

	s->flow[0].stop = s->now;
	share_run(s, s->now + MS);
	measure(s, MS);
	KUNIT_EXPECT_EQ(test, share_rx_bytes(s, 0), 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 980);
	share_free(s);
}

/* Other algorithms in the same network. */

static struct share *settled(struct kunit *test, const struct mrc_cc_ops *cc)
{
	struct share_cfg cfg = shared(8, cc);
	struct share *s = share_new(test, &cfg);

	share_run(s, s->now + SETTLE);
	measure(s, WATCH);
	return s;
}

/*
 * A constant window that suits one requester is too large for eight: the queue is
 * always full, and at least one packet in ten is dropped.
 */
static void mrc_fair_fixed_window_drops(struct kunit *test)
{
	struct share *nscc = settled(test, &mrc_cc_nscc);
	struct share *fixed = settled(test, &mrc_cc_fixed);

	KUNIT_EXPECT_GE(test, busy(fixed, WATCH), 980);
	KUNIT_EXPECT_GE(test, share_delay(fixed), 3 * share_delay(nscc));
	KUNIT_EXPECT_GE(test, fixed->dropped, fixed->arrived / 10);
	KUNIT_EXPECT_EQ(test, nscc->dropped, 0);
	KUNIT_EXPECT_GT(test, fairness(nscc), fairness(fixed));
	share_free(fixed);
	share_free(nscc);
}

/* Without a window some flows take nearly all, and most packets are lost. */
static void mrc_fair_no_window_is_unfair(struct kunit *test)
{
	struct share *fixed = settled(test, &mrc_cc_fixed);
	struct share *none = settled(test, &mrc_cc_none);

	KUNIT_EXPECT_GE(test, none->dropped, none->arrived / 2);
	KUNIT_EXPECT_GT(test, none->dropped, fixed->dropped);
	KUNIT_EXPECT_LE(test, least(none), 100);
	KUNIT_EXPECT_LT(test, fairness(none), fairness(fixed));
	share_free(none);
	share_free(fixed);
}

/* The same seed gives the same run. */
static void mrc_fair_same_seed_same_run(struct kunit *test)
{
	struct share *a = settled(test, &mrc_cc_nscc);
	struct share *b = settled(test, &mrc_cc_nscc);
	u8 i;

	KUNIT_EXPECT_EQ(test, a->arrived, b->arrived);
	KUNIT_EXPECT_EQ(test, a->queued, b->queued);
	for (i = 0; i < a->cfg.n_flows; i++)
		KUNIT_EXPECT_EQ(test, share_rx_bytes(a, i), share_rx_bytes(b, i));
	share_free(b);
	share_free(a);
}

static struct kunit_case mrc_fair_test_cases[] = {
	KUNIT_CASE_PARAM(mrc_fair_equal_shares, fair_gen_params),
	KUNIT_CASE(mrc_fair_incast_with_trims),
	KUNIT_CASE(mrc_fair_incast_with_losses),
	KUNIT_CASE(mrc_fair_incast_from_slow_start),
	KUNIT_CASE(mrc_fair_flow_starts_and_ends),
	KUNIT_CASE(mrc_fair_fixed_window_drops),
	KUNIT_CASE(mrc_fair_no_window_is_unfair),
	KUNIT_CASE(mrc_fair_same_seed_same_run),
	{}
};

static struct kunit_suite mrc_fair_suite = {
	.name = "mrc_fair",
	.test_cases = mrc_fair_test_cases,
};

kunit_test_suite(mrc_fair_suite);

MODULE_DESCRIPTION("KUnit tests of MRC congestion control");
MODULE_LICENSE("Dual BSD/GPL");
