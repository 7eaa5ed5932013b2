// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: a requester with arbitrary acknowledgments and operator actions. Its
 * counts must be consistent, it must keep to its windows and to usable paths, and
 * messages must complete once and in order. The same holds for the paths of a QP that
 * is only a responder, or becomes a requester later.
 */
#include "core/lb.h"
#include "core/req_internal.h"
#include "core/psn.h"
#include "core/repath.h"
#include "core/requester.h"
#include "core/ack_path.h"
#include "fuzz.h"
#include "mrc_books.h"

/* Small windows fill and wrap often; large ones can be changed. */
#define MPR_SMALL	64
#define MPR_LARGE	256
#define MSGS	16
#define RD_ATOMICS	4
/* Messages whose response is tracked, by cookie. */
#define NOTES	64
#define PATHS	4
#define PLANES	2
#define MTU	400

static u64 mem[8192];
/* The paths in use, and those that replace them after a change of profile. */
static u64 ev_mem[2][512];

/**
 * struct model - the requester and its expected state
 * @req: requester
 * @evs: its paths
 * @now: ns
 * @posted: messages posted
 * @done: messages completed
 * @failed: one of them has completed with an error
 * @responder_only: the QP is not a requester yet
 * @cursor: of control packets
 * @probe_id: of the latest probes
 * @probes: number of probes
 * @no_response: by cookie modulo NOTES: the message awaits its response
 */
struct model {
	struct mrc_req req;
	struct mrc_ev_set *evs;
	u64 now;
	u32 posted;
	u32 done;
	bool failed;
	bool responder_only;
	u32 cursor;
	u16 probe_id[4];
	u8 probes;
	bool no_response[NOTES];
};

static const struct mrc_cc_ops *const ccs[] = {
	&mrc_cc_nscc, &mrc_cc_fixed, &mrc_cc_none, &mrc_cc_nscc,
};

/* The first octets of the input select the configuration. */
static struct mrc_req_cfg req_cfg(u8 how, u8 more)
{
	return (struct mrc_req_cfg){
		.dest_qpn = 5,
		.sq_psn = 0xffffe0,
		.pmtu = 256,
		.mpr = how & 1 ? MPR_LARGE : MPR_SMALL,
		.max_msgs = MSGS,
		.max_wimm = 4,
		.max_rd_atomic = how & 128 ? RD_ATOMICS : 0,
		.burst = 4,
		.timeout_ns = 1000000,
		.reo_wnd_path = more & 1 ? MRC_REO_WND_PATH_HOST : 0,
		.reo_wnd_any = more & 1 ? MRC_REO_WND_ANY_HOST : 0,
		.linear_cnt = 3,
		.exp_cnt = 4,
		.rnr_retry = 7,
		.dynamic_mpr = how & 1,
		.ts = how & 2,
		.svc_time = how & 4,
	};
}

/* The first @n of all paths. */
static struct mrc_ev_set *make_paths(u64 *at, u8 how, u16 n)
{
	static const struct mrc_ev_entry e[PATHS] = {
		{ .value = 1, .plane = 1 }, { .value = 3, .plane = 2 },
		{ .value = 2, .plane = 1 }, { .value = 4, .plane = 2 },
	};
	struct mrc_ev_set *set = (void *)at;
	const struct mrc_ev_cfg cfg = {
		.lb = how & 8 ? &mrc_lb_reps : &mrc_lb_rotation,
		.seed = 1,
		.n_active = how & 16 ? 2 : 0,
	};

	CHECK(mrc_ev_set_size(PATHS) <= sizeof(ev_mem[0]));
	memset(at, 0, sizeof(ev_mem[0]));
	CHECK(!mrc_ev_set_init(set, e, n, &cfg));
	return set;
}

/* The operator has changed the profile. */
static void repath(struct model *m, u8 how)
{
	struct mrc_ev_set *old = m->evs;
	u16 map[PATHS + 1];

	m->evs = make_paths(ev_mem[old == (void *)ev_mem[0]], how,
			    2 + how % (PATHS - 1));
	mrc_repath_inherit(m->evs, old, map);
	mrc_repath_requester(&m->req, m->evs, map);
	/* The old paths must not be read any more. */
	memset(old, 0xff, sizeof(ev_mem[0]));
}

