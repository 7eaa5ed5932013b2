// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The parts of a network, by number.  Parts of one kind are numbered by plane, host
 * or T0, and T1.
 */
#include <stdio.h>
#include <string.h>

#include "fabric.h"

/**
 * fabric_init() - number the parts of a network
 * @fabric: filled in
 * @topo: network without mistakes; must stay
 */
void fabric_init(struct fabric *fabric, const struct topo *topo)
{
	uint32_t ports = topo->planes * topo->hosts;
	uint32_t links = topo->planes * topo->t0.n * topo->t1.n;
	const uint32_t count[PART_KINDS] = {
		[PART_HOST] = topo->hosts,
		[PART_PORT] = ports,
		[PART_PORT_UP] = ports,
		[PART_PORT_DOWN] = ports,
		[PART_T0] = topo->planes * topo->t0.n,
		[PART_T1] = topo->planes * topo->t1.n,
		[PART_LINK] = links,
		[PART_LINK_UP] = links,
		[PART_LINK_DOWN] = links,
		[PART_PLANE] = topo->planes,
	};
	int i;

	fabric->topo = topo;
	fabric->first[0] = 0;
	for (i = 0; i < PART_KINDS; i++)
		fabric->first[i + 1] = fabric->first[i] + count[i];
}

/**
 * fabric_parts() - how many parts there are
 * @fabric: the network
 *
 * Return: the number, one more than that of the last.
 */
uint32_t fabric_parts(const struct fabric *fabric)
{
	return fabric->first[PART_KINDS];
}

/**
 * fabric_number() - number of a part
 * @fabric: the network
 * @part: the part
 *
 * Return: the number.
 */
uint32_t fabric_number(const struct fabric *fabric, const struct part *part)
{
	const struct topo *topo = fabric->topo;
	uint32_t first = fabric->first[part->kind];

	switch (part->kind) {
	case PART_HOST:
		return first + part->host;
	case PART_PORT:
	case PART_PORT_UP:
	case PART_PORT_DOWN:
		return first + part->plane * topo->hosts + part->host;
	case PART_T0:
		return first + part->plane * topo->t0.n + part->t0;
	case PART_T1:
		return first + part->plane * topo->t1.n + part->t1;
	case PART_PLANE:
		return first + part->plane;
	default:
		return first + (part->plane * topo->t0.n + part->t0) *
			       topo->t1.n + part->t1;
	}
}

/**
 * fabric_part() - what a number stands for
 * @fabric: the network
 * @number: less than fabric_parts()
 * @part: filled in
 */
void fabric_part(const struct fabric *fabric, uint32_t number,
		 struct part *part)
{
	const struct topo *topo = fabric->topo;
	enum part_kind kind = PART_HOST;
	uint32_t i;

	while (number >= fabric->first[kind + 1])
		kind++;
	i = number - fabric->first[kind];
	*part = (struct part){ kind, -1, -1, -1, -1 };
	switch (kind) {
	case PART_HOST:
		part->host = i;
		break;
	case PART_PORT:
	case PART_PORT_UP:
	case PART_PORT_DOWN:
		part->plane = i / topo->hosts;
		part->host = i % topo->hosts;
		part->t0 = topo->host[part->host].t0[part->plane];
		break;
	case PART_T0:
		part->plane = i / topo->t0.n;
		part->t0 = i % topo->t0.n;
		break;
	case PART_T1:
		part->plane = i / topo->t1.n;
		part->t1 = i % topo->t1.n;
		break;
	case PART_PLANE:
		part->plane = i;
		break;
	default:
		part->t1 = i % topo->t1.n;
		part->t0 = i / topo->t1.n % topo->t0.n;
		part->plane = i / topo->t1.n / topo->t0.n;
	}
}

/**
 * fabric_link_of() - the link to which a direction belongs
 * @fabric: the network
 * @number: any part
 *
 * Return: number of the link, of other parts @number.
 */
uint32_t fabric_link_of(const struct fabric *fabric, uint32_t number)
{
	struct part part;

	fabric_part(fabric, number, &part);
	if (part.kind == PART_PORT_UP || part.kind == PART_PORT_DOWN)
		part.kind = PART_PORT;
	else if (part.kind == PART_LINK_UP || part.kind == PART_LINK_DOWN)
		part.kind = PART_LINK;
	return fabric_number(fabric, &part);
}

/* --- names --------------------------------------------------------------------- */

static void port_name(const struct topo *topo, const struct part *part,
		      char *name)
{
	const char *host = topo->host[part->host].name;
	char t0[TOPO_NAME];

	topo_switch_name(topo, 0, part->plane, part->t0, t0);
	if (part->kind == PART_PORT_DOWN)
		snprintf(name, FABRIC_NAME, "%s>%s", t0, host);
	else
		snprintf(name, FABRIC_NAME, "%s%c%s", host,
			 part->kind == PART_PORT ? ':' : '>', t0);
}

static void link_name(const struct topo *topo, const struct part *part,
		      char *name)
{
	char t0[TOPO_NAME], t1[TOPO_NAME];

	topo_switch_name(topo, 0, part->plane, part->t0, t0);
	topo_switch_name(topo, 1, part->plane, part->t1, t1);
	if (part->kind == PART_LINK_DOWN)
		snprintf(name, FABRIC_NAME, "%s>%s", t1, t0);
	else
		snprintf(name, FABRIC_NAME, "%s%c%s", t0,
			 part->kind == PART_LINK ? ':' : '>', t1);
}

