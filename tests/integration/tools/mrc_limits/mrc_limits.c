// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of objects: as many as the device reports can be created, and no more.
 *
 * Many threads create and destroy them, because some limits are large and destruction
 * often sleeps; no thread can create an object when the limit is reached.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "limit.h"
#include "pair.h"
#include "tap.h"

#define WORKERS		16
/* One object in this many is destroyed and created anew. */
#define SOME		16
/* Completions that are polled at a time. */
#define BATCH		64
#define MSG_LEN		8
/* Queue pairs that are idle. */
#define IDLE_QPS	10000

/**
 * struct kind - objects of one kind
 * @name: of the limit
 * @create: creates one; NULL and an errno at the limit
 * @destroy: destroys one; 0 or an errno
 * @use: a test that uses all of them at once, or NULL
 */
struct kind {
	const char *name;
	void *(*create)(struct rc_dev *dev);
	int (*destroy)(void *object);
	bool (*use)(void **objects, int n);
};

/**
 * struct worker - a thread, and the objects that it has created
 * @kind: of the objects
 * @objects: the objects
 * @n: their number
 * @most: number at which it stops to create
 * @least: number at which it stops to destroy
 * @error: errno of the creation that failed
 * @failed: not all could be destroyed
 */
struct worker {
	const struct kind *kind;
	void **objects;
	int n;
	int most;
	int least;
	int error;
	bool failed;
};

/* --- kinds ------------------------------------------------------------------ */

static char page[4096] __attribute__((aligned(4096)));
static struct ibv_cq *cq;

static void *create_pd(struct rc_dev *dev)
{
	return ibv_alloc_pd(dev->ctx);
}

static int destroy_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static void *create_ah(struct rc_dev *dev)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = dev->port,
		.grh.dgid = dev->gid,
		.grh.sgid_index = dev->gid_index,
		.grh.hop_limit = 64,
	};

	return ibv_create_ah(dev->pd, &attr);
}

static int destroy_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

static void *create_cq(struct rc_dev *dev)
{
	return ibv_create_cq(dev->ctx, 1, NULL, NULL, 0);
}

static int destroy_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static void *create_srq(struct rc_dev *dev)
{
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = 1,
		.attr.max_sge = 1,
	};

	return ibv_create_srq(dev->pd, &attr);
}

static int destroy_srq(void *srq)
{
	return ibv_destroy_srq(srq);
}

static void *create_mr(struct rc_dev *dev)
{
	return ibv_reg_mr(dev->pd, page, sizeof(page), RC_ACCESS_ALL);
}

static int destroy_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static void *create_mw(struct rc_dev *dev)
{
	return ibv_alloc_mw(dev->pd, IBV_MW_TYPE_2);
}

static int destroy_mw(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static void *create_qp(struct rc_dev *dev)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap.max_send_wr = 1,
		.cap.max_recv_wr = 1,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(dev->pd, &attr);
}

static int destroy_qp(void *qp)
{
	return ibv_destroy_qp(qp);
}

/* --- all queue pairs at once ------------------------------------------------ */

static bool connect_two(struct rc_dev *dev_a, struct ibv_qp *a, struct rc_dev *dev_b,
			struct ibv_qp *b)
{
	struct rc_addr addr_a, addr_b;

	rc_address(dev_a, a, &rc_defaults, &addr_a);
	rc_address(dev_b, b, &rc_defaults, &addr_b);
	return !rc_init(dev_a, a, &rc_defaults) &&
	       !rc_init(dev_b, b, &rc_defaults) &&
	       !rc_connect(dev_b, b, &rc_defaults, &addr_b, &addr_a) &&
	       !rc_connect(dev_a, a, &rc_defaults, &addr_a, &addr_b);
}

/* Each queue pair writes its number into a place of its own. */
static bool post_number(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t *numbers,
			int i)
{
	uint64_t *from = numbers + 2 * i;
	struct ibv_sge sge = {
		.addr = (uintptr_t)from,
		.length = MSG_LEN,
		.lkey = mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)(from + 1),
		.wr.rdma.rkey = mr->rkey,
	};

	*from = qp->qp_num;
	return !ibv_post_send(qp, &wr, &bad);
}

static bool all_written(void **objects, struct ibv_mr *mr, uint64_t *numbers,
			int n)
{
	struct ibv_wc wc;
	int i, posted = 0, done = 0;

	while (done < n) {
		for (i = 0; i < BATCH && posted < n; i++, posted++)
			if (!post_number(objects[posted], mr, numbers, posted))
				return false;
		for (; done < posted; done++)
			if (!wait_wc(cq, &wc) || wc.status)
				return false;
	}
	for (i = 0; i < n; i++)
		if (numbers[2 * i + 1] != ((struct ibv_qp *)objects[i])->qp_num)
			return false;
	return true;
}

