// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, time: which packets are lost (MRC 1.0 7.4.5, whose rule is not
 * public), when to ask the peer, and when to give up.
 *
 * Packets overtake each other freely here, so a gap proves nothing.  Proof is
 * an answer to something that was sent later, by more than packets are known
 * to overtake each other: a little on the same path, which is a queue (path
 * rule), and more across paths (time rule).  What "a little" is follows the
 * measured round trips and grows when a packet taken for lost turns up.
 *
 * Times are those of sending.  An answer that is late itself, because the host
 * was busy, therefore delays an inference but never causes one.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/loss.h"

/*
 * Room for reordering that is always given.  Software hosts hold packets back
 * for scheduling ticks when a task moves to another CPU.
 */
#define REO_PATH_MIN	4000000ULL
#define REO_TIME_MIN	8000000ULL
/* Wrong inferences double the room up to this many times .. */
#define REO_SHIFT_MAX	4
/* .. one every so often, and take it back as slowly. */
#define REO_GROW_NS	1000000ULL
#define REO_FADE_NS	10000000000ULL
/* Lateness that is worth remembering, and that is believed at most. */
#define REO_SEEN_MIN	(REO_PATH_MIN / 4)
#define REO_SEEN_MAX	64000000ULL

/* Probes for the tail: spacing doubles this many times. */
#define PROBE_SHIFT_MAX	6
#define PROBE_TRIES	4

/* Largest timeout of the spec: 1.024 us << 24. */
#define RTO_MAX		(1024ULL << 24)
#define RTO_SHIFT_MAX	24

static u64 reo_path(const struct mrc_req *req)
{
	u64 rtt = req->srtt + 4ULL * req->rttvar;

	return max3(rtt, REO_PATH_MIN, 2 * req->reo_seen) << req->reo_shift;
}

static u64 reo_time(const struct mrc_req *req)
{
	u64 rtt = 4ULL * req->srtt + 4ULL * req->rttvar;

	return max3(rtt, REO_TIME_MIN, 2 * req->reo_seen) << req->reo_shift;
}

/* Timeout before back-off; never shorter than an inference would take. */
static u64 rto_base(const struct mrc_req *req)
{
	return max(req->cfg.timeout_ns, reo_time(req) + 2ULL * req->srtt);
}

/* Linear attempts first, then doubling (MRC 1.0 7.4.1). */
static u64 rto(const struct mrc_req *req)
{
	u64 base = rto_base(req);
	u8 shift = 0;

	if (req->retries && req->retries >= req->cfg.linear_cnt)
		shift = min(req->retries - req->cfg.linear_cnt + 1,
			    RTO_SHIFT_MAX);
	return max(base, min(base << shift, RTO_MAX));
}

static u64 probe_timeout(const struct mrc_req *req)
{
	return max(3ULL * req->srtt, reo_time(req)) << req->probe_shift;
}

static bool outstanding(const struct mrc_req *req)
{
	return req->ack_psn != req->nxt;
}

/**
 * mrc_req_arm_rto() - let the retransmission timeout run if it does not
 * @req: requester
 * @now: ns
 */
void mrc_req_arm_rto(struct mrc_req *req, u64 now)
{
	if (!req->rto_at && req->cfg.timeout_ns)
		req->rto_at = now + rto(req);
}

/**
 * mrc_req_sent() - a burst has been sent
 * @req: requester
 * @now: ns
 */
void mrc_req_sent(struct mrc_req *req, u64 now)
{
	mrc_req_arm_rto(req, now);
	req->probe_at = now + probe_timeout(req);
}

/**
 * mrc_req_answered() - an answer brought something new
 * @req: requester
 * @moved: a window moved, not only its bitmap
 * @now: ns
 */
void mrc_req_answered(struct mrc_req *req, bool moved, u64 now)
{
	if (moved) {
		req->retries = 0;
		req->rnr_retries = 0;
	}
	req->probe_shift = 0;
	req->rto_at = 0;
	req->probe_at = 0;
	if (req->status || !outstanding(req))
		return;
	mrc_req_arm_rto(req, now);
	req->probe_at = now + probe_timeout(req);
}

/**
 * mrc_req_rtt() - take a round trip sample
 * @req: requester
 * @rtt: ns
 *
 * Smoothing of RFC 6298.
 */
void mrc_req_rtt(struct mrc_req *req, u32 rtt)
{
	u32 diff;

	req->min_rtt = min_not_zero(req->min_rtt, rtt);
	if (!req->srtt) {
		req->srtt = rtt;
		req->rttvar = rtt / 2;
		return;
	}
	diff = rtt > req->srtt ? rtt - req->srtt : req->srtt - rtt;
	req->rttvar = req->rttvar - req->rttvar / 4 + diff / 4;
	req->srtt = req->srtt - req->srtt / 8 + rtt / 8;
}

