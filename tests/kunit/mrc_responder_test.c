// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: one test per rule.
 */
#include "mrc_rsp_sample.h"

/* Contents of SACK and ACK. */

static void mrc_responder_ackreq_sack_and_ack(struct kunit *test)
{
	struct bench *b = bench(test, 100);

	KUNIT_EXPECT_EQ(test, rx_at(b, 0), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	KUNIT_EXPECT_EQ(test, rx_flags(b, 1, MRC_PF_ACKREQ), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	/* Both in one GSO buffer. */
	KUNIT_EXPECT_EQ(test, b->segs, 1);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 101);
	KUNIT_EXPECT_EQ(test, sack(b)->ack_psn_offset, 0);
	KUNIT_EXPECT_EQ(test, sack(b)->entropy, ev_of(1));
	KUNIT_EXPECT_EQ(test, sack(b)->tx_ts, 0x8001);
	KUNIT_EXPECT_EQ(test, sack(b)->bitmap, 0);
	KUNIT_EXPECT_EQ(test, sack(b)->ooo_count, 0);
	KUNIT_EXPECT_EQ(test, sack(b)->mark, MRC_MARK_NONE);
	KUNIT_EXPECT_FALSE(test, sack(b)->probe);
	KUNIT_EXPECT_FALSE(test, sack(b)->rtx);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 101);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 2);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
}

static void mrc_responder_gap_in_bitmap(struct kunit *test)
{
	struct bench *b = bench(test, 100);

	rx_at(b, 0);
	rx_at(b, 2);
	rx_at(b, 3);
	rx_flags(b, 5, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 100);
	KUNIT_EXPECT_EQ(test, sack(b)->sack_offset, 1);
	KUNIT_EXPECT_EQ(test, sack(b)->bitmap, 0x16);
	KUNIT_EXPECT_EQ(test, sack(b)->ooo_count, 3);
	KUNIT_EXPECT_EQ(test, sack(b)->ack_psn_offset, 5);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 100);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 1);

	rx_flags(b, 1, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 103);
	KUNIT_EXPECT_EQ(test, sack(b)->ack_psn_offset, -2);
	KUNIT_EXPECT_EQ(test, sack(b)->ooo_count, 1);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 103);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 4);
}

static void mrc_responder_psn_wraps(struct kunit *test)
{
	struct bench *b = bench(test, 0xfffff0);
	u32 i;

	for (i = 0; i < 3 * MPR; i++)
		KUNIT_ASSERT_EQ(test, rx_at(b, i ^ 1), MRC_RSP_NEW);
	rx_flags(b, i, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn,
			(0xfffff0 + 3 * MPR) & 0xffffff);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, (0xfffff0 + 3 * MPR) & 0xffffff);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 3 * MPR + 1);
}

/*
 * The bitmap of a SACK has 64 bits, the PSN window more: consecutive SACKs
 * describe different parts of it (MRC 1.0 7.5.2.2).  Together they report all
 * received packets and no others.
 */
static void mrc_responder_bitmap_rotates(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u8 reported[MPR] = {};
	u32 i, bit, at;

	for (i = 1; i < MPR; i++)
		if (i % 3)
			rx_at(b, i);
	for (i = 0; i < MPR / MRC_SACK_BITS + 1; i++) {
		rx_flags(b, 1, MRC_PF_ACKREQ);
		collect(b);
		for (bit = 0; bit < MRC_SACK_BITS; bit++) {
			if (!(sack(b)->bitmap >> bit & 1))
				continue;
			at = at_of(b, mrc_psn_add(sack(b)->cack_psn,
						  sack(b)->sack_offset + bit));
			KUNIT_ASSERT_LT(test, at, MPR);
			reported[at] = 1;
		}
	}
	for (i = 0; i < MPR; i++)
		KUNIT_EXPECT_EQ_MSG(test, reported[i], i && i % 3, "PSN %u", i);
}

