// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The paths of a connection: made when it opens, changed while packets are in
 * flight when the operator changes the configuration.
 *
 * A work item prepares changes, since they allocate memory, and installs them
 * under all the locks under which paths are read.  So the data path takes no
 * lock for paths in addition to its own.
 */
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>
#include "core/lpm.h"
#include "core/repath.h"
#include "net/alloc.h"
#include "net/conn.h"
#include "net/event.h"
#include "net/peer.h"
#include "net/trace.h"
#include "path/evprofile.h"
#include "path/explicit.h"
#include "path/resolve.h"

/* ns between two route look-ups on a plane without a route. */
#define MRC_CONN_ROUTE_RETRY NSEC_PER_SEC

/* Shared by all NICs: mrc_conn_paths_changed() flushes it. */
static struct workqueue_struct *mrc_conn_wq;

/**
 * mrc_conn_flow - addresses of a path
 * @conn: open connection
 * @path: index of the EV
 * @tos: traffic class
 * @flow: filled in
 * @route: the path's route cache
 */
void mrc_conn_flow(const struct mrc_conn *conn, u16 path, u8 tos,
		   struct mrc_flow *flow, struct mrc_route **route)
{
	const struct mrc_ev *ev = &conn->evs->ev[path];
	struct mrc_path *p = &conn->paths[conn->srv6 ? path : ev->plane - 1];

	flow->sgid = &conn->attr.sgid;
	flow->dgid = &conn->attr.dgid;
	flow->sid = conn->srv6 ? &p->sid : NULL;
	flow->ev = ev->value;
	flow->plane = ev->plane;
	flow->tos = tos;
	flow->hop_limit = conn->attr.hop_limit;
	flow->v4 = conn->v4;
	flow->pmtu = conn->pmtu;
	*route = &p->route;
}

/* The MTU of the port may have changed since the route was looked up. */
static bool mrc_conn_is_narrow(const struct dst_entry *dst,
			       const struct mrc_route *route,
			       const struct mrc_flow *flow)
{
	return dst ? mrc_route_is_narrow(dst, flow) : READ_ONCE(route->narrow);
}

static void mrc_conn_set_narrow(struct mrc_conn *conn, u32 narrow)
{
	unsigned long was = conn->narrow, ports = was | narrow;
	u8 i;

	lockdep_assert_held(&conn->req_lock);
	conn->narrow = narrow;
	for_each_set_bit(i, &ports, MRC_PLANE_MAX)
		mrc_nic_conn_narrow(conn->nic, i + 1, was & BIT(i),
				    narrow & BIT(i));
}

/*
 * Planes that have a path with a route to the peer, and of these the planes whose next
 * hop is resolved, unless none is: then the kernel holds back the first packets.
 */
static u32 mrc_conn_routed(struct mrc_conn *conn)
{
	u32 checked = 0, routed = 0, resolved = 0, narrow = 0, bit;
	struct mrc_ev_set *evs = conn->evs;
	struct mrc_route *route;
	struct dst_entry *dst;
	struct mrc_flow flow;
	u16 i;

	for (i = 0; i < evs->n; i++) {
		bit = BIT(evs->ev[i].plane - 1);
		if (checked & bit)
			continue;
		checked |= bit;
		mrc_conn_flow(conn, i, 0, &flow, &route);
		dst = mrc_route_get(conn->nic, route, &flow);
		if (mrc_conn_is_narrow(dst, route, &flow)) {
			narrow |= bit;
			continue;
		}
		if (!dst)
			continue;
		routed |= bit;
		if (mrc_route_resolve(dst, &flow))
			resolved |= bit;
	}
	mrc_conn_set_narrow(conn, narrow);
	return resolved ?: routed;
}

/**
 * mrc_conn_ports_epoch - number of port changes on both sides
 * @conn: connection with a peer
 *
 * Both counters only grow, and so does their sum.
 *
 * Context: any.
 * Return: a number that differs after a change.
 */
int mrc_conn_ports_epoch(const struct mrc_conn *conn)
{
	/* Pairs with mrc_conn_peer_changed(): ports are read after this. */
	int epoch = smp_load_acquire(&conn->peer->epoch);

	return epoch + atomic_read(&conn->nic->epoch);
}

