// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions, queues and domains whose creation or destruction must be refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verbs_errors.h"

#define BUF_LEN	16384

static struct ibv_mr *try_mr(void *addr, size_t len, int access)
{
	errno = 0;
	return ibv_reg_mr(pair_dev[0].pd, addr, len, access);
}

static void mr_refused(const char *what, void *addr, size_t len, int access,
		       int error)
{
	struct ibv_mr *mr = try_mr(addr, len, access);

	if (!tap_ok(!mr && (!error || errno == error), "reg_mr %s: %s", what,
		    error ? strerror(error) : "refused"))
		tap_note("ibv_reg_mr: %s", mr ? "success" : strerror(errno));
	if (mr)
		ibv_dereg_mr(mr);
}

static void mr_accepted(const char *what, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = try_mr(addr, len, access);

	if (!tap_ok(mr, "reg_mr %s succeeds", what))
		tap_note("ibv_reg_mr: %s", strerror(errno));
	if (mr)
		tap_ok(!ibv_dereg_mr(mr), "dereg_mr %s succeeds", what);
}

static void regions(void)
{
	const int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	char *rw, *ro, *gone;

	rw = mmap(NULL, BUF_LEN, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ro = mmap(NULL, BUF_LEN, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	gone = mmap(NULL, BUF_LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	munmap(gone, BUF_LEN);

	mr_accepted("for local reading", rw, BUF_LEN, 0);
	mr_accepted("with all access flags", rw, BUF_LEN, RC_ACCESS_ALL);
	mr_accepted("with relaxed ordering", rw, BUF_LEN,
		    all | IBV_ACCESS_RELAXED_ORDERING);
	mr_accepted("of one byte", rw + 4095, 1, all);
	mr_accepted("of read-only memory for local reading", ro, BUF_LEN, 0);
	mr_refused("with remote write without local write", rw, BUF_LEN,
		   IBV_ACCESS_REMOTE_WRITE, EINVAL);
	mr_refused("with remote atomic without local write", rw, BUF_LEN,
		   IBV_ACCESS_REMOTE_ATOMIC, EINVAL);
	mr_refused("with an unknown flag", rw, BUF_LEN, all | 1 << 18, 0);
	mr_refused("on demand", rw, BUF_LEN, all | IBV_ACCESS_ON_DEMAND, 0);
	mr_refused("of unmapped memory", gone, BUF_LEN, all, EFAULT);
	mr_refused("with a length that wraps", rw, SIZE_MAX - 4096, all, 0);
	mr_refused("of read-only memory with write access", ro, BUF_LEN, all,
		   EFAULT);
	munmap(rw, BUF_LEN);
	munmap(ro, BUF_LEN);
}

static void cq_refused(const char *what, int cqe, int vector)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = ibv_create_cq(pair_dev[0].ctx, cqe, NULL, NULL, vector);
	if (!tap_ok(!cq && errno == EINVAL, "create_cq %s: %s", what,
		    strerror(EINVAL)))
		tap_note("ibv_create_cq: %s", cq ? "success" : strerror(errno));
	if (cq)
		ibv_destroy_cq(cq);
}

static void completion_queues(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *cq;

	cq_refused("of 0 entries", 0, 0);
	cq_refused("of more than max_cqe entries", pair_dev[0].attr.max_cqe + 1,
		   0);
	cq_refused("with a completion vector that does not exist", 16,
		   pair_dev[0].ctx->num_comp_vectors);
	cq = ibv_create_cq_ex(pair_dev[0].ctx, &attr);
	if (!cq) {
		tap_skip("extended CQ", strerror(errno));
		return;
	}
	tap_ok(ibv_start_poll(cq, &poll) == ENOENT,
	       "start_poll of an empty CQ: %s", strerror(ENOENT));
	poll.comp_mask = 1;
	tap_ok(ibv_start_poll(cq, &poll) == EINVAL,
	       "start_poll with an unknown comp_mask: %s", strerror(EINVAL));
	tap_ok(!ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), "destroy extended CQ");
}

static void qp_refused(const char *what, struct ibv_cq *cq,
		       const struct ibv_qp_cap *cap, enum ibv_qp_type type,
		       int error)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = *cap,
		.qp_type = type,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(pair_dev[0].pd, &attr);
	if (!tap_ok(!qp && (!error || errno == error), "create_qp %s: %s",
		    what, error ? strerror(error) : "refused"))
		tap_note("ibv_create_qp: %s", qp ? "success" : strerror(errno));
	if (qp)
		ibv_destroy_qp(qp);
}

