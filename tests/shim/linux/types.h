/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: kernel integer types. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef s64 ktime_t;
typedef unsigned int gfp_t;

#define BITS_PER_LONG		((int)(8 * sizeof(long)))
#define BITS_TO_LONGS(n)	\
	(((n) + 8 * sizeof(long) - 1) / (8 * sizeof(long)))
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

struct list_head {
	struct list_head *next, *prev;
};

#endif /* SHIM_LINUX_TYPES_H */
