// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: a responder against arbitrary requests, with a simple model of
 * what has arrived to compare with.
 */
#include "core/psn.h"
#include "core/responder.h"
#include "fuzz.h"
#include "mrc_books.h"

#define MPR	64
#define WIMM	4
#define ASKS	4
#define PSN0	0xffff80u
#define SPAN	4096

/**
 * struct model - the responder and what it should know
 * @rsp: responder
 * @got: by PSN, counted from PSN0: has been placed
 * @cack: count of PSNs before the first that has not
 * @delivered: messages
 * @asked: READs and ATOMICs carried out
 */
struct model {
	struct mrc_rsp rsp;
	bool got[SPAN + 2 * MPR];
	u32 cack;
	u16 delivered;
	u16 asked;
};

static u64 mem[1024];

/* The first octet of the input says what is agreed on. */
static void init(struct model *m, u8 how)
{
	struct mrc_rsp_cfg cfg = {
		.peer_qpn = 5,
		.local_qpn = 6,
		.rq_psn = PSN0,
		.mpr = MPR,
		.max_wimm = WIMM,
		.max_asks = how & 8 ? ASKS : 0,
		.sack_threshold = how & 1 ? 4096 : 300,
		.dynamic_mpr = how & 2,
		.svc_time = how & 4,
	};

	CHECK(mrc_rsp_mem_size(&cfg) <= sizeof(mem));
	mrc_rsp_init(&m->rsp, &cfg, mem);
}

static bool get_request(struct tape *t, struct model *m, struct mrc_pkt *p,
			u32 *at)
{
	struct mrc_pkt_data d = {
		.opcode = MRC_OP_CLASS | (take8(t) & MRC_OP_INDEX_MASK),
		.flags = take8(t) & 31,
		.dest_qpn = 6,
	};
	u32 op = mrc_opcode_get(d.opcode)->flags;
	u8 buf[MRC_DATA_HDR_MAX];
	u32 len;

	if (!(op & MRC_OPF_DATA))
		return false;
	/* Mostly in the window, now and then not. */
	*at = m->cack + take8(t) % (MPR + 16) - 8;
	d.psn = mrc_psn_add(PSN0, *at);
	d.rqmsn = (op & MRC_OPF_ASKS ? m->asked : m->delivered) +
		  (s8)take8(t) % 6;
	d.payload_len = op & MRC_OPF_LAST ? take8(t) : 4 + take8(t) % 8 * 4;
	if (!(op & MRC_OPF_PAYLOAD)) {
		/* Now and then not aligned. */
		d.va = d.payload_len & 15 ? d.payload_len * 8 : 4;
		d.dmalen = d.payload_len;
		d.payload_len = 0;
	}
	if (op & MRC_OPF_PAYLOAD)
		d.dmalen = (op & MRC_OPF_ONLY) == MRC_OPF_ONLY ?
			   d.payload_len : 300;
	if (op & MRC_OPF_OFFSET && !(op & MRC_OPF_FIRST))
		d.va = op & MRC_OPF_LAST ? 300 - d.payload_len : 64;
	len = mrc_pkt_put_data(buf, &d);
	return !mrc_pkt_decode_hdr(buf, len, len + d.payload_len +
				   mrc_pkt_trailer_len(d.payload_len), p);
}

static void place(struct model *m, const struct mrc_pkt *p, u32 at, u32 ev,
		  bool ce)
{
	CHECK(at < SPAN + 2 * MPR && !m->got[at]);
	CHECK(at >= m->cack && at < m->cack + MPR);
	CHECK(!mrc_rsp_dead(&m->rsp));
	m->got[at] = true;
	mrc_rsp_placed(&m->rsp, p, ev, ce);
}

static void request(struct tape *t, struct model *m)
{
	u8 what = take8(t);
	struct mrc_pkt p;
	u32 at;

	if (!get_request(t, m, &p, &at))
		return;
	/* Its payload was cut off on the way. */
	if (what >= 224 && what < 232) {
		mrc_rsp_nack(&m->rsp, &p, what, MRC_NACK_TRIMMED);
		return;
	}
	switch (mrc_rsp_accept(&m->rsp, &p, what, what & 1)) {
	case MRC_RSP_NEW:
		break;
	case MRC_RSP_DUP:
		/* PSNs before the first were had by definition. */
		CHECK((s32)at < 0 || m->got[at]);
		return;
	default:
		return;
	}
	if (what < 240)
		place(m, &p, at, what, what & 1);
	else if (what < 248)
		mrc_rsp_not_ready(&m->rsp, &p, what);
	else if (what < 255)
		mrc_rsp_nack(&m->rsp, &p, what, MRC_NACK_NO_RESOURCE);
	else
		mrc_rsp_fail(&m->rsp, p.psn, MRC_SYN_NAK_REM_ACCESS);
}

