// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that posting refuses, and queues around such refusals.
 */
#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <string.h>

#include "verbs_errors.h"

#define MSG_LEN	256

static void post_in_state(struct pair *p, const char *state, int send,
			  int recv)
{
	struct ibv_send_wr wr, *bad_send_wr = NULL;
	struct ibv_recv_wr rwr = {}, *bad_recv_wr = NULL;
	struct ibv_sge sge;
	int ret;

	end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	ret = ibv_post_send(p->a.qp, &wr, &bad_send_wr);
	tap_ok(ret == send && (!ret || bad_send_wr == &wr),
	       "post_send in %s: %s", state, send ? strerror(send) : "posted");
	ret = ibv_post_recv(p->a.qp, &rwr, &bad_recv_wr);
	tap_ok(ret == recv && (!ret || bad_recv_wr == &rwr),
	       "post_recv in %s: %s", state, recv ? strerror(recv) : "posted");
}

static void wrong_states(void)
{
	struct ibv_qp_attr attr;
	struct pair p;
	int mask;

	if (pair_alloc(&p, NULL)) {
		tap_ok(false, "post in states: setup");
		goto out;
	}
	post_in_state(&p, "RESET", EINVAL, EINVAL);
	rc_init(p.a.dev, p.a.qp, &p.params);
	post_in_state(&p, "INIT", EINVAL, 0);
	rc_attr_rtr(p.a.dev, &p.params, &p.b.addr, &attr, &mask);
	ibv_modify_qp(p.a.qp, &attr, mask);
	post_in_state(&p, "RTR", EINVAL, 0);
out:
	pair_destroy(&p);
}

struct post_case {
	const char *name;
	void (*spoil)(struct ibv_send_wr *wr);
	int error;
};

static void too_many_sges(struct ibv_send_wr *wr)
{
	/* More than the stride of any ring holds, not only above max_send_sge. */
	wr->num_sge = 255;
}

static void negative_sges(struct ibv_send_wr *wr)
{
	wr->num_sge = -1;
}

static void unknown_opcode(struct ibv_send_wr *wr)
{
	wr->opcode = 77;
}

static void negative_opcode(struct ibv_send_wr *wr)
{
	wr->opcode = -1;
}

static void bind_opcode(struct ibv_send_wr *wr)
{
	wr->opcode = IBV_WR_BIND_MW;
}

static void unknown_flag(struct ibv_send_wr *wr)
{
	wr->send_flags |= 1 << 20;
}

static void long_inline(struct ibv_send_wr *wr)
{
	wr->send_flags |= IBV_SEND_INLINE;
	wr->sg_list->length = PAIR_BUF_LEN;
}

static const struct post_case post_cases[] = {
	{ "255 elements", too_many_sges, EINVAL },
	{ "-1 elements", negative_sges, EINVAL },
	{ "unknown opcode", unknown_opcode, EINVAL },
	{ "negative opcode", negative_opcode, EINVAL },
	{ "IBV_WR_BIND_MW without a memory window", bind_opcode, EINVAL },
	{ "unknown flag", unknown_flag, EINVAL },
	{ "too much inline data", long_inline, EINVAL },
};

/* The second of three is invalid: the first is posted, the others are not. */
static void run_case(struct pair *p, const struct post_case *c)
{
	struct ibv_send_wr wr[3], *bad_wr = NULL;
	struct ibv_sge sge[3];
	struct ibv_wc wc;
	int i, ret;

	for (i = 0; i < 3; i++) {
		end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr[i], &sge[i]);
		wr[i].wr_id = i;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	c->spoil(&wr[1]);
	ret = ibv_post_send(p->a.qp, wr, &bad_wr);
	tap_ok(ret == c->error, "post_send with %s: %s", c->name,
	       strerror(c->error));
	tap_ok(bad_wr == &wr[1],
	       "post_send with %s: bad_wr is the invalid request", c->name);
	wait_wc(p->a.scq, &wc);
	tap_ok(wc.status == IBV_WC_SUCCESS && wc.wr_id == 0,
	       "post_send with %s: the request before it is executed", c->name);
	tap_ok(!ibv_poll_cq(p->a.scq, 1, &wc),
	       "post_send with %s: requests after it are not executed",
	       c->name);
}

static void refused_posts(void)
{
	struct ibv_recv_wr rwr = { .num_sge = 255 }, *bad_wr = NULL;
	struct pair p;
	size_t i;

	if (!pair_ready(&p, "refused posts", NULL))
		return;
	for (i = 0; i < sizeof(post_cases) / sizeof(*post_cases); i++)
		run_case(&p, &post_cases[i]);
	tap_ok(ibv_post_recv(p.a.qp, &rwr, &bad_wr) == EINVAL &&
	       bad_wr == &rwr, "post_recv with 255 elements: %s",
	       strerror(EINVAL));
	pair_destroy(&p);
}

