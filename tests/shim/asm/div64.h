/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: 64-bit division. */
#ifndef SHIM_ASM_DIV64_H
#define SHIM_ASM_DIV64_H

#include <linux/math64.h>

#endif /* SHIM_ASM_DIV64_H */
