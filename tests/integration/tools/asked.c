// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs by the book: the peer asks, and the result comes once, as a
 * message of the other direction that is sent again until it is acknowledged.
 */
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "scene.h"
#include "tap.h"

#define LEN	1000
#define ADDEND	0x1234567890ULL
/* 4.096 us << 14 = 67 ms */
#define HASTY	14

static void begin(struct scene *s, u8 timeout, enum target_state state)
{
	const struct target_cfg cfg = {
		.timeout = timeout,
		.retry_cnt = 7,
		.state = state,
	};

	scene_qp(s, &cfg);
	s->results = true;
	scene_mark(s);
}

static bool end(struct scene *s)
{
	bool ok = scene_flush(s) & scene_intact(s);

	s->results = false;
	scene_qp(s, NULL);
	scene_forget(s);
	return ok;
}

/* What ATOMICs are carried out on. */
static const u64 *word(const struct scene *s)
{
	u64 va = s->mr[TARGET_FULL].va + SCENE_OFFSET;

	return (const u64 *)(uintptr_t)SCENE_ALIGN(va);
}

static void ask(struct scene *s, struct mrc_pkt_data *d, u8 opcode, u32 len)
{
	scene_head(s, d, opcode, len);
	d->rpsn = s->sq_psn;
	d->swap = ADDEND;
}

/* The bytes of the request count, as those of any packet do. */
static void asked(struct scene *s, const struct mrc_pkt_data *d)
{
	scene_data(s, d);
	scene_placed(s, d, d->va);
	s->psn = mrc_psn_add(s->psn, 1);
	s->msn++;
	s->rqmsn++;
	s->done++;
}

/* Next result, whatever comes before it. */
static bool next_result(struct scene *s, struct got *g)
{
	do {
		if (!scene_next(s, g))
			return false;
	} while (g->err || !(g->pkt.op->flags & MRC_OPF_RSP));
	return true;
}

static bool is_result(const struct scene *s, const struct got *g, u8 opcode,
		      u16 n, u32 len)
{
	const struct mrc_pkt *p = &g->pkt;
	bool ok = g->icrc_ok && p->op->code == opcode &&
		  p->dest_qpn == SCENE_PEER_QPN && p->rqmsn == n &&
		  p->psn == mrc_psn_add(s->sq_psn, n) && p->dmalen == len &&
		  !p->va && !p->rkey;

	if (!ok)
		tap_note("got %s, number %u, PSN %#x, %u bytes", p->op->name,
			 p->rqmsn, p->psn, p->dmalen);
	return ok;
}

static void acknowledge(struct scene *s, const struct got *g)
{
	const struct mrc_pkt_ack a = {
		.psn = g->pkt.psn, .msn = g->pkt.rqmsn + 1,
		.syndrome = MRC_SYN_ACK,
	};
	u8 buf[MRC_ACK_LEN];

	scene_ctrl(s, buf, mrc_pkt_put_ack(buf, s->qpn, &a));
}

static bool read_is_right(struct scene *s, const struct got *g, u16 n, u64 va)
{
	return is_result(s, g, MRC_OP_READ_RSP_ONLY, n, LEN) &&
	       !memcmp(g->buf + g->pkt.payload_off,
		       (const void *)(uintptr_t)va, LEN);
}

static void reads(struct scene *s, enum target_state state, const char *what)
{
	struct mrc_pkt_data d;
	struct got g;
	bool ok = true;
	u16 n;

	begin(s, SCENE_CALM, state);
	for (n = 0; ok && n < 3; n++) {
		ask(s, &d, MRC_OP_READ_REQUEST, LEN);
		d.va += n * LEN;
		asked(s, &d);
		ok &= next_result(s, &g) && read_is_right(s, &g, n, d.va);
		acknowledge(s, &g);
	}
	tap_ok(ok & end(s), "%s: READs bring bytes, %s", scene_family(s), what);
}

