// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: packets and bursts of messages, limits, and how messages end.
 */
#include "mrc_req_sample.h"

/* Packets of messages. */

static const struct message {
	const char *name;
	u16 flags;
	u32 length;
	u32 npkts;
	u8 first, middle, last;
} messages[] = {
	{ "empty WRITE", 0, 0, 1, 0, 0, MRC_OP_WRITE_ONLY },
	{ "WRITE of one byte", 0, 1, 1, 0, 0, MRC_OP_WRITE_ONLY },
	{ "WRITE of one MTU", 0, PMTU, 1, 0, 0, MRC_OP_WRITE_ONLY },
	{ "WRITE of one MTU and a byte", 0, PMTU + 1, 2,
	  MRC_OP_WRITE_FIRST, 0, MRC_OP_WRITE_LAST },
	{ "WRITE of many MTUs", 0, 20 * PMTU, 20,
	  MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST },
	{ "short WRITE with Immediate", MRC_MSG_IMM, 5, 1,
	  0, 0, MRC_OP_WRITE_ONLY_IMM },
	{ "long WRITE with Immediate", MRC_MSG_IMM, 3 * PMTU, 3,
	  MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST_IMM },
	{ "empty SEND", MRC_MSG_SEND, 0, 1, 0, 0, MRC_OP_SEND_ONLY },
	{ "long SEND", MRC_MSG_SEND, 3 * PMTU - 1, 3,
	  MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST },
	{ "short SEND with Immediate", MRC_MSG_SEND | MRC_MSG_IMM, PMTU, 1,
	  0, 0, MRC_OP_SEND_ONLY_IMM },
	{ "long SEND with Immediate", MRC_MSG_SEND | MRC_MSG_IMM,
	  2 * PMTU + 9, 3,
	  MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST_IMM },
	{ "empty SEND with Invalidate", MRC_MSG_SEND | MRC_MSG_INV, 0, 1,
	  0, 0, MRC_OP_SEND_ONLY_INV },
	{ "long SEND with Invalidate", MRC_MSG_SEND | MRC_MSG_INV,
	  2 * PMTU + 1, 3,
	  MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST_INV },
};

KUNIT_ARRAY_PARAM_DESC(message, messages, name);

static u8 expected_opcode(const struct message *m, u32 i)
{
	return i == m->npkts - 1 ? m->last : i ? m->middle : m->first;
}

static void expect_pkt(struct rig *r, const struct message *m, u32 i)
{
	const struct sent *s = &r->sent[i];
	const struct mrc_pkt *p = &s->pkt;
	bool send = m->flags & MRC_MSG_SEND;
	bool last = i == m->npkts - 1;

	KUNIT_EXPECT_EQ(r->test, p->op->code, expected_opcode(m, i));
	KUNIT_EXPECT_EQ(r->test, p->psn, i);
	KUNIT_EXPECT_EQ(r->test, p->dest_qpn, QPN);
	KUNIT_EXPECT_EQ(r->test, p->dmalen, m->length);
	KUNIT_EXPECT_EQ(r->test, p->va, (send ? 0 : RADDR) + i * PMTU);
	KUNIT_EXPECT_EQ(r->test, p->rkey, send ? 0 : RKEY);
	KUNIT_EXPECT_EQ(r->test, p->payload_len,
			last ? m->length - i * PMTU : PMTU);
	KUNIT_EXPECT_EQ(r->test, p->tx_ts, mrc_ts_from_ns(r->now));
	KUNIT_EXPECT_EQ(r->test, !!(p->flags & MRC_PF_ACKREQ), last);
	KUNIT_EXPECT_FALSE(r->test, p->flags & MRC_PF_RTX);
	KUNIT_EXPECT_EQ(r->test, be32_to_cpu(p->imm),
			last && m->flags & (MRC_MSG_IMM | MRC_MSG_INV) ?
				0xcafe0007 : 0);
	KUNIT_EXPECT_EQ(r->test, s->cookie, 7);
	KUNIT_EXPECT_EQ(r->test, s->offset, i * PMTU);
}

