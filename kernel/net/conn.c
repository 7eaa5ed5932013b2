// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a connection: QP number, paths, requester, responder, timer.
 */
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/xarray.h>
#include <net/ipv6.h>
#include "compat/hrtimer.h"
#include "core/lb.h"
#include "core/wire.h"
#include "net/alloc.h"
#include "net/conn.h"
#include "net/grace.h"
#include "net/home.h"
#include "net/peer.h"
#include "net/trace.h"
#include "path/ccprofile.h"

/* The timer is not armed for less than this many ns, but for a tail loss probe. */
#define MRC_TIMER_MIN (20 * NSEC_PER_USEC)
/* One that would expire within this part of the time to a tail loss probe is put off. */
#define MRC_TIMER_PUT_OFF_PART 2
/*
 * Timers take at most this part of the time of a CPU, up to the last constant. Those of
 * tail loss probes may take more, but not what it costs: while messages follow each other,
 * each SACK may put one off, which emulated and paravirtual timers make expensive.
 */
#define MRC_TIMER_PART 64
#define MRC_TIMER_TAIL_PART 16
#define MRC_TIMER_MIN_MAX NSEC_PER_MSEC
/* Weight of a sample in &struct mrc_conn.timer_cost. */
#define MRC_TIMER_COST_WEIGHT 8

/* Connections visited before the lock is released for others. */
#define MRC_CONN_VISIT 16

