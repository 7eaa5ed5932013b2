// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Deny rules: checks and matching.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/deny.h"
#include "core/format.h"

/**
 * mrc_deny_check() - check a rule
 * @rule: rule, unchecked
 * @ports: number of ports of the device
 * @why: filled in on error
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int mrc_deny_check(const struct mrc_deny *rule, u8 ports,
		   struct mrc_refusal *why)
{
	if (!rule->match)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "a rule needs dst, ev, port or usid");
	if (rule->match & MRC_DENY_NEXT && !(rule->match & MRC_DENY_USID))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "next without usid");
	/* No path has a uSID of zero, which ends the list. */
	if ((rule->match & MRC_DENY_USID && !rule->usid) ||
	    (rule->match & MRC_DENY_NEXT && !rule->next))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "no path visits uSID 0");
	if (rule->match & MRC_DENY_PORT && (!rule->port || rule->port > ports))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "port %u of a device with %u", rule->port,
				  ports);
	return 0;
}

/**
 * mrc_deny_same() - are two rules the same?
 * @a: rule
 * @b: rule
 *
 * Members that are not in @match are zero.
 *
 * Return: true if so.
 */
bool mrc_deny_same(const struct mrc_deny *a, const struct mrc_deny *b)
{
	return a->match == b->match && a->port == b->port && a->ev == b->ev &&
	       a->usid == b->usid && a->next == b->next &&
	       a->dst.hi == b->dst.hi && a->dst.lo == b->dst.lo &&
	       a->dst.len == b->dst.len;
}

/* The uSIDs of an address; a uSID of zero ends the list (RFC 9800). */
static bool list_matches(const struct mrc_deny *rule,
			 const struct mrc_deny_path *path, u16 at)
{
	u16 end = at + MRC_ADDR_BITS;
	u32 last = 0, usid;

	for (at += path->block; at + path->usid <= end; at += path->usid) {
		usid = mrc_bitstr_get(&path->addr, at, path->usid);
		if (!usid)
			break;
		if (rule->match & MRC_DENY_NEXT ?
		    last == rule->usid && usid == rule->next :
		    usid == rule->usid)
			return true;
		last = usid;
	}
	return false;
}

/**
 * mrc_deny_matches() - does a rule forbid a path?
 * @rule: checked rule
 * @path: the path
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_deny_matches(const struct mrc_deny *rule,
		      const struct mrc_deny_path *path)
{
	if (rule->match & MRC_DENY_DST &&
	    !mrc_lpm_covers(&rule->dst, &path->dst))
		return false;
	if (rule->match & MRC_DENY_EV && rule->ev != path->ev)
		return false;
	if (rule->match & MRC_DENY_PORT && rule->port != path->port)
		return false;
	if (!(rule->match & MRC_DENY_USID))
		return true;
	return path->srv6 && (list_matches(rule, path, 0) ||
			      (path->srh &&
			       list_matches(rule, path, MRC_ADDR_BITS)));
}
