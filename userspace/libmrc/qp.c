// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: life cycle, queries and changes.
 */
#include <string.h>

#include "qp.h"

/* The operations of the API. */
#define SEND_OPS                                                              \
	((uint64_t)IBV_QP_EX_WITH_RDMA_WRITE |                                \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)

static int init_attr_check(const struct mrc_context *ctx,
			   const struct mrc_qp_init_attr *attr)
{
	if (!attr->pd || attr->pd->context != context_verbs(ctx))
		return refuse(EINVAL, "no protection domain of the context");
	if (attr->send_cq->obj.ctx != ctx || attr->recv_cq->obj.ctx != ctx)
		return refuse(EINVAL, "a completion queue of another context");
	if (attr->send_ops_flags & ~SEND_OPS)
		return refuse(EOPNOTSUPP, "send_ops_flags %#llx: WRITE only",
			      (unsigned long long)attr->send_ops_flags);
	if (!protocol_ok(attr->protocol_version))
		return refuse(EOPNOTSUPP, "protocol_version %#x is unknown",
			      attr->protocol_version);
	return 0;
}

static int qp_init(struct mrc_qp *qp, struct mrc_qp_init_attr *attr)
{
	struct ibv_qp_init_attr vattr = {
		.qp_context = qp,
		.send_cq = attr->send_cq->obj.verbs,
		.recv_cq = attr->recv_cq->obj.verbs,
		.cap = attr->cap,
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = attr->sq_sig_all,
	};

	qp->obj.verbs = ibv_create_qp(attr->pd, &vattr);
	if (!qp->obj.verbs)
		return refuse(errno, "no queue pair");
	attr->cap = vattr.cap;
	qp->qp_context = attr->qp_context;
	qp->max_send_wr = vattr.cap.max_send_wr;
	qp->max_recv_wr = vattr.cap.max_recv_wr;
	pthread_mutex_init(&qp->lock, NULL);
	return 0;
}

static struct mrc_qp *qp_create(struct mrc_context *ctx,
				struct mrc_qp_init_attr *attr)
{
	struct mrc_qp *qp;

	if (init_attr_check(ctx, attr))
		return NULL;
	qp = (struct mrc_qp *)object_new(ctx);
	if (!qp)
		return NULL;
	if (!qp_init(qp, attr))
		return object_publish(&qp->obj, OBJECT_QP);
	object_free(&qp->obj);
	return NULL;
}

EXPORT
struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx,
			     struct mrc_qp_init_attr *mrc_qp_attr)
{
	struct mrc_qp *qp = NULL;

	if (!mrc_qp_attr) {
		refuse(EINVAL, "attributes are NULL");
		return NULL;
	}
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT)) {
		refuse(EINVAL, "not a context");
		return NULL;
	}
	if (!object_hold(mrc_qp_attr->send_cq, OBJECT_CQ)) {
		refuse(EINVAL, "send_cq is no completion queue");
		goto out_context;
	}
	if (!object_hold(mrc_qp_attr->recv_cq, OBJECT_CQ)) {
		refuse(EINVAL, "recv_cq is no completion queue");
		goto out_send;
	}
	qp = qp_create(mrc_ctx, mrc_qp_attr);
	object_drop(mrc_qp_attr->recv_cq);
out_send:
	object_drop(mrc_qp_attr->send_cq);
out_context:
	object_drop(mrc_ctx);
	return qp;
}

/* Acknowledge for an application that destroys the context. */
static void qp_ack_all(struct mrc_qp *qp)
{
	uint32_t n = atomic_exchange(&qp->obj.async, 0);
	struct ibv_async_event event = {
		.element.qp = qp_verbs(qp),
		.event_type = IBV_EVENT_QP_FATAL,
	};

	for (; n; n--)
		ibv_ack_async_event(&event);
}

/**
 * qp_destroy() - destroy a queue pair
 * @qp: doomed
 * @force: acknowledge all events, otherwise wait until the application has
 *
 * Return: 0 or an errno; then it is as before.
 */
