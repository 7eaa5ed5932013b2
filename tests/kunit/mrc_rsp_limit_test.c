// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: limits of what packets that anybody can forge make it send.
 */
#include <kunit/test.h>

#include "mrc_rsp_sample.h"

/* Receive @n probes; returns the number of packets sent, copies included. */
static u32 answers(struct bench *b, u32 n)
{
	struct mrc_ack_batch a;
	u32 sent = 0;

	while (n--) {
		probe(b, n, 0x77, false);
		while (mrc_rsp_build_acks(&b->rsp, &a))
			sent += a.n * a.copies;
	}
	return sent;
}

/*
 * Whoever floods a QP with forged probes causes no flood: when the credit does
 * not suffice for all bitmaps and copies, a probe gets one SACK, then none.
 */
static void mrc_rsp_limit_probe_flood_is_limited(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u64 now = 1000000000;
	u32 i, sent;

	for (i = 1; i < MPR; i += 2)
		rx_at(b, i);
	collect(b);
	mrc_rsp_clock(&b->rsp, now);
	/* Four bitmaps and an ACK, each on two paths. */
	KUNIT_EXPECT_EQ(test, answers(b, 1), 10);
	sent = answers(b, 100000);
	KUNIT_EXPECT_LE(test, sent, MRC_RSP_PROBE_BURST / 4 * 5);
	KUNIT_EXPECT_GE(test, b->rsp.stats.probes_limited, 90000);
	KUNIT_EXPECT_EQ(test, answers(b, 100), 0);
	/* Credit for one packet. */
	mrc_rsp_clock(&b->rsp, now + 1000000000 / MRC_RSP_PROBE_RATE);
	KUNIT_EXPECT_EQ(test, answers(b, 100), 1);
	mrc_rsp_clock(&b->rsp, now + 1000000000);
	KUNIT_EXPECT_GE(test, answers(b, 1), 10);
}

/* The rate that a requester with 256 paths assumed bad needs is not limited. */
static void mrc_rsp_limit_probes_of_requester_not_limited(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u64 now = 1000000000;
	u32 i;

	for (i = 1; i < MPR; i += 2)
		rx_at(b, i);
	collect(b);
	for (i = 0; i < 100; i++, now += 500000000) {
		mrc_rsp_clock(&b->rsp, now);
		answers(b, 256);
	}
	KUNIT_EXPECT_EQ(test, b->rsp.stats.probes_limited, 0);
}

/* Receive @n copies of the packet at @at; returns the number of answers. */
static u32 answers_to_copies(struct bench *b, u32 at, u32 n)
{
	u32 sent = 0;

	while (n--) {
		KUNIT_EXPECT_EQ(b->test, rx_at(b, at), MRC_RSP_DUP);
		sent += collect(b);
	}
	return sent;
}

/*
 * Half of all PSNs are below the cumulative one, so duplicates can be forged without
 * knowledge of the PSNs; a requester does not repeat what is a window below.
 */
static void mrc_rsp_limit_old_duplicates_are_limited(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u64 now = 1000000000;
	u32 i;

	for (i = 0; i < MPR; i++)
		rx_at(b, i);
	collect(b);
	mrc_rsp_clock(&b->rsp, now);
	/* The oldest that a requester may send again. */
	KUNIT_EXPECT_EQ(test, answers_to_copies(b, 0, 1000), 2000);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.old_limited, 0);
	KUNIT_EXPECT_EQ(test, answers_to_copies(b, -1, 1000),
			MRC_RSP_OLD_BURST);
	KUNIT_EXPECT_EQ(test, answers_to_copies(b, 0x800200, 1000), 0);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.old_limited,
			2000 - MRC_RSP_OLD_BURST / 2);
	/* Credit for one packet, a SACK and an ACK. */
	mrc_rsp_clock(&b->rsp, now + 2 * 1000000000 / MRC_RSP_OLD_RATE);
	KUNIT_EXPECT_EQ(test, answers_to_copies(b, -1, 100), 2);
	KUNIT_EXPECT_EQ(test, answers_to_copies(b, 0, 1), 2);
}

/* Trimmed packets have no ICRC: any header is as good as another. */
static void mrc_rsp_limit_trimmed_far_ignored(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u32 i, answers = 0;

	rx_at(b, 0);
	collect(b);
	mrc_rsp_clock(&b->rsp, 1000000000);
	trim(b, 2 * MPR, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
	trim(b, 2 * MPR + 1, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	for (i = 0; i < 100; i++) {
		trim(b, 0x800200, MRC_NACK_TRIMMED);
		answers += collect(b);
	}
	KUNIT_EXPECT_GE(test, answers, 1);
	KUNIT_EXPECT_LE(test, answers, MRC_RSP_OLD_BURST);
}

static struct kunit_case mrc_rsp_limit_cases[] = {
	KUNIT_CASE(mrc_rsp_limit_probe_flood_is_limited),
	KUNIT_CASE(mrc_rsp_limit_probes_of_requester_not_limited),
	KUNIT_CASE(mrc_rsp_limit_old_duplicates_are_limited),
	KUNIT_CASE(mrc_rsp_limit_trimmed_far_ignored),
	{}
};

static struct kunit_suite mrc_rsp_limit_suite = {
	.name = "mrc_rsp_limit",
	.test_cases = mrc_rsp_limit_cases,
};

kunit_test_suite(mrc_rsp_limit_suite);

MODULE_DESCRIPTION("KUnit tests of the limits of an MRC responder");
MODULE_LICENSE("Dual BSD/GPL");
