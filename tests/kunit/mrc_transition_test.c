// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Path states (MRC 1.0 figure 5): the state after each event in each state,
 * without backups, with a backup in place of the path, and at min_active.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "core/ev.h"
#include "mrc_ev_sample.h"

#define NOW	1000000000ULL
#define STATES	(MRC_EV_BACKUP + 1)

enum step {
	STEP_DENY = MRC_EV_SIGNAL_SPURIOUS + 1,
	STEP_ALLOW,
	STEP_TURN,
	STEP_PROBE,
	STEP_PROBE_MARKED,
	STEP_PROBE_LOST,
	STEP_END,
};

#define G	MRC_EV_GOOD
#define S	MRC_EV_SKIP
#define A	MRC_EV_ASSUMED_BAD
#define D	MRC_EV_DENIED
#define B	MRC_EV_BACKUP

/**
 * struct transition - an event and the states that follow
 * @name: event
 * @steps: its steps: enum mrc_ev_signal, enum step
 * @free: state after the event, by the state before it: GOOD, SKIP,
 *	ASSUMED_BAD, DENIED; there are no backups
 * @taken: likewise, and BACKUP; a backup has replaced the path
 * @floor: likewise at min_active, GOOD and SKIP: no path becomes ASSUMED_BAD
 */
struct transition {
	const char *name;
	u8 steps[8];
	u8 free[STATES - 1];
	u8 taken[STATES];
	u8 floor[2];
};

static const struct transition transitions[] = {
	{ "acknowledgment", { MRC_EV_SIGNAL_ACK, STEP_END },
		{ G, S, A, D }, { G, S, A, D, B }, { G, S } },
	{ "SACK SKIP_ONCE", { MRC_EV_SIGNAL_SKIP_ONCE, STEP_END },
		{ S, S, A, D }, { S, S, A, D, B }, { S, S } },
	{ "SACK ALWAYS_SKIP", { MRC_EV_SIGNAL_ALWAYS_SKIP, STEP_END },
		{ A, A, A, D }, { A, A, A, D, B }, { S, S } },
	{ "NACK TRIMMED", { MRC_EV_SIGNAL_TRIM, STEP_END },
		{ S, S, A, D }, { S, S, A, D, B }, { S, S } },
	{ "a loss", { MRC_EV_SIGNAL_LOSS, STEP_END },
		{ S, S, A, D }, { S, S, A, D, B }, { S, S } },
	{ "two losses", { MRC_EV_SIGNAL_LOSS, MRC_EV_SIGNAL_LOSS, STEP_END },
		{ A, A, A, D }, { A, A, A, D, B }, { S, S } },
	{ "loss, acknowledgment, loss", { MRC_EV_SIGNAL_LOSS,
				MRC_EV_SIGNAL_ACK, MRC_EV_SIGNAL_LOSS, STEP_END },
		{ S, S, A, D }, { S, S, A, D, B }, { S, S } },
	{ "RTO", { MRC_EV_SIGNAL_RTO, STEP_END },
		{ A, A, A, D }, { A, A, A, D, B }, { S, S } },
	{ "spurious loss", { MRC_EV_SIGNAL_SPURIOUS, STEP_END },
		{ G, S, G, D }, { G, S, B, D, B }, { G, S } },
	{ "two turns in rotation", { STEP_TURN, STEP_END },
		{ G, G, A, D }, { G, G, A, D, B }, { G, G } },
	{ "two probes acknowledged", { STEP_PROBE, STEP_PROBE, STEP_END },
		{ G, S, A, D }, { G, S, A, D, B }, { G, S } },
	{ "three probes acknowledged", { STEP_PROBE, STEP_PROBE, STEP_PROBE,
					 STEP_END },
		{ G, S, G, D }, { G, S, B, D, B }, { G, S } },
	{ "three of four probes acknowledged", { STEP_PROBE, STEP_PROBE,
				STEP_PROBE_LOST, STEP_PROBE, STEP_END },
		{ G, S, A, D }, { G, S, A, D, B }, { G, S } },
	{ "three probes, SACK of the last marked", { STEP_PROBE, STEP_PROBE,
				STEP_PROBE_MARKED, STEP_END },
		{ G, S, S, D }, { G, S, B, D, B }, { G, S } },
	{ "deny", { STEP_DENY, STEP_END },
		{ D, D, D, D }, { D, D, D, D, D }, { D, D } },
	{ "allow", { STEP_ALLOW, STEP_END },
		{ G, S, A, G }, { G, S, A, B, B }, { G, S } },
	{ "deny, allow", { STEP_DENY, STEP_ALLOW, STEP_END },
		{ G, G, G, G }, { B, B, B, B, B }, { G, G } },
};