int qp_destroy(struct mrc_qp *qp, bool force)
{
	int ret;

	if (force)
		qp_ack_all(qp);
	ret = ibv_destroy_qp(qp_verbs(qp));
	if (ret) {
		object_revive(&qp->obj);
		return refuse(ret, "the queue pair cannot be destroyed");
	}
	qp_hint_set(qp, NULL);
	pthread_mutex_destroy(&qp->lock);
	object_free(&qp->obj);
	return 0;
}

EXPORT
int mrc_destroy_qp(struct mrc_qp *qp)
{
	int ret = object_doom(qp, OBJECT_QP);

	if (ret)
		return refuse(ret, "%s", ret == EBUSY ?
			      "another thread uses the queue pair" :
			      "not a queue pair");
	return qp_destroy(qp, false);
}

EXPORT
int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn)
{
	if (!qpn)
		return minus_one(refuse(EINVAL, "qpn is NULL"));
	if (!object_hold(qp, OBJECT_QP))
		return minus_one(refuse(EINVAL, "not a queue pair"));
	*qpn = qp_verbs(qp)->qp_num;
	object_drop(qp);
	return 0;
}

EXPORT
int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
		  struct mrc_qp_attr *mrc_attr, int mrc_attr_mask)
{
	struct ibv_qp_attr none = {};
	int ret;

	if ((vattr_mask && !vattr) || (mrc_attr_mask && !mrc_attr))
		return refuse(EINVAL, "attributes are NULL");
	ret = qp_mask_check(vattr_mask, mrc_attr_mask);
	if (ret)
		return ret;
	if (!object_hold(qp, OBJECT_QP))
		return refuse(EINVAL, "not a queue pair");
	pthread_mutex_lock(&qp->lock);
	ret = qp_modify(qp, vattr_mask ? vattr : &none, vattr_mask, mrc_attr,
			mrc_attr_mask);
	pthread_mutex_unlock(&qp->lock);
	object_drop(qp);
	return ret;
}

static void init_attr_put(const struct mrc_qp *qp,
			  const struct ibv_qp_init_attr *from,
			  struct mrc_qp_init_attr *to)
{
	*to = (struct mrc_qp_init_attr){
		.qp_context = qp->qp_context,
		.send_cq = qp_verbs(qp)->send_cq->cq_context,
		.recv_cq = qp_verbs(qp)->recv_cq->cq_context,
		.cap = from->cap,
		.sq_sig_all = from->sq_sig_all,
		.pd = qp_verbs(qp)->pd,
		.send_ops_flags = SEND_OPS,
		.protocol_version = MRC_PROTOCOL_VERSION_1,
	};
}

static int qp_query_all(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vmask,
			struct mrc_qp_attr *attr, unsigned int mask,
			struct mrc_qp_init_attr *init_attr)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr unused;
	int ret;

	if (vmask || vattr || init_attr) {
		ret = ibv_query_qp(qp_verbs(qp), vattr ? vattr : &unused, vmask,
				   &init);
		if (ret)
			return refuse(ret, "the queue pair cannot be queried");
	}
	ret = qp_query(qp, attr, mask);
	if (!ret && init_attr)
		init_attr_put(qp, &init, init_attr);
	return ret;
}

EXPORT
int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
		 struct mrc_qp_attr *mrc_attr, int mrc_attr_mask,
		 struct mrc_qp_init_attr *init_attr)
{
	int ret;

	if ((vattr_mask && !vattr) || (mrc_attr_mask && !mrc_attr))
		return refuse(EINVAL, "attributes are NULL");
	ret = qp_mask_check(vattr_mask, mrc_attr_mask);
	if (ret)
		return ret;
	if (!object_hold(qp, OBJECT_QP))
		return refuse(EINVAL, "not a queue pair");
	pthread_mutex_lock(&qp->lock);
	ret = qp_query_all(qp, vattr, vattr_mask, mrc_attr, mrc_attr_mask,
			   init_attr);
	pthread_mutex_unlock(&qp->lock);
	object_drop(qp);
	return ret;
}
