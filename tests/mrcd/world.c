// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The model: each probe meets the parts of its way there and back, and each broken one
 * of them loses it with its probability.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* Between two looks at the plan, and between two searches, in s. */
#define STEP	0.004
#define SEARCH	0.25
/* A round trip over a T0 alone, and what a T1 and a fault add, ns. */
enum {
	RTT_NEAR = 9000,
	RTT_FAR = 3000,
	RTT_SLOW = 500000,
};

/* Peers to which there is traffic. */
enum { TALKS = 16 };

static double uniform(void)
{
	return drand48();
}

/* Packets until the next one that is lost with probability @p. */
static double draw_skip(double p)
{
	return p > 0 ? log(1 - uniform()) / log1p(-p) : INFINITY;
}

static void on_event(void *arg, enum fault_event event,
		     const struct fault *fault)
{
	struct world *world = arg;
	size_t n = strlen(world->named);
	char name[FABRIC_NAME];

	if (event == FAULT_CLEARED) {
		world->cleared++;
		return;
	}
	fabric_name(&world->fabric, fault->finding.exact, name);
	snprintf(world->named + n, sizeof(world->named) - n, "%s%s/%s ",
		 event == FAULT_REVISED ? "=" : "", name,
		 fault_kind_name(fault->finding.kind));
	world->named_at = world->now;
}

/**
 * world_begin() - begin with a healthy network
 * @world: filled in
 * @file: topology
 * @self: number of the host that probes
 * @rate: probes per second
 */
void world_begin(struct world *world, const char *file, int self, double rate)
{
	int i;

	memset(world, 0, sizeof(*world));
	if (topo_load_good(file, &world->topo))
		exit(1);
	fabric_init(&world->fabric, &world->topo);
	evidence_init(&world->evidence, &world->fabric, self);
	faults_init(&world->faults, &world->evidence);
	world->faults.tell = on_event;
	world->faults.arg = world;
	plan_init(&world->plan, &world->topo, self, rate, self + 1);
	for (i = 0; i < world->topo.hosts; i++)
		plan_add_peer(&world->plan, i);
	world->self = self;
	world->background = 0.000001;
	world->slow = 0.001;
	world->skip = draw_skip(world->background);
	world->cell = topo_alloc((size_t)world->topo.hosts *
				 world->topo.planes * (world->topo.t1.n + 1),
				 sizeof(*world->cell));
}

/**
 * world_end() - free the model
 * @world: of world_begin()
 */
void world_end(struct world *world)
{
	plan_free(&world->plan);
	evidence_free(&world->evidence);
	topo_free(&world->topo);
	free(world->cell);
}

/**
 * world_break() - break a part
 * @world: model
 * @name: of the part, as of fabric_name()
 *
 * Return: the fault, to which the caller adds what the part does.
 */
struct broken *world_break(struct world *world, const char *name)
{
	struct broken *b = &world->broken[world->n_broken++];

	memset(b, 0, sizeof(*b));
	if (fabric_find(&world->fabric, name, &b->part)) {
		fprintf(stderr, "no part %s\n", name);
		exit(1);
	}
	return b;
}

/**
 * world_repair() - repair everything
 * @world: model
 */
void world_repair(struct world *world)
{
	world->n_broken = 0;
}

static uint32_t cell_of(struct world *world, int peer, int plane, int t1)
{
	const struct route route = { world->self, peer, plane, t1 };
	uint32_t *cell;

	cell = &world->cell[((size_t)peer * world->topo.planes + plane) *
			    (world->topo.t1.n + 1) + t1 + 1];
	if (!*cell)
		*cell = evidence_cell(&world->evidence, &route) + 1;
	return *cell - 1;
}

/* Probability that a packet on a way is hit by what @value says. */
static double hit(const struct world *world, uint32_t cell, bool back,
		  size_t value)
{
	const struct route *route = &world->evidence.cell[cell].route;
	uint32_t part[FABRIC_PARTS];
	double pass = 1;
	int n, i;

	n = back ? fabric_round_trip(&world->fabric, route, part) :
		   fabric_one_way(&world->fabric, route, part);
	while (n--) {
		for (i = 0; i < world->n_broken; i++) {
			const char *b = (const char *)&world->broken[i];
			int liar = world->broken[i].liar;

			if (world->broken[i].part == part[n] &&
			    (!liar || liar == route->to))
				pass *= 1 - *(const double *)(b + value);
		}
	}
	return 1 - pass;
}

