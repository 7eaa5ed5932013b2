// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: probes of an ASSUMED_BAD path, its return to GOOD or SKIP,
 * and the events of state changes.
 */
#include <linux/errno.h>

#include "mrc_ev_sample.h"
#include "core/probe.h"
#include "core/rnd.h"

#define MS		1000000ULL
#define SECOND		(1000 * MS)
#define T0		(3600 * SECOND)
#define BAD		5

/* A set whose path BAD is ASSUMED_BAD since T0. */
static struct mrc_ev_set *bad_set(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);

	mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, T0);
	KUNIT_ASSERT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
	return set;
}

/* Send the next probe when it is due, at *@now; returns its id. */
static u16 send_probe(struct kunit *test, struct mrc_ev_set *set, u64 *now)
{
	u64 at = mrc_ev_deadline(set);

	KUNIT_ASSERT_GT(test, at, *now);
	KUNIT_EXPECT_EQ(test, mrc_ev_probe_due(set, at - 1), -ENOENT);
	KUNIT_ASSERT_EQ(test, mrc_ev_probe_due(set, at), BAD);
	*now = at;
	return mrc_ev_probe_sent(set, BAD, at);
}

/* A probe is acknowledged; *@sent becomes its sending time. */
static int probe_acked_at(struct mrc_ev_set *set, u16 id, bool marked, u64 now,
			  u64 *sent)
{
	bool first;

	return mrc_ev_probe_acked(set, id, marked, now, sent, &first);
}

static int probe_acked(struct mrc_ev_set *set, u16 id, bool marked, u64 now)
{
	u64 sent;

	return probe_acked_at(set, id, marked, now, &sent);
}

/* Send the next probe when it is due, and acknowledge it at once. */
static int send_acked_probe(struct kunit *test, struct mrc_ev_set *set,
			    bool marked, u64 *now)
{
	u16 id = send_probe(test, set, now);

	return probe_acked(set, id, marked, ++*now);
}

/*
 * Whenever a path is repaired, the next probe follows within a thirty-second of the outage
 * or 1 ms, plus a quarter of jitter, and within 1.25 s; a day of outage costs no more
 * than one probe per second.
 */
static void mrc_probe_spacing_follows_outage(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, before, least, outage;

	while (now < T0 + 100 * SECOND) {
		before = now;
		send_probe(test, set, &now);
		outage = before - T0;
		least = clamp_t(u64, outage / 32, MS, SECOND);
		/* The start of the outage is known to a millisecond. */
		KUNIT_EXPECT_GE(test, now - before, least - least / 32);
		KUNIT_EXPECT_LE(test, now - before, least + least / 4 + MS / 8);
	}
	KUNIT_EXPECT_LE(test, set->ev[BAD].stats.probes, 400);
}

/* One probe arrives: whether the path is good again is known soon. */
static void mrc_probe_first_ack_hastens_next(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, first;
	int i;

	for (i = 0; i < 50; i++)
		send_probe(test, set, &now);
	send_acked_probe(test, set, false, &now);
	first = now;
	for (i = 0; i < 2; i++)
		send_acked_probe(test, set, false, &now);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
	KUNIT_EXPECT_LE(test, now - first, MS / 2);
}

/* However many probes are lost, the next ones that arrive restore the path. */
static void mrc_probe_acks_after_many_losses(struct kunit *test)
{
	struct mrc_ev_set *set;
	u32 lost, i;
	u64 now;

	for (lost = 0; lost < 600; lost += 7) {
		set = bad_set(test);
		now = T0;
		for (i = 0; i < lost; i++)
			send_probe(test, set, &now);
		for (i = 0; i < 3; i++)
			send_acked_probe(test, set, false, &now);
		KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
	}
}

/* Without jitter all QPs of a host would probe a repaired link at once. */
static void mrc_probe_spacing_is_jittered(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	int i, differ = 0;

	for (i = 0; i < PATHS - PLANES; i++)
		mrc_ev_feedback(set, i, MRC_EV_SIGNAL_RTO, T0);
	for (i = 1; i < PATHS - PLANES; i++)
		differ += set->ev[i].probe_at != set->ev[0].probe_at;
	KUNIT_EXPECT_GT(test, differ, 0);
}

static void mrc_probe_three_acks_restore_path(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
		KUNIT_EXPECT_EQ(test, BAD,
				send_acked_probe(test, set, false, &now));
	}
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);
	KUNIT_EXPECT_EQ(test, set->n_active, PATHS);
}

