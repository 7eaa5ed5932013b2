// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: EV profiles.
 */
#include <stdlib.h>
#include <string.h>

#include "evprofile.h"

#define PROFILE_MASK                                                          \
	((unsigned int)MRC_CTL_EV_PROFILE_STATE |                             \
	 MRC_CTL_EV_PROFILE_CUR_STATE | MRC_CTL_EV_PROFILE_MODE |             \
	 MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT |               \
	 MRC_CTL_EV_PROFILE_MIN_ACTIVE | MRC_CTL_EV_PROFILE_EVENT_MASK |      \
	 MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP |         \
	 (unsigned int)MRC_CTL_EV_PROFILE_VENDOR_CFG)

/* Attributes of a profile, without states and operations on entries. */
#define CONFIG_MASK                                                           \
	(MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |                \
	 MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |           \
	 MRC_CTL_EV_PROFILE_EVENT_MASK)

/* --- checks --------------------------------------------------------------- */

static int fields_check(const struct mrc_ctl_ev_profile_attr *attr, bool change)
{
	switch (attr->ev_fields_op.op) {
	case MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS:
		if (!change)
			return refuse(EINVAL, "a query cannot modify fields");
		if (attr->ev_fields_op.field_count < 1)
			return refuse(EINVAL, "no fields");
		if (attr->ev_fields_op.field_count > MRC_FIELDS_MAX)
			return refuse(E2BIG, "more than %u fields",
				      MRC_FIELDS_MAX);
		break;
	case MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS:
		if (attr->ev_fields_op.field_count < 0)
			return refuse(EINVAL, "a negative number of fields");
		break;
	default:
		return refuse(EINVAL, "ev_fields_op.op %d is unknown",
			      attr->ev_fields_op.op);
	}
	if (attr->ev_fields_op.field_count && !attr->ev_fields_op.fields)
		return refuse(EINVAL, "fields is NULL");
	return 0;
}

static int mode_check(enum mrc_ctl_ev_mode mode)
{
	switch (mode) {
	case MRC_CTL_EV_MODE_AUTO:
	case MRC_CTL_EV_MODE_EXP:
	case MRC_CTL_EV_MODE_GEN:
		return 0;
	default:
		return refuse(EINVAL, "ev_mode %#x is unknown", mode);
	}
}

static int values_check(const struct mrc_ctl_ev_profile_attr *attr,
			unsigned int mask)
{
	int ret = 0;

	if (mask & MRC_CTL_EV_PROFILE_MODE)
		ret = mode_check(attr->ev_mode);
	if (!ret && mask & MRC_CTL_EV_PROFILE_FMT_ID && !attr->ev_fmt_profile_id)
		ret = refuse(EINVAL, "0 is no number of a format");
	if (!ret && mask & MRC_CTL_EV_PROFILE_COUNT &&
	    attr->ev_count > MRC_EVS_MAX)
		ret = refuse(E2BIG, "more than %u entries", MRC_EVS_MAX);
	if (!ret && mask & MRC_CTL_EV_PROFILE_EVENT_MASK &&
	    attr->ev_event_mask & ~(MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD))
		ret = refuse(EINVAL, "ev_event_mask %#x has unknown bits",
			     attr->ev_event_mask);
	if (!ret && mask & (unsigned int)MRC_CTL_EV_PROFILE_VENDOR_CFG)
		ret = profile_vendor_check(attr->vendor_cfg);
	return ret;
}

