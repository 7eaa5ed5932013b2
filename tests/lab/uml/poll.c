// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Preload library for programs that poll completion queues in virtual time.
 *
 * In virtual time computation takes no time, so a program that polls a completion
 * queue until it finds a completion stops time for ever. With this library a poll
 * that finds nothing takes MRC_POLL_NS nanoseconds (environment; default 200: 2 % of
 * a round trip of 10 us), or a 64th of the time since the thread last found or posted
 * anything if that is more: a wait of a second is then 800 polls, and a completion is
 * found 2 % late at most.
 *
 * perftest measures the frequency of the time stamp counter by waiting 200 times for
 * gettimeofday(), 0.2 s in total, of which a reading takes 256 ns, but a system call
 * in real time. From the 17th reading in sequence each takes 500 us in addition,
 * of which these waits, 0.1 to 2 ms, need few. clock_gettime() stays as it is: programs take time
 * stamps with it while they do other things.
 *
 * A thread that waits for another one with sched_yield() stops time as well if the other
 * one waits for time to pass: a yield takes MRC_POLL_NS, too.
 *
 * The library replaces poll functions in the tables of a context when the context
 * is opened, and of an extended completion queue when it is created. It does not
 * depend on libibverbs, so any program may be started with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

#include <infiniband/verbs.h>

/* Contexts and extended completion queues of a process; a power of two. */
#define TABLE_SIZE	4096

/* The functions that the provider set in a context or completion queue. */
struct original {
	const void *object;
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr);
	int (*start_poll)(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
};

/* Open addressing. Entries are never removed: the next object there reuses them. */
static struct original table[TABLE_SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long empty_poll_ns = 200;
/* Virtual time that the thread has polled since it last found or posted anything. */
static __thread long waited_ns;

__attribute__((constructor))
static void init(void)
{
	const char *ns = getenv("MRC_POLL_NS");

	if (ns)
		empty_poll_ns = atol(ns);
}

/* Return the entry of @object, or the free one that it would have. */
static struct original *find(const void *object)
{
	size_t i = ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ull >> 32;
	size_t n;

	for (n = 0; n < TABLE_SIZE; n++, i++) {
		struct original *o = &table[i % TABLE_SIZE];
		const void *there = __atomic_load_n(&o->object,
						    __ATOMIC_ACQUIRE);

		if (!there || there == object)
			return o;
	}
	abort();
}

static void remember(const void *object, const struct original *functions)
{
	struct original *o;

	pthread_mutex_lock(&lock);
	o = find(object);
	o->poll_cq = functions->poll_cq;
	o->create_cq_ex = functions->create_cq_ex;
	o->start_poll = functions->start_poll;
	o->post_send = functions->post_send;
	__atomic_store_n(&o->object, object, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

static void sleep_ns(long ns)
{
	static __thread int exact;
	struct timespec delay = { ns / 1000000000, ns % 1000000000 };
	int saved = errno;

	/* Without this the kernel may add 50 us to each sleep of the thread. */
	if (!exact) {
		prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
		exact = 1;
	}
	clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
	errno = saved;
}

static void pass_time(void)
{
	long part = waited_ns / 64;
	long ns = part > empty_poll_ns ? part : empty_poll_ns;

	sleep_ns(ns);
	waited_ns += ns;
}

static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	int n = find(cq->context)->poll_cq(cq, num_entries, wc);

	if (n == 0)
		pass_time();
	else
		waited_ns = 0;
	return n;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	int ret = find(cq)->start_poll(cq, attr);

	if (ret == ENOENT)
		pass_time();
	else
		waited_ns = 0;
	return ret;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad_wr)
{
	waited_ns = 0;
	return find(qp->context)->post_send(qp, wr, bad_wr);
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context,
				      struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_ex *cq = find(context)->create_cq_ex(context, attr);
	struct original functions = {};

	if (!cq || !cq->start_poll)
		return cq;
	functions.start_poll = cq->start_poll;
	remember(cq, &functions);
	cq->start_poll = start_poll;
	return cq;
}

static struct ibv_context *wrap(struct ibv_context *context)
{
	struct original functions = {};
	struct verbs_context *verbs;

	if (!context || context->ops.poll_cq == poll_cq)
		return context;
	functions.poll_cq = context->ops.poll_cq;
	functions.post_send = context->ops.post_send;
	verbs = verbs_get_ctx_op(context, create_cq_ex);
	if (verbs)
		functions.create_cq_ex = verbs->create_cq_ex;
	remember(context, &functions);
	context->ops.poll_cq = poll_cq;
	context->ops.post_send = post_send;
	if (verbs)
		verbs->create_cq_ex = create_cq_ex;
	return context;
}

/* The function of libibverbs, which may be loaded for a module of the program only. */
static void *verbs_function(const char *name)
{
	void *library = dlopen("libibverbs.so.1", RTLD_LAZY);
	void *function = library ? dlsym(library, name) : NULL;

	if (!function)
		abort();
	return function;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*open_device)(struct ibv_device *device) =
		verbs_function(__func__);

	return wrap(open_device(device));
}

struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct ibv_context *(*import_device)(int cmd_fd) = verbs_function(__func__);

	return wrap(import_device(cmd_fd));
}

int sched_yield(void)
{
	sleep_ns(empty_poll_ns);
	return 0;
}

/* Readings of the clock that are no further apart than this are in sequence. */
#define SEQUENCE_US	2
#define SEQUENCE_MIN	16
#define SEQUENCE_DELAY_US 500

int gettimeofday(struct timeval *tv, void *zone)
{
	static int (*next)(struct timeval *tv, void *zone);
	static __thread int64_t last_us;
	static __thread int readings;
	int64_t now_us;
	int ret;

	if (!next)
		next = dlsym(RTLD_NEXT, __func__);
	ret = next(tv, zone);
	if (ret)
		return ret;
	now_us = tv->tv_sec * 1000000ll + tv->tv_usec;
	if (now_us < last_us || now_us - last_us > SEQUENCE_US)
		readings = 0;
	last_us = now_us;
	if (++readings > SEQUENCE_MIN) {
		sleep_ns(SEQUENCE_DELAY_US * 1000);
		last_us += SEQUENCE_DELAY_US;
	}
	return 0;
}
