// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: life cycle and polling.
 *
 * The kernel writes entries at prod and never beyond cons + entries, so the entries
 * between cons and prod belong to this process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mrc.h"

/**
 * mrc_cq_setup - map the ring of a CQ that the kernel has created
 * @cq: completion queue
 * @cmd_fd: command file of the device
 * @resp: response of the kernel
 *
 * Return: 0 or an errno.
 */
int mrc_cq_setup(struct mrc_cq *cq, int cmd_fd,
		 const struct mrc_create_cq_resp *resp)
{
	int ret = mrc_ring_map(&cq->ring, cmd_fd, &resp->cq,
			       sizeof(struct mrc_cqe));

	if (ret)
		return ret;
	if (!cq->ring.hdr)
		return EPROTO;
	ret = pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	if (ret)
		mrc_ring_unmap(&cq->ring);
	return ret;
}

/**
 * mrc_create_cq - create a completion queue
 * @ctx: open device
 * @cqe: entries wanted
 * @channel: receives its events, or NULL
 * @vector: completion vector
 *
 * Return: the queue, or NULL with errno set.
 */
struct ibv_cq *mrc_create_cq(struct ibv_context *ctx, int cqe,
			     struct ibv_comp_channel *channel, int vector)
{
	struct mrc_cmd_create_cq_resp resp = {};
	struct mrc_cmd_create_cq cmd = {};
	struct mrc_cq *cq;
	int ret;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	ret = ibv_cmd_create_cq(ctx, cqe, channel, vector, &cq->vcq.cq,
				&cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				sizeof(resp));
	if (ret)
		goto err_free;

	ret = mrc_cq_setup(cq, ctx->cmd_fd, &resp.drv_payload);
	if (ret)
		goto err_destroy;
	return &cq->vcq.cq;

err_destroy:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
err_free:
	free(cq);
	errno = ret;
	return NULL;
}

/**
 * mrc_destroy_cq - destroy a completion queue
 * @ibcq: without QPs that use it
 *
 * Return: 0 or an errno.
 */
int mrc_destroy_cq(struct ibv_cq *ibcq)
{
	struct mrc_cq *cq = to_mcq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;
	mrc_ring_unmap(&cq->ring);
	pthread_spin_destroy(&cq->lock);
	free(cq);
	return 0;
}

/**
 * mrc_resize_cq - change the number of entries
 * @ibcq: completion queue
 * @cqe: entries wanted
 *
 * The kernel moves the completions to a new ring; the lock keeps other threads from
 * polling the old one meanwhile.
 *
 * Return: 0 or an errno; EINVAL if the queue holds more than @cqe completions.  If the
 * new ring cannot be mapped, mrc_poll_cq() fails until another call succeeds.
 */
int mrc_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct mrc_cmd_resize_cq_resp resp = {};
	struct mrc_cmd_resize_cq cmd = {};
	struct mrc_cq *cq = to_mcq(ibcq);
	struct mrc_room room;
	int ret;

	/* The kernel takes no more; it refuses other values. */
	if (cqe < 1 || (uint32_t)cqe > MRC_RING_ENTRIES_MAX)
		return EINVAL;
	pthread_spin_lock(&cq->lock);
	ret = mrc_ring_reserve(&cq->ring, cqe, &room);
	if (ret)
		goto unlock;
	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd.ibv_cmd, sizeof(cmd),
				&resp.ibv_resp, sizeof(resp));
	if (ret)
		mrc_ring_release(&room);
	else
		ret = mrc_ring_replace(&cq->ring, ibcq->context->cmd_fd,
				       &resp.drv_payload.cq,
				       sizeof(struct mrc_cqe), &room);
unlock:
	pthread_spin_unlock(&cq->lock);
	return ret;
}

/**
 * mrc_modify_cq - set event moderation
 * @ibcq: completion queue
 * @attr: number of completions, and period in us
 *
 * Return: 0 or an errno.
 */
int mrc_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

/**
 * mrc_cq_ready - how many entries can be read
 * @cq: with its lock held
 *
 * Inconsistent indices mean that the kernel has replaced the memory, because the
 * device has been removed.  A lost ring is not looked into.
 *
 * Return: the count, or -EIO if no completion can follow.
 */
