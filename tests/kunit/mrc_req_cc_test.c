// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Congestion control: what the requester passes to it from acknowledgments. */
#include "mrc_req_sample.h"

/* Nominal bytes of a full packet: BTH, METH, TSETH, RETH, ICRC, IPv6. */
#define NOMINAL		(PMTU + 12 + 4 + 4 + 16 + 4 + 40)
#define US		1000ULL

/* An algorithm that only records its calls. */
static struct mrc_cc_ack last_ack;
static struct mrc_cc_trim last_trim;
static u32 acks, trims, losses;

static void record_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
	last_ack = *ack;
	acks++;
}

static void record_trim(struct mrc_cc *cc, const struct mrc_cc_trim *trim)
{
	last_trim = *trim;
	trims++;
}

static void record_loss(struct mrc_cc *cc, u64 now, u32 nominal)
{
	losses++;
}

static const struct mrc_cc_ops recorder = {
	.name = "recorder",
	.on_ack = record_ack,
	.on_trim = record_trim,
	.on_loss = record_loss,
};

/* A requester with that algorithm, and @npkts packets in flight. */
static struct rig *recording(struct kunit *test, const struct mrc_req_cfg *cfg,
			     u32 npkts)
{
	struct rig *r = rig_of(test, cfg, 64 << 20);

	r->req.cc.ops = &recorder;
	acks = 0;
	trims = 0;
	losses = 0;
	post(r, 0, 0, npkts * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), npkts);
	return r;
}

static struct rig *in_flight(struct kunit *test, u32 npkts)
{
	struct mrc_req_cfg cfg = rig_cfg();

	return recording(test, &cfg, npkts);
}

/* A SACK of packet @trigger with rcvd_bytes of @pkts packets. */
static struct mrc_pkt_sack sack_counting(const struct rig *r, u32 trigger,
					 u32 cack, u64 bitmap, u32 pkts)
{
	return (struct mrc_pkt_sack){
		.cack_psn = cack,
		.bitmap = bitmap,
		.sack_offset = 1,
		.ack_psn_offset = mrc_psn_diff(trigger, cack),
		.entropy = r->evs->ev[r->sent[trigger].path].value,
		.tx_ts = r->sent[trigger].pkt.tx_ts,
		.rcvd_bytes = DIV_ROUND_UP(pkts * NOMINAL, MRC_RCVD_UNIT) &
			      MRC_MASK_24,
		.ooo_count = hweight64(bitmap),
	};
}

static void rx_sack_counting(struct rig *r, u32 trigger, u32 cack, u64 bitmap,
			     u32 pkts)
{
	struct mrc_pkt_sack s = sack_counting(r, trigger, cack, bitmap, pkts);

	rx_sack(r, &s);
}

/* Bytes of @pkts packets, rounded as in rcvd_bytes. */
static u32 units(u32 pkts)
{
	return DIV_ROUND_UP(pkts * NOMINAL, MRC_RCVD_UNIT) * MRC_RCVD_UNIT;
}

/* rcvd_bytes decides how much is acknowledged, not the bitmap. */
static void mrc_req_cc_acked_follows_rcvd_bytes(struct kunit *test)
{
	struct rig *r = in_flight(test, 200);
	struct mrc_pkt_sack s = sack_counting(r, 150, -1 & MRC_PSN_MASK, 0, 150);

	KUNIT_EXPECT_EQ(test, r->req.inflight, 200 * NOMINAL);
	s.ooo_count = 150;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(150));
	KUNIT_EXPECT_EQ(test, last_ack.now, r->now);
	/* The SACK reports one packet and counts 149 more. */
	KUNIT_EXPECT_EQ(test, r->req.inflight, 199 * NOMINAL);
	KUNIT_EXPECT_EQ(test, last_ack.inflight,
			200 * NOMINAL - units(150));

	/* Packets that have been counted are reported: not counted again. */
	rx_sack_counting(r, 151, 150, 0, 151);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(151) - units(150));
	KUNIT_EXPECT_EQ(test, r->req.inflight, 48 * NOMINAL);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 48 * NOMINAL);
}

