// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV profiles: create, change, edit and delete (control API).
 *
 * A change is prepared in a copy, checked, and committed under the path
 * manager's lock, which look-ups hold; the old EVs are freed after that.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "compat/extack.h"
#include "path/dest.h"
#include "path/evformat.h"
#include "path/evprofile.h"
#include "path/pm.h"

/**
 * struct mrc_evprofile_next - prepared change of a profile
 * @cfg: as in &struct mrc_evprofile
 * @fmt: likewise
 * @packet: likewise
 * @evs: likewise
 * @events: likewise
 * @life: enum mrc_life
 */
struct mrc_evprofile_next {
	struct mrc_profile cfg;
	struct mrc_evformat *fmt;
	u32 packet;
	struct mrc_evprofile_ev *evs;
	u8 events;
	u8 life;
};

/**
 * mrc_evprofile_free_evs() - free the EVs of a profile
 * @obj: profile without users
 */
void mrc_evprofile_free_evs(struct mrc_object *obj)
{
	kvfree(mrc_evprofile_of(obj)->evs);
}

static u32 mrc_evprofile_ports(const struct mrc_pm *pm)
{
	return GENMASK(pm->n_ports - 1, 0);
}

static const struct mrc_format *mrc_next_fmt(const struct mrc_evprofile_next *n)
{
	return n->fmt ? &n->fmt->fmt : NULL;
}

static int mrc_evprofile_merge_format(struct mrc_pm *pm,
				      const struct mrc_evprofile_change *change,
				      struct mrc_evprofile_next *next,
				      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;

	if (!change->format)
		return 0;
	obj = mrc_object_get(pm, MRC_OBJECT_FORMAT, change->format, extack);
	if (!obj)
		return -ENOENT;
	if (obj->life != MRC_LIFE_ONLINE) {
		NL_SET_ERR_MSG_FMT(extack,
				   "format %s is %s: bring it online first",
				   obj->name, mrc_life_name(obj->life));
		return -EINVAL;
	}
	next->fmt = container_of(obj, struct mrc_evformat, obj);
	return 0;
}

static void mrc_evprofile_merge(const struct mrc_evprofile_change *change,
				struct mrc_evprofile_next *next)
{
	const struct mrc_profile *from = &change->cfg;

	if (change->has_mode)
		next->cfg.mode = from->mode;
	if (change->has_count)
		next->cfg.count = from->count;
	if (change->has_active)
		next->cfg.active = from->active;
	if (change->has_min_active)
		next->cfg.min_active = from->min_active;
	if (change->has_seed)
		next->cfg.seed = from->seed;
	if (change->has_packet)
		next->packet = change->packet;
	if (change->has_events)
		next->events = change->events;
	if (change->has_life)
		next->life = change->life;
	if (!change->has_fields)
		return;
	next->cfg.n_fields = from->n_fields;
	memcpy(next->cfg.field, from->field, sizeof(from->field));
}

static void mrc_evprofile_put(const struct mrc_evprofile_next *next, u16 i,
			      const struct mrc_profile_ev *ev)
{
	const struct mrc_format *fmt = mrc_next_fmt(next);
	struct mrc_evprofile_ev *slot = &next->evs[i];

	slot->ev = *ev;
	slot->value = mrc_profile_value(&next->cfg, fmt, i, ev);
	mrc_profile_expand(&next->cfg, fmt, &ev->bits, &slot->out);
	slot->set = true;
}

/* Keep the EVs of an EXPLICIT profile up to the new count. */
static int mrc_evprofile_keep(const struct mrc_pm *pm,
			      const struct mrc_evprofile *p,
			      const struct mrc_evprofile_next *next,
			      struct mrc_refusal *why)
{
	u16 i, n = min(p->cfg.count, next->cfg.count);
	int ret;

