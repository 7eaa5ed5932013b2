// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life cycle of a NIC and its ports: follows the net_devices.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include "compat/extack.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/decap.h"
#include "net/event.h"
#include "net/evprobe.h"
#include "net/grace.h"
#include "net/home.h"
#include "net/nic.h"
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

	nic = kvzalloc(struct_size(nic, port, n), GFP_KERNEL_ACCOUNT);
	if (!nic)
		return NULL;
	nic->stats = alloc_percpu(struct mrc_counters);
	if (!nic->stats)
		goto err_free;
	nic->port_stats = __alloc_percpu(n * sizeof(*nic->port_stats),
					 __alignof__(*nic->port_stats));
	if (!nic->port_stats)
		goto err_stats;
	if (mrc_pm_init(&nic->pm, &mrc_nic_pm_ops, n))
		goto err_port_stats;
	mrc_endpoint_init(&nic->ep);

	kref_init(&nic->ref);
	nic->conns = RB_ROOT;
	spin_lock_init(&nic->lock);
	nic->ops = ops;
	nic->n_ports = n;
	nic->burst = MRC_BURST_DEFAULT;
	return nic;

err_port_stats:
	free_percpu(nic->port_stats);
err_stats:
	free_percpu(nic->stats);
err_free:
	kvfree(nic);
	return NULL;
}

static void mrc_nic_free(struct kref *ref)
{
	struct mrc_nic *nic = container_of(ref, struct mrc_nic, ref);

	mrc_pm_exit(&nic->pm);
	free_percpu(nic->port_stats);
	free_percpu(nic->stats);
	kvfree_rcu(nic, rcu);
}

/**
 * mrc_nic_put - drop a reference
 * @nic: NIC
 *
 * Context: process; may sleep when it drops the last reference.
 */
void mrc_nic_put(struct mrc_nic *nic)
{
	kref_put(&nic->ref, mrc_nic_free);
}

/* A speed that is not known changes nothing: links without carrier have none. */
static void mrc_nic_read_speed(struct mrc_nic *nic, u8 i)
{
	struct ethtool_link_ksettings ks;
	struct net_device *dev = mrc_port_dev(nic, i);

	if (!dev || __ethtool_get_link_ksettings(dev, &ks) ||
	    ks.base.speed == (u32)SPEED_UNKNOWN)
		return;
	WRITE_ONCE(nic->port[i].mbps, ks.base.speed);
}

static void mrc_nic_attach_ports(struct mrc_nic *nic, struct net_device **devs)
{
	struct mrc_port *port = nic->port;
	u8 i;

	for (i = 0; i < nic->n_ports; i++, port++) {
		netdev_hold(devs[i], &port->tracker, GFP_KERNEL);
		rcu_assign_pointer(port->dev, devs[i]);
		mrc_nic_read_speed(nic, i);
		if (mrc_port_is_up(devs[i]))
			nic->up |= BIT(i);
	}
}

/**
 * mrc_nic_create - create a NIC with the given net_devices as ports
 * @devs: net_devices in the order of the ports
 * @n: number of net_devices
 * @ops: callbacks of the RDMA device
 * @extack: receives the reason of an error
 *
 * The NIC receives packets from now on, but calls no @ops before
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
	mrc_nic_attach_ports(nic, devs);
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
	if (up) {
		mrc_count(nic, PORT_UP);
	} else {
		mrc_count(nic, PORT_DOWN);
		mrc_count_port_add(nic, i + 1, LINK_DOWNED, 1);
	}
	mrc_conn_ports_changed(nic);
	mrc_peer_notify_all(nic);
	if (!nic->started)
		return;
	clear_bit(i, &nic->narrow);
	mrc_event_port(nic, i + 1, up ? MRC_EVENT_PORT_UP : MRC_EVENT_PORT_DOWN);
	nic->ops->port_change(nic, i + 1, up);
}

/**
 * mrc_nic_start - report port changes from now on
 * @nic: NIC whose device is registered
 *
 * Changes since mrc_nic_create() are reported before the return.
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
 * mrc_nic_check_port - validate a port number
 * @nic: NIC
 * @port: 1-based, not validated
 * @extack: receives the reason of an error
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
 * mrc_nic_enable - enable or disable a port
 * @nic: NIC
 * @port: 1-based
 * @enable: true: enable
 *
 * After the return no burst is scheduled on a path of a disabled port.  Peers
 * are notified of the change.
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

/* Releases the net_device of a port; the port remains, down and empty. */
static void mrc_nic_detach_port(struct mrc_nic *nic, u8 i)
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

