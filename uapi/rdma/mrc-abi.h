/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * Private verbs ABI of the mrc driver: the rings that a process shares with
 * the kernel and the driver parts of the uverbs requests and responses.
 *
 * Every ring is one mapping: a struct mrc_ring_hdr, then 2^n entries of one
 * fixed stride.  Indices run freely over 32 bits; the slot of index i is
 * i & (entries - 1).  Each index has one writer.  The kernel copies an entry
 * before it looks at it and never trusts an index: a process that writes
 * nonsense harms its own queue pair only.
 *
 * Doorbells are the uverbs write commands POST_SEND and POST_RECV with no work
 * request in them (wr_count = 0); together with REQ_NOTIFY_CQ they need their
 * bits in ib_device.uverbs_cmd_mask.
 *
 * Structs of requests and responses grow at their end.  The kernel truncates a
 * response to the room of the process and clears what it does not know; it takes
 * fields that are missing in a request as zero and refuses (EOPNOTSUPP) bytes other
 * than zero behind those that it knows.  Where zero is a value like others, a bit of
 * comp_mask says that a field is valid.
 *
 * Modifying a QP to RESET drops what is posted: the kernel sets cons to prod in
 * both rings and writes no CQE of the QP after the command has returned; the
 * process removes those that are there.  The same holds for destroying a QP.
 * QP numbers are handed out cyclically, so that such an entry is never taken
 * for one of a younger QP.
 */
#ifndef MRC_ABI_H
#define MRC_ABI_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define MRC_ABI_VERSION 1

/* Far from the sequentially assigned values of enum rdma_driver_id. */
#define RDMA_DRIVER_MRC 0x4d5243

/**
 * struct mrc_ring_hdr - first bytes of every shared ring
 * @prod: next index to be filled; SQ and RQ: written by the process, CQ: by
 *	the kernel
 * @wants: SQ: MRC_RING_WANT_* bits, written by the process
 * @reserved0: keeps the two writers in cache lines of their own
 * @cons: next index to be retired; SQ and RQ: written by the kernel when the
 *	work request has completed, SRQ: when a message has taken it, CQ: by the
 *	process when it has been polled
 * @flags: MRC_RING_* bits, written by the kernel
 * @reserved1: zero
 */
struct mrc_ring_hdr {
	__u32 prod;
	__u32 wants;
	__u32 reserved0[14];
	__u32 cons;
	__u32 flags;
	__u32 reserved1[14];
};

enum mrc_ring_flags {
	/*
	 * SQ: the kernel has seen the ring empty (or the QP is in error) and
	 * looks again only after a POST_SEND command.  RQ: the QP is in error
	 * and a POST_RECV command flushes what was posted.
	 * Process: store prod, full barrier, load flags.
	 */
	MRC_RING_NEED_DOORBELL = 1 << 0,
	/* CQ: an entry was lost because the ring was full; the CQ is dead. */
	MRC_RING_OVERRUN = 1 << 1,
	/*
	 * SQ: the kernel has seen the ring empty and looks again after
	 * MRC_RING_WATCH_US by itself, once; a POST_SEND command makes it look
	 * at once.  Set only if the process wants it.
	 */
	MRC_RING_WATCHED = 1 << 2,
};

enum mrc_ring_wants {
	/*
	 * SQ: the process is posting faster than it polls and would rather
	 * announce several work requests by one POST_SEND command.
	 */
	MRC_RING_WANT_WATCH = 1 << 0,
};

/* Microseconds for which a ring is watched; more on a host whose timers are late. */
#define MRC_RING_WATCH_US 50

/**
 * struct mrc_sge - one scatter/gather element
 * @addr: I/O virtual address within the memory region
 * @length: bytes
 * @lkey: local key of the memory region
 */
