// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting of work requests: fill ring entries, publish them, and ring the doorbell
 * only if the kernel has requested it.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "mrc.h"

/* SGEs are copied as they are. */
static_assert(sizeof(struct mrc_sge) == sizeof(struct ibv_sge), "SGE size");
static_assert(offsetof(struct mrc_sge, length) ==
	      offsetof(struct ibv_sge, length), "SGE length");
static_assert(offsetof(struct mrc_sge, lkey) ==
	      offsetof(struct ibv_sge, lkey), "SGE lkey");
static_assert(sizeof(struct ib_uverbs_post_send) ==
	      sizeof(struct ib_uverbs_post_recv), "doorbells differ");

/* POST_SEND or POST_RECV without work requests. */
struct mrc_doorbell {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_post_send cmd;
};

/*
 * Work requests that a program posts without polling before doorbells are deferred: one
 * that posts a few and then waits in another way than by polling is not concerned.
 */
#define MRC_STREAK_MIN 4

/* Work requests that one doorbell announces, when doorbells are deferred. */
#define MRC_ANNOUNCE_MAX 16

/* A doorbell is repeated that often if the kernel has no memory for it. */
#define MRC_DOORBELL_TRIES 100

static bool mrc_doorbell_again(int err, int *tries)
{
	if (err == EINTR)
		return true;
	if (err != ENOMEM && err != EAGAIN && err != EFAULT)
		return false;
	sched_yield();
	return ++*tries < MRC_DOORBELL_TRIES;
}

/*
 * The work requests have been posted already, and the kernel will execute them with
 * the next ones: a program that is told of an error posts them again.  So an error for
 * lack of memory, which passes, is not reported.
 */
static int mrc_doorbell_ring(const struct ibv_qp *ibqp, uint32_t command,
			     uint32_t wqe_size)
{
	struct ib_uverbs_post_send_resp resp = {};
	struct mrc_doorbell db = {
		.hdr.command = command,
		.hdr.in_words = sizeof(db) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.cmd.response = (uintptr_t)&resp,
		.cmd.qp_handle = ibqp->handle,
		.cmd.wqe_size = wqe_size,
	};
	int tries = 0;
	ssize_t n;

	do {
		n = write(ibqp->context->cmd_fd, &db, sizeof(db));
	} while (n < 0 && mrc_doorbell_again(errno, &tries));
	if (n == (ssize_t)sizeof(db))
		return 0;
	return n < 0 ? errno : EIO;
}

/**
 * mrc_wq_reserve - check that there is a free entry
 * @wq: with its lock held
 *
 * A difference of the indices larger than the ring means that the kernel has replaced
 * the memory: the device has been removed.
 *
 * Return: 0; ENOMEM if the queue is full; EINVAL if there is no queue; EIO if the
 * device has been removed or the ring is lost.
 */
int mrc_wq_reserve(struct mrc_wq *wq)
{
	uint32_t entries = wq->ring.entries;

	if (!entries)
		return EINVAL;
	if (wq->ring.lost)
		return EIO;
	if (wq->prod - wq->cons < entries)
		return 0;
	wq->cons = mrc_ring_cons(&wq->ring);
	if (wq->prod - wq->cons < entries)
		return 0;
	return wq->prod - wq->cons == entries ? ENOMEM : EIO;
}

/**
 * mrc_qp_may_send - may work requests be posted to the send queue?
 * @ibqp: queue pair
 *
 * Return: false before the QP is ready to send.
 */
bool mrc_qp_may_send(const struct ibv_qp *ibqp)
{
	switch (ibqp->state) {
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
	case IBV_QPS_SQE:
	case IBV_QPS_ERR:
		return true;
	default:
		return false;
	}
}

/**
 * mrc_opcode_reads - does an operation return data of the peer?
 * @opcode: of a work request
 *
 * Return: true if the response is written to its scatter/gather elements.
 */
