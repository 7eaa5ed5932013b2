// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs that are posted and must fail (IBTA 9.9 and 10.7.2).
 */
#include <stdio.h>
#include <string.h>

#include "verbs_errors.h"

#define MSG_LEN		8192
#define ATOMIC		IBV_WR_ATOMIC_FETCH_AND_ADD

struct rd_atomic_case {
	const char *name;
	enum ibv_wr_opcode opcode;
	void (*spoil)(struct pair *p, struct ibv_send_wr *wr);
	enum ibv_wc_status status;
	enum ibv_event_type event;
};

static void spoil_lkey(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->lkey += 0x10000;
}

static void spoil_end(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->addr += PAIR_BUF_LEN - wr->sg_list->length + 1;
}

static void spoil_length(struct pair *p, struct ibv_send_wr *wr)
{
	wr->sg_list->length--;
}

/* READs and ATOMICs have their remote address in different places. */
static void move_remote(struct ibv_send_wr *wr, int64_t by, uint32_t key)
{
	if (wr->opcode == IBV_WR_RDMA_READ) {
		wr->wr.rdma.remote_addr += by;
		wr->wr.rdma.rkey += key;
	} else {
		wr->wr.atomic.remote_addr += by;
		wr->wr.atomic.rkey += key;
	}
}

static void spoil_rkey(struct pair *p, struct ibv_send_wr *wr)
{
	move_remote(wr, 0, 0x10000);
}

static void spoil_remote_end(struct pair *p, struct ibv_send_wr *wr)
{
	move_remote(wr, PAIR_BUF_LEN - wr->sg_list->length + 8, 0);
}

static void spoil_remote_start(struct pair *p, struct ibv_send_wr *wr)
{
	move_remote(wr, -8, 0);
}

static void spoil_aligned(struct pair *p, struct ibv_send_wr *wr)
{
	move_remote(wr, 4, 0);
}

static const struct rd_atomic_case cases[] = {
	{ "READ with a wrong L_Key", IBV_WR_RDMA_READ, spoil_lkey,
	  IBV_WC_LOC_PROT_ERR, 0 },
	{ "READ to beyond the end of the local region", IBV_WR_RDMA_READ, spoil_end,
	  IBV_WC_LOC_PROT_ERR, 0 },
	{ "READ with a wrong R_Key", IBV_WR_RDMA_READ, spoil_rkey,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ "READ from beyond the end of the remote region", IBV_WR_RDMA_READ,
	  spoil_remote_end, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ "READ from before the start of the remote region", IBV_WR_RDMA_READ,
	  spoil_remote_start, IBV_WC_REM_ACCESS_ERR,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ "ATOMIC of 7 bytes", ATOMIC, spoil_length, IBV_WC_LOC_LEN_ERR, 0 },
	{ "ATOMIC with a wrong L_Key", ATOMIC, spoil_lkey,
	  IBV_WC_LOC_PROT_ERR, 0 },
	{ "ATOMIC with a wrong R_Key", ATOMIC, spoil_rkey,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ "ATOMIC beyond the end of the region", ATOMIC, spoil_remote_end,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ "ATOMIC at an address that is no multiple of 8", ATOMIC,
	  spoil_aligned, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
};

static void rd_atomic_wr(const struct pair *p, enum ibv_wr_opcode opcode,
			 struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	end_wr(p, opcode, opcode == IBV_WR_RDMA_READ ? MSG_LEN : 8, wr, sge);
	if (opcode == IBV_WR_RDMA_READ)
		return;
	wr->wr.atomic.remote_addr = (uintptr_t)p->b.buf;
	wr->wr.atomic.rkey = p->b.mr->rkey;
	wr->wr.atomic.compare_add = 1;
}

static void expect_refusal(struct pair *p, const char *name,
			   enum ibv_wc_status status,
			   enum ibv_event_type event)
{
	expect_wc(p->a.scq, status, name);
	tap_ok(wait_state(p->a.qp, IBV_QPS_ERR),
	       "%s: the requester's QP is in error", name);
	if (event)
		tap_ok(wait_async(p->b.dev, event), "%s: event %s", name,
		       ibv_event_type_str(event));
	tap_ok(end_filled_with(&p->a, 'a') && end_filled_with(&p->b, 'b'),
	       "%s: memory of both sides is unchanged", name);
}

static void run_case(const struct rd_atomic_case *c)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;

	if (!pair_ready(&p, c->name, NULL))
		return;
	rd_atomic_wr(&p, c->opcode, &wr, &sge);
	c->spoil(&p, &wr);
	end_post(&p.a, &wr);
	expect_refusal(&p, c->name, c->status, c->event);
	pair_destroy(&p);
}

/* The permission is missing in the responder's QP, or in its region. */
static void without_access(const char *name, enum ibv_wr_opcode opcode,
			   int lacks, bool of_qp)
{
	struct rc_params params = rc_defaults;
	struct pair_opts opts = { .params = &params };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct pair p;

	if (of_qp)
		params.access &= ~lacks;
	if (!pair_ready(&p, name, &opts))
		return;
	mr = ibv_reg_mr(p.b.dev->pd, p.b.buf, PAIR_BUF_LEN,
			of_qp ? RC_ACCESS_ALL : RC_ACCESS_ALL & ~lacks);
	rd_atomic_wr(&p, opcode, &wr, &sge);
	if (opcode == IBV_WR_RDMA_READ)
		wr.wr.rdma.rkey = mr->rkey;
	else
		wr.wr.atomic.rkey = mr->rkey;
	end_post(&p.a, &wr);
	expect_refusal(&p, name, IBV_WC_REM_ACCESS_ERR,
		       IBV_EVENT_QP_ACCESS_ERR);
	ibv_dereg_mr(mr);
	pair_destroy(&p);
}

