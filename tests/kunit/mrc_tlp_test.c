// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The packet that a tail loss probe carries: when, which one, and what is learnt of the
 * path that it had taken before.
 */
#include "core/repath.h"
#include "mrc_req_loss_sample.h"

#define RTT	80000U
/* Samples of a period, on so few paths. */
#define PERIOD	256

static void sample(struct rig *r, u32 rtt, u32 n)
{
	while (n--)
		mrc_req_rtt(&r->req, rtt);
}

/* Paths that are equally long, all of which have been sampled. */
static struct rig *sampled_with(struct kunit *test, u32 reo_wnd_any)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u16 i;

	cfg.reo_wnd_path = 0;
	cfg.reo_wnd_any = reo_wnd_any;
	cfg.burst = 1;
	cfg.timeout_ns = SECOND;
	r = rig_of(test, &cfg, 1 << 20);
	sample(r, RTT, 2 * PERIOD);
	for (i = 0; i < r->evs->n; i++)
		r->evs->ev[i].srtt = RTT;
	return r;
}

static struct rig *sampled(struct kunit *test)
{
	return sampled_with(test, 0);
}

/* The timer runs @late ns after the deadline, and a probe is sent. */
static struct mrc_probe probe_late(struct rig *r, u64 late)
{
	struct mrc_probe p = {};

	r->now = mrc_req_deadline(&r->req) + late;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_TRUE(r->test, mrc_req_next_probe(&r->req, r->now, &p));
	return p;
}

static struct mrc_probe probe(struct rig *r)
{
	return probe_late(r, 0);
}

/* The packet in flight is not sent again with a probe. */
static void expect_not_carried(struct rig *r)
{
	probe(r);
	KUNIT_EXPECT_EQ(r->test, send_all(r), 0);
}

/**
 * struct carried - a packet that a probe has carried
 * @path: path that it had taken before
 * @psn: its PSN
 * @probe: the probe
 */
struct carried {
	u16 path;
	u32 psn;
	struct mrc_probe probe;
};

/* The packet that has just been sent is sent again with a probe. */
static struct carried carry_newest(struct rig *r)
{
	struct carried c = {
		.path = r->sent[0].path,
		.psn = r->sent[0].pkt.psn,
		.probe = probe(r),
	};

	KUNIT_ASSERT_EQ(r->test, send_all(r), 1);
	KUNIT_ASSERT_EQ(r->test, r->sent[0].pkt.psn, c.psn);
	return c;
}

/* A packet is sent, and again with a probe. */
static struct carried carry(struct rig *r)
{
	send_one(r);
	return carry_newest(r);
}

/* The SACK of a probe, of everything before @next. */
static void sack_probe(struct rig *r, const struct mrc_probe *p, u32 next)
{
	struct mrc_pkt_sack s = {
		.probe = true,
		.probe_id = p->probe_id,
		.cack_psn = mrc_psn_add(next, -1),
		.sack_offset = 1,
	};

	rx_sack(r, &s);
}

static void expect_blame(struct rig *r, u16 path, u32 losses)
{
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[path].strikes, losses);
	KUNIT_EXPECT_EQ(r->test, r->evs->ev[path].stats.losses, losses);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_any, losses);
	KUNIT_EXPECT_EQ(r->test, r->req.stats.rack_loss_path, 0);
}

/*
 * The SACK of a probe proves its path for acknowledgments although another has been sent on
 * it since; it gives no round trip then.
 */
static void mrc_tlp_earlier_probe_proves_ack_path(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 psn = r->req.nxt, srtt;
	struct mrc_probe p;

	send_one(r);
	p = probe(r);
	mrc_ev_probe_sent(r->evs, p.path, r->now);
	srtt = r->req.rtt.srtt;
	r->now += 8 * RTT;
	sack_probe(r, &p, psn);
	KUNIT_EXPECT_EQ(test, r->evs->ack_paths.plane[p.plane - 1].proven, p.path + 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt, srtt);
}

