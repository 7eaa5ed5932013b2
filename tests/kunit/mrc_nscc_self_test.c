// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * NSCC that configures itself: slow start, the rate of the links and the base round
 * trips, which are measured.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "core/cc.h"

#define MTU		4096
#define BASE		12000
#define T0		1000000000ULL

/**
 * struct bench - congestion control without a requester
 * @cc: congestion control
 * @now: ns
 */
struct bench {
	struct mrc_cc cc;
	u64 now;
};

static void set_up(struct bench *b, const struct mrc_cc_cfg *cfg)
{
	*b = (struct bench){ .now = T0 };
	mrc_cc_init(&b->cc, &mrc_cc_nscc, cfg);
}

/* Parameters of a QP without a profile: the network is measured. */
static struct mrc_cc_cfg self_cfg(u32 mbps)
{
	struct mrc_cc_cfg cfg = { .mtu = MTU };

	mrc_nscc_defaults(&cfg.nscc, mbps, BASE, MTU, false);
	cfg.nscc.measured = true;
	cfg.nscc.learn = true;
	return cfg;
}

static void set_window(struct bench *b, u32 bytes)
{
	b->cc.nscc.wnd = (u64)bytes << MRC_NSCC_SHIFT;
	b->cc.cwnd = bytes;
}

/* @ack acknowledges one packet of a full window of @cwnd bytes. */
static void one_of_window(struct bench *b, struct mrc_cc_ack *ack, u32 cwnd)
{
	b->now += (u64)ack->rtt * MTU / cwnd;
	ack->now = b->now;
	ack->inflight = cwnd - MTU;
	mrc_cc_nscc.on_ack(&b->cc, ack);
}

/* One round trip with a full window, of which each packet is acknowledged by @ack. */
static void full_window(struct bench *b, struct mrc_cc_ack *ack)
{
	u32 cwnd = b->cc.cwnd, sent;

	for (sent = 0; sent < cwnd; sent += MTU)
		one_of_window(b, ack, cwnd);
}

/*
 * One round trip with a full window on a link of @mbps and @base_rtt: what the
 * link does not hold waits in its queue.  Returns the delay.
 */
static u32 round_trip(struct bench *b, u32 mbps, u32 base_rtt, bool marks)
{
	u64 bdp = div_u64((u64)mbps * base_rtt, 8000);
	u32 cwnd = b->cc.cwnd;
	u32 delay = cwnd <= bdp ? 0 : div_u64((cwnd - bdp) * 8000, mbps);
	struct mrc_cc_ack ack = {
		.rtt = base_rtt + delay, .acked = MTU,
		.marked = marks && delay > base_rtt / 2,
	};

	full_window(b, &ack);
	return delay;
}

/* One round trip with a full window that a host delays by @delay. */
static void host_delay(struct bench *b, u32 base_rtt, u32 delay)
{
	struct mrc_cc_ack ack = { .rtt = base_rtt + delay, .acked = MTU };

	full_window(b, &ack);
}

/* The first flight is small, then the window doubles until a queue is met. */
static void mrc_nscc_slow_start(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;
	u32 i, last;

	set_up(&b, &cfg);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 4 * MTU);
	for (i = 0; i < 3; i++) {
		last = b.cc.cwnd;
		round_trip(&b, 100000, BASE, false);
		KUNIT_EXPECT_GE(test, b.cc.cwnd, 2 * last);
		KUNIT_EXPECT_LE(test, b.cc.cwnd, 2 * last + MTU);
	}
	for (; i < 12; i++)
		round_trip(&b, 100000, BASE, true);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.starting);
	/* At least what the link holds, at most one and a half times that. */
	KUNIT_EXPECT_GE(test, b.cc.cwnd, 150000);
	KUNIT_EXPECT_LE(test, b.cc.cwnd, 240000);
}

/*
 * First flights of 64 QPs towards a host with as many ports as theirs fit into queues of
 * 256 KiB, one at each port.
 */
static void mrc_nscc_first_flights_fit(struct kunit *test)
{
	u32 ports;

	KUNIT_EXPECT_EQ(test, mrc_nscc_first_flight(0, MTU), MTU);
	for (ports = 1; ports <= 32; ports++) {
		u32 wnd = mrc_nscc_first_flight(ports, 4096);

		KUNIT_EXPECT_GE(test, wnd, 4096);
		KUNIT_EXPECT_LE(test, 64 * wnd / ports, 256 * 1024);
	}
}

