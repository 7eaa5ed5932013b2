// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the requester: the device sends WRITEs to the peer, which checks the
 * packets, loses some and sends correct and false acknowledgments.
 */
#include <string.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "core/psn.h"
#include "fixture.h"
#include "tap.h"

#define PKTS		12
#define LEN		(PKTS * TARGET_PMTU)
#define LOST		7
#define WR_ID		0x77
/* 4.096 us << 8 = 1 ms */
#define SHORT_TIMEOUT		8

static void start_write(struct fixture *s, u8 timeout, u8 retry_cnt)
{
	const struct target_cfg cfg = {
		.timeout = timeout,
		.retry_cnt = retry_cnt,
	};

	fixture_qp(s, &cfg);
	fixture_snapshot(s);
	if (target_write(s->qp, WR_ID, s->mr[TARGET_FULL].va, LEN,
			 FIXTURE_PEER_VA, FIXTURE_PEER_RKEY))
		tap_note("post send failed");
}

static void send_sack(struct fixture *s, s32 cack, s32 trigger, u64 bitmap,
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

	fixture_ctrl(s, buf, mrc_pkt_put_sack(buf, s->qpn, &sack));
}

static void send_ack(struct fixture *s, s32 psn, u8 syndrome, u32 msn)
{
	const struct mrc_pkt_ack ack = {
		.psn = mrc_psn_add(s->sq_psn, psn),
		.syndrome = syndrome,
		.msn = msn,
	};
	u8 buf[MRC_ACK_LEN];

	fixture_ctrl(s, buf, mrc_pkt_put_ack(buf, s->qpn, &ack));
}

static void send_nack(struct fixture *s, s32 psn, u8 reason)
{
	const struct mrc_pkt_nack nack = {
		.psn = mrc_psn_add(s->sq_psn, psn),
		.reason = reason,
	};
	u8 buf[MRC_NACK_LEN];

	fixture_ctrl(s, buf, mrc_pkt_put_nack(buf, s->qpn, &nack));
}

/* Compare all fields with those of packet @i of the WRITE. */
static bool is_nth(struct fixture *s, const struct got *g, u32 i)
{
	const struct mrc_pkt *p = &g->pkt;
	const u8 *source = (const u8 *)(uintptr_t)s->mr[TARGET_FULL].va;
	u8 op = i == 0 ? MRC_OP_WRITE_FIRST : i == PKTS - 1 ?
		MRC_OP_WRITE_LAST : MRC_OP_WRITE_MIDDLE;
	bool ok;

	ok = g->icrc_ok && !(p->flags & MRC_PF_NOICRC) && p->op->code == op &&
	     p->dest_qpn == FIXTURE_PEER_QPN && p->msn == 0 &&
	     p->va == FIXTURE_PEER_VA + i * TARGET_PMTU &&
	     p->rkey == FIXTURE_PEER_RKEY &&
	     p->dmalen == LEN && p->payload_len == TARGET_PMTU && !p->pad &&
	     !memcmp(g->buf + p->payload_off, source + i * TARGET_PMTU,
		     TARGET_PMTU);
	if (!ok)
		tap_note("packet %u: %s, ICRC %s, va %#llx, %u bytes of %u", i,
			 p->op->name, g->icrc_ok ? "right" : "wrong",
			 (unsigned long long)p->va, p->payload_len, p->dmalen);
	return ok;
}

/* Next data packet; probes before it are skipped. */
static bool next_data(struct fixture *s, struct got *g)
{
	do {
		if (!fixture_next(s, g))
			return false;
		if (g->err) {
			tap_note("invalid packet of the device: enum mrc_drop %d",
				 -g->err);
			return false;
		}
	} while (!(g->pkt.op->flags & MRC_OPF_DATA));
	return true;
}

/* Receive all packets of the WRITE, in any order. */
static bool receive_write(struct fixture *s, u32 ev[PKTS])
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

static bool ends_with(struct fixture *s, int status)
{
	struct target_wc wc = { .status = -1 };

	target_poll(s->target, &wc, FIXTURE_WAIT_MS);
	if (wc.wr_id == WR_ID && wc.status == status)
		return true;
	tap_note("completion of %#llx with status %d",
		 (unsigned long long)wc.wr_id, wc.status);
	return false;
}

static bool is_pending(struct fixture *s)
{
	struct target_wc wc;

	if (!target_poll(s->target, &wc, 0) &&
	    target_state(s->qp) == TARGET_RTS)
		return true;
	tap_note("the WRITE has completed or the QP has left RTS");
	return false;
}