/* The SACK of a probe, which is short, does not excuse data that its path has lost. */
static void mrc_tlp_probe_excuses_no_loss(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 psn = r->req.nxt;
	struct mrc_probe p;

	send_one(r);
	p = probe(r);
	mrc_ev_feedback_at(r->evs, p.path, MRC_EV_SIGNAL_LOSS, r->now - RTT,
			   r->now);
	KUNIT_ASSERT_EQ(test, r->evs->ev[p.path].strikes, 1);
	r->now += RTT;
	sack_probe(r, &p, psn);
	KUNIT_EXPECT_EQ(test, r->evs->ev[p.path].strikes, 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[p.path].acked_sent, r->now - RTT);
}

static void mrc_tlp_carries_newest_packet(struct kunit *test)
{
	struct rig *r = sampled(test);
	u16 path = send_one(r);
	u32 psn = r->sent[0].pkt.psn, inflight = r->req.inflight;

	probe(r);
	KUNIT_EXPECT_GE(test, r->now, T0 + RTT);
	KUNIT_EXPECT_LT(test, r->now, T0 + 2 * RTT);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, psn);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_RTX);
	KUNIT_EXPECT_TRUE(test, r->sent[0].pkt.flags & MRC_PF_ACKREQ);
	KUNIT_EXPECT_NE(test, r->evs->ev[r->sent[0].path].plane,
			r->evs->ev[path].plane);
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 1);
	/* It takes the place of the first one. */
	KUNIT_EXPECT_EQ(test, r->req.inflight, inflight);
	KUNIT_EXPECT_EQ(test, r->evs->ev[path].inflight, 0);
	KUNIT_EXPECT_NULL(test, books_req(&r->req));
	/* Until it is known what became of the first one. */
	KUNIT_EXPECT_NE(test, r->evs->ev[path].unacked_first, 0);
	expect_blame(r, path, 0);
	sack_for(r, &r->sent[0], psn, 0);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
}

/* A full congestion window does not hold it back. */
static void mrc_tlp_ignores_congestion_window(struct kunit *test)
{
	struct rig *r = sampled(test);

	send_one(r);
	r->req.cc.cwnd = 1;
	probe(r);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* Of three packets the last one has arrived. */
static void mrc_tlp_carries_what_is_missing(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 psn = (send_one(r), r->sent[0].pkt.psn);

	send_one(r);
	send_one(r);
	r->now += RTT;
	sack_for(r, &r->sent[0], mrc_psn_add(psn, -1), 4);
	KUNIT_ASSERT_EQ(test, send_all(r), 0);
	probe(r);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, mrc_psn_add(psn, 1));
}

/* More packets than a word of the bitmap has are looked at. */
static void mrc_tlp_looks_at_whole_window(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 psn, i;

	send_one(r);
	psn = r->sent[0].pkt.psn;
	r->now++;
	post(r, 0, 0, 149 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 149);
	r->now += RTT;
	/* All but the first one, with three SACKs of its slices. */
	for (i = 1; i < 150; i += 64) {
		struct mrc_pkt_sack s = {
			.cack_psn = mrc_psn_add(psn, -1),
			.sack_offset = i + 1,
			.bitmap = i < 129 ? U64_MAX : (1ULL << 21) - 1,
			.ack_psn_offset = i + 1,
			.ooo_count = 149,
			.entropy = r->evs->ev[mrc_req_pkt(&r->req, psn + i)->path].value,
		};

		rx_sack(r, &s);
	}
	KUNIT_ASSERT_EQ(test, r->req.n_acked, 149);
	KUNIT_ASSERT_EQ(test, send_all(r), 0);
	probe(r);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, psn);
}

/* The probe waits, so that it can carry data, but not for long. */
static void mrc_tlp_waits_for_longest_path(struct kunit *test)
{
	struct rig *r = sampled(test);

	sample(r, RTT + RTT / 4, 1);
	sample(r, RTT, PERIOD / 2);
	send_one(r);
	probe(r);
	KUNIT_EXPECT_GE(test, r->now, T0 + RTT + RTT / 2);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);

	r = sampled(test);
	sample(r, 2 * RTT, 1);
	sample(r, RTT, PERIOD / 2);
	send_one(r);
	probe(r);
	KUNIT_EXPECT_LT(test, r->now, T0 + RTT + RTT / 2);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* Nobody knows how long the other paths are. */
