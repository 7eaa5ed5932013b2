// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From what is configured to the paths of a connection.
 */
#include <net/ipv6.h>

#include "net/dest.h"
#include "net/encap.h"
#include "net/evprofile.h"
#include "net/nic.h"
#include "net/resolve.h"
#include "net/template.h"

/**
 * struct mrc_resolve_use - what the table says of a peer
 * @p: profile
 * @srv6: template and number; the template is NULL without SRv6
 */
struct mrc_resolve_use {
	const struct mrc_evprofile *p;
	struct mrc_srv6_dest srv6;
};

/* The longest prefix; SRv6 is for IPv6 peers only. */
static bool mrc_resolve_find(const struct mrc_pm *pm,
			     const struct in6_addr *dgid, bool v4,
			     struct mrc_resolve_use *use)
{
	const struct mrc_lpm_slot *slot;
	struct mrc_object *obj;
	struct mrc_lpm_key key;

	lockdep_assert_held(&pm->lock);
	mrc_lpm_key_init(&key, dgid->s6_addr, MRC_LPM_BITS);
	slot = mrc_lpm_lookup(&pm->dests, &key);
	if (!slot)
		return false;
	obj = pm->at[MRC_OBJECT_PROFILE][slot->a - 1];
	use->p = mrc_evprofile_of(obj);
	use->srv6 = (struct mrc_srv6_dest){ .number = slot->number };
	if (slot->b) {
		obj = pm->at[MRC_OBJECT_TEMPLATE][slot->b - 1];
		use->srv6.tmpl = &mrc_template_of(obj)->srv6;
	}
	return !v4 || !use->srv6.tmpl;
}

static void mrc_resolve_path(const struct mrc_resolve_use *use, u16 i,
			     struct mrc_ev_entry *entry, struct mrc_sid *sid)
{
	const struct mrc_evprofile_ev *ev = &use->p->evs[i];
	struct mrc_bitstr addr;

	*entry = (struct mrc_ev_entry){
		.value = ev->value,
		.plane = ev->ev.plane,
		.denied = ev->denied,
	};
	if (!use->srv6.tmpl)
		return;
	mrc_srv6_expand(&use->srv6, &ev->out, ev->ev.plane, &addr);
	mrc_sid_from_bits(sid, &addr);
}

static bool mrc_resolve_denied(const struct mrc_pm *pm,
			       struct mrc_deny_path *path,
			       const struct mrc_ev_entry *entry,
			       const struct mrc_sid *sid)
{
	u16 i;

	path->ev = entry->value;
	path->port = entry->plane;
	if (path->srv6) {
		mrc_sid_to_bits(sid, &path->addr);
		path->srh = mrc_sid_has_srh(sid);
	}
	for (i = 0; i < pm->n_deny; i++) {
		if (mrc_deny_matches(&pm->deny[i], path))
			return true;
	}
	return false;
}

static void mrc_resolve_deny_path(const struct in6_addr *dgid,
				  const struct mrc_srv6 *tmpl, bool srv6,
				  struct mrc_deny_path *path)
{
	*path = (struct mrc_deny_path){
		.srv6 = srv6,
		.block = tmpl ? tmpl->block : MRC_SRV6_BLOCK,
		.usid = tmpl ? tmpl->usid : MRC_SRV6_USID,
	};
	mrc_lpm_key_init(&path->dst, dgid->s6_addr, MRC_LPM_BITS);
}

/* Rules against all paths of @r. */
static void mrc_resolve_rules(const struct mrc_pm *pm,
			      const struct in6_addr *dgid,
			      const struct mrc_srv6 *tmpl,
			      struct mrc_resolved *r)
{
	struct mrc_deny_path path;
	u16 i;

	lockdep_assert_held(&pm->lock);
	if (!pm->n_deny)
		return;
	mrc_resolve_deny_path(dgid, tmpl, r->srv6, &path);
	for (i = 0; i < r->n; i++)
		r->entries[i].denied |= mrc_resolve_denied(pm, &path,
							   &r->entries[i],
							   &r->sids[i]);
}

static void mrc_resolve_profile(const struct mrc_pm *pm,
				const struct in6_addr *dgid, bool v4,
				struct mrc_resolved *r)
{
	struct mrc_resolve_use use;
	u16 i;

