// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, time: which packets are lost (MRC 1.0 7.4.5, whose rule is not
 * public), when to ask the peer, and when to give up.
 *
 * Packets overtake each other freely here, so a gap proves nothing, and a clear
 * bit in a SACK says nothing about packets still on their way.  Proof is an
 * answer to something that was sent later, by more than packets are known to
 * overtake each other, and that still misses the packet: a little later on the
 * same path, which is a queue (path rule), more across paths (time rule).  What
 * "a little" is follows the measured round trips and what the hosts are known
 * for, and grows when a packet that was taken for lost turns up.
 *
 * Times are those of sending, or of leaving this host if it has held a packet back
 * (hold.c).  An answer that is late itself, because the host was busy, therefore
 * delays an inference but never causes one.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/evwait.h"
#include "core/loss.h"
#include "core/reverse.h"

/*
 * Room for noise, as a part of the shortest round trip: half of what RFC 8985
 * gives connections that cannot tell their paths apart.
 */
#define REO_PART	8
/* By so many of it the delays of paths may differ that nothing is known of. */
#define REO_SPREAD	4
/* Wrong inferences double the room up to this many times .. */
#define REO_SHIFT_MAX	4
/* .. one every so often, and take it back as slowly. */
#define REO_GROW_NS	1000000ULL
#define REO_FADE_NS	10000000000ULL
/* Lateness that is believed at most. */
#define REO_SEEN_MAX	64000000ULL

/*
 * Probes for the tail: so many rounds at once, for a path that has died takes the
 * question with it, or the answer, then their spacing doubles.
 */
#define PROBE_ROUNDS	4
#define PROBE_SHIFT_MAX	(PROBE_ROUNDS + 5)
#define PROBE_AGAIN_MIN	1000000ULL

/* A timer that is later than that was not waited for by anybody. */
#define LATE_MIN	4000000ULL
#define SLEPT_MAX	4

/* No attempt waits longer, however often the timeout has doubled. */
#define RTO_MAX		MRC_TIMEOUT_NS(MRC_TIMEOUT_MAX)
#define RTO_SHIFT_MAX	MRC_TIMEOUT_MAX

/*
 * What packets wait in queues they share, ours included.  They do not overtake
 * each other there, but what was sent into a full queue arrives later than its
 * sending tells, and what was sent into an empty one does not.
 */
static u64 queueing(const struct mrc_req *req)
{
	return req->srtt > req->min_rtt ? req->srtt - req->min_rtt : 0;
}

static u64 noise(const struct mrc_req *req)
{
	return req->min_rtt / REO_PART;
}

/* How much the round trips of one path vary. */
static u64 varying(const struct mrc_req *req)
{
	return noise(req) + 4ULL * req->rttvar;
}

/*
 * What @room there must be at least because of the hosts: as much as they are
 * told to hold packets back, or are seen to, and more after mistakes.
 */
static u64 reo_hosts(const struct mrc_req *req, u64 room, u32 told)
{
	return max3(room, (u64)told, 2 * req->reo_seen) << req->reo_shift;
}

/*
 * A path is a queue: what entered it later comes out later, however much waits
 * there.  Only hosts change the order, before it and behind it.
 */
static u64 reo_path(const struct mrc_req *req)
{
	if (!req->cfg.reo_path)
		return noise(req) << req->reo_shift;
	return reo_hosts(req, varying(req), req->cfg.reo_path);
}

/* Across paths of which nothing is known. */
static u64 reo_time(const struct mrc_req *req)
{
	u64 rtt = (u64)REO_SPREAD * req->min_rtt + 4ULL * req->rttvar;

	return reo_hosts(req, rtt, req->cfg.reo_time) + queueing(req);
}

/*
 * A packet whose port has gone since is most likely lost: it is not given the time
 * by which busy hosts hold packets back now and then, for all that is behind it
 * waits for it.
 */
static u64 reo_port(const struct mrc_req *req, const struct mrc_ev *ev)
{
	u32 told = req->cfg.reo_time;

	/* A path that is no more has no plane. */
	if (ev->plane && !(mrc_ev_ports(req->evs) >> (ev->plane - 1) & 1))
		return max_t(u64, varying(req), told);
	return reo_hosts(req, varying(req), told);
}

