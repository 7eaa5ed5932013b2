// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * NSCC.  Two signals, four reactions (MRC 1.0 table 8-1): after a packet that
 * was neither marked nor delayed the window grows in proportion to how far the
 * delay is below its target; after one that was delayed but not marked it grows
 * by the same for all; after one that was delayed and marked it shrinks; after
 * a mark alone only the choice of paths changes.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/cc.h"
#include "core/nscc.h"

/* Network that the constants of table 3-82 are given for: 100 Gb/s, 12 us. */
#define REF_RTT		12000U
#define REF_BDP		150000U
/* Longest round trip for which increases are those of UEC. */
#define LONG_RTT	(5 * REF_RTT)
/* Share of the round trip below which a delay is noise: 1 us there. */
#define IDLE_PART	12

/* Binary point of mrc_nscc.inc, and of the scaling to a network. */
#define INC_SHIFT	8
#define SCALE_SHIFT	24

/* No sum overflows within these bounds. */
#define TIME_MAX	1000000000U
#define BYTES_MAX	0x1000000U
#define CWND_MAX	0x40000000U
#define FI_SCALE_MAX	(256 * MRC_NSCC_ONE)
#define QA_GATE_MAX	30

/* The responder's penalty is in 128ths of the bytes received. */
#define PEN_SHIFT	7

/* Weight of a sample in the average delay: 0.0125. */
#define AVG_WEIGHT	80

/*
 * UEC has alpha = 4 a b MTU / target, fi = 5 a MTU and b = target / 12 us,
 * hence alpha = fi / 15 us.  The share by which a window grows in a round trip
 * is thus proportional to that round trip: at 10 ms it would grow from one
 * packet to its maximum at once.  From LONG_RTT on the share does not grow any
 * more.
 */
static u32 derived_alpha(u64 fi, u32 base_rtt)
{
	u64 per_ns = div_u64(fi << (MRC_NSCC_ALPHA_SHIFT - MRC_NSCC_SHIFT),
			     5 * REF_RTT / 4);

	if (base_rtt > LONG_RTT)
		per_ns = mul_u64_u64_div_u64(per_ns, LONG_RTT, base_rtt);
	return min_t(u64, per_ns, U32_MAX);
}

/**
 * mrc_nscc_defaults() - parameters for a network (UEC table 3-82)
 * @cfg: filled in
 * @mbps: rate of the requester's link in Mb/s
 * @base_rtt: ns; round trip over the longest path of the empty network
 * @mtu: bytes of a full packet
 * @trims: switches trim packets instead of dropping them
 *
 * Context: any.
 */
void mrc_nscc_defaults(struct mrc_nscc_cfg *cfg, u32 mbps, u32 base_rtt,
		       u32 mtu, bool trims)
{
	/* Mb/s x ns / 8000 = bytes */
	u64 bdp = clamp_t(u64, div_u64((u64)mbps * base_rtt, 8000), 1,
			  CWND_MAX);
	u64 a = div_u64(bdp << SCALE_SHIFT, REF_BDP);
	u64 a_mtu = a * mtu >> (SCALE_SHIFT - MRC_NSCC_SHIFT);
	u64 fi = min(5 * a_mtu, (u64)BYTES_MAX << MRC_NSCC_SHIFT);

	*cfg = (struct mrc_nscc_cfg){
		.target_delay = trims ? base_rtt - base_rtt / 4 : base_rtt,
		.base_rtt = base_rtt,
		.max_cwnd = clamp_t(u64, bdp + bdp / 2, mtu, CWND_MAX),
		.fi_scale = clamp_t(u64, a >> (SCALE_SHIFT - MRC_NSCC_SHIFT + 2),
				    1, FI_SCALE_MAX),
		.fi = fi,
		.eta = div_u64(3 * fi, 100),
		.gamma = DIV_ROUND_CLOSEST(MRC_NSCC_ONE * 4, 5),
		.max_md_jump = MRC_NSCC_ONE / 2,
		.adjust_bytes = 8 * mtu,
		.adjust_period = base_rtt,
		.qa_gate = 3,
	};
	cfg->qa_threshold = trims ? MRC_NSCC_NEVER : 4 * cfg->target_delay;
	cfg->alpha = derived_alpha(fi, base_rtt);
}

