// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: the rotation of each plane, and how a change of state moves a
 * path into it or out of it.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/ev.h"

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

/**
 * mrc_ev_enter_rotation() - append a path to the rotation of its plane
 * @set: paths
 * @idx: path that is not in rotation
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_enter_rotation(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	swap_order(set, position_of(set, plane, idx),
		   plane->first + plane->n_active);
	plane->n_active++;
	set->n_active++;
}

/* The current pass still selects each remaining path exactly once. */
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

/**
 * mrc_ev_set_state() - change the state of a path
 * @set: paths
 * @idx: path
 * @state: new state
 *
 * Updates the rotation and the counts; everything else is up to the caller.
 *
 * Context: any, the caller serialises; mrc_ev_pick() may read meanwhile.
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
		mrc_ev_enter_rotation(set, idx);
	else if (!mrc_ev_is_active(state) && mrc_ev_is_active(old))
		leave_rotation(set, idx);
	if (mrc_ev_is_healthy(state) && mrc_ev_is_healthy(old))
		return;
	if (set->on_state)
		set->on_state(set, idx, old);
}

/**
 * mrc_ev_stats_add() - add counters of a path to a sum
 * @sum: added to
 * @part: what is added
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_stats_add(struct mrc_ev_stats *sum,
		      const struct mrc_ev_stats *part)
{
	sum->tx_pkts += part->tx_pkts;
	sum->tx_bytes += part->tx_bytes;
	sum->rtx_pkts += part->rtx_pkts;
	sum->acked += part->acked;
	sum->ecn += part->ecn;
	sum->trims += part->trims;
	sum->losses += part->losses;
	sum->timeouts += part->timeouts;
	sum->probes += part->probes;
	sum->bad += part->bad;
	sum->padded_lost += part->padded_lost;
}
