/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The path manager of one device: its configuration by the operator.  It does
 * not depend on net_devices and connections; the net layer gives it access to
 * them by struct mrc_pm_ops.
 */
#ifndef MRC_PATH_PM_H
#define MRC_PATH_PM_H

#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include "core/deny.h"
#include "core/lpm.h"
#include "path/object.h"

struct mrc_flow;
struct mrc_pm;
struct mrc_refusal;

/* Maximum deny rules. */
#define MRC_PM_DENIES 256

/*
 * Maximum slots for explicit paths, of all peers together: some 100 MB.  A peer
 * takes 16 and twice as many whenever it needs more.
 */
#define MRC_PM_EXPLICIT_SLOTS 0x100000U

/**
 * struct mrc_pm_ops - access of a path manager to ports and connections
 * @paths_changed: paths to the peers of prefix @key have changed, or to all
 *	peers if @key is NULL; when it returns, no connection uses a former path
 *	any more.  Process context, no lock of the path manager held; may sleep
 * @ports_up: return the ports that can send: bit p-1 for port p.  Any context
 * @mbps: return the sum of the speeds of these, Mb/s; 0: not known.  Any context
 * @check_ports: check that all ports can carry @packet bytes of payload (0: the
 *	minimum): 0, or -EINVAL with the reason in @why.  Process context,
 *	@mutex of the path manager held
 * @check_route: likewise for the route of @flow, whose source may be
 *	unspecified.  A flow without a route is accepted.  Process context,
 *	@mutex of the path manager held
 */
struct mrc_pm_ops {
	void (*paths_changed)(struct mrc_pm *pm, const struct mrc_lpm_key *key);
	u32 (*ports_up)(const struct mrc_pm *pm);
	u32 (*mbps)(const struct mrc_pm *pm);
	int (*check_ports)(const struct mrc_pm *pm, u32 packet,
			   struct mrc_refusal *why);
	int (*check_route)(struct mrc_pm *pm, const struct mrc_flow *flow,
			   u32 packet, struct mrc_refusal *why);
};

/**
 * struct mrc_pm - path manager of a device
 * @ops: functions of the net layer; never changes
 * @n_ports: ports of the device, 1..MRC_PLANE_MAX; never changes
 * @mutex: serialises changes, except those of @explicit; its holder may read
 *	everything that is written under @lock
 * @lock: protects what connections look up: @at, the parts of objects that
 *	their kernel-doc names, @dests, @deny, @n_deny, @cc; BH-safe, no other
 *	lock is taken inside; written with @mutex held too
 * @objects: objects by kind; under @mutex
 * @next_id: of the next object; under @mutex
 * @at: objects by kind and index - 1; read under @lock or @mutex, written under
 *	both
 * @dests: destinations: the entries contain the index of a profile, that of a
 *	template or 0, that of a CC profile or 0, and the number of the
 *	destination in its template; read under @lock or @mutex, written under
 *	both
 * @dests_gen: incremented when entries of @dests may have moved; never 0; under
 *	@mutex
 * @deny: deny rules; read under @lock or @mutex, written under both
 * @n_deny: number of deny rules; likewise
 * @cc: CC profile of connections whose destination has none, or NULL; its name
 *	never changes; read under @lock or @mutex, written under both
 * @explicit: explicit paths by peer, see path/explicit.h; under @explicit_lock
 * @explicit_slots: number of slots in @explicit; likewise
 * @explicit_lock: protects @explicit and references on its entries; BH-safe,
 *	outside of &struct mrc_explicit.lock; never nests with @mutex or @lock
 */
struct mrc_pm {
	const struct mrc_pm_ops *ops;
	u8 n_ports;
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
	struct rb_root explicit;
	u32 explicit_slots;
	spinlock_t explicit_lock; /* explicit paths */
};

int mrc_pm_init(struct mrc_pm *pm, const struct mrc_pm_ops *ops, u8 n_ports);
void mrc_pm_exit(struct mrc_pm *pm);

#endif /* MRC_PATH_PM_H */
