/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Destinations: EV profile, SRv6 template with a number, and CC profile of a
 * prefix of peers.  They are entries of the path manager's table, 32 bytes
 * each.
 */
#ifndef MRC_PATH_DEST_H
#define MRC_PATH_DEST_H

#include <linux/in6.h>
#include "core/srv6.h"
#include "path/object.h"

struct mrc_evprofile;
struct mrc_evprofile_ev;
struct mrc_template;

/**
 * struct mrc_dest - a destination as configured by the operator
 * @addr: prefix
 * @len: length of the prefix in bits, 0..128
 * @profile: name of an EV profile
 * @template: name of a template, or NULL
 * @cc: name of a CC profile, or NULL: that of the device
 * @number: number of the destination in addresses of the template
 */
struct mrc_dest {
	struct in6_addr addr;
	u8 len;
	const char *profile;
	const char *template;
	const char *cc;
	u64 number;
};

/**
 * struct mrc_dest_paths - paths of a profile to be checked for a destination
 * @evs: entropy values; unused without a template
 * @n: number of entropy values
 * @packet: payload bytes that their routes must carry; 0: no requirement
 */
struct mrc_dest_paths {
	const struct mrc_evprofile_ev *evs;
	u16 n;
	u32 packet;
};

int mrc_dest_add(struct mrc_pm *pm, const struct mrc_dest *dest,
		 bool replace, struct netlink_ext_ack *extack);
int mrc_dest_del(struct mrc_pm *pm, const struct in6_addr *addr, u8 len,
		 struct netlink_ext_ack *extack);

/* May an object to which destinations refer be changed? */
int mrc_dest_check_template(struct mrc_pm *pm, const struct mrc_template *t,
			    const struct mrc_srv6_layout *layout,
			    const struct mrc_srv6 *srv6,
			    struct netlink_ext_ack *extack);
int mrc_dest_check_profile(struct mrc_pm *pm, const struct mrc_evprofile *p,
			   const struct mrc_dest_paths *paths,
			   struct netlink_ext_ack *extack);

#endif /* MRC_PATH_DEST_H */
