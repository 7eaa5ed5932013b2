/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: single bits and masks. */
#ifndef SHIM_LINUX_BITS_H
#define SHIM_LINUX_BITS_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define BITS_PER_BYTE		8
#define BITS_PER_LONG_LONG	64
#define GENMASK(h, l)		\
	((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))

#endif /* SHIM_LINUX_BITS_H */
