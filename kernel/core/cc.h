/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control: how many bytes a requester may have in flight.  The
 * algorithm is behind an ops table: NSCC, a constant window, or no limit but
 * the PSN window.
 */
#ifndef MRC_CORE_CC_H
#define MRC_CORE_CC_H

#include <linux/minmax.h>
#include <linux/types.h>
#include "core/metrics.h"
#include "core/nscc.h"

/* Bytes of a packet besides its UDP payload: IPv6 header (MRC 8.3.1). */
#define MRC_CC_NOMINAL_OVERHEAD 40
/*
 * Parts of the window, at least, that a burst must leave for others: of the window
 * of a plane where queues are shared.
 */
#define MRC_CC_BURSTS_PER_WND 16
/*
 * The same where packets are not marked.  A host that is slower than its links needs
 * large bursts: with small ones it is slower still, so that its window does not limit
 * it, and does not grow.
 */
#define MRC_CC_BURSTS_QUIET 4
/* Acknowledgments that are requested per congestion window, at least. */
#define MRC_CC_ACKS_PER_WND 8
/* Windows that are sent without one being full before it is not what limits. */
#define MRC_CC_WNDS_FREE 2
/*
 * Round trips from here on, in ns, hold more than the queues of the network: what a
 * window releases at once is paced, and an increase by a part of the window overflows
 * queues before its marks return.
 */
#define MRC_CC_LONG_RTT 500000U

/**
 * struct mrc_cc_cfg - parameters of a CC profile
 * @mtu: bytes of a full packet (nominal size); the minimum of every window
 * @max_cwnd: bytes; the window of mrc_cc_fixed
 * @ack_trigger: bytes after which the peer's responder sends a SACK by itself;
 *	with a smaller window AckReq is always set.  0: never
 * @metrics: measurements that connections to the same peer share; NULL: the
 *	connection keeps its own
 * @nscc: parameters of mrc_cc_nscc, which mrc_nscc_check() has accepted
 */
struct mrc_cc_cfg {
	u32 mtu;
	u32 max_cwnd;
	u32 ack_trigger;
	struct mrc_metrics *metrics;
	struct mrc_nscc_cfg nscc;
};

/**
 * struct mrc_cc_ack - report of one SACK to congestion control
 * @now: ns
 * @acked: nominal bytes that the peer has newly received
 * @inflight: nominal bytes still in flight after this SACK
 * @rtt: ns, without the service time of the peer; 0 if the SACK gave no valid
 *	sample
 * @plane: plane of that packet, 0..MRC_METRICS_PLANES - 1
 * @marked: the packet that triggered the SACK carried an ECN mark
 * @rcv_cwnd_pen: penalty of the responder, 0..127
 * @restore_cwnd: the saved window may be restored after the penalty
 */
struct mrc_cc_ack {
	u64 now;
	u32 acked;
	u32 inflight;
	u32 rtt;
	u8 plane;
	bool marked;
	u8 rcv_cwnd_pen;
	bool restore_cwnd;
};

/**
 * struct mrc_cc_trim - report of the NACK of a trimmed packet
 * @now: ns
 * @nominal: nominal bytes of the packet
 * @inflight: nominal bytes still in flight without it
 * @rtt: ns; 0 if the NACK gave no valid sample
 * @plane: plane of the packet, 0..MRC_METRICS_PLANES - 1
 */
struct mrc_cc_trim {
	u64 now;
	u32 nominal;
	u32 inflight;
	u32 rtt;
	u8 plane;
};

struct mrc_cc;

/**
 * struct mrc_cc_ops - a congestion control algorithm
 * @name: as the operator writes it
 * @batch: bytes by which a full window opens at once; 0: a burst.  With an
 *	algorithm that shares the network, larger batches would be sent when the
 *	queue is short and measure less delay than those of others
 * @reacts: the window follows ECN marks
 * @init: set the window and the private state from the profile
 * @change: the profile was replaced while packets are in flight; the state is
 *	kept
 * @on_ack: a SACK arrived
 * @on_trim: a packet was trimmed
 * @on_loss: a packet of @nominal bytes is deemed lost
 */
