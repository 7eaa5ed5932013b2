// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, receiving half: SACK, NACK and transport ACK.  They come in any
 * order, twice, late, or forged: what names PSNs that are not outstanding
 * changes nothing.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/evwait.h"
#include "core/loss.h"
#include "core/reverse.h"

/* A pause after a NACK for want of resources, within these bounds. */
#define HOLD_MIN_NS	50000ULL
#define HOLD_MAX_NS	1000000ULL

#define RNR_RETRY_FOREVER 7

/* RNR NAK timer codes in 10 us (IBTA 1.4 table 45). */
static const u32 rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768, 49152,
};

/* What one answer has brought so far. */
struct news {
	u64 now;
	u64 as_of;
	struct mrc_rtt rtt;
	u32 rtx_psn;
	u32 acked;
	bool rtx_known;
	bool latest;
	bool any;
};

/*
 * A round trip shorter than the shortest ever seen: the answer is to an
 * earlier copy.
 */
static bool answers_older(const struct mrc_req *req,
			  const struct mrc_tx_pkt *rec, u64 now)
{
	return rec->tx_cnt > 1 && now - rec->sent < req->min_rtt;
}

static void note_answer_time(struct mrc_req *req, struct mrc_tx_pkt *rec,
			     u32 psn, struct news *n)
{
	/* Which copy was answered is known of these only (Karn). */
	if (rec->tx_cnt > 1 && !(n->rtx_known && psn == n->rtx_psn)) {
		mrc_evwait_settled(req->evs, rec->path, rec->sent);
		return;
	}
	/* Hosts that hold packets back would make a bad bound of it. */
	if (!req->cfg.reo_time)
		mrc_ev_rtt_bound(req->evs, rec->path,
				 min_t(u64, n->now - rec->sent, U32_MAX));
	req->evs->ev[rec->path].strikes = 0;
	mrc_ev_answered(req->evs, rec->path, rec->sent);
	if (rec->flags & MRC_TXP_LATE)
		mrc_req_late(req, rec, n->now);
}

/* @psn, in the window and not marked acked, has been delivered. */
static void retire(struct mrc_req *req, u32 psn, struct news *n)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	u32 mask = req->cfg.mpr - 1;

	n->any = true;
	n->acked += rec->nominal;
	req->evs->ev[rec->path].stats.acked++;
	if (mrc_psnmap_test(req->lost, mask, psn)) {
		mrc_psnmap_clear(req->lost, mask, psn);
		req->n_lost--;
		if (rec->flags & MRC_TXP_INFERRED) {
			mrc_req_spurious(req, n->now);
			mrc_ev_feedback(req->evs, rec->path, MRC_EV_SIG_ALIVE,
					n->now);
		}
		rec->flags &= ~MRC_TXP_INFERRED;
		return;
	}
	req->inflight -= rec->nominal;
	note_answer_time(req, rec, psn, n);
	if (rec->flags & MRC_TXP_INFERRED && answers_older(req, rec, n->now)) {
		rec->flags &= ~MRC_TXP_INFERRED;
		mrc_req_spurious(req, n->now);
	}
}

/* Everything before @next has been delivered. */
static void retire_until(struct mrc_req *req, u32 next, struct news *n)
{
	u32 mask = req->cfg.mpr - 1;

	while (mrc_psn_diff(next, req->una) > 0) {
		if (mrc_psnmap_test(req->acked, mask, req->una)) {
			mrc_psnmap_clear(req->acked, mask, req->una);
			req->n_acked--;
		} else {
			retire(req, req->una, n);
		}
		req->una = mrc_psn_add(req->una, 1);
	}
	if (mrc_psn_diff(next, req->max_sacked) > 1)
		req->max_sacked = mrc_psn_add(next, -1);
}

static void retire_bitmap(struct mrc_req *req, u32 base, u64 bits,
			  struct news *n)
{
	u32 mask = req->cfg.mpr - 1;
	u32 psn = base;

