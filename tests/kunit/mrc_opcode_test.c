// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opcode table: rows against the protocol documents, and their consistency.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "core/opcode.h"

static void mrc_opcode_rows_are_in_place(struct kunit *test)
{
	const struct mrc_opcode_desc *op;
	u32 i;

	for (i = 0; i < MRC_OP_TABLE_LEN; i++) {
		op = mrc_opcode_get(MRC_OP_CLASS | i);
		if (!op->name)
			continue;
		KUNIT_EXPECT_EQ(test, op->code, MRC_OP_CLASS | i);
	}
}

static void mrc_opcode_undefined_have_no_row(struct kunit *test)
{
	static const u8 undefined[] = { 0xd5, 0xda, 0xdb, 0xdf };
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(undefined); i++) {
		KUNIT_EXPECT_NULL(test, mrc_opcode_get(undefined[i])->name);
		KUNIT_EXPECT_EQ(test, mrc_opcode_get(undefined[i])->flags, 0);
	}
	for (i = 0; i < MRC_OP_TABLE_LEN; i++)
		n += !mrc_opcode_table[i].name;
	KUNIT_EXPECT_EQ(test, n, ARRAY_SIZE(undefined));
}

static void mrc_opcode_class_is_c0_to_df(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 256; i++)
		KUNIT_EXPECT_EQ(test, mrc_opcode_is_mrc(i),
				i >= 0xc0 && i <= 0xdf);
}

/* MRC 1.0: the twelve packets and the lengths of their headers. */
static void mrc_opcode_rows_match_spec(struct kunit *test)
{
	static const struct {
		u8 code;
		u8 hdr_len;
		u32 flags;
	} spec[] = {
		{ 0xc6, 32, MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_FIRST },
		{ 0xc7, 32, MRC_OPF_DATA | MRC_OPF_WRITE },
		{ 0xc8, 32, MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_LAST },
		{ 0xc9, 36, MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_LAST |
			    MRC_OPF_IMM },
		{ 0xca, 32, MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_ONLY },
		{ 0xcb, 36, MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_ONLY |
			    MRC_OPF_IMM },
		{ 0xd1, 16, MRC_OPF_CTRL },
		{ 0xd8, 28, MRC_OPF_CTRL },
		{ 0xd9, 48, MRC_OPF_CTRL },
		{ 0xdc, 48, MRC_OPF_CTRL },
		{ 0xdd, 32, MRC_OPF_CTRL },
		{ 0xde, 28, MRC_OPF_CTRL },
	};
	const u32 mask = MRC_OPF_DATA | MRC_OPF_CTRL | MRC_OPF_SEND |
			 MRC_OPF_WRITE | MRC_OPF_FIRST | MRC_OPF_LAST |
			 MRC_OPF_IMM | MRC_OPF_INV;
	const struct mrc_opcode_desc *op;
	int i;

	for (i = 0; i < ARRAY_SIZE(spec); i++) {
		op = mrc_opcode_get(spec[i].code);
		KUNIT_EXPECT_EQ_MSG(test, op->hdr_len, spec[i].hdr_len,
				    "0x%02x", spec[i].code);
		KUNIT_EXPECT_EQ_MSG(test, op->flags & mask, spec[i].flags,
				    "0x%02x", spec[i].code);
	}
}

/* Extensions have code 0xc0 | RC opcode (IBTA table 38). */
static void mrc_opcode_extensions_follow_rc(struct kunit *test)
{
	static const struct {
		u8 rc;
		u8 hdr_len;
		const char *name;
	} ext[] = {
		{ 0x00, 32, "SEND First" },
		{ 0x01, 32, "SEND Middle" },
		{ 0x02, 32, "SEND Last" },
		{ 0x03, 36, "SEND Last with Immediate" },
		{ 0x04, 32, "SEND Only" },
		{ 0x05, 36, "SEND Only with Immediate" },
		{ 0x0c, 36, "READ Request" },
		{ 0x0d, 32, "READ Response First" },
		{ 0x0e, 32, "READ Response Middle" },
		{ 0x0f, 32, "READ Response Last" },
		{ 0x10, 32, "READ Response Only" },
		{ 0x12, 24, "ATOMIC Acknowledge" },
		{ 0x13, 48, "CmpSwap" },
		{ 0x14, 48, "FetchAdd" },
		{ 0x16, 36, "SEND Last with Invalidate" },
		{ 0x17, 36, "SEND Only with Invalidate" },
	};
	const struct mrc_opcode_desc *op;
	int i;

	for (i = 0; i < ARRAY_SIZE(ext); i++) {
		op = mrc_opcode_get(0xc0 | ext[i].rc);
		KUNIT_EXPECT_STREQ(test, op->name, ext[i].name);
		KUNIT_EXPECT_EQ(test, op->hdr_len, ext[i].hdr_len);
	}
}

static void mrc_opcode_rows_are_consistent(struct kunit *test)
{
	const struct mrc_opcode_desc *op;
	u32 i, f;

	for (i = 0; i < MRC_OP_TABLE_LEN; i++) {
		op = &mrc_opcode_table[i];
		f = op->flags;
		if (!op->name)
			continue;
		KUNIT_EXPECT_NE(test, !!(f & MRC_OPF_DATA),
				!!(f & MRC_OPF_CTRL));
		KUNIT_EXPECT_EQ(test, op->hdr_len % 4, 0);
		KUNIT_EXPECT_LE(test, op->hdr_len +
				(f & MRC_OPF_DATA ?
				 sizeof(struct mrc_tseth) : 0), MRC_HDR_MAX);
		/* Every SEND and a WRITE with immediate consume a receive WQE. */
		if (f & MRC_OPF_SEND)
			KUNIT_EXPECT_TRUE(test, f & MRC_OPF_RQ);
		if (f & MRC_OPF_WRITE)
			KUNIT_EXPECT_EQ(test, !!(f & MRC_OPF_RQ),
					!!(f & MRC_OPF_IMM));
		/* Only last packets have immediate data or an R_Key. */
		if (f & (MRC_OPF_IMM | MRC_OPF_INV))
			KUNIT_EXPECT_TRUE(test, f & MRC_OPF_LAST);
		if (f & MRC_OPF_PAYLOAD)
			KUNIT_EXPECT_TRUE(test, f & MRC_OPF_RETH);
		/* READ and ATOMIC: either a request or a response. */
		KUNIT_EXPECT_EQ(test, !!(f & (MRC_OPF_READ | MRC_OPF_ATOMIC)),
				!!(f & MRC_OPF_RD_ATOMIC) + !!(f & MRC_OPF_RSP));
		if (f & MRC_OPF_ENDPOINT)
			KUNIT_EXPECT_TRUE(test, f & MRC_OPF_CTRL);
	}
}

static struct kunit_case mrc_opcode_cases[] = {
	KUNIT_CASE(mrc_opcode_rows_are_in_place),
	KUNIT_CASE(mrc_opcode_undefined_have_no_row),
	KUNIT_CASE(mrc_opcode_class_is_c0_to_df),
	KUNIT_CASE(mrc_opcode_rows_match_spec),
	KUNIT_CASE(mrc_opcode_extensions_follow_rc),
	KUNIT_CASE(mrc_opcode_rows_are_consistent),
	{}
};

static struct kunit_suite mrc_opcode_suite = {
	.name = "mrc_opcode",
	.test_cases = mrc_opcode_cases,
};

kunit_test_suite(mrc_opcode_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC opcode table");
MODULE_LICENSE("Dual BSD/GPL");
