// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether what explains the evidence best is named: if it is seen often enough, and on
 * as many ways as it should be.
 */
#include <math.h>

#include "search.h"

/* Bad packets without which nothing is named, allowing for their age. */
#define BAD_MIN			3.5
/* A slow part delays many packets on this share of its ways. */
#define SLOW_PATHS_MIN		0.75
/* Ways to others contradict a loss that only ways to one host show by this much. */
#define SCORE_ONE_HOST		12.0

/*
 * What is slow is slow for all that passes it; if only some of its ways are, the reason
 * is elsewhere. Ways that known faults explain say nothing.
 */
static bool slows_its_paths(const struct search *search, const struct rival *r)
{
	const struct cell *cell = search->e->cell;
	int scale = r->score.scale;
	const struct count *count;
	double bad = 0, all = 0;
	uint32_t i;

	for (i = 0; i < search->e->cells; i++, cell++) {
		count = &cell->metric[METRIC_SLOW];
		if (search->class[i] ||
		    count->sent[scale] < search->e->weight[scale] ||
		    !cell_meets(cell, r->part))
			continue;
		all++;
		bad += count->bad[scale] >
		       count->sent[scale] * SLOW_RATE_MIN / 2;
	}
	return bad >= SLOW_PATHS_MIN * all;
}

/**
 * judge_finding() - is it a fault?
 * @search: search
 * @r: part that explains best what was seen
 * @f: what would be said of it
 *
 * Return: true if it is to be named: not what is seen now and then, in a queue, or on a
 * few of many ways.
 */
bool judge_finding(const struct search *search, const struct rival *r,
		   const struct finding *f)
{
	if (f->score < SCORE_NAMED || f->bad < BAD_MIN)
		return false;
	return f->kind != FAULT_SLOW ||
	       (f->rate >= SLOW_RATE_MIN && slows_its_paths(search, r));
}

/**
 * struct word - what ways over a part say of its loss
 * @host: the only host to which packets are lost; -1: none, or several
 * @sent: probes to it
 * @bad: of these, that were lost
 * @others: probes to others
 */
struct word {
	int host;
	double sent;
	double bad;
	double others;
};

static bool is_lossy(const struct search *search, const struct cell *cell,
		     const struct rival *r)
{
	return cell->metric[METRIC_PROBE].bad[r->score.scale] >
	       search->e->weight[r->score.scale] / 4;
}

/* Ways that known faults explain say nothing. */
static struct word word_of(const struct search *search, const struct rival *r)
{
	const struct cell *cell, *end = search->e->cell + search->e->cells;
	int scale = r->score.scale;
	struct word word = { -1 };
	const struct count *count;

	for (cell = search->e->cell; cell < end; cell++) {
		count = &cell->metric[METRIC_PROBE];
		if (search->class[cell - search->e->cell] ||
		    count->sent[scale] <= 0 ||
		    !cell_meets(cell, r->part))
			continue;
		if (!is_lossy(search, cell, r)) {
			word.others += count->sent[scale];
			continue;
		}
		if (word.bad > 0 && word.host != cell->route.to)
			return (struct word){ -1 };
		word.host = cell->route.to;
		word.sent += count->sent[scale];
		word.bad += count->bad[scale];
	}
	return word;
}

/**
 * judge_blame() - is it the fault of one host?
 * @search: search
 * @r: part that explains best what was seen
 *
 * Packets over a switch or link that are lost on the way to one host only, while many
 * pass to others, are lost by that host: it is broken, or it lies.  Then its port takes
 * the place of the part.
 */
void judge_blame(const struct search *search, struct rival *r)
{
	const struct fabric *fabric = search->e->fabric;
	struct part part;
	struct word word;

	fabric_part(fabric, r->part, &part);
	if (search->first != METRIC_PROBE || part.host >= 0 || part.plane < 0)
		return;
	word = word_of(search, r);
	if (word.host < 0 ||
	    -word.others / search->e->weight[r->score.scale] *
	    log1p(-fmin(word.bad / word.sent, 0.5)) < SCORE_ONE_HOST)
		return;
	part.kind = PART_PORT;
	part.host = word.host;
	part.t0 = fabric->topo->host[word.host].t0[part.plane];
	part.t1 = -1;
	r->part = fabric_number(fabric, &part);
	r->link = r->part;
	r->blamed = true;
}
