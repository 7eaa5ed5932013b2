// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rounds of EV probes: selecting paths, sending probes, ending the round.
 */
#include <linux/inetdevice.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/timekeeping.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "compat/extack.h"
#include "compat/hrtimer.h"
#include "core/packet.h"
#include "core/wire.h"
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/evprobe.h"
#include "net/nic.h"
#include "path/explicit.h"
#include "path/resolve.h"

static struct workqueue_struct *mrc_evprobe_wq;

/* --- addresses ------------------------------------------------------------ */

static int mrc_evprobe_source_v4(struct net *net, struct net_device *dev,
				 const struct in6_addr *dgid,
				 struct in6_addr *sgid)
{
	__be32 addr = sgid->s6_addr32[3];

	if (ipv6_addr_any(sgid))
		addr = inet_select_addr(dev, dgid->s6_addr32[3],
					RT_SCOPE_UNIVERSE);
	else if (!ipv6_addr_v4mapped(sgid) ||
		 inet_addr_type(net, addr) != RTN_LOCAL)
		addr = 0;
	ipv6_addr_set_v4mapped(addr, sgid);
	return addr ? 0 : -EADDRNOTAVAIL;
}

static int mrc_evprobe_source_v6(struct net *net, struct net_device *dev,
				 const struct in6_addr *dgid,
				 struct in6_addr *sgid)
{
	if (ipv6_addr_any(sgid))
		return ipv6_dev_get_saddr(net, dev, dgid, 0, sgid);
	return ipv6_chk_addr(net, sgid, NULL, 0) ? 0 : -EADDRNOTAVAIL;
}

/* A response goes to the source of the probe, which must be this host. */
static int mrc_evprobe_source(struct mrc_nic *nic, const struct in6_addr *dgid,
			      struct in6_addr *sgid,
			      struct netlink_ext_ack *extack)
{
	struct net_device *dev = NULL;
	int ret = -EADDRNOTAVAIL;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !dev; i++)
		dev = rcu_dereference(nic->port[i].dev);
	if (dev)
		ret = ipv6_addr_v4mapped(dgid) ?
		      mrc_evprobe_source_v4(dev_net(dev), dev, dgid, sgid) :
		      mrc_evprobe_source_v6(dev_net(dev), dev, dgid, sgid);
	rcu_read_unlock();
	if (ret)
		NL_SET_ERR_MSG(extack,
			       "src is not an address of this host that can reach dst");
	return ret;
}

static int mrc_evprobe_check_dst(const struct in6_addr *dgid,
				 struct netlink_ext_ack *extack)
{
	__be32 v4 = dgid->s6_addr32[3];

	if (!ipv6_addr_any(dgid) && !ipv6_addr_is_multicast(dgid) &&
	    !(ipv6_addr_v4mapped(dgid) &&
	      (ipv4_is_multicast(v4) || ipv4_is_zeronet(v4) ||
	       ipv4_is_lbcast(v4))))
		return 0;
	NL_SET_ERR_MSG(extack, "dst is not the address of one host");
	return -EINVAL;
}

static int mrc_evprobe_check_plane(const struct mrc_nic *nic, u8 plane,
				   struct netlink_ext_ack *extack)
{
	if (plane <= nic->n_ports)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "no port %u, the device has %u", plane,
			   nic->n_ports);
	return -EINVAL;
}

static int mrc_evprobe_check_target(struct mrc_nic *nic,
				    struct mrc_evprobe_target *t,
				    struct netlink_ext_ack *extack)
{
	int ret;

	ret = mrc_evprobe_check_dst(&t->dgid, extack) ?:
	      mrc_evprobe_check_plane(nic, t->plane, extack);
	if (ret)
		return ret;
	if (t->route == MRC_EVPROBE_SRV6 && ipv6_addr_v4mapped(&t->dgid)) {
		NL_SET_ERR_MSG(extack, "sid: dst has an IPv4 address");
		return -EINVAL;
	}
	return mrc_evprobe_source(nic, &t->dgid, &t->sgid, extack);
}

