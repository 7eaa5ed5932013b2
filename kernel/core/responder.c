// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: acceptance of packets, the cumulative edge, and delivery of
 * messages in order although packets come in any order.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/cc.h"
#include "core/psn.h"
#include "core/psnmap.h"
#include "core/sack.h"

/**
 * mrc_rsp_mem_size() - memory for the arrays of a responder
 * @cfg: attributes
 *
 * Return: bytes.
 */
size_t mrc_rsp_mem_size(const struct mrc_rsp_cfg *cfg)
{
	return 2 * mrc_psnmap_bytes(cfg->mpr) +
	       cfg->max_wimm * sizeof(struct mrc_rsp_stash);
}

/**
 * mrc_rsp_init() - start a responder
 * @rsp: responder
 * @cfg: attributes; copied.  The caller has checked their ranges
 * @mem: mrc_rsp_mem_size() bytes, aligned to 8; outlives the responder
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_init(struct mrc_rsp *rsp, const struct mrc_rsp_cfg *cfg,
		  void *mem)
{
	memset(rsp, 0, sizeof(*rsp));
	memset(mem, 0, mrc_rsp_mem_size(cfg));
	rsp->cfg = *cfg;
	rsp->received = mem;
	rsp->last = rsp->received + cfg->mpr / 64;
	rsp->stash = (void *)(rsp->last + cfg->mpr / 64);
	rsp->cack = mrc_psn_add(cfg->rq_psn, -1);
	rsp->max_rcv = rsp->cack;
	rsp->acked_psn = rsp->cack;
	rsp->low_unsacked = mrc_psn_add(rsp->cack, 1);
	rsp->mpr = cfg->mpr;
	rsp->repeats = MRC_RSP_REPEATS_MAX;
}

static struct mrc_rsp_stash *stash_of(const struct mrc_rsp *rsp, u16 rqmsn)
{
	return &rsp->stash[rqmsn & (rsp->cfg.max_wimm - 1)];
}

/**
 * mrc_rsp_dead() - has the responder stopped?
 * @rsp: responder
 *
 * Context: any, the owner serialises.
 * Return: true once everything before the PSN of mrc_rsp_fail() has arrived,
 *	or after mrc_rsp_refuse(): the NAK may be sent then, and the QP is in
 *	error.
 */
bool mrc_rsp_dead(const struct mrc_rsp *rsp)
{
	return rsp->refused ||
	       (rsp->failed && mrc_psn_diff(rsp->fail_psn, rsp->cack) <= 1);
}

/**
 * mrc_rsp_fail() - refuse a PSN for good
 * @rsp: responder
 * @psn: a packet that was not and will not be placed
 * @syndrome: AETH syndrome of the transport NAK
 *
 * Packets before it are still accepted, for a NAK acknowledges all that comes
 * before it.  The lowest PSN wins.
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_fail(struct mrc_rsp *rsp, u32 psn, u8 syndrome)
{
	u32 mask = rsp->cfg.mpr - 1;
	s32 ahead;

	if (rsp->refused ||
	    (rsp->failed && mrc_psn_diff(psn, rsp->fail_psn) >= 0))
		return;
	rsp->failed = true;
	rsp->fail_psn = psn;
	rsp->fail_syndrome = syndrome;
	ahead = mrc_psn_diff(psn, rsp->cack);
	if (ahead > 0 && ahead <= (s32)rsp->cfg.mpr &&
	    mrc_psnmap_test(rsp->received, mask, psn)) {
		mrc_psnmap_clear(rsp->received, mask, psn);
		rsp->ooo--;
	}
	if (mrc_rsp_dead(rsp))
		rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_refuse() - refuse a request at its turn, or later
 * @rsp: responder
 * @psn: of its packet, or last packet, which was accepted
 * @syndrome: AETH syndrome of the transport NAK
 *
 * READs, ATOMICs, and SENDs that are to invalidate what they may not.
 * Whatever was to be refused otherwise comes after it.  So much may have arrived
 * since that PSNs cannot be compared any more.
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_refuse(struct mrc_rsp *rsp, u32 psn, u8 syndrome)
{
	if (mrc_rsp_dead(rsp))
		return;
	rsp->failed = true;
	rsp->refused = true;
	rsp->fail_psn = psn;
	rsp->fail_syndrome = syndrome;
	rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_not_ready() - refuse a packet for want of a receive WQE
 * @rsp: responder
 * @pkt: packet that mrc_rsp_accept() found new
 * @rnr_timer: RNR NAK timer code, 0..31
 *
 * Extension: MRC 1.0 has no RNR.  The packet counts as never received.
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_not_ready(struct mrc_rsp *rsp, const struct mrc_pkt *pkt,
		       u8 rnr_timer)
{
	if (rsp->due & MRC_DUE_RNR && mrc_psn_diff(pkt->psn, rsp->rnr_psn) >= 0)
		return;
	rsp->due |= MRC_DUE_RNR;
	rsp->rnr_psn = pkt->psn;
	rsp->rnr_timer = rnr_timer & MRC_SYN_VALUE_MASK;
}

static bool has_arrived(const struct mrc_rsp *rsp, u32 psn)
{
	s32 ahead = mrc_psn_diff(psn, rsp->cack);

	return ahead <= 0 ||
	       (ahead <= (s32)rsp->cfg.mpr &&
		mrc_psnmap_test(rsp->received, rsp->cfg.mpr - 1, psn));
}

static bool nack_waits(const struct mrc_rsp *rsp, u32 psn)
{
	u8 i;

	for (i = 0; i < rsp->n_nacks; i++)
		if (rsp->nacks[i].psn == psn)
			return true;
	return false;
}

/**
 * mrc_rsp_nack() - refuse a packet, to be sent again at once
 * @rsp: responder
 * @pkt: the packet; a trimmed one has its headers only
 * @ev: entropy value it arrived with
 * @reason: enum mrc_nack_reason
 *
 * A packet that has arrived before is SACKed instead (MRC 1.0 7.5.3).
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_nack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		  u8 reason)
{
	struct mrc_pkt_nack *nack;

	if (has_arrived(rsp, pkt->psn)) {
		mrc_rsp_trigger_sack(rsp, pkt, ev, false);
		return;
	}
	if (nack_waits(rsp, pkt->psn))
		return;
	if (rsp->n_nacks == MRC_RSP_NACKS) {
		rsp->stats.nacks_lost++;
		return;
	}
	nack = &rsp->nacks[rsp->n_nacks++];
	nack->psn = pkt->psn;
	nack->entropy = ev;
	nack->tx_ts = pkt->tx_ts;
	nack->reason = reason;
}

/*
 * One packet of a message that consumes a receive WQE: does it go with what is
 * known of the message?
 */
