// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A histogram of round trips with bins of a quarter of an octave; its median is what
 * is usual.
 */
#include <math.h>

#include "rtt.h"

/* What is usual is not known before. */
#define SAMPLES_MIN	64
/* Of a histogram, what is left after a second. */
#define KEEP		0.98
/* Long is more than twice the median and this many ns: queues and interrupts. */
#define LONG_NS		20000

static int bin_of(uint32_t ns)
{
	int bin = ns ? (int)(4 * log2(ns)) : 0;

	return bin < RTT_BINS ? bin : RTT_BINS - 1;
}

/**
 * rtt_add() - take a round trip into account
 * @rtt: round trips
 * @class: 0: over a T0 alone, 1: over a T1
 * @ns: its length
 *
 * Return: true if it is much longer than usual.
 */
bool rtt_add(struct rtt *rtt, int class, uint32_t ns)
{
	uint32_t median = rtt->median[class];

	rtt->bin[class][bin_of(ns)]++;
	rtt->sum[class]++;
	return median && ns > 2ULL * median + LONG_NS;
}

static uint32_t median_of(const float *bin, float sum)
{
	float below = 0;
	int i;

	for (i = 0; i < RTT_BINS; i++) {
		below += bin[i];
		if (below >= sum / 2)
			break;
	}
	return exp2((i + 0.5) / 4);
}

/**
 * rtt_tick() - let a second pass
 * @rtt: round trips
 */
void rtt_tick(struct rtt *rtt)
{
	int class, i;

	for (class = 0; class < RTT_CLASSES; class++) {
		if (rtt->sum[class] < SAMPLES_MIN)
			continue;
		rtt->median[class] = median_of(rtt->bin[class],
					       rtt->sum[class]);
		for (i = 0; i < RTT_BINS; i++)
			rtt->bin[class][i] *= KEEP;
		rtt->sum[class] *= KEEP;
	}
}
