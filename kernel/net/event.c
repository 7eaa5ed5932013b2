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

/* A workqueue of its own: it can be flushed without waiting for other work. */
static struct workqueue_struct *mrc_event_wq;
/* Written by mrc_event_set_sink(), which waits for calls of the old sink. */
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
 * mrc_event_group() - group of an event
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
 * mrc_event_post() - queue an event for the sink
 * @nic: NIC; the caller holds a reference
 * @event: content, copied; time and order are set in the copy
 *
 * Does not block: a full ring loses its oldest event.
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

	/* The work drops this reference, maybe before queue_work() returns. */
	kref_get(&nic->ref);
	if (!queue_work(mrc_event_wq, &q->work))
		mrc_nic_put(nic);
}

/**
 * mrc_event_dev() - report that a device is registered or unregistered
 * @nic: NIC
 * @name: name of the RDMA device
 * @added: true: it has been registered; false: it is about to be unregistered
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
 * mrc_event_port() - report that the state of a port has changed
 * @nic: NIC
 * @port: 1-based
 * @state: what has happened
 *
 * Context: process or softirq.
 */
void mrc_event_port(struct mrc_nic *nic, u8 port,
		    enum mrc_event_port_state state)
{
	struct mrc_event event = {
		.type = MRC_EVENT_PORT,
		.port = port,
		.state = state,
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
 * mrc_event_qp() - report that a queue pair has failed
 * @nic: NIC
 * @qpn: its number
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
 * mrc_event_pop() - remove the oldest event from the queue of a NIC
 * @nic: NIC
 * @event: set to the event
 * @serial: set to its number in its group; numbers missing between two events
 *	of a group are those of lost events
 *
 * Context: the sink.
 * Return: false if the queue is empty.
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
 * @name: set, MRC_EVENT_NAME_MAX bytes
 */
void mrc_event_name(struct mrc_nic *nic, char *name)
{
	spin_lock_bh(&nic->events.lock);
	memcpy(name, nic->events.name, MRC_EVENT_NAME_MAX);
	spin_unlock_bh(&nic->events.lock);
}

/**
 * mrc_event_net_get() - the namespace that events of a NIC are delivered to
 * @nic: NIC; all of its ports, and the namespace, may be gone
 *
 * A NIC holds no reference on its namespace, because that would prevent the
 * namespace from being released.  Therefore the namespace is searched in the
 * list of existing ones.
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
 * mrc_event_set_sink() - set the function that takes events from the queues
 * @sink: called by a work item when @nic has events, removes them with
 *	mrc_event_pop(); NULL: events are discarded
 *
 * No call of the previous sink is running any more after the return.
 *
 * Context: process.
 */
void mrc_event_set_sink(void (*sink)(struct mrc_nic *nic))
{
	WRITE_ONCE(mrc_event_sink, sink);
	flush_workqueue(mrc_event_wq);
}

/**
 * mrc_event_init() - create the workqueue of events
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_event_init(void)
{
	mrc_event_wq = alloc_workqueue("mrc_event", 0, 0);
	return mrc_event_wq ? 0 : -ENOMEM;
}

/**
 * mrc_event_exit() - undo mrc_event_init()
 *
 * Called when no NIC is left.
 */
void mrc_event_exit(void)
{
	destroy_workqueue(mrc_event_wq);
}
