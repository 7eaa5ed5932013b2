// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * NSCC.  Two signals, four reactions (MRC 1.0 table 8-1): after a packet that
 * was neither marked nor delayed the window grows in proportion to how far the
 * delay is below its target; after one that was delayed but not marked it grows
 * by the same for all; after one that was delayed and marked it shrinks; after
 * a mark alone only the choice of paths changes.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core/cc.h"
#include "core/nscc.h"

/* Share of the round trip below which a delay is noise: 1 us of 12. */
#define IDLE_PART	12

/* Binary point of mrc_nscc.inc. */
#define INC_SHIFT	8

/* The responder's penalty is in 128ths of the bytes received. */
#define PEN_SHIFT	7

/* Weight of a sample in the average delay: 0.0125. */
#define AVG_WEIGHT	80
#define MARK_WEIGHT	1024
#define AVG_WNDS	2
/*
 * The share of marked packets is averaged over more windows (RFC 8257: 16), or over as many
 * bytes as the largest window has.
 */
#define MARK_WNDS	16
#define MARK_SPAN_MAX	MRC_NSCC_CWND_MAX

/*
 * Share of the round trip below which a delay does not prove that links are
 * full: with the largest window, 1.5 times what a link holds, the delay is half
 * of a round trip, and bursts cause a part of it without any load.
 */
#define FULL_PART	2
/* A window that grows slowly raises the rate by this part per round trip. */
#define LEARN_PART	8
/*
 * Target delay of a network that is measured, as a part of its round trip.  UEC
 * has a whole round trip, but then switches mark before the target is reached:
 * marks without delay stop all windows as they are, and flows that came late
 * would stay small.
 */
#define TARGET_PART(ns)	((ns) / 8 * 3)
/*
 * Then windows follow marks as those of DCTCP do (RFC 8257): a decrease removes
 * half of the share of marked packets.  The increase per round trip, whether or not
 * the delay is above its target and whether or not this packet is marked, is a small
 * part of what the network holds.  UEC has many times as much above the target, and next
 * to nothing just below: flows that take their base round trip for half a microsecond
 * longer than others would get half of what those get.  And were it only for packets
 * without a mark, of sixty flows those with more such packets would increase by more.
 */
#define GAMMA_MEASURED	(MRC_NSCC_ONE / 2)
#define FI_PART		160
/*
 * The increase without delay is this part of what the network holds, and of the
 * window at most: sixty flows would overflow a queue within a round trip.
 */
#define ALPHA_PART	4
/* That increase ends when one packet of so many is marked. */
#define FEW_MARKS	8
/*
 * On long round trips, the window grows slowly from this part of the one at which links
 * were full.
 */
#define PEAK_NEAR(wnd)	((wnd) / 8 * 7)
/* Share of marked packets without delay that is tolerated there. */
#define LONG_MARKS	(MRC_NSCC_ONE / 4)
/* A plane is long if its base round trip is this many times the mean, or the shortest. */
#define LONG_PLANE	2
/*
 * Share of marked packets that is assumed when slow start ends, and the number of packets
 * that the assumption stands for in the average for increases.
 */
#define FIRST_MARKS	(MRC_NSCC_ONE / 2)
#define FIRST_PACKETS	16
/* What software hosts add to a round trip at least, since they work in batches. */
#define HOST_RTT	10000U
/* Largest rate that is learnt, Mb/s. */
#define MBPS_MAX	2000000U

static void set_wnd(struct mrc_cc *cc, u32 bytes)
{
	cc->nscc.wnd = (u64)bytes << MRC_NSCC_SHIFT;
	cc->cwnd = bytes;
}

/* Set @cwnd from the window in fractions of bytes, within its bounds. */
static void bound_wnd(struct mrc_cc *cc)
{
	u32 bytes = min_t(u64, cc->nscc.wnd >> MRC_NSCC_SHIFT, U32_MAX);

	if (bytes < cc->cfg.mtu)
		set_wnd(cc, cc->cfg.mtu);
	else if (bytes >= cc->nscc.max_wnd)
		set_wnd(cc, cc->nscc.max_wnd);
	else
		cc->cwnd = bytes;
}

