// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Malformed packets: the headers before MRC, from Ethernet to UDP.
 */
#include <string.h>

#include <linux/kernel.h>

#include "malformed.h"

#define LEN	64

/* Offsets in frames and headers. */
enum {
	ETH_TYPE = 12,
	IP4_LEN = 2, IP4_FRAG = 6, IP4_SUM = 10,
	IP6_LEN = 4, IP6_NEXT = 6, IP6_SRC = 8,
	SRH_LEN = 1,
	UDP_DST = 2, UDP_LEN = 4, UDP_SUM = 6,
};

enum {
	NEXT_HOPOPTS = 0, NEXT_UDP = 17, NEXT_IPV6 = 41, NEXT_ROUTING = 43,
	NEXT_FRAGMENT = 44, NEXT_NONE = 59, NEXT_DSTOPTS = 60,
};

/* An extension header without content: eight bytes, PadN. */
#define EXT_LEN		8
/* Payload of the first fragment; a multiple of 8. */
#define FRAG_LEN	48

static u8 *ip(struct frame *f)
{
	return f->buf + f->ip;
}

static u8 *udp(struct frame *f)
{
	return f->buf + f->udp;
}

static void add16(u8 *p, int n)
{
	n += p[0] << 8 | p[1];
	p[0] = n >> 8;
	p[1] = n;
}

static void udp_len(struct fixture *s, struct frame *f, u32 i)
{
	static const u16 len[] = { 0, 7, LEN + 60, 1000, 0xffff };

	malformed_write(s, f, LEN);
	udp(f)[UDP_LEN] = len[i] >> 8;
	udp(f)[UDP_LEN + 1] = len[i];
}

/* Bytes beyond the UDP length do not belong to the packet. */
static void udp_len_truncates(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	add16(udp(f) + UDP_LEN, -4);
}

static void udp_sum(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	frame_udp_sum(f);
	if (i)
		f->buf[f->mrc + 40] ^= 1;
	else
		udp(f)[UDP_SUM] ^= 1;
}

static void udp_port(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	add16(udp(f) + UDP_DST, i ? 1 : -1);
	frame_icrc(f);
}

static void group_address(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 v6[][16] = {
		{ 0xff, 0x02, [15] = 1 },
		{ 0xff, 0x02, [11] = 1, 0xff, [15] = 1 },
	};
	static const u8 v4[][4] = {
		{ 255, 255, 255, 255 }, { 224, 0, 0, 1 },
	};
	struct wire right = s->wire;

	if (s->wire.v4)
		memcpy(s->wire.daddr, v4[i], 4);
	else
		memcpy(s->wire.daddr, v6[i], 16);
	memset(s->wire.dmac, 0xff, sizeof(s->wire.dmac));
	malformed_ctrl(s, f, MRC_OP_ENDPOINT_REQ);
	s->wire = right;
}

static void cut_off(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 left[] = { 0, 1, 8, 19, 39, 47, 60, 100 };

	malformed_write(s, f, LEN);
	f->len = FRAME_ETH_LEN + left[i];
}

static void wrong_version(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	ip(f)[0] ^= i ? 0x80 : 0x20;
	if (s->wire.v4)
		frame_ip4_sum(f);
}

static void wrong_ethertype(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 v6[] = { 0x86, 0xdd }, v4[] = { 0x08, 0x00 };

	malformed_write(s, f, LEN);
	memcpy(f->buf + ETH_TYPE, s->wire.v4 ? v6 : v4, 2);
}

static void group_source(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	memset(s->wire.saddr, 0xff, sizeof(s->wire.saddr));
	malformed_ctrl(s, f, MRC_OP_ENDPOINT_REQ);
	s->wire = right;
}

static void ip_len(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	if (!s->wire.v4) {
		add16(ip(f) + IP6_LEN, i ? 1000 : 1);
		return;
	}
	add16(ip(f) + IP4_LEN, i ? 1000 : 1);
	frame_ip4_sum(f);
}

/* The UDP length exceeds the IP length. */
static void ip_len_truncates(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 less[] = { 4, LEN };

	malformed_write(s, f, LEN);
	if (!s->wire.v4) {
		add16(ip(f) + IP6_LEN, -less[i]);
		return;
	}
	add16(ip(f) + IP4_LEN, -less[i]);
	frame_ip4_sum(f);
}

static void ip4_sum(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	ip(f)[IP4_SUM] ^= 1;
}

static void ip4_header_len(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	ip(f)[0] = i ? 0x44 : 0x40;
	frame_ip4_sum(f);
}

static void ip4_options(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 nop[] = { 1, 1, 1, 0 };

	malformed_write(s, f, LEN);
	frame_insert(f, f->udp, nop, sizeof(nop));
	ip(f)[0] = 0x46;
	frame_seal(f);
}

