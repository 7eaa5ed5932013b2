// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV probes: request ids, responses and round trips.
 */
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/evprobe.h"
#include "core/wire.h"

/* Distance from id @a to id @b, modulo their range. */
static u16 id_diff(u16 a, u16 b)
{
	return (b - a) & MRC_EVPROBE_ID_MASK;
}

/**
 * mrc_evprobe_ids_overlap() - do two rounds have a request id in common?
 * @a: a round
 * @b: another round
 *
 * Ids of outstanding requests must differ (MRC control API).
 *
 * Return: true if so.
 */
bool mrc_evprobe_ids_overlap(const struct mrc_evprobe_round *a,
			     const struct mrc_evprobe_round *b)
{
	return id_diff(a->first, b->first) < a->n ||
	       id_diff(b->first, a->first) < b->n;
}

/**
 * mrc_evprobe_sent() - record a probe that is about to be sent
 * @round: its round
 * @i: index of the probe, in state NEW
 * @now: ns
 * @e: request id, timestamp and operation are filled in
 */
void mrc_evprobe_sent(struct mrc_evprobe_round *round, u16 i, u64 now,
		      struct mrc_pkt_endpoint *e)
{
	struct mrc_evprobe *p = &round->probe[i];

	p->sent = now;
	p->state = MRC_EVPROBE_PENDING;
	round->n_pending++;
	e->op = round->op;
	e->req_id = MRC_EVPROBE_ID | ((round->first + i) & MRC_EVPROBE_ID_MASK);
	e->tx_ts = mrc_ts_from_ns(now);
}

/**
 * mrc_evprobe_not_sent() - record that a probe has not been sent
 * @round: its round
 * @i: index of the probe, in state NEW or PENDING
 * @why: new state, the reason
 */
void mrc_evprobe_not_sent(struct mrc_evprobe_round *round, u16 i,
			  enum mrc_evprobe_state why)
{
	struct mrc_evprobe *p = &round->probe[i];

	if (p->state == MRC_EVPROBE_PENDING)
		round->n_pending--;
	p->state = why;
}

/*
 * A peer with MRC_CAP_SVC_TIME adds its service time to the timestamp that it
 * reflects.  A service time longer than the round trip is ignored.
 */
static void set_rtt(struct mrc_evprobe *p, const struct mrc_pkt_endpoint *e,
		    u64 now)
{
	u64 rtt = now - p->sent;
	u64 svc_time = mrc_ts_elapsed_ns((u64)e->tx_ts << MRC_TS_SHIFT,
					 mrc_ts_from_ns(p->sent));

	p->adjusted = (e->caps & MRC_CAP_SVC_TIME) && svc_time <= rtt;
	if (p->adjusted)
		rtt -= svc_time;
	p->rtt = min_t(u64, rtt, U32_MAX);
}

/**
 * mrc_evprobe_find() - find the probe that a response is for
 * @round: round
 * @e: the response
 *
 * Return: index of the probe, which is pending, or -1.
 */
int mrc_evprobe_find(const struct mrc_evprobe_round *round,
		     const struct mrc_pkt_endpoint *e)
{
	u16 i = id_diff(round->first, e->req_id & MRC_EVPROBE_ID_MASK);

	if (!(e->req_id & MRC_EVPROBE_ID) || e->op != round->op ||
	    i >= round->n || round->probe[i].state != MRC_EVPROBE_PENDING)
		return -1;
	return i;
}

/**
 * mrc_evprobe_response() - process an endpoint response
 * @round: round with pending probes
 * @e: the response
 * @port: port that received it, from 1; 0: no port of the device
 * @now: ns
 *
 * Return: true if it is the first response to a probe of this round.
 */
bool mrc_evprobe_response(struct mrc_evprobe_round *round,
			  const struct mrc_pkt_endpoint *e, u8 port, u64 now)
{
	int i = mrc_evprobe_find(round, e);
	struct mrc_evprobe *p;

	if (i < 0)
		return false;
	p = &round->probe[i];
	p->state = MRC_EVPROBE_RESPONDED;
	p->port = port;
	p->has_ports = e->has_magic;
	p->ports = e->port_mask;
	set_rtt(p, e, now);
	round->n_pending--;
	return true;
}
