// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rounds of EV probes: choosing paths, sending, waiting.
 */
#include <linux/inetdevice.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/timekeeping.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "compat/extack.h"
#include "core/packet.h"
#include "net/dest.h"
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/evprobe.h"
#include "net/nic.h"
#include "net/resolve.h"

static struct workqueue_struct *mrc_evprobe_wq;

/* --- addresses ------------------------------------------------------------ */

static int mrc_evprobe_source_v4(struct net *net, struct net_device *dev,
				 struct mrc_evprobe_ask *ask)
{
	__be32 addr = ask->sgid.s6_addr32[3];

	if (ipv6_addr_any(&ask->sgid))
		addr = inet_select_addr(dev, ask->dgid.s6_addr32[3],
					RT_SCOPE_UNIVERSE);
	else if (!ipv6_addr_v4mapped(&ask->sgid) ||
		 inet_addr_type(net, addr) != RTN_LOCAL)
		addr = 0;
	ipv6_addr_set_v4mapped(addr, &ask->sgid);
	return addr ? 0 : -EADDRNOTAVAIL;
}

static int mrc_evprobe_source_v6(struct net *net, struct net_device *dev,
				 struct mrc_evprobe_ask *ask)
{
	if (ipv6_addr_any(&ask->sgid))
		return ipv6_dev_get_saddr(net, dev, &ask->dgid, 0, &ask->sgid);
	return ipv6_chk_addr(net, &ask->sgid, NULL, 0) ? 0 : -EADDRNOTAVAIL;
}

/* A probe under a foreign name would have its answer sent to somebody else. */
static int mrc_evprobe_source(struct mrc_evprobe_ask *ask,
			      struct netlink_ext_ack *extack)
{
	struct mrc_nic *nic = ask->nic;
	struct net_device *dev = NULL;
	int ret = -EADDRNOTAVAIL;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !dev; i++)
		dev = rcu_dereference(nic->port[i].dev);
	if (dev)
		ret = ask->v4 ?
		      mrc_evprobe_source_v4(dev_net(dev), dev, ask) :
		      mrc_evprobe_source_v6(dev_net(dev), dev, ask);
	rcu_read_unlock();
	if (ret)
		NL_SET_ERR_MSG(extack,
			       "src is no address of this host that can reach dst");
	return ret;
}

static int mrc_evprobe_check(struct mrc_evprobe_ask *ask,
			     struct netlink_ext_ack *extack)
{
	__be32 v4 = ask->dgid.s6_addr32[3];

	ask->v4 = ipv6_addr_v4mapped(&ask->dgid);
	if (ipv6_addr_any(&ask->dgid) || ipv6_addr_is_multicast(&ask->dgid) ||
	    (ask->v4 && (ipv4_is_multicast(v4) || ipv4_is_zeronet(v4) ||
			 ipv4_is_lbcast(v4)))) {
		NL_SET_ERR_MSG(extack, "dst is not the address of one host");
		return -EINVAL;
	}
	if (!ask->timeout_ms || ask->timeout_ms > MRC_EVPROBE_TIMEOUT_MS) {
		NL_SET_ERR_MSG_FMT(extack, "timeout is 1 to %u ms",
				   MRC_EVPROBE_TIMEOUT_MS);
		return -EINVAL;
	}
	if (ask->plane > ask->nic->n_ports) {
		NL_SET_ERR_MSG_FMT(extack, "no port %u, the device has %u",
				   ask->plane, ask->nic->n_ports);
		return -EINVAL;
	}
	return mrc_evprobe_source(ask, extack);
}

/* --- paths ---------------------------------------------------------------- */

/* Returns false if there is no room. */
static bool mrc_evprobe_add(struct mrc_evprobe_ask *ask,
			    const struct mrc_ev_entry *entry,
			    const struct mrc_sid *sid,
			    enum mrc_evprobe_state state)
{
	struct mrc_evprobe_round *round = &ask->round;

