/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: nothing is exported. */
#ifndef SHIM_LINUX_EXPORT_H
#define SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL(sym)
#define EXPORT_SYMBOL_GPL(sym)

#endif /* SHIM_LINUX_EXPORT_H */
