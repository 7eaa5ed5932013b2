// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a switch of a topology must forward: its own uSID, which it removes from the
 * address, and those of its neighbours.  No switch knows more of the network.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "topo_path.h"
#include "topo_switch.h"

static const struct topo_tier *tier_of(const struct topo *topo,
				       const struct topo_switch *sw)
{
	return sw->tier ? &topo->t1 : &topo->t0;
}

/**
 * topo_switch_first() - begin with a switch
 * @topo: network without mistakes
 * @name: of the switch; NULL: the first of all
 * @sw: filled in with its place in the network
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting that there is no such switch.
 */
int topo_switch_first(const struct topo *topo, const char *name,
		      struct topo_switch *sw)
{
	char word[TOPO_NAME];

	memset(sw, 0, sizeof(*sw));
	if (!name)
		return EXIT_OK;
	do {
		topo_switch_name(topo, sw->tier, sw->plane, sw->number, word);
		if (!strcmp(word, name))
			return EXIT_OK;
	} while (topo_switch_next(topo, sw));
	return usage_error("'switch %s': no such switch in %s, write it like t0-%d-0",
			   name, topo->file, topo->first_plane);
}

/**
 * topo_switch_next() - go on to the next switch
 * @topo: network without mistakes
 * @sw: place of a switch, changed
 *
 * Return: false if it was the last one.
 */
bool topo_switch_next(const struct topo *topo, struct topo_switch *sw)
{
	if (++sw->number < tier_of(topo, sw)->n)
		return true;
	sw->number = 0;
	if (!sw->tier && topo->t1.n) {
		sw->tier = 1;
		return true;
	}
	sw->tier = 0;
	return ++sw->plane < topo->planes;
}

/* The name of the interface to port @number, or to the neighbour @name. */
static int interface_name(const struct topo_switch *sw,
			  const struct topo_ports *ports, int number,
			  const char *name, char *dev)
{
	int n;

	if (ports->name)
		n = snprintf(dev, TOPO_IFNAME, "%s%ld", ports->name,
			     ports->first + (long)ports->step * number);
	else
		n = snprintf(dev, TOPO_IFNAME, "%s", name);
	if (n < TOPO_IFNAME)
		return EXIT_OK;
	return usage_error("%s: the interface to %s has a name of %d bytes, give one of %d in t%d",
			   sw->name, name, n, TOPO_IFNAME - 1, sw->tier);
}

static int add_hop(const struct topo *topo, struct topo_switch *sw,
		   const struct topo_ports *ports, int number,
		   const char *name, const struct topo_usid *usid)
{
	struct topo_hop *hop;

	sw->hop = topo_grow(sw->hop, sw->hops, sizeof(*sw->hop));
	hop = &sw->hop[sw->hops++];
	topo_node_prefix(topo, usid, sw->plane, &hop->prefix);
	topo_link_local(topo, usid, sw->plane, &hop->via);
	return interface_name(sw, ports, number, name, hop->dev);
}

/* Switch @number of the other tier. */
static int add_switch(const struct topo *topo, struct topo_switch *sw,
		      int number)
{
	const struct topo_tier *other = sw->tier ? &topo->t0 : &topo->t1;
	char name[TOPO_NAME];

	topo_switch_name(topo, !sw->tier, sw->plane, number, name);
	return add_hop(topo, sw, sw->tier ? &topo->t1.down : &topo->t0.up,
		       number, name, topo_usid_of(other, sw->plane, number));
}

static int add_hosts(const struct topo *topo, struct topo_switch *sw)
{
	const struct topo_host *host;
	int ret;

	for (host = topo->host; host < topo->host + topo->hosts; host++) {
		if (host->t0[sw->plane] != sw->number)
			continue;
		ret = add_hop(topo, sw, &topo->t0.down, host->port, host->name,
			      &host->usid);
		if (ret)
			return ret;
	}
	return EXIT_OK;
}

/**
 * topo_switch_fill() - find out what a switch forwards
 * @topo: network without mistakes
 * @sw: its place in the network; the rest is filled in, topo_switch_free() it in any
 *	case
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting an interface with too long a name.
 */
int topo_switch_fill(const struct topo *topo, struct topo_switch *sw)
{
	int n = sw->tier ? topo->t0.n : topo->t1.n, i, ret = EXIT_OK;
	const struct topo_usid *usid = topo_usid_of(tier_of(topo, sw),
						    sw->plane, sw->number);

	topo_switch_name(topo, sw->tier, sw->plane, sw->number, sw->name);
	topo_block_prefix(topo, sw->plane, &sw->block);
	topo_node_prefix(topo, usid, sw->plane, &sw->own);
	topo_link_local(topo, usid, sw->plane, &sw->addr);
	for (i = 0; i < n && !ret; i++)
		ret = add_switch(topo, sw, i);
	if (!ret && !sw->tier)
		ret = add_hosts(topo, sw);
	return ret;
}

/**
 * topo_switch_free() - free what topo_switch_fill() has filled in
 * @sw: the switch; its place remains
 */
void topo_switch_free(struct topo_switch *sw)
{
	free(sw->hop);
	sw->hop = NULL;
	sw->hops = 0;
}
