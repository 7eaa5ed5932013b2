// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Properties of all runs, with random networks, hosts and actions of the
 * operator: each message is delivered once, complete and in order, and no queue
 * pair fails while a path works.  A run is determined by its seed; "make replay
 * SEED=n" repeats one with a trace.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "mrc_sim.h"

/* Parameters of the case, which run in parallel on several processors. */
#define BLOCKS	20

/* Ratio of the longest and the shortest delay: 4 round trips of difference. */
#define MAX_SPREAD 9
/* Actions of the operator in one run, at most. */
#define ACTIONS	24
/* All runs need far fewer steps; one that needs as many does not end. */
#define STEPS	BIT(23)
/*
 * Delays that vary from packet to packet by more than so many times the shortest look like
 * losses now and then, before the longest has been measured.  A loss detection that takes
 * them for losses does so much more often than this.
 */
#define WILD_JITTER	4
#define WILD_RTX_MAX	8

/**
 * struct plan - parameters and actions of one run
 * @rnd: state of the random numbers
 * @setup: the fabric
 * @sim: the run
 * @n_actions: remaining actions of the operator
 * @action_gap: ns between two of them, at most
 * @spread: ns by which delays of paths may differ beyond their jitter
 * @all_fail: all paths fail after the last action
 * @lossless: no loss, no actions: no retransmissions are allowed, or few (WILD_JITTER)
 * @denied: bit per path that a deny rule forbids
 */
struct plan {
	u64 rnd;
	struct sim_setup setup;
	struct sim *sim;
	u32 n_actions;
	u64 action_gap;
	u64 spread;
	bool all_fail;
	bool lossless;
	u64 denied;
};

static u32 below(struct plan *p, u32 n)
{
	return mrc_rnd_below(&p->rnd, n);
}

static bool one_in(struct plan *p, u32 n)
{
	return !below(p, n);
}

/* A probability of up to @percent in one of three cases, otherwise 0. */
static u32 chance(struct plan *p, u32 percent)
{
	return one_in(p, 3) ? below(p, percent * SIM_PERCENT + 1) : 0;
}

/* Number of names in a list. */
static u32 count(const char *(*nth)(u32 i))
{
	u32 n = 0;

	while (nth(n))
		n++;
	return n;
}

static void draw_qp(struct plan *p)
{
	static const u32 pmtus[] = { 256, 1024, 4096 };
	static const u32 timeouts[] = { 8, 67, 2000 };
	struct sim_setup *s = &p->setup;

	s->pmtu = pmtus[below(p, ARRAY_SIZE(pmtus))];
	s->mpr = 64 << below(p, 5);
	s->dynamic_mpr = one_in(p, 2);
	s->mpr_change = chance(p, 20);
	s->svc_time = one_in(p, 2);
	s->max_wimm = 1 + below(p, 64);
	s->burst = 1 + below(p, MRC_BURST_MAX);
	s->cwnd = one_in(p, 2) ? 1 << 20 : 1 + below(p, 200000);
	/* The operator configures more than the longest round trip. */
	s->timeout = max(timeouts[below(p, ARRAY_SIZE(timeouts))] * SIM_MS,
			 3 * MAX_SPREAD * s->path.delay);
	s->n_msgs = 5 + below(p, 80);
	s->lb = mrc_lb_at(below(p, count(mrc_lb_name)));
	s->cc = mrc_cc_at(below(p, count(mrc_cc_name)));
}

static u64 part_of(struct plan *p, u64 ns)
{
	return div_u64(ns * below(p, 1000), 1000);
}

static void draw_fabric(struct plan *p)
{
	static const u32 delays[] = { 2, 10, 50, 500, 5000, 40000 };
	struct sim_path *path = &p->setup.path;

	p->setup.planes = 1 << below(p, 4);
	p->setup.n_paths = p->setup.planes * (1 + below(p, 8));
	if (one_in(p, 3))
		p->setup.n_active = 1 + below(p, p->setup.n_paths);
	if (one_in(p, 3))
		p->setup.min_active = 1 + below(p, p->setup.n_paths);
	path->delay = delays[below(p, ARRAY_SIZE(delays))] * SIM_US;
	p->spread = (MAX_SPREAD - 1) * path->delay;
	path->jitter = one_in(p, 3) ? 0 : part_of(p, p->spread);
	p->spread -= path->jitter;
	path->fifo = one_in(p, 2);
	path->ce = chance(p, 30);
	path->dup = chance(p, 10);
}

