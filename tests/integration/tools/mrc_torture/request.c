// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requests of verbs: objects are made, changed, used and destroyed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

#define CQE		64
#define CQE_NEW		300
#define SRQ_WR		16
#define SRQ_WR_NEW	100
#define SMALL		64
#define MR_LEN		(64 << 10)
#define MR_LEN_NEW	(8 << 10)

static int result(const void *made)
{
	return made ? 0 : errno ? errno : ENOMEM;
}

static char *memory(struct bench *b)
{
	return b->pair.b.buf;
}

/* --- device, domain, memory -------------------------------------------------- */

static int open_device(struct bench *b)
{
	int i;

	for (i = 0; b->list[i]; i++)
		if (!strcmp(ibv_get_device_name(b->list[i]), b->t->dev[0]))
			break;
	b->ctx = ibv_open_device(b->list[i]);
	return result(b->ctx);
}

static int close_device(struct bench *b)
{
	return ibv_close_device(b->ctx) ? errno : 0;
}

static int alloc_pd(struct bench *b)
{
	b->made = ibv_alloc_pd(b->dev->ctx);
	return result(b->made);
}

static int dealloc_pd(struct bench *b)
{
	return ibv_dealloc_pd(b->made);
}

static int reg_mr(struct bench *b)
{
	b->made = ibv_reg_mr(b->pd, memory(b), MR_LEN,
			     RC_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	return result(b->made);
}

static int rereg_mr(struct bench *b)
{
	return ibv_rereg_mr(b->made, IBV_REREG_MR_CHANGE_TRANSLATION |
			    IBV_REREG_MR_CHANGE_ACCESS, NULL, memory(b),
			    MR_LEN_NEW, RC_ACCESS_ALL) ? errno : 0;
}

static int dereg_mr(struct bench *b)
{
	return ibv_dereg_mr(b->made);
}

static int alloc_mw(struct bench *b)
{
	b->made = ibv_alloc_mw(b->pair.a.dev->pd, IBV_MW_TYPE_1);
	return result(b->made);
}

static int dealloc_mw(struct bench *b)
{
	return ibv_dealloc_mw(b->made);
}

static int create_ah(struct bench *b)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = b->dev->port,
		.grh.sgid_index = b->dev->gid_index,
		.grh.dgid = b->pair.b.dev->gid,
		.grh.hop_limit = 1,
	};

	b->made = ibv_create_ah(b->pd, &attr);
	return result(b->made);
}

static int destroy_ah(struct bench *b)
{
	return ibv_destroy_ah(b->made);
}

/* --- queues ------------------------------------------------------------------ */

static int create_cq(struct bench *b)
{
	b->made = ibv_create_cq(b->dev->ctx, CQE, NULL, NULL, 0);
	return result(b->made);
}

static int resize_cq(struct bench *b)
{
	return ibv_resize_cq(b->made, CQE_NEW);
}

static int notify_cq(struct bench *b)
{
	return ibv_req_notify_cq(b->cq, 0);
}

static int destroy_cq(struct bench *b)
{
	return ibv_destroy_cq(b->made);
}

static int create_srq(struct bench *b)
{
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = SRQ_WR,
		.attr.max_sge = 1,
	};

	b->made = ibv_create_srq(b->pd, &attr);
	return result(b->made);
}

static int resize_srq(struct bench *b)
{
	struct ibv_srq_attr attr = { .max_wr = SRQ_WR_NEW };

	return ibv_modify_srq(b->made, &attr, IBV_SRQ_MAX_WR);
}

static int limit_srq(struct bench *b)
{
	struct ibv_srq_attr attr = { .srq_limit = 1 };

	return ibv_modify_srq(b->made, &attr, IBV_SRQ_LIMIT);
}

static int query_srq(struct bench *b)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(b->srq, &attr);
}

static int destroy_srq(struct bench *b)
{
	return ibv_destroy_srq(b->made);
}

/* --- queue pairs ------------------------------------------------------------- */

static int create_qp(struct bench *b, enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = b->cq,
		.recv_cq = b->cq,
		.srq = srq,
		.cap = {
			.max_send_wr = PAIR_DEPTH,
			.max_recv_wr = PAIR_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = type,
	};

	b->made = ibv_create_qp(b->pd, &attr);
	return result(b->made);
}