static int mrc_evprobe_check(struct mrc_evprobe_job *job,
			     struct netlink_ext_ack *extack)
{
	int ret = 0;
	u16 i;

	if (!job->timeout_ns || job->timeout_ns > MRC_EVPROBE_TIMEOUT_NS) {
		NL_SET_ERR_MSG_FMT(extack, "timeout is 1 to %u ms",
				   MRC_EVPROBE_TIMEOUT_MS);
		return -EINVAL;
	}
	if (mrc_dscp_trim(job->tos >> 2)) {
		NL_SET_ERR_MSG(extack, "tclass is that of trimmed packets");
		return -EINVAL;
	}
	if (job->ports & ~GENMASK(job->nic->n_ports - 1, 0)) {
		NL_SET_ERR_MSG_FMT(extack, "ports: the device has %u",
				   job->nic->n_ports);
		return -EINVAL;
	}
	if (!job->multi)
		return mrc_evprobe_check_dst(&job->dgid, extack) ?:
		       mrc_evprobe_check_plane(job->nic, job->plane, extack) ?:
		       mrc_evprobe_source(job->nic, &job->dgid, &job->sgid,
					  extack);
	for (i = 0; i < job->n && !ret; i++) {
		ret = mrc_evprobe_check_target(job->nic, &job->target[i],
					       extack);
		cond_resched();
	}
	return ret;
}

/* --- paths ---------------------------------------------------------------- */

/* Returns false if the round is full. */
static bool mrc_evprobe_add(struct mrc_evprobe_job *job,
			    const struct mrc_ev_entry *entry,
			    const struct mrc_sid *sid,
			    enum mrc_evprobe_state state)
{
	struct mrc_evprobe_round *round = &job->round;

	if (round->n == MRC_EVPROBE_MAX)
		return false;
	round->probe[round->n] = (struct mrc_evprobe){
		.ev = entry->value,
		.plane = entry->plane,
		.state = state,
	};
	job->srv6[round->n] = sid;
	if (sid)
		job->sids[round->n] = *sid;
	round->n++;
	return true;
}

/* The table of explicit paths has empty slots where paths have been deleted. */
static bool mrc_evprobe_exists(const struct mrc_resolved *r, u16 i)
{
	struct mrc_explicit_path path;

	return !r->explicit || mrc_explicit_path_get(r->explicit, i, &path);
}

static void mrc_evprobe_select_all(struct mrc_evprobe_job *job,
				   const struct mrc_resolved *r)
{
	const struct mrc_ev_entry *e;
	u16 i;

	for (i = 0; i < r->n; i++) {
		e = &r->entries[i];
		if (!mrc_evprobe_exists(r, i) ||
		    (job->plane && job->plane != e->plane))
			continue;
		mrc_evprobe_add(job, e, r->srv6 ? &r->sids[i] : NULL,
				e->denied ? MRC_EVPROBE_DENIED :
					    MRC_EVPROBE_NEW);
	}
}

/*
 * A path that the operator names by its EV is probed even if a rule denies it,
 * so that the operator can test the path before permitting it again.  Without
 * SRv6 every EV is a path.  Returns false if the round is full.
 */
static bool mrc_evprobe_select_one(struct mrc_evprobe_job *job,
				   const struct mrc_resolved *r,
				   const struct mrc_evprobe_target *target)
{
	u8 plane = target->plane ?: job->plane;
	struct mrc_ev_entry entry = { .value = target->ev, .plane = plane };
	bool found = false;
	u16 i;

	for (i = 0; i < r->n; i++) {
		if (r->entries[i].value != target->ev ||
		    (plane && plane != r->entries[i].plane) ||
		    !mrc_evprobe_exists(r, i))
			continue;
		if (!mrc_evprobe_add(job, &r->entries[i],
				     r->srv6 ? &r->sids[i] : NULL,
				     MRC_EVPROBE_NEW))
			return false;
		found = true;
	}
	if (found)
		return true;
	found = !r->srv6 && plane && plane <= job->nic->n_ports;
	return mrc_evprobe_add(job, &entry, NULL,
			       found ? MRC_EVPROBE_NEW : MRC_EVPROBE_NO_PATH);
}

