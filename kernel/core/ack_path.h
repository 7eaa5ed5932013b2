/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ACK paths: which EV of each plane carries the control packets of a QP.
 *
 * The acknowledgments of its data show a requester which of its paths have
 * failed.  A host that only receives never gets them, and would lose a share of
 * its acknowledgments forever.  So each plane has one proven EV: the latest on
 * which a data packet or a probe was acknowledged (paper 2.4).
 */
#ifndef MRC_CORE_ACK_PATH_H
#define MRC_CORE_ACK_PATH_H

#include "core/ack_path_health.h"
#include "core/ev.h"

struct mrc_pkt_sack;
struct mrc_probe;

/*
 * Shortest interval of two probes.  The paper has a round trip; with round
 * trips of some ten microseconds these would be more probes than data packets.
 * So a QP sends at most 250 per second, and none while no data arrives.
 */
#define MRC_ACK_PATH_PROBE_NS 4000000U

int mrc_ack_path_pick(const struct mrc_ev_set *set, u8 plane,
		      enum mrc_ack_path_health health, u32 *cursor);
void mrc_ack_path_proven(struct mrc_ev_set *set, u16 idx);
void mrc_ack_path_sacked(struct mrc_ev_set *set, u16 idx);
void mrc_ack_path_wake(struct mrc_ev_set *set, u64 now);
int mrc_ack_path_probe(struct mrc_ev_set *set, u32 rtt, u64 now);

/* For QPs without a requester (yet). */
bool mrc_ack_path_next_probe(struct mrc_ev_set *set, u32 dest_qpn, u64 now,
			     struct mrc_probe *probe);
void mrc_ack_path_on_sack(struct mrc_ev_set *set, const struct mrc_pkt_sack *s,
			  u64 now);

/**
 * mrc_ack_path_used() - data is arriving (&struct mrc_ack_batch.data)
 * @set: paths
 *
 * SACKs of probes do not count unless there is a gap: two hosts without data
 * would keep each other probing.
 *
 * Context: any, no lock.
 * Return: true if mrc_ack_path_wake() must be called.
 */
static inline bool mrc_ack_path_used(struct mrc_ev_set *set)
{
	if (!READ_ONCE(set->ack_paths.used))
		WRITE_ONCE(set->ack_paths.used, true);
	return !READ_ONCE(set->ack_paths.next);
}

/**
 * mrc_ack_path_lost() - a path is ASSUMED_BAD, and no longer proven
 * @set: paths
 * @idx: path
 *
 * Inline, because ev.c calls it and ack_path.c calls ev.c.
 *
 * Context: any, the caller serialises; mrc_ack_path_pick() may read meanwhile.
 */
static inline void mrc_ack_path_lost(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ack_path_plane *p =
		&set->ack_paths.plane[set->ev[idx].plane - 1];

	if (p->proven == idx + 1)
		WRITE_ONCE(p->proven, 0);
}

#endif /* MRC_CORE_ACK_PATH_H */
