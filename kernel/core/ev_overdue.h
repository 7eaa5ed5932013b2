/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values: paths with overdue acknowledgments.
 *
 * Telling a loss from reordering takes several round trips, and until then a
 * path that has failed would swallow its share of all packets: if many paths
 * fail at once, the whole window, and with it the acknowledgments that prove
 * losses.  So a path whose acknowledgments are later than usual is skipped as
 * long as its plane has others.  It gets no penalty; the next acknowledgment,
 * or the detection of the loss, ends the state.
 */
#ifndef MRC_CORE_EV_OVERDUE_H
#define MRC_CORE_EV_OVERDUE_H

#include <linux/types.h>

#include "core/ev.h"

/* Unit of times, as a power of two in ns, so that they fit in 32 bits. */
#define MRC_EV_OVERDUE_SHIFT	10
/* A path overdue for this many times the limit is tried again. */
#define MRC_EV_OVERDUE_RETRY	16

/* Never 0, which stands for "none". */
static inline u32 mrc_ev_overdue_time(u64 ns)
{
	return (u32)(ns >> MRC_EV_OVERDUE_SHIFT) | 1;
}

/**
 * mrc_ev_overdue_sent() - packets are sent on a path
 * @set: paths
 * @idx: path
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_ev_overdue_sent(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->unacked_last = mrc_ev_overdue_time(now);
	if (!ev->unacked_first)
		ev->unacked_first = ev->unacked_last;
}

/**
 * mrc_ev_overdue_acked_or_lost() - a packet is no longer outstanding
 * @set: paths
 * @idx: its path; may have been removed since
 * @sent: ns when it was sent
 *
 * It was acknowledged, or is deemed lost.  Of the packets sent after it only
 * the sending time of the latest is recorded, so acknowledgments of the others
 * may be slightly later before the path is overdue.
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_ev_overdue_acked_or_lost(struct mrc_ev_set *set, u16 idx,
						u64 sent)
{
	struct mrc_ev *ev = &set->ev[idx];
	u32 at = mrc_ev_overdue_time(sent);

	if (!ev->unacked_first || (s32)(at - ev->unacked_first) < 0)
		return;
	ev->unacked_first = (s32)(at - ev->unacked_last) < 0 ?
			    ev->unacked_last : 0;
}

/**
 * mrc_ev_overdue() - is an acknowledgment of a path overdue?
 * @set: paths
 * @idx: path
 * @now: ns
 *
 * Context: any, the caller serialises.
 * Return: true if so.
 */
static inline bool mrc_ev_overdue(const struct mrc_ev_set *set, u16 idx,
				  u64 now)
{
	const struct mrc_ev *ev = &set->ev[idx];
	u32 age, most;

	if (!ev->unacked_first || !ev->srtt || !set->rtt_slack)
		return false;
	age = mrc_ev_overdue_time(now) - ev->unacked_first;
	most = ((u64)ev->srtt + set->rtt_slack) >> MRC_EV_OVERDUE_SHIFT;
	return age > most && age / MRC_EV_OVERDUE_RETRY < most;
}

#endif /* MRC_CORE_EV_OVERDUE_H */
