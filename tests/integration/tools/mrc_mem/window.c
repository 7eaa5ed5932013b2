// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: which accesses they allow, to which QP, and what cannot be bound
 * (IBTA 10.6.7).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define ATOMIC	IBV_WR_ATOMIC_FETCH_AND_ADD

struct use_case {
	const char *name;
	enum ibv_mw_type type;
	int access;
	enum ibv_wr_opcode opcode;
	uint64_t offset;
	enum ibv_wc_status status;
};

/* The window begins and ends in the middle of pages. */
static const struct use_case use_cases[] = {
	{ "WRITE to the start of a window", IBV_MW_TYPE_2, WIN_ACCESS, WRITE,
	  WIN_AT, IBV_WC_SUCCESS },
	{ "WRITE to the end of a window", IBV_MW_TYPE_2, WIN_ACCESS, WRITE,
	  WIN_AT + WIN_LEN - MSG_LEN, IBV_WC_SUCCESS },
	{ "READ from the end of a window", IBV_MW_TYPE_2, WIN_ACCESS, READ,
	  WIN_AT + WIN_LEN - MSG_LEN, IBV_WC_SUCCESS },
	{ "ATOMIC in a window", IBV_MW_TYPE_2, WIN_ACCESS, ATOMIC, 4096,
	  IBV_WC_SUCCESS },
	{ "WRITE in a window of type 1", IBV_MW_TYPE_1, WIN_ACCESS, WRITE,
	  WIN_AT, IBV_WC_SUCCESS },
	{ "WRITE one byte before a window", IBV_MW_TYPE_2, WIN_ACCESS, WRITE,
	  WIN_AT - 1, IBV_WC_REM_ACCESS_ERR },
	{ "WRITE one byte beyond a window", IBV_MW_TYPE_2, WIN_ACCESS, WRITE,
	  WIN_AT + WIN_LEN - MSG_LEN + 1, IBV_WC_REM_ACCESS_ERR },
	{ "READ one byte beyond a window", IBV_MW_TYPE_2, WIN_ACCESS, READ,
	  WIN_AT + WIN_LEN - MSG_LEN + 1, IBV_WC_REM_ACCESS_ERR },
	{ "READ one byte before a window of type 1", IBV_MW_TYPE_1, WIN_ACCESS,
	  READ, WIN_AT - 1, IBV_WC_REM_ACCESS_ERR },
	{ "WRITE to a window for READs", IBV_MW_TYPE_2, IBV_ACCESS_REMOTE_READ,
	  WRITE, WIN_AT, IBV_WC_REM_ACCESS_ERR },
	{ "READ from a window for WRITEs", IBV_MW_TYPE_2,
	  IBV_ACCESS_REMOTE_WRITE, READ, WIN_AT, IBV_WC_REM_ACCESS_ERR },
	{ "ATOMIC in a window for WRITEs and READs", IBV_MW_TYPE_2,
	  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, ATOMIC, 4096,
	  IBV_WC_REM_ACCESS_ERR },
};

static bool bind_as(struct rig *r, int access, const char *name)
{
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	bind_wr(r, &wr);
	wr.bind_mw.bind_info.mw_access_flags = access;
	if (!end_post(&r->p.b, &wr) && wait_wc(r->p.b.scq, &wc) &&
	    wc.status == IBV_WC_SUCCESS) {
		r->mw->rkey = wr.bind_mw.rkey;
		return true;
	}
	return tap_ok(false, "%s: the bind succeeds", name);
}

static void run_use(const struct use_case *c)
{
	struct rig r;

	if (!rig_create(&r, c->name, c->type))
		return;
	if (bind_as(&r, c->access, c->name))
		expect_access(&r.p, c->opcode, rig_addr(&r, c->offset),
			      r.mw->rkey, c->status, c->name);
	rig_destroy(&r);
}

static void zero_based(void)
{
	const char *name = "window with addresses from 0";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	memset(r.p.a.buf, 'z', MSG_LEN);
	if (bind_as(&r, WIN_ACCESS | IBV_ACCESS_ZERO_BASED, name)) {
		expect_access(&r.p, WRITE, 0, r.mw->rkey, IBV_WC_SUCCESS, name);
		tap_ok(r.p.b.buf[WIN_AT - 1] == 'b' &&
		       !memcmp(r.p.b.buf + WIN_AT, r.p.a.buf, MSG_LEN) &&
		       r.p.b.buf[WIN_AT + MSG_LEN] == 'b',
		       "%s: WRITE to address 0 changes the start of the window",
		       name);
		expect_access(&r.p, WRITE, WIN_LEN - MSG_LEN + 1, r.mw->rkey,
			      IBV_WC_REM_ACCESS_ERR,
			      "WRITE beyond the end of a window with addresses from 0");
	}
	rig_destroy(&r);
}

