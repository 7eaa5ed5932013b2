/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Results of READs and ATOMICs that a requester waits for.
 *
 * They arrive as data packets, that is, at the responder of the same QP, while
 * the work requests that they belong to are the requester's.  This table stands
 * between the two: the requester's side enters what it asks for, the responder's
 * side looks up where packets belong, and tells what is complete.  It belongs to
 * neither, so an owner with a lock for each needs one more for this.
 */
#ifndef MRC_CORE_RESULT_H
#define MRC_CORE_RESULT_H

#include <linux/types.h>
#include "core/ask.h"

struct mrc_burst_pkt;

/**
 * struct mrc_result - a result that is waited for
 * @cookie: of the message that asked
 * @left: bytes still to come
 * @length: bytes in all
 * @n: number of the request
 * @open: packets are accepted
 * @atomic: it is that of an ATOMIC, otherwise of a READ
 */
struct mrc_result {
	u32 cookie;
	u32 left;
	u32 length;
	u16 n;
	bool open;
	bool atomic;
};

/**
 * struct mrc_results - all results that a QP waits for
 * @slot: index: number of the request modulo MRC_ASK_MAX
 * @done: bit per slot: complete, but the requester has not been told
 * @closed: nothing is accepted any more
 */
struct mrc_results {
	struct mrc_result slot[MRC_ASK_MAX];
	u32 done;
	bool closed;
};

void mrc_results_init(struct mrc_results *r);
void mrc_results_expect(struct mrc_results *r, const struct mrc_burst_pkt *bp);
const struct mrc_result *mrc_results_find(const struct mrc_results *r,
					  const struct mrc_pkt *pkt);
void mrc_results_placed(struct mrc_results *r, const struct mrc_pkt *pkt);
bool mrc_results_pop(struct mrc_results *r, u16 *n);
void mrc_results_close(struct mrc_results *r);

#endif /* MRC_CORE_RESULT_H */
