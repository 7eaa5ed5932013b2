// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: CC profiles.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"

#define CC_MASK                                                               \
	((unsigned int)MRC_CTL_CC_PROFILE_STATE |                             \
	 MRC_CTL_CC_PROFILE_CUR_STATE | MRC_CTL_CC_PROFILE_ALGORITHM |        \
	 MRC_CTL_CC_PROFILE_CONFIG |                                          \
	 (unsigned int)MRC_CTL_CC_PROFILE_VENDOR_CFG)

#define ALGORITHM_NSCC "uet-1.0-nscc"
#define KERNEL_NSCC "nscc"
#define KERNEL_NONE "none"

/* The kernel has fractions in millionths. */
#define MILLIONTHS 1000000.0f

/**
 * struct cc_profile - a CC profile
 * @found: the kernel has it
 * @state: enum mrc_object_state
 * @algorithm: in the kernel; "": the default, which is NSCC
 * @param: by MRC_A_CC_*; 0 if it is not set
 */
struct cc_profile {
	bool found;
	uint32_t state;
	char algorithm[MRC_NAME_MAX];
	uint32_t param[MRC_A_CC_MAX + 1];
};

static int on_cc(const struct nlmsghdr *nlh, void *arg)
{
	struct cc_profile *p = arg;
	const struct nlattr *attr;
	int type;

	p->found = true;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		type = mnl_attr_get_type(attr);
		if (type == MRC_A_CC_STATE)
			p->state = nl_u32(attr);
		else if (type == MRC_A_CC_ALGORITHM)
			snprintf(p->algorithm, sizeof(p->algorithm), "%s",
				 nl_string(attr));
		else if (type <= MRC_A_CC_MAX)
			p->param[type] = nl_u32(attr);
	}
	return MNL_CB_OK;
}

static int cc_get(struct genl *g, uint64_t id, struct cc_profile *p)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_CC_GET, true, MRC_A_CC_DEV);
	char name[MRC_NAME_MAX];

	memset(p, 0, sizeof(*p));
	profile_name(id, name);
	mnl_attr_put_strz(nlh, MRC_A_CC_NAME, name);
	return genl_talk(g, nlh, on_cc, p);
}

/* --- changes ------------------------------------------------------------- */

/* 0 leaves a value to the device, if 0 is not a value itself. */
static void put_number(struct nlmsghdr *nlh, int attr, uint32_t value)
{
	mnl_attr_put_u32(nlh, attr, value ? value : MRC_CC_DEFAULT);
}

static bool float_ok(float value, float unit)
{
	return isfinite(value) && value >= 0 && value * unit < 4294967040.0f;
}

static int nscc_check(const struct mrc_ctl_cc_nscc_cfg *cfg)
{
	if (float_ok(cfg->eta, 1) && float_ok(cfg->fi, 1) &&
	    float_ok(cfg->fi_scale, MILLIONTHS) &&
	    float_ok(cfg->gamma, MILLIONTHS) &&
	    float_ok(cfg->max_md_jump, MILLIONTHS))
		return 0;
	return refuse(EINVAL, "a float of the NSCC configuration is out of range");
}

static void put_float(struct nlmsghdr *nlh, int attr, float value, float unit)
{
	put_number(nlh, attr, lroundf(value * unit));
}

static void put_nscc(struct nlmsghdr *nlh, const struct mrc_ctl_cc_nscc_cfg *cfg)
{
	put_number(nlh, MRC_A_CC_WINDOW, cfg->max_cwnd);
	put_number(nlh, MRC_A_CC_BASE_RTT, cfg->base_rtt);
	put_number(nlh, MRC_A_CC_TARGET_DELAY, cfg->target_delay);
	put_number(nlh, MRC_A_CC_ADJUST_BYTES, cfg->adjust_bytes_threshold);
	put_number(nlh, MRC_A_CC_ADJUST_PERIOD, cfg->adjust_period_threshold);
	put_float(nlh, MRC_A_CC_FI, cfg->fi, 1);
	put_float(nlh, MRC_A_CC_ETA, cfg->eta, 1);
	put_float(nlh, MRC_A_CC_FI_SCALE, cfg->fi_scale, MILLIONTHS);
	put_float(nlh, MRC_A_CC_GAMMA, cfg->gamma, MILLIONTHS);
	put_float(nlh, MRC_A_CC_MAX_MD_JUMP, cfg->max_md_jump, MILLIONTHS);
	mnl_attr_put_u32(nlh, MRC_A_CC_QA_THRESHOLD, cfg->qa_threshold);
	mnl_attr_put_u32(nlh, MRC_A_CC_QA_GATE, cfg->qa_gate);
	mnl_attr_put_u32(nlh, MRC_A_CC_DISABLE_QA, !!cfg->disable_qa);
}

