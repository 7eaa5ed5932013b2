/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: bit arrays. */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <linux/bitops.h>
#include <linux/string.h>

#define bitmap_size(nbits)	(BITS_TO_LONGS(nbits) * sizeof(long))

static inline void bitmap_zero(unsigned long *dst, unsigned int nbits)
{
	memset(dst, 0, bitmap_size(nbits));
}

static inline void bitmap_fill(unsigned long *dst, unsigned int nbits)
{
	memset(dst, 0xff, bitmap_size(nbits));
}

static inline void bitmap_copy(unsigned long *dst, const unsigned long *src,
			       unsigned int nbits)
{
	memcpy(dst, src, bitmap_size(nbits));
}

static inline void bitmap_set(unsigned long *map, unsigned int start,
			      unsigned int nbits)
{
	for (; nbits; nbits--, start++)
		__set_bit(start, map);
}

static inline void bitmap_clear(unsigned long *map, unsigned int start,
				unsigned int nbits)
{
	for (; nbits; nbits--, start++)
		__clear_bit(start, map);
}

static inline unsigned int bitmap_weight(const unsigned long *src,
					 unsigned int nbits)
{
	unsigned int bit, n = 0;

	for_each_set_bit(bit, src, nbits)
		n++;
	return n;
}

static inline bool bitmap_empty(const unsigned long *src, unsigned int nbits)
{
	return find_first_bit(src, nbits) == nbits;
}

static inline bool bitmap_full(const unsigned long *src, unsigned int nbits)
{
	return find_first_zero_bit(src, nbits) == nbits;
}

#endif /* SHIM_LINUX_BITMAP_H */
