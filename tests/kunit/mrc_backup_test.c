// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: active paths, backups, and how one replaces the other.
 */
#include <linux/errno.h>

#include "mrc_ev_sample.h"

#define ACTIVE		(PATHS / 2)
#define ACTIVE_PLANE	(ACTIVE / PLANES)
#define SECOND		1000000000ULL
#define T0		(3600 * SECOND)

static const struct mrc_ev_cfg half = { .seed = 42, .n_active = ACTIVE };

static u16 count_state(const struct mrc_ev_set *set, u8 plane, u8 state)
{
	u16 i, n = 0;

	for (i = 0; i < set->n; i++)
		n += set->ev[i].plane == plane && set->ev[i].state == state;
	return n;
}

/* Index of the @nth path of @plane in @state, counted from 0. */
static u16 path_in(struct kunit *test, const struct mrc_ev_set *set, u8 plane,
		   u8 state, u16 nth)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (set->ev[i].plane == plane && set->ev[i].state == state &&
		    !nth--)
			return i;
	KUNIT_FAIL(test, "plane %u has too few paths in state %u", plane,
		   state);
	return 0;
}

static u16 active_in(struct kunit *test, const struct mrc_ev_set *set, u8 plane)
{
	return path_in(test, set, plane, MRC_EV_GOOD, 0);
}

static u16 backup_in(struct kunit *test, const struct mrc_ev_set *set, u8 plane)
{
	return path_in(test, set, plane, MRC_EV_BACKUP, 0);
}

static void fail_path(struct mrc_ev_set *set, u16 idx, u64 now)
{
	mrc_ev_feedback(set, idx, MRC_EV_SIGNAL_RTO, now);
}

/* Three probes get responses, the last one with or without a mark. */
static void recover_path(struct kunit *test, struct mrc_ev_set *set, u16 idx,
			 bool marked, u64 now)
{
	u64 sent;
	bool first;
	u16 id;
	int i;

	for (i = 0; i < 3; i++) {
		id = mrc_ev_probe_sent(set, idx, now + i);
		KUNIT_ASSERT_EQ(test, idx,
				mrc_ev_probe_acked(set, id, marked && i == 2,
						   now + i, &sent, &first));
	}
}

/* The same number in each plane; which paths are active differs between QPs. */
static void mrc_backup_equal_per_plane(struct kunit *test)
{
	struct mrc_ev_cfg other = half;
	struct mrc_ev_set *a = ev_set_cfg(test, &half), *b;
	u8 plane;
	int i, differ = 0;

	KUNIT_EXPECT_EQ(test, a->n_active, ACTIVE);
	for (plane = 1; plane <= PLANES; plane++) {
		KUNIT_EXPECT_EQ(test, count_state(a, plane, MRC_EV_GOOD),
				ACTIVE_PLANE);
		KUNIT_EXPECT_EQ(test, count_state(a, plane, MRC_EV_BACKUP),
				PER_PLANE - ACTIVE_PLANE);
	}
	other.seed++;
	b = ev_set_cfg(test, &other);
	for (i = 0; i < PATHS; i++)
		differ += a->ev[i].state != b->ev[i].state;
	KUNIT_EXPECT_GT(test, differ, 0);

	/* At least one per plane, and the same number in each plane. */
	other.n_active = 1;
	KUNIT_EXPECT_EQ(test, ev_set_cfg(test, &other)->n_active, PLANES);
	other.n_active = ACTIVE + PLANES - 1;
	KUNIT_EXPECT_EQ(test, ev_set_cfg(test, &other)->n_active, ACTIVE);
}

static void mrc_backup_bad_cfg_refused(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	struct mrc_ev_entry e[2] = { { .plane = 1 }, { .plane = 2 } };
	struct mrc_ev_cfg cfg = { .n_active = 3 };

	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, 2, &cfg), -EINVAL);
	cfg = (struct mrc_ev_cfg){ .min_active = 3 };
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, 2, &cfg), -EINVAL);
	cfg = (struct mrc_ev_cfg){ .n_active = 2, .min_active = 2 };
	KUNIT_EXPECT_EQ(test, mrc_ev_set_init(set, e, 2, &cfg), 0);
	KUNIT_EXPECT_EQ(test, set->min_active, 2);
}

static void expect_use(struct kunit *test, struct mrc_ev_set *set)
{
	u32 count[PATHS], plane[PLANES] = {};
	const u32 n = 20 * PATHS;
	int i;

	ev_count(test, set, n, count);
	for (i = 0; i < PATHS; i++) {
		plane[i / PER_PLANE] += count[i];
		KUNIT_EXPECT_EQ(test, !!count[i],
				set->ev[i].state == MRC_EV_GOOD);
	}
	for (i = 0; i < PLANES; i++)
		KUNIT_EXPECT_EQ(test, plane[i], n / PLANES);
}

static void mrc_backup_not_in_rotation(struct kunit *test)
{
	expect_use(test, ev_set_cfg(test, &half));
}

