// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on destinations.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "path/dest.h"
#include "verbs/device.h"

static int mrc_genl_dest(struct genl_info *info, struct mrc_dest *dest)
{
	int ret;

	ret = mrc_genl_require(info, MRC_A_DEST_DST, "dst") ?:
	      mrc_genl_require(info, MRC_A_DEST_LEN, "prefix length");
	if (ret)
		return ret;
	dest->addr = nla_get_in6_addr(info->attrs[MRC_A_DEST_DST]);
	dest->len = nla_get_u32(info->attrs[MRC_A_DEST_LEN]);
	return 0;
}

static int mrc_genl_dest_config(struct genl_info *info, struct mrc_dest *dest)
{
	struct nlattr **attrs = info->attrs;
	int ret;

	ret = mrc_genl_dest(info, dest) ?:
	      mrc_genl_require(info, MRC_A_DEST_PROFILE, "profile");
	if (ret)
		return ret;
	dest->profile = nla_data(attrs[MRC_A_DEST_PROFILE]);
	if (attrs[MRC_A_DEST_TEMPLATE])
		dest->template = nla_data(attrs[MRC_A_DEST_TEMPLATE]);
	if (attrs[MRC_A_DEST_NUMBER])
		dest->number = nla_get_u64(attrs[MRC_A_DEST_NUMBER]);
	if (attrs[MRC_A_DEST_CC])
		dest->cc = nla_data(attrs[MRC_A_DEST_CC]);
	return 0;
}

static int mrc_genl_dest_make(struct genl_info *info, bool replace)
{
	struct mrc_dest dest = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_dest_config(info, &dest);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_DEST_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_dest_add(&dev->nic->pm, &dest, replace, info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_dest_add_doit() - add a destination
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dest_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_dest_make(info, false);
}

/**
 * mrc_nl_dest_set_doit() - add or replace a destination
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dest_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_dest_make(info, true);
}

/**
 * mrc_nl_dest_del_doit() - remove a destination
 * @skb: request
 * @info: its attributes: device, prefix
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_dest_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_dest dest = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_dest(info, &dest);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_DEST_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_dest_del(&dev->nic->pm, &dest.addr, dest.len, info->extack);
	mrc_device_put(dev);
	return ret;
}

static int mrc_genl_put_dest(struct mrc_genl_dump *d, struct mrc_device *dev,
			     const struct mrc_lpm_slot *slot)
{
	struct mrc_pm *pm = &dev->nic->pm;
	struct in6_addr addr;
	void *hdr;

	mrc_lpm_key_write(slot, addr.s6_addr);
	hdr = mrc_genl_dump_begin(d, MRC_CMD_DEST_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_DEST_DEV, mrc_device_name(dev)) ||
	    nla_put_in6_addr(d->skb, MRC_A_DEST_DST, &addr) ||
	    nla_put_u32(d->skb, MRC_A_DEST_LEN, slot->len) ||
	    nla_put_string(d->skb, MRC_A_DEST_PROFILE,
			   pm->at[MRC_OBJECT_PROFILE][slot->profile - 1]->name) ||
	    (slot->tmpl &&
	     (nla_put_string(d->skb, MRC_A_DEST_TEMPLATE,
			     pm->at[MRC_OBJECT_TEMPLATE][slot->tmpl - 1]->name) ||
	      nla_put_u64_64bit(d->skb, MRC_A_DEST_NUMBER, slot->number,
				MRC_A_DEST_PAD))) ||
	    (slot->cc &&
	     nla_put_string(d->skb, MRC_A_DEST_CC,
			    pm->at[MRC_OBJECT_CC][slot->cc - 1]->name))) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

/* What the request selects: all, or destinations inside a prefix. */
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
 * The table is dumped in the order of its slots.  If it has grown or an entry
 * was deleted since the last part, entries may be dumped twice or not at all:
 * NLM_F_DUMP_INTR reports this to the reader.
 */
static int mrc_genl_dest_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	struct mrc_pm *pm = &dev->nic->pm;
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
 * mrc_nl_dest_get_dumpit() - show destinations
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and prefix as filters
 *
 * Return: as a dumpit function.
 */
int mrc_nl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_DEST_DEV, mrc_genl_dest_dump_dev);
}
