// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * List of deny rules.
 */
#include <linux/string.h>

#include "compat/extack.h"
#include "path/deny_rule.h"
#include "path/object.h"
#include "path/pm.h"

/* Index of a rule; n_deny if there is no such rule. */
static u16 mrc_deny_rule_find(const struct mrc_pm *pm,
			      const struct mrc_deny *rule)
{
	u16 i;

	lockdep_assert_held(&pm->mutex);
	for (i = 0; i < pm->n_deny; i++) {
		if (mrc_deny_same(&pm->deny[i], rule))
			break;
	}
	return i;
}

static int mrc_deny_rule_append(struct mrc_pm *pm, const struct mrc_deny *rule,
				struct netlink_ext_ack *extack)
{
	if (mrc_deny_rule_find(pm, rule) < pm->n_deny) {
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
 * mrc_deny_rule_add() - add a deny rule
 * @pm: path manager
 * @rule: the rule, unchecked
 * @extack: set to the reason on error
 *
 * When the function returns, no connection uses a path that the rule forbids.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EEXIST or -E2BIG.
 */
int mrc_deny_rule_add(struct mrc_pm *pm, const struct mrc_deny *rule,
		      struct netlink_ext_ack *extack)
{
	struct mrc_refusal why;
	int ret;

	ret = mrc_deny_check(rule, pm->n_ports, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	mutex_lock(&pm->mutex);
	ret = mrc_deny_rule_append(pm, rule, extack);
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

/**
 * mrc_deny_rule_del() - remove a deny rule
 * @pm: path manager
 * @rule: the rule
 * @extack: set to the reason on error
 *
 * When the function returns, connections may use the paths that the rule
 * forbade, unless another rule forbids them.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOENT.
 */
int mrc_deny_rule_del(struct mrc_pm *pm, const struct mrc_deny *rule,
		      struct netlink_ext_ack *extack)
{
	bool found;
	u16 i;

	mutex_lock(&pm->mutex);
	i = mrc_deny_rule_find(pm, rule);
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
	pm->ops->paths_changed(pm, NULL);
	return 0;
}