	if (round->n == MRC_EV_MAX)
		return false;
	round->probe[round->n] = (struct mrc_evprobe){
		.ev = entry->value,
		.plane = entry->plane,
		.state = state,
	};
	if (ask->srv6 && sid)
		ask->sids[round->n] = *sid;
	round->n++;
	return true;
}

/* Slots of paths that have been deleted are no paths. */
static bool mrc_evprobe_exists(const struct mrc_resolved *r, u16 i)
{
	struct mrc_dest_path path;

	return !r->dest || mrc_dest_path_get(r->dest, i, &path);
}

static void mrc_evprobe_take_all(struct mrc_evprobe_ask *ask,
				 const struct mrc_resolved *r)
{
	const struct mrc_ev_entry *e;
	u16 i;

	for (i = 0; i < r->n; i++) {
		e = &r->entries[i];
		if (!mrc_evprobe_exists(r, i) ||
		    (ask->plane && ask->plane != e->plane))
			continue;
		mrc_evprobe_add(ask, e, &r->sids[i],
				e->denied ? MRC_EVPROBE_DENIED :
					    MRC_EVPROBE_NEW);
	}
}

/*
 * A path that is asked for by name is probed even if it is forbidden: what
 * else would tell whether it can be allowed again?  Without SRv6 any name is
 * one of a path.  Returns false if there is no room.
 */
static bool mrc_evprobe_take_one(struct mrc_evprobe_ask *ask,
				 const struct mrc_resolved *r,
				 const struct mrc_evprobe_want *want)
{
	u8 plane = want->plane ?: ask->plane;
	struct mrc_ev_entry entry = { .value = want->ev, .plane = plane };
	bool found = false;
	u16 i;

	for (i = 0; i < r->n; i++) {
		if (r->entries[i].value != want->ev ||
		    (plane && plane != r->entries[i].plane) ||
		    !mrc_evprobe_exists(r, i))
			continue;
		if (!mrc_evprobe_add(ask, &r->entries[i], &r->sids[i],
				     MRC_EVPROBE_NEW))
			return false;
		found = true;
	}
	if (found)
		return true;
	found = !r->srv6 && plane && plane <= ask->nic->n_ports;
	return mrc_evprobe_add(ask, &entry, NULL,
			       found ? MRC_EVPROBE_NEW : MRC_EVPROBE_NO_PATH);
}

static int mrc_evprobe_take(struct mrc_evprobe_ask *ask,
			    struct netlink_ext_ack *extack)
{
	struct mrc_resolved *r = kvmalloc(sizeof(*r), GFP_KERNEL);
	bool fit = true;
	u16 i;

	if (!r)
		return -ENOMEM;
	mrc_resolve_all(ask->nic, &ask->dgid, ask->v4, r);
	ask->srv6 = r->srv6;
	if (!ask->n)
		mrc_evprobe_take_all(ask, r);
	for (i = 0; i < ask->n && fit; i++)
		fit = mrc_evprobe_take_one(ask, r, &ask->want[i]);
	mrc_dest_put(r->dest);
	kvfree(r);
	if (!fit) {
		NL_SET_ERR_MSG_FMT(extack,
				   "these names stand for more than %u paths: give a port, or fewer",
				   MRC_EV_MAX);
		return -E2BIG;
	}
	if (ask->round.n)
		return 0;
	NL_SET_ERR_MSG(extack, "no path to dst leaves by this port");
	return -ENOENT;
}

/* --- rounds --------------------------------------------------------------- */

static bool mrc_evprobe_clashes(const struct mrc_evprobe_ask *ask)
{
	const struct mrc_evprobe_ask *other;

	list_for_each_entry(other, &ask->nic->ep.rounds, node) {
		if (mrc_evprobe_clash(&ask->round, &other->round))
			return true;
	}
	return false;
}

