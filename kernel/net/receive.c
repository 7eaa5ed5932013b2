// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Splits received buffers into MRC packets and passes these to their receivers.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "core/evprobe.h"
#include "core/icrc.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/datagram.h"
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/evprobe.h"
#include "net/home.h"
#include "net/nic.h"
#include "net/peer.h"
#include "net/receive.h"

/* Bytes copied from an skb at a time to compute an ICRC. */
#define MRC_RX_CHUNK 256

static void mrc_receive_drop(const struct mrc_rx *rx, enum mrc_drop reason)
{
	struct mrc_nic *nic = mrc_nic_of(rx->skb->dev);

	if (nic)
		mrc_count_drop(nic, mrc_nic_port_of(nic, rx->skb->dev), reason);
}

/*
 * Octets before the payload of a packet on the wire.  What the host has removed
 * still stands in the skb.
 */
static u32 mrc_receive_overhead(const struct mrc_rx *rx)
{
	const u8 *payload = rx->skb->data + rx->udp + sizeof(struct udphdr);

	if (!skb_mac_header_was_set(rx->skb))
		return ETH_HLEN + rx->udp + sizeof(struct udphdr);
	return payload - skb_mac_header(rx->skb);
}

static void mrc_receive_count(const struct mrc_rx *rx, struct mrc_nic *nic)
{
	u32 len = rx->end - rx->udp - sizeof(struct udphdr);
	u32 n = max_t(u32, DIV_ROUND_UP(len, rx->seg), 1);

	if (!rx->plane)
		return;
	mrc_count_port_add(nic, rx->plane, RX_PKTS, n);
	mrc_count_port_add(nic, rx->plane, RX_BYTES,
			   len + n * mrc_receive_overhead(rx));
}

/* Position of the packet at @offset among those of the buffer. */
static u32 mrc_receive_index(const struct mrc_rx *rx, u32 offset)
{
	return (offset - rx->udp - sizeof(struct udphdr)) / rx->seg;
}

static bool mrc_receive_icrc_matches(const struct mrc_rx *rx, u32 offset,
				     u32 len, u32 index)
{
	u32 end = offset + len - MRC_ICRC_LEN;
	u8 buf[MRC_RX_CHUNK];
	__le32 icrc, expected;
	u32 crc, n;

	crc = mrc_encap_icrc_start(rx->iph, rx->skb->data + rx->udp, rx->v4,
				   len, index);
	if (skb_copy_bits(rx->skb, offset, buf, sizeof(struct mrc_bth)))
		return false;
	crc = mrc_icrc_bth(crc, buf);
	for (offset += sizeof(struct mrc_bth); offset < end; offset += n) {
		n = min_t(u32, end - offset, sizeof(buf));
		if (skb_copy_bits(rx->skb, offset, buf, n))
			return false;
		crc = mrc_icrc_update(crc, buf, n);
	}
	expected = mrc_icrc_final(crc);
	return !skb_copy_bits(rx->skb, end, &icrc, sizeof(icrc)) &&
	       icrc == expected;
}

/*
 * GRO merges IPv4 packets whose identifications are consecutive, and also
 * packets with one identification; the skb does not say which was the case.
 */
static bool mrc_receive_icrc_ok(const struct mrc_rx *rx, u32 offset, u32 len)
{
	u32 index = mrc_receive_index(rx, offset);

	return mrc_receive_icrc_matches(rx, offset, len, index) ||
	       (rx->v4 && index &&
		mrc_receive_icrc_matches(rx, offset, len, 0));
}

/**
 * mrc_rx_check_noicrc() - check a packet with MRC_PF_NOICRC
 * @rx: buffer that contains the packet
 * @pkt: data packet that has the flag, which says that it has no ICRC
 * @offset: offset of the packet in the buffer
 * @allowed: the peer may leave the ICRC out
 *
 * The flag itself may be a bit error, so a packet that has it must contain 0 or
 * a correct ICRC.  Without ICRC the UDP checksum protects the packet.
 *
 * Context: softirq, RCU read side.
 * Return: MRC_DROP_NONE, or MRC_DROP_ICRC or MRC_DROP_NOICRC if the packet is
 * damaged or unprotected.
 */
