// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Configuration of the switches of a topology: static SIDs and static routes, as
 * Linux, FRR and SONiC write them.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "topo_export.h"
#include "topo_switch.h"

/* The kernel shifts addresses by whole bytes, and so do the others. */
enum { SHIFT_BITS = 8 };

/* FRR attaches SIDs to a dummy device of this name; no link takes it down. */
#define SID_DEV "sr0"
/* Name of the locator. */
#define LOCATOR "mrc"

const char * const topo_formats[] = { "unknown", "linux", "frr", "sonic", NULL };

static const char *prefix_word(const struct prefix *prefix, char *word)
{
	return out_prefix_word(&prefix->addr, prefix->len, word);
}

static int node_bits(const struct topo_switch *sw)
{
	return sw->own.len - sw->block.len;
}

/* --- Linux: a batch for ip(8) -------------------------------------------------- */

static void write_linux(const struct topo_switch *sw, FILE *f)
{
	const struct topo_hop *hop;
	char word[OUT_WORD], via[OUT_WORD];

	fprintf(f, "# %s: ip -batch FILE\n", sw->name);
	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++)
		fprintf(f, "address replace %s/64 dev %s\n",
			out_addr_word(&sw->addr, word), hop->dev);
	fprintf(f, "route replace %s encap seg6local action End flavors next-csid",
		prefix_word(&sw->own, word));
	fprintf(f, " lblen %u nflen %d dev " SID_DEV "\n", sw->block.len,
		node_bits(sw));
	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++)
		fprintf(f, "route replace %s via %s dev %s\n",
			prefix_word(&hop->prefix, word),
			out_addr_word(&hop->via, via), hop->dev);
	fprintf(f, "route replace blackhole %s\n",
		prefix_word(&sw->block, word));
}

/* --- FRR: for vtysh(1) --------------------------------------------------------- */

static void write_frr_sids(const struct topo_switch *sw, FILE *f)
{
	char word[OUT_WORD];

	prefix_word(&sw->own, word);
	fprintf(f, "segment-routing\n srv6\n  locators\n   locator " LOCATOR
		"\n    prefix %s block-len %u node-len %d\n    behavior usid\n   exit\n  exit\n",
		word, sw->block.len, node_bits(sw));
	fprintf(f, "  static-sids\n   sid %s locator " LOCATOR
		" behavior uN\n  exit\n exit\nexit\n", word);
}

static void write_frr(const struct topo_switch *sw, FILE *f)
{
	const struct topo_hop *hop;
	char word[OUT_WORD], via[OUT_WORD];

	fprintf(f, "! %s: vtysh -f FILE\n", sw->name);
	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++)
		fprintf(f, "interface %s\n ipv6 address %s/64\nexit\n", hop->dev,
			out_addr_word(&sw->addr, word));
	write_frr_sids(sw, f);
	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++)
		fprintf(f, "ipv6 route %s %s %s\n",
			prefix_word(&hop->prefix, word),
			out_addr_word(&hop->via, via), hop->dev);
	fprintf(f, "ipv6 route %s blackhole\n", prefix_word(&sw->block, word));
}

/* --- SONiC: tables of config_db.json ------------------------------------------- */

static json_t *sonic_interfaces(const struct topo_switch *sw)
{
	char word[OUT_WORD], key[2 * OUT_WORD];
	const struct topo_hop *hop;
	json_t *table = json_object();

	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++) {
		json_object_set_new(table, hop->dev,
				    json_pack("{ss}",
					      "ipv6_use_link_local_only",
					      "enable"));
		snprintf(key, sizeof(key), "%s|%s/64", hop->dev,
			 out_addr_word(&sw->addr, word));
		json_object_set_new(table, key, json_object());
	}
	return table;
}

