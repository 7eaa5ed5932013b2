// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers that follow from a seed (splitmix64).
 */
#include <string.h>

#include "rng.h"

#define RNG_STEP	0x9e3779b97f4a7c15ull
#define RNG_MIX1	0xbf58476d1ce4e5b9ull
#define RNG_MIX2	0x94d049bb133111ebull

static uint64_t rng_mix(uint64_t x)
{
	x = (x ^ x >> 30) * RNG_MIX1;
	x = (x ^ x >> 27) * RNG_MIX2;
	return x ^ x >> 31;
}

/**
 * rng_seed - begin a sequence
 * @r: random numbers
 * @seed: which
 *
 * States that are a few steps apart would give parts of one sequence.
 */
void rng_seed(struct rng *r, uint64_t seed)
{
	r->state = rng_mix(seed + 1);
}

/**
 * rng_next - a random number of 64 bits
 * @r: random numbers
 *
 * Return: the number.
 */
uint64_t rng_next(struct rng *r)
{
	r->state += RNG_STEP;
	return rng_mix(r->state);
}

/**
 * rng_below - a random number
 * @r: random numbers
 * @n: limit, not 0
 *
 * Return: 0 to @n - 1.
 */
uint32_t rng_below(struct rng *r, uint32_t n)
{
	return rng_next(r) % n;
}

/**
 * rng_one_in - decide at random
 * @r: random numbers
 * @n: how often
 *
 * Return: true in one of @n cases.
 */
bool rng_one_in(struct rng *r, uint32_t n)
{
	return !rng_below(r, n);
}

/**
 * rng_edge - a number at or next to a bound
 * @r: random numbers
 * @min: lower bound
 * @max: upper bound
 *
 * Return: the number; often outside of the bounds.
 */
uint64_t rng_edge(struct rng *r, uint64_t min, uint64_t max)
{
	switch (rng_below(r, 8)) {
	case 0:
		return min;
	case 1:
		return min - 1;
	case 2:
		return max;
	case 3:
		return max + 1;
	case 4:
		return 0;
	case 5:
		return UINT64_MAX;
	case 6:
		return 1ull << rng_below(r, 64);
	default:
		return rng_next(r);
	}
}

/**
 * rng_bytes - random bytes
 * @r: random numbers
 * @buf: filled
 * @len: bytes
 */
void rng_bytes(struct rng *r, void *buf, size_t len)
{
	uint64_t word;
	size_t n;

	for (; len; len -= n, buf = (char *)buf + n) {
		word = rng_next(r);
		n = len < sizeof(word) ? len : sizeof(word);
		memcpy(buf, &word, n);
	}
}
