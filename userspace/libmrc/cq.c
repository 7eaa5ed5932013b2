// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.
 */
#include "context.h"

static struct ibv_cq *cq_verbs(const struct mrc_cq *cq)
{
	return cq->obj.verbs;
}

/**
 * cq_create_checked() - create a queue if the arguments fit together
 * @ctx: context
 * @cqe: entries, at least 1
 * @cq_context: the program's
 * @channel: completion channel of @ctx, or NULL
 * @vector: completion vector of the device
 * @create: creates it, with context and channel held
 *
 * Return: the queue, or NULL with errno set.
 */
struct mrc_cq *cq_create_checked(struct mrc_context *ctx, int cqe, void *cq_context,
				 struct mrc_comp_channel *channel, int vector,
				 cq_create_fn create)
{
	struct mrc_cq *cq = NULL;

	if (!object_hold(ctx, OBJECT_CONTEXT)) {
		refuse(EINVAL, "not a context");
		return NULL;
	}
	if (channel && !object_hold(channel, OBJECT_CHANNEL)) {
		refuse(EINVAL, "not a completion channel");
		goto out_context;
	}
	if (channel && channel->obj.ctx != ctx)
		refuse(EINVAL, "a completion channel of another context");
	else if (cqe < 1 || vector < 0 ||
		 vector >= context_verbs(ctx)->num_comp_vectors)
		refuse(EINVAL, "cqe %d or comp_vector %d is out of range", cqe,
		       vector);
	else
		cq = create(ctx, cqe, cq_context, channel, vector);
	if (channel)
		object_drop(channel);
out_context:
	object_drop(ctx);
	return cq;
}

/* Of @ctx, with @channel held or NULL. */
static struct mrc_cq *cq_create(struct mrc_context *ctx, int cqe,
				void *cq_context,
				struct mrc_comp_channel *channel, int vector)
{
	struct ibv_context *vctx = context_verbs(ctx);
	struct mrc_cq *cq;

	cq = (struct mrc_cq *)object_new(ctx);
	if (!cq)
		return NULL;
	cq->cq_context = cq_context;
	cq->channel = channel;
	cq->obj.verbs = ibv_create_cq(vctx, cqe, cq,
				      channel ? channel->obj.verbs : NULL,
				      vector);
	if (cq->obj.verbs)
		return object_publish(&cq->obj, OBJECT_CQ);
	refuse(errno, "no completion queue");
	object_free(&cq->obj);
	return NULL;
}

EXPORT
struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe,
			     void *cq_context,
			     struct mrc_comp_channel *channel, int comp_vector)
{
	return cq_create_checked(mrc_ctx, cqe, cq_context, channel, comp_vector,
				 cq_create);
}

EXPORT
int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc)
{
	int n;

	if (num_entries < 0 || (num_entries && !wc))
		return minus_one(refuse(EINVAL, "no room for completions"));
	if (!object_hold(cq, OBJECT_CQ))
		return minus_one(refuse(EINVAL, "not a completion queue"));
	n = ibv_poll_cq(cq_verbs(cq), num_entries, wc);
	object_drop(cq);
	if (n < 0)
		return minus_one(refuse(EIO, "the completion queue is damaged"));
	return n;
}

EXPORT
int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only)
{
	int ret;

	if (object_hold(cq, OBJECT_CQ))
		ret = cq->channel ? ibv_req_notify_cq(cq_verbs(cq), solicited_only) :
				    EINVAL;
	else if (object_hold(cq, OBJECT_EV_CQ))
		ret = cq->channel ? ev_cq_arm(cq) : EINVAL;
	else
		return refuse(EINVAL, "not a completion queue");
	object_drop(cq);
	if (ret)
		return refuse(ret, "the completion queue cannot report to a channel");
	return 0;
}

EXPORT
void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents)
{
	bool verbs = object_hold_dying(cq, OBJECT_CQ);

	if (!verbs && !object_hold_dying(cq, OBJECT_EV_CQ)) {
		refuse(EINVAL, "not a completion queue");
		return;
	}
	/* libibverbs would wait for ever for what was acknowledged twice. */
	if (!object_take(&cq->obj.events, nevents))
		refuse(EINVAL, "%u events: more than have been returned",
		       nevents);
	else if (verbs && nevents)
		ibv_ack_cq_events(cq_verbs(cq), nevents);
	object_drop(cq);
}

/* Acknowledge for an application that destroys the context. */
static void cq_ack_all(struct mrc_cq *cq)
{
	uint32_t n = atomic_exchange(&cq->obj.events, 0);
	struct ibv_async_event event = {
		.element.cq = cq_verbs(cq),
		.event_type = IBV_EVENT_CQ_ERR,
	};

	if (n)
		ibv_ack_cq_events(cq_verbs(cq), n);
	for (n = atomic_exchange(&cq->obj.async, 0); n; n--)
		ibv_ack_async_event(&event);
}

/**
 * cq_destroy() - destroy a completion queue
 * @cq: doomed
 * @force: acknowledge all events, otherwise wait until the application has
 *
 * Return: 0 or an errno; then it is as before.
 */
int cq_destroy(struct mrc_cq *cq, bool force)
{
	int ret;

	if (force)
		cq_ack_all(cq);
	ret = ibv_destroy_cq(cq_verbs(cq));
	if (ret) {
		object_revive(&cq->obj);
		return refuse(ret, "the completion queue is in use");
	}
	object_free(&cq->obj);
	return 0;
}

EXPORT
int mrc_destroy_cq(struct mrc_cq *cq)
{
	int ret = object_doom(cq, OBJECT_CQ);

	if (!ret)
		return cq_destroy(cq, false);
	if (ret == EINVAL) {
		ret = object_doom(cq, OBJECT_EV_CQ);
		if (!ret)
			return ev_cq_destroy(cq);
	}
	return refuse(ret, "%s", ret == EBUSY ?
		      "another thread uses the completion queue" :
		      "not a completion queue");
}
