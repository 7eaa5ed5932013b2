// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Table of destinations, ordered by address: a dump that was interrupted goes
 * on behind the last address it told.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "compat/extack.h"
#include "core/lpm.h"
#include "net/conn.h"
#include "net/dest.h"
#include "net/nic.h"

/* Slots of a destination at first; as they are needed, twice as many. */
#define MRC_DEST_ROOM 16

/**
 * mrc_dest_init() - prepare the table of destinations
 * @nic: NIC
 */
void mrc_dest_init(struct mrc_nic *nic)
{
	nic->dests = RB_ROOT;
	spin_lock_init(&nic->dests_lock);
}

/* Connections to @gid, or to anybody, take up the change. */
static void mrc_dest_changed(struct mrc_nic *nic, const struct in6_addr *gid)
{
	struct mrc_lpm_key key;

	if (gid)
		mrc_lpm_key_init(&key, gid->s6_addr, MRC_LPM_BITS);
	mrc_conn_paths_changed(nic, gid ? &key : NULL);
}

static void mrc_dest_free(struct mrc_dest *dest)
{
	kvfree(dest->path);
	kfree(dest);
}

/**
 * mrc_dest_exit() - forget all destinations
 * @nic: NIC without connections
 *
 * Context: nobody else uses the table any more.
 */
void mrc_dest_exit(struct mrc_nic *nic)
{
	struct mrc_dest *dest, *next;

	rbtree_postorder_for_each_entry_safe(dest, next, &nic->dests, node) {
		WARN_ON_ONCE(dest->users);
		mrc_dest_free(dest);
	}
	nic->dests = RB_ROOT;
}

static int mrc_dest_key_cmp(const void *gid, const struct rb_node *node)
{
	return memcmp(gid, &rb_entry(node, struct mrc_dest, node)->gid,
		      sizeof(struct in6_addr));
}

static int mrc_dest_node_cmp(struct rb_node *node, const struct rb_node *other)
{
	return mrc_dest_key_cmp(&rb_entry(node, struct mrc_dest, node)->gid,
				other);
}

static struct mrc_dest *mrc_dest_find(struct mrc_nic *nic,
				      const struct in6_addr *gid)
{
	lockdep_assert_held(&nic->dests_lock);
	return rb_entry_safe(rb_find(gid, &nic->dests, mrc_dest_key_cmp),
			     struct mrc_dest, node);
}

/* Remove a destination that nothing keeps. */
static void mrc_dest_release(struct mrc_dest *dest)
{
	lockdep_assert_held(&dest->nic->dests_lock);
	if (dest->users || dest->n_used)
		return;
	rb_erase(&dest->node, &dest->nic->dests);
	mrc_dest_free(dest);
}

/**
 * mrc_dest_get() - explicit paths to a peer
 * @nic: NIC
 * @gid: the peer
 *
 * Context: process or softirq.
 * Return: the destination with a reference, or NULL if it has no path.
 */
struct mrc_dest *mrc_dest_get(struct mrc_nic *nic, const struct in6_addr *gid)
{
	struct mrc_dest *dest;

	spin_lock_bh(&nic->dests_lock);
	dest = mrc_dest_find(nic, gid);
	if (dest && !dest->n_used)
		dest = NULL;
	if (dest)
		dest->users++;
	spin_unlock_bh(&nic->dests_lock);
	return dest;
}

/**
 * mrc_dest_put() - drop a reference
 * @dest: destination, or NULL
 *
 * Context: process or softirq.
 */
void mrc_dest_put(struct mrc_dest *dest)
{
	struct mrc_nic *nic;

	if (!dest)
		return;
	nic = dest->nic;
	spin_lock_bh(&nic->dests_lock);
	dest->users--;
	mrc_dest_release(dest);
	spin_unlock_bh(&nic->dests_lock);
}

/**
 * mrc_dest_next() - the first destination behind an address
 * @nic: NIC
 * @gid: the address; NULL: the first of all
 *
 * Context: process or softirq.
 * Return: a destination that has paths, with a reference, or NULL.
 */
struct mrc_dest *mrc_dest_next(struct mrc_nic *nic, const struct in6_addr *gid)
{
	struct mrc_dest *dest, *found = NULL;
	struct rb_node *node;

