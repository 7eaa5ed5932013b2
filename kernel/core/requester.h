/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester: turns messages into bursts of packets, records every packet
 * until it is acknowledged, retransmits lost ones and completes messages in the
 * order of posting (MRC 1.0 sections 6.2 and 7.4).
 *
 * The unit of work is the burst: up to MRC_BURST_MAX packets with consecutive
 * PSNs on one path, all but the last of the same length, which the net layer
 * sends as one GSO buffer.
 *
 * The caller serialises all calls on one requester.  Nothing here allocates,
 * sleeps or reads a clock.
 */
#ifndef MRC_CORE_REQUESTER_H
#define MRC_CORE_REQUESTER_H

#include <linux/types.h>
#include "core/rd_atomic.h"
#include "core/cc.h"
#include "core/ev.h"
#include "core/txq_fence.h"
#include "core/packet.h"
#include "core/probe.h"
#include "core/psn.h"
#include "core/refusal.h"

/* PSN window if the peer announces none: minimum of MRC 1.0, 8 x 128. */
#define MRC_MPR_DEFAULT 1024
/* 64 MiB in packets of 4 KiB: 25 ms at 20 Gb/s, 1 ms at 500 Gb/s. */
#define MRC_MPR_MAX 16384
/* Bitmaps of the window are made of 64-bit words. */
#define MRC_MPR_MIN 64
/* Messages in flight that consume a receive WQE (API example value). */
#define MRC_MAX_WIMM 128
/*
 * Reordering windows of software hosts, ns.  Packets that one CPU has queued
 * wait until it processes its softirqs, which takes a virtual CPU tens of
 * milliseconds; packets of another CPU overtake them meanwhile.
 */
#define MRC_REO_WND_PATH_HOST 16000000U
#define MRC_REO_WND_ANY_HOST 32000000U
/* Observed reordering is halved after so many ns without a larger value. */
#define MRC_REO_HALF_LIFE_NS 250000000ULL
/* Retries, as the control API counts them (MRC 1.0 7.4.1). */
#define MRC_TIMEOUT_NS(code) (1024ULL << (code))
#define MRC_TIMEOUT_MAX 24
#define MRC_LINEAR_MAX 7
#define MRC_EXP_MAX 25
#define MRC_EXP_FOREVER MRC_EXP_MAX
/* Most packets of a burst; the profile may limit it further. */
#define MRC_BURST_MAX 16
#define MRC_BURST_DEFAULT 16

/*
 * How a message, or a whole requester, ended.  The verbs layer maps these to
 * ib_wc_status.
 */
enum mrc_status {
	MRC_OK,
	MRC_ERR_LOC_LEN,	/* message longer than allowed */
	MRC_ERR_LOC_PROT,	/* local key or bounds */
	MRC_ERR_LOC_QP_OP,	/* malformed or unsupported work request */
	MRC_ERR_LOC_BIND,	/* memory window or region cannot be changed */
	MRC_ERR_RETRY_EXC,	/* no acknowledgment on any path */
	MRC_ERR_RNR_RETRY_EXC,	/* responder never ready */
	MRC_ERR_REM_INV_REQ,	/* transport NAK: invalid request */
	MRC_ERR_REM_ACCESS,	/* transport NAK: remote access */
	MRC_ERR_REM_OP,		/* transport NAK or UNEXP_EVENT: operation */
	MRC_ERR_FLUSH,		/* the QP left RTS before the message ended */
};

