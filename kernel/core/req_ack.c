// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: SACKs, NACKs and transport ACKs of the peer.  They arrive in any
 * order, duplicated, delayed or forged.  One that names PSNs which have never
 * been sent, or which are older than a PSN window, changes nothing.  What it
 * says about a path, about counts and about the window is believed only if it
 * names a packet or probe that has been sent, and its path (MRC 1.0 has no other
 * proof of its origin).
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "core/req_internal.h"
#include "core/ack_path.h"

/* Bounds of the backoff after a NACK for lack of resources. */
#define BACKOFF_MIN_NS	50000ULL
#define BACKOFF_MAX_NS	1000000ULL

#define RNR_RETRY_FOREVER 7

/* Why a packet was sent again without a word of the peer. */
#define SENT_ON_SUSPICION (MRC_TXP_DEEMED_LOST | MRC_TXP_PROBED)

/* RNR NAK timer codes in 10 us (IBTA 1.4 table 45). */
static const u32 rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768, 49152,
};

/**
 * struct ack_ctx - what has been learnt from one acknowledgment so far
 * @now: ns
 * @as_of: ns when the packet or probe that triggered the SACK was sent; 0: not
 *	known
 * @rtt: round trip sample
 * @rtx_psn: PSN of a retransmission whose latest copy is the one acknowledged,
 *	valid with @rtx_known
 * @acked: nominal bytes of the packets it was the first to acknowledge
 * @rtx_known: @rtx_psn has been set
 * @latest: no SACK built later has been received before
 * @known: it names a packet or probe that has been sent, and its path
 * @new_acked: it was the first to acknowledge some packet
 */
struct ack_ctx {
	u64 now;
	u64 as_of;
	struct mrc_rtt_sample rtt;
	u32 rtx_psn;
	u32 acked;
	bool rtx_known;
	bool latest;
	bool known;
	bool new_acked;
};

/* Round trip of a packet, ns; at least 1 also where a clock of long steps shows 0. */
static u32 round_trip(u64 sent, u64 now)
{
	return clamp_t(u64, now - sent, 1, U32_MAX);
}

/*
 * A round trip shorter than the shortest one measured: an earlier copy of the
 * packet is acknowledged.
 */
static bool acks_older_copy(const struct mrc_req *req,
			    const struct mrc_tx_pkt *rec, u64 now)
{
	return rec->tx_cnt > 1 && round_trip(rec->sent, now) < req->rtt.min;
}

/* A packet was sent again on suspicion, and its earlier copy has been delivered. */
static void sent_in_vain(struct mrc_req *req, struct mrc_tx_pkt *rec, u64 now)
{
	rec->flags &= ~SENT_ON_SUSPICION;
	mrc_req_tlp_known(req, rec);
	mrc_req_spurious(req, now);
}

static void path_delivered(struct mrc_req *req, struct mrc_tx_pkt *rec,
			   u32 psn, struct ack_ctx *ctx)
{
	/* Only of these it is known which copy is acknowledged (Karn). */
	if (rec->tx_cnt > 1 && !(ctx->rtx_known && psn == ctx->rtx_psn)) {
		mrc_ev_overdue_acked_or_lost(req->evs, rec->path, rec->sent);
		return;
	}
	/* No bound where hosts delay packets: it would include their delay. */
	if (!req->cfg.reo_wnd_any)
		mrc_ev_rtt_bound(req->evs, rec->path,
				 min_t(u64, ctx->now - rec->sent, U32_MAX));
	mrc_ev_acked(req->evs, rec->path, rec->sent);
	if (rec->flags & MRC_TXP_FIRST)
		mrc_lb_delivered(req->evs, rec->path, rec->sent);
	if (rec->flags & MRC_TXP_OVERTAKEN)
		mrc_req_reo_sample(req, rec, ctx->now);
}