/*
 * Up to 20 % in each direction: with more, one packet may well be lost eight
 * times in a row, which exceeds the retries.
 */
static void draw_loss(struct plan *p)
{
	struct sim_path *path = &p->setup.path;
	u32 trim = below(p, 20), trim_last = below(p, 20 - trim);
	u32 loss = 20 - trim - trim_last;

	path->trim = chance(p, trim);
	path->trim_last = chance(p, trim_last);
	if (one_in(p, 2))
		path->loss = chance(p, loss);
	else
		path->burst_loss = chance(p, loss);
	path->ctl_loss = chance(p, 20);
}

/* Virtual machines are not scheduled for some time. */
static void draw_stalls(struct plan *p)
{
	struct sim_setup *s = &p->setup;

	if (one_in(p, 6)) {
		s->cpu_period = (1 + below(p, 100)) * SIM_MS;
		s->cpu_stall = div_u64(s->cpu_period, 2 + below(p, 20));
	}
	if (one_in(p, 6)) {
		s->vm_period = (50 + below(p, 350)) * SIM_MS;
		s->vm_stall = div_u64(s->vm_period, 3 + below(p, 20));
	}
}

static void draw_queue(struct plan *p, struct sim_queue *q, u32 ns_byte)
{
	q->ns_byte = ns_byte;
	q->mark = one_in(p, 2) ? (1 + below(p, 500)) * SIM_US : 0;
	q->max = (20 + below(p, 2000)) * SIM_US +
		 (u64)ns_byte * 2 * p->setup.pmtu;
	q->trims = one_in(p, 2);
}

/* Ports of finite speed, which mark, trim and drop. */
static void draw_queues(struct plan *p)
{
	struct sim_queue path = { }, port = { };
	struct sim *sim = p->sim;
	u16 i;

	if (one_in(p, 3))
		draw_queue(p, &path, 1 + below(p, 40));
	if (one_in(p, 4))
		draw_queue(p, &port, 1 + below(p, 20));
	for (i = 0; i < sim->n_paths; i++)
		sim->path[i].queue = path;
	for (i = 0; i < SIM_PLANES; i++)
		sim->port[i] = port;
}

/* Delays of paths differ. */
static void draw_spread(struct plan *p)
{
	struct sim *sim = p->sim;
	u16 i;

	if (one_in(p, 2))
		return;
	for (i = 0; i < sim->n_paths; i++)
		sim->path[i].delay += part_of(p, p->spread);
}

static void draw_receives(struct plan *p)
{
	struct sim *sim = p->sim;

	if (!one_in(p, 5))
		return;
	sim->rq_posted = below(p, 4);
	sim->rq_gap = (50 + below(p, 3000)) * SIM_US;
	sim->rq_at = sim->now + below(p, 20) * SIM_MS;
}

static void draw(struct plan *p, struct sim *sim, u64 seed)
{
	memset(p, 0, sizeof(*p));
	p->rnd = ~seed;
	p->sim = sim;
	p->lossless = one_in(p, 8);
	draw_fabric(p);
	draw_qp(p);
	if (!p->lossless) {
		draw_loss(p);
		draw_stalls(p);
	}
	/* There is host delay: in lossless runs bursts wait for the wire. */
	p->setup.no_host_delay = seed % 3 == 0 && !p->lossless;
	sim_init(sim, &p->setup, seed);
	draw_spread(p);
	sim->ns_byte = 1 + below(p, 20);
	if (p->lossless)
		return;
	draw_queues(p);
	draw_receives(p);
	sim->evs->pad_probes = !one_in(p, 4);
	if (one_in(p, 2))
		p->n_actions = 1 + below(p, ACTIONS);
	p->action_gap = (1 + below(p, 50000)) * SIM_US;
	p->all_fail = one_in(p, 20);
}

