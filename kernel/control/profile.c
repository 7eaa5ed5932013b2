// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands on EV profiles: add, change, delete, show.
 */
#include <linux/mrc.h>

#include "control/object.h"
#include "control/profile_ev.h"
#include "path/evformat.h"
#include "path/evprofile.h"
#include "verbs/device.h"

static u32 mrc_genl_number(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

/* Bits of the EV overwrite nothing unless a mask says so. */
static int mrc_genl_ev_field(struct genl_info *info, const struct nlattr *nest,
			     struct mrc_profile *cfg)
{
	struct nlattr *tb[MRC_A_EV_FIELD_MAX + 1];
	int ret;

	if (cfg->n_fields == MRC_FORMAT_FIELDS) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u fields",
				   MRC_FORMAT_FIELDS);
		return -E2BIG;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_EV_FIELD_MAX, nest, NULL,
			       info->extack);
	if (ret)
		return ret;
	cfg->field[cfg->n_fields++] = (struct mrc_field) {
		.width = mrc_genl_number(tb[MRC_A_EV_FIELD_WIDTH]),
		.init_val = mrc_genl_number(tb[MRC_A_EV_FIELD_INIT]),
		.min_val = mrc_genl_number(tb[MRC_A_EV_FIELD_LOWEST]),
		.max_val = mrc_genl_number(tb[MRC_A_EV_FIELD_HIGHEST]),
		.mask = mrc_genl_number(tb[MRC_A_EV_FIELD_MASK]),
	};
	return 0;
}

static int mrc_genl_ev_fields(struct genl_info *info, struct mrc_profile *cfg)
{
	const struct nlattr *attr;
	int ret, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_PROFILE_FIELD)
			continue;
		ret = mrc_genl_ev_field(info, attr, cfg);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_genl_profile_change(struct genl_info *info,
				   struct mrc_evprofile_change *c)
{
	struct nlattr **attrs = info->attrs;

	c->has_mode = attrs[MRC_A_PROFILE_MODE];
	if (c->has_mode)
		c->cfg.mode = mrc_genl_enum(attrs[MRC_A_PROFILE_MODE]);
	c->has_life = attrs[MRC_A_PROFILE_STATE];
	if (c->has_life)
		c->life = mrc_genl_enum(attrs[MRC_A_PROFILE_STATE]);
	c->has_count = attrs[MRC_A_PROFILE_COUNT];
	c->cfg.count = mrc_genl_number(attrs[MRC_A_PROFILE_COUNT]);
	c->has_active = attrs[MRC_A_PROFILE_ACTIVE];
	c->cfg.active = mrc_genl_number(attrs[MRC_A_PROFILE_ACTIVE]);
	c->has_min_active = attrs[MRC_A_PROFILE_MIN_ACTIVE];
	c->cfg.min_active = mrc_genl_number(attrs[MRC_A_PROFILE_MIN_ACTIVE]);
	c->has_events = attrs[MRC_A_PROFILE_EVENTS];
	c->events = mrc_genl_number(attrs[MRC_A_PROFILE_EVENTS]);
	c->has_packet = attrs[MRC_A_PROFILE_PACKET];
	c->packet = mrc_genl_number(attrs[MRC_A_PROFILE_PACKET]);
	c->has_seed = attrs[MRC_A_PROFILE_SEED];
	if (c->has_seed)
		c->cfg.seed = nla_get_u64(attrs[MRC_A_PROFILE_SEED]);
	if (attrs[MRC_A_PROFILE_FORMAT])
		c->format = nla_data(attrs[MRC_A_PROFILE_FORMAT]);
	c->has_fields = attrs[MRC_A_PROFILE_FIELD];
	return mrc_genl_ev_fields(info, &c->cfg);
}

static int mrc_genl_profile_do(struct genl_info *info,
			       int (*fn)(struct mrc_pm *pm, const char *name,
					 const struct mrc_evprofile_change *c,
					 struct netlink_ext_ack *extack))
{
	struct mrc_evprofile_change *change;
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, MRC_A_PROFILE_NAME, "profile name");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_PROFILE_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	change = kzalloc(sizeof(*change), GFP_KERNEL_ACCOUNT);
	ret = change ? mrc_genl_profile_change(info, change) : -ENOMEM;
	if (!ret)
		ret = fn(&dev->nic->pm, nla_data(info->attrs[MRC_A_PROFILE_NAME]),
			 change, info->extack);
	kfree(change);
	mrc_device_put(dev);
	return ret;
}