static void as_lkey(void)
{
	const char *name = "R_Key of a window as L_Key";
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_1))
		return;
	if (rig_bind(&r, name)) {
		sge = (struct ibv_sge){
			.addr = rig_addr(&r, WIN_AT),
			.length = MSG_LEN,
			.lkey = r.mw->rkey,
		};
		end_wr(&r.p, WRITE, MSG_LEN, &wr, &(struct ibv_sge){});
		wr.sg_list = &sge;
		end_post(&r.p.b, &wr);
		expect_wc(r.p.b.scq, IBV_WC_LOC_PROT_ERR, name);
	}
	rig_destroy(&r);
}

/* A second QP of b in the same protection domain, connected to a second QP of a. */
static void other_qp(enum ibv_mw_type type, enum ibv_wc_status status,
		     const char *name)
{
	struct pair other;
	struct rig r;

	if (!rig_create(&r, name, type))
		return;
	if (!pair_create(&other, NULL) && rig_bind(&r, name))
		expect_access(&other, WRITE, rig_addr(&r, WIN_AT), r.mw->rkey,
			      status, name);
	pair_destroy(&other);
	rig_destroy(&r);
}

static int bind_type1(struct rig *r, uint64_t at, uint64_t len)
{
	struct ibv_mw_bind bind = {
		.wr_id = 4,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = r->mr,
			.addr = rig_addr(r, at),
			.length = len,
			.mw_access_flags = WIN_ACCESS,
		},
	};

	return ibv_bind_mw(r->p.b.qp, r->mw, &bind);
}

static void rebind(void)
{
	const char *name = "window of type 1, bound twice";
	uint32_t old;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_1))
		return;
	tap_ok(!bind_type1(&r, 0, 4096), "%s: the first ibv_bind_mw succeeds",
	       name);
	expect_wc(r.p.b.scq, IBV_WC_SUCCESS, name);
	expect_access(&r.p, WRITE, rig_addr(&r, 0), r.mw->rkey, IBV_WC_SUCCESS,
		      "WRITE to a window of type 1 after the first bind");
	old = r.mw->rkey;
	bind_type1(&r, 8192, 4096);
	expect_wc(r.p.b.scq, IBV_WC_SUCCESS, name);
	tap_ok(r.mw->rkey != old, "%s: the second bind changes the R_Key",
	       name);
	expect_access(&r.p, WRITE, rig_addr(&r, 8192), r.mw->rkey,
		      IBV_WC_SUCCESS,
		      "WRITE to a window of type 1 after the second bind");
	expect_access(&r.p, WRITE, rig_addr(&r, 0), old, IBV_WC_REM_ACCESS_ERR,
		      "WRITE by the R_Key of the first bind");
	rig_destroy(&r);
}

static void unbind(void)
{
	const char *name = "window of type 1, unbound";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_1))
		return;
	bind_type1(&r, 0, 4096);
	expect_wc(r.p.b.scq, IBV_WC_SUCCESS, "window of type 1, bound");
	bind_type1(&r, 0, 0);
	expect_wc(r.p.b.scq, IBV_WC_SUCCESS, name);
	expect_access(&r.p, WRITE, rig_addr(&r, 0), r.mw->rkey,
		      IBV_WC_REM_ACCESS_ERR, name);
	rig_destroy(&r);
}

static void region_in_use(void)
{
	const char *name = "region that a window is bound to";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		tap_ok(ibv_dereg_mr(r.mr) == EBUSY, "%s: dereg_mr: EBUSY",
		       name);
		expect_access(&r.p, WRITE, rig_addr(&r, WIN_AT), r.mw->rkey,
			      IBV_WC_SUCCESS,
			      "WRITE to a window after a refused dereg_mr");
		tap_ok(!ibv_dealloc_mw(r.mw), "%s: dealloc_mw succeeds", name);
		r.mw = NULL;
		tap_ok(!ibv_dereg_mr(r.mr),
		       "%s: dereg_mr succeeds after dealloc_mw", name);
		r.mr = NULL;
	}
	rig_destroy(&r);
}

static void window_deallocated(void)
{
	const char *name = "WRITE to a deallocated window";
	uint32_t rkey;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		rkey = r.mw->rkey;
		ibv_dealloc_mw(r.mw);
		r.mw = NULL;
		expect_access(&r.p, WRITE, rig_addr(&r, WIN_AT), rkey,
			      IBV_WC_REM_ACCESS_ERR, name);
	}
	rig_destroy(&r);
}

