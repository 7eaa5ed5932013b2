// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Quarantine of a QP after RESET.
 *
 * A packet names a QP and a PSN, but no connection.  The peer of a QP that was
 * reset repeats its packets until its retries are exhausted.  If the QP is
 * connected to this peer again meanwhile, and its PSNs overlap with the old ones,
 * it takes such packets for those of the new connection.  So it waits before it
 * receives again.
 *
 * The number of a QP that was destroyed needs no quarantine: numbers are used in
 * turn, and there are 2^24 of them.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <net/ipv6.h>
#include "net/conn.h"

/* How long the peer of a QP that was reset repeats its packets, at most. */
#define MRC_QUARANTINE_MS 5000

/* Can packets of the connection be on their way?  Its arrays still exist. */
static bool mrc_conn_carried_packets(const struct mrc_conn *conn)
{
	return conn->rsp_mem &&
	       (READ_ONCE(conn->heard) ||
		(conn->req_mem && conn->req.stats.tx_pkts));
}

/* Jiffies until the quarantine ends; 0: it has ended. */
static long mrc_quarantine_left(const struct mrc_quarantine *q)
{
	u64 now = get_jiffies_64();

	return time_before64(now, q->until) ? q->until - now : 0;
}

static bool mrc_quarantine_applies(const struct mrc_quarantine *q,
				   const struct mrc_conn_attr *attr)
{
	return q->any || (ipv6_addr_equal(&q->dgid, &attr->dgid) &&
			  ipv6_addr_equal(&q->sgid, &attr->sgid));
}

/**
 * mrc_conn_quarantine() - begin the quarantine of a connection that is reset
 * @conn: connection that does not receive any more, before its arrays are freed
 *
 * A connection that has neither sent nor received a packet needs none.
 *
 * Context: process; the QP serialises.
 */
void mrc_conn_quarantine(struct mrc_conn *conn)
{
	struct mrc_quarantine *q = &conn->quarantine;

	if (!mrc_conn_carried_packets(conn))
		return;
	q->any = mrc_quarantine_left(q) &&
		 (q->any || !mrc_quarantine_applies(q, &conn->attr));
	q->until = get_jiffies_64() + msecs_to_jiffies(MRC_QUARANTINE_MS);
	q->sgid = conn->attr.sgid;
	q->dgid = conn->attr.dgid;
}

/**
 * mrc_conn_quarantine_wait() - wait until a QP may be connected to a peer
 * @conn: connection that is not open
 * @attr: addresses with which it will be opened
 *
 * Context: process; the QP serialises.  Sleeps up to MRC_QUARANTINE_MS.
 * Return: 0, or -EINTR if the process was killed.
 */
int mrc_conn_quarantine_wait(const struct mrc_conn *conn,
			     const struct mrc_conn_attr *attr)
{
	const struct mrc_quarantine *q = &conn->quarantine;
	long left;

	if (!mrc_quarantine_applies(q, attr))
		return 0;
	while ((left = mrc_quarantine_left(q))) {
		if (fatal_signal_pending(current))
			return -EINTR;
		schedule_timeout_killable(left);
	}
	return 0;
}
