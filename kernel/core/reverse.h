/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reverse paths: which EV of each plane carries the control packets of a QP.
 *
 * Data tells a requester which of its paths are dead.  A host that receives
 * only never learns it, and would go on sending one answer in so many into a
 * hole.  So each plane has one EV that is known to arrive: the latest on which
 * a data packet or a probe was answered (paper 2.4).
 */
#ifndef MRC_CORE_REVERSE_H
#define MRC_CORE_REVERSE_H

#include "core/doubt.h"
#include "core/ev.h"

struct mrc_pkt_sack;
struct mrc_probe;

/*
 * Shortest time between two probes: the paper has a round trip.  With ours of
 * some ten microseconds that would be more probes than data; so no QP sends
 * more than 250 in a second, and none when nothing comes in.
 */
#define MRC_REVERSE_NS 4000000U

int mrc_reverse_pick(const struct mrc_ev_set *set, u8 plane,
		     enum mrc_doubt doubt, u16 *cursor);
void mrc_reverse_proven(struct mrc_ev_set *set, u16 idx);
void mrc_reverse_given_up(struct mrc_ev_set *set, u16 idx);
void mrc_reverse_sacked(struct mrc_ev_set *set, u16 idx);
void mrc_reverse_wake(struct mrc_ev_set *set, u64 now);
int mrc_reverse_probe(struct mrc_ev_set *set, u32 rtt, u64 now);

/* For hosts that have no requester (yet). */
bool mrc_reverse_next_probe(struct mrc_ev_set *set, u32 dest_qpn, u64 now,
			    struct mrc_probe *probe);
void mrc_reverse_on_sack(struct mrc_ev_set *set, const struct mrc_pkt_sack *s,
			 u64 now);

/**
 * mrc_reverse_used() - data is coming in (&struct mrc_answer.data)
 * @set: paths
 *
 * Answers to probes do not count unless there is a gap to be filled: two hosts
 * without data would keep each other awake.
 *
 * Context: any, no lock.
 * Return: true if mrc_reverse_wake() must be called.
 */
static inline bool mrc_reverse_used(struct mrc_ev_set *set)
{
	if (!READ_ONCE(set->reverse.used))
		WRITE_ONCE(set->reverse.used, true);
	return !READ_ONCE(set->reverse.next);
}

#endif /* MRC_CORE_REVERSE_H */
