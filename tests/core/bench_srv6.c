// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the outer destination of a burst costs: the largest network of the paper,
 * 131072 destinations and 256 EVs over 4 planes, in random order.
 *
 *	bench_srv6 [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/profile.h"
#include "core/rnd.h"
#include "core/srv6.h"

#define DESTS		131072
#define PLANES		4
#define ROUNDS		20000000ULL
#define SECOND		1000000000ULL

#define CONST(v, w)	{ MRC_SRV6_CONST, (w), 0, (v) }
#define EV(f, w)	{ MRC_SRV6_EV, (w), (f), 0 }
#define PLANE(w)	{ MRC_SRV6_PLANE, (w), 0, 0 }
#define DEST(f, w)	{ MRC_SRV6_DEST, (w), (f), 0 }

/* T0, T1, T0, host: the plane in each, 512 T0s, 256 T1s, 256 hosts per T0. */
static const struct mrc_srv6_layout layout = {
	.block = MRC_SRV6_BLOCK, .usid = MRC_SRV6_USID,
	.ev_bits = 8, .dest_bits = 17, .planes = PLANES, .n = 13, .field = {
		CONST(0xfcbbbb00, 32),
		CONST(1, 4), PLANE(3), CONST(7, 9),
		CONST(2, 4), PLANE(3), EV(0, 8), CONST(0, 1),
		CONST(1, 4), PLANE(3), DEST(0, 9),
		CONST(3, 8), DEST(9, 8),
	},
};

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void fill(struct mrc_srv6 *tmpl, struct mrc_srv6_dest *dest,
		 struct mrc_bitstr *ev)
{
	struct mrc_refusal why;
	u32 i;

	if (mrc_srv6_compile(&layout, tmpl, &why)) {
		fprintf(stderr, "%s\n", why.text);
		exit(1);
	}
	for (i = 0; i < DESTS; i++)
		dest[i] = (struct mrc_srv6_dest){ tmpl, i };
	for (i = 0; i < MRC_EV_MAX; i++)
		ev[i] = (struct mrc_bitstr){ .w = { (u64)i << 56 } };
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : ROUNDS;
	static struct mrc_bitstr ev[MRC_EV_MAX];
	static struct mrc_srv6_dest dest[DESTS];
	static struct mrc_srv6 tmpl;
	struct mrc_bitstr out;
	u64 i, start, rnd = 1, r, sum = 0;

	fill(&tmpl, dest, ev);
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
