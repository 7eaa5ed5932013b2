/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the host itself still holds of what has been sent.
 *
 * What a CPU sends may wait there until it comes to its softirqs: where switches
 * and peers are the same machine, that is all of the way.  Meanwhile another CPU
 * may send, and be answered.  So the owner leaves a mark behind what it sends;
 * before a CPU has come to its mark nothing is known of a path.
 */
#ifndef MRC_CORE_HOLD_H
#define MRC_CORE_HOLD_H

#include <linux/limits.h>
#include <linux/types.h>

/* Marks of a requester: CPUs share them, one behind another if there are more. */
#define MRC_HOLDS 4
/* Later than anything is sent, with room to add to. */
#define MRC_HOLD_NEVER ((u64)S64_MAX)

/**
 * struct mrc_hold - a mark, and what one has told
 * @at: ns when it was left; 0: none is waited for
 * @from: of a CPU that was late: when it was given the mark ..
 * @to: .. and when it came to it; 0: none was
 */
struct mrc_hold {
	u64 at;
	u64 from;
	u64 to;
};

bool mrc_hold_begin(struct mrc_hold *h, u64 now);
void mrc_hold_end(struct mrc_hold *h, u64 now);
u64 mrc_hold_left(const struct mrc_hold *holds, u64 sent);

#endif /* MRC_CORE_HOLD_H */
