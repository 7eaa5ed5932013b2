// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of a connection that MRC has and verbs have not: what they change.
 */
#include <linux/bits.h>
#include <linux/log2.h>
#include "core/requester.h"
#include "core/responder.h"
#include "net/conn_opts.h"

static bool mrc_conn_opts_has(const struct mrc_conn_opts *opts,
			      enum mrc_conn_opt opt)
{
	return opts->set & BIT(opt);
}

static u32 mrc_conn_opts_get(const struct mrc_conn_opts *opts,
			     enum mrc_conn_opt opt, u32 otherwise)
{
	return mrc_conn_opts_has(opts, opt) ? opts->value[opt] : otherwise;
}

/**
 * mrc_conn_opts_merge() - set some attributes
 * @opts: attributes
 * @change: those that are to be set
 */
void mrc_conn_opts_merge(struct mrc_conn_opts *opts,
			 const struct mrc_conn_opts *change)
{
	u32 i;

	opts->set |= change->set;
	for (i = 0; i < MRC_CONN_OPTS; i++) {
		if (change->set & BIT(i))
			opts->value[i] = change->value[i];
	}
}

/* Rings of packets have a power of two of entries. */
static u32 mrc_conn_opts_ring(u32 mpr)
{
	return roundup_pow_of_two(mpr);
}

/**
 * mrc_conn_opts_req() - apply attributes to a requester
 * @opts: attributes
 * @cfg: configuration from verbs and CC profile; those attributes that are set are
 *	changed
 *
 * Who sets the PSN window knows that of the peer, so nothing needs to be announced.
 */
void mrc_conn_opts_req(const struct mrc_conn_opts *opts,
		       struct mrc_req_cfg *cfg)
{
	u32 mpr = opts->value[MRC_CONN_OPT_MPR];
	u32 code = opts->value[MRC_CONN_OPT_TIMEOUT];

	if (mrc_conn_opts_has(opts, MRC_CONN_OPT_TIMEOUT))
		cfg->timeout_ns = MRC_TIMEOUT_NS(code);
	cfg->linear_cnt = mrc_conn_opts_get(opts, MRC_CONN_OPT_LINEAR,
					    cfg->linear_cnt);
	cfg->exp_cnt = mrc_conn_opts_get(opts, MRC_CONN_OPT_EXP, cfg->exp_cnt);
	if (mrc_conn_opts_has(opts, MRC_CONN_OPT_MPR)) {
		cfg->mpr = mrc_conn_opts_ring(mpr);
		cfg->mpr_limit = mpr;
		cfg->dynamic_mpr = false;
	}
	cfg->max_wimm = mrc_conn_opts_get(opts, MRC_CONN_OPT_WIMM,
					  cfg->max_wimm);
	cfg->dynamic_mpr = mrc_conn_opts_get(opts, MRC_CONN_OPT_DYNAMIC_MPR,
					     cfg->dynamic_mpr);
	cfg->svc_time = mrc_conn_opts_get(opts, MRC_CONN_OPT_SVC_TIME,
					  cfg->svc_time);
}

/**
 * mrc_conn_opts_rsp() - apply attributes to a responder
 * @opts: attributes
 * @cfg: configuration from verbs and CC profile; those attributes that are set are
 *	changed
 */
void mrc_conn_opts_rsp(const struct mrc_conn_opts *opts,
		       struct mrc_rsp_cfg *cfg)
{
	u32 mpr = opts->value[MRC_CONN_OPT_MPR_DEST];

	if (mrc_conn_opts_has(opts, MRC_CONN_OPT_MPR_DEST)) {
		cfg->mpr = mrc_conn_opts_ring(mpr);
		cfg->mpr_limit = mpr;
		cfg->dynamic_mpr = false;
	}
	cfg->max_wimm = mrc_conn_opts_get(opts, MRC_CONN_OPT_WIMM_DEST,
					  cfg->max_wimm);
	cfg->no_trim_nack = !mrc_conn_opts_get(opts, MRC_CONN_OPT_TRIM_NACK,
					       !cfg->no_trim_nack);
	cfg->dynamic_mpr = mrc_conn_opts_get(opts, MRC_CONN_OPT_DYNAMIC_MPR,
					     cfg->dynamic_mpr);
	cfg->svc_time = mrc_conn_opts_get(opts, MRC_CONN_OPT_SVC_TIME_DEST,
					  cfg->svc_time);
}
