/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Longest-prefix match over IPv6 addresses: a hash table, asked once for each
 * length that occurs.  Networks use few lengths, and what is kept for a prefix
 * stands in the table itself: a look-up costs a cache miss or two however many
 * destinations there are, where a tree costs one per level.
 */
#ifndef MRC_CORE_LPM_H
#define MRC_CORE_LPM_H

#include <linux/types.h>

/* Bits of an address, and the longest prefix. */
#define MRC_LPM_BITS 128
/* Slots to begin with, and at most; powers of two. */
#define MRC_LPM_SIZE_MIN 128U
#define MRC_LPM_SIZE_MAX 524288U
/* How many times larger the next table is. */
#define MRC_LPM_GROWTH 4
/* Slots for each entry, at least. */
#define MRC_LPM_SPARE 2

/**
 * struct mrc_lpm_key - a prefix
 * @hi: bits 0..63 of the address, the first is the most significant one
 * @lo: bits 64..127
 * @len: bits that count; the others are zero
 */
struct mrc_lpm_key {
	u64 hi;
	u64 lo;
	u8 len;
};

/**
 * struct mrc_lpm_slot - what is kept for a prefix; two to a cache line
 * @hi: of the key
 * @lo: likewise
 * @number: the owner's
 * @a: the owner's
 * @b: likewise
 * @c: likewise
 * @len: of the key
 * @used: the slot holds an entry
 */
struct mrc_lpm_slot {
	u64 hi;
	u64 lo;
	u64 number;
	u16 a;
	u16 b;
	u16 c;
	u8 len;
	bool used;
};

/**
 * struct mrc_lpm - a table
 * @slot: the slots; an entry stands where its hash says, or close behind
 * @size: slots, a power of two
 * @n: entries
 * @n_lens: lengths that occur
 * @len: those lengths, the longest first
 * @count: entries of each length
 *
 * The owner serialises all calls and supplies the memory.
 */
struct mrc_lpm {
	struct mrc_lpm_slot *slot;
	u32 size;
	u32 n;
	u8 n_lens;
	u8 len[MRC_LPM_BITS + 1];
	u32 count[MRC_LPM_BITS + 1];
};

bool mrc_lpm_key_init(struct mrc_lpm_key *key, const u8 *addr, u8 len);
bool mrc_lpm_covers(const struct mrc_lpm_key *prefix,
		    const struct mrc_lpm_key *addr);
void mrc_lpm_key_write(const struct mrc_lpm_slot *slot, u8 *addr);
void mrc_lpm_init(struct mrc_lpm *t, struct mrc_lpm_slot *slot, u32 size);
u32 mrc_lpm_wants(const struct mrc_lpm *t);
bool mrc_lpm_full(const struct mrc_lpm *t);
void mrc_lpm_copy(const struct mrc_lpm *t, struct mrc_lpm_slot *slot, u32 size);
struct mrc_lpm_slot *mrc_lpm_add(struct mrc_lpm *t,
				 const struct mrc_lpm_key *key);
void mrc_lpm_del(struct mrc_lpm *t, struct mrc_lpm_slot *slot);
struct mrc_lpm_slot *mrc_lpm_find(const struct mrc_lpm *t,
				  const struct mrc_lpm_key *key);
struct mrc_lpm_slot *mrc_lpm_lookup(const struct mrc_lpm *t,
				    const struct mrc_lpm_key *addr);

#endif /* MRC_CORE_LPM_H */
