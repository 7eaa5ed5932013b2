// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Malformed packets, and the drop reason of each.
 */
#include "mrc_wire_sample.h"

KUNIT_ARRAY_PARAM_DESC(data_op, data_ops, name);
KUNIT_ARRAY_PARAM_DESC(ctrl_op, ctrl_ops, name);

static void mrc_malformed_data_empty(struct kunit *test)
{
	u8 code = op_code(test);
	u32 op = mrc_opcode_get(code)->flags;
	struct mrc_pkt_data d = sample(code, 0, 0);
	bool only = (op & MRC_OPF_ONLY) == MRC_OPF_ONLY;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;

	KUNIT_EXPECT_EQ(test, decode(test, buf, put_sample(buf, &d), &p),
			only ? 0 : -MRC_DROP_LENGTH);
	if (only)
		expect_data_eq(test, &p, &d);
}

/* Every length below the header's is short; no octet beyond is read. */
static void mrc_malformed_data_truncated(struct kunit *test)
{
	struct mrc_pkt_data d;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 flags, hdr, len, i;

	for (flags = 0; flags < 32; flags++) {
		d = sample(op_code(test), flags, PAYLOAD);
		len = put_sample(buf, &d);
		hdr = mrc_pkt_hdr_len(d.opcode, d.flags);
		for (i = 0; i < hdr + MRC_ICRC_LEN; i++)
			KUNIT_EXPECT_EQ(test, decode(test, buf, i, &p),
					-MRC_DROP_SHORT);
		/* The buffer has only a part of the header of a good packet. */
		for (i = 0; i < hdr; i++)
			KUNIT_EXPECT_EQ(test, decode_as(test, buf, i, len, &p),
					-MRC_DROP_SHORT);
		KUNIT_EXPECT_EQ(test, decode_as(test, buf, hdr, len, &p), 0);
	}
}

/*
 * A payload that lost or gained octets is rejected where a single packet shows
 * that; whether a First or Middle WRITE has a full MTU depends on the QP.
 */
static void mrc_malformed_data_wrong_length(struct kunit *test)
{
	u8 code = op_code(test);
	u32 op = mrc_opcode_get(code)->flags;
	struct mrc_pkt_data d = sample(code, MRC_PF_TS, PAYLOAD);
	u32 hdr = mrc_pkt_hdr_len(code, d.flags);
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len, i;
	int err;

	len = put_sample(buf, &d);
	for (i = hdr + MRC_ICRC_LEN; i < len + 32; i++) {
		if (i == len)
			continue;
		err = decode(test, buf, i, &p);
		if (i % 4)
			KUNIT_EXPECT_EQ(test, err, -MRC_DROP_PAD);
		else if ((op & MRC_OPF_ONLY) == MRC_OPF_ONLY)
			KUNIT_EXPECT_EQ(test, err, -MRC_DROP_DMALEN);
		else if (i == hdr + MRC_ICRC_LEN)
			KUNIT_EXPECT_EQ(test, err, -MRC_DROP_LENGTH);
		else if (op & MRC_OPF_OFFSET && op & MRC_OPF_LAST)
			KUNIT_EXPECT_EQ(test, err, -MRC_DROP_DMALEN);
		else
			KUNIT_EXPECT_EQ(test, err, 0);
	}
}

static void mrc_malformed_data_bad_pad(struct kunit *test)
{
	u8 code = op_code(test);
	u32 op = mrc_opcode_get(code)->flags;
	struct mrc_pkt_data d = sample(code, 0, PAYLOAD);
	u32 hdr = mrc_pkt_hdr_len(code, 0);
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len, pad;

	len = put_sample(buf, &d);
	for (pad = 1; pad < 4; pad++) {
		buf[1] = pad << MRC_BTH_PAD_SHIFT;
		/*
		 * First and Middle have no padding; with it all others but WRITE
		 * Last are too short for their message.
		 */
		KUNIT_EXPECT_EQ(test, decode(test, buf, len, &p),
				!(op & MRC_OPF_LAST) ? -MRC_DROP_PAD :
				op & (MRC_OPF_OFFSET | MRC_OPF_FIRST) ?
				-MRC_DROP_DMALEN : 0);
		/* More padding than payload. */
		KUNIT_EXPECT_EQ(test, decode(test, buf,
					     hdr + MRC_ICRC_LEN + pad - 1, &p),
				-MRC_DROP_PAD);
	}
}

