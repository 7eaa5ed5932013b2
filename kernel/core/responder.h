/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder: which packets may be placed, what is reported back and in which
 * order messages are delivered (MRC 1.0 sections 6.3 and 7.5).
 *
 * The shell asks mrc_rsp_accept() before it places a packet's payload and calls
 * mrc_rsp_placed() after; at the end of every received burst it sends what
 * mrc_rsp_answer() builds and delivers what mrc_rsp_pop() returns.
 *
 * The owner serialises all calls on one responder.  Nothing here allocates,
 * sleeps or reads a clock.
 */
#ifndef MRC_CORE_RESPONDER_H
#define MRC_CORE_RESPONDER_H

#include <linux/types.h>
#include "core/ask.h"
#include "core/doubt.h"
#include "core/packet.h"

/*
 * A SACK is due when packets worth more than this arrived.  The value is left
 * open by MRC 1.0; UEC has 16 KiB.  Every second full burst of a software host
 * is soon enough, for whoever waits for an answer asks for it, and answers are
 * a sixth of its work otherwise.
 */
#define MRC_SACK_THRESHOLD 49152
/* Every packet counts at least this much towards it. */
#define MRC_SACK_MIN_ADD 1024

/**
 * struct mrc_rsp_cfg - attributes of a responder, fixed when the QP is ready
 * @peer_qpn: destination of the answers
 * @local_qpn: own QP
 * @rq_psn: first PSN expected
 * @mpr: PSN window, power of two, 64..4096
 * @max_wimm: receive-WQE consuming messages in flight, power of two, at most
 *	2^15; at least what the peer's requester allows itself
 * @max_asks: READs and ATOMICs in flight, at most MRC_ASK_MAX; 0: none
 * @sack_threshold: bytes
 * @dynamic_mpr: tell the peer the PSN window in effect, as agreed on
 * @svc_time: add the time for which a packet was kept to the timestamp that is
 *	reflected, as agreed on
 */
struct mrc_rsp_cfg {
	u32 peer_qpn;
	u32 local_qpn;
	u32 rq_psn;
	u32 mpr;
	u32 max_wimm;
	u32 max_asks;
	u32 sack_threshold;
	bool dynamic_mpr;
	bool svc_time;
};

/**
 * enum mrc_rsp_verdict - what to do with a request packet
 * @MRC_RSP_NEW: place the payload, then call mrc_rsp_placed()
 * @MRC_RSP_DUP: do not place; answers are arranged for
 * @MRC_RSP_NACK: do not place; a NACK with the returned reason is arranged for
 * @MRC_RSP_DROP: not ours, no answer
 */
enum mrc_rsp_verdict {
	MRC_RSP_NEW,
	MRC_RSP_DUP,
	MRC_RSP_NACK,
	MRC_RSP_DROP,
};

/**
 * struct mrc_rsp_stash - a message that consumes a receive WQE, until delivery
 * @last_psn: PSN of its last packet; valid if @complete
 * @length: message length
 * @imm: immediate data or R_Key to invalidate, in network order
 * @rqmsn: whose entry this is
 * @used: a packet of the message has arrived
 * @complete: the last packet has arrived
 * @has_imm: @imm is immediate data
 * @has_inv: @imm is an R_Key
 * @solicited: the last packet asked for an event
 * @is_send: SEND, otherwise WRITE with immediate
 */
struct mrc_rsp_stash {
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
 * @last_psn: PSN of its last packet, for mrc_rsp_refuse()
 * @has_imm: @imm is immediate data
 * @has_inv: @imm is an R_Key; what it names is to be invalidated now
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
 * @nacks_lost: NACKs not built for want of room
 * @rnr_naks: RNR NAKs built
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
	u64 nacks_lost;
	u64 rnr_naks;
};

/**
 * struct mrc_rsp_trigger - the packet that a SACK answers
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
 * enum mrc_rsp_due - answers that wait for the end of the burst
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
 * Whoever asks so often with nothing new in between has not heard the answer, and
 * whoever sends a packet again that had arrived has not, either.  Who goes on and on
 * has nothing to send, and asks for something else (the state of paths).
 */
#define MRC_RSP_REPEATS 2
#define MRC_RSP_REPEATS_MAX 32
/* NACKs that may wait for mrc_rsp_answer(); more are left to loss inference. */
#define MRC_RSP_NACKS 16

