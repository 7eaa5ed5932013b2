/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: access at any alignment. */
#ifndef SHIM_LINUX_UNALIGNED_H
#define SHIM_LINUX_UNALIGNED_H

#include <linux/types.h>
#include <asm/byteorder.h>

#define get_unaligned(ptr) ({						\
	const struct { __typeof__(*(ptr)) x; } __packed *__g =		\
		(const void *)(ptr);					\
	__g->x; })
#define put_unaligned(val, ptr) do {					\
	struct { __typeof__(*(ptr)) x; } __packed *__p = (void *)(ptr);	\
	__p->x = (val);							\
} while (0)

#define SHIM_UNALIGNED(order, bits)					\
static inline u##bits get_unaligned_##order##bits(const void *p)	\
{									\
	return order##bits##_to_cpu(get_unaligned((const u##bits *)p));	\
}									\
static inline void put_unaligned_##order##bits(u##bits v, void *p)	\
{									\
	put_unaligned(cpu_to_##order##bits(v), (u##bits *)p);		\
}

SHIM_UNALIGNED(be, 16)
SHIM_UNALIGNED(be, 32)
SHIM_UNALIGNED(be, 64)
SHIM_UNALIGNED(le, 16)
SHIM_UNALIGNED(le, 32)
SHIM_UNALIGNED(le, 64)

#endif /* SHIM_LINUX_UNALIGNED_H */
