// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that are likely to be accepted: few names and addresses, so that objects
 * meet each other, and values that fit together.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "request.h"

/* Names of the devices that are made, and of the objects. */
#define OTHER_DEVS	2
#define NAMES		3

static const char *const addresses[] = {
	"fd00::", "fd00:0:0:1::", "fd01::", "::ffff:10.9.0.0",
};

static const char *const sids[] = {
	"fcbb:bb00:1000::", "fcbb:bb00:1001:1002::", "fcbb:bb00:f001::1", "::",
};

/**
 * struct maker - how the value of an attribute is made
 * @set: set, or NULL for each
 * @attr: attribute
 * @make: fills its value
 */
struct maker {
	const char *set;
	const char *attr;
	void (*make)(struct node *n, struct rng *r, const struct subject *s);
};

#define PICK(r, array)	((array)[rng_below(r, MNL_ARRAY_SIZE(array))])

static void set_string(struct node *n, const char *word)
{
	node_set(n, word, strlen(word) + 1);
}

static void make_dev(struct node *n, struct rng *r, const struct subject *s)
{
	char name[16];

	if (!rng_one_in(r, 8)) {
		set_string(n, s->dev);
		return;
	}
	snprintf(name, sizeof(name), "fuzz%u", rng_below(r, OTHER_DEVS));
	set_string(n, name);
}

static void make_name(struct node *n, struct rng *r, const struct subject *s)
{
	const char name[] = { 'a' + rng_below(r, NAMES), 0 };

	node_set(n, name, sizeof(name));
}

static void make_address(struct node *n, struct rng *r, const struct subject *s)
{
	struct in6_addr a = s->peer;

	if (!rng_one_in(r, 6))
		inet_pton(AF_INET6, PICK(r, addresses), &a);
	node_set(n, &a, sizeof(a));
}

static void make_sid(struct node *n, struct rng *r, const struct subject *s)
{
	struct in6_addr a;

	inet_pton(AF_INET6, PICK(r, sids), &a);
	node_set(n, &a, sizeof(a));
}

static void make_len(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t lens[] = { 16, 64, 96, 112, 128, 128 };

	node_set_u32(n, PICK(r, lens));
}

static void make_algorithm(struct node *n, struct rng *r, const struct subject *s)
{
	static const char *const words[] = { "none", "fixed", "nscc", "" };

	set_string(n, PICK(r, words));
}

static void make_lb(struct node *n, struct rng *r, const struct subject *s)
{
	static const char *const words[] = { "rotation", "reps", "" };

	set_string(n, PICK(r, words));
}

static void make_cc_number(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t numbers[] = { 0, 1, 2, 8, 20, 64, 100, 1000, 65536,
					    1000000, UINT32_MAX };

	node_set_u32(n, PICK(r, numbers));
}

static void make_width(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t widths[] = { 8, 8, 16, 16, 4, 32 };

	node_set_u32(n, PICK(r, widths));
}

static void make_small(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, rng_below(r, 5));
}

static void make_port(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, 1 + rng_below(r, 3));
}

/* Objects are of use when they are online. */
static void make_state(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t states[] = { 1, 2, 3, 3, 3 };

	node_set_u32(n, PICK(r, states));
}

static void make_timeout(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, 1 + rng_below(r, 3));
}

static void make_ifindex(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, s->n_ifindex ? s->ifindex[rng_below(r, s->n_ifindex)] : 1);
}

static void make_qpn(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, s->n_qpn ? s->qpn[rng_below(r, s->n_qpn)] : 1);
}

/* The queue pairs go on while a path is denied or a port down, and need time for it. */
static void make_qp_timeout(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t timeouts[] = { 18, 20, 22, 25 };

	node_set_u32(n, PICK(r, timeouts));
}

static void make_qp_linear(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, 6 + rng_below(r, 3));
}

static void make_qp_exp(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, 20 + rng_below(r, 7));
}

/* The device that stays has two ports. */
static void make_ports(struct node *n, struct rng *r, const struct subject *s)
{
	node_set_u32(n, 1 + rng_below(r, 3));
}

/* Much less than the 10 s that are permitted. */
static void make_timeout_ns(struct node *n, struct rng *r, const struct subject *s)
{
	uint64_t ns = 1 + rng_below(r, 10000000);

	node_set(n, &ns, sizeof(ns));
}

