// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recycled entropy (REPS: Bonato et al., arXiv 2407.21625): a path whose burst
 * was acknowledged without an ECN mark is reused once; if there is no such
 * path, the next one of the rotation is explored.  Load moves to uncongested
 * paths.
 *
 * One SACK acknowledges several bursts and names the path of one: only of those
 * reported, paths would run out, and a part of the load would go everywhere.  But a
 * marked packet always triggers a SACK (MRC 1.0 7.5.2), so others were not marked.
 *
 * Each plane has its own cache, because planes carry equal shares.  Cached
 * paths are used only while they are GOOD.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/ev_overdue.h"
#include "core/lb.h"

/*
 * If one path of a plane has failed, others have probably failed too.  For so
 * long the plane explores no paths and replays its cache instead: a few times
 * as long as loss detection takes (req_rack.c).
 */
#define REPS_FREEZE_NS	100000000ULL

#define REPS_MASK	(MRC_REPS_CACHE - 1)

static_assert(!(MRC_REPS_CACHE & REPS_MASK));
static_assert(MRC_EV_MAX - 1 <= U8_MAX);

static void remember(struct mrc_reps *reps, u16 idx)
{
	reps->path[reps->head] = idx;
	reps->head = (reps->head + 1) & REPS_MASK;
	reps->n_valid = min(reps->n_valid + 1, MRC_REPS_CACHE);
	reps->n_cached = min(reps->n_cached + 1, MRC_REPS_CACHE);
}

static bool may_reuse(const struct mrc_ev_set *set, u16 idx, u64 now)
{
	return set->ev[idx].state == MRC_EV_GOOD &&
	       !mrc_ev_overdue(set, idx, now);
}

/* The valid entry that was written first. */
static int recycle(const struct mrc_ev_set *set, struct mrc_reps *reps,
		   u64 now)
{
	u16 idx;

	while (reps->n_valid) {
		idx = reps->path[(reps->head - reps->n_valid) & REPS_MASK];
		reps->n_valid--;
		if (may_reuse(set, idx, now))
			return idx;
	}
	return -ENOENT;
}

/* All cached entries in turn, valid or not. */
static int replay(const struct mrc_ev_set *set, struct mrc_reps *reps, u64 now)
{
	u16 idx;
	u8 i;

	for (i = 0; i < reps->n_cached; i++) {
		reps->replay = reps->replay + 1 < reps->n_cached ?
			      reps->replay + 1 : 0;
		idx = reps->path[reps->replay];
		if (may_reuse(set, idx, now))
			return idx;
	}
	return -ENOENT;
}

/*
 * Another path is explored whether or not it has less in flight: one that others fill
 * has little of this connection.  It may be the one that was marked: when all marked
 * packets moved to the other one of two paths, two flows filled both in turn.
 */
static int reps_next(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
		     u64 now)
{
	int idx = recycle(set, &plane->reps, now);

	if (idx < 0 && now < plane->reps.frozen_until)
		idx = replay(set, &plane->reps, now);
	return idx < 0 ? mrc_lb_rotate(set, plane, false, now) : idx;
}

static void reps_feedback(struct mrc_ev_set *set, u16 idx,
			  enum mrc_ev_signal sig, u64 sent, u64 now)
{
	struct mrc_reps *reps = &mrc_ev_plane_of(set, idx)->reps;

	switch (sig) {
	case MRC_EV_SIGNAL_SKIP_ONCE:
	case MRC_EV_SIGNAL_TRIM:
		reps->marked = idx;
		reps->marked_sent = sent;
		break;
	case MRC_EV_SIGNAL_LOSS:
	case MRC_EV_SIGNAL_RTO:
		if (set->ev[idx].state == MRC_EV_ASSUMED_BAD)
			reps->frozen_until = now + REPS_FREEZE_NS;
		break;
	default:
		break;
	}
}

static void reps_delivered(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	struct mrc_reps *reps = &mrc_ev_plane_of(set, idx)->reps;

	if (set->ev[idx].state == MRC_EV_GOOD &&
	    !(idx == reps->marked && sent == reps->marked_sent))
		remember(reps, idx);
}

const struct mrc_lb_ops mrc_lb_reps = {
	.name		= "reps",
	.next_path	= reps_next,
	.feedback	= reps_feedback,
	.delivered	= reps_delivered,
};
