// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counts by way.  Instead of making all counts smaller as time passes, what is new
 * gets more weight; before numbers become too large, all are divided once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence.h"

/* Time constants in s; what is older than three of them hardly counts. */
static const double scale_time[SCALES] = { 1, 5, 60, 600 };

/* Exponent of the largest weight; floats have room for it and all counts. */
#define WEIGHT_EXP_MAX 20.0

/* A rate has changed if it is another one by this factor, and likelier by this much. */
#define CHANGE_FACTOR	1.5
#define CHANGE_SCORE	20.0
/* Less than this is none, more than 1 less this is all. */
#define RATE_MIN	0.0005

enum {
	SLOTS_MIN = 256,
	/* Halvings of the interval in which an age is looked for. */
	AGE_STEPS = 16,
	/* A change shows in one of the scales before this one, compared with it. */
	SCALE_USUAL = 2,
};

/**
 * evidence_init() - begin without evidence
 * @e: filled in
 * @fabric: the network; must stay
 * @self: number of this host
 */
void evidence_init(struct evidence *e, const struct fabric *fabric,
		   uint32_t self)
{
	memset(e, 0, sizeof(*e));
	e->fabric = fabric;
	e->self = self;
	e->slots = SLOTS_MIN;
	e->slot = topo_alloc(e->slots, sizeof(*e->slot));
	e->sum = topo_alloc(fabric_parts(fabric), sizeof(*e->sum));
	evidence_time(e, 0);
}

/**
 * evidence_free() - free all evidence
 * @e: filled in by evidence_init()
 */
void evidence_free(struct evidence *e)
{
	free(e->cell);
	free(e->sum);
	free(e->slot);
}

/* --- sums ------------------------------------------------------------------------- */

/* Add what a count is more than @before to the sums of the parts of a way. */
static void add_growth(struct evidence *e, const struct cell *cell,
		       enum metric m, const struct count *before)
{
	const struct count *now = &cell->metric[m];
	double sent[SCALES], bad[SCALES];
	int n = cell_parts(cell, m), s;
	struct sum *sum;

	for (s = 0; s < SCALES; s++) {
		sent[s] = (double)now->sent[s] - before->sent[s];
		bad[s] = (double)now->bad[s] - before->bad[s];
	}
	while (n--) {
		sum = &e->sum[cell->part[n]];
		for (s = 0; s < SCALES; s++) {
			sum->metric[m].sent[s] += sent[s];
			sum->metric[m].bad[s] += bad[s];
		}
	}
}

/*
 * Sums follow their counts, which are rounded; after a change of all counts they are
 * made anew.
 */
static void sum_again(struct evidence *e)
{
	static const struct count none;
	uint32_t i;
	int m;

	memset(e->sum, 0, sizeof(*e->sum) * fabric_parts(e->fabric));
	for (i = 0; i < e->cells; i++) {
		for (m = 0; m < METRICS; m++)
			add_growth(e, &e->cell[i], m, &none);
	}
}

/* --- time ------------------------------------------------------------------------- */

static void divide_count(struct count *count, int scale, double by)
{
	count->sent[scale] /= by;
	count->bad[scale] /= by;
}

static void divide(struct evidence *e, int scale, double by)
{
	uint32_t i;
	int m;

	for (i = 0; i < e->cells; i++) {
		for (m = 0; m < METRICS; m++)
			divide_count(&e->cell[i].metric[m], scale, by);
	}
	for (i = 0; i < WATCHES_MAX; i++)
		divide_count(&e->watch[i].count, scale, by);
}

/**
 * evidence_time() - set the time of what follows
 * @e: evidence
 * @now: s, of a clock that never goes back; a smaller value is ignored
 */
void evidence_time(struct evidence *e, double now)
{
	int s;

	if (now > e->now)
		e->now = now;
	for (s = 0; s < SCALES; s++)
		e->weight[s] = exp((e->now - e->begin) / scale_time[s]);
	if (e->weight[0] < exp(WEIGHT_EXP_MAX))
		return;
	for (s = 0; s < SCALES; s++) {
		divide(e, s, e->weight[s]);
		e->weight[s] = 1;
	}
	sum_again(e);
	e->begin = e->now;
}

/* --- cells ------------------------------------------------------------------------ */