static void mrc_malformed_ctrl_wrong_length(struct kunit *test)
{
	const struct wire_op *op = test->param_value;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len, i;

	len = put_ctrl_sample(buf, op->code);
	KUNIT_EXPECT_EQ(test, len, op->len);
	for (i = 0; i < BUF_LEN; i++)
		KUNIT_EXPECT_EQ(test, decode(test, buf, i, &p),
				i < len ? -MRC_DROP_SHORT :
				i > len && op->code != MRC_OP_PROBE ?
				-MRC_DROP_LONG : 0);
	KUNIT_EXPECT_EQ(test, decode_as(test, buf, MRC_HDR_MAX, U32_MAX, &p),
			-MRC_DROP_LONG);
	for (i = 0; i < len - MRC_ICRC_LEN; i++)
		KUNIT_EXPECT_EQ(test, decode_as(test, buf, i, len, &p),
				-MRC_DROP_SHORT);
	/* The ICRC need not be in the buffer. */
	KUNIT_EXPECT_EQ(test, decode_as(test, buf, len - MRC_ICRC_LEN, len,
					&p), 0);
}

/* Control packets always have an ICRC. */
static void mrc_malformed_ctrl_needs_icrc(struct kunit *test)
{
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len;

	len = put_ctrl_sample(buf, op_code(test));
	buf[8] |= MRC_BTH_NOICRC;
	KUNIT_EXPECT_EQ(test, decode(test, buf, len, &p), -MRC_DROP_NOICRC);
}

/* Every value of the first octet. */
static void mrc_malformed_opcodes(struct kunit *test)
{
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 code, i, expect;

	for (code = 0; code < 256; code++) {
		memset(buf, 0, sizeof(buf));
		buf[0] = code;
		expect = (code & 0xe0) != 0xc0 ? MRC_DROP_NOT_MRC :
			 MRC_DROP_OPCODE;
		for (i = 0; i < ARRAY_SIZE(data_ops); i++)
			if (code == data_ops[i].code)
				expect = MRC_DROP_PKEY;
		for (i = 0; i < ARRAY_SIZE(rda_ops); i++)
			if (code == rda_ops[i].code)
				expect = MRC_DROP_PKEY;
		for (i = 0; i < ARRAY_SIZE(ctrl_ops); i++)
			if (code == ctrl_ops[i].code)
				expect = MRC_DROP_PKEY;
		KUNIT_EXPECT_EQ_MSG(test, decode(test, buf, sizeof(buf), &p),
				    -(int)expect, "decode of opcode 0x%02x", code);
		/* The length is checked before any field. */
		KUNIT_EXPECT_EQ(test, decode(test, buf, MRC_PKT_MIN - 1, &p),
				-MRC_DROP_SHORT);
	}
}

