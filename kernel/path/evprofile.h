/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV profiles of a device: the paths to all destinations that refer to the
 * profile.
 */
#ifndef MRC_PATH_EVPROFILE_H
#define MRC_PATH_EVPROFILE_H

#include "core/profile.h"
#include "path/object.h"

struct mrc_evformat;

/**
 * enum mrc_evprofile_event - changes of paths that are reported to the operator
 * @MRC_EVPROFILE_GOOD: a path that was assumed bad is usable again
 * @MRC_EVPROFILE_ASSUMED_BAD: a path is assumed bad
 * @MRC_EVPROFILE_EVENTS: all
 */
enum mrc_evprofile_event {
	MRC_EVPROFILE_GOOD = 1 << 0,
	MRC_EVPROFILE_ASSUMED_BAD = 1 << 1,
	MRC_EVPROFILE_EVENTS = MRC_EVPROFILE_GOOD | MRC_EVPROFILE_ASSUMED_BAD,
};

/**
 * struct mrc_evprofile_ev - one EV of a profile
 * @ev: the EV as in the control API
 * @out: expanded EV, as packets carry it
 * @value: the 32-bit value that the peer reflects
 * @set: the EV exists; EXPLICIT profiles are created without EVs
 * @denied: forbidden by the operator
 */
struct mrc_evprofile_ev {
	struct mrc_profile_ev ev;
	struct mrc_bitstr out;
	u32 value;
	bool set;
	bool denied;
};

/**
 * struct mrc_evprofile - an EV profile
 * @obj: name, state, and references of destinations
 * @cfg: parameters; checked unless it is in state INIT
 * @fmt: its format, with a reference; NULL: none
 * @packet: payload bytes of the packets that its paths must carry; 0: as many
 *	as the ports can carry
 * @evs: @cfg.count EVs; NULL in state INIT and if AUTO; under the path
 *	manager's lock
 * @srv6: packets have an outer header; under the same lock
 * @width: bits of an expanded EV; likewise
 * @events: enum mrc_evprofile_event; likewise
 */
struct mrc_evprofile {
	struct mrc_object obj;
	struct mrc_profile cfg;
	struct mrc_evformat *fmt;
	u32 packet;
	struct mrc_evprofile_ev *evs;
	bool srv6;
	u16 width;
	u8 events;
};

/**
 * struct mrc_evprofile_change - change of a profile
 * @has_mode: @cfg.mode is given
 * @has_count: @cfg.count is given
 * @has_active: @cfg.active is given
 * @has_min_active: @cfg.min_active is given
 * @has_seed: @cfg.seed is given
 * @has_fields: the fields of @cfg are given
 * @has_packet: @packet is given
 * @has_events: @events is given
 * @has_life: @life is given
 * @life: enum mrc_life, unchecked
 * @events: enum mrc_evprofile_event
 * @packet: as in &struct mrc_evprofile
 * @format: name of the format, or NULL: not given
 * @cfg: new parameters, as far as given
 */
struct mrc_evprofile_change {
	bool has_mode;
	bool has_count;
	bool has_active;
	bool has_min_active;
	bool has_seed;
	bool has_fields;
	bool has_packet;
	bool has_events;
	bool has_life;
	u8 life;
	u8 events;
	u32 packet;
	const char *format;
	struct mrc_profile cfg;
};

/**
 * struct mrc_evprofile_edit - change of one EV
 * @index: index of the EV
 * @has_ev: @ev is given
 * @has_denied: @denied is given
 * @denied: forbid or permit the EV
 * @ev: replacement of the EV
 * @ret: result: 0 or a negative errno
 * @why: result: the reason of a negative errno
 */
struct mrc_evprofile_edit {
	u32 index;
	bool has_ev;
	bool has_denied;
	bool denied;
	struct mrc_profile_ev ev;
	int ret;
	struct mrc_refusal why;
};

static inline struct mrc_evprofile *mrc_evprofile_of(struct mrc_object *obj)
{
	return container_of(obj, struct mrc_evprofile, obj);
}

int mrc_evprofile_add(struct mrc_pm *pm, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_evprofile_set(struct mrc_pm *pm, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_evprofile_edit(struct mrc_pm *pm, const char *name,
		       struct mrc_evprofile_edit *edits, u16 n,
		       struct netlink_ext_ack *extack);
int mrc_evprofile_find(struct mrc_pm *pm, const char *name,
		       struct mrc_object **obj,
		       struct netlink_ext_ack *extack);
int mrc_evprofile_del(struct mrc_pm *pm, const char *name,
		      struct netlink_ext_ack *extack);
void mrc_evprofile_free_evs(struct mrc_object *obj);

#endif /* MRC_PATH_EVPROFILE_H */
