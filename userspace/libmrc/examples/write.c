// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* write DEVICE DEVICE GID_INDEX: WRITE with immediate data from one device to another. */
#include <mrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(ok) do { if (!(ok)) { perror(#ok); exit(1); } } while (0)
#define PROFILE "MRC_QP_EV_PROFILE_ID"
struct end { struct ibv_context *verbs; struct ibv_pd *pd; struct mrc_context *ctx; struct mrc_cq *cq;
	struct mrc_qp *qp; struct ibv_mr *mr; union ibv_gid gid; uint32_t qpn; char buf[64]; };

static void open_end(struct end *e, const char *name, int gid_index)
{
	struct ibv_device **dev = ibv_get_device_list(NULL);

	while (*dev && strcmp(ibv_get_device_name(*dev), name))
		dev++;
	CHECK(*dev && (e->verbs = ibv_open_device(*dev)));
	CHECK(e->pd = ibv_alloc_pd(e->verbs));
	CHECK(e->mr = ibv_reg_mr(e->pd, e->buf, sizeof(e->buf), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	CHECK(!ibv_query_gid(e->verbs, 1, gid_index, &e->gid));
	CHECK(e->ctx = mrc_create_context(e->verbs, NULL));
	CHECK(e->cq = mrc_create_cq(e->ctx, 16, NULL, NULL, 0));
	CHECK(e->qp = mrc_create_qp(e->ctx, &(struct mrc_qp_init_attr){ .send_cq = e->cq, .recv_cq = e->cq, .pd = e->pd,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 } }));
	CHECK(!mrc_get_qpn(e->qp, &e->qpn));
}

static void connect_end(struct end *e, const struct end *peer, int gid_index)
{
	struct mrc_qp_attr mrc = { .profile.ev_profile_id = getenv(PROFILE) ? atoi(getenv(PROFILE)) : 0 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .dest_qp_num = peer->qpn, .ah_attr = {
		.is_global = 1, .port_num = 1, .grh = { .dgid = peer->gid, .sgid_index = gid_index } } };

	CHECK(!mrc_modify_qp(e->qp, &attr, IBV_QP_STATE, &mrc, MRC_QP_EV_PROFILE_ID));
	attr.qp_state = IBV_QPS_RTR;
	CHECK(!mrc_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_DEST_QPN, NULL, 0));
	attr.qp_state = IBV_QPS_RTS;
	CHECK(!mrc_modify_qp(e->qp, &attr, IBV_QP_STATE, NULL, 0));
}

int main(int argc, char **argv)
{
	static struct end a, b;
	struct ibv_wc wc = {};
	struct ibv_sge sge;

	CHECK(argc == 4);
	open_end(&a, argv[1], atoi(argv[3]));
	open_end(&b, argv[2], atoi(argv[3]));
	connect_end(&a, &b, atoi(argv[3]));
	connect_end(&b, &a, atoi(argv[3]));
	CHECK(!mrc_post_recv(b.qp, &(struct ibv_recv_wr){}, &(struct ibv_recv_wr *){ 0 }));
	strcpy(a.buf, "written by MRC");
	sge = (struct ibv_sge){ (uintptr_t)a.buf, sizeof(a.buf), a.mr->lkey };
	CHECK(!mrc_post_send(a.qp, &(struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { (uintptr_t)b.buf, b.mr->rkey } }, &(struct ibv_send_wr *){ 0 }));
	while (!mrc_poll_cq(b.cq, 1, &wc))
		;
	CHECK(wc.status == IBV_WC_SUCCESS);
	return puts(b.buf) < 0;
}
