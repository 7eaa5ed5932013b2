// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control where it has to prove itself: several senders and one
 * link.  Do they share it, does it stay busy, how long is its queue, and what
 * happens when all begin at once?  A constant window and none at all, in the
 * same network, show what NSCC is good for.
 */
#include "mrc_share.h"

#define US	1000U
#define MS	1000000ULL
#define RTT	(12 * US)
#define MBPS	100000U
#define BDP	(MBPS / 8000 * RTT)

/* What UEC recommends for switches, marks by a threshold. */
#define MARK_AT	(BDP / 2)
#define TRIM_AT	(BDP * 3 / 2)
#define DROP_AT	(4 * BDP)

/* Time to come to rest, and to be watched at that. */
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

/* Jain's index of what the flows got, in thousandths: 1000 is equal shares. */
static u32 fairness(const struct share *s)
{
	u64 sum = 0, squares = 0, x;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++) {
		x = share_got(s, i) >> 10;
		sum += x;
		squares += x * x;
	}
	return div64_u64(1000 * sum * sum,
			 max_t(u64, 1, s->cfg.n_flows * squares));
}

/* Thousandths of the time in which the link carried payload. */
static u32 busy(const struct share *s, u64 ns)
{
	u64 room = div_u64(ns * s->cfg.link_mbps, 8000);

	return div64_u64(1000 * share_all(s), room);
}

/* What flow @i got, in thousandths of an equal share. */
static u32 share_of(const struct share *s, u8 i)
{
	return div64_u64(1000 * share_got(s, i) * s->cfg.n_flows,
			 max_t(u64, 1, share_all(s)));
}

static u32 least(const struct share *s)
{
	u32 min = U32_MAX;
	u8 i;

	for (i = 0; i < s->cfg.n_flows; i++)
		min = min(min, share_of(s, i));
	return min;
}

