/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MRC wire format: layouts, constants, and the decisions where the public
 * descriptions of MRC 1.0 contradict each other or are silent.
 *
 * Documentation/wire-format.md shows the same in tables. Two kinds of comments
 * are marked:
 *
 *   Decision:   sources conflict or are silent; what this tree does, and why.
 *   Extension:  not part of MRC 1.0; used only with peers that are known to
 *               support it.
 */
#ifndef MRC_CORE_WIRE_H
#define MRC_CORE_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/types.h>

/*
 * UDP destination port.
 *
 * Decision: MRC 1.0 section 7.5.5.2 prints 4971, other readers of the same
 * document describe 4791, the port of RoCEv2.  The digits appear to be
 * transposed, and 4791 is what switches and NICs already classify as RDMA.
 * Packets are sent to 4791, both are accepted.
 */
enum mrc_udp_port {
	MRC_UDP_PORT		= 4791,
	MRC_UDP_PORT_ALT	= 4971,
};

/*
 * Opcodes: those of RC with the class bits 7:5 = 0b110.
 *
 * Extension: MRC 1.0 has WRITE and WRITE with Immediate only. SEND, READ,
 * ATOMIC and the invalidating SENDs follow the same rule, 0xC0 | RC opcode.
 * None collides with an opcode that MRC 1.0 adds: these start at 0xD8, and RC
 * ends at 0x17.
 */
enum mrc_opcode {
	MRC_OP_SEND_FIRST		= 0xc0,
	MRC_OP_SEND_MIDDLE		= 0xc1,
	MRC_OP_SEND_LAST		= 0xc2,
	MRC_OP_SEND_LAST_IMM		= 0xc3,
	MRC_OP_SEND_ONLY		= 0xc4,
	MRC_OP_SEND_ONLY_IMM		= 0xc5,
	MRC_OP_WRITE_FIRST		= 0xc6,
	MRC_OP_WRITE_MIDDLE		= 0xc7,
	MRC_OP_WRITE_LAST		= 0xc8,
	MRC_OP_WRITE_LAST_IMM		= 0xc9,
	MRC_OP_WRITE_ONLY		= 0xca,
	MRC_OP_WRITE_ONLY_IMM		= 0xcb,
	MRC_OP_READ_REQUEST		= 0xcc,
	MRC_OP_READ_RSP_FIRST		= 0xcd,
	MRC_OP_READ_RSP_MIDDLE		= 0xce,
	MRC_OP_READ_RSP_LAST		= 0xcf,
	MRC_OP_READ_RSP_ONLY		= 0xd0,
	MRC_OP_ACK			= 0xd1,
	MRC_OP_ATOMIC_ACK		= 0xd2,
	MRC_OP_CMP_SWAP			= 0xd3,
	MRC_OP_FETCH_ADD		= 0xd4,
	MRC_OP_SEND_LAST_INV		= 0xd6,
	MRC_OP_SEND_ONLY_INV		= 0xd7,
	MRC_OP_ENDPOINT_REQ		= 0xd8,
	MRC_OP_ENDPOINT_RSP		= 0xd9,
	MRC_OP_SACK			= 0xdc,
	MRC_OP_NACK			= 0xdd,
	MRC_OP_PROBE			= 0xde,
};

/*
 * Datagrams, between QPs of type UD and between the management QPs (GSI).
 *
 * Decision: MRC 1.0 has neither, but applications connect through a connection
 * manager, which uses datagrams.  They have the format of RoCEv2 and the same
 * UDP port, so that connection managers of other RoCEv2 devices interoperate.
 * The ICRC is mandatory.
 */
enum mrc_ud_opcode {
	MRC_OP_UD_SEND			= 0x64,
	MRC_OP_UD_SEND_IMM		= 0x65,
};

#define MRC_OP_CLASS_MASK	0xe0
#define MRC_OP_CLASS		0xc0

/*
 * All layouts are packed: packets of a burst are contiguous in one GSO buffer
 * after headers of any length, so no alignment is guaranteed.
 */