static void mrc_req_cc_rcvd_bytes_open_window(struct kunit *test)
{
	struct rig *r = in_flight(test, 200);
	struct mrc_pkt_sack s = sack_counting(r, 150, -1 & MRC_PSN_MASK, 0, 150);

	r->req.cc.cwnd = 100 * NOMINAL;
	post(r, 1, 0, 50 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	s.ooo_count = 150;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, send_all(r), 50);
}

/* A window that was full opens, too, by packets that are counted only. */
static void mrc_req_cc_rcvd_bytes_open_full_window(struct kunit *test)
{
	struct rig *r = in_flight(test, 100);
	struct mrc_pkt_sack s = sack_counting(r, 90, -1 & MRC_PSN_MASK, 0, 90);

	r->req.cc.cwnd = 120 * NOMINAL;
	post(r, 1, 0, 100 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 20);
	s.ooo_count = 90;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, send_all(r), 80);
}

static void mrc_req_cc_old_sack_counts_nothing(struct kunit *test)
{
	struct rig *r = in_flight(test, 20);

	rx_sack_counting(r, 9, 9, 0, 10);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(10));
	/* An older SACK: nothing new, the count does not decrease. */
	rx_sack_counting(r, 4, 4, 0, 5);
	KUNIT_EXPECT_EQ(test, last_ack.acked, 0);
	/* A SACK was lost: the next one includes its bytes. */
	rx_sack_counting(r, 19, 19, 0, 20);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(20) - units(10));
	/* Duplicated. */
	rx_sack_counting(r, 19, 19, 0, 20);
	KUNIT_EXPECT_EQ(test, last_ack.acked, 0);
	KUNIT_EXPECT_EQ(test, acks, 4);
}

static void mrc_req_cc_rcvd_bytes_wrap(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);
	struct mrc_pkt_sack s = sack_counting(r, 0, 0, 0, 1);

	r->req.rcvd = MRC_MASK_24 - 1;
	s.rcvd_bytes = 3;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.acked, 5 * MRC_RCVD_UNIT);
	KUNIT_EXPECT_EQ(test, r->req.rcvd, 3);
}

/* A peer without rcvd_bytes: packets of the bitmap are counted. */
static void mrc_req_cc_bitmap_without_rcvd_bytes(struct kunit *test)
{
	struct rig *r = in_flight(test, 20);

	rx_sack_counting(r, 4, 4, 0, 0);
	KUNIT_EXPECT_EQ(test, last_ack.acked, 5 * NOMINAL);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 15 * NOMINAL);
	rx_sack_counting(r, 9, 4, 0x10, 0);
	KUNIT_EXPECT_EQ(test, last_ack.acked, NOMINAL);
}

/* The ACK covers packets before a SACK counts them. */
static void mrc_req_cc_ack_before_sack_counted_once(struct kunit *test)
{
	struct rig *r = in_flight(test, 20);
	struct mrc_pkt_sack s = sack_counting(r, 4, 4, 0, 5);

	rx_ack(r, 9, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 10 * NOMINAL);
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(5));
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 10 * NOMINAL);
	rx_sack_counting(r, 9, 9, 0, 10);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 10 * NOMINAL);
}

/* A peer that counts other bytes: corrected when all packets are reported. */
static void mrc_req_cc_other_counting_is_balanced(struct kunit *test)
{
	struct rig *r = in_flight(test, 200);
	struct mrc_pkt_sack s;
	u32 i;

	for (i = 0; i < 100; i++)
		rx_sack_counting(r, i, i, 0, 2 * i + 2);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 100 * NOMINAL);
	r = in_flight(test, 200);
	for (i = 0; i < 100; i++)
		rx_sack_counting(r, i, i, 0, i / 2 + 1);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 100 * NOMINAL);
	/* Bytes that it counts afterwards are new. */
	s = sack_counting(r, 190, 99, 0, 50 + 20);
	s.ooo_count = 40;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.inflight,
			100 * NOMINAL - (units(70) - units(50)));
}

