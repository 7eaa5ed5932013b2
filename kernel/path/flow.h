/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Addresses and header fields of the packets on one path to one peer.
 */
#ifndef MRC_PATH_FLOW_H
#define MRC_PATH_FLOW_H

#include <linux/in6.h>
#include <linux/types.h>
#include "path/sid.h"

/**
 * struct mrc_flow - one path to one peer
 * @sgid: local inner address (IPv4 as ::ffff:a.b.c.d)
 * @dgid: peer's inner address
 * @sid: outer destination, or NULL without SRv6
 * @ev: entropy value
 * @plane: plane, and thus local port, from 1
 * @tos: traffic class with the ECN bits
 * @hop_limit: hop limit of inner and outer header
 * @v4: inner addresses are IPv4
 * @pmtu: payload bytes of the largest packet that may follow; 0: routes of any MTU
 *	suffice
 */
struct mrc_flow {
	const struct in6_addr *sgid;
	const struct in6_addr *dgid;
	const struct mrc_sid *sid;
	u32 ev;
	u8 plane;
	u8 tos;
	u8 hop_limit;
	bool v4;
	u32 pmtu;
};

#endif /* MRC_PATH_FLOW_H */
