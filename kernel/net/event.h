/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Events of a NIC that are reported to the operator.  The net and verbs layers
 * post events in any context; a work item passes them to the sink (the control
 * layer).  Posting never blocks: a full ring loses its oldest event, because
 * recent ones are worth more.  Events are numbered, so that a listener detects
 * how many it has missed, wherever they were lost.
 *
 * Ports, queue pairs and paths have rings and numbers of their own.  A switch
 * failure causes thousands of path events, and these must not displace the
 * event that tells the cause.
 */
#ifndef MRC_NET_EVENT_H
#define MRC_NET_EVENT_H

#include <linux/if.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "path/object.h"

struct mrc_nic;
struct net;

/* Events of a group that can be queued for the work item; power of two. */
#define MRC_EVENT_RING 256
/* &struct mrc_event.index of a path that is from no EV profile. */
#define MRC_EVENT_NO_INDEX U16_MAX
/* Size of a device name, as IB_DEVICE_NAME_MAX. */
#define MRC_EVENT_NAME_MAX 64

/**
 * enum mrc_event_type - type of an event
 * @MRC_EVENT_DEV_ADD: the device has been registered
 * @MRC_EVENT_DEV_DEL: the device is about to be unregistered
 * @MRC_EVENT_PORT: @port changed to @state, enum mrc_event_port_state
 * @MRC_EVENT_PATH: path @ev of connection @qpn changed to @state
 * @MRC_EVENT_QP: @qpn has failed with cause @state
 */
enum mrc_event_type {
	MRC_EVENT_DEV_ADD,
	MRC_EVENT_DEV_DEL,
	MRC_EVENT_PORT,
	MRC_EVENT_PATH,
	MRC_EVENT_QP,
};

/**
 * enum mrc_event_port_state - what has happened to a port
 * @MRC_EVENT_PORT_DOWN: it went down
 * @MRC_EVENT_PORT_UP: it went up, or its MTU has changed after it was too small
 * @MRC_EVENT_PORT_NARROW: a connection does not use it, because of its MTU
 */
enum mrc_event_port_state {
	MRC_EVENT_PORT_DOWN,
	MRC_EVENT_PORT_UP,
	MRC_EVENT_PORT_NARROW,
};

/**
 * enum mrc_event_group - events that a listener subscribes to together
 * @MRC_EVENT_PORTS: devices and ports
 * @MRC_EVENT_QPS: failed queue pairs
 * @MRC_EVENT_PATHS: paths of queue pairs
 * @MRC_EVENT_GROUPS: number of groups
 */
enum mrc_event_group {
	MRC_EVENT_PORTS,
	MRC_EVENT_QPS,
	MRC_EVENT_PATHS,
	MRC_EVENT_GROUPS
};

/**
 * struct mrc_event - one event
 * @time: CLOCK_REALTIME ns; set by mrc_event_post()
 * @order: position among all events of the NIC; set by mrc_event_post()
 * @type: enum mrc_event_type
 * @port: 1-based, of PORT and PATH events
 * @state: PORT: enum mrc_event_port_state; PATH: enum mrc_ev_state; QP: enum
 *	mrc_qp_cause
 * @qpn: own QP of a PATH or QP event
 * @ev: entropy value of a PATH event
 * @profile: EV profile of the path of a PATH event, if it has one
 * @index: index of the EV in @profile, or MRC_EVENT_NO_INDEX
 * @dst: peer of a PATH or QP event
 * @ifname: name of the net_device of a PORT event, which may have been
 *	unregistered by the time the event is delivered
 */
struct mrc_event {
	u64 time;
	u64 order;
	u8 type;
	u8 port;
	u8 state;
	u32 qpn;
	u32 ev;
	struct mrc_object_ref profile;
	u16 index;
	union {
		struct in6_addr dst;
		char ifname[IFNAMSIZ];
	};
};

/**
 * struct mrc_event_ring - queued events of one group
 * @head: number of the next event, from 0
 * @tail: number of the oldest queued event
 * @event: the events, each at its number modulo MRC_EVENT_RING
 */
struct mrc_event_ring {
	u64 head;
	u64 tail;
	struct mrc_event event[MRC_EVENT_RING];
};

/**
 * struct mrc_event_queue - events of one NIC that the sink has not taken yet
 * @work: calls the sink; holds a reference on the NIC while queued
 * @lock: protects all fields below; BH-safe, a leaf
 * @order: position of the next event
 * @name: name of the RDMA device; empty before it is registered
 * @net: namespace of the NIC; to be compared only, not dereferenced: it may
 *	have been freed
 * @cookie: distinguishes @net from a later namespace at the same address
 * @ring: events by group
 */
struct mrc_event_queue {
	struct work_struct work;
	spinlock_t lock; /* all below */
	u64 order;
	char name[MRC_EVENT_NAME_MAX];
	const struct net *net;
	u64 cookie;
	struct mrc_event_ring ring[MRC_EVENT_GROUPS];
};

/* Called before the NIC receives packets or notifications. */
void mrc_event_queue_init(struct mrc_nic *nic, const struct net *net);

void mrc_event_post(struct mrc_nic *nic, const struct mrc_event *event);
void mrc_event_dev(struct mrc_nic *nic, const char *name, bool added);
void mrc_event_port(struct mrc_nic *nic, u8 port,
		    enum mrc_event_port_state state);
void mrc_event_qp(struct mrc_nic *nic, u32 qpn, const struct in6_addr *peer,
		  u8 cause);

enum mrc_event_group mrc_event_group(u8 type);
bool mrc_event_pop(struct mrc_nic *nic, struct mrc_event *event, u64 *serial);
void mrc_event_name(struct mrc_nic *nic, char *name);
struct net *mrc_event_net_get(struct mrc_nic *nic);
void mrc_event_set_sink(void (*sink)(struct mrc_nic *nic));

int mrc_event_init(void);
void mrc_event_exit(void);

#endif /* MRC_NET_EVENT_H */
