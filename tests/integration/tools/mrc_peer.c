// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A peer that is no RDMA device: it sends raw packets, right and wrong ones, to
 * a device on this host and compares what comes back, what is counted and what
 * happens to memory.
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

/* The halves of the entropy value differ, and so do their bytes. */
#define EV	0x0001c0de
#define SEED	1
#define PACKETS	10000

static const char usage_text[] =
"Usage: mrc_peer OPTION... [GROUP]...\n"
"Play raw packets to an RDMA device. GROUP is one of malformed, refused, talk,\n"
"asked, answers, bursts, mutate (default: all of these), storm, or the name of a\n"
"file with scenarios, which has a slash.\n"
"  -d NAME  RDMA device\n"
"  -N FILE  network namespace of the peer's interface\n"
"  -i NAME  the peer's interface, joined directly to the device's\n"
"  -m MAC   address of the device's port\n"
"  -6 A,B   IPv6 addresses of the peer and of the device\n"
"  -4 A,B   IPv4 addresses; without this option, IPv4 is left out\n"
"  -o       no queue pair uses IPv4: the device's port 1 has no way to that peer\n"
"  -S SID   SRv6 destination that leads to the device\n"
"  -D       its packets are decapsulated by the device, not by the stack\n"
"  -n N     packets with random damage, on each family (default 10000)\n"
"  -r SEED  of the damage (default 1)\n"
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
		usage("two addresses are needed");
	*b++ = 0;
	if (inet_pton(family, arg, w->saddr) != 1 ||
	    inet_pton(family, b, w->daddr) != 1)
		usage("not an address");
	w->v4 = v4;
	w->ev = EV;
	w->dport = MRC_UDP_PORT;
}

static void parse_mac(const char *arg, struct scene *s)
{
	u8 *m = s->wires[0].dmac;

	if (sscanf(arg, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", m, m + 1, m + 2,
		   m + 3, m + 4, m + 5) != 6)
		usage("not a MAC address");
	memcpy(s->wires[1].dmac, m, sizeof(s->wires[1].dmac));
}

static void parse(int argc, char **argv, struct scene *s, struct options *o)
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

/* Packets sent on one CPU are received in their order. */
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

static void start(struct scene *s, const struct options *o)
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

static bool wanted(const char *group, char **groups)
{
	if (!*groups)
		return true;
	for (; *groups; groups++)
		if (!strcmp(*groups, group))
			return true;
	return false;
}

static void run_files(struct scene *s, char **groups)
{
	for (; *groups; groups++)
		if (strchr(*groups, '/') && !script_run(s, *groups))
			exit(2);
}

static void run_family(struct scene *s, const struct options *o, char **groups,
		       bool v4)
{
	scene_use(s, v4);
	if (wanted("malformed", groups))
		malformed_run(s);
	if (wanted("refused", groups))
		refused_run(s);
	if (wanted("talk", groups))
		talk_run(s);
	if (wanted("asked", groups))
		asked_run(s);
	if (wanted("answers", groups))
		answers_run(s);
	if (!v4 && wanted("bursts", groups))
		bursts_run(s);
	if (wanted("mutate", groups))
		mutate_run(s, o->packets, o->seed);
	if (*groups && wanted("storm", groups))
		storm_run(s, o->packets, o->seed);
	run_files(s, groups);
	target_qp_destroy(s->qp);
	s->qp = NULL;
}

int main(int argc, char **argv)
{
	static struct scene s;
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
