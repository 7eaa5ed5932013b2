/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands with driver-specific parts, and the only place that depends on whether
 * the provider is built inside rdma-core or standalone.
 */
#ifndef MRC_PROVIDER_ABI_H
#define MRC_PROVIDER_ABI_H

#ifdef MRC_STANDALONE
#include "standalone/driver-abi.h"
#include <rdma/mrc-abi.h>
#else
#include <infiniband/driver.h>
#include <infiniband/kern-abi.h>
#include <rdma/mrc-abi.h>
#include <kernel-abi/mrc-abi.h>

/* Makes ibv_qp_to_qp_ex() return the extended interface. */
static inline void mrc_verbs_qp_set_ex(struct verbs_qp *qp)
{
	qp->comp_mask |= VERBS_QP_EX;
}
#endif

DECLARE_DRV_CMD(mrc_cmd_alloc_context, IB_USER_VERBS_CMD_GET_CONTEXT, empty,
		mrc_alloc_ucontext_resp);
DECLARE_DRV_CMD(mrc_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty,
		mrc_create_ah_resp);
DECLARE_DRV_CMD(mrc_cmd_create_cq, IB_USER_VERBS_CMD_CREATE_CQ, empty,
		mrc_create_cq_resp);
DECLARE_DRV_CMD(mrc_cmd_create_cq_ex, IB_USER_VERBS_EX_CMD_CREATE_CQ, empty,
		mrc_create_cq_resp);
DECLARE_DRV_CMD(mrc_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ, empty,
		mrc_resize_cq_resp);
DECLARE_DRV_CMD(mrc_cmd_create_qp, IB_USER_VERBS_CMD_CREATE_QP, empty,
		mrc_create_qp_resp);
DECLARE_DRV_CMD(mrc_cmd_create_srq, IB_USER_VERBS_CMD_CREATE_SRQ, empty,
		mrc_create_srq_resp);
DECLARE_DRV_CMD(mrc_cmd_modify_srq, IB_USER_VERBS_CMD_MODIFY_SRQ,
		mrc_modify_srq_req, empty);

#endif /* MRC_PROVIDER_ABI_H */
