/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder: which packets may be placed, what is reported back and in which
 * order messages are delivered (MRC 1.0 sections 6.3 and 7.5).
 *
 * The net layer calls mrc_rsp_accept() before it places the payload of a packet
 * and mrc_rsp_placed() after; at the end of every received burst it sends what
 * mrc_rsp_build_acks() builds and delivers what mrc_rsp_pop() returns.
 *
 * The caller serialises all calls on one responder.  Nothing here allocates,
 * sleeps or reads a clock.
 */
#ifndef MRC_CORE_RESPONDER_H
#define MRC_CORE_RESPONDER_H

#include <linux/types.h>
#include "core/rd_atomic.h"
#include "core/ack_path_health.h"
#include "core/packet.h"
#include "core/psn.h"
#include "core/rate.h"

/*
 * A SACK is due after more bytes than this.  MRC 1.0 leaves the value open; UEC
 * has 16 KiB.  Every second full burst of a software host is often enough: a
 * requester that is stalled requests acknowledgments, and with a lower value
 * they take a sixth of the processing time.
 */
#define MRC_SACK_THRESHOLD 49152
/* Half of the range of receive-queue message sequence numbers. */
#define MRC_WIMM_DEST_MAX 32768
/* Every packet counts as at least this many bytes. */
#define MRC_SACK_MIN_ADD 1024

/*
 * Limits of SACKs in response to probes, which contain no proof of their origin.
 * A requester that is stalled sends 18 probes within some round trips, and each
 * is worth up to 16 SACKs on 3 paths; the burst is enough for all of them four
 * times over, or for probes of all paths of a queue pair.  In the long run tail
 * loss probes come once per stall, those of paths assumed bad and of ACK paths
 * some thousand times a second.
 */
#define MRC_RSP_PROBE_RATE	20000
#define MRC_RSP_PROBE_BURST	4096

/*
 * Limits of acknowledgments of duplicates that are a PSN window old.  A requester
 * sends nothing below its window, of which the cumulative PSN is part: so these are
 * forged, or were delayed for long in the network.
 */
#define MRC_RSP_OLD_RATE	1000
#define MRC_RSP_OLD_BURST	64

/**
 * struct mrc_rsp_cfg - attributes of a responder, fixed when the QP is ready
 * @peer_qpn: destination QP of acknowledgments
 * @rq_psn: first PSN expected
 * @mpr: size of the bitmaps of PSNs, power of two, MRC_MPR_MIN..MRC_MPR_MAX
 * @mpr_limit: PSN window, if it is less than @mpr; 0: @mpr
 * @max_wimm: receive-WQE consuming messages in flight, at most MRC_WIMM_DEST_MAX;
 *	at least that of the peer's requester
 * @max_dest_rd_atomic: responder resources: READs and ATOMICs in flight, at
 *	most MRC_RD_ATOMIC_MAX; 0: none
 * @sack_threshold: bytes
 * @dynamic_mpr: announce the PSN window in effect (attribute DYNAMIC_MPR)
 * @svc_time: add the service time of a packet to the timestamp that is
 *	reflected (attribute SVC_TIME)
 * @no_trim_nack: send no NACKs for trimmed packets (attribute TRIM_NACK)
 */
struct mrc_rsp_cfg {
	u32 peer_qpn;
	u32 rq_psn;
	u32 mpr;
	u32 mpr_limit;
	u32 max_wimm;
	u32 max_dest_rd_atomic;
	u32 sack_threshold;
	bool dynamic_mpr;
	bool svc_time;
	bool no_trim_nack;
};

/**
 * enum mrc_rsp_verdict - what to do with a request packet
 * @MRC_RSP_NEW: place the payload, then call mrc_rsp_placed()
 * @MRC_RSP_DUP: do not place; acknowledgments are scheduled
 * @MRC_RSP_NACK: do not place; a NACK is scheduled
 * @MRC_RSP_DROP: do not place, nothing is sent for it
 */
