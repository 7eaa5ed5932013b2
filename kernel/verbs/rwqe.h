/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive work requests: private copies of the entries of a receive queue's ring.
 */
#ifndef MRC_VERBS_RWQE_H
#define MRC_VERBS_RWQE_H

#include <linux/types.h>
#include <rdma/mrc-abi.h>

struct mrc_ring;

/**
 * struct mrc_rwqe - private copy of a receive work request
 * @wr_id: as posted
 * @length: sum of the lengths of @sge, bytes
 * @status: enum ib_wc_status with which it must complete
 * @sge: as posted
 */
struct mrc_rwqe {
	u64 wr_id;
	u64 length;
	u8 status;
	struct mrc_sge sge[];
};

void mrc_rwqe_load(struct mrc_rwqe *wqe, const struct mrc_ring *ring, u32 index,
		   u32 max_sge);

#endif /* MRC_VERBS_RWQE_H */
