// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The version of a module that is built outside of a kernel tree. In the tree the
 * version of the kernel is enough.
 */
#include <linux/module.h>

#ifdef MRC_VERSION
MODULE_VERSION(MRC_VERSION);
#endif
