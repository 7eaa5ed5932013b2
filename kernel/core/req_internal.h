/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between the parts of the requester.  Calls lead down this list only:
 *
 *	req_ack.c	acknowledgments received
 *	req_send.c	bursts to be sent
 *	req_rto.c	retransmission timeout, retries, time
 *	req_tlp.c	tail loss probes
 *	req_rack.c	loss detection
 *	req_reo.c	reordering window
 *	req_rtt.c	round trip times
 *	req_cc.c	reports to congestion control
 *	requester.c	queue of messages
 */
#ifndef MRC_CORE_REQ_INTERNAL_H
#define MRC_CORE_REQ_INTERNAL_H

#include <linux/minmax.h>

#include "core/psn.h"
#include "core/requester.h"
#include "core/psnmap.h"

/* Timers later than this, ns, are evidence that this host delays packets. */
#define MRC_TIMER_LATE_MIN	4000000ULL

/**
 * struct mrc_rtt_sample - a round trip sample from an acknowledgment
 * @ns: the round trip; 0: the acknowledgment gave none
 * @sent: ns when the packet was sent
 * @stamped: the packet carried a timestamp, which was reflected
 * @path: index of its path; -1: unknown
 */
struct mrc_rtt_sample {
	u32 ns;
	u64 sent;
	bool stamped;
	s16 path;
};

/**
 * mrc_req_msg() - a message by its free-running index
 * @req: requester
 * @i: index; its low 16 bits suffice
 *
 * Return: the message.
 */
static inline struct mrc_msg *mrc_req_msg(const struct mrc_req *req, u32 i)
{
	return &req->msgs[i & (req->cfg.max_msgs - 1)];
}

/**
 * mrc_req_rd_atomic_msg() - the message of a READ or ATOMIC request
 * @req: requester
 * @sn: sequence number of the request, between @rda.una and @rda.next of @req
 *
 * Return: the message.
 */
static inline struct mrc_msg *mrc_req_rd_atomic_msg(const struct mrc_req *req,
						    u16 sn)
{
	return mrc_req_msg(req, req->rda.msg[sn % MRC_RD_ATOMIC_MAX]);
}

/**
 * mrc_req_mpr_max() - largest PSN window
 * @req: requester
 *
 * Return: packets, at most as many as there are records.
 */
static inline u32 mrc_req_mpr_max(const struct mrc_req *req)
{
	u32 limit = req->cfg.mpr_limit;

	return limit && limit < req->cfg.mpr ? limit : req->cfg.mpr;
}

/**
 * mrc_req_pkt() - the record of a packet
 * @req: requester
 * @psn: one of the last @cfg.mpr PSNs sent
 *
 * Return: the record.
 */
static inline struct mrc_tx_pkt *mrc_req_pkt(const struct mrc_req *req, u32 psn)
{
	return &req->pkts[psn & (req->cfg.mpr - 1)];
}

/**
 * mrc_req_outstanding() - outstanding PSNs
 * @req: requester
 *
 * Return: number of PSNs from the oldest not cumulatively SACKed to the next
 *	new one.
 */
static inline u32 mrc_req_outstanding(const struct mrc_req *req)
{
	return mrc_psn_diff(req->nxt, req->una);
}

/**
 * mrc_req_end_needed() - end of the packets whose acknowledgment is needed
 * @req: requester
 *
 * Return: the PSN after the last one: the first PSN of the message that is to
 *	end with an error, or the next new one.
 */
static inline u32 mrc_req_end_needed(const struct mrc_req *req)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);

	return req->msg_send != req->msg_head && m->d.status ? m->first_psn :
							       req->nxt;
}

/**
 * mrc_req_inflight() - nominal bytes that may still be in the network
 * @req: requester
 *
 * Return: the bytes of packets in flight, less those that the peer has counted
 *	and not acknowledged packet by packet yet.
 */
static inline u32 mrc_req_inflight(const struct mrc_req *req)
{
	return req->rcvd_unsacked <= 0 ? req->inflight :
	       req->inflight - min_t(u32, req->rcvd_unsacked, req->inflight);
}

/**
 * mrc_req_backlog() - is there a new packet to be sent?
 * @req: requester
 *
 * Return: true if so, whether it may be sent now or not.
 */
static inline bool mrc_req_backlog(const struct mrc_req *req)
{
	return req->msg_send != req->msg_head &&
	       !mrc_req_msg(req, req->msg_send)->d.status;
}

/**
 * mrc_req_open_pkts() - outstanding packets that are not deemed lost
 * @req: requester
 * @at: first of up to 64 packets, counted from @req->una
 * @n: outstanding packets in all
 *
 * Return: bitmap, bit 0 is the packet at @at.
 */
