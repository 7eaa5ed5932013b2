// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reverse paths: which EV control packets take, and the probes of a host that
 * receives only.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "core/reverse.h"
#include "mrc_ev_sample.h"
#include "mrc_sim.h"

#define RTT	(10 * MRC_REVERSE_NS)
#define PROBES	16

/* Paths that @n control packets of a plane take, a bit each. */
static u32 picks_if(struct mrc_ev_set *set, u8 plane, enum mrc_doubt doubt,
		    u32 n)
{
	u16 cursor = 0;
	u32 seen = 0;
	int idx;

	while (n--) {
		idx = mrc_reverse_pick(set, plane, doubt, &cursor);
		seen |= idx < 0 ? 0 : BIT(idx);
	}
	return seen;
}

static u32 picks(struct mrc_ev_set *set, u8 plane, u32 n)
{
	return picks_if(set, plane, MRC_DOUBT_NONE, n);
}

/* A set of a host that receives data. */
static struct mrc_ev_set *receiver(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	KUNIT_EXPECT_TRUE(test, mrc_reverse_used(set));
	mrc_reverse_wake(set, 0);
	KUNIT_EXPECT_FALSE(test, mrc_reverse_used(set));
	return set;
}

/* The next probe, at the earliest time; -ENOENT if it has fallen asleep. */
static int next_probe(struct kunit *test, struct mrc_ev_set *set)
{
	u64 at = set->reverse.next;

	if (!at)
		return -ENOENT;
	KUNIT_EXPECT_EQ(test, mrc_reverse_probe(set, RTT, at - 1), -ENOENT);
	return mrc_reverse_probe(set, RTT, at);
}

static void mrc_reverse_takes_turns(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);

	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xf0);
}

static void mrc_reverse_known(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);

	mrc_reverse_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
	KUNIT_EXPECT_EQ(test, picks(set, 1, PATHS), 0xf);
	mrc_reverse_sacked(set, 6);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(6));
}

/* What took data along may be on the way back, too: every other is tried out. */
static void mrc_reverse_gap(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	u32 count = 0, i;
	u16 cursor = 0;

	mrc_reverse_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks_if(set, 2, MRC_DOUBT_GAP,
				       4 * PATHS), 0xf0);
	for (i = 0; i < 8 * PER_PLANE; i++)
		count += mrc_reverse_pick(set, 2, MRC_DOUBT_GAP,
					  &cursor) == 5;
	/* Half, and its share of the others. */
	KUNIT_EXPECT_EQ(test, count, 5 * PER_PLANE);
	/* Then it is used again as if nothing had been. */
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, 5,
				mrc_reverse_pick(set, 2, MRC_DOUBT_NONE,
						 &cursor));
}

/*
 * What was answered comes again: what is known does not arrive.  All paths of the
 * plane are tried, and between them what is known of other planes.
 */
static void mrc_reverse_unheard(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	u32 count[PATHS] = { }, i;
	u16 cursor = 0;

	mrc_reverse_proven(set, 5);
	mrc_reverse_proven(set, 9);
	for (i = 0; i < 6 * PER_PLANE; i++)
		count[mrc_reverse_pick(set, 2, MRC_DOUBT_UNHEARD, &cursor)]++;
	for (i = PER_PLANE; i < 2 * PER_PLANE; i++)
		KUNIT_EXPECT_GE(test, count[i], 2);
	KUNIT_EXPECT_GE(test, count[9], 2);
	KUNIT_EXPECT_LE(test, count[5], 2 * PER_PLANE);
}

/* Without data nobody looks whether it still works. */
static void mrc_reverse_old(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_reverse_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, 4 * PATHS), 0xf0);
}

static void mrc_reverse_forbidden(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);

	mrc_reverse_proven(set, 5);
	mrc_ev_deny(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xd0);
	mrc_ev_allow(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
	mrc_ev_set_ports(set, U32_MAX ^ BIT(1), U32_MAX);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
}

/* Who loses data on a path does not answer on it, until a probe comes back. */
static void mrc_reverse_bad(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);

	mrc_reverse_proven(set, 5);
	mrc_ev_feedback(set, 5, MRC_EV_SIG_TIMEOUT, 1);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xd0);
	mrc_reverse_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
}

