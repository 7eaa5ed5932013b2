// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on CC profiles.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "core/lb.h"
#include "path/ccprofile.h"
#include "verbs/device.h"

/* Numbers follow each other as those of the net layer do. */
#define MRC_GENL_CC_PARAM(param) (MRC_A_CC_WINDOW + (param))

static_assert(MRC_GENL_CC_PARAM(MRC_CCPARAMS - 1) == MRC_A_CC_MAX);

/* The word for no profile on a command line and in files. */
#define MRC_GENL_CC_NONE "default"

static void mrc_genl_cc_params(struct genl_info *info,
			       struct mrc_ccprofile_change *change)
{
	const struct nlattr *attr;
	u32 i;

	for (i = 0; i < MRC_CCPARAMS; i++) {
		attr = info->attrs[MRC_GENL_CC_PARAM(i)];
		if (!attr)
			continue;
		change->given |= BIT(i);
		change->value[i] = nla_get_u32(attr);
		if (change->value[i] != MRC_CC_DEFAULT)
			change->set |= BIT(i);
	}
}

static void mrc_genl_cc_change(struct genl_info *info,
			       struct mrc_ccprofile_change *change)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[MRC_A_CC_STATE]) {
		change->has_life = true;
		change->life = mrc_genl_enum(attrs[MRC_A_CC_STATE]);
	}
	if (attrs[MRC_A_CC_ALGORITHM])
		change->algo = nla_data(attrs[MRC_A_CC_ALGORITHM]);
	if (attrs[MRC_A_CC_LB])
		change->lb = nla_data(attrs[MRC_A_CC_LB]);
	mrc_genl_cc_params(info, change);
}

static int mrc_genl_cc_do(struct genl_info *info,
			  int (*fn)(struct mrc_pm *pm, const char *name,
				    const struct mrc_ccprofile_change *c,
				    struct netlink_ext_ack *extack))
{
	struct mrc_ccprofile_change change = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, MRC_A_CC_NAME, "cc name");
	if (ret)
		return ret;
	mrc_genl_cc_change(info, &change);
	dev = mrc_genl_device(info, MRC_A_CC_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = fn(&dev->nic->pm, nla_data(info->attrs[MRC_A_CC_NAME]), &change,
		 info->extack);
	mrc_device_put(dev);
	return ret;
}

static int mrc_genl_cc_add(struct mrc_pm *pm, const char *name,
			   const struct mrc_ccprofile_change *c,
			   struct netlink_ext_ack *extack)
{
	if (strcmp(name, MRC_GENL_CC_NONE))
		return mrc_ccprofile_add(pm, name, c, extack);
	NL_SET_ERR_MSG(extack, "cc name: default stands for no profile, use another name");
	return -EINVAL;
}

/**
 * mrc_nl_cc_add_doit() - add a CC profile
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_cc_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_cc_do(info, mrc_genl_cc_add);
}

/**
 * mrc_nl_cc_set_doit() - change a CC profile
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_cc_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_cc_do(info, mrc_ccprofile_set);
}

/**
 * mrc_nl_cc_del_doit() - remove a CC profile
 * @skb: request
 * @info: its attributes: device, name
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_cc_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_object_del(info, MRC_A_CC_DEV, MRC_A_CC_NAME,
				   "cc name", mrc_ccprofile_del);
}

static int mrc_genl_put_cc_cfg(struct sk_buff *skb,
			       const struct mrc_ccprofile_cfg *cfg)
{
	u32 i;

	if (cfg->algo &&
	    nla_put_string(skb, MRC_A_CC_ALGORITHM, cfg->algo->name))
		return -EMSGSIZE;
	if (cfg->lb && nla_put_string(skb, MRC_A_CC_LB, cfg->lb->name))
		return -EMSGSIZE;
	for (i = 0; i < MRC_CCPARAMS; i++) {
		if (cfg->set & BIT(i) &&
		    nla_put_u32(skb, MRC_GENL_CC_PARAM(i), cfg->value[i]))
			return -EMSGSIZE;
	}
	return 0;
}

static int mrc_genl_put_cc(struct mrc_genl_dump *d, struct mrc_device *dev,
			   const struct mrc_object *obj)
{
	const struct mrc_ccprofile *p = mrc_ccprofile_of(obj);
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_CC_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_CC_DEV, mrc_device_name(dev)) ||
	    nla_put_string(d->skb, MRC_A_CC_NAME, obj->name) ||
	    nla_put_u32(d->skb, MRC_A_CC_STATE, obj->life + 1) ||
	    nla_put_u32(d->skb, MRC_A_CC_USERS, obj->users) ||
	    mrc_genl_put_cc_cfg(d->skb, &p->cfg)) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

static int mrc_genl_cc_dump_dev(struct mrc_device *dev, struct mrc_genl_dump *d)
{
	return mrc_genl_object_dump(d, dev, MRC_OBJECT_CC, MRC_A_CC_NAME,
				    mrc_genl_put_cc);
}

/**
 * mrc_nl_cc_get_dumpit() - show CC profiles
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and name as filters
 *
 * Return: as a dumpit function.
 */
int mrc_nl_cc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_CC_DEV, mrc_genl_cc_dump_dev);
}