/**
 * struct mrc_bth - base transport header, first in every packet
 * @opcode: enum mrc_opcode
 * @flags: MRC_BTH_SE .. MRC_BTH_TVER_MASK
 * @pkey: partition key, MRC_PKEY_DEFAULT
 * @qpn: 8 bits variant reserved (the FECN/BECN byte of RoCEv2, zero, not
 *	covered by the ICRC), 24 bits destination QPN
 * @apsn: 8 bits MRC_BTH_ACKREQ .. MRC_BTH_NOICRC, 24 bits PSN
 *
 * The PSN of @apsn in control packets (MRC 1.0 Table 7-6): SACK and
 * Acknowledge: cumulative PSN; NACK: the refused PSN; Probe: zero, a probe
 * consumes no PSN; Endpoint: request id in the low 16 bits.
 */
struct mrc_bth {
	u8	opcode;
	u8	flags;
	__be16	pkey;
	__be32	qpn;
	__be32	apsn;
} __packed;

/*
 * Decision: byte 1.  Two readers list M before SE, one decodes the IBTA order.
 * This tree uses the IBTA order (SE in bit 7): the header is inherited, and
 * every RoCE parser expects it.  M has no use in MRC: zero on send, ignored on
 * receive (IBTA devices always set it, so it cannot be interpreted as a
 * misplaced SE).
 */
enum mrc_bth_bits {
	MRC_BTH_SE		= 0x80,
	MRC_BTH_M		= 0x40,
	MRC_BTH_PAD_MASK	= 0x30,
	MRC_BTH_PAD_SHIFT	= 4,
	MRC_BTH_TVER_MASK	= 0x0f,
	MRC_BTH_TVER		= 0,
};

/*
 * Upper byte of @apsn.
 *
 * Extension: MRC_BTH_NOICRC, a reserved bit of MRC 1.0. The ICRC field is
 * present but zero and must not be checked. Sent in data packets only, and only
 * to a peer which offered MRC_CAP_NOICRC in the endpoint exchange: a software
 * ICRC costs more than everything else in the data path, and it must not be
 * computed over memory which the application can still change.
 */
enum mrc_bth_apsn_bits {
	MRC_BTH_ACKREQ		= 0x80,
	MRC_BTH_RESV_R		= 0x40,
	MRC_BTH_RTX		= 0x20,
	MRC_BTH_TS		= 0x10,
	MRC_BTH_NOICRC		= 0x08,
};

#define MRC_BTH_APSN_SHIFT	24
#define MRC_MASK_24		0x00ffffffu
#define MRC_PKEY_DEFAULT	0xffff
/* Bit 15 is the membership type; the other 15 are the partition. */
#define MRC_PKEY_BASE_MASK	0x7fff

/* Reserved QPNs; 0xffffff is multicast (IBTA). */
enum mrc_qpn {
	MRC_QPN_SMI		= 0,
	MRC_QPN_GSI		= 1,
	MRC_QPN_ENDPOINT	= 2,
	MRC_QPN_FIRST		= 3,
	MRC_QPN_LAST		= 0xfffffe,
};

/**
 * struct mrc_meth - message header, follows BTH in every data packet
 * @rqmsn: receive queue message number: counts messages which consume a
 *	receive WQE, is the same in each packet of such a message, and is
 *	zero in other messages
 * @msn: requester's message number, from 0
 *
 * Extension: MRC 1.0 counts WRITE with Immediate in @rqmsn; a SEND consumes a
 * receive WQE too and is counted in the same sequence.  READ and ATOMIC
 * requests consume none and are counted in a separate sequence, which also
 * starts at 0; a READ response and an ATOMIC acknowledgment have the number of
 * their request.
 */
struct mrc_meth {
	__be16	rqmsn;
	__be16	msn;
} __packed;

/**
 * struct mrc_tseth - send time of this transmission; present if MRC_BTH_TS
 * @tx_ts: send time in MRC_TS_NS units, wraps after 8.39 ms
 * @info: MRC_TSETH_TSR, reserved, ftype
 *
 * Decision: the timestamp is opaque to the responder, which only reflects it,
 * so ftype and tsr are not checked on receive. tsr = 0 (128 ns) is sent: tsr =
 * 1 has no agreed unit.
 */
