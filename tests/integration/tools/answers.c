// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A conversation with the requester: the device writes to the peer, which
 * checks what comes, loses some of it, and gives answers right and wrong.
 */
#include <string.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "core/psn.h"
#include "scene.h"
#include "tap.h"

#define PKTS		12
#define LEN		(PKTS * TARGET_PMTU)
#define LOST		7
#define WR_ID		0x77
/* 4.096 us << 8 = 1 ms */
#define HASTY		8

static void start_write(struct scene *s, u8 timeout, u8 retry_cnt)
{
	const struct target_cfg cfg = {
		.timeout = timeout,
		.retry_cnt = retry_cnt,
	};

	scene_qp(s, &cfg);
	scene_mark(s);
	if (target_write(s->qp, WR_ID, s->mr[TARGET_FULL].va, LEN,
			 SCENE_PEER_VA, SCENE_PEER_RKEY))
		tap_note("post send failed");
}

static void send_sack(struct scene *s, s32 cack, s32 trigger, u64 bitmap,
		      u32 ev)
{
	const struct mrc_pkt_sack sack = {
		.cack_psn = mrc_psn_add(s->sq_psn, cack),
		.ack_psn_offset = trigger - cack,
		.sack_offset = 1,
		.bitmap = bitmap,
		.entropy = ev,
	};
	u8 buf[MRC_SACK_LEN];

	scene_ctrl(s, buf, mrc_pkt_put_sack(buf, s->qpn, &sack));
}

static void send_ack(struct scene *s, s32 psn, u8 syndrome, u32 msn)
{
	const struct mrc_pkt_ack ack = {
		.psn = mrc_psn_add(s->sq_psn, psn),
		.syndrome = syndrome,
		.msn = msn,
	};
	u8 buf[MRC_ACK_LEN];

	scene_ctrl(s, buf, mrc_pkt_put_ack(buf, s->qpn, &ack));
}

static void send_nack(struct scene *s, s32 psn, u8 reason)
{
	const struct mrc_pkt_nack nack = {
		.psn = mrc_psn_add(s->sq_psn, psn),
		.reason = reason,
	};
	u8 buf[MRC_NACK_LEN];

	scene_ctrl(s, buf, mrc_pkt_put_nack(buf, s->qpn, &nack));
}

/* Is it packet @i of the WRITE, in every respect? */
static bool is_nth(struct scene *s, const struct got *g, u32 i)
{
	const struct mrc_pkt *p = &g->pkt;
	const u8 *source = (const u8 *)(uintptr_t)s->mr[TARGET_FULL].va;
	u8 op = i == 0 ? MRC_OP_WRITE_FIRST : i == PKTS - 1 ?
		MRC_OP_WRITE_LAST : MRC_OP_WRITE_MIDDLE;
	bool ok;

	ok = g->icrc_ok && !(p->flags & MRC_PF_NOICRC) && p->op->code == op &&
	     p->dest_qpn == SCENE_PEER_QPN && p->msn == 0 &&
	     p->va == SCENE_PEER_VA + i * TARGET_PMTU &&
	     p->rkey == SCENE_PEER_RKEY &&
	     p->dmalen == LEN && p->payload_len == TARGET_PMTU && !p->pad &&
	     !memcmp(g->buf + p->payload_off, source + i * TARGET_PMTU,
		     TARGET_PMTU);
	if (!ok)
		tap_note("packet %u: %s, ICRC %s, va %#llx, %u bytes of %u", i,
			 p->op->name, g->icrc_ok ? "right" : "wrong",
			 (unsigned long long)p->va, p->payload_len, p->dmalen);
	return ok;
}

/* Next data packet; probes may come in between. */
static bool next_data(struct scene *s, struct got *g)
{
	do {
		if (!scene_next(s, g))
			return false;
		if (g->err) {
			tap_note("it sends junk: %s", mrc_drop_name(-g->err));
			return false;
		}
	} while (!(g->pkt.op->flags & MRC_OPF_DATA));
	return true;
}

/* Take in all packets of the WRITE, in whatever order. */
static bool take_write(struct scene *s, u32 ev[PKTS])
{
	u32 seen = 0, i;
	struct got g;
	bool ok = true;

	while (seen != (1 << PKTS) - 1) {
		if (!next_data(s, &g))
			return false;
		i = mrc_psn_diff(g.pkt.psn, s->sq_psn);
		if (i >= PKTS) {
			tap_note("PSN %#x is not of the WRITE", g.pkt.psn);
			return false;
		}
		ok &= is_nth(s, &g, i);
		seen |= 1 << i;
		ev[i] = g.ev;
	}
	return ok;
}

static bool ends_with(struct scene *s, int status)
{
	struct target_wc wc = { .status = -1 };

	target_poll(s->target, &wc, SCENE_WAIT_MS);
	if (wc.wr_id == WR_ID && wc.status == status)
		return true;
	tap_note("completion of %#llx with status %d",
		 (unsigned long long)wc.wr_id, wc.status);
	return false;
}

static bool goes_on(struct scene *s)
{
	struct target_wc wc;

	if (!target_poll(s->target, &wc, 0) &&
	    target_state(s->qp) == TARGET_RTS)
		return true;
	tap_note("the WRITE has ended");
	return false;
}

