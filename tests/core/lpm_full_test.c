// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of destinations, completely filled: 16 MiB, which tests in a kernel
 * cannot allocate in one piece.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <stdlib.h>

#include "core/lpm.h"

/* Entries of a table of the largest size. */
#define MOST	(MRC_LPM_SIZE_MAX / MRC_LPM_SLOTS_PER_ENTRY)

static struct mrc_lpm_key key_of(u32 i)
{
	return (struct mrc_lpm_key){ 0xfd00ULL << 48 | i, 0, 64 };
}

/* As the path manager does: grow if necessary; refuse an entry of a full table. */
static bool add(struct kunit *test, struct mrc_lpm *t, u32 i)
{
	struct mrc_lpm_slot *old = t->slot, *slots;
	struct mrc_lpm_key key = key_of(i);
	u32 size = mrc_lpm_next_size(t);

	if (size != t->size) {
		slots = calloc(size, sizeof(*slots));
		KUNIT_ASSERT_NOT_NULL(test, slots);
		mrc_lpm_copy(t, slots, size);
		t->slot = slots;
		t->size = size;
		free(old);
	}
	if (mrc_lpm_full(t))
		return false;
	mrc_lpm_add(t, &key)->number = i;
	return true;
}

static u32 count_found(const struct mrc_lpm *t)
{
	const struct mrc_lpm_slot *slot;
	struct mrc_lpm_key addr;
	u32 i, n = 0;

	for (i = 0; i < MOST; i++) {
		addr = key_of(i);
		addr.lo = i + 1;
		addr.len = MRC_LPM_BITS;
		slot = mrc_lpm_lookup(t, &addr);
		n += slot && slot->number == i;
	}
	return n;
}

static void mrc_lpm_full_to_the_end(struct kunit *test)
{
	struct mrc_lpm_key key = key_of(7);
	struct mrc_lpm t;
	u32 n = 0;

	mrc_lpm_init(&t, calloc(MRC_LPM_SIZE_MIN, sizeof(*t.slot)),
		     MRC_LPM_SIZE_MIN);
	KUNIT_ASSERT_NOT_NULL(test, t.slot);
	while (n <= MOST && add(test, &t, n))
		n++;
	KUNIT_EXPECT_EQ(test, n, MOST);
	KUNIT_EXPECT_EQ(test, t.n, MOST);
	KUNIT_EXPECT_EQ(test, t.size, MRC_LPM_SIZE_MAX);
	KUNIT_EXPECT_EQ(test, count_found(&t), MOST);
	/* After a deletion exactly one entry can be added. */
	mrc_lpm_del(&t, mrc_lpm_find(&t, &key));
	KUNIT_EXPECT_TRUE(test, add(test, &t, 7));
	KUNIT_EXPECT_FALSE(test, add(test, &t, MOST));
	KUNIT_EXPECT_EQ(test, count_found(&t), MOST);
	free(t.slot);
}

static struct kunit_case mrc_lpm_full_cases[] = {
	KUNIT_CASE(mrc_lpm_full_to_the_end),
	{}
};

static struct kunit_suite mrc_lpm_full_suite = {
	.name = "mrc_lpm_full",
	.test_cases = mrc_lpm_full_cases,
};

kunit_test_suite(mrc_lpm_full_suite);
