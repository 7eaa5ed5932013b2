// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: state machine (IBTA 10.3).
 *
 * ib_modify_qp_is_ok() checks which attributes a transition requires and permits.
 * This file checks every value and makes the transition; the attributes are stored
 * only if it has succeeded.
 */
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "core/psn.h"
#include "core/wire.h"
#include "verbs/ah.h"
#include "verbs/cq.h"
#include "verbs/qp.h"
#include "verbs/ucontext.h"
#include "verbs/ud.h"

/* Attributes that the connection copies in RTR and RTS. */
#define MRC_QP_FIXED_ATTRS \
	(IB_QP_AV | IB_QP_PORT | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | \
	 IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC)

#define MRC_QP_ACCESS \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

enum mrc_qp_attr_max {
	MRC_QP_TIMEOUT_MAX = 31,
	MRC_QP_RETRY_MAX = 7,
	MRC_QP_RNR_TIMER_MAX = 31,
	/* Retries with a constant RTO; it doubles with each later one. */
	MRC_QP_LINEAR_CNT = 3,
	/* Timeout code for responses before RTS: 67 ms. */
	MRC_QP_TIMEOUT_RTR = 14,
	/* Messages in flight: work requests, and a quarter for responses to the peer. */
	MRC_QP_MSGS_MIN = 64,
	MRC_QP_MSGS_PER_RESPONSE = 4,
};

/* IBTA 9.7.6.1.3: the timeout is 4.096 us * 2^n; 0 turns it off. */
#define MRC_QP_TIMEOUT_UNIT_NS 4096ULL

/**
 * struct mrc_qp_check - check of one attribute or of a group
 * @mask: enum ib_qp_attr_mask; checked if any of these is set
 * @name: for the debug message
 * @ok: returns whether the value is acceptable
 */
struct mrc_qp_check {
	int mask;
	const char *name;
	bool (*ok)(const struct mrc_qp *qp, const struct ib_qp_attr *attr);
};

static bool mrc_qp_pkey_ok(const struct mrc_qp *qp,
			   const struct ib_qp_attr *attr)
{
	return attr->pkey_index < MRC_PKEY_TBL_LEN;
}

static bool mrc_qp_port_ok(const struct mrc_qp *qp,
			   const struct ib_qp_attr *attr)
{
	return rdma_is_port_valid(qp->ib.device, attr->port_num);
}

static bool mrc_qp_access_ok(const struct mrc_qp *qp,
			     const struct ib_qp_attr *attr)
{
	return !(attr->qp_access_flags & ~MRC_QP_ACCESS);
}

static bool mrc_qp_mtu_ok(const struct mrc_qp *qp,
			  const struct ib_qp_attr *attr)
{
	int mtu = ib_mtu_enum_to_int(attr->path_mtu);

	return mtu >= MRC_PMTU_MIN && mtu <= MRC_PMTU_MAX &&
	       mtu <= (int)mrc_nic_pmtu(qp->conn.nic);
}

static bool mrc_qp_dest_ok(const struct mrc_qp *qp,
			   const struct ib_qp_attr *attr)
{
	/* 0 and 1 are management QPs, the highest number is multicast. */
	return attr->dest_qp_num > 1 && attr->dest_qp_num < IB_MULTICAST_QPN;
}

static bool mrc_qp_rq_psn_ok(const struct mrc_qp *qp,
			     const struct ib_qp_attr *attr)
{
	return !(attr->rq_psn & ~MRC_PSN_MASK);
}

static bool mrc_qp_sq_psn_ok(const struct mrc_qp *qp,
			     const struct ib_qp_attr *attr)
{
	return !(attr->sq_psn & ~MRC_PSN_MASK);
}

static bool mrc_qp_timeout_ok(const struct mrc_qp *qp,
			      const struct ib_qp_attr *attr)
{
	return attr->timeout <= MRC_QP_TIMEOUT_MAX;
}

static bool mrc_qp_retry_ok(const struct mrc_qp *qp,
			    const struct ib_qp_attr *attr)
{
	return attr->retry_cnt <= MRC_QP_RETRY_MAX;
}

static bool mrc_qp_rnr_retry_ok(const struct mrc_qp *qp,
				const struct ib_qp_attr *attr)
{
	return attr->rnr_retry <= MRC_QP_RETRY_MAX;
}

static bool mrc_qp_rnr_timer_ok(const struct mrc_qp *qp,
				const struct ib_qp_attr *attr)
{
	return attr->min_rnr_timer <= MRC_QP_RNR_TIMER_MAX;
}

static bool mrc_qp_rd_atomic_ok(const struct mrc_qp *qp,
				const struct ib_qp_attr *attr)
{
	return attr->max_rd_atomic <= MRC_RD_ATOMIC_MAX;
}

