// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Use of objects at random: states, work requests, sizes, events.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "objects.h"

#define QPN_MAX		4096
#define TIMEOUT_MAX	14
#define RETRY_MAX	7
#define POLL_MAX	16
#define CQE_MAX		2048
#define WR_MAX		64
#define SEND_MAX	8
#define OPCODES		11
#define OPCODES_VALID	8
#define INLINE_LEN	32
#define RKEY_BITS	0xff
/* One of this many posts may have any error. */
#define CARELESS_ONE_IN	16
/* One of this many connects queue pairs again. */
#define AGAIN_ONE_IN	32

/* An element within a region; a careless one may be outside. */
static struct ibv_sge some_sge(struct pool *p, bool careless)
{
	struct rnd *r = &p->t->rnd;
	const struct obj *o = pool_pick(p, KIND_MR);
	/* Data within a work request is read by the process: it must be mapped. */
	struct ibv_mr *mr = o && o->buf ? o->p : NULL;
	struct ibv_sge sge = {};
	uint32_t len;

	if (!mr)
		return sge;
	len = rnd_size(r, mr->length);
	sge.length = len;
	sge.addr = (uintptr_t)mr->addr + rnd_below(r, mr->length - len + 1);
	sge.lkey = mr->lkey;
	if (careless && rnd_one_in(r, 4))
		sge.length += rnd_size(r, 1 << 20);
	if (careless && rnd_one_in(r, 4))
		sge.lkey ^= 1 << rnd_below(r, 32);
	return sge;
}

static int some_rd_atomic(struct rnd *r)
{
	return rnd_below(r, 65);
}

static void some_params(struct rnd *r, struct rc_params *params)
{
	*params = (struct rc_params){
		.access = RC_ACCESS_ALL,
		.timeout = 1 + rnd_below(r, TIMEOUT_MAX),
		.retry_cnt = rnd_below(r, RETRY_MAX + 1),
		.rnr_retry = rnd_below(r, RETRY_MAX + 1),
		.min_rnr_timer = 1 + rnd_below(r, 16),
		.rd_atomic = some_rd_atomic(r),
		.mtu = rnd_below(r, IBV_MTU_4096 + 1),
	};
}

static void qp_reset(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	count(COUNT_STATE, !ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

static void qp_datagrams(struct pool *p, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = p->dev.port,
		.qkey = 1,
	};

	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
		      IBV_QP_PORT | IBV_QP_QKEY);
	qp_reset(qp, IBV_QPS_RTR);
	attr.qp_state = IBV_QPS_RTS;
	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

/* A queue pair that was never connected: others have to wait for seconds after RESET. */
static struct obj *pick_fresh(struct pool *peer, const struct obj *self)
{
	struct obj *o;
	int i;

	for (i = 0; peer->open && i < SLOTS; i++) {
		o = &peer->o[KIND_QP][i];
		if (o->p && o != self && !o->ud && !o->connected)
			return o;
	}
	return NULL;
}

static int qp_to_rts(struct pool *p, struct obj *o, const struct rc_params *params,
		     const struct rc_addr *self, const struct rc_addr *far)
{
	int ret;

	o->connected = true;
	ret = rc_init(&p->dev, o->p, params);
	if (!ret)
		ret = rc_connect(&p->dev, o->p, params, self, far);
	count(COUNT_CONNECT, !ret);
	return ret;
}

/* Both ends of a connection; if there is no other, itself, or seldom nobody. */
static void qp_connect(struct pool *p, struct obj *o, struct pool *peer)
{
	struct rnd *r = &p->t->rnd;
	struct obj *other = pick_fresh(peer, o);
	struct rc_addr self, far;
	struct rc_params params;

	some_params(r, &params);
	rc_address(&p->dev, o->p, &params, &self);
	far = self;
	if (other)
		rc_address(&peer->dev, other->p, &params, &far);
	else if (rnd_one_in(r, 4))
		far.qpn = rnd_below(r, QPN_MAX);
	act("connect %s %u %u", p->name, self.qpn, far.qpn);
	if (o->connected)
		qp_reset(o->p, IBV_QPS_RESET);
	if (!qp_to_rts(p, o, &params, &self, &far) && other)
		qp_to_rts(peer, other, &params, &far, &self);
}

/* Mostly within a region of the peer. */
static void some_target(struct pool *p, struct pool *peer, struct ibv_send_wr *wr,
			struct ibv_sge *sge, bool careless)
{
	struct rnd *r = &p->t->rnd;
	const struct obj *o = peer->open ? pool_pick(peer, KIND_MR) : NULL;
	const struct ibv_mr *mr = o ? o->p : NULL;

	if (!mr)
		return;
	if (sge->length > mr->length && !careless)
		sge->length = mr->length;
	wr->wr.rdma.remote_addr = (uintptr_t)mr->addr;
	if (sge->length < mr->length)
		wr->wr.rdma.remote_addr += rnd_below(r, mr->length - sge->length);
	wr->wr.rdma.rkey = mr->rkey;
}

static void some_atomic(struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	uint64_t addr = wr->wr.rdma.remote_addr;
	uint32_t rkey = wr->wr.rdma.rkey;

	wr->wr.atomic.remote_addr = addr & ~7ull;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = 1;
	sge->length = sizeof(uint64_t);
}

static void some_bind(struct pool *p, struct ibv_send_wr *wr)
{
	struct rnd *r = &p->t->rnd;
	struct obj *window = pool_pick(p, KIND_MW), *region = pool_pick(p, KIND_MR);
	struct ibv_mr *mr = region ? region->p : NULL;
	struct ibv_mw *mw = window ? window->p : NULL;

	if (!mr || !mw)
		return;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = (mw->rkey & ~RKEY_BITS) | rnd_below(r, RKEY_BITS + 1);
	wr->bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (uintptr_t)mr->addr,
		.length = rnd_size(r, mr->length),
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
}

static void some_send(struct pool *p, struct pool *peer, struct ibv_send_wr *wr,
		      struct ibv_sge *sge, bool careless)
{
	/* The last ones fail most of the time. */
	static const enum ibv_wr_opcode opcodes[OPCODES] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV, IBV_WR_LOCAL_INV, IBV_WR_BIND_MW,
	};
	struct rnd *r = &p->t->rnd;
	struct obj *mw = pool_pick(p, KIND_MW);

	memset(wr, 0, sizeof(*wr));
	wr->opcode = opcodes[rnd_below(r, careless ? OPCODES : OPCODES_VALID)];
	*sge = some_sge(p, careless);
	wr->send_flags = rnd_below(r, sge->length < INLINE_LEN ?
				      IBV_SEND_INLINE << 1 : IBV_SEND_INLINE);
	wr->sg_list = sge;
	wr->num_sge = sge->length ? 1 : 0;
	some_target(p, peer, wr, sge, careless);
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		some_atomic(wr, sge);
		break;
	case IBV_WR_BIND_MW:
		some_bind(p, wr);
		break;
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		wr->invalidate_rkey = mw ? ((struct ibv_mw *)mw->p)->rkey : 0;
		break;
	default:
		break;
	}
}

