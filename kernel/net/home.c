// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Home processors: where the packets of a connection are processed.
 *
 * The entropy of the packets of a connection differs on purpose, so a NIC spreads them
 * over its queues and these over processors, which would meet at the locks of the
 * connection.  So each connection has a home processor, and buffers of many packets are
 * steered to it, before IP looks up their route: whoever receives one adds it to a list,
 * without a lock, and interrupts the home processor if the list was empty.  There IP
 * processes all that have come, and then the connections, several buffers that one
 * connection has received on one plane with one acknowledgment.
 *
 * The home is a processor on which the process may run, so that work is done where its
 * memory is, and by none that others have reserved.  Of these it is the one that is least
 * busy with connections and with threads that poll, and then the one that is home of the
 * fewest connections; unless the process chooses it with a completion vector.
 */
#include <linux/cpumask.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <net/dst.h>
#include <net/ip.h>
#include "compat/bh_work.h"
#include "core/home_choice.h"
#include "net/conn.h"
#include "net/home.h"
#include "net/receive.h"

/* Buffers that may wait for a processor: 64 MiB in full ones. */
#define MRC_HOME_MAX 1024
/* Buffers and bytes processed before other softirqs run. */
#define MRC_HOME_ROUND 64
#define MRC_HOME_ROUND_BYTES MRC_BH_WORK_TURN
/* Bytes processed with the lock of a connection held, and acknowledged together. */
#define MRC_HOME_BATCH_BYTES SZ_256K
/* Buffers among which those are looked for: a few of each of some connections and planes. */
#define MRC_HOME_AHEAD 32

/* Where the control block of a buffer is free before IP: behind those of IPv4 and IPv6. */
#define MRC_HOME_CB ALIGN(sizeof(struct inet_skb_parm) > sizeof(struct inet6_skb_parm) ? \
			  sizeof(struct inet_skb_parm) : \
			  sizeof(struct inet6_skb_parm), sizeof(void *))

/**
 * struct mrc_home_list - buffers that wait
 * @arrived: those that are not in @queue, the latest first; any processor adds, the home
 *	takes all
 * @queue: the others, the earliest first; used by the home only
 */
struct mrc_home_list {
	struct llist_head arrived;
	struct llist_node *queue;
};

/**
 * struct mrc_home - what one processor does for connections
 * @input: buffers that IP has not processed
 * @ready: buffers that it has
 * @waiting: number of buffers in both
 * @conns: connections whose home this is
 * @busy: ns spent for steered buffers and for sending since @since; used by this processor
 *	only
 * @since: jiffies when @busy was zero; written by this processor
 * @load: percent of the time spent so before @since; when connections move it is adapted,
 *	by any processor, and updates may be lost
 * @moved_at: jiffies when @load was last adapted
 * @moved_seen: @moved_at when @busy was zero; used by this processor only
 * @posters: connections whose acknowledgments have followed a running thread here
 * @wake: has the processor queue @work; whoever sets @woken may use it
 * @woken: the interrupt of @wake is on its way; atomic
 * @work: processes the buffers
 * @running: @work runs; used by the home only
 */
struct mrc_home {
	struct mrc_home_list input;
	struct mrc_home_list ready;
	atomic_t waiting;
	atomic_t conns;
	u64 busy;
	unsigned long since;
	unsigned long moved_at;
	unsigned long moved_seen;
	u32 load;
	atomic_t posters;
	call_single_data_t wake;
	atomic_t woken;
	struct mrc_bh_work work;
	bool running;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct mrc_home, mrc_homes);

/**
 * struct mrc_home_cb - what is known of a buffer that waits
 * @next: what IP does next with it, if it was steered before IP
 * @qpn: its connection, in the namespace of its device
 */
struct mrc_home_cb {
	mrc_home_next_fn *next;
	u32 qpn;
};

static struct mrc_home_cb *mrc_home_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(MRC_HOME_CB + sizeof(struct mrc_home_cb) > sizeof(skb->cb));
	return (struct mrc_home_cb *)&skb->cb[MRC_HOME_CB];
}

static bool mrc_home_has(const struct mrc_home_list *list)
{
	return list->queue || !llist_empty(&list->arrived);
}

static struct sk_buff *mrc_home_pop(struct mrc_home *home,
				    struct mrc_home_list *list)
{
	struct sk_buff *skb;

	if (!list->queue)
		list->queue = llist_reverse_order(llist_del_all(&list->arrived));
	if (!list->queue)
		return NULL;
	skb = llist_entry(list->queue, struct sk_buff, ll_node);
	list->queue = list->queue->next;
	skb_mark_not_on_list(skb);
	atomic_dec(&home->waiting);
	return skb;
}

/*
 * If one of the first buffers in the queue has come to @dev for @qpn, it overtakes those
 * before it.
 */
