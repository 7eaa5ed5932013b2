/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs: the verbs object on top of a connection.
 */
#ifndef MRC_VERBS_QP_H
#define MRC_VERBS_QP_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "net/conn.h"
#include "verbs/device.h"
#include "verbs/rq.h"
#include "verbs/sq.h"

enum mrc_qp_flags {
	MRC_QP_FAILED,		/* the transition to the error state has begun */
	MRC_QP_SQ_FAILED,	/* the transition to SQE has begun */
	MRC_QP_ESTABLISHED,	/* a packet has arrived since RTR */
};

/**
 * struct mrc_qp - queue pair
 * @ib: queue pair of the RDMA core
 * @mutex: serialises state changes; sleeps; outside all locks of @conn
 * @state: written under @mutex, read anywhere
 * @flags: enum mrc_qp_flags, atomic bits
 * @sig_all: every send work request gets a completion
 * @access: enum ib_access_flags granted to the peer; written under @mutex
 * @qkey: UD: Q_Key that received datagrams must carry; written under @mutex
 * @attr: attributes as set, for queries; under @mutex
 * @cap: limits; fixed
 * @err_work: moves the QP to the error state, or to SQE, after a failure; flushes the
 *	queues in these states
 * @conn: requester, responder and paths
 * @sq: send queue; under the connection's req_lock
 * @rq: receive queue; under the connection's rsp_lock
 */
struct mrc_qp {
	struct ib_qp ib;
	struct mutex mutex; /* state changes */
	enum ib_qp_state state;
	unsigned long flags;
	bool sig_all;
	int access;
	u32 qkey;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	struct work_struct err_work;
	struct mrc_conn conn;
	struct mrc_sq sq ____cacheline_aligned_in_smp;
	struct mrc_rq rq ____cacheline_aligned_in_smp;
};

static inline struct mrc_qp *mrc_qp_from_ib(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct mrc_qp, ib);
}

static inline struct mrc_qp *mrc_qp_from_conn(struct mrc_conn *conn)
{
	return container_of(conn, struct mrc_qp, conn);
}

/* Is it a QP for datagrams: UD, or the management QP of a port? */
static inline bool mrc_qp_is_ud(const struct mrc_qp *qp)
{
	return qp->ib.qp_type != IB_QPT_RC;
}

static inline struct mrc_device *mrc_qp_device(const struct mrc_qp *qp)
{
	return mrc_device_from_ib(qp->ib.device);
}

int mrc_qp_init(void);
void mrc_qp_exit(void);

int mrc_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int mrc_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata);
int mrc_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int mrc_qp_query(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);

void mrc_qp_flush_soon(struct mrc_qp *qp);
void mrc_qp_to_error(struct mrc_qp *qp);
void mrc_qp_to_reset(struct mrc_qp *qp);
bool mrc_qp_fail(struct mrc_qp *qp);
void mrc_qp_fail_sends(struct mrc_qp *qp);
void mrc_qp_sqe_to_rts(struct mrc_qp *qp);
void mrc_qp_fatal(struct mrc_qp *qp);
void mrc_qp_event(struct mrc_qp *qp, enum ib_event_type type);
void mrc_qp_established(struct mrc_qp *qp);

void mrc_qp_default_cfgs(const struct mrc_qp *qp, struct mrc_req_cfg *req,
			 struct mrc_rsp_cfg *rsp);

/* post.c */
int mrc_qp_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr);
int mrc_qp_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr);

/* resource.c */
int mrc_qp_fill_res(struct sk_buff *msg, struct ib_qp *ibqp);

#endif /* MRC_VERBS_QP_H */