	for (i = 0; p->evs && i < n; i++) {
		if (!p->evs[i].set)
			continue;
		ret = mrc_profile_check_ev(&next->cfg, &p->evs[i].ev,
					   mrc_evprofile_ports(pm), why);
		if (ret)
			return ret;
		mrc_evprofile_put(next, i, &p->evs[i].ev);
		next->evs[i].denied = p->evs[i].denied;
	}
	return 0;
}

static int mrc_evprofile_complete(const struct mrc_evprofile_next *next,
				  struct mrc_refusal *why)
{
	u16 i;

	for (i = 0; i < next->cfg.count; i++) {
		if (!next->evs[i].set)
			return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
					  "EV %u of %u is not set", i,
					  next->cfg.count);
	}
	return 0;
}

static int mrc_evprofile_fill(const struct mrc_pm *pm,
			      const struct mrc_evprofile *p,
			      struct mrc_evprofile_next *next,
			      struct mrc_refusal *why)
{
	u32 ports = mrc_evprofile_ports(pm);
	struct mrc_profile_ev ev;
	u16 i;
	int ret;

	if (next->cfg.mode == MRC_PROFILE_EXPLICIT) {
		ret = mrc_evprofile_keep(pm, p, next, why);
		if (!ret && next->life == MRC_LIFE_ONLINE)
			ret = mrc_evprofile_complete(next, why);
		return ret;
	}
	for (i = 0; i < next->cfg.count; i++) {
		mrc_profile_generate(&next->cfg, &next->fmt->fmt, ports, i,
				     &ev);
		mrc_evprofile_put(next, i, &ev);
		if (p->evs && i < p->cfg.count)
			next->evs[i].denied = p->evs[i].denied;
	}
	return 0;
}

static int mrc_evprofile_check_mtu(const struct mrc_pm *pm,
				   const struct mrc_evprofile_next *next,
				   struct mrc_refusal *why)
{
	if (next->life != MRC_LIFE_ONLINE)
		return 0;
	return pm->ops->check_ports(pm, next->packet, why);
}

/* Check a change as far as it concerns the profile alone, and make its EVs. */
static int mrc_evprofile_prepare(const struct mrc_pm *pm,
				 const struct mrc_evprofile *p,
				 struct mrc_evprofile_next *next,
				 struct netlink_ext_ack *extack)
{
	const struct mrc_format *fmt = mrc_next_fmt(next);
	struct mrc_refusal why;
	int ret;

	ret = mrc_life_check(p->obj.life, next->life, p->obj.users, &why);
	if (ret || !mrc_life_needs_check(next->life))
		return mrc_object_refused(ret, &why, extack);
	ret = mrc_profile_check(&next->cfg, fmt, mrc_evprofile_ports(pm),
				&why) ?:
	      mrc_evprofile_check_mtu(pm, next, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	if (next->cfg.mode == MRC_PROFILE_AUTO)
		return 0;
	next->evs = kvcalloc(next->cfg.count, sizeof(*next->evs),
			     GFP_KERNEL_ACCOUNT);
	if (!next->evs)
		return -ENOMEM;
	ret = mrc_evprofile_fill(pm, p, next, &why);
	return mrc_object_refused(ret, &why, extack);
}

/* All destinations of the profile must be able to use the new paths. */
static int mrc_evprofile_check_users(struct mrc_pm *pm,
				     const struct mrc_evprofile *p,
				     const struct mrc_evprofile_next *next,
				     struct netlink_ext_ack *extack)
{
	struct mrc_dest_paths paths = {
		.evs = next->evs,
		.n = next->cfg.count,
		.packet = next->packet,
	};

