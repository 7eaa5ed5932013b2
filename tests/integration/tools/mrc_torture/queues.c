// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queues that are made, resized and destroyed in quick succession, while others look
 * at them.
 */
#include <errno.h>
#include <unistd.h>

#include "torture.h"

#define CQE_MAX		4096
#define WR_MAX		1024
#define MODERATION_US	20000

static void one_cq(struct rc_dev *dev, struct rnd *r)
{
	struct ibv_modify_cq_attr moderate = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { 1 + rnd_below(r, 8), rnd_below(r, MODERATION_US) },
	};
	struct ibv_cq *cq;

	cq = ibv_create_cq(dev->ctx, rnd_size(r, CQE_MAX), NULL, NULL,
			   rnd_below(r, dev->ctx->num_comp_vectors));
	count(COUNT_CQ, cq);
	if (!cq)
		return;
	ibv_modify_cq(cq, &moderate);
	if (rnd_one_in(r, 2))
		count(COUNT_RESIZE_CQ, !ibv_resize_cq(cq, rnd_size(r, CQE_MAX)));
	count(COUNT_END_CQ, !ibv_destroy_cq(cq));
}

static void one_srq(struct rc_dev *dev, struct rnd *r)
{
	struct ibv_srq_init_attr init = {
		.attr.max_wr = rnd_size(r, WR_MAX),
		.attr.max_sge = 1,
	};
	struct ibv_srq_attr attr = { .max_wr = rnd_size(r, WR_MAX) };
	struct ibv_srq *srq = ibv_create_srq(dev->pd, &init);

	count(COUNT_SRQ, srq);
	if (!srq)
		return;
	if (rnd_one_in(r, 2))
		count(COUNT_RESIZE_SRQ,
		      !ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	count(COUNT_END_SRQ, !ibv_destroy_srq(srq));
}

/**
 * queues_run - worker: queues come and go
 * @t: the first device is used; each action is a queue
 *
 * Return: 0, or -1 after a message.
 */
int queues_run(struct torture *t)
{
	struct rc_dev dev;
	uint32_t i;

	if (rc_open(&dev, t->dev[0], 1, RC_GID_AUTO))
		return wrong("a device does not open");
	make_it_fail(t, true);
	for (i = 0; i < t->actions; i++) {
		if (rnd_one_in(&t->rnd, 3))
			one_srq(&dev, &t->rnd);
		else
			one_cq(&dev, &t->rnd);
	}
	make_it_fail(t, false);
	rc_close(&dev);
	return 0;
}
