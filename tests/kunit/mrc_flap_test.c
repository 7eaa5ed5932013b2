// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Half of the paths fail at once, silently, in one direction or in both, or all
 * but one of the paths left: how long goodput stays below half of its level before.
 * Some fail for long packets only: how often they are used nevertheless.
 *
 * The network is that of the drills: four planes with a slow port and four paths
 * each, and a congestion window of one or two packets per path.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "mrc_sim.h"

#ifdef __KERNEL__
#define SEEDS	10
#else
#define SEEDS	100
#endif

#define PATHS	16
#define PLANES	4
#define BIN	(10 * SIM_MS)
#define BINS	100
#define FAULT	(500 * SIM_MS)
/* Goodput before the fault is measured over the second half of that time. */
#define CALM	(FAULT / 2)
/* Time between the failures of two planes. */
#define PLANE_FAILS	(750 * SIM_MS)
/* 12 Mbit/s. */
#define NS_BYTE	667
/* How long some paths drop long packets, and within what time they are used again. */
#define LONG_FAULT	(6000 * SIM_MS)
#define LONG_REPAIR	(500 * SIM_MS)
#define LONG_PATHS	(PATHS / 4)

static const struct sim_setup fabric = {
	.pmtu = 4096, .n_msgs = 60, .burst = 1, .cwnd = 110000,
	.path = { .delay = 3 * SIM_MS, .jitter = SIM_MS, .fifo = true },
};

/* A congestion window of five packets. */
static const struct sim_setup narrow = {
	.pmtu = 4096, .n_msgs = 120, .burst = 1, .cwnd = 25000, .exp_cnt = 7,
	.path = { .delay = 3 * SIM_MS, .jitter = SIM_MS, .fifo = true },
};

/* All paths are used. */
static const struct sim_setup even = {
	.pmtu = 4096, .n_msgs = SIM_MSGS, .burst = 1, .cwnd = 110000,
	.lb = &mrc_lb_rotation,
	.path = { .delay = 3 * SIM_MS, .jitter = SIM_MS, .fifo = true },
};

static void flap_begin(struct sim *sim, const struct sim_setup *setup, u64 seed)
{
	u32 i;

	sim_init(sim, setup, seed);
	sim->long_msgs = true;
	sim->idle = true;
	sim->req.cfg.reo_wnd_path = 8 * SIM_MS;
	sim->req.cfg.reo_wnd_any = 16 * SIM_MS;
	for (i = 0; i < PLANES; i++)
		sim->port[i].ns_byte = NS_BYTE;
}

/* Run until @until, in ns since the start. Return: bytes received meanwhile. */
static u64 flap_run(struct sim *sim, u64 until)
{
	u64 was = sim->rsp.stats.rx_bytes;

	sim_run_until(sim, sim->start + until);
	return sim->rsp.stats.rx_bytes - was;
}

/* From @when on path @i loses all packets of direction @dir. */
static void flap_fail_path(struct sim *sim, u16 i, u64 when, u8 dir)
{
	sim->path[i].dead_from = sim->start + when;
	sim->path[i].dead_to = SIM_NEVER;
	sim->path[i].dead_dir = dir;
}

/* Longest time after @fault with less than half of the goodput, in bins. */
static u32 flap_gap(struct sim *sim, u64 fault)
{
	u32 i, run = 0, worst = 0;
	u64 full;

	flap_run(sim, fault - CALM);
	full = div_u64(flap_run(sim, fault) * BIN, CALM);
	for (i = 1; i <= BINS; i++) {
		run = flap_run(sim, fault + i * BIN) < full / 2 ? run + 1 : 0;
		worst = max(worst, run);
	}
	return worst;
}

/* Half of the paths of each plane fail. */
static u32 flap_half(struct sim *sim, u8 dir, u64 seed)
{
	u32 gap;
	u16 i;

	flap_begin(sim, &fabric, seed);
	for (i = 0; i < PATHS / 2; i++)
		flap_fail_path(sim, i, FAULT, dir);
	gap = flap_gap(sim, FAULT);
	sim_free(sim);
	return gap;
}

/* The planes fail one after the other, of the last one all paths but one. */
static u32 flap_last(struct sim *sim, u8 dir, u64 seed)
{
	u32 gap;
	u16 i;

	flap_begin(sim, &narrow, seed);
	for (i = 0; i < PATHS - PLANES; i++)
		flap_fail_path(sim, i, (i % PLANES ?: PLANES) * PLANE_FAILS, dir);
	for (; i < PATHS; i++)
		if (i % PLANES)
			flap_fail_path(sim, i, i % PLANES * PLANE_FAILS, dir);
	gap = flap_gap(sim, PLANES * PLANE_FAILS);
	sim_free(sim);
	return gap;
}

