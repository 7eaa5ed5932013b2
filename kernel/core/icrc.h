/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Invariant CRC of RoCEv2 (IBTA 1.4 annex A17), which MRC 1.0 adopts.
 *
 * It covers the IP and UDP headers, BTH and everything up to the ICRC field,
 * with variant fields replaced by ones.  An SRv6 outer header is removed before
 * the check and not covered.
 *
 * Incremental use: start, mrc_icrc_bth(), mrc_icrc_update().., final.  The
 * value after start is the same for all packets of a burst with equal IP and
 * UDP headers; IPv4 headers differ in their identification, which is covered.
 */
#ifndef MRC_CORE_ICRC_H
#define MRC_CORE_ICRC_H

#include <linux/types.h>

/* Lengths of the covered headers: no IPv4 options, no extension headers. */
enum mrc_icrc_hdr_len {
	MRC_ICRC_IP4_LEN	= 20,
	MRC_ICRC_IP6_LEN	= 40,
	MRC_ICRC_UDP_LEN	= 8,
};

u32 mrc_icrc_start_v4(const void *iph, const void *udph);
u32 mrc_icrc_start_v6(const void *ip6h, const void *udph);
u32 mrc_icrc_bth(u32 crc, const void *bth);
u32 mrc_icrc_update(u32 crc, const void *data, size_t len);
__le32 mrc_icrc_final(u32 crc);

#endif /* MRC_CORE_ICRC_H */
