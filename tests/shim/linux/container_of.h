/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: container_of(). */
#ifndef SHIM_LINUX_CONTAINER_OF_H
#define SHIM_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif /* SHIM_LINUX_CONTAINER_OF_H */
