// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester and responder over networks that reorder, lose, mark and trim
 * packets, with many seeds.
 */
#include "mrc_sim.h"

#ifdef __KERNEL__
#define SEEDS 20
#else
#define SEEDS 200
#endif

#define PERCENT SIM_PERCENT

struct sim_case {
	const char *name;
	struct sim_setup s;
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
	{ "long rtt, fifo paths, jitter of 4 rtt", {
		.path = { .delay = 5 * SIM_MS, .jitter = 40 * SIM_MS,
			  .fifo = true },
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
			  .ce = 20 * PERCENT } } },
	{ "duplicates", {
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US,
			  .dup = 10 * PERCENT } } },
	{ "one CPU stalls", {
		.cpu_period = 25 * SIM_MS, .cpu_stall = 10 * SIM_MS,
		.path = { .delay = 50 * SIM_US, .jitter = 50 * SIM_US } } },
	{ "shrinking window", {
		.mpr = 1024, .dynamic_mpr = true, .n_msgs = 200,
		.mpr_change = 20 * PERCENT,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "nscc", {
		.cc = &mrc_cc_nscc,
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .ce = 5 * PERCENT } } },
	{ "no congestion control", {
		.cc = &mrc_cc_none,
		.path = { .delay = 50 * SIM_US, .jitter = 400 * SIM_US } } },
	{ "hosts stall", {
		.vm_period = 400 * SIM_MS, .vm_stall = 150 * SIM_MS,
		.path = { .delay = 2 * SIM_MS, .jitter = 50 * SIM_US } } },
};

static const struct sim_case lossy[] = {
	{ "1 % loss", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = PERCENT } } },
	{ "5 % loss of everything", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 5 * PERCENT, .ctl_loss = 5 * PERCENT } } },
	{ "20 % loss of everything", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 20 * PERCENT,
			  .ctl_loss = 20 * PERCENT }, .n_msgs = 40 } },
	{ "loss of acknowledgments", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .ctl_loss = 30 * PERCENT } } },
	{ "loss of bursts", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .burst_loss = 5 * PERCENT } } },
	{ "trims", {
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .trim = 10 * PERCENT } } },
	{ "all at once", {
		.path = { .delay = 50 * SIM_US, .jitter = 3 * SIM_MS,
			  .loss = 3 * PERCENT, .ctl_loss = 3 * PERCENT,
			  .dup = 3 * PERCENT, .ce = 5 * PERCENT,
			  .trim = 2 * PERCENT } } },
	{ "shrinking window, loss", {
		.mpr = 1024, .dynamic_mpr = true, .n_msgs = 200,
		.mpr_change = 20 * PERCENT,
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 5 * PERCENT, .ctl_loss = 5 * PERCENT } } },
	{ "nscc, all at once", {
		.cc = &mrc_cc_nscc,
		.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US,
			  .loss = 3 * PERCENT, .ctl_loss = 3 * PERCENT,
			  .dup = 3 * PERCENT, .ce = 5 * PERCENT,
			  .trim = 2 * PERCENT } } },
	{ "all at once, one path", {
		.n_paths = 1, .planes = 1, .n_msgs = 40,
		.path = { .delay = 50 * SIM_US, .jitter = 3 * SIM_MS,
			  .loss = 3 * PERCENT, .ctl_loss = 3 * PERCENT,
			  .dup = 3 * PERCENT, .ce = 5 * PERCENT,
			  .trim = 2 * PERCENT } } },
};

KUNIT_ARRAY_PARAM_DESC(lossless, lossless, name);
KUNIT_ARRAY_PARAM_DESC(lossy, lossy, name);

/* Without loss nothing is retransmitted. */
static void mrc_sim_lossless(struct kunit *test)
{
	const struct sim_case *c = test->param_value;
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &c->s, seed);
		sim_run_until(sim, sim->now + SIM_LONG);
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
		sim_init(sim, &c->s, seed);
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		sim_free(sim);
		if (test->status == KUNIT_FAILURE)
			break;
	}
}

static u32 sim_state_count(const struct sim *sim, u8 state)
{
	u32 n = 0;
	u16 i;

	for (i = 0; i < sim->n_paths; i++)
		n += sim->evs->ev[i].state == state;
	return n;
}

static const struct sim_setup plain = {
	.n_msgs = 250,
	.path = { .delay = 50 * SIM_US, .jitter = 100 * SIM_US },
};

/* From @after ns on the path drops all packets; its port stays up. */
static void fail_path(struct sim *sim, u16 i, u64 after)
{
	sim->path[i].dead_from = sim->now + after;
	sim->path[i].dead_to = SIM_NEVER;
}

