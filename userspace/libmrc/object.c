// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects: cells, use by threads, messages.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "context.h"
#include "object.h"

enum {
	/* Bytes of a cell, a power of two; object kinds fit, see context.h. */
	CELL_SIZE = OBJECT_CELL_SIZE,
	/* Address space for cells; memory is allocated as they are used. */
	CELLS_MAX = 1 << 20,
	CELLS_MIN = 1 << 12,
	/* Free cells below which none is used again: old pointers stay invalid. */
	CELLS_QUARANTINE = 1024,
};

/* State: kind in the upper half, then DYING, then the number of users. */
#define STATE_KIND(kind) ((uint64_t)(kind) << 32)
#define STATE_DYING (1ull << 31)
#define STATE_USERS (STATE_DYING - 1)

/* Protects all of these but @base and @end, which are set once. */
static pthread_mutex_t cells_lock = PTHREAD_MUTEX_INITIALIZER;
static char *_Atomic base;
static char *_Atomic end;
static uint32_t cells_used;
static uint32_t cells_max;
static uint32_t cells_free;
static struct object *free_first, *free_last;

/* --- cells -------------------------------------------------------------- */

static int cells_map(void)
{
	char *map;

	for (cells_max = CELLS_MAX; cells_max >= CELLS_MIN; cells_max /= 2) {
		map = mmap(NULL, (size_t)cells_max * CELL_SIZE,
			   PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map == MAP_FAILED)
			continue;
		/* Readers look at @end first: before, no pointer is valid. */
		base = map;
		end = map + (size_t)cells_max * CELL_SIZE;
		return 0;
	}
	return ENOMEM;
}

static struct object *cell_reuse(void)
{
	struct object *obj = free_first;

	free_first = obj->next;
	if (!free_first)
		free_last = NULL;
	cells_free--;
	return obj;
}

/* Oldest first, and new ones as long as there are few free ones. */
static struct object *cell_get(void)
{
	struct object *obj = NULL;

	pthread_mutex_lock(&cells_lock);
	if (!base && cells_map())
		goto out;
	if (cells_free > CELLS_QUARANTINE || (cells_free && cells_used == cells_max))
		obj = cell_reuse();
	else if (cells_used < cells_max)
		obj = (struct object *)(base + (size_t)cells_used++ * CELL_SIZE);
out:
	pthread_mutex_unlock(&cells_lock);
	return obj;
}

static void cell_put(struct object *obj)
{
	pthread_mutex_lock(&cells_lock);
	obj->next = NULL;
	if (free_last)
		free_last->next = obj;
	else
		free_first = obj;
	free_last = obj;
	cells_free++;
	pthread_mutex_unlock(&cells_lock);
}

/**
 * object_new() - new object of a context
 * @ctx: context, held; NULL for a context
 *
 * All bytes behind struct object are zero.
 *
 * Return: the object, or NULL with errno set.
 */
struct object *object_new(struct mrc_context *ctx)
{
	struct object *obj = cell_get();

	if (!obj) {
		refuse(ENOMEM, "no memory for an object");
		return NULL;
	}
	memset(obj + 1, 0, CELL_SIZE - sizeof(*obj));
	obj->verbs = NULL;
	obj->ctx = ctx;
	obj->prev = NULL;
	obj->next = NULL;
	obj->events = 0;
	obj->async = 0;
	if (ctx)
		context_link(ctx, obj);
	return obj;
}

/**
 * object_publish() - make an object valid, which is complete
 * @obj: object of object_new()
 * @kind: what it is
 *
 * Return: @obj.
 */
void *object_publish(struct object *obj, enum object_kind kind)
{
	/* A stale pointer may be in use right now: do not overwrite its count. */
	atomic_fetch_add(&obj->state, STATE_KIND(kind));
	return obj;
}

/**
 * object_free() - end of an object
 * @obj: object, new or after object_doom()
 */
