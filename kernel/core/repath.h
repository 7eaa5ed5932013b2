/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Replacing the set of paths of a requester while packets are in flight.
 */
#ifndef MRC_CORE_REPATH_H
#define MRC_CORE_REPATH_H

#include "core/requester.h"

bool mrc_repath_differs(const struct mrc_ev_set *set,
			const struct mrc_ev_entry *entries, u16 n);
void mrc_repath_deny(struct mrc_ev_set *set,
		     const struct mrc_ev_entry *entries);
void mrc_repath_inherit(struct mrc_ev_set *set, const struct mrc_ev_set *old,
			u16 *map);
void mrc_repath_requester(struct mrc_req *req, struct mrc_ev_set *set,
			  const u16 *map);

#endif /* MRC_CORE_REPATH_H */
