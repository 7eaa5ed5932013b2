// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: EV formats.
 */
#include <string.h>

#include "format.h"

#define FORMAT_MASK                                                           \
	((unsigned int)MRC_CTL_EV_FMT_PROFILE_STATE |                         \
	 MRC_CTL_EV_FMT_PROFILE_CUR_STATE | MRC_CTL_EV_FMT_PROFILE_MODE |     \
	 MRC_CTL_EV_FMT_PROFILE_OP | (unsigned int)MRC_CTL_EV_FMT_VENDOR_CFG)

/* Bits of an IPv6 address: a format of more needs a segment routing header. */
enum { ADDRESS_BITS = 128 };

static int on_format(const struct nlmsghdr *nlh, void *arg)
{
	struct format *fmt = arg;
	const struct nlattr *attr;

	fmt->found = true;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case MRC_A_FORMAT_STATE:
			fmt->state = nl_u32(attr);
			break;
		case MRC_A_FORMAT_MODE:
			fmt->kind = nl_u32(attr);
			break;
		case MRC_A_FORMAT_WIDTH:
			if (fmt->n < MRC_FIELDS_MAX && nl_u32(attr) - 1 < 32)
				fmt->width[fmt->n++] = nl_u32(attr);
			break;
		}
	}
	return MNL_CB_OK;
}

/**
 * format_get() - read a format
 * @g: connection
 * @name: its name
 * @fmt: filled in; that there is none is no error
 *
 * Return: 0 or an errno.
 */
int format_get(struct genl *g, const char *name, struct format *fmt)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_FORMAT_GET, true,
					  MRC_A_FORMAT_DEV);

	memset(fmt, 0, sizeof(*fmt));
	mnl_attr_put_strz(nlh, MRC_A_FORMAT_NAME, name);
	return genl_talk(g, nlh, on_format, fmt);
}

/* --- changes ------------------------------------------------------------- */

/* Fields of the call, or those that the format has. */
static uint32_t format_bits(const struct format *fmt,
			    const struct mrc_ctl_ev_fmt_profile_attr *attr,
			    bool fields)
{
	uint32_t bits = 0;
	int i;

	if (fields) {
		for (i = 0; i < attr->ev_fmt_op.fmt_field_count; i++)
			bits += attr->ev_fmt_op.fmt_fields[i].width;
		return bits;
	}
	for (i = 0; i < (int)fmt->n; i++)
		bits += fmt->width[i];
	return bits;
}

static uint32_t format_kind(enum mrc_ctl_ev_fmt_mode mode, uint32_t bits)
{
	switch (mode) {
	case MRC_CTL_EV_FMT_MODE_STEV:
		return MRC_FORMAT_KIND_STEV;
	case MRC_CTL_EV_FMT_MODE_UDP:
		return MRC_FORMAT_KIND_UDP;
	default:
		return bits > ADDRESS_BITS ? MRC_FORMAT_KIND_SRV6_SRH :
					     MRC_FORMAT_KIND_SRV6;
	}
}

static enum mrc_ctl_ev_fmt_mode format_mode(uint32_t kind)
{
	switch (kind) {
	case MRC_FORMAT_KIND_STEV:
		return MRC_CTL_EV_FMT_MODE_STEV;
	case MRC_FORMAT_KIND_UDP:
		return MRC_CTL_EV_FMT_MODE_UDP;
	default:
		return MRC_CTL_EV_FMT_MODE_SRV6;
	}
}

static bool sets_fields(const struct mrc_ctl_ev_fmt_profile_attr *attr,
			unsigned int mask)
{
	return mask & MRC_CTL_EV_FMT_PROFILE_OP &&
	       attr->ev_fmt_op.op == MRC_CTL_EV_FMT_OP_MODIFY_FIELDS;
}

static int mode_check(const struct mrc_ctl_ev_fmt_profile_attr *attr)
{
	switch (attr->ev_fmt_mode) {
	case MRC_CTL_EV_FMT_MODE_STEV:
	case MRC_CTL_EV_FMT_MODE_SRV6:
	case MRC_CTL_EV_FMT_MODE_UDP:
		return 0;
	default:
		return refuse(EINVAL, "ev_fmt_mode %#x is unknown",
			      attr->ev_fmt_mode);
	}
}

