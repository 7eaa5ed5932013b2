// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the connections to a peer do together, as operators watch it: sums that do
 * not fall when a connection ends, as long as another one exists.
 */
#include "net/conn.h"
#include "net/nic.h"
#include "net/peer.h"

/* Counters are read while they grow: each is right for some moment. */
static void mrc_peer_counters_add(struct mrc_peer_counters *sum,
				  const struct mrc_conn *conn)
{
	const struct mrc_req_stats *req = &conn->req.stats;
	const struct mrc_rsp_stats *rsp = &conn->rsp.stats;

	sum->tx_pkts += READ_ONCE(req->tx_pkts);
	sum->tx_bytes += READ_ONCE(req->tx_bytes);
	sum->rtx_pkts += READ_ONCE(req->rtx_pkts);
	sum->rtx_bytes += READ_ONCE(req->rtx_bytes);
	sum->timeouts += READ_ONCE(req->timeouts);
	sum->nacks += READ_ONCE(req->nacks);
	sum->spurious += READ_ONCE(req->spurious);
	sum->rx_pkts += READ_ONCE(rsp->rx_pkts);
	sum->rx_bytes += READ_ONCE(rsp->rx_bytes);
	sum->dups += READ_ONCE(rsp->dups);
	sum->ecn += READ_ONCE(rsp->ecn);
}

/**
 * mrc_peer_add_past() - keep what a connection that ends has counted
 * @peer: its peer
 * @conn: connection, which neither sends nor receives any more; its counters begin
 *	anew
 *
 * Context: lock of the NIC held.
 */
void mrc_peer_add_past(struct mrc_peer *peer, struct mrc_conn *conn)
{
	lockdep_assert_held(&peer->nic->lock);
	mrc_peer_counters_add(&peer->past, conn);
	conn->req.stats = (struct mrc_req_stats){};
	conn->rsp.stats = (struct mrc_rsp_stats){};
	conn->counted = (struct mrc_req_stats){};
}

static void mrc_peer_use_add(struct mrc_peer_use *use,
			     const struct mrc_conn *conn)
{
	u32 srtt = READ_ONCE(conn->req.rtt.srtt);

	use->conns++;
	mrc_peer_counters_add(&use->counters, conn);
	if (!test_bit(MRC_CONN_TX, &conn->flags))
		return;
	use->timed += srtt > 0;
	use->srtt += srtt;
	use->cwnd += READ_ONCE(conn->req.cc.cwnd);
	use->inflight += READ_ONCE(conn->req.inflight);
}

/**
 * mrc_peer_read_use() - read what the connections to a peer do
 * @peer: peer
 * @use: receives it
 *
 * Context: any; RCU read side, or with a reference.
 */
void mrc_peer_read_use(struct mrc_peer *peer, struct mrc_peer_use *use)
{
	const struct mrc_conn *conn;

	*use = (struct mrc_peer_use){};
	spin_lock_bh(&peer->nic->lock);
	use->counters = peer->past;
	list_for_each_entry(conn, &peer->conns, peer_node)
		mrc_peer_use_add(use, conn);
	spin_unlock_bh(&peer->nic->lock);
}
