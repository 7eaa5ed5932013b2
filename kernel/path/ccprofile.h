/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * CC profiles of a device: congestion control, load balancer and retries of
 * connections.  A destination can refer to one; the device can refer to one for
 * all other destinations.  Changes take effect on existing connections.
 */
#ifndef MRC_PATH_CCPROFILE_H
#define MRC_PATH_CCPROFILE_H

#include <linux/in6.h>
#include "core/requester.h"
#include "path/object.h"

struct mrc_binding;
struct mrc_lb_ops;
struct mrc_rsp_cfg;

/**
 * enum mrc_ccparam - parameters of a profile, in the order of the netlink
 *	family
 * @MRC_CCPARAM_WINDOW: bytes; cwnd of "fixed", maximum cwnd of NSCC
 * @MRC_CCPARAM_RATE: Mb/s that a QP can reach over all ports, from which defaults
 *	of NSCC are derived
 * @MRC_CCPARAM_BASE_RTT: ns, round trip of the idle network, likewise
 * @MRC_CCPARAM_TRIMS: 1: switches trim packets instead of dropping, likewise
 * @MRC_CCPARAM_TARGET_DELAY: ns; this and the following up to DISABLE_QA are as
 *	in &struct mrc_nscc_cfg
 * @MRC_CCPARAM_JITTER: ns
 * @MRC_CCPARAM_FI: bytes
 * @MRC_CCPARAM_FI_SCALE: millionths
 * @MRC_CCPARAM_ETA: bytes
 * @MRC_CCPARAM_GAMMA: millionths
 * @MRC_CCPARAM_MAX_MD_JUMP: millionths
 * @MRC_CCPARAM_ADJUST_BYTES: bytes
 * @MRC_CCPARAM_ADJUST_PERIOD: ns
 * @MRC_CCPARAM_QA_THRESHOLD: ns; 0: no delay triggers quick adapt
 * @MRC_CCPARAM_QA_GATE: halvings
 * @MRC_CCPARAM_DISABLE_QA: 0 or 1
 * @MRC_CCPARAM_REO_WND_PATH: ns, reordering window reo_wnd_path; this and the
 *	following are as in &struct mrc_req_cfg
 * @MRC_CCPARAM_REO_WND_ANY: ns, reordering window reo_wnd_any
 * @MRC_CCPARAM_TIMEOUT: code of MRC_TIMEOUT_NS(); this and the next two
 *	override the attributes that the application has set
 * @MRC_CCPARAM_LINEAR: number of linear retries
 * @MRC_CCPARAM_EXP: number of exponential retries
 * @MRC_CCPARAM_MPR: PSN window in PSNs; more than MRC_MPR_DEFAULT is announced to
 *	peers, and used where they announce it; a change does not affect connections
 *	that exist already
 * @MRC_CCPARAM_NACK_RETRY: 0 or 1: NACKs draw on the retries
 * @MRC_CCPARAMS: number of parameters
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
	MRC_CCPARAM_REO_WND_PATH,
	MRC_CCPARAM_REO_WND_ANY,
	MRC_CCPARAM_TIMEOUT,
	MRC_CCPARAM_LINEAR,
	MRC_CCPARAM_EXP,
	MRC_CCPARAM_MPR,
	MRC_CCPARAM_NACK_RETRY,
	MRC_CCPARAMS,
};

/**
 * struct mrc_ccprofile_cfg - content of a profile
 * @algo: algorithm; NULL: default
 * @lb: load balancer; NULL: default
 * @set: bits by enum mrc_ccparam: parameter is set; others have their defaults
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
 * @obj: name, state, and references of destinations and of the device
 * @cfg: content; checked unless it is in state INIT
 */
struct mrc_ccprofile {
	struct mrc_object obj;
	struct mrc_ccprofile_cfg cfg;
};

/**
 * struct mrc_ccprofile_change - change of a profile
 * @algo: name of the algorithm; "": default; NULL: no change
 * @lb: name of the load balancer, likewise
 * @has_life: @life is given
 * @life: enum mrc_life, unchecked
 * @given: bits by enum mrc_ccparam: parameter is to be changed
 * @set: of these: bit set: to @value; otherwise to the default
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
 * struct mrc_cc_setup - congestion control and attributes of a connection
 * @ops: algorithm
 * @cc: parameters of the algorithm
 * @lb: load balancer
 * @req: attributes of the requester
 */
struct mrc_cc_setup {
	const struct mrc_cc_ops *ops;
	struct mrc_cc_cfg cc;
	const struct mrc_lb_ops *lb;
	struct mrc_req_cfg req;
};

static inline struct mrc_ccprofile *mrc_ccprofile_of(const struct mrc_object *o)
{
	return container_of(o, struct mrc_ccprofile, obj);
}

int mrc_ccprofile_add(struct mrc_pm *pm, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_set(struct mrc_pm *pm, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_del(struct mrc_pm *pm, const char *name,
		      struct netlink_ext_ack *extack);
int mrc_ccprofile_find(struct mrc_pm *pm, const char *name,
		       struct mrc_object **obj,
		       struct netlink_ext_ack *extack);
int mrc_ccprofile_default(struct mrc_pm *pm, const char *name,
			  struct netlink_ext_ack *extack);
void mrc_ccprofile_resolve(struct mrc_pm *pm, const struct in6_addr *dgid,
			   const struct mrc_binding *b,
			   const struct mrc_req_cfg *own,
			   struct mrc_cc_setup *use);
void mrc_ccprofile_resolve_rsp(struct mrc_pm *pm, const struct in6_addr *dgid,
			       const struct mrc_binding *b,
			       struct mrc_rsp_cfg *cfg);

#endif /* MRC_PATH_CCPROFILE_H */