/* rcvd_bytes of more than can have arrived is limited. */
static void mrc_req_cc_rcvd_bytes_are_bounded(struct kunit *test)
{
	struct rig *r = in_flight(test, 200);
	struct mrc_pkt_sack s = sack_counting(r, 9, 4, 0x10, 6);

	s.rcvd_bytes = 0x7fffff;
	s.ooo_count = 3;
	rx_sack(r, &s);
	KUNIT_EXPECT_LE(test, last_ack.acked, 201 * NOMINAL);
	/* ooo_count: two packets more than reported, of a full MTU each. */
	KUNIT_EXPECT_EQ(test, last_ack.inflight,
			194 * NOMINAL - 2 * r->req.cc.cfg.mtu);
	s.rcvd_bytes = 0x700000;
	s.ooo_count = MRC_CC_OOO_MASK;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 0);
	/* Nothing is left that could have been counted. */
	rx_sack(r, &s);
	KUNIT_EXPECT_LE(test, last_ack.acked, MRC_RCVD_UNIT);
	KUNIT_EXPECT_LE(test, r->req.rcvd_unsacked,
			(s32)(r->req.inflight + MRC_RCVD_UNIT));
}

/*
 * The counts of a SACK that names another path than that of its trigger take
 * nothing out of flight and report no penalty; the next SACK passes the bytes on.
 */
static void mrc_req_cc_counts_need_known_trigger(struct kunit *test)
{
	struct rig *r = in_flight(test, 200);
	struct mrc_pkt_sack s = sack_counting(r, 9, 4, 0x10, 10);

	s.entropy = r->evs->ev[r->sent[100].path].value;
	KUNIT_ASSERT_NE(test, r->sent[9].path, r->sent[100].path);
	s.cwnd_pen = 100;
	s.ooo_count = 100;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, acks, 0);
	KUNIT_EXPECT_GE(test, mrc_req_inflight(&r->req), 194 * NOMINAL);
	KUNIT_EXPECT_EQ(test, r->req.rcvd_unsacked, -6 * (s32)NOMINAL);
	rx_sack_counting(r, 10, 10, 0, 11);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(11));
	KUNIT_EXPECT_EQ(test, last_ack.rcv_cwnd_pen, 0);
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 189 * NOMINAL);
}

/* A packet that was deemed lost is counted once. */
static void mrc_req_cc_lost_packet_counted_once(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);

	rx_nack(r, 0, r->evs->ev[r->sent[0].path].value, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 9 * NOMINAL);
	rx_sack_counting(r, 9, 9, 0, 10);
	KUNIT_EXPECT_EQ(test, last_ack.acked, units(10));
	KUNIT_EXPECT_EQ(test, last_ack.inflight, 0);
}

static void mrc_req_cc_sack_fields_passed(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);
	struct mrc_pkt_sack s = sack_counting(r, 0, 0, 0, 1);

	rx_sack(r, &s);
	KUNIT_EXPECT_FALSE(test, last_ack.marked);
	KUNIT_EXPECT_EQ(test, last_ack.rcv_cwnd_pen, 0);
	KUNIT_EXPECT_FALSE(test, last_ack.restore_cwnd);

	s = sack_counting(r, 1, 1, 0, 2);
	s.mark = MRC_MARK_SKIP_ONCE;
	s.cwnd_pen = 77;
	s.restore_cwnd = true;
	rx_sack(r, &s);
	KUNIT_EXPECT_TRUE(test, last_ack.marked);
	KUNIT_EXPECT_EQ(test, last_ack.rcv_cwnd_pen, 77);
	KUNIT_EXPECT_TRUE(test, last_ack.restore_cwnd);
}

static void mrc_req_cc_round_trip_once_per_packet(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);

	r->now += 50 * US;
	rx_sack_counting(r, 0, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, last_ack.rtt, 50 * US);
	/* One sample per packet. */
	rx_sack_counting(r, 0, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, last_ack.rtt, 0);
}

/* It is not known which copy was acknowledged (Karn). */
static void mrc_req_cc_no_round_trip_of_copies(struct kunit *test)
{
	struct rig *r = in_flight(test, 2);
	struct mrc_pkt_sack s = sack_counting(r, 0, 0, 0, 1);

	rx_nack(r, 0, s.entropy, MRC_NACK_TRIMMED);
	r->now += 50 * US;
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	r->now += 50 * US;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.rtt, 0);
}

