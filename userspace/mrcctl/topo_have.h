/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a device has of a topology already.
 */
#ifndef MRCCTL_TOPO_HAVE_H
#define MRCCTL_TOPO_HAVE_H

#include "dest.h"
#include "topo_want.h"

/**
 * struct topo_had - a format, profile or template of the device
 * @kind: word of the command line
 * @name: name, which begins with TOPO_PREFIX
 * @online: it can be used
 */
struct topo_had {
	const char *kind;
	char name[MRC_NAME_MAX];
	bool online;
};

/**
 * struct topo_have - what a device has
 * @dev: its name
 * @devs: devices that were seen
 * @ports: its ports
 * @usid: their uSID prefixes; the length is 0 if there is none
 * @objects: how many
 * @object: array; objects precede those that refer to them
 * @dests: all its destinations, sorted
 * @rules: number of deny rules
 * @rule: array of those that could come from a topology
 */
struct topo_have {
	char dev[MRC_NAME_MAX];
	int devs;
	int ports;
	struct prefix usid[MRC_PORTS_MAX];
	int objects;
	struct topo_had *object;
	struct dests dests;
	int rules;
	struct topo_rule *rule;
};

int topo_have(struct nl *nl, const char *dev, struct topo_have *have);
void topo_have_free(struct topo_have *have);

#endif /* MRCCTL_TOPO_HAVE_H */