enum mrc_drop mrc_rx_check_noicrc(const struct mrc_rx *rx,
				  const struct mrc_pkt *pkt, u32 offset,
				  bool allowed)
{
	u32 len = pkt->payload_off + pkt->payload_len + pkt->pad +
		  MRC_ICRC_LEN;
	__le32 icrc;

	if (skb_copy_bits(rx->skb, offset + len - MRC_ICRC_LEN, &icrc,
			  sizeof(icrc)))
		return MRC_DROP_SHORT;
	if (icrc)
		return mrc_receive_icrc_ok(rx, offset, len) ? MRC_DROP_NONE :
							      MRC_DROP_ICRC;
	return allowed && rx->checksummed ? MRC_DROP_NONE : MRC_DROP_NOICRC;
}

static enum mrc_drop mrc_receive_endpoint(const struct mrc_rx *rx,
					  const struct mrc_pkt *pkt)
{
	struct mrc_nic *nic = mrc_nic_of(rx->skb->dev);
	u64 now = ktime_get_ns();
	struct mrc_flow reply = {
		.sgid = &rx->daddr,
		.dgid = &rx->saddr,
		.ev = rx->ev,
		.plane = rx->plane ?: 1,
		.tos = MRC_DSCP_CONTROL << 2,
		.hop_limit = IPDEFTTL,
		.v4 = rx->v4,
	};

	if (!nic)
		return MRC_DROP_NONE;
	mrc_count(nic, ENDPOINT_RX);
	if (pkt->op->code == MRC_OP_ENDPOINT_RSP)
		return pkt->endpoint.req_id & MRC_EVPROBE_ID ?
		       mrc_evprobe_rx(nic, &reply, rx->plane, pkt, now) :
		       mrc_peer_on_response(nic, &reply, &pkt->endpoint);
	mrc_endpoint_on_request(nic, &reply, pkt, now);
	return MRC_DROP_NONE;
}

static enum mrc_drop mrc_receive_trimmed(struct mrc_rx *rx, const u8 *hdr,
					 u32 hdr_len)
{
	struct mrc_pkt pkt;
	int ret = mrc_pkt_decode_trimmed(hdr, hdr_len, &pkt);

	return ret ? -ret : mrc_conn_rx_trimmed(rx, &pkt);
}

static enum mrc_drop mrc_receive_datagram(struct mrc_rx *rx, const u8 *hdr,
					  u32 hdr_len, u32 offset, u32 len)
{
	struct mrc_datagram d;
	int ret = mrc_datagram_decode(hdr, hdr_len, len, &d);
	struct mrc_conn *conn;
	enum mrc_drop why;

	if (ret)
		return -ret;
	why = mrc_datagram_select(rx, d.dest_qpn, &conn);
	if (why)
		return why;
	if (!mrc_receive_icrc_ok(rx, offset, len))
		return MRC_DROP_ICRC;
	mrc_conn_rx_end(rx);
	return conn->ops->rx_datagram(conn, rx, &d, offset);
}

/*
 * Finds the connection of a packet, then checks its ICRC, which costs most:
 * strangers get no more than a look-up.
 */
static int mrc_receive_check(struct mrc_rx *rx, const struct mrc_pkt *pkt,
			     u32 offset, u32 len)
{
	enum mrc_drop why;

	if (!(pkt->op->flags & MRC_OPF_ENDPOINT)) {
		why = mrc_conn_rx_select(rx, pkt->dest_qpn);
		if (why)
			return -why;
	}
	if (pkt->flags & MRC_PF_NOICRC || mrc_receive_icrc_ok(rx, offset, len))
		return 0;
	return -MRC_DROP_ICRC;
}

/**
 * struct mrc_receive_hdr - headers of a packet
 * @octets: copy: the sender may write to the original
 * @pkt: decoded
 *
 * One for all packets of a buffer: kernels that zero the stack would zero it for each.
 */
struct mrc_receive_hdr {
	u8 octets[MRC_HDR_MAX];
	struct mrc_pkt pkt;
};

