// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Drawings of a topology: the peers of a host, and the paths to one of them.
 */
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "topo_path.h"
#include "topo_show.h"

enum {
	COLUMNS = 80,
	/* Longest names of hosts in drawings and in tables. */
	HOST_DRAWN = 14,
	HOST_LISTED = 18,
};

/* At most @max bytes of a name. */
static const char *shorten(const char *name, size_t max, char *word)
{
	if (strlen(name) <= max)
		return strcpy(word, name);
	snprintf(word, max, "%s", name);
	return strcat(word, "~");
}

static int count_allowed(const struct topo_path *path, int n)
{
	int i, allowed = 0;

	for (i = 0; i < n; i++)
		allowed += !path[i].denied;
	return allowed;
}

/* --- peers --------------------------------------------------------------------- */

/* The T0 of a host, if it has the same number in all planes. */
static void t0_word(const struct topo *topo, const struct topo_host *host,
		    char *word)
{
	int p;

	snprintf(word, OUT_WORD, "%d", host->t0[0]);
	for (p = 1; p < topo->planes; p++) {
		if (host->t0[p] != host->t0[0])
			strcpy(word, "varies");
	}
}

static void peer_json(const struct topo *topo, const struct topo_host *from,
		      const struct topo_host *to)
{
	struct topo_path path[MRC_EVS_MAX];
	int n = topo_paths(topo, from, to, path), p;

	out_object(NULL);
	out_string("host", NULL, from->name);
	out_string("to", NULL, to->name);
	out_prefix("dst", NULL, &to->prefix.addr, to->prefix.len);
	out_array("t0");
	for (p = 0; p < topo->planes; p++)
		out_uint(NULL, NULL, to->t0[p]);
	out_array_end();
	out_uint("paths", NULL, n);
	out_uint("allowed", NULL, count_allowed(path, n));
	out_object_end();
}

static void peer_row(const struct topo *topo, const struct topo_host *from,
		     const struct topo_host *to, struct out_table *table)
{
	struct topo_path path[MRC_EVS_MAX];
	int n = topo_paths(topo, from, to, path);
	int allowed = count_allowed(path, n);
	char word[OUT_WORD];

	out_table_cell(table, "%s", shorten(to->name, HOST_LISTED, word));
	out_addr_word(&to->prefix.addr, word);
	if (to->prefix.len < 128)
		out_table_cell(table, "%s/%u", word, to->prefix.len);
	else
		out_table_cell(table, "%s", word);
	t0_word(topo, to, word);
	out_table_cell(table, "%s", word);
	if (allowed < n)
		out_table_cell(table, "%d of %d", allowed, n);
	else
		out_table_cell(table, "%d", n);
}

static void peers_text(const struct topo *topo, const struct topo_host *from)
{
	static const struct out_column columns[] = {
		{ "HOST", true }, { "ADDRESS", true }, { "T0" }, { "PATHS" },
	};
	struct out_table *table = out_table_new(columns, 4);
	char word[OUT_WORD];
	int i;

	out_text("%s: %d planes from %d, ",
		 shorten(from->name, HOST_LISTED, word), topo->planes,
		 topo->first_plane);
	t0_word(topo, from, word);
	out_text("%d T0 (this host: %s) and %d T1 each\n", topo->t0.n, word,
		 topo->t1.n);
	for (i = 0; i < topo->hosts; i++) {
		if (&topo->host[i] != from)
			peer_row(topo, from, &topo->host[i], table);
	}
	out_table_end(table, 0);
}

/**
 * topo_show_peers() - show which paths lead to the peers of a host
 * @topo: network without mistakes
 * @from: the host
 */
void topo_show_peers(const struct topo *topo, const struct topo_host *from)
{
	int i;

	if (!out.json) {
		peers_text(topo, from);
		return;
	}
	out_begin();
	for (i = 0; i < topo->hosts; i++) {
		if (&topo->host[i] != from)
			peer_json(topo, from, &topo->host[i]);
	}
	out_end();
}

/* --- paths --------------------------------------------------------------------- */

/**
 * struct drawing - paths of a plane
 * @topo: network
 * @from: left end
 * @to: right end
 * @plane: from 0
 * @usids: nodes are drawn with them
 */
struct drawing {
	const struct topo *topo;
	const struct topo_host *from;
	const struct topo_host *to;
	int plane;
	bool usids;
};

/* " t1-0-3 2003", the latter if it fits. */
static void node_word(const struct drawing *d, const char *name,
		      const struct topo_usid *usid, char *word)
{
	char digits[TOPO_USID_DIGITS + 1];

	strcpy(digits, usid->digit);
	topo_plane_digits(d->topo, digits, d->plane);
	snprintf(word, OUT_WORD, d->usids ? "%s %s" : "%s", name, digits);
}

static void switch_word(const struct drawing *d, int tier, int number,
			char *word)
{
	const struct topo_tier *t = tier ? &d->topo->t1 : &d->topo->t0;
	char name[TOPO_NAME];

	topo_switch_name(d->topo, tier, d->plane, number, name);
	node_word(d, name, topo_usid_of(t, d->plane, number), word);
}