/* An ATOMIC that comes again is answered, not carried out again. */
static void atomics(struct scene *s)
{
	u64 orig = *word(s), sum = orig + ADDEND, other = ~sum;
	struct mrc_pkt_data d, swap;
	struct got g;
	bool ok;

	begin(s, SCENE_CALM, TARGET_RTS);
	ask(s, &d, MRC_OP_FETCH_ADD, sizeof(sum));
	asked(s, &d);
	target_expect(s->target, d.va, &sum, sizeof(sum));
	ok = next_result(s, &g) && is_result(s, &g, MRC_OP_ATOMIC_ACK, 0, 8) &&
	     g.pkt.orig == orig;
	acknowledge(s, &g);
	d.flags |= MRC_PF_RTX;
	scene_data(s, &d);
	tap_ok(ok & scene_flush(s) & scene_intact(s),
	       "%s: FetchAdd, and once only", scene_family(s));
	s->n_got = 0;

	ask(s, &swap, MRC_OP_CMP_SWAP, sizeof(sum));
	swap.compare = orig;
	swap.swap = other;
	asked(s, &swap);
	ok = next_result(s, &g) && is_result(s, &g, MRC_OP_ATOMIC_ACK, 1, 8) &&
	     g.pkt.orig == sum;
	acknowledge(s, &g);
	ok &= scene_flush(s) & scene_intact(s);
	s->n_got = 0;

	ask(s, &swap, MRC_OP_CMP_SWAP, sizeof(sum));
	swap.compare = sum;
	swap.swap = other;
	asked(s, &swap);
	target_expect(s->target, swap.va, &other, sizeof(other));
	ok &= next_result(s, &g) && is_result(s, &g, MRC_OP_ATOMIC_ACK, 2, 8) &&
	      g.pkt.orig == sum;
	acknowledge(s, &g);
	tap_ok(ok & end(s), "%s: CmpSwap, if it compares equal only",
	       scene_family(s));
}

/* A result that is not acknowledged comes again, and is the same. */
static void again(struct scene *s)
{
	u64 orig = *word(s), sum = orig + ADDEND;
	struct mrc_pkt_data d;
	struct got g;
	bool ok = true;
	u32 i;

	begin(s, HASTY, TARGET_RTS);
	ask(s, &d, MRC_OP_FETCH_ADD, sizeof(sum));
	asked(s, &d);
	target_expect(s->target, d.va, &sum, sizeof(sum));
	for (i = 0; ok && i < 3; i++)
		ok = next_result(s, &g) && g.pkt.orig == orig &&
		     is_result(s, &g, MRC_OP_ATOMIC_ACK, 0, 8) &&
		     !(g.pkt.flags & MRC_PF_RTX) == !i;
	acknowledge(s, &g);
	tap_ok(ok & end(s), "%s: a result comes until it is acknowledged",
	       scene_family(s));
}

/* The region goes between the request and the end of its result. */
static void gone(struct scene *s)
{
	struct mrc_pkt_data d;
	struct got g;
	bool ok;

	begin(s, HASTY, TARGET_RTS);
	ask(s, &d, MRC_OP_READ_REQUEST, LEN);
	asked(s, &d);
	ok = next_result(s, &g) && read_is_right(s, &g, 0, d.va);
	ok &= !target_drop(s->target, TARGET_FULL);
	/* Not acknowledged, it is to be sent again. */
	do
		ok &= scene_next(s, &g);
	while (ok && (g.err || g.pkt.op->code != MRC_OP_ACK ||
		      g.pkt.ack.syndrome == MRC_SYN_ACK));
	ok &= g.pkt.ack.psn == d.psn &&
	      g.pkt.ack.syndrome == MRC_SYN_NAK_REM_ACCESS;
	ok &= target_await(s->qp, TARGET_ERROR, SCENE_WAIT_MS);
	ok &= !target_take(s->target, TARGET_FULL, &s->mr[TARGET_FULL]);
	s->n_got = 0;
	tap_ok(ok & end(s), "%s: a READ of a region that goes is refused",
	       scene_family(s));
}

/**
 * asked_run - tests: READs and ATOMICs by the book
 * @s: scene
 */
void asked_run(struct scene *s)
{
	reads(s, TARGET_RTS, "in RTS");
	reads(s, TARGET_RTR, "in RTR");
	atomics(s);
	again(s);
	gone(s);
}
