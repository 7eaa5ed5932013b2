// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl: show and configure mrc devices, their paths and queue pairs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "mrcctl.h"
#include "nl.h"
#include "out.h"

/* The Makefile takes MRCCTL_VERSION from the file VERSION. */
#define NETNS_DIR "/var/run/netns/"

static const struct object * const objects[] = {
	&dev_object, &format_object, &profile_object, &template_object,
	&dest_object, &path_object, &topo_object, &cc_object, &qp_object,
	&port_object, &probe_object, &stats_object, &monitor_object,
	&top_object, &metrics_object, &peer_object, &save_object,
	&restore_object,
};

static void print_usage(FILE *f)
{
	size_t i;

	fputs("Usage: mrcctl [OPTIONS] OBJECT {COMMAND | help}\n"
	      "       mrcctl [OPTIONS] -b FILE\n"
	      "OBJECT:  dev format profile template dest path topo cc qp peer port\n"
	      "         probe stats metrics monitor top save restore\n"
	      "OPTIONS: -j[son] -p[retty] -d[etails] -s[tats] -n[etns] NAME\n"
	      "         -b[atch] FILE -V[ersion] -h[elp]\n\n", f);
	for (i = 0; i < MNL_ARRAY_SIZE(objects); i++)
		fputs(objects[i]->usage, f);
}

static const struct object *find_object(const char *name)
{
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(objects); i++) {
		if (!strcmp(objects[i]->name, name))
			return objects[i];
	}
	return NULL;
}

static const struct command *find_command(const struct object *object,
					  const char *name)
{
	const struct command *command;

	for (command = object->commands; command->name; command++) {
		if (!strcmp(command->name, name))
			return command;
	}
	return NULL;
}

/* Words after the object; those of an object with one command may lack it. */
static int run_object(struct nl *nl, const struct object *object, int argc,
		      char **argv)
{
	const struct command *command = object->commands;

	if (argc && !strcmp(*argv, "help")) {
		fputs(object->usage, stdout);
		return EXIT_OK;
	}
	if (argc && find_command(object, *argv)) {
		command = find_command(object, *argv);
		argc--;
		argv++;
	} else if (argc && (command + 1)->name) {
		return usage_error("'%s' is not a command of '%s', see 'mrcctl %s help'",
				   *argv, object->name, object->name);
	}
	return command->run(nl, argc, argv);
}

static int run_words(struct nl *nl, int argc, char **argv)
{
	const struct object *object;

	if (!strcmp(*argv, "help")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	object = find_object(*argv);
	if (!object)
		return usage_error("'%s' is not an object, see 'mrcctl help'",
				   *argv);
	return run_object(nl, object, argc - 1, argv + 1);
}

/* --- batch ---------------------------------------------------------------- */

/* Split a line into words; a '#' begins a comment. */
static int split_line(char *line, char **argv)
{
	char *word, *save;
	int argc = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (word = strtok_r(line, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (argc == MRCCTL_WORDS)
			return -1;
		argv[argc++] = word;
	}
	return argc;
}

/**
 * run_line() - run a command
 * @nl: connection
 * @line: the command, as in a batch; it is written to
 *
 * Return: enum exit_code.
 */
int run_line(struct nl *nl, char *line)
{
	char *argv[MRCCTL_WORDS];
	int argc = split_line(line, argv);

	if (argc < 0)
		return usage_error("more than %d words", MRCCTL_WORDS);
	return argc ? run_words(nl, argc, argv) : EXIT_OK;
}

static int run_stream(struct nl *nl, FILE *f, const char *name)
{
	char *line = NULL;
	size_t size = 0;
	int number = 0;
	int ret = EXIT_OK;

	while (!ret && getline(&line, &size, f) >= 0) {
		number++;
		ret = run_line(nl, line);
		fflush(stdout);
	}
	if (ret)
		fprintf(stderr, "mrcctl: this error is in line %d of %s\n", number,
			name);
	free(line);
	return ret;
}

static int run_batch(struct nl *nl, const char *name)
{
	FILE *f = stdin;
	int ret;

	if (!strcmp(name, "-"))
		return run_stream(nl, f, "standard input");
	f = fopen(name, "r");
	if (!f)
		return usage_error("'-b %s': %s", name, strerror(errno));
	ret = run_stream(nl, f, name);
	fclose(f);
	return ret;
}

/* --- options --------------------------------------------------------------- */

static int enter_netns(const char *name)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s%s",
		 strchr(name, '/') ? "" : NETNS_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return usage_error("'-n %s': no such network namespace: %s",
				   name, strerror(errno));
	ret = setns(fd, CLONE_NEWNET);
	close(fd);
	if (ret < 0) {
		fprintf(stderr, "mrcctl: cannot enter namespace %s: %s\n",
			name, strerror(errno));
		return EXIT_KERNEL;
	}
	return EXIT_OK;
}

static const struct option long_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "details", no_argument, NULL, 'd' },
	{ "stats", no_argument, NULL, 's' },
	{ "netns", required_argument, NULL, 'n' },
	{ "batch", required_argument, NULL, 'b' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL }
};

/* Options that do not concern the output. */
struct job {
	const char *netns;
	const char *batch;
	bool version;
	bool help;
};

static int parse_options(int argc, char **argv, struct job *job)
{
	int c;

	while ((c = getopt_long(argc, argv, "+jpdsn:N:b:Vh", long_options,
				NULL)) >= 0) {
		switch (c) {
		case 'j':
			out.json = true;
			break;
		case 'p':
			out.json = true;
			out.pretty = true;
			break;
		case 'd':
			out.details = true;
			break;
		case 's':
			out.stats = true;
			break;
		case 'n':
		case 'N':
			job->netns = optarg;
			break;
		case 'b':
			job->batch = optarg;
			break;
		case 'V':
			job->version = true;
			break;
		case 'h':
			job->help = true;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	return EXIT_OK;
}

static int run_job(struct nl *nl, const struct job *job, int argc, char **argv)
{
	int ret;

	if (job->version) {
		puts("mrcctl " MRCCTL_VERSION);
		return EXIT_OK;
	}
	if (job->help) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!argc && !job->batch) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc && job->batch)
		return usage_error("'%s' is not an argument with '-b'", *argv);
	ret = job->netns ? enter_netns(job->netns) : EXIT_OK;
	if (ret)
		return ret;
	return job->batch ? run_batch(nl, job->batch) :
			    run_words(nl, argc, argv);
}

int main(int argc, char **argv)
{
	static struct nl nl;
	struct job job = {};
	int ret;

	ret = parse_options(argc, argv, &job);
	if (ret)
		return ret;
	ret = run_job(&nl, &job, argc - optind, argv + optind);
	nl_close(&nl);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "mrcctl: cannot write: %s\n", strerror(errno));
		return EXIT_KERNEL;
	}
	return ret;
}
