// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A network interface in another namespace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT		103
#endif
#ifndef IPV6_AUTOFLOWLABEL
#define IPV6_AUTOFLOWLABEL	70
#endif
#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING	23
#endif

#define MRC_PORT	4791
#define MRC_PORT_ALT	4971
#define RCVBUF		(8 << 20)

static int open_packet(struct link *l, const char *dev)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int one = 1, size = RCVBUF;
	struct ifreq ifr = {};

	l->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (l->fd < 0)
		return -1;
	setsockopt(l->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (setsockopt(l->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one,
		       sizeof(one)))
		return -1;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	if (ioctl(l->fd, SIOCGIFHWADDR, &ifr))
		return -1;
	memcpy(l->mac, ifr.ifr_hwaddr.sa_data, sizeof(l->mac));
	sll.sll_ifindex = if_nametoindex(dev);
	return bind(l->fd, (struct sockaddr *)&sll, sizeof(sll));
}

/* The sockets are never read: they fill up, and later packets are dropped. */
static int own_port(int family, uint16_t port)
{
	struct sockaddr_in6 sin6 = {
		.sin6_family = family,
		.sin6_port = htons(port),
	};
	struct sockaddr_in sin = {
		.sin_family = family,
		.sin_port = htons(port),
	};
	int one = 1, ret, fd;

	fd = socket(family, SOCK_DGRAM, 0);
	if (fd < 0)
		return -1;
	if (family == AF_INET) {
		ret = bind(fd, (struct sockaddr *)&sin, sizeof(sin));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
		ret = bind(fd, (struct sockaddr *)&sin6, sizeof(sin6));
	}
	if (!ret)
		return fd;
	close(fd);
	return -1;
}

static int open_gso(struct link *l, const uint8_t *src)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6 };
	int off = 0;

	memcpy(&sin6.sin6_addr, src, sizeof(sin6.sin6_addr));
	l->gso = socket(AF_INET6, SOCK_DGRAM, 0);
	if (l->gso < 0 || setsockopt(l->gso, IPPROTO_IPV6, IPV6_AUTOFLOWLABEL,
				     &off, sizeof(off)))
		return -1;
	return bind(l->gso, (struct sockaddr *)&sin6, sizeof(sin6));
}

static int open_sockets(struct link *l, const char *dev, const uint8_t *src)
{
	int i;

	if (open_packet(l, dev) || open_gso(l, src))
		return -1;
	for (i = 0; i < 4; i++) {
		l->udp[i] = own_port(i & 1 ? AF_INET6 : AF_INET,
				     i & 2 ? MRC_PORT_ALT : MRC_PORT);
		if (l->udp[i] < 0)
			return -1;
	}
	return 0;
}

/**
 * link_open - open an interface
 * @l: filled in
 * @netns: file that names its network namespace
 * @dev: its name
 * @gso_src: IPv6 source address of link_send_gso()
 *
 * Return: 0, or -1 after a message.
 */
int link_open(struct link *l, const char *netns, const char *dev,
	      const uint8_t *gso_src)
{
	int here = open("/proc/thread-self/ns/net", O_RDONLY);
	int there = open(netns, O_RDONLY);
	int ret = -1;

	if (here < 0 || there < 0 || setns(there, CLONE_NEWNET)) {
		fprintf(stderr, "%s: %s\n", netns, strerror(errno));
		goto out;
	}
	ret = open_sockets(l, dev, gso_src);
	if (ret)
		fprintf(stderr, "sockets on %s: %s\n", dev, strerror(errno));
	if (setns(here, CLONE_NEWNET))
		ret = -1;
out:
	close(there);
	close(here);
	return ret;
}

/**
 * link_close - undo link_open()
 * @l: interface
 */
void link_close(struct link *l)
{
	int i;

	for (i = 0; i < 4; i++)
		close(l->udp[i]);
	close(l->gso);
	close(l->fd);
}

/**
 * link_send - send a frame
 * @l: interface
 * @frame: from the Ethernet header on
 * @len: bytes
 *
 * Return: 0, or -1 with errno.
 */
int link_send(const struct link *l, const void *frame, size_t len)
{
	return send(l->fd, frame, len, 0) == (ssize_t)len ? 0 : -1;
}

static uint16_t gso_port(const struct link *l)
{
	struct sockaddr_in6 sin6;
	socklen_t len = sizeof(sin6);

	if (getsockname(l->gso, (struct sockaddr *)&sin6, &len))
		return 0;
	return ntohs(sin6.sin6_port);
}

/**
 * link_send_gso - send a UDP GSO buffer, which arrives in one piece
 * @l: interface
 * @dst: IPv6 destination
 * @port: UDP destination port; 0: send nothing
 * @data: UDP payload of all packets
 * @len: bytes
 * @seg: bytes of each packet but the last; 0: no GSO
 *
 * Return: UDP source port, or -1 with errno.
 */
int link_send_gso(const struct link *l, const uint8_t *dst, uint16_t port,
		  const void *data, size_t len, uint16_t seg)
{
	struct sockaddr_in6 sin6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	char ctl[CMSG_SPACE(sizeof(seg))] = {};
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = {
		.msg_name = &sin6,
		.msg_namelen = sizeof(sin6),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	struct cmsghdr *cmsg;

	memcpy(&sin6.sin6_addr, dst, sizeof(sin6.sin6_addr));
	if (seg) {
		msg.msg_control = ctl;
		msg.msg_controllen = sizeof(ctl);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_UDP;
		cmsg->cmsg_type = UDP_SEGMENT;
		cmsg->cmsg_len = CMSG_LEN(sizeof(seg));
		memcpy(CMSG_DATA(cmsg), &seg, sizeof(seg));
	}
	if (port && sendmsg(l->gso, &msg, 0) != (ssize_t)len)
		return -1;
	return gso_port(l);
}

/**
 * link_recv - receive a frame
 * @l: interface
 * @buf: destination
 * @len: size of @buf
 * @timeout_ms: how long to wait
 *
 * Return: bytes, 0 after the timeout, -1 with errno.
 */
ssize_t link_recv(const struct link *l, void *buf, size_t len, int timeout_ms)
{
	struct pollfd pfd = { .fd = l->fd, .events = POLLIN };
	int ret = poll(&pfd, 1, timeout_ms);

	return ret > 0 ? recv(l->fd, buf, len, 0) : ret;
}