static void mrc_requester_message_becomes_packets(struct kunit *test)
{
	const struct message *m = test->param_value;
	struct rig *r = rig(test);
	u32 i;

	post(r, 7, m->flags, m->length);
	KUNIT_ASSERT_EQ(test, send_all(r), m->npkts);
	for (i = 0; i < m->npkts; i++)
		expect_pkt(r, m, i);
	expect_none_done(r);
	rx_ack(r, m->npkts - 1, MRC_SYN_ACK);
	expect_done(r, 7, MRC_OK);
	KUNIT_EXPECT_TRUE(test, mrc_req_free_slots(&r->req) == r->req.cfg.max_msgs);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&r->req), 0);
}

/* msn counts all messages, rqmsn those which consume a receive WQE. */
static void mrc_requester_msn_and_rqmsn(struct kunit *test)
{
	static const u16 flags[] = {
		0, MRC_MSG_SEND, 0, MRC_MSG_IMM, MRC_MSG_SEND | MRC_MSG_IMM, 0,
		MRC_MSG_SEND, MRC_MSG_SEND | MRC_MSG_INV,
	};
	struct rig *r = rig(test);
	u32 i, rqmsn = 0;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		post(r, i, flags[i], 2 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 2 * ARRAY_SIZE(flags));
	for (i = 0; i < r->n; i++) {
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.psn, i);
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.msn, i / 2);
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.rqmsn,
				flags[i / 2] ? rqmsn : 0);
		if (flags[i / 2])
			rqmsn += i & 1;
	}
}

/* Solicited event: last packet of a message that consumes a receive WQE. */
static void mrc_requester_solicited_on_last_of_send(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	post(r, 0, MRC_MSG_SEND | MRC_MSG_SOLICITED, 3 * PMTU);
	post(r, 1, MRC_MSG_SOLICITED, 3 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 6);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, !!(r->sent[i].pkt.flags & MRC_PF_SE),
				i == 2);
}

static void mrc_requester_without_tseth(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.ts = false;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_FALSE(test, r->sent[0].pkt.flags & MRC_PF_TS);
	KUNIT_EXPECT_EQ(test, r->sent[0].wire, 32 + PMTU + 4);
}

/* GSO: a burst has one path, and one size but for a shorter last packet. */
static void expect_bursts(struct rig *r, u32 max)
{
	u32 i, start = 0;

	for (i = 1; i <= r->n; i++) {
		if (i < r->n && r->sent[i].burst == r->sent[start].burst) {
			KUNIT_EXPECT_EQ(r->test, r->sent[i].path,
					r->sent[start].path);
			KUNIT_EXPECT_LE(r->test, r->sent[i].wire,
					r->sent[start].wire);
			KUNIT_EXPECT_EQ(r->test, r->sent[i - 1].wire,
					r->sent[start].wire);
			continue;
		}
		KUNIT_EXPECT_LE(r->test, i - start, max);
		KUNIT_EXPECT_LT(r->test, (i - start) * r->sent[start].wire,
				65536 - 128);
		start = i;
	}
}

static void mrc_requester_bursts_suit_gso(struct kunit *test)
{
	static const u32 burst[] = { 1, 2, 8, MRC_BURST_MAX };
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(burst); i++) {
		cfg.burst = burst[i];
		r = rig_of(test, &cfg, 1 << 20);
		for (j = 0; j < 12; j++)
			post(r, j, j % 3 ? MRC_MSG_IMM : MRC_MSG_SEND,
			     j * 1500 + PMTU * (j & 1));
		send_all(r);
		expect_bursts(r, burst[i]);
		/* As few bursts as possible. */
		r = rig_of(test, &cfg, 1 << 20);
		post(r, 0, 0, 16 * PMTU);
		KUNIT_EXPECT_EQ(test, send_all(r), 16);
		KUNIT_EXPECT_EQ(test, r->bursts, 16 / burst[i]);
	}
}

/* 16 packets of 4 KiB exceed the length of an IP packet. */
static void mrc_requester_burst_fits_ip(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.burst = MRC_BURST_MAX;
	cfg.pmtu = 4096;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 40 * 4096);
	KUNIT_EXPECT_EQ(test, send_all(r), 40);
	expect_bursts(r, MRC_BURST_MAX);
}

