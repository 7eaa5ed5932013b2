// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP sockets and receive hooks of a network namespace, made with the first NIC
 * in it and gone with the last.
 *
 * The sockets only own the ports: they keep others off, spare us ICMP errors
 * and make GRO merge our packets on real NICs.  The packets themselves are
 * taken at the local-in hook, because the UDP receive path would cut a GSO
 * buffer into single packets before it gave it to a tunnel socket
 * (udp_unexpected_gso()), and the burst is our unit of work.  Standing last in
 * the hook, we see what the firewall has let through.  What the hook leaves
 * (IPv6 extension headers, fragments) reaches the sockets and ends there.
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
 * struct mrc_socket_net - what the module has in one namespace
 * @users: NICs; under RTNL
 * @decaps: uSID prefixes of their ports; likewise
 * @sock: port owners; NULL where the family or the second port is not to be had
 */
struct mrc_socket_net {
	unsigned int users;
	unsigned int decaps;
	struct socket *sock[MRC_SOCK_MAX];
};

static unsigned int mrc_socket_net_id;

static const struct nf_hook_ops mrc_socket_hooks[] = {
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
 * In front of connection tracking, which would take the outer packet for what
 * there is to track.  Rules in front of that still see the outer headers.
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
 * The main port is needed for each family the host has; the alternative one is
 * a courtesy to peers that read the specification the other way.
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
 * mrc_socket_get - be present in a namespace
 * @net: network namespace
 * @extack: where to say why not
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
 * mrc_socket_put - one NIC less in a namespace
 * @net: network namespace
 *
 * Context: RTNL held.  No packet of the namespace is under way in the module
 * when the last NIC's call has returned.
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
 * mrc_socket_decap_get - one uSID prefix more in a namespace
 * @net: network namespace
 *
 * All packets of IPv6 pass the hook for them: it is there only if it must be.
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
 * mrc_socket_decap_put - one uSID prefix less in a namespace
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
 * mrc_socket_init - prepare for namespaces
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
