// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: dynamic MPR, service time, and AckReq beyond a gap.
 */
#include "mrc_rsp_sample.h"

#define US		1000ULL
#define T0		(7 * 1000000 * US)

/* Dynamic MPR. */

/* MPR in the SACK of packet @at. */
static u8 sacked_mpr(struct bench *b, u32 at)
{
	rx_flags(b, at, MRC_PF_ACKREQ);
	collect(b);
	return sack(b)->mpr;
}

static void mrc_pressure_mpr_in_sack_follows_setting(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	b->rsp.cfg.dynamic_mpr = true;
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 0), MPR / MRC_MPR_UNIT);
	mrc_rsp_set_mpr(&b->rsp, MRC_MPR_UNIT);
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 1), 1);
	mrc_rsp_set_mpr(&b->rsp, 2 * MRC_MPR_UNIT - 1);
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 2), 1);
	/* 0 has no meaning in a SACK; the agreed value is the maximum. */
	mrc_rsp_set_mpr(&b->rsp, 0);
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 3), 1);
	mrc_rsp_set_mpr(&b->rsp, 2 * MPR);
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 4), MPR / MRC_MPR_UNIT);
}

static void mrc_pressure_mpr_needs_agreement(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	mrc_rsp_set_mpr(&b->rsp, MRC_MPR_UNIT);
	KUNIT_EXPECT_EQ(test, sacked_mpr(b, 0), 0);
}

/* Packets in flight when the PSN window shrinks are accepted. */
static void mrc_pressure_mpr_shrunk_accepts_in_flight(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	b->rsp.cfg.dynamic_mpr = true;
	mrc_rsp_set_mpr(&b->rsp, MRC_MPR_UNIT);
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR - 1), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR), MRC_RSP_NACK);
}

/* Congestion window penalty (MRC 1.0 7.5.1): this responder imposes none. */

static void mrc_pressure_penalty_never_sent(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_flags(b, 0, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->cwnd_pen, 0);
	KUNIT_EXPECT_FALSE(test, sack(b)->restore_cwnd);
}

/* Service time. */

/* Timestamp in the SACK of packet @at with a service time of @svc_ns. */
static u16 sacked_ts(struct bench *b, u32 at, u64 svc_ns)
{
	mrc_rsp_clock(&b->rsp, T0);
	rx_flags(b, at, MRC_PF_ACKREQ);
	mrc_rsp_clock(&b->rsp, T0 + svc_ns);
	collect(b);
	return sack(b)->tx_ts;
}

static void mrc_pressure_service_time_added(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	b->rsp.cfg.svc_time = true;
	KUNIT_EXPECT_EQ(test, sacked_ts(b, 0, 0), 0x8000);
	KUNIT_EXPECT_EQ(test, sacked_ts(b, 1, 10 * MRC_TS_NS), 0x8001 + 10);
	KUNIT_EXPECT_EQ(test, sacked_ts(b, 2, 10 * MRC_TS_NS - 1), 0x8002 + 9);
	/* Saturates; a value that wrapped would look like a short time. */
	KUNIT_EXPECT_EQ(test, sacked_ts(b, 3, 100000 * US), 0x8002);
}

static void mrc_pressure_service_time_needs_agreement(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	KUNIT_EXPECT_EQ(test, sacked_ts(b, 0, 10 * MRC_TS_NS), 0x8000);
}

/* Without a clock, or without TSETH, the timestamp is reflected unchanged. */
static void mrc_pressure_service_time_needs_timestamps(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d = data(b, 1, MRC_OP_WRITE_ONLY);

	b->rsp.cfg.svc_time = true;
	rx_flags(b, 0, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->tx_ts, 0x8000);

	d.flags = MRC_PF_ACKREQ;
	d.tx_ts = 0;
	mrc_rsp_clock(&b->rsp, T0);
	rx(b, &d);
	mrc_rsp_clock(&b->rsp, T0 + 10 * MRC_TS_NS);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->tx_ts, 0);
}

static void mrc_pressure_service_time_added_to_probe(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt p = {
		.op = mrc_opcode_get(MRC_OP_PROBE),
		.probe = { .probe_id = 3, .tx_ts = 0x1234 },
	};

	b->rsp.cfg.svc_time = true;
	mrc_rsp_clock(&b->rsp, T0);
	mrc_rsp_on_probe(&b->rsp, &p, 1, false);
	mrc_rsp_clock(&b->rsp, T0 + 10 * MRC_TS_NS);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->tx_ts, 0x1234 + 10);
}

/* AckReq of a packet beyond a gap (prev_ar). */

static void mrc_pressure_ackreq_beyond_gap_acked_at_close(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_at(b, 1);
	rx_flags(b, 3, MRC_PF_ACKREQ);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, MRC_PSN_MASK);
	/* Closes a gap, but not the last one before PSN 3. */
	rx_at(b, 0);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	rx_at(b, 2);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 3);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 3);
	/* The ACK is sent once. */
	rx_at(b, 4);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
}

/* The ACK is due at the highest PSN with AckReq, in any order of arrival. */
static void mrc_pressure_ackreq_of_highest_psn_counts(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_flags(b, 5, MRC_PF_ACKREQ);
	rx_flags(b, 2, MRC_PF_ACKREQ);
	collect(b);
	rx_at(b, 0);
	rx_at(b, 1);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	rx_at(b, 3);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	rx_at(b, 4);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 5);
}

/* Without a gap one ACK is sent. */
static void mrc_pressure_ackreq_in_order_acked_once(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_flags(b, 0, MRC_PF_ACKREQ);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	rx_at(b, 1);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
}

static struct kunit_case mrc_pressure_cases[] = {
	KUNIT_CASE(mrc_pressure_mpr_in_sack_follows_setting),
	KUNIT_CASE(mrc_pressure_mpr_needs_agreement),
	KUNIT_CASE(mrc_pressure_mpr_shrunk_accepts_in_flight),
	KUNIT_CASE(mrc_pressure_penalty_never_sent),
	KUNIT_CASE(mrc_pressure_service_time_added),
	KUNIT_CASE(mrc_pressure_service_time_needs_agreement),
	KUNIT_CASE(mrc_pressure_service_time_needs_timestamps),
	KUNIT_CASE(mrc_pressure_service_time_added_to_probe),
	KUNIT_CASE(mrc_pressure_ackreq_beyond_gap_acked_at_close),
	KUNIT_CASE(mrc_pressure_ackreq_of_highest_psn_counts),
	KUNIT_CASE(mrc_pressure_ackreq_in_order_acked_once),
	{}
};

static struct kunit_suite mrc_pressure_suite = {
	.name = "mrc_pressure",
	.test_cases = mrc_pressure_cases,
};

kunit_test_suite(mrc_pressure_suite);

MODULE_DESCRIPTION("KUnit tests of MPR, service time and AckReq of MRC");
MODULE_LICENSE("Dual BSD/GPL");
