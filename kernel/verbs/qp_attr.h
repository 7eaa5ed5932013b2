/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of queue pairs that MRC has and verbs have not: in which states and ranges
 * they can be set, and what is in effect.
 */
#ifndef MRC_VERBS_QP_ATTR_H
#define MRC_VERBS_QP_ATTR_H

#include "core/requester.h"
#include "core/responder.h"
#include "core/wire.h"
#include "net/conn_opts.h"
#include "path/binding.h"

struct mrc_qp;
struct netlink_ext_ack;

/* Ranges; the smallest PSN window is the smallest that can be announced. */
enum mrc_qp_attr_limits {
	MRC_QP_MPR_MIN = MRC_MPR_UNIT,
	MRC_QP_MPR_MAX = MRC_MPR_MAX,
	MRC_QP_WIMM_MAX = MRC_WIMM_DEST_MAX,
	MRC_QP_PROTOCOL = 1,		/* bit 0: version 1.0 */
};

/**
 * struct mrc_qp_change - change of attributes
 * @opts: values
 * @bind: profiles
 */
struct mrc_qp_change {
	struct mrc_conn_opts opts;
	struct mrc_binding_change bind;
};

/**
 * struct mrc_qp_state_attrs - attributes of a queue pair
 * @set: bits by enum mrc_conn_opt of attributes that have been set since RESET
 * @value: values in effect, or that will be as far as is known
 * @profile: name of the EV profile, "": that of the destination
 * @cc: name of the CC profile, "": that of the destination or device
 */
struct mrc_qp_state_attrs {
	u32 set;
	u32 value[MRC_CONN_OPTS];
	char profile[MRC_OBJECT_NAME_MAX];
	char cc[MRC_OBJECT_NAME_MAX];
};

int mrc_qp_set_attrs(struct mrc_qp *qp, const struct mrc_qp_change *change,
		     struct netlink_ext_ack *extack);
int mrc_qp_get_attrs(struct mrc_qp *qp, struct mrc_qp_state_attrs *attrs);

#endif /* MRC_VERBS_QP_ATTR_H */
