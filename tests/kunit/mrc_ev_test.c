// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: choice of the next path, states of paths.
 */
#include <linux/errno.h>

#include "core/ev_overdue.h"
#include "mrc_ev_sample.h"

static const struct mrc_ev_cfg plain = { .seed = 1 };

static void mrc_ev_bad_set_refused(struct kunit *test)
{
	struct mrc_ev_cfg cfg = plain;
	struct mrc_ev_entry *e;
	struct mrc_ev_set *set;
	int i;

	e = kunit_kcalloc(test, MRC_EV_MAX, sizeof(*e), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e);
	for (i = 0; i < MRC_EV_MAX; i++)
		e[i] = (struct mrc_ev_entry){ .value = i, .plane = 1 };
	set = kunit_kzalloc(test, mrc_ev_set_size(MRC_EV_MAX), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, 0, &cfg), -EINVAL);
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, MRC_EV_MAX + 1, &cfg),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, MRC_EV_MAX, &cfg), 0);
	e[5].plane = MRC_PLANE_MAX;
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, MRC_EV_MAX, &cfg), 0);
	e[5].plane = 0;
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, MRC_EV_MAX, &cfg),
			-EINVAL);
	e[5].plane = MRC_PLANE_MAX + 1;
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, MRC_EV_MAX, &cfg),
			-EINVAL);
}

static void expect_auto(struct kunit *test, const struct mrc_ev_entry *e,
			u16 n, u32 ports)
{
	u32 count[MRC_PLANE_MAX] = {};
	u32 share = n / hweight32(ports);
	u16 i, j;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_TRUE(test, ports >> (e[i].plane - 1) & 1);
		KUNIT_EXPECT_FALSE(test, e[i].denied);
		KUNIT_EXPECT_GE(test, e[i].value & 0xffff, 0xc000);
		count[e[i].plane - 1]++;
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, e[i].value & 0xffff,
					e[j].value & 0xffff);
	}
	for (i = 0; i < MRC_PLANE_MAX; i++) {
		if (!(ports >> i & 1))
			continue;
		KUNIT_EXPECT_GE(test, count[i], share);
		KUNIT_EXPECT_LE(test, count[i], share + 1);
	}
}

/* Equal shares of the planes; distinct source ports, the only EV bits of IPv4. */
static void mrc_ev_auto_spreads(struct kunit *test)
{
	static const u32 ports[] = { 1, 5, 0xf, 0x80000000, U32_MAX };
	struct mrc_ev_entry *a, *b;
	int i;

	a = kunit_kcalloc(test, 2 * MRC_EV_AUTO, sizeof(*a), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a);
	b = a + MRC_EV_AUTO;
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		mrc_ev_auto(a, MRC_EV_AUTO, ports[i], 1);
		expect_auto(test, a, MRC_EV_AUTO, ports[i]);
	}
	mrc_ev_auto(b, MRC_EV_AUTO, U32_MAX, 2);
	for (i = 0; i < MRC_EV_AUTO; i++)
		if (a[i].value != b[i].value)
			return;
	KUNIT_FAIL(test, "QPs with different seeds use the same paths");
}

static void mrc_ev_auto_max(struct kunit *test)
{
	struct mrc_ev_entry *e;

	e = kunit_kcalloc(test, MRC_EV_MAX, sizeof(*e), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e);
	mrc_ev_auto(e, MRC_EV_MAX, 3, 7);
	expect_auto(test, e, MRC_EV_MAX, 3);
}

/* One pass uses every path once: exactly equal load while all are GOOD. */
static void mrc_ev_rotation_is_fair(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 count[PATHS];
	int i;

	ev_count(test, set, 50 * PATHS, count);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, count[i], 50);
}

/* Of two paths of a plane the one with less in flight is used. */
static void mrc_ev_less_in_flight_preferred(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 count[PATHS];

	set->ev[0].inflight = 100000;
	ev_count(test, set, 100 * PATHS, count);
	/* It is used when the random path is the same. */
	KUNIT_EXPECT_LE(test, count[0], 100 * 2 / PER_PLANE);
	KUNIT_EXPECT_GE(test, count[1], 100);
	/* Planes keep equal shares. */
	KUNIT_EXPECT_EQ(test, count[0] + count[1] + count[2] + count[3],
			100 * PER_PLANE);
}

