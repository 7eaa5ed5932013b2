// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue of events between the data path and the control layer.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "net/event.h"
#include "net/nic.h"

/* Work items of their own queue: unloading waits for these alone. */
static struct workqueue_struct *mrc_event_wq;
/* Written by mrc_event_set_sink(), which waits for users of the old one. */
static void (*mrc_event_sink)(struct mrc_nic *nic);

static void mrc_event_work(struct work_struct *work)
{
	struct mrc_nic *nic = container_of(work, struct mrc_nic, events.work);
	void (*sink)(struct mrc_nic *nic) = READ_ONCE(mrc_event_sink);
	struct mrc_event event;
	u64 serial;

	if (sink)
		sink(nic);
	else
		while (mrc_event_pop(nic, &event, &serial))
			continue;
	mrc_nic_put(nic);
}

/**
 * mrc_event_queue_init() - prepare the event queue of a NIC
 * @nic: NIC
 * @net: its namespace
 */
void mrc_event_queue_init(struct mrc_nic *nic, const struct net *net)
{
	struct mrc_event_queue *q = &nic->events;

	BUILD_BUG_ON_NOT_POWER_OF_2(MRC_EVENT_RING);
	INIT_WORK(&q->work, mrc_event_work);
	spin_lock_init(&q->lock);
	q->net = net;
	q->cookie = net->net_cookie;
}

/**
 * mrc_event_group() - to which group does an event belong?
 * @type: enum mrc_event_type
 *
 * Return: the group.
 */
enum mrc_event_group mrc_event_group(u8 type)
{
	switch (type) {
	case MRC_EVENT_PATH:
		return MRC_EVENT_PATHS;
	case MRC_EVENT_QP:
		return MRC_EVENT_QPS;
	default:
		return MRC_EVENT_PORTS;
	}
}

/**
 * mrc_event_post() - note that something happened
 * @nic: where; the caller holds a reference
 * @event: what; time and order are filled in here
 *
 * Takes no time to speak of: a full ring loses its oldest event.
 *
 * Context: process or softirq; locks may be held.
 */
void mrc_event_post(struct mrc_nic *nic, const struct mrc_event *event)
{
	struct mrc_event_queue *q = &nic->events;
	struct mrc_event_ring *ring = &q->ring[mrc_event_group(event->type)];
	struct mrc_event *slot;

	spin_lock_bh(&q->lock);
	if (ring->head - ring->tail == MRC_EVENT_RING)
		ring->tail++;
	slot = &ring->event[ring->head++ & (MRC_EVENT_RING - 1)];
	*slot = *event;
	slot->time = ktime_get_real_ns();
	slot->order = q->order++;
	spin_unlock_bh(&q->lock);

	/* The work gives this reference back, maybe before we look again. */
	kref_get(&nic->ref);
	if (!queue_work(mrc_event_wq, &q->work))
		mrc_nic_put(nic);
}

/**
 * mrc_event_dev() - note that the device on a NIC comes or goes
 * @nic: NIC
 * @name: of the RDMA device
 * @added: it has been registered; otherwise it will be unregistered
 *
 * Context: process.
 */
void mrc_event_dev(struct mrc_nic *nic, const char *name, bool added)
{
	struct mrc_event event = {
		.type = added ? MRC_EVENT_DEV_ADD : MRC_EVENT_DEV_DEL,
	};

	spin_lock_bh(&nic->events.lock);
	strscpy(nic->events.name, name, sizeof(nic->events.name));
	spin_unlock_bh(&nic->events.lock);
	mrc_event_post(nic, &event);
}

/**
 * mrc_event_port() - note that a port went up or down
 * @nic: NIC
 * @port: 1-based
 * @up: it carries packets now
 *
 * Context: process or softirq.
 */
void mrc_event_port(struct mrc_nic *nic, u8 port, bool up)
{
	struct mrc_event event = {
		.type = MRC_EVENT_PORT,
		.port = port,
		.state = up,
	};
	const struct net_device *dev;

	rcu_read_lock();
	dev = rcu_dereference(nic->port[port - 1].dev);
	if (dev)
		strscpy(event.ifname, dev->name, sizeof(event.ifname));
	rcu_read_unlock();
	mrc_event_post(nic, &event);
}

