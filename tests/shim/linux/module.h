/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: there are no modules. */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#include <linux/export.h>
#include <linux/kernel.h>

#define MODULE_LICENSE(s)	_Static_assert(1, "")
#define MODULE_DESCRIPTION(s)	_Static_assert(1, "")
#define MODULE_AUTHOR(s)	_Static_assert(1, "")
#define MODULE_IMPORT_NS(s)	_Static_assert(1, "")

#endif /* SHIM_LINUX_MODULE_H */
