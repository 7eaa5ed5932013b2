/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * SRv6 templates of a device: layouts of outer destinations, each for many
 * peers.
 */
#ifndef MRC_PATH_TEMPLATE_H
#define MRC_PATH_TEMPLATE_H

#include "core/srv6.h"
#include "path/object.h"

/**
 * struct mrc_template - a template
 * @obj: name and references of destinations; always online
 * @layout: as configured by the operator; under the path manager's mutex
 * @srv6: compiled layout; under its lock
 */
struct mrc_template {
	struct mrc_object obj;
	struct mrc_srv6_layout layout;
	struct mrc_srv6 srv6;
};

static inline struct mrc_template *mrc_template_of(struct mrc_object *obj)
{
	return container_of(obj, struct mrc_template, obj);
}

int mrc_template_add(struct mrc_pm *pm, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack);
int mrc_template_set(struct mrc_pm *pm, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack);
int mrc_template_del(struct mrc_pm *pm, const char *name,
		     struct netlink_ext_ack *extack);

#endif /* MRC_PATH_TEMPLATE_H */
