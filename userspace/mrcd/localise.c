// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Boolean tomography with priors.  For each part and a few rates of loss, the
 * likelihood of what was seen is compared with that of a network without faults, in
 * which a packet is lost with a small background probability.  The part with the
 * highest score is compared in pairs with the next ones, each pair together with what
 * the other would leave unexplained.  Then the losses that it explains become
 * background of the ways over it, and the search goes on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum {
	/* A quarter of fewer planes is none. */
	PLANES_MANY = 4,
};

/*
 * Least background by metric.  Higher than the losses of a healthy network, so that
 * a few of them together do not look like a fault.
 */
static const double background_min[METRICS] = { 0.0001, 0.001, 0.02 };

/* A rate is known if this share of all packets is left. */
#define SENT_WITHOUT		0.15
/* The background is this many times what most ways lose. */
#define BACKGROUND_FACTOR	3.0
/* A rate that is known is taken for somewhat more, so that it explains its losses. */
#define EXPLAINED_FACTOR	1.5
/* From here on further probes are worthwhile: the score of one loss. */
#define SCORE_SUSPECT		3.0
/* What a second fault costs when two explanations are compared. */
#define SCORE_SECOND		20.0
/* Less makes no difference. */
#define SCORE_EQUAL		0.001
/* The other direction is excluded by this much. */
#define SCORE_DIRECTION		5.0
/* Probes contradict the loss of data by this much: the fault is grey. */
#define SCORE_GREY		6.0
/* Explanations that are less likely are not listed. */
#define OTHER_MIN		0.01

/**
 * fault_kind_name() - word for a kind of fault
 * @kind: the kind
 *
 * Return: the word.
 */
const char *fault_kind_name(enum fault_kind kind)
{
	static const char * const names[] = {
		[FAULT_LOSS] = "loss",
		[FAULT_GREY] = "data-loss",
		[FAULT_SLOW] = "slow",
	};

	return names[kind];
}

/**
 * fault_metric() - where a kind of fault shows
 * @kind: the kind
 *
 * Return: the metric.
 */
enum metric fault_metric(enum fault_kind kind)
{
	static const enum metric metrics[] = {
		[FAULT_LOSS] = METRIC_PROBE,
		[FAULT_GREY] = METRIC_DATA,
		[FAULT_SLOW] = METRIC_SLOW,
	};

	return metrics[kind];
}

/* --- sums ------------------------------------------------------------------------ */

static void add_count(struct sum *sum, enum metric m, const struct count *count)
{
	int s;

	for (s = 0; s < SCALES; s++) {
		sum->metric[m].sent[s] += count->sent[s];
		sum->metric[m].bad[s] += count->bad[s];
	}
}

/* Add @times (1 or -1) the counts of a way to the sums of a class over its parts. */
static void add_metric(struct search *search, const struct cell *cell, int class,
		       enum metric m, int times)
{
	const struct count *count = &cell->metric[m];
	int n = cell_parts(cell, m), s;
	struct sum *sum;

	while (n--) {
		sum = sum_of(search, class, cell->part[n]);
		for (s = 0; s < SCALES; s++) {
			sum->metric[m].sent[s] += times * (double)count->sent[s];
			sum->metric[m].bad[s] += times * (double)count->bad[s];
		}
	}
}

/* The losses of a way belong to another class. */
static void move_cell(struct search *search, uint32_t i, int class)
{
	const struct cell *cell = &search->e->cell[i];
	uint8_t *of = &search->class[i];

	add_metric(search, cell, *of, search->first, -1);
	add_metric(search, cell, class, search->first, 1);
	if (search->second != METRICS) {
		add_metric(search, cell, *of, search->second, -1);
		add_metric(search, cell, class, search->second, 1);
	}
	*of = class;
}

/* Nothing is explained yet. */
static void begin_search(struct search *search, enum metric first,
			 enum metric second)
{
	size_t size = sizeof(*search->sum) * search->parts;

