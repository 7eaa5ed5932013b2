// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Layout of a burst: [headers payload trailer][headers payload trailer]...
 *
 * The first headers are in the linear part of the skb.  Later ones, together
 * with the trailer before them, are in one chunk of memory per burst and take one
 * frag each; payload pages take the frags between.  So 8 packets of one page each
 * need 16 of the 17 frags of an skb; the rest goes into a second skb on the frag
 * list of the first, if the device supports that.  A buffer costs the same in the
 * stack whatever it contains.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include "core/wire.h"
#include "net/conn.h"
#include "net/encap.h"
#include "net/txbuf.h"

/* Padding and ICRC. */
#define MRC_TRAILER_MAX (3 + MRC_ICRC_LEN)

/* The last frag is reserved for the trailer of the last packet. */
#define MRC_TXBUF_FRAGS (MAX_SKB_FRAGS - 1)

/**
 * mrc_txbuf_init - start a buffer
 * @tb: buffer, zeroed but for @copy and @chained
 * @packets: most packets that will be put
 * @hdr_len: bytes of MRC headers of a packet
 * @payload: most payload bytes of a packet
 *
 * Context: BH off.
 * Return: 0 or -ENOMEM.
 */
int mrc_txbuf_init(struct mrc_txbuf *tb, u32 packets, u32 hdr_len, u32 payload)
{
	u32 inlined = payload <= MRC_TXBUF_COPY || tb->copy ? payload : 0;
	u32 one = hdr_len + inlined + MRC_TRAILER_MAX;

	tb->skb = alloc_skb(MRC_ENCAP_HEADROOM + one, GFP_ATOMIC);
	if (!tb->skb)
		return -ENOMEM;
	skb_reserve(tb->skb, MRC_ENCAP_HEADROOM);
	tb->tail = tb->skb;
	if (packets == 1 && inlined)
		return 0;

	tb->size = packets * (one + (inlined ? 0 : MRC_TXBUF_COPY));
	tb->chunk = netdev_alloc_frag(tb->size);
	if (tb->chunk)
		return 0;
	kfree_skb(tb->skb);
	return -ENOMEM;
}

