/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arguments of commands: keys with values, in any order.
 */
#ifndef MRC_ARGS_H
#define MRC_ARGS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * enum arg_kind - kind of the value after a key
 * @ARG_NAME: a name of at most MRC_NAME_MAX - 1 bytes; value is const char *
 * @ARG_LIST: a word that the command splits; value is const char *
 * @ARG_WORD: one of some words; value is uint32_t, its number
 * @ARG_U32: a number; value is uint32_t
 * @ARG_U64: a number; value is uint64_t
 * @ARG_HEX: a hexadecimal number, with or without 0x; value is uint32_t
 * @ARG_PORT: the number of a port, from 1; value is uint32_t
 * @ARG_GID: IPv6 or IPv4 address; value is struct in6_addr
 * @ARG_IN6: IPv6 address; value is struct in6_addr
 * @ARG_PREFIX: an address as of ARG_GID, and a slash and how many of its bits
 *	count; value is &struct prefix
 * @ARG_PREFIX_OR_NONE: likewise, or the word none, which is ::/0
 * @ARG_FLAG: nothing
 */
enum arg_kind {
	ARG_NAME,
	ARG_LIST,
	ARG_WORD,
	ARG_U32,
	ARG_U64,
	ARG_HEX,
	ARG_PORT,
	ARG_GID,
	ARG_IN6,
	ARG_PREFIX,
	ARG_PREFIX_OR_NONE,
	ARG_FLAG,
};

/**
 * struct prefix - addresses with a common prefix
 * @addr: the network; the bits that do not count are zero
 * @len: bits that count, 0 to 128
 */
struct prefix {
	struct in6_addr addr;
	uint32_t len;
};

/**
 * struct arg - one key that a command accepts
 * @key: as written
 * @kind: what its value is
 * @required: the command cannot do without
 * @value: where the value is stored; NULL for ARG_FLAG
 * @positional: the value may also come first, without the key; only the first
 *	entry of a table
 * @given: set if the key is given
 * @words: of ARG_WORD: by number, up to a NULL; 0 is none
 * @attr: attribute that carries the value to the kernel; 0: the command adds it
 * @len_attr: of ARG_PREFIX: the attribute of the length
 */
struct arg {
	const char *key;
	enum arg_kind kind;
	bool required;
	void *value;
	bool positional;
	bool given;
	const char * const *words;
	int attr;
	int len_attr;
};

/* Bytes of a field that parse_fields() cuts out; what is longer is cut off. */
enum { ARG_FIELD = 64 };

int parse_number(const char *key, const char *word, int base, uint64_t max,
		 uint64_t *value);
int parse_fields(const char *key, const char *list, int max,
		 int (*take)(char *word, void *arg), void *arg);
bool args_given(const struct arg *args, const char *key);
int args_parse(int argc, char **argv, struct arg *args);
int usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#endif /* MRC_ARGS_H */