/* All connections by QPN; readers under RCU. */
static DEFINE_XARRAY_FLAGS(mrc_conns, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
/* Where the search for a free QPN begins; under the lock of @mrc_conns. */
static u32 mrc_conns_next;

/**
 * mrc_conn_init_numbers() - choose the first QP number
 *
 * It is random: with the same one after each load of the module, packets for QPs of
 * the previous load would reach those of this one.
 */
void mrc_conn_init_numbers(void)
{
	mrc_conns_next = get_random_u32_inclusive(MRC_QPN_FIRST, MRC_QPN_LAST);
}

/**
 * mrc_conn_find - look a connection up by QP number
 * @net: network namespace in which a packet for it has been received
 * @qpn: QP number of this host
 *
 * QP numbers are unique in the module.  Addresses are not: root of another
 * network namespace can take any, so a packet must not reach a QP of a device
 * that does not belong to the namespace of the packet.
 *
 * Context: RCU read side.
 * Return: the connection, valid until the read side ends, or NULL.
 */
struct mrc_conn *mrc_conn_find(const struct net *net, u32 qpn)
{
	struct mrc_conn *conn = xa_load(&mrc_conns, qpn);

	return conn && READ_ONCE(conn->nic->net) == net ? conn : NULL;
}

/* Add what the requester has counted since the last call to the NIC's counters. */
static void mrc_conn_count_req(struct mrc_conn *conn)
{
	const struct mrc_req_stats *s = &conn->req.stats;
	struct mrc_req_stats *was = &conn->counted;
	struct mrc_nic *nic = conn->nic;

	if (s->rack_loss_path != was->rack_loss_path)
		mrc_count_add(nic, RACK_LOSS_PATH,
			      s->rack_loss_path - was->rack_loss_path);
	if (s->rack_loss_any != was->rack_loss_any)
		mrc_count_add(nic, RACK_LOSS_ANY,
			      s->rack_loss_any - was->rack_loss_any);
	if (s->spurious != was->spurious)
		mrc_count_add(nic, RETRANS_SPURIOUS,
			      s->spurious - was->spurious);
	if (s->timeouts != was->timeouts)
		mrc_count_add(nic, RETRANS_TIMEOUTS,
			      s->timeouts - was->timeouts);
	was->rack_loss_path = s->rack_loss_path;
	was->rack_loss_any = s->rack_loss_any;
	was->spurious = s->spurious;
	was->timeouts = s->timeouts;
}

/* When has the requester something to do?  ns; 0 for never. */
static u64 mrc_conn_deadline(const struct mrc_conn *conn)
{
	u64 at = min_not_zero(mrc_req_deadline(&conn->req), conn->ports_at);

	return min_not_zero(at, conn->look_at);
}

/**
 * mrc_conn_exact_min() - how soon may a timer expire whose deadline matters?
 * @conn: connection that sends
 *
 * A timer costs about as much as it is late on average, and even those that should be
 * exact may take only a part of the time.
 *
 * Context: req_lock held.
 * Return: ns from now, at most MRC_TIMER_MIN_MAX.
 */
u64 mrc_conn_exact_min(const struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	return min_t(u64, (u64)conn->timer_cost * MRC_TIMER_TAIL_PART,
		     MRC_TIMER_MIN_MAX);
}

/*
 * While packets are acknowledged, the timer expires early again and again: it may take a
 * small part of the time.
 */
static u64 mrc_conn_timer_min(const struct mrc_conn *conn)
{
	return clamp_t(u64, (u64)conn->timer_cost * MRC_TIMER_PART,
		       MRC_TIMER_MIN, MRC_TIMER_MIN_MAX);
}

/* Is deadline @at that of a tail loss probe, without which nothing shows a loss? */
static bool mrc_conn_is_tail(const struct mrc_conn *conn, u64 at)
{
	return test_bit(MRC_CONN_TX, &conn->flags) &&
	       at == mrc_req_tail_at(&conn->req);
}

/*
 * The timer expires before deadline @at.  That costs less than a timer that every SACK
 * re-arms; but before a tail loss probe, where few SACKs are to come, one that is about to
 * expire is put off.  One that has expired is not: it tells how late this host is.
 */
static bool mrc_conn_put_off(const struct mrc_conn *conn, u64 at, u64 now)
{
	return !conn->woken && conn->timer_at > now &&
	       conn->timer_at - now < (at - now) / MRC_TIMER_PUT_OFF_PART;
}

/**
 * mrc_conn_arm() - start the timer if the connection has a deadline
 * @conn: connection that sends or receives
 *
 * Only a tail loss probe needs it to be exact, within what timers cost on this host.
 * A deadline that has passed still gets MRC_TIMER_MIN: while no path is usable it
 * cannot be met, and must not keep a CPU busy.  A timer that expires by then stays: calls
 * that come in the meantime must not put it off again and again.
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_arm(struct mrc_conn *conn)
{
	bool armed, tail;
	u64 at, now;

	lockdep_assert_held(&conn->req_lock);
	at = test_bit(MRC_CONN_TX, &conn->flags) ? mrc_conn_deadline(conn) :
						   conn->evs->ack_paths.next;
	if (!at)
		return;
	tail = mrc_conn_is_tail(conn, at);
	if (conn->timer_at && conn->timer_at <= at && !tail)
		return;
	now = ktime_get_ns();
	tail &= at > now;
	at = max(at, now + (tail ? mrc_conn_exact_min(conn) :
				   mrc_conn_timer_min(conn)));
	armed = conn->timer_at && conn->timer_at <= at;
	if (armed && !(tail && mrc_conn_put_off(conn, at, now)))
		return;
	conn->timer_at = at;
	hrtimer_start(&conn->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/**
 * mrc_conn_end_req() - finish what has changed at the requester
 * @conn: connection that sends
 *
 * Completes messages, reports errors, arms the timer.
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_end_req(struct mrc_conn *conn)
{
	struct mrc_done done;

	lockdep_assert_held(&conn->req_lock);
	mrc_conn_count_req(conn);
	if (unlikely(conn->req.status != MRC_OK))
		mrc_conn_close_rd_pending(conn);
	while (mrc_req_pop(&conn->req, &done))
		conn->ops->tx_done(conn, &done);

	if (unlikely(conn->req.status != MRC_OK)) {
		if (conn->failed)
			return;
		conn->failed = true;
		if (conn->req.status == MRC_ERR_RETRY_EXC)
			mrc_count(conn->nic, UNRESPONSIVE_REMOTE);
		conn->ops->tx_failed(conn, conn->req.status);
		return;
	}
	mrc_conn_arm(conn);
}

/*
 * The lateness of timers bounds how long this host may delay packets.  The NIC
 * keeps the greatest value, halved every MRC_REO_HALF_LIFE_NS without a greater
 * one, and new connections start from it.  Concurrent writers race; the value of
 * any of them is valid.
 */
static void mrc_conn_note_timer_late(struct mrc_conn *conn, u64 now)
{
	struct mrc_nic *nic = conn->nic;
	u64 late = now > conn->timer_at ? now - conn->timer_at : 0;
	u64 known = READ_ONCE(nic->timer_late);

	conn->timer_cost += ((s64)min_t(u64, late, MRC_TIMER_MIN_MAX) -
			     conn->timer_cost) / MRC_TIMER_COST_WEIGHT;
	if (late > known ||
	    now - READ_ONCE(nic->timer_late_at) > MRC_REO_HALF_LIFE_NS) {
		known = max(late, known / 2);
		WRITE_ONCE(nic->timer_late, known);
		WRITE_ONCE(nic->timer_late_at, now);
	}
	mrc_req_timer_late(&conn->req, known, now);
}

/* Is there something to do for a connection whose timer has expired? */
static bool mrc_conn_due(struct mrc_conn *conn, u64 now)
{
	bool due = conn->woken || mrc_conn_deadline(conn) <= now;

	lockdep_assert_held(&conn->req_lock);
	conn->woken = false;
	if (conn->look_at <= now)
		conn->look_at = 0;
	return due;
}

static enum hrtimer_restart mrc_conn_timeout(struct hrtimer *timer)
{
	struct mrc_conn *conn = container_of(timer, struct mrc_conn, timer);
	bool due = true;
	u64 now;

	rcu_read_lock();
	spin_lock(&conn->req_lock);
	now = ktime_get_ns();
	if (conn->timer_at)
		mrc_conn_note_timer_late(conn, now);
	conn->timer_at = 0;
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		due = mrc_conn_due(conn, now);
		if (due)
			mrc_req_on_timer(&conn->req, now);
		mrc_conn_end_req(conn);
	}
	spin_unlock(&conn->req_lock);
	if (due)
		mrc_bh_work_queue(&conn->tx_work);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

static bool mrc_conn_node_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct mrc_conn, node)->qpn <
	       rb_entry(b, struct mrc_conn, node)->qpn;
}