/**
 * fabric_name() - name of a part, in the words of the topology file
 * @fabric: the network
 * @number: of the part
 * @name: FABRIC_NAME bytes: a host, a switch (t1-0-3), a link (t0-0-1:t1-0-3,
 *	h0:t0-0-1), one direction of it (t0-0-1>t1-0-3) or a plane (plane-0)
 *
 * Return: @name.
 */
const char *fabric_name(const struct fabric *fabric, uint32_t number,
			char *name)
{
	const struct topo *topo = fabric->topo;
	struct part part;

	fabric_part(fabric, number, &part);
	switch (part.kind) {
	case PART_HOST:
		snprintf(name, FABRIC_NAME, "%s", topo->host[part.host].name);
		break;
	case PART_PORT:
	case PART_PORT_UP:
	case PART_PORT_DOWN:
		port_name(topo, &part, name);
		break;
	case PART_T0:
		topo_switch_name(topo, 0, part.plane, part.t0, name);
		break;
	case PART_T1:
		topo_switch_name(topo, 1, part.plane, part.t1, name);
		break;
	case PART_PLANE:
		snprintf(name, FABRIC_NAME, "plane-%d",
			 topo->first_plane + part.plane);
		break;
	default:
		link_name(topo, &part, name);
	}
	return name;
}

/**
 * fabric_find() - number of a part with a name
 * @fabric: the network
 * @name: as of fabric_name()
 * @number: filled in
 *
 * Return: 0, or -1 if no part has this name.
 */
int fabric_find(const struct fabric *fabric, const char *name,
		uint32_t *number)
{
	char other[FABRIC_NAME];
	uint32_t i;

	for (i = 0; i < fabric_parts(fabric); i++) {
		if (strcmp(fabric_name(fabric, i, other), name))
			continue;
		*number = i;
		return 0;
	}
	return -1;
}

/* --- ways ------------------------------------------------------------------------- */

/**
 * struct part_list - parts that are being collected
 * @fabric: the network
 * @parts: where they go
 * @n: how many there are
 */
struct part_list {
	const struct fabric *fabric;
	uint32_t *parts;
	int n;
};

static void meet(struct part_list *list, enum part_kind kind, int plane,
		 int host, int t0, int t1)
{
	const struct part part = { kind, plane, host, t0, t1 };

	list->parts[list->n++] = fabric_number(list->fabric, &part);
}

/* What a packet meets that has no direction. */
static void meet_all(struct part_list *list, const struct route *route)
{
	const struct topo_host *host = list->fabric->topo->host;
	int p = route->plane, a = host[route->from].t0[p];
	int b = host[route->to].t0[p];

	meet(list, PART_HOST, -1, route->from, -1, -1);
	meet(list, PART_HOST, -1, route->to, -1, -1);
	meet(list, PART_PORT, p, route->from, -1, -1);
	meet(list, PART_PORT, p, route->to, -1, -1);
	meet(list, PART_T0, p, -1, a, -1);
	meet(list, PART_PLANE, p, -1, -1, -1);
	if (a != b)
		meet(list, PART_T0, p, -1, b, -1);
	if (route->t1 < 0)
		return;
	meet(list, PART_T1, p, -1, -1, route->t1);
	meet(list, PART_LINK, p, -1, a, route->t1);
	if (a != b)
		meet(list, PART_LINK, p, -1, b, route->t1);
}

static void meet_one_way(struct part_list *list, const struct route *route)
{
	const struct topo_host *host = list->fabric->topo->host;
	int p = route->plane;

	meet(list, PART_PORT_UP, p, route->from, -1, -1);
	meet(list, PART_PORT_DOWN, p, route->to, -1, -1);
	if (route->t1 < 0)
		return;
	meet(list, PART_LINK_UP, p, -1, host[route->from].t0[p], route->t1);
	meet(list, PART_LINK_DOWN, p, -1, host[route->to].t0[p], route->t1);
}

/**
 * fabric_one_way() - parts that a packet meets
 * @fabric: the network
 * @route: its way
 * @parts: FABRIC_PARTS numbers, each once
 *
 * Return: how many.
 */
int fabric_one_way(const struct fabric *fabric, const struct route *route,
		   uint32_t *parts)
{
	struct part_list list = { fabric, parts, 0 };

	meet_all(&list, route);
	meet_one_way(&list, route);
	return list.n;
}

/**
 * fabric_round_trip() - parts that a packet and its response meet
 * @fabric: the network
 * @route: way of the packet; the response goes the same way back
 * @parts: FABRIC_PARTS numbers, each once; the first are those of fabric_one_way()
 *
 * Return: how many.
 */
int fabric_round_trip(const struct fabric *fabric, const struct route *route,
		      uint32_t *parts)
{
	const struct route back = {
		route->to, route->from, route->plane, route->t1
	};
	struct part_list list = { fabric, parts, 0 };

	meet_all(&list, route);
	meet_one_way(&list, route);
	meet_one_way(&list, &back);
	return list.n;
}

/**
 * fabric_meets() - does a probe, or its response, meet a part?
 * @fabric: the network
 * @route: way of the probe
 * @number: of the part
 *
 * Return: true if so.
 */
bool fabric_meets(const struct fabric *fabric, const struct route *route,
		  uint32_t number)
{
	uint32_t parts[FABRIC_PARTS];
	int n = fabric_round_trip(fabric, route, parts), i;

	for (i = 0; i < n; i++) {
		if (parts[i] == number)
			return true;
	}
	return false;
}