static enum mrc_drop mrc_receive_pkt(struct mrc_rx *rx, struct mrc_receive_hdr *hdr,
				     u32 offset, u32 len)
{
	u32 hdr_len = min_t(u32, len, MRC_HDR_MAX);
	struct mrc_pkt *pkt = &hdr->pkt;
	int ret;

	if (mrc_rxbuf_read(&rx->buf, offset, hdr->octets, hdr_len))
		return MRC_DROP_SHORT;
	if (unlikely(mrc_datagram_is(hdr->octets[0])))
		return mrc_receive_datagram(rx, hdr->octets, hdr_len, offset, len);
	ret = mrc_pkt_decode_hdr(hdr->octets, hdr_len, len, pkt);
	if (!ret)
		ret = mrc_receive_check(rx, pkt, offset, len);
	/* A correct ICRC proves that a packet is whole, whatever its DSCP. */
	if (unlikely(rx->trim) && (ret || pkt->flags & MRC_PF_NOICRC))
		return mrc_receive_trimmed(rx, hdr->octets, hdr_len);
	if (ret)
		return -ret;
	if (pkt->op->flags & MRC_OPF_ENDPOINT) {
		mrc_conn_rx_end(rx);
		return mrc_receive_endpoint(rx, pkt);
	}
	mrc_conn_rx(rx, pkt, offset);
	return MRC_DROP_NONE;
}

static void mrc_receive_walk(struct mrc_rx *rx)
{
	u32 offset = rx->udp + sizeof(struct udphdr);
	struct mrc_receive_hdr hdr;
	enum mrc_drop why;
	u32 len;

	if (offset == rx->end)
		mrc_receive_drop(rx, MRC_DROP_SHORT);
	mrc_rxbuf_init(&rx->buf, rx->skb);
	for (; offset < rx->end; offset += len) {
		len = min(rx->seg, rx->end - offset);
		why = mrc_receive_pkt(rx, &hdr, offset, len);
		if (unlikely(why != MRC_DROP_NONE))
			mrc_receive_drop(rx, why);
	}
	mrc_rxbuf_end(&rx->buf);
}

/* Is it UDP to an MRC port?  The UDP header is linear if so. */
static bool mrc_receive_is_mrc(struct sk_buff *skb, u32 udp)
{
	const struct udphdr *uh;

	if (!pskb_may_pull(skb, udp + sizeof(*uh)))
		return false;
	uh = (const void *)(skb->data + udp);
	return uh->dest == htons(MRC_UDP_PORT) ||
	       uh->dest == htons(MRC_UDP_PORT_ALT);
}

/*
 * Switches set ECN mark and DSCP in the outermost IP header.  Decapsulation by
 * the host (End.DT6) does not copy them to the inner header, but the outer
 * header still stands in the skb, after the link layer header.
 */
static u8 mrc_receive_outer_dsfield(const struct sk_buff *skb)
{
	const struct ipv6hdr *outer;

	if (!skb_mac_header_was_set(skb))
		return 0;
	outer = (const void *)(skb_mac_header(skb) + skb->mac_len);
	if ((const u8 *)(outer + 1) > skb_network_header(skb) ||
	    outer->version != 6 ||
	    (outer->nexthdr != IPPROTO_IPV6 && outer->nexthdr != IPPROTO_IPIP &&
	     outer->nexthdr != IPPROTO_ROUTING))
		return 0;
	return ipv6_get_dsfield(outer);
}

/* The buffer has an IPv4 header without options, which is at its data. */
static void mrc_receive_set_v4(struct mrc_rx *rx)
{
	const struct iphdr *iph = ip_hdr(rx->skb);

	rx->v4 = true;
	rx->iph = iph;
	rx->udp = sizeof(*iph);
	ipv6_addr_set_v4mapped(iph->saddr, &rx->saddr);
	ipv6_addr_set_v4mapped(iph->daddr, &rx->daddr);
}

/* Likewise IPv6, without extension headers. */
static void mrc_receive_set_v6(struct mrc_rx *rx)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(rx->skb);

	rx->v4 = false;
	rx->iph = ip6h;
	rx->udp = sizeof(*ip6h);
	rx->saddr = ip6h->saddr;
	rx->daddr = ip6h->daddr;
}

static u8 mrc_receive_dsfield(const struct mrc_rx *rx)
{
	return rx->v4 ? ipv4_get_dsfield(rx->iph) : ipv6_get_dsfield(rx->iph);
}

