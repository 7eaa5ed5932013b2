/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Methods of the driver in the uverbs ioctl ABI.
 */
#ifndef MRC_VERBS_METHODS_H
#define MRC_VERBS_METHODS_H

struct uapi_definition;

extern const struct uapi_definition mrc_methods[];

#endif /* MRC_VERBS_METHODS_H */
