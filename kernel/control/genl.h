/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generic netlink family "mrc": what its commands share.  For the numbers see
 * <linux/mrc.h>.
 */
#ifndef MRC_CONTROL_GENL_H
#define MRC_CONTROL_GENL_H

#include <linux/in6.h>
#include <net/genetlink.h>

#include "compat/extack.h"
#include "core/ev.h"

struct mrc_device;
struct mrc_nic;
struct mrc_sid;

extern struct genl_family mrc_genl_family;
extern const struct nla_policy mrc_genl_dev_policy[];
extern const struct nla_policy mrc_genl_port_set_policy[];
extern const struct nla_policy mrc_genl_path_policy[];
extern const struct nla_policy mrc_genl_path_get_policy[];
extern const struct nla_policy mrc_genl_qp_policy[];
extern const struct nla_policy mrc_genl_cc_policy[];
extern const struct nla_policy mrc_genl_format_policy[];
extern const struct nla_policy mrc_genl_template_policy[];
extern const struct nla_policy mrc_genl_profile_policy[];
extern const struct nla_policy mrc_genl_profile_get_policy[];
extern const struct nla_policy mrc_genl_profile_ev_policy[];
extern const struct nla_policy mrc_genl_dest_policy[];
extern const struct nla_policy mrc_genl_deny_policy[];
extern const struct nla_policy mrc_genl_probe_policy[];

/**
 * struct mrc_genl_pos - where an interrupted dump goes on; in &netlink_callback
 * @dev: devices that have been told
 * @phase: kind of paths that is being told
 * @qpn: QP to begin with, if it still exists
 * @id: object that was told last, or slot of the table of destinations
 * @slot: first path of the destination or QP, first EV of the profile, first
 *	rule that has not been told
 * @begun: @gid is valid
 * @gid: destination that was told last, at least in part
 */
struct mrc_genl_pos {
	u32 dev;
	u8 phase;
	u32 qpn;
	u32 id;
	u16 slot;
	bool begun;
	struct in6_addr gid;
};

/**
 * struct mrc_genl_dump - one call of a dump
 * @skb: message under construction
 * @cb: state of the dump
 * @tb: attributes of the request
 * @pos: where to go on, in @cb
 * @i: number of the device that is being looked at
 */
struct mrc_genl_dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct nlattr **tb;
	struct mrc_genl_pos *pos;
	u32 i;
};

struct mrc_device *mrc_genl_device(struct genl_info *info, int attr);
int mrc_genl_require(struct genl_info *info, int attr, const char *what);
int mrc_genl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		  int maxattr, const struct nla_policy *policy, int dev_attr,
		  int (*fn)(struct mrc_device *dev, struct mrc_genl_dump *d));
void *mrc_genl_dump_begin(struct mrc_genl_dump *d, u8 cmd);
u32 mrc_genl_port_state(const struct mrc_nic *nic, u8 port);
u32 mrc_genl_ev_state(u8 state);
u32 mrc_genl_path_state(const struct mrc_ev_set *evs, u16 i);
int mrc_genl_put_sid(struct sk_buff *skb, const struct mrc_sid *sid, int dst,
		     int srh);
int mrc_genl_put_ev_stats(struct sk_buff *skb, const struct mrc_ev_stats *s);

/* Commands. */
int mrc_genl_dev_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dev_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dev_get_start(struct netlink_callback *cb);
int mrc_genl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_path_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_path_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_path_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_path_flush_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_cc_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_cc_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_cc_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_cc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_format_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_format_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_format_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_format_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int mrc_genl_template_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_template_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_template_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_template_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int mrc_genl_profile_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_profile_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_profile_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_profile_ev_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_profile_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int mrc_genl_dest_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dest_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dest_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_deny_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_deny_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_genl_deny_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_genl_probe_doit(struct sk_buff *skb, struct genl_info *info);

/* Events. */
void mrc_genl_events(struct mrc_nic *nic);

int mrc_genl_init(void);
void mrc_genl_exit(void);

#endif /* MRC_CONTROL_GENL_H */
