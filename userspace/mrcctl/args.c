// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser of key/value arguments.  Every refusal names the argument.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <linux/mrc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "mrcctl.h"

/**
 * usage_error() - say what is wrong with the arguments
 * @fmt: as printf
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const char *fmt, ...)
{
	va_list args;

	fputs("mrcctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int parse_name(const struct arg *arg, const char *word)
{
	if (!*word)
		return usage_error("the value of '%s' is empty", arg->key);
	if (strlen(word) >= MRC_NAME_MAX)
		return usage_error("the value of '%s' is longer than %d bytes",
				   arg->key, MRC_NAME_MAX - 1);
	*(const char **)arg->value = word;
	return EXIT_OK;
}

static int parse_list(const struct arg *arg, const char *word)
{
	if (!*word)
		return usage_error("the value of '%s' is empty", arg->key);
	*(const char **)arg->value = word;
	return EXIT_OK;
}

static int parse_u32(const struct arg *arg, const char *word)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(word, &end, 0);
	if (!isdigit((unsigned char)*word) || *end)
		return usage_error("'%s %s': not a number", arg->key, word);
	if (errno || value > UINT32_MAX)
		return usage_error("'%s %s': greater than %u", arg->key, word,
				   UINT32_MAX);
	*(uint32_t *)arg->value = value;
	return EXIT_OK;
}

static int parse_port(const struct arg *arg, const char *word)
{
	uint32_t *port = arg->value;
	int ret;

	ret = parse_u32(arg, word);
	if (ret)
		return ret;
	if (*port < 1 || *port > MRC_PORTS_MAX)
		return usage_error("'%s %s': ports are 1 to %d", arg->key,
				   word, MRC_PORTS_MAX);
	return EXIT_OK;
}

static int parse_in6(const struct arg *arg, const char *word)
{
	if (inet_pton(AF_INET6, word, arg->value) == 1)
		return EXIT_OK;
	return usage_error("'%s %s': not an IPv6 address", arg->key, word);
}

static int parse_gid(const struct arg *arg, const char *word)
{
	struct in6_addr *gid = arg->value;
	struct in_addr in;

	if (inet_pton(AF_INET6, word, gid) == 1)
		return EXIT_OK;
	if (inet_pton(AF_INET, word, &in) != 1)
		return usage_error("'%s %s': not an IPv6 or IPv4 address",
				   arg->key, word);
	memset(gid, 0, sizeof(*gid));
	gid->s6_addr[10] = 0xff;
	gid->s6_addr[11] = 0xff;
	memcpy(&gid->s6_addr[12], &in, sizeof(in));
	return EXIT_OK;
}

static int parse_value(const struct arg *arg, const char *word)
{
	switch (arg->kind) {
	case ARG_NAME:
		return parse_name(arg, word);
	case ARG_LIST:
		return parse_list(arg, word);
	case ARG_U32:
		return parse_u32(arg, word);
	case ARG_PORT:
		return parse_port(arg, word);
	case ARG_GID:
		return parse_gid(arg, word);
	case ARG_IN6:
		return parse_in6(arg, word);
	case ARG_FLAG:
		break;
	}
	return EXIT_OK;
}

static struct arg *find_arg(struct arg *args, const char *key)
{
	for (; args->key; args++) {
		if (!strcmp(args->key, key))
			return args;
	}
	return NULL;
}

static int check_required(const struct arg *args)
{
	for (; args->key; args++) {
		if (args->required && !args->given)
			return usage_error("'%s' is missing", args->key);
	}
	return EXIT_OK;
}

/* One key and its value; returns how many words it took in @taken. */
static int parse_one(int argc, char **argv, struct arg *arg, int *taken)
{
	if (arg->given)
		return usage_error("'%s' is given twice", arg->key);
	arg->given = true;
	*taken = 1;
	if (arg->kind == ARG_FLAG)
		return EXIT_OK;
	if (argc < 2)
		return usage_error("'%s' needs a value", arg->key);
	*taken = 2;
	return parse_value(arg, argv[1]);
}

/**
 * args_parse() - parse the arguments of a command
 * @argc: how many
 * @argv: the arguments, without object and command
 * @args: what the command knows, up to a NULL key
 *
 * Return: EXIT_OK, or EXIT_USAGE after saying what is wrong.
 */
int args_parse(int argc, char **argv, struct arg *args)
{
	struct arg *arg;
	int taken = 0, ret;

	if (argc && args->key && args->positional && !find_arg(args, *argv)) {
		args->given = true;
		ret = parse_value(args, *argv);
		if (ret)
			return ret;
		argc--;
		argv++;
	}
	while (argc) {
		arg = find_arg(args, *argv);
		if (!arg)
			return usage_error("'%s' is not an argument here",
					   *argv);
		ret = parse_one(argc, argv, arg, &taken);
		if (ret)
			return ret;
		argc -= taken;
		argv += taken;
	}
	return check_required(args);
}
