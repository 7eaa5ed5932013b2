/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: searching bit arrays. */
#ifndef SHIM_LINUX_FIND_H
#define SHIM_LINUX_FIND_H

#include <linux/bits.h>
#include <linux/types.h>

static inline unsigned long
__shim_find(const unsigned long *addr, unsigned long size,
	    unsigned long start, unsigned long invert)
{
	unsigned long w, i;

	if (start >= size)
		return size;
	i = start / BITS_PER_LONG;
	w = (addr[i] ^ invert) & (~0UL << (start % BITS_PER_LONG));
	while (!w) {
		if (++i * BITS_PER_LONG >= size)
			return size;
		w = addr[i] ^ invert;
	}
	start = i * BITS_PER_LONG + __builtin_ctzl(w);
	return start < size ? start : size;
}

static inline unsigned long find_next_bit(const unsigned long *addr,
					  unsigned long size,
					  unsigned long offset)
{
	return __shim_find(addr, size, offset, 0);
}

static inline unsigned long find_next_zero_bit(const unsigned long *addr,
					       unsigned long size,
					       unsigned long offset)
{
	return __shim_find(addr, size, offset, ~0UL);
}

#define find_first_bit(addr, size)	find_next_bit(addr, size, 0)
#define find_first_zero_bit(addr, size)	find_next_zero_bit(addr, size, 0)

static inline unsigned long find_last_bit(const unsigned long *addr,
					  unsigned long size)
{
	unsigned long i = size;

	while (i--)
		if (addr[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1)
			return i;
	return size;
}

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_first_bit(addr, size); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))
#define for_each_set_bit_from(bit, addr, size)				\
	for ((bit) = find_next_bit(addr, size, bit); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))
#define for_each_clear_bit(bit, addr, size)				\
	for ((bit) = find_first_zero_bit(addr, size); (bit) < (size);	\
	     (bit) = find_next_zero_bit(addr, size, (bit) + 1))

#endif /* SHIM_LINUX_FIND_H */