/* @most: nine of ten gaps last at most so many bins; @worst: all gaps. */
static void flap(struct kunit *test, u32 (*run)(struct sim *, u8, u64), u8 dir,
		 u32 most, u32 worst)
{
	struct sim *sim = sim_alloc(test);
	u32 gap, longer = 0, longest = 0;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		gap = run(sim, dir, seed);
		longer += gap > most;
		longest = max(longest, gap);
	}
	kunit_info(test, "%u of %u gaps over %u bins, longest %u\n", longer,
		   SEEDS, most, longest);
	KUNIT_EXPECT_LE(test, longer, SEEDS / 10);
	KUNIT_EXPECT_LE(test, longest, worst);
}

/* RACK detects the losses 16 ms after a round trip of 17 ms. */
static void mrc_flap_data_direction(struct kunit *test)
{
	flap(test, flap_half, SIM_TO_RESPONDER, 5, 7);
}

/* Acknowledgments are lost as well, with some seeds on all proven ACK paths. */
static void mrc_flap_both_directions(struct kunit *test)
{
	flap(test, flap_half, SIM_BOTH_DIRS, 9, 30);
}

/*
 * One path in four works in both directions: retransmissions and acknowledgments
 * have to try all paths.
 */
static void mrc_flap_one_path_left(struct kunit *test)
{
	flap(test, flap_last, SIM_BOTH_DIRS, 32, 80);
}

/* Counters of the paths that drop long packets. */
static struct mrc_ev_stats flap_long_stats(const struct sim *sim)
{
	struct mrc_ev_stats sum = { };
	u16 i;

	for (i = 0; i < LONG_PATHS; i++)
		mrc_ev_stats_add(&sum, &sim->evs->ev[i].stats);
	return sum;
}

/*
 * Some paths drop long packets for a while, others everything: short probes pass on the
 * former. Return: how often these became ASSUMED_BAD.
 */
static u32 flap_long(struct sim *sim, bool pad, u64 seed)
{
	struct kunit *test = sim->test;
	struct mrc_ev_stats stats;
	u16 i;

	flap_begin(sim, &even, seed);
	sim->evs->pad_probes = pad;
	for (i = 0; i < 2 * LONG_PATHS; i++) {
		flap_fail_path(sim, i, FAULT, i < LONG_PATHS ?
			       SIM_LONG_TO_RESPONDER : SIM_BOTH_DIRS);
		sim->path[i].dead_to = sim->start + LONG_FAULT;
	}
	flap_run(sim, LONG_FAULT);
	stats = flap_long_stats(sim);
	/* Every other probe of the former is long, and none of the dead ones. */
	KUNIT_EXPECT_LE(test, sim->padded, pad ? stats.probes / 2 : 0);
	flap_run(sim, LONG_FAULT + LONG_REPAIR);
	KUNIT_EXPECT_FALSE(test, sim_over(sim));
	for (i = 0; pad && i < LONG_PATHS; i++)
		KUNIT_EXPECT_TRUE(test,
				  mrc_ev_is_active(sim->evs->ev[i].state));
	sim_free(sim);
	return stats.bad;
}

/*
 * Each path is used until its losses condemn it, and not again before it is repaired.
 * Without padding it comes back and loses data time and again.
 */
static void mrc_flap_long_packets(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS / 10; seed++) {
		KUNIT_EXPECT_EQ(test, flap_long(sim, true, seed), LONG_PATHS);
		KUNIT_EXPECT_GT(test, flap_long(sim, false, seed),
				2 * LONG_PATHS);
	}
}

static struct kunit_case mrc_flap_cases[] = {
	KUNIT_CASE(mrc_flap_data_direction),
	KUNIT_CASE(mrc_flap_both_directions),
	KUNIT_CASE(mrc_flap_one_path_left),
	KUNIT_CASE(mrc_flap_long_packets),
	{}
};

static struct kunit_suite mrc_flap_suite = {
	.name = "mrc_flap",
	.test_cases = mrc_flap_cases,
};

kunit_test_suite(mrc_flap_suite);

MODULE_DESCRIPTION("KUnit tests of many paths that fail at once");
MODULE_LICENSE("Dual BSD/GPL");
