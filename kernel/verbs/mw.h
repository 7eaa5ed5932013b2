/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows: parts of memory regions to which work requests grant peers access
 * and revoke it, type 1 and type 2B of IBTA 10.6.7.
 */
#ifndef MRC_VERBS_MW_H
#define MRC_VERBS_MW_H

#include <rdma/ib_verbs.h>
#include "verbs/region.h"

struct mrc_sqe;

/**
 * struct mrc_mw - memory window
 * @ib: memory window of the RDMA core
 * @region: key, access and memory of the binding; freed a grace period after the
 *	window
 */
struct mrc_mw {
	struct ib_mw ib;
	struct mrc_region *region;
};

int mrc_mw_alloc(struct ib_mw *ibmw, struct ib_udata *udata);
int mrc_mw_dealloc(struct ib_mw *ibmw);
bool mrc_mw_bind(const struct mrc_qp *qp, const struct mrc_sqe *sqe);

#endif /* MRC_VERBS_MW_H */
