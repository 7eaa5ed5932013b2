// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.
 */
#include <errno.h>
#include <stdlib.h>

#include "mrc.h"

/**
 * mrc_create_srq - create a shared receive queue
 * @pd: protection domain
 * @attr: what is wanted; the limits are updated to what was granted
 *
 * Return: the queue, or NULL with errno set.
 */
struct ibv_srq *mrc_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct mrc_cmd_create_srq_resp resp = {};
	struct mrc_cmd_create_srq cmd = {};
	struct mrc_srq *srq;
	int ret;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	ret = ibv_cmd_create_srq(pd, &srq->srq, attr, &cmd.ibv_cmd,
				 sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free;

	srq->rq.max_sge = attr->attr.max_sge;
	ret = mrc_wq_setup(&srq->rq, pd->context->cmd_fd,
			   &resp.drv_payload.rq,
			   mrc_rqe_size(attr->attr.max_sge));
	if (ret)
		goto err_destroy;
	return &srq->srq;

err_destroy:
	ibv_cmd_destroy_srq(&srq->srq);
err_free:
	free(srq);
	errno = ret;
	return NULL;
}

/*
 * The kernel moves the posted entries to a new ring; the lock keeps other threads
 * from posting to the old one meanwhile.
 */
static int mrc_srq_resize(struct mrc_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask)
{
	struct mrc_ring_info info = {};
	struct mrc_cmd_modify_srq cmd = {
		.drv_payload.info = (uintptr_t)&info,
	};
	struct mrc_room room;
	int ret;

	/* The kernel takes no more; it refuses other values. */
	if (!attr->max_wr || attr->max_wr > MRC_RING_ENTRIES_MAX)
		return EINVAL;
	pthread_spin_lock(&srq->rq.lock);
	ret = mrc_ring_reserve(&srq->rq.ring, attr->max_wr, &room);
	if (ret)
		goto unlock;
	ret = ibv_cmd_modify_srq(&srq->srq, attr, attr_mask, &cmd.ibv_cmd,
				 sizeof(cmd));
	if (ret) {
		mrc_ring_release(&room);
		goto unlock;
	}
	ret = mrc_ring_replace(&srq->rq.ring, srq->srq.context->cmd_fd, &info,
			       mrc_rqe_size(srq->rq.max_sge), &room);
	if (!ret)
		srq->rq.cons = mrc_ring_cons(&srq->rq.ring);
unlock:
	pthread_spin_unlock(&srq->rq.lock);
	return ret;
}

/**
 * mrc_modify_srq - change the size or the limit
 * @ibsrq: shared receive queue
 * @attr: new values
 * @attr_mask: enum ibv_srq_attr_mask of the values that are set
 *
 * Return: 0 or an errno.  If the new ring cannot be mapped, mrc_post_srq_recv() fails
 * until another change of the size succeeds.
 */
int mrc_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		   int attr_mask)
{
	struct ibv_modify_srq cmd = {};

	if (attr_mask & IBV_SRQ_MAX_WR)
		return mrc_srq_resize(to_msrq(ibsrq), attr, attr_mask);
	return ibv_cmd_modify_srq(ibsrq, attr, attr_mask, &cmd, sizeof(cmd));
}

/**
 * mrc_query_srq - query the attributes of a shared receive queue
 * @ibsrq: shared receive queue
 * @attr: filled in
 *
 * Return: 0 or an errno.
 */
int mrc_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
}

/**
 * mrc_destroy_srq - destroy a shared receive queue
 * @ibsrq: without QPs that use it
 *
 * Return: 0 or an errno.
 */
int mrc_destroy_srq(struct ibv_srq *ibsrq)
{
	struct mrc_srq *srq = to_msrq(ibsrq);
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;
	mrc_wq_cleanup(&srq->rq);
	free(srq);
	return 0;
}

/**
 * mrc_post_srq_recv - post work requests to a shared receive queue
 * @ibsrq: shared receive queue
 * @wr: list of work requests
 * @bad_wr: set to the first one that was not posted
 *
 * Return: 0; ENOMEM if the queue is full; EINVAL if the request is not valid;
 * EIO if the device has been removed or the ring is lost.  The work requests before
 * @bad_wr in the list are posted.
 */
int mrc_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	bool posted;

	return mrc_rq_post(&to_msrq(ibsrq)->rq, wr, bad_wr, &posted);
}
