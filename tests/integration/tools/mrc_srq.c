// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: several queue pairs take from one, each message gets a
 * work request of its own, and what is not used stays for others.
 *
 * Both sides live in this process: the sides b of all pairs share a queue.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"
#include "ringview.h"
#include "tap.h"

#define QPS		4
#define DEPTH		PAIR_DEPTH
/* Packets of such a message arrive on different paths. */
#define MSG_LEN		12000
#define SLOT_LEN	16384

static uint32_t n_msgs = 200;

static const char usage_text[] =
"Usage: mrc_srq [OPTION]...\n"
"Shared receive queues between two devices.\n"
PAIR_ARGS_USAGE
"  -n N     messages per queue pair (default 200)\n";

/**
 * struct bench - a shared receive queue and the pairs that use it
 * @srq: queue
 * @mr: all of @buf
 * @buf: DEPTH slots of SLOT_LEN bytes, one for each wr_id
 * @pairs: queue pairs
 * @n: how many of them
 */
struct bench {
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	char *buf;
	struct pair pairs[QPS];
	int n;
};

/* What every message begins with. */
struct head {
	uint32_t qp;
	uint32_t number;
};

static struct ibv_srq *make_srq(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = max_wr,
		.attr.max_sge = max_sge,
	};

	return ibv_create_srq(pair_dev[1].pd, &attr);
}

static int bench_create(struct bench *t, int n, const struct rc_params *params)
{
	struct pair_opts opts = { .params = params };
	int ret = 0;

	memset(t, 0, sizeof(*t));
	t->buf = aligned_alloc(4096, DEPTH * SLOT_LEN);
	if (!t->buf)
		return ENOMEM;
	t->mr = ibv_reg_mr(pair_dev[1].pd, t->buf, DEPTH * SLOT_LEN,
			   RC_ACCESS_ALL);
	t->srq = make_srq(DEPTH, 2);
	if (!t->mr || !t->srq)
		return errno;
	opts.srq = t->srq;
	while (t->n < n && !ret)
		ret = pair_create(&t->pairs[t->n++], &opts);
	return ret;
}

static void bench_destroy(struct bench *t)
{
	while (t->n)
		pair_destroy(&t->pairs[--t->n]);
	if (t->srq && ibv_destroy_srq(t->srq))
		perror("ibv_destroy_srq");
	if (t->mr && ibv_dereg_mr(t->mr))
		perror("ibv_dereg_mr");
	free(t->buf);
}

static bool bench_begin(struct bench *t, int n, const struct rc_params *params,
			const char *name)
{
	return tap_ok(!bench_create(t, n, params), "%s: connections", name);
}

/* Two elements, so that it is seen that both are used. */
static int post_srq(struct bench *t, uint64_t slot, uint32_t len)
{
	char *at = t->buf + slot % DEPTH * SLOT_LEN;
	struct ibv_sge sge[2] = {
		{ (uintptr_t)at, sizeof(struct head), t->mr->lkey },
		{ (uintptr_t)at + sizeof(struct head),
		  len - sizeof(struct head), t->mr->lkey },
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = slot,
		.sg_list = sge,
		.num_sge = 2,
	};

	return ibv_post_srq_recv(t->srq, &wr, &bad);
}

static int post_srqs(struct bench *t, uint32_t n)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = post_srq(t, i, SLOT_LEN);
	return ret;
}

static int send_len(struct bench *t, int q, uint32_t number, uint32_t len)
{
	struct pair *p = &t->pairs[q];
	struct head *head = (struct head *)p->a.buf;
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	*head = (struct head){ q, number };
	end_wr(p, IBV_WR_SEND, len, &wr, &sge);
	return end_post(&p->a, &wr);
}

static bool sent(struct bench *t, int q, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	wait_wc(t->pairs[q].a.scq, &wc);
	return wc.status == status;
}

/* The bytes lie where the work request says, behind number and queue pair. */
static bool look(struct bench *t, const struct ibv_wc *wc, int q,
		 uint32_t number, uint32_t len)
{
	const char *at = t->buf + wc->wr_id % DEPTH * SLOT_LEN;
	struct head want = { q, number };
	uint32_t i;

	if (wc->status || wc->opcode != IBV_WC_RECV || wc->byte_len != len ||
	    wc->qp_num != t->pairs[q].b.qp->qp_num || memcmp(at, &want, 8)) {
		tap_note("QP %d message %u: %s, %u bytes", q, number,
			 ibv_wc_status_str(wc->status), wc->byte_len);
		return false;
	}
	for (i = sizeof(want); i < len; i++)
		if (at[i] != 'a')
			return false;
	return true;
}

