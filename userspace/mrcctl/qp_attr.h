/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of queue pairs that verbs have not.
 */
#ifndef MRCCTL_QP_ATTR_H
#define MRCCTL_QP_ATTR_H

struct nl;
struct nlattr;

void qp_attrs_show(const struct nlattr **tb);
int qp_set(struct nl *nl, int argc, char **argv);

#endif /* MRCCTL_QP_ATTR_H */
