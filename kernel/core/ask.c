// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests for a result in the responder: packets come in any order, requests
 * are carried out in that of their posting, after all that was posted before.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/ask.h"
#include "core/psn.h"
#include "core/requester.h"
#include "core/responder.h"

static struct mrc_ask *ask_of(struct mrc_rsp *rsp, u16 n)
{
	return &rsp->asks[n % MRC_ASK_MAX];
}

/*
 * Could there be such memory?  An ATOMIC is aligned (IBTA 9.4.5); a READ of no
 * bytes names none, and the last byte of one may be that of the address space.
 */
static bool names_memory(const struct mrc_pkt *pkt)
{
	if (pkt->op->flags & MRC_OPF_ATOMIC)
		return IS_ALIGNED(pkt->va, sizeof(u64));
	return pkt->dmalen <= MRC_MSG_MAX &&
	       (!pkt->dmalen || pkt->va + (pkt->dmalen - 1) >= pkt->va);
}

/**
 * mrc_ask_fits() - may there be such a request?
 * @rsp: responder
 * @pkt: new packet with MRC_OPF_ASKS
 *
 * Context: any, the owner serialises.
 * Return: false if more are in flight than were agreed on (IBTA 9.4.4), the
 *	number has been used before, or no memory could be meant.
 */
bool mrc_ask_fits(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	return names_memory(pkt) &&
	       (u16)(pkt->rqmsn - rsp->next_ask) < rsp->cfg.max_asks &&
	       !rsp->asks[pkt->rqmsn % MRC_ASK_MAX].used;
}

/**
 * mrc_ask_stash() - keep a request until its turn
 * @rsp: responder
 * @pkt: its packet, which mrc_ask_fits()
 *
 * Context: any, the owner serialises.
 */
void mrc_ask_stash(struct mrc_rsp *rsp, const struct mrc_pkt *pkt)
{
	struct mrc_ask *ask = ask_of(rsp, pkt->rqmsn);

	ask->used = true;
	ask->psn = pkt->psn;
	ask->rpsn = pkt->rpsn;
	ask->n = pkt->rqmsn;
	ask->opcode = pkt->op->code;
	ask->va = pkt->va;
	ask->rkey = pkt->rkey;
	ask->length = pkt->dmalen;
	if (!(pkt->op->flags & MRC_OPF_ATOMIC))
		return;
	ask->swap = pkt->swap;
	ask->compare = pkt->compare;
}

/**
 * mrc_rsp_pop_ask() - take the next request that is to be carried out
 * @rsp: responder
 * @ask: the request
 *
 * In the order of posting by the peer, and only when all that was posted before
 * it has arrived.  Each is returned once, however often its packet came.  An
 * owner that has no room for the result leaves the request here.  Once one has been
 * refused there are no more.
 *
 * Context: any, the owner serialises.
 * Return: false if there is none (yet).
 */
bool mrc_rsp_pop_ask(struct mrc_rsp *rsp, struct mrc_ask *ask)
{
	struct mrc_ask *next = ask_of(rsp, rsp->next_ask);

	if (!next->used || mrc_psn_diff(rsp->cack, next->psn) < 0 ||
	    mrc_rsp_dead(rsp))
		return false;
	*ask = *next;
	memset(next, 0, sizeof(*next));
	rsp->next_ask++;
	return true;
}

/**
 * mrc_ask_result() - describe the message that answers a request
 * @ask: request that has been carried out
 * @orig: ATOMIC: value before the operation
 * @d: description for mrc_req_post(); the caller adds the cookie
 *
 * The payload of a READ is what @raddr and @rkey of @d name.
 */
void mrc_ask_result(const struct mrc_ask *ask, u64 orig,
		    struct mrc_msg_desc *d)
{
	memset(d, 0, sizeof(*d));
	d->ask = ask->n;
	d->psn = ask->psn;
	if (ask->opcode != MRC_OP_READ_REQUEST) {
		d->flags = MRC_MSG_RESULT | MRC_MSG_ATOMIC;
		d->length = sizeof(u64);
		d->orig = orig;
		return;
	}
	d->flags = MRC_MSG_RESULT | MRC_MSG_READ;
	d->length = ask->length;
	d->raddr = ask->va;
	d->rkey = ask->rkey;
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
 * mrc_ask_opcode() - opcode of what asks for a result, or is one
 * @m: message
 * @i: packet within it
 *
 * Return: enum mrc_opcode.
 */
u8 mrc_ask_opcode(const struct mrc_msg *m, u32 i)
{
	bool result = m->d.flags & MRC_MSG_RESULT;

	if (m->d.flags & MRC_MSG_READ)
		return result ? read_rsp_opcode(m, i) : MRC_OP_READ_REQUEST;
	if (result)
		return MRC_OP_ATOMIC_ACK;
	return m->d.flags & MRC_MSG_CMP_SWAP ? MRC_OP_CMP_SWAP :
					       MRC_OP_FETCH_ADD;
}
