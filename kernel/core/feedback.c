// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: what answers say of the windows, and what the congestion control
 * is told.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/loss.h"

/* No window holds more: 4096 packets of 64 KiB. */
#define COUNT_MAX	0x10000000

/*
 * Dynamic MPR: the window shrinks and grows while packets are in flight.  It is
 * never less than one unit, for 0 says nothing, and never more than the ring of
 * records holds.  A SACK that counts less than another came before it.
 */
static void take_mpr(struct mrc_req *req, const struct mrc_pkt_sack *s)
{
	if (req->cfg.dynamic_mpr && s->mpr &&
	    mrc_psn_diff(s->rcvd_bytes, req->rcvd) >= 0)
		req->mpr = min_t(u32, s->mpr * MRC_MPR_UNIT, req->cfg.mpr);
}

/**
 * mrc_req_named() - packets have been named by something else than a SACK
 * @req: requester
 * @bytes: their nominal bytes
 */
void mrc_req_named(struct mrc_req *req, u32 bytes)
{
	req->unnamed = max_t(s64, (s64)req->unnamed - bytes, -COUNT_MAX);
}

/*
 * Bytes that have newly come to the peer.  Its count says so at once, whereas a
 * bitmap speaks of 64 packets, and neither lost nor overtaken answers disturb
 * it.  A peer that does not count leaves the field zero.
 *
 * What has been counted and not named by any answer is in the network no more,
 * even though nobody knows which packets these are.  The two books are kept by
 * different hosts: whenever the peer holds no more beyond the gap than we know
 * of, they must agree, so differences in counting do not add up.
 */
static u32 newly_received(struct mrc_req *req, const struct mrc_pkt_sack *s,
			  u32 named)
{
	/* 24 bits as well. */
	s32 units = mrc_psn_diff(s->rcvd_bytes, req->rcvd);
	s32 bytes = min(max(units, 0), COUNT_MAX >> MRC_RCVD_UNIT_SHIFT) <<
		    MRC_RCVD_UNIT_SHIFT;
	s32 more = s->ooo_count - req->n_acked;

	mrc_req_named(req, named);
	if (!s->rcvd_bytes && !req->rcvd)
		return named;
	req->unnamed = min(req->unnamed + bytes, COUNT_MAX);
	if (units < 0)
		return 0;
	req->rcvd = s->rcvd_bytes;
	if (mrc_psn_add(s->cack_psn, 1) != req->una)
		return bytes;
	if (more <= 0)
		req->unnamed = 0;
	else
		req->unnamed = min_t(s64, req->unnamed,
				     (s64)more * req->cc.cfg.mtu);
	return bytes;
}

/*
 * A round trip without the time for which the peer kept the packet: where that
 * is agreed on, it adds this to the timestamp that it reflects (wire format,
 * D5).
 */
static u32 network_rtt(const struct mrc_req *req, const struct mrc_pkt_sack *s,
		       const struct mrc_rtt *rtt)
{
	u32 held;

	if (!req->cfg.svc_time || !rtt->stamped)
		return rtt->ns;
	held = (u32)(u16)(s->tx_ts - mrc_ts_from_ns(rtt->sent)) << MRC_TS_SHIFT;
	return held < rtt->ns ? rtt->ns - held : rtt->ns;
}

/**
 * mrc_req_tell_ack() - take over the PSN window, tell the congestion control
 * @req: requester, which has processed the SACK
 * @s: the SACK
 * @rtt: round trip that it has given
 * @named: nominal bytes of the packets that it was the first to name
 * @now: ns
 */
void mrc_req_tell_ack(struct mrc_req *req, const struct mrc_pkt_sack *s,
		      const struct mrc_rtt *rtt, u32 named, u64 now)
{
	struct mrc_cc_ack *told = &req->told;

	*told = (struct mrc_cc_ack){
		.now = now,
		.rtt = network_rtt(req, s, rtt),
		.marked = s->mark == MRC_MARK_SKIP_ONCE,
		.rcv_cwnd_pen = s->cwnd_pen,
		.restore_cwnd = s->restore_cwnd,
	};

	take_mpr(req, s);
	told->acked = newly_received(req, s, named);
	told->inflight = mrc_req_inflight(req);
	req->cc.ops->on_ack(&req->cc, told);
}

/* Of the copy that was trimmed, if it is known to be the latest. */
static u32 trim_rtt(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		    const struct mrc_pkt_nack *n, u64 now)
{
	bool same = req->cfg.ts ? n->tx_ts == mrc_ts_from_ns(rec->sent) :
				  rec->tx_cnt == 1;

	return same ? max_t(u64, 1, min_t(u64, now - rec->sent, U32_MAX)) : 0;
}

/**
 * mrc_req_tell_trim() - tell the congestion control of a trimmed packet
 * @req: requester; the packet is no longer in flight
 * @rec: record of the packet
 * @n: the NACK
 * @now: ns
 */
void mrc_req_tell_trim(struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       const struct mrc_pkt_nack *n, u64 now)
{
	const struct mrc_cc_trim trim = {
		.now = now,
		.nominal = rec->nominal,
		.inflight = mrc_req_inflight(req),
		.rtt = trim_rtt(req, rec, n, now),
	};

	req->cc.ops->on_trim(&req->cc, &trim);
}
