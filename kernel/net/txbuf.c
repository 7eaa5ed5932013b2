// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Laying out a burst: [headers payload trailer][headers payload trailer]...
 *
 * The first headers stand in the linear part of the skb.  Later ones, with the
 * trailer before them, stand in one chunk of memory per burst and take one frag
 * each; payload pages take the frags between.  So 8 packets of one page each
 * need 16 of the 17 frags that an skb has; what goes beyond stands in a second
 * skb on the frag list of the first, where the device takes that.  Passing a
 * buffer through the stack costs the same whatever it holds.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include "core/wire.h"
#include "net/conn.h"
#include "net/encap.h"
#include "net/txbuf.h"

/* Padding and ICRC. */
#define MRC_TRAILER_MAX (3 + MRC_ICRC_LEN)

/* The last frag is kept free for the trailer of the last packet. */
#define MRC_TXBUF_FRAGS (MAX_SKB_FRAGS - 1)

/**
 * mrc_txbuf_init - begin a buffer
 * @tb: buffer, cleared but for what the caller chooses
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

/* Cover the chunk's loose bytes with a frag; it is the next in the skb. */
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

/* Begin the skb that continues the first; false if there cannot be one. */
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

/* Room for one more page behind the loose bytes. */
static bool mrc_txbuf_frag_room(struct mrc_txbuf *tb)
{
	u32 loose = tb->used != tb->pending;

	if (skb_shinfo(tb->tail)->nr_frags + loose + 1 <= MRC_TXBUF_FRAGS ||
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
 * Short payload is copied all the same, and so are pages that take no reference
 * of their own: those of the slab, from users in the kernel.
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
 * mrc_txbuf_save - remember where a packet begins
 * @tb: buffer
 * @mark: what mrc_txbuf_restore() needs
 */
void mrc_txbuf_save(const struct mrc_txbuf *tb, struct mrc_txbuf_save *mark)
{
	mark->tail = tb->tail;
	mark->used = tb->used;
	mark->pending = tb->pending;
	mark->data_len = tb->skb->data_len;
	mark->headlen = skb_headlen(tb->skb);
	mark->tail_len = tb->tail->len;
	mark->nr_frags = skb_shinfo(tb->tail)->nr_frags;
}

/**
 * mrc_txbuf_restore - take a packet back that did not fit
 * @tb: buffer that holds an earlier packet
 * @mark: where the packet begins
 */
void mrc_txbuf_restore(struct mrc_txbuf *tb, const struct mrc_txbuf_save *mark)
{
	struct skb_shared_info *shinfo = skb_shinfo(mark->tail);
	struct sk_buff *skb = tb->skb;

	if (tb->tail != mark->tail)
		mrc_txbuf_unchain(tb);
	while (shinfo->nr_frags > mark->nr_frags)
		put_page(skb_frag_page(&shinfo->frags[--shinfo->nr_frags]));
	if (tb->tail != skb)
		mrc_txbuf_account(tb->tail, mark->tail_len - tb->tail->len);
	skb->truesize -= skb->data_len - mark->data_len;
	skb->data_len = mark->data_len;
	skb->len = mark->headlen + mark->data_len;
	skb_set_tail_pointer(skb, mark->headlen);
	tb->used = mark->used;
	tb->pending = mark->pending;
	tb->overflow = false;
}

/**
 * mrc_txbuf_finish - the buffer is complete
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
	/* The application can change the pages: nobody may trust a checksum. */
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
 * mrc_txbuf_free - give an unfinished buffer up
 * @tb: buffer
 */
void mrc_txbuf_free(struct mrc_txbuf *tb)
{
	if (tb->chunk)
		skb_free_frag(tb->chunk);
	kfree_skb(tb->skb);
}
