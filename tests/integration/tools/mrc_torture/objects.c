// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of verbs on one or two devices: which are made and destroyed, and how, is
 * random. One that others use must not be destroyed, others must.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault.h"
#include "objects.h"

#define POOLS		2
#define MR_MAX		(256 << 10)
#define CQE_MAX		2048
/* Seldom: what takes long to free. */
#define CQE_LARGE	65536
/* Most queues do not overrun. */
#define CQE_SPARE	256
#define WR_MAX		64
#define SGE_MAX		4
#define INLINE_MAX	64
/* One of this many actions on an object destroys it; the others use it. */
#define END_ONE_IN	12
#define END_SPENT_ONE_IN	2
#define REOPEN_ONE_IN	400
/* With faults: how many actions have a call that fails, and which call at most. */
#define FAIL_NTH_ONE_IN	4
#define FAIL_NTH_MAX	40
/* Until a device that is not there is looked for again. */
#define AWAY_US		10000

static const char *const kind_name[KINDS] = {
	"pd", "mr", "mw", "cq", "srq", "qp", "ah",
};

/**
 * pool_status - note an errno that says that the device has been removed
 * @p: objects of the device
 * @err: errno of a request
 *
 * Return: @err.
 */
int pool_status(struct pool *p, int err)
{
	p->gone |= err == EIO || err == ENODEV || err == EBADF;
	return err;
}

/**
 * pool_pick - choose an object
 * @p: objects of the device
 * @kind: of what kind
 *
 * Return: one, or NULL if there is none.
 */
struct obj *pool_pick(struct pool *p, enum obj_kind kind)
{
	uint32_t first = rnd_below(&p->t->rnd, SLOTS), i;
	struct obj *o;

	/* Objects of different protection domains are of no use to each other. */
	if (kind == KIND_PD && !rnd_one_in(&p->t->rnd, 8))
		first = 0;
	for (i = 0; i < SLOTS; i++) {
		o = &p->o[kind][(first + i) % SLOTS];
		if (o->p)
			return o;
	}
	return NULL;
}

/* Objects in order of @kinds[] that the new object @o uses; false if one is missing. */
static bool pool_uses(struct pool *p, struct obj *o, const enum obj_kind *kinds, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		o->uses[i] = pool_pick(p, kinds[i]);
		if (!o->uses[i])
			return false;
	}
	return true;
}

static void *make_pd(struct pool *p, struct obj *o)
{
	return ibv_alloc_pd(p->dev.ctx);
}

static int some_access(struct rnd *r)
{
	switch (rnd_below(r, 16)) {
	case 0:
		return 0;
	case 1:
		return IBV_ACCESS_LOCAL_WRITE;
	case 2:
		return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED;
	case 3:
		return IBV_ACCESS_REMOTE_WRITE;
	case 4:
		return RC_ACCESS_ALL;
	default:
		return RC_ACCESS_ALL | IBV_ACCESS_MW_BIND;
	}
}

static void *make_mr(struct pool *p, struct obj *o)
{
	static const enum obj_kind uses[] = { KIND_PD };
	struct rnd *r = &p->t->rnd;
	struct ibv_mr *mr;

	if (!pool_uses(p, o, uses, 1))
		return NULL;
	o->len = rnd_size(r, MR_MAX);
	o->buf = mmap(NULL, o->len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o->buf == MAP_FAILED) {
		o->buf = NULL;
		return NULL;
	}
	mr = ibv_reg_mr(o->uses[0]->p, o->buf, o->len, some_access(r));
	if (!mr)
		munmap(o->buf, o->len);
	return mr;
}

static void *make_mw(struct pool *p, struct obj *o)
{
	static const enum obj_kind uses[] = { KIND_PD };

	if (!pool_uses(p, o, uses, 1))
		return NULL;
	return ibv_alloc_mw(o->uses[0]->p, rnd_one_in(&p->t->rnd, 2) ?
			    IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
}

static void *make_cq(struct pool *p, struct obj *o)
{
	struct rnd *r = &p->t->rnd;
	uint32_t size = rnd_size(r, CQE_MAX);
	struct ibv_cq *cq;

	if (rnd_one_in(r, 8))
		size = rnd_size(r, CQE_LARGE);
	else if (!rnd_one_in(r, 8))
		size += CQE_SPARE;
	o->channel = rnd_one_in(r, 2) ? ibv_create_comp_channel(p->dev.ctx) : NULL;
	if (o->channel)
		fcntl(o->channel->fd, F_SETFL, O_NONBLOCK);
	cq = ibv_create_cq(p->dev.ctx, size, o, o->channel,
			   rnd_below(r, 2));
	if (!cq && o->channel)
		ibv_destroy_comp_channel(o->channel);
	return cq;
}

static void *make_srq(struct pool *p, struct obj *o)
{
	static const enum obj_kind uses[] = { KIND_PD };
	struct rnd *r = &p->t->rnd;
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = rnd_size(r, WR_MAX),
		.attr.max_sge = 1 + rnd_below(r, SGE_MAX),
	};

	if (!pool_uses(p, o, uses, 1))
		return NULL;
	return ibv_create_srq(o->uses[0]->p, &attr);
}