/* Is it time to look for routes of planes that had none? */
static bool mrc_conn_ports_due(const struct mrc_conn *conn, u64 now)
{
	return conn->ports_at &&
	       (now >= conn->ports_at ||
		conn->no_carrier & mrc_nic_carriers(conn->nic));
}

/**
 * mrc_conn_refresh_ports - update which planes can be used
 * @conn: open connection
 * @now: ns
 *
 * Does nothing unless a port or a path has changed, or the route look-up of a
 * plane without a route is due: at once when its carrier is back, else now and
 * then.
 *
 * Context: req_lock held, RCU read side.
 */
void mrc_conn_refresh_ports(struct mrc_conn *conn, u64 now)
{
	int epoch = mrc_conn_ports_epoch(conn);
	u32 up, routed, usable;

	lockdep_assert_held(&conn->req_lock);
	if (likely(epoch == conn->epoch) && !mrc_conn_ports_due(conn, now))
		return;

	conn->epoch = epoch;
	up = READ_ONCE(conn->nic->up);
	routed = mrc_conn_routed(conn);
	conn->ports_at = up & ~routed ? now + MRC_CONN_ROUTE_RETRY : 0;
	conn->no_carrier = up & ~routed & ~mrc_nic_carriers(conn->nic);
	usable = READ_ONCE(conn->nic->ignore_peer_ports) ?
		 U32_MAX : READ_ONCE(conn->peer->usable);
	mrc_ev_set_ports(conn->evs, up & routed, usable);
}

/* Does the operator want to know of this change?  Of deny rules there is no mask. */
static bool mrc_conn_reports(const struct mrc_conn *conn, u8 state)
{
	if (state == MRC_EV_DENIED)
		return true;
	return conn->events & (state == MRC_EV_ASSUMED_BAD ?
			       MRC_EVPROFILE_ASSUMED_BAD : MRC_EVPROFILE_GOOD);
}

/* &struct mrc_ev_set.on_state: a path became ASSUMED_BAD, or usable again. */
static void mrc_conn_path_state(struct mrc_ev_set *evs, u16 idx,
				enum mrc_ev_state old)
{
	struct mrc_conn *conn = evs->priv;
	const struct mrc_ev *ev = &evs->ev[idx];
	struct mrc_event event = {
		.type = MRC_EVENT_PATH,
		.port = ev->plane,
		.state = ev->state,
		.qpn = conn->qpn,
		.ev = ev->value,
		.profile = conn->profile,
		.index = conn->source == MRC_PATHS_PROFILE ?
			 idx : MRC_EVENT_NO_INDEX,
		.dst = conn->attr.dgid,
	};

	if (ev->state == MRC_EV_ASSUMED_BAD)
		mrc_count(conn->nic, EV_BAD);
	else if (old == MRC_EV_ASSUMED_BAD && ev->state != MRC_EV_DENIED)
		mrc_count(conn->nic, EV_GOOD);
	trace_mrc_path_state(conn, ev, old);
	if (mrc_conn_reports(conn, ev->state))
		mrc_event_post(conn->nic, &event);
}

/* All paths of a port share a route unless they have outer destinations. */
static u16 mrc_conn_n_paths(const struct mrc_conn *conn)
{
	return conn->srv6 ? conn->evs->n : conn->nic->n_ports;
}

static void mrc_conn_drop_paths(struct mrc_path *paths, u16 n)
{
	u16 i;

	for (i = 0; i < n; i++)
		mrc_route_drop(&paths[i].route);
}

/* A connection that has generated paths before keeps them. */
static void mrc_conn_auto(struct mrc_conn *conn, struct mrc_resolved *r)
{
	struct mrc_nic *nic = conn->nic;
	u16 i;

	if (!conn->evs || conn->source != MRC_PATHS_AUTO ||
	    conn->evs->n != r->n)
		mrc_ev_auto(r->entries, r->n, GENMASK(nic->n_ports - 1, 0),
			    get_random_u64());
	else
		for (i = 0; i < r->n; i++)
			r->entries[i] = (struct mrc_ev_entry){
				.value = conn->evs->ev[i].value,
				.plane = conn->evs->ev[i].plane,
			};
	mrc_resolve_deny(&nic->pm, &conn->attr.dgid, r);
}