static bool mrc_qp_dest_rd_atomic_ok(const struct mrc_qp *qp,
				     const struct ib_qp_attr *attr)
{
	return attr->max_dest_rd_atomic <= MRC_RD_ATOMIC_MAX;
}

static bool mrc_qp_mig_ok(const struct mrc_qp *qp,
			  const struct ib_qp_attr *attr)
{
	return attr->path_mig_state == IB_MIG_MIGRATED;
}

static bool mrc_qp_refused(const struct mrc_qp *qp,
			   const struct ib_qp_attr *attr)
{
	return false;
}

static bool mrc_qp_av_ok(const struct mrc_qp *qp,
			 const struct ib_qp_attr *attr)
{
	return !mrc_ah_check(&attr->ah_attr);
}

static const struct mrc_qp_check mrc_qp_checks[] = {
	{ IB_QP_PKEY_INDEX, "pkey_index", mrc_qp_pkey_ok },
	{ IB_QP_PORT, "port_num", mrc_qp_port_ok },
	{ IB_QP_ACCESS_FLAGS, "qp_access_flags", mrc_qp_access_ok },
	{ IB_QP_AV, "ah_attr", mrc_qp_av_ok },
	{ IB_QP_PATH_MTU, "path_mtu", mrc_qp_mtu_ok },
	{ IB_QP_DEST_QPN, "dest_qp_num", mrc_qp_dest_ok },
	{ IB_QP_RQ_PSN, "rq_psn", mrc_qp_rq_psn_ok },
	{ IB_QP_SQ_PSN, "sq_psn", mrc_qp_sq_psn_ok },
	{ IB_QP_TIMEOUT, "timeout", mrc_qp_timeout_ok },
	{ IB_QP_RETRY_CNT, "retry_cnt", mrc_qp_retry_ok },
	{ IB_QP_RNR_RETRY, "rnr_retry", mrc_qp_rnr_retry_ok },
	{ IB_QP_MIN_RNR_TIMER, "min_rnr_timer", mrc_qp_rnr_timer_ok },
	{ IB_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic", mrc_qp_rd_atomic_ok },
	{ IB_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic",
	  mrc_qp_dest_rd_atomic_ok },
	{ IB_QP_PATH_MIG_STATE, "path_mig_state", mrc_qp_mig_ok },
	{ IB_QP_ALT_PATH | IB_QP_RATE_LIMIT, "alt_path or rate_limit",
	  mrc_qp_refused },
};

static int mrc_qp_check_attrs(const struct mrc_qp *qp,
			      const struct ib_qp_attr *attr, int mask)
{
	const struct mrc_qp_check *check;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mrc_qp_checks); i++) {
		check = &mrc_qp_checks[i];
		if (!(mask & check->mask) || check->ok(qp, attr))
			continue;
		ibdev_dbg(qp->ib.device, "QP %u: %s is not acceptable\n",
			  qp->ib.qp_num, check->name);
		return -EINVAL;
	}
	return 0;
}

static int mrc_qp_check_states(const struct mrc_qp *qp,
			       const struct ib_qp_attr *attr, int mask,
			       enum ib_qp_state *next)
{
	*next = mask & IB_QP_STATE ? attr->qp_state : qp->state;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_CUR_STATE && attr->cur_qp_state != qp->state) ||
	    !ib_modify_qp_is_ok(qp->state, *next, qp->ib.qp_type, mask)) {
		ibdev_dbg(qp->ib.device,
			  "QP %u: from state %d to %d with attributes %#x is not allowed\n",
			  qp->ib.qp_num, qp->state, *next, mask);
		return -EINVAL;
	}
	/* Requester and addresses cannot be changed after RTS. */
	if (qp->state == IB_QPS_SQD && mask & MRC_QP_FIXED_ATTRS)
		return -EOPNOTSUPP;
	return 0;
}

static void mrc_qp_conn_attr(const struct ib_qp_attr *attr,
			     struct mrc_conn_attr *out)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);

	memcpy(&out->sgid, grh->sgid_attr->gid.raw, sizeof(out->sgid));
	memcpy(&out->dgid, grh->dgid.raw, sizeof(out->dgid));
	out->tclass = grh->traffic_class;
	out->hop_limit = grh->hop_limit;
}

static u32 mrc_qp_msgs(const struct mrc_qp *qp, const struct ib_qp_attr *attr)
{
	u32 responses = mrc_rd_atomic_slots(attr->max_dest_rd_atomic);

	return max3(mrc_sq_entries(&qp->sq), MRC_QP_MSGS_PER_RESPONSE * responses,
		    (u32)MRC_QP_MSGS_MIN);
}