/* Shrink the window by @less, bytes in 2^-16. */
static void shrink_wnd(struct mrc_cc *cc, u64 less)
{
	cc->nscc.wnd -= min(cc->nscc.wnd, less);
	bound_wnd(cc);
}

static void scale_max_wnd(struct mrc_cc *cc, u32 base)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	const struct mrc_nscc_cfg *p = &cc->nscc.p;
	u64 wnd = div_u64((u64)p->max_cwnd * base, p->base_rtt);

	if (cfg->measured)
		wnd = p->max_cwnd;
	if (cfg->learn)
		wnd = max_t(u64, wnd, MRC_NSCC_HOST_WND);
	cc->nscc.base_rtt = base;
	cc->nscc.max_wnd = clamp_t(u64, wnd, cc->cfg.mtu, MRC_NSCC_CWND_MAX);
}

/* Overwrite what has been derived with what has been chosen. */
static void apply_chosen(struct mrc_nscc_cfg *p,
			 const struct mrc_nscc_cfg *cfg)
{
	if (cfg->set & BIT(MRC_NSCC_TARGET_DELAY))
		p->target_delay = cfg->target_delay;
	if (cfg->set & BIT(MRC_NSCC_MAX_CWND))
		p->max_cwnd = cfg->max_cwnd;
	if (cfg->set & BIT(MRC_NSCC_FI_SCALE))
		p->fi_scale = cfg->fi_scale;
	if (cfg->set & BIT(MRC_NSCC_FI))
		p->fi = cfg->fi;
	if (cfg->set & BIT(MRC_NSCC_ETA))
		p->eta = cfg->eta;
	if (cfg->set & BIT(MRC_NSCC_GAMMA))
		p->gamma = cfg->gamma;
	if (cfg->set & BIT(MRC_NSCC_MAX_MD_JUMP))
		p->max_md_jump = cfg->max_md_jump;
	if (cfg->set & BIT(MRC_NSCC_ADJUST_BYTES))
		p->adjust_bytes = cfg->adjust_bytes;
	if (cfg->set & BIT(MRC_NSCC_ADJUST_PERIOD))
		p->adjust_period = cfg->adjust_period;
	if (cfg->set & BIT(MRC_NSCC_QA_THRESHOLD))
		p->qa_threshold = cfg->qa_threshold;
	if (cfg->set & BIT(MRC_NSCC_QA_GATE))
		p->qa_gate = cfg->qa_gate;
	p->jitter = cfg->jitter;
	p->disable_qa = cfg->disable_qa;
}

/* Parameters for the network as it has been measured. */
static void derive(struct mrc_cc *cc, u32 base)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	struct mrc_nscc *n = &cc->nscc;

	base = max(base, HOST_RTT);
	mrc_nscc_defaults(&n->p, n->mbps, base, cc->cfg.mtu, cfg->trims);
	n->p.target_delay = TARGET_PART(base);
	n->p.gamma = GAMMA_MEASURED;
	n->p.fi = div_u64((u64)n->p.max_cwnd << MRC_NSCC_SHIFT, FI_PART);
	n->p.eta = 0;
	n->p.alpha = min_t(u64, U32_MAX,
			   div_u64((u64)n->p.max_cwnd << MRC_NSCC_ALPHA_SHIFT,
				   ALPHA_PART * n->p.target_delay));
	/* Not faster than slow start, however long the round trip is. */
	n->p.fi_scale = min(n->p.fi_scale, MRC_NSCC_ONE);
	apply_chosen(&n->p, cfg);
}

/*
 * A configured base round trip is an upper bound, or a standing queue would
 * count as part of it.
 */
