// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: loss detection by sending times, as RACK does (RFC 8985; the rule
 * of MRC 1.0 7.4.5 is not public).
 *
 * Packets overtake each other freely, so a gap of PSNs proves nothing, and a
 * clear bit in a SACK says nothing of packets that are still on their way.  A
 * packet is lost if a SACK misses it although the packet that triggered the
 * SACK was sent later, by more than the reordering window: the small one if
 * both were sent on one path (path rule), the large one otherwise (any-path
 * rule); or if a packet behind it in its burst has arrived (burst rule).
 *
 * Sending times are those at which a packet left this host (txq_fence.h).  An
 * acknowledgment that is late, because the host was busy, therefore delays the
 * detection of a loss and never causes a spurious one.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/ev_overdue.h"
#include "core/req_internal.h"

/*
 * Comparisons with more packets than this are made once in this part of the
 * reordering window of a path.
 */
#define COMPARE_MANY		64
#define COMPARE_WND_PART	4

/*
 * Packet @psn was lost as @rec says, which may be the record of an earlier copy: report
 * and count it, and let its path and the congestion window know.
 */
static void report_lost(struct mrc_req *req, u32 psn,
			const struct mrc_tx_pkt *rec, enum mrc_loss why,
			u64 now)
{
	if (req->on_loss)
		req->on_loss(req, psn, rec, why, now);
	if (why == MRC_LOSS_NACK)
		return;
	mrc_req_pkt(req, psn)->flags |= MRC_TXP_DEEMED_LOST;
	req->stats.rack_loss_path += why == MRC_LOSS_RACK_PATH;
	req->stats.rack_loss_any += why == MRC_LOSS_RACK_ANY;
	req->evs->crowded = mrc_cc_is_crowded(&req->cc);
	mrc_ev_feedback_at(req->evs, rec->path,
			   why == MRC_LOSS_RTO ? MRC_EV_SIGNAL_RTO :
						 MRC_EV_SIGNAL_LOSS,
			   rec->sent, now);
	req->cc.ops->on_loss(&req->cc, now, rec->nominal);
}

/**
 * mrc_req_set_lost() - take a packet out of flight, schedule retransmission
 * @req: requester
 * @psn: outstanding packet that is not in @req->lost
 * @why: evidence
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_set_lost(struct mrc_req *req, u32 psn, enum mrc_loss why, u64 now)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	mrc_psnmap_set(req->lost, req->cfg.mpr - 1, psn);
	req->n_lost++;
	mrc_req_in_flight(req, rec->path, -rec->nominal);
	mrc_ev_overdue_acked_or_lost(req->evs, rec->path, rec->sent);
	rec->flags &= ~MRC_TXP_DEEMED_LOST;
	mrc_req_tlp_known(req, rec);
	report_lost(req, psn, rec, why, now);
}

static bool path_rule(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		      u64 as_of)
{
	u64 due = mrc_req_left_host(req, rec) + mrc_req_reo_wnd_path(req);

	return due <= as_of && due <= req->evs->ev[rec->path].acked_sent;
}

static bool any_path_rule(const struct mrc_req *req,
			  const struct mrc_tx_pkt *rec, u64 as_of)
{
	return mrc_req_left_host(req, rec) + mrc_req_reo_wnd_pkt(req, rec) <=
	       as_of;
}

/**
 * struct scan - what packets that a SACK misses are compared with
 * @as_of: ns when the packet that triggered the SACK was sent
 * @wnd_path: reordering window of packets of one path
 * @wnd_least: lower bound of that between a packet and any other; 0: neither has
 *	been computed yet
 * @latest: no SACK built later has been received before
 */
struct scan {
	u64 as_of;
	u64 wnd_path;
	u64 wnd_least;
	bool latest;
};

/*
 * A SACK can miss a whole window of packets, nearly all of which are merely on
 * their way.  So bounds that a few comparisons decide come before the rules: no
 * packet leaves the host before it is sent.
 */