/*
 * Hosts cause delays: without a mark they do not end slow start below 1 MiB, nor make the
 * window smaller than that.
 */
static void mrc_nscc_slow_start_without_marks(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;
	u32 i;

	set_up(&b, &cfg);
	for (i = 0; i < 8; i++)
		round_trip(&b, 100000, BASE, false);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.starting);
	KUNIT_EXPECT_GE(test, b.cc.nscc.peak, MRC_NSCC_HOST_WND);
	KUNIT_EXPECT_GE(test, b.cc.cwnd, MRC_NSCC_HOST_WND);
}

/* Where the network holds more than that, a delay of half a round trip does. */
static void mrc_nscc_slow_start_beyond_hosts(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	const u32 base = 1000000;
	struct bench b;
	u32 i;

	set_up(&b, &cfg);
	round_trip(&b, 100000, base, false);
	for (i = 0; i < 32 && b.cc.nscc.starting; i++)
		host_delay(&b, base, base);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.starting);
	KUNIT_EXPECT_GE(test, b.cc.nscc.peak, MRC_NSCC_HOST_WND);
	KUNIT_EXPECT_LE(test, b.cc.nscc.peak, MRC_NSCC_HOST_WND + MTU);
}

/*
 * However long delays without a mark are and however little arrives, the window of a
 * host that is busy does not become smaller either.
 */
static void mrc_nscc_host_delay_is_no_congestion(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;
	u32 i, wnd;

	set_up(&b, &cfg);
	for (i = 0; i < 3; i++)
		round_trip(&b, 100000, BASE, false);
	for (i = 0; i < 8; i++) {
		wnd = b.cc.cwnd;
		host_delay(&b, BASE, 100 * BASE);
		KUNIT_EXPECT_GE(test, b.cc.cwnd, min(wnd, MRC_NSCC_HOST_WND));
	}
}

/* A mark, a loss and a trim end slow start, with half of the window. */
static void mrc_nscc_slow_start_ends(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct mrc_cc_ack ack = { .rtt = BASE, .acked = MTU, .marked = true };
	struct mrc_cc_trim trim = { .nominal = MTU };
	struct bench b;
	u32 i, wnd;

	for (i = 0; i < 3; i++) {
		set_up(&b, &cfg);
		round_trip(&b, 100000, BASE, false);
		round_trip(&b, 100000, BASE, false);
		wnd = b.cc.cwnd;
		ack.now = ++b.now;
		trim.now = b.now;
		if (i == 0)
			mrc_cc_nscc.on_ack(&b.cc, &ack);
		else if (i == 1)
			mrc_cc_nscc.on_loss(&b.cc, b.now, MTU);
		else
			mrc_cc_nscc.on_trim(&b.cc, &trim);
		KUNIT_EXPECT_FALSE(test, b.cc.nscc.starting);
		KUNIT_EXPECT_LE(test, b.cc.cwnd, wnd / 2);
		KUNIT_EXPECT_GE(test, b.cc.cwnd, wnd / 2 - MTU);
	}
}

/* A mark and a trim are remembered, neither a delay nor a loss is. */
static void mrc_nscc_marks_are_met(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct mrc_cc_ack ack = { .rtt = BASE, .acked = MTU, .marked = true };
	struct mrc_cc_trim trim = { .nominal = MTU };
	struct bench b;

	set_up(&b, &cfg);
	round_trip(&b, 100000, BASE, false);
	host_delay(&b, BASE, 100 * BASE);
	mrc_cc_nscc.on_loss(&b.cc, ++b.now, MTU);
	KUNIT_EXPECT_FALSE(test, b.cc.nscc.met_marks);
	ack.now = ++b.now;
	mrc_cc_nscc.on_ack(&b.cc, &ack);
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.met_marks);

	set_up(&b, &cfg);
	trim.now = ++b.now;
	mrc_cc_nscc.on_trim(&b.cc, &trim);
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.met_marks);
	round_trip(&b, 100000, BASE, false);
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.met_marks);
}