static bool fits_stash(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	const struct mrc_rsp_stash *st = stash_of(rsp, pkt->rqmsn);
	bool is_send = pkt->op->flags & MRC_OPF_SEND;

	/* More in flight than were agreed on, or delivered long ago. */
	if ((u16)(pkt->rqmsn - rsp->next_rqmsn) >= rsp->cfg.max_wimm)
		return false;
	if (!st->used)
		return true;
	return st->is_send && is_send && st->length == pkt->dmalen &&
	       !(st->complete && pkt->op->flags & MRC_OPF_LAST);
}

/* Does a new packet go with what was agreed on and has come before? */
static bool fits(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	if (pkt->op->flags & MRC_OPF_RQ)
		return fits_stash(rsp, pkt);
	return !(pkt->op->flags & MRC_OPF_ASKS) || mrc_ask_fits(rsp, pkt);
}

/* Just above the window: an honest peer slightly ahead of us. */
static enum mrc_rsp_verdict out_of_window(struct mrc_rsp *rsp,
					  const struct mrc_pkt *pkt, u32 ev,
					  s32 ahead)
{
	rsp->stats.out_of_window++;
	if (ahead > 2 * (s32)rsp->cfg.mpr)
		return MRC_RSP_DROP;
	mrc_rsp_nack(rsp, pkt, ev, MRC_NACK_PSN_OOR_WINDOW);
	return MRC_RSP_NACK;
}

/**
 * mrc_rsp_accept() - what is to be done with a data packet?
 * @rsp: responder
 * @pkt: decoded packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * MRC 1.0 6.3.1.  Answers are arranged for as far as they are due without the
 * payload.
 *
 * Context: any, the owner serialises.
 * Return: the verdict.
 */
enum mrc_rsp_verdict mrc_rsp_accept(struct mrc_rsp *rsp,
				    const struct mrc_pkt *pkt, u32 ev,
				    bool ce)
{
	s32 ahead = mrc_psn_diff(pkt->psn, rsp->cack);

	rsp->stats.ecn += ce;
	if (rsp->refused ||
	    (rsp->failed && mrc_psn_diff(pkt->psn, rsp->fail_psn) >= 0)) {
		if (mrc_rsp_dead(rsp))
			rsp->due |= MRC_DUE_ACK;
		return MRC_RSP_DROP;
	}
	if (ahead > (s32)rsp->cfg.mpr)
		return out_of_window(rsp, pkt, ev, ahead);
	if (has_arrived(rsp, pkt->psn)) {
		rsp->stats.dups++;
		/* Networks repeat packets, too. */
		if (pkt->flags & MRC_PF_RTX)
			rsp->repeats = MRC_RSP_REPEATS;
		if (ahead <= 0)
			rsp->due |= MRC_DUE_ACK;
		mrc_rsp_trigger_sack(rsp, pkt, ev, ce);
		return MRC_RSP_DUP;
	}
	if (!fits(rsp, pkt)) {
		mrc_rsp_fail(rsp, pkt->psn, MRC_SYN_NAK_INV_REQ);
		return MRC_RSP_DROP;
	}
	return MRC_RSP_NEW;
}