static int profile_check(const struct mrc_ctl_ev_profile_attr *attr,
			 unsigned int mask, bool change)
{
	int ret = profile_mask_check(mask, PROFILE_MASK, attr);

	if (!ret && mask & MRC_CTL_EV_PROFILE_EV_OP &&
	    mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
		ret = refuse(EINVAL, "EV_OP and EV_FIELDS_OP in one call");
	if (!ret && mask & MRC_CTL_EV_PROFILE_EV_OP)
		ret = evop_check(attr, change);
	if (!ret && mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
		ret = fields_check(attr, change);
	if (!ret && change)
		ret = values_check(attr, mask);
	return ret;
}

/* --- changes -------------------------------------------------------------- */

/**
 * struct change - change of a profile
 * @g: connection
 * @id: number of the profile
 * @name: its name
 * @now: as it is
 * @move: transition
 * @attr: attributes of the call
 * @mask: which of them
 */
struct change {
	struct genl *g;
	uint64_t id;
	char name[MRC_NAME_MAX];
	struct ev_profile now;
	struct profile_move move;
	struct mrc_ctl_ev_profile_attr *attr;
	unsigned int mask;
};

static bool sets_fields(const struct change *c)
{
	return c->mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP &&
	       c->attr->ev_fields_op.op == MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS;
}

static bool changes_entries(const struct change *c)
{
	return c->mask & MRC_CTL_EV_PROFILE_EV_OP &&
	       !evop_is_query(c->attr->ev_op.op);
}

static uint32_t profile_kind(enum mrc_ctl_ev_mode mode)
{
	switch (mode) {
	case MRC_CTL_EV_MODE_EXP:
		return MRC_PROFILE_KIND_EXPLICIT;
	case MRC_CTL_EV_MODE_GEN:
		return MRC_PROFILE_KIND_GENERATED;
	default:
		return MRC_PROFILE_KIND_AUTO;
	}
}

static uint32_t kernel_events(int mask)
{
	return (mask & MRC_CTL_EV_GOOD ? MRC_EV_EVENT_GOOD : 0) |
	       (mask & MRC_CTL_EV_ASSUMED_BAD ? MRC_EV_EVENT_ASSUMED_BAD : 0);
}

static void put_field(struct nlmsghdr *nlh, const struct mrc_ctl_ev_field *f)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_PROFILE_FIELD);

	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_WIDTH, f->width);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_INIT, f->init_val);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_LOWEST, f->min_val);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_HIGHEST, f->max_val);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_MASK, f->mask);
	mnl_attr_nest_end(nlh, nest);
}

/* Explicit entropy values without fields are what packets carry. */
static void put_plain_fields(struct nlmsghdr *nlh, const struct format *fmt)
{
	struct mrc_ctl_ev_field field = {};
	uint32_t i;

	for (i = 0; i < fmt->n; i++) {
		field.width = fmt->width[i];
		field.mask = ~0u >> (32 - fmt->width[i]);
		put_field(nlh, &field);
	}
}

static void put_config(struct nlmsghdr *nlh, const struct change *c)
{
	const struct mrc_ctl_ev_profile_attr *attr = c->attr;
	char format[MRC_NAME_MAX];
	int i;

	if (c->mask & MRC_CTL_EV_PROFILE_MODE)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_MODE,
				 profile_kind(attr->ev_mode));
	if (c->mask & MRC_CTL_EV_PROFILE_FMT_ID) {
		profile_name(attr->ev_fmt_profile_id, format);
		mnl_attr_put_strz(nlh, MRC_A_PROFILE_FORMAT, format);
	}
	if (c->mask & MRC_CTL_EV_PROFILE_COUNT)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_COUNT, attr->ev_count);
	if (c->mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_MIN_ACTIVE,
				 attr->ev_min_active);
	if (c->mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_EVENTS,
				 kernel_events(attr->ev_event_mask));
	for (i = 0; sets_fields(c) && i < attr->ev_fields_op.field_count; i++)
		put_field(nlh, &attr->ev_fields_op.fields[i]);
}

static int change_send(const struct change *c, uint32_t state,
		       const struct format *plain)
{
	struct nlmsghdr *nlh;

	nlh = genl_begin(c->g, c->now.found ? MRC_CMD_PROFILE_SET :
			 MRC_CMD_PROFILE_ADD, false, MRC_A_PROFILE_DEV);
	mnl_attr_put_strz(nlh, MRC_A_PROFILE_NAME, c->name);
	put_config(nlh, c);
	if (plain)
		put_plain_fields(nlh, plain);
	if (state)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_STATE, state);
	return genl_talk(c->g, nlh, NULL, NULL);
}

