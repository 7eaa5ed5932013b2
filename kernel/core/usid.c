// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The uSID prefix of a port.  Whoever reaches the host can send what looks like
 * the end of a path: only what this module would put on one is recognised.
 */
#include <linux/errno.h>

#include "core/srv6.h"
#include "core/usid.h"
#include "core/wire.h"

/* Octets of an IPv6 header, and of UDP's behind it. */
enum {
	IP6_NEXT = 6, IP6_DST = 24,
	UDP_DST = MRC_ICRC_IP6_LEN + 2,
};

enum {
	IP_VERSION_6 = 6,
	NEXT_UDP = 17, NEXT_IPV6 = 41, NEXT_ROUTING = 43,
};

/* Addresses of no host: unspecified, IPv4; link-local and groups. */
#define FIRST_BYTE_MIN	0x01
#define FIRST_BYTE_MAX	0xfd

/**
 * mrc_usid_check() - can packets for a prefix end at a port?
 * @usid: prefix
 * @why: filled in if not
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
 * A segment routing header that has done its duty, too.  One with more in it
 * than segments (TLVs) is for the stack, which may have to check an HMAC.
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
 * mrc_usid_outer_len() - do the outer headers of a packet end here?
 * @usid: prefix of the port it came by
 * @hdr: MRC_USID_OUTER_LEN bytes of the packet, from its IPv6 header on
 *
 * Headers that end are those of IPv6 with IPv6 inside, and with an SRH in
 * between that has no segments left (RFC 8986, 4.6 and 4.1.1).  The packet may
 * be shorter than they say.
 *
 * Return: bytes to be taken off, or 0.
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
 * mrc_usid_inner_ok() - is what is inside a packet of ours?
 * @hdr: MRC_USID_INNER_LEN bytes from the inner header on
 *
 * For whom it is, is up to the caller.  Nothing else is let in by this door: it
 * would be one through which anybody gets packets past filters of addresses.
 *
 * Return: true if so.
 */
bool mrc_usid_inner_ok(const u8 *hdr)
{
	u16 port = hdr[UDP_DST] << 8 | hdr[UDP_DST + 1];

	return hdr[0] >> 4 == IP_VERSION_6 && hdr[IP6_NEXT] == NEXT_UDP &&
	       (port == MRC_UDP_PORT || port == MRC_UDP_PORT_ALT);
}
