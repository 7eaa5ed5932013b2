// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lifecycle states of the objects that an operator configures.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/lifecycle.h"

/* Control API: INIT -> OFFLINE -> ONLINE and back, not while in use. */
static void mrc_lifecycle_steps(struct kunit *test)
{
	static const struct {
		u8 from, to;
		u32 users;
		int ret;
	} steps[] = {
		{ MRC_LIFE_INIT, MRC_LIFE_INIT, 0, 0 },
		{ MRC_LIFE_INIT, MRC_LIFE_OFFLINE, 0, 0 },
		{ MRC_LIFE_INIT, MRC_LIFE_ONLINE, 0, 0 },
		{ MRC_LIFE_OFFLINE, MRC_LIFE_ONLINE, 0, 0 },
		{ MRC_LIFE_OFFLINE, MRC_LIFE_INIT, 0, 0 },
		{ MRC_LIFE_ONLINE, MRC_LIFE_ONLINE, 5, 0 },
		{ MRC_LIFE_ONLINE, MRC_LIFE_OFFLINE, 0, 0 },
		{ MRC_LIFE_ONLINE, MRC_LIFE_OFFLINE, 1, -EBUSY },
		{ MRC_LIFE_ONLINE, MRC_LIFE_INIT, 1, -EBUSY },
		{ MRC_LIFE_ONLINE, MRC_LIFE_INIT, 0, -EINVAL },
		{ MRC_LIFE_INIT, MRC_LIFE_NR, 0, -EINVAL },
		{ MRC_LIFE_ONLINE, 255, 0, -EINVAL },
	};
	struct mrc_refusal why;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++)
		KUNIT_EXPECT_EQ_MSG(test, mrc_life_check(steps[i].from,
							 steps[i].to,
							 steps[i].users, &why),
				    steps[i].ret, "transition %u", i);
	KUNIT_EXPECT_STREQ(test, mrc_life_name(MRC_LIFE_OFFLINE), "offline");
	KUNIT_EXPECT_NULL(test, mrc_life_name(MRC_LIFE_NR));
}

static struct kunit_case mrc_lifecycle_cases[] = {
	KUNIT_CASE(mrc_lifecycle_steps),
	{}
};

static struct kunit_suite mrc_lifecycle_suite = {
	.name = "mrc_lifecycle",
	.test_cases = mrc_lifecycle_cases,
};

kunit_test_suite(mrc_lifecycle_suite);

MODULE_DESCRIPTION("KUnit tests of lifecycle states");
MODULE_LICENSE("Dual BSD/GPL");