struct mrc_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct mrc_sqe - send queue entry; followed by the SGEs or the inline data
 * @wr_id: returned in the completion
 * @opcode: enum ib_uverbs_wr_opcode
 * @num_sge: elements that follow; 0 with MRC_SQE_INLINE
 * @flags: MRC_SQE_* bits
 * @inline_len: bytes of inline data that follow; 0 without MRC_SQE_INLINE
 * @imm: immediate data (network order), the R_Key to invalidate, or the R_Key
 *	by which the window to be bound is known
 * @rkey: remote key of RDMA operations; new R_Key of a window, which differs in
 *	its low 8 bits only; UD: Q_Key of the QP at the other end, with bit 31
 *	that of the own one
 * @remote_addr: remote address of RDMA operations, or start of a window
 * @compare_add: compare or add operand of atomics, or bytes of a window; 0: it
 *	is to be bound to nothing (type 1)
 * @swap: swap operand of atomics
 * @mr_key: L_Key of the memory region that a window is bound to
 * @access: enum ib_uverbs_access_flags of a window
 * @ah: UD: address handle, number from struct mrc_create_ah_resp
 * @remote_qpn: UD: QP at the other end
 *
 * To bind a window and to invalidate (IB_UVERBS_WR_BIND_MW, .._LOCAL_INV) take
 * no SGEs and no inline data.
 */
struct mrc_sqe {
	__aligned_u64 wr_id;
	__u8 opcode;
	__u8 num_sge;
	__u16 flags;
	__u32 inline_len;
	__u32 imm;
	__u32 rkey;
	__aligned_u64 remote_addr;
	__aligned_u64 compare_add;
	__aligned_u64 swap;
	__u32 mr_key;
	__u32 access;
	__u32 ah;
	__u32 remote_qpn;
};

enum mrc_sqe_flags {
	MRC_SQE_SIGNALED = 1 << 0,
	MRC_SQE_SOLICITED = 1 << 1,
	MRC_SQE_INLINE = 1 << 2,
	MRC_SQE_FENCE = 1 << 3,
	MRC_SQE_FLAGS_ALL = (1 << 4) - 1,
};

/**
 * struct mrc_rqe - entry of a receive queue or shared receive queue; followed by the SGEs
 * @wr_id: returned in the completion
 * @num_sge: elements that follow
 * @reserved: zero
 */
struct mrc_rqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
};

/**
 * struct mrc_cqe - completion queue entry
 * @wr_id: of the work request
 * @qpn: local queue pair
 * @src_qpn: remote queue pair
 * @byte_len: bytes received or transferred
 * @imm: immediate data (network order) or the invalidated R_Key
 * @vendor_err: what exactly failed; 0 with success
 * @status: enum ib_wc_status
 * @opcode: enum ibv_wc_opcode of the uverbs ABI
 * @wc_flags: MRC_CQE_* bits
 * @sq: 1 if the entry belongs to the send queue
 * @timestamp: CLOCK_MONOTONIC nanoseconds when the entry was written
 * @network_hdr: UD: enum rdma_network_type of the packet, for users in the kernel
 * @reserved0: zero
 * @reserved: zero
 */
struct mrc_cqe {
	__aligned_u64 wr_id;
	__u32 qpn;
	__u32 src_qpn;
	__u32 byte_len;
	__u32 imm;
	__u32 vendor_err;
	__u8 status;
	__u8 opcode;
	__u8 wc_flags;
	__u8 sq;
	__aligned_u64 timestamp;
	__u8 network_hdr;
	__u8 reserved0[7];
	__aligned_u64 reserved[2];
};

/* The same as enum ibv_wc_flags of libibverbs; the kernel's own flags differ. */
enum mrc_cqe_flags {
	MRC_CQE_WITH_GRH = 1 << 0,
	MRC_CQE_WITH_IMM = 1 << 1,
	MRC_CQE_WITH_INV = 1 << 3,
};

/**
 * struct mrc_ring_info - how to map one ring
 * @mmap_key: offset for mmap() of the command file
 * @mmap_size: bytes to map; 0 if the object has no such ring
 * @entries: power of two
 * @stride: bytes from one entry to the next
 */
struct mrc_ring_info {
	__aligned_u64 mmap_key;
	__aligned_u64 mmap_size;
	__u32 entries;
	__u32 stride;
};

enum mrc_ucontext_mask {
	MRC_UCONTEXT_SEND_OPCODES = 1 << 0,
};

