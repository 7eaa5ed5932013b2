// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send work requests: private copies of the entries of a send queue's ring, and the
 * checks before one is used.
 */
#include <rdma/ib_verbs.h>
#include "core/wire.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/swqe.h"

static enum mrc_status mrc_swqe_load_inline(struct mrc_sq *sq,
					    struct mrc_swqe *wqe,
					    const struct mrc_sqe *slot)
{
	if (mrc_sqe_is_rd_atomic(&wqe->sqe))
		return MRC_ERR_LOC_QP_OP;
	if (wqe->sqe.num_sge || wqe->sqe.inline_len > sq->max_inline)
		return MRC_ERR_LOC_QP_OP;
	mrc_ring_copy(wqe->data, slot + 1, wqe->sqe.inline_len);
	wqe->length = wqe->sqe.inline_len;
	return MRC_OK;
}

static enum mrc_status mrc_swqe_load_sges(struct mrc_qp *qp,
					  struct mrc_swqe *wqe,
					  const struct mrc_sqe *slot)
{
	enum mrc_status status = MRC_OK;
	const struct mrc_sge *sge;
	const void *hint = NULL;
	int access = mrc_sqe_is_rd_atomic(&wqe->sqe) ? IB_ACCESS_LOCAL_WRITE : 0;
	u64 length = 0;
	u32 i;

	if (wqe->sqe.inline_len || wqe->sqe.num_sge > qp->sq.max_sge)
		return MRC_ERR_LOC_QP_OP;
	mrc_ring_copy(wqe->sge, slot + 1, wqe->sqe.num_sge * sizeof(*sge));

	for (i = 0; i < wqe->sqe.num_sge; i++) {
		sge = &wqe->sge[i];
		length += sge->length;
		if (sge->length &&
		    !mrc_region_grants(qp, sge->lkey, access, sge->addr,
				       sge->length, &hint))
			status = MRC_ERR_LOC_PROT;
	}

	if (length > MRC_MSG_MAX)
		return MRC_ERR_LOC_LEN;
	wqe->length = length;
	return status;
}

static bool mrc_swqe_opcode_ok(const struct mrc_qp *qp, u8 opcode)
{
	if (mrc_qp_is_ud(qp))
		return opcode == IB_WR_SEND || opcode == IB_WR_SEND_WITH_IMM;
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
	case IB_WR_BIND_MW:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return true;
	case IB_WR_REG_MR:
		/* Fast registration is for users in the kernel only. */
		return !qp->ib.uobject;
	default:
		return false;
	}
}

/*
 * A range beyond the end of the address space cannot be within a region of the peer,
 * and its packets would be malformed: fail as the peer would.
 */
static enum mrc_status mrc_swqe_check_remote(const struct mrc_swqe *wqe)
{
	if (mrc_sqe_is_send(&wqe->sqe) || !wqe->length)
		return MRC_OK;
	return wqe->sqe.remote_addr > U64_MAX - (wqe->length - 1) ?
		       MRC_ERR_REM_ACCESS : MRC_OK;
}

/*
 * IBTA 10.7.2.2: an ATOMIC returns 8 bytes; with max_rd_atomic 0 neither READ nor
 * ATOMIC may be posted.
 */
static enum mrc_status mrc_swqe_check_rd_atomic(const struct mrc_qp *qp,
						const struct mrc_swqe *wqe)
{
	if (!mrc_sqe_is_rd_atomic(&wqe->sqe))
		return MRC_OK;
	if (!qp->conn.req.cfg.max_rd_atomic)
		return MRC_ERR_LOC_QP_OP;
	if (mrc_sqe_is_atomic(&wqe->sqe) && wqe->length != sizeof(u64))
		return MRC_ERR_LOC_LEN;
	return MRC_OK;
}

/**
 * mrc_swqe_copy() - copy a work request out of a ring, unchecked
 * @wqe: filled in, except for SGEs and inline data
 * @slot: entry of the ring
 *
 * Context: any.
 */
void mrc_swqe_copy(struct mrc_swqe *wqe, const struct mrc_sqe *slot)
{
	wqe->length = 0;
	wqe->ended = false;
	wqe->unplaced = false;
	mrc_ring_copy(&wqe->sqe, slot, sizeof(wqe->sqe));
}

/**
 * mrc_swqe_load() - copy the next work request out of the ring and check the copy
 * @qp: its queue pair
 * @wqe: filled in
 *
 * Context: req_lock held.
 * Return: MRC_OK, or the status with which the work request must complete.
 */
enum mrc_status mrc_swqe_load(struct mrc_qp *qp, struct mrc_swqe *wqe)
{
	const struct mrc_sqe *slot = mrc_ring_slot(qp->sq.ring, qp->sq.fetch);
	enum mrc_status status;

	mrc_swqe_copy(wqe, slot);
	if (wqe->sqe.flags & ~MRC_SQE_FLAGS_ALL ||
	    !mrc_swqe_opcode_ok(qp, wqe->sqe.opcode))
		return MRC_ERR_LOC_QP_OP;
	if (mrc_sqe_is_local(&wqe->sqe))
		return wqe->sqe.num_sge || wqe->sqe.inline_len ?
			       MRC_ERR_LOC_QP_OP : MRC_OK;
	if (wqe->sqe.flags & MRC_SQE_INLINE)
		status = mrc_swqe_load_inline(&qp->sq, wqe, slot);
	else
		status = mrc_swqe_load_sges(qp, wqe, slot);
	return status ?: mrc_swqe_check_rd_atomic(qp, wqe) ?:
			 mrc_swqe_check_remote(wqe);
}

/**
 * mrc_sqe_msg_flags() - flags of the message that a work request becomes
 * @sqe: private copy
 *
 * Context: any.
 * Return: enum mrc_msg_flags.
 */
u16 mrc_sqe_msg_flags(const struct mrc_sqe *sqe)
{
	u16 flags = 0;

	if (mrc_sqe_is_send(sqe))
		flags |= MRC_MSG_SEND;
	if (sqe->opcode == IB_WR_SEND_WITH_IMM ||
	    sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		flags |= MRC_MSG_IMM;
	if (sqe->opcode == IB_WR_SEND_WITH_INV)
		flags |= MRC_MSG_INV;
	if (sqe->opcode == IB_WR_RDMA_READ)
		flags |= MRC_MSG_READ;
	if (mrc_sqe_is_atomic(sqe))
		flags |= MRC_MSG_ATOMIC;
	if (sqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP)
		flags |= MRC_MSG_CMP_SWAP;
	if (sqe->flags & MRC_SQE_SOLICITED)
		flags |= MRC_MSG_SOLICITED;
	if (sqe->flags & MRC_SQE_FENCE)
		flags |= MRC_MSG_FENCE;
	return flags;
}
