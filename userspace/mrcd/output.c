// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Status as JSON, metrics in the text format of Prometheus.  Files are replaced, never
 * written in place, so that a reader sees a whole one, and a full disk leaves the
 * last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exit_code.h"
#include "output.h"

/**
 * output_file() - replace a file
 * @file: its name
 * @text: contents
 * @size: bytes
 *
 * Return: false with errno if it could not be written; it is unchanged then.
 */
bool output_file(const char *file, const char *text, size_t size)
{
	char new[4096];
	bool ok;
	FILE *f;

	if (snprintf(new, sizeof(new), "%s.new", file) >= (int)sizeof(new)) {
		errno = ENAMETOOLONG;
		return false;
	}
	f = fopen(new, "we");
	if (!f)
		return false;
	ok = fwrite(text, 1, size, f) == size;
	ok &= !fclose(f);
	if (ok && !rename(new, file))
		return true;
	unlink(new);
	return false;
}

/* --- faults ------------------------------------------------------------------------ */

static const char *verb(enum fault_kind kind)
{
	static const char * const verbs[] = {
		[FAULT_LOSS] = "loses",
		[FAULT_GREY] = "loses data packets, but not probes:",
		[FAULT_SLOW] = "delays",
	};

	return verbs[kind];
}

/**
 * output_fault() - a sentence about a fault
 * @fabric: network
 * @f: fault
 * @text: OUTPUT_TEXT bytes
 *
 * Return: @text.
 */
const char *output_fault(const struct fabric *fabric, const struct finding *f,
			 char *text)
{
	char name[FABRIC_NAME];
	int n, i;

	n = snprintf(text, OUTPUT_TEXT,
		     "%s %s about %.3g %% (%.0f of %.0f packets on %u paths), confidence %.2f",
		     fabric_name(fabric, f->exact, name), verb(f->kind),
		     100 * f->rate, f->bad, f->sent,
		     f->paths, f->confidence);
	for (i = 0; i < f->others && n < OUTPUT_TEXT; i++)
		n += snprintf(text + n, OUTPUT_TEXT - n, "%s %s (%.2f)",
			      i ? "," : "; it may be",
			      fabric_name(fabric, f->other[i].part, name),
			      f->other[i].confidence);
	return text;
}

/**
 * output_finding() - a fault as JSON
 * @fabric: network
 * @f: fault
 *
 * Return: a new object.
 */
json_t *output_finding(const struct fabric *fabric, const struct finding *f)
{
	char part[FABRIC_NAME], exact[FABRIC_NAME];
	json_t *others = json_array();
	int i;

	for (i = 0; i < f->others; i++)
		json_array_append_new(others,
				      json_pack("{s:s, s:f}", "part",
						fabric_name(fabric, f->other[i].part, part),
						"confidence",
						f->other[i].confidence));
	return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:i, s:o}",
			 "part", fabric_name(fabric, f->part, part), "exact",
			 fabric_name(fabric, f->exact, exact), "kind",
			 fault_kind_name(f->kind), "rate", f->rate,
			 "confidence", f->confidence, "score", f->score, "sent",
			 f->sent, "bad", f->bad, "paths", (int)f->paths,
			 "others", others);
}

/* --- status ------------------------------------------------------------------------ */

static json_t *fault_list(const struct daemon *d)
{
	json_t *list = json_array(), *o;
	const struct fault *f;

	for (f = d->faults.fault; f < d->faults.fault + FAULTS_MAX; f++) {
		if (!f->used)
			continue;
		o = output_finding(&d->fabric, &f->finding);
		json_object_set_new(o, "id", json_integer(f->id));
		json_object_set_new(o, "age_s",
				    json_real(daemon_now(d) - f->since));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *rule_list(const struct daemon *d)
{
	json_t *list = json_array(), *o;
	const struct deny_rule *r;
	char word[TOPO_NAME], name[FABRIC_NAME];

	for (r = d->deny.rule; r < d->deny.rule + DENY_RULES; r++) {
		if (!r->used)
			continue;
		o = json_pack("{s:i, s:s, s:f}", "port", (int)r->port, "part",
			      fabric_name(&d->fabric, r->part, name),
			      "expires_s", r->expires - daemon_now(d));
		snprintf(word, sizeof(word), "%x", r->usid);
		json_object_set_new(o, "usid", json_string(word));
		snprintf(word, sizeof(word), "%x", r->next);
		if (r->next)
			json_object_set_new(o, "next", json_string(word));
		json_array_append_new(list, o);
	}
	return list;
}

static const char * const modes[] = { "off", "dry-run", "on" };

static bool write_status(const struct daemon *d)
{
	char file[4096], *text;
	json_t *o;
	bool ok;

	o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:o}",
		      "host", d->topo.host[d->self].name, "dev",
		      d->device.name, "topology", d->options->topology, "time",
		      (json_int_t)time(NULL), "probes",
		      (json_int_t)d->prober.sent, "lost",
		      (json_int_t)d->prober.lost, "unsent",
		      (json_int_t)d->prober.unsent, "refused",
		      (json_int_t)d->prober.refused, "foreign_paths",
		      (json_int_t)d->paths.foreign, "deny", modes[d->deny.mode],
		      "faults", fault_list(d), "rules", rule_list(d));
	text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	json_decref(o);
	snprintf(file, sizeof(file), "%s/" OUTPUT_STATUS, d->options->dir);
	ok = text && output_file(file, text, strlen(text));
	free(text);
	return ok;
}

/* --- metrics ----------------------------------------------------------------------- */

static void metric(FILE *f, const char *name, const char *type,
		   const char *help, uint64_t value)
{
	fprintf(f, "# HELP mrcd_%s %s\n# TYPE mrcd_%s %s\nmrcd_%s %llu\n", name,
		help, name, type, name, (unsigned long long)value);
}

