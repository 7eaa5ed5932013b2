// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Malformed packets: each kind is dropped and counted under its reason; the device
 * sends no packet in response, and its memory is unchanged.
 */
#include <string.h>

#include <linux/kernel.h>
#include <asm/byteorder.h>

#include "core/datagram.h"
#include "core/psn.h"
#include "malformed.h"

/* Each variation is sent so many times. */
#define REPEAT	3
#define LEN	64
/* IBTA 3.9.3.2: Q_Key of management datagrams. */
#define GSI_QKEY 0x80010000

/* Offsets from BTH. */
enum {
	BTH_FLAGS = 1, BTH_PKEY = 2, BTH_QPN = 5, BTH_BITS = 8, BTH_PSN = 9,
	/* after BTH and METH, with TSETH */
	RETH_VA = 20, RETH_RKEY = 28, RETH_DMALEN = 32,
};

static u8 *mrc(struct frame *f)
{
	return f->buf + f->mrc;
}

static void put32(u8 *p, u32 v)
{
	p[0] = v >> 24;
	p[1] = v >> 16;
	p[2] = v >> 8;
	p[3] = v;
}

/**
 * malformed_write - a correct WRITE of one packet, which the caller damages
 * @s: fixture
 * @f: filled in
 * @len: bytes of payload
 */
void malformed_write(struct fixture *s, struct frame *f, u32 len)
{
	struct mrc_pkt_data d;

	fixture_head(s, &d, MRC_OP_WRITE_ONLY, len);
	fixture_frame(s, f, &d);
}

/**
 * malformed_ctrl - a correct control packet, which the caller damages
 * @s: fixture
 * @f: filled in
 * @opcode: enum mrc_opcode of a control packet
 */
void malformed_ctrl(struct fixture *s, struct frame *f, u8 opcode)
{
	u32 last = mrc_psn_add(s->sq_psn, -1);
	struct mrc_pkt_sack sack = { .cack_psn = last, .sack_offset = 1 };
	struct mrc_pkt_nack nack = { .psn = last, .reason = MRC_NACK_TRIMMED };
	struct mrc_pkt_ack ack = { .psn = last, .syndrome = MRC_SYN_ACK };
	struct mrc_pkt_probe probe = { .probe_id = 7 };
	struct mrc_pkt_endpoint e = { .req_id = 7 };
	u8 buf[MRC_CTRL_MAX];
	u32 len = 0;

	switch (opcode) {
	case MRC_OP_SACK:
		len = mrc_pkt_put_sack(buf, s->qpn, &sack);
		break;
	case MRC_OP_NACK:
		len = mrc_pkt_put_nack(buf, s->qpn, &nack);
		break;
	case MRC_OP_ACK:
		len = mrc_pkt_put_ack(buf, s->qpn, &ack);
		break;
	case MRC_OP_PROBE:
		len = mrc_pkt_put_probe(buf, s->qpn, &probe);
		break;
	case MRC_OP_ENDPOINT_REQ:
		len = mrc_pkt_put_endpoint_req(buf, &e);
		break;
	case MRC_OP_ENDPOINT_RSP:
		len = mrc_pkt_put_endpoint_rsp(buf, &e);
		break;
	}
	frame_ctrl(f, &s->wire, buf, len);
}

static const u8 ctrl_ops[] = {
	MRC_OP_SACK, MRC_OP_NACK, MRC_OP_ACK, MRC_OP_PROBE,
	MRC_OP_ENDPOINT_REQ, MRC_OP_ENDPOINT_RSP,
};

static void below_bth(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 len[] = { 0, 1, 4, 11, 12, 15 };

	malformed_write(s, f, LEN);
	f->len = f->mrc + len[i];
	frame_lengths(f);
}

static void short_data(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 len[] = { 16, 20, 24, 36, 39 };

	malformed_write(s, f, LEN);
	f->len = f->mrc + len[i];
	frame_seal(f);
}