static void *make_qp(struct pool *p, struct obj *o)
{
	static const enum obj_kind uses[] = { KIND_PD, KIND_CQ, KIND_CQ, KIND_SRQ };
	struct rnd *r = &p->t->rnd;
	struct ibv_qp_init_attr attr = {
		.cap.max_send_wr = rnd_size(r, WR_MAX),
		.cap.max_recv_wr = rnd_size(r, WR_MAX),
		.cap.max_send_sge = 1 + rnd_below(r, SGE_MAX),
		.cap.max_recv_sge = 1 + rnd_below(r, SGE_MAX),
		.cap.max_inline_data = rnd_below(r, INLINE_MAX),
		.sq_sig_all = rnd_below(r, 2),
	};

	o->ud = rnd_one_in(r, 8);
	o->srq = rnd_one_in(r, 3);
	attr.qp_type = o->ud ? IBV_QPT_UD : IBV_QPT_RC;
	if (!pool_uses(p, o, uses, o->srq ? 4 : 3))
		return NULL;
	attr.send_cq = o->uses[1]->p;
	attr.recv_cq = o->uses[2]->p;
	attr.srq = o->srq ? o->uses[3]->p : NULL;
	return ibv_create_qp(o->uses[0]->p, &attr);
}

static void *make_ah(struct pool *p, struct obj *o)
{
	static const enum obj_kind uses[] = { KIND_PD };
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = p->dev.port,
		.grh.sgid_index = p->dev.gid_index,
		.grh.hop_limit = 1,
		.grh.dgid = p->dev.gid,
	};

	if (!pool_uses(p, o, uses, 1))
		return NULL;
	return ibv_create_ah(o->uses[0]->p, &attr);
}

static int end_cq(struct pool *p, struct obj *o)
{
	struct ibv_cq *cq;
	int ret, n = 0;
	void *ctx;

	while (o->channel && !ibv_get_cq_event(o->channel, &cq, &ctx))
		n++;
	if (n)
		ibv_ack_cq_events(o->p, n);
	ret = ibv_destroy_cq(o->p);
	if (!ret && o->channel)
		ibv_destroy_comp_channel(o->channel);
	return ret;
}

/* The memory of a region may go first: its pages stay. */
static int end_mr(struct pool *p, struct obj *o)
{
	int ret;

	if (o->buf && rnd_one_in(&p->t->rnd, 2)) {
		munmap(o->buf, o->len);
		o->buf = NULL;
	}
	ret = ibv_dereg_mr(o->p);
	if (!ret && o->buf)
		munmap(o->buf, o->len);
	return ret;
}

static void *make(struct pool *p, enum obj_kind kind, struct obj *o)
{
	switch (kind) {
	case KIND_PD:
		return make_pd(p, o);
	case KIND_MR:
		return make_mr(p, o);
	case KIND_MW:
		return make_mw(p, o);
	case KIND_CQ:
		return make_cq(p, o);
	case KIND_SRQ:
		return make_srq(p, o);
	case KIND_QP:
		return make_qp(p, o);
	default:
		return make_ah(p, o);
	}
}

static int end(struct pool *p, enum obj_kind kind, struct obj *o)
{
	switch (kind) {
	case KIND_PD:
		return ibv_dealloc_pd(o->p);
	case KIND_MR:
		return end_mr(p, o);
	case KIND_MW:
		return ibv_dealloc_mw(o->p);
	case KIND_CQ:
		return end_cq(p, o);
	case KIND_SRQ:
		return ibv_destroy_srq(o->p);
	case KIND_QP:
		return ibv_destroy_qp(o->p);
	default:
		return ibv_destroy_ah(o->p);
	}
}

static void obj_make(struct pool *p, enum obj_kind kind, struct obj *o)
{
	int i;

	memset(o, 0, sizeof(*o));
	act("make %s %s", p->name, kind_name[kind]);
	errno = 0;
	o->p = make(p, kind, o);
	pool_status(p, o->p ? 0 : errno);
	count(COUNT_PD + kind, o->p);
	for (i = 0; o->p && i < USES_MAX && o->uses[i]; i++)
		o->uses[i]->users++;
}

/* A region cannot go while a window is bound to it: only the device knows that. */
static bool may_be_busy(const struct pool *p, enum obj_kind kind, const struct obj *o)
{
	return o->users || kind == KIND_MR || p->t->failing || p->gone;
}

static int obj_end(struct pool *p, enum obj_kind kind, struct obj *o)
{
	bool in_use = o->users;
	int i, ret;

	act("end %s %s, %d users", p->name, kind_name[kind], o->users);
	ret = pool_status(p, end(p, kind, o));
	count(COUNT_END_PD + kind, !ret);
	if (ret && !may_be_busy(p, kind, o))
		return wrong("destroy %s without users: %s", kind_name[kind],
			     strerror(ret));
	if (!ret && in_use && !p->gone && !p->t->failing)
		return wrong("%s with %d users destroyed", kind_name[kind],
			     o->users);
	if (ret)
		return 0;
	o->p = NULL;
	for (i = 0; i < USES_MAX && o->uses[i]; i++)
		o->uses[i]->users--;
	return 0;
}

