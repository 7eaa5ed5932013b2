/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: units of time. */
#ifndef SHIM_LINUX_TIME_H
#define SHIM_LINUX_TIME_H

#include <linux/time64.h>

#endif /* SHIM_LINUX_TIME_H */