/**
 * mrc_req_late() - an answer came after that of a later packet
 * @req: requester
 * @late: ns between the sending of the two
 * @now: ns
 */
void mrc_req_late(struct mrc_req *req, u64 late, u64 now)
{
	if (late < REO_SEEN_MIN || late <= req->reo_seen)
		return;
	req->reo_seen = min(late, REO_SEEN_MAX);
	req->reo_seen_at = now;
}

/**
 * mrc_req_spurious() - a packet that was taken for lost has arrived
 * @req: requester
 * @now: ns
 */
void mrc_req_spurious(struct mrc_req *req, u64 now)
{
	req->stats.spurious++;
	if (req->reo_shift >= REO_SHIFT_MAX ||
	    (req->reo_shift && now - req->reo_shift_at < REO_GROW_NS))
		return;
	req->reo_shift++;
	req->reo_shift_at = now;
}

/* Reordering that has not been seen for long is forgotten step by step. */
static void reo_fade(struct mrc_req *req, u64 now)
{
	if (req->reo_shift && now - req->reo_shift_at > REO_FADE_NS) {
		req->reo_shift--;
		req->reo_shift_at = now;
	}
	if (req->reo_seen && now - req->reo_seen_at > REO_FADE_NS) {
		req->reo_seen /= 2;
		req->reo_seen_at = now;
	}
}

/**
 * mrc_req_mark_lost() - take a packet out of flight and have it sent again
 * @req: requester
 * @psn: unanswered packet that is not marked yet
 * @why: evidence
 * @now: ns
 */
void mrc_req_mark_lost(struct mrc_req *req, u32 psn, enum mrc_loss why, u64 now)
{
	struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);

	mrc_ring_set(req->lost, req->cfg.mpr - 1, psn);
	req->n_lost++;
	req->inflight -= rec->nominal;
	rec->flags &= ~MRC_TXP_INFERRED;
	if (why == MRC_LOSS_NACK)
		return;
	if (why != MRC_LOSS_TIMEOUT)
		rec->flags |= MRC_TXP_INFERRED;
	req->stats.loss_path += why == MRC_LOSS_PATH;
	req->stats.loss_time += why == MRC_LOSS_TIME;
	mrc_ev_feedback(req->evs, rec->path, why == MRC_LOSS_TIMEOUT ?
			MRC_EV_SIG_TIMEOUT : MRC_EV_SIG_LOSS, now);
	req->cc.ops->on_loss(&req->cc, now, rec->nominal);
}

/* Unanswered packets not marked lost among the 64 from una + @at on. */
static u64 open_pkts(const struct mrc_req *req, u32 at, u32 n)
{
	u32 mask = req->cfg.mpr - 1;
	u32 psn = mrc_psn_add(req->una, at);
	u64 bits = ~(mrc_ring_get64(req->acked, mask, psn) |
		     mrc_ring_get64(req->lost, mask, psn));

	return n - at < 64 ? bits & ((1ULL << (n - at)) - 1) : bits;
}

/*
 * A slow path gets the time by which it is slower than all paths are on the
 * average.
 */
static void judge(struct mrc_req *req, u32 psn, u64 path_room, u64 time_room,
		  u64 now)
{
	const struct mrc_tx_pkt *rec = mrc_req_pkt(req, psn);
	const struct mrc_ev *ev = &req->evs->ev[rec->path];

	if (rec->sent + path_room <= ev->acked_sent) {
		mrc_req_mark_lost(req, psn, MRC_LOSS_PATH, now);
		return;
	}
	if (ev->srtt > req->srtt)
		time_room += ev->srtt - req->srtt;
	if (rec->sent + time_room <= req->newest_acked)
		mrc_req_mark_lost(req, psn, MRC_LOSS_TIME, now);
}

/**
 * mrc_req_infer() - look for lost packets
 * @req: requester
 * @now: ns
 *
 * Costs next to nothing while the oldest unanswered packet is young: packets
 * are first sent in the order of their PSNs, so the search ends at the first
 * one too young to be lost by any rule.  A packet that was retransmitted has
 * the time of that, so it gets its own chance.
 *
 * Context: any, the owner serialises.  Best called when all received answers
 * have been processed, for the next one may close the gap.
 */
