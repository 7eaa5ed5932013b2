/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between the parts of the requester: queue (requester.c), sending (burst.c),
 * answers (answer.c), what they tell the congestion control (feedback.c), and
 * loss inference and time (loss.c).
 */
#ifndef MRC_CORE_LOSS_H
#define MRC_CORE_LOSS_H

#include "core/psn.h"
#include "core/requester.h"
#include "core/psnmap.h"

/**
 * struct mrc_rtt - a round trip that an answer has given
 * @ns: it; 0: the answer gave none
 * @sent: ns when it began
 * @stamped: the packet carried a timestamp, which was reflected
 */
struct mrc_rtt {
	u32 ns;
	u64 sent;
	bool stamped;
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
 * mrc_req_asked() - the message that asks for a result
 * @req: requester
 * @n: number of the request, between @ask_una and @ask_next of @req
 *
 * Return: the message.
 */
static inline struct mrc_msg *mrc_req_asked(const struct mrc_req *req, u16 n)
{
	return mrc_req_msg(req, req->ask_msg[n % MRC_ASK_MAX]);
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
 * mrc_req_out() - PSNs between the oldest unanswered one and the next new one
 * @req: requester
 *
 * Return: their number.
 */
static inline u32 mrc_req_out(const struct mrc_req *req)
{
	return mrc_psn_diff(req->nxt, req->una);
}

/**
 * mrc_req_needed() - up to which packet somebody waits for answers
 * @req: requester
 *
 * Return: the PSN after it: that of the message which ends with an error in its
 *	turn, or the next new one.
 */
static inline u32 mrc_req_needed(const struct mrc_req *req)
{
	const struct mrc_msg *m = mrc_req_msg(req, req->msg_send);

	return req->msg_send != req->msg_head && m->d.status ? m->first_psn :
							       req->nxt;
}

/**
 * mrc_req_inflight() - nominal bytes that the network may still hold
 * @req: requester
 *
 * Return: what is in flight as far as packets are known, less what the peer has
 *	counted beyond that.
 */
static inline u32 mrc_req_inflight(const struct mrc_req *req)
{
	return req->unnamed <= 0 ? req->inflight :
	       req->inflight - min_t(u32, req->unnamed, req->inflight);
}

void mrc_req_fail(struct mrc_req *req, u32 msg, enum mrc_status status);
void mrc_req_advance(struct mrc_req *req);
void mrc_req_answer_asks(struct mrc_req *req, u16 n);
bool mrc_req_backlog(const struct mrc_req *req);

void mrc_req_arm_rto(struct mrc_req *req, u64 now);
void mrc_req_sent(struct mrc_req *req, u64 now);
void mrc_req_answered(struct mrc_req *req, bool moved, u64 now);
void mrc_req_alive(struct mrc_req *req);
void mrc_req_mark_lost(struct mrc_req *req, u32 psn, enum mrc_loss why, u64 now);
void mrc_req_missing(struct mrc_req *req, u32 psn, u32 n, u64 as_of,
		     bool latest);
void mrc_req_infer(struct mrc_req *req, u64 now);
void mrc_req_spurious(struct mrc_req *req, u64 now);
void mrc_req_late(struct mrc_req *req, const struct mrc_tx_pkt *rec, u64 now);
void mrc_req_rtt(struct mrc_req *req, u32 rtt);

void mrc_req_named(struct mrc_req *req, u32 bytes);
void mrc_req_tell_ack(struct mrc_req *req, const struct mrc_pkt_sack *s,
		      const struct mrc_rtt *rtt, u32 named, u64 now);
void mrc_req_tell_trim(struct mrc_req *req, const struct mrc_tx_pkt *rec,
		       const struct mrc_pkt_nack *n, u64 now);

#endif /* MRC_CORE_LOSS_H */