struct mrc_cc_ops {
	const char *name;
	u32 batch;
	bool reacts;
	void (*init)(struct mrc_cc *cc);
	void (*change)(struct mrc_cc *cc);
	void (*on_ack)(struct mrc_cc *cc, const struct mrc_cc_ack *ack);
	void (*on_trim)(struct mrc_cc *cc, const struct mrc_cc_trim *trim);
	void (*on_loss)(struct mrc_cc *cc, u64 now, u32 nominal);
};

extern const struct mrc_cc_ops mrc_cc_none;
extern const struct mrc_cc_ops mrc_cc_fixed;
extern const struct mrc_cc_ops mrc_cc_nscc;

/**
 * struct mrc_cc - one congestion controller
 * @ops: algorithm
 * @cfg: profile
 * @cwnd: bytes that may be in flight
 * @own_metrics: measurements that are not shared
 * @nscc: state of mrc_cc_nscc
 */
struct mrc_cc {
	const struct mrc_cc_ops *ops;
	struct mrc_cc_cfg cfg;
	u32 cwnd;
	struct mrc_metrics own_metrics;
	struct mrc_nscc nscc;
};

const struct mrc_cc_ops *mrc_cc_at(u32 i);
const char *mrc_cc_name(u32 i);
const struct mrc_cc_ops *mrc_cc_find(const char *name);
void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		 const struct mrc_cc_cfg *cfg);
void mrc_cc_change(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		   const struct mrc_cc_cfg *cfg);

/**
 * mrc_cc_metrics() - measurements of the network
 * @cc: congestion controller
 *
 * Context: any.
 * Return: its own, or those that it shares with others.
 */
static inline struct mrc_metrics *mrc_cc_metrics(struct mrc_cc *cc)
{
	return cc->cfg.metrics ?: &cc->own_metrics;
}

/**
 * mrc_cc_base_rtt() - round trip of the empty network
 * @cc: congestion controller
 *
 * Context: any, the caller serialises.
 * Return: ns; 0 if the algorithm does not know it, or not yet.
 */
static inline u32 mrc_cc_base_rtt(const struct mrc_cc *cc)
{
	return cc->ops == &mrc_cc_nscc && cc->nscc.sampled ?
	       cc->nscc.base_rtt : 0;
}

/**
 * mrc_cc_rate() - rate for which the windows are set
 * @cc: congestion controller
 *
 * Context: any, the caller serialises.
 * Return: Mb/s; 0 if the algorithm has none.
 */
static inline u32 mrc_cc_rate(const struct mrc_cc *cc)
{
	return cc->ops == &mrc_cc_nscc ? cc->nscc.mbps : 0;
}

/**
 * mrc_cc_is_measured() - do the windows follow from measurements?
 * @cc: congestion controller
 *
 * Context: any.
 * Return: false if the algorithm or its parameters have been configured.
 */
static inline bool mrc_cc_is_measured(const struct mrc_cc *cc)
{
	return cc->ops == &mrc_cc_nscc && cc->cfg.nscc.measured;
}

/**
 * mrc_cc_is_marked() - have packets been marked or trimmed lately?
 * @cc: congestion controller
 *
 * Context: any, the caller serialises.
 * Return: true if so, or if that is not known yet.
 */
static inline bool mrc_cc_is_marked(const struct mrc_cc *cc)
{
	u32 wnds = cc->nscc.met_marks ? MRC_NSCC_QUIET_WNDS : MRC_NSCC_FIRST_WNDS;

	return cc->ops == &mrc_cc_nscc && cc->nscc.unmarked / wnds < cc->cwnd;
}

/**
 * mrc_cc_is_crowded() - are most packets marked?
 * @cc: congestion controller
 *
 * Then queues are long all the time, and some overflow now and then.  The delay does
 * not tell: flows that have never seen the network empty take a part of it for the
 * length of the way.
 *
 * Context: any, the caller serialises.
 * Return: true if so; false if the algorithm does not know.
 */
static inline bool mrc_cc_is_crowded(const struct mrc_cc *cc)
{
	return cc->ops == &mrc_cc_nscc &&
	       cc->nscc.avg_marks >= (s32)MRC_NSCC_ONE / 2;
}

