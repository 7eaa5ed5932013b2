// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: acceptance of packets, the cumulative PSN, and delivery of
 * messages in order although packets arrive in any order.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/cc.h"
#include "core/responder_internal.h"

/* Acknowledgments of an old duplicate: a SACK and an ACK. */
#define OLD_ANSWERS	2

/* Entries of the ring of messages. */
static u32 msg_slots(const struct mrc_rsp_cfg *cfg)
{
	return roundup_pow_of_two(cfg->max_wimm);
}

/**
 * mrc_rsp_mem_size() - memory for the arrays of a responder
 * @cfg: attributes
 *
 * Return: bytes.
 */
size_t mrc_rsp_mem_size(const struct mrc_rsp_cfg *cfg)
{
	return 2 * mrc_psnmap_bytes(cfg->mpr) +
	       mrc_rd_atomic_slots(cfg->max_dest_rd_atomic) *
		       sizeof(struct mrc_rd_atomic) +
	       msg_slots(cfg) * sizeof(struct mrc_rsp_msg);
}

/**
 * mrc_rsp_init() - start a responder
 * @rsp: responder
 * @cfg: attributes; copied.  The caller has checked their ranges
 * @mem: mrc_rsp_mem_size() bytes, aligned to 8; outlives the responder
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_init(struct mrc_rsp *rsp, const struct mrc_rsp_cfg *cfg,
		  void *mem)
{
	memset(rsp, 0, sizeof(*rsp));
	memset(mem, 0, mrc_rsp_mem_size(cfg));
	rsp->cfg = *cfg;
	rsp->received = mem;
	rsp->last = rsp->received + cfg->mpr / 64;
	rsp->rd_atomic = (void *)(rsp->last + cfg->mpr / 64);
	rsp->rd_atomic_mask = mrc_rd_atomic_slots(cfg->max_dest_rd_atomic) - 1;
	rsp->msgs = (void *)(rsp->rd_atomic +
			     mrc_rd_atomic_slots(cfg->max_dest_rd_atomic));
	rsp->msgs_mask = msg_slots(cfg) - 1;
	rsp->cack = mrc_psn_add(cfg->rq_psn, -1);
	rsp->max_rcv = rsp->cack;
	rsp->acked_psn = rsp->cack;
	rsp->low_unsacked = mrc_psn_add(rsp->cack, 1);
	if (!cfg->mpr_limit || cfg->mpr_limit > cfg->mpr)
		rsp->cfg.mpr_limit = cfg->mpr;
	rsp->mpr = rsp->cfg.mpr_limit;
	rsp->dup_rounds = MRC_RSP_DUP_ROUNDS_MAX;
	mrc_rate_init(&rsp->probe_rate, MRC_RSP_PROBE_RATE,
		      MRC_RSP_PROBE_BURST);
	mrc_rate_init(&rsp->old_rate, MRC_RSP_OLD_RATE, MRC_RSP_OLD_BURST);
}

static struct mrc_rsp_msg *msg_of(const struct mrc_rsp *rsp, u16 rqmsn)
{
	return &rsp->msgs[rqmsn & rsp->msgs_mask];
}

/**
 * mrc_rsp_fail_pkt() - refuse a packet that has not been placed, with a NAK
 * @rsp: responder
 * @psn: its PSN; the packet was not and will not be placed
 * @syndrome: AETH syndrome of the transport NAK
 *
 * Packets before it are still accepted, because a NAK acknowledges all of them;
 * the responder stops when they have arrived.  The lowest PSN wins.
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_fail_pkt(struct mrc_rsp *rsp, u32 psn, u8 syndrome)
{
	u32 mask = rsp->cfg.mpr - 1;
	s32 ahead;

	if (rsp->fail_now ||
	    (rsp->fail_set && mrc_psn_diff(psn, rsp->fail_psn) >= 0))
		return;
	rsp->fail_set = true;
	rsp->fail_psn = psn;
	rsp->fail_syndrome = syndrome;
	ahead = mrc_psn_diff(psn, rsp->cack);
	if (ahead > 0 && ahead <= (s32)rsp->cfg.mpr &&
	    mrc_psnmap_test(rsp->received, mask, psn)) {
		mrc_psnmap_clear(rsp->received, mask, psn);
		rsp->ooo--;
	}
	if (mrc_rsp_failed(rsp))
		rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_fail_msg() - refuse a message that has been accepted, with a NAK
 * @rsp: responder
 * @psn: of its only or last packet
 * @syndrome: AETH syndrome of the transport NAK
 *
 * For READs, ATOMICs and SENDs with invalidate that fail when they are
 * executed.  The responder stops at once: anything that mrc_rsp_fail_pkt() has
 * refused comes after this message.  So many packets may have arrived since
 * that PSNs cannot be ordered any more.
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_fail_msg(struct mrc_rsp *rsp, u32 psn, u8 syndrome)
{
	if (mrc_rsp_failed(rsp))
		return;
	rsp->fail_set = true;
	rsp->fail_now = true;
	rsp->fail_psn = psn;
	rsp->fail_syndrome = syndrome;
	rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_not_ready() - refuse a packet for lack of a receive WQE
 * @rsp: responder
 * @pkt: packet for which mrc_rsp_accept() returned MRC_RSP_NEW
 * @rnr_timer: RNR NAK timer code, 0..31
 *
 * Extension: MRC 1.0 has no RNR.  The packet counts as never received.
 *
 * Context: any, the caller serialises.
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

/* A conforming peer can be slightly ahead of the window, but not further. */
static bool is_far(const struct mrc_rsp *rsp, u32 psn)
{
	return mrc_psn_diff(psn, rsp->cack) > 2 * (s32)rsp->cfg.mpr;
}

