// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRv6 templates: make, change and delete.
 */
#include <linux/slab.h>

#include "net/conn.h"
#include "net/nic.h"
#include "net/prefix.h"
#include "net/template.h"

/**
 * mrc_template_add() - make a template
 * @nic: NIC
 * @name: its name
 * @layout: what addresses look like
 * @extack: where to say why not
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_template_add(struct mrc_nic *nic, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack)
{
	struct mrc_pm *pm = nic->pm;
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

static int mrc_template_replace(struct mrc_nic *nic, struct mrc_template *t,
				const struct mrc_srv6_layout *layout,
				struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	struct mrc_srv6 srv6;
	int ret;

	ret = mrc_srv6_compile(layout, &srv6, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	ret = mrc_prefix_check_template(nic, t, layout, &srv6, extack);
	if (ret)
		return ret;
	t->layout = *layout;
	spin_lock_bh(&nic->pm->lock);
	t->srv6 = srv6;
	spin_unlock_bh(&nic->pm->lock);
	return 0;
}

/**
 * mrc_template_set() - change a template
 * @nic: NIC
 * @name: its name
 * @layout: what addresses look like from now on
 * @extack: where to say why not
 *
 * When it returns, connections use the new addresses.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -E2BIG or -EINVAL; nothing has changed then.
 */
int mrc_template_set(struct mrc_nic *nic, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack)
{
	struct mrc_pm *pm = nic->pm;
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_TEMPLATE, name, extack);
	if (obj)
		ret = mrc_template_replace(nic, mrc_template_of(obj), layout,
					   extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		mrc_conn_paths_changed(nic, NULL);
	return ret;
}

/**
 * mrc_template_del() - remove a template
 * @nic: NIC
 * @name: its name
 * @extack: where to say why not
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_template_del(struct mrc_nic *nic, const char *name,
		     struct netlink_ext_ack *extack)
{
	return mrc_object_remove(nic->pm, MRC_OBJECT_TEMPLATE, name, extack);
}
