/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Deny rules: the operator forbids all paths of a port, to a prefix of peers,
 * with an entropy value, through a switch or over a link between two switches.
 */
#ifndef MRC_CORE_DENY_H
#define MRC_CORE_DENY_H

#include <linux/types.h>

#include "core/bitstr.h"
#include "core/lpm.h"
#include "core/refusal.h"

/**
 * enum mrc_deny_match - conditions of a rule; bits
 * @MRC_DENY_DST: the peer's address
 * @MRC_DENY_EV: the entropy value
 * @MRC_DENY_PORT: the local port
 * @MRC_DENY_USID: a uSID of the path
 * @MRC_DENY_NEXT: the uSID after that
 */
enum mrc_deny_match {
	MRC_DENY_DST = 1 << 0,
	MRC_DENY_EV = 1 << 1,
	MRC_DENY_PORT = 1 << 2,
	MRC_DENY_USID = 1 << 3,
	MRC_DENY_NEXT = 1 << 4,
};

/**
 * struct mrc_deny - a rule; it forbids paths that meet all its conditions
 * @match: conditions, enum mrc_deny_match
 * @port: local port, from 1
 * @ev: entropy value
 * @usid: uSID of a switch
 * @next: uSID of the next switch: with @usid a link, in this direction
 * @dst: prefix of peers
 */
struct mrc_deny {
	u8 match;
	u8 port;
	u32 ev;
	u32 usid;
	u32 next;
	struct mrc_lpm_key dst;
};

/**
 * struct mrc_deny_path - a path to be matched with rules
 * @ev: entropy value
 * @port: local port, from 1
 * @srv6: the path has a uSID list
 * @srh: the list continues in an SRH
 * @block: bits before the first uSID
 * @usid: bits of a uSID
 * @addr: the list
 * @dst: the peer's address, as a prefix of 128 bits
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
