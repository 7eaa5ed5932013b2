/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the mrc provider and the operations on them.
 */
#ifndef MRC_PROVIDER_H
#define MRC_PROVIDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mrc-abi.h"
#include "mrc_ring.h"

struct mrc_device {
	struct verbs_device vdev;
};

/**
 * struct mrc_context - an open device
 * @vctx: the part of libibverbs
 * @send_opcodes: bit n is set if the kernel supports send opcode n
 */
struct mrc_context {
	struct verbs_context vctx;
	uint32_t send_opcodes;
};

/**
 * struct mrc_cq - completion queue
 * @vcq: the part of libibverbs
 * @lock: covers @cons, @current and the entries from cons to prod
 * @ring: entries that the kernel writes
 * @cons: next entry to be polled; published in the ring header
 * @current: current entry of an extended poll
 * @waiting: QP with work requests that the next poll announces, or NULL; under @lock
 * @polls: how often the queue has been polled, or its events been requested; written
 *	under @lock
 * @armed: an event has been requested, and not arrived
 */
struct mrc_cq {
	struct verbs_cq vcq;
	pthread_spinlock_t lock;
	struct mrc_ring ring;
	uint32_t cons;
	const struct mrc_cqe *current;
	struct mrc_qp *waiting;
	uint32_t polls;
	bool armed;
};

/**
 * struct mrc_wq - send or receive queue
 * @lock: covers the other fields and the entries that are not posted yet
 * @ring: entries that the kernel reads
 * @prod: next entry to be filled
 * @cons: consumer index of the kernel, read again only when the queue seems full
 * @max_sge: elements that an entry may have
 */
struct mrc_wq {
	pthread_spinlock_t lock;
	struct mrc_ring ring;
	uint32_t prod;
	uint32_t cons;
	uint32_t max_sge;
};

/**
 * struct mrc_srq - shared receive queue
 * @srq: the part of libibverbs
 * @rq: the queue
 */
struct mrc_srq {
	struct ibv_srq srq;
	struct mrc_wq rq;
};

/**
 * struct mrc_qp - queue pair
 * @vqp: the part of libibverbs
 * @sq: send queue
 * @rq: receive queue
 * @max_inline: bytes of inline data that an entry of @sq may have
 * @sq_sig_all: every send work request gives a completion
 * @polls: polls of both completion queues when @streak began; this and the next one may
 *	be changed by several threads, which only moves the time of a doorbell
 * @streak: work requests posted since then
 * @unannounced: work requests posted since the last doorbell, if the ring is watched;
 *	atomic
 * @wr_sqe: entry that the calls of struct ibv_qp_ex fill in, or NULL
 * @wr_first: producer index at wr_start()
 * @wr_err: errno that wr_complete() returns
 */
struct mrc_qp {
	struct verbs_qp vqp;
	struct mrc_wq sq;
	struct mrc_wq rq;
	uint32_t max_inline;
	bool sq_sig_all;
	uint32_t polls;
	uint32_t streak;
	uint32_t unannounced;
	struct mrc_sqe *wr_sqe;
	uint32_t wr_first;
	int wr_err;
};

/**
 * struct mrc_ah - address handle
 * @ah: the part of libibverbs
 * @number: identifies it in work requests
 */
struct mrc_ah {
	struct ibv_ah ah;
	uint32_t number;
};

static inline struct mrc_device *to_mdev(struct verbs_device *vdev)
{
	return container_of(vdev, struct mrc_device, vdev);
}

static inline struct mrc_context *to_mctx(struct ibv_context *ctx)
{
	return container_of(ctx, struct mrc_context, vctx.context);
}

static inline struct mrc_cq *to_mcq(struct ibv_cq *cq)
{
	return container_of(cq, struct mrc_cq, vcq.cq);
}

static inline struct mrc_cq *to_mcq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct mrc_cq, vcq.cq_ex);
}

/* The program polls @cq, whose lock is held: it does not wait with unannounced work. */
static inline void mrc_cq_polled(struct mrc_cq *cq)
{
	__atomic_store_n(&cq->polls, cq->polls + 1, __ATOMIC_RELAXED);
}

static inline struct mrc_srq *to_msrq(struct ibv_srq *srq)
{
	return container_of(srq, struct mrc_srq, srq);
}

