// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: the reordering window of RACK (RFC 8985 section 6.2), by how much
 * later another packet must have been sent to prove that a packet is lost.
 *
 * There are two windows.  A path is a queue: packets of one path are reordered
 * by hosts only, so reo_wnd_path is small.  Packets of different paths also
 * differ by the delays of their paths, so reo_wnd_any is larger.  Both follow
 * the measured round trips, the reordering that was observed and what the
 * configuration says of the hosts; both grow with each spurious retransmission
 * and shrink again.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/req_internal.h"

/*
 * Share of the shortest round trip that is noise: half of what RFC 8985 gives
 * connections that cannot tell their paths apart.
 */
#define REO_NOISE_PART		8
/* Delays of paths without a round trip sample differ by so many min. RTTs. */
#define REO_SPREAD		4
/* Spurious retransmissions double the window at most so many times .. */
#define REO_WND_SHIFT_MAX	4
/* .. at most once in this time, and it is halved again after this one. */
#define REO_WND_GROW_NS		1000000ULL
#define REO_WND_DECAY_NS	10000000000ULL
/* The same without configured windows, in round trips. */
#define REO_WND_RTTS		2
#define REO_WND_DECAY_RTTS	256
/*
 * Upper bound of the observed reordering that is taken into account, in ns; or a round
 * trip, where that is longer: paths of such a length differ by as much.
 */
#define REO_OBSERVED_MAX	64000000ULL
/* It is halved after MRC_REO_HALF_LIFE_NS; or so many round trips, where they take longer. */
#define REO_HALF_LIFE_RTTS	16

/*
 * Queueing delay that packets share, that of this host included.  It does not
 * reorder packets of one queue, but a packet that was sent into a full queue
 * arrives later than its sending time tells.
 */
static u64 queueing(const struct mrc_req *req)
{
	return req->rtt.srtt > req->rtt.min ? req->rtt.srtt - req->rtt.min : 0;
}

static u64 noise(const struct mrc_req *req)
{
	return req->rtt.min / REO_NOISE_PART;
}

/* By how much the round trips of one path vary. */
static u64 rtt_variation(const struct mrc_req *req)
{
	return noise(req) + 4ULL * req->rtt.rttvar;
}

/*
 * Widen window @wnd by what hosts do to the order: @configured, twice what was
 * observed, and doubled after spurious retransmissions.  If nothing is
 * configured, doubling ends at two round trips, as RFC 8985 limits it to one:
 * while a packet is waited for, all later ones are held back.
 */
static u64 reo_wnd_hosts(const struct mrc_req *req, u64 wnd, u32 configured)
{
	u64 most;

	wnd = max3(wnd, (u64)configured, 2 * req->rack.reo_observed);
	most = max(wnd, REO_WND_RTTS * (u64)req->rtt.srtt);
	wnd <<= req->rack.reo_wnd_shift;
	return configured ? wnd : min(wnd, most);
}

/**
 * mrc_req_reo_wnd_path() - reordering window of packets of one path
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_reo_wnd_path(const struct mrc_req *req)
{
	if (!req->cfg.reo_wnd_path)
		return noise(req) << req->rack.reo_wnd_shift;
	return reo_wnd_hosts(req, rtt_variation(req), req->cfg.reo_wnd_path);
}

/**
 * mrc_req_reo_wnd_any() - reordering window across paths without samples
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_reo_wnd_any(const struct mrc_req *req)
{
	u64 rtt = (u64)REO_SPREAD * req->rtt.min + 4ULL * req->rtt.rttvar;

	return reo_wnd_hosts(req, rtt, req->cfg.reo_wnd_any) + queueing(req);
}

/*
 * A packet whose port has gone down since is most likely lost.  It does not get
 * the time by which busy hosts delay packets, because in-order delivery waits
 * for it.
 */
static u64 reo_wnd_port(const struct mrc_req *req, const struct mrc_ev *ev)
{
	u32 configured = req->cfg.reo_wnd_any;

	/* A path that was removed has no plane. */
	if (ev->plane && !(mrc_ev_ports(req->evs) >> (ev->plane - 1) & 1))
		return max_t(u64, rtt_variation(req), configured);
	return reo_wnd_hosts(req, rtt_variation(req), configured);
}

