/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester under test: its packets are decoded, acknowledgments are made by
 * the test.  For the suites of the requester.
 */
#ifndef MRC_REQ_SAMPLE_H
#define MRC_REQ_SAMPLE_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/packet.h"
#include "core/psn.h"
#include "core/req_internal.h"
#include "core/requester.h"
#include "mrc_books.h"
#include "mrc_ev_sample.h"

#define MS		1000000ULL
#define SECOND		(1000 * MS)
#define T0		(3600 * SECOND)
#define PMTU		1024
#define QPN		0x4711
#define RADDR		0x7f0000000000ULL
#define RKEY		0x1234
#define MAX_PKTS	512

/**
 * struct sent - a packet that the requester has sent
 * @pkt: decoded from its octets on the wire
 * @wire: their number
 * @cookie: of its message
 * @offset: of its payload in the message
 * @path: index of its EV
 * @burst: number of its burst
 */
struct sent {
	struct mrc_pkt pkt;
	u32 wire;
	u32 cookie;
	u32 offset;
	u16 path;
	u32 burst;
};

/**
 * struct rig - a requester under test
 * @test: for assertions
 * @req: requester
 * @evs: its paths
 * @now: ns
 * @sent: packets of the latest send_all()
 * @n: number of @sent
 * @bursts: bursts sent so far
 * @bp: the latest packet
 */
struct rig {
	struct kunit *test;
	struct mrc_req req;
	struct mrc_ev_set *evs;
	u64 now;
	struct sent sent[MAX_PKTS];
	u32 n;
	u32 bursts;
	struct mrc_burst_pkt bp;
};

static inline struct mrc_req_cfg rig_cfg(void)
{
	return (struct mrc_req_cfg){
		.dest_qpn = QPN,
		.pmtu = PMTU,
		.mpr = 256,
		.max_msgs = 64,
		.max_wimm = 16,
		.burst = 8,
		.timeout_ns = 50 * MS,
		.linear_cnt = 2,
		.exp_cnt = 1,
		.rnr_retry = 2,
		.reo_wnd_path = MRC_REO_WND_PATH_HOST,
		.reo_wnd_any = MRC_REO_WND_ANY_HOST,
		.ts = true,
	};
}

