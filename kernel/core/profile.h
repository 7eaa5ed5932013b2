/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV profiles: the set of EVs (control API; MRC 1.0 chapter 9).
 *
 * An EV in the control API contains only the bits that differ between paths.
 * The fields of the profile define how it is expanded to the bits that the EV
 * format puts into a packet.
 */
#ifndef MRC_CORE_PROFILE_H
#define MRC_CORE_PROFILE_H

#include <linux/types.h>

#include "core/bitstr.h"
#include "core/ev.h"
#include "core/format.h"

/**
 * enum mrc_profile_mode - where EVs come from
 * @MRC_PROFILE_AUTO: generated per connection; no format, no fields
 * @MRC_PROFILE_EXPLICIT: listed by the operator
 * @MRC_PROFILE_GENERATED: generated from the ranges of the fields
 * @MRC_PROFILE_NR: number of modes
 */
enum mrc_profile_mode {
	MRC_PROFILE_AUTO,
	MRC_PROFILE_EXPLICIT,
	MRC_PROFILE_GENERATED,
	MRC_PROFILE_NR,
};

/**
 * struct mrc_field - one field of an EV, and how it is expanded
 * @init_val: value of the bits that are not in @mask
 * @min_val: smallest number in the bits of @mask, for generated EVs
 * @max_val: largest number in the bits of @mask, for generated EVs; if both are
 *	0, all numbers that these bits can have
 * @mask: bits of the value that are taken from the EV
 * @width: width of the value in bits
 */
struct mrc_field {
	u32 init_val;
	u32 min_val;
	u32 max_val;
	u32 mask;
	u8 width;
};

/**
 * struct mrc_profile - an EV profile
 * @mode: enum mrc_profile_mode
 * @n_fields: number of fields
 * @count: number of EVs
 * @active: number of EVs that a QP has in rotation; 0: all
 * @min_active: number of active EVs at which none is set to ASSUMED_BAD any
 *	more; 0: one per plane
 * @seed: of generated EVs
 * @field: the fields, in the order of those of the format
 */
struct mrc_profile {
	u8 mode;
	u8 n_fields;
	u16 count;
	u16 active;
	u16 min_active;
	u64 seed;
	struct mrc_field field[MRC_FORMAT_FIELDS];
};

/**
 * struct mrc_profile_ev - an EV as in the control API
 * @bits: the EV; unused bits are zero
 * @plane: plane, 1..MRC_PLANE_MAX
 */
struct mrc_profile_ev {
	struct mrc_bitstr bits;
	u8 plane;
};

int mrc_profile_check(const struct mrc_profile *prof,
		      const struct mrc_format *fmt, u32 ports,
		      struct mrc_refusal *why);
u16 mrc_profile_ev_width(const struct mrc_profile *prof);
int mrc_profile_check_ev(const struct mrc_profile *prof,
			 const struct mrc_profile_ev *ev, u32 ports,
			 struct mrc_refusal *why);
void mrc_profile_generate(const struct mrc_profile *prof,
			  const struct mrc_format *fmt, u32 ports, u16 n,
			  struct mrc_profile_ev *ev);
void mrc_profile_expand(const struct mrc_profile *prof,
			const struct mrc_format *fmt,
			const struct mrc_bitstr *ev, struct mrc_bitstr *out);
u32 mrc_profile_value(const struct mrc_profile *prof,
		      const struct mrc_format *fmt, u16 n,
		      const struct mrc_profile_ev *ev);

#endif /* MRC_CORE_PROFILE_H */
