/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of queue pairs that verbs have not.
 */
#ifndef MRC_CONTROL_QP_ATTR_H
#define MRC_CONTROL_QP_ATTR_H

struct mrc_qp;
struct sk_buff;

int mrc_genl_put_qp_attrs(struct sk_buff *skb, struct mrc_qp *qp);

#endif /* MRC_CONTROL_QP_ATTR_H */
