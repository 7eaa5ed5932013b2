// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From what a device has to what its host needs: a list of commands, in an
 * order in which peers that stay always have paths, and no path that is to be
 * denied is used any more before others change.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "topo_apply.h"

/**
 * struct step - one command
 * @line: as of a batch
 * @part: of what the step before begins; not printed
 */
struct step {
	char *line;
	bool part;
};

/**
 * struct plan - what is to be done
 * @have: configuration of the device
 * @want: configuration that its host needs
 * @dev: name of the device
 * @steps: how many
 * @step: array
 */
struct plan {
	const struct topo_have *have;
	const struct topo_want *want;
	const char *dev;
	int steps;
	struct step *step;
};

/* --- the plan ---------------------------------------------------------------- */

static void add_step(struct plan *plan, bool part, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_step(struct plan *plan, bool part, const char *fmt, ...)
{
	struct step step = { .part = part };
	va_list args;
	size_t size;
	FILE *f = topo_text(&step.line, &size);

	va_start(args, fmt);
	vfprintf(f, fmt, args);
	va_end(args);
	fclose(f);
	plan->step = topo_grow(plan->step, plan->steps, sizeof(step));
	plan->step[plan->steps++] = step;
}

static void add_rule(struct plan *plan, const char *verb,
		     const struct topo_rule *rule)
{
	if (rule->next)
		add_step(plan, false, "path %s dev %s port %u usid %x next %x",
			 verb, plan->dev, rule->port, rule->usid, rule->next);
	else
		add_step(plan, false, "path %s dev %s port %u usid %x", verb,
			 plan->dev, rule->port, rule->usid);
}

/* A step for each deny rule of @a that is not in @b. */
static void diff_rules(struct plan *plan, const char *verb,
		       const struct topo_rule *a, int n_a,
		       const struct topo_rule *b, int n_b)
{
	int i, j;

	for (i = 0; i < n_a; i++) {
		for (j = 0; j < n_b && !topo_rule_same(&a[i], &b[j]); j++)
			;
		if (j == n_b)
			add_rule(plan, verb, &a[i]);
	}
}

static const struct topo_had *find_had(const struct plan *plan,
				       const struct topo_object *o)
{
	const struct topo_had *had = plan->have->object;
	int i;

	for (i = 0; i < plan->have->objects; i++, had++) {
		if (!strcmp(had->kind, o->kind) && !strcmp(had->name, o->name))
			return had;
	}
	return NULL;
}

static bool is_wanted(const struct plan *plan, const struct topo_had *had)
{
	const struct topo_object *o = plan->want->object;
	int i;

	for (i = 0; i < plan->want->objects; i++, o++) {
		if (!strcmp(had->kind, o->kind) && !strcmp(had->name, o->name))
			return true;
	}
	return false;
}

static void add_object(struct plan *plan, const struct topo_object *o)
{
	int i;

	add_step(plan, false, "%s add %s dev %s %s", o->kind, o->name,
		 plan->dev, o->args);
	for (i = 0; i < o->evs; i++)
		add_step(plan, true, "profile ev %s dev %s %s", o->name,
			 plan->dev, o->ev[i]);
	if (o->evs)
		add_step(plan, true, "profile set %s dev %s state online",
			 o->name, plan->dev);
}

static void del_object(struct plan *plan, const struct topo_had *had)
{
	add_step(plan, false, "%s del %s dev %s", had->kind, had->name,
		 plan->dev);
}

/* Replace objects that were never set online; none refers to them. */
static void add_objects(struct plan *plan)
{
	const struct topo_object *o = plan->want->object;
	const struct topo_had *had;
	int i;

	for (i = 0; i < plan->want->objects; i++, o++) {
		had = find_had(plan, o);
		if (had && had->online)
			continue;
		if (had)
			del_object(plan, had);
		add_object(plan, o);
	}
}

/* Those that refer to others first. */
static void del_objects(struct plan *plan)
{
	int i;

	for (i = plan->have->objects - 1; i >= 0; i--) {
		if (!is_wanted(plan, &plan->have->object[i]))
			del_object(plan, &plan->have->object[i]);
	}
}

/* --- ports ------------------------------------------------------------------- */

static int compare(const struct prefix *a, const struct prefix *b)
{
	int order = memcmp(&a->addr, &b->addr, sizeof(a->addr));

	return order ? order : (int)a->len - (int)b->len;
}

static void diff_ports(struct plan *plan)
{
	const struct prefix *usid = plan->want->usid;
	char word[OUT_WORD];
	int i;

	for (i = 0; i < plan->want->ports; i++, usid++) {
		if (compare(&plan->have->usid[i], usid))
			add_step(plan, false, "port set dev %s port %d usid %s",
				 plan->dev, i + 1,
				 out_prefix_word(&usid->addr, usid->len, word));
	}
}

/* --- destinations -------------------------------------------------------------- */

static bool is_ours(const struct dest *dest)
{
	return !strncmp(dest->profile, TOPO_PREFIX, strlen(TOPO_PREFIX));
}

static bool leads_alike(const struct dest *a, const struct dest *b)
{
	return !strcmp(a->profile, b->profile) &&
	       !strcmp(a->template, b->template) && a->number == b->number;
}

/* @cc: what the operator has chosen for it, which is not ours to change; or "" */
static void add_dest(struct plan *plan, const char *verb,
		     const struct dest *dest, const char *cc)
{
	char word[OUT_WORD];

	add_step(plan, false,
		 "dest %s %s/%u dev %s profile %s template %s number 0x%llx%s%s",
		 verb, out_addr_word(&dest->prefix.addr, word),
		 dest->prefix.len, plan->dev, dest->profile, dest->template,
		 (unsigned long long)dest->number, *cc ? " cc " : "", cc);
}

static void del_dest(struct plan *plan, const struct dest *dest)
{
	char word[OUT_WORD];

	add_step(plan, false, "dest del %s/%u dev %s",
		 out_addr_word(&dest->prefix.addr, word), dest->prefix.len,
		 plan->dev);
}

/* Both lists are sorted. */
static void diff_dests(struct plan *plan)
{
	const struct dests *have = &plan->have->dests;
	const struct dests *want = &plan->want->dests;
	size_t i = 0, j = 0;
	int order;

	while (i < have->n || j < want->n) {
		order = i == have->n ? 1 : j == want->n ? -1 :
			compare(&have->dest[i].prefix, &want->dest[j].prefix);
		if (order > 0)
			add_dest(plan, "add", &want->dest[j], "");
		else if (!order && !leads_alike(&have->dest[i], &want->dest[j]))
			add_dest(plan, "replace", &want->dest[j],
				 have->dest[i].cc);
		else if (order < 0 && is_ours(&have->dest[i]))
			del_dest(plan, &have->dest[i]);
		i += order <= 0;
		j += order >= 0;
	}
}

/**
 * topo_check_foreign() - look for a destination of a peer outside the topology
 * @have: what a device has
 * @want: what its host needs
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting it.
 */
int topo_check_foreign(const struct topo_have *have,
		       const struct topo_want *want)
{
	const struct dest *dest;
	char word[OUT_WORD];
	size_t i, j = 0;

	for (i = 0; i < have->dests.n; i++) {
		dest = &have->dests.dest[i];
		while (j < want->dests.n &&
		       compare(&want->dests.dest[j].prefix, &dest->prefix) < 0)
			j++;
		if (j == want->dests.n)
			break;
		if (compare(&want->dests.dest[j].prefix, &dest->prefix) ||
		    is_ours(dest))
			continue;
		out_addr_word(&dest->prefix.addr, word);
		return usage_error("destination %s/%u of %s is not part of "
				   "a topology, delete it first",
				   word, dest->prefix.len, have->dev);
	}
	return EXIT_OK;
}

/* --- doing it -------------------------------------------------------------------- */

/* In text the line itself, which can be used in a batch. */
static void tell(const struct step *step)
{
	char object[OUT_WORD], command[OUT_WORD];

	out_object(NULL);
	if (sscanf(step->line, "%63s %63s", object, command) == 2) {
		out_string("object", NULL, object);
		out_string("command", NULL, command);
	}
	out_string("line", "%s\n", step->line);
	out_object_end();
}

static int do_step(struct nl *nl, const struct step *step)
{
	char *line = strdup(step->line);
	int ret = EXIT_KERNEL;

	if (line)
		ret = run_line(nl, line);
	if (ret)
		fprintf(stderr, "mrcctl: the failed command is '%s'; "
				"correct the cause and apply again\n",
			step->line);
	free(line);
	return ret;
}

static int do_plan(struct nl *nl, const struct plan *plan, bool dry_run)
{
	const struct step *step;
	int ret = EXIT_OK, i;

	out_begin();
	for (i = 0; i < plan->steps && !ret; i++) {
		step = &plan->step[i];
		if (!dry_run)
			ret = do_step(nl, step);
		if (!ret && (dry_run || !step->part))
			tell(step);
	}
	if (!plan->steps)
		out_text("%snothing to do\n", dry_run ? "# " : "");
	out_end();
	return ret;
}

/**
 * topo_apply() - configure a device as its host needs, print the steps
 * @nl: connection
 * @have: what the device has
 * @want: what its host needs
 * @dry_run: only print
 *
 * Return: enum exit_code.
 */
int topo_apply(struct nl *nl, const struct topo_have *have,
	       const struct topo_want *want, bool dry_run)
{
	struct plan plan = { .have = have, .want = want, .dev = have->dev };
	int ret, i;

	diff_ports(&plan);
	diff_rules(&plan, "deny", want->rule, want->rules, have->rule,
		   have->rules);
	add_objects(&plan);
	diff_dests(&plan);
	del_objects(&plan);
	diff_rules(&plan, "allow", have->rule, have->rules, want->rule,
		   want->rules);
	ret = do_plan(nl, &plan, dry_run);
	for (i = 0; i < plan.steps; i++)
		free(plan.step[i].line);
	free(plan.step);
	return ret;
}
