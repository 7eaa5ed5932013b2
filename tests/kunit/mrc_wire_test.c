// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wire format: known packets octet by octet, and encoding and decoding of every
 * packet type.
 */
#include "mrc_wire_sample.h"

/* Known packets. */

static const u8 vec_write_middle[] = {
	0xc7, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
	0x30, 0x00, 0x01, 0x01,
	0x00, 0x01, 0x00, 0x07, 0xbe, 0xef, 0x00, 0x01,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
	0x00, 0x00, 0x12, 0x34, 0x00, 0x00, 0x20, 0x00,
};

static void mrc_wire_vector_write(struct kunit *test)
{
	static const struct mrc_pkt_data d = {
		.opcode = MRC_OP_WRITE_MIDDLE,
		.flags = MRC_PF_RTX | MRC_PF_TS,
		.payload_len = 4096,
		.dest_qpn = 0x123,
		.psn = 0x101,
		.rqmsn = 1,
		.msn = 7,
		.tx_ts = 0xbeef,
		.va = 0x7f0000001000,
		.rkey = 0x1234,
		.dmalen = 8192,
	};
	const u32 len = sizeof(vec_write_middle);
	u8 buf[MRC_REQ_HDR_MAX] = {};
	struct mrc_pkt p;

	KUNIT_EXPECT_EQ(test, mrc_pkt_put_data(buf, &d), len);
	KUNIT_EXPECT_MEMEQ(test, buf, vec_write_middle, len);

	KUNIT_ASSERT_EQ(test, decode_as(test, vec_write_middle, len,
					len + 4096 + MRC_ICRC_LEN, &p), 0);
	KUNIT_EXPECT_EQ(test, p.op->code, MRC_OP_WRITE_MIDDLE);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.psn, 0x101);
	KUNIT_EXPECT_EQ(test, p.flags, MRC_PF_RTX | MRC_PF_TS);
	KUNIT_EXPECT_EQ(test, p.rqmsn, 1);
	KUNIT_EXPECT_EQ(test, p.msn, 7);
	KUNIT_EXPECT_EQ(test, p.tx_ts, 0xbeef);
	KUNIT_EXPECT_EQ(test, p.va, 0x7f0000001000);
	KUNIT_EXPECT_EQ(test, p.rkey, 0x1234);
	KUNIT_EXPECT_EQ(test, p.dmalen, 8192);
	KUNIT_EXPECT_EQ(test, p.payload_off, len);
	KUNIT_EXPECT_EQ(test, p.payload_len, 4096);
	KUNIT_EXPECT_EQ(test, p.pad, 0);
}

static const u8 vec_sack[MRC_SACK_LEN] = {
	0xdc, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
	0x00, 0x00, 0x01, 0x00,
	0x00, 0x20, 0x00, 0x03, 0x00, 0x01, 0xc0, 0xde,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
	0x00, 0x08, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06,
	0xbe, 0xef, 0x00, 0x02, 0x00, 0x00, 0x00, 0x20,
};

static void expect_sack_eq(struct kunit *test, const struct mrc_pkt_sack *a,
			   const struct mrc_pkt_sack *b)
{
	KUNIT_EXPECT_EQ(test, a->cack_psn, b->cack_psn);
	KUNIT_EXPECT_EQ(test, a->entropy, b->entropy);
	KUNIT_EXPECT_EQ(test, a->bitmap, b->bitmap);
	KUNIT_EXPECT_EQ(test, a->rcvd_bytes, b->rcvd_bytes);
	KUNIT_EXPECT_EQ(test, a->ooo_count, b->ooo_count);
	KUNIT_EXPECT_EQ(test, a->sack_offset, b->sack_offset);
	KUNIT_EXPECT_EQ(test, a->ack_psn_offset, b->ack_psn_offset);
	KUNIT_EXPECT_EQ(test, a->probe_id, b->probe_id);
	KUNIT_EXPECT_EQ(test, a->tx_ts, b->tx_ts);
	KUNIT_EXPECT_EQ(test, a->mpr, b->mpr);
	KUNIT_EXPECT_EQ(test, a->mark, b->mark);
	KUNIT_EXPECT_EQ(test, a->cwnd_pen, b->cwnd_pen);
	KUNIT_EXPECT_EQ(test, a->restore_cwnd, b->restore_cwnd);
	KUNIT_EXPECT_EQ(test, a->probe, b->probe);
	KUNIT_EXPECT_EQ(test, a->rtx, b->rtx);
}

