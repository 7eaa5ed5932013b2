// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: reliability probes (MRC 1.0 7.4.6) as tail loss probes (RFC 8985
 * section 7), and the choice among the probes that are due.
 *
 * A tail loss probe makes the peer send a SACK when acknowledgments stay away.
 * The SACK tells which packets are missing, and RACK decides.  Once an
 * acknowledgment would have arrived on any path, the newest packet that misses
 * its own is sent again at the same time, as RFC 8985 does: if that is what was
 * lost, it need not wait for the SACK.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/ack_path.h"
#include "core/lb.h"
#include "core/req_internal.h"

/*
 * Rounds of probes in quick succession: a path that has failed swallows probe
 * or SACK.  Then the interval doubles with each round.
 */
#define TLP_ROUNDS	4
#define TLP_ROUNDS_MAX	(TLP_ROUNDS + 5)
/* Shortest interval, ns, without a round trip sample or with slow hosts. */
#define TLP_INTERVAL_MIN	1000000ULL
/*
 * A round trip between two hosts takes longer, ns. A clock whose steps are long may
 * measure 0, and probes at such an interval would leave in a loop.
 */
#define TLP_RTT_MIN		1000ULL

/* Smoothed round trip time, but no less than that. */
static u64 smoothed_rtt(const struct mrc_req *req)
{
	return max_t(u64, req->rtt.srtt, TLP_RTT_MIN);
}

/*
 * Probe timeout (RFC 8985 7.2) of a packet: from then on its acknowledgment is
 * overdue, and the SACK of a probe would prove a loss.
 */
static u64 probe_timeout(const struct mrc_req *req,
			 const struct mrc_tx_pkt *rec)
{
	u64 slack = max_t(u64, req->rtt.srtt / 4, 4ULL * req->rtt.rttvar);

	if (!req->rtt.srtt)
		return max(mrc_req_reo_wnd_any(req), TLP_INTERVAL_MIN);
	return max3(smoothed_rtt(req) + slack, mrc_req_reo_wnd_pkt(req, rec),
		    (u64)req->rtt.copy_age);
}

/* Interval between rounds; it doubles at once while the RTT is not known. */
static u64 probe_interval(const struct mrc_req *req)
{
	u64 rtt = smoothed_rtt(req) + mrc_req_rtt_slack(req);

	if (!req->rtt.srtt)
		return TLP_INTERVAL_MIN << (req->tlp.rounds - 1);
	if (req->cfg.reo_wnd_path)
		rtt = max(rtt, TLP_INTERVAL_MIN);
	return rtt << max(0, req->tlp.rounds - TLP_ROUNDS);
}

/**
 * mrc_req_tlp_wait() - how long may the SACK of a probe take?
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns from the first probe on.
 */
u64 mrc_req_tlp_wait(const struct mrc_req *req)
{
	u64 ns = mrc_req_reo_wnd_any(req) + 2ULL * req->rtt.srtt;

	return req->rtt.srtt ? ns : max(ns, TLP_INTERVAL_MIN);
}

/**
 * mrc_req_tlp_arm() - set the time of the next tail loss probe
 * @req: requester with packets in flight
 * @now: ns
 *
 * That is the probe timeout of the packet sent last, but not while
 * acknowledgments still arrive; or, once per gap, that of the oldest packet: a
 * gap can keep the window from moving, and then nothing else is sent.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_tlp_arm(struct mrc_req *req, u64 now)
{
	u32 newest = mrc_psn_add(req->nxt, -1);
	const struct mrc_tx_pkt *rec = mrc_req_pkt(req, req->una);
	u64 wait = probe_timeout(req, mrc_req_pkt(req, newest));
	u64 at = max(req->last_sent + wait, now + wait / 4);

	if (req->tlp.rounds)
		at = now + probe_interval(req);
	if (mrc_psn_diff(req->max_sacked, req->una) > 0 &&
	    req->tlp.psn != req->una &&
	    !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, req->una))
		at = min(at, rec->sent + probe_timeout(req, rec));
	req->tlp.at = at;
}

/* Packets from @una on whose acknowledgment is needed, or less than 1. */
static s32 needed(const struct mrc_req *req)
{
	return mrc_psn_diff(mrc_req_end_needed(req), req->una);
}

/* Position of the newest packet in flight, counted from @una; -1: there is none. */
static s32 newest_in_flight(const struct mrc_req *req)
{
	s32 n = needed(req), at;
	u64 bits;

	for (at = round_down(n - 1, 64); n > 0 && at >= 0; at -= 64) {
		bits = mrc_req_open_pkts(req, at, n);
		if (bits)
			return at + fls64(bits) - 1;
	}
	return -1;
}

/*
 * Did a packet leave this host before @as_of?  Of a READ response only what is known to
 * be lost is read again: the peer may have got it, and have had the memory taken away.
 */
static bool may_be_copied(const struct mrc_req *req,
			  const struct mrc_tx_pkt *rec, u64 as_of)
{
	u16 flags = mrc_req_msg(req, rec->msg)->d.flags;

	return mrc_req_left_host(req, rec) <= as_of &&
	       !(flags & MRC_MSG_RESPONSE && flags & MRC_MSG_READ);
}

