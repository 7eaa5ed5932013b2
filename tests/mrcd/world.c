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

			if (world->broken[i].part == part[n])
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

static void probe_path(struct world *world, int peer,
		       const struct plan_path *path)
{
	uint32_t cell = cell_of(world, peer, path->plane, path->t1);
	uint32_t lost = background_losses(world, path->times), slow = 0;
	double p;

	if (world->n_broken) {
		lost += draw_bad(path->times - lost,
				 hit(world, cell, true,
				     offsetof(struct broken, loss)));
		p = hit(world, cell, true, offsetof(struct broken, slow));
		slow = draw_bad(path->times - lost,
				1 - (1 - p) * (1 - world->slow));
	}
	world->probes += path->times;
	evidence_add(&world->evidence, cell, METRIC_PROBE, path->times, lost);
	evidence_add(&world->evidence, cell, METRIC_SLOW, path->times - lost,
		     slow);
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
	int i;

	while (world->now < end) {
		world->now += STEP;
		evidence_time(&world->evidence, world->now);
		while (plan_next(&world->plan, &world->faults, world->now,
				 &round)) {
			for (i = 0; i < round.paths; i++)
				probe_path(world, round.peer, &round.path[i]);
		}
		if (world->now < search)
			continue;
		talk(world, SEARCH);
		faults_update(&world->faults, world->now);
		search = world->now + SEARCH;
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
