/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Destinations: the explicit SRv6 paths that the operator gave for a peer.  A
 * connection takes a reference on its peer's destination, if there is one, and
 * uses its paths instead of AUTO ones.
 */
#ifndef MRC_NET_DEST_H
#define MRC_NET_DEST_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/rhashtable.h>
#include "core/ev.h"

struct mrc_nic;
struct netlink_ext_ack;

/**
 * struct mrc_dest_path - one explicit path
 * @entry: entropy value, plane and admin state
 * @sid: outer IPv6 destination: the uSID list
 * @past: counters of connections that have ended; under the destination's lock
 */
struct mrc_dest_path {
	struct mrc_ev_entry entry;
	struct in6_addr sid;
	struct mrc_ev_stats past;
};

/**
 * struct mrc_dest - explicit paths to one peer
 * @node: in &struct mrc_nic.dests
 * @gid: inner IPv6 address of the peer (IPv4 as ::ffff:a.b.c.d); the key
 * @ref: one for the table, one for each connection
 * @lock: protects @n, @path and the counters in it
 * @n: paths
 * @rcu: delays the release past lookups
 * @path: the paths; a slot never moves while the destination lives
 */
struct mrc_dest {
	struct rhash_head node;
	struct in6_addr gid;
	struct kref ref;
	spinlock_t lock;
	u16 n;
	struct rcu_head rcu;
	struct mrc_dest_path path[MRC_EV_MAX];
};

int mrc_dest_init(struct mrc_nic *nic);
void mrc_dest_exit(struct mrc_nic *nic);

/* Called by the path manager with its mutex held. */
int mrc_dest_path_add(struct mrc_nic *nic, const struct in6_addr *gid,
		      const struct mrc_ev_entry *entry,
		      const struct in6_addr *sid,
		      struct netlink_ext_ack *extack);
int mrc_dest_path_del(struct mrc_nic *nic, const struct in6_addr *gid,
		      u32 ev, struct netlink_ext_ack *extack);
int mrc_dest_flush(struct mrc_nic *nic, const struct in6_addr *gid,
		   struct netlink_ext_ack *extack);

/* Called by connections. */
u16 mrc_dest_snapshot(struct mrc_dest *dest, struct mrc_ev_entry *entries,
		      struct in6_addr *sids);
void mrc_dest_fold(struct mrc_dest *dest, const struct mrc_ev_set *evs);
struct mrc_dest *mrc_dest_get(struct mrc_nic *nic, const struct in6_addr *gid);
void mrc_dest_put(struct mrc_dest *dest);

#endif /* MRC_NET_DEST_H */
