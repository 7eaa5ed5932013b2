// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Administrative states: names and transitions.
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
 * Return: name in the CLI, or NULL.
 */
const char *mrc_life_name(u8 life)
{
	return life < MRC_LIFE_NR ? names[life] : NULL;
}

/**
 * mrc_life_check() - check a transition from one state to another
 * @from: enum mrc_life
 * @to: any number
 * @users: number of references to the object
 * @why: filled in on error
 *
 * INIT to ONLINE combines two transitions: the caller checks the attributes as
 * for OFFLINE.  The way back is one state at a time, so that an object in use
 * cannot be reset.
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
