// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcd validate: probe for some seconds, then say what is broken, with a table of all
 * links that were probed.  mrcd pairs: pairs of hosts for a benchmark of bandwidth, in
 * the format of SuperBench's ib-traffic.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "output.h"
#include "picture.h"
#include "validate.h"

#define SEARCH_S	0.25

/* --- results ----------------------------------------------------------------------- */

static double share(const struct tally *t)
{
	return t->probes ? (double)t->lost / t->probes : 0;
}

static bool is_link(const struct fabric *fabric, uint32_t number)
{
	struct part part;

	fabric_part(fabric, number, &part);
	return part.kind == PART_LINK || part.kind == PART_PORT;
}

static void print_table(const struct daemon *d, const struct tally *t)
{
	char name[FABRIC_NAME];
	uint32_t i;

	printf("%-24s %10s %8s %8s\n", "LINK", "PROBES", "LOST", "LOSS");
	for (i = 0; i < fabric_parts(&d->fabric); i++) {
		if (t[i].probes && is_link(&d->fabric, i))
			printf("%-24s %10llu %8llu %7.3f%%%s\n",
			       fabric_name(&d->fabric, i, name),
			       (unsigned long long)t[i].probes,
			       (unsigned long long)t[i].lost, 100 * share(&t[i]),
			       faults_find(&d->faults, i) ? "  <- broken" : "");
	}
}

static int take_findings(const struct daemon *d, struct finding *finding)
{
	int i, n = 0;

	for (i = 0; i < FAULTS_MAX; i++) {
		if (d->faults.fault[i].used)
			finding[n++] = d->faults.fault[i].finding;
	}
	return n;
}

static void print_findings(const struct daemon *d,
			   const struct finding *finding, int n)
{
	char text[OUTPUT_TEXT];
	int i;

	for (i = 0; i < n; i++)
		printf("%s\n", output_fault(&d->fabric, &finding[i], text));
	if (!n)
		printf("nothing is broken: %llu probes, %llu lost\n",
		       (unsigned long long)d->prober.sent,
		       (unsigned long long)d->prober.lost);
}

/* SuperBench takes what follows a colon for the rank of a process. */
static void put_metric(json_t *o, const char *what, const char *part,
		       double value)
{
	char key[2 * FABRIC_NAME], *c;

	snprintf(key, sizeof(key), "mrc-probe/%s%s%s", what, *part ? "_" : "",
		 part);
	for (c = key; *c; c++)
		*c = *c == ':' ? '_' : *c;
	json_object_set_new(o, key, json_real(value));
}

static bool write_jsonl(const char *file, const struct daemon *d,
			const struct tally *t, int findings)
{
	json_t *o = json_pack("{s:s}", "node", d->topo.host[d->self].name);
	char name[FABRIC_NAME], *text;
	uint32_t i;
	bool ok;

	put_metric(o, "faults", "", findings);
	put_metric(o, "loss", "",
		   d->prober.sent ? (double)d->prober.lost / d->prober.sent : 0);
	for (i = 0; i < RTT_CLASSES; i++)
		put_metric(o, i ? "rtt_ns_t1" : "rtt_ns_t0", "",
			   d->prober.rtt.median[i]);
	for (i = 0; i < fabric_parts(&d->fabric); i++) {
		if (t[i].probes && is_link(&d->fabric, i))
			put_metric(o, "loss", fabric_name(&d->fabric, i, name),
				   share(&t[i]));
	}
	text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(o);
	text = realloc(text, strlen(text) + 2);
	strcat(text, "\n");
	ok = output_file(file, text, strlen(text));
	free(text);
	return ok;
}

static int give_results(const struct daemon *d, const struct validation *v)
{
	struct tally *t = evidence_tally(&d->evidence);
	struct finding finding[FAULTS_MAX];
	int n = take_findings(d, finding), ret = n ? EXIT_NO_ANSWER : EXIT_OK;

	print_table(d, t);
	print_findings(d, finding, n);
	if (v->picture && !picture_write(v->picture, &d->evidence, finding, n))
		ret = usage_error("'%s': %s", v->picture, strerror(errno));
	if (v->jsonl && !write_jsonl(v->jsonl, d, t, n))
		ret = usage_error("'%s': %s", v->jsonl, strerror(errno));
	if (!d->evidence.cells)
		ret = usage_error("no path of the topology was found: "
				  "apply it with 'mrcctl topo apply'");
	free(t);
	return ret;
}

