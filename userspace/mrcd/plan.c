// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Turns of peers and paths.  A round goes to one peer.  Usually it has a probe for each
 * path, so that with each round every link of this host and of its switches is
 * probed.  While something is suspected, every other round goes where it would show,
 * with several probes on the path and one on each path beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

enum {
	/* Probes on a path that is suspected, in one round. */
	FOCUS_TIMES = 8,
	/* On each of several such paths. */
	FOCUS_SPREAD = 4,
	/* Of so many rounds one checks whether a known fault is over. */
	RECHECK_TURN = 8,
	/* Tokens that can be saved, in probes. */
	SAVED_MAX = MRC_EVS_MAX,
};

/**
 * plan_init() - begin without peers
 * @plan: filled in
 * @topo: network; must stay
 * @self: number of this host
 * @rate: probes per second
 * @seed: of the random numbers; not 0
 *
 * The caller may then lower the rate of ports.
 */
void plan_init(struct plan *plan, const struct topo *topo, int self,
	       double rate, uint32_t seed)
{
	int p;

	memset(plan, 0, sizeof(*plan));
	plan->topo = topo;
	plan->self = self;
	plan->rate = rate;
	plan->seed = seed ? seed : 1;
	plan->peer = topo_alloc(topo->hosts, sizeof(*plan->peer));
	for (p = 0; p < topo->planes; p++)
		plan->port_rate[p] = rate;
}

/**
 * plan_free() - free a plan
 * @plan: filled in by plan_init()
 */
void plan_free(struct plan *plan)
{
	free(plan->peer);
}

/* xorshift; only the order of turns depends on it. */
static uint32_t draw(struct plan *plan, uint32_t n)
{
	plan->seed ^= plan->seed << 13;
	plan->seed ^= plan->seed >> 17;
	plan->seed ^= plan->seed << 5;
	return plan->seed % n;
}

/**
 * plan_add_peer() - add a host that can be probed
 * @plan: the plan
 * @host: its number; this host and those that are known are ignored
 */
void plan_add_peer(struct plan *plan, int host)
{
	int i;

	for (i = 0; i < plan->peers; i++) {
		if (plan->peer[i] == host)
			return;
	}
	if (host != plan->self)
		plan->peer[plan->peers++] = host;
}

/* --- rates ------------------------------------------------------------------------- */

static double fill(double tokens, double rate, double seconds)
{
	tokens += rate * seconds;
	return tokens < SAVED_MAX ? tokens : SAVED_MAX;
}

static void fill_tokens(struct plan *plan, double now)
{
	double seconds = now - plan->filled;
	int p;

	plan->filled = now;
	if (seconds <= 0)
		return;
	plan->tokens = fill(plan->tokens, plan->rate, seconds);
	for (p = 0; p < plan->topo->planes; p++)
		plan->port_tokens[p] = fill(plan->port_tokens[p],
					    plan->port_rate[p], seconds);
}

static bool ports_permit(const struct plan *plan, const struct round *round)
{
	double cost[MRC_PORTS_MAX] = {};
	int i, p;

	for (i = 0; i < round->paths; i++)
		cost[round->path[i].plane] += round->path[i].times;
	for (p = 0; p < plan->topo->planes; p++) {
		if (cost[p] > plan->port_tokens[p])
			return false;
	}
	return true;
}

static void pay(struct plan *plan, const struct round *round)
{
	int i;

	plan->tokens -= round->probes;
	for (i = 0; i < round->paths; i++)
		plan->port_tokens[round->path[i].plane] -= round->path[i].times;
}

/* --- peers ------------------------------------------------------------------------- */

static const struct topo_host *self_of(const struct plan *plan)
{
	return &plan->topo->host[plan->self];
}

/* Each peer has its turn; then the order is drawn anew. */
static int next_peer(struct plan *plan)
{
	uint16_t other;
	int i, j;

	if (plan->turn >= plan->peers)
		plan->turn = 0;
	for (i = plan->peers - 1; !plan->turn && i > 0; i--) {
		j = draw(plan, i + 1);
		other = plan->peer[i];
		plan->peer[i] = plan->peer[j];
		plan->peer[j] = other;
	}
	return plan->peer[plan->turn++];
}

/* Some peer at a T0 (-1: any) to which paths lead over a T1 (-1: not needed). */
static int some_peer(struct plan *plan, int plane, int t0, int t1)
{
	int first = draw(plan, plan->peers), i, peer;
	const struct topo_host *host;

	for (i = 0; i < plan->peers; i++) {
		peer = plan->peer[(first + i) % plan->peers];
		host = &plan->topo->host[peer];
		if ((t0 < 0 || host->t0[plane] == t0) &&
		    (t1 < 0 || !topo_is_local(plan->topo, self_of(plan), host)))
			return peer;
	}
	return next_peer(plan);
}

/* --- rounds ------------------------------------------------------------------------ */

/* Paths of plane @plane (-1: all), @times probes each, those over @t1 @focus. */
static void fill_round(struct plan *plan, struct round *round, int peer,
		       int plane, int times, int t1, int focus)
{
	struct topo_path path[MRC_EVS_MAX];
	int n, i;

	round->peer = peer;
	round->paths = 0;
	round->probes = 0;
	n = topo_paths(plan->topo, self_of(plan), &plan->topo->host[peer],
		       path);
	for (i = 0; i < n; i++) {
		struct plan_path *p = &round->path[round->paths];

		if (path[i].denied || (plane >= 0 && path[i].plane != plane))
			continue;
		p->plane = path[i].plane;
		p->t1 = path[i].t1;
		p->times = t1 >= 0 && path[i].t1 == t1 ? focus : times;
		if (round->probes + p->times > MRC_EVS_MAX)
			p->times = 1;
		if (round->probes + p->times > MRC_EVS_MAX)
			break;
		round->probes += p->times;
		round->paths++;
	}
}