static void qp_datagram(struct pool *p, struct ibv_send_wr *wr)
{
	struct obj *ah = pool_pick(p, KIND_AH), *qp = pool_pick(p, KIND_QP);

	if (!ah)
		return;
	wr->opcode = IBV_WR_SEND;
	wr->wr.ud.ah = ah->p;
	wr->wr.ud.remote_qkey = 1;
	wr->wr.ud.remote_qpn = qp ? ((struct ibv_qp *)qp->p)->qp_num : 1;
}

static void qp_send(struct pool *p, struct obj *o, struct pool *peer)
{
	struct ibv_send_wr wr[SEND_MAX], *bad;
	struct ibv_sge sge[SEND_MAX];
	int n = 1 + rnd_below(&p->t->rnd, SEND_MAX), i, ret;
	struct ibv_wc wc[POLL_MAX];
	/* An error ends the connection, and with it all other work on it. */
	bool careless = rnd_one_in(&p->t->rnd, CARELESS_ONE_IN);

	for (i = 0; i < n; i++) {
		some_send(p, peer, &wr[i], &sge[i], careless);
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		if (!o->ud)
			continue;
		memset(&wr[i].wr, 0, sizeof(wr[i].wr));
		wr[i].opcode = IBV_WR_RDMA_READ;
		qp_datagram(p, &wr[i]);
	}
	/* libibverbs has no check of a missing window. */
	for (i = 0; i < n; i++)
		if (wr[i].opcode == IBV_WR_BIND_MW && !wr[i].bind_mw.mw)
			wr[i].opcode = IBV_WR_SEND;
	act("send %s %u: %d", p->name, ((struct ibv_qp *)o->p)->qp_num, n);
	ret = ibv_post_send(o->p, wr, &bad);
	count(o->ud ? COUNT_DATAGRAM : COUNT_SEND, !ret);
	/* It has failed, or nobody receives. */
	o->spent |= ret;
	/* Completion queues: see make_qp(). */
	for (i = 1; i <= 2; i++)
		count_completions(wc, ibv_poll_cq(o->uses[i]->p, POLL_MAX, wc));
}

static void qp_recv(struct pool *p, struct obj *o)
{
	struct ibv_sge sge = some_sge(p, rnd_one_in(&p->t->rnd, CARELESS_ONE_IN));
	struct ibv_recv_wr wr = {
		.sg_list = &sge,
		.num_sge = sge.length ? 1 : 0,
	}, *bad;
	int i;

	if (o->srq)
		return;
	act("recv %s %u", p->name, ((struct ibv_qp *)o->p)->qp_num);
	for (i = 0; i < SEND_MAX; i++)
		count(COUNT_RECV, !ibv_post_recv(o->p, &wr, &bad));
}

static void qp_query(struct obj *o)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	count(COUNT_QUERY, !ibv_query_qp(o->p, &attr, IBV_QP_STATE | IBV_QP_AV |
					 IBV_QP_CAP, &init));
}

