// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: show them, with their paths if requested.
 */
#include <linux/mrc.h>

#include "control/genl.h"
#include "control/qp_attr.h"
#include "core/lb.h"
#include "core/req_internal.h"
#include "net/conn.h"
#include "net/home.h"
#include "net/peer.h"
#include "path/resolve.h"
#include "verbs/device.h"
#include "verbs/qp.h"

static u32 mrc_genl_qp_state(enum ib_qp_state state)
{
	static const u8 states[] = {
		[IB_QPS_RESET] = MRC_QP_STATE_RESET,
		[IB_QPS_INIT] = MRC_QP_STATE_INIT,
		[IB_QPS_RTR] = MRC_QP_STATE_RTR,
		[IB_QPS_RTS] = MRC_QP_STATE_RTS,
		[IB_QPS_SQD] = MRC_QP_STATE_SQD,
		[IB_QPS_SQE] = MRC_QP_STATE_SQE,
		[IB_QPS_ERR] = MRC_QP_STATE_ERR,
	};

	return states[state];
}

/**
 * struct mrc_genl_conn - a connection at one moment
 * @open: it has a peer; the rest is valid then
 * @started: its requester has been set up; the fields of the requester are
 *	valid then
 * @icrc: data packets to the peer carry the ICRC
 * @dest_qpn: peer's QP
 * @una: oldest PSN not acknowledged
 * @nxt: next new PSN
 * @inflight: bytes in flight
 * @cwnd: congestion window, bytes
 * @srtt: ns
 * @base_rtt: ns; 0: not known
 * @rate: Mb/s; 0: the algorithm has none
 * @reo_wnd_path: ns, reordering window of packets of one path
 * @reo_wnd_any: ns, likewise of different paths
 * @source: enum mrc_path_source
 * @home: processor that processes data, or MRC_HOME_NONE
 * @ack_home: processor that processes acknowledgments, likewise
 * @algorithm: congestion control
 * @lb: load balancer
 * @req: counters of the requester
 * @rsp: counters of the responder
 */
struct mrc_genl_conn {
	bool open;
	bool started;
	bool icrc;
	u32 dest_qpn;
	u32 una;
	u32 nxt;
	u32 inflight;
	u32 cwnd;
	u32 srtt;
	u32 base_rtt;
	u32 rate;
	u32 reo_wnd_path;
	u32 reo_wnd_any;
	u8 source;
	int home;
	int ack_home;
	const char *algorithm;
	const char *lb;
	struct mrc_req_stats req;
	struct mrc_rsp_stats rsp;
};

static u32 mrc_genl_ns(u64 ns)
{
	return min_t(u64, ns, U32_MAX);
}

static void mrc_genl_conn_read(struct mrc_conn *conn, struct mrc_genl_conn *c)
{
	const struct mrc_req *req = &conn->req;

	memset(c, 0, sizeof(*c));
	spin_lock_bh(&conn->nic->lock);
	c->open = conn->evs;
	c->source = conn->source;
	c->home = READ_ONCE(conn->home);
	c->ack_home = READ_ONCE(conn->ack_home);
	c->icrc = c->open && !READ_ONCE(conn->peer->noicrc);
	spin_unlock_bh(&conn->nic->lock);
	if (!c->open)
		return;

	spin_lock_bh(&conn->req_lock);
	/* The requester may not be set up yet, or its paths be released. */
	c->started = conn->req_mem && conn->evs;
	if (c->started) {
		c->una = req->una;
		c->nxt = req->nxt;
		c->inflight = req->inflight;
		c->cwnd = req->cc.cwnd;
		c->srtt = req->rtt.srtt;
		c->base_rtt = mrc_cc_base_rtt(&req->cc) ?: req->rtt.min;
		c->rate = mrc_cc_rate(&req->cc);
		c->reo_wnd_path = mrc_genl_ns(mrc_req_reo_wnd_path(req));
		c->reo_wnd_any = mrc_genl_ns(mrc_req_reo_wnd_any(req));
		c->algorithm = req->cc.ops->name;
		c->lb = conn->evs->ops->name;
		c->req = req->stats;
	}
	spin_unlock_bh(&conn->req_lock);

	spin_lock_bh(&conn->rsp_lock);
	c->dest_qpn = conn->rsp.cfg.peer_qpn;
	c->rsp = conn->rsp.stats;
	spin_unlock_bh(&conn->rsp_lock);
}