static void fault_metrics(FILE *f, const struct daemon *d)
{
	char name[FABRIC_NAME];
	const struct fault *fault;
	int i;

	fputs("# HELP mrcd_fault_rate_ratio Share of packets that a broken part loses or delays.\n"
	      "# TYPE mrcd_fault_rate_ratio gauge\n", f);
	for (i = 0; i < FAULTS_MAX; i++) {
		fault = &d->faults.fault[i];
		if (fault->used)
			fprintf(f, "mrcd_fault_rate_ratio{part=\"%s\",kind=\"%s\"} %g\n",
				fabric_name(&d->fabric, fault->finding.exact,
					    name),
				fault_kind_name(fault->finding.kind),
				fault->finding.rate);
	}
	fputs("# HELP mrcd_fault_confidence_ratio Probability that it is this part.\n"
	      "# TYPE mrcd_fault_confidence_ratio gauge\n", f);
	for (i = 0; i < FAULTS_MAX; i++) {
		fault = &d->faults.fault[i];
		if (fault->used)
			fprintf(f, "mrcd_fault_confidence_ratio{part=\"%s\",kind=\"%s\"} %g\n",
				fabric_name(&d->fabric, fault->finding.exact,
					    name),
				fault_kind_name(fault->finding.kind),
				fault->finding.confidence);
	}
}

static bool write_metrics(const struct daemon *d)
{
	size_t size;
	char *text;
	FILE *f = topo_text(&text, &size);
	bool ok;

	metric(f, "probes_total", "counter", "EV probes sent.",
	       d->prober.sent);
	metric(f, "probes_lost_total", "counter",
	       "EV probes without response.", d->prober.lost);
	metric(f, "probes_unsent_total", "counter",
	       "EV probes that the kernel could not send.", d->prober.unsent);
	metric(f, "rounds_refused_total", "counter",
	       "Rounds of EV probes that the kernel refused.",
	       d->prober.refused);
	metric(f, "foreign_paths_total", "counter",
	       "Paths told by the kernel that are none of the topology.",
	       d->paths.foreign);
	metric(f, "faults_named_total", "counter", "Faults named.", d->named);
	metric(f, "deny_rules", "gauge",
	       "Deny rules of mrcd; in a dry run those that there would be.",
	       deny_rules(&d->deny));
	metric(f, "deny_refused_total", "counter",
	       "Faults against which no rule was permitted.", d->deny.refused);
	fault_metrics(f, d);
	fclose(f);
	ok = output_file(d->options->metrics, text, size);
	free(text);
	return ok;
}

/**
 * output_write() - write status and metrics
 * @d: daemon
 *
 * Return: false with errno if a file could not be written.
 */
bool output_write(const struct daemon *d)
{
	bool ok = write_status(d);

	if (d->options->metrics)
		ok &= write_metrics(d);
	return ok;
}

/* --- status of a running daemon ---------------------------------------------------------- */

static void print_fault(json_t *o)
{
	json_t *other, *others = json_object_get(o, "others");
	const char *lead = "; or ";
	size_t i;

	printf("%s %s %.2g%% confidence %.2f: %.0f of %.0f packets on %lld paths, since %.0f s",
	       json_string_value(json_object_get(o, "exact")),
	       json_string_value(json_object_get(o, "kind")),
	       100 * json_number_value(json_object_get(o, "rate")),
	       json_number_value(json_object_get(o, "confidence")),
	       json_number_value(json_object_get(o, "bad")),
	       json_number_value(json_object_get(o, "sent")),
	       (long long)json_integer_value(json_object_get(o, "paths")),
	       json_number_value(json_object_get(o, "age_s")));
	json_array_foreach(others, i, other) {
		printf("%s%s %.2f", lead,
		       json_string_value(json_object_get(other, "part")),
		       json_number_value(json_object_get(other, "confidence")));
		lead = ", ";
	}
	printf("\n");
}

static void print_status(json_t *o)
{
	json_t *item, *next;
	size_t i;

	printf("%s %s: %lld probes, %lld lost, deny %s\n",
	       json_string_value(json_object_get(o, "host")),
	       json_string_value(json_object_get(o, "dev")),
	       (long long)json_integer_value(json_object_get(o, "probes")),
	       (long long)json_integer_value(json_object_get(o, "lost")),
	       json_string_value(json_object_get(o, "deny")));
	json_array_foreach(json_object_get(o, "faults"), i, item)
		print_fault(item);
	json_array_foreach(json_object_get(o, "rules"), i, item) {
		next = json_object_get(item, "next");
		printf("rule port %lld usid %s%s%s for %s, %.0f s left\n",
		       (long long)json_integer_value(json_object_get(item, "port")),
		       json_string_value(json_object_get(item, "usid")),
		       next ? " next " : "",
		       next ? json_string_value(next) : "",
		       json_string_value(json_object_get(item, "part")),
		       json_number_value(json_object_get(item, "expires_s")));
	}
}

/**
 * output_status() - print the status of a running daemon
 * @dir: its directory
 * @json: as it is
 *
 * Return: enum exit_code.
 */
int output_status(const char *dir, bool json)
{
	json_error_t error;
	char file[4096];
	json_t *o;

	snprintf(file, sizeof(file), "%s/" OUTPUT_STATUS, dir);
	o = json_load_file(file, 0, &error);
	if (!o)
		return usage_error("'%s': %s; is mrcd running?", file,
				   error.text);
	if (json) {
		json_dumpf(o, stdout, JSON_INDENT(1));
		printf("\n");
	} else {
		print_status(o);
	}
	json_decref(o);
	return EXIT_OK;
}
