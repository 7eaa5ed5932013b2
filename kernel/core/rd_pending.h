/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pending READs and ATOMICs: requests of a requester whose response is
 * incomplete.
 *
 * Responses arrive as data packets, that is, at the responder of the same QP,
 * while the work requests are those of the requester.  This table connects the
 * two: the requester adds the requests that it sends, the responder finds where
 * the payload of response packets belongs and records which responses are
 * complete.  It is part of neither, so a caller with one lock for each needs
 * another one for this table.
 */
#ifndef MRC_CORE_RD_PENDING_H
#define MRC_CORE_RD_PENDING_H

#include <linux/bits.h>
#include <linux/types.h>
#include "core/opcode.h"
#include "core/packet.h"
#include "core/rd_atomic.h"

struct mrc_burst_pkt;

/**
 * struct mrc_rd_pending_entry - a READ or ATOMIC whose response is incomplete
 * @cookie: of the message that is the request
 * @bytes_left: bytes of the response still to be placed
 * @length: bytes of the response
 * @sn: sequence number of the request
 * @open: response packets are accepted
 * @atomic: ATOMIC, otherwise READ
 */
struct mrc_rd_pending_entry {
	u32 cookie;
	u32 bytes_left;
	u32 length;
	u16 sn;
	bool open;
	bool atomic;
};

/**
 * struct mrc_rd_pending - pending READs and ATOMICs of a QP
 * @slot: index: sequence number of the request modulo MRC_RD_ATOMIC_MAX
 * @done: bit per slot: complete, to be returned by mrc_rd_pending_pop()
 * @closed: response packets are rejected
 */
struct mrc_rd_pending {
	struct mrc_rd_pending_entry slot[MRC_RD_ATOMIC_MAX];
	u64 done;
	bool closed;
};

void mrc_rd_pending_init(struct mrc_rd_pending *t);
void mrc_rd_pending_add(struct mrc_rd_pending *t,
			const struct mrc_burst_pkt *bp);
bool mrc_rd_pending_pop(struct mrc_rd_pending *t, u16 *sn);
void mrc_rd_pending_close(struct mrc_rd_pending *t);

/**
 * mrc_rd_pending_find() - find the request of a response packet
 * @t: table
 * @pkt: new packet with MRC_OPF_RSP
 *
 * Context: any, the caller serialises.
 * Return: the pending request, or NULL if the packet belongs to none.
 */
static inline const struct mrc_rd_pending_entry *
mrc_rd_pending_find(const struct mrc_rd_pending *t, const struct mrc_pkt *pkt)
{
	const struct mrc_rd_pending_entry *e =
		&t->slot[pkt->rqmsn % MRC_RD_ATOMIC_MAX];
	bool atomic = pkt->op->flags & MRC_OPF_ATOMIC;

	if (t->closed || !e->open || e->sn != pkt->rqmsn ||
	    e->atomic != atomic || e->length != pkt->dmalen ||
	    e->bytes_left < pkt->payload_len)
		return NULL;
	return e;
}

/**
 * mrc_rd_pending_placed() - the payload of a response packet has been placed
 * @t: table
 * @pkt: packet whose request mrc_rd_pending_find() has just found
 *
 * Context: any, the caller serialises.
 */
static inline void mrc_rd_pending_placed(struct mrc_rd_pending *t, const struct mrc_pkt *pkt)
{
	struct mrc_rd_pending_entry *e =
		&t->slot[pkt->rqmsn % MRC_RD_ATOMIC_MAX];

	e->bytes_left -= e->atomic ? e->bytes_left : pkt->payload_len;
	if (e->bytes_left)
		return;
	e->open = false;
	t->done |= BIT_ULL(pkt->rqmsn % MRC_RD_ATOMIC_MAX);
}

#endif /* MRC_CORE_RD_PENDING_H */
