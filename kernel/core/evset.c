// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: initialisation of the set of paths of a QP, and selection of
 * paths for control packets.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/lb.h"
#include "core/rnd.h"

/**
 * mrc_ev_set_size() - memory of a set
 * @n: paths
 *
 * The set has one entry more than paths.  It stands for all paths that have
 * been removed: records of packets may still refer to it, but it is never
 * selected.
 *
 * Return: bytes.
 */
size_t mrc_ev_set_size(u16 n)
{
	return sizeof(struct mrc_ev_set) + (n + 1) * sizeof(struct mrc_ev);
}

static void count_paths(struct mrc_ev_set *set, u16 n_active)
{
	struct mrc_ev_plane *plane;
	u16 i, share;

	for (i = 0; i < set->n; i++) {
		plane = mrc_ev_plane_of(set, i);
		if (!plane->n++)
			set->plane_order[set->n_planes++] = set->ev[i].plane;
	}
	/*
	 * Equal numbers of active paths per plane, as far as there are enough.
	 */
	share = n_active ? max(1, n_active / set->n_planes) : set->n;
	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		plane->quota = min(plane->n, share);
	}
}

/* Give each plane its range of the rotation, in the order of the entries. */
static void assign_positions(struct mrc_ev_set *set)
{
	u16 fill[MRC_PLANE_MAX];
	u16 i, first = 0;

	for (i = 0; i < MRC_PLANE_MAX; i++) {
		set->planes[i].first = first;
		fill[i] = first;
		first += set->planes[i].n;
	}
	for (i = 0; i < set->n; i++)
		set->ev[fill[set->ev[i].plane - 1]++].order = i;
}

/* Backups are chosen at random, because requesters do not coordinate. */
static void choose_active(struct mrc_ev_set *set)
{
	struct mrc_ev_plane *plane;
	u16 i, j, at, other, idx;

	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		for (j = 0; j < plane->n; j++) {
			at = plane->first + j;
			other = at + mrc_rnd_below(&set->rnd, plane->n - j);
			swap(set->ev[at].order, set->ev[other].order);
			idx = set->ev[at].order;
			if (set->ev[idx].state == MRC_EV_DENIED)
				continue;
			if (plane->n_active == plane->quota)
				set->ev[idx].state = MRC_EV_BACKUP;
			else
				mrc_ev_enter_rotation(set, idx);
		}
	}
}

static bool cfg_ok(const struct mrc_ev_entry *entries, u16 n,
		   const struct mrc_ev_cfg *cfg)
{
	u16 i;

	if (!n || n > MRC_EV_MAX || cfg->n_active > n || cfg->min_active > n)
		return false;
	for (i = 0; i < n; i++)
		if (!entries[i].plane || entries[i].plane > MRC_PLANE_MAX)
			return false;
	return true;
}

/**
 * mrc_ev_set_init() - fill a set
 * @set: mrc_ev_set_size(@n) bytes, uninitialised
 * @entries: the paths
 * @n: their number, 1..MRC_EV_MAX
 * @cfg: how they are used
 *
 * All ports are usable until mrc_ev_set_ports() is called.  If there are more
 * paths than @cfg->n_active, each plane keeps the same number as backups.
 *
 * Context: any, the caller serialises.
 * Return: 0, or -EINVAL if @n, a plane or a number in @cfg is out of range.
 */
int mrc_ev_set_init(struct mrc_ev_set *set, const struct mrc_ev_entry *entries,
		    u16 n, const struct mrc_ev_cfg *cfg)
{
	u16 i;

	if (!cfg_ok(entries, n, cfg))
		return -EINVAL;

	memset(set, 0, mrc_ev_set_size(n));
	set->ops = cfg->lb ?: &mrc_lb_rotation;
	set->n = n;
	set->rnd = cfg->seed;
	set->local_ports = U32_MAX;
	set->peer_ports = U32_MAX;
	for (i = 0; i < n; i++) {
		set->ev[i].value = entries[i].value;
		set->ev[i].plane = entries[i].plane;
		if (entries[i].denied)
			set->ev[i].state = MRC_EV_DENIED;
	}
	count_paths(set, cfg->n_active);
	set->min_active = cfg->min_active ?: MRC_EV_ONE_PER_PLANE;
	assign_positions(set);
	choose_active(set);
	return 0;
}

/* How well a path suits control packets; 0: not at all. */
static int pick_rank(u8 state, bool same_plane)
{
	if (state == MRC_EV_DENIED)
		return 0;
	/* An active path is known to deliver packets, a backup is not. */
	return 1 + same_plane + 2 * mrc_ev_is_healthy(state) +
	       2 * mrc_ev_is_active(state);
}

/**
 * mrc_ev_pick() - select a path for a control packet
 * @set: paths
 * @plane: preferred plane; 0: any
 * @cursor: the caller's position, advanced; any initial value
 *
 * Context: any, no lock: states and masks are read once each, and a selection
 * that is outdated when it is used costs at most one control packet.  The
 * caller keeps the set from being freed.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ev_pick(const struct mrc_ev_set *set, u8 plane, u16 *cursor)
{
	u32 ports = mrc_ev_ports(set);
	const int best_possible = pick_rank(MRC_EV_GOOD, true);
	int best = -ENOENT, rank, best_rank = 0;
	u16 i, idx = *cursor % set->n;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[idx];
		u8 state = READ_ONCE(ev->state);
		u16 at = idx;

		idx = idx + 1 < set->n ? idx + 1 : 0;
		if (!(ports >> (ev->plane - 1) & 1))
			continue;
		rank = pick_rank(state, !plane || ev->plane == plane);
		if (rank > best_rank) {
			best_rank = rank;
			best = at;
		}
		if (rank == best_possible)
			break;
	}
	*cursor = idx;
	return best;
}
