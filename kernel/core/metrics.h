/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What all connections to a peer measure together: the round trips of the empty
 * network, which are the shortest ones seen on each plane, and the rate of the
 * links.  A connection that begins while others keep a queue would take that
 * queue for a part of the round trip, and one that has measured its share for
 * the rate of the links: each would aim at another queue and increase its window
 * by other steps, and the shares would stay unequal.
 */
#ifndef MRC_CORE_METRICS_H
#define MRC_CORE_METRICS_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Planes whose round trips are kept apart: as many as ports. */
#define MRC_METRICS_PLANES	32
/* Half of the longest time for which the shortest round trip is valid, ns. */
#define MRC_METRICS_RTT_NS	5000000000ULL

/**
 * struct mrc_metrics - measurements that connections share
 * @since: 2^20 ns; when the newer of @min began
 * @changes: incremented with each change; 0: nothing was recorded
 * @mbps: Mb/s; largest rate that was learnt; 0: none
 * @min: ns; shortest round trips of each plane in the current and in the
 *	previous half of the memory; 0: no sample
 *
 * Without a lock: any field may be changed at any time.  Of two samples that are
 * added at once one can be lost, and later ones replace it.  It is written when
 * a round trip is shorter, or a rate higher, than all before, and every
 * %MRC_METRICS_RTT_NS.
 */
struct mrc_metrics {
	u32 since;
	u32 changes;
	u32 mbps;
	u32 min[2][MRC_METRICS_PLANES];
};

void mrc_metrics_learn_rate(struct mrc_metrics *m, u32 mbps);
void mrc_metrics_forget(struct mrc_metrics *m);
u32 mrc_metrics_add_rtt(struct mrc_metrics *m, u8 plane, u32 rtt, u64 now);
u32 mrc_metrics_base_rtt(const struct mrc_metrics *m, u8 plane);
u32 mrc_metrics_mean_rtt(const struct mrc_metrics *m);
bool mrc_metrics_is_uneven(const struct mrc_metrics *m, u32 times);

#endif /* MRC_CORE_METRICS_H */
