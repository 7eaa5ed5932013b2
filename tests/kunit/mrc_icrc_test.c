// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ICRC: packets of real RoCEv2 hardware, and an independent reference
 * implementation.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/icrc.h"
#include "core/wire.h"

/* Longest packet below: IPv6, UDP, and this much UDP payload. */
#define UDP_PAYLOAD	200

/*
 * The polynomial x^32 + x^26 + .. + 1, one bit at a time, most significant bit
 * of a register first, bits of an octet least significant first, as IBTA 7.8.1
 * describes it; the result is reflected at the end only.
 */
static u32 slow_crc(const u8 *p, u32 len)
{
	u32 reg = 0xffffffff, out = 0, i;

	for (i = 0; i < len * 8; i++) {
		u32 bit = p[i / 8] >> (i % 8) & 1;

		reg = (reg << 1) ^ ((reg >> 31 ^ bit) ? 0x04c11db7 : 0);
	}
	for (i = 0; i < 32; i++)
		out |= (reg >> i & 1) << (31 - i);
	return ~out;
}

/*
 * Reference: copies dummy LRH and packet into one buffer, masks there.
 * @pkt starts at the IP header, @len ends before the ICRC.
 */
static u32 slow_icrc(struct kunit *test, const u8 *pkt, u32 len)
{
	u8 *b = kunit_kzalloc(test, 8 + len, GFP_KERNEL);
	u8 *ip = b + 8, *udp;

	KUNIT_ASSERT_NOT_NULL(test, b);
	memset(b, 0xff, 8);
	memcpy(ip, pkt, len);
	if (ip[0] >> 4 == 4) {
		udp = ip + 20;
		ip[1] = 0xff;		/* type of service */
		ip[8] = 0xff;		/* TTL */
		ip[10] = 0xff;		/* header checksum */
		ip[11] = 0xff;
	} else {
		udp = ip + 40;
		ip[0] = 0x6f;		/* traffic class, flow label */
		ip[1] = 0xff;
		ip[2] = 0xff;
		ip[3] = 0xff;
		ip[7] = 0xff;		/* hop limit */
	}
	udp[6] = 0xff;			/* checksum */
	udp[7] = 0xff;
	udp[8 + 4] = 0xff;		/* resv8a: FECN, BECN */
	return slow_crc(b, 8 + len);
}

static u32 fast_icrc(const u8 *pkt, u32 len)
{
	u32 ip_len = pkt[0] >> 4 == 4 ? MRC_ICRC_IP4_LEN : MRC_ICRC_IP6_LEN;
	const u8 *udp = pkt + ip_len, *bth = udp + MRC_ICRC_UDP_LEN;
	const u8 *rest = bth + sizeof(struct mrc_bth);
	u32 crc;

	crc = ip_len == MRC_ICRC_IP4_LEN ? mrc_icrc_start_v4(pkt, udp) :
					   mrc_icrc_start_v6(pkt, udp);
	crc = mrc_icrc_bth(crc, bth);
	crc = mrc_icrc_update(crc, rest, pkt + len - rest);
	return le32_to_cpu(mrc_icrc_final(crc));
}

/* A CNP of a ConnectX-4 Lx; ECN, BECN and checksums are not zero. */
static const u8 cnp[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00,
	0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01,
	0x0a, 0x00, 0x12, 0x01,
	0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
	0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
	0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x82, 0xfd, 0x00, 0x2a,
};

/* A UC SEND Only with 18 octets of payload and two of padding. */
static const u8 uc_send[] = {
	0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00,
	0x40, 0x11, 0xb4, 0xd5, 0xc0, 0xa8, 0x00, 0x07,
	0xc0, 0xa8, 0x00, 0x07,
	0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2,
	0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3,
	0x00, 0xcf, 0x17, 0x10,
	0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9,
	0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88,
	0x5e, 0x50, 0x00, 0x00,
	0x78, 0xf3, 0x53, 0xf3,
};

static void expect_vector(struct kunit *test, const u8 *pkt, u32 len)
{
	const u8 *field = pkt + len - MRC_ICRC_LEN;
	const u8 *bth = pkt + MRC_ICRC_IP4_LEN + MRC_ICRC_UDP_LEN;
	const u8 *rest = bth + sizeof(struct mrc_bth);
	__le32 icrc;
	u32 crc;

	crc = mrc_icrc_start_v4(pkt, pkt + MRC_ICRC_IP4_LEN);
	crc = mrc_icrc_bth(crc, bth);
	crc = mrc_icrc_update(crc, rest, field - rest);
	icrc = mrc_icrc_final(crc);
	KUNIT_EXPECT_MEMEQ(test, &icrc, field, MRC_ICRC_LEN);
}

