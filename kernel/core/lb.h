/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Load balancing: selection of the path of the next burst.
 *
 * Planes take turns with any strategy; the strategy selects a path of the
 * plane.  Planes thus carry equal load (paper section 4: the responder cannot
 * tell unequal planes from incast).  Of the states of paths, a strategy sets
 * only SKIP.
 */
#ifndef MRC_CORE_LB_H
#define MRC_CORE_LB_H

#include <linux/types.h>

#include "core/ev.h"

/**
 * struct mrc_lb_ops - a strategy for selecting the path of the next burst
 * @name: name in the CLI
 * @next_path: return the index of a GOOD path of @plane for the next burst, or
 *	-ENOENT if there is none; the plane has active paths and a usable port
 * @feedback: process signal @sig about a packet of path @idx, sent at @sent (U64_MAX:
 *	not known); mrc_ev_feedback_at() has updated the state of the path already
 * @delivered: the first packet of a burst that was sent on path @idx at @sent has been
 *	acknowledged; may be NULL.  What the SACK says about the packet that triggered
 *	it has been processed before
 */
struct mrc_lb_ops {
	const char *name;
	int (*next_path)(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			 u64 now);
	void (*feedback)(struct mrc_ev_set *set, u16 idx,
			 enum mrc_ev_signal sig, u64 sent, u64 now);
	void (*delivered)(struct mrc_ev_set *set, u16 idx, u64 sent);
};

/**
 * mrc_lb_delivered() - tell the strategy that a burst has arrived
 * @set: paths
 * @idx: path; ignored if it has been removed from the set
 * @sent: ns when the burst was sent
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_lb_delivered(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	if (set->ops->delivered && idx < set->n)
		set->ops->delivered(set, idx, sent);
}

/* Rotation in a random order, new in each pass (MRC 1.0 11.2.2). */
extern const struct mrc_lb_ops mrc_lb_rotation;
/* Reuses paths that delivered packets without ECN mark, explores others. */
extern const struct mrc_lb_ops mrc_lb_reps;

const struct mrc_lb_ops *mrc_lb_at(u32 i);
const char *mrc_lb_name(u32 i);
const struct mrc_lb_ops *mrc_lb_find(const char *name);
int mrc_lb_next(struct mrc_ev_set *set, u64 now);
int mrc_lb_next_probe(const struct mrc_ev_set *set, u16 lost);
int mrc_lb_next_rtx(struct mrc_ev_set *set, u16 lost, u64 now);
void mrc_lb_set(struct mrc_ev_set *set, const struct mrc_lb_ops *lb);
int mrc_lb_rotate(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
		  bool least, u64 now);

#endif /* MRC_CORE_LB_H */
