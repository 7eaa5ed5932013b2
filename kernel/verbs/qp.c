// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, destruction, queries and the transition to the error state.
 *
 * Failures are detected with BH off and spinlocks held, but stopping a connection
 * sleeps: so a failure only sets a flag, and @err_work does the rest.  @err_work also
 * flushes work requests that users in the kernel post on a QP in error, because they
 * may post in any context.
 */
#include <linux/mrc.h>
#include <linux/slab.h>
#include <rdma/mrc-abi.h>
#include "core/wire.h"
#include "net/event.h"
#include "verbs/cq.h"
#include "verbs/qp.h"
#include "verbs/srq.h"
#include "verbs/ucontext.h"
#include "verbs/ud.h"

/*
 * WQ_MEM_RECLAIM: under memory pressure storage drivers tear down their connections,
 * and wait for the flush, in order to make progress.
 */
static struct workqueue_struct *mrc_qp_wq;

/**
 * mrc_qp_event() - raise an asynchronous event of the QP
 * @qp: queue pair
 * @type: event
 *
 * Context: any.
 */
void mrc_qp_event(struct mrc_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.event = type,
		.element.qp = &qp->ib,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

/**
 * mrc_qp_fail() - start the transition to the error state
 * @qp: queue pair
 *
 * Context: any; @err_work makes the transition.
 * Return: true for the first failure since RESET.
 */
bool mrc_qp_fail(struct mrc_qp *qp)
{
	if (test_and_set_bit(MRC_QP_FAILED, &qp->flags))
		return false;
	queue_work(mrc_qp_wq, &qp->err_work);
	return true;
}

/**
 * mrc_qp_fail_sends() - start the transition to SQE after a send error
 * @qp: queue pair for datagrams
 *
 * IBTA 10.3.1.6: the QP continues to receive; the application can return it to RTS.
 *
 * Context: any; @err_work makes the transition.
 */
void mrc_qp_fail_sends(struct mrc_qp *qp)
{
	set_bit(MRC_QP_SQ_FAILED, &qp->flags);
	queue_work(mrc_qp_wq, &qp->err_work);
}

/**
 * mrc_qp_fatal() - fail for a reason that no completion reports
 * @qp: queue pair
 *
 * Context: any.
 */
void mrc_qp_fatal(struct mrc_qp *qp)
{
	if (mrc_qp_fail(qp))
		mrc_qp_event(qp, IB_EVENT_QP_FATAL);
}

/**
 * mrc_qp_established() - raise IB_EVENT_COMM_EST for the first packet in RTR
 * @qp: queue pair
 *
 * IBTA 9.9.2.4: packets may arrive before the application has been notified by other
 * means that its peer is ready.
 *
 * Context: softirq, rsp_lock held.
 */
void mrc_qp_established(struct mrc_qp *qp)
{
	if (likely(test_bit(MRC_QP_ESTABLISHED, &qp->flags)) ||
	    test_and_set_bit(MRC_QP_ESTABLISHED, &qp->flags))
		return;
	if (READ_ONCE(qp->state) == IB_QPS_RTR)
		mrc_qp_event(qp, IB_EVENT_COMM_EST);
}

/* Flushes both queues of a QP in error. */
static void mrc_qp_flush(struct mrc_qp *qp)
{
	mrc_sq_flush(&qp->conn);
	mrc_rq_flush(&qp->conn);
}

/**
 * mrc_qp_to_error() - move the QP to the error state and flush its queues
 * @qp: queue pair
 *
 * Context: @qp->mutex held; may sleep.
 */
void mrc_qp_to_error(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);

	mrc_conn_stop(&qp->conn);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	/*
	 * Pairs with the barrier in the doorbells: a work request whose doorbell
	 * saw the old state is flushed here.
	 */
	smp_mb();
	mrc_qp_flush(qp);
	/* IBTA 11.6.3.2: the QP uses no more work requests of its SRQ. */
	if (qp->ib.srq)
		mrc_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

/* RESET and destruction: failures are ignored, no completions are written. */
static void mrc_qp_stop_completions(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);

	WRITE_ONCE(qp->state, IB_QPS_RESET);
	mrc_sq_stop_completions(&qp->conn);
	mrc_rq_stop_completions(&qp->conn);
	mrc_cq_purge(qp->ib.send_cq, qp->conn.qpn);
	mrc_cq_purge(qp->ib.recv_cq, qp->conn.qpn);
}

