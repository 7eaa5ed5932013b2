// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs: packets, order of execution, placement of responses, and
 * when a requester is stalled.
 */
#include "mrc_req_sample.h"
#include "core/rd_atomic.h"
#include "core/responder.h"
#include "core/rd_pending.h"

#define RESPONSE		(MRC_MSG_RESPONSE | MRC_MSG_READ)
#define LEN_MAX		MRC_MSG_MAX

/* Packets. */

static void expect_encode_decode(struct kunit *test, const u8 *vec, u32 len,
				 const struct mrc_pkt_data *d, struct mrc_pkt *p)
{
	u8 buf[MRC_DATA_HDR_MAX];

	KUNIT_EXPECT_EQ(test, mrc_pkt_put_data(buf, d), len);
	KUNIT_EXPECT_MEMEQ(test, buf, vec, len);
	KUNIT_ASSERT_EQ(test, 0, mrc_pkt_decode_hdr(vec, len,
						    len + MRC_ICRC_LEN, p));
	KUNIT_EXPECT_EQ(test, p->op->code, d->opcode);
	KUNIT_EXPECT_EQ(test, p->rqmsn, d->rqmsn);
	KUNIT_EXPECT_EQ(test, p->payload_len, 0);
	KUNIT_EXPECT_NE(test, 0, mrc_pkt_decode_hdr(vec, len, len + 3, p));
	KUNIT_EXPECT_NE(test, 0, mrc_pkt_decode_hdr(vec, len, len + 8, p));
	KUNIT_ASSERT_EQ(test, 0, mrc_pkt_decode_hdr(vec, len,
						    len + MRC_ICRC_LEN, p));
}

static void mrc_rd_atomic_vector_cmp_swap(struct kunit *test)
{
	static const u8 vec[] = {
		0xd3, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
		0x90, 0x00, 0x01, 0x01,
		0x00, 0x05, 0x00, 0x07, 0xbe, 0xef, 0x00, 0x01,
		0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x08,
		0x00, 0x00, 0x12, 0x34,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x00, 0xab, 0xcd, 0xef,
	};
	static const struct mrc_pkt_data d = {
		.opcode = MRC_OP_CMP_SWAP,
		.flags = MRC_PF_ACKREQ | MRC_PF_TS,
		.dest_qpn = 0x123,
		.psn = 0x101,
		.rqmsn = 5,
		.msn = 7,
		.tx_ts = 0xbeef,
		.va = 0x7f0000001008,
		.rkey = 0x1234,
		.swap = 0x0102030405060708,
		.compare = 0x1112131415161718,
		.rpsn = 0xabcdef,
	};
	struct mrc_pkt p;

	expect_encode_decode(test, vec, sizeof(vec), &d, &p);
	KUNIT_EXPECT_EQ(test, p.va, d.va);
	KUNIT_EXPECT_EQ(test, p.rkey, d.rkey);
	KUNIT_EXPECT_EQ(test, p.swap, d.swap);
	KUNIT_EXPECT_EQ(test, p.compare, d.compare);
	KUNIT_EXPECT_EQ(test, p.rpsn, d.rpsn);
	KUNIT_EXPECT_EQ(test, p.dmalen, 8);
}

static void mrc_rd_atomic_vector_response(struct kunit *test)
{
	static const u8 vec[] = {
		0xd2, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x23,
		0x00, 0x00, 0x01, 0x01,
		0x00, 0x05, 0x00, 0x07,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	};
	static const struct mrc_pkt_data d = {
		.opcode = MRC_OP_ATOMIC_ACK,
		.dest_qpn = 0x123,
		.psn = 0x101,
		.rqmsn = 5,
		.msn = 7,
		.orig = 0x0102030405060708,
	};
	struct mrc_pkt p;

	expect_encode_decode(test, vec, sizeof(vec), &d, &p);
	KUNIT_EXPECT_EQ(test, p.orig, d.orig);
	KUNIT_EXPECT_EQ(test, p.dmalen, 8);
}

/* Requester. */

static struct rig *rda_rig(struct kunit *test, u32 max_rd_atomic)
{
	struct mrc_req_cfg cfg = rig_cfg();

	cfg.max_rd_atomic = max_rd_atomic;
	return rig_of(test, &cfg, 64 << 20);
}

static bool can_post(const struct rig *r, u16 flags, u32 length)
{
	const struct mrc_msg_desc d = { .flags = flags, .length = length };

	return mrc_req_can_post(&r->req, &d);
}