static inline struct mrc_qp *to_mqp(struct ibv_qp *qp)
{
	return container_of(qp, struct mrc_qp, vqp.qp);
}

static inline struct mrc_qp *to_mqp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct mrc_qp, vqp.qp_ex);
}

static inline struct mrc_ah *to_mah(struct ibv_ah *ah)
{
	return container_of(ah, struct mrc_ah, ah);
}

/* mrc_verbs.c */
int mrc_query_device_ex(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size);
int mrc_query_port(struct ibv_context *ctx, uint8_t port,
		   struct ibv_port_attr *attr);
int mrc_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values);
struct ibv_pd *mrc_alloc_pd(struct ibv_context *ctx);
int mrc_dealloc_pd(struct ibv_pd *pd);
struct ibv_mr *mrc_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access);
int mrc_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		 void *addr, size_t length, int access);
int mrc_dereg_mr(struct verbs_mr *vmr);
struct ibv_mr *mrc_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access);
struct ibv_mw *mrc_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int mrc_dealloc_mw(struct ibv_mw *mw);

struct ibv_ah *mrc_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int mrc_destroy_ah(struct ibv_ah *ibah);

/* mrc_cq.c */
struct ibv_cq *mrc_create_cq(struct ibv_context *ctx, int cqe,
			     struct ibv_comp_channel *channel, int vector);
int mrc_destroy_cq(struct ibv_cq *cq);
int mrc_resize_cq(struct ibv_cq *cq, int cqe);
int mrc_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int mrc_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int mrc_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void mrc_cq_event(struct ibv_cq *cq);
int mrc_cq_ready(struct mrc_cq *cq);
void mrc_cq_retire(struct mrc_cq *cq, uint32_t count);
int mrc_cq_setup(struct mrc_cq *cq, int cmd_fd,
		 const struct mrc_create_cq_resp *resp);
void mrc_cq_purge(struct mrc_cq *cq, uint32_t qpn);

/* mrc_idle.c */
void mrc_idle_poll(void);
void mrc_idle_end(void);

/* mrc_cq_ex.c */
struct ibv_cq_ex *mrc_create_cq_ex(struct ibv_context *ctx,
				   struct ibv_cq_init_attr_ex *attr);

/* mrc_qp.c */
struct ibv_qp *mrc_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *mrc_create_qp_ex(struct ibv_context *ctx,
				struct ibv_qp_init_attr_ex *attr);
int mrc_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr);
int mrc_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int mrc_destroy_qp(struct ibv_qp *qp);
int mrc_wq_setup(struct mrc_wq *wq, int cmd_fd,
		 const struct mrc_ring_info *info, size_t entry_size);
void mrc_wq_cleanup(struct mrc_wq *wq);
size_t mrc_rqe_size(uint32_t max_sge);

/* mrc_srq.c */
struct ibv_srq *mrc_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr);
int mrc_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask);
int mrc_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int mrc_destroy_srq(struct ibv_srq *srq);
int mrc_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr);

/* mrc_post.c */
int mrc_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int mrc_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		struct ibv_mw_bind *mw_bind);
int mrc_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
int mrc_rq_post(struct mrc_wq *rq, struct ibv_recv_wr *wr,
		struct ibv_recv_wr **bad_wr, bool *posted);
int mrc_wq_reserve(struct mrc_wq *wq);
int mrc_sq_wake(struct mrc_qp *qp, uint32_t posted);
void mrc_sq_announce(struct mrc_cq *cq);
void mrc_sq_forget(struct mrc_qp *qp);
bool mrc_qp_may_send(const struct ibv_qp *ibqp);
bool mrc_opcode_reads(enum ibv_wr_opcode opcode);
bool mrc_opcode_supported(const struct mrc_context *ctx,
			  enum ibv_wr_opcode opcode);
void mrc_sqe_bind(struct mrc_sqe *sqe, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info);
int mrc_sqe_flags(const struct mrc_qp *qp, unsigned int send_flags,
		  uint16_t *flags);

/* mrc_wr.c */
bool mrc_wr_supported(const struct mrc_context *ctx, uint64_t flags);
void mrc_wr_setup(struct mrc_qp *qp);

#endif /* MRC_PROVIDER_H */