static void mrc_txbuf_account(struct sk_buff *skb, u32 len)
{
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

/* Bytes covered by a frag count in the skb that has the frag, too. */
static void mrc_txbuf_account_tail(struct mrc_txbuf *tb, u32 len)
{
	if (tb->tail != tb->skb)
		mrc_txbuf_account(tb->tail, len);
}

/* Add a frag that covers the bytes of the chunk that no frag covers yet. */
static void mrc_txbuf_flush(struct mrc_txbuf *tb)
{
	u32 len = tb->used - tb->pending;
	struct page *page;
	u8 *start;

	if (!len)
		return;
	start = tb->chunk + tb->pending;
	page = virt_to_head_page(start);
	get_page(page);
	skb_fill_page_desc(tb->tail, skb_shinfo(tb->tail)->nr_frags, page,
			   start - (u8 *)page_address(page), len);
	mrc_txbuf_account_tail(tb, len);
	tb->pending = tb->used;
}

static bool mrc_txbuf_fits(const struct mrc_txbuf *tb, u32 len)
{
	return skb_tailroom(tb->skb) >= len || tb->used + len <= tb->size;
}

/**
 * mrc_txbuf_put - append bytes to be written by the caller
 * @tb: buffer
 * @len: bytes
 *
 * Return: where to write them; contiguous.  NULL if the buffer is full.
 */
u8 *mrc_txbuf_put(struct mrc_txbuf *tb, u32 len)
{
	u8 *at;

	/* A nonlinear skb reports no tailroom. */
	if (skb_tailroom(tb->skb) >= len)
		return skb_put(tb->skb, len);
	if (!mrc_txbuf_fits(tb, len)) {
		tb->overflow = true;
		return NULL;
	}
	at = tb->chunk + tb->used;
	tb->used += len;
	mrc_txbuf_account(tb->skb, len);
	return at;
}

/**
 * mrc_txbuf_copy - append payload by value
 * @tb: buffer
 * @data: payload
 * @len: bytes
 *
 * Return: 0, or -ENOSPC if the packet must be sent in another way; stop then
 * and report no error.
 */
int mrc_txbuf_copy(struct mrc_txbuf *tb, const void *data, u32 len)
{
	u8 *to = mrc_txbuf_put(tb, len);

	if (!to)
		return -ENOSPC;
	memcpy(to, data, len);
	return 0;
}

/* Add the second skb; false if the device or memory does not permit it. */
static bool mrc_txbuf_chain(struct mrc_txbuf *tb)
{
	struct sk_buff *skb;

	if (!tb->chained || tb->tail != tb->skb)
		return false;
	skb = alloc_skb(0, GFP_ATOMIC);
	if (!skb)
		return false;
	skb_shinfo(tb->skb)->frag_list = skb;
	tb->skb->truesize += skb->truesize;
	tb->tail = skb;
	return true;
}

static void mrc_txbuf_unchain(struct mrc_txbuf *tb)
{
	skb_shinfo(tb->skb)->frag_list = NULL;
	/* What it holds is accounted for by the caller. */
	tb->skb->truesize -= tb->tail->truesize - tb->tail->len;
	kfree_skb(tb->tail);
	tb->tail = tb->skb;
}

/* Make room for the frag of one more page and of uncovered bytes before it. */
static bool mrc_txbuf_frag_room(struct mrc_txbuf *tb)
{
	u32 uncovered = tb->used != tb->pending;

	if (skb_shinfo(tb->tail)->nr_frags + uncovered + 1 <= MRC_TXBUF_FRAGS ||
	    mrc_txbuf_chain(tb))
		return true;
	tb->overflow = true;
	return false;
}

/**
 * mrc_txbuf_page - append payload by reference
 * @tb: buffer
 * @page: page that holds it
 * @offset: where it starts; the payload may run into the following pages of
 *	the same compound page
 * @len: bytes
 *
 * Short payload is copied nevertheless, and so are pages whose reference count
 * must not be raised: those of the slab, from users in the kernel.
 *
 * Return: 0, or -ENOSPC if the packet must be sent in another way; stop then
 * and report no error.
 */
int mrc_txbuf_page(struct mrc_txbuf *tb, struct page *page, u32 offset, u32 len)
{
	u32 n = skb_shinfo(tb->tail)->nr_frags;
	void *from;
	int ret;

	if (tb->copy || len <= MRC_TXBUF_COPY || !sendpage_ok(page)) {
		from = kmap_local_page(page);
		ret = mrc_txbuf_copy(tb, from + offset, len);
		kunmap_local(from);
		return ret;
	}
	if (tb->used == tb->pending && n &&
	    skb_can_coalesce(tb->tail, n, page, offset)) {
		skb_frag_size_add(&skb_shinfo(tb->tail)->frags[n - 1], len);
	} else if (mrc_txbuf_frag_room(tb)) {
		mrc_txbuf_flush(tb);
		get_page(page);
		skb_fill_page_desc_noacc(tb->tail,
					 skb_shinfo(tb->tail)->nr_frags, page,
					 offset, len);
	} else {
		return -ENOSPC;
	}
	mrc_txbuf_account(tb->skb, len);
	mrc_txbuf_account_tail(tb, len);
	return 0;
}

/**
 * mrc_txbuf_save - record the state before a packet
 * @tb: buffer
 * @save: state for mrc_txbuf_restore()
 */
void mrc_txbuf_save(const struct mrc_txbuf *tb, struct mrc_txbuf_save *save)
{
	save->tail = tb->tail;
	save->used = tb->used;
	save->pending = tb->pending;
	save->data_len = tb->skb->data_len;
	save->headlen = skb_headlen(tb->skb);
	save->tail_len = tb->tail->len;
	save->nr_frags = skb_shinfo(tb->tail)->nr_frags;
}

/**
 * mrc_txbuf_restore - remove a packet that did not fit
 * @tb: buffer that holds an earlier packet
 * @save: state before the packet
 */
void mrc_txbuf_restore(struct mrc_txbuf *tb, const struct mrc_txbuf_save *save)
{
	struct skb_shared_info *shinfo = skb_shinfo(save->tail);
	struct sk_buff *skb = tb->skb;

	if (tb->tail != save->tail)
		mrc_txbuf_unchain(tb);
	while (shinfo->nr_frags > save->nr_frags)
		put_page(skb_frag_page(&shinfo->frags[--shinfo->nr_frags]));
	if (tb->tail != skb)
		mrc_txbuf_account(tb->tail, save->tail_len - tb->tail->len);
	skb->truesize -= skb->data_len - save->data_len;
	skb->data_len = save->data_len;
	skb->len = save->headlen + save->data_len;
	skb_set_tail_pointer(skb, save->headlen);
	tb->used = save->used;
	tb->pending = save->pending;
	tb->overflow = false;
}

/**
 * mrc_txbuf_finish - complete a buffer
 * @tb: buffer
 * @seg: bytes of every packet but the last
 * @packets: how many were put
 *
 * Return: the skb.
 */
struct sk_buff *mrc_txbuf_finish(struct mrc_txbuf *tb, u32 seg, u32 packets)
{
	struct sk_buff *skb = tb->skb;
	struct skb_shared_info *shinfo = skb_shinfo(skb);

	if (tb->chunk) {
		mrc_txbuf_flush(tb);
		skb_free_frag(tb->chunk);
	}
	/* The application can write to the pages: a checksum may become wrong. */
	if (shinfo->nr_frags)
		shinfo->flags |= SKBFL_SHARED_FRAG;
	if (shinfo->frag_list)
		skb_shinfo(shinfo->frag_list)->flags |= SKBFL_SHARED_FRAG;
	if (packets > 1) {
		shinfo->gso_type = SKB_GSO_UDP_L4;
		shinfo->gso_size = seg;
		shinfo->gso_segs = packets;
	}
	return skb;
}

/**
 * mrc_txbuf_free - free an unfinished buffer
 * @tb: buffer
 */
void mrc_txbuf_free(struct mrc_txbuf *tb)
{
	if (tb->chunk)
		skb_free_frag(tb->chunk);
	kfree_skb(tb->skb);
}
