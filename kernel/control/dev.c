// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on devices: add, change, delete, show.
 */
#include <linux/ctype.h>
#include <linux/mrc.h>
#include <linux/netdevice.h>

#include "control/genl.h"
#include "control/limit.h"
#include "core/requester.h"
#include "net/decap.h"
#include "net/peer.h"
#include "path/ccprofile.h"
#include "verbs/device.h"

/* Size of a message with all ports and all counters. */
#define MRC_GENL_DEV_SIZE SZ_32K

/* The RDMA core treats "%d" as a pattern, and sysfs does not allow "/". */
static bool mrc_genl_name_valid(const char *name)
{
	const char *c;

	if (!isascii(*name) || !isalpha(*name))
		return false;
	for (c = name; *c; c++) {
		if (!isascii(*c) ||
		    (!isalnum(*c) && *c != '_' && *c != '-' && *c != '.'))
			return false;
	}
	return true;
}

/* What dev_get_by_index() got. */
struct mrc_genl_ports {
	struct net_device *dev[MRC_PLANE_MAX];
	u8 n;
};

static int mrc_genl_port_add(struct mrc_genl_ports *ports,
			     struct genl_info *info, const struct nlattr *nest)
{
	struct nlattr *tb[MRC_A_PORT_MAX + 1];
	struct net_device *dev;
	u32 ifindex;
	int ret;

	if (ports->n == MRC_PLANE_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u ports",
				   MRC_PLANE_MAX);
		return -EINVAL;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_PORT_MAX, nest, NULL, info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_PORT_IFINDEX]) {
		NL_SET_ERR_MSG_FMT(info->extack, "port %u: ifindex is missing",
				   ports->n + 1);
		return -EINVAL;
	}

	ifindex = nla_get_u32(tb[MRC_A_PORT_IFINDEX]);
	dev = dev_get_by_index(genl_info_net(info), ifindex);
	if (!dev) {
		NL_SET_ERR_MSG_FMT(info->extack, "no netdev with ifindex %u",
				   ifindex);
		return -ENODEV;
	}
	ports->dev[ports->n++] = dev;
	return 0;
}

static int mrc_genl_ports_get(struct mrc_genl_ports *ports,
			      struct genl_info *info)
{
	const struct nlattr *attr;
	int ret = 0, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_DEV_PORT_ADD)
			continue;
		ret = mrc_genl_port_add(ports, info, attr);
		if (ret)
			return ret;
	}
	return 0;
}

static void mrc_genl_ports_put(struct mrc_genl_ports *ports)
{
	u8 i;

	for (i = 0; i < ports->n; i++)
		dev_put(ports->dev[i]);
}

/**
 * mrc_nl_dev_add_doit() - add a device
 * @skb: request
 * @info: its attributes: name, ports in order
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_genl_ports ports = {};
	const char *name;
	int ret;

	ret = mrc_genl_require(info, MRC_A_DEV_NAME, "device name") ?:
	      mrc_genl_require(info, MRC_A_DEV_PORT_ADD, "port");
	if (ret)
		return ret;
	name = nla_data(info->attrs[MRC_A_DEV_NAME]);
	if (!mrc_genl_name_valid(name)) {
		GENL_SET_ERR_MSG(info,
				 "device name: a letter, then letters, digits, '_', '-', '.'");
		return -EINVAL;
	}

	ret = mrc_genl_ports_get(&ports, info);
	if (!ret)
		ret = mrc_device_create(name, ports.dev, ports.n,
					info->extack);
	mrc_genl_ports_put(&ports);
	return ret;
}

/**
 * mrc_nl_dev_del_doit() - remove a device
 * @skb: request
 * @info: its attributes: name
 *
 * Programs that use the device get a fatal device event, as on hot unplug.
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dev_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;

	dev = mrc_genl_device(info, MRC_A_DEV_NAME);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	return mrc_device_delete(dev);
}

static int mrc_genl_dev_burst(struct genl_info *info)
{
	u32 burst = nla_get_u32(info->attrs[MRC_A_DEV_BURST]);

	if (burst && burst <= MRC_BURST_MAX)
		return 0;
	NL_SET_ERR_MSG_FMT(info->extack, "burst is not 1 to %u packets",
			   MRC_BURST_MAX);
	return -EINVAL;
}

/**
 * struct mrc_genl_port_change - what a request changes of a port
 * @port: 1-based; 0: nothing
 * @enabled: enable or disable it; NULL: neither
 * @usid: its uSID prefix; NULL: as it is
 * @len: bits of @usid; 0: remove the prefix
 */
struct mrc_genl_port_change {
	u32 port;
	const struct nlattr *enabled;
	const struct in6_addr *usid;
	u8 len;
};

