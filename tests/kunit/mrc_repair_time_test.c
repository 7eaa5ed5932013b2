// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Time from a loss to its retransmission if hosts do not delay packets, and no
 * spurious losses on paths of different lengths.
 */
#include "mrc_share.h"

#ifdef __KERNEL__
#define SEEDS	10
#else
#define SEEDS	30
#endif

#define US	1000U
#define RTT	(12 * US)
#define MBPS	100000U
#define BDP	(MBPS / 8000 * RTT)

static struct share_cfg quiet(u64 seed)
{
	return (struct share_cfg){
		.n_flows = 1,
		.n_paths = 16,
		.mbps = MBPS,
		.rtt = RTT,
		.cc = &mrc_cc_fixed,
		.cwnd = 2 * BDP,
		.burst = 1,
		.seed = seed,
	};
}

/* Paths of different length: up to @most ns longer than the shortest. */

enum spread {
	SPREAD_EVEN,
	SPREAD_ONE_SLOW,
	SPREAD_ONE_FAST,
	SPREAD_TWO_KINDS,
};

static u32 extra_delay(struct share *s, enum spread kind, u16 path, u32 most)
{
	switch (kind) {
	case SPREAD_EVEN:
		return mrc_rnd_below(&s->rnd, most + 1);
	case SPREAD_ONE_SLOW:
		return path == 3 ? most : 0;
	case SPREAD_ONE_FAST:
		return path == 3 ? 0 : most;
	case SPREAD_TWO_KINDS:
		return path & 1 ? most : 0;
	}
	return 0;
}

static void spread_paths(struct share *s, enum spread kind, u32 most)
{
	struct share_flow *f = &s->flow[0];
	u16 i;

	for (i = 0; i < s->cfg.n_paths; i++) {
		f->to[i] += extra_delay(s, kind, i, most);
		f->back[i] += extra_delay(s, kind, i, most);
	}
}

static const struct lossless {
	const char *name;
	enum spread kind;
	u16 n_paths;
	u32 burst;
	u32 cwnd;
} lossless[] = {
	{ "any delay", SPREAD_EVEN, 16, 1, 8 * BDP },
	{ "any delay, bursts", SPREAD_EVEN, 16, 8, 8 * BDP },
	{ "any delay, 128 paths", SPREAD_EVEN, 128, 1, 8 * BDP },
	{ "any delay, small window", SPREAD_EVEN, 16, 1, BDP / 2 },
	{ "one slow path", SPREAD_ONE_SLOW, 16, 1, 4 * BDP },
	{ "one slow path of 128", SPREAD_ONE_SLOW, 128, 1, 4 * BDP },
	{ "one slow path, bursts", SPREAD_ONE_SLOW, 16, 8, 4 * BDP },
	{ "one fast path", SPREAD_ONE_FAST, 16, 1, 8 * BDP },
	{ "one fast path of 128", SPREAD_ONE_FAST, 128, 1, 8 * BDP },
	{ "slow and fast paths", SPREAD_TWO_KINDS, 16, 1, 8 * BDP },
	{ "slow and fast paths, bursts", SPREAD_TWO_KINDS, 16, 8, 8 * BDP },
};

KUNIT_ARRAY_PARAM_DESC(lossless, lossless, name);

/* Long transfers, and short ones with pauses in between. */
static void run_without_loss(struct share *s)
{
	struct share_flow *f = &s->flow[0];
	u32 i;

	f->left = 100;
	share_run(s, s->now + 100 * RTT);
	for (i = 0; i < 20; i++) {
		f->left = 1 + i % 4;
		f->start = s->now + 1;
		share_run(s, s->now + 20 * RTT + i * US);
	}
	f->left = 0;
	share_run(s, s->now + 500 * RTT);
	KUNIT_EXPECT_TRUE(s->test, mrc_req_free_slots(&f->req) == f->req.cfg.max_msgs);
}

static void mrc_repair_time_lossless_no_rtx(struct kunit *test)
{
	const struct lossless *l = test->param_value;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.n_paths = l->n_paths;
		cfg.burst = l->burst;
		cfg.cwnd = l->cwnd;
		s = share_new(test, &cfg);
		spread_paths(s, l->kind, 4 * RTT);
		run_without_loss(s);
		KUNIT_EXPECT_EQ_MSG(test, s->flow[0].req.stats.rtx_pkts, 0,
				    "seed %llu", seed);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.spurious, 0);
		KUNIT_EXPECT_EQ(test, s->flow[0].evs->n_bad, 0);
		share_free(s);
	}
}

/*
 * Paths that differ so little that a probe carries a packet: without loss none is sent
 * twice, whichever paths a lone packet and its acknowledgment take.
 */
