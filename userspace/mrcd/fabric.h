/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The parts of a network that can be broken, and which of them a packet meets.
 */
#ifndef MRCD_FABRIC_H
#define MRCD_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "topo.h"

enum {
	/* Parts that a probe and its response meet, at most. */
	FABRIC_PARTS = 18,
	/* Bytes of the name of a part. */
	FABRIC_NAME = 2 * MRC_NAME_MAX,
};

/**
 * enum part_kind - kind of a part
 * @PART_HOST: a host with all its ports
 * @PART_PORT: link between a host and a T0, both directions
 * @PART_PORT_UP: its direction to the T0
 * @PART_PORT_DOWN: its direction to the host
 * @PART_T0: a T0 switch
 * @PART_T1: a T1 switch
 * @PART_LINK: link between a T0 and a T1, both directions
 * @PART_LINK_UP: its direction to the T1
 * @PART_LINK_DOWN: its direction to the T0
 * @PART_PLANE: a whole plane
 * @PART_KINDS: number of kinds
 */
enum part_kind {
	PART_HOST,
	PART_PORT,
	PART_PORT_UP,
	PART_PORT_DOWN,
	PART_T0,
	PART_T1,
	PART_LINK,
	PART_LINK_UP,
	PART_LINK_DOWN,
	PART_PLANE,
	PART_KINDS,
};

/**
 * struct part - what the number of a part stands for
 * @kind: its kind
 * @plane: from 0; -1: of all planes
 * @host: number of the host in the file; -1: none
 * @t0: number of the T0; -1: none
 * @t1: number of the T1; -1: none
 */
struct part {
	enum part_kind kind;
	int plane;
	int host;
	int t0;
	int t1;
};

/**
 * struct route - the way of a packet
 * @from: number of the host that sends it
 * @to: number of the host that receives it
 * @plane: from 0
 * @t1: T1 that it visits; -1: both hosts are attached to one T0
 */
struct route {
	uint16_t from;
	uint16_t to;
	int16_t plane;
	int16_t t1;
};

/**
 * struct fabric - the parts of a network, by number
 * @topo: network without mistakes
 * @first: number of the first part of each kind; the last entry is how many parts
 *	there are
 */
struct fabric {
	const struct topo *topo;
	uint32_t first[PART_KINDS + 1];
};

void fabric_init(struct fabric *fabric, const struct topo *topo);
uint32_t fabric_parts(const struct fabric *fabric);
uint32_t fabric_number(const struct fabric *fabric, const struct part *part);
void fabric_part(const struct fabric *fabric, uint32_t number,
		 struct part *part);
uint32_t fabric_link_of(const struct fabric *fabric, uint32_t number);
const char *fabric_name(const struct fabric *fabric, uint32_t number,
			char *name);
int fabric_find(const struct fabric *fabric, const char *name,
		uint32_t *number);
int fabric_one_way(const struct fabric *fabric, const struct route *route,
		   uint32_t *parts);
int fabric_round_trip(const struct fabric *fabric, const struct route *route,
		      uint32_t *parts);
bool fabric_meets(const struct fabric *fabric, const struct route *route,
		  uint32_t number);

#endif /* MRCD_FABRIC_H */