/* A packet with a lower PSN does not keep SACKs from reporting a higher one. */
static void mrc_responder_bitmap_shows_earlier_packet(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u32 i, reported = 0;

	rx_at(b, 200);
	rx_at(b, 5);
	for (i = 0; i < 4; i++) {
		rx_flags(b, 5, MRC_PF_ACKREQ);
		collect(b);
		if (sack(b)->cack_psn == MRC_PSN_MASK)
			reported += sack(b)->sack_offset + 63 >= 201 &&
				sack(b)->bitmap >> (201 - sack(b)->sack_offset)
				& 1;
	}
	KUNIT_EXPECT_GE(test, reported, 1);
}

/* MRC 1.0 8.3.1: UDP payload and 40, of each new packet, in units of 256. */
static void mrc_responder_rcvd_bytes_are_nominal(struct kunit *test)
{
	const u32 nominal = MRC_REQ_HDR_MIN + 4 + PMTU + MRC_ICRC_LEN + 40;
	struct bench *b = bench(test, 0);
	u32 i;

	for (i = 0; i < 64; i++)
		rx_at(b, 2 * i);
	rx_at(b, 2);
	rx_flags(b, 0, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->rcvd_bytes,
			DIV_ROUND_UP(64 * nominal, 256));
}

/* When a SACK is due (MRC 1.0 7.5.2). */

static void mrc_responder_threshold_triggers_sack(struct kunit *test)
{
	const u32 quiet = MRC_SACK_THRESHOLD / MRC_SACK_MIN_ADD;
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d;
	u32 i, round, at = 0;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < quiet; i++) {
			rx_at(b, at++);
			KUNIT_EXPECT_EQ(test, collect(b), 0);
		}
		/* The threshold is exceeded, and the count is reset. */
		rx_at(b, at++);
		KUNIT_EXPECT_EQ(test, collect(b), 2);
	}
	/* A small packet counts as 1 KiB. */
	for (i = 0; i <= quiet; i++) {
		d = data(b, at++, MRC_OP_WRITE_ONLY);
		d.payload_len = 1;
		d.dmalen = 1;
		KUNIT_EXPECT_EQ(test, rx(b, &d), MRC_RSP_NEW);
		KUNIT_EXPECT_EQ(test, collect(b), i == quiet ? 2 : 0);
	}
}

static void mrc_responder_mark_triggers_sack(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d = data(b, 0, MRC_OP_WRITE_ONLY);

	KUNIT_EXPECT_EQ(test, rx_ce(b, &d, true), MRC_RSP_NEW);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->mark, MRC_MARK_SKIP_ONCE);
	KUNIT_EXPECT_EQ(test, sack(b)->entropy, ev_of(0));
	KUNIT_EXPECT_EQ(test, b->rsp.stats.ecn, 1);
}

/* Packets of a burst share a path: one SACK reports a mark of any of them. */
static void mrc_responder_mark_kept_within_burst(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d = data(b, 0, MRC_OP_WRITE_ONLY);

	rx_ce(b, &d, true);
	rx_at(b, 1);
	rx_flags(b, 2, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, sack(b)->mark, MRC_MARK_SKIP_ONCE);
	KUNIT_EXPECT_EQ(test, sack(b)->entropy, ev_of(0));
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 2);
}

static void mrc_responder_rtx_triggers_sack(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_flags(b, 0, MRC_PF_RTX);
	collect(b);
	KUNIT_EXPECT_TRUE(test, sack(b)->rtx);
	KUNIT_EXPECT_EQ(test, sack(b)->entropy, ev_of(0));
}

static void mrc_responder_probe_triggers_sack(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_at(b, 0);
	rx_at(b, 2);
	probe(b, 0xfedc, 0x77, true);
	collect(b);
	KUNIT_EXPECT_TRUE(test, sack(b)->probe);
	KUNIT_EXPECT_EQ(test, sack(b)->probe_id, 0xfedc);
	KUNIT_EXPECT_EQ(test, sack(b)->entropy, 0x77);
	KUNIT_EXPECT_EQ(test, sack(b)->tx_ts, 0xfedc ^ 0x5555);
	KUNIT_EXPECT_EQ(test, sack(b)->mark, MRC_MARK_SKIP_ONCE);
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 0);
	KUNIT_EXPECT_EQ(test, sack(b)->bitmap, 2);
	/* A probe consumes no PSN and is not counted in rx_pkts. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 1), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 3);
}

/* The SACK of a probe is sent twice while packets are missing. */
static void mrc_responder_copies_for_probe_in_gap(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_ack_batch a;

	probe(b, 1, 0x77, false);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);
	KUNIT_EXPECT_EQ(test, 1, a.copies);
	rx_flags(b, 1, MRC_PF_ACKREQ);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_GAP, a.health);
	KUNIT_EXPECT_EQ(test, 1, a.copies);
	probe(b, 2, 0x77, false);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_GAP, a.health);
	KUNIT_EXPECT_EQ(test, 2, a.copies);
}

