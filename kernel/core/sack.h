/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between the halves of the responder: acceptance (responder.c) and answers
 * (sack.c).
 */
#ifndef MRC_CORE_SACK_H
#define MRC_CORE_SACK_H

#include "core/responder.h"

void mrc_rsp_trigger_sack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt,
			  u32 ev, bool ce);
void mrc_rsp_count(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
		   bool ce);

#endif /* MRC_CORE_SACK_H */
