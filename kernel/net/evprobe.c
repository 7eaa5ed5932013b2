// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rounds of EV probes: selecting paths, sending probes, ending the round.
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
#include "net/encap.h"
#include "net/endpoint.h"
#include "net/evprobe.h"
#include "net/nic.h"
#include "path/explicit.h"
#include "path/resolve.h"

static struct workqueue_struct *mrc_evprobe_wq;

/* --- addresses ------------------------------------------------------------ */

static int mrc_evprobe_source_v4(struct net *net, struct net_device *dev,
				 struct mrc_evprobe_job *job)
{
	__be32 addr = job->sgid.s6_addr32[3];

	if (ipv6_addr_any(&job->sgid))
		addr = inet_select_addr(dev, job->dgid.s6_addr32[3],
					RT_SCOPE_UNIVERSE);
	else if (!ipv6_addr_v4mapped(&job->sgid) ||
		 inet_addr_type(net, addr) != RTN_LOCAL)
		addr = 0;
	ipv6_addr_set_v4mapped(addr, &job->sgid);
	return addr ? 0 : -EADDRNOTAVAIL;
}

static int mrc_evprobe_source_v6(struct net *net, struct net_device *dev,
				 struct mrc_evprobe_job *job)
{
	if (ipv6_addr_any(&job->sgid))
		return ipv6_dev_get_saddr(net, dev, &job->dgid, 0, &job->sgid);
	return ipv6_chk_addr(net, &job->sgid, NULL, 0) ? 0 : -EADDRNOTAVAIL;
}

/* A response goes to the source of the probe, which must be this host. */
static int mrc_evprobe_source(struct mrc_evprobe_job *job,
			      struct netlink_ext_ack *extack)
{
	struct mrc_nic *nic = job->nic;
	struct net_device *dev = NULL;
	int ret = -EADDRNOTAVAIL;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !dev; i++)
		dev = rcu_dereference(nic->port[i].dev);
	if (dev)
		ret = job->v4 ?
		      mrc_evprobe_source_v4(dev_net(dev), dev, job) :
		      mrc_evprobe_source_v6(dev_net(dev), dev, job);
	rcu_read_unlock();
	if (ret)
		NL_SET_ERR_MSG(extack,
			       "src is not an address of this host that can reach dst");
	return ret;
}

static int mrc_evprobe_check(struct mrc_evprobe_job *job,
			     struct netlink_ext_ack *extack)
{
	__be32 v4 = job->dgid.s6_addr32[3];

	job->v4 = ipv6_addr_v4mapped(&job->dgid);
	if (ipv6_addr_any(&job->dgid) || ipv6_addr_is_multicast(&job->dgid) ||
	    (job->v4 && (ipv4_is_multicast(v4) || ipv4_is_zeronet(v4) ||
			 ipv4_is_lbcast(v4)))) {
		NL_SET_ERR_MSG(extack, "dst is not the address of one host");
		return -EINVAL;
	}
	if (!job->timeout_ms || job->timeout_ms > MRC_EVPROBE_TIMEOUT_MS) {
		NL_SET_ERR_MSG_FMT(extack, "timeout is 1 to %u ms",
				   MRC_EVPROBE_TIMEOUT_MS);
		return -EINVAL;
	}
	if (job->plane > job->nic->n_ports) {
		NL_SET_ERR_MSG_FMT(extack, "no port %u, the device has %u",
				   job->plane, job->nic->n_ports);
		return -EINVAL;
	}
	return mrc_evprobe_source(job, extack);
}

/* --- paths ---------------------------------------------------------------- */

/* Returns false if the round is full. */
static bool mrc_evprobe_add(struct mrc_evprobe_job *job,
			    const struct mrc_ev_entry *entry,
			    const struct mrc_sid *sid,
			    enum mrc_evprobe_state state)
{
	struct mrc_evprobe_round *round = &job->round;

