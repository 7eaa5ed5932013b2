// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting through struct ibv_qp_ex: either all requests between wr_start() and
 * wr_complete() are posted, or none.
 */
#include <errno.h>
#include <string.h>

#include "verbs_errors.h"

#define MSG_LEN	64

#define SEND_OPS                                                              \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |               \
	 IBV_QP_EX_WITH_SEND)

static void write_one(struct pair *p, uint64_t wr_id)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->a.qp);

	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, p->b.mr->rkey, (uintptr_t)p->b.buf);
	ibv_wr_set_sge(qp, p->a.mr->lkey, (uintptr_t)p->a.buf, MSG_LEN);
}

typedef void (*spoil_fn)(struct pair *p, struct ibv_qp_ex *qp);

static void too_many_sges(struct pair *p, struct ibv_qp_ex *qp)
{
	static struct ibv_sge sges[255];

	ibv_wr_set_sge_list(qp, 255, sges);
}

static void too_much_inline(struct pair *p, struct ibv_qp_ex *qp)
{
	ibv_wr_set_inline_data(qp, p->a.buf, 4096);
}

static void inline_read(struct pair *p, struct ibv_qp_ex *qp)
{
	ibv_wr_rdma_read(qp, p->b.mr->rkey, (uintptr_t)p->b.buf);
	ibv_wr_set_inline_data(qp, p->a.buf, MSG_LEN);
}

static void unknown_flag(struct pair *p, struct ibv_qp_ex *qp)
{
	qp->wr_flags = 1 << 30;
	ibv_wr_send(qp);
}

static void one_too_many(struct pair *p, struct ibv_qp_ex *qp)
{
	int i;

	for (i = 0; i < PAIR_DEPTH; i++)
		write_one(p, i);
}

static const struct {
	const char *name;
	spoil_fn spoil;
	int error;
} cases[] = {
	{ "too many elements", too_many_sges, EINVAL },
	{ "too much inline data", too_much_inline, EINVAL },
	{ "READ with inline data", inline_read, EINVAL },
	{ "an unknown flag", unknown_flag, EINVAL },
	{ "more requests than the send queue holds", one_too_many, ENOMEM },
};

/* The request before the invalid one in the batch is valid. */
static void batch_refused(struct pair *p, size_t i)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->a.qp);

	ibv_wr_start(qp);
	write_one(p, 1);
	cases[i].spoil(p, qp);
	tap_ok(ibv_wr_complete(qp) == cases[i].error, "wr_complete with %s: %s",
	       cases[i].name, strerror(cases[i].error));
}

static void post_batches(struct pair *p)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->a.qp);
	struct ibv_wc wc;
	size_t i;

	ibv_wr_start(qp);
	write_one(p, 1);
	ibv_wr_abort(qp);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		batch_refused(p, i);
	ibv_wr_start(qp);
	write_one(p, 77);
	tap_ok(!ibv_wr_complete(qp) && wait_wc(p->a.scq, &wc) && !wc.status &&
	       wc.wr_id == 77,
	       "refused and aborted batches have posted no request");
}

static void in_reset(void)
{
	const struct pair_opts opts = { .send_ops = SEND_OPS };
	struct ibv_qp_ex *qp;
	struct pair p;

	if (!pair_alloc(&p, &opts)) {
		qp = ibv_qp_to_qp_ex(p.a.qp);
		ibv_wr_start(qp);
		write_one(&p, 1);
		tap_ok(ibv_wr_complete(qp) == EINVAL,
		       "wr_complete in RESET: %s", strerror(EINVAL));
	}
	pair_destroy(&p);
}

static void unknown_operation(void)
{
	const struct pair_opts opts = {
		.send_ops = SEND_OPS | IBV_QP_EX_WITH_TSO,
	};
	struct pair p;

	tap_ok(pair_alloc(&p, &opts) == EOPNOTSUPP,
	       "create_qp_ex with an unsupported operation: %s",
	       strerror(EOPNOTSUPP));
	pair_destroy(&p);
}

static void without_send_ops(void)
{
	struct pair p;

	if (!pair_alloc(&p, NULL))
		tap_ok(!ibv_qp_to_qp_ex(p.a.qp),
		       "a QP created without send_ops has no ibv_qp_ex");
	pair_destroy(&p);
}

/**
 * bad_wr - tests: batches of struct ibv_qp_ex
 */
void bad_wr(void)
{
	const struct pair_opts opts = { .send_ops = SEND_OPS };
	struct pair p;

	if (pair_ready(&p, "wr", &opts)) {
		post_batches(&p);
		pair_destroy(&p);
	}
	in_reset();
	unknown_operation();
	without_send_ops();
}
