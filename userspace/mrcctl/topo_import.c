// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths from a "system.json", the path file of NVIDIA's MRC library: for each source
 * and destination a list of address templates with path selectors.  Bits of a
 * selector that its mask has go to the bits of the address that the template's mask
 * has, the first to the first.  The selector's bits below the mask, and the number of
 * the plane, choose the port.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <jansson.h>
#include <linux/mrc.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "exit_code.h"
#include "out.h"
#include "topo_import.h"

enum {
	/* Selectors of several planes differ in the bits above. */
	SELECTOR_BITS = 24,
	PLACE = 160,
};

/**
 * struct import - what is being read
 * @file: its name
 * @dev: of the commands
 * @dst: destination
 * @place: in the file: source, destination, number of the template
 * @paths: to the destination, so far
 * @print: the file is right, print the paths
 */
struct import {
	const char *file;
	const char *dev;
	struct in6_addr dst;
	char place[PLACE];
	int paths;
	bool print;
};

/**
 * struct address_template - an object of the file
 * @plane: its number, from 0
 * @data: address
 * @mask: which of its bits come from the selector
 * @selector_mask: which bits of the selector these are
 */
struct address_template {
	uint32_t plane;
	struct in6_addr data;
	struct in6_addr mask;
	uint32_t selector_mask;
};

static int wrong(const struct import *import, const char *text)
{
	return usage_error("%s: %s: %s", import->file, import->place, text);
}

/* --- values -------------------------------------------------------------------- */

static bool get_number(const json_t *object, const char *key, uint32_t max,
		       uint32_t *value)
{
	const json_t *json = json_object_get(object, key);
	json_int_t number = json_integer_value(json);

	*value = number;
	return json_is_integer(json) && number >= 0 && number <= max;
}

static bool get_addr(const json_t *object, const char *key,
		     struct in6_addr *addr)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && inet_pton(AF_INET6, text, addr) == 1;
}

static int count_bits(const struct in6_addr *addr)
{
	int i, n = 0;

	for (i = 0; i < (int)sizeof(*addr); i++)
		n += __builtin_popcount(addr->s6_addr[i]);
	return n;
}

static int read_template(const struct import *import, const json_t *json,
			 struct address_template *t)
{
	if (!get_number(json, "plane", MRC_PORTS_MAX - 1, &t->plane))
		return wrong(import, "plane is missing or no number from 0 to 31");
	if (!get_addr(json, "template_data", &t->data) ||
	    !get_addr(json, "template_mask", &t->mask))
		return wrong(import, "template_data or template_mask is missing or no address");
	if (!get_number(json, "ps_mask", (1 << SELECTOR_BITS) - 1,
			&t->selector_mask))
		return wrong(import, "ps_mask is missing or no number of at most 24 bits");
	if (count_bits(&t->mask) != __builtin_popcount(t->selector_mask))
		return wrong(import, "template_mask and ps_mask have not the same number of bits");
	return EXIT_OK;
}

/* --- paths --------------------------------------------------------------------- */

/* From the last bit to the first. */
static void put_selector(const struct address_template *t, uint32_t selector,
			 struct in6_addr *sid)
{
	uint32_t left = t->selector_mask, bit;
	int i;

	*sid = t->data;
	for (i = 8 * sizeof(*sid) - 1; i >= 0; i--) {
		if (!(t->mask.s6_addr[i / 8] & 0x80 >> i % 8))
			continue;
		bit = left & -left;
		left &= ~bit;
		if (selector & bit)
			sid->s6_addr[i / 8] |= 0x80 >> i % 8;
		else
			sid->s6_addr[i / 8] &= ~(0x80 >> i % 8);
	}
}

static void print_path(const struct import *import, uint32_t ev, uint32_t port,
		       const struct in6_addr *sid)
{
	char dst[OUT_WORD], word[OUT_WORD];

	if (!import->print)
		return;
	out_object(NULL);
	out_text("path replace dev %s dst %s ev %u port %u sid %s\n",
		 import->dev, out_addr_word(&import->dst, dst), ev, port,
		 out_addr_word(sid, word));
	out_string("dev", NULL, import->dev);
	out_addr("dst", NULL, &import->dst);
	out_uint("ev", NULL, ev);
	out_uint("port", NULL, port);
	out_addr("sid", NULL, sid);
	out_object_end();
}