/**
 * struct mrc_req_cfg - attributes of a requester
 * @dest_qpn: peer's QP
 * @sq_psn: first PSN
 * @rq_psn: first PSN of the other direction
 * @pmtu: payload bytes of a full packet
 * @mpr: PSN window, power of two, MRC_MPR_MIN..MRC_MPR_MAX
 * @mpr_limit: PSN window that is not exceeded, if it is less than @mpr; 0: @mpr
 * @max_msgs: message slots, power of two, at most 2^16
 * @max_wimm: messages in flight that consume a receive WQE
 * @max_rd_atomic: READs and ATOMICs in flight, at most MRC_RD_ATOMIC_MAX and
 *	the peer's responder resources; with 0 none may be posted
 * @max_responses: message slots that requests leave to responses: READs and ATOMICs that
 *	the peer may have in flight, at most MRC_RD_ATOMIC_MAX and less than @max_msgs
 * @burst: most packets of a burst, 1..MRC_BURST_MAX
 * @timeout_ns: local ACK timeout T; 0: none, a lost tail is not retransmitted
 * @linear_cnt: retransmission timeouts that come after T each,
 *	0..MRC_LINEAR_MAX
 * @exp_cnt: further ones, each after twice the time of the one before,
 *	0..MRC_EXP_MAX; then follows MRC_ERR_RETRY_EXC, but with MRC_EXP_FOREVER
 *	never
 * @nack_retry: retransmissions that NACKs cause are retries, too
 * @rnr_retry: RNR NAKs in a row before MRC_ERR_RNR_RETRY_EXC; 7: no limit
 * @reo_wnd_path: least reordering window, ns, of packets of one path, such as
 *	MRC_REO_WND_PATH_HOST; 0: paths keep the order of their packets
 * @reo_wnd_any: least reordering window, ns, of packets of different paths,
 *	such as MRC_REO_WND_ANY_HOST; 0: it follows from the round trips alone
 * @ts: put TSETH into every data packet
 * @dynamic_mpr: the peer announces its PSN window (attribute DYNAMIC_MPR); until it
 *	does, no more than MRC_MPR_DEFAULT is used
 * @svc_time: the peer adds its service time to the timestamp that it reflects
 *	(attribute SVC_TIME)
 *
 * mrc_req_check() checks the ranges, mrc_req_change() changes some of them
 * while packets are in flight.
 */
struct mrc_req_cfg {
	u32 dest_qpn;
	u32 sq_psn;
	u32 rq_psn;
	u32 pmtu;
	u32 mpr;
	u32 mpr_limit;
	u32 max_msgs;
	u32 max_wimm;
	u32 max_rd_atomic;
	u32 max_responses;
	u32 burst;
	u64 timeout_ns;
	u32 reo_wnd_path;
	u32 reo_wnd_any;
	u8 linear_cnt;
	u8 exp_cnt;
	u8 rnr_retry;
	bool nack_retry;
	bool ts;
	bool dynamic_mpr;
	bool svc_time;
};

enum mrc_msg_flags {
	MRC_MSG_SEND = 1 << 0,		/* SEND; without an operation: WRITE */
	MRC_MSG_IMM = 1 << 1,
	MRC_MSG_SOLICITED = 1 << 2,
	MRC_MSG_FENCE = 1 << 3,		/* after earlier READs and ATOMICs */
	MRC_MSG_READ = 1 << 4,		/* READ request or response */
	MRC_MSG_ATOMIC = 1 << 5,	/* ATOMIC request or response: .. */
	MRC_MSG_CMP_SWAP = 1 << 6,	/* .. CmpSwap, otherwise FetchAdd */
	MRC_MSG_RESPONSE = 1 << 7,	/* response to a request of the peer */
	MRC_MSG_INV = 1 << 8,		/* SEND with an R_Key to invalidate */
};

/**
 * struct mrc_msg_desc - a message as the net layer posts it
 * @length: bytes, up to 2^31; of an ATOMIC 8
 * @raddr: remote address (WRITE, READ, ATOMIC); of a READ response: own address
 * @rkey: key that goes with it
 * @imm: immediate data or, with MRC_MSG_INV, R_Key to invalidate, in network
 *	order
 * @psn: of a response: PSN of the request
 * @cookie: returned with every reference to the message
 * @flags: enum mrc_msg_flags
 * @status: MRC_OK, or the error with which the message ends, without a packet,
 *	when all messages before it have completed
 * @rda_sn: of a response: sequence number of the request
 * @swap: of an ATOMIC: operand to be stored or added
 * @orig: of its response: value before the operation
 * @compare: of CmpSwap: operand of the comparison
 */