static uint32_t draw_bad(uint32_t n, double p)
{
	uint32_t bad = 0, i;

	for (i = 0; p > 0 && i < n; i++)
		bad += uniform() < p;
	return bad;
}

static uint32_t background_losses(struct world *world, uint32_t n)
{
	uint32_t bad = 0;

	for (world->skip -= n; world->skip < 0;
	     world->skip += draw_skip(world->background) + 1)
		bad++;
	return bad < n ? bad : n;
}

static bool is_lost(struct world *world, uint32_t cell)
{
	bool lost = background_losses(world, 1);

	if (!lost && world->n_broken)
		lost = draw_bad(1, hit(world, cell, true,
				       offsetof(struct broken, loss)));
	return lost;
}

static bool is_slow(struct world *world, uint32_t cell)
{
	double p = 0;

	if (world->n_broken)
		p = hit(world, cell, true, offsetof(struct broken, slow));
	return draw_bad(1, 1 - (1 - p) * (1 - world->slow));
}

/* The probes of a round leave at once and wait for each other at the ports. */
static void probe_round(struct world *world, const struct round *round)
{
	uint32_t busy[MRC_PORTS_MAX] = {}, least[MRC_EVS_MAX] = {};
	const struct plan_path *path;
	struct order order = {};
	uint32_t cell, rtt;
	bool lost;
	int i;

	while ((i = plan_order(round, &order)) >= 0) {
		path = &round->path[i];
		cell = cell_of(world, round->peer, path->plane, path->t1);
		lost = is_lost(world, cell);
		world->probes++;
		evidence_add(&world->evidence, cell, METRIC_PROBE, 1, lost);
		busy[path->plane] += world->wire;
		if (lost)
			continue;
		rtt = RTT_NEAR + busy[path->plane] +
		      (path->t1 >= 0 ? RTT_FAR : 0) +
		      (is_slow(world, cell) ? RTT_SLOW : 0);
		if (!least[i] || rtt < least[i])
			least[i] = rtt;
	}
	for (i = 0; i < round->paths; i++) {
		path = &round->path[i];
		cell = cell_of(world, round->peer, path->plane, path->t1);
		if (least[i])
			evidence_add(&world->evidence, cell, METRIC_SLOW, 1,
				     rtt_add(&world->rtt, path->t1 >= 0,
					     least[i]));
	}
}

static void talk(struct world *world, double seconds)
{
	uint32_t n = world->traffic * seconds, cell, lost;
	int i, peer, p, t1;
	double p_loss;

	for (i = 1; n && i <= TALKS; i++) {
		peer = (world->self + i * 37) % world->topo.hosts;
		if (topo_is_local(&world->topo, &world->topo.host[world->self],
				  &world->topo.host[peer]))
			continue;
		for (p = 0; p < world->topo.planes; p++) {
			for (t1 = 0; t1 < world->topo.t1.n; t1++) {
				cell = cell_of(world, peer, p, t1);
				p_loss = hit(world, cell, false,
					     offsetof(struct broken, data_loss));
				lost = draw_bad(n, p_loss);
				evidence_add(&world->evidence, cell,
					     METRIC_DATA, n, lost);
			}
		}
	}
}

/**
 * world_run() - let time pass
 * @world: model
 * @seconds: how much
 */
void world_run(struct world *world, double seconds)
{
	double end = world->now + seconds, search = world->now + SEARCH;
	struct round round;

	while (world->now < end) {
		world->now += STEP;
		evidence_time(&world->evidence, world->now);
		while (plan_next(&world->plan, &world->faults, world->now,
				 &round))
			probe_round(world, &round);
		if (world->now < search)
			continue;
		talk(world, SEARCH);
		faults_update(&world->faults, world->now);
		search = world->now + SEARCH;
		if ((uint64_t)world->now != world->second)
			rtt_tick(&world->rtt);
		world->second = world->now;
	}
}

/**
 * world_run_until_named() - let time pass until a part is named
 * @world: model
 * @seconds: how much at most
 *
 * Return: true if one was.
 */
bool world_run_until_named(struct world *world, double seconds)
{
	double end = world->now + seconds;

	while (world->now < end && !world->named[0])
		world_run(world, SEARCH);
	return world->named[0];
}

/**
 * world_first_name() - the part that was named first
 * @world: model
 * @name: its name, 256 bytes
 *
 * Return: @name.
 */
const char *world_first_name(const struct world *world, char *name)
{
	snprintf(name, 256, "%.*s", (int)strcspn(world->named, " "),
		 world->named);
	return name;
}
