// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters as "rdma statistic" and sysfs show them.
 */
#include <linux/init.h>
#include "net/counters.h"
#include "verbs/counters.h"
#include "verbs/device.h"

static struct rdma_stat_desc mrc_counter_descs[MRC_CNT_MAX] __ro_after_init;

/**
 * mrc_counters_init() - set the names of the counters
 */
void __init mrc_counters_init(void)
{
	int i;

	for (i = 0; i < MRC_CNT_MAX; i++)
		mrc_counter_descs[i].name = mrc_counter_names[i];
}

/**
 * mrc_counters_alloc() - allocate the values of a port
 * @ibdev: device
 * @port: 1-based; there is no callback for 0, the device as a whole
 *
 * Return: values, or NULL.
 */
struct rdma_hw_stats *mrc_counters_alloc(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(mrc_counter_descs, MRC_CNT_MAX,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * mrc_counters_get() - read the counters
 * @ibdev: device
 * @stats: values, all of which are updated
 * @port: 1-based; a QP uses all ports, so the counters belong to the device
 *	and each port shows the same
 * @index: requested counter; ignored
 *
 * Return: number of values.
 */
int mrc_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	const struct mrc_nic *nic = mrc_device_from_ib(ibdev)->nic;
	int i;

	for (i = 0; i < MRC_CNT_MAX; i++)
		stats->value[i] = mrc_counters_sum(nic->stats, i);
	return MRC_CNT_MAX;
}
