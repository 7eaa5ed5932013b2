/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The largest network of the paper, for measurements: 131072 destinations, and 256
 * entropy values over 4 planes.
 */
#ifndef MRC_TEST_BENCH_H
#define MRC_TEST_BENCH_H

#include <stdio.h>
#include <stdlib.h>

#include "core/profile.h"
#include "mrc_srv6_sample.h"

#define DESTS		131072
#define PLANES		4
#define SECOND		1000000000ULL

/* T0, T1, T0, host: the plane in each, 512 T0s, 256 T1s, 256 hosts per T0. */
static const struct mrc_srv6_layout bench_layout = {
	.block = MRC_SRV6_BLOCK, .usid = MRC_SRV6_USID,
	.ev_bits = 8, .dest_bits = 17, .planes = PLANES, .n = 13, .field = {
		CONST(0xfcbbbb00, 32),
		CONST(1, 4), PLANE(3), CONST(7, 9),
		CONST(2, 4), PLANE(3), EV(0, 8), CONST(0, 1),
		CONST(1, 4), PLANE(3), DEST(0, 9),
		CONST(3, 8), DEST(9, 8),
	},
};

/* Fill in the template, and the EVs 0 .. 255 in @ev. */
static inline void bench_fill(struct mrc_srv6 *tmpl, struct mrc_bitstr *ev)
{
	struct mrc_refusal why;
	u32 i;

	if (mrc_srv6_compile(&bench_layout, tmpl, &why)) {
		fprintf(stderr, "%s\n", why.text);
		exit(1);
	}
	for (i = 0; i < MRC_EV_MAX; i++)
		ev[i] = (struct mrc_bitstr){ .w = { (u64)i << 56 } };
}

#endif /* MRC_TEST_BENCH_H */