	search->first = first;
	search->second = second;
	search->classes = 1;
	memset(search->class, 0, search->e->cells);
	memcpy(search->sum, search->e->sum, size);
}

static bool searches(const struct search *search, enum metric m)
{
	return m == search->first || m == search->second;
}

/* --- background ------------------------------------------------------------------ */

/* Parts of a kind, by what share of their packets was bad. */
struct share {
	double sent;
	double bad;
};

static int compare(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	double d = x->bad * y->sent - y->bad * x->sent;

	return (d > 0) - (d < 0);
}

/* The rate without the worst quarter; what is explained already is left out. */
static double rate_of_most(const struct search *search, enum part_kind kind,
			   enum metric m, int scale)
{
	const struct fabric *fabric = search->e->fabric;
	uint32_t part = fabric->first[kind], last = fabric->first[kind + 1];
	struct share *group = topo_alloc(last - part, sizeof(*group));
	double sent = 0, bad = 0;
	const struct sum *sum;
	uint32_t n = 0, i;

	for (; part < last; part++) {
		sum = sum_of(search, 0, part);
		if (sum->metric[m].sent[scale] > 0)
			group[n++] = (struct share){ sum->metric[m].sent[scale],
						     sum->metric[m].bad[scale] };
	}
	qsort(group, n, sizeof(*group), compare);
	for (i = 0; i < n - n / 4; i++) {
		sent += group[i].sent;
		bad += group[i].bad;
	}
	free(group);
	return sent > 0 ? bad / sent : 0;
}

/*
 * The rate without the part that lowers it most: without a single fault. A part that
 * nearly all ways meet is not left out.
 */
static double rate_without_one(const struct search *search, enum metric m,
			       int scale)
{
	const struct fabric *fabric = search->e->fabric;
	double sent = 0, bad = 0, rate, s, b;
	uint32_t part;

	for (part = fabric->first[PART_PLANE]; part < search->parts; part++) {
		sent += sum_of(search, 0, part)->metric[m].sent[scale];
		bad += sum_of(search, 0, part)->metric[m].bad[scale];
	}
	rate = sent > 0 ? bad / sent : 0;
	for (part = 0; part < search->parts; part++) {
		s = sent - sum_of(search, 0, part)->metric[m].sent[scale];
		b = bad - sum_of(search, 0, part)->metric[m].bad[scale];
		if (s > sent * SENT_WITHOUT && b < rate * s)
			rate = b / s;
	}
	return rate;
}

/*
 * What most ways lose is not the fault of a part.  Planes are few, so that each has
 * lost something early when all lose.  If there are very few, the fault of a port or a
 * T0 is on the ways over many of all T1s.
 */
static double usual_rate(const struct search *search, enum metric m, int scale)
{
	const struct topo *topo = search->e->fabric->topo;
	double rate;

	rate = rate_of_most(search, topo->t1.n ? PART_T1 : PART_HOST, m, scale);
	if (topo->planes < PLANES_MANY)
		return fmin(rate, rate_without_one(search, m, scale));
	return fmax(rate, rate_of_most(search, PART_PLANE, m, scale));
}

/*
 * While losses are becoming more everywhere, the shorter scales show it first, as do
 * the ways that are probed more: a part of them would stand out.
 */
static double background_of(const struct search *search, enum metric m,
			    int scale)
{
	double rate = background_min[m] / BACKGROUND_FACTOR;
	int s;

	for (s = 0; s <= scale; s++)
		rate = fmax(rate, usual_rate(search, m, s));
	return fmin(BACKGROUND_FACTOR * rate, 0.5);
}

static void set_logs(struct logs *logs, double background)
{
	double p;
	int i;

	for (i = 0; i < RATES; i++) {
		p = 1 - (1 - score_rate[i]) * (1 - background);
		p = fmin(p, 0.9995);
		logs->bad[i] = log(p / background);
		logs->good[i] = log((1 - p) / (1 - background));
	}
}

