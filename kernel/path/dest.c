// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Table of destinations, by prefix.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <net/ipv6.h>

#include "compat/extack.h"
#include "path/ccprofile.h"
#include "path/dest.h"
#include "path/evformat.h"
#include "path/evprofile.h"
#include "path/flow.h"
#include "path/pm.h"
#include "path/template.h"

/**
 * struct mrc_dest_refs - objects to which a destination refers
 * @p: profile
 * @t: template, or NULL
 * @cc: CC profile, or NULL
 */
struct mrc_dest_refs {
	struct mrc_evprofile *p;
	struct mrc_template *t;
	struct mrc_object *cc;
};

/* Bits of an IPv4-mapped address before the IPv4 address. */
#define MRC_DEST_V4 96

static void mrc_dest_get_paths(const struct mrc_evprofile *p,
			       struct mrc_dest_paths *paths)
{
	paths->evs = p->evs;
	paths->n = p->cfg.count;
	paths->packet = p->packet;
}

static int mrc_dest_key(const struct in6_addr *addr, u8 len,
			struct mrc_lpm_key *key,
			struct netlink_ext_ack *extack)
{
	if (len > MRC_LPM_BITS) {
		NL_SET_ERR_MSG_FMT(extack, "prefix length %u is above %u", len,
				   MRC_LPM_BITS);
		return -EINVAL;
	}
	if (!mrc_lpm_key_init(key, addr->s6_addr, len)) {
		NL_SET_ERR_MSG_FMT(extack, "dst has bits behind its first %u",
				   len);
		return -EINVAL;
	}
	return 0;
}

static int mrc_dest_find_refs(struct mrc_pm *pm,
			      const struct mrc_dest *dest,
			      struct mrc_dest_refs *refs,
			      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret;

	ret = mrc_evprofile_find(pm, dest->profile, &obj, extack);
	if (ret)
		return ret;
	refs->p = mrc_evprofile_of(obj);
	refs->t = NULL;
	if (dest->template) {
		obj = mrc_object_get(pm, MRC_OBJECT_TEMPLATE, dest->template,
				     extack);
		if (!obj)
			return -ENOENT;
		refs->t = mrc_template_of(obj);
	}
	return mrc_ccprofile_find(pm, dest->cc ?: "", &refs->cc, extack);
}

/* Profile and template must agree on the width of the EV. */
static int mrc_dest_check_bits(const struct mrc_evprofile *p,
			       const struct mrc_srv6_layout *layout,
			       struct netlink_ext_ack *extack)
{
	u16 bits = mrc_format_width(&p->fmt->fmt);

	if (layout->ev_bits == bits)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "profile %s makes EVs of %u bits, the template takes %u",
			   p->obj.name, bits, layout->ev_bits);
	return -EINVAL;
}

/* The route of one SRv6 path. */
static int mrc_dest_check_sid(struct mrc_pm *pm,
			      const struct mrc_srv6_dest *sdest,
			      const struct mrc_evprofile_ev *ev, u32 packet,
			      struct mrc_refusal *why)
{
	struct mrc_sid sid;
	struct mrc_bitstr addr;
	struct mrc_flow flow = {
		.sgid = &in6addr_any, .dgid = &sid.dst, .sid = &sid,
		.plane = ev->ev.plane,
	};

	mrc_srv6_expand(sdest, &ev->out, ev->ev.plane, &addr);
	mrc_sid_from_bits(&sid, &addr);
	return pm->ops->check_route(pm, &flow, packet, why);
}

/*
 * Routes of all paths, if the profile has a packet size.  The size that is used
 * without one is supported by every network.
 */
static int mrc_dest_check_sids(struct mrc_pm *pm,
			       const struct mrc_srv6_dest *sdest,
			       const struct mrc_dest_paths *paths,
			       struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	int ret = 0;
	u16 i;

	for (i = 0; paths->packet && i < paths->n && !ret; i++)
		ret = mrc_dest_check_sid(pm, sdest, &paths->evs[i],
					 paths->packet, &why);
	return mrc_object_refused(ret, &why, extack);
}