/*
 * Configuration of the requester from the attributes of RTR.  Values that follow only
 * with RTS have defaults.
 */
static void mrc_qp_req_cfg(const struct mrc_qp *qp,
			   const struct ib_qp_attr *attr,
			   struct mrc_req_cfg *cfg)
{
	*cfg = (struct mrc_req_cfg){
		.dest_qpn = attr->dest_qp_num,
		.rq_psn = attr->rq_psn,
		.pmtu = ib_mtu_enum_to_int(attr->path_mtu),
		.mpr = MRC_MPR_DEFAULT,
		.max_msgs = mrc_qp_msgs(qp, attr),
		.max_responses = attr->max_dest_rd_atomic,
		.max_wimm = MRC_MAX_WIMM,
		.burst = READ_ONCE(qp->conn.nic->burst),
		.timeout_ns = MRC_QP_TIMEOUT_UNIT_NS << MRC_QP_TIMEOUT_RTR,
		.linear_cnt = MRC_QP_LINEAR_CNT,
		.exp_cnt = MRC_QP_RETRY_MAX - MRC_QP_LINEAR_CNT,
		.rnr_retry = MRC_QP_RETRY_MAX,
		.ts = true,
	};
}

/*
 * IBTA 9.4.4: a QP in RTR must respond to READ requests.  Responses are messages that
 * the requester sends, so it is started before RTS.
 */
static int mrc_qp_start_responses(struct mrc_qp *qp, const struct ib_qp_attr *attr)
{
	struct mrc_req_cfg cfg;
	int err;

	if (!attr->max_dest_rd_atomic)
		return 0;
	mrc_qp_req_cfg(qp, attr, &cfg);
	err = mrc_conn_start(&qp->conn, &cfg, true);
	if (err)
		mrc_conn_reset(&qp->conn);
	return err;
}

static void mrc_qp_rsp_cfg(const struct ib_qp_attr *attr,
			   struct mrc_rsp_cfg *cfg)
{
	*cfg = (struct mrc_rsp_cfg){
		.peer_qpn = attr->dest_qp_num,
		.rq_psn = attr->rq_psn,
		.mpr = MRC_MPR_DEFAULT,
		.max_wimm = MRC_MAX_WIMM,
		.max_dest_rd_atomic = attr->max_dest_rd_atomic,
		.sack_threshold = MRC_SACK_THRESHOLD,
	};
}

/**
 * mrc_qp_default_cfgs() - configuration before verbs have set attributes
 * @qp: queue pair
 * @req: configuration of the requester, filled in
 * @rsp: configuration of the responder, filled in
 *
 * Context: any.
 */
void mrc_qp_default_cfgs(const struct mrc_qp *qp, struct mrc_req_cfg *req,
			 struct mrc_rsp_cfg *rsp)
{
	static const struct ib_qp_attr attr = { .path_mtu = IB_MTU_4096 };

	mrc_qp_req_cfg(qp, &attr, req);
	mrc_qp_rsp_cfg(&attr, rsp);
}

/* The completion vector that the process has chosen for what it receives, or sends. */
static u32 mrc_qp_vector(const struct mrc_qp *qp)
{
	return mrc_cq_from_ib(qp->ib.recv_cq)->vector ?:
	       mrc_cq_from_ib(qp->ib.send_cq)->vector;
}

static int mrc_qp_to_rtr(struct mrc_qp *qp, const struct ib_qp_attr *attr)
{
	struct mrc_conn_attr conn_attr;
	struct mrc_rsp_cfg cfg;
	int err;

	mrc_qp_rsp_cfg(attr, &cfg);
	mrc_qp_conn_attr(attr, &conn_attr);
	err = mrc_conn_quarantine_wait(&qp->conn, &conn_attr);
	if (err)
		return err;
	qp->conn.vector = mrc_qp_vector(qp);
	/* Packets may arrive before mrc_conn_open() has returned. */
	WRITE_ONCE(qp->state, IB_QPS_RTR);
	err = mrc_conn_open(&qp->conn, &conn_attr, &cfg, attr->min_rnr_timer,
			    ib_mtu_enum_to_int(attr->path_mtu));
	if (!err)
		err = mrc_qp_start_responses(qp, attr);
	if (err)
		WRITE_ONCE(qp->state, IB_QPS_INIT);
	return err;
}

