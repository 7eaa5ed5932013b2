// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a NIC and of its ports: following the net_devices.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include "compat/extack.h"
#include "core/icrc.h"
#include "core/refusal.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/decap.h"
#include "net/dest.h"
#include "net/encap.h"
#include "net/event.h"
#include "net/evprobe.h"
#include "net/nic.h"
#include "net/object.h"
#include "net/peer.h"
#include "net/socket.h"

/* All NICs; RCU, written under RTNL. */
static LIST_HEAD(mrc_nics);

static bool mrc_port_is_up(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

static struct net_device *mrc_port_dev(const struct mrc_nic *nic, u8 i)
{
	return rtnl_dereference(nic->port[i].dev);
}

static struct mrc_nic *mrc_nic_find(const struct net_device *dev)
{
	struct mrc_nic *nic;

	list_for_each_entry(nic, &mrc_nics, node) {
		if (mrc_nic_port_of(nic, dev))
			return nic;
	}
	return NULL;
}

static int mrc_nic_check_dev(struct net *net, struct net_device *dev,
			     struct netlink_ext_ack *extack)
{
	if (dev->type != ARPHRD_ETHER || dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "netdev is not an Ethernet device");
		return -EINVAL;
	}
	if (!net_eq(dev_net(dev), net)) {
		NL_SET_ERR_MSG(extack,
			       "netdevs are in different network namespaces");
		return -EXDEV;
	}
	if (dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "netdev is going away");
		return -ENODEV;
	}
	if (mrc_nic_find(dev)) {
		NL_SET_ERR_MSG(extack, "netdev belongs to an mrc device already");
		return -EBUSY;
	}
	return 0;
}

static int mrc_nic_check(struct net_device **devs, u8 n,
			 struct netlink_ext_ack *extack)
{
	u8 i, j;
	int ret;

	if (!n || n > MRC_PLANE_MAX) {
		NL_SET_ERR_MSG(extack, "a device has 1 to 32 netdevs");
		return -EINVAL;
	}
	for (i = 0; i < n; i++) {
		ret = mrc_nic_check_dev(dev_net(devs[0]), devs[i], extack);
		if (ret)
			return ret;
		for (j = 0; j < i; j++) {
			if (devs[i] == devs[j]) {
				NL_SET_ERR_MSG(extack, "netdev is named twice");
				return -EINVAL;
			}
		}
	}
	return 0;
}

static struct mrc_nic *mrc_nic_alloc(u8 n, const struct mrc_nic_ops *ops)
{
	struct mrc_nic *nic;

	nic = kvzalloc(struct_size(nic, port, n), GFP_KERNEL);
	if (!nic)
		return NULL;
	nic->stats = alloc_percpu(struct mrc_counters);
	if (!nic->stats)
		goto err_free;
	if (mrc_pm_init(nic))
		goto err_stats;
	mrc_dest_init(nic);
	mrc_endpoint_init(&nic->ep);

	kref_init(&nic->ref);
	nic->conns = RB_ROOT;
	spin_lock_init(&nic->lock);
	nic->ops = ops;
	nic->n_ports = n;
	nic->burst = MRC_BURST_DEFAULT;
	return nic;

err_stats:
	free_percpu(nic->stats);
err_free:
	kvfree(nic);
	return NULL;
}

static void mrc_nic_free(struct kref *ref)
{
	struct mrc_nic *nic = container_of(ref, struct mrc_nic, ref);

	mrc_dest_exit(nic);
	mrc_pm_exit(nic);
	free_percpu(nic->stats);
	kvfree_rcu(nic, rcu);
}

/**
 * mrc_nic_put - drop a reference
 * @nic: NIC
 *
 * Context: process; may sleep when the last reference goes.
 */
void mrc_nic_put(struct mrc_nic *nic)
{
	kref_put(&nic->ref, mrc_nic_free);
}

