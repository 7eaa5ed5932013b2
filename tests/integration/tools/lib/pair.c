// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two connected queue pairs in one process, on one device or on two.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pair.h"
#include "tap.h"

#define POLL_PAUSE_US	500

/* The second is a copy of the first if there is only one device. */
struct rc_dev pair_dev[2];
static bool pair_two_devices;

static int pair_nonblocking(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/**
 * pair_arg - parse an option
 * @args: to be filled in
 * @c: from getopt()
 * @value: its argument
 *
 * Return: true if it is one of PAIR_ARGS.
 */
bool pair_arg(struct pair_args *args, int c, const char *value)
{
	switch (c) {
	case 'd':
		args->a = value;
		return true;
	case 'D':
		args->b = value;
		return true;
	case 'i':
		args->port = atoi(value);
		return true;
	case 'g':
		args->gid_index = atoi(value);
		return true;
	default:
		return false;
	}
}

/**
 * pair_open_devices - open the devices of all pairs
 * @args: their names and port
 *
 * Return: 0, or -1 after a message.
 */
int pair_open_devices(const struct pair_args *args)
{
	const char *b = args->b;

	if (rc_open(&pair_dev[0], args->a, args->port, args->gid_index))
		return -1;
	pair_two_devices = b;
	if (!b)
		pair_dev[1] = pair_dev[0];
	else if (rc_open(&pair_dev[1], b, args->port, args->gid_index))
		return -1;
	if (pair_nonblocking(pair_dev[0].ctx->async_fd) ||
	    pair_nonblocking(pair_dev[1].ctx->async_fd)) {
		perror("fcntl");
		return -1;
	}
	return 0;
}

/**
 * pair_close_devices - undo pair_open_devices()
 */
void pair_close_devices(void)
{
	rc_close(&pair_dev[0]);
	if (pair_two_devices)
		rc_close(&pair_dev[1]);
}

static uint32_t pair_depth(const struct pair_opts *o)
{
	return o->depth ? o->depth : PAIR_DEPTH;
}

static int end_create_cqs(struct end *e, const struct pair_opts *o, bool b)
{
	int all = 4 * pair_depth(o);
	int n = o->scq_entries ? o->scq_entries : all;

	e->scq = ibv_create_cq(e->dev->ctx, n, NULL, NULL, 0);
	e->rcq = ibv_create_cq(e->dev->ctx, all, NULL, b ? o->channel : NULL, 0);
	return e->scq && e->rcq ? 0 : errno;
}

static int end_create_qp(struct end *e, const struct pair_opts *o, bool b)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = e->scq,
		.recv_cq = e->rcq,
		.cap.max_send_wr = pair_depth(o),
		.cap.max_recv_wr = pair_depth(o),
		.cap.max_send_sge = o->sges ? o->sges : PAIR_SGES,
		.cap.max_recv_sge = o->sges ? o->sges : PAIR_SGES,
		.cap.max_inline_data = o->inline_len ? o->inline_len :
						       PAIR_INLINE,
		.qp_type = o->type ? o->type : IBV_QPT_RC,
		.sq_sig_all = o->sq_sig_all,
		.srq = b ? o->srq : NULL,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = e->dev->pd,
	};

	if (o->send_ops) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = o->send_ops;
	}
	e->qp = ibv_create_qp_ex(e->dev->ctx, &attr);
	return e->qp ? 0 : errno;
}

static int end_create(struct end *e, struct rc_dev *dev,
		      const struct pair_opts *o, bool b)
{
	size_t len = o->buf_len ? o->buf_len : PAIR_BUF_LEN;
	int ret;

	e->dev = dev;
	e->buf = aligned_alloc(4096, len);
	if (!e->buf)
		return ENOMEM;
	memset(e->buf, b ? 'b' : 'a', len);
	e->mr = ibv_reg_mr(dev->pd, e->buf, len, RC_ACCESS_ALL);
	if (!e->mr)
		return errno;
	ret = end_create_cqs(e, o, b);
	return ret ? ret : end_create_qp(e, o, b);
}

