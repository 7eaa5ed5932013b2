// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Invalidation by the owner and by the peer: what may be invalidated, when it takes
 * effect, and that it is executed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define RECV_ID		7
#define ROUNDS		200
#define ROUND_LEN	20000

static void local_inv(void)
{
	const char *name = "LOCAL_INV of a window";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		expect_access(&r.p, IBV_WR_RDMA_WRITE, rig_addr(&r, WIN_AT),
			      r.mw->rkey, IBV_WC_SUCCESS,
			      "WRITE to a window before LOCAL_INV");
		invalidate(&r.p.b, r.mw->rkey, name, IBV_WC_SUCCESS);
		tap_ok(!ibv_dereg_mr(r.mr),
		       "%s: ibv_dereg_mr succeeds afterwards", name);
		r.mr = NULL;
		expect_access(&r.p, IBV_WR_RDMA_WRITE, rig_addr(&r, WIN_AT),
			      r.mw->rkey, IBV_WC_REM_ACCESS_ERR,
			      "WRITE to a window after LOCAL_INV");
	}
	rig_destroy(&r);
}

static void inv_then_bind(void)
{
	const char *name = "window bound a second time after LOCAL_INV";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		invalidate(&r.p.b, r.mw->rkey, name, IBV_WC_SUCCESS);
		if (rig_bind(&r, name))
			expect_access(&r.p, IBV_WR_RDMA_WRITE,
				      rig_addr(&r, WIN_AT), r.mw->rkey,
				      IBV_WC_SUCCESS, name);
	}
	rig_destroy(&r);
}

/* R_Keys that neither owner nor peer can invalidate. */

static uint32_t of_region(struct rig *r)
{
	return r->mr->rkey;
}

static uint32_t of_window(struct rig *r)
{
	rig_bind(r, "window to be invalidated");
	return r->mw->rkey;
}

static uint32_t of_unbound(struct rig *r)
{
	return r->mw->rkey;
}

static uint32_t of_stale(struct rig *r)
{
	rig_bind(r, "window to be invalidated");
	return r->mw->rkey - 1;
}

static uint32_t of_invalidated(struct rig *r)
{
	rig_bind(r, "window to be invalidated");
	invalidate(&r->p.b, r->mw->rkey, "LOCAL_INV of a bound window",
		   IBV_WC_SUCCESS);
	return r->mw->rkey;
}

static uint32_t of_unused(struct rig *r)
{
	return r->mw->rkey + 0x10000;
}

static const struct {
	const char *name;
	enum ibv_mw_type type;
	uint32_t (*rkey)(struct rig *r);
} inv_cases[] = {
	{ "a memory region", IBV_MW_TYPE_2, of_region },
	{ "a window of type 1", IBV_MW_TYPE_1, of_window },
	{ "a window that is not bound", IBV_MW_TYPE_2, of_unbound },
	{ "the previous R_Key of a window", IBV_MW_TYPE_2, of_stale },
	{ "an invalidated window", IBV_MW_TYPE_2, of_invalidated },
	{ "an R_Key that does not exist", IBV_MW_TYPE_2, of_unused },
};

static void refused_local(const char *what, enum ibv_mw_type type,
			  uint32_t (*rkey)(struct rig *r))
{
	char name[96];
	struct rig r;

	snprintf(name, sizeof(name), "LOCAL_INV of %s", what);
	if (!rig_create(&r, name, type))
		return;
	invalidate(&r.p.b, rkey(&r), name, IBV_WC_MW_BIND_ERR);
	rig_destroy(&r);
}

static int send_inv(struct end *e, uint32_t rkey, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->buf,
		.length = len,
		.lkey = e->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = 5,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.invalidate_rkey = rkey,
	};

	return end_post(e, &wr);
}

static void refused_remote(const char *what, enum ibv_mw_type type,
			   uint32_t (*rkey)(struct rig *r))
{
	char name[96];
	struct rig r;

	snprintf(name, sizeof(name), "SEND_WITH_INV of %s", what);
	if (!rig_create(&r, name, type))
		return;
	end_recv(&r.p.b, RECV_ID, 0, PAIR_BUF_LEN);
	send_inv(&r.p.a, rkey(&r), MSG_LEN);
	expect_wc(r.p.a.scq, IBV_WC_REM_INV_REQ_ERR, name);
	snprintf(name, sizeof(name), "receive of SEND_WITH_INV of %s", what);
	expect_wc(r.p.b.rcq, IBV_WC_REM_INV_REQ_ERR, name);
	tap_ok(wait_state(r.p.b.qp, IBV_QPS_ERR), "%s: the QP is in error",
	       name);
	rig_destroy(&r);
}

/* A test: the receive completion of b names the invalidated R_Key. */
static bool receive_reports_inval(struct rig *r, uint32_t len, const char *name)
{
	struct ibv_wc wc;

	wait_wc(r->p.b.rcq, &wc);
	return tap_ok(wc.status == IBV_WC_SUCCESS && wc.byte_len == len &&
		      wc.opcode == IBV_WC_RECV &&
		      wc.wc_flags == IBV_WC_WITH_INV &&
		      wc.invalidated_rkey == r->mw->rkey,
		      "%s: the receive completion names the R_Key", name);
}