/* @psn, in the window and not in @req->acked, has been delivered. */
static void pkt_delivered(struct mrc_req *req, u32 psn, struct ack_ctx *ctx)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	u32 mask = req->cfg.mpr - 1;

	ctx->new_acked = true;
	ctx->acked += rec->nominal;
	req->evs->ev[rec->path].stats.acked++;
	if (mrc_psnmap_test(req->lost, mask, psn)) {
		mrc_psnmap_clear(req->lost, mask, psn);
		req->n_lost--;
		if (rec->flags & MRC_TXP_DEEMED_LOST) {
			mrc_req_spurious(req, ctx->now);
			mrc_ev_feedback(req->evs, rec->path,
					MRC_EV_SIGNAL_SPURIOUS, ctx->now);
		}
		rec->flags &= ~MRC_TXP_DEEMED_LOST;
		return;
	}
	mrc_req_in_flight(req, rec->path, -rec->nominal);
	path_delivered(req, rec, psn, ctx);
	if (rec->flags & SENT_ON_SUSPICION &&
	    acks_older_copy(req, rec, ctx->now))
		sent_in_vain(req, rec, ctx->now);
}

/*
 * For how long packets of a plane are in flight while its queues are empty.  The
 * packet that others have waited for is a sample.
 */
static void sample_shortest(struct mrc_req *req, u64 now)
{
	const struct mrc_tx_pkt *rec = mrc_req_pkt(req, req->una);
	u8 nr = req->evs->ev[rec->path].plane;
	u32 age = clamp_t(u64, now - rec->sent, MRC_EV_SHORTEST_MIN, U32_MAX);
	struct mrc_ev_plane *plane;

	/* A path that was removed has no plane. */
	if (rec->tx_cnt != 1 || !nr)
		return;
	plane = &req->evs->planes[nr - 1];
	if (!plane->shortest)
		return;
	plane->shortest = min(plane->shortest, age);
	plane->newer = min_not_zero(plane->newer, age);
}

/* All packets before @next have been delivered. */
static void delivered_until(struct mrc_req *req, u32 next, struct ack_ctx *ctx)
{
	u32 mask = req->cfg.mpr - 1;

	if (mrc_psn_diff(next, req->una) > 0 &&
	    !mrc_psnmap_test(req->acked, mask, req->una))
		sample_shortest(req, ctx->now);
	while (mrc_psn_diff(next, req->una) > 0) {
		if (mrc_psnmap_test(req->acked, mask, req->una)) {
			mrc_psnmap_clear(req->acked, mask, req->una);
			req->n_acked--;
		} else {
			pkt_delivered(req, req->una, ctx);
		}
		req->una = mrc_psn_add(req->una, 1);
	}
	if (mrc_psn_diff(next, req->max_sacked) > 1)
		req->max_sacked = mrc_psn_add(next, -1);
}

/* Returns those of @bits that had not been acknowledged. */
static u64 delivered_bitmap(struct mrc_req *req, u32 base, u64 bits,
			    struct ack_ctx *ctx)
{
	u32 mask = req->cfg.mpr - 1;
	u32 psn = base;
	u64 fresh;

	fresh = bits & ~mrc_psnmap_get64(req->acked, mask, base);
	for (bits = fresh; bits; bits &= bits - 1) {
		psn = mrc_psn_add(base, __ffs64(bits));
		pkt_delivered(req, psn, ctx);
		mrc_psnmap_set(req->acked, mask, psn);
		req->n_acked++;
	}
	if (mrc_psn_diff(psn, req->max_sacked) > 0)
		req->max_sacked = psn;
	return fresh;
}

/**
 * struct slice - the part of a SACK's bitmap that is in the PSN window
 * @base: PSN of bit 0
 * @bits: packets that have been delivered
 */
struct slice {
	u32 base;
	u64 bits;
};

static u32 trigger_psn(const struct mrc_pkt_sack *s)
{
	return mrc_psn_add(s->cack_psn, s->ack_psn_offset);
}

/* Is a SACK of everything before @next a PSN window behind? */
static bool is_old(const struct mrc_req *req, u32 next)
{
	return mrc_psn_diff(req->una, next) > (s32)req->cfg.mpr;
}

/*
 * Cut the bitmap to the PSN window as it is after the cumulative part.  False
 * if the SACK names a PSN that was never sent.
 */
static bool sack_slice(const struct mrc_req *req, const struct mrc_pkt_sack *s,
		       struct slice *slice)
{
	u32 next = mrc_psn_add(s->cack_psn, 1);
	u32 una = mrc_psn_diff(next, req->una) > 0 ? next : req->una;
	s32 out = mrc_psn_diff(req->nxt, una);
	s32 at;

