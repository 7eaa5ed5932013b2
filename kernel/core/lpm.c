// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Longest-prefix match: open addressing, linear probing.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/lpm.h"

/* Odd multipliers, the first of them 2^64 divided by the golden ratio. */
#define HASH_HI 0x9e3779b97f4a7c15ULL
#define HASH_LO 0xc2b2ae3d27d4eb4fULL

/* The first @n bits of a word; @n is 0..64. */
static u64 first_bits(u64 word, u8 n)
{
	return n ? word & ~0ULL << (64 - n) : 0;
}

/* The first @len bits of an address, or of a prefix that is not shorter. */
static struct mrc_lpm_key network_of(const struct mrc_lpm_key *key, u8 len)
{
	return (struct mrc_lpm_key){
		.hi = first_bits(key->hi, len < 64 ? len : 64),
		.lo = first_bits(key->lo, len < 64 ? 0 : len - 64),
		.len = len,
	};
}

/**
 * mrc_lpm_covers() - does a prefix contain an address?
 * @prefix: prefix
 * @addr: address, or a prefix that is not shorter
 *
 * Return: true if so.
 */
bool mrc_lpm_covers(const struct mrc_lpm_key *prefix,
		    const struct mrc_lpm_key *addr)
{
	struct mrc_lpm_key net = network_of(addr, prefix->len);

	return net.hi == prefix->hi && net.lo == prefix->lo;
}

static bool holds(const struct mrc_lpm_slot *slot,
		  const struct mrc_lpm_key *key)
{
	return slot->hi == key->hi && slot->lo == key->lo &&
	       slot->len == key->len;
}

/*
 * Multiplication propagates bits upwards only: the upper half is folded back.
 */
static u32 hash_slot(u64 hi, u64 lo, u8 len, u32 size)
{
	u64 h = hi * HASH_HI;

	h = (h ^ h >> 32 ^ lo ^ len) * HASH_LO;
	return (h ^ h >> 32) & (size - 1);
}

/**
 * mrc_lpm_key_init() - make a key from an address
 * @key: filled in
 * @addr: 16 octets in network order
 * @len: length of the prefix in bits, 0..MRC_LPM_BITS
 *
 * Return: true if the other bits of @addr are zero; in @key they always are.
 */
bool mrc_lpm_key_init(struct mrc_lpm_key *key, const u8 *addr, u8 len)
{
	struct mrc_lpm_key all = {};
	__be64 half[2];

	memcpy(half, addr, sizeof(half));
	all.hi = be64_to_cpu(half[0]);
	all.lo = be64_to_cpu(half[1]);
	*key = network_of(&all, len);
	return key->hi == all.hi && key->lo == all.lo;
}

/**
 * mrc_lpm_key_write() - the address of a prefix
 * @slot: its entry
 * @addr: filled in: 16 octets in network order
 */
void mrc_lpm_key_write(const struct mrc_lpm_slot *slot, u8 *addr)
{
	__be64 half[2] = { cpu_to_be64(slot->hi), cpu_to_be64(slot->lo) };

	memcpy(addr, half, sizeof(half));
}

/**
 * mrc_lpm_init() - prepare an empty table
 * @t: table
 * @slot: zeroed array of @size
 * @size: power of two
 */
void mrc_lpm_init(struct mrc_lpm *t, struct mrc_lpm_slot *slot, u32 size)
{
	memset(t, 0, sizeof(*t));
	t->slot = slot;
	t->size = size;
}

/**
 * mrc_lpm_next_size() - number of slots that the table needs for one more entry
 * @t: table
 *
 * Return: number of slots; that of @t if it need not or cannot grow.
 */
u32 mrc_lpm_next_size(const struct mrc_lpm *t)
{
	if (t->n < t->size / MRC_LPM_SLOTS_PER_ENTRY ||
	    t->size >= MRC_LPM_SIZE_MAX)
		return t->size;
	return t->size * MRC_LPM_GROWTH;
}

/**
 * mrc_lpm_full() - has the table no slot for one more entry?
 * @t: table that has been grown to mrc_lpm_next_size()
 *
 * Return: true if so.
 */
bool mrc_lpm_full(const struct mrc_lpm *t)
{
	return t->n >= t->size / MRC_LPM_SLOTS_PER_ENTRY;
}

