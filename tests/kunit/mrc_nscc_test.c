// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* NSCC, rule by rule.  tests/core compares it with a floating-point model. */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "core/cc.h"
#include "core/rnd.h"

/* The reference network of UEC table 3-82: 100 Gb/s, 12 us. */
#define MTU		4096
#define BASE		12000
#define TARGET		9000
#define MAX_WND		225000
#define T0		1000000000ULL

/**
 * struct bench - congestion control without a requester
 * @cc: congestion control
 * @now: ns
 * @inflight: bytes in flight, input of each acknowledgment
 */
struct bench {
	struct mrc_cc cc;
	u64 now;
	u32 inflight;
};

static struct mrc_cc_cfg nscc_cfg(void)
{
	struct mrc_cc_cfg cfg = { .mtu = MTU };

	mrc_nscc_defaults(&cfg.nscc, 100000, BASE, MTU, true);
	/* As in UEC; slow start has tests of its own. */
	cfg.nscc.init_cwnd = 0;
	return cfg;
}

static void set_up(struct bench *b, const struct mrc_cc_cfg *cfg)
{
	*b = (struct bench){ .now = T0, .inflight = 100000 };
	mrc_cc_init(&b->cc, &mrc_cc_nscc, cfg);
}

/*
 * Parameters that isolate one rule: increases take effect at once, no eta, no
 * quick adapt.
 */
static struct mrc_cc_cfg plain_cfg(void)
{
	struct mrc_cc_cfg cfg = nscc_cfg();

	cfg.nscc.adjust_bytes = 1;
	cfg.nscc.adjust_period = 1000000000;
	cfg.nscc.eta = 0;
	cfg.nscc.disable_qa = true;
	return cfg;
}

static void plain(struct bench *b)
{
	const struct mrc_cc_cfg cfg = plain_cfg();

	set_up(b, &cfg);
}

static void set_wnd(struct bench *b, u32 bytes)
{
	b->cc.nscc.wnd = (u64)bytes << MRC_NSCC_SHIFT;
	b->cc.cwnd = bytes;
}

static void set_avg(struct bench *b, u32 delay)
{
	b->cc.nscc.avg_delay = (u64)delay << MRC_NSCC_SHIFT;
}

static void ack_pen(struct bench *b, u32 acked, u32 delay, bool marked, u8 pen,
		    bool restore)
{
	const struct mrc_cc_ack ack = {
		.now = b->now,
		.acked = acked,
		.inflight = b->inflight,
		.rtt = b->cc.nscc.base_rtt + delay,
		.marked = marked,
		.rcv_cwnd_pen = pen,
		.restore_cwnd = restore,
	};

	b->cc.ops->on_ack(&b->cc, &ack);
}

static void ack(struct bench *b, u32 acked, u32 delay, bool marked)
{
	ack_pen(b, acked, delay, marked, 0, false);
}

static void trim(struct bench *b)
{
	const struct mrc_cc_trim t = {
		.now = b->now, .nominal = MTU, .inflight = b->inflight,
	};

	b->cc.ops->on_trim(&b->cc, &t);
}

static void lose(struct bench *b)
{
	b->cc.ops->on_loss(&b->cc, b->now, MTU);
}

/* Defaults: worked examples. */

struct worked {
	const char *name;
	u32 mbps;
	u32 base_rtt;
	u32 max_cwnd;
	u32 target;
	u32 fi;
	u32 eta;
	u32 fi_scale_1000;
	u32 alpha_us;
};

static const struct worked worked[] = {
	{ "100 Gb/s, 12 us", 100000, 12000, 225000, 9000, 20480, 614, 250, 1365 },
	{ "800 Gb/s, 10 us", 800000, 10000, 1500000, 7500, 136533, 4096, 1666,
	  9102 },
	{ "25 Gb/s, 50 us", 25000, 50000, 234375, 37500, 21333, 640, 260, 1422 },
	/* Without scaling windows would grow 167 times as fast at this distance. */
	{ "1 Gb/s, 10 ms", 1000, 10000000, 1875000, 7500000, 170666, 5120, 2083,
	  68 },
};

KUNIT_ARRAY_PARAM_DESC(worked, worked, name);

