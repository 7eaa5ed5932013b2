/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester: turns messages into bursts of packets, remembers every packet
 * until it is acknowledged, repairs losses and completes messages in post
 * order (MRC 1.0 sections 6.2 and 7.4).
 *
 * The unit of work is the burst: up to N packets with consecutive PSNs on one
 * path, every packet but the last of the same length, which the shell hands to
 * the network as one GSO buffer.
 *
 * The owner serialises all calls on one requester.  Nothing here allocates,
 * sleeps or reads a clock.
 */
#ifndef MRC_CORE_REQUESTER_H
#define MRC_CORE_REQUESTER_H

#include <linux/types.h>
#include "core/ask.h"
#include "core/cc.h"
#include "core/ev.h"
#include "core/hold.h"
#include "core/packet.h"
#include "core/probe.h"
#include "core/psn.h"
#include "core/refusal.h"

/* PSN window when the peer announces nothing: spec minimum, 8 x 128. */
#define MRC_MPR_DEFAULT 1024
#define MRC_MPR_MAX 4096
/* Bitmaps of the window are made of 64-bit words. */
#define MRC_MPR_MIN 64
/* Messages in flight that consume a receive WQE (API example value). */
#define MRC_MAX_WIMM 128
/*
 * Room for reordering on software hosts.  They hold packets back: what one CPU
 * has queued waits until it gets its turn, and for a virtual one that takes tens
 * of milliseconds, while another overtakes it.
 */
#define MRC_REO_PATH_HOST 16000000U
#define MRC_REO_TIME_HOST 32000000U
/* Without anything worse for so long lateness is halved: stalls come alone or often. */
#define MRC_LATE_FADE_NS 250000000ULL
/* Retries, as the control API counts them (MRC 1.0 7.4.1). */
#define MRC_TIMEOUT_NS(code) (1024ULL << (code))
#define MRC_TIMEOUT_MAX 24
#define MRC_LINEAR_MAX 7
#define MRC_EXP_MAX 25
#define MRC_EXP_FOREVER MRC_EXP_MAX
/* Most packets of a burst; the profile may ask for less. */
#define MRC_BURST_MAX 16
#define MRC_BURST_DEFAULT 16

/*
 * How a message, or a whole requester, ended.  The shell maps these to
 * ib_wc_status.
 */
enum mrc_status {
	MRC_OK,
	MRC_ERR_LOC_LEN,	/* message longer than allowed */
	MRC_ERR_LOC_PROT,	/* local key or bounds */
	MRC_ERR_LOC_QP_OP,	/* malformed or unsupported work request */
	MRC_ERR_LOC_BIND,	/* memory window or region cannot be changed */
	MRC_ERR_RETRY_EXC,	/* no answer on any path */
	MRC_ERR_RNR_RETRY_EXC,	/* receiver never ready */
	MRC_ERR_REM_INV_REQ,	/* transport NAK: invalid request */
	MRC_ERR_REM_ACCESS,	/* transport NAK: remote access */
	MRC_ERR_REM_OP,		/* transport NAK or UNEXP_EVENT: operation */
	MRC_ERR_FLUSH,		/* the QP left RTS before the message ended */
};

/**
 * struct mrc_req_cfg - attributes of a requester; mrc_req_check() knows their
 *	ranges, mrc_req_change() which of them may change
 * @dest_qpn: peer's QP
 * @sq_psn: first PSN
 * @rq_psn: first PSN of the other direction
 * @pmtu: payload bytes of a full packet
 * @mpr: PSN window, power of two, MRC_MPR_MIN..MRC_MPR_MAX
 * @max_msgs: message slots, power of two, at most 2^16
 * @max_wimm: messages in flight that consume a receive WQE
 * @max_asks: READs and ATOMICs in flight, at most MRC_ASK_MAX and what the peer
 *	allows; with 0 none may be posted
 * @burst: most packets of a burst, 1..MRC_BURST_MAX
 * @timeout_ns: local ACK timeout T; 0: none (a lost tail is never resent)
 * @linear_cnt: retransmission timeouts that come after T each,
 *	0..MRC_LINEAR_MAX
 * @exp_cnt: further ones, each after twice the time of the one before,
 *	0..MRC_EXP_MAX; then follows MRC_ERR_RETRY_EXC, but with MRC_EXP_FOREVER
 *	never
 * @rnr_retry: RNR NAKs in a row before MRC_ERR_RNR_RETRY_EXC; 7: no limit
 * @reo_path: ns by which packets of one path may always overtake each other,
 *	such as MRC_REO_PATH_HOST; 0: paths keep the order of their packets
 * @reo_time: ns by which packets of different paths may, such as
 *	MRC_REO_TIME_HOST; 0: only by what round trips tell
 * @ts: put TSETH into every data packet
 * @dynamic_mpr: the peer may change its PSN window; as agreed on
 * @svc_time: the peer adds the time it kept a packet to the timestamp that it
 *	reflects; as agreed on
 */