	spin_lock_bh(&nic->dests_lock);
	node = nic->dests.rb_node;
	while (node) {
		dest = rb_entry(node, struct mrc_dest, node);
		if (!gid || mrc_dest_key_cmp(gid, node) < 0) {
			found = dest;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	while (found && !found->n_used)
		found = rb_entry_safe(rb_next(&found->node), struct mrc_dest,
				      node);
	if (found)
		found->users++;
	spin_unlock_bh(&nic->dests_lock);
	return found;
}

static struct mrc_dest_path *mrc_dest_path_find(struct mrc_dest *dest, u32 ev)
{
	u16 i;

	for (i = 0; i < dest->n; i++) {
		if (dest->path[i].used && dest->path[i].entry.value == ev)
			return &dest->path[i];
	}
	return NULL;
}

/*
 * A free slot for @entry.  Connections take the path of a slot for what it was
 * when they began: while there are any, a slot is used again for the same
 * entropy value and plane only.
 */
static struct mrc_dest_path *mrc_dest_slot(struct mrc_dest *dest,
					   const struct mrc_ev_entry *entry)
{
	struct mrc_dest_path *path;
	u16 i;

	lockdep_assert_held(&dest->nic->dests_lock);
	for (i = 0; i < dest->n; i++) {
		path = &dest->path[i];
		if (path->used)
			continue;
		if (!dest->users || (path->entry.value == entry->value &&
				     path->entry.plane == entry->plane))
			return path;
	}
	return dest->n < dest->room ? &dest->path[dest->n] : NULL;
}

static int mrc_dest_check_addr(const struct in6_addr *addr, const char *what,
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

static int mrc_dest_check(const struct mrc_nic *nic, const struct in6_addr *gid,
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
	if (!entry->plane || entry->plane > nic->n_ports) {
		NL_SET_ERR_MSG_FMT(extack, "port %u of a device with %u port%s",
				   entry->plane, nic->n_ports,
				   nic->n_ports == 1 ? "" : "s");
		return -EINVAL;
	}
	ret = mrc_dest_check_addr(&sid->dst, "sid", extack);
	if (!ret && mrc_sid_has_srh(sid))
		ret = mrc_dest_check_addr(&sid->seg, "srh", extack);
	return ret;
}

/**
 * struct mrc_dest_change - a path that is to be added or replaced
 * @gid: the peer
 * @entry: entropy value, plane and admin state
 * @sid: outer destination
 * @replace: a path of this entropy value may be there
 * @dest: memory for a destination, or NULL
 * @path: memory for slots, or NULL
 * @n: how many slots these are
 * @wanted: how many are needed
 */
struct mrc_dest_change {
	const struct in6_addr *gid;
	const struct mrc_ev_entry *entry;
	const struct mrc_sid *sid;
	bool replace;
	struct mrc_dest *dest;
	struct mrc_dest_path *path;
	u16 n;
	u16 wanted;
};

static int mrc_dest_change_alloc(struct mrc_dest_change *c)
{
	kvfree(c->path);
	c->n = c->wanted;
	c->path = kvcalloc(c->n, sizeof(*c->path), GFP_KERNEL);
	if (!c->dest)
		c->dest = kzalloc(sizeof(*c->dest), GFP_KERNEL);
	return c->path && c->dest ? 0 : -ENOMEM;
}

/* The destination, which takes the memory of @c as far as it needs it. */
static struct mrc_dest *mrc_dest_make(struct mrc_nic *nic,
				      struct mrc_dest_change *c)
{
	struct mrc_dest *dest = mrc_dest_find(nic, c->gid);

	if (!dest && c->dest) {
		dest = c->dest;
		c->dest = NULL;
		dest->nic = nic;
		dest->gid = *c->gid;
		spin_lock_init(&dest->lock);
		rb_find_add(&dest->node, &nic->dests, mrc_dest_node_cmp);
	}
	if (!dest || dest->room >= c->n)
		return dest;
	spin_lock(&dest->lock);
	if (dest->n)
		memcpy(c->path, dest->path, dest->n * sizeof(*c->path));
	swap(dest->path, c->path);
	swap(dest->room, c->n);
	spin_unlock(&dest->lock);
	return dest;
}

/*
 * Another way for the path: its counters go on.  Its port is one of the things
 * that connections know a slot by.
 */
static int mrc_dest_path_change(struct mrc_dest *dest,
				struct mrc_dest_path *path,
				const struct mrc_dest_change *c,
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
	spin_lock(&dest->lock);
	path->sid = *c->sid;
	spin_unlock(&dest->lock);
	return 0;
}

static int mrc_dest_path_insert(struct mrc_dest *dest,
				struct mrc_dest_change *c,
				struct netlink_ext_ack *extack)
{
	struct mrc_dest_path *path = mrc_dest_slot(dest, c->entry);

	if (!path && dest->room == MRC_EV_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "dst has %u paths, the most possible",
				   MRC_EV_MAX);
		return -ENOSPC;
	}
	if (!path) {
		c->wanted = max(2 * dest->room, MRC_DEST_ROOM);
		return -EAGAIN;
	}

	spin_lock(&dest->lock);
	*path = (struct mrc_dest_path) {
		.entry = *c->entry,
		.used = true,
		.sid = *c->sid,
	};
	dest->n = max_t(u16, dest->n, path - dest->path + 1);
	dest->n_used++;
	spin_unlock(&dest->lock);
	return 0;
}

/* -EAGAIN: it needs memory, as much as @c says now. */
static int mrc_dest_path_try(struct mrc_nic *nic, struct mrc_dest_change *c,
			     struct netlink_ext_ack *extack)
{
	struct mrc_dest_path *path;
	struct mrc_dest *dest;
	int ret = -EAGAIN;

	c->wanted = MRC_DEST_ROOM;
	spin_lock_bh(&nic->dests_lock);
	dest = mrc_dest_make(nic, c);
	if (dest) {
		path = mrc_dest_path_find(dest, c->entry->value);
		ret = path ? mrc_dest_path_change(dest, path, c, extack) :
			     mrc_dest_path_insert(dest, c, extack);
		mrc_dest_release(dest);
	}
	spin_unlock_bh(&nic->dests_lock);
	return ret;
}

/**
 * mrc_dest_path_add() - give a destination one more path, or another way
 * @nic: NIC
 * @gid: the peer
 * @entry: entropy value, plane and admin state
 * @sid: outer destination
 * @replace: what there is under this entropy value goes this way from now on,
 *	by the same plane; otherwise there must be nothing
 * @extack: where to say why not
 *
 * Connections use it when this returns; none is without the path before that.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EEXIST, -ENOSPC or -ENOMEM.
 */
int mrc_dest_path_add(struct mrc_nic *nic, const struct in6_addr *gid,
		      const struct mrc_ev_entry *entry,
		      const struct mrc_sid *sid, bool replace,
		      struct netlink_ext_ack *extack)
{
	struct mrc_dest_change c = {
		.gid = gid,
		.entry = entry,
		.sid = sid,
		.replace = replace,
	};
	int ret;

	ret = mrc_dest_check(nic, gid, entry, sid, extack);
	if (ret)
		return ret;
	ret = mrc_dest_path_try(nic, &c, extack);
	while (ret == -EAGAIN) {
		ret = mrc_dest_change_alloc(&c) ?:
		      mrc_dest_path_try(nic, &c, extack);
	}
	kvfree(c.path);
	kfree(c.dest);
	if (!ret)
		mrc_dest_changed(nic, gid);
	return ret;
}

static void mrc_dest_path_remove(struct mrc_dest *dest,
				 struct mrc_dest_path *path)
{
	spin_lock(&dest->lock);
	path->used = false;
	dest->n_used--;
	spin_unlock(&dest->lock);
}

/**
 * mrc_dest_path_del() - take a path away
 * @nic: NIC
 * @gid: the peer
 * @ev: entropy value of the path
 * @extack: where to say why not
 *
 * No connection uses it any more when this returns.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_dest_path_del(struct mrc_nic *nic, const struct in6_addr *gid,
		      u32 ev, struct netlink_ext_ack *extack)
{
	struct mrc_dest_path *path = NULL;
	struct mrc_dest *dest;

	spin_lock_bh(&nic->dests_lock);
	dest = mrc_dest_find(nic, gid);
	if (dest)
		path = mrc_dest_path_find(dest, ev);
	if (path) {
		mrc_dest_path_remove(dest, path);
		mrc_dest_release(dest);
	}
	spin_unlock_bh(&nic->dests_lock);

	if (!path) {
		NL_SET_ERR_MSG_FMT(extack, "no path with ev %u to this dst",
				   ev);
		return -ENOENT;
	}
	mrc_dest_changed(nic, gid);
	return 0;
}

static void mrc_dest_clear(struct mrc_dest *dest)
{
	u16 i;

	for (i = 0; i < dest->n; i++) {
		if (dest->path[i].used)
			mrc_dest_path_remove(dest, &dest->path[i]);
	}
	mrc_dest_release(dest);
}

static bool mrc_dest_flush_one(struct mrc_nic *nic, const struct in6_addr *gid)
{
	struct mrc_dest *dest;
	bool found;

	spin_lock_bh(&nic->dests_lock);
	dest = mrc_dest_find(nic, gid);
	found = dest && dest->n_used;
	if (found)
		mrc_dest_clear(dest);
	spin_unlock_bh(&nic->dests_lock);
	return found;
}

static void mrc_dest_flush_all(struct mrc_nic *nic)
{
	struct mrc_dest *dest;
	struct in6_addr gid;

	/* One at a time: the table may be large, and a lock is held. */
	dest = mrc_dest_next(nic, NULL);
	while (dest) {
		gid = dest->gid;
		mrc_dest_put(dest);
		mrc_dest_flush_one(nic, &gid);
		cond_resched();
		dest = mrc_dest_next(nic, &gid);
	}
}

/**
 * mrc_dest_flush() - take all paths away
 * @nic: NIC
 * @gid: the peer; NULL: all peers
 * @extack: where to say why not
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT if @gid has no path.
 */
int mrc_dest_flush(struct mrc_nic *nic, const struct in6_addr *gid,
		   struct netlink_ext_ack *extack)
{
	if (!gid) {
		mrc_dest_flush_all(nic);
	} else if (!mrc_dest_flush_one(nic, gid)) {
		NL_SET_ERR_MSG(extack, "no path to this dst");
		return -ENOENT;
	}
	mrc_dest_changed(nic, gid);
	return 0;
}

/**
 * mrc_dest_path_get() - read one slot
 * @dest: destination
 * @slot: which, any number
 * @path: filled in
 *
 * Context: process or softirq.
 * Return: false if there is no path in the slot.
 */
bool mrc_dest_path_get(struct mrc_dest *dest, u16 slot,
		       struct mrc_dest_path *path)
{
	bool used;

