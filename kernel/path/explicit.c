// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Explicit paths, sorted by the address of the peer: an interrupted dump
 * continues after the last address that it has reported.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "compat/extack.h"
#include "core/lpm.h"
#include "path/explicit.h"
#include "path/pm.h"

/* Initial number of slots of a peer; doubled as needed. */
#define MRC_EXPLICIT_SLOTS 16

/**
 * mrc_explicit_init() - prepare the table of explicit paths
 * @pm: path manager
 */
void mrc_explicit_init(struct mrc_pm *pm)
{
	pm->explicit = RB_ROOT;
	spin_lock_init(&pm->explicit_lock);
}

/* Apply a change to the connections to @gid; NULL: to all. */
static void mrc_explicit_changed(struct mrc_pm *pm, const struct in6_addr *gid)
{
	struct mrc_lpm_key key;

	if (gid)
		mrc_lpm_key_init(&key, gid->s6_addr, MRC_LPM_BITS);
	pm->ops->paths_changed(pm, gid ? &key : NULL);
}

static void mrc_explicit_free(struct mrc_explicit *ex)
{
	kvfree(ex->path);
	kfree(ex);
}

/**
 * mrc_explicit_exit() - free all explicit paths
 * @pm: path manager of a device without connections
 *
 * Context: the table has no other users any more.
 */
void mrc_explicit_exit(struct mrc_pm *pm)
{
	struct mrc_explicit *ex, *next;

	rbtree_postorder_for_each_entry_safe(ex, next, &pm->explicit, node) {
		WARN_ON_ONCE(ex->users);
		mrc_explicit_free(ex);
	}
	pm->explicit = RB_ROOT;
}

static int mrc_explicit_key_cmp(const void *gid, const struct rb_node *node)
{
	return memcmp(gid, &rb_entry(node, struct mrc_explicit, node)->gid,
		      sizeof(struct in6_addr));
}

static int mrc_explicit_node_cmp(struct rb_node *node,
				 const struct rb_node *other)
{
	const struct mrc_explicit *ex =
		rb_entry(node, struct mrc_explicit, node);

	return mrc_explicit_key_cmp(&ex->gid, other);
}

static struct mrc_explicit *mrc_explicit_find(struct mrc_pm *pm,
					      const struct in6_addr *gid)
{
	lockdep_assert_held(&pm->explicit_lock);
	return rb_entry_safe(rb_find(gid, &pm->explicit, mrc_explicit_key_cmp),
			     struct mrc_explicit, node);
}

/* Free the slots of a peer that has no path and no user. */
static void mrc_explicit_release(struct mrc_explicit *ex)
{
	lockdep_assert_held(&ex->pm->explicit_lock);
	if (ex->users || ex->n_used)
		return;
	ex->pm->explicit_slots -= ex->n_alloc;
	rb_erase(&ex->node, &ex->pm->explicit);
	mrc_explicit_free(ex);
}

/**
 * mrc_explicit_get() - explicit paths to a peer
 * @pm: path manager
 * @gid: address of the peer
 *
 * Context: process or softirq.
 * Return: the paths with a reference, or NULL if the peer has none.
 */
struct mrc_explicit *mrc_explicit_get(struct mrc_pm *pm,
				      const struct in6_addr *gid)
{
	struct mrc_explicit *ex;

	spin_lock_bh(&pm->explicit_lock);
	ex = mrc_explicit_find(pm, gid);
	if (ex && !ex->n_used)
		ex = NULL;
	if (ex)
		ex->users++;
	spin_unlock_bh(&pm->explicit_lock);
	return ex;
}

/**
 * mrc_explicit_put() - drop a reference
 * @ex: explicit paths to a peer, or NULL
 *
 * Context: process or softirq.
 */
void mrc_explicit_put(struct mrc_explicit *ex)
{
	struct mrc_pm *pm;

	if (!ex)
		return;
	pm = ex->pm;
	spin_lock_bh(&pm->explicit_lock);
	ex->users--;
	mrc_explicit_release(ex);
	spin_unlock_bh(&pm->explicit_lock);
}

