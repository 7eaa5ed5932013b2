/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Destinations: the explicit SRv6 paths that the operator gave for a peer.  A
 * connection takes a reference on its peer's destination, if there is one, and
 * uses its paths instead of AUTO ones: path i of its EV set is slot i here.
 */
#ifndef MRC_NET_DEST_H
#define MRC_NET_DEST_H

#include <linux/in6.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include "core/ev.h"
#include "net/sid.h"

struct mrc_nic;
struct netlink_ext_ack;

/**
 * struct mrc_dest_path - one slot for an explicit path
 * @entry: entropy value, plane and admin state
 * @used: the path exists; otherwise it was deleted and connections may not use
 *	the slot
 * @sid: outer destination: the uSID list
 * @past: counters of connections that have ended
 */
struct mrc_dest_path {
	struct mrc_ev_entry entry;
	bool used;
	struct mrc_sid sid;
	struct mrc_ev_stats past;
};

/**
 * struct mrc_dest - explicit paths to one peer
 * @node: in &struct mrc_nic.dests; under its lock
 * @nic: whose peer it is; outlives the destination
 * @gid: inner IPv6 address of the peer (IPv4 as ::ffff:a.b.c.d); the key
 * @users: references; under @nic's dests_lock
 * @lock: protects what follows; BH-safe, inside dests_lock
 * @n: slots that are or were in use
 * @n_used: paths
 * @room: entries of @path, at most MRC_EV_MAX; grows, under dests_lock too
 * @path: the slots.  While there are users, the path in a slot keeps its
 *	entropy value and plane, even when it is deleted and added again
 */
struct mrc_dest {
	struct rb_node node;
	struct mrc_nic *nic;
	struct in6_addr gid;
	u32 users;
	spinlock_t lock; /* counters, slots */
	u16 n;
	u16 n_used;
	u16 room;
	struct mrc_dest_path *path;
};

void mrc_dest_init(struct mrc_nic *nic);
void mrc_dest_exit(struct mrc_nic *nic);

/* For the path manager. */
int mrc_dest_path_add(struct mrc_nic *nic, const struct in6_addr *gid,
		      const struct mrc_ev_entry *entry,
		      const struct mrc_sid *sid, bool replace,
		      struct netlink_ext_ack *extack);
int mrc_dest_path_del(struct mrc_nic *nic, const struct in6_addr *gid,
		      u32 ev, struct netlink_ext_ack *extack);
int mrc_dest_flush(struct mrc_nic *nic, const struct in6_addr *gid,
		   struct netlink_ext_ack *extack);
struct mrc_dest *mrc_dest_next(struct mrc_nic *nic, const struct in6_addr *gid);
bool mrc_dest_path_get(struct mrc_dest *dest, u16 slot,
		       struct mrc_dest_path *path);

/*
 * For connections: get and snapshot when they look for paths; fold and put at
 * the end.
 */
struct mrc_dest *mrc_dest_get(struct mrc_nic *nic, const struct in6_addr *gid);
void mrc_dest_put(struct mrc_dest *dest);
u16 mrc_dest_snapshot(struct mrc_dest *dest, struct mrc_ev_entry *entries,
		      struct mrc_sid *sids);
void mrc_dest_fold(struct mrc_dest *dest, const struct mrc_ev_set *evs);

void mrc_dest_stats_add(struct mrc_ev_stats *sum,
			const struct mrc_ev_stats *part);

#endif /* MRC_NET_DEST_H */
