// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ACK paths: the choice of a path for control packets, and the reliability
 * probes of a host that only receives.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "core/ack_path.h"
#include "mrc_ev_sample.h"
#include "mrc_sim.h"

#define RTT	(10 * MRC_ACK_PATH_PROBE_NS)
#define PROBES	16

/* Bitmap of the paths that are chosen for @n control packets of a plane. */
static u32 picks_from(struct mrc_ev_set *set, u8 plane,
		      enum mrc_ack_path_health health, u32 n, u32 cursor)
{
	u32 seen = 0;
	int idx;

	while (n--) {
		idx = mrc_ack_path_pick(set, plane, health, &cursor);
		seen |= idx < 0 ? 0 : BIT(idx);
	}
	return seen;
}

static u32 picks_health(struct mrc_ev_set *set, u8 plane,
			enum mrc_ack_path_health health, u32 n)
{
	return picks_from(set, plane, health, n, 0);
}

static u32 picks(struct mrc_ev_set *set, u8 plane, u32 n)
{
	return picks_health(set, plane, MRC_ACK_PATH_OK, n);
}

/* The paths of a responder that has just received data. */
static struct mrc_ev_set *responder_set(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	KUNIT_EXPECT_TRUE(test, mrc_ack_path_used(set));
	mrc_ack_path_wake(set, 0);
	KUNIT_EXPECT_FALSE(test, mrc_ack_path_used(set));
	return set;
}

/* Path of the next probe, at its deadline; -ENOENT if probing has stopped. */
static int next_probe(struct kunit *test, struct mrc_ev_set *set)
{
	u64 at = set->ack_paths.next;

	if (!at)
		return -ENOENT;
	KUNIT_EXPECT_EQ(test, mrc_ack_path_probe(set, RTT, at - 1), -ENOENT);
	return mrc_ack_path_probe(set, RTT, at);
}

static void mrc_ack_path_unproven_take_turns(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);

	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xf0);
}

static void mrc_ack_path_proven_preferred(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);

	mrc_ack_path_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
	KUNIT_EXPECT_EQ(test, picks(set, 1, PATHS), 0xf);
	mrc_ack_path_sacked(set, 6);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(6));
}

/*
 * Data is missing: the proven ACK path may be lossy, too.  Every second control
 * packet tries another path.
 */
static void mrc_ack_path_gap_tries_every_second(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	u32 count = 0, i;
	u32 cursor = 0;

	mrc_ack_path_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks_health(set, 2, MRC_ACK_PATH_GAP,
					   4 * PATHS), 0xf0);
	for (i = 0; i < 8 * PER_PLANE; i++)
		count += mrc_ack_path_pick(set, 2, MRC_ACK_PATH_GAP,
					  &cursor) == 5;
	/* Half of the packets, and its share of the other half. */
	KUNIT_EXPECT_EQ(test, count, 5 * PER_PLANE);
	/* With health OK the proven path is used for all packets again. */
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, 5,
				mrc_ack_path_pick(set, 2, MRC_ACK_PATH_OK,
						  &cursor));
}

/*
 * Packets that have been acknowledged are retransmitted: acknowledgments on the
 * proven path get lost.  All paths of the plane are tried, and in between the
 * proven paths of other planes.
 */
static void mrc_ack_path_lossy_tries_all(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	u32 count[PATHS] = { }, i;
	u32 cursor = 0;

	mrc_ack_path_proven(set, 5);
	mrc_ack_path_proven(set, 9);
	for (i = 0; i < 6 * PER_PLANE; i++)
		count[mrc_ack_path_pick(set, 2, MRC_ACK_PATH_LOSSY, &cursor)]++;
	for (i = PER_PLANE; i < 2 * PER_PLANE; i++)
		KUNIT_EXPECT_GE(test, count[i], 2);
	KUNIT_EXPECT_GE(test, count[9], 2);
	KUNIT_EXPECT_LE(test, count[5], 2 * PER_PLANE);
}

/*
 * All paths of the plane are tried soon, also where the only plane with a proven path is
 * the same each time, and wherever the cursor starts.
 */
static void mrc_ack_path_lossy_skips_none(struct kunit *test)
{
	struct mrc_ev_set *set;
	u32 start, plane;

	for (plane = 1; plane <= PLANES; plane++) {
		set = responder_set(test);
		mrc_ack_path_proven(set, (plane - 1) * PER_PLANE);
		for (start = 0; start < U16_MAX; start += 61)
			KUNIT_EXPECT_EQ(test, (BIT(PER_PLANE) - 1) <<
					((plane - 1) * PER_PLANE),
					picks_from(set, plane, MRC_ACK_PATH_LOSSY,
						   3 * PER_PLANE, start));
	}
}