/* One octet of a good packet is replaced by another value. */
static const struct malformed {
	const char *name;
	u8 code;
	u8 at;
	u8 val;
	u8 expect;
} malformed[] = {
	{ "tver 1", MRC_OP_WRITE_ONLY, 1, 0x01, MRC_DROP_TVER },
	{ "tver 15", MRC_OP_SACK, 1, 0x0f, MRC_DROP_TVER },
	{ "pkey high", MRC_OP_WRITE_ONLY, 2, 0x7e, MRC_DROP_PKEY },
	{ "pkey low", MRC_OP_WRITE_ONLY, 3, 0xfe, MRC_DROP_PKEY },
	{ "pkey of a limited member", MRC_OP_WRITE_ONLY, 2, 0x7f, 0 },
	{ "m bit", MRC_OP_WRITE_ONLY, 1, MRC_BTH_M, 0 },
	{ "reserved octet of BTH", MRC_OP_WRITE_ONLY, 4, 0xff, 0 },
	{ "reserved bits of BTH", MRC_OP_WRITE_ONLY, 8, 0x47, 0 },
	{ "timestamp claimed but absent", MRC_OP_WRITE_ONLY, 8, MRC_BTH_TS,
	  MRC_DROP_DMALEN },
	{ "message length", MRC_OP_WRITE_ONLY, 31, PAYLOAD + 1,
	  MRC_DROP_DMALEN },
	{ "message length of Only too large", MRC_OP_WRITE_ONLY, 28, 0x80,
	  MRC_DROP_DMALEN },
	{ "message longer than 2 GiB", MRC_OP_WRITE_MIDDLE, 28, 0x81,
	  MRC_DROP_DMALEN },
	{ "message slightly longer than 2 GiB", MRC_OP_WRITE_MIDDLE, 28, 0x80,
	  MRC_DROP_DMALEN },
	{ "message as long as a Middle", MRC_OP_WRITE_MIDDLE, 31, PAYLOAD,
	  MRC_DROP_DMALEN },
	{ "offset of SEND First", MRC_OP_SEND_FIRST, 23, 4, MRC_DROP_DMALEN },
	{ "offset 0 of SEND Middle", MRC_OP_SEND_MIDDLE, 23, 0,
	  MRC_DROP_DMALEN },
	{ "SEND Middle at the end", MRC_OP_SEND_MIDDLE, 23, 2 * PAYLOAD,
	  MRC_DROP_DMALEN },
	{ "SEND Middle past the end", MRC_OP_SEND_MIDDLE, 23, 2 * PAYLOAD + 4,
	  MRC_DROP_DMALEN },
	{ "SEND Last before the end", MRC_OP_SEND_LAST, 23, PAYLOAD,
	  MRC_DROP_DMALEN },
	{ "offset wraps", MRC_OP_SEND_LAST, 16, 0xff, MRC_DROP_DMALEN },
	{ "offset of SEND Only", MRC_OP_SEND_ONLY, 23, 1, MRC_DROP_DMALEN },
	{ "nack reason 0", MRC_OP_NACK, 14, 0, MRC_DROP_NACK_REASON },
	{ "nack reason 3", MRC_OP_NACK, 14, 3, MRC_DROP_NACK_REASON },
	{ "nack reason 255", MRC_OP_NACK, 14, 255, MRC_DROP_NACK_REASON },
	{ "reserved syndrome 40", MRC_OP_ACK, 12, 0x40, MRC_DROP_NACK_REASON },
	{ "reserved syndrome 80", MRC_OP_ACK, 12, 0x80, MRC_DROP_NACK_REASON },
	{ "reserved syndrome ff", MRC_OP_ACK, 12, 0xff, MRC_DROP_NACK_REASON },
	{ "request op 2", MRC_OP_ENDPOINT_REQ, 13, 2, MRC_DROP_EP_OP },
	{ "request op 3", MRC_OP_ENDPOINT_REQ, 13, 3, MRC_DROP_EP_OP },
	{ "response op 2", MRC_OP_ENDPOINT_RSP, 13, 0x08, MRC_DROP_EP_OP },
	{ "response op 3", MRC_OP_ENDPOINT_RSP, 13, 0x0c, MRC_DROP_EP_OP },
	{ "endpoint request to QPN 3", MRC_OP_ENDPOINT_REQ, 7, 3,
	  MRC_DROP_QPN },
	{ "endpoint response to QPN 0", MRC_OP_ENDPOINT_RSP, 7, 0,
	  MRC_DROP_QPN },
	{ "SACK to QPN 0", MRC_OP_SACK, 7, 0, MRC_DROP_QPN },
	{ "ACK to QPN 1", MRC_OP_ACK, 7, 1, MRC_DROP_QPN },
	{ "probe to QPN 2", MRC_OP_PROBE, 7, 2, MRC_DROP_QPN },
	{ "reserved octet of SETH", MRC_OP_SACK, 24, 0xff, 0 },
	{ "type of SETH", MRC_OP_SACK, 12, 0xff, 0 },
	{ "reserved octet of PETH", MRC_OP_PROBE, 14, 0xff, 0 },
	{ "pad of a control packet", MRC_OP_ACK, 1, 0x30, 0 },
};

