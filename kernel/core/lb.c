// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Turns of the planes (MRC 1.0 11.2.2, informative), and the paths of
 * retransmissions and reliability probes.
 *
 * Planes take turns in a random order, new in each pass, and the strategy
 * selects a path of the plane.  A path that is passed over is thus replaced by
 * one of its own plane, and planes keep equal shares whatever the states of
 * single paths.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "core/rnd.h"

/* Passes over the planes in search of a path without strikes. */
#define RTX_PASSES 5
/* Strikes from which on paths are compared by other things than their number. */
#define DOUBT_MAX 2

static u8 next_plane(struct mrc_ev_set *set)
{
	u8 at = set->plane_cursor;
	u8 other = at + mrc_rnd_below(&set->rnd, set->n_planes - at);

	swap(set->plane_order[at], set->plane_order[other]);
	if (++set->plane_cursor == set->n_planes)
		set->plane_cursor = 0;
	return set->plane_order[at];
}

/* An ASSUMED_BAD path is better than none; a different one each time. */
static int random_bad(struct mrc_ev_set *set, u32 ports)
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

static bool plane_usable(const struct mrc_ev_set *set, u32 ports, u8 nr)
{
	return ports >> (nr - 1) & 1 && set->planes[nr - 1].n_active;
}

/*
 * Bytes in flight beyond those that a plane holds at the common rate while its queues
 * are empty: a longer plane holds more.  (In proportion to the length, a plane would
 * get a queue as many times longer as it is itself.)  Planes that hold fewer are
 * equally empty: otherwise a QP that sends little would send it all on the plane that
 * seems to be the longest one.
 */
static s64 queued(const struct mrc_ev_set *set, const struct mrc_ev_plane *plane)
{
	/* A burst tells how long an unknown plane is. */
	if (!plane->shortest)
		return plane->inflight ?: S64_MIN;
	return max_t(s64, 0, plane->inflight -
		     (s64)((u64)set->plane_rate * plane->shortest >>
			   MRC_EV_RATE_SHIFT));
}

/*
 * The plane with the least in its queues; if there are several, and @nr is one of
 * them, that one.  Equal turns are not enough: bursts differ in size, and a
 * plane whose queue is longer by chance would keep it, while links of others
 * are idle.
 */
static u8 least_loaded(const struct mrc_ev_set *set, u32 ports, u8 nr)
{
	s64 least = S64_MAX, load;
	u8 i, other;

	if (plane_usable(set, ports, nr))
		least = queued(set, &set->planes[nr - 1]);
	for (i = 0; i < set->n_planes; i++) {
		other = set->plane_order[i];
		if (other == nr || !plane_usable(set, ports, other))
			continue;
		load = queued(set, &set->planes[other - 1]);
		if (load < least) {
			least = load;
			nr = other;
		}
	}
	return nr;
}

/* A path of plane @nr, if it can be used. */
static int next_on(struct mrc_ev_set *set, u8 nr, u32 ports, u64 now)
{
	if (!plane_usable(set, ports, nr))
		return -ENOENT;
	return set->ops->next_path(set, &set->planes[nr - 1], now);
}

/* A path of the plane whose turn it is. */
static int next_in_turn(struct mrc_ev_set *set, u32 ports, u64 now)
{
	return next_on(set, next_plane(set), ports, now);
}

/* A path of the plane that has the least in flight. */
static int next_on_any(struct mrc_ev_set *set, u32 ports, u64 now)
{
	u8 nr = least_loaded(set, ports, next_plane(set));

	return next_on(set, nr, ports, now);
}

static int fallback_path(struct mrc_ev_set *set, u32 ports)
{
	return set->skip_ended >= 0 ? set->skip_ended : random_bad(set, ports);
}

