// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The endpoint exchange: asking the device at the other end what it is.
 *
 * The question goes out when the first connection to a peer opens, over one
 * port after the other, until it is answered or given up; a peer that does not
 * answer is a foreign one, and everything sent to it carries an ICRC.
 *
 * Port status updates tell peers which ports can be reached (MRC 1.0 7.4.8),
 * and those of our kind whether we insist on the ICRC.  They are repeated until
 * they are acknowledged.  Anybody could forge one, so that of a device of ours
 * only makes us ask it, and it is acknowledged when the answer has come; a
 * foreign device has no other way to say it.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <net/ipv6.h>
#include "core/evprobe.h"
#include "core/wire.h"
#include "net/conn.h"
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
	/* Shortest spacing in ms of the questions that updates make us ask. */
	MRC_PEER_ASK_MS = 10,
	/* Doublings of the spacing of what is repeated until acknowledged. */
	MRC_PEER_SHIFT_MAX = 9,
	MRC_PEER_HOP_LIMIT = 64,
	/* Peers that are told of our ports in the same ms. */
	MRC_PEER_TOLD_AT_ONCE = 16,
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

static void mrc_peer_ask(struct mrc_nic *nic, const struct mrc_flow *to,
			 u16 req_id, u8 op)
{
	const struct mrc_pkt_endpoint e = {
		.port_mask = READ_ONCE(nic->up),
		.req_id = req_id,
		.tx_ts = mrc_ts_from_ns(ktime_get_ns()),
		.caps = mrc_endpoint_caps(nic),
		.op = op,
		.marked = true,
	};
	struct mrc_flow flow = *to;
	struct mrc_sid sid;

	/* Where paths are configured to the peer, it may have no other. */
	mrc_resolve_one(nic, &flow, &sid, MRC_RESOLVE_PLANE, get_random_u8());
	mrc_endpoint_send(nic, &flow, &e, true);
}

/* By the ports in turn. */
static void mrc_peer_ask_by(struct mrc_peer *peer, u8 turn, u16 req_id, u8 op)
{
	const struct mrc_flow flow = {
		.sgid = &peer->sgid,
		.dgid = &peer->dgid,
		.ev = get_random_u32() | 0xc000,
		.plane = turn % peer->nic->n_ports + 1,
		.tos = MRC_DSCP_CONTROL << 2,
		.hop_limit = MRC_PEER_HOP_LIMIT,
		.v4 = peer->v4,
	};

	rcu_read_lock_bh();
	mrc_peer_ask(peer->nic, &flow, req_id, op);
	rcu_read_unlock_bh();
}

/* The first port at or after @port that is up, all being in a ring. */
static u8 mrc_peer_up_port(const struct mrc_nic *nic, u8 port)
{
	u32 up = READ_ONCE(nic->up);
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		if (up & BIT((port + i) % nic->n_ports))
			return port + i;
	}
	return port;
}

static void mrc_peer_status_work(struct work_struct *work)
{
	struct mrc_peer *peer = container_of(to_delayed_work(work),
					     struct mrc_peer, status);
	u16 id;
	u8 turn;

	spin_lock_bh(&mrc_peers_lock);
	id = peer->status_id;
	turn = peer->status_tries;
	if (turn < U8_MAX)
		peer->status_tries++;
	spin_unlock_bh(&mrc_peers_lock);

	/* What has never answered may not understand; what has, shall know. */
	if (!id || !READ_ONCE(peer->nic->up) ||
	    (turn >= MRC_PEER_TRIES && !READ_ONCE(peer->ours)))
		return;
	mrc_peer_ask_by(peer, mrc_peer_up_port(peer->nic, turn), id,
			MRC_EP_PORT_STATUS);
	turn = min_t(u8, turn, MRC_PEER_SHIFT_MAX);
	schedule_delayed_work(&peer->status,
			      msecs_to_jiffies(MRC_PEER_RETRY_MS << turn));
}

/*
 * A number for a question or an update: not that of another one, whose answer
 * would be taken for this one's, and not 0.
 */
