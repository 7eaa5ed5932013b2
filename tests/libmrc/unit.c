// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Semantics of libmrc that need no kernel: transitions, arguments, stale pointers,
 * events; on the device of fake/.  Output is TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mrc_ctl.h>

#include "fake/fake.h"

static int tests, failures;

static void check(bool good, const char *name)
{
	printf("%s %d - unit: %s\n", good ? "ok" : "not ok", ++tests, name);
	failures += !good;
}

/* The call has failed with @err in errno. */
#define FAILS(call, err) (errno = 0, (call) == -1 && errno == (err))
#define GIVES(call, err) ((call) == (err) && errno == (err))
#define NO_OBJECT(call, err) (errno = 0, !(call) && errno == (err))

static struct ibv_context *verbs;
static struct ibv_pd pd;
static struct mrc_context *ctx;

static struct mrc_qp *new_qp(struct mrc_cq *cq)
{
	struct mrc_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .pd = &pd,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return mrc_create_qp(ctx, &attr);
}

static int go(struct mrc_qp *qp, enum ibv_qp_state state, int mask,
	      struct ibv_qp_attr attr)
{
	struct mrc_qp_attr mrc = {};

	attr.qp_state = state;
	return mrc_modify_qp(qp, &attr, mask | IBV_QP_STATE, &mrc, 0);
}

/* --- transitions ----------------------------------------------------------- */

static void test_states(void)
{
	struct ibv_qp_attr attr = { .port_num = 2 }, seen;
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_qp *qp = new_qp(cq);

	check(!go(qp, IBV_QPS_INIT, 0, attr) &&
	      fake_last_modify(&seen) & IBV_QP_ACCESS_FLAGS &&
	      seen.port_num == 1 &&
	      seen.qp_access_flags & IBV_ACCESS_REMOTE_WRITE,
	      "INIT needs no attributes: port 1, remote writes");
	check(!go(qp, IBV_QPS_INIT, IBV_QP_TIMEOUT | IBV_QP_MIN_RNR_TIMER |
		  IBV_QP_MAX_QP_RD_ATOMIC, attr),
	      "INIT ignores attributes that verbs do not permit there");
	check(GIVES(go(qp, IBV_QPS_RTR, 0, attr), EINVAL),
	      "RTR without address is refused with EINVAL");
	attr.dest_qp_num = 5;
	check(!go(qp, IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN, attr) &&
	      fake_last_modify(&seen) & IBV_QP_MIN_RNR_TIMER &&
	      seen.path_mtu == IBV_MTU_4096 && seen.ah_attr.port_num == 1 &&
	      seen.ah_attr.grh.hop_limit && !seen.max_dest_rd_atomic,
	      "RTR takes the port's MTU, port 1 and a hop limit if there are none");
	attr.retry_cnt = 14;
	attr.rnr_retry = 14;
	attr.timeout = 7;
	check(!go(qp, IBV_QPS_RTS, IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT |
		  IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT, attr) &&
	      fake_last_modify(&seen) & IBV_QP_TIMEOUT && seen.retry_cnt == 7 &&
	      seen.rnr_retry == 7 && seen.timeout == 14,
	      "RTS ignores retries and timeout of verbs, even impossible ones");
	check(GIVES(go(qp, IBV_QPS_RTS, IBV_QP_ALT_PATH, attr), EOPNOTSUPP),
	      "alternate paths are refused with EOPNOTSUPP");
	check(GIVES(go(qp, IBV_QPS_RTS, 1 << 30, attr), EINVAL),
	      "unknown bits of verbs are refused with EINVAL");
	check(!mrc_destroy_qp(qp) && !mrc_destroy_cq(cq),
	      "queue pair and completion queue are destroyed");
}

