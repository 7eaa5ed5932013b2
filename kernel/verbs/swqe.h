/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send work requests: private copies of the entries of a send queue's ring, and the
 * checks before one is used.
 */
#ifndef MRC_VERBS_SWQE_H
#define MRC_VERBS_SWQE_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "core/wire.h"

struct mrc_qp;

/**
 * struct mrc_swqe - private copy of a send work request
 * @length: bytes of the message
 * @ended: a local work request that has been executed
 * @unplaced: the memory for its response is not accessible; written under rsp_lock
 * @sqe: as posted
 * @sge: as posted, without MRC_SQE_INLINE
 * @data: inline data, with MRC_SQE_INLINE
 */
struct mrc_swqe {
	u32 length;
	bool ended;
	bool unplaced;
	struct mrc_sqe sqe;
	union {
		DECLARE_FLEX_ARRAY(struct mrc_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

/**
 * mrc_sqe_is_atomic() - is a work request an ATOMIC?
 * @sqe: private copy
 *
 * Return: true if it does.
 */
static inline bool mrc_sqe_is_atomic(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       sqe->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/**
 * mrc_sqe_is_local() - is a work request executed without a packet to the peer?
 * @sqe: private copy
 *
 * Return: true for bind, local invalidation and fast registration.
 */
static inline bool mrc_sqe_is_local(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_BIND_MW ||
	       sqe->opcode == IB_WR_LOCAL_INV || sqe->opcode == IB_WR_REG_MR;
}

/**
 * mrc_sqe_is_rd_atomic() - is a work request a READ or ATOMIC?
 * @sqe: private copy
 *
 * Return: true if the peer will send a response with data.
 */
static inline bool mrc_sqe_is_rd_atomic(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_RDMA_READ || mrc_sqe_is_atomic(sqe);
}

/**
 * mrc_sqe_is_send() - is a work request a SEND of any kind?
 * @sqe: private copy
 *
 * Return: true with or without immediate data or invalidation.
 */
static inline bool mrc_sqe_is_send(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_SEND ||
	       sqe->opcode == IB_WR_SEND_WITH_IMM ||
	       sqe->opcode == IB_WR_SEND_WITH_INV;
}

void mrc_swqe_copy(struct mrc_swqe *wqe, const struct mrc_sqe *slot);
enum mrc_status mrc_swqe_load(struct mrc_qp *qp, struct mrc_swqe *wqe);
u16 mrc_sqe_msg_flags(const struct mrc_sqe *sqe);

#endif /* MRC_VERBS_SWQE_H */