static uint32_t hash_route(const struct route *route)
{
	uint64_t key;

	memcpy(&key, route, sizeof(key));
	key *= 0x9e3779b97f4a7c15ULL;
	return key >> 32;
}

/* The slot of a way, or the free one where it belongs. */
static uint32_t *find_slot(struct evidence *e, const struct route *route)
{
	uint32_t i = hash_route(route);

	for (;; i++) {
		uint32_t *slot = &e->slot[i & (e->slots - 1)];

		if (!*slot || !memcmp(&e->cell[*slot - 1].route, route,
				      sizeof(*route)))
			return slot;
	}
}

static void more_slots(struct evidence *e)
{
	uint32_t i;

	free(e->slot);
	e->slots *= 2;
	e->slot = topo_alloc(e->slots, sizeof(*e->slot));
	for (i = 0; i < e->cells; i++)
		*find_slot(e, &e->cell[i].route) = i + 1;
}

/**
 * evidence_cell() - the cell of a way
 * @e: evidence
 * @route: the way
 *
 * Return: its number, which stays the same.
 */
uint32_t evidence_cell(struct evidence *e, const struct route *route)
{
	uint32_t *slot = find_slot(e, route);
	struct cell *cell;

	if (*slot)
		return *slot - 1;
	e->cell = topo_grow(e->cell, e->cells, sizeof(*e->cell));
	cell = &e->cell[e->cells];
	*cell = (struct cell){ .route = *route };
	cell->one_way = fabric_one_way(e->fabric, route, cell->part);
	cell->parts = fabric_round_trip(e->fabric, route, cell->part);
	*slot = ++e->cells;
	if (2 * e->cells > e->slots)
		more_slots(e);
	return e->cells - 1;
}

/**
 * cell_meets() - does a probe, or its response, meet a part?
 * @cell: way of the probe
 * @part: number of the part
 *
 * Return: true if so.
 */
bool cell_meets(const struct cell *cell, uint32_t part)
{
	int i;

	for (i = 0; i < cell->parts; i++) {
		if (cell->part[i] == part)
			return true;
	}
	return false;
}

/**
 * cell_parts() - how many parts packets of a way meet
 * @cell: the way
 * @metric: what was counted: probes go there and back, data packets go there
 *
 * Return: the number; they are the first ones of @cell->part.
 */
int cell_parts(const struct cell *cell, enum metric metric)
{
	return metric == METRIC_DATA ? cell->one_way : cell->parts;
}

static void add_count(const struct evidence *e, struct count *count,
		      uint32_t sent, uint32_t bad)
{
	int s;

	for (s = 0; s < SCALES; s++) {
		count->sent[s] += sent * e->weight[s];
		count->bad[s] += bad * e->weight[s];
	}
}

/* --- age -------------------------------------------------------------------------- */

/**
 * evidence_share() - how much of a count is new
 * @scale: scale of the count
 * @seconds: what came in these is new
 *
 * Return: the share, if packets have always come at the same rate.
 */
double evidence_share(int scale, double seconds)
{
	return -expm1(-seconds / scale_time[scale]);
}

/**
 * evidence_age() - when did packets begin to come?
 * @count: by scale, divided by the weights
 * @scale: a scale on which there are some; it is compared with the next one
 *
 * Return: for how many s they have come, if always at the same rate; at most three times
 * the longer time constant.
 */
double evidence_age(const double *count, int scale)
{
	int s = scale < SCALES - 1 ? scale : SCALES - 2, i;
	double ratio = scale_time[s] / scale_time[s + 1];
	double low = 0, high = 3 * scale_time[s + 1], age;

	for (i = 0; i < AGE_STEPS; i++) {
		age = (low + high) / 2;
		if (ratio * evidence_share(s, age) * count[s + 1] >
		    evidence_share(s + 1, age) * count[s])
			low = age;
		else
			high = age;
	}
	return high;
}

/* --- known faults -------------------------------------------------------------------- */

/**
 * evidence_watch() - watch whether a part still loses
 * @e: evidence
 * @part: number of the part
 * @metric: where its fault showed
 *
 * Return: the watch, until evidence_unwatch(), or NULL if there are too many.
 */
struct watch *evidence_watch(struct evidence *e, uint32_t part,
			     enum metric metric)
{
	struct watch *w;

