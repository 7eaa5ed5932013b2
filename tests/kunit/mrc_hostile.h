/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A hostile peer: whatever it sends, the accounting of requester and responder
 * stays consistent.
 */
#ifndef MRC_HOSTILE_H
#define MRC_HOSTILE_H

#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/psn.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rnd.h"
#include "mrc_books.h"

#define HOSTILE_PATHS	8
#define HOSTILE_MPR	128

/**
 * struct hostile - requester and responder with a hostile peer
 * @test: for expectations
 * @rnd: state of the generator that makes the peer's choices
 * @now: ns
 * @req: requester
 * @rsp: responder
 * @posted: messages posted
 * @popped: messages popped
 */
struct hostile {
	struct kunit *test;
	u64 rnd;
	u64 now;
	struct mrc_req req;
	struct mrc_rsp rsp;
	u32 posted;
	u32 popped;
};

static inline u32 pick(struct hostile *h, u32 n)
{
	return mrc_rnd_below(&h->rnd, n);
}

/* A PSN, mostly around @psn. */
static inline u32 pick_psn(struct hostile *h, u32 psn)
{
	switch (pick(h, 8)) {
	case 0:
		return pick(h, 1 << 24);
	case 1:
		return mrc_psn_add(psn, pick(h, 1 << 10) - 512);
	default:
		return mrc_psn_add(psn, pick(h, 64) - 8);
	}
}

static inline u64 pick_bits(struct hostile *h)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < 64; i += 16)
		bits |= (u64)pick(h, 65536) << i;
	return pick(h, 2) ? bits : bits & (bits >> 7);
}

static inline u32 pick_value(struct hostile *h)
{
	u32 i = pick(h, HOSTILE_PATHS + 1);

	return i < HOSTILE_PATHS ? h->req.evs->ev[i].value : pick(h, 1 << 24);
}

static inline void check_books(struct hostile *h)
{
	const char *wrong = books_req(&h->req) ?: books_rsp(&h->rsp);

	KUNIT_ASSERT_TRUE_MSG(h->test, !wrong, "%s", wrong);
}

/* Flags of any message, responses to the peer's requests included. */
static inline u8 pick_flags(struct hostile *h)
{
	static const u8 rd_atomic[] = {
		MRC_MSG_READ, MRC_MSG_ATOMIC, MRC_MSG_ATOMIC | MRC_MSG_CMP_SWAP,
		MRC_MSG_RESPONSE | MRC_MSG_READ, MRC_MSG_RESPONSE | MRC_MSG_ATOMIC,
		MRC_MSG_FENCE,
	};

	return pick(h, 3) ? pick(h, 8) :
			    rd_atomic[pick(h, ARRAY_SIZE(rd_atomic))];
}

static inline void hostile_post(struct hostile *h)
{
	struct mrc_msg_desc d = {
		.length = pick(h, 8) ? pick(h, 20000) : pick(h, 1 << 24),
		.flags = pick_flags(h),
		.cookie = h->posted,
		.status = pick(h, 64) ? MRC_OK : MRC_ERR_LOC_PROT,
	};

	if (!mrc_req_free_slots(&h->req))
		return;
	mrc_req_post(&h->req, &d);
	h->posted++;
}

static inline void hostile_send(struct hostile *h)
{
	struct mrc_burst_pkt pkt;
	struct mrc_probe probe;
	struct mrc_burst b;
	u8 i;

	while (mrc_req_next_burst(&h->req, h->now, &b)) {
		for (i = 0; i < b.n; i++)
			mrc_req_burst_pkt(&h->req, &b, i, h->now, &pkt);
		if (pick(h, 4) == 0)
			break;
	}
	while (mrc_req_next_probe(&h->req, h->now, &probe))
		continue;
}

static inline void hostile_pop(struct hostile *h)
{
	struct mrc_done done;

	while (mrc_req_pop(&h->req, &done)) {
		KUNIT_ASSERT_EQ(h->test, done.cookie, h->popped);
		h->popped++;
	}
}

/* Most bytes that a SACK can count: all that may have arrived. */
static inline s64 countable(const struct mrc_req *req)
{
	return req->inflight + (s64)req->n_lost * req->cc.cfg.mtu +
	       (s64)MRC_RCVD_UNIT;
}

static inline void check_paths_same(struct hostile *h, const u8 *was)
{
	u16 i;

	for (i = 0; i < HOSTILE_PATHS; i++)
		KUNIT_ASSERT_EQ(h->test, h->req.evs->ev[i].state, was[i]);
}

