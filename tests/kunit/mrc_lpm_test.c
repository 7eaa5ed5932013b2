// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Longest-prefix match.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/lpm.h"
#include "core/rnd.h"

#define ENTRIES	600
#define SLOTS	2048
#define FEW	(SLOTS / MRC_LPM_GROWTH)

struct table {
	struct mrc_lpm t;
	struct mrc_lpm_slot few[FEW];
	struct mrc_lpm_slot many[SLOTS];
	struct mrc_lpm_key key[ENTRIES];
	bool in[ENTRIES];
};

/* A random prefix of @len bits; few bits vary, so that prefixes nest. */
static void some_key(struct mrc_lpm_key *key, u64 *rnd, u8 len)
{
	u8 addr[16] = { 0x20, 1 };
	u64 r = mrc_rnd_next(rnd);

	addr[5] = r & 3;
	addr[8] = r >> 2 & 3;
	addr[15] = r >> 4 & 3;
	mrc_lpm_key_init(key, addr, len);
}

static bool covers(const struct mrc_lpm_key *prefix,
		   const struct mrc_lpm_key *addr)
{
	u8 i;

	for (i = 0; i < prefix->len; i++) {
		u64 a = i < 64 ? addr->hi : addr->lo;
		u64 p = i < 64 ? prefix->hi : prefix->lo;

		if ((a ^ p) >> (63 - i % 64) & 1)
			return false;
	}
	return true;
}

/* Reference: number of the entry that a linear search finds, or ENTRIES. */
static u32 slow_lookup(const struct table *tab, const struct mrc_lpm_key *addr)
{
	u32 i, best = ENTRIES;

	for (i = 0; i < ENTRIES; i++)
		if (tab->in[i] && covers(&tab->key[i], addr) &&
		    (best == ENTRIES || tab->key[best].len < tab->key[i].len))
			best = i;
	return best;
}

static void add_or_del(struct kunit *test, struct table *tab, u64 *rnd, u32 limit)
{
	u32 i = mrc_rnd_below(rnd, limit);
	struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;

	if (tab->in[i]) {
		slot = mrc_lpm_find(&tab->t, &tab->key[i]);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		KUNIT_EXPECT_EQ(test, slot->number, i);
		mrc_lpm_del(&tab->t, slot);
		tab->in[i] = false;
		return;
	}
	some_key(&key, rnd, mrc_rnd_below(rnd, MRC_LPM_BITS + 1));
	if (mrc_lpm_find(&tab->t, &key))
		return;
	tab->key[i] = key;
	mrc_lpm_add(&tab->t, &key)->number = i;
	tab->in[i] = true;
}

static void check_lookup(struct kunit *test, const struct table *tab, u64 *rnd)
{
	const struct mrc_lpm_slot *slot;
	struct mrc_lpm_key addr;
	u32 wanted;

	some_key(&addr, rnd, MRC_LPM_BITS);
	slot = mrc_lpm_lookup(&tab->t, &addr);
	wanted = slow_lookup(tab, &addr);
	KUNIT_ASSERT_EQ(test, slot ? slot->number : ENTRIES, wanted);
}

/* A lookup finds what a linear search finds. */
static void mrc_lpm_finds_longest_prefix(struct kunit *test)
{
	struct table *tab = kunit_kzalloc(test, sizeof(*tab), GFP_KERNEL);
	u64 rnd = 7;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, tab);
	mrc_lpm_init(&tab->t, tab->few, FEW);
	for (i = 0; i < 5000; i++) {
		add_or_del(test, tab, &rnd, FEW - 1);
		check_lookup(test, tab, &rnd);
	}
	mrc_lpm_copy(&tab->t, tab->many, SLOTS);
	memset(tab->few, 0x55, sizeof(tab->few));
	tab->t.slot = tab->many;
	tab->t.size = SLOTS;
	for (i = 0; i < 20000; i++) {
		add_or_del(test, tab, &rnd, ENTRIES);
		check_lookup(test, tab, &rnd);
	}
}