/* The path of queue pairs with the EV and port of @target; -1: there is none. */
static int mrc_evprobe_path_of(const struct mrc_resolved *r,
			       const struct mrc_evprobe_target *target)
{
	u16 i;

	for (i = 0; i < r->n; i++) {
		if (r->entries[i].value == target->ev &&
		    r->entries[i].plane == target->plane &&
		    mrc_evprobe_exists(r, i))
			return i;
	}
	return -1;
}

static void mrc_evprobe_add_target(struct mrc_evprobe_job *job,
				   const struct mrc_evprobe_target *t,
				   const struct mrc_resolved *r)
{
	struct mrc_ev_entry entry = { .value = t->ev, .plane = t->plane };
	const struct mrc_sid *sid = NULL;
	int at;

	if (t->route == MRC_EVPROBE_SRV6)
		sid = &t->sid;
	at = t->route == MRC_EVPROBE_PATH ? mrc_evprobe_path_of(r, t) : -1;
	if (at >= 0 && r->srv6)
		sid = &r->sids[at];
	mrc_evprobe_add(job, &entry, sid, MRC_EVPROBE_NEW);
}

/* Probe i is that of target i. */
static void mrc_evprobe_select_targets(struct mrc_evprobe_job *job,
				       struct mrc_resolved *r)
{
	const struct mrc_evprobe_target *t = job->target;
	const struct in6_addr *dgid = NULL;
	u16 i;

	r->explicit = NULL;
	for (i = 0; i < job->n; i++, t++) {
		/* Targets of one peer usually follow each other. */
		if (t->route == MRC_EVPROBE_PATH &&
		    (!dgid || !ipv6_addr_equal(dgid, &t->dgid))) {
			mrc_explicit_put(r->explicit);
			dgid = &t->dgid;
			mrc_resolve_all(&job->nic->pm, dgid,
					ipv6_addr_v4mapped(dgid), r);
		}
		mrc_evprobe_add_target(job, t, r);
		cond_resched();
	}
}

static int mrc_evprobe_select(struct mrc_evprobe_job *job,
			      struct netlink_ext_ack *extack)
{
	struct mrc_resolved *r = kvmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	bool fit = true;
	u16 i;

	if (!r)
		return -ENOMEM;
	if (job->multi) {
		mrc_evprobe_select_targets(job, r);
		mrc_explicit_put(r->explicit);
		kvfree(r);
		return 0;
	}
	mrc_resolve_all(&job->nic->pm, &job->dgid,
			ipv6_addr_v4mapped(&job->dgid), r);
	if (!job->n)
		mrc_evprobe_select_all(job, r);
	for (i = 0; i < job->n && fit; i++)
		fit = mrc_evprobe_select_one(job, r, &job->target[i]);
	mrc_explicit_put(r->explicit);
	kvfree(r);
	if (!fit) {
		NL_SET_ERR_MSG_FMT(extack,
				   "these EVs select more than %u paths: name a port or fewer EVs",
				   MRC_EVPROBE_MAX);
		return -E2BIG;
	}
	if (job->round.n)
		return 0;
	NL_SET_ERR_MSG(extack, "no path to dst from this port");
	return -ENOENT;
}

/* --- rounds --------------------------------------------------------------- */

static bool mrc_evprobe_id_in_use(const struct mrc_evprobe_job *job)
{
	const struct mrc_evprobe_job *other;

	list_for_each_entry(other, &job->nic->ep.rounds, node) {
		if (mrc_evprobe_ids_overlap(&job->round, &other->round))
			return true;
	}
	return false;
}

static const char *mrc_evprobe_enqueue(struct mrc_evprobe_job *job)
{
	struct mrc_endpoint *ep = &job->nic->ep;

	lockdep_assert_held(&ep->lock);
	if (ep->stopped)
		return "the device is going away";
	if (ep->n_rounds == MRC_EVPROBE_ROUNDS)
		return "too many probes await responses, try again later";
	if (!mrc_rate_take(&ep->probe_rate, ktime_get_ns(), job->round.n))
		return "too many probes per second, try again later";
	do {
		job->round.first = get_random_u32() & MRC_EVPROBE_ID_MASK;
	} while (mrc_evprobe_id_in_use(job));
	list_add_tail(&job->node, &ep->rounds);
	ep->n_rounds++;
	return NULL;
}

