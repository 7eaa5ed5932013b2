// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SVG, or HTML that contains it: for each plane a row of T1s, one of T0s, and one of
 * hosts, with the links between them.  What was probed is dark, what was not is light.
 */
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "picture.h"

enum {
	/* Pixels. */
	MARGIN = 20,
	STEP_MIN = 14,
	STEP_MAX = 90,
	WIDTH = 1100,
	ROW = 110,
	PLANE_HEIGHT = 3 * ROW,
	BOX = 8,
	/* More nodes of a row have no names. */
	NAMES_MAX = 24,
};

#define RED	"#c8102e"
#define ORANGE	"#e07b00"
#define DARK	"#5a6b7b"
#define LIGHT	"#d5dbe0"

/**
 * struct picture - a picture that is being drawn
 * @f: where to
 * @e: evidence
 * @finding: what is broken
 * @findings: how many
 * @tally: by part: probes over it
 * @width: pixels
 */
struct picture {
	FILE *f;
	const struct evidence *e;
	const struct finding *finding;
	int findings;
	struct tally *tally;
	int width;
};

static const char *colour(const struct picture *p, uint32_t part)
{
	const char *other = NULL;
	int i, j;

	for (i = 0; i < p->findings; i++) {
		if (p->finding[i].part == part)
			return RED;
		for (j = 0; j < p->finding[i].others; j++) {
			if (p->finding[i].other[j].part == part)
				other = ORANGE;
		}
	}
	if (other)
		return other;
	return p->tally[part].probes ? DARK : LIGHT;
}

static void put_title(struct picture *p, uint32_t part)
{
	char name[FABRIC_NAME];

	fprintf(p->f, "<title>%s: %llu of %llu probes lost</title>",
		fabric_name(p->e->fabric, part, name),
		(unsigned long long)p->tally[part].lost,
		(unsigned long long)p->tally[part].probes);
}

/* Centre of node @i of @n in a row. */
static int place(const struct picture *p, int i, int n)
{
	return MARGIN + (2 * i + 1) * (p->width - 2 * MARGIN) / (2 * n);
}

static void draw_link(struct picture *p, uint32_t part, int x1, int y1, int x2,
		      int y2)
{
	const char *c = colour(p, part);

	fprintf(p->f, "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='%s'>",
		x1, y1, x2, y2, c,
		!strcmp(c, RED) ? "4" : !strcmp(c, ORANGE) ? "3" : "1");
	put_title(p, part);
	fputs("</line>\n", p->f);
}

static void draw_node(struct picture *p, const struct part *part, int x, int y,
		      int n, int below)
{
	uint32_t number = fabric_number(p->e->fabric, part);
	const char *c = colour(p, number);
	char name[FABRIC_NAME];

	fprintf(p->f, "<rect x='%d' y='%d' width='%d' height='%d' rx='2' fill='%s'>",
		x - BOX, y - BOX / 2, 2 * BOX, BOX, c);
	put_title(p, number);
	fputs("</rect>\n", p->f);
	if (n <= NAMES_MAX || !strcmp(c, RED))
		fprintf(p->f, "<text x='%d' y='%d'>%s</text>\n", x,
			y + (below ? 18 : -9),
			fabric_name(p->e->fabric, number, name));
}

/* Red links are drawn last, so that no other one crosses them. */
static void draw_links(struct picture *p, int plane, int y, bool bad)
{
	const struct topo *topo = p->e->fabric->topo;
	struct part part = { PART_LINK, plane, -1, 0, 0 };
	uint32_t number;
	int h;

	for (part.t0 = 0; part.t0 < topo->t0.n; part.t0++) {
		for (part.t1 = 0; part.t1 < topo->t1.n; part.t1++) {
			number = fabric_number(p->e->fabric, &part);
			if (!strcmp(colour(p, number), RED) == bad)
				draw_link(p, number,
					  place(p, part.t1, topo->t1.n), y,
					  place(p, part.t0, topo->t0.n),
					  y + ROW);
		}
	}
	part.kind = PART_PORT;
	for (h = 0; h < topo->hosts; h++) {
		part.host = h;
		number = fabric_number(p->e->fabric, &part);
		if (!strcmp(colour(p, number), RED) == bad)
			draw_link(p, number,
				  place(p, topo->host[h].t0[plane], topo->t0.n),
				  y + ROW, place(p, h, topo->hosts),
				  y + 2 * ROW);
	}
}