/* The responder has posted no receive, so SENDs stay in the send queue. */
static void full_queues(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	uint32_t i;
	struct pair p;
	int ret = 0;

	if (!pair_ready(&p, "full queues", NULL))
		return;
	ibv_query_qp(p.a.qp, &attr, IBV_QP_CAP, &init);
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	for (i = 0; i < init.cap.max_send_wr && !ret; i++)
		ret = end_post(&p.a, &wr);
	tap_ok(!ret, "max_send_wr (%u) sends can be posted",
	       init.cap.max_send_wr);
	tap_ok(end_post(&p.a, &wr) == ENOMEM,
	       "one send more than max_send_wr: %s", strerror(ENOMEM));
	for (i = 0, ret = 0; i < init.cap.max_recv_wr && !ret; i++)
		ret = end_recv(&p.a, i, 0, MSG_LEN);
	tap_ok(!ret, "max_recv_wr (%u) receives can be posted",
	       init.cap.max_recv_wr);
	tap_ok(end_recv(&p.a, i, 0, MSG_LEN) == ENOMEM,
	       "one receive more than max_recv_wr: %s", strerror(ENOMEM));
	pair_destroy(&p);
}

/* A QP that has been in RESET starts anew, without old completions. */
static void reset_and_reuse(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair p;
	int i;

	if (!pair_ready(&p, "reset", NULL))
		return;
	for (i = 0; i < PAIR_DEPTH; i++)
		end_recv(&p.a, 100 + i, 0, MSG_LEN);
	end_wr(&p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	tap_ok(!ibv_modify_qp(p.a.qp, &attr, IBV_QP_STATE) &&
	       !ibv_modify_qp(p.b.qp, &attr, IBV_QP_STATE), "RTS to RESET");
	tap_ok(!ibv_poll_cq(p.a.scq, 1, &wc) && !ibv_poll_cq(p.a.rcq, 1, &wc),
	       "RESET removes the QP's completions from its CQs");
	if (tap_ok(!pair_connect(&p), "RESET to RTS after RTS to RESET")) {
		end_recv(&p.b, 5, MSG_LEN, MSG_LEN);
		end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
		wr.wr_id = 6;
		tap_ok(!end_post(&p.a, &wr) && wait_wc(p.a.scq, &wc) &&
		       !wc.status && wc.wr_id == 6,
		       "a SEND after RESET and reconnection succeeds");
		tap_ok(wait_wc(p.b.rcq, &wc) && !wc.status && wc.wr_id == 5,
		       "a receive after RESET and reconnection succeeds");
	}
	pair_destroy(&p);
}

/* Completions of a destroyed QP are removed, those of another QP in the CQ stay. */
static void purge_on_destroy(void)
{
	struct ibv_qp_init_attr init = {
		.cap.max_recv_wr = 4,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };
	struct ibv_recv_wr *bad, rwr = { .wr_id = 900 };
	struct ibv_wc wc;
	struct ibv_qp *other;
	struct pair p;
	int i, n = 0;

	if (!pair_ready(&p, "purge", NULL))
		return;
	init.send_cq = p.a.rcq;
	init.recv_cq = p.a.rcq;
	other = ibv_create_qp(p.a.dev->pd, &init);
	if (!tap_ok(other, "create a second QP on a CQ"))
		goto out;
	rc_init(p.a.dev, other, &p.params);
	for (i = 0; i < 4; i++)
		ibv_post_recv(other, &rwr, &bad);
	end_recv(&p.a, 1, 0, MSG_LEN);
	ibv_modify_qp(other, &err, IBV_QP_STATE);
	ibv_modify_qp(p.a.qp, &err, IBV_QP_STATE);
	tap_ok(!ibv_destroy_qp(other),
	       "destroy a QP whose completions have not been polled");
	while (wait_wc(p.a.rcq, &wc) && wc.wr_id == 900)
		n++;
	tap_ok(!n && wc.wr_id == 1 && wc.qp_num == p.a.qp->qp_num,
	       "a destroyed QP leaves the completions of the other QP only");
out:
	pair_destroy(&p);
}

static bool channel_fires(struct ibv_comp_channel *channel, int ms)
{
	struct pollfd pfd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&pfd, 1, ms) != 1 ||
	    ibv_get_cq_event(channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* The event of a message, if any, precedes its completion. */
static void solicited_events(void)
{
	struct pair_opts opts = {};
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair p;

	opts.channel = ibv_create_comp_channel(pair_dev[1].ctx);
	if (!opts.channel || pair_create(&p, &opts)) {
		tap_ok(false, "solicited events: setup");
		return;
	}
	end_recv(&p.b, 1, MSG_LEN, MSG_LEN);
	end_recv(&p.b, 2, MSG_LEN, MSG_LEN);
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	tap_ok(!ibv_req_notify_cq(p.b.rcq, 1),
	       "ibv_req_notify_cq, solicited only");
	end_post(&p.a, &wr);
	tap_ok(wait_wc(p.b.rcq, &wc) && !channel_fires(opts.channel, 0),
	       "no event for an unsolicited message");
	wr.send_flags |= IBV_SEND_SOLICITED;
	end_post(&p.a, &wr);
	tap_ok(channel_fires(opts.channel, PAIR_WAIT_MS) &&
	       wait_wc(p.b.rcq, &wc), "event for a solicited message");
	pair_destroy(&p);
	ibv_destroy_comp_channel(opts.channel);
}

static void sig_all(void)
{
	struct pair_opts opts = { .sq_sig_all = true };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;

	if (pair_create(&p, &opts)) {
		tap_ok(false, "sq_sig_all: setup");
		goto out;
	}
	end_wr(&p, IBV_WR_RDMA_WRITE, 0, &wr, &sge);
	wr.send_flags = 0;
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, IBV_WC_SUCCESS,
		  "sq_sig_all: WRITE of no bytes, without IBV_SEND_SIGNALED");
	wr.num_sge = 0;
	wr.send_flags = IBV_SEND_FENCE;
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, IBV_WC_SUCCESS, "WRITE of no elements, fenced");
out:
	pair_destroy(&p);
}

