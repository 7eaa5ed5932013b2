// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser of key/value arguments.  Every refusal names the argument.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <linux/mrc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "exit_code.h"

/**
 * usage_error() - report what is wrong with the arguments
 * @fmt: as printf
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
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

/**
 * parse_number() - parse a number
 * @key: what it is, for the message
 * @word: the number
 * @base: as of strtoull(); 0 accepts decimal and 0x...
 * @max: largest value
 * @value: filled in
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong.
 */
int parse_number(const char *key, const char *word, int base, uint64_t max,
		 uint64_t *value)
{
	bool starts = base == 16 ? isxdigit((unsigned char)*word) :
				   isdigit((unsigned char)*word);
	char *end;

	errno = 0;
	*value = strtoull(word, &end, base);
	if (!starts || *end)
		return usage_error("'%s %s': not a number", key, word);
	if (errno || *value > max)
		return usage_error("'%s %s': greater than %llu", key, word,
				   (unsigned long long)max);
	return EXIT_OK;
}

static int parse_u64(const struct arg *arg, const char *word)
{
	return parse_number(arg->key, word, 0, UINT64_MAX, arg->value);
}

static int parse_u32_base(const struct arg *arg, const char *word, int base)
{
	uint64_t value;
	int ret;

	ret = parse_number(arg->key, word, base, UINT32_MAX, &value);
	if (!ret)
		*(uint32_t *)arg->value = value;
	return ret;
}

static int parse_u32(const struct arg *arg, const char *word)
{
	return parse_u32_base(arg, word, 0);
}

static int parse_word(const struct arg *arg, const char *word)
{
	uint32_t i;

	for (i = 1; arg->words[i]; i++) {
		if (strcmp(arg->words[i], word))
			continue;
		*(uint32_t *)arg->value = i;
		return EXIT_OK;
	}
	fprintf(stderr, "%s: '%s %s': not one of",
		program_invocation_short_name, arg->key, word);
	for (i = 1; arg->words[i]; i++)
		fprintf(stderr, " %s", arg->words[i]);
	fputc('\n', stderr);
	return EXIT_USAGE;
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

/* IPv4 addresses become mapped ones; false if it is none at all. */
static bool take_gid(const char *word, struct in6_addr *gid)
{
	struct in_addr in;

	if (inet_pton(AF_INET6, word, gid) == 1)
		return true;
	if (inet_pton(AF_INET, word, &in) != 1)
		return false;
	memset(gid, 0, sizeof(*gid));
	gid->s6_addr[10] = 0xff;
	gid->s6_addr[11] = 0xff;
	memcpy(&gid->s6_addr[12], &in, sizeof(in));
	return true;
}

static int parse_gid(const struct arg *arg, const char *word)
{
	if (take_gid(word, arg->value))
		return EXIT_OK;
	return usage_error("'%s %s': not an IPv6 or IPv4 address", arg->key,
			   word);
}

/* Without a length all bits count. */
static int parse_prefix(const struct arg *arg, const char *word)
{
	size_t n = strcspn(word, "/");
	struct prefix *prefix = arg->value;
	char text[INET6_ADDRSTRLEN] = {};
	unsigned long len, max;
	char *end;

	if (n < sizeof(text))
		memcpy(text, word, n);
	if (!take_gid(text, &prefix->addr))
		return usage_error("'%s %s': not an IPv6 or IPv4 address",
				   arg->key, word);
	max = strchr(text, ':') ? 128 : 32;
	len = max;
	if (word[n]) {
		len = strtoul(word + n + 1, &end, 10);
		if (!isdigit((unsigned char)word[n + 1]) || *end || len > max)
			return usage_error("'%s %s': the prefix length is not 0 to %lu",
					   arg->key, word, max);
	}
	prefix->len = len + 128 - max;
	return EXIT_OK;
}

/**
 * parse_fields() - split a list of fields
 * @key: what it is, for the message
 * @list: fields separated by commas
 * @max: most of them
 * @take: called with each, which it may write to; returns enum exit_code
 * @arg: for @take
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong.
 */
int parse_fields(const char *key, const char *list, int max,
		 int (*take)(char *word, void *arg), void *arg)
{
	char word[ARG_FIELD];
	size_t len;
	int ret, n = 0;

	for (;; list += len + 1) {
		if (n++ == max)
			return usage_error("'%s' has more than %d fields",
					   key, max);
		len = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		ret = take(word, arg);
		if (ret || !list[len])
			return ret;
	}
}

static int parse_value(const struct arg *arg, const char *word)
{
	switch (arg->kind) {
	case ARG_NAME:
		return parse_name(arg, word);
	case ARG_LIST:
		return parse_list(arg, word);
	case ARG_WORD:
		return parse_word(arg, word);
	case ARG_U32:
		return parse_u32(arg, word);
	case ARG_U64:
		return parse_u64(arg, word);
	case ARG_HEX:
		return parse_u32_base(arg, word, 16);
	case ARG_PORT:
		return parse_port(arg, word);
	case ARG_GID:
		return parse_gid(arg, word);
	case ARG_IN6:
		return parse_in6(arg, word);
	case ARG_PREFIX:
		return parse_prefix(arg, word);
	case ARG_PREFIX_OR_NONE:
		return parse_prefix(arg, strcmp(word, "none") ? word : "::/0");
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

/**
 * args_given() - check whether a key is given
 * @args: arguments of the command, after args_parse()
 * @key: one of its keys
 *
 * Return: true if so.
 */
bool args_given(const struct arg *args, const char *key)
{
	while (strcmp(args->key, key))
		args++;
	return args->given;
}

static int check_required(const struct arg *args)
{
	for (; args->key; args++) {
		if (args->required && !args->given)
			return usage_error("'%s' is missing", args->key);
	}
	return EXIT_OK;
}

/* One key and its value; stores the number of words consumed in @taken. */
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
 * @args: arguments of the command, up to a NULL key
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong.
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
			return usage_error("'%s' is not an argument of this command",
					   *argv);
		ret = parse_one(argc, argv, arg, &taken);
		if (ret)
			return ret;
		argc -= taken;
		argv += taken;
	}
	return check_required(args);
}