static void pool_open(struct pool *p)
{
	struct torture *t = p->t;

	memset(p->o, 0, sizeof(p->o));
	p->gone = false;
	act("open %s", p->name);
	make_it_fail(t, false);
	p->open = !rc_open(&p->dev, p->name, 1, RC_GID_AUTO);
	count(COUNT_OPEN, p->open);
	if (p->open)
		fcntl(p->dev.ctx->async_fd, F_SETFL, O_NONBLOCK);
	else
		usleep(AWAY_US);
	make_it_fail(t, true);
}

/* The memory of regions that the kernel deregisters when the file closes. */
static void pool_free(struct pool *p)
{
	struct obj *o = p->o[KIND_MR];
	int i;

	for (i = 0; i < SLOTS; i++, o++)
		if (o->p && o->buf)
			munmap(o->buf, o->len);
}

static int pool_end_all(struct pool *p)
{
	static const enum obj_kind order[KINDS] = {
		KIND_QP, KIND_AH, KIND_SRQ, KIND_CQ, KIND_MW, KIND_MR, KIND_PD,
	};
	int k, i;

	for (k = 0; k < KINDS; k++)
		for (i = 0; i < SLOTS; i++)
			if (p->o[order[k]][i].p &&
			    obj_end(p, order[k], &p->o[order[k]][i]))
				return -1;
	return 0;
}

/* Objects are destroyed in order, or the kernel has to do it when the file closes. */
static int pool_close(struct pool *p)
{
	int ret = 0;

	if (rnd_one_in(&p->t->rnd, 2))
		ret = pool_end_all(p);
	act("close %s", p->name);
	pool_free(p);
	ibv_dealloc_pd(p->dev.pd);
	ibv_close_device(p->dev.ctx);
	p->open = false;
	return ret;
}

static void pool_events(struct pool *p)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(p->dev.ctx, &event)) {
		count(COUNT_EVENT, true);
		ibv_ack_async_event(&event);
	}
}

static void obj_use(struct pool *p, enum obj_kind kind, struct obj *o,
		    struct pool *peer)
{
	switch (kind) {
	case KIND_QP:
		use_qp(p, o, peer);
		break;
	case KIND_CQ:
		use_cq(p, o);
		break;
	case KIND_SRQ:
		use_srq(p, o);
		break;
	case KIND_MR:
		use_mr(p, o);
		break;
	default:
		break;
	}
}

/* Make or use an object while one of the calls of the kernel fails, or none does. */
static void obj_act(struct pool *p, enum obj_kind kind, struct obj *o,
		    struct pool *peer)
{
	struct rnd *r = &p->t->rnd;
	bool fail = p->t->faults && rnd_one_in(r, FAIL_NTH_ONE_IN);
	uint32_t left = 0;

	if (fail)
		fault_arm(p->t->fail_nth, 1 + rnd_below(r, FAIL_NTH_MAX));
	if (o->p)
		obj_use(p, kind, o, peer);
	else
		obj_make(p, kind, o);
	if (fail && !fault_left(p->t->fail_nth, &left))
		count(COUNT_FAIL_NTH, !left);
}

static int pool_action(struct pool *p, struct pool *peer)
{
	struct rnd *r = &p->t->rnd;
	enum obj_kind kind = rnd_below(r, KINDS);
	struct obj *o;

	if (!p->open) {
		pool_open(p);
		return 0;
	}
	if (p->gone || rnd_one_in(r, REOPEN_ONE_IN))
		return pool_close(p);
	/* Queue pairs have most to do. */
	if (rnd_one_in(r, 2))
		kind = KIND_QP;
	o = &p->o[kind][rnd_below(r, SLOTS)];
	pool_events(p);
	if (o->p && rnd_one_in(r, o->spent ? END_SPENT_ONE_IN : END_ONE_IN))
		return obj_end(p, kind, o);
	obj_act(p, kind, o, peer);
	return 0;
}

/**
 * objects_run - worker: objects are made, used and destroyed
 * @t: two devices at most are used
 *
 * Return: 0, or -1 after a message.
 */
int objects_run(struct torture *t)
{
	static struct pool pools[POOLS];
	int n = t->devs < POOLS ? t->devs : POOLS, i, ret = 0;
	uint32_t a;

	if (!n)
		return wrong("no device");
	if (t->faults)
		t->fail_nth = fault_open();
	for (i = 0; i < n; i++) {
		pools[i].t = t;
		pools[i].name = t->dev[i];
	}
	for (a = 0; a < t->actions && !ret; a++) {
		ret = pool_action(&pools[rnd_below(&t->rnd, n)],
				  &pools[rnd_below(&t->rnd, n)]);
		rnd_nap(&t->rnd);
	}
	for (i = 0; i < n && !ret; i++)
		if (pools[i].open)
			ret = pool_close(&pools[i]);
	return ret;
}
