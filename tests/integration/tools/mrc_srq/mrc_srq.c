// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: several QPs receive from one queue, each message consumes
 * one work request, and unused ones stay for other QPs.
 *
 * Both sides are in this process: the sides b of all pairs share a queue.
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
/* Long enough that the packets of a message use different paths. */
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

/* Start of every message. */
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
	return tap_ok(!bench_create(t, n, params), "%s: SRQ and connected QPs",
		      name);
}

/* Two elements, so that a test notices if one is not used. */
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

/* The work request's buffer has QP, number and the bytes of the message. */
static bool check_message(struct bench *t, const struct ibv_wc *wc, int q,
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

static bool received(struct bench *t, int q, uint32_t number, uint32_t len)
{
	struct ibv_wc wc;

	return wait_wc(t->pairs[q].b.rcq, &wc) && check_message(t, &wc, q,
								number, len);
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

/* All QPs send at the same time, more messages than the queue has entries. */
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
			    !check_message(t, &wc, q, i, MSG_LEN - i) ||
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
	    tap_ok(!post_srqs(&t, DEPTH), "sharing: the SRQ is filled")) {
		tap_ok(post_srq(&t, 0, SLOT_LEN) == ENOMEM,
		       "sharing: post_srq_recv to a full SRQ: %s",
		       strerror(ENOMEM));
		tap_ok(end_recv(&t.pairs[0].b, 0, 0, 64) == EINVAL,
		       "sharing: post_recv to a QP with an SRQ: %s",
		       strerror(EINVAL));
		tap_ok(ibv_destroy_srq(t.srq) == EBUSY,
		       "sharing: destroy_srq of an SRQ in use: %s",
		       strerror(EBUSY));
		tap_ok(share(&t), "sharing: %d QPs receive %u messages each",
		       QPS, n_msgs);
	}
	bench_destroy(&t);
}

