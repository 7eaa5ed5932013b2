// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: endpoint requests.
 */
#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "profile.h"

enum {
	/* While the device has too many probes under way. */
	RETRY_NS = 10 * 1000 * 1000,
	/* A traffic class is a DSCP and two bits of ECN. */
	DSCP_SHIFT = 2,
	DSCP_MAX = 63,
	SID_LEN = 16,
};

#define NS_PER_S 1000000000ull

/**
 * struct batch - requests, and where the responses go
 * @g: connection
 * @tclass: traffic class
 * @op: enum mrc_probe_op
 * @req: requests
 * @n: number of requests
 * @rsp: responses
 * @n_rsp: number of responses
 * @deadline: end of the waiting, CLOCK_MONOTONIC in ns
 * @first: first request of the round that is under way
 * @done: its last message has arrived
 */
struct batch {
	struct genl *g;
	uint8_t tclass;
	enum mrc_probe_op op;
	const struct mrc_ctl_ep_req *req;
	int n;
	struct mrc_ctl_ep_rsp *rsp;
	int n_rsp;
	uint64_t deadline;
	int first;
	bool done;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

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
	const struct mrc_ctl_ep_req *req = b->req + b->first;
	int n = 1, max = b->n - b->first;

	if (max > MRC_PROBES_MAX)
		max = MRC_PROBES_MAX;
	while (n < max && (b->op != MRC_PROBE_OP_PORT_STATUS ||
			   kernel_ports(req + n) == kernel_ports(req)))
		n++;
	return n;
}

static struct nlmsghdr *round_request(const struct batch *b, int n,
				      uint64_t timeout)
{
	const struct mrc_ctl_ep_req *req = b->req + b->first;
	struct nlmsghdr *nlh = genl_begin(b->g, MRC_CMD_PROBE, false,
					  MRC_A_PROBE_DEV);
	int i;

	mnl_attr_put_u64(nlh, MRC_A_PROBE_TIMEOUT_NS, timeout);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_TCLASS, b->tclass);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_OP, b->op);
	if (b->op == MRC_PROBE_OP_PORT_STATUS)
		mnl_attr_put_u32(nlh, MRC_A_PROBE_PORTS, kernel_ports(req));
	for (i = 0; i < n; i++)
		put_target(nlh, req + i);
	return nlh;
}

/* --- responses ------------------------------------------------------------- */

static void take_result(struct batch *b, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PROBE_PATH_INDEX + 1];
	uint32_t index;

	genl_nest(nest, tb, MRC_A_PROBE_PATH_INDEX);
	index = b->first + genl_u32(tb[MRC_A_PROBE_PATH_INDEX]);
	if (genl_u32(tb[MRC_A_PROBE_PATH_RESULT]) != MRC_PROBE_RESULT_ANSWERED ||
	    index >= (uint32_t)b->n || b->n_rsp == b->n)
		return;
	b->rsp[b->n_rsp++] = (struct mrc_ctl_ep_rsp){
		.req_id = b->req[index].req_id,
		.port = genl_u32(tb[MRC_A_PROBE_PATH_RX_PORT]),
		.rtt = genl_u32(tb[MRC_A_PROBE_PATH_RTT]),
		.adj_svc_time = !!tb[MRC_A_PROBE_PATH_ADJUSTED],
	};
}

static int on_probe(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct batch *b = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_PATH)
			take_result(b, attr);
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_DONE)
			b->done = true;
	}
	return MNL_CB_OK;
}

/* The results follow the acknowledgment of the request. */
static int round_wait(struct batch *b)
{
	int ret = 0;

	while (!b->done && (!ret || ret == EINTR))
		ret = genl_receive(b->g, on_probe, b);
	return ret && !b->done ? refuse(EIO, "results were lost") : 0;
}

/* Start the requests from @first on: 0, EBUSY if it has to be tried again. */
static int round_send(struct batch *b, int n)
{
	uint64_t now = now_ns();
	int ret;

	if (now >= b->deadline)
		return refuse(ETIMEDOUT, "%d requests are not sent", b->n - b->first);
	b->done = false;
	ret = genl_talk(b->g, round_request(b, n, b->deadline - now), on_probe, b);
	return ret ? ret : round_wait(b);
}

static int batch_run(struct batch *b)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int n, ret = 0;

	while (b->first < b->n && (!ret || ret == EBUSY)) {
		if (ret)
			nanosleep(&pause, NULL);
		n = round_size(b);
		ret = round_send(b, n);
		if (!ret)
			b->first += n;
	}
	if (!ret && b->n_rsp < b->n)
		ret = refuse(ETIMEDOUT, "%d of %d responses", b->n_rsp, b->n);
	return ret;
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
	/* A connection of its own: others need not wait for responses. */
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT))
		return minus_one(refuse(EINVAL, "not a context"));
	b.g = genl_open(context_verbs(mrc_ctx));
	ret = b.g ? 0 : errno;
	if (!ret) {
		b.deadline = now_ns() + rsp_timeout;
		ret = batch_run(&b);
		*num_rsp = b.n_rsp;
	}
	genl_close(b.g);
	object_drop(mrc_ctx);
	errno = ret ? ret : errno;
	return minus_one(ret);
}
