/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A set of paths over several planes, for the suites of path selection.
 */
#ifndef MRC_EV_SAMPLE_H
#define MRC_EV_SAMPLE_H

#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/ev.h"
#include "core/lb.h"

/* One microsecond, in ns. */
#define US		1000ULL
#define PLANES		4
#define PER_PLANE	4
#define PATHS		(PLANES * PER_PLANE)

/* Paths 0..3 in plane 1, 4..7 in plane 2, ..; none ASSUMED_BAD or DENIED. */
static inline struct mrc_ev_set *ev_set_cfg(struct kunit *test,
					    const struct mrc_ev_cfg *cfg)
{
	struct mrc_ev_entry e[PATHS];
	struct mrc_ev_set *set;
	int i;

	for (i = 0; i < PATHS; i++)
		e[i] = (struct mrc_ev_entry){
			.value = 0xe7000000 | i << 16 | (0xc000 + i),
			.plane = 1 + i / PER_PLANE,
		};
	set = kunit_kzalloc(test, mrc_ev_set_size(PATHS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_EQ(test, mrc_ev_set_init(set, e, PATHS, cfg), 0);
	return set;
}

/* Likewise; all active, load balancer: rotation. */
static inline struct mrc_ev_set *ev_set(struct kunit *test)
{
	const struct mrc_ev_cfg cfg = { .seed = 42 };

	return ev_set_cfg(test, &cfg);
}

/* How often each path is chosen among @n choices. */
static inline void ev_count(struct kunit *test, struct mrc_ev_set *set, u32 n,
			    u32 *count)
{
	int idx;

	memset(count, 0, PATHS * sizeof(*count));
	while (n--) {
		idx = mrc_lb_next(set, 0);
		KUNIT_ASSERT_TRUE(test, idx >= 0 && idx < PATHS);
		count[idx]++;
	}
}

#endif /* MRC_EV_SAMPLE_H */
