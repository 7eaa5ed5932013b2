/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random numbers that follow from a seed.
 */
#ifndef MRC_TEST_RNG_H
#define MRC_TEST_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct rng - a sequence of random numbers
 * @state: where it stands
 */
struct rng {
	uint64_t state;
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);
bool rng_one_in(struct rng *r, uint32_t n);
uint64_t rng_edge(struct rng *r, uint64_t min, uint64_t max);
void rng_bytes(struct rng *r, void *buf, size_t len);

#endif /* MRC_TEST_RNG_H */