static void set_base_rtt(struct mrc_cc *cc, u32 rtt)
{
	struct mrc_nscc *n = &cc->nscc;
	u32 base = min(rtt, cc->cfg.nscc.base_rtt);

	if (cc->cfg.nscc.measured) {
		base = rtt == U32_MAX ? cc->cfg.nscc.base_rtt :
					min(rtt, MRC_NSCC_TIME_MAX);
		derive(cc, base);
	}
	n->target = max(n->p.target_delay, n->p.jitter);
	n->idle_delay = max(1U, n->p.base_rtt / IDLE_PART);
	n->alpha = n->p.alpha ?: mrc_nscc_alpha(n->p.fi, n->p.base_rtt);
	scale_max_wnd(cc, base);
}

/* Follow what has been measured, by this connection or by others. */
static void refresh(struct mrc_cc *cc)
{
	const struct mrc_metrics *m = mrc_cc_metrics(cc);
	struct mrc_nscc *n = &cc->nscc;
	u32 rtt;

	n->metrics_changes = READ_ONCE(m->changes);
	if (cc->cfg.nscc.learn)
		n->mbps = max(n->mbps, READ_ONCE(m->mbps));
	rtt = mrc_metrics_mean_rtt(m);
	n->sampled = rtt;
	n->uneven = cc->cfg.nscc.measured &&
		    mrc_metrics_is_uneven(m, LONG_PLANE);
	set_base_rtt(cc, rtt ?: U32_MAX);
}

static void nscc_init(struct mrc_cc *cc)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	struct mrc_nscc *n = &cc->nscc;

	*n = (struct mrc_nscc){
		.p = *cfg, .mbps = cfg->mbps, .marks_span = MARK_SPAN_MAX,
	};
	refresh(cc);
	n->starting = cfg->init_cwnd;
	set_wnd(cc, n->starting ? max(cfg->init_cwnd, cc->cfg.mtu) :
				  n->max_wnd);
}

/* The window is kept, within the new bounds. */
static void nscc_change(struct mrc_cc *cc)
{
	struct mrc_nscc *n = &cc->nscc;

	n->p = cc->cfg.nscc;
	n->mbps = n->p.learn ? max(n->mbps, n->p.mbps) : n->p.mbps;
	refresh(cc);
	bound_wnd(cc);
}

static void first_event(struct mrc_nscc *n, u64 now)
{
	if (n->last_adjust)
		return;
	n->last_adjust = now;
	n->last_dec = now;
}

/*
 * Planes differ in length, and each has its own shortest round trip; the window
 * is for their mean, because all carry the same.  Returns the queueing delay.
 */
static u32 update_base_rtt(struct mrc_cc *cc, u8 plane, u32 rtt, u64 now)
{
	struct mrc_metrics *m = mrc_cc_metrics(cc);
	u32 mine = mrc_metrics_add_rtt(m, plane, rtt, now);

	if (cc->nscc.metrics_changes != READ_ONCE(m->changes))
		refresh(cc);
	if (!cc->cfg.nscc.measured)
		mine = min(mine, cc->cfg.nscc.base_rtt);
	return min(rtt - mine, MRC_NSCC_TIME_MAX);
}

/* The running average @avg of the share of marked packets, over @span bytes. */
static s32 average_marks(s32 avg, bool marked, u32 span, u32 bytes)
{
	s32 weight = clamp(span / max(bytes, 1U), 2, MARK_WEIGHT);

	return avg + ((marked ? (s32)MRC_NSCC_ONE : 0) - avg) / weight;
}

/*
 * Two averages, which differ after slow start only.  That for decreases forgets what was
 * assumed in some twenty round trips.  That for increases soon follows the packets that were
 * sent since, so that a flow that is alone need not wait: what was sent before met the queue
 * that ended slow start.
 */
