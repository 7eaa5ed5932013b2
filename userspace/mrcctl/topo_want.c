// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a host of a topology needs.  Paths to it end at a uSID of its own on each
 * port.  Peers that are reached alike share a
 * profile and a template; a template finds out where each digit of an address
 * comes from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo_path.h"
#include "topo_want.h"

/* Where a digit of an address comes from. */
enum source {
	FROM_CONST,
	FROM_PLANE,
	FROM_EV,
	FROM_DEST,
};

/**
 * struct shape - peers that are reached alike
 * @peer: the first of them
 * @local: they are attached to the T0s of this host
 * @regular: the digits of their T0 are the same in all planes, but for those of
 *	the plane; otherwise all peers of a shape have the same T0s
 * @n: digits of an address
 * @digit: of any of them
 * @source: by digit
 * @ev_digits: how many come from the entropy value
 * @dest_digits: how many from the number of the destination
 * @profile: name
 * @template: name
 */
struct shape {
	const struct topo_host *peer;
	bool local;
	bool regular;
	int n;
	char digit[TOPO_ADDR_DIGITS + 1];
	enum source source[TOPO_ADDR_DIGITS];
	int ev_digits;
	int dest_digits;
	char profile[TOPO_NAME];
	char template[TOPO_NAME];
};

/**
 * struct maker - construction of what a host needs
 * @topo: network without mistakes
 * @self: this host
 * @shapes: how many
 * @shape: array
 * @want: result so far
 */
struct maker {
	const struct topo *topo;
	const struct topo_host *self;
	int shapes;
	struct shape *shape;
	struct topo_want *want;
};

/* --- shapes ---------------------------------------------------------------- */

static bool same_usid(const struct topo_usid *a, const struct topo_usid *b)
{
	return !strcmp(a->digit, b->digit);
}

/* Does the plane make no difference but where the letter p is? */
static bool is_regular(const struct topo *topo, const struct topo_host *host)
{
	int p;

	for (p = 1; p < topo->planes; p++) {
		if (!same_usid(topo_usid_of(&topo->t0, 0, host->t0[0]),
			       topo_usid_of(&topo->t0, p, host->t0[p])))
			return false;
	}
	return true;
}

/* Digit @i is the same for all T1s. */
static bool t1_digit_is_const(const struct topo *topo, int i)
{
	int j;

	for (j = 1; j < topo->planes * topo->t1.n; j++) {
		if (topo->t1.usid[j].digit[i] != topo->t1.usid[0].digit[i])
			return false;
	}
	return true;
}

/* Of digit @i of uSID number @usid. */
static enum source source_of(const struct maker *m, const struct shape *shape,
			     int usid, int i)
{
	int last = shape->local ? 1 : 3;

	if (usid == last)
		return FROM_DEST;
	if (usid == 0)
		return is_regular(m->topo, m->self) ? FROM_CONST : FROM_EV;
	if (usid == 1)
		return t1_digit_is_const(m->topo, i) ? FROM_CONST : FROM_EV;
	return shape->regular ? FROM_DEST : FROM_EV;
}

static void find_sources(const struct maker *m, struct shape *shape)
{
	int width = m->topo->usid_digits, block = strlen(m->topo->block);
	struct topo_path path = { .t1 = shape->local ? -1 : 0 };
	int i, at;

	topo_digits(m->topo, m->self, shape->peer, &path, shape->digit);
	shape->n = strlen(shape->digit);
	for (i = 0; i < shape->n; i++) {
		at = i - block;
		if (shape->digit[i] == 'p')
			shape->source[i] = FROM_PLANE;
		else if (at >= 0)
			shape->source[i] = source_of(m, shape, at / width,
						     at % width);
		shape->ev_digits += shape->source[i] == FROM_EV;
		shape->dest_digits += shape->source[i] == FROM_DEST;
	}
}

