// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scatter/gather lists: the memory of a work request.
 *
 * Keys are looked up for each packet: a region may be deregistered while a work
 * request that refers to it is in progress.
 */
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "net/rxbuf.h"
#include "net/txbuf.h"
#include "verbs/region.h"
#include "verbs/sge.h"

/**
 * mrc_sge_gather_key() - add bytes of one region to a buffer, as references to its
 *	pages; bytes of a dma-buf are copied
 * @qp: queue pair
 * @key: lkey or rkey
 * @access: enum ib_access_flags that must be granted
 * @addr: first byte
 * @len: bytes
 * @tb: buffer being built
 *
 * Context: RCU read side, BH off.
 * Return: MRC_OK, or MRC_ERR_LOC_PROT if no region grants it.
 */
enum mrc_status mrc_sge_gather_key(const struct mrc_qp *qp, u32 key, int access,
				   u64 addr, u32 len, struct mrc_txbuf *tb)
{
	const struct mrc_region *region;
	struct page *page;
	u32 at, run;

	region = mrc_region_get(qp, key, access, addr, len, &tb->hint);
	if (!region)
		return MRC_ERR_LOC_PROT;

	/* A full @tb is no error here: the caller builds the packet differently. */
	if (unlikely(region->base)) {
		mrc_txbuf_copy(tb, mrc_region_mapped(region, addr), len);
		len = 0;
	}
	for (; len; addr += run, len -= run) {
		run = mrc_region_run(region, addr, len, &page, &at);
		if (mrc_txbuf_page(tb, page, at, run))
			break;
	}
	mrc_region_put(region);
	return MRC_OK;
}

/* The element that contains byte @pos of a list; makes @pos relative to it. */
static const struct mrc_sge *mrc_sge_seek(const struct mrc_sge *sge, u32 *pos)
{
	while (*pos >= sge->length)
		*pos -= (sge++)->length;
	return sge;
}

/**
 * mrc_sge_gather() - add bytes of a list to a buffer, as mrc_sge_gather_key() does
 * @qp: queue pair
 * @sge: list that has at least @pos + @len bytes
 * @pos: first byte within the list
 * @len: bytes
 * @tb: buffer being built
 *
 * Context: RCU read side, BH off.
 * Return: MRC_OK, or MRC_ERR_LOC_PROT if no region grants the access.
 */
enum mrc_status mrc_sge_gather(const struct mrc_qp *qp,
			       const struct mrc_sge *sge, u32 pos, u32 len,
			       struct mrc_txbuf *tb)
{
	enum mrc_status status = MRC_OK;
	u32 part;

	if (!len)
		return MRC_OK;
	for (sge = mrc_sge_seek(sge, &pos); len && !status; sge++, pos = 0) {
		part = min(len, sge->length - pos);
		if (!part)
			continue;
		status = mrc_sge_gather_key(qp, sge->lkey, 0, sge->addr + pos,
					    part, tb);
		len -= part;
	}
	return status;
}

/* Copies @len bytes to the memory of one element. */
static enum mrc_place mrc_sge_fill(const struct mrc_qp *qp, u32 lkey, u64 addr,
				   struct mrc_rxbuf *rb, u32 offset, u32 len)
{
	const struct mrc_region *region;
	int err;

	region = mrc_region_get(qp, lkey, IB_ACCESS_LOCAL_WRITE, addr, len,
				&rb->hint);
	if (!region)
		return MRC_PLACE_OP;
	err = mrc_region_write(region, addr, rb, offset, len);
	mrc_region_put(region);
	return err ? MRC_PLACE_INVALID : MRC_PLACE_OK;
}

/**
 * mrc_sge_scatter() - copy payload to the memory of a list
 * @qp: queue pair
 * @sge: list that has at least @pos + @len bytes
 * @pos: first byte within the list
 * @rb: buffer that holds the payload
 * @offset: first byte within @rb
 * @len: bytes
 *
 * Context: RCU read side, BH off.
 * Return: MRC_PLACE_OK, MRC_PLACE_OP if no region grants the access, or
 * MRC_PLACE_INVALID if @rb is too short.
 */
enum mrc_place mrc_sge_scatter(const struct mrc_qp *qp,
			       const struct mrc_sge *sge, u32 pos,
			       struct mrc_rxbuf *rb, u32 offset, u32 len)
{
	enum mrc_place place = MRC_PLACE_OK;
	u32 part;

	if (!len)
		return MRC_PLACE_OK;
	for (sge = mrc_sge_seek(sge, &pos); len && place == MRC_PLACE_OK;
	     sge++, pos = 0) {
		part = min(len, sge->length - pos);
		if (!part)
			continue;
		place = mrc_sge_fill(qp, sge->lkey, sge->addr + pos, rb, offset,
				     part);
		offset += part;
		len -= part;
	}
	return place;
}