static void mrc_nic_take_ports(struct mrc_nic *nic, struct net_device **devs)
{
	struct mrc_port *port = nic->port;
	u8 i;

	for (i = 0; i < nic->n_ports; i++, port++) {
		netdev_hold(devs[i], &port->tracker, GFP_KERNEL);
		rcu_assign_pointer(port->dev, devs[i]);
		if (mrc_port_is_up(devs[i]))
			nic->up |= BIT(i);
	}
}

/**
 * mrc_nic_create - make a NIC out of net_devices
 * @devs: net_devices in the order of the ports
 * @n: how many
 * @ops: the device on top
 * @extack: where to say why not
 *
 * The NIC receives packets from now on and reports nothing to @ops before
 * mrc_nic_start().
 *
 * Context: process, RTNL not held.
 * Return: the NIC with one reference, or an ERR_PTR().
 */
struct mrc_nic *mrc_nic_create(struct net_device **devs, u8 n,
			       const struct mrc_nic_ops *ops,
			       struct netlink_ext_ack *extack)
{
	struct mrc_nic *nic;
	int ret;

	nic = mrc_nic_alloc(n, ops);
	if (!nic)
		return ERR_PTR(-ENOMEM);

	rtnl_lock();
	ret = mrc_nic_check(devs, n, extack);
	if (ret)
		goto err_unlock;
	nic->net = dev_net(devs[0]);
	mrc_event_queue_init(nic, nic->net);
	ret = mrc_socket_get(nic->net, extack);
	if (ret)
		goto err_unlock;
	mrc_nic_take_ports(nic, devs);
	list_add_tail_rcu(&nic->node, &mrc_nics);
	rtnl_unlock();
	return nic;

err_unlock:
	rtnl_unlock();
	mrc_nic_put(nic);
	return ERR_PTR(ret);
}

static void mrc_nic_set_up(struct mrc_nic *nic, u8 i, bool up)
{
	u32 bit = BIT(i);

	up = up && !(nic->disabled & bit);
	if (!!(nic->up & bit) == up)
		return;
	WRITE_ONCE(nic->up, nic->up ^ bit);
	if (up)
		mrc_count(nic, PORT_UP);
	else
		mrc_count(nic, PORT_DOWN);
	mrc_conn_ports_changed(nic);
	mrc_peer_tell(nic);
	if (!nic->started)
		return;
	mrc_event_port(nic, i + 1, up);
	nic->ops->port_change(nic, i + 1, up);
}

/**
 * mrc_nic_start - report port changes from now on
 * @nic: NIC whose device is registered
 *
 * Changes since mrc_nic_create() are reported before it returns.
 *
 * Context: process, RTNL not held.
 */
void mrc_nic_start(struct mrc_nic *nic)
{
	u8 i;

	rtnl_lock();
	nic->started = true;
	for (i = 0; i < nic->n_ports; i++) {
		nic->ops->port_change(nic, i + 1, nic->up & BIT(i));
		if (!mrc_port_dev(nic, i))
			nic->ops->port_gone(nic, i + 1);
	}
	if (!nic->net)
		nic->ops->last_port_gone(nic);
	rtnl_unlock();
}

/**
 * mrc_nic_check_port - is there such a port?
 * @nic: NIC
 * @port: 1-based, or anything
 * @extack: where to say why not
 *
 * Return: 0 or -EINVAL.
 */
int mrc_nic_check_port(const struct mrc_nic *nic, u32 port,
		       struct netlink_ext_ack *extack)
{
	if (port && port <= nic->n_ports)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "no port %u: there are 1 to %u", port,
			   nic->n_ports);
	return -EINVAL;
}

/**
 * mrc_nic_enable - take a port out of use, or back
 * @nic: NIC
 * @port: 1-based
 * @enable: take it back
 *
 * When it returns, no burst is given to a path of a port out of use any more;
 * peers are told.
 *
 * Context: process, RTNL not held.
 */
