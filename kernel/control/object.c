// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Named objects: names and dumps.
 */
#include <linux/ctype.h>
#include <linux/mrc.h>

#include "control/object.h"
#include "verbs/device.h"

struct netlink_range_validation mrc_genl_u16_range = {
	.max = U16_MAX,
};

/**
 * mrc_genl_object_name() - insist on the name of an object
 * @info: request
 * @attr: attribute with the name
 * @what: kind of object, for people
 *
 * Names are words on a command line and in files.
 *
 * Return: 0, or -EINVAL after telling what is wrong.
 */
int mrc_genl_object_name(struct genl_info *info, int attr, const char *what)
{
	const char *c;
	int ret;

	ret = mrc_genl_require(info, attr, what);
	if (ret)
		return ret;
	c = nla_data(info->attrs[attr]);
	if (!isascii(*c) || !isalpha(*c)) {
		NL_SET_ERR_MSG_FMT(info->extack, "%s: begins with a letter",
				   what);
		return -EINVAL;
	}
	for (; *c; c++) {
		if (isascii(*c) &&
		    (isalnum(*c) || *c == '_' || *c == '-' || *c == '.'))
			continue;
		NL_SET_ERR_MSG_FMT(info->extack,
				   "%s: letters, digits, '_', '-', '.'", what);
		return -EINVAL;
	}
	return 0;
}

/**
 * mrc_genl_object_dump() - dump the objects of a device
 * @d: dump
 * @dev: device
 * @kind: of the objects
 * @name_attr: attribute that picks one by name
 * @put: writes one, returns -EMSGSIZE if there is no room; the path manager's
 *	mutex is held
 *
 * Return: 0, or what @put has returned.
 */
int mrc_genl_object_dump(struct mrc_genl_dump *d, struct mrc_device *dev,
			 enum mrc_object_kind kind, int name_attr,
			 int (*put)(struct mrc_genl_dump *d,
				    struct mrc_device *dev,
				    const struct mrc_object *obj))
{
	const struct nlattr *name = d->tb[name_attr];
	struct mrc_pm *pm = dev->nic->pm;
	const struct mrc_object *obj;
	int ret = 0;

	mutex_lock(&pm->mutex);
	for (obj = mrc_object_next(pm, kind, d->pos->id); obj;
	     obj = mrc_object_next(pm, kind, d->pos->id)) {
		if (!name || !nla_strcmp(name, obj->name))
			ret = put(d, dev, obj);
		if (ret)
			break;
		d->pos->id = obj->id;
		d->pos->slot = 0;
	}
	mutex_unlock(&pm->mutex);
	return ret;
}