/**
 * mrc_explicit_next() - explicit paths to the first peer after an address
 * @pm: path manager
 * @gid: the address; NULL: first peer of all
 *
 * Context: process or softirq.
 * Return: the paths, at least one, with a reference, or NULL.
 */
struct mrc_explicit *mrc_explicit_next(struct mrc_pm *pm,
				       const struct in6_addr *gid)
{
	struct mrc_explicit *ex, *found = NULL;
	struct rb_node *node;

	spin_lock_bh(&pm->explicit_lock);
	node = pm->explicit.rb_node;
	while (node) {
		ex = rb_entry(node, struct mrc_explicit, node);
		if (!gid || mrc_explicit_key_cmp(gid, node) < 0) {
			found = ex;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	while (found && !found->n_used)
		found = rb_entry_safe(rb_next(&found->node),
				      struct mrc_explicit, node);
	if (found)
		found->users++;
	spin_unlock_bh(&pm->explicit_lock);
	return found;
}

static struct mrc_explicit_path *mrc_explicit_path_find(struct mrc_explicit *ex,
							u32 ev)
{
	u16 i;

	lockdep_assert_held(&ex->pm->explicit_lock);
	for (i = 0; i < ex->n; i++) {
		if (ex->path[i].used && ex->path[i].entry.value == ev)
			return &ex->path[i];
	}
	return NULL;
}

/*
 * A free slot for @e.  Connections assume that the path of a slot does not
 * change: while there are users, a slot is reused for the same entropy value
 * and plane only.
 */
static struct mrc_explicit_path *mrc_explicit_slot(struct mrc_explicit *ex,
						   const struct mrc_ev_entry *e)
{
	struct mrc_explicit_path *path;
	u16 i;

	lockdep_assert_held(&ex->pm->explicit_lock);
	for (i = 0; i < ex->n; i++) {
		path = &ex->path[i];
		if (path->used)
			continue;
		if (!ex->users || (path->entry.value == e->value &&
				   path->entry.plane == e->plane))
			return path;
	}
	return ex->n < ex->n_alloc ? &ex->path[ex->n] : NULL;
}

static int mrc_explicit_check_addr(const struct in6_addr *addr,
				   const char *what,
				   struct netlink_ext_ack *extack)
{
	int type = ipv6_addr_type(addr);

	if (type & IPV6_ADDR_UNICAST &&
	    !(type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL |
		      IPV6_ADDR_MAPPED)))
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%s is not a global unicast address", what);
	return -EINVAL;
}

static int mrc_explicit_check(const struct mrc_pm *pm,
			      const struct in6_addr *gid,
			      const struct mrc_ev_entry *entry,
			      const struct mrc_sid *sid,
			      struct netlink_ext_ack *extack)
{
	int ret;

	if (ipv6_addr_any(gid) || ipv6_addr_is_multicast(gid)) {
		NL_SET_ERR_MSG(extack, "dst is not a unicast address");
		return -EINVAL;
	}
	if (ipv6_addr_v4mapped(gid)) {
		NL_SET_ERR_MSG(extack, "dst is an IPv4 address: SRv6 paths need an IPv6 one");
		return -EINVAL;
	}
	if (!entry->plane || entry->plane > pm->n_ports) {
		NL_SET_ERR_MSG_FMT(extack, "port %u of a device with %u port%s",
				   entry->plane, pm->n_ports,
				   pm->n_ports == 1 ? "" : "s");
		return -EINVAL;
	}
	ret = mrc_explicit_check_addr(&sid->dst, "sid", extack);
	if (!ret && mrc_sid_has_srh(sid))
		ret = mrc_explicit_check_addr(&sid->seg, "srh", extack);
	return ret;
}

/**
 * struct mrc_explicit_change - a path to be added or replaced
 * @gid: address of the peer
 * @entry: entropy value, plane and admin state
 * @sid: outer destination
 * @replace: an existing path with this entropy value may be replaced
 * @explicit: memory for a peer without paths, or NULL
 * @path: memory for slots, or NULL
 * @n: number of slots in @path
 * @wanted: number of slots needed
 */
struct mrc_explicit_change {
	const struct in6_addr *gid;
	const struct mrc_ev_entry *entry;
	const struct mrc_sid *sid;
	bool replace;
	struct mrc_explicit *explicit;
	struct mrc_explicit_path *path;
	u16 n;
	u16 wanted;
};

static int mrc_explicit_change_alloc(struct mrc_explicit_change *c)
{
	kvfree(c->path);
	c->n = c->wanted;
	c->path = kvcalloc(c->n, sizeof(*c->path), GFP_KERNEL_ACCOUNT);
	if (!c->explicit)
		c->explicit = kzalloc(sizeof(*c->explicit), GFP_KERNEL_ACCOUNT);
	return c->path && c->explicit ? 0 : -ENOMEM;
}

/* Do the slots of @c fit into the limit of the device? */
static int mrc_explicit_check_slots(struct mrc_pm *pm,
				    const struct mrc_explicit_change *c,
				    struct netlink_ext_ack *extack)
{
	struct mrc_explicit *ex = mrc_explicit_find(pm, c->gid);
	u32 has = ex ? ex->n_alloc : 0;

	if (c->n <= has || pm->explicit_slots - has + c->n <=
			   MRC_PM_EXPLICIT_SLOTS)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "paths take %u of %u slots, dst needs %u more",
			   pm->explicit_slots, MRC_PM_EXPLICIT_SLOTS,
			   c->n - has);
	return -E2BIG;
}

