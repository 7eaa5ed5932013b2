/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bitmap over a ring of PSNs: one bit per PSN of a window, index PSN & mask.
 * The size is a power of two, at least 64, so that a word never wraps.
 */
#ifndef MRC_CORE_PSNMAP_H
#define MRC_CORE_PSNMAP_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * mrc_psnmap_bytes() - memory of a bitmap
 * @size: bits
 *
 * Return: bytes.
 */
static inline size_t mrc_psnmap_bytes(u32 size)
{
	return size / 8;
}

/**
 * mrc_psnmap_test() - is the bit of a PSN set?
 * @map: bitmap
 * @mask: bits - 1
 * @psn: PSN
 *
 * Return: true if so.
 */
static inline bool mrc_psnmap_test(const u64 *map, u32 mask, u32 psn)
{
	return map[(psn & mask) / 64] >> (psn % 64) & 1;
}

/**
 * mrc_psnmap_set() - set the bit of a PSN
 * @map: bitmap
 * @mask: bits - 1
 * @psn: PSN
 */
static inline void mrc_psnmap_set(u64 *map, u32 mask, u32 psn)
{
	map[(psn & mask) / 64] |= 1ULL << (psn % 64);
}

/**
 * mrc_psnmap_clear() - clear the bit of a PSN
 * @map: bitmap
 * @mask: bits - 1
 * @psn: PSN
 */
static inline void mrc_psnmap_clear(u64 *map, u32 mask, u32 psn)
{
	map[(psn & mask) / 64] &= ~(1ULL << (psn % 64));
}

/**
 * mrc_psnmap_get64() - the bits of 64 consecutive PSNs
 * @map: bitmap
 * @mask: bits - 1
 * @psn: first PSN
 *
 * Return: bit i is that of PSN @psn + i.
 */
static inline u64 mrc_psnmap_get64(const u64 *map, u32 mask, u32 psn)
{
	u32 shift = psn % 64;
	u64 low = map[(psn & mask) / 64] >> shift;

	if (!shift)
		return low;
	return low | map[((psn + 64) & mask) / 64] << (64 - shift);
}

/**
 * mrc_psnmap_clear64() - clear some bits of 64 consecutive PSNs
 * @map: bitmap
 * @mask: bits - 1
 * @psn: first PSN
 * @bits: bit i: clear that of PSN @psn + i
 */
static inline void mrc_psnmap_clear64(u64 *map, u32 mask, u32 psn, u64 bits)
{
	u32 shift = psn % 64;

	map[(psn & mask) / 64] &= ~(bits << shift);
	if (shift)
		map[((psn + 64) & mask) / 64] &= ~(bits >> (64 - shift));
}

/**
 * mrc_psnmap_next() - look for the first set bit of a range
 * @map: bitmap
 * @mask: bits - 1
 * @psn: first PSN of the range
 * @n: PSNs in the range, at most the size of the bitmap
 *
 * Return: distance of the first PSN whose bit is set from @psn; @n if none is.
 */
static inline u32 mrc_psnmap_next(const u64 *map, u32 mask, u32 psn, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += 64) {
		u64 bits = mrc_psnmap_get64(map, mask, psn + i);

		if (bits)
			return min_t(u32, i + __ffs64(bits), n);
	}
	return n;
}

#endif /* MRC_CORE_PSNMAP_H */
