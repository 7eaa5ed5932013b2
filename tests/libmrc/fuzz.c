// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random calls of all functions of libmrc by several threads, on the device of fake/:
 * null pointers, stale and wrong objects, objects of other contexts, masks and numbers
 * of all kinds, replies of the path manager of all kinds.
 *
 *	fuzz CALLS THREADS SEED
 *
 * Built with sanitizers, which end the program when a call does what it must not.
 * Each call returns what its manual says, with an errno that the manual names.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mrc_ctl.h>

#include "fake/fake.h"

enum { KINDS = 4, SLOTS = 8, CONTEXTS = 2, FUNCTIONS = 41, ENTRIES = 300, WRS = 4 };

static struct ibv_context *verbs[2];
static struct ibv_pd pds[2];
/* Objects by kind, the latest of each. */
enum kind { CHANNEL, CQ, HINT, QP };

static void *_Atomic slot[KINDS][SLOTS];
static struct mrc_context *_Atomic context[CONTEXTS];

static _Atomic uint64_t called[FUNCTIONS], succeeded[FUNCTIONS];

/* --- random values ---------------------------------------------------------- */

/**
 * struct state - state of a thread
 * @seed: of its random numbers
 */
struct state {
	uint64_t seed;
	uint64_t calls;
	struct ibv_send_wr send[WRS];
	struct ibv_recv_wr recv[WRS];
	struct ibv_sge sge[2];
	struct ibv_wc wc[8];
	struct mrc_qp_attr qp;
	struct ibv_qp_attr vqp;
	struct mrc_ctl_ev_op_entry entry[ENTRIES];
	struct mrc_ctl_ev_field field[ENTRIES];
	struct mrc_ctl_ev_fmt_field fmt_field[ENTRIES];
	struct mrc_ctl_ep_req req[ENTRIES];
	struct mrc_ctl_ep_rsp rsp[ENTRIES];
	struct mrc_ctl_ev_event event[ENTRIES];
};

static uint32_t dice(struct state *s, uint32_t n)
{
	s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (s->seed >> 33) % n;
}

static void fill(struct state *s, void *to, size_t n)
{
	uint8_t *bytes = to;

	if (!dice(s, 3)) {
		memset(to, 0, n);
		return;
	}
	while (n--)
		*bytes++ = dice(s, 8) ? dice(s, 4) : dice(s, 256);
}

static int mask(struct state *s, int bits)
{
	switch (dice(s, 6)) {
	case 0:
		return 0;
	case 1:
		return s->seed >> 16;
	case 2:
		return 1u << dice(s, 32);
	default:
		return (s->seed >> 16) & ((1u << bits) - 1) &
		       (dice(s, 2) ? ~0u : s->seed >> 40);
	}
}

static int number(struct state *s)
{
	switch (dice(s, 8)) {
	case 0:
		return -1;
	case 1:
		return s->seed >> 16;
	default:
		return dice(s, 20);
	}
}

/* Mostly one of that kind; sometimes another, NULL, or memory that is none. */
static void *object(struct state *s, enum kind kind)
{
	switch (dice(s, 30)) {
	case 0:
		return NULL;
	case 1:
		return s->wc;
	case 2:
		return (char *)slot[kind][dice(s, SLOTS)] + 8;
	case 3:
		return context[dice(s, CONTEXTS)];
	case 4:
		return slot[dice(s, KINDS)][dice(s, SLOTS)];
	default:
		return slot[kind][dice(s, SLOTS)];
	}
}

static struct mrc_context *ctx(struct state *s)
{
	return dice(s, 16) ? context[dice(s, CONTEXTS)] : object(s, QP);
}

static struct ibv_context *vctx(struct state *s)
{
	return dice(s, 16) ? verbs[dice(s, 2)] : NULL;
}

static struct mrc_context *context_at(int i)
{
	return context[i];
}

static void *maybe(struct state *s, void *p)
{
	return dice(s, 16) ? p : NULL;
}