/* What the application does not use does not let the window grow. */
static void mrc_nscc_slow_start_unused_window(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct mrc_cc_ack ack = { .rtt = BASE, .acked = MTU };
	struct bench b;
	u32 i;

	set_up(&b, &cfg);
	for (i = 0; i < 100; i++) {
		ack.now = b.now += BASE;
		mrc_cc_nscc.on_ack(&b.cc, &ack);
	}
	/* But for the small increase of every round trip. */
	KUNIT_EXPECT_LE(test, b.cc.cwnd, 4 * MTU +
			(100 * b.cc.nscc.p.eta >> MRC_NSCC_SHIFT));
}

/* Links that are faster than assumed are filled all the same. */
static void mrc_nscc_learns_rate(struct kunit *test)
{
	static const struct {
		u32 assumed;
		u32 mbps;
		u32 rtt;
	} nets[] = {
		{ 25000, 100000, BASE }, { 25000, 400000, BASE },
		{ 10000, 10000, 1000000 }, { 40000, 10000, 100000 },
	};
	struct mrc_cc_cfg cfg;
	struct bench b;
	u32 n, i, delay;
	u64 bdp;

	for (n = 0; n < ARRAY_SIZE(nets); n++) {
		cfg = self_cfg(nets[n].assumed);
		set_up(&b, &cfg);
		bdp = div_u64((u64)nets[n].mbps * nets[n].rtt, 8000);
		for (i = 0; i < 100; i++)
			delay = round_trip(&b, nets[n].mbps, nets[n].rtt, true);
		KUNIT_EXPECT_GE_MSG(test, b.cc.cwnd, bdp, "network %u", n);
		KUNIT_EXPECT_LE_MSG(test, delay, nets[n].rtt * 5 / 4,
				    "network %u", n);
		KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, nets[n].rtt);
		KUNIT_EXPECT_EQ(test, b.cc.nscc.target,
				nets[n].rtt / 8 * 3);
	}
}

/* A rate that the operator has set is not exceeded. */
static void mrc_nscc_configured_rate(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(25000);
	struct bench b;
	u32 i;

	cfg.nscc.learn = false;
	set_up(&b, &cfg);
	for (i = 0; i < 100; i++)
		round_trip(&b, 100000, BASE, true);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.mbps, 25000);
	KUNIT_EXPECT_EQ(test, b.cc.cwnd, 25000ULL * BASE / 8000 * 3 / 2);
}

/* Parameters that have been chosen stay, others follow the measurement. */
static void mrc_nscc_chosen_parameters_stay(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;

	cfg.nscc.target_delay = 7777;
	cfg.nscc.set = BIT(MRC_NSCC_TARGET_DELAY);
	set_up(&b, &cfg);
	round_trip(&b, 100000, 50000, false);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.target, 7777);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.p.base_rtt, 50000);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.p.adjust_period, 50000);
}

/* Each plane has a base round trip of its own: a longer one is no queue. */
static void mrc_nscc_planes_differ_in_length(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct mrc_cc_ack ack = { .acked = MTU, .inflight = 15 * MTU };
	struct bench b;
	u32 i;

	set_up(&b, &cfg);
	for (i = 0; i < 8; i++) {
		ack.now = b.now += 1000;
		ack.plane = i & 3;
		ack.rtt = ack.plane ? BASE : 5 * BASE;
		mrc_cc_nscc.on_ack(&b.cc, &ack);
	}
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.starting);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.avg_delay, 0);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.base_rtt, 2 * BASE);
	KUNIT_EXPECT_TRUE(test, b.cc.nscc.uneven);
}

/*
 * A mark tells of the time when its packet was sent: on a plane that is longer than
 * others a decrease shows its effect later.
 */
