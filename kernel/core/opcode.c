// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opcode table.
 */
#include <linux/kernel.h>

#include "core/opcode.h"

#define HDR_DATA	(sizeof(struct mrc_bth) + sizeof(struct mrc_meth))
#define HDR_RETH	(HDR_DATA + sizeof(struct mrc_reth))
#define HDR_IMM		(HDR_RETH + sizeof(struct mrc_immdt))
#define HDR_INV		(HDR_RETH + sizeof(struct mrc_ieth))
#define HDR_READ	(HDR_RETH + sizeof(struct mrc_rpsneth))
#define HDR_ATOMIC	(HDR_DATA + sizeof(struct mrc_atomiceth) + \
			 sizeof(struct mrc_rpsneth))
#define HDR_ATOMIC_ACK	(HDR_DATA + sizeof(struct mrc_atomicacketh))

#define F_SEND	(MRC_OPF_DATA | MRC_OPF_SEND | MRC_OPF_RETH | \
		 MRC_OPF_PAYLOAD | MRC_OPF_RQ | MRC_OPF_OFFSET)
#define F_WRITE	(MRC_OPF_DATA | MRC_OPF_WRITE | MRC_OPF_RETH | \
		 MRC_OPF_PAYLOAD)
#define F_READ	(MRC_OPF_DATA | MRC_OPF_READ | MRC_OPF_RETH)
#define F_RSP	(F_READ | MRC_OPF_RSP | MRC_OPF_PAYLOAD | MRC_OPF_OFFSET)
#define F_ATOM	(MRC_OPF_DATA | MRC_OPF_ATOMIC | MRC_OPF_ONLY)
#define F_RD_ATOMIC	MRC_OPF_RD_ATOMIC
#define F_FIRST	MRC_OPF_FIRST
#define F_LAST	MRC_OPF_LAST
#define F_ONLY	MRC_OPF_ONLY
#define F_IMM	MRC_OPF_IMM
#define F_INV	MRC_OPF_INV
/* A WRITE consumes a receive WQE only if it carries an immediate. */
#define F_WIMM	(F_WRITE | F_IMM | MRC_OPF_RQ)

#define OP(_op, _name, _hdr_len, _flags)				\
	[MRC_OP_##_op & MRC_OP_INDEX_MASK] = {				\
		.name = _name,						\
		.flags = _flags,					\
		.code = MRC_OP_##_op,					\
		.hdr_len = _hdr_len,					\
	}
#define CTRL(_op, _name, _len, _flags)					\
	OP(_op, _name, (_len) - MRC_ICRC_LEN, MRC_OPF_CTRL | (_flags))

/*
 * MRC 1.0 sections 6.2 and 7.5.5, and extensions; see enum mrc_opcode.
 */
const struct mrc_opcode_desc mrc_opcode_table[MRC_OP_TABLE_LEN] = {
	OP(SEND_FIRST, "SEND First", HDR_RETH, F_SEND | F_FIRST),
	OP(SEND_MIDDLE, "SEND Middle", HDR_RETH, F_SEND),
	OP(SEND_LAST, "SEND Last", HDR_RETH, F_SEND | F_LAST),
	OP(SEND_LAST_IMM, "SEND Last with Immediate", HDR_IMM,
	   F_SEND | F_LAST | F_IMM),
	OP(SEND_ONLY, "SEND Only", HDR_RETH, F_SEND | F_ONLY),
	OP(SEND_ONLY_IMM, "SEND Only with Immediate", HDR_IMM,
	   F_SEND | F_ONLY | F_IMM),
	OP(WRITE_FIRST, "WRITE First", HDR_RETH, F_WRITE | F_FIRST),
	OP(WRITE_MIDDLE, "WRITE Middle", HDR_RETH, F_WRITE),
	OP(WRITE_LAST, "WRITE Last", HDR_RETH, F_WRITE | F_LAST),
	OP(WRITE_LAST_IMM, "WRITE Last with Immediate", HDR_IMM,
	   F_WIMM | F_LAST),
	OP(WRITE_ONLY, "WRITE Only", HDR_RETH, F_WRITE | F_ONLY),
	OP(WRITE_ONLY_IMM, "WRITE Only with Immediate", HDR_IMM,
	   F_WIMM | F_ONLY),
	OP(READ_REQUEST, "READ Request", HDR_READ, F_READ | F_ONLY | F_RD_ATOMIC),
	OP(READ_RSP_FIRST, "READ Response First", HDR_RETH, F_RSP | F_FIRST),
	OP(READ_RSP_MIDDLE, "READ Response Middle", HDR_RETH, F_RSP),
	OP(READ_RSP_LAST, "READ Response Last", HDR_RETH, F_RSP | F_LAST),
	OP(READ_RSP_ONLY, "READ Response Only", HDR_RETH, F_RSP | F_ONLY),
	CTRL(ACK, "Acknowledge", MRC_ACK_LEN, 0),
	OP(ATOMIC_ACK, "ATOMIC Acknowledge", HDR_ATOMIC_ACK,
	   F_ATOM | MRC_OPF_RSP),
	OP(CMP_SWAP, "CmpSwap", HDR_ATOMIC, F_ATOM | F_RD_ATOMIC),
	OP(FETCH_ADD, "FetchAdd", HDR_ATOMIC, F_ATOM | F_RD_ATOMIC),
	OP(SEND_LAST_INV, "SEND Last with Invalidate", HDR_INV,
	   F_SEND | F_LAST | F_INV),
	OP(SEND_ONLY_INV, "SEND Only with Invalidate", HDR_INV,
	   F_SEND | F_ONLY | F_INV),
	CTRL(ENDPOINT_REQ, "Endpoint Request", MRC_EP_REQ_LEN,
	     MRC_OPF_ENDPOINT),
	CTRL(ENDPOINT_RSP, "Endpoint Response", MRC_EP_RSP_LEN,
	     MRC_OPF_ENDPOINT),
	CTRL(SACK, "Reliability SACK", MRC_SACK_LEN, 0),
	CTRL(NACK, "Reliability NACK", MRC_NACK_LEN, 0),
	CTRL(PROBE, "Reliability Probe", MRC_PROBE_LEN, 0),
};
