/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: 64-bit arithmetic. */
#ifndef SHIM_LINUX_MATH64_H
#define SHIM_LINUX_MATH64_H

#include <linux/math.h>
#include <linux/types.h>

#define do_div(n, base) ({						\
	u32 __rem = (n) % (u32)(base);					\
	(n) /= (u32)(base);						\
	__rem; })

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline s64 div64_s64(s64 dividend, s64 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 mul_u32_u32(u32 a, u32 b)
{
	return (u64)a * b;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline u64 mul_u64_u64_shr(u64 a, u64 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor)
{
	return (u64)((unsigned __int128)a * mul / divisor);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 divisor)
{
	return (u64)((unsigned __int128)a * mul / divisor);
}

#define DIV64_U64_ROUND_UP(n, d) ({					\
	u64 __d = (d);							\
	div64_u64((n) + __d - 1, __d); })

#endif /* SHIM_LINUX_MATH64_H */