static bool has_shape(const struct maker *m, const struct shape *shape,
		      const struct topo_host *peer)
{
	if (shape->local != topo_is_local(m->topo, m->self, peer))
		return false;
	return shape->local ||
	       (shape->regular ? is_regular(m->topo, peer) :
				 topo_is_local(m->topo, shape->peer, peer));
}

/* --- objects --------------------------------------------------------------- */

/* FNV-1a: names only have to differ. */
static void hash_more(uint32_t *hash, const char *text)
{
	for (; *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 16777619u;
	*hash = (*hash ^ '\n') * 16777619u;
}

static void object_name(struct topo_object *o)
{
	uint32_t hash = 2166136261u;
	int i;

	hash_more(&hash, o->kind);
	hash_more(&hash, o->args);
	for (i = 0; i < o->evs; i++)
		hash_more(&hash, o->ev[i]);
	snprintf(o->name, sizeof(o->name), TOPO_PREFIX "%08x", hash);
}

static void free_object(struct topo_object *o)
{
	int i;

	for (i = 0; i < o->evs; i++)
		free(o->ev[i]);
	free(o->ev);
	free(o->args);
}

/* Add an object unless it is there; its name is left in @name. */
static void add_object(struct maker *m, struct topo_object *o, char *name)
{
	struct topo_want *want = m->want;
	int i;

	object_name(o);
	strcpy(name, o->name);
	for (i = 0; i < want->objects; i++) {
		if (!strcmp(want->object[i].kind, o->kind) &&
		    !strcmp(want->object[i].name, o->name)) {
			free_object(o);
			return;
		}
	}
	want->object = topo_grow(want->object, want->objects,
				 sizeof(*want->object));
	want->object[want->objects++] = *o;
}

/* Lengths of the fields that @digits digits are cut into. */
static void put_widths(FILE *f, int digits, bool masks)
{
	const char *lead = "";
	int n, bits;

	for (; digits; digits -= n) {
		n = digits < TOPO_USID_DIGITS ? digits : TOPO_USID_DIGITS;
		bits = n * TOPO_DIGIT_BITS;
		fprintf(f, "%s%d", lead, bits);
		if (masks)
			fprintf(f, "/0x%llx", (1ULL << bits) - 1);
		lead = ",";
	}
}

/* A format has a field, though all addresses may be the same in a plane. */
static void add_format(struct maker *m, const struct shape *shape, char *name)
{
	struct topo_object o = { .kind = "format" };
	size_t size;
	FILE *f = topo_text(&o.args, &size);

	fputs("mode srv6 width ", f);
	put_widths(f, shape->ev_digits ? shape->ev_digits : 1, false);
	fclose(f);
	add_object(m, &o, name);
}

static char *ev_args(const struct maker *m, const struct shape *shape,
		     const struct topo_path *path, int index)
{
	char digits[TOPO_ADDR_DIGITS + 1], *args;
	size_t size;
	FILE *f = topo_text(&args, &size);
	int i;

	topo_digits(m->topo, m->self, shape->peer, path, digits);
	fprintf(f, "index %d port %d bits ", index, path->plane + 1);
	for (i = 0; i < shape->n; i++) {
		if (shape->source[i] == FROM_EV)
			fputc(digits[i], f);
	}
	if (!shape->ev_digits)
		fputc('0', f);
	fclose(f);
	return args;
}

static void add_profile(struct maker *m, struct shape *shape,
			const char *format)
{
	struct topo_path path[MRC_EVS_MAX];
	struct topo_object o = {
		.kind = "profile",
		.evs = topo_paths(m->topo, m->self, shape->peer, path),
	};
	size_t size;
	FILE *f = topo_text(&o.args, &size);
	int i;

	fprintf(f, "mode explicit format %s count %d", format, o.evs);
	if (m->topo->packet)
		fprintf(f, " packet %d", m->topo->packet);
	fputs(" field ", f);
	if (shape->ev_digits)
		put_widths(f, shape->ev_digits, true);
	else
		fprintf(f, "%d", TOPO_DIGIT_BITS);
	fclose(f);
	o.ev = topo_alloc(o.evs, sizeof(*o.ev));
	for (i = 0; i < o.evs; i++)
		o.ev[i] = ev_args(m, shape, &path[i], i);
	add_object(m, &o, shape->profile);
}

/* Digits from @i on that come from one place and fit into one field. */
static int run_of(const struct shape *shape, int i, int end)
{
	int n = 1;

	while (i + n < end && n < TOPO_USID_DIGITS &&
	       shape->source[i + n] == shape->source[i])
		n++;
	return n;
}

static void put_field(FILE *f, const struct shape *shape, int i, int n,
		      int *ev, int *dest)
{
	int bits = n * TOPO_DIGIT_BITS;

	switch (shape->source[i]) {
	case FROM_CONST:
		fprintf(f, "%.*s/%d", n, shape->digit + i, bits);
		break;
	case FROM_PLANE:
		fprintf(f, "plane/%d", bits);
		break;
	case FROM_EV:
		fprintf(f, "ev@%d/%d", *ev, bits);
		*ev += bits;
		break;
	case FROM_DEST:
		fprintf(f, "dest@%d/%d", *dest, bits);
		*dest += bits;
		break;
	}
}

/* Fields end where uSIDs do, as each uSID has its own plane digits. */
static void put_fields(FILE *f, const struct topo *topo,
		       const struct shape *shape)
{
	int end = strlen(topo->block), i = 0, n, ev = 0, dest = 0;

	for (; i < shape->n; end += topo->usid_digits) {
		for (; i < end; i += n) {
			n = run_of(shape, i, end);
			fputs(i ? "," : "", f);
			put_field(f, shape, i, n, &ev, &dest);
		}
	}
}

static void add_template(struct maker *m, struct shape *shape)
{
	const struct topo *topo = m->topo;
	struct topo_object o = { .kind = "template" };
	int ev = shape->ev_digits ? shape->ev_digits : 1;
	size_t size;
	FILE *f = topo_text(&o.args, &size);

	fprintf(f, "block %zu usid %d ev-bits %d dest-bits %d",
		strlen(topo->block) * TOPO_DIGIT_BITS,
		topo->usid_digits * TOPO_DIGIT_BITS, ev * TOPO_DIGIT_BITS,
		shape->dest_digits * TOPO_DIGIT_BITS);
	if (topo->first_plane)
		fprintf(f, " first-plane %d", topo->first_plane);
	fputs(" field ", f);
	put_fields(f, topo, shape);
	fclose(f);
	add_object(m, &o, shape->template);
}

static struct shape *get_shape(struct maker *m, const struct topo_host *peer)
{
	char format[TOPO_NAME];
	struct shape *shape;
	int i;

	for (i = 0; i < m->shapes; i++) {
		if (has_shape(m, &m->shape[i], peer))
			return &m->shape[i];
	}
	m->shape = topo_grow(m->shape, m->shapes, sizeof(*m->shape));
	shape = &m->shape[m->shapes++];
	*shape = (struct shape){
		.peer = peer,
		.local = topo_is_local(m->topo, m->self, peer),
		.regular = is_regular(m->topo, peer),
	};
	find_sources(m, shape);
	add_format(m, shape, format);
	add_profile(m, shape, format);
	add_template(m, shape);
	return shape;
}

/* --- destinations ----------------------------------------------------------- */

static uint64_t dest_number(const struct maker *m, const struct shape *shape,
			    const struct topo_host *peer)
{
	char digits[TOPO_ADDR_DIGITS + 1], digit[2] = "";
	struct topo_path path = { .t1 = shape->local ? -1 : 0 };
	uint64_t number = 0;
	int i;

	topo_digits(m->topo, m->self, peer, &path, digits);
	for (i = 0; i < shape->n; i++) {
		if (shape->source[i] != FROM_DEST)
			continue;
		digit[0] = digits[i];
		number = number << TOPO_DIGIT_BITS | strtoul(digit, NULL, 16);
	}
	return number;
}

static void add_dest(struct maker *m, const struct topo_host *peer)
{
	const struct shape *shape = get_shape(m, peer);
	struct dest *dest = dests_add(&m->want->dests);

	dest->prefix = peer->prefix;
	strcpy(dest->profile, shape->profile);
	strcpy(dest->template, shape->template);
	dest->number = dest_number(m, shape, peer);
}

/* --- deny rules ------------------------------------------------------------------ */

/**
 * topo_rule_same() - are two deny rules equal?
 * @a: rule
 * @b: rule
 *
 * Return: true if so.
 */
bool topo_rule_same(const struct topo_rule *a, const struct topo_rule *b)
{
	return a->port == b->port && a->usid == b->usid && a->next == b->next;
}

static uint32_t usid_number(const struct topo *topo,
			    const struct topo_tier *tier, int plane, int i)
{
	char digits[TOPO_USID_DIGITS + 1];

	strcpy(digits, topo_usid_of(tier, plane, i)->digit);
	topo_plane_digits(topo, digits, plane);
	return strtoul(digits, NULL, 16);
}

static void add_rule(struct maker *m, struct topo_rule rule)
{
	struct topo_want *want = m->want;
	int i;

	for (i = 0; i < want->rules; i++) {
		if (topo_rule_same(&want->rule[i], &rule))
			return;
	}
	want->rule = topo_grow(want->rule, want->rules, sizeof(*want->rule));
	want->rule[want->rules++] = rule;
}

/* On the T0 of a peer to which paths lead over T1s. */
static bool leads_to(const struct maker *m, int plane, int t0)
{
	const struct topo_host *peer = m->topo->host;
	int i;

	for (i = 0; i < m->topo->hosts; i++, peer++) {
		if (peer->t0[plane] == t0 &&
		    !topo_is_local(m->topo, m->self, peer))
			return true;
	}
	return false;
}

/*
 * What is denied, as far as paths of this host could use it.  A T0 that is
 * denied has no hosts, and no path visits it.
 */
static void add_rules(struct maker *m, const struct topo_deny *deny)
{
	const struct topo *topo = m->topo;
	struct topo_rule rule = { .port = deny->plane + 1 };
	uint32_t t0, t1;

	if (deny->t1 < 0)
		return;
	t1 = usid_number(topo, &topo->t1, deny->plane, deny->t1);
	rule.usid = t1;
	if (deny->t0 < 0) {
		add_rule(m, rule);
		return;
	}
	t0 = usid_number(topo, &topo->t0, deny->plane, deny->t0);
	rule.next = t0;
	if (leads_to(m, deny->plane, deny->t0))
		add_rule(m, rule);
	rule = (struct topo_rule){ rule.port, t0, t1 };
	if (m->self->t0[deny->plane] == deny->t0)
		add_rule(m, rule);
}

/**
 * topo_want() - find what a host needs
 * @topo: network without mistakes
 * @self: the host
 * @want: filled in; topo_want_free() it
 */
void topo_want(const struct topo *topo, const struct topo_host *self,
	       struct topo_want *want)
{
	struct maker m = { .topo = topo, .self = self, .want = want };
	int i;

	memset(want, 0, sizeof(*want));
	want->ports = topo->planes;
	for (i = 0; i < topo->planes; i++)
		topo_usid_prefix(topo, self, i, &want->usid[i]);
	for (i = 0; i < topo->hosts; i++) {
		if (&topo->host[i] != self)
			add_dest(&m, &topo->host[i]);
	}
	dests_sort(&want->dests);
	for (i = 0; i < topo->denies; i++)
		add_rules(&m, &topo->deny[i]);
	free(m.shape);
}

/**
 * topo_want_free() - free what topo_want() has allocated
 * @want: filled in by topo_want()
 */
void topo_want_free(struct topo_want *want)
{
	int i;

	for (i = 0; i < want->objects; i++)
		free_object(&want->object[i]);
	free(want->object);
	free(want->dests.dest);
	free(want->rule);
}