static const char *mrc_evprobe_enter(struct mrc_evprobe_ask *ask)
{
	struct mrc_endpoint *ep = &ask->nic->ep;

	lockdep_assert_held(&ep->lock);
	if (ep->stopped)
		return "the device is going away";
	if (ep->n_rounds == MRC_EVPROBE_ROUNDS)
		return "too many probes wait for answers, try again later";
	if (!mrc_rate_take(&ep->probes, ktime_get_ns(), ask->round.n))
		return "probes follow each other too fast, try again later";
	do {
		ask->round.first = get_random_u32() & MRC_EVPROBE_ID_MASK;
	} while (mrc_evprobe_clashes(ask));
	list_add_tail(&ask->node, &ep->rounds);
	ep->n_rounds++;
	return NULL;
}

static enum mrc_evprobe_state mrc_evprobe_why(int err)
{
	return err == -ENOMEM ? MRC_EVPROBE_NO_MEMORY : MRC_EVPROBE_NO_ROUTE;
}

static void mrc_evprobe_send(struct mrc_evprobe_ask *ask, u16 i)
{
	struct mrc_evprobe *p = &ask->round.probe[i];
	struct mrc_nic *nic = ask->nic;
	struct mrc_pkt_endpoint e = {
		.port_mask = READ_ONCE(nic->up),
		.caps = mrc_endpoint_caps(nic),
		.marked = true,
	};
	struct mrc_flow flow = {
		.sgid = &ask->sgid,
		.dgid = &ask->dgid,
		.sid = ask->srv6 ? &ask->sids[i] : NULL,
		.ev = p->ev,
		.plane = p->plane,
		.tos = MRC_DSCP_CONTROL << 2,
		.hop_limit = IPDEFTTL,
		.v4 = ask->v4,
	};
	int ret;

	if (!(e.port_mask & BIT(p->plane - 1))) {
		p->state = MRC_EVPROBE_PORT_DOWN;
		return;
	}
	spin_lock_bh(&nic->ep.lock);
	mrc_evprobe_sent(&ask->round, i, ktime_get_ns(), &e);
	spin_unlock_bh(&nic->ep.lock);

	rcu_read_lock_bh();
	ret = mrc_endpoint_send(nic, &flow, &e, true);
	rcu_read_unlock_bh();
	if (!ret)
		return;
	spin_lock_bh(&nic->ep.lock);
	mrc_evprobe_not_sent(&ask->round, i, mrc_evprobe_why(ret));
	spin_unlock_bh(&nic->ep.lock);
}

static void mrc_evprobe_work(struct work_struct *work)
{
	struct mrc_evprobe_ask *ask = container_of(to_delayed_work(work),
						   struct mrc_evprobe_ask,
						   work);
	struct mrc_nic *nic = ask->nic;

	spin_lock_bh(&nic->ep.lock);
	list_del(&ask->node);
	nic->ep.n_rounds--;
	spin_unlock_bh(&nic->ep.lock);
	/* The last answer may have come at the last moment. */
	cancel_delayed_work(&ask->work);

	ask->done(ask);
	mrc_nic_put(nic);
}

/*
 * Only now may the round end: an answer to its first probe can come before the
 * last one has left.
 */
static void mrc_evprobe_wait(struct mrc_evprobe_ask *ask)
{
	struct mrc_endpoint *ep = &ask->nic->ep;
	unsigned long delay = msecs_to_jiffies(ask->timeout_ms);

	spin_lock_bh(&ep->lock);
	ask->all_sent = true;
	if (!ask->round.waiting || ep->stopped)
		delay = 0;
	queue_delayed_work(mrc_evprobe_wq, &ask->work, delay);
	spin_unlock_bh(&ep->lock);
}

/**
 * mrc_evprobe_start() - send a round of EV probes
 * @ask: what to send, filled in up to @done
 * @extack: where to say why not
 *
 * What can be known without sending is refused; what becomes of each probe is
 * told to @ask->done, not before this returns.
 *
 * Context: process.  The caller holds a reference on the device, which goes on
 * until this returns.
 * Return: 0, and @ask belongs to @ask->done, or a negative errno.
 */
