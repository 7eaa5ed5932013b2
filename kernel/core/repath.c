// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Replacing a set of paths while packets are in flight.  The state of a path
 * that is in both sets is kept.  Packets that were sent on a removed path are
 * acknowledged or retransmitted like all others, without effect on any path.
 */
#include <linux/kernel.h>

#include "core/lb.h"
#include "core/req_internal.h"
#include "core/psn.h"
#include "core/repath.h"

/**
 * mrc_repath_differs() - does a list contain other paths than a set?
 * @set: paths in use
 * @entries: the list
 * @n: its length
 *
 * Whether paths are denied is not compared, see mrc_repath_deny().
 *
 * Context: any, the caller serialises.
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
 * mrc_repath_deny() - deny and allow paths as a list says
 * @set: paths in use
 * @entries: list for which mrc_repath_differs() is false
 *
 * Context: any, the caller serialises.
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
 * mrc_repath_inherit() - copy the state of paths from an old set to a new one
 * @set: new set, just initialised; continues with the strategy of @old
 * @old: old set, which is not used any more
 * @map: filled in: for each index of @old, and for @old->n, which stands for
 *	paths removed earlier, the index in @set; @set->n if @set has no such
 *	path
 *
 * Context: any, the caller serialises.
 */
void mrc_repath_inherit(struct mrc_ev_set *set, const struct mrc_ev_set *old,
			u16 *map)
{
	u16 i;

	for (i = 0; i < old->n; i++) {
		map[i] = find_same(set, &old->ev[i], i);
		if (map[i] < set->n)
			mrc_ev_inherit(set, map[i], &old->ev[i]);
	}
	map[old->n] = set->n;
	mrc_lb_set(set, old->ops);
	mrc_ev_set_ports(set, old->local_ports, old->peer_ports);
}

/* What is in flight on each plane of the new set. */
static void count_in_flight(struct mrc_req *req)
{
	u32 n = mrc_req_outstanding(req);
	struct mrc_tx_pkt *rec;
	u32 at;
	u64 bits;

	req->inflight = 0;
	for (at = 0; at < n; at += 64) {
		for (bits = mrc_req_open_pkts(req, at, n); bits;
		     bits &= bits - 1) {
			rec = mrc_req_pkt(req, mrc_psn_add(req->una,
							   at + __ffs64(bits)));
			mrc_req_in_flight(req, rec->path, rec->nominal);
		}
	}
}

/**
 * mrc_repath_requester() - change the set of paths of a requester
 * @req: requester
 * @set: its new set
 * @map: of mrc_repath_inherit()
 *
 * Records of acknowledged packets are updated too: the TLP refers to the
 * newest.
 *
 * Context: any, the caller serialises.  The old set may be freed afterwards.
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
	req->tlp.second_path = -1;
	req->tlp.copied_path = map[req->tlp.copied_path];
	/* The new paths may be longer. */
	mrc_req_rtt_forget_bound(req);
	req->evs = set;
	count_in_flight(req);
}
