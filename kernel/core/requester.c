// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: the queue of messages, from post to completion, in the order of
 * posting.  req_send.c chooses which of their packets are sent.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/ev_overdue.h"
#include "core/req_internal.h"

/* Bounds of attributes that MRC 1.0 leaves open. */
#define PMTU_MAX	4096
#define MSGS_MAX	BIT(16)
#define RNR_RETRY_MAX	7

/*
 * PSNs from the oldest message that has not ended to the end of the queue:
 * while there are fewer than 2^24, a PSN identifies one packet.  READs need the
 * check, because messages behind a READ are sent and acknowledged while its
 * response is incomplete.
 */
#define SPAN_MAX	MRC_PSN_MASK
/*
 * Requests leave PSNs for the longest response, otherwise two sides could wait
 * for each other.
 */
#define RESPONSE_PKTS_MAX	BIT(23)
#define SPAN_OWN_MAX	(SPAN_MAX - RESPONSE_PKTS_MAX)
/*
 * Packets of the responses that are outstanding at a time, unless it is one
 * response; these and the peer's own requests fit in the SPAN_MAX of the peer.
 */
#define RD_ATOMIC_PKTS_MAX	BIT(22)

/**
 * mrc_req_check() - check the attributes of a requester
 * @cfg: attributes, not trusted
 * @why: filled in if one is out of range
 *
 * Ranges of MRC 1.0 and its control API; attributes without a range there are
 * bounded by what the arrays of a requester and its 24-bit arithmetic can hold.
 *
 * Context: any.
 * Return: 0, or -EINVAL.
 */
int mrc_req_check(const struct mrc_req_cfg *cfg, struct mrc_refusal *why)
{
	const struct {
		const char *name;
		u32 value;
		u32 min;
		u32 max;
		bool power_of_2;
	} ranges[] = {
		{ "pmtu", cfg->pmtu, 1, PMTU_MAX },
		{ "mpr", cfg->mpr, MRC_MPR_MIN, MRC_MPR_MAX, true },
		{ "mpr_limit", cfg->mpr_limit ?: MRC_MPR_MIN, MRC_MPR_MIN,
		  MRC_MPR_MAX },
		{ "max_msgs", cfg->max_msgs, 1, MSGS_MAX, true },
		{ "max_wimm", cfg->max_wimm, 1, U16_MAX },
		{ "max_rd_atomic", cfg->max_rd_atomic, 0, MRC_RD_ATOMIC_MAX },
		{ "max_responses", cfg->max_responses, 0,
		  min_t(u32, MRC_RD_ATOMIC_MAX, cfg->max_msgs - 1) },
		{ "burst", cfg->burst, 1, MRC_BURST_MAX },
		{ "linear_cnt", cfg->linear_cnt, 0, MRC_LINEAR_MAX },
		{ "exp_cnt", cfg->exp_cnt, 0, MRC_EXP_MAX },
		{ "rnr_retry", cfg->rnr_retry, 0, RNR_RETRY_MAX },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (ranges[i].value < ranges[i].min ||
		    ranges[i].value > ranges[i].max)
			return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
					  "%s is %u, not %u to %u",
					  ranges[i].name, ranges[i].value,
					  ranges[i].min, ranges[i].max);
		if (ranges[i].power_of_2 && !is_power_of_2(ranges[i].value))
			return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
					  "%s is %u, no power of 2",
					  ranges[i].name, ranges[i].value);
	}
	return 0;
}

/**
 * mrc_req_mem_size() - memory for the arrays of a requester
 * @cfg: attributes
 *
 * Return: bytes.
 */
size_t mrc_req_mem_size(const struct mrc_req_cfg *cfg)
{
	return cfg->mpr * sizeof(struct mrc_tx_pkt) +
	       cfg->max_msgs * sizeof(struct mrc_msg) +
	       3 * mrc_psnmap_bytes(cfg->mpr);
}

/**
 * mrc_req_init() - start a requester
 * @req: requester
 * @cfg: attributes that mrc_req_check() has accepted; copied
 * @evs: paths; outlive the requester
 * @cc_ops: congestion control algorithm
 * @cc_cfg: its profile; copied
 * @mem: mrc_req_mem_size() bytes, aligned to 8; outlives the requester
 *
 * Context: any, the caller serialises.
 */