struct mrc_req_cfg {
	u32 dest_qpn;
	u32 sq_psn;
	u32 rq_psn;
	u32 pmtu;
	u32 mpr;
	u32 max_msgs;
	u32 max_wimm;
	u32 max_asks;
	u32 burst;
	u64 timeout_ns;
	u32 reo_path;
	u32 reo_time;
	u8 linear_cnt;
	u8 exp_cnt;
	u8 rnr_retry;
	bool ts;
	bool dynamic_mpr;
	bool svc_time;
};

enum mrc_msg_flags {
	MRC_MSG_SEND = 1 << 0,		/* SEND; without an operation: WRITE */
	MRC_MSG_IMM = 1 << 1,
	MRC_MSG_SOLICITED = 1 << 2,
	MRC_MSG_FENCE = 1 << 3,		/* after all READs and ATOMICs before */
	MRC_MSG_READ = 1 << 4,		/* READ request or, as result, response */
	MRC_MSG_ATOMIC = 1 << 5,	/* FetchAdd request or, as result, its .. */
	MRC_MSG_CMP_SWAP = 1 << 6,	/* .. answer; this too: CmpSwap */
	MRC_MSG_RESULT = 1 << 7,	/* answer to a request of the peer */
	MRC_MSG_INV = 1 << 8,		/* SEND with an R_Key to invalidate */
};

/**
 * struct mrc_msg_desc - a message as the shell posts it
 * @length: bytes, up to 2^31; of an ATOMIC 8
 * @raddr: remote address (WRITE, READ, ATOMIC); of a READ's result: own address
 * @rkey: key that goes with it
 * @imm: immediate data or, with MRC_MSG_INV, R_Key to invalidate, in network order
 * @psn: of a result: of the packet that asked for it
 * @cookie: returned with every reference to the message
 * @flags: enum mrc_msg_flags
 * @status: MRC_OK, or the error with which the message ends, without a packet,
 *	when all messages before it have completed
 * @ask: of a result: number of the request
 * @swap: of an ATOMIC: what to store or to add
 * @orig: of its result: value before the operation
 * @compare: of CmpSwap: what to compare with
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
	u16 ask;
	u8 status;
	union {
		u64 swap;
		u64 orig;
	};
	u64 compare;
};

/**
 * struct mrc_msg - a message between post and completion
 * @d: what was posted
 * @first_psn: PSN of its first packet
 * @npkts: packets
 * @msn: message sequence number
 * @rqmsn: receive-queue message sequence number, or number of the request
 * @answered: the result that it asks for is complete
 */
struct mrc_msg {
	struct mrc_msg_desc d;
	u32 first_psn;
	u32 npkts;
	u16 msn;
	u16 rqmsn;
	bool answered;
};

enum mrc_tx_pkt_flags {
	MRC_TXP_SAMPLED = 1 << 0,	/* has given a round trip sample */
	MRC_TXP_INFERRED = 1 << 1,	/* an inference took it for lost */
	MRC_TXP_LATE = 1 << 2,		/* a later packet has overtaken it */
};

/**
 * struct mrc_tx_pkt - what is remembered of a packet in flight
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
 * enum mrc_loss - why a packet is taken for lost
 * @MRC_LOSS_PATH: a later packet of its path has been answered
 * @MRC_LOSS_TIME: much later packets of other paths have been answered
 * @MRC_LOSS_TIMEOUT: nothing has been answered for long
 * @MRC_LOSS_NACK: the responder refused it
 */
enum mrc_loss {
	MRC_LOSS_PATH,
	MRC_LOSS_TIME,
	MRC_LOSS_TIMEOUT,
	MRC_LOSS_NACK,
};

/**
 * struct mrc_req_stats - free-running counters of one requester
 * @tx_pkts: data packets sent, with retransmissions
 * @tx_bytes: payload bytes sent, with retransmissions
 * @rtx_pkts: data packets retransmitted
 * @rtx_bytes: payload bytes retransmitted
 * @loss_path: losses inferred from a later packet of the same path
 * @loss_time: losses inferred from later packets of other paths
 * @spurious: losses inferred although the packet was only late
 * @timeouts: retransmission timeouts
 * @sacks: SACKs processed
 * @stale: SACKs, NACKs and Acknowledges that named PSNs never sent
 * @nacks: NACKs processed
 * @rnr_naks: RNR NAKs processed
 * @probes: reliability probes sent
 * @stalls_mpr: bursts held back by the PSN window
 * @stalls_cwnd: bursts held back by the congestion window
 * @stalls_path: bursts held back because no path was usable
 */
