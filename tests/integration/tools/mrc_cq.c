// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: new sizes with completions in them, and events that are put
 * off.
 *
 * A completion of the receiver is there before its sender's: so who has polled
 * the one knows of the other.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"
#include "tap.h"

#define DEPTH		PAIR_DEPTH
#define MSG_LEN		64
#define RESIZES		100
/* us; the longest that there is. */
#define PERIOD_MAX	65535
/* Rounds in which nothing may take longer than that; one is enough. */
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

/* Afterwards as many completions wait in the receiver's queue. */
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

static bool take(struct pair *p, uint64_t first, uint32_t n)
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

/* Messages arrive all the time. */
static bool resize_often(struct pair *p)
{
	struct ibv_wc wc;
	int i, k;

	for (i = 0; i < RESIZES; i++) {
		if (!send_some(p, 0, DEPTH) ||
		    !has_size(p, i % 2 ? DEPTH : 8 * DEPTH) ||
		    !take(p, 0, DEPTH))
			return false;
		for (k = 0; k < DEPTH; k++)
			if (!wait_wc(p->a.scq, &wc))
				return false;
	}
	return true;
}

static void test_size(void)
{
	struct pair p;
	int max = pair_dev[1].attr.max_cqe;

	if (!pair_ready(&p, "size", NULL))
		return;
	tap_ok(fill(&p, 0, DEPTH), "%d completions wait", DEPTH);
	tap_ok(ibv_resize_cq(p.b.rcq, DEPTH / 2) == EINVAL &&
	       p.b.rcq->cqe == 4 * DEPTH, "half the room: %s",
	       strerror(EINVAL));
	tap_ok(has_size(&p, DEPTH), "just the room");
	tap_ok(has_size(&p, max), "max_cqe entries");
	tap_ok(ibv_resize_cq(p.b.rcq, max + 1) == EINVAL, "one more: %s",
	       strerror(EINVAL));
	tap_ok(ibv_resize_cq(p.b.rcq, 0) == EINVAL, "none: %s",
	       strerror(EINVAL));
	tap_ok(fill(&p, DEPTH, DEPTH) && take(&p, 0, 2 * DEPTH),
	       "all of them are there, in order");
	tap_ok(resize_often(&p), "%d new sizes while messages arrive",
	       RESIZES);
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

/* Silence after three of four, and an event with the fourth. */
static bool together(struct pair *p)
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
		if (!take(p, 0, 4))
			return false;
		if (!early && due)
			return true;
		/* It took so long that the period was over. */
		if (!early)
			event(p, PAIR_WAIT_MS);
	}
	return false;
}

static void test_moderation(struct ibv_comp_channel *channel)
{
	const struct pair_opts opts = { .channel = channel };
	struct pair p;

	if (!pair_ready(&p, "moderation", &opts))
		return;
	tap_ok(moderate(&p, 4, PERIOD_MAX) && together(&p),
	       "an event for four completions");
	tap_ok(moderate(&p, DEPTH, PERIOD_MAX) &&
	       !ibv_req_notify_cq(p.b.rcq, 0) && fill(&p, 0, 1) &&
	       event(&p, PAIR_WAIT_MS) && take(&p, 0, 1),
	       "an event when the period is over");
	tap_ok(!ibv_req_notify_cq(p.b.rcq, 0) && fill(&p, 0, 1) &&
	       moderate(&p, 0, 0) && event(&p, 0) && take(&p, 0, 1),
	       "none is put off when that is turned off");
	tap_ok(!ibv_req_notify_cq(p.b.rcq, 0) && fill(&p, 0, 1) &&
	       event(&p, 0) && take(&p, 0, 1), "nor later");
	pair_destroy(&p);
}

static void moderation(void)
{
	struct ibv_comp_channel *channel;

	channel = ibv_create_comp_channel(pair_dev[1].ctx);
	if (!tap_ok(channel, "a channel for events"))
		return;
	test_moderation(channel);
	ibv_destroy_comp_channel(channel);
}

static void limits(void)
{
	struct ibv_device_attr_ex attr;

	if (tap_ok(!ibv_query_device_ex(pair_dev[1].ctx, NULL, &attr),
		   "query_device_ex"))
		tap_ok(attr.cq_mod_caps.max_cq_count == PERIOD_MAX &&
		       attr.cq_mod_caps.max_cq_period == PERIOD_MAX,
		       "events can be put off");
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
	moderation();
	pair_close_devices();
	return tap_done();
}
