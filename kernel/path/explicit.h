/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Explicit paths: SRv6 paths that the operator has configured for one peer.  A
 * connection holds a reference on those of its peer, if there are any, and uses
 * them instead of AUTO paths: path i of its EV set is slot i here.
 */
#ifndef MRC_PATH_EXPLICIT_H
#define MRC_PATH_EXPLICIT_H

#include <linux/in6.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include "core/ev.h"
#include "path/sid.h"

struct mrc_pm;
struct netlink_ext_ack;

/**
 * struct mrc_explicit_path - one slot for an explicit path
 * @entry: entropy value, plane and admin state
 * @used: the path exists; otherwise it was deleted and connections may not use
 *	the slot
 * @sid: outer destination: the uSID list
 * @past: sum of the counters of closed connections
 */
struct mrc_explicit_path {
	struct mrc_ev_entry entry;
	bool used;
	struct mrc_sid sid;
	struct mrc_ev_stats past;
};

/**
 * struct mrc_explicit - explicit paths to one peer
 * @node: in &struct mrc_pm.explicit; under its explicit_lock
 * @pm: path manager; outlives the paths
 * @gid: inner IPv6 address of the peer (IPv4 as ::ffff:a.b.c.d); the key
 * @users: references; under @pm's explicit_lock
 * @lock: protects the members below; BH-safe, inside explicit_lock
 * @n: slots that are or were in use
 * @n_used: number of paths
 * @n_alloc: entries of @path, at most MRC_EV_MAX; only grows, under
 *	explicit_lock too
 * @path: the slots.  While there are users, the path in a slot keeps its
 *	entropy value and plane, even if it is deleted and added again
 */
struct mrc_explicit {
	struct rb_node node;
	struct mrc_pm *pm;
	struct in6_addr gid;
	u32 users;
	spinlock_t lock; /* counters, slots */
	u16 n;
	u16 n_used;
	u16 n_alloc;
	struct mrc_explicit_path *path;
};

void mrc_explicit_init(struct mrc_pm *pm);
void mrc_explicit_exit(struct mrc_pm *pm);

/* For the netlink family. */
int mrc_explicit_path_add(struct mrc_pm *pm, const struct in6_addr *gid,
			  const struct mrc_ev_entry *entry,
			  const struct mrc_sid *sid, bool replace,
			  struct netlink_ext_ack *extack);
int mrc_explicit_path_del(struct mrc_pm *pm, const struct in6_addr *gid,
			  u32 ev, struct netlink_ext_ack *extack);
int mrc_explicit_flush(struct mrc_pm *pm, const struct in6_addr *gid,
		       struct netlink_ext_ack *extack);
struct mrc_explicit *mrc_explicit_next(struct mrc_pm *pm,
				       const struct in6_addr *gid);
bool mrc_explicit_path_get(struct mrc_explicit *ex, u16 slot,
			   struct mrc_explicit_path *path);

/*
 * For connections: get and snapshot to look up paths; save_stats and put when
 * they stop using them.
 */
struct mrc_explicit *mrc_explicit_get(struct mrc_pm *pm,
				      const struct in6_addr *gid);
void mrc_explicit_put(struct mrc_explicit *ex);
u16 mrc_explicit_snapshot(struct mrc_explicit *ex, struct mrc_ev_entry *entries,
			  struct mrc_sid *sids);
void mrc_explicit_save_stats(struct mrc_explicit *ex,
			     const struct mrc_ev_set *evs);

#endif /* MRC_PATH_EXPLICIT_H */
