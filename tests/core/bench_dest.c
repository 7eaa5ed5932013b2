// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of the lookup of a destination and of the outer address of one of its paths:
 * 131072 destinations of one length below a default route, 256 EVs over 4 planes, in
 * random order.
 *
 *	bench_dest [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/lpm.h"
#include "core/rnd.h"
#include "bench.h"

#define ROUNDS		10000000ULL
#define HUGE		(2UL << 20)

static struct mrc_lpm table;
static struct mrc_srv6 tmpl;
static struct mrc_bitstr ev[MRC_EV_MAX];

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* Large pages, as the kernel maps its memory. */
static void *zalloc(size_t size)
{
	size_t all = (size + HUGE - 1) / HUGE * HUGE;
	void *p = aligned_alloc(HUGE, all);

	if (!p)
		exit(1);
	madvise(p, all, MADV_HUGEPAGE);
	return memset(p, 0, all);
}

static void address(u8 *octets, u32 i)
{
	memset(octets, 0, 16);
	octets[0] = 0xfd;
	octets[5] = i >> 16;
	octets[6] = i >> 8;
	octets[7] = i;
	octets[15] = 1;
}

static void add(u32 i, u8 len)
{
	u32 size = mrc_lpm_next_size(&table);
	struct mrc_lpm_slot *slots;
	struct mrc_lpm_key key;
	u8 octets[16];

	if (size != table.size) {
		slots = zalloc(size * sizeof(*slots));
		mrc_lpm_copy(&table, slots, size);
		free(table.slot);
		table.slot = slots;
		table.size = size;
	}
	address(octets, i);
	mrc_lpm_key_init(&key, octets, len);
	mrc_lpm_add(&table, &key)->number = i;
}

static u64 look_up(u64 r)
{
	struct mrc_srv6_dest dest = { .tmpl = &tmpl };
	struct mrc_lpm_key key;
	struct mrc_bitstr out;
	u8 octets[16];

	address(octets, r % DESTS);
	mrc_lpm_key_init(&key, octets, MRC_LPM_BITS);
	dest.number = mrc_lpm_lookup(&table, &key)->number;
	mrc_srv6_expand(&dest, &ev[r >> 32 & 255], 1 + (r >> 62), &out);
	return out.w[1];
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : ROUNDS;
	u64 i, start, rnd = 1, sum = 0;

	bench_fill(&tmpl, ev);
	mrc_lpm_init(&table, zalloc(MRC_LPM_SIZE_MIN * sizeof(*table.slot)),
		     MRC_LPM_SIZE_MIN);
	for (i = 0; i < DESTS; i++)
		add(i, 64);
	add(0, 0);

	start = now();
	for (i = 0; i < rounds; i++)
		sum ^= look_up(mrc_rnd_next(&rnd));
	printf("destination lookup and expansion: %.1f ns (check %llx)\n",
	       (double)(now() - start) / rounds, (unsigned long long)sum);
	printf("destination memory: %.1f MiB for %u and a default route\n",
	       table.size * sizeof(*table.slot) / 1048576.0, DESTS);
	return 0;
}
