// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits and capabilities of a device, so that programs need no constants of the
 * driver.
 */
#include <linux/mrc.h>

#include "control/genl.h"
#include "control/limit.h"
#include "core/cc.h"
#include "core/lb.h"
#include "core/requester.h"
#include "net/evprobe.h"
#include "path/evprofile.h"
#include "path/pm.h"
#include "verbs/device.h"
#include "verbs/qp_attr.h"

/* Bits n of all values n of an enumeration that begins with 1. */
#define MRC_GENL_KINDS(last) GENMASK(last, 1)

/* Entropy values that profiles occupy; those of EV profiles in state INIT do not. */
static u32 mrc_genl_evs_used(struct mrc_pm *pm)
{
	const struct mrc_object *obj;
	u32 used = 0;

	mutex_lock(&pm->mutex);
	list_for_each_entry(obj, &pm->objects[MRC_OBJECT_PROFILE], node) {
		const struct mrc_evprofile *p =
			container_of(obj, struct mrc_evprofile, obj);

		used += p->evs ? p->cfg.count : 0;
	}
	mutex_unlock(&pm->mutex);
	return used;
}

static int mrc_genl_put_names(struct sk_buff *skb, int attr,
			      const char *(*name)(u32 i))
{
	u32 i;

	for (i = 0; name(i); i++) {
		if (nla_put_string(skb, attr, name(i)))
			return -EMSGSIZE;
	}
	return 0;
}

static int mrc_genl_put_numbers(struct sk_buff *skb, struct mrc_nic *nic)
{
	const u32 evs_max = MRC_OBJECT_MAX * MRC_EV_MAX;
	const struct {
		int attr;
		u32 value;
	} limits[] = {
		{ MRC_A_LIMIT_PROTOCOL, MRC_QP_PROTOCOL },
		{ MRC_A_LIMIT_MPR_MIN, MRC_QP_MPR_MIN },
		{ MRC_A_LIMIT_MPR_MAX, MRC_QP_MPR_MAX },
		{ MRC_A_LIMIT_MPR_UNIT, MRC_MPR_UNIT },
		{ MRC_A_LIMIT_WIMM_MAX, MRC_QP_WIMM_MAX },
		{ MRC_A_LIMIT_WIMM_DEST_MAX, MRC_QP_WIMM_MAX },
		{ MRC_A_LIMIT_TIMEOUT_MAX, MRC_TIMEOUT_MAX },
		{ MRC_A_LIMIT_LINEAR_MAX, MRC_LINEAR_MAX },
		{ MRC_A_LIMIT_EXP_MAX, MRC_EXP_MAX },
		{ MRC_A_LIMIT_QP_FEATURES, MRC_QP_FEATURE_TRIM_NACK |
					   MRC_QP_FEATURE_DYNAMIC_MPR |
					   MRC_QP_FEATURE_SVC_TIME },
		{ MRC_A_LIMIT_FORMATS_MAX, MRC_OBJECT_MAX },
		{ MRC_A_LIMIT_TEMPLATES_MAX, MRC_OBJECT_MAX },
		{ MRC_A_LIMIT_PROFILES_MAX, MRC_OBJECT_MAX },
		{ MRC_A_LIMIT_CCS_MAX, MRC_OBJECT_MAX },
		{ MRC_A_LIMIT_DENIES_MAX, MRC_PM_DENIES },
		{ MRC_A_LIMIT_EVS_MAX, evs_max },
		{ MRC_A_LIMIT_EVS_FREE, evs_max - mrc_genl_evs_used(&nic->pm) },
		{ MRC_A_LIMIT_PROFILE_EVS_MAX, MRC_EV_MAX },
		{ MRC_A_LIMIT_FIELDS_MAX, MRC_FORMAT_FIELDS },
		{ MRC_A_LIMIT_EV_WIDTH_MAX, MRC_BITSTR_BITS },
		{ MRC_A_LIMIT_FORMAT_KINDS,
		  MRC_GENL_KINDS(MRC_FORMAT_KIND_SRV6_SRH) },
		{ MRC_A_LIMIT_PROFILE_KINDS,
		  MRC_GENL_KINDS(MRC_PROFILE_KIND_GENERATED) },
		{ MRC_A_LIMIT_EDITS_MAX, MRC_EV_MAX },
		{ MRC_A_LIMIT_PROBES_MAX, MRC_PROBES_MAX },
		{ MRC_A_LIMIT_PROBE_ROUNDS_MAX, MRC_EVPROBE_ROUNDS },
		{ MRC_A_LIMIT_PROBE_TIMEOUT_MAX, MRC_EVPROBE_TIMEOUT_MS },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (nla_put_u32(skb, limits[i].attr, limits[i].value))
			return -EMSGSIZE;
	}
	return 0;
}

/**
 * mrc_genl_put_limits() - write limits and capabilities of a device
 * @skb: message
 * @dev: device
 *
 * Context: process, may sleep.
 * Return: 0 or -EMSGSIZE.
 */
int mrc_genl_put_limits(struct sk_buff *skb, const struct mrc_device *dev)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_DEV_LIMIT);

	if (!nest || mrc_genl_put_numbers(skb, dev->nic) ||
	    mrc_genl_put_names(skb, MRC_A_LIMIT_ALGORITHM, mrc_cc_name) ||
	    mrc_genl_put_names(skb, MRC_A_LIMIT_LB, mrc_lb_name))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
