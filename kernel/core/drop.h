/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reasons for which a received packet is dropped. One list for all layers, so
 * that an index into it is also an index into the drop counters.
 */
#ifndef MRC_CORE_DROP_H
#define MRC_CORE_DROP_H

/**
 * enum mrc_drop - why a received packet was dropped
 * @MRC_DROP_NONE: not dropped
 * @MRC_DROP_SHORT: shorter than its headers
 * @MRC_DROP_LONG: control packet with bytes behind its end, or payload larger
 *	than the largest path MTU
 * @MRC_DROP_NOT_MRC: opcode of another transport (RC, UC, ..)
 * @MRC_DROP_OPCODE: opcode of the MRC class, but undefined or not supported
 * @MRC_DROP_TVER: unknown transport version
 * @MRC_DROP_PKEY: not the default partition
 * @MRC_DROP_QPN: reserved QPN, or one that the opcode does not allow
 * @MRC_DROP_PAD: pad count larger than the payload, or not allowed
 * @MRC_DROP_LENGTH: payload length impossible for the opcode
 * @MRC_DROP_DMALEN: message length contradicts opcode, payload or offset
 * @MRC_DROP_VA: address range wraps around
 * @MRC_DROP_NOICRC: no ICRC, although the packet must have one: it is a control
 *	packet, it has no UDP checksum either, or the operator requires the ICRC
 * @MRC_DROP_NACK_REASON: NACK with an unknown reason, or Acknowledge with a
 *	syndrome of a reserved type
 * @MRC_DROP_EP_OP: endpoint packet with an unknown operation
 * @MRC_DROP_ICRC: ICRC is wrong
 * @MRC_DROP_NO_QP: no QP of that number
 * @MRC_DROP_QP_STATE: QP is not in a state to receive
 * @MRC_DROP_PEER: not sent by the peer of its QP
 * @MRC_DROP_WINDOW: PSN far outside the window
 * @MRC_DROP_MTU: payload larger than the path MTU of its QP
 * @MRC_DROP_ENCAP: SRv6 or tunnel headers are invalid or unexpected
 * @MRC_DROP_NO_MEM: memory allocation failed
 * @MRC_DROP_STALE: acknowledgment of PSNs that have never been sent, or that are
 *	more than a PSN window old
 * @MRC_DROP_QKEY: datagram with another Q_Key than that of its QP
 * @MRC_DROP_NO_RECV: datagram for which no receive work request is posted that
 *	is large enough
 * @MRC_DROP_EP_RESPONSE: endpoint response that matches no request of this device
 * @MRC_DROP_BACKLOG: too many buffers wait for the home processor of its QP
 * @MRC_DROP_NR: number of reasons
 */
enum mrc_drop {
	MRC_DROP_NONE = 0,
	/* found by the decoder */
	MRC_DROP_SHORT,
	MRC_DROP_LONG,
	MRC_DROP_NOT_MRC,
	MRC_DROP_OPCODE,
	MRC_DROP_TVER,
	MRC_DROP_PKEY,
	MRC_DROP_QPN,
	MRC_DROP_PAD,
	MRC_DROP_LENGTH,
	MRC_DROP_DMALEN,
	MRC_DROP_VA,
	MRC_DROP_NOICRC,
	MRC_DROP_NACK_REASON,
	MRC_DROP_EP_OP,
	/* found by the layers above it */
	MRC_DROP_ICRC,
	MRC_DROP_NO_QP,
	MRC_DROP_QP_STATE,
	MRC_DROP_PEER,
	MRC_DROP_WINDOW,
	MRC_DROP_MTU,
	MRC_DROP_ENCAP,
	MRC_DROP_NO_MEM,
	MRC_DROP_STALE,
	MRC_DROP_QKEY,
	MRC_DROP_NO_RECV,
	MRC_DROP_EP_RESPONSE,
	MRC_DROP_BACKLOG,
	MRC_DROP_NR
};

#endif /* MRC_CORE_DROP_H */