/* No path in rotation is known to work: one acknowledgment is enough. */
static void mrc_probe_one_ack_restores_if_none_works(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	for (i = 0; i < PATHS; i++)
		if (i != BAD)
			mrc_ev_feedback(set, i, MRC_EV_SIGNAL_LOSS, T0);
	mrc_ev_feedback(set, PATHS - 1, MRC_EV_SIGNAL_ACK, T0);
	send_acked_probe(test, set, false, &now);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
	mrc_ev_feedback(set, PATHS - 1, MRC_EV_SIGNAL_LOSS, T0);
	send_acked_probe(test, set, false, &now);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
}

/* MRC 1.0 figure 5: an acknowledgment with a mark restores to SKIP. */
static void mrc_probe_marked_ack_restores_to_skip(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	for (i = 0; i < 3; i++)
		send_acked_probe(test, set, i == 2, &now);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_SKIP);
}

static void mrc_probe_acks_must_be_consecutive(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	for (i = 0; i < 6; i++) {
		send_acked_probe(test, set, false, &now);
		send_acked_probe(test, set, false, &now);
		send_probe(test, set, &now);
	}
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
}

static void mrc_probe_ack_counts_once(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	u16 id;
	int i;

	id = send_probe(test, set, &now);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, probe_acked(set, id, false, now + i), BAD);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
}

/* Acknowledgments of probes that were not sent are ignored, for each id. */
static void mrc_probe_forged_acks_ignored(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u32 id;

	for (id = 0; id <= U16_MAX; id++)
		KUNIT_ASSERT_EQ(test, probe_acked(set, id, false, T0 + 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
}

static void mrc_probe_old_acks_ignored(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, sent = 1;
	u16 first, last = 0;
	int i;

	first = send_probe(test, set, &now);
	for (i = 0; i < 20; i++)
		last = send_probe(test, set, &now);
	KUNIT_EXPECT_EQ(test, probe_acked(set, first, false, now), -ENOENT);
	KUNIT_EXPECT_EQ(test, BAD,
			probe_acked_at(set, last, false, now + 5, &sent));
	KUNIT_EXPECT_EQ(test, sent, now);
}

/* Only the sending time of the latest probe is known. */
static void mrc_probe_send_time_of_latest_only(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set(test);
	u64 sent = 1;
	u16 a, b;

	a = mrc_ev_probe_sent(set, 3, T0);
	b = mrc_ev_probe_sent(set, 3, T0 + 10);
	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_EQ(test, 3,
			probe_acked_at(set, a, false, T0 + 20, &sent));
	KUNIT_EXPECT_EQ(test, sent, 0);
	KUNIT_EXPECT_EQ(test, 3,
			probe_acked_at(set, b, false, T0 + 20, &sent));
	KUNIT_EXPECT_EQ(test, sent, T0 + 10);
	KUNIT_EXPECT_EQ(test, set->ev[3].state, MRC_EV_GOOD);
}

static void mrc_probe_not_on_masked_or_denied(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 later = T0 + SECOND;

	/* Not while the port is down, .. */
	mrc_ev_set_ports(set, U32_MAX ^ BIT(BAD / PER_PLANE), U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_probe_due(set, later), -ENOENT);
	/* .. at once when it is up again, .. */
	mrc_ev_set_ports(set, U32_MAX, U32_MAX);
	KUNIT_EXPECT_EQ(test, mrc_ev_probe_due(set, later), BAD);
	/* .. and not on a DENIED path. */
	mrc_ev_deny(set, BAD);
	KUNIT_EXPECT_EQ(test, mrc_ev_deadline(set), 0);
	KUNIT_EXPECT_EQ(test, mrc_ev_probe_due(set, later), -ENOENT);
}

static void mrc_probe_allow_keeps_assumed_bad(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);

	mrc_ev_allow(set, BAD);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
	mrc_ev_deny(set, BAD);
	mrc_ev_allow(set, BAD);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
}

/* Acknowledge @acks probes: only the last of them restores the path. */
static u64 restore(struct kunit *test, struct mrc_ev_set *set, int acks,
		   u64 now)
{
	int i;

	for (i = 0; i < acks; i++) {
		KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
		send_acked_probe(test, set, false, &now);
	}
	KUNIT_ASSERT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
	return now;
}

/*
 * Each time that a path fails again soon, the spacing of its probes and the
 * number of acknowledgments that restore it double, the latter up to 24.  After
 * a minute both are reset.
 */
static void mrc_probe_repeated_failure_is_damped(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, spacing = MS;
	int i;

	for (i = 0; i < 4; i++) {
		now = restore(test, set, min(3 << i, 24), now);
		mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, now);
		spacing *= 2;
		KUNIT_EXPECT_GE(test, mrc_ev_deadline(set) - now, spacing);
		KUNIT_EXPECT_LE(test, mrc_ev_deadline(set) - now,
				spacing + spacing / 4);
	}
	now = restore(test, set, 24, now) + 60 * SECOND;
	mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, now);
	KUNIT_EXPECT_LE(test, mrc_ev_deadline(set) - now, MS + MS / 4);
	restore(test, set, 3, now);
}

