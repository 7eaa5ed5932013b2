// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder, answers: when a SACK is due, what it says, and the packets that
 * leave together at the end of a received burst.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/psn.h"
#include "core/psnmap.h"
#include "core/sack.h"

/* Packets of one answer. */
#define SACKS_MAX	((MRC_ANSWER_MAX - MRC_ACK_LEN) / MRC_SACK_LEN)
#define NACKS_MAX	(MRC_ANSWER_MAX / MRC_NACK_LEN)

/* On so many paths leaves what was asked for: with a gap, and in vain before. */
#define COPIES_ASKED	2
#define COPIES_UNHEARD	3

static_assert(SACKS_MAX >= 2);
static_assert(MRC_ACK_LEN <= MRC_SACK_LEN);

static u32 later(u32 a, u32 b)
{
	return mrc_psn_diff(a, b) > 0 ? a : b;
}

/**
 * mrc_rsp_trigger_sack() - have a packet answered by a SACK
 * @rsp: responder
 * @pkt: the packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * A burst is answered once, for its latest packet; a mark is not forgotten for
 * that, as the packets of a burst share their path.
 */
void mrc_rsp_trigger_sack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt,
			  u32 ev, bool ce)
{
	struct mrc_rsp_trigger *t = &rsp->trig;

	if (rsp->due & MRC_DUE_SACK && t->ce && !ce)
		return;
	rsp->due |= MRC_DUE_SACK;
	t->psn = pkt->psn;
	t->ev = ev;
	t->at = rsp->now;
	t->tx_ts = pkt->tx_ts;
	t->ts = pkt->flags & MRC_PF_TS;
	t->ce = ce;
	t->rtx = pkt->flags & MRC_PF_RTX;
	t->probe = false;
}

/*
 * A packet that asks is answered twice if it comes beyond a gap: as it arrives,
 * and when the gap has been closed (prev_ar of MRC 1.0 table 7-5).  Whoever asks
 * may send nothing more, and what closes the gap need not be of any note.
 */
static bool asked_before(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	bool closed = rsp->asking &&
		      mrc_psn_diff(rsp->cack, rsp->asked_psn) >= 0;

	if (closed)
		rsp->asking = false;
	if (pkt->flags & MRC_PF_ACKREQ &&
	    mrc_psn_diff(pkt->psn, rsp->cack) > 0) {
		rsp->asked_psn = rsp->asking ? later(rsp->asked_psn, pkt->psn) :
					       pkt->psn;
		rsp->asking = true;
	}
	return closed;
}

/**
 * mrc_rsp_count() - does a new packet make a SACK due?
 * @rsp: responder
 * @pkt: the packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * The triggers of MRC 1.0 7.5.2: enough bytes, a request for an answer, a mark,
 * a retransmission (the fifth, a probe, is no data packet).
 */
void mrc_rsp_count(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		   bool ce)
{
	bool asked = asked_before(rsp, pkt) || pkt->flags & MRC_PF_ACKREQ;

	rsp->sack_cnt += max_t(u32, pkt->payload_len, MRC_SACK_MIN_ADD);
	if (asked)
		rsp->due |= MRC_DUE_ACK;
	if (rsp->sack_cnt > rsp->cfg.sack_threshold || ce || asked ||
	    pkt->flags & MRC_PF_RTX)
		mrc_rsp_trigger_sack(rsp, pkt, ev, ce);
}

/**
 * mrc_rsp_on_probe() - a reliability probe arrived
 * @rsp: responder
 * @probe: decoded probe
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * A peer that asks wants to know everything: as many SACKs go out as it takes
 * to describe all packets beyond the gap.  The transport ACK is repeated as
 * well, it may be what the peer is missing.
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_on_probe(struct mrc_rsp *rsp, const struct mrc_pkt *probe, u32 ev,
		      bool ce)
{
	struct mrc_rsp_trigger *t = &rsp->probe;
	u32 span = mrc_psn_diff(rsp->max_rcv, rsp->cack);

	if (rsp->repeats < MRC_RSP_REPEATS_MAX)
		rsp->repeats++;
	rsp->due |= MRC_DUE_ACK;
	rsp->probe_left = max(1U, DIV_ROUND_UP(span, MRC_SACK_BITS));
	t->psn = probe->probe.probe_id;
	t->ev = ev;
	t->at = rsp->now;
	t->tx_ts = probe->probe.tx_ts;
	t->ts = true;
	t->ce = ce;
	t->rtx = false;
	t->probe = true;
}

/*
 * First PSN of the bitmap.  64 bits do not describe a window of a thousand, so
 * SACKs take turns: each goes on where the one before ended, and begins anew at
 * the top (as UET's PDS does).
 */
