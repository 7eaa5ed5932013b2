/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pseudo-random numbers for load balancing: small state, predictable.  The
 * generator is SplitMix64 (Steele, Lea, Flood 2014).
 */
#ifndef MRC_CORE_RND_H
#define MRC_CORE_RND_H

#include <linux/types.h>

/**
 * mrc_rnd_next() - next number
 * @state: generator; any initial value
 *
 * Return: 64 random bits.
 */
static inline u64 mrc_rnd_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * mrc_rnd_below() - next number below a bound
 * @state: generator
 * @n: upper bound, not 0
 *
 * Return: 0 .. @n - 1.
 */
static inline u32 mrc_rnd_below(u64 *state, u32 n)
{
	return (u64)(u32)mrc_rnd_next(state) * n >> 32;
}

#endif /* MRC_CORE_RND_H */
