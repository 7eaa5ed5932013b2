// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: a responder with arbitrary requests, compared with a simple model of
 * the packets that have arrived.
 */
#include "core/psn.h"
#include "core/responder.h"
#include "fuzz.h"
#include "mrc_books.h"

#define MPR	64
#define WIMM	4
#define RD_ATOMICS	4
#define PSN0	0xffff80u
#define SPAN	4096

/**
 * struct model - the responder and its expected state
 * @rsp: responder
 * @got: by PSN, relative to PSN0: the packet has been placed
 * @cack: number of PSNs before the first one not placed
 * @delivered: messages delivered
 * @executed: READs and ATOMICs executed
 */
struct model {
	struct mrc_rsp rsp;
	bool got[SPAN + 2 * MPR];
	u32 cack;
	u16 delivered;
	u16 executed;
};

static u64 mem[1024];

/* The first octet of the input selects the configuration. */
static void init(struct model *m, u8 how)
{
	struct mrc_rsp_cfg cfg = {
		.peer_qpn = 5,
		.rq_psn = PSN0,
		.mpr = MPR,
		.max_wimm = WIMM,
		.max_dest_rd_atomic = how & 8 ? RD_ATOMICS : 0,
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
	/* Usually in the window, sometimes not. */
	*at = m->cack + take8(t) % (MPR + 16) - 8;
	d.psn = mrc_psn_add(PSN0, *at);
	d.rqmsn = (op & MRC_OPF_RD_ATOMIC ? m->executed : m->delivered) +
		  (s8)take8(t) % 6;
	d.payload_len = op & MRC_OPF_LAST ? take8(t) : 4 + take8(t) % 8 * 4;
	if (!(op & MRC_OPF_PAYLOAD)) {
		/* Sometimes not aligned. */
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
	CHECK(!mrc_rsp_failed(&m->rsp));
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
	/* A switch has trimmed the packet. */
	if (what >= 224 && what < 232) {
		mrc_rsp_nack(&m->rsp, &p, what, MRC_NACK_TRIMMED);
		return;
	}
	switch (mrc_rsp_accept(&m->rsp, &p, what, what & 1)) {
	case MRC_RSP_NEW:
		break;
	case MRC_RSP_DUP:
		/* PSNs before the first one count as received. */
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
		mrc_rsp_fail_pkt(&m->rsp, p.psn, MRC_SYN_NAK_REM_ACCESS);
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

/* The caller changes the PSN window, or time passes. */
static void caller_action(struct tape *t, struct model *m)
{
	u8 what = take8(t);

	switch (what & 3) {
	case 0:
	case 1:
		mrc_rsp_set_mpr(&m->rsp, what);
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
		caller_action(t, m);
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

static void check_acks(const struct model *m, const struct mrc_ack_batch *a)
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

/* The cumulative PSN stays before a PSN that the responder has refused by a NAK. */
static void advance(struct model *m)
{
	u32 end = SPAN + MPR;

	if (m->rsp.fail_set)
		end = mrc_psn_diff(m->rsp.fail_psn, PSN0);
	while (m->cack < end && m->got[m->cack])
		m->cack++;
}

/* READs and ATOMICs are executed in order, after all earlier packets have arrived. */
static void execute(struct tape *t, struct model *m)
{
	struct mrc_rd_atomic rda;

	while (mrc_rsp_pop_rd_atomic(&m->rsp, &rda)) {
		CHECK(!mrc_rsp_failed(&m->rsp));
		CHECK(m->rsp.cfg.max_dest_rd_atomic);
		CHECK(rda.sn == m->executed++);
		CHECK((u32)mrc_psn_diff(rda.psn, PSN0) < m->cack);
		CHECK(rda.opcode == MRC_OP_READ_REQUEST || !(rda.va & 7));
		if (take8(t) == 255)
			mrc_rsp_fail_msg(&m->rsp, rda.psn,
					 MRC_SYN_NAK_REM_ACCESS);
	}
}

/* Messages are delivered in the same order; some invalidations are refused. */
static void deliver(struct tape *t, struct model *m)
{
	struct mrc_delivery d;

	while (mrc_rsp_pop(&m->rsp, &d)) {
		CHECK(!m->rsp.fail_now);
		CHECK(d.rqmsn == m->delivered++);
		CHECK((u32)mrc_psn_diff(d.last_psn, PSN0) < m->cack);
		CHECK(!d.has_inv || d.is_send);
		if (d.has_inv && take8(t) == 255)
			mrc_rsp_fail_msg(&m->rsp, d.last_psn,
					 MRC_SYN_NAK_INV_REQ);
	}
}

static void end_of_burst(struct tape *t, struct model *m)
{
	struct mrc_ack_batch a;
	u32 n = 0;

	advance(m);
	CHECK(!books_rsp(&m->rsp));
	CHECK(mrc_psn_diff(m->rsp.cack, PSN0) + 1 == (s32)m->cack);
	deliver(t, m);
	execute(t, m);
	if (take8(t) & 3)
		return;
	while (mrc_rsp_build_acks(&m->rsp, &a)) {
		check_acks(m, &a);
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