static void mrc_home_prefer(struct mrc_home_list *list, const struct net_device *dev,
			    u32 qpn)
{
	struct llist_node **link = &list->queue, *node;
	struct sk_buff *skb;
	u32 n;

	for (n = 0; *link && n < MRC_HOME_AHEAD; n++, link = &(*link)->next) {
		node = *link;
		skb = llist_entry(node, struct sk_buff, ll_node);
		if (skb->dev != dev || mrc_home_cb(skb)->qpn != qpn)
			continue;
		*link = node->next;
		node->next = list->queue;
		list->queue = node;
		return;
	}
}

/* Have IP process what has arrived; mrc_home_steer() gets most of it again. */
static void mrc_home_run_input(struct mrc_home *home)
{
	struct net_device *dev;
	struct sk_buff *skb;
	u32 n;

	for (n = 0; n < MRC_HOME_ROUND; n++) {
		skb = mrc_home_pop(home, &home->input);
		if (!skb)
			return;
		dev = skb->dev;
		mrc_home_cb(skb)->next(dev_net(dev), NULL, skb);
		dev_put(dev);
	}
}

/*
 * Process what is ready.  Acknowledgments tell the sender about the path of the packet
 * that has caused them, so buffers of two planes are not acknowledged together.  A sender
 * uses its planes in turn, and several send at the same time; so buffers of one connection
 * and plane overtake others, until their batch is full.
 */
static void mrc_home_run_ready(struct mrc_home *home)
{
	const struct net_device *last = NULL;
	u32 n, bytes = 0, held = 0, qpn = 0;
	struct mrc_rx rx = {};
	struct net_device *dev;
	struct sk_buff *skb;

	rx.since = ktime_get_ns();
	for (n = 0; n < MRC_HOME_ROUND && bytes < MRC_HOME_ROUND_BYTES; n++) {
		if (last && held < MRC_HOME_BATCH_BYTES)
			mrc_home_prefer(&home->ready, last, qpn);
		skb = mrc_home_pop(home, &home->ready);
		if (!skb)
			break;
		dev = skb->dev;
		if (dev != last || mrc_home_cb(skb)->qpn != qpn ||
		    held >= MRC_HOME_BATCH_BYTES) {
			mrc_conn_rx_end(&rx);
			held = 0;
		}
		last = dev;
		qpn = mrc_home_cb(skb)->qpn;
		bytes += skb->len;
		held += skb->len;
		mrc_receive_steered(&rx, skb);
		dev_put(dev);
	}
	mrc_conn_rx_end(&rx);
}

static void mrc_home_run(struct mrc_bh_work *work)
{
	struct mrc_home *home = container_of(work, struct mrc_home, work);

	rcu_read_lock();
	home->running = true;
	mrc_home_run_input(home);
	mrc_home_run_ready(home);
	home->running = false;
	rcu_read_unlock();
	if (mrc_home_has(&home->input) || mrc_home_has(&home->ready))
		mrc_bh_work_yield(work);
}

/* In an interrupt of the processor. */
static void mrc_home_wake(void *info)
{
	struct mrc_home *home = info;

	/* Fully ordered: @work finds the buffers of those who see it set before this. */
	atomic_xchg(&home->woken, 0);
	mrc_bh_work_queue(&home->work);
}

static void mrc_home_add(struct mrc_home *home, int cpu,
			 struct mrc_home_list *list, struct sk_buff *skb)
{
	dev_hold(skb->dev);
	if (!llist_add(&skb->ll_node, &list->arrived))
		return;
	if (cpu == smp_processor_id()) {
		if (!home->running)
			mrc_bh_work_queue(&home->work);
	} else if (!atomic_xchg(&home->woken, 1)) {
		smp_call_function_single_async(cpu, &home->wake);
	}
}

/**
 * mrc_home_steer() - leave a buffer to a home processor
 * @cpu: home of its connection, may be this processor
 * @skb: received buffer, with data at the IP header; consumed if it is steered
 * @qpn: its connection
 * @next: what IP does with it next, in a hook before that; or NULL: it is to be received
 *
 * Context: softirq.
 * Return: MRC_HOME_STEERED, MRC_HOME_HERE if @cpu is offline, or MRC_HOME_FULL.
 */
enum mrc_home_verdict mrc_home_steer(int cpu, struct sk_buff *skb, u32 qpn,
				     mrc_home_next_fn *next)
{
	struct mrc_home *home = per_cpu_ptr(&mrc_homes, cpu);

	/* It stays online until this softirq ends. */
	if (unlikely(!cpu_online(cpu)))
		return MRC_HOME_HERE;
	if (unlikely(atomic_inc_return(&home->waiting) > MRC_HOME_MAX)) {
		atomic_dec(&home->waiting);
		return MRC_HOME_FULL;
	}
	mrc_home_cb(skb)->qpn = qpn;
	/* A route without reference is valid on this RCU read side only. */
	if (next) {
		skb_dst_force(skb);
		mrc_home_cb(skb)->next = next;
		mrc_home_add(home, cpu, &home->input, skb);
	} else {
		skb_dst_drop(skb);
		mrc_home_add(home, cpu, &home->ready, skb);
	}
	return MRC_HOME_STEERED;
}