	bits &= ~mrc_psnmap_get64(req->acked, mask, base);
	for (; bits; bits &= bits - 1) {
		psn = mrc_psn_add(base, __ffs64(bits));
		retire(req, psn, n);
		mrc_psnmap_set(req->acked, mask, psn);
		req->n_acked++;
	}
	if (mrc_psn_diff(psn, req->max_sacked) > 0)
		req->max_sacked = psn;
}

/**
 * struct slice - the part of a SACK's bitmap that is in the window
 * @base: PSN of bit 0
 * @bits: what has arrived
 */
struct slice {
	u32 base;
	u64 bits;
};

static u32 trigger_psn(const struct mrc_pkt_sack *s)
{
	return mrc_psn_add(s->cack_psn, s->ack_psn_offset);
}

/*
 * Cut the bitmap to the window as it is after the cumulative part.  False if
 * the SACK names a PSN that was never sent.
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
	[MRC_MARK_NONE]		= MRC_EV_SIG_OK,
	[MRC_MARK_SKIP_ONCE]	= MRC_EV_SIG_SKIP_ONCE,
	[MRC_MARK_ALWAYS_SKIP]	= MRC_EV_SIG_ALWAYS_SKIP,
};

static enum mrc_ev_signal sack_signal(const struct mrc_pkt_sack *s)
{
	return s->mark < ARRAY_SIZE(mark_signal) ? mark_signal[s->mark] :
						   MRC_EV_SIG_OK;
}

/* The path an answer is about: that of the record if it still is the same. */
static int answer_path(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       u32 entropy)
{
	if (rec && mrc_ev_is(req->evs, rec->path, entropy))
		return rec->path;
	return mrc_ev_find(req->evs, entropy);
}

/* Record of a PSN if the ring still holds it, answered or not. */
static struct mrc_tx_pkt *known_pkt(const struct mrc_req *req, u32 psn)
{
	s32 age = mrc_psn_diff(req->nxt, psn);
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	return age > 0 && age <= (s32)req->cfg.mpr && rec->tx_cnt ? rec : NULL;
}

static void take_rtt(struct mrc_req *req, int path, u64 now,
		     struct mrc_rtt *rtt)
{
	rtt->ns = max_t(u64, 1, min_t(u64, now - rtt->sent, U32_MAX));
	mrc_req_rtt(req, rtt->ns);
	if (path >= 0)
		mrc_ev_rtt(req->evs, path, rtt->ns);
}

/*
 * Round trip of the packet that triggered a SACK, from its record: exact and
 * without the wrap of the wire timestamp.  Only if the record and the SACK
 * speak of the same copy (Karn), and once.
 */
static void trigger_rtt(struct mrc_req *req, struct mrc_tx_pkt *rec, int path,
			const struct mrc_pkt_sack *s, struct news *n)
{
	bool same = rec->tx_cnt == 1 ? !s->rtx : rec->tx_cnt == 2 && s->rtx;

	if (!same || rec->flags & MRC_TXP_SAMPLED || rec->path != path)
		return;
	rec->flags |= MRC_TXP_SAMPLED;
	n->rtt.sent = rec->sent;
	n->rtt.stamped = req->cfg.ts;
	take_rtt(req, path, n->now, &n->rtt);
}

/* An earlier copy than the one that was thought to be needed has arrived. */
static void trigger_spurious(struct mrc_req *req, struct mrc_tx_pkt *rec,
			     int path, u64 now)
{
	rec->flags &= ~MRC_TXP_INFERRED;
	mrc_req_spurious(req, now);
	if (path >= 0)
		mrc_ev_feedback(req->evs, path, MRC_EV_SIG_ALIVE, now);
}

/* What a SACK says about the packet it answers. */
static void on_trigger(struct mrc_req *req, const struct mrc_pkt_sack *s,
		       struct news *n)
{
	u32 psn = trigger_psn(s);
	struct mrc_tx_pkt *rec = known_pkt(req, psn);
	int path = answer_path(req, rec, s->entropy);

