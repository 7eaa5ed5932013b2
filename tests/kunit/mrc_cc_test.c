// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Congestion control: the frame, the constant window, and none at all. */
#include <kunit/test.h>

#include "core/cc.h"

static void bad_news(struct mrc_cc *cc)
{
	const struct mrc_cc_ack ack = {
		.now = 1, .acked = 4200, .marked = true, .rtt = 1000000,
		.rcv_cwnd_pen = 127,
	};
	const struct mrc_cc_trim trim = { .now = 1, .nominal = 4200 };

	cc->ops->on_ack(cc, &ack);
	cc->ops->on_trim(cc, &trim);
	cc->ops->on_loss(cc, 1, 4200);
}

static void mrc_cc_fixed_window_stays(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 100000 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
	bad_news(&cc);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
}

/* Nothing holds a packet back but the PSN window. */
static void mrc_cc_none_has_no_limit(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 4200 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_none, &cfg);
	bad_news(&cc);
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 1 << 30, 4200));
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 1 << 30));
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

/* As many as would be let out one after another. */
static void mrc_cc_room_is_what_the_gate_lets_out(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 1000, .max_cwnd = 5500 };
	struct mrc_cc cc;
	u32 inflight, n, sum;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	for (inflight = 1; inflight < 8000; inflight += 37) {
		n = 0;
		for (sum = inflight; mrc_cc_can_send(&cc, sum, 700); sum += 700)
			n++;
		KUNIT_EXPECT_EQ(test, mrc_cc_room(&cc, inflight, 700), n);
	}
}

static void mrc_cc_window_holds_a_packet(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 1 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 4200);
}

/* UEC 3.6.13, AckRequest. */
static void mrc_cc_asks_for_answers(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = {
		.mtu = 1000, .max_cwnd = 20000, .ack_trigger = 16384,
	};
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 19000));
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_answer(&cc, 19001));
	cc.cwnd = 16384;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 1000));
	cc.cwnd = 16383;
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_answer(&cc, 1000));
}

static void mrc_cc_by_name(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("none"), &mrc_cc_none);
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("fixed"), &mrc_cc_fixed);
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("nscc"), &mrc_cc_nscc);
	KUNIT_EXPECT_NULL(test, mrc_cc_find("nsc"));
	KUNIT_EXPECT_NULL(test, mrc_cc_find(""));
}

static struct kunit_case mrc_cc_cases[] = {
	KUNIT_CASE(mrc_cc_fixed_window_stays),
	KUNIT_CASE(mrc_cc_none_has_no_limit),
	KUNIT_CASE(mrc_cc_asks_for_answers),
	KUNIT_CASE(mrc_cc_by_name),
	KUNIT_CASE(mrc_cc_gate),
	KUNIT_CASE(mrc_cc_room_is_what_the_gate_lets_out),
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
