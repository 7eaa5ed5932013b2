/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The paths of a device to the hosts of the topology, as the kernel has them.
 */
#ifndef MRCD_PATHS_H
#define MRCD_PATHS_H

#include "evidence.h"
#include "nl.h"
#include "topo_path.h"

/**
 * struct known_path - a path that the kernel has
 * @ev: its entropy value
 * @port: its port; 0: there is no such path
 * @cell: where what is seen of it is counted
 * @sent: data packets sent on it, and probes as long as these that were lost, when they
 *	were read last
 * @lost: likewise, those that were lost
 * @counted: @sent and @lost are valid
 * @round: number of the latest round in which a probe was answered
 * @rtt: shortest round trip of that round, ns
 */
struct known_path {
	uint32_t ev;
	uint8_t port;
	bool counted;
	uint32_t cell;
	uint64_t sent;
	uint64_t lost;
	uint32_t round;
	uint32_t rtt;
};

/**
 * struct peer - a host of the topology
 * @addr: its address
 * @has_addr: @addr is known
 * @known: the kernel has told its paths
 * @asked: when it was asked for them last, s
 * @path: by plane and T1 (-1 first): its paths; NULL until they are known
 */
struct peer {
	struct in6_addr addr;
	bool has_addr;
	bool known;
	double asked;
	struct known_path *path;
};

/**
 * struct paths - all paths
 * @topo: network
 * @self: number of this host
 * @evidence: where they are counted
 * @peer: by number of the host
 * @foreign: paths that are not those of the topology
 * @strangers: peers that are not in the topology
 */
struct paths {
	const struct topo *topo;
	int self;
	struct evidence *evidence;
	struct peer *peer;
	uint64_t foreign;
	uint64_t strangers;
};

void paths_init(struct paths *paths, const struct topo *topo, int self,
		struct evidence *evidence);
void paths_free(struct paths *paths);
struct known_path *paths_slot(struct paths *paths, int peer, int plane, int t1);
struct known_path *paths_find(struct paths *paths, int peer, uint32_t ev,
			      uint32_t port);
bool paths_learn(struct paths *paths, int peer, uint32_t ev, uint32_t port,
		 const struct in6_addr *sid);
int paths_count_data(struct paths *paths, struct nl *nl, const char *dev);

#endif /* MRCD_PATHS_H */
