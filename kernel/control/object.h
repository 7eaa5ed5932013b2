/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the commands on formats, templates, profiles, destinations and rules
 * share.
 */
#ifndef MRC_CONTROL_OBJECT_H
#define MRC_CONTROL_OBJECT_H

#include "control/genl.h"
#include "net/object.h"

/* Policies of attributes that occur in several sets. */
#define MRC_GENL_NAME { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 }
#define MRC_GENL_ENUM NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX)
#define MRC_GENL_U8 NLA_POLICY_MAX(NLA_U32, U8_MAX)
#define MRC_GENL_U16 NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_genl_u16_range)

/* Beyond the signed limits of a policy; older kernels do not take a constant. */
extern struct netlink_range_validation mrc_genl_u16_range;

int mrc_genl_object_name(struct genl_info *info, int attr, const char *what);
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
