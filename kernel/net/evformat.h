/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV format profiles of a NIC.
 */
#ifndef MRC_NET_EVFORMAT_H
#define MRC_NET_EVFORMAT_H

#include "core/format.h"
#include "net/object.h"

/**
 * struct mrc_evformat - a format profile
 * @obj: its name, its state, the profiles that refer to it
 * @fmt: the format; checked unless it is in state INIT
 */
struct mrc_evformat {
	struct mrc_object obj;
	struct mrc_format fmt;
};

/**
 * struct mrc_evformat_change - what is to become of a format
 * @has_mode: @fmt.mode is given
 * @has_fields: the fields of @fmt are given
 * @has_life: @life is given
 * @life: enum mrc_life, or anything
 * @fmt: what is given
 */
struct mrc_evformat_change {
	bool has_mode;
	bool has_fields;
	bool has_life;
	u8 life;
	struct mrc_format fmt;
};

int mrc_evformat_add(struct mrc_nic *nic, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack);
int mrc_evformat_set(struct mrc_nic *nic, const char *name,
		     const struct mrc_evformat_change *change,
		     struct netlink_ext_ack *extack);
int mrc_evformat_del(struct mrc_nic *nic, const char *name,
		     struct netlink_ext_ack *extack);

#endif /* MRC_NET_EVFORMAT_H */
