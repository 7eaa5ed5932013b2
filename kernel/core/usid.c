// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The uSID prefix of a port.  Any host on the network can send encapsulated
 * packets to the prefix, so only those with the headers that this module sends
 * are accepted.
 */
#include <linux/errno.h>

#include "core/srv6.h"
#include "core/usid.h"
#include "core/wire.h"

/* Octets of an IPv6 header, and of the UDP header after it. */
enum {
	IP6_NEXT = 6, IP6_DST = 24,
	UDP_DST = MRC_ICRC_IP6_LEN + 2,
};

enum {
	IP_VERSION_6 = 6,
	NEXT_UDP = 17, NEXT_IPV6 = 41, NEXT_ROUTING = 43,
};

/* Others are unspecified, IPv4-mapped, link-local and multicast addresses. */
#define FIRST_BYTE_MIN	0x01
#define FIRST_BYTE_MAX	0xfd

/**
 * mrc_usid_check() - check the uSID prefix of a port
 * @usid: prefix
 * @why: filled in on error
 *
 * Return: 0 or -EINVAL.
 */
int mrc_usid_check(const struct mrc_lpm_key *usid, struct mrc_refusal *why)
{
	u8 first = usid->hi >> 56;

	if (usid->len < MRC_USID_BITS_MIN || usid->len > MRC_LPM_BITS)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "usid is a prefix of %u to %u bits, not of %u",
				  MRC_USID_BITS_MIN, MRC_LPM_BITS, usid->len);
	if (first < FIRST_BYTE_MIN || first > FIRST_BYTE_MAX)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "usid is no prefix that switches can lead to a host");
	return 0;
}

/*
 * Length of an SRH without segments left.  An SRH with TLVs is left to the
 * kernel's stack, which may have to check an HMAC.
 */
static u32 usid_srh_len(const u8 *hdr)
{
	const struct mrc_srh *srh = (const void *)hdr;

	if (srh->next != NEXT_IPV6 || srh->type != MRC_SRH_TYPE ||
	    srh->segments_left || srh->len != 2 * (srh->last_entry + 1))
		return 0;
	return 8 * (srh->len + 1);
}

/**
 * mrc_usid_outer_len() - length of the outer headers that end at a port
 * @usid: prefix of the port that received the packet
 * @hdr: MRC_USID_OUTER_LEN bytes of the packet, from its IPv6 header on
 *
 * Accepts IPv6 in IPv6, also with an SRH without segments left in between
 * (RFC 8986, 4.6 and 4.1.1).  The packet may be shorter than the result.
 *
 * Return: bytes to be removed, or 0.
 */
u32 mrc_usid_outer_len(const struct mrc_lpm_key *usid, const u8 *hdr)
{
	struct mrc_lpm_key dst;
	u32 srh;

	mrc_lpm_key_init(&dst, hdr + IP6_DST, MRC_LPM_BITS);
	if (!mrc_lpm_covers(usid, &dst))
		return 0;
	if (hdr[IP6_NEXT] == NEXT_IPV6)
		return MRC_ICRC_IP6_LEN;
	if (hdr[IP6_NEXT] != NEXT_ROUTING)
		return 0;
	srh = usid_srh_len(hdr + MRC_ICRC_IP6_LEN);
	return srh ? MRC_ICRC_IP6_LEN + srh : 0;
}

/**
 * mrc_usid_inner_ok() - is the inner packet an MRC packet?
 * @hdr: MRC_USID_INNER_LEN bytes from the inner header on
 *
 * The caller checks the destination address.  Other packets are not
 * decapsulated: any host could otherwise bypass address filters.
 *
 * Return: true if it is IPv6 with UDP to one of the ports of MRC.
 */
bool mrc_usid_inner_ok(const u8 *hdr)
{
	u16 port = hdr[UDP_DST] << 8 | hdr[UDP_DST + 1];

	return hdr[0] >> 4 == IP_VERSION_6 && hdr[IP6_NEXT] == NEXT_UDP &&
	       (port == MRC_UDP_PORT || port == MRC_UDP_PORT_ALT);
}
