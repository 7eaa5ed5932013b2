/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory whose size a process chooses.
 */
#ifndef MRC_NET_ALLOC_H
#define MRC_NET_ALLOC_H

#include <linux/gfp.h>

/*
 * Charged to the process.  If there is none, the process gets an error: it must not be
 * able to fill the kernel log.
 */
#define MRC_GFP_USER (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#endif /* MRC_NET_ALLOC_H */