static void mrc_wire_vector_sack(struct kunit *test)
{
	static const struct mrc_pkt_sack s = {
		.cack_psn = 0x100,
		.entropy = 0x0001c0de,
		.bitmap = 0x6,
		.rcvd_bytes = 0x20,
		.ooo_count = 2,
		.sack_offset = 1,
		.ack_psn_offset = 3,
		.tx_ts = 0xbeef,
		.mpr = 8,
		.mark = MRC_MARK_SKIP_ONCE,
	};
	u8 buf[MRC_SACK_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_sack(buf, 0x123, &s), sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec_sack, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec_sack, sizeof(vec_sack), &p), 0);
	KUNIT_EXPECT_EQ(test, p.op->code, MRC_OP_SACK);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.psn, 0x100);
	expect_sack_eq(test, &p.sack, &s);
}

static const u8 vec_nack[MRC_NACK_LEN] = {
	0xdd, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
	0x00, 0x00, 0x01, 0x01,
	0x00, 0x00, 0x01, 0x00, 0x00, 0x01, 0xc0, 0xde,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01,
	0x20, 0x00, 0xbe, 0xef,
};

static void mrc_wire_vector_nack(struct kunit *test)
{
	static const struct mrc_pkt_nack n = {
		.psn = 0x101,
		.entropy = 0x0001c0de,
		.tx_ts = 0xbeef,
		.reason = MRC_NACK_TRIMMED,
	};
	u8 buf[MRC_NACK_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_nack(buf, 0x123, &n), sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec_nack, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec_nack, sizeof(vec_nack), &p), 0);
	KUNIT_EXPECT_EQ(test, p.psn, 0x101);
	KUNIT_EXPECT_EQ(test, p.nack.psn, 0x101);
	KUNIT_EXPECT_EQ(test, p.nack.entropy, 0x0001c0de);
	KUNIT_EXPECT_EQ(test, p.nack.tx_ts, 0xbeef);
	KUNIT_EXPECT_EQ(test, p.nack.reason, MRC_NACK_TRIMMED);
}

/* The other control packets, written by hand after MRC 1.0 7.5.5. */

static void mrc_wire_vector_ack(struct kunit *test)
{
	static const u8 vec[MRC_ACK_LEN] = {
		0xd1, 0x00, 0xff, 0xff, 0x00, 0xab, 0xcd, 0xef,
		0x00, 0xff, 0xff, 0xfe,
		0x1f, 0x12, 0x34, 0x56,
	};
	static const struct mrc_pkt_ack a = {
		.psn = 0xfffffe,
		.msn = 0x123456,
		.syndrome = MRC_SYN_ACK,
	};
	u8 buf[MRC_ACK_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_ack(buf, 0xabcdef, &a), sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec, sizeof(vec), &p), 0);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, p.ack.psn, 0xfffffe);
	KUNIT_EXPECT_EQ(test, p.ack.msn, 0x123456);
	KUNIT_EXPECT_EQ(test, p.ack.syndrome, MRC_SYN_ACK);
}

static void mrc_wire_vector_probe(struct kunit *test)
{
	static const u8 vec[MRC_PROBE_LEN] = {
		0xde, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
		0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x87, 0x65, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0xca, 0xfe, 0x00, 0x01,
	};
	static const struct mrc_pkt_probe pr = {
		.probe_id = 0x8765,
		.tx_ts = 0xcafe,
	};
	u8 buf[MRC_PROBE_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_probe(buf, 0x123, &pr), sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec, sizeof(vec), &p), 0);
	KUNIT_EXPECT_EQ(test, p.probe.probe_id, 0x8765);
	KUNIT_EXPECT_EQ(test, p.probe.tx_ts, 0xcafe);
}