/*
 * By how much later another packet must have been sent to prove this one lost,
 * whatever their paths.  Those differ by no more than the round trip of this one
 * exceeds the shortest of all, or, if its queue has grown since, than others do.
 */
static u64 reo_pkt(const struct mrc_req *req, const struct mrc_tx_pkt *rec)
{
	const struct mrc_ev *ev = &req->evs->ev[rec->path];
	u64 longer;

	if (!ev->srtt)
		return reo_time(req);
	longer = ev->srtt > req->min_rtt ? ev->srtt - req->min_rtt : 0;
	return reo_port(req, ev) + max(longer, queueing(req));
}

/* No rule looks at packets that were sent so shortly before. */
static u64 young(const struct mrc_req *req)
{
	return max_t(u64, noise(req), req->cfg.reo_path) / 2;
}

/* Timeout before back-off; never shorter than an inference would take. */
static u64 rto_base(const struct mrc_req *req)
{
	return max(req->cfg.timeout_ns, reo_time(req) + 2ULL * req->srtt);
}

/*
 * Linear attempts first, then doubling (MRC 1.0 7.4.1).  The first one waits T
 * in any case.
 */
static u64 rto(const struct mrc_req *req)
{
	u8 linear = max_t(u8, 1, req->cfg.linear_cnt);
	u64 base = rto_base(req);
	u8 shift = 0;

	if (req->retries >= linear)
		shift = min(req->retries - linear + 1, RTO_SHIFT_MAX);
	return max(base, min(base << shift, RTO_MAX));
}

static bool retries_spent(const struct mrc_req *req)
{
	return req->cfg.exp_cnt != MRC_EXP_FOREVER &&
	       req->retries >= req->cfg.linear_cnt + req->cfg.exp_cnt;
}

/*
 * By so much an answer may be later than usual.  Who thinks too early that one is
 * overdue uses other paths for a while, or asks for nothing.
 */
static u64 late(const struct mrc_req *req)
{
	return max_t(u64, req->srtt / 4, 2ULL * req->rttvar);
}

/*
 * After so long without an answer to a packet it is worth asking: its answer is
 * overdue, and that to a probe will tell whether it is lost.
 */
static u64 overdue(const struct mrc_req *req, const struct mrc_tx_pkt *rec)
{
	u64 late = max_t(u64, req->srtt / 4, 4ULL * req->rttvar);

	if (!req->srtt)
		return max(reo_time(req), PROBE_AGAIN_MIN);
	return max(req->srtt + late, reo_pkt(req, rec));
}

/*
 * If a probe is not answered, others are tried soon, then less and less often; at
 * once less often while it is not known how long an answer takes.
 */
static u64 probe_spacing(const struct mrc_req *req)
{
	u64 rtt = req->srtt + late(req);

	if (!req->srtt)
		return PROBE_AGAIN_MIN << (req->probe_shift - 1);
	if (req->cfg.reo_path)
		rtt = max(rtt, PROBE_AGAIN_MIN);
	return rtt << max(0, req->probe_shift - PROBE_ROUNDS);
}

static bool outstanding(const struct mrc_req *req)
{
	return mrc_psn_diff(mrc_req_needed(req), req->ack_psn) > 0;
}

