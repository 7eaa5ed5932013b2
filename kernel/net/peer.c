// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The endpoint exchange: learning the capabilities and ports of a remote
 * device.
 *
 * An endpoint request is sent when the first connection to a peer opens, from
 * each port in turn, until a response arrives or MRC_PEER_TRIES requests have
 * been sent.  A peer that sends no response gets packets with ICRC only.
 *
 * Port status updates report to peers which ports of this device are up (MRC
 * 1.0 7.4.8), and to peers with this driver also whether this device requires
 * the ICRC.  An update is retransmitted until the peer acknowledges it.
 * Updates can be forged.  So an update from a peer with this driver is not
 * applied: it triggers an endpoint request, and is acknowledged once the
 * response has confirmed it; that a port is down a second response has to
 * confirm.  Requests carry random numbers, so responses cannot be forged blindly.
 * An update from another implementation is applied as it is, because such a
 * device reports its ports in no other way.  The operator can ignore the ports of
 * peers altogether (mrc_peer_ignore_ports()).
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <net/ipv6.h>
#include "core/wire.h"
#include "net/conn.h"
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/nic.h"
#include "net/peer.h"
#include "path/resolve.h"

enum {
	MRC_PEER_HASH_BITS = 8,
	/* Spacing in ms of the first requests; doubles with each request. */
	MRC_PEER_RETRY_MS = 10,
	MRC_PEER_TRIES = 10,
	/* Shortest spacing in ms of requests that updates trigger. */
	MRC_PEER_REQ_MS = 10,
	/* Time in ms until a request is sent anew that wrong responses have ended. */
	MRC_PEER_AGAIN_MS = 1000,
	/* Limit of the doublings for updates, which have no last try. */
	MRC_PEER_SHIFT_MAX = 9,
	MRC_PEER_HOP_LIMIT = 64,
	/*
	 * Time in ms in which a peer learns that the ICRC is required, and spacing
	 * of the updates that repeat it when the peer has not.
	 */
	MRC_PEER_ICRC_MS = 2000,
	MRC_PEER_REMIND_MS = 100,
	/* Peers to which an update is sent in the same ms. */
	MRC_PEER_STATUS_PER_MS = 16,
};

/* Capabilities of a peer that matter after the exchange. */
#define MRC_PEER_CAPS (MRC_CAP_NOICRC | MRC_CAP_PADDED_PROBE)

static DEFINE_HASHTABLE(mrc_peers, MRC_PEER_HASH_BITS);
/* Protects the table and its peers; BH-safe, responses arrive in softirqs. */
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

/*
 * Send a request or update that has been filled in.  It asks for no service time,
 * since the response has to reflect the timestamp as it is.
 */
static void mrc_peer_send_req(struct mrc_nic *nic, const struct mrc_flow *to,
			      struct mrc_pkt_endpoint *e)
{
	struct mrc_flow flow = *to;
	struct mrc_sid sid;

	/* A peer with configured paths may be unreachable by other paths. */
	e->port_mask = READ_ONCE(nic->up);
	e->caps = mrc_endpoint_caps(nic) & ~MRC_CAP_SVC_TIME;
	e->has_magic = true;
	mrc_resolve_one(&nic->pm, &flow, &sid, MRC_RESOLVE_PLANE,
			get_random_u8());
	mrc_endpoint_send(nic, &flow, e, true);
}

/* @turn: selects the port; the ports take turns. */
static void mrc_peer_send_req_by(struct mrc_peer *peer, u8 turn,
				 struct mrc_pkt_endpoint *e)
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

	local_bh_disable();
	rcu_read_lock();
	mrc_peer_send_req(peer->nic, &flow, e);
	rcu_read_unlock();
	local_bh_enable();
}

/* The next port that is up, from @port on in the ring of all ports. */
static u8 mrc_peer_next_up_port(const struct mrc_nic *nic, u8 port)
{
	u32 up = READ_ONCE(nic->up);
	u8 i;

	for (i = 0; i < nic->n_ports; i++) {
		if (up & BIT((port + i) % nic->n_ports))
			return port + i;
	}
	return port;
}

/* Operation, id and timestamp of an endpoint request to be sent. */
static void mrc_peer_fill_req(struct mrc_peer *peer, struct mrc_pkt_endpoint *e)
{
	lockdep_assert_held(&mrc_peers_lock);
	e->op = MRC_EP_EV_PROBE;
	mrc_ep_req_fill(&peer->req, get_random_u32(), peer->status.id,
			ktime_get_ns(), e);
}