static void draw_nodes(struct picture *p, int plane, int y)
{
	const struct topo *topo = p->e->fabric->topo;
	struct part part = { PART_T1, plane, -1, -1, 0 };
	int i;

	for (i = 0; i < topo->t1.n; i++) {
		part.t1 = i;
		draw_node(p, &part, place(p, i, topo->t1.n), y, topo->t1.n, 0);
	}
	part = (struct part){ PART_T0, plane, -1, 0, -1 };
	for (i = 0; i < topo->t0.n; i++) {
		part.t0 = i;
		draw_node(p, &part, place(p, i, topo->t0.n), y + ROW,
			  topo->t0.n, 0);
	}
	part = (struct part){ PART_HOST, -1, 0, -1, -1 };
	for (i = 0; i < topo->hosts; i++) {
		part.host = i;
		draw_node(p, &part, place(p, i, topo->hosts), y + 2 * ROW,
			  topo->hosts, 1);
	}
}

static void draw_plane(struct picture *p, int plane)
{
	const struct part part = { PART_PLANE, plane, -1, -1, -1 };
	int y = MARGIN + 20 + plane * PLANE_HEIGHT;
	char name[FABRIC_NAME];
	uint32_t number = fabric_number(p->e->fabric, &part);

	fprintf(p->f, "<text x='%d' y='%d' style='text-anchor:start;font-weight:bold' "
		"fill='%s'>%s</text>\n",
		MARGIN, y - 20, strcmp(colour(p, number), RED) ? "#222" : RED,
		fabric_name(p->e->fabric, number, name));
	draw_links(p, plane, y, false);
	draw_links(p, plane, y, true);
	draw_nodes(p, plane, y);
}

static void draw(struct picture *p)
{
	const struct topo *topo = p->e->fabric->topo;
	int n = topo->hosts, i;

	p->width = 2 * MARGIN + n * STEP_MAX;
	if (p->width > WIDTH)
		p->width = WIDTH;
	if (p->width < n * STEP_MIN)
		p->width = n * STEP_MIN;
	fprintf(p->f, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
		"font-family='sans-serif' font-size='11' text-anchor='middle'>\n"
		"<style>text{paint-order:stroke;stroke:white;stroke-width:3px}</style>\n"
		"<rect width='100%%' height='100%%' fill='white'/>\n",
		p->width, topo->planes * PLANE_HEIGHT + MARGIN, p->width);
	for (i = 0; i < topo->planes; i++)
		draw_plane(p, i);
	fputs("</svg>\n", p->f);
}

static void draw_page(struct picture *p)
{
	char text[OUTPUT_TEXT];
	int i;

	fprintf(p->f, "<!DOCTYPE html>\n<html>"
		"<head><meta charset='utf-8'><title>%s</title></head>\n"
		"<body style='font-family:sans-serif'>\n<ul>\n",
		p->e->fabric->topo->host[p->e->self].name);
	for (i = 0; i < p->findings; i++)
		fprintf(p->f, "<li style='color:" RED "'>%s</li>\n",
			output_fault(p->e->fabric, &p->finding[i], text));
	if (!p->findings)
		fputs("<li>nothing is broken</li>\n", p->f);
	fputs("</ul>\n", p->f);
	draw(p);
	fputs("</body></html>\n", p->f);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/**
 * picture_write() - draw the network
 * @file: name; HTML with a list of faults if it ends with ".html", otherwise SVG
 * @e: evidence
 * @finding: what is broken
 * @findings: how many
 *
 * Names of hosts are from the topology file, so that they cannot contain markup that
 * its author has not written.
 *
 * Return: false with errno if it could not be written.
 */
bool picture_write(const char *file, const struct evidence *e,
		   const struct finding *finding, int findings)
{
	size_t size;
	char *text;
	struct picture p = {
		.f = topo_text(&text, &size),
		.e = e,
		.finding = finding,
		.findings = findings,
		.tally = evidence_tally(e),
	};
	bool ok;

	if (ends_with(file, ".html"))
		draw_page(&p);
	else
		draw(&p);
	fclose(p.f);
	ok = output_file(file, text, size);
	free(text);
	free(p.tally);
	return ok;
}
