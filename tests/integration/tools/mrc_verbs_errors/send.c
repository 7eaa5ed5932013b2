// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that are posted and must fail, with the completions of both
 * sides (IBTA 9.9 and 11.6.2).
 */
#include <stdio.h>
#include <string.h>

#include "verbs_errors.h"

#define MSG_LEN		8192
#define RECV_WR_ID	7

/* No completion is expected. */
#define NO_WC		((enum ibv_wc_status)~0)

struct send_case {
	const char *name;
	enum ibv_wr_opcode opcode;
	void (*spoil)(struct pair *p, struct ibv_send_wr *wr);
	enum ibv_wc_status send;
	enum ibv_wc_status recv;
	enum ibv_event_type event;
	bool untouched;
};

static void spoil_lkey(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->lkey += 0x10000;
}

static void spoil_lkey_low(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->lkey ^= 1;
}

static void spoil_end(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->addr += PAIR_BUF_LEN - MSG_LEN + 1;
}

static void spoil_start(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->addr--;
}

static void spoil_wrap(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->addr = UINT64_MAX - 10;
}

static void spoil_huge(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->length = UINT32_MAX;
}

static void spoil_second(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list[1] = wr->sg_list[0];
	wr->sg_list[1].lkey += 0x10000;
	wr->num_sge = 2;
}

static void spoil_rkey(struct pair *p, struct ibv_send_wr *wr)
{
	wr->wr.rdma.rkey += 0x10000;
}

static void spoil_remote_end(struct pair *p, struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr += PAIR_BUF_LEN - 100;
}

static void spoil_remote_start(struct pair *p, struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr--;
}

static void spoil_remote_wrap(struct pair *p, struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr = UINT64_MAX - 10;
}

static const struct send_case send_cases[] = {
	{ "WRITE with a wrong L_Key", IBV_WR_RDMA_WRITE, spoil_lkey,
	  IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE with a stale L_Key", IBV_WR_RDMA_WRITE, spoil_lkey_low,
	  IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE from beyond the end of the region", IBV_WR_RDMA_WRITE,
	  spoil_end, IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE from before the start of the region", IBV_WR_RDMA_WRITE,
	  spoil_start, IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE from an address that wraps", IBV_WR_RDMA_WRITE, spoil_wrap,
	  IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE with a wrong L_Key in the second element", IBV_WR_RDMA_WRITE,
	  spoil_second, IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "SEND with a wrong L_Key", IBV_WR_SEND, spoil_lkey,
	  IBV_WC_LOC_PROT_ERR, NO_WC, 0, true },
	{ "WRITE with a wrong R_Key", IBV_WR_RDMA_WRITE, spoil_rkey,
	  IBV_WC_REM_ACCESS_ERR, NO_WC, IBV_EVENT_QP_ACCESS_ERR, true },
	{ "WRITE_WITH_IMM with a wrong R_Key", IBV_WR_RDMA_WRITE_WITH_IMM,
	  spoil_rkey, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR,
	  IBV_EVENT_QP_ACCESS_ERR, true },
	{ "WRITE to beyond the end of the region", IBV_WR_RDMA_WRITE,
	  spoil_remote_end, IBV_WC_REM_ACCESS_ERR, NO_WC,
	  IBV_EVENT_QP_ACCESS_ERR, false },
	{ "WRITE to before the start of the region", IBV_WR_RDMA_WRITE,
	  spoil_remote_start, IBV_WC_REM_ACCESS_ERR, NO_WC,
	  IBV_EVENT_QP_ACCESS_ERR, false },
	/* The requester refuses it itself and sends no packet. */
	{ "WRITE to an address that wraps", IBV_WR_RDMA_WRITE,
	  spoil_remote_wrap, IBV_WC_REM_ACCESS_ERR, NO_WC, 0, true },
};

/* Completion, event, state and memory of the responder after a refusal. */
static void check_responder(struct pair *p, const struct send_case *c)
{
	char what[128];

	snprintf(what, sizeof(what), "%s: receive of the responder", c->name);
	if (c->recv != NO_WC)
		expect_wc(p->b.rcq, c->recv, what);
	if (c->event)
		tap_ok(wait_async(p->b.dev, c->event), "%s: event %s", c->name,
		       ibv_event_type_str(c->event));
	if (c->event)
		tap_ok(wait_state(p->b.qp, IBV_QPS_ERR),
		       "%s: the responder's QP is in error", c->name);
	if (c->untouched)
		tap_ok(end_filled_with(&p->b, 'b'),
		       "%s: the responder's memory is unchanged", c->name);
}