static void update_marks(struct mrc_cc *cc, u64 sent, bool marked, u32 bytes)
{
	struct mrc_nscc *n = &cc->nscc;
	u32 span = MARK_WNDS * min(cc->cwnd, MARK_SPAN_MAX / MARK_WNDS);

	n->met_marks |= marked;
	n->unmarked = marked ? 0 : min(n->unmarked + bytes, U32_MAX / 2);
	n->avg_marks = average_marks(n->avg_marks, marked, span, bytes);
	if (sent < n->start_end)
		return;
	n->marks_span = min(n->marks_span + bytes, span);
	n->new_marks = average_marks(n->new_marks, marked, n->marks_span, bytes);
}

/*
 * A delay without a mark belongs to the past: the queue had drained when the
 * packet left it.  It counts as a quarter of a round trip, as in UEC's
 * simulator.
 */
static void update_delay(struct mrc_cc *cc, u32 delay, bool marked, u32 bytes)
{
	struct mrc_nscc *n = &cc->nscc;
	u64 sample = (u64)delay << MRC_NSCC_SHIFT;
	u32 weight = AVG_WEIGHT;

	if (!marked && delay > n->target)
		sample = (u64)n->base_rtt << (MRC_NSCC_SHIFT - 2);
	if (cc->cfg.nscc.measured)
		weight = clamp(AVG_WNDS * cc->cwnd / max(bytes, 1U), 2,
			       AVG_WEIGHT);
	n->avg_delay += div_s64(sample - n->avg_delay, weight);
}

/* Bytes that the peer has received, or that are lost. */
static void skip_ignored(struct mrc_nscc *n, u32 bytes)
{
	n->ignore -= min(n->ignore, bytes);
}

static void count(struct mrc_nscc *n, u32 bytes)
{
	skip_ignored(n, bytes);
	n->received = min(n->received + bytes, MRC_NSCC_CWND_MAX);
	n->achieved = min(n->achieved + bytes, MRC_NSCC_CWND_MAX);
}

/*
 * A responder that is too slow reduces the window by its penalty, independently
 * of the network (MRC 1.0 7.5.1).  True while it does.
 */
static bool apply_penalty(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
			  u32 bytes)
{
	u64 inflight = (u64)ack->inflight << MRC_NSCC_SHIFT;
	struct mrc_nscc *n = &cc->nscc;

	if (ack->rcv_cwnd_pen) {
		if (!n->limited)
			n->saved = n->wnd;
		n->limited = true;
		n->wnd = min(n->wnd, inflight);
		shrink_wnd(cc, (u64)ack->rcv_cwnd_pen * bytes <<
			       (MRC_NSCC_SHIFT - PEN_SHIFT));
		return true;
	}
	if (n->limited && ack->restore_cwnd) {
		n->wnd = n->saved;
		bound_wnd(cc);
	}
	n->limited = false;
	return false;
}

/* Input of quick adapt. */
struct qa {
	u64 now;
	u32 inflight;
	u32 delay;
	bool loss;
	bool marked;
};

/* The largest window, without what hosts need. */
static u32 full_wnd(const struct mrc_cc *cc)
{
	return cc->cfg.nscc.measured ? cc->nscc.p.max_cwnd : cc->nscc.max_wnd;
}

/*
 * Where the network is measured, windows follow marks here as well: a delay without one
 * may be that of hosts, and busy ones would never get more than a packet into flight.
 */
static bool is_far_too_late(const struct mrc_cc *cc, const struct qa *qa)
{
	return qa->delay > cc->nscc.p.qa_threshold &&
	       (qa->marked || !cc->cfg.nscc.measured);
}

static bool qa_wanted(const struct mrc_cc *cc, const struct qa *qa)
{
	const struct mrc_nscc *n = &cc->nscc;

	return n->qa_end &&
	       (n->trigger_qa || qa->loss || is_far_too_late(cc, qa)) &&
	       n->achieved < full_wnd(cc) >> n->p.qa_gate;
}

