// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loss detection within a burst: its packets arrive in the order of their PSNs.
 */
#include "mrc_req_loss_sample.h"

#define RTT	80000
#define BURST	8
/* More packets than a SACK describes. */
#define MORE	200

/* Two paths that are equally long, and bursts of BURST packets. */
static struct rig *bursts_with(struct kunit *test, u32 reo_wnd_path)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u16 i;

	cfg.reo_wnd_path = reo_wnd_path;
	cfg.reo_wnd_any = 0;
	cfg.burst = BURST;
	r = rig_of(test, &cfg, 1 << 20);
	for (i = 2; i < r->evs->n; i++)
		mrc_ev_deny(r->evs, i);
	r->evs->min_active = 1;
	r->req.rtt.min = RTT;
	r->req.rtt.srtt = RTT;
	r->evs->ev[A].srtt = RTT;
	r->evs->ev[B].srtt = RTT;
	return r;
}

static struct rig *bursts(struct kunit *test)
{
	return bursts_with(test, 0);
}

/* Send one burst; returns its first PSN. */
static u32 send_burst(struct rig *r)
{
	post(r, 0, 0, BURST * PMTU);
	KUNIT_ASSERT_EQ(r->test, send_all(r), BURST);
	KUNIT_ASSERT_EQ(r->test, r->sent[0].path, r->sent[BURST - 1].path);
	return r->sent[0].pkt.psn;
}

/* Send bursts until one takes @path; returns its first PSN. */
static u32 send_burst_on(struct rig *r, u16 path)
{
	u32 psn;

	do {
		psn = send_burst(r);
	} while (r->sent[0].path != path);
	return psn;
}

/* A SACK of @bits from @base on, all before @next, and @trigger. */
static void sack_bits(struct rig *r, u32 next, u32 base, u64 bits, u32 trigger)
{
	struct mrc_pkt_sack s = {
		.cack_psn = mrc_psn_add(next, -1),
		.sack_offset = mrc_psn_diff(base, next) + 1,
		.bitmap = bits,
		.ack_psn_offset = mrc_psn_diff(trigger, next) + 1,
		.entropy = r->evs->ev[mrc_req_pkt(&r->req, trigger)->path].value,
		/* So it describes these bits only. */
		.ooo_count = MORE,
	};

	rx_sack(r, &s);
}

/* @psn, and no other packet, is taken for lost. */
static void expect_lost(struct rig *r, u32 psn)
{
	KUNIT_ASSERT_EQ(r->test, send_all(r), 1);
	KUNIT_EXPECT_EQ(r->test, r->sent[0].pkt.psn, psn);
}

/* What is missing before the packet that arrived is lost, at once. */
static void mrc_burst_loss_before_trigger(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 gap = send_burst(r) + 2;
	u16 path = r->sent[0].path;

	r->now += RTT;
	sack_all_but(r, gap);
	expect_lost(r, gap);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_RTX);
	KUNIT_EXPECT_NE(test, r->sent[0].path, path);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_any, 0);
}

/* The SACK of another burst shows it as well. */
static void mrc_burst_loss_shown_by_other_burst(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 gap = send_burst_on(r, A) + 2;

	send_burst_on(r, B);
	r->now += RTT;
	sack_all_but(r, gap);
	expect_lost(r, gap);
}

/* What was sent behind that packet is on its way. */
static void mrc_burst_loss_not_behind_trigger(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 first = send_burst(r);

	/* 0, 2 and 3 have arrived, 1 has not; 4 to 7 follow. */
	r->now += RTT;
	sack_bits(r, first + 1, first + 1, 0x6, first + 3);
	expect_lost(r, first + 1);
}

/* The whole burst before the trigger is looked at. */
static void mrc_burst_loss_several(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 first = send_burst(r);

	/* 0, 3, 5 and 7 have arrived. */
	r->now += RTT;
	sack_bits(r, first + 1, first + 1, 0x54, first + 7);
	KUNIT_EXPECT_EQ(test, send_all(r), 4);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 4);
}

/* A burst on another path proves nothing, and a later one after the window only. */
static void mrc_burst_loss_not_by_other_burst(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 gap = send_burst_on(r, A) + BURST - 1;

	send_burst_on(r, B);
	r->now += RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);

	r = bursts(test);
	mrc_ev_deny(r->evs, B);
	gap = send_burst(r) + BURST - 1;
	r->now += RTT / 8 - 1;
	send_burst(r);
	r->now += RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* A SACK says nothing about packets that it does not describe. */
static void mrc_burst_loss_not_beyond_bitmap(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 gap = send_burst_on(r, A);
	u32 first = send_burst_on(r, B);

	/* Of the burst on B the last four have arrived, the others perhaps. */
	r->now += RTT;
	sack_bits(r, gap, first + 4, 0xf, first + 7);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	sack_bits(r, gap, first, 0xfd, first + 7);
	expect_lost(r, first + 1);
}

/* A SACK that was built before another one does not know what has arrived since. */
static void mrc_burst_loss_not_by_older_sack(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 first = send_burst(r);

	r->now += RTT;
	r->req.rcvd = 1;
	sack_bits(r, first + 1, first + 2, 0x3f, first + 7);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* A retransmission at the same time may have left this host later. */
static void mrc_burst_loss_not_of_retransmission(struct kunit *test)
{
	struct rig *r = bursts(test);
	u32 gap = send_burst(r) + 2;

	mrc_req_pkt(&r->req, gap)->tx_cnt = 2;
	r->now += RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* Hosts that reorder packets of a path are configured, or have been found to do so. */
static void mrc_burst_loss_not_where_hosts_reorder(struct kunit *test)
{
	struct rig *r = bursts_with(test, REO_PATH);
	u32 gap = send_burst(r) + 2;

	r->now += RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);

	r = bursts(test);
	mrc_req_spurious(&r->req, r->now);
	gap = send_burst(r) + 2;
	r->now += RTT;
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 0);
}

static struct kunit_case mrc_burst_loss_cases[] = {
	KUNIT_CASE(mrc_burst_loss_before_trigger),
	KUNIT_CASE(mrc_burst_loss_shown_by_other_burst),
	KUNIT_CASE(mrc_burst_loss_not_behind_trigger),
	KUNIT_CASE(mrc_burst_loss_several),
	KUNIT_CASE(mrc_burst_loss_not_by_other_burst),
	KUNIT_CASE(mrc_burst_loss_not_beyond_bitmap),
	KUNIT_CASE(mrc_burst_loss_not_by_older_sack),
	KUNIT_CASE(mrc_burst_loss_not_of_retransmission),
	KUNIT_CASE(mrc_burst_loss_not_where_hosts_reorder),
	{}
};

static struct kunit_suite mrc_burst_loss_suite = {
	.name = "mrc_burst_loss",
	.test_cases = mrc_burst_loss_cases,
};

kunit_test_suite(mrc_burst_loss_suite);

MODULE_DESCRIPTION("KUnit tests of loss detection within a burst");
MODULE_LICENSE("Dual BSD/GPL");
