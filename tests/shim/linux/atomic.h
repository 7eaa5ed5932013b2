/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: atomic access. */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)

#endif /* SHIM_LINUX_ATOMIC_H */
