/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which paths lead to a peer, by what the operator has configured now: explicit
 * ones of the peer, those of the longest prefix, or none that are configured.
 */
#ifndef MRC_NET_RESOLVE_H
#define MRC_NET_RESOLVE_H

#include <linux/in6.h>
#include "core/ev.h"
#include "net/sid.h"

struct mrc_dest;
struct mrc_flow;
struct mrc_nic;

/**
 * enum mrc_path_source - where paths come from
 * @MRC_PATHS_AUTO: made up
 * @MRC_PATHS_EXPLICIT: a list for this peer
 * @MRC_PATHS_PROFILE: an EV profile
 */
enum mrc_path_source {
	MRC_PATHS_AUTO,
	MRC_PATHS_EXPLICIT,
	MRC_PATHS_PROFILE,
};

/**
 * enum mrc_resolve_like - how a path must resemble another one
 * @MRC_RESOLVE_SAME: same port, same entropy value
 * @MRC_RESOLVE_PLANE: same port
 * @MRC_RESOLVE_ANY: not at all
 * @MRC_RESOLVE_LIKES: number of ways
 */
enum mrc_resolve_like {
	MRC_RESOLVE_SAME,
	MRC_RESOLVE_PLANE,
	MRC_RESOLVE_ANY,
	MRC_RESOLVE_LIKES,
};

/**
 * struct mrc_resolved - paths to a peer
 * @source: enum mrc_path_source
 * @srv6: they have outer destinations
 * @block: bits of those before the first micro-segment
 * @usid: bits of a micro-segment
 * @n: paths
 * @active: those in rotation; 0: all
 * @min_active: active ones of which none is given up; 0: one per plane
 * @dest: list for this peer, with a reference; NULL: there is none
 * @entries: the paths; left to the caller if @source is AUTO
 * @sids: their outer destinations
 */
struct mrc_resolved {
	u8 source;
	bool srv6;
	u8 block;
	u8 usid;
	u16 n;
	u16 active;
	u16 min_active;
	struct mrc_dest *dest;
	struct mrc_ev_entry entries[MRC_EV_MAX];
	struct mrc_sid sids[MRC_EV_MAX];
};

void mrc_resolve(struct mrc_nic *nic, const struct in6_addr *dgid, bool v4,
		 struct mrc_resolved *r);
void mrc_resolve_deny(struct mrc_nic *nic, const struct in6_addr *dgid,
		      struct mrc_resolved *r);
void mrc_resolve_all(struct mrc_nic *nic, const struct in6_addr *dgid, bool v4,
		     struct mrc_resolved *r);
bool mrc_resolve_one(struct mrc_nic *nic, struct mrc_flow *flow,
		     struct mrc_sid *sid, enum mrc_resolve_like like, u16 nth);

#endif /* MRC_NET_RESOLVE_H */
