/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arguments of commands: keys with values, in any order.
 */
#ifndef MRCCTL_ARGS_H
#define MRCCTL_ARGS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * enum arg_kind - what stands behind a key
 * @ARG_NAME: a name of at most MRC_NAME_MAX - 1 bytes; value is const char *
 * @ARG_LIST: a word that the command takes apart; value is const char *
 * @ARG_U32: a number; value is uint32_t
 * @ARG_PORT: the number of a port, from 1; value is uint32_t
 * @ARG_GID: IPv6 or IPv4 address; value is struct in6_addr
 * @ARG_IN6: IPv6 address; value is struct in6_addr
 * @ARG_FLAG: nothing
 */
enum arg_kind {
	ARG_NAME,
	ARG_LIST,
	ARG_U32,
	ARG_PORT,
	ARG_GID,
	ARG_IN6,
	ARG_FLAG,
};

/**
 * struct arg - one key that a command knows
 * @key: as written
 * @kind: what its value is
 * @required: the command cannot do without
 * @value: where the value goes; NULL for ARG_FLAG
 * @positional: the value may also come first, without the key; only the first
 *	entry of a table
 * @given: set if it was there
 */
struct arg {
	const char *key;
	enum arg_kind kind;
	bool required;
	void *value;
	bool positional;
	bool given;
};

int args_parse(int argc, char **argv, struct arg *args);
int usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#endif /* MRCCTL_ARGS_H */
