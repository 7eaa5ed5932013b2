// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet frames with MRC packets in them.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/icrc.h"
#include "core/srv6.h"
#include "frame.h"

#define ETH_TYPE	12
#define ETHERTYPE_4	0x0800
#define ETHERTYPE_6	0x86dd
#define PROTO_UDP	17
#define PROTO_IPV6	41
#define PROTO_ROUTING	43
#define HOPS		64

/* Offsets within headers. */
enum {
	IP4_TOS = 1, IP4_LEN = 2, IP4_ID = 4, IP4_FRAG = 6, IP4_TTL = 8,
	IP4_PROTO = 9, IP4_SUM = 10, IP4_SRC = 12, IP4_DST = 16,
	IP6_LEN = 4, IP6_NEXT = 6, IP6_HOPS = 7, IP6_SRC = 8, IP6_DST = 24,
	UDP_SRC = 0, UDP_DST = 2, UDP_LEN = 4, UDP_SUM = 6,
};

static void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static u16 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

static void put_ip6(struct frame *f, const struct wire *w, u8 tclass, u8 next,
		    const u8 *daddr)
{
	u32 label = mrc_ev_flowlabel(w->ev);
	u8 h[FRAME_IP6_LEN] = { 0x60 | tclass >> 4,
				tclass << 4 | label >> 16 };

	put16(h + 2, label);
	h[IP6_NEXT] = next;
	h[IP6_HOPS] = HOPS;
	memcpy(h + IP6_SRC, w->saddr, 16);
	memcpy(h + IP6_DST, daddr, 16);
	frame_put(f, h, sizeof(h));
}

static void put_ip4(struct frame *f, const struct wire *w)
{
	u8 h[FRAME_IP4_LEN] = { 0x45, w->tclass };

	h[IP4_FRAG] = 0x40;
	h[IP4_TTL] = HOPS;
	h[IP4_PROTO] = PROTO_UDP;
	memcpy(h + IP4_SRC, w->saddr, 4);
	memcpy(h + IP4_DST, w->daddr, 4);
	frame_put(f, h, sizeof(h));
}

/**
 * frame_begin - write all headers before BTH, without lengths
 * @f: frame
 * @w: content of the headers
 */
void frame_begin(struct frame *f, const struct wire *w)
{
	u8 type[2], udp[FRAME_UDP_LEN] = {};

	memset(f, 0, sizeof(*f));
	f->v4 = w->v4;
	frame_put(f, w->dmac, 6);
	frame_put(f, w->smac, 6);
	put16(type, w->v4 && !w->sid ? ETHERTYPE_4 : ETHERTYPE_6);
	frame_put(f, type, sizeof(type));
	if (w->sid) {
		f->outer = f->len;
		put_ip6(f, w, w->tclass | w->outer, PROTO_IPV6, w->sid);
	}
	f->ip = f->len;
	if (w->v4)
		put_ip4(f, w);
	else
		put_ip6(f, w, w->tclass, PROTO_UDP, w->daddr);
	f->udp = f->len;
	put16(udp + UDP_SRC, mrc_ev_sport(w->ev));
	put16(udp + UDP_DST, w->dport);
	frame_put(f, udp, sizeof(udp));
	f->mrc = f->len;
}

/**
 * frame_put - append bytes
 * @f: frame
 * @data: the bytes, or NULL for zeroes
 * @len: how many; bytes that do not fit are omitted
 *
 * Return: the first of these bytes.
 */
u8 *frame_put(struct frame *f, const void *data, u32 len)
{
	u8 *at = f->buf + f->len;

	len = min_t(u32, len, FRAME_MAX - f->len);
	if (data)
		memcpy(at, data, len);
	else
		memset(at, 0, len);
	f->len += len;
	return at;
}

/**
 * frame_insert - insert bytes
 * @f: frame
 * @at: offset of the first new byte
 * @data: the bytes
 * @len: how many; the caller ensures that they fit
 */
void frame_insert(struct frame *f, u32 at, const void *data, u32 len)
{
	memmove(f->buf + at + len, f->buf + at, f->len - at);
	memcpy(f->buf + at, data, len);
	f->len += len;
	if (at <= f->udp)
		f->udp += len;
	if (at <= f->mrc)
		f->mrc += len;
}

/**
 * frame_srh - insert an SRH of one segment after the outer header
 * @f: complete frame with an outer header
 * @segment: the segment
 * @left: Segments Left
 *
 * Return: the SRH.
 */
u8 *frame_srh(struct frame *f, const u8 *segment, u8 left)
{
	u8 *outer = f->buf + f->outer;
	struct mrc_srh srh;

	mrc_srv6_put_srh((u8 *)&srh, PROTO_IPV6, segment);
	srh.segments_left = left;
	frame_insert(f, f->ip, &srh, sizeof(srh));
	outer[IP6_NEXT] = PROTO_ROUTING;
	put16(outer + IP6_LEN, get16(outer + IP6_LEN) + sizeof(srh));
	return f->buf + f->ip;
}

