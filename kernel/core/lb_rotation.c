// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Strategy "rotation": all paths of a plane in random order (MRC 1.0 11.2.2,
 * informative).
 *
 * Each burst takes one step of a Fisher-Yates shuffle of the plane's paths, so
 * each pass has a new random order without any work at its beginning.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "core/rnd.h"

static u16 next_position(struct mrc_ev_set *set, struct mrc_ev_plane *plane)
{
	u16 at = plane->first + plane->cursor;
	u16 other = at + mrc_rnd_below(&set->rnd,
				       plane->n_active - plane->cursor);

	swap(set->ev[at].order, set->ev[other].order);
	if (++plane->cursor == plane->n_active)
		plane->cursor = 0;
	return set->ev[at].order;
}

/*
 * Of the path whose turn it is and another one, drawn at random, the one with
 * less in flight.  Equal turns are not enough where others use the same links:
 * a path whose queues are longer holds its packets longer, and would get as
 * many as before.  Two choices do nearly as well as all of them (Mitzenmacher
 * 2001), and a path that has stopped to deliver gets few packets.
 */
static u16 less_loaded(struct mrc_ev_set *set,
		       const struct mrc_ev_plane *plane, u16 idx, u64 now)
{
	u16 at = plane->first + mrc_rnd_below(&set->rnd, plane->n_active);
	u16 other = set->ev[at].order;

	if (set->ev[other].inflight >= set->ev[idx].inflight ||
	    set->ev[other].state != MRC_EV_GOOD ||
	    other == set->skip_ended || mrc_ev_overdue(set, other, now))
		return idx;
	return other;
}

/**
 * mrc_lb_rotate() - the next GOOD path in the random order of a plane
 * @set: paths
 * @plane: plane with active paths
 * @least: prefer a path with less in flight
 * @now: ns
 *
 * One selection sets at most one path from SKIP to GOOD, and does not return
 * it: the path misses the turn that it was to miss.  An overdue path is returned
 * only if all are overdue: planes carry equal shares, and only the rules of loss
 * detection take a plane out of use.
 *
 * Context: any, the caller serialises.
 * Return: index of a path, or -ENOENT.
 */
int mrc_lb_rotate(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
		  bool least, u64 now)
{
	int overdue = -ENOENT;
	u16 i, idx;

	/* The rest of this pass and one whole pass include every path. */
	for (i = 0; i < 2 * plane->n_active; i++) {
		idx = next_position(set, plane);
		if (set->ev[idx].state == MRC_EV_GOOD) {
			if (idx == set->skip_ended)
				continue;
			if (!mrc_ev_overdue(set, idx, now))
				return least ? less_loaded(set, plane, idx, now) : idx;
			overdue = idx;
		} else if (set->skip_ended < 0) {
			mrc_ev_set_state(set, idx, MRC_EV_GOOD);
			set->skip_ended = idx;
		}
	}
	return overdue;
}

static int rotation_next(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			 u64 now)
{
	return mrc_lb_rotate(set, plane, true, now);
}

/*
 * A congested path misses one turn.  If more than half of the paths are
 * congested, an ECN mark is no evidence against a single path, and none misses
 * a turn (UEC path-aware selection).
 */
static void rotation_feedback(struct mrc_ev_set *set, u16 idx,
			      enum mrc_ev_signal sig, u64 sent, u64 now)
{
	if (sig != MRC_EV_SIGNAL_SKIP_ONCE && sig != MRC_EV_SIGNAL_TRIM)
		return;
	if (set->ev[idx].state == MRC_EV_GOOD &&
	    2 * (set->n_skip + 1) <= set->n_active)
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
}

const struct mrc_lb_ops mrc_lb_rotation = {
	.name		= "rotation",
	.next_path	= rotation_next,
	.feedback	= rotation_feedback,
};