/* Likewise of a port status update. */
static void mrc_peer_fill_status(struct mrc_peer *peer,
				 struct mrc_pkt_endpoint *e)
{
	lockdep_assert_held(&mrc_peers_lock);
	e->op = MRC_EP_PORT_STATUS;
	mrc_ep_req_fill(&peer->status, get_random_u32(), peer->req.id,
			ktime_get_ns(), e);
}

/*
 * A peer that is not known to have this driver may not support updates: give up.
 * A peer with this driver must get the update in the end.
 */
static bool mrc_peer_status_due(const struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	return peer->status.wanted && READ_ONCE(peer->nic->up) &&
	       (peer->status_tries < MRC_PEER_TRIES || peer->same_driver);
}

/* Begin to send a port status update, with the content of the present. */
static void mrc_peer_begin_status(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	mrc_ep_req_want(&peer->status);
	peer->status_tries = 0;
}

static void mrc_peer_status_work(struct work_struct *work)
{
	struct mrc_peer *peer = container_of(to_delayed_work(work),
					     struct mrc_peer, status_work);
	struct mrc_pkt_endpoint e = {};
	bool send;
	u8 turn;

	spin_lock_bh(&mrc_peers_lock);
	if (READ_ONCE(peer->remind)) {
		WRITE_ONCE(peer->remind, false);
		mrc_peer_begin_status(peer);
	}
	send = mrc_peer_status_due(peer);
	turn = peer->status_tries;
	if (send)
		mrc_peer_fill_status(peer, &e);
	if (send && turn < U8_MAX)
		peer->status_tries++;
	spin_unlock_bh(&mrc_peers_lock);
	if (!send)
		return;
	mrc_peer_send_req_by(peer, mrc_peer_next_up_port(peer->nic, turn), &e);
	turn = min_t(u8, turn, MRC_PEER_SHIFT_MAX);
	schedule_delayed_work(&peer->status_work,
			      msecs_to_jiffies(MRC_PEER_RETRY_MS << turn));
}

/* Send a port status update in @ms. */
static void mrc_peer_notify(struct mrc_peer *peer, u32 ms)
{
	lockdep_assert_held(&mrc_peers_lock);
	mrc_peer_begin_status(peer);
	mod_delayed_work(system_wq, &peer->status_work, msecs_to_jiffies(ms));
}

/* Ask the peer in @ms, and repeat it as if for the first time. */
static void mrc_peer_ask(struct mrc_peer *peer, u32 ms)
{
	lockdep_assert_held(&mrc_peers_lock);
	peer->req.wanted = true;
	peer->tries = 1;
	mod_delayed_work(system_wq, &peer->work, msecs_to_jiffies(ms));
}

/**
 * mrc_peer_notify_all - send a port status update to all peers of a device
 * @nic: own device, whose port mask or use of the ICRC has changed
 *
 * Updates are spread over time, MRC_PEER_STATUS_PER_MS in a millisecond: there
 * may be thousands of peers, each replies with a request of its own, and the
 * remaining ports carry all of these packets.
 *
 * Context: process or softirq.
 */
void mrc_peer_notify_all(struct mrc_nic *nic)
{
	struct mrc_peer *peer;
	u32 n = 0;
	int i;

	/* Peers in the table are not released while the lock is held. */
	spin_lock_bh(&mrc_peers_lock);
	hash_for_each(mrc_peers, i, peer, node) {
		if (peer->nic == nic)
			mrc_peer_notify(peer, n++ / MRC_PEER_STATUS_PER_MS);
	}
	spin_unlock_bh(&mrc_peers_lock);
}

/* The ICRC is left out only if both sides agree. */
static void mrc_peer_update_noicrc(struct mrc_peer *peer)
{
	bool offered = peer->caps & MRC_CAP_NOICRC;

	lockdep_assert_held(&mrc_peers_lock);
	WRITE_ONCE(peer->noicrc, offered && !peer->nic->icrc_always);
}

/* From now on the peer has time to learn that the ICRC is required. */
static void mrc_peer_tolerate_noicrc(struct mrc_peer *peer)
{
	WRITE_ONCE(peer->noicrc_until,
		   jiffies + msecs_to_jiffies(MRC_PEER_ICRC_MS));
}

