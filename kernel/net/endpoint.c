// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Endpoint requests and responses: sending them, responding to requests.
 */
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/nic.h"
#include "net/peer.h"
#include "path/resolve.h"

enum {
	/*
	 * Limits of responses to devices that are not peers.  Source addresses
	 * can be forged.  A response is hardly larger than its request, but
	 * must not be usable to flood a third party.
	 */
	MRC_ENDPOINT_RSP_RATE = 20000,		/* per second */
	MRC_ENDPOINT_RSP_BURST = 4096,
};

/**
 * mrc_endpoint_init() - initialise the endpoint operations of a NIC
 * @ep: endpoint operations of a new NIC
 */
void mrc_endpoint_init(struct mrc_endpoint *ep)
{
	spin_lock_init(&ep->lock);
	mrc_rate_init(&ep->rsp_rate, MRC_ENDPOINT_RSP_RATE,
		      MRC_ENDPOINT_RSP_BURST);
	mrc_rate_init(&ep->probe_rate, MRC_ENDPOINT_REQ_RATE,
		      MRC_ENDPOINT_REQ_BURST);
	INIT_LIST_HEAD(&ep->rounds);
}

/**
 * mrc_endpoint_caps() - capabilities that a device reports
 * @nic: own device
 *
 * Received packets without ICRC are accepted for a while even if MRC_CAP_NOICRC is
 * not reported any more, see mrc_peer_may_omit_icrc().
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
 * @flow: path
 * @e: content
 * @request: true: a request; false: a response
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
		mrc_encap_xmit(nic, skb, dst, flow->v4);
		mrc_count(nic, ENDPOINT_TX);
		ret = 0;
	}
	mrc_route_drop(&route);
	return ret;
}

/* Adds the service time of a request to its timestamp, if the peer uses it. */
static void mrc_endpoint_add_svc_time(struct mrc_pkt_endpoint *e, u64 arrived)
{
	u64 svc_time = ktime_get_ns() - arrived;

	if (e->caps & MRC_CAP_SVC_TIME)
		e->tx_ts += min_t(u64, svc_time >> MRC_TS_SHIFT, U16_MAX);
}

/*
 * Each peer has a rate limit of its own; all other devices share one, which
 * therefore cannot exhaust that of a peer.  An attacker who knows the address
 * of a peer and forges it suppresses the responses to this peer only.
 */
static bool mrc_endpoint_may_respond(struct mrc_nic *nic,
				     const struct mrc_flow *reply, u64 arrived)
{
	bool allowed;

	if (mrc_peer_may_respond(nic, reply, arrived, &allowed))
		return allowed;
	spin_lock(&nic->ep.lock);
	allowed = mrc_rate_take(&nic->ep.rsp_rate, arrived, 1);
	spin_unlock(&nic->ep.lock);
	return allowed;
}

/**
 * mrc_endpoint_on_request() - process an endpoint request
 * @nic: own device, to which the request is addressed
 * @reply: path back to the remote device
 * @pkt: the request
 * @arrived: ns when it arrived
 *
 * The response is sent on the path with the EV of the request, if this device
 * has one.  Then the probe tests the same path in both directions instead of
 * an arbitrary path back (MRC 1.0 7.4.7).  It has the magic of this driver if
 * the request has: the fields are reserved to devices of other implementations.
 *
 * Context: softirq, RCU read side.
 */
void mrc_endpoint_on_request(struct mrc_nic *nic, const struct mrc_flow *reply,
			     const struct mrc_pkt *pkt, u64 arrived)
{
	struct mrc_pkt_endpoint e = pkt->endpoint;
	struct mrc_flow flow = *reply;
	struct mrc_sid sid;

	if (!mrc_endpoint_may_respond(nic, reply, arrived)) {
		mrc_count(nic, ENDPOINT_LIMITED);
		return;
	}
	mrc_peer_on_request(nic, reply, &e);
	if (e.op == MRC_EP_PORT_STATUS && !mrc_peer_on_status(nic, reply, &e))
		return;
	mrc_resolve_one(&nic->pm, &flow, &sid, MRC_RESOLVE_SAME,
			get_random_u8());
	mrc_endpoint_add_svc_time(&e, arrived);
	/* Not sent unless the request has the magic. */
	e.port_mask = READ_ONCE(nic->up);
	e.caps = mrc_endpoint_caps(nic);
	mrc_endpoint_send(nic, &flow, &e, false);
}
