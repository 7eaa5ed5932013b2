// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on explicit paths: add, delete, flush, show.
 */
#include <linux/mm.h>
#include <linux/mrc.h>

#include "control/genl.h"
#include "net/conn.h"
#include "net/dest.h"
#include "verbs/device.h"

static const struct in6_addr *mrc_genl_addr(const struct nlattr *attr)
{
	return attr ? nla_data(attr) : NULL;
}

/**
 * mrc_genl_path_add_doit() - add one path
 * @skb: request
 * @info: its attributes: device, destination, entropy value, port, sid
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_path_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_ev_entry entry = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_require(info, MRC_A_PATH_DST, "dst") ?:
	      mrc_genl_require(info, MRC_A_PATH_EV, "ev") ?:
	      mrc_genl_require(info, MRC_A_PATH_PORT, "port") ?:
	      mrc_genl_require(info, MRC_A_PATH_SID, "sid");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_PATH_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	entry.value = nla_get_u32(info->attrs[MRC_A_PATH_EV]);
	entry.plane = nla_get_u32(info->attrs[MRC_A_PATH_PORT]);
	ret = mrc_dest_path_add(dev->nic,
				mrc_genl_addr(info->attrs[MRC_A_PATH_DST]),
				&entry,
				mrc_genl_addr(info->attrs[MRC_A_PATH_SID]),
				info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_genl_path_del_doit() - remove one path
 * @skb: request
 * @info: its attributes: device, destination, entropy value
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_path_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_require(info, MRC_A_PATH_DST, "dst") ?:
	      mrc_genl_require(info, MRC_A_PATH_EV, "ev");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_PATH_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	ret = mrc_dest_path_del(dev->nic,
				mrc_genl_addr(info->attrs[MRC_A_PATH_DST]),
				nla_get_u32(info->attrs[MRC_A_PATH_EV]),
				info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_genl_path_flush_doit() - remove all paths
 * @skb: request
 * @info: its attributes: device; destination, if only its paths
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_path_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;
	int ret;

	dev = mrc_genl_device(info, MRC_A_PATH_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_dest_flush(dev->nic,
			     mrc_genl_addr(info->attrs[MRC_A_PATH_DST]),
			     info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * struct mrc_genl_use - what the connections that exist make of a path
 * @conns: how many use it
 * @bad: how many assume it bad
 * @state: enum mrc_path_state, the worst
 * @stats: sum of their counters
 */
struct mrc_genl_use {
	u32 conns;
	u32 bad;
	u8 state;
	struct mrc_ev_stats stats;
};

static void mrc_genl_use_add(struct mrc_genl_use *use,
			     const struct mrc_ev_set *evs, u16 i)
{
	u8 state = mrc_genl_path_state(evs, i);

	use->conns++;
	if (state == MRC_PATH_STATE_ASSUMED_BAD)
		use->bad++;
	use->state = max(use->state, state);
	mrc_dest_stats_add(&use->stats, &evs->ev[i].stats);
}

/* Counters are read while they grow: each is right for some moment. */
static void mrc_genl_use_collect(struct mrc_nic *nic,
				 const struct mrc_dest *dest,
				 struct mrc_genl_use *use)
{
	struct mrc_conn *conn;
	u16 i;

	memset(use, 0, MRC_EV_MAX * sizeof(*use));
	spin_lock_bh(&nic->lock);
	list_for_each_entry(conn, &nic->conns, node) {
		if (conn->dest != dest || !conn->evs)
			continue;
		for (i = 0; i < conn->evs->n; i++)
			mrc_genl_use_add(&use[i], conn->evs, i);
	}
	spin_unlock_bh(&nic->lock);
}

