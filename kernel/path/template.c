// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRv6 templates: create, change and delete.
 */
#include <linux/slab.h>

#include "path/dest.h"
#include "path/pm.h"
#include "path/template.h"

/**
 * mrc_template_add() - create a template
 * @pm: path manager
 * @name: its name
 * @layout: layout of its addresses, unchecked
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_template_add(struct mrc_pm *pm, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack)
{
	struct mrc_template *t;
	struct mrc_refusal why;
	struct mrc_object *obj;
	int ret;

	mutex_lock(&pm->mutex);
	obj = mrc_object_new(pm, MRC_OBJECT_TEMPLATE, sizeof(*t), name, extack);
	ret = PTR_ERR_OR_ZERO(obj);
	if (ret)
		goto out;
	t = mrc_template_of(obj);
	t->layout = *layout;
	obj->life = MRC_LIFE_ONLINE;
	ret = mrc_srv6_compile(layout, &t->srv6, &why);
	if (ret) {
		mrc_object_refused(ret, &why, extack);
		kfree(obj);
		goto out;
	}
	mrc_object_add(pm, MRC_OBJECT_TEMPLATE, obj);
out:
	mutex_unlock(&pm->mutex);
	return ret;
}

static int mrc_template_replace(struct mrc_pm *pm, struct mrc_template *t,
				const struct mrc_srv6_layout *layout,
				struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	struct mrc_srv6 srv6;
	int ret;

	ret = mrc_srv6_compile(layout, &srv6, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	ret = mrc_dest_check_template(pm, t, layout, &srv6, extack);
	if (ret)
		return ret;
	t->layout = *layout;
	spin_lock_bh(&pm->lock);
	t->srv6 = srv6;
	spin_unlock_bh(&pm->lock);
	return 0;
}

/**
 * mrc_template_set() - change a template
 * @pm: path manager
 * @name: its name
 * @layout: new layout of its addresses, unchecked
 * @extack: set to the reason on error
 *
 * When the function returns, connections use the new addresses.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -E2BIG or -EINVAL; on error nothing has changed.
 */
int mrc_template_set(struct mrc_pm *pm, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_TEMPLATE, name, extack);
	if (obj)
		ret = mrc_template_replace(pm, mrc_template_of(obj), layout,
					   extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

/**
 * mrc_template_del() - remove a template
 * @pm: path manager
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_template_del(struct mrc_pm *pm, const char *name,
		     struct netlink_ext_ack *extack)
{
	return mrc_object_remove(pm, MRC_OBJECT_TEMPLATE, name, extack);
}