int mrc_evprobe_start(struct mrc_evprobe_ask *ask,
		      struct netlink_ext_ack *extack)
{
	struct mrc_nic *nic = ask->nic;
	const char *refusal;
	int ret;
	u16 i;

	ret = mrc_evprobe_check(ask, extack) ?: mrc_evprobe_take(ask, extack);
	if (ret)
		return ret;
	INIT_DELAYED_WORK(&ask->work, mrc_evprobe_work);
	spin_lock_bh(&nic->ep.lock);
	refusal = mrc_evprobe_enter(ask);
	spin_unlock_bh(&nic->ep.lock);
	if (refusal) {
		NL_SET_ERR_MSG_FMT(extack, "%s", refusal);
		return -EBUSY;
	}
	kref_get(&nic->ref);
	for (i = 0; i < ask->round.n; i++) {
		if (ask->round.probe[i].state == MRC_EVPROBE_NEW)
			mrc_evprobe_send(ask, i);
	}
	mrc_evprobe_wait(ask);
	return 0;
}

static bool mrc_evprobe_is_for(const struct mrc_evprobe_ask *ask,
			       const struct mrc_flow *reply)
{
	return ipv6_addr_equal(&ask->dgid, reply->dgid) &&
	       ipv6_addr_equal(&ask->sgid, reply->sgid);
}

/**
 * mrc_evprobe_on_response() - an endpoint response has come
 * @nic: own device
 * @reply: path back to the sender
 * @plane: 1-based port by which it came; 0: none of @nic's
 * @pkt: the response
 * @now: ns when it came
 *
 * Context: softirq, RCU read side.
 * Return: true if it answers a probe.
 */
bool mrc_evprobe_on_response(struct mrc_nic *nic, const struct mrc_flow *reply,
			     u8 plane, const struct mrc_pkt *pkt, u64 now)
{
	struct mrc_evprobe_ask *ask;
	bool taken = false;

	spin_lock(&nic->ep.lock);
	list_for_each_entry(ask, &nic->ep.rounds, node) {
		if (!mrc_evprobe_is_for(ask, reply) ||
		    !mrc_evprobe_answer(&ask->round, &pkt->endpoint, plane,
					now))
			continue;
		taken = true;
		if (ask->all_sent && !ask->round.waiting)
			mod_delayed_work(mrc_evprobe_wq, &ask->work, 0);
		break;
	}
	spin_unlock(&nic->ep.lock);
	return taken;
}

/**
 * mrc_evprobe_stop() - end all rounds, and have no more
 * @nic: NIC whose device has been unregistered
 *
 * Context: process; sleeps until all results have been told.
 */
void mrc_evprobe_stop(struct mrc_nic *nic)
{
	struct mrc_evprobe_ask *ask;

	spin_lock_bh(&nic->ep.lock);
	nic->ep.stopped = true;
	list_for_each_entry(ask, &nic->ep.rounds, node) {
		if (ask->all_sent)
			mod_delayed_work(mrc_evprobe_wq, &ask->work, 0);
	}
	spin_unlock_bh(&nic->ep.lock);
	flush_workqueue(mrc_evprobe_wq);
}

/**
 * mrc_evprobe_wq_init() - prepare for EV probes
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_evprobe_wq_init(void)
{
	mrc_evprobe_wq = alloc_workqueue("mrc_evprobe", WQ_UNBOUND, 0);
	return mrc_evprobe_wq ? 0 : -ENOMEM;
}

/**
 * mrc_evprobe_wq_exit() - undo mrc_evprobe_wq_init()
 *
 * No NIC is left.
 */
void mrc_evprobe_wq_exit(void)
{
	destroy_workqueue(mrc_evprobe_wq);
}