void mrc_req_infer(struct mrc_req *req, u64 now)
{
	u64 path_room = reo_path(req), time_room = reo_time(req);
	u64 room = min(path_room, time_room);
	u32 n = mrc_req_out(req);
	u32 at, i;
	u64 bits;

	req->infer = false;
	reo_fade(req, now);
	for (at = 0; at < n; at += 64) {
		for (bits = open_pkts(req, at, n); bits; bits &= bits - 1) {
			u32 psn;

			i = at + __ffs64(bits);
			psn = mrc_psn_add(req->una, i);
			if (mrc_req_pkt(req, psn)->sent + room >
			    req->newest_acked)
				return;
			judge(req, psn, path_room, time_room, now);
		}
	}
}

static void time_out(struct mrc_req *req, u64 now)
{
	u32 n = mrc_req_out(req);
	u64 age = rto_base(req);
	u32 at, psn;
	u64 bits;

	for (at = 0; at < n; at += 64) {
		for (bits = open_pkts(req, at, n); bits; bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			if (mrc_req_pkt(req, psn)->sent + age <= now)
				mrc_req_mark_lost(req, psn, MRC_LOSS_TIMEOUT,
						  now);
		}
	}
	/* All has arrived, only the transport ACK is missing. */
	if (!n && outstanding(req))
		req->nudge = true;
}

static void on_rto(struct mrc_req *req, u64 now)
{
	req->rto_at = 0;
	if (!outstanding(req) && !mrc_req_backlog(req))
		return;
	if (req->rnr) {
		/* The peer told us to wait: that was an answer. */
		req->rto_at = req->hold_until + rto(req);
		return;
	}
	req->stats.timeouts++;
	if (++req->retries > req->cfg.retry_cnt) {
		mrc_req_fail(req, req->msg_acked, MRC_ERR_RETRY_EXC);
		return;
	}
	time_out(req, now);
	mrc_req_arm_rto(req, now);
}

/**
 * mrc_req_on_timer() - time has passed
 * @req: requester
 * @now: ns
 *
 * Afterwards the owner looks for bursts, probes and ended messages.
 *
 * Context: any, the owner serialises.  Answers that have been received are
 * processed first.
 */
void mrc_req_on_timer(struct mrc_req *req, u64 now)
{
	if (req->status)
		return;
	if (req->hold_until && req->hold_until <= now) {
		req->hold_until = 0;
		req->rnr = false;
	}
	if (req->infer)
		mrc_req_infer(req, now);
	if (req->rto_at && req->rto_at <= now)
		on_rto(req, now);
}

/**
 * mrc_req_deadline() - when must mrc_req_on_timer() be called?
 * @req: requester
 *
 * Context: any, the owner serialises.
 * Return: ns, possibly past; 0 for never.
 */
u64 mrc_req_deadline(const struct mrc_req *req)
{
	u64 at;

	if (req->status)
		return 0;
	at = min_not_zero(req->rto_at, req->probe_at);
	at = min_not_zero(at, req->hold_until);
	return min_not_zero(at, mrc_ev_deadline(req->evs));
}

/* Rather on another plane than the packet that is being waited for. */
static int tail_path(struct mrc_req *req, u64 now)
{
	u16 stuck = mrc_req_pkt(req, req->una)->path;
	int path, i;

	for (i = 0; i < PROBE_TRIES; i++) {
		path = mrc_ev_next(req->evs, now);
		if (path < 0 || !mrc_req_out(req) ||
		    req->evs->ev[path].plane != req->evs->ev[stuck].plane)
			break;
	}
	return path;
}

static int probe_path(struct mrc_req *req, u64 now)
{
	int path = -ENOENT;

	if (req->probe_at && req->probe_at <= now) {
		path = tail_path(req, now);
		req->probe_shift = min(req->probe_shift + 1, PROBE_SHIFT_MAX);
		req->probe_at = now + probe_timeout(req);
	}
	return path < 0 ? mrc_ev_probe_due(req->evs, now) : path;
}

/**
 * mrc_req_next_probe() - choose a reliability probe to be sent now
 * @req: requester
 * @now: ns
 * @probe: the probe
 *
 * Probes ask what has arrived when answers stay away (MRC 1.0 7.4.6) and test
 * paths that lost packets; a QP without traffic probes on.
 *
 * Context: any, the owner serialises.
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
	probe->dest_qpn = req->cfg.dest_qpn;
	probe->probe_id = mrc_ev_probe_sent(req->evs, path, now);
	probe->path = path;
	probe->ev = req->evs->ev[path].value;
	probe->plane = req->evs->ev[path].plane;
	probe->tx_ts = mrc_ts_from_ns(now);
	return true;
}
