// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests.
 */
#include "qp.h"

static bool send_ok(const struct ibv_send_wr *wr)
{
	return (wr->opcode == IBV_WR_RDMA_WRITE ||
		wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) &&
	       wr->num_sge >= 0 && (!wr->num_sge || wr->sg_list);
}

/*
 * The last one of the acceptable work requests that @wr begins with; NULL if there is
 * none.  More than fit into the queue need not be looked at.
 */
static struct ibv_send_wr *send_last(const struct mrc_qp *qp,
				     struct ibv_send_wr *wr)
{
	struct ibv_send_wr *last = NULL;
	uint32_t n;

	for (n = 0; wr && n <= qp->max_send_wr && send_ok(wr); n++) {
		last = wr;
		wr = wr->next;
	}
	return last;
}

static int post_send(struct mrc_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr *last = send_last(qp, wr), *rest;
	int ret;

	if (!last) {
		*bad_wr = wr;
		return refuse(EINVAL, "not a WRITE, or no list of elements");
	}
	rest = last->next;
	if (!rest)
		return ibv_post_send(qp_verbs(qp), wr, bad_wr);
	last->next = NULL;
	ret = ibv_post_send(qp_verbs(qp), wr, bad_wr);
	last->next = rest;
	if (ret)
		return ret;
	*bad_wr = rest;
	return refuse(EINVAL, "not a WRITE, or no list of elements");
}

EXPORT
int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	int ret;

	if (!wr || !bad_wr)
		return refuse(EINVAL, "wr or bad_wr is NULL");
	if (!object_hold(qp, OBJECT_QP)) {
		*bad_wr = wr;
		return refuse(EINVAL, "not a queue pair");
	}
	ret = post_send(qp, wr, bad_wr);
	object_drop(qp);
	if (ret)
		errno = ret;
	return ret;
}

static struct ibv_recv_wr *recv_last(const struct mrc_qp *qp,
				     struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *last = NULL;
	uint32_t n;

	for (n = 0; wr && n <= qp->max_recv_wr && wr->num_sge >= 0 &&
	     (!wr->num_sge || wr->sg_list); n++) {
		last = wr;
		wr = wr->next;
	}
	return last;
}

static int post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad_wr)
{
	struct ibv_recv_wr *last = recv_last(qp, wr), *rest;
	int ret;

	if (!last) {
		*bad_wr = wr;
		return refuse(EINVAL, "no list of elements");
	}
	rest = last->next;
	if (!rest)
		return ibv_post_recv(qp_verbs(qp), wr, bad_wr);
	last->next = NULL;
	ret = ibv_post_recv(qp_verbs(qp), wr, bad_wr);
	last->next = rest;
	if (ret)
		return ret;
	*bad_wr = rest;
	return refuse(EINVAL, "no list of elements");
}

EXPORT
int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	int ret;

	if (!wr || !bad_wr)
		return minus_one(refuse(EINVAL, "wr or bad_wr is NULL"));
	if (!object_hold(qp, OBJECT_QP)) {
		*bad_wr = wr;
		return minus_one(refuse(EINVAL, "not a queue pair"));
	}
	ret = post_recv(qp, wr, bad_wr);
	object_drop(qp);
	if (ret)
		errno = ret;
	return minus_one(ret);
}
