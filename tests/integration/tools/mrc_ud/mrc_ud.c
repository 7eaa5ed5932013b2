// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: those that cannot be sent, those that the receiver drops, datagrams into a
 * shared receive queue, and a send queue that is never empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "pair.h"
#include "refill.h"
#include "stats.h"
#include "tap.h"

#define QKEY	0x11111111
#define GRH_LEN	40
#define LEN	100
#define MSGS	8
#define LIMIT	4

/**
 * struct rig - two QPs for datagrams
 * @p: the QPs; a sends to b
 * @there: address handle from a to b
 * @back: address handle from b to a
 */
struct rig {
	struct pair p;
	struct ibv_ah *there;
	struct ibv_ah *back;
};

static int ud_start(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = e->dev->port,
		.qkey = QKEY,
	};
	int ret;

	ret = ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	if (!ret)
		ret = ibv_modify_qp(e->qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!ret)
		ret = ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return ret;
}

static struct ibv_ah *create_ah(const struct end *from, const struct end *to)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = from->dev->port,
		.grh.dgid = to->addr.gid,
		.grh.sgid_index = from->dev->gid_index,
		.grh.hop_limit = 64,
	};

	return ibv_create_ah(from->dev->pd, &attr);
}

static void rig_destroy(struct rig *r)
{
	if (r->there)
		ibv_destroy_ah(r->there);
	if (r->back)
		ibv_destroy_ah(r->back);
	pair_destroy(&r->p);
}

static bool rig_create(struct rig *r, const char *name, struct ibv_srq *srq)
{
	const struct pair_opts opts = { .type = IBV_QPT_UD, .srq = srq };

	memset(r, 0, sizeof(*r));
	if (!pair_alloc(&r->p, &opts) && !ud_start(&r->p.a) &&
	    !ud_start(&r->p.b)) {
		r->there = create_ah(&r->p.a, &r->p.b);
		r->back = create_ah(&r->p.b, &r->p.a);
	}
	if (r->there && r->back)
		return true;
	rig_destroy(r);
	return tap_ok(false, "%s: setup", name);
}

static void ud_wr(const struct rig *r, uint32_t len, struct ibv_send_wr *wr,
		  struct ibv_sge *sge)
{
	end_wr(&r->p, IBV_WR_SEND, len, wr, sge);
	wr->wr.ud.ah = r->there;
	wr->wr.ud.remote_qpn = r->p.b.qp->qp_num;
	wr->wr.ud.remote_qkey = QKEY;
}

static bool send_one(struct rig *r, uint32_t len)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	ud_wr(r, len, &wr, &sge);
	return !end_post(&r->p.a, &wr);
}

static bool sent(struct rig *r)
{
	struct ibv_wc wc;

	return wait_wc(r->p.a.scq, &wc) && !wc.status;
}

/* The next receive completion is of that work request, with all bytes. */
static bool received(struct end *e, uint64_t wr_id, uint32_t len)
{
	struct ibv_wc wc;

	return wait_wc(e->rcq, &wc) && !wc.status && wc.wr_id == wr_id &&
	       wc.byte_len == GRH_LEN + len && wc.wc_flags & IBV_WC_GRH;
}

/* Of three work requests posted together the second one fails. */
static bool post_three(struct rig *r)
{
	struct ibv_send_wr wr[3];
	struct ibv_sge sge[3];
	int i;

	for (i = 0; i < 3; i++) {
		ud_wr(r, LEN, &wr[i], &sge[i]);
		wr[i].wr_id = i;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	sge[1].lkey ^= 0x100;
	return !end_post(&r->p.a, wr);
}

static bool receives_in_sqe(struct rig *r)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	end_wr(&r->p, IBV_WR_SEND, LEN, &wr, &sge);
	sge.addr = (uintptr_t)r->p.b.buf;
	sge.lkey = r->p.b.mr->lkey;
	wr.wr.ud.ah = r->back;
	wr.wr.ud.remote_qpn = r->p.a.qp->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	return !end_recv(&r->p.a, 1, 0, GRH_LEN + LEN) &&
	       !end_post(&r->p.b, &wr) && wait_wc(r->p.b.scq, &wc) &&
	       !wc.status && received(&r->p.a, 1, LEN);
}

static bool sqe_to_rts(struct rig *r)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_SQE,
	};

	return !ibv_modify_qp(r->p.a.qp, &attr,
			      IBV_QP_STATE | IBV_QP_CUR_STATE) &&
	       qp_state(r->p.a.qp) == IBV_QPS_RTS;
}

/* The SQE state, IBTA 10.3.1.6. */
static void test_sqe(void)
{
	uint32_t mtu = 128u << pair_dev[0].port_attr.active_mtu;
	struct rig r;
	struct end *a = &r.p.a;

	if (!rig_create(&r, "SQE", NULL))
		return;
	end_recv(&r.p.b, 1, 0, GRH_LEN + LEN);
	end_recv(&r.p.b, 2, 0, GRH_LEN + LEN);
	tap_ok(post_three(&r),
	       "SQE: three datagrams are posted, the second with a wrong L_Key");
	expect_wc(a->scq, IBV_WC_SUCCESS, "SQE: the first datagram");
	expect_wc(a->scq, IBV_WC_LOC_PROT_ERR, "SQE: the second datagram");
	expect_wc(a->scq, IBV_WC_WR_FLUSH_ERR, "SQE: the third datagram");
	tap_ok(wait_state(a->qp, IBV_QPS_SQE),
	       "SQE: the QP is in SQE after the failed datagram");
	tap_ok(received(&r.p.b, 1, LEN), "SQE: the first datagram is received");
	tap_ok(receives_in_sqe(&r), "SQE: a QP in SQE receives");
	tap_ok(send_one(&r, LEN), "SQE: post_send in SQE succeeds");
	expect_wc(a->scq, IBV_WC_WR_FLUSH_ERR, "SQE: a datagram posted in SQE");
	tap_ok(sqe_to_rts(&r), "SQE: SQE to RTS");
	tap_ok(send_one(&r, LEN) && sent(&r) && received(&r.p.b, 2, LEN),
	       "SQE: a QP back in RTS sends");
	tap_ok(send_one(&r, mtu + 1),
	       "SQE: post_send of a datagram longer than the MTU succeeds");
	expect_wc(a->scq, IBV_WC_LOC_LEN_ERR,
		  "SQE: a datagram longer than the MTU");
	tap_ok(wait_state(a->qp, IBV_QPS_SQE),
	       "SQE: the QP is in SQE after the datagram that is too long");
	rig_destroy(&r);
}