static void queue_pairs(void)
{
	const struct ibv_device_attr *dev = &pair_dev[0].attr;
	const struct ibv_qp_cap good = { 4, 4, 1, 1, 0 };
	struct ibv_qp_cap cap;
	struct ibv_cq *cq;

	cq = ibv_create_cq(pair_dev[0].ctx, 16, NULL, NULL, 0);
	if (!tap_ok(cq, "create_cq of 16 entries"))
		return;
	cap = good;
	cap.max_send_wr = dev->max_qp_wr + 1;
	qp_refused("with max_send_wr above the limit", cq, &cap, IBV_QPT_RC,
		   EINVAL);
	cap = good;
	cap.max_recv_wr = dev->max_qp_wr + 1;
	qp_refused("with max_recv_wr above the limit", cq, &cap, IBV_QPT_RC,
		   EINVAL);
	cap = good;
	cap.max_send_sge = dev->max_sge + 1;
	qp_refused("with max_send_sge above the limit", cq, &cap, IBV_QPT_RC,
		   EINVAL);
	cap = good;
	cap.max_recv_sge = dev->max_sge + 1;
	qp_refused("with max_recv_sge above the limit", cq, &cap, IBV_QPT_RC,
		   EINVAL);
	cap = good;
	cap.max_inline_data = 1 << 20;
	qp_refused("with max_inline_data above the limit", cq, &cap, IBV_QPT_RC,
		   EINVAL);
	qp_refused("of type UC", cq, &good, IBV_QPT_UC, 0);
	qp_refused("of type RAW_PACKET", cq, &good, IBV_QPT_RAW_PACKET, 0);
	tap_ok(!ibv_destroy_cq(cq), "destroy_cq of an unused CQ");
}

/* Objects in use are not destroyed. */
static void in_use(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;

	if (pair_create(&p, NULL)) {
		tap_ok(false, "objects in use: setup");
		goto out;
	}
	tap_ok(ibv_destroy_cq(p.a.scq) == EBUSY, "destroy_cq in use: %s",
	       strerror(EBUSY));
	tap_ok(ibv_dealloc_pd(p.a.dev->pd) == EBUSY, "dealloc_pd in use: %s",
	       strerror(EBUSY));
	end_wr(&p, IBV_WR_RDMA_WRITE, PAIR_BUF_LEN, &wr, &sge);
	end_post(&p.a, &wr);
	expect_wc(p.a.scq, IBV_WC_SUCCESS,
		  "WRITE after refused destroy_cq and dealloc_pd");
	tap_ok(!memcmp(p.a.buf, p.b.buf, PAIR_BUF_LEN),
	       "WRITE after refused destroy_cq and dealloc_pd: bytes arrive");
out:
	pair_destroy(&p);
}

/* The process destroys its QPs while packets are in flight. */
static void destroy_busy(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;
	int i, round;

	for (round = 0; round < 20; round++) {
		if (pair_create(&p, NULL)) {
			pair_destroy(&p);
			break;
		}
		for (i = 0; i < PAIR_DEPTH; i++) {
			end_wr(&p, IBV_WR_RDMA_WRITE, PAIR_BUF_LEN, &wr, &sge);
			end_post(&p.a, &wr);
		}
		pair_destroy(&p);
	}
	tap_ok(round == 20, "20 pairs of QPs are destroyed while they send");
}

/**
 * bad_resource - tests: objects that must not be created or destroyed
 */
void bad_resource(void)
{
	regions();
	completion_queues();
	queue_pairs();
	in_use();
	destroy_busy();
}
