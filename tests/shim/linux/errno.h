/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: error codes, with those only the kernel has. */
#ifndef SHIM_LINUX_ERRNO_H
#define SHIM_LINUX_ERRNO_H

#include_next <linux/errno.h>

#define ENOTSUPP	524

#endif /* SHIM_LINUX_ERRNO_H */
