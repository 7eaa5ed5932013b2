/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: ARRAY_SIZE(). */
#ifndef SHIM_LINUX_ARRAY_SIZE_H
#define SHIM_LINUX_ARRAY_SIZE_H

#include <linux/kernel.h>

#endif /* SHIM_LINUX_ARRAY_SIZE_H */