static void mrc_nscc_decrease_on_long_plane(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct mrc_cc_ack ack = {
		.acked = MTU, .inflight = 15 * MTU, .marked = true,
	};
	struct bench b;
	u64 first;
	u32 i;

	set_up(&b, &cfg);
	for (i = 0; i < 8; i++)
		mrc_metrics_add_rtt(mrc_cc_metrics(&b.cc), i & 3,
				    i & 3 ? BASE : 9 * BASE, b.now);
	/* Mean of all planes: three times the shortest one. */
	for (i = 0; i < 64; i++) {
		ack.now = b.now += 6 * BASE;
		ack.rtt = BASE;
		ack.plane = 1;
		mrc_cc_nscc.on_ack(&b.cc, &ack);
	}
	KUNIT_ASSERT_EQ(test, b.cc.nscc.base_rtt, 3 * BASE);
	KUNIT_ASSERT_EQ(test, b.cc.nscc.last_dec, b.now);

	first = b.now;
	ack.plane = 0;
	ack.rtt = 9 * BASE;
	ack.now = first + 9 * BASE;
	mrc_cc_nscc.on_ack(&b.cc, &ack);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.last_dec, first);
	ack.now++;
	mrc_cc_nscc.on_ack(&b.cc, &ack);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.last_dec, ack.now);

	first = ack.now;
	ack.plane = 1;
	ack.rtt = BASE;
	ack.now = first + 3 * BASE + 1;
	mrc_cc_nscc.on_ack(&b.cc, &ack);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.last_dec, ack.now);
}

/*
 * A connection that begins while others keep a queue knows the round trip and the
 * rate of the network from them; it does not take its share for the rate.
 */
static void mrc_nscc_shares_measurements(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(25000);
	struct mrc_metrics m = {};
	struct bench first, late;
	u32 i, mbps;

	cfg.metrics = &m;
	set_up(&first, &cfg);
	for (i = 0; i < 40; i++)
		round_trip(&first, 100000, BASE, true);
	mbps = first.cc.nscc.mbps;
	KUNIT_EXPECT_GT(test, mbps, 90000);

	set_up(&late, &cfg);
	KUNIT_EXPECT_EQ(test, late.cc.nscc.base_rtt, BASE);
	KUNIT_EXPECT_EQ(test, late.cc.nscc.mbps, mbps);
	late.now = first.now;
	for (i = 0; i < 20; i++)
		round_trip(&late, 50000, 2 * BASE, true);
	KUNIT_EXPECT_EQ(test, late.cc.nscc.base_rtt, BASE);
	KUNIT_EXPECT_GE(test, late.cc.nscc.mbps, mbps);

	/* What one of them finds out later is true for both. */
	mrc_metrics_add_rtt(&m, 0, BASE / 2, late.now);
	round_trip(&first, 50000, BASE, false);
	KUNIT_EXPECT_EQ(test, first.cc.nscc.base_rtt, BASE / 2);
}

/* The rate that an operator has set is not that of others. */
static void mrc_nscc_configured_rate_is_own(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(25000);
	struct mrc_metrics m = {};
	struct bench b;

	cfg.metrics = &m;
	cfg.nscc.learn = false;
	mrc_metrics_learn_rate(&m, 100000);
	set_up(&b, &cfg);
	round_trip(&b, 100000, BASE, false);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.mbps, 25000);
}

/* A rate that is known, or forgotten round trips, make no sample of one. */
static void mrc_nscc_base_rtt_needs_sample(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(25000);
	struct mrc_metrics m = {};
	struct bench b;

	cfg.metrics = &m;
	mrc_metrics_learn_rate(&m, 100000);
	set_up(&b, &cfg);
	KUNIT_EXPECT_EQ(test, mrc_cc_base_rtt(&b.cc), 0);
	round_trip(&b, 100000, BASE, false);
	KUNIT_EXPECT_EQ(test, mrc_cc_base_rtt(&b.cc), BASE);
	mrc_metrics_forget(&m);
	mrc_cc_change(&b.cc, &mrc_cc_nscc, &cfg);
	KUNIT_EXPECT_EQ(test, mrc_cc_base_rtt(&b.cc), 0);
}

/* One SACK, a base round trip after the one before, at the end of slow start. */
static void sack(struct bench *b, u32 delay, bool marked)
{
	struct mrc_cc_ack ack = {
		.acked = MTU, .inflight = b->cc.cwnd, .rtt = BASE + delay,
		.marked = marked,
	};

	b->cc.nscc.starting = false;
	ack.now = b->now += BASE + delay + 1;
	mrc_cc_nscc.on_ack(&b->cc, &ack);
}