	r->source = MRC_PATHS_AUTO;
	r->n = MRC_EV_AUTO;
	if (!mrc_resolve_find(pm, dgid, v4, &use))
		return;
	r->n = use.p->cfg.count;
	r->active = use.p->cfg.active;
	r->min_active = use.p->cfg.min_active;
	if (use.p->cfg.mode == MRC_PROFILE_AUTO)
		return;
	r->source = MRC_PATHS_PROFILE;
	r->srv6 = use.srv6.tmpl;
	if (r->srv6) {
		r->block = use.srv6.tmpl->block;
		r->usid = use.srv6.tmpl->usid;
	}
	for (i = 0; i < r->n; i++)
		mrc_resolve_path(&use, i, &r->entries[i], &r->sids[i]);
	mrc_resolve_rules(pm, dgid, use.srv6.tmpl, r);
}

/**
 * mrc_resolve() - find the paths to a peer
 * @nic: NIC
 * @dgid: the peer
 * @v4: it is an IPv4 address
 * @r: filled in; the caller drops the reference on @r->dest
 *
 * If the result is AUTO, only numbers are filled in: the paths are made up once
 * for a connection, by the caller, and go through mrc_resolve_deny().
 *
 * Context: process or softirq.
 */
void mrc_resolve(struct mrc_nic *nic, const struct in6_addr *dgid, bool v4,
		 struct mrc_resolved *r)
{
	struct mrc_pm *pm = nic->pm;

	r->srv6 = false;
	r->block = MRC_SRV6_BLOCK;
	r->usid = MRC_SRV6_USID;
	r->active = 0;
	r->min_active = 0;
	r->n = 0;
	r->dest = v4 ? NULL : mrc_dest_get(nic, dgid);
	if (r->dest)
		r->n = mrc_dest_snapshot(r->dest, r->entries, r->sids);
	if (!r->n) {
		mrc_dest_put(r->dest);
		r->dest = NULL;
	}
	spin_lock_bh(&pm->lock);
	if (r->dest) {
		r->source = MRC_PATHS_EXPLICIT;
		r->srv6 = true;
		mrc_resolve_rules(pm, dgid, NULL, r);
	} else {
		mrc_resolve_profile(pm, dgid, v4, r);
	}
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_resolve_deny() - hold made-up paths against the rules
 * @nic: NIC
 * @dgid: the peer
 * @r: paths; those that a rule forbids are marked
 *
 * Context: process or softirq.
 */
void mrc_resolve_deny(struct mrc_nic *nic, const struct in6_addr *dgid,
		      struct mrc_resolved *r)
{
	spin_lock_bh(&nic->pm->lock);
	mrc_resolve_rules(nic->pm, dgid, NULL, r);
	spin_unlock_bh(&nic->pm->lock);
}

/**
 * mrc_resolve_all() - all paths to a peer, made-up ones too
 * @nic: NIC
 * @dgid: the peer
 * @v4: it is an IPv4 address
 * @r: filled in; the caller drops the reference on @r->dest
 *
 * For whoever is no connection: made-up paths are always the same ones for a
 * peer.  Those that the operator forbids are marked.
 *
 * Context: process or softirq.
 */
void mrc_resolve_all(struct mrc_nic *nic, const struct in6_addr *dgid, bool v4,
		     struct mrc_resolved *r)
{
	mrc_resolve(nic, dgid, v4, r);
	if (r->source != MRC_PATHS_AUTO)
		return;
	mrc_ev_auto(r->entries, r->n, GENMASK(nic->n_ports - 1, 0),
		    ipv6_addr_hash(dgid));
	mrc_resolve_deny(nic, dgid, r);
}

/**
 * struct mrc_resolve_search - a search for one path
 * @nic: NIC
 * @flow: addresses, and what the path should resemble
 * @sid: room for its outer destination
 * @like: how much it must resemble that
 * @nth: where the search begins
 * @deny: for mrc_resolve_denied()
 */
struct mrc_resolve_search {
	struct mrc_nic *nic;
	struct mrc_flow *flow;
	struct mrc_sid *sid;
	enum mrc_resolve_like like;
	u16 nth;
	struct mrc_deny_path deny;
};

static bool mrc_resolve_fits(const struct mrc_resolve_search *s, u32 ev,
			     u8 plane)
{
	if (!(READ_ONCE(s->nic->up) & BIT(plane - 1)))
		return false;
	return s->like == MRC_RESOLVE_ANY ||
	       (plane == s->flow->plane &&
		(s->like == MRC_RESOLVE_PLANE || ev == s->flow->ev));
}

static void mrc_resolve_use_path(struct mrc_resolve_search *s,
				 const struct mrc_ev_entry *entry, bool srv6)
{
	s->flow->plane = entry->plane;
	s->flow->ev = entry->value;
	s->flow->sid = srv6 ? s->sid : NULL;
}

static bool mrc_resolve_one_explicit(struct mrc_resolve_search *s,
				     struct mrc_dest *dest)
{
	struct mrc_dest_path path;
	bool denied;
	u16 i;

