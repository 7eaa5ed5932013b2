// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pending READs and ATOMICs of a requester.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/requester.h"
#include "core/rd_pending.h"

/**
 * mrc_rd_pending_init() - initialise an empty table
 * @t: table
 *
 * Context: any.
 */
void mrc_rd_pending_init(struct mrc_rd_pending *t)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	/* As if the sequence numbers before the first one had been used. */
	for (i = 0; i < MRC_RD_ATOMIC_MAX; i++)
		t->slot[i].sn = i - MRC_RD_ATOMIC_MAX;
}

/**
 * mrc_rd_pending_add() - a READ or ATOMIC request is about to be sent
 * @t: table
 * @bp: its packet; a retransmission changes nothing
 *
 * Context: any, the caller serialises.
 */
void mrc_rd_pending_add(struct mrc_rd_pending *t,
			const struct mrc_burst_pkt *bp)
{
	struct mrc_rd_pending_entry *e =
		&t->slot[bp->hdr.rqmsn % MRC_RD_ATOMIC_MAX];

	/* A retransmission, because the acknowledgment was lost. */
	if ((s16)(bp->hdr.rqmsn - e->sn) <= 0)
		return;
	e->sn = bp->hdr.rqmsn;
	e->cookie = bp->cookie;
	e->length = bp->hdr.dmalen;
	e->bytes_left = e->length;
	e->atomic = mrc_opcode_get(bp->hdr.opcode)->flags & MRC_OPF_ATOMIC;
	e->open = true;
}

/**
 * mrc_rd_pending_pop() - take a request whose response is complete
 * @t: table
 * @sn: its sequence number, for mrc_req_on_response()
 *
 * Context: any, the caller serialises.
 * Return: false if there is none (yet).
 */
bool mrc_rd_pending_pop(struct mrc_rd_pending *t, u16 *sn)
{
	u32 i;

	if (!t->done)
		return false;
	i = __ffs64(t->done);
	t->done &= ~BIT_ULL(i);
	*sn = t->slot[i].sn;
	return true;
}

/**
 * mrc_rd_pending_close() - reject all further response packets
 * @t: table
 *
 * To be called before work requests end for another reason: then their memory
 * belongs to the application again.
 *
 * Context: any, the caller serialises.
 */
void mrc_rd_pending_close(struct mrc_rd_pending *t)
{
	t->closed = true;
}
