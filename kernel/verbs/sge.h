/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scatter/gather lists: the memory of a work request.
 */
#ifndef MRC_VERBS_SGE_H
#define MRC_VERBS_SGE_H

#include "net/conn.h"

struct mrc_qp;
struct mrc_rxbuf;
struct mrc_sge;
struct mrc_txbuf;

enum mrc_status mrc_sge_gather_key(const struct mrc_qp *qp, u32 key, int access,
				   u64 addr, u32 len, struct mrc_txbuf *tb);
enum mrc_status mrc_sge_gather(const struct mrc_qp *qp,
			       const struct mrc_sge *sge, u32 pos, u32 len,
			       struct mrc_txbuf *tb);
enum mrc_place mrc_sge_scatter(const struct mrc_qp *qp,
			       const struct mrc_sge *sge, u32 pos,
			       struct mrc_rxbuf *rb, u32 offset, u32 len);

#endif /* MRC_VERBS_SGE_H */