/* Text to the left of the T1s, and to their right. */
static void ends_words(const struct drawing *d, char *left, char *right)
{
	char host[OUT_WORD], word[OUT_WORD];

	switch_word(d, 0, d->from->t0[d->plane], word);
	snprintf(left, COLUMNS, "  %s -- %s --",
		 shorten(d->from->name, HOST_DRAWN, host), word);
	switch_word(d, 0, d->to->t0[d->plane], word);
	shorten(d->to->name, HOST_DRAWN, host);
	snprintf(right, COLUMNS, "-- %s -- ", word);
	node_word(d, host, &d->to->usid, word);
	strncat(right, word, COLUMNS - strlen(right) - 1);
}

static void draw_local(const struct drawing *d)
{
	char left[COLUMNS], word[OUT_WORD], host[OUT_WORD];

	switch_word(d, 0, d->from->t0[d->plane], word);
	snprintf(left, sizeof(left), "  %s -- %s -- ",
		 shorten(d->from->name, HOST_DRAWN, host), word);
	shorten(d->to->name, HOST_DRAWN, host);
	node_word(d, host, &d->to->usid, word);
	out_text("%s%s\n", left, word);
}

/* Numbers of T1s have different lengths. */
static int t1_width(const struct drawing *d)
{
	char word[OUT_WORD];

	switch_word(d, 1, d->topo->t1.n - 1, word);
	return strlen(word);
}

static void draw_row(const struct drawing *d, const struct topo_path *path,
		     bool first)
{
	char left[COLUMNS], right[COLUMNS], word[OUT_WORD];
	const struct topo *topo = d->topo;
	bool up, down;
	int n;

	ends_words(d, left, right);
	n = strlen(left);
	if (!first)
		*left = *right = '\0';
	switch_word(d, 1, path->t1, word);
	up = *topo_cut(topo, d->plane, d->from->t0[d->plane], path->t1);
	down = *topo_cut(topo, d->plane, d->to->t0[d->plane], path->t1);
	out_text("%-*s%c- %-*s -%c%s\n", n, left, up ? 'x' : '+',
		 t1_width(d), word, down ? 'x' : '+', right);
}

static void draw_plane(const struct drawing *d, const struct topo_path *path,
		       int n)
{
	bool first = true;
	int i;

	out_text("plane %d, port %d\n", d->topo->first_plane + d->plane,
		 d->plane + 1);
	for (i = 0; i < n; i++) {
		if (path[i].plane != d->plane)
			continue;
		if (path[i].t1 < 0)
			draw_local(d);
		else
			draw_row(d, &path[i], first);
		first = false;
	}
}

/* Do uSIDs fit?  The last plane has the longest names. */
static bool usids_fit(struct drawing d)
{
	char left[COLUMNS], right[COLUMNS];

	d.plane = d.topo->planes - 1;
	d.usids = true;
	ends_words(&d, left, right);
	return strlen(left) + t1_width(&d) + strlen(right) + 6 <= COLUMNS;
}

static void paths_text(const struct topo *topo, const struct topo_host *from,
		       const struct topo_host *to,
		       const struct topo_path *path, int n)
{
	struct drawing d = { .topo = topo, .from = from, .to = to };
	int allowed = count_allowed(path, n);
	char a[OUT_WORD], b[OUT_WORD];

	d.usids = topo_is_local(topo, from, to) || usids_fit(d);
	out_text("%s to %s: %d planes, %d paths",
		 shorten(from->name, HOST_LISTED, a),
		 shorten(to->name, HOST_LISTED, b), topo->planes, n);
	if (allowed < n)
		out_text(", %d denied (x)", n - allowed);
	out_text("\n");
	for (; d.plane < topo->planes; d.plane++)
		draw_plane(&d, path, n);
}

static void path_json(const struct topo *topo, const struct topo_host *from,
		      const struct topo_host *to, const struct topo_path *path)
{
	char name[TOPO_NAME];
	struct in6_addr sid;
	int p = path->plane;

	out_object(NULL);
	out_string("host", NULL, from->name);
	out_string("to", NULL, to->name);
	out_uint("plane", NULL, topo->first_plane + p);
	out_uint("port", NULL, p + 1);
	out_array("switches");
	out_string(NULL, NULL, topo_switch_name(topo, 0, p, from->t0[p], name));
	if (path->t1 >= 0) {
		out_string(NULL, NULL,
			   topo_switch_name(topo, 1, p, path->t1, name));
		out_string(NULL, NULL,
			   topo_switch_name(topo, 0, p, to->t0[p], name));
	}
	out_array_end();
	topo_sid(topo, from, to, path, &sid);
	out_addr("sid", NULL, &sid);
	out_uint("denied", NULL, path->denied);
	out_object_end();
}

/**
 * topo_show_paths() - draw the paths from a host to another
 * @topo: network without mistakes
 * @from: where they begin
 * @to: where they end
 */
void topo_show_paths(const struct topo *topo, const struct topo_host *from,
		     const struct topo_host *to)
{
	struct topo_path path[MRC_EVS_MAX];
	int n = topo_paths(topo, from, to, path), i;

	if (!out.json) {
		paths_text(topo, from, to, path, n);
		return;
	}
	out_begin();
	for (i = 0; i < n; i++)
		path_json(topo, from, to, &path[i]);
	out_end();
}
