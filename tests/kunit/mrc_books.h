/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Accounting of requester and responder, recomputed: the sums that they keep must
 * be consistent after every call.  For suites, simulations and fuzzers.
 */
#ifndef MRC_BOOKS_H
#define MRC_BOOKS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/psn.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/psnmap.h"

/**
 * books_pkt() - describe a packet of a burst as the net layer does
 * @req: requester
 * @b: burst, from mrc_req_next_burst()
 * @i: index of the packet in the burst
 * @now: ns
 * @pkt: packet @i - 1, becomes packet @i
 *
 * Return: false if mrc_req_burst_next() makes another packet @i than
 * mrc_req_burst_pkt().
 */
static inline bool books_pkt(const struct mrc_req *req,
			     const struct mrc_burst *b, u8 i, u64 now,
			     struct mrc_burst_pkt *pkt)
{
	struct mrc_burst_pkt want;

	memset(&want, 0, sizeof(want));
	mrc_req_burst_pkt(req, b, i, now, &want);
	if (i) {
		mrc_req_burst_next(req, b, i, now, pkt);
	} else {
		memset(pkt, 0, sizeof(*pkt));
		mrc_req_burst_pkt(req, b, 0, now, pkt);
	}
	return !memcmp(pkt, &want, sizeof(want));
}

/*
 * The sums are made over all packets after each step of a simulation.  They read only
 * what the core has made, so sanitizers, which take most of the time, look at the core.
 */

/**
 * struct books - sums over the PSNs in the window of a requester
 * @inflight: nominal bytes
 * @plane: likewise, of the paths of each plane
 * @lost: packets deemed lost, not yet retransmitted
 * @acked: packets that have been delivered
 * @both: packets in @lost and @acked
 */
struct books {
	u32 inflight;
	u32 plane[MRC_PLANE_MAX];
	u32 lost;
	u32 acked;
	u32 both;
};

static inline __no_sanitize_address __no_sanitize_undefined
u64 books_mask(u32 n)
{
	return n < 64 ? (1ULL << n) - 1 : ~0ULL;
}

static inline __no_sanitize_address __no_sanitize_undefined
void books_add_pkt(const struct mrc_req *req,
		   const struct mrc_tx_pkt *pkt,
		   struct books *sum)
{
	u8 plane = req->evs->ev[pkt->path].plane;

	sum->inflight += pkt->nominal;
	if (plane)
		sum->plane[plane - 1] += pkt->nominal;
}

static inline __no_sanitize_address __no_sanitize_undefined
bool books_planes(const struct mrc_req *req,
		  const struct books *sum)
{
	u8 i;

	for (i = 0; i < MRC_PLANE_MAX; i++)
		if (sum->plane[i] != req->evs->planes[i].inflight)
			return false;
	return true;
}

/* Add the 64 PSNs from @psn on, of which @n are in the PSN window. */
static inline __no_sanitize_address __no_sanitize_undefined
void books_add(const struct mrc_req *req, u32 psn, u32 n,
	       struct books *sum)
{
	u32 mask = req->cfg.mpr - 1;
	u64 acked = mrc_psnmap_get64(req->acked, mask, psn) & books_mask(n);
	u64 lost = mrc_psnmap_get64(req->lost, mask, psn) & books_mask(n);
	u64 bits = ~(acked | lost) & books_mask(n);

	sum->acked += hweight64(acked);
	sum->lost += hweight64(lost);
	sum->both += hweight64(acked & lost);
	for (; bits; bits &= bits - 1)
		books_add_pkt(req, &req->pkts[(psn + __ffs64(bits)) & mask],
			      sum);
}

/**
 * books_req() - check the accounting of a requester
 * @req: requester
 *
 * Return: description of an inconsistency, or NULL.
 */
static inline __no_sanitize_address __no_sanitize_undefined
const char *books_req(const struct mrc_req *req)
{
	s32 at, out = mrc_psn_diff(req->nxt, req->una);
	struct books sum = { };

	if (out < 0 || out >= (s32)req->cfg.mpr)
		return "packets beyond the PSN window";
	if (mrc_psn_diff(req->una, req->ack_psn) < 0)
		return "transport ACK beyond the cumulative PSN";
	for (at = 0; at < out; at += 64)
		books_add(req, mrc_psn_add(req->una, at), out - at, &sum);
	if (sum.both)
		return "packets both delivered and lost";
	if (sum.inflight != req->inflight)
		return "bytes in flight are not the sum over packets";
	if (!books_planes(req, &sum))
		return "bytes in flight on a plane are not the sum over packets";
	if (sum.lost != req->n_lost)
		return "lost packets miscounted";
	if (sum.acked != req->n_acked)
		return "delivered packets miscounted";
	if (req->wimm > req->cfg.max_wimm)
		return "too many messages that consume a receive WQE";
	if (req->msg_acked - req->msg_tail > req->msg_head - req->msg_tail)
		return "more messages acknowledged than posted";
	return NULL;
}

/**
 * books_rsp() - check the accounting of a responder
 * @rsp: responder
 *
 * Return: description of an inconsistency, or NULL.
 */
static inline __no_sanitize_address __no_sanitize_undefined
const char *books_rsp(const struct mrc_rsp *rsp)
{
	s32 span = mrc_psn_diff(rsp->max_rcv, rsp->cack);
	u32 i, ooo = 0;

	if (span < 0 || span > (s32)rsp->cfg.mpr)
		return "highest PSN received is outside the PSN window";
	for (i = 0; i < rsp->cfg.mpr / 64; i++)
		ooo += hweight64(rsp->received[i]);
	if (ooo != rsp->ooo)
		return "packets beyond a gap miscounted";
	if (rsp->fail_set && mrc_psn_diff(rsp->fail_psn, rsp->cack) > 0 &&
	    mrc_psnmap_test(rsp->received, rsp->cfg.mpr - 1, rsp->fail_psn))
		return "refused packet counts as received";
	return NULL;
}

#endif /* MRC_BOOKS_H */
