// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rate limiter, for packets that this host sends because of what peers send.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core/rate.h"

/**
 * mrc_rate_init() - start a rate limiter, with full credit
 * @rate: rate limiter
 * @per_second: events per second in the long run, 1 .. 10^9
 * @burst: events at once after a pause, at least 1
 *
 * Context: any, the caller serialises.
 */
void mrc_rate_init(struct mrc_rate *rate, u32 per_second, u32 burst)
{
	rate->gap = (u32)NSEC_PER_SEC / per_second;
	rate->depth = (u64)rate->gap * burst;
	rate->paid_until = 0;
}

/**
 * mrc_rate_take() - are @n events allowed now?
 * @rate: rate limiter
 * @now: ns, never going back
 * @n: events; all or none are allowed
 *
 * Context: any, the caller serialises.
 * Return: true if so; they are counted then.
 */
bool mrc_rate_take(struct mrc_rate *rate, u64 now, u32 n)
{
	u64 paid = max(rate->paid_until, now) + (u64)rate->gap * n;

	if (paid - now > rate->depth)
		return false;
	rate->paid_until = paid;
	return true;
}
