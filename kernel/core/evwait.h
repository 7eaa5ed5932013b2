/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values: paths whose answers are overdue.
 *
 * To tell a loss from reordering takes some round trips, and until then a path
 * that has died would swallow its share of all that is sent: where many die at
 * once, the whole window, and with it the answers that prove losses.  So a path
 * that owes an answer for longer than usual is passed over, as long as its plane
 * has others.  It is no worse thought of for that: the answer, or the
 * verdict that there will be none, ends it.
 */
#ifndef MRC_CORE_EVWAIT_H
#define MRC_CORE_EVWAIT_H

#include <linux/types.h>

#include "core/ev.h"

/* Times are in units of so many ns, as a power of two: they fit in 32 bits. */
#define MRC_EVWAIT_SHIFT	10
/* Whoever has kept silent for so many times as long is tried again. */
#define MRC_EVWAIT_AGAIN	16

/* Never 0, which stands for nothing. */
static inline u32 mrc_evwait_time(u64 ns)
{
	return (u32)(ns >> MRC_EVWAIT_SHIFT) | 1;
}

/**
 * mrc_evwait_sent() - packets leave on a path
 * @set: paths
 * @idx: path
 * @now: ns
 *
 * Context: any, the owner serialises.
 */
static inline void mrc_evwait_sent(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->await_to = mrc_evwait_time(now);
	if (!ev->await_from)
		ev->await_from = ev->await_to;
}

/**
 * mrc_evwait_settled() - a packet is awaited no more
 * @set: paths
 * @idx: its path; may be one that is no more
 * @sent: ns when it was sent
 *
 * It was answered, or is taken for lost.  Of what was sent after it only the
 * latest is remembered: the answers to the others may take a little longer before
 * anybody notices.
 *
 * Context: any, the owner serialises.
 */
static inline void mrc_evwait_settled(struct mrc_ev_set *set, u16 idx,
				      u64 sent)
{
	struct mrc_ev *ev = &set->ev[idx];
	u32 at = mrc_evwait_time(sent);

	if (!ev->await_from || (s32)(at - ev->await_from) < 0)
		return;
	ev->await_from = (s32)(at - ev->await_to) < 0 ? ev->await_to : 0;
}

/**
 * mrc_evwait_overdue() - does a path owe an answer for too long?
 * @set: paths
 * @idx: path
 * @now: ns
 *
 * Context: any, the owner serialises.
 * Return: true if it does.
 */
static inline bool mrc_evwait_overdue(const struct mrc_ev_set *set, u16 idx,
				      u64 now)
{
	const struct mrc_ev *ev = &set->ev[idx];
	u32 age, most;

	if (!ev->await_from || !ev->srtt || !set->late)
		return false;
	age = mrc_evwait_time(now) - ev->await_from;
	most = ((u64)ev->srtt + set->late) >> MRC_EVWAIT_SHIFT;
	return age > most && age / MRC_EVWAIT_AGAIN < most;
}

#endif /* MRC_CORE_EVWAIT_H */