static void mrc_repair_time_lossless_no_copy(struct kunit *test)
{
	const struct lossless *l = test->param_value;
	struct share_flow *f;
	struct share *s;
	u64 seed;
	u32 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);

		cfg.n_paths = l->n_paths;
		cfg.burst = l->burst;
		cfg.cwnd = l->cwnd;
		s = share_new(test, &cfg);
		spread_paths(s, l->kind, RTT / 3);
		f = &s->flow[0];
		for (i = 0; i < 400; i++) {
			f->left = 1;
			f->start = s->now + 1;
			share_run(s, s->now + 10 * RTT);
		}
		KUNIT_EXPECT_TRUE(test, f->req.rtt.all_paths);
		KUNIT_EXPECT_EQ_MSG(test, f->req.stats.rtx_pkts, 0,
				    "seed %llu", seed);
		share_free(s);
	}
}

/* A flow whose packet @at, counted from the first, is lost @n times. */
static struct share *lossy_flow(struct kunit *test,
				const struct share_cfg *cfg, u32 at, u32 n)
{
	struct share *s = share_new(test, cfg);
	struct share_flow *f = &s->flow[0];

	f->lose_psn = mrc_psn_add(f->req.una, at);
	f->lose_n = n;
	return s;
}

static u64 repair_time(const struct share *s)
{
	return s->flow[0].last_sent - s->flow[0].first_sent;
}

static const struct one_loss {
	const char *name;
	u16 n_paths;
	u32 burst;
} one_loss[] = {
	{ "16 paths", 16, 1 },
	{ "128 paths", 128, 1 },
	{ "1 path", 1, 1 },
	{ "bursts of 4", 16, 4 },
};

KUNIT_ARRAY_PARAM_DESC(one_loss, one_loss, name);

/* Round trip of a burst, including its transmission time. */
static u64 round_trip(const struct one_loss *o)
{
	return RTT + share_wire_ns(o->burst * SHARE_MTU, MBPS);
}

/* More packets follow the lost one: retransmitted within 1.5 round trips. */
static void mrc_repair_time_one_loss_1_5_rtt(struct kunit *test)
{
	const struct one_loss *o = test->param_value;
	u64 seed, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.n_paths = o->n_paths;
		cfg.burst = o->burst;
		s = lossy_flow(test, &cfg, 200 + 7 * seed, 1);
		share_run(s, s->now + 200 * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 1);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.timeouts, 0);
		KUNIT_EXPECT_EQ(test, s->flow[0].lose_n, 0);
		worst = max(worst, repair_time(s));
		share_free(s);
	}
	kunit_info(test, "at most %llu ns, round trip %llu\n", worst,
		   round_trip(o));
	KUNIT_EXPECT_LE(test, worst, round_trip(o) + round_trip(o) / 2);
}

/* The last packet is lost: a tail loss probe is needed, 3 round trips. */
static void mrc_repair_time_tail_3_rtt(struct kunit *test)
{
	const struct one_loss *o = test->param_value;
	u64 seed, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		u32 msgs = 20 + seed % 16;
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.n_paths = o->n_paths;
		cfg.burst = o->burst;
		s = lossy_flow(test, &cfg, msgs * (SHARE_MSG / SHARE_PMTU) - 1, 1);
		s->flow[0].left = msgs;
		share_run(s, s->now + 200 * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 1);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.timeouts, 0);
		KUNIT_EXPECT_EQ(test, mrc_req_free_slots(&s->flow[0].req),
				s->flow[0].req.cfg.max_msgs);
		worst = max(worst, repair_time(s));
		share_free(s);
	}
	kunit_info(test, "at most %llu ns, round trip %llu\n", worst,
		   round_trip(o));
	KUNIT_EXPECT_LE(test, worst, 3 * round_trip(o));
}

/*
 * A lone packet is lost, after round trips on all paths: the probe carries it, and nothing
 * is sent twice without a loss.
 */
static void mrc_repair_time_lone_1_5_rtt(struct kunit *test)
{
	const struct one_loss *o = test->param_value;
	u64 seed, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		u32 pkts = SHARE_MSG / SHARE_PMTU;
		u32 msgs = o->n_paths / 2 + 40 + seed % 16;
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.n_paths = o->n_paths;
		cfg.cwnd = SHARE_MTU;
		s = lossy_flow(test, &cfg, msgs * pkts - 1, 1);
		s->flow[0].left = msgs;
		share_run(s, s->now + (2ULL * msgs * pkts + 200) * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].lose_n, 0);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 1);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.spurious, 0);
		worst = max(worst, repair_time(s));
		share_free(s);
	}
	kunit_info(test, "at most %llu ns, round trip %u\n", worst, RTT);
	KUNIT_EXPECT_LE(test, worst, RTT + RTT / 2);
}

