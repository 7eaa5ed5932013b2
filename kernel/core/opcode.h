/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Opcode table: headers and properties of each opcode of the MRC class.
 */
#ifndef MRC_CORE_OPCODE_H
#define MRC_CORE_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "core/wire.h"

/**
 * enum mrc_op_flag - properties of an opcode
 * @MRC_OPF_DATA: data class: has METH and [TSETH], consumes a PSN
 * @MRC_OPF_CTRL: control class: fixed length, no PSN of its own
 * @MRC_OPF_SEND: SEND
 * @MRC_OPF_WRITE: WRITE
 * @MRC_OPF_READ: READ request or response
 * @MRC_OPF_RSP: READ response or ATOMIC acknowledgment
 * @MRC_OPF_ATOMIC: ATOMIC request or acknowledgment
 * @MRC_OPF_FIRST: first packet of a message; with @MRC_OPF_LAST the only one
 * @MRC_OPF_LAST: last packet of a message
 * @MRC_OPF_IMM: carries immediate data
 * @MRC_OPF_INV: carries an R_Key to invalidate
 * @MRC_OPF_RETH: has RETH
 * @MRC_OPF_PAYLOAD: may carry payload
 * @MRC_OPF_RQ: message consumes a receive WQE
 * @MRC_OPF_OFFSET: RETH.va is an offset in the message
 * @MRC_OPF_ENDPOINT: addressed to the endpoint, not to a QP
 * @MRC_OPF_RD_ATOMIC: READ or ATOMIC request, has RPSNETH
 */
enum mrc_op_flag {
	MRC_OPF_DATA		= BIT(0),
	MRC_OPF_CTRL		= BIT(1),
	MRC_OPF_SEND		= BIT(2),
	MRC_OPF_WRITE		= BIT(3),
	MRC_OPF_READ		= BIT(4),
	MRC_OPF_RSP		= BIT(5),
	MRC_OPF_ATOMIC		= BIT(6),
	MRC_OPF_FIRST		= BIT(7),
	MRC_OPF_LAST		= BIT(8),
	MRC_OPF_IMM		= BIT(9),
	MRC_OPF_INV		= BIT(10),
	MRC_OPF_RETH		= BIT(11),
	MRC_OPF_PAYLOAD		= BIT(12),
	MRC_OPF_RQ		= BIT(13),
	MRC_OPF_OFFSET		= BIT(14),
	MRC_OPF_ENDPOINT	= BIT(15),
	MRC_OPF_RD_ATOMIC	= BIT(16),
};

#define MRC_OPF_ONLY	(MRC_OPF_FIRST | MRC_OPF_LAST)

/**
 * struct mrc_opcode_desc - one row of the opcode table
 * @name: name in the specifications; NULL: undefined opcode
 * @flags: enum mrc_op_flag
 * @code: enum mrc_opcode
 * @hdr_len: bytes from BTH up to the payload (data) or the ICRC (control),
 *	without TSETH
 */
struct mrc_opcode_desc {
	const char	*name;
	u32		flags;
	u8		code;
	u8		hdr_len;
};

#define MRC_OP_INDEX_MASK	0x1f
#define MRC_OP_TABLE_LEN	(MRC_OP_INDEX_MASK + 1)

extern const struct mrc_opcode_desc mrc_opcode_table[MRC_OP_TABLE_LEN];

/**
 * mrc_opcode_is_mrc() - does an opcode belong to the MRC class?
 * @code: BTH opcode
 *
 * Return: true if its class bits are those of MRC, even if it is undefined.
 */
static inline bool mrc_opcode_is_mrc(u8 code)
{
	return (code & MRC_OP_CLASS_MASK) == MRC_OP_CLASS;
}

/**
 * mrc_opcode_get() - row of an opcode of the MRC class
 * @code: BTH opcode; other class bits are ignored
 *
 * Return: the row; its name is NULL if the opcode is undefined.
 */
static inline const struct mrc_opcode_desc *mrc_opcode_get(u8 code)
{
	return &mrc_opcode_table[code & MRC_OP_INDEX_MASK];
}

#endif /* MRC_CORE_OPCODE_H */