/* Paths that drop all packets leave rotation; probes restore them. */
static void mrc_sim_dead_paths_left_and_restored(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed, start;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		sim->ns_byte = 20;
		start = sim->now;
		for (i = 0; i < 16; i += 4) {
			sim->path[i].dead_from = start + 5 * SIM_MS;
			sim->path[i].dead_to = start + 1000 * SIM_MS;
			mrc_ev_deny(sim->peer_evs, i);
		}
		sim_run_until(sim, start + 900 * SIM_MS);
		sim_check_end(sim);
		KUNIT_EXPECT_GT(test, sim->req.stats.rtx_pkts, 0);
		KUNIT_EXPECT_EQ(test, sim_state_count(sim, MRC_EV_ASSUMED_BAD),
				sim->evs->n_bad);
		KUNIT_EXPECT_EQ(test, sim->evs->n_bad, 4);

		/* Probes of an idle QP restore them. */
		sim->idle = true;
		sim_run_until(sim, start + 6000 * SIM_MS);
		KUNIT_EXPECT_EQ(test, sim->evs->n_bad, 0);
		KUNIT_EXPECT_EQ(test, sim_state_count(sim, MRC_EV_GOOD), 16);
		sim_free(sim);
	}
}

/*
 * With loss, marks and a dead path planes carry equal numbers of packets,
 * within 4 % of their share (paper section 4): the least loaded plane is next,
 * so a plane that has lost a packet waits for its detection.
 */
static void mrc_sim_planes_stay_equal(struct kunit *test)
{
	struct sim_setup setup = lossy[0].s;
	struct sim *sim = sim_alloc(test);
	u32 plane[4], i;
	u64 seed;

	setup.burst = 1;
	setup.n_msgs = 250;
	setup.path.ce = 5 * PERCENT;
	/* So little loss that each plane always has a usable path. */
	setup.path.loss = PERCENT / 2;
	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &setup, seed);
		sim->path[seed % 16].dead_to = SIM_NEVER;
		mrc_ev_deny(sim->peer_evs, seed % 16);
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		memset(plane, 0, sizeof(plane));
		for (i = 0; i < sim->n_paths; i++)
			plane[sim->evs->ev[i].plane - 1] +=
				sim->evs->ev[i].stats.tx_pkts;
		for (i = 0; i < ARRAY_SIZE(plane); i++) {
			u32 share = sim->req.stats.tx_pkts / ARRAY_SIZE(plane);

			KUNIT_EXPECT_GE(test, plane[i], share - share / 25);
			KUNIT_EXPECT_LE(test, plane[i], share + share / 25);
		}
		sim_free(sim);
	}
}

/* One working path per plane completes all messages. */
static void mrc_sim_one_path_per_plane_suffices(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		for (i = 4; i < 16; i++) {
			fail_path(sim, i, 500 * SIM_US);
			mrc_ev_deny(sim->peer_evs, i);
		}
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		sim_free(sim);
	}
}

/*
 * A plane drops all packets while its ports stay up: all of its paths leave
 * rotation, and retransmissions take other planes.
 */
static void mrc_sim_dead_plane_is_left(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed, rtx = 0;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		sim->ns_byte = 20;
		for (i = 1; i < 16; i += 4) {
			fail_path(sim, i, 4 * SIM_MS);
			mrc_ev_deny(sim->peer_evs, i);
		}
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		for (i = 1; i < 16; i += 4)
			rtx += sim->evs->ev[i].stats.rtx_pkts;
		KUNIT_EXPECT_EQ(test, sim->evs->planes[1].n_active, 0);
		sim_free(sim);
	}
	KUNIT_EXPECT_EQ(test, rtx, 0);
}

/*
 * One path works.  If a dead path per plane stayed in rotation, most packets
 * would be lost.
 */
static void mrc_sim_one_path_suffices(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		for (i = 0; i < 16; i++) {
			if (i == 6)
				continue;
			fail_path(sim, i, 500 * SIM_US);
			mrc_ev_deny(sim->peer_evs, i);
		}
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		/* One dead path may be used too rarely to be detected. */
		KUNIT_EXPECT_GE(test, sim->evs->n_bad, 14);
		sim_free(sim);
	}
}

/* A port goes down under traffic: no packet uses it from then on. */
static void mrc_sim_port_down_is_not_used(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed, start;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		sim->ns_byte = 20;
		start = sim->now;
		mrc_ev_deny(sim->evs, 3);
		for (i = 1; i < 16; i += 4)
			fail_path(sim, i, 4 * SIM_MS);
		sim_run_until(sim, start + 4 * SIM_MS);
		mrc_ev_set_ports(sim->evs, 0xd, 0xf);
		mrc_ev_set_ports(sim->peer_evs, 0xd, 0xf);
		sim_run_until(sim, start + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_EQ(test, sim->used & BIT_ULL(3), 0);
		/* Losses on a port that is down are no strikes of its paths. */
		KUNIT_EXPECT_EQ(test, sim->evs->n_bad, 0);
		sim_free(sim);
	}
}

