// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP hints: kept for the application.  The device adapts to the traffic that it sees,
 * and needs none.
 */
#include <string.h>

#include "context.h"

#define HINT_MASK                                                             \
	((unsigned int)MRC_QP_HINT_NUM_QPS_PER_PEER |                         \
	 MRC_QP_HINT_NUM_SEND_PEERS | MRC_QP_HINT_NUM_REMOTE_RECV_PEERS |     \
	 (unsigned int)MRC_QP_HINT_VENDOR_CFG)

static bool hint_numbers_ok(const struct mrc_qp_hint_attr *attr,
			    unsigned int mask)
{
	return (!(mask & MRC_QP_HINT_NUM_QPS_PER_PEER) ||
		attr->num_qps_per_peer >= 0) &&
	       (!(mask & MRC_QP_HINT_NUM_SEND_PEERS) ||
		attr->num_send_peers >= 0) &&
	       (!(mask & MRC_QP_HINT_NUM_REMOTE_RECV_PEERS) ||
		attr->num_remote_recv_peers >= 0);
}

static void hint_copy(struct mrc_qp_hint_attr *to,
		      const struct mrc_qp_hint_attr *from, unsigned int mask)
{
	if (mask & MRC_QP_HINT_NUM_QPS_PER_PEER)
		to->num_qps_per_peer = from->num_qps_per_peer;
	if (mask & MRC_QP_HINT_NUM_SEND_PEERS)
		to->num_send_peers = from->num_send_peers;
	if (mask & MRC_QP_HINT_NUM_REMOTE_RECV_PEERS)
		to->num_remote_recv_peers = from->num_remote_recv_peers;
	if (mask & (unsigned int)MRC_QP_HINT_VENDOR_CFG)
		memcpy(to->vendor_cfg, from->vendor_cfg,
		       sizeof(to->vendor_cfg));
}

static bool hint_count(struct mrc_context *ctx, int n)
{
	bool ok;

	pthread_mutex_lock(&ctx->lock);
	ok = n < 0 || ctx->hints < HINTS_MAX;
	if (ok)
		ctx->hints += n;
	pthread_mutex_unlock(&ctx->lock);
	return ok;
}

static struct mrc_qp_hint *hint_create(struct mrc_context *ctx,
				       const struct mrc_qp_hint_attr *attr)
{
	struct mrc_qp_hint *hint;

	if (!hint_count(ctx, 1)) {
		refuse(ENOMEM, "more than %u QP hints", HINTS_MAX);
		return NULL;
	}
	hint = (struct mrc_qp_hint *)object_new(ctx);
	if (!hint) {
		hint_count(ctx, -1);
		return NULL;
	}
	hint->attr = *attr;
	return object_publish(&hint->obj, OBJECT_HINT);
}

EXPORT
struct mrc_qp_hint *mrc_create_qp_hint(struct mrc_context *mrc_ctx,
				       struct mrc_qp_hint_init_attr *init_attr)
{
	struct mrc_qp_hint *hint;

	if (!init_attr || !hint_numbers_ok(&init_attr->attr, HINT_MASK)) {
		refuse(EINVAL, "init_attr is NULL or has negative numbers");
		return NULL;
	}
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT)) {
		refuse(EINVAL, "not a context");
		return NULL;
	}
	hint = hint_create(mrc_ctx, &init_attr->attr);
	object_drop(mrc_ctx);
	return hint;
}

/**
 * hint_destroy() - destroy a QP hint
 * @hint: doomed
 *
 * Return: 0, or EBUSY; then it is as before.
 */
int hint_destroy(struct mrc_qp_hint *hint)
{
	struct mrc_context *ctx = hint->obj.ctx;

	if (hint->users) {
		object_revive(&hint->obj);
		return refuse(EBUSY, "%u queue pairs have the QP hint",
			      hint->users);
	}
	object_free(&hint->obj);
	hint_count(ctx, -1);
	return 0;
}

EXPORT
int mrc_destroy_qp_hint(struct mrc_qp_hint *qp_hint)
{
	int ret = object_doom(qp_hint, OBJECT_HINT);

	if (ret)
		return minus_one(refuse(ret, "%s", ret == EBUSY ?
					"another thread uses the QP hint" :
					"not a QP hint"));
	return minus_one(hint_destroy(qp_hint));
}

/* Hold @hint if the arguments are acceptable: 0 or an errno. */
static int hint_begin(struct mrc_qp_hint *hint,
		      const struct mrc_qp_hint_attr *attr, unsigned int mask)
{
	if (mask & ~HINT_MASK)
		return refuse(EINVAL, "mask %#x has unknown bits", mask);
	if (mask && !attr)
		return refuse(EINVAL, "attributes are NULL");
	if (!object_hold(hint, OBJECT_HINT))
		return refuse(EINVAL, "not a QP hint");
	return 0;
}

EXPORT
int mrc_query_qp_hint(struct mrc_qp_hint *qp_hint,
		      struct mrc_qp_hint_attr *qp_hint_attr,
		      int qp_hint_attr_mask)
{
	pthread_mutex_t *lock;

	if (hint_begin(qp_hint, qp_hint_attr, qp_hint_attr_mask))
		return -1;
	lock = &qp_hint->obj.ctx->lock;
	pthread_mutex_lock(lock);
	hint_copy(qp_hint_attr, &qp_hint->attr, qp_hint_attr_mask);
	pthread_mutex_unlock(lock);
	object_drop(qp_hint);
	return 0;
}

EXPORT
int mrc_modify_qp_hint(struct mrc_qp_hint *qp_hint,
		       struct mrc_qp_hint_attr *qp_hint_attr,
		       int qp_hint_attr_mask)
{
	pthread_mutex_t *lock;

	if (hint_begin(qp_hint, qp_hint_attr, qp_hint_attr_mask))
		return -1;
	if (!hint_numbers_ok(qp_hint_attr, qp_hint_attr_mask)) {
		object_drop(qp_hint);
		return minus_one(refuse(EINVAL, "negative numbers"));
	}
	lock = &qp_hint->obj.ctx->lock;
	pthread_mutex_lock(lock);
	hint_copy(&qp_hint->attr, qp_hint_attr, qp_hint_attr_mask);
	pthread_mutex_unlock(lock);
	object_drop(qp_hint);
	return 0;
}