static void make_count(struct node *n, struct rng *r, const struct subject *s)
{
	static const uint32_t counts[] = { 0, 1, 2, 4, 16, 256 };

	node_set_u32(n, PICK(r, counts));
}

static const struct maker makers[] = {
	{ "dev", "name", make_dev },
	{ "dev", "cc", make_name },
	{ "dev", "burst", make_count },
	{ "deny", "usid", make_small },
	{ "deny", "next", make_small },
	{ NULL, "dev", make_dev },
	{ NULL, "name", make_name },
	{ "probe-target", "format", NULL },
	{ NULL, "format", make_name },
	{ NULL, "profile", make_name },
	{ NULL, "template", make_name },
	{ NULL, "cc", make_name },
	{ NULL, "dst", make_address },
	{ NULL, "src", make_address },
	{ NULL, "sid", make_sid },
	{ NULL, "srh", make_sid },
	{ "port-set", "usid", make_sid },
	{ NULL, "usid-len", make_len },
	{ NULL, "len", make_len },
	{ "dest", "number", NULL },
	{ "cc", "algorithm", make_algorithm },
	{ "cc", "lb", make_lb },
	{ "format", "state", make_state },
	{ "profile", "state", make_state },
	{ "cc", "state", make_state },
	{ "cc", NULL, make_cc_number },
	{ "format", "width", make_width },
	{ NULL, "width", make_width },
	{ NULL, "port", make_port },
	{ "qp", "qpn", make_qpn },
	{ "qp", "timeout", make_qp_timeout },
	{ "qp", "linear", make_qp_linear },
	{ "qp", "exp", make_qp_exp },
	{ NULL, "timeout", make_timeout },
	{ NULL, "timeout-ns", make_timeout_ns },
	{ "probe", "ports", make_ports },
	{ NULL, "ifindex", make_ifindex },
	{ NULL, "count", make_count },
	{ NULL, "active", make_count },
	{ NULL, "min-active", make_count },
	{ NULL, "ev", make_small },
	{ "ev-edit", "index", make_small },
};

static const struct maker *maker_of(const char *set, const struct node *n)
{
	const struct maker *m;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(makers); i++) {
		m = &makers[i];
		if ((!m->set || !strcmp(m->set, set)) &&
		    (!m->attr || !strcmp(m->attr, n->spec->name)))
			return m;
	}
	return NULL;
}

static void make_any(struct node *n, struct rng *r)
{
	const struct spec_attr *a = n->spec;
	uint64_t wide = rng_below(r, 256);

	switch (a->kind) {
	case SPEC_U32:
		/* A small number, or any. */
		if (a->max - a->min < 256)
			wide = a->min + rng_below(r, a->max - a->min + 1);
		else if (rng_one_in(r, 4))
			wide = rng_next(r) & a->max;
		node_set_u32(n, wide);
		break;
	case SPEC_U64:
		node_set(n, &wide, sizeof(wide));
		break;
	case SPEC_BINARY:
		n->len = a->len < NODE_DATA ? a->len : NODE_DATA;
		n->data[0] = rng_next(r);
		break;
	case SPEC_STRING:
		set_string(n, "x");
		break;
	default:
		break;
	}
}

static void make_nest(struct tree *t, struct node *n, struct rng *r,
		      const struct subject *s);

static void make_value(struct tree *t, struct node *n, const char *set, struct rng *r,
		       const struct subject *s)
{
	const struct maker *m = maker_of(set, n);

	if (n->spec->kind == SPEC_NEST)
		make_nest(t, n, r, s);
	else if (m && m->make && n->spec->kind != SPEC_FLAG)
		m->make(n, r, s);
	else
		make_any(n, r);
}

static void make_nest(struct tree *t, struct node *n, struct rng *r,
		      const struct subject *s)
{
	const struct spec_set *set = n->spec->nest;
	struct node *c;
	int i;

	for (i = 0; i < set->n; i++) {
		/* The first names the object that the others are about. */
		if (i && rng_one_in(r, 12))
			continue;
		c = tree_add(t, n, &set->attr[i]);
		if (c)
			make_value(t, c, set->name, r, s);
	}
}

/* An address field as a template needs it. */
static void add_field(struct tree *t, const struct spec_attr *spec, uint32_t source,
		      uint32_t width, uint32_t from, uint32_t value)
{
	const struct spec_set *set = spec->nest;
	const uint32_t values[] = { source, width, from, value };
	struct node *n = tree_add(t, NULL, spec), *c;
	int i;

	for (i = 0; n && i < set->n && i < 4; i++) {
		c = tree_add(t, n, &set->attr[i]);
		if (c)
			node_set_u32(c, values[i]);
	}
}