/**
 * mrc_req_reo_wnd_pkt() - reordering window between a packet and any other
 * @req: requester
 * @rec: record of the packet
 *
 * Delays of paths differ at most by what the round trip of this packet's path
 * exceeds the shortest one or, if its queue has grown since, by what the
 * current round trip does.
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_reo_wnd_pkt(const struct mrc_req *req, const struct mrc_tx_pkt *rec)
{
	const struct mrc_ev *ev = &req->evs->ev[rec->path];
	u64 longer;

	if (!ev->srtt)
		return mrc_req_reo_wnd_any(req);
	longer = ev->srtt > req->rtt.min ? ev->srtt - req->rtt.min : 0;
	return reo_wnd_port(req, ev) + max(longer, queueing(req));
}

/**
 * mrc_req_reo_wnd_least() - lower bound of mrc_req_reo_wnd_pkt() for all packets
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_reo_wnd_least(const struct mrc_req *req)
{
	return max_t(u64, rtt_variation(req), req->cfg.reo_wnd_any) +
	       queueing(req);
}

/**
 * mrc_req_reo_min() - difference of sending times below which no rule applies
 * @req: requester
 *
 * Context: any, the caller serialises.
 * Return: ns.
 */
u64 mrc_req_reo_min(const struct mrc_req *req)
{
	return max_t(u64, noise(req), req->cfg.reo_wnd_path) / 2;
}

static u64 decay_spacing(const struct mrc_req *req)
{
	return req->cfg.reo_wnd_any ? REO_WND_DECAY_NS :
	       REO_WND_DECAY_RTTS * (u64)req->rtt.srtt;
}

static u64 half_life(const struct mrc_req *req)
{
	return max(MRC_REO_HALF_LIFE_NS, REO_HALF_LIFE_RTTS * (u64)req->rtt.srtt);
}

/**
 * mrc_req_reo_decay() - shrink the window when no reordering is seen
 * @req: requester
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_reo_decay(struct mrc_req *req, u64 now)
{
	struct mrc_req_rack *rack = &req->rack;

	if (rack->reo_wnd_shift &&
	    now - rack->reo_wnd_shift_at > decay_spacing(req)) {
		rack->reo_wnd_shift--;
		rack->reo_wnd_shift_at = now;
	}
	if (rack->reo_observed &&
	    now - rack->reo_observed_at > half_life(req)) {
		rack->reo_observed /= 2;
		rack->reo_observed_at = now;
	}
}

static void observe(struct mrc_req *req, u64 delay, u64 now)
{
	u64 most = max_t(u64, REO_OBSERVED_MAX, req->rtt.srtt);

	if (delay < mrc_req_reo_min(req) || delay <= req->rack.reo_observed)
		return;
	req->rack.reo_observed = min(delay, most);
	req->rack.reo_observed_at = now;
}

/**
 * mrc_req_reo_sample() - an overtaken packet has been delivered
 * @req: requester
 * @rec: its record
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_reo_sample(struct mrc_req *req, const struct mrc_tx_pkt *rec,
			u64 now)
{
	observe(req, req->rack.overtaken_by - rec->sent, now);
}

/**
 * mrc_req_timer_late() - this host was late
 * @req: requester
 * @late: ns by which, for instance, a timer ran late
 * @now: ns
 *
 * Received packets wait for the processor as timers do: a host that is busy, or
 * a guest that is not scheduled, reorders packets by as much.  Small delays are
 * ignored, they prove nothing.
 *
 * Context: any, the caller serialises.
 */
void mrc_req_timer_late(struct mrc_req *req, u64 late, u64 now)
{
	if (late >= MRC_TIMER_LATE_MIN)
		observe(req, late, now);
}

/* Spurious retransmissions within this time have one cause and count once. */
static u64 grow_spacing(const struct mrc_req *req)
{
	return req->cfg.reo_wnd_any ? REO_WND_GROW_NS : req->rtt.srtt;
}

/**
 * mrc_req_spurious() - a packet was sent again whose earlier copy has been delivered
 * @req: requester
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_req_spurious(struct mrc_req *req, u64 now)
{
	struct mrc_req_rack *rack = &req->rack;

	req->stats.spurious++;
	if (rack->reo_wnd_shift >= REO_WND_SHIFT_MAX ||
	    (rack->reo_wnd_shift &&
	     now - rack->reo_wnd_shift_at < grow_spacing(req)))
		return;
	rack->reo_wnd_shift++;
	rack->reo_wnd_shift_at = now;
}