/**
 * mrc_conn_init - set up a connection and allocate its QP number
 * @conn: zeroed memory
 * @nic: device it belongs to
 * @ops: the QP on top
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_conn_init(struct mrc_conn *conn, struct mrc_nic *nic,
		  const struct mrc_conn_ops *ops)
{
	int ret;

	conn->ops = ops;
	conn->nic = nic;
	conn->home = MRC_HOME_NONE;
	conn->ack_home = MRC_HOME_NONE;
	conn->polled = MRC_HOME_NONE;
	spin_lock_init(&conn->req_lock);
	spin_lock_init(&conn->rsp_lock);
	spin_lock_init(&conn->rda_lock);
	hrtimer_setup(&conn->timer, mrc_conn_timeout, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	mrc_bh_work_init(&conn->tx_work, mrc_conn_tx_work);
	mrc_conn_init_fences(conn);
	INIT_WORK(&conn->repath, mrc_conn_repath);

	ret = xa_alloc_cyclic(&mrc_conns, &conn->qpn, conn,
			      XA_LIMIT(MRC_QPN_FIRST, MRC_QPN_LAST),
			      &mrc_conns_next, GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return ret;
	conn->memcg = get_mem_cgroup_from_mm(current->mm);

	kref_get(&nic->ref);
	spin_lock_bh(&nic->lock);
	rb_add(&conn->node, &nic->conns, mrc_conn_node_less);
	spin_unlock_bh(&nic->lock);
	return 0;
}

static int mrc_conn_join_peer(struct mrc_conn *conn)
{
	struct mrc_nic *nic = conn->nic;

	conn->peer = mrc_peer_get(nic, &conn->attr.sgid, &conn->attr.dgid,
				  conn->v4);
	if (!conn->peer)
		return -ENOMEM;
	spin_lock_bh(&nic->lock);
	list_add_tail(&conn->peer_node, &conn->peer->conns);
	spin_unlock_bh(&nic->lock);
	return 0;
}

static void mrc_conn_leave_peer(struct mrc_conn *conn)
{
	if (!conn->peer)
		return;
	spin_lock_bh(&conn->nic->lock);
	list_del(&conn->peer_node);
	mrc_peer_add_past(conn->peer, conn);
	spin_unlock_bh(&conn->nic->lock);
	mrc_peer_put(conn->peer);
	conn->peer = NULL;
}

/**
 * mrc_conn_open - set up the paths to the peer and start to receive
 * @conn: connection after mrc_conn_init() or mrc_conn_reset()
 * @attr: addresses
 * @rsp_cfg: attributes of the responder
 * @rnr_timer: IBTA code of the delay that RNR NAKs carry
 * @pmtu: payload bytes of a full packet
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_conn_open(struct mrc_conn *conn, const struct mrc_conn_attr *attr,
		  const struct mrc_rsp_cfg *rsp_cfg, u8 rnr_timer, u32 pmtu)
{
	int gen = atomic_read(&conn->nic->paths_gen);
	struct mrc_rsp_cfg cfg = *rsp_cfg;
	int ret;

	ret = mrc_binding_check(&conn->nic->pm, &conn->binding,
				ipv6_addr_v4mapped(&attr->dgid), NULL);
	if (ret)
		return ret;
	mrc_ccprofile_resolve_rsp(&conn->nic->pm, &attr->dgid, &conn->binding,
				  &cfg);
	mrc_conn_opts_rsp(&conn->opts, &cfg);
	conn->attr = *attr;
	conn->v4 = ipv6_addr_v4mapped(&attr->dgid);
	conn->rnr_timer = rnr_timer;
	conn->pmtu = pmtu;
	conn->rsp_failed = false;
	WRITE_ONCE(conn->heard, false);
	conn->rsp_mem = kvzalloc(mrc_rsp_mem_size(&cfg), MRC_GFP_USER);
	if (!conn->rsp_mem)
		return -ENOMEM;
	mrc_rsp_init(&conn->rsp, &cfg, conn->rsp_mem);

	if (mrc_conn_rd_atomic_init(conn, cfg.max_dest_rd_atomic) ||
	    mrc_conn_join_peer(conn) || mrc_conn_make_paths(conn)) {
		mrc_conn_reset(conn);
		return -ENOMEM;
	}

	mrc_conn_choose_home(conn);
	spin_lock_bh(&conn->req_lock);
	rcu_read_lock();
	conn->epoch = mrc_conn_ports_epoch(conn) - 1;
	mrc_conn_refresh_ports(conn, ktime_get_ns());
	rcu_read_unlock();
	/* Pairs with mrc_rx_select(): a reader of the bit sees the set-up. */
	smp_mb__before_atomic();
	set_bit(MRC_CONN_RX, &conn->flags);
	spin_unlock_bh(&conn->req_lock);
	/* A change that came before this connection was visible has missed it. */
	if (atomic_read(&conn->nic->paths_gen) != gen)
		mrc_conn_queue_repath(conn);
	return 0;
}