/*
 * While no data arrives no probe verifies the proven path: every second control
 * packet tries another one.
 */
static void mrc_ack_path_idle_tries_every_second(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ack_path_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, 4 * PATHS), 0xf0);
}

static void mrc_ack_path_denied_not_picked(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);

	mrc_ack_path_proven(set, 5);
	mrc_ev_deny(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xd0);
	mrc_ev_allow(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
	mrc_ev_set_ports(set, U32_MAX ^ BIT(1), U32_MAX);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
}

/*
 * An ASSUMED_BAD path carries no acknowledgments until a probe on it gets its
 * response.
 */
static void mrc_ack_path_assumed_bad_not_picked(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);

	mrc_ack_path_proven(set, 5);
	mrc_ev_feedback(set, 5, MRC_EV_SIGNAL_RTO, 1);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xd0);
	mrc_ack_path_proven(set, 5);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
}

/* Probes go to the planes in turn, and to each path of a plane. */
static void mrc_ack_path_probes_every_path(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	u64 at = set->ack_paths.next;
	u32 seen = 0;
	int i, idx;

	KUNIT_EXPECT_EQ(test, at, MRC_ACK_PATH_PROBE_NS);
	for (i = 0; i < 20 * PATHS; i++) {
		at = set->ack_paths.next;
		idx = next_probe(test, set);
		KUNIT_ASSERT_GE(test, idx, 0);
		KUNIT_EXPECT_EQ(test, set->ev[idx].plane,
				set->plane_order[i % PLANES]);
		seen |= BIT(idx);
		KUNIT_EXPECT_EQ(test, set->ack_paths.next, at + RTT);
		mrc_ack_path_used(set);
	}
	KUNIT_EXPECT_EQ(test, seen, BIT(PATHS) - 1);
}

/*
 * Without a known round trip the interval doubles with each probe that is not
 * acknowledged, up to a limit; with a short one it has a lower bound.
 */
static void mrc_ack_path_unknown_rtt_backs_off(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	u64 at, interval = 0;
	u32 i, doubled = 0;
	int idx = -1;

	for (i = 0; i < 16 * PLANES; i++) {
		at = set->ack_paths.next;
		mrc_ack_path_used(set);
		idx = mrc_ack_path_probe(set, 0, at);
		KUNIT_ASSERT_GE(test, idx, 0);
		if (i)
			KUNIT_EXPECT_TRUE(test, set->ack_paths.next - at == interval ||
					  set->ack_paths.next - at == 2 * interval);
		doubled += i && set->ack_paths.next - at > interval;
		interval = set->ack_paths.next - at;
	}
	KUNIT_EXPECT_EQ(test, doubled, 8);
	KUNIT_EXPECT_EQ(test, interval, MRC_ACK_PATH_PROBE_NS << 8);
	for (i = 0; i < PLANES; i++)
		mrc_ack_path_proven(set, i * PER_PLANE);
	at = set->ack_paths.next;
	mrc_ack_path_used(set);
	mrc_ack_path_probe(set, 0, at);
	KUNIT_EXPECT_EQ(test, set->ack_paths.next, at + MRC_ACK_PATH_PROBE_NS);
	at = set->ack_paths.next;
	mrc_ack_path_used(set);
	mrc_ack_path_probe(set, MRC_ACK_PATH_PROBE_NS / 2, at);
	KUNIT_EXPECT_EQ(test, set->ack_paths.next, at + MRC_ACK_PATH_PROBE_NS);
}

/* A probe proves its path although another has been sent on it since. */
static void mrc_ack_path_earlier_probe_proves(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	struct mrc_pkt_sack sack = { .probe = true };

	sack.probe_id = mrc_ev_probe_sent(set, 5, 0);
	mrc_ev_probe_sent(set, 5, RTT / 2);
	mrc_ack_path_on_sack(set, &sack, RTT);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(5));
	/* Which of the two is acknowledged is known, when it was sent is not. */
	KUNIT_EXPECT_EQ(test, set->ack_paths.rtt, 0);
	mrc_ack_path_proven(set, 6);
	mrc_ack_path_on_sack(set, &sack, RTT);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(6));
}

static void mrc_ack_path_probes_only_good(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int i, idx;

	set->min_active = 0;
	for (i = 0; i < PATHS; i++)
		if (i != 6)
			mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	for (i = 0; i < PROBES; i++) {
		mrc_ack_path_used(set);
		KUNIT_EXPECT_EQ(test, next_probe(test, set), 6);
	}
	mrc_ev_deny(set, 6);
	mrc_ack_path_used(set);
	idx = next_probe(test, set);
	KUNIT_EXPECT_EQ(test, idx, -ENOENT);
}