static void init(struct model *m, u8 how, u8 more)
{
	const struct mrc_req_cfg cfg = req_cfg(how, more);
	struct mrc_cc_cfg cc = { .mtu = MTU, .max_cwnd = 20 * MTU };

	CHECK(mrc_req_mem_size(&cfg) <= sizeof(mem));
	m->evs = make_paths(ev_mem[0], how, PATHS);
	mrc_nscc_defaults(&cc.nscc, 10000, 10000, MTU, true);
	mrc_req_init(&m->req, &cfg, m->evs, ccs[how >> 5 & 3], &cc, mem);
	m->responder_only = more & 2;
	/* So few round trips do not tell. */
	m->req.rtt.all_paths = more & 4;
	m->now = 1000000000;
}

/* Message flags that an octet selects, if they may be posted. */
static u8 msg_flags(const struct model *m, u8 how)
{
	static const u8 kinds[] = {
		MRC_MSG_READ, MRC_MSG_ATOMIC, MRC_MSG_ATOMIC | MRC_MSG_CMP_SWAP,
		MRC_MSG_RESPONSE | MRC_MSG_READ, MRC_MSG_RESPONSE | MRC_MSG_ATOMIC,
		MRC_MSG_FENCE, MRC_MSG_FENCE | MRC_MSG_READ, MRC_MSG_READ,
	};

	if (!m->req.cfg.max_rd_atomic || how < 64)
		return how & 7;
	return kinds[how & 7];
}

static void post(struct tape *t, struct model *m)
{
	struct mrc_msg_desc d = {
		.length = take16(t) & 0x1fff,
		.raddr = 0x1000,
		.cookie = m->posted,
		.flags = msg_flags(m, take8(t)),
	};

	if (!mrc_req_free_slots(&m->req))
		return;
	m->responder_only = false;
	d.status = take8(t) == 255 ? MRC_ERR_LOC_PROT : MRC_OK;
	if (d.flags & MRC_MSG_ATOMIC)
		d.length = sizeof(u64);
	m->no_response[m->posted % NOTES] = !d.status &&
		d.flags & (MRC_MSG_READ | MRC_MSG_ATOMIC) &&
		!(d.flags & MRC_MSG_RESPONSE);
	m->posted++;
	mrc_req_post(&m->req, &d);
}

static bool in_mpr(const struct mrc_req *req, u32 psn)
{
	return mrc_psn_diff(psn, req->una) < (s32)req->mpr;
}

static void check_path(const struct mrc_ev_set *evs, u16 path)
{
	CHECK(path < evs->n);
	CHECK(evs->ev[path].state != MRC_EV_DENIED);
	CHECK(mrc_ev_ports(evs) >> (evs->ev[path].plane - 1) & 1);
}

static void check_burst(struct model *m, const struct mrc_burst *b)
{
	u32 inflight = mrc_req_inflight(&m->req);
	struct mrc_burst_pkt bp;
	u8 buf[MRC_DATA_HDR_MAX];
	struct mrc_pkt p;
	u32 len;
	u8 i;

	CHECK(b->n && b->n <= 4);
	check_path(m->evs, b->path);
	CHECK(inflight <= m->req.cc.cwnd || b->n == 1);
	for (i = 0; i < b->n; i++) {
		CHECK(books_pkt(&m->req, b, i, m->now, &bp));
		len = mrc_pkt_put_data(buf, &bp.hdr);
		CHECK(!mrc_pkt_decode_hdr(buf, len, len + bp.hdr.payload_len +
				mrc_pkt_trailer_len(bp.hdr.payload_len), &p));
		CHECK(p.psn == mrc_psn_add(b->psn, i));
		CHECK(in_mpr(&m->req, p.psn));
		CHECK(bp.cookie >= m->done && bp.cookie < m->posted);
		CHECK((u64)bp.offset + p.payload_len <= p.dmalen);
		CHECK((u16)(m->req.rda.next - m->req.rda.una) <=
		      m->req.cfg.max_rd_atomic);
	}
}

static void send_all(struct model *m)
{
	struct mrc_burst b;
	u32 n = 0;

	while (mrc_req_next_burst(&m->req, m->now, &b)) {
		check_burst(m, &b);
		CHECK(++n < 10 * MPR_LARGE);
	}
}

static u32 some_psn(struct tape *t, const struct model *m)
{
	return mrc_psn_add(m->req.una, take8(t) - 100);
}

/* Sometimes far away from everything that is outstanding. */
static u32 some_cack(struct tape *t, const struct model *m, bool *far)
{
	u32 psn = some_psn(t, m);
	u8 how = take8(t);

	*far = how >= 0xe0;
	return *far ? mrc_psn_add(psn, -(((how & 0x1f) + 1) << 17)) : psn;
}

/* Counts around those of the peer, or any. */
static u32 some_count(struct tape *t, const struct model *m)
{
	u8 how = take8(t);

	return how < 0xc0 ? mrc_psn_add(m->req.rcvd, how & 0x3f) :
			    (take16(t) << 8 | how) & MRC_MASK_24;
}