static void short_ctrl(struct fixture *s, struct frame *f, u32 i)
{
	malformed_ctrl(s, f, ctrl_ops[i]);
	f->len -= 4;
	frame_seal(f);
}

static void long_ctrl(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 more[] = { 1, 4, 64 };
	u8 op = ctrl_ops[i % ARRAY_SIZE(ctrl_ops)];

	malformed_ctrl(s, f, op);
	if (op == MRC_OP_PROBE)
		frame_put(f, NULL, MRC_PADDED_PROBE_LEN(MRC_PMTU_MAX) -
				   MRC_PROBE_LEN);
	frame_put(f, NULL, more[i / ARRAY_SIZE(ctrl_ops)]);
	frame_seal(f);
}

static void long_data(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, MRC_PMTU_MAX + 4 + 60 * i);
}

static void not_mrc(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 op[] = { 0x00, 0x04, 0x0a, 0x24, 0x66, 0x81, 0xe4, 0xff };

	malformed_write(s, f, LEN);
	mrc(f)[0] = op[i];
	frame_icrc(f);
}

/* The opcode alone decides, so the packet has the headers of a WRITE. */
static void datagram_to_rc(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	mrc(f)[0] = i ? MRC_OP_UD_SEND_IMM : MRC_OP_UD_SEND;
	frame_icrc(f);
}

/* To the management QP of the port, which accepts datagrams of any sender. */
static void datagram(struct fixture *s, struct frame *f, u32 qpn, u32 qkey)
{
	const struct mrc_datagram d = {
		.dest_qpn = qpn,
		.src_qpn = MRC_QPN_GSI,
		.qkey = qkey,
		.payload_len = LEN,
	};
	u8 hdr[MRC_HDR_MAX];

	frame_begin(f, &s->wire);
	frame_put(f, hdr, mrc_datagram_put(hdr, &d));
	frame_put(f, NULL, LEN + mrc_pkt_trailer_len(LEN));
	frame_seal(f);
}

static void bad_qkey(struct fixture *s, struct frame *f, u32 i)
{
	static const u32 qkey[] = { 0, 0x80010001, ~0u };

	datagram(s, f, MRC_QPN_GSI, qkey[i]);
}

static void datagram_to_reserved_qpn(struct fixture *s, struct frame *f, u32 i)
{
	static const u32 qpn[] = { 0, MRC_MASK_24 };

	datagram(s, f, qpn[i], GSI_QKEY);
}

static void short_datagram(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 len[] = { 15, 16, 19, 20, 23 };

	datagram(s, f, MRC_QPN_GSI, GSI_QKEY);
	f->len = f->mrc + len[i];
	frame_seal(f);
}

static void bad_datagram_icrc(struct fixture *s, struct frame *f, u32 i)
{
	datagram(s, f, MRC_QPN_GSI, GSI_QKEY);
	f->buf[f->len - 1 - i] ^= 1;
}

static void bad_opcode(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 op[] = {
		0xd5, 0xda, 0xdb, 0xdf,
	};

	malformed_write(s, f, LEN);
	mrc(f)[0] = op[i];
	frame_icrc(f);
}

/* READ and ATOMIC requests and the ATOMIC response have no payload. */
static void request_with_payload(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 op[] = {
		MRC_OP_READ_REQUEST, MRC_OP_CMP_SWAP, MRC_OP_FETCH_ADD,
		MRC_OP_ATOMIC_ACK,
	};
	struct mrc_pkt_data d;

	fixture_head(s, &d, op[i], 0);
	fixture_frame(s, f, &d);
	frame_put(f, NULL, 4);
	frame_seal(f);
}

static void bad_tver(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	mrc(f)[BTH_FLAGS] |= 1 + i;
	frame_icrc(f);
}

static void bad_pkey(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 pkey[][2] = {
		{ 0x00, 0x00 }, { 0x12, 0x34 }, { 0xff, 0xfe }, { 0x80, 0x00 },
	};

	malformed_write(s, f, LEN);
	memcpy(mrc(f) + BTH_PKEY, pkey[i], 2);
	frame_icrc(f);
}