/*
 * The outer destination of paths without SRv6 is the peer, through each port.
 */
static int mrc_dest_check_ports(struct mrc_pm *pm,
				const struct in6_addr *addr, u8 len,
				u32 packet, struct netlink_ext_ack *extack)
{
	struct mrc_flow flow = {
		.sgid = &in6addr_any, .dgid = addr,
		.v4 = ipv6_addr_v4mapped(addr) && len >= MRC_DEST_V4,
	};
	struct mrc_refusal why;
	int ret = 0;

	for (flow.plane = 1; packet && flow.plane <= pm->n_ports && !ret;
	     flow.plane++)
		ret = pm->ops->check_route(pm, &flow, packet, &why);
	return mrc_object_refused(ret, &why, extack);
}

static int mrc_dest_check_paths(struct mrc_pm *pm,
				const struct mrc_srv6_dest *sdest,
				const struct mrc_dest_paths *paths,
				struct netlink_ext_ack *extack)
{
	const struct mrc_evprofile_ev *ev = paths->evs;
	struct mrc_refusal why;
	int ret;
	u16 i;

	for (i = 0; i < paths->n; i++, ev++) {
		ret = mrc_srv6_check_path(sdest, &ev->out, ev->ev.plane, &why);
		if (ret) {
			NL_SET_ERR_MSG_FMT(extack, "EV %u: %s", i, why.text);
			return ret;
		}
	}
	return mrc_dest_check_sids(pm, sdest, paths, extack);
}

static int mrc_dest_check_srv6(struct mrc_pm *pm,
			       const struct mrc_dest *dest,
			       const struct mrc_dest_refs *refs,
			       struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest sdest = { .number = dest->number };
	struct mrc_dest_paths paths;
	struct mrc_refusal why;
	int ret;

	if (ipv6_addr_v4mapped(&dest->addr) && dest->len >= MRC_DEST_V4) {
		NL_SET_ERR_MSG(extack, "dst is an IPv4 address: SRv6 paths need an IPv6 one");
		return -EINVAL;
	}
	if (!refs->t) {
		NL_SET_ERR_MSG_FMT(extack, "profile %s is of SRv6: dst needs a template",
				   refs->p->obj.name);
		return -EINVAL;
	}
	sdest.tmpl = &refs->t->srv6;
	ret = mrc_dest_check_bits(refs->p, &refs->t->layout, extack);
	if (ret)
		return ret;
	ret = mrc_srv6_check_dest(&sdest, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	mrc_dest_get_paths(refs->p, &paths);
	return mrc_dest_check_paths(pm, &sdest, &paths, extack);
}

static int mrc_dest_check(struct mrc_pm *pm,
			  const struct mrc_dest *dest,
			  const struct mrc_dest_refs *refs,
			  struct netlink_ext_ack *extack)
{
	if (refs->p->srv6)
		return mrc_dest_check_srv6(pm, dest, refs, extack);
	if (refs->t) {
		NL_SET_ERR_MSG_FMT(extack, "profile %s is not of SRv6: dst cannot have a template",
				   refs->p->obj.name);
		return -EINVAL;
	}
	return mrc_dest_check_ports(pm, &dest->addr, dest->len,
				    refs->p->packet, extack);
}

/* A dump that reads the table in parts detects that entries have moved. */
static void mrc_dest_new_gen(struct mrc_pm *pm)
{
	if (!++pm->dests_gen)
		pm->dests_gen = 1;
}

/* Look-ups use the old table until the new one is complete. */
static int mrc_dest_grow(struct mrc_pm *pm,
			 struct netlink_ext_ack *extack)
{
	u32 size = mrc_lpm_next_size(&pm->dests);
	struct mrc_lpm_slot *slots;

	if (size != pm->dests.size) {
		slots = kvcalloc(size, sizeof(*slots), GFP_KERNEL_ACCOUNT);
		if (!slots)
			return -ENOMEM;
		mrc_lpm_copy(&pm->dests, slots, size);
		spin_lock_bh(&pm->lock);
		swap(pm->dests.slot, slots);
		pm->dests.size = size;
		spin_unlock_bh(&pm->lock);
		kvfree(slots);
		mrc_dest_new_gen(pm);
	}
	if (!mrc_lpm_full(&pm->dests))
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "there are %u destinations, the most possible",
			   pm->dests.n);
	return -E2BIG;
}

