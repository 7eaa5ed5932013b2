/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The NIC: the net_devices (ports = planes) that one RDMA device is made of,
 * its counters, its destinations and its connections.
 */
#ifndef MRC_NET_NIC_H
#define MRC_NET_NIC_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/rbtree.h>
#include "core/ev.h"
#include "net/counters.h"
#include "net/endpoint.h"
#include "net/event.h"

struct in6_addr;
struct mrc_conn;
struct mrc_decap;
struct mrc_nic;
struct mrc_pm;
struct mrc_flow;
struct mrc_refusal;

/**
 * struct mrc_port - one port of a NIC
 * @dev: net_device; RCU, written under RTNL; NULL once it has gone
 * @tracker: of the reference on @dev
 * @gsi: management QP; RCU
 * @decap: its uSID prefix, if an operator has given it one; RCU, written under
 *	RTNL
 */
struct mrc_port {
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct mrc_conn __rcu *gsi;
	struct mrc_decap __rcu *decap;
};

/**
 * struct mrc_nic_ops - what a NIC tells the device that sits on it
 * @port_change: port @port (1-based) went up or down; RTNL held, may sleep
 * @port_gone: the net_device of @port is being unregistered; RTNL held; must
 *	let go of it before it returns
 * @port_has: port @port has address @gid; atomic
 * @last_port_gone: no net_device is left: the device must go (asynchronously;
 *	RTNL held)
 */
struct mrc_nic_ops {
	void (*port_change)(struct mrc_nic *nic, u8 port, bool up);
	void (*port_gone)(struct mrc_nic *nic, u8 port);
	bool (*port_has)(const struct mrc_nic *nic, u8 port,
			 const struct in6_addr *gid);
	void (*last_port_gone)(struct mrc_nic *nic);
};

/**
 * struct mrc_nic - the ports of one RDMA device and what they share
 * @ref: one for the device, one for each connection
 * @ops: the device on top
 * @priv: of the device on top, who sets it before mrc_nic_start()
 * @net: namespace of all ports; NULL once no port has its net_device; under
 *	RTNL
 * @started: @ops want to hear of changes; under RTNL
 * @n_ports: ports, 1..MRC_PLANE_MAX
 * @up: bit p-1 set: port p is up; written under RTNL, read anywhere
 * @disabled: bit p-1 set: an operator has taken port p out of use; likewise
 * @epoch: grows when ports or routes changed; connections compare it before
 *	they use what they cached
 * @paths_gen: grows when the operator has changed paths
 * @burst: most packets of a burst for new connections
 * @icrc_always: an operator insists on the ICRC; see mrc_peer_set_icrc(), read
 *	anywhere
 * @late: ns by which timers have run late of late; no lock, any value will do
 * @late_at: ns when @late last changed; likewise
 * @stats: per-CPU counters
 * @node: in the list of all NICs; RCU, written under RTNL
 * @pm: what the operator has configured
 * @dests: explicit paths by destination, see net/dest.h
 * @dests_lock: protects @dests; BH-safe
 * @lock: protects @conns and the pointer to a connection's EV set; BH-safe,
 *	outside of req_lock and of the locks of destinations
 * @conns: connections by QP number, so that walks can go on in pieces
 * @rcu: delays the release past readers
 * @events: what has not been told to operators yet
 * @ep: endpoint operations
 * @port: the ports; port[0] is port 1
 */
struct mrc_nic {
	struct kref ref;
	const struct mrc_nic_ops *ops;
	void *priv;
	struct net *net;
	bool started;
	u8 n_ports;
	u32 up;
	u32 disabled;
	atomic_t epoch;
	atomic_t paths_gen;
	u32 burst;
	bool icrc_always;
	u64 late;
	u64 late_at;
	struct mrc_counters __percpu *stats;
	struct list_head node;
	struct mrc_pm *pm;
	struct rb_root dests;
	spinlock_t dests_lock; /* dests */
	spinlock_t lock; /* conns */
	struct rb_root conns;
	struct rcu_head rcu;
	struct mrc_event_queue events;
	struct mrc_endpoint ep;
	struct mrc_port port[];
};

#define mrc_count(nic, id) this_cpu_inc((nic)->stats->c[MRC_CNT_##id])
#define mrc_count_add(nic, id, n) \
	this_cpu_add((nic)->stats->c[MRC_CNT_##id], (n))

struct mrc_nic *mrc_nic_create(struct net_device **devs, u8 n,
			       const struct mrc_nic_ops *ops,
			       struct netlink_ext_ack *extack);
void mrc_nic_start(struct mrc_nic *nic);
void mrc_nic_stop(struct mrc_nic *nic);
void mrc_nic_put(struct mrc_nic *nic);
int mrc_nic_check_port(const struct mrc_nic *nic, u32 port,
		       struct netlink_ext_ack *extack);
void mrc_nic_enable(struct mrc_nic *nic, u8 port, bool enable);
struct mrc_nic *mrc_nic_of(const struct net_device *dev);
int mrc_nic_set_gsi(struct mrc_nic *nic, u8 port, struct mrc_conn *conn);
void mrc_nic_clear_gsi(struct mrc_nic *nic, u8 port);
struct mrc_conn *mrc_nic_gsi(const struct net *net, const struct in6_addr *gid);
u8 mrc_nic_port_of(const struct mrc_nic *nic, const struct net_device *dev);
u32 mrc_nic_pmtu(const struct mrc_nic *nic);
int mrc_nic_check_mtu(const struct mrc_nic *nic, u32 packet,
		      struct mrc_refusal *why);
int mrc_nic_check_route(struct mrc_nic *nic, const struct mrc_flow *flow,
			u32 packet, struct mrc_refusal *why);

int mrc_nic_init(void);
void mrc_nic_exit(void);

#endif /* MRC_NET_NIC_H */