/* The CC profile that is configured now; measurements are shared with the peer. */
static void mrc_conn_resolve_cc(const struct mrc_conn *conn,
				const struct mrc_req_cfg *cfg,
				struct mrc_cc_setup *use)
{
	mrc_ccprofile_resolve(&conn->nic->pm, &conn->attr.dgid, &conn->binding,
			      cfg, use);
	mrc_conn_opts_req(&conn->opts, &use->req);
	use->cc.metrics = &conn->peer->metrics;
}

/**
 * mrc_conn_refresh_cc - apply the CC profile that is configured now
 * @conn: connection with paths
 *
 * Without a requester it does nothing: mrc_conn_start() resolves the profile.
 *
 * Context: process; mrc_conn_reset() waits for the caller.
 */
void mrc_conn_refresh_cc(struct mrc_conn *conn)
{
	struct mrc_cc_setup use;

	spin_lock_bh(&conn->req_lock);
	if (mrc_conn_has_req(conn)) {
		mrc_conn_resolve_cc(conn, &conn->req_cfg, &use);
		mrc_req_change(&conn->req, &use.req, use.ops, &use.cc,
			       ktime_get_ns());
		mrc_lb_set(conn->evs, use.lb);
		mrc_conn_wake(conn);
	}
	spin_unlock_bh(&conn->req_lock);
}

/**
 * mrc_conn_set_opts() - change attributes that verbs have not
 * @conn: connection
 * @change: attributes to be set, whose values are valid
 * @bind: profiles to be bound
 * @extack: set to the reason on error; may be NULL
 *
 * When it returns, attributes that can change while the connection is in use have
 * effect, and no packet is sent on a path of the former profile.  The others have
 * effect when the connection is opened or started.
 *
 * Context: process, may sleep; the QP serialises.
 * Return: 0, -ENOENT or -EINVAL; on error nothing has changed.
 */
