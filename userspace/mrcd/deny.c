// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A rule denies paths over a T1, or over a link between a T0 and a T1: for all else a
 * host has no other way.  The kernel has the rules; nothing about them is stored
 * elsewhere, so that nothing differs after the daemon was killed.
 */
#include <stdlib.h>
#include <string.h>

#include "deny.h"

/* What is denied must be the reason of a fault at least this likely. */
#define SURE		0.8
/* Ways on which packets were lost: one of them alone may be wrong. */
#define PATHS_MIN	2
/* A rule that was found is kept so long, s: time to find the fault again. */
#define ADOPTED_S	60.0
/* A fault is still there if it was found in this time, or is not over, s. */
#define RECENT_S	60.0

/**
 * deny_init() - begin without rules
 * @deny: filled in; the caller sets mode, limits and callbacks
 * @fabric: network; must stay
 * @self: number of this host
 */
void deny_init(struct deny *deny, const struct fabric *fabric, int self)
{
	memset(deny, 0, sizeof(*deny));
	deny->fabric = fabric;
	deny->self = self;
}

/**
 * deny_rules() - how many rules there are
 * @deny: rules
 *
 * Return: the number; in a dry run those that there would be.
 */
int deny_rules(const struct deny *deny)
{
	int i, n = 0;

	for (i = 0; i < DENY_RULES; i++)
		n += deny->rule[i].used;
	return n;
}

/* --- which paths --------------------------------------------------------------------- */

static const struct topo_host *self_of(const struct deny *deny)
{
	return &deny->fabric->topo->host[deny->self];
}

static uint32_t usid_number(const struct topo *topo,
			    const struct topo_tier *tier, int plane, int i)
{
	char digits[TOPO_USID_DIGITS + 1];

	strcpy(digits, topo_usid_of(tier, plane, i)->digit);
	topo_plane_digits(topo, digits, plane);
	return strtoul(digits, NULL, 16);
}

/* Does the rule deny the path to @peer? */
static bool denies(const struct deny *deny, const struct deny_rule *rule,
		   const struct topo_host *peer, const struct topo_path *path)
{
	if (path->plane != rule->plane || path->t1 != rule->t1)
		return false;
	return rule->t0 < 0 || self_of(deny)->t0[path->plane] == rule->t0 ||
	       peer->t0[path->plane] == rule->t0;
}

/* Does a probe over the path meet the part? */
static bool meets(const struct deny *deny, int peer,
		  const struct topo_path *path, uint32_t part)
{
	const struct route route = {
		deny->self, peer, path->plane, path->t1
	};

	return fabric_meets(deny->fabric, &route, part);
}

/* Of the paths over @part, all are denied by the rule. */
static bool covers(const struct deny *deny, const struct deny_rule *rule,
		   uint32_t part)
{
	const struct topo *topo = deny->fabric->topo;
	struct topo_path path[MRC_EVS_MAX];
	int peer, n;

	for (peer = 0; peer < topo->hosts; peer++) {
		if (peer == deny->self)
			continue;
		n = topo_paths(topo, self_of(deny), &topo->host[peer], path);
		while (n--) {
			if (meets(deny, peer, &path[n], part) &&
			    !denies(deny, rule, &topo->host[peer], &path[n]))
				return false;
		}
	}
	return true;
}

/* The rule for a part; false if there is no other way around it. */
static bool make_rule(const struct deny *deny, uint32_t number,
		      struct deny_rule *rule)
{
	const struct topo *topo = deny->fabric->topo;
	struct part part;
	uint32_t t0, t1;

	fabric_part(deny->fabric, number, &part);
	if (part.kind != PART_T1 && part.kind != PART_LINK)
		return false;
	t1 = usid_number(topo, &topo->t1, part.plane, part.t1);
	*rule = (struct deny_rule){
		.used = true,
		.port = part.plane + 1,
		.usid = t1,
		.plane = part.plane,
		.t0 = part.t0,
		.t1 = part.t1,
		.part = number,
	};
	if (part.t0 < 0)
		return true;
	t0 = usid_number(topo, &topo->t0, part.plane, part.t0);
	if (self_of(deny)->t0[part.plane] == part.t0) {
		rule->usid = t0;
		rule->next = t1;
	} else {
		rule->next = t0;
	}
	return true;
}