void mrc_nic_enable(struct mrc_nic *nic, u8 port, bool enable)
{
	const struct net_device *dev;
	u32 bit = BIT(port - 1);

	rtnl_lock();
	dev = mrc_port_dev(nic, port - 1);
	WRITE_ONCE(nic->disabled, enable ? nic->disabled & ~bit :
					   nic->disabled | bit);
	mrc_nic_set_up(nic, port - 1, dev && mrc_port_is_up(dev));
	rtnl_unlock();
}

/* The net_device leaves; the slot stays, empty and down. */
static void mrc_nic_lose_port(struct mrc_nic *nic, u8 i)
{
	struct net_device *dev = mrc_port_dev(nic, i);

	mrc_nic_set_up(nic, i, false);
	RCU_INIT_POINTER(nic->port[i].dev, NULL);
	synchronize_net();
	mrc_conn_drop_routes(nic);
	netdev_put(dev, &nic->port[i].tracker);
}

static bool mrc_nic_has_ports(const struct mrc_nic *nic)
{
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		if (mrc_port_dev(nic, i))
			return true;
	}
	return false;
}

static void mrc_nic_leave(struct mrc_nic *nic)
{
	struct net *net = nic->net;

	if (!net)
		return;
	mrc_decap_leave(nic);
	list_del_rcu(&nic->node);
	WRITE_ONCE(nic->net, NULL);
	mrc_socket_put(net);
	/* No receiver finds the NIC any more; wait for those who have it. */
	synchronize_net();
}

/**
 * mrc_nic_stop - let go of the net_devices
 * @nic: NIC whose device has been unregistered
 *
 * Connections may still exist; they cannot send any more.
 *
 * Context: process, RTNL not held.
 */
void mrc_nic_stop(struct mrc_nic *nic)
{
	u8 i;

	mrc_evprobe_stop(nic);
	rtnl_lock();
	nic->started = false;
	for (i = 0; i < nic->n_ports; i++) {
		if (mrc_port_dev(nic, i))
			mrc_nic_lose_port(nic, i);
	}
	mrc_nic_leave(nic);
	rtnl_unlock();
}

/**
 * mrc_nic_port_of - which port a net_device is
 * @nic: NIC
 * @dev: net_device
 *
 * Context: RTNL or RCU read side.
 * Return: 1-based port, or 0 if @dev is none of @nic's.
 */
u8 mrc_nic_port_of(const struct mrc_nic *nic, const struct net_device *dev)
{
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		if (rcu_access_pointer(nic->port[i].dev) == dev)
			return i + 1;
	}
	return 0;
}

/**
 * mrc_nic_of - the NIC a packet came in on
 * @dev: net_device the packet was received from
 *
 * Context: RCU read side.
 * Return: the NIC that @dev is a port of; for any other net_device (loopback,
 * VRF) some NIC of the same namespace, or NULL if there is none.
 */
struct mrc_nic *mrc_nic_of(const struct net_device *dev)
{
	struct mrc_nic *nic, *other = NULL;

	list_for_each_entry_rcu(nic, &mrc_nics, node) {
		if (mrc_nic_port_of(nic, dev))
			return nic;
		if (READ_ONCE(nic->net) == dev_net(dev))
			other = nic;
	}
	return other;
}

/**
 * mrc_nic_set_gsi - a port gets its management QP
 * @nic: NIC
 * @port: 1-based
 * @conn: connection of the QP
 *
 * Context: any.
 * Return: 0, or -EBUSY if it has one.
 */
int mrc_nic_set_gsi(struct mrc_nic *nic, u8 port, struct mrc_conn *conn)
{
	struct mrc_conn __rcu **gsi = &nic->port[port - 1].gsi;

	return unrcu_pointer(cmpxchg(gsi, NULL, RCU_INITIALIZER(conn))) ?
		       -EBUSY : 0;
}

/**
 * mrc_nic_clear_gsi - a port loses its management QP
 * @nic: NIC
 * @port: 1-based
 *
 * Context: any.  Packets may still find it until a grace period has passed.
 */