static void run_case(const struct send_case *c)
{
	struct ibv_sge sge[PAIR_SGES];
	struct ibv_send_wr wr;
	struct pair p;

	if (!pair_ready(&p, c->name, NULL))
		return;
	if (c->opcode != IBV_WR_RDMA_WRITE)
		end_recv(&p.b, RECV_WR_ID, 0, MSG_LEN);
	end_wr(&p, c->opcode, MSG_LEN, &wr, sge);
	c->spoil(&p, &wr);
	if (tap_ok(!end_post(&p.a, &wr), "%s: post_send succeeds", c->name)) {
		expect_wc(p.a.scq, c->send, c->name);
		tap_ok(wait_state(p.a.qp, IBV_QPS_ERR),
		       "%s: the requester's QP is in error", c->name);
		check_responder(&p, c);
	}
	pair_destroy(&p);
}

/* A length above the limit is refused when posted or when executed. */
static void length_limit(void)
{
	const char *name = "WRITE of 4 GiB - 1 is refused";
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair p;
	bool ok;

	if (!pair_ready(&p, name, NULL))
		return;
	end_wr(&p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	spoil_huge(&p, &wr);
	ok = end_post(&p.a, &wr);
	if (!ok && wait_wc(p.a.scq, &wc))
		ok = wc.status == IBV_WC_LOC_LEN_ERR ||
		     wc.status == IBV_WC_LOC_PROT_ERR;
	tap_ok(ok, "%s", name);
	pair_destroy(&p);
}

/* Post a WRITE to @rkey of b and expect a refusal. */
static void expect_write_refused(struct pair *p, const char *name,
				 uint32_t rkey,
				 bool or_invalid)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	wr.wr.rdma.rkey = rkey;
	end_post(&p->a, &wr);
	wait_wc(p->a.scq, &wc);
	tap_ok(wc.status == IBV_WC_REM_ACCESS_ERR ||
	       (or_invalid && wc.status == IBV_WC_REM_INV_REQ_ERR),
	       "%s: %s%s", name, ibv_wc_status_str(IBV_WC_REM_ACCESS_ERR),
	       or_invalid ? " or remote invalid request error" : "");
	if (wc.status != IBV_WC_REM_ACCESS_ERR)
		tap_note("completion status %d", wc.status);
	tap_ok(end_filled_with(&p->b, 'b'),
	       "%s: the responder's memory is unchanged", name);
}