static void end_destroy(struct end *e)
{
	if (e->qp && ibv_destroy_qp(e->qp))
		perror("ibv_destroy_qp");
	if (e->scq && ibv_destroy_cq(e->scq))
		perror("ibv_destroy_cq");
	if (e->rcq && ibv_destroy_cq(e->rcq))
		perror("ibv_destroy_cq");
	if (e->mr && ibv_dereg_mr(e->mr))
		perror("ibv_dereg_mr");
	free(e->buf);
}

static void pair_addresses(struct pair *p)
{
	rc_address(p->a.dev, p->a.qp, &p->params, &p->a.addr);
	rc_address(p->b.dev, p->b.qp, &p->params, &p->b.addr);
}

/**
 * pair_alloc - two QPs in RESET
 * @p: filled in
 * @opts: what differs from the defaults, or NULL
 *
 * Return: 0, or an errno after a message; pair_destroy() in any case.
 */
int pair_alloc(struct pair *p, const struct pair_opts *opts)
{
	static const struct pair_opts none;
	int ret;

	if (!opts)
		opts = &none;
	memset(p, 0, sizeof(*p));
	p->params = opts->params ? *opts->params : rc_defaults;
	ret = end_create(&p->a, &pair_dev[0], opts, false);
	if (!ret)
		ret = end_create(&p->b, &pair_dev[1], opts, true);
	if (ret) {
		fprintf(stderr, "create pair: %s\n", strerror(ret));
		return ret;
	}
	pair_addresses(p);
	return 0;
}

static int end_renew_qp(struct end *e, const struct pair_opts *o, bool b)
{
	int ret = e->qp ? ibv_destroy_qp(e->qp) : 0;

	if (ret)
		return ret;
	e->qp = NULL;
	return end_create_qp(e, o, b);
}

/**
 * pair_renew - two new QPs in RTS in place of the old ones
 * @p: pair
 * @opts: what differs from the defaults, or NULL
 *
 * Old QPs would have to wait until their peer repeats no more packets.
 *
 * Return: 0 or an errno; pair_destroy() in any case.
 */
int pair_renew(struct pair *p, const struct pair_opts *opts)
{
	static const struct pair_opts none;
	int ret;

	if (!opts)
		opts = &none;
	ret = end_renew_qp(&p->a, opts, false);
	if (!ret)
		ret = end_renew_qp(&p->b, opts, true);
	if (ret)
		return ret;
	pair_addresses(p);
	return pair_connect(p);
}

/**
 * pair_connect - from RESET to RTS
 * @p: pair
 *
 * Return: 0, or an errno after a message.
 */
int pair_connect(struct pair *p)
{
	int ret;

	ret = rc_init(p->a.dev, p->a.qp, &p->params);
	if (!ret)
		ret = rc_init(p->b.dev, p->b.qp, &p->params);
	if (!ret)
		ret = rc_connect(p->b.dev, p->b.qp, &p->params, &p->b.addr,
				 &p->a.addr);
	if (!ret)
		ret = rc_connect(p->a.dev, p->a.qp, &p->params, &p->a.addr,
				 &p->b.addr);
	return ret;
}

/**
 * pair_create - two QPs in RTS
 * @p: filled in
 * @opts: what differs from the defaults, or NULL
 *
 * Return: 0, or an errno after a message; pair_destroy() in any case.
 */
int pair_create(struct pair *p, const struct pair_opts *opts)
{
	int ret = pair_alloc(p, opts);

	return ret ? ret : pair_connect(p);
}

/**
 * pair_destroy - undo pair_alloc() or pair_create()
 * @p: pair, complete or not
 */
void pair_destroy(struct pair *p)
{
	end_destroy(&p->a);
	end_destroy(&p->b);
	drain_async(&pair_dev[0]);
	drain_async(&pair_dev[1]);
}

/**
 * pair_ready - pair_create(), and a failed test if that fails
 * @p: filled in; pair_destroy() after success only
 * @name: of the test
 * @opts: what differs from the defaults, or NULL
 *
 * Return: true if both QPs are in RTS.
 */
bool pair_ready(struct pair *p, const char *name, const struct pair_opts *opts)
{
	if (!pair_create(p, opts))
		return true;
	pair_destroy(p);
	tap_ok(false, "%s: two connected QPs", name);
	return false;
}

/**
 * end_filled_with - whether all bytes of the buffer have one value
 * @e: side
 * @fill: the byte
 *
 * Return: true if it does.
 */