/* Polls all completions; counts flushed receives that are in order. */
static int read_extended(struct ibv_cq_ex *cq, uint32_t qpn, uint64_t *next,
			 uint64_t *last)
{
	struct ibv_poll_cq_attr attr = {};
	int ret, good = 0;
	uint64_t ts;

	ret = ibv_start_poll(cq, &attr);
	if (ret)
		return 0;
	for (; !ret; ret = ibv_next_poll(cq)) {
		ts = ibv_wc_read_completion_ts(cq);
		good += cq->wr_id == (*next)++ && ts >= *last &&
			cq->status == IBV_WC_WR_FLUSH_ERR &&
			ibv_wc_read_qp_num(cq) == qpn;
		*last = ts;
	}
	ibv_end_poll(cq);
	return ret == ENOENT ? good : 0;
}

static void check_extended(struct ibv_cq_ex *cq, uint32_t qpn, uint64_t n,
			   uint64_t start)
{
	struct ibv_values_ex now = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	uint64_t next = 0, last = 0, good = 0, clock;
	int ret;

	while (next < n && rc_now_ns() - start < PAIR_WAIT_MS * NS_PER_MS)
		good += read_extended(cq, qpn, &next, &last);
	tap_ok(next == n && good == n,
	       "extended CQ: flushed receives in order, time stamps ascending");
	ret = ibv_query_rt_values_ex(cq->context, &now);
	clock = now.raw_clock.tv_sec * NS_PER_S + now.raw_clock.tv_nsec;
	tap_ok(!ret && last >= start && last <= clock,
	       "extended CQ: time stamps lie between start and raw clock");
}

static void extended_cq(void)
{
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_STANDARD_FLAGS |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_qp_init_attr init = {
		.cap.max_recv_wr = 4,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };
	struct ibv_recv_wr *bad, rwr = {};
	struct rc_dev *dev = &pair_dev[0];
	uint64_t start = rc_now_ns();
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;

	cq = ibv_create_cq_ex(dev->ctx, &cq_attr);
	if (!tap_ok(cq, "create an extended CQ with time stamps"))
		return;
	init.send_cq = ibv_cq_ex_to_cq(cq);
	init.recv_cq = init.send_cq;
	qp = ibv_create_qp(dev->pd, &init);
	if (tap_ok(qp, "create a QP with an extended CQ")) {
		rc_init(dev, qp, &rc_defaults);
		for (; rwr.wr_id < 4; rwr.wr_id++)
			ibv_post_recv(qp, &rwr, &bad);
		ibv_modify_qp(qp, &err, IBV_QP_STATE);
		check_extended(cq, qp->qp_num, 4, start);
		ibv_destroy_qp(qp);
	}
	tap_ok(!ibv_destroy_cq(init.send_cq), "destroy extended CQ");
}

/**
 * bad_post - tests: requests that posting refuses, and queues around them
 */
void bad_post(void)
{
	wrong_states();
	refused_posts();
	full_queues();
	reset_and_reuse();
	purge_on_destroy();
	solicited_events();
	extended_cq();
	sig_all();
}
