// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: topology files of mrcctl. Each is checked, shown, and turned into the
 * commands for a device that has no configuration, all without a kernel.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "mrcctl.h"
#include "out.h"

#define WORDS_MAX	8
/* Name of a host in most inputs, and of another one. */
#define HOST		"h0"
#define PEER		"h1"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char * const commands[][WORDS_MAX] = {
	{ "check", "-" },
	{ "show", "-", "host", HOST },
	{ "show", "-", "host", HOST, "to", PEER },
	{ "apply", "-", "host", HOST, "dev", "mrc0", "dry-run", "fresh" },
	{}
};

/* What mrcctl prints is not looked at; libFuzzer has its own copy of stderr. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *null = fopen("/dev/null", "w");

	(void)argc;
	(void)argv;
	if (!null)
		return 1;
	stdout = null;
	stderr = null;
	return 0;
}

static int run(const char * const *words, const uint8_t *data, size_t size)
{
	const struct command *command = topo_object.commands;
	char *argv[WORDS_MAX];
	FILE *in = stdin;
	int argc, ret;

	for (argc = 0; argc < WORDS_MAX - 1 && words[argc + 1]; argc++)
		argv[argc] = strdup(words[argc + 1]);
	while (strcmp(command->name, words[0]))
		command++;
	stdin = fmemopen((void *)data, size, "r");
	ret = command->run(NULL, argc, argv);
	fclose(stdin);
	stdin = in;
	while (argc--)
		free(argv[argc]);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t i;

	if (!size)
		return 0;
	out.json = size % 2;
	for (i = 0; commands[i][0]; i++)
		/* A file with mistakes is refused by all commands alike. */
		if (run(commands[i], data, size) && !i)
			break;
	return 0;
}
