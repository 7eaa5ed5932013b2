/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A network interface in another namespace, to send and receive raw frames.
 */
#ifndef MRC_TEST_LINK_H
#define MRC_TEST_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct link - an interface
 * @fd: packet socket
 * @udp: UDP sockets bound to MRC's ports, so that the network stack sends no ICMP
 *	errors
 * @gso: UDP socket that sends GSO buffers
 * @mac: own address
 */
struct link {
	int fd;
	int udp[4];
	int gso;
	uint8_t mac[6];
};

int link_open(struct link *l, const char *netns, const char *dev,
	      const uint8_t *gso_src);
void link_close(struct link *l);
int link_send(const struct link *l, const void *frame, size_t len);
int link_send_gso(const struct link *l, const uint8_t *dst, uint16_t port,
		  const void *data, size_t len, uint16_t seg);
ssize_t link_recv(const struct link *l, void *buf, size_t len, int timeout_ms);

#endif /* MRC_TEST_LINK_H */
