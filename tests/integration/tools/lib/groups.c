// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Programs that consist of groups of tests.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "groups.h"
#include "pair.h"
#include "tap.h"

static void usage(FILE *to, const char *prog, const char *about,
		  const struct group *g)
{
	fprintf(to, "Usage: %s [OPTION]... [GROUP]...\n%s; GROUP is one of",
		prog, about);
	for (; g->name; g++)
		fprintf(to, " %s%s", g->name, g[1].name ? "," : "");
	fprintf(to, "\n(default: all).\n%s", PAIR_ARGS_USAGE);
}

static bool is_selected(const char *name, int n, char **names)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return !n;
}

static bool is_group(const struct group *g, const char *prog,
		     const char *name)
{
	for (; g->name; g++)
		if (!strcmp(g->name, name))
			return true;
	fprintf(stderr, "%s: unknown group: %s\n", prog, name);
	return false;
}

/**
 * groups_main - main() of a program of groups
 * @argc: of main()
 * @argv: of main()
 * @prog: name of the program
 * @about: subject of the tests
 * @groups: all groups
 *
 * Return: status of the program; 2: no test has run.
 */
int groups_main(int argc, char **argv, const char *prog, const char *about,
		const struct group *groups)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	const struct group *g;
	int c;

	while ((c = getopt(argc, argv, PAIR_ARGS)) != -1) {
		if (pair_arg(&args, c, optarg))
			continue;
		usage(c == 'h' ? stdout : stderr, prog, about, groups);
		return c == 'h' ? 0 : 2;
	}
	for (c = optind; c < argc; c++)
		if (!is_group(groups, prog, argv[c]))
			return 2;
	if (pair_open_devices(&args))
		return 2;
	for (g = groups; g->name; g++)
		if (is_selected(g->name, argc - optind, argv + optind))
			g->run();
	pair_close_devices();
	return tap_done();
}
