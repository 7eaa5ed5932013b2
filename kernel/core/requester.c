// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, its queue: messages in, and out again in the order in which they
 * came.  What is sent of them is chosen in burst.c.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/evwait.h"
#include "core/loss.h"

/* Bounds of attributes that MRC 1.0 leaves open. */
#define PMTU_MAX	4096
#define MSGS_MAX	BIT(16)
#define RNR_RETRY_MAX	7

/*
 * PSNs from the oldest message that has not ended to the end of the queue: while
 * there are fewer than 2^24 a PSN names one packet of them.  READs make that a
 * question, for what is posted behind one is sent and acknowledged as long as its
 * result is missing.
 */
#define SPAN_MAX	MRC_PSN_MASK
/*
 * What one's own messages may take of it leaves room for the longest result,
 * or two sides would wait for each other.
 */
#define RESULT_MAX	BIT(23)
#define SPAN_OWN_MAX	(SPAN_MAX - RESULT_MAX)
/*
 * Packets of results that are asked for at a time, unless it is one; this and
 * what is the peer's own fit in its SPAN_MAX.
 */
#define ASKED_MAX	BIT(22)

/**
 * mrc_req_check() - may a requester have these attributes?
 * @cfg: attributes, from anywhere
 * @why: filled in if not
 *
 * Ranges of MRC 1.0 and its control API; what has none there is bounded by what
 * the arrays of a requester and its 24-bit arithmetic can hold.
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
		{ "max_msgs", cfg->max_msgs, 1, MSGS_MAX, true },
		{ "max_wimm", cfg->max_wimm, 1, U16_MAX },
		{ "max_asks", cfg->max_asks, 0, MRC_ASK_MAX },
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
 * @cfg: attributes that mrc_req_check() has passed; copied
 * @evs: paths; outlive the requester
 * @cc_ops: congestion control algorithm
 * @cc_cfg: its profile; copied
 * @mem: mrc_req_mem_size() bytes, aligned to 8; outlives the requester
 *
 * Context: any, the owner serialises.
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
	req->suspect = req->lost + cfg->mpr / 64;

	req->mpr = cfg->mpr;
	mrc_req_begin_at(req, cfg->sq_psn);
}

/**
 * mrc_req_begin_at() - have another first PSN
 * @req: requester that nothing has been posted to
 * @psn: the PSN
 *
 * Context: any, the owner serialises.
 */
void mrc_req_begin_at(struct mrc_req *req, u32 psn)
{
	req->cfg.sq_psn = psn;
	req->una = psn & MRC_PSN_MASK;
	req->nxt = req->una;
	req->end = req->una;
	req->ack_psn = req->una;
	req->max_sacked = mrc_psn_add(req->una, -1);
	req->gap_psn = req->max_sacked;
	req->probe_twin = -1;
}

/**
 * mrc_req_change() - go on with other attributes
 * @req: requester, packets may be in flight
 * @cfg: attributes that mrc_req_check() has passed; those of retries and of
 *	reordering are copied, the others are fixed
 * @cc_ops: congestion control algorithm
 * @cc_cfg: its profile; copied
 * @now: ns; another timeout begins now
 *
 * Context: any, the owner serialises.
 */
void mrc_req_change(struct mrc_req *req, const struct mrc_req_cfg *cfg,
		    const struct mrc_cc_ops *cc_ops,
		    const struct mrc_cc_cfg *cc_cfg, u64 now)
{
	if (req->cfg.timeout_ns != cfg->timeout_ns)
		req->rto_at = 0;
	req->cfg.timeout_ns = cfg->timeout_ns;
	req->cfg.linear_cnt = cfg->linear_cnt;
	req->cfg.exp_cnt = cfg->exp_cnt;
	req->cfg.reo_path = cfg->reo_path;
	req->cfg.reo_time = cfg->reo_time;
	if (req->ack_psn != req->nxt || req->ask_una != req->ask_next)
		mrc_req_arm_rto(req, now);
	mrc_cc_change(&req->cc, cc_ops, cc_cfg);
	/* What held the sender back may be gone. */
	req->full = false;
}

