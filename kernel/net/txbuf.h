/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Transmit buffer: the packets of one burst laid out back to back in one skb,
 * payload by reference.
 */
#ifndef MRC_NET_TXBUF_H
#define MRC_NET_TXBUF_H

#include <linux/skbuff.h>
#include "core/packet.h"

/* Payloads up to this length are copied; a page reference costs more. */
#define MRC_TXBUF_COPY 128

/**
 * struct mrc_txbuf - an skb under construction
 *
 * The caller sets @copy and @chained and zeroes the rest.
 *
 * @skb: the skb; its linear part holds what fits before the first page
 * @tail: takes the next frag: @skb, or the one on its frag list
 * @chunk: memory for headers, trailers and short payloads behind the first
 *	page, referenced from several frags
 * @pending: offset of the first byte of @chunk that no frag covers yet
 * @used: bytes of @chunk in use
 * @size: bytes of @chunk
 * @hint: look-up result of the QP for the latest packet, reused for the next;
 *	valid in the RCU read side in which the buffer is built
 * @copy: payload of any length is copied, into the linear part; one packet only
 * @chained: when @skb has no frag left, a second one continues it; for devices
 *	with NETIF_F_FRAGLIST, since others would have to linearize it
 * @overflow: the packet did not fit; it must be undone
 */
struct mrc_txbuf {
	struct sk_buff *skb;
	struct sk_buff *tail;
	u8 *chunk;
	u32 pending;
	u32 used;
	u32 size;
	const void *hint;
	bool copy;
	bool chained;
	bool overflow;
};

/**
 * struct mrc_txbuf_save - state before a packet
 * @tail: of the txbuf
 * @used: of the txbuf
 * @pending: of the txbuf
 * @data_len: of the skb
 * @headlen: of the skb
 * @tail_len: bytes of @tail, if that is not the skb
 * @nr_frags: of @tail
 */
struct mrc_txbuf_save {
	struct sk_buff *tail;
	u32 used;
	u32 pending;
	u32 data_len;
	u32 headlen;
	u32 tail_len;
	u8 nr_frags;
};

int mrc_txbuf_init(struct mrc_txbuf *tb, u32 packets, u32 hdr_len, u32 payload);
void mrc_txbuf_save(const struct mrc_txbuf *tb, struct mrc_txbuf_save *save);
void mrc_txbuf_restore(struct mrc_txbuf *tb, const struct mrc_txbuf_save *save);
u8 *mrc_txbuf_put(struct mrc_txbuf *tb, u32 len);
struct sk_buff *mrc_txbuf_finish(struct mrc_txbuf *tb, u32 seg, u32 packets);
void mrc_txbuf_free(struct mrc_txbuf *tb);

#endif /* MRC_NET_TXBUF_H */