static void test_init_attrs(void)
{
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_qp_init_attr attr = {
		.qp_context = &cq, .send_cq = cq, .recv_cq = cq, .pd = &pd,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16 },
		.sq_sig_all = 1, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
		.protocol_version = MRC_PROTOCOL_VERSION_1,
	}, got = {};
	struct mrc_qp *qp = mrc_create_qp(ctx, &attr);

	check(qp && !mrc_query_qp(qp, NULL, 0, NULL, 0, &got) &&
	      got.qp_context == &cq && got.sq_sig_all == 1 && got.pd == &pd &&
	      got.send_cq == cq && got.recv_cq == cq,
	      "a queue pair tells what it was created with");
	check(got.send_ops_flags == (IBV_QP_EX_WITH_RDMA_WRITE |
				     IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM) &&
	      got.protocol_version == MRC_PROTOCOL_VERSION_1,
	      "a queue pair tells its operations and its protocol version");
	mrc_destroy_qp(qp);
	attr.sq_sig_all = 0;
	attr.protocol_version = MRC_PROTOCOL_VERSION_0;
	qp = mrc_create_qp(ctx, &attr);
	check(qp && !mrc_query_qp(qp, NULL, 0, NULL, 0, &got) && !got.sq_sig_all,
	      "protocol version 0 leaves the version to the library");
	mrc_destroy_qp(qp);
	attr.protocol_version = 7;
	check(NO_OBJECT(mrc_create_qp(ctx, &attr), EOPNOTSUPP),
	      "an unknown protocol version is refused with EOPNOTSUPP");
	attr.protocol_version = MRC_PROTOCOL_VERSION_1;
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	check(NO_OBJECT(mrc_create_qp(ctx, &attr), EOPNOTSUPP),
	      "a queue pair for SEND is refused with EOPNOTSUPP");
	mrc_destroy_cq(cq);
}

static void test_attrs(void)
{
	struct mrc_qp_attr attr = {
		.mpr = { .mpr = 8, .mpr_dest = 4 }, .timeout = 8,
		.wimm = { .max_wimm = 100, .max_wimm_dest = 50 },
		.retry = { .linear_cnt = 7, .exp_cnt = 25 },
		.profile = { .ev_profile_id = 13 },
		.cap = MRC_QP_CAP_DYNAMIC_MPR,
	}, got;
	const int all = MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_TIMEOUT |
			MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST |
			MRC_QP_RETRY_CNT | MRC_QP_EV_PROFILE_ID | MRC_QP_CAP;
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp_attr v = { .qp_state = IBV_QPS_RTR };
	struct mrc_qp *qp = new_qp(cq);

	check(!mrc_modify_qp(qp, NULL, 0, &attr, all), "all attributes are set");
	memset(&got, 0xa5, sizeof(got));
	check(!mrc_query_qp(qp, NULL, 0, &got, all, NULL) &&
	      got.mpr.mpr == 8 && got.mpr.mpr_dest == 4 && got.timeout == 8 &&
	      got.wimm.max_wimm == 100 && got.wimm.max_wimm_dest == 50 &&
	      got.retry.linear_cnt == 7 && got.retry.exp_cnt == 25 &&
	      got.profile.ev_profile_id == 13 &&
	      got.cap == MRC_QP_CAP_DYNAMIC_MPR, "all attributes are read back");
	attr.timeout = 9;
	check(mrc_modify_qp(qp, &v, IBV_QP_STATE, &attr, MRC_QP_TIMEOUT) &&
	      !mrc_query_qp(qp, NULL, 0, &got, MRC_QP_TIMEOUT, NULL) &&
	      got.timeout == 8, "a refused transition changes no attribute");
	attr.profile.ev_profile_id = 99;
	check(GIVES(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_EV_PROFILE_ID), ENOENT),
	      "a profile that is not there is refused with ENOENT");
	attr.cap = 1 << 7;
	check(GIVES(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_CAP), EINVAL),
	      "unknown capabilities are refused with EINVAL");
	check(GIVES(mrc_modify_qp(qp, NULL, 0, &attr, 1 << 20), EINVAL),
	      "unknown attributes are refused with EINVAL");
	attr.vendor_cfg[3] = 1;
	check(GIVES(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_VENDOR_CFG), EOPNOTSUPP),
	      "a vendor configuration is refused with EOPNOTSUPP");
	check(GIVES(mrc_modify_qp(qp, NULL, 0, NULL, MRC_QP_CAP), EINVAL),
	      "attributes that are NULL are refused with EINVAL");
	mrc_destroy_qp(qp);
	mrc_destroy_cq(cq);
}

