// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Look-up of the paths of a connection, and of single packets without one.
 */
#include <net/ipv6.h>

#include "path/binding.h"
#include "path/evformat.h"
#include "path/evprofile.h"
#include "path/explicit.h"
#include "path/flow.h"
#include "path/pm.h"
#include "path/resolve.h"
#include "path/template.h"

/**
 * struct mrc_resolve_dest - objects of the destination of a peer
 * @p: profile
 * @srv6: template and number; the template is NULL without SRv6
 */
struct mrc_resolve_dest {
	const struct mrc_evprofile *p;
	struct mrc_srv6_dest srv6;
};

/*
 * The longest matching destination; SRv6 is for IPv6 peers only.  Without a template
 * the EV of an SRv6 path is its address (MRC control API).
 */
static bool mrc_resolve_find(const struct mrc_pm *pm,
			     const struct in6_addr *dgid, bool v4,
			     struct mrc_resolve_dest *dest)
{
	const struct mrc_lpm_slot *slot;
	struct mrc_object *obj;
	struct mrc_lpm_key key;

	lockdep_assert_held(&pm->lock);
	mrc_lpm_key_init(&key, dgid->s6_addr, MRC_LPM_BITS);
	slot = mrc_lpm_lookup(&pm->dests, &key);
	if (!slot)
		return false;
	obj = pm->at[MRC_OBJECT_PROFILE][slot->profile - 1];
	dest->p = mrc_evprofile_of(obj);
	dest->srv6 = (struct mrc_srv6_dest){ .number = slot->number };
	if (slot->tmpl) {
		obj = pm->at[MRC_OBJECT_TEMPLATE][slot->tmpl - 1];
		dest->srv6.tmpl = &mrc_template_of(obj)->srv6;
	}
	return !v4 || !dest->srv6.tmpl;
}

/*
 * The profile of a connection, with the template of its destination if they agree on
 * the width of the EV.  Returns false if the connection is bound to none.
 */
static bool mrc_resolve_bound(const struct mrc_pm *pm,
			      const struct in6_addr *dgid, bool v4,
			      const struct mrc_binding *b,
			      struct mrc_resolve_dest *dest)
{
	const struct mrc_evprofile *p;

	lockdep_assert_held(&pm->lock);
	if (!b || !b->profile)
		return false;
	p = mrc_evprofile_of(b->profile);
	if (!mrc_resolve_find(pm, dgid, v4, dest) || !p->srv6 ||
	    (dest->srv6.tmpl && dest->srv6.tmpl->ev_bits != p->width))
		dest->srv6.tmpl = NULL;
	dest->p = p;
	return true;
}

static void mrc_resolve_path(const struct mrc_resolve_dest *dest, u16 i,
			     struct mrc_ev_entry *entry, struct mrc_sid *sid)
{
	const struct mrc_evprofile_ev *ev = &dest->p->evs[i];
	struct mrc_bitstr addr;

