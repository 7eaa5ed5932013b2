/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV formats of a device.
 */
#ifndef MRC_PATH_EVFORMAT_H
#define MRC_PATH_EVFORMAT_H

#include "core/format.h"
#include "path/object.h"

/**
 * struct mrc_evformat - an EV format
 * @obj: name, state, and references of profiles
 * @fmt: the format; checked unless it is in state INIT
 */
struct mrc_evformat {
	struct mrc_object obj;
	struct mrc_format fmt;
};

/**
 * struct mrc_evformat_change - change of a format
 * @has_mode: @fmt.mode is given
 * @has_fields: the fields of @fmt are given
 * @has_life: @life is given
 * @life: enum mrc_life, unchecked
 * @fmt: new mode and fields, as far as given
 */
struct mrc_evformat_change {
	bool has_mode;
	bool has_fields;
	bool has_life;
	u8 life;
	struct mrc_format fmt;
};

int mrc_evformat_add(struct mrc_pm *pm, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack);
int mrc_evformat_set(struct mrc_pm *pm, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack);
int mrc_evformat_del(struct mrc_pm *pm, const char *name,
		     struct netlink_ext_ack *extack);

#endif /* MRC_PATH_EVFORMAT_H */
