// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: pacing on long round trips.
 *
 * Acknowledgments spread packets over a round trip only once the window fills it.
 * Before, all packets leave in a row, and each increase of the window adds to the end of
 * that row, where the queue of the sender's own link takes it for congestion: of 10 Gb/s
 * and 25 ms, 7 % could be used.  In a data centre an increase is less than a burst, and
 * nothing is paced.  Nor are windows that the operator has configured.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core/req_internal.h"

/* A window leaves within this part of a round trip, so that it can grow. */
#define PACE_PART(rtt)	((rtt) / 32 * 31)
/* What may leave at once, so that a timer is good for several bursts, .. */
#define PACE_QUANTUM	(50 * NSEC_PER_USEC)
/* .. and when the timer ends a pause. */
#define PACE_RESUME	(PACE_QUANTUM / 2)

/* How late a timer may be for what it has kept back to leave at once. */
#define PACE_LATE(rtt)	((rtt) / 2)

/**
 * mrc_req_pace_sent() - new packets have been sent on a long round trip
 * @req: requester whose shortest round trip is at least MRC_CC_LONG_RTT: that of the
 *	network is long, not the time that busy hosts add
 * @bytes: nominal bytes
 * @more: more could be sent if they were not paced
 * @now: ns
 *
 * Packets that could have left while a timer was late leave when it comes. Those that
 * nobody had posted, or that the window did not admit, do not.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_pace_sent(struct mrc_req *req, u32 bytes, bool more, u64 now)
{
	struct mrc_req_pace *pace = &req->pace;
	u64 cwnd = max(req->cc.cwnd, req->cc.cfg.mtu);
	u64 least = now;

	if (!mrc_cc_is_measured(&req->cc))
		return;
	if (pace->more)
		least -= min(now, (u64)PACE_LATE(req->rtt.srtt));
	pace->more = more;
	pace->at = max(pace->at, least) +
		   div64_u64((u64)bytes * PACE_PART(req->rtt.srtt), cwnd);
	if (pace->at > now + PACE_QUANTUM)
		pace->until = pace->at - PACE_RESUME;
}
