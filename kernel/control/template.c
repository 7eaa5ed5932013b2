// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on SRv6 templates.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "path/template.h"
#include "verbs/device.h"

static int mrc_genl_addr_field(struct genl_info *info,
			       const struct nlattr *nest,
			       struct mrc_srv6_layout *layout)
{
	struct nlattr *tb[MRC_A_ADDR_FIELD_MAX + 1];
	struct mrc_srv6_field *f = &layout->field[layout->n];
	int ret;

	if (layout->n == MRC_SRV6_FIELDS) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u fields",
				   MRC_SRV6_FIELDS);
		return -E2BIG;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_ADDR_FIELD_MAX, nest, NULL,
			       info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_ADDR_FIELD_SOURCE] || !tb[MRC_A_ADDR_FIELD_WIDTH]) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "field %u: source or width is missing",
				   layout->n + 1);
		return -EINVAL;
	}
	f->source = mrc_genl_enum(tb[MRC_A_ADDR_FIELD_SOURCE]);
	f->width = nla_get_u32(tb[MRC_A_ADDR_FIELD_WIDTH]);
	if (tb[MRC_A_ADDR_FIELD_FROM])
		f->from = nla_get_u32(tb[MRC_A_ADDR_FIELD_FROM]);
	if (tb[MRC_A_ADDR_FIELD_VALUE])
		f->value = nla_get_u32(tb[MRC_A_ADDR_FIELD_VALUE]);
	layout->n++;
	return 0;
}

static int mrc_genl_template_layout(struct genl_info *info,
				    struct mrc_srv6_layout *layout)
{
	struct nlattr **attrs = info->attrs;
	const struct nlattr *attr;
	int ret, rem;

	layout->block = attrs[MRC_A_TEMPLATE_BLOCK] ?
			nla_get_u32(attrs[MRC_A_TEMPLATE_BLOCK]) :
			MRC_SRV6_BLOCK;
	layout->usid = attrs[MRC_A_TEMPLATE_USID] ?
		       nla_get_u32(attrs[MRC_A_TEMPLATE_USID]) :
		       MRC_SRV6_USID;
	layout->srh = attrs[MRC_A_TEMPLATE_SRH];
	if (attrs[MRC_A_TEMPLATE_EV_BITS])
		layout->ev_bits = nla_get_u32(attrs[MRC_A_TEMPLATE_EV_BITS]);
	if (attrs[MRC_A_TEMPLATE_DEST_BITS])
		layout->dest_bits =
			nla_get_u32(attrs[MRC_A_TEMPLATE_DEST_BITS]);
	if (attrs[MRC_A_TEMPLATE_FIRST_PLANE])
		layout->first_plane =
			nla_get_u32(attrs[MRC_A_TEMPLATE_FIRST_PLANE]);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_TEMPLATE_FIELD)
			continue;
		ret = mrc_genl_addr_field(info, attr, layout);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_genl_template_do(struct genl_info *info,
				int (*fn)(struct mrc_pm *pm, const char *name,
					  const struct mrc_srv6_layout *layout,
					  struct netlink_ext_ack *extack))
{
	struct mrc_srv6_layout *layout;
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, MRC_A_TEMPLATE_NAME, "template name");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_TEMPLATE_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	layout = kzalloc(sizeof(*layout), GFP_KERNEL_ACCOUNT);
	ret = layout ? mrc_genl_template_layout(info, layout) : -ENOMEM;
	if (!ret) {
		layout->planes = dev->nic->n_ports;
		ret = fn(&dev->nic->pm, nla_data(info->attrs[MRC_A_TEMPLATE_NAME]),
			 layout, info->extack);
	}
	kfree(layout);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_template_add_doit() - add a template
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_template_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_template_do(info, mrc_template_add);
}

/**
 * mrc_nl_template_set_doit() - replace a template
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_template_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_template_do(info, mrc_template_set);
}

/**
 * mrc_nl_template_del_doit() - remove a template
 * @skb: request
 * @info: its attributes: device, name
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_template_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_object_del(info, MRC_A_TEMPLATE_DEV, MRC_A_TEMPLATE_NAME,
				   "template name", mrc_template_del);
}

static int mrc_genl_put_addr_field(struct sk_buff *skb,
				   const struct mrc_srv6_field *f)
{
	bool constant = f->source == MRC_SRV6_CONST;
	struct nlattr *nest = nla_nest_start(skb, MRC_A_TEMPLATE_FIELD);

	if (!nest ||
	    nla_put_u32(skb, MRC_A_ADDR_FIELD_SOURCE, f->source + 1) ||
	    nla_put_u32(skb, MRC_A_ADDR_FIELD_WIDTH, f->width) ||
	    (constant ? nla_put_u32(skb, MRC_A_ADDR_FIELD_VALUE, f->value) :
			nla_put_u32(skb, MRC_A_ADDR_FIELD_FROM, f->from)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_genl_put_layout(struct sk_buff *skb,
			       const struct mrc_srv6_layout *layout)
{
	int ret;
	u8 i;

	ret = nla_put_u32(skb, MRC_A_TEMPLATE_BLOCK, layout->block) ?:
	      nla_put_u32(skb, MRC_A_TEMPLATE_USID, layout->usid) ?:
	      nla_put_u32(skb, MRC_A_TEMPLATE_EV_BITS, layout->ev_bits) ?:
	      nla_put_u32(skb, MRC_A_TEMPLATE_DEST_BITS, layout->dest_bits) ?:
	      nla_put_u32(skb, MRC_A_TEMPLATE_FIRST_PLANE, layout->first_plane);
	if (!ret && layout->srh)
		ret = nla_put_flag(skb, MRC_A_TEMPLATE_SRH);
	for (i = 0; i < layout->n && !ret; i++)
		ret = mrc_genl_put_addr_field(skb, &layout->field[i]);
	return ret;
}

static int mrc_genl_put_template(struct mrc_genl_dump *d,
				 struct mrc_device *dev,
				 const struct mrc_object *obj)
{
	const struct mrc_template *t = container_of(obj, struct mrc_template,
						    obj);
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_TEMPLATE_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_TEMPLATE_DEV,
			   mrc_device_name(dev)) ||
	    nla_put_string(d->skb, MRC_A_TEMPLATE_NAME, obj->name) ||
	    nla_put_u32(d->skb, MRC_A_TEMPLATE_USERS, obj->users) ||
	    mrc_genl_put_layout(d->skb, &t->layout)) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

static int mrc_genl_template_dump_dev(struct mrc_device *dev,
				      struct mrc_genl_dump *d)
{
	return mrc_genl_object_dump(d, dev, MRC_OBJECT_TEMPLATE,
				    MRC_A_TEMPLATE_NAME, mrc_genl_put_template);
}

/**
 * mrc_nl_template_get_dumpit() - show templates
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and name as filters
 *
 * Return: as a dumpit function.
 */
int mrc_nl_template_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_TEMPLATE_DEV,
			     mrc_genl_template_dump_dev);
}
