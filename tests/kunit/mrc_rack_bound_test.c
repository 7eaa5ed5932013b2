// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loss detection: how often SACKs compare all packets of a large window.
 */
#include "mrc_req_loss_sample.h"

/* All round trips are known: 10 us of reordering window, 5 us that prove nothing. */
#define ROUND_TRIP	80000
/* Between packets: 10 of them are 1 us. */
#define GAP		100
#define PKTS		250

static struct rig *window_in_flight(struct kunit *test)
{
	struct rig *r = two_paths_with(test, 0, 0);
	u32 i;

	for (i = 0; i < PKTS; i++) {
		r->now += GAP;
		send_one(r);
	}
	r->req.rtt.min = ROUND_TRIP;
	r->req.rtt.srtt = ROUND_TRIP;
	r->now += ROUND_TRIP;
	return r;
}

/* Packet @psn has arrived, and of all packets only those that did so before. */
static void sack_alone(struct rig *r, u32 psn)
{
	const struct mrc_pkt_sack s = {
		.cack_psn = mrc_psn_add(r->req.una, -1),
		.sack_offset = 1,
		.ack_psn_offset = mrc_psn_diff(psn, r->req.una) + 1,
		.entropy = r->evs->ev[r->req.pkts[psn].path].value,
		.ooo_count = r->req.n_acked + 1,
	};

	rx_sack(r, &s);
}

/* PSN after the last packet that a SACK was compared with. */
static u32 compared(const struct rig *r)
{
	u32 i = PKTS;

	while (i && !(r->req.pkts[i - 1].flags & MRC_TXP_OVERTAKEN))
		i--;
	return i;
}

/*
 * A comparison with many packets is repeated when triggers were sent 2.5 us later, a
 * quarter of the window, and for the newest packet, after which no trigger comes.
 */
static void mrc_rack_bound_comparisons_are_spaced(struct kunit *test)
{
	struct rig *r = window_in_flight(test);

	sack_alone(r, 150);
	KUNIT_EXPECT_EQ(test, compared(r), 101);
	sack_alone(r, 170);
	KUNIT_EXPECT_EQ(test, compared(r), 101);
	sack_alone(r, 180);
	KUNIT_EXPECT_EQ(test, compared(r), 131);
	sack_alone(r, 190);
	KUNIT_EXPECT_EQ(test, compared(r), 131);
	sack_alone(r, 240);
	KUNIT_EXPECT_EQ(test, compared(r), 190);
	sack_alone(r, PKTS - 1);
	KUNIT_EXPECT_EQ(test, compared(r), 200);
}

static struct kunit_case mrc_rack_bound_cases[] = {
	KUNIT_CASE(mrc_rack_bound_comparisons_are_spaced),
	{}
};

static struct kunit_suite mrc_rack_bound_suite = {
	.name = "mrc_rack_bound",
	.test_cases = mrc_rack_bound_cases,
};

kunit_test_suite(mrc_rack_bound_suite);

MODULE_DESCRIPTION("KUnit tests of the cost of MRC loss detection");
MODULE_LICENSE("Dual BSD/GPL");
