// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Refuse libibverbs older than version 36.
 *
 * Versions 34 and 35 have the private ABI number of this build but another
 * struct verbs_context_ops.  The function below came with version 36 under the
 * symbol version IBVERBS_1.14; the reference to it makes the dynamic linker report an
 * error, instead of a call reaching the wrong operation.
 */
#include <infiniband/verbs.h>

static int (*const mrc_needs_v36)(struct ibv_qp *, enum ibv_wr_opcode,
				  uint32_t)
	__attribute__((used)) = ibv_query_qp_data_in_order;
