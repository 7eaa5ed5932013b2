/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: errors in pointers. */
#ifndef SHIM_LINUX_ERR_H
#define SHIM_LINUX_ERR_H

#include <linux/errno.h>
#include <linux/types.h>

#define MAX_ERRNO	4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

#endif /* SHIM_LINUX_ERR_H */
