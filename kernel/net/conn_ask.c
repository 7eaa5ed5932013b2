// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs of a connection.
 *
 * Requests arrive at the responder and are answered by the requester; results
 * arrive at the responder and complete work requests of the requester.  The locks
 * of the two are never held together, so what passes from one to the other is
 * under ask_lock, inside both.
 */
#include "core/ask.h"
#include "core/result.h"
#include "net/conn.h"

/* Cookies of work requests are smaller than any ring. */
#define MRC_COOKIE_RESULT BIT(31)

/**
 * mrc_conn_ask_init - nothing is asked for, nothing is owed
 * @conn: connection that is about to open
 */
void mrc_conn_ask_init(struct mrc_conn *conn)
{
	mrc_results_init(&conn->results);
	conn->owed_head = 0;
	conn->owed_tail = 0;
}

/**
 * mrc_conn_begin_results - start the requester if there are results to be sent
 * @conn: connection that does not send
 *
 * IBTA lets a QP in RTR answer READs, and programs whose one side only answers
 * leave it there.  Where PSNs begin, which the process tells on the way to RTS,
 * the peer has told us.
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_begin_results(struct mrc_conn *conn)
{
	u32 psn;

	lockdep_assert_held(&conn->req_lock);
	if (!conn->passive || READ_ONCE(conn->owed_head) == conn->owed_tail)
		return;
	spin_lock(&conn->ask_lock);
	psn = conn->results_psn;
	spin_unlock(&conn->ask_lock);
	mrc_req_begin_at(&conn->req, psn);
	set_bit(MRC_CONN_TX, &conn->flags);
}

/**
 * mrc_conn_is_result - is this the cookie of a result?
 * @cookie: of a message
 *
 * Return: true if so; otherwise of a work request.
 */
bool mrc_conn_is_result(u32 cookie)
{
	return cookie & MRC_COOKIE_RESULT;
}

/**
 * mrc_conn_expect - a request for a result is about to leave
 * @conn: connection
 * @bp: its packet
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_expect(struct mrc_conn *conn, const struct mrc_burst_pkt *bp)
{
	lockdep_assert_held(&conn->req_lock);
	spin_lock(&conn->ask_lock);
	mrc_results_expect(&conn->results, bp);
	spin_unlock(&conn->ask_lock);
}

/**
 * mrc_conn_close_results - place no results any more
 * @conn: connection whose work requests are about to end with an error
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_close_results(struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	spin_lock(&conn->ask_lock);
	mrc_results_close(&conn->results);
	spin_unlock(&conn->ask_lock);
}

static bool mrc_conn_pop_result(struct mrc_conn *conn, u16 *n)
{
	bool any;

	spin_lock(&conn->ask_lock);
	any = mrc_results_pop(&conn->results, n);
	spin_unlock(&conn->ask_lock);
	return any;
}

/**
 * mrc_conn_take_results - results have arrived: complete what waited for them
 * @conn: connection
 * @now: ns
 *
 * Context: softirq, RCU read side; no lock held.
 */
void mrc_conn_take_results(struct mrc_conn *conn, u64 now)
{
	u16 n;

	spin_lock(&conn->req_lock);
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		while (mrc_conn_pop_result(conn, &n))
			mrc_req_on_result(&conn->req, n, now);
		mrc_conn_settle(conn);
	}
	spin_unlock(&conn->req_lock);
	tasklet_schedule(&conn->task);
}

static bool mrc_conn_owed_full(const struct mrc_conn *conn)
{
	return conn->owed_head - READ_ONCE(conn->owed_tail) == MRC_ASK_MAX;
}

/* One request whose turn it is; false if it was refused. */
static bool mrc_conn_carry_out_one(struct mrc_conn *conn,
				   const struct mrc_ask *ask)
{
	struct mrc_msg_desc d;
	enum mrc_place place;
	u64 orig = 0;

	place = conn->ops->rx_ask(conn, ask, &orig);
	if (place != MRC_PLACE_OK) {
		mrc_rsp_refuse(&conn->rsp, ask->psn,
			       place == MRC_PLACE_ACCESS ?
				       MRC_SYN_NAK_REM_ACCESS :
				       MRC_SYN_NAK_REM_OP);
		return false;
	}
	mrc_ask_result(ask, orig, &d);
	d.cookie = MRC_COOKIE_RESULT | ask->n;

	spin_lock(&conn->ask_lock);
	conn->results_psn = ask->rpsn;
	conn->owed[conn->owed_head % MRC_ASK_MAX] = d;
	WRITE_ONCE(conn->owed_head, conn->owed_head + 1);
	spin_unlock(&conn->ask_lock);
	return true;
}

/**
 * mrc_conn_carry_out - carry out the requests whose turn has come
 * @conn: connection
 *
 * An honest peer has no more requests under way than there is room for results;
 * those of any other wait until results have left.
 *
 * Context: softirq, rsp_lock held.
 * Return: true if there are results to be sent.
 */
bool mrc_conn_carry_out(struct mrc_conn *conn)
{
	struct mrc_ask ask;
	bool any = false;

	lockdep_assert_held(&conn->rsp_lock);
	while (!mrc_conn_owed_full(conn) && mrc_rsp_pop_ask(&conn->rsp, &ask))
		any |= mrc_conn_carry_out_one(conn, &ask);
	return any;
}

/**
 * mrc_conn_take_owed - take a result that is to be sent
 * @conn: connection
 * @d: the message
 *
 * Context: req_lock held, BH off.
 * Return: false if there is none, or no room for it yet.
 */
bool mrc_conn_take_owed(struct mrc_conn *conn, struct mrc_msg_desc *d)
{
	bool any;

	lockdep_assert_held(&conn->req_lock);
	if (likely(READ_ONCE(conn->owed_head) == conn->owed_tail))
		return false;
	spin_lock(&conn->ask_lock);
	*d = conn->owed[conn->owed_tail % MRC_ASK_MAX];
	any = mrc_req_takes(&conn->req, d);
	if (any)
		WRITE_ONCE(conn->owed_tail, conn->owed_tail + 1);
	spin_unlock(&conn->ask_lock);
	return any;
}
