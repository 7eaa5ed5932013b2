/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Longest-prefix match over IPv6 addresses: a hash table with one look-up for
 * each prefix length that occurs.  Networks use few lengths, and the table
 * itself holds the data of a prefix: a look-up costs one or two cache misses
 * for any number of destinations, whereas a tree costs one per level.
 */
#ifndef MRC_CORE_LPM_H
#define MRC_CORE_LPM_H

#include <linux/types.h>

/* Bits of an address, and the longest prefix. */
#define MRC_LPM_BITS 128
/* Initial and maximum number of slots; powers of two. */
#define MRC_LPM_SIZE_MIN 128U
#define MRC_LPM_SIZE_MAX 524288U
/* Growth factor. */
#define MRC_LPM_GROWTH 4
/* Minimum number of slots per entry. */
#define MRC_LPM_SLOTS_PER_ENTRY 2

/**
 * struct mrc_lpm_key - a prefix
 * @hi: bits 0..63 of the address, the first is the most significant one
 * @lo: bits 64..127
 * @len: length of the prefix in bits; the other bits are zero
 */
struct mrc_lpm_key {
	u64 hi;
	u64 lo;
	u8 len;
};

/**
 * struct mrc_lpm_slot - entry of a prefix; two per cache line
 * @hi: of the key
 * @lo: of the key
 * @number: number of the destination in its template, set by the caller
 * @profile: index of an EV profile, set by the caller
 * @tmpl: index of a template, likewise
 * @cc: index of a CC profile, likewise
 * @len: of the key
 * @used: the slot holds an entry
 */
struct mrc_lpm_slot {
	u64 hi;
	u64 lo;
	u64 number;
	u16 profile;
	u16 tmpl;
	u16 cc;
	u8 len;
	bool used;
};

/**
 * struct mrc_lpm - a table
 * @slot: the slots; an entry is in the slot of its hash or in one soon after it
 * @size: number of slots, a power of two
 * @n: number of entries
 * @n_lens: number of prefix lengths that occur
 * @len: these lengths, the longest first
 * @count: number of entries of each length
 *
 * The caller serialises all calls and allocates the slots.
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
u32 mrc_lpm_next_size(const struct mrc_lpm *t);
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
