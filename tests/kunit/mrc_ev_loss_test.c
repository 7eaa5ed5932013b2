// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: losses by chance and failures, and what planes have in flight.
 */
#include "mrc_ev_sample.h"
#include "core/ev_overdue.h"

/* A burst goes to the plane with the least in flight for its length. */
static void mrc_ev_least_loaded_plane(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i;

	for (i = 0; i < PLANES; i++)
		set->planes[i].inflight = 14000 + i;
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, US)].plane, 1);
	/* The first plane is shorter than the others: the same is more there. */
	for (i = 0; i < PLANES; i++)
		set->planes[i].shortest = i ? 12000 : 10000;
	set->plane_rate = 1 << MRC_EV_RATE_SHIFT;
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, US)].plane, 2);
	/* A plane of unknown length gets a burst, and no more until that tells it. */
	set->planes[3].shortest = 0;
	set->planes[3].inflight = 0;
	KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, US)].plane, 4);
	set->planes[3].inflight = 4000;
	KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, US)].plane, 2);
	/* A plane whose port is down has nothing in flight. */
	set->planes[3].inflight = 0;
	mrc_ev_set_ports(set, 7, 15);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, set->ev[mrc_lb_next(set, US)].plane, 2);
}

/* Planes that hold less than their links do are equal, whatever their length. */
static void mrc_ev_empty_planes_take_turns(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 used = 0;
	int i;

	set->plane_rate = 1 << MRC_EV_RATE_SHIFT;
	for (i = 0; i < PLANES; i++) {
		set->planes[i].shortest = 10000 * (i + 1);
		set->planes[i].inflight = 4000;
	}
	for (i = 0; i < PLANES; i++)
		used |= BIT(set->ev[mrc_lb_next(set, US)].plane - 1);
	KUNIT_EXPECT_EQ(test, used, BIT(PLANES) - 1);
	/* A queue excludes a plane, also the longest one. */
	set->planes[PLANES - 1].inflight = 10000 * PLANES + 1;
	for (i = 0; i < 10 * PLANES; i++)
		KUNIT_EXPECT_NE(test, set->ev[mrc_lb_next(set, US)].plane,
				PLANES);
}

/*
 * Each path delivers packets, one in 10 us, and loses one of @one_in, if @marked
 * after an ECN mark.  Returns the packets of path 0 until it is ASSUMED_BAD, or
 * @rounds.
 */
static u32 lose(struct mrc_ev_set *set, u16 paths, u32 one_in, bool marked,
		u32 rounds)
{
	u64 at = US;
	u32 i;
	u16 p;

	for (i = 0; i < rounds && !set->n_bad; i++, at += 10 * US) {
		for (p = 0; p < set->n; p++) {
			mrc_ev_acked(set, p, at + 5 * US);
			if (p >= paths || i % one_in)
				continue;
			if (marked)
				mrc_ev_feedback(set, p, MRC_EV_SIGNAL_SKIP_ONCE,
						at + 8 * US);
			mrc_ev_feedback_at(set, p, MRC_EV_SIGNAL_LOSS, at,
					   at + 9 * US);
		}
	}
	return i;
}

/* What all paths lose does not count against any of them. */
static void mrc_ev_losses_by_chance(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	KUNIT_EXPECT_EQ(test, lose(set, set->n, 10, false, 1000), 1000);
}

/* A path that loses more than others is left, although it delivers, too. */
static void mrc_ev_frequent_losses_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 i;

	KUNIT_EXPECT_LE(test, lose(set, 1, 5, false, 1000), 50);
	KUNIT_EXPECT_EQ(test, set->ev[0].state, MRC_EV_ASSUMED_BAD);
	set = ev_set(test);
	KUNIT_EXPECT_LE(test, lose(set, 1, 50, false, 5000), 1000);
	/* Rare losses are no reason. */
	set = ev_set(test);
	KUNIT_EXPECT_EQ(test, lose(set, 1, 1000, false, 20000), 20000);
	/* Several lost packets of one burst are one loss. */
	set = ev_set(test);
	mrc_ev_acked(set, 0, 9 * US);
	for (i = 0; i < 20; i++)
		mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, US, 9 * US);
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
}

