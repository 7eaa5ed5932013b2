// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the responder with correct packets: the peer sends, loses and reorders
 * packets, and every acknowledgment is compared byte for byte.
 */
#include <string.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "core/psn.h"
#include "malformed.h"

#define FULL	TARGET_PMTU
/* Receive buffers lie after the memory that WRITEs use. */
#define RECV_OFFSET	65536
#define RECV_LEN	8192

static bool no_packet_and_intact(struct fixture *s)
{
	return fixture_no_packet(s) & fixture_intact(s);
}

/*
 * Bytes according to Documentation/wire-format.md, independent of the encoder of
 * this tree.
 */
static void documented_layout(struct fixture *s)
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
		fixture_qp(s, NULL);
	while (s->psn != 0x1000);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.tx_ts = 0x1234;
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	ok = fixture_next(s, &sack) && fixture_next(s, &ack) &&
	     sack.len == MRC_SACK_LEN && ack.len == MRC_ACK_LEN &&
	     !memcmp(sack.buf, want, sizeof(want)) &&
	     !memcmp(ack.buf, want_ack, sizeof(want_ack)) &&
	     sack.icrc_ok && ack.icrc_ok;
	tap_ok(ok && fixture_flush(s) & no_packet_and_intact(s),
	       "the bytes of SACK and ACK are those of wire-format.md");
}

static void duplicates(struct fixture *s)
{
	struct mrc_pkt_data d, dup;
	u8 payload[64];
	bool ok;

	fixture_qp(s, NULL);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, sizeof(payload));
	dup = d;
	dup.flags |= MRC_PF_RTX;
	dup.tx_ts++;
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	memcpy(payload, s->payload, sizeof(payload));
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);

	fixture_snapshot(s);
	/* With another payload, which must not be written. */
	fixture_data(s, &dup);
	ok &= fixture_flush(s);
	ok &= fixture_acked(s, &dup) & no_packet_and_intact(s);
	ok &= fixture_counted(s, "duplicate_request", 1);
	ok &= fixture_dropped(s, NULL, 0);
	tap_ok(ok, "%s: a duplicate is acknowledged, not written",
	       fixture_family(s));
}

static void psn_window(struct fixture *s)
{
	struct mrc_pkt_data d;
	u32 cack;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	cack = mrc_psn_add(s->psn, -1);
	/* One above the window, and the last PSN that gets a NACK. */
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.psn = mrc_psn_add(cack, FIXTURE_MPR + 1);
	fixture_data(s, &d);
	ok = fixture_flush(s);
	ok &= fixture_nack(s, d.psn, MRC_NACK_PSN_OOR_WINDOW, d.tx_ts);
	d.psn = mrc_psn_add(cack, 2 * FIXTURE_MPR);
	fixture_data(s, &d);
	ok &= fixture_flush(s);
	ok &= fixture_nack(s, d.psn, MRC_NACK_PSN_OOR_WINDOW, d.tx_ts);
	ok &= no_packet_and_intact(s) & fixture_counted(s, "out_of_window_pkts",
							2);
	ok &= fixture_dropped(s, NULL, 0);
	tap_ok(ok, "%s: a PSN above the window is refused by a NACK",
	       fixture_family(s));

	/* The last in the window. */
	d.psn = mrc_psn_add(cack, FIXTURE_MPR);
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = cack,
		.ack_psn_offset = FIXTURE_MPR,
		/* Consecutive SACKs report consecutive parts of the window. */
			   .sack_offset = 1,
			   .ooo_count = 1,
			   .tx_ts = d.tx_ts,
			   });
	ok &= fixture_ack(s, cack, MRC_SYN_ACK) & no_packet_and_intact(s);
	tap_ok(ok, "%s: the last PSN of the window is accepted",
	       fixture_family(s));
}

/* Packet @i of a WRITE of @n full ones. */
static void nth(struct fixture *s, struct mrc_pkt_data *d, u32 i, u32 n)
{
	fixture_head(s, d, i == 0 ? MRC_OP_WRITE_FIRST : i == n - 1 ?
			 MRC_OP_WRITE_LAST : MRC_OP_WRITE_MIDDLE, FULL);
	d->psn = mrc_psn_add(s->psn, i);
	d->va += i * FULL;
	d->dmalen = n * FULL;
	d->flags = MRC_PF_TS;
}

