// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: round trip times (RFC 6298).
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/req_internal.h"

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