static void mrc_ev_rotation_is_shuffled(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int first[PATHS], i, pass, differ = 0;

	for (i = 0; i < PATHS; i++)
		first[i] = mrc_lb_next(set, 0);
	for (pass = 0; pass < 10; pass++)
		for (i = 0; i < PATHS; i++)
			differ += mrc_lb_next(set, 0) != first[i];
	KUNIT_EXPECT_GT(test, differ, 10 * PATHS / 2);
}

static void expect_equal_planes(struct kunit *test, const u32 *count, u32 n)
{
	u32 plane, i, sum;

	for (plane = 0; plane < PLANES; plane++) {
		for (i = 0, sum = 0; i < PER_PLANE; i++)
			sum += count[plane * PER_PLANE + i];
		KUNIT_EXPECT_EQ(test, sum, n / PLANES);
	}
}

/* A path is replaced by one of its own plane (paper section 4). */
static void mrc_ev_bad_path_keeps_planes_equal(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 count[PATHS];
	int i;

	for (i = 0; i < PER_PLANE - 1; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	ev_count(test, set, 100 * PLANES, count);
	expect_equal_planes(test, count, 100 * PLANES);
	for (i = 0; i < PER_PLANE - 1; i++)
		KUNIT_EXPECT_EQ(test, count[i], 0);
}

static void mrc_ev_skip_misses_one_turn(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	const u16 idx = 6;
	u32 count[PATHS];
	int i;

	mrc_ev_feedback(set, idx, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	KUNIT_EXPECT_EQ(test, set->ev[idx].state, MRC_EV_SKIP);
	KUNIT_EXPECT_EQ(test, set->ev[idx].stats.ecn, 1);
	for (i = 0; i < 2 * PATHS; i++) {
		KUNIT_EXPECT_NE(test, mrc_lb_next(set, 0), idx);
		if (set->ev[idx].state == MRC_EV_GOOD)
			break;
	}
	KUNIT_EXPECT_EQ(test, set->ev[idx].state, MRC_EV_GOOD);
	ev_count(test, set, 2 * PATHS, count);
	KUNIT_EXPECT_GE(test, count[idx], 1);
}

/* A SKIP path misses its turn even if it is the only one of its plane. */
static void mrc_ev_skip_of_last_in_plane(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i, round;

	for (i = 1; i < PER_PLANE; i++)
		mrc_ev_deny(set, i);
	for (round = 0; round < 20; round++) {
		mrc_ev_feedback(set, 0, MRC_EV_SIGNAL_SKIP_ONCE, 0);
		KUNIT_ASSERT_EQ(test, set->ev[0].state, MRC_EV_SKIP);
		for (i = 0; i < PATHS && set->n_skip; i++)
			KUNIT_EXPECT_NE(test, mrc_lb_next(set, 0), 0);
		KUNIT_EXPECT_EQ(test, set->n_skip, 0);
	}
}

/* Marks on a path in SKIP are counted, but do not prolong the state. */
static void mrc_ev_skip_is_not_extended(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	for (i = 0; i < 5; i++)
		mrc_ev_feedback(set, 0, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	KUNIT_EXPECT_EQ(test, set->ev[0].stats.ecn, 5);
	KUNIT_EXPECT_EQ(test, set->n_skip, 1);
	for (i = 0; i < 2 * PATHS; i++)
		mrc_lb_next(set, 0);
	KUNIT_EXPECT_EQ(test, set->ev[0].state, MRC_EV_GOOD);
}

static void mrc_ev_restores_one_at_a_time(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u16 before;
	int i;

	for (i = 0; i < PATHS / 2; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	KUNIT_EXPECT_GT(test, set->n_skip, 1);
	for (i = 0; i < 4 * PATHS && set->n_skip; i++) {
		before = set->n_skip;
		KUNIT_ASSERT_GE(test, mrc_lb_next(set, 0), 0);
		KUNIT_EXPECT_LE(test, before - set->n_skip, 1);
	}
	KUNIT_EXPECT_EQ(test, set->n_skip, 0);
}

/* Marks on more than half of the paths do not distinguish paths (UEC). */
static void mrc_ev_mark_everywhere_is_ignored(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	for (i = 0; i < PATHS; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	KUNIT_EXPECT_LE(test, set->n_skip, PATHS / 2);
	for (i = 0; i < 10 * PATHS; i++) {
		int idx = mrc_lb_next(set, 0);

		KUNIT_ASSERT_GE(test, idx, 0);
		mrc_ev_feedback(set, idx, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	}
}

static void mrc_ev_trim_is_congestion(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	for (i = 0; i < 10; i++)
		mrc_ev_feedback(set, 3, MRC_EV_SIGNAL_TRIM, 0);
	KUNIT_EXPECT_EQ(test, set->ev[3].state, MRC_EV_SKIP);
	KUNIT_EXPECT_EQ(test, set->ev[3].stats.trims, 10);
}

static void mrc_ev_denied_is_never_used(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 count[PATHS];
	int i;

	mrc_ev_deny(set, 2);
	ev_count(test, set, 20 * PATHS, count);
	KUNIT_EXPECT_EQ(test, count[2], 0);
	expect_equal_planes(test, count, 20 * PATHS);

	/* Not even if no other path is GOOD. */
	set->min_active = 0;
	for (i = 0; i < PATHS; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	KUNIT_EXPECT_EQ(test, set->ev[2].state, MRC_EV_DENIED);
	ev_count(test, set, 20 * PATHS, count);
	KUNIT_EXPECT_EQ(test, count[2], 0);

	for (i = 0; i < PATHS; i++)
		mrc_ev_deny(set, i);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);

	mrc_ev_allow(set, 2);
	KUNIT_EXPECT_EQ(test, set->ev[2].state, MRC_EV_GOOD);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, 0), 2);
}

static void mrc_ev_starts_denied(struct kunit *test)
{
	struct mrc_ev_entry e[2] = {
		{ .value = 1, .plane = 1, .denied = true },
		{ .value = 2, .plane = 1 },
	};
	struct mrc_ev_set *set;
	int i;

	set = kunit_kzalloc(test, mrc_ev_set_size(2), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_EQ(test, mrc_ev_set_init(set, e, 2, &plain), 0);
	KUNIT_EXPECT_EQ(test, set->n_active, 1);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, mrc_lb_next(set, 0), 1);
}

static void expect_plane_unused(struct kunit *test, struct mrc_ev_set *set,
				u8 plane)
{
	u32 count[PATHS];
	int i;

	ev_count(test, set, 12 * PLANES * (PLANES - 1), count);
	for (i = 0; i < PATHS; i++)
		if (set->ev[i].plane == plane)
			KUNIT_EXPECT_EQ(test, count[i], 0);
}

/* All paths of a port leave and rejoin the rotation at once. */
static void mrc_ev_port_mask(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 count[PATHS];
	int i;

	mrc_ev_set_ports(set, U32_MAX ^ BIT(1), U32_MAX);
	expect_plane_unused(test, set, 2);
	mrc_ev_set_ports(set, U32_MAX, U32_MAX ^ BIT(2));
	expect_plane_unused(test, set, 3);
	mrc_ev_set_ports(set, 0x3, 0xc);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, 0), -ENOENT);
	mrc_ev_set_ports(set, 0x3, 0x6);
	for (i = 0; i < 3 * PER_PLANE; i++)
		KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, 0)].plane, 2);
	mrc_ev_set_ports(set, U32_MAX, U32_MAX);
	/* Count from the beginning of a round of the planes. */
	while (set->plane_cursor)
		mrc_lb_next(set, 0);
	ev_count(test, set, 10 * PATHS, count);
	expect_equal_planes(test, count, 10 * PATHS);
	KUNIT_EXPECT_EQ(test, set->n_active, PATHS);
}