static inline struct rig *rig_of(struct kunit *test,
				 const struct mrc_req_cfg *cfg, u32 cwnd)
{
	const struct mrc_cc_cfg cc = {
		.mtu = PMTU + 100,
		.max_cwnd = cwnd,
	};
	struct rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	void *mem;

	KUNIT_ASSERT_NOT_NULL(test, r);
	mem = kunit_kzalloc(test, mrc_req_mem_size(cfg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	r->test = test;
	r->now = T0;
	r->evs = ev_set(test);
	mrc_req_init(&r->req, cfg, r->evs, &mrc_cc_fixed, &cc, mem);
	return r;
}

static inline struct rig *rig(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();

	return rig_of(test, &cfg, 64 << 20);
}

static inline void post(struct rig *r, u32 cookie, u16 flags, u32 length)
{
	struct mrc_msg_desc d = {
		.length = length,
		.raddr = RADDR,
		.rkey = RKEY,
		.imm = cpu_to_be32(0xcafe0000 + cookie),
		.cookie = cookie,
		.flags = flags,
	};

	KUNIT_ASSERT_GT(r->test, mrc_req_free_slots(&r->req), 0);
	mrc_req_post(&r->req, &d);
}

static inline void take_pkt(struct rig *r, const struct mrc_burst *b, u8 i)
{
	struct sent *s = &r->sent[r->n++];
	struct mrc_burst_pkt *bp = &r->bp;
	u8 buf[MRC_DATA_HDR_MAX];
	u32 len;

	KUNIT_ASSERT_LE(r->test, r->n, MAX_PKTS);
	KUNIT_EXPECT_TRUE(r->test, books_pkt(&r->req, b, i, r->now, bp));
	len = mrc_pkt_put_data(buf, &bp->hdr);
	s->wire = len + bp->hdr.payload_len +
		  mrc_pkt_trailer_len(bp->hdr.payload_len);
	KUNIT_ASSERT_EQ(r->test, 0, mrc_pkt_decode_hdr(buf, len, s->wire,
						       &s->pkt));
	s->cookie = bp->cookie;
	s->offset = bp->offset;
	s->path = b->path;
	s->burst = r->bursts;
}

/* The next burst; the requester was not idle if there is one. */
static inline bool next_burst(struct rig *r, struct mrc_burst *b)
{
	bool idle = mrc_req_is_idle(&r->req);

	if (!mrc_req_next_burst(&r->req, r->now, b))
		return false;
	KUNIT_EXPECT_FALSE(r->test, idle);
	return true;
}

/* Send all packets that may be sent now; returns their number. */
static inline u32 send_all(struct rig *r)
{
	struct mrc_burst b;
	u8 i;

	r->n = 0;
	while (next_burst(r, &b)) {
		KUNIT_ASSERT_TRUE(r->test, b.n && b.n <= MRC_BURST_MAX);
		KUNIT_EXPECT_EQ(r->test, b.ev, r->evs->ev[b.path].value);
		KUNIT_EXPECT_EQ(r->test, b.plane, r->evs->ev[b.path].plane);
		for (i = 0; i < b.n; i++)
			take_pkt(r, &b, i);
		r->bursts++;
	}
	return r->n;
}

/* The packet of the latest send_all() with that PSN, or NULL. */
static inline const struct sent *find_sent(const struct rig *r, u32 psn)
{
	u32 i;

	for (i = 0; i < r->n; i++)
		if (r->sent[i].pkt.psn == psn)
			return &r->sent[i];
	return NULL;
}

static inline void rx_sack(struct rig *r, const struct mrc_pkt_sack *s)
{
	struct mrc_pkt p;
	u8 buf[MRC_SACK_LEN];

	mrc_pkt_put_sack(buf, QPN, s);
	KUNIT_ASSERT_EQ(r->test, 0, mrc_pkt_decode_hdr(buf, sizeof(buf),
						       sizeof(buf), &p));
	mrc_req_on_sack(&r->req, &p, r->now);
}

static inline void rx_ack(struct rig *r, u32 psn, u8 syndrome)
{
	struct mrc_pkt_ack a = { .psn = psn, .syndrome = syndrome };
	struct mrc_pkt p;
	u8 buf[MRC_ACK_LEN];

	mrc_pkt_put_ack(buf, QPN, &a);
	KUNIT_ASSERT_EQ(r->test, 0, mrc_pkt_decode_hdr(buf, sizeof(buf),
						       sizeof(buf), &p));
	mrc_req_on_ack(&r->req, &p, r->now);
}

static inline void rx_nack(struct rig *r, u32 psn, u32 entropy, u8 reason)
{
	struct mrc_pkt_nack n = {
		.psn = psn, .entropy = entropy, .reason = reason,
	};
	struct mrc_pkt p;
	u8 buf[MRC_NACK_LEN];

	mrc_pkt_put_nack(buf, QPN, &n);
	KUNIT_ASSERT_EQ(r->test, 0, mrc_pkt_decode_hdr(buf, sizeof(buf),
						       sizeof(buf), &p));
	mrc_req_on_nack(&r->req, &p, r->now);
}

/* A SACK with @trigger, for all packets up to @cack and those of @bitmap. */
static inline void sack_for(struct rig *r, const struct sent *trigger,
			    u32 cack, u64 bitmap)
{
	struct mrc_pkt_sack s = {
		.cack_psn = cack,
		.bitmap = bitmap,
		.sack_offset = 1,
		.ack_psn_offset = mrc_psn_diff(trigger->pkt.psn, cack),
		.entropy = r->evs->ev[trigger->path].value,
		.tx_ts = trigger->pkt.tx_ts,
		.ooo_count = hweight64(bitmap),
		.rtx = trigger->pkt.flags & MRC_PF_RTX,
	};

	rx_sack(r, &s);
}

static inline void expect_done(struct rig *r, u32 cookie, u8 status)
{
	struct mrc_done d = {};

	KUNIT_ASSERT_TRUE(r->test, mrc_req_pop(&r->req, &d));
	KUNIT_EXPECT_EQ(r->test, d.cookie, cookie);
	KUNIT_EXPECT_EQ(r->test, d.status, status);
}

static inline void expect_none_done(struct rig *r)
{
	struct mrc_done d;

	KUNIT_EXPECT_FALSE(r->test, mrc_req_pop(&r->req, &d));
}

/* Advance time to the next deadline and run the timer; false without one. */
static inline bool tick(struct rig *r)
{
	u64 at = mrc_req_deadline(&r->req);
	struct mrc_probe p;

	if (!at)
		return false;
	r->now = max(r->now, at);
	mrc_req_on_timer(&r->req, r->now);
	while (mrc_req_next_probe(&r->req, r->now, &p))
		continue;
	return true;
}

#endif /* MRC_REQ_SAMPLE_H */
