// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mistakes in the relations between the parts of a network.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo.h"

/* --- widths ---------------------------------------------------------------- */

static int count_plane_digits(const char *digits)
{
	const char *first = strchr(digits, 'p');

	return first ? strspn(first, "p") : 0;
}

/* The numbers of all planes fit into @digits. */
static bool planes_fit(const struct topo *topo, const char *digits)
{
	int bits = count_plane_digits(digits) * TOPO_DIGIT_BITS;
	int last = topo->first_plane + topo->planes - 1;

	return !bits || bits >= 31 || !(last >> bits);
}

static bool same_places(const char *a, const char *b)
{
	for (; *a; a++, b++) {
		if ((*a == 'p') != (*b == 'p'))
			return false;
	}
	return true;
}

/* Addresses of all switches of a tier have one layout. */
static void check_tier_planes(struct topo *topo, const char *place,
			      const struct topo_tier *tier)
{
	int i;

	for (i = 0; i < tier->n * topo->planes; i++) {
		if (!planes_fit(topo, tier->usid[i].digit)) {
			topo_mistake(topo, place,
				     "plane %d does not fit the digits p of \"%s\", use more of them",
				     topo->first_plane + topo->planes - 1,
				     tier->usid[i].digit);
			return;
		}
		if (!same_places(tier->usid[0].digit, tier->usid[i].digit)) {
			topo_mistake(topo, place,
				     "\"%s\" and \"%s\" have the plane in different places, write them alike",
				     tier->usid[0].digit, tier->usid[i].digit);
			return;
		}
	}
}

static void check_host_planes(struct topo *topo)
{
	const char *first = topo->host[0].usid.digit, *digits;
	char place[TOPO_PLACE];
	int i;

	for (i = 0; i < topo->hosts; i++) {
		digits = topo->host[i].usid.digit;
		snprintf(place, sizeof(place), "hosts[%d].usid", i);
		if (!planes_fit(topo, digits)) {
			topo_mistake(topo, place,
				     "plane %d does not fit the digits p of \"%s\", use more of them",
				     topo->first_plane + topo->planes - 1,
				     digits);
			return;
		}
		if (!same_places(first, digits)) {
			topo_mistake(topo, place,
				     "\"%s\" and \"%s\" have the plane in different places, write them alike",
				     first, digits);
			return;
		}
	}
}

static void check_widths(struct topo *topo)
{
	int n = topo->t1.n ? 4 : 2;
	int block = strlen(topo->block);

	if (block + n * topo->usid_digits > TOPO_ADDR_DIGITS)
		topo_mistake(topo, "usid_bits",
			     "a block of %d bits and %d uSIDs of %d do not fit 128 bits, use smaller ones",
			     block * TOPO_DIGIT_BITS, n,
			     topo->usid_digits * TOPO_DIGIT_BITS);
	if (!planes_fit(topo, topo->block))
		topo_mistake(topo, "block",
			     "plane %d does not fit the digits p, use more of them",
			     topo->first_plane + topo->planes - 1);
	check_tier_planes(topo, "t0", &topo->t0);
	check_tier_planes(topo, "t1", &topo->t1);
	check_host_planes(topo);
}

/* --- duplicates ------------------------------------------------------------ */

/**
 * struct named - something that must differ from all others
 * @key: what must differ
 * @of: -1 of switches, of hosts the number of the T0 within which it must
 * @name: host or switch that has it
 */
struct named {
	char key[MRC_NAME_MAX];
	int of;
	char name[MRC_NAME_MAX];
};

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->of > y->of) - (x->of < y->of);
}

static void name_switches(const struct topo *topo, int tier, int plane,
			  struct named *named)
{
	const struct topo_tier *t = tier ? &topo->t1 : &topo->t0;
	int i;

	for (i = 0; i < t->n; i++, named++) {
		strcpy(named->key, topo_usid_of(t, plane, i)->digit);
		topo_plane_digits(topo, named->key, plane);
		named->of = -1;
		topo_switch_name(topo, tier, plane, i, named->name);
	}
}

static void name_host(const struct topo *topo, const struct topo_host *host,
		      int plane, struct named *named)
{
	strcpy(named->key, host->usid.digit);
	topo_plane_digits(topo, named->key, plane);
	named->of = host->t0[plane];
	snprintf(named->name, sizeof(named->name), "%s", host->name);
}

/*
 * All switches of a plane differ from each other and from all hosts; hosts may
 * share a uSID if they are attached to different T0s, as the T0 evaluates it.
 */
static void check_usids_of_plane(struct topo *topo, int plane,
				 struct named *named, int n)
{
	struct named *head = named;
	int i, at;