static void mrc_tlp_needs_samples_of_all_paths(struct kunit *test)
{
	struct rig *r = sampled(test);

	mrc_req_rtt_forget_bound(&r->req);
	send_one(r);
	expect_not_carried(r);
}

/* What hosts delay is no evidence of a loss. */
static void mrc_tlp_not_where_hosts_delay(struct kunit *test)
{
	struct rig *r = sampled_with(test, REO_ANY);
	struct mrc_req_cfg cfg;

	send_one(r);
	expect_not_carried(r);

	/* The same is found out, or configured, later. */
	r = sampled(test);
	mrc_req_spurious(&r->req, r->now);
	send_one(r);
	expect_not_carried(r);

	r = sampled(test);
	cfg = r->req.cfg;
	cfg.reo_wnd_any = REO_ANY;
	mrc_req_change(&r->req, &cfg, r->req.cc.ops, &r->req.cc.cfg, r->now);
	send_one(r);
	expect_not_carried(r);

	r = sampled(test);
	send_one(r);
	probe_late(r, RTT + 1);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

static void mrc_tlp_not_after_acknowledgment(struct kunit *test)
{
	struct rig *r = sampled(test);

	send_one(r);
	probe(r);
	sack_for(r, &r->sent[0], r->sent[0].pkt.psn, 0);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* It has not left this host. */
static void mrc_tlp_not_before_fence(struct kunit *test)
{
	struct rig *r = sampled(test);

	send_one(r);
	mrc_txq_fence_post(&r->req.txq_fences[0], T0);
	expect_not_carried(r);
}

/* Of a stalled host all timers have expired when it looks at one of them. */
static void mrc_tlp_not_after_stall(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct mrc_probe p;

	send_one(r);
	r->now = r->req.rto.at + 5 * MS;
	mrc_req_on_timer(&r->req, r->now);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_probe(&r->req, r->now, &p));
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* The RTO counts from the latest copy, and retransmits. */
static void mrc_tlp_restarts_rto(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 sent = 0;
	u64 at;

	send_one(r);
	probe(r);
	at = r->req.rto.at;
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_GT(test, r->req.rto.at, at);
	while (!r->req.stats.timeouts) {
		KUNIT_ASSERT_TRUE(test, tick(r));
		sent = send_all(r);
	}
	KUNIT_EXPECT_EQ(test, sent, 1);
}

/* The peer may have shrunk its window since. */
static void mrc_tlp_within_psn_window(struct kunit *test)
{
	struct rig *r = sampled(test);

	post(r, 0, 0, 9 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 9);
	r->req.mpr = 8;
	expect_not_carried(r);
}

/* The peer may have taken the memory of a READ away, which it has got. */
static void mrc_tlp_not_of_read_response(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct mrc_msg_desc d = {
		.length = PMTU,
		.flags = MRC_MSG_READ | MRC_MSG_RESPONSE,
	};

	mrc_req_post(&r->req, &d);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	expect_not_carried(r);
}

/* Nothing is sent of a message that has been aborted. */
static void mrc_tlp_not_after_abort(struct kunit *test)
{
	struct rig *r = sampled(test);

	/* The requester goes on, for the sake of an earlier one. */
	send_one(r);
	post(r, 1, 0, 1);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	probe(r);
	KUNIT_ASSERT_TRUE(test, r->req.tlp.copy);
	mrc_req_abort(&r->req, 1, MRC_ERR_LOC_PROT);
	KUNIT_ASSERT_EQ(test, r->req.status, MRC_OK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	KUNIT_EXPECT_NULL(test, books_req(&r->req));
}

/* A packet that is known to be lost comes first, and replaces it. */
static void mrc_tlp_not_beside_retransmission(struct kunit *test)
{
	struct rig *r = sampled(test);
	u32 psn = (send_one(r), r->sent[0].pkt.psn);

	send_one(r);
	probe(r);
	rx_nack(r, psn, r->evs->ev[mrc_req_pkt(&r->req, psn)->path].value,
		MRC_NACK_TRIMMED);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, psn);
}

/* A gap is probed, while later packets are on their way. */
static void mrc_tlp_not_before_its_time(struct kunit *test)
{
	struct rig *r = sampled(test);

	send_one(r);
	send_one(r);
	r->now += RTT;
	sack_for(r, &r->sent[0], mrc_psn_add(r->req.una, -1), 2);
	send_one(r);
	probe(r);
	KUNIT_EXPECT_LT(test, r->now, T0 + RTT + RTT / 2);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

/* Each of the rounds in quick succession carries it, on different paths. */
static void mrc_tlp_carries_in_each_quick_round(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct mrc_probe p;
	u32 sent = 0, i;

	send_one(r);
	for (i = 0; i < 8; i++) {
		probe(r);
		while (mrc_req_next_probe(&r->req, r->now, &p))
			continue;
		sent += send_all(r);
	}
	KUNIT_EXPECT_EQ(test, sent, 4);
	KUNIT_EXPECT_EQ(test, r->evs->n_bad, 0);
}

/* The SACK of the probe misses the packet: the path that it had taken has lost it. */
static void mrc_tlp_loss_is_judged(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);

	r->now += RTT;
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 1);
	KUNIT_EXPECT_EQ(test, r->evs->ev[c.path].unacked_first, 0);
	KUNIT_EXPECT_EQ(test, r->evs->ev[r->sent[0].path].strikes, 0);
	/* It is on its way. */
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 0);
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 1);
	sack_for(r, &r->sent[0], c.psn, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 0);
}

