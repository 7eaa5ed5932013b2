// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs for datagrams: type UD, and the management QPs of the ports (GSI).
 *
 * The queues are those of any QP.  The payload of a datagram is copied when it is
 * sent: its ICRC must stay correct if the application changes the buffer, because the
 * work request completes immediately.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <rdma/mrc-abi.h>
#include "core/wire.h"
#include "net/datagram.h"
#include "net/receive.h"
#include "net/txbuf.h"
#include "verbs/ah.h"
#include "verbs/qp.h"
#include "verbs/ud.h"

enum {
	/* Datagrams built under the lock before they are sent. */
	MRC_UD_BATCH = 16,
	/* 2^30 ns, about a second: time for which a UD QP keeps a path. */
	MRC_UD_PATH_SHIFT = 30,
};

/* IBTA 10.2.5: a work request with this bit uses the Q_Key of its own QP. */
#define MRC_UD_OWN_QKEY 0x80000000u

/**
 * struct mrc_ud_item - a datagram that has been built
 * @skb: buffer
 * @av: address vector; valid on the RCU read side
 * @path_index: selects the path, for mrc_datagram_send()
 */
struct mrc_ud_item {
	struct sk_buff *skb;
	const struct mrc_av *av;
	u32 path_index;
};

static void mrc_ud_describe(const struct mrc_qp *qp,
			    const struct mrc_sq_work *work,
			    struct mrc_datagram *d)
{
	const struct mrc_sqe *sqe = work->sqe;

	*d = (struct mrc_datagram){
		.dest_qpn = sqe->remote_qpn & MRC_MASK_24,
		.src_qpn = qp->ib.qp_num,
		.qkey = sqe->rkey & MRC_UD_OWN_QKEY ?
				READ_ONCE(qp->qkey) : sqe->rkey,
		.psn = qp->sq.fetch,
		.imm = (__force __be32)sqe->imm,
		.payload_len = work->length,
		.has_imm = sqe->opcode == IB_WR_SEND_WITH_IMM,
		.solicited = sqe->flags & MRC_SQE_SOLICITED,
	};
}

/*
 * Applications prefer datagrams in order, so a UD QP keeps its path for a while.  A
 * connection manager retransmits lost datagrams, so its QP changes the path with each
 * datagram: the retransmission takes another path.
 */
static u32 mrc_ud_path_index(const struct mrc_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_GSI ? qp->sq.fetch :
			(u32)(ktime_get_ns() >> MRC_UD_PATH_SHIFT);
}

static enum mrc_status mrc_ud_build(struct mrc_qp *qp,
				    const struct mrc_sq_work *work,
				    struct mrc_ud_item *item)
{
	struct mrc_txbuf tb = { .copy = true };
	enum mrc_status status;
	struct mrc_datagram d;

	item->skb = NULL;
	if (work->status)
		return work->status;
	if (work->length > qp->conn.pmtu)
		return MRC_ERR_LOC_LEN;
	item->av = mrc_ah_find(mrc_qp_device(qp), work->sqe->ah, qp->ib.pd);
	if (!item->av)
		return MRC_ERR_LOC_QP_OP;
	item->path_index = mrc_ud_path_index(qp);
	mrc_ud_describe(qp, work, &d);
	tb.skb = mrc_datagram_alloc(&d);
	tb.tail = tb.skb;
	if (!tb.skb) {
		/* As if lost in the network. */
		mrc_count(qp->conn.nic, TX_NOMEM);
		return MRC_OK;
	}
	status = mrc_sq_payload(&qp->conn, work->cookie, 0, work->length, &tb);
	if (status)
		kfree_skb(tb.skb);
	else
		item->skb = tb.skb;
	return status;
}

/* Fetches one work request and builds its datagram; false if there is none. */
static bool mrc_ud_next(struct mrc_qp *qp, struct mrc_ud_item *item)
{
	struct mrc_sq_work work;
	enum mrc_status status;

	if (!test_bit(MRC_CONN_DATAGRAM, &qp->conn.flags) ||
	    !mrc_sq_fetch_ud(&qp->conn, &work))
		return false;
	status = mrc_ud_build(qp, &work, item);
	mrc_sq_finish(&qp->conn, status);
	/* Later work requests are flushed. */
	if (status)
		mrc_qp_fail_sends(qp);
	return true;
}

/* &struct mrc_conn_ops.tx_datagrams */
static bool mrc_ud_send(struct mrc_conn *conn)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	struct mrc_ud_item items[MRC_UD_BATCH];
	u32 n = 0, i;

	spin_lock(&conn->req_lock);
	while (n < MRC_UD_BATCH && mrc_ud_next(qp, &items[n]))
		n++;
	spin_unlock(&conn->req_lock);
	for (i = 0; i < n; i++)
		if (items[i].skb)
			mrc_datagram_send(conn->nic, items[i].av,
					  items[i].path_index, items[i].skb);
	return n == MRC_UD_BATCH;
}

/*
 * The header in front of the payload (IBTA A17.4.5.2): the IPv6 header, or the IPv4
 * header preceded by zeros, up to the same length.
 */
