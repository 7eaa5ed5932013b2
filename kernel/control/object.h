/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the commands on formats, templates, profiles, destinations and
 * deny rules share.
 */
#ifndef MRC_CONTROL_OBJECT_H
#define MRC_CONTROL_OBJECT_H

#include "control/genl.h"
#include "path/object.h"

int mrc_genl_object_name(struct genl_info *info, int attr, const char *what);
int mrc_genl_object_del(struct genl_info *info, int dev_attr, int name_attr,
			const char *what,
			int (*del)(struct mrc_pm *pm, const char *name,
				   struct netlink_ext_ack *extack));
int mrc_genl_object_dump(struct mrc_genl_dump *d, struct mrc_device *dev,
			 enum mrc_object_kind kind, int name_attr,
			 int (*put)(struct mrc_genl_dump *d,
				    struct mrc_device *dev,
				    const struct mrc_object *obj));

/* Numbers of the family begin with 1, those of the core with 0. */
static inline u8 mrc_genl_enum(const struct nlattr *attr)
{
	return nla_get_u32(attr) - 1;
}

#endif /* MRC_CONTROL_OBJECT_H */