static void set_background(struct search *search)
{
	int m, s;

	for (m = 0; m < METRICS; m++) {
		if (!searches(search, m))
			continue;
		for (s = 0; s < SCALES; s++) {
			search->background[m][s] = background_of(search, m, s);
			set_logs(&search->logs[0][m][s],
				 search->background[m][s]);
		}
	}
}

/* --- rivals ----------------------------------------------------------------------- */

static void insert(struct rivals *rivals, const struct rival *rival)
{
	int i = rivals->n < RIVALS_MAX ? rivals->n++ : RIVALS_MAX - 1;

	if (i == RIVALS_MAX - 1 &&
	    rivals->rival[i].score.value > rival->score.value)
		return;
	for (; i && rivals->rival[i - 1].score.value < rival->score.value; i--)
		rivals->rival[i] = rivals->rival[i - 1];
	rivals->rival[i] = *rival;
}

/* Of a link and its directions only the best is a rival. */
static void add_rival(struct search *search, struct rivals *rivals,
		      uint32_t part)
{
	struct rival rival = {
		.part = part,
		.score = score_part(search, part),
	};
	int i;

	if (rival.score.value < SCORE_SUSPECT)
		return;
	rival.link = fabric_link_of(search->e->fabric, part);
	for (i = 0; i < rivals->n; i++) {
		if (rivals->rival[i].link != rival.link)
			continue;
		if (rivals->rival[i].score.value >= rival.score.value)
			return;
		memmove(&rivals->rival[i], &rivals->rival[i + 1],
			(--rivals->n - i) * sizeof(rival));
		break;
	}
	insert(rivals, &rival);
}

static void find_rivals(struct search *search, struct rivals *rivals)
{
	uint32_t part;

	rivals->n = 0;
	for (part = 0; part < search->parts; part++)
		add_rival(search, rivals, part);
}

/* What loses on some of its ways only, because of others, is no rival. */
static void drop_uneven(const struct search *search, struct rivals *rivals)
{
	int i, n = 0;

	uneven_set(search, rivals);
	for (i = 0; i < rivals->n; i++) {
		if (rivals->rival[i].uneven < UNEVEN_SURE)
			rivals->rival[n++] = rivals->rival[i];
	}
	rivals->n = n;
}

/**
 * rivals_index() - set or clear the index of rivals
 * @rivals: rivals
 * @set: set it? It must be clear before rivals change
 */
void rivals_index(struct rivals *rivals, bool set)
{
	const struct rival *r;

	for (r = rivals->rival; r < rivals->rival + rivals->n; r++)
		rivals->index[r->part] = set ? r - rivals->rival + 1 : 0;
}

/**
 * rivals_met() - which rivals a way meets
 * @rivals: rivals, whose index is set
 * @part: parts of the way
 * @n: how many
 *
 * Return: one bit for each rival.
 */
uint32_t rivals_met(const struct rivals *rivals, const uint32_t *part, int n)
{
	uint32_t met = 0;

	while (n--) {
		if (rivals->index[part[n]])
			met |= 1u << (rivals->index[part[n]] - 1);
	}
	return met;
}

/* Add a way to the sums of the rivals: does it meet them, rival @best, or both? */
static void differ(struct rivals *rivals, int best, uint32_t met, int class,
		   enum metric m, const struct count *count)
{
	struct versus *v = rivals->versus;
	bool is_best = met >> best & 1;

	for (; v < rivals->versus + rivals->n && (is_best || met); v++, met >>= 1) {
		if (is_best)
			add_count(met & 1 ? &v->both[class] : &v->without[class],
				  m, count);
		else if (met & 1)
			add_count(&v->alone[class], m, count);
	}
}

static void differ_cell(const struct search *search, struct rivals *rivals,
			int best, uint32_t i)
{
	const struct cell *cell = &search->e->cell[i];
	uint32_t met;

	met = rivals_met(rivals, cell->part, cell->parts);
	differ(rivals, best, met, search->class[i], search->first,
	       &cell->metric[search->first]);
	if (search->second == METRICS)
		return;
	met = rivals_met(rivals, cell->part, cell->one_way);
	differ(rivals, best, met, search->class[i], search->second,
	       &cell->metric[search->second]);
}