/* Congestion explains losses: where packets are marked, queues are full. */
static void mrc_ev_marked_losses_are_congestion(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	KUNIT_EXPECT_EQ(test, lose(set, 1, 5, true, 1000), 1000);
}

/* The more packets are lost by chance, the longer must a path be silent. */
static void mrc_ev_strikes_follow_loss(struct kunit *test)
{
	/* Of 1000 packets lost by chance; losses in a row that condemn. */
	static const struct {
		u16 lost;
		u8 strikes;
	} cases[] = { { 0, 2 }, { 1, 2 }, { 10, 3 }, { 50, 5 }, { 200, 9 } };
	struct mrc_ev_set *set;
	u64 at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set = ev_set(test);
		set->loss = ((u64)cases[i].lost << MRC_EV_LOSS_SHIFT) / 1000;
		for (at = US; !set->n_bad && at < 100 * US; at += 2 * US)
			mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, at,
					   at + US);
		KUNIT_EXPECT_EQ_MSG(test, at / (2 * US), cases[i].strikes,
				    "%u of 1000", cases[i].lost);
	}
}

/*
 * One packet at a time, of which each path loses one in 500: chance explains two in a row,
 * although hundreds have been delivered since the latest loss.
 */
static void mrc_ev_strikes_follow_rare_loss(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u64 at = US;
	u32 n;

	for (n = 0; n < 9000; n++, at += 2 * US) {
		mrc_ev_feedback_at(set, n % PATHS, n % 500 ? MRC_EV_SIGNAL_ACK :
				   MRC_EV_SIGNAL_LOSS, at, at + US);
		if (n % 500)
			mrc_ev_acked(set, n % PATHS, at);
	}
	KUNIT_EXPECT_EQ(test, set->n_bad, 0);
	KUNIT_EXPECT_LT(test, set->loss, BIT(MRC_EV_LOSS_SHIFT) / 1000);
	for (n = 0; !set->n_bad && n < 10; n++, at += 2 * US)
		mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, at, at + US);
	KUNIT_EXPECT_EQ(test, n, 3);
	/* When nothing has been lost for long, two are enough again. */
	for (n = 0; n < 30000; n++, at += 2 * US)
		mrc_ev_acked(set, 2 + n % (PATHS - 2), at);
	KUNIT_EXPECT_LT(test, set->rare_loss, MRC_EV_RARE_LOSS_PKTS);
	KUNIT_EXPECT_LT(test, set->loss, MRC_EV_LOSS_PKTS);
	for (n = 0; set->n_bad < 2 && n < 10; n++, at += 2 * US)
		mrc_ev_feedback_at(set, 2, MRC_EV_SIGNAL_LOSS, at, at + US);
	KUNIT_EXPECT_EQ(test, n, 2);
}

/* One that has delivered a packet since was no failure: it tells of chance, too. */
static void mrc_ev_cleared_strike_is_chance(struct kunit *test)
{
	static const struct {
		enum mrc_ev_signal since;
		u64 sent;
		u8 strikes;
	} cases[] = {
		{ MRC_EV_SIGNAL_ACK, 20 * US, 3 },
		/* That packet had been sent before, or it is not known when. */
		{ MRC_EV_SIGNAL_ACK, 2 * US, 2 },
		{ MRC_EV_SIGNAL_ACK, U64_MAX, 2 },
		/* What congestion has lost tells nothing. */
		{ MRC_EV_SIGNAL_SKIP_ONCE, 20 * US, 2 },
		{ MRC_EV_SIGNAL_SPURIOUS, 20 * US, 2 },
	};
	struct mrc_ev_set *set;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set = ev_set(test);
		mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, 10 * US, 30 * US);
		mrc_ev_feedback_at(set, 0, cases[i].since, cases[i].sent, 30 * US);
		KUNIT_EXPECT_EQ(test, set->ev[0].strikes, 0);
		for (n = 0; !set->n_bad && n < 10; n++)
			mrc_ev_feedback_at(set, PER_PLANE, MRC_EV_SIGNAL_LOSS,
					   (40 + 2 * n) * US, (41 + 2 * n) * US);
		KUNIT_EXPECT_EQ_MSG(test, n, cases[i].strikes, "case %u", i);
	}
}

