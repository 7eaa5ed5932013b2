// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV profiles as the kernel has them.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "evprofile.h"

/* Of STEV and UDP, whose entropy values are numbers. */
enum { NUMBER_BITS = 32 };

static void take_field(struct ev_profile *p, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_EV_FIELD_MAX + 1];

	if (p->n == MRC_FIELDS_MAX)
		return;
	nl_nest(nest, tb, MRC_A_EV_FIELD_MAX);
	p->field[p->n++] = (struct mrc_ctl_ev_field){
		.width = nl_u32(tb[MRC_A_EV_FIELD_WIDTH]),
		.init_val = nl_u32(tb[MRC_A_EV_FIELD_INIT]),
		.min_val = nl_u32(tb[MRC_A_EV_FIELD_LOWEST]),
		.max_val = nl_u32(tb[MRC_A_EV_FIELD_HIGHEST]),
		.mask = nl_u32(tb[MRC_A_EV_FIELD_MASK]),
	};
	p->width += __builtin_popcount(p->field[p->n - 1].mask);
}

static void take_ev(struct ev_profile *p, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_EV_MAX + 1], *bits;
	uint32_t index;

	nl_nest(nest, tb, MRC_A_EV_MAX);
	index = nl_u32(tb[MRC_A_EV_INDEX]);
	bits = tb[MRC_A_EV_BITS];
	if (index >= MRC_EVS_MAX || !bits ||
	    mnl_attr_get_payload_len(bits) != MRC_EV_LEN)
		return;
	p->slot[index] = (struct ev_slot){
		.set = true,
		.denied = nl_u32(tb[MRC_A_EV_DENIED]),
		.value = nl_u32(tb[MRC_A_EV_VALUE]),
		.port = nl_u32(tb[MRC_A_EV_PORT]),
	};
	memcpy(p->slot[index].bits, mnl_attr_get_payload(bits), MRC_EV_LEN);
}

/* A profile with many entries comes in several messages. */
static int on_profile(const struct nlmsghdr *nlh, void *arg)
{
	struct ev_profile *p = arg;
	const struct nlattr *attr;

	p->found = true;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case MRC_A_PROFILE_STATE:
			p->state = nl_u32(attr);
			break;
		case MRC_A_PROFILE_MODE:
			p->kind = nl_u32(attr);
			break;
		case MRC_A_PROFILE_FORMAT:
			snprintf(p->format, sizeof(p->format), "%s",
				 nl_string(attr));
			break;
		case MRC_A_PROFILE_COUNT:
			p->count = nl_u32(attr);
			break;
		case MRC_A_PROFILE_MIN_ACTIVE:
			p->min_active = nl_u32(attr);
			break;
		case MRC_A_PROFILE_EVENTS:
			p->events = nl_u32(attr);
			break;
		case MRC_A_PROFILE_FIELD:
			take_field(p, attr);
			break;
		case MRC_A_PROFILE_EV:
			take_ev(p, attr);
			break;
		}
	}
	return MNL_CB_OK;
}

/**
 * evprofile_get() - read a profile
 * @g: connection
 * @name: its name
 * @evs: read the entries too
 * @p: filled in; that there is none is no error
 *
 * Return: 0 or an errno.
 */
int evprofile_get(struct genl *g, const char *name, bool evs,
		  struct ev_profile *p)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_PROFILE_GET, true,
					  MRC_A_PROFILE_DEV);
	struct format fmt;
	int ret;

	memset(p, 0, sizeof(*p));
	mnl_attr_put_strz(nlh, MRC_A_PROFILE_NAME, name);
	if (evs)
		mnl_attr_put(nlh, MRC_A_PROFILE_EVS, 0, NULL);
	ret = genl_talk(g, nlh, on_profile, p);
	if (p->count > MRC_EVS_MAX)
		p->count = MRC_EVS_MAX;
	if (ret || !evs || !p->format[0]) {
		p->width = 0;
		return ret;
	}
	ret = format_get(g, p->format, &fmt);
	p->srv6 = fmt.kind == MRC_FORMAT_KIND_SRV6 ||
		  fmt.kind == MRC_FORMAT_KIND_SRV6_SRH;
	if (!p->srv6 && p->width > NUMBER_BITS)
		p->width = NUMBER_BITS;
	return ret;
}

/**
 * ev_to_bits() - entropy value for the kernel
 * @p: profile with its entries
 * @ev: entropy value of the API
 * @bits: filled in
 *
 * A number has its last bit at the end of the last field.
 *
 * Return: 0, or EINVAL if it has more bits than the profile.
 */
int ev_to_bits(const struct ev_profile *p, const struct mrc_ctl_ev *ev,
	       uint8_t bits[MRC_EV_LEN])
{
	uint32_t number;

	if (p->srv6) {
		memcpy(bits, ev->val, MRC_EV_LEN);
		return 0;
	}
	memset(bits, 0, MRC_EV_LEN);
	memcpy(&number, ev->val, sizeof(number));
	if (p->width < NUMBER_BITS && number >> p->width)
		return refuse(EINVAL, "entropy value %#x has more than %u bits",
			      number, p->width);
	number = p->width ? htonl(number << (NUMBER_BITS - p->width)) : 0;
	memcpy(bits, &number, sizeof(number));
	return 0;
}

/**
 * ev_from_slot() - entropy value for the API
 * @p: profile with its entries
 * @slot: entry
 * @ev: filled in; that of an entry without entropy value is zero
 */
void ev_from_slot(const struct ev_profile *p, const struct ev_slot *slot,
		  struct mrc_ctl_ev *ev)
{
	uint32_t number;

	memset(ev, 0, sizeof(*ev));
	if (!slot->set)
		return;
	ev->port = slot->port;
	if (p->srv6) {
		memcpy(ev->val, slot->bits, MRC_EV_LEN);
		return;
	}
	memcpy(&number, slot->bits, sizeof(number));
	number = p->width ? ntohl(number) >> (NUMBER_BITS - p->width) : 0;
	memcpy(ev->val, &number, sizeof(number));
}
