// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl probe: summary by path and port, and the switches that only lost paths
 * visit.
 */
#include <stdio.h>

#include "nl.h"
#include "out.h"
#include "probe.h"

/* Defaults of SRv6 addresses: the block, then micro-segments. */
enum {
	PROBE_BLOCK_WORDS = 2,
	PROBE_SID_WORDS = 8,
	PROBE_USIDS = PROBE_SID_WORDS - PROBE_BLOCK_WORDS,
};

/**
 * probe_result_name() - word for the result of a probe
 * @result: enum mrc_probe_result
 *
 * Return: the word.
 */
const char *probe_result_name(uint32_t result)
{
	static const char * const names[] = {
		[MRC_PROBE_RESULT_ANSWERED] = "answered",
		[MRC_PROBE_RESULT_LOST] = "lost",
		[MRC_PROBE_RESULT_DENIED] = "denied",
		[MRC_PROBE_RESULT_PORT_DOWN] = "down",
		[MRC_PROBE_RESULT_NO_ROUTE] = "no-route",
		[MRC_PROBE_RESULT_NO_PATH] = "no-path",
		[MRC_PROBE_RESULT_NO_MEMORY] = "no-memory",
	};

	return result < MNL_ARRAY_SIZE(names) && names[result] ?
	       names[result] : "unknown";
}

/**
 * probe_any_answered() - check whether any probe was answered
 * @probe: rounds of probes
 *
 * Return: true if so.
 */
bool probe_any_answered(const struct probe *probe)
{
	uint32_t i;

	for (i = 0; i < probe->n; i++) {
		if (probe->path[i].answered)
			return true;
	}
	return false;
}

static uint32_t probe_avg(const struct probe_path *path)
{
	return path->answered ? path->sum / path->answered : 0;
}

/* In per cent; a loss that is not zero is not rounded to zero. */
static uint32_t probe_loss(const struct probe_path *path)
{
	uint64_t lost = path->sent - path->answered;

	return path->sent ? (lost * 100 + path->sent - 1) / path->sent : 0;
}

/* --- paths ---------------------------------------------------------------- */

/* The last one is shown with details. */
static const struct out_column probe_columns[] = {
	{ "EV" }, { "PORT" }, { "SENT" }, { "ANSWERED" }, { "LOSS" },
	{ "MIN" }, { "AVG" }, { "MAX" }, { "LAST", true }, { "SID", true },
};

static void probe_cell_time(struct out_table *table,
			    const struct probe_path *path, uint32_t ns)
{
	char word[OUT_WORD];

	out_table_cell(table, "%s",
		       path->answered ? out_nsec(ns, word) : "-");
}

static void probe_row(struct out_table *table, const struct probe_path *path)
{
	out_table_cell(table, "%u", path->ev);
	out_table_cell(table, "%u", path->port);
	out_table_cell(table, "%u", path->sent);
	out_table_cell(table, "%u", path->answered);
	if (path->sent)
		out_table_cell(table, "%u%%", probe_loss(path));
	else
		out_table_cell(table, "-");
	probe_cell_time(table, path, path->min);
	probe_cell_time(table, path, probe_avg(path));
	probe_cell_time(table, path, path->max);
	out_table_cell(table, "%s", probe_result_name(path->result));
	if (out.details)
		out_table_sid(table, path->has_sid ? &path->sid : NULL,
			      path->has_srh ? &path->srh : NULL);
}

static void probe_json_rtt(const struct probe_path *path)
{
	if (!path->answered)
		return;
	out_uint("rtt_min_ns", NULL, path->min);
	out_uint("rtt_avg_ns", NULL, probe_avg(path));
	out_uint("rtt_max_ns", NULL, path->max);
	out_uint("adjusted", NULL, path->adjusted);
	if (path->rx_port)
		out_uint("rx_port", NULL, path->rx_port);
}