/*
 * Choose the packet that a probe carries.  None after a spurious retransmission; and a host
 * that is late may have received the acknowledgment.
 */
static void choose_copy(struct mrc_req *req, u64 now)
{
	struct mrc_req_tlp *tlp = &req->tlp;
	u32 age = req->rtt.copy_age;
	s32 at;

	if (!age || req->rack.reo_wnd_shift || tlp->rounds >= TLP_ROUNDS ||
	    now > tlp->at + smoothed_rtt(req))
		return;
	at = newest_in_flight(req);
	if (at < 0)
		return;
	tlp->copy_psn = mrc_psn_add(req->una, at);
	tlp->copy = may_be_copied(req, mrc_req_pkt(req, tlp->copy_psn),
				  now - age);
}

/**
 * mrc_req_tlp_copied() - the packet that a probe carries is sent
 * @req: requester; the record is still that of the previous transmission
 *
 * That one is no longer in flight.  Whether it was lost, and its path is to blame, is
 * judged when a SACK misses it, mrc_req_tlp_missing(); until then the path is overdue.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_tlp_copied(struct mrc_req *req)
{
	struct mrc_req_tlp *tlp = &req->tlp;
	const struct mrc_tx_pkt *rec = mrc_req_pkt(req, tlp->copy_psn);

	tlp->judge = true;
	tlp->copied_psn = tlp->copy_psn;
	tlp->copied_path = rec->path;
	tlp->copied_sent = rec->sent;
	mrc_req_in_flight(req, rec->path, -rec->nominal);
}

static bool misses(const struct mrc_pkt_sack *s, u32 psn)
{
	u32 base = mrc_psn_add(s->cack_psn, s->sack_offset);
	s32 at = mrc_psn_diff(psn, base);

	if (psn == mrc_psn_add(s->cack_psn, 1))
		return true;
	return mrc_psn_diff(psn, s->cack_psn) > 0 && at >= 0 &&
	       at < MRC_SACK_BITS && !(s->bitmap >> at & 1);
}

/**
 * mrc_req_tlp_missing() - does a SACK miss the packet that a probe has carried?
 * @req: requester, with @tlp.judge
 * @s: the SACK
 * @as_of: ns when the packet or probe that triggered it was sent
 * @now: ns
 *
 * The packet may have been acknowledged since: that can be the copy.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_tlp_missing(struct mrc_req *req, const struct mrc_pkt_sack *s,
			 u64 as_of, u64 now)
{
	struct mrc_req_tlp *tlp = &req->tlp;

	if (mrc_psn_diff(req->nxt, tlp->copied_psn) > (s32)req->cfg.mpr)
		tlp->judge = false;
	else if (misses(s, tlp->copied_psn))
		mrc_req_rack_judge(req, as_of, now);
}

/* Preferably on another plane than path @avoid. */
static int probe_path_avoiding(struct mrc_req *req, u16 avoid, u64 now)
{
	int path = mrc_lb_next_probe(req->evs, avoid);

	return path < 0 ? mrc_lb_next_rtx(req->evs, avoid, now) : path;
}

/* From the second round on, each round sends two probes on two planes. */
static int tlp_path(struct mrc_req *req, u64 now)
{
	struct mrc_req_tlp *tlp = &req->tlp;
	int path;

	if (tlp->second_path >= 0) {
		path = probe_path_avoiding(req, tlp->second_path, now);
		tlp->second_path = -1;
		return path;
	}
	path = probe_path_avoiding(req, mrc_req_pkt(req, req->una)->path, now);
	choose_copy(req, now);
	tlp->psn = req->una;
	if (!tlp->rounds)
		tlp->first_at = now;
	else if (req->rtt.srtt)
		tlp->second_path = path;
	tlp->rounds = min(tlp->rounds + 1, TLP_ROUNDS_MAX);
	tlp->at = now + probe_interval(req);
	return path;
}

static int probe_path(struct mrc_req *req, u64 now)
{
	int path = -ENOENT;

	if (req->tlp.second_path >= 0 || (req->tlp.at && req->tlp.at <= now))
		path = tlp_path(req, now);
	if (path < 0)
		path = mrc_ev_probe_due(req->evs, now);
	return path < 0 ? mrc_ack_path_probe(req->evs, req->rtt.srtt, now) :
			  path;
}

/**
 * mrc_req_next_probe() - choose a reliability probe to be sent now
 * @req: requester
 * @now: ns
 * @probe: the probe
 *
 * In this order: tail loss probes; probes of paths that are ASSUMED_BAD, in an
 * idle QP too; probes for the ACK paths of a QP that only receives.
 *
 * Context: any, the caller serialises.
 * Return: false if none is due.
 */
bool mrc_req_next_probe(struct mrc_req *req, u64 now, struct mrc_probe *probe)
{
	int path;

	if (req->status)
		return false;
	path = probe_path(req, now);
	if (path < 0)
		return false;
	req->stats.probes++;
	mrc_probe_fill(probe, req->evs, path, req->cfg.dest_qpn, now);
	return true;
}