/* So has it if the SACK of the second copy overtakes that of the probe. */
static void mrc_tlp_loss_is_judged_later(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);

	r->now += RTT;
	sack_for(r, &r->sent[0], c.psn, 0);
	expect_blame(r, c.path, 0);
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 1);
}

/* That the network has trimmed the first copy is no loss, nor that the peer refused it. */
static void mrc_tlp_refused_copy_is_not_judged(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);

	r->now += RTT;
	rx_nack(r, c.psn, r->evs->ev[c.path].value, MRC_NACK_TRIMMED);
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 0);

	r = sampled(test);
	post(r, 0, MRC_MSG_SEND, 1);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	c = carry_newest(r);
	r->now += RTT;
	rx_ack(r, c.psn, MRC_SYN_TYPE_RNR);
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 0);
}

/* The acknowledgment may have been lost: no path is to blame. */
static void mrc_tlp_lost_acknowledgment_is_no_loss(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);

	r->now += RTT;
	sack_probe(r, &c.probe, r->req.nxt);
	sack_for(r, &r->sent[0], c.psn, 0);
	expect_blame(r, c.path, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 0);
}

/* A SACK whose trigger was not sent much later proves nothing. */
static void mrc_tlp_early_sack_does_not_judge(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c;
	struct sent first;

	send_one(r);
	first = r->sent[0];
	c = carry(r);
	sack_for(r, &first, first.pkt.psn, 0);
	expect_blame(r, c.path, 0);
	/* Nor does one that does not describe the packet. */
	KUNIT_EXPECT_TRUE(test, r->req.tlp.judge);
	KUNIT_EXPECT_EQ(test, r->req.tlp.copied_psn, c.psn);
}

