/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the operator has named on a NIC: formats, templates, EV profiles, CC
 * profiles; and the path manager that holds them together with destinations and
 * rules.
 */
#ifndef MRC_NET_OBJECT_H
#define MRC_NET_OBJECT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include "core/deny.h"
#include "core/lifecycle.h"
#include "core/lpm.h"

struct mrc_nic;
struct netlink_ext_ack;

/* Most objects of a kind, and the longest name with its end. */
#define MRC_OBJECT_MAX 256
#define MRC_OBJECT_NAME_MAX 64
/* Most rules. */
#define MRC_PM_DENIES 256

/**
 * enum mrc_object_kind - what an object is
 * @MRC_OBJECT_FORMAT: &struct mrc_evformat
 * @MRC_OBJECT_TEMPLATE: &struct mrc_template
 * @MRC_OBJECT_PROFILE: &struct mrc_evprofile
 * @MRC_OBJECT_CC: &struct mrc_ccprofile
 * @MRC_OBJECT_KINDS: number of kinds
 */
enum mrc_object_kind {
	MRC_OBJECT_FORMAT,
	MRC_OBJECT_TEMPLATE,
	MRC_OBJECT_PROFILE,
	MRC_OBJECT_CC,
	MRC_OBJECT_KINDS,
};

/**
 * struct mrc_object - what all objects have; the first member of each
 * @node: in the list of its kind, in the order of @id
 * @id: where an interrupted dump goes on; never used twice
 * @index: of its kind, 1..MRC_OBJECT_MAX: how a destination names it
 * @users: objects and destinations that refer to it
 * @life: enum mrc_life
 * @name: unique in its kind
 */
struct mrc_object {
	struct list_head node;
	u32 id;
	u16 index;
	u32 users;
	u8 life;
	char name[MRC_OBJECT_NAME_MAX];
};

/**
 * struct mrc_pm - path manager of a NIC
 * @mutex: serialises changes; whoever holds it may read everything
 * @lock: protects what a connection looks up: @at, what the objects in it are
 *	made into, @dests, @deny, @cc; BH-safe, no other lock is taken inside; written
 *	with @mutex held too
 * @objects: objects by kind; under @mutex
 * @next_id: of the next object; under @mutex
 * @at: objects by kind and index - 1
 * @dests: destinations: @a is the index of a profile, @b that of a template or
 *	0, @c that of a CC profile or 0, @number belongs to the template
 * @dests_gen: grows when entries of @dests may have moved; never 0; under
 *	@mutex
 * @deny: rules
 * @n_deny: how many
 * @cc: CC profile of connections whose destination has none, or NULL; its name
 *	never changes
 */
struct mrc_pm {
	struct mutex mutex; /* changes */
	spinlock_t lock; /* look-ups */
	struct list_head objects[MRC_OBJECT_KINDS];
	u32 next_id;
	struct mrc_object *at[MRC_OBJECT_KINDS][MRC_OBJECT_MAX];
	struct mrc_lpm dests;
	u32 dests_gen;
	struct mrc_deny deny[MRC_PM_DENIES];
	u16 n_deny;
	struct mrc_object *cc;
};

int mrc_pm_init(struct mrc_nic *nic);
void mrc_pm_exit(struct mrc_nic *nic);

struct mrc_object *mrc_object_get(struct mrc_pm *pm, enum mrc_object_kind kind,
				  const char *name,
				  struct netlink_ext_ack *extack);
struct mrc_object *mrc_object_new(struct mrc_pm *pm, enum mrc_object_kind kind,
				  size_t size, const char *name,
				  struct netlink_ext_ack *extack);
void mrc_object_add(struct mrc_pm *pm, enum mrc_object_kind kind,
		    struct mrc_object *obj);
int mrc_object_del(struct mrc_pm *pm, enum mrc_object_kind kind,
		   struct mrc_object *obj, struct netlink_ext_ack *extack);
int mrc_object_remove(struct mrc_pm *pm, enum mrc_object_kind kind,
		      const char *name, struct netlink_ext_ack *extack);
struct mrc_object *mrc_object_next(struct mrc_pm *pm, enum mrc_object_kind kind,
				   u32 id);
int mrc_object_refused(int err, const struct mrc_refusal *why,
		       struct netlink_ext_ack *extack);

#endif /* MRC_NET_OBJECT_H */
