/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: arithmetic that notices overflow. */
#ifndef SHIM_LINUX_OVERFLOW_H
#define SHIM_LINUX_OVERFLOW_H

#include <linux/types.h>

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define array_size(a, b)		((size_t)(a) * (b))
#define struct_size(p, member, count)					\
	(sizeof(*(p)) + sizeof((p)->member[0]) * (size_t)(count))
#define struct_size_t(type, member, count)				\
	(sizeof(type) + sizeof(((type *)0)->member[0]) * (size_t)(count))

#endif /* SHIM_LINUX_OVERFLOW_H */
