/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UD datagrams: packets that belong to no connection and are not retransmitted.
 */
#ifndef MRC_NET_DATAGRAM_H
#define MRC_NET_DATAGRAM_H

#include <linux/in6.h>
#include "core/datagram.h"
#include "core/drop.h"

struct mrc_conn;
struct mrc_nic;
struct mrc_rx;
struct sk_buff;

/**
 * struct mrc_av - address vector: destination of datagrams
 * @sgid: own inner address (IPv4 as ::ffff:a.b.c.d)
 * @dgid: inner address of the remote device, same family
 * @port: the only 1-based port to be used, for addresses that are valid on one
 *	port only (link-local); 0: any
 * @tclass: traffic class
 * @hop_limit: hop limit
 * @v4: addresses are IPv4
 * @turn: added to the number of a datagram to select its path, so that address
 *	vectors begin with different paths
 */
struct mrc_av {
	struct in6_addr sgid;
	struct in6_addr dgid;
	u8 port;
	u8 tclass;
	u8 hop_limit;
	bool v4;
	u32 turn;
};

struct sk_buff *mrc_datagram_alloc(const struct mrc_datagram *d);
void mrc_datagram_send(struct mrc_nic *nic, const struct mrc_av *av, u32 turn,
		       struct sk_buff *skb);
enum mrc_drop mrc_datagram_select(const struct mrc_rx *rx, u32 qpn,
				  struct mrc_conn **conn);

#endif /* MRC_NET_DATAGRAM_H */