/*
 * Repeat the update.  The caller may hold locks of a connection, so the work takes
 * the lock of the table.
 */
static void mrc_peer_remind(struct mrc_peer *peer)
{
	unsigned long now = jiffies;

	if (time_before(now, READ_ONCE(peer->remind_not_before)))
		return;
	WRITE_ONCE(peer->remind_not_before,
		   now + msecs_to_jiffies(MRC_PEER_REMIND_MS));
	WRITE_ONCE(peer->remind, true);
	mod_delayed_work(system_wq, &peer->status_work, 0);
}

/**
 * mrc_peer_may_omit_icrc() - accept a packet without ICRC, although this is not
 *	agreed on?
 * @peer: peer of an open connection, which has sent the packet
 *
 * A peer that has not received the capabilities of this device yet, or not those of
 * a device that it replaces, may leave the ICRC out.  If the operator requires it,
 * that is accepted for as long as it takes to tell the peer; later the peer is told
 * again.
 *
 * Context: softirq, RCU read side.
 * Return: true: accept it.
 */
bool mrc_peer_may_omit_icrc(struct mrc_peer *peer)
{
	if (!READ_ONCE(peer->nic->icrc_always) ||
	    time_before(jiffies, READ_ONCE(peer->noicrc_until)))
		return true;
	mrc_peer_remind(peer);
	return false;
}

/**
 * mrc_peer_set_icrc() - require the ICRC, or leave it out where peers agree
 * @nic: own device
 * @always: true: require it
 *
 * The setting applies to all bursts that are built after the return.  Peers are
 * notified and then apply it to the packets that they send; packets without ICRC
 * are dropped when MRC_PEER_ICRC_MS have passed.
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
		if (peer->nic != nic)
			continue;
		mrc_peer_update_noicrc(peer);
		if (changed)
			mrc_peer_tolerate_noicrc(peer);
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_peer_notify_all(nic);
}

static void mrc_peer_work(struct work_struct *work)
{
	struct mrc_peer *peer = container_of(to_delayed_work(work),
					     struct mrc_peer, work);
	struct mrc_pkt_endpoint e = {};
	bool send;
	u8 turn;

	spin_lock_bh(&mrc_peers_lock);
	turn = peer->tries;
	send = peer->req.wanted && turn < MRC_PEER_TRIES;
	if (send) {
		mrc_peer_fill_req(peer, &e);
		peer->tries++;
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (!send)
		return;
	mrc_peer_send_req_by(peer, turn, &e);
	schedule_delayed_work(&peer->work,
			      msecs_to_jiffies(MRC_PEER_RETRY_MS << turn));
}

static struct mrc_peer *mrc_peer_alloc(struct mrc_nic *nic,
				       const struct in6_addr *sgid,
				       const struct in6_addr *dgid, bool v4)
{
	struct mrc_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);

	if (!peer)
		return NULL;
	kref_init(&peer->ref);
	kref_get(&nic->ref);
	peer->nic = nic;
	peer->sgid = *sgid;
	peer->dgid = *dgid;
	peer->v4 = v4;
	peer->req_not_before = jiffies;
	mrc_rate_init(&peer->rsp_rate, MRC_ENDPOINT_REQ_RATE,
		      MRC_ENDPOINT_REQ_BURST);
	peer->usable = ~0;
	peer->remind_not_before = jiffies;
	mrc_peer_tolerate_noicrc(peer);
	mrc_ep_req_want(&peer->req);
	INIT_LIST_HEAD(&peer->conns);
	INIT_DELAYED_WORK(&peer->work, mrc_peer_work);
	INIT_DELAYED_WORK(&peer->status_work, mrc_peer_status_work);
	return peer;
}

/**
 * mrc_peer_get - find or create the peer of a connection
 * @nic: own device
 * @sgid: own address
 * @dgid: peer's address
 * @v4: both addresses are IPv4
 *
 * Context: process, may sleep.
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
	cancel_delayed_work_sync(&peer->status_work);
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
 * mrc_peer_for_each() - call a function for the peers of a device
 * @nic: own device
 * @bucket: bucket of the table to begin with; left where the iteration has ended
 * @slot: likewise, peers of that bucket to skip
 * @fn: called for each peer; must not sleep
 * @arg: for @fn
 *
 * Peers that are created or released meanwhile may be left out, or make @fn be
 * called for others twice.
 *
 * Context: any.
 * Return: 0, or the first result of @fn that is not 0, which ends the iteration.
 */