static void put_qpn(struct frame *f, u32 qpn)
{
	mrc(f)[BTH_QPN] = qpn >> 16;
	mrc(f)[BTH_QPN + 1] = qpn >> 8;
	mrc(f)[BTH_QPN + 2] = qpn;
	frame_icrc(f);
}

static void reserved_qpn(struct fixture *s, struct frame *f, u32 i)
{
	static const u32 qpn[] = { 0, 1, 2, 0xffffff };

	malformed_write(s, f, LEN);
	put_qpn(f, qpn[i]);
}

static void endpoint_to_qp(struct fixture *s, struct frame *f, u32 i)
{
	malformed_ctrl(s, f, i ? MRC_OP_ENDPOINT_RSP : MRC_OP_ENDPOINT_REQ);
	put_qpn(f, s->qpn);
}

/* A packet of a longer message, of so many bytes before the ICRC. */
static void middle(struct fixture *s, struct frame *f, u8 opcode, u32 len,
		   u8 pad)
{
	struct mrc_pkt_data d;

	fixture_head(s, &d, opcode, 0);
	d.dmalen = 4096;
	fixture_frame(s, f, &d);
	frame_put(f, NULL, len);
	mrc(f)[BTH_FLAGS] |= pad << MRC_BTH_PAD_SHIFT;
	frame_seal(f);
}

static void bad_pad(struct fixture *s, struct frame *f, u32 i)
{
	static const struct {
		u8 opcode, len, pad;
	} bad[] = {
		/* more padding than there are bytes */
		{ MRC_OP_WRITE_LAST, 0, 3 },
		{ MRC_OP_WRITE_ONLY, 2, 3 },
		/* only the last packet of a message has padding */
		{ MRC_OP_WRITE_FIRST, 64, 1 },
		{ MRC_OP_WRITE_MIDDLE, 64, 3 },
		{ MRC_OP_SEND_MIDDLE, 64, 2 },
		/* not up to a multiple of four */
		{ MRC_OP_WRITE_ONLY, 63, 0 },
		{ MRC_OP_WRITE_LAST, 66, 1 },
	};

	middle(s, f, bad[i].opcode, bad[i].len, bad[i].pad);
}

static void no_payload(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 op[] = {
		MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST,
		MRC_OP_WRITE_LAST_IMM, MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE,
		MRC_OP_SEND_LAST,
	};

	middle(s, f, op[i], 0, 0);
}

static void bad_dmalen(struct fixture *s, struct frame *f, u32 i)
{
	static const struct {
		u8 opcode;
		u32 offset, dmalen;
	} bad[] = {
		{ MRC_OP_WRITE_ONLY, 0, LEN - 1 },
		{ MRC_OP_WRITE_ONLY, 0, LEN + 1 },
		{ MRC_OP_WRITE_ONLY, 0, 0 },
		{ MRC_OP_WRITE_ONLY, 0, MRC_MSG_MAX + 1 },
		{ MRC_OP_WRITE_FIRST, 0, 0xffffffff },
		{ MRC_OP_WRITE_FIRST, 0, LEN },
		{ MRC_OP_WRITE_MIDDLE, 0, LEN - 1 },
		{ MRC_OP_SEND_ONLY, 4, LEN },
		{ MRC_OP_SEND_FIRST, 4, 4096 },
		{ MRC_OP_SEND_MIDDLE, 0, 4096 },
		{ MRC_OP_SEND_MIDDLE, 4096 - LEN, 4096 },
		{ MRC_OP_SEND_LAST, 1024, 4096 },
		{ MRC_OP_SEND_LAST, 4096, 4096 },
		{ MRC_OP_SEND_LAST, 0xfffffff0, 4096 },
	};
	struct mrc_pkt_data d;

	fixture_head(s, &d, bad[i].opcode, LEN);
	if (d.rkey == 0)
		d.va = bad[i].offset;
	d.dmalen = bad[i].dmalen;
	fixture_frame(s, f, &d);
}

