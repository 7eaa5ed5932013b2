/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of QPs that verbs have not, by the driver's methods of uverbs.
 */
#ifndef MRC_TEST_QP_ATTR_H
#define MRC_TEST_QP_ATTR_H

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

int qp_attr_set(struct ibv_qp *qp, const struct mrc_ib_qp_attr *attr);
int qp_attr_get(struct ibv_qp *qp, struct mrc_ib_qp_attr *attr);
int qp_attr_limits(struct ibv_context *ctx, struct mrc_ib_device_attr *attr);

#endif /* MRC_TEST_QP_ATTR_H */
