// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Choice of a home: which processor suits better, and when a connection moves.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "core/home_choice.h"

static void expect_better(struct kunit *test, struct mrc_home_state a,
			  struct mrc_home_state b)
{
	KUNIT_EXPECT_TRUE(test, mrc_home_is_better(&a, &b));
	KUNIT_EXPECT_FALSE(test, mrc_home_is_better(&b, &a));
}

/* The one that does least, whatever it is home of, and then that of fewest. */
static void mrc_home_choice_least_busy(struct kunit *test)
{
	expect_better(test, (struct mrc_home_state){ .load = 10, .conns = 9 },
		      (struct mrc_home_state){ .load = 60, .conns = 1 });
	expect_better(test, (struct mrc_home_state){ .load = 60, .conns = 1 },
		      (struct mrc_home_state){ .load = 61, .conns = 2 });
	expect_better(test, (struct mrc_home_state){ .load = 61, .conns = 1 },
		      (struct mrc_home_state){ .load = 60, .conns = 2 });
	expect_better(test, (struct mrc_home_state){},
		      (struct mrc_home_state){ .conns = 1 });
}

/* A thread that polls counts as a part of a processor, not as all of it. */
static void mrc_home_choice_polled(struct kunit *test)
{
	expect_better(test, (struct mrc_home_state){},
		      (struct mrc_home_state){ .polled = true });
	expect_better(test, (struct mrc_home_state){ .load = 20 },
		      (struct mrc_home_state){ .polled = true });
	expect_better(test, (struct mrc_home_state){ .polled = true },
		      (struct mrc_home_state){ .load = 50 });
}

/* A connection moves if the busier processor is less busy then, by more than a little. */
static void mrc_home_choice_move_gains(struct kunit *test)
{
	static const struct {
		struct mrc_home_state from;
		struct mrc_home_state to;
		u32 work;
		bool gains;
	} cases[] = {
		/* All that there is would only be elsewhere. */
		{ { .load = 90 }, {}, 90, false },
		{ { .load = 90 }, {}, 60, true },
		{ { .load = 90 }, { .load = 30 }, 60, false },
		{ { .load = 90 }, { .load = 22 }, 60, true },
		{ { .load = 90 }, { .load = 23 }, 60, false },
		/* Beside a thread that polls, or where one does. */
		{ { .load = 60, .polled = true }, {}, 60, true },
		{ { .load = 60 }, { .polled = true }, 60, false },
		{ { .load = 60, .polled = true }, { .polled = true }, 60, false },
		{ { .load = 90, .polled = true }, { .polled = true }, 60, true },
		/* The other side of the same traffic has its home there. */
		{ { .load = 70, .polled = true }, { .load = 60 }, 50, false },
		/* Next to nothing is done for it. */
		{ { .load = 90 }, {}, 0, false },
		{ { .polled = true }, {}, 0, true },
		{ { .polled = true }, { .load = 33 }, 0, true },
		{ { .polled = true }, { .load = 34 }, 0, false },
		{ { .polled = true }, { .polled = true }, 0, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_home_gains(&cases[i].from, &cases[i].to,
						   cases[i].work),
				    cases[i].gains, "case %u", i);
}

/* What has moved for its gain does not gain by moving back. */
static void mrc_home_choice_stays_after_move(struct kunit *test)
{
	struct mrc_home_state from, to;
	u32 flags, work, moves = 0;

	for (flags = 0; flags < 4; flags++) {
		from.polled = flags & 1;
		to.polled = flags & 2;
		for (from.load = 0; from.load <= 100; from.load++) {
			for (to.load = 0; to.load <= 100; to.load++) {
				for (work = 1; work <= from.load; work++) {
					if (!mrc_home_gains(&from, &to, work))
						continue;
					moves++;
					from.load -= work;
					to.load += work;
					KUNIT_EXPECT_FALSE(test,
							   mrc_home_gains(&to, &from, work));
					from.load += work;
					to.load -= work;
				}
			}
		}
	}
	KUNIT_EXPECT_GT(test, moves, 10000);
}

static struct kunit_case mrc_home_choice_cases[] = {
	KUNIT_CASE(mrc_home_choice_least_busy),
	KUNIT_CASE(mrc_home_choice_polled),
	KUNIT_CASE(mrc_home_choice_move_gains),
	KUNIT_CASE(mrc_home_choice_stays_after_move),
	{}
};

static struct kunit_suite mrc_home_choice_suite = {
	.name = "mrc_home_choice",
	.test_cases = mrc_home_choice_cases,
};

kunit_test_suite(mrc_home_choice_suite);

MODULE_DESCRIPTION("KUnit tests of the choice of homes");
MODULE_LICENSE("Dual BSD/GPL");
