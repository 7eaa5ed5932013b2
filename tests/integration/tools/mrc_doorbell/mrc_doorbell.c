// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells of the send queue: a ring that the kernel watches, and when the provider
 * rings for several work requests together.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>

#include "pair.h"
#include "ringview.h"
#include "tap.h"

#define DEPTH		PAIR_DEPTH
#define MSG_LEN		64
/* Tries to post while the ring is watched: a slow machine misses the time. */
#define TRIES		200
#define PAUSE_US	500
/* The end of a watch, 50 us, and the completion; no timer of the protocol is that short. */
#define SOON_NS		(5 * NS_PER_MS)
/* A ring is not watched for 10 ms after a program has let a watch end. */
#define UNWATCHED_NS	(10 * NS_PER_MS)

static const char usage_text[] =
"Usage: mrc_doorbell [OPTION]...\n"
"When the doorbell of a send queue is needed, and when the provider rings it.\n"
PAIR_ARGS_USAGE;

/* Commands POST_SEND of the program, by which the provider rings the doorbell. */
static unsigned int doorbells;

/* The provider calls this one. */
ssize_t write(int fd, const void *buf, size_t len)
{
	const struct ib_uverbs_cmd_hdr *hdr = buf;

	if (pair_dev[0].ctx && fd == pair_dev[0].ctx->cmd_fd &&
	    len >= sizeof(*hdr) && hdr->command == IB_USER_VERBS_CMD_POST_SEND)
		doorbells++;
	return syscall(SYS_write, fd, buf, len);
}

/* Put a WRITE into the send ring of @a, without the provider's knowledge. */
static void put(const struct pair *p, const struct endview *v)
{
	ringview_write(p, &v->sq, MSG_LEN);
	__atomic_store_n(&v->sq.hdr->prod, v->sq.hdr->prod + 1,
			 __ATOMIC_SEQ_CST);
}

static uint32_t flags_of(const struct endview *v)
{
	return __atomic_load_n(&v->sq.hdr->flags, __ATOMIC_SEQ_CST);
}

/* A doorbell without a request; returns the flags of the ring after it. */
static uint32_t ring_empty(struct pair *p, struct endview *v)
{
	ringview_doorbell(p->a.qp, true);
	return flags_of(v);
}

static void test_not_wanted(struct pair *p, struct endview *v)
{
	v->sq.hdr->wants = 0;
	tap_ok(ring_empty(p, v) == MRC_RING_NEED_DOORBELL,
	       "a ring is not watched unless the process wants it");
}

/**
 * struct silent - a request that was posted without a doorbell
 * @watched: the ring was watched then; otherwise there was a doorbell
 * @ok: the request has completed
 * @ns: from posting to the completion
 */
struct silent {
	bool watched;
	bool ok;
	uint64_t ns;
};

/*
 * Nothing is in flight when the request is posted, so no acknowledgment makes the
 * kernel look at the ring.  The flags are read after that, as a provider does.
 */
static struct silent post_silently(struct pair *p, struct endview *v)
{
	struct silent s;
	struct ibv_wc wc;

	ringview_doorbell(p->a.qp, true);
	put(p, v);
	s.ns = rc_now_ns();
	s.watched = flags_of(v) == MRC_RING_WATCHED;
	if (!s.watched)
		ringview_doorbell(p->a.qp, true);
	s.ok = wait_wc(p->a.scq, &wc) && !wc.status;
	s.ns = rc_now_ns() - s.ns;
	return s;
}

/* A slow machine misses the watch, or is late: one of the tries is enough. */
static void test_watched(struct pair *p, struct endview *v)
{
	struct silent s = { .ok = true };
	bool watched = false;
	int i;

	v->sq.hdr->wants = MRC_RING_WANT_WATCH;
	for (i = 0; i < TRIES && s.ok; i++) {
		s = post_silently(p, v);
		watched |= s.watched;
		if (s.watched && s.ns < SOON_NS)
			break;
	}
	tap_ok(watched, "a ring is watched after a doorbell, if the process wants it");
	if (!tap_ok(s.ok && s.watched && s.ns < SOON_NS,
		    "a request that is posted meanwhile completes soon, without a doorbell"))
		tap_note("%llu ns", (unsigned long long)s.ns);
}

/* A slow machine takes longer than the time in which the ring is not watched. */
static void test_unwatched(struct pair *p, struct endview *v)
{
	struct silent s = { .ok = true };
	uint32_t flags = 0;
	uint64_t from;
	int i;

	for (i = 0; i < TRIES && s.ok; i++) {
		from = rc_now_ns();
		s = post_silently(p, v);
		flags = ring_empty(p, v);
		if (s.watched && rc_now_ns() - from < UNWATCHED_NS)
			break;
	}
	tap_ok(s.ok && flags == MRC_RING_NEED_DOORBELL,
	       "a ring is not watched again when a request has waited for the end of a watch");
}

