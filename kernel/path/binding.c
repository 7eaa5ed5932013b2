// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bindings of connections to profiles.
 */
#include <linux/string.h>

#include "compat/extack.h"
#include "path/binding.h"
#include "path/ccprofile.h"
#include "path/evprofile.h"
#include "path/pm.h"

/* SRv6 is for IPv6 peers only. */
static int mrc_binding_check_profile(struct mrc_object *obj, bool v4,
				     struct netlink_ext_ack *extack)
{
	if (!obj || !v4 || !mrc_evprofile_of(obj)->srv6)
		return 0;
	NL_SET_ERR_MSG_FMT(extack,
			   "profile %s is of SRv6, and the peer has an IPv4 address",
			   obj->name);
	return -EINVAL;
}

static int mrc_binding_find(struct mrc_pm *pm,
			    const struct mrc_binding_change *change, bool v4,
			    struct mrc_binding *next,
			    struct netlink_ext_ack *extack)
{
	int ret = 0;

	if (change->profile)
		next->profile = NULL;
	if (change->profile && *change->profile)
		ret = mrc_evprofile_find(pm, change->profile, &next->profile,
					 extack) ?:
		      mrc_binding_check_profile(next->profile, v4, extack);
	if (!ret && change->cc)
		ret = mrc_ccprofile_find(pm, change->cc, &next->cc, extack);
	return ret;
}

static void mrc_binding_replace(struct mrc_pm *pm, struct mrc_object **at,
				struct mrc_object *obj)
{
	lockdep_assert_held(&pm->mutex);
	if (obj)
		obj->users++;
	if (*at)
		(*at)->users--;
	spin_lock_bh(&pm->lock);
	*at = obj;
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_binding_set() - bind a connection to profiles
 * @pm: path manager
 * @b: binding
 * @change: profiles, which must be online
 * @v4: the peer has an IPv4 address
 * @extack: set to the reason on error; may be NULL
 *
 * The caller makes the connection use them.
 *
 * Context: process, may sleep; the caller serialises calls for @b.
 * Return: 0, -ENOENT or -EINVAL; on error nothing has changed.
 */
int mrc_binding_set(struct mrc_pm *pm, struct mrc_binding *b,
		    const struct mrc_binding_change *change, bool v4,
		    struct netlink_ext_ack *extack)
{
	struct mrc_binding next;
	int ret;

	mutex_lock(&pm->mutex);
	next = *b;
	ret = mrc_binding_find(pm, change, v4, &next, extack);
	if (!ret) {
		mrc_binding_replace(pm, &b->profile, next.profile);
		mrc_binding_replace(pm, &b->cc, next.cc);
	}
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_binding_check() - can a connection to this peer use its profiles?
 * @pm: path manager
 * @b: binding
 * @v4: the peer has an IPv4 address
 * @extack: set to the reason on error; may be NULL
 *
 * Context: process, may sleep.
 * Return: 0 or -EINVAL.
 */
int mrc_binding_check(struct mrc_pm *pm, const struct mrc_binding *b, bool v4,
		      struct netlink_ext_ack *extack)
{
	int ret;

	mutex_lock(&pm->mutex);
	ret = mrc_binding_check_profile(b->profile, v4, extack);
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_binding_clear() - remove a binding
 * @pm: path manager
 * @b: binding
 *
 * Context: process, may sleep; the caller serialises calls for @b.
 */
void mrc_binding_clear(struct mrc_pm *pm, struct mrc_binding *b)
{
	if (!b->profile && !b->cc)
		return;
	mutex_lock(&pm->mutex);
	mrc_binding_replace(pm, &b->profile, NULL);
	mrc_binding_replace(pm, &b->cc, NULL);
	mutex_unlock(&pm->mutex);
}

/**
 * mrc_binding_names() - names of the profiles of a connection
 * @pm: path manager
 * @b: binding
 * @profile: set to the name of the EV profile; "": none
 * @cc: likewise of the CC profile
 *
 * Context: process or softirq.
 */
void mrc_binding_names(struct mrc_pm *pm, const struct mrc_binding *b,
		       char profile[MRC_OBJECT_NAME_MAX],
		       char cc[MRC_OBJECT_NAME_MAX])
{
	spin_lock_bh(&pm->lock);
	strscpy(profile, b->profile ? b->profile->name : "",
		MRC_OBJECT_NAME_MAX);
	strscpy(cc, b->cc ? b->cc->name : "", MRC_OBJECT_NAME_MAX);
	spin_unlock_bh(&pm->lock);
}