static void mrc_sim_all_dead_retries_exceeded(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		for (i = 0; i < 16; i++)
			fail_path(sim, i, 3 * SIM_MS);
		sim_run_until(sim, sim->now + SIM_LONG);
		KUNIT_EXPECT_EQ(test, sim->done_status, MRC_ERR_RETRY_EXC);
		KUNIT_EXPECT_EQ(test, sim->n_done, sim->posted);
		KUNIT_EXPECT_EQ(test, sim->req.stats.timeouts, 8);
		KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->req), 0);
		sim_free(sim);
	}
}

/* All paths drop packets for less time than the retries last. */
static void mrc_sim_outage_shorter_than_retries(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;
	u16 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		for (i = 0; i < 16; i++) {
			sim->path[i].dead_from = sim->now + 3 * SIM_MS;
			sim->path[i].dead_to = sim->now + 500 * SIM_MS;
		}
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		sim_free(sim);
	}
}

static void mrc_sim_rnr_delivers_all(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &lossy[0].s, seed);
		sim->rq_posted = 0;
		sim->rq_gap = 500 * SIM_US;
		sim->rq_at = sim->now + 20 * SIM_MS;
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_GT(test, sim->req.stats.rnr_naks, 0);
		sim_free(sim);
	}
}

/* The refused message gets the error, earlier messages complete. */
static void mrc_sim_nak_ends_message(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &lossy[1].s, seed);
		sim->refuse_msg = 60;
		sim_run_until(sim, sim->now + SIM_LONG);
		KUNIT_EXPECT_EQ(test, sim->done_status, MRC_ERR_REM_ACCESS);
		KUNIT_EXPECT_EQ(test, sim->failed_msg, 60);
		KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&sim->rsp));
		KUNIT_EXPECT_EQ(test, sim->rsp.msn, 60);
		sim_free(sim);
	}
}

/* Packets of a path with a far longer delay are not deemed lost. */
static void mrc_sim_uneven_paths_no_rtx(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		sim->ns_byte = 20;
		sim->path[5].delay = 7 * SIM_MS;
		sim->path[6].delay = 3 * SIM_MS;
		sim_run_until(sim, sim->now + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_EQ(test, sim->req.stats.rtx_pkts, 0);
		sim_free(sim);
	}
}

/*
 * The delay of a path grows by more than the reordering window: a few losses
 * are spurious, then the window has grown.
 */
static void mrc_sim_spurious_widens_window(struct kunit *test)
{
	struct sim *sim = sim_alloc(test);
	u64 seed, start, early;

	for (seed = 1; seed <= SEEDS; seed++) {
		sim_init(sim, &plain, seed);
		sim->ns_byte = 100;
		start = sim->now;
		sim_run_until(sim, start + 50 * SIM_MS);
		KUNIT_EXPECT_EQ(test, sim->req.stats.rtx_pkts, 0);
		sim->path[5].delay = 20 * SIM_MS;
		sim_run_until(sim, start + 250 * SIM_MS);
		early = sim->req.stats.rtx_pkts;
		sim_run_until(sim, start + SIM_LONG);
		sim_check_end(sim);
		KUNIT_EXPECT_EQ(test, sim->req.stats.rtx_pkts, early);
		KUNIT_EXPECT_EQ(test, !early, !sim->req.stats.spurious);
		KUNIT_EXPECT_EQ(test, !early, !sim->req.rack.reo_wnd_shift);
		sim_free(sim);
	}
}

static struct kunit_case mrc_sim_cases[] = {
	KUNIT_CASE_PARAM(mrc_sim_lossless, lossless_gen_params),
	KUNIT_CASE_PARAM(mrc_sim_lossy, lossy_gen_params),
	KUNIT_CASE(mrc_sim_dead_paths_left_and_restored),
	KUNIT_CASE(mrc_sim_planes_stay_equal),
	KUNIT_CASE(mrc_sim_one_path_per_plane_suffices),
	KUNIT_CASE(mrc_sim_dead_plane_is_left),
	KUNIT_CASE(mrc_sim_one_path_suffices),
	KUNIT_CASE(mrc_sim_port_down_is_not_used),
	KUNIT_CASE(mrc_sim_all_dead_retries_exceeded),
	KUNIT_CASE(mrc_sim_outage_shorter_than_retries),
	KUNIT_CASE(mrc_sim_rnr_delivers_all),
	KUNIT_CASE(mrc_sim_nak_ends_message),
	KUNIT_CASE(mrc_sim_uneven_paths_no_rtx),
	KUNIT_CASE(mrc_sim_spurious_widens_window),
	{}
};

static struct kunit_suite mrc_sim_suite = {
	.name = "mrc_sim",
	.test_cases = mrc_sim_cases,
};

kunit_test_suite(mrc_sim_suite);

MODULE_DESCRIPTION("KUnit tests of requester and responder together");
MODULE_LICENSE("Dual BSD/GPL");