void object_free(struct object *obj)
{
	uint64_t kind = obj->state & ~STATE_USERS;

	if (obj->ctx)
		context_unlink(obj->ctx, obj);
	atomic_fetch_sub(&obj->state, kind);
	cell_put(obj);
}

/* --- use ---------------------------------------------------------------- */

static bool cell_is(const void *ptr)
{
	const char *p = ptr;

	return p && p < end && p >= base && !((p - base) & (CELL_SIZE - 1));
}

/**
 * object_hold() - begin to use an object
 * @ptr: what the application has passed
 * @kind: what it must be
 *
 * Return: whether it is one; then object_drop() must follow.
 */
bool object_hold(const void *ptr, enum object_kind kind)
{
	struct object *obj = (struct object *)ptr;
	uint64_t state;

	if (!cell_is(ptr))
		return false;
	state = atomic_fetch_add(&obj->state, 1);
	if ((state & ~STATE_USERS) == STATE_KIND(kind))
		return true;
	object_drop(obj);
	return false;
}

/**
 * object_hold_dying() - begin to use an object that may be in destruction
 * @ptr: what the application has passed
 * @kind: what it must be
 *
 * Destruction waits for events to be acknowledged.
 *
 * Return: whether it is one; then object_drop() must follow.
 */
bool object_hold_dying(const void *ptr, enum object_kind kind)
{
	struct object *obj = (struct object *)ptr;
	uint64_t state;

	if (!cell_is(ptr))
		return false;
	state = atomic_fetch_add(&obj->state, 1);
	if ((state & ~(STATE_USERS | STATE_DYING)) == STATE_KIND(kind))
		return true;
	object_drop(obj);
	return false;
}

/**
 * object_drop() - end of use
 * @ptr: object, held
 */
void object_drop(const void *ptr)
{
	struct object *obj = (struct object *)ptr;

	atomic_fetch_sub(&obj->state, 1);
}

/**
 * object_doom() - begin to destroy an object
 * @ptr: what the application has passed
 * @kind: what it must be
 *
 * Return: 0; EINVAL if it is no such object, or no more; EBUSY if another thread uses
 * or destroys it.
 */
int object_doom(void *ptr, enum object_kind kind)
{
	uint64_t idle = STATE_KIND(kind);
	struct object *obj = ptr;

	if (!cell_is(ptr))
		return EINVAL;
	if (atomic_compare_exchange_strong(&obj->state, &idle,
					   STATE_KIND(kind) | STATE_DYING))
		return 0;
	return idle >> 32 == kind ? EBUSY : EINVAL;
}

/**
 * object_revive() - undo object_doom()
 * @obj: object that could not be destroyed
 */
void object_revive(struct object *obj)
{
	atomic_fetch_sub(&obj->state, STATE_DYING);
}

/**
 * object_take() - take acknowledged events from a counter
 * @count: events that are not acknowledged
 * @n: events that the application acknowledges
 *
 * Return: whether there were as many.
 */
bool object_take(_Atomic uint32_t *count, uint32_t n)
{
	uint32_t have = *count;

	do {
		if (have < n)
			return false;
	} while (!atomic_compare_exchange_weak(count, &have, have - n));
	return true;
}

/* --- messages ------------------------------------------------------------ */

static bool debug;

__attribute__((constructor))
static void debug_init(void)
{
	const char *value = secure_getenv("LIBMRC_DEBUG");

	debug = value && *value && strcmp(value, "0");
}

/**
 * refuse_in() - report why a call fails
 * @fn: function of the API, or of the library
 * @err: errno
 * @fmt: reason
 *
 * Return: @err, which is in errno too.
 */
int refuse_in(const char *fn, int err, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (debug) {
		va_start(args, fmt);
		vsnprintf(text, sizeof(text), fmt, args);
		va_end(args);
		fprintf(stderr, "libmrc: %s: %s (%s)\n", fn, text,
			strerror(err));
	}
	errno = err;
	return err;
}