static int op_check(const struct mrc_ctl_ev_fmt_profile_attr *attr, bool change)
{
	switch (attr->ev_fmt_op.op) {
	case MRC_CTL_EV_FMT_OP_MODIFY_FIELDS:
		if (!change)
			return refuse(EINVAL, "a query cannot modify fields");
		if (attr->ev_fmt_op.fmt_field_count < 1)
			return refuse(EINVAL, "no fields");
		if (attr->ev_fmt_op.fmt_field_count > MRC_FIELDS_MAX)
			return refuse(E2BIG, "more than %u fields",
				      MRC_FIELDS_MAX);
		break;
	case MRC_CTL_EV_FMT_OP_QUERY_FIELDS:
		if (attr->ev_fmt_op.fmt_field_count < 0)
			return refuse(EINVAL, "a negative number of fields");
		if (!attr->ev_fmt_op.fmt_field_count)
			return 0;
		break;
	default:
		return refuse(EINVAL, "ev_fmt_op.op %d is unknown",
			      attr->ev_fmt_op.op);
	}
	if (!attr->ev_fmt_op.fmt_fields)
		return refuse(EINVAL, "fmt_fields is NULL");
	return 0;
}

static int format_check(const struct mrc_ctl_ev_fmt_profile_attr *attr,
			unsigned int mask, bool change)
{
	int ret = profile_mask_check(mask, FORMAT_MASK, attr);

	if (!ret && change && mask & MRC_CTL_EV_FMT_PROFILE_MODE)
		ret = mode_check(attr);
	if (!ret && mask & MRC_CTL_EV_FMT_PROFILE_OP)
		ret = op_check(attr, change);
	if (!ret && change && mask & (unsigned int)MRC_CTL_EV_FMT_VENDOR_CFG)
		ret = profile_vendor_check(attr->vendor_cfg);
	return ret;
}

static void put_format(struct nlmsghdr *nlh, const struct format *fmt,
		       const struct mrc_ctl_ev_fmt_profile_attr *attr,
		       unsigned int mask)
{
	bool fields = sets_fields(attr, mask);
	enum mrc_ctl_ev_fmt_mode mode;
	int i;

	mode = mask & MRC_CTL_EV_FMT_PROFILE_MODE ? attr->ev_fmt_mode :
						    format_mode(fmt->kind);
	if (fields || mask & MRC_CTL_EV_FMT_PROFILE_MODE)
		mnl_attr_put_u32(nlh, MRC_A_FORMAT_MODE,
				 format_kind(mode,
					     format_bits(fmt, attr, fields)));
	for (i = 0; fields && i < attr->ev_fmt_op.fmt_field_count; i++)
		mnl_attr_put_u32(nlh, MRC_A_FORMAT_WIDTH,
				 attr->ev_fmt_op.fmt_fields[i].width);
}

/* The kernel checks a format when it goes OFFLINE: not before there are fields. */
static void put_state(struct nlmsghdr *nlh, const struct format *fmt,
		      const struct profile_move *move, bool fields)
{
	if (move->to == MRC_CTL_PROFILE_ONLINE)
		mnl_attr_put_u32(nlh, MRC_A_FORMAT_STATE,
				 MRC_OBJECT_STATE_ONLINE);
	else if (fields || fmt->n)
		mnl_attr_put_u32(nlh, MRC_A_FORMAT_STATE,
				 MRC_OBJECT_STATE_OFFLINE);
}

static int format_change(struct genl *g, const char *name,
			 const struct format *fmt,
			 const struct profile_move *move,
			 const struct mrc_ctl_ev_fmt_profile_attr *attr,
			 unsigned int mask)
{
	struct nlmsghdr *nlh;

	if (move->to == MRC_CTL_PROFILE_INIT)
		return refuse(EINVAL, "format %s has attributes from OFFLINE on",
			      name);
	if (!fmt->found && !(mask & MRC_CTL_EV_FMT_PROFILE_MODE))
		return refuse(EINVAL, "OFFLINE needs a mode");
	nlh = genl_begin(g, fmt->found ? MRC_CMD_FORMAT_SET : MRC_CMD_FORMAT_ADD,
			 false, MRC_A_FORMAT_DEV);
	mnl_attr_put_strz(nlh, MRC_A_FORMAT_NAME, name);
	put_format(nlh, fmt, attr, mask);
	put_state(nlh, fmt, move, sets_fields(attr, mask));
	return genl_talk(g, nlh, NULL, NULL);
}

/* --- queries -------------------------------------------------------------- */

