// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive work requests: private copies of the entries of a receive queue's ring.
 */
#include <rdma/ib_verbs.h>
#include "verbs/ring.h"
#include "verbs/rwqe.h"

/**
 * mrc_rwqe_load() - copy a work request out of a ring
 * @wqe: filled in, with space for @max_sge elements; a work request with more gets
 *	an error status
 * @ring: ring of a receive queue
 * @index: of the entry
 * @max_sge: most elements that the queue allows
 *
 * Context: any.
 */
void mrc_rwqe_load(struct mrc_rwqe *wqe, const struct mrc_ring *ring, u32 index,
		   u32 max_sge)
{
	const struct mrc_rqe *slot = mrc_ring_slot(ring, index);
	struct mrc_rqe rqe;
	u32 i;

	BUILD_BUG_ON(sizeof(struct mrc_rqe) != 16);

	mrc_ring_copy(&rqe, slot, sizeof(rqe));
	wqe->wr_id = rqe.wr_id;
	wqe->length = 0;
	wqe->status = IB_WC_SUCCESS;

	if (rqe.num_sge > max_sge) {
		wqe->status = IB_WC_LOC_QP_OP_ERR;
		return;
	}
	mrc_ring_copy(wqe->sge, slot + 1, rqe.num_sge * sizeof(wqe->sge[0]));
	for (i = 0; i < rqe.num_sge; i++)
		wqe->length += wqe->sge[i].length;
}
