/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * NSCC, the network signal based congestion control of UEC 1.0 (3.6.13), which
 * MRC 1.0 section 8 uses: the window follows ECN marks and queueing delay.
 *
 * All arithmetic is in integers; _SHIFT constants give the binary points.
 */
#ifndef MRC_CORE_NSCC_H
#define MRC_CORE_NSCC_H

#include <linux/limits.h>
#include <linux/types.h>

/* Fractions and fractions of bytes: 2^-16. */
#define MRC_NSCC_SHIFT		16
#define MRC_NSCC_ONE		0x10000U
/* Alpha, bytes per ns: 2^-20. */
#define MRC_NSCC_ALPHA_SHIFT	20
/*
 * Window that software hosts need: permitted in any network, and reached in slow start
 * whatever the delay, as long as no packet is marked or lost.
 */
#define MRC_NSCC_HOST_WND	(1024U * 1024U)
/* Windows without a mark after which queues are no longer taken for shared. */
#define MRC_NSCC_QUIET_WNDS	64
/*
 * The same of a connection that has met no mark yet: where it shares queues with others that
 * send already, one of its first packets is marked.
 */
#define MRC_NSCC_FIRST_WNDS	8
/* Value of qa_threshold that no delay reaches. */
#define MRC_NSCC_NEVER		U32_MAX
/* Largest time in ns, window and other number of bytes: no sum overflows within these. */
#define MRC_NSCC_TIME_MAX	1000000000U
#define MRC_NSCC_CWND_MAX	0x40000000U
#define MRC_NSCC_BYTES_MAX	0x1000000U

/**
 * struct mrc_nscc_cfg - parameters of NSCC (UEC table 3-82, MRC control API)
 * @mbps: Mb/s; rate of the requester's link that the others were derived from
 * @init_cwnd: bytes; window of the first flight; 0: the largest window, as in
 *	UEC, which is for networks that nobody else uses
 * @target_delay: ns; queueing delay to be maintained
 * @base_rtt: ns; round trip of an empty network, at most; with @measured an
 *	assumption that the first sample replaces
 * @max_cwnd: bytes; largest window, at @base_rtt
 * @jitter: ns; the target is at least this: measurement noise of hosts is not
 *	queueing delay (ours, not in the API)
 * @alpha: proportional increase, bytes per ns in 2^-20; 0: derived from @fi
 * @fi_scale: fast increase, bytes per byte acknowledged in 2^-16
 * @fi: fair increase, bytes per window acknowledged in 2^-16
 * @eta: increase per @adjust_period, bytes in 2^-16
 * @gamma: how much of the excess delay a decrease removes, 2^-16; with
 *	@measured, how much of the share of marked packets
 * @max_md_jump: smallest factor of a decrease, 2^-16
 * @adjust_bytes: bytes received after which increases are applied
 * @adjust_period: ns after which they are applied in any case
 * @qa_threshold: ns of queueing delay above which quick adapt runs
 * @qa_gate: quick adapt runs below so many halvings of the largest window
 * @set: with @measured, bits by enum mrc_nscc_field: the parameter has been
 *	chosen; the others follow from @mbps and from what is measured
 * @measured: the base round trip is measured, without an upper bound
 * @learn: @mbps is a guess: windows that meet no delay raise it
 * @trims: switches trim packets instead of dropping them
 * @disable_qa: quick adapt never runs
 */
struct mrc_nscc_cfg {
	u32 mbps;
	u32 init_cwnd;
	u32 target_delay;
	u32 base_rtt;
	u32 max_cwnd;
	u32 jitter;
	u32 alpha;
	u32 fi_scale;
	u64 fi;
	u64 eta;
	u32 gamma;
	u32 max_md_jump;
	u32 adjust_bytes;
	u32 adjust_period;
	u32 qa_threshold;
	u32 set;
	u8 qa_gate;
	bool measured;
	bool learn;
	bool trims;
	bool disable_qa;
};