static void bad_va(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 before_end[] = { 1, 32, LEN - 1 };

	malformed_write(s, f, LEN);
	memset(mrc(f) + RETH_VA, 0xff, 8);
	mrc(f)[RETH_VA + 7] = -before_end[i];
	frame_icrc(f);
}

static void ctrl_without_icrc(struct fixture *s, struct frame *f, u32 i)
{
	malformed_ctrl(s, f, ctrl_ops[i]);
	mrc(f)[BTH_BITS] |= MRC_BTH_NOICRC;
	frame_icrc(f);
}

static void bad_nack_reason(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 reason[] = { 0x00, 0x03, 0x0c, 0xff };

	malformed_ctrl(s, f, MRC_OP_NACK);
	mrc(f)[sizeof(struct mrc_bth) + 2] = reason[i];
	frame_icrc(f);
}

static void bad_syndrome(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 syndrome[] = { 0x40, 0x5f, 0x80, 0xff };

	malformed_ctrl(s, f, MRC_OP_ACK);
	mrc(f)[sizeof(struct mrc_bth)] = syndrome[i];
	frame_icrc(f);
}

static void bad_ep_op(struct fixture *s, struct frame *f, u32 i)
{
	bool rsp = i & 1;

	malformed_ctrl(s, f, rsp ? MRC_OP_ENDPOINT_RSP : MRC_OP_ENDPOINT_REQ);
	mrc(f)[sizeof(struct mrc_bth) + 1] = (2 + i / 2) << (rsp ? 2 : 0);
	frame_icrc(f);
}

static void bad_icrc(struct fixture *s, struct frame *f, u32 i)
{
	u8 *icrc, a[4];

	malformed_write(s, f, LEN);
	icrc = f->buf + f->len - MRC_ICRC_LEN;
	memcpy(a, icrc, sizeof(a));
	switch (i) {
	case 0:
		icrc[3] ^= 1;
		break;
	case 1:
		put32(icrc, a[3] << 24 | a[2] << 16 | a[1] << 8 | a[0]);
		break;
	case 2:
		memset(icrc, 0, sizeof(a));
		break;
	case 3: /* payload */
		icrc[-1] ^= 0x80;
		break;
	case 4:
		mrc(f)[RETH_RKEY + 3] ^= 1;
		break;
	case 5:
		mrc(f)[BTH_PSN + 2] ^= 1;
		break;
	case 6: /* another source port, that is, entropy value */
		f->buf[f->udp + 1] ^= 1;
		break;
	}
}

/* A packet with ICRC whose "no ICRC" bit is set: the ICRC covers the bit. */
static void icrc_with_noicrc_bit(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	mrc(f)[BTH_BITS] |= MRC_BTH_NOICRC;
	if (i)
		f->buf[f->len - MRC_ICRC_LEN - 1] ^= 0x80;
}

/* Nothing protects the payload. */
static void no_check_at_all(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	mrc(f)[BTH_BITS] |= MRC_BTH_NOICRC;
	memset(f->buf + f->len - MRC_ICRC_LEN, 0, MRC_ICRC_LEN);
}

static void bad_ctrl_icrc(struct fixture *s, struct frame *f, u32 i)
{
	malformed_ctrl(s, f, ctrl_ops[i]);
	f->buf[f->len - 1] ^= 0x10;
}

static void no_qp(struct fixture *s, struct frame *f, u32 i)
{
	static const u32 xor[] = { 0x10000, 0x400000, 0x800000 };

	malformed_write(s, f, LEN);
	put_qpn(f, s->qpn ^ xor[i]);
}

static void data_to_qp(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
}

static void ack_to_qp(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 op[] = { MRC_OP_SACK, MRC_OP_NACK, MRC_OP_ACK };

	malformed_ctrl(s, f, op[i]);
}

/* Correct packets from an address that is not the peer of this QP. */
static void wrong_source(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.saddr[s->wire.v4 ? 3 : 15] ^= 0x40;
	if (i)
		malformed_ctrl(s, f, ctrl_ops[i - 1]);
	else
		malformed_write(s, f, LEN);
	s->wire = right;
}