static const char * const field_names[] = {
	[MRC_NSCC_FIELD_OK]		= "none",
	[MRC_NSCC_TARGET_DELAY]		= "target_delay",
	[MRC_NSCC_BASE_RTT]		= "base_rtt",
	[MRC_NSCC_MAX_CWND]		= "max_cwnd",
	[MRC_NSCC_JITTER]		= "jitter",
	[MRC_NSCC_FI_SCALE]		= "fi_scale",
	[MRC_NSCC_FI]			= "fi",
	[MRC_NSCC_ETA]			= "eta",
	[MRC_NSCC_GAMMA]		= "gamma",
	[MRC_NSCC_MAX_MD_JUMP]		= "max_md_jump",
	[MRC_NSCC_ADJUST_BYTES]		= "adjust_bytes_threshold",
	[MRC_NSCC_ADJUST_PERIOD]	= "adjust_period_threshold",
	[MRC_NSCC_QA_THRESHOLD]		= "qa_threshold",
	[MRC_NSCC_QA_GATE]		= "qa_gate",
};

/**
 * mrc_nscc_field_name() - a parameter as the control API calls it
 * @field: parameter
 *
 * Context: any.
 * Return: its name.
 */
const char *mrc_nscc_field_name(enum mrc_nscc_field field)
{
	return field < ARRAY_SIZE(field_names) ? field_names[field] : "?";
}

/**
 * mrc_nscc_check() - check the parameters of NSCC
 * @cfg: parameters, not trusted
 * @mtu: bytes of a full packet
 *
 * Context: any.
 * Return: the first parameter that is out of range, or MRC_NSCC_FIELD_OK.
 */
enum mrc_nscc_field mrc_nscc_check(const struct mrc_nscc_cfg *cfg, u32 mtu)
{
	const u64 bytes_max = (u64)BYTES_MAX << MRC_NSCC_SHIFT;
	const struct {
		enum mrc_nscc_field field;
		u64 value;
		u64 min;
		u64 max;
	} ranges[] = {
		{ MRC_NSCC_TARGET_DELAY, cfg->target_delay, 1, TIME_MAX },
		{ MRC_NSCC_BASE_RTT, cfg->base_rtt, 1, TIME_MAX },
		{ MRC_NSCC_MAX_CWND, cfg->max_cwnd, mtu, CWND_MAX },
		{ MRC_NSCC_JITTER, cfg->jitter, 0, TIME_MAX },
		{ MRC_NSCC_FI_SCALE, cfg->fi_scale, 0, FI_SCALE_MAX },
		{ MRC_NSCC_FI, cfg->fi, 0, bytes_max },
		{ MRC_NSCC_ETA, cfg->eta, 0, bytes_max },
		{ MRC_NSCC_GAMMA, cfg->gamma, 1, MRC_NSCC_ONE },
		{ MRC_NSCC_MAX_MD_JUMP, cfg->max_md_jump, 1, MRC_NSCC_ONE },
		{ MRC_NSCC_ADJUST_BYTES, cfg->adjust_bytes, 1, BYTES_MAX },
		{ MRC_NSCC_ADJUST_PERIOD, cfg->adjust_period, 1, TIME_MAX },
		{ MRC_NSCC_QA_THRESHOLD, cfg->qa_threshold, 1, U32_MAX },
		{ MRC_NSCC_QA_GATE, cfg->qa_gate, 0, QA_GATE_MAX },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (ranges[i].value < ranges[i].min ||
		    ranges[i].value > ranges[i].max)
			return ranges[i].field;
	return MRC_NSCC_FIELD_OK;
}

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

/* Never more than configured, or a standing queue would count as the base. */
static void set_base_rtt(struct mrc_cc *cc, u32 rtt)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	u32 base = min(rtt, cfg->base_rtt);
	u64 wnd = div_u64((u64)cfg->max_cwnd * base, cfg->base_rtt);