/* Receive @n probes; *@a becomes the acknowledgments of the last one. */
static void send_probes(struct kunit *test, struct bench *b, u32 n,
			struct mrc_ack_batch *a)
{
	while (n--) {
		probe(b, n, 0x77, false);
		KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, a));
	}
}

/*
 * A retransmission of a received packet, or a second probe, shows that
 * acknowledgments get lost.  Probes of a peer that sends no data do not.
 */
static void mrc_responder_lossy_on_rtx_or_probe(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_ack_batch a;

	send_probes(test, b, 3, &a);
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);
	rx_at(b, 0);
	send_probes(test, b, 1, &a);
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);
	KUNIT_EXPECT_EQ(test, 1, a.copies);
	send_probes(test, b, 1, &a);
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_LOSSY, a.health);
	KUNIT_EXPECT_EQ(test, 3, a.copies);
	send_probes(test, b, 100, &a);
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);

	KUNIT_EXPECT_EQ(test, MRC_RSP_DUP, rx_at(b, 0));
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);
	KUNIT_EXPECT_EQ(test, MRC_RSP_DUP, rx_flags(b, 0, MRC_PF_RTX));
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_LOSSY, a.health);
	KUNIT_EXPECT_EQ(test, 1, a.copies);
	send_probes(test, b, 1, &a);
	KUNIT_EXPECT_EQ(test, 3, a.copies);
	rx_flags(b, 1, MRC_PF_ACKREQ);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, MRC_ACK_PATH_OK, a.health);
}

/* A lone retransmission of what had arrived is all that a stalled requester sends. */
static void mrc_responder_lossy_copies_for_lone_rtx(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_ack_batch a;
	u64 ms = 1000000;

	rx_at(b, 0);
	mrc_rsp_clock(&b->rsp, 5 * ms);
	mrc_rsp_build_acks(&b->rsp, &a);
	mrc_rsp_clock(&b->rsp, 10 * ms);
	rx_flags(b, 0, MRC_PF_RTX);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, 3, a.copies);
	/* Not so those that follow, nor where no acknowledgment has been lost. */
	mrc_rsp_clock(&b->rsp, 11 * ms - 1);
	rx_flags(b, 0, MRC_PF_RTX);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, 1, a.copies);
	mrc_rsp_clock(&b->rsp, 20 * ms);
	rx_flags(b, 1, MRC_PF_RTX);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(&b->rsp, &a));
	KUNIT_EXPECT_EQ(test, 1, a.copies);
}

/* The acknowledgments of one probe report all received packets. */
static void mrc_responder_probe_gets_all_bitmaps(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u8 reported[MPR] = {};
	u32 i, bit, at;

	for (i = 1; i < MPR; i++)
		if (i % 3)
			rx_at(b, i);
	collect(b);
	probe(b, 0xfedc, 0x77, false);
	collect(b);
	for (i = 0; i < b->n; i++) {
		const struct mrc_pkt_sack *s = &b->acks[i].sack;

		if (b->acks[i].op->code != MRC_OP_SACK)
			continue;
		KUNIT_EXPECT_TRUE(test, s->probe);
		KUNIT_EXPECT_EQ(test, s->probe_id, 0xfedc);
		for (bit = 0; bit < MRC_SACK_BITS; bit++) {
			at = at_of(b, mrc_psn_add(s->cack_psn,
						  s->sack_offset + bit));
			if (s->bitmap >> bit & 1)
				reported[at] = 1;
		}
	}
	for (i = 0; i < MPR; i++)
		KUNIT_EXPECT_EQ_MSG(test, reported[i], i && i % 3, "PSN %u", i);
}

/* Verdict on a packet (MRC 1.0 6.3.1). */