static bool took(struct bench *t, int q, uint32_t number, uint32_t len)
{
	struct ibv_wc wc;

	return wait_wc(t->pairs[q].b.rcq, &wc) && look(t, &wc, q, number, len);
}

static bool no_event(enum ibv_event_type type)
{
	struct ibv_async_event event;
	bool none = true;

	while (!ibv_get_async_event(pair_dev[1].ctx, &event)) {
		none &= event.event_type != type;
		ibv_ack_async_event(&event);
	}
	return none;
}

/* All queue pairs send at once, and more often than there are entries. */
static bool share(struct bench *t)
{
	uint32_t i, slot;
	struct ibv_wc wc;
	int q;

	for (i = 0; i < n_msgs; i++) {
		for (q = 0; q < QPS; q++)
			if (send_len(t, q, i, MSG_LEN - i))
				return false;
		for (q = 0; q < QPS; q++) {
			if (!wait_wc(t->pairs[q].b.rcq, &wc) ||
			    !look(t, &wc, q, i, MSG_LEN - i) ||
			    !sent(t, q, IBV_WC_SUCCESS))
				return false;
			slot = wc.wr_id;
			if (post_srq(t, slot, SLOT_LEN))
				return false;
		}
	}
	return true;
}

static void test_shared(void)
{
	struct bench t;

	if (bench_begin(&t, QPS, NULL, "sharing") &&
	    tap_ok(!post_srqs(&t, DEPTH), "the queue is filled")) {
		tap_ok(post_srq(&t, 0, SLOT_LEN) == ENOMEM,
		       "one more does not fit: %s", strerror(ENOMEM));
		tap_ok(end_recv(&t.pairs[0].b, 0, 0, 64) == EINVAL,
		       "a queue pair with an SRQ has no queue of its own: %s",
		       strerror(EINVAL));
		tap_ok(ibv_destroy_srq(t.srq) == EBUSY,
		       "an SRQ in use is not destroyed: %s", strerror(EBUSY));
		tap_ok(share(&t), "%d x %u messages", QPS, n_msgs);
	}
	bench_destroy(&t);
}

/* Messages of one queue pair take work requests in the order of posting. */
static bool in_order(struct bench *t)
{
	static const uint32_t lens[] = { SLOT_LEN, 64, MSG_LEN, 4097 };
	struct ibv_wc wc;
	uint32_t i, k;

	for (k = 0; k < n_msgs; k += DEPTH) {
		if (post_srqs(t, DEPTH))
			return false;
		for (i = 0; i < DEPTH; i++)
			if (send_len(t, 0, 0, lens[i % 4]))
				return false;
		for (i = 0; i < DEPTH; i++)
			if (!wait_wc(t->pairs[0].b.rcq, &wc) ||
			    wc.wr_id != i || wc.byte_len != lens[i % 4] ||
			    !sent(t, 0, IBV_WC_SUCCESS))
				return false;
	}
	return true;
}

static void test_order(void)
{
	struct bench t;

	if (bench_begin(&t, 1, NULL, "order"))
		tap_ok(in_order(&t),
		       "messages take work requests in their order");
	bench_destroy(&t);
}

static void test_empty(void)
{
	struct rc_params params = rc_defaults;
	struct bench t;

	params.rnr_retry = 7;
	if (bench_begin(&t, 2, &params, "empty")) {
		tap_ok(!send_len(&t, 0, 1, MSG_LEN) &&
		       !send_len(&t, 1, 2, MSG_LEN),
		       "two messages to an empty queue");
		tap_ok(!post_srq(&t, 0, SLOT_LEN) && !post_srq(&t, 1, SLOT_LEN),
		       "work requests come later");
		tap_ok(took(&t, 0, 1, MSG_LEN) && took(&t, 1, 2, MSG_LEN),
		       "and both arrive");
		tap_ok(sent(&t, 0, IBV_WC_SUCCESS) &&
		       sent(&t, 1, IBV_WC_SUCCESS), "and complete");
	}
	bench_destroy(&t);

	params.rnr_retry = 1;
	if (bench_begin(&t, 1, &params, "still empty"))
		tap_ok(!send_len(&t, 0, 1, 64) &&
		       sent(&t, 0, IBV_WC_RNR_RETRY_EXC_ERR), "%s",
		       ibv_wc_status_str(IBV_WC_RNR_RETRY_EXC_ERR));
	bench_destroy(&t);
}