enum { SOURCE_CONST = 1, SOURCE_EV, SOURCE_PLANE, SOURCE_DEST };

/* Half of a micro-segment from the EV or the plane, the other half fixed, and so on. */
static void fit_template(struct tree *t, struct rng *r, const struct spec_attr *spec)
{
	static const struct { const char *name; uint32_t value; } sizes[] = {
		{ "block", 32 }, { "usid", 16 }, { "ev-bits", 8 },
		{ "dest-bits", 16 },
	};
	int bits = 32 + (tree_find(t, NULL, "srh") ? 128 : 0), pos = 0;
	struct node *n;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(sizes); i++) {
		n = tree_find(t, NULL, sizes[i].name);
		if (n)
			node_set_u32(n, sizes[i].value);
	}
	add_field(t, spec, SOURCE_CONST, 32, 0, 0xfcbbbb00);
	for (bits += 96; pos < bits - 32 - 16 && pos < 96 + 32; pos += 16) {
		switch (rng_below(r, 4)) {
		case 0:
			add_field(t, spec, SOURCE_EV, 8, 0, 0);
			add_field(t, spec, SOURCE_CONST, 8, 0, 1);
			break;
		case 1:
			add_field(t, spec, SOURCE_PLANE, 8, 0, 0);
			add_field(t, spec, SOURCE_CONST, 8, 0, 2);
			break;
		case 2:
			add_field(t, spec, SOURCE_DEST, 16, 0, 0);
			break;
		default:
			add_field(t, spec, SOURCE_CONST, 16, 0, 0x3001);
			break;
		}
		if (pos >= 96 && !tree_find(t, NULL, "srh"))
			break;
	}
}

static void set_child(struct tree *t, struct node *in, const char *name, uint32_t value)
{
	struct node *n = tree_find(t, in, name);

	if (n)
		node_set_u32(n, value);
}

/* Fields of a profile: few values, so that some fit to the format. */
static void fit_profile(struct tree *t, struct rng *r)
{
	uint32_t kind = 1 + rng_below(r, 3);
	struct node *n;

	set_child(t, NULL, "mode", kind);
	/* One of kind "auto" has neither format nor fields, "explicit" no fields. */
	if (kind == 1)
		tree_drop_children(&t->node[0], "format");
	if (kind < 3)
		tree_drop_children(&t->node[0], "field");
	set_child(t, NULL, "packet", 0);
	for (n = t->node[0].child; n; n = n->next) {
		if (strcmp(n->spec->name, "field"))
			continue;
		set_child(t, n, "init", 0);
		set_child(t, n, "width", 8);
		set_child(t, n, "lowest", rng_below(r, 2));
		set_child(t, n, "highest", 1 + rng_below(r, 15));
		set_child(t, n, "mask", 0xff);
	}
}

/* A deny rule has few conditions; of a QP or its congestion control little changes. */
static bool left_out(const struct spec_op *op, const struct spec_attr *a, int i,
		     struct rng *r)
{
	bool removal = strstr(op->name, "-del") || strstr(op->name, "-flush");

	if (!i || (i == 1 && strcmp(op->set->name, "deny")))
		return rng_one_in(r, 40);
	if (removal)
		return rng_one_in(r, 8);
	if (!strcmp(op->set->name, "deny") || !strcmp(op->set->name, "dev"))
		return !rng_one_in(r, 2);
	if (!strcmp(op->set->name, "dest") && i > 3)
		return rng_one_in(r, 2);
	if (!strcmp(op->set->name, "cc") || !strcmp(op->set->name, "qp"))
		return !rng_one_in(r, 6);
	return rng_one_in(r, a->kind == SPEC_FLAG ? 2 : 12);
}

/* An edit either replaces an entropy value or denies it. */
static void fit_edits(struct tree *t, struct rng *r)
{
	struct node *n;

	for (n = t->node[0].child; n; n = n->next) {
		if (strcmp(n->spec->name, "edit"))
			continue;
		if (rng_one_in(r, 2)) {
			tree_drop_children(n, "denied");
		} else {
			tree_drop_children(n, "port");
			tree_drop_children(n, "bits");
		}
	}
}

