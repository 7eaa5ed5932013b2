// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A large number of outstanding work requests: all queues have max_qp_wr entries and
 * are full.
 *
 * SENDs stay outstanding because the peer has posted no receives and sends RNR NAKs,
 * receives because the peer sends no message.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "pair.h"
#include "tap.h"

#define TOTAL	(1 << 24)
#define MSG_LEN	8
/* Posted by one call. */
#define CHAIN	64
/* Of receives; those of sends are the rest. */
#define RECV	(1ull << 32)

static char buf[MSG_LEN];

/**
 * struct crowd - QPs whose queues are full, and their peers
 * @dev: device of all
 * @mr: of @buf
 * @scq: completions of send queues; holds those of one QP
 * @rcq: completions of receive queues; holds those of one QP
 * @depth: of each queue
 * @n: queue pairs
 * @full: QPs whose queues are full
 * @empty: their peers
 */
struct crowd {
	struct rc_dev *dev;
	struct ibv_mr *mr;
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	int depth;
	int n;
	struct ibv_qp **full;
	struct ibv_qp **empty;
};

static struct ibv_qp *create(struct crowd *c, int depth)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = c->scq,
		.recv_cq = c->rcq,
		.cap.max_send_wr = depth,
		.cap.max_recv_wr = depth,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(c->dev->pd, &attr);
}

static bool crowd_open(struct crowd *c)
{
	int i;

	c->mr = ibv_reg_mr(c->dev->pd, buf, MSG_LEN, RC_ACCESS_ALL);
	c->scq = ibv_create_cq(c->dev->ctx, c->depth, NULL, NULL, 0);
	c->rcq = ibv_create_cq(c->dev->ctx, c->depth, NULL, NULL, 0);
	c->full = calloc(c->n, sizeof(struct ibv_qp *));
	c->empty = calloc(c->n, sizeof(struct ibv_qp *));
	if (!c->mr || !c->scq || !c->rcq || !c->full || !c->empty)
		return false;
	for (i = 0; i < c->n; i++) {
		c->full[i] = create(c, c->depth);
		c->empty[i] = create(c, 1);
		if (!c->full[i] || !c->empty[i])
			return false;
	}
	return true;
}

static void crowd_close(struct crowd *c)
{
	int i;

	for (i = 0; c->full && c->empty && i < c->n; i++) {
		if (c->full[i])
			ibv_destroy_qp(c->full[i]);
		if (c->empty[i])
			ibv_destroy_qp(c->empty[i]);
	}
	free(c->full);
	free(c->empty);
	if (c->scq)
		ibv_destroy_cq(c->scq);
	if (c->rcq)
		ibv_destroy_cq(c->rcq);
	if (c->mr)
		ibv_dereg_mr(c->mr);
}

static bool crowd_connect(struct crowd *c)
{
	struct rc_params params = rc_defaults;
	struct rc_addr full, empty;
	int i;

	/* The longest RNR NAK timer. */
	params.min_rnr_timer = 0;
	for (i = 0; i < c->n; i++) {
		rc_address(c->dev, c->full[i], &params, &full);
		rc_address(c->dev, c->empty[i], &params, &empty);
		if (rc_init(c->dev, c->full[i], &params) ||
		    rc_init(c->dev, c->empty[i], &params) ||
		    rc_connect(c->dev, c->empty[i], &params, &empty, &full) ||
		    rc_connect(c->dev, c->full[i], &params, &full, &empty))
			return false;
	}
	return true;
}

/* Post until the queue is full. */
static int post_recvs(struct ibv_qp *qp, struct ibv_sge *sge)
{
	struct ibv_recv_wr wr[CHAIN], *bad;
	int i, n = 0;

	for (;;) {
		for (i = 0; i < CHAIN; i++)
			wr[i] = (struct ibv_recv_wr){
				.wr_id = RECV | (n + i),
				.next = i + 1 < CHAIN ? &wr[i + 1] : NULL,
				.sg_list = sge,
				.num_sge = 1,
			};
		if (ibv_post_recv(qp, wr, &bad))
			return n + (bad - wr);
		n += CHAIN;
	}
}

static int post_sends(struct ibv_qp *qp, struct ibv_sge *sge)
{
	struct ibv_send_wr wr[CHAIN], *bad;
	int i, n = 0;

	for (;;) {
		for (i = 0; i < CHAIN; i++)
			wr[i] = (struct ibv_send_wr){
				.wr_id = n + i,
				.next = i + 1 < CHAIN ? &wr[i + 1] : NULL,
				.sg_list = sge,
				.num_sge = 1,
				.opcode = IBV_WR_SEND,
				.send_flags = IBV_SEND_SIGNALED,
			};
		if (ibv_post_send(qp, wr, &bad))
			return n + (bad - wr);
		n += CHAIN;
	}
}

static int crowd_post(struct crowd *c)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf,
		.length = MSG_LEN,
		.lkey = c->mr->lkey,
	};
	int i, n = 0;

	for (i = 0; i < c->n; i++)
		n += post_recvs(c->full[i], &sge) +
		     post_sends(c->full[i], &sge);
	return n;
}

/* No request has completed, and no QP has left RTS. */
static bool crowd_waits(struct crowd *c)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < c->n; i++)
		if (qp_state(c->full[i]) != IBV_QPS_RTS)
			return false;
	return !ibv_poll_cq(c->scq, 1, &wc) && !ibv_poll_cq(c->rcq, 1, &wc);
}

/* Flushed completions of one queue, in order; returns their number or -1. */
static int flushed(struct ibv_cq *cq, const struct ibv_qp *qp, uint64_t id)
{
	struct ibv_wc wc[CHAIN];
	int i, k, n = 0;

	do {
		k = ibv_poll_cq(cq, CHAIN, wc);
		for (i = 0; i < k; i++)
			if (wc[i].status != IBV_WC_WR_FLUSH_ERR ||
			    wc[i].qp_num != qp->qp_num ||
			    wc[i].wr_id != id + n++)
				return -1;
	} while (k > 0);
	return n;
}

/* When ibv_modify_qp() returns, all outstanding requests have completed. */
static bool crowd_flush(struct crowd *c)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	int i;

	for (i = 0; i < c->n; i++)
		if (ibv_modify_qp(c->full[i], &attr, IBV_QP_STATE) ||
		    flushed(c->scq, c->full[i], 0) != c->depth ||
		    flushed(c->rcq, c->full[i], RECV) != c->depth)
			return false;
	return true;
}

/**
 * limit_wqe - tests: all queues are full
 */
void limit_wqe(void)
{
	struct crowd c = {
		.dev = &pair_dev[0],
		.depth = pair_dev[0].attr.max_qp_wr,
	};

	c.n = TOTAL / (2 * c.depth);
	if (tap_ok(crowd_open(&c) && crowd_connect(&c),
		   "%d QPs with queues of max_qp_wr (%d) entries", c.n,
		   c.depth)) {
		tap_ok(crowd_post(&c) == TOTAL,
		       "%d work requests can be posted, no more", TOTAL);
		tap_ok(crowd_waits(&c),
		       "all work requests of full queues stay outstanding");
		tap_ok(crowd_flush(&c),
		       "all work requests of full queues are flushed in order");
	}
	crowd_close(&c);
}