/**
 * mrc_nl_profile_add_doit() - add a profile
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_profile_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_profile_do(info, mrc_evprofile_add);
}

/**
 * mrc_nl_profile_set_doit() - change a profile
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_profile_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_profile_do(info, mrc_evprofile_set);
}

/**
 * mrc_nl_profile_del_doit() - remove a profile
 * @skb: request
 * @info: its attributes: device, name
 *
 * Return: 0 or a negative errno.
 */
int mrc_nl_profile_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_genl_object_del(info, MRC_A_PROFILE_DEV, MRC_A_PROFILE_NAME,
				   "profile name", mrc_evprofile_del);
}

static int mrc_genl_put_ev_field(struct sk_buff *skb, const struct mrc_field *f)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROFILE_FIELD);

	if (!nest || nla_put_u32(skb, MRC_A_EV_FIELD_WIDTH, f->width) ||
	    nla_put_u32(skb, MRC_A_EV_FIELD_INIT, f->init_val) ||
	    nla_put_u32(skb, MRC_A_EV_FIELD_LOWEST, f->min_val) ||
	    nla_put_u32(skb, MRC_A_EV_FIELD_HIGHEST, f->max_val) ||
	    nla_put_u32(skb, MRC_A_EV_FIELD_MASK, f->mask))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static_assert((int)MRC_EV_EVENT_GOOD == MRC_EVPROFILE_GOOD);
static_assert((int)MRC_EV_EVENT_ASSUMED_BAD == MRC_EVPROFILE_ASSUMED_BAD);

/* Attributes that only the first message of a profile has. */
static int mrc_genl_put_profile_cfg(struct sk_buff *skb,
				    const struct mrc_evprofile *p)
{
	const struct mrc_profile *cfg = &p->cfg;
	int ret;
	u8 i;

	ret = nla_put_u32(skb, MRC_A_PROFILE_STATE, p->obj.life + 1) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_MODE, cfg->mode + 1) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_COUNT, cfg->count) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_ACTIVE, cfg->active) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_MIN_ACTIVE, cfg->min_active) ?:
	      nla_put_u64_64bit(skb, MRC_A_PROFILE_SEED, cfg->seed,
				MRC_A_PROFILE_PAD) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_PACKET, p->packet) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_EVENTS, p->events) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_USERS, p->obj.users);
	if (!ret && p->fmt)
		ret = nla_put_string(skb, MRC_A_PROFILE_FORMAT,
				     p->fmt->obj.name);
	for (i = 0; i < cfg->n_fields && !ret; i++)
		ret = mrc_genl_put_ev_field(skb, &cfg->field[i]);
	return ret;
}

/* One message: a profile, or the continuation of one. */
static int mrc_genl_put_profile(struct mrc_genl_dump *d, struct mrc_device *dev,
				const struct mrc_object *obj)
{
	const struct mrc_evprofile *p = container_of(obj, struct mrc_evprofile,
						     obj);
	struct mrc_genl_pos *pos = d->pos;
	bool first = pos->slot == 0;
	int ret = 0;
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_PROFILE_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_PROFILE_DEV,
			   mrc_device_name(dev)) ||
	    nla_put_string(d->skb, MRC_A_PROFILE_NAME, obj->name) ||
	    (first && mrc_genl_put_profile_cfg(d->skb, p))) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	if (d->tb[MRC_A_PROFILE_EVS])
		ret = mrc_genl_put_profile_evs(d->skb, p, &pos->slot);
	/* Without a single EV the dump would start again. */
	if (ret && !pos->slot)
		genlmsg_cancel(d->skb, hdr);
	else
		genlmsg_end(d->skb, hdr);
	return ret;
}

static int mrc_genl_profile_dump_dev(struct mrc_device *dev,
				     struct mrc_genl_dump *d)
{
	return mrc_genl_object_dump(d, dev, MRC_OBJECT_PROFILE,
				    MRC_A_PROFILE_NAME, mrc_genl_put_profile);
}

/**
 * mrc_nl_profile_get_dumpit() - show profiles
 * @skb: message to fill
 * @cb: state of the dump; attributes: device and name as filters, whether to
 *	include the entropy values
 *
 * Return: as a dumpit function.
 */
int mrc_nl_profile_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_PROFILE_DEV,
			     mrc_genl_profile_dump_dev);
}