KUNIT_ARRAY_PARAM_DESC(malformed, malformed, name);

static void mrc_malformed_octet(struct kunit *test)
{
	const struct malformed *m = test->param_value;
	struct mrc_pkt_data d;
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	u32 len;

	if (mrc_opcode_get(m->code)->flags & MRC_OPF_DATA) {
		d = sample(m->code, 0, PAYLOAD);
		len = put_sample(buf, &d);
	} else {
		len = put_ctrl_sample(buf, m->code);
	}
	KUNIT_ASSERT_EQ(test, decode(test, buf, len, &p), 0);
	buf[m->at] = m->val;
	KUNIT_EXPECT_EQ(test, decode(test, buf, len, &p), -(int)m->expect);
}

static void mrc_malformed_reserved_qpns(struct kunit *test)
{
	static const u32 bad[] = { 0, 1, 2, 0xffffff };
	struct mrc_pkt_data d = sample(MRC_OP_WRITE_ONLY, 0, PAYLOAD);
	u8 buf[BUF_LEN];
	struct mrc_pkt p;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		d.dest_qpn = bad[i];
		KUNIT_EXPECT_EQ(test, decode(test, buf, put_sample(buf, &d),
					     &p), -MRC_DROP_QPN);
	}
}

static void mrc_malformed_address_wraps(struct kunit *test)
{
	struct mrc_pkt_data d = sample(MRC_OP_WRITE_ONLY, 0, PAYLOAD);
	u8 buf[BUF_LEN];
	struct mrc_pkt p;

	d.va = U64_MAX - PAYLOAD + 1;
	KUNIT_EXPECT_EQ(test, decode(test, buf, put_sample(buf, &d), &p), 0);
	d.va++;
	KUNIT_EXPECT_EQ(test, decode(test, buf, put_sample(buf, &d), &p),
			-MRC_DROP_VA);
	/* An empty message writes nothing: every address is accepted. */
	d = sample(MRC_OP_WRITE_ONLY, 0, 0);
	d.va = U64_MAX;
	KUNIT_EXPECT_EQ(test, decode(test, buf, put_sample(buf, &d), &p), 0);
}

static struct kunit_case mrc_malformed_cases[] = {
	KUNIT_CASE_PARAM(mrc_malformed_data_empty, data_op_gen_params),
	KUNIT_CASE_PARAM(mrc_malformed_data_truncated, data_op_gen_params),
	KUNIT_CASE_PARAM(mrc_malformed_data_wrong_length, data_op_gen_params),
	KUNIT_CASE_PARAM(mrc_malformed_data_bad_pad, data_op_gen_params),
	KUNIT_CASE_PARAM(mrc_malformed_ctrl_wrong_length, ctrl_op_gen_params),
	KUNIT_CASE_PARAM(mrc_malformed_ctrl_needs_icrc, ctrl_op_gen_params),
	KUNIT_CASE(mrc_malformed_opcodes),
	KUNIT_CASE_PARAM(mrc_malformed_octet, malformed_gen_params),
	KUNIT_CASE(mrc_malformed_reserved_qpns),
	KUNIT_CASE(mrc_malformed_address_wraps),
	{}
};

static struct kunit_suite mrc_malformed_suite = {
	.name = "mrc_malformed",
	.test_cases = mrc_malformed_cases,
};

kunit_test_suite(mrc_malformed_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC packet decoder on bad input");
MODULE_LICENSE("Dual BSD/GPL");