struct mrc_msg_desc {
	u32 length;
	u32 rkey;
	u64 raddr;
	union {
		__be32 imm;
		u32 psn;
	};
	u32 cookie;
	u16 flags;
	u16 rda_sn;
	u8 status;
	union {
		u64 swap;
		u64 orig;
	};
	u64 compare;
};

/**
 * struct mrc_msg - a message between post and completion
 * @d: description given to mrc_req_post()
 * @first_psn: PSN of its first packet
 * @npkts: packets
 * @msn: message sequence number
 * @rqmsn: receive-queue message sequence number, or sequence number of a READ
 *	or ATOMIC request
 * @response_done: the response to this READ or ATOMIC is complete
 */
struct mrc_msg {
	struct mrc_msg_desc d;
	u32 first_psn;
	u32 npkts;
	u16 msn;
	u16 rqmsn;
	bool response_done;
};

enum mrc_tx_pkt_flags {
	MRC_TXP_SAMPLED = 1 << 0,	/* has given a round trip sample */
	MRC_TXP_DEEMED_LOST = 1 << 1,	/* RACK or the RTO deemed it lost */
	MRC_TXP_OVERTAKEN = 1 << 2,	/* a later packet has overtaken it */
	MRC_TXP_REPORTED = 1 << 3,	/* an earlier copy has been reported */
	MRC_TXP_RNR_OLDER = 1 << 4,	/* an RNR NAK was taken for that of an earlier copy */
	MRC_TXP_PROBED = 1 << 5,	/* the latest copy is part of a tail loss probe */
	MRC_TXP_FIRST = 1 << 6,		/* first of a burst; no copy of it has been sent */
};

/**
 * struct mrc_tx_pkt - record of a packet in flight
 * @sent: ns of the latest transmission
 * @msg: index of its message (free-running, low 16 bits)
 * @path: index of the EV of the latest transmission
 * @nominal: nominal bytes: UDP payload and MRC_CC_NOMINAL_OVERHEAD
 * @tx_cnt: transmissions, saturating
 * @flags: enum mrc_tx_pkt_flags
 */
struct mrc_tx_pkt {
	u64 sent;
	u16 msg;
	u16 path;
	u16 nominal;
	u8 tx_cnt;
	u8 flags;
};

/**
 * enum mrc_loss - why a packet is deemed lost
 * @MRC_LOSS_RACK_PATH: a packet sent later on its path has been delivered
 * @MRC_LOSS_RACK_ANY: packets sent much later on other paths have been
 *	delivered
 * @MRC_LOSS_RTO: the retransmission timeout expired
 * @MRC_LOSS_NACK: the responder sent a NACK
 */
enum mrc_loss {
	MRC_LOSS_RACK_PATH,
	MRC_LOSS_RACK_ANY,
	MRC_LOSS_RTO,
	MRC_LOSS_NACK,
};

/**
 * struct mrc_req_stats - free-running counters of one requester
 * @tx_pkts: data packets sent, with retransmissions
 * @tx_bytes: payload bytes sent, with retransmissions
 * @rtx_pkts: data packets retransmitted
 * @rtx_bytes: payload bytes retransmitted
 * @rack_loss_path: losses detected from a later packet of the same path
 * @rack_loss_any: losses detected from later packets of other paths
 * @spurious: packets sent again whose earlier copy has been delivered all the same
 * @timeouts: retransmission timeouts
 * @sacks: SACKs processed
 * @stale: SACKs, NACKs and Acknowledges of PSNs that have never been sent
 * @old: SACKs and NACKs ignored because they are a PSN window behind; NAKs and RNR
 *	NAKs of packets that have been acknowledged or take no receive WQE
 * @nacks: NACKs processed
 * @rnr_naks: RNR NAKs processed
 * @probes: reliability probes sent
 * @stalls_mpr: bursts not sent because of the PSN window
 * @stalls_cwnd: bursts not sent because of the congestion window
 * @stalls_path: bursts not sent because no path was usable
 */
