/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Events of a NIC that an operator wants to hear of.  Whoever notices something
 * leaves a note here, in any context; a work item hands the notes over to the
 * sink (the control layer).  A full ring costs its oldest notes, never time:
 * late ones are worth more.  Notes are numbered, so that whoever gets them knows
 * how many he has missed, wherever they were lost.
 *
 * Ports, queue pairs and paths have rings and numbers of their own: a switch that
 * fails makes thousands of notes about paths, and must not cost the one that says
 * why.
 */
#ifndef MRC_NET_EVENT_H
#define MRC_NET_EVENT_H

#include <linux/if.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct mrc_nic;
struct net;

/* Events of a group that may wait for the work item; power of two. */
#define MRC_EVENT_RING 256
/* Longest device name, as IB_DEVICE_NAME_MAX. */
#define MRC_EVENT_NAME_MAX 64

/**
 * enum mrc_event_type - what happened
 * @MRC_EVENT_DEV_ADD: the device was registered
 * @MRC_EVENT_DEV_DEL: the device is going away
 * @MRC_EVENT_PORT: @port went up (@state 1) or down (@state 0)
 * @MRC_EVENT_PATH: path @ev of connection @qpn came into @state
 * @MRC_EVENT_QP: @qpn has failed, because of @state
 */
enum mrc_event_type {
	MRC_EVENT_DEV_ADD,
	MRC_EVENT_DEV_DEL,
	MRC_EVENT_PORT,
	MRC_EVENT_PATH,
	MRC_EVENT_QP,
};

/**
 * enum mrc_event_group - what one may listen to
 * @MRC_EVENT_PORTS: devices and ports
 * @MRC_EVENT_QPS: queue pairs that fail
 * @MRC_EVENT_PATHS: paths of queue pairs
 * @MRC_EVENT_GROUPS: how many there are
 */
enum mrc_event_group {
	MRC_EVENT_PORTS,
	MRC_EVENT_QPS,
	MRC_EVENT_PATHS,
	MRC_EVENT_GROUPS
};

/**
 * struct mrc_event - one event
 * @time: CLOCK_REALTIME ns; filled in by mrc_event_post()
 * @order: place among all events of the NIC; filled in likewise
 * @type: enum mrc_event_type
 * @port: 1-based, of PORT and PATH events
 * @state: PORT: 1 if up; PATH: enum mrc_ev_state; QP: enum mrc_qp_cause
 * @qpn: own QP of a PATH or QP event
 * @ev: entropy value of a PATH event
 * @dst: peer of a PATH or QP event
 * @ifname: net_device of a PORT event, which may be gone when it is sent
 */
struct mrc_event {
	u64 time;
	u64 order;
	u8 type;
	u8 port;
	u8 state;
	u32 qpn;
	u32 ev;
	union {
		struct in6_addr dst;
		char ifname[IFNAMSIZ];
	};
};

/**
 * struct mrc_event_ring - events of one group
 * @head: number of the next event, from 0
 * @tail: number of the oldest event that waits
 * @event: the events
 */
struct mrc_event_ring {
	u64 head;
	u64 tail;
	struct mrc_event event[MRC_EVENT_RING];
};

/**
 * struct mrc_event_queue - events of one NIC that have not been sent yet
 * @work: hands them to the sink; holds a reference on the NIC while queued
 * @lock: protects what follows; BH-safe, a leaf
 * @order: place of the next event
 * @name: of the RDMA device; empty before it is registered
 * @net: namespace of the NIC; only to be compared, it may be gone
 * @cookie: tells @net from a later namespace at its address
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

/* The NIC calls this before anything can happen to it. */
void mrc_event_queue_init(struct mrc_nic *nic, const struct net *net);

void mrc_event_post(struct mrc_nic *nic, const struct mrc_event *event);
void mrc_event_dev(struct mrc_nic *nic, const char *name, bool added);
void mrc_event_port(struct mrc_nic *nic, u8 port, bool up);
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