/* MRC 1.0, paper section 4: a backup of the same plane replaces the path. */
static void mrc_backup_replaces_bad_path(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 bad = active_in(test, set, 2), i;

	fail_path(set, bad, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_EQ(test, set->n_active, ACTIVE);
	for (i = 1; i <= PLANES; i++)
		KUNIT_EXPECT_EQ(test, count_state(set, i, MRC_EV_GOOD),
				ACTIVE_PLANE);
	expect_use(test, set);
}

/* A recovered path does not displace the path that replaced it. */
static void mrc_backup_recovered_path_is_backup(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 bad = active_in(test, set, 2);

	fail_path(set, bad, T0);
	recover_path(test, set, bad, false, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_BACKUP);
	fail_path(set, active_in(test, set, 2), T0);
	/* A mark on the last probe makes no difference: BACKUP is out of rotation. */
	bad = active_in(test, set, 3);
	fail_path(set, bad, T0);
	recover_path(test, set, bad, true, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_BACKUP);
	/* A path that was ASSUMED_BAD by mistake becomes BACKUP, too. */
	bad = active_in(test, set, 4);
	fail_path(set, bad, T0);
	mrc_ev_feedback(set, bad, MRC_EV_SIGNAL_SPURIOUS, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_BACKUP);
	expect_use(test, set);
}

/* Without backups the remaining paths of a plane carry its whole share. */
static void mrc_backup_plane_without_backups(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 bad = 0;
	int i;

	for (i = 0; i < PER_PLANE - 1; i++) {
		bad = active_in(test, set, 2);
		fail_path(set, bad, T0);
	}
	KUNIT_EXPECT_EQ(test, count_state(set, 2, MRC_EV_GOOD), 1);
	KUNIT_EXPECT_EQ(test, count_state(set, 1, MRC_EV_GOOD), ACTIVE_PLANE);
	KUNIT_EXPECT_EQ(test, set->n_active, ACTIVE - 1);
	expect_use(test, set);

	/* A recovered path becomes active: the plane has too few. */
	recover_path(test, set, bad, false, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_GOOD);
	bad = path_in(test, set, 2, MRC_EV_ASSUMED_BAD, 0);
	recover_path(test, set, bad, true, T0);
	KUNIT_EXPECT_EQ(test, set->ev[bad].state, MRC_EV_BACKUP);
	expect_use(test, set);
}

static void mrc_backup_last_failed_chosen_last(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 flaky = active_in(test, set, 1), steady;

	fail_path(set, flaky, T0);
	recover_path(test, set, flaky, false, T0);
	steady = path_in(test, set, 1, MRC_EV_BACKUP, 0);
	if (steady == flaky)
		steady = path_in(test, set, 1, MRC_EV_BACKUP, 1);
	fail_path(set, active_in(test, set, 1), T0);
	KUNIT_EXPECT_EQ(test, set->ev[flaky].state, MRC_EV_BACKUP);
	KUNIT_EXPECT_EQ(test, set->ev[steady].state, MRC_EV_GOOD);
	fail_path(set, steady, T0);
	KUNIT_EXPECT_EQ(test, set->ev[flaky].state, MRC_EV_GOOD);
}

/* min_active counts active paths: it applies once no backup is left. */
static void mrc_backup_min_active_holds(struct kunit *test)
{
	struct mrc_ev_cfg cfg = half;
	struct mrc_ev_set *set;
	u8 plane;
	u16 i;

	cfg.min_active = ACTIVE;
	set = ev_set_cfg(test, &cfg);
	for (plane = 1; plane <= PLANES; plane++)
		for (i = 0; i < PER_PLANE - ACTIVE_PLANE; i++)
			fail_path(set, active_in(test, set, plane), T0);
	KUNIT_EXPECT_EQ(test, set->n_bad, PATHS - ACTIVE);
	KUNIT_EXPECT_EQ(test, set->n_active, ACTIVE);
	for (i = 0; i < PATHS; i++)
		fail_path(set, i, T0);
	KUNIT_EXPECT_EQ(test, set->n_bad, PATHS - ACTIVE);
	KUNIT_EXPECT_EQ(test, set->n_active, ACTIVE);
	KUNIT_EXPECT_EQ(test, set->n_skip, ACTIVE);
}

static void mrc_backup_replaces_denied_path(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 denied = active_in(test, set, 1), backup;

	mrc_ev_deny(set, denied);
	KUNIT_EXPECT_EQ(test, count_state(set, 1, MRC_EV_GOOD), ACTIVE_PLANE);
	backup = backup_in(test, set, 1);
	mrc_ev_deny(set, backup);
	KUNIT_EXPECT_EQ(test, count_state(set, 1, MRC_EV_GOOD), ACTIVE_PLANE);
	fail_path(set, active_in(test, set, 1), T0);
	KUNIT_EXPECT_EQ(test, set->ev[backup].state, MRC_EV_DENIED);
	expect_use(test, set);

	mrc_ev_allow(set, backup);
	KUNIT_EXPECT_EQ(test, set->ev[backup].state, MRC_EV_GOOD);
	mrc_ev_allow(set, denied);
	KUNIT_EXPECT_EQ(test, set->ev[denied].state, MRC_EV_BACKUP);
	expect_use(test, set);
}

/* Feedback about packets sent before a path became BACKUP does not change it. */
static void mrc_backup_ignores_feedback(struct kunit *test)
{
	static const enum mrc_ev_signal all[] = {
		MRC_EV_SIGNAL_ACK, MRC_EV_SIGNAL_SKIP_ONCE,
		MRC_EV_SIGNAL_ALWAYS_SKIP, MRC_EV_SIGNAL_TRIM,
		MRC_EV_SIGNAL_LOSS, MRC_EV_SIGNAL_LOSS,
		MRC_EV_SIGNAL_RTO, MRC_EV_SIGNAL_SPURIOUS,
	};
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 idx = backup_in(test, set, 1);
	int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		mrc_ev_feedback(set, idx, all[i], T0);
		KUNIT_EXPECT_EQ(test, set->ev[idx].state, MRC_EV_BACKUP);
	}
}

