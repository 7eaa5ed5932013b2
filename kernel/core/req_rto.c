// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: the retransmission timeout (MRC 1.0 7.4.1), retries, and what time
 * does to a requester.
 *
 * The RTO is the last resort: before it expires, tail loss probes (req_tlp.c)
 * make the peer send a SACK that tells RACK what is lost.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/req_internal.h"

/* A host whose timers are late may put off the RTO so many times. */
#define TIMER_LATE_CNT_MAX	4

/* The RTO does not exceed this, however often it has doubled. */
#define RTO_MAX		MRC_TIMEOUT_NS(MRC_TIMEOUT_MAX)
#define RTO_SHIFT_MAX	MRC_TIMEOUT_MAX

/* RTO before backoff; never shorter than loss detection by RACK would take. */
static u64 rto_base(const struct mrc_req *req)
{
	return max(req->cfg.timeout_ns,
		   mrc_req_reo_wnd_any(req) + 2ULL * req->rtt.srtt);
}

/*
 * Linear retries first, then exponential ones (MRC 1.0 7.4.1).  The first one
 * waits T in any case.
 */
static u64 rto(const struct mrc_req *req)
{
	u8 linear = max_t(u8, 1, req->cfg.linear_cnt);
	u64 base = rto_base(req);
	u8 shift = 0;

	if (req->rto.retries >= linear)
		shift = min(req->rto.retries - linear + 1, RTO_SHIFT_MAX);
	return max(base, min(base << shift, RTO_MAX));
}

static bool retries_exceeded(const struct mrc_req *req)
{
	return req->cfg.exp_cnt != MRC_EXP_FOREVER &&
	       req->rto.retries >= req->cfg.linear_cnt + req->cfg.exp_cnt;
}

/* Counts a retry; false if it would be one too many: the requester has failed. */
static bool count_retry(struct mrc_req *req)
{
	if (retries_exceeded(req)) {
		mrc_req_fail(req, req->msg_acked, MRC_ERR_RETRY_EXC);
		return false;
	}
	if (req->rto.retries < U8_MAX)
		req->rto.retries++;
	return true;
}

/**
 * mrc_req_nack_retry() - a NACK causes a retransmission
 * @req: requester
 * @sent: ns when the packet that the NACK refuses was sent
 * @now: ns
 *
 * If the configuration counts NACKs as retries, those of one flight are one:
 * congestion trims many packets at the same time.  So a NACK counts if its
 * packet was sent after the last one that did.
 *
 * Context: any, the caller serialises.
 * Return: false if retries are exceeded: the requester has failed.
 */
bool mrc_req_nack_retry(struct mrc_req *req, u64 sent, u64 now)
{
	if (!req->cfg.nack_retry || sent < req->rto.nack_at)
		return true;
	req->rto.nack_at = now;
	return count_retry(req);
}

/* Does the requester need an acknowledgment of packets that were sent? */
static bool awaits_acks(const struct mrc_req *req)
{
	return mrc_psn_diff(mrc_req_end_needed(req), req->ack_psn) > 0;
}

/* All packets are acknowledged, but READ or ATOMIC responses are missing. */
static bool awaits_responses_only(const struct mrc_req *req)
{
	return !awaits_acks(req) && req->rda.una != req->rda.next;
}

/**
 * mrc_req_arm_rto() - start the retransmission timer unless it runs
 * @req: requester
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_arm_rto(struct mrc_req *req, u64 now)
{
	if (!req->rto.at && req->cfg.timeout_ns)
		req->rto.at = now + rto(req);
}

/**
 * mrc_req_change() - change attributes of a requester in use
 * @req: requester, packets may be in flight
 * @cfg: attributes that mrc_req_check() has accepted; those of retries and of
 *	reordering are copied, the others are fixed
 * @cc_ops: congestion control algorithm
 * @cc_cfg: its profile; copied
 * @now: ns; another timeout starts from here
 *
 * Context: any, the caller serialises.
 */