	slice->base = mrc_psn_add(s->cack_psn, s->sack_offset);
	slice->bits = s->bitmap;
	if (mrc_psn_diff(next, req->nxt) > 0)
		return false;
	if (!s->probe && mrc_psn_diff(trigger_psn(s), req->nxt) >= 0)
		return false;
	at = mrc_psn_diff(slice->base, una);
	if (at < 0) {
		slice->bits = at > -64 ? slice->bits >> -at : 0;
		slice->base = una;
		at = 0;
	}
	return !slice->bits || at + fls64(slice->bits) <= out;
}

static const enum mrc_ev_signal mark_signal[] = {
	[MRC_MARK_NONE]		= MRC_EV_SIGNAL_ACK,
	[MRC_MARK_SKIP_ONCE]	= MRC_EV_SIGNAL_SKIP_ONCE,
	[MRC_MARK_ALWAYS_SKIP]	= MRC_EV_SIGNAL_ALWAYS_SKIP,
};

static enum mrc_ev_signal sack_signal(const struct mrc_pkt_sack *s)
{
	return s->mark < ARRAY_SIZE(mark_signal) ? mark_signal[s->mark] :
						   MRC_EV_SIGNAL_ACK;
}

/* Record of a PSN if it is still in the ring, acknowledged or not. */
static struct mrc_tx_pkt *known_pkt(const struct mrc_req *req, u32 psn)
{
	s32 age = mrc_psn_diff(req->nxt, psn);
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	return age > 0 && age <= (s32)req->cfg.mpr && rec->tx_cnt ? rec : NULL;
}

/*
 * Was the recorded copy sent on the path that an acknowledgment names?  Of a
 * path that has been removed since the value is not known any more.
 */
static bool names_copy(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       u32 entropy)
{
	return rec->path >= req->evs->n ||
	       mrc_ev_matches(req->evs, rec->path, entropy);
}

/*
 * The path of an earlier copy, which is not recorded: of each transmission one
 * report is believed.
 */
static int earlier_path(const struct mrc_req *req, struct mrc_tx_pkt *rec,
			u32 entropy)
{
	int path = mrc_ev_find(req->evs, entropy);

	if (path < 0 || rec->tx_cnt == 1 || rec->flags & MRC_TXP_REPORTED)
		return -ENOENT;
	rec->flags |= MRC_TXP_REPORTED;
	return path;
}

static void add_rtt_sample(struct mrc_req *req, int path, u64 now,
			   struct mrc_rtt_sample *rtt)
{
	rtt->ns = round_trip(rtt->sent, now);
	rtt->path = path;
	mrc_req_rtt(req, rtt->ns);
	if (path >= 0)
		mrc_ev_rtt(req->evs, path, rtt->ns);
}

/*
 * Round trip of the packet that triggered a SACK, taken from its record: exact,
 * and without the wrap of the wire timestamp.  Once per packet, and only if
 * record and SACK are about the same copy (Karn).
 */
static void sample_trigger_rtt(struct mrc_req *req, struct mrc_tx_pkt *rec,
			       const struct mrc_pkt_sack *s,
			       struct ack_ctx *ctx)
{
	bool same = rec->tx_cnt == 1 ? !s->rtx : rec->tx_cnt == 2 && s->rtx;

	if (!same || rec->flags & MRC_TXP_SAMPLED || rec->path >= req->evs->n)
		return;
	rec->flags |= MRC_TXP_SAMPLED;
	ctx->rtt.sent = rec->sent;
	ctx->rtt.stamped = req->cfg.ts;
	add_rtt_sample(req, rec->path, ctx->now, &ctx->rtt);
}

/* The original arrived, although a retransmission had been sent after it. */
static void first_copy_delivered(struct mrc_req *req, struct mrc_tx_pkt *rec,
				 u32 entropy, u64 now)
{
	int path = mrc_ev_find(req->evs, entropy);

	sent_in_vain(req, rec, now);
	if (path >= 0)
		mrc_ev_feedback(req->evs, path, MRC_EV_SIGNAL_SPURIOUS, now);
}

/*
 * Process what a SACK says about the copy that triggered it.  That need not be
 * the recorded one where both took the same path.
 */