static int create_rc(struct bench *b)
{
	return create_qp(b, IBV_QPT_RC, NULL);
}

static int create_rc_srq(struct bench *b)
{
	return create_qp(b, IBV_QPT_RC, b->srq);
}

static int create_ud(struct bench *b)
{
	return create_qp(b, IBV_QPT_UD, NULL);
}

static int destroy_qp(struct bench *b)
{
	return ibv_destroy_qp(b->made);
}

static int to_init(struct bench *b)
{
	struct ibv_qp_attr attr;
	int mask;

	rc_attr_init(b->dev, &b->pair.params, &attr, &mask);
	return ibv_modify_qp(b->made, &attr, mask);
}

static int in_init(struct bench *b)
{
	int ret = create_rc(b);

	return ret ? ret : to_init(b);
}

/* To a queue pair that does not expect it. */
static int to_rtr(struct bench *b)
{
	struct ibv_qp_attr attr;
	int mask;

	rc_attr_rtr(b->dev, &b->pair.params, &b->pair.b.addr, &attr, &mask);
	return ibv_modify_qp(b->made, &attr, mask);
}

static int in_rtr(struct bench *b)
{
	int ret = in_init(b);

	return ret ? ret : to_rtr(b);
}

static int to_rts(struct bench *b)
{
	struct ibv_qp_attr attr;
	struct rc_addr self;
	int mask;

	rc_address(b->dev, b->made, &b->pair.params, &self);
	rc_attr_rts(&b->pair.params, &self, &attr, &mask);
	return ibv_modify_qp(b->made, &attr, mask);
}

static int in_rts(struct bench *b)
{
	int ret = in_rtr(b);

	return ret ? ret : to_rts(b);
}

static int to_state(struct bench *b, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(b->made, &attr, IBV_QP_STATE);
}

static int to_error(struct bench *b)
{
	return to_state(b, IBV_QPS_ERR);
}

static int to_reset(struct bench *b)
{
	return to_state(b, IBV_QPS_RESET);
}

static int query_qp(struct bench *b)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(b->made, &attr, IBV_QP_STATE | IBV_QP_CAP, &init);
}

/* --- messages ---------------------------------------------------------------- */

static int post(struct bench *b, enum ibv_wr_opcode op, uint32_t len)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int ret;

	end_wr(&b->pair, op, len, &wr, &sge);
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)b->pair.b.buf;
		wr.wr.atomic.rkey = b->pair.b.mr->rkey;
		wr.wr.atomic.compare_add = 1;
	}
	ret = end_post(&b->pair.a, &wr);
	b->posted |= !ret;
	return ret;
}

static int post_write(struct bench *b)
{
	return post(b, IBV_WR_RDMA_WRITE, PAIR_BUF_LEN);
}

static int post_read(struct bench *b)
{
	return post(b, IBV_WR_RDMA_READ, PAIR_BUF_LEN);
}

static int post_atomic(struct bench *b)
{
	return post(b, IBV_WR_ATOMIC_FETCH_AND_ADD, sizeof(uint64_t));
}

static int post_send(struct bench *b)
{
	return post(b, IBV_WR_SEND, SMALL);
}

static int post_recv(struct bench *b)
{
	return end_recv(&b->pair.b, 1, 0, SMALL);
}

/* Whatever failed on the way: the message arrives. */
static int completed(struct bench *b)
{
	struct ibv_wc wc;

	if (!b->posted)
		return 0;
	if (!wait_wc(b->pair.a.scq, &wc))
		return ETIMEDOUT;
	return wc.status == IBV_WC_SUCCESS ? 0 : EPROTO;
}

static int received(struct bench *b)
{
	struct ibv_wc wc;
	int ret = completed(b);

	if (ret)
		return ret;
	if (!wait_wc(b->pair.b.rcq, &wc))
		return ETIMEDOUT;
	return wc.status == IBV_WC_SUCCESS ? 0 : EPROTO;
}

static int bind_mw(struct bench *b)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = b->mr,
			.addr = (uintptr_t)b->mr->addr,
			.length = SMALL,
			.mw_access_flags = IBV_ACCESS_REMOTE_READ,
		},
	};
	int ret = ibv_bind_mw(b->pair.a.qp, b->made, &bind);

	b->posted |= !ret;
	return ret;
}