/**
 * mrc_home_is_busy() - do buffers wait for a processor?
 * @cpu: processor
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_home_is_busy(int cpu)
{
	return atomic_read(&per_cpu_ptr(&mrc_homes, cpu)->waiting);
}

/**
 * mrc_home_has_input() - do buffers wait for IP on this processor?
 *
 * Context: softirq.
 * Return: true if so.
 */
bool mrc_home_has_input(void)
{
	return mrc_home_has(&this_cpu_ptr(&mrc_homes)->input);
}

/**
 * mrc_home_is_running() - does this processor process buffers that have waited for it?
 *
 * Context: softirq.
 * Return: true if so.
 */
bool mrc_home_is_running(void)
{
	return this_cpu_ptr(&mrc_homes)->running;
}

/* A thread of the kernel works for others, wherever it is bound. */
static const struct cpumask *mrc_home_allowed(const struct task_struct *owner)
{
	return owner->flags & PF_KTHREAD ? cpu_possible_mask : owner->cpus_ptr;
}

/**
 * mrc_home_suits() - can a processor be home of a connection?
 * @cpu: processor
 * @owner: thread that has set the connection up
 *
 * Context: any.
 * Return: true if it is online and the thread may run on it.
 */
bool mrc_home_suits(int cpu, const struct task_struct *owner)
{
	return cpu_online(cpu) && cpumask_test_cpu(cpu, mrc_home_allowed(owner));
}

/* The part of its time that a processor has spent for connections, in percent. */
static u32 mrc_home_measured(const struct mrc_home *home)
{
	/* It has done nothing for them since. */
	if (jiffies - READ_ONCE(home->since) > 2 * MRC_HOME_PERIOD &&
	    jiffies - READ_ONCE(home->moved_at) > 2 * MRC_HOME_PERIOD)
		return 0;
	return READ_ONCE(home->load);
}

static struct mrc_home_state mrc_home_state_of(int cpu)
{
	const struct mrc_home *home = per_cpu_ptr(&mrc_homes, cpu);

	return (struct mrc_home_state){
		.load = mrc_home_measured(home),
		.conns = atomic_read(&home->conns),
		.polled = mrc_home_has_poster(cpu),
	};
}

/*
 * What is expected of a processor counts until it has measured a whole period again: others
 * that look for a home meanwhile must not find it as idle, or as busy, as it was.
 */
static void mrc_home_add_load(int cpu, int percent)
{
	struct mrc_home *home = per_cpu_ptr(&mrc_homes, cpu);
	int load = (int)mrc_home_measured(home) + percent;

	WRITE_ONCE(home->load, clamp(load, 0, 100));
	WRITE_ONCE(home->moved_at, jiffies);
}

/* Of the processors in @cpus that suit, the best one. */
static int mrc_home_best(const struct cpumask *cpus,
			 const struct task_struct *owner)
{
	struct mrc_home_state state, best_state = {};
	int best = MRC_HOME_NONE, cpu;

	for_each_cpu_and(cpu, mrc_home_allowed(owner), cpus) {
		if (!cpu_online(cpu))
			continue;
		state = mrc_home_state_of(cpu);
		if (best != MRC_HOME_NONE && !mrc_home_is_better(&state, &best_state))
			continue;
		best = cpu;
		best_state = state;
	}
	return best;
}

/**
 * mrc_home_choose() - choose the home of a connection
 * @owner: thread that has set the connection up
 * @node: NUMA node whose processors are preferred
 * @vector: completion vector: number of a processor; 0: no choice
 *
 * Context: any.
 * Return: processor, for mrc_home_release(); or MRC_HOME_NONE.
 */
int mrc_home_choose(const struct task_struct *owner, int node, u32 vector)
{
	int cpu;

	if (vector && vector < nr_cpu_ids && mrc_home_suits(vector, owner))
		cpu = vector;
	else
		cpu = mrc_home_best(cpumask_of_node(node), owner);
	if (cpu == MRC_HOME_NONE)
		cpu = mrc_home_best(cpu_online_mask, owner);
	if (cpu != MRC_HOME_NONE)
		atomic_inc(&per_cpu_ptr(&mrc_homes, cpu)->conns);
	return cpu;
}