static bool set_limit(struct bench *t, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	return !ibv_modify_srq(t->srq, &attr, IBV_SRQ_LIMIT);
}

static uint32_t get_limit(struct bench *t)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(t->srq, &attr) ? ~0u : attr.srq_limit;
}

static bool pass(struct bench *t, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (send_len(t, 0, i, 64) || !took(t, 0, i, 64) ||
		    !sent(t, 0, IBV_WC_SUCCESS))
			return false;
	return true;
}

static void test_limit(void)
{
	const enum ibv_event_type low = IBV_EVENT_SRQ_LIMIT_REACHED;
	struct bench t;

	if (!bench_begin(&t, 1, NULL, "limit")) {
		bench_destroy(&t);
		return;
	}
	tap_ok(!post_srqs(&t, 8) && set_limit(&t, 4) && get_limit(&t) == 4,
	       "a limit of 4 with 8 posted");
	tap_ok(pass(&t, 4) && no_event(low), "none while 4 are left");
	tap_ok(pass(&t, 1) && wait_async(&pair_dev[1], low),
	       "an event when fewer are left");
	tap_ok(get_limit(&t) == 0, "the limit is gone");
	tap_ok(pass(&t, 2) && no_event(low), "and comes once");
	tap_ok(set_limit(&t, 3) && wait_async(&pair_dev[1], low),
	       "at once if fewer are posted than the new limit");
	tap_ok(!set_limit(&t, DEPTH + 1),
	       "a limit above the size: %s", strerror(EINVAL));
	bench_destroy(&t);
}

static int modify_to_error(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

/*
 * A queue pair ends while messages for it arrive.  Each work request that it has
 * taken completes before its event; the others are left for others.
 */
static void test_end(void)
{
	struct ibv_wc wc[DEPTH];
	struct bench t;
	int i, n, left;

	if (!bench_begin(&t, 2, NULL, "end") || post_srqs(&t, DEPTH)) {
		bench_destroy(&t);
		return;
	}
	for (i = 0; i < DEPTH; i++)
		send_len(&t, 0, 0, SLOT_LEN);
	tap_ok(!modify_to_error(t.pairs[0].b.qp) &&
	       wait_async(&pair_dev[1], IBV_EVENT_QP_LAST_WQE_REACHED),
	       "an event when a queue pair has taken its last");
	n = ibv_poll_cq(t.pairs[0].b.rcq, DEPTH, wc);
	tap_note("%d taken", n);
	for (left = 0; left < DEPTH - n; left++)
		if (send_len(&t, 1, left, 64) || !took(&t, 1, left, 64))
			break;
	tap_ok(left == DEPTH - n, "the others are left");
	tap_ok(!send_len(&t, 1, left, 64) && set_limit(&t, 1) &&
	       wait_async(&pair_dev[1], IBV_EVENT_SRQ_LIMIT_REACHED),
	       "and no more than those");
	bench_destroy(&t);
}

/* What one queue pair gets wrong is not the others' business. */
static void test_too_long(void)
{
	struct bench t;
	struct ibv_wc wc;

	if (bench_begin(&t, 2, NULL, "too long")) {
		tap_ok(!post_srq(&t, 0, 64) && !post_srq(&t, 1, SLOT_LEN),
		       "a small one and a large one");
		send_len(&t, 0, 0, MSG_LEN);
		wait_wc(t.pairs[0].b.rcq, &wc);
		tap_ok(wc.status == IBV_WC_LOC_LEN_ERR && wc.wr_id == 0, "%s",
		       ibv_wc_status_str(IBV_WC_LOC_LEN_ERR));
		tap_ok(sent(&t, 0, IBV_WC_REM_INV_REQ_ERR), "sender: %s",
		       ibv_wc_status_str(IBV_WC_REM_INV_REQ_ERR));
		tap_ok(!send_len(&t, 1, 5, MSG_LEN) && took(&t, 1, 5, MSG_LEN),
		       "the other queue pair goes on");
	}
	bench_destroy(&t);
}

static int resize(struct bench *t, uint32_t max_wr)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr };

	return ibv_modify_srq(t->srq, &attr, IBV_SRQ_MAX_WR);
}

static uint32_t get_size(struct bench *t)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(t->srq, &attr) ? 0 : attr.max_wr;
}

