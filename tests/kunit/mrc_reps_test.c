// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Load balancer REPS: recycles the paths of acknowledged packets.
 */
#include <linux/errno.h>

#include "core/lb.h"
#include "mrc_req_sample.h"

#define FREEZE		(100 * MS)

static struct mrc_ev_set *reps_set(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .lb = &mrc_lb_reps, .seed = 42 };

	return ev_set_cfg(test, &cfg);
}

/* A set in which only the plane of paths 0 .. PER_PLANE - 1 is usable. */
static struct mrc_ev_set *one_plane(struct kunit *test)
{
	struct mrc_ev_set *set = reps_set(test);

	mrc_ev_set_ports(set, 1, U32_MAX);
	return set;
}

/* A burst of a path is acknowledged, and nothing is said about a mark. */
static void acked(struct mrc_ev_set *set, u16 idx)
{
	mrc_lb_delivered(set, idx, T0 - 1);
}

/* A SACK tells that a packet of a burst was marked. */
static void marked(struct mrc_ev_set *set, u16 idx)
{
	mrc_ev_feedback_at(set, idx, MRC_EV_SIGNAL_SKIP_ONCE, T0 - 2, T0);
	mrc_lb_delivered(set, idx, T0 - 2);
}

static void mrc_reps_found_by_name(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, mrc_lb_find("reps"), &mrc_lb_reps);
	KUNIT_EXPECT_PTR_EQ(test, mrc_lb_find("rotation"), &mrc_lb_rotation);
	KUNIT_EXPECT_NULL(test, mrc_lb_find("rep"));
	KUNIT_EXPECT_PTR_EQ(test, ev_set(test)->ops, &mrc_lb_rotation);
	KUNIT_EXPECT_PTR_EQ(test, reps_set(test)->ops, &mrc_lb_reps);
}

/* Without acknowledgments paths rotate. */
static void mrc_reps_rotates_without_acks(struct kunit *test)
{
	struct mrc_ev_set *set = reps_set(test);
	u32 count[PATHS];
	int i;

	ev_count(test, set, 50 * PATHS, count);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, count[i], 50);
}

/* The oldest acknowledgment first, each of them once. */
static void mrc_reps_recycles_in_order_of_acks(struct kunit *test)
{
	static const u16 acks[] = { 2, 0, 2, 2, 1 };
	struct mrc_ev_set *set = one_plane(test);
	u32 count[PATHS];
	int i;

	for (i = 0; i < ARRAY_SIZE(acks); i++)
		acked(set, acks[i]);
	for (i = 0; i < ARRAY_SIZE(acks); i++)
		KUNIT_EXPECT_EQ(test, mrc_lb_next(set, T0), acks[i]);
	ev_count(test, set, 3 * PER_PLANE, count);
	for (i = 0; i < PER_PLANE; i++)
		KUNIT_EXPECT_EQ(test, count[i], 3);
}

/* A full cache keeps the latest acknowledgments. */
static void mrc_reps_keeps_latest_acks(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);
	int i;

	for (i = 0; i < 100; i++)
		acked(set, 3);
	for (i = 0; i < MRC_REPS_CACHE; i++)
		acked(set, i % 3);
	for (i = 0; i < MRC_REPS_CACHE; i++)
		KUNIT_EXPECT_EQ(test, mrc_lb_next(set, T0), i % 3);
	for (i = 0; i < PER_PLANE; i++)
		if (mrc_lb_next(set, T0) == 3)
			return;
	KUNIT_FAIL(test, "an empty cache does not rotate: path 3 is not used");
}

/* The path of a mark, a trim or a loss rotates, but is not recycled. */
static void mrc_reps_marked_is_not_recycled(struct kunit *test)
{
	static const enum mrc_ev_signal signals[] = {
		MRC_EV_SIGNAL_SKIP_ONCE, MRC_EV_SIGNAL_TRIM, MRC_EV_SIGNAL_LOSS,
	};
	struct mrc_ev_set *set = one_plane(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		mrc_ev_feedback(set, 1, signals[i], T0);
	KUNIT_EXPECT_EQ(test, set->planes[0].reps.n_cached, 0);
	acked(set, 2);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, T0), 2);
}

