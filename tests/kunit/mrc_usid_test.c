// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receiving port of SRv6 packets: its uSID prefix, and the headers that it
 * removes.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/srv6.h"
#include "core/usid.h"

/* fcbb:bb00:3001::/48 */
static const struct mrc_lpm_key usid = { 0xfcbbbb0030010000ULL, 0, 48 };

static const u8 outer[MRC_USID_OUTER_LEN] = {
	0x60, 0x00, 0x00, 0x00, 0x00, 0x40,	/* version 6, 64 bytes */
	41, 61,					/* IPv6 inside, hop limit */
	0x20, 0x01, 0x0d, 0xb8, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0xfc, 0xbb, 0xbb, 0x00, 0x30, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x60,					/* first octet inside */
};

static const u8 inner[MRC_USID_INNER_LEN] = {
	0x60, 0x01, 0x00, 0x01, 0x00, 0x18,
	17, 64,
	0x20, 0x01, 0x0d, 0xb8, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0x20, 0x01, 0x0d, 0xb8, 0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0xc0, 0xde, 0x12, 0xb7,			/* from any port, to 4791 */
};

enum { NEXT = 6, DST = 24, IP6 = 40, DPORT = 42 };

static u32 with(u32 at, u8 byte)
{
	u8 hdr[MRC_USID_OUTER_LEN];

	memcpy(hdr, outer, sizeof(hdr));
	hdr[at] = byte;
	return mrc_usid_outer_len(&usid, hdr);
}

static void mrc_usid_outer_needs_prefix(struct kunit *test)
{
	static const u8 next[] = { 0, 4, 17, 44, 50, 59, 60, 143, 255 };
	u32 i;

	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&usid, outer), 40);
	for (i = 0; i < ARRAY_SIZE(next); i++)
		KUNIT_EXPECT_EQ_MSG(test, with(NEXT, next[i]), 0, "next %u",
				    next[i]);
	/* A differing bit in the prefix, and after it. */
	for (i = 0; i < MRC_LPM_BITS; i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    with(DST + i / 8, outer[DST + i / 8] ^
					 0x80 >> i % 8),
				    i < usid.len ? 0 : 40, "bit %u", i);
}

static void mrc_usid_outer_prefix_of_any_length(struct kunit *test)
{
	const struct mrc_lpm_key odd = { 0xfcbbbb0030000000ULL, 0, 47 };
	const struct mrc_lpm_key whole = { 0xfcbbbb0030010000ULL, 0, 128 };
	u8 hdr[MRC_USID_OUTER_LEN];

	memcpy(hdr, outer, sizeof(hdr));
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&odd, hdr), 40);
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&whole, hdr), 40);
	hdr[DST + 5] = 0x02;
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&odd, hdr), 0);
	hdr[DST + 5] = 0x01;
	hdr[DST + 15] = 0x01;
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&whole, hdr), 0);
}

/* RFC 8754, 2: next, length, type, segments left, last entry, flags, tag. */
static void mrc_usid_bad_srh_refused(struct kunit *test)
{
	static const struct {
		u8 srh[8];
		u32 len;
	} cases[] = {
		{ { 41, 2, 4, 0, 0 }, 40 + 24 },
		{ { 41, 6, 4, 0, 2 }, 40 + 56 },
		{ { 41, 254, 4, 0, 126 }, 40 + 8 * 255 },
		{ { 41, 2, 4, 0, 0, 0xff, 0xff, 0xff }, 40 + 24 },
		/* A segment is left: not the last destination. */
		{ { 41, 2, 4, 1, 0 }, 0 },
		/* Other routing headers. */
		{ { 41, 2, 0, 0, 0 }, 0 },
		{ { 41, 2, 3, 0, 0 }, 0 },
		/* The SRH is not followed by IPv6. */
		{ { 17, 2, 4, 0, 0 }, 0 },
		{ { 43, 2, 4, 0, 0 }, 0 },
		/* Length does not agree with the number of segments. */
		{ { 41, 0, 4, 0, 0 }, 0 },
		{ { 41, 1, 4, 0, 0 }, 0 },
		{ { 41, 3, 4, 0, 0 }, 0 },
		{ { 41, 7, 4, 0, 0 }, 0 },
		{ { 41, 255, 4, 0, 127 }, 0 },
		{ { 41, 0, 4, 0, 255 }, 0 },
	};
	u8 hdr[MRC_USID_OUTER_LEN];
	u32 i;

	memcpy(hdr, outer, sizeof(hdr));
	hdr[NEXT] = 43;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(hdr + IP6, cases[i].srh, sizeof(cases[i].srh));
		KUNIT_EXPECT_EQ_MSG(test, mrc_usid_outer_len(&usid, hdr),
				    cases[i].len, "case %u", i);
	}
}