/* The slot of a key, or the free slot for it. */
static struct mrc_lpm_slot *probe(struct mrc_lpm_slot *slots, u32 size,
				  const struct mrc_lpm_key *key)
{
	u32 at = hash_slot(key->hi, key->lo, key->len, size);

	while (slots[at].used && !holds(&slots[at], key))
		at = (at + 1) & (size - 1);
	return &slots[at];
}

/**
 * mrc_lpm_copy() - copy all entries to a larger array
 * @t: table, not changed
 * @slot: zeroed array of @size
 * @size: power of two, larger than that of @t
 *
 * The caller exchanges the arrays afterwards; look-ups in @t may run meanwhile.
 */
void mrc_lpm_copy(const struct mrc_lpm *t, struct mrc_lpm_slot *slot, u32 size)
{
	struct mrc_lpm_key key;
	u32 i;

	for (i = 0; i < t->size; i++) {
		if (!t->slot[i].used)
			continue;
		key = (struct mrc_lpm_key){
			t->slot[i].hi, t->slot[i].lo, t->slot[i].len,
		};
		*probe(slot, size, &key) = t->slot[i];
	}
}

/* Insertion sort: lengths are few and change rarely. */
static void add_length(struct mrc_lpm *t, u8 len)
{
	u8 i = t->n_lens++;

	for (; i && t->len[i - 1] < len; i--)
		t->len[i] = t->len[i - 1];
	t->len[i] = len;
}

static void remove_length(struct mrc_lpm *t, u8 len)
{
	u8 i = 0;

	while (t->len[i] != len)
		i++;
	for (t->n_lens--; i < t->n_lens; i++)
		t->len[i] = t->len[i + 1];
}

/**
 * mrc_lpm_add() - add an entry
 * @t: table that is not full
 * @key: prefix without an entry
 *
 * Return: its slot, for the caller to fill in; valid until the next change.
 */
struct mrc_lpm_slot *mrc_lpm_add(struct mrc_lpm *t,
				 const struct mrc_lpm_key *key)
{
	struct mrc_lpm_slot *slot = probe(t->slot, t->size, key);

	if (!t->count[key->len]++)
		add_length(t, key->len);
	t->n++;
	*slot = (struct mrc_lpm_slot){
		.hi = key->hi, .lo = key->lo, .len = key->len, .used = true,
	};
	return slot;
}

/* An entry must not move to a slot before that of its hash. */
static bool may_move(const struct mrc_lpm *t, u32 from, u32 to)
{
	const struct mrc_lpm_slot *s = &t->slot[from];
	u32 home = hash_slot(s->hi, s->lo, s->len, t->size), mask = t->size - 1;

	return ((from - home) & mask) >= ((from - to) & mask);
}

/**
 * mrc_lpm_del() - remove an entry
 * @t: table
 * @slot: its slot
 *
 * Moves entries of the following slots up, so that probing still finds them.
 */
void mrc_lpm_del(struct mrc_lpm *t, struct mrc_lpm_slot *slot)
{
	u32 hole = slot - t->slot, at = hole, mask = t->size - 1;

	t->n--;
	if (!--t->count[slot->len])
		remove_length(t, slot->len);
	for (;;) {
		at = (at + 1) & mask;
		if (!t->slot[at].used)
			break;
		if (!may_move(t, at, hole))
			continue;
		t->slot[hole] = t->slot[at];
		hole = at;
	}
	t->slot[hole].used = false;
}

/**
 * mrc_lpm_find() - the entry of a prefix
 * @t: table
 * @key: the prefix
 *
 * Return: the entry, or NULL.
 */
struct mrc_lpm_slot *mrc_lpm_find(const struct mrc_lpm *t,
				  const struct mrc_lpm_key *key)
{
	struct mrc_lpm_slot *slot = probe(t->slot, t->size, key);

	return slot->used ? slot : NULL;
}

/**
 * mrc_lpm_lookup() - the entry of the longest prefix that contains an address
 * @t: table
 * @addr: the address, as a prefix of 128 bits
 *
 * Return: the entry, or NULL.
 */
struct mrc_lpm_slot *mrc_lpm_lookup(const struct mrc_lpm *t,
				    const struct mrc_lpm_key *addr)
{
	struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;
	u8 i;

	for (i = 0; i < t->n_lens; i++) {
		key = network_of(addr, t->len[i]);
		slot = mrc_lpm_find(t, &key);
		if (slot)
			return slot;
	}
	return NULL;
}