/**
 * mrc_home_move() - choose a better home of a connection, if there is one
 * @owner: thread that has set the connection up
 * @home: its home, for mrc_home_release() if another one is returned
 * @work: percent of the time that @home spends for the connection
 *
 * Context: any.
 * Return: @home, or another processor, for mrc_home_release(), or MRC_HOME_NONE.
 */
int mrc_home_move(const struct task_struct *owner, int home, u32 work)
{
	struct mrc_home_state to = {}, from = mrc_home_state_of(home);
	int cpu, node = cpu_to_node(home);

	if (!mrc_home_suits(home, owner)) {
		cpu = mrc_home_choose(owner, node, 0);
		if (cpu == home)
			mrc_home_release(cpu);
		return cpu;
	}
	/* Not even if the other one were idle. */
	if (!mrc_home_gains(&from, &to, work))
		return home;
	cpu = mrc_home_choose(owner, node, 0);
	/* What the thread may use can change at any time. */
	if (cpu == MRC_HOME_NONE)
		return home;
	to = mrc_home_state_of(cpu);
	if (cpu == home || !mrc_home_gains(&from, &to, work)) {
		mrc_home_release(cpu);
		return home;
	}
	mrc_home_add_load(home, -(int)work);
	mrc_home_add_load(cpu, work);
	return cpu;
}

/**
 * mrc_home_spent() - count time that this processor has spent for connections
 * @ns: time
 *
 * Context: BH off.
 */
void mrc_home_spent(u64 ns)
{
	struct mrc_home *home = this_cpu_ptr(&mrc_homes);
	unsigned long now = jiffies, passed = now - home->since;
	unsigned long moved_at = READ_ONCE(home->moved_at);

	home->busy += ns;
	if (moved_at == home->moved_seen) {
		if (passed < MRC_HOME_PERIOD)
			return;
		WRITE_ONCE(home->load, mrc_home_percent(home->busy, passed));
	}
	home->moved_seen = moved_at;
	WRITE_ONCE(home->since, now);
	home->busy = 0;
}

/**
 * mrc_home_has_poster() - does a thread poll on a processor?
 * @cpu: processor
 *
 * Context: any.
 * Return: true if acknowledgments have followed a running thread to it.
 */
bool mrc_home_has_poster(int cpu)
{
	return atomic_read(&per_cpu_ptr(&mrc_homes, cpu)->posters);
}

/**
 * mrc_home_move_poster() - a thread that posts runs on another processor
 * @from: processor where it ran, or MRC_HOME_NONE
 * @to: processor, or MRC_HOME_NONE if it sleeps
 *
 * Context: any.
 */
void mrc_home_move_poster(int from, int to)
{
	if (from != MRC_HOME_NONE)
		atomic_dec(&per_cpu_ptr(&mrc_homes, from)->posters);
	if (to != MRC_HOME_NONE)
		atomic_inc(&per_cpu_ptr(&mrc_homes, to)->posters);
}

/**
 * mrc_home_release() - undo mrc_home_choose()
 * @cpu: processor, or MRC_HOME_NONE
 *
 * Context: any.
 */
void mrc_home_release(int cpu)
{
	if (cpu != MRC_HOME_NONE)
		atomic_dec(&per_cpu_ptr(&mrc_homes, cpu)->conns);
}

/**
 * mrc_home_init() - prepare the processors
 *
 * Context: the module is being loaded.
 */
void mrc_home_init(void)
{
	struct mrc_home *home;
	int cpu;

	for_each_possible_cpu(cpu) {
		home = per_cpu_ptr(&mrc_homes, cpu);
		init_llist_head(&home->input.arrived);
		init_llist_head(&home->ready.arrived);
		INIT_CSD(&home->wake, mrc_home_wake, home);
		home->since = jiffies;
		home->moved_at = jiffies;
		home->moved_seen = home->moved_at;
		mrc_bh_work_init(&home->work, mrc_home_run);
	}
}

static void mrc_home_purge(struct mrc_home *home, struct mrc_home_list *list)
{
	struct sk_buff *skb;

	while ((skb = mrc_home_pop(home, list))) {
		dev_put(skb->dev);
		kfree_skb(skb);
	}
}

static void mrc_home_nothing(void *unused)
{
}

/**
 * mrc_home_exit() - undo mrc_home_init()
 *
 * No buffer is received any more.
 *
 * Context: process; sleeps.
 */
void mrc_home_exit(void)
{
	struct mrc_home *home;
	int cpu;

	/* Interrupts of mrc_home_steer() come before these. */
	on_each_cpu(mrc_home_nothing, NULL, 1);
	for_each_possible_cpu(cpu) {
		home = per_cpu_ptr(&mrc_homes, cpu);
		mrc_bh_work_cancel_sync(&home->work);
		mrc_home_purge(home, &home->input);
		mrc_home_purge(home, &home->ready);
	}
}