/* ASSUMED_BAD paths are used if there is no other. */
static void mrc_ev_bad_used_if_no_other(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i, idx;

	set->min_active = 0;
	for (i = 0; i < PATHS - 1; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	for (i = 0; i < 2 * PATHS; i++)
		KUNIT_EXPECT_EQ(test, mrc_lb_next(set, 0), PATHS - 1);
	mrc_ev_feedback(set, PATHS - 1, MRC_EV_SIGNAL_RTO, 0);
	KUNIT_EXPECT_EQ(test, set->n_active, 0);
	for (i = 0; i < 2 * PATHS; i++) {
		idx = mrc_lb_next(set, 0);
		KUNIT_EXPECT_TRUE(test, idx >= 0 && idx < PATHS);
	}
}

/* Effect of lost packets on the state of a path. */

static void mrc_ev_second_loss_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_LOSS, 0);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_SKIP);
	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_LOSS, 0);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_EQ(test, set->ev[1].stats.losses, 2);
	KUNIT_EXPECT_EQ(test, set->ev[1].stats.bad, 1);
}

static void mrc_ev_ack_clears_strike(struct kunit *test)
{
	static const enum mrc_ev_signal acks[] = {
		MRC_EV_SIGNAL_ACK, MRC_EV_SIGNAL_SKIP_ONCE,
		MRC_EV_SIGNAL_SPURIOUS,
	};
	struct mrc_ev_set *set = ev_set(test);
	int i, j;

	for (i = 0; i < ARRAY_SIZE(acks); i++) {
		for (j = 0; j < 5; j++) {
			mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_LOSS, 0);
			mrc_ev_feedback(set, 1, acks[i], 0);
		}
		KUNIT_EXPECT_NE(test, set->ev[1].state, MRC_EV_ASSUMED_BAD);
	}
}

