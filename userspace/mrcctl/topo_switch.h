/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a switch of a topology must forward.
 */
#ifndef MRCCTL_TOPO_SWITCH_H
#define MRCCTL_TOPO_SWITCH_H

#include "topo.h"

/* Bytes of an interface's name, with the zero. */
enum { TOPO_IFNAME = 16 };

/**
 * struct topo_hop - a neighbour of a switch
 * @prefix: addresses whose next uSID is the neighbour's
 * @via: its link-local address
 * @dev: interface of the switch that leads there
 */
struct topo_hop {
	struct prefix prefix;
	struct in6_addr via;
	char dev[TOPO_IFNAME];
};

/**
 * struct topo_switch - a switch
 * @tier: 0 or 1
 * @plane: from 0
 * @number: in its tier and plane
 * @name: as in the topology file
 * @block: what all addresses of the plane begin with
 * @own: addresses whose next uSID is the switch's own, which it removes
 * @addr: its link-local address
 * @hops: number of neighbours
 * @hop: array
 */
struct topo_switch {
	int tier;
	int plane;
	int number;
	char name[TOPO_NAME];
	struct prefix block;
	struct prefix own;
	struct in6_addr addr;
	int hops;
	struct topo_hop *hop;
};

int topo_switch_first(const struct topo *topo, const char *name,
		      struct topo_switch *sw);
bool topo_switch_next(const struct topo *topo, struct topo_switch *sw);
int topo_switch_fill(const struct topo *topo, struct topo_switch *sw);
void topo_switch_free(struct topo_switch *sw);

#endif /* MRCCTL_TOPO_SWITCH_H */