/* --- run --------------------------------------------------------------------------- */

static int probe_for(struct daemon *d, double seconds)
{
	double end = daemon_now(d) + seconds, search = 0, second = 0, now = 0;

	while (now < end) {
		daemon_probe(d);
		if (daemon_wait(d))
			return usage_error("%s has gone", d->device.name);
		now = daemon_now(d);
		if (now >= search) {
			faults_update(&d->faults, now);
			search = now + SEARCH_S;
		}
		if (now >= second) {
			rtt_tick(&d->prober.rtt);
			paths_count_data(&d->paths, &d->nl, d->device.name);
			second = now + 1;
		}
	}
	return EXIT_OK;
}

/**
 * validate_run() - probe, and print what is broken
 * @options: as of the daemon
 * @v: what is wanted
 *
 * Return: enum exit_code; EXIT_NO_ANSWER if something is broken.
 */
int validate_run(const struct options *options, const struct validation *v)
{
	static struct daemon d;
	int ret = daemon_open(&d, options);

	/* Names are printed at the end. */
	d.faults.tell = NULL;
	if (!ret)
		ret = probe_for(&d, v->seconds);
	if (!ret)
		ret = give_results(&d, v);
	daemon_close(&d);
	return ret;
}

/* --- pairs --------------------------------------------------------------------------- */

/**
 * struct pair_line - a round of pairs
 * @topo: network
 * @n: pairs printed so far
 */
struct pair_line {
	const struct topo *topo;
	int n;
};

static void print_pair(struct pair_line *line, int a, int b)
{
	printf("%s%d,%d", line->n++ ? ";" : "", a, b);
}

/* Host number @i at a T0 of the first plane; -1: there are not so many. */
static int host_at(const struct topo *topo, int t0, int i)
{
	int h;

	for (h = 0; h < topo->hosts; h++) {
		if (topo->host[h].t0[0] == t0 && !i--)
			return h;
	}
	return -1;
}

static void end_line(struct pair_line *line)
{
	if (line->n)
		printf("\n");
	line->n = 0;
}

/* Each host with its neighbour at the same T0. */
static void print_local(struct pair_line *line)
{
	int t0, i, a, b;

	for (t0 = 0; t0 < line->topo->t0.n; t0++) {
		for (i = 0;; i += 2) {
			a = host_at(line->topo, t0, i);
			b = host_at(line->topo, t0, i + 1);
			if (a < 0 || b < 0)
				break;
			print_pair(line, a, b);
		}
	}
	end_line(line);
}

static void print_between(struct pair_line *line, int t0, int other)
{
	int i, a, b;

	for (i = 0;; i++) {
		a = host_at(line->topo, t0, i);
		b = host_at(line->topo, other, i);
		if (a < 0 || b < 0)
			return;
		print_pair(line, a, b);
	}
}

/* In each round each T0 is paired with another; in all rounds with each other one. */
static void print_remote(struct pair_line *line)
{
	int n = line->topo->t0.n + line->topo->t0.n % 2, round, i, a, b;

	for (round = 0; round < n - 1; round++) {
		for (i = 0; i < n / 2; i++) {
			a = i ? (round + i) % (n - 1) : n - 1;
			b = (round + n - 1 - i) % (n - 1);
			if (a < line->topo->t0.n && b < line->topo->t0.n)
				print_between(line, a, b);
		}
		end_line(line);
	}
}

/**
 * validate_pairs() - print pairs of hosts, so that each link is measured
 * @file: topology
 * @hosts: print the host file instead: numbers in pairs are those of its lines
 *
 * Traffic of a pair is spread over all planes and T1s, so that a pair of hosts at two
 * T0s loads all links of these.
 *
 * Return: enum exit_code.
 */
int validate_pairs(const char *file, bool hosts)
{
	struct topo topo = {};
	struct pair_line line = { .topo = &topo };
	int ret = topo_load_good(file, &topo), i;

	for (i = 0; !ret && hosts && i < topo.hosts; i++)
		printf("%s\n", topo.host[i].name);
	if (!ret && !hosts) {
		print_local(&line);
		print_remote(&line);
	}
	topo_free(&topo);
	return ret;
}
