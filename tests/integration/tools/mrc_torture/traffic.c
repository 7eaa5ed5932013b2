// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One thread sends messages between two devices; another changes the objects that
 * they use. Memory behind the end of a region is not written while it is not part of
 * it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pair.h"
#include "torture.h"

#define HALF		(PAIR_BUF_LEN / 2)
#define BATCH		4
#define SRQ_WR		64
#define CQE_MIN		(4 * PAIR_DEPTH)
#define CQE_MAX		1024
#define POLL_MAX	16
/* Polls until a batch is given up, and their interval. */
#define POLLS		400
#define POLL_US		100
/* Unit of the rests of the thread that changes objects. */
#define REST_US		200
/* Octets that no message has. */
#define GUARD		0x5a
#define PATTERN		'a'

/**
 * struct traffic - a pair of queue pairs and who uses it
 * @t: what all workers know
 * @pair: queue pairs; side b has a shared receive queue
 * @opts: of @pair
 * @lock: protects the queue pairs of @pair: they are made anew
 * @srq: of side b
 * @bound: memory of side b once more, for windows; its size stays
 * @mw: window in the memory of side b
 * @stop: the thread that changes objects is to end
 * @gone: a device has been removed
 * @ret: result of the thread that changes objects
 * @rnd: random numbers of that thread
 */
struct traffic {
	struct torture *t;
	struct pair pair;
	struct pair_opts opts;
	pthread_mutex_t lock;
	struct ibv_srq *srq;
	struct ibv_mr *bound;
	struct ibv_mw *mw;
	atomic_bool stop;
	atomic_bool gone;
	int ret;
	struct rnd rnd;
};

static int status(struct traffic *tr, int err)
{
	if (err == EIO || err == ENODEV)
		atomic_store(&tr->gone, true);
	return err;
}

static bool guarded(const struct traffic *tr)
{
	const char *end = tr->pair.b.buf + HALF;
	int i;

	for (i = 0; i < HALF; i++)
		if (end[i] != GUARD)
			return false;
	return true;
}

static int rereg(struct traffic *tr, size_t len)
{
	struct end *b = &tr->pair.b;
	int ret;

	act("region of %zu octets", len);
	ret = ibv_rereg_mr(b->mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, b->buf,
			   len, 0);
	count(COUNT_BUSY_REREG, !ret);
	return status(tr, ret ? errno : 0);
}

/* Shrink the region, and look at what is not part of it any more. */
static int shrink(struct traffic *tr)
{
	struct end *b = &tr->pair.b;

	if (rereg(tr, HALF))
		return 0;
	memset(b->buf + HALF, GUARD, HALF);
	usleep(rnd_below(&tr->rnd, 4 * REST_US));
	if (!guarded(tr))
		return wrong("memory outside of the region was written");
	rereg(tr, PAIR_BUF_LEN);
	return 0;
}

static void resize_cq(struct traffic *tr, struct ibv_cq *cq)
{
	uint32_t size = CQE_MIN + rnd_size(&tr->rnd, CQE_MAX);

	act("resize cq to %u", size);
	count(COUNT_BUSY_RESIZE_CQ, !status(tr, ibv_resize_cq(cq, size)));
}

static void change_srq(struct traffic *tr)
{
	struct ibv_srq_attr attr = {
		.max_wr = SRQ_WR + rnd_size(&tr->rnd, SRQ_WR),
		.srq_limit = rnd_below(&tr->rnd, SRQ_WR),
	};
	bool resize = rnd_one_in(&tr->rnd, 2);

	act("srq: %s", resize ? "resize" : "limit");
	count(COUNT_BUSY_SRQ,
	      !status(tr, ibv_modify_srq(tr->srq, &attr, resize ?
					 IBV_SRQ_MAX_WR : IBV_SRQ_LIMIT)));
}