/**
 * mrc_lb_next() - select the path of the next burst
 * @set: paths
 * @now: ns
 *
 * Never selects a DENIED path or one whose port is unusable; an ASSUMED_BAD
 * path only if there is no active one.
 *
 * Context: any, the caller serialises.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_lb_next(struct mrc_ev_set *set, u64 now)
{
	u32 ports = mrc_ev_ports(set);
	int idx;
	u8 i;

	set->skip_ended = -1;
	idx = next_on_any(set, ports, now);
	if (idx >= 0)
		return idx;
	/* The rest of this pass and one whole pass include every plane. */
	for (i = 0; i < 2 * set->n_planes; i++) {
		idx = next_in_turn(set, ports, now);
		if (idx >= 0)
			return idx;
	}
	return fallback_path(set, ports);
}

static bool same_plane(const struct mrc_ev_set *set, u16 a, u16 b)
{
	return set->ev[a].plane == set->ev[b].plane;
}

/* Is data or a probe of the path outstanding? */
static bool may_be_acked(const struct mrc_ev *ev)
{
	return ev->unacked_first || ev->probe_sent > ev->acked_sent;
}

static u32 last_sent(const struct mrc_ev *ev)
{
	u32 at = mrc_ev_overdue_time(ev->probe_sent);

	if (!ev->unacked_first)
		return at;
	if (ev->probe_sent <= ev->acked_sent ||
	    (s32)(at - ev->unacked_last) < 0)
		return ev->unacked_last;
	return at;
}

/*
 * Of two paths that have both lost packets, the one whose latest packet was
 * sent longer ago: packets on different paths find one that still delivers.
 */
static int least_recently_sent(const struct mrc_ev_set *set, int a, int b)
{
	const struct mrc_ev *x = &set->ev[a], *y = &set->ev[b];

	if (may_be_acked(x) != may_be_acked(y))
		return may_be_acked(x) ? b : a;
	if (may_be_acked(x) && last_sent(x) != last_sent(y))
		return (s32)(last_sent(x) - last_sent(y)) < 0 ? a : b;
	return x->acked_sent < y->acked_sent ? b : a;
}

/* One loss may be noise.  More say that a path may be dead, but not how surely. */
static u8 doubt(const struct mrc_ev *ev)
{
	return min_t(u8, ev->strikes, DOUBT_MAX);
}

/* Which of two paths is the better one for a packet that was lost on @lost? */
static int better_for_rtx(const struct mrc_ev_set *set, int a, int b, u16 lost)
{
	const struct mrc_ev *x, *y;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	x = &set->ev[a];
	y = &set->ev[b];
	if (doubt(x) != doubt(y))
		return doubt(x) < doubt(y) ? a : b;
	if (same_plane(set, a, lost) != same_plane(set, b, lost))
		return same_plane(set, a, lost) ? b : a;
	if (x->strikes)
		return least_recently_sent(set, a, b);
	if (a == lost || b == lost)
		return a == lost ? b : a;
	return x->acked_sent < y->acked_sent ? b : a;
}

/*
 * The best of @idx and all paths that are to miss a turn.  A selection ends that for one of
 * them only, which may be a dead one, again and again.
 */
static int best_of_skipped(const struct mrc_ev_set *set, u32 ports, int idx,
			   u16 lost)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (ports >> (set->ev[i].plane - 1) & 1 &&
		    set->ev[i].state == MRC_EV_SKIP)
			idx = better_for_rtx(set, idx, i, lost);
	return idx;
}

/**
 * mrc_lb_next_rtx() - select the path of a retransmission
 * @set: paths
 * @lost: path on which the packet was lost
 * @now: ns
 *
 * As mrc_lb_next(), but prefers paths with few strikes, and other planes than
 * that of @lost, of which several paths may have failed.  Active paths may have
 * failed as well, if ev_min_active keeps them from ASSUMED_BAD, and the packet
 * must not be lost on one after the other.  Among several paths with two strikes or
 * more the one whose latest packet was sent longest ago is selected.
 *
 * Context: any, the caller serialises.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_lb_next_rtx(struct mrc_ev_set *set, u16 lost, u64 now)
{
	u32 ports = mrc_ev_ports(set);
	int idx = -ENOENT;
	u8 i;

	set->skip_ended = -1;
	for (i = 0; i < RTX_PASSES * set->n_planes; i++) {
		idx = better_for_rtx(set, idx, next_in_turn(set, ports, now),
				     lost);
		if (idx >= 0 && !set->ev[idx].strikes &&
		    !same_plane(set, idx, lost))
			return idx;
	}
	/* A path that was to miss a turn may be the best of those left. */
	idx = better_for_rtx(set, idx, set->skip_ended, lost);
	if (idx < 0 || set->ev[idx].strikes)
		idx = best_of_skipped(set, ports, idx, lost);
	return idx >= 0 ? idx : fallback_path(set, ports);
}