bool end_filled_with(const struct end *e, char fill)
{
	size_t i;

	for (i = 0; i < PAIR_BUF_LEN; i++)
		if (e->buf[i] != fill)
			return false;
	return true;
}

/**
 * end_recv - post a receive
 * @e: side
 * @wr_id: of the work request
 * @offset: within the buffer
 * @len: bytes
 *
 * Return: 0 or an errno.
 */
int end_recv(struct end *e, uint64_t wr_id, size_t offset, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->buf + offset,
		.length = len,
		.lkey = e->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ibv_post_recv(e->qp, &wr, &bad);
}

/**
 * end_wr - a signaled work request of @p's side a to the start of b's buffer
 * @p: pair
 * @opcode: operation
 * @len: bytes
 * @wr: filled in
 * @sge: filled in
 */
void end_wr(const struct pair *p, enum ibv_wr_opcode opcode, uint32_t len,
	    struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	*sge = (struct ibv_sge){
		.addr = (uintptr_t)p->a.buf,
		.length = len,
		.lkey = p->a.mr->lkey,
	};
	*wr = (struct ibv_send_wr){
		.wr_id = 1,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)p->b.buf,
		.wr.rdma.rkey = p->b.mr->rkey,
	};
}

/**
 * end_post - post to the send queue
 * @e: side
 * @wr: list of work requests
 *
 * Return: 0 or an errno.
 */
int end_post(struct end *e, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(e->qp, wr, &bad);
}

static bool expired(uint64_t start)
{
	return rc_now_ns() - start > PAIR_WAIT_MS * NS_PER_MS;
}

/**
 * wait_wc - wait for a completion
 * @cq: completion queue
 * @wc: filled in; status ~0 after the timeout
 *
 * Return: true if there was a completion.
 */
bool wait_wc(struct ibv_cq *cq, struct ibv_wc *wc)
{
	uint64_t start = rc_now_ns();
	int n;

	do {
		n = ibv_poll_cq(cq, 1, wc);
		if (n > 0)
			return true;
		usleep(POLL_PAUSE_US);
	} while (!n && !expired(start));
	memset(wc, 0, sizeof(*wc));
	wc->status = ~0;
	return false;
}

/**
 * expect_wc - a test: the next completion has a status
 * @cq: completion queue
 * @status: expected
 * @what: name of the test
 *
 * Return: whether it passed.
 */
bool expect_wc(struct ibv_cq *cq, enum ibv_wc_status status, const char *what)
{
	struct ibv_wc wc;
	bool ok;

	wait_wc(cq, &wc);
	ok = tap_ok(wc.status == status, "%s: %s", what,
		    ibv_wc_status_str(status));
	if (!ok)
		tap_note("completion: %s, vendor error %u",
			 wc.status == (enum ibv_wc_status)~0 ?
				 "none" :
				 ibv_wc_status_str(wc.status), wc.vendor_err);
	return ok;
}

/**
 * qp_state - state as the kernel sees it
 * @qp: queue pair
 *
 * Return: state, IBV_QPS_UNKNOWN if it cannot be queried.
 */
enum ibv_qp_state qp_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}

/**
 * wait_state - wait until a QP is in a state
 * @qp: queue pair
 * @state: awaited
 *
 * Return: true if the QP has reached @state.
 */
bool wait_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	uint64_t start = rc_now_ns();

	while (qp_state(qp) != state) {
		if (expired(start))
			return false;
		usleep(POLL_PAUSE_US);
	}
	return true;
}

/**
 * wait_async - wait for an asynchronous event; others are dropped
 * @dev: device
 * @type: awaited
 *
 * Return: true if there was such an event.
 */
bool wait_async(struct rc_dev *dev, enum ibv_event_type type)
{
	struct pollfd pfd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	uint64_t start = rc_now_ns();

	while (!expired(start)) {
		if (ibv_get_async_event(dev->ctx, &event)) {
			poll(&pfd, 1, PAIR_WAIT_MS);
			continue;
		}
		ibv_ack_async_event(&event);
		if (event.event_type == type)
			return true;
	}
	return false;
}

/**
 * drain_async - drop all asynchronous events
 * @dev: device
 */
void drain_async(struct rc_dev *dev)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(dev->ctx, &event))
		ibv_ack_async_event(&event);
}
