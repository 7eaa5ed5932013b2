/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rules of a NIC that forbid paths.
 */
#ifndef MRC_NET_RULE_H
#define MRC_NET_RULE_H

#include "core/deny.h"

struct mrc_nic;
struct netlink_ext_ack;

int mrc_rule_add(struct mrc_nic *nic, const struct mrc_deny *rule,
		 struct netlink_ext_ack *extack);
int mrc_rule_del(struct mrc_nic *nic, const struct mrc_deny *rule,
		 struct netlink_ext_ack *extack);

#endif /* MRC_NET_RULE_H */