int mrc_peer_for_each(const struct mrc_nic *nic, u32 *bucket, u16 *slot,
		      int (*fn)(struct mrc_peer *peer, void *arg), void *arg)
{
	struct mrc_peer *peer;
	int ret = 0;
	u16 i;

	rcu_read_lock();
	for (; *bucket < HASH_SIZE(mrc_peers); (*bucket)++, *slot = 0) {
		i = 0;
		hlist_for_each_entry_rcu(peer, &mrc_peers[*bucket], node) {
			if (i++ < *slot)
				continue;
			if (peer->nic == nic)
				ret = fn(peer, arg);
			if (ret)
				goto out;
			(*slot)++;
		}
	}
out:
	rcu_read_unlock();
	return ret;
}

/**
 * mrc_peer_may_respond() - account for a response in the rate limit of a peer
 * @nic: own device
 * @reply: path back to the remote device
 * @now: ns
 * @allowed: set if the remote device is a peer: true if the limit permits the
 *	response
 *
 * Context: softirq, RCU read side.
 * Return: true if the remote device is a peer, that is, has a connection.
 */
bool mrc_peer_may_respond(const struct mrc_nic *nic,
			  const struct mrc_flow *reply, u64 now, bool *allowed)
{
	struct mrc_peer *peer;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer)
		*allowed = mrc_rate_take(&peer->rsp_rate, now, 1);
	spin_unlock_bh(&mrc_peers_lock);
	return peer;
}

/*
 * May a request be sent to the peer because of one that it has sent?  Requests
 * can be forged, so the rate is limited.
 */
static bool mrc_peer_may_request(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (time_before(jiffies, peer->req_not_before))
		return false;
	peer->req_not_before = jiffies + msecs_to_jiffies(MRC_PEER_REQ_MS);
	return true;
}

/* Does a request of the peer confirm the capabilities of its last response? */
static bool mrc_peer_same_caps(const struct mrc_peer *peer,
			       const struct mrc_pkt_endpoint *e)
{
	return !((peer->caps ^ e->caps) & MRC_PEER_CAPS);
}

/* Must a request be sent to the peer because of one that it has sent? */
static bool mrc_peer_needs_req(struct mrc_peer *peer,
			       const struct mrc_pkt_endpoint *e)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (!peer->same_driver)
		return peer->tries > 1;
	return !mrc_peer_same_caps(peer, e) && mrc_peer_may_request(peer);
}

/**
 * mrc_peer_on_request() - process an endpoint request of a remote device
 * @nic: own device
 * @reply: path back to the remote device
 * @e: content of the request
 *
 * The request shows that the remote device is reachable, so the exchange is
 * started again if it has not been completed or if capabilities have changed.
 * The capabilities in a request are not stored: a response carries an id that
 * this device has chosen, a request contains no such proof of its origin.
 *
 * Context: softirq, RCU read side.
 */
void mrc_peer_on_request(const struct mrc_nic *nic,
			 const struct mrc_flow *reply,
			 const struct mrc_pkt_endpoint *e)
{
	struct mrc_peer *peer;

	/* A peer in the table is not released while the lock is held. */
	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && mrc_peer_needs_req(peer, e))
		mrc_peer_ask(peer, 0);
	spin_unlock_bh(&mrc_peers_lock);
}

/*
 * Apply what is known about the ports of a peer.  Returns true if connections must
 * be notified, which the caller does without the lock.
 */
static bool mrc_peer_apply_ports(struct mrc_peer *peer)
{
	u32 usable = mrc_ep_ports_usable(&peer->ports);

	lockdep_assert_held(&mrc_peers_lock);
	if (usable == peer->usable)
		return false;
	WRITE_ONCE(peer->usable, usable);
	return true;
}

/**
 * mrc_peer_ignore_ports() - use the ports that peers report as up, or all ports
 * @nic: own device
 * @ignore: true: all ports, whatever peers report
 *
 * The setting applies to all bursts that are built after the return.
 *
 * Context: process.
 */
void mrc_peer_ignore_ports(struct mrc_nic *nic, bool ignore)
{
	WRITE_ONCE(nic->ignore_peer_ports, ignore);
	mrc_conn_ports_changed(nic);
}