static int mrc_genl_put_path(struct mrc_genl_dump *d, struct mrc_device *dev,
			     const struct mrc_dest *dest,
			     const struct mrc_dest_path *path,
			     const struct mrc_genl_use *use)
{
	struct mrc_ev_stats stats = path->past;
	u32 state = use->state;
	void *hdr;

	if (!state)
		state = MRC_PATH_STATE_IDLE;
	if (!(READ_ONCE(dev->nic->up) & BIT(path->entry.plane - 1)))
		state = MRC_PATH_STATE_PORT_DOWN;
	mrc_dest_stats_add(&stats, &use->stats);

	hdr = mrc_genl_dump_begin(d, MRC_CMD_PATH_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_PATH_DEV, dev_name(&dev->ib.dev)) ||
	    nla_put_in6_addr(d->skb, MRC_A_PATH_DST, &dest->gid) ||
	    nla_put_u32(d->skb, MRC_A_PATH_EV, path->entry.value) ||
	    nla_put_u32(d->skb, MRC_A_PATH_PORT, path->entry.plane) ||
	    nla_put_in6_addr(d->skb, MRC_A_PATH_SID, &path->sid) ||
	    nla_put_u32(d->skb, MRC_A_PATH_STATE, state) ||
	    nla_put_u32(d->skb, MRC_A_PATH_CONNS, use->conns) ||
	    nla_put_u32(d->skb, MRC_A_PATH_CONNS_BAD, use->bad) ||
	    mrc_genl_put_ev_stats(d->skb, &stats)) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

/* Paths of one destination, from the slot where the dump goes on. */
static int mrc_genl_path_dump_dest(struct mrc_genl_dump *d,
				   struct mrc_device *dev,
				   struct mrc_dest *dest,
				   struct mrc_genl_use *use)
{
	const struct nlattr *port = d->tb[MRC_A_PATH_PORT];
	struct mrc_dest_path path;
	u16 *slot = &d->pos->slot;
	int ret;

	mrc_genl_use_collect(dev->nic, dest, use);
	for (; *slot < MRC_EV_MAX; (*slot)++) {
		if (!mrc_dest_path_get(dest, *slot, &path))
			continue;
		if (port && nla_get_u32(port) != path.entry.plane)
			continue;
		ret = mrc_genl_put_path(d, dev, dest, &path, &use[*slot]);
		if (ret)
			return ret;
	}
	return 0;
}

static struct mrc_dest *mrc_genl_dest_first(struct mrc_genl_dump *d,
					    struct mrc_nic *nic)
{
	const struct in6_addr *gid = mrc_genl_addr(d->tb[MRC_A_PATH_DST]);
	struct mrc_dest *dest = NULL;

	if (gid)
		return mrc_dest_get(nic, gid);
	if (d->pos->begun)
		dest = mrc_dest_get(nic, &d->pos->gid);
	if (dest)
		return dest;
	d->pos->slot = 0;
	return mrc_dest_next(nic, d->pos->begun ? &d->pos->gid : NULL);
}

static struct mrc_dest *mrc_genl_dest_next(struct mrc_genl_dump *d,
					   struct mrc_nic *nic)
{
	d->pos->slot = 0;
	if (d->tb[MRC_A_PATH_DST])
		return NULL;
	return mrc_dest_next(nic, &d->pos->gid);
}

static int mrc_genl_path_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	struct mrc_genl_use *use;
	struct mrc_dest *dest;
	int ret = 0;

	use = kvcalloc(MRC_EV_MAX, sizeof(*use), GFP_KERNEL);
	if (!use)
		return -ENOMEM;
	dest = mrc_genl_dest_first(d, dev->nic);
	while (dest && !ret) {
		d->pos->begun = true;
		d->pos->gid = dest->gid;
		ret = mrc_genl_path_dump_dest(d, dev, dest, use);
		mrc_dest_put(dest);
		if (!ret)
			dest = mrc_genl_dest_next(d, dev->nic);
	}
	kvfree(use);
	return ret;
}

/**
 * mrc_genl_path_get_dumpit() - show explicit paths
 * @skb: message to fill
 * @cb: state of the dump; attributes: device, destination, port as filters
 *
 * Counters are those of all connections since the path was added.
 *
 * Return: as a dumpit function.
 */
int mrc_genl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_PATH_MAX, mrc_genl_path_policy,
			     MRC_A_PATH_DEV, mrc_genl_path_dump_dev);
}