static void mrc_icrc_matches_hardware(struct kunit *test)
{
	expect_vector(test, cnp, sizeof(cnp));
	expect_vector(test, uc_send, sizeof(uc_send));
}

/* The reference implementation agrees with the hardware, too. */
static void mrc_icrc_reference_matches_hardware(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, slow_icrc(test, cnp, sizeof(cnp) - 4),
			0x2a00fd82);
	KUNIT_EXPECT_EQ(test, slow_icrc(test, uc_send, sizeof(uc_send) - 4),
			0xf353f378);
}

static u32 fill(u8 *pkt, bool v6, u32 payload, u32 seed)
{
	u32 len = (v6 ? 40 : 20) + 8 + payload, i;

	for (i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		pkt[i] = seed >> 24;
	}
	pkt[0] = v6 ? 0x60 | (pkt[0] & 0x0f) : 0x45;
	return len;
}

static void mrc_icrc_matches_reference(struct kunit *test)
{
	u8 pkt[40 + 8 + UDP_PAYLOAD];
	u32 len, payload, v6;

	for (v6 = 0; v6 < 2; v6++) {
		for (payload = 12; payload <= UDP_PAYLOAD; payload++) {
			len = fill(pkt, v6, payload, payload);
			KUNIT_EXPECT_EQ_MSG(test, fast_icrc(pkt, len),
					    slow_icrc(test, pkt, len),
					    "ICRC of IPv%u, %u octets", v6 ? 6 : 4, payload);
		}
	}
}

static bool is_variant(const u8 *pkt, u32 bit)
{
	u32 at = bit / 8;
	u32 udp = pkt[0] >> 4 == 4 ? 20 : 40;

	if (at == udp + 6 || at == udp + 7 || at == udp + 8 + 4)
		return true;
	if (udp == 20)
		return at == 1 || at == 8 || at == 10 || at == 11;
	return (at == 0 && bit % 8 < 4) || (at >= 1 && at <= 3) || at == 7;
}

/* Bits that routers may change are not covered, all others are. */
static void mrc_icrc_covers_every_bit(struct kunit *test)
{
	u8 pkt[40 + 8 + UDP_PAYLOAD];
	u32 len, v6, bit, before;

	for (v6 = 0; v6 < 2; v6++) {
		len = fill(pkt, v6, 60, 1);
		before = fast_icrc(pkt, len);
		/* The version nibble selects the kind of header. */
		for (bit = 0; bit < len * 8; bit++) {
			if (bit >= 4 && bit < 8)
				continue;
			pkt[bit / 8] ^= 1 << (bit % 8);
			KUNIT_EXPECT_EQ_MSG(test,
					    fast_icrc(pkt, len) == before,
					    is_variant(pkt, bit),
					    "ICRC of IPv%u, octet %u bit %u",
					    v6 ? 6 : 4, bit / 8, bit % 8);
			pkt[bit / 8] ^= 1 << (bit % 8);
		}
	}
}

/* Payload arrives in page fragments: the split makes no difference. */
static void mrc_icrc_is_incremental(struct kunit *test)
{
	u8 pkt[40 + 8 + UDP_PAYLOAD];
	const u8 *rest = pkt + 40 + 8 + 12;
	u32 len = fill(pkt, true, UDP_PAYLOAD, 7);
	u32 n = pkt + len - rest, i, crc, start;

	start = mrc_icrc_bth(mrc_icrc_start_v6(pkt, pkt + 40), pkt + 48);
	for (i = 0; i <= n; i++) {
		crc = mrc_icrc_update(start, rest, i);
		crc = mrc_icrc_update(crc, rest + i, n - i);
		KUNIT_EXPECT_EQ(test, le32_to_cpu(mrc_icrc_final(crc)),
				fast_icrc(pkt, len));
	}
}

static struct kunit_case mrc_icrc_cases[] = {
	KUNIT_CASE(mrc_icrc_matches_hardware),
	KUNIT_CASE(mrc_icrc_reference_matches_hardware),
	KUNIT_CASE(mrc_icrc_matches_reference),
	KUNIT_CASE(mrc_icrc_covers_every_bit),
	KUNIT_CASE(mrc_icrc_is_incremental),
	{}
};

static struct kunit_suite mrc_icrc_suite = {
	.name = "mrc_icrc",
	.test_cases = mrc_icrc_cases,
};

kunit_test_suite(mrc_icrc_suite);

MODULE_DESCRIPTION("KUnit tests of the RoCEv2 ICRC");
MODULE_LICENSE("Dual BSD/GPL");
