/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV profiles of a NIC: which paths there are, for all destinations that use
 * the profile.
 */
#ifndef MRC_NET_EVPROFILE_H
#define MRC_NET_EVPROFILE_H

#include "core/profile.h"
#include "net/object.h"

struct mrc_evformat;

/**
 * struct mrc_evprofile_ev - one EV of a profile
 * @ev: as the operator knows it
 * @out: expanded: what goes into a packet
 * @value: the 32-bit value that answers reflect
 * @set: there is one; EXPLICIT profiles begin without
 * @denied: forbidden
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
 * @obj: its name, its state, the destinations that refer to it
 * @cfg: what it is made of; checked unless it is in state INIT
 * @fmt: its format, on which it counts as a user; NULL: none
 * @packet: payload bytes of the packets that its paths must carry; 0: what the
 *	ports can
 * @evs: @cfg.count of them; NULL in state INIT and if AUTO; under the path
 *	manager's lock
 * @srv6: there is an outer header; under the same lock
 * @gen: grows with each change; under the same lock
 */
struct mrc_evprofile {
	struct mrc_object obj;
	struct mrc_profile cfg;
	struct mrc_evformat *fmt;
	u32 packet;
	struct mrc_evprofile_ev *evs;
	bool srv6;
	u32 gen;
};

/**
 * struct mrc_evprofile_change - what is to become of a profile
 * @has_mode: @cfg.mode is given
 * @has_count: @cfg.count is given
 * @has_active: @cfg.active is given
 * @has_min_active: @cfg.min_active is given
 * @has_seed: @cfg.seed is given
 * @has_fields: the fields of @cfg are given
 * @has_packet: @packet is given
 * @has_life: @life is given
 * @life: enum mrc_life, or anything
 * @packet: as in &struct mrc_evprofile
 * @format: name of the format, or NULL: not given
 * @cfg: what is given
 */
struct mrc_evprofile_change {
	bool has_mode;
	bool has_count;
	bool has_active;
	bool has_min_active;
	bool has_seed;
	bool has_fields;
	bool has_packet;
	bool has_life;
	u8 life;
	u32 packet;
	const char *format;
	struct mrc_profile cfg;
};

/**
 * struct mrc_evprofile_edit - what is to become of one EV
 * @index: which
 * @has_ev: @ev is given
 * @has_denied: @denied is given
 * @denied: forbid or permit it
 * @ev: another EV
 * @ret: result: 0 or a negative errno
 * @why: result: the reason
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

int mrc_evprofile_add(struct mrc_nic *nic, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_evprofile_set(struct mrc_nic *nic, const char *name,
		      const struct mrc_evprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_evprofile_edit(struct mrc_nic *nic, const char *name,
		       struct mrc_evprofile_edit *edits, u16 n,
		       struct netlink_ext_ack *extack);
int mrc_evprofile_del(struct mrc_nic *nic, const char *name,
		      struct netlink_ext_ack *extack);
void mrc_evprofile_free_evs(struct mrc_object *obj);

#endif /* MRC_NET_EVPROFILE_H */
