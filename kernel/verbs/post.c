// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: doorbells of processes, and work requests of users in the kernel,
 * which go through rings like those of processes.
 *
 * Users in the kernel post in any context, also with interrupts off and from
 * completion handlers.  So posting neither sends nor flushes: two work items do it.
 */
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "verbs/ah.h"
#include "verbs/qp.h"
#include "verbs/region.h"
#include "verbs/ring.h"
#include "verbs/srq.h"

static bool mrc_post_has_room(const struct mrc_ring *ring)
{
	return ring->hdr->prod - READ_ONCE(ring->hdr->cons) < ring->entries;
}

/* Slot of the next entry; only the holder of the lock may write it. */
static void *mrc_post_slot(const struct mrc_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	return mrc_ring_slot(ring, ring->hdr->prod);
}

static void mrc_post_advance(struct mrc_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	/* The entry is visible before its index. */
	smp_store_release(&ring->hdr->prod, ring->hdr->prod + 1);
}

static void mrc_post_sges(struct mrc_sge *to, const struct ib_sge *sge, int n)
{
	for (; n; n--, to++, sge++) {
		to->addr = sge->addr;
		to->length = sge->length;
		to->lkey = sge->lkey;
	}
}

static u16 mrc_post_flags(const struct ib_send_wr *wr)
{
	u16 flags = 0;

	if (wr->send_flags & IB_SEND_SIGNALED)
		flags |= MRC_SQE_SIGNALED;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= MRC_SQE_SOLICITED;
	if (wr->send_flags & IB_SEND_INLINE)
		flags |= MRC_SQE_INLINE;
	if (wr->send_flags & IB_SEND_FENCE)
		flags |= MRC_SQE_FENCE;
	return flags;
}

/* Fields of a datagram; as in rings of processes, @ah is the number of the handle. */
static int mrc_post_ud(const struct ib_send_wr *wr, struct mrc_sqe *sqe)
{
	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EOPNOTSUPP;
	if (wr->opcode == IB_WR_SEND_WITH_IMM)
		sqe->imm = (__force u32)wr->ex.imm_data;
	sqe->ah = mrc_ah_number(ud_wr(wr)->ah);
	sqe->remote_qpn = ud_wr(wr)->remote_qpn;
	sqe->rkey = ud_wr(wr)->remote_qkey;
	return 0;
}

/*
 * The address is that of the work request: the caller may have changed it after
 * ib_map_mr_sg().  Address and length use the same fields of the entry as for binding
 * a window.
 */
static int mrc_post_reg(const struct ib_reg_wr *wr, struct mrc_sqe *sqe)
{
	if (!mrc_region_same_index(wr->key, wr->mr->rkey))
		return -EINVAL;
	sqe->rkey = wr->key;
	sqe->access = wr->access;
	sqe->remote_addr = wr->mr->iova;
	sqe->compare_add = wr->mr->length;
	return 0;
}

/* Fields that depend on the operation; unsupported operations are refused. */
static int mrc_post_op(const struct ib_send_wr *wr, struct mrc_sqe *sqe)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
		return 0;
	case IB_WR_SEND_WITH_IMM:
		sqe->imm = (__force u32)wr->ex.imm_data;
		return 0;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		sqe->imm = wr->ex.invalidate_rkey;
		return 0;
	case IB_WR_REG_MR:
		return mrc_post_reg(reg_wr(wr), sqe);
	case IB_WR_RDMA_WRITE_WITH_IMM:
		sqe->imm = (__force u32)wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_READ:
		sqe->remote_addr = rdma_wr(wr)->remote_addr;
		sqe->rkey = rdma_wr(wr)->rkey;
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		sqe->remote_addr = atomic_wr(wr)->remote_addr;
		sqe->rkey = atomic_wr(wr)->rkey;
		sqe->compare_add = atomic_wr(wr)->compare_add;
		sqe->swap = atomic_wr(wr)->swap;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* The SGEs of inline data of users in the kernel hold kernel addresses. */
static int mrc_post_inline(const struct mrc_sq *sq, const struct ib_send_wr *wr,
			   struct mrc_sqe *sqe)
{
	void *to = sqe + 1;
	u64 len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	if (len > sq->max_inline)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; to += wr->sg_list[i++].length)
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
	sqe->inline_len = len;
	return 0;
}

static int mrc_post_one_send(struct mrc_qp *qp, const struct ib_send_wr *wr)
{
	struct mrc_sq *sq = &qp->sq;
	struct mrc_sqe *sqe = mrc_post_slot(sq->ring);
	int err;

	if (!mrc_post_has_room(sq->ring))
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge ||
	    wr->send_flags & IB_SEND_IP_CSUM)
		return -EINVAL;

	memset(sqe, 0, sizeof(*sqe));
	sqe->wr_id = wr->wr_id;
	sqe->opcode = wr->opcode;
	sqe->flags = mrc_post_flags(wr);
	err = mrc_qp_is_ud(qp) ? mrc_post_ud(wr, sqe) : mrc_post_op(wr, sqe);
	if (err)
		return err;
	if (wr->send_flags & IB_SEND_INLINE) {
		err = mrc_post_inline(sq, wr, sqe);
		if (err)
			return err;
	} else {
		sqe->num_sge = wr->num_sge;
		mrc_post_sges((struct mrc_sge *)(sqe + 1), wr->sg_list,
			      wr->num_sge);
	}
	mrc_post_advance(sq->ring);
	return 0;
}

