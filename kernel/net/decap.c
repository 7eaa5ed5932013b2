// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Decapsulation by the module, on hosts whose operator has given uSID prefixes
 * to the ports.
 *
 * The outer headers are removed in place in the prerouting hook, before the
 * stack looks up a route.  The packet then continues as if it had arrived
 * without them: firewall, connection tracking and the receive hook see the
 * inner packet, GSO buffers stay whole, and no packet is queued a second time.
 * Packets that do not match exactly are left unchanged.  Those that match, but
 * whose outer headers hide where they come from, are dropped.
 */
#include <linux/ipv6.h>
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
#include "net/receive.h"
#include "net/socket.h"

/* The stack's checks of packets from the wire; multicast is not for MRC. */
static bool mrc_decap_is_local(struct net *net, const struct ipv6hdr *inner)
{
	int from = ipv6_addr_type(&inner->saddr);
	int to = ipv6_addr_type(&inner->daddr);

	if ((from | to) & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_MULTICAST))
		return false;
	return ipv6_chk_addr(net, &inner->daddr, NULL, 0);
}

/*
 * Bytes of outer headers to be removed, or 0: leave the packet alone.  Unless
 * 0, these and the inner headers are linear.
 */
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
	    !mrc_decap_is_local(net, (const void *)inner))
		return 0;
	return len;
}

/*
 * A peer has one address in both headers.  Filters of the network see the outer
 * source only: with another one inside, packets could be forged behind them.
 */
static bool mrc_decap_same_source(const struct sk_buff *skb, u32 len)
{
	const struct ipv6hdr *outer = (const void *)skb->data;
	const struct ipv6hdr *inner = (const void *)(skb->data + len);

	return ipv6_addr_equal(&outer->saddr, &inner->saddr);
}

/*
 * Does the operator demand an HMAC (RFC 8754, 2.1.2) in each SRH that arrives on
 * this interface?  An SRH with one is left to the stack, which verifies it.
 */
static bool mrc_decap_lacks_hmac(const struct sk_buff *skb, u32 len)
{
#if IS_ENABLED(CONFIG_IPV6_SEG6_HMAC)
	const struct inet6_dev *idev = __in6_dev_get(skb->dev);

	return len > sizeof(struct ipv6hdr) && idev &&
	       READ_ONCE(idev->cnf.seg6_require_hmac) > 0;
#else
	return false;
#endif
}

/*
 * The outer header stays in the headroom: the receive hook reads ECN mark and
 * DSCP from it.
 */
static void mrc_decap_pull(struct sk_buff *skb, u32 len)
{
	skb_pull_rcsum(skb, len);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	skb_dst_drop(skb);
}

static unsigned int mrc_decap_drop(struct mrc_nic *nic, u8 port,
				   enum mrc_drop reason)
{
	mrc_count_drop(nic, port, reason);
	return NF_DROP;
}

/**
 * mrc_decap_receive - netfilter hook: an IPv6 packet before it is routed
 * @priv: unused
 * @skb: packet; data at the IPv6 header
 * @state: namespace
 *
 * Bridges call the hook, too, with packets that may be for other hosts; these
 * are left unchanged.
 *
 * Context: softirq, RCU read side.
 * Return: NF_ACCEPT, with or without outer headers removed; NF_DROP if memory
 * for that was short, if the two sources differ, or if an HMAC is missing.
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
	    mrc_receive_is_bridged(skb))
		return NF_ACCEPT;
	nic = mrc_nic_of(skb->dev);
	port = nic ? mrc_nic_port_of(nic, skb->dev) : 0;
	decap = port ? rcu_dereference(nic->port[port - 1].decap) : NULL;
	len = decap ? mrc_decap_len(state->net, decap, skb) : 0;
	if (!len)
		return NF_ACCEPT;

	if (!mrc_decap_same_source(skb, len) || mrc_decap_lacks_hmac(skb, len))
		return mrc_decap_drop(nic, port, MRC_DROP_ENCAP);
	if (iptunnel_pull_offloads(skb))
		return mrc_decap_drop(nic, port, MRC_DROP_NO_MEM);
	mrc_decap_pull(skb, len);
	mrc_count_add(nic, DECAP, max_t(u16, skb_shinfo(skb)->gso_segs, 1));
	return NF_ACCEPT;
}

/**
 * mrc_decap_check - validate a uSID prefix
 * @addr: prefix, not validated
 * @len: length of the prefix in bits; 0: no prefix
 * @extack: receives the reason of an error
 *
 * Return: 0 or -EINVAL.
 */
int mrc_decap_check(const struct in6_addr *addr, u8 len,
		    struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	struct mrc_lpm_key key;

	if (!mrc_lpm_key_init(&key, addr->s6_addr,
			      min_t(u8, len, MRC_LPM_BITS))) {
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
	struct mrc_decap *decap = kzalloc(sizeof(*decap), GFP_KERNEL_ACCOUNT);

	if (!decap)
		return NULL;
	decap->addr = *addr;
	mrc_lpm_key_init(&decap->key, addr->s6_addr, len);
	return decap;
}

/* Each prefix holds a reference on the decapsulation hook of the namespace. */
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
		NL_SET_ERR_MSG(extack, "all netdevs of the device are unregistered");
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
 * mrc_decap_set - set, replace or remove the uSID prefix of a port
 * @nic: NIC
 * @port: 1-based
 * @addr: prefix, validated by mrc_decap_check()
 * @len: length of the prefix in bits; 0: remove
 * @extack: receives the reason of an error
 *
 * Context: process, RTNL not held.
 * Return: 0, or a negative errno; the port keeps its previous prefix on errors.
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
 * mrc_decap_clear - remove the uSID prefixes of all ports
 * @nic: NIC that leaves its namespace
 *
 * Context: RTNL held.  The hook may process packets for these prefixes until a
 * grace period has passed.
 */
void mrc_decap_clear(struct mrc_nic *nic)
{
	struct mrc_decap *decap;
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		decap = rcu_replace_pointer(nic->port[i].decap, NULL,
					    lockdep_rtnl_is_held());
		mrc_decap_put(nic->net, decap);
	}
}
