/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mrc.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_MRC_GEN_H
#define _LINUX_MRC_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/mrc.h>

/* Common nested types */
extern const struct nla_policy mrc_addr_field_nl_policy[MRC_A_ADDR_FIELD_VALUE + 1];
extern const struct nla_policy mrc_ev_edit_nl_policy[MRC_A_EV_DENIED + 1];
extern const struct nla_policy mrc_ev_field_nl_policy[MRC_A_EV_FIELD_MASK + 1];
extern const struct nla_policy mrc_port_add_nl_policy[MRC_A_PORT_IFINDEX + 1];
extern const struct nla_policy mrc_port_set_nl_policy[MRC_A_PORT_USID_LEN + 1];
extern const struct nla_policy mrc_probe_select_nl_policy[MRC_A_PROBE_PATH_PORT + 1];
extern const struct nla_policy mrc_probe_target_nl_policy[MRC_A_PROBE_PATH_FORMAT + 1];

int mrc_nl_ns_admin_pre_doit(const struct genl_split_ops *ops,
			     struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dev_get_start(struct netlink_callback *cb);
int mrc_nl_qp_get_start(struct netlink_callback *cb);

int mrc_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dev_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_path_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_path_flush_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_qp_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_format_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_format_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_format_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_format_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_template_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int mrc_nl_template_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_template_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_template_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_profile_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_ev_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_dest_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dest_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_dest_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_deny_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_deny_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_deny_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_cc_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_probe_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	MRC_NLGRP_PORTS,
	MRC_NLGRP_QPS,
	MRC_NLGRP_PATHS,
};

extern struct genl_family mrc_nl_family;

#endif /* _LINUX_MRC_GEN_H */
