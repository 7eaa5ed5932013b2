// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: the choice of the next burst and its packets.  Retransmissions
 * come first, oldest gap first; both the PSN window and the congestion window
 * limit every transmission (MRC 1.0 6.2), but that a packet which a tail loss
 * probe carries is in flight already.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "core/req_internal.h"

/*
 * A GSO buffer and all headers in front of it fit in one IP packet of 64 KiB;
 * this leaves space for UDP, two IPv6 headers and an SRH.
 */
#define BURST_BYTES	65024U

/*
 * Most PSNs that may be SACKed without a transport ACK.  A conforming peer
 * sends both together; beyond this, serial arithmetic of PSNs would become
 * ambiguous.
 */
#define ACK_LAG_MAX	BIT(22)

/* Why no new packet may be sent. */
enum stall {
	STALL_NONE,
	STALL_BACKLOG,
	STALL_MPR,
	STALL_WIMM,
	STALL_RD_ATOMIC,
	STALL_CWND,
	STALL_PACE,
};

/* Size and position of a packet. */
struct shape {
	u32 offset;
	u16 len;
	u16 wire;
	u8 opcode;
};

static u8 pkt_opcode(const struct mrc_msg *m, u32 i)
{
	bool imm = m->d.flags & MRC_MSG_IMM;
	u8 base = m->d.flags & MRC_MSG_SEND ? MRC_OP_SEND_FIRST :
					      MRC_OP_WRITE_FIRST;

	if (m->d.flags & (MRC_MSG_READ | MRC_MSG_ATOMIC))
		return mrc_rd_atomic_opcode(m, i);
	if (m->d.flags & MRC_MSG_INV && i == m->npkts - 1)
		return i ? MRC_OP_SEND_LAST_INV : MRC_OP_SEND_ONLY_INV;
	/* SEND and WRITE opcodes are in the same order. */
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

/* Position within its message of a packet that has been sent. */
static u32 pkt_index(const struct mrc_msg *m, u32 psn)
{
	return (psn - m->first_psn) & MRC_PSN_MASK;
}

static u32 nominal(const struct shape *s)
{
	return s->wire + MRC_CC_NOMINAL_OVERHEAD;
}

/*
 * Packets from @psn on that the PSN window admits, or less than 1.
 *
 * MRC 1.0 6.2: never beyond cack + MPR.  This is one less, because
 * implementations differ by one in how they read that.
 */
static s32 psn_window_left(const struct mrc_req *req, u32 psn)
{
	return (s32)req->mpr - 1 - mrc_psn_diff(psn, req->una);
}

static bool in_psn_window(const struct mrc_req *req, u32 psn)
{
	return psn_window_left(req, psn) > 0;
}

/* New packets that the PSN window and ACK_LAG_MAX admit, or less than 1. */
static s32 new_pkts_allowed(const struct mrc_req *req)
{
	s32 lag = mrc_psn_diff(req->nxt, req->ack_psn);

	return min(psn_window_left(req, req->nxt), (s32)ACK_LAG_MAX - lag);
}

/*
 * A message waits for READ or ATOMIC responses: with a fence for all requests
 * before it (IBTA 10.8.3.3), and as a request itself while max_rd_atomic others
 * are outstanding, because their sequence numbers must be unambiguous.
 */
static bool rda_stalled(const struct mrc_req *req,
			const struct mrc_msg *m)
{
	u16 open = req->rda.next - req->rda.una;

	return (m->d.flags & MRC_MSG_FENCE && open) ||
	       (mrc_msg_is_rd_atomic(m) && open >= req->cfg.max_rd_atomic);
}

/* The next new packet, or why none may be sent. */
static enum stall peek_new(const struct mrc_req *req, struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);

	if (!mrc_req_backlog(req))
		return STALL_BACKLOG;
	if (new_pkts_allowed(req) <= 0)
		return STALL_MPR;
	if (!req->msg_pkt && mrc_msg_uses_rq(m) &&
	    req->wimm >= req->cfg.max_wimm)
		return STALL_WIMM;
	if (!req->msg_pkt && rda_stalled(req, m))
		return STALL_RD_ATOMIC;
	pkt_shape(req, m, req->msg_pkt, s);
	if (!mrc_cc_can_send(&req->cc, mrc_req_inflight(req), nominal(s)))
		return STALL_CWND;
	return STALL_NONE;
}

