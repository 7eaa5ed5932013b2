/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The performance management agent (PMA) of each port.
 */
#ifndef MRC_VERBS_PMA_H
#define MRC_VERBS_PMA_H

#include <rdma/ib_verbs.h>

int mrc_pma_process_mad(struct ib_device *ibdev, int flags, u32 port,
			const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			const struct ib_mad *in, struct ib_mad *out,
			size_t *out_size, u16 *out_pkey_index);

#endif /* MRC_VERBS_PMA_H */