	for (w = e->watch; w < e->watch + WATCHES_MAX; w++) {
		if (w->used)
			continue;
		*w = (struct watch){ part, true, metric };
		e->watches++;
		return w;
	}
	return NULL;
}

/**
 * evidence_unwatch() - end a watch
 * @e: evidence
 * @watch: of evidence_watch(), or NULL
 */
void evidence_unwatch(struct evidence *e, struct watch *watch)
{
	if (!watch)
		return;
	watch->used = false;
	e->watches--;
}

static void watch_cell(struct evidence *e, const struct cell *cell,
		       enum metric metric, uint32_t sent, uint32_t bad)
{
	struct watch *w;

	for (w = e->watch; w < e->watch + WATCHES_MAX; w++) {
		if (!w->used || w->metric != metric ||
		    !cell_meets(cell, w->part))
			continue;
		w->quiet = bad ? 0 : w->quiet + sent;
		add_count(e, &w->count, sent, bad);
	}
}

/**
 * evidence_changed() - does a part lose more, or less, than before?
 * @e: evidence
 * @watch: watch for the part
 *
 * Return: true if what is new cannot have the rate of the last minute.
 */
bool evidence_changed(const struct evidence *e, const struct watch *watch)
{
	const struct count *count = &watch->count;
	double sent, bad, now, usual;
	int s;

	usual = count->bad[SCALE_USUAL] / fmax(count->sent[SCALE_USUAL], 1);
	usual = fmin(fmax(usual, RATE_MIN), 1 - RATE_MIN);
	for (s = 0; s < SCALE_USUAL; s++) {
		sent = count->sent[s] / e->weight[s];
		bad = count->bad[s] / e->weight[s];
		now = fmin(fmax(bad / fmax(sent, 1), RATE_MIN), 1 - RATE_MIN);
		if ((now > CHANGE_FACTOR * usual ||
		     usual > CHANGE_FACTOR * now) &&
		    bad * log(now / usual) +
		    (sent - bad) * log((1 - now) / (1 - usual)) > CHANGE_SCORE)
			return true;
	}
	return false;
}

/**
 * evidence_add() - note what was seen
 * @e: evidence
 * @cell: number of the way
 * @metric: what was counted
 * @sent: packets
 * @bad: how many of them were lost or slow
 */
void evidence_add(struct evidence *e, uint32_t cell, enum metric metric,
		  uint32_t sent, uint32_t bad)
{
	struct cell *to = &e->cell[cell];
	struct count before = to->metric[metric];

	if (metric == METRIC_PROBE) {
		to->probes += sent;
		to->lost += bad;
	}
	to->last[metric] = e->now;
	add_count(e, &to->metric[metric], sent, bad);
	add_growth(e, to, metric, &before);
	if (e->watches)
		watch_cell(e, to, metric, sent, bad);
	e->bad[metric] += bad;
}

/**
 * evidence_forget() - forget what was seen of a part
 * @e: evidence
 * @part: its number
 *
 * After its repair, old losses must not be taken for new ones.
 */
void evidence_forget(struct evidence *e, uint32_t part)
{
	struct cell *cell = e->cell;

	for (; cell < e->cell + e->cells; cell++) {
		if (cell_meets(cell, part))
			memset(cell->metric, 0, sizeof(cell->metric));
	}
	sum_again(e);
}

/**
 * evidence_restart() - forget what was seen before a rate changed
 * @e: evidence
 * @watch: watch for the part that loses more, or less, than before
 *
 * Ways over it were not probed at the same times: with old and new losses in one count,
 * some would seem worse than others.
 */
void evidence_restart(struct evidence *e, struct watch *watch)
{
	evidence_forget(e, watch->part);
	memset(&watch->count, 0, sizeof(watch->count));
}

/**
 * evidence_tally() - add up the probes over each part
 * @e: evidence
 *
 * Return: array by number of the part, to be freed.
 */
struct tally *evidence_tally(const struct evidence *e)
{
	struct tally *t = topo_alloc(fabric_parts(e->fabric), sizeof(*t));
	const struct cell *cell = e->cell;
	int n;

	for (; cell < e->cell + e->cells; cell++) {
		for (n = 0; n < cell->parts; n++) {
			t[cell->part[n]].probes += cell->probes;
			t[cell->part[n]].lost += cell->lost;
		}
	}
	return t;
}