/* A SACK misses those that its bitmap shows as missing, and the one after all others. */
static void mrc_tlp_slices_that_judge(struct kunit *test)
{
	/* The packet is @at PSNs after the cumulative one. */
	static const struct {
		u8 at;
		u8 offset;
		u64 bitmap;
		bool misses;
	} slice[] = {
		{ 1, 2, 0, true },
		{ 2, 1, 0, true },
		{ 2, 1, 2, false },
		{ 2, 2, 0, true },
		{ 2, 2, 1, false },
		{ 2, 3, 0, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(slice); i++) {
		struct rig *r = sampled(test);
		struct mrc_pkt_sack s = {
			.probe = true,
			.sack_offset = slice[i].offset,
			.bitmap = slice[i].bitmap,
			.ooo_count = 9,
		};
		struct mrc_probe p;

		send_one(r);
		send_one(r);
		s.cack_psn = mrc_psn_add(r->sent[0].pkt.psn, -slice[i].at);
		p = probe(r);
		s.probe_id = p.probe_id;
		KUNIT_ASSERT_EQ(test, send_all(r), 1);
		r->now += RTT;
		rx_sack(r, &s);
		KUNIT_EXPECT_EQ_MSG(test, r->req.tlp.judge, !slice[i].misses,
				    "slice %u", i);
	}
}

/* The first copy arrives after all: that is counted, and no packet is carried for a while. */
static void mrc_tlp_spurious_by_first_copy(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);

	/* So late that it might be that of the second one. */
	r->now += RTT;
	sack_first_copy(r, c.psn, c.path);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);
	expect_blame(r, c.path, 0);
	/* Once; and the SACK of the probe, which was built before, blames nobody. */
	sack_first_copy(r, c.psn, c.path);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 0);
	send_one(r);
	expect_not_carried(r);
}

/* An acknowledgment that is faster than any path is that of the first copy. */
static void mrc_tlp_spurious_by_early_acknowledgment(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c;
	struct sent first;

	send_one(r);
	first = r->sent[0];
	c = carry(r);
	r->now += RTT - 1;
	sack_for(r, &first, c.psn, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.spurious, 1);
	r->now += RTT;
	sack_probe(r, &c.probe, c.psn);
	expect_blame(r, c.path, 0);
}

/* The record of the packet is used again. */
static void mrc_tlp_judgment_ends_with_record(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);
	u32 i;

	for (i = 0; i < r->req.cfg.mpr; i++) {
		sack_for(r, &r->sent[0], mrc_psn_add(r->req.nxt, -1), 0);
		rx_ack(r, mrc_psn_add(r->req.nxt, -1), MRC_SYN_ACK);
		expect_done(r, 0, MRC_OK);
		KUNIT_ASSERT_TRUE(test, r->req.tlp.judge);
		send_one(r);
	}
	KUNIT_EXPECT_EQ(test, mrc_psn_diff(r->req.nxt, c.psn), r->req.cfg.mpr + 1);
	sack_probe(r, &c.probe, c.psn);
	KUNIT_EXPECT_FALSE(test, r->req.tlp.judge);
	expect_blame(r, c.path, 0);
}

/* Other paths may be longer, and the one that is judged has another index. */
static void mrc_tlp_paths_are_replaced(struct kunit *test)
{
	struct rig *r = sampled(test);
	struct carried c = carry(r);
	u16 map[PATHS + 1], i;

	for (i = 0; i < PATHS; i++)
		map[i] = (i + 1) % PATHS;
	map[PATHS] = PATHS;
	mrc_repath_requester(&r->req, r->evs, map);
	KUNIT_EXPECT_EQ(test, r->req.rtt.copy_age, 0);
	r->now += RTT;
	sack_probe(r, &c.probe, c.psn);
	KUNIT_EXPECT_EQ(test, r->evs->ev[(c.path + 1) % PATHS].stats.losses, 1);
}