void mrc_req_change(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		    const struct mrc_cc_ops *cc_ops,
		    const struct mrc_cc_cfg *cc_cfg, u64 now)
{
	if (req->cfg.timeout_ns != cfg->timeout_ns)
		req->rto.at = 0;
	req->cfg.timeout_ns = cfg->timeout_ns;
	req->cfg.linear_cnt = cfg->linear_cnt;
	req->cfg.exp_cnt = cfg->exp_cnt;
	req->cfg.nack_retry = cfg->nack_retry;
	if (req->cfg.reo_wnd_any != cfg->reo_wnd_any)
		mrc_req_rtt_forget_bound(req);
	req->cfg.reo_wnd_path = cfg->reo_wnd_path;
	req->cfg.reo_wnd_any = cfg->reo_wnd_any;
	if (req->ack_psn != req->nxt || req->rda.una != req->rda.next)
		mrc_req_arm_rto(req, now);
	mrc_cc_change(&req->cc, cc_ops, cc_cfg);
	/* The congestion window may be larger now. */
	req->cwnd_full = false;
}

/**
 * mrc_req_on_sent() - a burst has been sent
 * @req: requester
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_on_sent(struct mrc_req *req, u64 now)
{
	req->last_sent = now;
	req->tlp.copy = false;
	mrc_req_arm_rto(req, now);
	mrc_req_tlp_arm(req, now);
}

/**
 * mrc_req_acked() - an acknowledgment or a response reported something new
 * @req: requester
 * @moved: a window moved, not only its bitmap
 * @now: ns
 *
 * Restarts the timers.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_acked(struct mrc_req *req, bool moved, u64 now)
{
	if (moved) {
		req->rto.retries = 0;
		req->backoff.rnr_retries = 0;
	}
	mrc_req_reo_decay(req, now);
	req->tlp.rounds = 0;
	req->tlp.copy = false;
	req->rto.timer_late_cnt = 0;
	req->rto.at = 0;
	req->tlp.at = 0;
	if (req->status ||
	    !(awaits_acks(req) || awaits_responses_only(req)))
		return;
	mrc_req_arm_rto(req, now);
	if (awaits_acks(req))
		mrc_req_tlp_arm(req, now);
}

/**
 * mrc_req_peer_alive() - the peer has sent the SACK of a probe
 * @req: requester
 *
 * A responder may have much to send before a READ response, so as long as it
 * responds to probes no retry is counted.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_peer_alive(struct mrc_req *req)
{
	if (!awaits_responses_only(req))
		return;
	req->rto.retries = 0;
	req->tlp.rounds = 0;
	req->tlp.at = 0;
}

/**
 * mrc_req_loss_delay() - delay after which a rule deems a packet lost
 * @req: requester
 * @rec: record of the packet
 * @why: the rule
 *
 * For tracing: what the rules compare with.
 *
 * Context: any, the caller serialises.
 * Return: ns. With MRC_LOSS_RACK_PATH and MRC_LOSS_RACK_ANY the reordering
 *	window, between two sending times (within a burst there is none); with
 *	MRC_LOSS_RTO since the packet was sent; 0 with MRC_LOSS_NACK, which has
 *	no delay.
 */
u64 mrc_req_loss_delay(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       enum mrc_loss why)
{
	switch (why) {
	case MRC_LOSS_RACK_PATH:
		return mrc_req_reo_wnd_path(req);
	case MRC_LOSS_RACK_ANY:
		return mrc_req_reo_wnd_pkt(req, rec);
	case MRC_LOSS_RTO:
		return rto_base(req);
	default:
		return 0;
	}
}