struct mrc_req_stats {
	u64 tx_pkts;
	u64 tx_bytes;
	u64 rtx_pkts;
	u64 rtx_bytes;
	u64 rack_loss_path;
	u64 rack_loss_any;
	u64 spurious;
	u64 timeouts;
	u64 sacks;
	u64 stale;
	u64 old;
	u64 nacks;
	u64 rnr_naks;
	u64 probes;
	u64 stalls_mpr;
	u64 stalls_cwnd;
	u64 stalls_path;
};

/**
 * struct mrc_req_rtt - round trip times over all paths (RFC 6298)
 * @srtt: smoothed round trip, ns; 0: no sample yet
 * @rttvar: its mean deviation, ns
 * @min: shortest round trip seen, ns; 0: no sample yet
 * @longest: longest round trip of the current and the previous period, ns
 * @longest_newer: longest one of the current period, ns
 * @bound: time within which an acknowledgment arrives on any path, ns; U32_MAX: not
 *	known
 * @copy_age: age, in ns, at which a packet is sent again with a tail loss probe; 0: that
 *	is not worth waiting for
 * @n: samples in the current period
 * @all_paths: a period has passed, so that each path, also those of the peer, has most
 *	likely been part of a sample
 */
struct mrc_req_rtt {
	u32 srtt;
	u32 rttvar;
	u32 min;
	u32 longest;
	u32 longest_newer;
	u32 bound;
	u32 copy_age;
	u32 n;
	bool all_paths;
};

/**
 * struct mrc_req_rack - loss detection and its reordering window (RFC 8985)
 * @candidate: bitmap over the ring of packets: a SACK misses the packet and a
 *	rule says that it is lost
 * @all_next: ns before which packets that trigger SACKs must have been sent for
 *	these not to be compared with the whole window
 * @overtaken_by: ns when the latest packet was sent that has overtaken another
 * @reo_observed: ns by which packets have been seen to overtake each other
 * @reo_observed_at: ns when @reo_observed last grew or was halved
 * @reo_wnd_shift_at: ns when @reo_wnd_shift last changed
 * @reo_wnd_shift: exponent by which spurious retransmissions widen the window
 * @pending: there are bits in @candidate
 */
struct mrc_req_rack {
	u64 *candidate;
	u64 all_next;
	u64 overtaken_by;
	u64 reo_observed;
	u64 reo_observed_at;
	u64 reo_wnd_shift_at;
	u8 reo_wnd_shift;
	bool pending;
};

/**
 * struct mrc_req_tlp - tail loss probes (MRC 1.0 7.4.6, RFC 8985 section 7)
 * @at: ns of the next one; 0: not armed
 * @first_at: ns of the first one since the last acknowledgment
 * @psn: oldest outstanding PSN when the last one was sent
 * @second_path: path of a probe that a second one on another plane follows at
 *	once; -1: none does
 * @rounds: rounds of probes since the last acknowledgment
 * @copy: a data packet is to follow the probe
 * @judge: it is not known whether the latest such packet had been lost before
 * @copy_psn: PSN of the packet that is to be sent, with @copy
 * @copied_psn: PSN of the one that is to be judged, with @judge
 * @copied_path: path on which that had been sent before, with @judge
 * @copied_sent: ns when it had been, with @judge
 */
struct mrc_req_tlp {
	u64 at;
	u64 first_at;
	u32 psn;
	s16 second_path;
	u8 rounds;
	bool copy;
	bool judge;
	u32 copy_psn;
	u32 copied_psn;
	u16 copied_path;
	u64 copied_sent;
};

/**
 * struct mrc_req_rto - the retransmission timer (MRC 1.0 7.4.1)
 * @at: ns when it expires; 0: not armed
 * @nack_at: ns when a NACK last counted as a retry
 * @retries: retries since the window last moved
 * @timer_late_cnt: times it was put off because this host was late
 */