/* A remainder that needs two bursts is halved. */
static void mrc_requester_burst_rest_is_halved(struct kunit *test)
{
	static const struct {
		u32 pkts;
		u32 burst[4];
	} c[] = {
		{ 8, { 8 } },
		{ 9, { 5, 4 } },
		{ 15, { 8, 7 } },
		{ 16, { 8, 8 } },
		{ 20, { 8, 6, 6 } },
		{ 25, { 8, 8, 5, 4 } },
	};
	struct mrc_req_cfg cfg = rig_cfg();
	u32 i, j, k, at;
	struct rig *r;

	cfg.burst = 8;
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		r = rig_of(test, &cfg, 1 << 20);
		post(r, 0, 0, c[i].pkts * PMTU);
		KUNIT_ASSERT_EQ(test, send_all(r), c[i].pkts);
		for (at = 0, j = 0; j < ARRAY_SIZE(c[i].burst); j++) {
			for (k = 0; k < c[i].burst[j]; k++)
				KUNIT_EXPECT_EQ(test, r->sent[at++].burst,
						r->sent[0].burst + j);
		}
		KUNIT_EXPECT_EQ(test, at, r->n);
	}
}

/* The longer last packet of a message with immediate gets its own burst. */
static void mrc_requester_imm_breaks_burst(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 0, MRC_MSG_IMM, 3 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 3);
	KUNIT_EXPECT_EQ(test, r->sent[1].burst, r->sent[0].burst);
	KUNIT_EXPECT_NE(test, r->sent[2].burst, r->sent[0].burst);
}

/* Limits (MRC 1.0 6.2). */

static void mrc_requester_psn_window_holds(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	u32 sent = 0, cack = U32_MAX;
	struct rig *r;
	int i;

	cfg.mpr = 64;
	cfg.sq_psn = 0;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 1000 * PMTU);
	for (i = 0; i < 20; i++) {
		sent += send_all(r);
		/* Not beyond cack + MPR, and at most two PSNs less. */
		KUNIT_EXPECT_LE(test, sent - 1 - cack, 64);
		KUNIT_EXPECT_GE(test, sent - 1 - cack, 62);
		KUNIT_EXPECT_TRUE(test, r->sent[r->n - 1].pkt.flags &
				  MRC_PF_ACKREQ);
		KUNIT_EXPECT_EQ(test, send_all(r), 0);
		cack += 10;
		rx_ack(r, cack, MRC_SYN_ACK);
	}
	KUNIT_EXPECT_GT(test, r->req.stats.stalls_mpr, 0);
}

static void mrc_requester_congestion_window_holds(struct kunit *test)
{
	const u32 nominal = 36 + PMTU + 4 + MRC_CC_NOMINAL_OVERHEAD;
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 10 * nominal);

	post(r, 0, 0, 100 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 10);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 10 * nominal);
	KUNIT_EXPECT_TRUE(test, r->sent[9].pkt.flags & MRC_PF_ACKREQ);
	KUNIT_EXPECT_GT(test, r->req.stats.stalls_cwnd, 0);
}

/* A full window does not admit one packet per acknowledgment. */
static void mrc_requester_full_window_opens_for_a_batch(struct kunit *test)
{
	const u32 nominal = 36 + PMTU + 4 + MRC_CC_NOMINAL_OVERHEAD;
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 16 * nominal);
	u32 i, next;

	post(r, 0, 0, 100 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 16);
	for (next = 0; next < 16;) {
		for (i = 0; i < 3; i++) {
			rx_ack(r, next++, MRC_SYN_ACK);
			KUNIT_EXPECT_EQ(test, send_all(r), 0);
		}
		rx_ack(r, next++, MRC_SYN_ACK);
		KUNIT_EXPECT_EQ(test, send_all(r), 4);
		KUNIT_EXPECT_EQ(test, r->req.inflight, 16 * nominal);
		for (i = 0; i < 3; i++)
			KUNIT_EXPECT_FALSE(test, r->sent[i].pkt.flags &
						 MRC_PF_ACKREQ);
		KUNIT_EXPECT_TRUE(test, r->sent[3].pkt.flags & MRC_PF_ACKREQ);
	}
}

