// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV format profiles, and strings of bits.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/bitstr.h"
#include "core/format.h"
#include "core/rnd.h"

/* Reference: bit by bit. */
static bool bit_of(const struct mrc_bitstr *s, u16 at)
{
	return s->w[at / 64] >> (63 - at % 64) & 1;
}

static u32 naive_get(const struct mrc_bitstr *s, u16 at, u8 width)
{
	u32 v = 0;

	while (width--)
		v = v << 1 | bit_of(s, at++);
	return v;
}

static void mrc_format_bits_get_put(struct kunit *test)
{
	struct mrc_bitstr s, t;
	u64 rnd = 1;
	u32 v, i, ones;
	u8 width;
	u16 at;

	for (at = 0; at < MRC_BITSTR_WORDS; at++)
		s.w[at] = mrc_rnd_next(&rnd);
	for (at = 0; at <= MRC_BITSTR_BITS; at++) {
		for (width = 0; width <= 32 && at + width <= MRC_BITSTR_BITS;
		     width++) {
			v = naive_get(&s, at, width);
			KUNIT_ASSERT_EQ(test, mrc_bitstr_get(&s, at, width), v);
			memset(&t, 0, sizeof(t));
			mrc_bitstr_put(&t, at, width, v);
			KUNIT_ASSERT_EQ(test, naive_get(&t, at, width), v);
			KUNIT_ASSERT_TRUE(test, mrc_bitstr_ends(&t, at + width));
			/* No other bit is set. */
			for (i = 0, ones = 0; i < MRC_BITSTR_WORDS; i++)
				ones += hweight64(t.w[i]);
			KUNIT_ASSERT_EQ(test, ones, hweight32(v));
		}
	}
}

static void mrc_format_bits_ends(struct kunit *test)
{
	struct mrc_bitstr s;
	u16 bit, at;

	for (bit = 0; bit < MRC_BITSTR_BITS; bit++) {
		memset(&s, 0, sizeof(s));
		mrc_bitstr_put(&s, bit, 1, 1);
		for (at = 0; at <= MRC_BITSTR_BITS; at++)
			KUNIT_ASSERT_EQ(test, mrc_bitstr_ends(&s, at),
					at > bit);
	}
}

static void mrc_format_bits_read_write(struct kunit *test)
{
	u8 in[MRC_BITSTR_BYTES], out[MRC_BITSTR_BYTES];
	struct mrc_bitstr s;
	u8 i, len;

	for (i = 0; i < sizeof(in); i++)
		in[i] = i + 1;
	mrc_bitstr_read(&s, in, sizeof(in));
	KUNIT_EXPECT_EQ(test, mrc_bitstr_get(&s, 0, 32), 0x01020304);
	KUNIT_EXPECT_EQ(test, mrc_bitstr_get(&s, 60, 8), 0x80);
	KUNIT_EXPECT_EQ(test, mrc_bitstr_get(&s, 224, 32), 0x1d1e1f20);
	for (len = 0; len <= sizeof(in); len++) {
		memset(out, 0xee, sizeof(out));
		mrc_bitstr_read(&s, in, len);
		KUNIT_EXPECT_TRUE(test, mrc_bitstr_ends(&s, 8 * len));
		mrc_bitstr_write(&s, out, len);
		KUNIT_EXPECT_MEMEQ(test, in, out, len);
		if (len < sizeof(out))
			KUNIT_EXPECT_EQ(test, out[len], 0xee);
	}
}

struct refused {
	struct mrc_format fmt;
	int err;
	int field;
	const char *text;
};

/* One line per rule of the control API. */
static const struct refused refused[] = {
	{ { MRC_FORMAT_NR, 1, { 16 } }, -EINVAL, MRC_NO_FIELD,
	  "there is no format mode 4" },
	{ { MRC_FORMAT_UDP, 0 }, -EINVAL, MRC_NO_FIELD, "no fields" },
	{ { MRC_FORMAT_SRV6, 17 }, -E2BIG, MRC_NO_FIELD,
	  "17 fields, 16 are possible" },
	{ { MRC_FORMAT_SRV6, 3, { 32, 0, 16 } }, -EINVAL, 1,
	  "field 2: width 0 is not 1..32" },
	{ { MRC_FORMAT_SRV6, 1, { 33 } }, -EINVAL, 0,
	  "field 1: width 33 is not 1..32" },
	{ { MRC_FORMAT_UDP, 2, { 16, 1 } }, -E2BIG, MRC_NO_FIELD,
	  "fields have 17 bits, udp has 16" },
	{ { MRC_FORMAT_STEV, 3, { 16, 16, 1 } }, -E2BIG, MRC_NO_FIELD,
	  "fields have 33 bits, stev has 32" },
	{ { MRC_FORMAT_SRV6, 5, { 32, 32, 32, 32, 1 } }, -E2BIG, MRC_NO_FIELD,
	  "fields have 129 bits, srv6 has 128" },
	{ { MRC_FORMAT_SRV6_SRH, 9, { 32, 32, 32, 32, 32, 32, 32, 32, 1 } },
	  -E2BIG, MRC_NO_FIELD, "fields have 257 bits, srv6-srh has 256" },
	{ { MRC_FORMAT_SRV6_SRH, 4, { 32, 32, 32, 32 } }, -EINVAL,
	  MRC_NO_FIELD, "fields have 128 bits, none of them for the SRH" },
	{ { MRC_FORMAT_SRV6_SRH, 6, { 32, 32, 32, 31, 2, 31 } }, -EINVAL, 4,
	  "field 5: lies across bit 128, where the SRH begins" },
};

