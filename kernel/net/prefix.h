/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Destinations by prefix: which profile, and which SRv6 template with which
 * number, leads to a peer.  They stand in the path manager's table, 32 bytes
 * each.
 */
#ifndef MRC_NET_PREFIX_H
#define MRC_NET_PREFIX_H

#include <linux/in6.h>
#include "core/srv6.h"
#include "net/object.h"

struct mrc_evprofile;
struct mrc_evprofile_ev;
struct mrc_template;

/**
 * struct mrc_prefix - a destination as the operator gives it
 * @addr: the network
 * @len: bits of it, 0..128
 * @profile: name
 * @template: name, or NULL
 * @cc: name of a CC profile, or NULL: that of the device
 * @number: what the template puts in
 */
struct mrc_prefix {
	struct in6_addr addr;
	u8 len;
	const char *profile;
	const char *template;
	const char *cc;
	u64 number;
};

/**
 * struct mrc_prefix_paths - paths of a profile that have to be possible
 * @evs: entropy values; unused without a template
 * @n: how many
 * @packet: payload bytes that their routes must carry; 0: not said
 */
struct mrc_prefix_paths {
	const struct mrc_evprofile_ev *evs;
	u16 n;
	u32 packet;
};

int mrc_prefix_add(struct mrc_nic *nic, const struct mrc_prefix *prefix,
		   bool replace, struct netlink_ext_ack *extack);
int mrc_prefix_del(struct mrc_nic *nic, const struct in6_addr *addr, u8 len,
		   struct netlink_ext_ack *extack);

/* Whether what destinations refer to may change. */
int mrc_prefix_check_template(struct mrc_nic *nic, const struct mrc_template *t,
			      const struct mrc_srv6_layout *layout,
			      const struct mrc_srv6 *srv6,
			      struct netlink_ext_ack *extack);
int mrc_prefix_check_profile(struct mrc_nic *nic, const struct mrc_evprofile *p,
			     const struct mrc_prefix_paths *paths,
			     struct netlink_ext_ack *extack);

#endif /* MRC_NET_PREFIX_H */
