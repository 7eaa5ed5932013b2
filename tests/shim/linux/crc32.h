/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: CRC-32, reflected, without inversions. */
#ifndef SHIM_LINUX_CRC32_H
#define SHIM_LINUX_CRC32_H

#include <linux/types.h>

u32 crc32_le(u32 crc, const unsigned char *p, size_t len);

#endif /* SHIM_LINUX_CRC32_H */
