// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What this host still holds proves nothing about a path, however late it is.
 */
#include "mrc_req_loss_sample.h"

/* Longer than any host is believed to hold packets back. */
#define STALL	(2 * SECOND)
/* CPUs, by their marks. */
#define BUSY	1
#define IDLE	2

static void leave_mark(struct rig *r, u32 cpu)
{
	KUNIT_EXPECT_TRUE(r->test,
			  mrc_txq_fence_post(&r->req.txq_fences[cpu], r->now));
}

static void reach_mark(struct rig *r, u32 cpu)
{
	mrc_txq_fence_pass(&r->req.txq_fences[cpu], r->now);
}

/* A packet on @path that waits in a busy CPU. */
static u32 send_held(struct rig *r, u16 path)
{
	u32 psn = send_on(r, path);

	leave_mark(r, BUSY);
	return psn;
}

/* By another CPU, and on its way. */
static void overtake(struct rig *r, u16 path)
{
	send_on(r, path);
	leave_mark(r, IDLE);
	reach_mark(r, IDLE);
}

static void nothing_lost(struct rig *r)
{
	KUNIT_EXPECT_EQ(r->test, send_all(r), 0);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_path, 0);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_any, 0);
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[A].strikes, 0);
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[A].state, MRC_EV_GOOD);
}

/* Neither those of the same path nor those of others, as long as it takes. */
static void mrc_txq_fence_held_packet_not_lost(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_held(r, A);

	r->now += STALL;
	overtake(r, B);
	miss_only(r, gap);
	nothing_lost(r);
	overtake(r, A);
	miss_only(r, gap);
	nothing_lost(r);
	/* In the end it arrives. */
	reach_mark(r, BUSY);
	first_copy_arrives(r, gap, A);
	nothing_lost(r);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 0);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
}

/* It begins its way when the host lets it go. */
static void mrc_txq_fence_passed_starts_window(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_held(r, A);

	r->now += STALL;
	reach_mark(r, BUSY);
	r->now += ROOM_PATH - 1;
	overtake(r, A);
	miss_only(r, gap);
	nothing_lost(r);
	r->now += 1;
	overtake(r, A);
	miss_only(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
	KUNIT_EXPECT_EQ(test, r->req.stats.rack_loss_path, 1);
}

/* What was sent before the mark was left is judged as ever. */
static void mrc_txq_fence_later_is_ignored(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap = send_on(r, A);

	r->now += 1;
	leave_mark(r, BUSY);
	r->now += ROOM_PATH;
	overtake(r, A);
	miss_only(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
}

/* And what is sent when the CPU has come to it. */
static void mrc_txq_fence_passed_earlier_is_ignored(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 gap;

	leave_mark(r, BUSY);
	r->now += STALL;
	reach_mark(r, BUSY);
	gap = send_on(r, A);
	r->now += ROOM_PATH;
	overtake(r, A);
	miss_only(r, gap);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, gap);
}

/* A CPU that is on time changes nothing, nor what earlier ones have told. */
static void mrc_txq_fence_in_time_changes_nothing(struct kunit *test)
{
	struct rig *r = two_paths(test);
	u32 held = send_held(r, A);
	u32 gap;

	r->now += STALL;
	reach_mark(r, BUSY);
	gap = send_held(r, A);
	/* One mark at a time is waited for. */
	KUNIT_EXPECT_FALSE(test, mrc_txq_fence_post(&r->req.txq_fences[BUSY], r->now));
	r->now += MS;
	reach_mark(r, BUSY);
	KUNIT_EXPECT_EQ(test, mrc_txq_fence_left(r->req.txq_fences,
						 r->req.pkts[gap & 255].sent),
			r->req.pkts[gap & 255].sent);
	KUNIT_EXPECT_EQ(test, mrc_txq_fence_left(r->req.txq_fences,
						 r->req.pkts[held & 255].sent),
			T0 + STALL);
}

/* The timeout asks the peer, and condemns nobody. */
static void mrc_txq_fence_pending_at_rto_no_loss(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1 << 20);
	struct mrc_probe p;
	u16 i;

	post(r, 0, 0, 1);
	send_all(r);
	leave_mark(r, BUSY);
	while (!r->req.stats.timeouts) {
		r->now += MS;
		mrc_req_on_timer(&r->req, r->now);
		while (mrc_req_next_probe(&r->req, r->now, &p))
			continue;
	}
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	for (i = 0; i < r->evs->n; i++)
		KUNIT_EXPECT_EQ(test, r->evs->ev[i].state, MRC_EV_GOOD);
	reach_mark(r, BUSY);
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

MODULE_DESCRIPTION("KUnit tests of marks behind what was sent");
MODULE_LICENSE("Dual BSD/GPL");
