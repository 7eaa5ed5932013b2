// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READ and ATOMIC requests and responses of a connection.
 *
 * A request arrives at the responder, and the requester of the same connection
 * sends its response.  A response arrives at the responder, and completes a work
 * request of the requester.  req_lock and rsp_lock are not held together for
 * this; what passes from one to the other is under rda_lock, inside both.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include "core/rd_atomic.h"
#include "core/rd_pending.h"
#include "net/alloc.h"
#include "net/conn.h"

/* Set in cookies of responses.  Those of work requests are indices of a ring. */
#define MRC_COOKIE_RESPONSE BIT(31)

/**
 * mrc_conn_rd_atomic_init - start without outstanding requests and responses
 * @conn: connection that is about to open
 * @max_dest_rd_atomic: responder resources
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int mrc_conn_rd_atomic_init(struct mrc_conn *conn, u32 max_dest_rd_atomic)
{
	mrc_rd_pending_init(&conn->rd_pending);
	conn->resp_head = 0;
	conn->resp_tail = 0;
	conn->resp_slots = mrc_rd_atomic_slots(max_dest_rd_atomic);
	if (!conn->resp_slots)
		return 0;
	conn->resp_queue = kvcalloc(conn->resp_slots, sizeof(*conn->resp_queue),
				    MRC_GFP_USER);
	return conn->resp_queue ? 0 : -ENOMEM;
}

/**
 * mrc_conn_rd_atomic_exit - undo mrc_conn_rd_atomic_init()
 * @conn: connection that neither sends nor receives
 *
 * Context: process; may sleep.
 */
void mrc_conn_rd_atomic_exit(struct mrc_conn *conn)
{
	kvfree(conn->resp_queue);
	conn->resp_queue = NULL;
}

/**
 * mrc_conn_start_responses - start the requester if there are responses to send
 * @conn: connection that does not send
 *
 * A QP in RTR responds to READ and ATOMIC requests (IBTA 10.3.1), and a program
 * that never sends on a QP leaves it there.  The application sets the first PSN
 * on the way to RTS; before that the request of the peer carries it.
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_start_responses(struct mrc_conn *conn)
{
	u32 psn;

	lockdep_assert_held(&conn->req_lock);
	if (!conn->response_only || READ_ONCE(conn->resp_head) == conn->resp_tail)
		return;
	spin_lock(&conn->rda_lock);
	psn = conn->resp_psn;
	spin_unlock(&conn->rda_lock);
	mrc_req_set_sq_psn(&conn->req, psn);
	set_bit(MRC_CONN_TX, &conn->flags);
}

/**
 * mrc_conn_is_response - whether a cookie is that of a response
 * @cookie: of a message
 *
 * Return: true if so; otherwise of a work request.
 */
bool mrc_conn_is_response(u32 cookie)
{
	return cookie & MRC_COOKIE_RESPONSE;
}

/**
 * mrc_conn_rd_atomic_sent - record a READ or ATOMIC request that is about to be sent
 * @conn: connection
 * @bp: its packet
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_rd_atomic_sent(struct mrc_conn *conn, const struct mrc_burst_pkt *bp)
{
	lockdep_assert_held(&conn->req_lock);
	spin_lock(&conn->rda_lock);
	mrc_rd_pending_add(&conn->rd_pending, bp);
	spin_unlock(&conn->rda_lock);
}

/**
 * mrc_conn_close_rd_pending - accept no more response packets
 * @conn: connection whose work requests are about to end with an error
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_close_rd_pending(struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	spin_lock(&conn->rda_lock);
	mrc_rd_pending_close(&conn->rd_pending);
	spin_unlock(&conn->rda_lock);
}

static bool mrc_conn_pop_rd_pending(struct mrc_conn *conn, u16 *n)
{
	bool any;

	spin_lock(&conn->rda_lock);
	any = mrc_rd_pending_pop(&conn->rd_pending, n);
	spin_unlock(&conn->rda_lock);
	return any;
}

/**
 * mrc_conn_complete_rd_atomic - complete the requests whose responses have arrived
 * @conn: connection
 * @now: ns
 *
 * Context: softirq, RCU read side; no lock held.
 */
void mrc_conn_complete_rd_atomic(struct mrc_conn *conn, u64 now)
{
	bool idle = false;
	u16 n;

	spin_lock(&conn->req_lock);
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		while (mrc_conn_pop_rd_pending(conn, &n))
			mrc_req_on_response(&conn->req, n, now);
		mrc_conn_end_req(conn);
		idle = mrc_conn_is_idle(conn);
	}
	spin_unlock(&conn->req_lock);
	if (!idle)
		mrc_bh_work_queue(&conn->tx_work);
}

static bool mrc_conn_resp_queue_full(const struct mrc_conn *conn)
{
	return conn->resp_head - READ_ONCE(conn->resp_tail) == conn->resp_slots;
}

/* Execute one request and queue its response: packets of that, 0 if it was refused. */
static u32 mrc_conn_execute_one(struct mrc_conn *conn,
				const struct mrc_rd_atomic *rda)
{
	struct mrc_msg_desc d;
	enum mrc_place place;
	u64 orig = 0;

	place = conn->ops->rx_rd_atomic(conn, rda, &orig);
	if (place != MRC_PLACE_OK) {
		mrc_rsp_fail_msg(&conn->rsp, rda->psn,
				 place == MRC_PLACE_ACCESS ?
				       MRC_SYN_NAK_REM_ACCESS :
				       MRC_SYN_NAK_REM_OP);
		return 0;
	}
	mrc_rd_atomic_response(rda, orig, &d);
	d.cookie = MRC_COOKIE_RESPONSE | rda->sn;

	spin_lock(&conn->rda_lock);
	conn->resp_psn = rda->rpsn;
	conn->resp_queue[conn->resp_head & (conn->resp_slots - 1)] = d;
	WRITE_ONCE(conn->resp_head, conn->resp_head + 1);
	spin_unlock(&conn->rda_lock);
	return max(DIV_ROUND_UP(d.length, conn->pmtu), 1U);
}

/**
 * mrc_conn_execute - execute READ and ATOMIC requests that are next in order
 * @conn: connection
 *
 * The queue of responses has room for all requests that a peer may have
 * outstanding.  Requests beyond that wait until responses have been posted.
 *
 * Context: softirq, rsp_lock held.
 * Return: packets of the responses that have been queued.
 */
u32 mrc_conn_execute(struct mrc_conn *conn)
{
	struct mrc_rd_atomic rda;
	u32 pkts = 0;

	lockdep_assert_held(&conn->rsp_lock);
	while (!mrc_conn_resp_queue_full(conn) && mrc_rsp_pop_rd_atomic(&conn->rsp, &rda))
		pkts += mrc_conn_execute_one(conn, &rda);
	return pkts;
}

/**
 * mrc_conn_next_response - take the next response off the queue
 * @conn: connection
 * @d: the message
 *
 * Context: req_lock held, BH off.
 * Return: false if there is none, or no room for it yet.
 */
bool mrc_conn_next_response(struct mrc_conn *conn, struct mrc_msg_desc *d)
{
	bool any;

	lockdep_assert_held(&conn->req_lock);
	if (likely(READ_ONCE(conn->resp_head) == conn->resp_tail))
		return false;
	spin_lock(&conn->rda_lock);
	*d = conn->resp_queue[conn->resp_tail & (conn->resp_slots - 1)];
	any = mrc_req_can_post(&conn->req, d);
	if (any)
		WRITE_ONCE(conn->resp_tail, conn->resp_tail + 1);
	spin_unlock(&conn->rda_lock);
	return any;
}