static void mrc_ev_rto_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_RTO, 0);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_EQ(test, set->ev[1].stats.timeouts, 1);
	mrc_ev_feedback(set, 2, MRC_EV_SIGNAL_ALWAYS_SKIP, 0);
	KUNIT_EXPECT_EQ(test, set->ev[2].state, MRC_EV_ASSUMED_BAD);
	/* Neither a mark nor a late acknowledgment restores it. */
	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_SKIP_ONCE, 0);
	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_ACK, 0);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_ASSUMED_BAD);
}

static void mrc_ev_spurious_restores_path(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_RTO, 0);
	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_SPURIOUS, 0);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_GOOD);
	KUNIT_EXPECT_EQ(test, set->n_active, PATHS);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);
}

/* min_active: an outage of the whole network must not make all paths ASSUMED_BAD. */
static void mrc_ev_min_active_holds(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	for (i = 0; i < PATHS; i++) {
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_ALWAYS_SKIP, 0);
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, 0);
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, 0);
	}
	KUNIT_EXPECT_EQ(test, set->n_active, PLANES);
}

/* min_active does not count planes whose port is down. */
static void mrc_ev_min_active_counts_usable(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	mrc_ev_set_ports(set, 1, U32_MAX);
	for (i = 0; i < PER_PLANE; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	KUNIT_EXPECT_EQ(test, set->n_bad, PER_PLANE - 1);
	KUNIT_EXPECT_EQ(test, set->n_skip, 1);
}

/*
 * A retransmission does not take one dead path after the other while a working
 * path is known, even if there is only one.
 */
static void mrc_ev_rtx_avoids_lossy_paths(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i, lost = 0;

	for (i = 0; i < PATHS; i++)
		if (i % PER_PLANE)
			mrc_ev_deny(set, i);
	for (i = 0; i < PATHS; i++)
		if (i != 2 * PER_PLANE)
			mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	KUNIT_EXPECT_EQ(test, set->n_active, PLANES);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 0, 0),
				2 * PER_PLANE);

	/* Once that path has lost a packet too, the one acknowledged last. */
	mrc_ev_feedback(set, 2 * PER_PLANE, MRC_EV_SIGNAL_LOSS, 0);
	for (i = 0; i < PATHS; i++)
		mrc_lb_next(set, 0);
	set->ev[2 * PER_PLANE].acked_sent = 2;
	set->ev[PER_PLANE].acked_sent = 1;
	for (i = 0; i < 100; i++) {
		lost = mrc_lb_next_rtx(set, lost, 0);
		KUNIT_EXPECT_EQ(test, lost,
				i % 2 ? PER_PLANE : 2 * PER_PLANE);
	}

	/* The others have lost more: the same path again. */
	for (i = 0; i < PATHS; i++)
		if (i != 2 * PER_PLANE)
			mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, 0);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 2 * PER_PLANE, 0),
			2 * PER_PLANE);

	/* Only one path may be used: the same path again. */
	mrc_ev_set_ports(set, 1, 1);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 0, 0), 0);
	mrc_ev_set_ports(set, 0, 1);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 0, 0), -ENOENT);
}