bool mrc_opcode_reads(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_READ ||
	       opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Local operations cause no packet and have no data. */
static bool mrc_opcode_local(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_LOCAL_INV || opcode == IBV_WR_BIND_MW;
}

static int mrc_sqe_fill_inline(const struct mrc_qp *qp, struct mrc_sqe *sqe,
			       const struct ibv_send_wr *wr)
{
	char *data = (char *)(sqe + 1);
	const struct ibv_sge *sge;
	uint32_t len = 0;
	int i;

	if (mrc_opcode_reads(wr->opcode))
		return EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		sge = &wr->sg_list[i];
		if (sge->length > qp->max_inline - len)
			return EINVAL;
		memcpy(data + len, (void *)(uintptr_t)sge->addr, sge->length);
		len += sge->length;
	}
	sqe->inline_len = len;
	sqe->flags |= MRC_SQE_INLINE;
	return 0;
}

static int mrc_sges_copy(const struct mrc_wq *wq, void *to,
			 const struct ibv_sge *sges, int num_sge)
{
	if (num_sge < 0 || (uint32_t)num_sge > wq->max_sge)
		return EINVAL;
	if (num_sge)
		memcpy(to, sges, num_sge * sizeof(*sges));
	return 0;
}

static int mrc_sqe_fill_sges(const struct mrc_qp *qp, struct mrc_sqe *sqe,
			     const struct ibv_send_wr *wr)
{
	int ret = mrc_sges_copy(&qp->sq, sqe + 1, wr->sg_list, wr->num_sge);

	if (!ret)
		sqe->num_sge = wr->num_sge;
	return ret;
}

/**
 * mrc_sqe_bind - fill in the fields that bind a memory window
 * @sqe: send entry
 * @mw: window
 * @rkey: new R_Key
 * @info: region, range and access of the binding
 */
void mrc_sqe_bind(struct mrc_sqe *sqe, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info)
{
	sqe->imm = mw->rkey;
	sqe->rkey = rkey;
	sqe->remote_addr = info->addr;
	sqe->compare_add = info->length;
	sqe->mr_key = info->mr ? info->mr->lkey : 0;
	sqe->access = info->mw_access_flags;
}

static int mrc_sqe_fill_remote(struct mrc_sqe *sqe,
			       const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_SEND:
		return 0;
	case IBV_WR_SEND_WITH_IMM:
		sqe->imm = wr->imm_data;
		return 0;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		sqe->imm = wr->invalidate_rkey;
		return 0;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		sqe->imm = wr->imm_data;
		/* fall through */
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		sqe->remote_addr = wr->wr.rdma.remote_addr;
		sqe->rkey = wr->wr.rdma.rkey;
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		sqe->remote_addr = wr->wr.atomic.remote_addr;
		sqe->rkey = wr->wr.atomic.rkey;
		sqe->compare_add = wr->wr.atomic.compare_add;
		sqe->swap = wr->wr.atomic.swap;
		return 0;
	case IBV_WR_BIND_MW:
		if (!wr->bind_mw.mw)
			return EINVAL;
		mrc_sqe_bind(sqe, wr->bind_mw.mw, wr->bind_mw.rkey,
			     &wr->bind_mw.bind_info);
		return 0;
	default:
		return EINVAL;
	}
}

static int mrc_sqe_fill_ud(struct mrc_sqe *sqe, const struct ibv_send_wr *wr)
{
	if (wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM)
		return EINVAL;
	sqe->ah = to_mah(wr->wr.ud.ah)->number;
	sqe->remote_qpn = wr->wr.ud.remote_qpn;
	sqe->rkey = wr->wr.ud.remote_qkey;
	return 0;
}

/**
 * mrc_sqe_flags - flags of a send entry
 * @qp: queue pair
 * @send_flags: enum ibv_send_flags
 * @flags: set to MRC_SQE_* bits, except MRC_SQE_INLINE, which is set with the data
 *
 * Return: 0 or EINVAL.
 */
