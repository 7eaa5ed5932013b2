/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the outer header of an SRv6 path leads: a destination address and, if
 * the list of uSIDs goes on, the segment of a segment routing header.
 */
#ifndef MRC_NET_SID_H
#define MRC_NET_SID_H

#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include "core/bitstr.h"

/**
 * struct mrc_sid - outer destination of an SRv6 path
 * @dst: destination address: a uSID list
 * @seg: the list that the address is replaced with when its own has ended; zero
 *	if there is none, and no SRH
 *
 * Templates make both as one string of bits, and rules look at them as such.
 */
struct mrc_sid {
	struct in6_addr dst;
	struct in6_addr seg;
};

static_assert(sizeof(struct mrc_sid) == MRC_BITSTR_BYTES);

/**
 * mrc_sid_has_srh() - is there a segment routing header?
 * @sid: outer destination
 *
 * Return: true if so.
 */
static inline bool mrc_sid_has_srh(const struct mrc_sid *sid)
{
	return !ipv6_addr_any(&sid->seg);
}

/**
 * mrc_sid_equal() - do two paths lead the same way?
 * @a: one outer destination
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
 * mrc_sid_from_bits() - take over what a template has made
 * @sid: filled in
 * @bits: address and segment
 */
static inline void mrc_sid_from_bits(struct mrc_sid *sid,
				     const struct mrc_bitstr *bits)
{
	mrc_bitstr_write(bits, (u8 *)sid, sizeof(*sid));
}

/**
 * mrc_sid_to_bits() - the opposite, for rules
 * @sid: outer destination
 * @bits: filled in
 */
static inline void mrc_sid_to_bits(const struct mrc_sid *sid,
				   struct mrc_bitstr *bits)
{
	mrc_bitstr_read(bits, (const u8 *)sid, sizeof(*sid));
}

#endif /* MRC_NET_SID_H */