	name_switches(topo, 0, plane, named);
	name_switches(topo, 1, plane, named + topo->t0.n);
	at = topo->t0.n + topo->t1.n;
	for (i = 0; i < topo->hosts; i++)
		name_host(topo, &topo->host[i], plane, &named[at + i]);
	qsort(named, n, sizeof(*named), by_key);
	for (i = 1; i < n; i++) {
		if (strcmp(head->key, named[i].key)) {
			head = &named[i];
			continue;
		}
		if (head->of < 0 || named[i].of == named[i - 1].of) {
			at = head->of < 0 ? head - named : i - 1;
			topo_mistake(topo, "",
				     "%s and %s both have uSID %s in plane %d, give one another",
				     named[at].name, named[i].name, head->key,
				     topo->first_plane + plane);
			return;
		}
	}
}

static void check_usids(struct topo *topo)
{
	int n = topo->t0.n + topo->t1.n + topo->hosts, p, before;
	struct named *named = topo_alloc(n, sizeof(*named));

	before = topo->mistakes;
	for (p = 0; p < topo->planes && topo->mistakes == before; p++)
		check_usids_of_plane(topo, p, named, n);
	free(named);
}

static void name_by_name(const struct topo_host *host, struct named *named)
{
	snprintf(named->key, sizeof(named->key), "%s", host->name);
}

static void name_by_address(const struct topo_host *host, struct named *named)
{
	char word[INET6_ADDRSTRLEN];

	snprintf(named->key, sizeof(named->key), "%s/%u",
		 inet_ntop(AF_INET6, &host->prefix.addr, word, sizeof(word)),
		 host->prefix.len);
}

static void name_by_port(const struct topo_host *host, struct named *named)
{
	named->of = host->t0[0];
	if (host->port >= 0)
		snprintf(named->key, sizeof(named->key), "%d of its T0",
			 host->port);
}

/* The value of @key is unique among hosts; an empty one is ignored. */
static void check_once(struct topo *topo, const char *what,
		       void (*key)(const struct topo_host *host,
				   struct named *named))
{
	struct named *named = topo_alloc(topo->hosts, sizeof(*named));
	int i;

	for (i = 0; i < topo->hosts; i++) {
		snprintf(named[i].name, sizeof(named[i].name), "%s",
			 topo->host[i].name);
		key(&topo->host[i], &named[i]);
	}
	qsort(named, topo->hosts, sizeof(*named), by_key);
	for (i = 1; i < topo->hosts; i++) {
		if (!*named[i].key || by_key(&named[i - 1], &named[i]))
			continue;
		topo_mistake(topo, "hosts",
			     "%s and %s both have %s %s, correct one of them",
			     named[i - 1].name, named[i].name, what,
			     named[i].key);
		break;
	}
	free(named);
}

/* --- interfaces ------------------------------------------------------------ */

/* Interfaces to hosts have the number of the host's port. */
static void check_host_ports(struct topo *topo)
{
	char place[TOPO_PLACE];
	int i;

	for (i = 0; topo->t0.down.name && i < topo->hosts; i++) {
		if (topo->host[i].port >= 0)
			continue;
		snprintf(place, sizeof(place), "hosts[%d].port", i);
		topo_mistake(topo, place,
			     "this is missing, add it, since t0.down names interfaces by it");
		return;
	}
}

/* Does the number that follows a name on one side belong to the other one, too? */
static bool is_port_of(const struct topo_ports *ports, long number, int n)
{
	long port = (number - ports->first) / ports->step;

	return number >= ports->first && port < n &&
	       !((number - ports->first) % ports->step);
}

static void check_two_sides(struct topo *topo)
{
	const struct topo_ports *down = &topo->t0.down, *up = &topo->t0.up;
	const struct topo_host *host;
	char place[TOPO_PLACE];
	long number;

	if (!down->name || !up->name || strcmp(down->name, up->name))
		return;
	for (host = topo->host; host < topo->host + topo->hosts; host++) {
		number = down->first + (long)down->step * host->port;
		if (!is_port_of(up, number, topo->t1.n))
			continue;
		snprintf(place, sizeof(place), "hosts[%td].port",
			 host - topo->host);
		topo_mistake(topo, place,
			     "its T0 has %s%ld for a T1 already, give it another port",
			     down->name, number);
		return;
	}
}

static void check_interfaces(struct topo *topo)
{
	int before = topo->mistakes;

	if (topo->t1.up.name)
		topo_mistake(topo, "t1.up",
			     "T1s are the highest tier, name their interfaces to T0s in t1.down");
	check_host_ports(topo);
	if (topo->mistakes == before)
		check_two_sides(topo);
}

/* --- paths ----------------------------------------------------------------- */

