// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, sending half: the choice of the next burst and its packets.
 * Retransmissions go first, oldest gap first; both the PSN window and the
 * congestion window gate every transmission (MRC 1.0 3.2).
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/evwait.h"
#include "core/loss.h"

/*
 * A GSO buffer and all headers in front of it fit in one IP packet of 64 KiB;
 * this leaves room for UDP, two IPv6 headers and an SRH.
 */
#define BURST_BYTES	65024U

/*
 * PSNs that may be SACKed without a transport ACK.  An honest peer sends both
 * together; beyond this, serial arithmetic would begin to lose its footing.
 */
#define ACK_LAG_MAX	BIT(22)

/* Why there is no next new packet. */
enum stall {
	STALL_NONE,
	STALL_BACKLOG,
	STALL_MPR,
	STALL_WIMM,
	STALL_ASKS,
	STALL_CWND,
};

/* Shape of a packet. */
struct shape {
	u32 offset;
	u16 len;
	u16 wire;
	u8 opcode;
};

/**
 * mrc_req_backlog() - is there a new packet to be sent?
 * @req: requester
 *
 * Context: any, the owner serialises.
 * Return: true if so, whether it may be sent now or not.
 */
bool mrc_req_backlog(const struct mrc_req *req)
{
	return req->msg_send != req->msg_head &&
	       !mrc_req_msg(req, req->msg_send)->d.status;
}

static u8 pkt_opcode(const struct mrc_msg *m, u32 i)
{
	bool imm = m->d.flags & MRC_MSG_IMM;
	u8 base = m->d.flags & MRC_MSG_SEND ? MRC_OP_SEND_FIRST :
					      MRC_OP_WRITE_FIRST;

	if (m->d.flags & (MRC_MSG_READ | MRC_MSG_ATOMIC))
		return mrc_ask_opcode(m, i);
	if (m->d.flags & MRC_MSG_INV && i == m->npkts - 1)
		return i ? MRC_OP_SEND_LAST_INV : MRC_OP_SEND_ONLY_INV;
	/* Both families follow the same order. */
	if (m->npkts == 1)
		return base + (imm ? MRC_OP_SEND_ONLY_IMM : MRC_OP_SEND_ONLY) -
		       MRC_OP_SEND_FIRST;
	if (!i)
		return base;
	if (i < m->npkts - 1)
		return base + MRC_OP_SEND_MIDDLE - MRC_OP_SEND_FIRST;
	return base + (imm ? MRC_OP_SEND_LAST_IMM : MRC_OP_SEND_LAST) -
	       MRC_OP_SEND_FIRST;
}

static void pkt_shape(const struct mrc_req *req, const struct mrc_msg *m,
		      u32 i, struct shape *s)
{
	s->offset = i * req->cfg.pmtu;
	s->len = mrc_msg_is_bare(m) ? 0 :
		 min(m->d.length - s->offset, req->cfg.pmtu);
	s->opcode = pkt_opcode(m, i);
	s->wire = mrc_pkt_hdr_len(s->opcode, req->cfg.ts ? MRC_PF_TS : 0) +
		  s->len + mrc_pkt_trailer_len(s->len);
}

/* Position of a packet that was sent within its message. */
static u32 pkt_index(const struct mrc_msg *m, u32 psn)
{
	return (psn - m->first_psn) & MRC_PSN_MASK;
}

static u32 nominal(const struct shape *s)
{
	return s->wire + MRC_CC_NOMINAL_OVERHEAD;
}

/*
 * Packets from @psn on that the PSN window lets out, or less than 1.
 *
 * MRC 1.0 3.2: never beyond cack + MPR.  One less, for readers of the spec
 * disagree by one.
 */
static s32 window_room(const struct mrc_req *req, u32 psn)
{
	return (s32)req->mpr - 1 - mrc_psn_diff(psn, req->una);
}

static bool in_window(const struct mrc_req *req, u32 psn)
{
	return window_room(req, psn) > 0;
}

/* New packets that either window of PSNs lets out, or less than 1. */
static s32 new_room(const struct mrc_req *req)
{
	s32 lag = mrc_psn_diff(req->nxt, req->ack_psn);

	return min(window_room(req, req->nxt), (s32)ACK_LAG_MAX - lag);
}

/*
 * A message waits for results: with a fence for all that were asked for before
 * it (IBTA 10.8.3.3), and to ask for one more until the number of the oldest one
 * is no longer needed to tell them apart.
 */
static bool waits_for_results(const struct mrc_req *req,
			      const struct mrc_msg *m)
{
	u16 open = req->ask_next - req->ask_una;

	return (m->d.flags & MRC_MSG_FENCE && open) ||
	       (mrc_msg_asks(m) && open >= req->cfg.max_asks);
}