static void send_nth(struct fixture *s, struct mrc_pkt_data *d, u32 i, u8 flags)
{
	nth(s, d, i, 10);
	d->flags |= flags;
	fixture_data(s, d);
	fixture_placed(s, d, d->va);
}

static void reordered_write(struct fixture *s)
{
	struct mrc_pkt_data d;
	u32 i, six;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	six = mrc_psn_add(s->psn, 6);
	for (i = 0; i < 7; i++)
		send_nth(s, &d, i, 0);
	ok = fixture_flush(s) & no_packet_and_intact(s);
	tap_ok(ok,
	       "%s: packets without AckReq are accepted without acknowledgment",
	       fixture_family(s));

	send_nth(s, &d, 9, MRC_PF_ACKREQ);
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = six,
		.ack_psn_offset = 3,
		.sack_offset = 1,
		.bitmap = 1 << 2,
		.ooo_count = 1,
		.tx_ts = d.tx_ts,
	});
	ok &= fixture_ack(s, six, MRC_SYN_ACK) & no_packet_and_intact(s);
	tap_ok(ok, "%s: PSN 9 before 7 and 8 is written and reported in a SACK",
	       fixture_family(s));

	send_nth(s, &d, 8, MRC_PF_ACKREQ);
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = six,
		.ack_psn_offset = 2,
		.sack_offset = 1,
		.bitmap = 3 << 1,
		.ooo_count = 2,
		.tx_ts = d.tx_ts,
	});
	ok &= fixture_ack(s, six, MRC_SYN_ACK) & no_packet_and_intact(s);
	tap_ok(ok, "%s: PSN 8 before 7 is written and reported in a SACK",
	       fixture_family(s));

	send_nth(s, &d, 7, MRC_PF_RTX);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = mrc_psn_add(six, 3),
		.ack_psn_offset = -2,
		.sack_offset = 1,
		.tx_ts = d.tx_ts,
		.rtx = true,
	});
	ok &= fixture_ack(s, mrc_psn_add(six, 3),
			  MRC_SYN_ACK) & no_packet_and_intact(s);
	ok &= fixture_counted(s, "out_of_order_pkts", 2);
	ok &= fixture_dropped(s, NULL, 0);
	tap_ok(ok, "%s: the retransmission of PSN 7 completes the WRITE",
	       fixture_family(s));
}

static bool completes(struct fixture *s, u64 wr_id, int opcode, u32 len, u32 imm)
{
	struct target_wc wc = {};
	bool ok;

	ok = target_poll(s->target, &wc, FIXTURE_WAIT_MS) &&
	     wc.wr_id == wr_id && wc.status == IBV_WC_SUCCESS &&
	     wc.opcode == opcode && wc.byte_len == len && wc.imm == imm;
	if (!ok)
		tap_note("completion of %llu, status %d, opcode %d, %u bytes",
			 (unsigned long long)wc.wr_id, wc.status, wc.opcode,
			 wc.byte_len);
	return ok;
}

static bool no_completion(struct fixture *s)
{
	struct target_wc wc;

	if (!target_poll(s->target, &wc, 0))
		return true;
	tap_note("premature completion of %llu",
		 (unsigned long long)wc.wr_id);
	return false;
}

static u64 post_recv(struct fixture *s, u64 wr_id)
{
	u64 va = s->mr[TARGET_FULL].va + RECV_OFFSET + wr_id * RECV_LEN;

	if (target_recv(s->qp, wr_id, va, RECV_LEN))
		tap_note("post receive failed");
	return va;
}

