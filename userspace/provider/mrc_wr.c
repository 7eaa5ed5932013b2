// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting through struct ibv_qp_ex: each call fills in a part of a ring entry.
 * wr_complete() publishes all work requests since wr_start(), or none of them.
 */
#include <errno.h>
#include <string.h>

#include "mrc.h"

/**
 * struct mrc_wr_op - an operation of the extended interface
 * @flag: enum ibv_qp_create_send_ops_flags
 * @opcode: opcode of the kernel's interface
 */
struct mrc_wr_op {
	uint64_t flag;
	enum ibv_wr_opcode opcode;
};

static const struct mrc_wr_op mrc_wr_ops[] = {
	{ IBV_QP_EX_WITH_RDMA_WRITE, IBV_WR_RDMA_WRITE },
	{ IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ IBV_QP_EX_WITH_SEND, IBV_WR_SEND },
	{ IBV_QP_EX_WITH_SEND_WITH_IMM, IBV_WR_SEND_WITH_IMM },
	{ IBV_QP_EX_WITH_RDMA_READ, IBV_WR_RDMA_READ },
	{ IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_CMP_AND_SWP },
	{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ IBV_QP_EX_WITH_LOCAL_INV, IBV_WR_LOCAL_INV },
	{ IBV_QP_EX_WITH_BIND_MW, IBV_WR_BIND_MW },
	{ IBV_QP_EX_WITH_SEND_WITH_INV, IBV_WR_SEND_WITH_INV },
	{},
};

/**
 * mrc_wr_supported - can all these operations be posted?
 * @ctx: open device
 * @flags: enum ibv_qp_create_send_ops_flags
 *
 * Return: false if the kernel does not support one of them.
 */
bool mrc_wr_supported(const struct mrc_context *ctx, uint64_t flags)
{
	const struct mrc_wr_op *op;

	for (op = mrc_wr_ops; op->flag; op++)
		if (mrc_opcode_supported(ctx, op->opcode))
			flags &= ~op->flag;
	return !flags;
}

static void mrc_wr_start(struct ibv_qp_ex *ibqp)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);

	pthread_spin_lock(&qp->sq.lock);
	qp->wr_first = qp->sq.prod;
	qp->wr_sqe = NULL;
	qp->wr_err = mrc_qp_may_send(&ibqp->qp_base) ? 0 : EINVAL;
}

static int mrc_wr_complete(struct ibv_qp_ex *ibqp)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);
	struct mrc_wq *sq = &qp->sq;
	int ret = qp->wr_err;
	uint32_t posted;

	if (ret)
		sq->prod = qp->wr_first;
	posted = sq->prod - qp->wr_first;
	if (posted)
		mrc_ring_set_prod(&sq->ring, sq->prod);
	pthread_spin_unlock(&sq->lock);
	return posted ? mrc_sq_wake(qp, posted) : ret;
}

static void mrc_wr_abort(struct ibv_qp_ex *ibqp)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);

	qp->sq.prod = qp->wr_first;
	pthread_spin_unlock(&qp->sq.lock);
}

/* Begins the next entry; NULL after an error, which wr_complete() reports. */
static struct mrc_sqe *mrc_wr_begin(struct ibv_qp_ex *ibqp,
				    enum ibv_wr_opcode opcode)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);
	struct mrc_wq *sq = &qp->sq;
	uint16_t flags = 0;

	qp->wr_sqe = NULL;
	if (!qp->wr_err)
		qp->wr_err = mrc_wq_reserve(sq);
	if (!qp->wr_err)
		qp->wr_err = mrc_sqe_flags(qp, ibqp->wr_flags, &flags);
	if (qp->wr_err)
		return NULL;
	qp->wr_sqe = mrc_ring_slot(&sq->ring, sq->prod++);
	*qp->wr_sqe = (struct mrc_sqe){
		.wr_id = ibqp->wr_id,
		.opcode = opcode,
		.flags = flags,
	};
	return qp->wr_sqe;
}

static struct mrc_sqe *mrc_wr_begin_remote(struct ibv_qp_ex *ibqp,
					   enum ibv_wr_opcode opcode,
					   uint32_t rkey, uint64_t remote_addr)
{
	struct mrc_sqe *sqe = mrc_wr_begin(ibqp, opcode);

	if (sqe) {
		sqe->rkey = rkey;
		sqe->remote_addr = remote_addr;
	}
	return sqe;
}

static void mrc_wr_send(struct ibv_qp_ex *ibqp)
{
	mrc_wr_begin(ibqp, IBV_WR_SEND);
}

static void mrc_wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	struct mrc_sqe *sqe = mrc_wr_begin(ibqp, IBV_WR_SEND_WITH_IMM);

	if (sqe)
		sqe->imm = imm_data;
}

static void mrc_wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct mrc_sqe *sqe = mrc_wr_begin(ibqp, IBV_WR_SEND_WITH_INV);

	if (sqe)
		sqe->imm = invalidate_rkey;
}

