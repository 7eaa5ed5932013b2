// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: a requester against arbitrary answers. Its books must stay
 * balanced, and messages must end once and in order.
 */
#include "core/psn.h"
#include "core/requester.h"
#include "fuzz.h"

#define MPR	64
#define MSGS	16
#define PATHS	4
#define MTU	400

static u64 mem[8192];
static u64 ev_mem[256];

/**
 * struct model - the requester and what it was given
 * @req: requester
 * @evs: its paths
 * @now: ns
 * @posted: messages
 * @done: messages that ended
 * @failed: one of these with an error
 */
struct model {
	struct mrc_req req;
	struct mrc_ev_set *evs;
	u64 now;
	u32 posted;
	u32 done;
	bool failed;
};

static void init(struct model *m)
{
	static const struct mrc_req_cfg cfg = {
		.dest_qpn = 5,
		.sq_psn = 0xffffe0,
		.pmtu = 256,
		.mpr = MPR,
		.max_msgs = MSGS,
		.max_wimm = 4,
		.burst = 4,
		.timeout_ns = 1000000,
		.linear_cnt = 3,
		.exp_cnt = 4,
		.rnr_retry = 7,
		.ts = true,
		.svc_time = true,
	};
	struct mrc_cc_cfg cc = { .mtu = MTU };
	static const struct mrc_ev_entry e[PATHS] = {
		{ .value = 1, .plane = 1 }, { .value = 2, .plane = 1 },
		{ .value = 3, .plane = 2 }, { .value = 4, .plane = 2 },
	};

	const struct mrc_ev_cfg ev_cfg = { .seed = 1 };

	CHECK(mrc_req_mem_size(&cfg) <= sizeof(mem));
	CHECK(mrc_ev_set_size(PATHS) <= sizeof(ev_mem));
	m->evs = (void *)ev_mem;
	CHECK(!mrc_ev_set_init(m->evs, e, PATHS, &ev_cfg));
	mrc_nscc_defaults(&cc.nscc, 10000, 10000, MTU, true);
	mrc_req_init(&m->req, &cfg, m->evs, &mrc_cc_nscc, &cc, mem);
	m->now = 1000000000;
}

static void post(struct tape *t, struct model *m)
{
	struct mrc_msg_desc d = {
		.length = take16(t),
		.raddr = 0x1000,
		.cookie = m->posted,
		.flags = take8(t) & 7,
	};

	if (!mrc_req_room(&m->req))
		return;
	d.status = take8(t) == 255 ? MRC_ERR_LOC_PROT : MRC_OK;
	m->posted++;
	mrc_req_post(&m->req, &d);
}

static void check_burst(struct model *m, const struct mrc_burst *b)
{
	struct mrc_burst_pkt bp;
	u8 buf[MRC_REQ_HDR_MAX];
	struct mrc_pkt p;
	u32 len;
	u8 i;

	CHECK(b->n && b->n <= 4 && b->path < PATHS);
	for (i = 0; i < b->n; i++) {
		mrc_req_burst_pkt(&m->req, b, i, m->now, &bp);
		len = mrc_pkt_put_data(buf, &bp.hdr);
		CHECK(!mrc_pkt_decode_hdr(buf, len, len + bp.hdr.payload_len +
				mrc_pkt_trailer_len(bp.hdr.payload_len), &p));
		CHECK(p.psn == mrc_psn_add(b->psn, i));
		CHECK(bp.cookie >= m->done && bp.cookie < m->posted);
		CHECK((u64)bp.offset + p.payload_len <= p.dmalen);
	}
}

static void send_all(struct model *m)
{
	struct mrc_burst b;
	u32 n = 0;

	while (mrc_req_next_burst(&m->req, m->now, &b)) {
		check_burst(m, &b);
		CHECK(++n < 10 * MPR);
	}
}

static u32 some_psn(struct tape *t, const struct model *m)
{
	return mrc_psn_add(m->req.una, take8(t) - 100);
}