	*entry = (struct mrc_ev_entry){
		.value = ev->value,
		.plane = ev->ev.plane,
		.denied = ev->denied,
	};
	if (!dest->p->srv6)
		return;
	if (!dest->srv6.tmpl) {
		mrc_sid_from_bits(sid, &ev->out);
		return;
	}
	mrc_srv6_expand(&dest->srv6, &ev->out, ev->ev.plane, &addr);
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

static void mrc_resolve_init_deny(const struct in6_addr *dgid,
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

/* Set the paths of @r denied that a rule forbids. */
static void mrc_resolve_apply_rules(const struct mrc_pm *pm,
				    const struct in6_addr *dgid,
				    const struct mrc_srv6 *tmpl,
				    struct mrc_resolved *r)
{
	struct mrc_deny_path path;
	u16 i;

	lockdep_assert_held(&pm->lock);
	if (!pm->n_deny)
		return;
	mrc_resolve_init_deny(dgid, tmpl, r->srv6, &path);
	for (i = 0; i < r->n; i++)
		r->entries[i].denied |= mrc_resolve_denied(pm, &path,
							   &r->entries[i],
							   &r->sids[i]);
}

static void mrc_resolve_profile(const struct mrc_pm *pm,
				const struct in6_addr *dgid, bool v4,
				const struct mrc_binding *b,
				struct mrc_resolved *r)
{
	struct mrc_resolve_dest dest;
	u16 i;

	r->source = MRC_PATHS_AUTO;
	r->n = MRC_EV_AUTO;
	r->bound = mrc_resolve_bound(pm, dgid, v4, b, &dest);
	if (!r->bound && !mrc_resolve_find(pm, dgid, v4, &dest))
		return;
	r->profile.id = dest.p->obj.id;
	r->profile.index = dest.p->obj.index;
	r->events = dest.p->events;
	r->n = dest.p->cfg.count;
	r->active = dest.p->cfg.active;
	r->min_active = dest.p->cfg.min_active;
	if (dest.p->cfg.mode == MRC_PROFILE_AUTO)
		return;
	r->source = MRC_PATHS_PROFILE;
	r->srv6 = dest.p->srv6;
	if (dest.srv6.tmpl) {
		r->block = dest.srv6.tmpl->block;
		r->usid = dest.srv6.tmpl->usid;
	}
	for (i = 0; i < r->n; i++)
		mrc_resolve_path(&dest, i, &r->entries[i], &r->sids[i]);
	mrc_resolve_apply_rules(pm, dgid, dest.srv6.tmpl, r);
}

/**
 * mrc_resolve() - look up the paths to a peer
 * @pm: path manager
 * @dgid: address of the peer
 * @v4: it is an IPv4 address
 * @b: profiles of the connection; NULL: there is none
 * @r: filled in; the caller drops the reference on @r->explicit
 *
 * A connection that is bound to an EV profile uses the paths of this profile only.
 *
 * If the source is AUTO, only the numbers are filled in: the caller generates
 * the paths once per connection and passes them to mrc_resolve_deny().
 *
 * Context: process or softirq.
 */
void mrc_resolve(struct mrc_pm *pm, const struct in6_addr *dgid, bool v4,
		 const struct mrc_binding *b, struct mrc_resolved *r)
{
	/* Not read again: only the QP changes it, which serialises. */
	bool bound = b && READ_ONCE(b->profile);

	r->bound = false;
	r->profile.id = 0;
	r->events = MRC_EVPROFILE_EVENTS;
	r->srv6 = false;
	r->block = MRC_SRV6_BLOCK;
	r->usid = MRC_SRV6_USID;
	r->active = 0;
	r->min_active = 0;
	r->n = 0;
	r->explicit = v4 || bound ? NULL : mrc_explicit_get(pm, dgid);
	if (r->explicit)
		r->n = mrc_explicit_snapshot(r->explicit, r->entries, r->sids);
	if (!r->n) {
		mrc_explicit_put(r->explicit);
		r->explicit = NULL;
	}
	spin_lock_bh(&pm->lock);
	if (r->explicit) {
		r->source = MRC_PATHS_EXPLICIT;
		r->srv6 = true;
		mrc_resolve_apply_rules(pm, dgid, NULL, r);
	} else {
		mrc_resolve_profile(pm, dgid, v4, b, r);
	}
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_resolve_deny() - apply deny rules to AUTO paths
 * @pm: path manager
 * @dgid: address of the peer
 * @r: paths; denied is set in those that a rule forbids
 *
 * Context: process or softirq.
 */
void mrc_resolve_deny(struct mrc_pm *pm, const struct in6_addr *dgid,
		      struct mrc_resolved *r)
{
	spin_lock_bh(&pm->lock);
	mrc_resolve_apply_rules(pm, dgid, NULL, r);
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_resolve_all() - look up all paths to a peer, AUTO paths included
 * @pm: path manager
 * @dgid: address of the peer
 * @v4: it is an IPv4 address
 * @r: filled in; the caller drops the reference on @r->explicit
 *
 * For callers other than connections: AUTO paths are always the same ones for a
 * peer.  Denied is set in paths that the operator forbids.
 *
 * Context: process or softirq.
 */
void mrc_resolve_all(struct mrc_pm *pm, const struct in6_addr *dgid, bool v4,
		     struct mrc_resolved *r)
{
	mrc_resolve(pm, dgid, v4, NULL, r);
	if (r->source != MRC_PATHS_AUTO)
		return;
	mrc_ev_auto(r->entries, r->n, GENMASK(pm->n_ports - 1, 0),
		    ipv6_addr_hash(dgid));
	mrc_resolve_deny(pm, dgid, r);
}

/**
 * struct mrc_resolve_search - a search for one path
 * @pm: path manager
 * @up: ports that can send, bit p-1 for port p
 * @flow: addresses, and plane and EV to be matched
 * @sid: buffer for the outer destination of the path
 * @match: how well the path must match plane and EV
 * @nth: index at which the search begins
 * @deny: argument of mrc_resolve_denied()
 */
struct mrc_resolve_search {
	struct mrc_pm *pm;
	u32 up;
	struct mrc_flow *flow;
	struct mrc_sid *sid;
	enum mrc_resolve_match match;
	u16 nth;
	struct mrc_deny_path deny;
};

static bool mrc_resolve_matches(const struct mrc_resolve_search *s, u32 ev,
				u8 plane)
{
	if (!(s->up & BIT(plane - 1)))
		return false;
	return s->match == MRC_RESOLVE_ANY ||
	       (plane == s->flow->plane &&
		(s->match == MRC_RESOLVE_PLANE || ev == s->flow->ev));
}

static void mrc_resolve_set_flow(struct mrc_resolve_search *s,
				 const struct mrc_ev_entry *entry, bool srv6)
{
	s->flow->plane = entry->plane;
	s->flow->ev = entry->value;
	s->flow->sid = srv6 ? s->sid : NULL;
}

static bool mrc_resolve_one_explicit(struct mrc_resolve_search *s,
				     struct mrc_explicit *ex)
{
	struct mrc_explicit_path path;
	bool denied;
	u16 i;

	mrc_resolve_init_deny(s->flow->dgid, NULL, true, &s->deny);
	for (i = 0; i < MRC_EV_MAX; i++) {
		if (!mrc_explicit_path_get(ex, (s->nth + i) % MRC_EV_MAX,
					   &path) ||
		    !mrc_resolve_matches(s, path.entry.value, path.entry.plane))
			continue;
		spin_lock_bh(&s->pm->lock);
		denied = mrc_resolve_denied(s->pm, &s->deny, &path.entry,
					    &path.sid);
		spin_unlock_bh(&s->pm->lock);
		if (denied)
			continue;
		*s->sid = path.sid;
		mrc_resolve_set_flow(s, &path.entry, true);
		return true;
	}
	return false;
}

static bool mrc_resolve_one_profile(struct mrc_resolve_search *s,
				    const struct mrc_resolve_dest *dest)
{
	const struct mrc_evprofile_ev *ev;
	struct mrc_ev_entry entry;
	u16 i, at;

	if (dest->p->cfg.mode == MRC_PROFILE_AUTO)
		return false;
	mrc_resolve_init_deny(s->flow->dgid, dest->srv6.tmpl, dest->srv6.tmpl,
			      &s->deny);
	for (i = 0; i < dest->p->cfg.count; i++) {
		at = (s->nth + i) % dest->p->cfg.count;
		ev = &dest->p->evs[at];
		if (ev->denied ||
		    !mrc_resolve_matches(s, ev->value, ev->ev.plane))
			continue;
		mrc_resolve_path(dest, at, &entry, s->sid);
		if (mrc_resolve_denied(s->pm, &s->deny, &entry, s->sid))
			continue;
		mrc_resolve_set_flow(s, &entry, dest->srv6.tmpl);
		return true;
	}
	return false;
}

static bool mrc_resolve_search(struct mrc_resolve_search *s,
			       struct mrc_explicit *ex)
{
	struct mrc_pm *pm = s->pm;
	struct mrc_resolve_dest dest;
	bool found = false;

	if (ex)
		return mrc_resolve_one_explicit(s, ex);
	spin_lock_bh(&pm->lock);
	if (mrc_resolve_find(pm, s->flow->dgid, s->flow->v4, &dest))
		found = mrc_resolve_one_profile(s, &dest);
	spin_unlock_bh(&pm->lock);
	return found;
}

/**
 * mrc_resolve_one() - select one configured path to a peer
 * @pm: path manager
 * @flow: addresses, and plane and entropy value to be matched; plane, entropy
 *	value and outer destination are set to those of the path
 * @sid: buffer for the outer destination
 * @match: how well the path should match; if no path does, a weaker match is
 *	accepted
 * @nth: index at which the search begins
 *
 * For packets that do not belong to a connection.
 *
 * Context: process or softirq.
 * Return: true if a usable path was found; otherwise @flow is unchanged.
 */
bool mrc_resolve_one(struct mrc_pm *pm, struct mrc_flow *flow,
		     struct mrc_sid *sid, enum mrc_resolve_match match, u16 nth)
{
	struct mrc_explicit *ex = NULL;
	struct mrc_resolve_search search = {
		.pm = pm,
		.up = pm->ops->ports_up(pm),
		.flow = flow,
		.sid = sid,
		.match = match,
		.nth = nth,
	};
	bool found = false;

	if (!flow->v4)
		ex = mrc_explicit_get(pm, flow->dgid);
	for (; search.match < MRC_RESOLVE_MATCHES && !found; search.match++)
		found = mrc_resolve_search(&search, ex);
	mrc_explicit_put(ex);
	return found;
}