/* The service time of the peer is no queueing. */
static void mrc_req_cc_service_time_subtracted(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct mrc_pkt_sack s;
	struct rig *r;

	cfg.svc_time = true;
	r = recording(test, &cfg, 10);
	s = sack_counting(r, 0, 0, 0, 1);
	s.tx_ts += 20 * US >> MRC_TS_SHIFT;
	r->now += 50 * US;
	rx_sack(r, &s);
	KUNIT_EXPECT_GE(test, last_ack.rtt, 30 * US);
	KUNIT_EXPECT_LT(test, last_ack.rtt, 30 * US + MRC_TS_NS);
	/* The round trip of timers includes it. */
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, 50 * US);

	/* A service time longer than the round trip is ignored. */
	s = sack_counting(r, 1, 1, 0, 2);
	s.tx_ts += 50 * US >> MRC_TS_SHIFT;
	s.tx_ts++;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.rtt, 50 * US);
}

/* Without agreement a changed timestamp is no service time. */
static void mrc_req_cc_service_time_needs_agreement(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);
	struct mrc_pkt_sack s = sack_counting(r, 0, 0, 0, 1);

	s.tx_ts += 20 * US >> MRC_TS_SHIFT;
	r->now += 50 * US;
	rx_sack(r, &s);
	KUNIT_EXPECT_EQ(test, last_ack.rtt, 50 * US);
}

static void mrc_req_cc_probe_service_time_subtracted(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct mrc_pkt_sack s;
	struct mrc_probe p;
	struct rig *r;

	cfg.svc_time = true;
	cfg.ts = false;
	r = recording(test, &cfg, 1);
	r->now = r->req.tlp.at;
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	s = (struct mrc_pkt_sack){
		.cack_psn = -1 & MRC_PSN_MASK,
		.probe = true,
		.probe_id = p.probe_id,
		.tx_ts = p.tx_ts + (20 * US >> MRC_TS_SHIFT),
	};
	r->now += 50 * US;
	rx_sack(r, &s);
	KUNIT_EXPECT_GE(test, last_ack.rtt, 30 * US);
	KUNIT_EXPECT_LT(test, last_ack.rtt, 30 * US + MRC_TS_NS);
}

/* NACKs. */

static void rx_trim(struct rig *r, u32 psn, u16 tx_ts, u8 reason)
{
	struct mrc_pkt p = {
		.op = mrc_opcode_get(MRC_OP_NACK),
		.nack = {
			.psn = psn, .reason = reason, .tx_ts = tx_ts,
			.entropy = r->evs->ev[r->sent[psn].path].value,
		},
	};

	mrc_req_on_nack(&r->req, &p, r->now);
}

static void mrc_req_cc_trim_reported(struct kunit *test)
{
	struct rig *r = in_flight(test, 10);
	u32 i;

	r->now += 40 * US;
	for (i = 0; i < 2; i++) {
		rx_trim(r, i, r->sent[i].pkt.tx_ts,
			i ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED);
		KUNIT_EXPECT_EQ(test, trims, i + 1);
		KUNIT_EXPECT_EQ(test, last_trim.now, r->now);
		KUNIT_EXPECT_EQ(test, last_trim.nominal, NOMINAL);
		KUNIT_EXPECT_EQ(test, last_trim.inflight, (9 - i) * NOMINAL);
		KUNIT_EXPECT_EQ(test, last_trim.rtt, 40 * US);
	}
	/* NACKs for want of resources say nothing about the network. */
	rx_trim(r, 2, r->sent[2].pkt.tx_ts, MRC_NACK_NO_RESOURCE);
	KUNIT_EXPECT_EQ(test, trims, 2);
	KUNIT_EXPECT_EQ(test, losses, 0);
}

static void mrc_req_cc_trim_of_unknown_copy_no_rtt(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = in_flight(test, 2);

	r->now += 40 * US;
	rx_trim(r, 0, r->sent[0].pkt.tx_ts + 1, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, trims, 1);
	KUNIT_EXPECT_EQ(test, last_trim.rtt, 0);

	/* Without timestamps the copy is known only if sent once. */
	cfg.ts = false;
	r = recording(test, &cfg, 1);
	r->now += 40 * US;
	rx_trim(r, 0, 0, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, last_trim.rtt, 40 * US);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	r->now += 40 * US;
	rx_trim(r, 0, 0, MRC_NACK_TRIMMED);
	KUNIT_EXPECT_EQ(test, trims, 2);
	KUNIT_EXPECT_EQ(test, last_trim.rtt, 0);
}

