/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: warnings and bugs end the program. */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/build_bug.h>

/* A test which provokes a warning is a test which found a bug. */
#define BUG() do {							\
	fprintf(stderr, "BUG at %s:%d\n", __FILE__, __LINE__);		\
	abort();							\
} while (0)
#define BUG_ON(cond)		do { if (cond) BUG(); } while (0)
#define WARN_ON(cond)		({ int __w = !!(cond); if (__w) BUG(); __w; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define WARN(cond, ...)		WARN_ON(cond)
#define WARN_ONCE(cond, ...)	WARN_ON(cond)

#endif /* SHIM_LINUX_BUG_H */
