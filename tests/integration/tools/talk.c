// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A conversation by the book with the responder: the peer sends, loses and
 * swaps packets, and every answer is compared byte for byte.
 */
#include <string.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "core/psn.h"
#include "malformed.h"

#define FULL	TARGET_PMTU
/* Receives go behind what is written. */
#define RECV_OFFSET	65536
#define RECV_LEN	8192

static bool settled(struct scene *s)
{
	return scene_quiet(s) & scene_intact(s);
}

/*
 * Documentation/wire-format.md by hand: what the encoder of this tree says is
 * not asked.
 */
static void by_hand(struct scene *s)
{
	static const u8 want[] = {
		/* BTH: to QP 0x1234, cumulative PSN 0x1000 */
		0xdc, 0x00, 0xff, 0xff, 0x00, 0x00, 0x12, 0x34,
		0x00, 0x00, 0x10, 0x00,
		/* SETH: trigger = cumulative PSN; entropy value 0x0001c0de */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xc0, 0xde,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
		0x00, 0x00, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0,
		/* CC_STATE: 36 + 64 + 4 + 40 bytes in units of 256 */
		0x12, 0x34, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	static const u8 want_ack[] = {
		0xd1, 0x00, 0xff, 0xff, 0x00, 0x00, 0x12, 0x34,
		0x00, 0x00, 0x10, 0x00, 0x1f, 0x00, 0x00, 0x01,
	};
	struct mrc_pkt_data d;
	struct got sack, ack;
	bool ok;

	do
		scene_qp(s, NULL);
	while (s->psn != 0x1000);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.tx_ts = 0x1234;
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	ok = scene_next(s, &sack) && scene_next(s, &ack) &&
	     sack.len == MRC_SACK_LEN && ack.len == MRC_ACK_LEN &&
	     !memcmp(sack.buf, want, sizeof(want)) &&
	     !memcmp(ack.buf, want_ack, sizeof(want_ack)) &&
	     sack.icrc_ok && ack.icrc_ok;
	tap_ok(ok && scene_flush(s) & settled(s),
	       "SACK and Acknowledge are as documented");
}

static void duplicates(struct scene *s)
{
	struct mrc_pkt_data d, again;
	u8 payload[64];
	bool ok;

	scene_qp(s, NULL);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, sizeof(payload));
	again = d;
	again.flags |= MRC_PF_RTX;
	again.tx_ts++;
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	memcpy(payload, s->payload, sizeof(payload));
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);

	scene_mark(s);
	/* With another content: it must not get into memory. */
	scene_data(s, &again);
	ok &= scene_flush(s);
	ok &= scene_acked(s, &again) & settled(s);
	ok &= scene_counted(s, "duplicate_request", 1);
	ok &= scene_dropped(s, NULL, 0);
	tap_ok(ok, "%s: a duplicate is answered, not written", scene_family(s));
}

static void around_the_window(struct scene *s)
{
	struct mrc_pkt_data d;
	u32 cack;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	cack = mrc_psn_add(s->psn, -1);
	/* One above the window, and the last that is answered. */
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.psn = mrc_psn_add(cack, SCENE_MPR + 1);
	scene_data(s, &d);
	ok = scene_flush(s);
	ok &= scene_nack(s, d.psn, MRC_NACK_PSN_OOR_WINDOW, d.tx_ts);
	d.psn = mrc_psn_add(cack, 2 * SCENE_MPR);
	scene_data(s, &d);
	ok &= scene_flush(s);
	ok &= scene_nack(s, d.psn, MRC_NACK_PSN_OOR_WINDOW, d.tx_ts);
	ok &= settled(s) & scene_counted(s, "out_of_window_pkts", 2);
	ok &= scene_dropped(s, NULL, 0);
	tap_ok(ok, "%s: a PSN above the window is refused", scene_family(s));

	/* The last in the window. */
	d.psn = mrc_psn_add(cack, SCENE_MPR);
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = cack,
		.ack_psn_offset = SCENE_MPR,
		/* Bitmaps go through the window in turns, from its start. */
		.sack_offset = 1,
		.ooo_count = 1,
		.tx_ts = d.tx_ts,
	});
	ok &= scene_ack(s, cack, MRC_SYN_ACK) & settled(s);
	tap_ok(ok, "%s: the last PSN of the window is taken", scene_family(s));
}