	spin_lock_bh(&dest->lock);
	used = slot < dest->n && dest->path[slot].used;
	if (used)
		*path = dest->path[slot];
	spin_unlock_bh(&dest->lock);
	return used;
}

/**
 * mrc_dest_snapshot() - paths as a connection uses them
 * @dest: destination
 * @entries: filled in; room for MRC_EV_MAX
 * @sids: filled in; room for MRC_EV_MAX
 *
 * Slots that were given up are among them, denied: the index in the EV set is
 * the slot.
 *
 * Context: process or softirq.
 * Return: number of slots; 0 if every path has been deleted.
 */
u16 mrc_dest_snapshot(struct mrc_dest *dest, struct mrc_ev_entry *entries,
		      struct mrc_sid *sids)
{
	u16 i, n;

	spin_lock_bh(&dest->lock);
	n = dest->n_used ? dest->n : 0;
	for (i = 0; i < n; i++) {
		entries[i] = dest->path[i].entry;
		entries[i].denied |= !dest->path[i].used;
		sids[i] = dest->path[i].sid;
	}
	spin_unlock_bh(&dest->lock);
	return n;
}

/**
 * mrc_dest_stats_add() - add up counters of a path
 * @sum: added to
 * @part: what is added
 */
void mrc_dest_stats_add(struct mrc_ev_stats *sum,
			const struct mrc_ev_stats *part)
{
	sum->tx_pkts += part->tx_pkts;
	sum->tx_bytes += part->tx_bytes;
	sum->rtx_pkts += part->rtx_pkts;
	sum->acked += part->acked;
	sum->ecn += part->ecn;
	sum->trims += part->trims;
	sum->losses += part->losses;
	sum->timeouts += part->timeouts;
	sum->probes += part->probes;
	sum->bad += part->bad;
}

/**
 * mrc_dest_fold() - keep the counters of a connection that ends
 * @dest: its destination
 * @evs: its paths, which nobody uses any more
 *
 * Context: process or softirq; before the connection disappears from the NIC's
 * list and only once, or its packets are counted twice.
 */
void mrc_dest_fold(struct mrc_dest *dest, const struct mrc_ev_set *evs)
{
	u16 i;

	spin_lock_bh(&dest->lock);
	for (i = 0; i < min(evs->n, dest->n); i++)
		mrc_dest_stats_add(&dest->path[i].past, &evs->ev[i].stats);
	spin_unlock_bh(&dest->lock);
}
