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
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 1 << 30, 1 << 20));
}

/* An operator may change the profile under packets in flight. */
static void mrc_cc_fixed_window_changes(struct kunit *test)
{
	struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 100000 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	cfg.max_cwnd = 50000;
	mrc_cc_change(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 50000);
	cfg.max_cwnd = 1;
	mrc_cc_change(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 4200);
	mrc_cc_change(&cc, &mrc_cc_none, &cfg);
	KUNIT_EXPECT_PTR_EQ(test, cc.ops, &mrc_cc_none);
	KUNIT_EXPECT_EQ(test, cc.cwnd, U32_MAX);
}

/* The reference network of UEC table 3-82: 100 Gb/s, 12 us, MTU 4096. */
#define BASE_RTT	12000
#define MAX_WND		225000

static struct mrc_cc_cfg nscc_cfg(void)
{
	struct mrc_cc_cfg cfg = { .mtu = 4096 };

	mrc_nscc_defaults(&cfg.nscc, 100000, BASE_RTT, cfg.mtu, true);
	return cfg;
}

/* The window stays, within its new bounds. */
static void mrc_cc_nscc_changes(struct kunit *test)
{
	struct mrc_cc_cfg cfg = nscc_cfg();
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_nscc, &cfg);
	cc.nscc.wnd = 100000ULL << MRC_NSCC_SHIFT;
	cc.cwnd = 100000;
	cfg.nscc.target_delay = 5000;
	cfg.nscc.jitter = 6000;
	cfg.nscc.alpha /= 2;
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
	KUNIT_EXPECT_EQ(test, cc.nscc.target, 6000);
	KUNIT_EXPECT_EQ(test, cc.nscc.alpha, cfg.nscc.alpha);

	cfg.nscc.max_cwnd = 60000;
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 60000);
	cfg.nscc.max_cwnd = MAX_WND;
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 60000);
	mrc_cc_change(&cc, &mrc_cc_fixed, &cfg);
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, MAX_WND);
}

/* The round trip that was found holds for the new window, too. */
static void mrc_cc_nscc_keeps_base_rtt(struct kunit *test)
{
	const struct mrc_cc_ack ack = { .now = 1, .rtt = BASE_RTT / 2 };
	struct mrc_cc_cfg cfg = nscc_cfg();
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_nscc, &cfg);
	cc.ops->on_ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.nscc.base_rtt, BASE_RTT / 2);
	cfg.nscc.max_cwnd = 4 * MAX_WND;
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.nscc.base_rtt, BASE_RTT / 2);
	KUNIT_EXPECT_EQ(test, cc.nscc.max_wnd, 2 * MAX_WND);
	cfg.nscc.base_rtt = BASE_RTT / 4;
	mrc_cc_change(&cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, cc.nscc.base_rtt, BASE_RTT / 4);
	KUNIT_EXPECT_EQ(test, cc.nscc.max_wnd, 4 * MAX_WND);
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
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 19000, 1000));
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_answer(&cc, 19001, 1000));
	cc.cwnd = 16384;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 1000, 1000));
	cc.cwnd = 16383;
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_answer(&cc, 1000, 1000));
	/* Whatever is lost of a window, others of it have asked. */
	cc.cwnd = 20000;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 10000, 2499));
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_answer(&cc, 10000, 2500));
	/* The peer answers that often of its own accord. */
	cc.cwnd = 8 * 16384;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_answer(&cc, 10000, 100000));
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
	KUNIT_CASE(mrc_cc_fixed_window_changes),
	KUNIT_CASE(mrc_cc_nscc_changes),
	KUNIT_CASE(mrc_cc_nscc_keeps_base_rtt),
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