int mrc_conn_set_opts(struct mrc_conn *conn, const struct mrc_conn_opts *change,
		      const struct mrc_binding_change *bind,
		      struct netlink_ext_ack *extack)
{
	bool open = test_bit(MRC_CONN_RX, &conn->flags);
	int ret;

	ret = mrc_binding_set(&conn->nic->pm, &conn->binding, bind,
			      open && conn->v4, extack);
	if (ret)
		return ret;
	spin_lock_bh(&conn->req_lock);
	mrc_conn_opts_merge(&conn->opts, change);
	spin_unlock_bh(&conn->req_lock);
	if (open) {
		mrc_conn_queue_repath(conn);
		flush_work(&conn->repath);
	}
	return 0;
}

/**
 * mrc_conn_clear_opts() - restore the defaults of attributes that verbs have not
 * @conn: connection that is not open
 *
 * Context: process, may sleep; the QP serialises.
 */
void mrc_conn_clear_opts(struct mrc_conn *conn)
{
	mrc_binding_clear(&conn->nic->pm, &conn->binding);
	spin_lock_bh(&conn->req_lock);
	memset(&conn->opts, 0, sizeof(conn->opts));
	spin_unlock_bh(&conn->req_lock);
}

static void mrc_conn_read_cfgs(struct mrc_conn *conn, struct mrc_req_cfg *req,
			       struct mrc_rsp_cfg *rsp)
{
	struct mrc_cc_setup use;

	lockdep_assert_held(&conn->req_lock);
	if (!conn->evs) {
		mrc_conn_opts_rsp(&conn->opts, rsp);
		mrc_conn_opts_req(&conn->opts, req);
		return;
	}
	*rsp = conn->rsp.cfg;
	/* One that sends responses only is set up again in RTS. */
	if (conn->req_mem && !conn->response_only) {
		*req = conn->req.cfg;
		return;
	}
	mrc_conn_resolve_cc(conn, req, &use);
	*req = use.req;
}

/**
 * mrc_conn_cfgs() - configuration in effect, or to be expected
 * @conn: connection
 * @req: requester: defaults; changed to what is in effect
 * @rsp: responder: likewise
 * @set: set to the attributes of @conn that are set, bits by enum mrc_conn_opt
 *
 * Context: process or softirq.
 */
void mrc_conn_cfgs(struct mrc_conn *conn, struct mrc_req_cfg *req,
		   struct mrc_rsp_cfg *rsp, u32 *set)
{
	/* A connection with paths is complete, and stays so under these locks. */
	spin_lock_bh(&conn->nic->lock);
	spin_lock(&conn->req_lock);
	spin_lock(&conn->rsp_lock);
	mrc_conn_read_cfgs(conn, req, rsp);
	*set = conn->opts.set;
	spin_unlock(&conn->rsp_lock);
	spin_unlock(&conn->req_lock);
	spin_unlock_bh(&conn->nic->lock);
}

/* &struct mrc_req.on_loss: a packet is deemed lost. */
static void mrc_conn_lost(struct mrc_req *req, u32 psn,
			  const struct mrc_tx_pkt *rec, enum mrc_loss why,
			  u64 now)
{
	trace_mrc_loss(container_of(req, struct mrc_conn, req), psn, rec, why,
		       now);
}

/*
 * Start with an idle requester.  @mem is exchanged for the memory of a previous
 * one, whose size may differ.  Its counters go on, as those of the peer contain
 * them.
 */
static void mrc_conn_init_req(struct mrc_conn *conn,
			      const struct mrc_cc_setup *use, void **mem)
{
	const struct mrc_req_stats stats = conn->req.stats;

	lockdep_assert_held(&conn->req_lock);
	swap(conn->req_mem, *mem);
	mrc_req_init(&conn->req, &use->req, conn->evs, use->ops, &use->cc,
		     conn->req_mem);
	conn->req.on_loss = mrc_conn_lost;
	mrc_req_timer_late(&conn->req, READ_ONCE(conn->nic->timer_late),
			   ktime_get_ns());
	conn->req.stats = stats;
	conn->failed = false;
}

/**
 * mrc_conn_start - start to send
 * @conn: open connection
 * @req_cfg: attributes of the requester
 * @response_only: send responses only, from the PSN on that the peer expects
 *
 * A connection that was started with @response_only is started again without it
 * in RTS; responses in flight are kept.
 *
 * Context: process; the caller serialises.
 * Return: 0, -EINVAL for attributes out of range, or -ENOMEM.
 */
