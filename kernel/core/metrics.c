// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Round trips of the empty network, and the rate of the links.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "core/metrics.h"

/* Unit of &struct mrc_metrics.since: 1.05 ms. */
#define SINCE_SHIFT	20
#define HALF		((u32)(MRC_METRICS_RTT_NS >> SINCE_SHIFT))

static void changed(struct mrc_metrics *m)
{
	u32 old = READ_ONCE(m->changes);
	u32 seen;

	while ((seen = cmpxchg(&m->changes, old, old + 1 ?: 1)) != old)
		old = seen;
}

static void drop_older(struct mrc_metrics *m, bool both)
{
	u8 i;

	for (i = 0; i < MRC_METRICS_PLANES; i++) {
		WRITE_ONCE(m->min[1][i], both ? 0 : READ_ONCE(m->min[0][i]));
		WRITE_ONCE(m->min[0][i], 0);
	}
}

/*
 * Software hosts have rare short round trips, and routes change: a minimum
 * without expiry would be kept forever.  Of several callers one does it.
 */
static void expire(struct mrc_metrics *m, u64 now)
{
	u32 since = READ_ONCE(m->since), at = now >> SINCE_SHIFT;
	u32 age = at - since;

	if (!READ_ONCE(m->changes)) {
		WRITE_ONCE(m->since, at);
		return;
	}
	/* Another caller may be ahead; after 52 days the clock begins anew. */
	if (age < HALF || -age < HALF ||
	    cmpxchg(&m->since, since, at) != since)
		return;
	drop_older(m, age >= 2 * HALF);
	changed(m);
}

/**
 * mrc_metrics_learn_rate() - a connection has learnt the rate of the links
 * @m: measurements
 * @mbps: Mb/s; what is lower than an earlier one is a share of it
 *
 * Context: any.
 */
void mrc_metrics_learn_rate(struct mrc_metrics *m, u32 mbps)
{
	if (mbps <= READ_ONCE(m->mbps))
		return;
	WRITE_ONCE(m->mbps, mbps);
	changed(m);
}

/**
 * mrc_metrics_forget() - the paths have changed
 * @m: measurements
 *
 * Context: any.
 */
void mrc_metrics_forget(struct mrc_metrics *m)
{
	drop_older(m, true);
	changed(m);
}

/**
 * mrc_metrics_add_rtt() - add a sample
 * @m: measurements
 * @plane: plane of the packet
 * @rtt: ns, > 0
 * @now: ns
 *
 * Context: any.
 * Return: ns; the shortest round trip of the plane in the latest 5 to 10 s.
 */
u32 mrc_metrics_add_rtt(struct mrc_metrics *m, u8 plane, u32 rtt, u64 now)
{
	u32 newer, older;

	plane &= MRC_METRICS_PLANES - 1;
	expire(m, now);
	newer = READ_ONCE(m->min[0][plane]);
	older = READ_ONCE(m->min[1][plane]);
	if (!newer || rtt < newer) {
		WRITE_ONCE(m->min[0][plane], rtt);
		if (min_not_zero(newer, older) != min_not_zero(rtt, older))
			changed(m);
		newer = rtt;
	}
	return min_not_zero(newer, older);
}

/**
 * mrc_metrics_base_rtt() - shortest round trip of a plane
 * @m: measurements
 * @plane: plane
 *
 * Context: any.
 * Return: ns; 0 if there is no sample.
 */
u32 mrc_metrics_base_rtt(const struct mrc_metrics *m, u8 plane)
{
	plane &= MRC_METRICS_PLANES - 1;
	return min_not_zero(READ_ONCE(m->min[0][plane]),
		       READ_ONCE(m->min[1][plane]));
}

/**
 * mrc_metrics_mean_rtt() - mean over the planes
 * @m: measurements
 *
 * Context: any.
 * Return: ns, of the planes that have samples; 0 if none has one.
 */
u32 mrc_metrics_mean_rtt(const struct mrc_metrics *m)
{
	u32 rtt, planes = 0;
	u64 sum = 0;
	u8 i;

	for (i = 0; i < MRC_METRICS_PLANES; i++) {
		rtt = mrc_metrics_base_rtt(m, i);
		sum += rtt;
		planes += !!rtt;
	}
	return planes ? div_u64(sum, planes) : 0;
}

/**
 * mrc_metrics_is_uneven() - compare the longest plane with the shortest one
 * @m: measurements
 * @times: by how much it is longer
 *
 * Context: any.
 * Return: true if it is more than that.
 */
bool mrc_metrics_is_uneven(const struct mrc_metrics *m, u32 times)
{
	u32 rtt, shortest = 0, longest = 0;
	u8 i;

	for (i = 0; i < MRC_METRICS_PLANES; i++) {
		rtt = mrc_metrics_base_rtt(m, i);
		shortest = min_not_zero(shortest, rtt);
		longest = max(longest, rtt);
	}
	return longest > (u64)times * shortest;
}