static void mrc_nscc_worked_values(struct kunit *test)
{
	const struct worked *w = test->param_value;
	struct mrc_nscc_cfg c;

	mrc_nscc_defaults(&c, w->mbps, w->base_rtt, MTU, true);
	KUNIT_EXPECT_EQ(test, c.base_rtt, w->base_rtt);
	KUNIT_EXPECT_EQ(test, c.max_cwnd, w->max_cwnd);
	KUNIT_EXPECT_EQ(test, c.target_delay, w->target);
	KUNIT_EXPECT_EQ(test, c.fi >> MRC_NSCC_SHIFT, w->fi);
	KUNIT_EXPECT_EQ(test, (c.eta + MRC_NSCC_ONE / 2) >> MRC_NSCC_SHIFT,
			w->eta);
	KUNIT_EXPECT_EQ(test, c.fi_scale * 1000ULL >> MRC_NSCC_SHIFT,
			w->fi_scale_1000);
	KUNIT_EXPECT_EQ(test, c.alpha * 1000ULL >> MRC_NSCC_ALPHA_SHIFT,
			w->alpha_us);
	KUNIT_EXPECT_EQ(test, c.adjust_bytes, 8 * MTU);
	KUNIT_EXPECT_EQ(test, c.adjust_period, w->base_rtt);
	KUNIT_EXPECT_EQ(test, c.gamma, 52429);
	KUNIT_EXPECT_EQ(test, c.max_md_jump, MRC_NSCC_ONE / 2);
	KUNIT_EXPECT_EQ(test, c.qa_gate, 3);
	KUNIT_EXPECT_EQ(test, c.qa_threshold, MRC_NSCC_NEVER);
	KUNIT_EXPECT_EQ(test, mrc_nscc_check(&c, MTU), MRC_NSCC_FIELD_OK);
}

/* Without trims delay is the only signal; its target is longer. */
static void mrc_nscc_defaults_without_trims(struct kunit *test)
{
	struct mrc_nscc_cfg c;

	mrc_nscc_defaults(&c, 100000, BASE, MTU, false);
	KUNIT_EXPECT_EQ(test, c.target_delay, BASE);
	KUNIT_EXPECT_EQ(test, c.qa_threshold, 4 * BASE);
}

/* The defaults are valid for any link rate and round trip. */
static void mrc_nscc_defaults_are_valid(struct kunit *test)
{
	struct mrc_nscc_cfg c;
	u32 mbps, rtt;

	for (mbps = 10; mbps <= 1600000; mbps *= 4) {
		for (rtt = 1000; rtt <= 10000000; rtt *= 10) {
			mrc_nscc_defaults(&c, mbps, rtt, MTU, rtt & 1);
			KUNIT_EXPECT_EQ_MSG(test, mrc_nscc_check(&c, MTU),
					    MRC_NSCC_FIELD_OK, "defaults of %u Mb/s, %u ns", mbps,
					    rtt);
			KUNIT_EXPECT_GE(test, c.max_cwnd, MTU);
		}
	}
}

static void mrc_nscc_alpha_follows_fi(struct kunit *test)
{
	struct mrc_cc_cfg cfg = nscc_cfg();
	u32 alpha = cfg.nscc.alpha;
	struct bench b;

	cfg.nscc.alpha = 0;
	set_up(&b, &cfg);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.alpha, alpha);
}

struct wrong {
	const char *name;
	enum mrc_nscc_field field;
	void (*spoil)(struct mrc_nscc_cfg *c);
};

#define SPOIL(field, value)						\
static void spoil_##field(struct mrc_nscc_cfg *c) { c->field = (value); }

SPOIL(target_delay, 0)
SPOIL(base_rtt, 1000000001)
SPOIL(max_cwnd, MTU - 1)
SPOIL(jitter, 1000000001)
SPOIL(fi_scale, 256 * MRC_NSCC_ONE + 1)
SPOIL(fi, (1ULL << 40) + 1)
SPOIL(eta, (1ULL << 40) + 1)
SPOIL(gamma, MRC_NSCC_ONE + 1)
SPOIL(max_md_jump, 0)
SPOIL(adjust_bytes, 0)
SPOIL(adjust_period, 0)
SPOIL(qa_threshold, 0)
SPOIL(qa_gate, 31)