static void set_all_lost(struct mrc_req *req, u64 now)
{
	u32 n = mrc_req_outstanding(req);
	u64 age = rto_base(req);
	u32 at, psn;
	u64 bits;

	for (at = 0; at < n; at += 64) {
		for (bits = mrc_req_open_pkts(req, at, n); bits;
		     bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			if (mrc_req_left_host(req, mrc_req_pkt(req, psn)) +
			    age <= now)
				mrc_req_set_lost(req, psn, MRC_LOSS_RTO, now);
		}
	}
	/* Everything has been SACKed, only the transport ACK is missing. */
	if (n == req->n_acked && awaits_acks(req))
		req->ack_rtx = true;
}

/*
 * A host that was not scheduled finds its timers expired before it looks at
 * what it has received.  So a probe is sent first, and the peer gets the time
 * to respond; not without limit, since a busy host may always be late.
 */
static bool probe_first(struct mrc_req *req, u64 late, u64 now)
{
	u64 wait = mrc_req_tlp_wait(req);

	if (!awaits_acks(req))
		return false;
	if (late > MRC_TIMER_LATE_MIN &&
	    req->rto.timer_late_cnt < TIMER_LATE_CNT_MAX) {
		req->rto.timer_late_cnt++;
		req->tlp.rounds = 0;
	}
	if (!req->tlp.rounds) {
		/* One that is due tells how late this host is. */
		req->tlp.at = min_not_zero(req->tlp.at, now);
		req->rto.at = now + wait;
		return true;
	}
	if (now >= req->tlp.first_at + wait)
		return false;
	req->rto.at = req->tlp.first_at + wait;
	return true;
}

static void on_rto(struct mrc_req *req, u64 now)
{
	u64 late = now - req->rto.at;

	req->rto.at = 0;
	if (!awaits_acks(req) && !mrc_req_backlog(req) &&
	    !awaits_responses_only(req))
		return;
	if (req->backoff.rnr) {
		/* An RNR NAK proves that the peer is alive. */
		req->rto.at = req->backoff.until + rto(req);
		return;
	}
	if (probe_first(req, late, now))
		return;
	if (!awaits_responses_only(req))
		req->stats.timeouts++;
	if (!count_retry(req))
		return;
	/* Nothing is left to retransmit, but the peer can be probed. */
	if (awaits_responses_only(req))
		req->tlp.at = now;
	else
		set_all_lost(req, now);
	mrc_req_arm_rto(req, now);
}

/**
 * mrc_req_on_timer() - time has passed
 * @req: requester
 * @now: ns
 *
 * Afterwards the caller looks for bursts, probes and ended messages.
 *
 * Context: any, the caller serialises.  Acknowledgments that have been received
 * are processed first.
 */
void mrc_req_on_timer(struct mrc_req *req, u64 now)
{
	if (req->status)
		return;
	if (req->backoff.until && req->backoff.until <= now) {
		req->backoff.until = 0;
		req->backoff.rnr = false;
	}
	if (req->pace.until <= now)
		req->pace.until = 0;
	if (req->rack.pending)
		mrc_req_rack_detect_loss(req, now);
	if (req->rto.at && req->rto.at <= now)
		on_rto(req, now);
}

/**
 * mrc_req_deadline() - when must mrc_req_on_timer() be called?
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns, possibly past; 0 for never.
 */
u64 mrc_req_deadline(const struct mrc_req *req)
{
	u64 at;

	if (req->status)
		return 0;
	at = min_not_zero(req->rto.at, req->tlp.at);
	at = min_not_zero(at, req->backoff.until);
	at = min_not_zero(at, req->pace.until);
	at = min_not_zero(at, req->evs->ack_paths.next);
	return min_not_zero(at, mrc_ev_deadline(req->evs));
}

/**
 * mrc_req_tail_at() - when must a probe be sent for a loss to be noticed?
 * @req: requester
 *
 * As long as there are packets to be sent, acknowledgments of these show a loss, unless a
 * window admits none, and little depends on the moment of a probe.
 *
 * Context: any, the caller serialises.
 * Return: ns, possibly past; 0: while there are, or never.
 */
u64 mrc_req_tail_at(const struct mrc_req *req)
{
	return mrc_req_backlog(req) ? 0 : req->tlp.at;
}