/* Packet @i of a WRITE of @n full ones. */
static void nth(struct scene *s, struct mrc_pkt_data *d, u32 i, u32 n)
{
	scene_head(s, d, i == 0 ? MRC_OP_WRITE_FIRST : i == n - 1 ?
			 MRC_OP_WRITE_LAST : MRC_OP_WRITE_MIDDLE, FULL);
	d->psn = mrc_psn_add(s->psn, i);
	d->va += i * FULL;
	d->dmalen = n * FULL;
	d->flags = MRC_PF_TS;
}

static void send_nth(struct scene *s, struct mrc_pkt_data *d, u32 i, u8 flags)
{
	nth(s, d, i, 10);
	d->flags |= flags;
	scene_data(s, d);
	scene_placed(s, d, d->va);
}

static void loses_7_swaps_9_and_8(struct scene *s)
{
	struct mrc_pkt_data d;
	u32 i, six;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	six = mrc_psn_add(s->psn, 6);
	for (i = 0; i < 7; i++)
		send_nth(s, &d, i, 0);
	ok = scene_flush(s) & settled(s);
	tap_ok(ok, "%s: packets that ask for nothing are taken in silence",
	       scene_family(s));

	send_nth(s, &d, 9, MRC_PF_ACKREQ);
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = six,
		.ack_psn_offset = 3,
		.sack_offset = 1,
		.bitmap = 1 << 2,
		.ooo_count = 1,
		.tx_ts = d.tx_ts,
	});
	ok &= scene_ack(s, six, MRC_SYN_ACK) & settled(s);
	tap_ok(ok, "%s: 9 comes before 7 and 8: placed and reported",
	       scene_family(s));

	send_nth(s, &d, 8, MRC_PF_ACKREQ);
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = six,
		.ack_psn_offset = 2,
		.sack_offset = 1,
		.bitmap = 3 << 1,
		.ooo_count = 2,
		.tx_ts = d.tx_ts,
	});
	ok &= scene_ack(s, six, MRC_SYN_ACK) & settled(s);
	tap_ok(ok, "%s: then 8; 7 is missing", scene_family(s));

	send_nth(s, &d, 7, MRC_PF_RTX);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = mrc_psn_add(six, 3),
		.ack_psn_offset = -2,
		.sack_offset = 1,
		.tx_ts = d.tx_ts,
		.rtx = true,
	});
	ok &= scene_ack(s, mrc_psn_add(six, 3), MRC_SYN_ACK) & settled(s);
	ok &= scene_counted(s, "out_of_order_pkts", 2);
	ok &= scene_dropped(s, NULL, 0);
	tap_ok(ok, "%s: 7 again: complete", scene_family(s));
}

static bool completes(struct scene *s, u64 wr_id, int opcode, u32 len, u32 imm)
{
	struct target_wc wc = {};
	bool ok;

	ok = target_poll(s->target, &wc, SCENE_WAIT_MS) &&
	     wc.wr_id == wr_id && wc.status == IBV_WC_SUCCESS &&
	     wc.opcode == opcode && wc.byte_len == len && wc.imm == imm;
	if (!ok)
		tap_note("completion of %llu, status %d, opcode %d, %u bytes",
			 (unsigned long long)wc.wr_id, wc.status, wc.opcode,
			 wc.byte_len);
	return ok;
}

static bool no_completion(struct scene *s)
{
	struct target_wc wc;

	if (!target_poll(s->target, &wc, 0))
		return true;
	tap_note("completion of %llu before its time",
		 (unsigned long long)wc.wr_id);
	return false;
}

