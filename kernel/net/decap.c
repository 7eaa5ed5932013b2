// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Decapsulation by the module, on hosts whose operator has given their ports
 * uSID prefixes.
 *
 * The outer headers are taken off where the packet is, before the stack looks for
 * a route; it goes on as if it had come without them.  So the firewall, connection
 * tracking and the receive hook see the inner packet, whole buffers stay whole,
 * and nothing is queued a second time.  What is not certainly ours is not touched.
 */
#include <linux/ipv6.h>
#include <linux/netfilter_bridge.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ip_tunnels.h>
#include <net/ipv6.h>
#include "compat/extack.h"
#include "core/refusal.h"
#include "core/usid.h"
#include "net/decap.h"
#include "net/nic.h"
#include "net/socket.h"

/* As the stack has it for what arrives without outer headers, and groups. */
static bool mrc_decap_for_us(struct net *net, const struct ipv6hdr *inner)
{
	int from = ipv6_addr_type(&inner->saddr);
	int to = ipv6_addr_type(&inner->daddr);

	if ((from | to) & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_MULTICAST))
		return false;
	return ipv6_chk_addr(net, &inner->daddr, NULL, 0);
}

/* Bytes to be taken off; they and what follows them are linear then. */
static u32 mrc_decap_len(struct net *net, const struct mrc_decap *decap,
			 struct sk_buff *skb)
{
	const u8 *inner;
	u32 len;

	if (!pskb_may_pull(skb, MRC_USID_OUTER_LEN))
		return 0;
	len = mrc_usid_outer_len(&decap->key, skb->data);
	if (!len || !pskb_may_pull(skb, len + MRC_USID_INNER_LEN))
		return 0;
	inner = skb->data + len;
	if (!mrc_usid_inner_ok(inner) ||
	    !mrc_decap_for_us(net, (const void *)inner))
		return 0;
	return len;
}

/* The outer header stays where it was: marks of switches are read from it. */
static void mrc_decap_pull(struct sk_buff *skb, u32 len)
{
	skb_pull_rcsum(skb, len);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	skb_dst_drop(skb);
}

/**
 * mrc_decap_receive - netfilter hook: an IPv6 packet before it is routed
 * @priv: unused
 * @skb: packet; data at the IPv6 header
 * @state: tells the namespace
 *
 * Bridges ask, too, about packets that may be for others: these are left alone.
 *
 * Context: softirq, RCU read side.
 * Return: NF_ACCEPT, whether outer headers have been taken off or not; NF_DROP
 * if there was no memory for that.
 */
unsigned int mrc_decap_receive(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	u8 next = ipv6_hdr(skb)->nexthdr;
	const struct mrc_decap *decap;
	struct mrc_nic *nic;
	u32 len;
	u8 port;

	if ((next != IPPROTO_IPV6 && next != IPPROTO_ROUTING) ||
	    nf_bridge_info_exists(skb))
		return NF_ACCEPT;
	nic = mrc_nic_of(skb->dev);
	port = nic ? mrc_nic_port_of(nic, skb->dev) : 0;
	decap = port ? rcu_dereference(nic->port[port - 1].decap) : NULL;
	len = decap ? mrc_decap_len(state->net, decap, skb) : 0;
	if (!len)
		return NF_ACCEPT;

	if (iptunnel_pull_offloads(skb)) {
		mrc_count(nic, DROP_NO_MEM);
		mrc_count(nic, RX_DROPS);
		return NF_DROP;
	}
	mrc_decap_pull(skb, len);
	mrc_count_add(nic, DECAP, max_t(u16, skb_shinfo(skb)->gso_segs, 1));
	return NF_ACCEPT;
}

/**
 * mrc_decap_check - can a port have this uSID prefix?
 * @addr: anything
 * @len: bits that count; 0: it shall have none
 * @extack: where to say why not
 *
 * Return: 0 or -EINVAL.
 */
int mrc_decap_check(const struct in6_addr *addr, u8 len,
		    struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	struct mrc_lpm_key key;

	if (!mrc_lpm_key_init(&key, addr->s6_addr, min_t(u8, len, MRC_LPM_BITS))) {
		NL_SET_ERR_MSG_FMT(extack, "usid has bits behind its first %u",
				   len);
		return -EINVAL;
	}
	key.len = len;
	if (!len || !mrc_usid_check(&key, &why))
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%s", why.text);
	return -EINVAL;
}

static struct mrc_decap *mrc_decap_alloc(const struct in6_addr *addr, u8 len)
{
	struct mrc_decap *decap = kzalloc(sizeof(*decap), GFP_KERNEL);

	if (!decap)
		return NULL;
	decap->addr = *addr;
	mrc_lpm_key_init(&decap->key, addr->s6_addr, len);
	return decap;
}

/* Each prefix keeps the hook of the namespace. */
static void mrc_decap_put(struct net *net, struct mrc_decap *decap)
{
	if (!decap)
		return;
	mrc_socket_decap_put(net);
	kfree_rcu(decap, rcu);
}

static int mrc_decap_replace(struct mrc_nic *nic, u8 port,
			     struct mrc_decap *decap,
			     struct netlink_ext_ack *extack)
{
	struct net *net = nic->net;
	int ret = 0;

	if (!net) {
		NL_SET_ERR_MSG(extack, "all netdevs of the device have gone");
		return -ENODEV;
	}
	if (decap)
		ret = mrc_socket_decap_get(net);
	if (ret)
		return ret;
	decap = rcu_replace_pointer(nic->port[port - 1].decap, decap,
				    lockdep_rtnl_is_held());
	mrc_decap_put(net, decap);
	return 0;
}

/**
 * mrc_decap_set - give a port a uSID prefix, another one or none
 * @nic: NIC
 * @port: 1-based
 * @addr: prefix, after mrc_decap_check()
 * @len: bits that count; 0: none
 * @extack: where to say why not
 *
 * Context: process, RTNL not held.
 * Return: 0, or a negative errno; the port has the one it had then.
 */
int mrc_decap_set(struct mrc_nic *nic, u8 port, const struct in6_addr *addr,
		  u8 len, struct netlink_ext_ack *extack)
{
	struct mrc_decap *decap = NULL;
	int ret;

	if (len) {
		decap = mrc_decap_alloc(addr, len);
		if (!decap)
			return -ENOMEM;
	}
	rtnl_lock();
	ret = mrc_decap_replace(nic, port, decap, extack);
	rtnl_unlock();
	if (ret)
		kfree(decap);
	return ret;
}

/**
 * mrc_decap_leave - the NIC leaves its namespace
 * @nic: NIC
 *
 * Context: RTNL held; packets may still be under way until a grace period has
 * passed.
 */
void mrc_decap_leave(struct mrc_nic *nic)
{
	struct mrc_decap *decap;
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		decap = rcu_replace_pointer(nic->port[i].decap, NULL,
					    lockdep_rtnl_is_held());
		mrc_decap_put(nic->net, decap);
	}
}