static bool post(struct pair *p, uint32_t n)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	for (; n; n--) {
		end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
		wr.wr_id = n;
		if (end_post(&p->a, &wr))
			return false;
	}
	return true;
}

/* Take @n completions; returns how many were successful. */
static uint32_t take(struct pair *p, uint32_t n)
{
	struct ibv_wc wc;
	uint32_t good = 0;

	for (; n && wait_wc(p->a.scq, &wc); n--)
		good += !wc.status;
	return n ? ~0u : good;
}

/* Wait until the memory of b has the contents of a's. */
static bool arrives(const struct pair *p)
{
	uint64_t end = rc_now_ns() + PAIR_WAIT_MS * NS_PER_MS;

	while (memcmp(p->a.buf, p->b.buf, MSG_LEN)) {
		if (rc_now_ns() > end)
			return false;
		usleep(PAUSE_US);
	}
	return true;
}

/*
 * The messages are so short that the kernel finds the ring empty after each of them.
 * Few: half of them, which leaves room for what the provider rings one by one.
 */
static void test_few(struct pair *p, struct endview *v)
{
	unsigned int before = doorbells;
	bool ok = post(p, DEPTH);
	unsigned int n = doorbells - before;

	if (!tap_ok(ok && n && n <= DEPTH / 2,
		    "%d requests that are posted one by one, without a poll: few doorbells",
		    DEPTH))
		tap_note("%u doorbells", n);
	before = doorbells;
	ok = take(p, DEPTH) == DEPTH;
	tap_ok(ok && doorbells - before <= 1, "one poll rings for the rest");
}

/*
 * A program that polls after each request.  When the request has completed, another
 * processor may not have found the ring empty yet.
 */
static void test_each(struct pair *p, struct endview *v)
{
	unsigned int before = doorbells;
	bool ok = true;
	int i;

	for (i = 0; i < DEPTH && ok; i++) {
		ok = post(p, 1) && take(p, 1) == 1;
		while (!flags_of(v))
			usleep(PAUSE_US);
	}
	tap_ok(ok && doorbells - before == DEPTH,
	       "requests with a poll after each of them: a doorbell for each");
}

/*
 * The data of the last of DEPTH requests differ from those of the others, which may
 * have been sent at once.
 */
static void test_without_poll(struct pair *p, struct endview *v)
{
	bool ok;

	memset(p->a.buf, 1, MSG_LEN);
	memset(p->b.buf, 0, MSG_LEN);
	ok = post(p, DEPTH - 1) && arrives(p);
	memset(p->a.buf, 2, MSG_LEN);
	ok = ok && post(p, 1) && arrives(p);
	tap_ok(ok, "requests arrive although the program does not poll");
	tap_ok(take(p, DEPTH) == DEPTH, "all of them complete");
}

static void test_armed(struct pair *p, struct endview *v)
{
	bool ok;

	v->sq.hdr->wants = 0;
	ok = !ibv_req_notify_cq(p->a.rcq, 0) && post(p, DEPTH);
	tap_ok(ok && !v->sq.hdr->wants,
	       "no doorbell is deferred while the program waits for an event");
	tap_ok(take(p, DEPTH) == DEPTH, "the requests complete");
}

static void test_error(struct pair *p, struct endview *v)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	bool ok = post(p, DEPTH) &&
		  !ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE);

	tap_ok(ok && take(p, DEPTH) != ~0u,
	       "requests without a doorbell end when the QP is moved to the error state");
}

static void test_destroy(struct pair *p, struct endview *v)
{
	struct ibv_wc wc;
	bool ok;

	ok = post(p, DEPTH - 1) && !ibv_destroy_qp(p->a.qp);
	p->a.qp = NULL;
	tap_ok(ok && !ibv_poll_cq(p->a.scq, 1, &wc) &&
	       !ibv_poll_cq(p->a.rcq, 1, &wc),
	       "a poll after the QP has been destroyed finds nothing");
}

static void test_ring(struct pair *p, struct endview *v)
{
	test_not_wanted(p, v);
	test_watched(p, v);
	test_unwatched(p, v);
}

/* Run a test with a pair of its own. */
static void run(const char *name, void (*test)(struct pair *p, struct endview *v))
{
	struct endview v;
	struct pair p;

	if (ringview_pair(&p, &v)) {
		pair_destroy(&p);
		tap_ok(false, "%s: two connected QPs", name);
		return;
	}
	test(&p, &v);
	pair_destroy(&p);
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
	if (pair_open_devices(&args) || ringview_init())
		return 2;
	run("watched ring", test_ring);
	run("few doorbells", test_few);
	run("each doorbell", test_each);
	run("without a poll", test_without_poll);
	run("armed completion queue", test_armed);
	run("error state", test_error);
	run("destruction", test_destroy);
	pair_close_devices();
	return tap_done();
}
