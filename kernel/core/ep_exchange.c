// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The endpoint exchange with one peer.
 */
#include <linux/time64.h>

#include "core/ep_exchange.h"
#include "core/evprobe.h"
#include "core/packet.h"

enum {
	/* Wrong responses for which a request is given up. */
	WRONG_MAX = 16,
	TS_SHIFT = 16,
};

/* How long a request is repeated with the same id. */
#define REQ_LIFE	(2ULL * NSEC_PER_SEC)

/**
 * mrc_ep_req_want() - a response is wanted
 * @req: request; one that is open is replaced when it is sent next
 */
void mrc_ep_req_want(struct mrc_ep_req *req)
{
	req->wanted = true;
	req->open = false;
}

/**
 * mrc_ep_req_cancel() - no response is wanted any more
 * @req: request
 */
void mrc_ep_req_cancel(struct mrc_ep_req *req)
{
	req->wanted = false;
	req->open = false;
}

/*
 * Not 0, which says that nothing has been sent, and not the id of the other request
 * to the peer: a response is to match one of them.
 */
static u16 choose_id(u16 id, u16 other_id)
{
	id &= MRC_EVPROBE_ID_MASK;
	while (!id || id == other_id)
		id = (id + 1) & MRC_EVPROBE_ID_MASK;
	return id;
}

/**
 * mrc_ep_req_fill() - id and timestamp of a request that is about to be sent
 * @req: request that is wanted
 * @random: 32 random bits
 * @other_id: id of the other request to the peer; 0: there is none
 * @now: ns
 * @e: its id and timestamp are filled in
 *
 * They stay the same while the request is open, so that it may be repeated.  They
 * serve for one response only; otherwise an old response could overwrite the content
 * of a newer one.
 */
void mrc_ep_req_fill(struct mrc_ep_req *req, u32 random, u16 other_id, u64 now,
		     struct mrc_pkt_endpoint *e)
{
	if (!req->open || now >= req->expires) {
		req->open = true;
		req->wrong = 0;
		req->id = choose_id(random, other_id);
		req->ts = random >> TS_SHIFT;
		req->expires = now + REQ_LIFE;
	}
	e->req_id = req->id;
	e->tx_ts = req->ts;
}

/**
 * mrc_ep_req_response() - compare a response with a request
 * @req: request
 * @e: content of the response
 * @now: ns
 *
 * A right response ends the request.
 *
 * Return: enum mrc_ep_verdict.
 */
enum mrc_ep_verdict mrc_ep_req_response(struct mrc_ep_req *req,
					const struct mrc_pkt_endpoint *e,
					u64 now)
{
	if (!req->id || e->req_id != req->id || e->tx_ts != req->ts)
		return MRC_EP_WRONG;
	if (!req->open || now >= req->expires)
		return MRC_EP_LATE;
	mrc_ep_req_cancel(req);
	return MRC_EP_RIGHT;
}

/**
 * mrc_ep_req_wrong() - a response has arrived that matches no request
 * @req: a request to the peer
 *
 * Return: true if the request has been given up because of too many of them: the
 * caller sends another one later.
 */
bool mrc_ep_req_wrong(struct mrc_ep_req *req)
{
	if (!req->open || ++req->wrong < WRONG_MAX)
		return false;
	req->open = false;
	return true;
}

/**
 * mrc_ep_ports_response() - process the port mask of a response
 * @p: ports of the peer
 * @mask: bit p-1 set: port p is up
 *
 * A port is up again as soon as a response says so.  It is down when two responses in
 * a row have said so: to withdraw ports is what a forger would want.
 *
 * Return: true if another request is needed.
 */
bool mrc_ep_ports_response(struct mrc_ep_ports *p, u32 mask)
{
	p->mask &= mask | ~p->doubted;
	p->mask |= mask;
	p->seen |= mask;
	p->doubted = p->mask & ~mask;
	return p->doubted;
}

/**
 * mrc_ep_ports_set() - process a port mask that no response can confirm
 * @p: ports of the peer
 * @mask: bit p-1 set: port p is up
 */
void mrc_ep_ports_set(struct mrc_ep_ports *p, u32 mask)
{
	p->mask = mask;
	p->seen |= mask;
	p->doubted = 0;
}

/**
 * mrc_ep_ports_usable() - ports of the peer to which packets may be sent
 * @p: ports of the peer
 *
 * A peer may have fewer ports than this device and be reachable from all of them, so
 * a port counts as down only if it has been up before.
 *
 * Return: bit p-1 set: port p is not known to be down.
 */
u32 mrc_ep_ports_usable(const struct mrc_ep_ports *p)
{
	return p->mask | ~p->seen;
}
