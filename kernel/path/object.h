/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Named objects of a device: EV formats, templates, EV profiles and CC
 * profiles.
 */
#ifndef MRC_PATH_OBJECT_H
#define MRC_PATH_OBJECT_H

#include <linux/list.h>
#include <linux/types.h>
#include "core/lifecycle.h"
#include "core/refusal.h"

struct mrc_pm;
struct netlink_ext_ack;

/* Maximum objects of a kind, and maximum size of a name, NUL included. */
#define MRC_OBJECT_MAX 256
#define MRC_OBJECT_NAME_MAX 64

/**
 * enum mrc_object_kind - kind of an object
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
 * struct mrc_object - common part of all objects; their first member
 * @node: in the list of its kind, in the order of @id; under the path manager's
 *	mutex
 * @id: position at which an interrupted dump continues; never reused, never
 *	changes
 * @index: index in its kind, 1..MRC_OBJECT_MAX, by which destinations refer to
 *	it; never changes
 * @users: objects and destinations that refer to it; under that mutex
 * @life: enum mrc_life; likewise
 * @name: unique in its kind; never changes
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
 * struct mrc_object_ref - an object that may be removed meanwhile
 * @id: as in &struct mrc_object; 0: none
 * @index: likewise
 */
struct mrc_object_ref {
	u32 id;
	u16 index;
};

bool mrc_object_name(struct mrc_pm *pm, enum mrc_object_kind kind,
		     const struct mrc_object_ref *ref,
		     char name[MRC_OBJECT_NAME_MAX]);
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

#endif /* MRC_PATH_OBJECT_H */