/* The own SRH is accepted when its one segment has been used. */
static void mrc_usid_own_srh_accepted(struct kunit *test)
{
	u8 hdr[MRC_ICRC_IP6_LEN + MRC_SRH_LEN];

	memcpy(hdr, outer, MRC_ICRC_IP6_LEN);
	hdr[NEXT] = 43;
	mrc_srv6_put_srh(hdr + IP6, 41, hdr + DST);
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&usid, hdr), 0);
	((struct mrc_srh *)(hdr + IP6))->segments_left = 0;
	KUNIT_EXPECT_EQ(test, mrc_usid_outer_len(&usid, hdr), sizeof(hdr));
}

static bool inner_with(u32 at, u8 byte)
{
	u8 hdr[MRC_USID_INNER_LEN];

	memcpy(hdr, inner, sizeof(hdr));
	hdr[at] = byte;
	return mrc_usid_inner_ok(hdr);
}

static void mrc_usid_inner_needs_udp_4791(struct kunit *test)
{
	u8 hdr[MRC_USID_INNER_LEN];

	KUNIT_EXPECT_TRUE(test, mrc_usid_inner_ok(inner));
	KUNIT_EXPECT_FALSE(test, inner_with(0, 0x45));
	KUNIT_EXPECT_FALSE(test, inner_with(0, 0x00));
	KUNIT_EXPECT_FALSE(test, inner_with(NEXT, 6));
	KUNIT_EXPECT_FALSE(test, inner_with(NEXT, 41));
	KUNIT_EXPECT_FALSE(test, inner_with(NEXT, 60));
	KUNIT_EXPECT_FALSE(test, inner_with(DPORT, 0x11));
	KUNIT_EXPECT_FALSE(test, inner_with(DPORT + 1, 0xb6));
	memcpy(hdr, inner, sizeof(hdr));
	hdr[DPORT] = 0x13;			/* 4971 */
	hdr[DPORT + 1] = 0x6b;
	KUNIT_EXPECT_TRUE(test, mrc_usid_inner_ok(hdr));
}

static void mrc_usid_bad_prefix_refused(struct kunit *test)
{
	static const struct {
		struct mrc_lpm_key usid;
		const char *text;
	} prefixes[] = {
		{ { 0xfcbbbb0030010000ULL, 0, 48 } },
		{ { 0x2001000000000000ULL, 0, 8 } },
		{ { 0x0100000000000000ULL, 1, 128 } },
		{ { 0, 0, 0 }, "usid is a prefix of 8 to 128 bits, not of 0" },
		{ { 0x8000000000000000ULL, 0, 7 },
		  "usid is a prefix of 8 to 128 bits, not of 7" },
		{ { 0x2001000000000000ULL, 0, 129 },
		  "usid is a prefix of 8 to 128 bits, not of 129" },
		{ { 0, 0, 8 },
		  "usid is no prefix that switches can lead to a host" },
		{ { 0, 1, 128 },
		  "usid is no prefix that switches can lead to a host" },
		{ { 0xfe80000000000000ULL, 0, 10 },
		  "usid is no prefix that switches can lead to a host" },
		{ { 0xff02000000000000ULL, 0, 16 },
		  "usid is no prefix that switches can lead to a host" },
	};
	struct mrc_refusal why;
	int expected;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		expected = prefixes[i].text ? -EINVAL : 0;
		KUNIT_EXPECT_EQ_MSG(test, mrc_usid_check(&prefixes[i].usid, &why),
				    expected, "case %u", i);
		if (prefixes[i].text)
			KUNIT_EXPECT_STREQ(test, why.text, prefixes[i].text);
	}
}

static struct kunit_case mrc_usid_cases[] = {
	KUNIT_CASE(mrc_usid_outer_needs_prefix),
	KUNIT_CASE(mrc_usid_outer_prefix_of_any_length),
	KUNIT_CASE(mrc_usid_bad_srh_refused),
	KUNIT_CASE(mrc_usid_own_srh_accepted),
	KUNIT_CASE(mrc_usid_inner_needs_udp_4791),
	KUNIT_CASE(mrc_usid_bad_prefix_refused),
	{}
};

static struct kunit_suite mrc_usid_suite = {
	.name = "mrc_usid",
	.test_cases = mrc_usid_cases,
};

kunit_test_suite(mrc_usid_suite);

MODULE_DESCRIPTION("KUnit tests of uSID prefixes of ports");
MODULE_LICENSE("Dual BSD/GPL");