/* The paths of the peer, created with the memory of @c if need be. */
static struct mrc_explicit *mrc_explicit_ensure(struct mrc_pm *pm,
						struct mrc_explicit_change *c)
{
	struct mrc_explicit *ex = mrc_explicit_find(pm, c->gid);

	if (!ex && c->explicit) {
		ex = c->explicit;
		c->explicit = NULL;
		ex->pm = pm;
		ex->gid = *c->gid;
		spin_lock_init(&ex->lock);
		rb_find_add(&ex->node, &pm->explicit, mrc_explicit_node_cmp);
	}
	if (!ex || ex->n_alloc >= c->n)
		return ex;
	spin_lock(&ex->lock);
	if (ex->n)
		memcpy(c->path, ex->path, ex->n * sizeof(*c->path));
	pm->explicit_slots += c->n - ex->n_alloc;
	swap(ex->path, c->path);
	swap(ex->n_alloc, c->n);
	spin_unlock(&ex->lock);
	return ex;
}

/*
 * Replace the outer destination of a path and keep its counters.  The plane
 * cannot change, because connections assume that the plane of a slot does not.
 */
static int mrc_explicit_path_change(struct mrc_explicit *ex,
				    struct mrc_explicit_path *path,
				    const struct mrc_explicit_change *c,
				    struct netlink_ext_ack *extack)
{
	if (!c->replace) {
		NL_SET_ERR_MSG_FMT(extack, "ev %u is in use for this dst",
				   c->entry->value);
		return -EEXIST;
	}
	if (path->entry.plane != c->entry->plane) {
		NL_SET_ERR_MSG_FMT(extack,
				   "ev %u leaves by port %u: for another port delete it first",
				   c->entry->value, path->entry.plane);
		return -EINVAL;
	}
	spin_lock(&ex->lock);
	path->sid = *c->sid;
	spin_unlock(&ex->lock);
	return 0;
}

static int mrc_explicit_path_insert(struct mrc_explicit *ex,
				    struct mrc_explicit_change *c,
				    struct netlink_ext_ack *extack)
{
	struct mrc_explicit_path *path = mrc_explicit_slot(ex, c->entry);

	if (!path && ex->n_alloc == MRC_EV_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "dst has %u paths, the most possible",
				   MRC_EV_MAX);
		return -ENOSPC;
	}
	if (!path) {
		c->wanted = max(2 * ex->n_alloc, MRC_EXPLICIT_SLOTS);
		return -EAGAIN;
	}

	spin_lock(&ex->lock);
	*path = (struct mrc_explicit_path) {
		.entry = *c->entry,
		.used = true,
		.sid = *c->sid,
	};
	ex->n = max_t(u16, ex->n, path - ex->path + 1);
	ex->n_used++;
	spin_unlock(&ex->lock);
	return 0;
}