static void probe(struct tape *t, struct model *m)
{
	struct mrc_pkt p = {
		.op = mrc_opcode_get(MRC_OP_PROBE),
		.dest_qpn = 6,
		.probe = { .probe_id = take8(t), .tx_ts = take16(t) },
	};
	u8 ev = take8(t);

	mrc_rsp_on_probe(&m->rsp, &p, ev, ev & 1);
}

/* The owner is short of something, or was late. */
static void own(struct tape *t, struct model *m)
{
	u8 what = take8(t);

	switch (what & 3) {
	case 0:
		mrc_rsp_set_mpr(&m->rsp, what);
		break;
	case 1:
		mrc_rsp_set_penalty(&m->rsp, what >> 1, what & 4);
		break;
	default:
		m->rsp.now += (u64)take8(t) << (what >> 3);
	}
}

static void step(struct tape *t, struct model *m)
{
	switch (take8(t) & 15) {
	case 0:
		probe(t, m);
		break;
	case 1:
		own(t, m);
		break;
	default:
		request(t, m);
	}
}

static void check_sack(const struct model *m, const struct mrc_pkt_sack *s)
{
	u32 cack = mrc_psn_diff(s->cack_psn, PSN0) + 1;
	u32 i, at;

	CHECK(cack == m->cack);
	CHECK(s->mpr <= MPR / MRC_MPR_UNIT);
	for (i = 0; i < MRC_SACK_BITS; i++) {
		at = cack - 1 + s->sack_offset + i;
		if (s->bitmap >> i & 1)
			CHECK(at < SPAN + 2 * MPR && m->got[at]);
	}
}

static void check_answer(const struct model *m, const struct mrc_answer *a)
{
	struct mrc_pkt p;
	u32 off, len;

	CHECK(a->len <= sizeof(a->buf));
	for (off = 0; off < a->len; off += len) {
		len = min_t(u32, a->seg, a->len - off);
		CHECK(!mrc_pkt_decode_hdr(a->buf + off, len, len, &p));
		if (p.op->code == MRC_OP_SACK)
			check_sack(m, &p.sack);
		if (p.op->code == MRC_OP_ACK &&
		    p.ack.syndrome == MRC_SYN_ACK)
			CHECK(mrc_psn_diff(p.ack.psn, PSN0) + 1 ==
			      (s32)m->cack);
	}
}

/* The responder stops in front of what it refuses for good. */
static void advance(struct model *m)
{
	u32 end = SPAN + MPR;

	if (m->rsp.failed)
		end = mrc_psn_diff(m->rsp.fail_psn, PSN0);
	while (m->cack < end && m->got[m->cack])
		m->cack++;
}

/* In order, and only when all before has arrived. */
static void carry_out(struct tape *t, struct model *m)
{
	struct mrc_ask ask;

	while (mrc_rsp_pop_ask(&m->rsp, &ask)) {
		CHECK(!mrc_rsp_dead(&m->rsp));
		CHECK(m->rsp.cfg.max_asks);
		CHECK(ask.n == m->asked++);
		CHECK((u32)mrc_psn_diff(ask.psn, PSN0) < m->cack);
		CHECK(ask.opcode == MRC_OP_READ_REQUEST || !(ask.va & 7));
		if (take8(t) == 255)
			mrc_rsp_refuse(&m->rsp, ask.psn,
				       MRC_SYN_NAK_REM_ACCESS);
	}
}

/* Likewise; what may not be invalidated is refused. */
static void deliver(struct tape *t, struct model *m)
{
	struct mrc_delivery d;

	while (mrc_rsp_pop(&m->rsp, &d)) {
		CHECK(!m->rsp.refused);
		CHECK(d.rqmsn == m->delivered++);
		CHECK((u32)mrc_psn_diff(d.last_psn, PSN0) < m->cack);
		CHECK(!d.has_inv || d.is_send);
		if (d.has_inv && take8(t) == 255)
			mrc_rsp_refuse(&m->rsp, d.last_psn,
				       MRC_SYN_NAK_INV_REQ);
	}
}

static void end_of_burst(struct tape *t, struct model *m)
{
	struct mrc_answer a;
	u32 n = 0;

	advance(m);
	CHECK(!books_rsp(&m->rsp));
	CHECK(mrc_psn_diff(m->rsp.cack, PSN0) + 1 == (s32)m->cack);
	deliver(t, m);
	carry_out(t, m);
	if (take8(t) & 3)
		return;
	while (mrc_rsp_answer(&m->rsp, &a)) {
		check_answer(m, &a);
		CHECK(++n < 100);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct model m;
	struct tape t = { data, size };

	memset(&m, 0, sizeof(m));
	init(&m, take8(&t));
	while (t.left && m.cack < SPAN) {
		step(&t, &m);
		end_of_burst(&t, &m);
	}
	return 0;
}
