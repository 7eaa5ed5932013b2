/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * CC profiles of a NIC: how connections send.  A destination can name one, and
 * so can the device for all others; connections that run follow when either
 * changes.
 */
#ifndef MRC_NET_CCPROFILE_H
#define MRC_NET_CCPROFILE_H

#include <linux/in6.h>
#include "core/requester.h"
#include "net/object.h"

struct mrc_lb_ops;

/**
 * enum mrc_ccparam - a number in a profile, in the order of the netlink family
 * @MRC_CCPARAM_WINDOW: bytes; the window of "fixed", the largest one of NSCC
 * @MRC_CCPARAM_RATE: Mb/s of a port, of which NSCC makes its usual values
 * @MRC_CCPARAM_BASE_RTT: ns, round trip of the empty network, likewise
 * @MRC_CCPARAM_TRIMS: 1: switches trim packets instead of dropping, likewise
 * @MRC_CCPARAM_TARGET_DELAY: ns; this and what follows up to DISABLE_QA is as in
 *	&struct mrc_nscc_cfg
 * @MRC_CCPARAM_JITTER: ns
 * @MRC_CCPARAM_FI: bytes
 * @MRC_CCPARAM_FI_SCALE: millionths
 * @MRC_CCPARAM_ETA: bytes
 * @MRC_CCPARAM_GAMMA: millionths
 * @MRC_CCPARAM_MAX_MD_JUMP: millionths
 * @MRC_CCPARAM_ADJUST_BYTES: bytes
 * @MRC_CCPARAM_ADJUST_PERIOD: ns
 * @MRC_CCPARAM_QA_THRESHOLD: ns; 0: no delay makes quick adapt run
 * @MRC_CCPARAM_QA_GATE: halvings
 * @MRC_CCPARAM_DISABLE_QA: 0 or 1
 * @MRC_CCPARAM_REO_PATH: ns; this and what follows is as in &struct mrc_req_cfg
 * @MRC_CCPARAM_REO_TIME: ns
 * @MRC_CCPARAM_TIMEOUT: code of MRC_TIMEOUT_NS(); this and the next two go
 *	before what the program has asked for
 * @MRC_CCPARAM_LINEAR: retransmission timeouts
 * @MRC_CCPARAM_EXP: retransmission timeouts
 * @MRC_CCPARAM_MPR: PSNs, no more than peers take without being asked; does not
 *	change while a connection sends
 * @MRC_CCPARAMS: number of them
 */
enum mrc_ccparam {
	MRC_CCPARAM_WINDOW,
	MRC_CCPARAM_RATE,
	MRC_CCPARAM_BASE_RTT,
	MRC_CCPARAM_TRIMS,
	MRC_CCPARAM_TARGET_DELAY,
	MRC_CCPARAM_JITTER,
	MRC_CCPARAM_FI,
	MRC_CCPARAM_FI_SCALE,
	MRC_CCPARAM_ETA,
	MRC_CCPARAM_GAMMA,
	MRC_CCPARAM_MAX_MD_JUMP,
	MRC_CCPARAM_ADJUST_BYTES,
	MRC_CCPARAM_ADJUST_PERIOD,
	MRC_CCPARAM_QA_THRESHOLD,
	MRC_CCPARAM_QA_GATE,
	MRC_CCPARAM_DISABLE_QA,
	MRC_CCPARAM_REO_PATH,
	MRC_CCPARAM_REO_TIME,
	MRC_CCPARAM_TIMEOUT,
	MRC_CCPARAM_LINEAR,
	MRC_CCPARAM_EXP,
	MRC_CCPARAM_MPR,
	MRC_CCPARAMS,
};

/**
 * struct mrc_ccprofile_cfg - what a profile says
 * @algo: algorithm; NULL: the usual one
 * @lb: load balancer; NULL: the usual one
 * @set: bits by enum mrc_ccparam: it says so; all others are as usual
 * @value: by enum mrc_ccparam
 */
struct mrc_ccprofile_cfg {
	const struct mrc_cc_ops *algo;
	const struct mrc_lb_ops *lb;
	u32 set;
	u32 value[MRC_CCPARAMS];
};

/**
 * struct mrc_ccprofile - a CC profile
 * @obj: its name, its state, destinations that name it and the device
 * @cfg: what it says; checked unless it is in state INIT
 */
struct mrc_ccprofile {
	struct mrc_object obj;
	struct mrc_ccprofile_cfg cfg;
};

/**
 * struct mrc_ccprofile_change - what is to become of a profile
 * @algo: name of the algorithm; "": the usual one; NULL: no change
 * @lb: name of the load balancer, likewise
 * @has_life: there is a state
 * @life: enum mrc_life, or anything
 * @given: bits by enum mrc_ccparam: change it
 * @set: of these: to @value; otherwise to what is usual
 * @value: by enum mrc_ccparam
 */
struct mrc_ccprofile_change {
	const char *algo;
	const char *lb;
	bool has_life;
	u8 life;
	u32 given;
	u32 set;
	u32 value[MRC_CCPARAMS];
};

/**
 * struct mrc_ccuse - how a connection sends
 * @ops: algorithm
 * @cc: its parameters
 * @lb: load balancer
 * @req: attributes of the requester
 */
struct mrc_ccuse {
	const struct mrc_cc_ops *ops;
	struct mrc_cc_cfg cc;
	const struct mrc_lb_ops *lb;
	struct mrc_req_cfg req;
};

static inline struct mrc_ccprofile *mrc_ccprofile_of(const struct mrc_object *o)
{
	return container_of(o, struct mrc_ccprofile, obj);
}

int mrc_ccprofile_add(struct mrc_nic *nic, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_set(struct mrc_nic *nic, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_del(struct mrc_nic *nic, const char *name,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_find(struct mrc_pm *pm, const char *name,
		       struct mrc_object **obj,
		       struct netlink_ext_ack *extack);
int mrc_ccprofile_default(struct mrc_nic *nic, const char *name,
			  struct netlink_ext_ack *extack);
void mrc_ccprofile_take(struct mrc_nic *nic, const struct in6_addr *dgid,
			const struct mrc_req_cfg *own, struct mrc_ccuse *use);

#endif /* MRC_NET_CCPROFILE_H */