/* A SACK further away than the window changes no path, no count, no window. */
static inline void hostile_far_sack(struct hostile *h, struct mrc_pkt *p)
{
	const struct mrc_req was = h->req;
	u8 state[HOSTILE_PATHS];
	u16 i;

	for (i = 0; i < HOSTILE_PATHS; i++)
		state[i] = h->req.evs->ev[i].state;
	p->sack.cack_psn = mrc_psn_add(was.una, -(s32)(HOSTILE_MPR + 2 +
				pick(h, (1 << 23) - HOSTILE_MPR - 2)));
	mrc_req_on_sack(&h->req, p, h->now);
	check_paths_same(h, state);
	h->req.stats = was.stats;
	KUNIT_ASSERT_TRUE(h->test, !memcmp(&h->req, &was, sizeof(was)));
}

static inline void hostile_sack(struct hostile *h)
{
	struct mrc_pkt p = { };
	s32 unsacked = h->req.rcvd_unsacked;

	p.sack.cack_psn = pick_psn(h, h->req.una);
	p.sack.bitmap = pick_bits(h);
	p.sack.sack_offset = pick(h, 8) ? pick(h, 128) : pick(h, 65536);
	p.sack.ack_psn_offset = pick(h, 8) ? pick(h, 32) : pick(h, 65536);
	p.sack.entropy = pick_value(h);
	p.sack.ooo_count = pick(h, 2) ? h->req.n_acked : pick(h, 65536);
	p.sack.mark = pick(h, 4);
	p.sack.rtx = pick(h, 2);
	p.sack.probe = !pick(h, 4);
	p.sack.probe_id = pick(h, 65536);
	p.sack.rcvd_bytes = pick(h, 4) ? mrc_psn_add(h->req.rcvd, pick(h, 64)) :
					 pick(h, 1 << 24);
	p.sack.cwnd_pen = pick(h, 4) ? 0 : pick(h, MRC_CC_PEN_MASK + 1);
	p.sack.restore_cwnd = pick(h, 2);
	if (!pick(h, 4)) {
		hostile_far_sack(h, &p);
		return;
	}
	mrc_req_on_sack(&h->req, &p, h->now);
	KUNIT_ASSERT_LE(h->test, (s64)h->req.rcvd_unsacked,
			max((s64)unsacked, countable(&h->req)));
}

static inline void hostile_nack(struct hostile *h)
{
	struct mrc_pkt p = { };

	p.nack.psn = pick_psn(h, h->req.una);
	p.nack.entropy = pick_value(h);
	p.nack.reason = pick(h, 64) ? pick(h, 16) : MRC_NACK_UNEXP_EVENT;
	mrc_req_on_nack(&h->req, &p, h->now);
}

static inline void hostile_ack(struct hostile *h)
{
	struct mrc_pkt p = { };

	p.ack.psn = pick_psn(h, pick(h, 2) ? h->req.una : h->req.ack_psn);
	p.ack.syndrome = pick(h, 4) ? MRC_SYN_ACK : pick(h, 256);
	mrc_req_on_ack(&h->req, &p, h->now);
}

/* In most cases of a pending request. */
static inline void hostile_response(struct hostile *h)
{
	u16 n = h->req.rda.una + pick(h, 8) - 1;

	mrc_req_on_response(&h->req, n, h->now);
}

static inline u8 pick_opcode(struct hostile *h)
{
	static const u8 rd_atomic[] = {
		MRC_OP_READ_REQUEST, MRC_OP_CMP_SWAP, MRC_OP_FETCH_ADD,
		MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_MIDDLE,
		MRC_OP_READ_RSP_LAST, MRC_OP_READ_RSP_ONLY, MRC_OP_ATOMIC_ACK,
	};

	return pick(h, 4) ? MRC_OP_SEND_FIRST + pick(h, 12) :
			    rd_atomic[pick(h, ARRAY_SIZE(rd_atomic))];
}

static inline void hostile_data(struct hostile *h)
{
	u8 code = pick_opcode(h);
	struct mrc_pkt p = {
		.op = mrc_opcode_get(code),
		.psn = pick_psn(h, h->rsp.cack),
		.flags = pick(h, 16),
	};
	u32 ev = pick(h, 256);

	p.payload_len = pick(h, 4097);
	p.rqmsn = h->rsp.next_rqmsn + pick(h, pick(h, 16) ? 8 : 65536);
	p.dmalen = pick(h, 2) ? 5000 : pick(h, 65536);
	if (p.op->flags & MRC_OPF_RD_ATOMIC) {
		p.rqmsn = h->rsp.next_rd_atomic + pick(h, pick(h, 16) ? 3 : 65536);
		p.va = pick(h, 16) ? 8 * pick(h, 16) : pick_bits(h);
	}
	switch (pick(h, 32)) {
	case 0:
		mrc_rsp_nack(&h->rsp, &p, ev, MRC_NACK_TRIMMED);
		return;
	case 1:
		p.probe.probe_id = pick(h, 65536);
		mrc_rsp_on_probe(&h->rsp, &p, ev, pick(h, 2));
		return;
	}
	if (mrc_rsp_accept(&h->rsp, &p, ev, pick(h, 2)) != MRC_RSP_NEW)
		return;
	switch (pick(h, 64)) {
	case 0:
		mrc_rsp_not_ready(&h->rsp, &p, pick(h, 32));
		break;
	case 1:
		mrc_rsp_fail_pkt(&h->rsp, p.psn, MRC_SYN_NAK_REM_ACCESS);
		break;
	default:
		mrc_rsp_placed(&h->rsp, &p, ev, false);
		break;
	}
}

