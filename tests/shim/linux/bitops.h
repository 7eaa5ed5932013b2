/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: operations on words and bit arrays. */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define BIT_MASK(nr)	(1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr)	((nr) / BITS_PER_LONG)

#define hweight8(w)	((unsigned int)__builtin_popcount((u8)(w)))
#define hweight16(w)	((unsigned int)__builtin_popcount((u16)(w)))
#define hweight32(w)	((unsigned int)__builtin_popcount((u32)(w)))
#define hweight64(w)	((unsigned long)__builtin_popcountll(w))
#define hweight_long(w)	((unsigned long)__builtin_popcountl(w))

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline unsigned long __fls(unsigned long word)
{
	return BITS_PER_LONG - 1 - __builtin_clzl(word);
}

static inline unsigned long __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static inline unsigned long ffz(unsigned long word)
{
	return __ffs(~word);
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline int fls_long(unsigned long x)
{
	return fls64(x);
}

static inline u32 rol32(u32 word, unsigned int shift)
{
	return word << (shift & 31) | word >> (-shift & 31);
}

static inline u32 ror32(u32 word, unsigned int shift)
{
	return word >> (shift & 31) | word << (-shift & 31);
}

static inline u64 rol64(u64 word, unsigned int shift)
{
	return word << (shift & 63) | word >> (-shift & 63);
}

static inline u64 ror64(u64 word, unsigned int shift)
{
	return word >> (shift & 63) | word << (-shift & 63);
}

static inline s32 sign_extend32(u32 value, int index)
{
	u8 shift = 31 - index;

	return (s32)(value << shift) >> shift;
}

static inline s64 sign_extend64(u64 value, int index)
{
	u8 shift = 63 - index;

	return (s64)(value << shift) >> shift;
}

static inline bool test_bit(unsigned long nr, const unsigned long *addr)
{
	return addr[BIT_WORD(nr)] >> (nr % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static inline void __clear_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

static inline void __change_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] ^= BIT_MASK(nr);
}

static inline void __assign_bit(unsigned long nr, unsigned long *addr,
				bool value)
{
	if (value)
		__set_bit(nr, addr);
	else
		__clear_bit(nr, addr);
}

static inline bool __test_and_set_bit(unsigned long nr, unsigned long *addr)
{
	bool old = test_bit(nr, addr);

	__set_bit(nr, addr);
	return old;
}

static inline bool __test_and_clear_bit(unsigned long nr, unsigned long *addr)
{
	bool old = test_bit(nr, addr);

	__clear_bit(nr, addr);
	return old;
}

#define set_bit			__set_bit
#define clear_bit		__clear_bit
#define test_and_set_bit	__test_and_set_bit
#define test_and_clear_bit	__test_and_clear_bit

#include <linux/find.h>

#endif /* SHIM_LINUX_BITOPS_H */
