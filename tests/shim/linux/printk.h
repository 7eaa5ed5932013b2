/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: messages go to standard error. */
#ifndef SHIM_LINUX_PRINTK_H
#define SHIM_LINUX_PRINTK_H

#include <stdio.h>

#define KERN_CONT
#define printk(...)	fprintf(stderr, __VA_ARGS__)
#define pr_err(...)	fprintf(stderr, __VA_ARGS__)
#define pr_warn(...)	fprintf(stderr, __VA_ARGS__)
#define pr_info(...)	fprintf(stderr, __VA_ARGS__)
#define pr_debug(...)	do { if (0) fprintf(stderr, __VA_ARGS__); } while (0)

#endif /* SHIM_LINUX_PRINTK_H */