static bool keep(struct state *s, enum kind kind, void *obj)
{
	if (obj)
		slot[kind][dice(s, SLOTS)] = obj;
	return obj;
}

/* --- verdicts ---------------------------------------------------------------- */

static const int errors[] = {
	E2BIG, EAGAIN, EBUSY, EINTR, EINVAL, EIO, ENOENT, ENOMEM, EOPNOTSUPP,
	EPERM, ETIMEDOUT,
};

static void expect_documented(int err, const char *what)
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (err == errors[i])
			return;
	fprintf(stderr, "%s: errno %d is not documented\n", what, err);
	abort();
}

static bool pointer(struct state *s, enum kind kind, void *obj, const char *what)
{
	if (!obj)
		expect_documented(errno, what);
	return keep(s, kind, obj);
}

static bool minus(int ret, const char *what)
{
	if (ret < 0 && ret != -1)
		abort();
	if (ret < 0)
		expect_documented(errno, what);
	return ret >= 0;
}

static bool positive(int ret, const char *what)
{
	if (ret)
		expect_documented(ret, what);
	if (ret && ret != errno)
		abort();
	return !ret;
}

/* --- application API ---------------------------------------------------------- */

static bool f_query_device(struct state *s)
{
	struct mrc_device_attr attr;
	int supported;

	return minus(mrc_query_device(vctx(s), maybe(s, &attr),
				      maybe(s, &supported)), __func__);
}

static bool f_query_device_ex(struct state *s)
{
	struct mrc_device_attr attr;
	int supported;

	return minus(mrc_query_device_ex(vctx(s), ctx(s), maybe(s, &attr),
					 maybe(s, &supported)), __func__);
}

static bool f_query_version(struct state *s)
{
	uint32_t v[4];

	mrc_query_version(maybe(s, v), maybe(s, v + 1), maybe(s, v + 2),
			  maybe(s, v + 3));
	return true;
}

/* Another thread may use a stale pointer to it at this moment. */
static bool discard(struct mrc_context *c)
{
	while (mrc_destroy_context(c))
		if (errno != EBUSY)
			return false;
	return true;
}

static bool f_create_context(struct state *s)
{
	uint32_t i = dice(s, CONTEXTS);
	struct mrc_context_attr attr = {
		.mrc_api_version_used = dice(s, 3) ? 0 : number(s),
		.mrc_vendor_api_version_used = dice(s, 3) ? 0 : number(s),
	};
	struct mrc_context *new, *old;

	new = mrc_create_context(vctx(s), maybe(s, &attr));
	if (!new) {
		expect_documented(errno, __func__);
		return false;
	}
	/* One that is in use stays: leaving it would lose its memory. */
	old = context[i];
	if (old && dice(s, 30))
		return discard(new);
	if (old && mrc_destroy_context(old) && errno == EBUSY)
		return discard(new);
	if (!atomic_compare_exchange_strong(&context[i], &old, new))
		return discard(new);
	return true;
}

static bool f_destroy_context(struct state *s)
{
	/* Seldom, so that there are objects. */
	return minus(mrc_destroy_context(dice(s, 30) ? object(s, QP) : ctx(s)),
		     __func__);
}

static bool f_create_comp_channel(struct state *s)
{
	struct mrc_comp_channel *ch;
	int fd, ret;

	ret = mrc_create_comp_channel(ctx(s), maybe(s, &ch));
	if (!positive(ret, __func__))
		return false;
	if (!mrc_get_comp_channel_fd(ch, &fd))
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return keep(s, CHANNEL, ch);
}

static bool f_get_comp_channel_fd(struct state *s)
{
	int fd;

	return minus(mrc_get_comp_channel_fd(object(s, CHANNEL), maybe(s, &fd)), __func__);
}

static bool f_destroy_comp_channel(struct state *s)
{
	return positive(mrc_destroy_comp_channel(object(s, CHANNEL)), __func__);
}

