// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: the set of paths of a QP, which of them are in rotation and
 * which are backups, and those for control packets.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/lb.h"
#include "core/rnd.h"

static bool is_healthy(u8 state)
{
	return mrc_ev_is_active(state) || state == MRC_EV_BACKUP;
}

/**
 * mrc_ev_set_size() - memory of a set
 * @n: paths
 *
 * Behind the paths there is room for one that stands for all that were there
 * once: records of packets may still name it, nobody chooses it.
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
	/* Planes have equal numbers of active paths, if they have so many. */
	share = n_active ? max(1, n_active / set->n_planes) : set->n;
	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		plane->quota = min(plane->n, share);
	}
}

/* Give every plane its stretch of the rotation, in the order of the entries. */
static void deal_out(struct mrc_ev_set *set)
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

static void swap_order(struct mrc_ev_set *set, u16 a, u16 b)
{
	swap(set->ev[a].order, set->ev[b].order);
}

static u16 position_of(const struct mrc_ev_set *set,
		       const struct mrc_ev_plane *plane, u16 idx)
{
	u16 at = plane->first;

	while (set->ev[at].order != idx)
		at++;
	return at;
}

static void enter_rotation(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	swap_order(set, position_of(set, plane, idx),
		   plane->first + plane->n_active);
	plane->n_active++;
	set->n_active++;
}

/* Whom the pass has yet to meet it still meets, and nobody twice. */
static void leave_rotation(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);
	u16 at = position_of(set, plane, idx);

	if (at < plane->first + plane->cursor) {
		plane->cursor--;
		swap_order(set, at, plane->first + plane->cursor);
		at = plane->first + plane->cursor;
	}
	plane->n_active--;
	set->n_active--;
	swap_order(set, at, plane->first + plane->n_active);
	if (plane->cursor == plane->n_active)
		plane->cursor = 0;
}

/* Which paths are backups is random: senders do not coordinate. */
static void choose_active(struct mrc_ev_set *set)
{
	struct mrc_ev_plane *plane;
	u16 i, j, at, idx;

	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		for (j = 0; j < plane->n; j++) {
			at = plane->first + j;
			swap_order(set, at, at + mrc_rnd_below(&set->rnd,
							       plane->n - j));
			idx = set->ev[at].order;
			if (set->ev[idx].state == MRC_EV_DENIED)
				continue;
			if (plane->n_active == plane->quota)
				set->ev[idx].state = MRC_EV_BACKUP;
			else
				enter_rotation(set, idx);
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
 * All ports count as usable until mrc_ev_set_ports() says otherwise.  Of more
 * paths than shall be active each plane holds back the same number as backups.
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
	deal_out(set);
	choose_active(set);
	return 0;
}

/* Of what use a path is to control packets; 0: of none. */
static int pick_rank(u8 state, bool same_plane)
{
	if (state == MRC_EV_DENIED)
		return 0;
	/* Of an active path it is known that it works, of a backup hoped. */
	return 1 + same_plane + 2 * is_healthy(state) +
	       2 * mrc_ev_is_active(state);
}

/**
 * mrc_ev_pick() - choose a path for a control packet
 * @set: paths
 * @plane: preferred plane; 0: any
 * @cursor: the caller's position, moved on; begins anywhere
 *
 * Context: any, no lock: states and masks are read once each, and a choice
 * that is outdated by the time it is used costs one control packet at worst.
 * The set itself must not be freed meanwhile.
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

/**
 * mrc_ev_set_state() - change the state of a path
 * @set: paths
 * @idx: path
 * @state: new state
 *
 * Keeps the rotation and the counts; everything else is up to the caller.
 *
 * Context: any, the owner serialises; mrc_ev_pick() may read meanwhile.
 */
void mrc_ev_set_state(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state state)
{
	struct mrc_ev *ev = &set->ev[idx];
	u8 old = ev->state;

	if (old == state)
		return;
	WRITE_ONCE(ev->state, state);
	set->n_skip += (state == MRC_EV_SKIP) - (old == MRC_EV_SKIP);
	set->n_bad += (state == MRC_EV_ASSUMED_BAD) -
		      (old == MRC_EV_ASSUMED_BAD);
	if (mrc_ev_is_active(state) && !mrc_ev_is_active(old))
		enter_rotation(set, idx);
	else if (!mrc_ev_is_active(state) && mrc_ev_is_active(old))
		leave_rotation(set, idx);
	if (is_healthy(state) && is_healthy(old))
		return;
	if (set->on_state)
		set->on_state(set, idx, old);
}