static bool use_qps(void **objects, int n)
{
	const size_t len = 2 * n * sizeof(uint64_t);
	uint64_t *numbers = calloc(1, len);
	struct rc_dev *dev = &pair_dev[0];
	struct ibv_mr *mr;
	bool ok = true;
	int i;

	mr = ibv_reg_mr(dev->pd, numbers, len, RC_ACCESS_ALL);
	for (i = 0; i + 1 < n && ok; i += 2)
		ok = connect_two(dev, objects[i], dev, objects[i + 1]);
	ok = ok && mr && all_written(objects, mr, numbers, n & ~1);
	if (mr)
		ibv_dereg_mr(mr);
	free(numbers);
	return ok;
}

/* --- up to the limit -------------------------------------------------------- */

static void *create_objects(void *arg)
{
	struct worker *w = arg;
	void *object;

	while (w->n < w->most) {
		object = w->kind->create(&pair_dev[0]);
		if (!object) {
			w->error = errno;
			break;
		}
		w->objects[w->n++] = object;
	}
	return NULL;
}

static void *destroy_objects(void *arg)
{
	struct worker *w = arg;

	while (w->n > w->least)
		if (w->kind->destroy(w->objects[--w->n]))
			w->failed = true;
	return NULL;
}

static void run_workers(struct worker *w, void *(*work)(void *worker))
{
	pthread_t thread[WORKERS];
	int i;

	for (i = 0; i < WORKERS; i++)
		if (pthread_create(&thread[i], NULL, work, &w[i]))
			abort();
	for (i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
}

/* All workers together create @max objects, then each gets ENOMEM. */
static bool create_all(struct worker *w, int max)
{
	int i, n = 0;

	for (i = 0; i < WORKERS; i++)
		w[i].error = 0;
	run_workers(w, create_objects);
	for (i = 0; i < WORKERS; i++) {
		if (w[i].error != ENOMEM) {
			tap_note("worker %d: %d objects, then %s", i, w[i].n,
				 strerror(w[i].error));
			return false;
		}
		n += w[i].n;
	}
	if (n != max)
		tap_note("%d objects created", n);
	return n == max;
}

static bool destroy_some(struct worker *w, int divisor)
{
	bool ok = true;
	int i;

	for (i = 0; i < WORKERS; i++)
		w[i].least = w[i].n - w[i].n / divisor;
	run_workers(w, destroy_objects);
	for (i = 0; i < WORKERS; i++)
		ok &= !w[i].failed;
	return ok;
}

/* Call use() with one array of all objects. */
static bool use_all(const struct worker *w, int max)
{
	void **objects = calloc(max, sizeof(*objects));
	int i, n = 0;
	bool ok;

	for (i = 0; i < WORKERS; n += w[i++].n)
		memcpy(objects + n, w[i].objects, w[i].n * sizeof(*objects));
	ok = w->kind->use(objects, n);
	free(objects);
	return ok;
}

/* The time is printed, not checked. */
static void note_time(const struct kind *k, const char *what, uint64_t begin)
{
	tap_note("%s: %s after %.1f s", k->name, what,
		 (rc_now_ns() - begin) / 1e9);
}

static void run(struct worker *w, const struct kind *k, int max)
{
	uint64_t begin = rc_now_ns();

	if (tap_ok(create_all(w, max), "%s: %d objects can be created, then %s",
		   k->name, max,
		   strerror(ENOMEM)) && k->use)
		tap_ok(use_all(w, max), "%s: all objects can be used", k->name);
	note_time(k, "all objects created", begin);
	tap_ok(destroy_some(w, SOME) && create_all(w, max),
	       "%s: after destruction of some as many can be created", k->name);
	begin = rc_now_ns();
	tap_ok(destroy_some(w, 1), "%s: all objects are destroyed", k->name);
	note_time(k, "all objects destroyed", begin);
}

/* @used: number of objects that the program has already. */
static void fill(const struct kind *k, int max, int used)
{
	struct worker w[WORKERS];
	void *object;
	int i;

	for (i = 0; i < WORKERS; i++) {
		w[i] = (struct worker){ .kind = k, .most = max + 1 };
		w[i].objects = calloc(w[i].most, sizeof(*w[i].objects));
		if (!w[i].objects)
			abort();
	}
	run(w, k, max - used);
	object = k->create(&pair_dev[0]);
	tap_ok(object && !k->destroy(object),
	       "%s: an object can be created after destruction of all",
	       k->name);
	for (i = 0; i < WORKERS; i++)
		free(w[i].objects);
}

static void limit_pd(void)
{
	static const struct kind k = { "max_pd", create_pd, destroy_pd };

	/* That of the device as the test has opened it. */
	fill(&k, pair_dev[0].attr.max_pd, 1);
}

static void limit_ah(void)
{
	static const struct kind k = { "max_ah", create_ah, destroy_ah };

	fill(&k, pair_dev[0].attr.max_ah, 0);
}

/* Keep all handles until the standard input ends. */
static void hold_ahs(void)
{
	const int max = pair_dev[0].attr.max_ah;
	void **ahs = calloc(max + 1, sizeof(*ahs));
	int n = 0;

	if (!ahs)
		abort();
	while (n <= max && (ahs[n] = create_ah(&pair_dev[0])))
		n++;
	tap_ok(n == max, "a process holds max_ah (%d) address handles", max);
	while (getchar() != EOF)
		;
	while (n)
		destroy_ah(ahs[--n]);
	free(ahs);
}

static void limit_cq(void)
{
	static const struct kind k = { "max_cq", create_cq, destroy_cq };

	fill(&k, pair_dev[0].attr.max_cq, 0);
}

static void limit_srq(void)
{
	static const struct kind k = { "max_srq", create_srq, destroy_srq };

	fill(&k, pair_dev[0].attr.max_srq, 0);
}

static void limit_mr(void)
{
	static const struct kind k = { "max_mr", create_mr, destroy_mr };

	fill(&k, pair_dev[0].attr.max_mr, 0);
}

static void limit_mw(void)
{
	static const struct kind k = { "max_mw", create_mw, destroy_mw };

	fill(&k, pair_dev[0].attr.max_mw, 0);
}

static void limit_qp(void)
{
	static const struct kind k = { "max_qp", create_qp, destroy_qp,
				       use_qps };

	cq = ibv_create_cq(pair_dev[0].ctx, 2 * BATCH, NULL, NULL, 0);
	if (!tap_ok(cq, "max_qp: create_cq"))
		return;
	fill(&k, pair_dev[0].attr.max_qp, 0);
	ibv_destroy_cq(cq);
}

/* --- connected and idle ----------------------------------------------------- */

/**
 * struct side - queue pairs of one host
 * @cq: their completion queue
 * @qp: array
 * @n: its length
 */
struct side {
	struct ibv_cq *cq;
	struct ibv_qp *qp[IDLE_QPS / 2];
	int n;
};

static bool side_fill(struct side *s, struct rc_dev *dev)
{
	const int n = IDLE_QPS / 2;

	s->cq = ibv_create_cq(dev->ctx, 2 * BATCH, NULL, NULL, 0);
	cq = s->cq;
	while (s->cq && s->n < n && (s->qp[s->n] = create_qp(dev)))
		s->n++;
	return s->n == n;
}

static void side_end(struct side *s)
{
	while (s->n)
		ibv_destroy_qp(s->qp[--s->n]);
	if (s->cq)
		ibv_destroy_cq(s->cq);
}

/* Each queue pair of the first host sends a message without data, one at a time. */
static bool each_writes(struct side *a)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;
	int i;

	cq = a->cq;
	for (i = 0; i < a->n; i++)
		if (ibv_post_send(a->qp[i], &wr, &bad) || !wait_wc(cq, &wc) ||
		    wc.status)
			return false;
	return true;
}