static bool drain_in_order(struct bench *t, uint32_t n)
{
	struct ibv_wc wc;
	uint32_t i;

	for (i = 0; i < n; i++)
		if (send_len(t, 0, i, 64) ||
		    !wait_wc(t->pairs[0].b.rcq, &wc) || wc.wr_id != i ||
		    !look(t, &wc, 0, i, 64) || !sent(t, 0, IBV_WC_SUCCESS))
			return false;
	return true;
}

static void test_size(void)
{
	struct bench t;
	uint32_t i, n = DEPTH;

	if (!bench_begin(&t, 1, NULL, "size") || post_srqs(&t, DEPTH)) {
		bench_destroy(&t);
		return;
	}
	tap_ok(resize(&t, DEPTH / 2) == EINVAL,
	       "fewer entries than are posted: %s", strerror(EINVAL));
	tap_ok(resize(&t, pair_dev[1].attr.max_srq_wr + 1) == EINVAL,
	       "more than max_srq_wr: %s", strerror(EINVAL));
	tap_ok(!resize(&t, 4 * DEPTH) && get_size(&t) == 4 * DEPTH,
	       "four times as many, with entries in it");
	for (i = DEPTH; i < 4 * DEPTH; i++)
		n += !post_srq(&t, i, SLOT_LEN);
	tap_ok(n == 4 * DEPTH, "there is room");
	tap_ok(drain_in_order(&t, n), "all of them come in order");
	tap_ok(!resize(&t, 2) && get_size(&t) == 2, "two");
	tap_ok(!post_srqs(&t, 2) && post_srq(&t, 2, SLOT_LEN) == ENOMEM &&
	       drain_in_order(&t, 2), "and that is what there is");
	bench_destroy(&t);
}

static bool makes(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq *srq = make_srq(max_wr, max_sge);

	if (srq && ibv_destroy_srq(srq))
		perror("ibv_destroy_srq");
	return srq;
}

static void test_limits(void)
{
	const struct ibv_device_attr *dev = &pair_dev[1].attr;

	tap_ok(dev->max_srq > 0 && makes(dev->max_srq_wr, dev->max_srq_sge),
	       "%d entries of %d elements", dev->max_srq_wr, dev->max_srq_sge);
	tap_ok(!makes(dev->max_srq_wr + 1, 1) && errno == EINVAL,
	       "one entry more: %s", strerror(EINVAL));
	tap_ok(!makes(1, dev->max_srq_sge + 1) && errno == EINVAL,
	       "one element more: %s", strerror(EINVAL));
	tap_ok(!makes(0, 1) && errno == EINVAL, "no entries: %s",
	       strerror(EINVAL));
}

/* An index that cannot be: the queue is done with, and who needs it. */
static void test_nonsense(void)
{
	struct mrc_ring_hdr *hdr;
	struct bench t;

	ringview_await();
	if (!bench_begin(&t, 2, NULL, "nonsense"))
		goto out;
	hdr = ringview_awaited();
	if (!tap_ok(hdr, "the ring is found"))
		goto out;
	__atomic_store_n(&hdr->prod, DEPTH + 1, __ATOMIC_RELEASE);
	send_len(&t, 0, 0, 64);
	tap_ok(wait_async(&pair_dev[1], IBV_EVENT_SRQ_ERR),
	       "an index out of range: an event of the queue");
	tap_ok(wait_state(t.pairs[0].b.qp, IBV_QPS_ERR),
	       "the queue pair ends that needed it");
	tap_ok(qp_state(t.pairs[1].b.qp) == IBV_QPS_RTS,
	       "the other one does not");
	tap_ok(sent(&t, 0, IBV_WC_REM_OP_ERR), "sender: %s",
	       ibv_wc_status_str(IBV_WC_REM_OP_ERR));
	tap_ok(resize(&t, 2 * DEPTH) == EINVAL, "it has no other size: %s",
	       strerror(EINVAL));
out:
	bench_destroy(&t);
}

int main(int argc, char **argv)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	int c;

	while ((c = getopt(argc, argv, PAIR_ARGS "n:")) != -1) {
		if (c == 'n') {
			n_msgs = atoi(optarg);
		} else if (!pair_arg(&args, c, optarg)) {
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (pair_open_devices(&args))
		return 2;
	test_limits();
	test_shared();
	test_order();
	test_empty();
	test_limit();
	test_end();
	test_too_long();
	test_size();
	test_nonsense();
	pair_close_devices();
	return tap_done();
}