struct mrc_req_rto {
	u64 at;
	u64 nack_at;
	u8 retries;
	u8 timer_late_cnt;
};

/**
 * struct mrc_req_rd_atomic - READ and ATOMIC requests of a requester
 * @posted: sequence number of the next one to be posted
 * @next: of the next one to be sent
 * @una: of the oldest one whose response is not complete
 * @rsp_pkts: packets of the responses to all posted ones from @una on
 * @msg: index of the message, by sequence number modulo MRC_RD_ATOMIC_MAX, of
 *	those between @una and @next
 */
struct mrc_req_rd_atomic {
	u16 posted;
	u16 next;
	u16 una;
	u32 rsp_pkts;
	u32 msg[MRC_RD_ATOMIC_MAX];
};

/**
 * struct mrc_req_pace - pacing of new packets
 * @at: ns when as much as has been sent should have left
 * @until: ns until when no new packets are sent; 0: they may be
 * @more: since the latest new packets nothing but their pace has kept others back
 */
struct mrc_req_pace {
	u64 at;
	u64 until;
	bool more;
};

/**
 * struct mrc_req_backoff - pause that the responder has demanded
 * @until: ns before which nothing is sent; 0: there is none
 * @rnr: it follows from an RNR NAK, otherwise from a NACK for lack of resources
 * @rnr_retries: RNR NAKs since the window last moved
 */
struct mrc_req_backoff {
	u64 until;
	bool rnr;
	u8 rnr_retries;
};

/**
 * struct mrc_req - requester of one QP
 * @cfg: attributes
 * @evs: paths; owned by the caller, shared with the net layer
 * @cc: congestion control
 * @pkts: ring of @cfg.mpr records, index PSN & (mpr - 1)
 * @acked: bitmap over the same ring: delivered or no longer needed, at or above
 *	@una
 * @lost: bitmap over the same ring: to be retransmitted
 * @msgs: ring of @cfg.max_msgs messages
 * @msg_head: next message slot to be filled
 * @msg_send: message that supplies the next new packet; none if it is to end
 *	with an error
 * @msg_pkt: that packet's position in the message
 * @msg_acked: oldest message not wholly covered by transport ACKs
 * @msg_tail: oldest message not popped
 * @una: oldest PSN not cumulatively SACKed
 * @nxt: next new PSN to be sent
 * @end: PSN after the last packet of the last posted message
 * @ack_psn: PSN after the last one covered by a transport ACK
 * @max_sacked: highest PSN known to be delivered
 * @mpr: current PSN window of the peer, at most that of @cfg
 * @n_acked: bits set in @acked
 * @n_lost: bits set in @lost
 * @inflight: nominal bytes sent, neither acknowledged nor lost
 * @rcvd: bytes that the peer has counted, in the units of its SACKs
 * @rcvd_unsacked: nominal bytes that the peer has counted and not acknowledged
 *	packet by packet yet; negative: acknowledged but not counted yet
 * @rcvd_unreported: bytes that the peer has counted in SACKs which are not known
 *	to come from it; congestion control gets them with the next one that is
 * @wimm: messages in flight that consume a receive WQE
 * @rq_open: such messages posted and not completed
 * @msn: next message sequence number
 * @rqmsn: next receive-queue message sequence number
 * @last_sent: ns when the latest burst left
 * @bytes_since_ackreq: nominal bytes sent since a packet carried AckReq
 * @bytes_since_full: nominal bytes sent since the congestion window was full, or
 *	since the beginning
 * @cwnd_full: the congestion window was full; it opens for a batch
 * @ack_rtx: retransmit the newest packet to get its transport ACK once more
 * @status: MRC_OK, or why the requester stopped
 * @err_msg: message index that @status belongs to
 * @rtt: round trip times
 * @rack: loss detection
 * @tlp: tail loss probes
 * @rto: retransmission timer
 * @rda: READ and ATOMIC requests
 * @backoff: pause that the responder has demanded
 * @pace: pause between packets on long round trips
 * @txq_fences: local transmit queue fences; the caller chooses which to post
 * @cc_ack: report of the latest SACK to congestion control
 * @on_loss: called when packet @psn, described by @rec, is deemed lost, before
 *	its path gets a penalty; may be NULL, as after mrc_req_init().  Must not
 *	call back into the requester
 * @stats: counters
 */
