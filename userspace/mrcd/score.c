// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How well faults explain what was seen: likelihoods of a few rates of loss, compared
 * with those of a network without faults.
 */
#include <math.h>

#include "search.h"

const double score_rate[RATES] = {
	0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.999
};

/* Faults of links are likelier than those of what many links have in common. */
static const double prior[PART_KINDS] = {
	[PART_HOST] = -2, [PART_PORT] = 0, [PART_PORT_UP] = -0.1,
	[PART_PORT_DOWN] = -0.1, [PART_T0] = -3, [PART_T1] = -3,
	[PART_LINK] = 0, [PART_LINK_UP] = -0.1, [PART_LINK_DOWN] = -0.1,
	[PART_PLANE] = -5,
};

/**
 * score_likelihood() - how likely a rate of loss is
 * @search: search
 * @sum: packets, by class
 * @step: the classes are so many elements apart
 * @m: what was counted
 * @scale: time scale
 * @rate: index of the rate
 *
 * Return: logarithm, compared with the background.
 */
double score_likelihood(const struct search *search, const struct sum *sum,
			size_t step, enum metric m, int scale, int rate)
{
	double weight = search->e->weight[scale], value = 0, bad;
	const struct logs *logs;
	int c;

	for (c = 0; c < search->classes; c++, sum += step) {
		logs = &search->logs[c][m][scale];
		bad = sum->metric[m].bad[scale];
		value += bad * logs->bad[rate] +
			 (sum->metric[m].sent[scale] - bad) * logs->good[rate];
	}
	return value / weight;
}

static void better(struct score *score, double value, int scale, int rate,
		   int data_rate)
{
	if (value > score->value)
		*score = (struct score){ value, scale, rate, data_rate };
}

/* Likelihoods of all rates, of probes and of data packets. */
struct values {
	double first[RATES];
	double second[RATES];
};

static void set_values(const struct search *search, const struct sum *sum,
		       size_t step, int scale, struct values *values)
{
	int i;

	for (i = 0; i < RATES; i++)
		values->first[i] = score_likelihood(search, sum, step,
						    search->first, scale, i);
	for (i = 0; i < RATES && search->second != METRICS; i++)
		values->second[i] = score_likelihood(search, sum, step,
						     search->second, scale, i);
}

/*
 * Data packets are longer than probes, so that a part that loses probes loses as
 * many of them, or more; it may lose data packets alone.
 */
static void score_values(const struct search *search,
			 const struct values *values, int scale,
			 struct score *score)
{
	double data = 0;
	int best = -1, i;

	for (i = RATES - 1; i >= 0; i--) {
		if (search->second != METRICS) {
			if (best < 0 || values->second[i] > data) {
				data = values->second[i];
				best = i;
			}
			better(score, data, scale, -1, best);
		}
		better(score, values->first[i] + data, scale, i, best);
	}
}

static void score_scale(const struct search *search, const struct sum *sum,
			size_t step, int scale, struct score *score)
{
	struct values values;

	set_values(search, sum, step, scale, &values);
	score_values(search, &values, scale, score);
}

/**
 * score_at() - how well a fault explains what was seen
 * @search: search
 * @sum: packets, by class
 * @step: the classes are so many elements apart
 * @scale: time scale
 *
 * Return: logarithm, without a prior; at least 0.
 */
double score_at(const struct search *search, const struct sum *sum,
		size_t step, int scale)
{
	struct score score = { 0, 0, -1, -1 };

	score_scale(search, sum, step, scale, &score);
	return score.value;
}

/* To each of @value the best of @more at this rate or next to it. */
static void add_near(double *value, const double *more)
{
	double best;
	int i;

	for (i = 0; i < RATES; i++) {
		best = more[i];
		if (i > 0)
			best = fmax(best, more[i - 1]);
		if (i < RATES - 1)
			best = fmax(best, more[i + 1]);
		value[i] += best;
	}
}

/**
 * score_pair() - how well one fault on two sets of ways explains what was seen
 * @search: search
 * @a: packets on one of them, by class
 * @b: packets on the other
 * @scale: time scale
 *
 * Of many packets each set would fit one of the rates better than the other does,
 * because the true rate is between two of them, and because the sets were not probed at
 * the same times: such a difference is not a second fault.
 *
 * Return: logarithm, without a prior; at least 0.
 */
double score_pair(const struct search *search, const struct sum *a,
		  const struct sum *b, int scale)
{
	struct score score = { 0, 0, -1, -1 };
	struct values values, more;

	set_values(search, a, 1, scale, &values);
	set_values(search, b, 1, scale, &more);
	add_near(values.first, more.first);
	if (search->second != METRICS)
		add_near(values.second, more.second);
	score_values(search, &values, scale, &score);
	return score.value;
}

static struct score score_sum(const struct search *search,
			      const struct sum *sum, size_t step)
{
	struct score score = { 0, 0, -1, -1 };
	int s;

	for (s = 0; s < SCALES; s++)
		score_scale(search, sum, step, s, &score);
	return score;
}

/**
 * score_prior() - how likely a fault of a part is
 * @search: search
 * @part: number of the part
 *
 * Return: logarithm, compared with that of a link.
 */
double score_prior(const struct search *search, uint32_t part)
{
	struct part p;

	fabric_part(search->e->fabric, part, &p);
	return prior[p.kind];
}

static bool is_bad(const struct search *search, uint32_t part)
{
	int c;

	for (c = 0; c < search->classes; c++) {
		const struct sum *sum = sum_of(search, c, part);

		if (sum->metric[search->first].bad[0] > 0 ||
		    (search->second != METRICS &&
		     sum->metric[search->second].bad[0] > 0))
			return true;
	}
	return false;
}

/**
 * score_part() - how well a fault of a part explains what was seen
 * @search: search
 * @part: number of the part
 *
 * All ways meet this host, so it cannot be told from the rest of the world: its score
 * is 0.
 *
 * Return: the score.
 */
struct score score_part(const struct search *search, uint32_t part)
{
	struct score score = { 0, 0, -1, -1 };

	if (!is_bad(search, part) ||
	    part == search->e->fabric->first[PART_HOST] + search->e->self)
		return score;
	score = score_sum(search, sum_of(search, 0, part), search->parts);
	if (search->first == METRIC_SLOW && score.rate >= 0 &&
	    score_rate[score.rate] < SLOW_RATE_MIN / 2)
		score.value = 0;
	if (score.value > 0)
		score.value += score_prior(search, part);
	return score;
}
