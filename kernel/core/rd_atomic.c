// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READ and ATOMIC requests in the responder: packets arrive in any order,
 * requests are executed in the order of posting, after everything posted before
 * them.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "core/rd_atomic.h"
#include "core/requester.h"
#include "core/responder_internal.h"

/**
 * mrc_rd_atomic_slots() - entries of a ring of requests that a peer may have in flight
 * @max: responder resources
 *
 * Context: any.
 * Return: power of two, or 0 for none.
 */
u32 mrc_rd_atomic_slots(u32 max)
{
	return max ? roundup_pow_of_two(max) : 0;
}

static struct mrc_rd_atomic *slot_of(const struct mrc_rsp *rsp, u16 sn)
{
	return &rsp->rd_atomic[sn & rsp->rd_atomic_mask];
}

/*
 * Can the address range exist?  An ATOMIC is aligned (IBTA 9.4.5); a READ of 0
 * bytes has no range, and the last byte may be that of the address space.
 */
static bool names_memory(const struct mrc_pkt *pkt)
{
	if (pkt->op->flags & MRC_OPF_ATOMIC)
		return IS_ALIGNED(pkt->va, sizeof(u64));
	return pkt->dmalen <= MRC_MSG_MAX &&
	       (!pkt->dmalen || pkt->va + (pkt->dmalen - 1) >= pkt->va);
}

/**
 * mrc_rd_atomic_valid() - is a READ or ATOMIC request valid?
 * @rsp: responder
 * @pkt: new packet with MRC_OPF_RD_ATOMIC
 *
 * Context: any, the caller serialises.
 * Return: false if it exceeds the responder resources (IBTA 9.4.4), its
 *	sequence number has been used before, or its address range cannot exist.
 */
bool mrc_rd_atomic_valid(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	u16 ahead = pkt->rqmsn - rsp->next_rd_atomic;

	return names_memory(pkt) && ahead < rsp->cfg.max_dest_rd_atomic &&
	       !slot_of(rsp, pkt->rqmsn)->used;
}

/**
 * mrc_rd_atomic_store() - store a request until it is executed
 * @rsp: responder
 * @pkt: its packet, which mrc_rd_atomic_valid() has accepted
 *
 * Context: any, the caller serialises.
 */
void mrc_rd_atomic_store(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	struct mrc_rd_atomic *req = slot_of(rsp, pkt->rqmsn);

	req->used = true;
	req->psn = pkt->psn;
	req->rpsn = pkt->rpsn;
	req->sn = pkt->rqmsn;
	req->opcode = pkt->op->code;
	req->va = pkt->va;
	req->rkey = pkt->rkey;
	req->length = pkt->dmalen;
	if (!(pkt->op->flags & MRC_OPF_ATOMIC))
		return;
	req->swap = pkt->swap;
	req->compare = pkt->compare;
}

/**
 * mrc_rsp_pop_rd_atomic() - take the next request to be executed
 * @rsp: responder
 * @req: the request
 *
 * In the order of posting by the peer, and only when everything posted before
 * it has arrived.  Each request is returned once, however often its packet
 * arrived.  A caller without space for the response does not call this yet.
 * There are no more once the responder has failed.
 *
 * Context: any, the caller serialises.
 * Return: false if there is none (yet).
 */
bool mrc_rsp_pop_rd_atomic(struct mrc_rsp *rsp, struct mrc_rd_atomic *req)
{
	struct mrc_rd_atomic *next;

	if (!rsp->cfg.max_dest_rd_atomic)
		return false;
	next = slot_of(rsp, rsp->next_rd_atomic);
	if (!next->used || mrc_psn_diff(rsp->cack, next->psn) < 0 ||
	    mrc_rsp_failed(rsp))
		return false;
	*req = *next;
	memset(next, 0, sizeof(*next));
	rsp->next_rd_atomic++;
	return true;
}

/**
 * mrc_rd_atomic_response() - describe the response to a request
 * @req: request that has been executed
 * @orig: ATOMIC: value before the operation
 * @d: description for mrc_req_post(); the caller adds the cookie
 *
 * The payload of a READ response is at @raddr and @rkey of @d.
 *
 * Context: any.
 */
void mrc_rd_atomic_response(const struct mrc_rd_atomic *req, u64 orig,
			    struct mrc_msg_desc *d)
{
	memset(d, 0, sizeof(*d));
	d->rda_sn = req->sn;
	d->psn = req->psn;
	if (req->opcode != MRC_OP_READ_REQUEST) {
		d->flags = MRC_MSG_RESPONSE | MRC_MSG_ATOMIC;
		d->length = sizeof(u64);
		d->orig = orig;
		return;
	}
	d->flags = MRC_MSG_RESPONSE | MRC_MSG_READ;
	d->length = req->length;
	d->raddr = req->va;
	d->rkey = req->rkey;
}

static u8 read_rsp_opcode(const struct mrc_msg *m, u32 i)
{
	if (m->npkts == 1)
		return MRC_OP_READ_RSP_ONLY;
	if (!i)
		return MRC_OP_READ_RSP_FIRST;
	return i < m->npkts - 1 ? MRC_OP_READ_RSP_MIDDLE : MRC_OP_READ_RSP_LAST;
}

/**
 * mrc_rd_atomic_opcode() - opcode of a READ or ATOMIC request or response
 * @m: message
 * @i: packet within it
 *
 * Context: any.
 * Return: enum mrc_opcode.
 */
u8 mrc_rd_atomic_opcode(const struct mrc_msg *m, u32 i)
{
	bool response = m->d.flags & MRC_MSG_RESPONSE;

	if (m->d.flags & MRC_MSG_READ)
		return response ? read_rsp_opcode(m, i) : MRC_OP_READ_REQUEST;
	if (response)
		return MRC_OP_ATOMIC_ACK;
	return m->d.flags & MRC_MSG_CMP_SWAP ? MRC_OP_CMP_SWAP :
					       MRC_OP_FETCH_ADD;
}
