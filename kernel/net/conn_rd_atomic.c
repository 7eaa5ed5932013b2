// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs of a connection.
 *
 * Requests arrive at the responder and are answered by the requester; results
 * arrive at the responder and complete work requests of the requester.  The locks
 * of the two are never held together, so what passes from one to the other is
 * under rda_lock, inside both.
 */
#include "core/rd_atomic.h"
#include "core/rd_pending.h"
#include "net/conn.h"

/* Cookies of work requests are smaller than any ring. */
#define MRC_COOKIE_RESPONSE BIT(31)

/**
 * mrc_conn_rd_atomic_init - nothing is asked for, nothing is owed
 * @conn: connection that is about to open
 */
void mrc_conn_rd_atomic_init(struct mrc_conn *conn)
{
	mrc_rd_pending_init(&conn->rd_pending);
	conn->resp_head = 0;
	conn->resp_tail = 0;
}

/**
 * mrc_conn_start_responses - start the requester if there are results to be sent
 * @conn: connection that does not send
 *
 * IBTA lets a QP in RTR answer READs, and programs whose one side only answers
 * leave it there.  Where PSNs begin, which the process tells on the way to RTS,
 * the peer has told us.
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
 * mrc_conn_is_response - is this the cookie of a result?
 * @cookie: of a message
 *
 * Return: true if so; otherwise of a work request.
 */
bool mrc_conn_is_response(u32 cookie)
{
	return cookie & MRC_COOKIE_RESPONSE;
}

/**
 * mrc_conn_rd_atomic_sent - a request for a result is about to leave
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
 * mrc_conn_close_rd_pending - place no results any more
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
 * mrc_conn_complete_rd_atomic - results have arrived: complete what waited for them
 * @conn: connection
 * @now: ns
 *
 * Context: softirq, RCU read side; no lock held.
 */
void mrc_conn_complete_rd_atomic(struct mrc_conn *conn, u64 now)
{
	u16 n;

	spin_lock(&conn->req_lock);
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		while (mrc_conn_pop_rd_pending(conn, &n))
			mrc_req_on_response(&conn->req, n, now);
		mrc_conn_settle(conn);
	}
	spin_unlock(&conn->req_lock);
	mrc_bh_work_queue(&conn->task);
}

static bool mrc_conn_resp_queue_full(const struct mrc_conn *conn)
{
	return conn->resp_head - READ_ONCE(conn->resp_tail) == MRC_RD_ATOMIC_MAX;
}

/* One request whose turn it is; false if it was refused. */
static bool mrc_conn_execute_one(struct mrc_conn *conn,
				 const struct mrc_rd_atomic *ask)
{
	struct mrc_msg_desc d;
	enum mrc_place place;
	u64 orig = 0;

	place = conn->ops->rx_rd_atomic(conn, ask, &orig);
	if (place != MRC_PLACE_OK) {
		mrc_rsp_fail_msg(&conn->rsp, ask->psn,
				 place == MRC_PLACE_ACCESS ?
				       MRC_SYN_NAK_REM_ACCESS :
				       MRC_SYN_NAK_REM_OP);
		return false;
	}
	mrc_rd_atomic_response(ask, orig, &d);
	d.cookie = MRC_COOKIE_RESPONSE | ask->sn;

	spin_lock(&conn->rda_lock);
	conn->resp_psn = ask->rpsn;
	conn->resp_queue[conn->resp_head % MRC_RD_ATOMIC_MAX] = d;
	WRITE_ONCE(conn->resp_head, conn->resp_head + 1);
	spin_unlock(&conn->rda_lock);
	return true;
}

/**
 * mrc_conn_execute - carry out the requests whose turn has come
 * @conn: connection
 *
 * An honest peer has no more requests under way than there is room for results;
 * those of any other wait until results have left.
 *
 * Context: softirq, rsp_lock held.
 * Return: true if there are results to be sent.
 */
bool mrc_conn_execute(struct mrc_conn *conn)
{
	struct mrc_rd_atomic ask;
	bool any = false;

	lockdep_assert_held(&conn->rsp_lock);
	while (!mrc_conn_resp_queue_full(conn) && mrc_rsp_pop_rd_atomic(&conn->rsp, &ask))
		any |= mrc_conn_execute_one(conn, &ask);
	return any;
}

/**
 * mrc_conn_next_response - take a result that is to be sent
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
	*d = conn->resp_queue[conn->resp_tail % MRC_RD_ATOMIC_MAX];
	any = mrc_req_can_post(&conn->req, d);
	if (any)
		WRITE_ONCE(conn->resp_tail, conn->resp_tail + 1);
	spin_unlock(&conn->rda_lock);
	return any;
}
