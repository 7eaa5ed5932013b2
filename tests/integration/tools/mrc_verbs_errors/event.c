// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The states in which only one side of a QP is active, and their events: SQD, in
 * which the requester is paused, and RTR, in which only the responder runs.
 */
#include <string.h>

#include "verbs_errors.h"

#define MSG_LEN		4096
#define N_WRITES	8

static int post_writes(struct pair *p, int first)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int i, ret = 0;

	for (i = first; !ret && i < first + N_WRITES; i++) {
		end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
		wr.wr_id = i;
		ret = end_post(&p->a, &wr);
	}
	return ret;
}

static bool expect_writes(struct pair *p, int first)
{
	struct ibv_wc wc;
	int i;

	for (i = first; i < first + N_WRITES; i++)
		if (!wait_wc(p->a.scq, &wc) || wc.status ||
		    wc.wr_id != (uint64_t)i)
			return false;
	return true;
}

static int to_sqd(struct pair *p)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD,
		.en_sqd_async_notify = 1,
	};

	return ibv_modify_qp(p->a.qp, &attr,
			     IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
}

static int to_rts(struct pair *p)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };

	return ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE);
}

static void sqd(void)
{
	struct ibv_qp_attr attr = { .timeout = 10 };
	struct ibv_wc wc;
	struct pair p;

	if (pair_create(&p, NULL)) {
		tap_ok(false, "SQD: setup");
		goto out;
	}
	drain_async(p.a.dev);
	tap_ok(!post_writes(&p, 0) && !to_sqd(&p), "RTS to SQD");
	tap_ok(wait_async(p.a.dev, IBV_EVENT_SQ_DRAINED), "SQD: event %s",
	       ibv_event_type_str(IBV_EVENT_SQ_DRAINED));
	tap_ok(qp_state(p.a.qp) == IBV_QPS_SQD,
	       "SQD: ibv_query_qp reports SQD");
	tap_ok(ibv_modify_qp(p.a.qp, &attr, IBV_QP_TIMEOUT),
	       "SQD: ibv_modify_qp of the timeout alone is refused");

	/* Drained: all requests that were started are complete. */
	while (ibv_poll_cq(p.a.scq, 1, &wc) > 0)
		;
	memset(p.b.buf, 'b', MSG_LEN);
	tap_ok(!post_writes(&p, N_WRITES), "SQD: WRITEs can be posted");
	tap_ok(!ibv_poll_cq(p.a.scq, 1, &wc) && p.b.buf[0] == 'b',
	       "SQD: WRITEs posted in SQD are not executed");
	tap_ok(!to_rts(&p), "SQD to RTS");
	while (wait_wc(p.a.scq, &wc) && !wc.status && wc.wr_id < N_WRITES)
		;
	tap_ok(!wc.status && wc.wr_id == N_WRITES,
	       "SQD: WRITEs posted in SQD are executed after SQD to RTS");
out:
	pair_destroy(&p);
}

static int connect_half(struct pair *p)
{
	struct ibv_qp_attr attr;
	int mask, ret;

	ret = rc_init(p->a.dev, p->a.qp, &p->params);
	if (!ret)
		ret = rc_init(p->b.dev, p->b.qp, &p->params);
	if (!ret)
		ret = rc_connect(p->a.dev, p->a.qp, &p->params, &p->a.addr,
				 &p->b.addr);
	if (ret)
		return ret;
	rc_attr_rtr(p->b.dev, &p->params, &p->a.addr, &attr, &mask);
	return ibv_modify_qp(p->b.qp, &attr, mask);
}

static void communication_established(void)
{
	struct pair p;

	if (pair_alloc(&p, NULL) || connect_half(&p)) {
		tap_ok(false, "RTR: setup");
		goto out;
	}
	drain_async(p.b.dev);
	tap_ok(!post_writes(&p, 0) && expect_writes(&p, 0),
	       "RTR: WRITEs to a QP in RTR are executed");
	tap_ok(wait_async(p.b.dev, IBV_EVENT_COMM_EST), "RTR: event %s",
	       ibv_event_type_str(IBV_EVENT_COMM_EST));
	tap_ok(qp_state(p.b.qp) == IBV_QPS_RTR,
	       "RTR: ibv_query_qp reports RTR");
out:
	pair_destroy(&p);
}

/**
 * bad_event - tests: states in which one side of a QP is active, and their events
 */
void bad_event(void)
{
	sqd();
	communication_established();
}