/* A decrease removes half of the share of packets that were marked. */
static void mrc_nscc_decrease_by_marks(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;
	u32 i, wnd;

	set_up(&b, &cfg);
	sack(&b, 0, false);
	set_window(&b, 200000);
	b.cc.nscc.avg_marks = MRC_NSCC_ONE / 5;
	b.cc.nscc.avg_delay = (u64)BASE << MRC_NSCC_SHIFT;
	wnd = b.cc.cwnd;
	sack(&b, BASE, true);
	KUNIT_EXPECT_LE(test, b.cc.cwnd, wnd - wnd / 11);
	KUNIT_EXPECT_GE(test, b.cc.cwnd, wnd - wnd / 9);

	for (i = 0; i < 5000; i++)
		sack(&b, BASE, true);
	KUNIT_EXPECT_GE(test, b.cc.nscc.avg_marks, 15 * MRC_NSCC_ONE / 16);
	for (i = 0; i < 50000; i++)
		sack(&b, 0, false);
	KUNIT_EXPECT_LE(test, b.cc.nscc.avg_marks, MRC_NSCC_ONE / 16);
}

/* Of the largest windows, too, a single packet changes the averages by little. */
static void mrc_nscc_marks_of_large_windows(struct kunit *test)
{
	const struct mrc_cc_cfg cfg = self_cfg(400000);
	u32 wnds[] = { 1U << 28, 3U << 28, MRC_NSCC_CWND_MAX };
	struct bench b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wnds); i++) {
		set_up(&b, &cfg);
		set_window(&b, wnds[i]);
		sack(&b, 0, true);
		KUNIT_EXPECT_GT(test, b.cc.nscc.avg_marks, 0);
		KUNIT_EXPECT_LE(test, b.cc.nscc.avg_marks, MRC_NSCC_ONE / 1024);
		KUNIT_EXPECT_EQ(test, b.cc.nscc.new_marks, b.cc.nscc.avg_marks);
	}
}

/* A connection with a window of 200,000 bytes, after slow start. */
static void set_up_running(struct bench *b)
{
	const struct mrc_cc_cfg cfg = self_cfg(100000);

	set_up(b, &cfg);
	sack(b, 0, false);
	set_window(b, 200000);
	b->cc.nscc.avg_marks = 0;
}

/*
 * A flow that takes a queue for a part of the round trip finds no delay: marks count
 * nevertheless, in proportion.
 */
static void mrc_nscc_marks_without_delay(struct kunit *test)
{
	struct bench b;
	u32 i;

	set_up_running(&b);
	/* Single paths: every tenth packet. */
	for (i = 0; i < 50; i++)
		sack(&b, 0, i % 10 == 9);
	KUNIT_EXPECT_GE(test, b.cc.cwnd, 180000);
	for (i = 0; i < 2000; i++)
		sack(&b, 0, true);
	KUNIT_EXPECT_LE(test, b.cc.cwnd, 100000);
}

/* Growth of the window by 40 packets, with @marks as the average, without decreases. */
static s64 growth(struct bench *b, bool marked, s32 marks)
{
	u64 wnd = b->cc.nscc.wnd;
	u32 i;

	for (i = 0; i < 40; i++) {
		b->cc.nscc.last_dec = b->now + BASE + BASE / 8 + 1;
		b->cc.nscc.avg_marks = marks;
		b->cc.nscc.new_marks = marks;
		sack(b, BASE / 8, marked);
	}
	return b->cc.nscc.wnd - wnd;
}

/*
 * The fair increase does not depend on the mark of a packet, or of many flows those with
 * more packets without one would increase by more.  That for want of delay ends with marks: some
 * flows find less delay than others where there is the same.
 */
static void mrc_nscc_increase_despite_marks(struct kunit *test)
{
	s64 quiet, marked, unmarked;
	struct bench b;

	set_up_running(&b);
	marked = growth(&b, true, MRC_NSCC_ONE / 4);
	set_up_running(&b);
	unmarked = growth(&b, false, MRC_NSCC_ONE / 4);
	set_up_running(&b);
	quiet = growth(&b, false, 0);
	KUNIT_EXPECT_GT(test, marked, 0);
	KUNIT_EXPECT_LE(test, abs(unmarked - marked), marked / 100);
	KUNIT_EXPECT_GT(test, quiet, 2 * marked);
}

