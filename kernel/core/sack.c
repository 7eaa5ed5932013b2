// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder, acknowledgments: when a SACK is due, what it reports, and the
 * control packets that are sent together at the end of a received burst.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/responder_internal.h"

/* Packets of one batch. */
#define SACKS_MAX	((MRC_ACK_BATCH_MAX - MRC_ACK_LEN) / MRC_SACK_LEN)
#define NACKS_MAX	(MRC_ACK_BATCH_MAX / MRC_NACK_LEN)

/*
 * Paths on which the SACKs of a probe are sent if there is a gap, and if
 * earlier ones have been lost.
 */
#define COPIES_GAP	2
#define COPIES_LOSSY	3
/* Ns after which an acknowledgment stands alone; timeouts are farther apart. */
#define LONE_NS		1000000U

static_assert(SACKS_MAX >= 2);
static_assert(MRC_ACK_LEN <= MRC_SACK_LEN);

static u32 psn_max(u32 a, u32 b)
{
	return mrc_psn_diff(a, b) > 0 ? a : b;
}

/**
 * mrc_rsp_trigger_sack() - make a SACK due for a packet
 * @rsp: responder
 * @pkt: the packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * A burst gets one SACK, for its latest packet, or for the latest one with an
 * ECN mark: the packets of a burst share their path.
 *
 * Context: any, the caller serialises.
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
 * A packet with AckReq beyond a gap is acknowledged twice: when it arrives, and
 * when the gap has been closed (prev_ar of MRC 1.0 table 7-5).  The requester
 * may have nothing more to send, and the packet that closes the gap need not
 * trigger a SACK by itself.
 */
static bool gap_ackreq_closed(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	bool closed = rsp->gap_ackreq &&
		      mrc_psn_diff(rsp->cack, rsp->gap_ackreq_psn) >= 0;

	if (closed)
		rsp->gap_ackreq = false;
	if (pkt->flags & MRC_PF_ACKREQ &&
	    mrc_psn_diff(pkt->psn, rsp->cack) > 0) {
		if (!rsp->gap_ackreq)
			rsp->gap_ackreq_psn = pkt->psn;
		else
			rsp->gap_ackreq_psn = psn_max(rsp->gap_ackreq_psn,
						      pkt->psn);
		rsp->gap_ackreq = true;
	}
	return closed;
}

/**
 * mrc_rsp_update_due() - decide whether a new packet makes acknowledgments due
 * @rsp: responder
 * @pkt: the packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * The triggers of MRC 1.0 7.5.2: enough bytes, AckReq, an ECN mark, a
 * retransmission.  The fifth, a probe, is no data packet.
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_update_due(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
			bool ce)
{
	bool ackreq = gap_ackreq_closed(rsp, pkt) || pkt->flags & MRC_PF_ACKREQ;

	rsp->sack_cnt += max_t(u32, pkt->payload_len, MRC_SACK_MIN_ADD);
	if (ackreq)
		rsp->due |= MRC_DUE_ACK;
	if (rsp->sack_cnt > rsp->cfg.sack_threshold || ce || ackreq ||
	    pkt->flags & MRC_PF_RTX)
		mrc_rsp_trigger_sack(rsp, pkt, ev, ce);
}

static enum mrc_ack_path_health ack_path_health(const struct mrc_rsp *rsp)
{
	if (rsp->dup_rounds >= MRC_RSP_DUP_ROUNDS &&
	    rsp->dup_rounds < MRC_RSP_DUP_ROUNDS_MAX)
		return MRC_ACK_PATH_LOSSY;
	return rsp->ooo ? MRC_ACK_PATH_GAP : MRC_ACK_PATH_OK;
}

/*
 * A requester that probes is stalled, so the SACKs of a probe are worth copies.
 * Retransmissions are many, and cause many SACKs anyway.
 */