static const struct wrong wrong[] = {
	{ "target_delay", MRC_NSCC_TARGET_DELAY, spoil_target_delay },
	{ "base_rtt", MRC_NSCC_BASE_RTT, spoil_base_rtt },
	{ "max_cwnd", MRC_NSCC_MAX_CWND, spoil_max_cwnd },
	{ "jitter", MRC_NSCC_JITTER, spoil_jitter },
	{ "fi_scale", MRC_NSCC_FI_SCALE, spoil_fi_scale },
	{ "fi", MRC_NSCC_FI, spoil_fi },
	{ "eta", MRC_NSCC_ETA, spoil_eta },
	{ "gamma", MRC_NSCC_GAMMA, spoil_gamma },
	{ "max_md_jump", MRC_NSCC_MAX_MD_JUMP, spoil_max_md_jump },
	{ "adjust_bytes_threshold", MRC_NSCC_ADJUST_BYTES, spoil_adjust_bytes },
	{ "adjust_period_threshold", MRC_NSCC_ADJUST_PERIOD,
	  spoil_adjust_period },
	{ "qa_threshold", MRC_NSCC_QA_THRESHOLD, spoil_qa_threshold },
	{ "qa_gate", MRC_NSCC_QA_GATE, spoil_qa_gate },
};

KUNIT_ARRAY_PARAM_DESC(wrong, wrong, name);

static void mrc_nscc_names_wrong_field(struct kunit *test)
{
	const struct wrong *w = test->param_value;
	struct mrc_cc_cfg cfg = nscc_cfg();

	KUNIT_EXPECT_EQ(test, mrc_nscc_check(&cfg.nscc, MTU),
			MRC_NSCC_FIELD_OK);
	w->spoil(&cfg.nscc);
	KUNIT_EXPECT_EQ(test, mrc_nscc_check(&cfg.nscc, MTU), w->field);
	KUNIT_EXPECT_STREQ(test, mrc_nscc_field_name(w->field), w->name);
}

/* Table 8-1. */

static void mrc_nscc_starts_at_line_rate(struct kunit *test)
{
	struct bench b;

	plain(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND);
}

/* No mark, delay below target: increase by the difference, 12.3 KB at most. */
static void mrc_nscc_proportional_increase(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	ack(&b, 100000, 1000, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000 + 12288 * 8 / 9);

	set_wnd(&b, 100000);
	ack(&b, 100000, TARGET / 2, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000 + 12287 / 2);

	set_wnd(&b, 100000);
	ack(&b, 50000, TARGET / 2, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000 + 12287 / 4);
}

/* No mark, delay at the target or above: 5 MTU per window for each flow. */
static void mrc_nscc_fair_increase(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	ack(&b, 100000, TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 120480);

	set_wnd(&b, 50000);
	ack(&b, 50000, 3 * TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 70480);
}

/* A mark without delay only affects the choice of paths. */
static void mrc_nscc_mark_alone_changes_nothing(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	set_avg(&b, 3 * TARGET);
	ack(&b, 100000, TARGET - 1, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
}

/* Mark and delay: decrease by gamma times the share of delay above target. */
static void mrc_nscc_multiplicative_decrease(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	ack(&b, MTU, TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);

	b.now += BASE + 1;
	set_avg(&b, 2 * TARGET);
	ack(&b, MTU, 2 * TARGET, true);
	KUNIT_EXPECT_LE(test, abs((s32)b.cc.cwnd - 60000), 1);
}

static void mrc_nscc_decrease_is_bounded(struct kunit *test)
{
	struct bench b;
	u32 i;

	plain(&b);
	set_wnd(&b, 100000);
	ack(&b, MTU, 0, false);
	set_wnd(&b, 100000);
	b.now += BASE + 1;
	set_avg(&b, 20 * TARGET);
	ack(&b, MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000);

	for (i = 0; i < 10; i++) {
		b.now += BASE + 1;
		set_avg(&b, 20 * TARGET);
		ack(&b, MTU, 20 * TARGET, true);
	}
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MTU);
}

