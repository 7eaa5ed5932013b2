/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Destinations by prefix, as the kernel has them.
 */
#ifndef MRCCTL_DEST_H
#define MRCCTL_DEST_H

#include "args.h"
#include "nl.h"

/**
 * struct dest - a destination that was received
 * @dev: device
 * @prefix: peers
 * @profile: name
 * @template: name, or ""
 * @number: what the template puts in
 * @cc: name, or ""
 */
struct dest {
	char dev[MRC_NAME_MAX];
	struct prefix prefix;
	char profile[MRC_NAME_MAX];
	char template[MRC_NAME_MAX];
	uint64_t number;
	char cc[MRC_NAME_MAX];
};

/**
 * struct dests - destinations; the kernel dumps them in the order of its table
 * @dest: array
 * @n: used
 * @size: allocated
 */
struct dests {
	struct dest *dest;
	size_t n;
	size_t size;
};

struct dest *dests_add(struct dests *all);
void dests_sort(struct dests *all);
int dests_get(struct nl *nl, const struct arg *args, struct dests *all);

#endif /* MRCCTL_DEST_H */
