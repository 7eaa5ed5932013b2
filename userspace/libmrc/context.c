// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Contexts: the parents of all objects.
 */
#include <stdlib.h>

#include "context.h"
#include "device.h"

/* MRC_API_VER_LATEST, whose expression overflows outside of the preprocessor. */
#define VERSION_LATEST 0xffffffffu

static pthread_mutex_t context_list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mrc_context *context_list;

/**
 * context_link() - add an object to those of a context
 * @ctx: context, held
 * @obj: object
 */
void context_link(struct mrc_context *ctx, struct object *obj)
{
	pthread_mutex_lock(&ctx->lock);
	obj->prev = NULL;
	obj->next = ctx->children;
	if (obj->next)
		obj->next->prev = obj;
	ctx->children = obj;
	pthread_mutex_unlock(&ctx->lock);
}

/**
 * context_unlink() - remove an object from those of a context
 * @ctx: context
 * @obj: object
 */
void context_unlink(struct mrc_context *ctx, struct object *obj)
{
	pthread_mutex_lock(&ctx->lock);
	if (obj->prev)
		obj->prev->next = obj->next;
	else
		ctx->children = obj->next;
	if (obj->next)
		obj->next->prev = obj->prev;
	pthread_mutex_unlock(&ctx->lock);
}

static struct object *child_find(struct mrc_context *ctx,
				 enum object_kind kind, const void *verbs)
{
	struct object *obj;

	pthread_mutex_lock(&ctx->lock);
	for (obj = ctx->children; obj; obj = obj->next)
		if (obj->verbs == verbs && object_hold_dying(obj, kind))
			break;
	pthread_mutex_unlock(&ctx->lock);
	return obj;
}

/**
 * context_find() - find the object of an event
 * @vctx: context of libibverbs that reported it
 * @kind: of the object
 * @verbs: object of libibverbs
 *
 * Contexts that share @vctx share its events.
 *
 * Return: the object, held, or NULL if it is none of this library's.
 */
struct object *context_find(const struct ibv_context *vctx,
			    enum object_kind kind, const void *verbs)
{
	struct object *obj = NULL;
	struct mrc_context *ctx;

	pthread_mutex_lock(&context_list_lock);
	for (ctx = context_list; ctx && !obj; ctx = ctx->next)
		if (context_verbs(ctx) == vctx)
			obj = child_find(ctx, kind, verbs);
	pthread_mutex_unlock(&context_list_lock);
	return obj;
}

/**
 * context_version_before() - compare the version that an application uses
 * @ctx: context
 * @version: to compare with
 *
 * Return: whether it is an older one.
 */
bool context_version_before(const struct mrc_context *ctx, uint32_t version)
{
	return ctx->version < version;
}

/* 0 and the value for the latest version stand for the current one. */
static int version_check(uint32_t wanted, uint32_t current, uint32_t *version)
{
	*version = current;
	if (!wanted || wanted == VERSION_LATEST)
		return 0;
	*version = wanted;
	return wanted > current ? EINVAL : 0;
}

static int context_check(struct ibv_context *vctx,
			 const struct mrc_context_attr *attr, uint32_t *version)
{
	const struct mrc_context_attr latest = {};
	uint32_t vendor;
	int ret;

	if (!vctx)
		return refuse(EINVAL, "the verbs context is NULL");
	if (!attr)
		attr = &latest;
	if (version_check(attr->mrc_api_version_used, MRC_API_CURRENT_VERSION,
			  version))
		return refuse(EINVAL, "API version %#x is newer than %#x",
			      attr->mrc_api_version_used,
			      MRC_API_CURRENT_VERSION);
	if (version_check(attr->mrc_vendor_api_version_used,
			  MRC_VENDOR_API_CURRENT_VERSION, &vendor))
		return refuse(EINVAL, "vendor API version %#x is newer than %#x",
			      attr->mrc_vendor_api_version_used,
			      MRC_VENDOR_API_CURRENT_VERSION);
	ret = device_limits(vctx, NULL);
	if (ret)
		return refuse(ret, "%s is no MRC device",
			      ibv_get_device_name(vctx->device));
	return 0;
}