enum mrc_rsp_verdict {
	MRC_RSP_NEW,
	MRC_RSP_DUP,
	MRC_RSP_NACK,
	MRC_RSP_DROP,
};

/**
 * struct mrc_rsp_msg - a message that consumes a receive WQE, until delivery
 * @last_psn: PSN of its last packet; valid if @complete
 * @length: message length
 * @imm: immediate data or R_Key to invalidate, in network order
 * @rqmsn: receive-queue message sequence number
 * @used: a packet of the message has arrived
 * @complete: the last packet has arrived
 * @has_imm: @imm is immediate data
 * @has_inv: @imm is an R_Key
 * @solicited: the last packet requested a solicited event
 * @is_send: SEND, otherwise WRITE with immediate
 */
struct mrc_rsp_msg {
	u32 last_psn;
	u32 length;
	__be32 imm;
	u16 rqmsn;
	bool used;
	bool complete;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool is_send;
};

/**
 * struct mrc_delivery - a message that consumed a receive WQE
 * @rqmsn: position in the receive queue (16 bits, wraps)
 * @length: bytes
 * @imm: immediate data or R_Key to invalidate, in network order
 * @last_psn: PSN of its last packet, for mrc_rsp_fail_msg()
 * @has_imm: @imm is immediate data
 * @has_inv: @imm is an R_Key; the caller invalidates it now
 * @solicited: raise a solicited event
 * @is_send: SEND, otherwise WRITE with immediate
 */
struct mrc_delivery {
	u16 rqmsn;
	u32 length;
	__be32 imm;
	u32 last_psn;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool is_send;
};

/**
 * struct mrc_rsp_stats - free-running counters of one responder
 * @rx_pkts: data packets placed
 * @rx_bytes: payload bytes placed
 * @dups: packets received again
 * @ooo: packets that arrived beyond a gap
 * @out_of_window: packets outside the PSN window
 * @ecn: packets that arrived with a CE mark
 * @sacks: SACKs built
 * @acks: transport ACKs built
 * @nacks: NACKs built
 * @rnr_naks: RNR NAKs built
 * @probes_limited: probes that got no acknowledgment for lack of credit
 * @old_limited: duplicates of which the same is true
 */
struct mrc_rsp_stats {
	u64 rx_pkts;
	u64 rx_bytes;
	u64 dups;
	u64 ooo;
	u64 out_of_window;
	u64 ecn;
	u64 sacks;
	u64 acks;
	u64 nacks;
	u64 rnr_naks;
	u64 probes_limited;
	u64 old_limited;
};

/**
 * struct mrc_rsp_trigger - the packet that triggered a SACK
 * @psn: its PSN, or the probe id of a probe
 * @ev: entropy value it arrived with
 * @at: when it arrived, ns as in mrc_rsp_clock()
 * @tx_ts: reflected transmit timestamp
 * @ts: it carried one
 * @ce: it carried an ECN mark
 * @rtx: it was a retransmission
 * @probe: it was a reliability probe
 */
struct mrc_rsp_trigger {
	u32 psn;
	u32 ev;
	u64 at;
	u16 tx_ts;
	bool ts;
	bool ce;
	bool rtx;
	bool probe;
};

/**
 * enum mrc_rsp_due - acknowledgments due at the end of the burst
 * @MRC_DUE_SACK: SACK for &struct mrc_rsp.trig
 * @MRC_DUE_ACK: transport ACK or NAK
 * @MRC_DUE_RNR: RNR NAK
 */
enum mrc_rsp_due {
	MRC_DUE_SACK = 1 << 0,
	MRC_DUE_ACK = 1 << 1,
	MRC_DUE_RNR = 1 << 2,
};

/*
 * A peer that sends this many probes without a new packet in between has not
 * received the SACKs; neither has one that retransmits a packet which had
 * arrived.  After the larger number the peer is taken to be idle, and to probe
 * for the state of its paths only.
 */