/* INIT to OFFLINE. */
static int change_create(struct change *c)
{
	const struct mrc_ctl_ev_profile_attr *attr = c->attr;
	char name[MRC_NAME_MAX];
	struct format fmt;
	bool plain;
	int ret;

	if (!(c->mask & MRC_CTL_EV_PROFILE_MODE) ||
	    !(c->mask & MRC_CTL_EV_PROFILE_COUNT) ||
	    (attr->ev_mode != MRC_CTL_EV_MODE_AUTO &&
	     !(c->mask & MRC_CTL_EV_PROFILE_FMT_ID)))
		return refuse(EINVAL, "OFFLINE needs mode, count and format");
	plain = attr->ev_mode == MRC_CTL_EV_MODE_EXP && !sets_fields(c);
	if (plain) {
		profile_name(attr->ev_fmt_profile_id, name);
		ret = format_get(c->g, name, &fmt);
		if (ret)
			return ret;
	}
	ret = change_send(c, MRC_OBJECT_STATE_OFFLINE, plain ? &fmt : NULL);
	c->now.found = !ret;
	c->now.state = MRC_OBJECT_STATE_OFFLINE;
	c->mask &= ~CONFIG_MASK;
	/* Fields have been set. */
	if (!ret && sets_fields(c))
		c->mask &= ~MRC_CTL_EV_PROFILE_EV_FIELDS_OP;
	return ret;
}

static int change_apply(struct change *c)
{
	uint32_t state = 0;
	int ret = 0;

	if (!c->now.found)
		ret = change_create(c);
	else if (c->mask & CONFIG_MASK || sets_fields(c))
		ret = change_send(c, 0, NULL);
	if (!ret && changes_entries(c))
		ret = evop_change(c->g, c->name, c->attr);
	if (ret)
		return ret;
	if (c->move.to == MRC_CTL_PROFILE_ONLINE)
		state = MRC_OBJECT_STATE_ONLINE;
	else if (c->move.from == MRC_CTL_PROFILE_ONLINE ||
		 c->now.state == MRC_OBJECT_STATE_INIT)
		state = MRC_OBJECT_STATE_OFFLINE;
	if (c->move.from == c->move.to || !state)
		return 0;
	c->mask = 0;
	return change_send(c, state, NULL);
}

/* --- queries -------------------------------------------------------------- */

static enum mrc_ctl_ev_mode api_mode(uint32_t kind)
{
	switch (kind) {
	case MRC_PROFILE_KIND_EXPLICIT:
		return MRC_CTL_EV_MODE_EXP;
	case MRC_PROFILE_KIND_GENERATED:
		return MRC_CTL_EV_MODE_GEN;
	default:
		return MRC_CTL_EV_MODE_AUTO;
	}
}

static int api_events(uint32_t events)
{
	return (events & MRC_EV_EVENT_GOOD ? MRC_CTL_EV_GOOD : 0) |
	       (events & MRC_EV_EVENT_ASSUMED_BAD ? MRC_CTL_EV_ASSUMED_BAD : 0);
}

static void query_config(const struct ev_profile *p, unsigned int mask,
			 struct mrc_ctl_ev_profile_attr *attr)
{
	if (mask & MRC_CTL_EV_PROFILE_STATE)
		attr->profile_state = profile_state(p->found, p->state);
	if (mask & MRC_CTL_EV_PROFILE_CUR_STATE)
		attr->cur_profile_state = profile_state(p->found, p->state);
	if (mask & MRC_CTL_EV_PROFILE_MODE)
		attr->ev_mode = p->found ? api_mode(p->kind) : 0;
	if (mask & MRC_CTL_EV_PROFILE_FMT_ID)
		attr->ev_fmt_profile_id = profile_id(p->format);
	if (mask & MRC_CTL_EV_PROFILE_COUNT)
		attr->ev_count = p->count;
	if (mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
		attr->ev_min_active = p->min_active;
	if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
		attr->ev_event_mask = api_events(p->events);
	if (mask & (unsigned int)MRC_CTL_EV_PROFILE_VENDOR_CFG)
		memset(attr->vendor_cfg, 0, sizeof(attr->vendor_cfg));
}

static int query_fields(const struct ev_profile *p,
			struct mrc_ctl_ev_profile_attr *attr)
{
	int room = attr->ev_fields_op.field_count;

