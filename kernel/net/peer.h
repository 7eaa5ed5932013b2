/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Peers: capabilities and ports of remote devices, learnt by exchanging
 * endpoint requests and responses (MRC 1.0 sections 7.4.7, 7.4.8 and 7.5.5).
 */
#ifndef MRC_NET_PEER_H
#define MRC_NET_PEER_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include "core/drop.h"
#include "core/ep_exchange.h"
#include "core/metrics.h"
#include "core/packet.h"
#include "core/rate.h"

struct mrc_conn;
struct mrc_flow;
struct mrc_nic;

/**
 * struct mrc_peer_counters - what connections to a peer have counted
 * @tx_pkts: data packets sent, with retransmissions
 * @tx_bytes: their payload
 * @rtx_pkts: data packets retransmitted
 * @rtx_bytes: their payload
 * @timeouts: retransmission timeouts
 * @nacks: NACKs received
 * @spurious: packets sent again whose earlier copy has been delivered all the same
 * @rx_pkts: data packets received
 * @rx_bytes: their payload
 * @dups: of these, duplicates
 * @ecn: of these, packets with an ECN mark
 */
struct mrc_peer_counters {
	u64 tx_pkts;
	u64 tx_bytes;
	u64 rtx_pkts;
	u64 rtx_bytes;
	u64 timeouts;
	u64 nacks;
	u64 spurious;
	u64 rx_pkts;
	u64 rx_bytes;
	u64 dups;
	u64 ecn;
};

/**
 * struct mrc_peer_use - the connections to a peer
 * @conns: how many there are
 * @timed: how many of them have measured a round trip
 * @srtt: sum of their smoothed round trips, ns
 * @cwnd: sum of the congestion windows, bytes
 * @inflight: sum of the bytes in flight
 * @counters: sums, with those of connections that have ended
 */
struct mrc_peer_use {
	u32 conns;
	u32 timed;
	u64 srtt;
	u64 cwnd;
	u64 inflight;
	struct mrc_peer_counters counters;
};

/**
 * struct mrc_peer - one remote device, shared by all connections to it
 * @node: in the table of peers; RCU
 * @ref: one for each connection
 * @nic: own device; holds a reference
 * @sgid: own address
 * @dgid: peer's address
 * @v4: both addresses are IPv4
 * @noicrc: data packets carry no ICRC, as neither side requires it; read
 *	without lock
 * @noicrc_until: jiffies until which the peer may leave the ICRC out without that;
 *	read without lock
 * @remind: an update is to be repeated, as the peer leaves the ICRC out; no lock
 * @remind_not_before: jiffies before which @remind is not set again; no lock, races
 *	only repeat the update
 * @caps: enum mrc_cap of the last response; read without lock
 * @same_driver: the last response came from this driver, as its magic says
 * @other_driver: the last response came from another implementation; neither
 *	is set before the first response
 * @usable: bit p-1 clear: port p of the peer was up and is down now; read
 *	without lock
 * @epoch: incremented when @usable has changed, see &struct mrc_nic.epoch;
 *	written under the lock of @nic
 * @metrics: measurements that its connections share; without lock
 * @conns: connections to the peer; under the lock of @nic
 * @past: counters of connections that have ended; under the lock of @nic
 * @ports: what reports have said about the ports of the peer
 * @req: endpoint request
 * @req_not_before: jiffies; a request of the peer that arrives earlier does not
 *	cause another request to the peer
 * @rsp_rate: limits the responses sent to the peer
 * @tries: requests sent since the exchange was last started
 * @work: sends @req
 * @status: port status update
 * @status_tries: how often this update has been sent, at most U8_MAX
 * @status_work: sends @status
 * @rcu: delays the release past lookups
 *
 * Where nothing else is said, the lock of the table of peers protects the
 * fields from @noicrc on.
 */
struct mrc_peer {
	struct hlist_node node;
	struct kref ref;
	struct mrc_nic *nic;
	struct in6_addr sgid;
	struct in6_addr dgid;
	bool v4;
	bool noicrc;
	bool remind;
	unsigned long noicrc_until;
	unsigned long remind_not_before;
	u16 caps;
	bool same_driver;
	bool other_driver;
	u32 usable;
	u32 epoch;
	struct mrc_metrics metrics;
	struct list_head conns;
	struct mrc_peer_counters past;
	struct mrc_ep_ports ports;
	struct mrc_ep_req req;
	unsigned long req_not_before;
	struct mrc_rate rsp_rate;
	u8 tries;
	struct delayed_work work;
	struct mrc_ep_req status;
	u8 status_tries;
	struct delayed_work status_work;
	struct rcu_head rcu;
};

struct mrc_peer *mrc_peer_get(struct mrc_nic *nic, const struct in6_addr *sgid,
			      const struct in6_addr *dgid, bool v4);
void mrc_peer_put(struct mrc_peer *peer);
int mrc_peer_for_each(const struct mrc_nic *nic, u32 *bucket, u16 *slot,
		      int (*fn)(struct mrc_peer *peer, void *arg), void *arg);
void mrc_peer_add_past(struct mrc_peer *peer, struct mrc_conn *conn);
void mrc_peer_read_use(struct mrc_peer *peer, struct mrc_peer_use *use);
void mrc_peer_notify_all(struct mrc_nic *nic);
bool mrc_peer_may_omit_icrc(struct mrc_peer *peer);
void mrc_peer_set_icrc(struct mrc_nic *nic, bool always);
void mrc_peer_ignore_ports(struct mrc_nic *nic, bool ignore);

bool mrc_peer_may_respond(const struct mrc_nic *nic,
			  const struct mrc_flow *reply, u64 now, bool *allowed);
void mrc_peer_on_request(const struct mrc_nic *nic,
			 const struct mrc_flow *reply,
			 const struct mrc_pkt_endpoint *e);
bool mrc_peer_on_status(struct mrc_nic *nic, const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e);
enum mrc_drop mrc_peer_on_response(struct mrc_nic *nic,
				   const struct mrc_flow *reply,
				   const struct mrc_pkt_endpoint *e);

#endif /* MRC_NET_PEER_H */