/* Padding of a probe is ignored up to the length of the longest data packet. */
static void mrc_wire_probe_padding(struct kunit *test)
{
	static const u32 longest = MRC_REQ_HDR_MAX + 4096 + MRC_ICRC_LEN;
	const struct mrc_pkt_probe pr = { .probe_id = 0x8765, .tx_ts = 0xcafe };
	u8 buf[MRC_HDR_MAX];
	struct mrc_pkt p;

	KUNIT_EXPECT_EQ(test, MRC_PADDED_PROBE_LEN(4096), longest);
	memset(buf, 0xff, sizeof(buf));
	mrc_pkt_put_probe(buf, 0x123, &pr);
	KUNIT_ASSERT_EQ(test, mrc_pkt_decode_hdr(buf, sizeof(buf), longest, &p),
			0);
	KUNIT_EXPECT_EQ(test, p.op->code, MRC_OP_PROBE);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.probe.probe_id, 0x8765);
	KUNIT_EXPECT_EQ(test, p.probe.tx_ts, 0xcafe);
	KUNIT_EXPECT_EQ(test,
			mrc_pkt_decode_hdr(buf, sizeof(buf), longest + 1, &p),
			-MRC_DROP_LONG);
}

static void expect_endpoint_eq(struct kunit *test,
			       const struct mrc_pkt_endpoint *a,
			       const struct mrc_pkt_endpoint *b)
{
	KUNIT_EXPECT_EQ(test, a->port_mask, b->port_mask);
	KUNIT_EXPECT_EQ(test, a->req_id, b->req_id);
	KUNIT_EXPECT_EQ(test, a->tx_ts, b->tx_ts);
	KUNIT_EXPECT_EQ(test, a->caps, b->caps);
	KUNIT_EXPECT_EQ(test, a->op, b->op);
	KUNIT_EXPECT_EQ(test, a->has_magic, b->has_magic);
}

static void mrc_wire_vector_endpoint_req(struct kunit *test)
{
	static const u8 vec[MRC_EP_REQ_LEN] = {
		0xd8, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x43, 0x21,
		0x00, 0x01, 0x00, 0x4d, 0x80, 0x00, 0x00, 0x05,
		0x52, 0x43, 0x00, 0x03, 0xca, 0xfe, 0x00, 0x01,
	};
	u8 buf[MRC_EP_REQ_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_endpoint_req(buf, &own_endpoint),
			sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec, sizeof(vec), &p), 0);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, MRC_QPN_ENDPOINT);
	expect_endpoint_eq(test, &p.endpoint, &own_endpoint);
}

static void mrc_wire_vector_endpoint_rsp(struct kunit *test)
{
	static const u8 vec[MRC_EP_RSP_LEN] = {
		0xd9, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x43, 0x21,
		0x00, 0x04, 0x00, 0x4d, 0x80, 0x00, 0x00, 0x05,
		0x52, 0x43, 0x00, 0x03,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xca, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	u8 buf[MRC_EP_RSP_LEN];
	struct mrc_pkt p;

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_pkt_put_endpoint_rsp(buf, &own_endpoint),
			sizeof(buf));
	KUNIT_EXPECT_MEMEQ(test, buf, vec, sizeof(buf));

	KUNIT_ASSERT_EQ(test, decode(test, vec, sizeof(vec), &p), 0);
	expect_endpoint_eq(test, &p.endpoint, &own_endpoint);
}

/* Capabilities are ignored if any bit of the magic differs. */
static void mrc_wire_endpoint_caps_need_magic(struct kunit *test)
{
	static const u8 magic_at[] = { 15, 20, 21 };
	u8 buf[MRC_EP_RSP_LEN];
	struct mrc_pkt p;
	int i, bit;

	for (i = 0; i < ARRAY_SIZE(magic_at) * 8; i++) {
		mrc_pkt_put_endpoint_rsp(buf, &own_endpoint);
		bit = 1 << (i % 8);
		buf[magic_at[i / 8]] ^= bit;
		KUNIT_ASSERT_EQ(test, decode(test, buf, sizeof(buf), &p), 0);
		KUNIT_EXPECT_FALSE(test, p.endpoint.has_magic);
		KUNIT_EXPECT_EQ(test, p.endpoint.caps, 0);
	}
}