/**
 * struct mrc_alloc_ucontext_resp - what the device offers to this process
 * @comp_mask: enum mrc_ucontext_mask, the fields that are valid
 * @send_opcodes: bit n is set if opcode n of enum ib_uverbs_wr_opcode may be
 *	posted; the provider refuses the others
 */
struct mrc_alloc_ucontext_resp {
	__u32 comp_mask;
	__u32 send_opcodes;
};

/**
 * struct mrc_create_ah_resp - the name of an address handle
 * @ah: for &struct mrc_sqe
 * @reserved: zero
 */
struct mrc_create_ah_resp {
	__u32 ah;
	__u32 reserved;
};

struct mrc_create_cq_resp {
	struct mrc_ring_info cq;
};

/*
 * The entries are moved to a new ring, indices included; the process polls
 * nothing between the command and the mapping of that ring.
 */
struct mrc_resize_cq_resp {
	struct mrc_ring_info cq;
};

struct mrc_create_qp_resp {
	struct mrc_ring_info sq;
	struct mrc_ring_info rq;
};

struct mrc_create_srq_resp {
	struct mrc_ring_info rq;
};

/**
 * struct mrc_modify_srq_req - new size of a shared receive queue
 * @info: address of a struct mrc_ring_info, which the kernel fills: MODIFY_SRQ has
 *	no response
 * @comp_mask: fields behind @reserved that are valid; none is defined yet, and the
 *	kernel refuses (EOPNOTSUPP) bits that it does not know
 * @reserved: zero
 *
 * The entries are moved to a new ring, indices included; the process posts
 * nothing between the command and the mapping of that ring.
 */
struct mrc_modify_srq_req {
	__aligned_u64 info;
	__u32 comp_mask;
	__u32 reserved;
};

/*
 * Attributes of a QP that verbs have not: methods of the driver on the QP object of
 * the uverbs ioctl ABI.  A process names its own QPs by handle, so they need no
 * privilege.  The driver part of MODIFY_QP would do to set attributes, but QUERY_QP
 * has none to read them.
 */
enum mrc_ib_qp_methods {
	MRC_IB_METHOD_QP_MODIFY = 1U << UVERBS_ID_NS_SHIFT,
	MRC_IB_METHOD_QP_QUERY,
};

enum mrc_ib_qp_modify_attrs {
	/* IDR of UVERBS_OBJECT_QP, mandatory */
	MRC_IB_ATTR_QP_MODIFY_HANDLE = 1U << UVERBS_ID_NS_SHIFT,
	/* in: struct mrc_ib_qp_attr, mandatory */
	MRC_IB_ATTR_QP_MODIFY_ATTR,
};

enum mrc_ib_qp_query_attrs {
	/* IDR of UVERBS_OBJECT_QP, mandatory */
	MRC_IB_ATTR_QP_QUERY_HANDLE = 1U << UVERBS_ID_NS_SHIFT,
	/* out: struct mrc_ib_qp_attr, mandatory */
	MRC_IB_ATTR_QP_QUERY_ATTR,
};

enum mrc_ib_device_methods {
	MRC_IB_METHOD_DEVICE_QUERY = 1U << UVERBS_ID_NS_SHIFT,
};

enum mrc_ib_device_query_attrs {
	/* out: struct mrc_ib_device_attr, mandatory */
	MRC_IB_ATTR_DEVICE_QUERY_ATTR = 1U << UVERBS_ID_NS_SHIFT,
};

enum mrc_ib_limits {
	/* Bytes of the name of an EV profile or CC profile, NUL included. */
	MRC_IB_NAME_MAX = 64,
};

/* Which attributes are set, or have been. */
enum mrc_ib_qp_attr_mask {
	/* Any state; at once. */
	MRC_IB_QP_EV_PROFILE = 1 << 0,
	MRC_IB_QP_CC_PROFILE = 1 << 1,
	MRC_IB_QP_TIMEOUT = 1 << 2,
	MRC_IB_QP_LINEAR_CNT = 1 << 3,
	MRC_IB_QP_EXP_CNT = 1 << 4,
	/* Before Ready to Send. */
	MRC_IB_QP_MPR = 1 << 5,
	MRC_IB_QP_MAX_WIMM = 1 << 6,
	/* Before Ready to Receive. */
	MRC_IB_QP_MPR_DEST = 1 << 7,
	MRC_IB_QP_MAX_WIMM_DEST = 1 << 8,
	MRC_IB_QP_TRIM_NACK = 1 << 9,
	MRC_IB_QP_DYNAMIC_MPR = 1 << 10,
	MRC_IB_QP_SVC_TIME = 1 << 11,
	MRC_IB_QP_SVC_TIME_DEST = 1 << 12,
};