/* With an algorithm that shares the network it opens for one burst. */
static void mrc_requester_shared_window_opens_for_a_burst(struct kunit *test)
{
	const u32 nominal = 36 + PMTU + 4 + MRC_CC_NOMINAL_OVERHEAD;
	struct mrc_cc_ops ops = mrc_cc_fixed;
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 next;

	cfg.burst = 2;
	r = rig_of(test, &cfg, 2 * MRC_CC_BURSTS_PER_WND * nominal);
	ops.batch = 0;
	r->req.cc.ops = &ops;
	r->req.cc.cfg.mtu = nominal;
	post(r, 0, 0, 100 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 2 * MRC_CC_BURSTS_PER_WND);
	for (next = 0; next < 16;) {
		rx_ack(r, next++, MRC_SYN_ACK);
		KUNIT_EXPECT_EQ(test, send_all(r), 0);
		rx_ack(r, next++, MRC_SYN_ACK);
		KUNIT_EXPECT_EQ(test, send_all(r), 2);
	}
}

/* Where the network is shared, a burst is a small part of the window. */
static void mrc_requester_bursts_follow_window(struct kunit *test)
{
	struct mrc_cc_ops ops = mrc_cc_fixed;
	struct mrc_cc cc = { .ops = &ops, .cfg.mtu = 1000 };

	cc.cwnd = 1000;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 16);
	ops.batch = 0;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 1);
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, 1000 / MRC_CC_BURSTS_QUIET / 5, 16), 5);
	cc.cwnd = 5 * MRC_CC_BURSTS_QUIET * 1000;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 5);
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 4), 4);
	cc.cwnd = 100 * MRC_CC_BURSTS_QUIET * 1000;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 16);
}

/* As long as packets are marked, of what the window has on one plane. */
static void mrc_requester_bursts_among_marks(struct kunit *test)
{
	struct mrc_cc cc = { .ops = &mrc_cc_nscc, .cfg.mtu = 1000 };

	cc.cwnd = 5 * 4 * MRC_CC_BURSTS_PER_WND * 1000;
	cc.nscc.met_marks = true;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 5);
	cc.nscc.unmarked = MRC_NSCC_QUIET_WNDS * cc.cwnd - 1;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 5);
	cc.nscc.unmarked++;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 16);
}

/* Until it is known whether packets are marked, too, for a shorter time. */
static void mrc_requester_bursts_before_marks(struct kunit *test)
{
	struct mrc_cc cc = { .ops = &mrc_cc_nscc, .cfg.mtu = 1000 };

	cc.cwnd = 5 * 4 * MRC_CC_BURSTS_PER_WND * 1000;
	cc.nscc.unmarked = MRC_NSCC_FIRST_WNDS * cc.cwnd - 1;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 5);
	cc.nscc.unmarked++;
	KUNIT_EXPECT_EQ(test, mrc_cc_burst(&cc, 4, cc.cfg.mtu, 16), 16);
}

/* Nothing in flight: the window admits packets without an acknowledgment. */
static void mrc_requester_idle_window_admits(struct kunit *test)
{
	const u32 nominal = 36 + PMTU + 4 + MRC_CC_NOMINAL_OVERHEAD;
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 8 * nominal);

	post(r, 0, 0, 100 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 8);
	r->req.cc.cwnd = nominal;
	rx_ack(r, 6, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_ack(r, 7, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* A larger window that the operator configures admits packets at once. */
static void mrc_requester_larger_window_admits(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 2 * (PMTU + 100));
	struct mrc_cc_cfg cc = r->req.cc.cfg;

	post(r, 0, 0, 8 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	cc.max_cwnd *= 2;
	mrc_req_change(&r->req, &cfg, r->req.cc.ops, &cc, r->now);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
}

/* One packet may be in flight, however small the congestion window is. */
static void mrc_requester_tiny_window_admits_one(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 1);
	u32 i;

	post(r, 0, 0, 5 * PMTU);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, send_all(r), 1);
		rx_ack(r, i, MRC_SYN_ACK);
	}
	expect_done(r, 0, MRC_OK);
}

