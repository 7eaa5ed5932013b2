/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Look-up of the paths to a peer in the current configuration: explicit paths
 * of the peer, those of its longest matching destination, or AUTO.
 */
#ifndef MRC_PATH_RESOLVE_H
#define MRC_PATH_RESOLVE_H

#include <linux/in6.h>
#include "core/ev.h"
#include "path/object.h"
#include "path/sid.h"

struct mrc_binding;
struct mrc_explicit;
struct mrc_flow;
struct mrc_pm;

/**
 * enum mrc_path_source - source of paths
 * @MRC_PATHS_AUTO: generated for the connection
 * @MRC_PATHS_EXPLICIT: explicit paths of the peer
 * @MRC_PATHS_PROFILE: EV profile of the connection or destination
 */
enum mrc_path_source {
	MRC_PATHS_AUTO,
	MRC_PATHS_EXPLICIT,
	MRC_PATHS_PROFILE,
};

/**
 * enum mrc_resolve_match - how well a path must match a given one
 * @MRC_RESOLVE_SAME: same plane, same entropy value
 * @MRC_RESOLVE_PLANE: same plane
 * @MRC_RESOLVE_ANY: any path
 * @MRC_RESOLVE_MATCHES: number of values
 */
enum mrc_resolve_match {
	MRC_RESOLVE_SAME,
	MRC_RESOLVE_PLANE,
	MRC_RESOLVE_ANY,
	MRC_RESOLVE_MATCHES,
};

/**
 * struct mrc_resolved - paths to a peer
 * @source: enum mrc_path_source
 * @bound: the connection is bound to the EV profile
 * @profile: EV profile of the paths, or of AUTO paths; none if there is none
 * @events: enum mrc_evprofile_event that it reports
 * @srv6: the paths have outer destinations
 * @block: bits before the first uSID of these
 * @usid: bits of a uSID
 * @n: number of paths
 * @active: number of paths in rotation; 0: all
 * @min_active: number of active paths at which none is set to ASSUMED_BAD any
 *	more; 0: one per plane
 * @explicit: explicit paths to this peer, with a reference, or NULL
 * @entries: the paths; filled in by the caller if @source is AUTO
 * @sids: outer destinations of the paths
 */
struct mrc_resolved {
	u8 source;
	bool bound;
	struct mrc_object_ref profile;
	u8 events;
	bool srv6;
	u8 block;
	u8 usid;
	u16 n;
	u16 active;
	u16 min_active;
	struct mrc_explicit *explicit;
	struct mrc_ev_entry entries[MRC_EV_MAX];
	struct mrc_sid sids[MRC_EV_MAX];
};

void mrc_resolve(struct mrc_pm *pm, const struct in6_addr *dgid, bool v4,
		 const struct mrc_binding *b, struct mrc_resolved *r);
void mrc_resolve_deny(struct mrc_pm *pm, const struct in6_addr *dgid,
		      struct mrc_resolved *r);
void mrc_resolve_all(struct mrc_pm *pm, const struct in6_addr *dgid, bool v4,
		     struct mrc_resolved *r);
bool mrc_resolve_one(struct mrc_pm *pm, struct mrc_flow *flow,
		     struct mrc_sid *sid, enum mrc_resolve_match match,
		     u16 nth);

#endif /* MRC_PATH_RESOLVE_H */