/* What a second fault, somewhere in these ways, would explain. */
static double rest(const struct search *search, const struct sum *sum, int scale)
{
	return fmax(0, score_at(search, sum, 1, scale) - SCORE_SECOND);
}

/*
 * Ways that are probed more since the fault began have less of the time before it in
 * their counts than others.  The shorter the scale, the less that matters, so the
 * least margin of all scales that show the fault well is what counts.
 */
static double margin_of(const struct search *search, const struct rival *best,
			const struct rival *r, const struct versus *v)
{
	double least = INFINITY, own, margin;
	int s;

	for (s = 0; s < SCALES; s++) {
		own = score_pair(search, v->both, v->without, s) +
		      score_prior(search, best->part);
		if (own < best->score.value / 3)
			continue;
		margin = own + rest(search, v->alone, s) -
			 score_pair(search, v->both, v->alone, s) -
			 score_prior(search, r->part) -
			 rest(search, v->without, s);
		least = fmin(least, margin);
	}
	return least;
}

/* By how much rival @best explains all better than each other. */
static void set_margins(const struct search *search, struct rivals *rivals,
			int best)
{
	struct rival *r;
	uint32_t i;

	memset(rivals->versus, 0, rivals->n * sizeof(*rivals->versus));
	rivals_index(rivals, true);
	for (i = 0; i < search->e->cells; i++)
		differ_cell(search, rivals, best, i);
	rivals_index(rivals, false);
	for (r = rivals->rival; r < rivals->rival + rivals->n; r++)
		r->margin = r == &rivals->rival[best] ? 0 :
			    margin_of(search, &rivals->rival[best], r,
				      &rivals->versus[r - rivals->rival]);
}

/* The rival that explains all better than @best does by most, or @best. */
static int better_than(const struct rivals *rivals, int best)
{
	int next = best, i;

	for (i = 0; i < rivals->n; i++) {
		if (rivals->rival[i].margin <
		    rivals->rival[next].margin - SCORE_EQUAL)
			next = i;
	}
	return next;
}

/*
 * Two faults may each explain less than something that contains both, or more.  Since
 * margins are those of the scale that shows least, each of several rivals may be worse
 * than another one: then it is that which is worse by least.
 */
static int choose(const struct search *search, struct rivals *rivals)
{
	double least[RIVALS_MAX];
	bool seen[RIVALS_MAX] = {};
	int best = 0, next, i;

	for (;;) {
		set_margins(search, rivals, best);
		next = better_than(rivals, best);
		if (next == best)
			return best;
		seen[best] = true;
		least[best] = rivals->rival[next].margin;
		if (seen[next])
			break;
		best = next;
	}
	for (i = 0; i < rivals->n; i++) {
		if (seen[i] && (!seen[best] || least[i] > least[best]))
			best = i;
	}
	set_margins(search, rivals, best);
	return best;
}

/* --- findings --------------------------------------------------------------------- */

static double total(const struct search *search, uint32_t part, enum metric m,
		    int scale, bool bad)
{
	const struct sum *sum;
	double value = 0;
	int c;

	for (c = 0; c < search->classes; c++) {
		sum = sum_of(search, c, part);
		value += bad ? sum->metric[m].bad[scale] : sum->metric[m].sent[scale];
	}
	return value / search->e->weight[scale];
}

/* Ways over a part on which packets were bad. */
static uint32_t bad_paths(const struct search *search, uint32_t part,
			  enum metric m, int scale)
{
	const struct cell *cell = search->e->cell;
	double least = search->e->weight[scale] / 4;
	uint32_t i, n = 0;

	for (i = 0; i < search->e->cells; i++, cell++)
		n += cell->metric[m].bad[scale] > least &&
		     cell_meets(cell, part);
	return n;
}

