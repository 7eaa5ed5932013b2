// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: life cycle and state.
 */
#include <errno.h>
#include <stdlib.h>

#include "mrc.h"

/**
 * mrc_wq_setup - map the ring of a queue
 * @wq: zeroed
 * @cmd_fd: command file of the device
 * @info: response of the kernel
 * @entry_size: bytes that an entry needs
 *
 * Return: 0 or an errno.
 */
int mrc_wq_setup(struct mrc_wq *wq, int cmd_fd,
		 const struct mrc_ring_info *info, size_t entry_size)
{
	int ret = mrc_ring_map(&wq->ring, cmd_fd, info, entry_size);

	if (ret)
		return ret;
	ret = pthread_spin_init(&wq->lock, PTHREAD_PROCESS_PRIVATE);
	if (ret)
		mrc_ring_unmap(&wq->ring);
	return ret;
}

/**
 * mrc_wq_cleanup - undo mrc_wq_setup()
 * @wq: send or receive queue
 */
void mrc_wq_cleanup(struct mrc_wq *wq)
{
	mrc_ring_unmap(&wq->ring);
	pthread_spin_destroy(&wq->lock);
}

static size_t mrc_sqe_size(const struct ibv_qp_cap *cap)
{
	size_t sges = cap->max_send_sge * sizeof(struct mrc_sge);
	size_t room = sges > cap->max_inline_data ? sges :
						    cap->max_inline_data;

	return sizeof(struct mrc_sqe) + room;
}

/**
 * mrc_rqe_size - bytes of an entry of a receive queue
 * @max_sge: elements that it may have
 *
 * Return: bytes.
 */
size_t mrc_rqe_size(uint32_t max_sge)
{
	return sizeof(struct mrc_rqe) + max_sge * sizeof(struct mrc_sge);
}

/* @attr holds the limits that the kernel has granted. */
static int mrc_qp_setup(struct mrc_qp *qp, int cmd_fd,
			const struct ibv_qp_init_attr *attr,
			const struct mrc_create_qp_resp *resp)
{
	int ret;

	ret = mrc_wq_setup(&qp->sq, cmd_fd, &resp->sq,
			   mrc_sqe_size(&attr->cap));
	if (ret)
		return ret;
	ret = mrc_wq_setup(&qp->rq, cmd_fd, &resp->rq,
			   mrc_rqe_size(attr->cap.max_recv_sge));
	if (ret) {
		mrc_wq_cleanup(&qp->sq);
		return ret;
	}
	qp->sq.max_sge = attr->cap.max_send_sge;
	qp->rq.max_sge = attr->cap.max_recv_sge;
	qp->max_inline = attr->cap.max_inline_data;
	qp->sq_sig_all = attr->sq_sig_all;
	return 0;
}

/**
 * mrc_create_qp - create a queue pair
 * @pd: protection domain
 * @attr: what is wanted; the limits are updated to what was granted
 *
 * Return: the queue pair, or NULL with errno set.
 */
struct ibv_qp *mrc_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct mrc_cmd_create_qp_resp resp = {};
	struct mrc_cmd_create_qp cmd = {};
	struct mrc_qp *qp;
	int ret;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	ret = ibv_cmd_create_qp(pd, &qp->vqp.qp, attr, &cmd.ibv_cmd,
				sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free;

	ret = mrc_qp_setup(qp, pd->context->cmd_fd, attr, &resp.drv_payload);
	if (ret)
		goto err_destroy;
	return &qp->vqp.qp;

err_destroy:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
err_free:
	free(qp);
	errno = ret;
	return NULL;
}

#define MRC_QP_INIT_MASK                                                      \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |              \
	 IBV_QP_INIT_ATTR_CREATE_FLAGS)

static bool mrc_qp_ex_supported(const struct mrc_context *ctx,
				const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~MRC_QP_INIT_MASK)
		return false;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags)
		return false;
	return !(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	       mrc_wr_supported(ctx, attr->send_ops_flags);
}

/**
 * mrc_create_qp_ex - create a queue pair, with extended attributes
 * @ctx: open device
 * @attr: what is wanted; the limits are updated to what was granted
 *
 * Return: the queue pair, or NULL with errno set: EOPNOTSUPP for unsupported
 * attributes and operations.
 */
struct ibv_qp *mrc_create_qp_ex(struct ibv_context *ctx,
				struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr basic = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
	};
	struct ibv_qp *ibqp;

	if (!mrc_qp_ex_supported(to_mctx(ctx), attr)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD)) {
		errno = EINVAL;
		return NULL;
	}
	ibqp = mrc_create_qp(attr->pd, &basic);
	if (!ibqp)
		return NULL;
	attr->cap = basic.cap;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		mrc_wr_setup(to_mqp(ibqp));
	return ibqp;
}

/**
 * mrc_query_qp - query the attributes of a queue pair
 * @ibqp: queue pair
 * @attr: filled in
 * @attr_mask: enum ibv_qp_attr_mask, requested attributes
 * @init_attr: filled in
 *
 * Return: 0 or an errno.
 */
int mrc_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd,
				sizeof(cmd));
}

static void mrc_qp_purge(struct ibv_qp *ibqp, uint32_t qpn)
{
	mrc_cq_purge(to_mcq(ibqp->send_cq), qpn);
	if (ibqp->recv_cq != ibqp->send_cq)
		mrc_cq_purge(to_mcq(ibqp->recv_cq), qpn);
}

/**
 * mrc_modify_qp - change attributes or the state of a queue pair
 * @ibqp: queue pair
 * @attr: new values
 * @attr_mask: enum ibv_qp_attr_mask of the values that are set
 *
 * The transition to RESET discards posted work requests and completions of the QP.
 *
 * Return: 0 or an errno.
 */
int mrc_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET)
		mrc_qp_purge(ibqp, ibqp->qp_num);
	return 0;
}

/**
 * mrc_destroy_qp - destroy a queue pair
 * @ibqp: queue pair
 *
 * The completions are purged after the QP has been destroyed.  Its number does not
 * belong to another QP by then: the kernel assigns numbers cyclically.
 *
 * Return: 0 or an errno.
 */
int mrc_destroy_qp(struct ibv_qp *ibqp)
{
	struct mrc_qp *qp = to_mqp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;
	mrc_sq_forget(qp);
	mrc_qp_purge(ibqp, ibqp->qp_num);
	mrc_wq_cleanup(&qp->rq);
	mrc_wq_cleanup(&qp->sq);
	free(qp);
	return 0;
}