static inline void hostile_build_acks(struct hostile *h)
{
	struct mrc_delivery d;
	struct mrc_ack_batch a;
	struct mrc_rd_atomic rda;
	struct mrc_pkt p;
	u16 next = h->rsp.next_rqmsn;
	u32 off, len, n = 0;

	while (mrc_rsp_pop(&h->rsp, &d))
		KUNIT_ASSERT_EQ(h->test, d.rqmsn, next++);
	next = h->rsp.next_rd_atomic;
	while (mrc_rsp_pop_rd_atomic(&h->rsp, &rda)) {
		KUNIT_ASSERT_EQ(h->test, rda.sn, next++);
		KUNIT_ASSERT_GE(h->test, mrc_psn_diff(h->rsp.cack, rda.psn), 0);
		if (!pick(h, 64))
			mrc_rsp_fail_msg(&h->rsp, rda.psn, MRC_SYN_NAK_REM_OP);
	}
	while (mrc_rsp_build_acks(&h->rsp, &a)) {
		KUNIT_ASSERT_LT(h->test, n++, 100);
		for (off = 0; off < a.len; off += len) {
			len = min_t(u32, a.seg, a.len - off);
			KUNIT_ASSERT_EQ(h->test, 0, mrc_pkt_decode_hdr
					(a.buf + off, len, len, &p));
		}
	}
}

static inline void hostile_init(struct hostile *h, struct mrc_ev_set *evs,
				void *req_mem, void *rsp_mem,
				const struct mrc_req_cfg *req_cfg,
				const struct mrc_rsp_cfg *rsp_cfg)
{
	const struct mrc_cc_cfg cc = { .mtu = 4300, .max_cwnd = 200000 };
	const struct mrc_ev_cfg ev_cfg = { .seed = 1 };
	struct mrc_ev_entry e[HOSTILE_PATHS];

	h->now = 1000000;
	mrc_ev_auto(e, HOSTILE_PATHS, 3, 1);
	mrc_ev_set_init(evs, e, HOSTILE_PATHS, &ev_cfg);
	mrc_req_init(&h->req, req_cfg, evs, &mrc_cc_fixed, &cc, req_mem);
	mrc_rsp_init(&h->rsp, rsp_cfg, rsp_mem);
}

static inline struct mrc_req_cfg hostile_req_cfg(void)
{
	return (struct mrc_req_cfg){
		.dest_qpn = 5, .sq_psn = 0xfffff0, .pmtu = 1024,
		.mpr = HOSTILE_MPR, .max_msgs = 32, .max_wimm = 8,
		.max_rd_atomic = 4, .burst = 4,
		.timeout_ns = 67000000, .linear_cnt = 3, .exp_cnt = 4,
		.rnr_retry = 7, .reo_wnd_path = MRC_REO_WND_PATH_HOST,
		.reo_wnd_any = MRC_REO_WND_ANY_HOST,
	};
}

static inline struct mrc_rsp_cfg hostile_rsp_cfg(void)
{
	return (struct mrc_rsp_cfg){
		.peer_qpn = 6, .rq_psn = 0xfffff0,
		.mpr = HOSTILE_MPR, .max_wimm = 8, .max_dest_rd_atomic = 4,
		.sack_threshold = MRC_SACK_THRESHOLD,
	};
}

/* One random event. */
static inline void hostile_step(struct hostile *h)
{
	switch (pick(h, 11)) {
	case 0:
		hostile_post(h);
		break;
	case 1:
		hostile_send(h);
		break;
	case 2:
		h->now += pick(h, 3) ? pick(h, 65536) : pick(h, 1 << 24) * 8;
		mrc_req_on_timer(&h->req, h->now);
		break;
	case 3:
		mrc_ev_set_ports(h->req.evs, pick(h, 16) | 1, ~0U);
		break;
	case 4:
		hostile_nack(h);
		break;
	case 5:
		hostile_ack(h);
		break;
	case 6:
		hostile_sack(h);
		break;
	case 7:
		hostile_build_acks(h);
		break;
	case 8:
		hostile_response(h);
		break;
	default:
		hostile_data(h);
		break;
	}
	hostile_pop(h);
	check_books(h);
}

#endif /* MRC_HOSTILE_H */
