// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * List of rules.
 */
#include <linux/string.h>

#include "compat/extack.h"
#include "net/conn.h"
#include "net/nic.h"
#include "net/object.h"
#include "net/rule.h"

/* The rule's place; n_deny if it is not there. */
static u16 mrc_rule_find(const struct mrc_pm *pm, const struct mrc_deny *rule)
{
	u16 i;

	for (i = 0; i < pm->n_deny; i++) {
		if (mrc_deny_same(&pm->deny[i], rule))
			break;
	}
	return i;
}

static int mrc_rule_append(struct mrc_pm *pm, const struct mrc_deny *rule,
			   struct netlink_ext_ack *extack)
{
	if (mrc_rule_find(pm, rule) < pm->n_deny) {
		NL_SET_ERR_MSG(extack, "this rule exists");
		return -EEXIST;
	}
	if (pm->n_deny == MRC_PM_DENIES) {
		NL_SET_ERR_MSG_FMT(extack, "there are %u rules, the most possible",
				   MRC_PM_DENIES);
		return -E2BIG;
	}
	spin_lock_bh(&pm->lock);
	pm->deny[pm->n_deny++] = *rule;
	spin_unlock_bh(&pm->lock);
	return 0;
}

/**
 * mrc_rule_add() - forbid paths
 * @nic: NIC
 * @rule: which
 * @extack: where to say why not
 *
 * When it returns, no connection uses them.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EEXIST or -E2BIG.
 */
int mrc_rule_add(struct mrc_nic *nic, const struct mrc_deny *rule,
		 struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	int ret;

	ret = mrc_deny_check(rule, nic->n_ports, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	mutex_lock(&nic->pm->mutex);
	ret = mrc_rule_append(nic->pm, rule, extack);
	mutex_unlock(&nic->pm->mutex);
	if (!ret)
		mrc_conn_paths_changed(nic, NULL);
	return ret;
}

/**
 * mrc_rule_del() - permit paths again, unless another rule forbids them
 * @nic: NIC
 * @rule: which
 * @extack: where to say why not
 *
 * When it returns, connections may use them.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_rule_del(struct mrc_nic *nic, const struct mrc_deny *rule,
		 struct netlink_ext_ack *extack)
{
	struct mrc_pm *pm = nic->pm;
	bool found;
	u16 i;

	mutex_lock(&pm->mutex);
	i = mrc_rule_find(pm, rule);
	found = i < pm->n_deny;
	if (found) {
		spin_lock_bh(&pm->lock);
		pm->n_deny--;
		memmove(&pm->deny[i], &pm->deny[i + 1],
			(pm->n_deny - i) * sizeof(*pm->deny));
		spin_unlock_bh(&pm->lock);
	}
	mutex_unlock(&pm->mutex);
	if (!found) {
		NL_SET_ERR_MSG(extack, "no such rule");
		return -ENOENT;
	}
	mrc_conn_paths_changed(nic, NULL);
	return 0;
}
