// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rules that forbid paths.
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
	{ { .by = EV, .ev = 7 }, true },
	{ { .by = EV, .ev = 8 }, false },
	{ { .by = PORT, .port = 2 }, true },
	{ { .by = PORT, .port = 1 }, false },
	{ { .by = EV | PORT, .ev = 7, .port = 2 }, true },
	{ { .by = EV | PORT, .ev = 7, .port = 1 }, false },
	{ { .by = EV | PORT, .ev = 8, .port = 2 }, false },
	{ { .by = DST, .dst = { 0xfd00ULL << 48, 2, 128 } }, true },
	{ { .by = DST, .dst = { 0xfd00ULL << 48, 3, 128 } }, false },
	{ { .by = DST, .dst = { 0xfd00ULL << 48, 0, 64 } }, true },
	{ { .by = DST, .dst = { 0xfd01ULL << 48, 0, 64 } }, false },
	{ { .by = DST, .dst = { 0, 0, 0 } }, true },
	{ { .by = USID, .usid = 0x1200 }, true },
	{ { .by = USID, .usid = 0x2203 }, true },
	{ { .by = USID, .usid = 0x3201 }, true },
	{ { .by = USID, .usid = 0x2202 }, false },
	/* Across two, in the block, behind the end. */
	{ { .by = USID, .usid = 0x0022 }, false },
	{ { .by = USID, .usid = 0xbb00 }, false },
	{ { .by = LINK, .usid = 0x1200, .next = 0x2203 }, true },
	{ { .by = LINK, .usid = 0x1201, .next = 0x3201 }, true },
	{ { .by = LINK, .usid = 0x2203, .next = 0x1200 }, false },
	{ { .by = LINK, .usid = 0x1200, .next = 0x1201 }, false },
	{ { .by = LINK | PORT, .usid = 0x1200, .next = 0x2203, .port = 1 },
	  false },
};

static void mrc_deny_rules(struct kunit *test)
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

/* A list ends with uSID zero; what a stray bit behind it says is nothing. */
static void mrc_deny_end_of_list(struct kunit *test)
{
	const struct mrc_deny rule = { .by = USID, .usid = 0x4444 };
	struct mrc_deny_path p = path;

	p.addr.w[1] = 0x1201320100004444ULL;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&rule, &p));
	p.addr.w[1] = 0x1201320144440000ULL;
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&rule, &p));
}

static void mrc_deny_srh(struct kunit *test)
{
	const struct mrc_deny rule = { .by = USID, .usid = 0x4444 };
	struct mrc_deny_path p = path;

	p.addr.w[2] = 0xfcbbbb0044440000ULL;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&rule, &p));
	p.srh = true;
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&rule, &p));
}

/* Paths without micro-segments visit no switch that has a name. */
static void mrc_deny_without_srv6(struct kunit *test)
{
	const struct mrc_deny by_switch = { .by = USID, .usid = 0x1200 };
	const struct mrc_deny by_port = { .by = PORT, .port = 2 };
	struct mrc_deny_path p = path;

	p.srv6 = false;
	KUNIT_EXPECT_FALSE(test, mrc_deny_matches(&by_switch, &p));
	KUNIT_EXPECT_TRUE(test, mrc_deny_matches(&by_port, &p));
}

static void mrc_deny_refused(struct kunit *test)
{
	static const struct {
		struct mrc_deny rule;
		const char *text;
	} bad[] = {
		{ { }, "a rule needs dst, ev, port or usid" },
		{ { .by = MRC_DENY_NEXT, .next = 1 }, "next without usid" },
		{ { .by = USID }, "no path visits uSID 0" },
		{ { .by = LINK, .usid = 1 }, "no path visits uSID 0" },
		{ { .by = PORT }, "port 0 of a device with 4" },
		{ { .by = PORT, .port = 5 }, "port 5 of a device with 4" },
	};
	struct mrc_refusal why;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ(test, mrc_deny_check(&bad[i].rule, 4, &why),
				-EINVAL);
		KUNIT_EXPECT_STREQ(test, why.text, bad[i].text);
	}
}

static void mrc_deny_equal(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		for (j = 0; j < ARRAY_SIZE(rules); j++)
			KUNIT_EXPECT_EQ(test, mrc_deny_same(&rules[i].rule,
							    &rules[j].rule),
					i == j);
}

static struct kunit_case mrc_deny_cases[] = {
	KUNIT_CASE(mrc_deny_rules),
	KUNIT_CASE(mrc_deny_end_of_list),
	KUNIT_CASE(mrc_deny_srh),
	KUNIT_CASE(mrc_deny_without_srv6),
	KUNIT_CASE(mrc_deny_refused),
	KUNIT_CASE(mrc_deny_equal),
	{}
};

static struct kunit_suite mrc_deny_suite = {
	.name = "mrc_deny",
	.test_cases = mrc_deny_cases,
};

kunit_test_suite(mrc_deny_suite);

MODULE_DESCRIPTION("KUnit tests of rules against paths");
MODULE_LICENSE("Dual BSD/GPL");
