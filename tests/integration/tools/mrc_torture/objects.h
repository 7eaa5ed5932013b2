/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of verbs that are made, used and destroyed at random.
 */
#ifndef MRC_TORTURE_OBJECTS_H
#define MRC_TORTURE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "torture.h"

/* Objects of a kind that a process has at most, and others that one uses. */
#define SLOTS		4
#define USES_MAX	4

/* In the order of COUNT_PD, ... and of COUNT_END_PD, ... */
enum obj_kind {
	KIND_PD,
	KIND_MR,
	KIND_MW,
	KIND_CQ,
	KIND_SRQ,
	KIND_QP,
	KIND_AH,
	KINDS,
};

/**
 * struct obj - an object, or room for one
 * @p: what libibverbs calls it; NULL if there is none
 * @uses: objects without which it could not be
 * @users: how many objects use it
 * @buf: memory of a region
 * @len: bytes of @buf
 * @channel: of a completion queue, or NULL
 * @ud: a queue pair for datagrams
 * @srq: a queue pair with a shared receive queue
 * @connected: a queue pair that was connected
 * @spent: a queue pair that takes no work requests any more
 */
struct obj {
	void *p;
	struct obj *uses[USES_MAX];
	int users;
	void *buf;
	size_t len;
	struct ibv_comp_channel *channel;
	bool ud;
	bool srq;
	bool connected;
	bool spent;
};

/**
 * struct pool - objects of one device
 * @t: what all workers know
 * @name: of the device
 * @dev: the device, if @open
 * @open: the device is open
 * @gone: the device has been removed
 * @o: objects
 */
struct pool {
	struct torture *t;
	const char *name;
	struct rc_dev dev;
	bool open;
	bool gone;
	struct obj o[KINDS][SLOTS];
};

struct obj *pool_pick(struct pool *p, enum obj_kind kind);
int pool_status(struct pool *p, int err);

void use_qp(struct pool *p, struct obj *o, struct pool *peer);
void use_cq(struct pool *p, struct obj *o);
void use_srq(struct pool *p, struct obj *o);
void use_mr(struct pool *p, struct obj *o);

#endif /* MRC_TORTURE_OBJECTS_H */
