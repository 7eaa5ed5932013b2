// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values of profiles: show, replace, forbid, permit.
 */
#include <linux/mm.h>
#include <linux/mrc.h>

#include "control/object.h"
#include "control/profile_ev.h"
#include "path/evprofile.h"
#include "verbs/device.h"

/* Size of a reply if all entropy values are refused. */
#define MRC_GENL_EVS_SIZE SZ_32K

static int mrc_genl_put_ev(struct sk_buff *skb,
			   const struct mrc_evprofile_ev *ev, u16 index)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROFILE_EV);
	u8 bits[MRC_EV_LEN];

	mrc_bitstr_write(&ev->ev.bits, bits, sizeof(bits));
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, MRC_A_EV_INDEX, index) ||
	    nla_put_u32(skb, MRC_A_EV_PORT, ev->ev.plane) ||
	    nla_put(skb, MRC_A_EV_BITS, sizeof(bits), bits) ||
	    nla_put_u32(skb, MRC_A_EV_VALUE, ev->value) ||
	    nla_put_u32(skb, MRC_A_EV_DENIED, ev->denied)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * mrc_genl_put_profile_evs() - write as many entropy values as fit
 * @skb: message
 * @p: profile; the path manager's mutex is held
 * @slot: where to begin; moved on
 *
 * Return: 0 if these were all, otherwise -EMSGSIZE.
 */
int mrc_genl_put_profile_evs(struct sk_buff *skb, const struct mrc_evprofile *p,
			     u16 *slot)
{
	int ret;

	for (; p->evs && *slot < p->cfg.count; (*slot)++) {
		if (!p->evs[*slot].set)
			continue;
		ret = mrc_genl_put_ev(skb, &p->evs[*slot], *slot);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * struct mrc_genl_edits - changes of a request
 * @n: how many
 * @edit: for mrc_evprofile_edit()
 */
struct mrc_genl_edits {
	u16 n;
	struct mrc_evprofile_edit edit[MRC_EV_MAX];
};

static int mrc_genl_edit(struct genl_info *info, const struct nlattr *nest,
			 struct mrc_genl_edits *edits)
{
	struct mrc_evprofile_edit *e = &edits->edit[edits->n];
	struct nlattr *tb[MRC_A_EV_MAX + 1];
	int ret;

	if (edits->n == MRC_EV_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u entropy values",
				   MRC_EV_MAX);
		return -E2BIG;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_EV_MAX, nest, NULL, info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_EV_INDEX] ||
	    !tb[MRC_A_EV_PORT] != !tb[MRC_A_EV_BITS] ||
	    (!tb[MRC_A_EV_BITS] && !tb[MRC_A_EV_DENIED])) {
		NL_SET_ERR_MSG(info->extack,
			       "an EV needs index, and port with bits or denied");
		return -EINVAL;
	}
	e->index = nla_get_u32(tb[MRC_A_EV_INDEX]);
	e->has_ev = tb[MRC_A_EV_BITS];
	if (e->has_ev) {
		mrc_bitstr_read(&e->ev.bits, nla_data(tb[MRC_A_EV_BITS]),
				MRC_EV_LEN);
		e->ev.plane = nla_get_u32(tb[MRC_A_EV_PORT]);
	}
	e->has_denied = tb[MRC_A_EV_DENIED];
	if (e->has_denied)
		e->denied = nla_get_u32(tb[MRC_A_EV_DENIED]);
	edits->n++;
	return 0;
}

static int mrc_genl_edits_get(struct genl_info *info,
			      struct mrc_genl_edits *edits)
{
	const struct nlattr *attr;
	int ret, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_PROFILE_EDIT)
			continue;
		ret = mrc_genl_edit(info, attr, edits);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_genl_put_refused(struct sk_buff *skb,
				const struct mrc_evprofile_edit *e)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROFILE_EV);

	if (!nest || nla_put_u32(skb, MRC_A_EV_INDEX, e->index) ||
	    nla_put_u32(skb, MRC_A_EV_ERROR, -e->ret) ||
	    nla_put_string(skb, MRC_A_EV_REASON, e->why.text))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Entropy values that were refused, and the reasons. */
static int mrc_genl_edits_reply(struct genl_info *info, const char *dev_name,
				const struct mrc_genl_edits *edits)
{
	struct sk_buff *skb = genlmsg_new(MRC_GENL_EVS_SIZE, GFP_KERNEL);
	const char *name = nla_data(info->attrs[MRC_A_PROFILE_NAME]);
	int ret = 0;
	void *hdr;
	u16 i;

	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &mrc_nl_family, 0,
				MRC_CMD_PROFILE_EV_SET);
	if (!hdr || nla_put_string(skb, MRC_A_PROFILE_DEV, dev_name) ||
	    nla_put_string(skb, MRC_A_PROFILE_NAME, name))
		ret = -EMSGSIZE;
	for (i = 0; i < edits->n && !ret; i++) {
		if (edits->edit[i].ret)
			ret = mrc_genl_put_refused(skb, &edits->edit[i]);
	}
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/**
 * mrc_nl_profile_ev_set_doit() - replace, forbid or permit entropy values
 * @skb: request
 * @info: its attributes: device, profile, entropy values
 *
 * Return: 0 or a negative errno; 0 even if each one was refused, which the
 * reply reports.
 */
int mrc_nl_profile_ev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_genl_edits *edits;
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_object_name(info, MRC_A_PROFILE_NAME, "profile name") ?:
	      mrc_genl_require(info, MRC_A_PROFILE_EDIT, "edit");
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_PROFILE_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	edits = kvzalloc(sizeof(*edits), GFP_KERNEL_ACCOUNT);
	ret = edits ? mrc_genl_edits_get(info, edits) : -ENOMEM;
	if (!ret)
		ret = mrc_evprofile_edit(&dev->nic->pm,
					 nla_data(info->attrs[MRC_A_PROFILE_NAME]),
					 edits->edit, edits->n, info->extack);
	if (!ret)
		ret = mrc_genl_edits_reply(info, mrc_device_name(dev), edits);
	kvfree(edits);
	mrc_device_put(dev);
	return ret;
}