static struct mrc_resolved *mrc_conn_resolve(struct mrc_conn *conn)
{
	struct mrc_resolved *r = kvmalloc(sizeof(*r), MRC_GFP_USER);

	if (!r)
		return NULL;
	mrc_resolve(&conn->nic->pm, &conn->attr.dgid, conn->v4, &conn->binding,
		    r);
	if (r->source == MRC_PATHS_AUTO)
		mrc_conn_auto(conn, r);
	return r;
}

/**
 * struct mrc_conn_set - a set of paths that is not installed
 * @evs: the core's part
 * @paths: the net layer's part
 * @n_paths: entries of @paths
 */
struct mrc_conn_set {
	struct mrc_ev_set *evs;
	struct mrc_path *paths;
	u16 n_paths;
};

static int mrc_conn_build_set(const struct mrc_conn *conn,
			      const struct mrc_resolved *r,
			      struct mrc_conn_set *set)
{
	const struct mrc_ev_cfg cfg = {
		.seed = get_random_u64(),
		.n_active = r->active,
		.min_active = r->min_active,
	};
	int ret = -ENOMEM;
	u16 i;

	set->n_paths = r->srv6 ? r->n : conn->nic->n_ports;
	set->evs = kvzalloc(mrc_ev_set_size(r->n), MRC_GFP_USER);
	set->paths = kvcalloc(set->n_paths, sizeof(*set->paths), MRC_GFP_USER);
	if (set->evs && set->paths)
		ret = mrc_ev_set_init(set->evs, r->entries, r->n, &cfg);
	if (ret) {
		kvfree(set->paths);
		kvfree(set->evs);
		return ret;
	}
	for (i = 0; r->srv6 && i < r->n; i++)
		set->paths[i].sid = r->sids[i];
	return 0;
}

static void mrc_conn_describe(struct mrc_conn *conn,
			      const struct mrc_resolved *r)
{
	conn->profile = r->profile;
	conn->events = r->events;
}

/* Install @set and the members of @conn that describe it. */
static void mrc_conn_install(struct mrc_conn *conn,
			     const struct mrc_conn_set *set,
			     const struct mrc_resolved *r)
{
	conn->paths = set->paths;
	conn->explicit = r->explicit;
	conn->source = r->source;
	mrc_conn_describe(conn, r);
	conn->bound = r->bound;
	conn->srv6 = r->srv6;
	conn->active = r->active;
	conn->min_active = r->min_active;
	set->evs->on_state = mrc_conn_path_state;
	set->evs->priv = conn;
	conn->evs = set->evs;
}

/**
 * mrc_conn_make_paths - resolve and install the paths to the peer
 * @conn: connection whose addresses are set
 *
 * Context: process; before MRC_CONN_RX and MRC_CONN_TX are set.
 * Return: 0 or a negative errno.
 */
int mrc_conn_make_paths(struct mrc_conn *conn)
{
	struct mrc_resolved *r = mrc_conn_resolve(conn);
	struct mrc_conn_set set;
	int ret;

	if (!r)
		return -ENOMEM;
	ret = mrc_conn_build_set(conn, r, &set);
	if (ret) {
		mrc_explicit_put(r->explicit);
	} else {
		spin_lock_bh(&conn->nic->lock);
		mrc_conn_install(conn, &set, r);
		spin_unlock_bh(&conn->nic->lock);
	}
	kvfree(r);
	return ret;
}

/**
 * mrc_conn_free_paths - release the paths
 * @conn: connection that neither sends nor receives
 *
 * Context: process; no work is queued for @conn.
 */