static int mrc_qp_to_rts(struct mrc_qp *qp, const struct ib_qp_attr *attr)
{
	const u8 linear_cnt = min_t(u8, attr->retry_cnt, MRC_QP_LINEAR_CNT);
	struct mrc_req_cfg cfg;
	int err;

	mrc_qp_req_cfg(qp, &qp->attr, &cfg);
	cfg.sq_psn = attr->sq_psn;
	cfg.max_rd_atomic = attr->max_rd_atomic;
	cfg.timeout_ns = attr->timeout ?
			 MRC_QP_TIMEOUT_UNIT_NS << attr->timeout : 0;
	cfg.linear_cnt = linear_cnt;
	cfg.exp_cnt = attr->retry_cnt - linear_cnt;
	cfg.rnr_retry = attr->rnr_retry;
	err = mrc_conn_start(&qp->conn, &cfg, false);
	if (!err)
		WRITE_ONCE(qp->state, IB_QPS_RTS);
	return err;
}

/* Between RTS and SQD: stops fetching work requests, or continues. */
static void mrc_qp_suspend_sends(struct mrc_qp *qp, enum ib_qp_state next,
				 bool notify)
{
	if (next == qp->state)
		return;
	WRITE_ONCE(qp->state, next);
	if (next == IB_QPS_SQD) {
		mrc_sq_suspend(&qp->conn, notify);
		return;
	}
	mrc_sq_resume(&qp->conn);
	mrc_conn_doorbell(&qp->conn);
}

static int mrc_qp_transit(struct mrc_qp *qp, const struct ib_qp_attr *attr,
			  int mask, enum ib_qp_state next)
{
	switch (next) {
	case IB_QPS_RESET:
		mrc_qp_to_reset(qp);
		mrc_conn_clear_opts(&qp->conn);
		return 0;
	case IB_QPS_INIT:
		WRITE_ONCE(qp->state, IB_QPS_INIT);
		return 0;
	case IB_QPS_RTR:
		return mrc_qp_is_ud(qp) ? mrc_ud_open(qp) :
					  mrc_qp_to_rtr(qp, attr);
	case IB_QPS_RTS:
		if (qp->state == IB_QPS_RTR)
			return mrc_qp_is_ud(qp) ? mrc_ud_start(qp) :
						  mrc_qp_to_rts(qp, attr);
		if (qp->state == IB_QPS_SQE)
			mrc_qp_sqe_to_rts(qp);
		else
			mrc_qp_suspend_sends(qp, next, false);
		return 0;
	case IB_QPS_SQD:
		mrc_qp_suspend_sends(qp, next, mask & IB_QP_EN_SQD_ASYNC_NOTIFY &&
				     attr->en_sqd_async_notify);
		return 0;
	case IB_QPS_ERR:
		if (qp->state != IB_QPS_ERR)
			mrc_qp_to_error(qp);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Access flags apply to the peer's first packet: set them before the transition. */
static void mrc_qp_apply(struct mrc_qp *qp, const struct ib_qp_attr *attr,
			 int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		WRITE_ONCE(qp->access, attr->qp_access_flags);
	if (mask & IB_QP_QKEY)
		WRITE_ONCE(qp->qkey, attr->qkey);
	if (mask & IB_QP_MIN_RNR_TIMER)
		WRITE_ONCE(qp->conn.rnr_timer, attr->min_rnr_timer);
}

static void mrc_qp_keep_av(struct mrc_qp *qp, const struct ib_qp_attr *attr)
{
	struct rdma_ah_attr *av = &qp->attr.ah_attr;

	*av = attr->ah_attr;
	/* The RDMA core holds the reference; the pointer is not kept. */
	av->grh.sgid_attr = NULL;
}

static void mrc_qp_keep(struct mrc_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_AV)
		mrc_qp_keep_av(qp, attr);
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
}

/**
 * mrc_qp_modify() - change attributes and state
 * @ibqp: queue pair
 * @attr: new values
 * @mask: enum ib_qp_attr_mask of the values that are set
 * @udata: empty; NULL for users in the kernel
 *
 * Return: 0; -EINVAL if the transition or a value is not acceptable (reported with
 * dynamic debug); -EOPNOTSUPP; -EINTR if the process was killed while the QP waited
 * for packets of its previous connection; or the error of the net layer if there is
 * no path to the peer.
 */
int mrc_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);
	enum ib_qp_state next;
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return err;

	/* A failure that is being handled determines the current state. */
	flush_work(&qp->err_work);
	mutex_lock(&qp->mutex);
	err = mrc_qp_check_states(qp, attr, mask, &next);
	if (!err)
		err = mrc_qp_check_attrs(qp, attr, mask);
	if (err)
		goto out;

	mrc_qp_apply(qp, attr, mask);
	err = mrc_qp_transit(qp, attr, mask, next);
	if (!err)
		mrc_qp_keep(qp, attr, mask);
out:
	mutex_unlock(&qp->mutex);
	return err;
}
