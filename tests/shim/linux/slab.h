/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: the allocator. */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>

#include <linux/overflow.h>
#include <linux/types.h>

#define GFP_KERNEL	0
#define GFP_ATOMIC	0

static inline void *kmalloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	return malloc(size);
}

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	return calloc(1, size);
}

static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	(void)gfp;
	return calloc(n, size);
}

static inline void kfree(const void *ptr)
{
	free((void *)ptr);
}

#endif /* SHIM_LINUX_SLAB_H */
