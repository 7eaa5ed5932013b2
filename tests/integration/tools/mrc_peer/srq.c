// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A shared receive queue whose messages arrive in another order than they were sent.
 */
#include "core/psn.h"
#include "fixture.h"
#include "rc.h"
#include "tap.h"

/* Messages in flight; the first message after them is further ahead than any other. */
#define MESSAGES	128

/* A SEND without payload: message @n of the queue pair. */
static void send_nth(struct fixture *s, u32 n, bool ackreq)
{
	struct mrc_pkt_data d;

	fixture_head(s, &d, MRC_OP_SEND_ONLY, 0);
	d.psn = mrc_psn_add(s->psn, n);
	d.msn = n;
	d.rqmsn = n;
	d.flags = MRC_PF_TS | (ackreq ? MRC_PF_ACKREQ : 0);
	fixture_data(s, &d);
}

static bool post(struct fixture *s, u32 n)
{
	bool ok = true;

	while (n--)
		ok &= !target_srq_recv(s->target, n);
	return ok;
}

static void new_qp(struct fixture *s)
{
	const struct target_cfg cfg = {
		.timeout = 20, .retry_cnt = 7, .srq = true,
	};

	fixture_qp(s, &cfg);
}

/* Number of messages that complete. */
static u32 completions(struct fixture *s, u32 n)
{
	struct target_wc wc;
	u32 done = 0;

	while (done < n && target_poll(s->target, &wc, FIXTURE_WAIT_MS)) {
		if (wc.status != IBV_WC_SUCCESS)
			break;
		done++;
	}
	if (done != n)
		tap_note("%u of %u messages complete", done, n);
	return done;
}

/* What the first queue pair has taken is gone with it; the second uses the rest. */
static void takes_one(struct fixture *s)
{
	bool ok = post(s, MESSAGES);
	u32 i;

	new_qp(s);
	send_nth(s, MESSAGES - 1, true);
	ok &= fixture_flush(s);
	fixture_discard(s);
	new_qp(s);
	fixture_snapshot(s);
	for (i = 0; i < MESSAGES - 1; i++)
		send_nth(s, i, i == MESSAGES - 2);
	ok &= fixture_flush(s);
	ok &= completions(s, MESSAGES - 1) == MESSAGES - 1;
	ok &= fixture_counted(s, "rnr_nak_tx", 0);
	fixture_discard(s);
	tap_ok(ok, "SRQ: a message that overtakes %u others takes one receive",
	       MESSAGES - 1);
}

/* Two receives are for the first two messages, whichever arrives first. */
static void first_messages_first(struct fixture *s)
{
	bool ok = post(s, 2);

	new_qp(s);
	fixture_snapshot(s);
	send_nth(s, 2, false);
	ok &= fixture_flush(s);
	ok &= fixture_counted(s, "rnr_nak_tx", 1);
	fixture_discard(s);
	send_nth(s, 1, false);
	send_nth(s, 0, true);
	ok &= fixture_flush(s);
	ok &= completions(s, 2) == 2;
	ok &= fixture_counted(s, "rnr_nak_tx", 1);
	fixture_discard(s);
	tap_ok(ok, "SRQ: two receives serve the first two messages, not the third");
}

/**
 * srq_run - tests: a shared receive queue and messages that overtake others
 * @s: fixture
 */
void srq_run(struct fixture *s)
{
	if (target_srq_open(s->target)) {
		tap_ok(false, "SRQ: ibv_create_srq");
		return;
	}
	takes_one(s);
	first_messages_first(s);
	fixture_qp(s, NULL);
	target_srq_close(s->target);
}