	attr->ev_fields_op.field_count = p->n;
	if (room < (int)p->n)
		return refuse(E2BIG, "%u fields, room for %d", p->n, room);
	if (p->n)
		memcpy(attr->ev_fields_op.fields, p->field,
		       p->n * sizeof(p->field[0]));
	return 0;
}

static int profile_query(struct change *c)
{
	int ret;

	profile_name(c->id, c->name);
	ret = c->id ? evprofile_get(c->g, c->name, false, &c->now) :
		      refuse(EINVAL, "0 is no number of a profile");
	if (ret)
		return ret;
	query_config(&c->now, c->mask, c->attr);
	if (c->mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
		return query_fields(&c->now, c->attr);
	if (c->mask & MRC_CTL_EV_PROFILE_EV_OP)
		return evop_query(c->g, c->name, c->attr);
	return 0;
}

/* --- the API -------------------------------------------------------------- */

static int profile_modify(struct change *c)
{
	const unsigned int ops = c->mask & (MRC_CTL_EV_PROFILE_EV_OP |
					    MRC_CTL_EV_PROFILE_EV_FIELDS_OP);
	const struct profile_wish wish = {
		.has_state = c->mask & MRC_CTL_EV_PROFILE_STATE,
		.state = c->attr->profile_state,
		.has_cur = c->mask & MRC_CTL_EV_PROFILE_CUR_STATE,
		.cur = c->attr->cur_profile_state,
	};
	bool query = ops && !sets_fields(c) && !changes_entries(c);
	int ret;

	profile_name(c->id, c->name);
	ret = evprofile_get(c->g, c->name, false, &c->now) ?:
	      profile_move(&wish, c->id,
			   profile_state(c->now.found, c->now.state), &c->move);
	if (ret)
		return ret;
	if (c->move.to == MRC_CTL_PROFILE_INIT) {
		if (c->mask & CONFIG_MASK || ops)
			return refuse(EINVAL, "a profile has attributes from OFFLINE on");
		return c->now.found ?
		       profile_del(c->g, MRC_CMD_PROFILE_DEL, MRC_A_PROFILE_DEV,
				   MRC_A_PROFILE_NAME, c->id) : 0;
	}
	ret = change_apply(c);
	if (ret || !query)
		return ret;
	c->mask = ops;
	return profile_query(c);
}

static int profile_call(struct mrc_context *ctx, uint64_t id,
			struct mrc_ctl_ev_profile_attr *attr, unsigned int mask,
			int (*fn)(struct change *c))
{
	struct change *c = calloc(1, sizeof(*c));
	int ret = 0;

	if (!c)
		return refuse(EIO, "no memory");
	c->g = genl_get(ctx);
	if (!c->g) {
		free(c);
		return errno;
	}
	c->id = id;
	c->attr = attr;
	c->mask = mask;
	if (mask)
		ret = fn(c);
	genl_put(ctx);
	free(c);
	errno = ret ? ret : errno;
	return ret;
}

EXPORT
int mrc_ctl_modify_ev_profile(struct mrc_context *mrc_ctx,
			      uint64_t ev_profile_id,
			      struct mrc_ctl_ev_profile_attr *attr,
			      int attr_mask)
{
	if (profile_check(attr, attr_mask, true))
		return -1;
	return minus_one(profile_call(mrc_ctx, ev_profile_id, attr, attr_mask,
				      profile_modify));
}

EXPORT
int mrc_ctl_query_ev_profile(struct mrc_context *mrc_ctx,
			     uint64_t ev_profile_id,
			     struct mrc_ctl_ev_profile_attr *attr,
			     int attr_mask)
{
	if (profile_check(attr, attr_mask, false))
		return -1;
	return minus_one(profile_call(mrc_ctx, ev_profile_id, attr, attr_mask,
				      profile_query));
}