	if (path >= 0) {
		mrc_ev_feedback(req->evs, path, sack_signal(s), n->now);
		if (s->mark == MRC_MARK_NONE)
			mrc_reverse_sacked(req->evs, path);
	}
	if (!rec)
		return;
	if (s->rtx && rec->tx_cnt == 2 && rec->path == path) {
		n->rtx_psn = psn;
		n->rtx_known = true;
	}
	if (n->rtx_known || rec->tx_cnt == 1)
		n->as_of = rec->sent;
	if (!s->rtx && rec->tx_cnt > 1 && rec->flags & MRC_TXP_INFERRED)
		trigger_spurious(req, rec, path, n->now);
	trigger_rtt(req, rec, path, s, n);
}

/*
 * A probe's answer proves as much as one to a packet sent when it was.  It may
 * come in several SACKs, one per slice of the window.
 */
static void on_probe_answer(struct mrc_req *req, const struct mrc_pkt_sack *s,
			    struct news *n)
{
	bool first, marked = s->mark == MRC_MARK_SKIP_ONCE;
	u64 sent;
	int path;

	path = mrc_ev_probe_answer(req->evs, s->probe_id, marked, n->now,
				   &sent, &first);
	if (path < 0 || !sent)
		return;
	n->as_of = sent;
	mrc_ev_answered(req->evs, path, sent);
	if (!first)
		return;
	mrc_reverse_proven(req->evs, path);
	n->rtt.sent = sent;
	n->rtt.stamped = true;
	take_rtt(req, path, n->now, &n->rtt);
	mrc_req_alive(req);
}

/*
 * What a SACK says is missing: the PSN behind its cumulative one, and what is
 * clear in its bitmap.  If the peer holds no more beyond the gap than we know
 * of, then it is everything else; but there is no telling when packets of no
 * interest count as answered.
 */
static void find_missing(struct mrc_req *req, const struct mrc_pkt_sack *s,
			 const struct news *n)
{
	u32 next = mrc_psn_add(s->cack_psn, 1);
	u32 base = mrc_psn_add(s->cack_psn, s->sack_offset);
	s32 at = mrc_psn_diff(base, req->una);
	s32 end = min_t(s32, at + MRC_SACK_BITS, mrc_req_out(req));

	if (!n->as_of)
		return;
	if (n->latest && next == req->una && s->ooo_count == req->n_acked &&
	    mrc_req_needed(req) == req->nxt) {
		mrc_req_missing(req, req->una, mrc_req_out(req), n->as_of,
				n->latest);
		return;
	}
	if (next == req->una)
		mrc_req_missing(req, req->una, 1, n->as_of, n->latest);
	at = max(at, 0);
	if (at < end)
		mrc_req_missing(req, mrc_psn_add(req->una, at), end - at,
				n->as_of, n->latest);
}

static void finish_answer(struct mrc_req *req, const struct news *n, bool moved)
{
	if (n->any || moved)
		mrc_req_answered(req, moved, n->now);
}

/**
 * mrc_req_on_sack() - process a SACK
 * @req: requester
 * @sack: decoded SACK
 * @now: ns
 *
 * Context: any, the owner serialises.  Afterwards the owner looks for bursts
 * and ended messages.
 */
void mrc_req_on_sack(struct mrc_req *req, const struct mrc_pkt *sack, u64 now)
{
	const struct mrc_pkt_sack *s = &sack->sack;
	struct news n = { .now = now };
	u32 una = req->una;
	struct slice slice;

	req->stats.sacks++;
	if (req->status)
		return;
	if (!sack_slice(req, s, &slice)) {
		req->stats.stale++;
		return;
	}
	/* Whoever counts less was made before; answers overtake each other. */
	n.latest = mrc_psn_diff(s->rcvd_bytes, req->rcvd) >= 0;
	if (s->probe)
		on_probe_answer(req, s, &n);
	else
		on_trigger(req, s, &n);
	retire_until(req, mrc_psn_add(s->cack_psn, 1), &n);
	if (slice.bits)
		retire_bitmap(req, slice.base, slice.bits, &n);
	/* The slice that a SACK describes need not hold its own trigger. */
	if (!s->probe && mrc_psn_diff(trigger_psn(s), req->una) >= 0)
		retire_bitmap(req, trigger_psn(s), 1, &n);
	find_missing(req, s, &n);
	mrc_req_tell_ack(req, s, &n.rtt, n.acked, now);
	finish_answer(req, &n, req->una != una);
}