static enum mrc_evprobe_state mrc_evprobe_state_of(int err)
{
	return err == -ENOMEM ? MRC_EVPROBE_NO_MEMORY : MRC_EVPROBE_NO_ROUTE;
}

static void mrc_evprobe_send(struct mrc_evprobe_job *job, u16 i)
{
	struct mrc_evprobe *p = &job->round.probe[i];
	struct mrc_nic *nic = job->nic;
	u32 up = READ_ONCE(nic->up);
	struct mrc_pkt_endpoint e = {
		.port_mask = job->ports ?: up,
		.caps = mrc_endpoint_caps(nic),
		.has_magic = true,
	};
	struct mrc_flow flow = {
		.sgid = mrc_evprobe_src(job, i),
		.dgid = mrc_evprobe_dst(job, i),
		.sid = job->srv6[i] ? &job->sids[i] : NULL,
		.ev = p->ev,
		.plane = p->plane,
		.tos = job->tos,
		.hop_limit = IPDEFTTL,
		.v4 = ipv6_addr_v4mapped(mrc_evprobe_dst(job, i)),
	};
	int ret;

	if (!(up & BIT(p->plane - 1))) {
		p->state = MRC_EVPROBE_PORT_DOWN;
		return;
	}
	spin_lock_bh(&nic->ep.lock);
	mrc_evprobe_sent(&job->round, i, ktime_get_ns(), &e);
	spin_unlock_bh(&nic->ep.lock);

	local_bh_disable();
	rcu_read_lock();
	ret = mrc_endpoint_send(nic, &flow, &e, true);
	rcu_read_unlock();
	local_bh_enable();
	if (!ret)
		return;
	spin_lock_bh(&nic->ep.lock);
	mrc_evprobe_not_sent(&job->round, i, mrc_evprobe_state_of(ret));
	spin_unlock_bh(&nic->ep.lock);
}

static void mrc_evprobe_work(struct work_struct *work)
{
	struct mrc_evprobe_job *job = container_of(work, struct mrc_evprobe_job,
						   work);
	struct mrc_nic *nic = job->nic;

	spin_lock_bh(&nic->ep.lock);
	list_del(&job->node);
	nic->ep.n_rounds--;
	spin_unlock_bh(&nic->ep.lock);
	/* The timer, or the last response, may have queued the work again. */
	hrtimer_cancel(&job->timer);
	cancel_work(&job->work);

	job->done(job);
	mrc_nic_put(nic);
}

static enum hrtimer_restart mrc_evprobe_timeout(struct hrtimer *timer)
{
	struct mrc_evprobe_job *job = container_of(timer,
						   struct mrc_evprobe_job,
						   timer);

	queue_work(mrc_evprobe_wq, &job->work);
	return HRTIMER_NORESTART;
}

/*
 * The round cannot end before: the response to its first probe may arrive
 * before its last probe is sent.
 */
static void mrc_evprobe_arm(struct mrc_evprobe_job *job)
{
	struct mrc_endpoint *ep = &job->nic->ep;

	spin_lock_bh(&ep->lock);
	job->all_sent = true;
	if (!job->round.n_pending || ep->stopped)
		queue_work(mrc_evprobe_wq, &job->work);
	else
		hrtimer_start(&job->timer, ns_to_ktime(job->timeout_ns),
			      HRTIMER_MODE_REL_SOFT);
	spin_unlock_bh(&ep->lock);
}

/**
 * mrc_evprobe_start() - send a round of EV probes
 * @job: filled in up to @done
 * @extack: receives the reason of an error
 *
 * Errors that show before a probe is sent are returned.  The result of each
 * probe is reported to @job->done, which may run as soon as all probes have
 * been sent.
 *
 * Context: process, may sleep.  The caller holds a reference on the device
 * until the return.
 * Return: 0, then @job belongs to @job->done, or a negative errno.
 */