/* Set at RTR what the application has not set. */
static void test_caps(void)
{
	struct ibv_qp_attr v = { .dest_qp_num = 5 };
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_qp *qp = new_qp(cq);
	struct mrc_qp_attr got = {};

	go(qp, IBV_QPS_INIT, 0, v);
	check(!mrc_query_qp(qp, NULL, 0, &got, MRC_QP_CAP, NULL) && !got.cap,
	      "capabilities are the defaults of the API before RTR");
	go(qp, IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN, v);
	check(!mrc_query_qp(qp, NULL, 0, &got, MRC_QP_CAP, NULL) && !got.cap,
	      "trim NACKs and service times are on by default, a dynamic window is not");
	mrc_destroy_qp(qp);
	mrc_destroy_cq(cq);
}

/* --- arguments and life times ---------------------------------------------- */

static void test_stale(void)
{
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_qp *qp = new_qp(cq);
	struct mrc_qp_attr attr;
	uint32_t qpn;

	check(GIVES(mrc_destroy_cq(cq), EBUSY),
	      "a completion queue in use is not destroyed: EBUSY");
	check(!mrc_destroy_qp(qp) && GIVES(mrc_destroy_qp(qp), EINVAL),
	      "a second destruction of a queue pair is refused with EINVAL");
	check(FAILS(mrc_get_qpn(qp, &qpn), EINVAL) &&
	      GIVES(mrc_query_qp(qp, NULL, 0, &attr, MRC_QP_MPR, NULL), EINVAL),
	      "a destroyed queue pair is refused with EINVAL");
	check(GIVES(mrc_destroy_qp((struct mrc_qp *)cq), EINVAL),
	      "a completion queue in place of a queue pair is refused with EINVAL");
	check(GIVES(mrc_destroy_qp((struct mrc_qp *)&attr), EINVAL) &&
	      GIVES(mrc_destroy_qp((struct mrc_qp *)((char *)cq + 8)), EINVAL) &&
	      GIVES(mrc_destroy_qp(NULL), EINVAL),
	      "any other pointer is refused with EINVAL");
	mrc_destroy_cq(cq);
}

static void test_other_context(void)
{
	struct mrc_context *other = mrc_create_context(verbs, NULL);
	struct mrc_qp_hint_init_attr init = {};
	struct mrc_qp_hint *hint = mrc_create_qp_hint(other, &init);
	struct mrc_cq *cq = mrc_create_cq(other, 16, NULL, NULL, 0);
	struct mrc_cq *ours = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_comp_channel *channel;
	struct mrc_qp_attr attr = { .qp_hint = hint };
	struct mrc_qp *qp = new_qp(ours);

	mrc_create_comp_channel(other, &channel);
	check(NO_OBJECT(new_qp(cq), EINVAL),
	      "a completion queue of another context is refused with EINVAL");
	check(NO_OBJECT(mrc_create_cq(ctx, 16, NULL, channel, 0), EINVAL),
	      "a channel of another context is refused with EINVAL");
	check(GIVES(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_HINT), EINVAL),
	      "a QP hint of another context is refused with EINVAL");
	check(!mrc_destroy_context(other) && GIVES(mrc_destroy_cq(cq), EINVAL) &&
	      FAILS(mrc_destroy_qp_hint(hint), EINVAL) &&
	      FAILS(mrc_destroy_context(other), EINVAL),
	      "a context is destroyed with all of its objects, once");
	mrc_destroy_qp(qp);
	mrc_destroy_cq(ours);
}

static void test_versions(void)
{
	struct mrc_context_attr attr = { .mrc_api_version_used = 1 };
	uint32_t now, last, vendor, vendor_last;
	struct mrc_context *c = mrc_create_context(verbs, &attr);

	check(c && !mrc_destroy_context(c),
	      "version 1, as the examples have it, is accepted");
	attr.mrc_api_version_used = MRC_API_VER(1, 0, 2);
	check(NO_OBJECT(mrc_create_context(verbs, &attr), EINVAL),
	      "a version that is newer than the library is refused with EINVAL");
	attr.mrc_api_version_used = 0;
	attr.mrc_vendor_api_version_used = MRC_API_VER(2, 0, 0);
	check(NO_OBJECT(mrc_create_context(verbs, &attr), EINVAL),
	      "a newer vendor version is refused with EINVAL");
	mrc_query_version(&now, &last, &vendor, &vendor_last);
	mrc_ctl_query_version(NULL, NULL, NULL, NULL);
	check(now == MRC_API_VER(1, 0, 1) && !last &&
	      vendor == MRC_API_VER(1, 0, 0) && !vendor_last,
	      "the library tells its versions");
}