static u64 post_recv(struct scene *s, u64 wr_id)
{
	u64 va = s->mr[TARGET_FULL].va + RECV_OFFSET + wr_id * RECV_LEN;

	if (target_recv(s->qp, wr_id, va, RECV_LEN))
		tap_note("post receive failed");
	return va;
}

/* Without a receive: RNR NAK. Extension: MRC 1.0 has none. */
static void with_immediate(struct scene *s)
{
	/* IB_RNR_TIMER_000_64, as the queue pair was told */
	const u8 rnr = MRC_SYN_TYPE_RNR | 12;
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY_IMM, 64);
	d.imm = 0x78563412;
	scene_data(s, &d);
	ok = scene_flush(s);
	ok &= scene_ack(s, d.psn, rnr) & settled(s);
	ok &= scene_counted(s, "rnr_nak_tx", 1) & no_completion(s);
	tap_ok(ok, "%s: an immediate without a receive: RNR NAK",
	       scene_family(s));

	post_recv(s, 0);
	d.flags |= MRC_PF_RTX;
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);
	ok &= completes(s, 0, IBV_WC_RECV_RDMA_WITH_IMM, 64, d.imm);
	tap_ok(ok, "%s: with one: written, and a completion", scene_family(s));
}

static void send_part(struct scene *s, u32 i, u64 va)
{
	static const u8 op[] = {
		MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST,
	};
	struct mrc_pkt_data d;

	scene_head(s, &d, op[i], FULL);
	d.psn = mrc_psn_add(s->psn, i);
	d.va = i * FULL;
	d.dmalen = 3 * FULL;
	d.flags = MRC_PF_TS;
	scene_data(s, &d);
	scene_placed(s, &d, va + d.va);
}

/* A message behind it is complete first, and waits for its turn. */
static void sends_backwards(struct scene *s)
{
	struct mrc_pkt_data d;
	u64 first, second;
	bool ok;

	scene_qp(s, NULL);
	first = post_recv(s, 1);
	second = post_recv(s, 2);
	scene_head(s, &d, MRC_OP_SEND_ONLY, 100);
	d.psn = mrc_psn_add(s->psn, 3);
	d.rqmsn = 1;
	d.msn = 1;
	d.flags = MRC_PF_TS;
	scene_data(s, &d);
	scene_placed(s, &d, second);
	send_part(s, 2, first);
	send_part(s, 1, first);
	ok = scene_flush(s) & settled(s) & no_completion(s);
	tap_ok(ok, "%s: a SEND whose packets come backwards is placed",
	       scene_family(s));

	send_part(s, 0, first);
	ok = scene_flush(s) & settled(s);
	ok &= completes(s, 1, IBV_WC_RECV, 3 * FULL, 0);
	ok &= completes(s, 2, IBV_WC_RECV, 100, 0);
	tap_ok(ok, "%s: and completes in order", scene_family(s));
}

static void oversized_send(struct scene *s)
{
	struct target_wc wc = {};
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, NULL);
	post_recv(s, 3);
	scene_head(s, &d, MRC_OP_SEND_FIRST, FULL);
	d.dmalen = RECV_LEN + 1;
	scene_data(s, &d);
	ok = scene_flush(s);
	ok &= scene_ack(s, d.psn, MRC_SYN_NAK_INV_REQ) & settled(s);
	ok &= target_poll(s->target, &wc, SCENE_WAIT_MS) &&
	      wc.status == IBV_WC_LOC_LEN_ERR;
	ok &= target_await(s->qp, TARGET_ERROR, SCENE_WAIT_MS);
	tap_ok(ok, "%s: a SEND longer than its receive is refused",
	       scene_family(s));
}