static int cc_check(const struct mrc_ctl_cc_profile_attr *attr,
		    unsigned int mask, bool change)
{
	int ret = profile_mask_check(mask, CC_MASK, attr);

	if (ret || !mask)
		return ret;
	if (mask & MRC_CTL_CC_PROFILE_CONFIG && !attr->cc_config)
		return refuse(EINVAL, "cc_config is NULL");
	if (!change)
		return 0;
	if (mask & MRC_CTL_CC_PROFILE_ALGORITHM && attr->algorithm &&
	    strcmp(attr->algorithm, ALGORITHM_NSCC))
		return refuse(EINVAL, "there is no algorithm '%s'",
			      attr->algorithm);
	if (mask & MRC_CTL_CC_PROFILE_CONFIG)
		ret = nscc_check(attr->cc_config);
	if (!ret && mask & (unsigned int)MRC_CTL_CC_PROFILE_VENDOR_CFG)
		ret = profile_vendor_check(attr->vendor_cfg);
	return ret;
}

static bool has_nscc(const struct cc_profile *p,
		     const struct mrc_ctl_cc_profile_attr *attr,
		     unsigned int mask)
{
	if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
		return attr->algorithm;
	return !p->algorithm[0] || !strcmp(p->algorithm, KERNEL_NSCC);
}

static int cc_change(struct genl *g, uint64_t id, const struct cc_profile *p,
		     const struct profile_move *move,
		     const struct mrc_ctl_cc_profile_attr *attr,
		     unsigned int mask)
{
	char name[MRC_NAME_MAX];
	struct nlmsghdr *nlh;

	if (move->to == MRC_CTL_PROFILE_INIT)
		return refuse(EINVAL, "a profile has attributes from OFFLINE on");
	if (!p->found && !(mask & MRC_CTL_CC_PROFILE_ALGORITHM))
		return refuse(EINVAL, "OFFLINE needs an algorithm");
	if (mask & MRC_CTL_CC_PROFILE_CONFIG && !has_nscc(p, attr, mask))
		return refuse(EINVAL, "the algorithm has no configuration");
	nlh = genl_begin(g, p->found ? MRC_CMD_CC_SET : MRC_CMD_CC_ADD, false,
			 MRC_A_CC_DEV);
	profile_name(id, name);
	mnl_attr_put_strz(nlh, MRC_A_CC_NAME, name);
	mnl_attr_put_u32(nlh, MRC_A_CC_STATE,
			 move->to == MRC_CTL_PROFILE_ONLINE ?
			 MRC_OBJECT_STATE_ONLINE : MRC_OBJECT_STATE_OFFLINE);
	if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
		mnl_attr_put_strz(nlh, MRC_A_CC_ALGORITHM, attr->algorithm ?
				  KERNEL_NSCC : KERNEL_NONE);
	if (mask & MRC_CTL_CC_PROFILE_CONFIG)
		put_nscc(nlh, attr->cc_config);
	return genl_talk(g, nlh, NULL, NULL);
}

static int cc_modify(struct genl *g, uint64_t id,
		     const struct mrc_ctl_cc_profile_attr *attr,
		     unsigned int mask)
{
	const struct profile_wish wish = {
		.has_state = mask & MRC_CTL_CC_PROFILE_STATE,
		.state = attr->profile_state,
		.has_cur = mask & MRC_CTL_CC_PROFILE_CUR_STATE,
		.cur = attr->cur_profile_state,
	};
	const unsigned int config = mask & (MRC_CTL_CC_PROFILE_ALGORITHM |
					    MRC_CTL_CC_PROFILE_CONFIG);
	struct profile_move move;
	struct cc_profile p;
	int ret;

	ret = cc_get(g, id, &p) ?:
	      profile_move(&wish, id, profile_state(p.found, p.state), &move);
	if (ret)
		return ret;
	if (move.to == MRC_CTL_PROFILE_INIT && !config)
		return p.found ? profile_del(g, MRC_CMD_CC_DEL, MRC_A_CC_DEV,
					     MRC_A_CC_NAME, id) : 0;
	if (move.from == move.to && !config)
		return 0;
	return cc_change(g, id, &p, &move, attr, mask);
}

