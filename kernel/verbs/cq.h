/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues: a ring that the kernel fills and the process or kernel user
 * empties.
 */
#ifndef MRC_VERBS_CQ_H
#define MRC_VERBS_CQ_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>
#include "compat/ib.h"

struct mrc_ring;

enum mrc_cq_armed {
	MRC_CQ_IDLE,
	MRC_CQ_ARMED_SOLICITED,
	MRC_CQ_ARMED_ANY,
};

/**
 * struct mrc_cq - completion queue
 * @ib: completion queue of the RDMA core
 * @resize_mutex: serialises resizes; outside @lock
 * @timer: raises a deferred event after @period
 * @ring: shared with the process; private for users in the kernel
 * @vector: completion vector: home processor of QPs that use the CQ; 0: no choice
 * @lock: protects @ring, the fields below, and for users in the kernel the consumer
 *	index; taken with BH off, and with interrupts off where the caller may have
 *	them off; inside req_lock and rsp_lock
 * @prod: next index to be filled
 * @deferred: completions whose event is deferred since the last request for one
 * @count: completions that raise one event together
 * @period: us after the first of them, when the event is raised at the latest; 0: no
 *	moderation
 * @armed: which completion raises an event, enum mrc_cq_armed
 * @dead: the CQ has overrun; no completion is added any more
 */
struct mrc_cq {
	struct ib_cq ib;
	struct mutex resize_mutex; /* resizes */
	struct hrtimer timer;
	struct mrc_ring *ring;
	u32 vector;
	spinlock_t lock; /* ring, prod, deferred, count, period, armed, dead */
	u32 prod;
	u16 deferred;
	u16 count;
	u16 period;
	u8 armed;
	bool dead;
};

static inline struct mrc_cq *mrc_cq_from_ib(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct mrc_cq, ib);
}

/* The kernel version decides which signature is used; see compat/ib.h. */
int mrc_cq_create_udata(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct ib_udata *udata);
int mrc_cq_create_attrs(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct uverbs_attr_bundle *attrs);
int mrc_cq_destroy(struct ib_cq *ibcq, struct ib_udata *udata);
int mrc_cq_resize(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
int mrc_cq_modify(struct ib_cq *ibcq, u16 count, u16 period);
int mrc_cq_req_notify(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

int mrc_cq_poll(struct ib_cq *ibcq, int n, struct ib_wc *wc);
void mrc_cq_purge(struct ib_cq *ibcq, u32 qpn);
/* resource.c */
int mrc_cq_fill_res(struct sk_buff *msg, struct ib_cq *ibcq);

bool mrc_cq_push(struct mrc_cq *cq, const struct mrc_cqe *cqe, bool solicited);

#endif /* MRC_VERBS_CQ_H */
