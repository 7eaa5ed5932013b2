/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What formats, EV profiles and CC profiles have in common: numbers of the API, which
 * are names in the kernel, and their life cycle.
 */
#ifndef LIBMRC_PROFILE_H
#define LIBMRC_PROFILE_H

#include <linux/mrc.h>
#include <mrc_ctl.h>

#include "genl.h"

/* Number and name; 0 and "" stand for no profile, 0 for other names too. */
void profile_name(uint64_t id, char name[MRC_NAME_MAX]);
uint64_t profile_id(const char *name);

/*
 * Life cycle.  In the API a profile that does not exist is in state INIT.  One that
 * exists, but is in the kernel's state INIT, is OFFLINE for the API.
 */
enum mrc_ctl_profile_state profile_state(bool found, uint32_t kernel_state);

/**
 * struct profile_move - transition of a profile
 * @from: state in the API
 * @to: likewise
 */
struct profile_move {
	enum mrc_ctl_profile_state from;
	enum mrc_ctl_profile_state to;
};

/**
 * struct profile_wish - what a call says about states
 * @has_state: it wants a transition
 * @state: to this state
 * @has_cur: it expects a state
 * @cur: this one
 */
struct profile_wish {
	bool has_state;
	enum mrc_ctl_profile_state state;
	bool has_cur;
	enum mrc_ctl_profile_state cur;
};

int profile_move(const struct profile_wish *wish, uint64_t id,
		 enum mrc_ctl_profile_state now, struct profile_move *move);
int profile_mask_check(unsigned int mask, unsigned int known, const void *attr);
int profile_vendor_check(const uint8_t *cfg);
int profile_del(struct genl *g, enum mrc_cmd cmd, int dev_attr, int name_attr,
		uint64_t id);

#endif /* LIBMRC_PROFILE_H */
