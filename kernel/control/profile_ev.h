/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values of profiles, in messages.
 */
#ifndef MRC_CONTROL_PROFILE_EV_H
#define MRC_CONTROL_PROFILE_EV_H

#include <linux/types.h>

struct mrc_evprofile;
struct sk_buff;

int mrc_genl_put_profile_evs(struct sk_buff *skb, const struct mrc_evprofile *p,
			     u16 *slot);

#endif /* MRC_CONTROL_PROFILE_EV_H */