/* No bits behind the prefix. */
static void fit_prefix(struct tree *t)
{
	struct node *dst = tree_find(t, NULL, "dst"), *len = tree_find(t, NULL, "len");
	uint32_t bits, i;

	if (!dst || !len)
		return;
	memcpy(&bits, len->data, sizeof(bits));
	for (i = bits / 8; i < dst->len; i++)
		dst->data[i] = 0;
}

/* What refers to another attribute is left out with it. */
static void fit_deny(struct tree *t, struct rng *r)
{
	if (!rng_one_in(r, 4))
		tree_drop_children(&t->node[0], "dst");
	if (!tree_find(t, NULL, "dst"))
		tree_drop_children(&t->node[0], "len");
	if (!tree_find(t, NULL, "usid"))
		tree_drop_children(&t->node[0], "next");
}

/* Data is sent by port 2 of the device that stays. */
static void fit_dev(struct tree *t, struct rng *r, const struct spec_op *op)
{
	const char name[] = { 'f', 'u', 'z', 'z', '0' + rng_below(r, OTHER_DEVS), 0 };
	struct node *n = tree_find(t, NULL, "port-set");

	if (n)
		set_child(t, n, "index", 1);
	n = tree_find(t, NULL, "name");
	if (n && (!strcmp(op->name, "dev-add") || !strcmp(op->name, "dev-del")))
		node_set(n, name, sizeof(name));
}

/* A target has the SID of a path over SRv6, or the format of another one. */
static void fit_targets(struct tree *t, struct rng *r)
{
	struct node *n;

	for (n = t->node[0].child; n; n = n->next) {
		if (strcmp(n->spec->name, "target"))
			continue;
		if (!rng_one_in(r, 8))
			tree_drop_children(n, "src");
		if (rng_one_in(r, 2)) {
			tree_drop_children(n, "format");
		} else {
			tree_drop_children(n, "sid");
			tree_drop_children(n, "srh");
		}
	}
}

/* One peer or targets, and one time. */
static void fit_probe(struct tree *t, struct rng *r)
{
	static const char *const peer[] = { "dst", "src", "port", "select" };
	size_t i;

	tree_drop_children(&t->node[0], rng_one_in(r, 2) ? "timeout" : "timeout-ns");
	/* Few of the addresses are the device's own. */
	if (!rng_one_in(r, 8))
		tree_drop_children(&t->node[0], "src");
	if (rng_one_in(r, 2)) {
		tree_drop_children(&t->node[0], "target");
		return;
	}
	for (i = 0; i < MNL_ARRAY_SIZE(peer); i++)
		tree_drop_children(&t->node[0], peer[i]);
	fit_targets(t, r);
}

static void fit(struct tree *t, struct rng *r, const struct spec_op *op,
		const struct spec_list *list)
{
	const char *set = op->set->name;
	struct node *n;

	if (!strcmp(set, "template") && list->n > 3) {
		n = tree_find(t, NULL, "field");
		if (n && !rng_one_in(r, 10)) {
			tree_drop_children(&t->node[0], "field");
			fit_template(t, r, n->spec);
		}
	}
	if (!strcmp(set, "profile") && !rng_one_in(r, 10))
		fit_profile(t, r);
	fit_edits(t, r);
	fit_prefix(t);
	if (!strcmp(set, "deny") && !rng_one_in(r, 10))
		fit_deny(t, r);
	if (!strcmp(set, "dev"))
		fit_dev(t, r, op);
	if (!strcmp(set, "probe") && !rng_one_in(r, 10))
		fit_probe(t, r);
}

/**
 * request_make - make a request
 * @t: filled
 * @r: decides
 * @s: what it is about
 * @op: command
 * @list: attributes of the command
 */
void request_make(struct tree *t, struct rng *r, const struct subject *s,
		  const struct spec_op *op, const struct spec_list *list)
{
	const struct spec_attr *a;
	struct node *n;
	int i, copies;

	tree_begin(t);
	for (i = 0; i < list->n; i++) {
		a = list->attr[i];
		if (left_out(op, a, i, r))
			continue;
		copies = a->multi && rng_one_in(r, 2) ? 1 + rng_below(r, 3) : 1;
		while (copies--) {
			n = tree_add(t, NULL, a);
			if (n)
				make_value(t, n, op->set->name, r, s);
		}
	}
	fit(t, r, op, list);
}