static void mrc_nscc_decrease_once_per_rtt(struct kunit *test)
{
	struct bench b;

	plain(&b);
	ack(&b, MTU, 0, false);
	set_wnd(&b, 100000);
	b.now += BASE;
	set_avg(&b, 20 * TARGET);
	ack(&b, MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
	b.now++;
	ack(&b, MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000);
	b.now += BASE;
	ack(&b, MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000);
}

static u32 avg_delay(const struct bench *b)
{
	return b->cc.nscc.avg_delay >> MRC_NSCC_SHIFT;
}

/* Weight 1/80; a long delay without a mark counts as a quarter round trip. */
static void mrc_nscc_delay_is_averaged(struct kunit *test)
{
	struct bench b;
	u32 i;

	plain(&b);
	ack(&b, MTU, 8000, false);
	KUNIT_EXPECT_EQ(test, avg_delay(&b), 100);
	ack(&b, MTU, 8100, true);
	KUNIT_EXPECT_EQ(test, avg_delay(&b), 200);
	for (i = 0; i < 2000; i++)
		ack(&b, MTU, 40000, false);
	KUNIT_EXPECT_LE(test, abs((s32)avg_delay(&b) - BASE / 4), 1);
	for (i = 0; i < 2000; i++)
		ack(&b, MTU, 40000, true);
	KUNIT_EXPECT_LE(test, abs((s32)avg_delay(&b) - 40000), 1);
}

/* Fast increase. */

static void mrc_nscc_fast_increase(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 50000);
	b.cc.nscc.fi_count = 0;
	ack(&b, 40000, 999, false);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.increase);
	/* A whole window has been received without delay. */
	set_wnd(&b, 50000);
	ack(&b, 10001, 0, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000 + 10001 / 4);
	/* Each further byte adds a quarter. */
	ack(&b, 4000, 0, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000 + 14001 / 4);
	/* Delay ends fast increase. */
	ack(&b, 4000, 1000, false);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.increase);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.fi_count, 0);
}

static void mrc_nscc_decrease_ends_fast_increase(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 50000);
	ack(&b, 60000, 0, false);
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.increase);
	ack(&b, MTU, TARGET, true);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.increase);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.fi_count, 0);
}

/* When increases take effect. */

static void mrc_nscc_adjusts_after_bytes(struct kunit *test)
{
	struct mrc_cc_cfg cfg = plain_cfg();
	struct bench b;

	cfg.nscc.adjust_bytes = 8 * MTU;
	set_up(&b, &cfg);
	set_wnd(&b, 8 * MTU);
	ack(&b, 8 * MTU, TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 8 * MTU);
	ack(&b, MTU, TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 8 * MTU + 20480 * 9 / 8);
	/* The count of bytes begins anew. */
	ack(&b, 8 * MTU, TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 8 * MTU + 20480 * 9 / 8);
}

static void mrc_nscc_adjusts_after_time(struct kunit *test)
{
	struct mrc_cc_cfg cfg = nscc_cfg();
	struct bench b;

	cfg.nscc.disable_qa = true;
	set_up(&b, &cfg);
	set_wnd(&b, 100000);
	ack(&b, 1, TARGET, true);
	b.now += BASE - 1;
	ack(&b, 1, TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
	/* Eta, 0.15 MTU, once per period. */
	b.now++;
	ack(&b, 1, TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100614);
	ack(&b, 1, TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100614);
}

/* Quick adapt. */

static void quick(struct bench *b)
{
	struct mrc_cc_cfg cfg = plain_cfg();

	cfg.nscc.disable_qa = false;
	set_up(b, &cfg);
	/* Begins the first period. */
	ack(b, MTU, TARGET, true);
}

static void mrc_nscc_quick_adapt_on_trim(struct kunit *test)
{
	struct bench b;

	quick(&b);
	ack(&b, 3 * MTU, TARGET, true);
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND - MTU);
	/* The period ends: the window becomes what was received in it. */
	b.now += BASE + TARGET;
	ack(&b, 2 * MTU, TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 5 * MTU);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.trigger_qa);
}

static void mrc_nscc_quick_adapt_by_a_trim(struct kunit *test)
{
	struct bench b;

	quick(&b);
	ack(&b, 3 * MTU, TARGET, true);
	b.now += BASE + TARGET;
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 3 * MTU);
	/* Not again before the next period has ended. */
	b.inflight = 0;
	b.cc.nscc.ignore = 0;
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 2 * MTU);
}

static void mrc_nscc_quick_adapt_on_delay(struct kunit *test)
{
	struct mrc_cc_cfg cfg = plain_cfg();
	struct bench b;

	cfg.nscc.disable_qa = false;
	cfg.nscc.qa_threshold = 40000;
	set_up(&b, &cfg);
	ack(&b, MTU, TARGET, true);
	b.now += BASE + TARGET;
	ack(&b, 2 * MTU, 40000, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND);
	b.now += BASE + TARGET;
	ack(&b, 2 * MTU, 40001, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 2 * MTU);
}