static u8 probe_copies(const struct mrc_rsp *rsp)
{
	switch (ack_path_health(rsp)) {
	case MRC_ACK_PATH_OK:
		return 1;
	case MRC_ACK_PATH_GAP:
		return COPIES_GAP;
	default:
		return COPIES_LOSSY;
	}
}

/*
 * Take the credit for the acknowledgments of a probe; false if there is none.
 * Without credit for all of them it is one SACK.
 */
static bool take_probe_credit(struct mrc_rsp *rsp)
{
	u32 span = mrc_psn_diff(rsp->max_rcv, rsp->cack);
	u8 slices = max(1U, DIV_ROUND_UP(span, MRC_SACK_BITS));
	u8 copies = probe_copies(rsp);

	if (mrc_rate_take(&rsp->probe_rate, rsp->now, slices * copies)) {
		rsp->probe_left = slices;
		rsp->probe_copies = copies;
		rsp->due |= MRC_DUE_ACK;
		return true;
	}
	if (!mrc_rate_take(&rsp->probe_rate, rsp->now, 1)) {
		rsp->stats.probes_limited++;
		return false;
	}
	/* More is due if an earlier probe of the burst had the credit. */
	if (!rsp->probe_left) {
		rsp->probe_left = 1;
		rsp->probe_copies = 1;
	}
	return true;
}

/**
 * mrc_rsp_on_probe() - process a reliability probe
 * @rsp: responder
 * @probe: decoded probe
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * As many SACKs are sent as are needed to describe all packets beyond the gap.
 * The transport ACK is repeated as well, because it may be what was lost.
 * Probes can be forged, so the rate of these acknowledgments is limited.
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_on_probe(struct mrc_rsp *rsp, const struct mrc_pkt *probe, u32 ev,
		      bool ce)
{
	struct mrc_rsp_trigger *t = &rsp->probe;

	if (rsp->dup_rounds < MRC_RSP_DUP_ROUNDS_MAX)
		rsp->dup_rounds++;
	if (!take_probe_credit(rsp))
		return;
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
 * First PSN of the bitmap.  64 bits do not describe a window of a thousand
 * PSNs, so each SACK continues where the one before ended, and after the
 * highest PSN received starts again from the cumulative PSN (as UET's PDS
 * does).
 */
static u32 next_slice(struct mrc_rsp *rsp)
{
	u32 first = mrc_psn_add(rsp->cack, 1);
	u32 base = psn_max(rsp->low_unsacked, first);

	if (mrc_psn_diff(mrc_psn_add(base, MRC_SACK_BITS), rsp->max_rcv) > 0)
		base = psn_max(mrc_psn_add(rsp->max_rcv, 1 - MRC_SACK_BITS),
			       first);
	rsp->low_unsacked = mrc_psn_add(base, MRC_SACK_BITS);
	if (mrc_psn_diff(rsp->low_unsacked, rsp->max_rcv) > 0)
		rsp->low_unsacked = first;
	return base;
}

/*
 * The timestamp to be reflected, increased by the service time: a requester
 * that subtracts it from the current time gets the round trip of the network,
 * without a further field (wire format, D5).
 */
