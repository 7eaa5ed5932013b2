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
 * @skb: the skb; its linear part holds what fits before the first page
 * @chunk: memory for headers, trailers and short payloads behind the first
 *	page, referenced from several frags
 * @pending: bytes of @chunk that no frag covers yet start here
 * @used: bytes of @chunk in use
 * @size: bytes of @chunk
 * @hint: what the QP found for the latest packet and may need for the next;
 *	gone with the RCU read side in which the buffer is built
 * @copy: payload of any length is copied
 * @overflow: the packet did not fit; it must be undone
 */
struct mrc_txbuf {
	struct sk_buff *skb;
	u8 *chunk;
	u32 pending;
	u32 used;
	u32 size;
	const void *hint;
	bool copy;
	bool overflow;
};

/**
 * struct mrc_txbuf_mark - state to return to
 * @used: of the txbuf
 * @pending: of the txbuf
 * @data_len: of the skb
 * @headlen: of the skb
 * @nr_frags: of the skb
 */
struct mrc_txbuf_mark {
	u32 used;
	u32 pending;
	u32 data_len;
	u32 headlen;
	u8 nr_frags;
};

int mrc_txbuf_init(struct mrc_txbuf *tb, u32 packets, u32 hdr_len, u32 payload,
		   bool copy);
void mrc_txbuf_mark(const struct mrc_txbuf *tb, struct mrc_txbuf_mark *mark);
void mrc_txbuf_undo(struct mrc_txbuf *tb, const struct mrc_txbuf_mark *mark);
u8 *mrc_txbuf_put(struct mrc_txbuf *tb, u32 len);
struct sk_buff *mrc_txbuf_finish(struct mrc_txbuf *tb, u32 seg, u32 packets);
void mrc_txbuf_free(struct mrc_txbuf *tb);

#endif /* MRC_NET_TXBUF_H */
