/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: the older name of linux/unaligned.h. */
#ifndef SHIM_ASM_UNALIGNED_H
#define SHIM_ASM_UNALIGNED_H

#include <linux/unaligned.h>

#endif /* SHIM_ASM_UNALIGNED_H */