/* A second port would be ignored: attributes are indexed by type. */
static int mrc_genl_dev_one_port(struct genl_info *info)
{
	const struct nlattr *attr;
	int n = 0, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(attr) == MRC_A_DEV_PORT_SET;
	if (n <= 1)
		return 0;
	NL_SET_ERR_MSG_FMT(info->extack, "%d ports: name one in each request",
			   n);
	return -EINVAL;
}

/*
 * A CC profile of a device can be refused, and a prefix fail for lack of memory:
 * a request with both could be applied in part.
 */
static int mrc_genl_dev_usid(struct genl_info *info, struct nlattr **tb,
			     struct mrc_genl_port_change *change)
{
	if (!tb[MRC_A_PORT_USID] != !tb[MRC_A_PORT_USID_LEN]) {
		NL_SET_ERR_MSG(info->extack,
			       "usid: prefix or its length is missing");
		return -EINVAL;
	}
	if (!tb[MRC_A_PORT_USID])
		return 0;
	if (info->attrs[MRC_A_DEV_CC]) {
		NL_SET_ERR_MSG(info->extack,
			       "cc and usid: change one after the other");
		return -EINVAL;
	}
	change->usid = nla_data(tb[MRC_A_PORT_USID]);
	change->len = nla_get_u32(tb[MRC_A_PORT_USID_LEN]);
	return mrc_decap_check(change->usid, change->len, info->extack);
}

static int mrc_genl_dev_port(struct mrc_nic *nic, struct genl_info *info,
			     struct mrc_genl_port_change *change)
{
	const struct nlattr *nest = info->attrs[MRC_A_DEV_PORT_SET];
	struct nlattr *tb[MRC_A_PORT_MAX + 1];
	int ret;

	if (!nest)
		return 0;
	/* The policy of the command has been applied to the nest already. */
	ret = mrc_genl_dev_one_port(info) ?:
	      nla_parse_nested(tb, MRC_A_PORT_MAX, nest, NULL, info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_PORT_INDEX] ||
	    (!tb[MRC_A_PORT_ENABLED] && !tb[MRC_A_PORT_USID] &&
	     !tb[MRC_A_PORT_USID_LEN])) {
		NL_SET_ERR_MSG(info->extack,
			       "port: number, or state and usid are missing");
		return -EINVAL;
	}
	change->port = nla_get_u32(tb[MRC_A_PORT_INDEX]);
	change->enabled = tb[MRC_A_PORT_ENABLED];
	return mrc_nic_check_port(nic, change->port, info->extack) ?:
	       mrc_genl_dev_usid(info, tb, change);
}

/* The one change that can fail is first: CC profile or uSID prefix. */
static int mrc_genl_dev_change(struct mrc_nic *nic, struct genl_info *info)
{
	struct nlattr *burst = info->attrs[MRC_A_DEV_BURST];
	struct nlattr *peer_ports = info->attrs[MRC_A_DEV_PEER_PORTS];
	struct nlattr *icrc = info->attrs[MRC_A_DEV_ICRC];
	struct nlattr *cc = info->attrs[MRC_A_DEV_CC];
	struct mrc_genl_port_change change = {};
	int ret;

	ret = mrc_genl_dev_port(nic, info, &change);
	if (!ret && cc)
		ret = mrc_ccprofile_default(&nic->pm, nla_data(cc),
					    info->extack);
	if (!ret && change.usid)
		ret = mrc_decap_set(nic, change.port, change.usid, change.len,
				    info->extack);
	if (ret)
		return ret;
	if (change.enabled)
		mrc_nic_enable(nic, change.port, nla_get_u32(change.enabled));
	if (burst)
		WRITE_ONCE(nic->burst, nla_get_u32(burst));
	if (icrc)
		mrc_peer_set_icrc(nic, nla_get_u32(icrc) ==
				       MRC_ICRC_MODE_ALWAYS);
	if (peer_ports)
		mrc_peer_ignore_ports(nic, nla_get_u32(peer_ports) ==
					   MRC_PEER_PORTS_IGNORE);
	return 0;
}

/**
 * mrc_nl_dev_set_doit() - change a device
 * @skb: request
 * @info: its attributes: name; most packets of a burst, CC profile, whether to
 *	insist on the ICRC, whether to ignore ports that peers report, a port
 *
 * Return: 0 or a negative errno; nothing has changed then.
 */
int mrc_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;
	int ret = 0;

	if (!info->attrs[MRC_A_DEV_CC] && !info->attrs[MRC_A_DEV_ICRC] &&
	    !info->attrs[MRC_A_DEV_PEER_PORTS] &&
	    !info->attrs[MRC_A_DEV_PORT_SET])
		ret = mrc_genl_require(info, MRC_A_DEV_BURST,
				       "burst, cc, icrc, peer-ports or port");
	if (!ret && info->attrs[MRC_A_DEV_BURST])
		ret = mrc_genl_dev_burst(info);
	if (ret)
		return ret;

	dev = mrc_genl_device(info, MRC_A_DEV_NAME);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_genl_dev_change(dev->nic, info);
	mrc_device_put(dev);
	return ret;
}