/*
 * A reliability probe takes the path acknowledged last, on another plane if
 * possible, that has no unacknowledged probe; if all have one, the path probed
 * longest ago.
 */
static void mrc_ev_probe_takes_last_acked(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 i;

	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), -ENOENT);
	mrc_ev_acked(set, 1, 30);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), 1);
	mrc_ev_acked(set, PER_PLANE, 10);
	mrc_ev_acked(set, PER_PLANE + 1, 20);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), PER_PLANE + 1);
	mrc_ev_probe_sent(set, PER_PLANE + 1, 40);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), PER_PLANE);
	mrc_ev_acked(set, PER_PLANE + 1, 41);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), PER_PLANE + 1);
	mrc_ev_feedback(set, PER_PLANE + 1, MRC_EV_SIGNAL_RTO, 50);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), PER_PLANE);
	mrc_ev_set_ports(set, U32_MAX ^ BIT(1), U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), 1);
	for (i = 0; i < PATHS; i++) {
		mrc_ev_acked(set, i, 99);
		mrc_ev_probe_sent(set, i, 100 + (i + 3) % PER_PLANE);
	}
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), 1);
	mrc_ev_probe_sent(set, 1, 200);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), 2 * PER_PLANE + 1);
	mrc_ev_set_ports(set, 0, U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_probe(set, 0), -ENOENT);
}

/*
 * If each path has lost something, retransmissions are spread over all of them.
 */
static void mrc_ev_rtx_spreads_over_paths(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 i, seen = 0;
	int path;

	for (i = 0; i < PATHS; i++) {
		mrc_ev_acked(set, i, 1 + i);
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, 0);
	}
	mrc_ev_set_ports(set, 1, U32_MAX);
	for (i = 0; i < PER_PLANE; i++) {
		path = mrc_lb_next_rtx(set, 0, 0);
		KUNIT_ASSERT_GE(test, path, 0);
		seen |= BIT(path);
		mrc_ev_overdue_sent(set, path, (i + 1) << MRC_EV_OVERDUE_SHIFT);
	}
	KUNIT_EXPECT_EQ(test, seen, BIT(PER_PLANE) - 1);
	/* Then the path used longest ago, by data or by a probe. */
	mrc_ev_probe_sent(set, 1, 100ULL << MRC_EV_OVERDUE_SHIFT);
	for (i = 0; i < PER_PLANE - 1; i++) {
		path = mrc_lb_next_rtx(set, 0, 0);
		KUNIT_EXPECT_NE(test, path, 1);
		mrc_ev_overdue_sent(set, path, (200ULL + i) << MRC_EV_OVERDUE_SHIFT);
	}
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 0, 0), 1);
}