static void count_sent(struct mrc_req *req, u16 path, u32 pkts, u32 bytes,
		       u64 now)
{
	struct mrc_ev_stats *st = &req->evs->ev[path].stats;

	st->tx_pkts += pkts;
	st->tx_bytes += bytes;
	req->stats.tx_pkts += pkts;
	req->stats.tx_bytes += bytes;
	mrc_ev_overdue_sent(req->evs, path, now);
}

/* Send @n packets of shape @s; with @n > 1 none is the first or last of @m. */
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
	count_sent(req, path, n, n * s->len, now);
	mrc_req_in_flight(req, path, n * rec.nominal);
	req->bytes_since_ackreq += n * rec.nominal;
	req->bytes_since_full = min(req->bytes_since_full + n * rec.nominal,
				    U32_MAX / 2);
	req->nxt = mrc_psn_add(req->nxt, n);
	if (!req->msg_pkt && mrc_msg_uses_rq(m))
		req->wimm++;
	if (mrc_msg_is_rd_atomic(m))
		req->rda.msg[req->rda.next++ % MRC_RD_ATOMIC_MAX] =
			req->msg_send;
	req->msg_pkt += n;
	if (req->msg_pkt < m->npkts)
		return;
	req->msg_pkt = 0;
	req->msg_send++;
}

/* Most packets of a burst whose first one has shape @s. */
static u32 burst_max(const struct mrc_req *req, const struct shape *s)
{
	return clamp_t(u32, BURST_BYTES / s->wire, 1,
		       mrc_cc_burst(&req->cc, req->evs->n_planes, nominal(s),
				    req->cfg.burst));
}

/*
 * If the end of the queue needs two bursts, both get half of it: a burst of one
 * packet would cost as much as a full one.
 */
static u32 burst_limit(const struct mrc_req *req, const struct shape *s)
{
	u32 max = burst_max(req, s);
	u32 left = mrc_req_unsent(req);

	return left > max && left < 2 * max ? DIV_ROUND_UP(left, 2) : max;
}

/*
 * All segments of a GSO buffer have one size, only the last may be shorter.  A
 * last packet with immediate data can be longer, and starts a burst of its own.
 */
static bool burst_fits(const struct mrc_burst *b, u32 limit, u16 wire0,
		       u16 wire_last, u16 wire)
{
	return b->n < limit && wire_last == wire0 && wire <= wire0;
}

/*
 * How many new packets from the next one on, of shape @s, can be added to the
 * burst without looking at each?  Most packets of a long message are Middle
 * packets that differ in their position only: the results of peek_new() and
 * burst_fits() for one of them hold for as many as the windows and the buffer
 * admit.
 */
static u32 burst_run(const struct mrc_req *req, const struct mrc_burst *b,
		     u32 limit, const struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);
	u32 n;

	if (!req->msg_pkt || req->msg_pkt + 1 == m->npkts ||
	    b->n + 1 == limit)
		return 1;
	n = min_t(u32, m->npkts - 1 - req->msg_pkt, new_pkts_allowed(req));
	n = min(n, limit - b->n);
	n = min(n, mrc_cc_max_pkts(&req->cc, mrc_req_inflight(req),
				   nominal(s)));
	return max(n, 1U);
}

/*
 * Choose a path, for a retransmission another one than @lost.  Without a usable
 * path the RTO runs too: if all paths are gone, that is an error.
 */