struct mrc_req {
	struct mrc_req_cfg cfg;
	struct mrc_ev_set *evs;
	struct mrc_cc cc;
	struct mrc_tx_pkt *pkts;
	u64 *acked;
	u64 *lost;
	struct mrc_msg *msgs;
	u32 msg_head;
	u32 msg_send;
	u32 msg_pkt;
	u32 msg_acked;
	u32 msg_tail;
	u32 una;
	u32 nxt;
	u32 end;
	u32 ack_psn;
	u32 max_sacked;
	u32 mpr;
	u32 n_acked;
	u32 n_lost;
	u32 inflight;
	u32 rcvd;
	s32 rcvd_unsacked;
	u32 rcvd_unreported;
	u32 wimm;
	u32 rq_open;
	u16 msn;
	u16 rqmsn;
	u64 last_sent;
	u32 bytes_since_ackreq;
	u32 bytes_since_full;
	bool cwnd_full;
	bool ack_rtx;
	u8 status;
	u32 err_msg;
	struct mrc_req_rtt rtt;
	struct mrc_req_rack rack;
	struct mrc_req_tlp tlp;
	struct mrc_req_rto rto;
	struct mrc_req_rd_atomic rda;
	struct mrc_req_backoff backoff;
	struct mrc_req_pace pace;
	struct mrc_txq_fence txq_fences[MRC_TXQ_FENCES];
	struct mrc_cc_ack cc_ack;
	void (*on_loss)(struct mrc_req *req, u32 psn,
			const struct mrc_tx_pkt *rec, enum mrc_loss why,
			u64 now);
	struct mrc_req_stats stats;
};

/**
 * struct mrc_burst - packets that leave together on one path
 * @psn: first PSN
 * @n: packets, 1..MRC_BURST_MAX
 * @path: index of the EV
 * @ev: its value
 * @plane: its plane
 * @rtx: all packets are retransmissions
 * @ackreq: the last packet carries AckReq
 */
struct mrc_burst {
	u32 psn;
	u8 n;
	u8 plane;
	bool rtx;
	bool ackreq;
	u16 path;
	u32 ev;
};

/**
 * struct mrc_burst_pkt - one packet of a burst, ready to be encoded
 * @hdr: header fields
 * @msg: description of the message
 * @cookie: message the payload belongs to
 * @offset: of the payload within the message
 */
struct mrc_burst_pkt {
	struct mrc_pkt_data hdr;
	const struct mrc_msg_desc *msg;
	u32 cookie;
	u32 offset;
};

/**
 * struct mrc_done - a message that ended
 * @cookie: from its descriptor
 * @status: enum mrc_status
 */
struct mrc_done {
	u32 cookie;
	u8 status;
};

/**
 * mrc_msg_uses_rq() - does a message consume a receive WQE of the peer?
 * @m: message
 *
 * Return: true if so.
 */
static inline bool mrc_msg_uses_rq(const struct mrc_msg *m)
{
	return m->d.flags & (MRC_MSG_SEND | MRC_MSG_IMM);
}

/**
 * mrc_msg_is_rd_atomic() - is a message a READ or ATOMIC request?
 * @m: message
 *
 * Return: true if so; false of a response.
 */
static inline bool mrc_msg_is_rd_atomic(const struct mrc_msg *m)
{
	return m->d.flags & (MRC_MSG_READ | MRC_MSG_ATOMIC) &&
	       !(m->d.flags & MRC_MSG_RESPONSE);
}

/**
 * mrc_msg_is_bare() - has a message one packet without payload?
 * @m: message
 *
 * Return: true of READ and ATOMIC requests and of ATOMIC responses.
 */
