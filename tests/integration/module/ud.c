// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user of verbs in the kernel: address handles and datagrams.
 */
#include <linux/workqueue.h>
#include "user.h"

#define USER_QKEY	0x1234567

/**
 * user_ah_open() - create an address handle
 * @p: pair; the handle names its own address
 *
 * Return: handle or an ERR_PTR().
 */
struct ib_ah *user_ah_open(struct user_pair *p)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_ROCE };

	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_grh(&attr, &p->gid, 0, p->gid_index, 64, 0);
	return rdma_create_ah(p->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

static int user_ud_modify(struct ib_qp *qp, enum ib_qp_state state, int mask)
{
	struct ib_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.qkey = USER_QKEY,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | mask);
}

static struct ib_qp *user_ud_open(struct user_pair *p)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_UD,
		.send_cq = p->a.cq,
		.recv_cq = p->a.cq,
		.cap.max_send_wr = 1,
		.cap.max_send_sge = 1,
	};
	struct ib_qp *qp = ib_create_qp(p->pd, &init);
	int err;

	if (IS_ERR(qp))
		return qp;
	err = user_ud_modify(qp, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT |
					      IB_QP_QKEY) ?:
	      user_ud_modify(qp, IB_QPS_RTR, 0) ?:
	      user_ud_modify(qp, IB_QPS_RTS, IB_QP_SQ_PSN);
	if (!err)
		return qp;
	ib_destroy_qp(qp);
	return ERR_PTR(err);
}

/* A datagram from memory that its key does not name. */
static int user_ud_post(struct ib_qp *qp, struct ib_ah *ah, struct user_op *op)
{
	struct ib_sge sge = { .length = 1, .lkey = ~0 };
	struct ib_ud_wr wr = {
		.wr.opcode = IB_WR_SEND,
		.wr.send_flags = IB_SEND_SIGNALED,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.wr.wr_cqe = &op->cqe,
		.ah = ah,
		.remote_qpn = qp->qp_num,
		.remote_qkey = USER_QKEY,
	};

	user_op_init(op);
	return ib_post_send(qp, &wr.wr, NULL);
}

/**
 * struct user_ud_work - a send that fails, and what a reclaim worker does then
 * @work: work item
 * @qp: queue pair
 * @ah: destination
 * @op: the send
 * @err: result
 */
struct user_ud_work {
	struct work_struct work;
	struct ib_qp *qp;
	struct ib_ah *ah;
	struct user_op *op;
	int err;
};

/*
 * The softirq that sends runs before BH are enabled again, so the transition to SQE
 * is pending when the state is modified, which waits for it.
 */
static void user_ud_recover(struct work_struct *work)
{
	struct user_ud_work *w = container_of(work, struct user_ud_work, work);

	local_bh_disable();
	w->err = user_ud_post(w->qp, w->ah, w->op);
	local_bh_enable();
	if (!w->err)
		w->err = user_ud_modify(w->qp, IB_QPS_RTS, 0);
}

static int user_ud_try(struct ib_qp *qp, struct ib_ah *ah, struct user_op *op)
{
	struct workqueue_struct *wq = alloc_workqueue("mrc_user",
						      WQ_MEM_RECLAIM, 0);
	struct user_ud_work w = { .qp = qp, .ah = ah, .op = op };

	if (!wq)
		return -ENOMEM;
	INIT_WORK_ONSTACK(&w.work, user_ud_recover);
	queue_work(wq, &w.work);
	destroy_workqueue(wq);
	destroy_work_on_stack(&w.work);
	return w.err;
}

/**
 * user_ud_fail() - fail a datagram and recover from it, as a worker of memory reclaim
 * @p: pair
 *
 * Return: status of the completion, or a negative errno.
 */
int user_ud_fail(struct user_pair *p)
{
	struct ib_ah *ah = user_ah_open(p);
	struct ib_qp *qp;
	int ret;

	if (IS_ERR(ah))
		return PTR_ERR(ah);
	qp = user_ud_open(p);
	ret = PTR_ERR_OR_ZERO(qp);
	if (ret)
		goto out;
	ret = user_ud_try(qp, ah, &p->a.op) ?: user_wait(&p->a, &p->a.op);
	ib_destroy_qp(qp);
out:
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return ret;
}