/**
 * mem_window - tests: accesses that windows allow
 */
void mem_window(void)
{
	size_t i;

	for (i = 0; i < sizeof(use_cases) / sizeof(*use_cases); i++)
		run_use(&use_cases[i]);
	zero_based();
	as_lkey();
	other_qp(IBV_MW_TYPE_1, IBV_WC_SUCCESS,
		 "WRITE by another QP of the domain to a window of type 1");
	other_qp(IBV_MW_TYPE_2, IBV_WC_REM_ACCESS_ERR,
		 "WRITE by another QP of the domain to a window of type 2B");
	rebind();
	unbind();
	region_in_use();
	window_deallocated();
}

/* Binds that must be refused. */

struct bind_case {
	const char *name;
	enum ibv_mw_type type;
	int mr_access;
	void (*spoil)(struct rig *r, struct ibv_send_wr *wr);
};

#define MR_ALL (RC_ACCESS_ALL | IBV_ACCESS_MW_BIND)

static void spoil_nothing(struct rig *r, struct ibv_send_wr *wr)
{
}

static void spoil_start(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.addr = rig_addr(r, 0) - 1;
}

static void spoil_end(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.length = PAIR_BUF_LEN - WIN_AT + 1;
}

static void spoil_wrap(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.length = UINT64_MAX;
}

static void spoil_empty(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.length = 0;
}

static void spoil_index(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.rkey ^= 0x100;
}

static void spoil_access(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.mw_access_flags |= IBV_ACCESS_MW_BIND;
}

static void spoil_zero(struct rig *r, struct ibv_send_wr *wr)
{
	wr->bind_mw.bind_info.mw_access_flags |= IBV_ACCESS_ZERO_BASED;
}

static void spoil_mr(struct rig *r, struct ibv_send_wr *wr)
{
	static struct ibv_mr other;

	other = *r->mr;
	other.lkey ^= 1;
	wr->bind_mw.bind_info.mr = &other;
}

static void spoil_mw(struct rig *r, struct ibv_send_wr *wr)
{
	static struct ibv_mw other;

	other = *r->mw;
	other.rkey = r->mr->rkey;
	wr->bind_mw.mw = &other;
	wr->bind_mw.rkey = ibv_inc_rkey(other.rkey);
}

static void spoil_bound(struct rig *r, struct ibv_send_wr *wr)
{
	rig_bind(r, "first bind of a window of type 2");
	wr->bind_mw.rkey = next_key(r->mw);
}

static const struct bind_case bind_cases[] = {
	{ "bind to a region without IBV_ACCESS_MW_BIND", IBV_MW_TYPE_2,
	  RC_ACCESS_ALL, spoil_nothing },
	{ "bind for WRITEs to a region without local write", IBV_MW_TYPE_1,
	  IBV_ACCESS_MW_BIND | IBV_ACCESS_REMOTE_READ, spoil_nothing },
	{ "bind before the start of the region", IBV_MW_TYPE_2, MR_ALL,
	  spoil_start },
	{ "bind beyond the end of the region", IBV_MW_TYPE_2, MR_ALL,
	  spoil_end },
	{ "bind of a length that wraps", IBV_MW_TYPE_1, MR_ALL, spoil_wrap },
	{ "bind of type 2 with length 0", IBV_MW_TYPE_2, MR_ALL, spoil_empty },
	{ "bind with an R_Key of another window", IBV_MW_TYPE_2, MR_ALL,
	  spoil_index },
	{ "bind with an access flag not allowed for windows", IBV_MW_TYPE_2,
	  MR_ALL, spoil_access },
	{ "bind of type 1 with addresses from 0", IBV_MW_TYPE_1, MR_ALL,
	  spoil_zero },
	{ "bind to a stale L_Key", IBV_MW_TYPE_2, MR_ALL, spoil_mr },
	{ "bind of an R_Key without window", IBV_MW_TYPE_2, MR_ALL, spoil_mw },
	{ "second bind of a bound window of type 2", IBV_MW_TYPE_2, MR_ALL,
	  spoil_bound },
};

static void run_bind(const struct bind_case *c)
{
	struct ibv_send_wr wr;
	struct rig r;

	if (!rig_create(&r, c->name, c->type))
		return;
	ibv_dereg_mr(r.mr);
	r.mr = ibv_reg_mr(r.p.b.dev->pd, r.p.b.buf, PAIR_BUF_LEN,
			  c->mr_access);
	if (tap_ok(r.mr, "%s: reg_mr succeeds", c->name)) {
		bind_wr(&r, &wr);
		c->spoil(&r, &wr);
		end_post(&r.p.b, &wr);
		expect_wc(r.p.b.scq, IBV_WC_MW_BIND_ERR, c->name);
		tap_ok(wait_state(r.p.b.qp, IBV_QPS_ERR),
		       "%s: the QP is in error", c->name);
	}
	rig_destroy(&r);
}