/* Return -EAGAIN if memory for @c->wanted slots is needed. */
static int mrc_explicit_path_try(struct mrc_pm *pm,
				 struct mrc_explicit_change *c,
				 struct netlink_ext_ack *extack)
{
	struct mrc_explicit_path *path;
	struct mrc_explicit *ex;
	int ret;

	c->wanted = MRC_EXPLICIT_SLOTS;
	spin_lock_bh(&pm->explicit_lock);
	ret = mrc_explicit_check_slots(pm, c, extack);
	ex = ret ? NULL : mrc_explicit_ensure(pm, c);
	if (!ret && !ex)
		ret = -EAGAIN;
	if (ex) {
		path = mrc_explicit_path_find(ex, c->entry->value);
		ret = path ? mrc_explicit_path_change(ex, path, c, extack) :
			     mrc_explicit_path_insert(ex, c, extack);
		mrc_explicit_release(ex);
	}
	spin_unlock_bh(&pm->explicit_lock);
	return ret;
}

/**
 * mrc_explicit_path_add() - add a path to a peer, or replace one
 * @pm: path manager
 * @gid: address of the peer
 * @entry: entropy value, plane and admin state
 * @sid: outer destination
 * @replace: an existing path with this entropy value gets the new outer
 *	destination; its plane must be the same.  Otherwise no such path may
 *	exist
 * @extack: set to the reason on error
 *
 * When the function returns, connections use the path.  A path that is replaced
 * remains usable all the time.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EEXIST, -ENOSPC, -E2BIG or -ENOMEM.
 */
int mrc_explicit_path_add(struct mrc_pm *pm, const struct in6_addr *gid,
			  const struct mrc_ev_entry *entry,
			  const struct mrc_sid *sid, bool replace,
			  struct netlink_ext_ack *extack)
{
	struct mrc_explicit_change c = {
		.gid = gid,
		.entry = entry,
		.sid = sid,
		.replace = replace,
	};
	int ret;

	ret = mrc_explicit_check(pm, gid, entry, sid, extack);
	if (ret)
		return ret;
	ret = mrc_explicit_path_try(pm, &c, extack);
	while (ret == -EAGAIN) {
		ret = mrc_explicit_change_alloc(&c) ?:
		      mrc_explicit_path_try(pm, &c, extack);
	}
	kvfree(c.path);
	kfree(c.explicit);
	if (!ret)
		mrc_explicit_changed(pm, gid);
	return ret;
}

static void mrc_explicit_path_remove(struct mrc_explicit *ex,
				     struct mrc_explicit_path *path)
{
	spin_lock(&ex->lock);
	path->used = false;
	ex->n_used--;
	spin_unlock(&ex->lock);
}

