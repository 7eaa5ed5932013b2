/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Outer destination of an SRv6 path: a destination address and, if the uSID
 * list continues, the segment of a segment routing header.
 */
#ifndef MRC_PATH_SID_H
#define MRC_PATH_SID_H

#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include "core/bitstr.h"

/**
 * struct mrc_sid - outer destination of an SRv6 path
 * @dst: destination address: a uSID list
 * @seg: address that replaces @dst at the end of its list; zero without an SRH
 *
 * Templates and deny rules use both as one string of bits.
 */
struct mrc_sid {
	struct in6_addr dst;
	struct in6_addr seg;
};

static_assert(sizeof(struct mrc_sid) == MRC_BITSTR_BYTES);

/**
 * mrc_sid_has_srh() - does a path have a segment routing header?
 * @sid: outer destination
 *
 * Return: true if so.
 */
static inline bool mrc_sid_has_srh(const struct mrc_sid *sid)
{
	return !ipv6_addr_any(&sid->seg);
}

/**
 * mrc_sid_equal() - are two outer destinations equal?
 * @a: an outer destination
 * @b: another one
 *
 * Return: true if so.
 */
static inline bool mrc_sid_equal(const struct mrc_sid *a,
				 const struct mrc_sid *b)
{
	return ipv6_addr_equal(&a->dst, &b->dst) &&
	       ipv6_addr_equal(&a->seg, &b->seg);
}

/**
 * mrc_sid_from_bits() - convert a string of bits to an outer destination
 * @sid: filled in
 * @bits: address and segment
 */
static inline void mrc_sid_from_bits(struct mrc_sid *sid,
				     const struct mrc_bitstr *bits)
{
	mrc_bitstr_write(bits, (u8 *)sid, sizeof(*sid));
}

/**
 * mrc_sid_to_bits() - convert an outer destination to a string of bits
 * @sid: outer destination
 * @bits: filled in
 */
static inline void mrc_sid_to_bits(const struct mrc_sid *sid,
				   struct mrc_bitstr *bits)
{
	mrc_bitstr_read(bits, (const u8 *)sid, sizeof(*sid));
}

#endif /* MRC_PATH_SID_H */
