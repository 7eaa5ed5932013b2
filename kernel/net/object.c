// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Named objects of the path manager.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/extack.h"
#include "net/evprofile.h"
#include "net/nic.h"
#include "net/object.h"

static const char * const mrc_object_kinds[MRC_OBJECT_KINDS] = {
	[MRC_OBJECT_FORMAT]	= "format",
	[MRC_OBJECT_TEMPLATE]	= "template",
	[MRC_OBJECT_PROFILE]	= "profile",
	[MRC_OBJECT_CC]		= "cc",
};

/**
 * mrc_pm_init() - give a NIC its path manager
 * @nic: NIC
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_pm_init(struct mrc_nic *nic)
{
	struct mrc_lpm_slot *slots;
	struct mrc_pm *pm;
	int i;

	pm = kvzalloc(sizeof(*pm), GFP_KERNEL);
	slots = kvcalloc(MRC_LPM_SIZE_MIN, sizeof(*slots), GFP_KERNEL);
	if (!pm || !slots) {
		kvfree(slots);
		kvfree(pm);
		return -ENOMEM;
	}
	mutex_init(&pm->mutex);
	spin_lock_init(&pm->lock);
	for (i = 0; i < MRC_OBJECT_KINDS; i++)
		INIT_LIST_HEAD(&pm->objects[i]);
	mrc_lpm_init(&pm->dests, slots, MRC_LPM_SIZE_MIN);
	pm->dests_gen = 1;
	nic->pm = pm;
	return 0;
}

/**
 * mrc_pm_exit() - undo mrc_pm_init()
 * @nic: NIC without connections
 *
 * Context: nobody else uses the NIC any more.
 */
void mrc_pm_exit(struct mrc_nic *nic)
{
	struct mrc_pm *pm = nic->pm;
	struct mrc_object *obj, *next;
	int i;

	list_for_each_entry(obj, &pm->objects[MRC_OBJECT_PROFILE], node)
		mrc_evprofile_free_evs(obj);
	for (i = 0; i < MRC_OBJECT_KINDS; i++) {
		list_for_each_entry_safe(obj, next, &pm->objects[i], node)
			kfree(obj);
	}
	kvfree(pm->dests.slot);
	kvfree(pm);
}

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
 * mrc_object_get() - look for an object that should be there
 * @pm: path manager
 * @kind: its kind
 * @name: its name
 * @extack: told if it is not there
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

	for (i = 0; i < MRC_OBJECT_MAX; i++) {
		if (!pm->at[kind][i])
			return i + 1;
	}
	return 0;
}

/**
 * mrc_object_new() - make an object
 * @pm: path manager
 * @kind: its kind
 * @size: bytes, with &struct mrc_object
 * @name: its name
 * @extack: where to say why not
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
	obj = kzalloc(size, GFP_KERNEL);
	if (!obj)
		return ERR_PTR(-ENOMEM);
	strscpy(obj->name, name, sizeof(obj->name));
	return obj;
}

/**
 * mrc_object_add() - let an object be found
 * @pm: path manager
 * @kind: its kind
 * @obj: object of mrc_object_new()
 *
 * Context: @pm's mutex held.
 */
void mrc_object_add(struct mrc_pm *pm, enum mrc_object_kind kind,
		    struct mrc_object *obj)
{
	obj->id = ++pm->next_id;
	obj->index = mrc_object_index(pm, kind);
	list_add_tail(&obj->node, &pm->objects[kind]);
	spin_lock_bh(&pm->lock);
	pm->at[kind][obj->index - 1] = obj;
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_object_del() - take an object away
 * @pm: path manager
 * @kind: its kind
 * @obj: object
 * @extack: where to say why not
 *
 * Context: @pm's mutex held.
 * Return: 0, then the caller frees it; -EBUSY if something refers to it.
 */
int mrc_object_del(struct mrc_pm *pm, enum mrc_object_kind kind,
		   struct mrc_object *obj, struct netlink_ext_ack *extack)
{
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
 * mrc_object_remove() - remove an object that nothing refers to
 * @pm: path manager
 * @kind: its kind; no EV profile, which refers to other things itself
 * @name: its name
 * @extack: where to say why not
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
 * mrc_object_next() - the first object behind another
 * @pm: path manager
 * @kind: its kind
 * @id: the other; 0: the first of all
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
 * mrc_object_refused() - pass on why the core refused something
 * @err: what it returned
 * @why: what it said
 * @extack: to whom
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
