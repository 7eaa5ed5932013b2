/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a host of a topology needs: objects, destinations, deny rules.
 */
#ifndef MRCCTL_TOPO_WANT_H
#define MRCCTL_TOPO_WANT_H

#include "dest.h"
#include "topo.h"

/* Names of all objects that come from a topology begin so. */
#define TOPO_PREFIX "topo-"

/**
 * struct topo_object - a format, profile or template
 * @kind: word of the command line
 * @name: TOPO_PREFIX and a number that depends on all that follows, so that an
 *	object of this name is this object
 * @args: arguments, without those that all have
 * @evs: of a profile: how many entropy values; others have 0
 * @ev: arguments of each
 */
struct topo_object {
	const char *kind;
	char name[TOPO_NAME];
	char *args;
	int evs;
	char **ev;
};

/**
 * struct topo_rule - a deny rule
 * @port: port of the paths
 * @usid: they visit this switch
 * @next: and this one directly after it; 0: any
 */
struct topo_rule {
	uint32_t port;
	uint32_t usid;
	uint32_t next;
};

/**
 * struct topo_want - what a host needs
 * @ports: its ports, one for each plane
 * @usid: where paths to it end, by port
 * @objects: how many
 * @object: array; objects precede those that refer to them
 * @dests: destinations, sorted
 * @rules: number of deny rules
 * @rule: array
 */
struct topo_want {
	int ports;
	struct prefix usid[MRC_PORTS_MAX];
	int objects;
	struct topo_object *object;
	struct dests dests;
	int rules;
	struct topo_rule *rule;
};

void topo_want(const struct topo *topo, const struct topo_host *self,
	       struct topo_want *want);
void topo_want_free(struct topo_want *want);
bool topo_rule_same(const struct topo_rule *a, const struct topo_rule *b);

#endif /* MRCCTL_TOPO_WANT_H */
