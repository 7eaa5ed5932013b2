// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negative tests through the verbs API: what is wrong is refused, with the
 * status that the standard has for it, and hurts nobody else.
 *
 * Both sides live in this process, on one device or on two.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bad.h"

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
	{ "send", bad_send },
	{ "post", bad_post },
	{ "qp", bad_qp },
	{ "resource", bad_resource },
	{ "event", bad_event },
	{ "ask", bad_ask },
};

static const size_t n_groups = sizeof(groups) / sizeof(*groups);

static const char usage_text[] =
"Usage: mrc_bad [OPTION]... [GROUP]...\n"
"Negative tests; GROUP is one of send, post, qp, resource, event, ask\n"
"(default: all).\n"
PAIR_ARGS_USAGE;

/**
 * expect_wc - a test: the next completion has a status
 * @cq: completion queue
 * @status: expected
 * @what: name of the test
 *
 * Return: whether it passed.
 */
bool expect_wc(struct ibv_cq *cq, enum ibv_wc_status status, const char *what)
{
	struct ibv_wc wc;
	bool ok;

	wait_wc(cq, &wc);
	ok = tap_ok(wc.status == status, "%s: %s", what,
		    ibv_wc_status_str(status));
	if (!ok)
		tap_note("got %s, vendor error %u",
			 wc.status == (enum ibv_wc_status)~0 ?
				 "no completion" :
				 ibv_wc_status_str(wc.status), wc.vendor_err);
	return ok;
}

static bool group_wanted(const char *name, int n, char **names)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return !n;
}

static bool group_known(const char *name)
{
	size_t i;

	for (i = 0; i < n_groups; i++)
		if (!strcmp(groups[i].name, name))
			return true;
	fprintf(stderr, "mrc_bad: unknown group: %s\n", name);
	return false;
}

int main(int argc, char **argv)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	int c;
	size_t i;

	while ((c = getopt(argc, argv, PAIR_ARGS)) != -1) {
		switch (c) {
		default:
			if (pair_arg(&args, c, optarg))
				break;
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	for (c = optind; c < argc; c++)
		if (!group_known(argv[c]))
			return 2;
	if (pair_open_devices(&args))
		return 2;
	for (i = 0; i < n_groups; i++)
		if (group_wanted(groups[i].name, argc - optind, argv + optind))
			groups[i].run();
	pair_close_devices();
	return tap_done();
}
