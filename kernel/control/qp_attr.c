// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of queue pairs that verbs have not: show and set them.
 */
#include <linux/mrc.h>

#include "control/genl.h"
#include "control/qp_attr.h"
#include "verbs/device.h"
#include "verbs/qp.h"
#include "verbs/qp_attr.h"

static const u16 mrc_genl_qp_opts[MRC_CONN_OPTS] = {
	[MRC_CONN_OPT_TIMEOUT] = MRC_A_QP_TIMEOUT,
	[MRC_CONN_OPT_LINEAR] = MRC_A_QP_LINEAR,
	[MRC_CONN_OPT_EXP] = MRC_A_QP_EXP,
	[MRC_CONN_OPT_MPR] = MRC_A_QP_MPR,
	[MRC_CONN_OPT_WIMM] = MRC_A_QP_WIMM,
	[MRC_CONN_OPT_MPR_DEST] = MRC_A_QP_MPR_DEST,
	[MRC_CONN_OPT_WIMM_DEST] = MRC_A_QP_WIMM_DEST,
	[MRC_CONN_OPT_TRIM_NACK] = MRC_A_QP_TRIM_NACK,
	[MRC_CONN_OPT_DYNAMIC_MPR] = MRC_A_QP_DYNAMIC_MPR,
	[MRC_CONN_OPT_SVC_TIME] = MRC_A_QP_SVC_TIME,
	[MRC_CONN_OPT_SVC_TIME_DEST] = MRC_A_QP_SVC_TIME_DEST,
};

/**
 * mrc_genl_put_qp_attrs() - write the attributes of a queue pair
 * @skb: message
 * @qp: queue pair of type RC
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int mrc_genl_put_qp_attrs(struct sk_buff *skb, struct mrc_qp *qp)
{
	struct mrc_qp_state_attrs attrs;
	int ret;
	u32 i;

	ret = mrc_qp_get_attrs(qp, &attrs);
	for (i = 0; !ret && i < MRC_CONN_OPTS; i++)
		ret = nla_put_u32(skb, mrc_genl_qp_opts[i], attrs.value[i]);
	if (!ret && *attrs.profile)
		ret = nla_put_string(skb, MRC_A_QP_PROFILE, attrs.profile);
	if (!ret && *attrs.cc)
		ret = nla_put_string(skb, MRC_A_QP_CC, attrs.cc);
	return ret;
}

/**
 * struct mrc_genl_qp_set - change of a queue pair
 * @qpn: its number
 * @change: attributes
 * @extack: of the request
 * @found: there is such a queue pair
 */
struct mrc_genl_qp_set {
	u32 qpn;
	struct mrc_qp_change change;
	struct netlink_ext_ack *extack;
	bool found;
};

static const char *mrc_genl_qp_name(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_data(info->attrs[attr]) : NULL;
}

static int mrc_genl_qp_change(struct genl_info *info,
			      struct mrc_qp_change *change)
{
	const struct nlattr *attr;
	u32 i;

	for (i = 0; i < MRC_CONN_OPTS; i++) {
		attr = info->attrs[mrc_genl_qp_opts[i]];
		if (!attr)
			continue;
		change->opts.set |= BIT(i);
		change->opts.value[i] = nla_get_u32(attr);
	}
	change->bind.profile = mrc_genl_qp_name(info, MRC_A_QP_PROFILE);
	change->bind.cc = mrc_genl_qp_name(info, MRC_A_QP_CC);
	if (change->opts.set || change->bind.profile || change->bind.cc)
		return 0;
	GENL_SET_ERR_MSG(info, "no attribute to be set");
	return -EINVAL;
}

/*
 * Queue pairs are not created and destroyed meanwhile, so it must not wait: a QP that
 * becomes Ready to Receive may be waiting for packets of its previous connection.
 * A positive result ends the iteration.
 */
static int mrc_genl_qp_set_one(struct mrc_qp *qp, void *arg)
{
	struct mrc_genl_qp_set *set = arg;
	int ret;

	if (qp->conn.qpn != set->qpn)
		return 1;
	set->found = true;
	if (!mutex_trylock(&qp->mutex)) {
		NL_SET_ERR_MSG_FMT(set->extack,
				   "QP %u is changing its state, try again",
				   set->qpn);
		return -EBUSY;
	}
	ret = mrc_qp_set_attrs(qp, &set->change, set->extack);
	mutex_unlock(&qp->mutex);
	return ret ?: 1;
}

/**
 * mrc_nl_qp_set_doit() - set attributes of a queue pair
 * @skb: request
 * @info: its attributes: device, QP number, and those that are to be set
 *
 * Return: 0 or a negative errno; nothing has changed then.
 */
int mrc_nl_qp_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_genl_qp_set set = {
		.extack = info->extack,
	};
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_require(info, MRC_A_QP_QPN, "qpn") ?:
	      mrc_genl_qp_change(info, &set.change);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_QP_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	set.qpn = nla_get_u32(info->attrs[MRC_A_QP_QPN]);
	ret = mrc_device_for_each_qp(dev, set.qpn, mrc_genl_qp_set_one, &set);
	mrc_device_put(dev);
	if (set.found)
		return min(ret, 0);
	NL_SET_ERR_MSG_FMT(info->extack, "no QP %u", set.qpn);
	return -ENOENT;
}