/* The more packets are marked, the smaller is the fair increase: many flows share a queue. */
static void mrc_nscc_fair_increase_among_marks(struct kunit *test)
{
	s64 all, half, none;
	struct bench b;

	set_up_running(&b);
	none = growth(&b, true, 0);
	set_up_running(&b);
	half = growth(&b, true, MRC_NSCC_ONE / 2);
	set_up_running(&b);
	all = growth(&b, true, MRC_NSCC_ONE);
	KUNIT_EXPECT_GT(test, 100 * half, 70 * none);
	KUNIT_EXPECT_LT(test, 100 * half, 80 * none);
	KUNIT_EXPECT_GT(test, 100 * all, 47 * none);
	KUNIT_EXPECT_LT(test, 100 * all, 55 * none);
}

/*
 * A window's worth of packets with little delay, of which each fourth has mark @marked,
 * without decreases.  Returns the growth of the window in percent.
 */
static s32 window_growth(struct bench *b, bool marked)
{
	struct mrc_cc_ack ack = { .rtt = BASE + BASE / 8, .acked = MTU };
	u32 before = b->cc.cwnd, i;

	for (i = 0; i * MTU < before; i++) {
		b->cc.nscc.last_dec = b->now + (u64)ack.rtt * MTU / before;
		ack.marked = marked && i % 4 == 0;
		one_of_window(b, &ack, before);
	}
	return div_s64(100 * ((s64)b->cc.cwnd - before), before);
}

/* Slow start has just ended, with a window of @wnd bytes. */
static void set_up_started(struct bench *b, u32 wnd)
{
	const struct mrc_cc_cfg cfg = self_cfg(400000);

	set_up(b, &cfg);
	round_trip(b, 400000, BASE, false);
	mrc_cc_nscc.on_loss(&b->cc, b->now, 0);
	set_window(b, wnd);
}

/*
 * When slow start ends, many marks are assumed.  If packets that were sent later have none,
 * nobody else fills the links: the window grows at once, while decreases keep the
 * assumption.  Marks of what had been sent do not count.
 */
static void mrc_nscc_start_alone(struct kunit *test)
{
	struct bench b;

	set_up_started(&b, 100 * MTU);
	KUNIT_EXPECT_LE(test, window_growth(&b, true), 4);
	window_growth(&b, false);
	KUNIT_EXPECT_GE(test, window_growth(&b, false), 10);
	KUNIT_EXPECT_GT(test, b.cc.nscc.avg_marks, MRC_NSCC_ONE / 4);
}

/* The window does not grow so where later packets are marked .. */
static void mrc_nscc_start_among_others(struct kunit *test)
{
	struct bench b;
	u32 i;

	set_up_started(&b, 100 * MTU);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_LE(test, window_growth(&b, true), 4);
}

/* .. or are so few that chance may explain why none is. */
static void mrc_nscc_start_with_few_packets(struct kunit *test)
{
	struct bench b;
	u32 i;

	set_up_started(&b, 20 * MTU);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_LE(test, window_growth(&b, false), 15);
	KUNIT_EXPECT_GE(test, b.cc.nscc.new_marks, MRC_NSCC_ONE / 8);
}

/* Without slow start nothing is assumed, and there is one average. */
static void mrc_nscc_start_at_line_rate(struct kunit *test)
{
	struct mrc_cc_cfg cfg = self_cfg(100000);
	struct bench b;
	u32 i;

	cfg.nscc.init_cwnd = 0;
	set_up(&b, &cfg);
	for (i = 0; i < 100; i++)
		sack(&b, 0, i % 3 == 0);
	KUNIT_EXPECT_GT(test, b.cc.nscc.avg_marks, 0);
	KUNIT_EXPECT_EQ(test, b.cc.nscc.new_marks, b.cc.nscc.avg_marks);
}

/* Long queues are known by their marks, not by a delay. */
static void mrc_nscc_crowded_by_marks(struct kunit *test)
{
	struct bench b;

	set_up_running(&b);
	KUNIT_EXPECT_FALSE(test, mrc_cc_is_crowded(&b.cc));
	b.cc.nscc.avg_marks = MRC_NSCC_ONE / 2 - 1;
	b.cc.nscc.avg_delay = 10ULL * BASE << MRC_NSCC_SHIFT;
	KUNIT_EXPECT_FALSE(test, mrc_cc_is_crowded(&b.cc));
	b.cc.nscc.avg_marks = MRC_NSCC_ONE / 2;
	b.cc.nscc.avg_delay = 0;
	KUNIT_EXPECT_TRUE(test, mrc_cc_is_crowded(&b.cc));
	b.cc.ops = &mrc_cc_fixed;
	KUNIT_EXPECT_FALSE(test, mrc_cc_is_crowded(&b.cc));
}

