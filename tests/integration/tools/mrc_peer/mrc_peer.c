// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A peer that is not an RDMA device: it sends raw packets, valid and invalid ones,
 * to a device on this host and compares the packets that the device sends, its
 * counters and its memory with what is expected.
 *
 * The device and the peer's interface may be in different network namespaces;
 * the program itself runs where the device's counters can be seen.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

/* All four bytes of the entropy value differ. */
#define EV	0x0001c0de
#define SEED	1
#define PACKETS	10000

static const char usage_text[] =
"Usage: mrc_peer OPTION... [GROUP]...\n"
"Send raw packets to an RDMA device. GROUP is one of malformed, nak, responder,\n"
"rd_atomic, requester, gso, endpoint, mutate (default: all of these), hmac,\n"
"storm, or the name of a file with scenarios, which has a slash.\n"
"  -d NAME  RDMA device\n"
"  -N FILE  network namespace of the peer's interface\n"
"  -i NAME  the peer's interface, joined directly to the device's\n"
"  -m MAC   address of the device's port\n"
"  -6 A,B   IPv6 addresses of the peer and of the device\n"
"  -4 A,B   IPv4 addresses; without this option, no test uses IPv4\n"
"  -o       no QP uses IPv4: port 1 of the device has no route to that address\n"
"  -S SID   SRv6 destination that leads to the device\n"
"  -D       the device decapsulates packets to SID, not the network stack\n"
"  -n N     packets with random damage, on each family (default 10000)\n"
"  -r SEED  seed of the random damage (default 1)\n"
"The device has a second address of each family, which ends in 2.\n";

struct options {
	const char *netns;
	const char *dev;
	u32 packets;
	u32 seed;
	bool v4;
	bool v6_only;
};

static void usage(const char *why)
{
	fprintf(stderr, "mrc_peer: %s\n%s", why, usage_text);
	exit(2);
}

static void parse_pair(char *arg, bool v4, struct wire *w)
{
	char *b = strchr(arg, ',');
	int family = v4 ? AF_INET : AF_INET6;

	if (!b)
		usage("options -6 and -4 take two addresses");
	*b++ = 0;
	if (inet_pton(family, arg, w->saddr) != 1 ||
	    inet_pton(family, b, w->daddr) != 1)
		usage("not an address");
	w->v4 = v4;
	w->ev = EV;
	w->dport = MRC_UDP_PORT;
}

static void parse_mac(const char *arg, struct fixture *s)
{
	u8 *m = s->wires[0].dmac;

	if (sscanf(arg, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", m, m + 1, m + 2,
		   m + 3, m + 4, m + 5) != 6)
		usage("not a MAC address");
	memcpy(s->wires[1].dmac, m, sizeof(s->wires[1].dmac));
}

static void parse(int argc, char **argv, struct fixture *s, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "d:N:i:m:6:4:oS:Dn:r:")) != -1) {
		switch (c) {
		case 'd':
			s->device = optarg;
			break;
		case 'N':
			o->netns = optarg;
			break;
		case 'i':
			o->dev = optarg;
			break;
		case 'm':
			parse_mac(optarg, s);
			break;
		case '6':
			parse_pair(optarg, false, &s->wires[0]);
			break;
		case '4':
			parse_pair(optarg, true, &s->wires[1]);
			o->v4 = true;
			break;
		case 'o':
			o->v6_only = true;
			break;
		case 'S':
			if (inet_pton(AF_INET6, optarg, s->sid) != 1)
				usage("not an IPv6 address");
			break;
		case 'D':
			s->decap = true;
			break;
		case 'n':
			o->packets = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			o->seed = strtoul(optarg, NULL, 0);
			break;
		default:
			usage("unknown option");
		}
	}
	if (!s->device || !o->netns || !o->dev || !s->wires[0].ev)
		usage("options -d, -N, -i and -6 are needed");
}

/* Packets sent on one CPU are received in order. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static void start(struct fixture *s, const struct options *o)
{
	int i;

	stay_on_one_cpu();
	if (link_open(&s->link, o->netns, o->dev, s->wires[0].saddr))
		exit(1);
	for (i = 0; i < 2; i++)
		memcpy(s->wires[i].smac, s->link.mac, sizeof(s->link.mac));
	s->target = target_open(s->device, s->wires[0].daddr,
				s->wires[0].saddr);
	if (!s->target)
		exit(1);
	for (i = 0; i < TARGET_AREAS; i++)
		target_mr(s->target, i, &s->mr[i]);
}

static bool is_selected(const char *group, char **groups)
{
	if (!*groups)
		return true;
	for (; *groups; groups++)
		if (!strcmp(*groups, group))
			return true;
	return false;
}

static void run_files(struct fixture *s, char **groups)
{
	for (; *groups; groups++)
		if (strchr(*groups, '/') && !script_run(s, *groups))
			exit(2);
}

static void run_family(struct fixture *s, const struct options *o, char **groups,
		       bool v4)
{
	fixture_set_family(s, v4);
	if (is_selected("malformed", groups))
		malformed_run(s);
	if (is_selected("nak", groups))
		nak_run(s);
	if (is_selected("responder", groups))
		responder_run(s);
	if (is_selected("rd_atomic", groups))
		rd_atomic_run(s);
	if (is_selected("requester", groups))
		requester_run(s);
	if (!v4 && is_selected("gso", groups))
		gso_run(s);
	if (is_selected("endpoint", groups))
		endpoint_run(s);
	if (is_selected("mutate", groups))
		mutate_run(s, o->packets, o->seed);
	if (!v4 && *groups && is_selected("hmac", groups))
		hmac_run(s);
	if (*groups && is_selected("storm", groups))
		storm_run(s, o->packets, o->seed);
	run_files(s, groups);
	target_qp_destroy(s->qp);
	s->qp = NULL;
}

int main(int argc, char **argv)
{
	static struct fixture s;
	struct options o = { .packets = PACKETS, .seed = SEED };

	parse(argc, argv, &s, &o);
	start(&s, &o);
	run_family(&s, &o, argv + optind, false);
	if (o.v4 && !o.v6_only)
		run_family(&s, &o, argv + optind, true);
	target_close(s.target);
	link_close(&s.link);
	return tap_done();
}