/**
 * mrc_event_qp() - note that a queue pair has failed
 * @nic: NIC
 * @qpn: queue pair
 * @peer: address of its peer
 * @cause: enum mrc_qp_cause
 *
 * Context: process or softirq.
 */
void mrc_event_qp(struct mrc_nic *nic, u32 qpn, const struct in6_addr *peer,
		  u8 cause)
{
	struct mrc_event event = {
		.type = MRC_EVENT_QP,
		.state = cause,
		.qpn = qpn,
		.dst = *peer,
	};

	mrc_event_post(nic, &event);
}

static struct mrc_event *mrc_event_oldest(struct mrc_event_ring *ring)
{
	return ring->head == ring->tail ? NULL :
	       &ring->event[ring->tail & (MRC_EVENT_RING - 1)];
}

/**
 * mrc_event_pop() - take the oldest event out of the queue
 * @nic: NIC
 * @event: filled in
 * @serial: filled in: its number in its group; those between the one before and
 *	this one have been lost
 *
 * Context: the sink.
 * Return: false if there is none.
 */
bool mrc_event_pop(struct mrc_nic *nic, struct mrc_event *event, u64 *serial)
{
	struct mrc_event_queue *q = &nic->events;
	struct mrc_event *first = NULL, *next;
	int i;

	spin_lock_bh(&q->lock);
	for (i = 0; i < MRC_EVENT_GROUPS; i++) {
		next = mrc_event_oldest(&q->ring[i]);
		if (next && (!first || next->order < first->order))
			first = next;
	}
	if (first) {
		*event = *first;
		*serial = q->ring[mrc_event_group(first->type)].tail++;
	}
	spin_unlock_bh(&q->lock);
	return first;
}

/**
 * mrc_event_name() - name of the device that events of a NIC belong to
 * @nic: NIC
 * @name: filled in, MRC_EVENT_NAME_MAX bytes
 */
void mrc_event_name(struct mrc_nic *nic, char *name)
{
	spin_lock_bh(&nic->events.lock);
	memcpy(name, nic->events.name, MRC_EVENT_NAME_MAX);
	spin_unlock_bh(&nic->events.lock);
}

/**
 * mrc_event_net_get() - the namespace that may hear of a NIC
 * @nic: NIC; all of its ports may have gone, and the namespace with them
 *
 * A NIC keeps no reference on its namespace: it would keep it from ending.
 * So the namespace is looked for in the list of the living.
 *
 * Context: process.
 * Return: the namespace with a reference for put_net(), or NULL.
 */
struct net *mrc_event_net_get(struct mrc_nic *nic)
{
	struct mrc_event_queue *q = &nic->events;
	struct net *net, *found = NULL;

	rcu_read_lock();
	for_each_net_rcu(net) {
		if (net == q->net && net->net_cookie == q->cookie) {
			found = maybe_get_net(net);
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/**
 * mrc_event_set_sink() - say who takes events out of the queues
 * @sink: called by a work item when @nic has events, takes them out with
 *	mrc_event_pop(); NULL: nobody, events are thrown away
 *
 * No call of the former sink is under way when this returns.
 *
 * Context: process.
 */
void mrc_event_set_sink(void (*sink)(struct mrc_nic *nic))
{
	WRITE_ONCE(mrc_event_sink, sink);
	flush_workqueue(mrc_event_wq);
}

/**
 * mrc_event_init() - start delivering events
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_event_init(void)
{
	mrc_event_wq = alloc_workqueue("mrc_event", 0, 0);
	return mrc_event_wq ? 0 : -ENOMEM;
}

/**
 * mrc_event_exit() - stop delivering events; no NIC is left to post any
 */
void mrc_event_exit(void)
{
	destroy_workqueue(mrc_event_wq);
}
