// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink family "mrc": table of commands, policies, dumps.
 *
 * Handlers run in parallel: each object takes care of its own locks.
 */
#include <linux/module.h>
#include <linux/mrc.h>
#include <net/netlink.h>

#include "control/genl.h"
#include "core/lpm.h"
#include "core/profile.h"
#include "core/srv6.h"
#include "net/event.h"
#include "net/object.h"
#include "net/sid.h"
#include "verbs/device.h"

/*
 * Attributes that a request may carry; all others are refused.  Tables reach to
 * the end of their set so that the end tells nothing about requests.
 */
static const struct nla_policy mrc_genl_port_policy[MRC_A_PORT_MAX + 1] = {
	[MRC_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

const struct nla_policy mrc_genl_dev_policy[MRC_A_DEV_MAX + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 },
	[MRC_A_DEV_PORT] = NLA_POLICY_NESTED(mrc_genl_port_policy),
	[MRC_A_DEV_STATS] = { .type = NLA_FLAG },
};

const struct nla_policy mrc_genl_port_set_policy[MRC_A_PORT_MAX + 1] = {
	[MRC_A_PORT_INDEX] = { .type = NLA_U32 },
	[MRC_A_PORT_ENABLED] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_PORT_USID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PORT_USID_LEN] = NLA_POLICY_MAX(NLA_U32, MRC_LPM_BITS),
};

static const struct nla_policy mrc_genl_dev_set_policy[MRC_A_DEV_MAX + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 },
	[MRC_A_DEV_PORT] = NLA_POLICY_NESTED(mrc_genl_port_set_policy),
	[MRC_A_DEV_BURST] = { .type = NLA_U32 },
	[MRC_A_DEV_CC] = { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 },
	[MRC_A_DEV_ICRC] = { .type = NLA_U32 },
};

const struct nla_policy mrc_genl_path_policy[MRC_A_PATH_MAX + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_EV] = { .type = NLA_U32 },
	[MRC_A_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PATH_SID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_SRH] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
};

const struct nla_policy mrc_genl_qp_policy[MRC_A_QP_MAX + 1] = {
	[MRC_A_QP_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_MAX - 1 },
	[MRC_A_QP_QPN] = { .type = NLA_U32 },
	[MRC_A_QP_PATHS] = { .type = NLA_FLAG },
};

