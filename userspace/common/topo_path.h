/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Paths between the hosts of a topology.
 */
#ifndef MRC_TOPO_PATH_H
#define MRC_TOPO_PATH_H

#include "topo.h"

/**
 * struct topo_path - a path from a host to another
 * @plane: from 0
 * @t1: number of the T1; -1: both are attached to one T0
 * @denied: a switch or link of it is
 */
struct topo_path {
	int plane;
	int t1;
	bool denied;
};

bool topo_is_local(const struct topo *topo, const struct topo_host *from,
		   const struct topo_host *to);
int topo_paths(const struct topo *topo, const struct topo_host *from,
	       const struct topo_host *to, struct topo_path *path);
void topo_digits(const struct topo *topo, const struct topo_host *from,
		 const struct topo_host *to, const struct topo_path *path,
		 char *digits);
void topo_block_prefix(const struct topo *topo, int plane,
		       struct prefix *prefix);
void topo_node_prefix(const struct topo *topo, const struct topo_usid *usid,
		      int plane, struct prefix *prefix);
void topo_link_local(const struct topo *topo, const struct topo_usid *usid,
		     int plane, struct in6_addr *addr);
void topo_usid_prefix(const struct topo *topo, const struct topo_host *host,
		      int plane, struct prefix *prefix);
void topo_sid(const struct topo *topo, const struct topo_host *from,
	      const struct topo_host *to, const struct topo_path *path,
	      struct in6_addr *sid);

#endif /* MRC_TOPO_PATH_H */