static void mrc_nic_leave_net(struct mrc_nic *nic)
{
	struct net *net = nic->net;

	if (!net)
		return;
	mrc_decap_clear(nic);
	list_del_rcu(&nic->node);
	WRITE_ONCE(nic->net, NULL);
	mrc_socket_put(net);
	/* New packets do not find the NIC; wait for those in processing. */
	synchronize_net();
}

/**
 * mrc_nic_stop - release the net_devices
 * @nic: NIC whose device has been unregistered
 *
 * Connections may still exist, but cannot send any more.
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
			mrc_nic_detach_port(nic, i);
	}
	mrc_nic_leave_net(nic);
	rtnl_unlock();
}

/**
 * mrc_nic_port_of - port number of a net_device
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
 * mrc_nic_carriers - ports whose links are up now
 * @nic: NIC
 *
 * Unlike @up, which follows netdev notifiers: these may report a change of the
 * carrier up to a second late.
 *
 * Context: RCU read side.
 * Return: mask, bit p-1 set: port p has a carrier.
 */
u32 mrc_nic_carriers(const struct mrc_nic *nic)
{
	const struct net_device *dev;
	u32 carriers = 0;
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		dev = rcu_dereference(nic->port[i].dev);
		if (dev && netif_carrier_ok(dev))
			carriers |= BIT(i);
	}
	return carriers;
}

/**
 * mrc_nic_of - the NIC that received a packet
 * @dev: net_device that received the packet
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
 * mrc_nic_set_gsi - set the management QP of a port
 * @nic: NIC
 * @port: 1-based
 * @conn: connection of the QP
 *
 * Context: any.
 * Return: 0, or -EBUSY if the port has one.
 */
int mrc_nic_set_gsi(struct mrc_nic *nic, u8 port, struct mrc_conn *conn)
{
	struct mrc_conn __rcu **gsi = &nic->port[port - 1].gsi;

	return unrcu_pointer(cmpxchg(gsi, NULL, RCU_INITIALIZER(conn))) ?
		       -EBUSY : 0;
}

/**
 * mrc_nic_clear_gsi - remove the management QP of a port
 * @nic: NIC
 * @port: 1-based
 *
 * Context: any.  Received packets may reach the QP until a grace period has
 * passed.
 */
void mrc_nic_clear_gsi(struct mrc_nic *nic, u8 port)
{
	RCU_INIT_POINTER(nic->port[port - 1].gsi, NULL);
}

static struct mrc_conn *mrc_nic_find_gsi(const struct mrc_nic *nic,
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
 * mrc_nic_gsi - find the management QP that a packet is addressed to
 * @net: namespace that received the packet
 * @gid: destination address of the packet
 *
 * A packet to any address of a device may arrive at each port, but the
 * connection manager expects it on the port that has the address.
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
			conn = mrc_nic_find_gsi(nic, gid);
		if (conn)
			break;
	}
	return conn;
}

static void mrc_nic_dev_gone(struct mrc_nic *nic, u8 i)
{
	mrc_nic_detach_port(nic, i);
	if (nic->started)
		nic->ops->port_gone(nic, i + 1);
	if (mrc_nic_has_ports(nic))
		return;
	mrc_nic_leave_net(nic);
	if (nic->started)
		nic->ops->last_port_gone(nic);
}

static void mrc_nic_report_narrow(struct mrc_nic *nic, u8 port)
{
	if (!(READ_ONCE(nic->up) & BIT(port - 1)))
		return;
	if (!test_and_set_bit(port - 1, &nic->narrow))
		mrc_event_port(nic, port, MRC_EVENT_PORT_NARROW);
}