/* RNR NAK without a receive: an extension, MRC 1.0 has no immediate data. */
static void with_immediate(struct fixture *s)
{
	/* IB_RNR_TIMER_000_64, the QP's min_rnr_timer */
	const u8 rnr = MRC_SYN_TYPE_RNR | 12;
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY_IMM, 64);
	d.imm = 0x78563412;
	fixture_data(s, &d);
	ok = fixture_flush(s);
	ok &= fixture_ack(s, d.psn, rnr) & no_packet_and_intact(s);
	ok &= fixture_counted(s, "rnr_nak_tx", 1) & no_completion(s);
	tap_ok(ok, "%s: WRITE with immediate without a receive: RNR NAK",
	       fixture_family(s));

	post_recv(s, 0);
	d.flags |= MRC_PF_RTX;
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);
	ok &= completes(s, 0, IBV_WC_RECV_RDMA_WITH_IMM, 64, d.imm);
	tap_ok(ok,
	       "%s: WRITE with immediate and a receive: written and completed",
	       fixture_family(s));
}

static void send_part(struct fixture *s, u32 i, u64 va)
{
	static const u8 op[] = {
		MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST,
	};
	struct mrc_pkt_data d;

	fixture_head(s, &d, op[i], FULL);
	d.psn = mrc_psn_add(s->psn, i);
	d.va = i * FULL;
	d.dmalen = 3 * FULL;
	d.flags = MRC_PF_TS;
	fixture_data(s, &d);
	fixture_placed(s, &d, va + d.va);
}

/* A later message is complete first; its completion follows the first one's. */
static void sends_reversed(struct fixture *s)
{
	struct mrc_pkt_data d;
	u64 first, second;
	bool ok;

	fixture_qp(s, NULL);
	first = post_recv(s, 1);
	second = post_recv(s, 2);
	fixture_head(s, &d, MRC_OP_SEND_ONLY, 100);
	d.psn = mrc_psn_add(s->psn, 3);
	d.rqmsn = 1;
	d.msn = 1;
	d.flags = MRC_PF_TS;
	fixture_data(s, &d);
	fixture_placed(s, &d, second);
	send_part(s, 2, first);
	send_part(s, 1, first);
	ok = fixture_flush(s) & no_packet_and_intact(s) & no_completion(s);
	tap_ok(ok,
	       "%s: two SENDs do not complete before the first packet",
	       fixture_family(s));

	send_part(s, 0, first);
	ok = fixture_flush(s) & no_packet_and_intact(s);
	ok &= completes(s, 1, IBV_WC_RECV, 3 * FULL, 0);
	ok &= completes(s, 2, IBV_WC_RECV, 100, 0);
	tap_ok(ok, "%s: two SENDs complete in order after the first packet",
	       fixture_family(s));
}

static void oversized_send(struct fixture *s)
{
	struct target_wc wc = {};
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, NULL);
	post_recv(s, 3);
	fixture_head(s, &d, MRC_OP_SEND_FIRST, FULL);
	d.dmalen = RECV_LEN + 1;
	fixture_data(s, &d);
	ok = fixture_flush(s);
	ok &= fixture_ack(s, d.psn,
			  MRC_SYN_NAK_INV_REQ) & no_packet_and_intact(s);
	ok &= target_poll(s->target, &wc, FIXTURE_WAIT_MS) &&
	      wc.status == IBV_WC_LOC_LEN_ERR;
	ok &= target_await(s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
	tap_ok(ok,
	       "%s: a SEND longer than its receive: NAK \"invalid request\"",
	       fixture_family(s));
}

/* @padding is as long as data, and its content is ignored. */
static void reliability_probe(struct fixture *s, u32 padding)
{
	struct mrc_pkt_probe p = { .probe_id = 0xabcd, .tx_ts = 0x4321 };
	u8 buf[MRC_PADDED_PROBE_LEN(MRC_PMTU_MAX)];
	u32 cack;
	bool ok;

	fixture_qp(s, NULL);
	cack = mrc_psn_add(s->psn, -1);
	fixture_snapshot(s);
	memset(buf, 0xa5, sizeof(buf));
	fixture_ctrl(s, buf, mrc_pkt_put_probe(buf, s->qpn, &p) + padding);
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = cack,
		.sack_offset = 1,
		.tx_ts = p.tx_ts,
		.probe = true,
		.probe_id = p.probe_id,
	});
	ok &= fixture_ack(s, cack, MRC_SYN_ACK) & no_packet_and_intact(s);
	ok &= fixture_counted(s, "probe_rx", 1);
	tap_ok(ok & fixture_dropped(s, NULL, 0),
	       "%s: a reliability probe%s is answered by SACK and ACK",
	       fixture_family(s), padding ? " with padding" : "");
}