static void mrc_tlp_bound_of_round_trips(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.reo_wnd_any = 0;
	r = rig_of(test, &cfg, 1 << 20);
	sample(r, 800, 1);
	sample(r, 960, PERIOD - 2);
	KUNIT_EXPECT_EQ(test, r->req.rtt.copy_age, 0);
	/* 2 * 1040 - 800, and an eighth. */
	sample(r, 1040, 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.bound, 1440);
	KUNIT_EXPECT_EQ(test, r->req.rtt.copy_age, 1440);
	/* It counts for the rest of its period, and for the next one. */
	sample(r, 960, PERIOD - 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.bound, 1440);
	sample(r, 960, 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.bound, 1260);
	sample(r, 1200, 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.bound, 1800);
	sample(r, 720, 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.bound, 1890);
	/* More paths need more samples. */
	r = rig_of(test, &cfg, 1 << 20);
	r->evs->n = 128;
	sample(r, 960, 8 * 128 - 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.copy_age, 0);
	sample(r, 960, 1);
	KUNIT_EXPECT_EQ(test, r->req.rtt.copy_age, 1080);
}

/* The moment of a probe matters once there is nothing left to be sent. */
static void mrc_tlp_tail_deadline(struct kunit *test)
{
	struct rig *r = sampled(test);

	KUNIT_EXPECT_EQ(test, mrc_req_tail_at(&r->req), 0);
	send_one(r);
	KUNIT_EXPECT_EQ(test, mrc_req_tail_at(&r->req), mrc_req_deadline(&r->req));
	KUNIT_EXPECT_GT(test, mrc_req_tail_at(&r->req), r->now);
	post(r, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, mrc_req_tail_at(&r->req), 0);
}

static struct kunit_case mrc_tlp_cases[] = {
	KUNIT_CASE(mrc_tlp_earlier_probe_proves_ack_path),
	KUNIT_CASE(mrc_tlp_probe_excuses_no_loss),
	KUNIT_CASE(mrc_tlp_carries_newest_packet),
	KUNIT_CASE(mrc_tlp_ignores_congestion_window),
	KUNIT_CASE(mrc_tlp_carries_what_is_missing),
	KUNIT_CASE(mrc_tlp_looks_at_whole_window),
	KUNIT_CASE(mrc_tlp_waits_for_longest_path),
	KUNIT_CASE(mrc_tlp_needs_samples_of_all_paths),
	KUNIT_CASE(mrc_tlp_not_where_hosts_delay),
	KUNIT_CASE(mrc_tlp_not_after_acknowledgment),
	KUNIT_CASE(mrc_tlp_not_before_fence),
	KUNIT_CASE(mrc_tlp_not_after_stall),
	KUNIT_CASE(mrc_tlp_restarts_rto),
	KUNIT_CASE(mrc_tlp_within_psn_window),
	KUNIT_CASE(mrc_tlp_not_of_read_response),
	KUNIT_CASE(mrc_tlp_not_after_abort),
	KUNIT_CASE(mrc_tlp_not_beside_retransmission),
	KUNIT_CASE(mrc_tlp_not_before_its_time),
	KUNIT_CASE(mrc_tlp_carries_in_each_quick_round),
	KUNIT_CASE(mrc_tlp_loss_is_judged),
	KUNIT_CASE(mrc_tlp_loss_is_judged_later),
	KUNIT_CASE(mrc_tlp_refused_copy_is_not_judged),
	KUNIT_CASE(mrc_tlp_lost_acknowledgment_is_no_loss),
	KUNIT_CASE(mrc_tlp_early_sack_does_not_judge),
	KUNIT_CASE(mrc_tlp_slices_that_judge),
	KUNIT_CASE(mrc_tlp_spurious_by_first_copy),
	KUNIT_CASE(mrc_tlp_spurious_by_early_acknowledgment),
	KUNIT_CASE(mrc_tlp_judgment_ends_with_record),
	KUNIT_CASE(mrc_tlp_paths_are_replaced),
	KUNIT_CASE(mrc_tlp_bound_of_round_trips),
	KUNIT_CASE(mrc_tlp_tail_deadline),
	{}
};

static struct kunit_suite mrc_tlp_suite = {
	.name = "mrc_tlp",
	.test_cases = mrc_tlp_cases,
};

kunit_test_suite(mrc_tlp_suite);

MODULE_DESCRIPTION("KUnit tests of the packet that a tail loss probe carries");
MODULE_LICENSE("Dual BSD/GPL");
