// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths that are in use or could be: explicit ones, those of the profile
 * of a peer, automatic ones of queue pairs.
 */
#include <linux/mm.h>
#include <linux/mrc.h>
#include <net/ipv6.h>

#include "control/object.h"
#include "core/deny.h"
#include "core/srv6.h"
#include "net/conn.h"
#include "path/explicit.h"
#include "path/resolve.h"
#include "verbs/device.h"
#include "verbs/qp.h"

/**
 * struct mrc_genl_use - use of a path by the existing connections
 * @conns: how many use it
 * @bad: how many assume it bad
 * @state: enum mrc_path_state, the worst
 * @timed: how many have measured a round trip
 * @srtt: sum of these, ns
 * @stats: sum of their counters
 */
struct mrc_genl_use {
	u32 conns;
	u32 bad;
	u8 state;
	u32 timed;
	u64 srtt;
	struct mrc_ev_stats stats;
};

/**
 * struct mrc_genl_shown - a path that is to be dumped
 * @gid: the peer
 * @mode: enum mrc_path_mode
 * @qpn: the only queue pair that has it; 0: any may
 * @entry: its entropy value and port
 * @sid: outer destination, or NULL
 * @block: bits of that before the first micro-segment
 * @usid: bits of a micro-segment
 * @past: counters of connections that have ended, or NULL
 * @use: by those that exist
 */
struct mrc_genl_shown {
	const struct in6_addr *gid;
	u32 mode;
	u32 qpn;
	struct mrc_ev_entry entry;
	const struct mrc_sid *sid;
	u8 block;
	u8 usid;
	const struct mrc_ev_stats *past;
	const struct mrc_genl_use *use;
};

/* Counters are read while they grow: each is right for some moment. */
static void mrc_genl_use_add(struct mrc_genl_use *use,
			     const struct mrc_ev_set *evs, u16 i)
{
	u8 state = mrc_genl_path_state(evs, i);
	u32 srtt = READ_ONCE(evs->ev[i].srtt);

	use->conns++;
	if (state == MRC_PATH_STATE_ASSUMED_BAD)
		use->bad++;
	use->state = max(use->state, state);
	use->timed += srtt > 0;
	use->srtt += srtt;
	mrc_ev_stats_add(&use->stats, &evs->ev[i].stats);
}

/* --- one path --------------------------------------------------------------- */

static u32 mrc_genl_shown_state(const struct mrc_nic *nic,
				const struct mrc_genl_shown *p)
{
	if (!(READ_ONCE(nic->up) & BIT(p->entry.plane - 1)))
		return MRC_PATH_STATE_PORT_DOWN;
	if (p->use->state)
		return p->use->state;
	return p->entry.denied ? MRC_PATH_STATE_DENIED : MRC_PATH_STATE_IDLE;
}

static bool mrc_genl_shown_visits(const struct mrc_genl_shown *p, u32 usid)
{
	const struct mrc_deny by = { .match = MRC_DENY_USID, .usid = usid };
	struct mrc_deny_path path = {
		.srv6 = p->sid,
		.block = p->block,
		.usid = p->usid,
	};

	if (p->sid) {
		mrc_sid_to_bits(p->sid, &path.addr);
		path.srh = mrc_sid_has_srh(p->sid);
	}
	return p->sid && mrc_deny_matches(&by, &path);
}

static bool mrc_genl_shown_wanted(const struct mrc_genl_dump *d,
				  const struct mrc_genl_shown *p, u32 state)
{
	const struct nlattr *port = d->tb[MRC_A_PATH_PORT];
	const struct nlattr *states = d->tb[MRC_A_PATH_STATE];
	const struct nlattr *usid = d->tb[MRC_A_PATH_USID];

	return (!port || nla_get_u32(port) == p->entry.plane) &&
	       (!states || nla_get_u32(states) == state) &&
	       (!usid || mrc_genl_shown_visits(p, nla_get_u32(usid)));
}

static int mrc_genl_put_use(struct sk_buff *skb,
			    const struct mrc_genl_shown *p)
{
	const struct mrc_genl_use *use = p->use;
	struct mrc_ev_stats stats = {};

	if (p->past)
		stats = *p->past;
	mrc_ev_stats_add(&stats, &use->stats);
	if (nla_put_u32(skb, MRC_A_PATH_CONNS, use->conns) ||
	    nla_put_u32(skb, MRC_A_PATH_CONNS_BAD, use->bad) ||
	    (use->timed && nla_put_u32(skb, MRC_A_PATH_SRTT,
				       div_u64(use->srtt, use->timed))))
		return -EMSGSIZE;
	return mrc_genl_put_ev_stats(skb, &stats);
}

