// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: resize with completions in the queue, and moderation of events.
 *
 * The receiver's completion is written before the sender's: when the sender's has
 * been polled, the receiver's is in its queue.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"
#include "ringview.h"
#include "tap.h"

#define DEPTH		PAIR_DEPTH
#define MSG_LEN		64
#define RESIZES		100
/* Moving this many completions takes longer than a message needs to arrive. */
#define BALLAST		32768
#define MOVES		20
/* us; the longest period. */
#define PERIOD_MAX	65535
#define NS_PER_US	1000ull
/* Rounds; one of them must be shorter than PERIOD_MAX. */
#define ROUNDS		100

static const char usage_text[] =
"Usage: mrc_cq [OPTION]...\n"
"Sizes and events of completion queues.\n"
PAIR_ARGS_USAGE;

static bool send_some(struct pair *p, uint64_t first, uint32_t n)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	uint64_t id;

	for (id = first; id < first + n; id++) {
		end_wr(p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
		if (end_recv(&p->b, id, 0, MSG_LEN) || end_post(&p->a, &wr))
			return false;
	}
	return true;
}

/* On return the receiver's queue has @n more completions. */
static bool fill(struct pair *p, uint64_t first, uint32_t n)
{
	struct ibv_wc wc;

	if (!send_some(p, first, n))
		return false;
	for (; n; n--)
		if (!wait_wc(p->a.scq, &wc) || wc.status)
			return false;
	return true;
}

static bool poll_in_order(struct pair *p, uint64_t first, uint32_t n)
{
	struct ibv_wc wc;
	uint64_t id;

	for (id = first; id < first + n; id++)
		if (!wait_wc(p->b.rcq, &wc) || wc.status || wc.wr_id != id)
			return false;
	return true;
}

static bool has_size(struct pair *p, int cqe)
{
	return !ibv_resize_cq(p->b.rcq, cqe) && p->b.rcq->cqe == cqe;
}

/* Resize while messages arrive. */
static bool resize_often(struct pair *p)
{
	struct ibv_wc wc;
	int i, k;

	for (i = 0; i < RESIZES; i++) {
		if (!send_some(p, 0, DEPTH) ||
		    !has_size(p, i % 2 ? DEPTH : 8 * DEPTH) ||
		    !poll_in_order(p, 0, DEPTH))
			return false;
		for (k = 0; k < DEPTH; k++)
			if (!wait_wc(p->a.scq, &wc))
				return false;
	}
	return true;
}

/**
 * struct sender - a thread that sends while the main thread resizes
 * @p: pair that it uses
 * @thread: the thread
 * @stop: request to end
 * @n: messages that have arrived
 * @ok: no failure
 */
struct sender {
	struct pair *p;
	pthread_t thread;
	atomic_bool stop;
	uint64_t n;
	bool ok;
};

static void *send_loop(void *arg)
{
	struct sender *s = arg;

	for (; s->ok && !s->stop && s->n + DEPTH < BALLAST; s->n += DEPTH)
		s->ok = fill(s->p, s->n, DEPTH);
	return NULL;
}

/* A QP that leaves BALLAST completions in the receiver's queue. */
static struct ibv_qp *ballast(struct pair *p)
{
	struct ibv_qp_init_attr init = {
		.send_cq = p->b.scq,
		.recv_cq = p->b.rcq,
		.cap.max_recv_wr = BALLAST,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_recv_wr *bad, wr = {};
	struct ibv_qp *qp;
	bool ok;
	int i;

	qp = ibv_create_qp(p->b.dev->pd, &init);
	if (!qp)
		return NULL;
	ok = !rc_init(p->b.dev, qp, &p->params);
	for (i = 0; i < BALLAST && ok; i++)
		ok = !ibv_post_recv(qp, &wr, &bad);
	if (ok && !ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		return qp;
	ibv_destroy_qp(qp);
	return NULL;
}

static bool poll_ballast(struct pair *p)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < BALLAST; i++)
		if (!wait_wc(p->b.rcq, &wc) ||
		    wc.status != IBV_WC_WR_FLUSH_ERR)
			return false;
	return true;
}