struct mrc_tseth {
	__be16	tx_ts;
	__be16	info;
} __packed;

enum mrc_tseth_bits {
	MRC_TSETH_TSR		= 0x8000,
	MRC_TSETH_FTYPE_MASK	= 0x000f,
	MRC_TSETH_FTYPE		= 0x1,
};

#define MRC_TS_SHIFT		7
#define MRC_TS_NS		BIT(MRC_TS_SHIFT)

/**
 * struct mrc_reth - placement, in every data packet
 * @va: target address of this packet's payload
 * @rkey: R_Key
 * @dmalen: length of the whole message in bytes, the same in all its packets
 *
 * Extension: in SENDs and READ responses @va is the byte offset in the message
 * and @rkey is zero: out-of-order placement needs the offset if the receiving
 * side chooses the buffer.
 */
struct mrc_reth {
	__be64	va;
	__be32	rkey;
	__be32	dmalen;
} __packed;

/**
 * struct mrc_immdt - immediate data, last header of packets with Immediate
 * @imm: immediate data, opaque
 */
struct mrc_immdt {
	__be32	imm;
} __packed;

/**
 * struct mrc_deth - follows BTH in every datagram; then immediate data, if any
 * @qkey: Q_Key of the destination QP
 * @src_qpn: 8 bits reserved, 24 bits QPN of the source
 */
struct mrc_deth {
	__be32	qkey;
	__be32	src_qpn;
} __packed;

/**
 * struct mrc_ieth - R_Key to invalidate, last header of packets with Invalidate
 * @rkey: R_Key
 */
struct mrc_ieth {
	__be32	rkey;
} __packed;

/**
 * struct mrc_atomiceth - ATOMIC request, IBTA layout
 * @va: target, multiple of 8
 * @rkey: R_Key
 * @swap: swap or add operand
 * @compare: compare operand
 */
struct mrc_atomiceth {
	__be64	va;
	__be32	rkey;
	__be64	swap;
	__be64	compare;
} __packed;

/**
 * struct mrc_rpsneth - responder's PSN, last header of READ and ATOMIC requests
 * @rpsn: reserved(8), responder's first PSN as the requester expects it, that
 *	is the requester's rq_psn(24)
 *
 * Extension: responses consume PSNs of the responder's own direction.  The
 * application of a responder which only sends responses may never set its first
 * PSN (sq_psn): RC applications may leave such a QP in RTR, for which IBTA
 * requires no sq_psn.
 */
struct mrc_rpsneth {
	__be32	rpsn;
} __packed;

/**
 * struct mrc_atomicacketh - ATOMIC acknowledgment, IBTA layout
 * @orig: value before the operation
 */
struct mrc_atomicacketh {
	__be64	orig;
} __packed;

/**
 * struct mrc_seth - selective acknowledgment
 * @info: type(4) nxt(5) m(2) reserved(3) pr(1) reserved(1)
 * @ack_psn_offset: signed; PSN of the packet which triggered this SACK minus
 *	@cack_psn; the probe id if MRC_SETH_PR
 * @entropy: EV of the triggering packet, reflected
 * @spdcid: zero, see below
 * @dpdcid: zero, see below
 * @cack_psn: reserved(8), highest PSN with all up to it received(24)
 * @cc: cc_type(4) cc_fl(4)
 * @mpr: max PSN range in MRC_MPR_UNIT; zero unless dynamic MPR was agreed
 * @sack_offset: signed; PSN of bitmap bit 0 minus @cack_psn
 * @bitmap: bit i: PSN cack_psn + sack_offset + i was received; a clear bit has
 *	no meaning
 *
 * Decision: values of type, nxt, spdcid, dpdcid and cc_fl (inherited from UET)
 * are in no source: zero on send, ignored on receive.
 * Decision: BTH.rtx is set in a SACK triggered by a retransmission (one reader
 * does so), which shows the requester which transmission was acknowledged.
 */
struct mrc_seth {
	__be16	info;
	__be16	ack_psn_offset;
	__be32	entropy;
	__be16	spdcid;
	__be16	dpdcid;
	__be32	cack_psn;
	u8	cc;
	u8	mpr;
	__be16	sack_offset;
	__be64	bitmap;
} __packed;

