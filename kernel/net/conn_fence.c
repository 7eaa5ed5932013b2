// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transmit queue fences of connections: when a CPU has sent the packets given to it.
 *
 * Packets may stay on the CPU that transmits them until it runs its softirqs;
 * over veth this is true at every hop.  A BH work of this CPU, queued behind
 * them, passes the fences of all connections: their packets have left.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>
#include "net/conn.h"

/* Rounds that a fence waits for a CPU that always has packets to receive. */
#define MRC_CONN_FENCE_ROUNDS 16

/**
 * struct mrc_fence_queue - fences of one CPU
 * @lock: protects @fences; BH-safe; outside req_lock
 * @fences: &struct mrc_conn_fence.node, posted and not passed
 * @work: passes @fences; queued or running while there are any
 */
struct mrc_fence_queue {
	spinlock_t lock; /* fences */
	struct list_head fences;
	struct mrc_bh_work work;
};

static DEFINE_PER_CPU(struct mrc_fence_queue, mrc_fence_queues);

static void mrc_conn_fence_pass(struct mrc_conn_fence *fence)
{
	struct mrc_conn *conn = fence->conn;
	u32 i = fence - conn->fences;

	spin_lock(&conn->req_lock);
	mrc_txq_fence_pass(&conn->req.txq_fences[i], ktime_get_ns());
	spin_unlock(&conn->req_lock);
}

/*
 * While NET_RX is pending, packets may still be on this CPU: NET_RX has not run since
 * they were sent, or they were too many for one round of it.
 */
static void mrc_conn_fences_run(struct mrc_bh_work *work)
{
	struct mrc_fence_queue *queue =
		container_of(work, struct mrc_fence_queue, work);
	bool rx = local_softirq_pending() & BIT(NET_RX_SOFTIRQ);
	struct mrc_conn_fence *fence, *next;

	spin_lock(&queue->lock);
	list_for_each_entry_safe(fence, next, &queue->fences, node) {
		if (rx && ++fence->rounds < MRC_CONN_FENCE_ROUNDS)
			continue;
		list_del_init(&fence->node);
		mrc_conn_fence_pass(fence);
	}
	if (!list_empty(&queue->fences))
		mrc_bh_work_yield(work);
	spin_unlock(&queue->lock);
}

/**
 * mrc_conn_post_fence - post a fence behind the packets about to be sent
 * @conn: connection that sends
 * @now: ns, send time of the packets
 *
 * Context: BH off, req_lock held.
 * Return: fence for mrc_conn_queue_fence(), or NULL if an earlier one of this CPU
 * has not been passed.
 */
struct mrc_conn_fence *mrc_conn_post_fence(struct mrc_conn *conn, u64 now)
{
	u32 i = smp_processor_id() % MRC_TXQ_FENCES;

	lockdep_assert_held(&conn->req_lock);
	if (!mrc_txq_fence_post(&conn->req.txq_fences[i], now))
		return NULL;
	return &conn->fences[i];
}

/**
 * mrc_conn_queue_fence - have a fence passed when this CPU has sent its packets
 * @fence: from mrc_conn_post_fence()
 *
 * Context: BH off since mrc_conn_post_fence(), RCU read side; req_lock not held.
 */
void mrc_conn_queue_fence(struct mrc_conn_fence *fence)
{
	struct mrc_fence_queue *queue = this_cpu_ptr(&mrc_fence_queues);

	spin_lock(&queue->lock);
	if (list_empty(&queue->fences))
		mrc_bh_work_queue(&queue->work);
	fence->queue = queue;
	fence->rounds = 0;
	list_add_tail(&fence->node, &queue->fences);
	spin_unlock(&queue->lock);
}

/**
 * mrc_conn_drop_fences - remove the fences of a connection from all queues
 * @conn: connection that does not send; a grace period has passed since it did
 *
 * They are not passed any more when it returns.
 *
 * Context: process.
 */
void mrc_conn_drop_fences(struct mrc_conn *conn)
{
	struct mrc_fence_queue *queue;
	int i;

	for (i = 0; i < MRC_TXQ_FENCES; i++) {
		queue = conn->fences[i].queue;
		if (!queue)
			continue;
		spin_lock_bh(&queue->lock);
		list_del_init(&conn->fences[i].node);
		spin_unlock_bh(&queue->lock);
	}
}

/**
 * mrc_conn_init_fences - prepare the fences of a connection
 * @conn: zeroed memory
 *
 * Context: process.
 */
void mrc_conn_init_fences(struct mrc_conn *conn)
{
	int i;

	for (i = 0; i < MRC_TXQ_FENCES; i++) {
		conn->fences[i].conn = conn;
		INIT_LIST_HEAD(&conn->fences[i].node);
	}
}

/**
 * mrc_conn_fence_init - prepare the CPUs for fences
 *
 * Context: process.
 */
void mrc_conn_fence_init(void)
{
	struct mrc_fence_queue *queue;
	int cpu;

	for_each_possible_cpu(cpu) {
		queue = per_cpu_ptr(&mrc_fence_queues, cpu);
		spin_lock_init(&queue->lock);
		INIT_LIST_HEAD(&queue->fences);
		mrc_bh_work_init(&queue->work, mrc_conn_fences_run);
	}
}

/**
 * mrc_conn_fence_exit - undo mrc_conn_fence_init()
 *
 * No connection is left.
 *
 * Context: process; sleeps.
 */
void mrc_conn_fence_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		mrc_bh_work_cancel_sync(&per_cpu_ptr(&mrc_fence_queues,
						     cpu)->work);
}
