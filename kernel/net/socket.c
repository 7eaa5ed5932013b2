// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP sockets and receive hooks of a network namespace, created with the first
 * NIC in the namespace and removed with the last.
 *
 * The sockets only own the UDP ports: they keep other programs from binding
 * them, prevent ICMP errors and make GRO merge MRC packets on real NICs.  The
 * packets themselves are taken in the local-in hook, because the UDP receive
 * path splits a GSO buffer into single packets before it passes it to a tunnel
 * socket (udp_unexpected_gso()), while this driver processes whole bursts.  The
 * hook has the last priority and thus gets what the firewall has accepted.
 * Packets that the hook does not take (IPv6 extension headers, fragments) reach
 * the sockets and are dropped there.
 */
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include "core/wire.h"
#include "net/decap.h"
#include "net/receive.h"
#include "net/socket.h"

enum {
	MRC_SOCK_V4,
	MRC_SOCK_V4_ALT,
	MRC_SOCK_V6,
	MRC_SOCK_V6_ALT,
	MRC_SOCK_MAX
};

/**
 * struct mrc_socket_net - state of the module in one namespace
 * @users: number of NICs; under RTNL
 * @decaps: number of uSID prefixes of their ports; under RTNL
 * @sock: sockets that own the UDP ports; NULL where the address family or the
 *	alternative port is not available
 */
struct mrc_socket_net {
	unsigned int users;
	unsigned int decaps;
	struct socket *sock[MRC_SOCK_MAX];
};

static unsigned int mrc_socket_net_id;

/*
 * The early hooks come after those of the firewall, of connection tracking and of
 * decapsulation by the module.
 */
