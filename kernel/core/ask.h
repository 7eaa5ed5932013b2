/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests for a result, READ and ATOMIC, in the responder: from the packet to
 * their turn.
 *
 * Extension: not part of MRC 1.0.  A request is one packet, acknowledged like any
 * other.  Its result is a message of the reverse direction, which the shell posts
 * to its own requester: it gets PSNs there and is sprayed, repaired and
 * congestion-controlled like anything else.  What makes an ATOMIC happen once is
 * that the packet which asks for it is accepted once.
 */
#ifndef MRC_CORE_ASK_H
#define MRC_CORE_ASK_H

#include <linux/types.h>

/*
 * READs and ATOMICs in flight in one direction; more than one number of the
 * sequence would share a slot.  As many as common adapters allow.
 */
#define MRC_ASK_MAX 16

struct mrc_msg;
struct mrc_msg_desc;
struct mrc_pkt;
struct mrc_rsp;

/**
 * struct mrc_ask - a READ or ATOMIC request
 * @va: address that it names
 * @swap: ATOMIC: what to store or to add
 * @compare: CmpSwap: what to compare with
 * @rkey: R_Key
 * @length: bytes, of READs; 8 for ATOMICs
 * @psn: of its packet
 * @rpsn: first PSN that the peer expects
 * @n: its number, which the result repeats
 * @opcode: enum mrc_opcode
 * @used: the slot holds a request
 */
struct mrc_ask {
	u64 va;
	u64 swap;
	u64 compare;
	u32 rkey;
	u32 length;
	u32 psn;
	u32 rpsn;
	u16 n;
	u8 opcode;
	bool used;
};

bool mrc_ask_fits(const struct mrc_rsp *rsp, const struct mrc_pkt *pkt);
void mrc_ask_stash(struct mrc_rsp *rsp, const struct mrc_pkt *pkt);
bool mrc_rsp_pop_ask(struct mrc_rsp *rsp, struct mrc_ask *ask);
void mrc_ask_result(const struct mrc_ask *ask, u64 orig,
		    struct mrc_msg_desc *d);
u8 mrc_ask_opcode(const struct mrc_msg *m, u32 i);

#endif /* MRC_CORE_ASK_H */
