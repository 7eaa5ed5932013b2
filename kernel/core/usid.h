/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The uSID prefix of a port: an outer header with a destination in this prefix
 * ends here, and the inner packet is for this host.
 */
#ifndef MRC_CORE_USID_H
#define MRC_CORE_USID_H

#include <linux/types.h>

#include "core/icrc.h"
#include "core/lpm.h"
#include "core/refusal.h"

/* Shortest prefix: the first eight bits determine the type of an address. */
#define MRC_USID_BITS_MIN 8
/* Bytes that mrc_usid_outer_len() reads: IPv6, start of a routing header. */
#define MRC_USID_OUTER_LEN (MRC_ICRC_IP6_LEN + 8)
/* Bytes that mrc_usid_inner_ok() reads. */
#define MRC_USID_INNER_LEN (MRC_ICRC_IP6_LEN + MRC_ICRC_UDP_LEN)

int mrc_usid_check(const struct mrc_lpm_key *usid, struct mrc_refusal *why);
u32 mrc_usid_outer_len(const struct mrc_lpm_key *usid, const u8 *hdr);
bool mrc_usid_inner_ok(const u8 *hdr);

#endif /* MRC_CORE_USID_H */