static void mrc_responder_duplicate_acked_again(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_at(b, 0);
	rx_flags(b, 1, MRC_PF_ACKREQ);
	rx_at(b, 3);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	/* Up to the cumulative PSN: SACK and ACK again. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 0), MRC_RSP_DUP);
	KUNIT_EXPECT_EQ(test, collect(b), 2);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 1);
	KUNIT_EXPECT_EQ(test, sack(b)->ack_psn_offset, -1);
	/* Beyond it: SACK only. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 3), MRC_RSP_DUP);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
	KUNIT_EXPECT_EQ(test, sack(b)->ack_psn_offset, 2);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.dups, 2);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 3);
}

static void mrc_responder_out_of_window_nacked(struct kunit *test)
{
	struct bench *b = bench(test, 0x800000);
	const struct mrc_pkt *nack;

	rx_at(b, 0);
	/* The last PSN of the window, and the first beyond it. */
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR + 1), MRC_RSP_NACK);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
	nack = find_ack(b, MRC_OP_NACK);
	KUNIT_ASSERT_NOT_NULL(test, nack);
	KUNIT_EXPECT_EQ(test, nack->nack.reason, MRC_NACK_PSN_OOR_WINDOW);
	KUNIT_EXPECT_EQ(test, at_of(b, nack->nack.psn), MPR + 1);
	KUNIT_EXPECT_EQ(test, nack->nack.entropy, ev_of(MPR + 1));
	KUNIT_EXPECT_EQ(test, nack->nack.tx_ts, (u16)(0x8000 + MPR + 1));
	/* Far beyond: forged or stale, not acknowledged. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 2 * MPR + 1), MRC_RSP_DROP);
	KUNIT_EXPECT_EQ(test, rx_at(b, 0x7fffff), MRC_RSP_DROP);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	/* Far below the window: a duplicate. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 0x800002), MRC_RSP_DUP);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 2);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.out_of_window, 3);
}

static void mrc_responder_trimmed_nacked(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	const struct mrc_pkt *nack;

	trim(b, 0, MRC_NACK_TRIMMED);
	trim(b, 0, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
	nack = find_ack(b, MRC_OP_NACK);
	KUNIT_ASSERT_NOT_NULL(test, nack);
	KUNIT_EXPECT_EQ(test, nack->nack.reason, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, nack->nack.psn, 0);
	KUNIT_EXPECT_EQ(test, nack->nack.entropy, ev_of(0));
	KUNIT_EXPECT_EQ(test, nack->nack.tx_ts, 0x8000);
	/* A trimmed packet does not count as received. */
	KUNIT_EXPECT_EQ(test, rx_at(b, 0), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 1);
	/* Trimmed copy of a received packet: SACK, no NACK (MRC 1.0 7.5.3). */
	trim(b, 0, MRC_NACK_TRIMMED);
	collect(b);
	KUNIT_EXPECT_NULL(test, find_ack(b, MRC_OP_NACK));
	KUNIT_EXPECT_EQ(test, sack(b)->cack_psn, 0);
}

/* TRIM_NACK is an attribute of the QP; other NACKs are sent regardless. */
static void mrc_responder_no_trim_nack(struct kunit *test)
{
	struct mrc_rsp_cfg cfg = bench_cfg(0);
	struct bench *b;

	cfg.no_trim_nack = true;
	b = bench_of(test, &cfg);
	trim(b, 0, MRC_NACK_TRIMMED);
	trim(b, 1, MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	trim(b, 2, MRC_NACK_NO_RESOURCE);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
}

/* The limit of the PSN window need not be a power of two, as the bitmaps are. */
static void mrc_responder_window_limit_holds(struct kunit *test)
{
	struct mrc_rsp_cfg cfg = bench_cfg(0);
	struct bench *b;

	cfg.mpr_limit = MPR - 24;
	b = bench_of(test, &cfg);
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR - 25), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(b, MPR - 24), MRC_RSP_NACK);
}