/* Control packets: GOOD paths first, BACKUP before ASSUMED_BAD. */
static void mrc_backup_pick_prefers_good(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 cursor = 0, i;
	int idx;

	for (i = 0; i < 2 * PATHS; i++) {
		idx = mrc_ev_pick(set, 1 + i % PLANES, &cursor);
		KUNIT_ASSERT_GE(test, idx, 0);
		KUNIT_EXPECT_EQ(test, set->ev[idx].state, MRC_EV_GOOD);
		KUNIT_EXPECT_EQ(test, set->ev[idx].plane, 1 + i % PLANES);
	}
	/* Set by hand: the state machine does not reach this combination. */
	set->min_active = 0;
	for (i = 0; i < PATHS; i++)
		set->ev[i].state = i == 6 ? MRC_EV_BACKUP : MRC_EV_ASSUMED_BAD;
	for (i = 0; i < PATHS; i++)
		KUNIT_EXPECT_EQ(test, mrc_ev_pick(set, 1, &cursor), 6);
}

/* on_state reports failure and recovery of a path, not which path replaces it. */

static u32 n_reports;

static void count_report(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state old)
{
	n_reports++;
}

static void mrc_backup_change_not_reported(struct kunit *test)
{
	struct mrc_ev_set *set = ev_set_cfg(test, &half);
	u16 bad = active_in(test, set, 2);

	n_reports = 0;
	set->on_state = count_report;
	fail_path(set, bad, T0);
	KUNIT_EXPECT_EQ(test, n_reports, 1);
	recover_path(test, set, bad, false, T0);
	KUNIT_EXPECT_EQ(test, n_reports, 2);
}

/*
 * A path is denied after @dealt choices of a pass: the pass still uses each other
 * path once.  @used: the denied path had been chosen before.
 */
static void expect_pass(struct kunit *test, u16 dealt, bool used)
{
	const struct mrc_ev_cfg cfg = { .seed = dealt };
	struct mrc_ev_set *set = ev_set_cfg(test, &cfg);
	u8 count[PATHS] = {};
	u16 i, leaver = 0;

	/* Leave one plane. */
	for (i = PER_PLANE; i < PATHS; i++)
		mrc_ev_deny(set, i);
	for (i = 0; i < dealt; i++)
		count[mrc_lb_next(set, 0)]++;
	while (leaver < PER_PLANE && !count[leaver] == used)
		leaver++;
	if (leaver == PER_PLANE)
		return;
	mrc_ev_deny(set, leaver);
	for (i = dealt; i < PER_PLANE - !used; i++)
		count[mrc_lb_next(set, 0)]++;
	for (i = 0; i < PER_PLANE; i++)
		KUNIT_EXPECT_EQ(test, count[i], i == leaver ? used : 1);
}

static void mrc_backup_pass_continues_after_deny(struct kunit *test)
{
	u16 dealt;

	for (dealt = 0; dealt <= PER_PLANE; dealt++) {
		expect_pass(test, dealt, true);
		expect_pass(test, dealt, false);
	}
}

static struct kunit_case mrc_backup_cases[] = {
	KUNIT_CASE(mrc_backup_equal_per_plane),
	KUNIT_CASE(mrc_backup_bad_cfg_refused),
	KUNIT_CASE(mrc_backup_not_in_rotation),
	KUNIT_CASE(mrc_backup_replaces_bad_path),
	KUNIT_CASE(mrc_backup_recovered_path_is_backup),
	KUNIT_CASE(mrc_backup_plane_without_backups),
	KUNIT_CASE(mrc_backup_last_failed_chosen_last),
	KUNIT_CASE(mrc_backup_min_active_holds),
	KUNIT_CASE(mrc_backup_replaces_denied_path),
	KUNIT_CASE(mrc_backup_ignores_feedback),
	KUNIT_CASE(mrc_backup_pick_prefers_good),
	KUNIT_CASE(mrc_backup_change_not_reported),
	KUNIT_CASE(mrc_backup_pass_continues_after_deny),
	{}
};

static struct kunit_suite mrc_backup_suite = {
	.name = "mrc_backup",
	.test_cases = mrc_backup_cases,
};

kunit_test_suite(mrc_backup_suite);

MODULE_DESCRIPTION("KUnit tests of backup paths");
MODULE_LICENSE("Dual BSD/GPL");
