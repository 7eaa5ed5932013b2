/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send work requests: private copies of what is in a send queue's ring, and what
 * is checked before one is used.
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
 * @ended: it was local, and has been carried out
 * @unplaced: memory for its result has gone; written by the receiving side
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
 * mrc_sqe_is_atomic() - does a work request ask for an ATOMIC?
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
 * mrc_sqe_is_local() - does the peer hear nothing of a work request?
 * @sqe: private copy
 *
 * Return: true if it is carried out on this side alone.
 */
static inline bool mrc_sqe_is_local(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_BIND_MW ||
	       sqe->opcode == IB_WR_LOCAL_INV || sqe->opcode == IB_WR_REG_MR;
}

/**
 * mrc_sqe_asks() - does the peer's memory come back?
 * @sqe: private copy
 *
 * Return: true if there will be a result.
 */
static inline bool mrc_sqe_asks(const struct mrc_sqe *sqe)
{
	return sqe->opcode == IB_WR_RDMA_READ || mrc_sqe_is_atomic(sqe);
}

/**
 * mrc_sqe_is_send() - does a work request consume one of the peer's?
 * @sqe: private copy
 *
 * Return: true if it is a SEND of any kind.
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