static void mrc_wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct mrc_sqe *sqe = mrc_wr_begin(ibqp, IBV_WR_LOCAL_INV);

	if (sqe)
		sqe->imm = invalidate_rkey;
}

static void mrc_wr_bind_mw(struct ibv_qp_ex *ibqp, struct ibv_mw *mw,
			   uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct mrc_sqe *sqe = mrc_wr_begin(ibqp, IBV_WR_BIND_MW);

	if (sqe)
		mrc_sqe_bind(sqe, mw, rkey, info);
}

static void mrc_wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey,
			     uint64_t remote_addr)
{
	mrc_wr_begin_remote(ibqp, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void mrc_wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
			      uint64_t remote_addr)
{
	mrc_wr_begin_remote(ibqp, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void mrc_wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey,
				  uint64_t remote_addr, __be32 imm_data)
{
	struct mrc_sqe *sqe;

	sqe = mrc_wr_begin_remote(ibqp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey,
				  remote_addr);
	if (sqe)
		sqe->imm = imm_data;
}

static void mrc_wr_atomic_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey,
				  uint64_t remote_addr, uint64_t compare,
				  uint64_t swap)
{
	struct mrc_sqe *sqe;

	sqe = mrc_wr_begin_remote(ibqp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey,
				  remote_addr);
	if (sqe) {
		sqe->compare_add = compare;
		sqe->swap = swap;
	}
}

static void mrc_wr_atomic_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey,
				    uint64_t remote_addr, uint64_t add)
{
	struct mrc_sqe *sqe;

	sqe = mrc_wr_begin_remote(ibqp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey,
				  remote_addr);
	if (sqe)
		sqe->compare_add = add;
}

static void mrc_wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t num_sge,
				const struct ibv_sge *sges)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);
	struct mrc_sqe *sqe = qp->wr_sqe;

	if (!sqe)
		return;
	if (num_sge > qp->sq.max_sge) {
		qp->wr_err = EINVAL;
		return;
	}
	if (num_sge)
		memcpy(sqe + 1, sges, num_sge * sizeof(*sges));
	sqe->num_sge = num_sge;
}

static void mrc_wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey,
			   uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};

	mrc_wr_set_sge_list(ibqp, 1, &sge);
}

static void mrc_wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t num_buf,
					const struct ibv_data_buf *bufs)
{
	struct mrc_qp *qp = to_mqp_ex(ibqp);
	struct mrc_sqe *sqe = qp->wr_sqe;
	char *data = (char *)(sqe + 1);
	size_t i, len = 0;

	if (!sqe)
		return;
	for (i = 0; i < num_buf; i++) {
		if (bufs[i].length > qp->max_inline - len ||
		    mrc_opcode_reads(sqe->opcode)) {
			qp->wr_err = EINVAL;
			return;
		}
		memcpy(data + len, bufs[i].addr, bufs[i].length);
		len += bufs[i].length;
	}
	sqe->inline_len = len;
	sqe->flags |= MRC_SQE_INLINE;
}

static void mrc_wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr,
				   size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	mrc_wr_set_inline_data_list(ibqp, 1, &buf);
}

static void mrc_wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah,
			       uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct mrc_sqe *sqe = to_mqp_ex(ibqp)->wr_sqe;

	if (!sqe)
		return;
	sqe->ah = to_mah(ah)->number;
	sqe->remote_qpn = remote_qpn;
	sqe->rkey = remote_qkey;
}

/**
 * mrc_wr_setup - set up the extended interface of a QP
 * @qp: queue pair
 */
void mrc_wr_setup(struct mrc_qp *qp)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;

	ex->wr_atomic_cmp_swp = mrc_wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = mrc_wr_atomic_fetch_add;
	ex->wr_bind_mw = mrc_wr_bind_mw;
	ex->wr_local_inv = mrc_wr_local_inv;
	ex->wr_rdma_read = mrc_wr_rdma_read;
	ex->wr_rdma_write = mrc_wr_rdma_write;
	ex->wr_rdma_write_imm = mrc_wr_rdma_write_imm;
	ex->wr_send = mrc_wr_send;
	ex->wr_send_imm = mrc_wr_send_imm;
	ex->wr_send_inv = mrc_wr_send_inv;
	ex->wr_set_inline_data = mrc_wr_set_inline_data;
	ex->wr_set_inline_data_list = mrc_wr_set_inline_data_list;
	ex->wr_set_sge = mrc_wr_set_sge;
	ex->wr_set_sge_list = mrc_wr_set_sge_list;
	ex->wr_set_ud_addr = mrc_wr_set_ud_addr;
	ex->wr_start = mrc_wr_start;
	ex->wr_complete = mrc_wr_complete;
	ex->wr_abort = mrc_wr_abort;
	mrc_verbs_qp_set_ex(&qp->vqp);
}
