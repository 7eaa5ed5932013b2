/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Hardware counters of an RDMA device, all at once.
 */
#ifndef MRC_TEST_STATS_H
#define MRC_TEST_STATS_H

#include <stdbool.h>
#include <stdint.h>

#define STATS_MAX	128
#define STATS_NAME	48

/**
 * struct stats - values at one time
 * @n: counters
 * @name: of each
 * @value: of each
 */
struct stats {
	unsigned int n;
	char name[STATS_MAX][STATS_NAME];
	uint64_t value[STATS_MAX];
};

int stats_read(struct stats *s, const char *device);
uint64_t stats_delta(const struct stats *before, const struct stats *after,
		     const char *name);
bool stats_only(const struct stats *before, const struct stats *after,
		const char *prefix, const char *name, uint64_t n);

#endif /* MRC_TEST_STATS_H */