/* Messages arrive while the completions of earlier ones are moved. */
static bool resize_full(struct pair *p)
{
	struct sender s = { .p = p, .ok = true };
	struct ibv_qp *qp;
	bool ok = true;
	int i;

	if (!has_size(p, 2 * BALLAST))
		return false;
	qp = ballast(p);
	if (!qp)
		return false;
	if (pthread_create(&s.thread, NULL, send_loop, &s))
		abort();
	for (i = 0; i < MOVES && ok; i++)
		ok = has_size(p, i % 2 ? 2 * BALLAST : 4 * BALLAST);
	s.stop = true;
	pthread_join(s.thread, NULL);
	ok = ok && s.ok && poll_ballast(p) && poll_in_order(p, 0, s.n);
	tap_note("%lu messages during the resizes", (unsigned long)s.n);
	ibv_destroy_qp(qp);
	return ok;
}

static void test_size(void)
{
	struct pair p;
	int max = pair_dev[1].attr.max_cqe;

	if (!pair_ready(&p, "size", NULL))
		return;
	tap_ok(fill(&p, 0, DEPTH), "%d completions are in the queue", DEPTH);
	tap_ok(ibv_resize_cq(p.b.rcq, DEPTH / 2) == EINVAL &&
	       p.b.rcq->cqe == 4 * DEPTH,
	       "resize to half of the completions in the queue: %s",
	       strerror(EINVAL));
	tap_ok(has_size(&p, DEPTH),
	       "resize to the number of completions in the queue");
	tap_ok(has_size(&p, max), "resize to max_cqe entries");
	tap_ok(ibv_resize_cq(p.b.rcq, max + 1) == EINVAL,
	       "resize to max_cqe + 1 entries: %s", strerror(EINVAL));
	tap_ok(ibv_resize_cq(p.b.rcq, 0) == EINVAL, "resize to 0 entries: %s",
	       strerror(EINVAL));
	tap_ok(fill(&p, DEPTH, DEPTH) && poll_in_order(&p, 0, 2 * DEPTH),
	       "all completions from before and after the resizes, in order");
	tap_ok(resize_often(&p),
	       "%d resizes while messages arrive keep all completions",
	       RESIZES);
	tap_ok(resize_full(&p),
	       "%d resizes of a queue with %d completions keep all of them",
	       MOVES, BALLAST);
	pair_destroy(&p);
}

static int resize_without(struct pair *p, enum mapfail which, int cqe)
{
	int ret;

	mapfail = which;
	ret = ibv_resize_cq(p->b.rcq, cqe);
	mapfail = MAPFAIL_NONE;
	return ret;
}

/*
 * A process that may not map the new ring keeps the old one, and is told if the kernel
 * has replaced that already.
 */
static void test_map(void)
{
	struct ibv_wc wc;
	struct pair p;

	if (!pair_ready(&p, "map", NULL))
		return;
	tap_ok(fill(&p, 0, DEPTH) &&
	       resize_without(&p, MAPFAIL_ALL, 8 * DEPTH) == ENOMEM,
	       "resize without address space: %s", strerror(ENOMEM));
	tap_ok(poll_in_order(&p, 0, DEPTH) && fill(&p, 0, DEPTH) &&
	       poll_in_order(&p, 0, DEPTH),
	       "the queue reports completions from before and after that");
	tap_ok(fill(&p, 0, DEPTH) &&
	       resize_without(&p, MAPFAIL_FILES, 8 * DEPTH) == ENOMEM,
	       "resize to a ring that cannot be mapped: %s", strerror(ENOMEM));
	tap_ok(ibv_poll_cq(p.b.rcq, 1, &wc) < 0,
	       "polling fails then, instead of finding nothing");
	tap_ok(has_size(&p, 16 * DEPTH) && poll_in_order(&p, 0, DEPTH),
	       "another resize brings all completions back");
	pair_destroy(&p);
}

