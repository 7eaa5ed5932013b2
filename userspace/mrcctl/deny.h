/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Deny rules: commands of the object path.
 */
#ifndef MRCCTL_DENY_H
#define MRCCTL_DENY_H

struct nl;

int path_deny(struct nl *nl, int argc, char **argv);
int path_allow(struct nl *nl, int argc, char **argv);
int path_rules(struct nl *nl, int argc, char **argv);

#endif /* MRCCTL_DENY_H */