/*
 * Once per round trip, when far too much is in flight: the window becomes what
 * the peer has received.  Packets in flight at that time carry marks of the
 * time before, which are ignored.  True if nothing else is to be done.
 */
static bool quick_adapt(struct mrc_cc *cc, const struct qa *qa)
{
	struct mrc_nscc *n = &cc->nscc;
	bool done = false;

	if (cc->nscc.p.disable_qa)
		return false;
	if (n->ignore && qa->marked) {
		done = true;
	} else if (qa->now >= n->qa_end) {
		if (qa_wanted(cc, qa)) {
			set_wnd(cc, max(n->achieved, cc->cfg.mtu));
			n->ignore = qa->inflight;
			n->trigger_qa = false;
			done = true;
		}
		n->achieved = 0;
		n->qa_end = qa->now + n->base_rtt + n->target;
	}
	if (done) {
		n->inc = 0;
		n->received = 0;
	}
	return done;
}

/* Does the window, and not the application, limit what is in flight? */
static bool is_limited(const struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
	return 2 * ((u64)ack->inflight + ack->acked) >= cc->cwnd;
}

static void set_rate(struct mrc_cc *cc, u64 mbps)
{
	mbps = min_t(u64, mbps, MBPS_MAX);
	if (!cc->nscc.starting)
		mrc_metrics_learn_rate(mrc_cc_metrics(cc), mbps);
	if (mbps == cc->nscc.mbps)
		return;
	cc->nscc.mbps = mbps;
	refresh(cc);
}

/*
 * The largest window does not fill the links: they are faster than was assumed.
 * In slow start that is known at once, later on average.
 */
static void learn_rate(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
		       u32 bytes)
{
	struct mrc_nscc *n = &cc->nscc;
	u64 full = (u64)n->base_rtt << MRC_NSCC_SHIFT;

	if (!cc->cfg.nscc.learn || !is_limited(cc, ack) ||
	    n->wnd >> MRC_NSCC_SHIFT < n->p.max_cwnd)
		return;
	if (n->starting)
		set_rate(cc, div_u64((u64)n->mbps * (n->p.max_cwnd + bytes),
				     n->p.max_cwnd) + 1);
	else if (FULL_PART * n->avg_delay < full)
		set_rate(cc, n->mbps +
			 div_u64((u64)n->mbps * bytes,
				 LEARN_PART * n->p.max_cwnd) + 1);
}

/*
 * A queue ends slow start.  What is acknowledged now was sent a round trip ago,
 * when the window was half as large: that filled the links, and tells their
 * rate.  How many packets will be marked is not known yet: if links are still
 * full in the next round trip, others have begun as well, and the window shrinks
 * by a quarter again (RFC 8257 section 3.3: DCTCP.Alpha begins with 1).  The window
 * does not become smaller than @least.
 */
static void end_slow_start(struct mrc_cc *cc, u64 now, u32 delay, u32 least)
{
	struct mrc_nscc *n = &cc->nscc;
	u64 filled = n->wnd >> (MRC_NSCC_SHIFT + 1);

	if (!n->starting)
		return;
	n->starting = false;
	n->peak = cc->cwnd;
	n->avg_marks = FIRST_MARKS;
	n->new_marks = FIRST_MARKS;
	n->marks_span = FIRST_PACKETS * cc->cfg.mtu;
	n->start_end = now;
	n->last_dec = now;
	set_wnd(cc, max_t(u32, filled, least));
	if (cc->cfg.nscc.learn)
		set_rate(cc, max_t(u64, cc->cfg.nscc.mbps,
				   div_u64(filled * 8000,
					   n->base_rtt + delay)));
}

/*
 * The first flight is small, for others may begin at the same time.  Until a
 * queue is met the window doubles with each round trip.  True if applied.
 */