/* A mark is about one burst. */
static void mrc_reps_other_burst_is_recycled(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);

	marked(set, 1);
	KUNIT_EXPECT_EQ(test, set->planes[0].reps.n_valid, 0);
	acked(set, 1);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, T0), 1);
}

/* Paths that hold little of this connection, because others fill them, get no more. */
static void mrc_reps_explores_equally(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);
	u32 count[PATHS];
	int i;

	for (i = 1; i < PER_PLANE; i++)
		set->ev[i].inflight = 100000;
	ev_count(test, set, 50 * PER_PLANE, count);
	for (i = 0; i < PER_PLANE; i++)
		KUNIT_EXPECT_EQ(test, count[i], 50);
}

static u32 n_recyclable(const struct mrc_ev_set *set)
{
	u32 i, n = 0;

	for (i = 0; i < set->n_planes; i++)
		n += set->planes[i].reps.n_valid;
	return n;
}

/*
 * Send @bursts bursts, and acknowledge all with one SACK of mark @mark.  Returns how
 * many paths may be reused.
 */
static u32 recyclable_after(struct kunit *test, u32 bursts, u8 mark)
{
	struct rig *r = rig(test);
	struct mrc_pkt_sack s = { .sack_offset = 1, .mark = mark };
	const struct sent *last;

	mrc_lb_set(r->evs, &mrc_lb_reps);
	post(r, 1, 0, bursts * r->req.cfg.burst * PMTU);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->bursts, bursts);
	last = &r->sent[r->n - 1];
	s.cack_psn = last->pkt.psn;
	s.entropy = r->evs->ev[last->path].value;
	s.tx_ts = last->pkt.tx_ts;
	r->now += MS;
	rx_sack(r, &s);
	return n_recyclable(r->evs);
}

/* A SACK names one path, and acknowledges bursts of others. */
static void mrc_reps_recycles_all_bursts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, recyclable_after(test, 6, MRC_MARK_NONE), 6);
	KUNIT_EXPECT_EQ(test, recyclable_after(test, 6, MRC_MARK_SKIP_ONCE), 5);
}

/* Nor is the path of a burst reused of which a packet was trimmed. */
static void mrc_reps_trimmed_burst_is_not_recycled(struct kunit *test)
{
	struct rig *r = rig(test);
	const struct sent *second;

	mrc_lb_set(r->evs, &mrc_lb_reps);
	post(r, 1, 0, 2 * PMTU);
	send_all(r);
	KUNIT_ASSERT_EQ(test, r->bursts, 1);
	r->now += MS;
	second = &r->sent[1];
	rx_nack(r, second->pkt.psn, r->evs->ev[second->path].value,
		MRC_NACK_TRIMMED);
	sack_for(r, &r->sent[0], r->sent[0].pkt.psn, 0);
	KUNIT_EXPECT_EQ(test, n_recyclable(r->evs), 0);
}

static void mrc_reps_bad_is_not_recycled(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);
	int i;

	for (i = 0; i < 3; i++)
		acked(set, i);
	mrc_ev_feedback(set, 0, MRC_EV_SIGNAL_RTO, T0);
	mrc_ev_deny(set, 1);
	KUNIT_EXPECT_EQ(test, mrc_lb_next(set, T0 + FREEZE), 2);
	/* A later acknowledgment does not make it recyclable. */
	acked(set, 0);
	acked(set, 1);
	KUNIT_EXPECT_EQ(test, set->planes[0].reps.n_valid, 0);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_GE(test, mrc_lb_next(set, T0 + FREEZE), 2);
}

/* If only one plane has acknowledgments it does not get more than its share. */
static void mrc_reps_planes_stay_equal(struct kunit *test)
{
	struct mrc_ev_set *set = reps_set(test);
	u32 plane[PLANES] = {};
	int i, idx;

	for (i = 0; i < 100 * PLANES; i++) {
		idx = mrc_lb_next(set, T0);
		KUNIT_ASSERT_GE(test, idx, 0);
		plane[idx / PER_PLANE]++;
		if (idx < PER_PLANE)
			acked(set, idx);
		else
			marked(set, idx);
	}
	for (i = 0; i < PLANES; i++)
		KUNIT_EXPECT_EQ(test, plane[i], 100);
}