static const struct nf_hook_ops mrc_socket_hooks[] = {
	{
		.hook = mrc_receive_early_v4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = mrc_receive_early_v6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP6_PRI_LAST,
	},
	{
		.hook = mrc_receive_v4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = mrc_receive_v6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/*
 * Before connection tracking, which would otherwise track the outer packet.
 * Rules of an earlier priority still see the outer headers.
 */
static const struct nf_hook_ops mrc_socket_decap_hook = {
	.hook = mrc_decap_receive,
	.pf = NFPROTO_IPV6,
	.hooknum = NF_INET_PRE_ROUTING,
	.priority = NF_IP6_PRI_CONNTRACK_DEFRAG - 1,
};

static struct socket *mrc_socket_open(struct net *net, int slot)
{
	bool v6 = slot >= MRC_SOCK_V6;
	bool alt = slot == MRC_SOCK_V4_ALT || slot == MRC_SOCK_V6_ALT;
	struct udp_port_cfg cfg = {
		.family = v6 ? AF_INET6 : AF_INET,
		.local_udp_port = htons(alt ? MRC_UDP_PORT_ALT : MRC_UDP_PORT),
		.ipv6_v6only = v6,
		.use_udp6_rx_checksums = v6,
	};
	struct udp_tunnel_sock_cfg tunnel_cfg = {
		.encap_type = 1,
		.encap_rcv = mrc_receive_stray,
	};
	struct socket *sock;
	int ret;

	ret = udp_sock_create(net, &cfg, &sock);
	if (ret)
		return ERR_PTR(ret);

	setup_udp_tunnel_sock(net, sock, &tunnel_cfg);
	udp_set_bit(GRO_ENABLED, sock->sk);
	return sock;
}

static void mrc_socket_close(struct mrc_socket_net *mn)
{
	int i;

	for (i = 0; i < MRC_SOCK_MAX; i++) {
		if (mn->sock[i])
			udp_tunnel_sock_release(mn->sock[i]);
		mn->sock[i] = NULL;
	}
}

/*
 * The main port is required for each address family of the host.  The
 * alternative port is optional; it serves peers that interpret the
 * specification differently.
 */
static int mrc_socket_open_all(struct net *net, struct mrc_socket_net *mn,
			       struct netlink_ext_ack *extack)
{
	struct socket *sock;
	int i, ret;

	for (i = 0; i < MRC_SOCK_MAX; i++) {
		sock = mrc_socket_open(net, i);
		if (!IS_ERR(sock)) {
			mn->sock[i] = sock;
			continue;
		}
		ret = PTR_ERR(sock);
		if (ret == -EAFNOSUPPORT || i == MRC_SOCK_V4_ALT ||
		    i == MRC_SOCK_V6_ALT)
			continue;
		NL_SET_ERR_MSG(extack,
			       "UDP port 4791 is in use in this network namespace (by rdma_rxe?)");
		mrc_socket_close(mn);
		return ret;
	}
	return 0;
}

/**
 * mrc_socket_get - open sockets and register hooks for a NIC in a namespace
 * @net: network namespace
 * @extack: receives the reason of an error
 *
 * Context: RTNL held.
 * Return: 0, or a negative errno with the reason in @extack.
 */
int mrc_socket_get(struct net *net, struct netlink_ext_ack *extack)
{
	struct mrc_socket_net *mn = net_generic(net, mrc_socket_net_id);
	int ret;

	ASSERT_RTNL();
	if (mn->users++)
		return 0;

	ret = mrc_socket_open_all(net, mn, extack);
	if (ret)
		goto err_users;
	ret = nf_register_net_hooks(net, mrc_socket_hooks,
				    ARRAY_SIZE(mrc_socket_hooks));
	if (ret)
		goto err_close;
	return 0;

err_close:
	mrc_socket_close(mn);
err_users:
	mn->users--;
	return ret;
}

/**
 * mrc_socket_put - undo one mrc_socket_get()
 * @net: network namespace
 *
 * Context: RTNL held, sleeps.  After the call for the last NIC the module no
 * longer processes packets of the namespace.
 */
void mrc_socket_put(struct net *net)
{
	struct mrc_socket_net *mn = net_generic(net, mrc_socket_net_id);

	ASSERT_RTNL();
	if (--mn->users)
		return;
	nf_unregister_net_hooks(net, mrc_socket_hooks,
				ARRAY_SIZE(mrc_socket_hooks));
	synchronize_net();
	mrc_socket_close(mn);
}

/**
 * mrc_socket_decap_get - register the decapsulation hook for a uSID prefix
 * @net: network namespace
 *
 * All IPv6 packets pass this hook, so it is registered only while the namespace
 * has uSID prefixes.
 *
 * Context: RTNL held.
 * Return: 0 or a negative errno.
 */
int mrc_socket_decap_get(struct net *net)
{
	struct mrc_socket_net *mn = net_generic(net, mrc_socket_net_id);
	int ret = 0;

	ASSERT_RTNL();
	if (!mn->decaps)
		ret = nf_register_net_hook(net, &mrc_socket_decap_hook);
	if (!ret)
		mn->decaps++;
	return ret;
}

/**
 * mrc_socket_decap_put - undo one mrc_socket_decap_get()
 * @net: network namespace
 *
 * Context: RTNL held.  Packets may be in the hook until a grace period has
 * passed.
 */
void mrc_socket_decap_put(struct net *net)
{
	struct mrc_socket_net *mn = net_generic(net, mrc_socket_net_id);

	ASSERT_RTNL();
	if (!--mn->decaps)
		nf_unregister_net_hook(net, &mrc_socket_decap_hook);
}

static struct pernet_operations mrc_socket_net_ops = {
	.id = &mrc_socket_net_id,
	.size = sizeof(struct mrc_socket_net),
};

/**
 * mrc_socket_init - reserve per-namespace state
 *
 * Return: 0 or a negative errno.
 */
int mrc_socket_init(void)
{
	return register_pernet_subsys(&mrc_socket_net_ops);
}

/**
 * mrc_socket_exit - undo mrc_socket_init()
 */
void mrc_socket_exit(void)
{
	unregister_pernet_subsys(&mrc_socket_net_ops);
}
