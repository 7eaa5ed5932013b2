/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A network as a file describes it: planes, tiers, uSIDs, hosts, denials
 * (Documentation/topology.md).
 */
#ifndef MRC_TOPO_H
#define MRC_TOPO_H

#include <jansson.h>
#include <linux/mrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "args.h"

enum {
	/* Hexadecimal digits of an address, and of a uSID. */
	TOPO_ADDR_DIGITS = 32,
	TOPO_USID_DIGITS = 8,
	TOPO_DIGIT_BITS = 4,
	/* Switches of a tier in a plane. */
	TOPO_SWITCHES_MAX = 4096,
	/* Bytes of the name of a place in the file, and of a switch. */
	TOPO_PLACE = 128,
	TOPO_NAME = 32,
	/* Bytes of a message about a mistake. */
	TOPO_TEXT = 384,
	/* Mistakes that are printed at most. */
	TOPO_MISTAKES = 20,
};

/**
 * struct topo_usid - a uSID
 * @digit: hexadecimal digits in lower case, 'p' where the plane's number goes
 */
struct topo_usid {
	char digit[TOPO_USID_DIGITS + 1];
};

/**
 * struct topo_ports - names of the interfaces of a switch to one side
 * @name: what they begin with; NULL: they have the names of the neighbours
 * @first: number that follows it on port 0
 * @step: from one port to the next
 */
struct topo_ports {
	const char *name;
	int first;
	int step;
};

/**
 * struct topo_tier - switches of a tier
 * @n: how many there are in each plane; 0: there is no such tier
 * @usid: of switch i of plane p at p * @n + i
 * @down: interfaces to hosts, by port of the host, or to T0s, by number of the T0
 * @up: interfaces to T1s, by number of the T1
 */
struct topo_tier {
	int n;
	struct topo_usid *usid;
	struct topo_ports down;
	struct topo_ports up;
};

/**
 * struct topo_host - a host
 * @name: its name
 * @prefix: its addresses
 * @t0: by plane: number of its T0
 * @port: of its T0s; -1: not given
 * @usid: its uSID
 */
struct topo_host {
	const char *name;
	struct prefix prefix;
	uint16_t t0[MRC_PORTS_MAX];
	int port;
	struct topo_usid usid;
};

/**
 * struct topo_deny - a switch or a link of one plane that must not be used
 * @line: number of the entry in the file
 * @plane: from 0
 * @t0: number of a T0; -1: all of them: @t1 is denied
 * @t1: number of a T1; -1: all of them: @t0 is denied
 */
struct topo_deny {
	int line;
	int plane;
	int t0;
	int t1;
};

/**
 * struct topo_mistake - something that is wrong
 * @place: where, as a JSON path
 * @text: what, and what to do
 */
struct topo_mistake {
	char place[TOPO_PLACE];
	char text[TOPO_TEXT];
};

/**
 * struct topo - a network
 * @file: its name, for messages
 * @json: what the strings are part of
 * @planes: how many
 * @first_plane: number of the first in uSIDs and names
 * @block: digits before the first uSID
 * @usid_digits: of each uSID
 * @link_local: link-local addresses of switches and hosts; their last bits are the
 *	uSID
 * @t0: switches next to the hosts
 * @t1: switches that join them
 * @hosts: how many
 * @host: array
 * @denies: how many
 * @deny: array
 * @paths: most of them to a peer
 * @packet: payload bytes that every port must carry; 0: not given
 * @cut: [plane][t0][t1]: that link is denied, or an end of it
 * @mistakes: how many were found
 * @mistake: the first of them
 */
struct topo {
	const char *file;
	json_t *json;
	int planes;
	int first_plane;
	char block[TOPO_ADDR_DIGITS + 1];
	int usid_digits;
	struct in6_addr link_local;
	struct topo_tier t0;
	struct topo_tier t1;
	int hosts;
	struct topo_host *host;
	int denies;
	struct topo_deny *deny;
	int paths;
	int packet;
	bool *cut;
	int mistakes;
	struct topo_mistake mistake[TOPO_MISTAKES];
};

void topo_mistake(struct topo *topo, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void *topo_alloc(size_t n, size_t size);
void *topo_grow(void *array, size_t n, size_t size);
FILE *topo_text(char **text, size_t *size);
int topo_load(const char *file, struct topo *topo);
int topo_load_good(const char *file, struct topo *topo);
void topo_free(struct topo *topo);
void topo_check(struct topo *topo);
int topo_told_mistakes(const struct topo *topo);
int topo_print_mistakes(const struct topo *topo);

const char *topo_switch_name(const struct topo *topo, int tier, int plane,
			     int number, char *name);
const struct topo_usid *topo_usid_of(const struct topo_tier *tier, int plane,
				     int number);
void topo_plane_digits(const struct topo *topo, char *digits, int plane);
const struct topo_host *topo_find_host(const struct topo *topo,
				       const char *name);
const struct topo_host *topo_host_of(const struct topo *topo,
				     const struct in6_addr *addr);
int topo_get_host(const struct topo *topo, const char *key, const char *name,
		  const struct topo_host **host);
bool *topo_cut(const struct topo *topo, int plane, int t0, int t1);

#endif /* MRC_TOPO_H */
