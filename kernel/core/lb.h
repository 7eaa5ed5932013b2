/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Load balancing: which path the next burst takes.
 *
 * Planes take turns whatever the strategy, which only chooses within a plane:
 * so planes stay equally loaded (paper section 4: unequal planes look like
 * incast to the receiver).  States of paths are not up to the strategy either,
 * but for SKIP.
 */
#ifndef MRC_CORE_LB_H
#define MRC_CORE_LB_H

#include <linux/types.h>

#include "core/ev.h"

/**
 * struct mrc_lb_ops - a strategy of choosing the path of the next burst
 * @name: as the operator writes it
 * @next_path: index of a GOOD path of @plane for the next burst, or -ENOENT if
 *	there is none; the plane has active paths and its port may be used
 * @feedback: a packet of path @idx met @sig; its state has changed already
 */
struct mrc_lb_ops {
	const char *name;
	int (*next_path)(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			 u64 now);
	void (*feedback)(struct mrc_ev_set *set, u16 idx,
			 enum mrc_ev_signal sig, u64 now);
};

/* Rotation in random order, renewed at every pass (MRC 1.0 11.2.2). */
extern const struct mrc_lb_ops mrc_lb_rotation;
/* Paths that were found good are used again, others tried out. */
extern const struct mrc_lb_ops mrc_lb_reps;

const struct mrc_lb_ops *mrc_lb_find(const char *name);
void mrc_ev_set_lb(struct mrc_ev_set *set, const struct mrc_lb_ops *lb);
int mrc_lb_deal(struct mrc_ev_set *set, struct mrc_ev_plane *plane, u64 now);

#endif /* MRC_CORE_LB_H */
