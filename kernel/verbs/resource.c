// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver-specific attributes of objects in "rdma -dd resource show".
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>
#include "verbs/cq.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "verbs/ring.h"
#include "verbs/srq.h"

/**
 * struct mrc_snapshot - a value of an object at one moment
 * @name: as shown
 * @value: the value
 */
struct mrc_snapshot {
	const char *name;
	u64 value;
};

/*
 * Values of the requester and of the send queue; req_lock held.  sq_outstanding
 * counts WQEs taken off the ring and not completed.
 */
static size_t mrc_qp_snapshot_tx(struct mrc_qp *qp, struct mrc_snapshot *s)
{
	const struct mrc_req *req = &qp->conn.req;
	const struct mrc_snapshot now[] = {
		{ "sq_outstanding", qp->sq.fetch - qp->sq.done },
		{ "inflight_bytes", req->inflight },
		{ "cwnd", req->cc.cwnd },
		{ "srtt_ns", req->rtt.srtt },
		{ "lost_pkts", req->n_lost },
		{ "retries", req->rto.retries },
		{ "rnr_retries", req->backoff.rnr_retries },
		{ "tx_pkts", req->stats.tx_pkts },
		{ "retrans_pkts", req->stats.rtx_pkts },
		{ "timeouts", req->stats.timeouts },
		{ "paths", qp->conn.evs ? qp->conn.evs->n : 0 },
		{ "paths_active", qp->conn.evs ? qp->conn.evs->n_active : 0 },
	};

	lockdep_assert_held(&qp->conn.req_lock);
	memcpy(s, now, sizeof(now));
	return ARRAY_SIZE(now);
}

/*
 * Values of the responder and of the receive queue; rsp_lock held.  rq_fetched
 * counts WQEs taken off the ring and not filled.
 */
static size_t mrc_qp_snapshot_rx(struct mrc_qp *qp, struct mrc_snapshot *s)
{
	const struct mrc_rsp *rsp = &qp->conn.rsp;
	const struct mrc_snapshot now[] = {
		{ "rq_fetched", qp->rq.fetch - qp->rq.head },
		{ "ooo_pkts", rsp->ooo },
		{ "rx_pkts", rsp->stats.rx_pkts },
		{ "duplicates", rsp->stats.dups },
	};

	lockdep_assert_held(&qp->conn.rsp_lock);
	memcpy(s, now, sizeof(now));
	return ARRAY_SIZE(now);
}

static int mrc_snapshot_put(struct sk_buff *msg, const struct mrc_snapshot *s,
			    size_t n)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	size_t i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < n; i++) {
		if (rdma_nl_put_driver_u64(msg, s[i].name, s[i].value)) {
			nla_nest_cancel(msg, nest);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, nest);
	return 0;
}

/**
 * mrc_qp_fill_res() - add the state of a QP to a netlink message
 * @msg: message
 * @ibqp: queue pair
 *
 * Return: 0, or -EMSGSIZE if the message is full.
 */
int mrc_qp_fill_res(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);
	struct mrc_snapshot s[24];
	size_t n;

	spin_lock_bh(&qp->conn.req_lock);
	n = mrc_qp_snapshot_tx(qp, s);
	spin_unlock_bh(&qp->conn.req_lock);
	spin_lock_bh(&qp->conn.rsp_lock);
	n += mrc_qp_snapshot_rx(qp, s + n);
	spin_unlock_bh(&qp->conn.rsp_lock);

	return mrc_snapshot_put(msg, s, n);
}

/**
 * mrc_cq_fill_res() - add the state of a CQ to a netlink message
 * @msg: message
 * @ibcq: completion queue; the RDMA core calls this also while and after the queue
 *	is destroyed: then there is no ring
 *
 * Return: 0, or -EMSGSIZE if the message is full.
 */
int mrc_cq_fill_res(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct mrc_cq *cq = mrc_cq_from_ib(ibcq);
	struct mrc_snapshot s[] = {
		{ .name = "cqes" },
		{ .name = "waiting" },
		{ .name = "armed" },
		{ .name = "moderation_count" },
		{ .name = "moderation_usecs" },
		{ .name = "overrun" },
	};

	spin_lock_bh(&cq->lock);
	s[0].value = cq->prod;
	if (cq->ring)
		s[1].value = cq->prod - mrc_ring_cons(cq->ring);
	s[2].value = cq->armed != MRC_CQ_IDLE;
	s[3].value = cq->count;
	s[4].value = cq->period;
	s[5].value = cq->dead;
	spin_unlock_bh(&cq->lock);
	return mrc_snapshot_put(msg, s, ARRAY_SIZE(s));
}

/**
 * mrc_mr_fill_res() - add the state of a memory region to a netlink message
 * @msg: message
 * @ibmr: region
 *
 * Return: 0, or -EMSGSIZE if the message is full.
 */
int mrc_mr_fill_res(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct mrc_mr *mr = mrc_mr_from_ib(ibmr);
	const struct mrc_region *region = &mr->region;
	const struct mrc_snapshot s[] = {
		{ "length", region->length },
		{ "access", region->access },
		{ "valid", READ_ONCE(region->valid) },
		{ "windows", max(atomic_read(&region->windows), 0) },
		{ "dmabuf", !!mr->dmabuf },
	};

	return mrc_snapshot_put(msg, s, ARRAY_SIZE(s));
}

/**
 * mrc_srq_fill_res() - add the state of a shared receive queue to a netlink message
 * @msg: message
 * @ibsrq: queue; the RDMA core calls this also while and after the queue is
 *	destroyed: then there is no ring
 *
 * Return: 0, or -EMSGSIZE if the message is full.
 */
int mrc_srq_fill_res(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	struct mrc_srq *srq = mrc_srq_from_ib(ibsrq);
	struct mrc_snapshot s[] = {
		{ .name = "wqes" },
		{ .name = "waiting" },
		{ .name = "sges", .value = srq->max_sge },
		{ .name = "limit" },
		{ .name = "bad" },
	};

	spin_lock_bh(&srq->lock);
	if (srq->ring) {
		s[0].value = srq->ring->entries;
		s[1].value = mrc_ring_prod(srq->ring) - srq->head;
	}
	s[3].value = srq->limit;
	s[4].value = srq->bad;
	spin_unlock_bh(&srq->lock);
	return mrc_snapshot_put(msg, s, ARRAY_SIZE(s));
}
