/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Peers: what is known of the devices at the other end, learnt by the endpoint
 * exchange (MRC 1.0 sections 7.4.7, 7.4.8 and 7.5.5).
 */
#ifndef MRC_NET_PEER_H
#define MRC_NET_PEER_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include "core/packet.h"
#include "core/rate.h"

struct mrc_flow;
struct mrc_nic;

/**
 * struct mrc_peer - one remote device, shared by all connections to it
 * @node: in the table of peers; RCU
 * @ref: one for each connection
 * @nic: own device; holds a reference
 * @sgid: own address
 * @dgid: peer's address
 * @v4: they are IPv4
 * @noicrc: neither side insists on the ICRC: data packets have none; read
 *	anywhere
 * @offers: it has offered to do without
 * @ours: it has answered as a device of this module
 * @foreign: it has answered as another one
 * @ports: bit p-1 clear: its port p, which has been up before, is not; read
 *	anywhere
 * @epoch: grows when @ports has changed, see &struct mrc_nic.epoch; written
 *	under the lock of @nic
 * @conns: connections to it; under the lock of @nic
 * @seen: ports that have been up
 * @mask: ports that it has reported last
 * @asking: a question is out that has not been answered
 * @req_id: its number
 * @ask_after: jiffies when a status update may make us ask again
 * @answers: how many of its requests are answered
 * @tries: requests sent since the last reason to ask
 * @work: sends the next request
 * @status_id: of the port status update that is out; 0: there is none
 * @status_tries: how often it has been sent, at most U8_MAX
 * @status: sends it
 * @rcu: delays the release past lookups
 */
struct mrc_peer {
	struct hlist_node node;
	struct kref ref;
	struct mrc_nic *nic;
	struct in6_addr sgid;
	struct in6_addr dgid;
	bool v4;
	bool noicrc;
	bool offers;
	bool ours;
	bool foreign;
	u32 ports;
	u32 epoch;
	struct list_head conns;
	u32 seen;
	u32 mask;
	bool asking;
	u16 req_id;
	unsigned long ask_after;
	struct mrc_rate answers;
	u8 tries;
	struct delayed_work work;
	u16 status_id;
	u8 status_tries;
	struct delayed_work status;
	struct rcu_head rcu;
};

struct mrc_peer *mrc_peer_get(struct mrc_nic *nic, const struct in6_addr *sgid,
			      const struct in6_addr *dgid, bool v4);
void mrc_peer_put(struct mrc_peer *peer);
void mrc_peer_tell(struct mrc_nic *nic);
void mrc_peer_set_icrc(struct mrc_nic *nic, bool always);

bool mrc_peer_take_answer(const struct mrc_nic *nic,
			  const struct mrc_flow *reply, u64 now, bool *allowed);
void mrc_peer_ask_again(const struct mrc_nic *nic,
			const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e);
bool mrc_peer_on_status(struct mrc_nic *nic, const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e);
void mrc_peer_on_response(struct mrc_nic *nic, const struct mrc_flow *reply,
			  const struct mrc_pkt *pkt);

#endif /* MRC_NET_PEER_H */
