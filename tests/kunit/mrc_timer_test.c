// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Timer of a connection: when it is started, within what timers cost.
 */
#include <kunit/test.h>

#include "core/timer.h"

#define US	1000ULL
#define MS	(1000 * US)
#define T0	(1000 * MS)
/* A deadline of some round trips. */
#define AHEAD	(100 * US)

/* A timer of a host on which timers are late by @late. */
static struct mrc_timer late_by(u64 late)
{
	struct mrc_timer timer = {};
	u32 i;

	for (i = 0; i < 100; i++) {
		timer.at = T0 / 2;
		mrc_timer_expire(&timer, T0 / 2 + late);
	}
	return timer;
}

/* Expect that setting @at starts the timer for @expect. */
static void expect_set(struct kunit *test, struct mrc_timer *timer, u64 at,
		       u64 now, bool exact, u64 expect)
{
	KUNIT_EXPECT_TRUE(test, mrc_timer_set(timer, at, now, exact));
	KUNIT_EXPECT_EQ(test, timer->at, expect);
}

/* Expect that setting @at leaves the timer alone. */
static void expect_kept(struct kunit *test, struct mrc_timer *timer, u64 at,
			u64 now, bool exact)
{
	u64 before = timer->at;

	KUNIT_EXPECT_FALSE(test, mrc_timer_set(timer, at, now, exact));
	KUNIT_EXPECT_EQ(test, timer->at, before);
}

/* Lateness is what expiring tells; a timer that was not started tells nothing. */
static void mrc_timer_late(struct kunit *test)
{
	struct mrc_timer timer = {};

	KUNIT_EXPECT_EQ(test, mrc_timer_expire(&timer, T0), 0);
	KUNIT_EXPECT_EQ(test, timer.cost, 0);
	expect_set(test, &timer, T0 + AHEAD, T0, false, T0 + AHEAD);
	KUNIT_EXPECT_EQ(test, mrc_timer_expire(&timer, T0 + AHEAD + 8 * US), 8 * US);
	KUNIT_EXPECT_EQ(test, timer.cost, US);
	KUNIT_EXPECT_EQ(test, timer.at, 0);
	KUNIT_EXPECT_EQ(test, mrc_timer_expire(&timer, T0 + 2 * AHEAD), 0);
	KUNIT_EXPECT_EQ(test, timer.cost, US);
	/* One stall of a second is not what timers cost. */
	expect_set(test, &timer, T0 + AHEAD, T0, false, T0 + AHEAD);
	KUNIT_EXPECT_EQ(test, mrc_timer_expire(&timer, 2 * T0), T0 - AHEAD);
	KUNIT_EXPECT_LT(test, timer.cost, MS / 7);
}

/* A timer that expires by the deadline stays, whoever asks. */
static void mrc_timer_earlier_stays(struct kunit *test)
{
	struct mrc_timer timer = {};

	expect_set(test, &timer, T0 + AHEAD, T0, false, T0 + AHEAD);
	KUNIT_EXPECT_TRUE(test, mrc_timer_covers(&timer, T0 + AHEAD));
	KUNIT_EXPECT_FALSE(test, mrc_timer_covers(&timer, T0 + AHEAD - 1));
	expect_kept(test, &timer, T0 + 2 * AHEAD, T0 + AHEAD - US, false);
	expect_kept(test, &timer, T0 + AHEAD + AHEAD / 4, T0, true);
	expect_set(test, &timer, T0 + AHEAD / 2, T0, false, T0 + AHEAD / 2);
}

/* A deadline that has passed, or nearly, must not keep a processor busy. */
static void mrc_timer_past_deadline(struct kunit *test)
{
	struct mrc_timer timer = {};

	expect_set(test, &timer, T0 - AHEAD, T0, false, T0 + 20 * US);
	expect_kept(test, &timer, T0 - AHEAD, T0 + 10 * US, false);
	timer.at = 0;
	expect_set(test, &timer, T0 + US, T0, false, T0 + 20 * US);
	timer.at = 0;
	expect_set(test, &timer, T0, T0, true, T0 + 20 * US);
	timer.at = 0;
	expect_set(test, &timer, T0 + US, T0, true, T0 + US);
}

