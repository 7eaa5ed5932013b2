// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The home processor of a connection: its choice, and what is steered to it.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/udp.h>
#include "core/opcode.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/home.h"
#include "net/receive.h"

/* Bytes that are worth an interrupt of another processor. */
#define MRC_CONN_STEER_MIN 8192

/**
 * mrc_conn_choose_home() - choose the home of a connection
 * @conn: connection that is being opened
 *
 * Context: process; the QP serialises.
 */
void mrc_conn_choose_home(struct mrc_conn *conn)
{
	int home = mrc_home_choose(current, numa_node_id(), conn->vector);

	conn->owner = get_task_struct(current);
	conn->home_checked = jiffies;
	WRITE_ONCE(conn->work, 0);
	WRITE_ONCE(conn->ack_home, home);
	WRITE_ONCE(conn->home, home);
}

static void mrc_conn_set_polled(struct mrc_conn *conn, int cpu)
{
	lockdep_assert_held(&conn->req_lock);
	if (conn->polled == cpu)
		return;
	mrc_home_move_poster(conn->polled, cpu);
	conn->polled = cpu;
}

static void mrc_conn_set_poster(struct mrc_conn *conn, struct task_struct *task)
{
	spin_lock_bh(&conn->req_lock);
	swap(conn->poster, task);
	if (!conn->poster)
		mrc_conn_set_polled(conn, MRC_HOME_NONE);
	spin_unlock_bh(&conn->req_lock);
	if (task)
		put_task_struct(task);
}

/**
 * mrc_conn_leave_home() - undo mrc_conn_choose_home()
 * @conn: connection that neither sends nor receives; a grace period has passed since
 *
 * Context: process; the QP serialises.
 */
void mrc_conn_leave_home(struct mrc_conn *conn)
{
	mrc_conn_set_poster(conn, NULL);
	mrc_home_release(conn->home);
	WRITE_ONCE(conn->home, MRC_HOME_NONE);
	WRITE_ONCE(conn->ack_home, MRC_HOME_NONE);
	if (conn->owner)
		put_task_struct(conn->owner);
	conn->owner = NULL;
}

/**
 * mrc_conn_worked() - count time that has been spent for a connection
 * @conn: connection
 * @since: ns when that began, on this processor
 * @data: data was processed; otherwise acknowledgments were, or packets were sent
 *
 * Data is processed by the home, and moves with it; so does the rest if no thread posts.
 *
 * Context: BH off, RCU read side.
 * Return: ns, now.
 */
u64 mrc_conn_worked(struct mrc_conn *conn, u64 since, bool data)
{
	u64 now = ktime_get_ns();

	mrc_home_spent(now - since);
	if (READ_ONCE(conn->home) == smp_processor_id() &&
	    (data || !READ_ONCE(conn->poster)))
		WRITE_ONCE(conn->work, READ_ONCE(conn->work) + now - since);
	return now;
}

/**
 * mrc_conn_check_home() - move the home of a connection if another processor suits better
 * @conn: connection that has processed data
 *
 * That is so if its home is busier, with connections or with a thread that polls, or if the
 * process has been bound to others.  Buffers that wait for the former home are processed
 * there.
 *
 * Context: rsp_lock held.
 */
void mrc_conn_check_home(struct mrc_conn *conn)
{
	unsigned long passed = jiffies - conn->home_checked;
	int home = conn->home, better;

	lockdep_assert_held(&conn->rsp_lock);
	if (passed < MRC_HOME_PERIOD || conn->vector || home == MRC_HOME_NONE)
		return;
	better = mrc_home_move(conn->owner, home,
			       mrc_home_percent(READ_ONCE(conn->work), passed));
	conn->home_checked = jiffies;
	WRITE_ONCE(conn->work, 0);
	if (better == home)
		return;
	WRITE_ONCE(conn->home, better);
	mrc_home_release(home);
}

/**
 * mrc_conn_note_poster() - remember which thread posts to a connection
 * @conn: connection
 *
 * Context: process.
 */