static void copy_delivered(struct mrc_req *req, const struct mrc_pkt_sack *s,
			   struct mrc_tx_pkt *rec, struct ack_ctx *ctx)
{
	ctx->known = true;
	if (rec->path < req->evs->n) {
		mrc_ev_feedback_at(req->evs, rec->path, sack_signal(s),
				   rec->tx_cnt == 1 ? rec->sent : U64_MAX,
				   ctx->now);
		if (s->mark == MRC_MARK_NONE)
			mrc_ack_path_sacked(req->evs, rec->path);
	}
	if (s->rtx && rec->tx_cnt == 2) {
		ctx->rtx_psn = trigger_psn(s);
		ctx->rtx_known = true;
	}
	if (ctx->rtx_known || rec->tx_cnt == 1)
		ctx->as_of = rec->sent;
	sample_trigger_rtt(req, rec, s, ctx);
}

/* Process what a SACK says about the packet that triggered it. */
static void on_sack_trigger(struct mrc_req *req, const struct mrc_pkt_sack *s,
			    struct ack_ctx *ctx)
{
	struct mrc_tx_pkt *rec = known_pkt(req, trigger_psn(s));

	if (!rec)
		return;
	if (names_copy(req, rec, s->entropy))
		copy_delivered(req, s, rec, ctx);
	if (!s->rtx && rec->tx_cnt > 1 && rec->flags & SENT_ON_SUSPICION)
		first_copy_delivered(req, rec, s->entropy, ctx->now);
}

/*
 * The SACK of a probe proves as much about packets as that of a data packet sent at
 * the same time, but less about the path.  A probe may get several SACKs, one per
 * slice of the window.
 */
static void on_probe_sack(struct mrc_req *req, const struct mrc_pkt_sack *s,
			  struct ack_ctx *ctx)
{
	bool first, marked = s->mark == MRC_MARK_SKIP_ONCE;
	u64 sent;
	int path;

	path = mrc_ev_probe_acked(req->evs, s->probe_id, marked, ctx->now,
				  &sent, &first);
	if (path < 0)
		return;
	ctx->known = true;
	if (first)
		mrc_ack_path_proven(req->evs, path);
	if (!sent)
		return;
	ctx->as_of = sent;
	mrc_ev_probe_passed(req->evs, path, sent);
	if (!first)
		return;
	ctx->rtt.sent = sent;
	ctx->rtt.stamped = true;
	add_rtt_sample(req, path, ctx->now, &ctx->rtt);
	mrc_req_peer_alive(req);
}

/*
 * Hand RACK the packets that a SACK reports as missing: the PSN after its
 * cumulative one, and those whose bit is clear.  If the peer has received no
 * more packets beyond the gap than have been acknowledged, all others are
 * missing; that is not known while packets that are no longer needed count as
 * acknowledged.
 */
static void update_rack(struct mrc_req *req, const struct mrc_pkt_sack *s,
			const struct ack_ctx *ctx)
{
	u32 next = mrc_psn_add(s->cack_psn, 1);
	u32 base = mrc_psn_add(s->cack_psn, s->sack_offset);
	s32 at = mrc_psn_diff(base, req->una);
	s32 end = min_t(s32, at + MRC_SACK_BITS, mrc_req_outstanding(req));

	if (!ctx->as_of)
		return;
	if (ctx->latest && next == req->una && s->ooo_count == req->n_acked &&
	    mrc_req_end_needed(req) == req->nxt &&
	    mrc_req_rack_update_all(req, ctx->as_of))
		return;
	if (next == req->una)
		mrc_req_rack_update(req, req->una, 1, ctx->as_of, ctx->latest);
	at = max(at, 0);
	if (at < end)
		mrc_req_rack_update(req, mrc_psn_add(req->una, at), end - at,
				    ctx->as_of, ctx->latest);
}

static void finish_ack(struct mrc_req *req, const struct ack_ctx *ctx,
		       bool moved)
{
	if (ctx->new_acked || moved)
		mrc_req_acked(req, moved, ctx->now);
}

/**
 * mrc_req_on_sack() - process a SACK
 * @req: requester
 * @sack: decoded SACK
 * @now: ns
 *
 * Context: any, the caller serialises.  Afterwards the caller looks for bursts
 * and ended messages.
 */
