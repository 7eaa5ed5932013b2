// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Overdue paths are passed over until an acknowledgment arrives.
 */
#include <kunit/test.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "mrc_ev_sample.h"

#define RTT	(100 * US)
#define SLACK	(20 * US)
/* Deadline for an acknowledgment of what was sent at T0, give or take a tick. */
#define T0	(1000 * US)
#define TICKS	(4 * US)
#define IN_TIME	(T0 + RTT + SLACK - TICKS)
#define TOO_LATE (T0 + RTT + SLACK + TICKS)
#define CHOICES	(8 * PATHS)

static struct mrc_ev_set *measured(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u16 i;

	for (i = 0; i < PATHS; i++)
		mrc_ev_rtt(set, i, RTT);
	set->rtt_slack = SLACK;
	return set;
}

/* Bitmap of the paths that are chosen at @now. */
static u32 chosen(struct mrc_ev_set *set, u64 now)
{
	u32 seen = 0, i;

	for (i = 0; i < CHOICES; i++)
		seen |= BIT(mrc_lb_next(set, now));
	return seen;
}

#define ALL (BIT(PATHS) - 1)

static void mrc_ev_overdue_passed_over(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_ev_overdue_sent(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, IN_TIME), ALL);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
	/* A packet sent later does not extend the deadline of the first. */
	mrc_ev_overdue_sent(set, 5, IN_TIME);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
	mrc_ev_overdue_acked_or_lost(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	KUNIT_EXPECT_EQ(test, chosen(set, IN_TIME + RTT + SLACK + TICKS),
			ALL & ~BIT(5));
	mrc_ev_overdue_acked_or_lost(set, 5, IN_TIME);
	KUNIT_EXPECT_EQ(test, chosen(set, 10 * TOO_LATE), ALL);
}

/*
 * The acknowledgment of a packet sent before the awaited one does not end the
 * state.
 */
static void mrc_ev_overdue_older_ack_ignored(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_ev_overdue_sent(set, 5, T0);
	mrc_ev_overdue_acked_or_lost(set, 5, T0 - TICKS);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
}

/* If all paths of a plane are overdue, the plane still takes its turns. */
static void mrc_ev_overdue_planes_stay_equal(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);
	u32 plane[PLANES] = { 0 }, i;

	for (i = 0; i < PER_PLANE; i++)
		mrc_ev_overdue_sent(set, PER_PLANE + i, T0);
	for (i = 0; i < CHOICES; i++)
		plane[mrc_lb_next(set, TOO_LATE) / PER_PLANE]++;
	for (i = 0; i < PLANES; i++)
		KUNIT_EXPECT_EQ(test, plane[i], CHOICES / PLANES);
	for (i = 0; i < PATHS; i++)
		mrc_ev_overdue_sent(set, i, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
}

/* No path is overdue before its round trip has been measured. */
static void mrc_ev_overdue_needs_round_trip(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_overdue_sent(set, 5, T0);
	set->rtt_slack = SLACK;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	mrc_ev_rtt(set, 5, RTT);
	set->rtt_slack = 0;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	set->rtt_slack = SLACK;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
}

/* A path is not overdue forever if the acknowledgment never arrives. */
static void mrc_ev_overdue_expires(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_ev_overdue_sent(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, T0 + 15 * (RTT + SLACK)),
			ALL & ~BIT(5));
	KUNIT_EXPECT_EQ(test, chosen(set, T0 + 17 * (RTT + SLACK)), ALL);
}

/* REPS does not recycle an overdue EV, although it was acknowledged unmarked. */
static void mrc_ev_overdue_not_recycled(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);
	u32 i;

	mrc_lb_set(set, &mrc_lb_reps);
	for (i = 0; i < MRC_REPS_CACHE; i++)
		mrc_lb_delivered(set, 5, T0);
	mrc_ev_overdue_sent(set, 5, T0);
	KUNIT_EXPECT_FALSE(test, chosen(set, TOO_LATE) & BIT(5));
}

static struct kunit_case mrc_ev_overdue_cases[] = {
	KUNIT_CASE(mrc_ev_overdue_passed_over),
	KUNIT_CASE(mrc_ev_overdue_older_ack_ignored),
	KUNIT_CASE(mrc_ev_overdue_planes_stay_equal),
	KUNIT_CASE(mrc_ev_overdue_needs_round_trip),
	KUNIT_CASE(mrc_ev_overdue_expires),
	KUNIT_CASE(mrc_ev_overdue_not_recycled),
	{}
};

static struct kunit_suite mrc_ev_overdue_suite = {
	.name = "mrc_ev_overdue",
	.test_cases = mrc_ev_overdue_cases,
};

kunit_test_suite(mrc_ev_overdue_suite);

MODULE_DESCRIPTION("KUnit tests of overdue paths");
MODULE_LICENSE("Dual BSD/GPL");
