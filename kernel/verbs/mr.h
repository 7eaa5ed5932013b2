/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: pinned pages of a process, or memory of the kernel.
 */
#ifndef MRC_VERBS_MR_H
#define MRC_VERBS_MR_H

#include <rdma/ib_verbs.h>
#include "verbs/region.h"

struct ib_umem;

/**
 * struct mrc_mr - memory region
 * @ib: memory region of the RDMA core
 * @region: what the data path knows of it
 * @umem: keeps the pages pinned
 */
struct mrc_mr {
	struct ib_mr ib;
	struct mrc_region region;
	struct ib_umem *umem;
};

struct ib_mr *mrc_mr_reg_user(struct ib_pd *pd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
struct ib_mr *mrc_mr_rereg_user(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *mrc_mr_get_dma(struct ib_pd *pd, int access);
int mrc_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* MRC_VERBS_MR_H */
