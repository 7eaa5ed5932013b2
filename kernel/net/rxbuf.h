/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive buffer: reading the packets of an skb one after the other.
 */
#ifndef MRC_NET_RXBUF_H
#define MRC_NET_RXBUF_H

#include <linux/skbuff.h>
#include <linux/string.h>

/**
 * struct mrc_rxbuf - an skb being read from front to back
 * @skb: the skb
 * @seq: where the reader is
 * @data: contiguous bytes there
 * @from: offset of @data in @skb
 * @len: bytes at @data; 0: nothing has been read yet
 * @hint: look-up result of the QP for the latest packet, reused for the next;
 *	valid in the RCU read side in which the buffer is read
 *
 * An skb with many frags is walked once, not from its start for each packet.
 */
struct mrc_rxbuf {
	struct sk_buff *skb;
	struct skb_seq_state seq;
	const u8 *data;
	u32 from;
	u32 len;
	const void *hint;
};

void mrc_rxbuf_init(struct mrc_rxbuf *rb, struct sk_buff *skb);
void mrc_rxbuf_end(struct mrc_rxbuf *rb);
int mrc_rxbuf_read(struct mrc_rxbuf *rb, u32 offset, void *to, u32 len);

/**
 * mrc_rxbuf_value - read a few bytes of memory as a received buffer
 * @rb: buffer, which only mrc_rxbuf_read() may be called for
 * @data: bytes; outlive @rb
 * @len: their number
 */
static inline void mrc_rxbuf_value(struct mrc_rxbuf *rb, const void *data,
				   u32 len)
{
	rb->hint = NULL;
	rb->data = data;
	rb->from = 0;
	rb->len = len;
}

#endif /* MRC_NET_RXBUF_H */
