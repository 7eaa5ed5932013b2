// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on explicit paths: add, replace, delete, flush.
 */
#include <linux/mrc.h>

#include "control/genl.h"
#include "path/explicit.h"
#include "verbs/device.h"

static const struct in6_addr *mrc_genl_addr(const struct nlattr *attr)
{
	return attr ? nla_data(attr) : NULL;
}

static int mrc_genl_path_make(struct genl_info *info, bool replace)
{
	struct nlattr **attrs = info->attrs;
	struct mrc_ev_entry entry = {};
	struct mrc_sid sid = {};
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

	entry.value = nla_get_u32(attrs[MRC_A_PATH_EV]);
	entry.plane = nla_get_u32(attrs[MRC_A_PATH_PORT]);
	sid.dst = nla_get_in6_addr(attrs[MRC_A_PATH_SID]);
	if (attrs[MRC_A_PATH_SRH])
		sid.seg = nla_get_in6_addr(attrs[MRC_A_PATH_SRH]);
	ret = mrc_explicit_path_add(&dev->nic->pm,
				    mrc_genl_addr(attrs[MRC_A_PATH_DST]),
				    &entry, &sid, replace, info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_path_add_doit() - add one path
 * @skb: request
 * @info: its attributes: device, destination, entropy value, port, sid, srh
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_path_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_path_make(info, false);
}

/**
 * mrc_nl_path_set_doit() - add one path, or replace its SID
 * @skb: request
 * @info: its attributes, as to add one
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_path_make(info, true);
}

/**
 * mrc_nl_path_del_doit() - remove one path
 * @skb: request
 * @info: its attributes: device, destination, entropy value
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info)
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

	ret = mrc_explicit_path_del(&dev->nic->pm,
				    mrc_genl_addr(info->attrs[MRC_A_PATH_DST]),
				    nla_get_u32(info->attrs[MRC_A_PATH_EV]),
				    info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_path_flush_doit() - remove all paths
 * @skb: request
 * @info: its attributes: device; destination, if only its paths
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_path_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_device *dev;
	int ret;

	dev = mrc_genl_device(info, MRC_A_PATH_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = mrc_explicit_flush(&dev->nic->pm,
				 mrc_genl_addr(info->attrs[MRC_A_PATH_DST]),
				 info->extack);
	mrc_device_put(dev);
	return ret;
}