static int bound(struct bench *b)
{
	int ret = completed(b);

	return ret ? ret : dealloc_mw(b);
}

const struct request requests[] = {
	{ "ibv_open_device", NULL, open_device, close_device },
	{ "ibv_close_device", open_device, close_device, NULL },
	{ "ibv_alloc_pd", NULL, alloc_pd, dealloc_pd },
	{ "ibv_dealloc_pd", alloc_pd, dealloc_pd, NULL },
	{ "ibv_reg_mr", NULL, reg_mr, dereg_mr },
	{ "ibv_rereg_mr", reg_mr, rereg_mr, dereg_mr },
	{ "ibv_dereg_mr", reg_mr, dereg_mr, NULL },
	{ "ibv_alloc_mw", NULL, alloc_mw, dealloc_mw },
	{ "ibv_dealloc_mw", alloc_mw, dealloc_mw, NULL },
	{ "ibv_create_ah", NULL, create_ah, destroy_ah },
	{ "ibv_destroy_ah", create_ah, destroy_ah, NULL },
	{ "ibv_create_cq", NULL, create_cq, destroy_cq },
	{ "ibv_resize_cq", create_cq, resize_cq, destroy_cq },
	{ "ibv_req_notify_cq", NULL, notify_cq, NULL },
	{ "ibv_destroy_cq", create_cq, destroy_cq, NULL, true },
	{ "ibv_create_srq", NULL, create_srq, destroy_srq },
	{ "ibv_modify_srq, size", create_srq, resize_srq, destroy_srq },
	{ "ibv_modify_srq, limit", create_srq, limit_srq, destroy_srq },
	{ "ibv_query_srq", NULL, query_srq, NULL },
	{ "ibv_destroy_srq", create_srq, destroy_srq, NULL, true },
	{ "ibv_create_qp, RC", NULL, create_rc, destroy_qp },
	{ "ibv_create_qp, SRQ", NULL, create_rc_srq, destroy_qp },
	{ "ibv_create_qp, UD", NULL, create_ud, destroy_qp },
	{ "ibv_modify_qp, INIT", create_rc, to_init, destroy_qp },
	{ "ibv_modify_qp, RTR", in_init, to_rtr, destroy_qp },
	{ "ibv_modify_qp, RTS", in_rtr, to_rts, destroy_qp },
	{ "ibv_modify_qp, ERR", in_rts, to_error, destroy_qp },
	{ "ibv_modify_qp, RESET", in_rts, to_reset, destroy_qp },
	{ "ibv_query_qp", in_rts, query_qp, destroy_qp },
	{ "ibv_destroy_qp", in_rts, destroy_qp, NULL, true },
	{ "ibv_post_send, WRITE", NULL, post_write, completed },
	{ "ibv_post_send, READ", NULL, post_read, completed },
	{ "ibv_post_send, FETCH_ADD", NULL, post_atomic, completed },
	{ "ibv_post_send, SEND", post_recv, post_send, received },
	{ "ibv_bind_mw", alloc_mw, bind_mw, bound },
	{}
};

/**
 * bench_make - make the objects that requests use
 * @b: filled in
 *
 * Return: 0, or -1 after a message.
 */
int bench_make(struct bench *b)
{
	const struct pair_opts opts = {};
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = SRQ_WR,
		.attr.max_sge = 1,
	};

	b->dev = &pair_dev[0];
	b->list = ibv_get_device_list(NULL);
	b->pd = ibv_alloc_pd(b->dev->ctx);
	b->cq = ibv_create_cq(b->dev->ctx, CQE, NULL, NULL, 0);
	if (!b->list || !b->pd || !b->cq || pair_create(&b->pair, &opts))
		return wrong("no objects");
	b->srq = ibv_create_srq(b->pd, &attr);
	b->mr = ibv_reg_mr(b->pair.a.dev->pd, b->pair.a.buf, MR_LEN,
			   RC_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	return b->srq && b->mr ? 0 : wrong("no SRQ, or no region");
}

/**
 * bench_destroy - undo bench_make()
 * @b: objects
 */
void bench_destroy(struct bench *b)
{
	ibv_dereg_mr(b->mr);
	ibv_destroy_srq(b->srq);
	pair_destroy(&b->pair);
	ibv_destroy_cq(b->cq);
	ibv_dealloc_pd(b->pd);
	ibv_free_device_list(b->list);
}