	cc->nscc.base_rtt = base;
	cc->nscc.max_wnd = max_t(u32, wnd, cc->cfg.mtu);
}

static void apply_cfg(struct mrc_cc *cc, u32 base_rtt)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	struct mrc_nscc *n = &cc->nscc;

	n->target = max(cfg->target_delay, cfg->jitter);
	n->idle_delay = max(1U, cfg->base_rtt / IDLE_PART);
	n->alpha = cfg->alpha ?: derived_alpha(cfg->fi, cfg->base_rtt);
	set_base_rtt(cc, base_rtt);
}

static void nscc_init(struct mrc_cc *cc)
{
	cc->nscc = (struct mrc_nscc){
		.base_min = { U32_MAX, U32_MAX },
	};
	apply_cfg(cc, U32_MAX);
	set_wnd(cc, cc->nscc.max_wnd);
}

/* The window is kept, within the new bounds. */
static void nscc_change(struct mrc_cc *cc)
{
	const struct mrc_nscc *n = &cc->nscc;

	apply_cfg(cc, min(n->base_min[0], n->base_min[1]));
	bound_wnd(cc);
}

static void first_event(struct mrc_nscc *n, u64 now)
{
	if (n->last_adjust)
		return;
	n->last_adjust = now;
	n->last_dec = now;
	n->base_since = now;
}

/*
 * The shortest round trip of the latest 5 to 10 s.  Software hosts have rare
 * short round trips, which a minimum without expiry would keep forever.
 */
static u32 shortest_rtt(struct mrc_nscc *n, u32 rtt, u64 now)
{
	u64 age = now - n->base_since;

	if (age >= MRC_NSCC_BASE_NS) {
		n->base_min[1] = age < 2 * MRC_NSCC_BASE_NS ? n->base_min[0] :
							      U32_MAX;
		n->base_min[0] = U32_MAX;
		n->base_since = now;
	}
	n->base_min[0] = min(n->base_min[0], rtt);
	return min(n->base_min[0], n->base_min[1]);
}

static void update_base_rtt(struct mrc_cc *cc, u32 rtt, u64 now)
{
	u32 base = shortest_rtt(&cc->nscc, rtt, now);

	if (min(base, cc->cfg.nscc.base_rtt) != cc->nscc.base_rtt)
		set_base_rtt(cc, base);
}

/*
 * A delay without a mark belongs to the past: the queue had drained when the
 * packet left it.  It counts as a quarter of a round trip, as in UEC's
 * simulator.
 */
static void update_delay(struct mrc_nscc *n, u32 delay, bool marked)
{
	u64 sample = (u64)delay << MRC_NSCC_SHIFT;

	if (!marked && delay > n->target)
		sample = (u64)n->base_rtt << (MRC_NSCC_SHIFT - 2);
	n->avg_delay += div_s64(sample - n->avg_delay, AVG_WEIGHT);
}

/* Bytes that the peer has received, or that are lost. */
static void skip_ignored(struct mrc_nscc *n, u32 bytes)
{
	n->ignore -= min(n->ignore, bytes);
}