int mrc_sqe_flags(const struct mrc_qp *qp, unsigned int send_flags,
		  uint16_t *flags)
{
	const unsigned int known = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
				   IBV_SEND_INLINE | IBV_SEND_FENCE;

	if (send_flags & ~known)
		return EINVAL;
	*flags = 0;
	if (qp->sq_sig_all || (send_flags & IBV_SEND_SIGNALED))
		*flags |= MRC_SQE_SIGNALED;
	if (send_flags & IBV_SEND_SOLICITED)
		*flags |= MRC_SQE_SOLICITED;
	if (send_flags & IBV_SEND_FENCE)
		*flags |= MRC_SQE_FENCE;
	return 0;
}

/**
 * mrc_opcode_supported - does the kernel support an operation?
 * @ctx: open device
 * @opcode: of a work request
 *
 * Return: false if it must not be posted.
 */
bool mrc_opcode_supported(const struct mrc_context *ctx,
			  enum ibv_wr_opcode opcode)
{
	return (unsigned int)opcode < 32 &&
	       (ctx->send_opcodes & (UINT32_C(1) << opcode));
}

static int mrc_sqe_fill(const struct mrc_qp *qp, struct mrc_sqe *sqe,
			const struct ibv_send_wr *wr)
{
	uint16_t flags;
	int ret;

	if (!mrc_opcode_supported(to_mctx(qp->vqp.qp.context), wr->opcode))
		return EINVAL;
	ret = mrc_sqe_flags(qp, wr->send_flags, &flags);
	if (ret)
		return ret;
	*sqe = (struct mrc_sqe){
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = flags,
	};
	ret = mrc_sqe_fill_remote(sqe, wr);
	if (!ret && qp->vqp.qp.qp_type == IBV_QPT_UD)
		ret = mrc_sqe_fill_ud(sqe, wr);
	if (ret || mrc_opcode_local(wr->opcode))
		return ret;
	if (wr->send_flags & IBV_SEND_INLINE)
		return mrc_sqe_fill_inline(qp, sqe, wr);
	return mrc_sqe_fill_sges(qp, sqe, wr);
}

static int mrc_sq_add(struct mrc_qp *qp, const struct ibv_send_wr *wr)
{
	struct mrc_wq *sq = &qp->sq;
	int ret = mrc_wq_reserve(sq);

	if (!ret)
		ret = mrc_sqe_fill(qp, mrc_ring_slot(&sq->ring, sq->prod), wr);
	if (!ret)
		sq->prod++;
	return ret;
}

static uint32_t mrc_cq_polls(struct ibv_cq *cq)
{
	return __atomic_load_n(&to_mcq(cq)->polls, __ATOMIC_RELAXED);
}

static bool mrc_cq_armed(struct ibv_cq *cq)
{
	return __atomic_load_n(&to_mcq(cq)->armed, __ATOMIC_RELAXED);
}

/*
 * How many work requests has the program posted without polling?  It may wait for
 * completions of either queue.
 */
static uint32_t mrc_sq_streak(struct mrc_qp *qp, uint32_t posted)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;
	uint32_t polls = mrc_cq_polls(ibqp->send_cq) +
			 mrc_cq_polls(ibqp->recv_cq);
	uint32_t streak = posted;

	if (polls == __atomic_load_n(&qp->polls, __ATOMIC_RELAXED))
		streak += __atomic_load_n(&qp->streak, __ATOMIC_RELAXED);
	__atomic_store_n(&qp->polls, polls, __ATOMIC_RELAXED);
	__atomic_store_n(&qp->streak, streak, __ATOMIC_RELAXED);
	return streak;
}

static bool mrc_sq_may_defer(struct mrc_qp *qp, uint32_t posted)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;

	return mrc_sq_streak(qp, posted) >= MRC_STREAK_MIN &&
	       ibqp->qp_type == IBV_QPT_RC && !mrc_cq_armed(ibqp->send_cq) &&
	       !mrc_cq_armed(ibqp->recv_cq);
}

static int mrc_sq_ring(struct mrc_qp *qp)
{
	__atomic_store_n(&qp->unannounced, 0, __ATOMIC_RELAXED);
	return mrc_doorbell_ring(&qp->vqp.qp, IB_USER_VERBS_CMD_POST_SEND,
				 sizeof(struct ib_uverbs_send_wr));
}