	return mrc_dest_check_profile(pm, p, &paths, extack);
}

static void mrc_evprofile_commit(struct mrc_pm *pm, struct mrc_evprofile *p,
				 struct mrc_evprofile_next *next)
{
	if (p->fmt)
		p->fmt->obj.users--;
	if (next->fmt)
		next->fmt->obj.users++;
	p->fmt = next->fmt;
	p->packet = next->packet;
	p->obj.life = next->life;
	spin_lock_bh(&pm->lock);
	swap(p->evs, next->evs);
	p->cfg = next->cfg;
	p->events = next->events;
	p->srv6 = p->fmt && mrc_format_is_srv6(&p->fmt->fmt);
	p->width = p->fmt ? mrc_format_width(&p->fmt->fmt) : 0;
	spin_unlock_bh(&pm->lock);
}

static int mrc_evprofile_apply(struct mrc_pm *pm, struct mrc_evprofile *p,
			       const struct mrc_evprofile_change *change,
			       struct netlink_ext_ack *extack)
{
	struct mrc_evprofile_next next = {
		.cfg = p->cfg, .fmt = p->fmt, .packet = p->packet,
		.events = p->events, .life = p->obj.life,
	};
	int ret;

	if (p->obj.life == MRC_LIFE_ONLINE &&
	    (change->has_mode || change->format)) {
		NL_SET_ERR_MSG_FMT(extack,
				   "profile %s is online: take it offline first",
				   p->obj.name);
		return -EBUSY;
	}
	ret = mrc_evprofile_merge_format(pm, change, &next, extack);
	if (ret)
		return ret;
	mrc_evprofile_merge(change, &next);
	ret = mrc_evprofile_prepare(pm, p, &next, extack);
	if (!ret && p->obj.users)
		ret = mrc_evprofile_check_users(pm, p, &next, extack);
	if (!ret)
		mrc_evprofile_commit(pm, p, &next);
	kvfree(next.evs);
	return ret;
}

/**
 * mrc_evprofile_add() - create a profile
 * @pm: path manager
 * @name: its name
 * @change: attributes
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -ENOENT, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_evprofile_add(struct mrc_pm *pm, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret;

	mutex_lock(&pm->mutex);
	obj = mrc_object_new(pm, MRC_OBJECT_PROFILE,
			     sizeof(struct mrc_evprofile), name, extack);
	ret = PTR_ERR_OR_ZERO(obj);
	if (!ret) {
		mrc_evprofile_of(obj)->cfg.seed = get_random_u64();
		mrc_evprofile_of(obj)->events = MRC_EVPROFILE_EVENTS;
		ret = mrc_evprofile_apply(pm, mrc_evprofile_of(obj), change,
					  extack);
		if (ret)
			kfree(obj);
		else
			mrc_object_add(pm, MRC_OBJECT_PROFILE, obj);
	}
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_evprofile_set() - change a profile
 * @pm: path manager
 * @name: its name
 * @change: attributes to be changed
 * @extack: set to the reason on error
 *
 * All attributes of a profile that is online may be changed, except mode and
 * format.  When the function returns, connections use the new paths.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -EBUSY, -E2BIG, -EINVAL or -ENOMEM; on error nothing has
 * changed.
 */
int mrc_evprofile_set(struct mrc_pm *pm, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_PROFILE, name, extack);
	if (obj)
		ret = mrc_evprofile_apply(pm, mrc_evprofile_of(obj), change,
					  extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

static bool mrc_evprofile_has(const struct mrc_evprofile *p, u32 except,
			      const struct mrc_profile_ev *ev)
{
	u16 i;

	for (i = 0; i < p->cfg.count; i++) {
		if (i != except && p->evs[i].set &&
		    !memcmp(&p->evs[i].ev.bits, &ev->bits, sizeof(ev->bits)) &&
		    p->evs[i].ev.plane == ev->plane)
			return true;
	}
	return false;
}

static int mrc_evprofile_check_edit(struct mrc_pm *pm,
				    const struct mrc_evprofile *p,
				    const struct mrc_evprofile_edit *e,
				    struct mrc_refusal *why)
{
	int ret;

	if (e->index >= p->cfg.count)
		return mrc_refuse(why, -ENOENT, MRC_NO_FIELD,
				  "EV %u of a profile of %u", e->index,
				  p->cfg.count);
	if (!e->has_ev)
		return p->evs[e->index].set ? 0 :
		       mrc_refuse(why, -ENOENT, MRC_NO_FIELD,
				  "EV %u is not set", e->index);
	if (p->cfg.mode != MRC_PROFILE_EXPLICIT)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "the EVs of this profile are generated");
	ret = mrc_profile_check_ev(&p->cfg, &e->ev, mrc_evprofile_ports(pm),
				   why);
	if (ret)
		return ret;
	if (mrc_evprofile_has(p, e->index, &e->ev))
		return mrc_refuse(why, -EEXIST, MRC_NO_FIELD,
				  "EV %u is in the profile already", e->index);
	return 0;
}

/* An invalid edit does not prevent the others. */
static void mrc_evprofile_edit_one(struct mrc_pm *pm, struct mrc_evprofile *p,
				   struct mrc_evprofile_edit *e)
{
	struct mrc_evprofile_next now = {
		.cfg = p->cfg, .fmt = p->fmt, .evs = p->evs,
	};