static int query_fields(const struct format *fmt,
			struct mrc_ctl_ev_fmt_profile_attr *attr)
{
	int room = attr->ev_fmt_op.fmt_field_count;
	uint32_t i;

	attr->ev_fmt_op.fmt_field_count = fmt->n;
	if (room < (int)fmt->n)
		return refuse(E2BIG, "%u fields, room for %d", fmt->n, room);
	for (i = 0; i < fmt->n; i++)
		attr->ev_fmt_op.fmt_fields[i].width = fmt->width[i];
	return 0;
}

static int format_query(struct genl *g, uint64_t id,
			struct mrc_ctl_ev_fmt_profile_attr *attr,
			unsigned int mask)
{
	char name[MRC_NAME_MAX];
	struct format fmt = {};
	int ret;

	profile_name(id, name);
	ret = id ? format_get(g, name, &fmt) :
		   refuse(EINVAL, "0 is no number of a format");
	if (ret)
		return ret;
	if (mask & MRC_CTL_EV_FMT_PROFILE_STATE)
		attr->profile_state = profile_state(fmt.found, fmt.state);
	if (mask & MRC_CTL_EV_FMT_PROFILE_CUR_STATE)
		attr->cur_profile_state = profile_state(fmt.found, fmt.state);
	if (mask & MRC_CTL_EV_FMT_PROFILE_MODE)
		attr->ev_fmt_mode = fmt.found ? format_mode(fmt.kind) : 0;
	if (mask & (unsigned int)MRC_CTL_EV_FMT_VENDOR_CFG)
		memset(attr->vendor_cfg, 0, sizeof(attr->vendor_cfg));
	if (mask & MRC_CTL_EV_FMT_PROFILE_OP)
		return query_fields(&fmt, attr);
	return 0;
}

/* --- the API -------------------------------------------------------------- */

static int format_modify(struct genl *g, uint64_t id,
			 struct mrc_ctl_ev_fmt_profile_attr *attr,
			 unsigned int mask)
{
	const struct profile_wish wish = {
		.has_state = mask & MRC_CTL_EV_FMT_PROFILE_STATE,
		.state = attr->profile_state,
		.has_cur = mask & MRC_CTL_EV_FMT_PROFILE_CUR_STATE,
		.cur = attr->cur_profile_state,
	};
	bool fields = sets_fields(attr, mask);
	struct profile_move move;
	char name[MRC_NAME_MAX];
	struct format fmt;
	int ret;

	profile_name(id, name);
	ret = format_get(g, name, &fmt) ?:
	      profile_move(&wish, id, profile_state(fmt.found, fmt.state), &move);
	if (ret)
		return ret;
	if (fmt.found && move.to == MRC_CTL_PROFILE_INIT)
		ret = profile_del(g, MRC_CMD_FORMAT_DEL, MRC_A_FORMAT_DEV,
				  MRC_A_FORMAT_NAME, id);
	else if (move.from != move.to || fields ||
		 mask & MRC_CTL_EV_FMT_PROFILE_MODE)
		ret = format_change(g, name, &fmt, &move, attr, mask);
	if (ret || fields || !(mask & MRC_CTL_EV_FMT_PROFILE_OP))
		return ret;
	return format_query(g, id, attr, MRC_CTL_EV_FMT_PROFILE_OP);
}

EXPORT
int mrc_ctl_modify_ev_fmt_profile(struct mrc_context *mrc_ctx,
				  uint64_t ev_fmt_profile_id,
				  struct mrc_ctl_ev_fmt_profile_attr *attr,
				  int attr_mask)
{
	struct genl *g;
	int ret;

	if (format_check(attr, attr_mask, true))
		return -1;
	g = genl_get(mrc_ctx);
	if (!g)
		return -1;
	ret = attr_mask ? format_modify(g, ev_fmt_profile_id, attr, attr_mask) :
			  0;
	genl_put(mrc_ctx);
	return minus_one(ret);
}

EXPORT
int mrc_ctl_query_ev_fmt_profile(struct mrc_context *mrc_ctx,
				 uint64_t ev_fmt_profile_id,
				 struct mrc_ctl_ev_fmt_profile_attr *attr,
				 int attr_mask)
{
	struct genl *g;
	int ret;

	if (format_check(attr, attr_mask, false))
		return -1;
	g = genl_get(mrc_ctx);
	if (!g)
		return -1;
	ret = format_query(g, ev_fmt_profile_id, attr, attr_mask);
	genl_put(mrc_ctx);
	return minus_one(ret);
}