struct mrc_req_stats {
	u64 tx_pkts;
	u64 tx_bytes;
	u64 rtx_pkts;
	u64 rtx_bytes;
	u64 loss_path;
	u64 loss_time;
	u64 spurious;
	u64 timeouts;
	u64 sacks;
	u64 stale;
	u64 nacks;
	u64 rnr_naks;
	u64 probes;
	u64 stalls_mpr;
	u64 stalls_cwnd;
	u64 stalls_path;
};

/**
 * struct mrc_req - requester of one QP
 * @cfg: attributes
 * @evs: paths; owned by the caller, shared with the shell
 * @cc: congestion control
 * @pkts: ring of @cfg.mpr records, index PSN & (mpr - 1)
 * @acked: bitmap over the same ring: delivered or of no interest, at or above
 *	@una
 * @lost: bitmap over the same ring: to be retransmitted
 * @suspect: bitmap over the same ring: some answer says that it has not
 *	arrived although it should have
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
 * @mpr: current window of the peer, at most that of @cfg
 * @n_acked: bits set in @acked
 * @n_lost: bits set in @lost
 * @inflight: nominal bytes sent, neither answered nor given up
 * @rcvd: bytes that the peer has counted, as in its SACKs
 * @unnamed: nominal bytes counted that no answer has named; negative: named
 *	that no SACK has counted
 * @wimm: messages in flight that consume a receive WQE
 * @rq_open: such messages posted and not completed
 * @msn: next message sequence number
 * @rqmsn: next receive-queue message sequence number
 * @ask_n: number of the next READ or ATOMIC to be posted
 * @ask_next: of the next one to be sent
 * @ask_una: of the oldest one whose result is not complete
 * @ask_pkts: packets of the results from that on, of all that were posted
 * @ask_msg: index of the message, by number of the request, of those between
 *	@ask_una and @ask_next
 * @srtt: smoothed round trip over all paths, ns; 0: no sample yet
 * @rttvar: its mean deviation, ns
 * @min_rtt: shortest round trip seen, ns; 0: no sample yet
 * @missed_as_of: ns; packets sent before that have been overtaken by one sent
 *	then
 * @last_sent: ns when the latest burst left
 * @reo_seen: ns by which packets have been seen to overtake each other
 * @reo_seen_at: ns when @reo_seen last grew or faded
 * @reo_shift: exponent by which reordering is given more room
 * @reo_shift_at: ns when @reo_shift last changed
 * @rto_at: ns of the next retransmission timeout; 0: not armed
 * @hold_until: ns before which nothing is sent, after an RNR NAK or a NACK
 *	for want of resources; 0: nothing is held
 * @probe_at: ns of the next reliability probe for the tail; 0: not armed
 * @asked_at: ns of the first tail probe since the last answer
 * @gap_psn: @una when the tail was last probed
 * @probe_shift: rounds of tail probes since the last answer
 * @infer: there are bits in @suspect
 * @unasked: bytes sent since a packet asked for an answer
 * @probe_twin: path of a tail probe that another one follows at once, or -1
 * @full: the congestion window was full; it opens for a batch
 * @slept: timeouts put off because they came too late to mean anything
 * @nudge: resend the newest packet, only to have its transport ACK repeated
 * @rnr: @hold_until is the timer of an RNR NAK
 * @retries: timeouts since the window last moved
 * @rnr_retries: RNR NAKs since the window last moved
 * @status: MRC_OK, or why the requester stopped
 * @err_msg: message index that @status belongs to
 * @holds: marks behind what has been sent, the owner says which
 * @told: what the latest SACK has told the congestion control
 * @on_loss: told when packet @psn, described by @rec, has been taken for lost;
 *	NULL: nobody listens.  Called in the context of whoever found out, before
 *	its path hears of it; must not call back into the requester.  It is NULL
 *	after mrc_req_init()
 * @stats: counters
 */