enum mrc_seth_bits {
	MRC_SETH_M_SHIFT	= 5,
	MRC_SETH_M_MASK		= 0x0060,
	MRC_SETH_PR		= 0x0002,
};

/*
 * SETH.m, the responder's request concerning the reflected EV. The fourth value
 * is undefined and read as NONE.
 */
enum mrc_sack_mark {
	MRC_MARK_NONE		= 0,
	MRC_MARK_SKIP_ONCE	= 1,
	MRC_MARK_ALWAYS_SKIP	= 2,
};

#define MRC_SACK_BITS		64
#define MRC_MPR_UNIT		128

/**
 * struct mrc_cc_state - congestion state, follows SETH
 * @tx_ts: reflected send time
 * @ooo: reserved(1), packets held out of order(15)
 * @rcvd: restore_cwnd(1), rcv_cwnd_pen(7), rcvd_bytes(24)
 *
 * rcvd_bytes is cumulative in MRC_RCVD_UNIT bytes and wraps at 4 GiB.
 */
struct mrc_cc_state {
	__be16	tx_ts;
	__be16	ooo;
	__be32	rcvd;
} __packed;

enum mrc_cc_state_bits {
	MRC_CC_OOO_MASK		= 0x7fff,
	MRC_CC_PEN_SHIFT	= 24,
	MRC_CC_PEN_MASK		= 0x7f,
};

#define MRC_CC_RESTORE		BIT(31)
#define MRC_RCVD_UNIT_SHIFT	8
#define MRC_RCVD_UNIT		BIT(MRC_RCVD_UNIT_SHIFT)

/**
 * struct mrc_neth - refusal of one PSN
 * @info: type(4) nxt(5) reserved(7)
 * @reason: enum mrc_nack_reason
 * @vendor_info: zero
 * @entropy: EV of the refused packet, reflected
 * @spdcid: zero
 * @dpdcid: zero
 * @nack_psn: reserved(8), refused PSN(24), the same as in BTH
 * @cc: cc_type(4) = 2, cc_fl(4)
 * @resv: zero
 * @tx_ts: reflected send time
 */
struct mrc_neth {
	__be16	info;
	u8	reason;
	u8	vendor_info;
	__be32	entropy;
	__be16	spdcid;
	__be16	dpdcid;
	__be32	nack_psn;
	u8	cc;
	u8	resv;
	__be16	tx_ts;
} __packed;

#define MRC_NETH_CC_TYPE	0x20

/*
 * MRC 1.0 Table 7-3, codes as in UET.
 *
 * Decision: out-of-window PSNs.  Section 6.3.1 drops silently, Table 7-3 makes
 * PSN_OOR_WINDOW mandatory.  A PSN less than one PSN window above the window
 * comes from a requester slightly ahead of the responder and is refused with
 * the NACK. A PSN farther ahead is stale or forged, and a NACK would only help
 * an attacker: silent drop.
 */
enum mrc_nack_reason {
	MRC_NACK_TRIMMED		= 0x01,
	MRC_NACK_TRIMMED_LASTHOP	= 0x02,
	MRC_NACK_NO_BITMAP		= 0x06,
	MRC_NACK_NO_PKT_BUFFER		= 0x07,
	MRC_NACK_NO_RESOURCE		= 0x0a,
	MRC_NACK_PSN_OOR_WINDOW		= 0x0b,
	MRC_NACK_UNEXP_EVENT		= 0x19,
};

/**
 * struct mrc_peth - reliability probe; acknowledged by a SACK with MRC_SETH_PR
 * @info: type, nxt, reserved
 * @resv: zero
 * @vendor_info: zero
 * @probe_id: reflected in SETH.ack_psn_offset
 * @resv2: zero
 * @spdcid: zero
 * @dpdcid: zero
 * @tx_ts: send time, reflected
 * @ts_info: as mrc_tseth.info
 */
struct mrc_peth {
	__be16	info;
	u8	resv;
	u8	vendor_info;
	__be16	probe_id;
	__be16	resv2;
	__be16	spdcid;
	__be16	dpdcid;
	__be16	tx_ts;
	__be16	ts_info;
} __packed;

