/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * SRv6 templates of a NIC: how outer destinations are made for all peers that
 * are reached alike.
 */
#ifndef MRC_NET_TEMPLATE_H
#define MRC_NET_TEMPLATE_H

#include "core/srv6.h"
#include "net/object.h"

/**
 * struct mrc_template - a template
 * @obj: its name, the destinations that refer to it; always online
 * @layout: as the operator gave it; under the path manager's mutex
 * @srv6: made ready; under its lock
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

int mrc_template_add(struct mrc_nic *nic, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack);
int mrc_template_set(struct mrc_nic *nic, const char *name,
		     const struct mrc_srv6_layout *layout,
		     struct netlink_ext_ack *extack);
int mrc_template_del(struct mrc_nic *nic, const char *name,
		     struct netlink_ext_ack *extack);

#endif /* MRC_NET_TEMPLATE_H */