static bool has_arrived(const struct mrc_rsp *rsp, u32 psn)
{
	s32 ahead = mrc_psn_diff(psn, rsp->cack);

	return ahead <= 0 ||
	       (ahead <= (s32)rsp->cfg.mpr &&
		mrc_psnmap_test(rsp->received, rsp->cfg.mpr - 1, psn));
}

/*
 * May a packet that has arrived before be acknowledged again?  Only an old one can
 * be forged without knowledge of the PSNs.
 */
static bool may_answer(struct mrc_rsp *rsp, u32 psn)
{
	if (!mrc_rsp_is_old(rsp, psn) ||
	    mrc_rate_take(&rsp->old_rate, rsp->now, OLD_ANSWERS))
		return true;
	rsp->stats.old_limited++;
	return false;
}

static bool nack_pending(const struct mrc_rsp *rsp, u32 psn)
{
	u8 i;

	for (i = 0; i < rsp->n_nacks; i++)
		if (rsp->nacks[i].psn == psn)
			return true;
	return false;
}

static bool is_trim(u8 reason)
{
	return reason == MRC_NACK_TRIMMED || reason == MRC_NACK_TRIMMED_LASTHOP;
}

/**
 * mrc_rsp_nack() - refuse a packet that is to be retransmitted at once
 * @rsp: responder
 * @pkt: the packet; a trimmed one has its headers only
 * @ev: entropy value it arrived with
 * @reason: enum mrc_nack_reason
 *
 * A packet that has arrived before is SACKed instead (MRC 1.0 7.5.3), one that is
 * far beyond the window is ignored, and so is a trimmed one if the peer does not
 * expect NACKs of these.  Not more than MRC_RSP_NACKS packets are
 * refused until the next mrc_rsp_build_acks().
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_nack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		  u8 reason)
{
	struct mrc_pkt_nack *nack;

	if (has_arrived(rsp, pkt->psn)) {
		if (may_answer(rsp, pkt->psn))
			mrc_rsp_trigger_sack(rsp, pkt, ev, false);
		return;
	}
	if (rsp->cfg.no_trim_nack && is_trim(reason))
		return;
	if (is_far(rsp, pkt->psn) || nack_pending(rsp, pkt->psn) ||
	    rsp->n_nacks == MRC_RSP_NACKS)
		return;
	nack = &rsp->nacks[rsp->n_nacks++];
	nack->psn = pkt->psn;
	nack->entropy = ev;
	nack->tx_ts = pkt->tx_ts;
	nack->reason = reason;
}

/*
 * Is a packet of a message that consumes a receive WQE consistent with the
 * packets of that message that have arrived?
 */
