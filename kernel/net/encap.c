// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Building the headers around MRC packets, looking up routes, sending.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_sched.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>
#include <net/udp.h>
#include "core/icrc.h"
#include "core/wire.h"
#include "net/encap.h"
#include "net/nic.h"

static __be32 mrc_v4(const struct in6_addr *gid)
{
	return gid->s6_addr32[3];
}

/*
 * Control packets do not wait behind data in the queues of this host.  By its
 * DSCP alone, Linux would treat them like data.  Any application can request the
 * same for its data; the priority is one that sockets may have without privilege.
 */
static u32 mrc_encap_priority(u8 tos)
{
	return tos >> 2 == MRC_DSCP_CONTROL ? TC_PRIO_INTERACTIVE :
					      rt_tos2priority(tos);
}

static void mrc_encap_push_udp(struct sk_buff *skb, const struct mrc_flow *flow)
{
	u32 len = skb->len + sizeof(struct udphdr);
	struct udphdr *uh = skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = htons(mrc_ev_sport(flow->ev));
	uh->dest = htons(MRC_UDP_PORT);
	uh->len = htons(len);
	/* Partial checksum: a NIC completes it, veth leaves it as it is. */
	if (flow->v4)
		uh->check = ~udp_v4_check(len, mrc_v4(flow->sgid),
					  mrc_v4(flow->dgid), 0);
	else
		uh->check = ~udp_v6_check(len, flow->sgid, flow->dgid, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

static void mrc_encap_push_v4(struct sk_buff *skb, const struct mrc_flow *flow)
{
	struct iphdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = flow->tos;
	iph->tot_len = htons(skb->len);
	iph->id = 0;
	iph->frag_off = htons(IP_DF);
	iph->ttl = flow->hop_limit;
	iph->protocol = IPPROTO_UDP;
	iph->check = 0;
	iph->saddr = mrc_v4(flow->sgid);
	iph->daddr = mrc_v4(flow->dgid);
	skb->protocol = htons(ETH_P_IP);
}

static void mrc_encap_push_v6(struct sk_buff *skb, const struct mrc_flow *flow,
			      u8 nexthdr, const struct in6_addr *daddr)
{
	u32 len = skb->len;
	struct ipv6hdr *ip6h = skb_push(skb, sizeof(*ip6h));
	u32 label = mrc_ev_flowlabel(flow->ev);

	skb_reset_network_header(skb);
	ip6_flow_hdr(ip6h, flow->tos, htonl(label));
	ip6h->payload_len = htons(len);
	ip6h->nexthdr = nexthdr;
	ip6h->hop_limit = flow->hop_limit;
	ip6h->saddr = *flow->sgid;
	ip6h->daddr = *daddr;
	skb->protocol = htons(ETH_P_IPV6);
}

/* The GSO type of a buffer must include the tunnel (SKB_GSO_IPXIP6). */
static void mrc_encap_push_outer(struct sk_buff *skb,
				 const struct mrc_flow *flow)
{
	u8 next = IPPROTO_IPV6;

	skb_reset_inner_headers(skb);
	skb_set_inner_ipproto(skb, IPPROTO_IPV6);
	skb->encapsulation = 1;
	if (skb_is_gso(skb))
		skb_shinfo(skb)->gso_type |= SKB_GSO_IPXIP6;
	if (mrc_sid_has_srh(flow->sid)) {
		mrc_srv6_put_srh(skb_push(skb, MRC_SRH_LEN), next,
				 flow->sid->seg.s6_addr);
		next = IPPROTO_ROUTING;
	}
	mrc_encap_push_v6(skb, flow, next, &flow->sid->dst);
}

/**
 * mrc_encap_push - prepend the headers of a flow to MRC packets
 * @skb: consecutive packets, GSO fields set if there are several
 * @flow: path
 *
 * The outer header of an SRv6 path has a segment routing header only if its
 * destination address has too little room for all uSIDs (MRC chapter 9.3.5,
 * RFC 9800).
 */
void mrc_encap_push(struct sk_buff *skb, const struct mrc_flow *flow)
{
	skb->priority = mrc_encap_priority(flow->tos);
	mrc_encap_push_udp(skb, flow);
	if (flow->v4)
		mrc_encap_push_v4(skb, flow);
	else
		mrc_encap_push_v6(skb, flow, IPPROTO_UDP, flow->dgid);
	if (flow->sid)
		mrc_encap_push_outer(skb, flow);
}

/**
 * mrc_encap_icrc_start - begin the ICRC of one packet of a buffer
 * @iph: IPv4 or IPv6 header of the buffer
 * @udph: UDP header of the buffer
 * @v4: @iph is an IPv4 header
 * @len: bytes of the packet, from BTH to ICRC
 * @index: position of the packet in the buffer, from 0
 *
 * Lengths and identification in the headers of a GSO buffer are those of the
 * buffer.  The ICRC covers the headers as they are, or would be, on the wire in
 * front of this packet.
 *
 * Return: running CRC, for mrc_icrc_bth().
 */
u32 mrc_encap_icrc_start(const void *iph, const void *udph, bool v4, u32 len,
			 u32 index)
{
	struct udphdr uh = *(const struct udphdr *)udph;
	struct ipv6hdr ip6h;
	struct iphdr ip4h;

	uh.len = htons(len + sizeof(uh));
	if (!v4) {
		ip6h = *(const struct ipv6hdr *)iph;
		ip6h.payload_len = uh.len;
		return mrc_icrc_start_v6(&ip6h, &uh);
	}
	ip4h = *(const struct iphdr *)iph;
	ip4h.tot_len = htons(len + sizeof(uh) + sizeof(ip4h));
	ip4h.id = htons(ntohs(ip4h.id) + index);
	return mrc_icrc_start_v4(&ip4h, &uh);
}

/**
 * mrc_encap_icrc - set the ICRCs of a linear buffer
 * @skb: complete buffer without frags, headers pushed
 * @flow: path
 */
void mrc_encap_icrc(struct sk_buff *skb, const struct mrc_flow *flow)
{
	const void *iph = flow->sid ? skb_inner_network_header(skb) :
				      skb_network_header(skb);
	const void *udph = skb_transport_header(skb);
	u8 *pkt = skb_transport_header(skb) + sizeof(struct udphdr);
	u32 left = skb_tail_pointer(skb) - pkt;
	u32 seg = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : left;
	u32 index = 0, len, crc;
	__le32 icrc;

	for (; left; left -= len, pkt += len, index++) {
		len = min(left, seg);
		crc = mrc_encap_icrc_start(iph, udph, flow->v4, len, index);
		crc = mrc_icrc_bth(crc, pkt);
		crc = mrc_icrc_update(crc, pkt + sizeof(struct mrc_bth),
				      len - sizeof(struct mrc_bth) -
				      MRC_ICRC_LEN);
		icrc = mrc_icrc_final(crc);
		memcpy(pkt + len - MRC_ICRC_LEN, &icrc, sizeof(icrc));
	}
}

/* Packets that a buffer becomes, and their octets on the wire. */
static u32 mrc_encap_wire(const struct sk_buff *skb, u32 *bytes)
{
	u32 hdr = skb_transport_header(skb) + sizeof(struct udphdr) - skb->data;
	u32 n = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;

	*bytes = skb->len + n * ETH_HLEN + (n - 1) * hdr;
	return n;
}

/**
 * mrc_encap_xmit - send a complete buffer
 * @nic: own device
 * @skb: buffer; consumed
 * @dst: route; not consumed
 * @v4: the outermost header is IPv4
 *
 * Buffers that stay in this host are not counted at any port.
 *
 * Context: BH off, RCU read side.
 */
void mrc_encap_xmit(struct mrc_nic *nic, struct sk_buff *skb,
		    struct dst_entry *dst, bool v4)
{
	struct net *net = dev_net(dst->dev);
	u8 port = mrc_nic_port_of(nic, dst->dev);
	u32 bytes, n = mrc_encap_wire(skb, &bytes);
	int ret;

	skb_dst_set_noref(skb, dst);
	skb->dev = dst->dev;
	if (v4)
		ret = ip_local_out(net, NULL, skb);
	else
		ret = ip6_local_out(net, NULL, skb);
	if (!port)
		return;
	if (net_xmit_eval(ret)) {
		mrc_count_port_add(nic, port, TX_DISCARDS, n);
		return;
	}
	mrc_count_port_add(nic, port, TX_PKTS, n);
	mrc_count_port_add(nic, port, TX_BYTES, bytes);
}

static struct dst_entry *mrc_route_lookup_v4(struct net *net, int oif,
					     const struct mrc_flow *flow)
{
	struct flowi4 fl4 = {
		.flowi4_proto = IPPROTO_UDP,
		.flowi4_oif = oif,
		.flowi4_tos = flow->tos & 0x1c,
		.daddr = mrc_v4(flow->dgid),
		.saddr = mrc_v4(flow->sgid),
		.fl4_sport = htons(mrc_ev_sport(flow->ev)),
		.fl4_dport = htons(MRC_UDP_PORT),
	};
	struct rtable *rt;

	if (inet_addr_type(net, fl4.daddr) == RTN_LOCAL)
		fl4.flowi4_oif = 0;
	rt = ip_route_output_key(net, &fl4);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *mrc_route_lookup_v6(struct net *net, int oif,
					     const struct mrc_flow *flow)
{
	struct flowi6 fl6 = {
		.flowi6_proto = flow->sid ? IPPROTO_IPV6 : IPPROTO_UDP,
		.flowi6_oif = oif,
		.daddr = flow->sid ? flow->sid->dst : *flow->dgid,
		.saddr = *flow->sgid,
	};
	struct dst_entry *dst;

	if (!flow->sid && ipv6_chk_addr(net, flow->dgid, NULL, 0))
		fl6.flowi6_oif = 0;
	/* Without this flag routes of other interfaces are taken, too. */
	dst = ip6_route_output_flags(net, NULL, &fl6,
				     fl6.flowi6_oif ? RT6_LOOKUP_F_IFACE : 0);
	if (!dst->error)
		return dst;
	dst_release(dst);
	return NULL;
}

/* A plane is a port: packets must not leave by the port of another plane. */
static struct dst_entry *mrc_route_lookup(struct mrc_nic *nic,
					  const struct mrc_flow *flow)
{
	const struct mrc_port *port = &nic->port[flow->plane - 1];
	struct net_device *dev = rcu_dereference(port->dev);
	struct dst_entry *dst;

	if (!dev)
		return NULL;
	if (flow->v4)
		dst = mrc_route_lookup_v4(dev_net(dev), dev->ifindex, flow);
	else
		dst = mrc_route_lookup_v6(dev_net(dev), dev->ifindex, flow);
	if (!dst || dst->dev == dev || dst->dev->flags & IFF_LOOPBACK)
		return dst;
	dst_release(dst);
	return NULL;
}

static u32 mrc_route_cookie(struct dst_entry *dst, bool v4)
{
	return v4 ? 0 : rt6_get_cookie(container_of(dst, struct rt6_info, dst));
}

/**
 * mrc_encap_overhead() - octets of a packet besides its payload, at most
 * @v4: the inner header is IPv4
 * @outer: there is an outer IPv6 header
 * @srh: and an SRH
 *
 * Return: octets from the outermost IP header on.
 */
u32 mrc_encap_overhead(bool v4, bool outer, bool srh)
{
	return (outer ? MRC_ICRC_IP6_LEN : 0) + (srh ? MRC_SRH_LEN : 0) +
	       (v4 ? MRC_ICRC_IP4_LEN : MRC_ICRC_IP6_LEN) + MRC_ICRC_UDP_LEN +
	       MRC_REQ_HDR_MAX + MRC_ICRC_LEN;
}

/**
 * mrc_route_is_narrow() - is the MTU of a route too small for a flow?
 * @dst: route
 * @flow: path
 *
 * Context: RCU read side.
 * Return: true if full packets would not pass.
 */
bool mrc_route_is_narrow(const struct dst_entry *dst,
			 const struct mrc_flow *flow)
{
	bool srh = flow->sid && mrc_sid_has_srh(flow->sid);

	return flow->pmtu &&
	       dst_mtu(dst) < flow->pmtu +
			      mrc_encap_overhead(flow->v4, flow->sid, srh);
}

/*
 * A route whose MTU is too small is none.  If packets were sent by it, the kernel would
 * drop them and note that MTU for the best route to the peer, which may be that of
 * another port.
 */
static struct dst_entry *mrc_route_cached(struct mrc_nic *nic,
					  struct mrc_route *route,
					  const struct mrc_flow *flow)
{
	struct dst_entry *dst = rcu_dereference(route->dst);
	struct dst_entry *old;
	bool narrow;

	if (likely(dst && dst_check(dst, READ_ONCE(route->cookie))))
		return dst;

	dst = mrc_route_lookup(nic, flow);
	narrow = dst && mrc_route_is_narrow(dst, flow);
	WRITE_ONCE(route->narrow, narrow);
	if (narrow) {
		dst_release(dst);
		dst = NULL;
	}
	if (dst)
		WRITE_ONCE(route->cookie, mrc_route_cookie(dst, flow->v4));
	old = unrcu_pointer(xchg(&route->dst, RCU_INITIALIZER(dst)));
	/* Connections find out which planes have routes. */
	if (old && !dst)
		atomic_inc(&nic->epoch);
	/* Readers may use the old route; dst_release() frees it by RCU. */
	dst_release(old);
	return dst;
}

/**
 * mrc_route_get - route of a flow
 * @nic: NIC
 * @route: route cache of this flow
 * @flow: path
 *
 * The carrier is checked here, because netdev notifiers may report its loss up
 * to a second late.
 *
 * Context: BH off, RCU read side; on any number of CPUs at a time.
 * Return: the route, valid until the RCU read side ends, or NULL if the port
 * has no carrier, or no route to the destination that is wide enough.
 */
struct dst_entry *mrc_route_get(struct mrc_nic *nic, struct mrc_route *route,
				const struct mrc_flow *flow)
{
	struct dst_entry *dst = mrc_route_cached(nic, route, flow);

	return dst && likely(netif_carrier_ok(dst->dev)) ? dst : NULL;
}

/**
 * mrc_route_resolve - is the link-layer address of the next hop known?
 * @dst: route
 * @flow: path of the route
 *
 * If it is not, it is solicited.  Meanwhile the kernel holds back few packets for
 * the next hop and drops the others.
 *
 * Context: BH off, RCU read side.
 * Return: true if packets can be sent now.
 */
bool mrc_route_resolve(struct dst_entry *dst, const struct mrc_flow *flow)
{
	const __be32 v4 = mrc_v4(flow->dgid);
	struct neighbour *neigh;
	bool valid;

	if (dst->dev->flags & IFF_LOOPBACK)
		return true;
	if (flow->v4)
		neigh = dst_neigh_lookup(dst, &v4);
	else
		neigh = dst_neigh_lookup(dst, flow->sid ? &flow->sid->dst :
							  flow->dgid);
	if (!neigh)
		return true;
	valid = READ_ONCE(neigh->nud_state) & NUD_VALID;
	if (!valid)
		neigh_event_send(neigh, NULL);
	neigh_release(neigh);
	return valid;
}

/**
 * mrc_route_drop - release a cached route
 * @route: route cache
 */
void mrc_route_drop(struct mrc_route *route)
{
	dst_release(unrcu_pointer(xchg(&route->dst, NULL)));
}

/**
 * mrc_route_mtu - MTU of the route of a flow
 * @nic: NIC
 * @flow: path; its source may be unspecified
 *
 * Context: process or softirq.
 * Return: largest IP packet in bytes, by routes and path MTU discovery; 0
 * without a route.
 */
u32 mrc_route_mtu(struct mrc_nic *nic, const struct mrc_flow *flow)
{
	struct dst_entry *dst;
	u32 mtu;

	rcu_read_lock();
	dst = mrc_route_lookup(nic, flow);
	mtu = dst ? dst_mtu(dst) : 0;
	rcu_read_unlock();
	dst_release(dst);
	return mtu;
}
