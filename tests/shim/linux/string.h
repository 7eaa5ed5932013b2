/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: memory and string functions. */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>

#include <linux/types.h>

static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; bytes--, p++)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

#define memset_after(obj, v, member)					\
	memset((char *)(obj) + offsetof(__typeof__(*(obj)), member) +	\
	       sizeof((obj)->member), v,				\
	       sizeof(*(obj)) - offsetof(__typeof__(*(obj)), member) -	\
	       sizeof((obj)->member))

#endif /* SHIM_LINUX_STRING_H */