/* No quick adapt if an eighth of the largest window was received. */
static void mrc_nscc_quick_adapt_needs_low_goodput(struct kunit *test)
{
	struct bench b;

	quick(&b);
	b.now += BASE + TARGET;
	b.cc.nscc.trigger_qa = true;
	ack(&b, MAX_WND / 8, TARGET - 1, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND);
	b.now += BASE + TARGET;
	ack(&b, MAX_WND / 8 - 1, TARGET - 1, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND / 8 - 1);
}

/* Packets in flight at a quick adapt carry marks of the time before it. */
static void mrc_nscc_quick_adapt_ignores_old_marks(struct kunit *test)
{
	struct bench b;

	quick(&b);
	b.now += BASE + TARGET;
	b.inflight = 10 * MTU;
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MTU);
	set_wnd(&b, 20 * MTU);

	b.now += BASE + 1;
	set_avg(&b, 20 * TARGET);
	ack(&b, 8 * MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 20 * MTU);
	/* Lost and trimmed packets count as packets in flight then, too. */
	lose(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 19 * MTU);
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.ignore, 0);
	set_avg(&b, 20 * TARGET);
	set_wnd(&b, 20 * MTU);
	b.cc.nscc.trigger_qa = false;
	ack(&b, MTU, 20 * TARGET, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 10 * MTU);
}

static void mrc_nscc_quick_adapt_disabled(struct kunit *test)
{
	struct bench b;

	plain(&b);
	ack(&b, MTU, TARGET, true);
	b.now += BASE + TARGET;
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND - MTU);
}

/* Trims and losses. */

static void mrc_nscc_trim_shrinks_window(struct kunit *test)
{
	struct bench b;

	plain(&b);
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND - MTU);
	/* A full switch delays by about a round trip. */
	KUNIT_EXPECT_EQ(test, avg_delay(&b), BASE / 80);
	set_wnd(&b, MTU);
	trim(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MTU);
}

static void mrc_nscc_trim_samples_round_trip(struct kunit *test)
{
	const struct mrc_cc_trim t = { .now = T0, .nominal = MTU, .rtt = 10000 };
	struct bench b;

	plain(&b);
	b.cc.ops->on_trim(&b.cc, &t);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, 10000);
}

static void mrc_nscc_loss_shrinks_window(struct kunit *test)
{
	struct bench b;

	plain(&b);
	lose(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND - MTU);
	KUNIT_EXPECT_EQ(test, avg_delay(&b), 0);
	set_wnd(&b, MTU + 1);
	lose(&b);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MTU);
}

/* Penalty of the responder. */

/* 64 in all SACKs of a round trip halves the window, 127 leaves a packet. */
static void mrc_nscc_penalty_shrinks_window(struct kunit *test)
{
	struct bench b;
	u32 i;

	plain(&b);
	set_wnd(&b, 128000);
	b.inflight = 128000;
	for (i = 0; i < 32; i++)
		ack_pen(&b, 4000, 1000, false, 64, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 64000);
	for (i = 0; i < 32; i++)
		ack_pen(&b, 4000, 1000, false, 127, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MTU);
}

/* The penalty is subtracted from the bytes in flight, not from the window. */
static void mrc_nscc_penalty_counts_from_flight(struct kunit *test)
{
	struct bench b;

	plain(&b);
	b.inflight = 50000;
	ack_pen(&b, 12800, 1000, false, 1, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 49900);
}

static void mrc_nscc_penalty_restores(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 128000);
	ack_pen(&b, 40000, 1000, false, 100, false);
	ack_pen(&b, 40000, 1000, false, 100, true);
	KUNIT_EXPECT_LT(test, b.cc.cwnd, 64000);
	ack_pen(&b, 0, 1000, true, 0, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 128000);

	/* Only once, and only if the responder requests it. */
	set_wnd(&b, 100000);
	ack_pen(&b, 0, 1000, true, 0, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
	b.inflight = 50000;
	ack_pen(&b, 0, 1000, true, 1, false);
	ack_pen(&b, 0, 1000, true, 0, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 50000);
}

static void mrc_nscc_penalty_stops_increase(struct kunit *test)
{
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	ack_pen(&b, 1280, 1000, false, 1, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 99990);
	ack_pen(&b, 1280, TARGET, false, 1, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 99980);
	/* But not a decrease. */
	b.now += BASE + 1;
	set_avg(&b, 20 * TARGET);
	ack_pen(&b, 2560, 20 * TARGET, true, 1, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 49980);
}

/* Bounds. */