static void test_hints(void)
{
	const int more = MRC_QP_HINT_NUM_REMOTE_RECV_PEERS | MRC_QP_HINT_VENDOR_CFG;
	struct mrc_qp_hint_init_attr init = { .attr.num_send_peers = 3 };
	struct mrc_qp_hint *hint = mrc_create_qp_hint(ctx, &init);
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_qp_attr attr = { .qp_hint = hint };
	struct mrc_qp_hint_attr got = {};
	struct mrc_qp *qp = new_qp(cq);

	init.attr.num_qps_per_peer = 2;
	check(!mrc_modify_qp_hint(hint, &init.attr, MRC_QP_HINT_NUM_QPS_PER_PEER) &&
	      !mrc_query_qp_hint(hint, &got, MRC_QP_HINT_NUM_QPS_PER_PEER |
				 MRC_QP_HINT_NUM_SEND_PEERS) &&
	      got.num_qps_per_peer == 2 && got.num_send_peers == 3,
	      "a QP hint is changed and read");
	init.attr.num_remote_recv_peers = 4;
	init.attr.vendor_cfg[1] = 6;
	check(!mrc_modify_qp_hint(hint, &init.attr, more) &&
	      !mrc_query_qp_hint(hint, &got, more) &&
	      got.num_remote_recv_peers == 4 && got.vendor_cfg[1] == 6,
	      "a QP hint keeps the number of receiving peers and the vendor's bytes");
	check(FAILS(mrc_query_qp_hint(hint, &got, 1 << 9), EINVAL),
	      "unknown bits of a QP hint are refused with EINVAL");
	check(!mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_HINT) &&
	      FAILS(mrc_destroy_qp_hint(hint), EBUSY),
	      "a QP hint in use is not destroyed: EBUSY");
	attr.qp_hint = NULL;
	check(!mrc_query_qp(qp, NULL, 0, &attr, MRC_QP_HINT, NULL) &&
	      attr.qp_hint == hint, "a queue pair tells its QP hint");
	check(!mrc_destroy_qp(qp) && !mrc_destroy_qp_hint(hint),
	      "a QP hint is destroyed after its queue pair");
	mrc_destroy_cq(cq);
}

/* --- work and events -------------------------------------------------------- */

static void test_post(void)
{
	struct ibv_sge sge = { .length = 8 };
	struct ibv_send_wr wr[2] = {
		{ .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1,
		  .next = &wr[1] },
		{ .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 },
	}, *bad = NULL;
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_recv_wr recv = { .num_sge = 1 }, *bad_recv = NULL;
	struct ibv_qp_attr v = { .dest_qp_num = 5 };
	struct mrc_qp *qp = new_qp(cq);
	struct ibv_wc wc[4];

	go(qp, IBV_QPS_INIT, 0, v);
	go(qp, IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN, v);
	go(qp, IBV_QPS_RTS, 0, v);
	check(GIVES(mrc_post_send(qp, wr, &bad), EINVAL) && bad == &wr[1] &&
	      wr[0].next == &wr[1] && mrc_poll_cq(cq, 4, wc) == 1,
	      "SEND is refused with EINVAL, and the WRITE before it is posted");
	wr[0].sg_list = NULL;
	check(GIVES(mrc_post_send(qp, wr, &bad), EINVAL) && bad == &wr[0],
	      "a list of elements that is NULL is refused with EINVAL");
	check(FAILS(mrc_post_recv(qp, &recv, &bad_recv), EINVAL) &&
	      bad_recv == &recv, "likewise of a receive request");
	wr[0].sg_list = &sge;
	wr[0].next = &wr[0];
	check(mrc_post_send(qp, wr, &bad) == EINVAL || errno,
	      "a list of requests without end is refused");
	check(FAILS(mrc_poll_cq(cq, -1, wc), EINVAL) &&
	      FAILS(mrc_poll_cq(cq, 1, NULL), EINVAL),
	      "poll without room is refused with EINVAL");
	mrc_destroy_qp(qp);
	mrc_destroy_cq(cq);
}

