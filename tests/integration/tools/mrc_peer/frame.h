/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ethernet frames with MRC packets, built byte by byte so that each byte can be
 * made wrong; and a parser of received frames.
 */
#ifndef MRC_TEST_FRAME_H
#define MRC_TEST_FRAME_H

#include <stdbool.h>

#include "core/packet.h"

#define FRAME_MAX	4514
#define FRAME_ETH_LEN	14
#define FRAME_IP4_LEN	20
#define FRAME_IP6_LEN	40
#define FRAME_UDP_LEN	8
/* ECN field of the traffic class: congestion experienced. */
#define FRAME_CE	3
/* Largest payload of a packet that is parsed. */
#define FRAME_GOT_MAX	1024

/**
 * struct wire - header fields that all frames of a test have in common
 * @dmac: destination on the link
 * @smac: source on the link
 * @v4: addresses are IPv4, in the first four bytes
 * @saddr: source
 * @daddr: destination
 * @ev: entropy value: UDP source port and flow label
 * @dport: UDP destination port
 * @tclass: traffic class
 * @outer: further bits in the traffic class of the outer IPv6 header, as a switch
 *	sets them
 * @sid: destination of the outer header, or NULL: no outer header
 */
struct wire {
	u8 dmac[6];
	u8 smac[6];
	bool v4;
	u8 saddr[16];
	u8 daddr[16];
	u32 ev;
	u16 dport;
	u8 tclass;
	u8 outer;
	const u8 *sid;
};

/**
 * struct frame - a frame under construction
 * @len: bytes so far
 * @outer: offset of the outer IPv6 header, 0: none
 * @ip: offset of the inner IP header
 * @udp: offset of the UDP header
 * @mrc: offset of BTH
 * @v4: inner header is IPv4
 * @buf: the bytes
 */
struct frame {
	u32 len;
	u32 outer;
	u32 ip;
	u32 udp;
	u32 mrc;
	bool v4;
	u8 buf[FRAME_MAX];
};

/**
 * struct got - a received packet
 * @ev: entropy value
 * @dsfield: traffic class
 * @icrc_ok: ICRC is right
 * @err: 0, or the negative enum mrc_drop of the decoder
 * @pkt: decoded, if not @err
 * @len: bytes from BTH to ICRC
 * @buf: these bytes
 */
struct got {
	u32 ev;
	u8 dsfield;
	bool icrc_ok;
	int err;
	struct mrc_pkt pkt;
	u32 len;
	u8 buf[MRC_DATA_HDR_MAX + FRAME_GOT_MAX + MRC_ICRC_LEN];
};

void frame_begin(struct frame *f, const struct wire *w);
u8 *frame_put(struct frame *f, const void *data, u32 len);
void frame_lengths(struct frame *f);
void frame_icrc(struct frame *f);
void frame_seal(struct frame *f);
void frame_udp_sum(struct frame *f);
void frame_ip4_sum(struct frame *f);
void frame_insert(struct frame *f, u32 at, const void *data, u32 len);
u8 *frame_srh(struct frame *f, const u8 *segment, u8 left);

void frame_data(struct frame *f, const struct wire *w,
		const struct mrc_pkt_data *d, const void *payload);
void frame_ctrl(struct frame *f, const struct wire *w, const u8 *pkt, u32 len);
u32 frame_packet(u8 *buf, u32 max, const struct wire *w,
		 const struct mrc_pkt_data *d, const void *payload);

u32 frame_split(const u8 *eth, u32 len, struct got *got, u32 max);

#endif /* MRC_TEST_FRAME_H */
