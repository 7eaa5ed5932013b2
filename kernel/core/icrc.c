// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Invariant CRC of RoCEv2.
 */
#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/icrc.h"
#include "core/wire.h"

/*
 * The ICRC begins with 8 octets of ones where InfiniBand has its LRH
 * (IBTA A17.3.3). This is CRC-32 over them from a seed of ones; the suite
 * mrc_icrc checks the value.
 */
#define ICRC_SEED	0xdebb20e3u

/* Offsets of the fields replaced by ones (IBTA A17.3.3). */
enum {
	IP4_TOS = 1, IP4_TTL = 8, IP4_CHECK = 10,
	IP6_CLASS = 0, IP6_FLOW = 1, IP6_HOP = 7,
	UDP_CHECK = 6,
	BTH_RESV8A = 4,
};

static u32 icrc_udp(u32 crc, const void *udph)
{
	u8 h[MRC_ICRC_UDP_LEN];

	memcpy(h, udph, sizeof(h));
	h[UDP_CHECK] = 0xff;
	h[UDP_CHECK + 1] = 0xff;
	return crc32_le(crc, h, sizeof(h));
}

/**
 * mrc_icrc_start_v4() - begin the ICRC of a packet on IPv4
 * @iph: MRC_ICRC_IP4_LEN octets, total length and identification as sent
 * @udph: MRC_ICRC_UDP_LEN octets, length as sent
 *
 * Type of service, TTL and both checksums are ignored.  The ICRC of a header
 * with options is undefined: the caller drops such packets.
 *
 * Return: state for mrc_icrc_bth().
 */
u32 mrc_icrc_start_v4(const void *iph, const void *udph)
{
	u8 h[MRC_ICRC_IP4_LEN];

	memcpy(h, iph, sizeof(h));
	h[IP4_TOS] = 0xff;
	h[IP4_TTL] = 0xff;
	h[IP4_CHECK] = 0xff;
	h[IP4_CHECK + 1] = 0xff;
	return icrc_udp(crc32_le(ICRC_SEED, h, sizeof(h)), udph);
}

/**
 * mrc_icrc_start_v6() - begin the ICRC of a packet on IPv6
 * @ip6h: MRC_ICRC_IP6_LEN octets, payload length as sent
 * @udph: MRC_ICRC_UDP_LEN octets, length as sent
 *
 * Traffic class, flow label, hop limit and UDP checksum are ignored.
 *
 * Return: state for mrc_icrc_bth().
 */
u32 mrc_icrc_start_v6(const void *ip6h, const void *udph)
{
	u8 h[MRC_ICRC_IP6_LEN];

	memcpy(h, ip6h, sizeof(h));
	h[IP6_CLASS] |= 0x0f;
	memset(h + IP6_FLOW, 0xff, 3);
	h[IP6_HOP] = 0xff;
	return icrc_udp(crc32_le(ICRC_SEED, h, sizeof(h)), udph);
}

/**
 * mrc_icrc_bth() - continue over the base transport header
 * @crc: from mrc_icrc_start_v4() or mrc_icrc_start_v6()
 * @bth: struct mrc_bth, 12 octets at any alignment
 *
 * Return: state for mrc_icrc_update() or mrc_icrc_final().
 */
u32 mrc_icrc_bth(u32 crc, const void *bth)
{
	u8 h[sizeof(struct mrc_bth)];

	memcpy(h, bth, sizeof(h));
	h[BTH_RESV8A] = 0xff;
	return crc32_le(crc, h, sizeof(h));
}

/**
 * mrc_icrc_update() - continue over the octets after BTH
 * @crc: state
 * @data: extension headers, payload, padding, in any number of pieces
 * @len: octets of @data
 *
 * Return: state.
 */
u32 mrc_icrc_update(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

/**
 * mrc_icrc_final() - finish the ICRC
 * @crc: state after the last octet before the ICRC field
 *
 * Return: the ICRC field; it is little-endian, unlike all other fields.
 */
__le32 mrc_icrc_final(u32 crc)
{
	return cpu_to_le32(~crc);
}