/*
 * Probes on a plane get no response: acknowledgments for that plane are sent on
 * others.
 */
static void mrc_ack_path_silent_plane_replaced(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int i, idx;

	for (i = 0; i < 4 * PLANES; i++) {
		if (i == 3 * PLANES)
			KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), 0xf0);
		mrc_ack_path_used(set);
		idx = next_probe(test, set);
		KUNIT_ASSERT_GE(test, idx, 0);
		if (set->ev[idx].plane != 2)
			mrc_ack_path_proven(set, idx);
	}
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
	KUNIT_EXPECT_EQ(test, hweight32(picks(set, 2, PATHS)), PLANES - 1);
	mrc_ack_path_proven(set, 7);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS), BIT(7));
}

/*
 * No plane returns a probe response: acknowledgments leave their plane, of which a path
 * is proven, one time in three.
 */
static void mrc_ack_path_all_silent_try_planes(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int i;

	mrc_ack_path_proven(set, 5);
	for (i = 0; i < 4 * PLANES; i++) {
		mrc_ack_path_used(set);
		KUNIT_EXPECT_GE(test, next_probe(test, set), 0);
	}
	KUNIT_EXPECT_EQ(test, hweight32(picks(set, 2, 3 * PER_PLANE) & ~0xf0), PER_PLANE);
	KUNIT_EXPECT_EQ(test, picks(set, 2, 3 * PATHS), BIT(PATHS) - 1);
}

/* One path of each plane is in rotation; nothing of what it is sent arrives. */
static struct mrc_ev_set *silent_set(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .seed = 42, .n_active = PLANES };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	int i;

	mrc_ack_path_wake(set, 0);
	for (i = 0; i < 4 * PLANES; i++) {
		mrc_ack_path_used(set);
		KUNIT_EXPECT_GE(test, next_probe(test, set), 0);
	}
	KUNIT_EXPECT_EQ(test, set->n_active, PLANES);
	return set;
}

/*
 * No plane responds, and no path of a plane but the one in rotation would be tried: those
 * that are not in rotation take their turns, those of other planes, too.
 */
static void mrc_ack_path_all_silent_try_backups(struct kunit *test)
{
	struct mrc_ev_set *set = silent_set(test);
	u32 i, seen;

	KUNIT_EXPECT_EQ(test, picks(set, 2, 3 * PATHS), BIT(PATHS) - 1);
	for (i = 0; i < PER_PLANE - 1; i++)
		if (!mrc_ev_is_active(set->ev[i].state))
			mrc_ev_deny(set, i);
	mrc_ev_set_ports(set, U32_MAX ^ BIT(2), U32_MAX);
	seen = picks(set, 2, 6 * PATHS);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, seen >> i & 1,
				set->ev[i].plane != 3 &&
				set->ev[i].state != MRC_EV_DENIED);
}

/* Of the planes that do not respond one has a proven path, which has its share. */
static void mrc_ack_path_all_silent_use_proven(struct kunit *test)
{
	struct mrc_ev_set *set = silent_set(test);
	u32 i, count = 0, cursor = 0;

	WRITE_ONCE(set->ack_paths.plane[2].proven, 1 + 2 * PER_PLANE);
	for (i = 0; i < 9; i++)
		count += mrc_ack_path_pick(set, 2, MRC_ACK_PATH_OK, &cursor) ==
			 2 * PER_PLANE;
	KUNIT_EXPECT_GE(test, count, 3);
}

/* Acknowledgments get lost: two of three stay in rotation or proven, one does not. */
static void mrc_ack_path_lossy_tries_backups(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .seed = 42, .n_active = PLANES };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	u32 i, off = 0, cursor = 0;
	int idx;

	mrc_ack_path_wake(set, 0);
	for (i = 0; i < 3 * PATHS; i++) {
		idx = mrc_ack_path_pick(set, 2, MRC_ACK_PATH_LOSSY, &cursor);
		KUNIT_ASSERT_GE(test, idx, 0);
		off += !mrc_ev_is_active(set->ev[idx].state);
	}
	KUNIT_EXPECT_EQ(test, off, PATHS);
	KUNIT_EXPECT_EQ(test, hweight32(picks_health(set, 2, MRC_ACK_PATH_LOSSY,
						     3 * PATHS)),
			1 + PATHS - PLANES);
	KUNIT_EXPECT_EQ(test, hweight32(picks_health(set, 2, MRC_ACK_PATH_GAP,
						     3 * PATHS)), 1);
}