void mrc_conn_free_paths(struct mrc_conn *conn)
{
	struct mrc_ev_set *evs = conn->evs;

	if (conn->paths)
		mrc_conn_drop_paths(conn->paths, mrc_conn_n_paths(conn));

	/*
	 * Under both locks, so that a reader of counters finds them either in
	 * @evs or in @explicit.  Readers of @evs hold one of the two locks.
	 */
	spin_lock_bh(&conn->nic->lock);
	spin_lock(&conn->req_lock);
	mrc_conn_set_narrow(conn, 0);
	if (conn->explicit && evs)
		mrc_explicit_save_stats(conn->explicit, evs);
	conn->evs = NULL;
	spin_unlock(&conn->req_lock);
	spin_unlock_bh(&conn->nic->lock);

	kvfree(conn->paths);
	kvfree(evs);
	conn->paths = NULL;
	mrc_explicit_put(conn->explicit);
	conn->explicit = NULL;
	conn->srv6 = false;
}

static bool mrc_conn_same_paths(const struct mrc_conn *conn,
				const struct mrc_resolved *r)
{
	return conn->source == r->source && conn->bound == r->bound &&
	       conn->srv6 == r->srv6 &&
	       conn->explicit == r->explicit && conn->active == r->active &&
	       conn->min_active == r->min_active &&
	       !mrc_repath_differs(conn->evs, r->entries, r->n);
}

/* All locks under which paths are read; the RCU read side for routes. */
static void mrc_conn_lock_paths(struct mrc_conn *conn)
	__acquires(&conn->nic->lock)
	__acquires(&conn->req_lock)
	__acquires(&conn->rsp_lock)
	__acquires(RCU)
{
	spin_lock_bh(&conn->nic->lock);
	spin_lock(&conn->req_lock);
	spin_lock(&conn->rsp_lock);
	rcu_read_lock();
}

static void mrc_conn_unlock_paths(struct mrc_conn *conn)
	__releases(&conn->nic->lock)
	__releases(&conn->req_lock)
	__releases(&conn->rsp_lock)
	__releases(RCU)
{
	/* Other planes may have routes now, and a stalled requester may send. */
	conn->epoch--;
	mrc_conn_refresh_ports(conn, ktime_get_ns());
	mrc_conn_wake(conn);
	rcu_read_unlock();
	spin_unlock(&conn->rsp_lock);
	spin_unlock(&conn->req_lock);
	spin_unlock_bh(&conn->nic->lock);
}

/* The same EVs with other SIDs, or some of them denied or allowed. */
static void mrc_conn_adjust(struct mrc_conn *conn, const struct mrc_resolved *r)
{
	bool moved = false;
	u16 i;

	mrc_conn_lock_paths(conn);
	mrc_conn_describe(conn, r);
	mrc_repath_deny(conn->evs, r->entries);
	for (i = 0; r->srv6 && i < r->n; i++) {
		if (mrc_sid_equal(&conn->paths[i].sid, &r->sids[i]))
			continue;
		conn->paths[i].sid = r->sids[i];
		mrc_route_drop(&conn->paths[i].route);
		moved = true;
	}
	if (moved)
		mrc_metrics_forget(&conn->peer->metrics);
	mrc_conn_unlock_paths(conn);
	mrc_explicit_put(r->explicit);
}

/* Other EVs.  The explicit path keeps the counters of those that are removed. */
static void mrc_conn_replace(struct mrc_conn *conn,
			     const struct mrc_resolved *r)
{
	struct mrc_conn_set old, set;
	struct mrc_explicit *ex;
	u16 map[MRC_EV_MAX + 1];

	if (mrc_conn_build_set(conn, r, &set)) {
		mrc_explicit_put(r->explicit);
		return;
	}
	mrc_conn_lock_paths(conn);
	old.evs = conn->evs;
	old.paths = conn->paths;
	old.n_paths = mrc_conn_n_paths(conn);
	ex = conn->explicit;
	if (ex && ex != r->explicit)
		mrc_explicit_save_stats(ex, old.evs);
	mrc_repath_inherit(set.evs, old.evs, map);
	if (mrc_conn_has_req(conn))
		mrc_repath_requester(&conn->req, set.evs, map);
	mrc_conn_install(conn, &set, r);
	mrc_metrics_forget(&conn->peer->metrics);
	mrc_conn_unlock_paths(conn);

	mrc_explicit_put(ex);
	mrc_conn_drop_paths(old.paths, old.n_paths);
	kvfree(old.paths);
	kvfree(old.evs);
}