/* A window of type 1: the queue pair of side b binds it, and unbinds it. */
static void bind_window(struct traffic *tr)
{
	struct end *b = &tr->pair.b;
	struct ibv_mw_bind bind = {
		.bind_info = {
			.mr = tr->bound,
			.addr = (uintptr_t)b->buf,
			.length = rnd_one_in(&tr->rnd, 2) ?
				  rnd_size(&tr->rnd, PAIR_BUF_LEN) : 0,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE |
					   IBV_ACCESS_REMOTE_READ,
		},
	};

	act("bind %u octets", (unsigned int)bind.bind_info.length);
	pthread_mutex_lock(&tr->lock);
	if (b->qp)
		count(COUNT_BUSY_BIND, !ibv_bind_mw(b->qp, tr->mw, &bind));
	pthread_mutex_unlock(&tr->lock);
}

static void new_window(struct traffic *tr)
{
	act("new window");
	if (tr->mw && ibv_dealloc_mw(tr->mw))
		return;
	tr->mw = ibv_alloc_mw(tr->pair.b.dev->pd, IBV_MW_TYPE_1);
	count(COUNT_BUSY_MW, !status(tr, tr->mw ? 0 : errno));
}

static void new_state(struct traffic *tr)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	bool a = rnd_one_in(&tr->rnd, 2);
	struct ibv_qp *qp;

	act("side %s to error", a ? "a" : "b");
	pthread_mutex_lock(&tr->lock);
	qp = a ? tr->pair.a.qp : tr->pair.b.qp;
	if (qp)
		count(COUNT_BUSY_STATE, !ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	pthread_mutex_unlock(&tr->lock);
}

static int change(struct traffic *tr)
{
	switch (rnd_below(&tr->rnd, 12)) {
	case 0:
	case 1:
		return shrink(tr);
	case 2:
	case 3:
		resize_cq(tr, tr->pair.a.scq);
		return 0;
	case 4:
	case 5:
		resize_cq(tr, tr->pair.b.rcq);
		return 0;
	case 6:
	case 7:
		change_srq(tr);
		return 0;
	case 8:
	case 9:
		if (tr->mw)
			bind_window(tr);
		return 0;
	case 10:
		new_window(tr);
		return 0;
	default:
		new_state(tr);
		return 0;
	}
}

static void *changes(void *arg)
{
	struct traffic *tr = arg;

	while (!atomic_load(&tr->stop) && !tr->ret) {
		tr->ret = change(tr);
		usleep(rnd_below(&tr->rnd, 4 * REST_US));
	}
	return NULL;
}

static void fill_srq(struct traffic *tr)
{
	struct end *b = &tr->pair.b;
	struct ibv_sge sge = {
		.addr = (uintptr_t)b->buf,
		.length = HALF,
		.lkey = b->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	while (!ibv_post_srq_recv(tr->srq, &wr, &bad))
		;
}

static void some_wr(struct traffic *tr, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
		IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct rnd *r = &tr->t->rnd;
	enum ibv_wr_opcode op = opcodes[rnd_below(r, 5)];
	uint32_t len = rnd_size(r, HALF);
	struct end *b = &tr->pair.b;

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD)
		len = sizeof(uint64_t);
	end_wr(&tr->pair, op, len, wr, sge);
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = (uintptr_t)b->buf;
		wr->wr.atomic.rkey = b->mr->rkey;
		wr->wr.atomic.compare_add = 1;
	} else if (rnd_one_in(r, 2)) {
		wr->wr.rdma.remote_addr += HALF;
	} else if (tr->mw && rnd_one_in(r, 8)) {
		wr->wr.rdma.rkey = tr->mw->rkey;
	}
}

/* True if the queue pair has to be connected again. */
static bool drain(struct traffic *tr, int wanted)
{
	struct ibv_wc wc[POLL_MAX];
	bool failed = false;
	int polls, n, i;

	for (polls = 0; wanted > 0 && polls < POLLS; polls++) {
		n = ibv_poll_cq(tr->pair.a.scq, POLL_MAX, wc);
		if (n < 0)
			return true;
		count_completions(wc, n);
		for (i = 0; i < n; i++)
			failed |= wc[i].status != IBV_WC_SUCCESS;
		wanted -= n;
		if (!n)
			usleep(POLL_US);
	}
	while (ibv_poll_cq(tr->pair.b.rcq, POLL_MAX, wc) > 0)
		;
	while (ibv_poll_cq(tr->pair.b.scq, POLL_MAX, wc) > 0)
		;
	return failed || wanted > 0;
}