static void mrc_ack_path_data_replaces_probes(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int i, plane;

	for (i = 0; i < PROBES; i++) {
		mrc_ack_path_used(set);
		for (plane = 0; plane < PLANES; plane++)
			mrc_ack_path_sacked(set, plane * PER_PLANE);
		KUNIT_EXPECT_EQ(test, next_probe(test, set), -ENOENT);
		KUNIT_EXPECT_NE(test, set->ack_paths.next, 0);
	}
}

/* Data on other planes proves nothing about a plane that loses all packets. */
static void mrc_ack_path_data_of_other_planes(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int i, plane, idx, probes = 0;

	mrc_ack_path_sacked(set, PER_PLANE);
	for (i = 0; i < 5 * PLANES; i++) {
		mrc_ack_path_used(set);
		for (plane = 0; plane < PLANES; plane++)
			if (plane != 1)
				mrc_ack_path_sacked(set, plane * PER_PLANE);
		idx = next_probe(test, set);
		if (idx < 0)
			continue;
		KUNIT_EXPECT_EQ(test, set->ev[idx].plane, 2);
		probes++;
	}
	KUNIT_EXPECT_EQ(test, probes, 4);
	KUNIT_EXPECT_EQ(test, picks(set, 2, PATHS) & 0xf0, 0);
}

/*
 * No more data: one probe follows the last data received; probing stops when
 * its response has arrived.
 */
static void mrc_ack_path_idle_stops_probes(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int idx = next_probe(test, set);

	KUNIT_ASSERT_GE(test, idx, 0);
	mrc_ack_path_proven(set, idx);
	KUNIT_EXPECT_EQ(test, next_probe(test, set), -ENOENT);
	KUNIT_EXPECT_EQ(test, set->ack_paths.next, 0);
	KUNIT_EXPECT_TRUE(test, mrc_ack_path_used(set));
}

static void mrc_ack_path_no_response_stops_probes(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	int n = 0;

	while (next_probe(test, set) >= 0)
		n++;
	KUNIT_EXPECT_EQ(test, n, 1 + PROBES);
	KUNIT_EXPECT_EQ(test, set->ack_paths.next, 0);
}

/* A queue pair that is not yet in RTS sends probes and handles responses. */
static void mrc_ack_path_probes_before_rts(struct kunit *test)
{
	struct mrc_ev_set *set = responder_set(test);
	struct mrc_pkt_sack sack = { .probe = true };
	u64 at = set->ack_paths.next;
	struct mrc_probe p;

	KUNIT_EXPECT_FALSE(test, mrc_ack_path_next_probe(set, 0x123, at - 1,
							 &p));
	KUNIT_ASSERT_TRUE(test, mrc_ack_path_next_probe(set, 0x123, at, &p));
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.ev, set->ev[p.path].value);
	KUNIT_EXPECT_EQ(test, p.plane, set->ev[p.path].plane);
	KUNIT_EXPECT_EQ(test, set->ev[p.path].stats.probes, 1);
	sack.probe_id = p.probe_id + BIT(8);
	mrc_ack_path_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_NE(test, picks(set, p.plane, PATHS), BIT(p.path));
	sack.probe = false;
	sack.probe_id = p.probe_id;
	mrc_ack_path_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_NE(test, picks(set, p.plane, PATHS), BIT(p.path));
	sack.probe = true;
	mrc_ack_path_on_sack(set, &sack, at + RTT);
	KUNIT_EXPECT_EQ(test, picks(set, p.plane, PATHS), BIT(p.path));
	/* The probe interval is at least a round trip. */
	mrc_ack_path_used(set);
	at = set->ack_paths.next;
	KUNIT_EXPECT_TRUE(test, mrc_ack_path_next_probe(set, 0x123, at, &p));
	KUNIT_EXPECT_EQ(test, set->ack_paths.next, at + RTT);
}

/* Two simulated hosts. */

static const struct sim_setup receive_only = {
	.n_msgs = SIM_MSGS, .cc = &mrc_cc_fixed,
	.path = { .delay = 50 * SIM_US },
};

/* The plane of index 2 loses all acknowledgments from now on, but no data. */
static void fail_reverse_direction(struct sim *sim)
{
	u16 i;

	for (i = 0; i < sim->n_paths; i++) {
		if (i / 4 != 2)
			continue;
		sim->path[i].dead_dir = SIM_TO_REQUESTER;
		sim->path[i].dead_from = sim->now;
		sim->path[i].dead_to = SIM_NEVER;
	}
}