static void ip4_fragment(struct fixture *s, struct frame *f, u32 i)
{
	/* A first fragment without a last one, or a last one without a first. */
	malformed_write(s, f, LEN);
	ip(f)[IP4_FRAG] = i ? 0 : 0x20;
	ip(f)[IP4_FRAG + 1] = i ? 64 : 0;
	ip(f)[IP4_FRAG - 1] = i;
	frame_ip4_sum(f);
}

static void ext_header(struct frame *f, u8 type)
{
	const u8 ext[EXT_LEN] = { NEXT_UDP, 0, 1, EXT_LEN - 4 };

	frame_insert(f, f->udp, ext, sizeof(ext));
	ip(f)[IP6_NEXT] = type;
	frame_seal(f);
	frame_udp_sum(f);
}

/* The network stack accepts these headers; the UDP socket gets the packet. */
static void ip6_extension(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, f, LEN);
	ext_header(f, i ? NEXT_DSTOPTS : NEXT_HOPOPTS);
}

static void ip6_next(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 next[] = { NEXT_NONE, NEXT_ROUTING, NEXT_FRAGMENT, 255 };

	malformed_write(s, f, LEN);
	ip(f)[IP6_NEXT] = next[i];
}

static void fragment(struct frame *f, u32 from, u32 to, bool more)
{
	static u8 id;
	u8 frag[EXT_LEN] = { NEXT_UDP, 0, from >> 8, from | more };
	u32 len = to - from;

	id += !from;
	frag[EXT_LEN - 1] = id;
	memmove(f->buf + f->udp, f->buf + f->udp + from, len);
	f->len = f->udp + len;
	frame_insert(f, f->udp, frag, sizeof(frag));
	ip(f)[IP6_NEXT] = NEXT_FRAGMENT;
	ip(f)[IP6_LEN] = (len + EXT_LEN) >> 8;
	ip(f)[IP6_LEN + 1] = len + EXT_LEN;
}

/* Both fragments must be of the same packet. */
static struct frame whole;

static void ip6_fragment_1(struct fixture *s, struct frame *f, u32 i)
{
	malformed_write(s, &whole, LEN);
	frame_udp_sum(&whole);
	*f = whole;
	fragment(f, 0, FRAG_LEN, true);
}

static void ip6_fragment_2(struct fixture *s, struct frame *f, u32 i)
{
	*f = whole;
	fragment(f, FRAG_LEN, whole.len - whole.udp, false);
}