static void probed(struct scene *s)
{
	struct mrc_pkt_probe p = { .probe_id = 0xabcd, .tx_ts = 0x4321 };
	u32 cack;
	u8 buf[MRC_PROBE_LEN];
	bool ok;

	scene_qp(s, NULL);
	cack = mrc_psn_add(s->psn, -1);
	scene_mark(s);
	scene_ctrl(s, buf, mrc_pkt_put_probe(buf, s->qpn, &p));
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = cack,
		.sack_offset = 1,
		.tx_ts = p.tx_ts,
		.probe = true,
		.probe_id = p.probe_id,
	});
	ok &= scene_ack(s, cack, MRC_SYN_ACK) & settled(s);
	ok &= scene_counted(s, "probe_rx", 1);
	tap_ok(ok & scene_dropped(s, NULL, 0), "%s: a probe is answered",
	       scene_family(s));
}

static void asked_who(struct scene *s, bool marked, u16 port)
{
	struct mrc_pkt_endpoint ask = {
		.port_mask = 1,
		.req_id = 0x7788,
		.tx_ts = 0x5566,
		.op = MRC_EP_EV_PROBE,
	};
	struct mrc_pkt_endpoint want = ask;
	u8 req[MRC_EP_REQ_LEN], rsp[MRC_EP_RSP_LEN];
	struct got got;
	u16 dport = s->wire.dport;
	bool ok;

	ask.marked = marked;
	want.marked = true;
	want.caps = MRC_CAP_NOICRC | MRC_CAP_SEND | MRC_CAP_SVC_TIME |
		    MRC_CAP_READ | MRC_CAP_INV;
	s->wire.dport = port;
	scene_ctrl(s, req, mrc_pkt_put_endpoint_req(req, &ask));
	s->wire.dport = dport;
	mrc_pkt_put_endpoint_rsp(rsp, &want);
	ok = scene_next(s, &got) && got.len == MRC_EP_RSP_LEN && got.icrc_ok &&
	     !memcmp(got.buf, rsp, MRC_EP_RSP_LEN - MRC_ICRC_LEN);
	tap_ok(ok, "%s: %s asks what we are, at port %u", scene_family(s),
	       marked ? "one of ours" : "a foreign device", port);
}

/* Bits that mean nothing, in all ways at once. */
static void reserved_bits(struct scene *s)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;
	u8 *mrc;

	scene_qp(s, NULL);
	scene_mark(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	scene_frame(s, &f, &d);
	mrc = f.buf + f.mrc;
	mrc[1] |= MRC_BTH_M;
	mrc[2] = 0x7f;
	mrc[8] |= MRC_BTH_RESV_R | 7;
	mrc[18] = 0xff;
	mrc[19] = 0xf2;
	frame_icrc(&f);
	/* These the ICRC does not cover, they change on the way. */
	mrc[4] = 0xff;
	f.buf[f.ip + (s->wire.v4 ? 8 : 7)] = 1;
	if (s->wire.v4)
		frame_ip4_sum(&f);
	scene_send(s, &f);
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);
	tap_ok(ok & scene_dropped(s, NULL, 0),
	       "%s: reserved bits are ignored", scene_family(s));
}

/*
 * Marked as packets without ICRC by a peer with which that is not agreed on: it
 * had not been told yet, or the bit means nothing to it.
 */
static void without_icrc(struct scene *s, bool zero)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags |= MRC_PF_NOICRC;
	scene_frame(s, &f, &d);
	if (zero)
		memset(f.buf + f.len - MRC_ICRC_LEN, 0, MRC_ICRC_LEN);
	scene_send(s, &f);
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);
	tap_ok(ok & scene_dropped(s, NULL, 0),
	       "%s: a packet that says to have no ICRC, and has %s, is accepted",
	       scene_family(s), zero ? "none" : "a correct one");
}

static void checksummed(struct scene *s)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	scene_qp(s, NULL);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	scene_frame(s, &f, &d);
	frame_udp_sum(&f);
	scene_send(s, &f);
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);
	tap_ok(ok, "%s: a correct UDP checksum is accepted", scene_family(s));
}