/* Answers about packets that were never sent, or that are no answers. */
static void forged(struct scene *s)
{
	u32 ev[PKTS] = {};
	bool ok;

	start_write(s, SCENE_CALM, 7);
	ok = take_write(s, ev);
	tap_ok(ok, "%s: a WRITE arrives as %u correct packets", scene_family(s),
	       PKTS);
	send_sack(s, PKTS, PKTS, 0, ev[0]);
	send_sack(s, PKTS - 1, PKTS, 0, ev[0]);
	send_sack(s, -1, 0, 1ULL << PKTS, ev[0]);
	ok = scene_flush(s) & scene_dropped(s, "stale", 3) & goes_on(s);
	tap_ok(ok, "%s: a SACK of what was never sent is dropped",
	       scene_family(s));

	send_ack(s, PKTS, MRC_SYN_ACK, 1);
	send_ack(s, 1 << 22, MRC_SYN_ACK, 1);
	send_ack(s, PKTS, MRC_SYN_NAK_REM_ACCESS, 0);
	send_ack(s, -1000, MRC_SYN_NAK_REM_ACCESS, 0);
	ok = scene_flush(s) & scene_dropped(s, "stale", 3) & goes_on(s);
	tap_ok(ok, "%s: so is an Acknowledge", scene_family(s));

	send_nack(s, PKTS, MRC_NACK_UNEXP_EVENT);
	send_nack(s, -1, MRC_NACK_UNEXP_EVENT);
	ok = scene_flush(s) & scene_dropped(s, "stale", 1) & goes_on(s);
	tap_ok(ok, "%s: so is a NACK", scene_family(s));

	send_sack(s, PKTS - 1, PKTS - 1, 0, ev[PKTS - 1]);
	send_ack(s, PKTS - 1, MRC_SYN_ACK, 1);
	ok = ends_with(s, IBV_WC_SUCCESS) & scene_flush(s);
	tap_ok(ok, "%s: the right answer does", scene_family(s));
	s->n_got = 0;
}

static bool no_other_again(struct scene *s)
{
	u32 i;

	for (i = 0; i < s->n_got; i++)
		if (s->got[i].pkt.op->flags & MRC_OPF_DATA)
			return false;
	return true;
}

static void loses_7(struct scene *s)
{
	u32 ev[PKTS] = {};
	struct got g = {};
	bool ok;

	start_write(s, SCENE_CALM, 7);
	ok = take_write(s, ev);
	/* 0 to 6 and 8 to 11; then late ones that know less. */
	send_sack(s, LOST - 1, PKTS - 1, 0xf << 1, ev[PKTS - 1]);
	send_sack(s, LOST - 1, 9, 1 << 2, ev[9]);
	send_sack(s, LOST - 1, 8, 3 << 1, ev[8]);
	ok &= next_data(s, &g) && is_nth(s, &g, LOST) &&
	      g.pkt.flags & MRC_PF_RTX &&
	      g.pkt.psn == mrc_psn_add(s->sq_psn, LOST);
	ok &= scene_flush(s) & no_other_again(s) & goes_on(s);
	if (!ok)
		tap_note("PSN %#x, flags %#x", g.pkt.psn, g.pkt.flags);
	tap_ok(ok, "%s: 7 is lost: it, and no other, comes again",
	       scene_family(s));
	tap_ok(g.ev != ev[LOST], "%s: it comes by another path",
	       scene_family(s));

	send_sack(s, PKTS - 1, LOST, 0, g.ev);
	send_ack(s, PKTS - 1, MRC_SYN_ACK, 1);
	ok = ends_with(s, IBV_WC_SUCCESS);
	tap_ok(ok, "%s: and the WRITE completes", scene_family(s));
	scene_flush(s);
	s->n_got = 0;
}

static void refused(struct scene *s, u8 syndrome, int status)
{
	u32 ev[PKTS];
	bool ok;

	start_write(s, SCENE_CALM, 7);
	ok = take_write(s, ev);
	send_ack(s, 0, syndrome, 0);
	ok &= ends_with(s, status);
	ok &= target_await(s->qp, TARGET_ERROR, SCENE_WAIT_MS);
	tap_ok(ok & scene_flush(s), "%s: NAK %#x ends it with: %s",
	       scene_family(s), syndrome, ibv_wc_status_str(status));
	s->n_got = 0;
}

static void ignored(struct scene *s)
{
	bool ok;

	start_write(s, HASTY, 1);
	ok = ends_with(s, IBV_WC_RETRY_EXC_ERR);
	ok &= target_await(s->qp, TARGET_ERROR, SCENE_WAIT_MS);
	ok &= scene_flush(s);
	ok &= scene_counted(s, "unresponsive_remote_events", 1);
	tap_ok(ok, "%s: without any answer it ends with: %s", scene_family(s),
	       ibv_wc_status_str(IBV_WC_RETRY_EXC_ERR));
	s->n_got = 0;
}

/**
 * answers_run - tests: the requester
 * @s: scene
 */
void answers_run(struct scene *s)
{
	forged(s);
	loses_7(s);
	refused(s, MRC_SYN_NAK_INV_REQ, IBV_WC_REM_INV_REQ_ERR);
	refused(s, MRC_SYN_NAK_REM_ACCESS, IBV_WC_REM_ACCESS_ERR);
	refused(s, MRC_SYN_NAK_REM_OP, IBV_WC_REM_OP_ERR);
	ignored(s);
}
