// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of the outer destination of a burst: the largest network of the paper, 131072
 * destinations and 256 EVs over 4 planes, in random order.
 *
 *	bench_srv6 [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/rnd.h"
#include "bench.h"

#define ROUNDS		20000000ULL

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : ROUNDS;
	static struct mrc_bitstr ev[MRC_EV_MAX];
	static struct mrc_srv6_dest dest[DESTS];
	static struct mrc_srv6 tmpl;
	struct mrc_bitstr out;
	u64 i, start, rnd = 1, r, sum = 0;

	bench_fill(&tmpl, ev);
	for (i = 0; i < DESTS; i++)
		dest[i] = (struct mrc_srv6_dest){ &tmpl, i };
	start = now();
	for (i = 0; i < rounds; i++) {
		r = mrc_rnd_next(&rnd);
		mrc_srv6_expand(&dest[r % DESTS], &ev[r >> 32 & 255],
				1 + (r >> 62), &out);
		sum ^= out.w[1];
	}
	printf("srv6 expansion: %.1f ns (%u pieces, check %llx)\n",
	       (double)(now() - start) / rounds, tmpl.n,
	       (unsigned long long)sum);
	printf("srv6 memory: %zu bytes for %u destinations, %zu per template\n",
	       sizeof(dest), DESTS, sizeof(tmpl));
	return 0;
}