int mrc_evprobe_start(struct mrc_evprobe_job *job,
		      struct netlink_ext_ack *extack)
{
	struct mrc_nic *nic = job->nic;
	const char *refusal;
	int ret;
	u16 i;

	ret = mrc_evprobe_check(job, extack) ?: mrc_evprobe_select(job, extack);
	if (ret)
		return ret;
	job->round.op = job->op;
	INIT_WORK(&job->work, mrc_evprobe_work);
	hrtimer_setup(&job->timer, mrc_evprobe_timeout, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	spin_lock_bh(&nic->ep.lock);
	refusal = mrc_evprobe_enqueue(job);
	spin_unlock_bh(&nic->ep.lock);
	if (refusal) {
		NL_SET_ERR_MSG_FMT(extack, "%s", refusal);
		return -EBUSY;
	}
	kref_get(&nic->ref);
	for (i = 0; i < job->round.n; i++) {
		if (job->round.probe[i].state == MRC_EVPROBE_NEW)
			mrc_evprobe_send(job, i);
		cond_resched();
	}
	mrc_evprobe_arm(job);
	return 0;
}

/* Is it the response to a probe of this round, from the peer of that probe? */
static bool mrc_evprobe_match(const struct mrc_evprobe_job *job,
			      const struct mrc_flow *reply,
			      const struct mrc_pkt_endpoint *e)
{
	int i = mrc_evprobe_find(&job->round, e);

	return i >= 0 &&
	       ipv6_addr_equal(mrc_evprobe_dst(job, i), reply->dgid) &&
	       ipv6_addr_equal(mrc_evprobe_src(job, i), reply->sgid);
}

/**
 * mrc_evprobe_rx() - process an endpoint response with the id of a probe
 * @nic: own device
 * @reply: path back to the remote device
 * @plane: 1-based port that received it; 0: none of @nic's
 * @pkt: the response
 * @now: ns when it arrived
 *
 * Context: softirq, RCU read side.
 * Return: MRC_DROP_NONE, or MRC_DROP_EP_RESPONSE if no probe waits for it: it is late,
 * comes twice, or was never asked for.
 */
enum mrc_drop mrc_evprobe_rx(struct mrc_nic *nic, const struct mrc_flow *reply,
			     u8 plane, const struct mrc_pkt *pkt, u64 now)
{
	enum mrc_drop why = MRC_DROP_EP_RESPONSE;
	struct mrc_evprobe_job *job;

	spin_lock(&nic->ep.lock);
	list_for_each_entry(job, &nic->ep.rounds, node) {
		if (!mrc_evprobe_match(job, reply, &pkt->endpoint) ||
		    !mrc_evprobe_response(&job->round, &pkt->endpoint, plane,
					  now))
			continue;
		if (job->all_sent && !job->round.n_pending)
			queue_work(mrc_evprobe_wq, &job->work);
		why = MRC_DROP_NONE;
		break;
	}
	spin_unlock(&nic->ep.lock);
	return why;
}

/**
 * mrc_evprobe_stop() - end all rounds and refuse further ones
 * @nic: NIC whose device has been unregistered
 *
 * Context: process; sleeps until all results have been reported.
 */
void mrc_evprobe_stop(struct mrc_nic *nic)
{
	struct mrc_evprobe_job *job;

	spin_lock_bh(&nic->ep.lock);
	nic->ep.stopped = true;
	list_for_each_entry(job, &nic->ep.rounds, node) {
		if (job->all_sent)
			queue_work(mrc_evprobe_wq, &job->work);
	}
	spin_unlock_bh(&nic->ep.lock);
	flush_workqueue(mrc_evprobe_wq);
}

/**
 * mrc_evprobe_wq_init() - create the workqueue that ends rounds
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
 * Called when no NIC is left.
 */
void mrc_evprobe_wq_exit(void)
{
	destroy_workqueue(mrc_evprobe_wq);
}