/* More than one path of a plane may be dead: retransmit on another plane. */
static void mrc_ev_rtx_takes_other_plane(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i, idx;

	for (i = 0; i < 100; i++) {
		idx = mrc_lb_next_rtx(set, i % PATHS, 0);
		KUNIT_ASSERT_GE(test, idx, 0);
		KUNIT_EXPECT_NE(test, set->ev[idx].plane,
				set->ev[i % PATHS].plane);
	}
	/* A path without losses is preferred, even if it is of the same plane. */
	for (i = PER_PLANE; i < PATHS; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, 0);
	for (i = 0; i < 100; i++) {
		idx = mrc_lb_next_rtx(set, 0, 0);
		KUNIT_EXPECT_GT(test, idx, 0);
		KUNIT_EXPECT_LT(test, idx, PER_PLANE);
	}
}

/* A dead plane is detected before each of its paths has lost two packets. */
static void mrc_ev_dead_plane_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	mrc_ev_acked(set, 0, 10);
	mrc_ev_acked(set, PER_PLANE, 30);
	mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, 11, 40);
	mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_LOSS, 12, 40);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	mrc_ev_feedback_at(set, 3, MRC_EV_SIGNAL_LOSS, 13, 40);
	KUNIT_EXPECT_EQ(test, set->n_bad, PER_PLANE);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, set->ev[i].state, i < PER_PLANE ?
				MRC_EV_ASSUMED_BAD : MRC_EV_GOOD);
}

/* The backups of a dead plane become ASSUMED_BAD, too. */
static void mrc_ev_dead_plane_backups_bad(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .seed = 42, .n_active = PATHS / 2 };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	int i;

	mrc_ev_acked(set, PER_PLANE, 30);
	for (i = 0; i < 3; i++)
		mrc_ev_feedback_at(set, i, MRC_EV_SIGNAL_LOSS, 10 + i, 40);
	KUNIT_EXPECT_EQ(test, set->n_bad, PER_PLANE);
	KUNIT_EXPECT_EQ(test, set->planes[0].n_active, 0);
}

/* Losses that do not condemn the plane, only their paths or none. */
static void mrc_ev_losses_of_single_paths(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	/* A packet sent later on the plane has been acknowledged. */
	mrc_ev_acked(set, 0, 20);
	mrc_ev_acked(set, PER_PLANE, 30);
	for (i = 0; i < 3; i++)
		mrc_ev_feedback_at(set, i, MRC_EV_SIGNAL_LOSS, 10 + i, 40);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	/* Acknowledged between the losses. */
	mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_SPURIOUS, 0, 40);
	mrc_ev_feedback_at(set, 3, MRC_EV_SIGNAL_LOSS, 21, 40);
	mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, 22, 40);
	mrc_ev_acked(set, 3, 23);
	mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_SPURIOUS, 0, 40);
	mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_LOSS, 24, 40);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	/* A lost burst, all on one path, is one strike against it. */
	set = ev_set(test);
	mrc_ev_acked(set, PER_PLANE, 30 * US);
	for (i = 0; i < 10; i++)
		mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_LOSS, 25 * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	/* A second one condemns that path only. */
	mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_LOSS, 27 * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->n_bad, 1);
	/* No other plane has had acknowledgments since. */
	for (i = PER_PLANE; i < 2 * PER_PLANE; i++)
		mrc_ev_feedback_at(set, i, MRC_EV_SIGNAL_LOSS, 35 * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->n_bad, 1);
}

/*
 * One path in sixteen works: the last path of each other plane is dead and must
 * not be kept in rotation because it is the last.
 */
static void mrc_ev_last_working_path_kept(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	struct mrc_ev_cfg cfg = { .seed = 42, .min_active = PLANES };
	int i, loss;

	mrc_ev_acked(set, 5, 30 * US);
	for (loss = 0; loss < 2; loss++)
		for (i = 0; i < PATHS; i++)
			if (i != 5)
				mrc_ev_feedback_at(set, i, MRC_EV_SIGNAL_LOSS,
						   (20 + 2 * loss) * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->n_active, 1);
	/* The working path is not given up: no path would be left. */
	mrc_ev_feedback_at(set, 5, MRC_EV_SIGNAL_RTO, 31 * US, 50 * US);
	KUNIT_EXPECT_EQ(test, set->n_active, 1);

	/* Unless the operator has configured min_active. */
	set = ev_set_cfg(test, &cfg);
	mrc_ev_acked(set, 5, 30 * US);
	for (loss = 0; loss < 2; loss++)
		for (i = 0; i < PATHS; i++)
			if (i != 5)
				mrc_ev_feedback_at(set, i, MRC_EV_SIGNAL_LOSS,
						   (20 + 2 * loss) * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->n_active, PLANES);
}