static void mrc_nic_report_wide(struct mrc_nic *nic, u8 port)
{
	if (!test_and_clear_bit(port - 1, &nic->narrow))
		return;
	if (READ_ONCE(nic->up) & BIT(port - 1))
		mrc_event_port(nic, port, MRC_EVENT_PORT_UP);
}

/**
 * mrc_nic_conn_narrow - a connection has compared its packets with the MTU of a port
 * @nic: NIC
 * @port: 1-based
 * @was: the port was too narrow for this connection
 * @is: it is now
 *
 * The first connection that cannot use the port is reported, and the last one that could
 * not.  A report that races with that of another connection is corrected when either of
 * them looks its routes up again.
 *
 * Context: any.
 */
void mrc_nic_conn_narrow(struct mrc_nic *nic, u8 port, bool was, bool is)
{
	atomic_t *conns = &nic->port[port - 1].narrow_conns;

	if (is && !was)
		atomic_inc(conns);
	if (is)
		mrc_nic_report_narrow(nic, port);
	else if (was && atomic_dec_and_test(conns))
		mrc_nic_report_wide(nic, port);
}

/* Connections compare their packets with the new MTU when they send next. */
static void mrc_nic_mtu_changed(struct mrc_nic *nic, u8 i)
{
	mrc_nic_report_wide(nic, i + 1);
	mrc_conn_ports_changed(nic);
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
		mrc_nic_read_speed(nic, i);
		mrc_nic_set_up(nic, i, mrc_port_is_up(dev));
		break;
	case NETDEV_GOING_DOWN:
		mrc_nic_set_up(nic, i, false);
		break;
	case NETDEV_CHANGEMTU:
		mrc_nic_mtu_changed(nic, i);
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

/* The next hop of a port was resolved, or is no longer. */
static int mrc_nic_neigh_event(struct notifier_block *nb, unsigned long event,
			       void *ptr)
{
	const struct neighbour *neigh = ptr;
	struct mrc_nic *nic;

	if (event != NETEVENT_NEIGH_UPDATE)
		return NOTIFY_DONE;
	rcu_read_lock();
	list_for_each_entry_rcu(nic, &mrc_nics, node) {
		if (mrc_nic_port_of(nic, neigh->dev))
			atomic_inc(&nic->epoch);
	}
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block mrc_nic_neigh_notifier = {
	.notifier_call = mrc_nic_neigh_event,
};

/**
 * mrc_nic_init - initialise the net layer and follow net_devices
 *
 * Return: 0 or a negative errno.
 */
int mrc_nic_init(void)
{
	int ret;

	mrc_grace_init();
	mrc_conn_init_numbers();
	ret = mrc_event_init();
	if (ret)
		return ret;
	ret = mrc_conn_wq_init();
	if (ret)
		goto err_event;
	mrc_conn_fence_init();
	mrc_home_init();
	ret = mrc_evprobe_wq_init();
	if (ret)
		goto err_wq;
	ret = mrc_socket_init();
	if (ret)
		goto err_evprobe;
	ret = register_netdevice_notifier(&mrc_nic_notifier);
	if (ret)
		goto err_socket;
	ret = register_netevent_notifier(&mrc_nic_neigh_notifier);
	if (ret)
		goto err_netdevice;
	return 0;

err_netdevice:
	unregister_netdevice_notifier(&mrc_nic_notifier);
err_socket:
	mrc_socket_exit();
err_evprobe:
	mrc_evprobe_wq_exit();
err_wq:
	mrc_conn_fence_exit();
	mrc_home_exit();
	mrc_conn_wq_exit();
err_event:
	mrc_event_exit();
	return ret;
}

/**
 * mrc_nic_exit - undo mrc_nic_init()
 *
 * Called when no NIC is left.
 */
void mrc_nic_exit(void)
{
	unregister_netevent_notifier(&mrc_nic_neigh_notifier);
	unregister_netdevice_notifier(&mrc_nic_notifier);
	mrc_socket_exit();
	mrc_evprobe_wq_exit();
	mrc_conn_fence_exit();
	mrc_home_exit();
	mrc_conn_wq_exit();
	mrc_event_exit();
	/* Pending kfree_rcu() may still refer to objects of this module. */
	rcu_barrier();
}
