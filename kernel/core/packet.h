/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet codec: MRC packets between the wire and a host-endian description.
 *
 * The decoder checks the opcode first, and the length before it reads a field.
 * A packet that it accepts is well-formed; whether it is valid for its QP is
 * checked by requester and responder.
 */
#ifndef MRC_CORE_PACKET_H
#define MRC_CORE_PACKET_H

#include <linux/bits.h>
#include <linux/types.h>

#include "core/drop.h"
#include "core/opcode.h"
#include "core/wire.h"

/**
 * enum mrc_pkt_flag - BTH bits of a packet, to decode and to encode
 * @MRC_PF_ACKREQ: an immediate acknowledgment is requested (AckReq)
 * @MRC_PF_RTX: retransmission; in a SACK: triggered by a retransmission
 * @MRC_PF_TS: has a timestamp (TSETH)
 * @MRC_PF_SE: solicited event
 * @MRC_PF_NOICRC: ICRC field is zero and must not be checked
 */
enum mrc_pkt_flag {
	MRC_PF_ACKREQ	= BIT(0),
	MRC_PF_RTX	= BIT(1),
	MRC_PF_TS	= BIT(2),
	MRC_PF_SE	= BIT(3),
	MRC_PF_NOICRC	= BIT(4),
};

/**
 * struct mrc_pkt_sack - content of a SACK
 * @cack_psn: all PSNs up to and including it were received
 * @bitmap: bit i: PSN @cack_psn + @sack_offset + i was received
 * @entropy: EV of the packet which triggered it
 * @rcvd_bytes: cumulative, in MRC_RCVD_UNIT, 24 bits
 * @ooo_count: packets held out of order, 15 bits
 * @sack_offset: base of @bitmap relative to @cack_psn
 * @ack_psn_offset: triggering PSN relative to @cack_psn; 0 if @probe
 * @probe_id: reflected probe id; 0 unless @probe
 * @tx_ts: reflected send time
 * @mpr: in MRC_MPR_UNIT, 0 unless dynamic MPR was agreed
 * @mark: enum mrc_sack_mark
 * @cwnd_pen: responder's cwnd penalty, 0 (none) .. 127
 * @restore_cwnd: restore cwnd once the penalty ends
 * @probe: acknowledges a reliability probe
 * @rtx: triggered by a retransmission
 */
struct mrc_pkt_sack {
	u32	cack_psn;
	u32	entropy;
	u64	bitmap;
	u32	rcvd_bytes;
	u16	ooo_count;
	s16	sack_offset;
	s16	ack_psn_offset;
	u16	probe_id;
	u16	tx_ts;
	u8	mpr;
	u8	mark;
	u8	cwnd_pen;
	bool	restore_cwnd;
	bool	probe;
	bool	rtx;
};

/**
 * struct mrc_pkt_nack - content of a NACK
 * @psn: refused PSN
 * @entropy: EV of the refused packet
 * @tx_ts: reflected send time
 * @reason: enum mrc_nack_reason
 */
struct mrc_pkt_nack {
	u32	psn;
	u32	entropy;
	u16	tx_ts;
	u8	reason;
};

/**
 * struct mrc_pkt_ack - content of an Acknowledge
 * @psn: cumulative PSN: the last PSN that it acknowledges
 * @msn: messages completed in order, 24 bits
 * @syndrome: enum mrc_syndrome
 */
struct mrc_pkt_ack {
	u32	psn;
	u32	msn;
	u8	syndrome;
};

/**
 * struct mrc_pkt_probe - content of a reliability probe
 * @probe_id: to be reflected
 * @tx_ts: send time, to be reflected
 */
struct mrc_pkt_probe {
	u16	probe_id;
	u16	tx_ts;
};

/**
 * struct mrc_pkt_endpoint - content of an endpoint request or response
 * @port_mask: reachable ports of the source, bit 0 = port 1; in a response only
 *	valid with @has_magic
 * @req_id: request id, reflected in the response
 * @tx_ts: send time, reflected
 * @caps: enum mrc_cap; 0 without @has_magic
 * @op: enum mrc_ep_op
 * @has_magic: the source is a device of this driver
 */
struct mrc_pkt_endpoint {
	u32	port_mask;
	u16	req_id;
	u16	tx_ts;
	u16	caps;
	u8	op;
	bool	has_magic;
};