static bool f_create_cq(struct state *s)
{
	void *channel = dice(s, 2) ? NULL : object(s, CHANNEL);

	return pointer(s, CQ, mrc_create_cq(ctx(s), number(s), s, channel,
					dice(s, 3)), __func__);
}

static bool f_poll_cq(struct state *s)
{
	return minus(mrc_poll_cq(object(s, CQ), (int)dice(s, 10) - 1 > 8 ? 8 :
				 (int)dice(s, 9) - 1, maybe(s, s->wc)), __func__);
}

static bool f_destroy_cq(struct state *s)
{
	return positive(mrc_destroy_cq(object(s, CQ)), __func__);
}

static bool f_create_qp_hint(struct state *s)
{
	struct mrc_qp_hint_init_attr init;

	fill(s, &init, sizeof(init));
	return pointer(s, HINT, mrc_create_qp_hint(ctx(s), maybe(s, &init)), __func__);
}

static bool f_destroy_qp_hint(struct state *s)
{
	return minus(mrc_destroy_qp_hint(object(s, HINT)), __func__);
}

static bool f_query_qp_hint(struct state *s)
{
	struct mrc_qp_hint_attr attr;

	return minus(mrc_query_qp_hint(object(s, HINT), maybe(s, &attr), mask(s, 3)),
		     __func__);
}

static bool f_modify_qp_hint(struct state *s)
{
	struct mrc_qp_hint_attr attr;

	fill(s, &attr, sizeof(attr));
	return minus(mrc_modify_qp_hint(object(s, HINT), maybe(s, &attr), mask(s, 3)),
		     __func__);
}

static bool f_create_qp(struct state *s)
{
	struct mrc_qp_init_attr attr = {
		.send_cq = object(s, CQ), .recv_cq = object(s, CQ),
		.cap = { .max_send_wr = dice(s, 8), .max_recv_wr = dice(s, 8) },
		.pd = maybe(s, &pds[dice(s, 2)]),
		.send_ops_flags = dice(s, 4) ? 0 : 1 << dice(s, 12),
		.protocol_version = dice(s, 8) ? (int)dice(s, 2) : number(s),
	};

	if (dice(s, 4))
		attr.recv_cq = attr.send_cq;
	return pointer(s, QP, mrc_create_qp(ctx(s), maybe(s, &attr)), __func__);
}

static bool f_destroy_qp(struct state *s)
{
	return positive(mrc_destroy_qp(object(s, QP)), __func__);
}

static bool f_query_qp(struct state *s)
{
	struct mrc_qp_init_attr init;

	return positive(mrc_query_qp(object(s, QP), maybe(s, &s->vqp), mask(s, 21),
				     maybe(s, &s->qp), mask(s, 10),
				     dice(s, 2) ? &init : NULL), __func__);
}

static bool f_modify_qp(struct state *s)
{
	fill(s, &s->qp, sizeof(s->qp));
	fill(s, &s->vqp, sizeof(s->vqp));
	s->vqp.qp_state = dice(s, 8);
	s->qp.qp_hint = object(s, HINT);
	return positive(mrc_modify_qp(object(s, QP), maybe(s, &s->vqp), mask(s, 21),
				      maybe(s, &s->qp), mask(s, 10)), __func__);
}

static bool f_connect_qp(struct state *s)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE }, *bad;
	struct ibv_qp_attr v = { .dest_qp_num = 5 };
	struct mrc_qp *qp = object(s, QP);
	struct mrc_qp_init_attr init;
	int ret = 0;

	v.qp_state = IBV_QPS_RESET;
	mrc_modify_qp(qp, &v, IBV_QP_STATE, NULL, 0);
	v.qp_state = IBV_QPS_INIT;
	ret = mrc_modify_qp(qp, &v, IBV_QP_STATE, NULL, 0);
	v.qp_state = IBV_QPS_RTR;
	if (!ret)
		ret = mrc_modify_qp(qp, &v, IBV_QP_STATE | IBV_QP_AV |
				    IBV_QP_DEST_QPN, NULL, 0);
	v.qp_state = IBV_QPS_RTS;
	if (!ret)
		ret = mrc_modify_qp(qp, &v, IBV_QP_STATE, NULL, 0);
	/* A completion, and an event of it if there is a channel. */
	if (!ret && !mrc_query_qp(qp, NULL, 0, NULL, 0, &init)) {
		mrc_req_notify_cq(init.send_cq, 0);
		mrc_post_send(qp, &wr, &bad);
	}
	return positive(ret, __func__);
}

