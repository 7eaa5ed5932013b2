// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on deny rules.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "path/deny_rule.h"
#include "verbs/device.h"

static int mrc_genl_rule_dst(struct genl_info *info, struct mrc_deny *rule)
{
	const struct nlattr *len = info->attrs[MRC_A_DENY_LEN];
	u8 bits = len ? nla_get_u32(len) : MRC_LPM_BITS;

	if (!info->attrs[MRC_A_DENY_DST]) {
		if (!len)
			return 0;
		GENL_SET_ERR_MSG(info, "prefix length without dst");
		return -EINVAL;
	}
	rule->match |= MRC_DENY_DST;
	if (mrc_lpm_key_init(&rule->dst, nla_data(info->attrs[MRC_A_DENY_DST]),
			     bits))
		return 0;
	NL_SET_ERR_MSG_FMT(info->extack, "dst has bits behind its first %u",
			   bits);
	return -EINVAL;
}

static int mrc_genl_rule(struct genl_info *info, struct mrc_deny *rule)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[MRC_A_DENY_EV]) {
		rule->match |= MRC_DENY_EV;
		rule->ev = nla_get_u32(attrs[MRC_A_DENY_EV]);
	}
	if (attrs[MRC_A_DENY_PORT]) {
		rule->match |= MRC_DENY_PORT;
		rule->port = nla_get_u32(attrs[MRC_A_DENY_PORT]);
	}
	if (attrs[MRC_A_DENY_USID]) {
		rule->match |= MRC_DENY_USID;
		rule->usid = nla_get_u32(attrs[MRC_A_DENY_USID]);
	}
	if (attrs[MRC_A_DENY_NEXT]) {
		rule->match |= MRC_DENY_NEXT;
		rule->next = nla_get_u32(attrs[MRC_A_DENY_NEXT]);
	}
	return mrc_genl_rule_dst(info, rule);
}

static int mrc_genl_rule_do(struct genl_info *info,
			    int (*fn)(struct mrc_pm *pm,
				      const struct mrc_deny *rule,
				      struct netlink_ext_ack *extack))
{
	struct mrc_deny rule = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_rule(info, &rule);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_DENY_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = fn(&dev->nic->pm, &rule, info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_deny_add_doit() - add a deny rule
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_deny_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_rule_do(info, mrc_deny_rule_add);
}

/**
 * mrc_nl_deny_del_doit() - delete a deny rule
 * @skb: request
 * @info: its attributes, those with which it was added
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_deny_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_rule_do(info, mrc_deny_rule_del);
}

static int mrc_genl_put_rule_dst(struct sk_buff *skb,
				 const struct mrc_deny *rule)
{
	struct mrc_lpm_slot slot = { .hi = rule->dst.hi, .lo = rule->dst.lo };
	struct in6_addr addr;

	mrc_lpm_key_write(&slot, addr.s6_addr);
	return nla_put_in6_addr(skb, MRC_A_DENY_DST, &addr) ?:
	       nla_put_u32(skb, MRC_A_DENY_LEN, rule->dst.len);
}

static int mrc_genl_put_rule(struct mrc_genl_dump *d, struct mrc_device *dev,
			     const struct mrc_deny *rule)
{
	struct sk_buff *skb = d->skb;
	u8 by = rule->match;
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_DENY_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, MRC_A_DENY_DEV, mrc_device_name(dev)) ||
	    (by & MRC_DENY_DST && mrc_genl_put_rule_dst(skb, rule)) ||
	    (by & MRC_DENY_EV && nla_put_u32(skb, MRC_A_DENY_EV, rule->ev)) ||
	    (by & MRC_DENY_PORT &&
	     nla_put_u32(skb, MRC_A_DENY_PORT, rule->port)) ||
	    (by & MRC_DENY_USID &&
	     nla_put_u32(skb, MRC_A_DENY_USID, rule->usid)) ||
	    (by & MRC_DENY_NEXT &&
	     nla_put_u32(skb, MRC_A_DENY_NEXT, rule->next))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int mrc_genl_deny_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	struct mrc_pm *pm = &dev->nic->pm;
	u16 *at = &d->pos->slot;
	int ret = 0;

	mutex_lock(&pm->mutex);
	for (; *at < pm->n_deny && !ret; (*at)++) {
		ret = mrc_genl_put_rule(d, dev, &pm->deny[*at]);
		if (ret)
			break;
	}
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_nl_deny_get_dumpit() - show deny rules
 * @skb: message to fill
 * @cb: state of the dump; attributes: device as filter
 *
 * Return: as a dumpit function.
 */
int mrc_nl_deny_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_DENY_DEV, mrc_genl_deny_dump_dev);
}