/* The CC profile of connections that begin to send, if there is one. */
static int mrc_genl_put_dev_cc(struct sk_buff *skb, struct mrc_pm *pm)
{
	int ret = 0;

	/* Not under the mutex: its holder may be looking up many routes. */
	spin_lock_bh(&pm->lock);
	if (pm->cc)
		ret = nla_put_string(skb, MRC_A_DEV_CC, pm->cc->name);
	spin_unlock_bh(&pm->lock);
	return ret;
}

/**
 * mrc_genl_port_state() - state of a port, in the numbers of the family
 * @nic: NIC
 * @port: 1-based
 *
 * Return: enum mrc_port_state.
 */
u32 mrc_genl_port_state(const struct mrc_nic *nic, u8 port)
{
	u32 bit = BIT(port - 1);

	if (READ_ONCE(nic->up) & bit)
		return mrc_nic_is_narrow(nic, port) ? MRC_PORT_STATE_NARROW :
						      MRC_PORT_STATE_UP;
	if (!rcu_access_pointer(nic->port[port - 1].dev))
		return MRC_PORT_STATE_GONE;
	return READ_ONCE(nic->disabled) & bit ? MRC_PORT_STATE_DISABLED :
						MRC_PORT_STATE_DOWN;
}

static int mrc_genl_put_usid(struct sk_buff *skb, const struct mrc_port *port)
{
	const struct mrc_decap *decap;
	int ret = 0;

	rcu_read_lock();
	decap = rcu_dereference(port->decap);
	if (decap)
		ret = nla_put_in6_addr(skb, MRC_A_PORT_USID, &decap->addr) ?:
		      nla_put_u32(skb, MRC_A_PORT_USID_LEN, decap->key.len);
	rcu_read_unlock();
	return ret;
}