static bool f_get_qpn(struct state *s)
{
	uint32_t qpn;

	return minus(mrc_get_qpn(object(s, QP), maybe(s, &qpn)), __func__);
}

static bool f_post_recv(struct state *s)
{
	struct ibv_recv_wr *bad;
	int i;

	for (i = 0; i < WRS; i++)
		s->recv[i] = (struct ibv_recv_wr){
			.next = dice(s, 2) ? &s->recv[dice(s, WRS)] : NULL,
			.sg_list = maybe(s, s->sge), .num_sge = (int)dice(s, 4) - 1,
		};
	for (i = 0; i < WRS; i++)
		if (s->recv[i].num_sge > 2)
			s->recv[i].num_sge = 2;
	return minus(mrc_post_recv(object(s, QP), maybe(s, s->recv), maybe(s, &bad)),
		     __func__);
}

static bool f_post_send(struct state *s)
{
	struct ibv_send_wr *bad;
	int i;

	for (i = 0; i < WRS; i++)
		s->send[i] = (struct ibv_send_wr){
			.next = dice(s, 2) && i < WRS - 1 ? &s->send[i + 1] : NULL,
			.sg_list = maybe(s, s->sge), .num_sge = (int)dice(s, 4) - 1,
			.opcode = dice(s, 8) ? dice(s, 2) : dice(s, 20),
		};
	for (i = 0; i < WRS; i++)
		if (s->send[i].num_sge > 2)
			s->send[i].num_sge = 2;
	return positive(mrc_post_send(object(s, QP), maybe(s, s->send),
				      maybe(s, &bad)), __func__);
}

static bool f_get_async_event(struct state *s)
{
	struct mrc_async_event event;
	bool ok;

	if (!dice(s, 2))
		fake_async_event(verbs[dice(s, 2)], IBV_EVENT_PORT_ERR, (void *)1);
	ok = minus(mrc_get_async_event(ctx(s), maybe(s, &event)), __func__);
	if (ok)
		mrc_ack_async_event(&event);
	return ok;
}

static bool f_ack_async_event(struct state *s)
{
	struct mrc_async_event event = {
		.element.qp = object(s, QP), .event_type = dice(s, 22),
	};

	mrc_ack_async_event(maybe(s, &event));
	return true;
}

static bool f_req_notify_cq(struct state *s)
{
	return positive(mrc_req_notify_cq(object(s, CQ), dice(s, 2)), __func__);
}

/* Make a channel report a completion: all by its own objects, which remain. */
static void event_once(struct state *s, struct mrc_comp_channel *channel)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE }, *bad;
	struct ibv_qp_attr v = { .dest_qp_num = 5 };
	struct mrc_qp_init_attr init = { .cap.max_send_wr = 4 };
	const int rtr = IBV_QP_AV | IBV_QP_DEST_QPN;
	struct mrc_cq *cq = NULL;
	struct mrc_qp *qp = NULL;
	void *context;
	int fd, i, pd, state;

	for (i = 0; i < CONTEXTS && !cq; i++) {
		cq = mrc_create_cq(context_at(i), 8, s, channel, 0);
		init.send_cq = cq;
		init.recv_cq = cq;
		for (pd = 0; pd < 2 && cq && !qp; pd++) {
			init.pd = &pds[pd];
			qp = mrc_create_qp(context_at(i), &init);
		}
	}
	if (!mrc_get_comp_channel_fd(channel, &fd))
		fcntl(fd, F_SETFL, O_NONBLOCK);
	for (state = IBV_QPS_INIT; qp && state <= IBV_QPS_RTS; state++) {
		v.qp_state = state;
		mrc_modify_qp(qp, &v, IBV_QP_STATE | (state == IBV_QPS_RTR ? rtr : 0),
			      NULL, 0);
	}
	if (qp && !mrc_req_notify_cq(cq, 0) && !mrc_post_send(qp, &wr, &bad) &&
	    !mrc_get_cq_event(channel, &cq, &context))
		mrc_ack_cq_events(cq, 1);
	/* One more, for the caller. */
	if (qp && !mrc_req_notify_cq(cq, 0))
		mrc_post_send(qp, &wr, &bad);
	slot[CHANNEL][0] = channel;
}