static bool slow_start(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
		       u32 bytes)
{
	struct mrc_nscc *n = &cc->nscc;

	if (!n->starting)
		return false;
	if (is_limited(cc, ack)) {
		n->wnd += (u64)bytes << MRC_NSCC_SHIFT;
		learn_rate(cc, ack, bytes);
		n->starting = n->wnd >> MRC_NSCC_SHIFT < n->max_wnd;
	}
	return true;
}

/* After a window's worth without any delay, grow fast.  True if applied. */
static bool fast_increase(struct mrc_cc *cc, u32 bytes, u32 delay)
{
	struct mrc_nscc *n = &cc->nscc;

	if (delay >= n->idle_delay) {
		n->fi_count = 0;
		n->increase = false;
		return false;
	}
	n->fi_count = min(n->fi_count + bytes, MRC_NSCC_CWND_MAX);
	n->increase |= n->fi_count > cc->cwnd;
	if (n->increase)
		n->wnd += (u64)bytes * n->p.fi_scale;
	return n->increase;
}

/* @gain, in bytes per window acknowledged, for @bytes acknowledged. */
static void add_inc(struct mrc_nscc *n, u64 gain, u32 bytes)
{
	n->inc += min_t(u64, gain, (u64)MRC_NSCC_BYTES_MAX << INC_SHIFT) * bytes;
}

/*
 * Half as much where all packets are marked: of sixty flows with windows of three packets,
 * the increases of a round trip were more than a queue has room for above its mark.
 */
static void add_fair(struct mrc_cc *cc, u32 bytes)
{
	const struct mrc_nscc *n = &cc->nscc;
	u64 gain = n->p.fi >> (MRC_NSCC_SHIFT - INC_SHIFT);

	if (cc->cfg.nscc.measured)
		gain = gain * (2 * MRC_NSCC_ONE - max(n->avg_marks, 0)) >>
		       (MRC_NSCC_SHIFT + 1);
	add_inc(&cc->nscc, gain, bytes);
}

/* A delay that hosts may have caused does not end slow start. */
static void fair_increase(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
			  u32 bytes)
{
	if (!cc->cfg.nscc.measured || !slow_start(cc, ack, bytes))
		add_fair(cc, bytes);
}

/*
 * From 1 without marks to 0 where one packet of FEW_MARKS is marked.  While links are
 * full, flows must not increase by what they take for free: those that have never seen
 * the network empty find no delay, and would keep a larger share.
 */
static u32 few_marks(const struct mrc_nscc *n)
{
	return MRC_NSCC_ONE - min_t(u64, MRC_NSCC_ONE,
				    (u64)FEW_MARKS * max(n->new_marks, 0));
}

static bool is_long(const struct mrc_cc *cc)
{
	return cc->cfg.nscc.measured && cc->nscc.base_rtt >= MRC_CC_LONG_RTT;
}

/*
 * On a long round trip, an increase by a part of the window is more than queues hold,
 * and is known to be too much only after all of it has left: that of one plane, too, if
 * the others tell at once that they are not full.  Near the window at which the links
 * were full, only the fair increase remains.
 */
static bool is_near_peak(const struct mrc_cc *cc)
{
	return (is_long(cc) || cc->nscc.uneven) &&
	       PEAK_NEAR(cc->nscc.peak) <= cc->cwnd;
}

static void proportional_increase(struct mrc_cc *cc,
				  const struct mrc_cc_ack *ack, u32 bytes,
				  u32 delay)
{
	struct mrc_nscc *n = &cc->nscc;
	u64 gain;

	if (slow_start(cc, ack, bytes))
		return;
	if (is_near_peak(cc)) {
		add_fair(cc, bytes);
		return;
	}
	if (fast_increase(cc, bytes, delay))
		return;
	gain = (u64)n->alpha * (n->target - delay) >>
	       (MRC_NSCC_ALPHA_SHIFT - INC_SHIFT);
	if (cc->cfg.nscc.measured) {
		add_fair(cc, bytes);
		gain = min(gain, ((u64)cc->cwnd << INC_SHIFT) / ALPHA_PART);
		gain = gain * few_marks(n) >> MRC_NSCC_SHIFT;
	}
	add_inc(n, gain, bytes);
}

