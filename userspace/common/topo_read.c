// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the JSON of a topology file to a network.  Everything that is wrong with
 * single values is found here, each with its place; their relations are
 * checked by topo_check().
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "topo.h"

/**
 * struct object_place - an object of the file that is being read
 * @topo: network
 * @json: the object
 * @place: where it is: a JSON path that ends with a dot, "" at the top
 * @bad: something is wrong with it
 */
struct object_place {
	struct topo *topo;
	json_t *json;
	char place[TOPO_PLACE];
	bool bad;
};

static void wrong(struct object_place *o, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void wrong(struct object_place *o, const char *key, const char *fmt, ...)
{
	char place[TOPO_PLACE + TOPO_NAME], text[TOPO_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	snprintf(place, sizeof(place), "%s%s", o->place, key);
	topo_mistake(o->topo, place, "%s", text);
	o->bad = true;
}

static const char *type_name(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "a whole number";
	default:
		return "something else";
	}
}

/* Is it an object, and are its keys among @keys, which ends with a NULL? */
static bool open_object(struct object_place *o, const char * const *keys)
{
	char known[TOPO_TEXT / 2] = "";
	const char *key;
	json_t *value;
	size_t n = 0;
	int i;

	if (!json_is_object(o->json)) {
		o->place[strlen(o->place) - 1] = '\0';
		wrong(o, "", "this is %s, give an object in braces",
		      type_name(json_typeof(o->json)));
		return false;
	}
	for (i = 0; keys[i]; i++)
		n += snprintf(known + n, sizeof(known) - n, " %s", keys[i]);
	json_object_foreach(o->json, key, value) {
		for (i = 0; keys[i] && strcmp(keys[i], key); i++)
			;
		if (!keys[i])
			wrong(o, key, "there is no such key, remove it or use one of:%s",
			      known);
	}
	return true;
}

/* The value of a key if it is there and of its type. */
static json_t *get(struct object_place *o, const char *key, json_type type,
		   bool required)
{
	json_t *value = json_object_get(o->json, key);

	if (!value) {
		if (required)
			wrong(o, key, "this is missing, add %s",
			      type_name(type));
		return NULL;
	}
	if (json_typeof(value) == type)
		return value;
	wrong(o, key, "this is %s, give %s", type_name(json_typeof(value)),
	      type_name(type));
	return NULL;
}

static int get_int(struct object_place *o, const char *key, int min, int max,
		   int otherwise)
{
	json_t *json = get(o, key, JSON_INTEGER, false);
	json_int_t value;

	if (!json)
		return otherwise;
	value = json_integer_value(json);
	if (value >= min && value <= max)
		return value;
	wrong(o, key, "%lld is out of range, use %d to %d", (long long)value,
	      min, max);
	return otherwise;
}

static int get_required_int(struct object_place *o, const char *key, int min,
			    int max)
{
	if (!json_object_get(o->json, key))
		wrong(o, key, "this is missing, add a number from %d to %d",
		      min, max);
	return get_int(o, key, min, max, min);
}

/* --- uSIDs ----------------------------------------------------------------- */

/* What a letter stands for in a uSID; -1: nothing, it must not occur. */
struct letters {
	int n;
	int x;
};

/* Put a number in the places of a letter, the last digit in the last place. */
static bool put_digits(char *digits, char letter, int number)
{
	int i;

	for (i = strlen(digits) - 1; i >= 0; i--) {
		if (digits[i] != letter)
			continue;
		digits[i] = "0123456789abcdef"[number & 15];
		number >>= TOPO_DIGIT_BITS;
	}
	return !number;
}

static bool put_letter(struct object_place *o, const char *key, char *digits,
		       const char *text, char letter, int number)
{
	if (!strchr(digits, letter))
		return true;
	if (number < 0) {
		wrong(o, key, "\"%s\" has a digit %c, which is the %s, add that",
		      text, letter, letter == 'n' ? "number" : "port");
		return false;
	}
	if (put_digits(digits, letter, number))
		return true;
	wrong(o, key, "number %d does not fit the digits %c of \"%s\", use more of them",
	      number, letter, text);
	return false;
}

/* The digits of a plane's number are adjacent. */
static bool is_together(const char *digits)
{
	const char *first = strchr(digits, 'p');

	return !first || !strchr(first + strspn(first, "p"), 'p');
}

static bool has_digits(struct object_place *o, const char *key,
		       const char *text)
{
	int n = o->topo->usid_digits;

	if (strspn(text, "0123456789abcdefABCDEFpnx") != strlen(text)) {
		wrong(o, key, "\"%s\" is no uSID, use hexadecimal digits and the letters p, n, x",
		      text);
		return false;
	}
	if ((int)strlen(text) != n) {
		wrong(o, key, "\"%s\" has %zu digits, write %d, as uSIDs have %d bits",
		      text, strlen(text), n, n * TOPO_DIGIT_BITS);
		return false;
	}
	if (is_together(text))
		return true;
	wrong(o, key, "the digits p of \"%s\" are not adjacent, put them together",
	      text);
	return false;
}

static void read_usid(struct object_place *o, const char *key,
		      const char *text, struct letters of,
		      struct topo_usid *usid)
{
	char *digit;

	if (!has_digits(o, key, text))
		return;
	strcpy(usid->digit, text);
	for (digit = usid->digit; *digit; digit++)
		*digit = tolower((unsigned char)*digit);
	if (!put_letter(o, key, usid->digit, text, 'n', of.n) ||
	    !put_letter(o, key, usid->digit, text, 'x', of.x))
		return;
	if (strspn(usid->digit, "0") == strlen(usid->digit))
		wrong(o, key, "uSID \"%s\" is zero, which ends a list of uSIDs, use another",
		      text);
}

/* --- tiers ----------------------------------------------------------------- */

static void read_rule(struct object_place *o, struct topo_tier *tier)
{
	const char *text = json_string_value(get(o, "usid", JSON_STRING, true));
	int n = get_required_int(o, "count", 1, TOPO_SWITCHES_MAX), i;

	if (o->bad)
		return;
	tier->n = n;
	tier->usid = topo_alloc((size_t)o->topo->planes * n,
				sizeof(*tier->usid));
	for (i = 0; i < o->topo->planes * n && !o->bad; i++)
		read_usid(o, "usid", text, (struct letters){ i % n, -1 },
			  &tier->usid[i]);
}

/* The switches of one plane; @text has its key. */
static void read_plane(struct object_place *o, struct topo_tier *tier,
		       json_t *list, int plane, const char *text)
{
	char key[2 * TOPO_NAME];
	json_t *value;
	size_t i;

	json_array_foreach(list, i, value) {
		snprintf(key, sizeof(key), "%s[%zu]", text, i);
		if (!json_is_string(value))
			wrong(o, key, "this is %s, give a string",
			      type_name(json_typeof(value)));
		else
			read_usid(o, key, json_string_value(value),
				  (struct letters){ i, -1 },
				  &tier->usid[plane * tier->n + i]);
	}
}

static bool is_even(struct object_place *o, json_t *list, int planes)
{
	size_t n = json_array_size(json_array_get(list, 0)), i, m;

	if (json_array_size(list) != (size_t)planes) {
		wrong(o, "usids", "the lists are for %zu planes, give one for each of the %d",
		      json_array_size(list), planes);
		return false;
	}
	for (i = 1; i < (size_t)planes; i++) {
		m = json_array_size(json_array_get(list, i));
		if (m == n)
			continue;
		wrong(o, "usids", "plane %zu has %zu switches, plane 0 has %zu, list as many",
		      i, m, n);
		return false;
	}
	return true;
}

/* A list for all planes, or a list of lists, one for each. */
static void read_list(struct object_place *o, struct topo_tier *tier)
{
	json_t *list = get(o, "usids", JSON_ARRAY, true), *of_plane = list;
	bool each = json_is_array(json_array_get(list, 0));
	char key[TOPO_NAME] = "usids";
	int p;

	if (!list || (each && !is_even(o, list, o->topo->planes)))
		return;
	tier->n = json_array_size(each ? json_array_get(list, 0) : list);
	if (!tier->n || tier->n > TOPO_SWITCHES_MAX) {
		wrong(o, "usids", "%d switches are out of range, list 1 to %d",
		      tier->n, TOPO_SWITCHES_MAX);
		return;
	}
	tier->usid = topo_alloc((size_t)o->topo->planes * tier->n,
				sizeof(*tier->usid));
	for (p = 0; p < o->topo->planes && !o->bad; p++) {
		if (each) {
			snprintf(key, sizeof(key), "usids[%d]", p);
			of_plane = json_array_get(list, p);
		}
		read_plane(o, tier, of_plane, p, key);
	}
}

/* Names of interfaces; @place is the path of the tier. */
static void read_ports(struct object_place *tier, const char *key,
		       struct topo_ports *ports)
{
	static const char * const keys[] = {
		"name", "first", "step", "comment", NULL
	};
	struct object_place o = { .topo = tier->topo };

	o.json = get(tier, key, JSON_OBJECT, false);
	if (!o.json)
		return;
	snprintf(o.place, sizeof(o.place), "%.*s%s.", TOPO_NAME, tier->place,
		 key);
	if (!open_object(&o, keys))
		return;
	ports->name = json_string_value(get(&o, "name", JSON_STRING, true));
	ports->first = get_int(&o, "first", 0, UINT16_MAX, 0);
	ports->step = get_int(&o, "step", 1, UINT8_MAX, 1);
	if (ports->name && (!*ports->name || strpbrk(ports->name, "/ \t\n")))
		wrong(&o, "name", "\"%s\" is no name of an interface, leave out blanks and slashes",
		      ports->name);
}

static void read_tier(struct object_place *top, const char *key, bool required,
		      struct topo_tier *tier)
{
	static const char * const keys[] = {
		"count", "usid", "usids", "down", "up", "comment", NULL
	};
	struct object_place o = { .topo = top->topo };

	o.json = get(top, key, JSON_OBJECT, required);
	if (!o.json)
		return;
	snprintf(o.place, sizeof(o.place), "%s.", key);
	if (!open_object(&o, keys))
		return;
	if (!json_object_get(o.json, "usids"))
		read_rule(&o, tier);
	else if (json_object_get(o.json, "usid") ||
		 json_object_get(o.json, "count"))
		wrong(&o, "usids", "usid or count is given too, give either "
			  "usids or usid and count");
	else
		read_list(&o, tier);
	read_ports(&o, "down", &tier->down);
	read_ports(&o, "up", &tier->up);
}

/* --- hosts ----------------------------------------------------------------- */

static bool check_t0(struct object_place *o, const char *key, json_t *value)
{
	int last = o->topo->t0.n - 1;

	if (!json_is_integer(value))
		wrong(o, key, "this is %s, give the number of a T0",
		      type_name(json_typeof(value)));
	else if (json_integer_value(value) < 0 ||
		 json_integer_value(value) > last)
		wrong(o, key, "there is no T0 %lld, use 0 to %d",
		      (long long)json_integer_value(value), last);
	else
		return true;
	return false;
}

/* A number for all planes, or one for each. */
static void read_host_t0(struct object_place *o, struct topo_host *host)
{
	json_t *json = json_object_get(o->json, "t0"), *value = json;
	int planes = o->topo->planes, p;
	char key[TOPO_NAME] = "t0";

	if (!json) {
		wrong(o, key, "this is missing, add the number of the T0 of the host");
		return;
	}
	if (json_is_array(json) && json_array_size(json) != (size_t)planes) {
		wrong(o, key, "the host is attached to %zu planes of %d, give a T0 for each",
		      json_array_size(json), planes);
		return;
	}
	for (p = 0; p < planes; p++) {
		if (json_is_array(json)) {
			value = json_array_get(json, p);
			snprintf(key, sizeof(key), "t0[%d]", p);
		}
		if (!check_t0(o, key, value))
			return;
		host->t0[p] = json_integer_value(value);
	}
}

/* An IPv6 address, perhaps with a length; false if it is none. */
static bool take_prefix(const char *text, struct prefix *prefix)
{
	char addr[INET6_ADDRSTRLEN] = "";
	size_t n = strcspn(text, "/");
	int end = 0;
	uint32_t i;

	prefix->len = 128;
	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	if (inet_pton(AF_INET6, addr, &prefix->addr) != 1)
		return false;
	if (text[n] && (sscanf(text + n, "/%3u%n", &prefix->len, &end) != 1 ||
			text[n + end] || prefix->len > 128))
		return false;
	for (i = prefix->len; i < 128; i++) {
		if (prefix->addr.s6_addr[i / 8] & 0x80 >> i % 8)
			return false;
	}
	return true;
}

static void read_host_address(struct object_place *o, struct topo_host *host)
{
	const char *text = json_string_value(get(o, "address", JSON_STRING,
						 true));

	if (!text)
		return;
	if (!take_prefix(text, &host->prefix))
		wrong(o, "address", "\"%s\" is no IPv6 address or prefix, give the host's GID",
		      text);
}

static void read_host_usid(struct object_place *o, struct topo_host *host)
{
	struct letters of = {
		.n = get_int(o, "number", 0, INT32_MAX, -1),
		.x = get_int(o, "port", 0, INT32_MAX, -1),
	};
	const char *text = json_string_value(get(o, "usid", JSON_STRING,
						 false));

	host->port = of.x;
	if (!text)
		text = json_string_value(json_object_get(o->topo->json,
							 "host_usid"));
	if (text)
		read_usid(o, "usid", text, of, &host->usid);
	else
		wrong(o, "usid", "this is missing, add it, or host_usid for all hosts");
}

static void read_host(struct object_place *o, struct topo_host *host)
{
	static const char * const keys[] = {
		"name", "address", "t0", "port", "number", "usid", "comment",
		NULL
	};

	host->name = "?";
	if (!open_object(o, keys))
		return;
	if (get(o, "name", JSON_STRING, true))
		host->name = json_string_value(json_object_get(o->json,
							       "name"));
	if (!*host->name || strlen(host->name) >= MRC_NAME_MAX)
		wrong(o, "name", "a name has 1 to %d bytes, choose another",
		      MRC_NAME_MAX - 1);
	read_host_address(o, host);
	read_host_t0(o, host);
	read_host_usid(o, host);
}

static void read_hosts(struct object_place *top)
{
	json_t *list = get(top, "hosts", JSON_ARRAY, true);
	struct object_place o = { .topo = top->topo };
	struct topo *topo = top->topo;
	json_t *value;
	size_t i;

	if (!list)
		return;
	topo->host = topo_alloc(json_array_size(list) + 1,
				sizeof(*topo->host));
	topo->hosts = json_array_size(list);
	json_array_foreach(list, i, value) {
		snprintf(o.place, sizeof(o.place), "hosts[%zu].", i);
		o.json = value;
		read_host(&o, &topo->host[i]);
	}
}

/* --- denials --------------------------------------------------------------- */

/* What a word of a denial names. */
struct switch_word {
	int tier;
	int plane;		/* -1: all */
	int number;
};

/* "t1-2-3" or "t1-*-3"; returns the rest after it, or NULL. */
static const char *scan_switch(const char *word, struct switch_word *sw)
{
	char plane[8];
	int n = 0;

	if (sscanf(word, "t%1d-%7[*0-9]-%5d%n", &sw->tier, plane, &sw->number,
		   &n) != 3 || sw->number < 0)
		return NULL;
	sw->plane = strcmp(plane, "*") ? atoi(plane) : -1;
	return sw->plane >= 0 && strchr(plane, '*') ? NULL : word + n;
}

static bool check_switch(struct object_place *o, const char *key,
			 const char *word, const struct switch_word *sw)
{
	const struct topo *topo = o->topo;
	int n = sw->tier == 0 ? topo->t0.n : sw->tier == 1 ? topo->t1.n : 0;
	int last = topo->first_plane + topo->planes - 1;

	if (sw->plane >= 0 &&
	    (sw->plane < topo->first_plane || sw->plane > last))
		wrong(o, key, "\"%s\": there is no plane %d, use %d to %d or *",
		      word, sw->plane, topo->first_plane, last);
	else if (sw->number >= n)
		wrong(o, key, "\"%s\": there is no such switch, tier %d has %d in each plane",
		      word, sw->tier, n);
	else
		return true;
	return false;
}

static void add_deny(struct topo *topo, int line, const struct switch_word *a,
		     const struct switch_word *b)
{
	struct topo_deny deny = { .line = line, .t0 = -1, .t1 = -1 };
	int p;

	*(a->tier ? &deny.t1 : &deny.t0) = a->number;
	if (b)
		*(b->tier ? &deny.t1 : &deny.t0) = b->number;
	for (p = 0; p < topo->planes; p++) {
		if (a->plane >= 0 && a->plane != topo->first_plane + p)
			continue;
		deny.plane = p;
		topo->deny[topo->denies++] = deny;
	}
}

static void read_deny(struct object_place *o, int line, const char *key,
		      const char *word)
{
	struct switch_word a, b;
	const char *rest = scan_switch(word, &a);
	bool link = rest && *rest == ':';

	if (link)
		rest = scan_switch(rest + 1, &b);
	if (!rest || *rest) {
		wrong(o, key, "\"%s\" is no switch or link, write it like t1-0-3 or t0-0-1:t1-0-3",
		      word);
		return;
	}
	if (!check_switch(o, key, word, &a) ||
	    (link && !check_switch(o, key, word, &b)))
		return;
	if (link && (a.tier == b.tier || a.plane != b.plane))
		wrong(o, key, "\"%s\" is no link, name a T0 and a T1 of one plane",
		      word);
	else
		add_deny(o->topo, line, &a, link ? &b : NULL);
}

static void read_denies(struct object_place *top)
{
	json_t *list = get(top, "deny", JSON_ARRAY, false), *value;
	char key[TOPO_NAME];
	size_t i;

	if (!list || top->topo->mistakes)
		return;
	top->topo->deny = topo_alloc(json_array_size(list) * top->topo->planes +
				     1, sizeof(*top->topo->deny));
	json_array_foreach(list, i, value) {
		snprintf(key, sizeof(key), "deny[%zu]", i);
		if (json_is_string(value))
			read_deny(top, i, key, json_string_value(value));
		else
			wrong(top, key, "this is %s, give a string",
			      type_name(json_typeof(value)));
	}
}

/* --- the whole ------------------------------------------------------------- */

/* Digits of "fcbb:bb00", each group to its full length; false: it is none. */
static bool block_digits(const char *text, size_t len, char *digits)
{
	size_t n = 0, group;

	while (len) {
		group = strspn(text, "0123456789abcdefABCDEFp");
		if (!group || group > 4 || n + 4 > TOPO_ADDR_DIGITS)
			return false;
		n += sprintf(digits + n, "%.*s%.*s", (int)(4 - group), "000",
			     (int)group, text);
		text += group;
		len -= group;
		if (!len)
			break;
		if (*text != ':' || len == 1)
			return false;
		text++;
		len--;
	}
	return n && is_together(digits);
}

static void read_block(struct object_place *top)
{
	const char *text = json_string_value(get(top, "block", JSON_STRING,
						 true));
	char *digits = top->topo->block, *digit;
	const char *end = text ? strstr(text, "::/") : NULL;
	int bits, rest, n = 0;

	if (!text)
		return;
	if (!end || sscanf(end, "::/%3d%n", &bits, &n) != 1 || end[n] ||
	    !block_digits(text, end - text, digits)) {
		wrong(top, "block", "\"%s\" is no prefix, write it like \"fcbb:bb00::/32\"",
		      text);
		return;
	}
	rest = strlen(digits);
	if (bits < TOPO_DIGIT_BITS || bits % TOPO_DIGIT_BITS ||
	    bits >= TOPO_ADDR_DIGITS * TOPO_DIGIT_BITS) {
		wrong(top, "block", "%d bits are not possible, use a multiple of 4 below 128",
		      bits);
		return;
	}
	n = bits / TOPO_DIGIT_BITS;
	if (rest > n && strspn(digits + n, "0") != strlen(digits + n)) {
		wrong(top, "block", "\"%s\" has bits set after its first "
			   "%d, write a greater length",
		      text, bits);
		return;
	}
	for (; rest < n; rest++)
		digits[rest] = '0';
	digits[n] = '\0';
	for (digit = digits; *digit; digit++)
		*digit = tolower((unsigned char)*digit);
}

/* The bits of an address that are a uSID. */
static bool ends_with_zeros(const struct in6_addr *addr, int bits)
{
	int i;

	for (i = 0; i < bits / 8; i++) {
		if (addr->s6_addr[15 - i])
			return false;
	}
	return !(bits % 8) || !(addr->s6_addr[15 - i] & 15);
}

static void read_link_local(struct object_place *top)
{
	const char *text = json_string_value(get(top, "link_local",
						 JSON_STRING, false));
	int bits = top->topo->usid_digits * TOPO_DIGIT_BITS;
	struct in6_addr *addr = &top->topo->link_local;

	if (inet_pton(AF_INET6, text ? text : "fe80::", addr) != 1 ||
	    !IN6_IS_ADDR_LINKLOCAL(addr))
		wrong(top, "link_local", "\"%s\" is no link-local address, use \"fe80::\"",
		      text);
	else if (!ends_with_zeros(addr, bits))
		wrong(top, "link_local", "\"%s\" has bits set in its last %d, which are the uSID",
		      text, bits);
}

static void read_widths(struct object_place *top)
{
	struct topo *topo = top->topo;
	int bits = get_int(top, "usid_bits", TOPO_DIGIT_BITS,
			   TOPO_USID_DIGITS * TOPO_DIGIT_BITS, 16);

	if (bits % TOPO_DIGIT_BITS)
		wrong(top, "usid_bits", "%d is no multiple of 4, use one",
		      bits);
	topo->usid_digits = bits / TOPO_DIGIT_BITS;
}

static void read_topo(struct topo *topo)
{
	static const char * const keys[] = {
		"planes", "first_plane", "block", "usid_bits", "link_local",
		"t0", "t1", "host_usid", "hosts", "deny", "paths", "packet",
		"comment", NULL
	};
	struct object_place top = { .topo = topo, .json = topo->json };

	if (!json_is_object(topo->json)) {
		topo_mistake(topo, "", "the file is %s, give an object in braces",
			     type_name(json_typeof(topo->json)));
		return;
	}
	open_object(&top, keys);
	topo->planes = get_required_int(&top, "planes", 1, MRC_PORTS_MAX);
	topo->first_plane = get_int(&top, "first_plane", 0, UINT16_MAX, 0);
	topo->paths = get_int(&top, "paths", 1, MRC_EVS_MAX, MRC_EVS_MAX);
	topo->packet = get_int(&top, "packet", 1, UINT16_MAX, 0);
	get(&top, "host_usid", JSON_STRING, false);
	read_block(&top);
	read_widths(&top);
	if (top.bad)
		return;
	read_link_local(&top);
	read_tier(&top, "t0", true, &topo->t0);
	read_tier(&top, "t1", false, &topo->t1);
	if (!topo->mistakes)
		read_hosts(&top);
	read_denies(&top);
}

/**
 * topo_load() - read a topology file
 * @file: its name; "-" is standard input
 * @topo: filled in; topo_free() it in any case.  What is wrong with its contents
 *	is among its mistakes
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting why the file cannot be read.
 */
int topo_load(const char *file, struct topo *topo)
{
	json_error_t error;

	memset(topo, 0, sizeof(*topo));
	topo->file = file;
	topo->json = strcmp(file, "-") ?
		     json_load_file(file, JSON_REJECT_DUPLICATES, &error) :
		     json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
	if (topo->json) {
		read_topo(topo);
		return EXIT_OK;
	}
	if (error.line < 0)
		return usage_error("'%s': %s", file, error.text);
	return usage_error("'%s', line %d, column %d: %s; correct the JSON",
			   file, error.line, error.column, error.text);
}