static inline bool mrc_msg_is_bare(const struct mrc_msg *m)
{
	return m->d.flags & MRC_MSG_ATOMIC || mrc_msg_is_rd_atomic(m);
}

/**
 * mrc_req_rd_atomic_open() - is a posted READ or ATOMIC incomplete?
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: true if a response is incomplete, whether the request has been sent
 *	or not.
 */
static inline bool mrc_req_rd_atomic_open(const struct mrc_req *req)
{
	return req->rda.una != req->rda.posted;
}

/**
 * mrc_req_unsent - packets that have been posted and not been sent
 * @req: requester
 *
 * Return: their number, less than 2^24.
 */
static inline u32 mrc_req_unsent(const struct mrc_req *req)
{
	return (req->end - req->nxt) & MRC_PSN_MASK;
}

/**
 * mrc_req_is_idle - has all that was posted been sent and acknowledged?
 * @req: requester
 *
 * Then no acknowledgment permits to send anything.  Probes are sent when the
 * deadline of the requester has come, whether it is idle or not.
 *
 * Context: any, the caller serialises.
 * Return: true if there is nothing to send before the next message is posted.
 */
static inline bool mrc_req_is_idle(const struct mrc_req *req)
{
	return req->una == req->end && !req->ack_rtx;
}

int mrc_req_check(const struct mrc_req_cfg *cfg, struct mrc_refusal *why);
size_t mrc_req_mem_size(const struct mrc_req_cfg *cfg);
void mrc_req_init(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		  struct mrc_ev_set *evs, const struct mrc_cc_ops *cc_ops,
		  const struct mrc_cc_cfg *cc_cfg, void *mem);

void mrc_req_change(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		    const struct mrc_cc_ops *cc_ops,
		    const struct mrc_cc_cfg *cc_cfg, u64 now);

void mrc_req_set_sq_psn(struct mrc_req *req, u32 psn);
void mrc_req_allow_requests(struct mrc_req *req, const struct mrc_req_cfg *cfg);

/* Messages: post and completion. */
u32 mrc_req_free_slots(const struct mrc_req *req);
bool mrc_req_can_post(const struct mrc_req *req, const struct mrc_msg_desc *d);
void mrc_req_post(struct mrc_req *req, const struct mrc_msg_desc *d);
bool mrc_req_pop(struct mrc_req *req, struct mrc_done *done);
void mrc_req_flush(struct mrc_req *req);
void mrc_req_abort(struct mrc_req *req, u32 cookie, enum mrc_status status);

/* Transmission. */
bool mrc_req_next_burst(struct mrc_req *req, u64 now, struct mrc_burst *b);
void mrc_req_burst_pkt(const struct mrc_req *req, const struct mrc_burst *b,
		       u8 i, u64 now, struct mrc_burst_pkt *out);
void mrc_req_burst_next(const struct mrc_req *req, const struct mrc_burst *b,
			u8 i, u64 now, struct mrc_burst_pkt *out);
bool mrc_req_next_probe(struct mrc_req *req, u64 now, struct mrc_probe *probe);

/* Reception of acknowledgments and responses. */
void mrc_req_on_sack(struct mrc_req *req, const struct mrc_pkt *sack, u64 now);
void mrc_req_on_nack(struct mrc_req *req, const struct mrc_pkt *nack, u64 now);
void mrc_req_on_ack(struct mrc_req *req, const struct mrc_pkt *ack, u64 now);
void mrc_req_on_response(struct mrc_req *req, u16 sn, u64 now);

/* Time. */
u64 mrc_req_deadline(const struct mrc_req *req);
u64 mrc_req_tail_at(const struct mrc_req *req);
u64 mrc_req_loss_delay(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       enum mrc_loss why);
void mrc_req_on_timer(struct mrc_req *req, u64 now);
void mrc_req_timer_late(struct mrc_req *req, u64 late, u64 now);

#endif /* MRC_CORE_REQUESTER_H */