/* Losses on a masked port are no strikes against its paths. */
static void mrc_ev_loss_on_masked_port_ignored(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	mrc_ev_set_ports(set, U32_MAX ^ BIT(0), U32_MAX);
	for (i = 0; i < 4; i++) {
		mrc_ev_feedback(set, 0, MRC_EV_SIGNAL_LOSS, 0);
		mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_RTO, 0);
	}
	mrc_ev_set_ports(set, U32_MAX, U32_MAX);
	KUNIT_EXPECT_EQ(test, set->ev[0].state, MRC_EV_GOOD);
	KUNIT_EXPECT_EQ(test, set->ev[1].state, MRC_EV_GOOD);
}

/* Control packets. */

static void mrc_ev_pick_prefers_plane(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u16 cursor = 12345;
	u8 plane;
	int i, idx;

	for (plane = 1; plane <= PLANES; plane++) {
		for (i = 0; i < 2 * PATHS; i++) {
			idx = mrc_ev_pick(set, plane, &cursor);
			KUNIT_ASSERT_GE(test, idx, 0);
			KUNIT_EXPECT_EQ(test, set->ev[idx].plane, plane);
		}
	}
	mrc_ev_set_ports(set, U32_MAX ^ BIT(1), U32_MAX);
	for (i = 0; i < 2 * PATHS; i++) {
		idx = mrc_ev_pick(set, 2, &cursor);
		KUNIT_ASSERT_GE(test, idx, 0);
		KUNIT_EXPECT_NE(test, set->ev[idx].plane, 2);
	}
	mrc_ev_set_ports(set, 0, U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_ev_pick(set, 2, &cursor), -ENOENT);
}

static void mrc_ev_pick_avoids_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u16 cursor = 0;
	int i, idx;

	set->min_active = 0;
	mrc_ev_deny(set, PATHS - 1);
	for (i = 0; i < PATHS - 2; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, 0);
	/* A GOOD path of another plane. */
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, mrc_ev_pick(set, 1, &cursor), PATHS - 2);
	mrc_ev_feedback(set, PATHS - 2, MRC_EV_SIGNAL_RTO, 0);
	for (i = 0; i < PATHS; i++) {
		idx = mrc_ev_pick(set, 0, &cursor);
		KUNIT_EXPECT_TRUE(test, idx >= 0 && idx != PATHS - 1);
	}
	for (i = 0; i < PATHS; i++)
		mrc_ev_deny(set, i);
	KUNIT_EXPECT_EQ(test, mrc_ev_pick(set, 0, &cursor), -ENOENT);
}

static void mrc_ev_pick_spreads(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 seen = 0;
	u16 cursor = 3;
	int i;

	for (i = 0; i < PATHS; i++)
		seen |= BIT(mrc_ev_pick(set, 0, &cursor));
	KUNIT_EXPECT_EQ(test, seen, BIT(PATHS) - 1);
}

/* An upper bound of the round trip is used until there is a sample. */
static void mrc_ev_rtt_bound_until_sample(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_rtt_bound(set, 0, 500);
	mrc_ev_rtt_bound(set, 0, 700);
	KUNIT_EXPECT_EQ(test, set->ev[0].srtt, 500);
	mrc_ev_rtt_bound(set, 0, 300);
	KUNIT_EXPECT_EQ(test, set->ev[0].srtt, 300);
	mrc_ev_rtt(set, 0, 80);
	KUNIT_EXPECT_EQ(test, set->ev[0].srtt, 80);
	mrc_ev_rtt_bound(set, 0, 40);
	KUNIT_EXPECT_EQ(test, set->ev[0].srtt, 80);
	mrc_ev_rtt(set, 0, 160);
	KUNIT_EXPECT_EQ(test, set->ev[0].srtt, 90);
}