static void mrc_ud_fill_grh(const struct mrc_rx *rx,
			    const struct mrc_datagram *d, u8 *grh)
{
	const u32 gap = sizeof(struct ipv6hdr) - sizeof(struct iphdr);
	struct ipv6hdr *ip6h = (struct ipv6hdr *)grh;

	BUILD_BUG_ON(sizeof(*ip6h) != MRC_GRH_LEN);
	if (rx->v4) {
		memset(grh, 0, gap);
		memcpy(grh + gap, rx->iph, sizeof(struct iphdr));
		return;
	}
	memcpy(grh, rx->iph, sizeof(*ip6h));
	/* GRO may have merged packets: the length of this one. */
	ip6h->payload_len = htons(sizeof(struct udphdr) + d->payload_off +
				  mrc_pkt_trailer_len(d->payload_len) +
				  d->payload_len);
}

/* &struct mrc_conn_ops.rx_datagram */
static enum mrc_drop mrc_ud_receive(struct mrc_conn *conn, struct mrc_rx *rx,
				    const struct mrc_datagram *d, u32 offset)
{
	struct mrc_qp *qp = mrc_qp_from_conn(conn);
	u8 grh[MRC_GRH_LEN] __aligned(sizeof(u64));
	struct mrc_cqe cqe = {
		.qpn = conn->qpn,
		.src_qpn = d->src_qpn,
		.byte_len = MRC_GRH_LEN + d->payload_len,
		.imm = (__force u32)d->imm,
		.opcode = IB_WC_RECV,
		.wc_flags = MRC_CQE_WITH_GRH |
			    (d->has_imm ? MRC_CQE_WITH_IMM : 0),
		.network_hdr = rx->v4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6,
	};
	enum mrc_drop why;

	/*
	 * ib.qp_num, not conn->qpn: the management QPs of all ports have the
	 * same number.
	 */
	if (d->dest_qpn != qp->ib.qp_num)
		return MRC_DROP_QPN;
	if (d->qkey != READ_ONCE(qp->qkey))
		return MRC_DROP_QKEY;
	mrc_ud_fill_grh(rx, d, grh);
	spin_lock(&conn->rsp_lock);
	why = mrc_rq_receive_datagram(conn, grh, &rx->buf,
				      offset + d->payload_off, d->payload_len,
				      &cqe, d->solicited);
	spin_unlock(&conn->rsp_lock);
	if (why)
		return why;
	mrc_count(conn->nic, DATAGRAM_RX);
	mrc_count(conn->nic, RECV_WRS);
	mrc_count_add(conn->nic, RECV_BYTES, d->payload_len);
	return MRC_DROP_NONE;
}

/* Operations of the connection of a QP for datagrams */
const struct mrc_conn_ops mrc_ud_conn_ops = {
	.tx_datagrams = mrc_ud_send,
	.rx_datagram = mrc_ud_receive,
};

/**
 * mrc_ud_create() - make a GSI QP the management QP of its port
 * @qp: queue pair of any type; other types are left unchanged
 * @init: attributes with the port number
 *
 * Context: process.
 * Return: 0; -EINVAL for an invalid port, -EBUSY if the port has a management QP.
 */
int mrc_ud_create(struct mrc_qp *qp, const struct ib_qp_init_attr *init)
{
	struct mrc_nic *nic = qp->conn.nic;

	if (qp->ib.qp_type != IB_QPT_GSI)
		return 0;
	if (!rdma_is_port_valid(qp->ib.device, init->port_num))
		return -EINVAL;
	qp->attr.port_num = init->port_num;
	qp->ib.qp_num = MRC_QPN_GSI;
	return mrc_nic_set_gsi(nic, init->port_num, &qp->conn);
}

/**
 * mrc_ud_destroy() - undo mrc_ud_create()
 * @qp: queue pair of any type, about to be destroyed
 *
 * Context: process.  A grace period must follow.
 */
void mrc_ud_destroy(struct mrc_qp *qp)
{
	if (qp->ib.qp_type == IB_QPT_GSI)
		mrc_nic_clear_gsi(qp->conn.nic, qp->attr.port_num);
}

/**
 * mrc_ud_open() - move a QP for datagrams to RTR: it may receive
 * @qp: queue pair for datagrams, in INIT, with its mutex held
 *
 * Return: 0.
 */
int mrc_ud_open(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);
	qp->conn.pmtu = mrc_nic_pmtu(qp->conn.nic);
	WRITE_ONCE(qp->state, IB_QPS_RTR);
	/* The state is visible before the bit that admits packets. */
	smp_mb__before_atomic();
	set_bit(MRC_CONN_DATAGRAM, &qp->conn.flags);
	return 0;
}

/**
 * mrc_ud_start() - move a QP for datagrams to RTS: it may send
 * @qp: queue pair for datagrams, in RTR, with its mutex held
 *
 * Before RTS no send can be posted, so no doorbell is needed.
 *
 * Return: 0.
 */
int mrc_ud_start(struct mrc_qp *qp)
{
	lockdep_assert_held(&qp->mutex);
	WRITE_ONCE(qp->state, IB_QPS_RTS);
	return 0;
}