int mrc_conn_start(struct mrc_conn *conn, const struct mrc_req_cfg *req_cfg,
		   bool response_only)
{
	int gen = atomic_read(&conn->nic->paths_gen);
	struct mrc_refusal why;
	struct mrc_cc_setup use;
	void *mem;

	mrc_conn_resolve_cc(conn, req_cfg, &use);
	if (mrc_req_check(&use.req, &why))
		return -EINVAL;
	mem = kvzalloc(mrc_req_mem_size(&use.req), MRC_GFP_USER);
	if (!mem)
		return -ENOMEM;

	spin_lock_bh(&conn->req_lock);
	conn->req_cfg = *req_cfg;
	conn->response_only = response_only;
	if (test_bit(MRC_CONN_TX, &conn->flags)) {
		mrc_req_change(&conn->req, &use.req, use.ops, &use.cc,
			       ktime_get_ns());
		mrc_req_allow_requests(&conn->req, &use.req);
	} else {
		mrc_conn_init_req(conn, &use, &mem);
		if (!response_only)
			set_bit(MRC_CONN_TX, &conn->flags);
	}
	mrc_lb_set(conn->evs, use.lb);
	spin_unlock_bh(&conn->req_lock);
	/* The memory of the previous requester, or the new memory if unused. */
	kvfree(mem);
	/* A change that came before this connection was visible has missed it. */
	if (atomic_read(&conn->nic->paths_gen) != gen)
		mrc_conn_queue_repath(conn);

	if (response_only)
		mrc_bh_work_queue(&conn->tx_work);
	else
		mrc_conn_doorbell(conn);
	return 0;
}

/**
 * mrc_conn_stop - end all messages
 * @conn: connection in any state
 *
 * Messages that are not acknowledged end with MRC_ERR_FLUSH.  The responder
 * stops too, unless it has failed: then it continues to repeat its NAK, in case
 * the first one was lost.
 *
 * Context: process or softirq; req_lock and rsp_lock not held.
 */
void mrc_conn_stop(struct mrc_conn *conn)
{
	struct mrc_done done;

	clear_bit(MRC_CONN_DATAGRAM, &conn->flags);
	spin_lock_bh(&conn->req_lock);
	conn->response_only = false;
	if (test_and_clear_bit(MRC_CONN_TX, &conn->flags) && !conn->failed) {
		mrc_conn_close_rd_pending(conn);
		mrc_req_flush(&conn->req);
		while (mrc_req_pop(&conn->req, &done))
			conn->ops->tx_done(conn, &done);
	}
	spin_unlock_bh(&conn->req_lock);

	spin_lock_bh(&conn->rsp_lock);
	if (test_bit(MRC_CONN_RX, &conn->flags) && !mrc_rsp_failed(&conn->rsp))
		clear_bit(MRC_CONN_RX, &conn->flags);
	spin_unlock_bh(&conn->rsp_lock);
}

/**
 * mrc_conn_reset - stop, and release peer, paths and memory
 * @conn: connection in any state
 *
 * Nothing is received, sent or timed for the connection when it returns.
 *
 * Context: process; sleeps.
 */
void mrc_conn_reset(struct mrc_conn *conn)
{
	void *mem;

	mrc_conn_stop(conn);
	clear_bit(MRC_CONN_RX, &conn->flags);
	/* All users are on the RCU read side and test the bits first. */
	mrc_grace_wait();
	cancel_work_sync(&conn->repath);
	hrtimer_cancel(&conn->timer);
	mrc_bh_work_cancel_sync(&conn->tx_work);
	mrc_conn_drop_fences(conn);
	conn->timer_at = 0;
	mrc_conn_quarantine(conn);

	mrc_conn_leave_home(conn);
	mrc_conn_free_paths(conn);
	/* Dumps read @req_mem under the lock. */
	spin_lock_bh(&conn->req_lock);
	mem = conn->req_mem;
	conn->req_mem = NULL;
	spin_unlock_bh(&conn->req_lock);
	kvfree(mem);
	kvfree(conn->rsp_mem);
	conn->rsp_mem = NULL;
	mrc_conn_rd_atomic_exit(conn);
	/* The requester has used its measurements. */
	mrc_conn_leave_peer(conn);
}