static void count(struct mrc_nscc *n, u32 bytes)
{
	skip_ignored(n, bytes);
	n->received = min(n->received + bytes, CWND_MAX);
	n->achieved = min(n->achieved + bytes, CWND_MAX);
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

static bool qa_wanted(const struct mrc_cc *cc, const struct qa *qa)
{
	const struct mrc_nscc *n = &cc->nscc;

	return n->qa_end &&
	       (n->trigger_qa || qa->loss ||
		qa->delay > cc->cfg.nscc.qa_threshold) &&
	       n->achieved < n->max_wnd >> cc->cfg.nscc.qa_gate;
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

	if (cc->cfg.nscc.disable_qa)
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

/* After a window's worth without any delay, grow fast.  True if applied. */
static bool fast_increase(struct mrc_cc *cc, u32 bytes, u32 delay)
{
	struct mrc_nscc *n = &cc->nscc;

	if (delay >= n->idle_delay) {
		n->fi_count = 0;
		n->increase = false;
		return false;
	}
	n->fi_count = min(n->fi_count + bytes, CWND_MAX);
	n->increase |= n->fi_count > cc->cwnd;
	if (n->increase)
		n->wnd += (u64)bytes * cc->cfg.nscc.fi_scale;
	return n->increase;
}

/* @gain, in bytes per window acknowledged, for @bytes acknowledged. */
static void add_inc(struct mrc_nscc *n, u64 gain, u32 bytes)
{
	n->inc += min_t(u64, gain, (u64)BYTES_MAX << INC_SHIFT) * bytes;
}

static void proportional_increase(struct mrc_cc *cc, u32 bytes, u32 delay)
{
	struct mrc_nscc *n = &cc->nscc;

	if (!fast_increase(cc, bytes, delay))
		add_inc(n, (u64)n->alpha * (n->target - delay) >>
			(MRC_NSCC_ALPHA_SHIFT - INC_SHIFT), bytes);
}

static void fair_increase(struct mrc_cc *cc, u32 bytes)
{
	add_inc(&cc->nscc, cc->cfg.nscc.fi >> (MRC_NSCC_SHIFT - INC_SHIFT),
		bytes);
}

/* At most once per round trip, in proportion to the excess of the delay. */
static void multiplicative_decrease(struct mrc_cc *cc, u64 now)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
	struct mrc_nscc *n = &cc->nscc;
	u64 target = (u64)n->target << MRC_NSCC_SHIFT;
	u64 cut, least;

	n->increase = false;
	n->fi_count = 0;
	if (n->avg_delay <= target || now - n->last_dec <= n->base_rtt)
		return;
	cut = mul_u64_u64_div_u64(n->wnd,
				  cfg->gamma * (n->avg_delay - target),
				  n->avg_delay << MRC_NSCC_SHIFT);
	least = n->wnd * cfg->max_md_jump >> MRC_NSCC_SHIFT;
	n->wnd = max(n->wnd - cut, least);
	n->last_dec = now;
}

/* Apply the accumulated increases. */
static void fulfill_adjustment(struct mrc_cc *cc, u64 now)
{
	const struct mrc_nscc_cfg *cfg = &cc->cfg.nscc;
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

/* MRC 1.0 table 8-1. */
static void quadrant(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
		     u32 bytes, u32 delay, bool limited)
{
	bool late = delay >= cc->nscc.target;

	if (ack->marked) {
		if (late)
			multiplicative_decrease(cc, ack->now);
	} else if (!limited) {
		if (late)
			fair_increase(cc, bytes);
		else
			proportional_increase(cc, bytes, delay);
	}
	bound_wnd(cc);
}

static void nscc_on_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
	u32 bytes = min(ack->acked, BYTES_MAX);
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
	update_base_rtt(cc, ack->rtt, ack->now);
	qa.delay = min(ack->rtt - n->base_rtt, TIME_MAX);
	update_delay(n, qa.delay, ack->marked);
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
		update_base_rtt(cc, trim->rtt, trim->now);
	update_delay(n, cc->cfg.nscc.base_rtt, true);
	skip_ignored(n, trim->nominal);
	n->trigger_qa = true;
	if (!quick_adapt(cc, &qa))
		shrink_wnd(cc, (u64)trim->nominal << MRC_NSCC_SHIFT);
}

static void nscc_on_loss(struct mrc_cc *cc, u64 now, u32 nominal)
{
	shrink_wnd(cc, (u64)nominal << MRC_NSCC_SHIFT);
	skip_ignored(&cc->nscc, nominal);
}

const struct mrc_cc_ops mrc_cc_nscc = {
	.name		= "nscc",
	.init		= nscc_init,
	.change		= nscc_change,
	.on_ack		= nscc_on_ack,
	.on_trim	= nscc_on_trim,
	.on_loss	= nscc_on_loss,
};