/**
 * mrc_qp_to_reset() - move the QP to RESET and discard its work requests
 * @qp: queue pair
 *
 * Context: @qp->mutex held; may sleep.
 */
void mrc_qp_to_reset(struct mrc_qp *qp)
{
	mrc_qp_stop_completions(qp);
	mrc_conn_reset(&qp->conn);
	/* Also discards a failure that @err_work has not handled yet. */
	qp->flags = 0;
	mrc_sq_reset(&qp->conn);
	mrc_rq_reset(&qp->conn);
}

static void mrc_qp_to_sqe(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);

	WRITE_ONCE(qp->state, IB_QPS_SQE);
	/* As in mrc_qp_to_error(). */
	smp_mb();
	mrc_sq_flush(&qp->conn);
}

/**
 * mrc_qp_sqe_to_rts() - move the QP from SQE to RTS
 * @qp: queue pair for datagrams
 *
 * Context: @qp->mutex held.
 */
void mrc_qp_sqe_to_rts(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);

	clear_bit(MRC_QP_SQ_FAILED, &qp->flags);
	WRITE_ONCE(qp->state, IB_QPS_RTS);
	mrc_sq_restart(&qp->conn);
	/* Work requests posted since the last flush have no other doorbell. */
	mrc_conn_doorbell(&qp->conn);
}

static void mrc_qp_apply_failure(struct mrc_qp *qp)
{
	if (test_bit(MRC_QP_FAILED, &qp->flags))
		mrc_qp_to_error(qp);
	else if (test_bit(MRC_QP_SQ_FAILED, &qp->flags))
		mrc_qp_to_sqe(qp);
}

static void mrc_qp_err_work(struct work_struct *work)
{
	struct mrc_qp *qp = container_of(work, struct mrc_qp, err_work);

	mutex_lock(&qp->mutex);
	if (qp->state == IB_QPS_ERR)
		mrc_qp_flush(qp);
	else if (qp->state != IB_QPS_RESET)
		mrc_qp_apply_failure(qp);
	mutex_unlock(&qp->mutex);
}

/**
 * mrc_qp_flush_soon() - have @err_work flush a QP in error, or in SQE
 * @qp: queue pair
 *
 * For posts of users in the kernel.
 *
 * Context: any.
 */
void mrc_qp_flush_soon(struct mrc_qp *qp)
{
	queue_work(mrc_qp_wq, &qp->err_work);
}

/*
 * Errors that the network or the peer causes also concern the operator, who does not
 * see completions.
 */
static void mrc_qp_report(const struct mrc_qp *qp, enum mrc_qp_cause cause)
{
	static const char * const what[] = {
		[MRC_QP_CAUSE_RETRY_EXCEEDED] = "does not acknowledge on any path",
		[MRC_QP_CAUSE_RNR_RETRY_EXCEEDED] = "has no receive buffers",
	};
	const struct in6_addr *peer = &qp->conn.attr.dgid;

	mrc_event_qp(qp->conn.nic, qp->ib.qp_num, peer, cause);
	ibdev_warn_ratelimited(qp->ib.device,
			       "QP %u failed: peer %pI6c %s, retries are used up\n",
			       qp->ib.qp_num, peer, what[cause]);
}

/*
 * &struct mrc_conn_ops.tx_failed; the failed work request completes with the error.
 * The failure of all paths concerns the whole QP, and an application may not poll
 * completions until it sends again: so an event is raised as well.
 */
static void mrc_qp_tx_failed(struct mrc_conn *conn, enum mrc_status status)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	bool first = mrc_qp_fail(qp);

	if (status == MRC_ERR_RNR_RETRY_EXC)
		mrc_qp_report(qp, MRC_QP_CAUSE_RNR_RETRY_EXCEEDED);
	if (status != MRC_ERR_RETRY_EXC)
		return;
	mrc_qp_report(qp, MRC_QP_CAUSE_RETRY_EXCEEDED);
	if (first)
		mrc_qp_event(qp, IB_EVENT_QP_FATAL);
}