/* A path that has failed twice is used within 5 ms of its repair. */
static void mrc_probe_back_soon_after_second_failure(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, repaired;

	now = restore(test, set, 3, now);
	mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, now);
	send_probe(test, set, &now);
	repaired = now;
	now = restore(test, set, 6, now);
	KUNIT_EXPECT_LE(test, now - repaired, 5 * MS);
}

/*
 * A path loses 1/4 of all probes, and all data when it is GOOD: it becomes
 * ASSUMED_BAD at most 8 times in 20 s.
 */
static void mrc_probe_lossy_path_rarely_restored(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0, end = T0 + 20 * SECOND;
	u64 rnd = 1;
	u16 id;

	while (now < end) {
		id = send_probe(test, set, &now);
		if (mrc_rnd_below(&rnd, 4))
			probe_acked(set, id, false, ++now);
		if (set->ev[BAD].state == MRC_EV_GOOD)
			mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, ++now);
	}
	KUNIT_EXPECT_LE(test, set->ev[BAD].stats.bad, 8);
}

/* Send the next probe when it is due, at *@now; returns its id. */
static u16 fill_probe(struct kunit *test, struct mrc_ev_set *set, u64 *now,
		      bool padded)
{
	struct mrc_probe probe;

	*now = mrc_ev_deadline(set);
	KUNIT_ASSERT_EQ(test, mrc_ev_probe_due(set, *now), BAD);
	mrc_probe_fill(&probe, set, BAD, 1, *now);
	KUNIT_EXPECT_EQ(test, probe.padded, padded);
	return probe.probe_id;
}

static void fill_acked_probe(struct kunit *test, struct mrc_ev_set *set,
			     u64 *now, bool padded)
{
	u16 id = fill_probe(test, set, now, padded);

	probe_acked(set, id, false, ++*now);
}

/* After a short probe that was acknowledged the others are as long as data. */
static void mrc_probe_padded_once_one_is_acked(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	set->pad_probes = true;
	for (i = 0; i < 5; i++)
		fill_probe(test, set, &now, false);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
		fill_acked_probe(test, set, &now, i > 0);
	}
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_GOOD);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].stats.padded_lost, 0);
}

/*
 * A path that drops long packets: each padded probe is lost, and the short ones never
 * become three in a row.  Their number is bounded as if all were lost.
 */
static void mrc_probe_padded_lost(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;

	set->pad_probes = true;
	while (now < T0 + 100 * SECOND) {
		fill_acked_probe(test, set, &now, false);
		fill_probe(test, set, &now, true);
	}
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_LE(test, set->ev[BAD].stats.probes, 2 * 400);
	/* Of the latest one it is not known. */
	KUNIT_EXPECT_EQ(test, set->ev[BAD].stats.padded_lost,
			set->ev[BAD].stats.probes / 2 - 1);
}

/* The peer may not know padding, and other probes test no path for data. */
static void mrc_probe_padded_only_where_of_use(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	struct mrc_probe probe;
	u64 now = T0;

	fill_acked_probe(test, set, &now, false);
	fill_acked_probe(test, set, &now, false);
	KUNIT_EXPECT_EQ(test, set->ev[BAD].state, MRC_EV_ASSUMED_BAD);
	set->pad_probes = true;
	mrc_probe_fill(&probe, set, BAD + 1, 1, now);
	probe_acked(set, probe.probe_id, false, ++now);
	mrc_probe_fill(&probe, set, BAD + 1, 1, now);
	KUNIT_EXPECT_FALSE(test, probe.padded);
	fill_probe(test, set, &now, true);
}