static bool same_rule(const struct deny_rule *a, const struct deny_rule *b)
{
	return a->port == b->port && a->usid == b->usid && a->next == b->next;
}

/* --- limits -------------------------------------------------------------------------- */

static bool is_denied(const struct deny *deny, const struct deny_rule *more,
		      const struct topo_host *peer,
		      const struct topo_path *path)
{
	int i;

	for (i = 0; i < DENY_RULES; i++) {
		if (deny->rule[i].used &&
		    denies(deny, &deny->rule[i], peer, path))
			return true;
	}
	return path->denied || denies(deny, more, peer, path);
}

/* With the rule, too many of the paths to the peer in a plane would be denied. */
static bool exceeds(const struct deny *deny, const struct deny_rule *rule,
		    const struct topo_host *peer)
{
	const struct topo *topo = deny->fabric->topo;
	struct topo_path path[MRC_EVS_MAX];
	int all = 0, denied = 0, n, hit = 0;

	n = topo_paths(topo, self_of(deny), peer, path);
	while (n--) {
		if (path[n].plane != rule->plane)
			continue;
		all++;
		denied += is_denied(deny, rule, peer, &path[n]);
		hit += denies(deny, rule, peer, &path[n]);
	}
	return hit && denied > deny->share * all;
}

static bool is_within_limits(const struct deny *deny,
			     const struct deny_rule *rule)
{
	const struct topo *topo = deny->fabric->topo;
	int peer;

	for (peer = 0; peer < topo->hosts; peer++) {
		if (peer != deny->self &&
		    exceeds(deny, rule, &topo->host[peer]))
			return false;
	}
	return true;
}

/* --- faults -------------------------------------------------------------------------- */

/* How likely it is that the rule leads around the fault. */
static double likely(const struct deny *deny, const struct deny_rule *rule,
		     const struct finding *f)
{
	double sum = f->confidence;
	int i;

	for (i = 0; i < f->others; i++) {
		if (covers(deny, rule, f->other[i].part))
			sum += f->other[i].confidence;
	}
	return sum;
}

/* Only packets to this host meet the fault; its peers must avoid it. */
static bool is_backward(const struct deny *deny, const struct finding *f)
{
	struct part part;
	int own;

	fabric_part(deny->fabric, f->exact, &part);
	if (part.kind != PART_LINK_UP && part.kind != PART_LINK_DOWN)
		return false;
	own = self_of(deny)->t0[part.plane] == part.t0;
	return part.kind == PART_LINK_UP ? !own : own;
}

/* Why there is no rule against the fault; NULL: there may be one. */
static const char *objection(const struct deny *deny, const struct finding *f,
			     struct deny_rule *rule)
{
	if (f->kind == FAULT_SLOW)
		return "it loses nothing";
	if (!make_rule(deny, f->part, rule))
		return "there is no way around it";
	if (is_backward(deny, f))
		return "it is on the way back, which the peers choose";
	if (f->paths < PATHS_MIN)
		return "a single path shows it";
	if (likely(deny, rule, f) < SURE)
		return "it may be another part";
	if (!is_within_limits(deny, rule))
		return "too many paths of the plane would be denied";
	return NULL;
}

static struct deny_rule *find(struct deny *deny, const struct deny_rule *rule)
{
	struct deny_rule *r;

	for (r = deny->rule; r < deny->rule + DENY_RULES; r++) {
		if (r->used && same_rule(r, rule))
			return r;
	}
	return NULL;
}

static void drop(struct deny *deny, struct deny_rule *rule, const char *why)
{
	/* A rule that somebody else has removed already is none. */
	deny->set(deny->arg, rule, false, why);
	rule->used = false;
}

