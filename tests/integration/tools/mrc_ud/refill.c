// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A thread rings the doorbell of a send queue that another thread refills for as long
 * as the first one does not return.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"
#include "refill.h"
#include "tap.h"

#define DEPTH		8192
#define SIGNAL_EVERY	32
#define POLL_BATCH	64
/* Datagrams that the second thread posts at most. */
#define REFILL_MAX	(64 * DEPTH)

/**
 * struct refill - what the two threads share
 * @qp: the queue pair
 * @cq: of its send queue
 * @wr: work requests that fill the queue
 * @returned: the first thread has returned from post_send
 * @posted: datagrams that the second thread has posted
 * @failed: it could not
 */
struct refill {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_send_wr *wr;
	atomic_bool returned;
	int posted;
	bool failed;
};

/* Entries that completions have freed. */
static int freed(struct refill *r)
{
	struct ibv_wc wc[POLL_BATCH];
	int i, n = ibv_poll_cq(r->cq, POLL_BATCH, wc);

	for (i = 0; i < n; i++)
		r->failed |= wc[i].status != IBV_WC_SUCCESS;
	return n * SIGNAL_EVERY;
}

/* The second thread: from the first completion on the queue is kept full. */
static void *refill(void *arg)
{
	struct refill *r = arg;
	struct ibv_send_wr *bad, *last;
	int n;

	while (!r->returned && r->posted < REFILL_MAX && !r->failed) {
		n = freed(r);
		if (!n)
			continue;
		last = &r->wr[n - 1];
		last->next = NULL;
		r->failed |= ibv_post_send(r->qp, r->wr, &bad) != 0;
		last->next = last + 1;
		r->posted += n;
	}
	return NULL;
}

static struct ibv_send_wr *make_wrs(const struct ibv_send_wr *model)
{
	struct ibv_send_wr *wr = calloc(DEPTH + 1, sizeof(*wr));
	int i;

	for (i = 0; wr && i < DEPTH; i++) {
		wr[i] = *model;
		wr[i].next = i + 1 < DEPTH ? &wr[i + 1] : NULL;
		wr[i].send_flags = (i + 1) % SIGNAL_EVERY ? 0 :
							    IBV_SEND_SIGNALED;
	}
	return wr;
}

/**
 * refill_run - post datagrams while another thread refills the queue
 * @qp: for datagrams, in RTS; its queue has refill_depth entries
 * @cq: of its send queue, with room for a completion of each entry
 * @model: work request that is posted again and again
 */
void refill_run(struct ibv_qp *qp, struct ibv_cq *cq,
		const struct ibv_send_wr *model)
{
	struct refill r = { .qp = qp, .cq = cq, .wr = make_wrs(model) };
	struct ibv_send_wr *bad, *own = make_wrs(model);
	pthread_t second;
	int ret;

	if (!tap_ok(r.wr && own &&
		    !pthread_create(&second, NULL, refill, &r),
		    "refill: a second thread starts"))
		return;
	ret = ibv_post_send(qp, own, &bad);
	r.returned = true;
	pthread_join(second, NULL);
	tap_note("%d datagrams were posted meanwhile", r.posted);
	tap_ok(!ret && !r.failed, "refill: all datagrams are sent");
	tap_ok(r.posted < REFILL_MAX,
	       "refill: post_send returns while another thread refills the queue");
	free(own);
	free(r.wr);
}

/* Entries of the send queue for refill_run(). */
const int refill_depth = DEPTH;
