// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on EV format profiles.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "path/evformat.h"
#include "verbs/device.h"

static int mrc_genl_format_widths(struct genl_info *info,
				  struct mrc_format *fmt)
{
	const struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_FORMAT_WIDTH)
			continue;
		if (fmt->n == MRC_FORMAT_FIELDS) {
			NL_SET_ERR_MSG_FMT(info->extack, "more than %u fields",
					   MRC_FORMAT_FIELDS);
			return -E2BIG;
		}
		fmt->width[fmt->n++] = nla_get_u32(attr);
	}
	return 0;
}

static int mrc_genl_format_change(struct genl_info *info,
				  struct mrc_evformat_change *change)
{
	struct nlattr **attrs = info->attrs;

	change->has_mode = attrs[MRC_A_FORMAT_MODE];
	if (change->has_mode)
		change->fmt.mode = mrc_genl_enum(attrs[MRC_A_FORMAT_MODE]);
	change->has_life = attrs[MRC_A_FORMAT_STATE];
	if (change->has_life)
		change->life = mrc_genl_enum(attrs[MRC_A_FORMAT_STATE]);
	change->has_fields = attrs[MRC_A_FORMAT_WIDTH];
	return mrc_genl_format_widths(info, &change->fmt);
}

static int mrc_genl_format_do(struct genl_info *info,
			      int (*fn)(struct mrc_pm *pm, const char *name,
					const struct mrc_evformat_change *c,
					struct netlink_ext_ack *extack))
{
	struct mrc_evformat_change change = {};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, MRC_A_FORMAT_NAME, "format name") ?:
	      mrc_genl_format_change(info, &change);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_FORMAT_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = fn(&dev->nic->pm, nla_data(info->attrs[MRC_A_FORMAT_NAME]),
		 &change, info->extack);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_format_add_doit() - add a format
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_format_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_format_do(info, mrc_evformat_add);
}

/**
 * mrc_nl_format_set_doit() - change a format
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_format_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_format_do(info, mrc_evformat_set);
}

/**
 * mrc_nl_format_del_doit() - remove a format
 * @skb: request
 * @info: its attributes: device, name
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_format_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_object_del(info, MRC_A_FORMAT_DEV, MRC_A_FORMAT_NAME,
				   "format name", mrc_evformat_del);
}

static int mrc_genl_put_format(struct mrc_genl_dump *d, struct mrc_device *dev,
			       const struct mrc_object *obj)
{
	const struct mrc_evformat *f = container_of(obj, struct mrc_evformat,
						    obj);
	struct sk_buff *skb = d->skb;
	void *hdr;
	u8 i;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_FORMAT_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, MRC_A_FORMAT_DEV, mrc_device_name(dev)) ||
	    nla_put_string(skb, MRC_A_FORMAT_NAME, obj->name) ||
	    nla_put_u32(skb, MRC_A_FORMAT_STATE, obj->life + 1) ||
	    nla_put_u32(skb, MRC_A_FORMAT_MODE, f->fmt.mode + 1) ||
	    nla_put_u32(skb, MRC_A_FORMAT_USERS, obj->users))
		goto err_cancel;
	for (i = 0; i < f->fmt.n; i++)
		if (nla_put_u32(skb, MRC_A_FORMAT_WIDTH, f->fmt.width[i]))
			goto err_cancel;
	genlmsg_end(skb, hdr);
	return 0;

err_cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

static int mrc_genl_format_dump_dev(struct mrc_device *dev,
				    struct mrc_genl_dump *d)
{
	return mrc_genl_object_dump(d, dev, MRC_OBJECT_FORMAT,
				    MRC_A_FORMAT_NAME, mrc_genl_put_format);
}

/**
 * mrc_nl_format_get_dumpit() - show formats
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and name as filters
 *
 * Return: as a dumpit function.
 */
int mrc_nl_format_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_FORMAT_DEV, mrc_genl_format_dump_dev);
}