/* A WRITE in an SRv6 header whose destination is the device. */
static void encapsulated(struct fixture *s, struct frame *f)
{
	struct wire right = s->wire;

	s->wire.sid = s->sid;
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void srv6_source(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.sid = s->sid;
	s->wire.saddr[15] ^= 0x40;
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void srv6_icrc(struct fixture *s, struct frame *f, u32 i)
{
	encapsulated(s, f);
	f->buf[f->len - 1] ^= 1;
}

static void srv6_udp_len(struct fixture *s, struct frame *f, u32 i)
{
	encapsulated(s, f);
	add16(udp(f) + UDP_LEN, i ? 1000 : 1);
}

static void srv6_extension(struct fixture *s, struct frame *f, u32 i)
{
	encapsulated(s, f);
	ext_header(f, NEXT_DSTOPTS);
}

static void srv6_cut(struct fixture *s, struct frame *f, u32 left)
{
	encapsulated(s, f);
	f->len = f->ip + left;
	f->buf[f->outer + IP6_LEN] = 0;
	f->buf[f->outer + IP6_LEN + 1] = left;
}

static void srv6_cut_off(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 left[] = { 0, 1, 20, 39 };

	srv6_cut(s, f, left[i]);
}

/* The network stack does not compare the inner length with the packet's. */
static void srv6_cut_in_udp(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 left[] = { 40, 44, 47 };

	srv6_cut(s, f, left[i]);
}

static void srv6_cut_in_mrc(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 left[] = { 48, 60, 100 };

	srv6_cut(s, f, left[i]);
}

static void srv6_not_ip(struct fixture *s, struct frame *f, u32 i)
{
	encapsulated(s, f);
	ip(f)[0] = i ? 0x45 : 0x00;
}

static void srv6_next(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 next[] = { 4, NEXT_UDP, NEXT_NONE, 143 };

	encapsulated(s, f);
	f->buf[f->outer + IP6_NEXT] = next[i];
}

static void srv6_other_host(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.sid = s->sid;
	s->wire.daddr[0] = 0x3f;
	malformed_write(s, f, LEN);
	s->wire = right;
}

/* A packet from the wire must not have this destination, or a group as source. */
static void srv6_loopback(struct fixture *s, struct frame *f, u32 i)
{
	static const u8 addr[16] = { [15] = 1 };
	struct wire right = s->wire;

	s->wire.sid = s->sid;
	memcpy(s->wire.daddr, addr, sizeof(addr));
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void srv6_group_source(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.sid = s->sid;
	memset(s->wire.saddr, 0xff, sizeof(s->wire.saddr));
	malformed_write(s, f, LEN);
	s->wire = right;
	memcpy(f->buf + f->outer + IP6_SRC, right.saddr, sizeof(right.saddr));
}

/* The peer's address inside, and another one where filters look. */
static void srv6_other_source(struct fixture *s, struct frame *f, u32 i)
{
	encapsulated(s, f);
	if (i)
		frame_srh(f, s->sid, 0);
	f->buf[f->outer + IP6_SRC + 15] ^= 0x40;
}

/* A uSID of the same network, but of another host. */
static void srv6_other_usid(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;
	u8 sid[sizeof(s->sid)];

	memcpy(sid, s->sid, sizeof(sid));
	sid[4] ^= 0x0f;
	s->wire.sid = sid;
	malformed_write(s, f, LEN);
	s->wire = right;
}

static void srv6_two_headers(struct fixture *s, struct frame *f, u32 i)
{
	u8 outer[FRAME_IP6_LEN];

	encapsulated(s, f);
	memcpy(outer, f->buf + f->outer, sizeof(outer));
	frame_insert(f, f->ip, outer, sizeof(outer));
	add16(f->buf + f->outer + IP6_LEN, FRAME_IP6_LEN);
}

/* A segment routing header with segments left, or a truncated one. */
static void srv6_srh(struct fixture *s, struct frame *f, u32 i)
{
	u8 *srh;

	encapsulated(s, f);
	srh = frame_srh(f, s->sid, 1);
	if (i)
		srh[SRH_LEN] = 200;
}

/* Encapsulated to the device's own address, which is not the end of a tunnel. */
static void tunnel(struct fixture *s, struct frame *f, u32 i)
{
	struct wire right = s->wire;

	s->wire.sid = right.daddr;
	malformed_write(s, f, LEN);
	s->wire = right;
}

const struct malformed malformed_ip[] = {
	{ "UDP length that differs from the packet's", "encap", 5, udp_len },
	{ "UDP length that truncates the packet", "dmalen", 1, udp_len_truncates },
	{ "wrong UDP checksum", "encap", 2, udp_sum },
	{ "UDP port that is not MRC's", NULL, 2, udp_port },
	{ "endpoint request to a group address", "encap", 2, group_address },
	{ "endpoint request from a group address", NULL, 1, group_source },
	{ "truncated frame", NULL, 8, cut_off },
	{ "wrong version in the IP header", NULL, 2, wrong_version },
	{ "wrong Ethertype", NULL, 1, wrong_ethertype },
	{ "IP length longer than the frame", NULL, 2, ip_len },
	{ "IP length that truncates the packet", "encap", 2, ip_len_truncates },
	{ "wrong checksum of the IP header", NULL, 1, ip4_sum, 0, '4' },
	{ "invalid IP header length", NULL, 2, ip4_header_len, 0, '4' },
	{ "IP options", "encap", 1, ip4_options, 0, '4' },
	{ "incomplete fragments", NULL, 2, ip4_fragment, 0, '4' },
	{ "IPv6 extension header", "encap", 2, ip6_extension, 0, '6' },
	{ "unexpected IPv6 next header", NULL, 4, ip6_next, 0, '6' },
	{ "packet reassembled from fragments", "encap", 1, ip6_fragment_1, 0, '6',
	  ip6_fragment_2 },
	{ "SRv6, wrong inner source", "peer", 1, srv6_source, 0, '6' },
	{ "SRv6, wrong ICRC", "icrc", 1, srv6_icrc, 0, '6' },
	{ "SRv6, wrong UDP length", "encap", 2, srv6_udp_len, 0, '6' },
	{ "SRv6, inner extension header", "encap", 1, srv6_extension, 0, '6',
	  .untouched = true },
	{ "SRv6, truncated", NULL, 4, srv6_cut_off, 0, '6' },
	{ "SRv6, truncated before UDP", NULL, 3, srv6_cut_in_udp, 0, '6' },
	{ "SRv6, truncated after UDP", "encap", 3, srv6_cut_in_mrc, 0, '6' },
	{ "SRv6, inner packet that is not IPv6", "icrc", 2, srv6_not_ip, 0, '6',
	  .untouched = true },
	{ "SRv6, wrong next header", NULL, 4, srv6_next, 0, '6' },
	{ "SRv6, inner destination of another host", NULL, 1, srv6_other_host, 0,
	  '6' },
	{ "SRv6, uSID of another host", NULL, 1, srv6_other_usid, 0, '6' },
	{ "SRv6, inner destination loopback", "peer", 1, srv6_loopback, 0, '6',
	  .untouched = true },
	{ "SRv6, inner source a group address", "peer", 1, srv6_group_source, 0, '6',
	  .untouched = true },
	{ "SRv6, outer source that is not the inner one", "encap", 2,
	  srv6_other_source, 0, '6', .decap = true },
	{ "SRv6, two outer headers", NULL, 1, srv6_two_headers, 0, '6' },
	{ "SRv6, invalid segment routing header", NULL, 2, srv6_srh, 0, '6' },
	{ "IPv6 in IPv6 to the device's address", NULL, 1, tunnel, 0, '6' },
	{ }
};