/* The next new packet, or why there is none. */
static enum stall peek_new(const struct mrc_req *req, struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);

	if (!mrc_req_backlog(req))
		return STALL_BACKLOG;
	if (new_room(req) <= 0)
		return STALL_MPR;
	if (!req->msg_pkt && mrc_msg_uses_rq(m) && req->wimm >= req->cfg.max_wimm)
		return STALL_WIMM;
	if (!req->msg_pkt && waits_for_results(req, m))
		return STALL_ASKS;
	pkt_shape(req, m, req->msg_pkt, s);
	if (!mrc_cc_can_send(&req->cc, mrc_req_inflight(req), nominal(s)))
		return STALL_CWND;
	return STALL_NONE;
}

static void note_sent(struct mrc_req *req, u16 path, u32 pkts, u32 bytes,
		      u64 now)
{
	struct mrc_ev_stats *st = &req->evs->ev[path].stats;

	st->tx_pkts += pkts;
	st->tx_bytes += bytes;
	req->stats.tx_pkts += pkts;
	req->stats.tx_bytes += bytes;
	mrc_evwait_sent(req->evs, path, now);
}

/* @n packets of shape @s; if that is more than one, none begins or ends @m. */
static void send_new(struct mrc_req *req, const struct shape *s, u32 n,
		     u16 path, u64 now)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);
	const struct mrc_tx_pkt rec = {
		.sent = now,
		.msg = req->msg_send,
		.path = path,
		.nominal = nominal(s),
		.tx_cnt = 1,
	};
	u32 i;

	for (i = 0; i < n; i++)
		*mrc_req_pkt(req, req->nxt + i) = rec;
	note_sent(req, path, n, n * s->len, now);
	req->inflight += n * rec.nominal;
	req->unasked += n * rec.nominal;
	req->nxt = mrc_psn_add(req->nxt, n);
	if (!req->msg_pkt && mrc_msg_uses_rq(m))
		req->wimm++;
	if (mrc_msg_asks(m))
		req->ask_msg[req->ask_next++ % MRC_ASK_MAX] = req->msg_send;
	req->msg_pkt += n;
	if (req->msg_pkt < m->npkts)
		return;
	req->msg_pkt = 0;
	req->msg_send++;
}

/* Most packets of a burst whose first has shape @s. */
static u32 burst_max(const struct mrc_req *req, const struct shape *s)
{
	return clamp_t(u32, BURST_BYTES / s->wire, 1, req->cfg.burst);
}

/*
 * The end of the queue, when it needs two bursts, is halved: a rest of one
 * packet would cost as much as a burst.
 */
static u32 burst_limit(const struct mrc_req *req, const struct shape *s)
{
	u32 max = burst_max(req, s);
	u32 left = mrc_req_unsent(req);

	return left > max && left < 2 * max ? DIV_ROUND_UP(left, 2) : max;
}

/*
 * All segments of a GSO buffer have one size, only the last may be shorter.  A
 * last packet with immediate data can be longer, it starts its own burst.
 */
static bool fits_burst(const struct mrc_burst *b, u32 limit, u16 wire0,
		       u16 wire_last, u16 wire)
{
	return b->n < limit && wire_last == wire0 && wire <= wire0;
}

/*
 * How many new packets from the next on, of shape @s, may go into the burst as
 * they are?  The bulk of a long message is Middle packets that differ in their
 * position only: what peek_new() and fits_burst() say of one holds for all that
 * the windows and the buffer have room for.
 */
static u32 run_of(const struct mrc_req *req, const struct mrc_burst *b,
		  u32 limit, const struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);
	u32 n;

	if (!req->msg_pkt || req->msg_pkt + 1 == m->npkts ||
	    b->n + 1 == limit)
		return 1;
	n = min_t(u32, m->npkts - 1 - req->msg_pkt, new_room(req));
	n = min(n, limit - b->n);
	n = min(n, mrc_cc_room(&req->cc, mrc_req_inflight(req), nominal(s)));
	return max(n, 1U);
}

/*
 * A path, for a retransmission another one than @lost.  Without a usable path
 * the clock runs too: all paths gone is an error.
 */
static int take_path(struct mrc_req *req, int lost, u64 now)
{
	int path = lost < 0 ? mrc_ev_next(req->evs, now) :
			      mrc_ev_next_fresh(req->evs, lost, now);

	if (path < 0) {
		req->stats.stalls_path++;
		mrc_req_arm_rto(req, now);
	}
	return path;
}

static void start_burst(const struct mrc_req *req, struct mrc_burst *b,
			u32 psn, u16 path)
{
	memset(b, 0, sizeof(*b));
	b->psn = psn;
	b->path = path;
	b->ev = req->evs->ev[path].value;
	b->plane = req->evs->ev[path].plane;
}

