/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Drawings of a topology.
 */
#ifndef MRCCTL_TOPO_SHOW_H
#define MRCCTL_TOPO_SHOW_H

#include "topo.h"

void topo_show_peers(const struct topo *topo, const struct topo_host *from);
void topo_show_paths(const struct topo *topo, const struct topo_host *from,
		     const struct topo_host *to);

#endif /* MRCCTL_TOPO_SHOW_H */