static unsigned int mrc_receive_buf(struct mrc_rx *rx)
{
	struct sk_buff *skb = rx->skb;
	const struct udphdr *uh = (const void *)(skb->data + rx->udp);
	u32 label = rx->v4 ? 0 : ntohl(ip6_flowlabel(rx->iph));
	struct mrc_nic *nic = mrc_nic_of(skb->dev);
	u8 outer = mrc_receive_outer_dsfield(skb);
	u8 dsfield = mrc_receive_dsfield(rx);
	u32 ulen = ntohs(uh->len);

	rx->trim = mrc_dscp_trim(dsfield >> 2) ?: mrc_dscp_trim(outer >> 2);
	/* UDP length and checksum may be those of the untrimmed packet. */
	if (unlikely(rx->trim))
		ulen = min(ulen, skb->len - rx->udp);
	if (ulen < sizeof(*uh) || ulen > skb->len - rx->udp) {
		mrc_receive_drop(rx, MRC_DROP_ENCAP);
		return NF_DROP;
	}
	if (uh->check && !rx->trim &&
	    nf_checksum(skb, NF_INET_LOCAL_IN, rx->udp, IPPROTO_UDP,
			rx->v4 ? AF_INET : AF_INET6)) {
		mrc_receive_drop(rx, MRC_DROP_ENCAP);
		return NF_DROP;
	}

	rx->end = rx->udp + ulen;
	rx->seg = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size :
				    max_t(u32, ulen - sizeof(*uh), 1);
	rx->checksummed = uh->check;
	rx->ev = mrc_ev_from_headers(ntohs(uh->source), label);
	rx->ce = INET_ECN_is_ce(dsfield) || INET_ECN_is_ce(outer);
	rx->plane = nic ? mrc_nic_port_of(nic, skb->dev) : 0;
	mrc_receive_count(rx, nic);
	mrc_receive_walk(rx);
	consume_skb(skb);
	return NF_STOLEN;
}

/* Leave a buffer to its home: NF_STOLEN; NF_ACCEPT if this processor goes on with it. */
static unsigned int mrc_receive_steer(const struct mrc_rx *rx, struct mrc_nic *nic,
				      int home, mrc_home_next_fn *next)
{
	switch (mrc_home_steer(home, rx->skb, rx->qpn, next)) {
	case MRC_HOME_HERE:
		return NF_ACCEPT;
	case MRC_HOME_FULL:
		mrc_receive_drop(rx, MRC_DROP_BACKLOG);
		return NF_DROP;
	case MRC_HOME_STEERED:
		break;
	}
	if (home != smp_processor_id())
		mrc_count(nic, RX_STEERED);
	return NF_STOLEN;
}

/* Before IP: what is at home already goes on, unless it would overtake others. */
static unsigned int mrc_receive_early(struct mrc_rx *rx,
				      const struct nf_hook_state *state)
{
	struct mrc_nic *nic = mrc_nic_of(rx->skb->dev);
	int home = MRC_HOME_NONE;

	if (nic && !rx->skb->sk && !mrc_receive_is_bridged(rx->skb))
		home = mrc_conn_steer(rx);
	if (home == MRC_HOME_NONE ||
	    (home == smp_processor_id() && !mrc_home_has_input()))
		return NF_ACCEPT;
	return mrc_receive_steer(rx, nic, home, state->okfn);
}

static unsigned int mrc_receive(struct mrc_rx *rx)
{
	struct mrc_nic *nic = mrc_nic_of(rx->skb->dev);
	int home = nic ? mrc_conn_steer(rx) : MRC_HOME_NONE;
	unsigned int verdict = NF_ACCEPT;

	if (home != MRC_HOME_NONE)
		verdict = mrc_receive_steer(rx, nic, home, NULL);
	if (verdict != NF_ACCEPT)
		return verdict;
	verdict = mrc_receive_buf(rx);
	mrc_conn_rx_end(rx);
	return verdict;
}

/**
 * mrc_receive_steered() - process a buffer that was steered to this processor
 * @rx: zeroed, or of the previous buffer
 * @skb: buffer, consumed
 *
 * Its headers have been checked before: see mrc_receive_v4() and mrc_receive_v6().  Locks
 * and acknowledgments of the connection are kept for the next buffer.
 *
 * Context: softirq, RCU read side.  mrc_conn_rx_end() must follow the last buffer.
 */
void mrc_receive_steered(struct mrc_rx *rx, struct sk_buff *skb)
{
	rx->skb = skb;
	if (skb->protocol == htons(ETH_P_IP))
		mrc_receive_set_v4(rx);
	else
		mrc_receive_set_v6(rx);
	if (mrc_receive_buf(rx) == NF_DROP)
		kfree_skb(skb);
}

