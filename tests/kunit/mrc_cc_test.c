// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Congestion control: the frame and the constant window. */
#include <kunit/test.h>

#include "core/cc.h"

static void mrc_cc_fixed_window_stays(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 100000 };
	const struct mrc_cc_ack ack = { .acked = 4200, .marked = true };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
	cc.ops->on_ack(&cc, &ack);
	cc.ops->on_trim(&cc, 1, 4200);
	cc.ops->on_loss(&cc, 1, 4200);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
}

static void mrc_cc_gate(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 1000, .max_cwnd = 3000 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 2000, 1000));
	KUNIT_EXPECT_FALSE(test, mrc_cc_can_send(&cc, 2001, 1000));
	/* An empty network always takes one packet. */
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 0, 4000));
}

static void mrc_cc_window_holds_a_packet(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 1 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 4200);
}

static struct kunit_case mrc_cc_cases[] = {
	KUNIT_CASE(mrc_cc_fixed_window_stays),
	KUNIT_CASE(mrc_cc_gate),
	KUNIT_CASE(mrc_cc_window_holds_a_packet),
	{}
};

static struct kunit_suite mrc_cc_suite = {
	.name = "mrc_cc",
	.test_cases = mrc_cc_cases,
};

kunit_test_suite(mrc_cc_suite);

MODULE_DESCRIPTION("KUnit tests of MRC congestion control");
MODULE_LICENSE("Dual BSD/GPL");