/**
 * struct mrc_erth - endpoint request, to MRC_QPN_ENDPOINT
 * @info: op in bits 1:0, the rest zero
 * @resv: zero
 * @vendor_info: MRC_VENDOR_MAGIC, see below
 * @port_mask: bit set: that port of the source is reachable; bit 0 = port 1
 * @caps: reserved in MRC 1.0; extension, see below
 * @tx_ts: send time, reflected
 * @ts_info: as mrc_tseth.info
 *
 * Decision: bit numbering of @port_mask is in no source; the API's mask is
 * 1-based (bit N = port N), but a 32-bit mask on the wire is unlikely to waste
 * bit 0: bit 0 = port 1.
 */
struct mrc_erth {
	__be16	info;
	u8	resv;
	u8	vendor_info;
	__be32	port_mask;
	__be32	caps;
	__be16	tx_ts;
	__be16	ts_info;
} __packed;

/**
 * struct mrc_eeth - endpoint response
 * @info: op in bits 3:2, the rest zero
 * @resv: zero
 * @vendor_info: reserved in MRC 1.0; MRC_VENDOR_MAGIC, see below
 * @port_mask: reserved in MRC 1.0; ports of the source, valid with the magic
 * @caps: reserved in MRC 1.0; extension, see below
 * @resv2: zero
 * @tx_ts: reflected send time, at the same offset as in a SACK
 * @resv3: zero
 *
 * Decision: position of op. Two readers have bits 3:2, one has 5:4; this tree
 * follows the two.
 */
struct mrc_eeth {
	__be16	info;
	u8	resv;
	u8	vendor_info;
	__be32	port_mask;
	__be32	caps;
	u8	resv2[16];
	__be16	tx_ts;
	u8	resv3[6];
} __packed;

enum mrc_ep_bits {
	MRC_ERTH_OP_MASK	= 0x0003,
	MRC_EETH_OP_SHIFT	= 2,
	MRC_EETH_OP_MASK	= 0x000c,
};

/*
 * DSCPs.  Operators choose the values; these are those of the reference (8).
 * Data must not use the two DSCPs of trimmed packets.
 */
enum mrc_dscp {
	MRC_DSCP_NO_TRIM		= 0,
	MRC_DSCP_TRIMMABLE		= 4,
	MRC_DSCP_TRIMMABLE_RETX		= 8,
	MRC_DSCP_TRIMMED		= 12,
	MRC_DSCP_TRIMMED_LASTHOP	= 16,
	MRC_DSCP_CONTROL		= 46,
};

/**
 * mrc_dscp_trim() - is a DSCP that of trimmed packets?
 * @dscp: 6 bits
 *
 * Return: enum mrc_nack_reason, or 0 if not.
 */
static inline u8 mrc_dscp_trim(u8 dscp)
{
	switch (dscp) {
	case MRC_DSCP_TRIMMED:
		return MRC_NACK_TRIMMED;
	case MRC_DSCP_TRIMMED_LASTHOP:
		return MRC_NACK_TRIMMED_LASTHOP;
	default:
		return 0;
	}
}

enum mrc_ep_op {
	MRC_EP_PORT_STATUS	= 0,
	MRC_EP_EV_PROBE		= 1,
};

/*
 * Extension: devices of this driver recognise each other in the endpoint
 * exchange.  The magic is "MRC" in vendor_info ('M') and the upper half of caps
 * ('R' 'C'): other vendors may use the same single octet.  The lower half of
 * caps contains the capabilities of the source; without the magic it is read as
 * 0.
 */
#define MRC_VENDOR_MAGIC		0x4d
#define MRC_CAPS_MAGIC		0x52430000u
#define MRC_CAPS_MAGIC_MASK	0xffff0000u

