// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which paths a rule forbids.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/deny.h"
#include "core/format.h"

/**
 * mrc_deny_check() - does a rule make sense?
 * @rule: anything
 * @ports: of the device
 * @why: filled in if not
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int mrc_deny_check(const struct mrc_deny *rule, u8 ports,
		   struct mrc_refusal *why)
{
	if (!rule->by)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "a rule needs dst, ev, port or usid");
	if (rule->by & MRC_DENY_NEXT && !(rule->by & MRC_DENY_USID))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "next without usid");
	/* A path has no uSID zero: it would end the list. */
	if ((rule->by & MRC_DENY_USID && !rule->usid) ||
	    (rule->by & MRC_DENY_NEXT && !rule->next))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "no path visits uSID 0");
	if (rule->by & MRC_DENY_PORT && (!rule->port || rule->port > ports))
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
 * Numbers that a rule does not look at are zero.
 *
 * Return: true if so.
 */
bool mrc_deny_same(const struct mrc_deny *a, const struct mrc_deny *b)
{
	return a->by == b->by && a->port == b->port && a->ev == b->ev &&
	       a->usid == b->usid && a->next == b->next &&
	       a->dst.hi == b->dst.hi && a->dst.lo == b->dst.lo &&
	       a->dst.len == b->dst.len;
}

/* The micro-segments of an address; one of zero ends it (RFC 9800). */
static bool visits(const struct mrc_deny *rule,
		   const struct mrc_deny_path *path, u16 at)
{
	u16 end = at + MRC_ADDR_BITS;
	u32 last = 0, usid;

	for (at += path->block; at + path->usid <= end; at += path->usid) {
		usid = mrc_bitstr_get(&path->addr, at, path->usid);
		if (!usid)
			break;
		if (rule->by & MRC_DENY_NEXT ?
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
	if (rule->by & MRC_DENY_DST && !mrc_lpm_covers(&rule->dst, &path->dst))
		return false;
	if (rule->by & MRC_DENY_EV && rule->ev != path->ev)
		return false;
	if (rule->by & MRC_DENY_PORT && rule->port != path->port)
		return false;
	if (!(rule->by & MRC_DENY_USID))
		return true;
	return path->srv6 && (visits(rule, path, 0) ||
			      (path->srh && visits(rule, path, MRC_ADDR_BITS)));
}