/*
 * A window that was full opens when a batch fits, or a quarter of it: each
 * answer would let one packet out otherwise, and ask for the next answer.
 */
static bool window_opens(const struct mrc_req *req)
{
	const struct mrc_cc *cc = &req->cc;
	u32 inflight = mrc_req_inflight(req);
	u32 batch = min(cc->ops->batch ?: req->cfg.burst * cc->cfg.mtu,
			cc->cwnd / 4);

	return !inflight || inflight + batch <= cc->cwnd;
}

static enum stall first_new(struct mrc_req *req, struct shape *s)
{
	if (req->full && !window_opens(req))
		return STALL_CWND;
	req->full = false;
	return peek_new(req, s);
}

static bool new_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	enum stall why;
	struct shape s;
	u16 wire0, wire;
	u32 limit, n;
	int path;

	why = first_new(req, &s);
	if (why) {
		req->stats.stalls_mpr += why == STALL_MPR;
		req->stats.stalls_cwnd += why == STALL_CWND;
		return false;
	}
	path = take_path(req, -1, now);
	if (path < 0)
		return false;

	start_burst(req, b, req->nxt, path);
	wire0 = s.wire;
	limit = burst_limit(req, &s);
	do {
		n = run_of(req, b, limit, &s);
		send_new(req, &s, n, path, now);
		b->n += n;
		wire = s.wire;
		why = peek_new(req, &s);
	} while (!why && fits_burst(b, limit, wire0, wire, s.wire));
	/* Nobody else will make the peer answer (MRC 1.0 3.9). */
	b->ackreq = why || mrc_cc_wants_answer(&req->cc, mrc_req_inflight(req),
					       req->unasked);
	if (b->ackreq)
		req->unasked = 0;
	req->full = why == STALL_CWND;
	return true;
}

/* The packet that @rec remembers leaves once more. */
static void note_resent(struct mrc_req *req, struct mrc_tx_pkt *rec,
			const struct shape *s, u16 path, u64 now)
{
	rec->sent = now;
	rec->path = path;
	rec->nominal = nominal(s);
	rec->flags &= MRC_TXP_INFERRED;
	if (rec->tx_cnt < U8_MAX)
		rec->tx_cnt++;
	note_sent(req, path, 1, s->len, now);
	req->evs->ev[path].stats.rtx_pkts++;
	req->stats.rtx_pkts++;
	req->stats.rtx_bytes += s->len;
}

static void resend(struct mrc_req *req, u32 psn, const struct shape *s,
		   u16 path, u64 now)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	mrc_psnmap_clear(req->lost, req->cfg.mpr - 1, psn);
	req->n_lost--;
	note_resent(req, rec, s, path, now);
	req->inflight += rec->nominal;
}

static void sent_shape(const struct mrc_req *req, u32 psn, struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, mrc_req_pkt(req, psn)->msg);

	pkt_shape(req, m, pkt_index(m, psn), s);
}

/* May the lost packet @psn be sent again on @path? */
static bool peek_lost(const struct mrc_req *req, u32 psn, int path,
		      struct shape *s)
{
	if (mrc_psn_diff(psn, req->nxt) >= 0 ||
	    !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, psn) ||
	    mrc_req_pkt(req, psn)->path == path)
		return false;
	sent_shape(req, psn, s);
	return mrc_cc_can_send(&req->cc, mrc_req_inflight(req), nominal(s)) &&
	       in_window(req, psn);
}

static bool rtx_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	u32 psn = mrc_psn_add(req->una,
			      mrc_psnmap_next(req->lost, req->cfg.mpr - 1,
					      req->una, mrc_req_out(req)));
	u16 wire0, wire;
	struct shape s;
	u32 limit;
	int path;

	if (!peek_lost(req, psn, -1, &s)) {
		if (in_window(req, psn))
			req->stats.stalls_cwnd++;
		else
			req->stats.stalls_mpr++;
		return false;
	}
	path = take_path(req, mrc_req_pkt(req, psn)->path, now);
	if (path < 0)
		return false;

	start_burst(req, b, psn, path);
	b->rtx = true;
	b->ackreq = true;
	wire0 = s.wire;
	limit = burst_max(req, &s);
	do {
		resend(req, psn, &s, path, now);
		b->n++;
		wire = s.wire;
		psn = mrc_psn_add(psn, 1);
	} while (peek_lost(req, psn, path, &s) &&
		 fits_burst(b, limit, wire0, wire, s.wire));
	return true;
}

/*
 * Everything has been SACKed, but the transport ACK got lost.  A responder
 * answers a duplicate with both (MRC 1.0 4.2).
 */
