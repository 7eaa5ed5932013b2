// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Endpoint packets: sending them, answering them.
 */
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/nic.h"
#include "net/peer.h"
#include "net/resolve.h"

enum {
	/*
	 * Anybody can ask, under any name.  An answer is hardly larger than the
	 * question, but it should not be us who flood a third party.
	 */
	MRC_ENDPOINT_ANSWERS = 20000,		/* per second */
	MRC_ENDPOINT_ANSWERS_AT_ONCE = 4096,
};

/**
 * mrc_endpoint_init() - begin without anything under way
 * @ep: endpoint operations of a new NIC
 */
void mrc_endpoint_init(struct mrc_endpoint *ep)
{
	spin_lock_init(&ep->lock);
	mrc_rate_init(&ep->answers, MRC_ENDPOINT_ANSWERS,
		      MRC_ENDPOINT_ANSWERS_AT_ONCE);
	mrc_rate_init(&ep->probes, MRC_ENDPOINT_PROBES,
		      MRC_ENDPOINT_PROBES_AT_ONCE);
	INIT_LIST_HEAD(&ep->rounds);
}

/**
 * mrc_endpoint_caps() - what a device offers to others
 * @nic: own device
 *
 * It understands packets without ICRC in any case: those that were sent before
 * their sender was told that they are not wanted.
 *
 * Return: enum mrc_cap.
 */
u16 mrc_endpoint_caps(const struct mrc_nic *nic)
{
	return READ_ONCE(nic->icrc_always) ?
	       MRC_ENDPOINT_CAPS & ~MRC_CAP_NOICRC : MRC_ENDPOINT_CAPS;
}

static struct sk_buff *mrc_endpoint_build(const struct mrc_pkt_endpoint *e,
					  bool request)
{
	u32 len = request ? MRC_EP_REQ_LEN : MRC_EP_RSP_LEN;
	struct sk_buff *skb = alloc_skb(MRC_ENCAP_HEADROOM + len, GFP_ATOMIC);
	u8 *buf;

	if (!skb)
		return NULL;
	skb_reserve(skb, MRC_ENCAP_HEADROOM);
	buf = skb_put_zero(skb, len);
	if (request)
		mrc_pkt_put_endpoint_req(buf, e);
	else
		mrc_pkt_put_endpoint_rsp(buf, e);
	return skb;
}

/**
 * mrc_endpoint_send() - send an endpoint packet
 * @nic: own device
 * @flow: the path that it takes
 * @e: content
 * @request: it is a request, otherwise a response
 *
 * Context: BH off, RCU read side.
 * Return: 0, -EHOSTUNREACH without a route, -ENOMEM.
 */
int mrc_endpoint_send(struct mrc_nic *nic, const struct mrc_flow *flow,
		      const struct mrc_pkt_endpoint *e, bool request)
{
	struct mrc_route route = {};
	struct dst_entry *dst = mrc_route_get(nic, &route, flow);
	struct sk_buff *skb = NULL;
	int ret = -EHOSTUNREACH;

	if (dst) {
		skb = mrc_endpoint_build(e, request);
		ret = -ENOMEM;
	}
	if (skb) {
		mrc_encap_push(skb, flow);
		mrc_encap_icrc(skb, flow);
		mrc_encap_xmit(skb, dst, flow->v4);
		mrc_count(nic, ENDPOINT_TX);
		ret = 0;
	}
	mrc_route_drop(&route);
	return ret;
}

/* The time for which we kept a request, for who has asked for it. */
static void mrc_endpoint_add_kept(struct mrc_pkt_endpoint *e, u64 came)
{
	u64 kept = ktime_get_ns() - came;

	if (e->caps & MRC_CAP_SVC_TIME)
		e->tx_ts += min_t(u64, kept >> MRC_TS_SHIFT, U16_MAX);
}

/*
 * Strangers share an allowance.  Whoever we have connections to has one of its
 * own, which they cannot use up: a forger would have to know its address, and
 * silences that one peer.
 */
static bool mrc_endpoint_may_answer(struct mrc_nic *nic,
				    const struct mrc_flow *reply, u64 came)
{
	bool allowed;

	if (mrc_peer_take_answer(nic, reply, came, &allowed))
		return allowed;
	spin_lock(&nic->ep.lock);
	allowed = mrc_rate_take(&nic->ep.answers, came, 1);
	spin_unlock(&nic->ep.lock);
	return allowed;
}

/**
 * mrc_endpoint_on_request() - a device asks whether we are there
 * @nic: own device, which the request names
 * @reply: path back to the sender
 * @pkt: the request
 * @came: ns when it came
 *
 * The answer takes the path of the same name if there is one: a probe then
 * tells of one path there and back, and not of whichever led back.
 *
 * Context: softirq, RCU read side.
 */
void mrc_endpoint_on_request(struct mrc_nic *nic, const struct mrc_flow *reply,
			     const struct mrc_pkt *pkt, u64 came)
{
	struct mrc_pkt_endpoint e = pkt->endpoint;
	struct mrc_flow flow = *reply;
	struct mrc_sid sid;

	if (!mrc_endpoint_may_answer(nic, reply, came)) {
		mrc_count(nic, ENDPOINT_LIMITED);
		return;
	}
	mrc_peer_ask_again(nic, reply, &e);
	if (e.op == MRC_EP_PORT_STATUS && !mrc_peer_on_status(nic, reply, &e))
		return;
	mrc_resolve_one(nic, &flow, &sid, MRC_RESOLVE_SAME, get_random_u8());
	mrc_endpoint_add_kept(&e, came);
	e.port_mask = READ_ONCE(nic->up);
	e.caps = mrc_endpoint_caps(nic);
	e.marked = true;
	mrc_endpoint_send(nic, &flow, &e, false);
}
