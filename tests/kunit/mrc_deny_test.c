// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Deny rules: which paths they match.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/deny.h"

/* fcbb:bb00:1200:2203:1201:3201:: to fd00::2, by port 2. */
static const struct mrc_deny_path path = {
	.ev = 7, .port = 2, .srv6 = true, .block = 32, .usid = 16,
	.addr.w = { 0xfcbbbb0012002203ULL, 0x1201320100000000ULL },
	.dst = { 0xfd00ULL << 48, 2, 128 },
};

#define DST	MRC_DENY_DST
#define EV	MRC_DENY_EV
#define PORT	MRC_DENY_PORT
#define USID	MRC_DENY_USID
#define LINK	(MRC_DENY_USID | MRC_DENY_NEXT)

static const struct {
	struct mrc_deny rule;
	bool matches;
} rules[] = {
	{ { .match = EV, .ev = 7 }, true },
	{ { .match = EV, .ev = 8 }, false },
	{ { .match = PORT, .port = 2 }, true },
	{ { .match = PORT, .port = 1 }, false },
	{ { .match = EV | PORT, .ev = 7, .port = 2 }, true },
	{ { .match = EV | PORT, .ev = 7, .port = 1 }, false },
	{ { .match = EV | PORT, .ev = 8, .port = 2 }, false },
	{ { .match = DST, .dst = { 0xfd00ULL << 48, 2, 128 } }, true },
	{ { .match = DST, .dst = { 0xfd00ULL << 48, 3, 128 } }, false },
	{ { .match = DST, .dst = { 0xfd00ULL << 48, 0, 64 } }, true },
	{ { .match = DST, .dst = { 0xfd01ULL << 48, 0, 64 } }, false },
	{ { .match = DST, .dst = { 0, 0, 0 } }, true },
	{ { .match = USID, .usid = 0x1200 }, true },
	{ { .match = USID, .usid = 0x2203 }, true },
	{ { .match = USID, .usid = 0x3201 }, true },
	{ { .match = USID, .usid = 0x2202 }, false },
	/* Across two uSIDs; in the block. */
	{ { .match = USID, .usid = 0x0022 }, false },
	{ { .match = USID, .usid = 0xbb00 }, false },
	{ { .match = LINK, .usid = 0x1200, .next = 0x2203 }, true },
	{ { .match = LINK, .usid = 0x1201, .next = 0x3201 }, true },
	{ { .match = LINK, .usid = 0x2203, .next = 0x1200 }, false },
	{ { .match = LINK, .usid = 0x1200, .next = 0x1201 }, false },
	{ { .match = LINK | PORT, .usid = 0x1200, .next = 0x2203, .port = 1 },
	  false },
};

static void mrc_deny_rule_matches_path(struct kunit *test)
{
	struct mrc_refusal why;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		KUNIT_EXPECT_EQ(test, mrc_deny_check(&rules[i].rule, 4, &why),
				0);
		KUNIT_EXPECT_EQ_MSG(test, mrc_deny_matches(&rules[i].rule,
							   &path),
				    rules[i].matches, "rule %u", i);
	}
}

/* uSID 0 ends a list: bits behind it match no rule. */
static void mrc_deny_usid_0_ends_list(struct kunit *test)
{
	const struct mrc_deny rule = { .match = USID, .usid = 0x4444 };
	struct mrc_deny_path p = path;

	p.addr.w[1] = 0x1201320100004444ULL;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&rule, &p));
	p.addr.w[1] = 0x1201320144440000ULL;
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&rule, &p));
}

static void mrc_deny_srh_usids_match(struct kunit *test)
{
	const struct mrc_deny rule = { .match = USID, .usid = 0x4444 };
	struct mrc_deny_path p = path;

	p.addr.w[2] = 0xfcbbbb0044440000ULL;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&rule, &p));
	p.srh = true;
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&rule, &p));
}

/* Paths without micro-segments match no rule about uSIDs. */
static void mrc_deny_usid_needs_srv6(struct kunit *test)
{
	const struct mrc_deny by_switch = { .match = USID, .usid = 0x1200 };
	const struct mrc_deny by_port = { .match = PORT, .port = 2 };
	struct mrc_deny_path p = path;

	p.srv6 = false;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&by_switch, &p));
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&by_port, &p));
}

static void mrc_deny_bad_rule_refused(struct kunit *test)
{
	static const struct {
		struct mrc_deny rule;
		const char *text;
	} bad[] = {
		{ { }, "a rule needs dst, ev, port or usid" },
		{ { .match = MRC_DENY_NEXT, .next = 1 }, "next without usid" },
		{ { .match = USID }, "no path visits uSID 0" },
		{ { .match = LINK, .usid = 1 }, "no path visits uSID 0" },
		{ { .match = PORT }, "port 0 of a device with 4" },
		{ { .match = PORT, .port = 5 }, "port 5 of a device with 4" },
	};
	struct mrc_refusal why;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ(test, mrc_deny_check(&bad[i].rule, 4, &why),
				-EINVAL);
		KUNIT_EXPECT_STREQ(test, why.text, bad[i].text);
	}
}

static void mrc_deny_same_rule(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		for (j = 0; j < ARRAY_SIZE(rules); j++)
			KUNIT_EXPECT_EQ(test, mrc_deny_same(&rules[i].rule,
							    &rules[j].rule),
					i == j);
}

static struct kunit_case mrc_deny_cases[] = {
	KUNIT_CASE(mrc_deny_rule_matches_path),
	KUNIT_CASE(mrc_deny_usid_0_ends_list),
	KUNIT_CASE(mrc_deny_srh_usids_match),
	KUNIT_CASE(mrc_deny_usid_needs_srv6),
	KUNIT_CASE(mrc_deny_bad_rule_refused),
	KUNIT_CASE(mrc_deny_same_rule),
	{}
};

static struct kunit_suite mrc_deny_suite = {
	.name = "mrc_deny",
	.test_cases = mrc_deny_cases,
};

kunit_test_suite(mrc_deny_suite);

MODULE_DESCRIPTION("KUnit tests of deny rules");
MODULE_LICENSE("Dual BSD/GPL");
