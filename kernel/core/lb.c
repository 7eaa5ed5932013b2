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

#include "core/evwait.h"
#include "core/lb.h"
#include "core/rnd.h"

/* Passes over the planes in search of a path that is fresh. */
#define FRESH_PASSES 5

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
 * @now: ns
 *
 * One transmission brings back at most one SKIP path, and moves on all the
 * same: that path has missed the turn it was to miss.  A path whose answers are
 * overdue is chosen if all are: planes carry the same, and as a whole they are
 * left by the rules for losses only.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT.
 */
int mrc_lb_deal(struct mrc_ev_set *set, struct mrc_ev_plane *plane, u64 now)
{
	int overdue = -ENOENT;
	u16 i, idx;

	/* The rest of this pass and one whole pass: sees every path. */
	for (i = 0; i < 2 * plane->n_active; i++) {
		idx = deal_path(set, plane);
		if (set->ev[idx].state == MRC_EV_GOOD) {
			if (idx == set->restored)
				continue;
			if (!mrc_evwait_overdue(set, idx, now))
				return idx;
			overdue = idx;
		} else if (set->restored < 0) {
			mrc_ev_set_state(set, idx, MRC_EV_GOOD);
			set->restored = idx;
		}
	}
	return overdue;
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

/* A path of the plane whose turn it is; none if that cannot be used. */
static int take_turn(struct mrc_ev_set *set, u32 ports, u64 now)
{
	u8 nr = deal_plane(set);
	struct mrc_ev_plane *plane = &set->planes[nr - 1];

	if (!(ports >> (nr - 1) & 1) || !plane->n_active)
		return -ENOENT;
	return set->ops->next_path(set, plane, now);
}

static int last_resort(struct mrc_ev_set *set, u32 ports)
{
	return set->restored >= 0 ? set->restored : any_bad(set, ports);
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
	int idx;
	u8 i;

	set->restored = -1;
	/* As in mrc_lb_deal(): no plane may be missed between two passes. */
	for (i = 0; i < 2 * set->n_planes; i++) {
		idx = take_turn(set, ports, now);
		if (idx >= 0)
			return idx;
	}
	return last_resort(set, ports);
}

static bool same_plane(const struct mrc_ev_set *set, u16 a, u16 b)
{
	return set->ev[a].plane == set->ev[b].plane;
}

/* There is something on its way, data or a probe, that may yet be answered. */
static bool is_tried(const struct mrc_ev *ev)
{
	return ev->await_from || ev->probe_sent > ev->acked_sent;
}

static u32 tried_at(const struct mrc_ev *ev)
{
	u32 at = mrc_evwait_time(ev->probe_sent);

	if (!ev->await_from)
		return at;
	return ev->probe_sent <= ev->acked_sent || (s32)(at - ev->await_to) < 0 ?
	       ev->await_to : at;
}

/*
 * Of paths that have all lost something the one that has been tried the least of
 * late: one of them may live, and what is sent on several will find it.
 */
static int less_tried(const struct mrc_ev_set *set, int a, int b)
{
	const struct mrc_ev *x = &set->ev[a], *y = &set->ev[b];

	if (is_tried(x) != is_tried(y))
		return is_tried(x) ? b : a;
	if (is_tried(x) && tried_at(x) != tried_at(y))
		return (s32)(tried_at(x) - tried_at(y)) < 0 ? a : b;
	return x->acked_sent < y->acked_sent ? b : a;
}

/* Which of two paths the loss of a packet says less against. */
static int fresher(const struct mrc_ev_set *set, int a, int b, u16 lost)
{
	const struct mrc_ev *x, *y;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	x = &set->ev[a];
	y = &set->ev[b];
	if (x->strikes != y->strikes)
		return x->strikes < y->strikes ? a : b;
	if (same_plane(set, a, lost) != same_plane(set, b, lost))
		return same_plane(set, a, lost) ? b : a;
	if (x->strikes)
		return less_tried(set, a, b);
	if (a == lost || b == lost)
		return a == lost ? b : a;
	return x->acked_sent < y->acked_sent ? b : a;
}

/**
 * mrc_ev_next_fresh() - choose the path of a retransmission
 * @set: paths
 * @lost: path that the packet was lost on
 * @now: ns
 *
 * As mrc_ev_next(), but rather on another plane than @lost, of which more than
 * one path may be dead, and on a path that has lost nothing since it was last
 * answered, or little: paths of which none is given up any more (ev_min_active)
 * may be dead all the same, and the packet must not go from one of them to the
 * next.  Where that leaves several that may be dead, the one tried longest ago.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ev_next_fresh(struct mrc_ev_set *set, u16 lost, u64 now)
{
	u32 ports = mrc_ev_ports(set);
	int idx = -ENOENT;
	u8 i;

	set->restored = -1;
	for (i = 0; i < FRESH_PASSES * set->n_planes; i++) {
		idx = fresher(set, idx, take_turn(set, ports, now), lost);
		if (idx >= 0 && !set->ev[idx].strikes &&
		    !same_plane(set, idx, lost))
			return idx;
	}
	/* Compared with those that are left, one that was to miss a turn may do. */
	idx = fresher(set, idx, set->restored, lost);
	return idx >= 0 ? idx : last_resort(set, ports);
}

/* Unlike is_tried(): data on its way there brings no answer to a question. */
static bool is_asked(const struct mrc_ev *ev)
{
	return ev->probe_sent >= ev->acked_sent;
}

/* On which of two paths an answer is the likelier to be had. */
static int livelier(const struct mrc_ev_set *set, int a, int b, u16 lost)
{
	const struct mrc_ev *x, *y;

	if (a < 0)
		return b;
	x = &set->ev[a];
	y = &set->ev[b];
	if (!x->strikes != !y->strikes)
		return x->strikes ? b : a;
	if (is_asked(x) != is_asked(y))
		return is_asked(x) ? b : a;
	if (is_asked(x))
		return y->probe_sent < x->probe_sent ? b : a;
	if (same_plane(set, a, lost) != same_plane(set, b, lost))
		return same_plane(set, a, lost) ? b : a;
	return x->acked_sent < y->acked_sent ? b : a;
}

/**
 * mrc_ev_next_alive() - choose the path of a question
 * @set: paths
 * @lost: path of the packet that is asked for
 *
 * The one on which the latest packet that was answered was sent, rather on
 * another plane than @lost, and not where a probe is being waited for; if that is
 * everywhere, where it has been for the longest time.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT if there is none like that.
 */
int mrc_ev_next_alive(const struct mrc_ev_set *set, u16 lost)
{
	u32 ports = mrc_ev_ports(set);
	int best = -ENOENT;
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (ports >> (ev->plane - 1) & 1 &&
		    mrc_ev_is_active(ev->state) && ev->acked_sent)
			best = livelier(set, best, i, lost);
	}
	return best;
}

static int rotation_next(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			 u64 now)
{
	return mrc_lb_deal(set, plane, now);
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
 * mrc_ev_set_lb() - go on with another strategy
 * @set: paths, which may be in use
 * @lb: strategy; what an earlier time has left for it may be old, not wrong
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_set_lb(struct mrc_ev_set *set, const struct mrc_lb_ops *lb)
{
	set->ops = lb;
}

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
