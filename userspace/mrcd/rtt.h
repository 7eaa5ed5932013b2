/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which round trips are long, compared with those of all paths of the same length.
 */
#ifndef MRCD_RTT_H
#define MRCD_RTT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Four for each octave of ns. */
	RTT_BINS = 128,
	/* Over a T0 alone, and over a T1. */
	RTT_CLASSES = 2,
};

/**
 * struct rtt - round trips so far
 * @bin: by class: how many, the older the less
 * @sum: of these, by class
 * @median: ns, by class; 0: too few are known
 */
struct rtt {
	float bin[RTT_CLASSES][RTT_BINS];
	float sum[RTT_CLASSES];
	uint32_t median[RTT_CLASSES];
};

bool rtt_add(struct rtt *rtt, int class, uint32_t ns);
void rtt_tick(struct rtt *rtt);

#endif /* MRCD_RTT_H */
