// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV formats: create, change and delete (control API).
 */
#include <linux/slab.h>

#include "compat/extack.h"
#include "path/evformat.h"
#include "path/pm.h"

static struct mrc_evformat *mrc_evformat_of(struct mrc_object *obj)
{
	return container_of(obj, struct mrc_evformat, obj);
}

static int mrc_evformat_apply(struct mrc_evformat *f,
			      const struct mrc_evformat_change *change,
			      struct netlink_ext_ack *extack)
{
	u8 life = change->has_life ? change->life : f->obj.life;
	struct mrc_format fmt = f->fmt;
	struct mrc_refusal why;
	int ret;

	if (f->obj.life == MRC_LIFE_ONLINE &&
	    (change->has_mode || change->has_fields)) {
		NL_SET_ERR_MSG_FMT(extack,
				   "format %s is online: take it offline first",
				   f->obj.name);
		return -EBUSY;
	}
	if (change->has_mode)
		fmt.mode = change->fmt.mode;
	if (change->has_fields) {
		fmt.n = change->fmt.n;
		memcpy(fmt.width, change->fmt.width, sizeof(fmt.width));
	}
	ret = mrc_life_check(f->obj.life, life, f->obj.users, &why);
	if (!ret && mrc_life_needs_check(life))
		ret = mrc_format_check(&fmt, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	f->fmt = fmt;
	f->obj.life = life;
	return 0;
}

/**
 * mrc_evformat_add() - create a format
 * @pm: path manager
 * @name: its name
 * @change: attributes
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_evformat_add(struct mrc_pm *pm, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret;

	mutex_lock(&pm->mutex);
	obj = mrc_object_new(pm, MRC_OBJECT_FORMAT, sizeof(struct mrc_evformat),
			     name, extack);
	ret = PTR_ERR_OR_ZERO(obj);
	if (!ret) {
		ret = mrc_evformat_apply(mrc_evformat_of(obj), change, extack);
		if (ret)
			kfree(obj);
		else
			mrc_object_add(pm, MRC_OBJECT_FORMAT, obj);
	}
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_evformat_set() - change a format
 * @pm: path manager
 * @name: its name
 * @change: attributes to be changed
 * @extack: set to the reason on error
 *
 * Mode and fields of a format that is online cannot be changed.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -EBUSY, -E2BIG or -EINVAL; on error nothing has changed.
 */
int mrc_evformat_set(struct mrc_pm *pm, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_FORMAT, name, extack);
	if (obj)
		ret = mrc_evformat_apply(mrc_evformat_of(obj), change, extack);
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_evformat_del() - remove a format
 * @pm: path manager
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_evformat_del(struct mrc_pm *pm, const char *name,
		     struct netlink_ext_ack *extack)
{
	return mrc_object_remove(pm, MRC_OBJECT_FORMAT, name, extack);
}