/* A READ is one packet without payload, whatever its length. */
static void mrc_rd_atomic_request_has_no_payload(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);
	const struct mrc_pkt *p = &r->sent[0].pkt;

	post(r, 0, MRC_MSG_READ, 10 * PMTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	KUNIT_EXPECT_EQ(test, p->op->code, MRC_OP_READ_REQUEST);
	KUNIT_EXPECT_EQ(test, p->payload_len, 0);
	KUNIT_EXPECT_EQ(test, p->dmalen, 10 * PMTU);
	KUNIT_EXPECT_EQ(test, p->va, RADDR);
	KUNIT_EXPECT_EQ(test, p->rkey, RKEY);

	post(r, 1, MRC_MSG_ATOMIC, 8);
	post(r, 2, MRC_MSG_ATOMIC | MRC_MSG_CMP_SWAP, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	KUNIT_EXPECT_EQ(test, p[0].op->code, MRC_OP_FETCH_ADD);
	KUNIT_EXPECT_EQ(test, p[0].rqmsn, 1);
	KUNIT_EXPECT_EQ(test, r->sent[1].pkt.op->code, MRC_OP_CMP_SWAP);
	KUNIT_EXPECT_EQ(test, r->sent[1].pkt.rqmsn, 2);
}

/* Packets of a response: offsets, no R_Key, the number of the request. */
static void mrc_rd_atomic_response_packets(struct kunit *test)
{
	static const u8 opcodes[] = {
		MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_MIDDLE,
		MRC_OP_READ_RSP_LAST,
	};
	struct rig *r = rda_rig(test, 4);
	const struct mrc_rd_atomic read = {
		.va = RADDR, .rkey = RKEY, .length = 2 * PMTU + 1, .sn = 77,
		.opcode = MRC_OP_READ_REQUEST,
	};
	struct mrc_msg_desc d;
	u32 i;

	mrc_rd_atomic_response(&read, 0, &d);
	KUNIT_EXPECT_EQ(test, d.raddr, RADDR);
	KUNIT_EXPECT_EQ(test, d.rkey, RKEY);
	mrc_req_post(&r->req, &d);
	KUNIT_ASSERT_EQ(test, send_all(r), 3);
	for (i = 0; i < 3; i++) {
		const struct mrc_pkt *p = &r->sent[i].pkt;

		KUNIT_EXPECT_EQ(test, p->op->code, opcodes[i]);
		KUNIT_EXPECT_EQ(test, p->va, i * PMTU);
		KUNIT_EXPECT_EQ(test, p->rkey, 0);
		KUNIT_EXPECT_EQ(test, p->rqmsn, 77);
		KUNIT_EXPECT_EQ(test, p->dmalen, read.length);
	}
	rx_ack(r, 2, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
}

/* Needs ACK and response; later work requests wait, too. */
static void mrc_rd_atomic_completes_on_ack_and_response(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);

	post(r, 0, MRC_MSG_READ, 8);
	post(r, 1, MRC_MSG_READ, 8);
	post(r, 2, 0, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 3);
	rx_ack(r, 2, MRC_SYN_ACK);
	expect_none_done(r);
	mrc_req_on_response(&r->req, 1, r->now);
	expect_none_done(r);
	mrc_req_on_response(&r->req, 0, r->now);
	expect_done(r, 0, MRC_OK);
	expect_done(r, 1, MRC_OK);
	expect_done(r, 2, MRC_OK);
}

/* A response before the ACK of its request does not complete it. */
static void mrc_rd_atomic_response_before_ack(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);

	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	mrc_req_on_response(&r->req, 0, r->now);
	expect_none_done(r);
	rx_ack(r, 0, MRC_SYN_ACK);
	expect_done(r, 0, MRC_OK);
}

/* Responses without a pending request, and duplicates, are ignored. */
static void mrc_rd_atomic_stray_response_ignored(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);

	mrc_req_on_response(&r->req, 0, r->now);
	post(r, 0, MRC_MSG_READ, 8);
	mrc_req_on_response(&r->req, 0, r->now);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	mrc_req_on_response(&r->req, 1, r->now);
	mrc_req_on_response(&r->req, 0xffff, r->now);
	rx_ack(r, 0, MRC_SYN_ACK);
	expect_none_done(r);
	mrc_req_on_response(&r->req, 0, r->now);
	mrc_req_on_response(&r->req, 0, r->now);
	expect_done(r, 0, MRC_OK);
}