static void mrc_format_refused(struct kunit *test)
{
	struct mrc_refusal why;
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct refused *r = &refused[i];

		KUNIT_EXPECT_EQ(test, mrc_format_check(&r->fmt, &why), r->err);
		KUNIT_EXPECT_EQ(test, why.field, r->field);
		KUNIT_EXPECT_STREQ(test, why.text, r->text);
	}
}

/* The widest format of each mode, and the examples of the control API. */
static void mrc_format_accepted(struct kunit *test)
{
	static const struct mrc_format good[] = {
		{ MRC_FORMAT_UDP, 1, { 16 } },
		{ MRC_FORMAT_STEV, 3, { 8, 4, 4 } },
		{ MRC_FORMAT_STEV, 2, { 16, 16 } },
		{ MRC_FORMAT_STEV, 3, { 10, 8, 4 } },
		{ MRC_FORMAT_SRV6, 5, { 32, 16, 16, 16, 16 } },
		{ MRC_FORMAT_SRV6, 7, { 32, 16, 16, 16, 16, 16, 16 } },
		{ MRC_FORMAT_SRV6_SRH, 12,
		  { 32, 16, 16, 16, 16, 16, 16, 32, 16, 16, 16, 16 } },
		{ MRC_FORMAT_SRV6_SRH, 8, { 32, 32, 32, 32, 32, 32, 32, 32 } },
	};
	static const u16 width[] = { 16, 16, 32, 22, 96, 128, 224, 256 };
	struct mrc_refusal why;
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		KUNIT_EXPECT_EQ(test, mrc_format_check(&good[i], &why), 0);
		KUNIT_EXPECT_EQ(test, mrc_format_width(&good[i]), width[i]);
	}
}

static void mrc_format_modes(struct kunit *test)
{
	struct mrc_format fmt = {};
	u8 mode;

	KUNIT_EXPECT_STREQ(test, mrc_format_name(MRC_FORMAT_UDP), "udp");
	KUNIT_EXPECT_STREQ(test, mrc_format_name(MRC_FORMAT_SRV6_SRH),
			   "srv6-srh");
	KUNIT_EXPECT_NULL(test, mrc_format_name(MRC_FORMAT_NR));
	for (mode = 0; mode < MRC_FORMAT_NR; mode++) {
		fmt.mode = mode;
		KUNIT_EXPECT_EQ(test, mrc_format_routes(&fmt),
				mode != MRC_FORMAT_UDP);
		KUNIT_EXPECT_EQ(test, mrc_format_is_srv6(&fmt),
				mrc_format_max(mode) >= MRC_ADDR_BITS);
	}
}

/* A text that is too long is truncated and terminated. */
static void mrc_format_refusal_is_bounded(struct kunit *test)
{
	struct mrc_refusal why;

	memset(&why, 0x55, sizeof(why));
	KUNIT_EXPECT_EQ(test, mrc_refuse(&why, -EINVAL, 12, "%0100d", 7),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, strlen(why.text), MRC_REFUSAL_LEN - 1);
	KUNIT_EXPECT_EQ(test, 0, strncmp(why.text, "field 13: 000", 13));
}

static struct kunit_case mrc_format_cases[] = {
	KUNIT_CASE(mrc_format_bits_get_put),
	KUNIT_CASE(mrc_format_bits_ends),
	KUNIT_CASE(mrc_format_bits_read_write),
	KUNIT_CASE(mrc_format_refused),
	KUNIT_CASE(mrc_format_accepted),
	KUNIT_CASE(mrc_format_modes),
	KUNIT_CASE(mrc_format_refusal_is_bounded),
	{}
};

static struct kunit_suite mrc_format_suite = {
	.name = "mrc_format",
	.test_cases = mrc_format_cases,
};

kunit_test_suite(mrc_format_suite);

MODULE_DESCRIPTION("KUnit tests of EV formats");
MODULE_LICENSE("Dual BSD/GPL");