/* Mark what is unanswered from @psn on, without blaming any path. */
static void resend_from(struct mrc_req *req, u32 psn, u64 now)
{
	u32 mask = req->cfg.mpr - 1;

	for (; psn != req->nxt; psn = mrc_psn_add(psn, 1))
		if (!mrc_psnmap_test(req->acked, mask, psn) &&
		    !mrc_psnmap_test(req->lost, mask, psn))
			mrc_req_mark_lost(req, psn, MRC_LOSS_NACK, now);
}

static bool is_open(const struct mrc_req *req, u32 psn)
{
	return mrc_psn_diff(psn, req->una) >= 0 &&
	       mrc_psn_diff(psn, req->nxt) < 0 &&
	       !mrc_psnmap_test(req->acked, req->cfg.mpr - 1, psn) &&
	       !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, psn);
}

/*
 * The oldest message that has not ended gets the error, for the first error
 * is what users look at; what a NAK refuses is part of it, because a NAK
 * acknowledges all before.
 */
static void fail_oldest(struct mrc_req *req, enum mrc_status status)
{
	mrc_req_fail(req, req->msg_acked, status);
}

static void hold(struct mrc_req *req, u64 now)
{
	u64 pause = clamp_t(u64, req->srtt / 2, HOLD_MIN_NS, HOLD_MAX_NS);

	req->hold_until = max(req->hold_until, now + pause);
}

/**
 * mrc_req_on_nack() - process a NACK
 * @req: requester
 * @nack: decoded NACK
 * @now: ns
 *
 * MRC 1.0 table 7-3.  The packet goes again on another path.  A trim is
 * congestion, and of the path unless it happened on the last hop; the other
 * reasons are about the responder, which gets a moment's rest.  Retries are
 * counted by the timeout, which NACKs do not hold off.
 *
 * Context: any, the owner serialises.
 */
void mrc_req_on_nack(struct mrc_req *req, const struct mrc_pkt *nack, u64 now)
{
	const struct mrc_pkt_nack *n = &nack->nack;
	struct mrc_tx_pkt *rec = known_pkt(req, n->psn);
	int path = answer_path(req, rec, n->entropy);

	req->stats.nacks++;
	if (req->status)
		return;
	if (mrc_psn_diff(n->psn, req->nxt) >= 0)
		req->stats.stale++;
	if (!rec)
		return;
	if (n->reason == MRC_NACK_UNEXP_EVENT) {
		if (mrc_psn_diff(n->psn, req->ack_psn) >= 0)
			fail_oldest(req, MRC_ERR_REM_OP);
		return;
	}
	if (n->reason == MRC_NACK_TRIMMED && path >= 0)
		mrc_ev_feedback(req->evs, path, MRC_EV_SIG_TRIM, now);
	/* About a copy that has been replaced, or no longer of interest. */
	if (!is_open(req, n->psn) || rec->path != path ||
	    answers_older(req, rec, now))
		return;
	mrc_req_mark_lost(req, n->psn, MRC_LOSS_NACK, now);
	if (n->reason == MRC_NACK_TRIMMED ||
	    n->reason == MRC_NACK_TRIMMED_LASTHOP)
		mrc_req_tell_trim(req, rec, n, now);
	else
		hold(req, now);
}

/* A transport ACK or NAK covers everything before @next. */
static void ack_until(struct mrc_req *req, u32 next, u64 now)
{
	struct news n = { .now = now };
	bool moved = next != req->ack_psn;

	retire_until(req, next, &n);
	mrc_req_named(req, n.acked);
	req->ack_psn = next;
	req->nudge = false;
	mrc_req_advance(req);
	finish_answer(req, &n, moved);
}