/**
 * struct mrc_nscc - state of NSCC (UEC table 3-83)
 * @p: parameters in effect: those of the profile, or with @measured derived
 *	from @mbps and @base_rtt
 * @wnd: bytes in 2^-16; the window
 * @saved: bytes in 2^-16; window before the responder's penalty
 * @inc: bytes^2 in 2^-8; increases that have not been applied, times the window
 * @avg_delay: ns in 2^-16; running average of the queueing delay
 * @qa_end: ns when the period of quick adapt ends; 0: none has begun
 * @last_adjust: ns when @eta was last added; 0: no SACK or NACK yet
 * @last_dec: ns of the latest multiplicative decrease
 * @start_end: ns when a queue ended slow start; 0: none has
 * @base_rtt: ns; round trip of an empty network, the mean of the planes; as
 *	configured if there is no sample
 * @peak: bytes; window before the latest decrease
 * @mbps: Mb/s; as configured, or learnt
 * @target: ns; target delay in effect
 * @idle_delay: ns; a delay below this is noise
 * @alpha: as in &struct mrc_nscc_cfg
 * @max_wnd: bytes; @max_cwnd, scaled down if @base_rtt is shorter than
 *	configured
 * @received: bytes since increases were last applied
 * @achieved: bytes in this period of quick adapt
 * @ignore: bytes whose marks are still of the time before quick adapt
 * @fi_count: bytes received in a row without delay
 * @unmarked: bytes received since a packet was marked or trimmed, saturating
 * @avg_marks: 2^-16; running average of the share of marked packets, for decreases; begins
 *	anew with an assumption when slow start ends
 * @new_marks: 2^-16; the same for increases, of packets that were sent after slow start
 * @marks_span: bytes that @new_marks is the average of
 * @metrics_changes: &struct mrc_metrics.changes when @base_rtt was computed
 * @uneven: the network is measured, and its longest plane is much longer than the shortest
 * @starting: slow start: no queue has been met yet
 * @met_marks: a packet has been marked or trimmed
 * @increase: fast increase is active
 * @trigger_qa: a packet was trimmed: run quick adapt
 * @limited: the responder's penalty is active
 * @sampled: there are samples of @base_rtt
 */
struct mrc_nscc {
	struct mrc_nscc_cfg p;
	u64 wnd;
	u64 saved;
	u64 inc;
	u64 avg_delay;
	u64 qa_end;
	u64 last_adjust;
	u64 last_dec;
	u64 start_end;
	u32 base_rtt;
	u32 peak;
	u32 mbps;
	u32 target;
	u32 idle_delay;
	u32 alpha;
	u32 max_wnd;
	u32 received;
	u32 achieved;
	u32 ignore;
	u32 fi_count;
	u32 unmarked;
	s32 avg_marks;
	s32 new_marks;
	u32 marks_span;
	u32 metrics_changes;
	bool uneven;
	bool starting;
	bool met_marks;
	bool increase;
	bool trigger_qa;
	bool limited;
	bool sampled;
};

/**
 * enum mrc_nscc_field - a parameter, to say which one is wrong
 * @MRC_NSCC_FIELD_OK: none
 * @MRC_NSCC_TARGET_DELAY: target_delay
 * @MRC_NSCC_BASE_RTT: base_rtt
 * @MRC_NSCC_MAX_CWND: max_cwnd
 * @MRC_NSCC_JITTER: jitter
 * @MRC_NSCC_FI_SCALE: fi_scale
 * @MRC_NSCC_FI: fi
 * @MRC_NSCC_ETA: eta
 * @MRC_NSCC_GAMMA: gamma
 * @MRC_NSCC_MAX_MD_JUMP: max_md_jump
 * @MRC_NSCC_ADJUST_BYTES: adjust_bytes
 * @MRC_NSCC_ADJUST_PERIOD: adjust_period
 * @MRC_NSCC_QA_THRESHOLD: qa_threshold
 * @MRC_NSCC_QA_GATE: qa_gate
 * @MRC_NSCC_FIELDS: end of the list
 */
enum mrc_nscc_field {
	MRC_NSCC_FIELD_OK,
	MRC_NSCC_TARGET_DELAY,
	MRC_NSCC_BASE_RTT,
	MRC_NSCC_MAX_CWND,
	MRC_NSCC_JITTER,
	MRC_NSCC_FI_SCALE,
	MRC_NSCC_FI,
	MRC_NSCC_ETA,
	MRC_NSCC_GAMMA,
	MRC_NSCC_MAX_MD_JUMP,
	MRC_NSCC_ADJUST_BYTES,
	MRC_NSCC_ADJUST_PERIOD,
	MRC_NSCC_QA_THRESHOLD,
	MRC_NSCC_QA_GATE,
	MRC_NSCC_FIELDS,
};

u32 mrc_nscc_alpha(u64 fi, u32 base_rtt);
u32 mrc_nscc_first_flight(u32 ports, u32 mtu);
void mrc_nscc_defaults(struct mrc_nscc_cfg *cfg, u32 mbps, u32 base_rtt,
		       u32 mtu, bool trims);
enum mrc_nscc_field mrc_nscc_check(const struct mrc_nscc_cfg *cfg, u32 mtu);

const char *mrc_nscc_field_name(enum mrc_nscc_field field);

#endif /* MRC_CORE_NSCC_H */