/* The peer has all that was sent, and owes a result. */
static bool owed_only(const struct mrc_req *req)
{
	return !outstanding(req) && req->ask_una != req->ask_next;
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

/*
 * When to ask the peer: when the answer to what was sent last is overdue, but
 * not while answers still come, or, once per gap, when that to the oldest packet
 * is.  That is what happens when the gap keeps the window from moving.
 */
static void arm_probe(struct mrc_req *req, u64 now)
{
	u32 newest = mrc_psn_add(req->nxt, -1);
	const struct mrc_tx_pkt *rec = mrc_req_pkt(req, req->una);
	u64 wait = overdue(req, mrc_req_pkt(req, newest));
	u64 at = max(req->last_sent + wait, now + wait / 4);

	if (req->probe_shift)
		at = now + probe_spacing(req);
	if (mrc_psn_diff(req->max_sacked, req->una) > 0 &&
	    req->gap_psn != req->una &&
	    !mrc_psnmap_test(req->lost, req->cfg.mpr - 1, req->una))
		at = min(at, rec->sent + overdue(req, rec));
	req->probe_at = at;
}

/**
 * mrc_req_sent() - a burst has been sent
 * @req: requester
 * @now: ns
 */
void mrc_req_sent(struct mrc_req *req, u64 now)
{
	req->last_sent = now;
	mrc_req_arm_rto(req, now);
	arm_probe(req, now);
}

/* Reordering that has not been seen for long is forgotten step by step. */
static void reo_fade(struct mrc_req *req, u64 now)
{
	if (req->reo_shift && now - req->reo_shift_at > REO_FADE_NS) {
		req->reo_shift--;
		req->reo_shift_at = now;
	}
	if (req->reo_seen && now - req->reo_seen_at > MRC_LATE_FADE_NS) {
		req->reo_seen /= 2;
		req->reo_seen_at = now;
	}
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
	reo_fade(req, now);
	req->probe_shift = 0;
	req->slept = 0;
	req->rto_at = 0;
	req->probe_at = 0;
	if (req->status || !(outstanding(req) || owed_only(req)))
		return;
	mrc_req_arm_rto(req, now);
	if (outstanding(req))
		arm_probe(req, now);
}

/**
 * mrc_req_alive() - the peer has answered a probe
 * @req: requester
 *
 * A peer that owes a result may have much else to send first; as long as it lives
 * it is waited for.
 */
void mrc_req_alive(struct mrc_req *req)
{
	if (!owed_only(req))
		return;
	req->retries = 0;
	req->probe_shift = 0;
	req->probe_at = 0;
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
	req->evs->late = min_t(u64, late(req), U32_MAX);
}

static void seen(struct mrc_req *req, u64 late, u64 now)
{
	if (late < young(req) || late <= req->reo_seen)
		return;
	req->reo_seen = min(late, REO_SEEN_MAX);
	req->reo_seen_at = now;
}

/**
 * mrc_req_late() - a packet that answers had missed was only late
 * @req: requester
 * @rec: its record
 * @now: ns
 */
void mrc_req_late(struct mrc_req *req, const struct mrc_tx_pkt *rec, u64 now)
{
	seen(req, req->missed_as_of - rec->sent, now);
}

/**
 * mrc_req_host_late() - the host has held something back
 * @req: requester
 * @late: ns by which, for instance, a timer ran late
 * @now: ns
 *
 * Packets wait for their turn as timers do: a host that is busy, or that is
 * itself kept waiting as a guest, reorders by as much.  A timer that is a little
 * late says nothing, though.
 *
 * Context: any, the owner serialises.
 */
void mrc_req_host_late(struct mrc_req *req, u64 late, u64 now)
{
	if (late >= LATE_MIN)
		seen(req, late, now);
}

/* So long one mistake, or several of the same kind, count once. */
static u64 grow_spacing(const struct mrc_req *req)
{
	return req->cfg.reo_time ? REO_GROW_NS : req->srtt;
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
	    (req->reo_shift && now - req->reo_shift_at < grow_spacing(req)))
		return;
	req->reo_shift++;
	req->reo_shift_at = now;
}

/**
 * mrc_req_loss_room() - how much later than a packet must the proof of its loss be?
 * @req: requester
 * @rec: record of the packet
 * @why: evidence
 *
 * For whoever watches; what the rules compare with.
 *
 * Context: any, the owner serialises.
 * Return: ns by which something that was answered must have been sent later, or,
 * with MRC_LOSS_TIMEOUT, that must have passed; 0 with MRC_LOSS_NACK, which waits
 * for nothing.
 */
