/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The NIC: the net_devices of one RDMA device (port p is attached to plane p),
 * its counters, its path manager and its connections.
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
#include "path/pm.h"

struct in6_addr;
struct mrc_conn;
struct mrc_decap;
struct mrc_nic;

/**
 * struct mrc_port - one port of a NIC
 * @dev: net_device; RCU, written under RTNL; NULL once it is unregistered
 * @tracker: of the reference on @dev
 * @gsi: connection of the management QP, or NULL; RCU
 * @decap: uSID prefix set by the operator, or NULL; RCU, written under RTNL
 * @mbps: speed of the link in Mb/s; 0: the net_device reports none; written under
 *	RTNL, read without lock
 * @narrow_conns: number of connections that do not use the port because of its MTU
 */
struct mrc_port {
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct mrc_conn __rcu *gsi;
	struct mrc_decap __rcu *decap;
	u32 mbps;
	atomic_t narrow_conns;
};

/**
 * struct mrc_nic_ops - callbacks of the RDMA device of a NIC
 * @port_change: port @port (1-based) went up or down; RTNL held, may sleep
 * @port_gone: the net_device of @port is being unregistered; RTNL held; must
 *	release all references on it before it returns
 * @port_has: returns true if port @port has address @gid; atomic context
 * @last_port_gone: no net_device is left and the device must be unregistered,
 *	asynchronously, as RTNL is held
 */
struct mrc_nic_ops {
	void (*port_change)(struct mrc_nic *nic, u8 port, bool up);
	void (*port_gone)(struct mrc_nic *nic, u8 port);
	bool (*port_has)(const struct mrc_nic *nic, u8 port,
			 const struct in6_addr *gid);
	void (*last_port_gone)(struct mrc_nic *nic);
};

/**
 * struct mrc_nic - the ports of one RDMA device and their common state
 * @ref: one for the device, one for each connection, peer, round of EV probes
 *	and queued event work
 * @ops: callbacks of the RDMA device
 * @priv: the RDMA device, which sets it before mrc_nic_start()
 * @net: namespace of all ports; NULL once no port has a net_device; written
 *	under RTNL, read without lock only to be compared
 * @started: changes are reported to @ops; under RTNL
 * @n_ports: number of ports, 1..MRC_PLANE_MAX
 * @up: bit p-1 set: port p is up; written under RTNL, read without lock
 * @disabled: bit p-1 set: the operator has disabled port p; written under RTNL,
 *	read without lock
 * @narrow: bit p-1 set: it was reported that a connection does not use port p, because
 *	its MTU is too small; atomic, cleared when that or the link of the port changes
 * @epoch: incremented when ports or routes have changed; connections compare it
 *	before they use cached port masks and routes
 * @paths_gen: incremented when the operator has changed paths
 * @burst: largest number of packets in a burst, for new connections
 * @icrc_always: the operator requires the ICRC, see mrc_peer_set_icrc(); read
 *	without lock
 * @ignore_peer_ports: the operator has all ports of peers used, see
 *	mrc_peer_ignore_ports(); read without lock
 * @timer_late: lateness of timers on this host in ns, a decaying maximum; no
 *	lock, races lose a sample only
 * @timer_late_at: ns when @timer_late was last written; no lock either
 * @stats: per-CPU counters
 * @port_stats: per-CPU counters of each port, in the order of @port
 * @node: in the list of all NICs; RCU, written under RTNL
 * @rcu: delays the release past readers; in the first page, for kvfree_rcu()
 * @lock: protects @conns and the pointer to a connection's EV set; BH-safe,
 *	outside of req_lock and of the locks of explicit paths
 * @conns: connections by QP number, so that a walk can drop the lock and
 *	continue at the next number
 * @pm: path manager: configuration of the operator
 * @events: events that have not been reported yet
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
	unsigned long narrow;
	atomic_t epoch;
	atomic_t paths_gen;
	u32 burst;
	bool icrc_always;
	bool ignore_peer_ports;
	u64 timer_late;
	u64 timer_late_at;
	struct mrc_counters __percpu *stats;
	struct mrc_port_counters __percpu *port_stats;
	struct list_head node;
	struct rcu_head rcu;
	spinlock_t lock; /* conns */
	struct rb_root conns;
	struct mrc_pm pm;
	struct mrc_event_queue events;
	struct mrc_endpoint ep;
	struct mrc_port port[];
};

/* For mrc_pm_init(). */
extern const struct mrc_pm_ops mrc_nic_pm_ops;

#define mrc_count(nic, id) this_cpu_inc((nic)->stats->c[MRC_CNT_##id])
#define mrc_count_add(nic, id, n) \
	this_cpu_add((nic)->stats->c[MRC_CNT_##id], (n))

#define mrc_count_port_add(nic, port, id, n) \
	this_cpu_add((nic)->port_stats[(port) - 1].c[MRC_PORT_CNT_##id], (n))

/**
 * mrc_count_drop() - count a packet that is dropped
 * @nic: NIC
 * @port: 1-based port that received the packet; 0: none of @nic's
 * @reason: why
 *
 * Context: any.
 */
static inline void mrc_count_drop(struct mrc_nic *nic, u8 port,
				  enum mrc_drop reason)
{
	this_cpu_inc(nic->stats->c[mrc_counter_of_drop(reason)]);
	mrc_count(nic, RX_DROPS);
	if (port && mrc_drop_is_error(reason))
		mrc_count_port_add(nic, port, RX_ERRORS, 1);
}

/**
 * mrc_count_rtt() - count a round trip
 * @nic: NIC
 * @port: 1-based port that sent the packet
 * @rtt: ns
 *
 * Context: any.
 */
static inline void mrc_count_rtt(struct mrc_nic *nic, u8 port, u32 rtt)
{
	this_cpu_inc(nic->port_stats[port - 1].rtt[mrc_rtt_bucket(rtt)]);
	this_cpu_add(nic->port_stats[port - 1].rtt_sum, rtt);
}

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
u32 mrc_nic_carriers(const struct mrc_nic *nic);
u32 mrc_nic_pmtu(const struct mrc_nic *nic);
void mrc_nic_conn_narrow(struct mrc_nic *nic, u8 port, bool was, bool is);

/**
 * mrc_nic_is_narrow() - does a connection not use a port because of its MTU?
 * @nic: NIC
 * @port: 1-based
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool mrc_nic_is_narrow(const struct mrc_nic *nic, u8 port)
{
	return test_bit(port - 1, &nic->narrow);
}

int mrc_nic_init(void);
void mrc_nic_exit(void);

#endif /* MRC_NET_NIC_H */