static void mrc_nscc_window_is_bounded(struct kunit *test)
{
	struct bench b;

	plain(&b);
	ack(&b, 1 << 24, TARGET, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND);
	b.cc.nscc.increase = true;
	ack(&b, 1 << 24, 0, false);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND);
}

/* A SACK without a round trip only counts received bytes. */
static void mrc_nscc_sack_without_round_trip(struct kunit *test)
{
	const struct mrc_cc_ack a = { .now = T0, .acked = 100000 };
	struct bench b;

	plain(&b);
	set_wnd(&b, 100000);
	b.cc.ops->on_ack(&b.cc, &a);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.achieved, 100000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.received, 100000);
}

static void sample(struct bench *b, u32 rtt)
{
	const struct mrc_cc_ack a = { .now = b->now, .rtt = rtt };

	b->cc.ops->on_ack(&b->cc, &a);
}

static void mrc_nscc_base_rtt_falls(struct kunit *test)
{
	struct bench b;

	plain(&b);
	sample(&b, 20000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, BASE);
	sample(&b, 8000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, 8000);
	/* The bandwidth-delay product is smaller then. */
	KUNIT_EXPECT_EQ(test, b.cc.nscc.max_wnd, MAX_WND * 8 / 12);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, MAX_WND * 8 / 12);
}

/* The minimum of the round trip expires after 5 to 10 s. */
static void mrc_nscc_base_rtt_expires(struct kunit *test)
{
	struct bench b;
	u32 ms;

	plain(&b);
	sample(&b, 2000);
	for (ms = 0; ms < 5000; ms += 10, b.now += 10000000) {
		sample(&b, 11000);
		KUNIT_ASSERT_EQ(test, b.cc.nscc.base_rtt, 2000);
	}
	for (; ms < 10020; ms += 10, b.now += 10000000)
		sample(&b, 11000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, 11000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.max_wnd, MAX_WND / 12 * 11);

	/* After a long pause all samples have expired. */
	b.now += 2 * MRC_METRICS_RTT_NS;
	sample(&b, 11500);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, 11500);
}

/* A standing queue does not raise the base round trip above the configured one. */
static void mrc_nscc_base_rtt_stays_below_configured(struct kunit *test)
{
	struct bench b;
	u32 s;

	plain(&b);
	for (s = 0; s < 60; s++, b.now += 1000000000)
		sample(&b, 30000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, BASE);
}

/* Jitter of hosts is no queueing delay: the target is at least the jitter. */
static void mrc_nscc_target_covers_jitter(struct kunit *test)
{
	struct mrc_cc_cfg cfg = plain_cfg();
	struct bench b;

	cfg.nscc.jitter = 50000;
	set_up(&b, &cfg);
	ack(&b, 0, 0, true);
	b.now += BASE + 1;
	set_wnd(&b, 100000);
	set_avg(&b, 60000);
	ack(&b, MTU, 49999, true);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 100000);
	b.now += BASE + 1;
	ack(&b, MTU, 50000, true);
	KUNIT_EXPECT_LT(test, b.cc.cwnd, 100000);

	/* Jitter below the target does not change it. */
	cfg.nscc.jitter = 100;
	set_up(&b, &cfg);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.target, TARGET);
}

/* Extreme parameters and acknowledgments: the window stays within its bounds. */
static void mrc_nscc_extreme_acks_bounded(struct kunit *test)
{
	struct mrc_cc_cfg cfg = nscc_cfg();
	struct mrc_nscc *n;
	struct bench b;
	u64 rnd = 1;
	u32 i, r;

	cfg.nscc.max_cwnd = 1 << 30;
	cfg.nscc.fi = 1ULL << 40;
	cfg.nscc.eta = 1ULL << 40;
	cfg.nscc.fi_scale = 256 * MRC_NSCC_ONE;
	cfg.nscc.alpha = U32_MAX;
	cfg.nscc.target_delay = 1000000000;
	cfg.nscc.base_rtt = 1000000000;
	KUNIT_ASSERT_EQ(test, mrc_nscc_check(&cfg.nscc, MTU),
			MRC_NSCC_FIELD_OK);
	set_up(&b, &cfg);
	n = &b.cc.nscc;
	for (i = 0; i < 100000; i++) {
		struct mrc_cc_ack a = { .now = b.now };

		r = mrc_rnd_next(&rnd);
		a.acked = mrc_rnd_next(&rnd) >> (32 + r % 32);
		a.rtt = mrc_rnd_next(&rnd) >> (32 + (r >> 5) % 32);
		a.inflight = mrc_rnd_next(&rnd) >> (32 + (r >> 10) % 32);
		a.marked = r >> 16 & 1;
		a.rcv_cwnd_pen = r & BIT(17) ? r >> 18 & 0x7f : 0;
		a.restore_cwnd = r >> 25 & 1;
		b.inflight = a.inflight;
		b.cc.ops->on_ack(&b.cc, &a);
		if (r >> 26 == 1)
			trim(&b);
		if (r >> 26 == 2)
			lose(&b);
		b.now += mrc_rnd_next(&rnd) >> (30 + r % 24);
		KUNIT_ASSERT_GE(test, b.cc.cwnd, MTU);
		KUNIT_ASSERT_LE(test, b.cc.cwnd, 1 << 30);
		KUNIT_ASSERT_EQ(test, b.cc.cwnd, n->wnd >> MRC_NSCC_SHIFT);
		KUNIT_ASSERT_LE(test, n->avg_delay >> MRC_NSCC_SHIFT,
				1000000000);
	}
}