static bool is_due(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		   struct scan *s)
{
	u64 acked = req->evs->ev[rec->path].acked_sent;

	if (!s->wnd_least) {
		s->wnd_path = mrc_req_reo_wnd_path(req);
		s->wnd_least = mrc_req_reo_wnd_least(req);
	}
	if (s->latest && rec->sent + s->wnd_path <= min(s->as_of, acked) &&
	    path_rule(req, rec, s->as_of))
		return true;
	return rec->sent + s->wnd_least <= s->as_of &&
	       any_path_rule(req, rec, s->as_of);
}

/**
 * mrc_req_rack_judge() - was a packet lost of which a tail loss probe carries a copy?
 * @req: requester, with @tlp.judge
 * @as_of: ns when the packet or probe was sent that triggered a SACK which misses it
 * @now: ns
 *
 * The copy took the packet out of flight without a verdict on its path.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_rack_judge(struct mrc_req *req, u64 as_of, u64 now)
{
	struct mrc_req_tlp *tlp = &req->tlp;
	struct mrc_tx_pkt copied = *mrc_req_pkt(req, tlp->copied_psn);

	copied.sent = tlp->copied_sent;
	copied.path = tlp->copied_path;
	if (!any_path_rule(req, &copied, as_of))
		return;
	tlp->judge = false;
	mrc_ev_overdue_acked_or_lost(req->evs, copied.path, copied.sent);
	report_lost(req, tlp->copied_psn, &copied, MRC_LOSS_RACK_ANY, now);
}

static void set_candidate(struct mrc_req *req, u32 psn)
{
	mrc_psnmap_set(req->rack.candidate, req->cfg.mpr - 1, psn);
	req->rack.pending = true;
}

/**
 * mrc_req_rack_update() - apply the rules to packets that a SACK misses
 * @req: requester
 * @psn: first PSN that the SACK describes as missing, in the window
 * @n: number of such PSNs; those acknowledged otherwise are passed over
 * @as_of: ns when the packet that triggered the SACK was sent
 * @latest: the SACK was built after all that have been received before it, and
 *	thus after everything that those acknowledge had been delivered
 *
 * Packets that meet a rule become candidates; mrc_req_rack_detect_loss()
 * decides when all received acknowledgments have been processed.
 *
 * New packets are sent in the order of their PSNs, so the search ends at the
 * first packet that was sent once and too late for any rule.  A retransmitted
 * packet has the time of its retransmission and is judged by it.
 *
 * Context: any, the caller serialises.
 * Return: number of packets that were compared.
 */
u32 mrc_req_rack_update(struct mrc_req *req, u32 psn, u32 n, u64 as_of,
			bool latest)
{
	u32 at = mrc_psn_diff(psn, req->una);
	struct scan s = { .as_of = as_of, .latest = latest };
	u64 least = mrc_req_reo_min(req);
	struct mrc_tx_pkt *rec;
	u32 compared = 0;
	u64 bits;

	/* Without a round trip sample there is no reordering window. */
	if (!req->rtt.min && !req->cfg.reo_wnd_any)
		return 0;
	for (n += at; at < n; at += 64) {
		for (bits = mrc_req_open_pkts(req, at, n); bits;
		     bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			rec = mrc_req_pkt(req, psn);
			if (rec->sent + least > as_of) {
				if (rec->tx_cnt == 1)
					return compared;
				continue;
			}
			compared++;
			rec->flags |= MRC_TXP_OVERTAKEN;
			req->rack.overtaken_by = max(req->rack.overtaken_by,
						     as_of);
			if (is_due(req, rec, &s))
				set_candidate(req, psn);
		}
	}
	return compared;
}

/**
 * mrc_req_rack_update_all() - as mrc_req_rack_update(), for the whole PSN window
 * @req: requester
 * @as_of: ns when the packet that triggered the SACK was sent
 *
 * If most of the window is merely on its way, this is much work for each SACK,
 * and the window may have thousands of packets.  So after a long comparison the
 * next one waits until a fraction of the smaller reordering window has passed
 * between the sending times of triggers: a loss is detected later by that much at
 * most.  No later SACK comes for the newest packet, which therefore never waits.
 *
 * Context: any, the caller serialises.
 * Return: false if nothing has been compared.
 */
