// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The endpoint exchange: asking the device at the other end what it is.
 *
 * The question goes out when the first connection to a peer opens, over one
 * port after the other, until it is answered or given up; a peer that does not
 * answer is a foreign one, and everything sent to it carries an ICRC.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <net/ipv6.h>
#include "core/evprobe.h"
#include "core/wire.h"
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/nic.h"
#include "net/peer.h"
#include "net/resolve.h"

enum {
	MRC_PEER_HASH_BITS = 8,
	/* First spacing of requests in ms; doubles with every one. */
	MRC_PEER_RETRY_MS = 10,
	MRC_PEER_TRIES = 10,
	MRC_PEER_HOP_LIMIT = 64,
};

static DEFINE_HASHTABLE(mrc_peers, MRC_PEER_HASH_BITS);
/* Protects the table; BH-safe because connections come and go in any context. */
static DEFINE_SPINLOCK(mrc_peers_lock);

static u32 mrc_peer_hash(const struct mrc_nic *nic, const struct in6_addr *dgid)
{
	return ipv6_addr_hash(dgid) ^ hash_ptr(nic, 32);
}

static struct mrc_peer *mrc_peer_find(const struct mrc_nic *nic,
				      const struct in6_addr *sgid,
				      const struct in6_addr *dgid)
{
	struct mrc_peer *peer;

	hash_for_each_possible_rcu(mrc_peers, peer, node,
				   mrc_peer_hash(nic, dgid)) {
		if (peer->nic == nic && ipv6_addr_equal(&peer->dgid, dgid) &&
		    ipv6_addr_equal(&peer->sgid, sgid))
			return peer;
	}
	return NULL;
}

static void mrc_peer_work(struct work_struct *work)
{
	struct mrc_peer *peer = container_of(to_delayed_work(work),
					     struct mrc_peer, work);
	struct mrc_nic *nic = peer->nic;
	struct mrc_pkt_endpoint e = {
		.port_mask = READ_ONCE(nic->up),
		.req_id = peer->req_id,
		.tx_ts = mrc_ts_from_ns(ktime_get_ns()),
		.caps = MRC_ENDPOINT_CAPS,
		.op = MRC_EP_EV_PROBE,
		.marked = true,
	};
	struct mrc_flow flow = {
		.sgid = &peer->sgid,
		.dgid = &peer->dgid,
		.ev = get_random_u32() | 0xc000,
		.plane = peer->tries % nic->n_ports + 1,
		.tos = MRC_DSCP_CONTROL << 2,
		.hop_limit = MRC_PEER_HOP_LIMIT,
		.v4 = peer->v4,
	};
	struct in6_addr sid;

	if (READ_ONCE(peer->noicrc) || peer->tries >= MRC_PEER_TRIES)
		return;

	rcu_read_lock_bh();
	/* Where paths are configured to the peer, it may have no other. */
	mrc_resolve_one(nic, &flow, &sid, MRC_RESOLVE_PLANE, get_random_u8());
	mrc_endpoint_send(nic, &flow, &e, true);
	rcu_read_unlock_bh();
	schedule_delayed_work(&peer->work,
			      msecs_to_jiffies(MRC_PEER_RETRY_MS << peer->tries));
	peer->tries++;
}

static struct mrc_peer *mrc_peer_alloc(struct mrc_nic *nic,
				       const struct in6_addr *sgid,
				       const struct in6_addr *dgid, bool v4)
{
	struct mrc_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL);

	if (!peer)
		return NULL;
	kref_init(&peer->ref);
	kref_get(&nic->ref);
	peer->nic = nic;
	peer->sgid = *sgid;
	peer->dgid = *dgid;
	peer->v4 = v4;
	peer->req_id = get_random_u32() & MRC_EVPROBE_ID_MASK;
	INIT_DELAYED_WORK(&peer->work, mrc_peer_work);
	return peer;
}

/**
 * mrc_peer_get - the peer of a connection
 * @nic: own device
 * @sgid: own address
 * @dgid: peer's address
 * @v4: they are IPv4
 *
 * Context: process.
 * Return: the peer with a reference for the caller, or NULL without memory.
 */
struct mrc_peer *mrc_peer_get(struct mrc_nic *nic, const struct in6_addr *sgid,
			      const struct in6_addr *dgid, bool v4)
{
	struct mrc_peer *new = mrc_peer_alloc(nic, sgid, dgid, v4);
	struct mrc_peer *peer;

	if (!new)
		return NULL;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, sgid, dgid);
	if (peer && kref_get_unless_zero(&peer->ref)) {
		spin_unlock_bh(&mrc_peers_lock);
		kfree(new);
		mrc_nic_put(nic);
		return peer;
	}
	hash_add_rcu(mrc_peers, &new->node, mrc_peer_hash(nic, dgid));
	spin_unlock_bh(&mrc_peers_lock);

	schedule_delayed_work(&new->work, 0);
	return new;
}

static void mrc_peer_free(struct kref *ref)
{
	struct mrc_peer *peer = container_of(ref, struct mrc_peer, ref);

	spin_lock_bh(&mrc_peers_lock);
	hash_del_rcu(&peer->node);
	spin_unlock_bh(&mrc_peers_lock);

	cancel_delayed_work_sync(&peer->work);
	mrc_nic_put(peer->nic);
	kfree_rcu(peer, rcu);
}

/**
 * mrc_peer_put - drop a reference
 * @peer: peer
 *
 * Context: process; may sleep.
 */
void mrc_peer_put(struct mrc_peer *peer)
{
	kref_put(&peer->ref, mrc_peer_free);
}

/**
 * mrc_peer_ask_again() - a device has asked us
 * @nic: own device
 * @reply: path back to it
 *
 * Whoever asks is there to be asked.  What a request says of its sender is not
 * believed: unlike an answer it proves no knowledge of a number of ours.
 *
 * Context: softirq, RCU read side.
 */
void mrc_peer_ask_again(const struct mrc_nic *nic, const struct mrc_flow *reply)
{
	struct mrc_peer *peer;

	/* The lock keeps the peer from being released meanwhile. */
	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && !peer->noicrc && peer->tries > 1) {
		peer->tries = 1;
		mod_delayed_work(system_wq, &peer->work, 0);
	}
	spin_unlock_bh(&mrc_peers_lock);
}

/**
 * mrc_peer_on_response - a device answers
 * @nic: own device
 * @reply: path back to the sender
 * @pkt: the response
 *
 * Context: softirq, RCU read side.
 */
void mrc_peer_on_response(struct mrc_nic *nic, const struct mrc_flow *reply,
			  const struct mrc_pkt *pkt)
{
	struct mrc_peer *peer = mrc_peer_find(nic, reply->sgid, reply->dgid);

	if (peer && pkt->endpoint.req_id == peer->req_id)
		WRITE_ONCE(peer->noicrc, pkt->endpoint.caps & MRC_CAP_NOICRC);
}