static void sack(struct tape *t, struct model *m)
{
	struct mrc_pkt p = { .op = mrc_opcode_get(MRC_OP_SACK) };
	u8 bits = take8(t);

	p.sack = (struct mrc_pkt_sack){
		.cack_psn = some_psn(t, m),
		.sack_offset = (s8)take8(t),
		.ack_psn_offset = (s8)take8(t),
		.bitmap = take64(t),
		.entropy = take8(t) % (PATHS + 2),
		.ooo_count = take8(t),
		.mark = bits & 3,
		.rtx = bits >> 2 & 1,
		.probe = bits >> 3 & 1,
		.probe_id = take16(t),
		.rcvd_bytes = take8(t) << (bits >> 4),
		.cwnd_pen = bits & 0x80 ? take8(t) & MRC_CC_PEN_MASK : 0,
		.restore_cwnd = bits >> 6 & 1,
		.tx_ts = take8(t),
	};
	mrc_req_on_sack(&m->req, &p, m->now);
}

static void ack(struct tape *t, struct model *m)
{
	struct mrc_pkt p = { .op = mrc_opcode_get(MRC_OP_ACK) };

	p.ack.psn = some_psn(t, m);
	p.ack.syndrome = take8(t);
	mrc_req_on_ack(&m->req, &p, m->now);
}

static void nack(struct tape *t, struct model *m)
{
	struct mrc_pkt p = { .op = mrc_opcode_get(MRC_OP_NACK) };

	p.nack.psn = some_psn(t, m);
	p.nack.reason = take8(t);
	p.nack.entropy = take8(t) % (PATHS + 2);
	mrc_req_on_nack(&m->req, &p, m->now);
}

static void timer(struct tape *t, struct model *m)
{
	u64 at = mrc_req_deadline(&m->req);
	struct mrc_probe probe;
	u32 n = 0;

	m->now += take8(t) * 1000;
	if (at && take8(t) & 1)
		m->now = max(m->now, at);
	mrc_req_on_timer(&m->req, m->now);
	while (mrc_req_next_probe(&m->req, m->now, &probe)) {
		CHECK(probe.path < PATHS);
		CHECK(++n < 100);
	}
}

static void step(struct tape *t, struct model *m)
{
	switch (take8(t) & 7) {
	case 0:
	case 1:
		post(t, m);
		break;
	case 2:
		ack(t, m);
		break;
	case 3:
		nack(t, m);
		break;
	case 4:
		timer(t, m);
		break;
	case 5:
		mrc_ev_set_ports(m->evs, take8(t) | 1, U32_MAX);
		break;
	default:
		sack(t, m);
	}
}

static bool bit(const u64 *ring, u32 psn)
{
	return ring[psn % MPR / 64] >> (psn % 64) & 1;
}

static void check_books(const struct model *m)
{
	const struct mrc_req *req = &m->req;
	u32 psn, lost = 0, inflight = 0;

	CHECK(mrc_psn_diff(req->nxt, req->una) >= 0);
	CHECK(mrc_psn_diff(req->nxt, req->una) <= MPR);
	for (psn = req->una; psn != req->nxt; psn = mrc_psn_add(psn, 1)) {
		CHECK(!bit(req->lost, psn) || !bit(req->acked, psn));
		lost += bit(req->lost, psn);
		if (!bit(req->lost, psn) && !bit(req->acked, psn))
			inflight += req->pkts[psn % MPR].nominal;
	}
	CHECK(req->n_lost == lost);
	CHECK(req->inflight == inflight);
	CHECK(req->wimm <= req->cfg.max_wimm);
	CHECK(req->cc.cwnd >= MTU);
	CHECK(req->cc.cwnd <= req->cc.cfg.nscc.max_cwnd);
}

static void pop_all(struct model *m)
{
	struct mrc_done d;

	while (mrc_req_pop(&m->req, &d)) {
		CHECK(d.cookie == m->done++);
		CHECK(d.status != MRC_OK || !m->failed);
		CHECK(!m->failed || d.status == MRC_ERR_FLUSH);
		m->failed |= d.status != MRC_OK;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct model m;
	struct tape t = { data, size };

	memset(&m, 0, sizeof(m));
	init(&m);
	while (t.left) {
		step(&t, &m);
		if (take8(&t) & 1)
			send_all(&m);
		check_books(&m);
		pop_all(&m);
	}
	return 0;
}
