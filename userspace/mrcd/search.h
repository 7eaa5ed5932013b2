/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A search for faults, as localise.c makes it, with scores of score.c and judgements of
 * uneven.c and judge.c; of no interest to others.
 */
#ifndef MRCD_SEARCH_H
#define MRCD_SEARCH_H

#include "localise.h"

enum {
	RATES = 10,
	/* Parts that are compared with each other; each has a bit of rivals_met(). */
	RIVALS_MAX = 32,
	/* Ways over nothing known to be broken, and over each of some faults. */
	CLASSES = 4,
};

/* A slow part delays at least this share of packets. */
#define SLOW_RATE_MIN		0.3
/* Fewer bad packets than these are too few for a judgement on their time scale. */
#define BAD_ENOUGH		10
/* A part is named from this score on: it counts all parts, and that they are looked at
 * again and again.
 */
#define SCORE_NAMED		20.0
/* From here on a part is uneven; from half of it on more must be seen of it. */
#define UNEVEN_SURE		10.0

/**
 * struct logs - logarithms of likelihood ratios, for one packet
 * @bad: of a bad packet, by rate
 * @good: of a good one
 */
struct logs {
	double bad[RATES];
	double good[RATES];
};

/**
 * struct score - how well a part explains what was seen
 * @value: logarithm, with the prior
 * @scale: at which it is highest
 * @rate: index of the rate of probes; -1: none, they are fine
 * @data_rate: index of the rate of data packets; -1: none
 */
struct score {
	double value;
	int scale;
	int rate;
	int data_rate;
};

/**
 * struct search - a search for faults of one kind
 * @e: evidence
 * @first: metric of probes
 * @second: metric of data packets; METRICS: none
 * @parts: number of parts
 * @sum: by class and part; of class 0 as in @e, without what faults explain
 * @class: by cell: 0, or number of the fault that explains its losses
 * @classes: how many are used
 * @logs: by class, metric and scale
 * @background: by metric and scale
 * @explained: rate that a known fault explains, by class, metric and scale
 */
struct search {
	const struct evidence *e;
	enum metric first;
	enum metric second;
	uint32_t parts;
	struct sum *sum;
	uint8_t *class;
	int classes;
	struct logs logs[CLASSES][METRICS][SCALES];
	double background[METRICS][SCALES];
	double explained[CLASSES][METRICS][SCALES];
};

/**
 * struct rival - a part that may be the broken one
 * @part: its number
 * @link: the link that it is a direction of, or @part
 * @score: how well it explains what was seen
 * @margin: how much better the best one explains all
 * @uneven: how much likelier it is that only some ways over it lose, because of other
 *	rivals; logarithm
 * @blamed: it is a port, blamed for what only packets to its host show
 */
struct rival {
	uint32_t part;
	uint32_t link;
	struct score score;
	double margin;
	double uneven;
	bool blamed;
};

/**
 * struct versus - what tells a rival from the best part, by class
 * @both: ways over the best part and over the rival
 * @without: ways over the best part, and not over the rival
 * @alone: ways over the rival, and not over the best part
 */
struct versus {
	struct sum both[CLASSES];
	struct sum without[CLASSES];
	struct sum alone[CLASSES];
};

/**
 * struct rivals - the best explanations
 * @n: how many
 * @rival: these, the highest score first
 * @versus: by rival; apart, since rivals move while they are being found
 * @index: by part: number of its rival plus 1
 */
struct rivals {
	int n;
	struct rival rival[RIVALS_MAX];
	struct versus versus[RIVALS_MAX];
	uint8_t *index;
};

static inline struct sum *sum_of(const struct search *search, int class, uint32_t part)
{
	return &search->sum[(size_t)class * search->parts + part];
}

/* Where a rival loses: probes, or data packets alone. */
static inline enum metric metric_of(const struct search *search, const struct rival *r)
{
	return r->score.rate < 0 ? search->second : search->first;
}

/* Rates of loss that are tried. */
extern const double score_rate[RATES];

double score_likelihood(const struct search *search, const struct sum *sum,
			size_t step, enum metric m, int scale, int rate);
double score_at(const struct search *search, const struct sum *sum,
		size_t step, int scale);
double score_pair(const struct search *search, const struct sum *a,
		  const struct sum *b, int scale);
double score_prior(const struct search *search, uint32_t part);
struct score score_part(const struct search *search, uint32_t part);
void rivals_index(struct rivals *rivals, bool set);
uint32_t rivals_met(const struct rivals *rivals, const uint32_t *part, int n);
void uneven_set(const struct search *search, struct rivals *rivals);
void judge_blame(const struct search *search, struct rival *r);
bool judge_finding(const struct search *search, const struct rival *r,
		   const struct finding *f);

#endif /* MRCD_SEARCH_H */