/* By then all answers to what is in flight have come. */
static u64 flight_time(const struct mrc_req *req)
{
	return req->srtt ? req->srtt + 4ULL * req->rttvar : HOLD_MAX_NS;
}

/*
 * Wait as long as the receiver asks, then send what it has not got.  NAKs of
 * further packets of the same flight are one refusal with the first: the wait
 * lasts until they must have come, or each would send the flight once more.
 */
static void on_rnr(struct mrc_req *req, u32 psn, u8 code, u64 now)
{
	bool waiting = req->rnr && now < req->hold_until;
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	struct mrc_rtt rtt = { .sent = rec->sent };

	req->stats.rnr_naks++;
	if (!waiting && answers_older(req, rec, now))
		return;
	/* It may be the first thing that is heard of the peer. */
	if (rec->tx_cnt == 1 && !(rec->flags & MRC_TXP_SAMPLED)) {
		rec->flags |= MRC_TXP_SAMPLED;
		take_rtt(req, rec->path, now, &rtt);
	}
	if (!waiting && req->cfg.rnr_retry != RNR_RETRY_FOREVER &&
	    ++req->rnr_retries > req->cfg.rnr_retry) {
		fail_oldest(req, MRC_ERR_RNR_RETRY_EXC);
		return;
	}
	if (!waiting)
		req->hold_until = now + max(rnr_10us[code] * 10000ULL,
					    flight_time(req));
	req->rnr = true;
	resend_from(req, psn, now);
	req->probe_at = 0;
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
		fail_oldest(req, status);
	else if (mrc_psn_diff(psn, req->una) >= 0)
		resend_from(req, psn, now);
}

static bool waits_for(const struct mrc_req *req, u32 psn)
{
	const struct mrc_msg *m;
	u16 n;

	for (n = req->ask_una; n != req->ask_next; n++) {
		m = mrc_req_asked(req, n);
		if (m->first_psn == psn)
			return !m->answered;
	}
	return false;
}

/*
 * A request for a result has been acknowledged, and refused afterwards: that it has
 * arrived says nothing of whether it may be carried out, or go on being.  So much
 * may have been sent since that PSNs cannot be compared, but told apart they can.
 */
static bool is_late_nak(const struct mrc_req *req,
			const struct mrc_pkt_ack *ack)
{
	u32 ahead = (ack->psn - req->ack_psn) & MRC_PSN_MASK;

	return (ack->syndrome & MRC_SYN_TYPE_MASK) == MRC_SYN_TYPE_NAK &&
	       nak_status(ack->syndrome) &&
	       ahead >= (u32)mrc_psn_diff(req->nxt, req->ack_psn) &&
	       waits_for(req, ack->psn);
}

/**
 * mrc_req_on_result() - a result that was asked for is complete
 * @req: requester
 * @n: number of the request, from mrc_results_pop()
 * @now: ns
 *
 * Context: any, the owner serialises.  Afterwards the owner looks for bursts
 * and ended messages.
 */
void mrc_req_on_result(struct mrc_req *req, u16 n, u64 now)
{
	u16 open = req->ask_next - req->ask_una;

	if (req->status || (u16)(n - req->ask_una) >= open)
		return;
	mrc_req_answer_asks(req, n);
	mrc_req_advance(req);
	mrc_req_answered(req, true, now);
}

/**
 * mrc_req_on_ack() - process a transport ACK, NAK or RNR NAK
 * @req: requester
 * @ack: decoded Acknowledge
 * @now: ns
 *
 * Work requests complete on these (MRC 1.0 3.7): a packet may have been SACKed
 * and still be refused.
 *
 * Context: any, the owner serialises.  Afterwards the owner looks for bursts
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
		fail_oldest(req, nak_status(syndrome));
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
		if (mrc_psn_diff(psn, req->una) >= 0)
			on_rnr(req, psn, syndrome & MRC_SYN_VALUE_MASK, now);
		return;
	case MRC_SYN_TYPE_NAK:
		if (mrc_psn_diff(psn, req->ack_psn) >= 0)
			on_nak(req, psn, syndrome, now);
		return;
	}
}