static bool same_states(const struct mrc_ev_set *set, const u8 *was)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (set->ev[i].state != was[i])
			return false;
	return true;
}

/* Bytes that are believed are at most those that may have arrived. */
static void rx_sack(struct model *m, const struct mrc_pkt *p, bool far)
{
	struct mrc_req *req = &m->req;
	s32 unsacked = req->rcvd_unsacked;
	const struct mrc_req was = *req;
	u8 state[PATHS];
	u16 i;

	for (i = 0; i < m->evs->n; i++)
		state[i] = m->evs->ev[i].state;
	mrc_req_on_sack(req, p, m->now);
	CHECK(req->rcvd_unsacked <=
	      max((s64)unsacked, req->inflight + (s64)req->n_lost * MTU +
				 (s64)MRC_RCVD_UNIT));
	if (!far)
		return;
	CHECK(same_states(m->evs, state));
	CHECK(req->una == was.una && req->inflight == was.inflight);
	CHECK(req->cc.cwnd == was.cc.cwnd && req->rcvd == was.rcvd);
	CHECK(req->rcvd_unsacked == unsacked && req->mpr == was.mpr);
}

/* Often the number of a probe that was sent. */
static u16 some_probe_id(struct tape *t, const struct model *m)
{
	u16 id = take16(t);

	return id >> 15 ? m->probe_id[id % ARRAY_SIZE(m->probe_id)] : id;
}