/**
 * mrc_explicit_path_del() - delete a path
 * @pm: path manager
 * @gid: address of the peer
 * @ev: entropy value of the path
 * @extack: set to the reason on error
 *
 * When the function returns, no connection uses the path.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_explicit_path_del(struct mrc_pm *pm, const struct in6_addr *gid,
			  u32 ev, struct netlink_ext_ack *extack)
{
	struct mrc_explicit_path *path = NULL;
	struct mrc_explicit *ex;

	spin_lock_bh(&pm->explicit_lock);
	ex = mrc_explicit_find(pm, gid);
	if (ex)
		path = mrc_explicit_path_find(ex, ev);
	if (path) {
		mrc_explicit_path_remove(ex, path);
		mrc_explicit_release(ex);
	}
	spin_unlock_bh(&pm->explicit_lock);

	if (!path) {
		NL_SET_ERR_MSG_FMT(extack, "no path with ev %u to this dst",
				   ev);
		return -ENOENT;
	}
	mrc_explicit_changed(pm, gid);
	return 0;
}

static void mrc_explicit_clear(struct mrc_explicit *ex)
{
	u16 i;

	for (i = 0; i < ex->n; i++) {
		if (ex->path[i].used)
			mrc_explicit_path_remove(ex, &ex->path[i]);
	}
	mrc_explicit_release(ex);
}

static bool mrc_explicit_flush_one(struct mrc_pm *pm,
				   const struct in6_addr *gid)
{
	struct mrc_explicit *ex;
	bool found;

	spin_lock_bh(&pm->explicit_lock);
	ex = mrc_explicit_find(pm, gid);
	found = ex && ex->n_used;
	if (found)
		mrc_explicit_clear(ex);
	spin_unlock_bh(&pm->explicit_lock);
	return found;
}

static void mrc_explicit_flush_all(struct mrc_pm *pm)
{
	struct mrc_explicit *ex;
	struct in6_addr gid;

	/* One peer per lock hold time: the table may be large. */
	ex = mrc_explicit_next(pm, NULL);
	while (ex) {
		gid = ex->gid;
		mrc_explicit_put(ex);
		mrc_explicit_flush_one(pm, &gid);
		cond_resched();
		ex = mrc_explicit_next(pm, &gid);
	}
}

/**
 * mrc_explicit_flush() - delete all paths of a peer
 * @pm: path manager
 * @gid: address of the peer; NULL: all peers
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT if @gid has no path.
 */
int mrc_explicit_flush(struct mrc_pm *pm, const struct in6_addr *gid,
		       struct netlink_ext_ack *extack)
{
	if (!gid) {
		mrc_explicit_flush_all(pm);
	} else if (!mrc_explicit_flush_one(pm, gid)) {
		NL_SET_ERR_MSG(extack, "no path to this dst");
		return -ENOENT;
	}
	mrc_explicit_changed(pm, gid);
	return 0;
}

/**
 * mrc_explicit_path_get() - read one slot
 * @ex: explicit paths to a peer
 * @slot: index of the slot, any number
 * @path: filled in
 *
 * Context: process or softirq.
 * Return: false if the slot has no path.
 */
bool mrc_explicit_path_get(struct mrc_explicit *ex, u16 slot,
			   struct mrc_explicit_path *path)
{
	bool used;

	spin_lock_bh(&ex->lock);
	used = slot < ex->n && ex->path[slot].used;
	if (used)
		*path = ex->path[slot];
	spin_unlock_bh(&ex->lock);
	return used;
}

/**
 * mrc_explicit_snapshot() - copy the paths for a connection
 * @ex: explicit paths to a peer
 * @entries: filled in; MRC_EV_MAX entries
 * @sids: filled in; MRC_EV_MAX entries
 *
 * Slots of deleted paths are included as denied paths, because the index in the
 * EV set is the slot.
 *
 * Context: process or softirq.
 * Return: number of slots; 0 if every path has been deleted.
 */
u16 mrc_explicit_snapshot(struct mrc_explicit *ex, struct mrc_ev_entry *entries,
			  struct mrc_sid *sids)
{
	u16 i, n;

	spin_lock_bh(&ex->lock);
	n = ex->n_used ? ex->n : 0;
	for (i = 0; i < n; i++) {
		entries[i] = ex->path[i].entry;
		entries[i].denied |= !ex->path[i].used;
		sids[i] = ex->path[i].sid;
	}
	spin_unlock_bh(&ex->lock);
	return n;
}

/**
 * mrc_explicit_save_stats() - keep the counters of paths that are released
 * @ex: explicit paths that a connection used
 * @evs: its paths, not used any more
 *
 * Context: process or softirq; before the connection is removed from the list
 * of its device and only once, otherwise its packets are counted twice.
 */
void mrc_explicit_save_stats(struct mrc_explicit *ex,
			     const struct mrc_ev_set *evs)
{
	u16 i;

	spin_lock_bh(&ex->lock);
	for (i = 0; i < min(evs->n, ex->n); i++)
		mrc_ev_stats_add(&ex->path[i].past, &evs->ev[i].stats);
	spin_unlock_bh(&ex->lock);
}