/* Messages of one QP consume work requests in the order of posting. */
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
		       "order: messages of a QP consume work requests in order");
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
		       "empty: two messages are sent to an empty SRQ");
		tap_ok(!post_srq(&t, 0, SLOT_LEN) && !post_srq(&t, 1, SLOT_LEN),
		       "empty: work requests are posted afterwards");
		tap_ok(received(&t, 0, 1, MSG_LEN) && received(&t, 1, 2,
							       MSG_LEN),
		       "empty: both messages are received");
		tap_ok(sent(&t, 0, IBV_WC_SUCCESS) &&
		       sent(&t, 1, IBV_WC_SUCCESS),
		       "empty: both SENDs complete");
	}
	bench_destroy(&t);

	params.rnr_retry = 1;
	if (bench_begin(&t, 1, &params, "still empty"))
		tap_ok(!send_len(&t, 0, 1, 64) &&
		       sent(&t, 0, IBV_WC_RNR_RETRY_EXC_ERR),
		       "SEND to an SRQ that stays empty: %s",
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

static bool consume(struct bench *t, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (send_len(t, 0, i, 64) || !received(t, 0, i, 64) ||
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
	       "limit: 4 is set with 8 entries posted");
	tap_ok(consume(&t, 4) && no_event(low),
	       "limit: no event while 4 entries are left");
	tap_ok(consume(&t, 1) && wait_async(&pair_dev[1], low),
	       "limit: an event when 3 entries are left");
	tap_ok(get_limit(&t) == 0, "limit: the limit is 0 after the event");
	tap_ok(consume(&t, 2) && no_event(low),
	       "limit: no second event with fewer entries");
	tap_ok(set_limit(&t, 3) && wait_async(&pair_dev[1], low),
	       "limit: an event at once if fewer entries than the new limit");
	tap_ok(!set_limit(&t, DEPTH + 1),
	       "limit: above the size of the SRQ: %s", strerror(EINVAL));
	bench_destroy(&t);
}

static int modify_to_error(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

/*
 * A QP enters the error state while messages for it arrive.  Each work request that
 * it has consumed completes before its event; the rest stays for other QPs.
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
	       "end: event LAST_WQE_REACHED of a QP in error");
	n = ibv_poll_cq(t.pairs[0].b.rcq, DEPTH, wc);
	tap_note("the QP in error has consumed %d entries", n);
	for (left = 0; left < DEPTH - n; left++)
		if (send_len(&t, 1, left, 64) || !received(&t, 1, left, 64))
			break;
	tap_ok(left == DEPTH - n,
	       "end: the other QP receives with all remaining entries");
	tap_ok(!send_len(&t, 1, left, 64) && set_limit(&t, 1) &&
	       wait_async(&pair_dev[1], IBV_EVENT_SRQ_LIMIT_REACHED),
	       "end: no further entries are left");
	bench_destroy(&t);
}

/* An error of one QP does not affect the others. */
static void test_too_long(void)
{
	struct bench t;
	struct ibv_wc wc;

	if (bench_begin(&t, 2, NULL, "too long")) {
		tap_ok(!post_srq(&t, 0, 64) && !post_srq(&t, 1, SLOT_LEN),
		       "too long: a small and a large entry are posted");
		send_len(&t, 0, 0, MSG_LEN);
		wait_wc(t.pairs[0].b.rcq, &wc);
		tap_ok(wc.status == IBV_WC_LOC_LEN_ERR && wc.wr_id == 0,
		       "too long: receive into the small entry: %s",
		       ibv_wc_status_str(IBV_WC_LOC_LEN_ERR));
		tap_ok(sent(&t, 0, IBV_WC_REM_INV_REQ_ERR),
		       "too long: SEND to the small entry: %s",
		       ibv_wc_status_str(IBV_WC_REM_INV_REQ_ERR));
		tap_ok(!send_len(&t, 1, 5, MSG_LEN) && received(&t, 1, 5,
								MSG_LEN),
		       "too long: the other QP still receives");
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
		    !check_message(t, &wc, 0, i, 64) || !sent(t, 0,
							      IBV_WC_SUCCESS))
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
	       "size: fewer entries than are posted: %s", strerror(EINVAL));
	tap_ok(resize(&t, pair_dev[1].attr.max_srq_wr + 1) == EINVAL,
	       "size: more than max_srq_wr: %s", strerror(EINVAL));
	tap_ok(!resize(&t, 4 * DEPTH) && get_size(&t) == 4 * DEPTH,
	       "size: four times the size of a filled SRQ");
	for (i = DEPTH; i < 4 * DEPTH; i++)
		n += !post_srq(&t, i, SLOT_LEN);
	tap_ok(n == 4 * DEPTH, "size: the larger SRQ can be filled");
	tap_ok(drain_in_order(&t, n),
	       "size: all entries are consumed in order");
	tap_ok(!resize(&t, 2) && get_size(&t) == 2, "size: reduced to 2");
	tap_ok(!post_srqs(&t, 2) && post_srq(&t, 2, SLOT_LEN) == ENOMEM &&
	       drain_in_order(&t, 2),
	       "size: 2 entries can be posted and consumed, a third not");
	bench_destroy(&t);
}

static int resize_without(struct bench *t, enum mapfail which, uint32_t max_wr)
{
	int ret;

	mapfail = which;
	ret = resize(t, max_wr);
	mapfail = MAPFAIL_NONE;
	return ret;
}

/* As for completion queues, see mrc_cq. */
static void test_map(void)
{
	struct bench t;
	bool ok;

	if (!bench_begin(&t, 1, NULL, "map")) {
		bench_destroy(&t);
		return;
	}
	ok = !post_srqs(&t, 4);
	tap_ok(ok && resize_without(&t, MAPFAIL_ALL, 4 * DEPTH) == ENOMEM,
	       "map: a new size without address space: %s", strerror(ENOMEM));
	tap_ok(drain_in_order(&t, 4) && !post_srqs(&t, 4) &&
	       drain_in_order(&t, 4),
	       "map: entries from before and after that are consumed");
	ok = !post_srqs(&t, 4);
	tap_ok(ok && resize_without(&t, MAPFAIL_FILES, 4 * DEPTH) == ENOMEM,
	       "map: a new size of a ring that cannot be mapped: %s",
	       strerror(ENOMEM));
	tap_ok(post_srq(&t, 4, SLOT_LEN) == EIO,
	       "map: post_srq_recv then fails: %s", strerror(EIO));
	tap_ok(!resize(&t, 8 * DEPTH) && drain_in_order(&t, 4) &&
	       !post_srqs(&t, 4) && drain_in_order(&t, 4),
	       "map: with another size the SRQ can be used again");
	bench_destroy(&t);
}

static bool can_create(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq *srq = make_srq(max_wr, max_sge);

	if (srq && ibv_destroy_srq(srq))
		perror("ibv_destroy_srq");
	return srq;
}

static void test_limits(void)
{
	const struct ibv_device_attr *dev = &pair_dev[1].attr;

	tap_ok(dev->max_srq > 0 && can_create(dev->max_srq_wr,
					      dev->max_srq_sge),
	       "create_srq of max_srq_wr (%d) and max_srq_sge (%d)",
	       dev->max_srq_wr, dev->max_srq_sge);
	tap_ok(!can_create(dev->max_srq_wr + 1, 1) && errno == EINVAL,
	       "create_srq of max_srq_wr + 1: %s", strerror(EINVAL));
	tap_ok(!can_create(1, dev->max_srq_sge + 1) && errno == EINVAL,
	       "create_srq of max_srq_sge + 1: %s", strerror(EINVAL));
	tap_ok(!can_create(0, 1) && errno == EINVAL,
	       "create_srq of 0 entries: %s", strerror(EINVAL));
}

/* An invalid index ends the SRQ, and each QP that needs an entry of it. */
static void test_invalid_index(void)
{
	struct mrc_ring_hdr *hdr;
	struct bench t;

	ringview_expect();
	if (!bench_begin(&t, 2, NULL, "invalid index"))
		goto out;
	hdr = ringview_expected();
	if (!tap_ok(hdr, "invalid index: the SRQ's ring is mapped"))
		goto out;
	__atomic_store_n(&hdr->prod, DEPTH + 1, __ATOMIC_RELEASE);
	send_len(&t, 0, 0, 64);
	tap_ok(wait_async(&pair_dev[1], IBV_EVENT_SRQ_ERR),
	       "invalid index: event SRQ_ERR");
	tap_ok(wait_state(t.pairs[0].b.qp, IBV_QPS_ERR),
	       "invalid index: the QP that needs an entry is in error");
	tap_ok(qp_state(t.pairs[1].b.qp) == IBV_QPS_RTS,
	       "invalid index: the other QP stays in RTS");
	tap_ok(sent(&t, 0, IBV_WC_REM_OP_ERR), "invalid index: SEND: %s",
	       ibv_wc_status_str(IBV_WC_REM_OP_ERR));
	tap_ok(resize(&t, 2 * DEPTH) == EINVAL,
	       "invalid index: modify_srq of the size: %s", strerror(EINVAL));
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
	test_map();
	test_invalid_index();
	pair_close_devices();
	return tap_done();
}