static inline u64 mrc_req_open_pkts(const struct mrc_req *req, u32 at, u32 n)
{
	u32 mask = req->cfg.mpr - 1;
	u32 psn = mrc_psn_add(req->una, at);
	u64 bits = ~(mrc_psnmap_get64(req->acked, mask, psn) |
		     mrc_psnmap_get64(req->lost, mask, psn));

	return n - at < 64 ? bits & ((1ULL << (n - at)) - 1) : bits;
}

/**
 * mrc_req_left_host() - sending time of a packet for loss detection
 * @req: requester
 * @rec: its record
 *
 * Return: ns when it left this host; MRC_TXQ_NEVER while it has not.
 */
static inline u64 mrc_req_left_host(const struct mrc_req *req,
				    const struct mrc_tx_pkt *rec)
{
	return mrc_txq_fence_left(req->txq_fences, rec->sent);
}

/**
 * mrc_req_in_flight() - packets enter the network or leave it
 * @req: requester
 * @path: their path; may have been removed since
 * @bytes: nominal bytes; negative: delivered or lost
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_req_in_flight(struct mrc_req *req, u16 path, s32 bytes)
{
	struct mrc_ev *ev = &req->evs->ev[path];

	req->inflight += bytes;
	ev->inflight += bytes;
	if (ev->plane)
		req->evs->planes[ev->plane - 1].inflight += bytes;
}

/**
 * mrc_req_tlp_known() - it is known what became of a packet
 * @req: requester
 * @rec: record of the packet
 *
 * If a probe has carried it, there is nothing left to be judged.
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_req_tlp_known(struct mrc_req *req,
				     const struct mrc_tx_pkt *rec)
{
	if (rec == mrc_req_pkt(req, req->tlp.copied_psn))
		req->tlp.judge = false;
}

/* requester.c */
void mrc_req_fail(struct mrc_req *req, u32 msg, enum mrc_status status);
void mrc_req_advance(struct mrc_req *req);
void mrc_req_rd_atomic_done(struct mrc_req *req, u16 sn);

/* req_cc.c */
void mrc_req_sacked(struct mrc_req *req, u32 bytes);
void mrc_req_cc_on_sack(struct mrc_req *req, const struct mrc_pkt_sack *s,
			const struct mrc_rtt_sample *rtt, u32 sacked, u64 now);
void mrc_req_cc_on_trim(struct mrc_req *req, const struct mrc_tx_pkt *rec,
			const struct mrc_pkt_nack *n, u64 now);

/* req_rtt.c */
void mrc_req_rtt(struct mrc_req *req, u32 rtt);
u64 mrc_req_rtt_slack(const struct mrc_req *req);
void mrc_req_rtt_forget_bound(struct mrc_req *req);

/* req_reo.c */
u64 mrc_req_reo_wnd_path(const struct mrc_req *req);
u64 mrc_req_reo_wnd_any(const struct mrc_req *req);
u64 mrc_req_reo_wnd_least(const struct mrc_req *req);
u64 mrc_req_reo_wnd_pkt(const struct mrc_req *req,
			const struct mrc_tx_pkt *rec);
u64 mrc_req_reo_min(const struct mrc_req *req);
void mrc_req_reo_decay(struct mrc_req *req, u64 now);
void mrc_req_reo_sample(struct mrc_req *req, const struct mrc_tx_pkt *rec,
			u64 now);
void mrc_req_spurious(struct mrc_req *req, u64 now);

/* req_rack.c */
void mrc_req_set_lost(struct mrc_req *req, u32 psn, enum mrc_loss why, u64 now);
u32 mrc_req_rack_update(struct mrc_req *req, u32 psn, u32 n, u64 as_of,
			bool latest);
bool mrc_req_rack_update_all(struct mrc_req *req, u64 as_of);
void mrc_req_rack_burst(struct mrc_req *req, u32 base, u64 fresh);
void mrc_req_rack_judge(struct mrc_req *req, u64 as_of, u64 now);
void mrc_req_rack_detect_loss(struct mrc_req *req, u64 now);

/* req_tlp.c */
u64 mrc_req_tlp_wait(const struct mrc_req *req);
void mrc_req_tlp_arm(struct mrc_req *req, u64 now);
void mrc_req_tlp_copied(struct mrc_req *req);
void mrc_req_tlp_missing(struct mrc_req *req, const struct mrc_pkt_sack *s,
			 u64 as_of, u64 now);

/* req_rto.c */
void mrc_req_arm_rto(struct mrc_req *req, u64 now);
bool mrc_req_nack_retry(struct mrc_req *req, u64 sent, u64 now);
void mrc_req_on_sent(struct mrc_req *req, u64 now);
void mrc_req_acked(struct mrc_req *req, bool moved, u64 now);
void mrc_req_peer_alive(struct mrc_req *req);

/* req_pace.c */

void mrc_req_pace_sent(struct mrc_req *req, u32 bytes, bool more, u64 now);

#endif /* MRC_CORE_REQ_INTERNAL_H */