/* The limit counts from the oldest request without response. */
static void mrc_rd_atomic_outstanding_limited(struct kunit *test)
{
	struct rig *r = rda_rig(test, 2);

	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_READ, 8));
	post(r, 1, MRC_MSG_ATOMIC, 8);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_READ, 8));
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_ATOMIC, 8));
	KUNIT_EXPECT_TRUE(test, can_post(r, 0, 8));
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_RESPONSE | MRC_MSG_READ, 8));
	post(r, 2, MRC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	mrc_req_on_response(&r->req, 1, r->now);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	mrc_req_on_response(&r->req, 0, r->now);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* A window of few full packets is large for requests: those that may be sent leave together. */
static void mrc_rd_atomic_requests_leave_together(struct kunit *test)
{
	static struct mrc_cc_ops ops;
	struct rig *r = rda_rig(test, 4);
	struct mrc_burst b;
	u32 i;

	ops = mrc_cc_fixed;
	ops.batch = 0;
	r->req.cc.ops = &ops;
	r->req.cc.cwnd = MRC_CC_BURSTS_QUIET * 4 * 128;
	KUNIT_ASSERT_EQ(test, mrc_cc_burst(&r->req.cc, 1, r->req.cc.cfg.mtu, 16), 1);
	for (i = 0; i < 4; i++)
		post(r, i, MRC_MSG_READ, 1 << 16);
	KUNIT_ASSERT_TRUE(test, mrc_req_next_burst(&r->req, r->now, &b));
	KUNIT_EXPECT_EQ(test, b.n, 4);
	KUNIT_EXPECT_FALSE(test, mrc_req_next_burst(&r->req, r->now, &b));
}

static void mrc_rd_atomic_fence_waits_for_response(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);

	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_FENCE, 8));
	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_FENCE, 8));
	post(r, 1, 0, 8);
	post(r, 2, MRC_MSG_FENCE, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	rx_ack(r, 1, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, send_all(r), 0);
	mrc_req_on_response(&r->req, 0, r->now);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
}

/* A failed message before responses that the peer awaits would delay them. */
static void mrc_rd_atomic_post_failed_after_responses(struct kunit *test)
{
	const struct mrc_msg_desc d = { .status = MRC_ERR_LOC_PROT };
	struct rig *r = rda_rig(test, 4);

	KUNIT_EXPECT_TRUE(test, mrc_req_can_post(&r->req, &d));
	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_FALSE(test, mrc_req_can_post(&r->req, &d));
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_ack(r, 0, MRC_SYN_ACK);
	KUNIT_EXPECT_FALSE(test, mrc_req_can_post(&r->req, &d));
	mrc_req_on_response(&r->req, 0, r->now);
	KUNIT_EXPECT_TRUE(test, mrc_req_can_post(&r->req, &d));
}

/* A message beyond max_wimm would delay responses that the peer awaits. */
static void mrc_rd_atomic_post_sends_up_to_max_wimm(struct kunit *test)
{
	struct rig *r = rda_rig(test, 4);
	u32 i;

	for (i = 0; i < r->req.cfg.max_wimm; i++) {
		KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_SEND, 8));
		post(r, i, MRC_MSG_SEND, 8);
	}
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_SEND, 8));
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_IMM, 8));
	KUNIT_EXPECT_TRUE(test, can_post(r, 0, 8));
	send_all(r);
	rx_ack(r, 0, MRC_SYN_ACK);
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_SEND, 8));
}

/* Slots for as many responses as the peer may request stay free. */
static void mrc_rd_atomic_post_leaves_slots(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u32 i;

	cfg.max_rd_atomic = MRC_RD_ATOMIC_MAX;
	cfg.max_responses = 16;
	r = rig_of(test, &cfg, 64 << 20);
	for (i = 0; mrc_req_free_slots(&r->req) > cfg.max_responses; i++) {
		KUNIT_EXPECT_TRUE(test, can_post(r, 0, 8));
		post(r, i, 0, 8);
	}
	KUNIT_EXPECT_GT(test, i, 0);
	KUNIT_EXPECT_FALSE(test, can_post(r, 0, 8));
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_READ, 8));
	for (i = 0; i < cfg.max_responses; i++) {
		KUNIT_EXPECT_TRUE(test, can_post(r, RESPONSE, 8));
		post(r, i, RESPONSE, 8);
	}
	KUNIT_EXPECT_FALSE(test, can_post(r, RESPONSE, 8));
	KUNIT_EXPECT_FALSE(test, can_post(r, 0, 8));
}