/* Acknowledgments of packets that were never sent. */
static void false_acknowledgments(struct fixture *s)
{
	u32 ev[PKTS] = {};
	bool ok;

	start_write(s, FIXTURE_LONG_TIMEOUT, 7);
	ok = receive_write(s, ev);
	tap_ok(ok, "%s: a WRITE arrives as %u correct packets", fixture_family(s),
	       PKTS);
	send_sack(s, PKTS, PKTS, 0, ev[0]);
	send_sack(s, PKTS - 1, PKTS, 0, ev[0]);
	send_sack(s, -1, 0, 1ULL << PKTS, ev[0]);
	ok = fixture_flush(s) & fixture_dropped(s, "stale", 3) & is_pending(s);
	tap_ok(ok, "%s: SACKs of PSNs never sent are dropped as stale",
	       fixture_family(s));

	send_ack(s, PKTS, MRC_SYN_ACK, 1);
	send_ack(s, 1 << 22, MRC_SYN_ACK, 1);
	send_ack(s, PKTS, MRC_SYN_NAK_REM_ACCESS, 0);
	send_ack(s, -1000, MRC_SYN_NAK_REM_ACCESS, 0);
	ok = fixture_flush(s) & fixture_dropped(s, "stale", 4) & is_pending(s);
	tap_ok(ok, "%s: ACKs and NAKs of PSNs never sent are dropped as stale",
	       fixture_family(s));

	send_nack(s, PKTS, MRC_NACK_UNEXP_EVENT);
	send_nack(s, -1, MRC_NACK_UNEXP_EVENT);
	ok = fixture_flush(s) & fixture_dropped(s, "stale", 2) & is_pending(s);
	tap_ok(ok, "%s: NACKs of PSNs never sent are dropped as stale",
	       fixture_family(s));

	send_sack(s, PKTS - 1, PKTS - 1, 0, ev[PKTS - 1]);
	send_ack(s, PKTS - 1, MRC_SYN_ACK, 1);
	ok = ends_with(s, IBV_WC_SUCCESS) & fixture_flush(s);
	tap_ok(ok, "%s: a correct ACK after false ones completes the WRITE",
	       fixture_family(s));
	s->n_got = 0;
}

static bool no_further_data(struct fixture *s)
{
	u32 i;

	for (i = 0; i < s->n_got; i++)
		if (s->got[i].pkt.op->flags & MRC_OPF_DATA)
			return false;
	return true;
}

static void psn_7_is_lost(struct fixture *s)
{
	u32 ev[PKTS] = {};
	struct got g = {};
	bool ok;

	start_write(s, FIXTURE_LONG_TIMEOUT, 7);
	ok = receive_write(s, ev);
	/* 0 to 6 and 8 to 11 have arrived; then SACKs of an earlier state. */
	send_sack(s, LOST - 1, PKTS - 1, 0xf << 1, ev[PKTS - 1]);
	send_sack(s, LOST - 1, 9, 1 << 2, ev[9]);
	send_sack(s, LOST - 1, 8, 3 << 1, ev[8]);
	ok &= next_data(s, &g) && is_nth(s, &g, LOST) &&
	      g.pkt.flags & MRC_PF_RTX &&
	      g.pkt.psn == mrc_psn_add(s->sq_psn, LOST);
	ok &= fixture_flush(s) & no_further_data(s) & is_pending(s);
	if (!ok)
		tap_note("PSN %#x, flags %#x", g.pkt.psn, g.pkt.flags);
	tap_ok(ok, "%s: PSN 7 is lost: PSN 7 alone is retransmitted",
	       fixture_family(s));
	tap_ok(g.ev != ev[LOST],
	       "%s: the retransmission of PSN 7 takes another path",
	       fixture_family(s));

	send_sack(s, PKTS - 1, LOST, 0, g.ev);
	send_ack(s, PKTS - 1, MRC_SYN_ACK, 1);
	ok = ends_with(s, IBV_WC_SUCCESS);
	tap_ok(ok, "%s: the WRITE completes after the retransmission of PSN 7",
	       fixture_family(s));
	fixture_flush(s);
	s->n_got = 0;
}

static void nak_ends_write(struct fixture *s, u8 syndrome, int status)
{
	u32 ev[PKTS];
	bool ok;

	start_write(s, FIXTURE_LONG_TIMEOUT, 7);
	ok = receive_write(s, ev);
	send_ack(s, 0, syndrome, 0);
	ok &= ends_with(s, status);
	ok &= target_await(s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
	tap_ok(ok & fixture_flush(s), "%s: NAK %#x ends a WRITE with: %s",
	       fixture_family(s), syndrome, ibv_wc_status_str(status));
	s->n_got = 0;
}

static void no_acknowledgment(struct fixture *s)
{
	bool ok;

	start_write(s, SHORT_TIMEOUT, 1);
	ok = ends_with(s, IBV_WC_RETRY_EXC_ERR);
	ok &= target_await(s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
	ok &= fixture_flush(s);
	ok &= fixture_counted(s, "unresponsive_remote_events", 1);
	tap_ok(ok, "%s: a WRITE without acknowledgment ends with: %s",
	       fixture_family(s),
	       ibv_wc_status_str(IBV_WC_RETRY_EXC_ERR));
	s->n_got = 0;
}

/**
 * requester_run - tests: the requester
 * @s: fixture
 */
void requester_run(struct fixture *s)
{
	false_acknowledgments(s);
	psn_7_is_lost(s);
	nak_ends_write(s, MRC_SYN_NAK_INV_REQ, IBV_WC_REM_INV_REQ_ERR);
	nak_ends_write(s, MRC_SYN_NAK_REM_ACCESS, IBV_WC_REM_ACCESS_ERR);
	nak_ends_write(s, MRC_SYN_NAK_REM_OP, IBV_WC_REM_OP_ERR);
	no_acknowledgment(s);
}
