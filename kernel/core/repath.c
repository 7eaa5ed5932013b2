// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From one set of paths to another while packets are in flight.  What is known
 * of a path that is in both goes along; packets that were sent on a path which
 * is no more are acknowledged or repaired like all others, but nobody is blamed
 * or praised for them.
 */
#include <linux/kernel.h>

#include "core/lb.h"
#include "core/loss.h"
#include "core/psn.h"
#include "core/repath.h"

/**
 * mrc_repath_differs() - does a list name other paths than a set has?
 * @set: paths in use
 * @entries: the list
 * @n: its length
 *
 * Whether they are denied does not matter, see mrc_repath_deny().
 *
 * Context: any, the owner serialises.
 * Return: true if so.
 */
bool mrc_repath_differs(const struct mrc_ev_set *set,
			const struct mrc_ev_entry *entries, u16 n)
{
	u16 i;

	if (set->n != n)
		return true;
	for (i = 0; i < n; i++)
		if (set->ev[i].value != entries[i].value ||
		    set->ev[i].plane != entries[i].plane)
			return true;
	return false;
}

/**
 * mrc_repath_deny() - take over which paths are forbidden
 * @set: paths in use
 * @entries: a list from which they do not differ
 *
 * Context: any, the owner serialises.
 */
void mrc_repath_deny(struct mrc_ev_set *set,
		     const struct mrc_ev_entry *entries)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		if (entries[i].denied && set->ev[i].state != MRC_EV_DENIED)
			mrc_ev_deny(set, i);
		else if (!entries[i].denied)
			mrc_ev_allow(set, i);
	}
}

static u16 find_same(const struct mrc_ev_set *set, const struct mrc_ev *ev,
		     u16 guess)
{
	u16 i, at;

	for (i = 0; i < set->n; i++) {
		at = (guess + i) % set->n;
		if (set->ev[at].value == ev->value &&
		    set->ev[at].plane == ev->plane)
			return at;
	}
	return set->n;
}

/**
 * mrc_repath_inherit() - tell a new set what an old one has learnt
 * @set: new set, just initialised; goes on with the strategy of @old
 * @old: old set, which is not used any more
 * @map: filled in: for each index of @old, and for @old->n which stands for
 *	paths gone before, the index in @set; @set->n if the path is not there
 *
 * Context: any, the owner serialises.
 */
void mrc_repath_inherit(struct mrc_ev_set *set, const struct mrc_ev_set *old,
			u16 *map)
{
	u16 i;

	for (i = 0; i < old->n; i++) {
		map[i] = find_same(set, &old->ev[i], i);
		if (map[i] < set->n)
			mrc_ev_take_over(set, map[i], &old->ev[i]);
	}
	map[old->n] = set->n;
	mrc_ev_set_lb(set, old->ops);
	mrc_ev_set_ports(set, old->local_ports, old->peer_ports);
}

/**
 * mrc_repath_requester() - let a requester use a new set
 * @req: requester
 * @set: its new set
 * @map: of mrc_repath_inherit()
 *
 * Records of packets that have been answered are looked at, too: the newest one
 * tells when to ask.
 *
 * Context: any, the owner serialises.  The old set may be freed then.
 */
void mrc_repath_requester(struct mrc_req *req, struct mrc_ev_set *set,
			  const u16 *map)
{
	struct mrc_tx_pkt *rec;
	u32 i;

	for (i = 0; i < req->cfg.mpr; i++) {
		rec = mrc_req_pkt(req, i);
		rec->path = map[rec->path];
	}
	req->probe_twin = -1;
	req->evs = set;
}
