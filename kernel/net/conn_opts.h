/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of a connection that MRC has and verbs have not.  They are set by the
 * application, or by the operator, and take precedence over those of verbs and of CC
 * profiles.
 */
#ifndef MRC_NET_CONN_OPTS_H
#define MRC_NET_CONN_OPTS_H

#include <linux/types.h>

struct mrc_req_cfg;
struct mrc_rsp_cfg;

/**
 * enum mrc_conn_opt - attributes
 * @MRC_CONN_OPT_TIMEOUT: code of MRC_TIMEOUT_NS(), 1..MRC_TIMEOUT_MAX
 * @MRC_CONN_OPT_LINEAR: as &struct mrc_req_cfg.linear_cnt
 * @MRC_CONN_OPT_EXP: as &struct mrc_req_cfg.exp_cnt
 * @MRC_CONN_OPT_MPR: PSN window of the requester, MRC_MPR_UNIT..MRC_MPR_MAX
 * @MRC_CONN_OPT_WIMM: as &struct mrc_req_cfg.max_wimm
 * @MRC_CONN_OPT_MPR_DEST: PSN window of the responder, likewise
 * @MRC_CONN_OPT_WIMM_DEST: as &struct mrc_rsp_cfg.max_wimm
 * @MRC_CONN_OPT_TRIM_NACK: 0 or 1: the responder sends NACKs of trimmed packets
 * @MRC_CONN_OPT_DYNAMIC_MPR: 0 or 1: of requester and responder
 * @MRC_CONN_OPT_SVC_TIME: 0 or 1: of the requester
 * @MRC_CONN_OPT_SVC_TIME_DEST: 0 or 1: of the responder
 * @MRC_CONN_OPTS: number of attributes
 *
 * Those of the requester come first up to WIMM; the others are those of the responder.
 */
enum mrc_conn_opt {
	MRC_CONN_OPT_TIMEOUT,
	MRC_CONN_OPT_LINEAR,
	MRC_CONN_OPT_EXP,
	MRC_CONN_OPT_MPR,
	MRC_CONN_OPT_WIMM,
	MRC_CONN_OPT_MPR_DEST,
	MRC_CONN_OPT_WIMM_DEST,
	MRC_CONN_OPT_TRIM_NACK,
	MRC_CONN_OPT_DYNAMIC_MPR,
	MRC_CONN_OPT_SVC_TIME,
	MRC_CONN_OPT_SVC_TIME_DEST,
	MRC_CONN_OPTS,
};

/**
 * struct mrc_conn_opts - attributes of a connection
 * @set: bits by enum mrc_conn_opt: the attribute is set
 * @value: the values
 */
struct mrc_conn_opts {
	u32 set;
	u32 value[MRC_CONN_OPTS];
};

void mrc_conn_opts_merge(struct mrc_conn_opts *opts,
			 const struct mrc_conn_opts *change);
void mrc_conn_opts_req(const struct mrc_conn_opts *opts,
		       struct mrc_req_cfg *cfg);
void mrc_conn_opts_rsp(const struct mrc_conn_opts *opts,
		       struct mrc_rsp_cfg *cfg);

#endif /* MRC_NET_CONN_OPTS_H */
