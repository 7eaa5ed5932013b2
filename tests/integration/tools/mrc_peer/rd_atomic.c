// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Correct READs and ATOMICs: the peer sends a request, and the device a response, a
 * message of the other direction that it retransmits until it is acknowledged.
 */
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "fixture.h"
#include "tap.h"

#define LEN	1000
#define ADDEND	0x1234567890ULL
/* 4.096 us << 14 = 67 ms */
#define SHORT_TIMEOUT	14

static void begin(struct fixture *s, u8 timeout, enum target_state state)
{
	const struct target_cfg cfg = {
		.timeout = timeout,
		.retry_cnt = 7,
		.state = state,
	};

	fixture_qp(s, &cfg);
	s->responses = true;
	fixture_snapshot(s);
}

static bool end(struct fixture *s)
{
	bool ok = fixture_flush(s) & fixture_intact(s);

	s->responses = false;
	fixture_qp(s, NULL);
	fixture_discard(s);
	return ok;
}

/* The operand of ATOMICs in the device's memory. */
static const u64 *atomic_word(const struct fixture *s)
{
	u64 va = s->mr[TARGET_FULL].va + FIXTURE_OFFSET;

	return (const u64 *)(uintptr_t)FIXTURE_ALIGN(va);
}

static void make_request(struct fixture *s, struct mrc_pkt_data *d, u8 opcode,
			 u32 len)
{
	fixture_head(s, d, opcode, len);
	d->rpsn = s->sq_psn;
	d->swap = ADDEND;
}

/* The nominal bytes of a request count like those of any packet. */
static void send_request(struct fixture *s, const struct mrc_pkt_data *d)
{
	fixture_data(s, d);
	fixture_placed(s, d, d->va);
	s->psn = mrc_psn_add(s->psn, 1);
	s->msn++;
	s->rqmsn++;
	s->done++;
}

/* Next response; other packets before it are skipped. */
static bool next_response(struct fixture *s, struct got *g)
{
	do {
		if (!fixture_next(s, g))
			return false;
	} while (g->err || !(g->pkt.op->flags & MRC_OPF_RSP));
	return true;
}

static bool is_response(const struct fixture *s, const struct got *g, u8 opcode,
			u16 n, u32 len)
{
	const struct mrc_pkt *p = &g->pkt;
	bool ok = g->icrc_ok && p->op->code == opcode &&
		  p->dest_qpn == FIXTURE_PEER_QPN && p->rqmsn == n &&
		  p->psn == mrc_psn_add(s->sq_psn, n) && p->dmalen == len &&
		  !p->va && !p->rkey;

	if (!ok)
		tap_note("received %s, number %u, PSN %#x, %u bytes",
			 p->op->name,
			 p->rqmsn, p->psn, p->dmalen);
	return ok;
}

static void send_ack(struct fixture *s, const struct got *g)
{
	const struct mrc_pkt_ack a = {
		.psn = g->pkt.psn, .msn = g->pkt.rqmsn + 1,
		.syndrome = MRC_SYN_ACK,
	};
	u8 buf[MRC_ACK_LEN];

	fixture_ctrl(s, buf, mrc_pkt_put_ack(buf, s->qpn, &a));
}

static bool is_read_response(struct fixture *s, const struct got *g, u16 n,
			     u64 va)
{
	return is_response(s, g, MRC_OP_READ_RSP_ONLY, n, LEN) &&
	       !memcmp(g->buf + g->pkt.payload_off,
		       (const void *)(uintptr_t)va, LEN);
}

static void reads(struct fixture *s, enum target_state state, const char *what)
{
	struct mrc_pkt_data d;
	struct got g;
	bool ok = true;
	u16 n;

	begin(s, FIXTURE_LONG_TIMEOUT, state);
	for (n = 0; ok && n < 3; n++) {
		make_request(s, &d, MRC_OP_READ_REQUEST, LEN);
		d.va += n * LEN;
		send_request(s, &d);
		ok &= next_response(s, &g) && is_read_response(s, &g, n, d.va);
		send_ack(s, &g);
	}
	tap_ok(ok & end(s),
	       "%s: a QP %s responds to READs with the bytes of its memory",
	       fixture_family(s), what);
}

