// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: what SACKs and NACKs report to congestion control, and the PSN
 * window that the peer announces.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/req_internal.h"

/* &struct mrc_ev_set.plane_rate of Mb/s, up to 4 Tb/s. */
#define MBPS_TO_RATE(mbps) (((mbps) << MRC_EV_RATE_SHIFT) / 8000)

/* SACKs from one calculation of that to the next. */
#define PLANE_RATE_SACKS	8

/* More bytes than any PSN window holds: 16384 packets of 64 KiB. */
#define COUNT_MAX	0x40000000

/*
 * Dynamic MPR: the PSN window shrinks and grows while packets are in flight.
 * It is never less than one unit, because 0 stands for "not announced", and
 * never more than mrc_req_mpr_max().  A SACK that counts fewer bytes
 * than an earlier one was built before it and is outdated.
 */
static void update_mpr(struct mrc_req *req, const struct mrc_pkt_sack *s)
{
	if (req->cfg.dynamic_mpr && s->mpr &&
	    mrc_psn_diff(s->rcvd_bytes, req->rcvd) >= 0)
		req->mpr = min_t(u32, s->mpr * MRC_MPR_UNIT,
				 mrc_req_mpr_max(req));
}

/**
 * mrc_req_sacked() - packets have been acknowledged
 * @req: requester
 * @bytes: their nominal bytes
 *
 * For acknowledgments other than SACKs, which mrc_req_cc_on_sack() takes into
 * account itself.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_sacked(struct mrc_req *req, u32 bytes)
{
	req->rcvd_unsacked = max_t(s64, (s64)req->rcvd_unsacked - bytes,
				   -COUNT_MAX);
}

/*
 * Most nominal bytes that the peer can have counted since the latest SACK: those
 * of packets in flight or deemed lost, and those acknowledged and not counted
 * yet.  Its count is rounded up to whole units.
 */
static s64 countable(const struct mrc_req *req)
{
	s64 sent = req->inflight + (s64)req->n_lost * req->cc.cfg.mtu;

	return max(sent - req->rcvd_unsacked + (s64)MRC_RCVD_UNIT, 0LL);
}

/*
 * The peer has counted @bytes.  Have they been acknowledged packet by packet as
 * well?
 *
 * Bytes that have been counted and not been acknowledged have left the network,
 * although it is not known which packets they are.  The two counts are kept by
 * different hosts.  Whenever the peer has received no more packets beyond the
 * gap than have been acknowledged, they must agree, so differences in counting
 * do not accumulate.
 */
static void compare_counts(struct mrc_req *req, const struct mrc_pkt_sack *s,
			   u32 bytes)
{
	s32 more = s->ooo_count - req->n_acked;

	req->rcvd_unsacked += bytes;
	if (mrc_psn_add(s->cack_psn, 1) != req->una)
		return;
	if (more > 0) {
		req->rcvd_unsacked = min_t(s64, req->rcvd_unsacked,
					   (s64)more * req->cc.cfg.mtu);
		return;
	}
	req->rcvd_unsacked = 0;
	req->rcvd = s->rcvd_bytes;
}

/*
 * Bytes that the peer has newly received.  Its byte count includes all of them,
 * whereas a bitmap describes 64 packets, and is robust against lost or
 * reordered SACKs.  A peer that does not count leaves the field zero.  More than
 * has been sent is not believed, and a SACK that is not known to come from the
 * peer takes nothing out of flight by its count.
 */
static u32 newly_received(struct mrc_req *req, const struct mrc_pkt_sack *s,
			  u32 sacked, bool known)
{
	/* mrc_psn_diff(): this counter has 24 bits, too. */
	s32 units = mrc_psn_diff(s->rcvd_bytes, req->rcvd);

	mrc_req_sacked(req, sacked);
	if (!s->rcvd_bytes && !req->rcvd)
		return sacked;
	if (units < 0)
		return 0;
	units = min_t(s64, units, countable(req) >> MRC_RCVD_UNIT_SHIFT);
	req->rcvd = mrc_psn_add(req->rcvd, units);
	if (known)
		compare_counts(req, s, units << MRC_RCVD_UNIT_SHIFT);
	return units << MRC_RCVD_UNIT_SHIFT;
}

/*
 * Round trip without the service time of the peer: if SVC_TIME has been agreed
 * on, the peer adds that time to the timestamp that it reflects (wire format,
 * D5).
 */
static u32 network_rtt(const struct mrc_req *req, const struct mrc_pkt_sack *s,
		       const struct mrc_rtt_sample *rtt)
{
	u16 units;
	u32 svc_time;

	if (!req->cfg.svc_time || !rtt->stamped)
		return rtt->ns;
	units = s->tx_ts - mrc_ts_from_ns(rtt->sent);
	svc_time = (u32)units << MRC_TS_SHIFT;
	return svc_time < rtt->ns ? rtt->ns - svc_time : rtt->ns;
}