static void endpoint_request(struct fixture *s, bool marked, u16 port)
{
	struct mrc_pkt_endpoint request = {
		.port_mask = 1,
		.req_id = 0x7788,
		.tx_ts = 0x5566,
		.op = MRC_EP_EV_PROBE,
	};
	struct mrc_pkt_endpoint response = request;
	u8 req[MRC_EP_REQ_LEN], rsp[MRC_EP_RSP_LEN];
	struct got got;
	u16 dport = s->wire.dport;
	bool ok;

	request.has_magic = marked;
	response.has_magic = marked;
	response.caps = MRC_CAP_NOICRC | MRC_CAP_SEND | MRC_CAP_SVC_TIME |
		    MRC_CAP_READ | MRC_CAP_INV | MRC_CAP_PADDED_PROBE;
	s->wire.dport = port;
	fixture_ctrl(s, req, mrc_pkt_put_endpoint_req(req, &request));
	s->wire.dport = dport;
	mrc_pkt_put_endpoint_rsp(rsp, &response);
	ok = fixture_next(s, &got) && got.len == MRC_EP_RSP_LEN && got.icrc_ok &&
	     !memcmp(got.buf, rsp, MRC_EP_RSP_LEN - MRC_ICRC_LEN);
	tap_ok(ok,
	       "%s: endpoint request of %s to UDP port %u: endpoint response",
	       fixture_family(s),
	       marked ? "an MRC device of this driver" : "a foreign MRC device",
	       port);
}

/* All reserved bits set at once. */
static void reserved_bits(struct fixture *s)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;
	u8 *mrc;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	fixture_frame(s, &f, &d);
	mrc = f.buf + f.mrc;
	mrc[1] |= MRC_BTH_M;
	mrc[2] = 0x7f;
	mrc[8] |= MRC_BTH_RESV_R | 7;
	mrc[18] = 0xff;
	mrc[19] = 0xf2;
	frame_icrc(&f);
	/* Fields that change on the way, which the ICRC does not cover. */
	mrc[4] = 0xff;
	f.buf[f.ip + (s->wire.v4 ? 8 : 7)] = 1;
	if (s->wire.v4)
		frame_ip4_sum(&f);
	fixture_send(s, &f);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);
	tap_ok(ok & fixture_dropped(s, NULL, 0),
	       "%s: a WRITE with reserved bits set is accepted",
	       fixture_family(s));
}

/*
 * Packets with the bit "no ICRC" from a peer with which omission of the ICRC is not
 * agreed: the peer has not received our capabilities yet, or does not know the bit.
 */
static void without_icrc(struct fixture *s, bool zero)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags |= MRC_PF_NOICRC;
	fixture_frame(s, &f, &d);
	if (zero) {
		memset(f.buf + f.len - MRC_ICRC_LEN, 0, MRC_ICRC_LEN);
		frame_udp_sum(&f);
	}
	fixture_send(s, &f);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);
	tap_ok(ok & fixture_dropped(s, NULL, 0),
	       "%s: a packet with the bit \"no ICRC\" and %s ICRC is accepted",
	       fixture_family(s), zero ? "no" : "a correct");
}

static void checksummed(struct fixture *s)
{
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	fixture_qp(s, NULL);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	fixture_frame(s, &f, &d);
	frame_udp_sum(&f);
	fixture_send(s, &f);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);
	tap_ok(ok, "%s: a packet with a correct UDP checksum is accepted",
	       fixture_family(s));
}

/*
 * A packet that arrives with an ECN mark, because of @wire; acknowledgments have no
 * mark. The SACK reflects the mark for the packet's entropy value.
 */
