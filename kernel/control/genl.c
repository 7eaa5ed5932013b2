// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink family "mrc": permissions, devices and dumps, which all
 * commands share. Policies and the table of commands are in netlink_gen.c.
 *
 * Handlers run in parallel: each object takes its own locks. A handler
 * reads only the attributes in the request list of its command, because the
 * array of attributes ends with the last of these.
 */
#include <linux/module.h>
#include <linux/mrc.h>
#include <net/netlink.h>

#include "control/genl.h"
#include "core/lpm.h"
#include "core/profile.h"
#include "core/srv6.h"
#include "net/event.h"
#include "path/object.h"
#include "path/sid.h"
#include "verbs/device.h"

static int mrc_genl_ns_admin(struct sk_buff *skb)
{
	return netlink_ns_capable(skb, sock_net(skb->sk)->user_ns,
				  CAP_NET_ADMIN) ? 0 : -EPERM;
}

/**
 * mrc_nl_ns_admin_pre_doit() - check the permission to change devices
 * @ops: operation of the command
 * @skb: request
 * @info: its attributes
 *
 * Return: 0, or -EPERM if the caller lacks CAP_NET_ADMIN in the user namespace
 * that owns the network namespace.
 */
int mrc_nl_ns_admin_pre_doit(const struct genl_split_ops *ops,
			     struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_ns_admin(skb);
}

/**
 * mrc_nl_qp_get_start() - check the permission to dump QPs
 * @cb: state of the dump
 *
 * A dump reports sequence numbers, without which packets cannot be forged.
 *
 * Return: 0, or -EPERM if the caller lacks CAP_NET_ADMIN in the user namespace
 * that owns the network namespace.
 */
int mrc_nl_qp_get_start(struct netlink_callback *cb)
{
	return mrc_genl_ns_admin(cb->skb);
}

/**
 * mrc_genl_require() - require an attribute
 * @info: request
 * @attr: the attribute
 * @what: its name, for messages
 *
 * Return: 0, or -EINVAL after reporting what is missing.
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
 * Only devices of the calling socket's network namespace are found.
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
 * mrc_genl_put_qp_counters() - write counters of one QP, or sums of several
 * @skb: message
 * @nest_attr: attribute that contains them
 * @counters: counters
 * @n: how many
 *
 * Return: 0 or -EMSGSIZE, after which the message has to be cancelled.
 */
int mrc_genl_put_qp_counters(struct sk_buff *skb, int nest_attr,
			     const struct mrc_genl_counter *counters, size_t n)
{
	struct nlattr *nest = nla_nest_start(skb, nest_attr);
	size_t i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < n; i++) {
		if (nla_put_u64_64bit(skb, counters[i].attr, counters[i].value,
				      MRC_A_QP_COUNTERS_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
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
	return MRC_PATH_STATE_IDLE;
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
 * mrc_genl_put_sid() - write the outer destination of a path
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
		{ MRC_A_PATH_COUNTERS_PADDED_LOST, s->padded_lost },
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
 * Return: the message, for genlmsg_end() or genlmsg_cancel(), or NULL if it
 * does not fit.
 */
void *mrc_genl_dump_begin(struct mrc_genl_dump *d, u8 cmd)
{
	return genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid,
			   d->cb->nlh->nlmsg_seq, &mrc_nl_family, NLM_F_MULTI,
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

	wanted = !call->name || !strcmp(call->name, mrc_device_name(dev));
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
 * @dev_attr: attribute that picks one device by name
 * @fn: dumps one device: writes messages until -EMSGSIZE and leaves in the
 *	position where to go on.  The device cannot go away meanwhile
 *
 * Return: as a dumpit function.
 */
int mrc_genl_dump(struct sk_buff *skb, struct netlink_callback *cb, int dev_attr,
		  int (*fn)(struct mrc_device *dev, struct mrc_genl_dump *d))
{
	struct mrc_genl_dump_call call = {
		.d.skb = skb,
		.d.cb = cb,
		.d.tb = mrc_genl_dump_attrs(cb),
		.d.pos = (void *)cb->ctx,
		.fn = fn,
	};
	int ret;

	BUILD_BUG_ON(sizeof(struct mrc_genl_pos) > sizeof(cb->ctx));
	if (call.d.tb[dev_attr])
		call.name = nla_data(call.d.tb[dev_attr]);

	ret = mrc_device_for_each(sock_net(skb->sk), mrc_genl_dump_device,
				  &call);
	if (!ret && call.name && !call.found) {
		NL_SET_ERR_MSG_FMT(cb->extack, "no mrc device %s", call.name);
		ret = -ENODEV;
	}
	/* A full message is not an error, unless not even one object fits. */
	if (ret == -EMSGSIZE && skb->len)
		ret = 0;
	return ret ?: skb->len;
}

/**
 * mrc_genl_init() - register the family and begin to send events
 *
 * Return: 0 or a negative errno.
 */
int __init mrc_genl_init(void)
{
	int ret;

	BUILD_BUG_ON(MRC_NAME_LEN + 1 != MRC_NAME_MAX);
	BUILD_BUG_ON(MRC_NAME_MAX != IB_DEVICE_NAME_MAX);
	BUILD_BUG_ON(MRC_NAME_MAX != MRC_EVENT_NAME_MAX);
	BUILD_BUG_ON(sizeof(struct in6_addr) != MRC_GID_LEN);
	BUILD_BUG_ON(MRC_PORTS_MAX != MRC_PLANE_MAX);
	BUILD_BUG_ON(MRC_NAME_MAX != MRC_OBJECT_NAME_MAX);
	BUILD_BUG_ON(MRC_EV_LEN != MRC_BITSTR_BYTES);
	BUILD_BUG_ON(MRC_EVS_MAX != MRC_EV_MAX);
	BUILD_BUG_ON(MRC_FIELDS_MAX != MRC_FORMAT_FIELDS);
	BUILD_BUG_ON(MRC_ADDR_FIELDS_MAX != MRC_SRV6_FIELDS);
	BUILD_BUG_ON(MRC_PREFIX_MAX != MRC_LPM_BITS);
	BUILD_BUG_ON((int)MRC_NLGRP_PORTS != (int)MRC_EVENT_PORTS);
	BUILD_BUG_ON((int)MRC_NLGRP_QPS != (int)MRC_EVENT_QPS);
	BUILD_BUG_ON((int)MRC_NLGRP_PATHS != (int)MRC_EVENT_PATHS);

	ret = mrc_genl_register();
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
	mrc_genl_unregister();
}

MODULE_ALIAS_GENL_FAMILY(MRC_FAMILY_NAME);
