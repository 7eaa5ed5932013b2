// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transmit queue fences: a packet that this host has not sent on counts as
 * neither late nor lost.
 */
#include "mrc_req_loss_sample.h"

/* Longer than any host delay that loss detection assumes. */
#define STALL	(2 * SECOND)
/* CPUs, by the index of their fences. */
#define BUSY	1
#define IDLE	2

static void post_fence(struct rig *r, u32 cpu)
{
	KUNIT_EXPECT_TRUE(r->test,
			  mrc_txq_fence_post(&r->req.txq_fences[cpu], r->now));
}

static void pass_fence(struct rig *r, u32 cpu)
{
	mrc_txq_fence_pass(&r->req.txq_fences[cpu], r->now);
}

/* Send a packet on @path that the queue of the busy CPU holds. */
static u32 send_held(struct rig *r, u16 path)
{
	u32 psn = send_on(r, path);

	post_fence(r, BUSY);
	return psn;
}

/* Send a packet on @path from the other CPU; it leaves at once. */
static void send_unheld(struct rig *r, u16 path)
{
	send_on(r, path);
	post_fence(r, IDLE);
	pass_fence(r, IDLE);
}

static void expect_none_lost(struct rig *r)
{
	KUNIT_EXPECT_EQ(r->test, send_all(r), 0);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_path, 0);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_any, 0);
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[A].strikes, 0);
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[A].state, MRC_EV_GOOD);
}

/* Packets of no path prove a held packet lost, however long it is held. */
static void mrc_txq_fence_held_packet_not_lost(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_held(r, A);

	r->now += STALL;
	send_unheld(r, B);
	sack_all_but(r, gap);
	expect_none_lost(r);
	send_unheld(r, A);
	sack_all_but(r, gap);
	expect_none_lost(r);
	/* It is sent on and arrives. */
	pass_fence(r, BUSY);
	sack_first_copy(r, gap, A);
	expect_none_lost(r);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 0);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
}

/* The reordering window starts when the host sends the packet on. */
static void mrc_txq_fence_passed_starts_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_held(r, A);

	r->now += STALL;
	pass_fence(r, BUSY);
	r->now += REO_PATH - 1;
	send_unheld(r, A);
	sack_all_but(r, gap);
	expect_none_lost(r);
	r->now += 1;
	send_unheld(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
}

/* A fence that was posted after the packet does not delay loss detection. */
static void mrc_txq_fence_later_is_ignored(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += 1;
	post_fence(r, BUSY);
	r->now += REO_PATH;
	send_unheld(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
}

/* Nor does one that has passed before the packet is sent. */
static void mrc_txq_fence_passed_earlier_is_ignored(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap;

	post_fence(r, BUSY);
	r->now += STALL;
	pass_fence(r, BUSY);
	gap = send_on(r, A);
	r->now += REO_PATH;
	send_unheld(r, A);
	sack_all_but(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
}

/* A fence that passes in time changes no sending time, old ones included. */
static void mrc_txq_fence_in_time_changes_nothing(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 held = send_held(r, A);
	u32 gap;

	r->now += STALL;
	pass_fence(r, BUSY);
	gap = send_held(r, A);
	/* One fence at a time is pending. */
	KUNIT_EXPECT_FALSE(test, mrc_txq_fence_post(&r->req.txq_fences[BUSY], r->now));
	r->now += MS;
	pass_fence(r, BUSY);
	KUNIT_EXPECT_EQ(test, mrc_txq_fence_left(r->req.txq_fences,
						 r->req.pkts[gap & 255].sent),
			r->req.pkts[gap & 255].sent);
	KUNIT_EXPECT_EQ(test, mrc_txq_fence_left(r->req.txq_fences,
						 r->req.pkts[held & 255].sent),
			T0 + STALL);
}

/* While a fence is pending the RTO sends probes, but deems nothing lost. */
static void mrc_txq_fence_pending_at_rto_no_loss(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	struct mrc_probe p;
	u16 i;

	post(r, 0, 0, 1);
	send_all(r);
	post_fence(r, BUSY);
	while (!r->req.stats.timeouts) {
		r->now += MS;
		mrc_req_on_timer(&r->req, r->now);
		while (mrc_req_next_probe(&r->req, r->now, &p))
			continue;
	}
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	for (i = 0; i < r->evs->n; i++)
		KUNIT_EXPECT_EQ(test, r->evs->ev[i].state, MRC_EV_GOOD);
	pass_fence(r, BUSY);
	while (!send_all(r)) {
		r->now += MS;
		KUNIT_ASSERT_LT(test, r->now, T0 + SECOND);
		mrc_req_on_timer(&r->req, r->now);
	}
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_RTX);
}

static struct kunit_case mrc_txq_fence_cases[] = {
	KUNIT_CASE(mrc_txq_fence_held_packet_not_lost),
	KUNIT_CASE(mrc_txq_fence_passed_starts_window),
	KUNIT_CASE(mrc_txq_fence_later_is_ignored),
	KUNIT_CASE(mrc_txq_fence_passed_earlier_is_ignored),
	KUNIT_CASE(mrc_txq_fence_in_time_changes_nothing),
	KUNIT_CASE(mrc_txq_fence_pending_at_rto_no_loss),
	{}
};

static struct kunit_suite mrc_txq_fence_suite = {
	.name = "mrc_txq_fence",
	.test_cases = mrc_txq_fence_cases,
};

kunit_test_suite(mrc_txq_fence_suite);

MODULE_DESCRIPTION("KUnit tests of transmit queue fences");
MODULE_LICENSE("Dual BSD/GPL");