#define MRC_RSP_DUP_ROUNDS 2
#define MRC_RSP_DUP_ROUNDS_MAX 32
/* NACKs until the next mrc_rsp_build_acks(); RACK detects further losses. */
#define MRC_RSP_NACKS 16

/**
 * struct mrc_rsp - responder of one QP
 * @cfg: attributes
 * @received: bitmap of @cfg.mpr bits, index PSN & (mpr - 1), above @cack
 * @last: same shape: the packet was the last of its message
 * @msgs: ring of messages, index rqmsn & @msgs_mask
 * @msgs_mask: entries of @msgs, the power of two from @cfg.max_wimm on, less 1
 * @cack: cumulative PSN: all packets up to and including it have arrived
 * @max_rcv: highest PSN received
 * @low_unsacked: first PSN that the next SACK bitmap should describe
 * @acked_psn: highest PSN covered by a transport ACK sent
 * @sack_cnt: bytes since the last SACK
 * @ooo: packets received beyond a gap
 * @rcvd_bytes: nominal bytes received, each packet once
 * @now: ns of mrc_rsp_clock()
 * @acks_at: ns when acknowledgments were built last
 * @mpr: PSN window that is announced to the peer, at most @cfg.mpr_limit
 * @gap_ackreq: a packet beyond a gap requested an acknowledgment
 * @gap_ackreq_psn: the last such packet, valid with @gap_ackreq
 * @dup_rounds: probes since the last new packet, MRC_RSP_DUP_ROUNDS after a
 *	retransmission of a packet that had arrived; saturates
 * @msn: messages completed
 * @next_rqmsn: next message to be delivered
 * @rd_atomic: ring of READs and ATOMICs that have not been executed, index sequence
 *	number & @rd_atomic_mask; see mrc_rd_atomic_store()
 * @rd_atomic_mask: entries of @rd_atomic, mrc_rd_atomic_slots(), less 1; not used if
 *	there are none
 * @next_rd_atomic: sequence number of the next one to be executed
 * @trig: packet that triggered the next SACK
 * @probe: probe that gets SACKs of its own
 * @probe_left: such SACKs still to be sent
 * @probe_copies: number of paths on which they should be sent
 * @probe_rate: limits SACKs of probes, their copies included
 * @old_rate: limits acknowledgments of duplicates that are a PSN window old
 * @due: enum mrc_rsp_due
 * @nacks: NACKs to be sent
 * @n_nacks: their number
 * @rnr_psn: PSN of the RNR NAK
 * @rnr_timer: its timer field
 * @fail_set: a transport NAK is to be sent: @fail_syndrome at @fail_psn
 * @fail_now: it is sent at once, since the packet had been accepted
 *	(mrc_rsp_fail_msg()); otherwise when all packets before it have arrived
 * @fail_psn: PSN of the NAK
 * @fail_syndrome: AETH syndrome
 * @stats: counters
 */
struct mrc_rsp {
	struct mrc_rsp_cfg cfg;
	u64 *received;
	u64 *last;
	struct mrc_rsp_msg *msgs;
	u16 msgs_mask;
	u32 cack;
	u32 max_rcv;
	u32 low_unsacked;
	u32 acked_psn;
	u32 sack_cnt;
	u32 ooo;
	u64 rcvd_bytes;
	u64 now;
	u64 acks_at;
	u32 mpr;
	bool gap_ackreq;
	u8 dup_rounds;
	u32 gap_ackreq_psn;
	u32 msn;
	u16 next_rqmsn;
	u16 next_rd_atomic;
	u16 rd_atomic_mask;
	struct mrc_rd_atomic *rd_atomic;
	struct mrc_rsp_trigger trig;
	struct mrc_rsp_trigger probe;
	u8 probe_left;
	u8 probe_copies;
	struct mrc_rate probe_rate;
	struct mrc_rate old_rate;
	u8 due;
	u8 n_nacks;
	struct mrc_pkt_nack nacks[MRC_RSP_NACKS];
	u32 rnr_psn;
	u8 rnr_timer;
	bool fail_set;
	bool fail_now;
	u32 fail_psn;
	u8 fail_syndrome;
	struct mrc_rsp_stats stats;
};