/* Schedules sending or flushing if the doorbell is armed; see mrc_ring_arm(). */
static void mrc_post_ring(struct mrc_qp *qp)
{
	/* The posted entries are visible before flag and state are read. */
	smp_mb();
	if (!(READ_ONCE(qp->sq.ring->hdr->flags) & MRC_RING_NEED_DOORBELL))
		return;
	switch (READ_ONCE(qp->state)) {
	case IB_QPS_ERR:
	case IB_QPS_SQE:
		mrc_qp_flush_soon(qp);
		break;
	default:
		mrc_conn_kick(&qp->conn);
	}
}

static bool mrc_post_may_send(const struct mrc_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return qp->sq.ring && (state == IB_QPS_RTS || state == IB_QPS_SQD ||
			       state == IB_QPS_SQE || state == IB_QPS_ERR);
}

static int mrc_post_sends(struct mrc_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	unsigned long irq;
	int err = 0;

	*bad_wr = wr;
	if (!mrc_post_may_send(qp))
		return -EINVAL;
	spin_lock_irqsave(&qp->sq.ring->lock, irq);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = mrc_post_one_send(qp, wr);
	}
	spin_unlock_irqrestore(&qp->sq.ring->lock, irq);
	mrc_post_ring(qp);
	return err;
}

/**
 * mrc_qp_post_send() - doorbell of the send queue, or post to it
 * @ibqp: queue pair
 * @wr: NULL for processes, whose work requests are in the ring; work requests of users
 *	in the kernel
 * @bad_wr: set to the first work request that was not posted
 *
 * Context: process; for users in the kernel any.
 * Return: 0 or a negative errno.
 */
int mrc_qp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);

	if (!ibqp->uobject)
		return mrc_post_sends(qp, wr, bad_wr);
	*bad_wr = wr;
	if (wr)
		return -EOPNOTSUPP;

	/* What the process has posted is visible before the state is read. */
	smp_mb();
	switch (READ_ONCE(qp->state)) {
	case IB_QPS_RTS:
	case IB_QPS_SQD:
		mrc_conn_note_poster(&qp->conn);
		mrc_conn_doorbell(&qp->conn);
		return 0;
	case IB_QPS_SQE:
	case IB_QPS_ERR:
		mrc_sq_flush(&qp->conn);
		return 0;
	default:
		return -EINVAL;
	}
}

static int mrc_post_one_recv(struct mrc_ring *ring, u32 max_sge,
			     const struct ib_recv_wr *wr)
{
	struct mrc_rqe *rqe = mrc_post_slot(ring);

	if (!mrc_post_has_room(ring))
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	mrc_post_sges((struct mrc_sge *)(rqe + 1), wr->sg_list, wr->num_sge);
	mrc_post_advance(ring);
	return 0;
}

static int mrc_post_recv_list(struct mrc_ring *ring, u32 max_sge,
			      const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad_wr)
{
	unsigned long irq;
	int err = 0;

	spin_lock_irqsave(&ring->lock, irq);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = mrc_post_one_recv(ring, max_sge, wr);
	}
	spin_unlock_irqrestore(&ring->lock, irq);
	return err;
}

/**
 * mrc_srq_post_recv() - post to a shared receive queue; for users in the kernel
 * @ibsrq: queue
 * @wr: work requests
 * @bad_wr: set to the first work request that was not posted
 *
 * An SRQ has no doorbell: the ring is read when a message arrives.
 *
 * Context: any.
 * Return: 0 or a negative errno.
 */
int mrc_srq_post_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);

	*bad_wr = wr;
	if (ibsrq->uobject)
		return -EOPNOTSUPP;
	return mrc_post_recv_list(srq->ring, srq->max_sge, wr, bad_wr);
}

static int mrc_post_recvs(struct mrc_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	int err;

	*bad_wr = wr;
	if (!qp->rq.ring || READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	err = mrc_post_recv_list(qp->rq.ring, qp->rq.max_sge, wr, bad_wr);

	/* What has been posted is visible before the state is read. */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		mrc_qp_flush_soon(qp);
	return err;
}

/**
 * mrc_qp_post_recv() - doorbell of the receive queue, or post to it
 * @ibqp: queue pair
 * @wr: NULL for processes, whose work requests are in the ring; work requests of users
 *	in the kernel
 * @bad_wr: set to the first work request that was not posted
 *
 * Only a QP in error needs the doorbell, to flush; in other states the ring is read
 * when a message arrives.
 *
 * Context: process; for users in the kernel any.
 * Return: 0 or a negative errno.
 */
int mrc_qp_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);

	if (!ibqp->uobject)
		return mrc_post_recvs(qp, wr, bad_wr);
	*bad_wr = wr;
	if (wr)
		return -EOPNOTSUPP;

	/* What the process has posted is visible before the state is read. */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		mrc_rq_flush(&qp->conn);
	return 0;
}