/* 2 GiB in packets of 256 bytes: 2^23 packets, the most that a message has. */
static struct rig *long_rig(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();

	cfg.max_rd_atomic = 4;
	cfg.pmtu = 256;
	return rig_of(test, &cfg, 64 << 20);
}

/*
 * After a READ without response only so many PSNs are posted as serial
 * arithmetic can compare, the longest response included.
 */
static void mrc_rd_atomic_post_leaves_psns(struct kunit *test)
{
	struct rig *r = long_rig(test);

	KUNIT_EXPECT_TRUE(test, can_post(r, 0, LEN_MAX));
	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_FALSE(test, can_post(r, 0, LEN_MAX));
	KUNIT_EXPECT_FALSE(test, can_post(r, 0, LEN_MAX - 256));
	KUNIT_EXPECT_TRUE(test, can_post(r, 0, LEN_MAX - 512));
	post(r, 1, 0, LEN_MAX - 512);
	KUNIT_EXPECT_EQ(test, mrc_req_unsent(&r->req), BIT(23) - 1);
	KUNIT_EXPECT_FALSE(test, can_post(r, 0, 8));
	KUNIT_EXPECT_TRUE(test, can_post(r, RESPONSE, LEN_MAX));
	post(r, 2, RESPONSE, LEN_MAX);
	KUNIT_EXPECT_EQ(test, mrc_req_unsent(&r->req), BIT(24) - 1);
	KUNIT_EXPECT_FALSE(test, can_post(r, RESPONSE, 8));
}

/* PSNs of all requested responses are within the limit of the peer. */
static void mrc_rd_atomic_post_bounds_responses(struct kunit *test)
{
	struct rig *r = long_rig(test);

	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_READ, LEN_MAX));
	post(r, 0, MRC_MSG_READ, LEN_MAX);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_READ, 8));
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	mrc_req_on_response(&r->req, 0, r->now);
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_READ, 8));

	post(r, 1, MRC_MSG_ATOMIC, 8);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_READ, LEN_MAX / 2));
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_READ, LEN_MAX / 2 - 256));
	post(r, 2, MRC_MSG_READ, LEN_MAX / 2 - 256);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_ATOMIC, 8));
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	/* Counted from the oldest request without response. */
	mrc_req_on_response(&r->req, 2, r->now);
	KUNIT_EXPECT_FALSE(test, can_post(r, MRC_MSG_ATOMIC, 8));
	mrc_req_on_response(&r->req, 1, r->now);
	KUNIT_EXPECT_TRUE(test, can_post(r, MRC_MSG_READ, LEN_MAX));
}

/* An acknowledged request may get a NAK until its response is complete. */
static void mrc_rd_atomic_nak_valid_until_response(struct kunit *test)
{
	static const struct {
		u8 syndrome;
		enum mrc_status status;
	} naks[] = {
		{ MRC_SYN_NAK_REM_ACCESS, MRC_ERR_REM_ACCESS },
		{ MRC_SYN_NAK_INV_REQ, MRC_ERR_REM_INV_REQ },
		{ MRC_SYN_NAK_REM_OP, MRC_ERR_REM_OP },
	};
	struct rig *r;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(naks); i++) {
		r = rda_rig(test, 4);
		post(r, 0, 0, 8);
		post(r, 1, MRC_MSG_READ, 8);
		post(r, 2, MRC_MSG_ATOMIC, 8);
		post(r, 3, 0, 8);
		KUNIT_EXPECT_EQ(test, send_all(r), 4);
		rx_ack(r, 3, MRC_SYN_ACK);
		expect_done(r, 0, MRC_OK);
		/* Not PSNs of pending requests; and a NAK that ends none. */
		rx_ack(r, 0, naks[i].syndrome);
		rx_ack(r, 3, naks[i].syndrome);
		rx_ack(r, 1, MRC_SYN_NAK_PSN_SEQ);
		expect_none_done(r);
		mrc_req_on_response(&r->req, 0, r->now);
		expect_done(r, 1, MRC_OK);
		rx_ack(r, 1, naks[i].syndrome);
		expect_none_done(r);
		rx_ack(r, 2, naks[i].syndrome);
		expect_done(r, 2, naks[i].status);
		expect_done(r, 3, MRC_ERR_FLUSH);
	}
}