/* The reasons of MRC 1.0 table 7-3, as the caller passes them. */
static void mrc_responder_nack_has_reason(struct kunit *test)
{
	static const u8 reasons[] = {
		MRC_NACK_TRIMMED, MRC_NACK_TRIMMED_LASTHOP, MRC_NACK_NO_BITMAP,
		MRC_NACK_NO_PKT_BUFFER, MRC_NACK_NO_RESOURCE,
		MRC_NACK_PSN_OOR_WINDOW, MRC_NACK_UNEXP_EVENT,
	};
	struct bench *b = bench(test, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		trim(b, i, reasons[i]);
	KUNIT_ASSERT_EQ(test, collect(b), ARRAY_SIZE(reasons));
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		KUNIT_EXPECT_EQ(test, b->acks[i].nack.reason, reasons[i]);
		KUNIT_EXPECT_EQ(test, b->acks[i].nack.psn, i);
		KUNIT_EXPECT_EQ(test, b->acks[i].nack.entropy, ev_of(i));
	}
	KUNIT_EXPECT_EQ(test, b->rsp.stats.nacks, ARRAY_SIZE(reasons));
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 0);
}

/* At most MRC_RSP_NACKS NACKs per received burst. */
static void mrc_responder_nacks_are_bounded(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u32 i;

	for (i = 0; i < 3 * MRC_RSP_NACKS; i++)
		trim(b, i, MRC_NACK_TRIMMED_LASTHOP);
	KUNIT_EXPECT_EQ(test, collect(b), MRC_RSP_NACKS);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.nacks, MRC_RSP_NACKS);
	for (i = 0; i < b->n; i++)
		KUNIT_EXPECT_EQ(test, b->acks[i].nack.psn, i);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
}

/* Delivery of WRITE with immediate (MRC 1.0 6.3) and of SEND. */

static enum mrc_rsp_verdict rx_rq(struct bench *b, u32 at, u8 opcode,
				  u16 rqmsn)
{
	struct mrc_pkt_data d = data(b, at, opcode);

	d.rqmsn = rqmsn;
	d.imm = cpu_to_be32(0x1000 + rqmsn);
	return rx(b, &d);
}

static void expect_delivery(struct bench *b, u16 rqmsn, u32 length, bool imm,
			    bool is_send)
{
	struct mrc_delivery d;

	KUNIT_ASSERT_TRUE(b->test, mrc_rsp_pop(&b->rsp, &d));
	KUNIT_EXPECT_EQ(b->test, d.rqmsn, rqmsn);
	KUNIT_EXPECT_EQ(b->test, d.length, length);
	KUNIT_EXPECT_EQ(b->test, d.has_imm, imm);
	KUNIT_EXPECT_EQ(b->test, d.is_send, is_send);
	if (imm)
		KUNIT_EXPECT_EQ(b->test, be32_to_cpu(d.imm), 0x1000 + rqmsn);
}

static void expect_no_delivery(struct bench *b)
{
	struct mrc_delivery d;

	KUNIT_EXPECT_FALSE(b->test, mrc_rsp_pop(&b->rsp, &d));
}

static void mrc_responder_imm_waits_for_earlier(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_rq(b, 3, MRC_OP_WRITE_ONLY_IMM, 1);
	expect_no_delivery(b);
	rx_rq(b, 2, MRC_OP_WRITE_ONLY_IMM, 0);
	rx_at(b, 1);
	expect_no_delivery(b);
	/* The WRITE of PSN 0 is another message, but was posted before. */
	rx_at(b, 0);
	expect_delivery(b, 0, PMTU, true, false);
	expect_delivery(b, 1, PMTU, true, false);
	expect_no_delivery(b);
}

static void mrc_responder_imm_waits_for_whole_write(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_rq(b, 2, MRC_OP_WRITE_LAST_IMM, 0);
	rx_rq(b, 0, MRC_OP_WRITE_FIRST, 0);
	expect_no_delivery(b);
	rx_rq(b, 1, MRC_OP_WRITE_MIDDLE, 0);
	expect_delivery(b, 0, 3 * PMTU, true, false);
	rx_flags(b, 3, MRC_PF_ACKREQ);
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 2);
}

static void mrc_responder_send_in_any_order(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_rq(b, 3, MRC_OP_SEND_ONLY, 1);
	rx_rq(b, 2, MRC_OP_SEND_LAST, 0);
	rx_rq(b, 1, MRC_OP_SEND_MIDDLE, 0);
	expect_no_delivery(b);
	rx_rq(b, 0, MRC_OP_SEND_FIRST, 0);
	expect_delivery(b, 0, 3 * PMTU, false, true);
	expect_delivery(b, 1, PMTU, false, true);
}

