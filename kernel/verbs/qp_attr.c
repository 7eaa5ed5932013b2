// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of queue pairs that MRC has and verbs have not.
 */
#include <linux/log2.h>
#include "compat/extack.h"
#include "verbs/qp.h"
#include "verbs/qp_attr.h"

/**
 * struct mrc_qp_attr_rule - range of an attribute, and when it can be set
 * @name: for messages
 * @min: least value
 * @max: greatest value
 * @fixed_in: the attribute is fixed from this state on; IB_QPS_ERR: it is not
 */
struct mrc_qp_attr_rule {
	const char *name;
	u32 min;
	u32 max;
	enum ib_qp_state fixed_in;
};

static const struct mrc_qp_attr_rule mrc_qp_attr_rules[MRC_CONN_OPTS] = {
	[MRC_CONN_OPT_TIMEOUT] = { "timeout", 1, MRC_TIMEOUT_MAX, IB_QPS_ERR },
	[MRC_CONN_OPT_LINEAR] = { "linear", 0, MRC_LINEAR_MAX, IB_QPS_ERR },
	[MRC_CONN_OPT_EXP] = { "exp", 0, MRC_EXP_MAX, IB_QPS_ERR },
	[MRC_CONN_OPT_MPR] = { "mpr", MRC_QP_MPR_MIN, MRC_QP_MPR_MAX,
			       IB_QPS_RTS },
	[MRC_CONN_OPT_WIMM] = { "wimm", 1, MRC_QP_WIMM_MAX, IB_QPS_RTS },
	[MRC_CONN_OPT_MPR_DEST] = { "mpr-dest", MRC_QP_MPR_MIN, MRC_QP_MPR_MAX,
				    IB_QPS_RTR },
	[MRC_CONN_OPT_WIMM_DEST] = { "wimm-dest", 1, MRC_QP_WIMM_MAX,
				     IB_QPS_RTR },
	[MRC_CONN_OPT_TRIM_NACK] = { "trim-nack", 0, 1, IB_QPS_RTR },
	[MRC_CONN_OPT_DYNAMIC_MPR] = { "dynamic-mpr", 0, 1, IB_QPS_RTR },
	[MRC_CONN_OPT_SVC_TIME] = { "svc-time", 0, 1, IB_QPS_RTR },
	[MRC_CONN_OPT_SVC_TIME_DEST] = { "svc-time-dest", 0, 1, IB_QPS_RTR },
};

static int mrc_qp_check_attr(enum ib_qp_state state,
			     const struct mrc_qp_attr_rule *rule, u32 value,
			     struct netlink_ext_ack *extack)
{
	if (value < rule->min || value > rule->max) {
		NL_SET_ERR_MSG_FMT(extack, "%s is %u, not %u to %u",
				   rule->name, value, rule->min, rule->max);
		return -EINVAL;
	}
	if (rule->fixed_in == IB_QPS_ERR || state < rule->fixed_in)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%s: the QP is ready to %s already",
			   rule->name,
			   rule->fixed_in == IB_QPS_RTS ? "send" : "receive");
	return -EBUSY;
}

static int mrc_qp_check_change(const struct mrc_qp *qp,
			       const struct mrc_conn_opts *opts,
			       struct netlink_ext_ack *extack)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < MRC_CONN_OPTS && !ret; i++) {
		if (opts->set & BIT(i))
			ret = mrc_qp_check_attr(qp->state,
						&mrc_qp_attr_rules[i],
						opts->value[i], extack);
	}
	return ret;
}

static int mrc_qp_check_rc(const struct mrc_qp *qp,
			   struct netlink_ext_ack *extack)
{
	if (!mrc_qp_is_ud(qp))
		return 0;
	NL_SET_ERR_MSG(extack, "the QP is not of type RC");
	return -EINVAL;
}

/**
 * mrc_qp_set_attrs() - set attributes
 * @qp: queue pair, whose mutex is held
 * @change: attributes; values are not trusted
 * @extack: set to the reason on error; may be NULL
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL, -ENOENT, or -EBUSY if the state of the QP does not permit the
 * change: nothing has changed then.
 */
int mrc_qp_set_attrs(struct mrc_qp *qp, const struct mrc_qp_change *change,
		     struct netlink_ext_ack *extack)
{
	int ret;

	lockdep_assert_held(&qp->mutex);
	ret = mrc_qp_check_rc(qp, extack) ?:
	      mrc_qp_check_change(qp, &change->opts, extack);
	if (ret)
		return ret;
	return mrc_conn_set_opts(&qp->conn, &change->opts, &change->bind,
				 extack);
}

/* The inverse of MRC_TIMEOUT_NS(); 0: there is no timeout. */
static u32 mrc_qp_timeout_code(u64 ns)
{
	return ns ? ilog2(ns) - ilog2(MRC_TIMEOUT_NS(0)) : 0;
}

/**
 * mrc_qp_get_attrs() - read attributes
 * @qp: queue pair
 * @attrs: filled in
 *
 * It does not wait for a change of state, which may last.
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int mrc_qp_get_attrs(struct mrc_qp *qp, struct mrc_qp_state_attrs *attrs)
{
	u32 *value = attrs->value;
	struct mrc_req_cfg req;
	struct mrc_rsp_cfg rsp;
	int ret;

	ret = mrc_qp_check_rc(qp, NULL);
	if (ret)
		return ret;
	mrc_qp_default_cfgs(qp, &req, &rsp);
	mrc_conn_cfgs(&qp->conn, &req, &rsp, &attrs->set);
	mrc_binding_names(&qp->conn.nic->pm, &qp->conn.binding, attrs->profile,
			  attrs->cc);
	value[MRC_CONN_OPT_TIMEOUT] = mrc_qp_timeout_code(req.timeout_ns);
	value[MRC_CONN_OPT_LINEAR] = req.linear_cnt;
	value[MRC_CONN_OPT_EXP] = req.exp_cnt;
	value[MRC_CONN_OPT_MPR] = req.mpr_limit ?: req.mpr;
	value[MRC_CONN_OPT_WIMM] = req.max_wimm;
	value[MRC_CONN_OPT_MPR_DEST] = rsp.mpr_limit ?: rsp.mpr;
	value[MRC_CONN_OPT_WIMM_DEST] = rsp.max_wimm;
	value[MRC_CONN_OPT_TRIM_NACK] = !rsp.no_trim_nack;
	value[MRC_CONN_OPT_DYNAMIC_MPR] = rsp.dynamic_mpr;
	value[MRC_CONN_OPT_SVC_TIME] = req.svc_time;
	value[MRC_CONN_OPT_SVC_TIME_DEST] = rsp.svc_time;
	return 0;
}