/* Planes take turns, and each of their paths is tried. */
static void mrc_reverse_probes(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	u64 at = set->reverse.next;
	u32 seen = 0;
	int i, idx;

	KUNIT_EXPECT_EQ(test, at, MRC_REVERSE_NS);
	for (i = 0; i < 20 * PATHS; i++) {
		at = set->reverse.next;
		idx = next_probe(test, set);
		KUNIT_ASSERT_GE(test, idx, 0);
		KUNIT_EXPECT_EQ(test, set->ev[idx].plane,
				set->plane_order[i % PLANES]);
		seen |= BIT(idx);
		KUNIT_EXPECT_EQ(test, set->reverse.next, at + RTT);
		mrc_reverse_used(set);
	}
	KUNIT_EXPECT_EQ(test, seen, BIT(PATHS) - 1);
	at = set->reverse.next;
	mrc_reverse_probe(set, 0, at);
	KUNIT_EXPECT_EQ(test, set->reverse.next, at + MRC_REVERSE_NS);
}

static void mrc_reverse_probes_good_ones(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int i, idx;

	set->min_active = 0;
	for (i = 0; i < PATHS; i++)
		if (i != 6)
			mrc_ev_feedback(set, i, MRC_EV_SIG_TIMEOUT, 0);
	for (i = 0; i < PROBES; i++) {
		mrc_reverse_used(set);
		KUNIT_EXPECT_EQ(test, next_probe(test, set), 6);
	}
	mrc_ev_deny(set, 6);
	mrc_reverse_used(set);
	idx = next_probe(test, set);
	KUNIT_EXPECT_EQ(test, idx, -ENOENT);
}

/* A plane that does not answer has its answers sent on another one. */
static void mrc_reverse_silent_plane(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int i, idx;

	for (i = 0; i < 4 * PLANES; i++) {
		if (i == 3 * PLANES)
			KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xf0);
		mrc_reverse_used(set);
		idx = next_probe(test, set);
		KUNIT_ASSERT_GE(test, idx, 0);
		if (set->ev[idx].plane != 2)
			mrc_reverse_proven(set, idx);
	}
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
	KUNIT_EXPECT_EQ(test, hweight32(picks(set, 2, PATHS)), PLANES - 1);
	mrc_reverse_proven(set, 7);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(7));
}

/* No plane answers: then any of them may be right. */
static void mrc_reverse_all_silent(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int i;

	mrc_reverse_proven(set, 5);
	for (i = 0; i < 4 * PLANES; i++) {
		mrc_reverse_used(set);
		KUNIT_EXPECT_GE(test, next_probe(test, set), 0);
	}
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xf0);
}

static void mrc_reverse_data_is_enough(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int i, plane;

	for (i = 0; i < PROBES; i++) {
		mrc_reverse_used(set);
		for (plane = 0; plane < PLANES; plane++)
			mrc_reverse_sacked(set, plane * PER_PLANE);
		KUNIT_EXPECT_EQ(test, next_probe(test, set), -ENOENT);
		KUNIT_EXPECT_NE(test, set->reverse.next, 0);
	}
}

/* Data that others carry says nothing of a plane that loses all of it. */
static void mrc_reverse_data_of_others(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int i, plane, idx, probes = 0;

	mrc_reverse_sacked(set, PER_PLANE);
	for (i = 0; i < 5 * PLANES; i++) {
		mrc_reverse_used(set);
		for (plane = 0; plane < PLANES; plane++)
			if (plane != 1)
				mrc_reverse_sacked(set, plane * PER_PLANE);
		idx = next_probe(test, set);
		if (idx < 0)
			continue;
		KUNIT_EXPECT_EQ(test, set->ev[idx].plane, 2);
		probes++;
	}
	KUNIT_EXPECT_EQ(test, probes, 4);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
}

/* Nothing comes in: one probe more for what was last in, if it is answered. */
static void mrc_reverse_sleeps(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int idx = next_probe(test, set);

	KUNIT_ASSERT_GE(test, idx, 0);
	mrc_reverse_proven(set, idx);
	KUNIT_EXPECT_EQ(test, next_probe(test, set), -ENOENT);
	KUNIT_EXPECT_EQ(test, set->reverse.next, 0);
	KUNIT_EXPECT_TRUE(test, mrc_reverse_used(set));
}

static void mrc_reverse_gives_up(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	int n = 0;

	while (next_probe(test, set) >= 0)
		n++;
	KUNIT_EXPECT_EQ(test, n, 1 + PROBES);
	KUNIT_EXPECT_EQ(test, set->reverse.next, 0);
}

