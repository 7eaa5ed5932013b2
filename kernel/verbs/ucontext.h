/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User contexts and protection domains: objects of the RDMA core without
 * driver-specific state.
 */
#ifndef MRC_VERBS_UCONTEXT_H
#define MRC_VERBS_UCONTEXT_H

#include <rdma/ib_verbs.h>

/**
 * struct mrc_ucontext - one opening of the device by a process
 * @ib: context of the RDMA core
 */
struct mrc_ucontext {
	struct ib_ucontext ib;
};

/**
 * struct mrc_pd - protection domain; compared by address
 * @ib: protection domain of the RDMA core
 */
struct mrc_pd {
	struct ib_pd ib;
};

int mrc_ucontext_alloc(struct ib_ucontext *uctx, struct ib_udata *udata);
void mrc_ucontext_dealloc(struct ib_ucontext *uctx);
void mrc_ucontext_disassociate(struct ib_ucontext *uctx);
int mrc_pd_alloc(struct ib_pd *pd, struct ib_udata *udata);
int mrc_pd_dealloc(struct ib_pd *pd, struct ib_udata *udata);

int mrc_udata_check(struct ib_udata *udata);
int mrc_udata_request(struct ib_udata *udata, void *req, size_t size);
int mrc_udata_respond(struct ib_udata *udata, const void *resp, size_t size);
struct ib_ucontext *mrc_udata_context(struct ib_udata *udata);

#endif /* MRC_VERBS_UCONTEXT_H */