/*
 * What a decrease removes from the window.  UEC: in proportion to the excess of
 * the delay.  Of a network that is measured: in proportion to the share of marked
 * packets, as DCTCP does (RFC 8257).  All flows of a link see the same share, while
 * the excess depends on the base round trip that each of them has found.
 */
static u64 decrease(const struct mrc_cc *cc)
{
	const struct mrc_nscc *n = &cc->nscc;
	u64 target = (u64)n->target << MRC_NSCC_SHIFT;

	if (cc->cfg.nscc.measured)
		return mul_u64_u64_div_u64(n->wnd,
					   (u64)n->p.gamma * n->avg_marks,
					   BIT_ULL(2 * MRC_NSCC_SHIFT));
	return mul_u64_u64_div_u64(n->wnd,
				   n->p.gamma * (n->avg_delay - target),
				   n->avg_delay << MRC_NSCC_SHIFT);
}

/*
 * UEC: a mark without delay is a single path.  Where the base round trip is measured and
 * long, few marks without delay are tolerated as well: queues there are short compared
 * with what the network holds.
 */
static bool tolerates_marks(const struct mrc_cc *cc)
{
	const struct mrc_nscc *n = &cc->nscc;

	if (n->avg_delay > (u64)n->target << MRC_NSCC_SHIFT)
		return false;
	return !cc->cfg.nscc.measured ||
	       (is_long(cc) && n->avg_marks <= (s32)LONG_MARKS);
}

/*
 * At most once per round trip; where that is measured, with the queue that it
 * meets, because the next marks tell of packets that were sent before.  Those of a
 * plane that is much longer than others are told later.  Where planes are alike, each
 * round trip instead of the mean was tried: an incast of 64 flows dropped twice as much.
 */
static u32 decrease_spacing(const struct mrc_cc *cc, u32 rtt, u32 delay)
{
	u32 base_rtt = cc->nscc.base_rtt;

	if (!cc->cfg.nscc.measured)
		return base_rtt;
	return rtt - delay > LONG_PLANE * base_rtt ? rtt : base_rtt + delay;
}

static void multiplicative_decrease(struct mrc_cc *cc,
				    const struct mrc_cc_ack *ack, u32 delay)
{
	struct mrc_nscc *n = &cc->nscc;
	u64 now = ack->now, least;

	n->increase = false;
	n->fi_count = 0;
	if (tolerates_marks(cc) ||
	    now - n->last_dec <= decrease_spacing(cc, ack->rtt, delay))
		return;
	least = n->wnd * n->p.max_md_jump >> MRC_NSCC_SHIFT;
	n->peak = cc->cwnd;
	n->wnd = max(n->wnd - decrease(cc), least);
	n->last_dec = now;
}

/* Apply the accumulated increases. */
static void fulfill_adjustment(struct mrc_cc *cc, u64 now)
{
	const struct mrc_nscc_cfg *cfg = &cc->nscc.p;
	struct mrc_nscc *n = &cc->nscc;
	bool period = now - n->last_adjust >= cfg->adjust_period;

	if (n->received <= cfg->adjust_bytes && !period)
		return;
	n->wnd += mul_u64_u64_div_u64(n->inc, BIT_ULL(2 * MRC_NSCC_SHIFT -
						      INC_SHIFT), n->wnd);
	if (period) {
		n->wnd += cfg->eta;
		n->last_adjust = now;
	}
	n->inc = 0;
	n->received = 0;
	bound_wnd(cc);
}

/*
 * A delay without a mark ends slow start only where hosts have what they need.  They may
 * be what causes it, so they keep that.
 */