bool mrc_req_rack_update_all(struct mrc_req *req, u64 as_of)
{
	if (as_of < req->rack.all_next && as_of < req->last_sent)
		return false;
	if (mrc_req_rack_update(req, req->una, mrc_req_outstanding(req), as_of,
				true) > COMPARE_MANY)
		req->rack.all_next = as_of + mrc_req_reo_wnd_path(req) /
					     COMPARE_WND_PART;
	return true;
}

static bool keeps_bursts_in_order(const struct mrc_req *req)
{
	return !req->cfg.reo_wnd_path && !req->rack.reo_wnd_shift;
}

/*
 * The packet after @psn has arrived, and @psn has not: if both are of one burst, @psn is
 * lost, and with it those before it in the burst, down to @first, that are missing, too.
 * A retransmission at the same time may have been sent after the burst.
 */
static void burst_gap(struct mrc_req *req, u32 first, u32 psn)
{
	const struct mrc_tx_pkt *next = mrc_req_pkt(req, mrc_psn_add(psn, 1));
	u32 mask = req->cfg.mpr - 1;
	const struct mrc_tx_pkt *rec;

	for (; mrc_psn_diff(psn, first) >= 0; psn = mrc_psn_add(psn, -1)) {
		rec = mrc_req_pkt(req, psn);
		if (rec->sent != next->sent || rec->path != next->path ||
		    rec->tx_cnt > 1 || mrc_psnmap_test(req->acked, mask, psn))
			return;
		if (!mrc_psnmap_test(req->lost, mask, psn))
			set_candidate(req, psn);
	}
}

/**
 * mrc_req_rack_burst() - apply the burst rule to packets that a SACK misses
 * @req: requester
 * @base: PSN of the first bit of the SACK's bitmap, in the window
 * @fresh: the bits that were the first to acknowledge their packets
 *
 * Packets of a burst are sent at one time on one path: as one buffer, which devices
 * divide, through one queue after the other.  Of two of them the one with the lower PSN
 * arrives first (RFC 8985 section 6.2 orders segments sent at one time likewise), so no
 * reordering window is needed; unless the configuration says that hosts reorder packets
 * of a path, or as long as a spurious retransmission widens the windows.
 *
 * Context: any, the caller serialises.  The SACK was built after all that have been
 * received before it.
 */
void mrc_req_rack_burst(struct mrc_req *req, u32 base, u64 fresh)
{
	/* In front of them is a packet that the bitmap describes and misses, or did. */
	u64 bits = fresh & ~(fresh << 1) & ~1ULL;

	if (!keeps_bursts_in_order(req))
		return;
	for (; bits; bits &= bits - 1)
		burst_gap(req, base, mrc_psn_add(base, (int)__ffs64(bits) - 1));
}

/* A later packet of the path has arrived, or one of the same burst. */
static bool is_lost_on_path(const struct mrc_req *req,
			    const struct mrc_tx_pkt *rec, u64 now)
{
	return path_rule(req, rec, now) ||
	       rec->sent == req->evs->ev[rec->path].acked_sent;
}

/**
 * mrc_req_rack_detect_loss() - candidates not acknowledged since are lost
 * @req: requester
 * @now: ns
 *
 * Context: any, the caller serialises.  Called when all received
 * acknowledgments have been processed, for each may acknowledge some
 * candidates, and before anything is sent.
 */
void mrc_req_rack_detect_loss(struct mrc_req *req, u64 now)
{
	u32 n = mrc_req_outstanding(req);
	u32 mask = req->cfg.mpr - 1;
	enum mrc_loss why;
	u32 at, psn;
	u64 bits;

	for (at = 0; at < n; at += 64) {
		bits = mrc_req_open_pkts(req, at, n) &
		       mrc_psnmap_get64(req->rack.candidate, mask,
					mrc_psn_add(req->una, at));
		for (; bits; bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			why = is_lost_on_path(req, mrc_req_pkt(req, psn), now) ?
			      MRC_LOSS_RACK_PATH : MRC_LOSS_RACK_ANY;
			mrc_req_set_lost(req, psn, why, now);
		}
	}
	memset(req->rack.candidate, 0, mrc_psnmap_bytes(req->cfg.mpr));
	req->rack.pending = false;
}