static void cut_links(struct topo *topo)
{
	const struct topo_deny *deny;
	int i, j;

	topo->cut = topo_alloc((size_t)topo->planes * topo->t0.n * topo->t1.n,
			       sizeof(*topo->cut));
	for (deny = topo->deny; deny < topo->deny + topo->denies; deny++) {
		for (i = 0; deny->t1 >= 0 && i < topo->t0.n; i++) {
			if (deny->t0 < 0 || deny->t0 == i)
				*topo_cut(topo, deny->plane, i, deny->t1) = true;
		}
		for (j = 0; deny->t1 < 0 && j < topo->t1.n; j++)
			*topo_cut(topo, deny->plane, deny->t0, j) = true;
	}
}

static bool are_joined(const struct topo *topo, int plane, int a, int b)
{
	int j;

	if (a == b)
		return true;
	for (j = 0; j < topo->t1.n; j++) {
		if (!*topo_cut(topo, plane, a, j) &&
		    !*topo_cut(topo, plane, b, j))
			return true;
	}
	return false;
}

static bool are_joined_anywhere(const struct topo *topo,
				const struct topo_host *a,
				const struct topo_host *b)
{
	int p;

	for (p = 0; p < topo->planes; p++) {
		if (are_joined(topo, p, a->t0[p], b->t0[p]))
			return true;
	}
	return false;
}

static void tell_apart(struct topo *topo, int plane,
		       const struct topo_host *a, const struct topo_host *b)
{
	int number = topo->first_plane + plane;

	if (!topo->t1.n)
		topo_mistake(topo, "hosts",
			     "%s is unreachable from %s, they are attached to different T0s of plane %d, add t1",
			     b->name, a->name, number);
	else if (are_joined_anywhere(topo, a, b))
		topo_mistake(topo, "deny",
			     "plane %d has no path from %s to %s, allow a T1 between t0-%d-%d and t0-%d-%d",
			     number, a->name, b->name, number, a->t0[plane],
			     number, b->t0[plane]);
	else
		topo_mistake(topo, "deny",
			     "%s is unreachable from %s, no plane has a path left, allow some",
			     b->name, a->name);
}

/* One host on each T0 of a plane represents all hosts of that T0. */
static void check_pairs(struct topo *topo, int plane,
			const struct topo_host **on)
{
	int a, b;

	for (a = 0; a < topo->t0.n; a++) {
		for (b = a + 1; on[a] && b < topo->t0.n; b++) {
			if (!on[b] || are_joined(topo, plane, a, b))
				continue;
			tell_apart(topo, plane, on[a], on[b]);
			return;
		}
	}
}

static void check_denied_t0s(struct topo *topo, const struct topo_host **on,
			     int plane)
{
	const struct topo_deny *deny;
	char place[TOPO_PLACE];

	for (deny = topo->deny; deny < topo->deny + topo->denies; deny++) {
		if (deny->plane != plane || deny->t1 >= 0 || !on[deny->t0])
			continue;
		snprintf(place, sizeof(place), "deny[%d]", deny->line);
		topo_mistake(topo, place,
			     "%s is attached to t0-%d-%d and would have no path in plane %d, allow it",
			     on[deny->t0]->name, topo->first_plane + plane,
			     deny->t0, topo->first_plane + plane);
		return;
	}
}

static void check_ways(struct topo *topo)
{
	const struct topo_host **on;
	int p, i, before = topo->mistakes;

	for (p = 0; p < topo->planes && topo->mistakes == before; p++) {
		on = topo_alloc(topo->t0.n, sizeof(*on));
		for (i = topo->hosts - 1; i >= 0; i--)
			on[topo->host[i].t0[p]] = &topo->host[i];
		check_denied_t0s(topo, on, p);
		if (topo->mistakes == before)
			check_pairs(topo, p, on);
		free(on);
	}
}

/* Each plane has a path, and as many of them. */
static void check_paths(struct topo *topo)
{
	if (topo->paths < topo->planes)
		topo_mistake(topo, "paths", "%d paths are fewer than planes, use %d or more",
			     topo->paths, topo->planes);
}

/**
 * topo_check() - find mistakes in the relations between the parts of a network
 * @topo: network; nothing is looked for if single values are wrong
 */
void topo_check(struct topo *topo)
{
	if (topo->mistakes)
		return;
	check_widths(topo);
	check_paths(topo);
	if (topo->mistakes)
		return;
	check_once(topo, "name", name_by_name);
	check_once(topo, "address", name_by_address);
	check_once(topo, "port", name_by_port);
	check_usids(topo);
	check_interfaces(topo);
	cut_links(topo);
	check_ways(topo);
}
