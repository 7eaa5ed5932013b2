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

static void sample_longest(struct mrc_req *req, u32 rtt)
{
	struct mrc_req_rtt *r = &req->rtt;

	r->longest = max(r->longest, rtt);
	r->longest_newer = max(r->longest_newer, rtt);
	if (++r->n < max(SAMPLES_PER_PATH * req->evs->n, SAMPLES_MIN))
		return;
	r->longest = r->longest_newer;
	r->longest_newer = 0;
	r->n = 0;
	r->all_paths = true;
}

/**
 * mrc_req_rtt_bound() - time within which an acknowledgment arrives on any path
 * @req: requester
 *
 * A packet can take the longest path there and its acknowledgment the longest one back,
 * although no sample has been of both: by as much as the longest sample exceeds the
 * shortest, either way may be longer.
 *
 * Context: any, the caller serialises.
 * Return: ns; 0: not known, because not all paths have been sampled.
 */
u64 mrc_req_rtt_bound(const struct mrc_req *req)
{
	const struct mrc_req_rtt *r = &req->rtt;

	return r->all_paths ? 2ULL * r->longest - r->min : 0;
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

	r->min = min_not_zero(r->min, rtt);
	sample_longest(req, rtt);
	if (!r->srtt) {
		r->srtt = rtt;
		r->rttvar = rtt / 2;
		return;
	}
	diff = rtt > r->srtt ? rtt - r->srtt : r->srtt - rtt;
	r->rttvar = r->rttvar - r->rttvar / 4 + diff / 4;
	r->srtt = r->srtt - r->srtt / 8 + rtt / 8;
	req->evs->rtt_slack = min_t(u64, mrc_req_rtt_slack(req), U32_MAX);
}
