// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended completion queues: entries are read in place.
 */
#include <errno.h>
#include <stdlib.h>

#include "mrc.h"

#define MRC_CQ_EX_WC_FLAGS                                                    \
	((uint64_t)IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

/* Makes the oldest entry the current one; ENOENT if there is none. */
static int mrc_cq_ex_look(struct mrc_cq *cq)
{
	int ready = mrc_cq_ready(cq);

	if (ready <= 0)
		return ready ? -ready : ENOENT;
	cq->current = mrc_ring_slot(&cq->ring, cq->cons);
	cq->vcq.cq_ex.wr_id = cq->current->wr_id;
	cq->vcq.cq_ex.status = cq->current->status;
	return 0;
}

static int mrc_cq_ex_start_poll(struct ibv_cq_ex *ibcq,
				struct ibv_poll_cq_attr *attr)
{
	struct mrc_cq *cq = to_mcq_ex(ibcq);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	pthread_spin_lock(&cq->lock);
	ret = mrc_cq_ex_look(cq);
	if (ret == ENOENT)
		mrc_sq_announce(cq);
	mrc_cq_polled(cq);
	if (ret)
		pthread_spin_unlock(&cq->lock);
	if (ret == ENOENT)
		mrc_idle_poll();
	return ret;
}

/* The caller must call mrc_cq_ex_end_poll() whatever this returns. */
static int mrc_cq_ex_next_poll(struct ibv_cq_ex *ibcq)
{
	struct mrc_cq *cq = to_mcq_ex(ibcq);

	if (cq->current)
		mrc_cq_retire(cq, 1);
	cq->current = NULL;
	return mrc_cq_ex_look(cq);
}

static void mrc_cq_ex_end_poll(struct ibv_cq_ex *ibcq)
{
	struct mrc_cq *cq = to_mcq_ex(ibcq);

	if (cq->current)
		mrc_cq_retire(cq, 1);
	cq->current = NULL;
	pthread_spin_unlock(&cq->lock);
}

static enum ibv_wc_opcode mrc_cq_ex_opcode(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->opcode;
}

static uint32_t mrc_cq_ex_vendor_err(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->vendor_err;
}

static uint32_t mrc_cq_ex_byte_len(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->byte_len;
}

static __be32 mrc_cq_ex_imm_data(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->imm;
}

static uint32_t mrc_cq_ex_qp_num(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->qpn;
}

static uint32_t mrc_cq_ex_src_qp(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->src_qpn;
}

static unsigned int mrc_cq_ex_wc_flags(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->wc_flags;
}

static uint64_t mrc_cq_ex_timestamp(struct ibv_cq_ex *cq)
{
	return to_mcq_ex(cq)->current->timestamp;
}

/* An Ethernet device has no LIDs and no service levels. */
static uint32_t mrc_cq_ex_slid(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint8_t mrc_cq_ex_zero(struct ibv_cq_ex *cq)
{
	return 0;
}

static void mrc_cq_ex_set_ops(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	cq->start_poll = mrc_cq_ex_start_poll;
	cq->next_poll = mrc_cq_ex_next_poll;
	cq->end_poll = mrc_cq_ex_end_poll;
	cq->read_opcode = mrc_cq_ex_opcode;
	cq->read_vendor_err = mrc_cq_ex_vendor_err;
	cq->read_wc_flags = mrc_cq_ex_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		cq->read_byte_len = mrc_cq_ex_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		cq->read_imm_data = mrc_cq_ex_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		cq->read_qp_num = mrc_cq_ex_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		cq->read_src_qp = mrc_cq_ex_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		cq->read_slid = mrc_cq_ex_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		cq->read_sl = mrc_cq_ex_zero;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		cq->read_dlid_path_bits = mrc_cq_ex_zero;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = mrc_cq_ex_timestamp;
}

/**
 * mrc_create_cq_ex - create an extended completion queue
 * @ctx: open device
 * @attr: attributes; the kernel checks comp_mask and flags
 *
 * Return: the queue, or NULL with errno set.
 */
struct ibv_cq_ex *mrc_create_cq_ex(struct ibv_context *ctx,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct mrc_cmd_create_cq_ex_resp resp = {};
	struct mrc_cmd_create_cq_ex cmd = {};
	struct mrc_cq *cq;
	int ret;

	if (attr->wc_flags & ~MRC_CQ_EX_WC_FLAGS) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	ret = ibv_cmd_create_cq_ex(ctx, attr, &cq->vcq, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp),
				   0);
	if (ret)
		goto err_free;

	ret = mrc_cq_setup(cq, ctx->cmd_fd, &resp.drv_payload);
	if (ret)
		goto err_destroy;
	mrc_cq_ex_set_ops(&cq->vcq.cq_ex, attr->wc_flags);
	return &cq->vcq.cq_ex;

err_destroy:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
err_free:
	free(cq);
	errno = ret;
	return NULL;
}