/* More strikes than chance explains were an outage. */
static void mrc_ev_end_of_outage_is_no_chance(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .seed = 42, .min_active = PATHS };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	u32 n;

	for (n = 1; n < 20; n++)
		mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, 2 * n * US,
				   (2 * n + 1) * US);
	KUNIT_ASSERT_EQ(test, set->n_bad, 0);
	mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_ACK, 50 * US, 60 * US);
	KUNIT_EXPECT_EQ(test, set->ev[0].strikes, 0);
	KUNIT_EXPECT_LE(test, set->loss, BIT(MRC_EV_LOSS_SHIFT) / MRC_EV_LOSS_PKTS);
}

/* One packet at a time: a path that loses some of them often is left. */
static void mrc_ev_frequent_strikes_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u64 at = US;
	u32 n;
	u16 p;

	for (n = 0; !set->n_bad && n < 100; n++, at += 10 * US) {
		for (p = 0; p < set->n; p++) {
			if (p || n % 3)
				mrc_ev_acked(set, p, at);
			else
				mrc_ev_feedback_at(set, p, MRC_EV_SIGNAL_LOSS,
						   at, at + US);
		}
	}
	KUNIT_EXPECT_EQ(test, set->ev[0].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_LE(test, n, 50);
}

/* A full queue drops several packets in a row: while queues are long, that is no proof. */
static void mrc_ev_crowded_needs_more_strikes(struct kunit *test)
{
	static const u8 strikes[] = { 2, 5 };
	struct mrc_ev_set *set;
	u64 at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(strikes); i++) {
		set = ev_set(test);
		set->crowded = i;
		for (at = US; !set->n_bad && at < 100 * US; at += 2 * US)
			mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, at,
					   at + US);
		KUNIT_EXPECT_EQ(test, at / (2 * US), strikes[i]);
	}
}

/* Deliveries and losses of paths that deliver are averaged. */
static void mrc_ev_loss_is_averaged(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u32 tenth = BIT(MRC_EV_LOSS_SHIFT) / 10;
	u64 at = US;
	int i;

	for (i = 0; i < 2000; i++, at += 10 * US) {
		mrc_ev_acked(set, 0, at);
		if (i % 9 == 0)
			mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, at - US,
					   at);
	}
	KUNIT_EXPECT_LE(test, set->loss, tenth * 11 / 10);
	KUNIT_EXPECT_GE(test, set->loss, tenth * 9 / 10);
	/* A path that has died says nothing about the others. */
	for (i = 0; i < 100; i++)
		mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, at + i * US,
				   at + i * US);
	KUNIT_EXPECT_LE(test, set->loss, tenth * 11 / 10);
}

/*
 * A path delivers the probes that are sent after lost data, and drops the data: it is
 * condemned as if there were no probes.
 */
static void mrc_ev_probes_excuse_no_loss(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, 10 * US, 20 * US);
	mrc_ev_probe_passed(set, 0, 15 * US);
	KUNIT_EXPECT_EQ(test, set->ev[0].strikes, 1);
	KUNIT_EXPECT_EQ(test, set->ev[0].acked_sent, 15 * US);
	/* The probe was sent after this packet, too. */
	mrc_ev_probe_passed(set, 0, 35 * US);
	mrc_ev_feedback_at(set, 0, MRC_EV_SIGNAL_LOSS, 30 * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->ev[0].state, MRC_EV_ASSUMED_BAD);
	/* Data that is delivered does excuse it. */
	mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, 10 * US, 20 * US);
	mrc_ev_probe_passed(set, 1, 15 * US);
	mrc_ev_acked(set, 1, 35 * US);
	KUNIT_EXPECT_EQ(test, set->ev[1].strikes, 0);
	mrc_ev_feedback_at(set, 1, MRC_EV_SIGNAL_LOSS, 30 * US, 40 * US);
	KUNIT_EXPECT_EQ(test, set->ev[1].strikes, 0);
}