KUNIT_ARRAY_PARAM_DESC(transition, transitions, name);

static void ack_probe(struct mrc_ev_set *set, u16 idx, bool marked)
{
	u16 id = mrc_ev_probe_sent(set, idx, NOW);
	bool first;
	u64 sent;

	mrc_ev_probe_acked(set, id, marked, NOW + 1000, &sent, &first);
}

/* Enough choices for two turns of each path. */
static void turn(struct mrc_ev_set *set)
{
	int i;

	for (i = 0; i < 2 * PATHS; i++)
		mrc_lb_next(set, NOW);
}

static void take_step(struct mrc_ev_set *set, u16 idx, u8 step)
{
	switch (step) {
	case STEP_DENY:
		mrc_ev_deny(set, idx);
		break;
	case STEP_ALLOW:
		mrc_ev_allow(set, idx);
		break;
	case STEP_TURN:
		turn(set);
		break;
	case STEP_PROBE:
	case STEP_PROBE_MARKED:
		ack_probe(set, idx, step == STEP_PROBE_MARKED);
		break;
	case STEP_PROBE_LOST:
		mrc_ev_probe_sent(set, idx, NOW);
		break;
	default:
		mrc_ev_feedback(set, idx, step, NOW);
		break;
	}
}

/* The first path in @state. */
static u16 any_path(struct kunit *test, const struct mrc_ev_set *set, u8 state)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (set->ev[i].state == state)
			return i;
	KUNIT_FAIL(test, "no path in state %u", state);
	return 0;
}

static u16 path_in(struct kunit *test, struct mrc_ev_set *set, u8 state)
{
	u16 idx = any_path(test, set, state == B ? B : G);

	if (state == S)
		mrc_ev_feedback(set, idx, MRC_EV_SIGNAL_SKIP_ONCE, NOW);
	else if (state == A)
		mrc_ev_feedback(set, idx, MRC_EV_SIGNAL_RTO, NOW);
	else if (state == D)
		mrc_ev_deny(set, idx);
	KUNIT_ASSERT_EQ(test, set->ev[idx].state, state);
	return idx;
}

static void expect_state(struct kunit *test, const struct mrc_ev_cfg *cfg,
			 const struct transition *t, u8 from, u8 to)
{
	struct mrc_ev_set *set = ev_set_cfg(test, cfg);
	u16 idx = path_in(test, set, from), active = 0, i;
	const u8 *step;

	for (step = t->steps; *step != STEP_END; step++)
		take_step(set, idx, *step);
	KUNIT_EXPECT_EQ_MSG(test, set->ev[idx].state, to, "from %u", from);
	for (i = 0; i < set->n; i++)
		active += set->ev[i].state == G || set->ev[i].state == S;
	KUNIT_EXPECT_EQ(test, set->n_active, active);
}

static void mrc_transition_event_gives_state(struct kunit *test)
{
	const struct mrc_ev_cfg all = { .seed = 1 };
	const struct mrc_ev_cfg backups = {
		.seed = 1, .n_active = PATHS - PLANES,
	};
	const struct mrc_ev_cfg at_floor = { .seed = 1, .min_active = PATHS };
	const struct transition *t = test->param_value;
	u8 from;

	for (from = 0; from < ARRAY_SIZE(t->free); from++)
		expect_state(test, &all, t, from, t->free[from]);
	for (from = 0; from < ARRAY_SIZE(t->taken); from++)
		expect_state(test, &backups, t, from, t->taken[from]);
	for (from = 0; from < ARRAY_SIZE(t->floor); from++)
		expect_state(test, &at_floor, t, from, t->floor[from]);
}

static struct kunit_case mrc_transition_cases[] = {
	KUNIT_CASE_PARAM(mrc_transition_event_gives_state, transition_gen_params),
	{}
};

static struct kunit_suite mrc_transition_suite = {
	.name = "mrc_transition",
	.test_cases = mrc_transition_cases,
};

kunit_test_suite(mrc_transition_suite);

MODULE_DESCRIPTION("KUnit tests of the states of MRC paths");
MODULE_LICENSE("Dual BSD/GPL");