static void watch(struct share *s, u64 ns)
{
	share_measure(s);
	share_run(s, s->now + ns);
	kunit_info(s->test,
		   "%s, %u flows: busy %u, fair %u, least %u of 1000; queue %llu ns; marked %u, trimmed %u, dropped %u of %u\n",
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
	/* Three of four seeds end in a swing: all cut at once, twice for one queue. */
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
 * All get the same, the link is never idle, and its queue is what NSCC aims at:
 * a round trip, three quarters of one where switches trim.
 */
static void mrc_fair_shares(struct kunit *test)
{
	const struct fair_case *f = test->param_value;
	struct share *s = share_case(test, f);
	u32 target = f->trims ? f->rtt * 3 / 4 : f->rtt;
	u64 period = WATCH * (f->rtt / RTT);

	share_run(s, s->now + SETTLE * (f->rtt / RTT));
	watch(s, period);
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	KUNIT_EXPECT_GE(test, least(s), 600);
	KUNIT_EXPECT_GE(test, busy(s, period), 980);
	/* Different paths look like queueing: so much less is queued. */
	KUNIT_EXPECT_GE(test, share_delay(s) + f->jitter, target * 4 / 5);
	KUNIT_EXPECT_LE(test, share_delay(s), target * 21 / 20 + f->swing);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_EQ(test, s->trimmed, 0);
	share_free(s);
}

/*
 * Eight begin at once, each at the rate of the link.  Within a millisecond the
 * queue is what it should be, and what was lost meanwhile has been sent again.
 */
static void mrc_fair_incast(struct kunit *test)
{
	struct share_cfg cfg = shared(8, &mrc_cc_nscc);
	struct share *s;
	u32 i;

	cfg.trim_at = TRIM_AT;
	s = share_new(test, &cfg);
	watch(s, MS);
	KUNIT_EXPECT_GT(test, s->trimmed, 0);
	KUNIT_EXPECT_LT(test, s->trimmed, s->arrived / 5);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 980);
	for (i = 0; i < 4; i++) {
		watch(s, MS);
		KUNIT_EXPECT_LT(test, share_delay(s), RTT);
		KUNIT_EXPECT_EQ(test, s->trimmed, 0);
		KUNIT_EXPECT_GE(test, least(s), 600);
	}
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	expect_no_timeouts(s);
	share_free(s);
}

/* The same where nothing trims: many losses at once, and nobody gets stuck. */
static void mrc_fair_incast_with_losses(struct kunit *test)
{
	struct share_cfg cfg = shared(8, &mrc_cc_nscc);
	struct share *s = share_new(test, &cfg);

	watch(s, MS);
	KUNIT_EXPECT_GT(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 950);
	watch(s, MS);
	KUNIT_EXPECT_EQ(test, s->dropped, 0);
	KUNIT_EXPECT_GE(test, least(s), 50);
	share_run(s, s->now + SETTLE);
	watch(s, WATCH);
	KUNIT_EXPECT_GE(test, fairness(s), 950);
	expect_no_timeouts(s);
	share_free(s);
}

/* Who comes late gets a share, and nothing is idle when one leaves. */
static void mrc_fair_coming_and_going(struct kunit *test)
{
	struct share_cfg cfg = shared(2, &mrc_cc_nscc);
	struct share *s;

	cfg.trim_at = TRIM_AT;
	s = share_new(test, &cfg);
	s->flow[1].start = s->now + MS;
	watch(s, MS);
	KUNIT_EXPECT_EQ(test, share_got(s, 1), 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 980);
	share_run(s, s->now + 2 * MS);
	watch(s, MS);
	KUNIT_EXPECT_GE(test, fairness(s), 980);

	s->flow[0].stop = s->now;
	share_run(s, s->now + MS);
	watch(s, MS);
	KUNIT_EXPECT_EQ(test, share_got(s, 0), 0);
	KUNIT_EXPECT_GE(test, busy(s, MS), 980);
	share_free(s);
}

/* What the others do in that network. */

static struct share *settled(struct kunit *test, const struct mrc_cc_ops *cc)
{
	struct share_cfg cfg = shared(8, cc);
	struct share *s = share_new(test, &cfg);

	share_run(s, s->now + SETTLE);
	watch(s, WATCH);
	return s;
}

/*
 * A constant window that suits one sender is too large for eight: the queue is
 * always full, and every few packets one is sent for nothing.
 */
static void mrc_fair_fixed_window(struct kunit *test)
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

/* Without a window whoever has more takes all, and most of it is lost. */
static void mrc_fair_no_window(struct kunit *test)
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

/* One seed is one history. */
static void mrc_fair_repeats(struct kunit *test)
{
	struct share *a = settled(test, &mrc_cc_nscc);
	struct share *b = settled(test, &mrc_cc_nscc);
	u8 i;

	KUNIT_EXPECT_EQ(test, a->arrived, b->arrived);
	KUNIT_EXPECT_EQ(test, a->queued, b->queued);
	for (i = 0; i < a->cfg.n_flows; i++)
		KUNIT_EXPECT_EQ(test, share_got(a, i), share_got(b, i));
	share_free(b);
	share_free(a);
}

static struct kunit_case mrc_fair_test_cases[] = {
	KUNIT_CASE_PARAM(mrc_fair_shares, fair_gen_params),
	KUNIT_CASE(mrc_fair_incast),
	KUNIT_CASE(mrc_fair_incast_with_losses),
	KUNIT_CASE(mrc_fair_coming_and_going),
	KUNIT_CASE(mrc_fair_fixed_window),
	KUNIT_CASE(mrc_fair_no_window),
	KUNIT_CASE(mrc_fair_repeats),
	{}
};

static struct kunit_suite mrc_fair_suite = {
	.name = "mrc_fair",
	.test_cases = mrc_fair_test_cases,
};

kunit_test_suite(mrc_fair_suite);

MODULE_DESCRIPTION("KUnit tests of MRC congestion control");
MODULE_LICENSE("Dual BSD/GPL");
