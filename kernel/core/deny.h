/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rules of the operator that forbid paths: all that leave by a port, lead to a
 * peer, have an entropy value, visit a switch or use a link between two.
 */
#ifndef MRC_CORE_DENY_H
#define MRC_CORE_DENY_H

#include <linux/types.h>

#include "core/bitstr.h"
#include "core/lpm.h"
#include "core/refusal.h"

/**
 * enum mrc_deny_by - what a rule looks at; bits
 * @MRC_DENY_DST: the peer's address
 * @MRC_DENY_EV: the entropy value
 * @MRC_DENY_PORT: the port
 * @MRC_DENY_USID: a micro-segment of the path
 * @MRC_DENY_NEXT: the one behind it
 */
enum mrc_deny_by {
	MRC_DENY_DST = 1 << 0,
	MRC_DENY_EV = 1 << 1,
	MRC_DENY_PORT = 1 << 2,
	MRC_DENY_USID = 1 << 3,
	MRC_DENY_NEXT = 1 << 4,
};

/**
 * struct mrc_deny - a rule; a path is forbidden if all it names is true
 * @by: enum mrc_deny_by
 * @port: 1-based
 * @ev: entropy value
 * @usid: number of the switch
 * @next: number of the switch behind it: both name a link, in this direction
 * @dst: peers
 */
struct mrc_deny {
	u8 by;
	u8 port;
	u32 ev;
	u32 usid;
	u32 next;
	struct mrc_lpm_key dst;
};

/**
 * struct mrc_deny_path - a path that is held against rules
 * @ev: entropy value
 * @port: 1-based
 * @srv6: it has a list of micro-segments
 * @srh: which goes on in the SRH
 * @block: bits before the first micro-segment
 * @usid: bits of a micro-segment
 * @addr: the list
 * @dst: the peer's address, as a prefix of all bits
 */
struct mrc_deny_path {
	u32 ev;
	u8 port;
	bool srv6;
	bool srh;
	u8 block;
	u8 usid;
	struct mrc_bitstr addr;
	struct mrc_lpm_key dst;
};

int mrc_deny_check(const struct mrc_deny *rule, u8 ports,
		   struct mrc_refusal *why);
bool mrc_deny_same(const struct mrc_deny *a, const struct mrc_deny *b);
bool mrc_deny_matches(const struct mrc_deny *rule,
		      const struct mrc_deny_path *path);

#endif /* MRC_CORE_DENY_H */