/* A new timeout keeps the RTO running while a response is pending. */
static void mrc_rd_atomic_new_timeout_keeps_rto(struct kunit *test)
{
	const struct mrc_cc_cfg cc = { .mtu = PMTU + 100, .max_cwnd = 64 << 20 };
	struct rig *r = rda_rig(test, 4);
	struct mrc_req_cfg cfg = r->req.cfg;

	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_ack(r, 0, MRC_SYN_ACK);
	KUNIT_EXPECT_NE(test, r->req.rto.at, 0);
	cfg.timeout_ns *= 2;
	mrc_req_change(&r->req, &cfg, &mrc_cc_fixed, &cc, r->now);
	KUNIT_EXPECT_NE(test, r->req.rto.at, 0);
}

/* Responder. */

static struct mrc_rsp *responder(struct kunit *test, u32 max_rd_atomic)
{
	const struct mrc_rsp_cfg cfg = {
		.peer_qpn = 3, .mpr = 64, .max_wimm = 4,
		.max_dest_rd_atomic = max_rd_atomic, .sack_threshold = MRC_SACK_THRESHOLD,
	};
	struct mrc_rsp *rsp = kunit_kzalloc(test, sizeof(*rsp), GFP_KERNEL);
	void *mem = kunit_kzalloc(test, mrc_rsp_mem_size(&cfg), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rsp);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	mrc_rsp_init(rsp, &cfg, mem);
	return rsp;
}

static enum mrc_rsp_verdict rx(struct mrc_rsp *rsp, u8 opcode, u32 psn, u16 n)
{
	const struct mrc_pkt pkt = {
		.op = mrc_opcode_get(opcode), .psn = psn, .rqmsn = n,
		.va = 8 * n, .dmalen = 8,
	};
	enum mrc_rsp_verdict v = mrc_rsp_accept(rsp, &pkt, 1, false);

	if (v == MRC_RSP_NEW)
		mrc_rsp_placed(rsp, &pkt, 1, false);
	return v;
}

static void expect_request(struct kunit *test, struct mrc_rsp *rsp, u16 n)
{
	struct mrc_rd_atomic rda;

	KUNIT_ASSERT_TRUE(test, mrc_rsp_pop_rd_atomic(rsp, &rda));
	KUNIT_EXPECT_EQ(test, rda.sn, n);
	KUNIT_EXPECT_EQ(test, rda.va, 8 * n);
}

static void expect_no_request(struct kunit *test, struct mrc_rsp *rsp)
{
	struct mrc_rd_atomic rda;

	KUNIT_EXPECT_FALSE(test, mrc_rsp_pop_rd_atomic(rsp, &rda));
}

/* In order, after all packets with lower PSNs have arrived, and once. */
static void mrc_rd_atomic_executed_in_order_once(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 4);

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_FETCH_ADD, 2, 1), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 1, 0), MRC_RSP_NEW);
	expect_no_request(test, rsp);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_WRITE_ONLY, 0, 0), MRC_RSP_NEW);
	expect_request(test, rsp, 0);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_FETCH_ADD, 2, 1), MRC_RSP_DUP);
	expect_request(test, rsp, 1);
	expect_no_request(test, rsp);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_FETCH_ADD, 2, 1), MRC_RSP_DUP);
	expect_no_request(test, rsp);
}

/* Three may be in flight, in a ring of four slots, and request numbers wrap. */
static void mrc_rd_atomic_any_number_of_resources(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 3);
	u16 n = 0xfffe;
	u32 psn = 0;

	rsp->next_rd_atomic = n;
	for (; n != 7; n += 3) {
		KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, psn + 2, n + 2),
				MRC_RSP_NEW);
		KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, psn, n), MRC_RSP_NEW);
		KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, psn + 1, n + 1),
				MRC_RSP_NEW);
		expect_request(test, rsp, n);
		expect_request(test, rsp, n + 1);
		expect_request(test, rsp, n + 2);
		psn += 3;
	}
	expect_no_request(test, rsp);
}

/* Requests after a refused one are not executed. */
static void mrc_rd_atomic_none_executed_after_nak(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 4);

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 0, 0), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_FETCH_ADD, 1, 1), MRC_RSP_NEW);
	expect_request(test, rsp, 0);
	mrc_rsp_fail_msg(rsp, 0, MRC_SYN_NAK_REM_ACCESS);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(rsp));
	expect_no_request(test, rsp);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_WRITE_ONLY, 2, 0), MRC_RSP_DROP);
}