/**
 * mrc_peer_on_status() - process a port status update of a remote device
 * @nic: own device
 * @reply: path back to the remote device
 * @e: content of the update: port mask and capabilities
 *
 * MRC 1.0 7.4.8.
 *
 * Context: softirq, RCU read side.
 * Return: true if the update may be acknowledged: it has been applied, or
 * repeats what is known.
 */
bool mrc_peer_on_status(struct mrc_nic *nic, const struct mrc_flow *reply,
			const struct mrc_pkt_endpoint *e)
{
	struct mrc_pkt_endpoint req = {};
	bool known = true, send = false, changed = false;
	struct mrc_peer *peer;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer && peer->same_driver &&
	    (peer->ports.mask != e->port_mask ||
	     !mrc_peer_same_caps(peer, e))) {
		known = false;
		send = mrc_peer_may_request(peer);
		peer->req.wanted |= send;
		if (send)
			mrc_peer_fill_req(peer, &req);
	} else if (peer && peer->same_driver) {
		/* A response in flight would be older than this update. */
		mrc_ep_req_cancel(&peer->req);
		mrc_ep_ports_set(&peer->ports, e->port_mask);
	} else if (peer && peer->other_driver) {
		mrc_ep_ports_set(&peer->ports, e->port_mask);
		changed = mrc_peer_apply_ports(peer);
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_conn_peer_changed(nic, peer);
	/* The update arrived on this path, so a request is likely to arrive. */
	if (send)
		mrc_peer_send_req(nic, reply, &req);
	return known;
}

/*
 * Store the content of a response.  Returns true if connections must be notified;
 * @again is set if another request is needed.
 */
static bool mrc_peer_learn(struct mrc_peer *peer,
			   const struct mrc_pkt_endpoint *e, bool *again)
{
	lockdep_assert_held(&mrc_peers_lock);
	WRITE_ONCE(peer->caps, e->caps);
	mrc_peer_update_noicrc(peer);
	peer->same_driver = e->has_magic;
	peer->other_driver = !e->has_magic;
	if (!e->has_magic)
		return false;
	*again = mrc_ep_ports_response(&peer->ports, e->port_mask);
	return mrc_peer_apply_ports(peer);
}

/* A response that matches no request: perhaps somebody guesses. */
static void mrc_peer_wrong_response(struct mrc_peer *peer)
{
	lockdep_assert_held(&mrc_peers_lock);
	if (mrc_ep_req_wrong(&peer->req))
		mrc_peer_ask(peer, MRC_PEER_AGAIN_MS);
	/* An update is repeated anyway. */
	mrc_ep_req_wrong(&peer->status);
}

/**
 * mrc_peer_on_response - process an endpoint response of a remote device
 * @nic: own device
 * @reply: path back to the remote device
 * @e: content of the response
 *
 * Context: softirq, RCU read side.
 * Return: MRC_DROP_NONE, or MRC_DROP_EP_RESPONSE if it does not match the request or
 * update that this device has sent.
 */
enum mrc_drop mrc_peer_on_response(struct mrc_nic *nic,
				   const struct mrc_flow *reply,
				   const struct mrc_pkt_endpoint *e)
{
	enum mrc_ep_verdict req = MRC_EP_WRONG, status = MRC_EP_WRONG;
	bool changed = false, again = false;
	struct mrc_pkt_endpoint next = {};
	u64 now = ktime_get_ns();
	struct mrc_peer *peer;

	spin_lock_bh(&mrc_peers_lock);
	peer = mrc_peer_find(nic, reply->sgid, reply->dgid);
	if (peer) {
		req = mrc_ep_req_response(&peer->req, e, now);
		status = mrc_ep_req_response(&peer->status, e, now);
	}
	if (req == MRC_EP_RIGHT)
		changed = mrc_peer_learn(peer, e, &again);
	else if (peer && req == MRC_EP_WRONG && status == MRC_EP_WRONG)
		mrc_peer_wrong_response(peer);
	if (again) {
		mrc_peer_ask(peer, MRC_PEER_RETRY_MS);
		mrc_peer_fill_req(peer, &next);
	}
	spin_unlock_bh(&mrc_peers_lock);
	if (changed)
		mrc_conn_peer_changed(nic, peer);
	if (again)
		mrc_peer_send_req(nic, reply, &next);
	return req == MRC_EP_WRONG && status == MRC_EP_WRONG ?
	       MRC_DROP_EP_RESPONSE : MRC_DROP_NONE;
}