static void mrc_wire_endpoint_without_magic(struct kunit *test)
{
	struct mrc_pkt_endpoint e = own_endpoint;
	u8 buf[MRC_EP_RSP_LEN];
	struct mrc_pkt p;

	e.has_magic = false;
	mrc_pkt_put_endpoint_req(buf, &e);
	KUNIT_ASSERT_EQ(test, decode(test, buf, MRC_EP_REQ_LEN, &p), 0);
	KUNIT_EXPECT_FALSE(test, p.endpoint.has_magic);
	KUNIT_EXPECT_EQ(test, p.endpoint.caps, 0);
	KUNIT_EXPECT_EQ(test, p.endpoint.port_mask, own_endpoint.port_mask);

	mrc_pkt_put_endpoint_rsp(buf, &e);
	KUNIT_ASSERT_EQ(test, decode(test, buf, MRC_EP_RSP_LEN, &p), 0);
	KUNIT_EXPECT_FALSE(test, p.endpoint.has_magic);
	KUNIT_EXPECT_EQ(test, p.endpoint.port_mask, 0);
}

/* Encode and decode. */

static void mrc_wire_sack_extremes_encode_decode(struct kunit *test)
{
	static const struct mrc_pkt_sack s[] = {
		{
			.cack_psn = 0xffffff,
			.entropy = 0xffffffff,
			.bitmap = 0x8000000000000001ull,
			.rcvd_bytes = 0xffffff,
			.ooo_count = 0x7fff,
			.sack_offset = 32767,
			.ack_psn_offset = -32768,
			.tx_ts = 0xffff,
			.mpr = 255,
			.mark = MRC_MARK_ALWAYS_SKIP,
			.cwnd_pen = 127,
			.restore_cwnd = true,
			.rtx = true,
		},
		{
			.sack_offset = -32768,
			.ack_psn_offset = 32767,
		},
		{
			.probe = true,
			.probe_id = 0xffff,
			.sack_offset = -1,
			.cwnd_pen = 64,
		},
	};
	u8 buf[MRC_SACK_LEN];
	struct mrc_pkt p;
	int i;

	for (i = 0; i < ARRAY_SIZE(s); i++) {
		mrc_pkt_put_sack(buf, MRC_QPN_LAST, &s[i]);
		KUNIT_ASSERT_EQ(test, decode(test, buf, sizeof(buf), &p), 0);
		KUNIT_EXPECT_EQ(test, p.dest_qpn, MRC_QPN_LAST);
		expect_sack_eq(test, &p.sack, &s[i]);
	}
}

/* Values wider than their fields do not change other fields. */
static void mrc_wire_wide_values_truncated(struct kunit *test)
{
	static const struct mrc_pkt_sack s = {
		.cack_psn = 0x12345678,
		.rcvd_bytes = 0xff000001,
		.ooo_count = 0xffff,
		.mark = 0xff,
		.cwnd_pen = 0xff,
	};
	static const struct mrc_pkt_ack a = {
		.psn = 0xab000001, .msn = 0xcd000002, .syndrome = 0x1f,
	};
	u8 buf[MRC_SACK_LEN];
	struct mrc_pkt p;

	mrc_pkt_put_sack(buf, 0xff000123, &s);
	KUNIT_ASSERT_EQ(test, decode(test, buf, sizeof(buf), &p), 0);
	KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
	KUNIT_EXPECT_EQ(test, p.flags, 0);
	KUNIT_EXPECT_EQ(test, p.psn, 0x345678);
	KUNIT_EXPECT_EQ(test, p.sack.cack_psn, 0x345678);
	KUNIT_EXPECT_EQ(test, p.sack.rcvd_bytes, 1);
	KUNIT_EXPECT_EQ(test, p.sack.cwnd_pen, 127);
	KUNIT_EXPECT_FALSE(test, p.sack.restore_cwnd);
	KUNIT_EXPECT_FALSE(test, p.sack.probe);
	/* The reserved bits of SETH and CC_STATE. */
	KUNIT_EXPECT_EQ(test, buf[13] & 0x9d, 0);
	KUNIT_EXPECT_EQ(test, buf[42] & 0x80, 0);
	/* 3 is undefined and decoded as MRC_MARK_NONE. */
	KUNIT_EXPECT_EQ(test, p.sack.mark, MRC_MARK_NONE);

	mrc_pkt_put_ack(buf, 0x123, &a);
	KUNIT_ASSERT_EQ(test, decode(test, buf, MRC_ACK_LEN, &p), 0);
	KUNIT_EXPECT_EQ(test, p.flags, 0);
	KUNIT_EXPECT_EQ(test, p.ack.psn, 1);
	KUNIT_EXPECT_EQ(test, p.ack.msn, 2);
	KUNIT_EXPECT_EQ(test, p.ack.syndrome, 0x1f);
}