static bool nudge_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	u32 psn = mrc_psn_add(mrc_req_needed(req), -1);
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	struct shape s;
	int path;

	/* Its record may have made room for packets of no interest. */
	if (mrc_psn_diff(req->nxt, psn) > (s32)req->cfg.mpr)
		return false;
	path = take_path(req, rec->path, now);
	if (path < 0)
		return false;
	req->nudge = false;
	start_burst(req, b, psn, path);
	b->rtx = true;
	b->ackreq = true;
	b->n = 1;
	sent_shape(req, psn, &s);
	note_resent(req, rec, &s, path, now);
	return true;
}

/**
 * mrc_req_next_burst() - choose the packets to be sent now
 * @req: requester
 * @now: ns
 * @b: the burst
 *
 * The packets count as sent: the caller builds them with mrc_req_burst_pkt()
 * before anything else happens to the requester, or leaves them to loss
 * recovery.
 *
 * Context: any, the owner serialises.
 * Return: false if nothing may be sent now.
 */
bool mrc_req_next_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	bool sent;

	if (req->status)
		return false;
	if (req->infer)
		mrc_req_infer(req, now);
	if (req->hold_until > now)
		return false;

	if (req->nudge)
		sent = nudge_burst(req, now, b);
	else if (req->n_lost)
		sent = rtx_burst(req, now, b);
	else
		sent = new_burst(req, now, b);
	if (sent)
		mrc_req_sent(req, now);
	return sent;
}

/**
 * mrc_req_burst_pkt() - describe a packet of a burst
 * @req: requester
 * @b: burst, just returned by mrc_req_next_burst()
 * @i: packet, 0 .. @b->n - 1
 * @now: ns, for the timestamp
 * @out: headers and payload
 *
 * Context: any, the owner serialises.
 */
void mrc_req_burst_pkt(const struct mrc_req *req, const struct mrc_burst *b,
		       u8 i, u64 now, struct mrc_burst_pkt *out)
{
	u32 psn = mrc_psn_add(b->psn, i);
	const struct mrc_msg *m = mrc_req_msg(req, mrc_req_pkt(req, psn)->msg);
	struct mrc_pkt_data *h = &out->hdr;
	u32 at = pkt_index(m, psn);
	struct shape s;

	pkt_shape(req, m, at, &s);
	h->opcode = s.opcode;
	h->payload_len = s.len;
	h->dest_qpn = req->cfg.dest_qpn;
	h->psn = psn;
	h->rqmsn = m->rqmsn;
	h->msn = m->msn;
	h->tx_ts = mrc_ts_from_ns(now);
	h->dmalen = m->d.length;
	h->imm = m->d.imm;
	h->swap = m->d.swap;
	h->compare = m->d.compare;
	h->rpsn = req->cfg.rq_psn;
	h->va = s.offset;
	h->rkey = 0;
	if (!(m->d.flags & (MRC_MSG_SEND | MRC_MSG_RESULT))) {
		h->va += m->d.raddr;
		h->rkey = m->d.rkey;
	}
	h->flags = (req->cfg.ts ? MRC_PF_TS : 0) | (b->rtx ? MRC_PF_RTX : 0);
	if (b->ackreq && i == b->n - 1)
		h->flags |= MRC_PF_ACKREQ;
	if (m->d.flags & MRC_MSG_SOLICITED && mrc_msg_uses_rq(m) && at == m->npkts - 1)
		h->flags |= MRC_PF_SE;
	out->msg = &m->d;
	out->cookie = m->d.cookie;
	out->offset = s.offset;
}

/**
 * mrc_req_burst_next() - describe the next packet of a burst
 * @req: requester
 * @b: burst, just returned by mrc_req_next_burst()
 * @i: packet, 1 .. @b->n - 1
 * @now: ns, for the timestamp
 * @out: packet @i - 1, becomes packet @i
 *
 * Does the same as mrc_req_burst_pkt(), with less work between two Middle
 * packets.
 *
 * Context: any, the owner serialises.
 */
void mrc_req_burst_next(const struct mrc_req *req, const struct mrc_burst *b,
			u8 i, u64 now, struct mrc_burst_pkt *out)
{
	struct mrc_pkt_data *h = &out->hdr;
	u32 offset = out->offset + h->payload_len;

	if (mrc_opcode_get(h->opcode)->flags & MRC_OPF_ONLY ||
	    offset + req->cfg.pmtu >= h->dmalen) {
		mrc_req_burst_pkt(req, b, i, now, out);
		return;
	}
	h->psn = mrc_psn_add(h->psn, 1);
	h->va += h->payload_len;
	if (b->ackreq && i == b->n - 1)
		h->flags |= MRC_PF_ACKREQ;
	out->offset = offset;
}
