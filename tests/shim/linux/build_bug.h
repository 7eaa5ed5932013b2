/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: compile-time assertions. */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#include <linux/compiler.h>

#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)
#define BUILD_BUG_ON_MSG(cond, msg) _Static_assert(!(cond), msg)
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) \
	BUILD_BUG_ON((n) == 0 || (((n) & ((n) - 1)) != 0))
#ifndef static_assert
#define static_assert(expr, ...) _Static_assert(expr, #expr)
#endif

#endif /* SHIM_LINUX_BUILD_BUG_H */
