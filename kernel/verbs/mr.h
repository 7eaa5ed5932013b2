/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: pinned pages of a process, or memory of the kernel.
 */
#ifndef MRC_VERBS_MR_H
#define MRC_VERBS_MR_H

#include <rdma/ib_verbs.h>
#include <linux/iosys-map.h>
#include "verbs/region.h"

struct dma_buf;
struct dma_buf_attachment;
struct ib_umem;
struct mrc_qp;
struct mrc_sqe;

/**
 * struct mrc_mr - memory region
 * @ib: memory region of the RDMA core
 * @region: the part that the data path uses
 * @umem: keeps the pages pinned; NULL unless it is memory of a process
 * @dmabuf: buffer that contains the memory, or NULL
 * @attach: keeps the storage of @dmabuf in place
 * @map: kernel mapping of all of @dmabuf
 * @max_pages: entries of @region.pages, if work requests register it
 * @n_pages: pages mapped by the last mrc_mr_map_sg()
 */
struct mrc_mr {
	struct ib_mr ib;
	struct mrc_region region;
	struct ib_umem *umem;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct iosys_map map;
	u32 max_pages;
	u32 n_pages;
};

static inline struct mrc_mr *mrc_mr_from_ib(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct mrc_mr, ib);
}

struct ib_mr *mrc_mr_reg_user(struct ib_pd *pd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
struct ib_mr *mrc_mr_rereg_user(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *pd, struct ib_udata *udata);
int mrc_mr_publish(struct mrc_mr *mr, const struct ib_pd *pd);
int mrc_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata);

/* mr_dmabuf.c */
extern const struct ib_device_ops mrc_mr_dmabuf_ops;

#if IS_ENABLED(CONFIG_DMA_SHARED_BUFFER)
void mrc_mr_put_dmabuf(struct mrc_mr *mr);
#else
static inline void mrc_mr_put_dmabuf(struct mrc_mr *mr)
{
}
#endif

/* resource.c */
int mrc_mr_fill_res(struct sk_buff *msg, struct ib_mr *ibmr);

/* mr_kernel.c */
int mrc_mr_reserve(struct mrc_device *dev);
void mrc_mr_unreserve(struct mrc_device *dev);
struct ib_mr *mrc_mr_get_dma(struct ib_pd *pd, int access);
struct ib_mr *mrc_mr_alloc(struct ib_pd *pd, enum ib_mr_type type,
			   u32 max_pages);
int mrc_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n,
		  unsigned int *offset);
bool mrc_mr_fast_reg(const struct mrc_qp *qp, const struct mrc_sqe *sqe);

#endif /* MRC_VERBS_MR_H */