/* Parameters, the beginning of a trace. */
static void describe(const struct plan *p)
{
	const struct sim_setup *s = &p->setup;
	const struct sim_path *path = &s->path;
	const struct sim *sim = p->sim;

	sim_trace(sim, "%u planes, %u paths, %u active, at least %u, %s",
		  s->planes, s->n_paths, s->n_active ?: s->n_paths,
		  s->min_active, s->lb->name);
	sim_trace(sim, "delay %llu ns, jitter %llu%s, spread %llu",
		  path->delay, path->jitter, path->fifo ? " (fifo)" : "",
		  p->spread);
	sim_trace(sim, "pmtu %u, mpr %u, burst %u, wimm %u, timeout %llu ns",
		  s->pmtu, s->mpr, s->burst, s->max_wimm, s->timeout);
	sim_trace(sim, "%u messages, %s, window %u%s", s->n_msgs, s->cc->name,
		  s->cwnd, s->no_host_delay ? ", no host delay" : "");
	sim_trace(sim, "of 65536 lost: %u, bursts %u, acks %u; dup %u",
		  path->loss, path->burst_loss, path->ctl_loss, path->dup);
	sim_trace(sim, "of 65536 trimmed: %u, last hop %u; marked %u",
		  path->trim, path->trim_last, path->ce);
	sim_trace(sim, "ns per byte: host %u, path %u, port %u", sim->ns_byte,
		  sim->path[0].queue.ns_byte, sim->port[0].ns_byte);
	sim_trace(sim, "stalls: cpu %llu of %llu ns, host %llu of %llu",
		  s->cpu_stall, s->cpu_period, s->vm_stall, s->vm_period);
	sim_trace(sim, "receives: %u, then every %llu ns; %u actions%s%s%s",
		  sim->rq_posted, sim->rq_gap, p->n_actions,
		  sim->evs->pad_probes ? "" : ", no padding",
		  p->all_fail ? ", then all paths fail" : "",
		  p->lossless ? ", no loss" : "");
}

/* The operator. */

static bool is_dead(const struct sim *sim, u16 i)
{
	return sim->now >= sim->path[i].dead_from &&
	       sim->now < sim->path[i].dead_to;
}

static bool works(const struct plan *p, u16 i)
{
	const struct mrc_ev_set *evs = p->sim->evs;

	return !is_dead(p->sim, i) && !(p->denied >> i & 1) &&
	       mrc_ev_ports(evs) >> (evs->ev[i].plane - 1) & 1;
}

static void restore_path(struct plan *p, u16 i)
{
	p->sim->path[i].dead_to = 0;
}

static void allow_path(struct plan *p, u16 i)
{
	p->denied &= ~BIT_ULL(i);
	mrc_ev_allow(p->sim->evs, i);
}

static void set_ports(struct plan *p, u32 local, u32 peer)
{
	mrc_ev_set_ports(p->sim->evs, local, peer);
	mrc_ev_set_ports(p->sim->peer_evs, peer, local);
}

/* Make sure that one path works. */
static void keep_one_path(struct plan *p)
{
	u16 i, n = p->sim->n_paths;

	for (i = 0; i < n; i++)
		if (works(p, i))
			return;
	i = below(p, n);
	sim_trace(p->sim, "path %u is kept working", i);
	restore_path(p, i);
	allow_path(p, i);
	set_ports(p, ~0U, ~0U);
}

/* Apply deny rules to the peer, which detects dead paths itself. */
static void apply_denied_to_peer(struct plan *p)
{
	struct sim *sim = p->sim;
	u16 i;

	for (i = 0; i < sim->n_paths; i++) {
		if (p->denied >> i & 1)
			mrc_ev_deny(sim->peer_evs, i);
		else
			mrc_ev_allow(sim->peer_evs, i);
	}
}

static void fail_path(struct plan *p, u16 i)
{
	struct sim_path *path = &p->sim->path[i];

	/* Without padding, paths that drop long packets seem to be repaired. */
	path->dead_dir = below(p, p->sim->evs->pad_probes ?
				  SIM_LONG_TO_RESPONDER + 1 :
				  SIM_LONG_TO_RESPONDER);
	path->dead_from = p->sim->now;
	path->dead_to = one_in(p, 2) ? SIM_NEVER :
		p->sim->now + below(p, 2000000) * SIM_US;
}

static void fail_all_paths(struct plan *p)
{
	u16 i;

	for (i = 0; i < p->sim->n_paths; i++) {
		fail_path(p, i);
		p->sim->path[i].dead_dir = SIM_BOTH_DIRS;
		p->sim->path[i].dead_to = SIM_NEVER;
	}
	sim_trace(p->sim, "all paths fail");
}