static u32 next_slice(struct mrc_rsp *rsp)
{
	u32 first = mrc_psn_add(rsp->cack, 1);
	u32 base = later(rsp->low_unsacked, first);

	if (mrc_psn_diff(mrc_psn_add(base, MRC_SACK_BITS), rsp->max_rcv) > 0)
		base = later(mrc_psn_add(rsp->max_rcv, 1 - MRC_SACK_BITS),
			     first);
	rsp->low_unsacked = mrc_psn_add(base, MRC_SACK_BITS);
	if (mrc_psn_diff(rsp->low_unsacked, rsp->max_rcv) > 0)
		rsp->low_unsacked = first;
	return base;
}

/*
 * The timestamp to be reflected, put forward by the time for which the packet
 * was kept: who subtracts it from the time then gets the network's part alone,
 * without a field for the rest (wire format, D5).
 */
static u16 reflected_ts(const struct mrc_rsp *rsp,
			const struct mrc_rsp_trigger *t)
{
	u64 kept = rsp->now > t->at ? (rsp->now - t->at) >> MRC_TS_SHIFT : 0;

	if (!rsp->cfg.svc_time || !t->ts)
		return t->tx_ts;
	return t->tx_ts + min_t(u64, kept, U16_MAX);
}

static u32 put_sack(struct mrc_rsp *rsp, const struct mrc_rsp_trigger *t,
		    u8 *buf)
{
	u32 base = next_slice(rsp);
	struct mrc_pkt_sack s = {
		.cack_psn = rsp->cack,
		.entropy = t->ev,
		.bitmap = mrc_psnmap_get64(rsp->received, rsp->cfg.mpr - 1,
					   base),
		.rcvd_bytes = (rsp->rcvd_bytes + MRC_RCVD_UNIT - 1) >>
			      MRC_RCVD_UNIT_SHIFT & MRC_MASK_24,
		.ooo_count = min_t(u32, rsp->ooo, MRC_CC_OOO_MASK),
		.sack_offset = mrc_psn_diff(base, rsp->cack),
		.tx_ts = reflected_ts(rsp, t),
		.mpr = rsp->cfg.dynamic_mpr ? rsp->mpr / MRC_MPR_UNIT : 0,
		.cwnd_pen = rsp->cwnd_pen,
		.restore_cwnd = rsp->restore_cwnd,
		.mark = t->ce ? MRC_MARK_SKIP_ONCE : MRC_MARK_NONE,
		.probe = t->probe,
		.rtx = t->rtx,
	};

	if (t->probe)
		s.probe_id = t->psn;
	else
		s.ack_psn_offset = clamp_t(s32, mrc_psn_diff(t->psn, rsp->cack),
					   S16_MIN, S16_MAX);
	rsp->stats.sacks++;
	mrc_pkt_put_sack(buf, rsp->cfg.peer_qpn, &s);
	return MRC_SACK_LEN;
}

/* The standing NAK once its time has come, the cumulative ACK until then. */
static u32 put_ack(struct mrc_rsp *rsp, u8 *buf)
{
	bool nak = mrc_rsp_dead(rsp);
	struct mrc_pkt_ack a = {
		.psn = nak ? rsp->fail_psn : rsp->cack,
		.msn = rsp->msn & MRC_MASK_24,
		.syndrome = nak ? rsp->fail_syndrome : MRC_SYN_ACK,
	};

	rsp->acked_psn = rsp->cack;
	rsp->stats.acks++;
	mrc_pkt_put_ack(buf, rsp->cfg.peer_qpn, &a);
	return MRC_ACK_LEN;
}

static u32 put_rnr(struct mrc_rsp *rsp, u8 *buf)
{
	struct mrc_pkt_ack a = {
		.psn = rsp->rnr_psn,
		.msn = rsp->msn & MRC_MASK_24,
		.syndrome = MRC_SYN_TYPE_RNR | rsp->rnr_timer,
	};

	rsp->stats.rnr_naks++;
	mrc_pkt_put_ack(buf, rsp->cfg.peer_qpn, &a);
	return MRC_ACK_LEN;
}

