/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of which each allocation fails in turn.
 */
#ifndef MRC_TORTURE_FAULT_H
#define MRC_TORTURE_FAULT_H

#include "pair.h"
#include "torture.h"

/**
 * struct bench - objects that requests use
 * @t: what all workers know
 * @dev: device of single objects
 * @pair: connected queue pairs
 * @pd: protection domain
 * @cq: completion queue
 * @srq: shared receive queue
 * @mr: region with all access
 * @list: devices of the machine
 * @ctx: device that was opened
 * @made: what a request has made
 * @posted: a work request has been posted
 */
struct bench {
	struct torture *t;
	struct rc_dev *dev;
	struct pair pair;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_device **list;
	struct ibv_context *ctx;
	void *made;
	bool posted;
};

/**
 * struct request - what is done while an allocation fails
 * @name: for the result
 * @before: prepares it; NULL: nothing
 * @run: the request
 * @after: undoes what @before and @run have done; NULL: nothing
 * @destroys: the object is gone even if the answer could not be copied: ENOENT then
 *
 * All return 0 or an errno. A request that has failed must succeed when it is
 * repeated.
 */
struct request {
	const char *name;
	int (*before)(struct bench *b);
	int (*run)(struct bench *b);
	int (*after)(struct bench *b);
	bool destroys;
};

extern const struct request requests[];

int bench_make(struct bench *b);
void bench_destroy(struct bench *b);

int fault_open(void);
int fault_arm(int fd, uint32_t nth);
int fault_left(int fd, uint32_t *left);

#endif /* MRC_TORTURE_FAULT_H */
