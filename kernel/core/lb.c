// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Turns of the planes, and the rotation within a plane (MRC 1.0 11.2.2,
 * informative).
 *
 * Each plane deals its paths like a pack of cards: one step of a Fisher-Yates
 * shuffle per burst, so every pass has a new random order and costs nothing at
 * its beginning.  Planes that take turns keep equal shares whatever happens to
 * single paths, because a path that is passed over is replaced by one of its
 * own plane.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/lb.h"
#include "core/rnd.h"

static u8 deal_plane(struct mrc_ev_set *set)
{
	u8 at = set->plane_cursor;
	u8 other = at + mrc_rnd_below(&set->rnd, set->n_planes - at);

	swap(set->plane_order[at], set->plane_order[other]);
	if (++set->plane_cursor == set->n_planes)
		set->plane_cursor = 0;
	return set->plane_order[at];
}

static u16 deal_path(struct mrc_ev_set *set, struct mrc_ev_plane *plane)
{
	u16 at = plane->first + plane->cursor;
	u16 other = at + mrc_rnd_below(&set->rnd,
				       plane->n_active - plane->cursor);

	swap(set->ev[at].order, set->ev[other].order);
	if (++plane->cursor == plane->n_active)
		plane->cursor = 0;
	return set->ev[at].order;
}

/**
 * mrc_lb_deal() - the next GOOD path in the random order of a plane
 * @set: paths
 * @plane: plane with active paths
 *
 * One transmission brings back at most one SKIP path, and moves on all the
 * same: that path has missed the turn it was to miss.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT.
 */
int mrc_lb_deal(struct mrc_ev_set *set, struct mrc_ev_plane *plane)
{
	u16 i, idx;

	/* The rest of this pass and one whole pass: sees every path. */
	for (i = 0; i < 2 * plane->n_active; i++) {
		idx = deal_path(set, plane);
		if (set->ev[idx].state == MRC_EV_GOOD) {
			if (idx != set->restored)
				return idx;
		} else if (set->restored < 0) {
			mrc_ev_set_state(set, idx, MRC_EV_GOOD);
			set->restored = idx;
		}
	}
	return -ENOENT;
}

/* A bad path is better than none; a different one each time. */
static int any_bad(struct mrc_ev_set *set, u32 ports)
{
	u16 i, idx = mrc_rnd_below(&set->rnd, set->n);

	for (i = 0; i < set->n; i++, idx = idx + 1 < set->n ? idx + 1 : 0) {
		const struct mrc_ev *ev = &set->ev[idx];

		if (ports >> (ev->plane - 1) & 1 &&
		    ev->state == MRC_EV_ASSUMED_BAD)
			return idx;
	}
	return -ENOENT;
}

/**
 * mrc_ev_next() - choose the path of the next burst
 * @set: paths
 * @now: ns
 *
 * Never a DENIED path nor one of a port that is masked out; an ASSUMED_BAD
 * one only if nothing better is left.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ev_next(struct mrc_ev_set *set, u64 now)
{
	u32 ports = mrc_ev_ports(set);
	struct mrc_ev_plane *plane;
	u8 i, nr;
	int idx;

	set->restored = -1;
	/* As in mrc_lb_deal(): no plane may be missed between two passes. */
	for (i = 0; i < 2 * set->n_planes; i++) {
		nr = deal_plane(set);
		plane = &set->planes[nr - 1];
		if (!(ports >> (nr - 1) & 1) || !plane->n_active)
			continue;
		idx = set->ops->next_path(set, plane, now);
		if (idx >= 0)
			return idx;
	}
	if (set->restored >= 0)
		return set->restored;
	return any_bad(set, ports);
}

static int rotation_next(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			 u64 now)
{
	return mrc_lb_deal(set, plane);
}

/*
 * A congested path misses one turn.  If more than half of the paths are
 * congested the mark says nothing about any of them, and none is passed over
 * (UEC path-aware selection).
 */
static void rotation_feedback(struct mrc_ev_set *set, u16 idx,
			      enum mrc_ev_signal sig, u64 now)
{
	if (sig != MRC_EV_SIG_SKIP_ONCE && sig != MRC_EV_SIG_TRIM)
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

/**
 * mrc_lb_find() - look up a strategy
 * @name: as the operator writes it
 *
 * Context: any.
 * Return: the strategy, or NULL if there is none of that name.
 */
const struct mrc_lb_ops *mrc_lb_find(const char *name)
{
	static const struct mrc_lb_ops * const all[] = {
		&mrc_lb_rotation, &mrc_lb_reps,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
