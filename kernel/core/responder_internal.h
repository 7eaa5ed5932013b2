/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between the parts of the responder.  Calls lead down this list only:
 *
 *	responder.c	packets in, messages out
 *	sack.c		acknowledgments out
 *	rd_atomic.c	READ and ATOMIC requests between arrival and execution
 */
#ifndef MRC_CORE_RESPONDER_INTERNAL_H
#define MRC_CORE_RESPONDER_INTERNAL_H

#include "core/psn.h"
#include "core/psnmap.h"
#include "core/responder.h"

/* sack.c */
void mrc_rsp_trigger_sack(struct mrc_rsp *rsp, const struct mrc_pkt *pkt,
			  u32 ev, bool ce);
void mrc_rsp_update_due(struct mrc_rsp *rsp, const struct mrc_pkt *pkt, u32 ev,
			bool ce);

/* rd_atomic.c */
bool mrc_rd_atomic_valid(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt);
void mrc_rd_atomic_store(struct mrc_rsp *rsp, const struct mrc_pkt *pkt);

#endif /* MRC_CORE_RESPONDER_INTERNAL_H */
