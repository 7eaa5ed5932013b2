/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bitmap over a ring of PSNs: one bit per PSN of a window, index PSN & mask.
 * The size is a power of two, at least 64, so that a word never wraps.
 */
#ifndef MRC_CORE_RING_H
#define MRC_CORE_RING_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * mrc_ring_bytes() - memory of a ring
 * @size: bits
 *
 * Return: bytes.
 */
static inline size_t mrc_ring_bytes(u32 size)
{
	return size / 8;
}

/**
 * mrc_ring_test() - is the bit of a PSN set?
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: PSN
 *
 * Return: true if so.
 */
static inline bool mrc_ring_test(const u64 *ring, u32 mask, u32 psn)
{
	return ring[(psn & mask) / 64] >> (psn % 64) & 1;
}

/**
 * mrc_ring_set() - set the bit of a PSN
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: PSN
 */
static inline void mrc_ring_set(u64 *ring, u32 mask, u32 psn)
{
	ring[(psn & mask) / 64] |= 1ULL << (psn % 64);
}

/**
 * mrc_ring_clear() - clear the bit of a PSN
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: PSN
 */
static inline void mrc_ring_clear(u64 *ring, u32 mask, u32 psn)
{
	ring[(psn & mask) / 64] &= ~(1ULL << (psn % 64));
}

/**
 * mrc_ring_get64() - the bits of 64 consecutive PSNs
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: first PSN
 *
 * Return: bit i is that of PSN @psn + i.
 */
static inline u64 mrc_ring_get64(const u64 *ring, u32 mask, u32 psn)
{
	u32 shift = psn % 64;
	u64 low = ring[(psn & mask) / 64] >> shift;

	if (!shift)
		return low;
	return low | ring[((psn + 64) & mask) / 64] << (64 - shift);
}

/**
 * mrc_ring_clear64() - clear some bits of 64 consecutive PSNs
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: first PSN
 * @bits: bit i: clear that of PSN @psn + i
 */
static inline void mrc_ring_clear64(u64 *ring, u32 mask, u32 psn, u64 bits)
{
	u32 shift = psn % 64;

	ring[(psn & mask) / 64] &= ~(bits << shift);
	if (shift)
		ring[((psn + 64) & mask) / 64] &= ~(bits >> (64 - shift));
}

/**
 * mrc_ring_next() - look for the first set bit of a range
 * @ring: bitmap
 * @mask: bits - 1
 * @psn: first PSN of the range
 * @n: PSNs in the range, at most the size of the ring
 *
 * Return: distance of the first PSN whose bit is set from @psn; @n if none is.
 */
static inline u32 mrc_ring_next(const u64 *ring, u32 mask, u32 psn, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += 64) {
		u64 bits = mrc_ring_get64(ring, mask, psn + i);

		if (bits)
			return min_t(u32, i + __ffs64(bits), n);
	}
	return n;
}

#endif /* MRC_CORE_RING_H */
