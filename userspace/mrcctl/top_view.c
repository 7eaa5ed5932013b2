// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl top: drawing a sample, on a screen or as plain text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "out.h"
#include "show.h"
#include "top.h"

/* Select Graphic Rendition (ECMA-48) */
enum top_colour {
	TOP_PLAIN = 0,
	TOP_BOLD = 1,
	TOP_DIM = 2,
	TOP_REVERSE = 7,
	TOP_RED = 31,
	TOP_GREEN = 32,
	TOP_YELLOW = 33,
	TOP_MAGENTA = 35,
};

/**
 * struct top_pen - where on the screen we are
 * @view: how to draw
 * @column: of the line
 * @line: of the screen
 */
struct top_pen {
	const struct top_view *view;
	int column;
	int line;
};

/* Text, cut off at the edge of the screen. */
static void top_put(struct top_pen *pen, enum top_colour colour,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void top_put(struct top_pen *pen, enum top_colour colour,
		    const char *fmt, ...)
{
	char text[256];
	int left = sizeof(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (pen->view->columns)
		left = pen->view->columns - pen->column;
	if (left < (int)sizeof(text))
		text[left > 0 ? left : 0] = '\0';
	pen->column += strlen(text);
	if (pen->view->colour && colour != TOP_PLAIN)
		printf("\033[%dm%s\033[0m", colour, text);
	else
		fputs(text, stdout);
}

/*
 * The last line of a screen must not be ended: that would scroll it.  A line is
 * erased before it is written: after a full one, its last letter would be erased.
 */
static void top_end_line(struct top_pen *pen)
{
	pen->column = 0;
	pen->line++;
	if (!pen->view->lines)
		putchar('\n');
	else if (pen->line < pen->view->lines)
		fputs("\r\n\033[K", stdout);
}

static bool top_is_full(const struct top_pen *pen)
{
	return pen->view->lines && pen->line >= pen->view->lines;
}

/* --- words -------------------------------------------------------------------- */

static const char *top_rate(double bits, char *word)
{
	static const char units[] = " kMGT";
	int unit = 0;

	while (bits >= 999.5 && units[unit + 1]) {
		bits /= 1000;
		unit++;
	}
	if (unit)
		snprintf(word, OUT_WORD, "%.*f%cb/s",
			 bits < 10 ? 2 : bits < 100 ? 1 : 0, bits, units[unit]);
	else
		snprintf(word, OUT_WORD, "%.0fb/s", bits);
	return word;
}

static double top_per_second(const struct top_view *view, uint64_t grown)
{
	return view->seconds > 0 ? grown / view->seconds : 0;
}

static double top_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static const char *top_rtt(uint64_t ns, char *word)
{
	return ns ? out_nsec(ns, word) : strcpy(word, "-");
}

static enum top_colour top_state_colour(uint32_t state)
{
	switch (state) {
	case MRC_PATH_STATE_GOOD:
		return TOP_GREEN;
	case MRC_PATH_STATE_BACKUP:
	case MRC_PATH_STATE_SKIP:
		return TOP_YELLOW;
	case MRC_PATH_STATE_ASSUMED_BAD:
	case MRC_PATH_STATE_PORT_DOWN:
		return TOP_RED;
	case MRC_PATH_STATE_DENIED:
		return TOP_MAGENTA;
	default:
		return TOP_DIM;
	}
}

static void top_put_growth(struct top_pen *pen, const struct top_counters *c)
{
	const struct top_view *view = pen->view;
	double ecn = top_percent(c->ecn, c->acked);
	double loss = top_per_second(view, c->losses);
	char word[OUT_WORD];

	top_put(pen, c->bytes ? TOP_BOLD : TOP_PLAIN, "%8s ",
		top_rate(8 * top_per_second(view, c->bytes), word));
	top_put(pen, TOP_PLAIN, "%6s ",
		out_human(top_per_second(view, c->pkts), word));
	top_put(pen, ecn > 0 ? TOP_YELLOW : TOP_PLAIN, "%5.1f ", ecn);
	top_put(pen, loss > 0 ? TOP_RED : TOP_PLAIN, "%6.1f ", loss);
}

/* --- lines -------------------------------------------------------------------- */

static void top_draw_head(struct top_pen *pen, const struct top_sample *s)
{
	const struct top_view *view = pen->view;
	time_t now = time(NULL);
	uint64_t bytes = 0;
	char word[OUT_WORD];
	struct tm tm;
	size_t i;

	for (i = 0; i < s->n_ports; i++)
		bytes += s->ports[i].grown.bytes;
	localtime_r(&now, &tm);
	top_put(pen, TOP_BOLD, "mrcctl top %02d:%02d:%02d", tm.tm_hour,
		tm.tm_min, tm.tm_sec);
	top_put(pen, TOP_PLAIN, "  ports %zu  paths %zu  rate %s  sort %s",
		s->n_ports, s->n_paths,
		top_rate(8 * top_per_second(view, bytes), word),
		top_sorts[view->sort]);
	if (view->lines)
		top_put(pen, TOP_DIM, "  q quit  s sort  arrows scroll");
	top_end_line(pen);
}

static void top_draw_port(struct top_pen *pen, const struct top_port *p)
{
	bool up = p->state == MRC_PORT_STATE_UP;
	char word[OUT_WORD];

	top_put(pen, TOP_PLAIN, "%4u %-8.8s ", p->port, p->ifname);
	top_put(pen, up ? TOP_GREEN : TOP_RED, "%-8s ",
		port_state_name(p->state));
	top_put(pen, TOP_PLAIN, "%5u ", p->paths);
	top_put(pen, p->bad ? TOP_RED : TOP_PLAIN, "%4u ", p->bad);
	top_put_growth(pen, &p->grown);
	top_put(pen, TOP_PLAIN, "%8s %s",
		top_rtt(p->rtt_n ? p->rtt_sum / p->rtt_n : 0, word), p->dev);
	top_end_line(pen);
}

/* Of an address that does not fit, show the end. */
static void top_put_addr(struct top_pen *pen, const struct in6_addr *addr)
{
	int left = pen->view->columns - pen->column;
	char word[OUT_WORD];
	int len;

	out_addr_word(addr, word);
	len = strlen(word);
	if (!pen->view->columns || len <= left || left < 2)
		top_put(pen, TOP_PLAIN, "%s", word);
	else
		top_put(pen, TOP_PLAIN, "~%s", word + len - (left - 1));
}

static void top_draw_path(struct top_pen *pen, const struct top_path *p)
{
	char word[OUT_WORD];

	top_put(pen, TOP_PLAIN, "%4u %10u ", p->port, p->ev);
	top_put(pen, top_state_colour(p->state), "%-6s ",
		path_state_name(p->state));
	top_put(pen, TOP_PLAIN, "%3u ", p->qps);
	top_put_growth(pen, &p->grown);
	top_put(pen, TOP_PLAIN, "%8s ", top_rtt(p->rtt, word));
	top_put_addr(pen, &p->dst);
	top_end_line(pen);
}

static void top_title(struct top_pen *pen, const char *title)
{
	top_put(pen, TOP_REVERSE, "%-*s", pen->view->columns, title);
	top_end_line(pen);
}

/* So many ports that there is room for some paths. */
static size_t top_ports_shown(const struct top_sample *s,
			      const struct top_view *view)
{
	size_t most = view->lines ? (size_t)view->lines / 2 : s->n_ports;

	return s->n_ports < most ? s->n_ports : most;
}

/**
 * top_draw() - draw a sample
 * @s: sample, compared and in order
 * @view: how
 */
void top_draw(const struct top_sample *s, const struct top_view *view)
{
	struct top_pen pen = { .view = view };
	size_t i;

	if (view->lines)
		fputs("\033[H\033[K", stdout);
	top_draw_head(&pen, s);
	top_title(&pen,
		  "PORT NETDEV   STATE    PATHS  BAD     RATE  PKT/S  ECN% LOSS/S      RTT DEV");
	for (i = 0; i < top_ports_shown(s, view); i++)
		top_draw_port(&pen, &s->ports[i]);
	top_title(&pen,
		  "PORT         EV STATE  QPS     RATE  PKT/S  ECN% LOSS/S      RTT DST");
	for (i = view->first; i < s->n_paths && !top_is_full(&pen); i++)
		top_draw_path(&pen, &s->paths[i]);
	while (view->lines && !top_is_full(&pen))
		top_end_line(&pen);
	fflush(stdout);
}

/* --- JSON ---------------------------------------------------------------------- */

static void top_json_growth(const struct top_view *view,
			    const struct top_counters *c)
{
	out_uint("bits_per_s", NULL, 8 * top_per_second(view, c->bytes));
	out_uint("pkts_per_s", NULL, top_per_second(view, c->pkts));
	out_uint("acked", NULL, c->acked);
	out_uint("ecn", NULL, c->ecn);
	out_uint("losses", NULL, c->losses);
	out_uint("rtx_pkts", NULL, c->rtx);
}

static void top_json_port(const struct top_view *view,
			  const struct top_port *p)
{
	out_object(NULL);
	out_string("dev", NULL, p->dev);
	out_uint("port", NULL, p->port);
	out_string("netdev", NULL, p->ifname);
	out_string("state", NULL, port_state_name(p->state));
	out_uint("paths", NULL, p->paths);
	out_uint("paths_good", NULL, p->good);
	out_uint("paths_bad", NULL, p->bad);
	top_json_growth(view, &p->grown);
	out_uint("srtt_ns", NULL, p->rtt_n ? p->rtt_sum / p->rtt_n : 0);
	out_object_end();
}

static void top_json_path(const struct top_view *view,
			  const struct top_path *p)
{
	out_object(NULL);
	out_string("dev", NULL, p->dev);
	out_addr("dst", NULL, &p->dst);
	if (p->qpn)
		out_uint("qpn", NULL, p->qpn);
	out_uint("ev", NULL, p->ev);
	out_uint("port", NULL, p->port);
	out_string("state", NULL, path_state_name(p->state));
	out_uint("qps", NULL, p->qps);
	top_json_growth(view, &p->grown);
	out_uint("srtt_ns", NULL, p->rtt);
	out_object_end();
}

/**
 * top_json() - print a sample as one object on one line
 * @s: sample, compared and in order
 * @view: how
 */
void top_json(const struct top_sample *s, const struct top_view *view)
{
	size_t i;

	out_object(NULL);
	out_uint("interval_ms", NULL, 1000 * view->seconds);
	out_array("ports");
	for (i = 0; i < s->n_ports; i++)
		top_json_port(view, &s->ports[i]);
	out_array_end();
	out_array("paths");
	for (i = 0; i < s->n_paths; i++)
		top_json_path(view, &s->paths[i]);
	out_array_end();
	out_object_end();
	out_line();
}