static int mrc_genl_put_conn_counters(struct sk_buff *skb,
				      const struct mrc_genl_conn *c)
{
	const struct mrc_req_stats *req = &c->req;
	const struct mrc_rsp_stats *rsp = &c->rsp;
	const struct mrc_genl_counter counters[] = {
		{ MRC_A_QP_COUNTERS_TX_PKTS, req->tx_pkts },
		{ MRC_A_QP_COUNTERS_TX_BYTES, req->tx_bytes },
		{ MRC_A_QP_COUNTERS_RTX_PKTS, req->rtx_pkts },
		{ MRC_A_QP_COUNTERS_RTX_BYTES, req->rtx_bytes },
		{ MRC_A_QP_COUNTERS_RACK_LOSS_PATH, req->rack_loss_path },
		{ MRC_A_QP_COUNTERS_RACK_LOSS_ANY, req->rack_loss_any },
		{ MRC_A_QP_COUNTERS_TIMEOUTS, req->timeouts },
		{ MRC_A_QP_COUNTERS_SACKS_RX, req->sacks },
		{ MRC_A_QP_COUNTERS_NACKS_RX, req->nacks },
		{ MRC_A_QP_COUNTERS_RNR_RX, req->rnr_naks },
		{ MRC_A_QP_COUNTERS_PROBES_TX, req->probes },
		{ MRC_A_QP_COUNTERS_STALLS_MPR, req->stalls_mpr },
		{ MRC_A_QP_COUNTERS_STALLS_CWND, req->stalls_cwnd },
		{ MRC_A_QP_COUNTERS_STALLS_PATH, req->stalls_path },
		{ MRC_A_QP_COUNTERS_RX_PKTS, rsp->rx_pkts },
		{ MRC_A_QP_COUNTERS_RX_BYTES, rsp->rx_bytes },
		{ MRC_A_QP_COUNTERS_RX_DUPS, rsp->dups },
		{ MRC_A_QP_COUNTERS_RX_OOO, rsp->ooo },
		{ MRC_A_QP_COUNTERS_RX_WINDOW, rsp->out_of_window },
		{ MRC_A_QP_COUNTERS_RX_ECN, rsp->ecn },
		{ MRC_A_QP_COUNTERS_SACKS_TX, rsp->sacks },
		{ MRC_A_QP_COUNTERS_ACKS_TX, rsp->acks },
		{ MRC_A_QP_COUNTERS_NACKS_TX, rsp->nacks },
		{ MRC_A_QP_COUNTERS_RNR_TX, rsp->rnr_naks },
		{ MRC_A_QP_COUNTERS_SPURIOUS, req->spurious },
	};

	return mrc_genl_put_qp_counters(skb, MRC_A_QP_COUNTERS, counters,
					ARRAY_SIZE(counters));
}

static int mrc_genl_put_conn(struct sk_buff *skb, const struct mrc_conn *conn,
			     const struct mrc_genl_conn *c)
{
	static const u32 modes[] = {
		[MRC_PATHS_AUTO] = MRC_PATH_MODE_AUTO,
		[MRC_PATHS_EXPLICIT] = MRC_PATH_MODE_EXPLICIT,
		[MRC_PATHS_PROFILE] = MRC_PATH_MODE_PROFILE,
	};

	if (nla_put_in6_addr(skb, MRC_A_QP_SRC, &conn->attr.sgid) ||
	    nla_put_in6_addr(skb, MRC_A_QP_DST, &conn->attr.dgid) ||
	    nla_put_u32(skb, MRC_A_QP_DST_QPN, c->dest_qpn) ||
	    nla_put_u32(skb, MRC_A_QP_MODE, modes[c->source]) ||
	    nla_put_u32(skb, MRC_A_QP_ICRC, c->icrc) ||
	    mrc_genl_put_conn_counters(skb, c))
		return -EMSGSIZE;
	if (c->home != MRC_HOME_NONE &&
	    (nla_put_u32(skb, MRC_A_QP_HOME, c->home) ||
	     nla_put_u32(skb, MRC_A_QP_ACK_HOME, c->ack_home)))
		return -EMSGSIZE;
	if (!c->started)
		return 0;
	return nla_put_u32(skb, MRC_A_QP_UNA, c->una) ?:
	       nla_put_u32(skb, MRC_A_QP_NXT, c->nxt) ?:
	       nla_put_u32(skb, MRC_A_QP_INFLIGHT, c->inflight) ?:
	       nla_put_u32(skb, MRC_A_QP_CWND, c->cwnd) ?:
	       nla_put_u32(skb, MRC_A_QP_SRTT, c->srtt) ?:
	       nla_put_u32(skb, MRC_A_QP_BASE_RTT, c->base_rtt) ?:
	       nla_put_u32(skb, MRC_A_QP_RATE, c->rate) ?:
	       nla_put_u32(skb, MRC_A_QP_REO_WND_PATH, c->reo_wnd_path) ?:
	       nla_put_u32(skb, MRC_A_QP_REO_WND_ANY, c->reo_wnd_any) ?:
	       nla_put_string(skb, MRC_A_QP_ALGORITHM, c->algorithm) ?:
	       nla_put_string(skb, MRC_A_QP_LB, c->lb);
}

