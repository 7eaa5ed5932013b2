// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: round trip times (RFC 6298).
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/req_internal.h"

/*
 * Samples of a period: if packets and acknowledgments take random paths, one path in e^8
 * has not been part of any.  No fewer than these, for delays of hosts that are rare.
 */
#define SAMPLES_PER_PATH	8U
#define SAMPLES_MIN		256U
/* Share of the longest possible round trip that is left for noise. */
#define BOUND_NOISE_PART	8
/*
 * A probe waits until it can carry data, unless that takes more than so many smoothed
 * round trips: the data would come no earlier than after its SACK.
 */
#define COPY_RTTS		2

/**
 * mrc_req_rtt_slack() - time by which an acknowledgment may exceed the RTT
 * @req: requester
 *
 * An acknowledgment that is later than that is overdue.  If the value is too
 * small, a path is passed over or a probe is sent without need; nothing is
 * retransmitted.
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_rtt_slack(const struct mrc_req *req)
{
	return max_t(u64, req->rtt.srtt / 4, 2ULL * req->rtt.rttvar);
}

/*
 * A packet can take the longest path there and its acknowledgment the longest one back,
 * although no sample has been of both: by as much as the longest sample exceeds the
 * shortest, either way may be longer.  Hosts that delay packets have no bound.
 */
static void set_bound(struct mrc_req *req)
{
	struct mrc_req_rtt *r = &req->rtt;
	u64 bound = 2ULL * r->longest - r->min;

	bound += bound / BOUND_NOISE_PART;
	r->bound = r->all_paths && !req->cfg.reo_wnd_any ?
		   min_t(u64, bound, U32_MAX) : U32_MAX;
}

static void end_period(struct mrc_req *req)
{
	struct mrc_req_rtt *r = &req->rtt;

	r->longest = r->longest_newer;
	r->longest_newer = 0;
	r->n = 0;
	r->all_paths = true;
	set_bound(req);
}

static void sample_extremes(struct mrc_req *req, u32 rtt)
{
	struct mrc_req_rtt *r = &req->rtt;

	r->longest_newer = max(r->longest_newer, rtt);
	if (unlikely(!r->min || rtt < r->min || rtt > r->longest)) {
		r->min = min_not_zero(r->min, rtt);
		r->longest = max(r->longest, rtt);
		set_bound(req);
	}
	if (++r->n >= SAMPLES_MIN && r->n >= SAMPLES_PER_PATH * req->evs->n)
		end_period(req);
}

/**
 * mrc_req_rtt_forget_bound() - round trips may be longer than those sampled so far
 * @req: requester
 *
 * Context: any, the caller serialises.
 */
void mrc_req_rtt_forget_bound(struct mrc_req *req)
{
	req->rtt.bound = U32_MAX;
	req->rtt.copy_age = 0;
	req->rtt.all_paths = false;
	req->rtt.n = 0;
}

/**
 * mrc_req_rtt() - add a round trip sample
 * @req: requester
 * @rtt: ns
 *
 * Smoothing of RFC 6298 section 2.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_rtt(struct mrc_req *req, u32 rtt)
{
	struct mrc_req_rtt *r = &req->rtt;
	u32 diff;

	sample_extremes(req, rtt);
	if (!r->srtt) {
		r->srtt = rtt;
		r->rttvar = rtt / 2;
		return;
	}
	diff = rtt > r->srtt ? rtt - r->srtt : r->srtt - rtt;
	r->rttvar = r->rttvar - r->rttvar / 4 + diff / 4;
	r->srtt = r->srtt - r->srtt / 8 + rtt / 8;
	r->copy_age = r->bound <= COPY_RTTS * (u64)r->srtt ? r->bound : 0;
	req->evs->rtt_slack = min_t(u64, mrc_req_rtt_slack(req), U32_MAX);
}