static void mrc_lpm_empty_after_deletes(struct kunit *test)
{
	struct mrc_lpm_slot slots[MRC_LPM_GROWTH] = {};
	const u8 octets[16] = { 0xfd, [15] = 9 };
	struct mrc_lpm_key addr, all;
	struct mrc_lpm t;

	mrc_lpm_init(&t, slots, ARRAY_SIZE(slots));
	mrc_lpm_key_init(&addr, octets, MRC_LPM_BITS);
	mrc_lpm_key_init(&all, octets, 0);
	KUNIT_EXPECT_NULL(test, mrc_lpm_lookup(&t, &addr));
	mrc_lpm_add(&t, &all)->number = 1;
	mrc_lpm_add(&t, &addr)->number = 2;
	KUNIT_EXPECT_EQ(test, mrc_lpm_lookup(&t, &addr)->number, 2);
	mrc_lpm_del(&t, mrc_lpm_find(&t, &addr));
	KUNIT_EXPECT_EQ(test, mrc_lpm_lookup(&t, &addr)->number, 1);
	mrc_lpm_del(&t, mrc_lpm_find(&t, &all));
	KUNIT_EXPECT_NULL(test, mrc_lpm_lookup(&t, &addr));
	KUNIT_EXPECT_EQ(test, t.n_lens, 0);
}

/* The table grows before half of its slots are in use, up to its maximum. */
static void mrc_lpm_table_grows(struct kunit *test)
{
	struct mrc_lpm t = { .size = MRC_LPM_SIZE_MIN };

	KUNIT_EXPECT_EQ(test, mrc_lpm_next_size(&t), MRC_LPM_SIZE_MIN);
	t.n = t.size / MRC_LPM_SLOTS_PER_ENTRY - 1;
	KUNIT_EXPECT_EQ(test, mrc_lpm_next_size(&t), MRC_LPM_SIZE_MIN);
	KUNIT_EXPECT_FALSE(test, mrc_lpm_full(&t));
	t.n++;
	KUNIT_EXPECT_EQ(test, mrc_lpm_next_size(&t),
			MRC_LPM_SIZE_MIN * MRC_LPM_GROWTH);
	while (t.size < MRC_LPM_SIZE_MAX)
		t.size *= MRC_LPM_GROWTH;
	KUNIT_EXPECT_EQ(test, t.size, MRC_LPM_SIZE_MAX);
	t.n = t.size / MRC_LPM_SLOTS_PER_ENTRY;
	KUNIT_EXPECT_EQ(test, mrc_lpm_next_size(&t), MRC_LPM_SIZE_MAX);
	KUNIT_EXPECT_TRUE(test, mrc_lpm_full(&t));
	KUNIT_EXPECT_EQ(test, sizeof(struct mrc_lpm_slot), 32);
}

/* Bits beyond the prefix length are cleared; the return value reports them. */
static void mrc_lpm_key_bits_beyond_length(struct kunit *test)
{
	const u8 octets[16] = { 0xfd, 0xff, [7] = 1, 0x80, [15] = 1 };
	struct mrc_lpm_slot slot = {};
	struct mrc_lpm_key key;
	u8 back[16];

	KUNIT_EXPECT_TRUE(test, mrc_lpm_key_init(&key, octets, 128));
	KUNIT_EXPECT_EQ(test, key.lo, 0x8000000000000001ULL);
	slot.hi = key.hi;
	slot.lo = key.lo;
	mrc_lpm_key_write(&slot, back);
	KUNIT_EXPECT_EQ(test, 0, memcmp(back, octets, sizeof(back)));
	KUNIT_EXPECT_FALSE(test, mrc_lpm_key_init(&key, octets, 127));
	KUNIT_EXPECT_EQ(test, key.lo, 1ULL << 63);
	KUNIT_EXPECT_FALSE(test, mrc_lpm_key_init(&key, octets, 64));
	KUNIT_EXPECT_EQ(test, key.hi, 0xfdff000000000001ULL);
	KUNIT_EXPECT_EQ(test, key.lo, 0);
	KUNIT_EXPECT_FALSE(test, mrc_lpm_key_init(&key, octets, 0));
	KUNIT_EXPECT_EQ(test, key.hi | key.lo, 0);
}

static struct kunit_case mrc_lpm_cases[] = {
	KUNIT_CASE(mrc_lpm_finds_longest_prefix),
	KUNIT_CASE(mrc_lpm_empty_after_deletes),
	KUNIT_CASE(mrc_lpm_table_grows),
	KUNIT_CASE(mrc_lpm_key_bits_beyond_length),
	{}
};

static struct kunit_suite mrc_lpm_suite = {
	.name = "mrc_lpm",
	.test_cases = mrc_lpm_cases,
};

kunit_test_suite(mrc_lpm_suite);

MODULE_DESCRIPTION("KUnit tests of longest-prefix match");
MODULE_LICENSE("Dual BSD/GPL");
