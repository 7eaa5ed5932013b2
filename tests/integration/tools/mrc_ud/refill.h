/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A send queue that a second thread refills.
 */
#ifndef MRC_TEST_REFILL_H
#define MRC_TEST_REFILL_H

#include <infiniband/verbs.h>

extern const int refill_depth;

void refill_run(struct ibv_qp *qp, struct ibv_cq *cq,
		const struct ibv_send_wr *model);

#endif /* MRC_TEST_REFILL_H */