static u32 sum_add(u32 sum, const u8 *p, u32 len)
{
	for (; len > 1; p += 2, len -= 2)
		sum += get16(p);
	return len ? sum + (p[0] << 8) : sum;
}

static u16 sum_fold(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/**
 * frame_ip4_sum - set the checksum of the IPv4 header
 * @f: frame
 */
void frame_ip4_sum(struct frame *f)
{
	u8 *ip = f->buf + f->ip;

	put16(ip + IP4_SUM, 0);
	put16(ip + IP4_SUM, sum_fold(sum_add(0, ip, 4 * (ip[0] & 15))));
}

/**
 * frame_udp_sum - set the UDP checksum; without this call there is none
 * @f: frame with lengths
 */
void frame_udp_sum(struct frame *f)
{
	u8 *udp = f->buf + f->udp;
	u32 sum = PROTO_UDP + get16(udp + UDP_LEN);
	u16 folded;

	put16(udp + UDP_SUM, 0);
	if (f->v4)
		sum = sum_add(sum, f->buf + f->ip + IP4_SRC, 8);
	else
		sum = sum_add(sum, f->buf + f->ip + IP6_SRC, 32);
	folded = sum_fold(sum_add(sum, udp, f->len - f->udp));
	put16(udp + UDP_SUM, folded ? folded : 0xffff);
}

/**
 * frame_lengths - set all lengths, and the IPv4 checksum
 * @f: frame with all its bytes
 */
void frame_lengths(struct frame *f)
{
	if (f->outer)
		put16(f->buf + f->outer + IP6_LEN,
		      f->len - f->outer - FRAME_IP6_LEN);
	put16(f->buf + f->udp + UDP_LEN, f->len - f->udp);
	if (!f->v4) {
		put16(f->buf + f->ip + IP6_LEN,
		      f->len - f->ip - FRAME_IP6_LEN);
		return;
	}
	put16(f->buf + f->ip + IP4_LEN, f->len - f->ip);
	frame_ip4_sum(f);
}

static __le32 icrc_of(const u8 *ip, const u8 *udp, bool v4, const u8 *mrc,
		      u32 len)
{
	u32 crc = v4 ? mrc_icrc_start_v4(ip, udp) : mrc_icrc_start_v6(ip, udp);

	crc = mrc_icrc_bth(crc, mrc);
	crc = mrc_icrc_update(crc, mrc + sizeof(struct mrc_bth),
			      len - sizeof(struct mrc_bth) - MRC_ICRC_LEN);
	return mrc_icrc_final(crc);
}

/**
 * frame_icrc - set the ICRC, if there is room for one
 * @f: frame with lengths
 */
void frame_icrc(struct frame *f)
{
	u32 len = f->len - f->mrc;
	__le32 icrc;

	if (len < MRC_PKT_MIN)
		return;
	icrc = icrc_of(f->buf + f->ip, f->buf + f->udp, f->v4,
		       f->buf + f->mrc, len);
	memcpy(f->buf + f->len - MRC_ICRC_LEN, &icrc, sizeof(icrc));
}

/**
 * frame_seal - set lengths and ICRC
 * @f: frame with all its bytes, those of the ICRC included
 */
void frame_seal(struct frame *f)
{
	frame_lengths(f);
	frame_icrc(f);
}

/**
 * frame_data - a correct data packet
 * @f: filled in
 * @w: addresses
 * @d: MRC headers
 * @payload: of @d->payload_len bytes, or NULL for zeroes
 */
void frame_data(struct frame *f, const struct wire *w,
		const struct mrc_pkt_data *d, const void *payload)
{
	u8 hdr[MRC_DATA_HDR_MAX];

	frame_begin(f, w);
	frame_put(f, hdr, mrc_pkt_put_data(hdr, d));
	frame_put(f, payload, d->payload_len);
	frame_put(f, NULL, mrc_pkt_trailer_len(d->payload_len));
	frame_seal(f);
}

/**
 * frame_ctrl - a correct control packet
 * @f: filled in
 * @w: addresses
 * @pkt: packet as mrc_pkt_put_*() writes it
 * @len: its length
 */
void frame_ctrl(struct frame *f, const struct wire *w, const u8 *pkt, u32 len)
{
	frame_begin(f, w);
	frame_put(f, pkt, len);
	frame_seal(f);
}

/**
 * frame_packet - a correct data packet without the headers before BTH
 * @buf: destination
 * @max: size of @buf
 * @w: addresses that the ICRC covers
 * @d: MRC headers
 * @payload: of @d->payload_len bytes
 *
 * Return: length, or 0 without room.
 */
u32 frame_packet(u8 *buf, u32 max, const struct wire *w,
		 const struct mrc_pkt_data *d, const void *payload)
{
	struct frame f;

	frame_data(&f, w, d, payload);
	if (f.len - f.mrc > max)
		return 0;
	memcpy(buf, f.buf + f.mrc, f.len - f.mrc);
	return f.len - f.mrc;
}

/* Length of the packet at @p; the kernel may have sent several in one frame. */
static u32 pkt_len(const u8 *p, u32 left)
{
	const struct mrc_opcode_desc *op = mrc_opcode_get(p[0]);
	const struct mrc_bth *bth = (const void *)p;
	bool ts = be32_to_cpu(bth->apsn) >> MRC_BTH_APSN_SHIFT & MRC_BTH_TS;
	u32 len = mrc_pkt_hdr_len(p[0], ts ? MRC_PF_TS : 0);

	if (!(op->flags & MRC_OPF_DATA))
		return min_t(u32, left, len + MRC_ICRC_LEN);
	/* The last packet of a buffer is not shorter than it is. */
	if (op->flags & MRC_OPF_LAST)
		return left;
	return min_t(u32, left, len + FRAME_GOT_MAX + MRC_ICRC_LEN);
}

/* The ICRC covers the headers that this packet would have in a frame of its own. */
static bool got_icrc_ok(const u8 *ip, const u8 *udp, bool v4, const u8 *mrc,
			u32 len, u32 index)
{
	u8 h[FRAME_IP6_LEN], u[FRAME_UDP_LEN];
	__le32 icrc;

	memcpy(h, ip, v4 ? FRAME_IP4_LEN : FRAME_IP6_LEN);
	memcpy(u, udp, sizeof(u));
	put16(u + UDP_LEN, len + FRAME_UDP_LEN);
	if (v4) {
		put16(h + IP4_LEN, len + FRAME_UDP_LEN + FRAME_IP4_LEN);
		put16(h + IP4_ID, get16(h + IP4_ID) + index);
	} else {
		put16(h + IP6_LEN, len + FRAME_UDP_LEN);
	}
	icrc = icrc_of(h, u, v4, mrc, len);
	return !memcmp(mrc + len - MRC_ICRC_LEN, &icrc, sizeof(icrc));
}

static void got_fill(struct got *g, const u8 *ip, const u8 *udp, bool v4,
		     const u8 *mrc, u32 len, u32 index)
{
	u32 label = v4 ? 0 : (ip[1] & 15) << 16 | get16(ip + 2);

	g->ev = mrc_ev_from_headers(get16(udp + UDP_SRC), label);
	g->dsfield = v4 ? ip[IP4_TOS] : (ip[0] << 4 | ip[1] >> 4) & 0xff;
	g->len = min_t(u32, len, sizeof(g->buf));
	memcpy(g->buf, mrc, g->len);
	g->err = mrc_pkt_decode_hdr(mrc, min_t(u32, len, MRC_HDR_MAX), len,
				    &g->pkt);
	g->icrc_ok = len >= MRC_PKT_MIN &&
		     got_icrc_ok(ip, udp, v4, mrc, len, index);
}

/* Offset of the UDP header of a frame to one of MRC's ports, or 0. */
static u32 find_udp(const u8 *eth, u32 len, bool *v4)
{
	const u8 *ip = eth + FRAME_ETH_LEN;
	u32 ip_len;
	u16 type, port;

	if (len < FRAME_ETH_LEN + FRAME_IP6_LEN + FRAME_UDP_LEN)
		return 0;
	type = get16(eth + ETH_TYPE);
	*v4 = type == ETHERTYPE_4;
	if ((!*v4 && type != ETHERTYPE_6) ||
	    ip[*v4 ? IP4_PROTO : IP6_NEXT] != PROTO_UDP)
		return 0;
	ip_len = *v4 ? FRAME_IP4_LEN : FRAME_IP6_LEN;
	port = get16(ip + ip_len + UDP_DST);
	if (port != MRC_UDP_PORT && port != MRC_UDP_PORT_ALT)
		return 0;
	return FRAME_ETH_LEN + ip_len;
}

/**
 * frame_split - the MRC packets of a received frame
 * @eth: frame, possibly a GSO buffer of several packets
 * @len: its length
 * @got: filled in
 * @max: room in @got
 *
 * Return: number of packets; 0 if the frame is not MRC at all.
 */
u32 frame_split(const u8 *eth, u32 len, struct got *got, u32 max)
{
	bool v4;
	u32 udp = find_udp(eth, len, &v4);
	u32 at = udp + FRAME_UDP_LEN, end, one, n;

	if (!udp)
		return 0;
	end = min_t(u32, len, udp + get16(eth + udp + UDP_LEN));
	for (n = 0; at < end && n < max; n++, at += one) {
		one = end - at < sizeof(struct mrc_bth) ?
		      end - at : pkt_len(eth + at, end - at);
		got_fill(&got[n], eth + FRAME_ETH_LEN, eth + udp, v4,
			 eth + at, one, n);
	}
	return n;
}