u64 mrc_req_loss_room(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		      enum mrc_loss why)
{
	switch (why) {
	case MRC_LOSS_PATH:
		return reo_path(req);
	case MRC_LOSS_TIME:
		return reo_pkt(req, rec);
	case MRC_LOSS_TIMEOUT:
		return rto_base(req);
	default:
		return 0;
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

	mrc_psnmap_set(req->lost, req->cfg.mpr - 1, psn);
	req->n_lost++;
	req->inflight -= rec->nominal;
	mrc_evwait_settled(req->evs, rec->path, rec->sent);
	rec->flags &= ~MRC_TXP_INFERRED;
	if (req->on_loss)
		req->on_loss(req, psn, rec, why, now);
	if (why == MRC_LOSS_NACK)
		return;
	rec->flags |= MRC_TXP_INFERRED;
	req->stats.loss_path += why == MRC_LOSS_PATH;
	req->stats.loss_time += why == MRC_LOSS_TIME;
	mrc_ev_lost(req->evs, rec->path, why == MRC_LOSS_TIMEOUT ?
		    MRC_EV_SIG_TIMEOUT : MRC_EV_SIG_LOSS, rec->sent, now);
	req->cc.ops->on_loss(&req->cc, now, rec->nominal);
}

/* When a packet began its way, as far as rules are concerned. */
static u64 left_host(const struct mrc_req *req, const struct mrc_tx_pkt *rec)
{
	return mrc_hold_left(req->holds, rec->sent);
}

/* Unanswered packets not marked lost among the 64 from una + @at on. */
static u64 open_pkts(const struct mrc_req *req, u32 at, u32 n)
{
	u32 mask = req->cfg.mpr - 1;
	u32 psn = mrc_psn_add(req->una, at);
	u64 bits = ~(mrc_psnmap_get64(req->acked, mask, psn) |
		     mrc_psnmap_get64(req->lost, mask, psn));

	return n - at < 64 ? bits & ((1ULL << (n - at)) - 1) : bits;
}

static bool path_rule(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		      u64 as_of)
{
	u64 due = left_host(req, rec) + reo_path(req);

	return due <= as_of && due <= req->evs->ev[rec->path].acked_sent;
}

static bool time_rule(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		      u64 as_of)
{
	return left_host(req, rec) + reo_pkt(req, rec) <= as_of;
}

/**
 * mrc_req_missing() - an answer says what had not arrived
 * @req: requester
 * @psn: first PSN that it speaks of, in the window
 * @n: PSNs that it speaks of; those answered otherwise are passed over
 * @as_of: ns when the packet was sent that had arrived when it was made
 * @latest: it was made after all answers that came before it, and so after what
 *	they name had arrived
 *
 * Costs next to nothing while the packets are young: they are first sent in
 * the order of their PSNs, so the search ends at the first one that is too
 * young for any rule and was sent once.  A packet that was retransmitted has
 * the time of that, so it gets its own chance.
 */
void mrc_req_missing(struct mrc_req *req, u32 psn, u32 n, u64 as_of,
		     bool latest)
{
	u32 at = mrc_psn_diff(psn, req->una);
	struct mrc_tx_pkt *rec;
	u64 bits;

	/* Without a round trip there is no telling what is much later. */
	if (!req->min_rtt && !req->cfg.reo_time)
		return;
	for (n += at; at < n; at += 64) {
		for (bits = open_pkts(req, at, n); bits; bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			rec = mrc_req_pkt(req, psn);
			if (rec->sent + young(req) > as_of) {
				if (rec->tx_cnt == 1)
					return;
				continue;
			}
			rec->flags |= MRC_TXP_LATE;
			req->missed_as_of = max(req->missed_as_of, as_of);
			if (!(latest && path_rule(req, rec, as_of)) &&
			    !time_rule(req, rec, as_of))
				continue;
			mrc_psnmap_set(req->suspect, req->cfg.mpr - 1, psn);
			req->infer = true;
		}
	}
}

/**
 * mrc_req_infer() - take suspects for lost unless they have been answered since
 * @req: requester
 * @now: ns
 *
 * Context: any, the owner serialises.  Called when all received answers have
 * been processed, for each may acquit some, and before anything is sent.
 */
void mrc_req_infer(struct mrc_req *req, u64 now)
{
	u32 n = mrc_req_out(req);
	u32 mask = req->cfg.mpr - 1;
	u32 at, psn;
	u64 bits;

	for (at = 0; at < n; at += 64) {
		bits = open_pkts(req, at, n) &
		       mrc_psnmap_get64(req->suspect, mask,
					mrc_psn_add(req->una, at));
		for (; bits; bits &= bits - 1) {
			psn = mrc_psn_add(req->una, at + __ffs64(bits));
			mrc_req_mark_lost(req, psn,
					  path_rule(req, mrc_req_pkt(req, psn),
						    now) ?
					  MRC_LOSS_PATH : MRC_LOSS_TIME, now);
		}
	}
	memset(req->suspect, 0, mrc_psnmap_bytes(req->cfg.mpr));
	req->infer = false;
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
			if (left_host(req, mrc_req_pkt(req, psn)) + age <= now)
				mrc_req_mark_lost(req, psn, MRC_LOSS_TIMEOUT,
						  now);
		}
	}
	/* All has arrived, only the transport ACK is missing. */
	if (n == req->n_acked && outstanding(req))
		req->nudge = true;
}