static void stash_packet(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	struct mrc_rsp_stash *st = stash_of(rsp, pkt->rqmsn);
	u32 op = pkt->op->flags;

	st->used = true;
	st->rqmsn = pkt->rqmsn;
	st->length = pkt->dmalen;
	st->is_send = op & MRC_OPF_SEND;
	if (!(op & MRC_OPF_LAST))
		return;
	st->complete = true;
	st->last_psn = pkt->psn;
	st->solicited = pkt->flags & MRC_PF_SE;
	st->has_imm = op & MRC_OPF_IMM;
	st->has_inv = op & MRC_OPF_INV;
	st->imm = pkt->imm;
}

/* Packets at the cumulative edge that have arrived, at most 64. */
static u32 arrived_run(const struct mrc_rsp *rsp)
{
	u32 first = mrc_psn_add(rsp->cack, 1);
	u64 gaps = ~mrc_psnmap_get64(rsp->received, rsp->cfg.mpr - 1, first);
	u32 run = gaps ? __ffs64(gaps) : 64;

	return rsp->failed ?
	       min_t(u32, run, mrc_psn_diff(rsp->fail_psn, first)) : run;
}

static void advance(struct mrc_rsp *rsp)
{
	u32 mask = rsp->cfg.mpr - 1;
	u32 run, first;
	u64 bits;

	do {
		run = mrc_rsp_dead(rsp) ? 0 : arrived_run(rsp);
		if (!run)
			break;
		first = mrc_psn_add(rsp->cack, 1);
		bits = run < 64 ? (1ULL << run) - 1 : U64_MAX;
		rsp->msn += hweight64(mrc_psnmap_get64(rsp->last, mask, first) &
				      bits);
		mrc_psnmap_clear64(rsp->received, mask, first, bits);
		mrc_psnmap_clear64(rsp->last, mask, first, bits);
		rsp->ooo -= run;
		rsp->cack = mrc_psn_add(rsp->cack, run);
	} while (run == 64);
	if (mrc_rsp_dead(rsp))
		rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_placed() - a packet's payload is in place
 * @rsp: responder
 * @pkt: packet that mrc_rsp_accept() has just found new
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * Context: any, the owner serialises.
 */
void mrc_rsp_placed(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		    bool ce)
{
	u32 mask = rsp->cfg.mpr - 1;

	rsp->repeats = 0;
	rsp->stats.rx_pkts++;
	rsp->stats.rx_bytes += pkt->payload_len;
	rsp->rcvd_bytes += pkt->payload_off + pkt->payload_len +
			   mrc_pkt_trailer_len(pkt->payload_len) +
			   MRC_CC_NOMINAL_OVERHEAD;
	if (pkt->op->flags & MRC_OPF_RQ)
		stash_packet(rsp, pkt);
	else if (pkt->op->flags & MRC_OPF_ASKS)
		mrc_ask_stash(rsp, pkt);

	mrc_psnmap_set(rsp->received, mask, pkt->psn);
	if (pkt->op->flags & MRC_OPF_LAST)
		mrc_psnmap_set(rsp->last, mask, pkt->psn);
	if (mrc_psn_diff(pkt->psn, rsp->max_rcv) > 0)
		rsp->max_rcv = pkt->psn;
	rsp->ooo++;
	if (pkt->psn == mrc_psn_add(rsp->cack, 1))
		advance(rsp);
	else
		rsp->stats.ooo++;
	mrc_rsp_count(rsp, pkt, ev, ce);
}

/**
 * mrc_rsp_pop() - take the next message that consumed a receive WQE
 * @rsp: responder
 * @d: the message
 *
 * In the order of posting by the peer, and only when all that was posted
 * before it has arrived (MRC 1.0 4.6).  To be called until it returns false
 * before any lock is dropped in which answers were sent, for the peer counts on
 * the room.  Once something has been refused there are no more.
 *
 * An R_Key is invalidated by whom it is delivered to: once, however often packets
 * came, after all that was posted before has been placed, and before the message is
 * acknowledged.
 *
 * Context: any, the owner serialises.
 * Return: false if there is none (yet).
 */
bool mrc_rsp_pop(struct mrc_rsp *rsp, struct mrc_delivery *d)
{
	struct mrc_rsp_stash *st = stash_of(rsp, rsp->next_rqmsn);

	if (!st->complete || mrc_psn_diff(rsp->cack, st->last_psn) < 0 ||
	    rsp->refused)
		return false;
	d->rqmsn = st->rqmsn;
	d->length = st->length;
	d->imm = st->imm;
	d->last_psn = st->last_psn;
	d->has_imm = st->has_imm;
	d->has_inv = st->has_inv;
	d->solicited = st->solicited;
	d->is_send = st->is_send;
	memset(st, 0, sizeof(*st));
	rsp->next_rqmsn++;
	return true;
}