/**
 * struct mrc_rsp - responder of one QP
 * @cfg: attributes
 * @received: bitmap of @cfg.mpr bits, index PSN & (mpr - 1), above @cack
 * @last: same shape: the packet was the last of its message
 * @stash: @cfg.max_wimm entries, index rqmsn & (max_wimm - 1)
 * @cack: highest PSN below which everything has arrived, inclusive
 * @max_rcv: highest PSN received
 * @low_unsacked: first PSN that the next SACK bitmap should describe
 * @acked_psn: highest PSN covered by a transport ACK sent
 * @sack_cnt: bytes since the last SACK
 * @ooo: packets held beyond a gap
 * @rcvd_bytes: nominal bytes received, each packet once
 * @now: ns; when what is processed now arrived, or is answered
 * @mpr: PSN window that the peer is told, at most that of @cfg
 * @cwnd_pen: penalty that the peer is told, 0..127
 * @restore_cwnd: the peer is told to restore its window after a penalty
 * @asking: a packet beyond a gap asked for an answer ..
 * @asked_psn: .. the last of them
 * @repeats: what came since the last new packet and told nothing new
 * @msn: messages completed
 * @next_rqmsn: next message to be delivered
 * @asks: READs and ATOMICs that wait for their turn, see mrc_ask_stash()
 * @next_ask: number of the next one to be carried out
 * @trig: packet the next SACK answers
 * @probe: probe that SACKs of its own answer
 * @probe_left: such SACKs still to be sent
 * @due: enum mrc_rsp_due
 * @nacks: NACKs that wait to be sent
 * @n_nacks: their number
 * @rnr_psn: PSN of the RNR NAK
 * @rnr_timer: its timer field
 * @failed: the transport NAK @fail_syndrome stands at @fail_psn
 * @refused: .. which has arrived: that of a request whose turn has come
 * @fail_psn: first PSN that will never be acknowledged
 * @fail_syndrome: AETH syndrome
 * @stats: counters
 */
struct mrc_rsp {
	struct mrc_rsp_cfg cfg;
	u64 *received;
	u64 *last;
	struct mrc_rsp_stash *stash;
	u32 cack;
	u32 max_rcv;
	u32 low_unsacked;
	u32 acked_psn;
	u32 sack_cnt;
	u32 ooo;
	u64 rcvd_bytes;
	u64 now;
	u32 mpr;
	u8 cwnd_pen;
	bool restore_cwnd;
	bool asking;
	u8 repeats;
	u32 asked_psn;
	u32 msn;
	u16 next_rqmsn;
	u16 next_ask;
	struct mrc_ask asks[MRC_ASK_MAX];
	struct mrc_rsp_trigger trig;
	struct mrc_rsp_trigger probe;
	u8 probe_left;
	u8 due;
	u8 n_nacks;
	struct mrc_pkt_nack nacks[MRC_RSP_NACKS];
	u32 rnr_psn;
	u8 rnr_timer;
	bool failed;
	bool refused;
	u32 fail_psn;
	u8 fail_syndrome;
	struct mrc_rsp_stats stats;
};

/* Eight SACKs of 52 bytes and an ACK of 20. */
#define MRC_ANSWER_MAX 440

/**
 * struct mrc_answer - control packets to be sent back to back on one path
 * @seg: bytes of every packet but the last; the GSO segment size
 * @len: bytes in all; a multiple of @seg or shorter at the end
 * @n: packets
 * @data: data is coming in: they answer some, or a gap waits for it
 * @doubt: enum mrc_doubt
 * @copies: on so many paths they are worth being sent
 * @buf: the packets, each with room for its ICRC, which the shell computes
 */
struct mrc_answer {
	u16 seg;
	u16 len;
	u8 n;
	bool data;
	u8 doubt;
	u8 copies;
	u8 buf[MRC_ANSWER_MAX];
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
void mrc_rsp_fail(struct mrc_rsp *rsp, u32 psn, u8 syndrome);
void mrc_rsp_refuse(struct mrc_rsp *rsp, u32 psn, u8 syndrome);
bool mrc_rsp_dead(const struct mrc_rsp *rsp);
void mrc_rsp_set_mpr(struct mrc_rsp *rsp, u32 mpr);
void mrc_rsp_set_penalty(struct mrc_rsp *rsp, u8 pen, bool restore);
bool mrc_rsp_answer(struct mrc_rsp *rsp, struct mrc_answer *answer);
bool mrc_rsp_pop(struct mrc_rsp *rsp, struct mrc_delivery *d);

/**
 * mrc_rsp_clock - say what time it is
 * @rsp: responder
 * @now: ns of any monotonic clock
 *
 * Before packets are handed over: when they arrived; before answers are taken:
 * now.  The difference is the service time.  An owner that does not say has
 * none.
 *
 * Context: any, the owner serialises.
 */
static inline void mrc_rsp_clock(struct mrc_rsp *rsp, u64 now)
{
	rsp->now = now;
}

#endif /* MRC_CORE_RESPONDER_H */