/* The NAK names a request that is more than half the PSN space behind. */
static void mrc_rd_atomic_nak_beyond_half_psn_space(struct kunit *test)
{
	const u32 far = BIT(23) + 5;
	struct mrc_rsp *rsp = responder(test, 4);
	struct rig *r = rda_rig(test, 4);
	struct mrc_ack_batch a;
	struct mrc_pkt p;

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 0, 0), MRC_RSP_NEW);
	expect_request(test, rsp, 0);
	rsp->cack += far;
	rsp->max_rcv += far;
	mrc_rsp_fail_msg(rsp, 0, MRC_SYN_NAK_REM_ACCESS);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(rsp));
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_WRITE_ONLY, far + 1, 0),
			MRC_RSP_DROP);
	KUNIT_ASSERT_TRUE(test, mrc_rsp_build_acks(rsp, &a));
	KUNIT_ASSERT_EQ(test, 0, mrc_pkt_decode_hdr(a.buf + a.len - MRC_ACK_LEN,
						    MRC_ACK_LEN, MRC_ACK_LEN,
						    &p));
	KUNIT_EXPECT_EQ(test, p.ack.psn, 0);
	KUNIT_EXPECT_EQ(test, p.ack.syndrome, MRC_SYN_NAK_REM_ACCESS);

	post(r, 0, MRC_MSG_READ, 8);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	rx_ack(r, 0, MRC_SYN_ACK);
	r->req.una += far;
	r->req.nxt += far;
	r->req.end += far;
	r->req.ack_psn += far;
	rx_ack(r, 0, MRC_SYN_NAK_REM_ACCESS);
	expect_done(r, 0, MRC_ERR_REM_ACCESS);
}

static void mrc_rd_atomic_beyond_resources_refused(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 2);

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 0, 0), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 1, 1), MRC_RSP_NEW);
	expect_request(test, rsp, 0);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 2, 2), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 3, 3),
			MRC_RSP_DROP);
	KUNIT_EXPECT_TRUE(test, mrc_rsp_failed(rsp));
	KUNIT_EXPECT_EQ(test, rsp->fail_syndrome, MRC_SYN_NAK_INV_REQ);
}

static void mrc_rd_atomic_repeated_number_refused(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 4);

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 0, 1), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 1, 1),
			MRC_RSP_DROP);
	KUNIT_EXPECT_TRUE(test, rsp->fail_set);

	/* A number that has been executed. */
	rsp = responder(test, 4);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 0, 0), MRC_RSP_NEW);
	expect_request(test, rsp, 0);
	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_READ_REQUEST, 1, 0),
			MRC_RSP_DROP);
}

static void mrc_rd_atomic_refused_unless_agreed(struct kunit *test)
{
	struct mrc_rsp *rsp = responder(test, 0);

	KUNIT_EXPECT_EQ(test, rx(rsp, MRC_OP_FETCH_ADD, 0, 0), MRC_RSP_DROP);
	KUNIT_EXPECT_TRUE(test, rsp->fail_set);
}

static enum mrc_rsp_verdict rx_at(struct kunit *test, u8 opcode, u64 va,
				  u32 dmalen)
{
	struct mrc_rsp *rsp = responder(test, 1);
	const struct mrc_pkt pkt = {
		.op = mrc_opcode_get(opcode), .va = va, .dmalen = dmalen,
	};
	enum mrc_rsp_verdict v = mrc_rsp_accept(rsp, &pkt, 1, false);

	if (v == MRC_RSP_DROP)
		KUNIT_EXPECT_EQ(test, rsp->fail_syndrome, MRC_SYN_NAK_INV_REQ);
	return v;
}

/* ATOMICs must be aligned; a range must not wrap at the last address. */
static void mrc_rd_atomic_bad_address_refused(struct kunit *test)
{
	const u8 read = MRC_OP_READ_REQUEST;
	u32 i;

	for (i = 1; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, rx_at(test, MRC_OP_FETCH_ADD, 64 + i, 8),
				MRC_RSP_DROP);
		KUNIT_EXPECT_EQ(test, rx_at(test, MRC_OP_CMP_SWAP, 64 + i, 8),
				MRC_RSP_DROP);
		KUNIT_EXPECT_EQ(test, rx_at(test, read, 64 + i, 8),
				MRC_RSP_NEW);
	}
	KUNIT_EXPECT_EQ(test, rx_at(test, MRC_OP_CMP_SWAP, -8ULL, 8),
			MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(test, read, -8ULL, 8), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(test, read, -8ULL, 9), MRC_RSP_DROP);
	KUNIT_EXPECT_EQ(test, rx_at(test, read, -1ULL, 0), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(test, read, 0, LEN_MAX), MRC_RSP_NEW);
	KUNIT_EXPECT_EQ(test, rx_at(test, read, 0, LEN_MAX + 1), MRC_RSP_DROP);
}