/* A queue pair that is not ready to send asks, and hears, all the same. */
static void mrc_reverse_without_requester(struct kunit *test)
{
	struct mrc_ev_set *set = receiver(test);
	struct mrc_pkt_sack sack = { .probe = true };
	u64 at = set->reverse.next;
	struct mrc_probe p;

	KUNIT_EXPECT_FALSE(test, mrc_reverse_next_probe(set, 0x123, at - 1,
							&p));
	KUNIT_ASSERT_TRUE(test, mrc_reverse_next_probe(set, 0x123, at, &p));
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.ev, set->ev[p.path].value);
	KUNIT_EXPECT_EQ(test, p.plane, set->ev[p.path].plane);
	KUNIT_EXPECT_EQ(test, set->ev[p.path].stats.probes, 1);
	sack.probe_id = p.probe_id + BIT(8);
	mrc_reverse_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_NE(test, picks(set, p.plane, PATHS), BIT(p.path));
	sack.probe = false;
	sack.probe_id = p.probe_id;
	mrc_reverse_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_NE(test, picks(set, p.plane, PATHS), BIT(p.path));
	sack.probe = true;
	mrc_reverse_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_EQ(test, picks(set, p.plane, PATHS), BIT(p.path));
	/* No faster than the round trip. */
	mrc_reverse_used(set);
	at = set->reverse.next;
	KUNIT_EXPECT_TRUE(test, mrc_reverse_next_probe(set, 0x123, at, &p));
	KUNIT_EXPECT_EQ(test, set->reverse.next, at + RTT);
}

/* Hosts. */

static const struct sim_setup receive_only = {
	.n_msgs = SIM_MSGS, .cc = &mrc_cc_fixed,
	.path = { .delay = 50 * SIM_US },
};

/* The way back through one of four switches dies, the way there does not. */
static void cut_way_back(struct sim *sim)
{
	u16 i;

	for (i = 0; i < sim->n_paths; i++) {
		if (i / 4 != 2)
			continue;
		sim->path[i].dead_way = SIM_WAY_BACK;
		sim->path[i].dead_from = sim->now;
		sim->path[i].dead_to = SIM_NEVER;
	}
}

/*
 * A quarter of all answers would be lost for good; with probes none is but
 * those of the first moments.
 */
static void mrc_reverse_answers_flow(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u32 answers, lost;
	u64 seed;

	for (seed = 1; seed <= 20; seed++) {
		sim_init(sim, &receive_only, seed);
		sim->whole_windows = true;
		sim->ns_byte = 100;
		sim_run_until(sim, sim->now + 10 * SIM_MS);
		cut_way_back(sim);
		sim_run_until(sim, sim->now + 400 * SIM_MS);
		answers = sim->answers;
		lost = sim->answers_lost;
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_GT(test, sim->answers, answers + 100);
		KUNIT_EXPECT_EQ(test, sim->answers_lost, lost);
		KUNIT_EXPECT_LT(test, lost, answers / 10);
		KUNIT_EXPECT_EQ(test, sim->req.stats.timeouts, 0);
		sim_free(sim);
	}
}

/* Neither host keeps the other awake. */
static void mrc_reverse_silence(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 probes;

	sim_init(sim, &receive_only, 7);
	sim->idle = true;
	sim_run_until(sim, sim->now + SIM_LONG);
	sim_check_end(sim);
	probes = sim->peer_req.stats.probes;
	KUNIT_EXPECT_GT(test, probes, 0);
	KUNIT_EXPECT_LE(test, probes,
			div_u64(sim->end - sim->start, MRC_REVERSE_NS) + 1);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->peer_req), 0);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->req), 0);
	sim_free(sim);
}

static struct kunit_case mrc_reverse_cases[] = {
	KUNIT_CASE(mrc_reverse_takes_turns),
	KUNIT_CASE(mrc_reverse_known),
	KUNIT_CASE(mrc_reverse_gap),
	KUNIT_CASE(mrc_reverse_unheard),
	KUNIT_CASE(mrc_reverse_old),
	KUNIT_CASE(mrc_reverse_forbidden),
	KUNIT_CASE(mrc_reverse_bad),
	KUNIT_CASE(mrc_reverse_probes),
	KUNIT_CASE(mrc_reverse_probes_good_ones),
	KUNIT_CASE(mrc_reverse_silent_plane),
	KUNIT_CASE(mrc_reverse_all_silent),
	KUNIT_CASE(mrc_reverse_data_is_enough),
	KUNIT_CASE(mrc_reverse_data_of_others),
	KUNIT_CASE(mrc_reverse_sleeps),
	KUNIT_CASE(mrc_reverse_gives_up),
	KUNIT_CASE(mrc_reverse_without_requester),
	KUNIT_CASE(mrc_reverse_answers_flow),
	KUNIT_CASE(mrc_reverse_silence),
	{}
};

static struct kunit_suite mrc_reverse_suite = {
	.name = "mrc_reverse",
	.test_cases = mrc_reverse_cases,
};

kunit_test_suite(mrc_reverse_suite);

MODULE_DESCRIPTION("KUnit tests of the paths of control packets");
MODULE_LICENSE("Dual BSD/GPL");
