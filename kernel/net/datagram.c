// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sending datagrams, and finding the QP of received ones.
 *
 * Datagrams are sent on explicit paths or on paths of an EV profile if the peer
 * has any, otherwise by the routes of the stack from any port that is up.
 * Datagrams are not acknowledged, so a sender does not learn that a path fails,
 * and therefore alternates between the paths.
 */
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include "core/ev.h"
#include "core/icrc.h"
#include "core/packet.h"
#include "net/conn.h"
#include "net/datagram.h"
#include "net/encap.h"
#include "net/nic.h"
#include "net/receive.h"
#include "path/resolve.h"

/* First of the ephemeral UDP ports (RFC 6335), which are not assigned. */
#define MRC_DATAGRAM_EV_BASE 0xc000

/**
 * mrc_datagram_alloc() - allocate the buffer of a datagram, write the headers
 * @d: headers, and length of the payload
 *
 * Context: any.
 * Return: buffer with room for the payload, which the caller appends, and for
 * the trailer; NULL without memory.
 */
struct sk_buff *mrc_datagram_alloc(const struct mrc_datagram *d)
{
	u32 hdr_len = mrc_datagram_hdr_len(d->has_imm);
	struct sk_buff *skb;

	skb = alloc_skb(MRC_ENCAP_HEADROOM + hdr_len + d->payload_len +
			mrc_pkt_trailer_len(d->payload_len), GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, MRC_ENCAP_HEADROOM);
	mrc_datagram_put(skb_put(skb, hdr_len), d);
	return skb;
}

/*
 * Selects path number @turn and returns its route, or NULL without a usable
 * one.  Without configured paths the number selects the port.
 */
static struct dst_entry *mrc_datagram_route(struct mrc_nic *nic,
					    const struct mrc_av *av, u32 turn,
					    struct mrc_flow *flow,
					    struct mrc_sid *sid,
					    struct mrc_route *route)
{
	flow->ev = (turn * GOLDEN_RATIO_32) | MRC_DATAGRAM_EV_BASE;
	flow->plane = av->port ?: turn % nic->n_ports + 1;
	flow->sid = NULL;
	if (!mrc_resolve_one(&nic->pm, flow, sid, MRC_RESOLVE_PLANE, turn) &&
	    !(READ_ONCE(nic->up) & BIT(flow->plane - 1)))
		return NULL;
	return mrc_route_get(nic, route, flow);
}

static u8 mrc_datagram_tos(const struct mrc_av *av)
{
	u8 dscp = av->tclass >> 2;

	/* A trimmed datagram is useless: there is no NACK for it. */
	return (mrc_dscp_trim(dscp) ? MRC_DSCP_NO_TRIM : dscp) << 2;
}

/**
 * mrc_datagram_send() - send a datagram
 * @nic: own device
 * @av: destination
 * @turn: selects the path; datagrams with the same @turn take the same path
 *	while it is usable
 * @skb: from mrc_datagram_alloc(), with payload; consumed
 *
 * Context: BH off, RCU read side.
 */
void mrc_datagram_send(struct mrc_nic *nic, const struct mrc_av *av, u32 turn,
		       struct sk_buff *skb)
{
	struct mrc_flow flow = {
		.sgid = &av->sgid,
		.dgid = &av->dgid,
		.tos = mrc_datagram_tos(av),
		.hop_limit = av->hop_limit,
		.v4 = av->v4,
	};
	struct mrc_route route = {};
	struct dst_entry *dst = NULL;
	struct mrc_sid sid;
	u8 i;

	for (i = 0; i < nic->n_ports && !dst; i++) {
		mrc_route_drop(&route);
		dst = mrc_datagram_route(nic, av, av->turn + turn + i, &flow,
					 &sid, &route);
	}
	if (dst) {
		/* Headers are multiples of 4: only the payload needs a pad. */
		skb_put_zero(skb, mrc_pkt_trailer_len(skb->len));
		mrc_encap_push(skb, &flow);
		mrc_encap_icrc(skb, &flow);
		mrc_encap_xmit(nic, skb, dst, flow.v4);
		mrc_count(nic, DATAGRAM_TX);
	} else {
		kfree_skb(skb);
		mrc_count(nic, NO_PATH);
	}
	mrc_route_drop(&route);
}

static struct mrc_conn *mrc_datagram_find(const struct mrc_rx *rx, u32 qpn)
{
	const struct net *net = dev_net(rx->skb->dev);

	if (qpn == MRC_QPN_GSI)
		return mrc_nic_gsi(net, &rx->daddr);
	return mrc_conn_find(net, qpn);
}

/**
 * mrc_datagram_select() - find the QP that a datagram is for
 * @rx: buffer that contains the datagram
 * @qpn: destination of the datagram
 * @conn: set to the connection of the QP, which receives datagrams; no reference
 *	is taken
 *
 * Context: softirq, RCU read side.
 * Return: MRC_DROP_NONE, or the reason for which the datagram is dropped.
 */
enum mrc_drop mrc_datagram_select(const struct mrc_rx *rx, u32 qpn,
				  struct mrc_conn **conn)
{
	*conn = mrc_datagram_find(rx, qpn);
	if (!*conn)
		return MRC_DROP_NO_QP;
	if (!(*conn)->ops->rx_datagram)
		return MRC_DROP_QPN;
	if (!test_bit(MRC_CONN_DATAGRAM, &(*conn)->flags))
		return MRC_DROP_QP_STATE;
	return MRC_DROP_NONE;
}