enum mrc_cap {
	/* The source accepts data packets with MRC_BTH_NOICRC. */
	MRC_CAP_NOICRC		= BIT(0),
	/* The source supports the SEND opcodes. */
	MRC_CAP_SEND		= BIT(1),
	/*
	 * Service time in reflected timestamps.  In a request: the source
	 * expects that the peer adds its service time to timestamps that it
	 * reflects.  In a response: the source does so.
	 */
	MRC_CAP_SVC_TIME	= BIT(2),
	/* The source supports the READ and ATOMIC opcodes. */
	MRC_CAP_READ		= BIT(3),
	/* The source supports SEND with Invalidate. */
	MRC_CAP_INV		= BIT(4),
	/* The source answers reliability probes with padding. */
	MRC_CAP_PADDED_PROBE	= BIT(5),
};

/**
 * struct mrc_aeth - transport acknowledgment, IBTA layout
 * @smsn: syndrome(8), count of messages completed in order(24)
 */
struct mrc_aeth {
	__be32	smsn;
} __packed;

#define MRC_AETH_SYNDROME_SHIFT	24

/*
 * Syndromes.  There are no end-to-end credits: an ACK always has 0x1f, which
 * IBTA defines as "unlimited". MRC 1.0 sends no RNR NAK.
 */
enum mrc_syndrome {
	MRC_SYN_TYPE_MASK	= 0xe0,
	MRC_SYN_TYPE_ACK	= 0x00,
	MRC_SYN_TYPE_RNR	= 0x20,
	MRC_SYN_TYPE_NAK	= 0x60,
	MRC_SYN_VALUE_MASK	= 0x1f,
	MRC_SYN_ACK		= 0x1f,
	MRC_SYN_NAK_PSN_SEQ	= 0x60,
	MRC_SYN_NAK_INV_REQ	= 0x61,
	MRC_SYN_NAK_REM_ACCESS	= 0x62,
	MRC_SYN_NAK_REM_OP	= 0x63,
	MRC_SYN_NAK_INV_RD_REQ	= 0x64,
};

/* The invariant CRC of RoCEv2 at the end of every packet; see icrc.h. */
#define MRC_ICRC_LEN		4

/* Smallest and largest IBTA path MTU: payload of a full packet. */
#define MRC_PMTU_MIN		256
#define MRC_PMTU_MAX		4096
/* Largest message, IBTA. */
#define MRC_MSG_MAX		0x80000000u

static_assert(sizeof(struct mrc_bth) == 12);
static_assert(sizeof(struct mrc_meth) == 4);
static_assert(sizeof(struct mrc_tseth) == 4);
static_assert(sizeof(struct mrc_reth) == 16);
static_assert(sizeof(struct mrc_immdt) == 4);
static_assert(sizeof(struct mrc_deth) == 8);
static_assert(sizeof(struct mrc_ieth) == 4);
static_assert(sizeof(struct mrc_atomiceth) == 28);
static_assert(sizeof(struct mrc_rpsneth) == 4);
static_assert(sizeof(struct mrc_atomicacketh) == 8);
static_assert(sizeof(struct mrc_seth) == 28);
static_assert(sizeof(struct mrc_cc_state) == 8);
static_assert(sizeof(struct mrc_neth) == 20);
static_assert(sizeof(struct mrc_peth) == 16);
static_assert(sizeof(struct mrc_erth) == 16);
static_assert(sizeof(struct mrc_eeth) == 36);
static_assert(sizeof(struct mrc_aeth) == 4);

/*
 * Lengths of whole packets, UDP payload with ICRC.
 *
 * A SACK and its Acknowledge may be sent back to back in one GSO buffer: a
 * segment of MRC_SACK_LEN, then one of MRC_ACK_LEN.
 */
