// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: endpoint requests.
 */
#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "profile.h"

enum {
	/* Rounds under way; the device has a limit of its own, and one of the rate. */
	ROUNDS_MAX = 8,
	/* Between attempts to start a round, while none is under way; how often. */
	RETRY_NS = 10 * 1000 * 1000,
	RETRIES_MAX = 200,
	/* A traffic class is a DSCP and two bits of ECN. */
	DSCP_SHIFT = 2,
	DSCP_MAX = 63,
	SID_LEN = 16,
};

/**
 * struct round - requests that the kernel is given at once
 * @b: batch of which they are
 * @g: connection, of its own: results of rounds do not mix
 * @first: number of the first request
 * @done: the last result has arrived
 */
struct round {
	struct batch *b;
	struct genl *g;
	int first;
	bool done;
};

/**
 * struct batch - requests, and where the responses go
 * @tclass: traffic class
 * @op: enum mrc_probe_op
 * @timeout: of each round, in ns
 * @req: requests
 * @n: number of requests
 * @next: the first one that has not been sent
 * @rsp: responses
 * @n_rsp: number of responses
 * @round: round number i is entry i modulo ROUNDS_MAX
 * @started: number of rounds
 * @ended: those that have ended
 */
struct batch {
	uint8_t tclass;
	enum mrc_probe_op op;
	uint64_t timeout;
	const struct mrc_ctl_ep_req *req;
	int n;
	int next;
	struct mrc_ctl_ep_rsp *rsp;
	int n_rsp;
	struct round round[ROUNDS_MAX];
	unsigned int started;
	unsigned int ended;
};

/* --- requests ------------------------------------------------------------- */

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

static void put_ev(struct nlmsghdr *nlh, const struct mrc_ctl_ep_req *req)
{
	uint32_t number;

	if (req->ev_fmt_mode == MRC_CTL_EV_FMT_MODE_SRV6) {
		mnl_attr_put(nlh, MRC_A_PROBE_PATH_SID, SID_LEN, req->req_ev.val);
		if (!is_zero(req->req_ev.val + SID_LEN, SID_LEN))
			mnl_attr_put(nlh, MRC_A_PROBE_PATH_SRH, SID_LEN,
				     req->req_ev.val + SID_LEN);
		return;
	}
	memcpy(&number, req->req_ev.val, sizeof(number));
	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_EV, number);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_FORMAT,
			 req->ev_fmt_mode == MRC_CTL_EV_FMT_MODE_STEV ?
			 MRC_FORMAT_KIND_STEV : MRC_FORMAT_KIND_UDP);
}

static void put_target(struct nlmsghdr *nlh, const struct mrc_ctl_ep_req *req)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_PROBE_TARGET);

	mnl_attr_put(nlh, MRC_A_PROBE_PATH_DST, sizeof(req->dgid), &req->dgid);
	if (!is_zero(req->sgid.raw, sizeof(req->sgid)))
		mnl_attr_put(nlh, MRC_A_PROBE_PATH_SRC, sizeof(req->sgid),
			     &req->sgid);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_PORT, req->req_ev.port);
	put_ev(nlh, req);
	mnl_attr_nest_end(nlh, nest);
}

/* Port status of the API counts bits from 1, that of the kernel from 0. */
static uint32_t kernel_ports(const struct mrc_ctl_ep_req *req)
{
	return req->op.port_status_update.port_status >> 1;
}

/* Requests of one round have the port status in common. */
static int round_size(const struct batch *b)
{
	const struct mrc_ctl_ep_req *req = b->req + b->next;
	int n = 1, max = b->n - b->next;

	if (max > MRC_PROBES_MAX)
		max = MRC_PROBES_MAX;
	while (n < max && (b->op != MRC_PROBE_OP_PORT_STATUS ||
			   kernel_ports(req + n) == kernel_ports(req)))
		n++;
	return n;
}

static struct nlmsghdr *round_request(const struct batch *b, struct genl *g,
				      int n)
{
	const struct mrc_ctl_ep_req *req = b->req + b->next;
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_PROBE, false,
					  MRC_A_PROBE_DEV);
	int i;

	mnl_attr_put_u64(nlh, MRC_A_PROBE_TIMEOUT_NS, b->timeout);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_TCLASS, b->tclass);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_OP, b->op);
	if (b->op == MRC_PROBE_OP_PORT_STATUS)
		mnl_attr_put_u32(nlh, MRC_A_PROBE_PORTS, kernel_ports(req));
	for (i = 0; i < n; i++)
		put_target(nlh, req + i);
	return nlh;
}

/* --- responses ------------------------------------------------------------- */

static void take_result(const struct round *r, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PROBE_PATH_INDEX + 1];
	struct batch *b = r->b;
	uint32_t index;

	nl_nest(nest, tb, MRC_A_PROBE_PATH_INDEX);
	index = r->first + nl_u32(tb[MRC_A_PROBE_PATH_INDEX]);
	if (nl_u32(tb[MRC_A_PROBE_PATH_RESULT]) != MRC_PROBE_RESULT_ANSWERED ||
	    index >= (uint32_t)b->n || b->n_rsp == b->n)
		return;
	b->rsp[b->n_rsp++] = (struct mrc_ctl_ep_rsp){
		.req_id = b->req[index].req_id,
		.port = nl_u32(tb[MRC_A_PROBE_PATH_RX_PORT]),
		.rtt = nl_u32(tb[MRC_A_PROBE_PATH_RTT]),
		.adj_svc_time = !!tb[MRC_A_PROBE_PATH_ADJUSTED],
	};
}