KUNIT_ARRAY_PARAM_DESC(data_op, data_ops, name);

/* Every combination of BTH bits, and every pad. */
static void mrc_wire_data_encode_decode(struct kunit *test)
{
	u8 code = op_code(test);
	u32 op = mrc_opcode_get(code)->flags;
	u32 step = op & MRC_OPF_LAST ? 1 : 4;
	struct mrc_pkt_data d;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 flags, len;

	for (flags = 0; flags < 32; flags++) {
		for (len = step; len <= PAYLOAD; len += step) {
			d = sample(code, flags, len);
			KUNIT_ASSERT_EQ(test, decode(test, buf,
						     put_sample(buf, &d), &p),
					0);
			expect_data_eq(test, &p, &d);
		}
	}
}

static void mrc_wire_data_payload_is_bounded(struct kunit *test)
{
	struct mrc_pkt_data d = sample(op_code(test), MRC_PF_TS, PAYLOAD);
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 hdr;

	d.dmalen = d.dmalen == PAYLOAD ? MRC_PMTU_MAX : 3 * MRC_PMTU_MAX;
	if (mrc_opcode_get(d.opcode)->flags & MRC_OPF_OFFSET && d.va)
		d.va = mrc_opcode_get(d.opcode)->flags & MRC_OPF_LAST ?
		       2 * MRC_PMTU_MAX : MRC_PMTU_MAX;
	d.payload_len = MRC_PMTU_MAX;
	hdr = mrc_pkt_put_data(buf, &d);
	KUNIT_ASSERT_EQ(test, decode_as(test, buf, hdr,
					hdr + MRC_PMTU_MAX + MRC_ICRC_LEN, &p),
			0);
	expect_data_eq(test, &p, &d);
	KUNIT_EXPECT_EQ(test,
			decode_as(test, buf, hdr,
				  hdr + MRC_PMTU_MAX + 4 + MRC_ICRC_LEN, &p),
			-MRC_DROP_LONG);
	KUNIT_EXPECT_EQ(test, decode_as(test, buf, hdr, U32_MAX, &p),
			-MRC_DROP_LONG);
}

/* Entropy values and timestamps. */

static void mrc_wire_ev_in_sport_and_flowlabel(struct kunit *test)
{
	const u32 ev = 0x1234abcd;

	KUNIT_EXPECT_EQ(test, mrc_ev_sport(ev), 0xabcd);
	KUNIT_EXPECT_EQ(test, mrc_ev_flowlabel(ev), 0x1234);
	KUNIT_EXPECT_EQ(test, mrc_ev_from_headers(0xabcd, 0x1234), ev);
	/* IPv4: no flow label. The upper 4 bits of a label are ignored. */
	KUNIT_EXPECT_EQ(test, mrc_ev_from_headers(0xabcd, 0), 0xabcd);
	KUNIT_EXPECT_EQ(test, mrc_ev_from_headers(0xabcd, 0xf1234), ev);
}

static void mrc_wire_timestamp_wraps(struct kunit *test)
{
	const u64 t0 = 0x123456789abcull;
	const u16 ts = mrc_ts_from_ns(t0);

	KUNIT_EXPECT_EQ(test, mrc_ts_elapsed_ns(t0, ts), 0);
	KUNIT_EXPECT_EQ(test, mrc_ts_elapsed_ns(t0 + 12800, ts), 12800);
	/* Wraps at 2^16 units of 128 ns, 8.39 ms. */
	KUNIT_EXPECT_EQ(test, mrc_ts_elapsed_ns(t0 + 65535 * 128, ts),
			65535 * 128);
	KUNIT_EXPECT_EQ(test, mrc_ts_elapsed_ns(t0 + 65536 * 128, ts), 0);
}