static json_t *sonic_routes(const struct topo_switch *sw)
{
	char word[OUT_WORD], key[2 * OUT_WORD];
	const struct topo_hop *hop;
	json_t *table = json_object();

	for (hop = sw->hop; hop < sw->hop + sw->hops; hop++) {
		snprintf(key, sizeof(key), "default|%s",
			 prefix_word(&hop->prefix, word));
		json_object_set_new(table, key,
				    json_pack("{ssss}", "nexthop",
					      out_addr_word(&hop->via, word),
					      "ifname", hop->dev));
	}
	snprintf(key, sizeof(key), "default|%s",
		 prefix_word(&sw->block, word));
	json_object_set_new(table, key,
			    json_pack("{ss}", "blackhole", "true"));
	return table;
}

static json_t *sonic_locators(const struct topo_switch *sw)
{
	char word[OUT_WORD], block[OUT_WORD], node[OUT_WORD];

	snprintf(block, sizeof(block), "%u", sw->block.len);
	snprintf(node, sizeof(node), "%d", node_bits(sw));
	return json_pack("{s{ssssss}}", LOCATOR, "prefix",
			 out_addr_word(&sw->own.addr, word), "block_len", block,
			 "node_len", node);
}

static json_t *sonic_sids(const struct topo_switch *sw)
{
	char word[OUT_WORD], key[2 * OUT_WORD];

	snprintf(key, sizeof(key), LOCATOR "|%s", prefix_word(&sw->own, word));
	return json_pack("{s{ssss}}", key, "action", "uN", "decap_dscp_mode",
			 "uniform");
}

static void write_sonic(const struct topo_switch *sw, FILE *f)
{
	json_t *config = json_pack("{sosososo}", "INTERFACE",
				   sonic_interfaces(sw), "SRV6_MY_LOCATORS",
				   sonic_locators(sw), "SRV6_MY_SIDS",
				   sonic_sids(sw), "STATIC_ROUTE",
				   sonic_routes(sw));

	json_dumpf(config, f, JSON_INDENT(4));
	fputc('\n', f);
	json_decref(config);
}

/* --- all ----------------------------------------------------------------------- */

static void write_switch(const struct topo_switch *sw, enum topo_format format,
			 FILE *f)
{
	if (format == TOPO_FORMAT_LINUX)
		write_linux(sw, f);
	else if (format == TOPO_FORMAT_FRR)
		write_frr(sw, f);
	else
		write_sonic(sw, f);
}

static void print_switch(const struct topo_switch *sw, enum topo_format format)
{
	char *text;
	size_t size;
	FILE *f = topo_text(&text, &size);

	write_switch(sw, format, f);
	fclose(f);
	out_object(NULL);
	out_string("switch", NULL, sw->name);
	out_string("config", "%s", text);
	out_object_end();
	free(text);
}

static int check_shift(const struct topo *topo)
{
	int block, usid;

	block = strlen(topo->block) * TOPO_DIGIT_BITS;
	usid = topo->usid_digits * TOPO_DIGIT_BITS;
	if (block % SHIFT_BITS == 0 && usid % SHIFT_BITS == 0)
		return EXIT_OK;
	return usage_error("%s: switches shift by whole bytes: give multiples of 8, not %d and %d",
			   topo->file, block, usid);
}

/**
 * topo_export() - print the configuration of switches
 * @topo: network without mistakes
 * @format: for which system
 * @name: of a switch; NULL: all of them
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting why not.
 */
int topo_export(const struct topo *topo, enum topo_format format,
		const char *name)
{
	struct topo_switch sw;
	int ret = check_shift(topo);

	if (!ret)
		ret = topo_switch_first(topo, name, &sw);
	if (ret)
		return ret;
	if (format == TOPO_FORMAT_SONIC && !name && !out.json)
		return usage_error("'switch' is missing: each has a file of its own, -j has all");
	out_begin();
	do {
		ret = topo_switch_fill(topo, &sw);
		if (!ret)
			print_switch(&sw, format);
		topo_switch_free(&sw);
	} while (!ret && !name && topo_switch_next(topo, &sw));
	out_end();
	return ret;
}