static bool fits_msg(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	const struct mrc_rsp_msg *m = msg_of(rsp, pkt->rqmsn);
	bool is_send = pkt->op->flags & MRC_OPF_SEND;

	/* Beyond max_wimm, or a message that has been delivered. */
	if ((u16)(pkt->rqmsn - rsp->next_rqmsn) >= rsp->cfg.max_wimm)
		return false;
	if (!m->used)
		return true;
	return m->is_send && is_send && m->length == pkt->dmalen &&
	       !(m->complete && pkt->op->flags & MRC_OPF_LAST);
}

/* Is a new packet consistent with the attributes and with earlier packets? */
static bool is_consistent(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	if (pkt->op->flags & MRC_OPF_RQ)
		return fits_msg(rsp, pkt);
	return !(pkt->op->flags & MRC_OPF_RD_ATOMIC) ||
	       mrc_rd_atomic_valid(rsp, pkt);
}

static enum mrc_rsp_verdict out_of_window(struct mrc_rsp *rsp,
					  const struct mrc_pkt *pkt, u32 ev)
{
	rsp->stats.out_of_window++;
	if (is_far(rsp, pkt->psn))
		return MRC_RSP_DROP;
	mrc_rsp_nack(rsp, pkt, ev, MRC_NACK_PSN_OOR_WINDOW);
	return MRC_RSP_NACK;
}

/**
 * mrc_rsp_accept() - decide what to do with a data packet
 * @rsp: responder
 * @pkt: decoded packet
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * MRC 1.0 6.3.1.  Acknowledgments that are due without the payload are
 * scheduled for mrc_rsp_build_acks().
 *
 * Context: any, the caller serialises.
 * Return: the verdict.
 */
enum mrc_rsp_verdict mrc_rsp_accept(struct mrc_rsp *rsp,
				    const struct mrc_pkt *pkt, u32 ev,
				    bool ce)
{
	s32 ahead = mrc_psn_diff(pkt->psn, rsp->cack);

	rsp->stats.ecn += ce;
	if (rsp->fail_now ||
	    (rsp->fail_set && mrc_psn_diff(pkt->psn, rsp->fail_psn) >= 0)) {
		if (mrc_rsp_failed(rsp))
			rsp->due |= MRC_DUE_ACK;
		return MRC_RSP_DROP;
	}
	if (ahead > (s32)rsp->cfg.mpr_limit)
		return out_of_window(rsp, pkt, ev);
	if (has_arrived(rsp, pkt->psn)) {
		rsp->stats.dups++;
		if (!may_answer(rsp, pkt->psn))
			return MRC_RSP_DUP;
		/* Without RTX the network has duplicated the packet. */
		if (pkt->flags & MRC_PF_RTX)
			rsp->dup_rounds = MRC_RSP_DUP_ROUNDS;
		if (ahead <= 0)
			rsp->due |= MRC_DUE_ACK;
		mrc_rsp_trigger_sack(rsp, pkt, ev, ce);
		return MRC_RSP_DUP;
	}
	if (!is_consistent(rsp, pkt)) {
		mrc_rsp_fail_pkt(rsp, pkt->psn, MRC_SYN_NAK_INV_REQ);
		return MRC_RSP_DROP;
	}
	return MRC_RSP_NEW;
}

