/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: pinned pages of a process, found by key.
 */
#ifndef MRC_VERBS_MR_H
#define MRC_VERBS_MR_H

#include <rdma/ib_verbs.h>

struct ib_umem;
struct mrc_ask;
struct mrc_device;
struct mrc_rxbuf;

/**
 * struct mrc_mr - memory region
 * @ib: memory region of the RDMA core
 * @pd: its protection domain; @ib.pd is set too late for us
 * @key: lkey and rkey: index in &struct mrc_device.mrs << 8, then a random byte
 * @access: enum ib_access_flags
 * @iova: I/O virtual address of the first byte
 * @length: bytes
 * @offset: of the first byte within the first page
 * @umem: keeps the pages pinned
 * @pages: all pages, for lookup in constant time
 *
 * Readers find it by RCU and take no reference; so it is released a grace
 * period after its key has been erased.
 */
struct mrc_mr {
	struct ib_mr ib;
	struct ib_pd *pd;
	u32 key;
	int access;
	u64 iova;
	u64 length;
	u32 offset;
	struct ib_umem *umem;
	struct page **pages;
};

struct ib_mr *mrc_mr_reg_user(struct ib_pd *pd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
int mrc_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata);

const struct mrc_mr *mrc_mr_find(struct mrc_device *dev, u32 key,
				 const struct ib_pd *pd, int access, u64 addr,
				 u64 len, const void **hint);
u32 mrc_mr_run(const struct mrc_mr *mr, u64 addr, u32 len, struct page **page,
	       u32 *offset);
int mrc_mr_atomic(const struct mrc_mr *mr, const struct mrc_ask *ask,
		  u64 *orig);
int mrc_mr_write(const struct mrc_mr *mr, u64 addr, struct mrc_rxbuf *rb,
		 u32 offset, u32 len);

#endif /* MRC_VERBS_MR_H */
