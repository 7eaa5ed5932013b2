// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Replacement of the set of paths while packets are in flight.
 */
#include "core/lb.h"
#include "core/req_internal.h"
#include "core/repath.h"
#include "mrc_req_sample.h"

/* Values of paths that ev_set() does not contain. */
#define OTHER 0x11110000

/* The paths of ev_set(), the first @replaced of them with other values. */
static void entries_of(struct mrc_ev_entry *e, u16 replaced)
{
	u16 i;

	for (i = 0; i < PATHS; i++)
		e[i] = (struct mrc_ev_entry){
			.value = i < replaced ? OTHER + i :
				 0xe7000000 | i << 16 | (0xc000 + i),
			.plane = 1 + i / PER_PLANE,
		};
}

static struct mrc_ev_set *set_of(struct kunit *test,
				 const struct mrc_ev_entry *e, u16 n)
{
	const struct mrc_ev_cfg cfg = { .seed = 4 };
	struct mrc_ev_set *set;

	set = kunit_kzalloc(test, mrc_ev_set_size(n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_EQ(test, mrc_ev_set_init(set, e, n, &cfg), 0);
	return set;
}

static void mrc_repath_differs_by_value_and_plane(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	struct mrc_ev_entry e[PATHS];

	entries_of(e, 0);
	KUNIT_EXPECT_FALSE(test, mrc_repath_differs(set, e, PATHS));
	KUNIT_EXPECT_TRUE(test, mrc_repath_differs(set, e, PATHS - 1));
	e[3].denied = true;
	KUNIT_EXPECT_FALSE(test, mrc_repath_differs(set, e, PATHS));
	e[3].plane = 2;
	KUNIT_EXPECT_TRUE(test, mrc_repath_differs(set, e, PATHS));
	entries_of(e, 1);
	KUNIT_EXPECT_TRUE(test, mrc_repath_differs(set, e, PATHS));
}

static void mrc_repath_deny_follows_entries(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	struct mrc_ev_entry e[PATHS];
	u32 count[PATHS];

	entries_of(e, 0);
	e[3].denied = true;
	mrc_repath_deny(set, e);
	KUNIT_EXPECT_EQ(test, set->ev[3].state, MRC_EV_DENIED);
	ev_count(test, set, 10 * PATHS, count);
	KUNIT_EXPECT_EQ(test, count[3], 0);
	KUNIT_EXPECT_GT(test, count[2], 0);
	e[3].denied = false;
	mrc_repath_deny(set, e);
	ev_count(test, set, 10 * PATHS, count);
	KUNIT_EXPECT_GT(test, count[3], 0);
}

/* State and statistics of a path are kept, also at another index. */
static void mrc_repath_inherits_state(struct kunit *test)
{
	struct mrc_ev_set *old = ev_set(test), *set;
	struct mrc_ev_entry e[PATHS + 1];
	u16 map[PATHS + 1], i;
	u32 count[PATHS];

	mrc_ev_feedback(old, 5, MRC_EV_SIGNAL_RTO, SECOND);
	mrc_ev_rtt(old, 6, 777);
	old->ev[6].stats.tx_pkts = 99;
	mrc_lb_set(old, &mrc_lb_reps);
	mrc_ev_set_ports(old, 0xf, 0x7);
	KUNIT_ASSERT_EQ(test, old->ev[5].state, MRC_EV_ASSUMED_BAD);

	entries_of(e + 1, 4);
	e[0] = (struct mrc_ev_entry){ .value = OTHER + 99, .plane = 2 };
	set = set_of(test, e, PATHS + 1);
	mrc_repath_inherit(set, old, map);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, map[i], i < 4 ? set->n : i + 1);
	KUNIT_EXPECT_EQ(test, map[PATHS], set->n);
	KUNIT_EXPECT_EQ(test, set->ev[6].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_EQ(test, set->ev[6].probe_at, old->ev[5].probe_at);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), old->ev[5].probe_at);
	KUNIT_EXPECT_EQ(test, set->n_bad, 1);
	KUNIT_EXPECT_EQ(test, set->n_active, PATHS);
	KUNIT_EXPECT_EQ(test, set->ev[7].srtt, 777);
	KUNIT_EXPECT_EQ(test, set->ev[7].stats.tx_pkts, 99);
	KUNIT_EXPECT_EQ(test, mrc_ev_ports(set), 0x7);
	KUNIT_EXPECT_PTR_EQ(test, set->ops, &mrc_lb_reps);

	/* The ASSUMED_BAD path is still not in rotation. */
	memset(count, 0, sizeof(count));
	for (i = 0; i < 10 * PATHS; i++) {
		int idx = mrc_lb_next(set, 0);

		KUNIT_ASSERT_TRUE(test, idx >= 0 && idx <= PATHS);
		KUNIT_EXPECT_NE(test, idx, 6);
	}
}

