// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV probes: which answer belongs to which, and how long it took.
 */
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/evprobe.h"
#include "core/wire.h"

/* By how much id @b is behind @a, going round. */
static u16 id_diff(u16 a, u16 b)
{
	return (b - a) & MRC_EVPROBE_ID_MASK;
}

/**
 * mrc_evprobe_clash() - do two rounds have a request id in common?
 * @a: one round
 * @b: the other
 *
 * The ids of requests that are out must differ (MRC control API).
 *
 * Return: true if so.
 */
bool mrc_evprobe_clash(const struct mrc_evprobe_round *a,
		       const struct mrc_evprobe_round *b)
{
	return id_diff(a->first, b->first) < a->n ||
	       id_diff(b->first, a->first) < b->n;
}

/**
 * mrc_evprobe_sent() - a probe is about to leave
 * @round: its round
 * @i: which one, in state NEW
 * @now: ns
 * @e: id, time and operation of the request are filled in
 */
void mrc_evprobe_sent(struct mrc_evprobe_round *round, u16 i, u64 now,
		      struct mrc_pkt_endpoint *e)
{
	struct mrc_evprobe *p = &round->probe[i];

	p->sent = now;
	p->state = MRC_EVPROBE_WAITING;
	round->waiting++;
	e->op = MRC_EP_EV_PROBE;
	e->req_id = MRC_EVPROBE_ID | ((round->first + i) & MRC_EVPROBE_ID_MASK);
	e->tx_ts = mrc_ts_from_ns(now);
}

/**
 * mrc_evprobe_not_sent() - a probe did not leave, or will not
 * @round: its round
 * @i: which one, in state NEW or WAITING
 * @why: state that says why
 */
void mrc_evprobe_not_sent(struct mrc_evprobe_round *round, u16 i,
			  enum mrc_evprobe_state why)
{
	struct mrc_evprobe *p = &round->probe[i];

	if (p->state == MRC_EVPROBE_WAITING)
		round->waiting--;
	p->state = why;
}

/*
 * A peer that says so adds the time for which it kept the request to the time
 * that it reflects.  One that claims more than has passed is not believed.
 */
static void take_rtt(struct mrc_evprobe *p, const struct mrc_pkt_endpoint *e,
		     u64 now)
{
	u64 rtt = now - p->sent;
	u64 kept = mrc_ts_elapsed_ns((u64)e->tx_ts << MRC_TS_SHIFT,
				     mrc_ts_from_ns(p->sent));

	p->adjusted = (e->caps & MRC_CAP_SVC_TIME) && kept <= rtt;
	if (p->adjusted)
		rtt -= kept;
	p->rtt = min_t(u64, rtt, U32_MAX);
}

/**
 * mrc_evprobe_answer() - an endpoint response has come
 * @round: a round that waits
 * @e: the response
 * @port: 1-based port by which it came; 0: none of ours
 * @now: ns
 *
 * Return: true if it answers a probe of this round for the first time.
 */
bool mrc_evprobe_answer(struct mrc_evprobe_round *round,
			const struct mrc_pkt_endpoint *e, u8 port, u64 now)
{
	u16 i = id_diff(round->first, e->req_id & MRC_EVPROBE_ID_MASK);
	struct mrc_evprobe *p;

	if (!(e->req_id & MRC_EVPROBE_ID) || e->op != MRC_EP_EV_PROBE ||
	    i >= round->n)
		return false;
	p = &round->probe[i];
	if (p->state != MRC_EVPROBE_WAITING)
		return false;
	p->state = MRC_EVPROBE_ANSWERED;
	p->port = port;
	take_rtt(p, e, now);
	round->waiting--;
	return true;
}