/* How long the answer to a probe may take. */
static u64 patience(const struct mrc_req *req)
{
	u64 ns = reo_time(req) + 2ULL * req->srtt;

	return req->srtt ? ns : max(ns, PROBE_AGAIN_MIN);
}

/*
 * A host that has slept finds its timers due before it looks at what it has
 * received: ask first, and give the peer the time to answer.  Not forever,
 * though: a busy host may always be late.
 */
static bool ask_first(struct mrc_req *req, u64 late, u64 now)
{
	if (!outstanding(req))
		return false;
	if (late > LATE_MIN && req->slept < SLEPT_MAX) {
		req->slept++;
		req->probe_shift = 0;
	}
	if (!req->probe_shift) {
		req->probe_at = now;
		req->rto_at = now + patience(req);
		return true;
	}
	if (now >= req->asked_at + patience(req))
		return false;
	req->rto_at = req->asked_at + patience(req);
	return true;
}

static void on_rto(struct mrc_req *req, u64 now)
{
	u64 late = now - req->rto_at;

	req->rto_at = 0;
	if (!outstanding(req) && !mrc_req_backlog(req) && !owed_only(req))
		return;
	if (req->rnr) {
		/* The peer told us to wait: that was an answer. */
		req->rto_at = req->hold_until + rto(req);
		return;
	}
	if (ask_first(req, late, now))
		return;
	if (!owed_only(req))
		req->stats.timeouts++;
	if (retries_spent(req)) {
		mrc_req_fail(req, req->msg_acked, MRC_ERR_RETRY_EXC);
		return;
	}
	if (req->retries < U8_MAX)
		req->retries++;
	/* There is nothing to send again, but somebody to ask. */
	if (owed_only(req))
		req->probe_at = now;
	else
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
	at = min_not_zero(at, req->evs->reverse.next);
	return min_not_zero(at, mrc_ev_deadline(req->evs));
}

/* Rather on another plane than the packet that is being waited for, or its twin. */
static int tail_path(struct mrc_req *req, u16 lost, u64 now)
{
	int path = mrc_ev_next_alive(req->evs, lost);

	return path < 0 ? mrc_ev_next_fresh(req->evs, lost, now) : path;
}

/* Who has not been answered asks twice from then on, on two planes. */
static int ask_tail(struct mrc_req *req, u64 now)
{
	int path;

	if (req->probe_twin >= 0) {
		path = tail_path(req, req->probe_twin, now);
		req->probe_twin = -1;
		return path;
	}
	path = tail_path(req, mrc_req_pkt(req, req->una)->path, now);
	req->gap_psn = req->una;
	if (!req->probe_shift)
		req->asked_at = now;
	else if (req->srtt)
		req->probe_twin = path;
	req->probe_shift = min(req->probe_shift + 1, PROBE_SHIFT_MAX);
	req->probe_at = now + probe_spacing(req);
	return path;
}

static int probe_path(struct mrc_req *req, u64 now)
{
	int path = -ENOENT;

	if (req->probe_twin >= 0 || (req->probe_at && req->probe_at <= now))
		path = ask_tail(req, now);
	if (path < 0)
		path = mrc_ev_probe_due(req->evs, now);
	return path < 0 ? mrc_reverse_probe(req->evs, req->srtt, now) : path;
}

/**
 * mrc_req_next_probe() - choose a reliability probe to be sent now
 * @req: requester
 * @now: ns
 * @probe: the probe
 *
 * Probes ask what has arrived when answers stay away (MRC 1.0 7.4.6), test paths
 * that lost packets, in a QP without traffic too, and find paths for the control
 * packets of a QP that receives only.
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
	mrc_probe_fill(probe, req->evs, path, req->cfg.dest_qpn, now);
	return true;
}