	mrc_resolve_deny_path(s->flow->dgid, NULL, true, &s->deny);
	for (i = 0; i < MRC_EV_MAX; i++) {
		if (!mrc_dest_path_get(dest, (s->nth + i) % MRC_EV_MAX,
				       &path) ||
		    !mrc_resolve_fits(s, path.entry.value, path.entry.plane))
			continue;
		spin_lock_bh(&s->nic->pm->lock);
		denied = mrc_resolve_denied(s->nic->pm, &s->deny, &path.entry,
					    &path.sid);
		spin_unlock_bh(&s->nic->pm->lock);
		if (denied)
			continue;
		*s->sid = path.sid;
		mrc_resolve_use_path(s, &path.entry, true);
		return true;
	}
	return false;
}

static bool mrc_resolve_one_profile(struct mrc_resolve_search *s,
				    const struct mrc_resolve_use *use)
{
	const struct mrc_evprofile_ev *ev;
	struct mrc_ev_entry entry;
	u16 i, at;

	if (use->p->cfg.mode == MRC_PROFILE_AUTO)
		return false;
	mrc_resolve_deny_path(s->flow->dgid, use->srv6.tmpl, use->srv6.tmpl,
			      &s->deny);
	for (i = 0; i < use->p->cfg.count; i++) {
		at = (s->nth + i) % use->p->cfg.count;
		ev = &use->p->evs[at];
		if (ev->denied || !mrc_resolve_fits(s, ev->value, ev->ev.plane))
			continue;
		mrc_resolve_path(use, at, &entry, s->sid);
		if (mrc_resolve_denied(s->nic->pm, &s->deny, &entry, s->sid))
			continue;
		mrc_resolve_use_path(s, &entry, use->srv6.tmpl);
		return true;
	}
	return false;
}

static bool mrc_resolve_search(struct mrc_resolve_search *s,
			       struct mrc_dest *dest)
{
	struct mrc_pm *pm = s->nic->pm;
	struct mrc_resolve_use use;
	bool found = false;

	if (dest)
		return mrc_resolve_one_explicit(s, dest);
	spin_lock_bh(&pm->lock);
	if (mrc_resolve_find(pm, s->flow->dgid, s->flow->v4, &use))
		found = mrc_resolve_one_profile(s, &use);
	spin_unlock_bh(&pm->lock);
	return found;
}

/**
 * mrc_resolve_one() - choose one configured path to a peer
 * @nic: NIC
 * @flow: addresses, and the plane and entropy value of a path to resemble;
 *	these and the outer destination become those of the path
 * @sid: room for the latter
 * @like: how much the path should resemble that; if none does, less will do
 * @nth: where the search begins
 *
 * For packets that belong to no connection.
 *
 * Context: process or softirq.
 * Return: true if there is one that may be used; otherwise @flow is as it was.
 */
bool mrc_resolve_one(struct mrc_nic *nic, struct mrc_flow *flow,
		     struct mrc_sid *sid, enum mrc_resolve_like like, u16 nth)
{
	struct mrc_dest *dest = flow->v4 ? NULL : mrc_dest_get(nic, flow->dgid);
	struct mrc_resolve_search search = {
		.nic = nic,
		.flow = flow,
		.sid = sid,
		.like = like,
		.nth = nth,
	};
	bool found = false;

	for (; search.like < MRC_RESOLVE_LIKES && !found; search.like++)
		found = mrc_resolve_search(&search, dest);
	mrc_dest_put(dest);
	return found;
}
