/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits, consecutive per packet, compared in serial
 * arithmetic (two numbers are comparable while less than 2^23 apart).
 */
#ifndef MRC_CORE_PSN_H
#define MRC_CORE_PSN_H

#include <linux/types.h>

#define MRC_PSN_BITS 24
#define MRC_PSN_MASK ((1U << MRC_PSN_BITS) - 1)

/**
 * mrc_psn_add - the PSN that is @n after @psn
 * @psn: 24-bit sequence number
 * @n: distance, may be negative
 *
 * Return: 24-bit sequence number.
 */
static inline u32 mrc_psn_add(u32 psn, s32 n)
{
	return (psn + (u32)n) & MRC_PSN_MASK;
}

/**
 * mrc_psn_diff - signed distance from @b to @a
 * @a: 24-bit sequence number
 * @b: 24-bit sequence number
 *
 * Return: a - b in serial arithmetic, -2^23 .. 2^23 - 1.
 */
static inline s32 mrc_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << (32 - MRC_PSN_BITS)) >> (32 - MRC_PSN_BITS);
}

#endif /* MRC_CORE_PSN_H */