/* Less than 1/10 of its share goes to a path that is always congested. */
static void mrc_reps_leaves_congested_path(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);
	int flight[2 * PER_PLANE];
	u32 i, congested = 0;

	for (i = 0; i < ARRAY_SIZE(flight); i++)
		flight[i] = mrc_lb_next(set, T0);
	for (i = 0; i < 1000; i++) {
		int *f = &flight[i % ARRAY_SIZE(flight)];

		if (*f)
			acked(set, *f);
		else
			marked(set, 0);
		*f = mrc_lb_next(set, T0);
		congested += !*f;
	}
	KUNIT_EXPECT_LE(test, congested, 1000 / PER_PLANE / 10);
}

/* After an RTO only recycled paths of its plane are used for FREEZE ns. */
static void mrc_reps_rto_freezes_plane(struct kunit *test)
{
	struct mrc_ev_set *set = reps_set(test);
	u32 seen = 0;
	int i, idx;

	acked(set, 0);
	acked(set, 1);
	acked(set, PER_PLANE);
	mrc_ev_feedback(set, 3, MRC_EV_SIGNAL_RTO, T0);
	for (i = 0; i < 10 * PATHS; i++) {
		idx = mrc_lb_next(set, T0 + FREEZE - 1);
		KUNIT_ASSERT_GE(test, idx, 0);
		seen |= BIT(idx);
	}
	KUNIT_EXPECT_EQ(test, seen & (BIT(PER_PLANE) - 1), 3);
	KUNIT_EXPECT_EQ(test, seen >> PER_PLANE, BIT(PATHS - PER_PLANE) - 1);

	for (i = 0, seen = 0; i < 10 * PATHS; i++)
		seen |= BIT(mrc_lb_next(set, T0 + FREEZE));
	KUNIT_EXPECT_EQ(test, seen & (BIT(PER_PLANE) - 1), 7);
}

/* A second loss in a row freezes the plane, the first does not. */
static void mrc_reps_second_loss_freezes_plane(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);

	mrc_ev_feedback(set, 3, MRC_EV_SIGNAL_LOSS, T0);
	KUNIT_EXPECT_EQ(test, set->planes[0].reps.frozen_until, 0);
	mrc_ev_feedback(set, 3, MRC_EV_SIGNAL_LOSS, T0);
	KUNIT_EXPECT_EQ(test, set->planes[0].reps.frozen_until, T0 + FREEZE);
}

/* If all recycled paths have failed other paths are used. */
static void mrc_reps_frozen_explores_if_none_good(struct kunit *test)
{
	struct mrc_ev_set *set = one_plane(test);
	int i, idx;

	acked(set, 0);
	acked(set, 1);
	mrc_ev_feedback(set, 0, MRC_EV_SIGNAL_RTO, T0);
	mrc_ev_deny(set, 1);
	for (i = 0; i < 20; i++) {
		idx = mrc_lb_next(set, T0);
		KUNIT_EXPECT_TRUE(test, idx == 2 || idx == 3);
	}
}

static struct kunit_case mrc_reps_cases[] = {
	KUNIT_CASE(mrc_reps_found_by_name),
	KUNIT_CASE(mrc_reps_rotates_without_acks),
	KUNIT_CASE(mrc_reps_recycles_in_order_of_acks),
	KUNIT_CASE(mrc_reps_keeps_latest_acks),
	KUNIT_CASE(mrc_reps_marked_is_not_recycled),
	KUNIT_CASE(mrc_reps_other_burst_is_recycled),
	KUNIT_CASE(mrc_reps_explores_equally),
	KUNIT_CASE(mrc_reps_recycles_all_bursts),
	KUNIT_CASE(mrc_reps_trimmed_burst_is_not_recycled),
	KUNIT_CASE(mrc_reps_bad_is_not_recycled),
	KUNIT_CASE(mrc_reps_planes_stay_equal),
	KUNIT_CASE(mrc_reps_leaves_congested_path),
	KUNIT_CASE(mrc_reps_rto_freezes_plane),
	KUNIT_CASE(mrc_reps_second_loss_freezes_plane),
	KUNIT_CASE(mrc_reps_frozen_explores_if_none_good),
	{}
};

static struct kunit_suite mrc_reps_suite = {
	.name = "mrc_reps",
	.test_cases = mrc_reps_cases,
};

kunit_test_suite(mrc_reps_suite);

MODULE_DESCRIPTION("KUnit tests of the load balancer REPS");
MODULE_LICENSE("Dual BSD/GPL");