/* Attributes that only the first message of a QP has. */
static int mrc_genl_put_qp(struct sk_buff *skb, struct mrc_qp *qp)
{
	struct mrc_genl_conn c;

	if (nla_put_u32(skb, MRC_A_QP_STATE,
			mrc_genl_qp_state(READ_ONCE(qp->state))))
		return -EMSGSIZE;
	if (mrc_genl_put_qp_attrs(skb, qp))
		return -EMSGSIZE;
	mrc_genl_conn_read(&qp->conn, &c);
	return c.open ? mrc_genl_put_conn(skb, &qp->conn, &c) : 0;
}

static int mrc_genl_put_qp_path(struct sk_buff *skb,
				const struct mrc_conn *conn, u16 i)
{
	const struct mrc_ev *ev = &conn->evs->ev[i];
	struct nlattr *nest;

	nest = nla_nest_start(skb, MRC_A_QP_PATH);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, MRC_A_PATH_EV, ev->value) ||
	    nla_put_u32(skb, MRC_A_PATH_PORT, ev->plane) ||
	    (conn->srv6 && mrc_genl_put_sid(skb, &conn->paths[i].sid,
					    MRC_A_PATH_SID, MRC_A_PATH_SRH)) ||
	    nla_put_u32(skb, MRC_A_PATH_STATE,
			mrc_genl_path_state(conn->evs, i)) ||
	    nla_put_u32(skb, MRC_A_PATH_SRTT, READ_ONCE(ev->srtt)) ||
	    mrc_genl_put_ev_stats(skb, &ev->stats)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* As many paths as fit, from @slot on. */
static int mrc_genl_put_qp_paths(struct sk_buff *skb, struct mrc_conn *conn,
				 u16 *slot)
{
	int ret = 0;

	spin_lock_bh(&conn->nic->lock);
	while (conn->evs && *slot < conn->evs->n) {
		ret = mrc_genl_put_qp_path(skb, conn, *slot);
		if (ret)
			break;
		(*slot)++;
	}
	spin_unlock_bh(&conn->nic->lock);
	return ret;
}

/* One message: a QP, or the continuation of one. */
static int mrc_genl_qp_message(struct mrc_genl_dump *d, struct mrc_qp *qp)
{
	struct mrc_device *dev = mrc_qp_device(qp);
	struct mrc_genl_pos *pos = d->pos;
	u16 slot = pos->slot;
	int ret = 0;
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_QP_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_QP_DEV, mrc_device_name(dev)) ||
	    nla_put_u32(d->skb, MRC_A_QP_QPN, qp->conn.qpn) ||
	    (!pos->begun && mrc_genl_put_qp(d->skb, qp))) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	if (d->tb[MRC_A_QP_PATHS])
		ret = mrc_genl_put_qp_paths(d->skb, &qp->conn, &pos->slot);
	/* Drop a continuation without any path. */
	if (pos->begun && pos->slot == slot)
		genlmsg_cancel(d->skb, hdr);
	else
		genlmsg_end(d->skb, hdr);
	pos->begun = true;
	return ret;
}

static int mrc_genl_qp_dump_one(struct mrc_qp *qp, void *arg)
{
	struct mrc_genl_dump *d = arg;
	struct mrc_genl_pos *pos = d->pos;
	const struct nlattr *wanted = d->tb[MRC_A_QP_QPN];
	int ret = 0;

	if (qp->conn.qpn != pos->qpn) {
		pos->qpn = qp->conn.qpn;
		pos->begun = false;
		pos->slot = 0;
	}
	/* QPs of datagrams have neither peer nor paths. */
	if (!mrc_qp_is_ud(qp) &&
	    (!wanted || nla_get_u32(wanted) == pos->qpn))
		ret = mrc_genl_qp_message(d, qp);
	if (ret)
		return ret;

	pos->qpn++;
	pos->begun = false;
	pos->slot = 0;
	return 0;
}

static int mrc_genl_qp_dump_dev(struct mrc_device *dev,
				struct mrc_genl_dump *d)
{
	return mrc_device_for_each_qp(dev, d->pos->qpn, mrc_genl_qp_dump_one,
				      d);
}

/**
 * mrc_nl_qp_get_dumpit() - show queue pairs
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and QPN as filters, whether to
 *	include the paths
 *
 * Return: as a dumpit function.
 */
int mrc_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_QP_DEV, mrc_genl_qp_dump_dev);
}
