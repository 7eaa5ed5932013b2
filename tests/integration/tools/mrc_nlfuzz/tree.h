/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The attributes of one message as a tree, which can be damaged before it is written.
 */
#ifndef MRC_NLFUZZ_TREE_H
#define MRC_NLFUZZ_TREE_H

#include <libmnl/libmnl.h>

#include "rng.h"
#include "spec.h"

/* Most attributes of a message, and bytes of one. */
#define TREE_NODES	128
#define NODE_DATA	96

/**
 * struct node - an attribute
 * @next: the next one in the same nest
 * @child: the first one inside
 * @spec: what it was made from, or NULL
 * @type: number
 * @nested: whether NLA_F_NESTED is set
 * @absent: it is left out
 * @copies: how often it is written
 * @lie: added to nla_len
 * @len: bytes of @data
 * @data: value
 */
struct node {
	struct node *next;
	struct node *child;
	const struct spec_attr *spec;
	uint16_t type;
	bool nested;
	bool absent;
	uint8_t copies;
	int16_t lie;
	uint16_t len;
	uint8_t data[NODE_DATA];
};

/**
 * struct tree - attributes of a message
 * @node: all of them; the first is not written, its children are
 * @n: how many
 */
struct tree {
	struct node node[TREE_NODES];
	int n;
};

void tree_begin(struct tree *t);
struct node *tree_add(struct tree *t, struct node *in, const struct spec_attr *spec);
struct node *tree_find(struct tree *t, struct node *in, const char *name);
void tree_drop_children(struct node *in, const char *name);
void node_set_u32(struct node *n, uint32_t value);
void node_set(struct node *n, const void *data, size_t len);
void tree_damage(struct tree *t, struct rng *r);
void tree_put(const struct tree *t, struct nlmsghdr *nlh, size_t room);

#endif /* MRC_NLFUZZ_TREE_H */
