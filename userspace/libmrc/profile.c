// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers, names and states of formats and profiles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/**
 * profile_name() - name of a profile in the kernel
 * @id: number of the API
 * @name: filled in
 */
void profile_name(uint64_t id, char name[MRC_NAME_MAX])
{
	memset(name, 0, MRC_NAME_MAX);
	if (id)
		snprintf(name, MRC_NAME_MAX, "%" PRIu64, id);
}

/**
 * profile_id() - number of a profile
 * @name: name in the kernel
 *
 * Return: the number that has this name, or 0.
 */
uint64_t profile_id(const char *name)
{
	char again[MRC_NAME_MAX];
	uint64_t id = strtoull(name, NULL, 10);

	profile_name(id, again);
	return strcmp(name, again) ? 0 : id;
}

/**
 * profile_state() - state in the API
 * @found: whether the kernel has the profile
 * @kernel_state: enum mrc_object_state
 *
 * Return: enum mrc_ctl_profile_state.
 */
enum mrc_ctl_profile_state profile_state(bool found, uint32_t kernel_state)
{
	if (!found)
		return MRC_CTL_PROFILE_INIT;
	return kernel_state == MRC_OBJECT_STATE_ONLINE ?
	       MRC_CTL_PROFILE_ONLINE : MRC_CTL_PROFILE_OFFLINE;
}

/**
 * profile_move() - check a transition
 * @wish: what the application wants
 * @id: number of the profile
 * @now: its state
 * @move: filled in
 *
 * Return: 0, or EINVAL.
 */
int profile_move(const struct profile_wish *wish, uint64_t id,
		 enum mrc_ctl_profile_state now, struct profile_move *move)
{
	if (!id)
		return refuse(EINVAL, "0 is no number of a profile");
	if (wish->has_cur && wish->cur != now)
		return refuse(EINVAL, "profile %" PRIu64 " is in state %d", id,
			      now);
	move->from = now;
	move->to = wish->has_state ? wish->state : now;
	if (move->to > MRC_CTL_PROFILE_ONLINE)
		return refuse(EINVAL, "there is no state %d", move->to);
	if (move->from == MRC_CTL_PROFILE_ONLINE &&
	    move->to == MRC_CTL_PROFILE_INIT)
		return refuse(EINVAL, "profile %" PRIu64 " is ONLINE: OFFLINE comes first",
			      id);
	return 0;
}

/**
 * profile_mask_check() - check the mask of a call
 * @mask: attributes
 * @known: those that there are
 * @attr: structure with the attributes
 *
 * Return: 0, or EINVAL.
 */
int profile_mask_check(unsigned int mask, unsigned int known, const void *attr)
{
	if (mask & ~known)
		return refuse(EINVAL, "attr_mask %#x has unknown bits", mask);
	if (mask && !attr)
		return refuse(EINVAL, "attr is NULL");
	return 0;
}

/**
 * profile_vendor_check() - check a vendor configuration
 * @cfg: MRC_CTL_MAX_VENDOR_CFG_SIZE bytes
 *
 * Return: 0 if it is empty, otherwise EINVAL.
 */
int profile_vendor_check(const uint8_t *cfg)
{
	static const uint8_t empty[MRC_CTL_MAX_VENDOR_CFG_SIZE];

	if (!memcmp(cfg, empty, sizeof(empty)))
		return 0;
	return refuse(EINVAL, "there is no vendor configuration");
}

/**
 * profile_del() - remove a profile
 * @g: connection
 * @cmd: command that removes
 * @dev_attr: attribute of the device
 * @name_attr: attribute of the name
 * @id: number
 *
 * Return: 0 or an errno.
 */
int profile_del(struct genl *g, enum mrc_cmd cmd, int dev_attr, int name_attr,
		uint64_t id)
{
	struct nlmsghdr *nlh = genl_begin(g, cmd, false, dev_attr);
	char name[MRC_NAME_MAX];

	profile_name(id, name);
	mnl_attr_put_strz(nlh, name_attr, name);
	return genl_talk(g, nlh, NULL, NULL);
}