/* The direction, if the other one explains clearly less. */
static uint32_t direction(const struct search *search, uint32_t link)
{
	struct part part;
	double up, down;
	uint32_t number[2];

	fabric_part(search->e->fabric, link, &part);
	if (part.kind != PART_PORT && part.kind != PART_LINK)
		return link;
	part.kind++;
	number[0] = fabric_number(search->e->fabric, &part);
	part.kind++;
	number[1] = fabric_number(search->e->fabric, &part);
	up = score_part(search, number[0]).value;
	down = score_part(search, number[1]).value;
	if (fabs(up - down) < SCORE_DIRECTION)
		return link;
	return up > down ? number[0] : number[1];
}

/*
 * How likely a rival is beside the best part, of which it must explain most losses:
 * else it is a fault of its own.
 */
static double likely(const struct search *search, const struct finding *f,
		     const struct rival *r, const struct versus *v,
		     enum metric m, int scale)
{
	double bad = 0;
	int c;

	for (c = 0; c < search->classes; c++)
		bad += v->without[c].metric[m].bad[scale];
	if (bad / search->e->weight[scale] > f->bad / 2)
		return 0;
	return exp(-r->margin);
}

static void take_others(const struct search *search, struct finding *f,
			const struct rivals *rivals, int best, enum metric m,
			int scale)
{
	double weight[RIVALS_MAX], sum = 1;
	int i;

	for (i = 0; i < rivals->n; i++) {
		weight[i] = rivals->rival[i].link == f->part ? 0 :
			    likely(search, f, &rivals->rival[i],
				   &rivals->versus[i], m, scale);
		sum += weight[i];
	}
	if (rivals->rival[best].uneven > 0)
		sum += exp(rivals->rival[best].uneven - UNEVEN_SURE / 2);
	f->confidence = 1 / sum;
	for (i = 0; i < rivals->n && f->others < OTHERS_MAX; i++) {
		if (weight[i] / sum > OTHER_MIN)
			f->other[f->others++] = (struct other){
				rivals->rival[i].link, weight[i] / sum
			};
	}
}

/*
 * If only data packets were lost, the probes of the shortest scale tell whether these
 * pass: earlier ones may have been sent before the fault.
 */
static void set_kind(const struct search *search, const struct rival *r,
		     struct finding *f)
{
	f->kind = search->first == METRIC_SLOW ? FAULT_SLOW : FAULT_LOSS;
	if (r->score.rate >= 0)
		return;
	f->open = score_likelihood(search, sum_of(search, 0, r->part),
				   search->parts, search->first, 0,
				   r->score.data_rate) > -SCORE_GREY;
	if (!f->open)
		f->kind = FAULT_GREY;
}

static double shared_share(const struct search *search, const struct rival *r,
			   enum metric m)
{
	double own = sum_of(search, 0, r->part)->metric[m].bad[r->score.scale] /
		     search->e->weight[r->score.scale];

	return 1 - own / total(search, r->part, m, r->score.scale, true);
}

/* The shortest scale with enough bad packets: the time before the fault is not in it. */
static int scale_of(const struct search *search, const struct rival *r,
		    enum metric m)
{
	int s;

	for (s = 0; s < SCALES; s++) {
		if (total(search, r->part, m, s, true) >= BAD_ENOUGH)
			return s;
	}
	return r->score.scale;
}

static void make_finding(const struct search *search,
			 const struct rivals *rivals, int best,
			 struct finding *f)
{
	const struct rival *r = &rivals->rival[best];
	enum metric m = metric_of(search, r);
	int scale = scale_of(search, r, m);

	memset(f, 0, sizeof(*f));
	f->part = r->link;
	f->exact = direction(search, r->link);
	set_kind(search, r, f);
	f->score = r->score.value;
	f->sent = total(search, r->part, m, scale, false);
	f->bad = total(search, r->part, m, scale, true);
	f->rate = f->bad / f->sent;
	f->paths = bad_paths(search, r->part, m, scale);
	f->shared = shared_share(search, r, m);
	take_others(search, f, rivals, best, m, scale);
}