/* The limit of the PSN window need not be a power of two, as the ring is. */
static void mrc_requester_window_limit_holds(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.mpr_limit = cfg.mpr - 24;
	r = rig_of(test, &cfg, 1 << 24);
	post(r, 0, 0, 2 * cfg.mpr * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), cfg.mpr_limit - 1);
	sack_for(r, &r->sent[0], 0, 0);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* There is no RNR in MRC 1.0: the requester itself respects the limit. */
static void mrc_requester_max_wimm_holds(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 i;

	cfg.max_wimm = 4;
	r = rig_of(test, &cfg, 1 << 20);
	for (i = 0; i < 20; i++)
		post(r, i, i & 1 ? MRC_MSG_SEND : MRC_MSG_IMM, 10);
	KUNIT_EXPECT_EQ(test, send_all(r), 4);
	KUNIT_EXPECT_TRUE(test, r->sent[3].pkt.flags & MRC_PF_ACKREQ);
	rx_ack(r, 1, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	/* A SACK completes no message and frees no place in the limit. */
	sack_for(r, &r->sent[1], 5, 0);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_ack(r, 5, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 4);
}

static void mrc_requester_slot_freed_by_pop(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	for (i = 0; i < 64; i++) {
		KUNIT_EXPECT_EQ(test, mrc_req_free_slots(&r->req), 64 - i);
		post(r, i, 0, 1);
	}
	KUNIT_EXPECT_EQ(test, mrc_req_free_slots(&r->req), 0);
	send_all(r);
	rx_ack(r, 2, MRC_SYN_ACK);
	/* A slot is free after mrc_req_pop(): its cookie is in use until then. */
	KUNIT_EXPECT_EQ(test, mrc_req_free_slots(&r->req), 0);
	expect_done(r, 0, MRC_OK);
	KUNIT_EXPECT_EQ(test, mrc_req_free_slots(&r->req), 1);
}

/* How messages end (MRC 1.0 6.3). */

static void mrc_requester_completes_on_ack_only(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	for (i = 0; i < 4; i++)
		post(r, i, 0, 2 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 8);
	sack_for(r, &r->sent[7], 7, 0);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	expect_none_done(r);
	/* An ACK of half of the second message completes only the first. */
	rx_ack(r, 2, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
	expect_none_done(r);
	/* An ACK completes several messages; old and duplicate ones none. */
	rx_ack(r, 7, MRC_SYN_ACK);
	expect_done(r, 1, MRC_OK);
	expect_done(r, 2, MRC_OK);
	expect_done(r, 3, MRC_OK);
	rx_ack(r, 2, MRC_SYN_ACK);
	rx_ack(r, 7, MRC_SYN_ACK);
	expect_none_done(r);
}

static void mrc_requester_psn_wraps(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 i, psn = 0xfffff8;

	cfg.sq_psn = psn;
	r = rig_of(test, &cfg, 1 << 20);
	for (i = 0; i < 8; i++)
		post(r, i, 0, 3 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 24);
	for (i = 0; i < 24; i++)
		KUNIT_EXPECT_EQ(test, r->sent[i].pkt.psn,
				(psn + i) & 0xffffff);
	sack_for(r, &r->sent[23], psn + 5, 0x3ffff);
	KUNIT_EXPECT_EQ(test, r->req.inflight, 0);
	rx_ack(r, (psn + 23) & 0xffffff, MRC_SYN_ACK);
	for (i = 0; i < 8; i++)
		expect_done(r, i, MRC_OK);
}

static const struct nak {
	const char *name;
	u8 syndrome;
	u8 status;
} naks[] = {
	{ "invalid request", MRC_SYN_NAK_INV_REQ, MRC_ERR_REM_INV_REQ },
	{ "remote access", MRC_SYN_NAK_REM_ACCESS, MRC_ERR_REM_ACCESS },
	{ "remote operation", MRC_SYN_NAK_REM_OP, MRC_ERR_REM_OP },
};

KUNIT_ARRAY_PARAM_DESC(nak, naks, name);

static void mrc_requester_nak_ends_message(struct kunit *test)
{
	const struct nak *n = test->param_value;
	struct rig *r = rig(test);
	u32 i;

	for (i = 0; i < 4; i++)
		post(r, i, 0, 2 * PMTU);
	send_all(r);
	/* A packet that was SACKed may get a NAK. */
	sack_for(r, &r->sent[7], 7, 0);
	rx_ack(r, 5, n->syndrome);
	expect_done(r, 0, MRC_OK);
	expect_done(r, 1, MRC_OK);
	expect_done(r, 2, n->status);
	expect_done(r, 3, MRC_ERR_FLUSH);
	expect_none_done(r);
	/* Nothing more is sent, later messages are flushed. */
	post(r, 4, 0, 1);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	expect_done(r, 4, MRC_ERR_FLUSH);
	KUNIT_EXPECT_EQ(test, mrc_req_deadline(&r->req), 0);
	KUNIT_EXPECT_EQ(test, r->req.status, n->status);
}

static void mrc_requester_unexp_event_ends_qp(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 0, 0, PMTU);
	post(r, 1, 0, PMTU);
	post(r, 2, 0, PMTU);
	send_all(r);
	rx_nack(r, 1, r->evs->ev[r->sent[1].path].value,
		MRC_NACK_UNEXP_EVENT);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_ERR_REM_OP);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	/* The first completion has the reason. */
	expect_done(r, 0, MRC_ERR_REM_OP);
	expect_done(r, 1, MRC_ERR_FLUSH);
	expect_done(r, 2, MRC_ERR_FLUSH);
}