/**
 * mrc_req_adopt() - take over what only messages other than results need
 * @req: requester that has sent results only
 * @cfg: attributes that mrc_req_check() has passed; what they say of READs,
 *	ATOMICs and RNR NAKs is copied
 *
 * Context: any, the owner serialises.
 */
void mrc_req_adopt(struct mrc_req *req, const struct mrc_req_cfg *cfg)
{
	req->cfg.max_asks = cfg->max_asks;
	req->cfg.rnr_retry = cfg->rnr_retry;
}

/**
 * mrc_req_room() - how many messages may be posted?
 * @req: requester
 *
 * Context: any, the owner serialises.
 * Return: free message slots.
 */
u32 mrc_req_room(const struct mrc_req *req)
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

/* Packets of the result that @m asks for. */
static u32 result_pkts(const struct mrc_req *req, const struct mrc_msg *m)
{
	return m->d.flags & MRC_MSG_ATOMIC ? 1 : pkts_of(req, m->d.length);
}

/* Do PSNs remain unambiguous if @m is posted? */
static bool span_takes(const struct mrc_req *req, const struct mrc_msg *m)
{
	u32 max = m->d.flags & MRC_MSG_RESULT ? SPAN_MAX : SPAN_OWN_MAX;
	const struct mrc_msg *oldest = mrc_req_msg(req, req->msg_acked);

	if (req->msg_acked == req->msg_head)
		return true;
	return ((req->end - oldest->first_psn) & MRC_PSN_MASK) +
	       msg_pkts(req, m) <= max;
}

static bool asks_takes(const struct mrc_req *req, const struct mrc_msg *m)
{
	u16 open = req->ask_n - req->ask_una;

	if (mrc_msg_asks(m) && open >= req->cfg.max_asks)
		return false;
	if (mrc_msg_asks(m) && open &&
	    req->ask_pkts + result_pkts(req, m) > ASKED_MAX)
		return false;
	return !(m->d.flags & MRC_MSG_FENCE) || !open;
}

/**
 * mrc_req_takes() - could a message be sent if it were posted now?
 * @req: requester
 * @d: message
 *
 * Messages are sent in the order of posting, so one that has to wait for the peer
 * to do something keeps all others back, the peer's results among them.  If both
 * sides did that, both would wait forever: an owner that posts results holds its
 * own messages until this is true.  Likewise messages end in the order of posting,
 * so behind a READ results take slots and PSNs until it has ended; one's own
 * messages leave MRC_ASK_MAX slots and the PSNs of the longest result to them.  No
 * more are in front of the one that the peer needs to answer that READ: those
 * that were open when it was posted.
 *
 * Context: any, the owner serialises.
 * Return: false if it would wait for results or receive WQEs of others, or take
 *	what results need.
 */
bool mrc_req_takes(const struct mrc_req *req, const struct mrc_msg_desc *d)
{
	const struct mrc_msg m = { .d = *d };
	bool result = d->flags & MRC_MSG_RESULT;

	/* It ends when those before it have, and nothing behind it is sent. */
	if (d->status)
		return !mrc_req_owed(req);
	if (mrc_req_room(req) <= (result ? 0 : MRC_ASK_MAX) ||
	    !span_takes(req, &m))
		return false;
	if (mrc_msg_uses_rq(&m) && req->rq_open >= req->cfg.max_wimm)
		return false;
	return result || asks_takes(req, &m);
}