static int choose_path(struct mrc_req *req, int lost, u64 now)
{
	int path = lost < 0 ? mrc_lb_next(req->evs, now) :
			      mrc_lb_next_rtx(req->evs, lost, now);

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
 * A congestion window that was full opens when a batch fits, or a quarter of
 * the window: otherwise each acknowledgment would let one packet out, which
 * would request the next acknowledgment.
 */
static bool cwnd_opens(const struct mrc_req *req)
{
	const struct mrc_cc *cc = &req->cc;
	u32 inflight = mrc_req_inflight(req);
	u32 burst = mrc_cc_burst(cc, req->evs->n_planes, cc->cfg.mtu,
				 req->cfg.burst);
	u32 batch = min(cc->ops->batch ?: burst * cc->cfg.mtu, cc->cwnd / 4);

	return !inflight || inflight + batch <= cc->cwnd;
}

static enum stall first_new(struct mrc_req *req, u64 now, struct shape *s)
{
	if (req->pace.until > now)
		return STALL_PACE;
	if (req->cwnd_full && !cwnd_opens(req))
		return STALL_CWND;
	req->cwnd_full = false;
	return peek_new(req, s);
}

static bool new_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	enum stall why;
	struct shape s;
	u16 wire0, wire;
	u32 limit, n;
	int path;

	why = first_new(req, now, &s);
	if (why) {
		req->stats.stalls_mpr += why == STALL_MPR;
		req->stats.stalls_cwnd += why == STALL_CWND;
		if (why == STALL_CWND)
			req->bytes_since_full = 0;
		if (why != STALL_PACE)
			req->pace.more = false;
		return false;
	}
	path = choose_path(req, -1, now);
	if (path < 0) {
		req->pace.more = false;
		return false;
	}

	start_burst(req, b, req->nxt, path);
	wire0 = s.wire;
	limit = burst_limit(req, &s);
	do {
		n = burst_run(req, b, limit, &s);
		send_new(req, &s, n, path, now);
		b->n += n;
		wire = s.wire;
		why = peek_new(req, &s);
	} while (!why && burst_fits(b, limit, wire0, wire, s.wire));
	mrc_req_pkt(req, b->psn)->flags |= MRC_TXP_FIRST;
	/* No later packet would request an acknowledgment (MRC 1.0 8.3.1). */
	b->ackreq = why || mrc_cc_wants_ack(&req->cc, mrc_req_inflight(req),
					       req->bytes_since_ackreq,
					       req->bytes_since_full);
	if (b->ackreq)
		req->bytes_since_ackreq = 0;
	req->cwnd_full = why == STALL_CWND;
	if (req->rtt.min >= MRC_CC_LONG_RTT)
		mrc_req_pace_sent(req, b->n * (wire0 + MRC_CC_NOMINAL_OVERHEAD), !why, now);
	return true;
}

/* Record that the packet of @rec is retransmitted. */
static void record_rtx(struct mrc_req *req, struct mrc_tx_pkt *rec,
		       const struct shape *s, u16 path, u64 now)
{
	rec->sent = now;
	rec->path = path;
	rec->nominal = nominal(s);
	rec->flags &= MRC_TXP_DEEMED_LOST | MRC_TXP_RNR_OLDER;
	if (rec->tx_cnt < U8_MAX)
		rec->tx_cnt++;
	count_sent(req, path, 1, s->len, now);
	req->evs->ev[path].stats.rtx_pkts++;
	req->stats.rtx_pkts++;
	req->stats.rtx_bytes += s->len;
}

static void retransmit(struct mrc_req *req, u32 psn, const struct shape *s,
		       u16 path, u64 now)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	mrc_psnmap_clear(req->lost, req->cfg.mpr - 1, psn);
	req->n_lost--;
	record_rtx(req, rec, s, path, now);
	mrc_req_in_flight(req, path, rec->nominal);
}

static void sent_shape(const struct mrc_req *req, u32 psn, struct shape *s)
{
	const struct mrc_msg *m = mrc_req_msg(req, mrc_req_pkt(req, psn)->msg);

	pkt_shape(req, m, pkt_index(m, psn), s);
}

/* May the lost packet @psn be retransmitted on @path? */
static bool peek_lost(const struct mrc_req *req, u32 psn, int path,
		      struct shape *s)
{
	if (mrc_psn_diff(psn, req->nxt) >= 0 ||
	    !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, psn) ||
	    mrc_req_pkt(req, psn)->path == path)
		return false;
	sent_shape(req, psn, s);
	return mrc_cc_can_send(&req->cc, mrc_req_inflight(req), nominal(s)) &&
	       in_psn_window(req, psn);
}