void mrc_req_on_sack(struct mrc_req *req, const struct mrc_pkt *sack, u64 now)
{
	const struct mrc_pkt_sack *s = &sack->sack;
	struct ack_ctx ctx = { .now = now };
	u32 una = req->una;
	struct slice slice;
	u64 fresh = 0;

	req->stats.sacks++;
	if (req->status)
		return;
	if (is_old(req, mrc_psn_add(s->cack_psn, 1))) {
		req->stats.old++;
		return;
	}
	if (!sack_slice(req, s, &slice)) {
		req->stats.stale++;
		return;
	}
	/* SACKs are reordered; one with fewer bytes was built earlier. */
	ctx.latest = mrc_psn_diff(s->rcvd_bytes, req->rcvd) >= 0;
	if (s->probe)
		on_probe_sack(req, s, &ctx);
	else
		on_sack_trigger(req, s, &ctx);
	delivered_until(req, mrc_psn_add(s->cack_psn, 1), &ctx);
	if (slice.bits)
		fresh = delivered_bitmap(req, slice.base, slice.bits, &ctx);
	/* The trigger of a SACK need not be in the slice that it describes. */
	if (!s->probe && mrc_psn_diff(trigger_psn(s), req->una) >= 0)
		delivered_bitmap(req, trigger_psn(s), 1, &ctx);
	if (ctx.as_of && ctx.latest)
		mrc_req_rack_burst(req, slice.base, fresh);
	update_rack(req, s, &ctx);
	if (req->tlp.judge && ctx.as_of)
		mrc_req_tlp_missing(req, s, ctx.as_of, now);
	mrc_req_cc_on_sack(req, s, ctx.known ? &ctx.rtt : NULL, ctx.acked, now);
	finish_ack(req, &ctx, req->una != una);
}

/*
 * Schedule the retransmission of all unacknowledged packets from @psn on,
 * without a penalty for their paths.
 */
static void set_lost_from(struct mrc_req *req, u32 psn, u64 now)
{
	u32 mask = req->cfg.mpr - 1;

	for (; psn != req->nxt; psn = mrc_psn_add(psn, 1))
		if (!mrc_psnmap_test(req->acked, mask, psn) &&
		    !mrc_psnmap_test(req->lost, mask, psn))
			mrc_req_set_lost(req, psn, MRC_LOSS_NACK, now);
}

/* A PSN without a record has never been sent, or is a PSN window behind. */
static void count_unknown(struct mrc_req *req, u32 psn)
{
	if (mrc_psn_diff(psn, req->nxt) >= 0)
		req->stats.stale++;
	else
		req->stats.old++;
}

static bool is_in_flight(const struct mrc_req *req, u32 psn)
{
	return mrc_psn_diff(psn, req->una) >= 0 &&
	       mrc_psn_diff(psn, req->nxt) < 0 &&
	       !mrc_psnmap_test(req->acked, req->cfg.mpr - 1, psn) &&
	       !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, psn);
}

/*
 * The oldest message that has not ended gets the error, because applications
 * look at the first error.  The packet that a NAK refuses belongs to it,
 * because a NAK acknowledges all packets before.
 */
static void fail_oldest_msg(struct mrc_req *req, enum mrc_status status)
{
	mrc_req_fail(req, req->msg_acked, status);
}

static void back_off(struct mrc_req *req, u64 now)
{
	u64 pause = clamp_t(u64, req->rtt.srtt / 2, BACKOFF_MIN_NS,
			    BACKOFF_MAX_NS);

	req->backoff.until = max(req->backoff.until, now + pause);
}

/* A copy that has been replaced was trimmed: that concerns its path only. */
static void nack_of_earlier_copy(struct mrc_req *req,
				 const struct mrc_pkt_nack *n,
				 struct mrc_tx_pkt *rec, u64 now)
{
	int path;

	if (n->reason != MRC_NACK_TRIMMED)
		return;
	path = earlier_path(req, rec, n->entropy);
	if (path < 0)
		return;
	mrc_req_tlp_known(req, rec);
	mrc_ev_feedback(req->evs, path, MRC_EV_SIGNAL_TRIM, now);
}

