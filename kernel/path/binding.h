/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Binding of a connection to an EV profile and a CC profile, which then take the
 * place of those of its destination.
 */
#ifndef MRC_PATH_BINDING_H
#define MRC_PATH_BINDING_H

#include <linux/types.h>
#include "path/object.h"

struct mrc_pm;
struct netlink_ext_ack;

/**
 * struct mrc_binding - profiles of a connection
 * @profile: EV profile, with a reference, or NULL: that of the destination
 * @cc: CC profile, likewise; NULL: that of the destination or device
 *
 * Read under the lock or the mutex of the path manager, written under both.  The
 * reference keeps a profile online.
 */
struct mrc_binding {
	struct mrc_object *profile;
	struct mrc_object *cc;
};

/**
 * struct mrc_binding_change - change of a binding
 * @profile: name of an EV profile, "": none; NULL: no change
 * @cc: likewise of a CC profile
 */
struct mrc_binding_change {
	const char *profile;
	const char *cc;
};

int mrc_binding_set(struct mrc_pm *pm, struct mrc_binding *b,
		    const struct mrc_binding_change *change, bool v4,
		    struct netlink_ext_ack *extack);
int mrc_binding_check(struct mrc_pm *pm, const struct mrc_binding *b, bool v4,
		      struct netlink_ext_ack *extack);
void mrc_binding_clear(struct mrc_pm *pm, struct mrc_binding *b);
void mrc_binding_names(struct mrc_pm *pm, const struct mrc_binding *b,
		       char profile[MRC_OBJECT_NAME_MAX],
		       char cc[MRC_OBJECT_NAME_MAX]);

#endif /* MRC_PATH_BINDING_H */