static void remote_inv(uint32_t len, const char *name)
{
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	end_recv(&r.p.b, RECV_ID, 0, PAIR_BUF_LEN);
	if (rig_bind(&r, name)) {
		tap_ok(!send_inv(&r.p.a, r.mw->rkey, len),
		       "%s: post_send succeeds", name);
		expect_wc(r.p.a.scq, IBV_WC_SUCCESS, name);
		receive_reports_inval(&r, len, name);
		tap_ok(!ibv_dereg_mr(r.mr),
		       "%s: ibv_dereg_mr succeeds afterwards", name);
		r.mr = NULL;
		expect_access(&r.p, IBV_WR_RDMA_WRITE, rig_addr(&r, WIN_AT),
			      r.mw->rkey, IBV_WC_REM_ACCESS_ERR, name);
	}
	rig_destroy(&r);
}

/* Only the QP that has bound a window of type 2B can invalidate it. */
static void inv_of_other_qp(void)
{
	const char *name = "SEND_WITH_INV of a window of another QP";
	struct pair other;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (!pair_create(&other, NULL) && rig_bind(&r, name)) {
		end_recv(&other.b, RECV_ID, 0, PAIR_BUF_LEN);
		send_inv(&other.a, r.mw->rkey, MSG_LEN);
		expect_wc(other.a.scq, IBV_WC_REM_INV_REQ_ERR, name);
		expect_access(&r.p, IBV_WR_RDMA_WRITE, rig_addr(&r, WIN_AT),
			      r.mw->rkey, IBV_WC_SUCCESS,
			      "WRITE to a window after a refused SEND_WITH_INV");
	}
	pair_destroy(&other);
	rig_destroy(&r);
}

/* IBTA 10.6.5.1: requests posted before the invalidation may use the window. */
static void inv_after_read(void)
{
	const char *name = "LOCAL_INV after a READ";
	struct ibv_send_wr wr[2];
	struct ibv_sge sge;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		end_wr(&r.p, IBV_WR_RDMA_READ, PAIR_BUF_LEN, &wr[0], &sge);
		sge.addr = (uintptr_t)r.p.b.buf;
		sge.lkey = r.p.b.mr->lkey;
		wr[0].wr.rdma.remote_addr = (uintptr_t)r.p.a.buf;
		wr[0].wr.rdma.rkey = r.p.a.mr->rkey;
		wr[1] = (struct ibv_send_wr){
			.opcode = IBV_WR_LOCAL_INV,
			.send_flags = IBV_SEND_SIGNALED,
			.invalidate_rkey = r.mw->rkey,
		};
		wr[0].next = &wr[1];
		end_post(&r.p.b, wr);
		expect_wc(r.p.b.scq, IBV_WC_SUCCESS, "READ before LOCAL_INV");
		expect_wc(r.p.b.scq, IBV_WC_SUCCESS, name);
	}
	rig_destroy(&r);
}

/**
 * mem_inval - tests: what may be invalidated, and what must not
 */
void mem_inval(void)
{
	size_t i;

	local_inv();
	inv_then_bind();
	remote_inv(0, "empty SEND_WITH_INV");
	remote_inv(PAIR_BUF_LEN, "long SEND_WITH_INV");
	inv_of_other_qp();
	inv_after_read();
	for (i = 0; i < sizeof(inv_cases) / sizeof(*inv_cases); i++) {
		refused_local(inv_cases[i].name, inv_cases[i].type,
			      inv_cases[i].rkey);
		refused_remote(inv_cases[i].name, inv_cases[i].type,
			       inv_cases[i].rkey);
	}
}

/*
 * The pattern of storage protocols: b binds a window, a writes to it and sends the
 * reply with invalidation, b checks the bytes.  Executing the invalidation twice,
 * or never, would be an error.
 */
static bool round_trip(struct rig *r, int i)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	memset(r->p.a.buf, i, ROUND_LEN);
	if (end_recv(&r->p.b, i, ROUND_LEN, ROUND_LEN) ||
	    !rig_bind(r, "window bound in each round"))
		return false;
	end_wr(&r->p, IBV_WR_RDMA_WRITE, WIN_LEN, &wr, &sge);
	wr.send_flags = 0;
	wr.wr.rdma.remote_addr = rig_addr(r, WIN_AT);
	wr.wr.rdma.rkey = r->mw->rkey;
	if (end_post(&r->p.a, &wr) ||
	    send_inv(&r->p.a, r->mw->rkey, ROUND_LEN))
		return false;
	wait_wc(r->p.b.rcq, &wc);
	if (wc.status || wc.wc_flags != IBV_WC_WITH_INV ||
	    wc.invalidated_rkey != r->mw->rkey || wc.wr_id != (uint64_t)i)
		return false;
	wait_wc(r->p.a.scq, &wc);
	return !wc.status &&
	       !memcmp(r->p.b.buf + WIN_AT, r->p.a.buf, WIN_LEN) &&
	       !memcmp(r->p.b.buf + ROUND_LEN, r->p.a.buf, ROUND_LEN);
}

/**
 * mem_loss - tests: invalidations over a link that may lose and duplicate packets
 *
 * The environment variable MEM_ROUNDS gives their number.
 */
void mem_loss(void)
{
	const char *name = "windows bound, written and closed by SEND_WITH_INV";
	const char *env = getenv("MEM_ROUNDS");
	int i, rounds = env ? atoi(env) : ROUNDS;
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	for (i = 0; i < rounds; i++)
		if (!round_trip(&r, i))
			break;
	tap_ok(i == rounds, "%s: %d of %d rounds", name, i, rounds);
	if (i == rounds)
		expect_access(&r.p, IBV_WR_RDMA_WRITE, rig_addr(&r, WIN_AT),
			      r.mw->rkey, IBV_WC_REM_ACCESS_ERR,
			      "WRITE to the last window closed by SEND_WITH_INV");
	rig_destroy(&r);
}
