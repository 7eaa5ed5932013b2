// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which state follows which.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/lifecycle.h"

static const char * const names[MRC_LIFE_NR] = {
	[MRC_LIFE_INIT]		= "init",
	[MRC_LIFE_OFFLINE]	= "offline",
	[MRC_LIFE_ONLINE]	= "online",
};

/**
 * mrc_life_name() - name of a state
 * @life: any number
 *
 * Return: as the operator writes it, or NULL.
 */
const char *mrc_life_name(u8 life)
{
	return life < MRC_LIFE_NR ? names[life] : NULL;
}

/**
 * mrc_life_check() - may an object go from one state to another?
 * @from: enum mrc_life
 * @to: anything
 * @users: who relies on the object being online
 * @why: filled in if not
 *
 * From INIT to ONLINE is two steps in one: the attributes are checked as for
 * OFFLINE.  Back it goes one step at a time, so that nobody takes away what is
 * in use by resetting it.
 *
 * Context: any.
 * Return: 0; -EBUSY while there are users; -EINVAL.
 */
int mrc_life_check(u8 from, u8 to, u32 users, struct mrc_refusal *why)
{
	if (to >= MRC_LIFE_NR)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "there is no state %u", to);
	if (to >= from)
		return 0;
	if (users)
		return mrc_refuse(why, -EBUSY, MRC_NO_FIELD,
				  "in use by %u, cannot go %s", users,
				  names[to]);
	if (from == MRC_LIFE_ONLINE && to == MRC_LIFE_INIT)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "online: take it offline first");
	return 0;
}
