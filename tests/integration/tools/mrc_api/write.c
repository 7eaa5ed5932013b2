// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * WRITEs with immediate data from one device to another of the same machine, through an
 * EV profile.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"

enum { DEPTH = 16, SIZE = 8192, REPORT = 64, CQE = 2 * DEPTH };

/**
 * struct end - one end of the connection
 * @verbs: device
 * @ctx: the same for libmrc
 * @pd: protection domain
 * @mr: region of @buf
 * @cq: of both queues
 * @qp: queue pair
 * @qpn: its number
 * @gid: address
 * @buf: messages
 */
struct end {
	struct ibv_context *verbs;
	struct mrc_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct mrc_cq *cq;
	struct mrc_qp *qp;
	uint32_t qpn;
	union ibv_gid gid;
	uint8_t buf[DEPTH][SIZE];
};

static volatile sig_atomic_t stopped;

static void on_term(int sig)
{
	stopped = 1;
}

static bool end_open(struct end *e, struct ibv_context *vctx,
		     struct mrc_context *mctx, int gid_index)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct mrc_qp_init_attr init = {
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	e->verbs = vctx;
	e->ctx = mctx;
	e->pd = vctx ? ibv_alloc_pd(vctx) : NULL;
	e->mr = e->pd ? ibv_reg_mr(e->pd, e->buf, sizeof(e->buf), access) : NULL;
	e->cq = mctx ? mrc_create_cq(mctx, CQE, NULL, NULL, 0) : NULL;
	if (!e->mr || !e->cq || ibv_query_gid(vctx, 1, gid_index, &e->gid))
		return false;
	init.pd = e->pd;
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = mrc_create_qp(mctx, &init);
	return e->qp && !mrc_get_qpn(e->qp, &e->qpn);
}

static bool end_connect(struct end *e, const struct end *peer, int gid_index,
			uint64_t id)
{
	struct mrc_qp_attr mrc = { .profile.ev_profile_id = id };
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.dest_qp_num = peer->qpn,
		.path_mtu = IBV_MTU_4096,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = peer->gid,
				      .sgid_index = gid_index } },
	};

	if (mrc_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS,
			  &mrc, MRC_QP_EV_PROFILE_ID))
		return false;
	attr.qp_state = IBV_QPS_RTR;
	if (mrc_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_AV |
			  IBV_QP_DEST_QPN | IBV_QP_PATH_MTU, NULL, 0))
		return false;
	attr.qp_state = IBV_QPS_RTS;
	return !mrc_modify_qp(e->qp, &attr, IBV_QP_STATE, NULL, 0);
}

/* Message @n: its number is the immediate data and all over the buffer. */
static bool post(struct end *a, struct end *b, uint32_t n)
{
	uint8_t *buf = a->buf[n % DEPTH];
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, a->mr->lkey };
	struct ibv_recv_wr recv = { .wr_id = n }, *bad_recv;
	struct ibv_send_wr send = {
		.wr_id = n, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = n,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)b->buf[n % DEPTH], b->mr->rkey },
	}, *bad_send;

	memset(buf, n, SIZE);
	return !mrc_post_recv(b->qp, &recv, &bad_recv) &&
	       !mrc_post_send(a->qp, &send, &bad_send);
}

/* The next completion of a queue is that of message @n. */
static bool completed(struct end *e, uint32_t n)
{
	struct ibv_wc wc;
	int ret;

	do {
		ret = mrc_poll_cq(e->cq, 1, &wc);
	} while (!ret);
	if (ret == 1 && !wc.status && wc.wr_id == n)
		return true;
	fprintf(stderr, "message %u: %d, status %d, completion of %u\n", n, ret,
		ret == 1 ? wc.status : 0, (uint32_t)wc.wr_id);
	return false;
}

static bool arrived(const struct end *b, uint32_t n)
{
	const uint8_t *buf = b->buf[n % DEPTH];
	int i;

	for (i = 0; i < SIZE; i++)
		if (buf[i] != (uint8_t)n)
			return false;
	return true;
}

/* In place, so that a reader of the file finds one number. */
static void report(uint32_t messages)
{
	char line[16];
	int len = snprintf(line, sizeof(line), "%10u\n", messages);

	if (pwrite(STDOUT_FILENO, line, len, 0) != len)
		perror("standard output");
}

/* Until SIGTERM, then what is under way. */
static bool transfer(struct end *a, struct end *b)
{
	uint32_t posted = 0, done = 0;

	while (!stopped || done < posted) {
		if (!stopped && posted < done + DEPTH) {
			if (!post(a, b, posted++))
				return false;
			continue;
		}
		if (!completed(b, done) || !completed(a, done) ||
		    !arrived(b, done))
			return false;
		if (++done % REPORT == 0)
			report(done);
	}
	return true;
}

/**
 * write_messages - WRITE until SIGTERM, with the number of messages that have arrived
 * in the standard output, a file
 * @peer: the other device
 * @gid_index: of both
 * @id: EV profile of the sender
 *
 * Return: exit status.
 */
int write_messages(const char *peer, int gid_index, uint64_t id)
{
	static struct end a, b;
	struct ibv_context *other = api_open(peer);

	setlinebuf(stdout);
	signal(SIGTERM, on_term);
	if (!end_open(&a, verbs, ctx, gid_index) ||
	    !end_open(&b, other, other ? mrc_create_context(other, NULL) : NULL,
		      gid_index) ||
	    !end_connect(&a, &b, gid_index, id) ||
	    !end_connect(&b, &a, gid_index, 0)) {
		perror("write");
		return 1;
	}
	if (!transfer(&a, &b))
		return 1;
	return mrc_destroy_qp(a.qp) || mrc_destroy_qp(b.qp);
}
