// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Initialisation and release of a path manager.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "path/evprofile.h"
#include "path/explicit.h"
#include "path/pm.h"

/**
 * mrc_pm_init() - prepare a path manager
 * @pm: path manager, zeroed
 * @ops: functions of the net layer
 * @n_ports: ports of the device, 1..MRC_PLANE_MAX
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mrc_pm_init(struct mrc_pm *pm, const struct mrc_pm_ops *ops, u8 n_ports)
{
	struct mrc_lpm_slot *slots;
	int i;

	slots = kvcalloc(MRC_LPM_SIZE_MIN, sizeof(*slots), GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	pm->ops = ops;
	pm->n_ports = n_ports;
	mutex_init(&pm->mutex);
	spin_lock_init(&pm->lock);
	for (i = 0; i < MRC_OBJECT_KINDS; i++)
		INIT_LIST_HEAD(&pm->objects[i]);
	mrc_lpm_init(&pm->dests, slots, MRC_LPM_SIZE_MIN);
	pm->dests_gen = 1;
	mrc_explicit_init(pm);
	return 0;
}

/**
 * mrc_pm_exit() - undo mrc_pm_init()
 * @pm: path manager of a device without connections
 *
 * Context: process, may sleep; @pm has no other users any more.
 */
void mrc_pm_exit(struct mrc_pm *pm)
{
	struct mrc_object *obj, *next;
	int i;

	mrc_explicit_exit(pm);
	list_for_each_entry(obj, &pm->objects[MRC_OBJECT_PROFILE], node)
		mrc_evprofile_free_evs(obj);
	for (i = 0; i < MRC_OBJECT_KINDS; i++) {
		list_for_each_entry_safe(obj, next, &pm->objects[i], node)
			kfree(obj);
	}
	kvfree(pm->dests.slot);
}