/* Behind the lost packet there is only the rest of its burst. */
static void mrc_repair_time_burst_1_5_rtt(struct kunit *test)
{
	const struct one_loss o = { .burst = 4 };
	u64 seed, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		u32 msgs = 20 + seed % 16;
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.burst = o.burst;
		s = lossy_flow(test, &cfg, msgs * (SHARE_MSG / SHARE_PMTU) - 2, 1);
		s->flow[0].left = msgs;
		share_run(s, s->now + 200 * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 1);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.probes, 0);
		worst = max(worst, repair_time(s));
		share_free(s);
	}
	KUNIT_EXPECT_LE(test, worst, round_trip(&o) + round_trip(&o) / 2);
}

/* Two retransmissions are lost, too: 1.5 round trips for each loss. */
static void mrc_repair_time_lost_rtx_1_5_rtt(struct kunit *test)
{
	u64 seed, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);
		struct share *s = lossy_flow(test, &cfg, 200 + 7 * seed, 3);

		share_run(s, s->now + 200 * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 3);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.timeouts, 0);
		worst = max(worst, repair_time(s));
		share_free(s);
	}
	KUNIT_EXPECT_LE(test, worst, 3 * RTT * 3 / 2);
}

/*
 * On unequal paths the reordering window across paths is long: the path rule
 * detects most losses first.
 */
static void mrc_repair_time_uneven_paths_path_rule(struct kunit *test)
{
	u64 seed, path = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);
		struct share *s;

		cfg.cwnd = 8 * BDP;
		s = lossy_flow(test, &cfg, 1000 + 7 * seed, 1);
		spread_paths(s, SPREAD_EVEN, 4 * RTT);
		share_run(s, s->now + 200 * RTT);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.rtx_pkts, 1);
		KUNIT_EXPECT_EQ(test, s->flow[0].req.stats.timeouts, 0);
		path += s->flow[0].req.stats.rack_loss_path;
		share_free(s);
	}
	KUNIT_EXPECT_GE(test, path, SEEDS * 9 / 10);
}

/* With the standing queue of NSCC: within two round trips. */
static void mrc_repair_time_under_load_2_rtt(struct kunit *test)
{
	u64 seed, took, worst = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct share_cfg cfg = quiet(seed);
		struct mrc_req *req;
		struct share *s;

		cfg.n_flows = 4;
		cfg.cc = &mrc_cc_nscc;
		cfg.full_start = true;
		cfg.link_mbps = MBPS;
		cfg.mark_from = BDP / 2;
		cfg.mark_to = BDP / 2 + 1;
		cfg.trim_at = 3 * BDP / 2;
		cfg.drop_at = 4 * BDP;
		s = lossy_flow(test, &cfg, 2000 + 7 * seed, 1);
		share_run(s, s->now + 500 * RTT);
		req = &s->flow[0].req;
		KUNIT_EXPECT_EQ(test, req->stats.spurious, 0);
		KUNIT_EXPECT_EQ(test, req->stats.timeouts, 0);
		took = div_u64(1000 * repair_time(s), req->rtt.srtt);
		worst = max(worst, took);
		share_free(s);
	}
	kunit_info(test, "at most %llu thousandths of a round trip\n", worst);
	KUNIT_EXPECT_LE(test, worst, 2000);
}

static struct kunit_case mrc_repair_time_cases[] = {
	KUNIT_CASE_PARAM(mrc_repair_time_lossless_no_rtx, lossless_gen_params),
	KUNIT_CASE_PARAM(mrc_repair_time_lossless_no_copy, lossless_gen_params),
	KUNIT_CASE_PARAM(mrc_repair_time_one_loss_1_5_rtt, one_loss_gen_params),
	KUNIT_CASE_PARAM(mrc_repair_time_tail_3_rtt, one_loss_gen_params),
	KUNIT_CASE_PARAM(mrc_repair_time_lone_1_5_rtt, one_loss_gen_params),
	KUNIT_CASE(mrc_repair_time_burst_1_5_rtt),
	KUNIT_CASE(mrc_repair_time_lost_rtx_1_5_rtt),
	KUNIT_CASE(mrc_repair_time_uneven_paths_path_rule),
	KUNIT_CASE(mrc_repair_time_under_load_2_rtt),
	{}
};

static struct kunit_suite mrc_repair_time_suite = {
	.name = "mrc_repair_time",
	.test_cases = mrc_repair_time_cases,
};

kunit_test_suite(mrc_repair_time_suite);

MODULE_DESCRIPTION("KUnit tests of the time that MRC loss recovery takes");
MODULE_LICENSE("Dual BSD/GPL");
