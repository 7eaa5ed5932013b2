// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets of the devices, as they leave the ports: sent again, later, damaged, cut,
 * or with parts of other packets. The UDP checksum of most is right, so that they are
 * not dropped before the device sees them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "torture.h"

#define FRAME_MAX	65536
/* Frames that are kept to be sent later. */
#define KEPT		32
#define WAIT_MS		20
/* Damage is mostly done to the headers of the transport. */
#define HEAD		64
#define CHANGES_MAX	4
#define NAME_MAX_LEN	64
/* The last octet of the destination QPN, after the UDP header; how far it moves. */
#define QPN_AT		15
#define QPN_STEP	16

/**
 * struct frame - a packet
 * @len: octets
 * @data: of them
 */
struct frame {
	uint32_t len;
	uint8_t data[FRAME_MAX];
};

/**
 * struct tap - a port
 * @fd: packet socket
 * @mtu: of the port, with the Ethernet header
 */
struct tap {
	int fd;
	uint32_t mtu;
};

static struct frame kept[KEPT];

static int enter(const char *netns)
{
	char path[NAME_MAX_LEN * 2];
	int fd, ret;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = setns(fd, CLONE_NEWNET);
	close(fd);
	return ret;
}

static int tap_bind(struct tap *tap, const char *dev)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(dev),
	};
	struct ifreq ifr = {};

	tap->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (tap->fd < 0)
		return -1;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	if (ioctl(tap->fd, SIOCGIFMTU, &ifr))
		return -1;
	tap->mtu = ifr.ifr_mtu + ETH_HLEN;
	return bind(tap->fd, (struct sockaddr *)&sll, sizeof(sll));
}

/* @port is NETNS:NAME. */
static int tap_open(struct tap *tap, const char *port)
{
	const char *dev = strchr(port, ':');
	char netns[NAME_MAX_LEN];

	if (!dev)
		return wrong("port %s is not NETNS:NAME", port);
	snprintf(netns, sizeof(netns), "%.*s", (int)(dev - port), port);
	if (enter(netns) || tap_bind(tap, dev + 1))
		return wrong("port %s: %s", port, strerror(errno));
	return 0;
}

/* Read a frame that the port sends; false if there is none. */
static bool tap_read(struct tap *tap, struct frame *f)
{
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	ssize_t n;

	n = recvfrom(tap->fd, f->data, sizeof(f->data), MSG_DONTWAIT,
		     (struct sockaddr *)&from, &len);
	f->len = n < 0 ? 0 : n;
	return n > 0 && from.sll_pkttype == PACKET_OUTGOING;
}

static uint16_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static void put16(uint8_t *p, uint16_t value)
{
	p[0] = value >> 8;
	p[1] = value;
}

/* Offset of the header after the IPv6 or routing header at @at; 0: there is none. */
static uint32_t next_header(const struct frame *f, uint32_t at, uint8_t *proto)
{
	uint32_t next;

	switch (*proto) {
	case IPPROTO_IPV6:
		next = at + sizeof(struct ip6_hdr);
		if (next > f->len)
			return 0;
		*proto = f->data[at + 6];
		return next;
	case IPPROTO_ROUTING:
		if (at + 8 > f->len)
			return 0;
		*proto = f->data[at];
		return at + 8 * (f->data[at + 1] + 1);
	case IPPROTO_IPIP:
		next = at + 4 * (f->data[at] & 0xf);
		if (next > f->len)
			return 0;
		*proto = f->data[at + 9];
		return next;
	default:
		return 0;
	}
}

/* Cut the frame to @len octets, and write its lengths accordingly. */
static void set_lengths(struct frame *f, uint32_t at, uint8_t proto, uint32_t len)
{
	if (proto == IPPROTO_IPV6)
		put16(f->data + at + 4, len - at - sizeof(struct ip6_hdr));
	else if (proto == IPPROTO_IPIP)
		put16(f->data + at + 2, len - at);
	else if (proto == IPPROTO_UDP)
		put16(f->data + at + 4, len - at);
}

/* Offset of the UDP header, and of the last IP header; 0: no datagram. */
static uint32_t find_udp(struct frame *f, uint32_t *ip, uint32_t len)
{
	uint16_t type = get16(f->data + 12);
	uint8_t proto = type == ETH_P_IPV6 ? IPPROTO_IPV6 :
			type == ETH_P_IP ? IPPROTO_IPIP : IPPROTO_NONE;
	uint32_t at = ETH_HLEN, next;

	while (proto != IPPROTO_UDP) {
		if (proto != IPPROTO_ROUTING)
			*ip = at;
		set_lengths(f, at, proto, len);
		next = next_header(f, at, &proto);
		if (!next || next + sizeof(struct udphdr) > len)
			return 0;
		at = next;
	}
	set_lengths(f, at, proto, len);
	return at;
}

static uint32_t sum(const uint8_t *p, uint32_t len, uint32_t acc)
{
	uint32_t i;

	for (i = 0; i + 1 < len; i += 2)
		acc += get16(p + i);
	if (len & 1)
		acc += p[len - 1] << 8;
	while (acc >> 16)
		acc = (acc & 0xffff) + (acc >> 16);
	return acc;
}