/* The next poll of @cq announces what @qp has posted; false if it does so for another. */
static bool mrc_cq_wait_for(struct ibv_cq *ibcq, struct mrc_qp *qp)
{
	struct mrc_cq *cq = to_mcq(ibcq);

	if (__atomic_load_n(&cq->waiting, __ATOMIC_RELAXED) == qp)
		return true;
	pthread_spin_lock(&cq->lock);
	if (!cq->waiting ||
	    !__atomic_load_n(&cq->waiting->unannounced, __ATOMIC_RELAXED))
		__atomic_store_n(&cq->waiting, qp, __ATOMIC_RELAXED);
	pthread_spin_unlock(&cq->lock);
	return __atomic_load_n(&cq->waiting, __ATOMIC_RELAXED) == qp;
}

/* Leave the doorbell to a later post, or to a poll; false if there must be one now. */
static bool mrc_sq_defer(struct mrc_qp *qp, uint32_t posted)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;
	uint32_t n = __atomic_add_fetch(&qp->unannounced, posted,
					__ATOMIC_RELAXED);

	return n < MRC_ANNOUNCE_MAX && mrc_cq_wait_for(ibqp->send_cq, qp) &&
	       mrc_cq_wait_for(ibqp->recv_cq, qp);
}

/**
 * mrc_sq_wake - ring the doorbell of the send queue, if the kernel has requested it
 * @qp: queue pair; its lock need not be held
 * @posted: work requests that have been posted
 *
 * While the kernel watches the ring, a program that posts one work request after the
 * other rings for several of them together.
 *
 * Return: 0 or an errno.
 */
int mrc_sq_wake(struct mrc_qp *qp, uint32_t posted)
{
	const uint32_t idle = MRC_RING_NEED_DOORBELL | MRC_RING_WATCHED;
	bool defer = mrc_sq_may_defer(qp, posted);
	uint32_t flags = mrc_ring_flags(&qp->sq.ring) & idle;

	if (!flags)
		return 0;
	if (flags == MRC_RING_WATCHED && defer && mrc_sq_defer(qp, posted))
		return 0;
	mrc_ring_want_watch(&qp->sq.ring, defer);
	return mrc_sq_ring(qp);
}

/**
 * mrc_sq_announce - ring the doorbell for what a poll is waiting for
 * @cq: completion queue without completions, with its lock held
 *
 * If the kernel does not watch the ring any more, it has read it since.  An error shows
 * with the next post.
 */
void mrc_sq_announce(struct mrc_cq *cq)
{
	struct mrc_qp *qp = cq->waiting;

	if (!qp)
		return;
	__atomic_store_n(&cq->waiting, NULL, __ATOMIC_RELAXED);
	if (__atomic_load_n(&qp->unannounced, __ATOMIC_RELAXED) &&
	    mrc_ring_flags(&qp->sq.ring) & MRC_RING_WATCHED)
		mrc_sq_ring(qp);
}

static void mrc_cq_forget(struct ibv_cq *ibcq, const struct mrc_qp *qp)
{
	struct mrc_cq *cq = to_mcq(ibcq);

	pthread_spin_lock(&cq->lock);
	if (cq->waiting == qp)
		cq->waiting = NULL;
	pthread_spin_unlock(&cq->lock);
}

/**
 * mrc_sq_forget - no poll rings the doorbell of a queue pair any more
 * @qp: queue pair that has been destroyed
 */
void mrc_sq_forget(struct mrc_qp *qp)
{
	mrc_cq_forget(qp->vqp.qp.send_cq, qp);
	mrc_cq_forget(qp->vqp.qp.recv_cq, qp);
}

/**
 * mrc_post_send - post work requests to the send queue
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set to the first one that was not posted
 *
 * Return: 0; ENOMEM if the queue is full; EINVAL if the state of the QP does
 * not allow sending or the request is not valid; EIO if the device has been removed.
 * The work requests before @bad_wr in the list are posted.
 */
