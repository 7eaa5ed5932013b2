/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive path from the network stack to the connections.
 */
#ifndef MRC_NET_RECEIVE_H
#define MRC_NET_RECEIVE_H

#include <linux/netfilter.h>
#include <linux/netfilter_bridge.h>
#include "core/packet.h"
#include "net/rxbuf.h"

struct mrc_conn;
struct mrc_nic;
struct sock;

/**
 * struct mrc_rx - a received buffer while it is processed
 * @skb: the buffer, one packet or several of the same flow
 * @buf: reads @skb
 * @saddr: peer's inner address (IPv4 as ::ffff:a.b.c.d)
 * @daddr: own inner address
 * @iph: inner IP header
 * @udp: offset of the UDP header in @skb
 * @end: offset of the end of the last MRC packet
 * @seg: bytes of every packet but the last
 * @ev: entropy value
 * @qpn: destination of the first packet; valid between mrc_conn_steer() and
 *	mrc_home_steer()
 * @plane: 1-based port that received the buffer; 0: none of the NIC's
 * @v4: inner header is IPv4
 * @checksummed: the buffer has a UDP checksum, which was right
 * @ce: the inner or outer IP header has the ECN mark
 * @trim: enum mrc_nack_reason if a switch has trimmed the packet, or 0
 * @conn: connection of the latest packet, or NULL
 * @rsp: @conn's rsp_lock is held, its responder has processed packets
 * @req: @conn's req_lock is held, its requester has processed acknowledgments
 * @responses: there are READ or ATOMIC responses among the data packets
 * @pkts: packets placed
 * @bytes: payload bytes placed
 * @skipped: packets without ICRC
 * @since: ns since when @conn has been worked for, or 0 if that is not measured
 */
struct mrc_rx {
	struct sk_buff *skb;
	struct mrc_rxbuf buf;
	struct in6_addr saddr;
	struct in6_addr daddr;
	const void *iph;
	u32 udp;
	u32 end;
	u32 seg;
	u32 ev;
	u32 qpn;
	u8 plane;
	bool v4;
	bool checksummed;
	bool ce;
	u8 trim;
	struct mrc_conn *conn;
	bool rsp;
	bool req;
	bool responses;
	u32 pkts;
	u32 bytes;
	u32 skipped;
	u64 since;
};

/**
 * mrc_receive_is_bridged() - does a bridge call the hook of the stack?
 * @skb: packet in a hook
 *
 * Bridges do so only in kernels with BRIDGE_NETFILTER.  The packet may be for another
 * host, and its control block is that of the bridge.
 *
 * Return: true if so.
 */
static inline bool mrc_receive_is_bridged(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	return nf_bridge_info_exists(skb);
#else
	return false;
#endif
}

unsigned int mrc_receive_v4(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state);
unsigned int mrc_receive_v6(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state);
unsigned int mrc_receive_early_v4(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state);
unsigned int mrc_receive_early_v6(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state);
enum mrc_drop mrc_rx_check_noicrc(const struct mrc_rx *rx,
				  const struct mrc_pkt *pkt, u32 offset,
				  bool allowed);
void mrc_receive_steered(struct mrc_rx *rx, struct sk_buff *skb);
int mrc_receive_stray(struct sock *sk, struct sk_buff *skb);

#endif /* MRC_NET_RECEIVE_H */