/* A message that cannot be sent completes after all earlier ones. */
static void mrc_requester_error_completes_in_order(struct kunit *test)
{
	struct mrc_msg_desc d = {
		.cookie = 1, .status = MRC_ERR_LOC_PROT,
	};
	struct rig *r = rig(test);

	post(r, 0, 0, PMTU);
	mrc_req_post(&r->req, &d);
	post(r, 2, 0, PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	expect_none_done(r);
	rx_ack(r, 0, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
	expect_done(r, 1, MRC_ERR_LOC_PROT);
	expect_done(r, 2, MRC_ERR_FLUSH);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
}

static void mrc_requester_error_completes_at_once(struct kunit *test)
{
	struct mrc_msg_desc d = { .status = MRC_ERR_LOC_QP_OP };
	struct rig *r = rig(test);

	mrc_req_post(&r->req, &d);
	expect_done(r, 0, MRC_ERR_LOC_QP_OP);
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_ERR_LOC_QP_OP);
}

static void mrc_requester_abort_flushes_later(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 10, 0, PMTU);
	post(r, 11, 0, PMTU);
	post(r, 12, 0, PMTU);
	send_all(r);
	rx_ack(r, 0, MRC_SYN_ACK);
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_PROT);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_ERR_LOC_PROT);
	expect_done(r, 12, MRC_ERR_FLUSH);
	KUNIT_EXPECT_TRUE(test, mrc_req_free_slots(&r->req) == r->req.cfg.max_msgs);
}

/* Earlier messages complete normally; a second or unknown abort is ignored. */
static void mrc_requester_abort_waits_for_earlier(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 10, 0, PMTU);
	post(r, 11, 0, PMTU);
	send_all(r);
	post(r, 12, 0, PMTU);
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_PROT);
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_QP_OP);
	mrc_req_abort(&r->req, 99, MRC_ERR_LOC_PROT);
	expect_none_done(r);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	rx_ack(r, 0, MRC_SYN_ACK);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_ERR_LOC_PROT);
	expect_done(r, 12, MRC_ERR_FLUSH);
	KUNIT_EXPECT_TRUE(test, mrc_req_free_slots(&r->req) == r->req.cfg.max_msgs);
}

/* Losses and timeouts counted on any path. */
static u64 path_losses(const struct rig *r)
{
	u64 n = 0;
	u16 i;

	for (i = 0; i < PATHS; i++)
		n += r->evs->ev[i].stats.losses + r->evs->ev[i].stats.timeouts;
	return n;
}