/* Responses. */

static struct mrc_pkt rsp_pkt(u8 opcode, u16 n, u32 dmalen, u16 len)
{
	return (struct mrc_pkt){
		.op = mrc_opcode_get(opcode), .rqmsn = n, .dmalen = dmalen,
		.payload_len = len,
	};
}

static void expect_no_place(struct kunit *test, const struct mrc_rd_pending *r,
			    u8 opcode, u16 n, u32 dmalen, u16 len)
{
	struct mrc_pkt p = rsp_pkt(opcode, n, dmalen, len);

	KUNIT_EXPECT_NULL(test, mrc_rd_pending_find(r, &p));
}

static void add_pending(struct mrc_rd_pending *r, u8 opcode, u16 n, u32 length)
{
	const struct mrc_burst_pkt bp = {
		.hdr = { .opcode = opcode, .rqmsn = n, .dmalen = length },
		.cookie = 100 + n,
	};

	mrc_rd_pending_add(r, &bp);
}

static void expect_place(struct kunit *test, struct mrc_rd_pending *r, u8 opcode,
			 u16 n, u32 dmalen, u16 len)
{
	struct mrc_pkt p = rsp_pkt(opcode, n, dmalen, len);
	const struct mrc_rd_pending_entry *res = mrc_rd_pending_find(r, &p);

	KUNIT_ASSERT_NOT_NULL(test, res);
	KUNIT_EXPECT_EQ(test, res->cookie, 100 + n);
	mrc_rd_pending_placed(r, &p);
}

static void mrc_rd_atomic_response_placed_once(struct kunit *test)
{
	struct mrc_rd_pending r;
	u16 n;

	mrc_rd_pending_init(&r);
	expect_no_place(test, &r, MRC_OP_READ_RSP_ONLY, 0, 0, 0);
	add_pending(&r, MRC_OP_READ_REQUEST, 0, 3000);
	add_pending(&r, MRC_OP_FETCH_ADD, 1, 8);
	add_pending(&r, MRC_OP_READ_REQUEST, 2, 0);
	expect_no_place(test, &r, MRC_OP_READ_RSP_FIRST, 3, 3000, 1024);
	expect_no_place(test, &r, MRC_OP_READ_RSP_FIRST, 16, 3000, 1024);
	expect_no_place(test, &r, MRC_OP_READ_RSP_FIRST, 0, 2000, 1024);
	expect_no_place(test, &r, MRC_OP_ATOMIC_ACK, 0, 8, 0);
	expect_no_place(test, &r, MRC_OP_READ_RSP_ONLY, 1, 8, 8);

	expect_place(test, &r, MRC_OP_READ_RSP_MIDDLE, 0, 3000, 1024);
	KUNIT_EXPECT_FALSE(test, mrc_rd_pending_pop(&r, &n));
	/* The request is retransmitted: placed packets still count. */
	add_pending(&r, MRC_OP_READ_REQUEST, 0, 3000);
	expect_place(test, &r, MRC_OP_READ_RSP_FIRST, 0, 3000, 1024);
	expect_no_place(test, &r, MRC_OP_READ_RSP_MIDDLE, 0, 3000, 1024);
	expect_place(test, &r, MRC_OP_READ_RSP_LAST, 0, 3000, 952);
	KUNIT_ASSERT_TRUE(test, mrc_rd_pending_pop(&r, &n));
	KUNIT_EXPECT_EQ(test, n, 0);
	expect_no_place(test, &r, MRC_OP_READ_RSP_LAST, 0, 3000, 0);

	expect_place(test, &r, MRC_OP_ATOMIC_ACK, 1, 8, 0);
	expect_no_place(test, &r, MRC_OP_ATOMIC_ACK, 1, 8, 0);
	expect_place(test, &r, MRC_OP_READ_RSP_ONLY, 2, 0, 0);
	KUNIT_EXPECT_TRUE(test, mrc_rd_pending_pop(&r, &n));
	KUNIT_EXPECT_TRUE(test, mrc_rd_pending_pop(&r, &n));
	KUNIT_EXPECT_FALSE(test, mrc_rd_pending_pop(&r, &n));
}