static int on_probe(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct round *r = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_PATH)
			take_result(r, attr);
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_DONE)
			r->done = true;
	}
	return MNL_CB_OK;
}

/* --- rounds ------------------------------------------------------------------ */

static struct round *round_of(struct batch *b, unsigned int number)
{
	return &b->round[number % ROUNDS_MAX];
}

/* 0, EBUSY if the device accepts no more requests now, or another errno. */
static int round_start(struct batch *b, const struct ibv_context *vctx)
{
	struct round *r = round_of(b, b->started);
	int n = round_size(b), ret;

	if (!r->g)
		r->g = genl_open(vctx);
	if (!r->g)
		return errno;
	r->b = b;
	r->first = b->next;
	r->done = false;
	ret = genl_talk(r->g, round_request(b, r->g, n), on_probe, r);
	if (ret)
		return ret;
	b->started++;
	b->next += n;
	return 0;
}

/* The results of the oldest round follow the acknowledgment of its request. */
static int round_end(struct batch *b)
{
	struct round *r = round_of(b, b->ended++);
	int ret = 0;

	while (!r->done && (!ret || ret == EINTR))
		ret = genl_receive(r->g, on_probe, r);
	return r->done ? 0 : refuse(EIO, "results were lost");
}

/* EBUSY: nothing could be sent, and nothing awaits responses. */
static int batch_step(struct batch *b, const struct ibv_context *vctx)
{
	int ret = EBUSY;

	if (b->next < b->n && b->started - b->ended < ROUNDS_MAX)
		ret = round_start(b, vctx);
	if (ret == EBUSY && b->ended != b->started)
		ret = round_end(b);
	return ret;
}

static int batch_run(struct batch *b, const struct ibv_context *vctx)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int ret, retries = 0;

	while (b->next < b->n || b->ended != b->started) {
		ret = batch_step(b, vctx);
		retries = ret == EBUSY ? retries + 1 : 0;
		if (ret && (ret != EBUSY || retries > RETRIES_MAX))
			return ret;
		if (ret)
			nanosleep(&pause, NULL);
	}
	return b->n_rsp < b->n ? refuse(ETIMEDOUT, "%d of %d responses",
					b->n_rsp, b->n) : 0;
}

static void batch_close(struct batch *b)
{
	int i;

	for (i = 0; i < ROUNDS_MAX; i++)
		genl_close(b->round[i].g);
}

/* --- the API -------------------------------------------------------------- */

static int req_check(const struct mrc_ctl_ep_req *req)
{
	if (!req->req_ev.port)
		return refuse(EINVAL, "request %u has no port", req->req_id);
	switch (req->ev_fmt_mode) {
	case MRC_CTL_EV_FMT_MODE_STEV:
	case MRC_CTL_EV_FMT_MODE_SRV6:
	case MRC_CTL_EV_FMT_MODE_UDP:
		return 0;
	default:
		return refuse(EINVAL, "request %u: ev_fmt_mode %#x is unknown",
			      req->req_id, req->ev_fmt_mode);
	}
}

static int batch_check(uint8_t tc, enum mrc_ctl_ep_op_type op,
		       const struct mrc_ctl_ep_req *req, int n,
		       const struct mrc_ctl_ep_rsp *rsp, const int *n_rsp)
{
	int i, ret = 0;

	if (!n_rsp || n < 0 || (n && (!req || !rsp)))
		return refuse(EINVAL, "requests or responses are NULL");
	if (tc > DSCP_MAX)
		return refuse(EINVAL, "DSCP %u is out of range", tc);
	if (op > MRC_CTL_EP_OP_PORT_STATUS_UPDATE)
		return refuse(EINVAL, "operation %d is unknown", op);
	for (i = 0; i < n && !ret; i++)
		ret = req_check(&req[i]);
	return ret;
}

EXPORT
int mrc_ctl_ep_batch_send_wait(struct mrc_context *mrc_ctx, uint8_t req_tc,
			       enum mrc_ctl_ep_op_type op_type,
			       struct mrc_ctl_ep_req *req, int num_req,
			       uint32_t rsp_timeout,
			       struct mrc_ctl_ep_rsp *rsp, int *num_rsp)
{
	struct batch b = {
		.tclass = req_tc << DSCP_SHIFT,
		.op = op_type == MRC_CTL_EP_OP_EV_PROBE ?
		      MRC_PROBE_OP_EV_PROBE : MRC_PROBE_OP_PORT_STATUS,
		.timeout = rsp_timeout,
		.req = req,
		.n = num_req,
		.rsp = rsp,
	};
	int ret;

	if (batch_check(req_tc, op_type, req, num_req, rsp, num_rsp))
		return -1;
	*num_rsp = 0;
	if (!rsp_timeout)
		return minus_one(refuse(EINVAL, "rsp_timeout is 0"));
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT))
		return minus_one(refuse(EINVAL, "not a context"));
	ret = batch_run(&b, context_verbs(mrc_ctx));
	*num_rsp = b.n_rsp;
	batch_close(&b);
	object_drop(mrc_ctx);
	if (ret)
		errno = ret;
	return minus_one(ret);
}