void mrc_req_init(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		  struct mrc_ev_set *evs, const struct mrc_cc_ops *cc_ops,
		  const struct mrc_cc_cfg *cc_cfg, void *mem)
{
	memset(req, 0, sizeof(*req));
	memset(mem, 0, mrc_req_mem_size(cfg));
	req->cfg = *cfg;
	req->evs = evs;
	mrc_cc_init(&req->cc, cc_ops, cc_cfg);

	req->pkts = mem;
	req->msgs = (void *)(req->pkts + cfg->mpr);
	req->acked = (void *)(req->msgs + cfg->max_msgs);
	req->lost = req->acked + cfg->mpr / 64;
	req->rack.candidate = req->lost + cfg->mpr / 64;

	req->mpr = mrc_req_mpr_max(req);
	if (cfg->dynamic_mpr)
		req->mpr = min_t(u32, req->mpr, MRC_MPR_DEFAULT);
	mrc_req_set_sq_psn(req, cfg->sq_psn);
}

/**
 * mrc_req_set_sq_psn() - set the first PSN
 * @req: requester that nothing has been posted to
 * @psn: the PSN
 *
 * Context: any, the caller serialises.
 */
void mrc_req_set_sq_psn(struct mrc_req *req, u32 psn)
{
	req->cfg.sq_psn = psn;
	req->una = psn & MRC_PSN_MASK;
	req->nxt = req->una;
	req->end = req->una;
	req->ack_psn = req->una;
	req->max_sacked = mrc_psn_add(req->una, -1);
	req->tlp.psn = req->max_sacked;
	req->tlp.second_path = -1;
}

/**
 * mrc_req_allow_requests() - set the attributes that requests need
 * @req: requester that has sent responses only so far
 * @cfg: attributes that mrc_req_check() has accepted; those of READs, ATOMICs,
 *	RNR NAKs and receive WQEs are copied, and the limit of the PSN window
 *
 * Records of packets are in use, so their ring keeps its size, which bounds the
 * PSN window.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_allow_requests(struct mrc_req *req, const struct mrc_req_cfg *cfg)
{
	req->cfg.max_rd_atomic = cfg->max_rd_atomic;
	req->cfg.rnr_retry = cfg->rnr_retry;
	req->cfg.max_wimm = cfg->max_wimm;
	req->cfg.mpr_limit = cfg->mpr_limit ?: cfg->mpr;
	req->mpr = min(req->mpr, mrc_req_mpr_max(req));
}

/**
 * mrc_req_free_slots() - how many messages may be posted?
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: free message slots.
 */
u32 mrc_req_free_slots(const struct mrc_req *req)
{
	return req->cfg.max_msgs - (req->msg_head - req->msg_tail);
}

/* Packets that carry @length bytes. */
static u32 pkts_of(const struct mrc_req *req, u32 length)
{
	return max(1U, DIV_ROUND_UP(length, req->cfg.pmtu));
}

static u32 msg_pkts(const struct mrc_req *req, const struct mrc_msg *m)
{
	return mrc_msg_is_bare(m) ? 1 : pkts_of(req, m->d.length);
}

/* Packets of the response to @m. */
static u32 response_pkts(const struct mrc_req *req, const struct mrc_msg *m)
{
	return m->d.flags & MRC_MSG_ATOMIC ? 1 : pkts_of(req, m->d.length);
}

/* Do PSNs remain unambiguous if @m is posted? */
static bool span_fits(const struct mrc_req *req, const struct mrc_msg *m)
{
	u32 max = m->d.flags & MRC_MSG_RESPONSE ? SPAN_MAX : SPAN_OWN_MAX;
	const struct mrc_msg *oldest = mrc_req_msg(req, req->msg_acked);

	if (req->msg_acked == req->msg_head)
		return true;
	return ((req->end - oldest->first_psn) & MRC_PSN_MASK) +
	       msg_pkts(req, m) <= max;
}

static bool rd_atomic_fits(const struct mrc_req *req, const struct mrc_msg *m)
{
	u16 open = req->rda.posted - req->rda.una;

	if (mrc_msg_is_rd_atomic(m) && open >= req->cfg.max_rd_atomic)
		return false;
	if (mrc_msg_is_rd_atomic(m) && open &&
	    req->rda.rsp_pkts + response_pkts(req, m) > RD_ATOMIC_PKTS_MAX)
		return false;
	return !(m->d.flags & MRC_MSG_FENCE) || !open;
}