static void probe_json(const struct probe *probe)
{
	const struct probe_path *path = probe->path;

	out_begin();
	for (; path < probe->path + probe->n; path++) {
		out_object(NULL);
		out_string("dev", NULL, probe->dev);
		out_addr("dst", NULL, &probe->dst);
		out_addr("src", NULL, &probe->src);
		out_uint("ev", NULL, path->ev);
		out_uint("port", NULL, path->port);
		if (path->has_sid)
			out_addr("sid", NULL, &path->sid);
		if (path->has_srh)
			out_addr("srh", NULL, &path->srh);
		out_uint("sent", NULL, path->sent);
		out_uint("answered", NULL, path->answered);
		out_uint("loss", NULL, probe_loss(path));
		probe_json_rtt(path);
		out_string("last", NULL, probe_result_name(path->result));
		out_object_end();
	}
	out_end();
}

/* --- where they break off ---------------------------------------------------- */

/* Summary of one port. */
struct probe_port {
	uint32_t paths;
	uint32_t answering;
};

static void probe_count_ports(const struct probe *probe,
			      struct probe_port *ports)
{
	const struct probe_path *path = probe->path;

	for (; path < probe->path + probe->n; path++) {
		if (path->port > MRC_PORTS_MAX || !path->sent)
			continue;
		ports[path->port].paths++;
		ports[path->port].answering += path->answered > 0;
	}
}

/* The micro-segments of the address, then those of the segment; 0: none. */
static uint16_t probe_usid(const struct probe_path *path, int i)
{
	const struct in6_addr *addr = &path->sid;
	const uint8_t *word;

	if (i >= PROBE_USIDS) {
		if (!path->has_srh)
			return 0;
		addr = &path->srh;
		i -= PROBE_USIDS;
	}
	word = &addr->s6_addr[2 * (PROBE_BLOCK_WORDS + i)];
	return word[0] << 8 | word[1];
}

static bool probe_visits(const struct probe_path *path, uint16_t usid)
{
	int i;

	for (i = 0; i < 2 * PROBE_USIDS; i++) {
		if (probe_usid(path, i) == usid)
			return true;
	}
	return false;
}

/* No answered path visits it, and @first is the first lost path that does. */
static bool probe_suspect(const struct probe *probe, uint16_t usid,
			  const struct probe_path *first)
{
	const struct probe_path *path = probe->path;

	for (; path < probe->path + probe->n; path++) {
		if (!path->has_sid || !path->sent ||
		    !probe_visits(path, usid))
			continue;
		if (path->answered || path < first)
			return false;
	}
	return true;
}

static void probe_suspects(const struct probe *probe,
			   const struct probe_path *path)
{
	uint16_t usid;
	int i;

	for (i = 0; i < 2 * PROBE_USIDS; i++) {
		usid = probe_usid(path, i);
		if (usid && probe_suspect(probe, usid, path))
			out_text("port %u: no path through %04x was answered\n",
				 path->port, usid);
	}
}

/*
 * A switch that lost paths visit and answered paths do not is the first
 * candidate for a fault.  A port without any answered path is left out.
 */
static void probe_places(const struct probe *probe)
{
	struct probe_port ports[MRC_PORTS_MAX + 1] = {};
	const struct probe_path *path = probe->path;
	uint32_t i;

	probe_count_ports(probe, ports);
	for (i = 0; i <= MRC_PORTS_MAX; i++) {
		if (ports[i].paths)
			out_text("port %u: %u of %u paths answered\n", i,
				 ports[i].answering, ports[i].paths);
	}
	for (; path < probe->path + probe->n; path++) {
		if (path->has_sid && path->sent && !path->answered &&
		    ports[path->port].answering)
			probe_suspects(probe, path);
	}
}

static void probe_text(const struct probe *probe)
{
	struct out_table *table;
	uint32_t i;

	table = out_table_new(probe_columns, MNL_ARRAY_SIZE(probe_columns) -
					     !out.details);
	for (i = 0; i < probe->n; i++)
		probe_row(table, &probe->path[i]);
	out_table_end(table, 0);
	probe_places(probe);
	if (!probe_any_answered(probe))
		out_text("no probe was answered: check the mrc device of "
			 "the peer and the route to it\n");
}

/**
 * probe_summary() - print the results of all rounds
 * @probe: rounds of probes
 */
void probe_summary(const struct probe *probe)
{
	if (out.json)
		probe_json(probe);
	else
		probe_text(probe);
}
