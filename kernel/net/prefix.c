// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Table of destinations by prefix.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <net/ipv6.h>

#include "compat/extack.h"
#include "net/ccprofile.h"
#include "net/conn.h"
#include "net/encap.h"
#include "net/evformat.h"
#include "net/evprofile.h"
#include "net/nic.h"
#include "net/prefix.h"
#include "net/template.h"

/**
 * struct mrc_prefix_use - what a destination refers to
 * @p: profile
 * @t: template, or NULL
 * @cc: CC profile, or NULL
 */
struct mrc_prefix_use {
	struct mrc_evprofile *p;
	struct mrc_template *t;
	struct mrc_object *cc;
};

/* Bits of an IPv4-mapped address before the IPv4 address. */
#define MRC_PREFIX_V4 96

static void mrc_prefix_get_paths(const struct mrc_evprofile *p,
				 struct mrc_prefix_paths *paths)
{
	paths->evs = p->evs;
	paths->n = p->cfg.count;
	paths->packet = p->packet;
}

static int mrc_prefix_key(const struct in6_addr *addr, u8 len,
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

static int mrc_prefix_find_use(struct mrc_pm *pm,
			       const struct mrc_prefix *prefix,
			       struct mrc_prefix_use *use,
			       struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;

	obj = mrc_object_get(pm, MRC_OBJECT_PROFILE, prefix->profile, extack);
	if (!obj)
		return -ENOENT;
	if (obj->life != MRC_LIFE_ONLINE) {
		NL_SET_ERR_MSG_FMT(extack,
				   "profile %s is %s: bring it online first",
				   obj->name, mrc_life_name(obj->life));
		return -EINVAL;
	}
	use->p = mrc_evprofile_of(obj);
	use->t = NULL;
	if (prefix->template) {
		obj = mrc_object_get(pm, MRC_OBJECT_TEMPLATE, prefix->template,
				     extack);
		if (!obj)
			return -ENOENT;
		use->t = mrc_template_of(obj);
	}
	return mrc_ccprofile_find(pm, prefix->cc ?: "", &use->cc, extack);
}

/* Does the EV of the profile end where the template takes it to? */
static int mrc_prefix_check_bits(const struct mrc_evprofile *p,
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
static int mrc_prefix_check_sid(struct mrc_nic *nic,
				const struct mrc_srv6_dest *dest,
				const struct mrc_evprofile_ev *ev, u32 packet,
				struct mrc_refusal *why)
{
	struct mrc_sid sid;
	struct mrc_bitstr addr;
	struct mrc_flow flow = {
		.sgid = &in6addr_any, .dgid = &sid.dst, .sid = &sid,
		.plane = ev->ev.plane,
	};

	mrc_srv6_expand(dest, &ev->out, ev->ev.plane, &addr);
	mrc_sid_from_bits(&sid, &addr);
	return mrc_nic_check_route(nic, &flow, packet, why);
}

/*
 * Routes of all paths, if the profile says what they must carry; what it takes
 * when it says nothing, each network can.
 */
static int mrc_prefix_check_sids(struct mrc_nic *nic,
				 const struct mrc_srv6_dest *dest,
				 const struct mrc_prefix_paths *paths,
				 struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	int ret = 0;
	u16 i;

	for (i = 0; paths->packet && i < paths->n && !ret; i++)
		ret = mrc_prefix_check_sid(nic, dest, &paths->evs[i],
					   paths->packet, &why);
	return mrc_object_refused(ret, &why, extack);
}

/* Paths without SRv6 go to the peer itself, by each port. */
static int mrc_prefix_check_ports(struct mrc_nic *nic,
				  const struct in6_addr *addr, u8 len,
				  u32 packet, struct netlink_ext_ack *extack)
{
	struct mrc_flow flow = {
		.sgid = &in6addr_any, .dgid = addr,
		.v4 = ipv6_addr_v4mapped(addr) && len >= MRC_PREFIX_V4,
	};
	struct mrc_refusal why;
	int ret = 0;

	for (flow.plane = 1; packet && flow.plane <= nic->n_ports && !ret;
	     flow.plane++)
		ret = mrc_nic_check_route(nic, &flow, packet, &why);
	return mrc_object_refused(ret, &why, extack);
}

static int mrc_prefix_check_paths(struct mrc_nic *nic,
				  const struct mrc_srv6_dest *dest,
				  const struct mrc_prefix_paths *paths,
				  struct netlink_ext_ack *extack)
{
	const struct mrc_evprofile_ev *ev = paths->evs;
	struct mrc_refusal why;
	int ret;
	u16 i;

	for (i = 0; i < paths->n; i++, ev++) {
		ret = mrc_srv6_check_path(dest, &ev->out, ev->ev.plane, &why);
		if (ret) {
			NL_SET_ERR_MSG_FMT(extack, "EV %u: %s", i, why.text);
			return ret;
		}
	}
	return mrc_prefix_check_sids(nic, dest, paths, extack);
}

static int mrc_prefix_check_srv6(struct mrc_nic *nic,
				 const struct mrc_prefix *prefix,
				 const struct mrc_prefix_use *use,
				 struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest dest = { .number = prefix->number };
	struct mrc_prefix_paths paths;
	struct mrc_refusal why;
	int ret;

	if (ipv6_addr_v4mapped(&prefix->addr) && prefix->len >= MRC_PREFIX_V4) {
		NL_SET_ERR_MSG(extack, "dst is an IPv4 address: SRv6 paths need an IPv6 one");
		return -EINVAL;
	}
	if (!use->t) {
		NL_SET_ERR_MSG_FMT(extack, "profile %s is of SRv6: dst needs a template",
				   use->p->obj.name);
		return -EINVAL;
	}
	dest.tmpl = &use->t->srv6;
	ret = mrc_prefix_check_bits(use->p, &use->t->layout, extack);
	if (ret)
		return ret;
	ret = mrc_srv6_check_dest(&dest, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	mrc_prefix_get_paths(use->p, &paths);
	return mrc_prefix_check_paths(nic, &dest, &paths, extack);
}

static int mrc_prefix_check(struct mrc_nic *nic,
			    const struct mrc_prefix *prefix,
			    const struct mrc_prefix_use *use,
			    struct netlink_ext_ack *extack)
{
	if (use->p->srv6)
		return mrc_prefix_check_srv6(nic, prefix, use, extack);
	if (use->t) {
		NL_SET_ERR_MSG_FMT(extack, "profile %s is not of SRv6: dst cannot have a template",
				   use->p->obj.name);
		return -EINVAL;
	}
	return mrc_prefix_check_ports(nic, &prefix->addr, prefix->len,
				      use->p->packet, extack);
}

/* Whoever reads the table in parts learns that they do not fit. */
static void mrc_prefix_moved(struct mrc_pm *pm)
{
	if (!++pm->dests_gen)
		pm->dests_gen = 1;
}

/* Look-ups go on in the old table until the new one is complete. */
static int mrc_prefix_make_room(struct mrc_pm *pm,
				struct netlink_ext_ack *extack)
{
	u32 size = mrc_lpm_wants(&pm->dests);
	struct mrc_lpm_slot *slots;

	if (size != pm->dests.size) {
		slots = kvcalloc(size, sizeof(*slots), GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		mrc_lpm_copy(&pm->dests, slots, size);
		spin_lock_bh(&pm->lock);
		swap(pm->dests.slot, slots);
		pm->dests.size = size;
		spin_unlock_bh(&pm->lock);
		kvfree(slots);
		mrc_prefix_moved(pm);
	}
	if (!mrc_lpm_full(&pm->dests))
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "there are %u destinations, the most possible",
			   pm->dests.n);
	return -E2BIG;
}

static void mrc_prefix_count(struct mrc_pm *pm,
			     const struct mrc_lpm_slot *slot, int n)
{
	pm->at[MRC_OBJECT_PROFILE][slot->a - 1]->users += n;
	if (slot->b)
		pm->at[MRC_OBJECT_TEMPLATE][slot->b - 1]->users += n;
	if (slot->c)
		pm->at[MRC_OBJECT_CC][slot->c - 1]->users += n;
}

static int mrc_prefix_insert(struct mrc_nic *nic,
			     const struct mrc_lpm_key *key,
			     const struct mrc_prefix *prefix, bool replace,
			     struct netlink_ext_ack *extack)
{
	struct mrc_pm *pm = nic->pm;
	struct mrc_lpm_slot *slot;
	struct mrc_prefix_use use;
	int ret;

	slot = mrc_lpm_find(&pm->dests, key);
	if (slot && !replace) {
		NL_SET_ERR_MSG(extack, "this dst exists");
		return -EEXIST;
	}
	ret = mrc_prefix_find_use(pm, prefix, &use, extack) ?:
	      mrc_prefix_check(nic, prefix, &use, extack);
	if (!ret && !slot)
		ret = mrc_prefix_make_room(pm, extack);
	if (ret)
		return ret;

	if (slot)
		mrc_prefix_count(pm, slot, -1);
	spin_lock_bh(&pm->lock);
	if (!slot)
		slot = mrc_lpm_add(&pm->dests, key);
	slot->number = prefix->number;
	slot->a = use.p->obj.index;
	slot->b = use.t ? use.t->obj.index : 0;
	slot->c = use.cc ? use.cc->index : 0;
	spin_unlock_bh(&pm->lock);
	mrc_prefix_count(pm, slot, 1);
	return 0;
}

/**
 * mrc_prefix_add() - make a destination
 * @nic: NIC
 * @prefix: the destination
 * @replace: there may be one of this prefix, which is replaced
 * @extack: where to say why not
 *
 * When it returns, connections to it use its paths.
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -ENOENT, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_prefix_add(struct mrc_nic *nic, const struct mrc_prefix *prefix,
		   bool replace, struct netlink_ext_ack *extack)
{
	struct mrc_lpm_key key;
	int ret;

	ret = mrc_prefix_key(&prefix->addr, prefix->len, &key, extack);
	if (ret)
		return ret;
	mutex_lock(&nic->pm->mutex);
	ret = mrc_prefix_insert(nic, &key, prefix, replace, extack);
	mutex_unlock(&nic->pm->mutex);
	if (!ret)
		mrc_conn_paths_changed(nic, &key);
	return ret;
}

/**
 * mrc_prefix_del() - remove a destination
 * @nic: NIC
 * @addr: the network
 * @len: bits of it
 * @extack: where to say why not
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL or -ENOENT.
 */
int mrc_prefix_del(struct mrc_nic *nic, const struct in6_addr *addr, u8 len,
		   struct netlink_ext_ack *extack)
{
	struct mrc_pm *pm = nic->pm;
	struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;
	int ret;

	ret = mrc_prefix_key(addr, len, &key, extack);
	if (ret)
		return ret;
	mutex_lock(&pm->mutex);
	slot = mrc_lpm_find(&pm->dests, &key);
	if (slot) {
		mrc_prefix_count(pm, slot, -1);
		spin_lock_bh(&pm->lock);
		mrc_lpm_del(&pm->dests, slot);
		spin_unlock_bh(&pm->lock);
		mrc_prefix_moved(pm);
	}
	mutex_unlock(&pm->mutex);
	if (!slot) {
		NL_SET_ERR_MSG(extack, "no such dst");
		return -ENOENT;
	}
	mrc_conn_paths_changed(nic, &key);
	return 0;
}

/**
 * mrc_prefix_check_template() - may a template become another?
 * @nic: NIC
 * @t: the template
 * @layout: what it shall be
 * @srv6: the same, made ready
 * @extack: where to say why not
 *
 * The numbers of all its destinations must fit; of its paths, those of one
 * destination for each profile are tried.
 *
 * Context: path manager's mutex held, may sleep.
 * Return: 0 or -EINVAL.
 */
int mrc_prefix_check_template(struct mrc_nic *nic, const struct mrc_template *t,
			      const struct mrc_srv6_layout *layout,
			      const struct mrc_srv6 *srv6,
			      struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest dest = { .tmpl = srv6 };
	struct mrc_pm *pm = nic->pm;
	struct mrc_prefix_paths paths;
	const struct mrc_lpm_slot *slot;
	const struct mrc_evprofile *p;
	DECLARE_BITMAP(tried, MRC_OBJECT_MAX) = {};
	struct mrc_refusal why;
	u32 i;
	int ret;

	for (i = 0; i < pm->dests.size; i++) {
		cond_resched();
		slot = &pm->dests.slot[i];
		if (!slot->used || slot->b != t->obj.index)
			continue;
		dest.number = slot->number;
		ret = mrc_srv6_check_dest(&dest, &why);
		if (ret)
			return mrc_object_refused(ret, &why, extack);
		if (__test_and_set_bit(slot->a - 1, tried))
			continue;
		p = mrc_evprofile_of(pm->at[MRC_OBJECT_PROFILE][slot->a - 1]);
		mrc_prefix_get_paths(p, &paths);
		ret = mrc_prefix_check_bits(p, layout, extack) ?:
		      mrc_prefix_check_paths(nic, &dest, &paths, extack);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_prefix_check_slot(struct mrc_nic *nic,
				 const struct mrc_lpm_slot *slot,
				 const struct mrc_prefix_paths *paths,
				 struct netlink_ext_ack *extack)
{
	struct mrc_srv6_dest dest = { .number = slot->number };
	struct mrc_object *obj;
	struct in6_addr addr;

	if (slot->b) {
		obj = nic->pm->at[MRC_OBJECT_TEMPLATE][slot->b - 1];
		dest.tmpl = &mrc_template_of(obj)->srv6;
		return mrc_prefix_check_paths(nic, &dest, paths, extack);
	}
	mrc_lpm_key_write(slot, addr.s6_addr);
	return mrc_prefix_check_ports(nic, &addr, slot->len, paths->packet,
				      extack);
}

/**
 * mrc_prefix_check_profile() - may a profile become another?
 * @nic: NIC
 * @p: the profile
 * @paths: what it shall be
 * @extack: where to say why not
 *
 * Its format stays.  Of its destinations, one for each template is tried, and
 * all that have none.
 *
 * Context: path manager's mutex held, may sleep.
 * Return: 0 or -EINVAL.
 */
int mrc_prefix_check_profile(struct mrc_nic *nic, const struct mrc_evprofile *p,
			     const struct mrc_prefix_paths *paths,
			     struct netlink_ext_ack *extack)
{
	const struct mrc_lpm *dests = &nic->pm->dests;
	DECLARE_BITMAP(tried, MRC_OBJECT_MAX) = {};
	const struct mrc_lpm_slot *slot;
	int ret = 0;
	u32 i;

	for (i = 0; i < dests->size && !ret; i++) {
		cond_resched();
		slot = &dests->slot[i];
		if (!slot->used || slot->a != p->obj.index ||
		    (slot->b && __test_and_set_bit(slot->b - 1, tried)))
			continue;
		ret = mrc_prefix_check_slot(nic, slot, paths, extack);
	}
	return ret;
}