/**
 * mrc_req_can_post() - could a message be sent if it were posted now?
 * @req: requester
 * @d: message
 *
 * Messages are sent in the order of posting, so one that waits for the peer
 * delays all others, the responses to the peer's requests among them.  If both
 * sides did that, both would wait forever: a caller that posts responses delays
 * its own requests until this returns true.  Messages also end in the order of
 * posting, so responses behind a READ occupy slots and PSNs until it has ended;
 * requests leave &struct mrc_req_cfg.max_responses slots and the PSNs of the longest
 * response to them.  That suffices: in front of the response that the peer needs before
 * it can respond to that READ there are only those that were queued when the
 * READ was posted.
 *
 * Context: any, the caller serialises.
 * Return: false if the message would wait for responses or for receive WQEs of
 *	the peer, or take slots or PSNs that responses need.
 */
bool mrc_req_can_post(const struct mrc_req *req, const struct mrc_msg_desc *d)
{
	const struct mrc_msg m = { .d = *d };
	bool response = d->flags & MRC_MSG_RESPONSE;

	/* It ends after all messages before it; none behind it is sent. */
	if (d->status)
		return !mrc_req_rd_atomic_open(req);
	if (mrc_req_free_slots(req) <= (response ? 0 : req->cfg.max_responses) ||
	    !span_fits(req, &m))
		return false;
	if (mrc_msg_uses_rq(&m) && req->rq_open >= req->cfg.max_wimm)
		return false;
	return response || rd_atomic_fits(req, &m);
}

/**
 * mrc_req_post() - queue a message
 * @req: requester with mrc_req_free_slots()
 * @d: message; copied
 *
 * PSNs are assigned here, consecutively; a message without payload, such as a
 * READ, has one packet, one that is to end with an error has none.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_post(struct mrc_req *req, const struct mrc_msg_desc *d)
{
	struct mrc_msg *m = mrc_req_msg(req, req->msg_head++);

	m->d = *d;
	m->first_psn = req->end;
	m->npkts = 0;
	if (d->status) {
		mrc_req_advance(req);
		return;
	}
	m->npkts = msg_pkts(req, m);
	m->msn = req->msn++;
	m->rqmsn = d->flags & MRC_MSG_RESPONSE ? d->rda_sn : 0;
	m->response_done = false;
	if (mrc_msg_uses_rq(m)) {
		m->rqmsn = req->rqmsn++;
		req->rq_open++;
	} else if (mrc_msg_is_rd_atomic(m)) {
		m->rqmsn = req->rda.posted++;
		req->rda.rsp_pkts += response_pkts(req, m);
	}
	req->end = mrc_psn_add(req->end, m->npkts);
}

/**
 * mrc_req_rd_atomic_done() - the response to a READ or ATOMIC is complete
 * @req: requester
 * @sn: sequence number of the request, between @rda.una and @rda.next of @req
 *
 * Context: any, the caller serialises.
 */
void mrc_req_rd_atomic_done(struct mrc_req *req, u16 sn)
{
	struct mrc_msg *m = mrc_req_rd_atomic_msg(req, sn);

	m->response_done = true;
	while (req->rda.una != req->rda.next) {
		m = mrc_req_rd_atomic_msg(req, req->rda.una);
		if (!m->response_done)
			return;
		req->rda.rsp_pkts -= response_pkts(req, m);
		req->rda.una++;
	}
}

/**
 * mrc_req_fail() - stop with an error
 * @req: requester
 * @msg: index of the message that gets it
 * @status: the error; only the first one counts
 *
 * Context: any, the caller serialises.
 */
void mrc_req_fail(struct mrc_req *req, u32 msg, enum mrc_status status)
{
	if (req->status)
		return;
	req->status = status;
	req->err_msg = msg;
	req->rto.at = 0;
	req->tlp.at = 0;
	req->backoff.until = 0;
}

