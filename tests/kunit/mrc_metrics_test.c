// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measurements that connections share: round trips of the empty network, and the
 * rate of its links.
 */
#include <kunit/test.h>

#include "core/metrics.h"

#define T0	1000000000ULL
#define HALF	MRC_METRICS_RTT_NS

static void mrc_metrics_shortest(struct kunit *test)
{
	struct mrc_metrics m = {};

	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 0), 0);
	KUNIT_EXPECT_EQ(test, mrc_metrics_mean_rtt(&m), 0);
	KUNIT_EXPECT_FALSE(test, mrc_metrics_is_uneven(&m, 1));
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 12000, T0), 12000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 15000, T0), 12000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 10000, T0), 10000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 3, 50000, T0), 50000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 0), 10000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 1), 0);
	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 3), 50000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_mean_rtt(&m), 30000);
	KUNIT_EXPECT_TRUE(test, mrc_metrics_is_uneven(&m, 4));
	KUNIT_EXPECT_FALSE(test, mrc_metrics_is_uneven(&m, 5));
}

/* Others are told only of what is new to them. */
static void mrc_metrics_tells_changes(struct kunit *test)
{
	struct mrc_metrics m = {};
	u32 changes;

	KUNIT_EXPECT_EQ(test, m.changes, 0);
	mrc_metrics_add_rtt(&m, 0, 12000, T0);
	changes = m.changes;
	KUNIT_EXPECT_NE(test, changes, 0);
	mrc_metrics_add_rtt(&m, 0, 12000, T0 + 1);
	mrc_metrics_add_rtt(&m, 0, 13000, T0 + 2);
	mrc_metrics_learn_rate(&m, 0);
	KUNIT_EXPECT_EQ(test, m.changes, changes);
	mrc_metrics_add_rtt(&m, 0, 11999, T0 + 3);
	KUNIT_EXPECT_NE(test, m.changes, changes);

	/* 0 means that there is no sample. */
	m.changes = U32_MAX;
	mrc_metrics_add_rtt(&m, 0, 11000, T0 + 4);
	KUNIT_EXPECT_EQ(test, m.changes, 1);
}

/* A minimum is valid for 5 to 10 s. */
static void mrc_metrics_expires(struct kunit *test)
{
	struct mrc_metrics m = {};
	u32 changes;

	mrc_metrics_add_rtt(&m, 0, 10000, T0);
	mrc_metrics_add_rtt(&m, 1, 10000, T0);
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 20000, T0 + HALF),
			10000);
	changes = m.changes;
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 21000, T0 + 2 * HALF),
			20000);
	KUNIT_EXPECT_NE(test, m.changes, changes);
	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 1), 0);

	/* After a long time without packets nothing of before is valid. */
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 30000, T0 + 9 * HALF),
			30000);
	/* The clock of another processor may be behind. */
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 31000,
						  T0 + 9 * HALF - HALF / 2),
			30000);
	/* 30 days: the unit counts to 52 days. */
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 0, 40000,
						  T0 + 30ULL * 86400 * 1000000000),
			40000);
}

static void mrc_metrics_forgets(struct kunit *test)
{
	struct mrc_metrics m = {};
	u32 changes;

	mrc_metrics_add_rtt(&m, 2, 10000, T0);
	mrc_metrics_learn_rate(&m, 100000);
	changes = m.changes;
	mrc_metrics_forget(&m);
	KUNIT_EXPECT_NE(test, m.changes, changes);
	KUNIT_EXPECT_EQ(test, mrc_metrics_base_rtt(&m, 2), 0);
	KUNIT_EXPECT_EQ(test, m.mbps, 100000);
	KUNIT_EXPECT_EQ(test, mrc_metrics_add_rtt(&m, 2, 40000, T0 + 1), 40000);
}

/* What is lower than an earlier rate is the share of one connection. */
static void mrc_metrics_largest_rate(struct kunit *test)
{
	struct mrc_metrics m = {};

	mrc_metrics_learn_rate(&m, 50000);
	mrc_metrics_learn_rate(&m, 25000);
	KUNIT_EXPECT_EQ(test, m.mbps, 50000);
	mrc_metrics_learn_rate(&m, 100000);
	KUNIT_EXPECT_EQ(test, m.mbps, 100000);
}

static struct kunit_case mrc_metrics_cases[] = {
	KUNIT_CASE(mrc_metrics_shortest),
	KUNIT_CASE(mrc_metrics_tells_changes),
	KUNIT_CASE(mrc_metrics_expires),
	KUNIT_CASE(mrc_metrics_forgets),
	KUNIT_CASE(mrc_metrics_largest_rate),
	{}
};

static struct kunit_suite mrc_metrics_suite = {
	.name = "mrc_metrics",
	.test_cases = mrc_metrics_cases,
};

kunit_test_suite(mrc_metrics_suite);

MODULE_DESCRIPTION("KUnit tests of measurements that connections share");
MODULE_LICENSE("Dual BSD/GPL");