static void mrc_responder_empty_send_delivered(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d = data(b, 0, MRC_OP_SEND_ONLY);

	d.payload_len = 0;
	d.dmalen = 0;
	d.flags |= MRC_PF_SE;
	KUNIT_EXPECT_EQ(test, rx(b, &d), MRC_RSP_NEW);
	expect_delivery(b, 0, 0, false, true);
}

/* The R_Key is delivered with its message: once, after all earlier messages. */
static void mrc_responder_invalidates_in_order(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_delivery d;

	rx_rq(b, 3, MRC_OP_SEND_ONLY_INV, 1);
	rx_rq(b, 2, MRC_OP_SEND_LAST_INV, 0);
	rx_rq(b, 1, MRC_OP_SEND_MIDDLE, 0);
	expect_no_delivery(b);
	rx_rq(b, 0, MRC_OP_SEND_FIRST, 0);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 2, MRC_OP_SEND_LAST_INV, 0),
			MRC_RSP_DUP);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop(&b->rsp, &d));
	KUNIT_EXPECT_TRUE(test, d.has_inv);
	KUNIT_EXPECT_FALSE(test, d.has_imm);
	KUNIT_EXPECT_TRUE(test, d.is_send);
	KUNIT_EXPECT_EQ(test, at_of(b, d.last_psn), 2);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(d.imm), 0x1000);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop(&b->rsp, &d));
	KUNIT_EXPECT_TRUE(test, d.has_inv);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(d.imm), 0x1001);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 2, MRC_OP_SEND_LAST_INV, 0),
			MRC_RSP_DUP);
	expect_no_delivery(b);
}

/* An R_Key that may not be invalidated: NAK instead of ACK. */
static void mrc_responder_invalidation_refused(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_delivery d;

	rx_at(b, 0);
	rx_rq(b, 1, MRC_OP_SEND_ONLY_INV, 0);
	rx_rq(b, 2, MRC_OP_SEND_ONLY, 1);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop(&b->rsp, &d));
	mrc_rsp_fail_msg(&b->rsp, d.last_psn, MRC_SYN_NAK_INV_REQ);
	expect_no_delivery(b);
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_NAK_INV_REQ);
	KUNIT_EXPECT_EQ(test, at_of(b, ack(b)->psn), 1);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));
}

static void mrc_responder_solicited_delivered(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d = data(b, 0, MRC_OP_SEND_ONLY_IMM);
	struct mrc_delivery got;

	d.flags |= MRC_PF_SE;
	rx(b, &d);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop(&b->rsp, &got));
	KUNIT_EXPECT_TRUE(test, got.solicited);
	d = data(b, 1, MRC_OP_SEND_ONLY_IMM);
	d.rqmsn = 1;
	rx(b, &d);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop(&b->rsp, &got));
	KUNIT_EXPECT_FALSE(test, got.solicited);
}

static void mrc_responder_rqmsn_wraps(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u32 i;

	for (i = 0; i < 0x10000 + 2 * WIMM; i++) {
		KUNIT_ASSERT_EQ(test, rx_rq(b, i, MRC_OP_SEND_ONLY, i),
				MRC_RSP_NEW);
		expect_delivery(b, i, PMTU, false, true);
	}
}

/* Refusals. */

/* The limit of messages that consume a receive WQE need not be a power of two. */
static void mrc_responder_three_wimms(struct kunit *test)
{
	struct mrc_rsp_cfg cfg = bench_cfg(0);
	struct bench *b;
	u32 i;

	cfg.max_wimm = 3;
	b = bench_of(test, &cfg);
	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, rx_rq(b, i, MRC_OP_SEND_ONLY, i),
				MRC_RSP_NEW);
		expect_delivery(b, i, PMTU, false, true);
	}
	KUNIT_EXPECT_EQ(test, rx_rq(b, 12, MRC_OP_SEND_ONLY, 12), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 13, MRC_OP_SEND_ONLY, 13),
			MRC_RSP_DROP);
}

