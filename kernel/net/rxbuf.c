// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reading a received skb.  Bytes are copied before they are checked: the pages may
 * belong to a process that writes to them at the same time.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include "net/rxbuf.h"

/**
 * mrc_rxbuf_init - start to read
 * @rb: buffer
 * @skb: what to read
 *
 * Context: atomic until mrc_rxbuf_end().
 */
void mrc_rxbuf_init(struct mrc_rxbuf *rb, struct sk_buff *skb)
{
	rb->skb = skb;
	rb->hint = NULL;
	rb->len = 0;
	rb->from = 0;
	skb_prepare_seq_read(skb, 0, skb->len, &rb->seq);
}

/**
 * mrc_rxbuf_end - stop to read
 * @rb: buffer
 */
void mrc_rxbuf_end(struct mrc_rxbuf *rb)
{
	skb_abort_seq_read(&rb->seq);
}

/* Have @rb->data cover @offset. */
static bool mrc_rxbuf_seek(struct mrc_rxbuf *rb, u32 offset)
{
	if (unlikely(offset < rb->from)) {
		mrc_rxbuf_end(rb);
		skb_prepare_seq_read(rb->skb, 0, rb->skb->len, &rb->seq);
	}
	rb->from = offset;
	rb->len = skb_seq_read(offset, &rb->data, &rb->seq);
	return rb->len;
}

/**
 * mrc_rxbuf_read - copy bytes out
 * @rb: buffer
 * @offset: first byte; going back is possible, but slow
 * @to: where to
 * @len: bytes
 *
 * Context: atomic.
 * Return: 0, or -EFAULT if the skb is too short.
 */
int mrc_rxbuf_read(struct mrc_rxbuf *rb, u32 offset, void *to, u32 len)
{
	u32 at, run;

	for (; len; offset += run, to += run, len -= run) {
		at = offset - rb->from;
		if (at >= rb->len) {
			if (!mrc_rxbuf_seek(rb, offset))
				return -EFAULT;
			at = 0;
		}
		run = min(len, rb->len - at);
		memcpy(to, rb->data + at, run);
	}
	return 0;
}