/* Queue pairs that have been used, and are idle until the standard input ends. */
static void hold_qps(void)
{
	static struct side a, b;
	bool ok;
	int i;

	ok = side_fill(&a, &pair_dev[0]) && side_fill(&b, &pair_dev[1]);
	if (tap_ok(ok, "idle: %d queue pairs on each host: %s", IDLE_QPS / 2,
		   ok ? "yes" : strerror(errno))) {
		for (i = 0; ok && i < a.n; i++)
			ok = connect_two(&pair_dev[0], a.qp[i], &pair_dev[1],
					 b.qp[i]);
		tap_ok(ok && each_writes(&a), "idle: they are connected, and each writes");
	}
	fflush(stdout);
	while (getchar() != EOF)
		;
	side_end(&a);
	side_end(&b);
}

int main(int argc, char **argv)
{
	static const struct group groups[] = {
		{ "pd", limit_pd },
		{ "ah", limit_ah },
		{ "hold-ahs", hold_ahs },
		{ "cq", limit_cq },
		{ "srq", limit_srq },
		{ "mw", limit_mw },
		{ "mr", limit_mr },
		{ "qp", limit_qp },
		{ "element", limit_element },
		{ "wqe", limit_wqe },
		{ "message", limit_message },
		{ "memory", limit_memory },
		{ "hold-qps", hold_qps },
		{ NULL },
	};

	return groups_main(argc, argv, "mrc_limits", "Limits of a device",
			   groups);
}