static void region_without_remote_write(void)
{
	const char *name = "WRITE to a region without remote write";
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	mr = ibv_reg_mr(p.b.dev->pd, p.b.buf, PAIR_BUF_LEN,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (tap_ok(mr, "%s: reg_mr succeeds", name)) {
		expect_write_refused(&p, name, mr->rkey, false);
		ibv_dereg_mr(mr);
	}
	pair_destroy(&p);
}

static void region_of_other_pd(void)
{
	const char *name = "WRITE to a region of another protection domain";
	struct ibv_mr *mr = NULL;
	struct ibv_pd *pd;
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	pd = ibv_alloc_pd(p.b.dev->ctx);
	if (pd)
		mr = ibv_reg_mr(pd, p.b.buf, PAIR_BUF_LEN, RC_ACCESS_ALL);
	if (tap_ok(mr, "%s: reg_mr succeeds", name)) {
		expect_write_refused(&p, name, mr->rkey, false);
		ibv_dereg_mr(mr);
	}
	if (pd)
		ibv_dealloc_pd(pd);
	pair_destroy(&p);
}

static void region_deregistered(void)
{
	const char *name = "WRITE to a deregistered region";
	uint32_t rkey;
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	mr = ibv_reg_mr(p.b.dev->pd, p.b.buf, PAIR_BUF_LEN, RC_ACCESS_ALL);
	if (tap_ok(mr, "%s: reg_mr succeeds", name)) {
		rkey = mr->rkey;
		ibv_dereg_mr(mr);
		expect_write_refused(&p, name, rkey, false);
	}
	pair_destroy(&p);
}

static void qp_without_remote_write(void)
{
	const char *name = "WRITE to a QP without remote write";
	struct rc_params params = rc_defaults;
	struct pair_opts opts = { .params = &params };
	struct pair p;

	params.access = 0;
	if (!pair_ready(&p, name, &opts))
		return;
	expect_write_refused(&p, name, p.b.mr->rkey, true);
	pair_destroy(&p);
}

/* Post a receive that cannot hold the message, and send the message. */
static void bad_receive(const char *name, uint32_t lkey_change,
			uint32_t recv_len, enum ibv_wc_status recv,
			enum ibv_wc_status send)
{
	struct ibv_recv_wr *bad_wr, rwr = { .wr_id = RECV_WR_ID };
	struct ibv_sge sge, rsge;
	struct ibv_send_wr wr;
	char what[128];
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	rsge = (struct ibv_sge){ (uintptr_t)p.b.buf, recv_len,
				 p.b.mr->lkey + lkey_change };
	rwr.sg_list = &rsge;
	rwr.num_sge = 1;
	tap_ok(!ibv_post_recv(p.b.qp, &rwr, &bad_wr), "%s: post_recv succeeds",
	       name);
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	snprintf(what, sizeof(what), "%s: receive of the responder", name);
	expect_wc(p.b.rcq, recv, what);
	snprintf(what, sizeof(what), "%s: SEND of the requester", name);
	expect_wc(p.a.scq, send, what);
	tap_ok(p.b.buf[recv_len < PAIR_BUF_LEN ? recv_len : 0] == 'b',
	       "%s: no byte is written beyond the receive buffer", name);
	pair_destroy(&p);
}

static void read_only_receive(void)
{
	const char *name = "receive into a region without local write";
	struct ibv_recv_wr *bad_wr, rwr = { .wr_id = RECV_WR_ID };
	struct ibv_sge sge, rsge;
	struct ibv_send_wr wr;
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	mr = ibv_reg_mr(p.b.dev->pd, p.b.buf, PAIR_BUF_LEN, 0);
	if (tap_ok(mr, "%s: reg_mr succeeds", name)) {
		rsge = (struct ibv_sge){ (uintptr_t)p.b.buf, MSG_LEN,
					 mr->lkey };
		rwr.sg_list = &rsge;
		rwr.num_sge = 1;
		ibv_post_recv(p.b.qp, &rwr, &bad_wr);
		end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
		end_post(&p.a, &wr);
		expect_wc(p.b.rcq, IBV_WC_LOC_PROT_ERR, name);
		expect_wc(p.a.scq, IBV_WC_REM_OP_ERR, name);
		tap_ok(end_filled_with(&p.b, 'b'),
		       "%s: the responder's memory is unchanged", name);
		ibv_dereg_mr(mr);
	}
	pair_destroy(&p);
}

static void rnr_exhausted(void)
{
	const char *name = "SEND without a receive, 1 RNR retry";
	struct rc_params params = rc_defaults;
	struct pair_opts opts = { .params = &params };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;

	params.rnr_retry = 1;
	params.min_rnr_timer = 1;
	if (!pair_ready(&p, name, &opts))
		return;
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, IBV_WC_RNR_RETRY_EXC_ERR, name);
	tap_ok(qp_state(p.b.qp) == IBV_QPS_RTS,
	       "%s: the responder's QP stays in RTS", name);
	pair_destroy(&p);
}

/* The requester retries until the receive is posted. */
static void rnr_endless(void)
{
	const char *name = "SEND before its receive, RNR retries without limit";
	struct rc_params params = rc_defaults;
	struct pair_opts opts = { .params = &params };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair p;

	params.min_rnr_timer = 1;
	if (!pair_ready(&p, name, &opts))
		return;
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	end_wr(&p, IBV_WR_RDMA_WRITE, 1, &wr, &sge);
	tap_ok(!ibv_poll_cq(p.a.scq, 1, &wc),
	       "%s: no completion before the receive is posted", name);
	end_recv(&p.b, RECV_WR_ID, MSG_LEN, MSG_LEN);
	expect_wc(p.a.scq, IBV_WC_SUCCESS, name);
	expect_wc(p.b.rcq, IBV_WC_SUCCESS, name);
	pair_destroy(&p);
}

static void peer_destroyed(void)
{
	const char *name = "WRITE to a destroyed QP";
	struct rc_params params = rc_defaults;
	struct pair_opts opts = { .params = &params };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;

	params.timeout = 10;
	params.retry_cnt = 2;
	if (!pair_ready(&p, name, &opts))
		return;
	ibv_destroy_qp(p.b.qp);
	p.b.qp = NULL;
	drain_async(p.a.dev);
	end_wr(&p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, IBV_WC_RETRY_EXC_ERR, name);
	tap_ok(wait_async(p.a.dev, IBV_EVENT_QP_FATAL), "%s: event %s", name,
	       ibv_event_type_str(IBV_EVENT_QP_FATAL));
	tap_ok(end_filled_with(&p.b, 'b'),
	       "%s: the responder's memory is unchanged", name);
	pair_destroy(&p);
}