static u16 mrc_peer_new_id(const struct mrc_peer *peer)
{
	u16 id;

	lockdep_assert_held(&mrc_peers_lock);
	do {
		id = get_random_u16() & MRC_EVPROBE_ID_MASK;
	} while (!id || id == peer->req_id || id == peer->status_id);
	return id;
}

/*
 * The number of the question that is out, or of a new one: each is good for one
 * answer, or an old answer could undo what a later one has told.
 */
static u16 mrc_peer_question(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (!peer->asking)
		peer->req_id = mrc_peer_new_id(peer);
	peer->asking = true;
	return peer->req_id;
}

/**
 * mrc_peer_tell - tell peers that something of us has changed
 * @nic: own device: its mask of ports, or whether it insists on the ICRC
 *
 * Thousands of peers are told one after the other: each asks back, and a port
 * that is left has to carry all of it.
 *
 * Context: process or softirq.
 */
void mrc_peer_tell(struct mrc_nic *nic)
{
	struct mrc_peer *peer;
	u32 n = 0;
	int i;

	/* The lock keeps the peers from being released meanwhile. */
	spin_lock_bh(&mrc_peers_lock);
	hash_for_each(mrc_peers, i, peer, node) {
		if (peer->nic != nic)
			continue;
		peer->status_id = mrc_peer_new_id(peer);
		peer->status_tries = 0;
		mod_delayed_work(system_wq, &peer->status,
				 msecs_to_jiffies(n++ / MRC_PEER_TOLD_AT_ONCE));
	}
	spin_unlock_bh(&mrc_peers_lock);
}

/* Both must be able to do without the ICRC. */
static void mrc_peer_agree(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	WRITE_ONCE(peer->noicrc, peer->offers && !peer->nic->icrc_always);
}

/**
 * mrc_peer_set_icrc() - insist on the ICRC, or do without where that is agreed on
 * @nic: own device
 * @always: insist
 *
 * Bursts that begin after it has returned carry the ICRC, or leave it out;
 * peers are told, and do the same.
 *
 * Context: process.
 */
void mrc_peer_set_icrc(struct mrc_nic *nic, bool always)
{
	struct mrc_peer *peer;
	bool changed;
	int i;

	spin_lock_bh(&mrc_peers_lock);
	changed = nic->icrc_always != always;
	WRITE_ONCE(nic->icrc_always, always);
	hash_for_each(mrc_peers, i, peer, node) {
		if (peer->nic == nic)
			mrc_peer_agree(peer);
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_peer_tell(nic);
}

static void mrc_peer_work(struct work_struct *work)
{
	struct mrc_peer *peer = container_of(to_delayed_work(work),
					     struct mrc_peer, work);
	bool ask;
	u16 id = 0;
	u8 turn;

	spin_lock_bh(&mrc_peers_lock);
	turn = peer->tries;
	ask = (!peer->ours || peer->asking) && turn < MRC_PEER_TRIES;
	if (ask) {
		id = mrc_peer_question(peer);
		peer->tries++;
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (!ask)
		return;
	mrc_peer_ask_by(peer, turn, id, MRC_EP_EV_PROBE);
	schedule_delayed_work(&peer->work,
			      msecs_to_jiffies(MRC_PEER_RETRY_MS << turn));
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
	peer->ask_after = jiffies;
	mrc_rate_init(&peer->answers, MRC_ENDPOINT_PROBES,
		      MRC_ENDPOINT_PROBES_AT_ONCE);
	peer->ports = ~0;
	INIT_LIST_HEAD(&peer->conns);
	INIT_DELAYED_WORK(&peer->work, mrc_peer_work);
	INIT_DELAYED_WORK(&peer->status, mrc_peer_status_work);
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
	cancel_delayed_work_sync(&peer->status);
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
 * mrc_peer_take_answer() - may a device be answered?
 * @nic: own device
 * @reply: path back to it
 * @now: ns
 * @allowed: filled in if it is a peer: whether its allowance permits that
 *
 * Context: softirq, RCU read side.
 * Return: true if it is a peer.
 */
bool mrc_peer_take_answer(const struct mrc_nic *nic,
			  const struct mrc_flow *reply, u64 now, bool *allowed)
{
	struct mrc_peer *peer;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer)
		*allowed = mrc_rate_take(&peer->answers, now, 1);
	spin_unlock_bh(&mrc_peers_lock);
	return peer;
}

/* May the peer be asked for what it has told?  Anybody can make us want to. */
static bool mrc_peer_may_ask(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (time_before(jiffies, peer->ask_after))
		return false;
	peer->ask_after = jiffies + msecs_to_jiffies(MRC_PEER_ASK_MS);
	return true;
}

/* Does a request of the peer say of the ICRC what we have of its last answer? */
static bool mrc_peer_offers_same(const struct mrc_peer *peer,
				 const struct mrc_pkt_endpoint *e)
{
	return peer->offers == !!(e->caps & MRC_CAP_NOICRC);
}

/* Is a request of the peer a reason to ask it? */
static bool mrc_peer_is_news(struct mrc_peer *peer,
			     const struct mrc_pkt_endpoint *e)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (!peer->ours)
		return peer->tries > 1;
	if (mrc_peer_offers_same(peer, e) || !mrc_peer_may_ask(peer))
		return false;
	mrc_peer_question(peer);
	return true;
}

/**
 * mrc_peer_ask_again() - a device has asked us
 * @nic: own device
 * @reply: path back to it
 * @e: what it has asked, and says of itself
 *
 * Whoever asks is there to be asked.  What a request says of its sender is not
 * believed: unlike an answer it proves no knowledge of a number of ours.
 *
 * Context: softirq, RCU read side.
 */
void mrc_peer_ask_again(const struct mrc_nic *nic, const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e)
{
	struct mrc_peer *peer;

	/* The lock keeps the peer from being released meanwhile. */
	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && mrc_peer_is_news(peer, e)) {
		peer->tries = 1;
		mod_delayed_work(system_wq, &peer->work, 0);
	}
	spin_unlock_bh(&mrc_peers_lock);
}