/* Who looks for the QP first has not computed the ICRC of the packet. */
static void no_qp_no_icrc(struct fixture *s, struct frame *f, u32 i)
{
	if (i) {
		datagram(s, f, s->qpn ^ 0x800000, GSI_QKEY);
	} else {
		malformed_write(s, f, LEN);
		put_qpn(f, s->qpn ^ 0x800000);
	}
	f->buf[f->len - 1] ^= 1;
}

static void wrong_source_no_icrc(struct fixture *s, struct frame *f, u32 i)
{
	wrong_source(s, f, i);
	f->buf[f->len - 1] ^= 1;
}

/* The device has a second address, which ends in 2. */
static void wrong_destination(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.daddr[s->wire.v4 ? 3 : 15] = 2;
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void wrong_family(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire = s->wires[!right.v4];
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void far_psn(struct fixture *s, struct frame *f, u32 i)
{
	static const u32 ahead[] = {
		2 * FIXTURE_MPR, 2 * FIXTURE_MPR + 1, 1 << 20, (1 << 23) - 2,
	};
	struct mrc_pkt_data d;

	fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.psn = mrc_psn_add(d.psn, ahead[i]);
	fixture_frame(s, f, &d);
}

static void over_mtu(struct fixture *s, struct frame *f, u32 i)
{
	static const u16 len[] = { 1025, 1028, 2048, 4096 };

	malformed_write(s, f, len[i]);
}

/* SACKs of PSNs that were never sent. */
static void stale_sack(struct fixture *s, struct frame *f, u32 i)
{
	static const struct {
		s16 cack, trigger, offset;
		u64 bitmap;
	} bad[] = {
		{ 0, 0, 1, 0 },
		{ 100, 0, 1, 0 },
		{ -1, 1, 1, 0 },
		{ -1, 0x7fff, 1, 0 },
		{ -1, 0, 1, 1 },
		{ -1, 0, 0x7000, ~0ULL },
		{ -1, 0, -10, 1ULL << 63 },
	};
	struct mrc_pkt_sack sack = {
		.cack_psn = mrc_psn_add(s->sq_psn, bad[i].cack),
		.ack_psn_offset = bad[i].trigger,
		.sack_offset = bad[i].offset,
		.bitmap = bad[i].bitmap,
	};
	u8 buf[MRC_SACK_LEN];

	frame_ctrl(f, &s->wire, buf, mrc_pkt_put_sack(buf, s->qpn, &sack));
}

const struct malformed malformed_mrc[] = {
	{ "shorter than BTH and ICRC", "short", 6, below_bth },
	{ "data packet shorter than its headers", "short", 5, short_data },
	{ "control packet shorter than its header", "short", 6, short_ctrl },
	{ "control packet longer than its header", "long", 18, long_ctrl },
	{ "payload longer than the largest path MTU", "long", 2, long_data },
	{ "opcode of another transport", "not_mrc", 8, not_mrc },
	{ "undefined opcode", "opcode", 4, bad_opcode },
	{ "datagram to a connected QP", "qpn", 2, datagram_to_rc },
	{ "datagram with a wrong Q_Key", "qkey", 3, bad_qkey },
	{ "datagram to a reserved QPN", "qpn", 2,
	  datagram_to_reserved_qpn },
	{ "datagram shorter than its headers", "short", 5, short_datagram },
	{ "datagram with a wrong ICRC", "icrc", 4, bad_datagram_icrc },
	{ "READ or ATOMIC packet with payload", "length", 4, request_with_payload },
	{ "wrong transport version", "tver", 15, bad_tver },
	{ "wrong P_Key", "pkey", 4, bad_pkey },
	{ "data packet to a reserved QPN", "qpn", 4, reserved_qpn },
	{ "endpoint packet to a QP", "qpn", 2, endpoint_to_qp },
	{ "invalid padding", "pad", 7, bad_pad },
	{ "missing payload", "length", 7, no_payload },
	{ "invalid message length", "dmalen", 14, bad_dmalen },
	{ "address range that wraps around", "va", 3, bad_va },
	{ "control packet without ICRC", "noicrc", 6, ctrl_without_icrc },
	{ "unknown NACK reason", "nack_reason", 4, bad_nack_reason },
	{ "reserved syndrome", "nack_reason", 4, bad_syndrome },
	{ "unknown endpoint operation", "ep_op", 4, bad_ep_op },
	{ "data packet with a wrong ICRC", "icrc", 7, bad_icrc },
	{ "data packet with ICRC and the bit \"no ICRC\"", "icrc", 2,
	  icrc_with_noicrc_bit },
	{ "data packet without ICRC and without UDP checksum", "noicrc", 1,
	  no_check_at_all },
	{ "control packet with a wrong ICRC", "icrc", 6, bad_ctrl_icrc },
	{ "QPN without QP", "no_qp", 3, no_qp },
	{ "QPN without QP, and a wrong ICRC", "no_qp", 2, no_qp_no_icrc },
	{ "source address that is not the peer's", "peer", 5, wrong_source },
	{ "source address that is not the peer's, and a wrong ICRC", "peer", 5,
	  wrong_source_no_icrc },
	{ "destination that is another address of the device", "peer", 1,
	  wrong_destination },
	{ "wrong version of IP for the QP", "peer", 1, wrong_family },
	{ "PSN far beyond the window", "window", 4, far_psn },
	{ "payload longer than the path MTU", "mtu", 4, over_mtu },
	{ "SACK of packets never sent", "stale", 7, stale_sack },
	{ "data to a QP in INIT", "qp_state", 1, data_to_qp, TARGET_INIT },
	{ "acknowledgment to a QP in INIT", "qp_state", 3, ack_to_qp, TARGET_INIT },
	{ "acknowledgment to a QP in RTR", "qp_state", 3, ack_to_qp, TARGET_RTR },
	{ }
};

/* Send each variation REPEAT times. */
static void send_variations(struct fixture *s, const struct malformed *m)
{
	struct frame f;
	u32 i, n;

	for (n = 0; n < REPEAT; n++)
		for (i = 0; i < m->n; i++) {
			m->make(s, &f, i);
			fixture_send(s, &f);
			if (m->second) {
				m->second(s, &f, i);
				fixture_send(s, &f);
			}
		}
}

static void run_one(struct fixture *s, const struct malformed *m)
{
	const struct target_cfg cfg = { .state = m->state };
	const char *family = fixture_family(s);
	const char *reason = s->decap && m->untouched ? NULL : m->reason;
	const char *fate = reason ? reason : "by the network stack";
	bool ok;

	if ((m->family && m->family != family[3]) || (m->decap && !s->decap))
		return;
	if (m->state)
		fixture_qp(s, &cfg);
	send_variations(s, m);
	ok = fixture_flush(s);
	ok &= fixture_dropped(s, reason, reason ? REPEAT * m->n : 0);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	tap_ok(ok, "%s: %s: dropped (%s)", family, m->name, fate);
	if (m->state)
		fixture_qp(s, NULL);
}

static void run_table(struct fixture *s, const struct malformed *m)
{
	for (; m->name; m++)
		run_one(s, m);
}

/**
 * malformed_run - tests: malformed packets of every kind
 * @s: fixture
 */
void malformed_run(struct fixture *s)
{
	const char *family = fixture_family(s);

	fixture_qp(s, NULL);
	tap_ok(fixture_write_works(s),
	       "%s: a correct WRITE before malformed packets is accepted",
	       family);
	fixture_snapshot(s);
	run_table(s, malformed_mrc);
	run_table(s, malformed_ip);
	tap_ok(fixture_write_works(s),
	       "%s: a correct WRITE after malformed packets is accepted",
	       family);
	tap_ok(target_state(s->qp) == TARGET_RTS,
	       "%s: the QP stays in RTS under malformed packets", family);
}
