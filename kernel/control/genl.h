/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generic netlink family "mrc": what its commands share. The commands are
 * declared in netlink_gen.h.
 */
#ifndef MRC_CONTROL_GENL_H
#define MRC_CONTROL_GENL_H

#include <linux/in6.h>
#include <net/genetlink.h>

#include "compat/extack.h"
#include "compat/genl.h"
#include "control/netlink_gen.h"
#include "core/ev.h"

struct mrc_device;
struct mrc_nic;
struct mrc_sid;

/**
 * struct mrc_genl_pos - where an interrupted dump goes on; in &netlink_callback
 * @dev: devices that have been dumped
 * @phase: kind of paths that is being dumped
 * @qpn: QP to begin with, if it still exists
 * @id: object that was dumped last, or slot of the table of destinations, or bucket
 *	of that of peers
 * @slot: first path of the destination or QP, first EV of the profile, first
 *	deny rule, first peer of the bucket that has not been dumped
 * @begun: @gid is valid
 * @gid: destination that was dumped last, at least in part
 */
struct mrc_genl_pos {
	u32 dev;
	u8 phase;
	u32 qpn;
	u32 id;
	u16 slot;
	bool begun;
	struct in6_addr gid;
};

/**
 * struct mrc_genl_dump - one call of a dump
 * @skb: message under construction
 * @cb: state of the dump
 * @tb: attributes of the request, up to the last in its list
 * @pos: where to go on, in @cb
 * @i: number of the device that is being dumped
 */
struct mrc_genl_dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct nlattr **tb;
	struct mrc_genl_pos *pos;
	u32 i;
};

/**
 * struct mrc_genl_counter - a counter of QPs
 * @attr: MRC_A_QP_COUNTERS_*
 * @value: its value
 */
struct mrc_genl_counter {
	int attr;
	u64 value;
};

struct mrc_device *mrc_genl_device(struct genl_info *info, int attr);
int mrc_genl_require(struct genl_info *info, int attr, const char *what);
int mrc_genl_dump(struct sk_buff *skb, struct netlink_callback *cb, int dev_attr,
		  int (*fn)(struct mrc_device *dev, struct mrc_genl_dump *d));
void *mrc_genl_dump_begin(struct mrc_genl_dump *d, u8 cmd);
u32 mrc_genl_port_state(const struct mrc_nic *nic, u8 port);
u32 mrc_genl_ev_state(u8 state);
u32 mrc_genl_path_state(const struct mrc_ev_set *evs, u16 i);
int mrc_genl_put_sid(struct sk_buff *skb, const struct mrc_sid *sid, int dst,
		     int srh);
int mrc_genl_put_qp_counters(struct sk_buff *skb, int nest_attr,
			     const struct mrc_genl_counter *counters, size_t n);
int mrc_genl_put_ev_stats(struct sk_buff *skb, const struct mrc_ev_stats *s);

/* Events. */
void mrc_genl_events(struct mrc_nic *nic);

int mrc_genl_init(void);
void mrc_genl_exit(void);

#endif /* MRC_CONTROL_GENL_H */