/**
 * mrc_conn_exit - undo mrc_conn_init()
 * @conn: connection in any state
 *
 * Context: process; sleeps.
 */
void mrc_conn_exit(struct mrc_conn *conn)
{
	struct mrc_nic *nic = conn->nic;

	xa_erase(&mrc_conns, conn->qpn);
	mrc_conn_reset(conn);
	mrc_conn_clear_opts(conn);

	spin_lock_bh(&nic->lock);
	rb_erase(&conn->node, &nic->conns);
	spin_unlock_bh(&nic->lock);
	/* It is in no list any more; work queued before that may still run. */
	cancel_work_sync(&conn->repath);
	mem_cgroup_put(conn->memcg);
	mrc_nic_put(nic);
}

/**
 * mrc_conn_wake - make the timer of a connection expire now
 * @conn: connection; one that does not send is left alone
 *
 * Context: req_lock held, BH off.
 */
void mrc_conn_wake(struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	if (!test_bit(MRC_CONN_TX, &conn->flags))
		return;
	conn->woken = true;
	conn->timer_at = ktime_get_ns();
	hrtimer_start(&conn->timer, ns_to_ktime(conn->timer_at),
		      HRTIMER_MODE_ABS_SOFT);
}

/* The connection with the next greater QP number than @qpn. */
static struct mrc_conn *mrc_conn_after(struct mrc_nic *nic, u32 qpn)
{
	struct rb_node *node = nic->conns.rb_node;
	struct mrc_conn *found = NULL, *conn;

	lockdep_assert_held(&nic->lock);
	while (node) {
		conn = rb_entry(node, struct mrc_conn, node);
		if (conn->qpn > qpn) {
			found = conn;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * mrc_conn_for_each - call a function for all connections of a device
 * @nic: device
 * @fn: called for each, with the lock of @nic held; must not sleep
 * @arg: for @fn
 *
 * The lock is released after every MRC_CONN_VISIT, since a dump needs no
 * privilege and must not delay senders.  A connection that exists during the
 * whole call is visited once.
 *
 * Context: process, may sleep.
 */
void mrc_conn_for_each(struct mrc_nic *nic,
		       void (*fn)(struct mrc_conn *conn, void *arg), void *arg)
{
	struct mrc_conn *conn;
	u32 qpn = 0;
	int i;

	do {
		cond_resched();
		spin_lock_bh(&nic->lock);
		conn = mrc_conn_after(nic, qpn);
		for (i = 0; conn && i < MRC_CONN_VISIT; i++) {
			fn(conn, arg);
			qpn = conn->qpn;
			conn = mrc_nic_next_conn(conn);
		}
		spin_unlock_bh(&nic->lock);
	} while (conn);
}

static void mrc_conn_recheck_ports(struct mrc_conn *conn)
{
	spin_lock(&conn->req_lock);
	mrc_conn_wake(conn);
	spin_unlock(&conn->req_lock);
}

/**
 * mrc_conn_ports_changed - a port of a device went up or down, or all of its peers' did
 * @nic: device
 *
 * Every connection reads the state of ports before it sends its next burst; the
 * timer makes idle ones do it now.
 *
 * Context: process or softirq; the caller has written the state of ports.
 */
void mrc_conn_ports_changed(struct mrc_nic *nic)
{
	struct mrc_conn *conn;

	atomic_inc(&nic->epoch);
	spin_lock_bh(&nic->lock);
	for (conn = mrc_nic_first_conn(nic); conn;
	     conn = mrc_nic_next_conn(conn))
		mrc_conn_recheck_ports(conn);
	spin_unlock_bh(&nic->lock);
}

/**
 * mrc_conn_peer_changed - a port of a peer went up or down
 * @nic: own device
 * @peer: peer, whose ports have been written
 *
 * Only connections to it read the state of ports again.
 *
 * Context: RCU read side, on which @peer was found; no lock of a connection held.
 */
void mrc_conn_peer_changed(struct mrc_nic *nic, struct mrc_peer *peer)
{
	struct mrc_conn *conn;

	spin_lock_bh(&nic->lock);
	/* Pairs with mrc_conn_ports_epoch(): ports are written before. */
	smp_store_release(&peer->epoch, peer->epoch + 1);
	list_for_each_entry(conn, &peer->conns, peer_node)
		mrc_conn_recheck_ports(conn);
	spin_unlock_bh(&nic->lock);
}
