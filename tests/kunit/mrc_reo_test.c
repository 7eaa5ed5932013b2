// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The reordering window without configured minimum.
 */
#include "core/req_internal.h"
#include "mrc_req_sample.h"
#include "mrc_req_loss_sample.h"

/* Without a minimum spurious losses widen it to two round trips, for a while. */
static void mrc_reo_spurious_widening_ends(struct kunit *test)
{
	struct rig *r = two_paths_with(test, 0, 0);
	const u32 rtt = 100000;
	u64 wnd;
	int i;

	mrc_req_rtt(&r->req, rtt);
	r->req.rtt.rttvar = 0;
	wnd = mrc_req_reo_wnd_any(&r->req);
	r->req.rtt.min = rtt / 4;
	for (i = 0; i < 8; i++, r->now += 2 * rtt)
		mrc_req_spurious(&r->req, r->now);
	KUNIT_EXPECT_LE(test, mrc_req_reo_wnd_any(&r->req), 3 * rtt);
	KUNIT_EXPECT_GE(test, mrc_req_reo_wnd_any(&r->req), 2 * rtt);
	for (i = 0; i < 8; i++, r->now += 300 * rtt)
		mrc_req_reo_decay(&r->req, r->now);
	KUNIT_EXPECT_LT(test, mrc_req_reo_wnd_any(&r->req), wnd);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_wnd_shift, 0);
}

/* Packets overtake each other by as much as paths of that length may differ. */
static void mrc_reo_observed_up_to_round_trip(struct kunit *test)
{
	struct rig *r = two_paths_with(test, 0, 0);
	const u32 rtt = 400000000;

	mrc_req_rtt(&r->req, rtt);
	r->req.rtt.min = rtt / 8;
	mrc_req_timer_late(&r->req, rtt / 2, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, rtt / 2);
	mrc_req_timer_late(&r->req, 2ULL * rtt, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, rtt);
	/* RFC 8985 keeps a wider window for 16 round trips. */
	r->now += 16ULL * rtt;
	mrc_req_reo_decay(&r->req, r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, rtt);
	mrc_req_reo_decay(&r->req, ++r->now);
	KUNIT_EXPECT_EQ(test, r->req.rack.reo_observed, rtt / 2);
}

static struct kunit_case mrc_reo_cases[] = {
	KUNIT_CASE(mrc_reo_spurious_widening_ends),
	KUNIT_CASE(mrc_reo_observed_up_to_round_trip),
	{}
};

static struct kunit_suite mrc_reo_suite = {
	.name = "mrc_reo",
	.test_cases = mrc_reo_cases,
};

kunit_test_suite(mrc_reo_suite);

MODULE_DESCRIPTION("KUnit tests of the reordering window");
MODULE_LICENSE("Dual BSD/GPL");