/* The other thread may use a queue pair of side b: it does so under the lock. */
static void reconnect(struct traffic *tr)
{
	int ret;

	act("reconnect");
	pthread_mutex_lock(&tr->lock);
	ret = pair_renew(&tr->pair, &tr->opts);
	pthread_mutex_unlock(&tr->lock);
	count(COUNT_BUSY_PAIR, !status(tr, ret));
}

static void batch(struct traffic *tr)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int i, posted = 0;

	fill_srq(tr);
	for (i = 0; i < BATCH; i++) {
		some_wr(tr, &wr, &sge);
		posted += tr->pair.a.qp && !end_post(&tr->pair.a, &wr);
	}
	act("%d posted", posted);
	if (drain(tr, posted) || posted < BATCH)
		reconnect(tr);
	drain_async(&pair_dev[0]);
	drain_async(&pair_dev[1]);
}

static int make(struct traffic *tr)
{
	static const struct rc_params params = {
		.access = RC_ACCESS_ALL,
		.timeout = 10,
		.retry_cnt = 3,
		.rnr_retry = 3,
		.min_rnr_timer = 5,
		.rd_atomic = 4,
	};
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = SRQ_WR,
		.attr.max_sge = 1,
	};

	tr->srq = ibv_create_srq(pair_dev[1].pd, &attr);
	if (!tr->srq)
		return errno;
	tr->opts = (struct pair_opts){ .params = &params, .srq = tr->srq };
	if (pair_create(&tr->pair, &tr->opts))
		return -1;
	tr->bound = ibv_reg_mr(pair_dev[1].pd, tr->pair.b.buf, PAIR_BUF_LEN,
			       RC_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	return tr->bound ? 0 : errno;
}

static void destroy(struct traffic *tr)
{
	struct ibv_mw *mw = tr->mw;

	/* A window may go before or after the queue pair that has bound it. */
	if (mw && rnd_one_in(&tr->t->rnd, 2)) {
		ibv_dealloc_mw(mw);
		mw = NULL;
	}
	if (mw && tr->pair.b.qp && rnd_one_in(&tr->t->rnd, 2)) {
		ibv_destroy_qp(tr->pair.b.qp);
		tr->pair.b.qp = NULL;
		ibv_dealloc_mw(mw);
		mw = NULL;
	}
	if (mw)
		ibv_dealloc_mw(mw);
	if (tr->bound)
		ibv_dereg_mr(tr->bound);
	pair_destroy(&tr->pair);
	if (tr->srq)
		ibv_destroy_srq(tr->srq);
}

static int run(struct traffic *tr)
{
	pthread_t thread;
	uint32_t i;

	if (make(tr))
		return tr->t->failing ? 0 : wrong("no pair of queue pairs");
	if (pthread_create(&thread, NULL, changes, tr))
		return wrong("no thread");
	make_it_fail(tr->t, true);
	for (i = 0; i < tr->t->actions && !atomic_load(&tr->gone); i++)
		batch(tr);
	atomic_store(&tr->stop, true);
	pthread_join(thread, NULL);
	return tr->ret;
}

/**
 * traffic_run - worker: objects change while messages use them
 * @t: two devices
 *
 * Return: 0, or -1 after a message.
 */
int traffic_run(struct torture *t)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	static struct traffic tr;
	int ret;

	memset(&tr, 0, sizeof(tr));
	pthread_mutex_init(&tr.lock, NULL);
	tr.t = t;
	rnd_seed(&tr.rnd, t->seed + 1);
	args.a = t->dev[0];
	args.b = t->devs > 1 ? t->dev[1] : NULL;
	if (pair_open_devices(&args))
		return t->failing ? 0 : wrong("a device does not open");
	ret = run(&tr);
	destroy(&tr);
	pair_close_devices();
	return ret;
}
