/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Datagram codec: packets between QPs of type UD, and between the management
 * QPs (GSI) of connection managers. They have the format of RoCEv2.
 */
#ifndef MRC_CORE_DATAGRAM_H
#define MRC_CORE_DATAGRAM_H

#include <linux/types.h>

#include "core/wire.h"

/**
 * struct mrc_datagram - a datagram
 * @dest_qpn: destination QPN
 * @src_qpn: QPN of the source, for replies
 * @qkey: Q_Key; a datagram with another Q_Key than the destination QP is
 *	dropped
 * @psn: PSN, 24 bits; ignored on receive
 * @imm: immediate data as on the wire; 0 without
 * @payload_off: first byte of the payload, counted from BTH
 * @payload_len: bytes of payload without padding, up to MRC_PMTU_MAX
 * @has_imm: there is immediate data
 * @solicited: solicited event
 */
struct mrc_datagram {
	u32	dest_qpn;
	u32	src_qpn;
	u32	qkey;
	u32	psn;
	__be32	imm;
	u16	payload_off;
	u16	payload_len;
	bool	has_imm;
	bool	solicited;
};

/**
 * mrc_datagram_is() - is an opcode that of a supported datagram?
 * @opcode: of BTH
 *
 * Return: true if so.
 */
static inline bool mrc_datagram_is(u8 opcode)
{
	return opcode == MRC_OP_UD_SEND || opcode == MRC_OP_UD_SEND_IMM;
}

/**
 * mrc_datagram_hdr_len() - number of bytes before the payload
 * @has_imm: there is immediate data
 *
 * Return: length of all headers from BTH on.
 */
static inline u32 mrc_datagram_hdr_len(bool has_imm)
{
	return sizeof(struct mrc_bth) + sizeof(struct mrc_deth) +
	       (has_imm ? sizeof(struct mrc_immdt) : 0);
}

int mrc_datagram_decode(const u8 *hdr, u32 hdr_len, u32 pkt_len,
			struct mrc_datagram *d);
u32 mrc_datagram_put(u8 *buf, const struct mrc_datagram *d);

#endif /* MRC_CORE_DATAGRAM_H */
