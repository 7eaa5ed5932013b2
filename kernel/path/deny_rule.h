/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Deny rules of a device.
 */
#ifndef MRC_PATH_DENY_RULE_H
#define MRC_PATH_DENY_RULE_H

#include "core/deny.h"

struct mrc_pm;
struct netlink_ext_ack;

int mrc_deny_rule_add(struct mrc_pm *pm, const struct mrc_deny *rule,
		      struct netlink_ext_ack *extack);
int mrc_deny_rule_del(struct mrc_pm *pm, const struct mrc_deny *rule,
		      struct netlink_ext_ack *extack);

#endif /* MRC_PATH_DENY_RULE_H */
