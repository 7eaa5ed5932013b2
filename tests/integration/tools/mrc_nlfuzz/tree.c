// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The attributes of one message as a tree, which can be damaged before it is written.
 */
#include <string.h>

#include "tree.h"

/* Copies of an attribute that is repeated, and of one that fills a message. */
#define COPIES		3
#define COPIES_MANY	60
/* The largest number of an attribute that is tried. */
#define TYPES		40
/* Nests inside each other, more than any parser follows. */
#define DEPTH		24

/**
 * tree_begin - begin with no attributes
 * @t: tree
 */
void tree_begin(struct tree *t)
{
	t->n = 1;
	memset(&t->node[0], 0, sizeof(t->node[0]));
}

/**
 * tree_add - add an attribute without a value to the end of a nest
 * @t: tree
 * @in: nest, or NULL
 * @spec: of the attribute
 *
 * Return: the attribute, or NULL if there are too many.
 */
struct node *tree_add(struct tree *t, struct node *in, const struct spec_attr *spec)
{
	struct node **at, *n;

	if (t->n == TREE_NODES)
		return NULL;
	n = &t->node[t->n++];
	memset(n, 0, sizeof(*n));
	n->spec = spec;
	n->type = spec->type;
	n->nested = spec->kind == SPEC_NEST;
	n->copies = 1;
	at = &(in ? in : &t->node[0])->child;
	while (*at)
		at = &(*at)->next;
	*at = n;
	return n;
}

/**
 * tree_find - find an attribute by its name
 * @t: tree
 * @in: nest, or NULL
 * @name: of the attribute
 *
 * Return: the first attribute of this name, or NULL.
 */
struct node *tree_find(struct tree *t, struct node *in, const char *name)
{
	struct node *n;

	for (n = (in ? in : &t->node[0])->child; n; n = n->next)
		if (!n->absent && !strcmp(n->spec->name, name))
			return n;
	return NULL;
}

/**
 * tree_drop_children - leave all attributes of a name out
 * @in: nest
 * @name: of the attributes
 */
void tree_drop_children(struct node *in, const char *name)
{
	struct node *n;

	for (n = in->child; n; n = n->next)
		if (!strcmp(n->spec->name, name))
			n->absent = true;
}

/**
 * node_set - set the value
 * @n: attribute
 * @data: value
 * @len: its bytes, at most NODE_DATA
 */
void node_set(struct node *n, const void *data, size_t len)
{
	n->len = len;
	memcpy(n->data, data, len);
}

/**
 * node_set_u32 - set a number
 * @n: attribute
 * @value: number
 */
void node_set_u32(struct node *n, uint32_t value)
{
	node_set(n, &value, sizeof(value));
}

/* A number at a bound, in whatever the attribute has. */
static void damage_value(struct node *n, struct rng *r)
{
	uint64_t value = rng_edge(r, n->spec->min, n->spec->max);

	if (n->spec->kind == SPEC_U32 || n->spec->kind == SPEC_U64)
		memcpy(n->data, &value, n->len < 8 ? n->len : 8);
	else if (n->len)
		n->data[rng_below(r, n->len)] ^= 1u << rng_below(r, 8);
}

static void damage_length(struct node *n, struct rng *r)
{
	static const uint16_t lens[] = { 0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 32,
					 63, 64, 65, NODE_DATA };

	n->len = lens[rng_below(r, MNL_ARRAY_SIZE(lens))];
	/* Strings without an end, too. */
	if (rng_one_in(r, 2))
		memset(n->data, 'x', n->len);
}

/* Another type of attribute: a nest becomes data, data a nest. */
static void damage_kind(struct tree *t, struct node *n, struct rng *r)
{
	if (rng_one_in(r, 2)) {
		n->nested = !n->nested;
	} else if (n->child) {
		n->child = NULL;
		rng_bytes(r, n->data, n->len = rng_below(r, NODE_DATA));
	} else {
		n->child = &t->node[1 + rng_below(r, t->n - 1)];
		/* A ring of attributes would not end. */
		if (n->child <= n)
			n->child = NULL;
	}
}

static void damage_node(struct tree *t, struct node *n, struct rng *r)
{
	switch (rng_below(r, 10)) {
	case 0:
		n->absent = true;
		break;
	case 1:
		n->copies = rng_one_in(r, 8) ? COPIES_MANY : COPIES;
		break;
	case 2:
		n->type = rng_below(r, TYPES);
		break;
	case 3:
		damage_length(n, r);
		break;
	case 4:
		damage_kind(t, n, r);
		break;
	case 5:
		n->lie = (int)rng_below(r, 64) - 32;
		break;
	case 6:
		rng_bytes(r, n->data, n->len);
		break;
	default:
		damage_value(n, r);
		break;
	}
}

/**
 * tree_damage - damage one attribute or several
 * @t: tree
 * @r: decides
 */
void tree_damage(struct tree *t, struct rng *r)
{
	if (t->n < 2)
		return;
	do
		damage_node(t, &t->node[1 + rng_below(r, t->n - 1)], r);
	while (rng_one_in(r, 3));
}

static void put_node(const struct node *n, struct nlmsghdr *nlh, size_t room,
		     int depth)
{
	size_t begin = nlh->nlmsg_len;
	const struct node *c;
	struct nlattr *attr;

	if (!mnl_attr_put_check(nlh, room, n->type, n->len, n->data) ||
	    depth > DEPTH)
		return;
	attr = (void *)((char *)nlh + begin);
	if (n->nested || n->child) {
		nlh->nlmsg_len = begin + MNL_ATTR_HDRLEN;
		for (c = n->child; c; c = c->next)
			if (!c->absent)
				put_node(c, nlh, room, depth + 1);
		attr->nla_len = nlh->nlmsg_len - begin;
	}
	if (n->nested)
		attr->nla_type |= NLA_F_NESTED;
	attr->nla_len += n->lie;
}

/**
 * tree_put - write the attributes to a message
 * @t: tree
 * @nlh: message
 * @room: bytes that the message may have; what does not fit is left out
 */
void tree_put(const struct tree *t, struct nlmsghdr *nlh, size_t room)
{
	const struct node *n;
	int i;

	for (n = t->node[0].child; n; n = n->next)
		for (i = 0; !n->absent && i < n->copies; i++)
			put_node(n, nlh, room, 0);
}