/* Dynamic MPR. */

static void rx_mpr(struct rig *r, u32 trigger, u32 cack, u8 mpr)
{
	struct mrc_pkt_sack s = sack_counting(r, trigger, cack, 0, cack + 1);

	s.mpr = mpr;
	rx_sack(r, &s);
}

static struct rig *dynamic(struct kunit *test, u32 npkts)
{
	struct mrc_req_cfg cfg = rig_cfg();

	cfg.mpr = 512;
	cfg.dynamic_mpr = true;
	return recording(test, &cfg, npkts);
}

/* The window shrinks below the PSNs in flight and grows, never exceeded. */
static void mrc_req_cc_mpr_bounds_psn_window(struct kunit *test)
{
	struct rig *r = dynamic(test, 400);

	post(r, 1, 0, 800 * PMTU);
	/* One less than the window, see in_psn_window(). */
	KUNIT_ASSERT_EQ(test, send_all(r), 511 - 400);
	rx_mpr(r, 0, 9, 1);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_mpr(r, 0, 510 - 127, 1);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_mpr(r, 0, 510 - 127 + 10, 1);
	KUNIT_EXPECT_EQ(test, send_all(r), 10);
	/* The agreed value is the maximum. */
	rx_mpr(r, 0, 510 - 127 + 10, 255);
	KUNIT_EXPECT_EQ(test, r->req.mpr, 512);
	KUNIT_EXPECT_EQ(test, send_all(r), 512 - 128);
}

/* MPR 0 has no meaning. */
static void mrc_req_cc_mpr_0_ignored(struct kunit *test)
{
	struct rig *r = dynamic(test, 40);

	rx_mpr(r, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, r->req.mpr, 512);
	rx_mpr(r, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, r->req.mpr, MRC_MPR_UNIT);
	rx_mpr(r, 2, 2, 0);
	KUNIT_EXPECT_EQ(test, r->req.mpr, MRC_MPR_UNIT);
}

/* The MPR of an older SACK is ignored. */
static void mrc_req_cc_mpr_of_old_sack_ignored(struct kunit *test)
{
	struct rig *r = dynamic(test, 40);

	rx_mpr(r, 9, 9, 2);
	rx_mpr(r, 4, 4, 1);
	KUNIT_EXPECT_EQ(test, r->req.mpr, 256);
}

/* A window larger than the default waits for a peer that has it, too. */
static void mrc_req_cc_mpr_large_once_announced(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.mpr = MRC_MPR_MAX;
	cfg.dynamic_mpr = true;
	r = recording(test, &cfg, 40);
	rx_mpr(r, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, r->req.mpr, MRC_MPR_DEFAULT);
	rx_mpr(r, 1, 1, MRC_MPR_MAX / MRC_MPR_UNIT);
	KUNIT_EXPECT_EQ(test, r->req.mpr, MRC_MPR_MAX);
}

static void mrc_req_cc_mpr_needs_agreement(struct kunit *test)
{
	struct rig *r = in_flight(test, 40);

	rx_mpr(r, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, r->req.mpr, 256);
}

/* Retransmissions beyond the window wait, too. */
static void mrc_req_cc_mpr_delays_retransmission(struct kunit *test)
{
	struct rig *r = dynamic(test, 300);
	u64 stalls = r->req.stats.stalls_mpr;

	rx_nack(r, 250, r->evs->ev[r->sent[250].path].value, MRC_NACK_TRIMMED);
	rx_mpr(r, 0, 0, 1);
	r->n = 0;
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.stalls_mpr, stalls + 1);
	KUNIT_EXPECT_EQ(test, r->req.stats.stalls_cwnd, 0);
	rx_ack(r, 122, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_ack(r, 123, MRC_SYN_ACK);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 250);
}

/* A window smaller than the SACK threshold of the peer needs AckReq. */
static void mrc_req_cc_small_window_sets_ackreq(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.burst = 1;
	r = rig_of(test, &cfg, 16 * NOMINAL);
	r->req.cc.cfg.ack_trigger = 16384;
	post(r, 0, 0, 4 * PMTU);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.flags & MRC_PF_ACKREQ, 0);

	r = rig_of(test, &cfg, 14 * NOMINAL);
	r->req.cc.cfg.ack_trigger = 16384;
	post(r, 0, 0, 4 * PMTU);
	send_all(r);
	KUNIT_EXPECT_NE(test, r->sent[0].pkt.flags & MRC_PF_ACKREQ, 0);
}

