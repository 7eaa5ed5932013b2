/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The headers around MRC packets: UDP, IPv4 or IPv6, and the outer IPv6 header
 * whose destination address is the uSID list of the path, with an SRH if that
 * is too long for one address.
 */
#ifndef MRC_NET_ENCAP_H
#define MRC_NET_ENCAP_H

#include <linux/netdevice.h>
#include <linux/types.h>
#include "core/srv6.h"
#include "path/flow.h"

struct dst_entry;
struct mrc_nic;
struct sk_buff;

/* Headroom for all headers before the MRC headers. */
#define MRC_ENCAP_HEADROOM (LL_MAX_HEADER + 40 + MRC_SRH_LEN + 40 + 8)

/**
 * struct mrc_route - cached result of a route lookup
 * @dst: route; RCU, replaced by the first sender that finds it stale
 * @cookie: cookie of @dst; written without lock, a mismatch causes one more
 *	lookup only
 * @narrow: the last look-up found a route whose MTU is too small; no lock: changed
 *	by senders of one path, who find the same
 */
struct mrc_route {
	struct dst_entry __rcu *dst;
	u32 cookie;
	bool narrow;
};

struct dst_entry *mrc_route_get(struct mrc_nic *nic, struct mrc_route *route,
				const struct mrc_flow *flow);
bool mrc_route_is_narrow(const struct dst_entry *dst,
			 const struct mrc_flow *flow);
bool mrc_route_resolve(struct dst_entry *dst, const struct mrc_flow *flow);
void mrc_route_drop(struct mrc_route *route);
u32 mrc_route_mtu(struct mrc_nic *nic, const struct mrc_flow *flow);

u32 mrc_encap_overhead(bool v4, bool outer, bool srh);
void mrc_encap_push(struct sk_buff *skb, const struct mrc_flow *flow);
void mrc_encap_icrc(struct sk_buff *skb, const struct mrc_flow *flow);
u32 mrc_encap_icrc_start(const void *iph, const void *udph, bool v4, u32 len,
			 u32 index);
void mrc_encap_xmit(struct mrc_nic *nic, struct sk_buff *skb,
		    struct dst_entry *dst, bool v4);

#endif /* MRC_NET_ENCAP_H */