/* Unlike may_be_acked(): outstanding data does not replace a probe. */
static bool probe_open(const struct mrc_ev *ev)
{
	return ev->probe_sent >= ev->acked_sent;
}

/* On which of two paths is a probe more likely to be acknowledged? */
static int better_for_probe(const struct mrc_ev_set *set, int a, int b,
			    u16 lost)
{
	const struct mrc_ev *x, *y;

	if (a < 0)
		return b;
	x = &set->ev[a];
	y = &set->ev[b];
	if (!x->strikes != !y->strikes)
		return x->strikes ? b : a;
	if (probe_open(x) != probe_open(y))
		return probe_open(x) ? b : a;
	if (probe_open(x))
		return y->probe_sent < x->probe_sent ? b : a;
	if (same_plane(set, a, lost) != same_plane(set, b, lost))
		return same_plane(set, a, lost) ? b : a;
	return x->acked_sent < y->acked_sent ? b : a;
}

/**
 * mrc_lb_next_probe() - select the path of a reliability probe
 * @set: paths
 * @lost: path of the packet that the probe is about
 *
 * Selects the path of the packet that was sent last of all acknowledged ones,
 * and prefers another plane than that of @lost.  Paths with an unacknowledged
 * probe are avoided; if all have one, the path whose probe was sent first is
 * selected.
 *
 * Context: any, the caller serialises.
 * Return: index of a path, or -ENOENT if no active path has delivered a packet.
 */
int mrc_lb_next_probe(const struct mrc_ev_set *set, u16 lost)
{
	u32 ports = mrc_ev_ports(set);
	int best = -ENOENT;
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (ports >> (ev->plane - 1) & 1 &&
		    mrc_ev_is_active(ev->state) && ev->acked_sent)
			best = better_for_probe(set, best, i, lost);
	}
	return best;
}

/**
 * mrc_lb_set() - change the strategy
 * @set: paths, which may be in use
 * @lb: strategy; state of an earlier use may be outdated, but is valid
 *
 * Context: any, the caller serialises.
 */
void mrc_lb_set(struct mrc_ev_set *set, const struct mrc_lb_ops *lb)
{
	set->ops = lb;
}

/**
 * mrc_lb_at() - strategy by index
 * @i: index, from 0
 *
 * Context: any.
 * Return: the strategy, or NULL after the last one.
 */
const struct mrc_lb_ops *mrc_lb_at(u32 i)
{
	static const struct mrc_lb_ops * const all[] = {
		&mrc_lb_rotation, &mrc_lb_reps,
	};

	return i < ARRAY_SIZE(all) ? all[i] : NULL;
}

/**
 * mrc_lb_name() - name of a strategy by index
 * @i: index, from 0
 *
 * Context: any.
 * Return: name in the CLI, or NULL after the last one.
 */
const char *mrc_lb_name(u32 i)
{
	const struct mrc_lb_ops *ops = mrc_lb_at(i);

	return ops ? ops->name : NULL;
}

/**
 * mrc_lb_find() - look up a strategy
 * @name: name in the CLI
 *
 * Context: any.
 * Return: the strategy, or NULL if there is none of that name.
 */
const struct mrc_lb_ops *mrc_lb_find(const char *name)
{
	const struct mrc_lb_ops *ops;
	u32 i;

	for (i = 0; (ops = mrc_lb_at(i)); i++)
		if (!strcmp(ops->name, name))
			break;
	return ops;
}