/**
 * mrc_receive_v4 - netfilter hook: an IPv4 packet for this host
 * @priv: unused
 * @skb: packet; data at the IPv4 header, reassembled
 * @state: unused
 *
 * Context: softirq, RCU read side.
 * Return: NF_STOLEN for MRC packets, NF_DROP for invalid ones, NF_ACCEPT for
 * all other packets.
 */
unsigned int mrc_receive_v4(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	struct mrc_rx rx = { .skb = skb };
	u32 udp = ip_hdrlen(skb);

	if (ip_hdr(skb)->protocol != IPPROTO_UDP ||
	    !mrc_receive_is_mrc(skb, udp))
		return NF_ACCEPT;
	/*
	 * MRC packets have no IP options, which the ICRC does not cover, and
	 * no multicast destination, which cannot be the source of a response.
	 */
	if (udp != sizeof(struct iphdr) ||
	    skb_rtable(skb)->rt_type != RTN_LOCAL) {
		mrc_receive_drop(&rx, MRC_DROP_ENCAP);
		return NF_DROP;
	}
	mrc_receive_set_v4(&rx);
	return mrc_receive(&rx);
}

/**
 * mrc_receive_v6 - netfilter hook: an IPv6 packet for this host
 * @priv: unused
 * @skb: packet; data at the IPv6 header, outer headers removed
 * @state: unused
 *
 * Context: softirq, RCU read side.
 * Return: NF_STOLEN for MRC packets, NF_DROP for invalid ones, NF_ACCEPT for
 * all other packets.
 */
unsigned int mrc_receive_v6(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	struct mrc_rx rx = { .skb = skb };

	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP ||
	    !mrc_receive_is_mrc(skb, sizeof(struct ipv6hdr)))
		return NF_ACCEPT;
	if (ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr)) {
		mrc_receive_drop(&rx, MRC_DROP_ENCAP);
		return NF_DROP;
	}
	mrc_receive_set_v6(&rx);
	return mrc_receive(&rx);
}

/**
 * mrc_receive_early_v4 - netfilter hook: an IPv4 packet whose route is not known yet
 * @priv: unused
 * @skb: packet; data at the IPv4 header, which is valid
 * @state: of the hook
 *
 * Context: softirq, RCU read side.
 * Return: NF_STOLEN for packets that are steered to their home processor, NF_DROP if
 * too many wait there, NF_ACCEPT for all others.
 */
unsigned int mrc_receive_early_v4(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state)
{
	const struct iphdr *iph = ip_hdr(skb);
	struct mrc_rx rx = { .skb = skb };

	if (iph->protocol != IPPROTO_UDP || ip_hdrlen(skb) != sizeof(*iph) ||
	    ip_is_fragment(iph) || !mrc_receive_is_mrc(skb, sizeof(*iph)))
		return NF_ACCEPT;
	mrc_receive_set_v4(&rx);
	return mrc_receive_early(&rx, state);
}

/**
 * mrc_receive_early_v6 - netfilter hook: an IPv6 packet whose route is not known yet
 * @priv: unused
 * @skb: packet; data at the IPv6 header, which is valid
 * @state: of the hook
 *
 * Context: softirq, RCU read side.
 * Return: as mrc_receive_early_v4().
 */
unsigned int mrc_receive_early_v6(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state)
{
	struct mrc_rx rx = { .skb = skb };

	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP ||
	    !mrc_receive_is_mrc(skb, sizeof(struct ipv6hdr)))
		return NF_ACCEPT;
	mrc_receive_set_v6(&rx);
	return mrc_receive_early(&rx, state);
}

/**
 * mrc_receive_stray - drop a packet that reached the socket instead of the hook
 * @sk: socket that owns the port
 * @skb: packet with IPv6 extension headers, or reassembled from fragments;
 *	consumed
 *
 * Context: softirq, RCU read side.
 * Return: 0: the packet has been consumed.
 */
int mrc_receive_stray(struct sock *sk, struct sk_buff *skb)
{
	const struct mrc_rx rx = { .skb = skb };

	mrc_receive_drop(&rx, MRC_DROP_ENCAP);
	kfree_skb(skb);
	return 0;
}