static void mrc_conn_apply_paths(struct mrc_conn *conn)
{
	struct mrc_resolved *r = mrc_conn_resolve(conn);

	if (!r)
		return;
	if (mrc_conn_same_paths(conn, r))
		mrc_conn_adjust(conn, r);
	else
		mrc_conn_replace(conn, r);
	kvfree(r);
	mrc_conn_refresh_cc(conn);
}

/**
 * mrc_conn_repath - apply the current configuration of paths
 * @work: member of a connection
 *
 * If memory cannot be allocated, the connection keeps its paths until the next
 * change.  The memory is charged to the creator of the QP, as before.
 *
 * Context: process.
 */
void mrc_conn_repath(struct work_struct *work)
{
	struct mrc_conn *conn = container_of(work, struct mrc_conn, repath);
	struct mem_cgroup *was;

	/* mrc_conn_reset() clears the bit, then waits for us. */
	if (!test_bit(MRC_CONN_RX, &conn->flags))
		return;
	was = set_active_memcg(conn->memcg);
	mrc_conn_apply_paths(conn);
	set_active_memcg(was);
}

/**
 * mrc_conn_queue_repath - queue mrc_conn_repath()
 * @conn: connection
 *
 * Context: any.
 */
void mrc_conn_queue_repath(struct mrc_conn *conn)
{
	queue_work(mrc_conn_wq, &conn->repath);
}

static bool mrc_conn_is_towards(const struct mrc_conn *conn,
				const struct mrc_lpm_key *key)
{
	struct mrc_lpm_key net;

	if (!key)
		return true;
	mrc_lpm_key_init(&net, conn->attr.dgid.s6_addr, key->len);
	return net.hi == key->hi && net.lo == key->lo;
}

/**
 * mrc_conn_paths_changed - the operator has changed paths
 * @nic: NIC
 * @key: prefix of peers whose paths changed; NULL: all
 *
 * When it returns, no packet is sent on a path of the old configuration.
 *
 * Context: process, may sleep; no locks of @nic held.
 */
void mrc_conn_paths_changed(struct mrc_nic *nic, const struct mrc_lpm_key *key)
{
	struct mrc_conn *conn;
	bool any = false;

	atomic_inc(&nic->paths_gen);
	spin_lock_bh(&nic->lock);
	for (conn = mrc_nic_first_conn(nic); conn;
	     conn = mrc_nic_next_conn(conn)) {
		if (!test_bit(MRC_CONN_RX, &conn->flags) ||
		    !mrc_conn_is_towards(conn, key))
			continue;
		mrc_conn_queue_repath(conn);
		any = true;
	}
	spin_unlock_bh(&nic->lock);
	if (any)
		flush_workqueue(mrc_conn_wq);
}

/**
 * mrc_conn_drop_routes - release all cached routes
 * @nic: device that has just lost a net_device
 *
 * An IPv6 route refers to its network namespace, which may be destroyed before
 * the connections.
 *
 * Context: RTNL held, the RCU readers of the net_device have ended.
 */
void mrc_conn_drop_routes(struct mrc_nic *nic)
{
	struct mrc_conn *conn;

	spin_lock_bh(&nic->lock);
	for (conn = mrc_nic_first_conn(nic); conn;
	     conn = mrc_nic_next_conn(conn)) {
		if (conn->evs)
			mrc_conn_drop_paths(conn->paths,
					    mrc_conn_n_paths(conn));
	}
	spin_unlock_bh(&nic->lock);
}

/**
 * mrc_conn_wq_init - create the workqueue for changes of paths
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_conn_wq_init(void)
{
	mrc_conn_wq = alloc_workqueue("mrc", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return mrc_conn_wq ? 0 : -ENOMEM;
}

/**
 * mrc_conn_wq_exit - undo mrc_conn_wq_init()
 *
 * No connection is left.
 */
void mrc_conn_wq_exit(void)
{
	destroy_workqueue(mrc_conn_wq);
}