/**
 * mrc_rsp_set_mpr() - change the PSN window that the peer is told
 * @rsp: responder
 * @mpr: packets; brought into the range from one unit (128) to what was agreed
 *
 * For owners that are short of something packets need until their message is
 * complete.  The peer shrinks its window when it hears of it; what is in flight
 * by then is still accepted.  Without effect unless dynamic MPR was agreed.
 * The module's QPs are short of nothing but memory of the application: nobody
 * there calls this.  Owners with buffers of their own, such as simulated NICs, do.
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_set_mpr(struct mrc_rsp *rsp, u32 mpr)
{
	rsp->mpr = min(max_t(u32, mpr, MRC_MPR_UNIT), rsp->cfg.mpr);
}

/**
 * mrc_rsp_set_penalty() - slow all senders down, or no longer
 * @rsp: responder
 * @pen: 0 for none; 64 in all SACKs of a round trip halves the peer's window,
 *	127 leaves it one packet
 * @restore: when the penalty ends, the peer goes back to the window it had
 *
 * For owners that cannot follow (MRC 1.0 7.5.1), as with mrc_rsp_set_mpr().
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_set_penalty(struct mrc_rsp *rsp, u8 pen, bool restore)
{
	rsp->cwnd_pen = min_t(u8, pen, MRC_CC_PEN_MASK);
	rsp->restore_cwnd = restore;
}

static void add(struct mrc_answer *a, u32 len)
{
	if (!a->n++)
		a->seg = len;
	a->len += len;
}

static void answer_sacks(struct mrc_rsp *rsp, struct mrc_answer *a)
{
	u8 due = rsp->due;

	rsp->due &= ~(MRC_DUE_SACK | MRC_DUE_ACK);
	if (due & MRC_DUE_SACK) {
		rsp->sack_cnt = 0;
		add(a, put_sack(rsp, &rsp->trig, a->buf));
	}
	for (; rsp->probe_left && a->n < SACKS_MAX; rsp->probe_left--)
		add(a, put_sack(rsp, &rsp->probe, a->buf + a->len));
	if (due & MRC_DUE_ACK || (a->n && rsp->cack != rsp->acked_psn))
		add(a, put_ack(rsp, a->buf + a->len));
}

static void answer_nacks(struct mrc_rsp *rsp, struct mrc_answer *a)
{
	u8 n = min_t(u8, rsp->n_nacks, NACKS_MAX);
	u8 i;

	for (i = 0; i < n; i++) {
		mrc_pkt_put_nack(a->buf + a->len, rsp->cfg.peer_qpn,
				 &rsp->nacks[i]);
		add(a, MRC_NACK_LEN);
	}
	rsp->stats.nacks += n;
	rsp->n_nacks -= n;
	for (i = 0; i < rsp->n_nacks; i++)
		rsp->nacks[i] = rsp->nacks[i + n];
}

static enum mrc_doubt doubt(const struct mrc_rsp *rsp)
{
	if (rsp->repeats >= MRC_RSP_REPEATS &&
	    rsp->repeats < MRC_RSP_REPEATS_MAX)
		return MRC_DOUBT_UNHEARD;
	return rsp->ooo ? MRC_DOUBT_GAP : MRC_DOUBT_NONE;
}

/* Who asks has stopped and waits.  Packets are sent again in numbers. */
static u8 copies(const struct mrc_rsp *rsp, enum mrc_doubt doubt)
{
	if (!doubt || !rsp->probe_left)
		return 1;
	return doubt == MRC_DOUBT_UNHEARD ? COPIES_UNHEARD : COPIES_ASKED;
}

/**
 * mrc_rsp_answer() - build what is due after a received burst
 * @rsp: responder
 * @answer: packets for one GSO buffer
 *
 * To be called until it returns false: packets whose sizes do not go together
 * come in answers of their own.
 *
 * Context: any, the owner serialises.
 * Return: false if nothing (more) is due.
 */
bool mrc_rsp_answer(struct mrc_rsp *rsp, struct mrc_answer *answer)
{
	answer->n = 0;
	answer->seg = 0;
	answer->len = 0;
	answer->data = rsp->due & (MRC_DUE_SACK | MRC_DUE_RNR) || rsp->n_nacks ||
		       rsp->ooo;
	answer->doubt = doubt(rsp);
	answer->copies = copies(rsp, answer->doubt);
	if (rsp->due & (MRC_DUE_SACK | MRC_DUE_ACK) || rsp->probe_left) {
		answer_sacks(rsp, answer);
	} else if (rsp->n_nacks) {
		answer_nacks(rsp, answer);
	} else if (rsp->due & MRC_DUE_RNR) {
		rsp->due &= ~MRC_DUE_RNR;
		add(answer, put_rnr(rsp, answer->buf));
	}
	return answer->n;
}