/* A trimmed data packet needs the BTH; other packets are refused. */
static void mrc_wire_trimmed_needs_bth(struct kunit *test)
{
	static const u32 with_ts = 20;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len;
	u8 *left;

	for (len = 0; len <= sizeof(vec_write_middle); len++) {
		/* Exact size: KASAN and ASan report reads beyond it. */
		left = kunit_kzalloc(test, len + 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, left);
		memcpy(left + 1, vec_write_middle, len);
		if (len < sizeof(struct mrc_bth)) {
			KUNIT_EXPECT_EQ(test, mrc_pkt_decode_trimmed(left + 1,
								     len, &p),
					-MRC_DROP_SHORT);
			continue;
		}
		p.payload_len = 1;
		KUNIT_ASSERT_EQ(test,
				mrc_pkt_decode_trimmed(left + 1, len, &p), 0);
		KUNIT_EXPECT_EQ(test, p.payload_len, 0);
		KUNIT_EXPECT_EQ(test, p.dest_qpn, 0x123);
		KUNIT_EXPECT_EQ(test, p.psn, 0x101);
		KUNIT_EXPECT_EQ(test, p.tx_ts, len < with_ts ? 0 : 0xbeef);
		kunit_kfree(test, left);
	}
	put_ctrl_sample(buf, MRC_OP_PROBE);
	KUNIT_EXPECT_EQ(test, mrc_pkt_decode_trimmed(buf, MRC_PROBE_LEN, &p),
			-MRC_DROP_OPCODE);
	memcpy(buf, vec_write_middle, sizeof(vec_write_middle));
	buf[1] |= MRC_BTH_TVER_MASK;
	KUNIT_EXPECT_EQ(test, mrc_pkt_decode_trimmed(buf, with_ts, &p),
			-MRC_DROP_TVER);
	buf[0] = 0;
	KUNIT_EXPECT_EQ(test, mrc_pkt_decode_trimmed(buf, with_ts, &p),
			-MRC_DROP_NOT_MRC);
}

static void mrc_wire_trim_dscp_gives_reason(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_dscp_trim(MRC_DSCP_TRIMMED),
			MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, mrc_dscp_trim(MRC_DSCP_TRIMMED_LASTHOP),
			MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_EXPECT_EQ(test, mrc_dscp_trim(MRC_DSCP_NO_TRIM), 0);
	KUNIT_EXPECT_EQ(test, mrc_dscp_trim(MRC_DSCP_CONTROL), 0);
}

static struct kunit_case mrc_wire_cases[] = {
	KUNIT_CASE(mrc_wire_vector_write),
	KUNIT_CASE(mrc_wire_vector_sack),
	KUNIT_CASE(mrc_wire_vector_nack),
	KUNIT_CASE(mrc_wire_vector_ack),
	KUNIT_CASE(mrc_wire_vector_probe),
	KUNIT_CASE(mrc_wire_probe_padding),
	KUNIT_CASE(mrc_wire_vector_endpoint_req),
	KUNIT_CASE(mrc_wire_vector_endpoint_rsp),
	KUNIT_CASE(mrc_wire_endpoint_caps_need_magic),
	KUNIT_CASE(mrc_wire_endpoint_without_magic),
	KUNIT_CASE(mrc_wire_sack_extremes_encode_decode),
	KUNIT_CASE(mrc_wire_wide_values_truncated),
	KUNIT_CASE_PARAM(mrc_wire_data_encode_decode, data_op_gen_params),
	KUNIT_CASE_PARAM(mrc_wire_data_payload_is_bounded, data_op_gen_params),
	KUNIT_CASE(mrc_wire_ev_in_sport_and_flowlabel),
	KUNIT_CASE(mrc_wire_timestamp_wraps),
	KUNIT_CASE(mrc_wire_trimmed_needs_bth),
	KUNIT_CASE(mrc_wire_trim_dscp_gives_reason),
	{}
};

static struct kunit_suite mrc_wire_suite = {
	.name = "mrc_wire",
	.test_cases = mrc_wire_cases,
};

kunit_test_suite(mrc_wire_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC wire format");
MODULE_LICENSE("Dual BSD/GPL");
