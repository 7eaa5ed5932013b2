/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the API.  Each is a cell of one array that is never unmapped, so that a
 * pointer which an application has used too long, or for a wrong kind of object, is
 * recognized and refused.
 */
#ifndef LIBMRC_OBJECT_H
#define LIBMRC_OBJECT_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

enum object_kind {
	OBJECT_FREE,
	OBJECT_CONTEXT,
	OBJECT_CHANNEL,
	OBJECT_CQ,
	OBJECT_EV_CQ,
	OBJECT_HINT,
	OBJECT_QP,
};

/**
 * struct object - what all objects begin with
 * @verbs: object of libibverbs.  Other libraries rely on this being the first member
 *	of struct mrc_qp
 * @state: kind, whether a thread is destroying it, number of threads that use it
 * @ctx: context that it belongs to; of a context itself
 * @prev: in the list of @ctx; @ctx->lock
 * @next: likewise; in the list of free cells
 * @events: asynchronous events, or completion events, that the application has not
 *	acknowledged
 * @async: asynchronous events of a queue that has both
 */
struct object {
	void *verbs;
	_Atomic uint64_t state;
	struct mrc_context *ctx;
	struct object *prev, *next;
	_Atomic uint32_t events;
	_Atomic uint32_t async;
};

/* Creation: an object is valid from object_publish() on. */
struct object *object_new(struct mrc_context *ctx);
void *object_publish(struct object *obj, enum object_kind kind);
void object_free(struct object *obj);

/* Use by a thread: prevents that another thread destroys the object. */
bool object_hold(const void *ptr, enum object_kind kind);
bool object_hold_dying(const void *ptr, enum object_kind kind);
void object_drop(const void *ptr);

/* Destruction: 0 or an errno; afterwards object_free() or object_revive(). */
int object_doom(void *ptr, enum object_kind kind);
void object_revive(struct object *obj);

/* Take back @n of the events that *@count holds; false if there are fewer. */
bool object_take(_Atomic uint32_t *count, uint32_t n);

/*
 * Report why a call fails, if the environment variable LIBMRC_DEBUG is set.
 * refuse() returns @err and sets errno to it.
 */
int refuse_in(const char *fn, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define refuse(err, ...) refuse_in(__func__, err, __VA_ARGS__)

/* For functions that return -1. */
static inline int minus_one(int err)
{
	return err ? -1 : 0;
}

#endif /* LIBMRC_OBJECT_H */