	if (round->n == MRC_EV_MAX)
		return false;
	round->probe[round->n] = (struct mrc_evprobe){
		.ev = entry->value,
		.plane = entry->plane,
		.state = state,
	};
	if (job->srv6 && sid)
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
		mrc_evprobe_add(job, e, &r->sids[i],
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
		if (!mrc_evprobe_add(job, &r->entries[i], &r->sids[i],
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

static int mrc_evprobe_select(struct mrc_evprobe_job *job,
			      struct netlink_ext_ack *extack)
{
	struct mrc_resolved *r = kvmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	bool fit = true;
	u16 i;

	if (!r)
		return -ENOMEM;
	mrc_resolve_all(&job->nic->pm, &job->dgid, job->v4, r);
	job->srv6 = r->srv6;
	if (!job->n)
		mrc_evprobe_select_all(job, r);
	for (i = 0; i < job->n && fit; i++)
		fit = mrc_evprobe_select_one(job, r, &job->target[i]);
	mrc_explicit_put(r->explicit);
	kvfree(r);
	if (!fit) {
		NL_SET_ERR_MSG_FMT(extack,
				   "these EVs select more than %u paths: name a port or fewer EVs",
				   MRC_EV_MAX);
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
	struct mrc_pkt_endpoint e = {
		.port_mask = READ_ONCE(nic->up),
		.caps = mrc_endpoint_caps(nic),
		.has_magic = true,
	};
	struct mrc_flow flow = {
		.sgid = &job->sgid,
		.dgid = &job->dgid,
		.sid = job->srv6 ? &job->sids[i] : NULL,
		.ev = p->ev,
		.plane = p->plane,
		.tos = MRC_DSCP_CONTROL << 2,
		.hop_limit = IPDEFTTL,
		.v4 = job->v4,
	};
	int ret;

	if (!(e.port_mask & BIT(p->plane - 1))) {
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
	struct mrc_evprobe_job *job = container_of(to_delayed_work(work),
						   struct mrc_evprobe_job,
						   work);
	struct mrc_nic *nic = job->nic;

	spin_lock_bh(&nic->ep.lock);
	list_del(&job->node);
	nic->ep.n_rounds--;
	spin_unlock_bh(&nic->ep.lock);
	/* The last response may have queued the work again. */
	cancel_delayed_work(&job->work);

	job->done(job);
	mrc_nic_put(nic);
}

/*
 * The round cannot end before: the response to its first probe may arrive
 * before its last probe is sent.
 */
static void mrc_evprobe_arm(struct mrc_evprobe_job *job)
{
	struct mrc_endpoint *ep = &job->nic->ep;
	unsigned long delay = msecs_to_jiffies(job->timeout_ms);

	spin_lock_bh(&ep->lock);
	job->all_sent = true;
	if (!job->round.n_pending || ep->stopped)
		delay = 0;
	queue_delayed_work(mrc_evprobe_wq, &job->work, delay);
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
	INIT_DELAYED_WORK(&job->work, mrc_evprobe_work);
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
	}
	mrc_evprobe_arm(job);
	return 0;
}

static bool mrc_evprobe_match(const struct mrc_evprobe_job *job,
			      const struct mrc_flow *reply)
{
	return ipv6_addr_equal(&job->dgid, reply->dgid) &&
	       ipv6_addr_equal(&job->sgid, reply->sgid);
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
 */
void mrc_evprobe_rx(struct mrc_nic *nic, const struct mrc_flow *reply,
		    u8 plane, const struct mrc_pkt *pkt, u64 now)
{
	struct mrc_evprobe_job *job;

	spin_lock(&nic->ep.lock);
	list_for_each_entry(job, &nic->ep.rounds, node) {
		if (!mrc_evprobe_match(job, reply) ||
		    !mrc_evprobe_response(&job->round, &pkt->endpoint, plane,
					  now))
			continue;
		if (job->all_sent && !job->round.n_pending)
			mod_delayed_work(mrc_evprobe_wq, &job->work, 0);
		break;
	}
	spin_unlock(&nic->ep.lock);
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
			mod_delayed_work(mrc_evprobe_wq, &job->work, 0);
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