/* Before an exact deadline a timer that is about to expire is put off, no other. */
static void mrc_timer_put_off(struct kunit *test)
{
	struct mrc_timer timer = {};
	u64 at = T0 + 2 * AHEAD;

	expect_set(test, &timer, T0 + AHEAD, T0, true, T0 + AHEAD);
	expect_kept(test, &timer, at, T0, true);
	expect_set(test, &timer, at, T0 + US, true, at);
	/* It has expired: how late the host is must be known. */
	expect_kept(test, &timer, at + AHEAD, at, true);
}

/* How often is a timer started in 10 ms in which messages end each @every ns? */
static u32 starts_of_flow(struct mrc_timer *timer, u64 late, u64 every, u32 *expired)
{
	u32 started = 0;
	u64 now;

	*expired = 0;
	for (now = T0; now < T0 + 10 * MS; now += US) {
		if (timer->at && timer->at + late <= now) {
			mrc_timer_expire(timer, now);
			*expired += 1;
		}
		if ((now - T0) % every == 0)
			started += mrc_timer_set(timer, now + 20 * US, now, true);
	}
	return started;
}

/* Where timers are expensive, they take at most a part of the time. */
static void mrc_timer_cost_is_bounded(struct kunit *test)
{
	struct mrc_timer timer = late_by(10 * US);
	u32 started, expired;

	KUNIT_EXPECT_GT(test, timer.cost, 9 * US);
	/* Messages follow each other: put off by 16 times the cost, at half of that. */
	started = starts_of_flow(&timer, 10 * US, US, &expired);
	KUNIT_EXPECT_LE(test, started, 10 * MS / 8 / (9 * US) + 2);
	KUNIT_EXPECT_EQ(test, expired, 0);
	/* Each message is alone: the timer expires, and is paid for again. */
	timer = late_by(10 * US);
	started = starts_of_flow(&timer, 10 * US, 200 * US, &expired);
	KUNIT_EXPECT_EQ(test, started, 10 * MS / (200 * US));
	KUNIT_EXPECT_EQ(test, expired, started);
	/* They come before that. */
	timer = late_by(10 * US);
	started = starts_of_flow(&timer, 0, 40 * US, &expired);
	KUNIT_EXPECT_LE(test, started, 10 * MS / 8 / (9 * US) + 2);

	/* Those that need not be exact take less. */
	timer = late_by(10 * US);
	expect_set(test, &timer, T0 + US, T0, false, T0 + 64ULL * timer.cost);
	/* Not more than a millisecond, however late the host is. */
	timer = late_by(T0);
	expect_set(test, &timer, T0 + US, T0, false, T0 + MS);
}

/* But one after a pause is exact, so a lone packet is missed in time. */
static void mrc_timer_exact_after_pause(struct kunit *test)
{
	struct mrc_timer timer = late_by(10 * US);
	u64 now = T0;

	expect_set(test, &timer, now + 20 * US, now, true, now + 20 * US);
	mrc_timer_expire(&timer, now + 30 * US);
	/* Shortly after the first the second waits. */
	expect_set(test, &timer, now + 60 * US, now + 40 * US, true,
		   T0 + 16ULL * timer.cost);
	mrc_timer_expire(&timer, timer.at);
	now += MS;
	expect_set(test, &timer, now + 20 * US, now, true, now + 20 * US);

	/* Another deadline takes nothing from exact ones. */
	timer.at = 0;
	now += MS;
	expect_set(test, &timer, now + MS, now, false, now + MS);
	expect_set(test, &timer, now + 20 * US, now + US, true, now + 20 * US);

	/* The least distance of other deadlines is not that of exact ones. */
	timer = late_by(US);
	timer.since = now;
	now += 16 * US;
	expect_set(test, &timer, now + US, now, true, now + US);
}

static struct kunit_case mrc_timer_cases[] = {
	KUNIT_CASE(mrc_timer_late),
	KUNIT_CASE(mrc_timer_earlier_stays),
	KUNIT_CASE(mrc_timer_past_deadline),
	KUNIT_CASE(mrc_timer_put_off),
	KUNIT_CASE(mrc_timer_cost_is_bounded),
	KUNIT_CASE(mrc_timer_exact_after_pause),
	{}
};

static struct kunit_suite mrc_timer_suite = {
	.name = "mrc_timer",
	.test_cases = mrc_timer_cases,
};

kunit_test_suite(mrc_timer_suite);

MODULE_DESCRIPTION("KUnit tests of the timer of a connection");
MODULE_LICENSE("Dual BSD/GPL");