/**
 * struct mrc_ib_qp_attr - attributes of a QP
 * @mask: enum mrc_ib_qp_attr_mask: MODIFY: attributes to be set; QUERY: those that
 *	have been set since Reset
 * @mpr: PSN window of the requester
 * @mpr_dest: PSN window of the responder
 * @max_wimm: most messages in flight that consume a receive WQE of the peer
 * @max_wimm_dest: the same of the peer; one more gets a NAK
 * @timeout: local ACK timeout, 1.024 us * 2^n, from 1 on; QUERY: 0: none
 * @linear_cnt: retransmission timeouts of that length
 * @exp_cnt: further ones, each twice as long as the one before; the largest value
 *	stands for no limit
 * @trim_nack: 1: the responder sends a NACK for a trimmed packet; 0: it does not
 * @dynamic_mpr: 1: the responder announces its PSN window, and the requester obeys
 *	what the peer announces; both sides have to agree
 * @svc_time: 1: the requester subtracts the service time of the peer from round
 *	trips; the peer must have @svc_time_dest
 * @svc_time_dest: 1: the responder reports its service time
 * @reserved: zero
 * @reserved1: zero
 * @ev_profile: name of the EV profile, which is of the device of the QP and online;
 *	empty: that of the destination
 * @cc_profile: name of the CC profile, likewise; empty: that of the destination or
 *	device
 *
 * QUERY returns the values in effect, or that will be in effect with what is known of
 * the QP.  Limits are those of &struct mrc_ib_device_attr.  All attributes that are to
 * be set are set, or none.  A QP that enters Reset forgets all of them.
 */
struct mrc_ib_qp_attr {
	__u32 mask;
	__u32 mpr;
	__u32 mpr_dest;
	__u32 max_wimm;
	__u32 max_wimm_dest;
	__u8 timeout;
	__u8 linear_cnt;
	__u8 exp_cnt;
	__u8 trim_nack;
	__u8 dynamic_mpr;
	__u8 svc_time;
	__u8 svc_time_dest;
	__u8 reserved;
	__u32 reserved1;
	char ev_profile[MRC_IB_NAME_MAX];
	char cc_profile[MRC_IB_NAME_MAX];
};

enum mrc_ib_device_caps {
	MRC_IB_CAP_TRIM_NACK = 1 << 0,
	MRC_IB_CAP_DYNAMIC_MPR = 1 << 1,
	MRC_IB_CAP_SVC_TIME = 1 << 2,
};

/**
 * struct mrc_ib_device_attr - limits of the attributes of QPs
 * @protocol: versions of the wire format, bit 0 for 1.0
 * @caps: enum mrc_ib_device_caps
 * @mpr_min: smallest PSN window
 * @mpr_max: largest PSN window, of requester and responder
 * @mpr_unit: PSN windows that are announced are multiples of this
 * @max_wimm: largest value of the requester
 * @max_wimm_dest: largest value of the responder
 * @timeout_max: largest value of &struct mrc_ib_qp_attr.timeout
 * @linear_max: largest value of &struct mrc_ib_qp_attr.linear_cnt
 * @exp_max: largest value of &struct mrc_ib_qp_attr.exp_cnt
 * @reserved: zero
 */
struct mrc_ib_device_attr {
	__u32 protocol;
	__u32 caps;
	__u32 mpr_min;
	__u32 mpr_max;
	__u32 mpr_unit;
	__u32 max_wimm;
	__u32 max_wimm_dest;
	__u8 timeout_max;
	__u8 linear_max;
	__u8 exp_max;
	__u8 reserved;
};

#endif /* MRC_ABI_H */