/* On a long round trip only the fair increase goes beyond the latest peak. */
static void mrc_nscc_peak_of_long_round_trip(struct kunit *test)
{
	struct bench b;
	s64 near, below;

	set_up_running(&b);
	b.cc.nscc.base_rtt = 25000000;
	b.cc.nscc.peak = 200000;
	near = growth(&b, false, 0);
	set_up_running(&b);
	b.cc.nscc.base_rtt = 25000000;
	b.cc.nscc.peak = 400000;
	below = growth(&b, false, 0);
	KUNIT_EXPECT_GT(test, near, 0);
	KUNIT_EXPECT_GT(test, below, 2 * near);
}

/*
 * Likewise with planes of which one is much longer: the others tell that there is room
 * while what was sent on the long one is still on its way.
 */
static void mrc_nscc_peak_of_long_plane(struct kunit *test)
{
	struct bench b;
	s64 near, even;

	set_up_running(&b);
	b.cc.nscc.peak = 200000;
	even = growth(&b, false, 0);
	set_up_running(&b);
	b.cc.nscc.uneven = true;
	b.cc.nscc.peak = 200000;
	near = growth(&b, false, 0);
	KUNIT_EXPECT_GT(test, near, 0);
	KUNIT_EXPECT_GT(test, even, 2 * near);
}

static struct kunit_case mrc_nscc_self_cases[] = {
	KUNIT_CASE(mrc_nscc_slow_start),
	KUNIT_CASE(mrc_nscc_first_flights_fit),
	KUNIT_CASE(mrc_nscc_slow_start_without_marks),
	KUNIT_CASE(mrc_nscc_slow_start_beyond_hosts),
	KUNIT_CASE(mrc_nscc_host_delay_is_no_congestion),
	KUNIT_CASE(mrc_nscc_slow_start_ends),
	KUNIT_CASE(mrc_nscc_marks_are_met),
	KUNIT_CASE(mrc_nscc_slow_start_unused_window),
	KUNIT_CASE(mrc_nscc_learns_rate),
	KUNIT_CASE(mrc_nscc_configured_rate),
	KUNIT_CASE(mrc_nscc_chosen_parameters_stay),
	KUNIT_CASE(mrc_nscc_planes_differ_in_length),
	KUNIT_CASE(mrc_nscc_decrease_on_long_plane),
	KUNIT_CASE(mrc_nscc_shares_measurements),
	KUNIT_CASE(mrc_nscc_base_rtt_needs_sample),
	KUNIT_CASE(mrc_nscc_configured_rate_is_own),
	KUNIT_CASE(mrc_nscc_decrease_by_marks),
	KUNIT_CASE(mrc_nscc_marks_of_large_windows),
	KUNIT_CASE(mrc_nscc_marks_without_delay),
	KUNIT_CASE(mrc_nscc_increase_despite_marks),
	KUNIT_CASE(mrc_nscc_fair_increase_among_marks),
	KUNIT_CASE(mrc_nscc_start_alone),
	KUNIT_CASE(mrc_nscc_start_among_others),
	KUNIT_CASE(mrc_nscc_start_with_few_packets),
	KUNIT_CASE(mrc_nscc_start_at_line_rate),
	KUNIT_CASE(mrc_nscc_crowded_by_marks),
	KUNIT_CASE(mrc_nscc_peak_of_long_round_trip),
	KUNIT_CASE(mrc_nscc_peak_of_long_plane),
	{}
};

static struct kunit_suite mrc_nscc_self_suite = {
	.name = "mrc_nscc_self",
	.test_cases = mrc_nscc_self_cases,
};

kunit_test_suite(mrc_nscc_self_suite);

MODULE_DESCRIPTION("KUnit tests of NSCC that configures itself");
MODULE_LICENSE("Dual BSD/GPL");