/**
 * mrc_req_on_nack() - process a NACK
 * @req: requester
 * @nack: decoded NACK
 * @now: ns
 *
 * MRC 1.0 table 7-3.  The packet is retransmitted on another path.  A trim
 * reports congestion, and congestion of the path unless it happened on the last
 * hop; the other reasons are about the responder, so the requester backs off
 * for a moment.  NACKs do not restart the RTO, and are retries only if the
 * configuration says so.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_on_nack(struct mrc_req *req, const struct mrc_pkt *nack, u64 now)
{
	const struct mrc_pkt_nack *n = &nack->nack;
	struct mrc_tx_pkt *rec = known_pkt(req, n->psn);

	req->stats.nacks++;
	if (req->status)
		return;
	if (!rec) {
		count_unknown(req, n->psn);
		return;
	}
	if (!names_copy(req, rec, n->entropy)) {
		nack_of_earlier_copy(req, n, rec, now);
		return;
	}
	if (n->reason == MRC_NACK_UNEXP_EVENT) {
		if (mrc_psn_diff(n->psn, req->ack_psn) >= 0)
			fail_oldest_msg(req, MRC_ERR_REM_OP);
		return;
	}
	if (n->reason == MRC_NACK_TRIMMED)
		mrc_ev_feedback_at(req->evs, rec->path, MRC_EV_SIGNAL_TRIM,
				   rec->sent, now);
	/* An earlier copy on the same path, or no longer needed. */
	if (!is_in_flight(req, n->psn) || acks_older_copy(req, rec, now))
		return;
	if (!mrc_req_nack_retry(req, rec->sent, now))
		return;
	mrc_req_set_lost(req, n->psn, MRC_LOSS_NACK, now);
	if (n->reason == MRC_NACK_TRIMMED ||
	    n->reason == MRC_NACK_TRIMMED_LASTHOP)
		mrc_req_cc_on_trim(req, rec, n, now);
	else
		back_off(req, now);
}

/* A transport ACK or NAK acknowledges all packets before @next. */
static void ack_until(struct mrc_req *req, u32 next, u64 now)
{
	struct ack_ctx ctx = { .now = now };
	bool moved = next != req->ack_psn;

	delivered_until(req, next, &ctx);
	mrc_req_sacked(req, ctx.acked);
	req->ack_psn = next;
	req->ack_rtx = false;
	mrc_req_advance(req);
	finish_ack(req, &ctx, moved);
}

/* Time within which acknowledgments of all packets in flight arrive. */
static u64 flight_time(const struct mrc_req *req)
{
	return req->rtt.srtt ? req->rtt.srtt + 4ULL * req->rtt.rttvar :
			       BACKOFF_MAX_NS;
}

/*
 * An RNR NAK of a copy that was sent before the backoff. Once for a packet: where the
 * shortest round trip was measured while a host was slow, all later RNR NAKs are faster,
 * and retries have to be counted.
 */
static bool rnr_of_older_copy(const struct mrc_req *req, struct mrc_tx_pkt *rec,
			      u64 now)
{
	if (rec->flags & MRC_TXP_RNR_OLDER || !acks_older_copy(req, rec, now))
		return false;
	rec->flags |= MRC_TXP_RNR_OLDER;
	return true;
}

/*
 * Back off as long as the responder demands, then retransmit from @psn on.  RNR
 * NAKs of further packets of the same flight belong to the first one: the
 * backoff lasts until all of them must have arrived, otherwise each would cause
 * another retransmission of the flight.
 */
static void on_rnr(struct mrc_req *req, u32 psn, u8 code, u64 now)
{
	bool waiting = req->backoff.rnr && now < req->backoff.until;
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	struct mrc_rtt_sample rtt = { .sent = rec->sent };

	req->stats.rnr_naks++;
	if (!waiting && rnr_of_older_copy(req, rec, now))
		return;
	/* The peer may not have sent any other acknowledgment yet. */
	if (rec->tx_cnt == 1 && !(rec->flags & MRC_TXP_SAMPLED)) {
		rec->flags |= MRC_TXP_SAMPLED;
		add_rtt_sample(req, rec->path, now, &rtt);
	}
	if (!waiting && req->cfg.rnr_retry != RNR_RETRY_FOREVER &&
	    ++req->backoff.rnr_retries > req->cfg.rnr_retry) {
		fail_oldest_msg(req, MRC_ERR_RNR_RETRY_EXC);
		return;
	}
	if (!waiting)
		req->backoff.until = now + max(rnr_10us[code] * 10000ULL,
					    flight_time(req));
	req->backoff.rnr = true;
	set_lost_from(req, psn, now);
	req->tlp.at = 0;
}

/*
 * Can the peer have refused this packet for lack of a receive WQE?  It belongs to a
 * message that takes one, and has not been delivered: a packet that is refused
 * counts as never received.
 */
static bool may_be_rnr(const struct mrc_req *req, u32 psn)
{
	return mrc_psn_diff(psn, req->una) >= 0 &&
	       !mrc_psnmap_test(req->acked, req->cfg.mpr - 1, psn) &&
	       mrc_msg_uses_rq(mrc_req_msg(req, mrc_req_pkt(req, psn)->msg));
}