/* Plane of a path as congestion control counts them, from 0. */
static u8 cc_plane(const struct mrc_req *req, int path)
{
	static_assert(MRC_METRICS_PLANES == MRC_PLANE_MAX);

	/* A path that was removed has no plane. */
	if (path < 0 || !req->evs->ev[path].plane)
		return 0;
	return req->evs->ev[path].plane - 1;
}

/*
 * Forget what is older than the round trips that are remembered, unless the plane has
 * not been used since.
 */
static void expire_shortest(struct mrc_ev_set *set, u32 since)
{
	struct mrc_ev_plane *plane;
	u8 i;

	set->shortest_since = since;
	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		plane->shortest = plane->newer ?: plane->shortest;
		plane->newer = 0;
	}
}

/*
 * The rate of a plane, from what is in flight: it is too high while there are queues,
 * and then that of its link.
 */
static void update_plane_rate(struct mrc_req *req)
{
	struct mrc_ev_set *set = req->evs;
	u32 link = mrc_cc_rate(&req->cc) / max_t(u8, 1, set->n_planes);
	const struct mrc_ev_plane *plane;
	u32 length = 0;
	u8 i;

	/* It changes little from one SACK to the next. */
	if (set->plane_rate && req->stats.sacks % PLANE_RATE_SACKS)
		return;
	for (i = 0; i < set->n_planes; i++) {
		plane = &set->planes[set->plane_order[i] - 1];
		if (!plane->inflight)
			continue;
		if (!plane->shortest) {
			set->plane_rate = 0;
			return;
		}
		length += plane->shortest;
	}
	if (!length)
		return;
	set->plane_rate = div_u64((u64)req->inflight << MRC_EV_RATE_SHIFT,
				  length);
	if (link)
		set->plane_rate = min(set->plane_rate, MBPS_TO_RATE(link));
}

static void update_shortest(struct mrc_req *req, u8 nr)
{
	const struct mrc_metrics *m = mrc_cc_metrics(&req->cc);
	u32 base = mrc_metrics_base_rtt(m, nr), since = READ_ONCE(m->since);
	struct mrc_ev_plane *plane = &req->evs->planes[nr];

	if (req->evs->shortest_since != since)
		expire_shortest(req->evs, since);
	base = max(base, MRC_EV_SHORTEST_MIN);
	if (!plane->shortest || base < plane->shortest)
		plane->shortest = base;
	update_plane_rate(req);
}

/**
 * mrc_req_cc_on_sack() - update the PSN window, report to congestion control
 * @req: requester, which has processed the SACK
 * @s: the SACK
 * @rtt: round trip sample of the SACK; NULL: it names no packet or probe that
 *	has been sent, so that it is not known to come from the peer
 * @sacked: nominal bytes of the packets that it was the first to acknowledge
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_cc_on_sack(struct mrc_req *req, const struct mrc_pkt_sack *s,
			const struct mrc_rtt_sample *rtt, u32 sacked, u64 now)
{
	struct mrc_cc_ack *ack = &req->cc_ack;

	update_mpr(req, s);
	req->rcvd_unreported = min(newly_received(req, s, sacked, rtt) +
				   req->rcvd_unreported, COUNT_MAX);
	if (!rtt)
		return;
	*ack = (struct mrc_cc_ack){
		.now = now,
		.rtt = network_rtt(req, s, rtt),
		.plane = cc_plane(req, rtt->path),
		.marked = s->mark == MRC_MARK_SKIP_ONCE,
		.acked = req->rcvd_unreported,
		.inflight = mrc_req_inflight(req),
		.rcv_cwnd_pen = s->cwnd_pen,
		.restore_cwnd = s->restore_cwnd,
	};
	req->rcvd_unreported = 0;
	req->cc.ops->on_ack(&req->cc, ack);
	if (ack->rtt)
		update_shortest(req, ack->plane);
}

/* Round trip of the trimmed copy; 0 if that need not be the latest one. */
static u32 trim_rtt(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		    const struct mrc_pkt_nack *n, u64 now)
{
	bool same = req->cfg.ts ? n->tx_ts == mrc_ts_from_ns(rec->sent) :
				  rec->tx_cnt == 1;

	return same ? max_t(u64, 1, min_t(u64, now - rec->sent, U32_MAX)) : 0;
}

/**
 * mrc_req_cc_on_trim() - report a trimmed packet to congestion control
 * @req: requester; the packet is no longer in flight
 * @rec: record of the packet
 * @n: the NACK
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_cc_on_trim(struct mrc_req *req, const struct mrc_tx_pkt *rec,
			const struct mrc_pkt_nack *n, u64 now)
{
	const struct mrc_cc_trim trim = {
		.now = now,
		.nominal = rec->nominal,
		.inflight = mrc_req_inflight(req),
		.rtt = trim_rtt(req, rec, n, now),
		.plane = cc_plane(req, rec->path),
	};

	req->cc.ops->on_trim(&req->cc, &trim);
}