static void run_action(struct plan *p)
{
	struct sim *sim = p->sim;
	u16 i = below(p, sim->n_paths);
	u32 what = below(p, 8);

	sim_trace(sim, "operator: %u to path %u", what, i);
	switch (what) {
	case 0:
	case 1:
		fail_path(p, i);
		break;
	case 2:
		restore_path(p, i);
		break;
	case 3:
		set_ports(p, one_in(p, 2) ? ~0U : below(p, 256),
			  one_in(p, 2) ? ~0U : below(p, 256));
		break;
	case 4:
		p->denied |= BIT_ULL(i);
		mrc_ev_deny(sim->evs, i);
		break;
	case 5:
		allow_path(p, i);
		break;
	case 6:
		mrc_rsp_set_mpr(&sim->rsp, below(p, 2 * p->setup.mpr));
		break;
	case 7:
		sim->path[i].delay = p->setup.path.delay +
				     part_of(p, p->spread);
		break;
	}
	keep_one_path(p);
	apply_denied_to_peer(p);
}

static void run_actions(struct plan *p)
{
	struct sim *sim = p->sim;
	u64 until;

	for (; p->n_actions; p->n_actions--) {
		until = sim->now + below(p, p->action_gap);
		sim_run_until(sim, until);
		if (sim_over(sim))
			return;
		sim->now = until;
		run_action(p);
	}
	if (p->all_fail)
		fail_all_paths(p);
}

/* Unless all messages had completed before, the retries are exceeded. */
static void check_all_fail(const struct plan *p)
{
	struct kunit *test = p->sim->test;
	struct sim *sim = p->sim;

	KUNIT_EXPECT_EQ(test, sim->n_done, sim->posted);
	if (sim_over(sim) && sim->done_status == MRC_OK)
		return;
	KUNIT_EXPECT_EQ(test, sim->done_status, MRC_ERR_RETRY_EXC);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&sim->req), 0);
}

static void check_lossless(const struct plan *p)
{
	const struct sim_path *path = &p->setup.path;
	const struct sim *sim = p->sim;
	struct kunit *test = sim->test;

	KUNIT_EXPECT_LE(test, sim->req.stats.rtx_pkts,
			path->jitter > WILD_JITTER * path->delay ? WILD_RTX_MAX : 0);
	KUNIT_EXPECT_EQ(test, sim->req.stats.timeouts, 0);
	KUNIT_EXPECT_EQ(test, sim->evs->n_bad, 0);
}

static void run_seed(struct sim *sim, u64 seed)
{
	struct plan p;

	draw(&p, sim, seed);
	describe(&p);
	run_actions(&p);
	sim_run_until(sim, SIM_NEVER - 1);
	if (p.all_fail)
		check_all_fail(&p);
	else
		sim_check_end(sim);
	if (p.lossless)
		check_lossless(&p);
	KUNIT_EXPECT_LT(sim->test, sim->steps, STEPS);
	sim_free(sim);
}

/* Seeds of one case. */
static u64 runs(void)
{
	return div_u64(sim_wanted_seeds() + BLOCKS - 1, BLOCKS);
}

static void mrc_property_random(struct kunit *test)
{
	u64 first = *(const u64 *)test->param_value;
	struct sim *sim = sim_alloc(test);
	u64 seed;

	for (seed = first; seed < first + runs(); seed++) {
		run_seed(sim, sim_wanted_seed() ?: seed);
		if (sim_wanted_seed() || test->status == KUNIT_FAILURE)
			break;
	}
}

static const void *blocks_gen_params(const void *prev, char *desc)
{
	static u64 first;

	if (sim_wanted_seed() && prev)
		return NULL;
	first = prev ? first + runs() : 1;
	if (first > BLOCKS * runs())
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seeds %llu to %llu", first,
		 first + runs() - 1);
	return &first;
}

/* Runs also if an assertion has ended the case. */
static void mrc_property_exit(struct kunit *test)
{
	const struct sim *sim = test->priv;

	if (sim && test->status == KUNIT_FAILURE)
		kunit_info(test, "to repeat with a trace: make replay SEED=%llu\n",
			   sim->seed);
}

static struct kunit_case mrc_property_cases[] = {
	KUNIT_CASE_PARAM(mrc_property_random, blocks_gen_params),
	{}
};

static struct kunit_suite mrc_property_suite = {
	.name = "mrc_property",
	.exit = mrc_property_exit,
	.test_cases = mrc_property_cases,
};

kunit_test_suite(mrc_property_suite);

MODULE_DESCRIPTION("KUnit tests of MRC in random runs");
MODULE_LICENSE("Dual BSD/GPL");
