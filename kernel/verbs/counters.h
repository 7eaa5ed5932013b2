/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters as "rdma statistic" and sysfs show them.
 */
#ifndef MRC_VERBS_COUNTERS_H
#define MRC_VERBS_COUNTERS_H

#include <rdma/ib_verbs.h>

void mrc_counters_init(void);
struct rdma_hw_stats *mrc_counters_alloc(struct ib_device *ibdev, u32 port);
int mrc_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index);

#endif /* MRC_VERBS_COUNTERS_H */
