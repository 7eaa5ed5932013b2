// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recycled entropy (REPS: Bonato et al., arXiv 2407.21625): a path whose packet
 * was answered without a mark is used once more; only if there is none the next
 * of the rotation is tried out.  Load drifts to where there is room.
 *
 * Each plane recycles on its own, since planes have to stay equal.  States of
 * paths count as with any strategy: what is remembered is used only while GOOD.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/evwait.h"
#include "core/lb.h"

/*
 * Where one path has failed others have too, most likely.  So long nothing is
 * tried out in that plane, what is known is used over and over: a few times
 * what it takes to notice losses (loss.c).
 */
#define REPS_FREEZE_NS	100000000ULL

#define REPS_MASK	(MRC_REPS_CACHE - 1)

static_assert(!(MRC_REPS_CACHE & REPS_MASK));
static_assert(MRC_EV_MAX - 1 <= U8_MAX);

static void remember(struct mrc_reps *reps, u16 idx)
{
	reps->path[reps->head] = idx;
	reps->head = (reps->head + 1) & REPS_MASK;
	reps->fresh = min(reps->fresh + 1, MRC_REPS_CACHE);
	reps->known = min(reps->known + 1, MRC_REPS_CACHE);
}

static bool may_reuse(const struct mrc_ev_set *set, u16 idx, u64 now)
{
	return set->ev[idx].state == MRC_EV_GOOD &&
	       !mrc_evwait_overdue(set, idx, now);
}

/* The oldest answer that has not been made use of. */
static int recycle(const struct mrc_ev_set *set, struct mrc_reps *reps,
		   u64 now)
{
	u16 idx;

	while (reps->fresh) {
		idx = reps->path[(reps->head - reps->fresh) & REPS_MASK];
		reps->fresh--;
		if (may_reuse(set, idx, now))
			return idx;
	}
	return -ENOENT;
}

/* Any that ever was good, one after the other. */
static int replay(const struct mrc_ev_set *set, struct mrc_reps *reps, u64 now)
{
	u16 idx;
	u8 i;

	for (i = 0; i < reps->known; i++) {
		reps->again = reps->again + 1 < reps->known ?
			      reps->again + 1 : 0;
		idx = reps->path[reps->again];
		if (may_reuse(set, idx, now))
			return idx;
	}
	return -ENOENT;
}

static int reps_next(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
		     u64 now)
{
	int idx = recycle(set, &plane->reps, now);

	if (idx < 0 && now < plane->reps.frozen_until)
		idx = replay(set, &plane->reps, now);
	return idx < 0 ? mrc_lb_deal(set, plane, now) : idx;
}

static void reps_feedback(struct mrc_ev_set *set, u16 idx,
			  enum mrc_ev_signal sig, u64 now)
{
	const struct mrc_ev *ev = &set->ev[idx];
	struct mrc_reps *reps = &mrc_ev_plane_of(set, idx)->reps;

	switch (sig) {
	case MRC_EV_SIG_OK:
		if (ev->state == MRC_EV_GOOD)
			remember(reps, idx);
		break;
	case MRC_EV_SIG_LOSS:
	case MRC_EV_SIG_TIMEOUT:
		if (ev->state == MRC_EV_ASSUMED_BAD)
			reps->frozen_until = now + REPS_FREEZE_NS;
		break;
	default:
		break;
	}
}

const struct mrc_lb_ops mrc_lb_reps = {
	.name		= "reps",
	.next_path	= reps_next,
	.feedback	= reps_feedback,
};