/* &struct mrc_conn_ops.rx_failed; IBTA 9.9.3.1: events of the responder */
static void mrc_qp_rx_failed(struct mrc_conn *conn, u8 syndrome)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);

	lockdep_assert_held(&conn->rsp_lock);

	if (!mrc_qp_fail(qp) || mrc_rq_has_failed_wqe(&qp->rq) ||
	    READ_ONCE(qp->sq.unplaced))
		return;
	switch (syndrome) {
	case MRC_SYN_NAK_REM_ACCESS:
		mrc_qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
		break;
	case MRC_SYN_NAK_INV_REQ:
		mrc_qp_event(qp, IB_EVENT_QP_REQ_ERR);
		break;
	default:
		mrc_qp_event(qp, IB_EVENT_QP_FATAL);
	}
}

static const struct mrc_conn_ops mrc_qp_conn_ops = {
	.tx_fetch = mrc_sq_fetch,
	.tx_idle = mrc_sq_is_idle,
	.tx_payload = mrc_sq_payload,
	.tx_response = mrc_sq_response,
	.tx_done = mrc_sq_done,
	.rx_place = mrc_rq_place,
	.rx_rd_atomic = mrc_rq_execute,
	.rx_deliver = mrc_rq_deliver,
	.tx_failed = mrc_qp_tx_failed,
	.rx_failed = mrc_qp_rx_failed,
};

static bool mrc_qp_type_ok(const struct ib_qp_init_attr *init,
			   const struct ib_udata *udata)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
		return true;
	case IB_QPT_UD:
		return true;
	case IB_QPT_GSI:
		return !init->srq && !udata;
	default:
		return false;
	}
}

static int mrc_qp_check(const struct ib_qp_init_attr *init,
			struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (!mrc_qp_type_ok(init, udata) || init->create_flags)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > MRC_MAX_QP_WR ||
	    cap->max_recv_wr > MRC_MAX_QP_WR ||
	    cap->max_send_sge > MRC_MAX_SGE ||
	    cap->max_recv_sge > MRC_MAX_SGE ||
	    cap->max_inline_data > MRC_MAX_INLINE)
		return -EINVAL;
	return mrc_udata_check(udata);
}

/* A QP with an SRQ has no receive limits of its own. */
static int mrc_qp_create_rq(struct mrc_qp *qp, struct ib_ucontext *uctx,
			    struct ib_qp_cap *cap, struct mrc_ring_info *info)
{
	if (!qp->ib.srq)
		return mrc_rq_create(&qp->rq, uctx, cap, info);
	cap->max_recv_wr = 0;
	cap->max_recv_sge = 0;
	return mrc_rq_create_shared(&qp->rq, mrc_srq_from_ib(qp->ib.srq));
}

static int mrc_qp_create_queues(struct mrc_qp *qp, struct ib_qp_cap *cap,
				struct ib_udata *udata)
{
	struct ib_ucontext *uctx = mrc_udata_context(udata);
	struct mrc_create_qp_resp resp = {};
	int err;

	err = mrc_sq_create(&qp->sq, uctx, cap, &resp.sq);
	if (err)
		return err;
	err = mrc_qp_create_rq(qp, uctx, cap, &resp.rq);
	if (err)
		goto err_sq;
	err = mrc_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		goto err_rq;
	qp->cap = *cap;
	return 0;

err_rq:
	mrc_rq_destroy(&qp->rq);
err_sq:
	mrc_sq_destroy(&qp->sq);
	return err;
}

/* The management QP of a port does not count against the limit of the device. */
static bool mrc_qp_counts(const struct mrc_qp *qp)
{
	return qp->ib.qp_type != IB_QPT_GSI;
}

static int mrc_qp_publish(struct mrc_qp *qp)
{
	struct mrc_device *dev = mrc_qp_device(qp);
	int err = -ENOMEM;

	mutex_lock(&dev->qps_lock);
	if (dev->n_qps < MRC_MAX_QP)
		err = xa_insert(&dev->qps, qp->conn.qpn, qp,
				GFP_KERNEL_ACCOUNT);
	if (!err)
		dev->n_qps += mrc_qp_counts(qp);
	mutex_unlock(&dev->qps_lock);
	return err;
}