/*
 * What a finding explains becomes background of the ways over it.  Where half of the
 * packets are lost, or a host may lie, nothing more can be learnt.
 */
static void set_explained(struct search *search, int class,
			  const struct rival *r)
{
	double sent, rate, p;
	int m, s;

	for (m = 0; m < METRICS; m++) {
		if (!searches(search, m))
			continue;
		for (rate = 0, s = 0; s < SCALES; s++) {
			sent = total(search, r->part, m, s, false);
			if (sent > 0)
				rate = fmax(rate, total(search, r->part, m, s,
							true) / sent);
			p = r->blamed ? 1 : fmin(1, EXPLAINED_FACTOR * rate);
			p = 1 - (1 - p) * (1 - search->background[m][s]);
			search->explained[class][m][s] = p;
			if (p < 0.5)
				set_logs(&search->logs[class][m][s], p);
			else
				memset(&search->logs[class][m][s], 0,
				       sizeof(struct logs));
		}
	}
}

/* A way over two broken parts belongs to the worse one. */
static void explain(struct search *search, const struct rival *r)
{
	int class = search->classes < CLASSES ? search->classes : CLASSES - 1;
	enum metric m = metric_of(search, r);
	int s = r->score.scale;
	uint32_t i;

	set_explained(search, class, r);
	if (search->classes == class) {
		search->classes++;
		memset(sum_of(search, class, 0), 0,
		       sizeof(*search->sum) * search->parts);
	}
	for (i = 0; i < search->e->cells; i++) {
		int of = search->class[i];

		if (cell_meets(&search->e->cell[i], r->part) &&
		    (!of || search->explained[of][m][s] <
			    search->explained[class][m][s]))
			move_cell(search, i, class);
	}
}

static void take_suspects(struct diagnosis *d, const struct rivals *rivals)
{
	int i;

	for (i = 0; i < rivals->n && d->suspects < SUSPECTS_MAX; i++)
		d->suspect[d->suspects++] = rivals->rival[i].link;
}

static void search_faults(struct search *search, struct rivals *rivals,
			  struct diagnosis *d)
{
	struct finding *f;
	int best;

	set_background(search);
	while (d->findings < FINDINGS_MAX) {
		find_rivals(search, rivals);
		if (!rivals->n)
			break;
		if (search->first == METRIC_PROBE)
			drop_uneven(search, rivals);
		best = choose(search, rivals);
		judge_blame(search, &rivals->rival[best]);
		f = &d->finding[d->findings];
		make_finding(search, rivals, best, f);
		if (!judge_finding(search, &rivals->rival[best], f)) {
			take_suspects(d, rivals);
			break;
		}
		d->findings++;
		explain(search, &rivals->rival[best]);
		set_background(search);
	}
}

/**
 * localise() - find what is broken
 * @e: evidence
 * @diagnosis: filled in
 *
 * Its time grows with the number of ways that were seen; it need not be called unless
 * bad packets have come.
 */
void localise(const struct evidence *e, struct diagnosis *diagnosis)
{
	struct search search = {
		.e = e,
		.parts = fabric_parts(e->fabric),
		.class = topo_alloc(e->cells, 1),
	};
	struct rivals rivals = { .index = topo_alloc(search.parts, 1) };

	memset(diagnosis, 0, sizeof(*diagnosis));
	/* Not zeroed here: mostly one class is used, and each is set when it begins. */
	search.sum = topo_grow(NULL, 0, (size_t)search.parts * CLASSES *
					sizeof(*search.sum));
	begin_search(&search, METRIC_PROBE, METRIC_DATA);
	search_faults(&search, &rivals, diagnosis);
	begin_search(&search, METRIC_SLOW, METRICS);
	search_faults(&search, &rivals, diagnosis);
	free(search.sum);
	free(search.class);
	free(rivals.index);
}
