// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Results of READs and ATOMICs that a requester waits for.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/requester.h"
#include "core/result.h"

/**
 * mrc_results_init() - nothing is waited for
 * @r: table
 */
void mrc_results_init(struct mrc_results *r)
{
	u32 i;

	memset(r, 0, sizeof(*r));
	/* As if the numbers before the first one had been used. */
	for (i = 0; i < MRC_ASK_MAX; i++)
		r->slot[i].n = i - MRC_ASK_MAX;
}

/**
 * mrc_results_expect() - a packet that asks for a result is about to leave
 * @r: table
 * @bp: the packet; changes nothing if it has left before
 *
 * Context: any, the owner serialises.
 */
void mrc_results_expect(struct mrc_results *r, const struct mrc_burst_pkt *bp)
{
	struct mrc_result *res = &r->slot[bp->hdr.rqmsn % MRC_ASK_MAX];

	/* Asked again, for its acknowledgment was lost. */
	if ((s16)(bp->hdr.rqmsn - res->n) <= 0)
		return;
	res->n = bp->hdr.rqmsn;
	res->cookie = bp->cookie;
	res->length = bp->hdr.dmalen;
	res->left = res->length;
	res->atomic = mrc_opcode_get(bp->hdr.opcode)->flags & MRC_OPF_ATOMIC;
	res->open = true;
}

/**
 * mrc_results_find() - which result does a packet belong to?
 * @r: table
 * @pkt: new packet with MRC_OPF_RSP
 *
 * Context: any, the owner serialises.
 * Return: the result, or NULL if nobody asked for this.
 */
const struct mrc_result *mrc_results_find(const struct mrc_results *r,
					  const struct mrc_pkt *pkt)
{
	const struct mrc_result *res = &r->slot[pkt->rqmsn % MRC_ASK_MAX];
	bool atomic = pkt->op->flags & MRC_OPF_ATOMIC;

	if (r->closed || !res->open || res->n != pkt->rqmsn ||
	    res->atomic != atomic || res->length != pkt->dmalen ||
	    res->left < pkt->payload_len)
		return NULL;
	return res;
}

/**
 * mrc_results_placed() - a packet of a result is in place
 * @r: table
 * @pkt: packet that mrc_results_find() has just found the result of
 *
 * Context: any, the owner serialises.
 */
void mrc_results_placed(struct mrc_results *r, const struct mrc_pkt *pkt)
{
	struct mrc_result *res = &r->slot[pkt->rqmsn % MRC_ASK_MAX];

	res->left -= res->atomic ? res->left : pkt->payload_len;
	if (res->left)
		return;
	res->open = false;
	r->done |= BIT(pkt->rqmsn % MRC_ASK_MAX);
}

/**
 * mrc_results_pop() - take a result that is complete
 * @r: table
 * @n: number of the request, for mrc_req_on_result()
 *
 * Context: any, the owner serialises.
 * Return: false if there is none (yet).
 */
bool mrc_results_pop(struct mrc_results *r, u16 *n)
{
	u32 i;

	if (!r->done)
		return false;
	i = __ffs(r->done);
	r->done &= ~BIT(i);
	*n = r->slot[i].n;
	return true;
}

/**
 * mrc_results_close() - accept nothing any more
 * @r: table
 *
 * Before work requests end for another reason: their memory is no longer ours
 * then.
 *
 * Context: any, the owner serialises.
 */
void mrc_results_close(struct mrc_results *r)
{
	r->closed = true;
}
