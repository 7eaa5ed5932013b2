/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs for datagrams: type UD, and the management QPs of the ports (GSI).
 */
#ifndef MRC_VERBS_UD_H
#define MRC_VERBS_UD_H

struct ib_qp_init_attr;
struct mrc_conn_ops;
struct mrc_qp;

extern const struct mrc_conn_ops mrc_ud_conn_ops;

int mrc_ud_create(struct mrc_qp *qp, const struct ib_qp_init_attr *init);
void mrc_ud_destroy(struct mrc_qp *qp);
int mrc_ud_open(struct mrc_qp *qp);
int mrc_ud_start(struct mrc_qp *qp);

#endif /* MRC_VERBS_UD_H */