static void test_cq_events(void)
{
	struct mrc_comp_channel *channel;
	struct mrc_cq *cq, *got = NULL;
	struct pollfd pfd = { .events = POLLIN };
	void *context = NULL;
	int mark;

	mrc_create_comp_channel(ctx, &channel);
	cq = mrc_create_cq(ctx, 16, &mark, channel, 1);
	mrc_get_comp_channel_fd(channel, &pfd.fd);
	fcntl(pfd.fd, F_SETFL, O_NONBLOCK);
	check(FAILS(mrc_get_cq_event(channel, &got, &context), EAGAIN),
	      "a channel without event gives EAGAIN if it does not block");
	mrc_req_notify_cq(cq, 0);
	fake_complete(((struct ibv_cq **)cq)[0], NULL, 7);
	check(poll(&pfd, 1, 1000) == 1 &&
	      !mrc_get_cq_event(channel, &got, &context) && got == cq &&
	      context == &mark, "the channel reports the completion queue");
	check(GIVES(mrc_destroy_comp_channel(channel), EBUSY),
	      "a channel in use is not destroyed: EBUSY");
	mrc_ack_cq_events(cq, 1);
	mrc_ack_cq_events(cq, 1);
	check(!mrc_destroy_cq(cq) && !mrc_destroy_comp_channel(channel),
	      "what is acknowledged twice does no harm");
}

static void test_async_events(void)
{
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct mrc_async_event event = {};
	struct mrc_qp *qp = new_qp(cq);

	fake_async_event(verbs, IBV_EVENT_QP_FATAL, ((void **)qp)[0]);
	check(!mrc_get_async_event(ctx, &event) && event.element.qp == qp &&
	      event.event_type == IBV_EVENT_QP_FATAL,
	      "an event names the queue pair of the API");
	mrc_ack_async_event(&event);
	mrc_ack_async_event(&event);
	fake_async_event(verbs, IBV_EVENT_PORT_ERR, (void *)2);
	check(!mrc_get_async_event(ctx, &event) && event.element.port_num == 2,
	      "an event of a port names the port");
	fake_async_event(verbs, IBV_EVENT_QP_FATAL, &event);
	check(FAILS(mrc_get_async_event(ctx, &event), EAGAIN),
	      "an event of a queue pair of plain verbs is not reported");
	mrc_destroy_qp(qp);
	mrc_destroy_cq(cq);
}

static void test_device(void)
{
	struct mrc_device_attr attr;
	int supported;

	check(!mrc_query_device(verbs, &attr, &supported) && supported &&
	      attr.mpr_attr.max_mpr == 128 && attr.wimm_attr.max_wimm == 32768 &&
	      attr.cap == (MRC_DEVICE_CAP_TRIM_NACK |
			   MRC_DEVICE_CAP_DYNAMIC_MPR | MRC_DEVICE_CAP_SVC_TIME),
	      "the device tells its limits");
	check(!mrc_query_device_ex(verbs, ctx, &attr, &supported) &&
	      FAILS(mrc_query_device_ex(verbs, (void *)&attr, &attr, &supported),
		    EINVAL), "a wrong context is refused with EINVAL");
}

static void test_vendor(void)
{
	struct mrc_ctl_ev_fmt_profile_attr fmt = { .vendor_cfg = { 1 } };
	struct mrc_ctl_cc_profile_attr cc = { .vendor_cfg = { 1 } };

	check(FAILS(mrc_ctl_modify_ev_fmt_profile(ctx, 13, &fmt,
						  MRC_CTL_EV_FMT_VENDOR_CFG), EINVAL),
	      "a vendor extension of a format is refused with EINVAL");
	check(FAILS(mrc_ctl_modify_cc_profile(ctx, 13, &cc,
					      MRC_CTL_CC_PROFILE_VENDOR_CFG), EINVAL),
	      "a vendor extension of a CC profile is refused with EINVAL");
}

int main(void)
{
	verbs = fake_context();
	pd.context = verbs;
	ctx = mrc_create_context(verbs, NULL);
	test_device();
	test_versions();
	test_states();
	test_init_attrs();
	test_attrs();
	test_caps();
	test_stale();
	test_other_context();
	test_hints();
	test_post();
	test_cq_events();
	test_async_events();
	test_vendor();
	check(!mrc_destroy_context(ctx), "the context is destroyed");
	fake_context_free(verbs);
	return !!failures;
}