/* A retransmitted ATOMIC request gets a response, but is not executed again. */
static void atomics(struct fixture *s)
{
	u64 orig = *atomic_word(s), sum = orig + ADDEND, other = ~sum;
	struct mrc_pkt_data d, swap;
	struct got g;
	bool ok;

	begin(s, FIXTURE_LONG_TIMEOUT, TARGET_RTS);
	make_request(s, &d, MRC_OP_FETCH_ADD, sizeof(sum));
	send_request(s, &d);
	target_expect(s->target, d.va, &sum, sizeof(sum));
	ok = next_response(s, &g) &&
	     is_response(s, &g, MRC_OP_ATOMIC_ACK, 0, 8) &&
	     g.pkt.orig == orig;
	send_ack(s, &g);
	d.flags |= MRC_PF_RTX;
	fixture_data(s, &d);
	tap_ok(ok & fixture_flush(s) & fixture_intact(s),
	       "%s: a retransmitted FetchAdd is executed once",
	       fixture_family(s));
	s->n_got = 0;

	make_request(s, &swap, MRC_OP_CMP_SWAP, sizeof(sum));
	swap.compare = orig;
	swap.swap = other;
	send_request(s, &swap);
	ok = next_response(s, &g) &&
	     is_response(s, &g, MRC_OP_ATOMIC_ACK, 1, 8) &&
	     g.pkt.orig == sum;
	send_ack(s, &g);
	ok &= fixture_flush(s) & fixture_intact(s);
	s->n_got = 0;

	make_request(s, &swap, MRC_OP_CMP_SWAP, sizeof(sum));
	swap.compare = sum;
	swap.swap = other;
	send_request(s, &swap);
	target_expect(s->target, swap.va, &other, sizeof(other));
	ok &= next_response(s, &g) &&
	      is_response(s, &g, MRC_OP_ATOMIC_ACK, 2, 8) &&
	      g.pkt.orig == sum;
	send_ack(s, &g);
	tap_ok(ok & end(s),
	       "%s: CmpSwap swaps only if the operand compares equal",
	       fixture_family(s));
}

/* A response without acknowledgment is retransmitted unchanged. */
static void retransmitted_response(struct fixture *s)
{
	u64 orig = *atomic_word(s), sum = orig + ADDEND;
	struct mrc_pkt_data d;
	struct got g;
	bool ok = true;
	u32 i;

	begin(s, SHORT_TIMEOUT, TARGET_RTS);
	make_request(s, &d, MRC_OP_FETCH_ADD, sizeof(sum));
	send_request(s, &d);
	target_expect(s->target, d.va, &sum, sizeof(sum));
	for (i = 0; ok && i < 3; i++)
		ok = next_response(s, &g) && g.pkt.orig == orig &&
		     is_response(s, &g, MRC_OP_ATOMIC_ACK, 0, 8) &&
		     !(g.pkt.flags & MRC_PF_RTX) == !i;
	send_ack(s, &g);
	tap_ok(ok & end(s),
	       "%s: a FetchAdd response is retransmitted until it is acknowledged",
	       fixture_family(s));
}

/* The region is deregistered between request and acknowledgment of the response. */
static void region_deregistered(struct fixture *s)
{
	struct mrc_pkt_data d;
	struct got g;
	bool ok;

	begin(s, SHORT_TIMEOUT, TARGET_RTS);
	make_request(s, &d, MRC_OP_READ_REQUEST, LEN);
	send_request(s, &d);
	ok = next_response(s, &g) && is_read_response(s, &g, 0, d.va);
	ok &= !target_deregister(s->target, TARGET_FULL);
	/* Without acknowledgment the response would be retransmitted. */
	do
		ok &= fixture_next(s, &g);
	while (ok && (g.err || g.pkt.op->code != MRC_OP_ACK ||
		      g.pkt.ack.syndrome == MRC_SYN_ACK));
	ok &= g.pkt.ack.psn == d.psn &&
	      g.pkt.ack.syndrome == MRC_SYN_NAK_REM_ACCESS;
	ok &= target_await(s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
	ok &= !target_reregister(s->target, TARGET_FULL, &s->mr[TARGET_FULL]);
	s->n_got = 0;
	tap_ok(ok & end(s),
	       "%s: a READ whose region is deregistered meanwhile ends with a NAK",
	       fixture_family(s));
}

/**
 * rd_atomic_run - tests: correct READs and ATOMICs
 * @s: fixture
 */
void rd_atomic_run(struct fixture *s)
{
	reads(s, TARGET_RTS, "in RTS");
	reads(s, TARGET_RTR, "in RTR");
	atomics(s);
	retransmitted_response(s);
	region_deregistered(s);
}