static void mrc_responder_beyond_max_wimm_refused(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	u32 i;

	/* As many in flight as agreed, because the first is missing. */
	for (i = 1; i < WIMM; i++)
		KUNIT_EXPECT_EQ(test, rx_rq(b, i, MRC_OP_SEND_ONLY, i),
				MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_rq(b, WIMM, MRC_OP_SEND_ONLY, WIMM),
			MRC_RSP_DROP);
	KUNIT_EXPECT_FALSE(test, mrc_rsp_failed(&b->rsp));
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	/* The NAK acknowledges all packets before it: it waits for them. */
	rx_rq(b, 0, MRC_OP_SEND_ONLY, 0);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_NAK_INV_REQ);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, WIMM);
	for (i = 0; i < WIMM; i++)
		expect_delivery(b, i, PMTU, false, true);
	expect_no_delivery(b);
}

/* Packets of one SEND that contradict each other. */
static void mrc_responder_inconsistent_send_refused(struct kunit *test)
{
	struct bench *b = bench(test, 0);
	struct mrc_pkt_data d;

	rx_rq(b, 0, MRC_OP_SEND_FIRST, 0);
	d = data(b, 1, MRC_OP_SEND_MIDDLE);
	d.dmalen = 4 * PMTU;
	KUNIT_EXPECT_EQ(test, rx(b, &d), MRC_RSP_DROP);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));

	b = bench(test, 0);
	rx_rq(b, 2, MRC_OP_SEND_LAST, 0);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 3, MRC_OP_SEND_LAST, 0),
			MRC_RSP_DROP);

	b = bench(test, 0);
	rx_rq(b, 1, MRC_OP_WRITE_ONLY_IMM, 0);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 2, MRC_OP_SEND_ONLY, 0),
			MRC_RSP_DROP);
}

/* A new packet of a delivered message is refused. */
static void mrc_responder_old_rqmsn_refused(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_rq(b, 0, MRC_OP_SEND_ONLY, 0);
	expect_delivery(b, 0, PMTU, false, true);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 1, MRC_OP_SEND_ONLY, 0),
			MRC_RSP_DROP);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));
	expect_no_delivery(b);
}

static void mrc_responder_nak_after_all_before(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_at(b, 0);
	rx_at(b, 4);
	/* For instance wrong R_Keys in packets that arrive out of order. */
	mrc_rsp_fail_pkt(&b->rsp, 3, MRC_SYN_NAK_REM_OP);
	mrc_rsp_fail_pkt(&b->rsp, 2, MRC_SYN_NAK_REM_ACCESS);
	mrc_rsp_fail_pkt(&b->rsp, 5, MRC_SYN_NAK_REM_OP);
	KUNIT_EXPECT_FALSE(test, mrc_rsp_failed(&b->rsp));
	KUNIT_EXPECT_EQ(test, rx_flags(b, 3, MRC_PF_ACKREQ), MRC_RSP_DROP);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	KUNIT_EXPECT_EQ(test, rx_at(b, 1), MRC_RSP_NEW);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 2);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_NAK_REM_ACCESS);
	KUNIT_EXPECT_EQ(test, ack(b)->msn, 2);
	/* The NAK may have been lost: a retransmission gets it again. */
	KUNIT_EXPECT_EQ(test, rx_flags(b, 2, MRC_PF_RTX), MRC_RSP_DROP);
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_NAK_REM_ACCESS);
	KUNIT_EXPECT_EQ(test, b->rsp.stats.rx_pkts, 3);
}

/* A packet that fails after it was placed does not count as received. */
static void mrc_responder_failed_is_not_received(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	rx_at(b, 1);
	rx_at(b, 2);
	mrc_rsp_fail_pkt(&b->rsp, 1, MRC_SYN_NAK_REM_OP);
	KUNIT_EXPECT_EQ(test, b->rsp.ooo, 1);
	rx_at(b, 0);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(&b->rsp));
	collect(b);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 1);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_NAK_REM_OP);
}

static void not_ready(struct bench *b, u32 at, u8 timer)
{
	struct mrc_pkt_data d = data(b, at, MRC_OP_SEND_ONLY);
	struct mrc_pkt p;

	d.rqmsn = at;
	to_pkt(b, &d, &p);
	KUNIT_ASSERT_EQ(b->test, mrc_rsp_accept(&b->rsp, &p, ev_of(at), false),
			MRC_RSP_NEW);
	mrc_rsp_not_ready(&b->rsp, &p, timer);
}

