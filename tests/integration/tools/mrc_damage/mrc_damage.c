// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A cable that damages packets: frames pass from one interface to the other, and every
 * nth MRC packet of either direction has bits flipped on its way. Headers are walked
 * through bit by bit, the rest is chosen at random. The UDP checksum is correct before
 * the damage; with -c the damage is such that it is correct afterwards.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rng.h"

#define FRAME_MAX	65536
#define MRC_PORT	4791
/* Offsets in a frame: Ethernet, IPv6, UDP. */
#define IP_AT		ETH_HLEN
#define UDP_AT		(IP_AT + sizeof(struct ip6_hdr))
#define MRC_AT		(UDP_AT + sizeof(struct udphdr))
#define UDP_CHECK_AT	(UDP_AT + 6)
/* The longest transport headers: BTH and what may follow it. */
#define HEADERS		64
#define TRIES		256

/**
 * struct cable - both directions
 * @fd: sockets of the two interfaces
 * @rng: decides
 * @nth: one packet of so many is damaged
 * @begin: first byte of a frame that is damaged
 * @end: byte behind the last one; 0: the end of the frame
 * @collide: keep the UDP checksum correct
 * @walk: bits of headers that have been flipped
 * @passed: MRC packets
 * @damaged: those of them that were damaged
 */
struct cable {
	int fd[2];
	struct rng rng;
	uint32_t nth;
	uint32_t begin;
	uint32_t end;
	bool collide;
	uint32_t walk;
	uint64_t passed;
	uint64_t damaged;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = 1;
}

static int open_interface(const char *name)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(name),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), on = 1;

	if (fd < 0 || bind(fd, (void *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on))) {
		perror(name);
		exit(2);
	}
	return fd;
}

static uint64_t sum_words(const uint8_t *data, size_t len)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += (uint32_t)data[i] << (i % 2 ? 0 : 8);
	return sum;
}

static uint16_t udp_checksum(const uint8_t *frame, size_t len)
{
	uint64_t sum = len - UDP_AT + IPPROTO_UDP;

	sum += sum_words(frame + IP_AT + 8, 2 * sizeof(struct in6_addr));
	sum += sum_words(frame + UDP_AT, len - UDP_AT);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff ? ~sum & 0xffff : 0xffff;
}

/* What the sender has left to its hardware. */
static void set_checksum(uint8_t *frame, size_t len)
{
	uint16_t check;

	memset(frame + UDP_CHECK_AT, 0, sizeof(check));
	check = htons(udp_checksum(frame, len));
	memcpy(frame + UDP_CHECK_AT, &check, sizeof(check));
}

static bool is_mrc(const uint8_t *frame, size_t len)
{
	const struct ip6_hdr *ip6 = (const void *)(frame + IP_AT);
	const struct udphdr *uh = (const void *)(frame + UDP_AT);

	return len > MRC_AT && frame[12] == 0x86 && frame[13] == 0xdd &&
	       ip6->ip6_nxt == IPPROTO_UDP && uh->dest == htons(MRC_PORT) &&
	       ntohs(ip6->ip6_plen) == len - UDP_AT;
}

static void flip(uint8_t *frame, uint32_t at, uint8_t bit)
{
	frame[at] ^= 1u << bit;
}

/* A byte whose flipped bit makes up for that of another one in the same checksum. */
static bool balance(struct cable *c, uint8_t *frame, size_t len, uint32_t at,
		    uint8_t bit)
{
	uint32_t other, tries;

	for (tries = 0; tries < TRIES; tries++) {
		other = MRC_AT + rng_below(&c->rng, len - MRC_AT);
		if (other == at || (other ^ at) & 1 ||
		    !((frame[other] ^ frame[at]) >> bit & 1))
			continue;
		flip(frame, other, bit);
		return true;
	}
	return false;
}

static bool damage(struct cable *c, uint8_t *frame, size_t len)
{
	uint32_t end = c->end && c->end < len ? c->end : len;
	uint32_t headers = end - c->begin;
	uint8_t bit;
	uint32_t at;

	if (c->begin == MRC_AT && headers > HEADERS)
		headers = HEADERS;
	if (rng_one_in(&c->rng, 2)) {
		at = c->begin + c->walk / 8 % headers;
		bit = c->walk++ % 8;
	} else {
		at = c->begin + rng_below(&c->rng, end - c->begin);
		bit = rng_below(&c->rng, 8);
	}
	if (c->collide && !balance(c, frame, len, at, bit))
		return false;
	flip(frame, at, bit);
	return true;
}

static void pass(struct cable *c, int from, int to)
{
	static uint8_t frame[FRAME_MAX];
	ssize_t len = recv(from, frame, sizeof(frame), 0);

	if (len < 0)
		return;
	if (is_mrc(frame, len)) {
		set_checksum(frame, len);
		c->passed++;
		if (c->nth && rng_one_in(&c->rng, c->nth) && damage(c, frame, len))
			c->damaged++;
	}
	/* A frame that cannot be sent is lost, as on any cable. */
	if (send(to, frame, len, 0) < 0 && errno != ENOBUFS && errno != ENETDOWN)
		perror("send");
}

static void run(struct cable *c)
{
	struct pollfd p[2] = { { c->fd[0], POLLIN }, { c->fd[1], POLLIN } };
	int i;

	while (!stopped) {
		if (poll(p, 2, -1) < 0)
			continue;
		for (i = 0; i < 2; i++)
			if (p[i].revents)
				pass(c, c->fd[i], c->fd[!i]);
	}
}

static const struct { const char *name; uint32_t begin, end; } layers[] = {
	{ "ip", IP_AT, UDP_AT },
	{ "port", UDP_AT, UDP_AT + 2 },
	{ "checksum", UDP_CHECK_AT, MRC_AT },
	{ "mrc", MRC_AT, 0 },
};

static bool set_layer(struct cable *c, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(layers) / sizeof((layers)[0]); i++) {
		if (strcmp(layers[i].name, name))
			continue;
		c->begin = layers[i].begin;
		c->end = layers[i].end;
		return true;
	}
	return false;
}

static const char usage[] =
"Usage: mrc_damage [-n NTH] [-l LAYER] [-c] [-s SEED] INTERFACE INTERFACE\n"
"Pass frames between two interfaces and damage MRC packets on IPv6.\n"
"  -n NTH     damage one of so many packets (default 0: none)\n"
"  -l LAYER   what is damaged: ip, port (the UDP source port), checksum, mrc\n"
"  -c         flip a second bit so that the UDP checksum stays correct\n";

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = stop };
	struct cable c = { .begin = MRC_AT };
	uint64_t seed = 1;
	int o;

	while ((o = getopt(argc, argv, "n:l:s:ch")) != -1) {
		if (o == 'n')
			c.nth = atoi(optarg);
		else if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			c.collide = true;
		else if (o != 'l' || !set_layer(&c, optarg))
			return fputs(usage, stderr), 2;
	}
	if (argc - optind != 2)
		return fputs(usage, stderr), 2;
	rng_seed(&c.rng, seed);
	c.fd[0] = open_interface(argv[optind]);
	c.fd[1] = open_interface(argv[optind + 1]);
	sigaction(SIGTERM, &act, NULL);
	puts("ready");
	fflush(stdout);
	run(&c);
	printf("%llu passed %llu damaged\n", (unsigned long long)c.passed,
	       (unsigned long long)c.damaged);
	return 0;
}
