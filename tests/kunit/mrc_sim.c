// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulation: set-up, and loop over events.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "core/psn.h"
#include "mrc_sim.h"

/* Upper bound of the bytes of a packet besides its payload. */
#define OVERHEAD	176
/* The reverse direction carries no messages. */
#define REVERSE_QPN	0x321
#define REVERSE_MPR	64
/* Rate of the sender's link for NSCC: 1 ns per byte. */
#define MBPS		8000

/**
 * sim_alloc() - allocate a simulation
 * @test: test that needs them
 *
 * Return: simulation for sim_init().
 */
struct sim *sim_alloc(struct kunit *test)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	sim->test = test;
	sim->trace = sim_wanted_seed();
	test->priv = sim;
	return sim;
}

static void *alloc(struct sim *sim, size_t size)
{
	void *mem = kunit_kzalloc(sim->test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(sim->test, mem);
	return mem;
}

static struct mrc_ev_set *make_paths(struct sim *sim,
				     const struct sim_setup *setup)
{
	u32 ports = (1U << (setup->planes ?: 4)) - 1;
	struct mrc_ev_set *set = alloc(sim, mrc_ev_set_size(sim->n_paths));
	struct mrc_ev_entry *e = alloc(sim, sim->n_paths * sizeof(*e));
	const struct mrc_lb_ops *other = sim->seed & 2 ? &mrc_lb_reps :
							 &mrc_lb_rotation;
	const struct mrc_ev_cfg cfg = {
		.lb = setup->lb ?: other,
		.seed = sim->seed,
		.n_active = setup->n_active,
		.min_active = setup->min_active,
	};

	mrc_ev_auto(e, sim->n_paths, ports, sim->seed);
	KUNIT_ASSERT_EQ(sim->test, 0,
			mrc_ev_set_init(set, e, sim->n_paths, &cfg));
	kunit_kfree(sim->test, e);
	return set;
}

static void make_requester(struct sim *sim, const struct sim_setup *setup)
{
	struct mrc_req_cfg cfg = {
		.dest_qpn = SIM_QPN,
		.sq_psn = sim->seed * 0x10001 & MRC_PSN_MASK,
		.pmtu = setup->pmtu ?: SIM_PMTU,
		.mpr = setup->mpr ?: 256,
		.max_msgs = 64,
		.max_wimm = setup->max_wimm ?: 32,
		.burst = setup->burst ?: 4,
		.timeout_ns = setup->timeout ?: 67 * SIM_MS,
		.linear_cnt = 3,
		.exp_cnt = setup->exp_cnt ?: 4,
		.rnr_retry = 7,
		.reo_wnd_path = setup->no_host_delay ? 0 : MRC_REO_WND_PATH_HOST,
		.reo_wnd_any = setup->no_host_delay ? 0 : MRC_REO_WND_ANY_HOST,
		.dynamic_mpr = setup->dynamic_mpr,
		.svc_time = setup->svc_time,
		.ts = sim->seed & 1,
	};
	struct mrc_cc_cfg cc_cfg = {
		.mtu = cfg.pmtu + OVERHEAD,
		.max_cwnd = setup->cwnd ?: 1 << 20,
		.ack_trigger = MRC_SACK_THRESHOLD,
	};

	mrc_nscc_defaults(&cc_cfg.nscc, MBPS, 2 * setup->path.delay,
			  cc_cfg.mtu, true);
	KUNIT_ASSERT_EQ(sim->test, MRC_NSCC_FIELD_OK,
			mrc_nscc_check(&cc_cfg.nscc, cc_cfg.mtu));
	mrc_req_init(&sim->req, &cfg, sim->evs, setup->cc ?: &mrc_cc_fixed,
		     &cc_cfg, alloc(sim, mrc_req_mem_size(&cfg)));
}

static u32 power_of_two(u32 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static void make_responder(struct sim *sim)
{
	struct mrc_rsp_cfg cfg = {
		.peer_qpn = REVERSE_QPN,
		.rq_psn = sim->req.cfg.sq_psn,
		.mpr = sim->req.cfg.mpr,
		.max_wimm = power_of_two(sim->req.cfg.max_wimm),
		.sack_threshold = MRC_SACK_THRESHOLD,
		.dynamic_mpr = sim->req.cfg.dynamic_mpr,
		.svc_time = sim->req.cfg.svc_time,
	};

	mrc_rsp_init(&sim->rsp, &cfg, alloc(sim, mrc_rsp_mem_size(&cfg)));
}

/* Requester and responder for probes of the responder's host. */
static void make_reverse(struct sim *sim)
{
	const struct mrc_req_cfg req = {
		.dest_qpn = REVERSE_QPN, .pmtu = SIM_PMTU, .mpr = REVERSE_MPR,
		.max_msgs = 1, .max_wimm = 1, .burst = 1,
		.timeout_ns = 67 * SIM_MS, .rnr_retry = 7,
	};
	const struct mrc_rsp_cfg rsp = {
		.peer_qpn = SIM_QPN, .mpr = REVERSE_MPR,
		.max_wimm = 1, .sack_threshold = MRC_SACK_THRESHOLD,
	};
	const struct mrc_cc_cfg cc = { .mtu = SIM_PMTU, .max_cwnd = SIM_PMTU };

	mrc_req_init(&sim->peer_req, &req, sim->peer_evs, &mrc_cc_fixed, &cc,
		     alloc(sim, mrc_req_mem_size(&req)));
	mrc_rsp_init(&sim->own_rsp, &rsp, alloc(sim, mrc_rsp_mem_size(&rsp)));
}

static void clear(struct sim *sim)
{
	struct kunit *test = sim->test;
	bool trace = sim->trace;
	u32 i;

	/* Slots are written before they are read. */
	memset(sim, 0, offsetof(struct sim, slot));
	sim->test = test;
	sim->trace = trace;
	for (i = 0; i < SIM_EVENTS; i++)
		sim->heap[i] = i;
}

/**
 * sim_init() - set up a simulation
 * @sim: from sim_alloc(), new or after sim_free()
 * @setup: parameters
 * @seed: not 0
 */
void sim_init(struct sim *sim, const struct sim_setup *setup, u64 seed)
{
	u16 i;

	clear(sim);
	sim->seed = seed;
	sim->start = SIM_MS * (1 + seed % 1000);
	sim->now = sim->start;
	sim->rnd = seed;
	sim->ns_byte = 1;
	sim->n_msgs = setup->n_msgs ?: 100;
	sim->n_paths = setup->n_paths ?: 16;
	sim->rq_posted = SIM_MSGS;
	sim->refuse_msg = SIM_MSGS;
	sim->mpr_change = setup->mpr_change;
	sim->cpu_period = setup->cpu_period;
	sim->cpu_stall = setup->cpu_stall;
	sim->vm_period = setup->vm_period;
	sim->vm_stall = setup->vm_stall;
	for (i = 0; i < sim->n_paths; i++)
		sim->path[i] = setup->path;
	sim->evs = make_paths(sim, setup);
	sim->peer_evs = make_paths(sim, setup);
	sim->evs->pad_probes = true;
	make_requester(sim, setup);
	make_responder(sim);
	make_reverse(sim);
	sim->known_mpr = sim->req.cfg.mpr;
	sim->known_cack = sim->rsp.cack;
}

/**
 * sim_free() - free the allocations of sim_init()
 * @sim: simulation
 */
void sim_free(struct sim *sim)
{
	kunit_kfree(sim->test, sim->req.pkts);
	kunit_kfree(sim->test, sim->rsp.received);
	kunit_kfree(sim->test, sim->peer_req.pkts);
	kunit_kfree(sim->test, sim->own_rsp.received);
	kunit_kfree(sim->test, sim->evs);
	kunit_kfree(sim->test, sim->peer_evs);
}

/**
 * sim_over() - have all messages completed?
 * @sim: simulation
 *
 * Return: true if so.
 */
bool sim_over(const struct sim *sim)
{
	return sim->n_done == sim->n_msgs;
}

static u64 next_step(const struct sim *sim)
{
	u64 next = mrc_req_deadline(&sim->req) ?: SIM_NEVER;

	next = min(next, mrc_req_deadline(&sim->peer_req) ?: SIM_NEVER);
	next = min(next, sim_next_event(sim));
	if (sim->wire_at)
		next = min(next, sim->wire_at);
	if (sim->rq_gap)
		next = min(next, sim->rq_at);
	return next;
}

static void post_recv(struct sim *sim)
{
	if (!sim->rq_gap || sim->rq_at > sim->now)
		return;
	sim->rq_posted++;
	sim->rq_at = sim->now + sim->rq_gap;
}

static void step(struct sim *sim)
{
	struct sim_event e;

	post_recv(sim);
	while (sim_arrive(sim, &e)) {
		if (e.to_peer)
			sim_rx_data(sim, &e);
		else
			sim_rx_acks(sim, &e);
	}
	sim_run_req(sim);
	sim_run_peer(sim);
	sim_check_step(sim);
	sim->steps++;
}

/**
 * sim_run_until() - continue a run
 * @sim: simulation
 * @until: ns; ends earlier when all messages have completed, unless @sim->idle
 */
void sim_run_until(struct sim *sim, u64 until)
{
	u64 next;

	sim_run_req(sim);
	for (;;) {
		next = next_step(sim);
		if (next > until || (!sim->idle && sim_over(sim)))
			break;
		next = max(sim->now, next);
		sim->now = sim_after_stall(next, sim->vm_period, sim->vm_stall);
		/* Worst case: timers run before received packets are processed. */
		if (sim->now != next)
			sim_run_req(sim);
		step(sim);
	}
}
