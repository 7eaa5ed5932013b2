/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Configuration of the switches of a topology.
 */
#ifndef MRCCTL_TOPO_EXPORT_H
#define MRCCTL_TOPO_EXPORT_H

#include "topo.h"

/* Of ARG_WORD; 0 is none. */
enum topo_format {
	TOPO_FORMAT_LINUX = 1,
	TOPO_FORMAT_FRR,
	TOPO_FORMAT_SONIC,
};

extern const char * const topo_formats[];

int topo_export(const struct topo *topo, enum topo_format format,
		const char *name);

#endif /* MRCCTL_TOPO_EXPORT_H */
