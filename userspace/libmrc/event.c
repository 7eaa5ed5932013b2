// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events.
 */
#include <string.h>

#include "context.h"

static bool event_of_qp(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return true;
	default:
		return false;
	}
}

static bool event_of_port(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_DEVICE_FATAL:
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		return true;
	default:
		return false;
	}
}

/* Translate an event; false if it is about an object of plain verbs. */
static bool event_translate(const struct ibv_context *vctx,
			    const struct ibv_async_event *from,
			    struct mrc_async_event *to)
{
	struct object *obj;

	*to = (struct mrc_async_event){ .event_type = from->event_type };
	if (event_of_port(from->event_type)) {
		to->element.port_num = from->element.port_num;
		return true;
	}
	if (event_of_qp(from->event_type)) {
		obj = context_find(vctx, OBJECT_QP, from->element.qp);
		to->element.qp = (struct mrc_qp *)obj;
	} else if (from->event_type == IBV_EVENT_CQ_ERR) {
		obj = context_find(vctx, OBJECT_CQ, from->element.cq);
		to->element.cq = (struct mrc_cq *)obj;
	} else {
		return false;
	}
	if (!obj)
		return false;
	obj->async++;
	object_drop(obj);
	return true;
}

static int event_get(struct ibv_context *vctx, struct mrc_async_event *event)
{
	struct ibv_async_event vevent;

	for (;;) {
		if (ibv_get_async_event(vctx, &vevent))
			return errno;
		if (event_translate(vctx, &vevent, event))
			return 0;
		ibv_ack_async_event(&vevent);
	}
}

EXPORT
int mrc_get_async_event(struct mrc_context *mrc_ctx,
			struct mrc_async_event *event)
{
	int ret;

	if (!event)
		return minus_one(refuse(EINVAL, "event is NULL"));
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT))
		return minus_one(refuse(EINVAL, "not a context"));
	ret = event_get(context_verbs(mrc_ctx), event);
	object_drop(mrc_ctx);
	errno = ret ? ret : errno;
	return minus_one(ret);
}

static void event_ack(struct object *obj, struct ibv_async_event *event)
{
	/* libibverbs would wait for ever for what was acknowledged twice. */
	if (object_take(&obj->async, 1))
		ibv_ack_async_event(event);
	else
		refuse(EINVAL, "the event has been acknowledged");
	object_drop(obj);
}

EXPORT
void mrc_ack_async_event(struct mrc_async_event *event)
{
	struct ibv_async_event vevent = {};

	if (!event) {
		refuse(EINVAL, "event is NULL");
		return;
	}
	vevent.event_type = event->event_type;
	if (event_of_port(event->event_type))
		return;
	if (event_of_qp(event->event_type) &&
	    object_hold_dying(event->element.qp, OBJECT_QP)) {
		vevent.element.qp = event->element.qp->obj.verbs;
		event_ack(&event->element.qp->obj, &vevent);
	} else if (event->event_type == IBV_EVENT_CQ_ERR &&
		   object_hold_dying(event->element.cq, OBJECT_CQ)) {
		vevent.element.cq = event->element.cq->obj.verbs;
		event_ack(&event->element.cq->obj, &vevent);
	} else {
		refuse(EINVAL, "not an event of an object");
	}
}