static bool moderate(struct pair *p, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = count, .cq_period = period },
	};

	return !ibv_modify_cq(p->b.rcq, &attr);
}

static bool event(struct pair *p, int wait_ms)
{
	struct ibv_comp_channel *channel = p->b.rcq->channel;
	struct pollfd pfd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *ctx;

	if (poll(&pfd, 1, wait_ms) <= 0 ||
	    ibv_get_cq_event(channel, &cq, &ctx))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* No event after three of four completions, and an event with the fourth. */
static bool event_after_four(struct pair *p)
{
	bool early, due;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		if (ibv_req_notify_cq(p->b.rcq, 0) || !fill(p, 0, 3))
			return false;
		early = event(p, 0);
		if (!fill(p, 3, 1))
			return false;
		due = event(p, 0);
		if (!poll_in_order(p, 0, 4))
			return false;
		if (!early && due)
			return true;
		/* The period may have ended before the fourth completion. */
		if (!early)
			event(p, PAIR_WAIT_MS);
	}
	return false;
}

/* The event of a single completion is delayed for at least the period. */
static bool event_after_period(struct pair *p, uint16_t period)
{
	uint64_t begin;

	if (!moderate(p, DEPTH, period) || ibv_req_notify_cq(p->b.rcq, 0))
		return false;
	begin = rc_now_ns();
	return fill(p, 0, 1) && event(p, PAIR_WAIT_MS) &&
	       poll_in_order(p, 0, 1) &&
	       rc_now_ns() - begin >= period * NS_PER_US;
}

static void test_moderation(struct ibv_comp_channel *channel)
{
	const struct pair_opts opts = { .channel = channel };
	struct pair p;

	if (!pair_ready(&p, "moderation", &opts))
		return;
	tap_ok(moderate(&p, 4, PERIOD_MAX) && event_after_four(&p),
	       "cq_count 4: one event for four completions");
	tap_ok(event_after_period(&p, PERIOD_MAX),
	       "cq_period: an event of one completion after the period");
	tap_ok(!ibv_req_notify_cq(p.b.rcq, 0) && fill(&p, 0, 1) &&
	       moderate(&p, 0, 0) && event(&p, 0) && poll_in_order(&p, 0, 1),
	       "moderation turned off: the delayed event comes at once");
	tap_ok(!ibv_req_notify_cq(p.b.rcq, 0) && fill(&p, 0, 1) &&
	       event(&p, 0) && poll_in_order(&p, 0, 1),
	       "moderation turned off: later events come at once");
	pair_destroy(&p);
}

static void moderation(void)
{
	struct ibv_comp_channel *channel;

	channel = ibv_create_comp_channel(pair_dev[1].ctx);
	if (!tap_ok(channel, "create a completion channel"))
		return;
	test_moderation(channel);
	ibv_destroy_comp_channel(channel);
}

static void limits(void)
{
	struct ibv_device_attr_ex attr;

	if (tap_ok(!ibv_query_device_ex(pair_dev[1].ctx, NULL, &attr),
		   "query_device_ex succeeds"))
		tap_ok(attr.cq_mod_caps.max_cq_count == PERIOD_MAX &&
		       attr.cq_mod_caps.max_cq_period == PERIOD_MAX,
		       "cq_mod_caps are the largest count and period");
}

int main(int argc, char **argv)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	int c;

	while ((c = getopt(argc, argv, PAIR_ARGS)) != -1) {
		if (!pair_arg(&args, c, optarg)) {
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (pair_open_devices(&args))
		return 2;
	limits();
	test_size();
	test_map();
	moderation();
	pair_close_devices();
	return tap_done();
}
