// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Named objects: names, removal and dumps.
 */
#include <linux/ctype.h>
#include <linux/mrc.h>

#include "control/object.h"
#include "verbs/device.h"

/* The control API knows objects by number. */
static bool mrc_genl_is_number(const char *name)
{
	return *name && *name != '0' && !name[strspn(name, "0123456789")];
}

/**
 * mrc_genl_object_name() - require the name of an object
 * @info: request
 * @attr: attribute with the name
 * @what: kind of object, for messages
 *
 * Names are words on a command line and in files, or decimal numbers.
 *
 * Return: 0, or -EINVAL after reporting what is wrong.
 */
int mrc_genl_object_name(struct genl_info *info, int attr, const char *what)
{
	const char *c;
	int ret;

	ret = mrc_genl_require(info, attr, what);
	if (ret)
		return ret;
	c = nla_data(info->attrs[attr]);
	if (mrc_genl_is_number(c))
		return 0;
	if (!isascii(*c) || !isalpha(*c)) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "%s: begins with a letter, or is a number",
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
 * mrc_genl_object_del() - remove the object that a request names
 * @info: request
 * @dev_attr: attribute with the name of the device
 * @name_attr: attribute with the name of the object
 * @what: name of @name_attr, for messages
 * @del: removes it
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_object_del(struct genl_info *info, int dev_attr, int name_attr,
			const char *what,
			int (*del)(struct mrc_pm *pm, const char *name,
				   struct netlink_ext_ack *extack))
{
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, name_attr, what);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, dev_attr);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = del(&dev->nic->pm, nla_data(info->attrs[name_attr]), info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_genl_object_dump() - dump the objects of a device
 * @d: dump
 * @dev: device
 * @kind: of the objects
 * @name_attr: attribute that picks one by name
 * @put: writes one, returns -EMSGSIZE if it does not fit; the path manager's
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
	struct mrc_pm *pm = &dev->nic->pm;
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