static void other_domain(void)
{
	const char *name = "bind of a window of another domain";
	struct ibv_pd *pd = ibv_alloc_pd(pair_dev[1].ctx);
	struct ibv_send_wr wr;
	struct ibv_mw *mw;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	mw = pd ? ibv_alloc_mw(pd, IBV_MW_TYPE_2) : NULL;
	if (tap_ok(mw, "%s: alloc_mw succeeds", name)) {
		bind_wr(&r, &wr);
		wr.bind_mw.mw = mw;
		wr.bind_mw.rkey = next_key(mw);
		end_post(&r.p.b, &wr);
		expect_wc(r.p.b.scq, IBV_WC_MW_BIND_ERR, name);
		ibv_dealloc_mw(mw);
	}
	rig_destroy(&r);
	if (pd)
		ibv_dealloc_pd(pd);
}

/* Local operations keep the order of the queue, and are flushed after an error. */
static void bind_after_error(void)
{
	const char *name = "bind after a failed request";
	struct ibv_send_wr wr[2];
	struct ibv_sge sge;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	end_wr(&r.p, WRITE, MSG_LEN, &wr[0], &sge);
	sge.lkey += 0x10000;
	bind_wr(&r, &wr[1]);
	wr[0].next = &wr[1];
	end_post(&r.p.b, wr);
	expect_wc(r.p.b.scq, IBV_WC_LOC_PROT_ERR,
		  "request with a wrong L_Key before a bind");
	expect_wc(r.p.b.scq, IBV_WC_WR_FLUSH_ERR, name);
	tap_ok(!ibv_dereg_mr(r.mr), "%s: dereg_mr succeeds, nothing is bound",
	       name);
	r.mr = NULL;
	rig_destroy(&r);
}

/* More binds than are executed at a time, between messages, with one CQE each. */
static void bind_between_sends(void)
{
	const char *name = "windows bound between SENDs";
	struct ibv_send_wr wr[PAIR_DEPTH], *bad;
	struct ibv_sge sge[PAIR_DEPTH];
	struct ibv_wc wc;
	struct rig r;
	bool ok = true;
	int i;

	if (!rig_create(&r, name, IBV_MW_TYPE_1))
		return;
	for (i = 0; i < PAIR_DEPTH; i++) {
		if (i % 4) {
			bind_wr(&r, &wr[i]);
			wr[i].bind_mw.rkey = next_key(r.mw);
			r.mw->rkey = wr[i].bind_mw.rkey;
		} else {
			end_wr(&r.p, WRITE, PAIR_BUF_LEN, &wr[i], &sge[i]);
			sge[i].addr = (uintptr_t)r.p.b.buf;
			sge[i].lkey = r.p.b.mr->lkey;
			wr[i].wr.rdma.remote_addr = (uintptr_t)r.p.a.buf;
			wr[i].wr.rdma.rkey = r.p.a.mr->rkey;
		}
		wr[i].wr_id = i;
		wr[i].next = i + 1 < PAIR_DEPTH ? &wr[i + 1] : NULL;
	}
	tap_ok(!ibv_post_send(r.p.b.qp, wr, &bad), "%s: post_send succeeds",
	       name);
	for (i = 0; i < PAIR_DEPTH; i++) {
		wait_wc(r.p.b.scq, &wc);
		ok &= wc.status == IBV_WC_SUCCESS && wc.wr_id == (uint64_t)i &&
		      wc.opcode == (i % 4 ? IBV_WC_BIND_MW :
					    IBV_WC_RDMA_WRITE);
	}
	tap_ok(ok, "%s: all requests complete in order", name);
	expect_access(&r.p, WRITE, rig_addr(&r, WIN_AT), r.mw->rkey,
		      IBV_WC_SUCCESS,
		      "WRITE by the R_Key of the last bind between SENDs");
	rig_destroy(&r);
}

/**
 * mem_bind - tests: refused binds, and binds in the order of the queue
 */
void mem_bind(void)
{
	size_t i;

	for (i = 0; i < sizeof(bind_cases) / sizeof(*bind_cases); i++)
		run_bind(&bind_cases[i]);
	other_domain();
	bind_after_error();
	bind_between_sends();
}
