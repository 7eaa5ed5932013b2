/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UDP sockets and receive hooks of a network namespace: the sockets own the UDP
 * ports, the hooks take the packets.
 */
#ifndef MRC_NET_SOCKET_H
#define MRC_NET_SOCKET_H

struct net;
struct netlink_ext_ack;

int mrc_socket_get(struct net *net, struct netlink_ext_ack *extack);
void mrc_socket_put(struct net *net);
int mrc_socket_decap_get(struct net *net);
void mrc_socket_decap_put(struct net *net);

int mrc_socket_init(void);
void mrc_socket_exit(void);

#endif /* MRC_NET_SOCKET_H */