static int mrc_genl_put_path(struct mrc_genl_dump *d, struct mrc_device *dev,
			     const struct mrc_genl_shown *p)
{
	u32 state = mrc_genl_shown_state(dev->nic, p);
	struct sk_buff *skb = d->skb;
	void *hdr;

	if (!mrc_genl_shown_wanted(d, p, state))
		return 0;
	hdr = mrc_genl_dump_begin(d, MRC_CMD_PATH_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, MRC_A_PATH_DEV, mrc_device_name(dev)) ||
	    nla_put_in6_addr(skb, MRC_A_PATH_DST, p->gid) ||
	    nla_put_u32(skb, MRC_A_PATH_MODE, p->mode) ||
	    (p->qpn && nla_put_u32(skb, MRC_A_PATH_QPN, p->qpn)) ||
	    nla_put_u32(skb, MRC_A_PATH_EV, p->entry.value) ||
	    nla_put_u32(skb, MRC_A_PATH_PORT, p->entry.plane) ||
	    (p->sid && mrc_genl_put_sid(skb, p->sid, MRC_A_PATH_SID,
					MRC_A_PATH_SRH)) ||
	    nla_put_u32(skb, MRC_A_PATH_STATE, state) ||
	    mrc_genl_put_use(skb, p)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static const struct in6_addr *mrc_genl_path_filter(struct mrc_genl_dump *d)
{
	const struct nlattr *attr = d->tb[MRC_A_PATH_DST];

	return attr ? nla_data(attr) : NULL;
}

/* --- explicit paths --------------------------------------------------------- */

/**
 * struct mrc_genl_collect - use of explicit paths by connections
 * @explicit: the paths
 * @use: of each, by slot
 */
struct mrc_genl_collect {
	const struct mrc_explicit *explicit;
	struct mrc_genl_use *use;
};

static void mrc_genl_use_conn(struct mrc_conn *conn, void *arg)
{
	struct mrc_genl_collect *c = arg;
	u16 i;

	if (!conn->evs || conn->explicit != c->explicit)
		return;
	for (i = 0; i < conn->evs->n; i++)
		mrc_genl_use_add(&c->use[i], conn->evs, i);
}

/* Explicit paths of one peer, from the slot where the dump goes on. */
static int mrc_genl_path_dump_one(struct mrc_genl_dump *d,
				  struct mrc_device *dev,
				  struct mrc_explicit *ex,
				  struct mrc_genl_use *use)
{
	struct mrc_genl_shown shown = {
		.gid = &ex->gid,
		.mode = MRC_PATH_MODE_EXPLICIT,
		.block = MRC_SRV6_BLOCK,
		.usid = MRC_SRV6_USID,
	};
	struct mrc_genl_collect collect = { .explicit = ex, .use = use };
	struct mrc_explicit_path path;
	u16 *slot = &d->pos->slot;
	int ret;

	memset(use, 0, MRC_EV_MAX * sizeof(*use));
	mrc_conn_for_each(dev->nic, mrc_genl_use_conn, &collect);
	for (; *slot < MRC_EV_MAX; (*slot)++) {
		if (!mrc_explicit_path_get(ex, *slot, &path))
			continue;
		shown.entry = path.entry;
		shown.sid = &path.sid;
		shown.past = &path.past;
		shown.use = &use[*slot];
		ret = mrc_genl_put_path(d, dev, &shown);
		if (ret)
			return ret;
	}
	return 0;
}

static struct mrc_explicit *mrc_genl_explicit_first(struct mrc_genl_dump *d,
						    struct mrc_pm *pm)
{
	const struct in6_addr *gid = mrc_genl_path_filter(d);
	struct mrc_explicit *ex = NULL;

	if (gid)
		return mrc_explicit_get(pm, gid);
	if (d->pos->begun)
		ex = mrc_explicit_get(pm, &d->pos->gid);
	if (ex)
		return ex;
	d->pos->slot = 0;
	return mrc_explicit_next(pm, d->pos->begun ? &d->pos->gid : NULL);
}

static struct mrc_explicit *mrc_genl_explicit_next(struct mrc_genl_dump *d,
						   struct mrc_pm *pm)
{
	d->pos->slot = 0;
	if (mrc_genl_path_filter(d))
		return NULL;
	return mrc_explicit_next(pm, &d->pos->gid);
}

static int mrc_genl_path_dump_explicit(struct mrc_device *dev,
				       struct mrc_genl_dump *d)
{
	struct mrc_genl_use *use;
	struct mrc_explicit *ex;
	int ret = 0;

	use = kvcalloc(MRC_EV_MAX, sizeof(*use), GFP_KERNEL_ACCOUNT);
	if (!use)
		return -ENOMEM;
	ex = mrc_genl_explicit_first(d, &dev->nic->pm);
	while (ex && !ret) {
		d->pos->begun = true;
		d->pos->gid = ex->gid;
		ret = mrc_genl_path_dump_one(d, dev, ex, use);
		mrc_explicit_put(ex);
		if (!ret)
			ex = mrc_genl_explicit_next(d, &dev->nic->pm);
	}
	kvfree(use);
	return ret;
}

/* --- paths of profiles ------------------------------------------------------- */

/**
 * struct mrc_genl_peer - paths of a profile to a peer
 * @gid: the peer
 * @r: the paths
 * @use: use of each by connections
 */
struct mrc_genl_peer {
	const struct in6_addr *gid;
	struct mrc_resolved r;
	struct mrc_genl_use use[MRC_EV_MAX];
};

/* A connection may still have the paths of an older configuration. */
static void mrc_genl_peer_add(struct mrc_genl_peer *peer,
			      const struct mrc_ev_set *evs, u16 i)
{
	const struct mrc_ev_entry *e = peer->r.entries;
	u16 n = peer->r.n;
	u16 at;

	for (at = 0; at < n; at++) {
		/* Usually it has the same index. */
		const u16 j = (i + at) % n;

		if (e[j].value != evs->ev[i].value ||
		    e[j].plane != evs->ev[i].plane)
			continue;
		mrc_genl_use_add(&peer->use[j], evs, i);
		return;
	}
}

static void mrc_genl_peer_conn(struct mrc_conn *conn, void *arg)
{
	struct mrc_genl_peer *peer = arg;
	u16 i;

	if (!conn->evs || conn->source != MRC_PATHS_PROFILE || conn->bound ||
	    !ipv6_addr_equal(&conn->attr.dgid, peer->gid))
		return;
	for (i = 0; i < conn->evs->n; i++)
		mrc_genl_peer_add(peer, conn->evs, i);
}

static bool mrc_genl_peer_fill(struct mrc_nic *nic, const struct in6_addr *gid,
			       struct mrc_genl_peer *peer)
{
	bool profile;

	mrc_resolve(&nic->pm, gid, ipv6_addr_v4mapped(gid), NULL, &peer->r);
	mrc_explicit_put(peer->r.explicit);
	profile = peer->r.source == MRC_PATHS_PROFILE && peer->r.n;
	if (!profile)
		return false;
	memset(peer->use, 0, sizeof(peer->use));
	peer->gid = gid;
	mrc_conn_for_each(nic, mrc_genl_peer_conn, peer);
	return true;
}

static int mrc_genl_path_dump_peer(struct mrc_genl_dump *d,
				   struct mrc_device *dev,
				   struct mrc_genl_peer *peer)
{
	const struct mrc_resolved *r = &peer->r;
	struct mrc_genl_shown shown = {
		.gid = &d->pos->gid,
		.mode = MRC_PATH_MODE_PROFILE,
	};
	u16 *slot = &d->pos->slot;
	int ret;

	if (!mrc_genl_peer_fill(dev->nic, &d->pos->gid, peer))
		return 0;
	shown.block = r->block;
	shown.usid = r->usid;
	for (; *slot < r->n; (*slot)++) {
		shown.entry = r->entries[*slot];
		shown.sid = r->srv6 ? &r->sids[*slot] : NULL;
		shown.use = &peer->use[*slot];
		ret = mrc_genl_put_path(d, dev, &shown);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * struct mrc_genl_next - search for a peer that a profile has paths to
 * @after: the one before it; NULL: none
 * @gid: the peer
 * @found: there is one
 */
struct mrc_genl_next {
	const struct in6_addr *after;
	struct in6_addr gid;
	bool found;
};

static void mrc_genl_next_conn(struct mrc_conn *conn, void *arg)
{
	const struct in6_addr *dgid = &conn->attr.dgid;
	struct mrc_genl_next *next = arg;

	if (!conn->evs || conn->source != MRC_PATHS_PROFILE || conn->bound ||
	    (next->after && ipv6_addr_cmp(dgid, next->after) <= 0) ||
	    (next->found && ipv6_addr_cmp(dgid, &next->gid) >= 0))
		return;
	next->gid = *dgid;
	next->found = true;
}

static bool mrc_genl_peer_step(struct mrc_genl_dump *d, struct mrc_nic *nic)
{
	const struct in6_addr *filter = mrc_genl_path_filter(d);
	struct mrc_genl_pos *pos = d->pos;
	struct mrc_genl_next next = {};

	pos->slot = 0;
	if (filter) {
		pos->gid = *filter;
		return !pos->begun;
	}
	if (pos->begun)
		next.after = &pos->gid;
	mrc_conn_for_each(nic, mrc_genl_next_conn, &next);
	if (next.found)
		pos->gid = next.gid;
	return next.found;
}

static int mrc_genl_path_dump_profile(struct mrc_device *dev,
				      struct mrc_genl_dump *d)
{
	struct mrc_genl_peer *peer;
	bool more;
	int ret = 0;

	peer = kvmalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return -ENOMEM;
	more = d->pos->begun || mrc_genl_peer_step(d, dev->nic);
	while (more) {
		d->pos->begun = true;
		ret = mrc_genl_path_dump_peer(d, dev, peer);
		if (ret)
			break;
		more = mrc_genl_peer_step(d, dev->nic);
	}
	kvfree(peer);
	return ret;
}

/* --- paths of one QP: automatic, or of the profile that it is bound to ------------ */

static int mrc_genl_path_dump_conn(struct mrc_genl_dump *d,
				   struct mrc_device *dev,
				   const struct mrc_conn *conn)
{
	const struct in6_addr *filter = mrc_genl_path_filter(d);
	struct mrc_genl_shown shown = {
		.gid = &conn->attr.dgid,
		.mode = conn->bound ? MRC_PATH_MODE_PROFILE :
				      MRC_PATH_MODE_AUTO,
		.qpn = conn->qpn,
		.block = MRC_SRV6_BLOCK,
		.usid = MRC_SRV6_USID,
	};
	u16 *slot = &d->pos->slot;
	struct mrc_genl_use use;
	int ret;

	if (!conn->evs || (conn->source != MRC_PATHS_AUTO && !conn->bound) ||
	    (filter && !ipv6_addr_equal(filter, &conn->attr.dgid)))
		return 0;
	for (; *slot < conn->evs->n; (*slot)++) {
		use = (struct mrc_genl_use){};
		mrc_genl_use_add(&use, conn->evs, *slot);
		shown.entry.value = conn->evs->ev[*slot].value;
		shown.entry.plane = conn->evs->ev[*slot].plane;
		shown.sid = conn->srv6 ? &conn->paths[*slot].sid : NULL;
		shown.use = &use;
		ret = mrc_genl_put_path(d, dev, &shown);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_genl_path_dump_qp(struct mrc_qp *qp, void *arg)
{
	struct mrc_genl_dump *d = arg;
	struct mrc_genl_pos *pos = d->pos;
	int ret;

	if (qp->conn.qpn != pos->qpn)
		pos->slot = 0;
	pos->qpn = qp->conn.qpn;
	spin_lock_bh(&qp->conn.nic->lock);
	ret = mrc_genl_path_dump_conn(d, mrc_qp_device(qp), &qp->conn);
	spin_unlock_bh(&qp->conn.nic->lock);
	if (ret)
		return ret;
	pos->qpn++;
	pos->slot = 0;
	return 0;
}

static int mrc_genl_path_dump_qps(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	return mrc_device_for_each_qp(dev, d->pos->qpn, mrc_genl_path_dump_qp,
				      d);
}

/* --- all ------------------------------------------------------------------------ */

static int mrc_genl_path_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	static int (* const phases[])(struct mrc_device *dev,
				      struct mrc_genl_dump *d) = {
		mrc_genl_path_dump_explicit,
		mrc_genl_path_dump_profile,
		mrc_genl_path_dump_qps,
	};
	struct mrc_genl_pos *pos = d->pos;
	int ret;

	for (; pos->phase < ARRAY_SIZE(phases); pos->phase++) {
		ret = phases[pos->phase](dev, d);
		if (ret)
			return ret;
		pos->slot = 0;
		pos->qpn = 0;
		pos->begun = false;
	}
	return 0;
}

/**
 * mrc_nl_path_get_dumpit() - show paths
 * @skb: message to fill
 * @cb: state of the dump; attributes: device, destination, port, state,
 *	micro-segment as filters
 *
 * Explicit paths; then those of profiles, to peers that queue pairs have, or
 * to the destination that the request names; then those of single queue pairs:
 * automatic ones, and those of profiles that queue pairs are bound to.  Counters of
 * explicit paths are those of all connections since the path was added, others are of
 * the connections that exist.
 *
 * Return: as a dumpit function.
 */
int mrc_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_PATH_DEV, mrc_genl_path_dump_dev);
}