/* The retransmission of an old request does not take the slot of a new one. */
static void mrc_rd_atomic_old_request_keeps_out_of_slot(struct kunit *test)
{
	struct mrc_rd_pending r;
	u16 n;

	mrc_rd_pending_init(&r);
	add_pending(&r, MRC_OP_FETCH_ADD, 0, 8);
	expect_place(test, &r, MRC_OP_ATOMIC_ACK, 0, 8, 0);
	KUNIT_EXPECT_TRUE(test, mrc_rd_pending_pop(&r, &n));
	add_pending(&r, MRC_OP_FETCH_ADD, 0, 8);
	expect_no_place(test, &r, MRC_OP_ATOMIC_ACK, 0, 8, 0);
	add_pending(&r, MRC_OP_FETCH_ADD, MRC_RD_ATOMIC_MAX, 8);
	add_pending(&r, MRC_OP_FETCH_ADD, 0, 8);
	expect_place(test, &r, MRC_OP_ATOMIC_ACK, MRC_RD_ATOMIC_MAX, 8, 0);
}

static void mrc_rd_atomic_response_after_close_ignored(struct kunit *test)
{
	struct mrc_rd_pending r;

	mrc_rd_pending_init(&r);
	add_pending(&r, MRC_OP_READ_REQUEST, 0, 8);
	mrc_rd_pending_close(&r);
	expect_no_place(test, &r, MRC_OP_READ_RSP_ONLY, 0, 8, 8);
}

static struct kunit_case mrc_rd_atomic_cases[] = {
	KUNIT_CASE(mrc_rd_atomic_vector_cmp_swap),
	KUNIT_CASE(mrc_rd_atomic_vector_response),
	KUNIT_CASE(mrc_rd_atomic_request_has_no_payload),
	KUNIT_CASE(mrc_rd_atomic_response_packets),
	KUNIT_CASE(mrc_rd_atomic_completes_on_ack_and_response),
	KUNIT_CASE(mrc_rd_atomic_response_before_ack),
	KUNIT_CASE(mrc_rd_atomic_stray_response_ignored),
	KUNIT_CASE(mrc_rd_atomic_outstanding_limited),
	KUNIT_CASE(mrc_rd_atomic_requests_leave_together),
	KUNIT_CASE(mrc_rd_atomic_fence_waits_for_response),
	KUNIT_CASE(mrc_rd_atomic_post_failed_after_responses),
	KUNIT_CASE(mrc_rd_atomic_post_sends_up_to_max_wimm),
	KUNIT_CASE(mrc_rd_atomic_post_leaves_slots),
	KUNIT_CASE(mrc_rd_atomic_post_leaves_psns),
	KUNIT_CASE(mrc_rd_atomic_post_bounds_responses),
	KUNIT_CASE(mrc_rd_atomic_nak_valid_until_response),
	KUNIT_CASE(mrc_rd_atomic_nak_beyond_half_psn_space),
	KUNIT_CASE(mrc_rd_atomic_new_timeout_keeps_rto),
	KUNIT_CASE(mrc_rd_atomic_executed_in_order_once),
	KUNIT_CASE(mrc_rd_atomic_any_number_of_resources),
	KUNIT_CASE(mrc_rd_atomic_none_executed_after_nak),
	KUNIT_CASE(mrc_rd_atomic_beyond_resources_refused),
	KUNIT_CASE(mrc_rd_atomic_repeated_number_refused),
	KUNIT_CASE(mrc_rd_atomic_refused_unless_agreed),
	KUNIT_CASE(mrc_rd_atomic_bad_address_refused),
	KUNIT_CASE(mrc_rd_atomic_response_placed_once),
	KUNIT_CASE(mrc_rd_atomic_old_request_keeps_out_of_slot),
	KUNIT_CASE(mrc_rd_atomic_response_after_close_ignored),
	{}
};

static struct kunit_suite mrc_rd_atomic_suite = {
	.name = "mrc_rd_atomic",
	.test_cases = mrc_rd_atomic_cases,
};

kunit_test_suite(mrc_rd_atomic_suite);

MODULE_DESCRIPTION("KUnit tests of READs and ATOMICs");
MODULE_LICENSE("Dual BSD/GPL");
