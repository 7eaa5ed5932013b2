// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether a part loses on all ways over it.  Several broken links of a switch are no
 * fault of the switch, and not of a port in front of them either: the ways over its
 * other links lose nothing.
 */
#include <math.h>
#include <stdlib.h>

#include "search.h"

/* What ways over a part are told apart by. */
enum division {
	BY_PLANE,
	BY_T1,
	BY_T0,
	DIVISIONS,
};

/* Rounds in which groups are divided into those that lose and those that do not. */
#define ROUNDS		3
/* Rates are not taken for closer to 0 or 1 than these. */
#define RATE_LEAST	0.00005
#define RATE_MOST	0.9995
/* Of the time since losses began, so much is known to be after that. */
#define AGE_SURE	0.5
/* A way on which a packet was counted since then had at least this one. */
#define SENT_LEAST	1.0
/* Others are the reason if this share of the losses is on ways over them. */
#define SHARE_EXPLAINED	0.9

/**
 * struct group - some of the ways over a part
 * @sent: packets over them since losses began, by scale, without regard to their age
 * @bad: of these, that were bad
 */
struct group {
	double sent[SCALES];
	double bad[SCALES];
};

/**
 * struct groups - the ways over a part, divided
 * @n: how many groups there are
 * @group: what was seen on each
 */
struct groups {
	int n;
	struct group *group;
};

static int groups_of(const struct topo *topo, enum division by)
{
	const int n[] = {
		[BY_PLANE] = topo->planes,
		/* Ways that visit no T1 are a group of their own. */
		[BY_T1] = topo->planes * (topo->t1.n + 1),
		[BY_T0] = topo->planes * topo->t0.n,
	};

	return n[by];
}

static int group_of(const struct topo *topo, const struct route *route,
		    enum division by)
{
	int plane = route->plane;

	switch (by) {
	case BY_PLANE:
		return plane;
	case BY_T1:
		return plane * (topo->t1.n + 1) + route->t1 + 1;
	default:
		return plane * topo->t0.n + topo->host[route->to].t0[plane];
	}
}

/* --- likelihood -------------------------------------------------------------------- */

/**
 * struct odds - a rate of loss, and the logarithms of what it makes likely
 * @rate: the rate
 * @bad: of a bad packet
 * @good: of a good one
 */
struct odds {
	double rate;
	double bad;
	double good;
};

/**
 * struct view - the groups on one scale
 * @groups: all groups
 * @scale: of the counts
 * @background: of a network without faults
 */
struct view {
	const struct groups *groups;
	int scale;
	struct odds background;
};

static struct odds odds_of(double rate)
{
	rate = fmin(fmax(rate, RATE_LEAST), RATE_MOST);
	return (struct odds){ rate, log(rate), log1p(-rate) };
}

static double log_of(const struct view *v, const struct group *g,
		     const struct odds *odds)
{
	double bad = g->bad[v->scale];

	return bad * odds->bad + (g->sent[v->scale] - bad) * odds->good;
}

/* Of the groups that fit @odds better than the background; NULL: of all. */
static double rate_of(const struct view *v, const struct odds *odds)
{
	const struct group *g = v->groups->group;
	double sent = 0, bad = 0;
	int i;

	for (i = 0; i < v->groups->n; i++, g++) {
		if (g->sent[v->scale] <= 0 ||
		    (odds && log_of(v, g, odds) <= log_of(v, g, &v->background)))
			continue;
		sent += g->sent[v->scale];
		bad += g->bad[v->scale];
	}
	return sent > 0 ? bad / sent : 0;
}

/*
 * Each group loses as often as the others that lose, or nothing, with a probability of
 * a half: by how much is that likelier than one rate for all?  A mixture with given
 * probabilities needs no correction for the number of groups.
 */
static double unevenness(const struct view *v)
{
	const struct group *g = v->groups->group;
	struct odds all = odds_of(rate_of(v, NULL)), lossy = all;
	double value = 0;
	int i;

	for (i = 0; i < ROUNDS && lossy.rate > v->background.rate; i++)
		lossy = odds_of(rate_of(v, &lossy));
	if (lossy.rate <= v->background.rate)
		return 0;
	for (i = 0; i < v->groups->n; i++, g++) {
		if (g->sent[v->scale] > 0)
			value += fmax(log_of(v, g, &lossy),
				      log_of(v, g, &v->background)) -
				 M_LN2 - log_of(v, g, &all);
	}
	return value;
}

/* --- ways -------------------------------------------------------------------------- */

/**
 * struct ways - the ways over each rival
 * @recent: shortest scale with enough bad packets, by rival
 * @age: since when it has lost, s
 * @share: of a count, what is as new, by rival and scale
 * @groups: by rival and division
 */
struct ways {
	int recent[RIVALS_MAX];
	double age[RIVALS_MAX];
	double share[RIVALS_MAX][SCALES];
	struct groups groups[RIVALS_MAX][DIVISIONS];
};

/* What known faults explain is left out. */
static void set_age(const struct search *search, const struct rival *r, int i,
		    struct ways *ways)
{
	const struct sum *sum = sum_of(search, 0, r->part);
	enum metric m = metric_of(search, r);
	double bad[SCALES];
	int s;

	for (s = 0; s < SCALES; s++)
		bad[s] = sum->metric[m].bad[s] / search->e->weight[s];
	for (s = 0; s < SCALES - 1 && bad[s] < BAD_ENOUGH; s++)
		;
	ways->recent[i] = s;
	ways->age[i] = AGE_SURE * evidence_age(bad, s);
	for (s = 0; s < SCALES; s++)
		ways->share[i][s] = evidence_share(s, ways->age[i]);
}