static bool add(struct deny *deny, const struct deny_rule *rule)
{
	int i;

	for (i = 0; i < DENY_RULES; i++) {
		if (deny->rule[i].used)
			continue;
		if (!deny->set(deny->arg, rule, true, "fault"))
			return false;
		deny->rule[i] = *rule;
		return true;
	}
	return false;
}

/**
 * deny_fault() - deny the paths over a fault, if that is permitted
 * @deny: rules
 * @fault: a fault that was named or revised
 * @now: time, s
 *
 * A rule that was found when the daemon started, and would be made again, has its
 * reason back.
 */
void deny_fault(struct deny *deny, const struct fault *fault, double now)
{
	struct deny_rule rule, *known;
	const char *why;

	if (deny->mode == DENY_OFF)
		return;
	if (make_rule(deny, fault->finding.part, &rule)) {
		known = find(deny, &rule);
		if (known) {
			known->adopted = false;
			known->part = rule.part;
			known->expires = now + deny->expiry;
			return;
		}
	}
	why = objection(deny, &fault->finding, &rule);
	rule.expires = now + deny->expiry;
	if (!why && !add(deny, &rule))
		why = "the kernel refused the rule, or there are too many";
	if (why) {
		deny->refused++;
		deny->why(deny->arg, fault, why);
	}
}

/**
 * deny_clear() - permit the paths over a part again
 * @deny: rules
 * @part: its number
 */
void deny_clear(struct deny *deny, uint32_t part)
{
	struct deny_rule *r;

	for (r = deny->rule; r < deny->rule + DENY_RULES; r++) {
		if (r->used && !r->adopted && r->part == part)
			drop(deny, r, "the fault is over");
	}
}

static bool is_there(const struct faults *faults, const struct deny_rule *rule,
		     double now)
{
	const struct fault *f = faults_find(faults, rule->part);

	return !rule->adopted && f && now - f->seen < RECENT_S;
}

/**
 * deny_expire() - take back rules whose time is over
 * @deny: rules
 * @faults: what is broken: its rules are renewed
 * @now: time, s
 */
void deny_expire(struct deny *deny, const struct faults *faults, double now)
{
	struct deny_rule *r;

	for (r = deny->rule; r < deny->rule + DENY_RULES; r++) {
		if (!r->used || now < r->expires)
			continue;
		if (is_there(faults, r, now))
			r->expires = now + deny->expiry;
		else
			drop(deny, r, r->adopted ? "its fault was not found again" :
			     "it has expired");
	}
}

/**
 * deny_adopt() - take a rule that was found in the kernel
 * @deny: rules
 * @port: its port
 * @usid: its micro-segment
 * @next: the one after it; 0: none
 * @now: time, s
 *
 * Return: true if it is one of this daemon's kind; it ends soon unless its fault is
 * found again.
 */
bool deny_adopt(struct deny *deny, uint32_t port, uint32_t usid, uint32_t next,
		double now)
{
	const uint32_t *first = deny->fabric->first;
	struct deny_rule rule;
	uint32_t part;
	int i;

	for (part = first[PART_T1]; part < first[PART_LINK_UP]; part++) {
		if (make_rule(deny, part, &rule) && rule.port == port &&
		    rule.usid == usid && rule.next == next)
			break;
	}
	for (i = 0; i < DENY_RULES; i++) {
		if (part == first[PART_LINK_UP] || deny->rule[i].used)
			continue;
		deny->rule[i] = rule;
		deny->rule[i].adopted = true;
		deny->rule[i].expires = now + ADOPTED_S;
		return true;
	}
	return false;
}

/**
 * deny_withdraw() - take all rules back
 * @deny: rules
 * @why: the reason
 */
void deny_withdraw(struct deny *deny, const char *why)
{
	struct deny_rule *r;

	for (r = deny->rule; r < deny->rule + DENY_RULES; r++) {
		if (r->used)
			drop(deny, r, why);
	}
}