/* A dropped datagram is counted, and the next one is received. */
static bool dropped(struct rig *r, const char *reason, uint32_t len,
		    uint32_t qkey)
{
	const char *name = pair_dev[1].ctx->device->name;
	struct stats before, after;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	bool ok;

	ud_wr(r, len, &wr, &sge);
	wr.wr.ud.remote_qkey = qkey;
	if (stats_read(&before, name) || end_post(&r->p.a, &wr) || !sent(r))
		return false;
	/* Datagrams are processed in order: the drop is counted by then. */
	ok = send_one(r, LEN) && sent(r) && received(&r->p.b, 1, LEN);
	return !stats_read(&after, name) && ok &&
	       stats_only(&before, &after, "drop_", reason, 1);
}

static void test_drop(void)
{
	struct rig r;

	if (!rig_create(&r, "dropped", NULL))
		return;
	end_recv(&r.p.b, 1, 0, GRH_LEN + LEN);
	tap_ok(dropped(&r, "drop_qkey", LEN, QKEY + 1),
	       "a datagram with a wrong Q_Key is dropped and counted");
	end_recv(&r.p.b, 1, 0, GRH_LEN + LEN);
	tap_ok(dropped(&r, "drop_no_recv", LEN + 1, QKEY),
	       "a datagram longer than the receive is dropped and counted");
	tap_ok(qp_state(r.p.b.qp) == IBV_QPS_RTS,
	       "the receiver's QP stays in RTS after drops");
	rig_destroy(&r);
}

static bool post_srq(struct rig *r, struct ibv_srq *srq, uint64_t wr_id)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)r->p.b.buf + wr_id * (GRH_LEN + LEN),
		.length = GRH_LEN + LEN,
		.lkey = r->p.b.mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return !ibv_post_srq_recv(srq, &wr, &bad);
}

static bool into_srq(struct rig *r, struct ibv_srq *srq)
{
	uint64_t i;

	for (i = 0; i < MSGS; i++)
		if (!post_srq(r, srq, i))
			return false;
	for (i = 0; i < MSGS; i++)
		if (!send_one(r, LEN) || !sent(r) || !received(&r->p.b, i,
							       LEN) ||
		    memcmp(r->p.b.buf + i * (GRH_LEN + LEN) + GRH_LEN,
			   r->p.a.buf, LEN))
			return false;
	return true;
}

static void test_srq(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = MSGS, .max_sge = 1 },
	};
	struct ibv_srq_attr limit = { .srq_limit = LIMIT };
	struct ibv_srq *srq;
	struct rig r;

	srq = ibv_create_srq(pair_dev[1].pd, &init);
	if (!tap_ok(srq, "SRQ: create_srq"))
		return;
	if (!rig_create(&r, "SRQ", srq))
		goto out;
	tap_ok(into_srq(&r, srq), "SRQ: %d datagrams consume entries in order",
	       MSGS);
	tap_ok(!ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT) &&
	       wait_async(&pair_dev[1], IBV_EVENT_SRQ_LIMIT_REACHED),
	       "SRQ: event SRQ_LIMIT_REACHED when the SRQ is empty");
	tap_ok(post_srq(&r, srq, 1) &&
	       dropped(&r, "drop_qkey", LEN, QKEY + 1),
	       "SRQ: a datagram with a wrong Q_Key consumes no entry");
	rig_destroy(&r);
out:
	tap_ok(!ibv_destroy_srq(srq), "SRQ: destroy_srq");
}

/* A queue pair of its own, with a deep queue; nobody receives the datagrams. */
static void test_refill(void)
{
	struct end deep = { .dev = &pair_dev[0] };
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = refill_depth, .max_send_sge = 1,
			 .max_recv_wr = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct rig r;

	if (!rig_create(&r, "refill", NULL))
		return;
	deep.scq = ibv_create_cq(deep.dev->ctx, refill_depth, NULL, NULL, 0);
	init.send_cq = deep.scq;
	init.recv_cq = deep.scq;
	if (deep.scq)
		deep.qp = ibv_create_qp(deep.dev->pd, &init);
	ud_wr(&r, LEN, &wr, &sge);
	if (tap_ok(deep.qp && !ud_start(&deep),
		   "refill: a queue pair of %d entries", refill_depth))
		refill_run(deep.qp, deep.scq, &wr);
	if (deep.qp)
		ibv_destroy_qp(deep.qp);
	if (deep.scq)
		ibv_destroy_cq(deep.scq);
	rig_destroy(&r);
}

int main(int argc, char **argv)
{
	static const struct group groups[] = {
		{ "sqe", test_sqe },
		{ "drop", test_drop },
		{ "srq", test_srq },
		{ "refill", test_refill },
		{ NULL },
	};

	return groups_main(argc, argv, "mrc_ud", "Tests of datagrams", groups);
}