EXPORT
struct mrc_context *mrc_create_context(struct ibv_context *vcontext,
				       struct mrc_context_attr *context_attr)
{
	struct mrc_context *ctx;
	uint32_t version = 0;

	if (context_check(vcontext, context_attr, &version))
		return NULL;
	ctx = (struct mrc_context *)object_new(NULL);
	if (!ctx)
		return NULL;
	ctx->version = version;
	ctx->obj.verbs = vcontext;
	pthread_mutex_init(&ctx->lock, NULL);
	pthread_mutex_init(&ctx->genl_lock, NULL);
	pthread_mutex_lock(&context_list_lock);
	ctx->next = context_list;
	context_list = ctx;
	pthread_mutex_unlock(&context_list_lock);
	return object_publish(&ctx->obj, OBJECT_CONTEXT);
}

static int child_destroy(struct object *obj, enum object_kind kind)
{
	switch (kind) {
	case OBJECT_QP:
		return qp_destroy((struct mrc_qp *)obj, true);
	case OBJECT_CQ:
		return cq_destroy((struct mrc_cq *)obj, true);
	case OBJECT_EV_CQ:
		return ev_cq_destroy((struct mrc_cq *)obj);
	case OBJECT_CHANNEL:
		return channel_destroy((struct mrc_comp_channel *)obj);
	default:
		return hint_destroy((struct mrc_qp_hint *)obj);
	}
}

/* An object of @kind that is doomed now, or NULL; *@ret is set if one is in use. */
static struct object *child_doom(struct mrc_context *ctx, enum object_kind kind,
				 int *ret)
{
	struct object *obj;
	int err = EINVAL;

	pthread_mutex_lock(&ctx->lock);
	for (obj = ctx->children; obj; obj = obj->next) {
		err = object_doom(obj, kind);
		if (err != EINVAL)
			break;
	}
	pthread_mutex_unlock(&ctx->lock);
	if (!obj)
		return NULL;
	*ret = err;
	return err ? NULL : obj;
}

static int children_destroy(struct mrc_context *ctx)
{
	static const enum object_kind order[] = {
		OBJECT_QP, OBJECT_HINT, OBJECT_EV_CQ, OBJECT_CQ, OBJECT_CHANNEL,
	};
	struct object *obj;
	int ret = 0;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order) && !ret; i++) {
		do {
			obj = child_doom(ctx, order[i], &ret);
			if (obj)
				ret = child_destroy(obj, order[i]);
		} while (obj && !ret);
	}
	return ret;
}

static void context_delist(struct mrc_context *ctx)
{
	struct mrc_context **link = &context_list;

	pthread_mutex_lock(&context_list_lock);
	while (*link != ctx)
		link = &(*link)->next;
	*link = ctx->next;
	pthread_mutex_unlock(&context_list_lock);
}

EXPORT
int mrc_destroy_context(struct mrc_context *mrc_ctx)
{
	int ret = object_doom(mrc_ctx, OBJECT_CONTEXT);

	if (ret)
		return minus_one(refuse(ret, "%s", ret == EBUSY ?
					"another thread uses the context" :
					"not a context"));
	ret = children_destroy(mrc_ctx);
	/* An object that another thread is destroying is left. */
	if (!ret && mrc_ctx->children)
		ret = EBUSY;
	if (ret) {
		object_revive(&mrc_ctx->obj);
		return minus_one(refuse(ret, "an object of the context cannot be destroyed"));
	}
	context_delist(mrc_ctx);
	context_genl_close(mrc_ctx);
	pthread_mutex_destroy(&mrc_ctx->lock);
	pthread_mutex_destroy(&mrc_ctx->genl_lock);
	object_free(&mrc_ctx->obj);
	return 0;
}
