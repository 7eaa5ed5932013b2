/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs: attributes that verbs have, and those that they have not.
 */
#ifndef LIBMRC_QP_H
#define LIBMRC_QP_H

#include "context.h"

static inline struct ibv_qp *qp_verbs(const struct mrc_qp *qp)
{
	return qp->obj.verbs;
}

/* The wire protocol that there is. */
static inline bool protocol_ok(uint32_t version)
{
	return version == MRC_PROTOCOL_VERSION_0 ||
	       version == MRC_PROTOCOL_VERSION_1;
}

/* qp_state.c: 0 or an errno; @qp->lock. */
int qp_state_complete(const struct mrc_qp *qp, struct ibv_qp_attr *attr,
		      int *mask);

/* qp_attr.c: 0 or an errno; @qp->lock. */
int qp_modify(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vmask,
	      const struct mrc_qp_attr *attr, unsigned int mask);
int qp_query(struct mrc_qp *qp, struct mrc_qp_attr *attr, unsigned int mask);
int qp_mask_check(int vmask, unsigned int mask);
void qp_hint_set(struct mrc_qp *qp, struct mrc_qp_hint *hint);

#endif /* LIBMRC_QP_H */
