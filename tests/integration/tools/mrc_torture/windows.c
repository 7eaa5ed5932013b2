// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A region shrinks and grows as fast as it can while a window of all its pages is
 * bound. A window that is bound gives access to its last page, which a region that is
 * too small does not have.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "pair.h"
#include "torture.h"

#define PAGE		4096
#define PAGES		(PAIR_BUF_LEN / PAGE)
#define LAST		(PAIR_BUF_LEN - PAGE)
/* Polls until a work request is given up, and their interval. */
#define POLLS		2000
#define POLL_US		50
#define REST_US		100
#define FIRST_BYTE	'A'

/**
 * struct windows - a window, and who changes its region
 * @t: what all workers know
 * @pair: queue pairs; side b binds, side a reads
 * @mr: region with windows, the buffer of side b
 * @mw: window
 * @stop: the thread that changes the region is to end
 * @tries: how often that thread has tried
 * @rnd: random numbers of that thread
 */
struct windows {
	struct torture *t;
	struct pair pair;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	atomic_bool stop;
	atomic_uint tries;
	struct rnd rnd;
};

static void *changes(void *arg)
{
	struct windows *w = arg;
	size_t len;

	while (!atomic_load(&w->stop)) {
		len = rnd_one_in(&w->rnd, 2) ? PAGE : PAIR_BUF_LEN;
		count(COUNT_WINDOW_REREG,
		      !ibv_rereg_mr(w->mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				    w->pair.b.buf, len, 0));
		atomic_fetch_add(&w->tries, 1);
		if (rnd_one_in(&w->rnd, 4))
			usleep(rnd_below(&w->rnd, REST_US));
	}
	return NULL;
}

/* Status of the next completion; ~0 if there is none. */
static int result(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int polls, n;

	for (polls = 0; polls < POLLS; polls++) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n)
			return n < 0 ? ~0 : (int)wc.status;
		usleep(POLL_US);
	}
	return ~0;
}

static void drain(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
}

static void reconnect(struct windows *w)
{
	pair_renew(&w->pair, NULL);
	drain(w->pair.a.scq);
	drain(w->pair.b.scq);
}

/* Bind the window to @len octets; 0 unbinds it. */
static bool bind(struct windows *w, size_t len)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = w->mr,
			.addr = (uintptr_t)w->pair.b.buf,
			.length = len,
			.mw_access_flags = IBV_ACCESS_REMOTE_READ,
		},
	};

	return w->pair.b.qp && !ibv_bind_mw(w->pair.b.qp, w->mw, &bind) &&
	       result(w->pair.b.scq) == IBV_WC_SUCCESS;
}

/* The last page can be read while the window is bound. */
static int read_last(struct windows *w)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	char *buf = w->pair.a.buf;
	int status, i;

	memset(buf, 0, PAGE);
	end_wr(&w->pair, IBV_WR_RDMA_READ, PAGE, &wr, &sge);
	wr.wr.rdma.remote_addr += LAST;
	wr.wr.rdma.rkey = w->mw->rkey;
	if (!w->pair.a.qp || end_post(&w->pair.a, &wr))
		return 0;
	status = result(w->pair.a.scq);
	count(COUNT_WINDOW_READ, status == IBV_WC_SUCCESS);
	if (status == IBV_WC_REM_ACCESS_ERR)
		return wrong("a window that is bound gives no access");
	for (i = 0; status == IBV_WC_SUCCESS && i < PAGE; i++)
		if (buf[i] != FIRST_BYTE + PAGES - 1)
			return wrong("a window gives access to other memory");
	return 0;
}

/* No window is bound: the region can change, which it cannot most of the time. */
static void let_change(struct windows *w)
{
	unsigned int before = atomic_load(&w->tries);
	int polls;

	/* The try that has begun may still be refused. */
	for (polls = 0; polls < POLLS && atomic_load(&w->tries) - before < 2; polls++)
		usleep(POLL_US);
}

static int one(struct windows *w)
{
	bool bound = bind(w, PAIR_BUF_LEN);
	int ret = 0;

	act("window %sbound", bound ? "" : "not ");
	count(COUNT_WINDOW_BIND, bound);
	if (bound)
		ret = read_last(w);
	if (!bound || !bind(w, 0))
		reconnect(w);
	else
		let_change(w);
	return ret;
}

static int make(struct windows *w)
{
	int i;

	if (pair_create(&w->pair, NULL))
		return -1;
	for (i = 0; i < PAGES; i++)
		memset(w->pair.b.buf + i * PAGE, FIRST_BYTE + i, PAGE);
	w->mr = ibv_reg_mr(pair_dev[1].pd, w->pair.b.buf, PAIR_BUF_LEN,
			   RC_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	w->mw = ibv_alloc_mw(pair_dev[1].pd, IBV_MW_TYPE_1);
	return w->mr && w->mw ? 0 : -1;
}

static void destroy(struct windows *w)
{
	if (w->mw)
		ibv_dealloc_mw(w->mw);
	if (w->mr)
		ibv_dereg_mr(w->mr);
	pair_destroy(&w->pair);
}

static int run(struct windows *w)
{
	pthread_t thread;
	uint32_t i;
	int ret = 0;

	if (pthread_create(&thread, NULL, changes, w))
		return wrong("no thread");
	for (i = 0; i < w->t->actions && !ret; i++)
		ret = one(w);
	atomic_store(&w->stop, true);
	pthread_join(thread, NULL);
	return ret;
}

/**
 * windows_run - worker: windows are bound to a region that changes
 * @t: two devices; each action is a window
 *
 * Return: 0, or -1 after a message.
 */
int windows_run(struct torture *t)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	static struct windows w;
	int ret;

	w.t = t;
	rnd_seed(&w.rnd, t->seed + 1);
	args.a = t->dev[0];
	args.b = t->devs > 1 ? t->dev[1] : NULL;
	if (pair_open_devices(&args))
		return wrong("a device does not open");
	ret = make(&w) ? wrong("no region with a window") : run(&w);
	destroy(&w);
	pair_close_devices();
	return ret;
}
