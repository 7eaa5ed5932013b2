// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What "rdma resource show qp -dd" tells about a QP beyond the standard.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>
#include "verbs/qp.h"

/**
 * struct mrc_qp_snapshot - state of a QP at one moment
 * @name: as shown
 * @value: the value
 */
struct mrc_qp_snapshot {
	const char *name;
	u64 value;
};

/* Values of the requester and of the send queue; req_lock held. */
static size_t mrc_qp_snap_tx(struct mrc_qp *qp, struct mrc_qp_snapshot *s)
{
	const struct mrc_req *req = &qp->conn.req;
	const struct mrc_qp_snapshot now[] = {
		{ "sq_taken", qp->sq.fetch - qp->sq.done },
		{ "psn_una", req->una },
		{ "psn_next", req->nxt },
		{ "inflight_bytes", req->inflight },
		{ "cwnd", req->cc.cwnd },
		{ "srtt_ns", req->srtt },
		{ "lost_pkts", req->n_lost },
		{ "retries", req->retries },
		{ "rnr_retries", req->rnr_retries },
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

/* Values of the responder and of the receive queue; rsp_lock held. */
static size_t mrc_qp_snap_rx(struct mrc_qp *qp, struct mrc_qp_snapshot *s)
{
	const struct mrc_rsp *rsp = &qp->conn.rsp;
	const struct mrc_qp_snapshot now[] = {
		{ "rq_taken", qp->rq.fetch - qp->rq.head },
		{ "psn_cack", rsp->cack },
		{ "ooo_pkts", rsp->ooo },
		{ "rx_pkts", rsp->stats.rx_pkts },
		{ "duplicates", rsp->stats.dups },
	};

	lockdep_assert_held(&qp->conn.rsp_lock);
	memcpy(s, now, sizeof(now));
	return ARRAY_SIZE(now);
}

static int mrc_qp_put_snapshot(struct sk_buff *msg,
			       const struct mrc_qp_snapshot *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rdma_nl_put_driver_u64(msg, s[i].name, s[i].value))
			return -EMSGSIZE;
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
	struct mrc_qp_snapshot s[24];
	struct nlattr *nest;
	size_t n;

	nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!nest)
		return -EMSGSIZE;

	spin_lock_bh(&qp->conn.req_lock);
	n = mrc_qp_snap_tx(qp, s);
	spin_unlock_bh(&qp->conn.req_lock);
	spin_lock_bh(&qp->conn.rsp_lock);
	n += mrc_qp_snap_rx(qp, s + n);
	spin_unlock_bh(&qp->conn.rsp_lock);

	if (mrc_qp_put_snapshot(msg, s, n)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}
