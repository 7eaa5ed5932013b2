// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcd results: a line of JSON for each node.  What is usual is learnt from all nodes:
 * the median, and how far nodes usually are from it.  A node that is further away, to
 * the worse side, is bad.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "output.h"
#include "results.h"

enum {
	/* Fewer nodes have no usual value. */
	NODES_MIN = 4,
	/* Bytes of a line. */
	LINE_SIZE = 1 << 20,
};

/* A deviation is that of a normal distribution times this. */
#define MAD_SIGMA	1.4826
/* So many of them are allowed, */
#define SIGMAS		4.0
/* and this share of the median. */
#define TOLERANCE	0.05

/**
 * struct sample - a result
 * @node: name of the node
 * @metric: name of the metric
 * @value: value
 */
struct sample {
	const char *node;
	const char *metric;
	double value;
};

/**
 * struct results - what the file has
 * @n: samples
 * @sample: these
 * @lines: lines of the file, which own the strings
 * @line: these
 */
struct results {
	size_t n;
	struct sample *sample;
	size_t lines;
	json_t **line;
};

/* --- reading ------------------------------------------------------------------------- */

static void take_line(struct results *r, json_t *line)
{
	const char *node = json_string_value(json_object_get(line, "node"));
	const char *key;
	json_t *value;

	json_object_foreach(line, key, value) {
		if (!json_is_number(value))
			continue;
		r->sample = topo_grow(r->sample, r->n, sizeof(*r->sample));
		r->sample[r->n++] = (struct sample){
			node, key, json_number_value(value)
		};
	}
}

static int read_lines(struct results *r, const char *file, FILE *f, char *text)
{
	json_error_t error;
	json_t *line;
	int number = 0;

	while (fgets(text, LINE_SIZE, f)) {
		number++;
		if (text[strspn(text, " \t\r\n")] == '\0')
			continue;
		line = json_loads(text, JSON_REJECT_DUPLICATES, &error);
		if (!line)
			return usage_error("'%s', line %d: %s", file, number,
					   error.text);
		r->line = topo_grow(r->line, r->lines, sizeof(*r->line));
		r->line[r->lines++] = line;
		if (!json_is_string(json_object_get(line, "node")))
			return usage_error("'%s', line %d: there is no \"node\"",
					   file, number);
		take_line(r, line);
	}
	return EXIT_OK;
}

static int read_results(struct results *r, const char *file)
{
	FILE *f = fopen(file, "re");
	char *text;
	int ret;

	if (!f)
		return usage_error("'%s': %s", file, strerror(errno));
	text = topo_alloc(1, LINE_SIZE);
	ret = read_lines(r, file, f, text);
	free(text);
	fclose(f);
	return ret;
}

static void free_results(struct results *r)
{
	while (r->lines)
		json_decref(r->line[--r->lines]);
	free(r->line);
	free(r->sample);
}

/* --- criteria ------------------------------------------------------------------------ */

static int by_metric(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = strcmp(x->metric, y->metric);

	return order ? order : (x->value > y->value) - (x->value < y->value);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of losses, times and faults less is better, of rates more. */
static bool more_is_worse(const char *metric)
{
	static const char * const words[] = {
		"loss", "lat", "rtt", "time", "faults", "return_code", NULL
	};
	int i;

	for (i = 0; words[i]; i++) {
		if (strstr(metric, words[i]))
			return true;
	}
	return false;
}

/* Median of how far the samples are from @median. */
static double deviation(const struct sample *s, size_t n, double median)
{
	double *away = topo_alloc(n, sizeof(*away)), result;
	size_t i;

	for (i = 0; i < n; i++)
		away[i] = fabs(s[i].value - median);
	qsort(away, n, sizeof(*away), by_value);
	result = away[(n - 1) / 2];
	free(away);
	return result;
}

/* Samples @s of one metric, by value; returns how many are bad. */
static int judge_metric(const struct sample *s, size_t n)
{
	double median = s[(n - 1) / 2].value, limit;
	bool more = more_is_worse(s->metric);
	int bad = 0;
	size_t i;

	if (n < NODES_MIN)
		return 0;
	limit = fmax(TOLERANCE * fabs(median),
		     SIGMAS * MAD_SIGMA * deviation(s, n, median));
	for (i = 0; i < n; i++) {
		if (more ? s[i].value <= median + limit :
			   s[i].value >= median - limit)
			continue;
		printf("%-20s %-50s %12g, usual %g, limit %g\n", s[i].node,
		       s[i].metric, s[i].value, median,
		       more ? median + limit : median - limit);
		bad++;
	}
	return bad;
}

/* A rule of SuperBench for a metric; it compares with a baseline that has the median. */
static void write_rule(FILE *f, const char *metric, int number)
{
	const char *c;

	fprintf(f, "    mrc-%d:\n      function: variance\n", number);
	fprintf(f, "      criteria: \"lambda x: x %s %g\"\n",
		more_is_worse(metric) ? ">" : "<",
		more_is_worse(metric) ? TOLERANCE : -TOLERANCE);
	fputs("      categories: MRC\n      metrics:\n        - \"", f);
	for (c = metric; *c; c++) {
		if (strchr(".+*?()[]{}|^$", *c))
			fputs("\\\\", f);
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc(*c, f);
	}
	fputs("\"\n", f);
}

static int judge_all(const struct results *r, FILE *f)
{
	size_t i, n;
	int bad = 0, number = 0;

	for (i = 0; i < r->n; i += n) {
		for (n = 1; i + n < r->n; n++) {
			if (strcmp(r->sample[i].metric, r->sample[i + n].metric))
				break;
		}
		bad += judge_metric(&r->sample[i], n);
		if (f && n >= NODES_MIN)
			write_rule(f, r->sample[i].metric, ++number);
	}
	return bad;
}

static int write_rules(const struct results *r, const char *file, int *bad)
{
	size_t size;
	char *text;
	FILE *f = topo_text(&text, &size);
	bool ok;

	fputs("superbench:\n  rules:\n", f);
	*bad = judge_all(r, f);
	fclose(f);
	ok = output_file(file, text, size);
	free(text);
	return ok ? EXIT_OK : usage_error("'%s': %s", file, strerror(errno));
}

/**
 * results_judge() - print which nodes are worse than is usual
 * @file: results, a line of JSON for each node
 * @rules: file for rules of SuperBench's diagnosis, or NULL
 *
 * Return: enum exit_code; EXIT_NO_ANSWER if a node is bad.
 */
int results_judge(const char *file, const char *rules)
{
	struct results r = {};
	int ret = read_results(&r, file), bad = 0;

	if (!ret && r.n)
		qsort(r.sample, r.n, sizeof(*r.sample), by_metric);
	if (!ret && rules)
		ret = write_rules(&r, rules, &bad);
	else if (!ret)
		bad = judge_all(&r, NULL);
	if (!ret && !bad)
		printf("%zu nodes, %zu results: none is worse than is usual\n",
		       r.lines, r.n);
	free_results(&r);
	return ret ? ret : bad ? EXIT_NO_ANSWER : EXIT_OK;
}
