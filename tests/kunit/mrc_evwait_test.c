// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths whose answers are overdue are passed over, and come back.
 */
#include <kunit/test.h>

#include "core/evwait.h"
#include "core/lb.h"
#include "mrc_ev_sample.h"

#define US	1000U
#define RTT	(100 * US)
#define LATE	(20 * US)
/* An answer to what was sent at T0 is overdue a little after that: ticks. */
#define T0	(1000 * US)
#define TICKS	(4 * US)
#define IN_TIME	(T0 + RTT + LATE - TICKS)
#define TOO_LATE (T0 + RTT + LATE + TICKS)
#define CHOICES	(8 * PATHS)

static struct mrc_ev_set *measured(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u16 i;

	for (i = 0; i < PATHS; i++)
		mrc_ev_rtt(set, i, RTT);
	set->late = LATE;
	return set;
}

/* Paths that are chosen at @now, a bit each. */
static u32 chosen(struct mrc_ev_set *set, u64 now)
{
	u32 seen = 0, i;

	for (i = 0; i < CHOICES; i++)
		seen |= BIT(mrc_ev_next(set, now));
	return seen;
}

#define ALL (BIT(PATHS) - 1)

static void mrc_evwait_passed_over(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_evwait_sent(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, IN_TIME), ALL);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
	/* What leaves later is awaited for as long, and no less overdue. */
	mrc_evwait_sent(set, 5, IN_TIME);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
	mrc_evwait_settled(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	KUNIT_EXPECT_EQ(test, chosen(set, IN_TIME + RTT + LATE + TICKS),
			ALL & ~BIT(5));
	mrc_evwait_settled(set, 5, IN_TIME);
	KUNIT_EXPECT_EQ(test, chosen(set, 10 * TOO_LATE), ALL);
}

/* The answer to an older packet, that has been sent again, is none. */
static void mrc_evwait_older_answer(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_evwait_sent(set, 5, T0);
	mrc_evwait_settled(set, 5, T0 - TICKS);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
}

/* If all of a plane are overdue it takes its turns all the same. */
static void mrc_evwait_planes_stay_equal(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);
	u32 plane[PLANES] = { 0 }, i;

	for (i = 0; i < PER_PLANE; i++)
		mrc_evwait_sent(set, PER_PLANE + i, T0);
	for (i = 0; i < CHOICES; i++)
		plane[mrc_ev_next(set, TOO_LATE) / PER_PLANE]++;
	for (i = 0; i < PLANES; i++)
		KUNIT_EXPECT_EQ(test, plane[i], CHOICES / PLANES);
	for (i = 0; i < PATHS; i++)
		mrc_evwait_sent(set, i, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
}

/* Nobody knows what is late before there is a round trip. */
static void mrc_evwait_without_round_trip(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_evwait_sent(set, 5, T0);
	set->late = LATE;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	mrc_ev_rtt(set, 5, RTT);
	set->late = 0;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL);
	set->late = LATE;
	KUNIT_EXPECT_EQ(test, chosen(set, TOO_LATE), ALL & ~BIT(5));
}

/* Whatever became of the answer, it is not awaited forever. */
static void mrc_evwait_tried_again(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);

	mrc_evwait_sent(set, 5, T0);
	KUNIT_EXPECT_EQ(test, chosen(set, T0 + 15 * (RTT + LATE)),
			ALL & ~BIT(5));
	KUNIT_EXPECT_EQ(test, chosen(set, T0 + 17 * (RTT + LATE)), ALL);
}

/* What was answered without a mark is no reason to use it again, either. */
static void mrc_evwait_not_recycled(struct kunit *test)
{
	struct mrc_ev_set *set = measured(test);
	u32 i;

	mrc_ev_set_lb(set, &mrc_lb_reps);
	for (i = 0; i < MRC_REPS_CACHE; i++)
		mrc_ev_feedback(set, 5, MRC_EV_SIG_OK, T0);
	mrc_evwait_sent(set, 5, T0);
	KUNIT_EXPECT_FALSE(test, chosen(set, TOO_LATE) & BIT(5));
}

static struct kunit_case mrc_evwait_cases[] = {
	KUNIT_CASE(mrc_evwait_passed_over),
	KUNIT_CASE(mrc_evwait_older_answer),
	KUNIT_CASE(mrc_evwait_planes_stay_equal),
	KUNIT_CASE(mrc_evwait_without_round_trip),
	KUNIT_CASE(mrc_evwait_tried_again),
	KUNIT_CASE(mrc_evwait_not_recycled),
	{}
};

static struct kunit_suite mrc_evwait_suite = {
	.name = "mrc_evwait",
	.test_cases = mrc_evwait_cases,
};

kunit_test_suite(mrc_evwait_suite);

MODULE_DESCRIPTION("KUnit tests of MRC's overdue paths");
MODULE_LICENSE("Dual BSD/GPL");
