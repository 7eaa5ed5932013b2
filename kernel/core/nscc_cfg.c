// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parameters of NSCC: defaults for a network (UEC table 3-82), names and ranges.
 */
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/nscc.h"

/* Network that the constants of table 3-82 are given for: 100 Gb/s, 12 us. */
#define REF_RTT		12000U
#define REF_BDP		150000U
/* Longest round trip for which increases are those of UEC. */
#define LONG_RTT	(5 * REF_RTT)

/* Binary point of the scaling to a network. */
#define SCALE_SHIFT	24

#define FI_SCALE_MAX	(256 * MRC_NSCC_ONE)
#define QA_GATE_MAX	30

/* Packets of the first flight, unless the number of ports is known. */
#define INIT_PKTS	4

/**
 * mrc_nscc_alpha() - gain of the proportional increase, derived from the fair one
 * @fi: fair increase, bytes in 2^-16 per round trip
 * @base_rtt: ns
 *
 * UEC has alpha = 4 a b MTU / target, fi = 5 a MTU and b = target / 12 us,
 * hence alpha = fi / 15 us.  The share by which a window grows in a round trip
 * is thus proportional to that round trip: at 10 ms it would grow from one
 * packet to its maximum at once.  From LONG_RTT on the share does not grow any
 * more.
 *
 * Context: any.
 * Return: for &struct mrc_nscc_cfg.alpha.
 */
u32 mrc_nscc_alpha(u64 fi, u32 base_rtt)
{
	u64 per_ns = div_u64(fi << (MRC_NSCC_ALPHA_SHIFT - MRC_NSCC_SHIFT),
			     5 * REF_RTT / 4);

	if (base_rtt > LONG_RTT)
		per_ns = mul_u64_u64_div_u64(per_ns, LONG_RTT, base_rtt);
	return min_t(u64, per_ns, U32_MAX);
}

/**
 * mrc_nscc_first_flight() - window of a connection that begins
 * @ports: ports that can send; 0 counts as 1
 * @mtu: bytes of a full packet
 *
 * One packet for each port.  When 64 QPs begin at once towards one host that has as many
 * ports, each of its ports receives 64 packets, which a queue of 256 KiB holds.
 *
 * Context: any.
 * Return: bytes, for &struct mrc_nscc_cfg.init_cwnd.
 */
u32 mrc_nscc_first_flight(u32 ports, u32 mtu)
{
	return max(ports, 1U) * mtu;
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
			  MRC_NSCC_CWND_MAX);
	u64 a = div_u64(bdp << SCALE_SHIFT, REF_BDP);
	u64 a_mtu = a * mtu >> (SCALE_SHIFT - MRC_NSCC_SHIFT);
	u64 fi = min(5 * a_mtu, (u64)MRC_NSCC_BYTES_MAX << MRC_NSCC_SHIFT);

	*cfg = (struct mrc_nscc_cfg){
		.mbps = mbps,
		.init_cwnd = INIT_PKTS * mtu,
		.trims = trims,
		.target_delay = trims ? base_rtt - base_rtt / 4 : base_rtt,
		.base_rtt = base_rtt,
		.max_cwnd = clamp_t(u64, bdp + bdp / 2, mtu, MRC_NSCC_CWND_MAX),
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
	cfg->alpha = mrc_nscc_alpha(fi, base_rtt);
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
	const u64 bytes_max = (u64)MRC_NSCC_BYTES_MAX << MRC_NSCC_SHIFT;
	const struct {
		enum mrc_nscc_field field;
		u64 value;
		u64 min;
		u64 max;
	} ranges[] = {
		{ MRC_NSCC_TARGET_DELAY, cfg->target_delay, 1, MRC_NSCC_TIME_MAX },
		{ MRC_NSCC_BASE_RTT, cfg->base_rtt, 1, MRC_NSCC_TIME_MAX },
		{ MRC_NSCC_MAX_CWND, cfg->max_cwnd, mtu, MRC_NSCC_CWND_MAX },
		{ MRC_NSCC_JITTER, cfg->jitter, 0, MRC_NSCC_TIME_MAX },
		{ MRC_NSCC_FI_SCALE, cfg->fi_scale, 0, FI_SCALE_MAX },
		{ MRC_NSCC_FI, cfg->fi, 0, bytes_max },
		{ MRC_NSCC_ETA, cfg->eta, 0, bytes_max },
		{ MRC_NSCC_GAMMA, cfg->gamma, 1, MRC_NSCC_ONE },
		{ MRC_NSCC_MAX_MD_JUMP, cfg->max_md_jump, 1, MRC_NSCC_ONE },
		{ MRC_NSCC_ADJUST_BYTES, cfg->adjust_bytes, 1, MRC_NSCC_BYTES_MAX },
		{ MRC_NSCC_ADJUST_PERIOD, cfg->adjust_period, 1, MRC_NSCC_TIME_MAX },
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