int mrc_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct mrc_qp *qp = to_mqp(ibqp);
	struct ibv_send_wr *first = wr;
	int ret = 0, db = 0;
	uint32_t start, posted;

	if (!mrc_qp_may_send(ibqp)) {
		*bad_wr = wr;
		return EINVAL;
	}
	pthread_spin_lock(&qp->sq.lock);
	start = qp->sq.prod;
	for (; wr; wr = wr->next) {
		ret = mrc_sq_add(qp, wr);
		if (ret)
			break;
	}
	posted = qp->sq.prod - start;
	if (posted)
		mrc_ring_set_prod(&qp->sq.ring, qp->sq.prod);
	pthread_spin_unlock(&qp->sq.lock);

	if (ret)
		*bad_wr = wr;
	if (posted)
		db = mrc_sq_wake(qp, posted);
	if (db)
		*bad_wr = first;
	return db ? db : ret;
}

/**
 * mrc_bind_mw - bind a memory window of type 1, or unbind it
 * @ibqp: queue pair to which the work request is posted
 * @mw: window; its R_Key is changed
 * @mw_bind: region, range and access of the binding; length 0 unbinds
 *
 * Return: 0, or an errno as from mrc_post_send(); EPERM if the region belongs to
 * another protection domain.
 */
int mrc_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		struct ibv_mw_bind *mw_bind)
{
	const struct ibv_mw_bind_info *info = &mw_bind->bind_info;
	struct ibv_send_wr *bad, wr = {
		.wr_id = mw_bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = mw_bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = *info,
		},
	};
	int ret;

	if (mw->type != IBV_MW_TYPE_1 || (!info->mr && info->length))
		return EINVAL;
	if (info->mr && info->mr->pd != mw->pd)
		return EPERM;
	ret = mrc_post_send(ibqp, &wr, &bad);
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}

static int mrc_rq_add(struct mrc_wq *rq, const struct ibv_recv_wr *wr)
{
	struct mrc_rqe *rqe;
	int ret;

	ret = mrc_wq_reserve(rq);
	if (ret)
		return ret;
	rqe = mrc_ring_slot(&rq->ring, rq->prod);
	*rqe = (struct mrc_rqe){
		.wr_id = wr->wr_id,
		.num_sge = wr->num_sge,
	};
	ret = mrc_sges_copy(rq, rqe + 1, wr->sg_list, wr->num_sge);
	if (!ret)
		rq->prod++;
	return ret;
}

/**
 * mrc_rq_post - post work requests to a receive queue
 * @rq: receive queue or shared receive queue
 * @wr: list of work requests
 * @bad_wr: set to the first one that was not posted, after an error
 * @posted: set if at least one was posted
 *
 * Return: 0 or an errno.
 */
int mrc_rq_post(struct mrc_wq *rq, struct ibv_recv_wr *wr,
		struct ibv_recv_wr **bad_wr, bool *posted)
{
	uint32_t start;
	int ret = 0;

	pthread_spin_lock(&rq->lock);
	start = rq->prod;
	for (; wr; wr = wr->next) {
		ret = mrc_rq_add(rq, wr);
		if (ret)
			break;
	}
	*posted = rq->prod != start;
	if (*posted)
		mrc_ring_set_prod(&rq->ring, rq->prod);
	pthread_spin_unlock(&rq->lock);
	if (ret)
		*bad_wr = wr;
	return ret;
}

/**
 * mrc_post_recv - post work requests to the receive queue
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set to the first one that was not posted
 *
 * Return: 0; ENOMEM if the queue is full; EINVAL if the QP is in RESET or the
 * request is not valid; EIO if the device has been removed.  The work requests before
 * @bad_wr in the list are posted.
 */
int mrc_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct mrc_qp *qp = to_mqp(ibqp);
	int ret, db = 0;
	bool posted;

	if (ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	ret = mrc_rq_post(&qp->rq, wr, bad_wr, &posted);
	if (posted && mrc_ring_flags(&qp->rq.ring) & MRC_RING_NEED_DOORBELL)
		db = mrc_doorbell_ring(ibqp, IB_USER_VERBS_CMD_POST_RECV,
				       sizeof(struct ib_uverbs_recv_wr));
	if (db)
		*bad_wr = wr;
	return db ? db : ret;
}