/*
 * Packets of an aborted message may not have been sent: they are not
 * retransmitted, and their loss is no strike against a path.
 */
static void mrc_requester_abort_not_retransmitted(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	post(r, 10, 0, 2 * PMTU);
	post(r, 11, 0, 8 * PMTU);
	post(r, 12, 0, 8 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 18);
	sack_for(r, &r->sent[1], -1, BIT(1) | BIT(3));
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_PROT);
	KUNIT_EXPECT_EQ(test, r->req.inflight, r->req.pkts[0].nominal);
	KUNIT_EXPECT_NULL(test, books_req(&r->req));
	for (i = 0; i < 20 && !r->req.stats.rtx_pkts; i++) {
		KUNIT_ASSERT_TRUE(test, tick(r));
		send_all(r);
	}
	KUNIT_ASSERT_EQ(test, r->n, 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 1);
	KUNIT_EXPECT_EQ(test, path_losses(r), 1);

	/* Those that were sent may be acknowledged. */
	sack_for(r, &r->sent[0], 3, BIT(1));
	KUNIT_EXPECT_NULL(test, books_req(&r->req));
	rx_ack(r, 1, MRC_SYN_ACK);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_ERR_LOC_PROT);
	expect_done(r, 12, MRC_ERR_FLUSH);
	KUNIT_EXPECT_EQ(test, path_losses(r), 1);
}

/* They do not count as in flight in the congestion window. */
static void mrc_requester_abort_frees_window(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r = rig_of(test, &cfg, 8 * (PMTU + 100));
	u32 i;

	post(r, 10, 0, 2 * PMTU);
	post(r, 11, 0, 20 * PMTU);
	KUNIT_ASSERT_GT(test, send_all(r), 2);
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_PROT);
	for (i = 0; i < 20 && r->req.stats.rtx_pkts < 2; i++) {
		KUNIT_ASSERT_TRUE(test, tick(r));
		send_all(r);
	}
	KUNIT_EXPECT_EQ(test, r->req.stats.rtx_pkts, 2);
	rx_ack(r, 1, MRC_SYN_ACK);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_ERR_LOC_PROT);
}

/* Idle is what has sent everything, and has nothing to send again. */
static void mrc_requester_idle_when_all_is_acknowledged(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	KUNIT_EXPECT_TRUE(test, mrc_req_is_idle(&r->req));
	post(r, 10, 0, 2 * PMTU);
	KUNIT_EXPECT_FALSE(test, mrc_req_is_idle(&r->req));
	KUNIT_ASSERT_EQ(test, send_all(r), 2);
	KUNIT_EXPECT_FALSE(test, mrc_req_is_idle(&r->req));
	sack_for(r, &r->sent[1], 1, 0);
	KUNIT_EXPECT_TRUE(test, mrc_req_is_idle(&r->req));

	/* The ACK is missing: the timer has it requested again. */
	for (i = 0; i < 20 && mrc_req_is_idle(&r->req); i++)
		KUNIT_ASSERT_TRUE(test, tick(r));
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_ack(r, 1, MRC_SYN_ACK);
	KUNIT_EXPECT_TRUE(test, mrc_req_is_idle(&r->req));
}

/* If only the ACK of earlier messages is missing, AckReq is sent again. */
static void mrc_requester_abort_requests_lost_ack(struct kunit *test)
{
	struct rig *r = rig(test);
	u32 i;

	post(r, 10, 0, 2 * PMTU);
	post(r, 11, 0, 4 * PMTU);
	KUNIT_ASSERT_EQ(test, send_all(r), 6);
	mrc_req_abort(&r->req, 11, MRC_ERR_LOC_PROT);
	sack_for(r, &r->sent[1], 1, 0);
	for (i = 0; i < 20 && !r->req.stats.rtx_pkts; i++) {
		KUNIT_ASSERT_TRUE(test, tick(r));
		send_all(r);
	}
	KUNIT_ASSERT_EQ(test, r->n, 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].pkt.psn, 1);
	KUNIT_EXPECT_EQ(test, r->sent[0].cookie, 10);
	KUNIT_EXPECT_EQ(test, path_losses(r), 0);
}