static bool f_get_cq_event(struct state *s)
{
	struct mrc_comp_channel *channel;
	struct mrc_cq *cq;
	void *context;
	bool ok;

	/* A channel of a queue pair that has just completed a request, if chance helps. */
	if (dice(s, 2) && !mrc_create_comp_channel(ctx(s), &channel)) {
		event_once(s, channel);
		keep(s, CHANNEL, channel);
	}
	ok = minus(mrc_get_cq_event(dice(s, 2) ? slot[CHANNEL][0] :
				    object(s, CHANNEL), maybe(s, &cq),
				    maybe(s, &context)),
		   __func__);
	if (ok)
		mrc_ack_cq_events(cq, 1);
	return ok;
}

static bool f_ack_cq_events(struct state *s)
{
	/* Of events that another thread has received and will acknowledge: none. */
	mrc_ack_cq_events(object(s, CQ), dice(s, 2) ? 0 : 100000);
	return true;
}

/* --- controller API ------------------------------------------------------------ */

static bool f_ctl_query_device(struct state *s)
{
	struct mrc_ctl_device_attr attr;

	return minus(mrc_ctl_query_device(vctx(s), maybe(s, &attr)), __func__);
}

static bool f_ctl_query_device_ex(struct state *s)
{
	struct mrc_ctl_device_attr attr;
	int supported;

	return minus(mrc_ctl_query_device_ex(vctx(s), ctx(s), maybe(s, &attr),
					     maybe(s, &supported)), __func__);
}

static bool f_ctl_query_version(struct state *s)
{
	uint32_t v[4];

	mrc_ctl_query_version(maybe(s, v), maybe(s, v + 1), maybe(s, v + 2),
			      maybe(s, v + 3));
	return true;
}

static bool f_ctl_query_port(struct state *s)
{
	struct mrc_ctl_port_attr attr;

	return minus(mrc_ctl_query_port(ctx(s), dice(s, 40), maybe(s, &attr),
					mask(s, 1)), __func__);
}

static bool f_ctl_modify_port(struct state *s)
{
	struct mrc_ctl_port_attr attr = { .port_admin_state = number(s) };

	return minus(mrc_ctl_modify_port(ctx(s), dice(s, 40), maybe(s, &attr),
					 mask(s, 1)), __func__);
}

static void fill_fmt(struct state *s, struct mrc_ctl_ev_fmt_profile_attr *attr)
{
	fill(s, attr, sizeof(*attr));
	fill(s, s->fmt_field, sizeof(s->fmt_field));
	attr->profile_state = dice(s, 4);
	attr->ev_fmt_mode = 1 << dice(s, 4);
	attr->ev_fmt_op.fmt_fields = maybe(s, s->fmt_field);
	attr->ev_fmt_op.fmt_field_count = (int)dice(s, 20) - 1;
}

static bool f_ctl_modify_ev_fmt_profile(struct state *s)
{
	struct mrc_ctl_ev_fmt_profile_attr attr;

	fill_fmt(s, &attr);
	return minus(mrc_ctl_modify_ev_fmt_profile(ctx(s), dice(s, 20),
						   maybe(s, &attr), mask(s, 4)),
		     __func__);
}

