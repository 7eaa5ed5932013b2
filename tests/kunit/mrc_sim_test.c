// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester and responder against each other over bad networks, many times.
 */
#include "mrc_sim.h"

#ifdef __KERNEL__
#define SEEDS 20
#else
#define SEEDS 200
#endif

/* Probabilities, of 65536. */
#define PER_CENT 655

struct sim_case {
	const char *name;
	struct sim_setup s;
	bool loses;
};

static const struct sim_case lossless[] = {
	{ "calm", { .path = { .delay = 50 * SIM_US } } },
	{ "fifo paths, jitter of 4 rtt", {
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US,
			  .fifo = true } } },
	{ "reordering by 4 rtt", {
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "reordering by 2 ms", {
		.path = { .delay = 50 * SIM_US, .jitter = 2 * SIM_MS } } },
	{ "long rtt, reordering by 4 rtt", {
		.path = { .delay = 5 * SIM_MS, .jitter = 40 * SIM_MS },
		.timeout = 500 * SIM_MS } },
	{ "single packets", {
		.burst = 1,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "smallest window", {
		.mpr = 64, .burst = 16,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "small congestion window", {
		.cwnd = 8000,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "window of one packet", {
		.cwnd = 1, .n_msgs = 20,
		.path = { .delay = 20 * SIM_US, .jitter = 20 * SIM_US } } },
	{ "single path", {
		.n_paths = 1, .planes = 1,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "marks", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .ce = 20 * PER_CENT } } },
	{ "duplicates", {
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US,
			  .dup = 10 * PER_CENT } } },
};

static const struct sim_case lossy[] = {
	{ "1 % loss", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = PER_CENT } } },
	{ "5 % loss of everything", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 5 * PER_CENT, .ctl_loss = 5 * PER_CENT } } },
	{ "20 % loss of everything", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 20 * PER_CENT,
			  .ctl_loss = 20 * PER_CENT }, .n_msgs = 40 } },
	{ "loss of answers", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .ctl_loss = 30 * PER_CENT } } },
	{ "loss of bursts", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .burst_loss = 5 * PER_CENT } } },
	{ "trims", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .trim = 10 * PER_CENT } } },
	{ "all at once", {
		.path = { .delay = 50 * SIM_US, .jitter = 3 * SIM_MS,
			  .loss = 3 * PER_CENT, .ctl_loss = 3 * PER_CENT,
			  .dup = 3 * PER_CENT, .ce = 5 * PER_CENT,
			  .trim = 2 * PER_CENT } } },
	{ "all at once, one path", {
		.n_paths = 1, .planes = 1, .n_msgs = 40,
		.path = { .delay = 50 * SIM_US, .jitter = 3 * SIM_MS,
			  .loss = 3 * PER_CENT, .ctl_loss = 3 * PER_CENT,
			  .dup = 3 * PER_CENT, .ce = 5 * PER_CENT,
			  .trim = 2 * PER_CENT } } },
};

KUNIT_ARRAY_PARAM_DESC(lossless, lossless, name);
KUNIT_ARRAY_PARAM_DESC(lossy, lossy, name);

static struct sim *sim_alloc(struct kunit *test)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	return sim;
}

/* The most important property: no retransmission unless something is lost. */
static void mrc_sim_lossless(struct kunit *test)
{
	const struct sim_case *c = test->param_value;
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(test, sim, &c->s, seed);
		sim_run_until(sim, sim->now + 60000 * SIM_MS);
		sim_check_end(sim);
		KUNIT_EXPECT_EQ_MSG(test, sim->req.stats.rtx_pkts, 0,
				    "seed %llu", seed);
		KUNIT_EXPECT_EQ(test, sim->req.stats.timeouts, 0);
		KUNIT_EXPECT_EQ(test, sim->evs->n_bad, 0);
		sim_free(sim);
	}
}

static void mrc_sim_lossy(struct kunit *test)
{
	const struct sim_case *c = test->param_value;
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(test, sim, &c->s, seed);
		sim_run_until(sim, sim->now + 60000 * SIM_MS);
		sim_check_end(sim);
		sim_free(sim);
		if (test->status == KUNIT_FAILURE)
			break;
	}
}

static struct kunit_case mrc_sim_cases[] = {
	KUNIT_CASE_PARAM(mrc_sim_lossless, lossless_gen_params),
	KUNIT_CASE_PARAM(mrc_sim_lossy, lossy_gen_params),
	{}
};

static struct kunit_suite mrc_sim_suite = {
	.name = "mrc_sim",
	.test_cases = mrc_sim_cases,
};

kunit_test_suite(mrc_sim_suite);

MODULE_DESCRIPTION("KUnit tests of requester and responder together");
MODULE_LICENSE("Dual BSD/GPL");