/* One path of each other plane: does the host lose there, too? */
static void add_beside(struct plan *plan, struct round *round, int plane)
{
	const struct topo_host *peer = &plan->topo->host[round->peer];
	struct topo_path path[MRC_EVS_MAX];
	uint32_t taken = 1u << plane;
	int n, i, first;

	n = topo_paths(plan->topo, self_of(plan), peer, path);
	first = n ? draw(plan, n) : 0;
	for (i = 0; i < n; i++) {
		const struct topo_path *p = &path[(first + i) % n];

		if (p->denied || taken >> p->plane & 1 ||
		    round->probes == MRC_EVS_MAX)
			continue;
		taken |= 1u << p->plane;
		round->path[round->paths++] = (struct plan_path){
			p->plane, p->t1, 1
		};
		round->probes++;
	}
}

/* Where a fault of a part would show. */
static void focus_round(struct plan *plan, struct round *round, uint32_t number,
			const struct fabric *fabric)
{
	int own, peer, plane;
	struct part part;

	fabric_part(fabric, number, &part);
	plane = part.plane;
	own = plane < 0 ? -1 : self_of(plan)->t0[plane];
	switch (part.kind) {
	case PART_HOST:
	case PART_PORT:
		peer = part.host == plan->self ? next_peer(plan) : part.host;
		/* Neighbours of the host show whether it is its T0. */
		if (plane >= 0 && peer == part.host && !draw(plan, 2))
			peer = some_peer(plan, plane, part.t0, -1);
		fill_round(plan, round, peer, plane,
			   plane < 0 ? 1 : FOCUS_SPREAD, -1, 0);
		if (plane >= 0 && part.host != plan->self)
			add_beside(plan, round, plane);
		return;
	case PART_T0:
	case PART_PLANE:
		peer = some_peer(plan, plane, part.t0 == own ? -1 : part.t0,
				 -1);
		fill_round(plan, round, peer, plane, FOCUS_SPREAD, -1, 0);
		return;
	default:
		peer = some_peer(plan, plane, part.t0 == own ? -1 : part.t0,
				 part.t1);
		fill_round(plan, round, peer, plane, 1, part.t1, FOCUS_TIMES);
	}
}

/* Is it a link of a T0 of this host? All that is beyond meets it too. */
static bool is_near(const struct plan *plan, const struct fabric *fabric,
		    uint32_t number)
{
	struct part part;

	fabric_part(fabric, number, &part);
	return part.kind == PART_LINK &&
	       self_of(plan)->t0[part.plane] == part.t0;
}

/*
 * Every other round goes over a near link to some peer, if that is suspected: without
 * them most packets would go where the first loss was seen.
 */
static uint32_t next_suspect(struct plan *plan, const struct faults *faults)
{
	uint32_t turn = plan->focus / 2;
	int i;

	for (i = 0; turn % 2 && i < faults->suspects; i++) {
		if (is_near(plan, faults->e->fabric, faults->suspect[i]))
			return faults->suspect[i];
	}
	return faults->suspect[turn / 2 % faults->suspects];
}

static bool recheck_round(struct plan *plan, struct round *round,
			  const struct faults *faults)
{
	uint32_t first = plan->focus / RECHECK_TURN;
	const struct fault *f;
	int i;

	for (i = 0; i < FAULTS_MAX; i++) {
		f = &faults->fault[(first + i) % FAULTS_MAX];
		if (!f->used)
			continue;
		focus_round(plan, round, f->finding.part, faults->e->fabric);
		return true;
	}
	return false;
}

static void make_round(struct plan *plan, const struct faults *faults,
		       struct round *round)
{
	uint32_t turn = plan->focus++;

	if (turn % RECHECK_TURN == 0 && recheck_round(plan, round, faults))
		return;
	if (faults->suspects && turn % 2)
		focus_round(plan, round, next_suspect(plan, faults),
			    faults->e->fabric);
	else
		fill_round(plan, round, next_peer(plan), -1, 1, -1, 0);
}

/**
 * plan_next() - find what to probe now
 * @plan: the plan
 * @faults: what is suspected and known
 * @now: time, s
 * @round: filled in
 *
 * Return: true if the rates permit a round now.
 */
bool plan_next(struct plan *plan, const struct faults *faults, double now,
	       struct round *round)
{
	fill_tokens(plan, now);
	/* The size of the next round is not known: it must fit in any case. */
	if (!plan->peers || plan->tokens < SAVED_MAX / 2)
		return false;
	make_round(plan, faults, round);
	if (!round->probes || !ports_permit(plan, round))
		return false;
	pay(plan, round);
	return true;
}

/**
 * plan_order() - the next probe of a round
 * @round: the round
 * @order: begins with zeros
 *
 * Probes of a round wait for each other at the ports. So the first one of each path has
 * the same place in all rounds, and further ones follow when all paths have had one.
 *
 * Return: index of its path, or -1 after the last one.
 */
int plan_order(const struct round *round, struct order *order)
{
	bool more = true;

	while (more) {
		for (more = false; order->next < round->paths; order->next++) {
			if (order->pass < round->path[order->next].times)
				return order->next++;
		}
		more = order->pass++ < FOCUS_TIMES;
		order->next = 0;
	}
	return -1;
}