static void late_in_slow_start(struct mrc_cc *cc, u64 now, u32 delay)
{
	u32 least = cc->cfg.nscc.init_cwnd;

	if (delay <= cc->nscc.base_rtt / FULL_PART)
		return;
	if (cc->cfg.nscc.learn) {
		if (cc->cwnd < MRC_NSCC_HOST_WND)
			return;
		least = max(least, MRC_NSCC_HOST_WND);
	}
	end_slow_start(cc, now, delay, least);
}

/* MRC 1.0 table 8-1. */
static void quadrant(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
		     u32 bytes, u32 delay, bool limited)
{
	bool late = delay >= cc->nscc.target;

	if (ack->marked || limited)
		end_slow_start(cc, ack->now, delay, cc->cfg.nscc.init_cwnd);
	else
		late_in_slow_start(cc, ack->now, delay);
	if (ack->marked && cc->cfg.nscc.measured) {
		multiplicative_decrease(cc, ack, delay);
		if (!limited)
			add_fair(cc, bytes);
	} else if (ack->marked) {
		if (late)
			multiplicative_decrease(cc, ack, delay);
	} else if (!limited) {
		if (late)
			fair_increase(cc, ack, bytes);
		else
			proportional_increase(cc, ack, bytes, delay);
		if (!cc->nscc.starting)
			learn_rate(cc, ack, bytes);
	}
	bound_wnd(cc);
}

static void nscc_on_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
	u32 bytes = min(ack->acked, MRC_NSCC_BYTES_MAX);
	struct mrc_nscc *n = &cc->nscc;
	struct qa qa = {
		.now = ack->now,
		.inflight = ack->inflight,
		.marked = ack->marked,
	};
	bool limited;

	first_event(n, ack->now);
	count(n, bytes);
	limited = apply_penalty(cc, ack, bytes);
	if (!ack->rtt)
		return;
	qa.delay = update_base_rtt(cc, ack->plane, ack->rtt, ack->now);
	update_delay(cc, qa.delay, ack->marked, bytes);
	update_marks(cc, ack->now - ack->rtt, ack->marked, bytes);
	if (quick_adapt(cc, &qa))
		return;
	quadrant(cc, ack, bytes, qa.delay, limited);
	fulfill_adjustment(cc, ack->now);
}

/*
 * The switch queue was full to the point of trimming, about one round trip's
 * worth.  Trims on the last hop count as well: MRC has no receiver credits.
 */
static void nscc_on_trim(struct mrc_cc *cc, const struct mrc_cc_trim *trim)
{
	struct mrc_nscc *n = &cc->nscc;
	const struct qa qa = {
		.now = trim->now,
		.inflight = trim->inflight,
		.loss = true,
		.marked = true,
	};

	first_event(n, trim->now);
	if (trim->rtt)
		update_base_rtt(cc, trim->plane, trim->rtt, trim->now);
	end_slow_start(cc, trim->now, 0, cc->cfg.nscc.init_cwnd);
	update_delay(cc, n->p.base_rtt, true, trim->nominal);
	update_marks(cc, trim->now - trim->rtt, true, trim->nominal);
	skip_ignored(n, trim->nominal);
	n->trigger_qa = true;
	if (!quick_adapt(cc, &qa))
		shrink_wnd(cc, (u64)trim->nominal << MRC_NSCC_SHIFT);
}

static void nscc_on_loss(struct mrc_cc *cc, u64 now, u32 nominal)
{
	end_slow_start(cc, now, 0, cc->cfg.nscc.init_cwnd);
	shrink_wnd(cc, (u64)nominal << MRC_NSCC_SHIFT);
	skip_ignored(&cc->nscc, nominal);
}

const struct mrc_cc_ops mrc_cc_nscc = {
	.name		= "nscc",
	.reacts		= true,
	.init		= nscc_init,
	.change		= nscc_change,
	.on_ack		= nscc_on_ack,
	.on_trim	= nscc_on_trim,
	.on_loss	= nscc_on_loss,
};
