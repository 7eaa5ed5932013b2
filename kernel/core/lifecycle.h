/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Administrative states of objects of the control API: EV formats, EV profiles
 * and CC profiles (INIT, OFFLINE, ONLINE).
 */
#ifndef MRC_CORE_LIFECYCLE_H
#define MRC_CORE_LIFECYCLE_H

#include <linux/types.h>

#include "core/refusal.h"

/**
 * enum mrc_life - administrative state of an object
 * @MRC_LIFE_INIT: it has a name; attributes may be missing or invalid
 * @MRC_LIFE_OFFLINE: its attributes have been checked; it cannot be referred to
 * @MRC_LIFE_ONLINE: other objects may refer to it
 * @MRC_LIFE_NR: number of states
 */
enum mrc_life {
	MRC_LIFE_INIT,
	MRC_LIFE_OFFLINE,
	MRC_LIFE_ONLINE,
	MRC_LIFE_NR,
};

const char *mrc_life_name(u8 life);
int mrc_life_check(u8 from, u8 to, u32 users, struct mrc_refusal *why);

/**
 * mrc_life_needs_check() - does a state require checked attributes?
 * @to: enum mrc_life
 *
 * Return: true if so.
 */
static inline bool mrc_life_needs_check(u8 to)
{
	return to != MRC_LIFE_INIT;
}

#endif /* MRC_CORE_LIFECYCLE_H */