/* A request that fails completes though unsignaled; later ones are flushed. */
static void unsignaled_failure(void)
{
	const char *name = "unsignaled WRITE that fails";
	struct ibv_send_wr wr[4];
	struct ibv_sge sge[4];
	struct ibv_wc wc;
	struct pair p;
	int i;

	if (!pair_ready(&p, name, NULL))
		return;
	for (i = 0; i < 4; i++) {
		end_wr(&p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr[i], &sge[i]);
		wr[i].wr_id = i;
		wr[i].send_flags = 0;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
	}
	wr[2].wr.rdma.rkey += 0x10000;
	end_post(&p.a, wr);
	wait_wc(p.a.scq, &wc);
	tap_ok(wc.status == IBV_WC_REM_ACCESS_ERR && wc.wr_id == 2,
	       "%s: remote access error with its wr_id", name);
	wait_wc(p.a.scq, &wc);
	tap_ok(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 3,
	       "%s: the request after it is flushed", name);
	tap_ok(!ibv_poll_cq(p.a.scq, 1, &wc), "%s: no further completion",
	       name);
	pair_destroy(&p);
}

static void check_flushed(struct ibv_cq *cq, int n, const char *name)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < n; i++)
		if (!wait_wc(cq, &wc) || wc.status != IBV_WC_WR_FLUSH_ERR ||
		    wc.wr_id != (uint64_t)i)
			break;
	tap_ok(i == n, "%s", name);
}

static void flush_on_error(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;
	int i;

	if (!pair_ready(&p, "flush", NULL))
		return;
	for (i = 0; i < PAIR_DEPTH; i++)
		end_recv(&p.a, i, 0, MSG_LEN);
	tap_ok(!ibv_modify_qp(p.a.qp, &attr, IBV_QP_STATE), "RTS to ERR");
	check_flushed(p.a.rcq, PAIR_DEPTH,
		      "RTS to ERR flushes receives in order");
	for (i = 0; i < PAIR_DEPTH; i++) {
		end_wr(&p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
		wr.wr_id = i;
		end_post(&p.a, &wr);
	}
	check_flushed(p.a.scq, PAIR_DEPTH,
		      "sends posted in ERR are flushed in order");
	for (i = 0; i < PAIR_DEPTH; i++)
		end_recv(&p.a, i, 0, MSG_LEN);
	check_flushed(p.a.rcq, PAIR_DEPTH,
		      "receives posted in ERR are flushed in order");
	tap_ok(end_filled_with(&p.b, 'b'),
	       "WRITEs posted in ERR do not change the peer's memory");
	pair_destroy(&p);
}

static void post_writes(struct pair *p, int n)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	for (; n; n--) {
		end_wr(p, IBV_WR_RDMA_WRITE, 64, &wr, &sge);
		end_post(&p->a, &wr);
	}
}

static void cq_overrun(void)
{
	const char *name = "CQ overrun";
	struct pair_opts opts = { .scq_entries = 2 };
	struct ibv_wc wc;
	struct pair p;
	int n = 0, left;

	if (!pair_ready(&p, name, &opts))
		return;
	post_writes(&p, p.a.scq->cqe + 2);
	tap_ok(wait_async(p.a.dev, IBV_EVENT_CQ_ERR), "%s: event %s", name,
	       ibv_event_type_str(IBV_EVENT_CQ_ERR));
	for (left = p.a.scq->cqe; left && ibv_poll_cq(p.a.scq, 1, &wc) == 1;
	     left--)
		n++;
	tap_ok(!left, "%s: all %d completions that fit can be polled", name, n);
	tap_ok(ibv_poll_cq(p.a.scq, 1, &wc) < 0,
	       "%s: ibv_poll_cq fails after the last completion", name);
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR), "%s: the QP is in error", name);
	pair_destroy(&p);
}

/**
 * bad_send - tests: requests that fail after they were posted
 */
void bad_send(void)
{
	size_t i;

	for (i = 0; i < sizeof(send_cases) / sizeof(*send_cases); i++)
		run_case(&send_cases[i]);
	length_limit();
	region_without_remote_write();
	region_of_other_pd();
	region_deregistered();
	qp_without_remote_write();
	bad_receive("SEND one byte longer than the receive", 0, MSG_LEN - 1,
		    IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
	bad_receive("SEND far longer than the receive", 0, 1, IBV_WC_LOC_LEN_ERR,
		    IBV_WC_REM_INV_REQ_ERR);
	bad_receive("receive with a wrong L_Key", 0x10000, MSG_LEN,
		    IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
	read_only_receive();
	rnr_exhausted();
	rnr_endless();
	peer_destroyed();
	unsignaled_failure();
	flush_on_error();
	cq_overrun();
}