void mrc_conn_note_poster(struct mrc_conn *conn)
{
	/* Threads of the kernel post for others, wherever they run. */
	if (likely(READ_ONCE(conn->poster) == current) ||
	    READ_ONCE(conn->home) == MRC_HOME_NONE ||
	    current->flags & PF_KTHREAD)
		return;
	mrc_conn_set_poster(conn, get_task_struct(current));
}

/**
 * mrc_conn_follow_poster() - have acknowledgments processed where the thread runs
 * @conn: connection that has processed acknowledgments
 *
 * Completions and room in the send queue are of use there.  A thread that sleeps is
 * not followed, nor is any if the process has chosen a completion vector.  If none has
 * posted, as where READs of the peer are all that is answered, the home does that, too.
 *
 * Context: req_lock held.
 */
void mrc_conn_follow_poster(struct mrc_conn *conn)
{
	int cpu;

	lockdep_assert_held(&conn->req_lock);
	if (conn->vector)
		return;
	if (!conn->poster) {
		WRITE_ONCE(conn->ack_home, READ_ONCE(conn->home));
		return;
	}
	if (!task_is_running(conn->poster)) {
		mrc_conn_set_polled(conn, MRC_HOME_NONE);
		return;
	}
	cpu = task_cpu(conn->poster);
	mrc_conn_set_polled(conn, cpu);
	if (conn->ack_home != cpu)
		WRITE_ONCE(conn->ack_home, cpu);
}

/*
 * A lone packet is processed where it arrives, which is sooner.  One of several of its
 * message is not alone, and must not overtake the others, nor is an acknowledgment while
 * much is in flight, or a READ request while responses are.
 */
static bool mrc_conn_is_lone(const struct mrc_conn *conn, const struct mrc_rx *rx,
			     const struct mrc_opcode_desc *op)
{
	if (rx->skb->len >= MRC_CONN_STEER_MIN)
		return false;
	if (op->flags & MRC_OPF_DATA && (op->flags & MRC_OPF_ONLY) != MRC_OPF_ONLY)
		return false;
	return (op->flags & MRC_OPF_DATA && !(op->flags & MRC_OPF_RD_ATOMIC)) ||
	       READ_ONCE(conn->req.inflight) < MRC_CONN_STEER_MIN;
}

/* Where is a packet processed?  Probes are for the responder, as data is. */
static int mrc_conn_home_for(const struct mrc_conn *conn,
			     const struct mrc_opcode_desc *op)
{
	if (op->flags & MRC_OPF_CTRL && op->code != MRC_OP_PROBE)
		return READ_ONCE(conn->ack_home);
	return READ_ONCE(conn->home);
}

/**
 * mrc_conn_steer() - where is a buffer processed?
 * @rx: buffer with its addresses; @qpn is set if there is a home
 *
 * What strangers send is processed, and dropped, where it arrives.
 *
 * Context: softirq, RCU read side.
 * Return: home processor, or MRC_HOME_NONE for this one.
 */
int mrc_conn_steer(struct mrc_rx *rx)
{
	u32 at = rx->udp + sizeof(struct udphdr);
	const struct mrc_opcode_desc *op;
	const struct mrc_bth *bth;
	struct mrc_conn *conn;
	struct mrc_bth buf;
	int home;

	bth = skb_header_pointer(rx->skb, at, sizeof(buf), &buf);
	if (!bth)
		return MRC_HOME_NONE;
	rx->qpn = be32_to_cpu(bth->qpn) & MRC_MASK_24;
	conn = mrc_conn_find(dev_net(rx->skb->dev), rx->qpn);
	if (!conn || !mrc_conn_is_between(conn, &rx->daddr, &rx->saddr))
		return MRC_HOME_NONE;
	op = mrc_opcode_get(bth->opcode);
	home = mrc_conn_home_for(conn, op);
	if (home == MRC_HOME_NONE ||
	    (mrc_conn_is_lone(conn, rx, op) && !mrc_home_is_busy(home)))
		return MRC_HOME_NONE;
	return home;
}
