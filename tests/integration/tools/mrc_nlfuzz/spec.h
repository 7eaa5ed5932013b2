/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The netlink specification as tables, which tools/netlink/tables.py makes.
 */
#ifndef MRC_NLFUZZ_SPEC_H
#define MRC_NLFUZZ_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum spec_kind {
	SPEC_U32,
	SPEC_U64,
	SPEC_STRING,
	SPEC_BINARY,
	SPEC_FLAG,
	SPEC_NEST,
};

struct spec_set;

/**
 * struct spec_attr - an attribute
 * @name: as in the specification
 * @type: number in its set
 * @kind: type of the value
 * @multi: it may be there more than once
 * @min: least number that the policy permits
 * @max: largest number that the policy permits
 * @len: of a string: most bytes, of binary data: the bytes; 0: not limited
 * @nest: attributes inside, or NULL
 */
struct spec_attr {
	const char *name;
	uint16_t type;
	enum spec_kind kind;
	bool multi;
	uint32_t min;
	uint32_t max;
	uint32_t len;
	const struct spec_set *nest;
};

/**
 * struct spec_set - attributes of a kind of object
 * @name: as in the specification
 * @attr: array
 * @n: its length
 */
struct spec_set {
	const char *name;
	const struct spec_attr *attr;
	int n;
};

/**
 * struct spec_list - attributes of a request
 * @attr: array
 * @n: its length; 0: there is no such request
 */
struct spec_list {
	const struct spec_attr *const *attr;
	int n;
};

/**
 * struct spec_op - a command
 * @name: as in the specification
 * @cmd: number
 * @set: its attributes
 * @doit: those of a request for one object
 * @dump: those of a dump
 */
struct spec_op {
	const char *name;
	uint8_t cmd;
	const struct spec_set *set;
	struct spec_list doit;
	struct spec_list dump;
};

extern const struct spec_op spec_ops[];
extern const int spec_n_ops;

#endif /* MRC_NLFUZZ_SPEC_H */