static void sack(struct tape *t, struct model *m)
{
	struct mrc_pkt p = { .op = mrc_opcode_get(MRC_OP_SACK) };
	u8 bits = take8(t);
	bool far;

	p.sack = (struct mrc_pkt_sack){
		.cack_psn = some_cack(t, m, &far),
		.sack_offset = (s8)take8(t),
		.ack_psn_offset = (s8)take8(t),
		.bitmap = take64(t),
		.entropy = take8(t) % (PATHS + 2),
		.ooo_count = take8(t),
		.mark = bits & 3,
		.rtx = bits >> 2 & 1,
		.probe = bits >> 3 & 1,
		.probe_id = some_probe_id(t, m),
		.rcvd_bytes = some_count(t, m),
		.cwnd_pen = bits & 0x80 ? take8(t) & MRC_CC_PEN_MASK : 0,
		.restore_cwnd = bits >> 6 & 1,
		.tx_ts = take8(t),
		.mpr = m->req.cfg.dynamic_mpr ? take8(t) & 7 : 0,
	};
	if (m->responder_only)
		mrc_ack_path_on_sack(m->evs, &p.sack, m->now);
	else
		rx_sack(m, &p, far);
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

/* A response to an outstanding request, or to none. */
static void response(struct tape *t, struct model *m)
{
	const struct mrc_req *req = &m->req;
	u16 n = req->rda.una + take8(t) % 8 - 1;

	if ((u16)(n - req->rda.una) < (u16)(req->rda.next - req->rda.una))
		m->no_response[mrc_req_rd_atomic_msg(req, n)->d.cookie %
			       NOTES] = false;
	mrc_req_on_response(&m->req, n, m->now);
}

static bool next_probe(struct model *m, struct mrc_probe *probe)
{
	if (m->responder_only)
		return mrc_ack_path_next_probe(m->evs, 5, m->now, probe);
	return mrc_req_next_probe(&m->req, m->now, probe);
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
	while (next_probe(m, &probe)) {
		check_path(m->evs, probe.path);
		m->probe_id[m->probes++ % ARRAY_SIZE(m->probe_id)] =
			probe.probe_id;
		CHECK(++n < 100);
	}
	/* Otherwise the caller would call in an endless loop. */
	at = m->responder_only ? m->evs->ack_paths.next :
			       mrc_req_deadline(&m->req);
	CHECK(!at || at > m->now);
}

static bool has_path(const struct mrc_ev_set *evs)
{
	u16 i;

	for (i = 0; i < evs->n; i++)
		if (evs->ev[i].state != MRC_EV_DENIED &&
		    mrc_ev_ports(evs) >> (evs->ev[i].plane - 1) & 1)
			return true;
	return false;
}

/*
 * Data has arrived, and an acknowledgment is sent: on the plane of the data, unless
 * that has no active path, or a probe without response, or the ACK path is LOSSY.
 */
static void pick_ack_path(struct tape *t, struct model *m)
{
	u8 plane = 1 + take8(t) % PLANES;
	bool works = m->evs->planes[plane - 1].n_active &&
		     mrc_ev_ports(m->evs) >> (plane - 1) & 1;
	bool silent = m->evs->ack_paths.plane[plane - 1].probes_open;
	u8 health = take8(t) % (MRC_ACK_PATH_LOSSY + 1);
	int path;

	if (mrc_ack_path_used(m->evs))
		mrc_ack_path_wake(m->evs, m->now);
	path = mrc_ack_path_pick(m->evs, plane, health, &m->cursor);
	CHECK((path >= 0) == has_path(m->evs));
	if (path < 0)
		return;
	check_path(m->evs, path);
	if (works && !silent && health != MRC_ACK_PATH_LOSSY)
		CHECK(m->evs->ev[path].plane == plane);
}

/* The ACK of a peer that has received all packets. */
static void all_arrived(struct model *m)
{
	struct mrc_pkt p = { .op = mrc_opcode_get(MRC_OP_ACK) };

	p.ack.psn = mrc_psn_add(m->req.nxt, -1);
	p.ack.syndrome = MRC_SYN_ACK;
	mrc_req_on_ack(&m->req, &p, m->now);
}

/* The operator has changed the CC profile. */
static void change(struct tape *t, struct model *m)
{
	struct mrc_cc_cfg cc = m->req.cc.cfg;
	struct mrc_req_cfg cfg = m->req.cfg;
	u8 how = take8(t);

	cfg.linear_cnt = how & 3;
	cfg.exp_cnt = how >> 2 & 3;
	cfg.nack_retry = how & 128;
	cfg.timeout_ns = take8(t) * 10000;
	cc.max_cwnd = (1 + take8(t) % 40) * MTU;
	mrc_req_change(&m->req, &cfg, ccs[how >> 4 & 3], &cc, m->now);
	mrc_lb_set(m->evs, how & 64 ? &mrc_lb_reps : &mrc_lb_rotation);
}

/* Rare actions of the operator. */
static void operate_rare(struct tape *t, struct model *m, u8 what)
{
	switch (what) {
	case 31:
		mrc_req_abort(&m->req, m->done + take8(t) % MSGS,
			      MRC_ERR_LOC_PROT);
		break;
	case 30:
		repath(m, take8(t));
		break;
	case 29:
		change(t, m);
		break;
	case 28:
		mrc_req_flush(&m->req);
		break;
	default:
		all_arrived(m);
	}
}

static void operate(struct tape *t, struct model *m)
{
	u8 what = take8(t);

	switch (what & 7) {
	case 0:
		mrc_ev_set_ports(m->evs, what >> 3, U32_MAX);
		break;
	case 1:
		mrc_ev_set_ports(m->evs, U32_MAX, what >> 3);
		break;
	case 2:
		mrc_ev_deny(m->evs, (what >> 3) % m->evs->n);
		break;
	case 3:
	case 4:
		pick_ack_path(t, m);
		break;
	case 5:
		mrc_ev_allow(m->evs, (what >> 3) % m->evs->n);
		break;
	case 6:
		mrc_req_timer_late(&m->req, (u64)take8(t) << (what >> 3),
				   m->now);
		break;
	default:
		operate_rare(t, m, what >> 3);
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
		operate(t, m);
		break;
	case 6:
		if (m->req.cfg.max_rd_atomic) {
			response(t, m);
			break;
		}
		fallthrough;
	default:
		sack(t, m);
	}
}

static void check_books(const struct model *m)
{
	const struct mrc_req *req = &m->req;

	CHECK(!books_req(req));
	CHECK(req->mpr <= req->cfg.mpr);
	CHECK(req->cc.cwnd >= MTU);
	if (req->cc.ops == &mrc_cc_nscc)
		CHECK(req->cc.cwnd <= req->cc.cfg.nscc.max_cwnd);
}

static void pop_all(struct model *m)
{
	struct mrc_done d;

	while (mrc_req_pop(&m->req, &d)) {
		CHECK(d.cookie == m->done++);
		CHECK(d.status != MRC_OK || !m->failed);
		CHECK(d.status != MRC_OK || !m->no_response[d.cookie % NOTES]);
		CHECK(!m->failed || d.status == MRC_ERR_FLUSH);
		m->failed |= d.status != MRC_OK;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct model m;
	struct tape t = { data, size };
	u8 how = take8(&t);

	memset(&m, 0, sizeof(m));
	init(&m, how, take8(&t));
	while (t.left) {
		step(&t, &m);
		if (take8(&t) & 1)
			send_all(&m);
		check_books(&m);
		pop_all(&m);
	}
	return 0;
}
