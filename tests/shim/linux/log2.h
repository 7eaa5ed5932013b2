/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: powers of two. */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/bitops.h>

#define ilog2(n)		((int)(fls64(n) - 1))
#define is_power_of_2(n)	((n) != 0 && ((n) & ((n) - 1)) == 0)
#define roundup_pow_of_two(n)	((n) <= 1 ? 1UL : 1UL << fls64((u64)(n) - 1))
#define rounddown_pow_of_two(n)	(1UL << (fls64(n) - 1))
#define order_base_2(n)		((n) > 1 ? fls64((u64)(n) - 1) : 0)

#endif /* SHIM_LINUX_LOG2_H */
