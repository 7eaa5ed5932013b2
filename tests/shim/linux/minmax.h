/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: min, max, clamp, swap. */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#define __shim_cmp(a, b, op) ({						\
	__typeof__(a) __a = (a);					\
	__typeof__(b) __b = (b);					\
	__a op __b ? __a : __b; })

#define min(a, b)		__shim_cmp(a, b, <)
#define max(a, b)		__shim_cmp(a, b, >)
#define min_t(type, a, b)	__shim_cmp((type)(a), (type)(b), <)
#define max_t(type, a, b)	__shim_cmp((type)(a), (type)(b), >)
#define min3(a, b, c)		min(min(a, b), c)
#define max3(a, b, c)		max(max(a, b), c)
#define min_not_zero(a, b) ({						\
	__typeof__(a) __x = (a);					\
	__typeof__(b) __y = (b);					\
	!__x ? __y : !__y ? __x : min(__x, __y); })
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define clamp_val(v, lo, hi)	clamp_t(__typeof__(v), v, lo, hi)
#define swap(a, b) \
	do { __typeof__(a) __t = (a); (a) = (b); (b) = __t; } while (0)

#endif /* SHIM_LINUX_MINMAX_H */