static void mrc_responder_not_ready_sends_rnr_nak(struct kunit *test)
{
	struct bench *b = bench(test, 0);

	not_ready(b, 2, 14);
	not_ready(b, 1, 12);
	not_ready(b, 3, 14);
	KUNIT_EXPECT_EQ(test, collect(b), 1);
	KUNIT_EXPECT_EQ(test, ack(b)->syndrome, MRC_SYN_TYPE_RNR | 12);
	KUNIT_EXPECT_EQ(test, ack(b)->psn, 1);
	KUNIT_EXPECT_EQ(test, collect(b), 0);
	/* Not received; the next copy may find a receive WQE. */
	KUNIT_EXPECT_EQ(test, rx_rq(b, 1, MRC_OP_SEND_ONLY, 1), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_rq(b, 0, MRC_OP_SEND_ONLY, 0), MRC_RSP_NEW);
	expect_delivery(b, 0, PMTU, false, true);
	expect_delivery(b, 1, PMTU, false, true);
}

static struct kunit_case mrc_responder_cases[] = {
	KUNIT_CASE(mrc_responder_ackreq_sack_and_ack),
	KUNIT_CASE(mrc_responder_gap_in_bitmap),
	KUNIT_CASE(mrc_responder_psn_wraps),
	KUNIT_CASE(mrc_responder_bitmap_rotates),
	KUNIT_CASE(mrc_responder_bitmap_shows_earlier_packet),
	KUNIT_CASE(mrc_responder_copies_for_probe_in_gap),
	KUNIT_CASE(mrc_responder_lossy_on_rtx_or_probe),
	KUNIT_CASE(mrc_responder_lossy_copies_for_lone_rtx),
	KUNIT_CASE(mrc_responder_probe_gets_all_bitmaps),
	KUNIT_CASE(mrc_responder_rcvd_bytes_are_nominal),
	KUNIT_CASE(mrc_responder_threshold_triggers_sack),
	KUNIT_CASE(mrc_responder_mark_triggers_sack),
	KUNIT_CASE(mrc_responder_mark_kept_within_burst),
	KUNIT_CASE(mrc_responder_rtx_triggers_sack),
	KUNIT_CASE(mrc_responder_probe_triggers_sack),
	KUNIT_CASE(mrc_responder_duplicate_acked_again),
	KUNIT_CASE(mrc_responder_out_of_window_nacked),
	KUNIT_CASE(mrc_responder_trimmed_nacked),
	KUNIT_CASE(mrc_responder_no_trim_nack),
	KUNIT_CASE(mrc_responder_window_limit_holds),
	KUNIT_CASE(mrc_responder_three_wimms),
	KUNIT_CASE(mrc_responder_nack_has_reason),
	KUNIT_CASE(mrc_responder_nacks_are_bounded),
	KUNIT_CASE(mrc_responder_imm_waits_for_earlier),
	KUNIT_CASE(mrc_responder_imm_waits_for_whole_write),
	KUNIT_CASE(mrc_responder_send_in_any_order),
	KUNIT_CASE(mrc_responder_empty_send_delivered),
	KUNIT_CASE(mrc_responder_invalidates_in_order),
	KUNIT_CASE(mrc_responder_invalidation_refused),
	KUNIT_CASE(mrc_responder_solicited_delivered),
	KUNIT_CASE(mrc_responder_rqmsn_wraps),
	KUNIT_CASE(mrc_responder_beyond_max_wimm_refused),
	KUNIT_CASE(mrc_responder_inconsistent_send_refused),
	KUNIT_CASE(mrc_responder_old_rqmsn_refused),
	KUNIT_CASE(mrc_responder_nak_after_all_before),
	KUNIT_CASE(mrc_responder_failed_is_not_received),
	KUNIT_CASE(mrc_responder_not_ready_sends_rnr_nak),
	{}
};

static struct kunit_suite mrc_responder_suite = {
	.name = "mrc_responder",
	.test_cases = mrc_responder_cases,
};

kunit_test_suite(mrc_responder_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC responder");
MODULE_LICENSE("Dual BSD/GPL");