/* All paths but @a and @b are forbidden, and these two miss a turn. */
static struct mrc_ev_set *two_skipped(struct kunit *test, u16 a, u16 b)
{
	const struct mrc_ev_cfg cfg = { .seed = 42, .min_active = 2 };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	u16 i;

	for (i = 0; i < PATHS; i++)
		if (i != a && i != b)
			mrc_ev_deny(set, i);
	mrc_ev_set_state(set, a, MRC_EV_SKIP);
	mrc_ev_set_state(set, b, MRC_EV_SKIP);
	return set;
}

/* Both paths miss a turn: the one without strikes, not the one that a turn restores. */
static void mrc_ev_rtx_compares_skipped(struct kunit *test)
{
	struct mrc_ev_set *set;
	int i;

	for (i = 0; i < 20; i++) {
		set = two_skipped(test, 0, PER_PLANE);
		set->rnd += i;
		set->ev[PER_PLANE].strikes = 1;
		KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, PER_PLANE, 0), 0);
	}
	/* But not through a port that is down. */
	set = two_skipped(test, 0, PER_PLANE);
	set->ev[PER_PLANE].strikes = 1;
	mrc_ev_set_ports(set, 2, U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, PER_PLANE, 0), PER_PLANE);
}

/*
 * Of two paths that have lost several packets in a row, each gets a retransmission in
 * turn, whichever has lost more: the dead one may have been tried less often.
 */
static void mrc_ev_rtx_alternates_in_doubt(struct kunit *test)
{
	struct mrc_ev_set *set = two_skipped(test, 0, 1);
	int i, path, at = 0;

	set->ev[0].strikes = 2;
	set->ev[1].strikes = 30;
	mrc_ev_overdue_sent(set, 0, US);
	for (i = 1; i <= 20; i++) {
		path = mrc_lb_next_rtx(set, at, 0);
		KUNIT_EXPECT_NE(test, path, at);
		at = path;
		mrc_ev_overdue_sent(set, at, 2ULL * i << MRC_EV_OVERDUE_SHIFT);
	}
	/* One that has lost a single packet is the better one. */
	set->ev[0].strikes = 1;
	KUNIT_EXPECT_EQ(test, mrc_lb_next_rtx(set, 0, 0), 0);
}

static struct kunit_case mrc_ev_loss_cases[] = {
	KUNIT_CASE(mrc_ev_least_loaded_plane),
	KUNIT_CASE(mrc_ev_empty_planes_take_turns),
	KUNIT_CASE(mrc_ev_losses_by_chance),
	KUNIT_CASE(mrc_ev_frequent_losses_assumed_bad),
	KUNIT_CASE(mrc_ev_marked_losses_are_congestion),
	KUNIT_CASE(mrc_ev_strikes_follow_loss),
	KUNIT_CASE(mrc_ev_strikes_follow_rare_loss),
	KUNIT_CASE(mrc_ev_cleared_strike_is_chance),
	KUNIT_CASE(mrc_ev_end_of_outage_is_no_chance),
	KUNIT_CASE(mrc_ev_frequent_strikes_assumed_bad),
	KUNIT_CASE(mrc_ev_crowded_needs_more_strikes),
	KUNIT_CASE(mrc_ev_loss_is_averaged),
	KUNIT_CASE(mrc_ev_probes_excuse_no_loss),
	KUNIT_CASE(mrc_ev_rtx_compares_skipped),
	KUNIT_CASE(mrc_ev_rtx_alternates_in_doubt),
	{}
};

static struct kunit_suite mrc_ev_loss_suite = {
	.name = "mrc_ev_loss",
	.test_cases = mrc_ev_loss_cases,
};

kunit_test_suite(mrc_ev_loss_suite);

MODULE_DESCRIPTION("KUnit tests of losses of paths and of the load of planes");
MODULE_LICENSE("Dual BSD/GPL");