	e->ret = mrc_evprofile_check_edit(pm, p, e, &e->why);
	if (e->ret)
		return;
	spin_lock_bh(&pm->lock);
	if (e->has_ev)
		mrc_evprofile_put(&now, e->index, &e->ev);
	if (e->has_denied)
		p->evs[e->index].denied = e->denied;
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_evprofile_edit() - replace, deny and allow EVs
 * @pm: path manager
 * @name: name of the profile
 * @edits: changes; their results are filled in
 * @n: number of edits
 * @extack: set to the reason if no edit was tried
 *
 * Each edit succeeds or fails independently (control API: partial success).
 * When the function returns, connections use the new paths.
 *
 * Context: process, may sleep.
 * Return: 0 if the edits were tried; -ENOENT; -EINVAL if the profile has no
 * EVs.
 */
int mrc_evprofile_edit(struct mrc_pm *pm, const char *name,
		       struct mrc_evprofile_edit *edits, u16 n,
		       struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret = -ENOENT;
	u16 i;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_PROFILE, name, extack);
	if (obj && !mrc_evprofile_of(obj)->evs) {
		NL_SET_ERR_MSG_FMT(extack, "profile %s has no EVs to edit",
				   name);
		ret = -EINVAL;
	} else if (obj) {
		for (i = 0; i < n; i++)
			mrc_evprofile_edit_one(pm, mrc_evprofile_of(obj),
					       &edits[i]);
		ret = 0;
	}
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

/**
 * mrc_evprofile_find() - look up a profile for a reference
 * @pm: path manager
 * @name: its name
 * @obj: set to the profile, which is online
 * @extack: set to the reason on error
 *
 * Context: @pm's mutex held.
 * Return: 0, -ENOENT or -EINVAL.
 */
int mrc_evprofile_find(struct mrc_pm *pm, const char *name,
		       struct mrc_object **obj, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&pm->mutex);
	*obj = mrc_object_get(pm, MRC_OBJECT_PROFILE, name, extack);
	if (!*obj)
		return -ENOENT;
	if ((*obj)->life == MRC_LIFE_ONLINE)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "profile %s is %s: bring it online first",
			   name, mrc_life_name((*obj)->life));
	return -EINVAL;
}

/**
 * mrc_evprofile_del() - remove a profile
 * @pm: path manager
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_evprofile_del(struct mrc_pm *pm, const char *name,
		      struct netlink_ext_ack *extack)
{
	struct mrc_evprofile *p;
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_PROFILE, name, extack);
	if (obj)
		ret = mrc_object_del(pm, MRC_OBJECT_PROFILE, obj, extack);
	if (!ret) {
		p = mrc_evprofile_of(obj);
		if (p->fmt)
			p->fmt->obj.users--;
		mrc_evprofile_free_evs(obj);
		kfree(p);
	}
	mutex_unlock(&pm->mutex);
	return ret;
}