static void mrc_probe_damping_is_bounded(struct kunit *test)
{
	struct mrc_ev_set *set = bad_set(test);
	u64 now = T0;
	int i;

	for (i = 0; i < 50; i++) {
		now = restore(test, set, min(3 << min(i, 3), 24), now);
		mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, now);
		KUNIT_ASSERT_LE(test, mrc_ev_deadline(set) - now,
				1280 * MS);
	}
}

/* Events. */

struct event {
	u16 idx;
	u8 old;
	u8 new;
};

struct event_log {
	struct event ev[16];
	u32 n;
};

static void log_event(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state old)
{
	struct event_log *l = set->priv;

	if (l->n < ARRAY_SIZE(l->ev))
		l->ev[l->n] = (struct event){ idx, old, set->ev[idx].state };
	l->n++;
}

static void mrc_probe_state_changes_reported(struct kunit *test)
{
	static const struct event expect[] = {
		{ BAD, MRC_EV_GOOD, MRC_EV_ASSUMED_BAD },
		{ BAD, MRC_EV_ASSUMED_BAD, MRC_EV_GOOD },
		{ BAD, MRC_EV_GOOD, MRC_EV_DENIED },
		{ BAD, MRC_EV_DENIED, MRC_EV_GOOD },
	};
	struct mrc_ev_set *set = ev_set(test);
	struct event_log l = {};
	int i;

	set->on_state = log_event;
	set->priv = &l;
	mrc_ev_feedback(set, 1, MRC_EV_SIGNAL_SKIP_ONCE, T0);
	for (i = 0; i < 2 * PATHS; i++)
		mrc_lb_next(set, T0);
	KUNIT_EXPECT_EQ(test, l.n, 0);

	mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, T0);
	mrc_ev_feedback(set, BAD, MRC_EV_SIGNAL_RTO, T0);
	restore(test, set, 3, T0);
	mrc_ev_deny(set, BAD);
	mrc_ev_deny(set, BAD);
	mrc_ev_allow(set, BAD);
	KUNIT_ASSERT_EQ(test, l.n, ARRAY_SIZE(expect));
	for (i = 0; i < ARRAY_SIZE(expect); i++) {
		KUNIT_EXPECT_EQ(test, l.ev[i].idx, expect[i].idx);
		KUNIT_EXPECT_EQ(test, l.ev[i].old, expect[i].old);
		KUNIT_EXPECT_EQ(test, l.ev[i].new, expect[i].new);
	}
}

/* The counts of a set agree with the states of its paths after random steps. */

static void expect_plane(struct kunit *test, const struct mrc_ev_set *set,
			 const struct mrc_ev_plane *plane)
{
	u16 i, active = 0, backups = 0;
	u32 seen = 0;

	for (i = 0; i < plane->n; i++) {
		u16 idx = set->ev[plane->first + i].order;
		u8 state = set->ev[idx].state;

		KUNIT_ASSERT_PTR_EQ(test, plane,
				    &set->planes[set->ev[idx].plane - 1]);
		seen |= BIT(idx);
		backups += state == MRC_EV_BACKUP;
		/* The order of a plane begins with its active paths. */
		if (state <= MRC_EV_SKIP)
			KUNIT_ASSERT_EQ(test, active++, i);
	}
	KUNIT_ASSERT_EQ(test, hweight32(seen), plane->n);
	KUNIT_ASSERT_EQ(test, plane->n_active, active);
	KUNIT_ASSERT_LE(test, active, plane->quota);
	if (backups)
		KUNIT_ASSERT_EQ(test, active, plane->quota);
	KUNIT_ASSERT_TRUE(test, !plane->cursor || plane->cursor < active);
}

static void expect_counts(struct kunit *test, const struct mrc_ev_set *set)
{
	u32 state[MRC_EV_BACKUP + 1] = {};
	int i;

	for (i = 0; i < PATHS; i++) {
		KUNIT_ASSERT_LE(test, set->ev[i].state, MRC_EV_BACKUP);
		state[set->ev[i].state]++;
	}
	KUNIT_ASSERT_EQ(test, set->n_active,
			state[MRC_EV_GOOD] + state[MRC_EV_SKIP]);
	KUNIT_ASSERT_EQ(test, set->n_skip, state[MRC_EV_SKIP]);
	KUNIT_ASSERT_EQ(test, set->n_bad, state[MRC_EV_ASSUMED_BAD]);
	for (i = 0; i < PLANES; i++)
		expect_plane(test, set, &set->planes[i]);
}

