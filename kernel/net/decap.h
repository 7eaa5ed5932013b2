/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Decapsulation: removing the outer headers of packets to the uSID prefix of a
 * port.
 */
#ifndef MRC_NET_DECAP_H
#define MRC_NET_DECAP_H

#include <linux/in6.h>
#include <linux/netfilter.h>
#include <linux/rcupdate.h>
#include "core/lpm.h"

struct mrc_nic;
struct netlink_ext_ack;

/**
 * struct mrc_decap - the uSID prefix of a port
 * @key: prefix
 * @addr: the prefix as the operator has entered it, to be shown
 * @rcu: delays the release past readers
 */
struct mrc_decap {
	struct mrc_lpm_key key;
	struct in6_addr addr;
	struct rcu_head rcu;
};

int mrc_decap_check(const struct in6_addr *addr, u8 len,
		    struct netlink_ext_ack *extack);
int mrc_decap_set(struct mrc_nic *nic, u8 port, const struct in6_addr *addr,
		  u8 len, struct netlink_ext_ack *extack);
void mrc_decap_clear(struct mrc_nic *nic);
unsigned int mrc_decap_receive(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state);

#endif /* MRC_NET_DECAP_H */