static bool f_ctl_query_ev_fmt_profile(struct state *s)
{
	struct mrc_ctl_ev_fmt_profile_attr attr;

	fill_fmt(s, &attr);
	return minus(mrc_ctl_query_ev_fmt_profile(ctx(s), dice(s, 20),
						  maybe(s, &attr), mask(s, 4)),
		     __func__);
}

static void fill_profile(struct state *s, struct mrc_ctl_ev_profile_attr *attr)
{
	int i;

	fill(s, attr, sizeof(*attr));
	fill(s, s->entry, sizeof(s->entry[0]) * 8);
	fill(s, s->field, sizeof(s->field[0]) * 20);
	for (i = 0; i < 8; i++)
		s->entry[i].state = dice(s, 4) ? MRC_CTL_EV_DENIED : number(s);
	attr->profile_state = dice(s, 4);
	attr->ev_mode = 1 << dice(s, 4);
	attr->ev_count = dice(s, 300);
	attr->ev_op.op = dice(s, 5);
	attr->ev_op.entries = maybe(s, s->entry);
	attr->ev_op.entry_count = dice(s, 4) ? (int)dice(s, 9) - 1 :
					       (int)dice(s, ENTRIES);
	attr->ev_fields_op.op = dice(s, 3);
	attr->ev_fields_op.fields = maybe(s, s->field);
	attr->ev_fields_op.field_count = (int)dice(s, 20) - 1;
}

static bool f_ctl_modify_ev_profile(struct state *s)
{
	struct mrc_ctl_ev_profile_attr attr;

	fill_profile(s, &attr);
	return minus(mrc_ctl_modify_ev_profile(ctx(s), dice(s, 20),
					       maybe(s, &attr), mask(s, 9)),
		     __func__);
}

static bool f_ctl_query_ev_profile(struct state *s)
{
	struct mrc_ctl_ev_profile_attr attr;

	fill_profile(s, &attr);
	return minus(mrc_ctl_query_ev_profile(ctx(s), dice(s, 20),
					      maybe(s, &attr), mask(s, 9)),
		     __func__);
}

static void fill_cc(struct state *s, struct mrc_ctl_cc_profile_attr *attr,
		    struct mrc_ctl_cc_nscc_cfg *cfg)
{
	static const char *const words[] = { NULL, "uet-1.0-nscc", "x", "" };

	fill(s, attr, sizeof(*attr));
	fill(s, cfg, sizeof(*cfg));
	attr->profile_state = dice(s, 4);
	attr->algorithm = words[dice(s, 4)];
	attr->cc_config = maybe(s, cfg);
}

static bool f_ctl_modify_cc_profile(struct state *s)
{
	struct mrc_ctl_cc_nscc_cfg cfg;
	struct mrc_ctl_cc_profile_attr attr;

	fill_cc(s, &attr, &cfg);
	return minus(mrc_ctl_modify_cc_profile(ctx(s), dice(s, 20),
					       maybe(s, &attr), mask(s, 4)),
		     __func__);
}

static bool f_ctl_query_cc_profile(struct state *s)
{
	struct mrc_ctl_cc_nscc_cfg cfg;
	struct mrc_ctl_cc_profile_attr attr;

	fill_cc(s, &attr, &cfg);
	return minus(mrc_ctl_query_cc_profile(ctx(s), dice(s, 20),
					      maybe(s, &attr), mask(s, 4)),
		     __func__);
}

static bool f_ctl_create_ev_event_cq(struct state *s)
{
	void *channel = dice(s, 2) ? NULL : object(s, CHANNEL);

	return pointer(s, CQ, mrc_ctl_create_ev_event_cq(ctx(s), number(s), s,
						     channel, dice(s, 3)),
		       __func__);
}

static bool f_ctl_poll_ev_event(struct state *s)
{
	int ret;

	ret = mrc_ctl_poll_ev_event(object(s, CQ), (int)dice(s, 9) - 1,
				    maybe(s, s->event));
	if (ret < 0)
		expect_documented(-ret, __func__);
	return ret >= 0;
}