static u16 reflected_ts(const struct mrc_rsp *rsp,
			const struct mrc_rsp_trigger *t)
{
	u64 ns = rsp->now > t->at ? rsp->now - t->at : 0;

	if (!rsp->cfg.svc_time || !t->ts)
		return t->tx_ts;
	return t->tx_ts + min_t(u64, ns >> MRC_TS_SHIFT, U16_MAX);
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

/* The NAK once the responder has failed, the cumulative ACK until then. */
static u32 put_ack(struct mrc_rsp *rsp, u8 *buf)
{
	bool nak = mrc_rsp_failed(rsp);
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
 * mrc_rsp_set_mpr() - change the PSN window that is announced
 * @rsp: responder
 * @mpr: packets; clamped to the range from one unit (128) to that of
 *	&struct mrc_rsp_cfg
 *
 * For callers that run short of a resource which packets occupy until their
 * message is complete, such as the buffers of a simulated NIC; the module has
 * none.  The peer shrinks its window when it receives the next SACK; packets
 * that are in flight by then are still accepted.  Without
 * &struct mrc_rsp_cfg.dynamic_mpr nothing is announced.
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_set_mpr(struct mrc_rsp *rsp, u32 mpr)
{
	rsp->mpr = min(max_t(u32, mpr, MRC_MPR_UNIT), rsp->cfg.mpr_limit);
}

static void add_pkt(struct mrc_ack_batch *a, u32 len)
{
	if (!a->n++)
		a->seg = len;
	a->len += len;
}

static void build_sacks(struct mrc_rsp *rsp, struct mrc_ack_batch *a)
{
	u8 due = rsp->due;

	rsp->due &= ~(MRC_DUE_SACK | MRC_DUE_ACK);
	if (due & MRC_DUE_SACK) {
		rsp->sack_cnt = 0;
		add_pkt(a, put_sack(rsp, &rsp->trig, a->buf));
	}
	for (; rsp->probe_left && a->n < SACKS_MAX; rsp->probe_left--)
		add_pkt(a, put_sack(rsp, &rsp->probe, a->buf + a->len));
	if (due & MRC_DUE_ACK || (a->n && rsp->cack != rsp->acked_psn))
		add_pkt(a, put_ack(rsp, a->buf + a->len));
}

static void build_nacks(struct mrc_rsp *rsp, struct mrc_ack_batch *a)
{
	u8 n = min_t(u8, rsp->n_nacks, NACKS_MAX);
	u8 i;

	for (i = 0; i < n; i++) {
		mrc_pkt_put_nack(a->buf + a->len, rsp->cfg.peer_qpn,
				 &rsp->nacks[i]);
		add_pkt(a, MRC_NACK_LEN);
	}
	rsp->stats.nacks += n;
	rsp->n_nacks -= n;
	for (i = 0; i < rsp->n_nacks; i++)
		rsp->nacks[i] = rsp->nacks[i + n];
}

/*
 * A retransmission of a packet that had arrived is worth copies, too, if it is the only
 * one for a while: a requester that counts down its retries sends no more than that.
 */
static u8 n_copies(const struct mrc_rsp *rsp, enum mrc_ack_path_health health)
{
	if (rsp->probe_left)
		return rsp->probe_copies;
	return health == MRC_ACK_PATH_LOSSY && rsp->now - rsp->acks_at >= LONE_NS ?
	       COPIES_LOSSY : 1;
}

/**
 * mrc_rsp_build_acks() - build the acknowledgments due after a received burst
 * @rsp: responder
 * @batch: packets for one GSO buffer
 *
 * The caller repeats this until it returns false: packets whose sizes do not
 * fit one GSO buffer come in separate batches.
 *
 * Context: any, the caller serialises.
 * Return: false if nothing (more) is due.
 */
bool mrc_rsp_build_acks(struct mrc_rsp *rsp, struct mrc_ack_batch *batch)
{
	batch->n = 0;
	batch->seg = 0;
	batch->len = 0;
	batch->data = rsp->due & (MRC_DUE_SACK | MRC_DUE_RNR) || rsp->n_nacks ||
		       rsp->ooo;
	batch->health = ack_path_health(rsp);
	batch->copies = n_copies(rsp, batch->health);
	if (rsp->due & (MRC_DUE_SACK | MRC_DUE_ACK) || rsp->probe_left) {
		build_sacks(rsp, batch);
	} else if (rsp->n_nacks) {
		build_nacks(rsp, batch);
	} else if (rsp->due & MRC_DUE_RNR) {
		rsp->due &= ~MRC_DUE_RNR;
		add_pkt(batch, put_rnr(rsp, batch->buf));
	}
	if (batch->n)
		rsp->acks_at = rsp->now;
	return batch->n;
}
