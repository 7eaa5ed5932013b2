/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rate limiter (token bucket): so many events per second, with bursts.
 */
#ifndef MRC_CORE_RATE_H
#define MRC_CORE_RATE_H

#include <linux/types.h>

/**
 * struct mrc_rate - a rate limiter
 * @gap: ns per event in the long run
 * @depth: ns of credit after a pause: largest burst times @gap
 * @paid_until: ns up to which the events allowed so far use the rate
 *
 * The caller serialises all calls.
 */
struct mrc_rate {
	u32 gap;
	u64 depth;
	u64 paid_until;
};

void mrc_rate_init(struct mrc_rate *rate, u32 per_second, u32 burst);
bool mrc_rate_take(struct mrc_rate *rate, u64 now, u32 n);

#endif /* MRC_CORE_RATE_H */
