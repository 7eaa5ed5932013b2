/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: work requests that several QPs fetch as messages arrive.
 */
#ifndef MRC_VERBS_SRQ_H
#define MRC_VERBS_SRQ_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct mrc_ring;
struct mrc_rwqe;
struct sk_buff;

/**
 * struct mrc_srq - shared receive queue
 * @ib: queue of the RDMA core
 * @max_sge: most SGEs of a work request; fixed
 * @lock: protects the fields below; BH-safe, inside rsp_lock
 * @ring: shared with the process; replaced by a resize
 * @head: next work request to fetch
 * @limit: one event is raised when fewer work requests are left; 0: no event
 * @bad: the process has written an invalid index to the ring; also read without @lock
 */
struct mrc_srq {
	struct ib_srq ib;
	u32 max_sge;
	spinlock_t lock; /* ring, head, limit, bad */
	struct mrc_ring *ring;
	u32 head;
	u32 limit;
	bool bad;
};

static inline struct mrc_srq *mrc_srq_from_ib(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct mrc_srq, ib);
}

int mrc_srq_create(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata);
int mrc_srq_modify(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int mrc_srq_query(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int mrc_srq_destroy(struct ib_srq *ibsrq, struct ib_udata *udata);

/* resource.c */
int mrc_srq_fill_res(struct sk_buff *msg, struct ib_srq *ibsrq);

/* post.c */
int mrc_srq_post_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

bool mrc_srq_fetch(struct mrc_srq *srq, struct mrc_rwqe *wqe);

#endif /* MRC_VERBS_SRQ_H */
