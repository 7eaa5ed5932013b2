// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Congestion control: the common part, the algorithms fixed and none. */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "core/cc.h"
#include "core/refusal.h"

static void signal_congestion(struct mrc_cc *cc)
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

static void mrc_cc_fixed_window_is_constant(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 100000 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
	signal_congestion(&cc);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 100000);
}

/* The algorithm none never limits: only the PSN window does. */
static void mrc_cc_none_never_limits(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 4200 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_none, &cfg);
	signal_congestion(&cc);
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 1 << 30, 4200));
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 1 << 30, 1 << 20, 0));
}

/* An operator may change the profile while packets are in flight. */
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

/* Only what follows marks may be marked instead of being dropped. */
static void mrc_cc_reacts_to_marks(struct kunit *test)
{
	struct mrc_cc cc = { .ops = &mrc_cc_nscc };

	KUNIT_EXPECT_TRUE(test, mrc_cc_reacts(&cc));
	cc.ops = &mrc_cc_fixed;
	KUNIT_EXPECT_FALSE(test, mrc_cc_reacts(&cc));
	cc.ops = &mrc_cc_none;
	KUNIT_EXPECT_FALSE(test, mrc_cc_reacts(&cc));
	/* Probes of a QP that only receives. */
	cc.ops = NULL;
	KUNIT_EXPECT_TRUE(test, mrc_cc_reacts(&cc));
}

/* The reference network of UEC table 3-82: 100 Gb/s, 12 us, MTU 4096. */
#define BASE_RTT	12000
#define MAX_WND		225000

static struct mrc_cc_cfg nscc_cfg(void)
{
	struct mrc_cc_cfg cfg = { .mtu = 4096 };

	mrc_nscc_defaults(&cfg.nscc, 100000, BASE_RTT, cfg.mtu, true);
	cfg.nscc.init_cwnd = 0;
	return cfg;
}

/* The congestion window is kept, within its new bounds. */
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

/* The measured base round trip is kept, and limits the new window. */
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

static void mrc_cc_can_send_within_window(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 1000, .max_cwnd = 3000 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 2000, 1000));
	KUNIT_EXPECT_FALSE(test, mrc_cc_can_send(&cc, 2001, 1000));
	/* With nothing in flight one packet may always be sent. */
	KUNIT_EXPECT_TRUE(test, mrc_cc_can_send(&cc, 0, 4000));
}

/* As many packets as mrc_cc_can_send() allows one after another. */
static void mrc_cc_max_pkts_agrees_with_can_send(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 1000, .max_cwnd = 5500 };
	struct mrc_cc cc;
	u32 inflight, n, sum;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	for (inflight = 1; inflight < 8000; inflight += 37) {
		n = 0;
		for (sum = inflight; mrc_cc_can_send(&cc, sum, 700); sum += 700)
			n++;
		KUNIT_EXPECT_EQ(test, mrc_cc_max_pkts(&cc, inflight, 700), n);
	}
}

static void mrc_cc_window_min_one_packet(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = { .mtu = 4200, .max_cwnd = 1 };
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 4200);
}

/* UEC 3.6.13, AckRequest. */
static void mrc_cc_requests_acks(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = {
		.mtu = 1000, .max_cwnd = 20000, .ack_trigger = 16384,
	};
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_fixed, &cfg);
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 19000, 1000, 0));
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_ack(&cc, 19001, 1000, 0));
	cc.cwnd = 16384;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 1000, 1000, 0));
	cc.cwnd = 16383;
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_ack(&cc, 1000, 1000, 0));
	/* One AckReq per eighth of the window, lest all of them are lost. */
	cc.cwnd = 20000;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 10000, 2499, 0));
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_ack(&cc, 10000, 2500, 0));
	/* Where it does not limit anything, the peer's own SACKs suffice. */
	KUNIT_EXPECT_TRUE(test, mrc_cc_wants_ack(&cc, 10000, 2500, 40000));
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 10000, 2500, 60000));
	/* The threshold of the responder triggers SACKs as often. */
	cc.cwnd = 8 * 16384;
	KUNIT_EXPECT_FALSE(test, mrc_cc_wants_ack(&cc, 100000, 100000, 0));
}

static void mrc_cc_found_by_name(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("none"), &mrc_cc_none);
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("fixed"), &mrc_cc_fixed);
	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("nscc"), &mrc_cc_nscc);
	KUNIT_EXPECT_NULL(test, mrc_cc_find("nsc"));
	KUNIT_EXPECT_NULL(test, mrc_cc_find(""));
}

static const char *nth_of_two(u32 i)
{
	static const char * const names[] = { "this", "that", NULL };

	return names[i];
}

static const char *only(u32 i)
{
	return i ? NULL : "this";
}

/* The refusal lists the names that exist. */
static void mrc_cc_unknown_name_refused(struct kunit *test)
{
	struct mrc_refusal why;

	KUNIT_EXPECT_EQ(test, mrc_refuse_name(&why, "algorithm", "cubic",
					      mrc_cc_name), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.field, MRC_NO_FIELD);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "there is no algorithm cubic, use none, fixed or nscc");
	mrc_refuse_name(&why, "thing", "", nth_of_two);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "there is no thing , use this or that");
	mrc_refuse_name(&why, "thing", "other", only);
	KUNIT_EXPECT_STREQ(test, why.text, "there is no thing other, use this");
}

/* A name too long for the text is truncated. */
static void mrc_cc_refusal_truncates_name(struct kunit *test)
{
	struct mrc_refusal why;
	char name[2 * MRC_REFUSAL_LEN];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	mrc_refuse_name(&why, "algorithm", name, mrc_cc_name);
	KUNIT_EXPECT_EQ(test, strlen(why.text), MRC_REFUSAL_LEN - 1);
}

static struct kunit_case mrc_cc_cases[] = {
	KUNIT_CASE(mrc_cc_fixed_window_is_constant),
	KUNIT_CASE(mrc_cc_fixed_window_changes),
	KUNIT_CASE(mrc_cc_reacts_to_marks),
	KUNIT_CASE(mrc_cc_nscc_changes),
	KUNIT_CASE(mrc_cc_nscc_keeps_base_rtt),
	KUNIT_CASE(mrc_cc_none_never_limits),
	KUNIT_CASE(mrc_cc_requests_acks),
	KUNIT_CASE(mrc_cc_found_by_name),
	KUNIT_CASE(mrc_cc_unknown_name_refused),
	KUNIT_CASE(mrc_cc_refusal_truncates_name),
	KUNIT_CASE(mrc_cc_can_send_within_window),
	KUNIT_CASE(mrc_cc_max_pkts_agrees_with_can_send),
	KUNIT_CASE(mrc_cc_window_min_one_packet),
	{}
};

static struct kunit_suite mrc_cc_suite = {
	.name = "mrc_cc",
	.test_cases = mrc_cc_cases,
};

kunit_test_suite(mrc_cc_suite);

MODULE_DESCRIPTION("KUnit tests of MRC congestion control");
MODULE_LICENSE("Dual BSD/GPL");