static void mrc_dest_count(struct mrc_pm *pm,
			   const struct mrc_lpm_slot *slot, int n)
{
	pm->at[MRC_OBJECT_PROFILE][slot->profile - 1]->users += n;
	if (slot->tmpl)
		pm->at[MRC_OBJECT_TEMPLATE][slot->tmpl - 1]->users += n;
	if (slot->cc)
		pm->at[MRC_OBJECT_CC][slot->cc - 1]->users += n;
}

static int mrc_dest_insert(struct mrc_pm *pm,
			   const struct mrc_lpm_key *key,
			   const struct mrc_dest *dest, bool replace,
			   struct netlink_ext_ack *extack)
{
	struct mrc_lpm_slot *slot;
	struct mrc_dest_refs refs;
	int ret;

	lockdep_assert_held(&pm->mutex);
	slot = mrc_lpm_find(&pm->dests, key);
	if (slot && !replace) {
		NL_SET_ERR_MSG(extack, "this dst exists");
		return -EEXIST;
	}
	ret = mrc_dest_find_refs(pm, dest, &refs, extack) ?:
	      mrc_dest_check(pm, dest, &refs, extack);
	if (!ret && !slot)
		ret = mrc_dest_grow(pm, extack);
	if (ret)
		return ret;

	if (slot)
		mrc_dest_count(pm, slot, -1);
	spin_lock_bh(&pm->lock);
	if (!slot)
		slot = mrc_lpm_add(&pm->dests, key);
	slot->number = dest->number;
	slot->profile = refs.p->obj.index;
	slot->tmpl = refs.t ? refs.t->obj.index : 0;
	slot->cc = refs.cc ? refs.cc->index : 0;
	spin_unlock_bh(&pm->lock);
	mrc_dest_count(pm, slot, 1);
	return 0;
}

/**
 * mrc_dest_add() - create a destination
 * @pm: path manager
 * @dest: the destination
 * @replace: replace an existing destination of this prefix
 * @extack: set to the reason on error
 *
 * When the function returns, connections to the prefix use its paths.
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -ENOENT, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_dest_add(struct mrc_pm *pm, const struct mrc_dest *dest,
		 bool replace, struct netlink_ext_ack *extack)
{
	struct mrc_lpm_key key;
	int ret;

	ret = mrc_dest_key(&dest->addr, dest->len, &key, extack);
	if (ret)
		return ret;
	mutex_lock(&pm->mutex);
	ret = mrc_dest_insert(pm, &key, dest, replace, extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, &key);
	return ret;
}

/**
 * mrc_dest_del() - remove a destination
 * @pm: path manager
 * @addr: prefix
 * @len: length of the prefix in bits
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL or -ENOENT.
 */
int mrc_dest_del(struct mrc_pm *pm, const struct in6_addr *addr, u8 len,
		 struct netlink_ext_ack *extack)
{
	struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;
	int ret;

	ret = mrc_dest_key(addr, len, &key, extack);
	if (ret)
		return ret;
	mutex_lock(&pm->mutex);
	slot = mrc_lpm_find(&pm->dests, &key);
	if (slot) {
		mrc_dest_count(pm, slot, -1);
		spin_lock_bh(&pm->lock);
		mrc_lpm_del(&pm->dests, slot);
		spin_unlock_bh(&pm->lock);
		mrc_dest_new_gen(pm);
	}
	mutex_unlock(&pm->mutex);
	if (!slot) {
		NL_SET_ERR_MSG(extack, "no such dst");
		return -ENOENT;
	}
	pm->ops->paths_changed(pm, &key);
	return 0;
}