void mrc_nic_clear_gsi(struct mrc_nic *nic, u8 port)
{
	RCU_INIT_POINTER(nic->port[port - 1].gsi, NULL);
}

static struct mrc_conn *mrc_nic_own_gsi(const struct mrc_nic *nic,
					const struct in6_addr *gid)
{
	struct mrc_conn *conn;
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		conn = rcu_dereference(nic->port[i].gsi);
		if (conn && nic->ops->port_has(nic, i + 1, gid))
			return conn;
	}
	return NULL;
}

/**
 * mrc_nic_gsi - the management QP that a packet is for
 * @net: namespace it came in
 * @gid: its destination address
 *
 * All ports lead to each address of a device, and the connection manager wants
 * to see its packets on the port that has the address.
 *
 * Context: RCU read side.
 * Return: connection of that QP, or NULL if there is none.
 */
struct mrc_conn *mrc_nic_gsi(const struct net *net, const struct in6_addr *gid)
{
	struct mrc_conn *conn = NULL;
	struct mrc_nic *nic;

	list_for_each_entry_rcu(nic, &mrc_nics, node) {
		if (READ_ONCE(nic->net) == net)
			conn = mrc_nic_own_gsi(nic, gid);
		if (conn)
			break;
	}
	return conn;
}

/* What stands between the Ethernet header and the payload, at most. */
static u32 mrc_nic_overhead(void)
{
	return 2 * MRC_ICRC_IP6_LEN + MRC_SRH_LEN + MRC_ICRC_UDP_LEN +
	       MRC_REQ_HDR_MAX + MRC_ICRC_LEN;
}

/**
 * mrc_nic_pmtu - largest payload that every port can carry
 * @nic: NIC
 *
 * The room of an SRv6 header with an SRH is always set aside, so that paths can be given to
 * a destination while QPs run.
 *
 * Context: any.
 * Return: a power of two, MRC_PMTU_MIN..MRC_PMTU_MAX.
 */
u32 mrc_nic_pmtu(const struct mrc_nic *nic)
{
	u32 mtu = MRC_PMTU_MAX + mrc_nic_overhead();
	struct net_device *dev;
	u32 pmtu = MRC_PMTU_MIN;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports; i++) {
		dev = rcu_dereference(nic->port[i].dev);
		if (dev)
			mtu = min(mtu, READ_ONCE(dev->mtu));
	}
	rcu_read_unlock();

	while (pmtu < MRC_PMTU_MAX && 2 * pmtu + mrc_nic_overhead() <= mtu)
		pmtu *= 2;
	return pmtu;
}

/*
 * What an operator can do about a port, or a route by it, that is too narrow:
 * both ways if there is room to name them.
 */
static int mrc_nic_refuse_mtu(const struct net_device *dev, const char *what,
			      u32 mtu, u32 packet, struct mrc_refusal *why)
{
	u32 fits = MRC_PMTU_MAX, needed = packet + mrc_nic_overhead();
	char less[sizeof(" or packet 65535")];
	size_t n;

	while (fits > MRC_PMTU_MIN && fits + mrc_nic_overhead() > mtu)
		fits /= 2;
	snprintf(less, sizeof(less), " or packet %u", fits);
	mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
		   "%sMTU %u of %s cannot carry %u-byte packets, use MTU %u",
		   what, mtu, dev->name, packet, needed);
	n = strlen(why->text);
	if (fits + mrc_nic_overhead() <= mtu &&
	    n + strlen(less) < sizeof(why->text))
		strscpy(why->text + n, less, sizeof(why->text) - n);
	return -EINVAL;
}

