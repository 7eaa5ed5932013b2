// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An explicit EV profile of SRv6 addresses.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include "api.h"

enum {
	/* An address is four fields of 32 bits, each of which is from the entropy value. */
	FIELDS = 4,
	FIELD_BITS = 32,
	PATHS_MAX = 64,
};

/* Lines "PORT SID". */
static int read_paths(struct mrc_ctl_ev_op_entry *entry)
{
	char sid[INET6_ADDRSTRLEN];
	unsigned int port;
	int n = 0;

	while (n < PATHS_MAX && scanf("%u %45s", &port, sid) == 2) {
		entry[n].ev = MRC_CTL_EV_UNPOPULATED;
		entry[n].state = MRC_CTL_EV_GOOD;
		if (!ev_of_sid(&entry[n++].ev_new, sid, port))
			return 0;
	}
	return n;
}

static int format_setup(uint64_t id)
{
	struct mrc_ctl_ev_fmt_field widths[FIELDS] = {
		{ FIELD_BITS }, { FIELD_BITS }, { FIELD_BITS }, { FIELD_BITS }
	};
	struct mrc_ctl_ev_fmt_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_ONLINE,
		.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6,
		.ev_fmt_op = { MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, widths, FIELDS },
	};

	return mrc_ctl_modify_ev_fmt_profile(ctx, id, &attr,
					     MRC_CTL_EV_FMT_PROFILE_STATE |
					     MRC_CTL_EV_FMT_PROFILE_MODE |
					     MRC_CTL_EV_FMT_PROFILE_OP);
}

/* Without entropy values a profile goes OFFLINE only. */
static int profile_setup(uint64_t id, struct mrc_ctl_ev_op_entry *entry, int n)
{
	const struct mrc_ctl_ev_field whole = {
		.width = FIELD_BITS, .mask = UINT32_MAX,
	};
	struct mrc_ctl_ev_field fields[FIELDS] = { whole, whole, whole, whole };
	struct mrc_ctl_ev_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.ev_mode = MRC_CTL_EV_MODE_EXP, .ev_fmt_profile_id = id,
		.ev_count = n, .ev_min_active = 1,
		.ev_fields_op = { MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, fields,
				  FIELDS },
	};

	if (mrc_ctl_modify_ev_profile(ctx, id, &attr, MRC_CTL_EV_PROFILE_STATE |
				      MRC_CTL_EV_PROFILE_MODE |
				      MRC_CTL_EV_PROFILE_FMT_ID |
				      MRC_CTL_EV_PROFILE_COUNT |
				      MRC_CTL_EV_PROFILE_MIN_ACTIVE |
				      MRC_CTL_EV_PROFILE_EV_FIELDS_OP))
		return -1;
	attr.profile_state = MRC_CTL_PROFILE_ONLINE;
	attr.ev_op.op = MRC_CTL_EV_OP_REPLACE_EV;
	attr.ev_op.entries = entry;
	attr.ev_op.entry_count = n;
	if (mrc_ctl_modify_ev_profile(ctx, id, &attr, MRC_CTL_EV_PROFILE_EV_OP))
		return -1;
	return mrc_ctl_modify_ev_profile(ctx, id, &attr, MRC_CTL_EV_PROFILE_STATE);
}

/**
 * path_setup - make a format and an EV profile, both ONLINE
 * @id: number of both
 *
 * Return: exit status.
 */
int path_setup(uint64_t id)
{
	struct mrc_ctl_ev_op_entry entry[PATHS_MAX] = {};
	int n = read_paths(entry);

	if (n && !format_setup(id) && !profile_setup(id, entry, n))
		return 0;
	perror("paths");
	return 1;
}

/**
 * path_mask - select events
 * @id: EV profile
 * @states: to which a change is reported
 *
 * Return: exit status.
 */
int path_mask(uint64_t id, int states)
{
	struct mrc_ctl_ev_profile_attr attr = { .ev_event_mask = states };

	if (!mrc_ctl_modify_ev_profile(ctx, id, &attr,
				       MRC_CTL_EV_PROFILE_EVENT_MASK))
		return 0;
	perror("mask");
	return 1;
}