int mrc_cq_ready(struct mrc_cq *cq)
{
	uint32_t ready = mrc_ring_prod(&cq->ring) - cq->cons;

	if (cq->ring.lost || ready > cq->ring.entries)
		return -EIO;
	if (!ready && mrc_ring_flag(&cq->ring, MRC_RING_OVERRUN))
		return -EIO;
	return ready;
}

/**
 * mrc_cq_retire - return the oldest entries to the kernel
 * @cq: with its lock held
 * @count: entries that have been read
 */
void mrc_cq_retire(struct mrc_cq *cq, uint32_t count)
{
	cq->cons += count;
	mrc_idle_end();
	mrc_ring_set_cons(&cq->ring, cq->cons);
}

static void mrc_cqe_to_wc(const struct mrc_cqe *cqe, struct ibv_wc *wc)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.imm_data = cqe->imm,
		.qp_num = cqe->qpn,
		.src_qp = cqe->src_qpn,
		.wc_flags = cqe->wc_flags,
	};
}

/**
 * mrc_poll_cq - poll completions
 * @ibcq: completion queue
 * @num_entries: entries of @wc
 * @wc: filled in
 *
 * Return: number of completions, or -EIO if the queue has overrun, its ring is lost, or
 * the device has been removed.
 */
int mrc_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct mrc_cq *cq = to_mcq(ibcq);
	int i, ready;

	pthread_spin_lock(&cq->lock);
	ready = mrc_cq_ready(cq);
	if (ready > num_entries)
		ready = num_entries;
	for (i = 0; i < ready; i++)
		mrc_cqe_to_wc(mrc_ring_slot(&cq->ring, cq->cons + i), wc + i);
	if (ready > 0)
		mrc_cq_retire(cq, ready);
	else if (!ready)
		mrc_sq_announce(cq);
	mrc_cq_polled(cq);
	pthread_spin_unlock(&cq->lock);
	if (!ready)
		mrc_idle_poll();
	return ready;
}

/**
 * mrc_req_notify_cq - request an event with the next completion
 * @ibcq: completion queue
 * @solicited_only: only a solicited completion, or an error, raises it
 *
 * The program is going to wait without polling, so what it has posted is announced,
 * and what it posts before the event arrives is announced at once.
 *
 * Return: 0 or an errno.
 */
int mrc_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct mrc_cq *cq = to_mcq(ibcq);

	pthread_spin_lock(&cq->lock);
	__atomic_store_n(&cq->armed, true, __ATOMIC_RELAXED);
	mrc_sq_announce(cq);
	mrc_cq_polled(cq);
	pthread_spin_unlock(&cq->lock);
	return ibv_cmd_req_notify_cq(ibcq, solicited_only);
}

/**
 * mrc_cq_event - the program has taken an event of a completion queue
 * @ibcq: completion queue
 */
void mrc_cq_event(struct ibv_cq *ibcq)
{
	__atomic_store_n(&to_mcq(ibcq)->armed, false, __ATOMIC_RELAXED);
}

/* Moves the remaining entries towards prod, the newest first. */
static uint32_t mrc_cq_compact(struct mrc_cq *cq, uint32_t prod, uint32_t qpn)
{
	uint32_t from = prod, to = prod;
	const struct mrc_cqe *cqe;

	while (from != cq->cons) {
		cqe = mrc_ring_slot(&cq->ring, --from);
		if (cqe->qpn == qpn)
			continue;
		if (--to != from)
			memcpy(mrc_ring_slot(&cq->ring, to), cqe,
			       sizeof(*cqe));
	}
	return to - cq->cons;
}

/**
 * mrc_cq_purge - drop the completions of a QP
 * @cq: completion queue
 * @qpn: number of a QP for which the kernel writes no entry any more
 *
 * The kernel may go on writing the entries of other QPs meanwhile.
 */
void mrc_cq_purge(struct mrc_cq *cq, uint32_t qpn)
{
	int ready;

	pthread_spin_lock(&cq->lock);
	ready = mrc_cq_ready(cq);
	if (ready > 0)
		mrc_cq_retire(cq, mrc_cq_compact(cq, cq->cons + ready, qpn));
	pthread_spin_unlock(&cq->lock);
}