static void set_checksums(struct frame *f, uint32_t ip, uint32_t udp)
{
	bool v6 = f->data[ip] >> 4 == 6;
	uint32_t len = f->len - udp, acc = len + IPPROTO_UDP;
	uint8_t *d = f->data;

	if (v6) {
		acc = sum(d + ip + 8, 32, acc);
	} else {
		acc = sum(d + ip + 12, 8, acc);
		put16(d + ip + 10, 0);
		put16(d + ip + 10, ~sum(d + ip, 4 * (d[ip] & 0xf), 0));
	}
	put16(d + udp + 6, 0);
	acc = ~sum(d + udp, len, acc) & 0xffff;
	put16(d + udp + 6, acc ? acc : 0xffff);
}

/* Change @n octets. */
static void damage(struct rnd *r, struct frame *f, uint32_t begin, int n)
{
	uint32_t len = f->len - begin, area = rnd_one_in(r, 4) ? len : HEAD;
	const struct frame *other = &kept[rnd_below(r, KEPT)];
	uint32_t at;

	if (area > len)
		area = len;
	while (area && n--) {
		at = begin + rnd_below(r, area);
		switch (rnd_below(r, 4)) {
		case 0:
			f->data[at] ^= 1 << rnd_below(r, 8);
			break;
		case 1:
			f->data[at] = rnd_below(r, 256);
			break;
		case 2:
			f->data[at] += rnd_below(r, 7) - 3;
			break;
		default:
			if (at < other->len)
				f->data[at] = other->data[at];
		}
	}
}

static uint32_t some_length(struct rnd *r, const struct frame *f, uint32_t udp,
			    uint32_t mtu)
{
	uint32_t len = f->len < mtu ? f->len : mtu;
	uint32_t least = udp + sizeof(struct udphdr);

	if (rnd_one_in(r, 8) && len > least)
		len = least + rnd_below(r, len - least);
	return len;
}

/* Let the packet come from a stranger, or be for another queue pair. */
static void redirect(struct rnd *r, struct frame *f, uint32_t ip, uint32_t udp)
{
	bool v6 = f->data[ip] >> 4 == 6;
	uint32_t source = ip + (v6 ? 8 + 15 : 12 + 3);

	if (rnd_one_in(r, 2) || udp + QPN_AT >= f->len)
		f->data[source] ^= 1 << rnd_below(r, 8);
	else
		f->data[udp + QPN_AT] += 1 + rnd_below(r, QPN_STEP);
}

/* Send a variant of the frame from the port that sent it. */
static void again(struct torture *t, struct tap *tap, struct frame *f)
{
	struct rnd *r = &t->rnd;
	int changes = rnd_below(r, CHANGES_MAX + 1);
	bool foreign = rnd_one_in(r, 4);
	uint32_t udp, ip = 0, len;

	udp = find_udp(f, &ip, f->len);
	if (!udp)
		return;
	len = some_length(r, f, udp, tap->mtu);
	find_udp(f, &ip, len);
	f->len = len;
	damage(r, f, rnd_one_in(r, 16) ? ETH_HLEN :
		     udp + sizeof(struct udphdr), changes);
	if (foreign)
		redirect(r, f, ip, udp);
	if (!rnd_one_in(r, 32) && f->data[ip] >> 4 >= 4)
		set_checksums(f, ip, udp);
	act("packet of %u octets", len);
	count(foreign ? COUNT_PACKET_FOREIGN : changes ? COUNT_PACKET_DAMAGED :
							 COUNT_PACKET_AGAIN,
	      send(tap->fd, f->data, f->len, MSG_DONTWAIT) > 0);
}

static void read_all(struct torture *t, struct tap *tap)
{
	static struct frame f;
	int i;

	for (i = 0; i < KEPT && tap_read(tap, &f); i++) {
		if (f.len > ETH_HLEN + sizeof(struct iphdr) &&
		    rnd_one_in(&t->rnd, 2))
			kept[rnd_below(&t->rnd, KEPT)] = f;
	}
}

/**
 * packet_run - worker: packets are sent again and damaged
 * @t: ports of the devices; each action is a packet
 *
 * Return: 0, or -1 after a message.
 */
int packet_run(struct torture *t)
{
	struct pollfd fds[TORTURE_NAMES];
	struct tap taps[TORTURE_NAMES];
	static struct frame f;
	uint32_t i;
	int k;

	for (k = 0; k < t->ports; k++) {
		if (tap_open(&taps[k], t->port[k]))
			return t->failing ? 0 : -1;
		fds[k] = (struct pollfd){ .fd = taps[k].fd, .events = POLLIN };
	}
	for (i = 0; i < t->actions && t->ports; i++) {
		poll(fds, t->ports, WAIT_MS);
		for (k = 0; k < t->ports; k++)
			read_all(t, &taps[k]);
		f = kept[rnd_below(&t->rnd, KEPT)];
		if (f.len)
			again(t, &taps[rnd_below(&t->rnd, t->ports)], &f);
	}
	return 0;
}
