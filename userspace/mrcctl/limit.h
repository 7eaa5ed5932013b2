/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Limits and capabilities of devices.
 */
#ifndef MRCCTL_LIMIT_H
#define MRCCTL_LIMIT_H

struct nl;

int dev_limits(struct nl *nl, int argc, char **argv);

#endif /* MRCCTL_LIMIT_H */