/* QPs in RTS; max_dest_rd_atomic of the peer or the own max_rd_atomic is 0. */
static void no_resources(const char *name, bool local,
			 enum ibv_wc_status status)
{
	struct ibv_qp_attr attr;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;
	int mask, ret = 0;

	if (pair_alloc(&p, NULL))
		return;
	ret |= rc_init(p.a.dev, p.a.qp, &p.params);
	ret |= rc_init(p.b.dev, p.b.qp, &p.params);
	rc_attr_rtr(p.b.dev, &p.params, &p.a.addr, &attr, &mask);
	attr.max_dest_rd_atomic = local;
	ret |= ibv_modify_qp(p.b.qp, &attr, mask);
	rc_attr_rts(&p.params, &p.b.addr, &attr, &mask);
	ret |= ibv_modify_qp(p.b.qp, &attr, mask);
	rc_attr_rtr(p.a.dev, &p.params, &p.b.addr, &attr, &mask);
	ret |= ibv_modify_qp(p.a.qp, &attr, mask);
	rc_attr_rts(&p.params, &p.a.addr, &attr, &mask);
	attr.max_rd_atomic = !local;
	ret |= ibv_modify_qp(p.a.qp, &attr, mask);
	tap_ok(!ret, "%s: both QPs reach RTS", name);
	rd_atomic_wr(&p, IBV_WR_RDMA_READ, &wr, &sge);
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, status, name);
	pair_destroy(&p);
}

/* A late response must not be written to memory that is no longer registered. */
static void region_deregistered_before(void)
{
	const char *name = "READ into a deregistered region";
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	mr = ibv_reg_mr(p.a.dev->pd, p.a.buf, PAIR_BUF_LEN, RC_ACCESS_ALL);
	rd_atomic_wr(&p, IBV_WR_RDMA_READ, &wr, &sge);
	sge.lkey = mr->lkey;
	ibv_dereg_mr(mr);
	end_post(&p.a, &wr);
	expect_refusal(&p, name, IBV_WC_LOC_PROT_ERR, 0);
	pair_destroy(&p);
}

/*
 * The response arrives after deregistration of the requester's memory.  No event,
 * because a completion reports the error.
 */
static void region_deregistered_during(enum ibv_wr_opcode opcode,
				       const char *name)
{
	struct ibv_async_event event;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct pair p;
	int ret;

	if (pair_alloc(&p, NULL))
		return;
	ret = rc_init(p.a.dev, p.a.qp, &p.params) |
	      rc_init(p.b.dev, p.b.qp, &p.params) |
	      rc_connect(p.a.dev, p.a.qp, &p.params, &p.a.addr, &p.b.addr);
	tap_ok(!ret, "%s: the requester's QP reaches RTS", name);
	drain_async(p.a.dev);
	mr = ibv_reg_mr(p.a.dev->pd, p.a.buf, PAIR_BUF_LEN, RC_ACCESS_ALL);
	rd_atomic_wr(&p, opcode, &wr, &sge);
	sge.lkey = mr->lkey;
	end_post(&p.a, &wr);
	ibv_dereg_mr(mr);
	ret = rc_connect(p.b.dev, p.b.qp, &p.params, &p.b.addr, &p.a.addr);
	/* In RTR it responds already, and is told that the response is refused. */
	tap_ok(!ret || wait_state(p.b.qp, IBV_QPS_ERR),
	       "%s: the responder's QP reaches RTS, or ERR if its response came first",
	       name);
	expect_wc(p.a.scq, IBV_WC_LOC_PROT_ERR, name);
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR) &&
	       ibv_get_async_event(p.a.dev->ctx, &event),
	       "%s: the requester's QP is in error, without an event", name);
	pair_destroy(&p);
}

/**
 * bad_rd_atomic - tests: READs and ATOMICs that must fail
 */
void bad_rd_atomic(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		run_case(&cases[i]);
	without_access("READ without permission of the QP", IBV_WR_RDMA_READ,
		       IBV_ACCESS_REMOTE_READ, true);
	without_access("READ without permission of the region",
		       IBV_WR_RDMA_READ, IBV_ACCESS_REMOTE_READ, false);
	without_access("ATOMIC without permission of the QP", ATOMIC,
		       IBV_ACCESS_REMOTE_ATOMIC, true);
	without_access("ATOMIC without permission of the region", ATOMIC,
		       IBV_ACCESS_REMOTE_ATOMIC, false);
	no_resources("READ with max_dest_rd_atomic 0 at the responder", false,
		     IBV_WC_REM_INV_REQ_ERR);
	no_resources("READ with max_rd_atomic 0 at the requester", true,
		     IBV_WC_LOC_QP_OP_ERR);
	region_deregistered_before();
	region_deregistered_during(IBV_WR_RDMA_READ,
				   "READ into a region deregistered meanwhile");
	region_deregistered_during(ATOMIC,
				   "ATOMIC into a region deregistered meanwhile");
}
