/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests to the kernel that verbs do not have.
 */
#ifndef LIBMRC_DEVICE_H
#define LIBMRC_DEVICE_H

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

/* All return 0 or an errno. */
int device_limits(struct ibv_context *vctx, struct mrc_ib_device_attr *attr);
int qp_attr_get(struct ibv_qp *vqp, struct mrc_ib_qp_attr *attr);
int qp_attr_set(struct ibv_qp *vqp, const struct mrc_ib_qp_attr *attr);

#endif /* LIBMRC_DEVICE_H */
