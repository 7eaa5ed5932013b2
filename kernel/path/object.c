// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Named objects of the path manager.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/extack.h"
#include "path/object.h"
#include "path/pm.h"

static const char * const mrc_object_kinds[MRC_OBJECT_KINDS] = {
	[MRC_OBJECT_FORMAT]	= "format",
	[MRC_OBJECT_TEMPLATE]	= "template",
	[MRC_OBJECT_PROFILE]	= "profile",
	[MRC_OBJECT_CC]		= "cc",
};

static struct mrc_object *mrc_object_find(struct mrc_pm *pm,
					  enum mrc_object_kind kind,
					  const char *name)
{
	struct mrc_object *obj;

	lockdep_assert_held(&pm->mutex);
	list_for_each_entry(obj, &pm->objects[kind], node) {
		if (!strcmp(obj->name, name))
			return obj;
	}
	return NULL;
}

/**
 * mrc_object_get() - look up an object
 * @pm: path manager
 * @kind: its kind
 * @name: its name
 * @extack: set if there is none
 *
 * Context: @pm's mutex held.
 * Return: the object, or NULL.
 */
struct mrc_object *mrc_object_get(struct mrc_pm *pm, enum mrc_object_kind kind,
				  const char *name,
				  struct netlink_ext_ack *extack)
{
	struct mrc_object *obj = mrc_object_find(pm, kind, name);

	if (!obj)
		NL_SET_ERR_MSG_FMT(extack, "no %s %s", mrc_object_kinds[kind],
				   name);
	return obj;
}

static u16 mrc_object_index(struct mrc_pm *pm, enum mrc_object_kind kind)
{
	u16 i;

	lockdep_assert_held(&pm->mutex);
	for (i = 0; i < MRC_OBJECT_MAX; i++) {
		if (!pm->at[kind][i])
			return i + 1;
	}
	return 0;
}

/**
 * mrc_object_new() - create an object
 * @pm: path manager
 * @kind: its kind
 * @size: bytes, &struct mrc_object included
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: @pm's mutex held.
 * Return: the object in state INIT, for mrc_object_add() or kfree(); or an
 * ERR_PTR(): -EEXIST, -E2BIG or -ENOMEM.
 */
struct mrc_object *mrc_object_new(struct mrc_pm *pm, enum mrc_object_kind kind,
				  size_t size, const char *name,
				  struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;

	if (mrc_object_find(pm, kind, name)) {
		NL_SET_ERR_MSG_FMT(extack, "%s %s exists",
				   mrc_object_kinds[kind], name);
		return ERR_PTR(-EEXIST);
	}
	if (!mrc_object_index(pm, kind)) {
		NL_SET_ERR_MSG_FMT(extack, "there are %u %ss, the most possible",
				   MRC_OBJECT_MAX, mrc_object_kinds[kind]);
		return ERR_PTR(-E2BIG);
	}
	obj = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!obj)
		return ERR_PTR(-ENOMEM);
	strscpy(obj->name, name, sizeof(obj->name));
	return obj;
}

/**
 * mrc_object_add() - make an object visible to look-ups
 * @pm: path manager
 * @kind: its kind
 * @obj: object of mrc_object_new()
 *
 * Context: @pm's mutex held.
 */
void mrc_object_add(struct mrc_pm *pm, enum mrc_object_kind kind,
		    struct mrc_object *obj)
{
	lockdep_assert_held(&pm->mutex);
	obj->id = ++pm->next_id;
	obj->index = mrc_object_index(pm, kind);
	list_add_tail(&obj->node, &pm->objects[kind]);
	spin_lock_bh(&pm->lock);
	pm->at[kind][obj->index - 1] = obj;
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_object_del() - remove an object from look-ups
 * @pm: path manager
 * @kind: its kind
 * @obj: object
 * @extack: set to the reason on error
 *
 * Context: @pm's mutex held.
 * Return: 0, then the caller frees it; -EBUSY if it has users.
 */
int mrc_object_del(struct mrc_pm *pm, enum mrc_object_kind kind,
		   struct mrc_object *obj, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&pm->mutex);
	if (obj->users) {
		NL_SET_ERR_MSG_FMT(extack, "%s %s is in use by %u",
				   mrc_object_kinds[kind], obj->name,
				   obj->users);
		return -EBUSY;
	}
	list_del(&obj->node);
	spin_lock_bh(&pm->lock);
	pm->at[kind][obj->index - 1] = NULL;
	spin_unlock_bh(&pm->lock);
	return 0;
}

/**
 * mrc_object_remove() - remove and free an object without users
 * @pm: path manager
 * @kind: its kind; not MRC_OBJECT_PROFILE, because profiles hold references
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: process, may sleep; @pm's mutex not held.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_object_remove(struct mrc_pm *pm, enum mrc_object_kind kind,
		      const char *name, struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, kind, name, extack);
	if (obj)
		ret = mrc_object_del(pm, kind, obj, extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		kfree(obj);
	return ret;
}

/**
 * mrc_object_next() - the next object of a kind
 * @pm: path manager
 * @kind: the kind
 * @id: id of the previous object; 0: the first of all
 *
 * Context: @pm's mutex held.
 * Return: the object, or NULL.
 */
struct mrc_object *mrc_object_next(struct mrc_pm *pm, enum mrc_object_kind kind,
				   u32 id)
{
	struct mrc_object *obj;

	lockdep_assert_held(&pm->mutex);
	list_for_each_entry(obj, &pm->objects[kind], node) {
		if (obj->id > id)
			return obj;
	}
	return NULL;
}

/**
 * mrc_object_name() - name of an object that may have been removed
 * @pm: path manager
 * @kind: its kind
 * @ref: the object
 * @name: set to its name
 *
 * Context: process or softirq.
 * Return: false if there is no such object any more.
 */
bool mrc_object_name(struct mrc_pm *pm, enum mrc_object_kind kind,
		     const struct mrc_object_ref *ref,
		     char name[MRC_OBJECT_NAME_MAX])
{
	const struct mrc_object *obj = NULL;

	if (!ref->id)
		return false;
	spin_lock_bh(&pm->lock);
	obj = pm->at[kind][ref->index - 1];
	/* The index may belong to a later object. */
	if (obj && obj->id != ref->id)
		obj = NULL;
	if (obj)
		strscpy(name, obj->name, MRC_OBJECT_NAME_MAX);
	spin_unlock_bh(&pm->lock);
	return obj;
}

/**
 * mrc_object_refused() - report the reason of the core to the operator
 * @err: result of the core: 0 or a negative errno
 * @why: reason, if @err is negative
 * @extack: set to @why, if @err is negative
 *
 * Return: @err.
 */
int mrc_object_refused(int err, const struct mrc_refusal *why,
		       struct netlink_ext_ack *extack)
{
	if (err)
		NL_SET_ERR_MSG_FMT(extack, "%s", why->text);
	return err;
}