/**
 * mrc_dest_check_template() - check a change of a template
 * @pm: path manager
 * @t: the template
 * @layout: new layout
 * @srv6: compiled @layout
 * @extack: set to the reason on error
 *
 * Checks the numbers of all destinations that refer to @t, and for each profile
 * the paths of one of them.
 *
 * Context: path manager's mutex held, may sleep.
 * Return: 0 or -EINVAL.
 */
int mrc_dest_check_template(struct mrc_pm *pm, const struct mrc_template *t,
			    const struct mrc_srv6_layout *layout,
			    const struct mrc_srv6 *srv6,
			    struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest sdest = { .tmpl = srv6 };
	struct mrc_dest_paths paths;
	const struct mrc_lpm_slot *slot;
	const struct mrc_evprofile *p;
	struct mrc_object *obj;
	DECLARE_BITMAP(tried, MRC_OBJECT_MAX) = {};
	struct mrc_refusal why;
	u32 i;
	int ret;

	lockdep_assert_held(&pm->mutex);
	for (i = 0; i < pm->dests.size; i++) {
		cond_resched();
		slot = &pm->dests.slot[i];
		if (!slot->used || slot->tmpl != t->obj.index)
			continue;
		sdest.number = slot->number;
		ret = mrc_srv6_check_dest(&sdest, &why);
		if (ret)
			return mrc_object_refused(ret, &why, extack);
		if (__test_and_set_bit(slot->profile - 1, tried))
			continue;
		obj = pm->at[MRC_OBJECT_PROFILE][slot->profile - 1];
		p = mrc_evprofile_of(obj);
		mrc_dest_get_paths(p, &paths);
		ret = mrc_dest_check_bits(p, layout, extack) ?:
		      mrc_dest_check_paths(pm, &sdest, &paths, extack);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_dest_check_slot(struct mrc_pm *pm,
			       const struct mrc_lpm_slot *slot,
			       const struct mrc_dest_paths *paths,
			       struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest sdest = { .number = slot->number };
	struct mrc_object *obj;
	struct in6_addr addr;

	if (slot->tmpl) {
		obj = pm->at[MRC_OBJECT_TEMPLATE][slot->tmpl - 1];
		sdest.tmpl = &mrc_template_of(obj)->srv6;
		return mrc_dest_check_paths(pm, &sdest, paths, extack);
	}
	mrc_lpm_key_write(slot, addr.s6_addr);
	return mrc_dest_check_ports(pm, &addr, slot->len, paths->packet,
				    extack);
}

/**
 * mrc_dest_check_profile() - check a change of a profile
 * @pm: path manager
 * @p: the profile
 * @paths: new paths
 * @extack: set to the reason on error
 *
 * The format does not change.  Checks one destination of @p for each template,
 * and all destinations without a template.
 *
 * Context: path manager's mutex held, may sleep.
 * Return: 0 or -EINVAL.
 */
int mrc_dest_check_profile(struct mrc_pm *pm, const struct mrc_evprofile *p,
			   const struct mrc_dest_paths *paths,
			   struct netlink_ext_ack *extack)
{
	const struct mrc_lpm *dests = &pm->dests;
	DECLARE_BITMAP(tried, MRC_OBJECT_MAX) = {};
	const struct mrc_lpm_slot *slot;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&pm->mutex);
	for (i = 0; i < dests->size && !ret; i++) {
		cond_resched();
		slot = &dests->slot[i];
		if (!slot->used || slot->profile != p->obj.index ||
		    (slot->tmpl && __test_and_set_bit(slot->tmpl - 1, tried)))
			continue;
		ret = mrc_dest_check_slot(pm, slot, paths, extack);
	}
	return ret;
}
