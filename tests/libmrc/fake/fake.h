/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device without hardware and kernel, for tests of libmrc.
 */
#ifndef FAKE_H
#define FAKE_H

#include <infiniband/verbs.h>

enum {
	FAKE_CMD_FD = 1000000,
	FAKE_WR_MAX = 4096,
};

struct ibv_context *fake_context(void);
void fake_context_free(struct ibv_context *ctx);

/* Attributes and mask of the last transition. */
int fake_last_modify(struct ibv_qp_attr *attr);

/* An asynchronous event, and a completion with its event. */
void fake_async_event(struct ibv_context *ctx, enum ibv_event_type type,
		      void *element);
void fake_complete(struct ibv_cq *cq, struct ibv_qp *qp, uint64_t wr_id);

/* Used by fake queue pairs. */
void fake_cq_use(struct ibv_cq *cq, int n);
int fake_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int fake_req_notify_cq(struct ibv_cq *cq, int solicited);

/* Replies of the path manager: seed of random ones, or 0: the requests succeed. */
void fake_netlink_seed(uint64_t seed);

#endif /* FAKE_H */