static void mrc_qp_unpublish(struct mrc_qp *qp)
{
	struct mrc_device *dev = mrc_qp_device(qp);

	mutex_lock(&dev->qps_lock);
	xa_erase(&dev->qps, qp->conn.qpn);
	dev->n_qps -= mrc_qp_counts(qp);
	mutex_unlock(&dev->qps_lock);
}

/**
 * mrc_qp_create() - create a queue pair
 * @ibqp: queue pair
 * @init: what is wanted; limits are set to what is granted
 * @udata: response: struct mrc_create_qp_resp; NULL for users in the kernel
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP for other types than RC, UD and, for
 * users in the kernel, GSI, which has no SRQ.
 */
int mrc_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(ibqp->device);
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);
	int err;

	err = mrc_qp_check(init, udata);
	if (err)
		return err;

	mutex_init(&qp->mutex);
	INIT_WORK(&qp->err_work, mrc_qp_err_work);
	qp->state = IB_QPS_RESET;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;

	err = mrc_qp_create_queues(qp, &init->cap, udata);
	if (err)
		return err;
	err = mrc_conn_init(&qp->conn, dev->nic,
			    mrc_qp_is_ud(qp) ? &mrc_ud_conn_ops :
					       &mrc_qp_conn_ops);
	if (err)
		goto err_queues;
	ibqp->qp_num = qp->conn.qpn;
	err = mrc_qp_publish(qp);
	if (err)
		goto err_conn;
	err = mrc_ud_create(qp, init);
	if (err)
		goto err_unpublish;
	return 0;

err_unpublish:
	mrc_qp_unpublish(qp);
err_conn:
	mrc_conn_exit(&qp->conn);
err_queues:
	mrc_rq_destroy(&qp->rq);
	mrc_sq_destroy(&qp->sq);
	return err;
}

/**
 * mrc_qp_destroy() - destroy a queue pair in any state
 * @ibqp: queue pair
 * @udata: empty
 *
 * Return: 0.
 */
int mrc_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);

	mrc_ud_destroy(qp);
	mrc_qp_unpublish(qp);
	mutex_lock(&qp->mutex);
	mrc_qp_stop_completions(qp);
	mutex_unlock(&qp->mutex);
	mrc_conn_exit(&qp->conn);
	cancel_work_sync(&qp->err_work);
	mrc_rq_destroy(&qp->rq);
	mrc_sq_destroy(&qp->sq);
	return 0;
}

/* The state, including a transition that @err_work has not made yet. */
static enum ib_qp_state mrc_qp_state(const struct mrc_qp *qp)
{
	if (test_bit(MRC_QP_FAILED, &qp->flags))
		return IB_QPS_ERR;
	if (test_bit(MRC_QP_SQ_FAILED, &qp->flags) &&
	    qp->state != IB_QPS_ERR)
		return IB_QPS_SQE;
	return qp->state;
}

/**
 * mrc_qp_query() - query attributes
 * @ibqp: queue pair
 * @attr: filled in
 * @mask: requested attributes; all but PSNs are filled in regardless
 * @init: filled in
 *
 * PSNs are a secret of the two peers: those who know them can forge packets.  The
 * RDMA core requests nothing when it shows queue pairs to everybody.
 *
 * Return: 0.
 */
int mrc_qp_query(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->qp_access_flags = qp->access;
	attr->qp_state = mrc_qp_state(qp);
	attr->cur_qp_state = attr->qp_state;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->cap = qp->cap;
	if (!(mask & IB_QP_SQ_PSN))
		attr->sq_psn = 0;
	if (!(mask & IB_QP_RQ_PSN))
		attr->rq_psn = 0;
	attr->sq_draining = READ_ONCE(qp->sq.suspended) &&
			    READ_ONCE(qp->sq.done) != READ_ONCE(qp->sq.fetch);
	mutex_unlock(&qp->mutex);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	return 0;
}

/**
 * mrc_qp_init() - create the workqueue; before the first queue pair
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_qp_init(void)
{
	mrc_qp_wq = alloc_workqueue("mrc_qp", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return mrc_qp_wq ? 0 : -ENOMEM;
}

/**
 * mrc_qp_exit() - destroy the workqueue; after the last queue pair
 */
void mrc_qp_exit(void)
{
	destroy_workqueue(mrc_qp_wq);
}
