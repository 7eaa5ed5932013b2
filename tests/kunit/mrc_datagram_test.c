// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: the decoder reads what the encoder writes, and rejects the rest.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/datagram.h"
#include "core/packet.h"

/* Header with immediate data, and the ICRC. */
#define LEN_IMM	(12 + 8 + 4 + 4)
#define LEN	(12 + 8 + 4)

static const struct mrc_datagram sample = {
	.dest_qpn = 0x123456,
	.src_qpn = 0x654321,
	.qkey = 0x80010000,
	.psn = 0xabcdef,
	.payload_len = 3,
	.solicited = true,
};

/* IBTA 5.2: octet for octet. */
static void mrc_datagram_layout_of_ibta(struct kunit *test)
{
	static const u8 want[] = {
		0x65, 0x90, 0xff, 0xff, 0, 0x12, 0x34, 0x56,
		0, 0xab, 0xcd, 0xef, 0x80, 0x01, 0, 0,
		0, 0x65, 0x43, 0x21, 0xde, 0xad, 0xbe, 0xef,
	};
	struct mrc_datagram d = sample;
	u8 buf[sizeof(want)];

	d.has_imm = true;
	d.imm = cpu_to_be32(0xdeadbeef);
	KUNIT_EXPECT_EQ(test, mrc_datagram_put(buf, &d), (u32)sizeof(want));
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
	KUNIT_EXPECT_TRUE(test, mrc_datagram_is(buf[0]));
}

static void mrc_datagram_encode_decode(struct kunit *test)
{
	struct mrc_datagram d = sample, got;
	u8 buf[LEN_IMM];
	u32 len, hdr, whole, imm;

	for (imm = 0; imm < 2; imm++) {
		for (len = 0; len <= MRC_PMTU_MAX; len += len < 8 ? 1 : 511) {
			d.has_imm = imm;
			d.imm = imm ? cpu_to_be32(len) : 0;
			d.payload_len = len;
			hdr = mrc_datagram_put(buf, &d);
			d.payload_off = hdr;
			whole = hdr + len + mrc_pkt_trailer_len(len);
			KUNIT_ASSERT_EQ(test, mrc_datagram_decode(buf, hdr,
								  whole, &got),
					0);
			KUNIT_EXPECT_EQ(test, got.dest_qpn, d.dest_qpn);
			KUNIT_EXPECT_EQ(test, got.src_qpn, d.src_qpn);
			KUNIT_EXPECT_EQ(test, got.qkey, d.qkey);
			KUNIT_EXPECT_EQ(test, got.psn, d.psn);
			KUNIT_EXPECT_EQ(test, (__force u32)got.imm,
					(__force u32)d.imm);
			KUNIT_EXPECT_EQ(test, got.payload_off, d.payload_off);
			KUNIT_EXPECT_EQ(test, got.payload_len, d.payload_len);
			KUNIT_EXPECT_EQ(test, got.has_imm, d.has_imm);
			KUNIT_EXPECT_EQ(test, got.solicited, d.solicited);
		}
	}
}

/* No octet beyond the buffer is read: the sanitizer would report that. */
static void mrc_datagram_short_refused(struct kunit *test)
{
	struct mrc_datagram d = sample, got;
	u32 len, whole, imm;
	u8 buf[LEN_IMM];
	u8 *copy;

	for (imm = 0; imm < 2; imm++) {
		d.has_imm = imm;
		d.payload_len = 0;
		whole = mrc_datagram_put(buf, &d) + MRC_ICRC_LEN;
		for (len = 0; len < whole; len++) {
			copy = kunit_kzalloc(test, len + 1, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, copy);
			memcpy(copy, buf, min(len, whole - MRC_ICRC_LEN));
			KUNIT_EXPECT_EQ(test, mrc_datagram_decode(copy, len,
								  len, &got),
					-MRC_DROP_SHORT);
			kunit_kfree(test, copy);
		}
	}
}

static int decode_with(u32 octet, u8 value, u32 payload)
{
	struct mrc_datagram d = sample, got;
	u8 buf[LEN];

	d.payload_len = payload;
	mrc_datagram_put(buf, &d);
	buf[octet] = value;
	return mrc_datagram_decode(buf, LEN - MRC_ICRC_LEN,
				   LEN + payload + mrc_pkt_pad(payload), &got);
}

static int decode_qpn(u32 qpn)
{
	struct mrc_datagram d = sample, got;
	u8 buf[LEN];

	d.dest_qpn = qpn;
	d.payload_len = 0;
	mrc_datagram_put(buf, &d);
	return mrc_datagram_decode(buf, LEN - MRC_ICRC_LEN, LEN, &got);
}

static void mrc_datagram_bad_field_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, decode_with(0, MRC_OP_UD_SEND, 4), 0);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x01, 4), -MRC_DROP_TVER);
	KUNIT_EXPECT_EQ(test, decode_with(2, 0x12, 4), -MRC_DROP_PKEY);
	/* Padding: more than the payload, and more or less than needed. */
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x10, 0), -MRC_DROP_PAD);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x00, 3), 0);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x20, 4), 0);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x00, MRC_PMTU_MAX), 0);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x00, MRC_PMTU_MAX + 4),
			-MRC_DROP_LONG);
	KUNIT_EXPECT_EQ(test, decode_with(1, 0x10, MRC_PMTU_MAX + 1),
			-MRC_DROP_LONG);
}

/* Of the reserved QPNs only that of the management QP is accepted. */
static void mrc_datagram_reserved_qpns_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_QPN_SMI), -MRC_DROP_QPN);
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_QPN_GSI), 0);
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_QPN_ENDPOINT), -MRC_DROP_QPN);
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_QPN_FIRST), 0);
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_QPN_LAST), 0);
	KUNIT_EXPECT_EQ(test, decode_qpn(MRC_MASK_24), -MRC_DROP_QPN);
}

/* The opcodes of datagrams are not opcodes of connections. */
static void mrc_datagram_opcodes_are_distinct(struct kunit *test)
{
	u32 opcode, found = 0;

	for (opcode = 0; opcode <= U8_MAX; opcode++) {
		if (!mrc_datagram_is(opcode))
			continue;
		found++;
		KUNIT_EXPECT_FALSE(test, mrc_opcode_is_mrc(opcode));
	}
	KUNIT_EXPECT_EQ(test, found, 2U);
}

static struct kunit_case mrc_datagram_cases[] = {
	KUNIT_CASE(mrc_datagram_layout_of_ibta),
	KUNIT_CASE(mrc_datagram_encode_decode),
	KUNIT_CASE(mrc_datagram_short_refused),
	KUNIT_CASE(mrc_datagram_bad_field_refused),
	KUNIT_CASE(mrc_datagram_reserved_qpns_refused),
	KUNIT_CASE(mrc_datagram_opcodes_are_distinct),
	{}
};

static struct kunit_suite mrc_datagram_suite = {
	.name = "mrc_datagram",
	.test_cases = mrc_datagram_cases,
};

kunit_test_suite(mrc_datagram_suite);

MODULE_DESCRIPTION("KUnit tests of the datagram codec");
MODULE_LICENSE("Dual BSD/GPL");