static int read_selector(struct import *import,
			 const struct address_template *t, const json_t *json)
{
	uint32_t lowest = t->selector_mask & -t->selector_mask, port, selector;
	json_int_t number = json_integer_value(json);
	struct in6_addr sid;

	if (!json_is_integer(json) || number < 0 || number >> SELECTOR_BITS)
		return wrong(import, "ps_list has something else than numbers of at most 24 bits");
	if (++import->paths > MRC_EVS_MAX)
		return wrong(import, "a destination has at most 256 paths");
	selector = number;
	port = t->plane + 1 + (lowest ? selector & (lowest - 1) : 0);
	if (port > MRC_PORTS_MAX)
		return wrong(import, "ps_list has bits below ps_mask that lead to a port above 32");
	put_selector(t, selector, &sid);
	print_path(import, t->plane << SELECTOR_BITS | selector, port, &sid);
	return EXIT_OK;
}

static int read_paths(struct import *import, const json_t *json)
{
	const json_t *list = json_object_get(json, "ps_list"), *value;
	struct address_template t;
	size_t i;
	int ret = read_template(import, json, &t);

	if (!ret && !json_is_array(list))
		ret = wrong(import, "ps_list is missing or no array");
	for (i = 0; !ret && i < json_array_size(list); i++) {
		value = json_array_get(list, i);
		ret = read_selector(import, &t, value);
	}
	return ret;
}

/* --- file ---------------------------------------------------------------------- */

static int read_destination(struct import *import, const char *source,
			    const char *name, const json_t *list)
{
	size_t i;
	int ret = EXIT_OK;

	snprintf(import->place, sizeof(import->place), "%.64s, %.64s", source,
		 name);
	if (inet_pton(AF_INET6, name, &import->dst) != 1)
		return wrong(import, "the destination is no IPv6 address");
	if (!json_is_array(list))
		return wrong(import, "this is no array of templates");
	import->paths = 0;
	for (i = 0; !ret && i < json_array_size(list); i++) {
		snprintf(import->place, sizeof(import->place),
			 "%.64s, %.64s[%zu]", source, name, i);
		ret = read_paths(import, json_array_get(list, i));
	}
	return ret;
}

static bool is_local(const struct in6_addr *addr)
{
	const struct sockaddr_in6 *in6;
	struct ifaddrs *list, *a;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (a = list; a && !found; a = a->ifa_next) {
		in6 = (const struct sockaddr_in6 *)a->ifa_addr;
		found = in6 && in6->sin6_family == AF_INET6 &&
			IN6_ARE_ADDR_EQUAL(&in6->sin6_addr, addr);
	}
	freeifaddrs(list);
	return found;
}

/* The source that is @host, or that is an address of this machine. */
static int find_source(const char *file, json_t *json,
		       const struct in6_addr *host, const char **source,
		       json_t **destinations)
{
	struct in6_addr addr;
	char word[OUT_WORD];

	json_object_foreach(json, *source, *destinations) {
		if (inet_pton(AF_INET6, *source, &addr) != 1)
			continue;
		if (host ? IN6_ARE_ADDR_EQUAL(&addr, host) : is_local(&addr))
			return EXIT_OK;
	}
	if (host)
		return usage_error("'host %s': no such source in %s",
				   out_addr_word(host, word), file);
	return usage_error("'host' is missing, no local address is a source in %s",
			   file);
}

static int read_source(struct import *import, const char *source,
		       json_t *destinations)
{
	const char *name;
	json_t *list;
	int ret = EXIT_OK;

	json_object_foreach(destinations, name, list) {
		ret = read_destination(import, source, name, list);
		if (ret)
			break;
	}
	return ret;
}

/* A file with a mistake prints nothing that could be executed. */
static int import_paths(const char *file, json_t *json,
			const struct in6_addr *host, const char *dev)
{
	struct import import = { .file = file, .dev = dev };
	json_t *destinations = NULL;
	const char *source = NULL;
	int ret;

	ret = find_source(file, json, host, &source, &destinations);
	if (!ret)
		ret = read_source(&import, source, destinations);
	if (ret)
		return ret;
	import.print = true;
	out_begin();
	read_source(&import, source, destinations);
	out_end();
	return EXIT_OK;
}

/**
 * topo_import() - print the paths of a host as commands
 * @file: a system.json; "-" is standard input
 * @host: address of the host; NULL: the one of this machine
 * @dev: device whose paths they are
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong with the file.
 */
int topo_import(const char *file, const struct in6_addr *host, const char *dev)
{
	json_error_t error;
	json_t *json;
	int ret;

	json = strcmp(file, "-") ?
	       json_load_file(file, JSON_REJECT_DUPLICATES, &error) :
	       json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
	if (!json && error.line < 0)
		return usage_error("'%s': %s", file, error.text);
	if (!json)
		return usage_error("'%s', line %d, column %d: %s; correct the JSON",
				   file, error.line, error.column, error.text);
	ret = import_paths(file, json, host, dev);
	json_decref(json);
	return ret;
}
