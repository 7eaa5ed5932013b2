/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV profiles.
 */
#ifndef LIBMRC_EVPROFILE_H
#define LIBMRC_EVPROFILE_H

#include "format.h"

/**
 * struct ev_slot - an entry of an EV profile
 * @set: it has an entropy value
 * @denied: the operator denied it
 * @bad: a queue pair assumes it bad
 * @value: as packets carry it
 * @bits: as the kernel has it: left-aligned
 * @port: of the path
 */
struct ev_slot {
	bool set;
	bool denied;
	bool bad;
	uint32_t value;
	uint8_t bits[MRC_EV_LEN];
	uint8_t port;
};

/**
 * struct ev_profile - an EV profile
 * @found: the kernel has it
 * @state: enum mrc_object_state
 * @kind: enum mrc_profile_kind
 * @format: name of its format
 * @count: number of entries
 * @min_active: paths that are not assumed bad
 * @events: enum mrc_ev_event
 * @n: number of fields
 * @field: fields
 * @slot: entries
 * @width: bits of an entropy value
 * @srv6: whether they are addresses
 */
struct ev_profile {
	bool found;
	uint32_t state;
	uint32_t kind;
	char format[MRC_NAME_MAX];
	uint32_t count;
	uint32_t min_active;
	uint32_t events;
	uint32_t n;
	struct mrc_ctl_ev_field field[MRC_FIELDS_MAX];
	struct ev_slot slot[MRC_EVS_MAX];
	uint32_t width;
	bool srv6;
};

/* Read a profile; that there is none is no error.  0 or an errno. */
int evprofile_get(struct genl *g, const char *name, bool evs,
		  struct ev_profile *p);

/* Entropy values of the API and of the kernel. */
int ev_to_bits(const struct ev_profile *p, const struct mrc_ctl_ev *ev,
	       uint8_t bits[MRC_EV_LEN]);
void ev_from_slot(const struct ev_profile *p, const struct ev_slot *slot,
		  struct mrc_ctl_ev *ev);

/* Operations on entries: 0 or an errno. */
bool evop_is_query(enum mrc_ctl_ev_op op);
int evop_check(const struct mrc_ctl_ev_profile_attr *attr, bool change);
int evop_change(struct genl *g, const char *name,
		struct mrc_ctl_ev_profile_attr *attr);
int evop_query(struct genl *g, const char *name,
	       struct mrc_ctl_ev_profile_attr *attr);

#endif /* LIBMRC_EVPROFILE_H */