struct mrc_req {
	struct mrc_req_cfg cfg;
	struct mrc_ev_set *evs;
	struct mrc_cc cc;
	struct mrc_tx_pkt *pkts;
	u64 *acked;
	u64 *lost;
	u64 *suspect;
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
	s32 unnamed;
	u32 wimm;
	u32 rq_open;
	u16 msn;
	u16 rqmsn;
	u16 ask_n;
	u16 ask_next;
	u16 ask_una;
	u32 ask_pkts;
	u32 ask_msg[MRC_ASK_MAX];
	u32 srtt;
	u32 rttvar;
	u32 min_rtt;
	u64 missed_as_of;
	u64 last_sent;
	u64 reo_seen;
	u64 reo_seen_at;
	u64 reo_shift_at;
	u64 rto_at;
	u64 hold_until;
	u64 probe_at;
	u64 asked_at;
	u32 gap_psn;
	u32 unasked;
	s16 probe_twin;
	u8 probe_shift;
	u8 reo_shift;
	bool infer;
	bool full;
	u8 slept;
	bool nudge;
	bool rnr;
	u8 retries;
	u8 rnr_retries;
	u8 status;
	u32 err_msg;
	struct mrc_hold holds[MRC_HOLDS];
	struct mrc_cc_ack told;
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
 * @ackreq: the last packet asks for an answer
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
 * mrc_msg_uses_rq() - does a message take a receive WQE of the peer?
 * @m: message
 *
 * Return: true if so.
 */
static inline bool mrc_msg_uses_rq(const struct mrc_msg *m)
{
	return m->d.flags & (MRC_MSG_SEND | MRC_MSG_IMM);
}

/**
 * mrc_msg_asks() - is a message a request for a result?
 * @m: message
 *
 * Return: true if so; the result itself is not.
 */
static inline bool mrc_msg_asks(const struct mrc_msg *m)
{
	return m->d.flags & (MRC_MSG_READ | MRC_MSG_ATOMIC) &&
	       !(m->d.flags & MRC_MSG_RESULT);
}

/**
 * mrc_msg_is_bare() - are the packets of a message all headers?
 * @m: message
 *
 * Return: true of a request for a result and of an ATOMIC's result.
 */
static inline bool mrc_msg_is_bare(const struct mrc_msg *m)
{
	return m->d.flags & MRC_MSG_ATOMIC || mrc_msg_asks(m);
}

/**
 * mrc_req_owed() - has something been asked for whose result is not complete?
 * @req: requester
 *
 * Context: any, the owner serialises.
 * Return: true if so, whether the request has been sent or not.
 */
static inline bool mrc_req_owed(const struct mrc_req *req)
{
	return req->ask_una != req->ask_n;
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

int mrc_req_check(const struct mrc_req_cfg *cfg, struct mrc_refusal *why);
size_t mrc_req_mem_size(const struct mrc_req_cfg *cfg);
void mrc_req_init(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		  struct mrc_ev_set *evs, const struct mrc_cc_ops *cc_ops,
		  const struct mrc_cc_cfg *cc_cfg, void *mem);

void mrc_req_change(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		    const struct mrc_cc_ops *cc_ops,
		    const struct mrc_cc_cfg *cc_cfg, u64 now);

void mrc_req_begin_at(struct mrc_req *req, u32 psn);
void mrc_req_adopt(struct mrc_req *req, const struct mrc_req_cfg *cfg);

/* Messages in, messages out. */
u32 mrc_req_room(const struct mrc_req *req);
bool mrc_req_takes(const struct mrc_req *req, const struct mrc_msg_desc *d);
void mrc_req_post(struct mrc_req *req, const struct mrc_msg_desc *d);
bool mrc_req_idle(const struct mrc_req *req);
bool mrc_req_pop(struct mrc_req *req, struct mrc_done *done);
void mrc_req_flush(struct mrc_req *req);
void mrc_req_abort(struct mrc_req *req, u32 cookie, enum mrc_status status);

/* Packets out. */
bool mrc_req_next_burst(struct mrc_req *req, u64 now, struct mrc_burst *b);
void mrc_req_burst_pkt(const struct mrc_req *req, const struct mrc_burst *b,
		       u8 i, u64 now, struct mrc_burst_pkt *out);
void mrc_req_burst_next(const struct mrc_req *req, const struct mrc_burst *b,
			u8 i, u64 now, struct mrc_burst_pkt *out);
bool mrc_req_next_probe(struct mrc_req *req, u64 now, struct mrc_probe *probe);

/* Answers in. */
void mrc_req_on_sack(struct mrc_req *req, const struct mrc_pkt *sack, u64 now);
void mrc_req_on_nack(struct mrc_req *req, const struct mrc_pkt *nack, u64 now);
void mrc_req_on_ack(struct mrc_req *req, const struct mrc_pkt *ack, u64 now);
void mrc_req_on_result(struct mrc_req *req, u16 n, u64 now);

/* Time. */
u64 mrc_req_deadline(const struct mrc_req *req);
u64 mrc_req_loss_room(const struct mrc_req *req, const struct mrc_tx_pkt *rec,
		      enum mrc_loss why);
void mrc_req_on_timer(struct mrc_req *req, u64 now);
void mrc_req_host_late(struct mrc_req *req, u64 late, u64 now);

#endif /* MRC_CORE_REQUESTER_H */