static void msg_add_pkt(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	struct mrc_rsp_msg *m = msg_of(rsp, pkt->rqmsn);
	u32 op = pkt->op->flags;

	m->used = true;
	m->rqmsn = pkt->rqmsn;
	m->length = pkt->dmalen;
	m->is_send = op & MRC_OPF_SEND;
	if (!(op & MRC_OPF_LAST))
		return;
	m->complete = true;
	m->last_psn = pkt->psn;
	m->solicited = pkt->flags & MRC_PF_SE;
	m->has_imm = op & MRC_OPF_IMM;
	m->has_inv = op & MRC_OPF_INV;
	m->imm = pkt->imm;
}

/* Packets that follow the cumulative PSN without a gap, at most 64. */
static u32 arrived_run(const struct mrc_rsp *rsp)
{
	u32 first = mrc_psn_add(rsp->cack, 1);
	u64 gaps = ~mrc_psnmap_get64(rsp->received, rsp->cfg.mpr - 1, first);
	u32 run = gaps ? __ffs64(gaps) : 64;

	return rsp->fail_set ?
	       min_t(u32, run, mrc_psn_diff(rsp->fail_psn, first)) : run;
}

static void advance(struct mrc_rsp *rsp)
{
	u32 mask = rsp->cfg.mpr - 1;
	u32 run, first;
	u64 bits;

	do {
		run = mrc_rsp_failed(rsp) ? 0 : arrived_run(rsp);
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
	if (mrc_rsp_failed(rsp))
		rsp->due |= MRC_DUE_ACK;
}

/**
 * mrc_rsp_placed() - the payload of a packet has been placed
 * @rsp: responder
 * @pkt: packet for which mrc_rsp_accept() has just returned MRC_RSP_NEW
 * @ev: entropy value it arrived with
 * @ce: it carries an ECN mark
 *
 * Context: any, the caller serialises.
 */
void mrc_rsp_placed(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		    bool ce)
{
	u32 mask = rsp->cfg.mpr - 1;

	rsp->dup_rounds = 0;
	rsp->stats.rx_pkts++;
	rsp->stats.rx_bytes += pkt->payload_len;
	rsp->rcvd_bytes += pkt->payload_off + pkt->payload_len +
			   mrc_pkt_trailer_len(pkt->payload_len) +
			   MRC_CC_NOMINAL_OVERHEAD;
	if (pkt->op->flags & MRC_OPF_RQ)
		msg_add_pkt(rsp, pkt);
	else if (pkt->op->flags & MRC_OPF_RD_ATOMIC)
		mrc_rd_atomic_store(rsp, pkt);

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
	mrc_rsp_update_due(rsp, pkt, ev, ce);
}

/**
 * mrc_rsp_pop() - take the next message that consumed a receive WQE
 * @rsp: responder
 * @d: the message
 *
 * In the order of posting by the peer, and only when all packets posted before
 * it have arrived (MRC 1.0 6.3).  The caller repeats this until it returns
 * false, and keeps the lock under which it sends acknowledgments until then,
 * because these allow the peer to send further messages.  There are no more
 * after mrc_rsp_fail_msg().
 *
 * The caller invalidates an R_Key on delivery: once, however often packets
 * arrived, after everything posted before has been placed, and before the
 * message is acknowledged.
 *
 * Context: any, the caller serialises.
 * Return: false if there is none (yet).
 */
bool mrc_rsp_pop(struct mrc_rsp *rsp, struct mrc_delivery *d)
{
	struct mrc_rsp_msg *m = msg_of(rsp, rsp->next_rqmsn);

	if (!m->complete || mrc_psn_diff(rsp->cack, m->last_psn) < 0 ||
	    rsp->fail_now)
		return false;
	d->rqmsn = m->rqmsn;
	d->length = m->length;
	d->imm = m->imm;
	d->last_psn = m->last_psn;
	d->has_imm = m->has_imm;
	d->has_inv = m->has_inv;
	d->solicited = m->solicited;
	d->is_send = m->is_send;
	memset(m, 0, sizeof(*m));
	rsp->next_rqmsn++;
	return true;
}