/**
 * mrc_req_post() - take over a message
 * @req: requester with mrc_req_room()
 * @d: message; copied
 *
 * PSNs are assigned here, consecutively; a message without payload, such as a
 * READ, has one packet, one that is to end with an error has none.
 *
 * Context: any, the owner serialises.
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
	m->rqmsn = d->flags & MRC_MSG_RESULT ? d->ask : 0;
	m->answered = false;
	if (mrc_msg_uses_rq(m)) {
		m->rqmsn = req->rqmsn++;
		req->rq_open++;
	} else if (mrc_msg_asks(m)) {
		m->rqmsn = req->ask_n++;
		req->ask_pkts += result_pkts(req, m);
	}
	req->end = mrc_psn_add(req->end, m->npkts);
}

/**
 * mrc_req_answer_asks() - a result that was asked for is complete
 * @req: requester
 * @n: number of a request between @ask_una and @ask_next of @req
 *
 * Context: any, the owner serialises.
 */
void mrc_req_answer_asks(struct mrc_req *req, u16 n)
{
	struct mrc_msg *m = mrc_req_asked(req, n);

	m->answered = true;
	while (req->ask_una != req->ask_next) {
		m = mrc_req_asked(req, req->ask_una);
		if (!m->answered)
			return;
		req->ask_pkts -= result_pkts(req, m);
		req->ask_una++;
	}
}

/**
 * mrc_req_idle() - have all messages ended and been popped?
 * @req: requester
 *
 * Context: any, the owner serialises.
 * Return: true if so.
 */
bool mrc_req_idle(const struct mrc_req *req)
{
	return req->msg_tail == req->msg_head;
}

/**
 * mrc_req_fail() - stop with an error
 * @req: requester
 * @msg: index of the message that gets it
 * @status: the error; only the first one counts
 *
 * Context: any, the owner serialises.
 */
void mrc_req_fail(struct mrc_req *req, u32 msg, enum mrc_status status)
{
	if (req->status)
		return;
	req->status = status;
	req->err_msg = msg;
	req->rto_at = 0;
	req->probe_at = 0;
	req->hold_until = 0;
}

/**
 * mrc_req_advance() - complete the messages that transport ACKs cover
 * @req: requester
 *
 * One that asks for a result needs that as well, and holds up those behind it.
 * A message that is to end with an error does so once it is the oldest one.
 *
 * Context: any, the owner serialises.
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
		 * Unsigned: messages may have 2^23 packets.  Everything before
		 * this one is covered, so the distance is never negative.
		 */
		if (((req->ack_psn - m->first_psn) & MRC_PSN_MASK) < m->npkts)
			return;
		if (mrc_msg_asks(m) && !m->answered)
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
 * In post order.  Once the requester has stopped, messages that had completed
 * end well, the one at fault with its error, all others flushed.
 *
 * Context: any, the owner serialises.
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
 * Context: any, the owner serialises.
 */
void mrc_req_flush(struct mrc_req *req)
{
	mrc_req_fail(req, req->msg_head, MRC_ERR_FLUSH);
}

/*
 * Packets from @psn on are of no interest any more: nobody waits for them, sends
 * them again or blames a path for them.
 */
static void forget_from(struct mrc_req *req, u32 psn)
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
			req->inflight -= rec->nominal;
			mrc_evwait_settled(req->evs, rec->path, rec->sent);
		}
		mrc_psnmap_set(req->acked, mask, psn);
		req->n_acked++;
	}
}

/* The message to be sent next is the one that ends with an error. */
static void stop_at(struct mrc_req *req, u32 msg)
{
	if ((s32)(req->msg_send - msg) < 0)
		return;
	req->msg_send = msg;
	req->msg_pkt = 0;
	forget_from(req, mrc_req_msg(req, msg)->first_psn);
}

/**
 * mrc_req_abort() - a message cannot be sent (any further)
 * @req: requester
 * @cookie: the message at fault; if it is not under way, nothing happens
 * @status: its error
 *
 * It ends in its turn: an error flushes what was posted after it, while what was
 * posted before is in the network already and ends as it would have, with a
 * status of its own (InfiniBand's rule for the completions of an RC send queue).
 * Until then lost packets of those are sent again.  Its own, and those of what was
 * posted after it, may or may not be in the network: they count as answered.
 *
 * Context: any, the owner serialises.
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