/* Eight SACKs of 52 bytes and an ACK of 20. */
#define MRC_ACK_BATCH_MAX 440

/**
 * struct mrc_ack_batch - control packets to be sent back to back on one path
 * @seg: bytes of every packet but the last; the GSO segment size
 * @len: bytes in all; a multiple of @seg or shorter at the end
 * @n: packets
 * @data: data is arriving: the packets acknowledge some, or there is a gap
 * @health: enum mrc_ack_path_health
 * @copies: number of paths on which the packets should be sent
 * @buf: the packets, each with space for its ICRC, which the net layer computes
 */
struct mrc_ack_batch {
	u16 seg;
	u16 len;
	u8 n;
	bool data;
	u8 health;
	u8 copies;
	u8 buf[MRC_ACK_BATCH_MAX];
};

size_t mrc_rsp_mem_size(const struct mrc_rsp_cfg *cfg);
void mrc_rsp_init(struct mrc_rsp *rsp, const struct mrc_rsp_cfg *cfg,
		  void *mem);

enum mrc_rsp_verdict mrc_rsp_accept(struct mrc_rsp *rsp,
				    const struct mrc_pkt *pkt, u32 ev,
				    bool ce);
void mrc_rsp_placed(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		    bool ce);
void mrc_rsp_on_probe(struct mrc_rsp *rsp, const struct mrc_pkt *probe, u32 ev,
		      bool ce);
void mrc_rsp_nack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		  u8 reason);
void mrc_rsp_not_ready(struct mrc_rsp *rsp, const struct mrc_pkt *pkt,
		       u8 rnr_timer);
void mrc_rsp_fail_pkt(struct mrc_rsp *rsp, u32 psn, u8 syndrome);
void mrc_rsp_fail_msg(struct mrc_rsp *rsp, u32 psn, u8 syndrome);
void mrc_rsp_set_mpr(struct mrc_rsp *rsp, u32 mpr);
bool mrc_rsp_build_acks(struct mrc_rsp *rsp, struct mrc_ack_batch *batch);
bool mrc_rsp_pop(struct mrc_rsp *rsp, struct mrc_delivery *d);

/**
 * mrc_rsp_clock() - set the time
 * @rsp: responder
 * @now: ns of any monotonic clock
 *
 * Before packets are passed in: when they arrived; before mrc_rsp_build_acks():
 * the current time.  The difference is the service time.  Without this call it
 * is 0.  The rate limits of probes and of old duplicates use the time, too.
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_rsp_clock(struct mrc_rsp *rsp, u64 now)
{
	rsp->now = now;
}

/**
 * mrc_rsp_is_old() - is a packet older than any that the peer can have in flight?
 * @rsp: responder
 * @psn: of the packet
 *
 * Context: any, the caller serialises.
 * Return: true if it is a PSN window below the cumulative PSN.
 */
static inline bool mrc_rsp_is_old(const struct mrc_rsp *rsp, u32 psn)
{
	return mrc_psn_diff(rsp->cack, psn) >= (s32)rsp->cfg.mpr;
}

/**
 * mrc_rsp_failed() - has the responder stopped?
 * @rsp: responder
 *
 * Context: any, the caller serialises.
 * Return: true once all packets before the PSN of mrc_rsp_fail_pkt() have
 *	arrived, or after mrc_rsp_fail_msg(): the NAK may be sent then, and the
 *	QP is in error.
 */
static inline bool mrc_rsp_failed(const struct mrc_rsp *rsp)
{
	return rsp->fail_now ||
	       (rsp->fail_set && mrc_psn_diff(rsp->fail_psn, rsp->cack) <= 1);
}

#endif /* MRC_CORE_RESPONDER_H */