/*
 * Ports of a peer.  It may have fewer than we have, and be reached by all of
 * ours: only what has been up can be down.  Returns true if connections have to
 * look, which is for the caller to tell them without the lock.
 */
static bool mrc_peer_take_ports(struct mrc_peer *peer, u32 mask)
{
	u32 ports;

	lockdep_assert_held(&mrc_peers_lock);
	peer->mask = mask;
	peer->seen |= mask;
	ports = mask | ~peer->seen;
	if (ports == peer->ports)
		return false;
	WRITE_ONCE(peer->ports, ports);
	return true;
}

/**
 * mrc_peer_on_status() - a device tells which of its ports can be reached
 * @nic: own device
 * @reply: path back to it
 * @e: what it tells, and whether it does without the ICRC
 *
 * Context: softirq, RCU read side.
 * Return: true if the update can be acknowledged.
 */
bool mrc_peer_on_status(struct mrc_nic *nic, const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e)
{
	struct mrc_peer *peer;
	bool known = true, ask = false, changed = false;
	u16 req_id = 0;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && peer->ours && (peer->mask != e->port_mask ||
				   !mrc_peer_offers_same(peer, e))) {
		known = false;
		ask = mrc_peer_may_ask(peer);
		if (ask)
			req_id = mrc_peer_question(peer);
	} else if (peer && peer->ours) {
		/* An answer that is on its way would be older than this. */
		peer->asking = false;
	} else if (peer && peer->foreign) {
		changed = mrc_peer_take_ports(peer, e->port_mask);
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_conn_peer_changed(nic, peer);
	/* It has come this way, so a question gets through. */
	if (ask)
		mrc_peer_ask(nic, reply, req_id, MRC_EP_EV_PROBE);
	return known;
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
	const struct mrc_pkt_endpoint *e = &pkt->endpoint;
	struct mrc_peer *peer;
	bool changed = false;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && peer->asking && e->req_id == peer->req_id) {
		peer->asking = false;
		peer->offers = e->caps & MRC_CAP_NOICRC;
		mrc_peer_agree(peer);
		WRITE_ONCE(peer->ours, e->marked);
		peer->foreign = !e->marked;
		if (e->marked)
			changed = mrc_peer_take_ports(peer, e->port_mask);
	} else if (peer && e->req_id == peer->status_id) {
		peer->status_id = 0;
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_conn_peer_changed(nic, peer);
}