static void random_step(struct mrc_ev_set *set, u32 r, u64 now)
{
	u16 idx = r >> 8 & (PATHS - 1);
	int due;

	switch (r & 15) {
	case 0:
		mrc_ev_set_ports(set, r >> 16, U32_MAX);
		break;
	case 1:
		mrc_ev_set_ports(set, U32_MAX, r >> 16);
		break;
	case 2:
		mrc_ev_deny(set, idx);
		break;
	case 3:
	case 4:
		mrc_ev_allow(set, idx);
		break;
	case 5:
		probe_acked(set, r >> 16, r & 16, now);
		break;
	case 6:
		due = mrc_ev_probe_due(set, now);
		if (due >= 0)
			probe_acked(set, mrc_ev_probe_sent(set, due, now),
				    r & 16, now);
		break;
	case 7:
		mrc_ev_rtt(set, idx, r);
		break;
	default:
		mrc_ev_feedback(set, idx,
				(r >> 16) % (MRC_EV_SIGNAL_SPURIOUS + 1), now);
	}
}

static void random_steps(struct kunit *test, struct mrc_ev_set *set)
{
	u32 r = 1, i;
	u64 now = T0;
	int idx;

	for (i = 0; i < 50000; i++) {
		r = r * 1664525 + 1013904223;
		random_step(set, r >> 4, now);
		expect_counts(test, set);
		idx = mrc_lb_next(set, now);
		if (idx >= 0) {
			KUNIT_ASSERT_LT(test, idx, PATHS);
			KUNIT_ASSERT_LE(test, set->ev[idx].state,
					MRC_EV_ASSUMED_BAD);
			KUNIT_ASSERT_TRUE(test, mrc_ev_ports(set) >>
					  (set->ev[idx].plane - 1) & 1);
		}
		now += r & 0xfffff;
	}
}

static void mrc_probe_counts_agree_with_states(struct kunit *test)
{
	struct mrc_ev_cfg cfg = { .seed = 42 };

	for (cfg.n_active = 0; cfg.n_active < PATHS; cfg.n_active += PLANES)
		random_steps(test, ev_set_cfg(test, &cfg));
}

static struct kunit_case mrc_probe_cases[] = {
	KUNIT_CASE(mrc_probe_spacing_follows_outage),
	KUNIT_CASE(mrc_probe_first_ack_hastens_next),
	KUNIT_CASE(mrc_probe_acks_after_many_losses),
	KUNIT_CASE(mrc_probe_spacing_is_jittered),
	KUNIT_CASE(mrc_probe_three_acks_restore_path),
	KUNIT_CASE(mrc_probe_one_ack_restores_if_none_works),
	KUNIT_CASE(mrc_probe_marked_ack_restores_to_skip),
	KUNIT_CASE(mrc_probe_acks_must_be_consecutive),
	KUNIT_CASE(mrc_probe_ack_counts_once),
	KUNIT_CASE(mrc_probe_forged_acks_ignored),
	KUNIT_CASE(mrc_probe_old_acks_ignored),
	KUNIT_CASE(mrc_probe_send_time_of_latest_only),
	KUNIT_CASE(mrc_probe_not_on_masked_or_denied),
	KUNIT_CASE(mrc_probe_allow_keeps_assumed_bad),
	KUNIT_CASE(mrc_probe_repeated_failure_is_damped),
	KUNIT_CASE(mrc_probe_back_soon_after_second_failure),
	KUNIT_CASE(mrc_probe_lossy_path_rarely_restored),
	KUNIT_CASE(mrc_probe_padded_once_one_is_acked),
	KUNIT_CASE(mrc_probe_padded_lost),
	KUNIT_CASE(mrc_probe_padded_only_where_of_use),
	KUNIT_CASE(mrc_probe_damping_is_bounded),
	KUNIT_CASE(mrc_probe_state_changes_reported),
	KUNIT_CASE(mrc_probe_counts_agree_with_states),
	{}
};

static struct kunit_suite mrc_probe_suite = {
	.name = "mrc_probe",
	.test_cases = mrc_probe_cases,
};

kunit_test_suite(mrc_probe_suite);

MODULE_DESCRIPTION("KUnit tests of path probing");
MODULE_LICENSE("Dual BSD/GPL");