/**
 * mrc_cc_reacts() - does the window follow ECN marks?
 * @cc: congestion controller
 *
 * What does not react must not send ECN-capable packets: routers would mark
 * them instead of dropping them (RFC 3168 section 5).
 *
 * Context: any, the caller serialises.
 * Return: true if so, or if no algorithm has been chosen yet.
 */
static inline bool mrc_cc_reacts(const struct mrc_cc *cc)
{
	return !cc->ops || cc->ops->reacts;
}

/**
 * mrc_cc_can_send() - may @nominal more bytes be sent?
 * @cc: congestion controller
 * @inflight: nominal bytes in flight
 * @nominal: nominal bytes of the next packet
 *
 * One packet may always be in flight, whatever the window.
 *
 * Context: any, the caller serialises.
 * Return: true if so.
 */
static inline bool mrc_cc_can_send(const struct mrc_cc *cc, u32 inflight,
				   u32 nominal)
{
	return !inflight || inflight + nominal <= cc->cwnd;
}

/**
 * mrc_cc_max_pkts() - how many packets may be sent?
 * @cc: congestion controller
 * @inflight: nominal bytes in flight
 * @nominal: nominal bytes of each packet, not 0
 *
 * Context: any, the caller serialises.
 * Return: number of packets that mrc_cc_can_send() would admit one after
 *	another, without the one that may always be sent if none is in flight.
 */
static inline u32 mrc_cc_max_pkts(const struct mrc_cc *cc, u32 inflight,
				  u32 nominal)
{
	return inflight < cc->cwnd ? (cc->cwnd - inflight) / nominal : 0;
}

/**
 * mrc_cc_burst() - how many packets may leave together?
 * @cc: congestion controller
 * @planes: planes over which the window is spread, at least 1
 * @bytes: nominal length of one packet, at least 1
 * @max: most packets of a burst
 *
 * Where the network is shared, a burst is a part of the window: it stands in
 * one queue, which others use too, while the window is spread over many.  As
 * long as packets are marked, it is a part of what the window has on one plane:
 * links that all senders need in full run empty between large bursts.  Short
 * packets, such as READ requests, stay together in a small window, too.
 *
 * Context: any, the caller serialises.
 * Return: packets, 1..@max.
 */
static inline u32 mrc_cc_burst(const struct mrc_cc *cc, u32 planes, u32 bytes,
			       u32 max)
{
	u32 parts = MRC_CC_BURSTS_QUIET;

	if (cc->ops->batch)
		return max;
	if (mrc_cc_is_marked(cc))
		parts = MRC_CC_BURSTS_PER_WND * planes;
	return clamp_t(u32, cc->cwnd / parts / bytes, 1, max);
}

/**
 * mrc_cc_wants_ack() - should a packet carry AckReq?
 * @cc: congestion controller
 * @inflight: nominal bytes in flight, the packet included
 * @bytes_since_ackreq: of these, sent since a packet carried AckReq, the packet
 *	included
 * @bytes_since_full: nominal bytes sent since the window was full, likewise
 *
 * That is if nothing further can be sent, or if the whole window is smaller
 * than what triggers a SACK of the peer by itself (UEC 3.6.13, AckRequest).  A
 * window that is not much larger would depend on the few packets with AckReq,
 * which may be lost where paths fail, so each part of it asks.  That is not
 * needed where the window has not limited anything for long: nothing waits for an
 * acknowledgment then, and each costs both hosts as much as a burst of data.
 *
 * Context: any, the caller serialises.
 * Return: true if so.
 */
static inline bool mrc_cc_wants_ack(const struct mrc_cc *cc, u32 inflight,
				    u32 bytes_since_ackreq,
				    u32 bytes_since_full)
{
	u32 part = cc->cwnd / MRC_CC_ACKS_PER_WND;

	return inflight + cc->cfg.mtu > cc->cwnd ||
	       cc->cwnd < cc->cfg.ack_trigger ||
	       (part < cc->cfg.ack_trigger && bytes_since_ackreq >= part &&
		bytes_since_full / MRC_CC_WNDS_FREE <= cc->cwnd);
}

#endif /* MRC_CORE_CC_H */