static bool marked_write(struct fixture *s, const struct wire *wire)
{
	struct wire plain = s->wire;
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags = MRC_PF_TS;
	s->wire = *wire;
	fixture_data(s, &d);
	s->wire = plain;
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = d.psn,
		.sack_offset = 1,
		.tx_ts = d.tx_ts,
		.mark = MRC_MARK_SKIP_ONCE,
	});
	ok &= fixture_ack(s, d.psn, MRC_SYN_ACK) & no_packet_and_intact(s);
	return ok & fixture_counted(s, "ecn_marked_pkts", 1);
}

static void marked_ce(struct fixture *s)
{
	struct wire marked = s->wire;

	marked.tclass |= FRAME_CE;
	tap_ok(marked_write(s, &marked),
	       "%s: an ECN mark is reported in a SACK immediately",
	       fixture_family(s));
}

/* Switches mark the outer header only, which the host removes. */
static void marked_outside(struct fixture *s)
{
	struct wire marked = s->wire;

	marked.sid = s->sid;
	marked.outer = FRAME_CE;
	tap_ok(marked_write(s, &marked),
	       "an ECN mark in the SRv6 header is reported in a SACK");
}

static void trimmed_outside(struct fixture *s)
{
	struct wire plain = s->wire;
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	d.flags = MRC_PF_TS | MRC_PF_NOICRC;
	s->wire.sid = s->sid;
	s->wire.outer = MRC_DSCP_TRIMMED << 2;
	fixture_data(s, &d);
	s->wire = plain;
	ok = fixture_flush(s);
	ok &= fixture_nack(s, d.psn, MRC_NACK_TRIMMED,
			   d.tx_ts) & no_packet_and_intact(s);
	tap_ok(ok,
	       "the DSCP of a trimmed packet in the SRv6 header: NACK TRIMMED");
}

static void over_srv6(struct fixture *s)
{
	struct wire right = s->wire;
	bool ok;

	fixture_qp(s, NULL);
	s->wire.sid = s->sid;
	ok = fixture_write_works(s);
	s->wire = right;
	tap_ok(ok, "a correct WRITE in an SRv6 header is accepted");
}

/* A segment routing header with no segments left. */
static void over_srh(struct fixture *s)
{
	struct wire right = s->wire;
	struct mrc_pkt_data d;
	struct frame f;
	bool ok;

	fixture_qp(s, NULL);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	s->wire.sid = s->sid;
	fixture_frame(s, &f, &d);
	s->wire = right;
	frame_srh(&f, s->sid, 0);
	fixture_send(s, &f);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d) & no_packet_and_intact(s);
	tap_ok(ok,
	       "a correct WRITE after a segment routing header is accepted");
}

/* The number of a destroyed QP is not in use. */
static void qp_destroyed(struct fixture *s)
{
	u32 qpn = s->qpn;
	struct frame f;
	bool ok;

	fixture_qp(s, NULL);
	qpn = s->qpn;
	target_qp_destroy(s->qp);
	s->qp = NULL;
	fixture_snapshot(s);
	s->qpn = qpn;
	malformed_write(s, &f, 64);
	fixture_send(s, &f);
	ok = fixture_flush(s) & no_packet_and_intact(s) & fixture_dropped(s,
									  "no_qp",
									  1);
	tap_ok(ok, "%s: packets to a destroyed QP are dropped (no_qp)",
	       fixture_family(s));
}

/**
 * responder_run - tests: the responder with correct packets
 * @s: fixture
 */
void responder_run(struct fixture *s)
{
	if (!s->wire.v4)
		documented_layout(s);
	duplicates(s);
	psn_window(s);
	reordered_write(s);
	with_immediate(s);
	sends_reversed(s);
	oversized_send(s);
	reliability_probe(s, 0);
	reliability_probe(s, MRC_PADDED_PROBE_LEN(MRC_PMTU_MAX) -
			     MRC_PROBE_LEN);
	endpoint_request(s, true, MRC_UDP_PORT);
	endpoint_request(s, false, MRC_UDP_PORT_ALT);
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
	qp_destroyed(s);
}
