/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Layouts of the objects.
 */
#ifndef LIBMRC_CONTEXT_H
#define LIBMRC_CONTEXT_H

#include <assert.h>
#include <pthread.h>

#include <mrc.h>

#include "object.h"

enum {
	OBJECT_CELL_SIZE = 256,
	/* QP hints of a context. */
	HINTS_MAX = 65536,
	/* Unit of PSN windows in the API. */
	MPR_UNIT = 128,
};

struct genl;

/**
 * struct mrc_context - context
 * @obj: verbs: struct ibv_context
 * @version: of the API that the application uses
 * @children: objects of the context; @lock
 * @hints: how many of them are hints; @lock
 * @next: in the list of contexts of the process; context_list_lock
 * @lock: protects what is said above
 * @genl: connection to the kernel's path manager, opened by the first call that needs
 *	it; @genl_lock
 * @genl_lock: serialises controller calls
 */
struct mrc_context {
	struct object obj;
	uint32_t version;
	uint32_t hints;
	struct object *children;
	struct mrc_context *next;
	struct genl *genl;
	pthread_mutex_t lock;
	pthread_mutex_t genl_lock;
};

/**
 * struct mrc_comp_channel - completion channel
 * @obj: verbs: struct ibv_comp_channel
 * @epoll: descriptor that applications see: becomes readable with that of libibverbs
 *	or with one of an EV event queue
 * @ev_cqs: EV event queues that report here
 */
struct mrc_comp_channel {
	struct object obj;
	int epoll;
	_Atomic uint32_t ev_cqs;
};

struct ev_queue;

/**
 * struct mrc_cq - completion queue, or EV event queue
 * @obj: verbs: struct ibv_cq, NULL for an EV event queue
 * @cq_context: of the application
 * @channel: that reports completions, or NULL
 * @ev: events, of an EV event queue
 */
struct mrc_cq {
	struct object obj;
	void *cq_context;
	struct mrc_comp_channel *channel;
	struct ev_queue *ev;
};

/**
 * struct mrc_qp_hint - QP hint
 * @obj: no object of libibverbs
 * @users: queue pairs that have it
 * @attr: its attributes; @obj.ctx->lock
 */
struct mrc_qp_hint {
	struct object obj;
	_Atomic uint32_t users;
	struct mrc_qp_hint_attr attr;
};

/**
 * struct mrc_qp - queue pair
 * @obj: verbs: struct ibv_qp
 * @lock: serialises calls that change or query attributes
 * @qp_context: of the application
 * @hint: or NULL; @lock
 * @max_send_wr: entries of the send queue
 * @max_recv_wr: entries of the receive queue
 * @caps_given: the application has set MRC_QP_CAP; @lock
 */
struct mrc_qp {
	struct object obj;
	pthread_mutex_t lock;
	void *qp_context;
	struct mrc_qp_hint *hint;
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	bool caps_given;
};

static_assert(sizeof(struct mrc_context) <= OBJECT_CELL_SIZE, "cell");
static_assert(sizeof(struct mrc_cq) <= OBJECT_CELL_SIZE, "cell");
static_assert(sizeof(struct mrc_qp_hint) <= OBJECT_CELL_SIZE, "cell");
static_assert(sizeof(struct mrc_qp) <= OBJECT_CELL_SIZE, "cell");
static_assert(offsetof(struct mrc_qp, obj.verbs) == 0, "other libraries rely on it");

void context_link(struct mrc_context *ctx, struct object *obj);
void context_unlink(struct mrc_context *ctx, struct object *obj);
struct object *context_find(const struct ibv_context *vctx,
			    enum object_kind kind, const void *verbs);
bool context_version_before(const struct mrc_context *ctx, uint32_t version);

static inline struct ibv_context *context_verbs(const struct mrc_context *ctx)
{
	return ctx->obj.verbs;
}

/* Destroy an object that nobody uses; 0 or an errno.  Declared here for contexts. */
int qp_destroy(struct mrc_qp *qp, bool force);
typedef struct mrc_cq *(*cq_create_fn)(struct mrc_context *ctx, int cqe, void *cq_context,
				       struct mrc_comp_channel *channel, int vector);

struct mrc_cq *cq_create_checked(struct mrc_context *ctx, int cqe, void *cq_context,
				 struct mrc_comp_channel *channel, int vector,
				 cq_create_fn create);
int cq_destroy(struct mrc_cq *cq, bool force);
int ev_cq_destroy(struct mrc_cq *cq);
int channel_destroy(struct mrc_comp_channel *channel);
int hint_destroy(struct mrc_qp_hint *hint);

/* Completion events of EV event queues. */
int ev_cq_arm(struct mrc_cq *cq);
bool ev_cq_ready(struct mrc_cq *cq);

void context_genl_close(struct mrc_context *ctx);

#endif /* LIBMRC_CONTEXT_H */