/**
 * mrc_req_advance() - complete the messages that transport ACKs cover
 * @req: requester
 *
 * A READ or ATOMIC also needs its response, and delays those behind it.  A
 * message that is to end with an error does so once it is the oldest one.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_advance(struct mrc_req *req)
{
	while (req->msg_acked != req->msg_head) {
		struct mrc_msg *m = mrc_req_msg(req, req->msg_acked);

		if (m->d.status) {
			mrc_req_fail(req, req->msg_acked, m->d.status);
			return;
		}
		/*
		 * Unsigned: messages may have 2^23 packets.  All packets before
		 * this message are covered, so the distance is never negative.
		 */
		if (((req->ack_psn - m->first_psn) & MRC_PSN_MASK) < m->npkts)
			return;
		if (mrc_msg_is_rd_atomic(m) && !m->response_done)
			return;
		if (mrc_msg_uses_rq(m)) {
			req->wimm--;
			req->rq_open--;
		}
		req->msg_acked++;
	}
}

/**
 * mrc_req_pop() - take the next message that ended
 * @req: requester
 * @done: message and status
 *
 * In the order of posting.  Once the requester has stopped, messages that had
 * completed end with MRC_OK, the one at fault with its error, all others with
 * MRC_ERR_FLUSH.
 *
 * Context: any, the caller serialises.
 * Return: false if no (further) message has ended.
 */
bool mrc_req_pop(struct mrc_req *req, struct mrc_done *done)
{
	if (req->msg_tail == req->msg_head)
		return false;
	if (req->msg_tail != req->msg_acked) {
		done->status = MRC_OK;
	} else if (req->status) {
		done->status = req->msg_tail == req->err_msg ? req->status :
							       MRC_ERR_FLUSH;
		req->msg_acked++;
	} else {
		return false;
	}
	done->cookie = mrc_req_msg(req, req->msg_tail)->d.cookie;
	req->msg_tail++;
	return true;
}

/**
 * mrc_req_flush() - stop at once
 * @req: requester
 *
 * All messages that have not been acknowledged are flushed.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_flush(struct mrc_req *req)
{
	mrc_req_fail(req, req->msg_head, MRC_ERR_FLUSH);
}

/*
 * Packets from @psn on are no longer needed: they are not retransmitted, and
 * their paths get no penalty if they are lost.
 */
static void disregard_from(struct mrc_req *req, u32 psn)
{
	u32 mask = req->cfg.mpr - 1;
	const struct mrc_tx_pkt *rec;

	if (mrc_psn_diff(psn, req->una) < 0)
		psn = req->una;
	for (; mrc_psn_diff(psn, req->nxt) < 0; psn = mrc_psn_add(psn, 1)) {
		if (mrc_psnmap_test(req->acked, mask, psn))
			continue;
		if (mrc_psnmap_test(req->lost, mask, psn)) {
			mrc_psnmap_clear(req->lost, mask, psn);
			req->n_lost--;
		} else {
			rec = mrc_req_pkt(req, psn);
			mrc_req_in_flight(req, rec->path,
					  -rec->nominal);
			mrc_ev_overdue_acked_or_lost(req->evs, rec->path,
						     rec->sent);
		}
		mrc_psnmap_set(req->acked, mask, psn);
		req->n_acked++;
	}
}

/* Send nothing from message @msg on, which ends with an error. */
static void stop_at(struct mrc_req *req, u32 msg)
{
	if ((s32)(req->msg_send - msg) < 0)
		return;
	req->msg_send = msg;
	req->msg_pkt = 0;
	req->tlp.copy = false;
	disregard_from(req, mrc_req_msg(req, msg)->first_psn);
}

/**
 * mrc_req_abort() - a message cannot be sent (any further)
 * @req: requester
 * @cookie: the message at fault; if it is not queued, nothing happens
 * @status: its error
 *
 * The message ends in its turn: an error flushes messages posted after it,
 * while those posted before may be in the network already and end with a status
 * of their own (IBTA's rule for the completions of an RC send queue).  Until
 * then their lost packets are retransmitted.  Packets of the message and of
 * those posted after it may or may not have been sent: they count as
 * acknowledged.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_abort(struct mrc_req *req, u32 cookie, enum mrc_status status)
{
	struct mrc_msg *m;
	u32 i;

	for (i = req->msg_acked; i != req->msg_head; i++) {
		m = mrc_req_msg(req, i);
		if (m->d.cookie != cookie)
			continue;
		if (!m->d.status)
			m->d.status = status;
		stop_at(req, i);
		mrc_req_advance(req);
		return;
	}
}
