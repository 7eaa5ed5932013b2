// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names and sums of the per-CPU counters.
 */
#include <linux/cpumask.h>
#include "net/counters.h"

const char * const mrc_counter_names[MRC_CNT_MAX] = {
#define MRC_COUNTER_NAME(id, name) [MRC_CNT_##id] = name,
	MRC_COUNTERS(MRC_COUNTER_NAME)
#undef MRC_COUNTER_NAME
};

/**
 * mrc_counters_sum - add up one counter over all CPUs
 * @stats: the counters of a NIC
 * @id: which one
 *
 * Return: the sum; it may miss increments under way.
 */
u64 mrc_counters_sum(const struct mrc_counters __percpu *stats,
		     enum mrc_counter id)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->c[id]);
	return sum;
}
