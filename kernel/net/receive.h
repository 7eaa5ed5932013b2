/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive: from the network stack to the connections.
 */
#ifndef MRC_NET_RECEIVE_H
#define MRC_NET_RECEIVE_H

#include <linux/netfilter.h>
#include "core/packet.h"
#include "net/rxbuf.h"

struct mrc_conn;
struct mrc_nic;
struct sock;

/**
 * struct mrc_rx - a received buffer on its way through the module
 * @skb: the buffer, one packet or several of the same flow
 * @buf: reads it
 * @saddr: sender's inner address (IPv4 as ::ffff:a.b.c.d)
 * @daddr: own inner address
 * @iph: inner IP header
 * @udp: offset of the UDP header in @skb
 * @end: offset after the last MRC packet
 * @seg: bytes of every packet but the last
 * @ev: entropy value
 * @plane: port it came in on, 1-based; 0: none of the NIC's
 * @v4: inner header is IPv4
 * @ce: it carries an ECN mark
 * @trim: enum mrc_nack_reason if a switch has trimmed it, or 0
 * @conn: connection of the latest packet, or NULL
 * @rsp: @conn's rsp_lock is held, its responder has seen packets
 * @req: @conn's req_lock is held, its requester has seen answers
 * @results: of which some are results that it had asked for
 * @pkts: packets placed
 * @bytes: payload bytes placed
 * @skipped: packets whose ICRC was left out
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
	u8 plane;
	bool v4;
	bool ce;
	u8 trim;
	struct mrc_conn *conn;
	bool rsp;
	bool req;
	bool results;
	u32 pkts;
	u32 bytes;
	u32 skipped;
};

unsigned int mrc_receive_v4(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state);
unsigned int mrc_receive_v6(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state);
bool mrc_receive_left_out(const struct mrc_rx *rx, const struct mrc_pkt *pkt,
			  u32 offset);
int mrc_receive_stray(struct sock *sk, struct sk_buff *skb);

#endif /* MRC_NET_RECEIVE_H */