static void qp_bind(struct pool *p, struct obj *o)
{
	struct obj *window = pool_pick(p, KIND_MW);
	struct ibv_send_wr wr = {};
	struct ibv_mw_bind bind;

	if (!window || ((struct ibv_mw *)window->p)->type != IBV_MW_TYPE_1)
		return;
	some_bind(p, &wr);
	if (!wr.bind_mw.bind_info.mr)
		return;
	bind = (struct ibv_mw_bind){ .bind_info = wr.bind_mw.bind_info };
	act("bind %s", p->name);
	count(COUNT_BIND, !ibv_bind_mw(o->p, window->p, &bind));
}

/**
 * use_qp - do something with a queue pair
 * @p: objects of its device
 * @o: queue pair
 * @peer: objects of the device of its peer
 */
void use_qp(struct pool *p, struct obj *o, struct pool *peer)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_ERR, IBV_QPS_SQD,
	};
	struct rnd *r = &p->t->rnd;

	switch (o->connected ? rnd_below(r, 16) : 0) {
	case 0:
		if (o->ud)
			qp_datagrams(p, o->p);
		else if (!o->connected || rnd_one_in(r, AGAIN_ONE_IN))
			qp_connect(p, o, peer);
		o->connected = true;
		break;
	case 1:
		if (rnd_one_in(r, 2))
			qp_reset(o->p, states[rnd_below(r, 4)]);
		break;
	case 2:
		qp_query(o);
		break;
	case 3:
		qp_bind(p, o);
		break;
	case 4:
	case 5:
		qp_recv(p, o);
		break;
	default:
		qp_send(p, o, peer);
	}
}

/**
 * use_cq - do something with a completion queue
 * @p: objects of its device
 * @o: completion queue
 */
void use_cq(struct pool *p, struct obj *o)
{
	struct rnd *r = &p->t->rnd;
	struct ibv_modify_cq_attr moderate = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { rnd_below(r, 8), rnd_below(r, 1000) },
	};
	struct ibv_wc wc[POLL_MAX];
	uint32_t size;

	switch (rnd_below(r, 5)) {
	case 0:
		size = rnd_size(r, CQE_MAX);
		act("resize %s cq to %u", p->name, size);
		count(COUNT_RESIZE_CQ, !pool_status(p, ibv_resize_cq(o->p, size)));
		break;
	case 1:
		count(COUNT_ARM_CQ, !ibv_req_notify_cq(o->p, rnd_below(r, 2)));
		break;
	case 2:
		count(COUNT_MODERATE_CQ, !ibv_modify_cq(o->p, &moderate));
		break;
	default:
		count_completions(wc, ibv_poll_cq(o->p, POLL_MAX, wc));
	}
}

/**
 * use_srq - do something with a shared receive queue
 * @p: objects of its device
 * @o: shared receive queue
 */
void use_srq(struct pool *p, struct obj *o)
{
	struct rnd *r = &p->t->rnd;
	struct ibv_srq_attr attr = {
		.max_wr = rnd_size(r, WR_MAX),
		.srq_limit = rnd_below(r, WR_MAX),
	};
	struct ibv_sge sge = some_sge(p, rnd_one_in(r, CARELESS_ONE_IN));
	struct ibv_recv_wr wr = {
		.sg_list = &sge,
		.num_sge = sge.length ? 1 : 0,
	}, *bad;
	int i;

	switch (rnd_below(r, 4)) {
	case 0:
		act("resize %s srq to %u", p->name, attr.max_wr);
		count(COUNT_RESIZE_SRQ,
		      !pool_status(p, ibv_modify_srq(o->p, &attr, IBV_SRQ_MAX_WR)));
		break;
	case 1:
		count(COUNT_LIMIT_SRQ,
		      !ibv_modify_srq(o->p, &attr, IBV_SRQ_LIMIT));
		ibv_query_srq(o->p, &attr);
		break;
	default:
		for (i = 0; i < SEND_MAX; i++)
			ibv_post_srq_recv(o->p, &wr, &bad);
	}
}

/**
 * use_mr - register a region again
 * @p: objects of its device
 * @o: region
 */
void use_mr(struct pool *p, struct obj *o)
{
	struct rnd *r = &p->t->rnd;
	int flags = 1 + rnd_below(r, 7), ret;
	struct obj *pd = pool_pick(p, KIND_PD);
	size_t len = rnd_size(r, o->len ? o->len : 1);

	if (!pd || !o->buf)
		return;
	act("rereg %s flags %d", p->name, flags);
	ret = ibv_rereg_mr(o->p, flags, pd->p, o->buf, len, RC_ACCESS_ALL |
			   (rnd_one_in(r, 2) ? IBV_ACCESS_MW_BIND : 0));
	if (!ret && flags & IBV_REREG_MR_CHANGE_PD) {
		o->uses[0]->users--;
		o->uses[0] = pd;
		pd->users++;
	}
	count(COUNT_REREG, !pool_status(p, ret ? errno : 0));
}
