// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allowances, for what somebody else can make us send.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core/rate.h"

/**
 * mrc_rate_init() - begin with a full allowance
 * @rate: allowance
 * @per_second: events per second in the long run, 1 .. 10^9
 * @at_once: events at once after a pause, at least 1
 */
void mrc_rate_init(struct mrc_rate *rate, u32 per_second, u32 at_once)
{
	rate->gap = (u32)NSEC_PER_SEC / per_second;
	rate->room = (u64)rate->gap * at_once;
	rate->paid = 0;
}

/**
 * mrc_rate_take() - are so many events allowed now?
 * @rate: allowance
 * @now: ns, never going back
 * @n: events; all or none are allowed
 *
 * Return: true if so; they are paid for then.
 */
bool mrc_rate_take(struct mrc_rate *rate, u64 now, u32 n)
{
	u64 paid = max(rate->paid, now) + (u64)rate->gap * n;

	if (paid - now > rate->room)
		return false;
	rate->paid = paid;
	return true;
}
