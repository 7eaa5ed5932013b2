/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An allowance: so many events per second, and so many at once.
 */
#ifndef MRC_CORE_RATE_H
#define MRC_CORE_RATE_H

#include <linux/types.h>

/**
 * struct mrc_rate - an allowance
 * @gap: ns that pay for one event
 * @room: ns that can be saved up: events at once, times @gap
 * @paid: ns up to which events have been paid for
 *
 * The owner serialises all calls.
 */
struct mrc_rate {
	u32 gap;
	u64 room;
	u64 paid;
};

void mrc_rate_init(struct mrc_rate *rate, u32 per_second, u32 at_once);
bool mrc_rate_take(struct mrc_rate *rate, u64 now, u32 n);

#endif /* MRC_CORE_RATE_H */