static const struct genl_ops mrc_genl_ops[] = {
	{
		.cmd = MRC_CMD_DEV_GET,
		.doit = mrc_genl_dev_get_doit,
		.start = mrc_genl_dev_get_start,
		.dumpit = mrc_genl_dev_get_dumpit,
		.policy = mrc_genl_dev_policy,
		.maxattr = MRC_A_DEV_MAX,
	},
	{
		/*
		 * Names of RDMA devices are global: as for "rdma link add", a
		 * user namespace of one's own does not suffice.
		 */
		.cmd = MRC_CMD_DEV_ADD,
		.doit = mrc_genl_dev_add_doit,
		.policy = mrc_genl_dev_policy,
		.maxattr = MRC_A_DEV_MAX,
		.flags = GENL_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DEV_DEL,
		.doit = mrc_genl_dev_del_doit,
		.policy = mrc_genl_dev_policy,
		.maxattr = MRC_A_DEV_MAX,
		.flags = GENL_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DEV_SET,
		.doit = mrc_genl_dev_set_doit,
		.policy = mrc_genl_dev_set_policy,
		.maxattr = MRC_A_DEV_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PATH_GET,
		.dumpit = mrc_genl_path_get_dumpit,
		.policy = mrc_genl_path_get_policy,
		.maxattr = MRC_A_PATH_MAX,
	},
	{
		.cmd = MRC_CMD_PATH_ADD,
		.doit = mrc_genl_path_add_doit,
		.policy = mrc_genl_path_policy,
		.maxattr = MRC_A_PATH_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PATH_SET,
		.doit = mrc_genl_path_set_doit,
		.policy = mrc_genl_path_policy,
		.maxattr = MRC_A_PATH_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PATH_DEL,
		.doit = mrc_genl_path_del_doit,
		.policy = mrc_genl_path_policy,
		.maxattr = MRC_A_PATH_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PATH_FLUSH,
		.doit = mrc_genl_path_flush_doit,
		.policy = mrc_genl_path_policy,
		.maxattr = MRC_A_PATH_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		/* Sequence numbers are what a forger of packets lacks. */
		.cmd = MRC_CMD_QP_GET,
		.dumpit = mrc_genl_qp_get_dumpit,
		.policy = mrc_genl_qp_policy,
		.maxattr = MRC_A_QP_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_FORMAT_GET,
		.dumpit = mrc_genl_format_get_dumpit,
		.policy = mrc_genl_format_policy,
		.maxattr = MRC_A_FORMAT_MAX,
	},
	{
		.cmd = MRC_CMD_FORMAT_ADD,
		.doit = mrc_genl_format_add_doit,
		.policy = mrc_genl_format_policy,
		.maxattr = MRC_A_FORMAT_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_FORMAT_DEL,
		.doit = mrc_genl_format_del_doit,
		.policy = mrc_genl_format_policy,
		.maxattr = MRC_A_FORMAT_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_FORMAT_SET,
		.doit = mrc_genl_format_set_doit,
		.policy = mrc_genl_format_policy,
		.maxattr = MRC_A_FORMAT_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_TEMPLATE_GET,
		.dumpit = mrc_genl_template_get_dumpit,
		.policy = mrc_genl_template_policy,
		.maxattr = MRC_A_TEMPLATE_MAX,
	},
	{
		.cmd = MRC_CMD_TEMPLATE_ADD,
		.doit = mrc_genl_template_add_doit,
		.policy = mrc_genl_template_policy,
		.maxattr = MRC_A_TEMPLATE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_TEMPLATE_DEL,
		.doit = mrc_genl_template_del_doit,
		.policy = mrc_genl_template_policy,
		.maxattr = MRC_A_TEMPLATE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_TEMPLATE_SET,
		.doit = mrc_genl_template_set_doit,
		.policy = mrc_genl_template_policy,
		.maxattr = MRC_A_TEMPLATE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROFILE_GET,
		.dumpit = mrc_genl_profile_get_dumpit,
		.policy = mrc_genl_profile_get_policy,
		.maxattr = MRC_A_PROFILE_MAX,
	},
	{
		.cmd = MRC_CMD_PROFILE_ADD,
		.doit = mrc_genl_profile_add_doit,
		.policy = mrc_genl_profile_policy,
		.maxattr = MRC_A_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROFILE_DEL,
		.doit = mrc_genl_profile_del_doit,
		.policy = mrc_genl_profile_policy,
		.maxattr = MRC_A_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROFILE_SET,
		.doit = mrc_genl_profile_set_doit,
		.policy = mrc_genl_profile_policy,
		.maxattr = MRC_A_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROFILE_EV_SET,
		.doit = mrc_genl_profile_ev_set_doit,
		.policy = mrc_genl_profile_ev_policy,
		.maxattr = MRC_A_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DEST_GET,
		.dumpit = mrc_genl_dest_get_dumpit,
		.policy = mrc_genl_dest_policy,
		.maxattr = MRC_A_DEST_MAX,
	},
	{
		.cmd = MRC_CMD_DEST_ADD,
		.doit = mrc_genl_dest_add_doit,
		.policy = mrc_genl_dest_policy,
		.maxattr = MRC_A_DEST_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DEST_DEL,
		.doit = mrc_genl_dest_del_doit,
		.policy = mrc_genl_dest_policy,
		.maxattr = MRC_A_DEST_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DEST_SET,
		.doit = mrc_genl_dest_set_doit,
		.policy = mrc_genl_dest_policy,
		.maxattr = MRC_A_DEST_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DENY_GET,
		.dumpit = mrc_genl_deny_get_dumpit,
		.policy = mrc_genl_deny_policy,
		.maxattr = MRC_A_DENY_MAX,
	},
	{
		.cmd = MRC_CMD_DENY_ADD,
		.doit = mrc_genl_deny_add_doit,
		.policy = mrc_genl_deny_policy,
		.maxattr = MRC_A_DENY_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_DENY_DEL,
		.doit = mrc_genl_deny_del_doit,
		.policy = mrc_genl_deny_policy,
		.maxattr = MRC_A_DENY_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_GET,
		.dumpit = mrc_genl_cc_get_dumpit,
		.policy = mrc_genl_cc_policy,
		.maxattr = MRC_A_CC_MAX,
	},
	{
		.cmd = MRC_CMD_CC_ADD,
		.doit = mrc_genl_cc_add_doit,
		.policy = mrc_genl_cc_policy,
		.maxattr = MRC_A_CC_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_DEL,
		.doit = mrc_genl_cc_del_doit,
		.policy = mrc_genl_cc_policy,
		.maxattr = MRC_A_CC_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_SET,
		.doit = mrc_genl_cc_set_doit,
		.policy = mrc_genl_cc_policy,
		.maxattr = MRC_A_CC_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROBE,
		.doit = mrc_genl_probe_doit,
		.policy = mrc_genl_probe_policy,
		.maxattr = MRC_A_PROBE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
};

static const struct genl_multicast_group mrc_genl_groups[] = {
	[MRC_EVENT_PORTS] = { .name = MRC_MCGRP_PORTS },
	[MRC_EVENT_QPS] = { .name = MRC_MCGRP_QPS },
	[MRC_EVENT_PATHS] = { .name = MRC_MCGRP_PATHS },
};

struct genl_family mrc_genl_family __ro_after_init = {
	.name = MRC_FAMILY_NAME,
	.version = MRC_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = mrc_genl_ops,
	.n_ops = ARRAY_SIZE(mrc_genl_ops),
	.mcgrps = mrc_genl_groups,
	.n_mcgrps = ARRAY_SIZE(mrc_genl_groups),
};

/**
 * mrc_genl_require() - insist on an attribute
 * @info: request
 * @attr: the attribute
 * @what: its name, for people
 *
 * Return: 0, or -EINVAL after telling what is missing.
 */
int mrc_genl_require(struct genl_info *info, int attr, const char *what)
{
	if (!GENL_REQ_ATTR_CHECK(info, attr))
		return 0;
	NL_SET_ERR_MSG_FMT(info->extack, "%s is missing", what);
	return -EINVAL;
}

/**
 * mrc_genl_device() - the device that a request names
 * @info: request
 * @attr: attribute with the name
 *
 * Only devices of the requester's network namespace are found.
 *
 * Return: the device with a reference, or an ERR_PTR().
 */
struct mrc_device *mrc_genl_device(struct genl_info *info, int attr)
{
	struct mrc_device *dev;
	const char *name;
	int ret;

	ret = mrc_genl_require(info, attr, "device name");
	if (ret)
		return ERR_PTR(ret);
	name = nla_data(info->attrs[attr]);
	dev = mrc_device_get(genl_info_net(info), name);
	if (dev)
		return dev;
	NL_SET_ERR_MSG_FMT(info->extack, "no mrc device %s", name);
	return ERR_PTR(-ENODEV);
}

/**
 * mrc_genl_ev_state() - state of a path, in the numbers of the family
 * @state: enum mrc_ev_state
 *
 * Return: enum mrc_path_state.
 */
u32 mrc_genl_ev_state(u8 state)
{
	switch ((enum mrc_ev_state)state) {
	case MRC_EV_GOOD:
		return MRC_PATH_STATE_GOOD;
	case MRC_EV_SKIP:
		return MRC_PATH_STATE_SKIP;
	case MRC_EV_ASSUMED_BAD:
		return MRC_PATH_STATE_ASSUMED_BAD;
	case MRC_EV_DENIED:
		return MRC_PATH_STATE_DENIED;
	case MRC_EV_BACKUP:
		return MRC_PATH_STATE_BACKUP;
	}
	return MRC_PATH_STATE_UNSPEC;
}

/**
 * mrc_genl_path_state() - state of a path for one connection
 * @evs: its paths
 * @i: which of them
 *
 * Return: enum mrc_path_state.
 */
u32 mrc_genl_path_state(const struct mrc_ev_set *evs, u16 i)
{
	u32 ports = READ_ONCE(evs->local_ports) & READ_ONCE(evs->peer_ports);

	if (!(ports & BIT(evs->ev[i].plane - 1)))
		return MRC_PATH_STATE_PORT_DOWN;
	return mrc_genl_ev_state(READ_ONCE(evs->ev[i].state));
}

/**
 * mrc_genl_put_sid() - write where the outer header of a path leads
 * @skb: message
 * @sid: outer destination
 * @dst: attribute of its address
 * @srh: attribute of its segment, if there is one
 *
 * Return: 0 or -EMSGSIZE.
 */
int mrc_genl_put_sid(struct sk_buff *skb, const struct mrc_sid *sid, int dst,
		     int srh)
{
	int ret = nla_put_in6_addr(skb, dst, &sid->dst);

	if (!ret && mrc_sid_has_srh(sid))
		ret = nla_put_in6_addr(skb, srh, &sid->seg);
	return ret;
}

/**
 * mrc_genl_put_ev_stats() - write counters of a path
 * @skb: message; the caller has opened the nest
 * @s: counters
 *
 * Return: 0 or -EMSGSIZE.
 */
int mrc_genl_put_ev_stats(struct sk_buff *skb, const struct mrc_ev_stats *s)
{
	const struct {
		int attr;
		u64 value;
	} counters[] = {
		{ MRC_A_PATH_COUNTERS_TX_PKTS, s->tx_pkts },
		{ MRC_A_PATH_COUNTERS_TX_BYTES, s->tx_bytes },
		{ MRC_A_PATH_COUNTERS_RTX_PKTS, s->rtx_pkts },
		{ MRC_A_PATH_COUNTERS_ACKED, s->acked },
		{ MRC_A_PATH_COUNTERS_ECN, s->ecn },
		{ MRC_A_PATH_COUNTERS_TRIMS, s->trims },
		{ MRC_A_PATH_COUNTERS_LOSSES, s->losses },
		{ MRC_A_PATH_COUNTERS_TIMEOUTS, s->timeouts },
		{ MRC_A_PATH_COUNTERS_PROBES, s->probes },
		{ MRC_A_PATH_COUNTERS_BAD, s->bad },
	};
	struct nlattr *nest;
	int i;

	nest = nla_nest_start(skb, MRC_A_PATH_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (nla_put_u64_64bit(skb, counters[i].attr, counters[i].value,
				      MRC_A_PATH_COUNTERS_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * mrc_genl_dump_begin() - begin the message of one object in a dump
 * @d: dump
 * @cmd: command that the message belongs to
 *
 * Return: the message, for genlmsg_end() or genlmsg_cancel(), or NULL if there
 * is no room.
 */
void *mrc_genl_dump_begin(struct mrc_genl_dump *d, u8 cmd)
{
	return genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid,
			   d->cb->nlh->nlmsg_seq, &mrc_genl_family, NLM_F_MULTI,
			   cmd);
}

struct mrc_genl_dump_call {
	struct mrc_genl_dump d;
	const char *name;
	bool found;
	int (*fn)(struct mrc_device *dev, struct mrc_genl_dump *d);
};

static int mrc_genl_dump_device(struct mrc_device *dev, void *arg)
{
	struct mrc_genl_dump_call *call = arg;
	struct mrc_genl_pos *pos = call->d.pos;
	bool wanted;
	int ret;

	wanted = !call->name || !strcmp(call->name, dev_name(&dev->ib.dev));
	call->found |= wanted;
	if (call->d.i++ < pos->dev)
		return 0;
	ret = wanted ? call->fn(dev, &call->d) : 0;
	if (ret)
		return ret;
	*pos = (struct mrc_genl_pos) { .dev = call->d.i };
	return 0;
}

/**
 * mrc_genl_dump() - dump something of every device
 * @skb: message to fill
 * @cb: state of the dump
 * @maxattr: of @policy
 * @policy: of the command
 * @dev_attr: attribute that picks one device by name; 0: there is none
 * @fn: tells of one device: writes messages until -EMSGSIZE and leaves in the
 *	position where to go on.  The device cannot go away meanwhile
 *
 * Return: as a dumpit function.
 */
int mrc_genl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		  int maxattr, const struct nla_policy *policy, int dev_attr,
		  int (*fn)(struct mrc_device *dev, struct mrc_genl_dump *d))
{
	struct mrc_genl_dump_call call = {
		.d.skb = skb,
		.d.cb = cb,
		.d.pos = (void *)cb->ctx,
		.fn = fn,
	};
	int ret;

	BUILD_BUG_ON(sizeof(struct mrc_genl_pos) > sizeof(cb->ctx));
	call.d.tb = kcalloc(maxattr + 1, sizeof(*call.d.tb), GFP_KERNEL);
	if (!call.d.tb)
		return -ENOMEM;
	ret = genlmsg_parse(cb->nlh, &mrc_genl_family, call.d.tb, maxattr,
			    policy, cb->extack);
	if (ret)
		goto out;
	if (dev_attr && call.d.tb[dev_attr])
		call.name = nla_data(call.d.tb[dev_attr]);

	ret = mrc_device_for_each(sock_net(skb->sk), mrc_genl_dump_device,
				  &call);
	if (!ret && call.name && !call.found) {
		NL_SET_ERR_MSG_FMT(cb->extack, "no mrc device %s", call.name);
		ret = -ENODEV;
	}
	/* No room for more is how a dump goes on, unless nothing has fitted. */
	if (ret == -EMSGSIZE && skb->len)
		ret = 0;
out:
	kfree(call.d.tb);
	return ret ?: skb->len;
}

/**
 * mrc_genl_init() - offer the family and begin to send events
 *
 * Return: 0 or a negative errno.
 */
int __init mrc_genl_init(void)
{
	int ret;

	BUILD_BUG_ON(MRC_NAME_MAX != IB_DEVICE_NAME_MAX);
	BUILD_BUG_ON(MRC_NAME_MAX != MRC_EVENT_NAME_MAX);
	BUILD_BUG_ON(sizeof(struct in6_addr) != MRC_GID_LEN);
	BUILD_BUG_ON(MRC_PORTS_MAX != MRC_PLANE_MAX);
	BUILD_BUG_ON(MRC_NAME_MAX != MRC_OBJECT_NAME_MAX);
	BUILD_BUG_ON(MRC_EV_LEN != MRC_BITSTR_BYTES);
	BUILD_BUG_ON(MRC_EVS_MAX != MRC_EV_MAX);
	BUILD_BUG_ON(MRC_FIELDS_MAX != MRC_FORMAT_FIELDS);
	BUILD_BUG_ON(MRC_ADDR_FIELDS_MAX != MRC_SRV6_FIELDS);

	ret = genl_register_family(&mrc_genl_family);
	if (ret)
		return ret;
	mrc_event_set_sink(mrc_genl_events);
	return 0;
}

/**
 * mrc_genl_exit() - undo mrc_genl_init()
 */
void mrc_genl_exit(void)
{
	mrc_event_set_sink(NULL);
	genl_unregister_family(&mrc_genl_family);
}

MODULE_ALIAS_GENL_FAMILY(MRC_FAMILY_NAME);
