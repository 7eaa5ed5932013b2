// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on destinations.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "net/prefix.h"
#include "verbs/device.h"

const struct nla_policy mrc_genl_dest_policy[MRC_A_DEST_MAX + 1] = {
	[MRC_A_DEST_DEV] = MRC_GENL_NAME,
	[MRC_A_DEST_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DEST_LEN] = MRC_GENL_U8,
	[MRC_A_DEST_PROFILE] = MRC_GENL_NAME,
	[MRC_A_DEST_TEMPLATE] = MRC_GENL_NAME,
	[MRC_A_DEST_NUMBER] = { .type = NLA_U64 },
	[MRC_A_DEST_CC] = MRC_GENL_NAME,
};

static int mrc_genl_prefix(struct genl_info *info, struct mrc_prefix *prefix)
{
	struct nlattr **attrs = info->attrs;
	int ret;

	ret = mrc_genl_require(info, MRC_A_DEST_DST, "dst") ?:
	      mrc_genl_require(info, MRC_A_DEST_LEN, "prefix length");
	if (ret)
		return ret;
	memcpy(&prefix->addr, nla_data(attrs[MRC_A_DEST_DST]),
	       sizeof(prefix->addr));
	prefix->len = nla_get_u32(attrs[MRC_A_DEST_LEN]);
	if (attrs[MRC_A_DEST_PROFILE])
		prefix->profile = nla_data(attrs[MRC_A_DEST_PROFILE]);
	if (attrs[MRC_A_DEST_TEMPLATE])
		prefix->template = nla_data(attrs[MRC_A_DEST_TEMPLATE]);
	if (attrs[MRC_A_DEST_NUMBER])
		prefix->number = nla_get_u64(attrs[MRC_A_DEST_NUMBER]);
	if (attrs[MRC_A_DEST_CC])
		prefix->cc = nla_data(attrs[MRC_A_DEST_CC]);
	return 0;
}

static int mrc_genl_dest_make(struct genl_info *info, bool replace)
{
	struct mrc_prefix prefix = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_prefix(info, &prefix) ?:
	      mrc_genl_require(info, MRC_A_DEST_PROFILE, "profile");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_DEST_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_prefix_add(dev->nic, &prefix, replace, info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_genl_dest_add_doit() - make a destination
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_dest_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_dest_make(info, false);
}

/**
 * mrc_genl_dest_set_doit() - make or replace a destination
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_dest_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_dest_make(info, true);
}

/**
 * mrc_genl_dest_del_doit() - remove a destination
 * @skb: request
 * @info: its attributes: device, prefix
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_dest_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_prefix prefix = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_prefix(info, &prefix);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_DEST_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_prefix_del(dev->nic, &prefix.addr, prefix.len, info->extack);
	mrc_device_put(dev);
	return ret;
}

static int mrc_genl_put_dest(struct mrc_genl_dump *d, struct mrc_device *dev,
			     const struct mrc_lpm_slot *slot)
{
	struct mrc_pm *pm = dev->nic->pm;
	struct in6_addr addr;
	void *hdr;

	mrc_lpm_key_write(slot, addr.s6_addr);
	hdr = mrc_genl_dump_begin(d, MRC_CMD_DEST_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_DEST_DEV, dev_name(&dev->ib.dev)) ||
	    nla_put_in6_addr(d->skb, MRC_A_DEST_DST, &addr) ||
	    nla_put_u32(d->skb, MRC_A_DEST_LEN, slot->len) ||
	    nla_put_string(d->skb, MRC_A_DEST_PROFILE,
			   pm->at[MRC_OBJECT_PROFILE][slot->a - 1]->name) ||
	    (slot->b &&
	     (nla_put_string(d->skb, MRC_A_DEST_TEMPLATE,
			     pm->at[MRC_OBJECT_TEMPLATE][slot->b - 1]->name) ||
	      nla_put_u64_64bit(d->skb, MRC_A_DEST_NUMBER, slot->number,
				MRC_A_DEST_PAD))) ||
	    (slot->c &&
	     nla_put_string(d->skb, MRC_A_DEST_CC,
			    pm->at[MRC_OBJECT_CC][slot->c - 1]->name))) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

/* What the request asks for: all, or what lies inside a prefix. */
static void mrc_genl_dest_filter(const struct mrc_genl_dump *d,
				 struct mrc_lpm_key *key)
{
	const struct nlattr *dst = d->tb[MRC_A_DEST_DST];
	const struct nlattr *len = d->tb[MRC_A_DEST_LEN];
	u32 bits = len ? nla_get_u32(len) : MRC_LPM_BITS;

	memset(key, 0, sizeof(*key));
	if (dst)
		mrc_lpm_key_init(key, nla_data(dst),
				 min_t(u32, bits, MRC_LPM_BITS));
}

static bool mrc_genl_dest_wanted(const struct mrc_lpm_slot *slot,
				 const struct mrc_lpm_key *filter)
{
	struct mrc_lpm_key key = { slot->hi, slot->lo, slot->len };

	return slot->len >= filter->len && mrc_lpm_covers(filter, &key);
}

/*
 * The table is told in the order of its slots.  If it has grown or something
 * was removed since the last part, entries may be told twice or not at all:
 * the reader learns that the dump was disturbed.
 */
static int mrc_genl_dest_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	struct mrc_pm *pm = dev->nic->pm;
	const struct mrc_lpm_slot *slot;
	struct mrc_lpm_key filter;
	u32 *at = &d->pos->id;
	int ret = 0;

	mrc_genl_dest_filter(d, &filter);
	mutex_lock(&pm->mutex);
	d->cb->seq = pm->dests_gen;
	for (; *at < pm->dests.size; (*at)++) {
		slot = &pm->dests.slot[*at];
		if (!slot->used || !mrc_genl_dest_wanted(slot, &filter))
			continue;
		ret = mrc_genl_put_dest(d, dev, slot);
		if (ret)
			break;
	}
	mutex_unlock(&pm->mutex);
	if (d->cb->prev_seq && d->cb->prev_seq != d->cb->seq)
		nlmsg_hdr(d->skb)->nlmsg_flags |= NLM_F_DUMP_INTR;
	d->cb->prev_seq = d->cb->seq;
	return ret;
}

/**
 * mrc_genl_dest_get_dumpit() - show destinations
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and prefix as filters
 *
 * Return: as a dumpit function.
 */
int mrc_genl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_DEST_MAX, mrc_genl_dest_policy,
			     MRC_A_DEST_DEV, mrc_genl_dest_dump_dev);
}