/* Messages posted before the aborted one are still sent. */
static void mrc_requester_abort_sends_earlier(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 10, 0, PMTU);
	post(r, 11, 0, PMTU);
	post(r, 12, 0, PMTU);
	mrc_req_abort(&r->req, 12, MRC_ERR_LOC_PROT);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	rx_ack(r, 1, MRC_SYN_ACK);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_OK);
	expect_done(r, 12, MRC_ERR_LOC_PROT);
}

static void mrc_requester_flush_ends_unacked(struct kunit *test)
{
	struct rig *r = rig(test);

	post(r, 10, 0, PMTU);
	post(r, 11, 0, PMTU);
	send_all(r);
	rx_ack(r, 0, MRC_SYN_ACK);
	post(r, 12, 0, PMTU);
	mrc_req_flush(&r->req);
	expect_done(r, 10, MRC_OK);
	expect_done(r, 11, MRC_ERR_FLUSH);
	expect_done(r, 12, MRC_ERR_FLUSH);
	KUNIT_EXPECT_TRUE(test, mrc_req_free_slots(&r->req) == r->req.cfg.max_msgs);
}

static struct kunit_case mrc_requester_cases[] = {
	KUNIT_CASE_PARAM(mrc_requester_message_becomes_packets, message_gen_params),
	KUNIT_CASE(mrc_requester_msn_and_rqmsn),
	KUNIT_CASE(mrc_requester_solicited_on_last_of_send),
	KUNIT_CASE(mrc_requester_without_tseth),
	KUNIT_CASE(mrc_requester_bursts_suit_gso),
	KUNIT_CASE(mrc_requester_burst_rest_is_halved),
	KUNIT_CASE(mrc_requester_burst_fits_ip),
	KUNIT_CASE(mrc_requester_imm_breaks_burst),
	KUNIT_CASE(mrc_requester_psn_window_holds),
	KUNIT_CASE(mrc_requester_congestion_window_holds),
	KUNIT_CASE(mrc_requester_full_window_opens_for_a_batch),
	KUNIT_CASE(mrc_requester_shared_window_opens_for_a_burst),
	KUNIT_CASE(mrc_requester_bursts_follow_window),
	KUNIT_CASE(mrc_requester_bursts_among_marks),
	KUNIT_CASE(mrc_requester_bursts_before_marks),
	KUNIT_CASE(mrc_requester_idle_window_admits),
	KUNIT_CASE(mrc_requester_tiny_window_admits_one),
	KUNIT_CASE(mrc_requester_larger_window_admits),
	KUNIT_CASE(mrc_requester_window_limit_holds),
	KUNIT_CASE(mrc_requester_max_wimm_holds),
	KUNIT_CASE(mrc_requester_slot_freed_by_pop),
	KUNIT_CASE(mrc_requester_completes_on_ack_only),
	KUNIT_CASE(mrc_requester_psn_wraps),
	KUNIT_CASE_PARAM(mrc_requester_nak_ends_message, nak_gen_params),
	KUNIT_CASE(mrc_requester_unexp_event_ends_qp),
	KUNIT_CASE(mrc_requester_error_completes_in_order),
	KUNIT_CASE(mrc_requester_error_completes_at_once),
	KUNIT_CASE(mrc_requester_abort_flushes_later),
	KUNIT_CASE(mrc_requester_abort_waits_for_earlier),
	KUNIT_CASE(mrc_requester_abort_not_retransmitted),
	KUNIT_CASE(mrc_requester_abort_frees_window),
	KUNIT_CASE(mrc_requester_idle_when_all_is_acknowledged),
	KUNIT_CASE(mrc_requester_abort_requests_lost_ack),
	KUNIT_CASE(mrc_requester_abort_sends_earlier),
	KUNIT_CASE(mrc_requester_flush_ends_unacked),
	{}
};

static struct kunit_suite mrc_requester_suite = {
	.name = "mrc_requester",
	.test_cases = mrc_requester_cases,
};

kunit_test_suite(mrc_requester_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC requester");
MODULE_LICENSE("Dual BSD/GPL");