static enum mrc_status nak_status(u8 syndrome)
{
	switch (syndrome) {
	case MRC_SYN_NAK_PSN_SEQ:
		return MRC_OK;
	case MRC_SYN_NAK_REM_ACCESS:
		return MRC_ERR_REM_ACCESS;
	case MRC_SYN_NAK_REM_OP:
		return MRC_ERR_REM_OP;
	default:
		return MRC_ERR_REM_INV_REQ;
	}
}

static void on_nak(struct mrc_req *req, u32 psn, u8 syndrome, u64 now)
{
	enum mrc_status status = nak_status(syndrome);

	ack_until(req, psn, now);
	if (status)
		fail_oldest_msg(req, status);
	else if (mrc_psn_diff(psn, req->una) >= 0)
		set_lost_from(req, psn, now);
}

static bool awaits_response_to(const struct mrc_req *req, u32 psn)
{
	const struct mrc_msg *m;
	u16 sn;

	for (sn = req->rda.una; sn != req->rda.next; sn++) {
		m = mrc_req_rd_atomic_msg(req, sn);
		if (m->first_psn == psn)
			return !m->response_done;
	}
	return false;
}

/*
 * A NAK of a READ or ATOMIC request that has been acknowledged before: arrival
 * does not imply that the request may be executed, or that its execution may go
 * on.  So many packets may have been sent since that the PSNs cannot be
 * ordered, but they can be told apart.
 */
static bool is_late_nak(const struct mrc_req *req,
			const struct mrc_pkt_ack *ack)
{
	u32 ahead = (ack->psn - req->ack_psn) & MRC_PSN_MASK;

	return (ack->syndrome & MRC_SYN_TYPE_MASK) == MRC_SYN_TYPE_NAK &&
	       nak_status(ack->syndrome) &&
	       ahead >= (u32)mrc_psn_diff(req->nxt, req->ack_psn) &&
	       awaits_response_to(req, ack->psn);
}

/**
 * mrc_req_on_response() - the response to a READ or ATOMIC is complete
 * @req: requester
 * @sn: sequence number of the request, from mrc_rd_pending_pop()
 * @now: ns
 *
 * Context: any, the caller serialises.  Afterwards the caller looks for bursts
 * and ended messages.
 */
void mrc_req_on_response(struct mrc_req *req, u16 sn, u64 now)
{
	u16 open = req->rda.next - req->rda.una;

	if (req->status || (u16)(sn - req->rda.una) >= open)
		return;
	mrc_req_rd_atomic_done(req, sn);
	mrc_req_advance(req);
	mrc_req_acked(req, true, now);
}

/**
 * mrc_req_on_ack() - process a transport ACK, NAK or RNR NAK
 * @req: requester
 * @ack: decoded Acknowledge
 * @now: ns
 *
 * Work requests complete on these (MRC 1.0 6.3): a packet that has been SACKed
 * can still be refused.
 *
 * Context: any, the caller serialises.  Afterwards the caller looks for bursts
 * and ended messages.
 */
void mrc_req_on_ack(struct mrc_req *req, const struct mrc_pkt *ack, u64 now)
{
	u32 psn = ack->ack.psn;
	u8 syndrome = ack->ack.syndrome;
	u32 next = mrc_psn_add(psn, 1);

	if (req->status)
		return;
	if (is_late_nak(req, &ack->ack)) {
		fail_oldest_msg(req, nak_status(syndrome));
		return;
	}
	if (mrc_psn_diff(psn, req->nxt) >= 0) {
		req->stats.stale++;
		return;
	}
	switch (syndrome & MRC_SYN_TYPE_MASK) {
	case MRC_SYN_TYPE_ACK:
		if (mrc_psn_diff(next, req->ack_psn) > 0)
			ack_until(req, next, now);
		return;
	case MRC_SYN_TYPE_RNR:
		if (may_be_rnr(req, psn))
			on_rnr(req, psn, syndrome & MRC_SYN_VALUE_MASK, now);
		else
			req->stats.old++;
		return;
	case MRC_SYN_TYPE_NAK:
		if (mrc_psn_diff(psn, req->ack_psn) >= 0)
			on_nak(req, psn, syndrome, now);
		else
			req->stats.old++;
		return;
	}
}
