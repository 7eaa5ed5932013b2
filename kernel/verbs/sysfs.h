/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of the device in sysfs.
 */
#ifndef MRC_VERBS_SYSFS_H
#define MRC_VERBS_SYSFS_H

struct attribute_group;

extern const struct attribute_group mrc_sysfs_group;

#endif /* MRC_VERBS_SYSFS_H */
