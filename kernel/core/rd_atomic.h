/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * READ and ATOMIC requests in the responder, from arrival to execution.
 *
 * Extension: not part of MRC 1.0.  A request is one packet, acknowledged like
 * any other.  Its response is a message of the reverse direction, which the net
 * layer posts to its own requester: there it gets PSNs and is sprayed,
 * retransmitted and congestion-controlled like any message.  An ATOMIC is
 * executed once because its request packet is accepted once.
 */
#ifndef MRC_CORE_RD_ATOMIC_H
#define MRC_CORE_RD_ATOMIC_H

#include <linux/types.h>

/*
 * Responder resources: READs and ATOMICs in flight in one direction, at most.  So many
 * READs of 64 KiB keep 100 Gb/s busy for the 300 us that software hosts may take to respond.
 */
#define MRC_RD_ATOMIC_MAX 64

struct mrc_msg;
struct mrc_msg_desc;
struct mrc_pkt;
struct mrc_rsp;

/**
 * struct mrc_rd_atomic - a READ or ATOMIC request
 * @va: remote address of the request
 * @swap: ATOMIC: operand to be stored or added
 * @compare: CmpSwap: operand of the comparison
 * @rkey: R_Key
 * @length: bytes, of READs; 8 for ATOMICs
 * @psn: of its packet
 * @rpsn: first PSN that the peer expects of this side
 * @sn: its sequence number, which the response repeats
 * @opcode: enum mrc_opcode
 * @used: the slot is occupied
 */
struct mrc_rd_atomic {
	u64 va;
	u64 swap;
	u64 compare;
	u32 rkey;
	u32 length;
	u32 psn;
	u32 rpsn;
	u16 sn;
	u8 opcode;
	bool used;
};

u32 mrc_rd_atomic_slots(u32 max);
bool mrc_rsp_pop_rd_atomic(struct mrc_rsp *rsp, struct mrc_rd_atomic *req);
void mrc_rd_atomic_response(const struct mrc_rd_atomic *req, u64 orig,
			    struct mrc_msg_desc *d);
u8 mrc_rd_atomic_opcode(const struct mrc_msg *m, u32 i);

#endif /* MRC_CORE_RD_ATOMIC_H */