static bool f_ctl_ep_batch_send_wait(struct state *s)
{
	int n = (int)dice(s, 6) - 1, n_rsp;

	fill(s, s->req, 4 * sizeof(s->req[0]));
	if (dice(s, 4))
		for (int i = 0; i < 4; i++)
			s->req[i].ev_fmt_mode = 1 << dice(s, 3);
	return minus(mrc_ctl_ep_batch_send_wait(ctx(s), dice(s, 70), dice(s, 3),
						maybe(s, s->req), n,
						dice(s, 2000), maybe(s, s->rsp),
						maybe(s, &n_rsp)), __func__);
}

static const struct {
	const char *name;
	bool (*call)(struct state *s);
} functions[] = {
#define F(name) { "mrc_" #name, f_##name }
	F(query_device), F(query_device_ex), F(query_version),
	F(create_context), F(destroy_context), F(create_comp_channel),
	F(get_comp_channel_fd), F(destroy_comp_channel), F(create_cq),
	F(poll_cq), F(destroy_cq), F(create_qp_hint), F(destroy_qp_hint),
	F(query_qp_hint), F(modify_qp_hint), F(create_qp), F(destroy_qp),
	F(query_qp), F(modify_qp), F(get_qpn), F(post_recv), F(post_send),
	F(get_async_event), F(ack_async_event), F(req_notify_cq),
	F(get_cq_event), F(ack_cq_events), F(ctl_query_device),
	F(ctl_query_device_ex), F(ctl_query_version), F(ctl_query_port),
	F(ctl_modify_port), F(ctl_modify_ev_fmt_profile),
	F(ctl_query_ev_fmt_profile), F(ctl_modify_ev_profile),
	F(ctl_query_ev_profile), F(ctl_modify_cc_profile),
	F(ctl_query_cc_profile), F(ctl_create_ev_event_cq),
	F(ctl_poll_ev_event), F(ctl_ep_batch_send_wait),
};

_Static_assert(sizeof(functions) / sizeof(*functions) == FUNCTIONS, "all of them");

static void *run(void *arg)
{
	struct state *s = arg;
	uint64_t n;
	uint32_t f;

	fake_netlink_seed(s->seed + 1);
	s->sge[0].length = 8;
	s->sge[1].length = 8;
	for (n = 0; n < s->calls; n++) {
		f = dice(s, FUNCTIONS);
		called[f]++;
		errno = 0;
		if (functions[f].call(s))
			succeeded[f]++;
		/* More connected queue pairs than chance would make. */
		if (!dice(s, 50))
			f_connect_qp(s);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	int threads = argc > 2 ? atoi(argv[2]) : 4, i, failures = 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	struct state *s = calloc(threads, sizeof(*s));
	pthread_t *thread = calloc(threads, sizeof(*thread));

	for (i = 0; i < 2; i++) {
		verbs[i] = fake_context();
		pds[i].context = verbs[i];
	}
	for (i = 0; i < threads; i++) {
		s[i].seed = seed * 1000 + i;
		s[i].calls = calls / threads;
		pthread_create(&thread[i], NULL, run, &s[i]);
	}
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < CONTEXTS; i++)
		if (context[i])
			discard(context[i]);
	printf("ok 1 - fuzz: %llu calls in %d threads, seed %llu\n",
	       (unsigned long long)calls, threads, (unsigned long long)seed);
	for (i = 0; i < FUNCTIONS; i++) {
		if (called[i] && succeeded[i])
			continue;
		failures++;
		printf("# %s: %llu calls, none succeeded\n", functions[i].name,
		       (unsigned long long)called[i]);
	}
	printf("%s 2 - fuzz: each of %d functions has succeeded too\n",
	       failures ? "not ok" : "ok", FUNCTIONS);
	for (i = 0; i < 2; i++)
		fake_context_free(verbs[i]);
	free(s);
	free(thread);
	return !!failures;
}
