// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Half of the paths die at once, silently, in one direction or in both, or all but
 * one of the last: how long goodput stays below half of what it was.
 *
 * The network is that of the drills: four planes of a narrow port and four paths
 * each, and a window that holds a packet or two for each path.
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
/* The first half of the time before the fault is for getting up to speed. */
#define CALM	(FAULT / 2)
/* So often another plane does. */
#define PLANE_DIES	(750 * SIM_MS)
/* 12 Mbit/s. */
#define NS_BYTE	667

static const struct sim_setup fabric = {
	.pmtu = 4096, .n_msgs = 60, .burst = 1, .cwnd = 110000,
	.path = { .delay = 3 * SIM_MS, .jitter = SIM_MS, .fifo = true },
};

/* A window of five packets. */
static const struct sim_setup narrow = {
	.pmtu = 4096, .n_msgs = 120, .burst = 1, .cwnd = 25000, .exp_cnt = 7,
	.path = { .delay = 3 * SIM_MS, .jitter = SIM_MS, .fifo = true },
};

static void flap_begin(struct sim *sim, const struct sim_setup *setup, u64 seed)
{
	u32 i;

	sim_init(sim, setup, seed);
	sim->whole_windows = true;
	sim->idle = true;
	sim->req.cfg.reo_path = 8 * SIM_MS;
	sim->req.cfg.reo_time = 16 * SIM_MS;
	for (i = 0; i < PLANES; i++)
		sim->port[i].ns_byte = NS_BYTE;
}

/* Bytes that arrive up to @until, in ns since the beginning. */
static u64 flap_run(struct sim *sim, u64 until)
{
	u64 was = sim->rsp.stats.rx_bytes;

	sim_run_until(sim, sim->start + until);
	return sim->rsp.stats.rx_bytes - was;
}

/* A path dies for good. */
static void flap_die(struct sim *sim, u16 i, u64 when, u8 way)
{
	sim->path[i].dead_from = sim->start + when;
	sim->path[i].dead_to = SIM_NEVER;
	sim->path[i].dead_way = way;
}

/* Longest time after @fault with less than half of what there was, in bins. */
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

/* Half of the paths of each plane die. */
static u32 flap_half(struct sim *sim, u8 way, u64 seed)
{
	u32 gap;
	u16 i;

	flap_begin(sim, &fabric, seed);
	for (i = 0; i < PATHS / 2; i++)
		flap_die(sim, i, FAULT, way);
	gap = flap_gap(sim, FAULT);
	sim_free(sim);
	return gap;
}

/* One plane after the other, then all paths of the last but one. */
static u32 flap_last(struct sim *sim, u8 way, u64 seed)
{
	u32 gap;
	u16 i;

	flap_begin(sim, &narrow, seed);
	for (i = 0; i < PATHS - PLANES; i++)
		flap_die(sim, i, (i % PLANES ?: PLANES) * PLANE_DIES, way);
	for (; i < PATHS; i++)
		if (i % PLANES)
			flap_die(sim, i, i % PLANES * PLANE_DIES, way);
	gap = flap_gap(sim, PLANES * PLANE_DIES);
	sim_free(sim);
	return gap;
}

/* @most: bins that nine of ten gaps last at most; @worst: all. */
static void flap(struct kunit *test, u32 (*run)(struct sim *, u8, u64), u8 way,
		 u32 most, u32 worst)
{
	struct sim *sim = sim_alloc(test);
	u32 gap, longer = 0, longest = 0;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		gap = run(sim, way, seed);
		longer += gap > most;
		longest = max(longest, gap);
	}
	kunit_info(test, "%u of %u gaps over %u bins, longest %u\n", longer,
		   SEEDS, most, longest);
	KUNIT_EXPECT_LE(test, longer, SEEDS / 10);
	KUNIT_EXPECT_LE(test, longest, worst);
}

/* Loss inference takes 16 ms more than a round trip of 17 ms. */
static void mrc_flap_there(struct kunit *test)
{
	flap(test, flap_half, SIM_WAY_THERE, 5, 7);
}

/* Answers are lost as well, and with bad luck all ways back that were known. */
static void mrc_flap_both_ways(struct kunit *test)
{
	flap(test, flap_half, SIM_BOTH_WAYS, 9, 30);
}

/*
 * One path in four lives, there and back, and neither host knows which: what is
 * sent again and what answers it have to try them all.
 */
static void mrc_flap_last_path(struct kunit *test)
{
	flap(test, flap_last, SIM_BOTH_WAYS, 32, 80);
}

static struct kunit_case mrc_flap_cases[] = {
	KUNIT_CASE(mrc_flap_there),
	KUNIT_CASE(mrc_flap_both_ways),
	KUNIT_CASE(mrc_flap_last_path),
	{}
};

static struct kunit_suite mrc_flap_suite = {
	.name = "mrc_flap",
	.test_cases = mrc_flap_cases,
};

kunit_test_suite(mrc_flap_suite);

MODULE_DESCRIPTION("KUnit tests of many paths of MRC that die at once");
MODULE_LICENSE("Dual BSD/GPL");