/*
 * A packet with a mark, to which @wire leads; the answer takes no such way. The
 * mark is reflected to the sender for this entropy value.
 */
static bool marked_write(struct scene *s, const struct wire *wire)
{
	struct wire plain = s->wire;
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags = MRC_PF_TS;
	s->wire = *wire;
	scene_data(s, &d);
	s->wire = plain;
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = d.psn,
		.sack_offset = 1,
		.tx_ts = d.tx_ts,
		.mark = MRC_MARK_SKIP_ONCE,
	});
	ok &= scene_ack(s, d.psn, MRC_SYN_ACK) & settled(s);
	return ok & scene_counted(s, "ecn_marked_pkts", 1);
}

static void marked_ce(struct scene *s)
{
	struct wire marked = s->wire;

	marked.tclass |= FRAME_CE;
	tap_ok(marked_write(s, &marked),
	       "%s: a congestion mark is reported at once", scene_family(s));
}

/* Switches see the outer header only, and the host takes it off. */
static void marked_outside(struct scene *s)
{
	struct wire marked = s->wire;

	marked.sid = s->sid;
	marked.outer = FRAME_CE;
	tap_ok(marked_write(s, &marked),
	       "a congestion mark of the SRv6 header is reported");
}

static void trimmed_outside(struct scene *s)
{
	struct wire plain = s->wire;
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags = MRC_PF_TS | MRC_PF_NOICRC;
	s->wire.sid = s->sid;
	s->wire.outer = MRC_DSCP_TRIMMED << 2;
	scene_data(s, &d);
	s->wire = plain;
	ok = scene_flush(s);
	ok &= scene_nack(s, d.psn, MRC_NACK_TRIMMED, d.tx_ts) & settled(s);
	tap_ok(ok, "that it was trimmed says the SRv6 header");
}

static void over_srv6(struct scene *s)
{
	struct wire right = s->wire;
	bool ok;

	scene_qp(s, NULL);
	s->wire.sid = s->sid;
	ok = scene_write_works(s);
	s->wire = right;
	tap_ok(ok, "a correct packet in an SRv6 header is accepted");
}

/* All of its segments have been visited. */
static void over_srh(struct scene *s)
{
	struct wire right = s->wire;
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	scene_qp(s, NULL);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	s->wire.sid = s->sid;
	scene_frame(s, &f, &d);
	s->wire = right;
	frame_srh(&f, s->sid, 0);
	scene_send(s, &f);
	scene_placed(s, &d, d.va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d) & settled(s);
	tap_ok(ok, "a correct packet behind a segment routing header is accepted");
}

/* A queue pair that is gone has no number. */
static void destroyed(struct scene *s)
{
	u32 qpn = s->qpn;
	struct frame f;
	bool ok;

	scene_qp(s, NULL);
	qpn = s->qpn;
	target_qp_destroy(s->qp);
	s->qp = NULL;
	scene_mark(s);
	s->qpn = qpn;
	malformed_write(s, &f, 64);
	scene_send(s, &f);
	ok = scene_flush(s) & settled(s) & scene_dropped(s, "no_qp", 1);
	tap_ok(ok, "%s: a QP that is gone gets nothing", scene_family(s));
}

/**
 * talk_run - tests: the responder by the book
 * @s: scene
 */
void talk_run(struct scene *s)
{
	if (!s->wire.v4)
		by_hand(s);
	duplicates(s);
	around_the_window(s);
	loses_7_swaps_9_and_8(s);
	with_immediate(s);
	sends_backwards(s);
	oversized_send(s);
	probed(s);
	asked_who(s, true, MRC_UDP_PORT);
	asked_who(s, false, MRC_UDP_PORT_ALT);
	reserved_bits(s);
	without_icrc(s, true);
	without_icrc(s, false);
	checksummed(s);
	marked_ce(s);
	if (!s->wire.v4) {
		over_srv6(s);
		over_srh(s);
		marked_outside(s);
		trimmed_outside(s);
	}
	destroyed(s);
}