/* A deny rule overrides the state of the path. */
static void mrc_repath_deny_overrides_state(struct kunit *test)
{
	struct mrc_ev_set *old = ev_set(test), *set;
	struct mrc_ev_entry e[PATHS];
	u16 map[PATHS + 1];

	mrc_ev_feedback(old, 5, MRC_EV_SIGNAL_RTO, SECOND);
	entries_of(e, 1);
	e[5].denied = true;
	e[6].denied = true;
	set = set_of(test, e, PATHS);
	mrc_repath_inherit(set, old, map);
	KUNIT_EXPECT_EQ(test, set->ev[5].state, MRC_EV_DENIED);
	KUNIT_EXPECT_EQ(test, set->ev[6].state, MRC_EV_DENIED);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);
}

/* Give the requester a set in which the first @replaced paths are new. */
static void repath(struct rig *r, u16 replaced)
{
	struct mrc_ev_entry e[PATHS];
	struct mrc_ev_set *set;
	u16 map[PATHS + 1];

	entries_of(e, replaced);
	set = set_of(r->test, e, PATHS);
	mrc_repath_inherit(set, r->evs, map);
	mrc_repath_requester(&r->req, set, map);
	/* Poison the old set: later uses of it fail. */
	memset(r->evs, 0x5a, mrc_ev_set_size(PATHS));
	r->evs = set;
}

static u64 sum_of(const struct mrc_ev_set *set, u16 from)
{
	u64 sum = 0;
	u16 i;

	for (i = from; i < PATHS; i++)
		sum += set->ev[i].stats.acked;
	return sum;
}

/* Packets in flight are acknowledged; paths that were kept get the feedback. */
static void mrc_repath_acks_of_old_paths_count(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 n, i, kept = 0;

	post(r, 1, 0, 64 * PMTU);
	n = send_all(r);
	KUNIT_ASSERT_EQ(test, n, 64);
	for (i = 0; i < n; i++)
		kept += r->sent[i].path >= 6;
	repath(r, 3);
	repath(r, 6);
	r->now += MS;
	rx_ack(r, n - 1, MRC_SYN_ACK);
	expect_done(r, 1, MRC_OK);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	KUNIT_EXPECT_EQ(test, sum_of(r->evs, 0), kept);
	KUNIT_EXPECT_EQ(test, sum_of(r->evs, 6), kept);

	/* New paths are used. */
	post(r, 2, 0, 256 * PMTU);
	n = send_all(r);
	for (i = 0; i < n && r->sent[i].path >= 6; i++)
		;
	KUNIT_EXPECT_LT(test, i, n);
}

/* The newest packet times the probes: remapped although it is delivered. */
static void mrc_repath_newest_packet_is_remapped(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	post(r, 1, 0, 64 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 64);
	r->now += MS;
	rx_ack(r, 63, MRC_SYN_ACK);
	repath(r, PATHS);
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, mrc_req_pkt(&r->req, i)->path, PATHS);
}

/* Lost on a removed path: retransmitted on another, which gets no strike. */
static void mrc_repath_loss_no_strike_on_new_path(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 n, i, tries;

	post(r, 1, 0, 64 * PMTU);
	n = send_all(r);
	repath(r, PATHS);
	for (tries = 0; tries < 20; tries++) {
		KUNIT_ASSERT_TRUE(test, tick(r));
		if (send_all(r))
			break;
	}
	KUNIT_EXPECT_GT(test, r->n, 0);
	KUNIT_EXPECT_GT(test, r->req.stats.rtx_pkts, 0);
	KUNIT_EXPECT_EQ(test, r->evs->n_bad, 0);
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, r->evs->ev[i].stats.losses +
				r->evs->ev[i].stats.timeouts, 0);
	rx_ack(r, n - 1, MRC_SYN_ACK);
	expect_done(r, 1, MRC_OK);
}

static struct kunit_case mrc_repath_cases[] = {
	KUNIT_CASE(mrc_repath_differs_by_value_and_plane),
	KUNIT_CASE(mrc_repath_deny_follows_entries),
	KUNIT_CASE(mrc_repath_inherits_state),
	KUNIT_CASE(mrc_repath_deny_overrides_state),
	KUNIT_CASE(mrc_repath_acks_of_old_paths_count),
	KUNIT_CASE(mrc_repath_newest_packet_is_remapped),
	KUNIT_CASE(mrc_repath_loss_no_strike_on_new_path),
	{}
};

static struct kunit_suite mrc_repath_suite = {
	.name = "mrc_repath",
	.test_cases = mrc_repath_cases,
};

kunit_test_suite(mrc_repath_suite);

MODULE_DESCRIPTION("KUnit tests of the replacement of paths");
MODULE_LICENSE("Dual BSD/GPL");