/**
 * struct mrc_pkt - a decoded packet
 * @op: row of the opcode table
 * @dest_qpn: destination QPN
 * @psn: PSN field of BTH
 * @flags: enum mrc_pkt_flag
 * @payload_off: first byte of the payload, counted from BTH
 * @payload_len: bytes of payload without padding
 * @pad: bytes between payload and ICRC
 * @tx_ts: send time; 0 without MRC_PF_TS
 * @rqmsn: receive queue message number; of READs, ATOMICs and their responses:
 *	number of the request
 * @msn: message number, low 16 bits
 * @va: target address, or offset in the message if MRC_OPF_OFFSET
 * @rkey: R_Key
 * @dmalen: length of the whole message
 * @imm: immediate data or R_Key to invalidate as on the wire; 0 without
 * @swap: of ATOMIC requests: swap or add operand
 * @compare: of ATOMIC requests: compare operand of CmpSwap
 * @orig: of ATOMIC acknowledgments: value before the operation
 * @rpsn: of READ and ATOMIC requests: first PSN expected from the responder
 * @sack: SACK
 * @nack: NACK
 * @ack: Acknowledge
 * @probe: reliability probe
 * @endpoint: endpoint request or response
 *
 * The first part of the union is set for data packets, otherwise the member of
 * the opcode.  @swap, @compare and @orig are set for ATOMICs only; their
 * @dmalen is 8, and @va and @rkey of an ATOMIC acknowledgment are 0.
 */
struct mrc_pkt {
	const struct mrc_opcode_desc *op;
	u32	dest_qpn;
	u32	psn;
	u8	flags;
	union {
		struct {
			u8	pad;
			u16	payload_off;
			u16	payload_len;
			u16	tx_ts;
			u16	rqmsn;
			u16	msn;
			u64	va;
			u32	rkey;
			u32	dmalen;
			__be32	imm;
			union {
				u64	swap;
				u64	orig;
			};
			u64	compare;
			u32	rpsn;
		};
		struct mrc_pkt_sack	sack;
		struct mrc_pkt_nack	nack;
		struct mrc_pkt_ack	ack;
		struct mrc_pkt_probe	probe;
		struct mrc_pkt_endpoint	endpoint;
	};
};

/**
 * struct mrc_pkt_data - content of the headers of a data packet
 * @opcode: enum mrc_opcode of the data class
 * @flags: enum mrc_pkt_flag
 * @payload_len: bytes of payload, without padding
 * @dest_qpn: destination QPN
 * @psn: PSN, 24 bits
 * @rqmsn: receive queue message number
 * @msn: message number
 * @tx_ts: send time, with MRC_PF_TS
 * @va: target address or offset
 * @rkey: R_Key
 * @dmalen: length of the whole message
 * @imm: immediate data or R_Key to invalidate, for opcodes which have one
 * @swap: of ATOMIC requests: swap or add operand
 * @compare: of ATOMIC requests: compare operand of CmpSwap
 * @orig: of ATOMIC acknowledgments: value before the operation
 * @rpsn: of READ and ATOMIC requests: first PSN expected from the responder
 */
struct mrc_pkt_data {
	u8	opcode;
	u8	flags;
	u16	payload_len;
	u32	dest_qpn;
	u32	psn;
	u16	rqmsn;
	u16	msn;
	u16	tx_ts;
	u64	va;
	u32	rkey;
	u32	dmalen;
	__be32	imm;
	union {
		u64	swap;
		u64	orig;
	};
	u64	compare;
	u32	rpsn;
};

/**
 * mrc_pkt_pad() - number of padding bytes after a payload
 * @payload_len: bytes of payload
 *
 * Return: bytes, 0..3, which make payload plus padding a multiple of 4.
 */
static inline u32 mrc_pkt_pad(u32 payload_len)
{
	return -payload_len & 3;
}

/**
 * mrc_pkt_trailer_len() - number of bytes after a payload
 * @payload_len: bytes of payload
 *
 * Return: length of padding and ICRC.
 */
static inline u32 mrc_pkt_trailer_len(u32 payload_len)
{
	return mrc_pkt_pad(payload_len) + MRC_ICRC_LEN;
}

/**
 * mrc_pkt_hdr_len() - number of bytes before the payload of a data packet
 * @opcode: enum mrc_opcode
 * @flags: enum mrc_pkt_flag; only MRC_PF_TS matters
 *
 * Return: length of all MRC headers.
 */
static inline u32 mrc_pkt_hdr_len(u8 opcode, u8 flags)
{
	return mrc_opcode_get(opcode)->hdr_len +
	       (flags & MRC_PF_TS ? sizeof(struct mrc_tseth) : 0);
}

int mrc_pkt_decode_trimmed(const u8 *hdr, u32 hdr_len, struct mrc_pkt *p);
int mrc_pkt_decode_hdr(const u8 *hdr, u32 hdr_len, u32 pkt_len,
		       struct mrc_pkt *p);

u32 mrc_pkt_put_data(u8 *buf, const struct mrc_pkt_data *d);
u32 mrc_pkt_put_sack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_sack *s);
u32 mrc_pkt_put_nack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_nack *n);
u32 mrc_pkt_put_ack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_ack *a);
u32 mrc_pkt_put_probe(u8 *buf, u32 dest_qpn, const struct mrc_pkt_probe *pr);
u32 mrc_pkt_put_endpoint_req(u8 *buf, const struct mrc_pkt_endpoint *e);
u32 mrc_pkt_put_endpoint_rsp(u8 *buf, const struct mrc_pkt_endpoint *e);

#endif /* MRC_CORE_PACKET_H */