static void mrc_ev_find_by_value(struct kunit *test)
{
	struct mrc_ev_entry e[] = {
		{ .value = 0xaaaac001, .plane = 1 },
		{ .value = 0xbbbbc002, .plane = 1 },
		{ .value = 0x0000c002, .plane = 1 },
	};
	struct mrc_ev_set *set;

	set = kunit_kzalloc(test, mrc_ev_set_size(3), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_EQ(test, mrc_ev_set_init(set, e, 3, &plain), 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0xaaaac001), 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0xbbbbc002), 1);
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0xaaaac002), -ENOENT);
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0xc003), -ENOENT);
	/* IPv4 reflects the port only; a match of the whole value has precedence. */
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0x0000c001), 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_find(set, 0x0000c002), 2);
}

static struct kunit_case mrc_ev_cases[] = {
	KUNIT_CASE(mrc_ev_bad_set_refused),
	KUNIT_CASE(mrc_ev_auto_spreads),
	KUNIT_CASE(mrc_ev_auto_max),
	KUNIT_CASE(mrc_ev_rotation_is_fair),
	KUNIT_CASE(mrc_ev_less_in_flight_preferred),
	KUNIT_CASE(mrc_ev_rotation_is_shuffled),
	KUNIT_CASE(mrc_ev_bad_path_keeps_planes_equal),
	KUNIT_CASE(mrc_ev_skip_misses_one_turn),
	KUNIT_CASE(mrc_ev_skip_of_last_in_plane),
	KUNIT_CASE(mrc_ev_skip_is_not_extended),
	KUNIT_CASE(mrc_ev_restores_one_at_a_time),
	KUNIT_CASE(mrc_ev_mark_everywhere_is_ignored),
	KUNIT_CASE(mrc_ev_trim_is_congestion),
	KUNIT_CASE(mrc_ev_denied_is_never_used),
	KUNIT_CASE(mrc_ev_starts_denied),
	KUNIT_CASE(mrc_ev_port_mask),
	KUNIT_CASE(mrc_ev_bad_used_if_no_other),
	KUNIT_CASE(mrc_ev_second_loss_assumed_bad),
	KUNIT_CASE(mrc_ev_ack_clears_strike),
	KUNIT_CASE(mrc_ev_rto_assumed_bad),
	KUNIT_CASE(mrc_ev_spurious_restores_path),
	KUNIT_CASE(mrc_ev_min_active_holds),
	KUNIT_CASE(mrc_ev_min_active_counts_usable),
	KUNIT_CASE(mrc_ev_rtx_avoids_lossy_paths),
	KUNIT_CASE(mrc_ev_probe_takes_last_acked),
	KUNIT_CASE(mrc_ev_rtx_spreads_over_paths),
	KUNIT_CASE(mrc_ev_rtx_takes_other_plane),
	KUNIT_CASE(mrc_ev_dead_plane_assumed_bad),
	KUNIT_CASE(mrc_ev_dead_plane_backups_bad),
	KUNIT_CASE(mrc_ev_losses_of_single_paths),
	KUNIT_CASE(mrc_ev_last_working_path_kept),
	KUNIT_CASE(mrc_ev_loss_on_masked_port_ignored),
	KUNIT_CASE(mrc_ev_pick_prefers_plane),
	KUNIT_CASE(mrc_ev_pick_avoids_bad),
	KUNIT_CASE(mrc_ev_pick_spreads),
	KUNIT_CASE(mrc_ev_rtt_bound_until_sample),
	KUNIT_CASE(mrc_ev_find_by_value),
	{}
};

static struct kunit_suite mrc_ev_suite = {
	.name = "mrc_ev",
	.test_cases = mrc_ev_cases,
};

kunit_test_suite(mrc_ev_suite);

MODULE_DESCRIPTION("KUnit tests of path selection and path states");
MODULE_LICENSE("Dual BSD/GPL");