/*
 * Without probes a quarter of all acknowledgments would be lost permanently;
 * with probes they are lost only until the dead paths have been found.
 */
static void mrc_ack_path_acks_avoid_dead_paths(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u32 acks, lost;
	u64 seed;

	for (seed = 1; seed <= 20; seed++) {
		sim_init(sim, &receive_only, seed);
		sim->long_msgs = true;
		sim->ns_byte = 100;
		sim_run_until(sim, sim->now + 10 * SIM_MS);
		fail_reverse_direction(sim);
		sim_run_until(sim, sim->now + 400 * SIM_MS);
		acks = sim->acks_sent;
		lost = sim->acks_lost;
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_GT(test, sim->acks_sent, acks + 100);
		KUNIT_EXPECT_EQ(test, sim->acks_lost, lost);
		KUNIT_EXPECT_LT(test, lost, acks / 10);
		KUNIT_EXPECT_EQ(test, sim->req.stats.timeouts, 0);
		sim_free(sim);
	}
}

/*
 * A round trip takes longer than sixteen probes at the shortest interval, and the host
 * that only receives has none to begin with: it proves its paths all the same.
 */
static void mrc_ack_path_long_haul_proves(struct kunit *test)
{
	struct sim_setup setup = receive_only;
	struct sim *sim = sim_alloc(test);

	setup.path.delay = 100 * SIM_MS;
	setup.timeout = SIM_LONG;
	setup.planes = 1;
	setup.n_paths = 2;
	sim_init(sim, &setup, 1);
	sim_run_until(sim, sim->now + 2000 * SIM_MS);
	KUNIT_EXPECT_FALSE(test, sim_over(sim));
	KUNIT_EXPECT_GT(test, sim->peer_evs->ack_paths.plane[0].proven, 0);
	sim_free(sim);
}

/* Two idle hosts do not keep each other probing. */
static void mrc_ack_path_idle_hosts_stop_probes(struct kunit *test)
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
			div_u64(sim->end - sim->start, MRC_ACK_PATH_PROBE_NS) + 1);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->peer_req), 0);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->req), 0);
	sim_free(sim);
}

static struct kunit_case mrc_ack_path_cases[] = {
	KUNIT_CASE(mrc_ack_path_unproven_take_turns),
	KUNIT_CASE(mrc_ack_path_proven_preferred),
	KUNIT_CASE(mrc_ack_path_gap_tries_every_second),
	KUNIT_CASE(mrc_ack_path_lossy_tries_all),
	KUNIT_CASE(mrc_ack_path_lossy_skips_none),
	KUNIT_CASE(mrc_ack_path_idle_tries_every_second),
	KUNIT_CASE(mrc_ack_path_denied_not_picked),
	KUNIT_CASE(mrc_ack_path_assumed_bad_not_picked),
	KUNIT_CASE(mrc_ack_path_probes_every_path),
	KUNIT_CASE(mrc_ack_path_unknown_rtt_backs_off),
	KUNIT_CASE(mrc_ack_path_earlier_probe_proves),
	KUNIT_CASE(mrc_ack_path_probes_only_good),
	KUNIT_CASE(mrc_ack_path_silent_plane_replaced),
	KUNIT_CASE(mrc_ack_path_all_silent_try_planes),
	KUNIT_CASE(mrc_ack_path_all_silent_try_backups),
	KUNIT_CASE(mrc_ack_path_all_silent_use_proven),
	KUNIT_CASE(mrc_ack_path_lossy_tries_backups),
	KUNIT_CASE(mrc_ack_path_data_replaces_probes),
	KUNIT_CASE(mrc_ack_path_data_of_other_planes),
	KUNIT_CASE(mrc_ack_path_idle_stops_probes),
	KUNIT_CASE(mrc_ack_path_no_response_stops_probes),
	KUNIT_CASE(mrc_ack_path_probes_before_rts),
	KUNIT_CASE(mrc_ack_path_acks_avoid_dead_paths),
	KUNIT_CASE(mrc_ack_path_long_haul_proves),
	KUNIT_CASE(mrc_ack_path_idle_hosts_stop_probes),
	{}
};

static struct kunit_suite mrc_ack_path_suite = {
	.name = "mrc_ack_path",
	.test_cases = mrc_ack_path_cases,
};

kunit_test_suite(mrc_ack_path_suite);

MODULE_DESCRIPTION("KUnit tests of ACK paths");
MODULE_LICENSE("Dual BSD/GPL");