/* --- queries -------------------------------------------------------------- */

static void query_nscc(const struct cc_profile *p,
		       struct mrc_ctl_cc_nscc_cfg *cfg)
{
	*cfg = (struct mrc_ctl_cc_nscc_cfg){
		.disable_qa = p->param[MRC_A_CC_DISABLE_QA],
		.adjust_bytes_threshold = p->param[MRC_A_CC_ADJUST_BYTES],
		.adjust_period_threshold = p->param[MRC_A_CC_ADJUST_PERIOD],
		.base_rtt = p->param[MRC_A_CC_BASE_RTT],
		.eta = p->param[MRC_A_CC_ETA],
		.fi = p->param[MRC_A_CC_FI],
		.fi_scale = p->param[MRC_A_CC_FI_SCALE] / MILLIONTHS,
		.gamma = p->param[MRC_A_CC_GAMMA] / MILLIONTHS,
		.max_md_jump = p->param[MRC_A_CC_MAX_MD_JUMP] / MILLIONTHS,
		.max_cwnd = p->param[MRC_A_CC_WINDOW],
		.qa_gate = p->param[MRC_A_CC_QA_GATE],
		.qa_threshold = p->param[MRC_A_CC_QA_THRESHOLD],
		.target_delay = p->param[MRC_A_CC_TARGET_DELAY],
	};
}

static int cc_query(struct genl *g, uint64_t id,
		    struct mrc_ctl_cc_profile_attr *attr, unsigned int mask)
{
	struct cc_profile p = {};
	int ret;

	ret = id ? cc_get(g, id, &p) :
		   refuse(EINVAL, "0 is no number of a profile");
	if (ret)
		return ret;
	if (mask & MRC_CTL_CC_PROFILE_STATE)
		attr->profile_state = profile_state(p.found, p.state);
	if (mask & MRC_CTL_CC_PROFILE_CUR_STATE)
		attr->cur_profile_state = profile_state(p.found, p.state);
	if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
		attr->algorithm = p.found && has_nscc(&p, attr, 0) ?
				  ALGORITHM_NSCC : NULL;
	/* The API's pointer is to constant data for changes, not for queries. */
	if (mask & MRC_CTL_CC_PROFILE_CONFIG)
		query_nscc(&p, (struct mrc_ctl_cc_nscc_cfg *)attr->cc_config);
	if (mask & (unsigned int)MRC_CTL_CC_PROFILE_VENDOR_CFG)
		memset(attr->vendor_cfg, 0, sizeof(attr->vendor_cfg));
	return 0;
}

/* --- the API -------------------------------------------------------------- */

EXPORT
int mrc_ctl_modify_cc_profile(struct mrc_context *mrc_ctx,
			      uint64_t cc_profile_id,
			      struct mrc_ctl_cc_profile_attr *attr,
			      int attr_mask)
{
	struct genl *g;
	int ret;

	if (cc_check(attr, attr_mask, true))
		return -1;
	g = genl_get(mrc_ctx);
	if (!g)
		return -1;
	ret = attr_mask ? cc_modify(g, cc_profile_id, attr, attr_mask) : 0;
	genl_put(mrc_ctx);
	return minus_one(ret);
}

EXPORT
int mrc_ctl_query_cc_profile(struct mrc_context *mrc_ctx,
			     uint64_t cc_profile_id,
			     struct mrc_ctl_cc_profile_attr *attr,
			     int attr_mask)
{
	struct genl *g;
	int ret;

	if (cc_check(attr, attr_mask, false))
		return -1;
	g = genl_get(mrc_ctx);
	if (!g)
		return -1;
	ret = cc_query(g, cc_profile_id, attr, attr_mask);
	genl_put(mrc_ctx);
	return minus_one(ret);
}