static int mrc_genl_put_port_counters(struct sk_buff *skb,
				      const struct mrc_nic *nic, u8 port)
{
	static const int attrs[MRC_PORT_CNT_MAX] = {
		[MRC_PORT_CNT_TX_PKTS] = MRC_A_PORT_COUNTERS_TX_PKTS,
		[MRC_PORT_CNT_TX_BYTES] = MRC_A_PORT_COUNTERS_TX_BYTES,
		[MRC_PORT_CNT_TX_DISCARDS] = MRC_A_PORT_COUNTERS_TX_DISCARDS,
		[MRC_PORT_CNT_RX_PKTS] = MRC_A_PORT_COUNTERS_RX_PKTS,
		[MRC_PORT_CNT_RX_BYTES] = MRC_A_PORT_COUNTERS_RX_BYTES,
		[MRC_PORT_CNT_RX_ERRORS] = MRC_A_PORT_COUNTERS_RX_ERRORS,
		[MRC_PORT_CNT_LINK_DOWNED] = MRC_A_PORT_COUNTERS_LINK_DOWNED,
	};
	struct mrc_port_counters c;
	struct nlattr *nest;
	int i;

	nest = nla_nest_start(skb, MRC_A_PORT_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	mrc_port_counters_sum(nic->port_stats, port, &c);
	for (i = 0; i < MRC_PORT_CNT_MAX; i++) {
		if (nla_put_u64_64bit(skb, attrs[i], c.c[i],
				      MRC_A_PORT_COUNTERS_PAD))
			return -EMSGSIZE;
	}
	if (nla_put_u64_64bit(skb, MRC_A_PORT_COUNTERS_RTT_SUM, c.rtt_sum,
			      MRC_A_PORT_COUNTERS_PAD) ||
	    nla_put(skb, MRC_A_PORT_COUNTERS_RTT, sizeof(c.rtt), c.rtt))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_genl_put_netdev(struct sk_buff *skb, const struct mrc_nic *nic,
			       u8 i)
{
	const struct mrc_port *port = &nic->port[i];
	bool enabled = !(READ_ONCE(nic->disabled) & BIT(i));
	u32 mbps = READ_ONCE(port->mbps);
	const struct net_device *dev;
	int ret;

	rcu_read_lock();
	dev = rcu_dereference(port->dev);
	ret = nla_put_u32(skb, MRC_A_PORT_ENABLED, enabled) ?:
	      nla_put_u32(skb, MRC_A_PORT_STATE,
			  mrc_genl_port_state(nic, i + 1));
	if (!ret && dev)
		ret = nla_put_u32(skb, MRC_A_PORT_IFINDEX, dev->ifindex) ?:
		      nla_put_string(skb, MRC_A_PORT_IFNAME, dev->name) ?:
		      nla_put_u32(skb, MRC_A_PORT_MTU, READ_ONCE(dev->mtu));
	rcu_read_unlock();
	if (!ret && mbps)
		ret = nla_put_u32(skb, MRC_A_PORT_SPEED, mbps);
	return ret;
}

static int mrc_genl_put_ports(struct sk_buff *skb, const struct mrc_nic *nic,
			      bool stats)
{
	struct nlattr *nest;
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		nest = nla_nest_start(skb, MRC_A_DEV_PORT);
		if (!nest ||
		    nla_put_u32(skb, MRC_A_PORT_INDEX, i + 1) ||
		    mrc_genl_put_netdev(skb, nic, i) ||
		    mrc_genl_put_usid(skb, &nic->port[i]) ||
		    (stats && mrc_genl_put_port_counters(skb, nic, i + 1)))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int mrc_genl_put_stats(struct sk_buff *skb, const struct mrc_nic *nic)
{
	struct nlattr *nest;
	int i;

	for (i = 0; i < MRC_CNT_MAX; i++) {
		nest = nla_nest_start(skb, MRC_A_DEV_STAT);
		if (!nest ||
		    nla_put_string(skb, MRC_A_STAT_NAME,
				   mrc_counter_names[i]) ||
		    nla_put_u64_64bit(skb, MRC_A_STAT_VALUE,
				      mrc_counters_sum(nic->stats, i),
				      MRC_A_STAT_PAD))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static u32 mrc_genl_icrc_mode(const struct mrc_nic *nic)
{
	return READ_ONCE(nic->icrc_always) ? MRC_ICRC_MODE_ALWAYS :
					     MRC_ICRC_MODE_AUTO;
}

static u32 mrc_genl_peer_ports(const struct mrc_nic *nic)
{
	return READ_ONCE(nic->ignore_peer_ports) ? MRC_PEER_PORTS_IGNORE :
						   MRC_PEER_PORTS_TRUST;
}

static int mrc_genl_put_dev(struct sk_buff *skb, struct mrc_device *dev,
			    struct nlattr **request)
{
	if (nla_put_string(skb, MRC_A_DEV_NAME, mrc_device_name(dev)) ||
	    nla_put_u32(skb, MRC_A_DEV_INDEX, dev->ib.index) ||
	    nla_put_u32(skb, MRC_A_DEV_BURST, READ_ONCE(dev->nic->burst)) ||
	    nla_put_u32(skb, MRC_A_DEV_ICRC, mrc_genl_icrc_mode(dev->nic)) ||
	    nla_put_u32(skb, MRC_A_DEV_PEER_PORTS,
			mrc_genl_peer_ports(dev->nic)) ||
	    mrc_genl_put_dev_cc(skb, &dev->nic->pm) ||
	    mrc_genl_put_ports(skb, dev->nic, request[MRC_A_DEV_STATS]))
		return -EMSGSIZE;
	if (request[MRC_A_DEV_LIMITS] && mrc_genl_put_limits(skb, dev))
		return -EMSGSIZE;
	return request[MRC_A_DEV_STATS] ? mrc_genl_put_stats(skb, dev->nic) : 0;
}

/**
 * mrc_nl_dev_get_doit() - show one device
 * @skb: request
 * @info: its attributes: name, whether to include counters and limits
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;
	struct sk_buff *reply;
	void *hdr;
	int ret;

	dev = mrc_genl_device(info, MRC_A_DEV_NAME);
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	ret = -ENOMEM;
	reply = genlmsg_new(MRC_GENL_DEV_SIZE, GFP_KERNEL);
	if (!reply)
		goto out;
	ret = -EMSGSIZE;
	hdr = genlmsg_put_reply(reply, info, &mrc_nl_family, 0,
				MRC_CMD_DEV_GET);
	if (!hdr || mrc_genl_put_dev(reply, dev, info->attrs))
		goto err_free;
	genlmsg_end(reply, hdr);
	ret = genlmsg_reply(reply, info);
	goto out;

err_free:
	nlmsg_free(reply);
out:
	mrc_device_put(dev);
	return ret;
}

static int mrc_genl_dev_dump_one(struct mrc_device *dev,
				 struct mrc_genl_dump *d)
{
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_DEV_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (mrc_genl_put_dev(d->skb, dev, d->tb)) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

/**
 * mrc_nl_dev_get_start() - prepare a dump of devices
 * @cb: state of the dump
 *
 * Return: 0.
 */
int mrc_nl_dev_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = MRC_GENL_DEV_SIZE;
	return 0;
}

/**
 * mrc_nl_dev_get_dumpit() - show all devices
 * @skb: message to fill
 * @cb: state of the dump; attributes: whether to include counters and limits
 *
 * Return: as a dumpit function.
 */
int mrc_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_DEV_NAME, mrc_genl_dev_dump_one);
}