static void begin_ways(const struct search *search,
		       const struct rivals *rivals, struct ways *ways)
{
	struct groups *g;
	int i, by;

	for (i = 0; i < rivals->n; i++) {
		set_age(search, &rivals->rival[i], i, ways);
		for (by = 0; by < DIVISIONS; by++) {
			g = &ways->groups[i][by];
			g->n = groups_of(search->e->fabric->topo, by);
			g->group = topo_alloc(g->n, sizeof(*g->group));
		}
	}
}

static void end_ways(int rivals, struct ways *ways)
{
	int i, by;

	for (i = 0; i < rivals; i++) {
		for (by = 0; by < DIVISIONS; by++)
			free(ways->groups[i][by].group);
	}
}

/*
 * What was sent before losses began says nothing; ways are not probed at the same
 * times, so that this differs.  Where a shorter scale has more that is new, that way is
 * probed more than before.
 */
static void count_since(const struct evidence *e, const struct cell *cell,
			enum metric m, int i, const struct ways *ways,
			struct group *since)
{
	const struct count *count = &cell->metric[m];
	bool recent = cell->last[m] >= e->now - ways->age[i];
	double sent, most = 0;
	int s;

	for (s = 0; s < SCALES; s++) {
		sent = count->sent[s] / e->weight[s];
		since->bad[s] = count->bad[s] / e->weight[s];
		if (recent)
			most = fmax(fmax(most, fmin(sent, SENT_LEAST)),
				    sent * ways->share[i][s]);
		since->sent[s] = fmax(most, since->bad[s]);
	}
}

/* Of a way that meets rival @i. */
static void add_way(const struct search *search, const struct cell *cell,
		    enum metric m, int i, struct ways *ways)
{
	const struct topo *topo = search->e->fabric->topo;
	struct group since, *g;
	int by, n, s;

	count_since(search->e, cell, m, i, ways, &since);
	for (by = 0; by < DIVISIONS; by++) {
		n = group_of(topo, &cell->route, by);
		g = &ways->groups[i][by].group[n];
		for (s = 0; s < SCALES; s++) {
			g->sent[s] += since.sent[s];
			g->bad[s] += since.bad[s];
		}
	}
}

/* What known faults explain says nothing. */
static void add_ways(const struct search *search, struct rivals *rivals,
		     struct ways *ways)
{
	const struct cell *cell = search->e->cell;
	uint32_t met, one_way, c;
	enum metric m;
	int i;

	for (c = 0; c < search->e->cells; c++, cell++) {
		if (search->class[c])
			continue;
		met = rivals_met(rivals, cell->part, cell->parts);
		one_way = met ? rivals_met(rivals, cell->part, cell->one_way) : 0;
		for (i = 0; i < rivals->n && met; i++, met >>= 1, one_way >>= 1) {
			m = metric_of(search, &rivals->rival[i]);
			if ((m == METRIC_DATA ? one_way : met) & 1)
				add_way(search, cell, m, i, ways);
		}
	}
}

static double uneven_most(const struct search *search, const struct rival *r,
			  int i, const struct ways *ways)
{
	enum metric m = metric_of(search, r);
	struct view v = {};
	double most = 0;
	int by;

	for (by = 0; by < DIVISIONS; by++) {
		v.groups = &ways->groups[i][by];
		for (v.scale = ways->recent[i]; v.scale < SCALES; v.scale++) {
			v.background = odds_of(search->background[m][v.scale]);
			most = fmax(most, unevenness(&v));
		}
	}
	return most;
}

/* The rivals that lose evenly, as bits. */
static uint32_t even_rivals(const struct rivals *rivals, const double *uneven)
{
	uint32_t even = 0;
	int i;

	for (i = 0; i < rivals->n; i++) {
		if (uneven[i] < UNEVEN_SURE &&
		    rivals->rival[i].score.value >= SCORE_NAMED)
			even |= 1u << i;
	}
	return even;
}

/* Which share of the bad packets over rival @i met one of @others. */
static double explained_by(const struct search *search, struct rivals *rivals,
			   int i, uint32_t others)
{
	const struct rival *r = &rivals->rival[i];
	const struct cell *cell = search->e->cell;
	enum metric m = metric_of(search, r);
	double bad, all = 0, explained = 0;
	uint32_t c, met;

	for (c = 0; c < search->e->cells; c++, cell++) {
		bad = cell->metric[m].bad[r->score.scale];
		if (search->class[c] || bad <= 0)
			continue;
		met = rivals_met(rivals, cell->part, cell_parts(cell, m));
		if (!(met >> i & 1))
			continue;
		all += bad;
		explained += met & others ? bad : 0;
	}
	return all > 0 ? explained / all : 0;
}

/**
 * uneven_set() - find out which rivals lose only on some of the ways over them
 * @search: search
 * @rivals: whose @uneven is set
 *
 * A rival that loses so is not the broken part if others lose evenly and explain its
 * losses: without such its unevenness is 0.
 */
void uneven_set(const struct search *search, struct rivals *rivals)
{
	double uneven[RIVALS_MAX];
	struct ways ways;
	uint32_t even, others;
	int i;

	begin_ways(search, rivals, &ways);
	rivals_index(rivals, true);
	add_ways(search, rivals, &ways);
	for (i = 0; i < rivals->n; i++)
		uneven[i] = uneven_most(search, &rivals->rival[i], i, &ways);
	even = even_rivals(rivals, uneven);
	for (i = 0; i < rivals->n; i++) {
		others = even & ~(1u << i);
		rivals->rival[i].uneven =
			uneven[i] > 0 && explained_by(search, rivals, i, others) >=
			SHARE_EXPLAINED ? uneven[i] : 0;
	}
	rivals_index(rivals, false);
	end_ways(rivals->n, &ways);
}