static struct kunit_case mrc_nscc_cases[] = {
	KUNIT_CASE_PARAM(mrc_nscc_worked_values, worked_gen_params),
	KUNIT_CASE(mrc_nscc_defaults_without_trims),
	KUNIT_CASE(mrc_nscc_defaults_are_valid),
	KUNIT_CASE(mrc_nscc_alpha_follows_fi),
	KUNIT_CASE_PARAM(mrc_nscc_names_wrong_field, wrong_gen_params),
	KUNIT_CASE(mrc_nscc_starts_at_line_rate),
	KUNIT_CASE(mrc_nscc_proportional_increase),
	KUNIT_CASE(mrc_nscc_fair_increase),
	KUNIT_CASE(mrc_nscc_mark_alone_changes_nothing),
	KUNIT_CASE(mrc_nscc_multiplicative_decrease),
	KUNIT_CASE(mrc_nscc_decrease_is_bounded),
	KUNIT_CASE(mrc_nscc_decrease_once_per_rtt),
	KUNIT_CASE(mrc_nscc_delay_is_averaged),
	KUNIT_CASE(mrc_nscc_fast_increase),
	KUNIT_CASE(mrc_nscc_decrease_ends_fast_increase),
	KUNIT_CASE(mrc_nscc_adjusts_after_bytes),
	KUNIT_CASE(mrc_nscc_adjusts_after_time),
	KUNIT_CASE(mrc_nscc_quick_adapt_on_trim),
	KUNIT_CASE(mrc_nscc_quick_adapt_by_a_trim),
	KUNIT_CASE(mrc_nscc_quick_adapt_on_delay),
	KUNIT_CASE(mrc_nscc_quick_adapt_needs_low_goodput),
	KUNIT_CASE(mrc_nscc_quick_adapt_ignores_old_marks),
	KUNIT_CASE(mrc_nscc_quick_adapt_disabled),
	KUNIT_CASE(mrc_nscc_trim_shrinks_window),
	KUNIT_CASE(mrc_nscc_trim_samples_round_trip),
	KUNIT_CASE(mrc_nscc_loss_shrinks_window),
	KUNIT_CASE(mrc_nscc_penalty_shrinks_window),
	KUNIT_CASE(mrc_nscc_penalty_counts_from_flight),
	KUNIT_CASE(mrc_nscc_penalty_restores),
	KUNIT_CASE(mrc_nscc_penalty_stops_increase),
	KUNIT_CASE(mrc_nscc_window_is_bounded),
	KUNIT_CASE(mrc_nscc_sack_without_round_trip),
	KUNIT_CASE(mrc_nscc_base_rtt_falls),
	KUNIT_CASE(mrc_nscc_base_rtt_expires),
	KUNIT_CASE(mrc_nscc_base_rtt_stays_below_configured),
	KUNIT_CASE(mrc_nscc_target_covers_jitter),
	KUNIT_CASE(mrc_nscc_extreme_acks_bounded),
	{}
};

static struct kunit_suite mrc_nscc_suite = {
	.name = "mrc_nscc",
	.test_cases = mrc_nscc_cases,
};

kunit_test_suite(mrc_nscc_suite);

MODULE_DESCRIPTION("KUnit tests of NSCC");
MODULE_LICENSE("Dual BSD/GPL");