enum mrc_len {
	MRC_REQ_HDR_MIN	= sizeof(struct mrc_bth) + sizeof(struct mrc_meth) +
			  sizeof(struct mrc_reth),
	/* Maximum of packets that may carry payload. */
	MRC_REQ_HDR_MAX	= MRC_REQ_HDR_MIN + sizeof(struct mrc_tseth) +
			  sizeof(struct mrc_immdt),
	/* Of any data packet: ATOMIC requests have most, and no payload. */
	MRC_DATA_HDR_MAX = sizeof(struct mrc_bth) + sizeof(struct mrc_meth) +
			   sizeof(struct mrc_tseth) +
			   sizeof(struct mrc_atomiceth) +
			   sizeof(struct mrc_rpsneth),
	/* Maximum number of bytes that the decoder reads. */
	MRC_HDR_MAX	= MRC_DATA_HDR_MAX,
	MRC_PKT_MIN	= sizeof(struct mrc_bth) + MRC_ICRC_LEN,
	MRC_ACK_LEN	= MRC_PKT_MIN + sizeof(struct mrc_aeth),
	MRC_SACK_LEN	= MRC_PKT_MIN + sizeof(struct mrc_seth) +
			  sizeof(struct mrc_cc_state),
	MRC_NACK_LEN	= MRC_PKT_MIN + sizeof(struct mrc_neth),
	MRC_PROBE_LEN	= MRC_PKT_MIN + sizeof(struct mrc_peth),
	MRC_EP_REQ_LEN	= MRC_PKT_MIN + sizeof(struct mrc_erth),
	MRC_EP_RSP_LEN	= MRC_PKT_MIN + sizeof(struct mrc_eeth),
	MRC_CTRL_MAX	= MRC_SACK_LEN,
};

/* A padded probe is as long as the longest data packet with @pmtu bytes of payload. */
#define MRC_PADDED_PROBE_LEN(pmtu)	(MRC_REQ_HDR_MAX + (pmtu) + MRC_ICRC_LEN)

static_assert(MRC_PADDED_PROBE_LEN(0) >= MRC_PROBE_LEN);
static_assert(MRC_REQ_HDR_MAX <= MRC_DATA_HDR_MAX);
static_assert(sizeof(struct mrc_bth) + sizeof(struct mrc_seth) +
	      sizeof(struct mrc_cc_state) <= MRC_HDR_MAX);
static_assert(MRC_EP_RSP_LEN <= MRC_CTRL_MAX);

/*
 * Entropy values. 32 bits are carried in the UDP source port and the low 16
 * bits of the IPv6 flow label; IPv4 carries only the source port's 16 bits, the
 * others are read as zero.
 *
 * Decision: which half goes where is "striped" in the paper and contradictory
 * in the readers.  With EV[15:0] in the source port the same EV works on IPv4
 * and IPv6.  Only switches which parse the bits (structured EVs) see a
 * difference.
 */

/**
 * mrc_ev_sport() - UDP source port of an EV
 * @ev: entropy value
 *
 * Return: source port, host order; any value, 0 included.
 */
static inline u16 mrc_ev_sport(u32 ev)
{
	return ev & 0xffff;
}

/**
 * mrc_ev_flowlabel() - IPv6 flow label of an EV
 * @ev: entropy value
 *
 * Return: flow label, host order, its upper 4 of 20 bits zero.
 */
static inline u32 mrc_ev_flowlabel(u32 ev)
{
	return ev >> 16;
}

/**
 * mrc_ev_from_headers() - EV of a received packet
 * @sport: UDP source port, host order
 * @flowlabel: IPv6 flow label, host order; 0 for IPv4
 *
 * Return: the entropy value to reflect in SACK and NACK.
 */
static inline u32 mrc_ev_from_headers(u16 sport, u32 flowlabel)
{
	return (flowlabel & 0xffff) << 16 | sport;
}

/**
 * mrc_ts_from_ns() - wire timestamp of a time
 * @ns: any monotonic clock, nanoseconds
 *
 * Return: time in MRC_TS_NS units modulo 2^16.
 */
static inline u16 mrc_ts_from_ns(u64 ns)
{
	return (ns >> MRC_TS_SHIFT) & U16_MAX;
}

/**
 * mrc_ts_elapsed_ns() - time since a wire timestamp was taken
 * @now_ns: now, of the same clock
 * @ts: reflected timestamp
 *
 * Return: elapsed nanoseconds, rounded to MRC_TS_NS, modulo 8.39 ms.
 */
static inline u32 mrc_ts_elapsed_ns(u64 now_ns, u16 ts)
{
	return (u32)(u16)(mrc_ts_from_ns(now_ns) - ts) << MRC_TS_SHIFT;
}

#endif /* MRC_CORE_WIRE_H */