static bool rtx_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	u32 at = mrc_psnmap_next(req->lost, req->cfg.mpr - 1, req->una,
				 mrc_req_outstanding(req));
	u32 psn = mrc_psn_add(req->una, at);
	u16 wire0, wire;
	struct shape s;
	u32 limit;
	int path;

	if (!peek_lost(req, psn, -1, &s)) {
		if (in_psn_window(req, psn))
			req->stats.stalls_cwnd++;
		else
			req->stats.stalls_mpr++;
		return false;
	}
	path = choose_path(req, mrc_req_pkt(req, psn)->path, now);
	if (path < 0)
		return false;

	start_burst(req, b, psn, path);
	b->rtx = true;
	b->ackreq = true;
	wire0 = s.wire;
	limit = burst_max(req, &s);
	do {
		retransmit(req, psn, &s, path, now);
		b->n++;
		wire = s.wire;
		psn = mrc_psn_add(psn, 1);
	} while (peek_lost(req, psn, path, &s) &&
		 burst_fits(b, limit, wire0, wire, s.wire));
	return true;
}

/* A burst of one packet that is not deemed lost. */
static void single_rtx(struct mrc_req *req, u32 psn, u16 path, u64 now,
		       struct mrc_burst *b)
{
	struct shape s;

	start_burst(req, b, psn, path);
	b->rtx = true;
	b->ackreq = true;
	b->n = 1;
	sent_shape(req, psn, &s);
	record_rtx(req, mrc_req_pkt(req, psn), &s, path, now);
}

/*
 * All packets have been SACKed, but the transport ACK was lost.  A responder
 * acknowledges a duplicate with both (MRC 1.0 6.3).
 */
static bool ack_rtx_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	u32 psn = mrc_psn_add(mrc_req_end_needed(req), -1);
	int path;

	/* Packets that are no longer needed may have reused its record. */
	if (mrc_psn_diff(req->nxt, psn) > (s32)req->cfg.mpr)
		return false;
	path = choose_path(req, mrc_req_pkt(req, psn)->path, now);
	if (path < 0)
		return false;
	req->ack_rtx = false;
	single_rtx(req, psn, path, now, b);
	return true;
}

/*
 * A tail loss probe carries the newest packet in flight.  It replaces the earlier copy
 * there, so the congestion window does not limit it (RFC 8985 7.3).
 */
static bool tlp_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, req->tlp.copy_psn);
	int path = choose_path(req, rec->path, now);

	if (path < 0)
		return false;
	mrc_req_tlp_copied(req);
	/* The RTO counts from here (RFC 8985 7.3). */
	req->rto.at = 0;
	single_rtx(req, req->tlp.copy_psn, path, now, b);
	rec->flags |= MRC_TXP_PROBED;
	mrc_req_in_flight(req, path, rec->nominal);
	return true;
}

/**
 * mrc_req_next_burst() - choose the packets to be sent now
 * @req: requester
 * @now: ns
 * @b: the burst
 *
 * The packets count as sent: the caller builds them with mrc_req_burst_pkt()
 * before any other call on the requester, or leaves them to loss recovery.
 *
 * Context: any, the caller serialises.
 * Return: false if nothing may be sent now.
 */
bool mrc_req_next_burst(struct mrc_req *req, u64 now, struct mrc_burst *b)
{
	bool again = true, sent;

	if (req->status)
		return false;
	if (req->rack.pending)
		mrc_req_rack_detect_loss(req, now);
	if (req->backoff.until > now) {
		req->pace.more = false;
		return false;
	}

	if (req->ack_rtx) {
		sent = ack_rtx_burst(req, now, b);
	} else if (req->n_lost) {
		sent = rtx_burst(req, now, b);
	} else if (req->tlp.copy && in_psn_window(req, req->tlp.copy_psn)) {
		sent = tlp_burst(req, now, b);
	} else {
		again = false;
		sent = new_burst(req, now, b);
	}
	if (again)
		req->pace.more = false;
	if (sent)
		mrc_req_on_sent(req, now);
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
 * Context: any, the caller serialises.
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
	if (!(m->d.flags & (MRC_MSG_SEND | MRC_MSG_RESPONSE))) {
		h->va += m->d.raddr;
		h->rkey = m->d.rkey;
	}
	h->flags = (req->cfg.ts ? MRC_PF_TS : 0) | (b->rtx ? MRC_PF_RTX : 0);
	if (b->ackreq && i == b->n - 1)
		h->flags |= MRC_PF_ACKREQ;
	if (m->d.flags & MRC_MSG_SOLICITED && mrc_msg_uses_rq(m) &&
	    at == m->npkts - 1)
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
 * Context: any, the caller serialises.
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