/* Post @npkts packets, send what can be sent; does the second one carry AckReq? */
static bool second_asks(struct rig *r, u32 npkts)
{
	post(r, 0, 0, npkts * PMTU);
	send_all(r);
	return r->sent[1].pkt.flags & MRC_PF_ACKREQ;
}

/* Parts of a window ask for acknowledgments until it does not limit any more. */
static void mrc_req_cc_free_window_does_not_ask(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 i;

	cfg.burst = 1;
	r = rig_of(test, &cfg, 16 * NOMINAL);
	r->req.cc.cfg.ack_trigger = 16384;
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_TRUE(test, second_asks(r, 4));
		rx_ack(r, 4 * i + 3, MRC_SYN_ACK);
	}
	KUNIT_EXPECT_FALSE(test, second_asks(r, 4));
	rx_ack(r, 35, MRC_SYN_ACK);
	KUNIT_EXPECT_FALSE(test, second_asks(r, 17));
	KUNIT_EXPECT_EQ(test, r->n, 16);
	KUNIT_EXPECT_NE(test, r->sent[15].pkt.flags & MRC_PF_ACKREQ, 0);
	rx_ack(r, 51, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_ack(r, 52, MRC_SYN_ACK);
	KUNIT_EXPECT_TRUE(test, second_asks(r, 4));
}

static struct kunit_case mrc_req_cc_cases[] = {
	KUNIT_CASE(mrc_req_cc_acked_follows_rcvd_bytes),
	KUNIT_CASE(mrc_req_cc_rcvd_bytes_open_window),
	KUNIT_CASE(mrc_req_cc_rcvd_bytes_open_full_window),
	KUNIT_CASE(mrc_req_cc_old_sack_counts_nothing),
	KUNIT_CASE(mrc_req_cc_rcvd_bytes_wrap),
	KUNIT_CASE(mrc_req_cc_bitmap_without_rcvd_bytes),
	KUNIT_CASE(mrc_req_cc_ack_before_sack_counted_once),
	KUNIT_CASE(mrc_req_cc_other_counting_is_balanced),
	KUNIT_CASE(mrc_req_cc_rcvd_bytes_are_bounded),
	KUNIT_CASE(mrc_req_cc_counts_need_known_trigger),
	KUNIT_CASE(mrc_req_cc_lost_packet_counted_once),
	KUNIT_CASE(mrc_req_cc_sack_fields_passed),
	KUNIT_CASE(mrc_req_cc_round_trip_once_per_packet),
	KUNIT_CASE(mrc_req_cc_no_round_trip_of_copies),
	KUNIT_CASE(mrc_req_cc_service_time_subtracted),
	KUNIT_CASE(mrc_req_cc_service_time_needs_agreement),
	KUNIT_CASE(mrc_req_cc_probe_service_time_subtracted),
	KUNIT_CASE(mrc_req_cc_trim_reported),
	KUNIT_CASE(mrc_req_cc_trim_of_unknown_copy_no_rtt),
	KUNIT_CASE(mrc_req_cc_mpr_bounds_psn_window),
	KUNIT_CASE(mrc_req_cc_mpr_0_ignored),
	KUNIT_CASE(mrc_req_cc_mpr_of_old_sack_ignored),
	KUNIT_CASE(mrc_req_cc_mpr_large_once_announced),
	KUNIT_CASE(mrc_req_cc_mpr_needs_agreement),
	KUNIT_CASE(mrc_req_cc_mpr_delays_retransmission),
	KUNIT_CASE(mrc_req_cc_small_window_sets_ackreq),
	KUNIT_CASE(mrc_req_cc_free_window_does_not_ask),
	{}
};

static struct kunit_suite mrc_req_cc_suite = {
	.name = "mrc_req_cc",
	.test_cases = mrc_req_cc_cases,
};

kunit_test_suite(mrc_req_cc_suite);

MODULE_DESCRIPTION("KUnit tests of acknowledgments in congestion control");
MODULE_LICENSE("Dual BSD/GPL");
