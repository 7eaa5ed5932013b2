/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Timer of a connection: for when it is started, within what timers cost on this host.
 *
 * Hardware timers of emulated and paravirtual machines, and those of processors that
 * sleep deeply, take tens of microseconds. While packets are acknowledged, deadlines move
 * with every SACK; a timer that followed each of them would take most of a processor.
 */
#ifndef MRC_CORE_TIMER_H
#define MRC_CORE_TIMER_H

#include <linux/types.h>

/**
 * struct mrc_timer - a timer; the caller serialises
 * @at: ns for which it is started; 0: it is not
 * @since: ns when it was last started for an exact deadline
 * @cost: ns by which it is late on average, about what it costs
 */
struct mrc_timer {
	u64 at;
	u64 since;
	s32 cost;
};

bool mrc_timer_covers(const struct mrc_timer *timer, u64 at);
bool mrc_timer_set(struct mrc_timer *timer, u64 at, u64 now, bool exact);
u64 mrc_timer_expire(struct mrc_timer *timer, u64 now);

#endif /* MRC_CORE_TIMER_H */