/**
 * mrc_nic_check_mtu - can all ports carry packets of a size?
 * @nic: NIC
 * @packet: payload bytes; 0: as small as any
 * @why: filled in if not
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int mrc_nic_check_mtu(const struct mrc_nic *nic, u32 packet,
		      struct mrc_refusal *why)
{
	const struct net_device *dev;
	int ret = 0;
	u32 mtu;
	u8 i;

	packet = max_t(u32, packet, MRC_PMTU_MIN);
	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !ret; i++) {
		dev = rcu_dereference(nic->port[i].dev);
		mtu = dev ? READ_ONCE(dev->mtu) : U32_MAX;
		if (packet + mrc_nic_overhead() > mtu)
			ret = mrc_nic_refuse_mtu(dev, "", mtu, packet, why);
	}
	rcu_read_unlock();
	return ret;
}

/**
 * mrc_nic_check_route - can the route of a flow carry packets of a size?
 * @nic: NIC
 * @flow: path; its source may be unspecified
 * @packet: payload bytes; 0: as small as any
 * @why: filled in if not
 *
 * A route may carry less than its port, because an operator says so or a router
 * has.  What has no route yet is not judged.
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int mrc_nic_check_route(struct mrc_nic *nic, const struct mrc_flow *flow,
			u32 packet, struct mrc_refusal *why)
{
	const struct net_device *dev;
	u32 mtu = mrc_route_mtu(nic, flow);
	int ret = 0;

	packet = max_t(u32, packet, MRC_PMTU_MIN);
	if (!mtu || packet + mrc_nic_overhead() <= mtu)
		return 0;
	rcu_read_lock();
	dev = rcu_dereference(nic->port[flow->plane - 1].dev);
	if (dev)
		ret = mrc_nic_refuse_mtu(dev, "route ", mtu, packet, why);
	rcu_read_unlock();
	return ret;
}

static void mrc_nic_dev_gone(struct mrc_nic *nic, u8 i)
{
	mrc_nic_lose_port(nic, i);
	if (nic->started)
		nic->ops->port_gone(nic, i + 1);
	if (mrc_nic_has_ports(nic))
		return;
	mrc_nic_leave(nic);
	if (nic->started)
		nic->ops->last_port_gone(nic);
}

static int mrc_nic_event(struct notifier_block *nb, unsigned long event,
			 void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct mrc_nic *nic = mrc_nic_find(dev);
	u8 i;

	if (!nic)
		return NOTIFY_DONE;
	i = mrc_nic_port_of(nic, dev) - 1;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		mrc_nic_set_up(nic, i, mrc_port_is_up(dev));
		break;
	case NETDEV_GOING_DOWN:
		mrc_nic_set_up(nic, i, false);
		break;
	case NETDEV_UNREGISTER:
		mrc_nic_dev_gone(nic, i);
		break;
	default:
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block mrc_nic_notifier = {
	.notifier_call = mrc_nic_event,
};

/**
 * mrc_nic_init - prepare the net layer and watch net_devices
 *
 * Return: 0 or a negative errno.
 */
int mrc_nic_init(void)
{
	int ret;

	ret = mrc_event_init();
	if (ret)
		return ret;
	ret = mrc_conn_wq_init();
	if (ret)
		goto err_event;
	ret = mrc_evprobe_wq_init();
	if (ret)
		goto err_wq;
	ret = mrc_socket_init();
	if (ret)
		goto err_evprobe;
	ret = register_netdevice_notifier(&mrc_nic_notifier);
	if (ret)
		goto err_socket;
	return 0;

err_socket:
	mrc_socket_exit();
err_evprobe:
	mrc_evprobe_wq_exit();
err_wq:
	mrc_conn_wq_exit();
err_event:
	mrc_event_exit();
	return ret;
}

/**
 * mrc_nic_exit - undo mrc_nic_init()
 *
 * No NIC is left.
 */
void mrc_nic_exit(void)
{
	unregister_netdevice_notifier(&mrc_nic_notifier);
	mrc_socket_exit();
	mrc_evprobe_wq_exit();
	mrc_conn_wq_exit();
	mrc_event_exit();
	/* What kfree_rcu() of this module waits for may name its objects. */
	rcu_barrier();
}
